# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""sas.Batch of scenarios: any craft, sensor and law gives the bits of sas.simulate alone."""

import numpy as np
import pytest
from plain import plain

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.flight import side_by_side

pytestmark = pytest.mark.usefixtures('rare_loops_shared')
TICKS = 8
RATES = np.random.default_rng(7).normal(size=(3, 3)) * 0.02
NOISY = plain({
    'imu.model': 'stim300', 'imu.position': [0.1, 0.0, 0.05], 'magnetometer.enabled': True,
    'magnetometer.interval': 2, 'magnetometer.noise': [50.0], 'star_tracker.enabled': True,
    'star_tracker.interval': 3, 'star_tracker.latency': 2, 'seed': 4,
})  # fmt: skip
FIELD = [1e-5, -2e-5, 3e-5]
IDEAL = plain({
    'wheels': ['a', 'b', 'c'], 'wheel.a.axis': [0.6, 0.8, 0.0], 'wheel.b.axis': [0.0, 0.0, 1.0],
    'wheel.c.axis': [0.8, -0.6, 0.0], 'wheel.a.inertia': 1e-3, 'wheel.b.inertia': 2e-3,
    'wheel.c.inertia': 2e-3, 'wheel.a.max_torque': 2e-3, 'wheel.b.max_torque': 2e-3,
    'wheel.c.max_torque': 2e-3, 'wheel.a.initial_speed': 100.0, 'wheel.a.torque': 1e-3,
})  # fmt: skip
WHEELS = IDEAL | plain({
    'wheel.a.max_speed': 300.0, 'wheel.b.max_speed': 300.0, 'wheel.a.friction.viscous': 1e-6,
    'wheel.a.friction.coulomb': 1e-5,
    'wheel.a.speed_bandwidth': 2.0, 'wheel.b.speed_bandwidth': 2.0, 'wheel.c.speed_bandwidth': 2.0,
    'wheel.b.tachometer.resolution': 0.5, 'command_timeout': 0.1,
})  # fmt: skip
RODS = plain({
    'magnetorquers': ['mx', 'my'], 'magnetorquer.mx.axis': [1.0, 0.0, 0.0],
    'magnetorquer.my.axis': [0.0, 1.0, 0.0], 'magnetorquer.mx.max_dipole': 0.5,
    'magnetorquer.my.max_dipole': 0.2, 'magnetorquer.mx.interference': [0.1, 0.0, 0.0],
})  # fmt: skip


def scenarios_of(base, parameters=None, **keywords):
    """Return three Scenarios that differ in rate, with one environment."""
    whole = sas.load(base, parameters=parameters, **keywords)
    return [sas.load(whole, angular_velocity=rate) for rate in RATES]


# {name: function that returns Scenarios}: each solver, each kind of part, load and sensor.
CRAFTS = {
    'free': lambda: scenarios_of(
        {}, NOISY, inertia=[2.0, 3.0, 4.0, 0.1, -0.2, 0.3], angular_velocity=[0, 0, 0],
        magnetic_field=FIELD,
    ),
    'floor': lambda: scenarios_of('ball_on_incline'),
    'ideal wheels': lambda: scenarios_of(
        {}, NOISY | IDEAL, inertia=[2.0, 3.0, 4.0], angular_velocity=[0, 0, 0],
        magnetic_field=FIELD,
    ),
    'ideal wheels in a circular orbit': lambda: scenarios_of('cubesat_pyramid', NOISY),
    'wheels and rods': lambda: scenarios_of(
        {}, NOISY | WHEELS | RODS, inertia=[2.0, 3.0, 4.0], angular_velocity=[0, 0, 0],
        magnetic_field=FIELD,
    ),
    'air bearing': lambda: scenarios_of('air_bearing_wheels', NOISY),
    'gyros': lambda: scenarios_of('station_cmg'),
    'thrusters': lambda: scenarios_of('thruster_limit_cycle'),
    'panels': lambda: scenarios_of('cubesat_panels', NOISY),
    'Earth orbit': lambda: scenarios_of(
        'cubesat_3u_leo', plain({'horizon_sensor.enabled': True})
    ),
}  # fmt: skip


def commands_for(readings, count):
    """Return commands to all actuators that there are; arrays of one body, or of many."""
    rate = readings.angular_velocity
    asked = {'torque': -1e-3 * rate, 'force': 1e-3 * readings.attitude[..., 1:]}
    if count['wheels']:
        wanted = np.concatenate((rate, rate), axis=-1)[..., : count['wheels']]
        asked['wheel_torque'] = 1e-2 * wanted + 1e-6 * readings.wheel_speed
    if count['gimbals']:
        wanted = np.concatenate((rate, rate), axis=-1)[..., : count['gimbals']]
        asked['gimbal_rate'] = wanted + 1e-3 * readings.gimbal_angle
    if count['thrusters']:
        wanted = np.concatenate([rate] * 8, axis=-1)[..., : count['thrusters']]
        asked['thrust'] = np.abs(wanted)
    if count['magnetorquers'] and readings.magnetic_field is not None:
        asked['dipole'] = 1e4 * readings.magnetic_field - rate
    return asked


class Law:
    """Uses all readings, commands all that there is, and now and then nothing."""

    strikes = True

    def __init__(self, scenario):
        kinds = scenario.plant.spacecraft.groups
        self.count = {
            kind: len(kinds[kind].names) if kind in kinds else 0
            for kind in ('wheels', 'gimbals', 'thrusters', 'magnetorquers')
        }

    def reset(self):
        """Begin with nothing."""
        self.turned = 0.0

    def __call__(self, readings):
        """Answer one body, or many."""
        self.turned = self.turned + readings.step * readings.angular_velocity
        if readings.tick in (3, 4, 5, 6):
            return None  # held, but not longer than command_timeout
        asked = commands_for(readings, self.count)
        asked['torque'] = asked['torque'] - 1e-4 * self.turned
        for name in readings.names:
            for part in vars(readings[name]).values():
                # So that a reading that differs in a bit differs in the motion.
                total = np.sum(np.reshape(part, (*np.shape(readings.time), *np.shape(part))))
                assert np.isfinite(total)
        if (stars := readings.star_tracker) is not None:
            asked['torque'] = asked['torque'] + 1e-4 * np.nan_to_num(stars.q_WT[..., 1:])
            asked['force'] = asked['force'] + 1e-4 * np.nan_to_num(stars.age)[..., None]
        if readings.tick == 2 and self.strikes:
            asked |= {'angular_impulse': -1e-3 * readings.truth.angular_velocity}
        if readings.tick == 7 and self.strikes:
            asked |= {'impulse': 1e-3 * readings.truth.velocity, 'frame': 'world'}
        return asked


class Steady(Law):
    """The same without impulses, which a campaign does not take."""

    strikes = False


def alone(scenario, controller):
    """Return the Simulation of a Scenario after TICKS."""
    craft = sas.Simulation(scenario, controller)
    craft.advance(TICKS * scenario.plant.ticks.step)
    return craft


def assert_same(batch, crafts):
    """Assert that each body of a batch has the states and readings of a Simulation."""
    each = batch._sensors.now(batch.tick).each() if batch._sensors else None
    for n, craft in enumerate(crafts):
        whole = to_flat(craft.instant.state)
        np.testing.assert_array_equal(batch.states[n], whole[:13])
        np.testing.assert_array_equal(batch.internal[n][: len(whole) - 13], whole[13:])
        if each:
            read, _ = each[n]
            assert read.flat.keys() == craft.instant.readings.flat.keys()
            for name, flat in craft.instant.readings.flat.items():
                np.testing.assert_array_equal(read.flat[name], flat, name)
    assert not np.array_equal(batch.states[0], batch.states[1])


@pytest.fixture(scope='module', params=CRAFTS)
def craft(request):
    """Scenarios of a kind of craft, and what each does alone under Law."""
    scenarios = CRAFTS[request.param]()
    return scenarios, [alone(scenario, Law(scenario)) for scenario in scenarios]


def test_a_controller_of_each_body_gives_the_bits_of_one(craft):
    scenarios, expected = craft
    batch = sas.Batch(scenarios, controller=Law)
    batch.advance(TICKS - 3)
    batch.advance(3)
    assert_same(batch, expected)


def test_a_law_of_all_bodies_gives_the_bits_of_one(craft):
    scenarios, expected = craft
    batch = sas.Batch(scenarios, law=Law(scenarios[0]))
    batch.advance(TICKS)
    assert_same(batch, expected)


def test_bodies_that_nobody_commands_fly_as_alone(craft):
    scenarios, _ = craft
    batch = sas.Batch(scenarios, controller=None)
    batch.advance(TICKS)
    assert_same(batch, [alone(scenario, None) for scenario in scenarios])


def test_a_campaign_flies_each_craft_to_the_bits_of_one(craft):
    (scenario, *_), _ = craft
    table = sas.campaign(
        {
            'scenario': scenario, 'runs': 1, 'duration': TICKS * scenario.plant.ticks.step,
            'dispersions': {
                'initial.angular_velocity': {'distribution': 'in_sphere', 'radius': 0.02}
            },
        },
        controller=Steady, merits={'turned': lambda flight: flight.torque_B[-1, 0]}, workers=1,
    )  # fmt: skip
    drawn = [table[f'initial.angular_velocity[{k}]'][0] for k in range(3)]
    own = sas.load(scenario, angular_velocity=drawn)
    state = alone(own, Steady(own)).instant.state
    for name, values in (('attitude', state.q_WB), ('angular_momentum', state.angular_momentum_W)):
        row = [table[f'final.{name}[{k}]'][0] for k in range(len(values))]
        np.testing.assert_array_equal(row, values)
    run = sas.simulate(own, TICKS * own.plant.ticks.step, controller=Steady(own))
    if not (
        own.plant.spacecraft.coupled and own.plant.spacecraft.part('reaction_wheels')
    ):  # they lag
        assert table['turned'][0] == pytest.approx(run.torque[-1, 0], rel=1e-9, abs=1e-15)


def test_a_campaign_counts_ideal_wheels_under_a_controller():
    (scenario, *_) = CRAFTS['ideal wheels']()

    def push(readings):
        return {'wheel_torque': [1e-3 * readings.time, -2e-3, 0.0]}

    seconds = TICKS * scenario.plant.ticks.step
    table = sas.campaign(
        {'scenario': scenario, 'runs': 1, 'duration': seconds},
        controller=push, workers=1, merits={
            'speed': lambda flight: flight.wheel_speeds[-1, 0],
            'torque': lambda flight: flight.wheel_torques[-1, 0],
        },
    )  # fmt: skip
    run = sas.simulate(scenario, seconds, controller=push)
    # Round-off of the same sums.
    assert table['speed'][0] == pytest.approx(run.wheels.speeds[-1, 0], rel=1e-12)
    assert table['torque'][0] == run.wheels.torques[-1, 0] == 1e-3 * (seconds - 1 / 32)
    most = np.abs(run.wheels.speeds[-1]).max()
    assert table['final_wheel_speed'][0] == pytest.approx(most, rel=1e-12)
    torques = np.array([[1e-3 * k / 32, -2e-3, 0.0] for k in range(TICKS)])
    axes = scenario.plant.spacecraft.part('reaction_wheels').axes_B
    largest = np.linalg.norm(torques @ axes, axis=1).max()
    assert table['largest_torque'][0] == pytest.approx(largest, rel=1e-12)


# --- laws that are compiled ----------------------------------------------------------------------


def drive(time, attitude, angular_velocity, memory, parameters, readings):
    """Command wheels and rods by gyroscope, magnetometer and tachometers; remember a sum."""
    rate, field, speed = readings[4:7], readings[11:14], readings[14:17]
    memory[:3] += speed
    return np.concatenate((
        -1e-3 * rate, parameters[0] * rate + 1e-6 * speed + 1e-9 * memory[:3], 1e4 * field,
    ))  # fmt: skip


class Driving:
    """Calls `drive` in Python for one body."""

    def __init__(self, scenario):
        self.memory = np.zeros(3)

    def __call__(self, readings):
        """Answer."""
        imu = readings['imu']
        seen = np.concatenate((
            imu.q_WS, imu.angular_velocity_S, imu.specific_force_S, [imu.saturated],
            readings.magnetic_field, readings.wheel_speed,
        ))  # fmt: skip
        truth = readings.truth
        given = truth.attitude, truth.angular_velocity, self.memory, np.array([1e-2]), seen
        numbers = drive(readings.time, *given)
        return {
            'torque': numbers[:3], 'wheel_torque': numbers[3:6], 'dipole': numbers[6:],
        }  # fmt: skip


def test_a_compiled_law_sees_sensors_and_commands_actuators():
    scenarios = CRAFTS['wheels and rods']()
    law = sas.CompiledLaw(
        drive, [1e-2], [0.0, 0.0, 0.0], commands=('torque', 'wheel_torque', 'dipole'),
        sees=('imu', 'magnetometer', 'wheel_speed'),
    )  # fmt: skip
    batch = sas.Batch(scenarios, law=law)
    batch.advance(TICKS)
    assert_same(batch, [alone(scenario, Driving(scenario)) for scenario in scenarios])
    assert batch.memory.shape == (3, 3) and batch.memory[:, 0].all()


@pytest.mark.parametrize(
    ('name', 'kind', 'command'),
    [
        ('ideal wheels', 'wheels', 'wheel_torque'),
        ('wheels and rods', 'wheels', 'wheel_speed'),
        ('gyros', 'gimbals', 'gimbal_rate'),
        ('gyros', 'gimbals', 'gimbal_torque'),
        ('thrusters', 'thrusters', 'thrust'),
    ],
)
def test_a_compiled_law_commands_each_kind_of_actuator(name, kind, command):
    scenarios = CRAFTS[name]()
    count = len(scenarios[0].plant.spacecraft.groups[kind].names)

    def law(time, attitude, angular_velocity, memory, parameters, readings):
        numbers = np.zeros(3 + int(parameters[0]))
        numbers[:3] = 0.1 * readings[4:7]
        for k in range(int(parameters[0])):
            numbers[3 + k] = 1e-2 * readings[4 + k % 3]
        return numbers

    def same(readings):
        rate = readings.angular_velocity
        return {'force': 0.1 * rate, command: 1e-2 * np.resize(rate, count)}

    commands = 'force', command
    own = sas.CompiledLaw(law, [count], commands=commands, sees='imu')
    batch = sas.Batch(scenarios, law=own)
    batch.advance(TICKS)
    assert_same(batch, [alone(scenario, same) for scenario in scenarios])


# --- what a law is told --------------------------------------------------------------------------


def test_a_law_is_told_which_sensors_are_new_and_the_last_stars():
    """Two trackers that image at other times; a row of each."""
    first, second, *_ = CRAFTS['free']()
    second = sas.load(second, parameters={'star_tracker.interval': 4})
    heard = []

    def listen(readings):
        stars = readings.star_tracker
        heard.append((
            {name: mask.tolist() for name, mask in readings.new.items()},
            None if stars is None else (stars.measured.tolist(), stars.age.tolist()),
            readings['magnetometer'].magnetic_field_S.copy(),
        ))  # fmt: skip

    sas.Batch([first, second], law=listen).advance(TICKS)
    for n, scenario in enumerate((first, second)):
        alone = []

        def listen_alone(readings, alone=alone):
            stars = readings.star_tracker
            alone.append((readings.new, stars and (stars.measured, stars.age),
                          readings['magnetometer'].magnetic_field_S))  # fmt: skip

        sas.simulate(scenario, TICKS / 32.0, controller=listen_alone)
        for (new, stars, field), (own_new, own_stars, own_field) in zip(heard, alone, strict=True):
            assert {name for name, mask in new.items() if mask[n]} == own_new
            if own_stars:
                assert (stars[0][n], stars[1][n]) == own_stars
            else:
                assert stars is None or (stars[0][n] == -1.0 and np.isnan(stars[1][n]))
            np.testing.assert_array_equal(field[n], own_field)


def test_each_body_has_a_copy_of_an_object_and_one_of_a_class():
    class Counting:
        def __init__(self):
            self.calls = []

        def __call__(self, readings):
            self.calls.append(readings.truth.angular_velocity[0])
            return 1e-4 * len(self.calls) * np.ones(3)

    scenarios, given = CRAFTS['free'](), Counting()
    batches = [sas.Batch(scenarios, controller=own) for own in (given, Counting)]
    for batch in batches:
        batch.advance(3)
        assert_same_states(batch, [simulated(one, Counting(), 3) for one in scenarios])
    assert given.calls == []


def simulated(scenario, controller, ticks):
    """Return the Simulation of a Scenario after some ticks."""
    craft = sas.Simulation(scenario, controller)
    craft.advance(ticks * scenario.plant.ticks.step)
    return craft


def assert_same_states(batch, crafts):
    """Assert that each body of a batch has the state of a Simulation."""
    for n, craft in enumerate(crafts):
        np.testing.assert_array_equal(batch.states[n], to_flat(craft.instant.state)[:13])


@pytest.mark.parametrize('driven', ['', 'a b c'])
def test_own_controllers_fly_compiled_or_in_python(driven):
    """Of ideal wheels there is no compiled form; a wrench flies compiled."""
    ruled = {
        'attitude_controller.inertia': [2.0, 3.0, 4.0],
        'attitude_controller.mode': 'pointing',
    }
    if driven:
        ruled['attitude_controller.wheels'] = driven.split()
        ruled |= {
            f'attitude_controller.{name}': value for name, value in IDEAL.items()
            if name.endswith(('.axis', '.inertia', '.max_torque'))
        }  # fmt: skip
    scenarios = scenarios_of(ruled, {**NOISY, **IDEAL}, inertia=[2.0, 3.0, 4.0],
                             angular_velocity=[0, 0, 0])  # fmt: skip
    batch = sas.Batch(scenarios)
    batch.advance(TICKS)
    assert_same(batch, [alone(scenario, 'own') for scenario in scenarios])


def test_names_of_actuators_command_some_and_a_late_command_ends():
    (scenario, *_) = CRAFTS['wheels and rods']()

    def some(readings):  # the timeout is 0.1 s, four ticks
        if readings.tick:
            return None
        return {'wheel_torque': {'b': 1e-3}, 'wheel_speed': {'a': 90.0}}

    batch = sas.Batch([scenario, sas.load(scenario, angular_velocity=RATES[1])], law=some)
    seen = []
    for _ in range(TICKS):
        batch.advance()
        seen.append(batch.commands[0, :4])
    for acts in (seen[0], seen[3]):
        np.testing.assert_array_equal(acts, [0.0, 90.0, 1e-3, np.nan])
    np.testing.assert_array_equal(seen[4], [0.0, np.nan, 0.0, np.nan])
    own = simulated(scenario, some, TICKS)
    np.testing.assert_array_equal(batch.internal[0], own.instant.state.internal)


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('given', 'said'),
    [
        ({'commands': 'wheel_tork'}, "the law commands 'wheel_tork'; give some of force, torque"),
        ({'commands': ('torque', 'dipole')}, 'it returns 3 numbers; return 6 numbers, of torque,'),
    ],
)
def test_a_compiled_law_says_what_it_may_command(given, said):
    with pytest.raises(ValueError, match=said):
        sas.CompiledLaw(lambda t, q, w, m, p: (0.0, 0.0, 0.0), **given)


@pytest.mark.parametrize(
    ('craft', 'given', 'said'),
    [
        ('free', {'commands': 'wheel_torque'}, 'commands wheel_torque; the bodies .* force, torq'),
        ('gyros', {'commands': ('gimbal_rate', 'gimbal_torque')}, 'commands its gimbals twice'),
        ('thrusters', {'commands': 'thrust'}, 'it returns 3 numbers; return 6 numbers, of thrus'),
        ('free', {'sees': 'gnss'}, "the law sees gnss: no sensor 'gnss'; there are imu, mag"),
    ],
)
def test_a_compiled_law_that_does_not_go_with_the_craft_is_refused(craft, given, said):
    def law(time, attitude, angular_velocity, memory, parameters):
        return 0.0, 0.0, 0.0

    def seeing(time, attitude, angular_velocity, memory, parameters, readings):
        return 0.0, 0.0, 0.0

    with pytest.raises(ValueError, match=said):
        own = sas.CompiledLaw(seeing if 'sees' in given else law, **given)
        sas.Batch(CRAFTS[craft](), law=own)


def test_what_does_not_go_side_by_side_is_refused_in_a_line():
    free, ideal = CRAFTS['free'](), CRAFTS['ideal wheels']()
    fails = [
        (lambda: sas.Batch([free[0], ideal[0]]), 'motion of scenario 1 is a body with ideal w'),
        (lambda: sas.Batch([free[0], sas.load(free[0], tick_rate=8.0)]), 'tick_rate of scenario'),
        (lambda: sas.Batch([sas.load(free[0], equations='lagrange')]), "are 'lagrange'; a batch"),
        (lambda: sas.Batch(free, [free[0].initial] * 3), 'states beside Scenarios; a Scenario'),
        (lambda: sas.Batch(free, substeps=3), 'substeps beside Scenarios'),
        (lambda: sas.Batch(free, controller=len, sensors=False), 'a controller reads the sensors'),
        (lambda: sas.Batch([free[0].plant.body]), 'give the states of the bodies'),
        (lambda: sas.Batch(free, controller=3), 'controller is 3'),
        (lambda: sas.Batch([sas.load('cubesat_detumble'), free[0]]), 'and others none; give cont'),
    ]  # fmt: skip
    for make, said in fails:
        with pytest.raises((ValueError, TypeError), match=said) as caught:
            make()
        assert '\n' not in str(caught.value)


@pytest.mark.parametrize(
    ('craft', 'answer', 'said'),
    [
        ('ideal wheels', {'wheel_torque': [1.0]}, r'wheel_torque of shape \(1,\); give \(3, 3\)'),
        (
            'ideal wheels',
            {'wheel_torque': {'d': 1.0}},
            "wheel_torque.'d'.; the wheels are a, b, c",
        ),
        ('ideal wheels', {'thrust': [1.0]}, 'returns thrust; the spacecraft .* have wheel_torque'),
        (
            'ideal wheels',
            {'wheel_speed': [1.0, 1.0, 1.0]},
            'wheel_speed; a and .*speed_bandwidth is 0',
        ),
        ('free', {'frame': 'moon', 'torque': [0, 0, 1]}, "frame is 'moon'"),
    ],
)
def test_a_command_that_cannot_be_obeyed_is_refused_and_nothing_moves(craft, answer, said):
    scenarios = CRAFTS[craft]()
    batch = sas.Batch(scenarios, law=lambda readings: answer)
    before = batch.states
    with pytest.raises(ValueError, match=said):
        batch.advance()
    np.testing.assert_array_equal(batch.states, before)
    with pytest.raises(ValueError, match='at 0 s, body 0'):
        sas.Batch(scenarios, controller=lambda readings: answer).advance()


def test_wrenches_are_not_held_beside_controllers():
    batch = sas.Batch(CRAFTS['free'](), controller=lambda readings: None)
    with pytest.raises(ValueError, match='the controllers command the bodies'):
        batch.hold(np.zeros(12))


@pytest.mark.parametrize(
    ('name', 'value'), [('substeps', 8), ('tick_rate', 64.0), ('equations', 'euler_dcm')]
)
def test_one_that_is_advanced_otherwise_is_refused_by_name(name, value):
    usual = {'inertia': [2.0, 3.0, 4.0], 'angular_velocity': [0.1, 0.2, 0.3]}
    several = [sas.load({}, **usual, parameters=given) for given in ({}, {name: value})]
    with pytest.raises(ValueError, match=f'{name} of scenario 1 (is|are) '):
        side_by_side.arguments_of(several, [one.first_instant() for one in several])


def test_a_timeout_of_0_holds_a_command_for_ever_and_others_for_the_ticks_they_cover():
    usual = {'inertia': [2.0, 3.0, 4.0], 'angular_velocity': [0.1, 0.2, 0.3]}
    several = [sas.load({}, **usual, parameters={'command_timeout': t}) for t in (0.0, 0.1, 0.5)]
    assert side_by_side.holding_of(several)[0].tolist() == [float('inf'), 4.0, 16.0]
