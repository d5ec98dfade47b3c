# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A piece of a floor as chequered faces; the chequers move with the floor's material.

On a floor given by a user's G(t, x) they are fixed in space, because only the velocity of its
material is known, not the displacement.
"""

from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from spacecraft_attitude_sim.core.contact import floors
from spacecraft_attitude_sim.core.contact.sheet import grid
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3
from spacecraft_attitude_sim.drawing import meshes
from spacecraft_attitude_sim.recording.floor_sheet import Sheet

SECTORS = 24
RINGS = 6
# A spherical floor is drawn up to this angle [rad] from the lowest point of a bowl or the highest
# point of a dome.
WIDEST_CAP = np.radians(80.0)
# Faces along one side of a tile of an implicit floor.
FINER = 2
# Most tiles in a row; a wider piece is not drawn.
MOST_TILES = 256
# Largest index of a tile; up to it, a double holds integers exactly.
FARTHEST_TILE = 2.0**52


class FloorMesh(NamedTuple):
    """Quadrilateral faces, counterclockwise seen from above.

    corners: (n, 4, 3) [m], world axes;  light: (n,) whether a face has the lighter colour
    """

    corners: np.ndarray
    light: np.ndarray


class Piece(NamedTuple):
    """The piece of a floor to draw.

    cover_W: (n, 3) points above it [m];  margin: distance to draw beyond them [m]
    tile: width of a chequer [m];  up_W: (3,) unit vector against gravity
    """

    cover_W: np.ndarray
    margin: float
    tile: float
    up_W: np.ndarray


def normal_near(sheet: Sheet | None, point_W: Vector3, up_W: Vector3) -> Vector3:
    """Return the unit normal (3,) of the face of a Sheet that is nearest to a point, or zeros.

    sheet: Sheet or None;  point_W: (3,) [m];  up_W: (3,) gives the side of the normal
    """
    corners = np.empty((0, 4, 3)) if sheet is None else _quads(sheet.points.astype(float))
    away = np.linalg.norm(corners.mean(axis=1) - point_W, axis=1)
    if not np.isfinite(away).any():
        return np.zeros(3)
    nearest = np.nanargmin(away)
    (normal,) = meshes.normals_of(corners[nearest : nearest + 1])
    return normal * np.sign(normal @ up_W)


def floor_mesh(floor: Any, time: float, piece: Piece) -> FloorMesh:
    """Return the FloorMesh of a piece of a floor of core.contact at a time [s], or of a Sheet.

    Raises ValueError for a piece with too many tiles, or too far away to number them.
    """
    if isinstance(floor, floors.SphericalFloor):
        return _cap(floor, time, piece)
    if isinstance(floor, Sheet):
        return _given_sheet(floor, piece)
    if floor.by_functions:
        return _height_field(floor, time, piece)
    return _turntable(floor, time, piece) if floor.spin else _plane(floor, time, piece)


def upwards(gravity_W: Vector3) -> Vector3:
    """Return the unit vector (3,) against gravity (3,) [m/s^2]; z without gravity."""
    size = np.linalg.norm(gravity_W)
    return -np.asarray(gravity_W) / size if size else np.array((0.0, 0.0, 1.0))


def tangents(normal: Vector3) -> tuple[Vector3, Vector3]:
    """Return two unit vectors normal to a unit vector (3,); the first is near x or near y."""
    nearest = np.eye(3)[1 if abs(normal[0]) > 0.9 else 0]
    first = nearest - (nearest @ normal) * normal
    first /= np.linalg.norm(first)
    return first, np.cross(normal, first)


def plane_at(floor: Any, time: float) -> tuple[Vector3, Vector3]:
    """Return the unit normal (3,) of a Plane and a point (3,) on it at a time [s]."""
    normal = np.array(floor.normal)
    return normal, np.array(floor.point) + floor.heave(time) * normal


def is_plane(floor: Any) -> TypeGuard[floors.Plane]:
    """Return whether a floor of core.contact is a plane."""
    return isinstance(floor, floors.Plane)


def _plane(floor: Any, time: float, piece: Piece) -> FloorMesh:
    normal, point = plane_at(floor, time)
    axes = np.array(tangents(normal))
    covered = (piece.cover_W - point) @ axes.T
    low, high = covered.min(axis=0) - piece.margin, covered.max(axis=0) + piece.margin
    moved = axes @ np.array(floor.conveyor) * time
    edges, numbers = zip(
        *(_edges(*one, piece.tile) for one in zip(low, high, moved, strict=True)), strict=True
    )
    u, v = np.meshgrid(*edges, indexing='ij')
    points = point + u[..., np.newaxis] * axes[0] + v[..., np.newaxis] * axes[1]
    light = np.add.outer(*numbers) % 2 == 0
    return FloorMesh(_quads(points), light.ravel())


def _edges(low: float, high: float, moved: float, tile: float) -> tuple[Array, NDArray[np.int_]]:
    """Return the edges [m] of the tiles between two limits, and the index of each tile."""
    first, last = np.floor((low - moved) / tile), np.ceil((high - moved) / tile)
    count = _tiles(last - first)
    if not max(abs(first), abs(last)) < FARTHEST_TILE:
        raise ValueError('a floor this far from where its tiles begin cannot be drawn')
    edges = np.clip(moved + tile * (first + np.arange(count + 1)), low, high)
    return edges, int(first) + np.arange(count)


def _tiles(count: float) -> int:
    """Return a number of tiles as an integer, at least 1; raise ValueError above MOST_TILES."""
    if not count <= MOST_TILES:  # also for NaN
        raise ValueError(f'a floor {count:.3g} tiles wide cannot be drawn, only {MOST_TILES}')
    return max(int(count), 1)


def _turntable(floor: Any, time: float, piece: Piece) -> FloorMesh:
    normal, point = plane_at(floor, time)
    # The instantaneous centre of rotation of a turntable on a conveyor.
    pivot = point + np.cross(normal, floor.conveyor) / floor.spin
    axes = np.array(tangents(normal))
    distance = np.linalg.norm((piece.cover_W - pivot) @ axes.T, axis=1).max()
    radii = np.linspace(0.0, distance + piece.margin, RINGS + 1)
    angles = np.linspace(0.0, 2.0 * np.pi, SECTORS + 1) + floor.spin * time
    around = np.cos(angles)[:, np.newaxis] * axes[0] + np.sin(angles)[:, np.newaxis] * axes[1]
    points = pivot + radii[:, np.newaxis, np.newaxis] * around
    return FloorMesh(_quads(points), _polar_chequers())


def _cap(floor: Any, time: float, piece: Piece) -> FloorMesh:
    """Return the cap of a bowl around its lowest point, or of a dome around its highest."""
    inside = isinstance(floor, floors.Bowl)
    center, rate = np.array(floor.center), np.array(floor.angular_velocity)
    pole = -piece.up_W if inside else piece.up_W
    towards = piece.cover_W - center
    along = towards @ pole / np.maximum(np.linalg.norm(towards, axis=1), 1e-300)
    width = np.arccos(np.clip(along, -1.0, 1.0)).max() + piece.margin / floor.radius
    # Counterclockwise, seen from the body.
    first, second = tangents(pole)
    axes = (second, first) if inside else (first, second)
    speed = float(np.linalg.norm(rate))
    about_pole = speed == 0.0 or abs(rate @ pole) > (1.0 - 1e-9) * speed
    turned = (-1.0 if inside else 1.0) * (rate @ pole) * time if about_pole else 0.0
    angles = np.linspace(0.0, 2.0 * np.pi, SECTORS + 1) + turned
    around = np.cos(angles)[:, np.newaxis] * axes[0] + np.sin(angles)[:, np.newaxis] * axes[1]
    polar = np.linspace(0.0, min(width, WIDEST_CAP), RINGS + 1)[:, np.newaxis, np.newaxis]
    corners = _quads(floor.radius * (np.cos(polar) * pole + np.sin(polar) * around))
    light = _polar_chequers()
    if not about_pole:
        turn = rotations.quaternion_from_axis_angle(rate / speed, -speed * time)
        material = corners.mean(axis=1) @ rotations.dcm_from_quaternion(turn).T
        light = np.floor(material / piece.tile).sum(axis=1) % 2 == 0
    return FloorMesh(center + corners, light)


def _height_field(floor: Any, time: float, piece: Piece) -> FloorMesh:
    """Return a grid with points moved along `up_W` onto G = 0 by Newton's method."""
    axes = axes_across(piece.up_W)
    covered = piece.cover_W @ axes.T
    low, high = covered.min(axis=0) - piece.margin, covered.max(axis=0) + piece.margin
    counts = [_tiles(count) for count in np.ceil((high - low)[:2] / piece.tile)]
    u, v = (np.linspace(low[i], high[i], counts[i] * FINER + 1) for i in (0, 1))
    points = grid(floor, time, u, v, covered[:, 2].mean(), axes)
    corners = _quads(points)
    light = np.add.outer(*(np.arange(count * FINER) // FINER for count in counts)) % 2 == 0
    found = np.isfinite(corners).all(axis=(1, 2))
    return FloorMesh(corners[found], light.ravel()[found])


def _given_sheet(sheet: Sheet, piece: Piece) -> FloorMesh:
    """Return the faces of a Sheet near a piece; the chequers are fixed in space."""
    corners = _quads(sheet.points.astype(float))
    axes = axes_across(piece.up_W)[:2]
    covered, across = piece.cover_W @ axes.T, corners.mean(axis=1) @ axes.T
    inside = (across > covered.min(axis=0) - piece.margin) & (
        across < covered.max(axis=0) + piece.margin
    )
    kept = np.isfinite(corners).all(axis=(1, 2)) & inside.all(axis=1)
    corners, across = corners[kept], across[kept]
    if not len(corners):
        return FloorMesh(corners, np.zeros(0, dtype=bool))
    width = np.median(np.ptp(corners @ axes[0], axis=1))
    if not width > 0.0:
        return FloorMesh(corners[:0], np.zeros(0, dtype=bool))
    numbers = np.floor(across / (FINER * width) + 1e-6)
    return FloorMesh(corners, numbers.sum(axis=1) % 2 == 0)


def axes_across(up_W: Vector3) -> Matrix3:
    """Return rows (3, 3): two unit vectors normal to a unit vector (3,), then that vector."""
    return np.array((*tangents(up_W), up_W))


def _polar_chequers() -> Array:
    return (np.add.outer(np.arange(RINGS), np.arange(SECTORS)) % 2 == 0).ravel()


def _quads(points: Array) -> Array:
    """Return the faces (n, 4, 3) of a grid of points (k, l, 3)."""
    faces = np.stack((points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]), axis=2)
    return faces.reshape(-1, 4, 3)
