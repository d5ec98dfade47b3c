# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Any rate: exact stamps, the same motion, sensors at intervals of their own."""

import sys
from fractions import Fraction

import numpy as np
import pytest
from bags import contents
from conftest import ROOT
from geometry_msgs.msg import PoseStamped, WrenchStamped
from processes import printed
from ros_helpers import process
from sensor_msgs.msg import Imu, MagneticField
from test_sensor_errors import allan_variance

from spacecraft_attitude_sim.campaigns import campaign, runner
from spacecraft_attitude_sim.campaigns.columns import STATE_COLUMNS
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.configuration.scenario import ScenarioError
from spacecraft_attitude_sim.configuration.sensors.units import SI
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.batch.sensors import sensors_of
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.equations.shared import free_motion
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.sensors import triad
from spacecraft_attitude_sim.core.simulation import Inputs
from spacecraft_attitude_sim.core.simulation.run_state import NotNowError, RunState
from spacecraft_attitude_sim.core.ticks import LAST_SECOND, Ticks
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.recording import history

CONTROLLER = (sys.executable, str(ROOT / 'examples' / 'rate_damping.py'))
WORK = (1, 10, 20, 25, 32, 40, 50, 64, 100, 125, 200, 250, 400, 500, 800, 1000, 2.5, 31.25, 0.1)
NOISY = {
    'tick_rate': 100.0,
    'imu.model': 'stim300',
    'imu.interval': 5,
    'magnetometer.enabled': True,
    'magnetometer.interval': 20,
    'magnetometer.noise': [50.0],
    'star_tracker.enabled': True,
    'star_tracker.interval': 25,
    'star_tracker.latency': 7,
}


def seconds(message):
    return Fraction(message.header.stamp.sec) + Fraction(message.header.stamp.nanosec, 10**9)


# --- the grid of times ---------------------------------------------------------------------------


@pytest.mark.parametrize('rate', WORK)
def test_a_million_stamps_are_exact(rate):
    ticks = Ticks.at(rate)
    assert Fraction(ticks.tick_ns, 10**9) == 1 / Fraction(str(rate))
    for tick in (*range(2000), *range(0, 10**6, 997), 10**6):
        exact = tick / Fraction(str(rate))
        assert Fraction(ticks.stamp(tick), 10**9) == exact
        assert ticks.seconds(tick) == float(exact)  # rounded once
        assert ticks.at_stamp(ticks.stamp(tick)) == tick
        assert ticks.covering(ticks.seconds(tick)) == tick


@pytest.mark.parametrize(
    ('rate', 'near'),
    [
        (60.0, '51.2 and 62.5 Hz'),
        (30.0, '25.6 and 31.25 Hz'),
        (3.0, '2.56 and 3.125 Hz'),
        (333.0, '320.0 and 390.625 Hz'),
        (144.0, '128.0 and 156.25 Hz'),
    ],
)
def test_a_rate_without_whole_nanoseconds_is_refused_with_the_nearest_that_work(rate, near):
    with pytest.raises(ScenarioError) as refused:
        scenario.build({'tick_rate': rate}, 'mine')
    said = str(refused.value)
    assert said.startswith(f'mine: tick_rate is {rate} Hz')
    assert near in said
    nearest = [float(word) for word in said.split('work are ')[1].split(' Hz')[0].split(' and ')]
    for one, tick_ns in zip(nearest, (10**9 // rate + 1, 10**9 // rate), strict=True):
        assert Ticks.at(one).tick_ns == tick_ns


@pytest.mark.parametrize(
    ('rate', 'said'),
    [
        (2e4, r'work are 9999\.\d+ and 10000\.0 Hz, of short ones 10000\.0 Hz$'),
        (1e-3, r'work are 0\.01 and 0\.010000\d+ Hz, of short ones 0\.01 Hz$'),
    ],
)
def test_beyond_the_rates_that_work_the_nearest_is_the_last_of_them(rate, said):
    with pytest.raises(ValueError, match=said):
        Ticks.at(rate)
    for last in (1e4, 0.01):
        assert Ticks.at(last).rate == last


def test_a_time_between_two_ticks_is_of_the_one_before():
    ticks = Ticks.at(100.0)
    assert [ticks.at_stamp(stamp) for stamp in (-1, 0, 9_999_999, 10_000_000)] == [-1, 0, 0, 1]


@pytest.mark.parametrize('tick_ns', [3_333_333, 10_000_019, 30_000_000, 100_000])
def test_what_lasts_a_rounding_longer_than_some_ticks_takes_one_more(tick_ns):
    ticks = Ticks(tick_ns)
    for count in range(1, 10**7, 9973):
        lasting = ticks.seconds(count)
        assert ticks.covering(lasting) == count
        assert ticks.covering(np.nextafter(lasting, np.inf)) == count + 1


@pytest.mark.parametrize('rate', [0.0, -32.0, 1e-3, 2e4, float('nan'), float('inf')])
def test_a_rate_out_of_range_is_refused(rate):
    with pytest.raises(ScenarioError, match='tick_rate'):
        scenario.build({'tick_rate': rate}, 'mine')


def test_time_ends_before_a_stamp_would_wrap():
    run = RunState(ticks=Ticks.at(1000.0))
    run.tick = LAST_SECOND * 1000 - 1
    run.check_time()
    run.take_tick()
    with pytest.raises(NotNowError, match='beyond 2'):
        run.check_time()


# --- motion --------------------------------------------------------------------------------------


@pytest.mark.parametrize('rate', [10.0, 32.0, 100.0, 1000.0])
def test_real_topics_follow_the_exact_motion(ros, rate):
    found = scenario.load(scenario.find('cubesat_tumble'))
    poses, count = ros.listen(PoseStamped, 'pose'), 30
    given = found.parameters | {
        'tick_rate': rate,
        'real_time_factor': 0.0,
        'duration': count / rate,
    }
    given = {name: value for name, value in given.items() if value not in ([], '')}
    node = ros.simulator(given, autostart=False)
    ros.connected('/pose')
    node.driver.start()
    ros.until(lambda: node.finished and len(poses) == count + 1)
    constants = free_motion.prepare(to_flat(found.initial), found.plant.body.flat())
    for tick, pose in enumerate(poses):
        assert seconds(pose) == tick / Fraction(str(rate))
        exact = free_motion.evaluate(constants, float(seconds(pose)))
        q_WB = conversions.quaternion_from_ros(pose.pose.orientation)
        # Fourth order: the sub-steps are chosen by angle, so that 3 s leave the same error.
        assert rotations.angle_between(q_WB, exact) < 3e-8


def test_what_is_held_for_half_a_second_is_held_for_fifty_ticks(ros):
    applied = ros.listen(WrenchStamped, 'ground_truth/applied_wrench')
    command = ros.node.create_publisher(WrenchStamped, 'command/wrench', 10)
    node = ros.simulator({'tick_rate': 100.0, 'start_paused': True}, autostart=False)
    ros.connected('/ground_truth/applied_wrench')
    ros.until(lambda: command.get_subscription_count())
    node.driver.start()
    message = WrenchStamped()
    message.header.frame_id = 'base_link'
    message.wrench.torque.z = 1e-6
    command.publish(message)
    ros.until(lambda: node.commands.inbox.taken)
    node.driver.step(60)
    ros.until(lambda: len(applied) == 61)
    assert [one.wrench.torque.z for one in applied] == [0.0] + [1e-6] * 50 + [0.0] * 10


# --- sensors -------------------------------------------------------------------------------------


def test_sensors_speak_at_their_own_intervals(ros):
    heard = {
        topic: ros.listen(kind, topic)
        for topic, kind in (
            ('imu/data', Imu), ('imu/data_raw', Imu), ('imu/mag', MagneticField),
            ('star_tracker/attitude', Imu),
        )
    }  # fmt: skip
    node = ros.simulator(NOISY | {'start_paused': True}, autostart=False)
    ros.connected(*(f'/{topic}' for topic in heard))
    node.driver.start()
    node.driver.step(100)
    intervals = dict(zip(heard, (5, 5, 20, 25), strict=True))
    wanted = {topic: list(range(0, 101, every)) for topic, every in intervals.items()}
    wanted['star_tracker/attitude'].pop()  # that of tick 100 is under way
    ros.until(lambda: all(len(heard[topic]) == len(ticks) for topic, ticks in wanted.items()))
    for topic, ticks in wanted.items():
        assert [100 * seconds(message) for message in heard[topic]] == ticks, topic


# An hour of one axis at 200 Hz: as in test_sensor_errors, and of 3 axes.
@pytest.mark.parametrize(
    ('tick_rate', 'interval'), [(200.0, 1), (1000.0, 5), (32.0, 4), (100.0, 10)]
)
def test_allan_deviation_is_that_of_the_datasheet_at_any_rate_and_interval(tick_rate, interval):
    given = {
        'tick_rate': tick_rate,
        'imu.interval': interval,
        'imu.gyroscope.angle_random_walk': 0.15,
        'imu.gyroscope.rate_random_walk': 5.0,
        'imu.gyroscope.bias_instability': 2.0,
    }
    found = scenario.build(given, 'test').sensors.imu
    rate = tick_rate / interval
    series = triad.readings(found.gyroscope.flat, np.zeros((round(3600 * rate), 3)), 5, 0, 0)
    walk, flicker, rate_walk = (
        coefficient * SI[unit]
        for coefficient, unit in ((0.15, 'deg/sqrt(h)'), (2.0, 'deg/h'), (5.0, 'deg/h/sqrt(h)'))
    )
    for tau in (0.5, 2.0, 10.0, 50.0):
        ratio = tau / triad.CORRELATION_SECONDS
        terms = 1.0 - (3.0 - 4.0 * np.exp(-ratio) + np.exp(-2.0 * ratio)) / (2.0 * ratio)
        floor = np.sum(2.0 * triad.FLICKER_FACTOR**2 / ratio * terms)
        expected = walk**2 / tau + flicker**2 * floor + rate_walk**2 * tau / 3.0
        measured = np.mean(allan_variance(series, round(tau * rate)))
        standard_error = (2.0 * (3600.0 / tau - 1.0) * 3) ** -0.5
        assert np.sqrt(measured / expected) == pytest.approx(1.0, abs=4.0 * standard_error), tau
    # The covariance that is published is of this interval, too.
    assert found.gyroscope.sample_variance()[0] == pytest.approx(walk**2 * rate, rel=1e-6, abs=0.0)


@pytest.mark.parametrize('period', [0.005, 0.5])
def test_a_random_walk_grows_with_time_however_often_it_is_read(period):
    errors = triad.TriadErrors(random_walk=(2.0,) * 3, period=period)
    series = triad.readings(errors.flat, np.zeros((4001, 3)), 5, 0, 0)
    # Of 12000 deviates; 4 standard errors.
    assert np.std(np.diff(series, axis=0)) == pytest.approx(2.0 * np.sqrt(period), rel=0.026)


def test_a_magnetometer_has_the_noise_of_a_reading_whatever_its_interval():
    given = NOISY | {'tick_rate': 200.0}
    errors = scenario.build(given, 'test').sensors.magnetometer.errors
    assert np.sqrt(errors.sample_variance()) == pytest.approx(50e-9, rel=1e-6, abs=0.0)


def test_a_sensor_draws_the_same_numbers_however_often_the_body_is_looked_at():
    still = {'initial.angular_velocity': [0.0, 0.0, 0.0], 'imu.model': 'stim300'}
    read = []
    for rate, interval in ((200.0, 1), (1000.0, 5)):
        found = scenario.build(still | {'tick_rate': rate, 'imu.interval': interval}, 'test')
        instant, rows = found.first_instant(), []
        for tick in range(60 * interval):
            if tick % interval == 0:
                assert 'imu' in instant.readings.new
                rows.append(instant.readings.imu.angular_velocity_S)
            else:
                assert 'imu' not in instant.readings.new
                np.testing.assert_array_equal(instant.readings.imu.angular_velocity_S, rows[-1])
            instant = simulation.next_instant(found.plant, instant, Inputs())
        read.append(np.array(rows))
    np.testing.assert_array_equal(*read)
    assert np.ptp(read[0]) > 0.0


# --- the same bits everywhere --------------------------------------------------------------------


def test_a_batch_has_the_bits_of_each_alone():
    given = NOISY | {'gravity': [0.0, 0.0, -1.0]}
    found = [scenario.build(given | {'seed': k}, 'test') for k in range(9)]
    plant, instants = found[0].plant, [one.first_instant() for one in found]
    batch = Batch(
        [one.plant.body for one in found],
        [one.initial for one in found],
        gravity_W=plant.gravity_W,
        sensors=sensors_of(
            [one.plant.body for one in found],
            [one.sensors for one in found],
            plant.environment.magnetic_field_W,
        ),
        ticks=plant.ticks,
    )
    for _ in range(60):
        batch.advance()
        instants = [
            simulation.next_instant(one.plant, instant, Inputs())
            for one, instant in zip(found, instants, strict=True)
        ]
    for k, instant in enumerate(instants):
        np.testing.assert_array_equal(batch.states[k], to_flat(instant.state))
        expected, rows = instant.readings, batch.readings
        np.testing.assert_array_equal(rows.angular_velocity_S[k], expected.imu.angular_velocity_S)
        np.testing.assert_array_equal(rows.specific_force_S[k], expected.imu.specific_force_S)
        np.testing.assert_array_equal(rows.magnetic_field_S[k], expected.magnetic_field_S)


@pytest.mark.parametrize(
    ('name', 'options'),
    [
        ('cubesat_tumble', ('tick_rate:=100.0', 'imu.model:=stim300', 'imu.interval:=5')),
        ('ellipsoid_rolling', ('tick_rate:=200.0', 'imu.interval:=4')),
        ('wheels_take_over', ('tick_rate:=50.0',)),
        ('gravity_gradient', ('tick_rate:=10.0',)),
    ],
)
def test_a_recorded_run_is_computed_again_to_the_bit(command, domain, tmp_path, name, options):
    bag, table = tmp_path / 'bag', tmp_path / 'run.csv'
    given = [word for option in options for word in ('-p', option)]
    outputs = ('--record', bag, '--csv', table)
    printed(command, 'run', name, '--duration', 2, '--rate', 0, *outputs, *given)
    said = printed(command, 'replay', bag, '--resimulate')
    same, of = said.strip().removeprefix('identical: ').split(' of ')
    rate = float(options[0].partition(':=')[2])
    assert same == of
    assert int(of) > 2 * rate * 6
    recorded, written = history.read(bag)[0], history.read(table)[0]
    assert recorded.time.tolist() == [
        Ticks.at(rate).seconds(k) for k in range(round(2 * rate) + 1)
    ]
    np.testing.assert_array_equal(recorded.time, written.time)
    np.testing.assert_array_equal(recorded.quaternion, written.quaternion)


CAMPAIGN = """
scenario: {scenario}
runs: 3
seed: 5
duration: 4.0
dispersions:
  initial.angular_velocity: {{distribution: in_sphere, radius: 0.1}}
  seed: {{distribution: integers, low: 0, high: 1000000}}
"""
SLOWER_IMU = """
/**/simulator:
  ros__parameters:
    tick_rate: 50.0
    imu: {{model: stim300, interval: {interval}}}
    command_timeout: {timeout}
    body: {{mass: 4.0, inertia: [0.04, 0.04, 0.007]}}
    initial: {{angular_velocity: [0.05, -0.03, 0.08]}}
    duration: 4.0
    lockstep: true
/**/attitude_controller:
  ros__parameters:
    mode: rate_damping
    inertia: [0.04, 0.04, 0.007]
    bandwidth: 0.5
"""


@pytest.mark.parametrize(('interval', 'timeout'), [(1, 0.5), (5, 0.5), (10, 0.06)])
def test_the_law_of_a_campaign_answers_readings_as_the_nodes_do(
    command, domain, tmp_path, interval, timeout
):
    path = tmp_path / 'damped.yaml'
    path.write_text(SLOWER_IMU.format(interval=interval, timeout=timeout))
    told = tmp_path / 'campaign.yaml'
    told.write_text(CAMPAIGN.format(scenario=path))
    table = runner.read(runner.run(campaign.load(told), tmp_path / 'out', lambda done, of: None))
    row, bag = tmp_path / 'row.yaml', tmp_path / 'bag'
    printed(command, 'campaign', told, '--row', 1, '--write-scenario', row)
    printed(command, 'run', row, '--rate', 0, '--record', bag)
    last = history.read(bag)[0]
    assert last.time[-1] == 4.0
    final = [table[name][1] for name in STATE_COLUMNS]
    np.testing.assert_array_equal(final[3:7], last.quaternion[-1])
    assert len(contents(bag)['/command/wrench']) == 200 // interval + 1


def test_lockstep_waits_only_where_the_imu_reads(command, domain, tmp_path):
    bag = tmp_path / 'bag'
    with process(*CONTROLLER):
        given = ('-p', 'lockstep:=true', '-p', 'tick_rate:=200.0', '-p', 'imu.interval:=8')
        arguments = ('run', 'tennis_racket', '--rate', 0, '--duration', 3, '--record', bag)
        printed(command, *arguments, *given)
    # By their times: a tick whose answer is lost is published again after 2.5 s.
    times = {topic: {stamp for stamp, _ in told} for topic, told in contents(bag).items()}
    assert len(times['/pose']) == 601
    assert times['/imu/data'] == times['/command/wrench']
    assert len(times['/imu/data']) == 76
