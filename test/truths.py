# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What sensors may ask, of bodies without a simulation."""

import numpy as np

from spacecraft_attitude_sim.core import actuators, sensors, simulation
from spacecraft_attitude_sim.core.body import kinematics, loads


def truth(body, state, wrench=loads.FREE, field_W=(0.0, 0.0, 0.0)):
    """Return (16,) of kinematics.TRUTH of a rigid body under a wrench (12,)."""
    return kinematics.truth_of(
        state.q_WB, state.angular_momentum_W, actuators.NO_GYROSTAT, wrench, body.mass,
        body.inverse_inertia, np.array(field_W),
    )  # fmt: skip


def ideal_imu(body, state, wrench, mounting):
    """Return the reading of an error-free IMU on a rigid body."""
    suite = sensors.Suite(sensors.Imu(mounting))
    return sensors.read(suite, truth(body, state, wrench), 0).imu


def read(suite, body, instant, before=None, field_W=(0.0, 0.0, 0.0)):
    """Return what a suite reads of a rigid body at an Instant."""
    wrench = instant.inputs.wrench
    if instant.contact is not None:
        wrench = wrench + simulation.contact_at(instant).wrench()
    seen = truth(body, instant.state, wrench, field_W)
    return sensors.read(suite, seen, instant.elapsed, before)
