# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Margins of a sampled loop L: of gain, phase and delay, and the peak of its sensitivity.

All are found on the loop itself, without an approximation of its delay: frequencies at which |L|
is 1 or L is real and negative are bracketed on a grid that is fine near every pole, and refined by
Brent's method. L is that of negative feedback, so the closed loop has the poles of 1/(1 + L)
(K. J. Åström and R. M. Murray, Feedback Systems, 2021, sections 10.3 and 12.1).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacecraft_attitude_sim.core.design.sampled_loop import AxisLoop
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Points of the grid: over all frequencies, and about each pole, in units of its damping.
POINTS, ABOUT = 600, 24
NEAREST, FARTHEST = 0.02, 300.0
# Decades below the slowest frequency of the loop at which the grid begins.
BELOW = 2.0
REFINED = 1e-10
# Less gain than this is none: L of a pole at 0, or of an oscillation without damping.
ENDLESS = 1e-6
# Where the grid ends, in units of half the sampling rate.
INSIDE = 1.0 - 1e-9


class Crossing(NamedTuple):
    """A frequency at which L crosses the unit circle, or the negative real axis.

    rate: [rad/s]
    margin: phase to -180 deg [rad], or 1/|L|, the factor of the gain that brings L to -1
    """

    rate: float
    margin: float


class Margins(NamedTuple):
    """Margins of one loop.

    gains: Crossings of the negative real axis;  phases: of the unit circle, in order of frequency
    crossover: the highest frequency at which |L| is 1 [rad/s]; nan for none
    gain_up, gain_down: factors of the gain, above and below 1, at which it is marginal; inf, 0
    phase: smallest in size, at any crossing of the unit circle [rad];  phase_at: there [rad/s]
    delay: smallest additional delay at which it is marginal [s], inf for none;  delay_at: [rad/s]
    sensitivity: peak of |1/(1 + L)|;  sensitivity_at: [rad/s]
    bandwidth: at which |L/(1 + L)| falls below 1/sqrt(2) for the last time [rad/s]
    """

    gains: tuple[Crossing, ...]
    phases: tuple[Crossing, ...]
    crossover: float
    gain_up: float
    gain_down: float
    phase: float
    phase_at: float
    delay: float
    delay_at: float
    sensitivity: float
    sensitivity_at: float
    bandwidth: float

    @property
    def gain_up_db(self) -> float:
        """Return how far the gain may rise [dB], inf for any."""
        return decibels(self.gain_up)

    @property
    def gain_down_db(self) -> float:
        """Return how far the gain may fall [dB], a negative number, -inf for any."""
        return decibels(self.gain_down)

    @property
    def phase_deg(self) -> float:
        """Return the phase margin [deg]."""
        return math.degrees(self.phase)


def decibels(factor: float) -> float:
    """Return 20 log10 of a factor [dB]; -inf of 0."""
    return 20.0 * math.log10(factor) if factor > 0.0 else -math.inf


def margins(loop: AxisLoop) -> Margins:
    """Return the Margins of the loop of an axis, L."""
    rates = grid(loop)
    values = loop.response(rates)

    def at(rate: float) -> complex:
        return complex(loop.response(np.array([rate]))[0])

    crossed = refined(rates, np.log(np.abs(values)), lambda w: math.log(abs(at(w))))
    phases = tuple(Crossing(w, _phase_margin(at(w))) for w in crossed)
    real = refined(rates, values.imag, lambda w: at(w).imag)
    crosses = ((w, value.real) for w in real if (value := at(w)).real < 0.0)
    ends = _at_zero(rates, at), _at_end(rates, at)
    gains = tuple(Crossing(w, -1.0 / x) for w, x in (*ends[0], *crosses, *ends[1]))
    closest = min(
        phases, key=lambda crossing: abs(crossing.margin), default=Crossing(math.nan, math.inf)
    )
    delays = [Crossing(w, (m % (2.0 * math.pi)) / w) for w, m in phases]
    soonest = min(
        delays, key=lambda crossing: crossing.margin, default=Crossing(math.nan, math.inf)
    )
    peak_at, least = lowest(rates, np.abs(1.0 + values), lambda w: abs(1.0 + at(w)))
    factors = [crossing.margin for crossing in gains if crossing.margin > ENDLESS]
    tracked = np.abs(values / (1.0 + values))
    falls = refined(
        rates, tracked - math.sqrt(0.5), lambda w: abs(at(w) / (1.0 + at(w))) - math.sqrt(0.5)
    )
    return Margins(
        gains, phases, phases[-1].rate if phases else math.nan,
        min((factor for factor in factors if factor > 1.0), default=math.inf),
        max((factor for factor in factors if factor < 1.0), default=0.0),
        closest.margin, closest.rate, soonest.margin, soonest.rate, 1.0 / least, peak_at,
        falls[-1] if falls else math.nan,
    )  # fmt: skip


def _at_zero(rates: Array, at: Callable[[float], complex]) -> list[tuple[float, float]]:
    """Return (0, L) where L is finite and negative at frequency 0: without an integrator."""
    slow = 1e-3 * rates[0]
    first, second = at(slow), at(2.0 * slow)
    constant = abs(first - second) < 1e-3 * abs(first)
    return [(0.0, first.real)] if constant and first.real < 0.0 else []


def _at_end(rates: Array, at: Callable[[float], complex]) -> list[tuple[float, float]]:
    """Return half the sampling rate [rad/s], and L where it is negative: it is real there."""
    last = float(rates[-1] / INSIDE)
    value = at(last).real
    return [(last, value)] if value < 0.0 else []


def _phase_margin(value: complex) -> float:
    """Return the phase of L beyond -180 deg [rad], from -π to π."""
    return math.atan2(-value.imag, -value.real)


def grid(loop: AxisLoop) -> Array:
    """Return rising frequencies (F,) [rad/s] from below all poles to half the sampling rate.

    About each pole that is lightly damped they are as near to each other as its damping asks.
    """
    end = math.pi / loop.period
    poles = loop.poles()
    poles = np.log(poles[np.abs(poles) > 1e-12].astype(complex)) / loop.period
    sizes = np.abs(poles)
    slow = sizes[sizes > 1e-7 * end]
    begin = min(1e-2 * end, 10.0**-BELOW * slow.min()) if len(slow) else 1e-6 * end
    begin = max(begin, 1e-9 * end)
    decades = math.log10(end / begin)
    points = [np.geomspace(begin, end * INSIDE, int(POINTS * max(decades, 3.0) / 3.0))]
    steps = np.geomspace(NEAREST, FARTHEST, ABOUT)
    for pole in poles[(poles.imag > begin) & (-poles.real < 0.3 * np.abs(poles))]:
        width = max(abs(pole.real), 1e-9 * pole.imag)
        near = pole.imag + width * np.concatenate((-steps, [0.0], steps))
        points.append(near[(near > begin) & (near < end)])
    return np.unique(np.concatenate(points))


def refined(rates: Array, values: Array, function: Callable[[float], float]) -> list[float]:
    """Return the frequencies at which a function is zero, from its values (F,) on a grid."""
    from scipy.optimize import brentq

    changes = np.flatnonzero(np.signbit(values[1:]) != np.signbit(values[:-1]))
    return [
        float(brentq(function, rates[k], rates[k + 1], rtol=REFINED, xtol=1e-300)) for k in changes
    ]


def lowest(rates: Array, values: Array, function: Callable[[float], float]) -> tuple[float, float]:
    """Return where a function is smallest, and its value there, from its values (F,) on a grid."""
    from scipy.optimize import minimize_scalar

    k = int(np.argmin(values))
    low, high = rates[max(0, k - 1)], rates[min(len(rates) - 1, k + 1)]
    best = minimize_scalar(function, bounds=(low, high), method='bounded',
                           options={'xatol': 1e-8 * high})  # fmt: skip
    if best.fun < values[k]:
        return float(best.x), float(best.fun)
    return float(rates[k]), float(values[k])
