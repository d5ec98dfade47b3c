# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Simulated time is an integer number of ticks of 1/32 s; this is its one home.

1/32 s is exact both as a binary float (0.03125 s) and as an integer (31 250 000 ns), so a time is
always computed from the tick count and never by adding.
"""

from __future__ import annotations

import math

TICKS_PER_SECOND = 32
TICK_NS = 31_250_000
TICK_SECONDS = 0.03125


def seconds(tick: int) -> float:
    """Return the time of a tick [s], exact."""
    return tick * TICK_SECONDS


def nanoseconds(tick: int) -> int:
    """Return the time of a tick [ns], an exact integer."""
    return tick * TICK_NS


def ticks_covering(duration: float) -> int:
    """Return the smallest number of ticks that lasts at least `duration` seconds."""
    return math.ceil(duration * TICKS_PER_SECOND)
