# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Laws of magnetorquers: B-dot, which damps a tumble, and desaturation of wheels.

    m = -k dB/dt                      B-dot, dB/dt from two readings of the magnetometer, body axes
    m = (k / B²) Δh × B               desaturation, Δh the wheels' excess momentum

In a uniform field B-dot damps the rate across the field at k B²/I, and leaves that along it: A. C.
Stickler and K. T. Alfriend, J. Spacecraft and Rockets 13 (1976) 282. The torque of the second is
-k (Δh - b (b·Δh)), b along the field: F. L. Markley and J. L. Crassidis, Fundamentals of
Spacecraft Attitude Determination and Control, 2014, section 7.5.

**Sampled**, B-dot uses the mean of dB/dt over the time T before the reading, and holds the dipole
for T. A body that turns at ω across the field is then damped at sinc²(ωT/2) cos ωT of k B²/I, as
long as that is weak: beyond ωT = π/2 it is spun up. `sampled_factor` computes this factor.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.control.wheel_allocation import momentum_beyond
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, VectorLike
from spacecraft_attitude_sim.core.mathematics.vectors import cross, dot, scaled, three_at
from spacecraft_attitude_sim.kernels.kernel import compiled, helper
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Vector3

# Indices in the flat gains.
B_DOT_GAIN, DUMPING_RATE, DIPOLE_LIMIT, SIZE = 0, 1, 2, 5
NO_DIPOLE = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class MagneticGains:
    """The constants of both laws.

    b_dot: k of B-dot [A m^2 s/T];  dumping_rate: k of desaturation [1/s]
    dipole_limit: (3,) about each body axis [A m^2]; a larger dipole is scaled down, its direction
        kept
    """

    b_dot: float
    dumping_rate: float
    dipole_limit: Vector3

    def flat(self) -> Array:
        """Return (5,) for the laws."""
        return np.array((self.b_dot, self.dumping_rate, *self.dipole_limit))


@compiled
def b_dot(
    gains: Array, field_B: VectorLike, before_B: VectorLike, seconds: float
) -> tuple[Floats, float]:
    """Return the dipole against the change of the field [A m^2], three floats, and the share.

    gains: (5,) of MagneticGains;  field_B, before_B: (3,) readings now, and `seconds` before [T]
    share: applied part, 1 unless the limit of an axis scales the dipole down
    """
    k = -gains[B_DOT_GAIN] / seconds
    change = (field_B[0] - before_B[0], field_B[1] - before_B[1], field_B[2] - before_B[2])
    return limited(gains, scaled(k, change))


@compiled
def unloading(
    gains: Array, rows: Array, speeds: Array, field_B: VectorLike
) -> tuple[Floats, float]:
    """Return the dipole that unloads wheels [A m^2], three floats, and the share as of `b_dot`.

    gains: (5,) of MagneticGains;  rows: (N, any) of core.control.wheel_allocation
    speeds: (N,) of the wheels [rad/s];  field_B: (3,) [T]
    """
    field = (field_B[0], field_B[1], field_B[2])
    square = dot(field, field)
    if square == 0.0:
        return NO_DIPOLE, 1.0
    # Momentum of the wheels minus that at their target speeds.
    excess = momentum_beyond(rows, speeds, 1.0)
    return limited(gains, scaled(gains[DUMPING_RATE] / square, cross(excess, field)))


@helper
def limited(gains: Array, asked: Floats) -> tuple[Floats, float]:
    """Return a dipole within the limits of all axes, its direction kept, and the share."""
    limits = three_at(gains, DIPOLE_LIMIT)
    share = 1.0
    for axis in range(3):
        if share * abs(asked[axis]) > limits[axis]:
            share = limits[axis] / abs(asked[axis])
    return (share * asked[0], share * asked[1], share * asked[2]), share


# --- theory --------------------------------------------------------------------------------------


def sampled_factor(rate: float, interval: float, delay: float = 0.0) -> float:
    """Return the factor by which sampling reduces B-dot's damping: sinc²(ωT/2) cos ω(T + d).

    Spin across the field, gain so weak that a sample changes little; negative: it spins the body
    up. The difference of two readings and the held dipole are a mean over T each, half of T late.

    rate: ω [rad/s];  interval: T between readings, for which the dipole is held [s]
    delay: d from a reading until its dipole begins to act [s]
    """
    half = 0.5 * rate * interval
    mean = math.sin(half) / half if half else 1.0
    return mean * mean * math.cos(rate * (interval + delay))


def largest_damped_rate(interval: float, delay: float = 0.0) -> float:
    """Return the rate below which sampled B-dot damps every rotation [rad/s], π / 2 (T + d).

    interval, delay: as of `sampled_factor` [s]
    """
    return 0.5 * math.pi / (interval + delay)


def b_dot_gain(
    orbital_rate: float, field: float, least_moment: float, inclination: float
) -> float:
    """Return the k of B-dot of G. Avanzini and F. Giulietti, k B² = 2 n (1 + sin ξ) J_min.

    J. Guidance 35 (2012) 1326: the field's direction changes so fast in the orbit that no rate
    stays along it; a much larger gain makes the body follow the field instead of damping.

    orbital_rate: n [rad/s];  field: B of the orbit [T];  least_moment: J_min [kg m^2]
    inclination: ξ of the orbit to the magnetic equator [rad]
    """
    return 2.0 * orbital_rate * (1.0 + math.sin(inclination)) * least_moment / field**2
