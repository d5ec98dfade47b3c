# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What an error-free inertial measurement unit reads, from state and wrench of one instant."""

from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core import kinematics


class ImuReading(NamedTuple):
    """One reading of an IMU, in sensor axes.

    q_WS: (4,) attitude, sensor to world;  angular_velocity_S: (3,) [rad/s]
    specific_force_S: (3,) acceleration less gravity [m/s^2]: 0 in free fall, +g up at rest
    """

    q_WS: np.ndarray
    angular_velocity_S: np.ndarray
    specific_force_S: np.ndarray


def ideal_imu(body, state, wrench, mounting):
    """Return the reading of an error-free IMU (REP-145).

    The specific force at the sensor is f/m + α×r + ω×(ω×r), f every force but gravity.

    wrench: (12,) of core.loads, without gravity;  mounting: BodyFrame of the sensor
    """
    felt = kinematics.felt(
        state.q_WB,
        state.angular_momentum_W,
        wrench,
        body.mass,
        body.inverse_inertia,
        mounting.position_B,
        mounting.q_BF,
    )
    return ImuReading(*map(np.array, felt))
