# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What sensors measure of a body with ideal wheels or in a circular orbit, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.actuators.actuator import GYROSTAT
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.circular_orbit import CIRCLE, radial_at
from spacecraft_attitude_sim.core.environment.loads import gravity_gradient
from spacecraft_attitude_sim.core.environment.loads.gravity_gradient import GRAVITY_GRADIENT
from spacecraft_attitude_sim.core.environment.loads.load import ZERO, turn_of
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, nine_at, put, three_at
from spacecraft_attitude_sim.kernels.kernel import compiled

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment import Environment
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft

# Constants of `find_truth`: mass [kg] and inverse inertia of the carrier, the uniform field [T],
# RigidBody.whole; whether gravity turns the body, the load's own constants, μ/r³ [1/s^2], and the
# orbit. The axes of the wheels follow.
SEEN = Layout(
    mass=1, inverse_inertia=9, field_W=3, whole=7, orbits=1, load=GRAVITY_GRADIENT.size, pull=1,
    circle=CIRCLE.size,
)  # fmt: skip
MASS, INVERSE_INERTIA, FIELD_W, WHOLE, ORBITS, LOAD, PULL, CIRCLE_AT = SEEN.places()
AXES, MOTORS = SEEN.size, GYROSTAT.at('torque_B')


def constants_of(craft: Spacecraft, environment: Environment, circle: Array) -> Array:
    """Return the constants of `find_truth`; circle: (13,) of CIRCLE."""
    orbit, wheels = environment.turning_orbit, craft.part('reaction_wheels')
    head = SEEN.packed(
        mass=craft.carrier.mass, inverse_inertia=craft.carrier.inverse_inertia.ravel(),
        field_W=environment.magnetic_field_W, whole=craft.body.whole, orbits=float(bool(orbit)),
        load=environment.turning[0].rows.ravel() if orbit else np.zeros(GRAVITY_GRADIENT.size),
        pull=orbit.rate**2 if orbit else 0.0, circle=circle,
    )  # fmt: skip
    return np.concatenate((head, wheels.axes_B.ravel())) if wheels else head


@compiled
def find_truth(
    flat: Array, gyrostat: Array, wrench: Array, constants: Array, time: float, truth: Array
) -> None:
    """Write (16,) of TRUTH.

    flat: (13 + n,) state and momenta of the wheels;  gyrostat: (6,) of GYROSTAT of the tick
    wrench: (12,) of core.body.loads;  time: since the start [s]
    """
    x = y = z = 0.0
    for k in range((len(constants) - AXES) // 3):  # added as ReactionWheels.momentum_B does
        h, axis = flat[SIZE + k], three_at(constants, AXES + 3 * k)
        x, y, z = x + h * axis[0], y + h * axis[1], z + h * axis[2]
    felt = np.empty(12)
    for k in range(12):
        felt[k] = wrench[k]
    if constants[ORBITS] > 0.0:
        here = (*radial_at(constants[CIRCLE_AT:], time), constants[PULL])
        whole = (
            constants[WHOLE],
            *three_at(constants, WHOLE + 1),
            *three_at(constants, WHOLE + 4),
        )
        _, torque_B, force_W = gravity_gradient.wrench(
            (ZERO, ZERO, ZERO), constants, LOAD, 1, whole, flat, turn_of(flat, 1.0), ZERO, here
        )
        for k in range(3):  # a sum with zeros, which turns -0.0 to 0.0
            felt[k] += 0.0
            felt[3 + k] += torque_B[k]
            felt[6 + k] += force_W[k]
            felt[9 + k] += 0.0
    inside = (x, y, z, *three_at(gyrostat, MOTORS))
    put(truth, 0, kinematics.true_motion(
        four_at(flat, 3), three_at(flat, 10), inside, felt, constants[MASS],
        nine_at(constants, INVERSE_INERTIA), three_at(constants, FIELD_W),
    ))  # fmt: skip
