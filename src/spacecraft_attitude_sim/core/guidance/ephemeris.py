# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Places of spacecraft, Sun, Moon and ground targets over time, with their derivatives.

In each span of time they are polynomials through a few instants of the environment that is known
on board. So rates and accelerations are the derivatives of what is pointed at, for every orbit.
At seven instants in 10 s the polynomial is the place to round-off, 1e-9 m, and its second
derivative is uncertain by 2e-8 m/s^2: 4e-14 rad/s^2 of a target 500 km away.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.environment import wgs84
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.guidance import aligned_motion
from spacecraft_attitude_sim.core.guidance.aligned_motion import INSTANTS, ROOM, SPAN
from spacecraft_attitude_sim.core.guidance.motion import GuidanceError
from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.mathematics.rotations import conjugate, rotate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3

# How many spans of time are kept.
KEPT = 256
# {name of a place: that of its part in the environment}
PLACES = {
    'position': 'position_W', 'velocity': 'velocity_W', 'sun': 'to_sun_W', 'moon': 'to_moon_W',
}  # fmt: skip
ROTATED = AROUND.of('q_WE')
# Prefix of the name of a target.
TARGET = 'target:'


class Target(NamedTuple):
    """A point over the ellipsoid WGS 84: latitude and longitude [rad], and height [m]."""

    latitude: float
    longitude: float
    height: float = 0.0

    @property
    def position_E(self) -> Vector3:
        """Its place (3,) from the Earth's centre, Earth-fixed axes [m]."""
        return np.array(wgs84.position(self.latitude, self.longitude, self.height))

    @property
    def up_E(self) -> Vector3:
        """Its vertical (3,), normal to the ellipsoid, Earth-fixed axes."""
        across = math.cos(self.latitude)
        return np.array((
            across * math.cos(self.longitude), across * math.sin(self.longitude),
            math.sin(self.latitude),
        ))  # fmt: skip


class Ephemeris:
    """What is where, as it is known on board.

    around: function of a time [s] that returns the environment (25,) of
        core.environment.surroundings; None without an orbit
    targets: {name: Target}

    room: (ROOM,) that functions of aligned_motion write to
    """

    def __init__(
        self, around: Callable[[float], Array] | None, targets: Mapping[str, Target] | None = None
    ) -> None:
        self.targets = dict(targets or {})
        self._around = around
        self._spans: dict[int, dict[str, Array]] = {}
        self.room = np.zeros(ROOM)

    def jet(self, what: str, time: float) -> Array:
        """Return the jet (3, 3) of core.guidance.motion, world axes.

        what: 'position' or 'velocity' of the spacecraft from the Earth's centre [m, m/s], 'sun' or
            'moon' as a unit vector, or 'target:<name>' from the Earth's centre [m]
        Raises GuidanceError where it is not known.
        """
        jet = np.empty(9)
        aligned_motion.place(self.coefficients(what, time), place_in_span(time), self.room, jet)
        return jet.reshape(3, 3)

    def coefficients(self, what: str, time: float) -> Array:
        """Return the coefficients (3 INSTANTS,) of a place of `jet` in the span of a time [s].

        Raises GuidanceError where it is not known.
        """
        number = math.floor(time / SPAN)
        fitted = self._spans.get(number)
        if fitted is None:
            fitted = self._spans[number] = self._fit(number)
            if len(self._spans) > KEPT:
                del self._spans[next(iter(self._spans))]
        if what not in fitted:
            raise GuidanceError(f'no {what} is known; there are {", ".join(fitted)}')
        return fitted[what]

    def elevation(self, target: str, time: float) -> float:
        """Return the angle [rad] of the spacecraft over the horizon of a target."""
        around = self._known(time)
        own = self.targets[target]
        position_E = rotate(conjugate(around[AROUND.of('q_WE')]), around[AROUND.of('position_W')])
        line = position_E - own.position_E
        up = float(product(line, own.up_E))
        across = line - up * own.up_E
        return math.atan2(up, math.sqrt(float(product(across, across))))

    def _known(self, time: float) -> Array:
        if self._around is None:
            raise GuidanceError(
                "there is no orbit: orbit.model is 'none'; give epoch and orbit.… of the simulator"
            )
        try:
            return self._around(time)
        except ValueError as error:
            raise GuidanceError(str(error)) from None

    def _fit(self, number: int) -> dict[str, Array]:
        """Return {what: coefficients (3 INSTANTS,) of its place} in a span."""
        instants = [self._known(SPAN * (number + 0.5 * (1.0 + x))) for x in NODES]
        rows = np.array(instants)
        values = {what: rows[:, AROUND.of(name)] for what, name in PLACES.items()}
        for name, target in self.targets.items():
            place_E = target.position_E
            values[TARGET + name] = np.array([rotate(q_WE, place_E) for q_WE in rows[:, ROTATED]])
        fitted = product(WEIGHTS, np.hstack(list(values.values()))).T
        return {what: fitted[3 * k : 3 * k + 3].ravel() for k, what in enumerate(values)}


def place_in_span(time: float) -> float:
    """Return where a time [s] is in its span, -1 to 1."""
    return 2.0 * (time / SPAN - math.floor(time / SPAN)) - 1.0


def _polynomials(x: float) -> Array:
    """Return the Chebyshev polynomials (INSTANTS,) at x."""
    values = np.zeros(3 * INSTANTS)
    aligned_motion.chebyshev(x, values)
    return values[:INSTANTS]


# Where the polynomials are fitted, and what gives their coefficients from the values there.
NODES = [math.cos(math.pi * (k + 0.5) / INSTANTS) for k in range(INSTANTS)]
WEIGHTS = np.array([_polynomials(x) for x in NODES]).T * (2.0 / INSTANTS)
WEIGHTS[0] *= 0.5
