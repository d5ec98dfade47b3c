# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""An elliptic orbit given by its elements, and its drift by the flattening of the Earth.

    dΩ/dt = -3/2 n J2 (R/p)² cos i          dω/dt = 3/4 n J2 (R/p)² (5 cos² i - 1)
    dM/dt = n + 3/4 n J2 (R/p)² √(1 - e²) (3 cos² i - 1)        n = √(μ/a³)        p = a (1 - e²)

(D. A. Vallado, Fundamentals of Astrodynamics, 2013, section 9.6.) With J2 the elements are mean
ones: the variation by J2 within an orbit, some kilometres, is neglected, and so are all smaller
forces. The equator is that of world: the pole of 2026 is 0.14 deg from its z.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

import numpy as np

from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER, J2, RADIUS
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import combined, cross, put, scaled
from spacecraft_attitude_sim.kernels.kernel import compiled
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.epoch import Epoch
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Constants for compiled code: elements at time 0 and their rates [m, rad, rad/s].
ELEMENTS = Layout(
    semi_major_axis=1, eccentricity=1, inclination=1, node=1, perigee=1, anomaly=1, node_rate=1,
    perigee_rate=1, anomaly_rate=1,
)  # fmt: skip
# Kepler's equation converges to the last bits in fewer iterations than this.
MOST_STEPS = 40


class Orbit(Protocol):
    """Motion of world's origin; a time gives the same bits alone or among others.

    exact: whether it depends on its constructor's numbers only, and on no library or file
    """

    exact: bool

    def states_W(self, epoch: Epoch, times: Array) -> Array:
        """Return position and velocity (n, 6) from the Earth's centre [m, m/s] at times [s]."""

    def check(self, epoch: Epoch, begin: float, end: float) -> None:
        """Raise ValueError unless the orbit is known from begin to end [s]."""


@dataclass(frozen=True)
class KeplerOrbit:
    """An ellipse about the Earth; the constructor checks its arguments.

    semi_major_axis: [m];  eccentricity: 0 to below 1;  inclination: to the equator, 0 to π [rad]
    right_ascension: of the ascending node, from world's x [rad];  argument_of_perigee: [rad]
    true_anomaly, mean_anomaly: at time 0, one of them [rad]; without both it starts at the perigee
    flattening: whether J2 turns the ellipse, as above
    Raises ValueError naming the field, its value and the remedy.
    """

    semi_major_axis: float
    eccentricity: float = 0.0
    inclination: float = 0.0
    right_ascension: float = 0.0
    argument_of_perigee: float = 0.0
    true_anomaly: float | None = None
    mean_anomaly: float | None = None
    flattening: bool = False
    exact = True

    def __post_init__(self) -> None:
        """Check."""
        a, e = self.semi_major_axis, self.eccentricity
        if not 0.0 <= e < 1.0:
            raise ValueError(f'eccentricity is {e:g}; it must be from 0 to below 1, an ellipse')
        if not RADIUS <= a * (1.0 - e) < math.inf:
            raise ValueError(
                f'semi_major_axis is {a:g} m and eccentricity {e:g}: the perigee is '
                f'{a * (1.0 - e):.8g} m from the centre of the Earth; it must be above the ground,'
                f' {RADIUS:.8g} m'
            )
        if not 0.0 <= self.inclination <= math.pi:
            raise ValueError(f'inclination is {self.inclination:g} rad; it must be from 0 to pi')
        if self.true_anomaly is not None and self.mean_anomaly is not None:
            raise ValueError(
                f'true_anomaly is {self.true_anomaly:g} rad and mean_anomaly '
                f'{self.mean_anomaly:g} rad; give one of them'
            )
        for name in ('right_ascension', 'argument_of_perigee', 'true_anomaly', 'mean_anomaly'):
            if not math.isfinite(getattr(self, name) or 0.0):
                raise ValueError(f'{name} is {getattr(self, name)} rad; it must be finite')

    @property
    def mean_motion(self) -> float:
        """Mean motion without J2, √(μ/a³) [rad/s]."""
        return math.sqrt(GRAVITATIONAL_PARAMETER / self.semi_major_axis**3)

    @property
    def rates(self) -> tuple[float, float, float]:
        """Rates of node, perigee and mean anomaly [rad/s]."""
        n = self.mean_motion
        if not self.flattening:
            return 0.0, 0.0, n
        e, c = self.eccentricity, math.cos(self.inclination)
        p = self.semi_major_axis * (1.0 - e * e)
        k = 0.75 * n * J2 * (RADIUS / p) * (RADIUS / p)
        drift = k * math.sqrt(1.0 - e * e) * (3.0 * c * c - 1.0)
        return -2.0 * k * c, k * (5.0 * c * c - 1.0), n + drift

    def flat(self) -> Array:
        """Return (9,) of ELEMENTS."""
        node, perigee, anomaly = self.rates
        return ELEMENTS.packed(
            semi_major_axis=self.semi_major_axis,
            eccentricity=self.eccentricity,
            inclination=self.inclination,
            node=self.right_ascension,
            perigee=self.argument_of_perigee,
            anomaly=self._mean_anomaly(),
            node_rate=node,
            perigee_rate=perigee,
            anomaly_rate=anomaly,
        )

    def _mean_anomaly(self) -> float:
        if self.true_anomaly is None:
            return self.mean_anomaly or 0.0
        e, half = self.eccentricity, self.true_anomaly / 2.0
        sine = math.sqrt(1.0 - e) * math.sin(half)
        eccentric = 2.0 * math.atan2(sine, math.sqrt(1.0 + e) * math.cos(half))
        return eccentric - e * math.sin(eccentric)

    def states_W(self, epoch: Epoch, times: Array) -> Array:
        """Return position and velocity (n, 6) at times (n,); the velocity is its derivative."""
        times = np.ascontiguousarray(times, dtype=float)
        out = np.empty(6 * len(times))
        _fill_states(self.flat(), times, out)
        return out.reshape(-1, 6)

    def check(self, epoch: Epoch, begin: float, end: float) -> None:
        """Raise nothing: an ellipse is known at any time."""


@compiled
def _fill_states(elements: Array, times: Array, out: Array) -> None:
    a, e, inclination = elements[0], elements[1], elements[2]
    side = a * math.sqrt(1.0 - e * e)
    ci, si = math.cos(inclination), math.sin(inclination)
    for k in range(len(times)):
        time = times[k]
        node = elements[3] + elements[6] * time
        perigee = elements[4] + elements[7] * time
        M = elements[5] + elements[8] * time
        M -= 2.0 * math.pi * math.floor(M / (2.0 * math.pi) + 0.5)
        # From here Newton's method converges for every eccentricity: Kepler's equation is
        # convex on either side of 0.
        E = M if e < 0.8 else math.copysign(math.pi, M)
        for _ in range(MOST_STEPS):
            change = (E - e * math.sin(E) - M) / (1.0 - e * math.cos(E))
            E -= change
            if abs(change) < 1e-15:
                break
        cE, sE = math.cos(E), math.sin(E)
        cn, sn, cp, sp = math.cos(node), math.sin(node), math.cos(perigee), math.sin(perigee)
        normal = (sn * si, -cn * si, ci)
        along = (cn * cp - sn * sp * ci, sn * cp + cn * sp * ci, sp * si)
        across = (-cn * sp - sn * cp * ci, -sn * sp + cn * cp * ci, cp * si)
        x, y = a * (cE - e), side * sE
        rate = elements[8] / (1.0 - e * cE)
        r = combined(x, along, y, across, 0.0, normal)
        turning = scaled(elements[7], normal)
        turning = (turning[0], turning[1], turning[2] + elements[6])
        v = combined(-rate * a * sE, along, rate * side * cE, across, 1.0, cross(turning, r))
        put(out, 6 * k, r)
        put(out, 6 * k + 3, v)
