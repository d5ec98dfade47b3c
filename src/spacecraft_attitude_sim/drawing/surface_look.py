# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Shape of the contact surface of a body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.body.primitives import Primitive
from spacecraft_attitude_sim.core.contact import shapes
from spacecraft_attitude_sim.core.contact.convexity import sample
from spacecraft_attitude_sim.core.contact.surface_functions import implicit_handle
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import colors, meshes

if TYPE_CHECKING:
    from spacecraft_attitude_sim.drawing.meshes import Part

SURFACE_COLOR = colors.rgba(colors.SURFACE)
SECTORS, BANDS = 20, 10


def surface_look(surface: shapes.Surface) -> Part:
    """Return a Primitive or meshes.Shell of a core.contact Surface, in body axes."""
    placed = surface.center, surface.q_BS
    if isinstance(surface, shapes.Sphere):
        return Primitive('sphere', (surface.radius,), *placed, color=SURFACE_COLOR)
    if isinstance(surface, shapes.Ellipsoid):
        return Primitive('ellipsoid', surface.semi_axes, *placed, color=SURFACE_COLOR)
    return meshes.Shell(_sampled(surface), SURFACE_COLOR)


def _sampled(surface: shapes.Surface) -> meshes.Faces:
    """Return the Faces between points where rays from the surface's centre cross it."""
    around = np.linspace(0.0, 2.0 * np.pi, SECTORS + 1)
    latitude = np.linspace(-np.pi / 2.0, np.pi / 2.0, BANDS + 1)[:, np.newaxis]
    directions = np.stack(
        np.broadcast_arrays(
            np.cos(latitude) * np.cos(around), np.cos(latitude) * np.sin(around), np.sin(latitude)
        ),
        axis=2,
    )
    implicit = surface.implicit()
    points = sample(
        implicit_handle(implicit), surface.parameters(), directions.reshape(-1, 3), surface.scale()
    )
    C = rotations.dcm_from_quaternion(surface.q_BS)
    points = (points @ C.T + np.array(surface.center)).reshape(directions.shape)
    corners = np.stack(
        (points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]), axis=2
    ).reshape(-1, 4, 3)
    dark = np.add.outer(np.arange(BANDS) // 2, np.arange(SECTORS) // 2) % 2 == 1
    return meshes.Faces(corners, meshes.chequered(SURFACE_COLOR, dark.ravel()))
