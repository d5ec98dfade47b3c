# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The momentum form by semi-implicit Euler in principal axes (S2 of physics.md), first order.

    p += f h    L += τ h    then    x += p h / m    q += ½ q ∘ ω h    ω = I^-1 (q* ∘ L ∘ q)

Momenta first, so that position and attitude move with the new ones; then q is normalised.
"""

import numpy as np

from spacecraft_attitude_sim.core.equations.momentum import normalised
from spacecraft_attitude_sim.core.equations.shared.principal_frame import (
    body_momentum,
    in_body_axes,
    in_principal_axes,
    steps_for,
    wrench_in_principal_axes,
)
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_rate, quaternion_sandwich
from spacecraft_attitude_sim.kernels.kernel import compiled, inlined

# Largest turn in one automatic sub-step [rad]: an error of about this times the angle turned.
SUBSTEP_ANGLE = 1.0 / 1024.0


@inlined
def pushed(y, h, wrench):
    """Return y with the momenta h seconds later, position and attitude as they were."""
    q0, q1, q2, q3 = y[3], y[4], y[5], y[6]
    f0, f1, f2 = quaternion_sandwich(q0, q1, q2, q3, wrench[0], wrench[1], wrench[2])
    t0, t1, t2 = quaternion_sandwich(q0, q1, q2, q3, wrench[3], wrench[4], wrench[5])
    return (
        y[0], y[1], y[2], q0, q1, q2, q3,
        y[7] + h * (wrench[6] + f0), y[8] + h * (wrench[7] + f1), y[9] + h * (wrench[8] + f2),
        y[10] + h * (wrench[9] + t0), y[11] + h * (wrench[10] + t1), y[12] + h * (wrench[11] + t2),
    )  # fmt: skip


@inlined
def carried(y, h, inverses):
    """Return y with position and attitude h seconds later, the momenta as they are."""
    a0, a1, a2 = body_momentum(y)
    q0, q1, q2, q3 = y[3], y[4], y[5], y[6]
    r0, r1, r2, r3 = quaternion_rate(
        q0, q1, q2, q3, inverses[1] * a0, inverses[2] * a1, inverses[3] * a2
    )
    v = h * inverses[0]
    return (
        y[0] + v * y[7], y[1] + v * y[8], y[2] + v * y[9],
        q0 + h * r0, q1 + h * r1, q2 + h * r2, q3 + h * r3,
        y[7], y[8], y[9], y[10], y[11], y[12],
    )  # fmt: skip


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
    h = duration / substeps
    y = in_principal_axes(flat_state, body)
    for _ in range(substeps):
        y = normalised(carried(pushed(y, h, turned), h, inverses))
    return in_body_axes(y, body)


@compiled
def trajectory(flat_state, body, wrench, duration, substeps, steps):
    """Return the states (steps + 1, 13) at every `duration` seconds, the first included."""
    states = np.empty((steps + 1, flat_state.size))
    states[0] = flat_state
    for index in range(steps):
        states[index + 1] = advance(states[index], body, wrench, duration, substeps)
    return states
