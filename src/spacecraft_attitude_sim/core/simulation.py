# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One tick of the simulation, and many of them without a node."""

from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core import equations, loads, rotations, ticks
from spacecraft_attitude_sim.core.body import RigidBody
from spacecraft_attitude_sim.core.equations.principal_frame import MOST_STEPS, substep_count
from spacecraft_attitude_sim.core.state import State, from_flat, to_flat
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS


class MotionError(ArithmeticError):
    """The equations of motion cannot go on; the text says which, when, why, and the remedy."""


class Plant(NamedTuple):
    """What is simulated and how; nothing in it changes during a run.

    body: RigidBody;  gravity_W: (3,) uniform gravitational acceleration [m/s^2]
    substeps: steps in a tick; 0 chooses them from the body's rate
    equations: one of core.equations.REGISTRY
    """

    body: RigidBody
    gravity_W: np.ndarray
    substeps: int = 0
    equations: str = 'momentum'


class Inputs(NamedTuple):
    """What acts in one tick besides gravity.

    wrench: (12,) of core.loads, held through the tick
    impulse: (6,) of core.loads, at its start
    """

    wrench: np.ndarray = loads.FREE
    impulse: np.ndarray = loads.NO_IMPULSE


class Instant(NamedTuple):
    """All there is to know of one instant.

    tick: its number;  state: State;  inputs: what acted in the tick that ended here
    applied_B: (6,) mean force and torque of those inputs, body axes of this instant [N, N m]
    """

    tick: int
    state: State
    inputs: Inputs
    applied_B: np.ndarray


def first_instant(tick, state):
    """Return the Instant of a state that nothing has acted on yet."""
    return Instant(tick, state, Inputs(), np.zeros(6))


def next_instant(plant, instant, inputs):
    """Return the Instant one tick later.

    Raises MotionError.
    """
    try:
        state = step(plant, instant.state, inputs)
    except ArithmeticError as error:
        raise MotionError(
            f"equations '{plant.equations}' end at t = {ticks.seconds(instant.tick):g} s: {error}"
        ) from None
    if not (inputs.wrench.any() or inputs.impulse.any()):
        return first_instant(instant.tick + 1, state)
    applied_B = loads.mean_wrench_B(instant.state, state, weight(plant), TICK_SECONDS)
    return Instant(instant.tick + 1, state, inputs, applied_B)


def step(plant, state, inputs=Inputs()):  # noqa: B008 (immutable)
    """Return the State one tick later; ArithmeticError where the equations cannot go on."""
    state = loads.kicked(state, inputs.impulse)
    wrench = loads.with_gravity(inputs.wrench, weight(plant))
    flat = equations.load(plant.equations).advance(
        to_flat(state), plant.body.flat(), wrench, TICK_SECONDS, plant.substeps
    )
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
    return not plant.substeps and substeps_in(plant, state, wrench) >= MOST_STEPS


def weight(plant):
    """Return gravity's force (3,) on the body [N], world axes."""
    return plant.body.mass * plant.gravity_W


def accelerations_W(plant, instant):
    """Return linear and angular acceleration (3,), (3,) [m/s^2, rad/s^2], world axes.

    At the centre of mass, under gravity and the wrench that acted in the tick that ended here.
    """
    state, body = instant.state, plant.body
    wrench = loads.with_gravity(instant.inputs.wrench, weight(plant))
    force_B, torque_B = loads.wrench_on_body(wrench, state.q_WB)
    alpha_B = body.angular_acceleration_B(state, torque_B)
    # d(R ω_B)/dt = R α_B, because ω × ω = 0.
    return tuple(rotations.rotate(state.q_WB, a_B) for a_B in (force_B / body.mass, alpha_B))


def trajectory(plant, state, ticks, wrench=loads.FREE):
    """Return the flat states (ticks + 1, 13) of every tick; bit for bit what `step` gives.

    Raises ArithmeticError where the equations cannot go on.
    """
    total = loads.with_gravity(wrench, weight(plant))
    return equations.load(plant.equations).trajectory(
        to_flat(state), plant.body.flat(), total, TICK_SECONDS, plant.substeps, ticks
    )
