# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Markers of a contact: the floor, the contact point with its path, the normal and the force."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from visualization_msgs.msg import Marker

from spacecraft_attitude_sim.configuration.untrusted_scenario import HiddenFloor
from spacecraft_attitude_sim.core.contact import floors
from spacecraft_attitude_sim.drawing import colors, floor_mesh, meshes
from spacecraft_attitude_sim.nodes.markers import marker_shapes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from geometry_msgs.msg import Point

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Vector3
    from spacecraft_attitude_sim.recording.floor_sheet import Sheet

DARK_FLOOR, LIGHT_FLOOR = map(colors.rgba, colors.FLOOR_IN_RVIZ)
POINT_COLOR = colors.on_dark(colors.CONTACT_POINT)
NORMAL_COLOR = colors.on_dark(colors.CONTACT_NORMAL)
FORCE_COLOR = colors.on_dark(colors.CONTACT_FORCE)
PATH_COLOR = colors.on_dark(colors.CONTACT_PATH)
# Sizes in reaches of the body.
MARGIN, TILE = 5.0, 1.25
# Long enough to leave the body on the other side.
NORMAL_LENGTH, FORCE_LENGTH = 2.2, 2.5
WIDTH, PATH_WIDTH, POINT_SIZE = 0.04, 0.02, 0.12
# Height of the path above the floor, and the largest distance between a flat face and the curved
# floor that it approximates.
PATH_ABOVE, DEEPEST = 0.03, 0.5
# The force of the longest arrow, in body weights; an impact may reach a hundred of them.
MOST_WEIGHTS = 2.0
# Most tiles in a row of a floor that begins at the initial position.
MOST_TILES = 32


class ContactSample(NamedTuple):
    """The received state of a body on a floor at one instant.

    position_W: (3,) of the centre of mass [m];  point_W: (3,) point of the body nearest the floor
    [m];  force_W: (3,) contact force on the body [N], zero in flight
    time: since the start or the last reset [s]
    """

    position_W: np.ndarray
    point_W: np.ndarray
    force_W: np.ndarray
    time: float


class ContactMarkers:
    """Draws the floor of a Scenario, which can change, and the path of the contact point.

    reach: of the body [m];  path_length: most points kept of the path
    sheet: latest floor_sheet.Sheet of a floor that is given as a function, or None
    """

    def __init__(self, found: Scenario, reach: float, path_length: int) -> None:
        self._reach = reach
        self._first_W = found.initial.position_W
        self._path: deque[Point] = deque(maxlen=path_length)
        self._touched_W: Vector3 | None = None
        self._floor: floors.Floor | None = None
        self._floor_key: Any = None
        self._floor_markers: Sequence[Marker] = ()
        self._corners = np.zeros((0, 4, 3))
        self.sheet: Sheet | None = None
        self.change(found)

    def lift(self) -> None:
        """Interrupt the path, because a reset moved the body."""
        self._touched_W = None

    def change(self, found: Scenario) -> None:
        """Draw the floor of this Scenario from now on."""
        assert found.plant.contact is not None, 'drawn only where there is one'
        floor = found.plant.contact.floor
        if floor is self._floor:
            return
        self._floor = floor
        self._up_W = floor_mesh.upwards(found.plant.gravity_W)
        weight = found.plant.body.mass * np.linalg.norm(found.plant.gravity_W)
        self._force_scale = FORCE_LENGTH * self._reach / weight if weight else None

    def markers(self, sample: ContactSample) -> list[Marker]:
        """Return the markers of a ContactSample: always the same number, in the same order."""
        touching, floor = bool(np.any(sample.force_W)), self._floor_at(sample)
        self._follow(self._above_faces(sample.point_W) if touching else None)
        return [
            *floor,
            marker_shapes.line(
                'contact_path', Marker.LINE_LIST, self._path, PATH_COLOR, PATH_WIDTH * self._reach
            ),
            *(self._contact(sample) if touching else _nothing()),
        ]

    def _follow(self, point_W: Vector3 | None) -> None:
        """Append the contact point (3,) to the path."""
        if point_W is not None and self._touched_W is not None:
            self._path.extend(marker_shapes.points((self._touched_W, point_W)))
        self._touched_W = point_W

    def _above_faces(self, point_W: Vector3) -> Vector3:
        """Return the point (3,) of the path that is just above the drawn face at a floor point."""
        above, up_W, sunk = PATH_ABOVE * self._reach, self._up_W, 0.0
        if len(self._corners):
            middles_W = self._corners.mean(axis=1)
            nearest = np.argmin(np.sum((middles_W - point_W) ** 2, axis=1))
            (normal,) = meshes.normals_of(self._corners[nearest : nearest + 1])
            up_W = normal if normal @ self._up_W > 0.0 else -normal
            depth = float((middles_W[nearest] - point_W) @ up_W)
            sunk = min(max(depth, 0.0), DEEPEST * self._reach)
        return point_W + (above + sunk) * up_W

    def _contact(self, sample: ContactSample) -> list[Marker]:
        if isinstance(self._floor, HiddenFloor):
            normal = floor_mesh.normal_near(self.sheet, sample.point_W, self._up_W)
        else:
            assert self._floor is not None, 'change has set it'
            _, normal = floors.gap_and_normal(self._floor, sample.time, sample.point_W)
        if self._force_scale is None:  # no weight as a scale
            self._force_scale = FORCE_LENGTH * self._reach / np.linalg.norm(sample.force_W)
        width = WIDTH * self._reach
        force = self._force_scale * sample.force_W
        length, longest = np.linalg.norm(force), MOST_WEIGHTS * FORCE_LENGTH * self._reach
        if length > longest:
            force *= longest / length
        return [
            marker_shapes.ball(
                'contact_point', sample.point_W, POINT_SIZE * self._reach, POINT_COLOR
            ),
            marker_shapes.arrow(
                'contact_normal', sample.point_W, NORMAL_LENGTH * self._reach * normal,
                NORMAL_COLOR, width,
            ),
            marker_shapes.arrow(
                'contact_force', sample.point_W, force, FORCE_COLOR, 1.5 * width
            ),
        ]  # fmt: skip

    def _floor_at(self, sample: ContactSample) -> Sequence[Marker]:
        """Return the light and dark faces near the body, recomputed only if they change."""
        if isinstance(self._floor, HiddenFloor):
            return self._given_floor(sample)
        assert self._floor is not None, 'change has set it'
        tile = TILE * self._reach
        near_W = tile * np.round(sample.position_W / tile)
        key = (id(self._floor), tuple(near_W), sample.time if self._floor.moves() else None)
        if key != self._floor_key:
            fixed = not floor_mesh.is_plane(self._floor) or self._floor.spin
            cover_W = np.array((near_W, self._first_W) if fixed else (near_W,))
            margin = MARGIN * self._reach
            widest = np.ptp(cover_W, axis=0).max() + 2.0 * margin
            tile = max(tile, widest / MOST_TILES)
            piece = floor_mesh.Piece(cover_W, margin, tile, self._up_W)
            self._floor_key = key
            self._floor_markers = self._faces(self._floor, sample.time, piece)
        return self._floor_markers

    def _given_floor(self, sample: ContactSample) -> Sequence[Marker]:
        """Return the faces of the latest sheet; only the simulator can evaluate this floor."""
        if self.sheet is None:
            return self._no_floor()
        if self._floor_key is not self.sheet:
            piece = floor_mesh.Piece(sample.position_W[np.newaxis], np.inf, 0.0, self._up_W)
            self._floor_key = self.sheet
            self._floor_markers = self._faces(self.sheet, sample.time, piece)
        return self._floor_markers

    def _faces(
        self, floor: floors.Floor | Sheet, time: float, piece: floor_mesh.Piece
    ) -> list[Marker]:
        try:
            made = floor_mesh.floor_mesh(floor, time, piece)
        except ValueError:  # too far away
            return self._no_floor()
        self._corners = made.corners
        return [
            marker_shapes.faces('floor', made.corners[made.light], LIGHT_FLOOR),
            marker_shapes.faces('floor', made.corners[~made.light], DARK_FLOOR),
        ]

    def _no_floor(self) -> list[Marker]:
        self._corners = np.zeros((0, 4, 3))
        return [marker_shapes.absent('floor', Marker.TRIANGLE_LIST) for _ in range(2)]


def _nothing() -> list[Marker]:
    return [
        marker_shapes.absent('contact_point', Marker.SPHERE),
        marker_shapes.absent('contact_normal', Marker.ARROW),
        marker_shapes.absent('contact_force', Marker.ARROW),
    ]
