# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""When a ground target sees the spacecraft: rise, culmination and set."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.guidance.motion import GuidanceError

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.guidance.ephemeris import Ephemeris

# Time between instants at which the elevation is looked at [s]: shorter than half of the time
# between a rise and the next set. Times are found to TOLERANCE [s].
LOOK, TOLERANCE = 20.0, 1e-4
# A window may be this long [s]: a month takes some seconds.
LONGEST = 31.0 * 86400.0


class Access(NamedTuple):
    """One pass over a target.

    rise, culmination, set: [s]; rise and set are the window's ends where it begins or ends in a
        pass;  elevation: at the culmination [rad]
    """

    rise: float
    culmination: float
    set: float
    elevation: float


def accesses(
    ephemeris: Ephemeris, target: str, least: float, begin: float, end: float
) -> list[Access]:
    """Return the passes over a target, without refraction, in order.

    A pass between two culminations closer than 20 s is one; so is one that begins and ends between
    two looks, and its times are found all the same.

    target: name of a Target;  least: elevation at rise and set [rad];  begin, end: window [s]
    Raises GuidanceError where the orbit or the target is not known, or no window is given.
    """
    _check(ephemeris, target, least, begin, end)
    times = np.linspace(begin, end, max(math.ceil((end - begin) / LOOK), 2) + 1).tolist()
    heights = [ephemeris.elevation(target, time) for time in times]
    passes = []
    for k, height in enumerate(heights):
        before = heights[k - 1] if k else -math.inf
        after = heights[k + 1] if k + 1 < len(heights) else -math.inf
        if not before <= height > after:
            continue
        around = times[max(k - 1, 0)], times[min(k + 1, len(times) - 1)]
        top = _culmination(ephemeris, target, *around)
        highest = ephemeris.elevation(target, top)
        if highest > least:
            rise = _crossing(ephemeris, target, least, top, begin, -LOOK)
            fall = _crossing(ephemeris, target, least, top, end, LOOK)
            passes.append(Access(rise, top, fall, highest))
    return passes


def _check(ephemeris: Ephemeris, target: str, least: float, begin: float, end: float) -> None:
    """Raise GuidanceError, as of `accesses`."""
    if target not in ephemeris.targets:
        names = ', '.join(ephemeris.targets) or 'none'
        raise GuidanceError(f"there is no target '{target}'; targets are {names}")
    if not abs(least) < 0.5 * math.pi:
        raise GuidanceError(
            f'least elevation is {math.degrees(least):g} deg; give one between -90 and 90'
        )
    if not 0.0 < end - begin <= LONGEST or not math.isfinite(begin):
        raise GuidanceError(
            f'the window is {begin:g} s to {end:g} s; let it end later than it begins, by at most '
            f'{LONGEST:g} s'
        )


def _culmination(ephemeris: Ephemeris, target: str, begin: float, end: float) -> float:
    """Return when the elevation is largest between two times [s]."""
    from scipy.optimize import minimize_scalar

    highest = minimize_scalar(
        lambda time: -ephemeris.elevation(target, time), bounds=(begin, end), method='bounded',
        options={'xatol': TOLERANCE},
    )  # fmt: skip
    return max((float(highest.x), begin, end), key=lambda time: ephemeris.elevation(target, time))


def _crossing(
    ephemeris: Ephemeris, target: str, least: float, top: float, limit: float, step: float
) -> float:
    """Return when the elevation is `least` next, from the culmination towards a limit [s]."""
    from scipy.optimize import brentq

    inside = top
    while True:
        outside = max(inside + step, limit) if step < 0.0 else min(inside + step, limit)
        if ephemeris.elevation(target, outside) < least:
            break
        if outside == limit:
            return limit
        inside = outside
    crossing = brentq(
        lambda time: ephemeris.elevation(target, time) - least, inside, outside, xtol=TOLERANCE
    )
    return float(crossing)
