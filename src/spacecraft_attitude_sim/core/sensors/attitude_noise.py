# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""White noise of a measured attitude, about the axes of the sensor."""

import math

from spacecraft_attitude_sim.core.mathematics.random_streams import three_normals
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_product
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.core.mathematics.vectors import norm
from spacecraft_attitude_sim.kernels.kernel import helper, part


@helper
def disturbed(q_WS: Floats, sigma: Floats, seed: int, channel: int, tick: int) -> Floats:
    """Return an attitude with an added rotation by normal angles about its own axes, four floats.

    sigma: three standard deviations [rad], all 0 for no noise
    """
    if not (sigma[0] > 0.0 or sigma[1] > 0.0 or sigma[2] > 0.0):
        return q_WS
    return _turned(q_WS, sigma, seed, channel, tick)


@part
def _turned(q_WS: Floats, sigma: Floats, seed: int, channel: int, tick: int) -> Floats:
    x, y, z = three_normals(seed, 0, channel, tick)
    x, y, z = sigma[0] * x, sigma[1] * y, sigma[2] * z
    angle = norm((x, y, z))
    sine = math.sin(0.5 * angle) / angle if angle > 0.0 else 0.0
    return quaternion_product(
        q_WS[0], q_WS[1], q_WS[2], q_WS[3],
        math.cos(0.5 * angle), sine * x, sine * y, sine * z,
    )  # fmt: skip
