# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Euler's equation with a quaternion by Euler's explicit method, first order: the foil of S1.

    ω += h I^-1 (τ_B + q* ∘ τ_W ∘ q - ω × I ω)    q += ½ h q ∘ ω    x += h v    p += h f

All from the values of before the step; then q is normalised. It is what one writes first, and what
S1 argues against: each step lengthens a turning ω, so that L and energy grow without end. As in
euler_quaternion.py, q turns principal axes into world, and L becomes ω only within a tick.
"""

import numpy as np

from spacecraft_attitude_sim.core.equations.euler_quaternion import (
    derivative,
    with_momentum,
    with_rate,
)
from spacecraft_attitude_sim.core.equations.momentum import moved, normalised
from spacecraft_attitude_sim.core.equations.shared.principal_frame import (
    in_body_axes,
    in_principal_axes,
    steps_for,
    wrench_in_principal_axes,
)
from spacecraft_attitude_sim.kernels.kernel import compiled

# Largest turn in one automatic sub-step [rad]: an error of about this times the angle turned.
SUBSTEP_ANGLE = 1.0 / 1024.0


@compiled
def advance(flat_state, body, wrench, duration, substeps):
    """Return the state (13,) `duration` seconds later, the wrench held.

    flat_state: (13,) of core.body.state;  body: (12,) of RigidBody.flat
    wrench: (12,) of core.body.loads;  duration: [s]
    substeps: steps taken in it, 0 for the number that keeps each turn below SUBSTEP_ANGLE
    """
    if substeps < 1:
        substeps = steps_for(SUBSTEP_ANGLE, flat_state, body, wrench, duration)
    turned = wrench_in_principal_axes(wrench, body)
    inverses = (body[0], body[1], body[2], body[3])
    moments = (body[9], body[10], body[11])
    h = duration / substeps
    y = with_rate(in_principal_axes(flat_state, body), inverses)
    for _ in range(substeps):
        y = normalised(moved(y, h, derivative(y, inverses, moments, turned)))
    return in_body_axes(with_momentum(y, moments), body)


@compiled
def trajectory(flat_state, body, wrench, duration, substeps, steps):
    """Return the states (steps + 1, 13) at every `duration` seconds, the first included."""
    states = np.empty((steps + 1, flat_state.size))
    states[0] = flat_state
    for index in range(steps):
        states[index + 1] = advance(states[index], body, wrench, duration, substeps)
    return states
