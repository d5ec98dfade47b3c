# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What sensors measure of a spacecraft whose actuators have states of their own, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.body.kinematics import ALPHA, FORCE, RATE, TRUTH, seen_from
from spacecraft_attitude_sim.core.environment.orbit_table import MAGNETIC_FIELD_W
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, scaled, three_at
from spacecraft_attitude_sim.core.parts.craft import END
from spacecraft_attitude_sim.core.sensors.around import POSITION, VELOCITY
from spacecraft_attitude_sim.kernels.kernel import compiled

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment import Environment
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft

# Constants of `find_truth`: mass [kg]; whether an air bearing holds the origin, and gravity there
# [m/s^2]; whether parts move inside; the uniform field [T]; index of the first dipole in a flat
# state. The field of each magnetorquer at the magnetometer follows [T/(A m^2)].
SEEN = Layout(mass=1, held=1, gravity_W=3, moving=1, field_W=3, dipoles=1)
MASS, HELD, GRAVITY_W, MOVING, FIELD_W, DIPOLES = SEEN.places()
MADE, TRUTH_SIZE, FIELD_SEEN = SEEN.size, TRUTH.size, TRUTH.at('magnetic_field_W')
FORCE_B, RATE_B, ALPHA_B, ORIGIN_B = END.places(
    'force_B', 'angular_velocity_B', 'angular_acceleration_B', 'acceleration_B'
)


def constants_of(craft: Spacecraft, environment: Environment, first: int) -> Array:
    """Return the constants of `find_truth`; first: size of the flat state of a rigid body."""
    magnetorquers = craft.part('magnetorquers')
    rods = magnetorquers.rods if magnetorquers else ()
    head = SEEN.packed(
        mass=craft.body.mass,
        held=float(environment.holds),
        gravity_W=environment.gravity_W,
        moving=float(bool(craft.internal)),
        field_W=environment.magnetic_field_W,
        dipoles=first + craft.layout.of('magnetorquers').start if rods else 0.0,
    )
    return np.concatenate((head, *(np.array(rod.interference_B, dtype=float) for rod in rods)))


@compiled
def find_truth(
    flat: Array, end: Array, wrench: Array, around: Array, constants: Array, truth: Array
) -> None:
    """Write (16,) of TRUTH, in an orbit about the Earth (41,) of core.sensors.around.

    flat: (13 + n,) state and internal states;  end: (15,) of END at that state
    wrench: (12,) of core.body.loads;  around: (25,) of AROUND, or empty
    """
    q_WB = four_at(flat, 3)
    round_earth = len(around) > 0
    field: Vector3 | tuple = three_at(constants, FIELD_W)
    if round_earth:
        field = three_at(around, MAGNETIC_FIELD_W)
    rods = (len(constants) - MADE) // 3
    if rods > 0:
        at, x, y, z = int(constants[DIPOLES]), 0.0, 0.0, 0.0
        for k in range(rods):
            dipole, made = flat[at + k], three_at(constants, MADE + 3 * k)
            x, y, z = x + dipole * made[0], y + dipole * made[1], z + dipole * made[2]
        own = quaternion_sandwich(q_WB[0], q_WB[1], q_WB[2], q_WB[3], x, y, z)
        field = (field[0] + own[0], field[1] + own[1], field[2] + own[2])
    turned = seen_from(q_WB, three_at(wrench, 6))
    held = seen_from(q_WB, scaled(-1.0, three_at(constants, GRAVITY_W)))
    truth[0], truth[1], truth[2], truth[3] = q_WB
    for k in range(3):
        truth[RATE + k], truth[ALPHA + k] = end[RATE_B + k], end[ALPHA_B + k]
        truth[FORCE + k] = (end[FORCE_B + k] + (wrench[k] + turned[k])) / constants[MASS]
        if constants[HELD] > 0.0:  # the bearing holds the origin at rest, against gravity
            truth[FORCE + k] = held[k]
        elif constants[MOVING] > 0.0:  # at the origin, which moves about the centre of mass
            truth[FORCE + k] += end[ORIGIN_B + k]
        truth[FIELD_SEEN + k] = field[k]
    if round_earth:
        for k in range(len(around)):
            truth[TRUTH_SIZE + k] = around[k]
        for k in range(3):
            truth[POSITION + k] += flat[k]
            truth[VELOCITY + k] += flat[7 + k] / constants[MASS]
