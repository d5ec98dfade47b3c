# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Exact free motion between kicks of the held wrench, fourth order.

Kick h/6, flow h/2, kick 2h/3, flow h/2, kick h/6; in the middle kick a wrench v fixed in the body
becomes v + h²/24 (I^-1 τ) × v. Algorithm 4A of S. A. Chin, Phys. Lett. A 226 (1997) 344: two flows
and no step backward. Its force gradient is here the change of the wrench as τ turns the body;
the double commutator it stands for depends on attitude alone whether or not τ has a potential.
Where nothing turns with the body and no torque acts, one kick, flow, kick is exact.
"""

import numpy as np

from spacecraft_attitude_sim.core.equations.exact_kick2 import strang
from spacecraft_attitude_sim.core.equations.shared.principal_frame import (
    in_body_axes,
    in_principal_axes,
    leaves_free,
    steps_for,
    wrench_in_principal_axes,
)
from spacecraft_attitude_sim.core.equations.shared.splitting import flow, kick, with_gradient
from spacecraft_attitude_sim.kernels.kernel import compiled, inlined

# Largest turn in one automatic sub-step under torque [rad].
SUBSTEP_ANGLE = 1.0 / 8.0


@inlined
def gradient_step(y, h, inverses, moments, wrench):
    """Return y = (x, q, p, L) h seconds later, thirteen floats."""
    y = flow(kick(y, h / 6.0, wrench), h / 2.0, inverses[0], moments)
    y = kick(y, 2.0 * h / 3.0, with_gradient(y, h * h / 24.0, wrench, inverses))
    return kick(flow(y, h / 2.0, inverses[0], moments), h / 6.0, wrench)


@compiled
def advance(flat_state, body, wrench, duration, substeps):
    """Return the state (13,) `duration` seconds later, the wrench held.

    flat_state: (13,) of core.body.state;  body: (12,) of RigidBody.flat
    wrench: (12,) of core.body.loads;  duration: [s]
    substeps: steps taken in it, 0 for the number that keeps each turn below SUBSTEP_ANGLE; one
        when nothing acts on the attitude and no force turns with the body, which is exact
    """
    if substeps < 1:
        substeps = 1
        if not leaves_free(wrench):
            substeps = steps_for(SUBSTEP_ANGLE, flat_state, body, wrench, duration)
    turned = wrench_in_principal_axes(wrench, body)
    inverses = (body[0], body[1], body[2], body[3])
    moments = (body[9], body[10], body[11])
    h = duration / substeps
    y = in_principal_axes(flat_state, body)
    if leaves_free(wrench):
        for _ in range(substeps):
            y = strang(y, h, inverses, moments, turned)
    else:
        for _ in range(substeps):
            y = gradient_step(y, h, inverses, moments, turned)
    return in_body_axes(y, body)


@compiled
def trajectory(flat_state, body, wrench, duration, substeps, steps):
    """Return the states (steps + 1, 13) at every `duration` seconds, the first included."""
    states = np.empty((steps + 1, flat_state.size))
    states[0] = flat_state
    for index in range(steps):
        states[index + 1] = advance(states[index], body, wrench, duration, substeps)
    return states
