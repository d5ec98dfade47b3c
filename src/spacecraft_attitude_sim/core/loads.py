# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Loads on the body, summed into one wrench about the centre of mass.

A flat wrench is an array (12,): force and torque that turn with the body, in body axes, then force
and torque in world axes [N, N m].
"""

import numpy as np

FREE = np.zeros(12)
FREE.flags.writeable = False


def with_gravity(wrench, weight_W):
    """Return the wrench (12,) with a uniform gravity's force `weight_W` (3,) [N] added."""
    total = wrench.copy()
    total[6:9] += weight_W
    return total
