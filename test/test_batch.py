# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A batch gives every body the bits it would get alone, and says what became of it."""

import numpy as np
import pytest

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.batch.batch import Batch, Law
from spacecraft_attitude_sim.core.batch.contact import Touching
from spacecraft_attitude_sim.core.batch.loop import law_function
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.rigid_body import AT_CENTRE_OF_MASS, RigidBody
from spacecraft_attitude_sim.core.body.state import from_flat, to_flat
from spacecraft_attitude_sim.core.simulation import Inputs, plant_of
from spacecraft_attitude_sim.core.studies.flips_and_drifts import DriftMonitor

# Neither a multiple of the lanes nor a single block.
COUNT = 37
GRAVITY = np.array((0.0, 0.0, -9.81))


def bodies_and_states(count=COUNT, seed=1):
    """Return bodies with products of inertia, and states that tumble at 0.1 to 6 rad/s."""
    random = np.random.default_rng(seed)
    bodies, states = [], []
    for _ in range(count):
        axes = np.linalg.qr(random.normal(size=(3, 3)))[0]
        inertia = axes @ np.diag(random.uniform(1.0, 1.7, 3)) @ axes.T
        bodies.append(RigidBody(random.uniform(0.5, 5.0), (inertia + inertia.T) / 2.0))
        q = random.normal(size=4)
        omega = random.normal(size=3) * random.uniform(0.1, 4.0)
        position, velocity = random.normal(size=(2, 3))
        states.append(bodies[-1].state(position, q / np.linalg.norm(q), velocity, omega))
    return bodies, states


def wrenches_of(kind):
    """Return wrenches (COUNT, 12): none, or torques and forces, or for every third body none."""
    wrenches = np.random.default_rng(2).normal(size=(COUNT, 12)) * 0.3
    wrenches *= {'free': 0.0, 'pushed': 1.0, 'mixed': 1.0}[kind]
    if kind == 'mixed':
        wrenches[::3] = 0.0
    return wrenches


@pytest.mark.parametrize('substeps', [0, 1, 3])
@pytest.mark.parametrize('kind', ['free', 'pushed', 'mixed'])
def test_every_body_gets_the_bits_it_gets_alone(kind, substeps):
    bodies, states = bodies_and_states()
    wrenches = wrenches_of(kind)
    gravity = GRAVITY if kind == 'mixed' else np.zeros(3)
    batch = Batch(bodies, states, gravity_W=gravity, substeps=substeps)
    batch.hold(wrenches)
    batch.advance(2)
    batch.advance(3)
    for index, (body, state) in enumerate(zip(bodies, states, strict=True)):
        plant = plant_of(body, gravity, substeps)
        for _ in range(5):
            state = simulation.step(plant, state, Inputs(wrenches[index]))
        np.testing.assert_array_equal(batch.states[index], to_flat(state))


def test_impulses_act_once_and_whole():
    bodies, states = bodies_and_states(3)
    impulses = np.random.default_rng(3).normal(size=(3, 6))
    batch = Batch(bodies, states)
    batch.strike(impulses)
    batch.advance(2)
    for index, body in enumerate(bodies):
        plant = plant_of(body, np.zeros(3))
        state = simulation.step(plant, states[index], Inputs(loads.FREE, impulses[index]))
        state = simulation.step(plant, state)
        np.testing.assert_array_equal(batch.states[index], to_flat(state))


@law_function
def push_back(tick, flat_state, body, constants, memory, wrench):
    """Push against the velocity; remember the last tick."""
    for axis in range(3):
        wrench[6 + axis] = -constants[0] * flat_state[7 + axis] * body[0]
    memory[0] = tick


def test_a_law_is_obeyed_from_tick_to_tick_by_every_body():
    bodies, states = bodies_and_states(19)
    gains = np.linspace(0.1, 2.0, 19)[:, np.newaxis]
    law = Law(push_back, gains, np.zeros((19, 1)))
    batch = Batch(bodies, states, law=law, threads=2)
    batch.advance(4)
    assert np.all(batch.memory == 3.0)
    for index, body in enumerate(bodies):
        state = states[index]
        for _ in range(4):
            flat = body.flat()
            force = -gains[index] * state.momentum_W * flat[0]
            wrench = loads.wrench_in_world(force, np.zeros(3))
            state = simulation.step(plant_of(body, np.zeros(3)), state, Inputs(wrench))
        np.testing.assert_array_equal(batch.states[index], to_flat(state))
        np.testing.assert_array_equal(batch.wrenches[index], wrench)


def test_the_number_of_threads_changes_nothing():
    bodies, states = bodies_and_states(100)
    batches = [Batch(bodies, states, threads=threads) for threads in (1, 2, 3)]
    for batch in batches:
        batch.advance(10)
        np.testing.assert_array_equal(batch.states, batches[0].states)


def test_merits_are_those_of_the_watch():
    bodies, states = bodies_and_states(5)
    handle = RigidBody(0.3, np.diag((62.2e-6, 171.5e-6, 210.5e-6)))
    bodies.append(handle)
    flipping = np.array((0.01, 8.0, 0.01))
    states.append(handle.state(np.zeros(3), (1, 0, 0, 0), np.zeros(3), flipping))
    gravity = np.array((0.0, 0.0, -0.1))
    batch = Batch(bodies, states, gravity_W=gravity, watched=True, settled_rate=1e9)
    watches = [
        DriftMonitor(plant_of(body, gravity), state)
        for body, state in zip(bodies, states, strict=True)
    ]
    for watch, state in zip(watches, states, strict=True):
        watch.add(0.0, state)
    for tick in range(1, 161):
        batch.advance()
        for watch, flat in zip(watches, batch.states, strict=True):
            watch.add(tick / 32.0, from_flat(flat))
    merits = batch.merits
    assert merits.flips.tolist() == [len(watch.flips()) for watch in watches]
    assert merits.flips[-1] > 0
    assert np.all(merits.momentum_drift == 0.0)
    assert np.all(merits.settling_time == 0.0)
    # Both are round-off of an energy of 1; the formulas add up in another order.
    drifts = [watch.energy_drift for watch in watches]
    np.testing.assert_allclose(merits.energy_drift, drifts, rtol=0, atol=1e-14)
    rates = [
        np.linalg.norm(body.angular_velocity_B(from_flat(flat)))
        for body, flat in zip(bodies, batch.states, strict=True)
    ]
    np.testing.assert_allclose(merits.final_rate, rates, rtol=1e-14)


def test_settling_time_is_when_the_rate_was_last_too_large():
    """A body braked by a constant torque stops, then turns the other way ever faster."""
    body = RigidBody(1.0, np.eye(3))
    state = body.state(np.zeros(3), (1, 0, 0, 0), np.zeros(3), np.array((0.0, 0.0, 1.0)))
    batch = Batch([body], [state], watched=True, settled_rate=0.51)
    batch.hold(loads.wrench_in_body(np.zeros(3), (0.0, 0.0, -1.0), AT_CENTRE_OF_MASS))
    batch.advance(32)  # |ω| = 1 - t: not above 0.51 from tick 16 on
    assert batch.merits.settling_time[0] == 0.5
    assert batch.merits.largest_torque[0] == 1.0
    batch.advance(32)  # |ω| = t - 1: too large again
    assert np.isnan(batch.merits.settling_time[0])
    # At most 0.97 from tick 1 on: too large at the start only.
    batch = Batch([body], [state], watched=True, settled_rate=0.97)
    batch.hold(loads.wrench_in_body(np.zeros(3), (0.0, 0.0, -1.0), AT_CENTRE_OF_MASS))
    batch.advance(8)
    assert batch.merits.settling_time[0] == 1.0 / 32.0


def test_memory_of_a_body_is_what_is_documented():
    bodies = np.repeat([RigidBody(1.0, np.eye(3)).flat()], 64, axis=0)
    states = np.zeros((64, 13))
    states[:, 3] = 1.0
    batch = Batch(bodies, states, watched=True)
    assert batch.bytes_per_body == 320 + 120 + 8  # the last of the memory of no law


class Rows(tuple):
    """Rows of parts or sensors, as far as they are counted."""

    def copy(self):
        """Return them."""
        return self


def test_arguments_that_do_not_fit_are_named():
    bodies, states = bodies_and_states(3)
    for count in (2, 4):
        with pytest.raises(ValueError, match=f'bodies are 3, states {count}; give as many'):
            Batch(bodies, bodies_and_states(4)[1][:count])
        for name in ('gyrostats', 'actuated', 'sensors', 'touching'):
            rows = Rows((range(count),))
            if name == 'touching':
                rows = Touching(*[np.zeros((count, 1))] * len(Touching._fields))
            with pytest.raises(ValueError, match=f'{name} are {count}, states 3; give as many'):
                Batch(bodies, states, **{name: rows})
    with pytest.raises(ValueError, match=r'wrenches have shape \(2, 12\); give \(12,\) or'):
        Batch(bodies, states).hold(np.zeros((2, 12)))
    with pytest.raises(ValueError, match='law has arrays of shape'):
        Batch(bodies, states, law=Law(push_back, np.zeros((2, 1)), np.zeros((3, 1))))
