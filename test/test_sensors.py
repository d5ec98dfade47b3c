# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The ideal IMU obeys REP-145: specific force, lever arm, mounting."""

import numpy as np
import pytest
import truths

from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.rigid_body import AT_CENTRE_OF_MASS as AT_CENTRE
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.mathematics import rotations

TOP = RigidBody(2.0, np.diag((1.0, 1.0, 2.0)))


def spinning(omega_B):
    return TOP.state((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), np.array(omega_B))


def test_free_tumble_has_no_specific_force_at_the_centre_of_mass():
    reading = truths.ideal_imu(TOP, spinning((1.0, 0.0, 1.0)), loads.FREE, AT_CENTRE)
    assert np.all(reading.specific_force_S == 0.0)
    assert np.allclose(reading.angular_velocity_S, (1.0, 0.0, 1.0), atol=1e-15)


def test_lever_arm_of_a_steady_spin_is_centripetal():
    mounting = AT_CENTRE._replace(position_B=np.array((0.5, 0.0, 0.0)))
    reading = truths.ideal_imu(TOP, spinning((0.0, 0.0, 3.0)), loads.FREE, mounting)
    assert reading.specific_force_S == pytest.approx((-9.0 * 0.5, 0.0, 0.0), abs=1e-14)


def test_torque_at_rest_gives_tangential_lever_arm():
    wrench = loads.FREE.copy()
    wrench[5] = 4.0  # about z, in body axes: α = 2 rad/s²
    mounting = AT_CENTRE._replace(position_B=np.array((0.5, 0.0, 0.0)))
    reading = truths.ideal_imu(TOP, spinning((0.0, 0.0, 0.0)), wrench, mounting)
    assert reading.specific_force_S == pytest.approx((0.0, 1.0, 0.0), abs=1e-14)


def test_supported_body_reads_gravity_upward_in_sensor_axes():
    wrench = loads.FREE.copy()
    wrench[6:9] = (0.0, 0.0, 2.0 * 9.81)  # what holds it against gravity, world axes
    upside_down = rotations.quaternion_from_axis_angle((1.0, 0.0, 0.0), np.pi)
    mounting = AT_CENTRE._replace(q_BF=upside_down)
    reading = truths.ideal_imu(TOP, spinning((0.0, 0.0, 0.0)), wrench, mounting)
    assert reading.specific_force_S == pytest.approx((0.0, 0.0, -9.81), abs=1e-14)
    assert rotations.angle_between(reading.q_WS, upside_down) < 1e-15
