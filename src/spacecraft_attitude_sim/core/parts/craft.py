# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The flat array of a spacecraft's constants, as the compiled step reads it.

CRAFT, then the table of loads (core.environment.loads.registry), and the Place of each kind of
core.parts.registry, in its order; then the rows of all parts, kind by kind, and of all loads.
Places say where the parts of a kind are in each array:

    constants   one row for each part
    work        working memory of a tick, one row for each part
    y           values that are integrated
    internal    states between ticks (State.internal); BOOK is at its end
    commands    of a tick
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spacecraft_attitude_sim.core.environment.loads.registry import TABLE_SIZE
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.kernels.kernel import helper
from spacecraft_attitude_sim.kernels.pointers import fixed_at

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array

# accuracy: largest error that automatic sub-steps may add to the attitude [rad/s], 0 for the rules
# of rate alone. Mass [kg]; inertia_B of the carrier [kg m^2], without what turns inside, as xx,
# yy, zz, xy, xz, yz; least_moment: its smallest principal moment.
# values, work, states: sizes of y, work and internal states, BOOK included
# moving: 1 with internal parts, else 0 and so are the rest. hub_moment_B: first moment of mass of
# the hub [kg m];  carried_mass: of the whole without pendulums [kg];  gravity_W: uniform [m/s^2]
# switching: 1 if parts may switch within a tick, else 0
# swing [rad/s], drain [1/s]: bounds of the fastest oscillation and damping rate
# reference_B: inertia of the internal parts about the origin, at their reference [kg m^2]
CRAFT = Layout(
    accuracy=1, mass=1, inertia_B=6, least_moment=1, values=1, work=1, states=1,
    switching=1, moving=1, hub_moment_B=3, carried_mass=1, gravity_W=3, swing=1, drain=1,
    reference_B=6,
)  # fmt: skip
ACCURACY, MASS, INERTIA, LEAST, VALUES, WORK_SIZE, STATES = CRAFT.places(
    'accuracy', 'mass', 'inertia_B', 'least_moment', 'values', 'work', 'states'
)
SWITCHING = CRAFT.at('switching')
MOVING, HUB_MOMENT, CARRIED, GRAVITY, SWING, DRAIN, REFERENCE = CRAFT.places(
    'moving', 'hub_moment_B', 'carried_mass', 'gravity_W', 'swing', 'drain', 'reference_B'
)
# Work done so far [J]: work of motors and gimbals, heat of friction, work of external loads.
BOOK = Layout(motors=1, heat=1, loads=1)
# Loads and motion at the end of a tick: force and torque of actuators, air and sunlight, angular
# velocity and acceleration, acceleration of the origin relative to the centre of mass [N, N m,
# rad/s, rad/s^2, m/s^2], body axes.
END = Layout(
    force_B=3, torque_B=3, angular_velocity_B=3, angular_acceleration_B=3, acceleration_B=3
)
# Working memory that all parts share. Loads of actuators as straight lines in time, a + b t:
# force, torque and dipole. The wrench, constant in the tick. Inertia S of all that does not turn
# freely. Then of equations.multibody.moving_origin: velocity of the origin relative to the centre
# of mass and its rate of change, body axes; of the six equations the inverse of the v block, the
# block that couples ω and v, and the right side of v; first moment of all mass; inertia of the
# internal parts about the origin.
WORK = Layout(
    force=3, torque=3, dipole=3, force_rate=3, torque_rate=3, dipole_rate=3, wrench=12, inertia=6,
    velocity_B=3, acceleration_B=3, inverse=6, mixed=9, momentum=3, moment=3, moved_inertia=6,
)  # fmt: skip
FORCE, TORQUE, DIPOLE, RATES = WORK.places('force', 'torque', 'dipole', 'force_rate')


class Place(NamedTuple):
    """Where the parts of a kind are: their number, and the first index in each array.

    row: in the constants;  work: in the working memory;  value: in y;  state: in internal states
    command: in commands
    """

    number: int
    row: int
    work: int
    value: int
    state: int
    command: int


LOADS = CRAFT.size
PLACES, PLACE_SIZE = LOADS + TABLE_SIZE, len(Place._fields)


@helper
def asked(parts: Array, usual: float) -> float:
    """Return the error that the user asks for, or the usual one."""
    return parts[ACCURACY] if parts[ACCURACY] > 0.0 else usual


@helper
def count_of(parts: Array, slot: int) -> float:
    """Return the number of parts of the kind with this index in core.parts.registry."""
    return fixed_at(parts, PLACES + slot * PLACE_SIZE)


@helper
def place_of(parts: Array, slot: int) -> Place:
    """Return the Place of the kind with this index in core.parts.registry."""
    k = PLACES + slot * PLACE_SIZE
    return Place(
        int(fixed_at(parts, k)), int(fixed_at(parts, k + 1)), int(fixed_at(parts, k + 2)),
        int(fixed_at(parts, k + 3)), int(fixed_at(parts, k + 4)), int(fixed_at(parts, k + 5)),
    )  # fmt: skip


@helper
def within(most: float, asked: float) -> float:
    """Return a commanded value within its limit, from -most to most."""
    return max(-most, min(most, asked))
