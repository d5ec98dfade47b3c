# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The orbit of a two-line element set, by SGP4 of the library sgp4, turned to world.

SGP4 works in TEME, the true equator and mean equinox of each instant. From there to world: the
equation of the equinoxes, nutation of IAU 1980, precession of IAU 1976, by ERFA, and the bias of
the frame, as in D. A. Vallado, Fundamentals of Astrodynamics, 2013, section 3.7. Left out: the
corrections by IERS to that nutation (0.05 arcsec, 2 m).

SGP4's velocity is not the derivative of its position, because its formulas leave terms out: 2 cm/s
for the space station, 3 m/s at the perigee of e = 0.73. core.environment.orbit_table uses its
positions only, and their derivative as the velocity.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.environment.epoch import utc_days
from spacecraft_attitude_sim.core.environment.orbit_table import AHEAD, BEFORE, STEP
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.epoch import Epoch
    from spacecraft_attitude_sim.core.mathematics.types import Array

LENGTH = 69
# Largest time between the elements' epoch and the run [days]: SGP4 errs by kilometres in a day.
LARGEST_AGE = 30.0


@dataclass(frozen=True)
class TwoLineOrbit:
    """A two-line element set; the constructor checks it.

    line1, line2: of 69 characters each, with their checksums
    Raises ValueError naming the line, what is wrong with it and the remedy.
    """

    line1: str
    line2: str
    satellite: Any = field(init=False, repr=False, compare=False)
    exact = False

    def __post_init__(self) -> None:
        """Check the lines, and give them to SGP4."""
        from sgp4.api import SGP4_ERRORS, Satrec

        lines = [self.line1.rstrip(), self.line2.rstrip()]
        for number, line in enumerate(lines, 1):
            _check_line(number, line)
        if lines[0][2:7] != lines[1][2:7]:
            raise ValueError(
                f'the lines of the TLE are of two satellites, {lines[0][2:7]} and {lines[1][2:7]}'
            )
        try:
            satellite = Satrec.twoline2rv(*lines)
        except ValueError as error:
            raise ValueError(f'the TLE of {lines[0][2:7]} cannot be read: {error}') from None
        # Evaluated at its own epoch, SGP4 reports impossible elements.
        code, _, _ = satellite.sgp4_tsince(0.0)
        if code:
            raise ValueError(
                f'SGP4 refuses the TLE of {lines[0][2:7]}: {SGP4_ERRORS[code]}; take a newer one'
            )
        object.__setattr__(self, 'satellite', satellite)

    @property
    def utc(self) -> str:
        """The epoch of its elements, as UTC text."""
        days = self.satellite.jdsatepoch - 2440587.5
        seconds = np.timedelta64(round(self.satellite.jdsatepochF * 86400e3), 'ms')
        return f'{np.datetime64(round(days * 86400), "s") + seconds}Z'

    def states_W(self, epoch: Epoch, times: Array) -> Array:
        """Return position and velocity (n, 6) at times (n,) [s]; NaN where SGP4 has none."""
        states = np.full((len(times), 6), math.nan)
        days = self._days_to(epoch)
        for k, time in enumerate(np.asarray(times, dtype=float).tolist()):
            code, r, v = self.satellite.sgp4_tsince((days + time / 86400.0) * 1440.0)
            if not code:
                states[k] = (*r, *v)
        return teme_to_world(epoch, times, 1e3 * states)

    def check(self, epoch: Epoch, begin: float, end: float) -> None:
        """Raise ValueError unless these times [s] are near the elements' epoch, in orbit."""
        from sgp4.api import SGP4_ERRORS

        days = self._days_to(epoch)
        # The table needs nodes before `begin` and after `end`.
        for time, beyond in ((begin, -BEFORE * STEP), (end, AHEAD)):
            age = days + time / 86400.0
            if not abs(age) <= LARGEST_AGE:
                raise ValueError(
                    f'the epoch is {epoch.utc}, and the TLE of {self.utc}: {age:.1f} days at '
                    f'{time:g} s; stay within {LARGEST_AGE:g} days, SGP4 is of use for some'
                )
            code, _, _ = self.satellite.sgp4_tsince((age + beyond / 86400.0) * 1440.0)
            if code:
                raise ValueError(
                    f'{time:g} s after {epoch.utc} SGP4 knows no orbit: {SGP4_ERRORS[code]}; '
                    'end before, or take a newer TLE'
                )

    def _days_to(self, epoch: Epoch) -> float:
        """Return the days from its elements to the epoch."""
        first, second = utc_days(epoch.utc)
        return (first - self.satellite.jdsatepoch) + (second - self.satellite.jdsatepochF)


def _check_line(number: int, line: str) -> None:
    if len(line) != LENGTH or not line.isascii() or line[:2] != f'{number} ':
        raise ValueError(
            f'line {number} of the TLE is {line[:80]!r}, {len(line)} characters; it must begin '
            f"with '{number} ' and have {LENGTH}"
        )
    total = sum(int(c) if c.isdigit() else c == '-' for c in line[:-1]) % 10
    if line[-1] != str(total):
        raise ValueError(
            f'line {number} of the TLE ends with the checksum {line[-1]}, and its digits make '
            f'{total}; copy it again'
        )


def teme_to_world(epoch: Epoch, times: Array, states: Array) -> Array:
    """Return states (n, 6) in TEME, turned to world's axes.

    times: (n,) [s] since the epoch;  states: (n, 6) position and velocity [m, m/s]
    """
    import erfa

    with warnings.catch_warnings():
        warnings.simplefilter('ignore', erfa.ErfaWarning)
        first, second = erfa.taitt(*erfa.utctai(*utc_days(epoch.utc)))
    days = second + np.asarray(times, dtype=float) / 86400.0
    # World to the mean equator of J2000, from there to the true one of date.
    bias = erfa.bp00(first, second)[0]
    C = erfa.pnm80(first, days)
    angle = erfa.eqeq94(first, days)
    c, s = np.cos(angle), np.sin(angle)
    turned = np.empty((len(days), 6))
    for k in (0, 3):
        x, y, z = states[:, k], states[:, k + 1], states[:, k + 2]
        x, y = c * x - s * y, s * x + c * y
        x, y, z = (C[:, 0, j] * x + C[:, 1, j] * y + C[:, 2, j] * z for j in range(3))
        for j in range(3):
            turned[:, k + j] = bias[0, j] * x + bias[1, j] * y + bias[2, j] * z
    return turned
