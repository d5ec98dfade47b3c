# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The floor of a scenario: a plane with a grid, a bowl or a dome, and its motion.

A floor given by a function arrives as a sheet of points that the simulator has sampled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import rerun as rr

from spacecraft_attitude_sim.configuration.untrusted_scenario import HiddenFloor
from spacecraft_attitude_sim.core.body.primitives import Primitive
from spacecraft_attitude_sim.core.contact import floors
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import floor_mesh, meshes
from spacecraft_attitude_sim.viewer import colors
from spacecraft_attitude_sim.viewer.samples import seconds_of

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3
    from spacecraft_attitude_sim.recording.floor_sheet import Sheet
    from spacecraft_attitude_sim.viewer.samples import Stamps


# Half width of a plane and distance of its grid lines, in reaches of the body.
HALF_WIDTH, SPACING = 24, 1.0
Z = np.array((0.0, 0.0, 1.0))


def archetypes(floor: floors.Floor | None, reach: float) -> dict[str, rr.AsComponents]:
    """Return {name: Rerun archetype} of a floor of core.contact.floors; reach: of the body [m]."""
    if isinstance(floor, HiddenFloor):
        return {}
    if isinstance(floor, floors.Plane):
        lines = _grid(HALF_WIDTH, SPACING * reach)
        edge = HALF_WIDTH * SPACING * reach
        corners = edge * np.array(((-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)))
        plane = rr.Mesh3D(
            vertex_positions=corners - 2e-3 * reach * Z,
            triangle_indices=((0, 1, 2), (0, 2, 3)),
            albedo_factor=(*colors.PLANE, 255),
        )
        grid = rr.LineStrips3D(list(lines), colors=colors.FAMILY, radii=0.006 * reach)
        return {'plane': plane, 'grid': grid}
    if isinstance(floor, floors.SphericalFloor):
        return {'surface': _cap(floor)}
    return {}


def of_sheet(sheet: Sheet, up_W: Vector3) -> meshes.Mesh:
    """Return the meshes.Mesh of a floor_sheet.Sheet, chequered, with normals for shading.

    up_W: (3,) unit vector against gravity
    """
    piece = floor_mesh.Piece(np.zeros((1, 3)), np.inf, 0.0, up_W)
    made = floor_mesh.floor_mesh(sheet, 0.0, piece)
    shades = np.where(made.light[:, np.newaxis], colors.LIGHT, colors.DARK) / 255.0
    opaque = np.column_stack((shades, np.ones(len(shades))))
    return meshes.Mesh(made.corners, meshes.normals_of(made.corners), opaque)


def placements(
    floor: floors.Plane | floors.SphericalFloor, elapsed: Stamps, reach: float
) -> tuple[Array, Array]:
    """Return position (n, 3) [m] and attitude (n, 4), world axes, of the drawn floor.

    elapsed: (n,) since the last start or reset [ns]
    """
    seconds = seconds_of(elapsed)
    if not isinstance(floor, floors.Plane):
        omega = np.array(floor.angular_velocity)
        return np.tile(floor.center, (len(elapsed), 1)), _turned(omega, seconds)
    normal = np.array(floor.normal)
    # The grid is periodic, so a conveyor may jump back by one spacing.
    lie = _turn_of(normal)
    along = np.outer(seconds, rotations.rotate(rotations.conjugate(lie), floor.conveyor))
    along = np.fmod(along, SPACING * reach)
    C = rotations.dcm_from_quaternion(lie)
    position = np.array(floor.point) + np.outer(floor.heave(seconds), normal) + along @ C.T
    attitudes = [rotations.compose(q, lie) for q in _turned(floor.spin * normal, seconds)]
    return position, np.array(attitudes)


def look(floor: floors.Floor | None) -> tuple[type, float | None]:
    """Return a key; floors with the same key have the same `archetypes`."""
    return type(floor), getattr(floor, 'radius', None)


def _turned(omega: Vector3, seconds: Array) -> Array:
    rate = np.linalg.norm(omega)
    if rate == 0.0:
        return np.tile(rotations.IDENTITY, (len(seconds), 1))
    return np.array([rotations.quaternion_from_axis_angle(omega, rate * t) for t in seconds])


def _turn_of(normal: Vector3) -> Quaternion:
    """Return the quaternion (4,) that rotates z to a unit normal (3,)."""
    axis = np.cross(Z, normal)
    if not np.any(axis):
        axis = np.array((1.0, 0.0, 0.0))
    return rotations.quaternion_from_axis_angle(axis, np.arccos(np.clip(normal[2], -1.0, 1.0)))


def _grid(count: int, spacing: float) -> Array:
    """Return the lines (n, 2, 3) of a square grid in the plane z = 0."""
    places = spacing * np.arange(-count, count + 1)
    edge = np.full_like(places, places[-1])
    zero = np.zeros_like(places)
    along_x = np.stack((np.stack((-edge, places, zero), 1), np.stack((edge, places, zero), 1)), 1)
    return np.concatenate((along_x, along_x[:, :, (1, 0, 2)]))


def _cap(floor: floors.SphericalFloor) -> rr.Mesh3D:
    """Return the hemisphere that a body touches: the lower one of a bowl, the upper of a dome."""
    mesh = meshes.mesh([Primitive('sphere', (floor.radius,))])
    lower = np.mean(mesh.corners[:, :, 2], axis=1) < 0.0
    corners = mesh.corners[~lower if isinstance(floor, floors.Dome) else lower]
    first = 4 * np.arange(len(corners))[:, np.newaxis]
    return rr.Mesh3D(
        vertex_positions=corners.reshape(-1, 3),
        triangle_indices=np.concatenate((first + (0, 1, 2), first + (0, 2, 3))),
        vertex_normals=corners.reshape(-1, 3)
        / floor.radius
        * (1 if isinstance(floor, floors.Dome) else -1),
        albedo_factor=(*colors.PLANE, 255),
    )
