# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies as meshes, and their picture under an attitude: orthographic, shaded, far faces first."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body.primitives import HALF_CENTER
from spacecraft_attitude_sim.core.mathematics import rotations

SEGMENTS = 32
# For markers, which are published again and again.
COARSE = 16
# The dark chequers and stripes that show how a round body turns.
DARKER = 0.55
# Looking from the front, right and above; rows: right, up, towards the viewer.
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
# Lines along principal axes, from their middle, in reaches of the body: of no moment, and of the
# largest.
AXIS_SHORTEST, AXIS_LONGEST = 1.15, 1.5
_LIGHT = np.array((0.25, 0.55, 0.8)) / np.linalg.norm((0.25, 0.55, 0.8))
# How bright a level face is.
LEVEL = 0.35 + 0.65 * float(CAMERA[:, 2] @ _LIGHT)


class Mesh(NamedTuple):
    """Four-cornered faces, counterclockwise from outside.

    corners: (n, 4, 3) [m], body axes;  normals: (n, 3), body axes;  colors: (n, 4)
    """

    corners: np.ndarray
    normals: np.ndarray
    colors: np.ndarray


class Faces(NamedTuple):
    """Four-cornered faces, counterclockwise from outside.

    corners: (n, 4, 3) [m], body axes from the centre of mass;  colors: (n, 4)
    """

    corners: np.ndarray
    colors: np.ndarray


@dataclass(frozen=True)
class Shell:
    """Something to draw on a body that is no primitive.

    faces: Faces;  color: (4,);  file: of a user's mesh, absolute, or '' for a surface
    position: (3,) of the origin of that file's axes from the centre of mass [m];  scale: of it
    """

    faces: Faces
    color: tuple
    file: str = ''
    position: tuple = (0.0, 0.0, 0.0)
    scale: float = 1.0

    def reach(self):
        """Return the distance [m] of its furthest point from the centre of mass."""
        return float(np.max(np.linalg.norm(self.faces.corners, axis=2)))


def faces_of(part, segments=SEGMENTS):
    """Return the Faces of a Primitive, placed from the centre of mass, or of a Shell.

    segments: faces round a primitive
    """
    if isinstance(part, Shell):
        return part.faces
    C = rotations.dcm_from_quaternion(part.orientation)
    unit, dark = _unit_faces(part.shape, segments)
    corners = unit * _scale(part) @ C.T + np.array(part.position)
    return Faces(corners, chequered(part.color, dark))


def chequered(color, dark):
    """Return colours (n, 4): `color`, darker where `dark` (n,) says so."""
    colors = np.tile(np.asarray(color, dtype=float), (len(dark), 1))
    colors[dark, :3] *= DARKER
    return colors


def mesh(parts):
    """Return the Mesh of parts placed from the centre of mass in body axes."""
    found = [faces_of(part) for part in parts]
    corners = np.concatenate([faces.corners for faces in found])
    colors = np.concatenate([faces.colors for faces in found])
    return Mesh(corners, normals_of(corners), colors)


def normals_of(corners):
    """Return the unit normals (n, 3) of faces (n, 4, 3); zeros of a face without area."""
    normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)


def principal_axes(body, reach):
    """Return the ends (3, 2, 3) [m] of a line along each principal axis of a RigidBody, body axes.

    They come out of the body, and are the longer the larger the radius of gyration about them.

    reach: how far the body extends from its centre of mass [m]
    """
    radii = body.radii_of_gyration
    lengths = AXIS_SHORTEST + (AXIS_LONGEST - AXIS_SHORTEST) * radii / np.max(radii)
    axes_B = rotations.dcm_from_quaternion(body.q_BP).T * (lengths[:, np.newaxis] * reach)
    return np.stack((-axes_B, axes_B), axis=1)


def picture(body_mesh, q_WB):
    """Return polygons (k, 4, 2) and their colours (k, 4) of the faces seen, far ones first."""
    C = CAMERA @ rotations.dcm_from_quaternion(q_WB)
    normals = body_mesh.normals @ C.T
    seen = normals[:, 2] > 0.0
    corners = body_mesh.corners[seen] @ C.T
    order = np.argsort(corners[:, :, 2].mean(axis=1))
    colors = body_mesh.colors[seen].copy()
    colors[:, :3] *= _brightness(normals[seen] @ _LIGHT)[:, np.newaxis]
    return corners[order][:, :, :2], colors[order]


def brightness(across_W):
    """Return how bright faces of these normals (n, 3), world axes, of any length, are (n,)."""
    sizes = np.maximum(np.linalg.norm(across_W, axis=1), 1e-300)
    return _brightness(across_W @ CAMERA.T @ _LIGHT / sizes)


def _brightness(towards_light):
    return 0.35 + 0.65 * np.clip(towards_light, 0.0, 1.0)


def on_screen(points_W):
    """Return world points (n, 3) as screen points (n, 2)."""
    return np.asarray(points_W) @ CAMERA[:2].T


def _scale(part):
    if part.shape == 'cylinder':
        return np.array((part.size[0], part.size[0], part.size[1] / 2.0))
    if part.shape == 'box':
        return np.array(part.size) / 2.0
    return np.array(part.size * 3 if part.shape == 'sphere' else part.size)


def _unit_faces(shape, segments):
    """Return the faces (n, 4, 3) of a shape of half-size 1, and which of them are dark (n,).

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


def _plain(faces):
    return faces, np.zeros(len(faces), dtype=bool)


def _bands(count, bands):
    """Return in which of so many equal bands each of `count` rows lies."""
    return np.arange(count) * bands // count


def _revolved(outline, angles):
    """Return the faces of an outline (n, 2) of (radius, z) turned about z."""
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


def _subdivided(faces, parts=6):
    """Return each face cut into parts², small enough to be sorted by depth."""
    steps = np.linspace(0.0, 1.0, parts + 1)
    a, b, c, d = (faces[:, corner, np.newaxis, np.newaxis] for corner in range(4))
    u, v = steps[:, np.newaxis, np.newaxis], steps[np.newaxis, :, np.newaxis]
    grid = (1 - u) * (1 - v) * a + u * (1 - v) * b + u * v * c + (1 - u) * v * d
    cut = np.stack(
        (grid[:, :-1, :-1], grid[:, 1:, :-1], grid[:, 1:, 1:], grid[:, :-1, 1:]), axis=3
    )
    return cut.reshape(-1, 4, 3)
