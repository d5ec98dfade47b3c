# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A star tracker: its own attitude now and then, noisy and late, and none when turning too fast.

Neglected: Sun, Earth and Moon in the field of view, the first acquisition, low-frequency errors,
smearing short of the rate limit.
"""

import math
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.random_streams import STAR_TRACKER, normals
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_product
from spacecraft_attitude_sim.kernels.kernel import compiled, inlined


class StarTracker(NamedTuple):
    """What does not change in a run; T is the tracker's frame, z its boresight.

    q_BT: (4,) tracker to body;  interval, latency: [ticks]
    cross_boresight, about_boresight: standard deviation of white noise [rad]
    rate_limit: no solution above [rad/s], 0 is none
    """

    q_BT: np.ndarray
    interval: int = 1
    latency: int = 0
    cross_boresight: float = 0.0
    about_boresight: float = 0.0
    rate_limit: float = 0.0

    @property
    def sigma(self):
        """The standard deviation of the noise about the tracker's x, y, z [rad]."""
        return self.cross_boresight, self.cross_boresight, self.about_boresight

    def variance(self):
        """Return the variance (3,) of the attitude about the tracker's x, y, z [rad^2]."""
        return np.square(self.sigma)


class Solution(NamedTuple):
    """An attitude the tracker found.

    due, measured: ticks since the run began, of arrival and of measurement;  q_WT: (4,)
    """

    due: int
    measured: int
    q_WT: np.ndarray


def measure(tracker, q_WB, omega_B, seed, tick):
    """Return the Solution of an instant; None between measurements and when too fast.

    omega_B: (3,) [rad/s];  seed: of the noise;  tick: since the run began
    """
    if tick % tracker.interval or is_too_fast(tracker.rate_limit, *omega_B):
        return None
    q_WT = rotations.compose(q_WB, tracker.q_BT)
    if tracker.cross_boresight or tracker.about_boresight:
        noise = normals(3, seed, 0, STAR_TRACKER, tick)
        q_WT = np.array(disturbed(q_WT, tracker.sigma * noise))
    return Solution(tick + tracker.latency, tick, q_WT)


@inlined
def is_too_fast(rate_limit, x, y, z):
    """Return whether an angular velocity [rad/s] is above a limit, of which 0 is none."""
    return rate_limit > 0.0 and rate_limit * rate_limit < x * x + y * y + z * z


@compiled
def disturbed(q_WS, angles_S):
    """Return an attitude turned further by a rotation vector (3,) in its own axes [rad].

    As four floats.
    """
    x, y, z = angles_S[0], angles_S[1], angles_S[2]
    angle = math.sqrt(x * x + y * y + z * z)
    sine = math.sin(0.5 * angle) / angle if angle > 0.0 else 0.0
    return quaternion_product(
        q_WS[0], q_WS[1], q_WS[2], q_WS[3],
        math.cos(0.5 * angle), sine * x, sine * y, sine * z,
    )  # fmt: skip
