# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Simulated time: a whole number of ticks, a tick a whole number of nanoseconds.

A time is always computed from the tick count and never by adding, so that every stamp is exact.
"""

from __future__ import annotations

import math
from dataclasses import field

from spacecraft_attitude_sim.kernels.kernel import helper
from spacecraft_attitude_sim.safety.frozen import dataclass

NANOSECONDS = 1_000_000_000
# Tick of the default rate, 32 Hz, exact both as a binary float and in nanoseconds.
TICKS_PER_SECOND = 32
TICK_NS = 31_250_000
TICK_SECONDS = 0.03125
# Shortest and longest tick [ns]: rates from 0.01 to 10 000 Hz.
SHORTEST, LONGEST = 100_000, 100_000_000_000
# Largest time of a stamp, which has 32-bit seconds [s].
LAST_SECOND = 2**31 - 1
# Decimals of a rate that is easy to write.
SHORT = 1e3


@helper
def seconds_of(tick: int, tick_ns: int) -> float:
    """Return the time of a tick [s]: the same bits in Python and compiled."""
    return tick * tick_ns / 1e9


@dataclass(frozen=True)
class Ticks:
    """The instants of a run, tick after tick.

    tick_ns: length of a tick [ns];  step: the same [s]
    """

    tick_ns: int = TICK_NS
    step: float = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Compute the length in seconds."""
        object.__setattr__(self, 'step', self.tick_ns / 1e9)

    @staticmethod
    def at(rate: float) -> Ticks:
        """Return the Ticks of a rate [Hz].

        Raises ValueError, naming rates near it, where a tick is not a whole number of nanoseconds.
        """
        tick_ns = round(NANOSECONDS / rate)
        if SHORTEST <= tick_ns <= LONGEST and _is_rate(rate, tick_ns):
            return Ticks(tick_ns)
        raise ValueError(
            f'is {rate!r} Hz, of which a tick is no whole number of nanoseconds; the nearest '
            f'that work are {_words(_nearest(rate))}, of short ones {_words(_nearest_short(rate))}'
        )

    @property
    def rate(self) -> float:
        """Ticks in a second [Hz]."""
        return NANOSECONDS / self.tick_ns

    def seconds(self, tick: int) -> float:
        """Return the time of a tick [s], rounded once."""
        return seconds_of(tick, self.tick_ns)

    def stamp(self, tick: int) -> int:
        """Return the time of a tick [ns], an exact integer."""
        return tick * self.tick_ns

    def at_stamp(self, stamp: int) -> int:
        """Return the last tick that is not after a time [ns]."""
        return stamp // self.tick_ns

    def covering(self, duration: float) -> int:
        """Return the smallest number of ticks that lasts at least `duration` seconds."""
        count = math.ceil(duration * self.rate)
        # The product is rounded, as for 0.1 s with ticks of 30 000 000 ns.
        while count > 0 and self.seconds(count - 1) >= duration:
            count -= 1
        while self.seconds(count) < duration:
            count += 1
        return count


DEFAULT = Ticks()
# Old names, from when there was one rate only; kept until 0.2.0.
seconds, nanoseconds, ticks_covering = DEFAULT.seconds, DEFAULT.stamp, DEFAULT.covering


def _is_rate(rate: float, tick_ns: int) -> bool:
    """Return whether a tick of tick_ns nanoseconds has this rate, apart from rounding."""
    return abs(NANOSECONDS / rate - tick_ns) <= 4.0 * math.ulp(NANOSECONDS / rate)


def _nearest(rate: float) -> tuple[float, float]:
    """Return the nearest rates below and above that work [Hz]."""
    period = min(max(NANOSECONDS / rate, SHORTEST), LONGEST)
    below, above = min(math.floor(period) + 1, LONGEST), max(math.ceil(period) - 1, SHORTEST)
    return NANOSECONDS / below, NANOSECONDS / above


def _nearest_short(rate: float) -> tuple[float, float]:
    """Return the nearest rates below and above that work and have at most three decimals [Hz]."""
    lengths = (2**i * 5**j for i in range(40) for j in range(20))
    rates = [NANOSECONDS / length for length in lengths if SHORTEST <= length <= LONGEST]
    short = [one for one in rates if (one * SHORT).is_integer()]
    below, above = (one for one in short if one < rate), (one for one in short if one > rate)
    return max(below, default=min(short)), min(above, default=max(short))


def _words(rates: tuple[float, float]) -> str:
    low, high = (f'{rate!r}' for rate in rates)
    return f'{low} and {high} Hz' if low != high else f'{low} Hz'
