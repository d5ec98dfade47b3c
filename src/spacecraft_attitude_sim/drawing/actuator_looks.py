# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes of gimbals (rotors in rings), thrusters (jets) and magnetorquers (the dipole).

Gimbals have no position parameter. A ring is drawn where its axis from the centre of mass leaves
the body, like the disc of a wheel. A jet points against the force of its thruster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3, Vectors3
from spacecraft_attitude_sim.drawing import colors, meshes, wheel_discs

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.parts.control_moment_gyros.description import (
        ControlMomentGyros,
    )
    from spacecraft_attitude_sim.core.parts.magnetorquers.description import Magnetorquers
    from spacecraft_attitude_sim.core.parts.thrusters.description import Thrusters
    from spacecraft_attitude_sim.drawing.meshes import Faces, Mesh
    from spacecraft_attitude_sim.drawing.wheel_discs import Discs

# Sizes in reaches of the body: rotor; ring around it and its pivot; jet of full thrust and its
# mouth; arrow of the largest dipole.
ROTOR, ROTOR_THICKNESS = 0.19, 0.07
RING, RING_WIDTH, PIVOT = 0.22, 0.03, 0.06
JET, MOUTH = 0.9, 0.16
DIPOLE = 1.4
JET_ALPHA = 0.75


class Gimbals(NamedTuple):
    """Positions and sizes of the rings, in body axes from the centre of mass.

    positions: (G, 3) of the centres [m]
    orientations: (G, 4) q_BG at gimbal angle 0: z along the gimbal axis, x along the rotor axis
    reach: of the body [m];  first: index of the first one's colour
    """

    positions: Vectors3
    orientations: Array
    reach: float
    first: int

    def faces(self, number: int, segments: int = meshes.SEGMENTS) -> list[Faces]:
        """Return the Faces of rotor, ring and pivot in the gimbal's axes."""
        r = self.reach
        rotor_color = colors.rgba(colors.of_actuator(self.first + number))
        ring_color = colors.rgba(colors.GIMBAL)
        rotor = meshes.disc(ROTOR * r, ROTOR_THICKNESS * r, rotor_color, segments)
        # No dark wedge, because the angle of the rotor in its ring is not known.
        even = rotor._replace(colors=np.tile(rotor_color, (len(rotor.colors), 1)))
        ring = meshes.ring(RING * r, RING_WIDTH * r, ring_color, segments)
        pivot = meshes.disc(RING_WIDTH * r, PIVOT * r, ring_color, segments)
        below = np.array((0.0, 0.0, -(RING + PIVOT / 2.0) * r))
        return [
            _turned(even, wheel_discs.turning_z_to(np.array((1.0, 0.0, 0.0)))),
            _turned(ring, wheel_discs.turning_z_to(np.array((0.0, 1.0, 0.0)))),
            pivot._replace(corners=pivot.corners + below),
        ]

    def attitude(self, number: int, angle: float) -> Quaternion:
        """Return q (4,) from the gimbal's axes, turned by an angle [rad], to body axes."""
        about = rotations.quaternion_from_axis_angle((0.0, 0.0, 1.0), angle)
        return rotations.compose(self.orientations[number], about)


class Jets(NamedTuple):
    """Positions and lengths of the jets.

    positions: (M, 3) from the centre of mass [m]
    orientations: (M, 4) q_BJ, which turns a jet's z against the force on the body
    most: (M,) largest forces [N];  length: of a jet at full thrust [m]
    """

    positions: Vectors3
    orientations: Array
    most: Array
    length: float

    def lengths(self, forces: Array) -> Array:
        """Return the lengths of jets [m] for forces (…, M) [N]; 0 if not known."""
        return self.length * np.clip(np.nan_to_num(forces / self.most), 0.0, 1.0)

    def faces(self, segments: int = meshes.SEGMENTS) -> Faces:
        """Return the Faces of a jet of 1 m in its own axes, with its tip at the origin."""
        return meshes.cone(MOUTH / JET, 1.0, colors.rgba(colors.PLUME, JET_ALPHA), segments)


class Looks(NamedTuple):
    """The drawn actuators of a spacecraft except wheels; None for kinds that it lacks.

    dipole: length of the arrow per unit of dipole [m/(A m^2)];  reach: of the body [m]
    """

    gimbals: Gimbals | None
    jets: Jets | None
    dipole: float | None
    reach: float

    def mesh(self, angles: Array, forces: Array) -> Mesh | None:
        """Return the Mesh of rings turned by angles (G,) [rad] and jets of forces (M,) [N]."""
        parts = []
        if gimbals := self.gimbals:
            for number, angle in enumerate(angles):
                one = meshes.mesh_of(gimbals.faces(number))
                q, place = gimbals.attitude(number, angle), gimbals.positions[number]
                parts.append(meshes.turned(one, q, place))
        if jets := self.jets:
            for number, length in enumerate(jets.lengths(forces)):
                if length > 0.0:
                    faces = jets.faces()
                    one = meshes.mesh_of([faces._replace(corners=length * faces.corners)])
                    place = jets.positions[number]
                    parts.append(meshes.turned(one, jets.orientations[number], place))
        whole = parts[0] if parts else None
        for one in parts[1:]:
            whole = meshes.joined(whole, one) if whole else one
        return whole


def looks_of(
    gyros: ControlMomentGyros | None,
    thrusters: Thrusters | None,
    rods: Magnetorquers | None,
    body_mesh: Mesh,
    discs: Discs | None,
) -> Looks:
    """Return the Looks of actuators, placed outside the body's Mesh and its wheels' Discs."""
    reach = meshes.reach(body_mesh)
    largest = float(np.linalg.norm(rods.max_dipoles)) if rods else 0.0
    return Looks(
        _gimbals(gyros, body_mesh, discs) if gyros else None,
        _jets(thrusters, reach) if thrusters else None,
        DIPOLE * reach / largest if largest else None,
        reach,
    )


def _gimbals(gyros: ControlMomentGyros, body_mesh: Mesh, discs: Discs | None) -> Gimbals:
    corners, reach = body_mesh.corners.reshape(-1, 3), meshes.reach(body_mesh)
    axes = np.array([one.gimbal_axis_B for one in gyros.gyros])
    half, gap = (RING + PIVOT) * reach, wheel_discs.GAP * reach
    positions: list[Vector3] = []
    for number, axis_B in enumerate(axes):
        away = max(0.0, float(np.max(corners @ axis_B)))
        if discs:
            away = max(away, _beyond(discs, axis_B, RING * reach))
        before = np.count_nonzero(axes[:number] @ axis_B > wheel_discs.SAME_AXIS)
        positions.append((away + half + before * (2.0 * half + gap)) * axis_B)
    orientations = [
        rotations.quaternion_from_dcm(
            np.column_stack((one.spin_axis_B, one.transverse_B, one.gimbal_axis_B))
        )
        for one in gyros.gyros
    ]
    first = len(discs.axes_B) if discs else 0
    return Gimbals(np.array(positions), np.array(orientations), reach, first)


def _beyond(discs: Discs, axis_B: Vector3, radius: float) -> float:
    """Return how far discs closer than a radius to an axis extend along it [m]."""
    along, tilt = discs.positions @ axis_B, discs.axes_B @ axis_B
    across = np.linalg.norm(discs.positions - np.outer(along, axis_B), axis=1)
    sine = np.sqrt(np.maximum(0.0, 1.0 - tilt**2))
    ends = along + discs.radius * sine + discs.thickness / 2.0 * np.abs(tilt)
    in_the_way = (along > 0.0) & (across < discs.radius + radius)
    return float(np.max(ends[in_the_way], initial=0.0))


def _jets(thrusters: Thrusters, reach: float) -> Jets:
    several = thrusters.thrusters
    return Jets(
        np.array([one.position_B for one in several]),
        np.array([wheel_discs.turning_z_to(-np.asarray(one.direction_B)) for one in several]),
        thrusters.max_forces,
        JET * reach,
    )


def _turned(faces: Faces, q: Quaternion) -> Faces:
    """Return Faces turned by q (4,)."""
    return faces._replace(corners=faces.corners @ rotations.dcm_from_quaternion(q).T)
