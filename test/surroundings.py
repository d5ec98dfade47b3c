# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What is around a spacecraft in orbit, filled by hand, and what one sensor reads there."""

import numpy as np

from spacecraft_attitude_sim.core import sensors
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.sensors import around

RADIUS, EARTH, SUNLIGHT = 6_878_137.0, 6_378_137.0, 1361.0
X, Y, Z = np.eye(3)


def unit(vector):
    return np.array(vector, dtype=float) / np.linalg.norm(vector)


def seen(q_WB=rotations.IDENTITY, omega_B=(0.0, 0.0, 0.0), field_W=(0.0, 0.0, 0.0), **parts):
    """Return (41,): over x of world at 500 km in the Sun, which is toward z, but for the parts."""
    truth = kinematics.TRUTH.packed(
        q_WB=q_WB, angular_velocity_B=omega_B, angular_acceleration_B=0.0,
        specific_force_B=0.0, magnetic_field_W=field_W,
    )  # fmt: skip
    given = {
        'position_W': RADIUS * X, 'velocity_W': 7612.6 * Y, 'magnetic_field_W': field_W,
        'to_sun_W': Z, 'irradiance': SUNLIGHT, 'lit': 1.0, 'to_moon_W': -Y, 'density': 0.0,
        'wind_W': 0.0, 'q_WE': rotations.IDENTITY,
    }  # fmt: skip
    return around.surrounded(truth, AROUND.packed(**{**given, **parts}))


def read(truth, tick=0, before=None, seed=0, **suite):
    """Return the Readings of a suite with these sensors."""
    return sensors.read(sensors.Suite(seed=seed, **suite), truth, tick, before)


def history(truths, seed=0, **suite):
    """Return the Readings of a suite with these sensors, of one truth after another."""
    one, found = sensors.Suite(seed=seed, **suite), [None]
    for tick, truth in enumerate(truths):
        found.append(sensors.read(one, truth, tick, found[-1]))
    return found[1:]


def turned(axis, degrees):
    return rotations.quaternion_from_axis_angle(axis, np.radians(degrees))
