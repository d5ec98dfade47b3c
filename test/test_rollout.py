# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""sas.rollout: arrays in, named arrays out, with the bits of sas.Simulation.step."""

import numpy as np
import pytest
from test_side_by_side import CRAFTS

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.api import rollout
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.simulation import joint_commands

pytestmark = pytest.mark.usefixtures('rare_loops_shared')
STEPS = 6


def commands_for(craft, count):
    """Return random commands (count, STEPS, any) to all that a spacecraft takes."""
    rng = np.random.default_rng(3)
    sizes = {'torque': (3, 1e-3), 'force': (3, 1e-3)}
    for word, (_, parts) in joint_commands.offered(craft).items():
        size = len(parts.names)
        sizes |= {
            'wheel': {'wheel_torque': (size, 3e-3)},
            'gimbal': {'gimbal_rate': (size, 0.1)},
            'thruster': {'thrust': (size, 1.0)},
            'magnetorquer': {'dipole': (3, 1.0)},
        }[word]
    return {
        name: most * rng.uniform(-1.0, 1.0, (count, STEPS, size))
        for name, (size, most) in sizes.items()
    }


def stepped(scenario, commands, n):
    """Return what sas.Simulation has at each instant: states, rates, readings, wheel speeds."""
    flight = sas.Simulation(scenario, controller=None)
    found = []
    for step in range(STEPS + 1):
        readings = flight.readings
        flat = np.concatenate(list(flight.instant.readings.flat.values()))
        found.append((
            to_flat(flight.instant.state), readings.truth.angular_velocity, flat,
            readings.wheel_speed, readings.gimbal_angle, readings.truth.velocity,
        ))  # fmt: skip
        if step < STEPS:
            flight.step(**{name: values[n, step] for name, values in commands.items()})
    return [np.array(each) for each in zip(*found, strict=True)]


@pytest.mark.parametrize('name', CRAFTS)
def test_each_spacecraft_has_the_bits_of_one_that_is_stepped_alone(name):
    crafts = CRAFTS[name]()
    commands = commands_for(crafts[0].plant.spacecraft, len(crafts))
    whole = sas.rollout(crafts, commands)
    assert not whole.lost.any()
    assert whole.time.tolist() == [crafts[0].plant.ticks.seconds(k) for k in range(STEPS + 1)]
    for n, scenario in enumerate(crafts):
        states, rates, readings, speeds, angles, velocity = stepped(scenario, commands, n)
        assert np.array_equal(whole.states[n], states)
        assert np.array_equal(whole.attitude[n], states[:, 3:7])
        assert np.array_equal(whole.angular_velocity[n], rates)
        assert np.array_equal(whole.velocity[n], velocity)
        assert np.array_equal(whole.wheel_speed[n], speeds)
        assert np.array_equal(whole.gimbal_angle[n], angles)
        parts = [
            rows[n].reshape(STEPS + 1, -1)
            for sensor in whole.sensors.values()
            for rows in vars(sensor).values()
        ]
        assert np.array_equal(np.hstack(parts), readings)


def test_bodies_of_different_mass_and_inertia_move_as_their_own_say():
    """F t/m, F t²/2m, τ t and τ t/J of each, from rest; J about z, which τ does not leave."""
    masses, moments = np.array((2.0, 5.0)), np.array((0.3, 0.4))
    crafts = [
        sas.load({'body.mass': mass, 'body.inertia': [0.2, 0.2, moment],
                  'initial.angular_velocity': [0.0, 0.0, 0.0], 'gravity': [0.0, 0.0, 0.0]})
        for mass, moment in zip(masses.tolist(), moments.tolist(), strict=True)
    ]  # fmt: skip
    push, turn = np.array((0.0, 0.0, 0.3)), np.array((0.0, 0.0, 2e-3))
    commands = {'force': np.tile(push, (2, STEPS, 1)), 'torque': np.tile(turn, (2, STEPS, 1))}
    whole = sas.rollout(crafts, commands)
    for n in range(2):
        t = whole.time[:, np.newaxis]
        for field, expected in (
            ('velocity', push * t / masses[n]), ('position', push * t**2 / 2.0 / masses[n]),
            ('angular_momentum', turn * t), ('angular_velocity', turn * t / moments[n]),
        ):  # fmt: skip
            found = getattr(whole, field)[n]
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-17), field


def test_impulses_and_torques_act_in_the_frame_that_is_given():
    crafts = CRAFTS['wheels and rods']()
    rng = np.random.default_rng(5)
    commands = {
        name: 1e-3 * rng.normal(size=(3, STEPS, 3)) for name in ('torque', 'angular_impulse')
    }
    whole = sas.rollout(crafts, commands, frame='world')
    flight = sas.Simulation(crafts[1], controller=None)
    for k in range(STEPS):
        flight.step(**{name: values[1, k] for name, values in commands.items()}, frame='world')
    assert np.array_equal(whole.states[1, -1], to_flat(flight.instant.state))


def test_limits_of_torques_and_speeds_of_wheels_are_those_of_one():
    base = sas.load(
        CRAFTS['wheels and rods']()[0], parameters={'command_torque_limit': [1e-3, 2e-3, 0.1]}
    )
    commands = {
        'torque': np.full((STEPS, 3), 5e-3),
        'wheel_speed': np.tile((50.0, -30.0, 1e4), (STEPS, 1)),
    }
    whole, flight = sas.rollout(base, commands), sas.Simulation(base, controller=None)
    for k in range(STEPS):
        flight.step(**{name: values[k] for name, values in commands.items()})
    assert np.array_equal(whole.states[0, -1], to_flat(flight.instant.state))
    # At its largest speed, either way, and beside one that stands still by its friction.
    stuck = sas.load(base, parameters={
        'wheel.a.max_speed': 20.0, 'wheel.b.max_speed': 30.0, 'wheel.a.torque': 0.0,
        'wheel.a.initial_speed': -20.0, 'wheel.b.initial_speed': 30.0,
    })  # fmt: skip
    torque = {'wheel_torque': np.tile((-2e-3, 2e-3, 0.0), (STEPS, 1))}
    whole = sas.rollout(stuck, torque)
    assert whole.wheel_speed[0, -1, :2].tolist() == [-20.0, 30.0]
    ideal = CRAFTS['ideal wheels']()[0]
    with pytest.raises(ValueError, match='wheel_speed: '):
        sas.rollout(ideal, {'wheel_speed': np.zeros((2, 3))})


def test_starts_and_seeds_of_one_scenario_are_those_of_its_parameters():
    base = CRAFTS['wheels and rods']()[0]
    rng = np.random.default_rng(6)
    initial = {
        'attitude': rng.normal(size=(3, 4)), 'angular_velocity': 0.02 * rng.normal(size=(3, 3)),
        'wheel_speed': np.array([50.0, -20.0, 0.0]),
    }  # fmt: skip
    initial['attitude'] /= np.linalg.norm(initial['attitude'], axis=1)[:, np.newaxis]
    whole = sas.rollout(base, initial=initial, seeds=[7, 8, 9], steps=3)
    for n, seed in enumerate((7, 8, 9)):
        speeds = dict(zip('abc', (50.0, -20.0, 0.0), strict=True))
        scenario = sas.load(
            base, attitude=initial['attitude'][n], angular_velocity=initial['angular_velocity'][n],
            parameters={'seed': seed}
            | {f'wheel.{name}.initial_speed': speed for name, speed in speeds.items()},
        )  # fmt: skip
        flight = sas.Simulation(scenario, controller=None)
        flight.advance(3 * scenario.plant.ticks.step)
        assert np.array_equal(whole.states[n, -1], to_flat(flight.instant.state))
        gyroscope = whole.sensors['imu'].angular_velocity_S[n, -1]
        assert np.array_equal(gyroscope, flight.readings.angular_velocity)
    again = sas.rollout(base, initial=whole.states[:, -1], steps=2)
    assert np.array_equal(again.states[:, 0], whole.states[:, -1])


@pytest.mark.parametrize('struck', [False, True])
@pytest.mark.parametrize('name', ['free', 'wheels and rods'])
def test_commands_laid_out_in_pieces_are_those_laid_out_at_once(name, struck, monkeypatch):
    crafts = CRAFTS[name]()
    commands = commands_for(crafts[0].plant.spacecraft, len(crafts))
    if struck:
        commands['impulse'] = 1e-6 * np.arange(3.0 * STEPS).reshape(STEPS, 3)
    whole = sas.rollout(crafts, commands)
    monkeypatch.setattr(rollout, 'AT_ONCE', 4)
    pieces = sas.rollout(crafts, commands, every=3)
    assert np.array_equal(pieces.states, whole.states[:, ::3])


def test_a_body_on_a_floor_begins_where_it_is_told_to():
    base = CRAFTS['floor']()[0]
    rates = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    whole = sas.rollout(base, initial={'angular_velocity': rates}, steps=4)
    for n, rate in enumerate(rates):
        flight = sas.Simulation(sas.load(base, angular_velocity=rate), controller=None)
        flight.advance(4 * base.plant.ticks.step)
        assert np.array_equal(whole.states[n, -1], to_flat(flight.instant.state))
    with pytest.raises(ValueError, match='on a floor'):
        sas.rollout(base, seeds=[1, 2], steps=1)


def test_every_kth_instant_and_the_last_are_kept():
    base = CRAFTS['free']()[0]
    whole = sas.rollout(base, {'torque': np.full((STEPS, 3), 1e-3)})
    some = sas.rollout(base, {'torque': np.full((1, STEPS, 3), 1e-3)}, every=4)
    assert np.array_equal(some.states, whole.states[:, [0, 4, 6]])
    assert np.array_equal(some.time, whole.time[[0, 4, 6]])


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        ({'commands': {'wheel_torque': np.zeros((2, 3))}}, 'wheel_torque is no command'),
        ({'commands': {'torque': np.zeros((2, 4))}}, r'give \(1, steps, 3\)'),
        ({'commands': {'torque': np.full((2, 3), np.nan)}}, r'torque\[0, 0, 0\] is nan'),
        ({'commands': {'torque': [[0, 0, 0], [0, np.inf, 0]]}}, r'torque\[0, 1, 1\] is inf'),
        ({'commands': {'torque': np.zeros((2, 2, 3))}, 'seeds': [1]}, 'numbers of spacecraft'),
        ({'commands': {'torque': np.zeros((2, 3))}, 'steps': 3}, 'one number of steps'),
        ({}, 'one number of steps'),
        ({'steps': 0}, 'one number of steps'),
        ({'steps': 1, 'every': 0}, 'every is 0'),
        ({'steps': 1, 'frame': 'orbit'}, "frame is 'orbit'"),
        ({'steps': 1, 'seeds': [-1]}, 'a whole number'),
        ({'steps': 1, 'seeds': [0.5]}, 'a whole number'),
        ({'steps': 1, 'initial': {'rate': [0, 0, 0]}}, 'does not begin with rate'),
        ({'steps': 1, 'initial': {'attitude': [1, 0, 0]}}, 'give 4 finite numbers'),
        ({'steps': 1, 'initial': np.zeros(14)}, r'give \(1, 13\) finite numbers'),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        sas.rollout(CRAFTS['free']()[0], **arguments)
