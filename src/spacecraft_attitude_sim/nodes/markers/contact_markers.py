# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the markers node draws of a contact: floor, contact point, its path, normal and force."""

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from visualization_msgs.msg import Marker

from spacecraft_attitude_sim.configuration.untrusted_scenario import HiddenFloor
from spacecraft_attitude_sim.core.contact import floors
from spacecraft_attitude_sim.drawing import colors, floor_mesh
from spacecraft_attitude_sim.nodes.markers import marker_shapes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from geometry_msgs.msg import Point

    from spacecraft_attitude_sim.recording.floor_sheet import Sheet

DARK_FLOOR, LIGHT_FLOOR = map(colors.rgba, colors.FLOOR_IN_RVIZ)
POINT_COLOR = colors.on_dark(colors.CONTACT_POINT)
NORMAL_COLOR = colors.on_dark(colors.CONTACT_NORMAL)
FORCE_COLOR = colors.on_dark(colors.CONTACT_FORCE)
PATH_COLOR = colors.on_dark(colors.CONTACT_PATH)
# In reaches of the body.
MARGIN, TILE = 5.0, 1.25
# Long enough to come out of the body on the other side.
NORMAL_LENGTH, FORCE_LENGTH = 2.2, 2.5
WIDTH, PATH_WIDTH, POINT_SIZE = 0.04, 0.02, 0.12
# An impact's force may be a hundred times the weight: no arrow is longer than of as many weights.
MOST_WEIGHTS = 2.0
# In a row, where a floor is drawn from where the body began.
MOST_TILES = 32


class Touch(NamedTuple):
    """What the topics say of one instant on a floor.

    position_W: (3,) of the centre of mass [m];  point_W: (3,) lowest point of the body [m]
    force_W: (3,) of the floor [N], zero in flight;  time: since the start or last reset [s]
    """

    position_W: np.ndarray
    point_W: np.ndarray
    force_W: np.ndarray
    time: float


class ContactMarkers:
    """Draws the floor of a scenario, which may change, and remembers where it was touched.

    sheet: floor_sheet.Sheet heard last of a floor that is a function, or None
    """

    def __init__(self, found, reach, path_length):
        self._reach = reach
        self._first_W = found.initial.position_W
        self._path: deque[Point] = deque(maxlen=path_length)
        self._touched_W = None
        self._floor: floors.Floor | None = None
        self._floor_key: Any = None
        self._floor_markers: Sequence[Marker] = ()
        self.sheet: Sheet | None = None
        self.change(found)

    def lift(self):
        """Begin another path: the body was put where it is."""
        self._touched_W = None

    def change(self, found):
        """Change to the floor of a Scenario."""
        if found.plant.contact.floor is self._floor:
            return
        self._floor = found.plant.contact.floor
        self._up_W = floor_mesh.upwards(found.plant.gravity_W)
        weight = found.plant.body.mass * np.linalg.norm(found.plant.gravity_W)
        self._force_scale = FORCE_LENGTH * self._reach / weight if weight else None

    def markers(self, touch):
        """Return the markers of a Touch; always as many, and in the same order."""
        touching = bool(np.any(touch.force_W))
        self._follow(touch.point_W if touching else None)
        return [
            *self._floor_at(touch),
            marker_shapes.line(
                'contact_path', Marker.LINE_LIST, self._path, PATH_COLOR, PATH_WIDTH * self._reach
            ),
            *(self._contact(touch) if touching else _nothing()),
        ]

    def _follow(self, point_W):
        """Extend the path from one instant of contact to the next."""
        if point_W is not None and self._touched_W is not None:
            self._path.extend(marker_shapes.points((self._touched_W, point_W)))
        self._touched_W = point_W

    def _contact(self, touch):
        if isinstance(self._floor, HiddenFloor):
            normal = floor_mesh.normal_near(self.sheet, touch.point_W, self._up_W)
        else:
            assert self._floor is not None, 'change has set it'
            _, normal = floors.gap_and_normal(self._floor, touch.time, touch.point_W)
        if self._force_scale is None:  # no gravity to compare with
            self._force_scale = FORCE_LENGTH * self._reach / np.linalg.norm(touch.force_W)
        width = WIDTH * self._reach
        force = self._force_scale * touch.force_W
        length, longest = np.linalg.norm(force), MOST_WEIGHTS * FORCE_LENGTH * self._reach
        if length > longest:
            force *= longest / length
        return [
            marker_shapes.ball(
                'contact_point', touch.point_W, POINT_SIZE * self._reach, POINT_COLOR
            ),
            marker_shapes.arrow(
                'contact_normal', touch.point_W, NORMAL_LENGTH * self._reach * normal,
                NORMAL_COLOR, width,
            ),
            marker_shapes.arrow(
                'contact_force', touch.point_W, force, FORCE_COLOR, 1.5 * width
            ),
        ]  # fmt: skip

    def _floor_at(self, touch):
        """Return the light and dark faces near the body, made anew only when they differ."""
        if isinstance(self._floor, HiddenFloor):
            return self._given_floor(touch)
        assert self._floor is not None, 'change has set it'
        tile = TILE * self._reach
        near_W = tile * np.round(touch.position_W / tile)
        key = (
            id(self._floor),
            tuple(near_W),
            touch.time if self._floor.moves() else None,
        )
        if key != self._floor_key:
            fixed = not floor_mesh.is_plane(self._floor) or self._floor.spin
            cover_W = np.array((near_W, self._first_W) if fixed else (near_W,))
            margin = MARGIN * self._reach
            widest = np.ptp(cover_W, axis=0).max() + 2.0 * margin
            tile = max(tile, widest / MOST_TILES)
            piece = floor_mesh.Piece(cover_W, margin, tile, self._up_W)
            self._floor_key = key
            self._floor_markers = self._faces(self._floor, touch.time, piece)
        return self._floor_markers

    def _given_floor(self, touch):
        """Return the faces of the floor that was heard, which only the simulator can compute."""
        if self.sheet is None:
            return self._no_floor()
        if self._floor_key is not self.sheet:
            piece = floor_mesh.Piece(touch.position_W[np.newaxis], np.inf, 0.0, self._up_W)
            self._floor_key = self.sheet
            self._floor_markers = self._faces(self.sheet, touch.time, piece)
        return self._floor_markers

    def _faces(self, floor, time, piece):
        try:
            made = floor_mesh.floor_mesh(floor, time, piece)
        except ValueError:  # too far away
            return self._no_floor()
        return [
            marker_shapes.faces('floor', made.corners[made.light], LIGHT_FLOOR),
            marker_shapes.faces('floor', made.corners[~made.light], DARK_FLOOR),
        ]

    def _no_floor(self):
        return [marker_shapes.absent('floor', Marker.TRIANGLE_LIST) for _ in range(2)]


def _nothing():
    return [
        marker_shapes.absent('contact_point', Marker.SPHERE),
        marker_shapes.absent('contact_normal', Marker.ARROW),
        marker_shapes.absent('contact_force', Marker.ARROW),
    ]
