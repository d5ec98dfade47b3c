# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A circular orbit about a spherical planet, given by its radius and its normal."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm, product, turned
from spacecraft_attitude_sim.core.mathematics.layout import Layout, six_of
from spacecraft_attitude_sim.kernels.kernel import helper
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Vector3

# Of the Earth, WGS 84 / EGM96 [m^3/s^2].
EARTH = 3.986004418e14
# Constants for the compiled loops: n, the orbit's axes at time 0, and I in the axes P in which
# they integrate, as Ixx, Iyy, Izz, Ixy, Ixz, Iyz.
CIRCLE = Layout(rate=1, radial_W=3, forward_W=3, inertia_P=6)
RATE, RADIAL, FORWARD = CIRCLE.places('rate', 'radial_W', 'forward_W')


@dataclass(frozen=True)
class CircularOrbit:
    """Direction of the planet from a spacecraft; the constructor checks its arguments.

    radius: [m];  normal_W: (3,) of the orbit's plane, about which the motion is counterclockwise
    start_W: (3,) direction from the planet to the spacecraft at time 0; its part in the plane
        counts
    gravitational_parameter: of the planet [m^3/s^2]
    rate: mean motion sqrt(mu/r^3) [rad/s];  radial_W, forward_W: (3,) unit vectors at time 0, away
        from the planet and along the motion
    Raises ValueError naming the field, its value and the remedy.
    """

    radius: float
    normal_W: Vector3
    start_W: Vector3
    gravitational_parameter: float = EARTH
    rate: float = field(init=False)
    radial_W: Vector3 = field(init=False)
    forward_W: Vector3 = field(init=False)

    def __post_init__(self) -> None:
        """Check the fields, and compute the axes of the orbit at time 0."""
        if not 0.0 < self.radius < math.inf:
            raise ValueError(f'radius is {self.radius:g} m; it must be positive')
        normal, start = (np.array(v, dtype=float) for v in (self.normal_W, self.start_W))
        if not (np.isfinite(normal).all() and norm(normal) > 0.0):
            raise ValueError(f'normal is {normal.tolist()}; give a direction')
        normal = normal / norm(normal)
        radial = start - product(start, normal) * normal
        size = norm(radial)
        if not (np.isfinite(start).all() and size > 1e-6 * norm(start)):
            raise ValueError(
                f'start is {start.tolist()}, along the normal {normal.tolist()} or no direction; '
                "give one in the orbit's plane"
            )
        radial = radial / size
        values = {
            'normal_W': normal,
            'start_W': start,
            'rate': math.sqrt(self.gravitational_parameter / self.radius**3),
            'radial_W': radial,
            'forward_W': np.cross(normal, radial),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def direction_W(self, time: float) -> Vector3:
        """Return the unit vector (3,) from the planet to the spacecraft at a time [s]."""
        angle = self.rate * time
        return math.cos(angle) * self.radial_W + math.sin(angle) * self.forward_W


def flat_gradient(orbit: CircularOrbit | None, inertia: Array, q_BP: Array) -> Array:
    """Return (13,) of CIRCLE; zeros without an orbit.

    inertia: (3, 3) of the whole, body axes [kg m^2];  q_BP: (4,) of the axes P
    """
    if orbit is None:
        return np.zeros(CIRCLE.size)
    C_BP = rotations.dcm_from_quaternion(q_BP)
    six = six_of(turned(C_BP.T, inertia))
    return np.concatenate(((orbit.rate,), orbit.radial_W, orbit.forward_W, six))


@helper
def radial_at(gradient: Array, time: float) -> Floats:
    """Return the unit vector from the planet at an orbit time [s], three floats, world axes."""
    angle = gradient[RATE] * time
    return radial_of(gradient, math.cos(angle), math.sin(angle))


@helper
def radial_of(gradient: Array | Floats, c: float, s: float) -> Floats:
    """Return `radial_at` from the cosine c and sine s of the orbit angle flown since time 0."""
    g = gradient
    return (
        c * g[RADIAL] + s * g[FORWARD],
        c * g[RADIAL + 1] + s * g[FORWARD + 1],
        c * g[RADIAL + 2] + s * g[FORWARD + 2],
    )
