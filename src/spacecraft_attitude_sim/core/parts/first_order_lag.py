# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""First-order lags of motors, valves and dipoles, and the straight lines that replace them.

A line with the same integral and the same first moment replaces a decay in a step. So impulses are
exact for any step, and so are angles about one axis. The error of the line grows with the decay in
a step; `longest_line` bounds it.
"""

from __future__ import annotations

import math

from spacecraft_attitude_sim.kernels.branches import rarely
from spacecraft_attitude_sim.kernels.kernel import helper, part

# Largest error of rate that a line may leave in one automatic sub-step [rad/s]. For external
# torques, whose errors add up in L, it is the round-off of 1 rad/s; for motors, which leave L as
# it is, it is larger.
LINE_ERROR, MOTOR_LINE_ERROR = 2.0**-52, 1e-9


@part
def line(begin: float, target: float, lag: float, h: float) -> tuple[float, float, float]:
    """Return a, b of the line a + b t that replaces a decay over h, and the decay's last value.

    The decay goes from `begin` to `target` with the time constant `lag` [s]. The line has the same
    integral and first moment. Where h is 0 it is the value at the beginning.
    """
    if lag <= 0.0 or begin == target:
        return target, 0.0, target
    if h <= 0.0:
        return begin, 0.0, begin
    return line_of(begin, target, decay_over(h / lag), h)


@helper
def drawn(begin: float, target: float, lag: float, h: float) -> tuple[float, float, float]:
    """Return `line`; the usual case, that nothing decays, comes first."""
    if rarely(lag > 0.0 and begin != target):
        return line(begin, target, lag, h)
    return target, 0.0, target


@helper
def decay_over(x: float) -> tuple[float, float, float]:
    """Return what a decay loses in x time constants, its mean, and the slope of its line.

    The decay goes from 1 to 0; the slope is that over the whole time.
    """
    lost = -math.expm1(-x)  # 1 - e^-x
    mean = lost / x
    if x < 0.05:
        slope = -x * (1.0 - x * (0.5 - x * (0.15 - x * (1.0 / 30.0 - x / 168.0))))
    else:
        slope = 12.0 * ((lost - x * (1.0 - lost)) / (x * x) - 0.5 * mean)
    return lost, mean, slope


@helper
def line_of(
    begin: float, target: float, decay: tuple[float, float, float], h: float
) -> tuple[float, float, float]:
    """Return what `line` does where something decays; decay: of `decay_over`."""
    lost, mean, slope = decay
    off = begin - target
    a = target + off * (mean - 0.5 * slope)
    return a, off * slope / h, target + off * (1.0 - lost)


@helper
def lagging(begin: float, target: float, lag: float, t: float) -> float:
    """Return a first-order lag after t [s], from `begin` to `target`; lag: time constant [s]."""
    if lag <= 0.0 or begin == target:
        return target
    return target + (begin - target) * math.exp(-t / lag)


@helper
def longest_line(jump: float, lag: float, error: float) -> float:
    """Return the longest step in which a line may replace a decay [s]; inf where nothing decays.

    With x = step/lag, the second moment of what the line leaves out is at most
    jump step³ min(x²/360, 1/(6 x)); that is the error of the rate.

    jump: torque that decays, times `bend` of multibody.step_count [rad/s^4]
    lag: time constant [s];  error: largest error of the rate [rad/s]
    """
    if lag <= 0.0 or jump <= 0.0:
        return math.inf
    smooth = math.exp(math.log(360.0 * error * lag * lag / jump) / 5.0)
    return max(smooth, math.sqrt(6.0 * error / (jump * lag)))
