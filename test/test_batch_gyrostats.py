# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies with wheels and in orbits in batches and campaigns: the bits they have alone."""

from dataclasses import replace

import numpy as np
import pytest
from plain import plain

from spacecraft_attitude_sim.campaigns import campaign, runner
from spacecraft_attitude_sim.campaigns.columns import STATE_COLUMNS
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.batch import Batch
from spacecraft_attitude_sim.core.batch.batch import Law
from spacecraft_attitude_sim.core.batch.gyrostats import gyrostats
from spacecraft_attitude_sim.core.batch.loop import law_function
from spacecraft_attitude_sim.core.batch.sensors import sensors_of
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.simulation import Inputs
from spacecraft_attitude_sim.core.studies.flips_and_drifts import DriftMonitor

TICKS = 40
WHEELS = plain({
    'body.inertia': [0.04, 0.05, 0.03, 0.002, -0.001, 0.003],
    'body.mass': 4.0,
    'initial.angular_velocity': [0.1, -0.2, 0.4],
    'wheels': ['a', 'b', 'c'],
    'wheel.a.axis': [0.6, 0.8, 0.0], 'wheel.a.initial_speed': 100.0, 'wheel.a.torque': 1e-3,
    'wheel.b.axis': [0.0, 0.6, 0.8], 'wheel.b.initial_speed': -50.0, 'wheel.b.torque': -2e-3,
    'wheel.c.axis': [0.0, 0.0, 1.0], 'wheel.c.inertia': 2e-5,
})  # fmt: skip
# So near a small planet that the gradient is no small torque.
ORBIT = {'orbit.radius': 7e4, 'orbit.normal': [0.1, -0.3, 1.0]}
CASES = {'wheels': WHEELS, 'orbit': ORBIT, 'both': WHEELS | ORBIT}


def scenarios():
    """Return Scenarios with wheels, without, with an orbit, without."""
    return [scenario.build(given, 'test') for given in (WHEELS, WHEELS | ORBIT, ORBIT)]


def batch_of(found, **options):
    """Return the Batch of Scenarios that need a Loaded solver."""
    states = [one.initial for one in found]
    return Batch(
        [one.plant.spacecraft.carrier for one in found], states,
        gyrostats=gyrostats(
            [one.plant for one in found], states, [one.inputs.wheel_torque for one in found]
        ),
        **options,
    )  # fmt: skip


def alone(found, wrench=None):
    """Return the Instant of a Scenario after TICKS."""
    instant = found.first_instant()
    inputs = found.inputs if wrench is None else found.inputs._replace(wrench=wrench)
    for _ in range(TICKS):
        instant = simulation.next_instant(found.plant, instant, inputs)
    return instant


@pytest.mark.parametrize('pushed', [False, True])
def test_every_body_has_the_bits_it_has_alone(pushed):
    found = scenarios() * 6
    batch = batch_of(found, threads=2)
    wrench = np.array((0.01, 0, 0, 1e-4, 0, -1e-4, 0, 0, 0.02, 0, 1e-4, 0)) if pushed else None
    if pushed:
        batch.hold(wrench)
    batch.advance(TICKS // 2)
    batch.advance(TICKS // 2)
    for k, one in enumerate(found[:3]):
        expected = alone(one, wrench).state
        assert batch.states[k].tobytes() == to_flat(expected)[:13].tobytes()
        assert batch.states[k + 3].tobytes() == batch.states[k].tobytes()
        own = expected.internal.size
        assert batch.internal[k, :own].tobytes() == expected.internal.tobytes()


def gyrostats_at_random(count, seed):
    """Return Scenarios with none to four wheels, motors on or off, in an orbit or in none.

    At 50 Hz, whose ticks are no sums of binary fractions: the end of a tick is not the beginning
    of the next one to the last bit.
    """
    random = np.random.default_rng(seed)
    return [scenario.build(gyrostat_at_random(random, k), 'test') for k in range(count)]


def gyrostat_at_random(random, k):
    """Return the parameters of one of gyrostats_at_random."""
    attitude = random.normal(size=4)
    inertia = (*random.uniform(0.03, 0.05, 3), *random.normal(0.0, 1e-3, 3))
    given = {
        'tick_rate': 50.0,
        'body.mass': float(random.uniform(1.0, 9.0)),
        'body.inertia': [float(value) for value in inertia],
        'initial.attitude': (attitude / np.linalg.norm(attitude)).tolist(),
        'initial.angular_velocity': random.normal(0.0, 0.5, 3).tolist(),
        'wheels': [f'w{n}' for n in range(k % 5)],
    }
    for name in given['wheels']:
        axis = random.normal(size=3)
        given[f'wheel.{name}.axis'] = (axis / np.linalg.norm(axis)).tolist()
        given[f'wheel.{name}.initial_speed'] = float(random.normal(0.0, 200.0))
        given[f'wheel.{name}.torque'] = float(random.normal(0.0, 1e-3)) if k % 3 else 0.0
    if k % 2 or not given['wheels']:
        given['orbit.radius'] = float(random.uniform(6e4, 9e4))
        given['orbit.normal'] = [0.1, float(random.normal()), 1.0]
    return plain(given)


@pytest.mark.parametrize(('substeps', 'torque'), [(0, 0.0), (1, 20.0), (3, 60.0)])
def test_random_gyrostats_side_by_side_have_the_bits_they_have_alone(substeps, torque):
    """37 fill two blocks of lanes and a part of a third; a motor of the second spoils one body."""
    found = gyrostats_at_random(37, 5)
    given = found[21].parameters | {'wheel.w0.torque': torque}
    found[21] = scenario.build(given, 'test')
    found = [replace(one, plant=one.plant.with_substeps(substeps)) for one in found]
    batch = batch_of(found, substeps=substeps, ticks=found[0].plant.ticks, threads=2)
    batch.advance(7)
    assert not batch.lost.any()
    batch.advance(TICKS - 7)
    assert np.flatnonzero(batch.lost).tolist() == ([21] if torque else [])
    if torque:
        assert np.isnan(batch.internal[21]).all()
        with pytest.raises(simulation.MotionError):
            alone(found[21])
    for k in np.flatnonzero(~batch.lost):
        expected = alone(found[k]).state
        assert batch.states[k].tobytes() == to_flat(expected)[:13].tobytes(), k
        own = expected.internal.size
        assert batch.internal[k, :own].tobytes() == expected.internal.tobytes()
        assert not batch.internal[k, own:].any()


def test_neighbours_and_the_stretches_of_ticks_change_no_bit_of_summaries():
    found = gyrostats_at_random(18, 6)
    options = {'watched': True, 'settled_rate': 0.5, 'ticks': found[0].plant.ticks}
    whole, back = batch_of(found, **options), batch_of(found[::-1], **options)
    each = [batch_of([one], **options) for one in found]
    whole.advance(TICKS)
    for batch in (back, *each):
        for _ in range(TICKS // 8):
            batch.advance(8)
    for name, values in whole.merits._asdict().items():
        assert values.tobytes() == getattr(back.merits, name)[::-1].tobytes(), name
        single = np.concatenate([getattr(batch.merits, name) for batch in each])
        assert values.tobytes() == single.tobytes(), name


def test_a_batch_in_orbits_without_wheels_has_no_axial_momenta():
    found = [scenario.build(ORBIT | {'initial.angular_velocity': [0.1, 0.2, -0.1]}, 'test')] * 3
    batch = batch_of(found)
    batch.advance(TICKS)
    assert batch.internal.shape == (3, 0)
    assert batch.states[2].tobytes() == to_flat(alone(found[2]).state).tobytes()


@law_function
def brake(tick, flat_state, body, constants, memory, wrench):
    """Answer what is stored inside, of this body at this tick, by a torque."""
    for axis in range(3):
        wrench[3 + axis] = constants[0] * (tick + 1) * flat_state[13 + axis]


def test_a_law_is_shown_what_its_own_wheels_hold_now():
    found = gyrostats_at_random(19, 7)
    gains = np.linspace(1e-3, 1e-2, 19)
    law = Law(brake, gains[:, np.newaxis], np.zeros((19, 1)))
    batch = batch_of(found, law=law, ticks=found[0].plant.ticks)
    batch.advance(10)
    for k, one in enumerate(found):
        instant = one.first_instant()
        for tick in range(10):
            wrench = np.zeros(12)
            wrench[3:6] = gains[k] * (tick + 1) * one.plant.spacecraft.stored_B(instant.state)
            inputs = one.inputs._replace(wrench=wrench)
            instant = simulation.next_instant(one.plant, instant, inputs)
        assert batch.states[k].tobytes() == to_flat(instant.state)[:13].tobytes(), k


def test_a_body_with_wheels_falls_in_a_batch_as_alone():
    found = [scenario.build(WHEELS | {'gravity': [0.1, 0.0, -9.81]}, 'test')]
    batch = batch_of(found, gravity_W=found[0].plant.gravity_W, watched=True)
    batch.advance(TICKS)
    last = alone(found[0]).state
    assert batch.states[0].tobytes() == to_flat(last)[:13].tobytes()
    assert last.position_W[2] == pytest.approx(-0.5 * 9.81 * 1.25**2, rel=1e-9)
    # What it falls is no energy gained; the work of the motors is.
    level = batch_of([scenario.build(WHEELS, 'test')], watched=True)
    level.advance(TICKS)
    assert batch.merits.energy_drift == pytest.approx(level.merits.energy_drift, rel=1e-6)


def test_merits_are_those_of_the_monitor():
    found = scenarios()
    batch = batch_of(found, watched=True, settled_rate=1e9)
    monitors = [DriftMonitor(one.plant, one.initial) for one in found]
    instants = [one.first_instant() for one in found]
    for tick in range(1, TICKS + 1):
        instants = [
            simulation.next_instant(one.plant, instant, one.inputs)
            for one, instant in zip(found, instants, strict=True)
        ]
        for monitor, instant in zip(monitors, instants, strict=True):
            monitor.add(tick / 32.0, instant.state)
        batch.advance()
    for k, (one, monitor, instant) in enumerate(zip(found, monitors, instants, strict=True)):
        rate = np.linalg.norm(one.plant.spacecraft.angular_velocity_B(instant.state))
        assert batch.merits.final_rate[k] == pytest.approx(rate, rel=1e-12)
        assert batch.merits.energy_drift[k] == pytest.approx(
            monitor.energy_drift, rel=1e-6, abs=1e-12
        )
    assert batch.merits.momentum_drift[0] == 0.0
    assert batch.merits.energy_drift[0] > 1e-3  # the work of the motors
    assert batch.merits.energy_drift[2] < 1e-9  # Jacobi's integral
    assert batch.merits.momentum_drift[2] > 1e-3


def test_a_body_that_cannot_be_followed_is_lost_and_the_others_are_not():
    found = scenarios()
    found[0] = scenario.build(WHEELS | {'wheel.a.torque': 1e6}, 'test')
    batch = batch_of(found)
    batch.advance(TICKS)
    assert batch.lost.tolist() == [True, False, False]
    with pytest.raises(simulation.MotionError, match='turns at'):
        alone(found[0])
    assert batch.states[2].tobytes() == to_flat(alone(found[2]).state)[:13].tobytes()


def ends_alone(found, wrench=None):
    """Return the tick that a Scenario's motion alone does not reach, of TICKS; else None."""
    instant = found.first_instant()
    inputs = found.inputs if wrench is None else found.inputs._replace(wrench=wrench)
    for tick in range(1, TICKS + 1):
        try:
            instant = simulation.next_instant(found.plant, instant, inputs)
        except simulation.MotionError:
            return tick
    return None


@pytest.mark.parametrize(('torque', 'tick'), [(0.0, None), (2.0, 12), (1.0, 23), (40.0, 1)])
def test_a_motion_in_a_batch_ends_at_the_tick_at_which_it_does_alone(torque, tick):
    """From rest π/TICK rad/s, half a turn in the one sub-step, is reached after π J/(u TICK²)."""
    given = {
        'body.mass': 4.0, 'body.inertia': [0.04, 0.04, 0.007], 'substeps': 1, 'wheels': ['z'],
        'wheel.z.inertia': 1.72e-5, 'wheel.z.torque': torque, 'wheel.z.initial_speed': 60000.0,
        'initial.angular_velocity': [0.0, 0.0, 0.0] if torque else [0.1, 0.0, 0.0],
    }  # fmt: skip
    found = scenario.build(plain(given), 'test')
    batch = batch_of([found], substeps=1)
    ended = None
    for now in range(1, TICKS + 1):
        batch.advance()
        if ended is None and batch.lost[0]:
            ended = now
    assert ended == ends_alone(found) == tick
    if torque:
        half_turn = np.pi * (0.007 - 1.72e-5) / (torque / 32.0**2)
        assert tick == int(np.ceil(half_turn))
    else:
        assert batch.states[0].tobytes() == to_flat(alone(found).state)[:13].tobytes()


@law_function
def push_now_and_then(tick, flat_state, body, constants, memory, wrench):
    """Choose another torque every fourth tick, to be held until then."""
    if tick % 4 == 0:
        memory[0] += 1.0
        wrench[3] = constants[0] * memory[0]


def test_what_a_law_holds_stays_however_many_ticks_are_asked_for_at_once():
    found = scenarios()
    batches = [
        batch_of(found, law=Law(push_now_and_then, np.full((3, 1), 1e-3), np.zeros((3, 1))))
        for _ in range(2)
    ]
    batches[0].advance(10)
    for _ in range(10):
        batches[1].advance()
    assert batches[0].states.tobytes() == batches[1].states.tobytes()


def test_a_flight_faster_than_light_ends_in_a_batch_as_alone():
    """4 kg under 8.5e9 N pass c after 4.5 ticks."""
    found = scenario.build(WHEELS, 'test')
    wrench = np.zeros(12)
    wrench[6] = 8.5e9
    batch = batch_of([found])
    batch.hold(wrench)
    lost = []
    for _ in range(6):
        batch.advance()
        lost.append(bool(batch.lost[0]))
    assert lost == [False] * 4 + [True] * 2
    assert ends_alone(found, wrench) == 5


def test_loads_of_the_environment_add_for_sensors():
    (_, _, found) = scenarios()
    environment = found.plant.environment
    (gradient,) = environment.turning
    states, starts = np.array([to_flat(found.initial)[:13]]), np.zeros(1, dtype=np.int64)
    once = gyrostats([found.plant], [found.initial], [()]).inside(states, 0, 1, 3, starts)
    object.__setattr__(environment, 'loads', (environment.loads[0], gradient, gradient))
    twice = gyrostats([found.plant], [found.initial], [()]).inside(states, 0, 1, 3, starts)
    assert once[0, 6:9].any()
    assert twice[0, 6:9].tolist() == (2.0 * once[0, 6:9]).tolist()


@pytest.mark.parametrize('name', CASES)
def test_a_campaign_ends_where_its_runs_do_alone(name):
    base = scenario.build(CASES[name] | {'duration': 1.25}, 'test')
    text = (
        'scenario: base\nruns: 5\nseed: 3\nduration: 1.25\nsettled_rate: 0.01\ndispersions:\n'
        '  initial.angular_velocity: {distribution: in_sphere, radius: 0.4}\n'
        + ('  wheel.a.torque: {distribution: uniform, low: 0.0, high: 1.0e-3}\n'
           if name != 'orbit' else '')
    )  # fmt: skip
    whole = campaign.parse(text, scenario.dump(base), 'test')
    columns = runner.columns_of(whole, 0, 5, threads=1)
    draws = whole.draws(range(5))
    for row, one in enumerate(whole.scenarios_of(draws, range(5))):
        state = to_flat(alone(one).state)
        found = [columns[column][row] for column in STATE_COLUMNS]
        assert np.array(found).tobytes() == state[:13].tobytes()


def test_inputs_without_torque_are_those_of_idle_motors():
    (found, *_) = scenarios()
    instant = found.first_instant()
    idle = simulation.next_instant(found.plant, instant, Inputs())
    zeros = simulation.next_instant(found.plant, instant, Inputs(wheel_torque=np.zeros(3)))
    assert to_flat(idle.state).tobytes() == to_flat(zeros.state).tobytes()


def test_sensors_of_a_batch_feel_wheels_and_orbit_as_alone():
    errors = {'imu.position': [0.1, -0.2, 0.3], 'imu.gyroscope.angle_random_walk': [0.3]}
    found = [scenario.build(given | errors, 'test') for given in (WHEELS, WHEELS | ORBIT, ORBIT)]
    sensors = sensors_of(
        [one.plant.spacecraft.carrier for one in found], [one.sensors for one in found]
    )
    batch = batch_of(found, sensors=sensors)
    instants = [one.first_instant() for one in found]
    for _ in range(8):
        for k, instant in enumerate(instants):
            imu = instant.readings.imu
            assert batch.readings.q_WS[k].tobytes() == imu.q_WS.tobytes()
            assert batch.readings.angular_velocity_S[k].tobytes() == (
                imu.angular_velocity_S.tobytes()
            )
            assert batch.readings.specific_force_S[k].tobytes() == imu.specific_force_S.tobytes()
        batch.advance()
        instants = [
            simulation.next_instant(one.plant, instant, one.inputs)
            for one, instant in zip(found, instants, strict=True)
        ]


def test_a_controller_in_a_campaign_sees_the_rate_less_what_the_wheels_hold():
    """Big idle wheels hold most of L; the law brings the body to rest, not L to zero."""
    given = WHEELS | {'wheel.a.torque': 0.0, 'wheel.b.torque': 0.0, 'duration': 60.0}
    control = {'mode': 'rate_damping', 'inertia': given['body.inertia'], 'bandwidth': 0.5,
               'damping_ratio': 0.8, 'torque_limit': [0.01] * 3}  # fmt: skip
    base = scenario.of_sections({'simulator': given, 'attitude_controller': control}, 'test')
    text = (
        'scenario: base\nruns: 3\nseed: 3\nduration: 60.0\nsettled_rate: 1.0e-3\ndispersions:\n'
        '  initial.angular_velocity: {distribution: in_sphere, radius: 0.1}\n'
    )
    whole = campaign.parse(text, scenario.dump(base), 'test')
    columns = runner.columns_of(whole, 0, 3, threads=1)
    assert (columns['final_rate'] < 1e-3).all()
