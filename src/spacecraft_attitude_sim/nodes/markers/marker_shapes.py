# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Single markers that RViz accepts: unit quaternions, positive scales, finite numbers.

A marker without content becomes a DELETE, because RViz rejects, for example, a line of one point.
So does a marker that is too far away to draw.
"""

from __future__ import annotations

import functools
import math
import unicodedata
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from geometry_msgs.msg import Pose, Quaternion, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing.rviz import view_axes
from spacecraft_attitude_sim.nodes.ros import conversions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from geometry_msgs.msg import Point

    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, VectorLike

# Arrows of this length or shorter are deleted [m].
SHORTEST_ARROW = 1e-9
# Width of a space and distance between lines of text, in text heights.
SPACE, LINE = 0.5, 1.3
# What RViz shows for signs that it cannot draw.
SIGNS = str.maketrans({'°': ' deg', '−': '-', '–': '-', '—': '-', '×': 'x', '·': '*'})
# Half the width of a letter, and half the height of those in `omega`, in text heights.
HALF_LETTER, HALF_HEIGHT = 0.3, 0.4
# Sine of the angle to the line of sight below which an arrow is seen as a point.
END_ON = 0.02
# Limit of every coordinate [m] and of every received number.
LARGEST = 1e12


def drawable(numbers: VectorLike) -> bool:
    """Return whether all numbers are finite and small enough to draw."""
    return bool(np.all(np.abs(numbers) < LARGEST))  # False for NaN


class Trail:
    """The latest points of a path, at least `step` apart.

    length: most points kept;  step: [m]
    """

    def __init__(self, length: int, step: float) -> None:
        self.points: deque[Point] = deque(maxlen=length)
        self._step = step
        self._kept: Array | None = None
        self._passing = False
        self.clear()

    def add(self, point_W: Vector3) -> None:
        """Append a point (3,) [m]; it is drawn until the next one, even if it is not kept."""
        if not drawable(point_W):
            return
        if self._passing and self.points:
            self.points.pop()
        kept = self._kept
        self._passing = kept is not None and math.hypot(*(point_W - kept)) < self._step
        if not self._passing:
            self._kept = point_W
        self.points.append(conversions.point_to_ros(point_W))

    def clear(self) -> None:
        """Clear the path."""
        self.points.clear()
        self._kept, self._passing = None, False


def marker(namespace: str, kind: int, color: VectorLike) -> Marker:
    """Return a Marker of type `kind` at the origin of its frame.

    color: (4,) red, green, blue, alpha, each 0 to 1

    Its pose and scale are shared with other markers: replace them, do not modify them.
    """
    model, made = _marker(namespace, kind, tuple(map(float, color))), object.__new__(Marker)
    for field in Marker.__slots__:
        setattr(made, field, getattr(model, field))
    return made


@functools.lru_cache(maxsize=256)
def _marker(namespace: str, kind: int, color: tuple[float, ...]) -> Marker:
    """Return a template Marker; copying its fields is ten times as fast as making a new one."""
    red, green, blue, alpha = color
    return Marker(
        ns=namespace,
        type=kind,
        color=ColorRGBA(r=red, g=green, b=blue, a=alpha),
        pose=Pose(orientation=Quaternion(w=1.0)),
        scale=Vector3(x=1.0, y=1.0, z=1.0),
    )


def absent(namespace: str, kind: int) -> Marker:
    """Return a Marker that deletes the marker with the same namespace and id."""
    made = marker(namespace, kind, (0.0, 0.0, 0.0, 1.0))
    made.action = Marker.DELETE
    return made


def arrow(
    namespace: str, start_W: VectorLike, vector_W: VectorLike, color: VectorLike, width: float
) -> Marker:
    """Return an arrow from start_W (3,) [m] along vector_W (3,) [m]; width: of its shaft [m]."""
    shown = SHORTEST_ARROW < math.hypot(*vector_W) < LARGEST
    if not (shown and drawable(start_W)):
        return absent(namespace, Marker.ARROW)
    made = marker(namespace, Marker.ARROW, color)
    made.points = points((start_W, np.add(start_W, vector_W)))
    made.scale = Vector3(x=width, y=3.0 * width, z=6.0 * width)
    return made


def line(
    namespace: str, kind: int, line_points: Sequence[Point], color: VectorLike, width: float
) -> Marker:
    """Return a LINE_STRIP or LINE_LIST through geometry_msgs Points; width: [m]."""
    if len(line_points) < 2:
        return absent(namespace, kind)
    made = marker(namespace, kind, color)
    made.points = list(line_points)
    made.scale = Vector3(x=width, y=1.0, z=1.0)
    return made


def ball(namespace: str, center_W: VectorLike, diameter: float, color: VectorLike) -> Marker:
    """Return a sphere about center_W (3,) [m]; diameter: [m]."""
    if not drawable(center_W):
        return absent(namespace, Marker.SPHERE)
    made = marker(namespace, Marker.SPHERE, color)
    made.pose = conversions.pose_to_ros(center_W, rotations.IDENTITY)
    made.scale = Vector3(x=diameter, y=diameter, z=diameter)
    return made


def text(
    namespace: str, words: str, place_W: VectorLike, height: float, color: VectorLike
) -> Marker:
    """Return one line of text that always faces the camera, centred on place_W (3,) [m].

    height: of a line [m];  words: the text; RViz can draw only ASCII, so a Greek letter is spelt
        out, an accent is left out, and other characters become question marks
    """
    if not (words and drawable(place_W)):
        return absent(namespace, Marker.TEXT_VIEW_FACING)
    made = marker(namespace, Marker.TEXT_VIEW_FACING, color)
    made.text = words if words.isascii() else _spelt_out(words)
    made.pose = conversions.pose_to_ros(place_W, rotations.IDENTITY)
    # Since 2024 RViz uses x as the width of a space [m].
    made.scale = Vector3(x=SPACE * height, y=1.0, z=height)
    return made


@functools.lru_cache(maxsize=256)
def _spelt_out(words: str) -> str:
    """Return a text in ASCII."""
    plain = ''.join(map(_letter, words.translate(SIGNS)))
    return plain.encode('ascii', 'replace').decode('ascii')


def _letter(letter: str) -> str:
    """Return the name of a Greek letter, and another one without its accents."""
    kind, _, name = unicodedata.name(letter, '').partition(' LETTER ')
    if kind.startswith('GREEK') and name:
        name = name.split()[0]
        return name.title() if 'CAPITAL' in kind else name.lower()
    parts = unicodedata.normalize('NFKD', letter)
    return ''.join(part for part in parts if not unicodedata.combining(part))


class Sight(NamedTuple):
    """From where RViz looks at a body in one of config/*.rviz.

    right_W, up_W: (3,) unit vectors in the picture;  eye_W: (3,) from the body to the eye
    """

    right_W: np.ndarray
    up_W: np.ndarray
    eye_W: np.ndarray

    @classmethod
    def of(cls, yaw: float, pitch: float, distance: float) -> Sight:
        """Return the Sight of a view of RViz with these angles [rad] and this distance."""
        toward_W, right_W, up_W = view_axes(yaw, pitch)
        return cls(right_W, up_W, distance * toward_W)

    def beside(self, words: str, arrow_W: Vector3, height: float, gap: float) -> Vector3:
        """Return where, from the tip of an arrow at the body, a text is beside it (3,).

        arrow_W: (3,);  height: of the text;  gap: from the middle of the arrow to the text
        All are in the unit of the distance. The text is above an arrow to the right, and left of
        an arrow upwards.
        """
        sight_W = self.eye_W - arrow_W
        side_W = np.cross(sight_W, arrow_W)
        size = math.hypot(*side_W)
        seen = size > END_ON * math.hypot(*sight_W) * math.hypot(*arrow_W)
        side_W = side_W / size if seen else self.up_W
        half = HALF_LETTER * len(words) * abs(side_W @ self.right_W)
        half += HALF_HEIGHT * abs(side_W @ self.up_W)
        return (gap + half * height) * side_W


def lines_of_text(
    namespace: str,
    lines: Iterable[str],
    top_W: Vector3,
    down_W: Vector3,
    height: float,
    color: VectorLike,
) -> list[Marker]:
    """Return one marker per line of text, below each other; RViz's own lines are 1 cm apart.

    lines: list of texts;  top_W: (3,) middle of the first [m];  down_W: (3,) unit vector
    height, color: as of `text`
    """
    return [
        text(namespace, words, top_W + number * LINE * height * down_W, height, color)
        for number, words in enumerate(lines)
    ]


def faces(namespace: str, corners: Array, color: VectorLike) -> Marker:
    """Return quadrilateral faces (n, 4, 3) [m] as a TRIANGLE_LIST of one colour (4,)."""
    if not drawable(corners):
        return absent(namespace, Marker.TRIANGLE_LIST)
    triangles = corners[:, (0, 1, 2, 0, 2, 3)].reshape(-1, 3, 3)
    area = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    triangles = triangles[np.any(area, axis=1)]  # at a pole a face is a triangle
    if not len(triangles):
        return absent(namespace, Marker.TRIANGLE_LIST)
    made = marker(namespace, Marker.TRIANGLE_LIST, color)
    made.points = points(triangles.reshape(-1, 3))
    return made


def points(vectors: Iterable[VectorLike]) -> list[Point]:
    """Return vectors (3,) as a list of geometry_msgs Points."""
    return [conversions.point_to_ros(vector) for vector in vectors]
