# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: parts that move inside, as the loops of craft_tick.py need them.

The functions of moving_rows.py, moving_step.py and moving_tick.py compute them.

    within      the arrays `inside` and `slopes` of these; None for craft without such parts, for
                which all of this is compiled away
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from spacecraft_attitude_sim.core.batch.craft_held import WHOLE_NOW
from spacecraft_attitude_sim.core.batch.craft_rows import (
    ABLE,
    CARRIER,
    CRAFT_SIZE,
    END_ROW,
    HEAT_POWER,
    MODE,
    OMEGA,
    SMOOTH,
    STORED,
    TURNS,
    held_inertia,
    picked,
    six,
)
from spacecraft_attitude_sim.core.batch.craft_tilted import SOLID_NOW
from spacecraft_attitude_sim.core.batch.lanes import LANES
from spacecraft_attitude_sim.core.batch.loaded_lanes import put_three, three
from spacecraft_attitude_sim.core.batch.moving_energy import see_inside
from spacecraft_attitude_sim.core.batch.moving_rows import (
    BEGIN,
    DRIFTING,
    FITS,
    HEAT,
    INSIDE_ENERGY,
    MOVING_SIZE,
    OMEGA_BEFORE,
    PARTS,
    PRESSED,
    REDUCED,
    REST,
    REST_V,
    SOLID,
    SPRINGS,
    SUM_STORED,
    WORK_ROWS,
    lose_values,
    read_parts,
    read_values,
    write_values,
)
from spacecraft_attitude_sim.core.batch.moving_step import (
    VELOCITY,
    find_motion,
    move_parts,
    power_at_origin,
    press_hub,
)
from spacecraft_attitude_sim.core.batch.moving_tick import (
    begin_parts,
    bound_swings,
    copy_values,
    end_all_parts,
    holds_on,
    keep_omega,
    settle_parts,
    steps_to_swing,
    take_parts_back,
)
from spacecraft_attitude_sim.core.environment.loads.gravity_gradient import gradient_torque
from spacecraft_attitude_sim.core.environment.loads.load import PULL, UP, ZERO, to_body
from spacecraft_attitude_sim.core.equations.multibody import moving_origin
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    put_six,
    six_at,
    symmetric_solved,
    three_at,
)
from spacecraft_attitude_sim.core.parts.craft import END, MASS
from spacecraft_attitude_sim.core.parts.reaction_wheels.torques import turns_freely
from spacecraft_attitude_sim.kernels.columns import column, column_from
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch.craft_pushed import Pushed
    from spacecraft_attitude_sim.core.batch.craft_tilted import Tilted
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

Three: TypeAlias = 'tuple[Array, Array, Array]'
Within: TypeAlias = 'tuple[Three, Three] | None'
ALPHA, ORIGIN = (END_ROW + END.at(name) for name in ('angular_acceleration_B', 'acceleration_B'))


@helper
def size_with(within: Within) -> int:
    """Return the number of rows of `w`."""
    return CRAFT_SIZE if within is None else MOVING_SIZE


# --- states ------------------------------------------------------------------------------------


@part
def read_inside(w: Array, within: Within, i: int, parts: Array, internal: Array) -> None:
    """Write constants and states of a craft to lane i."""
    if within is not None:
        w[FITS, i] = w[ABLE, i]
        read_parts(w, within[0], i, parts)
        read_values(w, within[0], i, parts, internal)


@part
def read_moved(w: Array, within: Within, i: int, parts: Array, internal: Array) -> None:
    """Write the states of parts to lane i, and whether it is ABLE."""
    if within is not None:
        read_values(w, within[0], i, parts, internal)


@part
def write_moved(within: Within, i: int, parts: Array, internal: Array) -> None:
    """Write internal states of a craft from lane i."""
    if within is not None:
        write_values(within[0], i, parts, internal)


@part
def lose_inside(within: Within, i: int) -> None:
    """Let the states of parts in lane i be nan."""
    if within is not None:
        lose_values(within[0], i)


@part
def take_all_inside_back(within: Within) -> None:
    """Let the parts of all lanes have what the tick began with."""
    if within is not None:
        for i in range(LANES):
            take_parts_back(within[0], i)


@part
def take_inside_back(within: Within, i: int) -> None:
    """Let the parts of lane i have what the tick began with."""
    if within is not None:
        take_parts_back(within[0], i)


# --- a tick ------------------------------------------------------------------------------------


@helper
def begin_inside(w: Array, within: Within, duration: float) -> None:
    """Begin a tick: keep its values, put pendulums right; mark lanes in which parts come free."""
    if within is not None:
        begin_parts(w, within[0])
        for i in range(LANES):
            w[SMOOTH, i] = w[SMOOTH, i] if holds_on(w, i, duration) else 0.0


@helper
def resolve_swings(w: Array, within: Within) -> None:
    """Write bounds of the fastest oscillation to STEPS."""
    if within is not None:
        bound_swings(w, within[0][1])


@helper
def turning_mass(
    w: Array, i: int, within: Within, held: Array | None, tilted: Tilted | None
) -> tuple[Floats, Floats, Floats]:
    """Return the inertia of lane i that turns at ω, stored momentum, and ω when a tick began."""
    if held is not None:
        return six(w, WHOLE_NOW, i), three(w, STORED, i), three(w, OMEGA, i)
    if tilted is not None:
        return six(w, SOLID_NOW, i), three(w, STORED, i), three(w, OMEGA, i)
    if within is None:
        return six(w, CARRIER, i), three(w, STORED, i), three(w, OMEGA, i)
    return six(w, REDUCED, i), three(w, SUM_STORED, i), three(w, OMEGA_BEFORE, i)


@helper
def steps_with_swings(w: Array, i: int, steps: float, duration: float, within: Within) -> float:
    """Return as many steps as parts of lane i need, too, after `resolve_swings`."""
    if within is not None:
        steps = max(steps, steps_to_swing(w, i, duration))
    return steps


@helper
def begin_sub_step(within: Within) -> None:
    """Keep the values with which a sub-step begins."""
    if within is not None:
        copy_values(within[0], BEGIN)


@helper
def end_inside(w: Array, within: Within, pushed: Pushed | None, index: int) -> None:
    """Write values and OMEGA at the end of sub-step `index`, of which X and STORED are known.

    For what is pushed, OMEGA_BEFORE, too: before pendulums are put right.
    """
    if within is not None:
        end_all_parts(w, within[0], within[1], index)
        if pushed is not None:
            find_motion(w, within[0])
            keep_omega(w)
        settle_parts(w, within[0], index)


# --- a stage -----------------------------------------------------------------------------------


@helper
def find_all_motion(w: Array, wheels: Array, within: Within) -> None:
    """Write OMEGA and rates of parts from states, which are new; STORED is of wheels that turn."""
    if within is not None:
        for i in range(LANES):
            free = True
            for n in range(len(wheels)):
                free = free and turns_freely(wheels[n, MODE, i])
            inertia, stored = six(w, CARRIER, i), three(w, STORED, i)
            if not free:
                inertia, stored = held_inertia(w, wheels, i)
            put_six(column(w, i), SOLID, inertia, 0)
            put_three(w, STORED, i, stored)
        find_motion(w, within[0])


@helper
def find_stage(w: Array, within: Within, k: int) -> None:
    """Write OMEGA and rates of parts in stage k; they are known in the first one."""
    if within is not None and k > 0:
        find_motion(w, within[0])


@helper
def is_found(within: Within) -> bool:
    """Return whether `find_stage` finds OMEGA."""
    return within is not None


@helper
def hub_torque(
    w: Array, i: int, turn: Floats, here: Floats, held: Floats, force: Floats, torque: Floats,
    within: Within,
) -> Floats:  # fmt: skip
    """Return the torque on lane i as forces act at its origin, and on what its inertia gained.

    Arguments are those of press_hub;  here: the environment, with the direction up
    """
    if within is not None:
        lane = column(w, i)
        torque, pressed = press_hub(lane, turn, held, force, torque)
        put_three(w, PRESSED, i, pressed)
        inertia = moving_origin.gained_inertia(
            column_from(lane, PARTS), column_from(lane, WORK_ROWS), lane[PARTS + MASS]
        )
        gradient = gradient_torque(3.0 * here[PULL], inertia, to_body(turn, here, UP))
        torque = picked(w[TURNS, i] != 0.0, added(torque, gradient), torque)
    return torque


@helper
def hub_power(w: Array, i: int, power: float, omega: Floats, within: Within) -> float:
    """Return the power of loads on lane i with that at its origin, after `hub_torque`."""
    if within is not None:
        power += power_at_origin(column(w, i), omega, three(w, PRESSED, i))
    return power


@helper
def move_inside(w: Array, within: Within, far: float, k: int) -> None:
    """Write slopes in stage k, after `find_stage`, and values in the next; add the power lost.

    far: part of the step at which that is
    """
    if within is not None:
        for i in range(LANES):
            w[HEAT, i] = 0.0
        move_parts(w, within[0], within[1], far, k, False)
        for i in range(LANES):
            w[HEAT_POWER, i] += w[HEAT, i]


# --- when a tick has ended ---------------------------------------------------------------------


@helper
def accelerate(w: Array, within: Within) -> None:
    """Write ALPHA and ORIGIN of END; ALPHA is the torque that the hub gets, less ω × L."""
    if within is not None:
        for i in range(LANES):
            put_three(w, REST, i, three(w, ALPHA, i))
            put_three(w, REST_V, i, ZERO)
            put_three(w, DRIFTING, i, ZERO)
        move_parts(w, within[0], within[1], 0.0, 0, True)
        for i in range(LANES):
            lane, omega = column(w, i), three(w, OMEGA, i)
            work, push = column_from(lane, WORK_ROWS), three_at(lane, REST_V)
            rest = moving_origin.eliminated(work, three_at(lane, REST), push)
            alpha = symmetric_solved(six_at(lane, REDUCED), rest)
            gained = moving_origin.origin_rate(work, push, alpha)
            put_three(w, ALPHA, i, alpha)
            put_three(w, ORIGIN, i, added(gained, cross(omega, three_at(work, VELOCITY))))


@helper
def see_moved(w: Array, within: Within) -> None:
    """Write the energies of parts, for `energy_inside`."""
    if within is not None:
        see_inside(w, within[0])


@helper
def energy_inside(w: Array, i: int, energy: float, within: Within) -> float:
    """Return an energy of lane i with those of its parts, after `see_moved`."""
    if within is not None:
        energy = energy + 0.5 * w[INSIDE_ENERGY, i] + w[SPRINGS, i]
    return energy
