# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What an error-free inertial measurement unit reads, from the truth of one instant."""

import math
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.equations.shared import limits


class ImuReading(NamedTuple):
    """One reading of an IMU, in sensor axes.

    q_WS: (4,) attitude, sensor to world;  angular_velocity_S: (3,) [rad/s]
    specific_force_S: (3,) acceleration less gravity [m/s^2]: 0 in free fall, +g up at rest
    """

    q_WS: np.ndarray
    angular_velocity_S: np.ndarray
    specific_force_S: np.ndarray


def ideal_imu(truth, mounting):
    """Return the reading of an error-free IMU (REP-145).

    The specific force at the sensor is f/m + α×r + ω×(ω×r), f every force but gravity.

    truth: (16,) of core.body.kinematics.TRUTH;  mounting: BodyFrame of the sensor
    Raises ArithmeticError where that force is not finite.
    """
    felt = kinematics.felt_at(truth, mounting.position_B, mounting.q_BF)
    # Of a motion that `limits` lets pass, the arm's share can still be beyond all numbers.
    if not math.isfinite(sum(felt[2])):
        raise ArithmeticError(
            f'the specific force at the IMU would be {list(felt[2])} m/s^2, which is not finite; '
            f'{limits.REMEDY}'
        )
    return ImuReading(*map(np.array, felt))
