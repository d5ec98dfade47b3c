# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Static and dynamic imbalance of a reaction wheel as loads of a step.

In the plane of the wheel the load is a number of the complex plane: Ω² exp(i θ) times the
imbalance, with Ω = dθ/dt. In a step the wheel accelerates evenly. The load becomes the line over
time with the same integral and first moment.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.vectors import (
    cross,
    moved_vector,
    put,
    scaled,
    three_at,
)
from spacecraft_attitude_sim.core.parts.craft import FORCE, RATES
from spacecraft_attitude_sim.core.parts.reaction_wheels.layouts import (
    AXIS,
    PHASE,
    POSITION,
    RADIAL,
    SKEWED,
    UNBALANCED,
)
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Gauss-Legendre with eight nodes (Abramowitz & Stegun, table 25.4), right to 3e-9 of the largest
# load where a wheel turns by 4 rad. Written here, for libraries of linear algebra compute them.
FAR = (0.9602898564975363, 0.7966664774136267, 0.5255324099163290, 0.1834346424956498)
NODES = (*(-x for x in FAR), *FAR)
WEIGHTS = 2 * (0.1012285362903763, 0.2223810344533745, 0.3137066458778873, 0.3626837833783620)
LARGEST_TURN, MOST_PANELS = 4.0, 128
# Largest |dΩ/dt|/Ω² of the series for wheels that turn more: what it leaves out is below 1e-8.
LARGEST_GAIN = 1.0 / 256.0


@part
def line_of_imbalance(
    angle: float, speed: float, gain: float, h: float
) -> tuple[float, float, float, float]:
    """Return the line over h [s] that replaces Ω² exp(i θ): its start and slope, each complex.

    With h = 0 it is the value now.

    angle, speed, gain: θ, Ω and dΩ/dt now [rad], [rad/s], [rad/s²]
    """
    last = speed + gain * h
    least, most = min(abs(speed), abs(last)), max(abs(speed), abs(last))
    if h <= 0.0 or most == 0.0:
        size = speed * speed
        return size * math.cos(angle), size * math.sin(angle), 0.0, 0.0
    swift = most * h > LARGEST_TURN and speed * last > 0.0
    if swift and abs(gain) <= LARGEST_GAIN * least * least:
        whole, moment = swift_moments(angle, speed, gain, h)
    else:
        whole, moment = moments(angle, speed, gain, h)
    slope = (12.0 / h * moment[0], 12.0 / h * moment[1])
    return (
        whole[0] - 0.5 * h * slope[0], whole[1] - 0.5 * h * slope[1], slope[0], slope[1]
    )  # fmt: skip


@part
def moments(
    angle: float, speed: float, gain: float, h: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the mean of f = Ω² exp(i θ) over h, and that of f (t/h - 1/2), by quadrature."""
    most = max(abs(speed), abs(speed + gain * h))
    panels = MOST_PANELS
    if most * h < LARGEST_TURN * MOST_PANELS:
        panels = int(most * h / LARGEST_TURN) + 1
    x = y = x1 = y1 = 0.0
    for panel in range(panels):
        for k in range(len(NODES)):
            at = (panel + 0.5 + 0.5 * NODES[k]) / panels  # part of the step
            t = h * at
            now = angle + t * (speed + 0.5 * gain * t)
            size = 0.5 * WEIGHTS[k] / panels * (speed + gain * t) * (speed + gain * t)
            c, s = size * math.cos(now), size * math.sin(now)
            x, y = x + c, y + s
            x1, y1 = x1 + c * (at - 0.5), y1 + s * (at - 0.5)
    return (x, y), (x1, y1)


@part
def swift_moments(
    angle: float, speed: float, gain: float, h: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Do what `moments` does, by parts, where the wheel turns far and its speed changes little.

    With E = exp(i θ) and G the integral of E, the integral of f is [-i Ω E] + i (dΩ/dt) G and that
    of t f is -i h Ω E + 2 [E] - i Ω(0) G. G is an asymptotic series in (dΩ/dt)/Ω².
    """
    last = speed + gain * h
    end = angle + h * (speed + 0.5 * gain * h)
    first, then = (math.cos(angle), math.sin(angle)), (math.cos(end), math.sin(end))
    # i G at both ends
    before, after = turned_series(first, gain, speed), turned_series(then, gain, last)
    g = (after[0] - before[0], after[1] - before[1])
    x = last * then[1] - speed * first[1] + gain * g[0]
    y = speed * first[0] - last * then[0] + gain * g[1]
    x1 = h * last * then[1] + 2.0 * (then[0] - first[0]) - speed * g[0]
    y1 = -h * last * then[0] + 2.0 * (then[1] - first[1]) - speed * g[1]
    whole = (x / h, y / h)
    return whole, (x1 / (h * h) - 0.5 * whole[0], y1 / (h * h) - 0.5 * whole[1])


@helper
def turned_series(e: tuple[float, float], gain: float, speed: float) -> tuple[float, float]:
    """Return E/Ω (1 + z + 3 z² + 15 z³) with z = -i (dΩ/dt)/Ω²; e: E as two floats."""
    ratio = gain / (speed * speed)
    real = 1.0 - 3.0 * ratio * ratio
    imaginary = ratio * (15.0 * ratio * ratio - 1.0)
    return (
        (e[0] * real - e[1] * imaginary) / speed, (e[0] * imaginary + e[1] * real) / speed
    )  # fmt: skip


@helper
def add_imbalance(
    angle: float, speed: float, gain: float, h: float, parts: Array, row: int, work: Array
) -> None:
    """Add force and torque of a wheel's imbalance as lines over h [s]; h = 0: their value now.

    angle, speed, gain: of the wheel now, and how fast its speed changes [rad/s²]
    """
    e1, axis = three_at(parts, row + RADIAL), three_at(parts, row + AXIS)
    e2 = cross(axis, e1)
    place = three_at(parts, row + POSITION)
    a, b, a1, b1 = line_of_imbalance(angle, speed, gain, h)
    heavy, skewed = parts[row + UNBALANCED], parts[row + SKEWED]
    # The dynamic imbalance is turned by its phase, and its torque by a quarter of a turn more.
    c, s = -skewed * math.sin(parts[row + PHASE]), skewed * math.cos(parts[row + PHASE])
    for i in range(2):
        x, y = (a, b) if i == 0 else (a1, b1)
        force = moved_vector(scaled(heavy * x, e1), heavy * y, e2)
        torque = moved_vector(cross(place, force), c * x - s * y, e1)
        torque = moved_vector(torque, s * x + c * y, e2)
        at = FORCE if i == 0 else RATES
        put(work, at, moved_vector(three_at(work, at), 1.0, force))
        put(work, at + 3, moved_vector(three_at(work, at + 3), 1.0, torque))
