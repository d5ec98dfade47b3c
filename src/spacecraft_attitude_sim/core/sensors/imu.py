# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What an error-free inertial measurement unit reads, from state and wrench of one instant."""

from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core import loads, rotations


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
    force_B, torque_B = loads.wrench_on_body(wrench, state.q_WB)
    omega_B = body.angular_velocity_B(state)
    alpha_B = body.angular_acceleration_B(state, torque_B)
    r_B = mounting.position_B
    lever_arm_B = np.cross(alpha_B, r_B) + np.cross(omega_B, np.cross(omega_B, r_B))
    q_SB = rotations.conjugate(mounting.q_BF)
    return ImuReading(
        rotations.compose(state.q_WB, mounting.q_BF),
        rotations.rotate(q_SB, omega_B),
        rotations.rotate(q_SB, force_B / body.mass + lever_arm_B),
    )
