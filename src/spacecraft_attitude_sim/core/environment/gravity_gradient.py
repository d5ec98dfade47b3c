# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The gravity-gradient torque: a planet's gravity on an extended body, to first order in its size.

    τ = 3 n² r̂ × I r̂          V = 3/2 n² r̂·I r̂ + a constant that is left out

with n the mean motion of a circular orbit and r̂ the direction from the planet (Hughes, Spacecraft
Attitude Dynamics, 1986, section 8.1). In a circular orbit T + V - n n̂·L, the Jacobi integral, is
constant, n̂ the orbit's normal. I is the inertia of the whole, wheels included: they are bodies
of revolution. Neglected: higher moments of the planet, and the force, of order (size/radius)².
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import turned
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import cross, dot, scaled, symmetric_times
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.environment.circular_orbit import CircularOrbit
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Vector3


@helper
def gradient_torque(strength: float, inertia: Floats, r: Floats) -> Floats:
    """Return the torque 3 n² r̂ × I r̂ [N m], three floats, in the axes of its arguments.

    Every solver, the IMU and the topics call this function.

    strength: 3 n², or 3 μ/r³ [1/s^2];  inertia: xx, yy, zz, xy, xz, yz;  r: r̂, three floats
    """
    return scaled(strength, cross(r, symmetric_times(inertia, r)))


@helper
def gradient_potential(strength: float, inertia: Floats, r: Floats) -> float:
    """Return the potential 3/2 n² r̂·(I - tr(I)/3 1) r̂ [J]: its mean over all attitudes is 0.

    strength: 3/2 n², or 3/2 μ/r³ [1/s^2];  inertia, r: as `gradient_torque`
    """
    mean = (inertia[0] + inertia[1] + inertia[2]) / 3.0
    return strength * (dot(r, symmetric_times(inertia, r)) - mean)


# Constants for the compiled loops: n, the orbit's axes at time 0, and I in the axes P in which
# they integrate, as Ixx, Iyy, Izz, Ixy, Ixz, Iyz.
GRAVITY_GRADIENT = Layout(rate=1, radial_W=3, forward_W=3, inertia_P=6)


@dataclass(frozen=True)
class GravityGradient:
    """The gravity-gradient torque in a circular orbit."""

    orbit: CircularOrbit
    name = 'gravity_gradient'

    def force_W(self, body: RigidBody, state: State, time: float) -> Vector3:
        """Return zeros (3,)."""
        return np.zeros(3)

    def torque_B(self, body: RigidBody, state: State, time: float) -> Vector3:
        """Return 3 n² r̂ × I r̂ (3,) [N m], body axes."""
        r_B = self._direction_B(state, time)
        strength = 3.0 * self.orbit.rate**2
        return np.array(gradient_torque(strength, floats_of(body.inertia), r_B))

    def potential(self, body: RigidBody, state: State, time: float) -> float:
        """Return 3/2 n² r̂·(I - tr(I)/3 1) r̂ [J]: its mean over all attitudes is 0."""
        r_B = self._direction_B(state, time)
        return gradient_potential(1.5 * self.orbit.rate**2, floats_of(body.inertia), r_B)

    def _direction_B(self, state: State, time: float) -> Floats:
        r_B = rotations.rotate(rotations.conjugate(state.q_WB), self.orbit.direction_W(time))
        return tuple(r_B.tolist())


def flat_gradient(orbit: CircularOrbit | None, inertia: Array, q_BP: Array) -> Array:
    """Return (13,) of GRAVITY_GRADIENT; zeros without an orbit.

    inertia: (3, 3) of the whole, body axes [kg m^2];  q_BP: (4,) of the axes P
    """
    if orbit is None:
        return np.zeros(GRAVITY_GRADIENT.size)
    C_BP = rotations.dcm_from_quaternion(q_BP)
    six = six_of(turned(C_BP.T, inertia))
    return np.concatenate(((orbit.rate,), orbit.radial_W, orbit.forward_W, six))


def floats_of(symmetric: Array) -> Floats:
    """Return `six_of` a matrix (3, 3) as floats."""
    return tuple(six_of(symmetric).tolist())


def six_of(symmetric: Array) -> Array:
    """Return xx, yy, zz, xy, xz, yz of a matrix (3, 3)."""
    return symmetric[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
