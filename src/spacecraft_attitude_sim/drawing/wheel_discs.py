# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes of reaction wheels: discs on their spin axes.

A disc is drawn at the position of its wheel if that is given, even if the body hides it. Otherwise
it is drawn where its axis from the centre of mass leaves the body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3, Vectors3
from spacecraft_attitude_sim.drawing import colors, meshes

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels
    from spacecraft_attitude_sim.drawing.meshes import Faces, Mesh

# In reaches of the body: largest and smallest radius of a disc, and its distance from the body and
# from another disc on the same axis. The thickness is in radii.
RADIUS, LEAST_RADIUS, GAP, THICKNESS = 0.25, 0.1, 0.05, 0.36
# Largest radius of a disc relative to the smallest half width of the body.
OF_WIDTH = 0.8
# Share of white in a disc's colour, relative to its curve's colour.
PALER = 0.35
# Axes with at least this cosine between them count as one.
SAME_AXIS = 0.99


class Discs(NamedTuple):
    """Positions and sizes of the discs, in body axes from the centre of mass.

    axes_B: (N, 3) unit spin axes;  positions: (N, 3) of the centres [m]
    orientations: (N, 4) q_BA, which turns a disc's z to its spin axis
    radius, thickness: of each [m]
    """

    axes_B: Vectors3
    positions: Vectors3
    orientations: Array
    radius: float
    thickness: float

    def faces(self, number: int, segments: int = meshes.SEGMENTS) -> Faces:
        """Return the Faces of a disc in its own axes, with z along the spin axis."""
        color = colors.rgba(color_of(number))
        paler = [part + PALER * (1.0 - part) for part in color]
        return meshes.disc(self.radius, self.thickness, paler, segments)

    def attitude(self, number: int, angle: float) -> Quaternion:
        """Return q (4,) from the disc's axes, turned by an angle [rad], to body axes."""
        about = rotations.quaternion_from_axis_angle((0.0, 0.0, 1.0), angle)
        return rotations.compose(self.orientations[number], about)

    def mesh(self, angles: Array) -> Mesh:
        """Return the Mesh of all discs turned by angles (N,) [rad], in body axes."""
        turned = [
            meshes.turned(
                meshes.mesh_of([self.faces(number)]), self.attitude(number, angle), position
            )
            for number, (angle, position) in enumerate(zip(angles, self.positions, strict=True))
        ]
        whole = turned[0]
        for one in turned[1:]:
            whole = meshes.joined(whole, one)
        return whole


def discs_of(wheels: ReactionWheels, body_mesh: Mesh, places_B: Vectors3 | None = None) -> Discs:
    """Return the Discs of wheels on a body's Mesh, from the centre of mass.

    places_B: (N, 3) positions of the wheels [m], NaN if not given; None for none given
    """
    corners, reach = body_mesh.corners.reshape(-1, 3), meshes.reach(body_mesh)
    narrowest = float(np.min(np.ptp(corners, axis=0))) / 2.0
    radius = max(LEAST_RADIUS * reach, min(RADIUS * reach, OF_WIDTH * narrowest))
    thickness, gap = THICKNESS * radius, GAP * reach
    positions: list[Vector3] = []
    for number, axis_B in enumerate(wheels.axes_B):
        before = np.count_nonzero(wheels.axes_B[:number] @ axis_B > SAME_AXIS)
        away = max(0.0, float(np.max(corners @ axis_B))) + gap + thickness / 2.0
        positions.append((away + before * (thickness + gap)) * axis_B)
    places = np.array(positions)
    if places_B is not None:
        places = np.where(np.isnan(places_B), places, places_B)
    orientations = np.array([turning_z_to(axis_B) for axis_B in wheels.axes_B])
    return Discs(wheels.axes_B, places, orientations, radius, thickness)


def angles(time: Array, speeds: Array) -> Array:
    """Return the angles (n, N) [rad] of wheels, integrated from their speeds.

    The topics carry no angles of ideal wheels, so they are integrated by the trapezoidal rule.
    time: (n,) [s];  speeds: (n, N) relative to the body [rad/s]; NaN counts as 0
    """
    known = np.nan_to_num(speeds)
    steps = (known[1:] + known[:-1]) / 2.0 * np.diff(time)[:, np.newaxis]
    return np.concatenate((np.zeros((1, speeds.shape[1])), np.cumsum(steps, axis=0)))


def color_of(number: int) -> str:
    """Return the colour of a wheel's disc and curves."""
    return colors.of_actuator(number)


def turning_z_to(axis_B: Vector3) -> Quaternion:
    """Return q (4,) of the shortest rotation from z to a unit vector."""
    z = np.array((0.0, 0.0, 1.0))
    across = np.cross(z, axis_B)
    sine, cosine = float(np.linalg.norm(across)), float(axis_B[2])
    if sine < 1e-12:
        across, sine = np.array((1.0, 0.0, 0.0)), 0.0
    angle = float(np.arctan2(sine, cosine))
    return rotations.quaternion_from_axis_angle(across / np.linalg.norm(across), angle)
