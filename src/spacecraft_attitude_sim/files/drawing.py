# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies as meshes, and their picture under an attitude: orthographic, shaded, far faces first."""

from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core import rotations

SEGMENTS = 32
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
_LIGHT = np.array((0.25, 0.55, 0.8)) / np.linalg.norm((0.25, 0.55, 0.8))


class Mesh(NamedTuple):
    """Four-cornered faces, counterclockwise from outside.

    corners: (n, 4, 3) [m], body axes;  normals: (n, 3), body axes;  colors: (n, 4)
    """

    corners: np.ndarray
    normals: np.ndarray
    colors: np.ndarray


def mesh(parts):
    """Return the Mesh of primitives placed from the centre of mass in body axes."""
    corners, colors = [], []
    for part in parts:
        C = rotations.dcm_from_quaternion(part.orientation)
        faces = _unit_faces(part.shape) * _scale(part)
        corners.append(faces @ C.T + np.array(part.position))
        colors.append(np.tile(part.color, (len(faces), 1)))
    corners = np.concatenate(corners)
    normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Mesh(corners, normals, np.concatenate(colors))


def picture(body_mesh, q_WB):
    """Return polygons (k, 4, 2) and their colours (k, 4) of the faces seen, far ones first."""
    C = CAMERA @ rotations.dcm_from_quaternion(q_WB)
    normals = body_mesh.normals @ C.T
    seen = normals[:, 2] > 0.0
    corners = body_mesh.corners[seen] @ C.T
    order = np.argsort(corners[:, :, 2].mean(axis=1))
    brightness = 0.35 + 0.65 * np.clip(normals[seen] @ _LIGHT, 0.0, 1.0)
    colors = body_mesh.colors[seen].copy()
    colors[:, :3] *= brightness[:, np.newaxis]
    return corners[order][:, :, :2], colors[order]


def on_screen(points_W):
    """Return world points (n, 3) as screen points (n, 2)."""
    return np.asarray(points_W) @ CAMERA[:2].T


def _scale(part):
    if part.shape == 'cylinder':
        return np.array((part.size[0], part.size[0], part.size[1] / 2.0))
    if part.shape == 'box':
        return np.array(part.size) / 2.0
    return np.array(part.size * 3 if part.shape == 'sphere' else part.size)


def _unit_faces(shape):
    """Return the faces (n, 4, 3) of a shape that just fits the cube from -1 to 1."""
    if shape == 'box':
        square = np.array(((1, -1, -1), (1, 1, -1), (1, 1, 1), (1, -1, 1)), dtype=float)
        turns = [np.roll(square, shift, axis=1) for shift in range(3)]
        return _subdivided(np.array(turns + [-turn[::-1] for turn in turns]))
    angles = np.linspace(0.0, 2.0 * np.pi, SEGMENTS + 1)
    if shape == 'cylinder':
        heights = np.linspace(-1.0, 1.0, 9)
        rings = [(np.array((1.0, z)),) for z in heights]
        outline = np.array([(0.0, -1.0), *[ring[0] for ring in rings], (0.0, 1.0)])
    else:
        latitudes = np.linspace(-np.pi / 2.0, np.pi / 2.0, SEGMENTS // 2 + 1)
        outline = np.stack((np.cos(latitudes), np.sin(latitudes)), axis=1)
    return _revolved(outline, angles)


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
