# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""An elliptic orbit given by position and velocity at time 0.

    r(t) = f r₀ + g v₀        f = 1 - a/r₀ (1 - cos x)        n g = r₀/a sin x + s (1 - cos x)
    n t = x - c sin x + s (1 - cos x)        c = 1 - r₀/a        s = r₀·v₀/(n a²)

with x the eccentric anomaly flown since time 0 (R. H. Battin, An Introduction to the Mathematics
and Methods of Astrodynamics, 1999, section 4.3). No angle of the ellipse is needed, so circular
and equatorial orbits are no special case, and at time 0 the state is exact to the bit.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER, RADIUS
from spacecraft_attitude_sim.core.environment.kepler_orbit import MOST_STEPS, KeplerOrbit
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import (
    combined,
    cross,
    dot,
    norm,
    put,
    scaled,
    three_at,
)
from spacecraft_attitude_sim.kernels.kernel import compiled
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.epoch import Epoch
    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike

# Constants for compiled code: position and velocity at time 0 [m, m/s], distance then [m],
# semi-major axis [m], mean motion [rad/s], and e cos E, e sin E at time 0.
STATE = Layout(
    position_W=3, velocity_W=3, radius=1, semi_major_axis=1, mean_motion=1, cosine=1, sine=1
)  # fmt: skip
POSITION, VELOCITY, AWAY, AXIS, MOTION, COSINE, SINE = STATE.places()
# Below these the perigee, or the node, of an ellipse counts as undefined.
LEAST_ECCENTRICITY, LEAST_INCLINATION = 1e-11, 1e-11


@dataclass(frozen=True)
class StateOrbit:
    """An ellipse about the Earth through a position and velocity; the constructor checks them.

    position_W: (3,) from the Earth's centre at time 0 [m];  velocity_W: (3,) then [m/s]; both in
        the axes of the GCRF
    Raises ValueError naming the field, its value and the remedy, where they give no ellipse above
        the ground.
    """

    position_W: VectorLike
    velocity_W: VectorLike
    exact = True
    _flat: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the fields, and compute the constants of the ellipse."""
        r, v = (tuple(map(float, one)) for one in (self.position_W, self.velocity_W))
        away, speed = norm(r), norm(v)
        if not RADIUS <= away < math.inf:
            raise ValueError(
                f'position is {list(r)} m, {away:.8g} m from the centre of the Earth; it must be '
                f'above the ground, {RADIUS:.8g} m, in metres'
            )
        inverse = 2.0 / away - speed * speed / GRAVITATIONAL_PARAMETER
        if not inverse > 0.0:
            escape = math.sqrt(2.0 * GRAVITATIONAL_PARAMETER / away)
            raise ValueError(
                f'velocity is {list(v)} m/s, {speed:.8g} m/s, and from {escape:.8g} m/s on the '
                f'orbit through position {list(r)} m is open, a parabola or hyperbola; give an '
                'ellipse, in axes that do not turn with the Earth, in m/s'
            )
        a = 1.0 / inverse
        n = math.sqrt(GRAVITATIONAL_PARAMETER / a**3)
        c, s = 1.0 - away / a, dot(r, v) / (n * a * a)
        perigee = a * (1.0 - math.hypot(c, s))
        if not perigee >= RADIUS:
            raise ValueError(
                f'velocity is {list(v)} m/s, and the orbit through position {list(r)} m has its '
                f'perigee {perigee:.8g} m from the centre of the Earth; it must be above the '
                f'ground, {RADIUS:.8g} m'
            )
        flat = STATE.packed(
            position_W=r, velocity_W=v, radius=away, semi_major_axis=a, mean_motion=n, cosine=c,
            sine=s,
        )  # fmt: skip
        object.__setattr__(self, '_flat', flat)

    @property
    def ellipse(self) -> KeplerOrbit:
        """The same orbit by its elements; an undefined node or perigee counts as 0."""
        r, v = three_at(self._flat, POSITION), three_at(self._flat, VELOCITY)
        momentum = cross(r, v)
        across = math.hypot(momentum[0], momentum[1])
        node = 0.0
        if across > LEAST_INCLINATION * norm(momentum):
            node = math.atan2(momentum[0], -momentum[1])
        ascending = (math.cos(node), math.sin(node), 0.0)
        beside = scaled(1.0 / norm(momentum), cross(momentum, ascending))
        argument = math.atan2(dot(r, beside), dot(r, ascending))
        c, s = float(self._flat[COSINE]), float(self._flat[SINE])
        e = math.hypot(c, s)
        true = argument
        if e > LEAST_ECCENTRICITY:
            true = math.atan2(math.sqrt(1.0 - e * e) * s, c - e * e)
        return KeplerOrbit(
            float(self._flat[AXIS]), e, math.atan2(across, momentum[2]), node,
            math.remainder(argument - true, math.tau), true,
        )  # fmt: skip

    def states_W(self, epoch: Epoch, times: Array) -> Array:
        """Return position and velocity (n, 6) at times (n,); the velocity is its derivative."""
        times = np.ascontiguousarray(times, dtype=float)
        out = np.empty(6 * len(times))
        _fill_states(self._flat, times, out)
        return out.reshape(-1, 6)

    def check(self, epoch: Epoch, begin: float, end: float) -> None:
        """Raise nothing: an ellipse is known at any time."""


@compiled
def _fill_states(state: Array, times: Array, out: Array) -> None:
    r0, v0 = three_at(state, POSITION), three_at(state, VELOCITY)
    away, a, n, c, s = state[AWAY], state[AXIS], state[MOTION], state[COSINE], state[SINE]
    begin = math.atan2(s, c)
    anomaly = begin - s
    for k in range(len(times)):
        M = anomaly + n * times[k]
        M -= 2.0 * math.pi * math.floor(M / (2.0 * math.pi) + 0.5)
        # From the apogee Newton's method converges for every eccentricity: Kepler's equation is
        # convex on either side of 0.
        x, flown = math.copysign(math.pi, M) - begin, M - anomaly
        for _ in range(MOST_STEPS):
            sine, cosine = math.sin(x), math.cos(x)
            left = x - c * sine + s * (1.0 - cosine) - flown
            change = left / (1.0 - c * cosine + s * sine)
            x -= change
            if abs(change) < 1e-15:
                break
        sine, cosine = math.sin(x), math.cos(x)
        rest = 1.0 - cosine
        r = a * (1.0 - c * cosine + s * sine)
        f, g = 1.0 - a / away * rest, (away / a * sine + s * rest) / n
        f_rate, g_rate = -n * a * a / (r * away) * sine, 1.0 - a / r * rest
        put(out, 6 * k, combined(f, r0, g, v0, 0.0, r0))
        put(out, 6 * k + 3, combined(f_rate, r0, g_rate, v0, 0.0, r0))
