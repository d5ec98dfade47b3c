# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A body under the control law without a node: a compiled loop, closed at every tick."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.control import control_law, integral
from spacecraft_attitude_sim.core.equations.momentum import advance
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_sandwich
from spacecraft_attitude_sim.core.ticks import TICK_NS, seconds_of
from spacecraft_attitude_sim.kernels.kernel import compiled

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, FlatBody, FlatState, Vector3

INTEGRAL_SIZE = integral.MEMORY.size


@compiled
def closed_loop(
    flat_state: FlatState,
    body: FlatBody,
    gains: Array,
    reference: Array,
    steps: int,
    tick_ns: int = TICK_NS,
) -> tuple[Array, Array]:
    """Return the states (steps + 1, 13) and torques (steps, 3) of a body under the law.

    Ideal measurements without delay: the torque of each tick is that of the state at its start, as
    for the node in lockstep.

    flat_state: (13,) of core.body.state;  body: (12,) of RigidBody.flat
    gains, reference: flat, of core.control.control_law, turning at its constant rate
    tick_ns: length of a tick [ns]
    """
    states, torques = np.empty((steps + 1, 13)), np.empty((steps, 3))
    states[0] = flat_state
    wrench, way, now = np.zeros(12), control_law.UNDECIDED, reference.copy()
    memory, seconds = np.zeros(INTEGRAL_SIZE), seconds_of(1, tick_ns)
    for k in range(steps):
        now[0:4] = control_law.turned(reference, seconds_of(k, tick_ns))
        omega_B = angular_velocity_B(states[k], body)
        s = integral.resumed(gains, 0.0, seconds, seconds, memory)
        torque_B, way, share = control_law.torque(gains, now, states[k, 3:7], omega_B, way, s)
        integral.judged(gains, now, way, share, memory)
        wrench[3:6] = torques[k] = torque_B
        states[k + 1] = advance(states[k], body, wrench, seconds, 0)
    return states, torques


@compiled
def angular_velocity_B(flat_state: FlatState, body: FlatBody) -> Vector3:
    """Return ω_B (3,) [rad/s] of a flat state (13,) and body (12,), by its principal axes."""
    q, o = flat_state[3:7], body[4:8]
    L_B = quaternion_sandwich(
        q[0], -q[1], -q[2], -q[3], flat_state[10], flat_state[11], flat_state[12]
    )
    L_P = quaternion_sandwich(o[0], -o[1], -o[2], -o[3], L_B[0], L_B[1], L_B[2])
    return np.array(
        quaternion_sandwich(
            o[0], o[1], o[2], o[3], body[1] * L_P[0], body[2] * L_P[1], body[3] * L_P[2]
        )
    )
