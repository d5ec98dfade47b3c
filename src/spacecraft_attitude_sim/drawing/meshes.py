# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies as meshes, and their orthographic projection with culled, shaded and sorted faces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacecraft_attitude_sim.core.body.primitives import HALF_CENTER, Primitive
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3, Vectors3
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody

SEGMENTS = 32
# Segments of round markers, which are published at every tick.
COARSE = 16
# Brightness factor of dark chequers and stripes, which show the rotation of a round body.
DARKER = 0.55
# Number of dark sectors of a disc: one wedge, which shows its angle.
SECTORS, DARK_SECTORS = 8, 3
# Rows: unit vectors to the right, up and towards the viewer, in world axes.
_AZIMUTH, _ELEVATION = np.radians(35.0), np.radians(25.0)
CAMERA = np.array(
    (
        (-np.sin(_AZIMUTH), np.cos(_AZIMUTH), 0.0),
        (
            -np.sin(_ELEVATION) * np.cos(_AZIMUTH),
            -np.sin(_ELEVATION) * np.sin(_AZIMUTH),
            np.cos(_ELEVATION),
        ),
        (
            np.cos(_ELEVATION) * np.cos(_AZIMUTH),
            np.cos(_ELEVATION) * np.sin(_AZIMUTH),
            np.sin(_ELEVATION),
        ),
    )
)
# Half lengths of the principal axes in reaches of the body: for a radius of gyration of 0 and for
# the largest one.
AXIS_SHORTEST, AXIS_LONGEST = 1.15, 1.5
_LIGHT = np.array((0.25, 0.55, 0.8)) / np.linalg.norm((0.25, 0.55, 0.8))
# Brightness of a horizontal face.
LEVEL = 0.35 + 0.65 * float(CAMERA[:, 2] @ _LIGHT)


class Mesh(NamedTuple):
    """Quadrilateral faces, counterclockwise seen from outside.

    corners: (n, 4, 3) [m], body axes;  normals: (n, 3) unit vectors, body axes;  colors: (n, 4)
    """

    corners: np.ndarray
    normals: np.ndarray
    colors: np.ndarray


class Faces(NamedTuple):
    """Quadrilateral faces, counterclockwise seen from outside.

    corners: (n, 4, 3) [m], body axes from the centre of mass
    colors: (n, 4) red, green, blue, alpha, each 0 to 1
    """

    corners: np.ndarray
    colors: np.ndarray


@dataclass(frozen=True)
class Shell:
    """A surface or mesh to draw on a body.

    faces: Faces;  color: (4,);  file: absolute path of a user's mesh, or '' for a surface
    position: (3,) of the origin of that file from the centre of mass [m]
    scale: metres per unit of the file
    """

    faces: Faces
    color: tuple
    file: str = ''
    position: tuple = (0.0, 0.0, 0.0)
    scale: float = 1.0

    def reach(self) -> float:
        """The distance of its farthest point from the centre of mass [m]."""
        return float(np.max(np.linalg.norm(self.faces.corners, axis=2)))


Part = Primitive | Shell


def faces_of(part: Part, segments: int = SEGMENTS) -> Faces:
    """Return the Faces of a Primitive, relative to the centre of mass, or of a Shell.

    segments: number of faces around the axis of a primitive
    """
    if isinstance(part, Shell):
        return part.faces
    C = rotations.dcm_from_quaternion(part.orientation)
    unit, dark = _unit_faces(part.shape, segments)
    corners = unit * _scale(part) @ C.T + np.array(part.position)
    return Faces(corners, chequered(part.color, dark))


def disc(
    radius: float, thickness: float, color: Sequence[float], segments: int = SEGMENTS
) -> Faces:
    """Return the Faces of a disc about z at the origin, with one dark wedge that begins at x.

    radius, thickness: [m];  color: (4,);  segments: number of faces around its axis
    """
    half = thickness / 2.0
    outline = [(r * radius, z) for z, steps in ((-half, (0, 0.5, 1)), (half, (1, 0.5, 0)))
               for r in steps]  # fmt: skip
    corners = _revolved(np.array(outline), np.linspace(0.0, 2.0 * np.pi, segments + 1))
    dark = np.tile(_bands(segments, SECTORS) < DARK_SECTORS, len(outline) - 1)
    return Faces(corners, chequered(color, dark))


def cone(radius: float, length: float, color: Sequence[float], segments: int = SEGMENTS) -> Faces:
    """Return the Faces of a cone about z, with its tip at the origin and its base at z = length.

    radius: of its base [m];  length: [m];  color: (4,);  segments: number of faces around its axis
    """
    outline = np.array([(0.0, 0.0), *((part * radius, part * length) for part in (0.5, 1.0)),
                        (0.0, length)])  # fmt: skip
    corners = _revolved(outline, np.linspace(0.0, 2.0 * np.pi, segments + 1))
    return Faces(corners, np.tile(np.asarray(color, dtype=float), (len(corners), 1)))


def ring(radius: float, width: float, color: Sequence[float], segments: int = SEGMENTS) -> Faces:
    """Return the Faces of a ring about z at the origin, with a square cross section.

    radius: of its centre line [m];  width: [m];  color: (4,);  segments: faces around its axis
    """
    half = width / 2.0
    square = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0))
    outline = np.array([(radius + r * half, z * half) for r, z in square])
    corners = _revolved(outline, np.linspace(0.0, 2.0 * np.pi, segments + 1))
    return Faces(corners, np.tile(np.asarray(color, dtype=float), (len(corners), 1)))


def chequered(color: Sequence[float], dark: NDArray[Any]) -> Array:
    """Return colours (n, 4): `color` (4,), darkened if `dark` (n,) is true."""
    colors = np.tile(np.asarray(color, dtype=float), (len(dark), 1))
    colors[dark, :3] *= DARKER
    return colors


def mesh(parts: Sequence[Part]) -> Mesh:
    """Return the Mesh of Primitives and Shells, from the centre of mass in body axes."""
    return mesh_of([faces_of(part) for part in parts])


def mesh_of(found: Sequence[Faces]) -> Mesh:
    """Return the Mesh of Faces."""
    corners = np.concatenate([faces.corners for faces in found])
    colors = np.concatenate([faces.colors for faces in found])
    return Mesh(corners, normals_of(corners), colors)


def reach(body_mesh: Mesh) -> float:
    """Return the distance of the farthest point of a Mesh from the origin [m]."""
    return float(np.max(np.linalg.norm(body_mesh.corners, axis=2)))


def joined(one: Mesh, other: Mesh) -> Mesh:
    """Return the Mesh with the faces of both."""
    return Mesh(*(np.concatenate(parts) for parts in zip(one, other, strict=True)))


def turned(body_mesh: Mesh, q: Quaternion, offset: Vector3) -> Mesh:
    """Return the Mesh rotated by q (4,), then moved by an offset (3,) [m]."""
    C = rotations.dcm_from_quaternion(q)
    corners = body_mesh.corners @ C.T + offset
    return Mesh(corners, body_mesh.normals @ C.T, body_mesh.colors)


def normals_of(corners: Array) -> Vectors3:
    """Return the unit normals (n, 3) of faces (n, 4, 3); zeros for a face without area."""
    normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)


def beside(normal: Vector3) -> Vector3:
    """Return a unit vector (3,) normal to another."""
    side = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    return side / np.linalg.norm(side)


def circle_across(normal: Vector3, angles: Array) -> Vectors3:
    """Return points (n, 3) at angles (n,) [rad] on the unit circle normal to a unit vector."""
    first = beside(normal)
    return np.outer(np.cos(angles), first) + np.outer(np.sin(angles), np.cross(normal, first))


def principal_axes(body: RigidBody, reach: float) -> Array:
    """Return the ends (3, 2, 3) [m] of lines along the principal axes of a RigidBody, body axes.

    They protrude from the body; their length grows with the radius of gyration about them.

    reach: distance of the body's farthest point from its centre of mass [m]
    """
    radii = body.radii_of_gyration
    lengths = AXIS_SHORTEST + (AXIS_LONGEST - AXIS_SHORTEST) * radii / np.max(radii)
    axes_B = rotations.dcm_from_quaternion(body.q_BP).T * (lengths[:, np.newaxis] * reach)
    return np.stack((-axes_B, axes_B), axis=1)


def picture(body_mesh: Mesh, q_WB: Quaternion) -> tuple[Array, Array]:
    """Return polygons (k, 4, 2) [m] and colours (k, 4) of the visible faces, from far to near."""
    C = CAMERA @ rotations.dcm_from_quaternion(q_WB)
    normals = body_mesh.normals @ C.T
    seen = normals[:, 2] > 0.0
    corners = body_mesh.corners[seen] @ C.T
    order = np.argsort(corners[:, :, 2].mean(axis=1))
    colors = body_mesh.colors[seen].copy()
    colors[:, :3] *= _brightness(normals[seen] @ _LIGHT)[:, np.newaxis]
    return corners[order][:, :, :2], colors[order]


def brightness(across_W: Array) -> Array:
    """Return the brightness (n,) of faces with normals (n, 3), world axes, of any length."""
    sizes = np.maximum(np.linalg.norm(across_W, axis=1), 1e-300)
    return _brightness(across_W @ CAMERA.T @ _LIGHT / sizes)


def _brightness(towards_light: Array) -> Array:
    return 0.35 + 0.65 * np.clip(towards_light, 0.0, 1.0)


def on_screen(points_W: Any) -> Array:
    """Project points (n, 3) in world axes to the screen: (n, 2) right and up [m]."""
    return np.asarray(points_W) @ CAMERA[:2].T


def _scale(part: Primitive) -> Array:
    if part.shape == 'cylinder':
        return np.array((part.size[0], part.size[0], part.size[1] / 2.0))
    if part.shape == 'box':
        return np.array(part.size) / 2.0
    return np.array(part.size * 3 if part.shape == 'sphere' else part.size)


def _unit_faces(shape: str, segments: int) -> tuple[Array, Array]:
    """Return the faces (n, 4, 3) of a shape with half-size 1, and whether they are dark (n,).

    A sphere has stripes, an ellipsoid chequers. The origin is the centre of mass.
    """
    if shape == 'box':
        square = np.array(((1, -1, -1), (1, 1, -1), (1, 1, 1), (1, -1, 1)), dtype=float)
        turns = [np.roll(square, shift, axis=1) for shift in range(3)]
        return _plain(_subdivided(np.array(turns + [-turn[::-1] for turn in turns])))
    angles = np.linspace(0.0, 2.0 * np.pi, segments + 1)
    if shape == 'cylinder':
        sides = [(1.0, z) for z in np.linspace(-1.0, 1.0, 9)]
        return _plain(_revolved(np.array([(0.0, -1.0), *sides, (0.0, 1.0)]), angles))
    whole = shape != 'half_ellipsoid'
    latitudes = np.linspace(-np.pi / 2.0, np.pi / 2.0 if whole else 0.0, segments // 2 + 1)
    outline = np.stack((np.cos(latitudes), np.sin(latitudes)), axis=1)
    if not whole:
        outline = np.concatenate((outline, [(0.5, 0.0), (0.0, 0.0)])) + (0.0, HALF_CENTER)
    rows = np.zeros(len(outline) - 1, int) if shape == 'sphere' else _bands(len(outline) - 1, 4)
    dark = np.add.outer(rows, _bands(segments, 8)) % 2 == 1
    return _revolved(outline, angles), dark.ravel()


def _plain(faces: Array) -> tuple[Array, Array]:
    return faces, np.zeros(len(faces), dtype=bool)


def _bands(count: int, bands: int) -> NDArray[np.int_]:
    """Return the index (count,) of the band, of `bands` equal ones, in which each row lies."""
    return np.arange(count) * bands // count


def _revolved(outline: Array, angles: Array) -> Array:
    """Return the faces of the solid of revolution about z of an outline (n, 2): (radius, z)."""
    ring = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    points = np.concatenate(
        (
            outline[:, np.newaxis, :1] * ring[np.newaxis],
            np.broadcast_to(outline[:, np.newaxis, 1:], (len(outline), len(ring), 1)),
        ),
        axis=2,
    )
    faces = np.stack((points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]), axis=2)
    return faces.reshape(-1, 4, 3)


def _subdivided(faces: Array, parts: int = 6) -> Array:
    """Divide each face into parts² faces that are small enough to sort by depth."""
    steps = np.linspace(0.0, 1.0, parts + 1)
    a, b, c, d = (faces[:, corner, np.newaxis, np.newaxis] for corner in range(4))
    u, v = steps[:, np.newaxis, np.newaxis], steps[np.newaxis, :, np.newaxis]
    grid = (1 - u) * (1 - v) * a + u * (1 - v) * b + u * v * c + (1 - u) * v * d
    cut = np.stack(
        (grid[:, :-1, :-1], grid[:, 1:, :-1], grid[:, 1:, 1:], grid[:, :-1, 1:]), axis=3
    )
    return cut.reshape(-1, 4, 3)
