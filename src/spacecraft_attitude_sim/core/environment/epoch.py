# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The UTC epoch of a run, and the attitude of the Earth from then on.

    q_WE(t) = q_WI ∘ (cos ½θ, 0, 0, sin ½θ)        θ = θ(0) + ω_E t

World has the axes of the GCRF. Axes I, the intermediate ones, have the pole of the epoch for z:
precession and nutation (IAU 2006/2000A) are computed once, by ERFA, and kept: the error is 0.11
arcsec after a day, 0.62 after a week. θ is the Earth rotation angle. UT1 is replaced by UTC (up to
13 arcsec) and polar motion is left out (0.5 arcsec), because neither can be predicted.
"""

from __future__ import annotations

import math
import re
import warnings
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.earth import ROTATION_RATE
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.core.mathematics.types import Array

# year: UTC, decimal;  days: from J2000.0 to the epoch, terrestrial time
# rotation_angle: Earth rotation angle at the epoch [rad];  q_WI: from intermediate axes to world
# C_WD: from mean equator and equinox of date to world, row by row
EPOCH = Layout(year=1, days=1, rotation_angle=1, q_WI=4, C_WD=9)
ISO = r'(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?)?Z?'
J2000 = 2451545.0
# First year: UTC has whole leap seconds. Last year: the series of Sun and Moon are valid.
FIRST_YEAR, LAST_YEAR = 1972, 2099


@dataclass(frozen=True)
class Epoch:
    """The instant at which time is 0; made by `epoch_of`.

    utc: as given, 2026-11-01T12:00:00Z
    constants: (16,) of EPOCH; recordings keep them, because another version of ERFA may give
        other bits
    """

    utc: str
    constants: Array

    @property
    def year(self) -> float:
        """The decimal year, UTC."""
        return float(self.constants[EPOCH.at('year')])

    @property
    def days(self) -> float:
        """Days of terrestrial time since J2000.0."""
        return float(self.constants[EPOCH.at('days')])

    def q_WE(self, time: float) -> Array:
        """Return the attitude (4,) of the Earth's axes a time [s] after the epoch."""
        angle = float(self.constants[EPOCH.at('rotation_angle')]) + ROTATION_RATE * time
        turned = (math.cos(angle / 2.0), 0.0, 0.0, math.sin(angle / 2.0))
        return rotations.compose(self.constants[EPOCH.of('q_WI')], turned)


def epoch_of(utc: str) -> Epoch:
    """Return the Epoch of a UTC date or time, ISO 8601; leap seconds are counted.

    Raises ValueError for any other text, naming it and the remedy.
    """
    import erfa

    first, second = utc_days(utc)
    with warnings.catch_warnings():
        # ERFA warns of a "dubious year": no leap second is known so far ahead; none is counted.
        warnings.simplefilter('ignore', erfa.ErfaWarning)
        terrestrial = erfa.taitt(*erfa.utctai(first, second))
        turned = erfa.era00(*erfa.utcut1(first, second, 0.0))
        begins = [sum(erfa.dtf2d('UTC', year, 1, 1, 0, 0, 0.0)) for year in _year_and_next(utc)]
    C_WI = erfa.c2i06a(*terrestrial).T
    C_WD = erfa.pmat06(*terrestrial).T
    share = (first - begins[0] + second) / (begins[1] - begins[0])
    constants = EPOCH.packed(
        year=_year_and_next(utc)[0] + share,
        days=terrestrial[0] - J2000 + terrestrial[1],
        rotation_angle=float(turned),
        q_WI=rotations.quaternion_from_matrix(*map(float, C_WI.flat)),
        C_WD=C_WD.ravel(),
    )
    constants.flags.writeable = False
    return Epoch(utc, constants)


def utc_days(utc: str) -> tuple[float, float]:
    """Return a UTC time as the two parts of ERFA's quasi Julian date; raises as epoch_of."""
    import erfa

    match = re.fullmatch(ISO, utc.strip()) if isinstance(utc, str) else None
    if match is None:
        raise ValueError(
            f'epoch is {utc!r}; it must be a time in UTC as 2026-11-01T12:00:00Z (ISO 8601)'
        )
    year, month, day, hour, minute = (int(part or 0) for part in match.groups()[:5])
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise ValueError(f'epoch is {utc}; give a year from {FIRST_YEAR} to {LAST_YEAR}')
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('error', erfa.ErfaWarning)
            warnings.filterwarnings('ignore', '.*dubious year')
            parts = erfa.dtf2d('UTC', year, month, day, hour, minute, float(match[6] or 0.0))
    except (erfa.ErfaError, erfa.ErfaWarning):
        raise ValueError(
            f'epoch is {utc}, which is no time in UTC; check day, hour and second (60 only in a '
            'leap second)'
        ) from None
    return float(parts[0]), float(parts[1])


def later(utc: str, days: float) -> str:
    """Return the UTC time days of 86400 s after another, to a microsecond; raises as epoch_of."""
    import erfa

    with warnings.catch_warnings():
        warnings.simplefilter('ignore', erfa.ErfaWarning)
        first, second = erfa.utctai(*utc_days(utc))
        year, month, day, clock = erfa.d2dtf('UTC', 6, *erfa.taiutc(first, second + days))
    hour, minute, whole, parts = clock.item()
    return f'{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{whole:02}.{parts:06}Z'


def _year_and_next(utc: str) -> tuple[int, int]:
    year = int(utc.strip()[:4])
    return year, year + 1


def seconds_between(utc: Sequence[str], epoch: str) -> Array:
    """Return the SI seconds (n,) from an epoch to UTC times (n,), texts; raises as epoch_of."""
    import erfa

    def atomic(text: str) -> tuple[float, float]:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', erfa.ErfaWarning)
            first, second = erfa.utctai(*utc_days(text))
        return float(first), float(second)

    zero = atomic(epoch)
    times = [atomic(text) for text in utc]
    return np.array([86400.0 * ((a - zero[0]) + (b - zero[1])) for a, b in times])
