# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Rate damping as the law of a batch: a torque -gain ω about the body axes, limited."""

import numpy as np

from spacecraft_attitude_sim.core.batch import Law
from spacecraft_attitude_sim.core.batch_loop import law_function
from spacecraft_attitude_sim.core.equations.principal_frame import body_momentum, in_principal_axes
from spacecraft_attitude_sim.core.rotations import quaternion_sandwich

GAIN, LIMIT = 0, 1


def rate_damping(count, gain, torque_limit):
    """Return the Law of `count` bodies.

    gain: [N m s/rad], torque_limit: about each axis [N m]; a number, or (count,)
    """
    constants = np.empty((count, 2))
    constants[:, GAIN], constants[:, LIMIT] = gain, torque_limit
    return Law(damp, constants, np.zeros((count, 1)))


@law_function
def damp(tick, flat_state, body, constants, memory, wrench):
    """Write the torque against the angular velocity."""
    m = body_momentum(in_principal_axes(flat_state, body))
    omega = quaternion_sandwich(
        body[4], body[5], body[6], body[7], body[1] * m[0], body[2] * m[1], body[3] * m[2]
    )
    for axis in range(3):
        torque = -constants[GAIN] * omega[axis]
        wrench[3 + axis] = min(max(torque, -constants[LIMIT]), constants[LIMIT])
