# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Euler's equation with a quaternion by Euler's explicit method, first order: for comparison only.

    ω += h I^-1 (τ_B + q* ∘ τ_W ∘ q - ω × I ω)    q += ½ h q ∘ ω    x += h v    p += h f

All right sides are taken before the step; then q is normalised. Each step makes a turning ω
longer, so L and energy grow without end. As in euler_quaternion.py, q turns principal axes into
world axes, and L is replaced by ω only within a tick.
"""

from spacecraft_attitude_sim.core.equations.euler_quaternion import (
    derivative,
    with_momentum,
    with_rate,
)
from spacecraft_attitude_sim.core.equations.momentum import moved, normalised
from spacecraft_attitude_sim.core.equations.shared import driver
from spacecraft_attitude_sim.core.mathematics.types import FlatBody, Floats
from spacecraft_attitude_sim.kernels.kernel import inlined

# Largest turn in one automatic sub-step [rad]: an error of about this times the angle turned.
SUBSTEP_ANGLE = 1.0 / 1024.0


@inlined
def step(y: Floats, h: float, body: FlatBody, wrench: Floats) -> Floats:
    """Return y = (x, q, p, ω) h seconds later, thirteen floats."""
    return normalised(moved(y, h, derivative(y, body, wrench)))


advance = driver.make_advance(step, SUBSTEP_ANGLE, with_rate, with_momentum)
trajectory = driver.make_trajectory(advance)
tick = driver.make_tick(advance)
