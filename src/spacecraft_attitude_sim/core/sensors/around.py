# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Inputs of a sensor of a spacecraft in an orbit: true motion (TRUTH), then environment (AROUND).

It is one flat array; a sensor that needs no orbit reads its first part only.
"""

import math

import numpy as np

from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.environment.wgs84 import SEMI_MAJOR_AXIS
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, VectorLike
from spacecraft_attitude_sim.core.mathematics.vectors import dot, norm, scaled, three_at
from spacecraft_attitude_sim.kernels.kernel import helper

BEGIN = kinematics.TRUTH.size
SIZE = BEGIN + AROUND.size
POSITION, VELOCITY, TO_SUN, IRRADIANCE, LIT, TO_MOON, Q_WE = (
    BEGIN + AROUND.at(name)
    for name in (
        'position_W', 'velocity_W', 'to_sun_W', 'irradiance', 'lit', 'to_moon_W', 'q_WE'
    )
)  # fmt: skip
ORIGIN = np.zeros(3)


def surrounded(
    truth: Array, around: Array, position_W: VectorLike = ORIGIN, velocity_W: VectorLike = ORIGIN
) -> Array:
    """Return the inputs (41,) of the sensors of a spacecraft in an orbit.

    truth: (16,) of TRUTH;  around: (25,) of AROUND
    position_W, velocity_W: (3,) of its centre of mass in world [m, m/s], added to those of
        world's origin
    """
    seen = np.concatenate((truth, around))
    seen[POSITION : POSITION + 3] += position_W
    seen[VELOCITY : VELOCITY + 3] += velocity_W
    return seen


@helper
def up_W(truth: Array) -> Floats:
    """Return the unit vector from the Earth's centre, three floats."""
    position = three_at(truth, POSITION)
    return scaled(1.0 / norm(position), position)


@helper
def earth_radius(truth: Array) -> float:
    """Return the angular radius of the Earth [rad], for its largest radius."""
    return math.asin(min(SEMI_MAJOR_AXIS / norm(three_at(truth, POSITION)), 1.0))


@helper
def angle_between(a: Floats, b: Floats) -> float:
    """Return the angle between two unit vectors [rad]."""
    return math.acos(min(max(dot(a, b), -1.0), 1.0))
