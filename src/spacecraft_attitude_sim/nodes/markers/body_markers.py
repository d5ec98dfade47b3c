# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Markers of the body: primitives, surfaces and meshes; rings show how round ones turn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from visualization_msgs.msg import Marker

from spacecraft_attitude_sim.core.body.primitives import Primitive
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import colors, meshes
from spacecraft_attitude_sim.nodes.markers import marker_shapes
from spacecraft_attitude_sim.nodes.ros import conversions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.mathematics.types import (
        Quaternion,
        Vector3,
        VectorLike,
    )


SHAPES = {
    'box': Marker.CUBE,
    'cylinder': Marker.CYLINDER,
    'sphere': Marker.SPHERE,
    'ellipsoid': Marker.SPHERE,
}
RING_COLOR = colors.rgba(colors.BODY_RINGS)
RING_WIDTH = 0.02
RING_POINTS = 24
# Slightly outside the surface; at the same place, RViz would flicker between the two.
RING_RAISED = 1.004
# Width of the principal axes and diameter of the ball at the centre of mass, in reaches. The
# reach of a body is the distance of its farthest point from the centre of mass.
AXIS_COLOR = colors.rgba(colors.PRINCIPAL_AXES_ON_DARK)
AXIS_WIDTH, BALL_DIAMETER = 0.012, 0.08
# A marker with position (3,) and orientation q_BF (4,), in body axes.
Placed: TypeAlias = 'tuple[Marker, VectorLike, VectorLike]'


class BodyMarkers:
    """Markers of the parts of a body; each call of `at` moves the same markers.

    parts: Primitives and drawing.meshes.Shells, relative to the centre of mass in body axes
    body: RigidBody whose principal axes and centre of mass are also drawn; None for neither
    namespace: of the markers
    """

    def __init__(
        self, parts: Sequence[meshes.Part], body: RigidBody | None = None, namespace: str = 'body'
    ) -> None:
        self._placed = [placed for part in parts for placed in _made(part, namespace)]
        if body:
            reach = max(part.reach() for part in parts)
            self._placed += _mass_properties(body, reach)

    def at(self, position_W: Vector3, q_WB: Quaternion) -> list[Marker]:
        """Return the markers with the centre of mass at position_W (3,) [m] and q_WB (4,)."""
        for marker, offset_B, q_BF in self._placed:
            marker.pose = conversions.pose_to_ros(
                position_W + rotations.rotate(q_WB, offset_B), rotations.compose(q_WB, q_BF)
            )
        return [marker for marker, _, _ in self._placed]


def _made(part: meshes.Part, namespace: str) -> Iterator[Placed]:
    """Yield (marker, position (3,), orientation q_BF (4,)) of a part's markers, in body axes."""
    if not isinstance(part, Primitive):
        yield from _shell(part, namespace)
    elif part.shape in SHAPES:
        marker = marker_shapes.marker(namespace, SHAPES[part.shape], part.color)
        marker.scale = conversions.vector3_to_ros(_full_size(part))
        yield marker, part.position, part.orientation
        if SHAPES[part.shape] == Marker.SPHERE:
            yield _rings(_full_size(part) / 2.0, namespace), part.position, part.orientation
    else:
        yield from _faces(meshes.faces_of(part, meshes.COARSE), namespace)


def _shell(shell: meshes.Shell, namespace: str) -> Iterator[Placed]:
    if not shell.file:
        yield from _faces(meshes.faces_of(shell), namespace)
        return
    marker = marker_shapes.marker(namespace, Marker.MESH_RESOURCE, shell.color)
    marker.mesh_resource = Path(shell.file).as_uri()
    marker.scale = conversions.vector3_to_ros(3 * (shell.scale,))
    yield marker, shell.position, rotations.IDENTITY


def _faces(faces: meshes.Faces, namespace: str) -> Iterator[Placed]:
    """Yield a marker for each colour of drawing.meshes.Faces."""
    for color in np.unique(faces.colors, axis=0):
        chosen = np.all(faces.colors == color, axis=1)
        yield (
            marker_shapes.faces(namespace, faces.corners[chosen], color),
            (0.0, 0.0, 0.0),
            rotations.IDENTITY,
        )


def _rings(semi_axes: Vector3, namespace: str) -> Marker:
    """Return lines on an ellipsoid: three principal sections and two circles of latitude."""
    angle = np.linspace(0.0, 2.0 * np.pi, RING_POINTS + 1)
    cosine, sine, zero = np.cos(angle), np.sin(angle), np.zeros(RING_POINTS + 1)
    half, slim = np.full(RING_POINTS + 1, 0.5), np.sqrt(0.75)
    circles = (
        (cosine, sine, zero), (zero, cosine, sine), (sine, zero, cosine),
        (slim * cosine, slim * sine, half), (slim * cosine, slim * sine, -half),
    )  # fmt: skip
    pairs = [
        np.stack((np.stack(circle, 1)[:-1], np.stack(circle, 1)[1:]), 1) for circle in circles
    ]
    lines = np.concatenate(pairs).reshape(-1, 3) * semi_axes * RING_RAISED
    return marker_shapes.line(
        f'{namespace}_rings', Marker.LINE_LIST, marker_shapes.points(lines), RING_COLOR,
        float(RING_WIDTH * max(semi_axes)),
    )  # fmt: skip


def _mass_properties(body: RigidBody, reach: float) -> Iterator[Placed]:
    """Yield (marker, position, orientation) of the principal axes and of the centre of mass."""
    ends = marker_shapes.points(meshes.principal_axes(body, reach).reshape(-1, 3))
    lines = marker_shapes.line(
        'principal_axes', Marker.LINE_LIST, ends, AXIS_COLOR, AXIS_WIDTH * reach
    )
    yield lines, np.zeros(3), rotations.IDENTITY
    ball = marker_shapes.ball('center_of_mass', np.zeros(3), BALL_DIAMETER * reach, AXIS_COLOR)
    yield ball, body.center_B, rotations.IDENTITY


def _full_size(part: Primitive) -> Vector3:
    """Return the edge lengths (3,) [m] of a primitive's bounding box, a Marker's scale."""
    if part.shape == 'cylinder':
        radius, length = part.size
        return np.array((2.0 * radius, 2.0 * radius, length))
    if part.shape == 'box':
        return np.array(part.size)
    return 2.0 * np.array(part.size * 3 if part.shape == 'sphere' else part.size)
