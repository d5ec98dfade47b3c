# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One tick of the simulation, and many ticks without a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core import sensors
from spacecraft_attitude_sim.core.actuators import Drive, Inputs
from spacecraft_attitude_sim.core.actuators.inputs import COMMANDED, MODES, NOTHING
from spacecraft_attitude_sim.core.body import kinematics, loads
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.equations.shared.limits import check_finite
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import limits
from spacecraft_attitude_sim.core.simulation.instant import Instant, MotionError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.contact.model import Contact
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        FlatImpulse,
        FlatWrench,
        Vector3,
    )
    from spacecraft_attitude_sim.core.sensors import Readings
    from spacecraft_attitude_sim.core.simulation.plant import Plant
    from spacecraft_attitude_sim.core.simulation.solver import Motion

NO_INPUTS = Inputs()


def next_instant(plant: Plant, instant: Instant, inputs: Inputs) -> Instant:
    """Return the Instant one tick later: impulse, actuators, motion, sensors.

    Raises MotionError.
    """
    plant = plant.under(inputs.faults)
    state, contact = _struck(plant, instant, inputs.impulse)
    state, contact, drive, seen = _moved(plant, instant, state, contact, inputs)
    tick, elapsed = instant.tick + 1, instant.elapsed + 1
    if seen is None:
        seen = plant.solver.truth(plant, state, drive, contact, elapsed)
    readings = _read(plant, seen, tick, elapsed, instant.readings, inputs.faults)
    return Instant(tick, state, inputs, elapsed, drive, contact, readings, plant.ticks)


def _struck(plant: Plant, instant: Instant, impulse: FlatImpulse) -> tuple[State, Array | None]:
    """Return State and contact right after an impulse, which may lift or hit the body."""
    if not loads.acts(impulse):
        return instant.state, instant.contact
    state = struck(plant, instant.state, impulse)
    try:
        limits.check_motion(plant, to_flat(state))
        return _in_contact(plant, state, instant.elapsed)
    except (ArithmeticError, ValueError) as error:
        raise _ended(plant, instant.tick, error) from None


def struck(plant: Plant, state: State, impulse: FlatImpulse) -> State:
    """Return the State right after an impulse; its force acts on the origin of the body."""
    if plant.environment.holds:  # the bearing takes it
        impulse = np.concatenate((np.zeros(3), impulse[3:6]))
    return plant.spacecraft.struck(loads.kicked(state, impulse), impulse)


def _moved(
    plant: Plant, instant: Instant, state: State, contact: Array | None, inputs: Inputs
) -> Motion:
    """Return the Motion of a tick that begins at an Instant, with this State and contact."""
    try:
        return plant.solver.advance(plant, state, contact, inputs, instant.elapsed)
    except (ArithmeticError, ValueError) as error:
        raise _ended(plant, instant.tick, error) from None


def _ended(plant: Plant, tick: int, error: Exception) -> MotionError:
    """Return the MotionError for an error that ended a motion at a tick."""
    when = f't = {plant.ticks.seconds(tick):g} s: {error}'
    if plant.contact and isinstance(error, ValueError):
        return MotionError(f'contact ends at {when}')
    return MotionError(f"equations '{plant.equations}' end at {when}")


def _read(
    plant: Plant, seen: Array, tick: int, elapsed: int, before: Readings | None,
    faults: Array = NOTHING,
) -> Readings:  # fmt: skip
    """Return the sensors' readings; seen: (16,) of kinematics.TRUTH; before: a tick before."""
    try:
        return sensors.read(plant.spacecraft.sensors, seen, elapsed, before, faults)
    except ArithmeticError as error:
        raise MotionError(f'sensors end at t = {plant.ticks.seconds(tick):g} s: {error}') from None


def truth(plant: Plant, instant: Instant) -> Array:
    """Return (16,) of kinematics.TRUTH: the true motion that sensors measure at an Instant."""
    return plant.solver.truth(
        plant, instant.state, instant.drive, instant.contact, instant.elapsed
    )


def commanded_torque_B(plant: Plant, instant: Instant) -> Vector3:
    """Return the commanded torque (3,) of wrench, impulse and actuators [N m], body axes.

    This is not the change of L: wheels do not change L, and a floor does.
    """
    return plant.solver.commanded_torque_B(plant, instant)


def turning_wrench(plant: Plant, instant: Instant) -> FlatWrench:
    """Return the wrench (12,) on the carrier at an Instant: the motors' torques subtracted.

    Of a coupled spacecraft its torque is J dω/dt + ω × L, from any cause.
    """
    return plant.solver.turning_wrench(plant, instant)


def put_instant(
    plant: Plant,
    tick: int,
    state: State,
    elapsed: int = 0,
    place: bool = False,
    before: Readings | None = None,
) -> Instant:
    """Return the Instant of a given state; on a floor, as core.contact.model.start.

    place: lower or lift the body along the floor's normal until it touches
    before: Readings of the tick before, from which the sensors go on
    Raises ValueError when the body is inside the floor, MotionError where a sensor has no
    finite reading.
    """
    state, contact = _in_contact(plant, state, elapsed, place)
    instant = Instant(tick, state, NO_INPUTS, elapsed, Drive(), contact, ticks=plant.ticks)
    return given_instant(plant, instant, before)


def given_instant(plant: Plant, instant: Instant, before: Readings | None) -> Instant:
    """Return an Instant with the sensors' readings; before: Readings of the tick before.

    Raises MotionError.
    """
    seen = truth(plant, instant)
    readings = _read(plant, seen, instant.tick, instant.elapsed, before)
    return instant._replace(readings=readings, ticks=plant.ticks)


def with_plant(plant: Plant, instant: Instant) -> Instant:
    """Return the Instant with its contact started again: friction or floor has changed.

    Raises ValueError when the body is inside the new floor.
    """
    state, contact = _in_contact(plant, instant.state, instant.elapsed)
    return instant._replace(state=state, contact=contact)


def _in_contact(
    plant: Plant, state: State, elapsed: int, place: bool = False
) -> tuple[State, Array | None]:
    """Return State and contact of a body that is placed where it is now."""
    if plant.contact is None:
        return state, None
    from spacecraft_attitude_sim.core.contact import model

    return model.start(plant.contact, plant, state, plant.ticks.seconds(elapsed), place)


def contact_at(instant: Instant) -> Contact:
    """Return the core.contact.model.Contact of an instant on a floor."""
    assert instant.contact is not None
    return unpacked(instant.contact)


def unpacked(contact: Array) -> Contact:
    """Return the core.contact.model.Contact of a flat contact (30,)."""
    from spacecraft_attitude_sim.core.contact import model

    return model.unpack(contact)


def step(plant: Plant, state: State, inputs: Inputs = NO_INPUTS, elapsed: int = 0) -> State:
    """Return the State one tick later, without sensors.

    Raises ArithmeticError where the motion cannot be computed.
    """
    if loads.acts(inputs.impulse):
        state = struck(plant, state, inputs.impulse)
    return plant.solver.next_state(plant, state, inputs, elapsed)


def substeps_in(plant: Plant, state: State, wrench: FlatWrench = loads.FREE) -> int:
    """Return the number of steps of a tick that begins in this state."""
    return plant.solver.steps(plant, state, wrench)


def tick_error(plant: Plant, state: State, elapsed: int = 0) -> float:
    """Return what halving all steps of a tick changes in the attitude at its end [rad].

    The tick begins in `state` and has no commands. RK4 in these steps errs by 16/15 of that.
    """
    steps = substeps_in(plant, state)
    whole, half = (
        step(plant.with_substeps(count), state, elapsed=elapsed).q_WB
        for count in (steps, 2 * steps)
    )
    return float(rotations.angle_between(whole, half))


def under_resolved(plant: Plant, state: State, wrench: FlatWrench = loads.FREE) -> bool:
    """Return whether automatic sub-steps are fewer than the body's rate needs.

    False where `substeps` are given, because they were chosen.
    """
    if plant.substeps or plant.contact:  # a contact that is not resolved stops the run itself
        return False
    return substeps_in(plant, state, wrench) >= MOST_STEPS


def accelerations_W(plant: Plant, instant: Instant) -> tuple[Vector3, Vector3]:
    """Return linear and angular acceleration (3,), (3,) [m/s^2, rad/s^2], world axes.

    At the centre of mass, under gravity, the contact, and what acted in the tick that ended here.
    """
    flat, q_WB = truth(plant, instant), instant.state.q_WB
    layout = kinematics.TRUTH
    specific_W = rotations.rotate(q_WB, flat[layout.of('specific_force_B')])
    # d(R ω_B)/dt = R α_B, because ω × ω = 0.
    alpha_W = rotations.rotate(q_WB, flat[layout.of('angular_acceleration_B')])
    return specific_W + plant.gravity_W, alpha_W


def trajectory(
    plant: Plant,
    state: State,
    count: int,
    wrench: FlatWrench = loads.FREE,
    commands: Mapping[str, Array] | None = None,
) -> Array:
    """Return the flat states (count + 1, 13 + n) of every tick; bit for bit as by `step`.

    The ticks are computed in a compiled loop, whatever the spacecraft carries.

    wrench: (12,) constant;  commands: {part of Inputs: (count, n), a row for each tick}, such as
        {'wheel_torque': (320, 3)}; an actuator without a table has no command
    Raises ValueError for commands that do not fit, ArithmeticError where the equations cannot go
    on.
    """
    given = _tables(plant, count, commands or {})
    flat = plant.solver.trajectory(plant, state, count, wrench, given)
    check_finite('the last state', flat[-1])  # nan or inf would stay until the end
    return flat


def _tables(plant: Plant, count: int, commands: Mapping[str, Array]) -> dict[str, Array]:
    """Return commands as arrays of floats; ValueError where they do not fit."""
    tables, groups = {}, plant.spacecraft.groups
    for name, rows in commands.items():
        if name not in MODES:
            raise ValueError(f'{name!r} is no command; give any of {", ".join(MODES)}')
        kind, mode = MODES[name]
        if kind not in groups:
            has = ', '.join(own for own in groups if own in COMMANDED) or 'no actuators'
            raise ValueError(f'{name}: the spacecraft has no {kind}; it has {has}')
        if mode.needs and not getattr(groups[kind], mode.needs):
            parts = ', '.join(each.part for each in COMMANDED[kind].modes if not each.needs)
            raise ValueError(f'{name}: the spacecraft has no {mode.word}; give {parts}')
        tables[name] = table = np.array(rows, dtype=float)
        shape = (count, len(groups[kind].names))
        if table.shape != shape:
            raise ValueError(
                f'{name} has shape {table.shape}; give {shape}: a row for each tick, '
                f'in it a number for each of {", ".join(groups[kind].names)}'
            )
    return tables
