# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: loads and motion at the end of a tick, as equations.multibody.end.find_end.

The functions of parts and loads are those of a craft alone, in the same order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.batch.craft_gyros import turn_gyros_faster
from spacecraft_attitude_sim.core.batch.craft_held import is_held
from spacecraft_attitude_sim.core.batch.craft_inside import accelerate, hub_torque
from spacecraft_attitude_sim.core.batch.craft_magnets import feel_field, magnetize, with_magnets
from spacecraft_attitude_sim.core.batch.craft_press import press_on
from spacecraft_attitude_sim.core.batch.craft_pushed import LAST_LINES, end_lines, pushing
from spacecraft_attitude_sim.core.batch.craft_rows import (
    ADJUGATE,
    AXIS,
    DRIVE,
    DRY,
    END_ROW,
    ENDED,
    INERTIA_ROW,
    MAX_TORQUE,
    MODE,
    MOMENTUM,
    NOW,
    OMEGA,
    OWN_DIPOLE,
    PRESS,
    PRESS_TORQUE,
    ROD_AXIS,
    ROD_DIPOLE,
    SCALE,
    STEP,
    TIME,
    VISCOUS,
    Facts,
    picked,
    seven,
    six,
    three_of,
)
from spacecraft_attitude_sim.core.batch.craft_sky import look
from spacecraft_attitude_sim.core.batch.craft_step import rub, torques_on
from spacecraft_attitude_sim.core.batch.craft_tilted import driven_wheels
from spacecraft_attitude_sim.core.batch.lanes import LANES, STATE, acting, thirteen
from spacecraft_attitude_sim.core.batch.loaded_lanes import put_three, three
from spacecraft_attitude_sim.core.environment.loads.load import FIELD, ZERO, to_body, turn_of
from spacecraft_attitude_sim.core.environment.loads.residual_dipole import field_torque
from spacecraft_attitude_sim.core.equations.multibody.derivatives import (
    body_momentum,
    inverse_square,
)
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    moved_vector,
    scaled,
    symmetric_times,
    three_at,
)
from spacecraft_attitude_sim.core.parts.craft import END, within
from spacecraft_attitude_sim.core.parts.reaction_wheels.torques import friction
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch.craft_inside import Within
    from spacecraft_attitude_sim.core.batch.craft_tilted import Tilted
    from spacecraft_attitude_sim.core.mathematics.types import Array

END_SIZE = END.size
FORCE, TORQUE, RATE, ALPHA, ORIGIN = (END_ROW + place for place in END.places())


@helper
def find_ends(
    w: Array, wheels: Array, rods: Array, arrays: tuple[Array, ...], duration: float, most: int,
    facts: Facts,
) -> None:  # fmt: skip
    """Write END of every lane that is SMOOTH when a tick of `most` sub-steps has ended.

    arrays: of craft_tick.step_on
    """
    extras = facts.extras
    here, airs, lights = arrays[:3]
    if most > 1:
        for i in range(LANES):
            w[NOW, i], w[STEP, i], w[ENDED, i] = w[TIME, i], duration, w[TIME, i] + duration
        look(w, here, 2, 1.0, facts)
    end_lines(w, wheels, extras.within, extras.pushed)
    press_on(w, here[2], airs, lights, False)
    feel_field(w, here[2], extras.magnets, True)
    magnetize(w, extras.magnets)
    sum_torques(w, rods, here[2], facts)
    for n in range(driven_wheels(wheels, extras.tilted)):
        if facts.rubbing:
            rub(w, wheels[n])
        react(w, wheels, n, extras.held)
    turn_gyros_faster(w, wheels, ALPHA, extras.tilted)
    turn_faster(w, extras.within, extras.tilted)
    accelerate(w, extras.within)
    press_on(w, here[2], airs, lights, True)
    for i in range(LANES):
        force, _ = pushing(w, i, LAST_LINES, 0.0, extras.pushed)
        put_three(w, FORCE, i, added(force, three(w, PRESS, i)))
        put_three(w, TORQUE, i, added(three(w, TORQUE, i), three(w, PRESS_TORQUE, i)))


@helper
def turn_faster(w: Array, within: Within, tilted: Tilted | None) -> None:
    """Write RATE; without parts inside ORIGIN, and without gyros ALPHA, which has the torque."""
    for i in range(LANES):
        put_three(w, RATE, i, three(w, OMEGA, i))
        if within is None and tilted is None:
            alpha = symmetric_times(six(w, ADJUGATE, i), three(w, ALPHA, i))
            put_three(w, ALPHA, i, scaled(w[SCALE, i], alpha))
        if within is None:
            put_three(w, ORIGIN, i, ZERO)


@helper
def sum_torques(w: Array, rods: Array, now: Array, facts: Facts) -> None:
    """Write the torque of the dipoles, and to ALPHA all torques but those of wheels, less ω × L.

    now: the environment, HERE in lanes
    """
    extras = facts.extras
    for i in range(LANES):
        put_three(w, TORQUE, i, three(w, OWN_DIPOLE, i))
    for n in range(len(rods)):
        for i in range(LANES):
            dipole = moved_vector(
                three(w, TORQUE, i), rods[n, ROD_DIPOLE, i], three_of(rods, n, ROD_AXIS, i)
            )
            put_three(w, TORQUE, i, dipole)
    for i in range(LANES):
        x, here, held = thirteen(w, STATE, i), seven(now, 0, i), acting(w, i)
        turn, dipole = turn_of(x, inverse_square(x)), three(w, TORQUE, i)
        whole = with_magnets(w, i, dipole, extras.magnets)
        force, push = pushing(w, i, LAST_LINES, 0.0, extras.pushed)
        torque = torques_on(w, i, turn, whole, here, held, push, extras.borne)
        force = added(added(force, three_at(held, 0)), three(w, PRESS, i))
        torque = hub_torque(w, i, turn, here, held, force, torque, extras.within)
        torque = added(torque, to_body(turn, three_at(held, 9), 0))
        spun = cross(three(w, OMEGA, i), body_momentum(x, turn))
        put_three(w, ALPHA, i, moved_vector(torque, -1.0, spun))
        of_field = field_torque(dipole, to_body(turn_of(x, 1.0), here, FIELD))
        put_three(w, TORQUE, i, added(push, of_field))


@helper
def react(w: Array, wheels: Array, n: int, held: Array | None) -> None:
    """Take from ALPHA the torque on wheel n of motor and friction, as reaction_wheels.turn.

    Limits of power and voltage do not act: where they could, a lane is not SMOOTH.
    """
    for i in range(LANES):
        axis = three_of(wheels, n, AXIS, i)
        along = dot(axis, three(w, OMEGA, i))
        speed = wheels[n, MOMENTUM, i] / wheels[n, INERTIA_ROW, i] - along
        asked = wheels[n, DRIVE, i] + 0.0  # of the line: a + b t, t = 0
        motor = within(wheels[n, MAX_TORQUE, i], asked)
        drag = friction(wheels[n, VISCOUS, i], wheels[n, DRY, i], speed, wheels[n, MODE, i])
        alpha = three(w, ALPHA, i)
        turned = moved_vector(alpha, -(motor + drag), axis)
        put_three(w, ALPHA, i, picked(is_held(wheels[n, MODE, i], held), alpha, turned))


@helper
def end_of(w: Array, i: int, end: Array) -> None:
    """Write END of lane i to a flat array."""
    for j in range(len(end)):
        end[j] = w[END_ROW + j, i]


@helper
def put_end(w: Array, i: int, row: Array, first: int) -> None:
    """Write END of lane i from place `first` of a flat array."""
    for j in range(END_SIZE):
        w[END_ROW + j, i] = row[first + j]
