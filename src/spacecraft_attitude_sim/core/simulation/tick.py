# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One tick of the simulation, and many of them without a node."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core import equations, ticks
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import State, from_flat, to_flat
from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS, substep_count
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

if TYPE_CHECKING:  # compiled code that only a body on a floor needs
    from spacecraft_attitude_sim.core.contact.model import ContactModel


class MotionError(ArithmeticError):
    """The equations of motion cannot go on; the text says which, when, why, and the remedy."""


class Plant(NamedTuple):
    """What is simulated and how; nothing in it changes during a run.

    body: RigidBody;  gravity_W: (3,) uniform gravitational acceleration [m/s^2]
    substeps: steps in a tick; 0 chooses them from the body's rate
    equations: one of core.equations.REGISTRY;  contact: with a floor, or None for a free body
    """

    body: RigidBody
    gravity_W: np.ndarray
    substeps: int = 0
    equations: str = 'momentum'
    contact: ContactModel | None = None


class Inputs(NamedTuple):
    """What acts in one tick besides gravity.

    wrench: (12,) of core.body.loads, held through the tick
    impulse: (6,) of core.body.loads, at its start
    """

    wrench: np.ndarray = loads.FREE
    impulse: np.ndarray = loads.NO_IMPULSE


class Instant(NamedTuple):
    """All there is to know of one instant.

    tick: its number;  state: State;  inputs: what acted in the tick that ended here
    applied_B: (6,) mean force and torque of those inputs, body axes of this instant [N, N m]; on
        a floor the wrench held at this instant, with the impulse spread over the tick
    elapsed: ticks since the start or the last reset: the time that moving floors go by
    touch: (30,) flat contact of core.contact; None for a body without a floor
    """

    tick: int
    state: State
    inputs: Inputs
    applied_B: np.ndarray
    elapsed: int = 0
    touch: np.ndarray | None = None


def first_instant(tick, state, elapsed=0, touch=None):
    """Return the Instant of a state that nothing has acted on yet."""
    return Instant(tick, state, Inputs(), np.zeros(6), elapsed, touch)


def put_instant(plant, tick, state, elapsed=0, place=False):
    """Return the Instant of a state that is put; on a floor, as core.contact.model.start says.

    place: lower or lift the body along the floor's normal until it touches
    Raises ValueError when the body is put inside the floor.
    """
    return _in_contact(plant, first_instant(tick, state, elapsed), place)


def with_plant(plant, instant):
    """Return the Instant with its contact begun anew: friction or floor has changed.

    Raises ValueError when the body is inside the new floor.
    """
    return _in_contact(plant, instant)


def next_instant(plant, instant, inputs):
    """Return the Instant one tick later.

    Raises MotionError.
    """
    move = _moved_on_floor if plant.contact else _moved_freely
    try:
        state, touch, applied_B = move(plant, instant, inputs)
    except MotionError:
        raise
    except ArithmeticError as error:
        raise MotionError(
            f"equations '{plant.equations}' end at t = {ticks.seconds(instant.tick):g} s: {error}"
        ) from None
    return Instant(instant.tick + 1, state, inputs, applied_B, instant.elapsed + 1, touch)


def _moved_freely(plant, instant, inputs):
    if loads.acts(inputs.impulse):
        limits.check_motion(plant, to_flat(loads.kicked(instant.state, inputs.impulse)))
    state = step(plant, instant.state, inputs)
    if not (loads.acts(inputs.wrench) or loads.acts(inputs.impulse)):
        return state, None, np.zeros(6)
    return state, None, loads.mean_wrench_B(instant.state, state, weight(plant), TICK_SECONDS)


def _moved_on_floor(plant, instant, inputs):
    from spacecraft_attitude_sim.core.contact import model

    try:
        # An impulse may lift the body, strike it on the floor, or make it slip.
        if loads.acts(inputs.impulse):
            kicked = loads.kicked(instant.state, inputs.impulse)
            limits.check_motion(plant, to_flat(kicked))
            instant = _in_contact(plant, instant._replace(state=kicked))
        state, touch = model.step(
            plant.contact, plant, instant.state, instant.touch, instant.elapsed, inputs.wrench
        )
    except ValueError as error:
        raise MotionError(
            f'contact ends at t = {ticks.seconds(instant.tick):g} s: {error}'
        ) from None
    force_B, torque_B = loads.wrench_on_body(inputs.wrench, state.q_WB)
    applied_B = np.concatenate((force_B, torque_B))
    if loads.acts(inputs.impulse):
        q_BW = rotations.conjugate(state.q_WB)
        for half in (slice(0, 3), slice(3, 6)):
            applied_B[half] += rotations.rotate(q_BW, inputs.impulse[half] / TICK_SECONDS)
    return state, touch, applied_B


def _in_contact(plant, instant, place=False):
    if plant.contact is None:
        return instant._replace(touch=None)
    from spacecraft_attitude_sim.core.contact import model

    time = ticks.seconds(instant.elapsed)
    state, touch = model.start(plant.contact, plant, instant.state, time, place)
    return instant._replace(state=state, touch=touch)


def contact_at(instant):
    """Return the core.contact.model.Contact of an instant on a floor."""
    from spacecraft_attitude_sim.core.contact import model

    return model.unpack(instant.touch)


def felt_wrench(instant):
    """Return all but gravity that acts at an instant, as a wrench (12,) of core.body.loads.

    An impact's force is not in it: that lasts no time.
    """
    if instant.touch is None:
        return instant.inputs.wrench.copy()
    return instant.inputs.wrench + contact_at(instant).wrench()


def step(plant, state, inputs=Inputs()):  # noqa: B008 (immutable)
    """Return the State one tick later; ArithmeticError where the motion cannot be followed."""
    if loads.acts(inputs.impulse):
        state = loads.kicked(state, inputs.impulse)
    wrench = loads.with_gravity(inputs.wrench, weight(plant))
    flat = equations.load(plant.equations).advance(
        to_flat(state), plant.body.flat(), wrench, TICK_SECONDS, plant.substeps
    )
    limits.check_motion(plant, flat)
    return from_flat(flat)


def substeps_in(plant, state, wrench=loads.FREE):
    """Return the number of steps that a tick from this state on takes."""
    if plant.substeps:
        return plant.substeps
    if equations.REGISTRY[plant.equations].exact and loads.leaves_free(wrench):
        return 1
    angle = equations.load(plant.equations).SUBSTEP_ANGLE
    return substep_count(angle, to_flat(state), plant.body.flat(), wrench.copy(), TICK_SECONDS)


def under_resolved(plant, state, wrench=loads.FREE):
    """Return whether automatic sub-steps are fewer than the rate of the body asks for.

    False where `substeps` are given: they were chosen.
    """
    if plant.substeps or plant.contact:  # a contact that cannot be resolved stops the run
        return False
    return substeps_in(plant, state, wrench) >= MOST_STEPS


def weight(plant):
    """Return gravity's force (3,) on the body [N], world axes."""
    return plant.body.mass * plant.gravity_W


def accelerations_W(plant, instant):
    """Return linear and angular acceleration (3,), (3,) [m/s^2, rad/s^2], world axes.

    At the centre of mass, under gravity, the contact, and the wrench that acted in the tick that
    ended here.
    """
    state, body = instant.state, plant.body
    wrench = loads.with_gravity(felt_wrench(instant), weight(plant))
    force_B, torque_B = loads.wrench_on_body(wrench, state.q_WB)
    alpha_B = body.angular_acceleration_B(state, torque_B)
    # d(R ω_B)/dt = R α_B, because ω × ω = 0.
    return tuple(rotations.rotate(state.q_WB, a_B) for a_B in (force_B / body.mass, alpha_B))


def trajectory(plant, state, ticks, wrench=loads.FREE):
    """Return the flat states (ticks + 1, 13) of every tick; bit for bit what `step` gives.

    Raises ArithmeticError where the equations cannot go on.
    """
    total = loads.with_gravity(wrench, weight(plant))
    flat = equations.load(plant.equations).trajectory(
        to_flat(state), plant.body.flat(), total, TICK_SECONDS, plant.substeps, ticks
    )
    limits.check_finite('the last state', flat[-1])  # what is not finite stays so to the end
    return flat
