# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Control laws of the user in a batch, in Python and compiled: the bits of sas.simulate."""

import os

import numpy as np
import pytest
from plain import plain

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.core.batch.actuated import rows_of
from spacecraft_attitude_sim.core.batch.gyrostats import gyrostats
from spacecraft_attitude_sim.core.batch.sensors import sensors_of
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.kernels import kernel

TICKS = 32
# More bodies than lanes; some of them are flown alone, too.
RATES = np.random.default_rng(5).normal(size=(21, 3)) * 0.4
GAIN = 0.3


def bodies(count=21, **more):
    """Return Scenarios of free bodies with products of inertia and ideal sensors."""
    return [
        sas.load(
            inertia=[2.0, 3.0, 4.0, 0.1, -0.2, 0.3], velocity=[0.3, 0.1, 0.0],
            angular_velocity=rate, **more,
        )
        for rate in RATES[:count]
    ]  # fmt: skip


def batch_of(found, law, **more):
    """Return the Batch of Scenarios."""
    carriers = [one.plant.spacecraft.carrier for one in found]
    return sas.Batch(carriers, [one.initial for one in found], law=law, **more)


def alone(found, controller):
    """Return the flat state (13,) of a Scenario after TICKS."""
    craft = sas.Simulation(found, controller)
    craft.advance(TICKS / 32.0)
    return to_flat(craft.instant.state)[:SIZE]


def damp(readings):
    return -GAIN * readings.angular_velocity


class Everything:
    """A law with a state that commands all that a batch obeys, of one body or of many."""

    def reset(self):
        """Begin again."""
        self.integral = 0.0

    def __call__(self, readings):
        """Answer, and now and then nothing."""
        if readings.tick % 5 == 4:
            return None
        error = 2.0 * np.sign(readings.attitude[..., :1]) * readings.attitude[..., 1:]
        self.integral = self.integral + error * readings.step
        torque = -0.2 * error - GAIN * readings.angular_velocity - 0.1 * self.integral
        if readings.tick == 20:
            rates = readings.truth.angular_velocity
            return {'angular_impulse': -rates, 'impulse': 0.1 * rates, 'torque': torque}
        if readings.tick == 22:
            return {'force': -readings.truth.velocity, 'impulse': torque, 'frame': 'world'}
        return {'torque': torque, 'force': 0.1 * torque, 'impulse': None}


def push(time, attitude, angular_velocity, memory, parameters):
    return 0.0, -parameters[0] * angular_velocity[1], 0.01 * time


def integrate(time, attitude, angular_velocity, memory, parameters):
    memory[:3] += 2.0 * np.sign(attitude[0]) * attitude[1:] / 32.0
    return -parameters[0] * angular_velocity - 0.1 * memory[:3]


class Calling:
    """Calls such a function in Python, as a controller of one body."""

    def __init__(self, function, memory):
        self.function, self.memory = function, np.array(memory)

    def __call__(self, readings):
        """Answer."""
        seen = readings.time, readings.attitude, readings.angular_velocity
        return self.function(*seen, self.memory, np.array([GAIN]))


@pytest.mark.parametrize('make', [lambda: damp, Everything])
def test_a_law_in_python_gives_each_of_many_the_bits_that_it_gives_one(make):
    found = bodies()
    batch = batch_of(found, make())
    batch.advance(TICKS - 7)
    batch.advance(7)
    for k in (0, 1, 20):
        np.testing.assert_array_equal(batch.states[k], alone(found[k], make()))


@pytest.mark.parametrize(('function', 'memory'), [(push, []), (integrate, [0.1, 0.2, -0.3])])
def test_a_compiled_law_gives_the_bits_of_the_same_function_in_python(function, memory):
    found = bodies()
    batch = batch_of(found, sas.CompiledLaw(function, [GAIN], memory), threads=2)
    batch.advance(TICKS - 7)
    batch.advance(7)
    for k in (0, 1, 20):
        controller = Calling(function, memory)
        np.testing.assert_array_equal(batch.states[k], alone(found[k], controller))
        np.testing.assert_array_equal(batch.memory[k], controller.memory)


def test_parameters_and_memory_may_be_each_bodys_own():
    found = bodies(2)
    gains, memory = np.array([[0.0], [GAIN]]), [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]
    batch = batch_of(found, sas.CompiledLaw(integrate, gains, memory))
    batch.advance(TICKS)
    expected = alone(found[1], Calling(integrate, memory[1]))
    np.testing.assert_array_equal(batch.states[1], expected)
    assert not np.array_equal(batch.states[0], alone(found[0], Calling(integrate, memory[0])))


@pytest.mark.parametrize(
    'law_of', [lambda: damp, lambda: sas.CompiledLaw(lambda t, q, w, m, p: -GAIN * w)]
)
def test_what_turns_inside_is_known_to_a_law(law_of):
    wheels = plain({
        'wheels': ['a'], 'wheel.a.axis': [0.6, 0.8, 0.0], 'wheel.a.initial_speed': 100.0,
        'wheel.a.torque': 1e-3, 'wheel.a.inertia': 1e-2,
    })  # fmt: skip
    found = bodies(2, parameters=wheels)
    inside = gyrostats(
        [one.plant for one in found], [one.initial for one in found],
        [one.inputs.wheel_torque for one in found],
    )  # fmt: skip
    batch = batch_of(found, law_of(), gyrostats=inside)
    batch.advance(TICKS)
    np.testing.assert_array_equal(batch.states[1], alone(found[1], damp))


def test_a_compiled_law_turns_spacecraft_whose_wheels_have_limits():
    found = sas.load('cubesat_pyramid_limits')
    plants, states = [found.plant] * 2, [found.initial] * 2
    law = sas.CompiledLaw(lambda t, q, w, m, p: -0.02 * w)
    batch = batch_of([found] * 2, law, actuated=rows_of(plants, states, [found.inputs] * 2))
    batch.advance(TICKS)
    expected = alone(found, lambda readings: -0.02 * readings.angular_velocity)
    np.testing.assert_array_equal(batch.states[1], expected)

    def damp_truly(readings):
        return -0.02 * readings.truth.angular_velocity

    expected = alone(found, damp_truly)
    python = batch_of(
        [found] * 2, damp_truly,
        actuated=rows_of(plants, states, [found.inputs] * 2),
    )  # fmt: skip
    python.advance(TICKS)
    np.testing.assert_array_equal(python.states[1], expected)


def test_a_law_in_python_acts_on_what_the_sensors_read():
    found = bodies(3, parameters={'imu.model': 'stim300', 'imu.position': [0.1, 0.0, 0.0]})
    suites = [one.sensors for one in found]
    sensors = sensors_of([one.plant.body for one in found], suites)

    def law(readings):
        return -GAIN * readings.angular_velocity - 1e-2 * readings.specific_force

    batch = batch_of(found, law, sensors=sensors)
    batch.advance(TICKS)
    np.testing.assert_array_equal(batch.states[2], alone(found[2], law))
    # A compiled law is shown what is true, unless it asks for readings.
    batch, true = (
        batch_of(found, sas.CompiledLaw(push, [GAIN]), **more)
        for more in ({'sensors': sensors}, {})
    )
    for one in (batch, true):
        one.advance(TICKS)
    np.testing.assert_array_equal(batch.states, true.states)


def test_bodies_given_as_numbers_turn_as_those_given_as_bodies():
    found = bodies(2)
    flat = np.array([one.plant.body.flat() for one in found])
    batches = [
        sas.Batch(given, [one.initial for one in found], law=damp)
        for given in (flat, [one.plant.body for one in found])
    ]
    for batch in batches:
        batch.advance(TICKS)
    # The inverse inertia comes from the principal moments, with their round-off.
    np.testing.assert_allclose(batches[0].states, batches[1].states, rtol=0, atol=1e-14)


def test_a_body_that_is_lost_stops_no_law():
    found = bodies(2)

    def spin_up(readings):
        return -GAIN * readings.angular_velocity * [[1.0], [-1e7]]

    batch = batch_of(found, spin_up)
    batch.advance(TICKS)
    assert batch.lost.tolist() == [False, True]
    np.testing.assert_array_equal(batch.states[0], alone(found[0], damp))


@pytest.mark.parametrize(
    ('law', 'said'),
    [
        (lambda r: r.angular_velocity.T, r'returns torque of shape \(3, 4\); give \(4, 3\)'),
        (
            lambda r: np.sqrt(r.angular_velocity - 9.0),
            r'\[nan, nan, nan\] for body 0; give',
        ),
        (lambda r: {'force': [0.0, np.inf, 0.0]}, 'force .* for body 0; give finite numbers'),
        (
            lambda r: {'wheel_torque': [1e-3]},
            'returns wheel_torque; the spacecraft of the batch have no actuators to command',
        ),
        (
            lambda r: {'wheel_tork': [1e-3]},
            "'wheel_tork'; a batch obeys force, to",
        ),
        (lambda r: {'torque': [0, 0, 1], 'frame': 'moon'}, "frame is 'moon'; give 'body' or"),
    ],
)
def test_what_a_law_in_python_may_not_return_is_refused_and_nothing_moves(law, said):
    batch = batch_of(bodies(4), law)
    before = batch.states
    with np.errstate(invalid='ignore'), pytest.raises(ValueError, match=said):
        batch.advance()
    assert batch.tick == 0
    np.testing.assert_array_equal(batch.states, before)


@pytest.mark.parametrize(
    ('function', 'said'),
    [
        (
            lambda t, q, w: w,
            '5 argument types.*; or give law=<lambda>, a function of L',
        ),
        (lambda t, q, w, m, p: w + 'x', r'No implementation of function .*add.* \(line \d+\); or'),
        (lambda t, q, w, m, p: nothing * w, "name 'nothing' is not defined; or"),  # noqa: F821
        (lambda t, q, w, m, p: None, 'it returns none; return three numbers'),
        (lambda t, q, w, m, p: (t, t), 'return three numbers'),
        (lambda t, q, w, m, p: ('a', 'b', 'c'), 'return three numbers'),
        (Calling(push, []), 'The decorated object is not a function'),
    ],
)
def test_a_function_that_does_not_compile_is_refused_in_one_line(function, said):
    with pytest.raises(ValueError, match=said) as caught:
        sas.CompiledLaw(function)
    assert '\n' not in str(caught.value)


@pytest.mark.parametrize(
    ('function', 'said'),
    [
        (lambda t, q, w, m, p: w / (t - 0.25), 'at 0.25 s the law of body 0 returns .*(inf|nan)'),
        (lambda t, q, w, m, p: w / (m[0] - 32.0 * t), 'at 0.0625 s the law of body 1 returns'),
        (lambda t, q, w, m, p: q, r'at 0 s the law of body 0 returns \[.*; give three finite'),
        (
            lambda t, q, w, m, p: 1 // int(m[0] - 32.0 * t) * w,
            'at 0.0625 s the law of body 1 raises ZeroDivisionError',
        ),
    ],
)
@pytest.mark.filterwarnings('ignore:divide by zero')
def test_a_compiled_law_that_fails_is_told(function, said):
    law = sas.CompiledLaw(function, memory=[[5.0], [2.0], [3.0]])
    batch = batch_of(bodies(3), law)
    with pytest.raises(ValueError, match=said):
        batch.advance(TICKS)


def test_other_arguments_that_are_no_laws_are_refused():
    with pytest.raises(TypeError, match='law is 3; give a function of LawReadings, or a Compil'):
        batch_of(bodies(1), 3)
    law = sas.CompiledLaw(push, np.zeros((2, 1)))
    with pytest.raises(ValueError, match=r'parameters .* \(2, 1\); give \(any,\) for all bodies'):
        batch_of(bodies(3), law)


def test_compiled_laws_are_not_kept_on_disk():
    batch_of(bodies(1), sas.CompiledLaw(push, [GAIN])).advance()
    kept = [*os.walk(kernel.cache_directory())]
    names = [name for _, _, files in kept for name in files]
    assert any('loop.run' in name for name in names)
    assert not [name for name in names if 'law_of' in name or 'batch_laws' in name]
