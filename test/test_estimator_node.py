# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude_estimator node: a 3U CubeSat flies on it, with the bits of Python; bad messages."""

import csv
import dataclasses
import json
import math
from types import SimpleNamespace

import bags
import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Quaternion, Vector3, Vector3Stamped
from PIL import Image
from processes import called, printed
from rclpy.parameter import Parameter
from scipy.spatial.transform import Rotation
from scipy.stats import chi2
from sensor_msgs.msg import Illuminance, Imu, MagneticField
from std_msgs.msg import Header
from std_srvs.srv import Trigger

from spacecraft_attitude_sim.api.run import Run, read
from spacecraft_attitude_sim.configuration import attitude_estimator as configuration
from spacecraft_attitude_sim.configuration import (
    recorded_scenario,
    scenario,
    untrusted_scenario,
)
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.core.estimation.replay import CELL
from spacecraft_attitude_sim.core.estimation.settings import Estimate, Judgement
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import merit_report
from spacecraft_attitude_sim.flight.flight import Flight
from spacecraft_attitude_sim.nodes.attitude_estimator import estimator_messages
from spacecraft_attitude_sim.nodes.attitude_estimator.node import AttitudeEstimatorNode
from spacecraft_attitude_sim.nodes.messages.sensor_messages import NOT_MEASURED
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.recording import history, merit_table
from spacecraft_attitude_sim.recording.errors import CampaignError

# The camera looks down, and the star tracker away from Earth and Sun; its images come 1 s late.
GIVEN = {
    'initial.frame': 'lvlh', 'initial.angular_velocity': [0.001, 0.002, -0.001],
    'star_tracker.latency': 2, 'imu.gyroscope.turn_on_bias': [20.0],
    'magnetometer.bias': [50.0],
    'imu.gyroscope.scale_factor': [500.0], 'imu.gyroscope.misalignment': [1.0],
}  # fmt: skip
OF_ESTIMATOR = {'estimate_gyroscope_axes': True, 'misaligned_sensors': ['magnetometer']}
OF_CONTROLLER = {'mode': 'nadir_pointing'}
DURATION = 60.0


@pytest.fixture(scope='module')
def flown(command, tmp_path_factory):
    """The bag of a run in ROS, and what the run says at its end."""
    bag = tmp_path_factory.mktemp('estimated') / 'bag'
    given = GIVEN | {f'attitude_controller:{name}': value for name, value in OF_CONTROLLER.items()}
    given |= {f'attitude_estimator:{name}': value for name, value in OF_ESTIMATOR.items()}
    options = [text for name, value in given.items() for text in ('-p', f'{name}:={value}')]
    said = printed(
        command, 'run', 'cubesat_3u_leo', '--estimator', '--rate', 0, '--duration', DURATION,
        '--no-markers', '--record', bag, *options,
    )  # fmt: skip
    return bag, said


@pytest.fixture(scope='module')
def flight(flown):
    """{topic: messages} of the run."""
    return bags.messages(flown[0], ('/estimate/', '/ground_truth/odometry', '/imu/data'))


@pytest.fixture(scope='module')
def merits(flown):
    """The merits of the bag, from 10 s on."""
    return read(flown[0]).merits(steady_from=10.0)


def quaternion(message):
    return np.array((message.w, message.x, message.y, message.z))


def test_the_true_error_is_within_three_sigma(flight):
    """With a star tracker: all errors in χ² of one in a million, most within 3 σ of each axis."""
    estimates, truths = flight['/estimate/attitude'], flight['/ground_truth/odometry']
    assert len(estimates) == len(truths) == 2 * DURATION + 1
    inside, nees = [], []
    for estimate, truth in list(zip(estimates, truths, strict=True))[20:]:
        assert estimate.header.stamp == truth.header.stamp
        covariance = estimate.orientation_covariance.reshape(3, 3)
        q = rotations.compose(
            rotations.conjugate(quaternion(estimate.orientation)),
            quaternion(truth.pose.pose.orientation),
        )
        error = Rotation.from_quat(np.roll(q, -1)).as_rotvec()
        nees.append(error @ np.linalg.solve(covariance, error))
        inside += list(np.abs(error) < 3.0 * np.sqrt(np.diag(covariance)))
    assert max(nees) < chi2.isf(1e-6, 3)
    assert np.mean(inside) > 0.97
    assert math.degrees(np.sqrt(np.trace(covariance))) < 0.02


def test_a_bag_is_smoothed_and_its_estimate_judged(flown, command, tmp_path):
    """Images come a second late: our filter has the latest, the estimate of the run has not."""
    table = tmp_path / 'new' / 'smoothed.csv'
    said = printed(command, 'smooth', flown[0], '--from', 20, '--csv', table)
    run = read(flown[0])
    found = run.smoothed(judged_from=20.0)
    assert said == f'{found}\n{table}\n'
    recorded, ours, smoothed = (merit.sigma for merit in found.merits.values())
    assert smoothed < ours < recorded
    assert all(merit.within > 0.97 for merit in found.merits.values())
    assert len(table.read_text().splitlines()) == len(found.time) + 1
    # The smoother's table as the answer of somebody's estimator; of its covariance the diagonal.
    beside = printed(command, 'smooth', flown[0], '--from', 20, '--beside', table).splitlines()
    (theirs,) = (line.removeprefix(str(table)) for line in beside if str(table) in line)
    (own,) = (line.removeprefix('smoother') for line in beside if line.startswith('smoother'))
    assert theirs.split()[:4] == own.split()[:4]
    for wrong, words in (
        (('--csv', table), 'exists already'),
        (('--beside', tmp_path / 'nowhere.csv'), 'nowhere.csv: is no table'),
        (('--beside', __file__), 'has no column time [s]'),
        (('--from', 1e9), 'from 1e+09 s on'),
    ):
        done = called('smooth', flown[0], *wrong)
        assert done.returncode == 2 and words in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_bag_calibrates_its_sensors_afterwards(flown, command):
    """A bag has no section of an estimator: what it is to know comes by -p, or by a scenario."""
    assert read(flown[0]).smoothed(20.0).calibration is None
    asked = {**OF_ESTIMATOR, 'misalignment': [0.3]}
    own = read(flown[0]).smoothed(20.0, asked)
    assert len(own.calibration.named()) == 12
    options = [text for name, value in asked.items() for text in ('-p', f'{name}:={value}')]
    assert printed(command, 'smooth', flown[0], '--from', 20, *options) == f'{own}\n'
    known = scenario.load(scenario.find('cubesat_3u_mission')).estimator
    given = 'attitude_estimator:star_tracker.cross_boresight_noise:=7.0'
    differing = {**known, 'star_tracker.cross_boresight_noise': 7.0}
    other = read(flown[0]).smoothed(20.0, differing)
    options = '--scenario', 'cubesat_3u_mission', '-p', given
    assert printed(command, 'smooth', flown[0], '--from', 20, *options) == f'{other}\n'
    for wrong, words in (
        (('--scenario', 'cubesat_tumble'), 'cubesat_tumble: has no section attitude_estimator'),
        (('--scenario', 'nowhere'), "no scenario 'nowhere'"),
        (('-p', 'simulator:seed:=3'), '-p simulator:seed: is not of the attitude_estimator'),
        (('-p', 'false_alarm:=.nan'), 'false_alarm is nan'),
        (('-p', 'misaligned_sensors:=[sun_sensor/x_plus]'), 'is a Sun cell'),
    ):
        done = called('smooth', flown[0], *wrong)
        assert done.returncode == 2 and words in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_readings_are_judged_and_the_bias_is_published(flight):
    names = {name for message in flight['/estimate/nis'] for name in message.name}
    assert names >= {'star_tracker', 'magnetometer'}
    last = flight['/estimate/nis'][-1]
    assert len(last.position) == len(last.effort) == len(last.name)
    assert f'{last.name[0]}/x' == flight['/estimate/innovations'][-1].name[0]
    assert len(flight['/estimate/gyroscope_bias']) == len(flight['/estimate/attitude'])


def test_without_ros_the_flight_has_the_same_bits(flight, merits):
    base = scenario.changed(
        scenario.load(scenario.find('cubesat_3u_leo')), GIVEN, 'test', None, OF_CONTROLLER
    )
    known = configuration.checked(configuration.of_simulator(base.parameters) | OF_ESTIMATOR)
    alone = Flight(dataclasses.replace(base, estimator=known))
    truths, learnt = flight['/ground_truth/odometry'], []
    for truth in truths:
        if alone.estimate:
            learnt.append(alone.estimate.calibration.named())
        assert (alone.instant.state.q_WB == quaternion(truth.pose.pose.orientation)).all()
        if truth is not truths[-1]:
            alone.step()
    sent = flight['/estimate/calibration']
    for message, components in zip(sent, learnt, strict=False):
        assert message.name == list(components)
        pairs = list(zip(message.position, message.effort, strict=True))
        assert pairs == list(components.values())
    assert len(learnt) > 100 and len(message.name) == 12
    of_python = Run.of_record(alone.record).merits(steady_from=10.0)
    of_bag = merits
    assert of_python.values.keys() == of_bag.values.keys()
    # The bag's momenta are by velocities. Python makes no estimate of the last instant.
    of_estimator = ('ake', 'mke', 'rke', 'kde', 'n', 'know', 'within')
    for name in of_bag:
        if not name.startswith(of_estimator):
            assert of_python[name] == pytest.approx(of_bag[name], rel=1e-9, abs=1e-15), name
    ours, theirs = of_python.series, of_bag.series
    for one, other in ((ours.knowledge_errors, theirs.knowledge_errors), (ours.nees, theirs.nees)):
        np.testing.assert_allclose(one[:-1], other[:-1], rtol=1e-6, atol=1e-15)
    assert ours.judged.keys() == theirs.judged.keys()
    stars = ours.judged['star_tracker'].nis
    np.testing.assert_array_equal(stars, theirs.judged['star_tracker'].nis[: len(stars)])
    assert repr(of_bag).startswith('  steady part      10 s to 60 s: as asked')


def test_merits_of_a_bag_are_those_of_its_messages_and_of_the_run(flown, flight, merits):
    (bag, said), found = flown, merits
    estimates, truths = flight['/estimate/attitude'], flight['/ground_truth/odometry']
    errors, squares = [], []
    for estimate, truth in list(zip(estimates, truths, strict=True))[20:]:
        error = (
            Rotation.from_quat(np.roll(quaternion(truth.pose.pose.orientation), -1)).inv()
            * Rotation.from_quat(np.roll(quaternion(estimate.orientation), -1))
        ).as_rotvec()
        covariance = estimate.orientation_covariance.reshape(3, 3)
        errors.append(error)
        squares.append(error @ np.linalg.solve(covariance, error))
    assert found['nees_mean'] == pytest.approx(np.mean(squares), rel=1e-6)
    assert found['nees_inside'] == np.mean(
        (chi2.ppf(0.025, 3) <= squares) & (squares <= chi2.ppf(0.975, 3))
    )
    exact = np.quantile(np.abs(errors), 0.95, axis=0, method='inverted_cdf')
    assert [found[f'ake_{axis}_95'] for axis in 'xyz'] == pytest.approx(exact, rel=1e-9)
    nis = [
        value
        for message in flight['/estimate/nis']
        for name, value in zip(message.name, message.position, strict=True)
        if name == 'star_tracker' and message.header.stamp.sec >= 10
    ]
    assert found['nis_mean_star_tracker'] == pytest.approx(np.mean(nis), rel=1e-12)
    stars = found.sensors['star_tracker']
    assert (stars.number, stars.freedom) == (len(nis), 3.0)
    assert found.sensors['magnetometer'].freedom == 3.0
    # The run has told the same, tick by tick, at its end.
    brief = merit_report.text(merit_table.of_history(history.read(bag)[0]), brief=True)
    assert 'NEES' in brief and 'speed margin' in brief
    assert set(brief.splitlines()) <= set(said.splitlines())


def test_a_campaign_has_the_merits_of_the_estimator(merits):
    """One run of the same flight, which takes a second without ROS."""
    pytest.importorskip('pyarrow')
    from spacecraft_attitude_sim.campaigns import campaign, runner

    base = scenario.changed(
        scenario.load(scenario.find('cubesat_3u_leo')), GIVEN, 'test', None, OF_CONTROLLER
    )
    known = configuration.checked(configuration.of_simulator(base.parameters) | OF_ESTIMATOR)
    asked = ['nees_mean', 'ake_across_95', 'ape_x_997', 'nis_mean_star_tracker', 'known_share']
    found = campaign.parse(
        f'scenario: estimated\nruns: 1\nduration: {DURATION}\nsteady_from: 10.0\n'
        f'pointing: {{merits: [{", ".join(asked)}]}}\n',
        recorded_scenario.dump(dataclasses.replace(base, estimator=known)), 'estimated',
    )  # fmt: skip
    table = runner.columns_of(found, 0, 1)
    for name in asked:  # the last instant has no estimate in Python
        assert table[name][0] == pytest.approx(merits[name], rel=0.05), name
    with pytest.raises(CampaignError, match="no .*nis_mean_stars|'nis_mean_stars'"):
        campaign.parse(found.text.replace('nis_mean_star_tracker', 'nis_mean_stars'),
                       found.scenario_text, 'estimated')  # fmt: skip


def check_curves(figure, found):
    """Assert that a figure has the errors in its unit, and the bounds of chi-square."""
    series, values = found.series, found.values
    steady = series.time >= 10.0
    error, cone, knowledge, nees, nis = figure.axes
    assert nis.get_xlabel() == 'time [s]      (dotted: the steady part begins)'
    limits = {freedom: chi2.ppf((0.025, 0.975), freedom) for freedom in (1, 2, 3)}
    across = np.hypot(series.errors[:, 0], series.errors[:, 1])[:, np.newaxis]
    for axis, errors, label in (
        (error, series.errors, 'pointing error\nbody axes'),
        (cone, across, 'half-cone angle of\nthe boresight'),
        (knowledge, series.knowledge_errors, 'knowledge error\nbody axes'),
    ):
        known = np.abs(errors[steady])
        small = np.quantile(known[np.isfinite(known)], 0.9) < math.radians(0.1)
        factor, unit = (math.degrees(3600.0), 'arcsec') if small else (math.degrees(1.0), 'deg')
        assert axis.get_ylabel() == f'{label} [{unit}]'
        curves = [line for line in axis.lines if len(line.get_xdata()) == len(series.time)]
        for line, column in zip(curves, errors.T, strict=False):
            np.testing.assert_allclose(line.get_ydata(), factor * column, rtol=1e-12)
            assert np.array_equal(line.get_xdata(), series.time)
        bounds = {round(float(line.get_ydata()[0]), 9) for line in axis.lines}
        if axis is error:
            expected = [s * factor * values[f'ape_{k}_997'] for k in 'xyz' for s in (-1.0, 1.0)]
        elif axis is cone:
            expected = [factor * values[f'ape_across_{level}'] for level in (68, 95, 997)]
        else:
            expected = []
            for k, line in enumerate(curves[3:]):
                reach = 3.0 * factor * series.sigma[:, k // 2] * (-1.0, 1.0)[k % 2]
                np.testing.assert_allclose(line.get_ydata(), reach, rtol=1e-12)
            assert len(curves) == 9
        assert bounds >= {round(float(bound), 9) for bound in expected}
    assert (nees.get_ylabel(), nees.get_yscale(), nis.get_yscale()) == ('NEES', 'log', 'log')
    np.testing.assert_array_equal(nees.lines[0].get_ydata(), series.nees)
    drawn = [line.get_ydata()[0] for line in nees.lines[1:3]]
    assert drawn == pytest.approx(list(limits[3]), rel=1e-9)
    lines = iter(nis.lines)
    for name, judged in series.judged.items():
        dots = next(lines)
        assert dots.get_label() == name
        np.testing.assert_array_equal(dots.get_ydata(), judged.nis / judged.freedom)
        np.testing.assert_array_equal(dots.get_xdata(), judged.time)
        bounds = limits[int(judged.freedom[-1])] / judged.freedom[-1]
        assert [next(lines).get_ydata()[0] for _ in range(2)] == pytest.approx(list(bounds))
    for axis in figure.axes:
        assert any(list(line.get_xdata()) == [10.0, 10.0] for line in axis.lines)


def test_merits_are_drawn_and_written(merits, tmp_path):
    found = merits
    check_curves(found.plot(tmp_path / 'pointing.png'), found)
    pixels = np.asarray(Image.open(tmp_path / 'pointing.png').convert('L'))
    assert 0.005 < np.mean(pixels < 128) < 0.5
    told = json.loads(found.write(tmp_path / 'merits.json').read_text())
    assert told['merits']['nees_mean'] == found['nees_mean']
    assert told['units']['ape_x_95'] == 'rad'
    assert told['asked'] == {  # a window is a tenth of the steady part, a drift over half of it
        'steady_from': 10.0, 'steady_to': DURATION, 'window': 5.0, 'drift': 25.0,
        'pointed_error': math.radians(1.0), 'boresight': [0.0, 0.0, 1.0],
    }  # fmt: skip
    names, *rows = csv.reader(found.write(tmp_path / 'merits.csv').open())
    assert names == ['merit', 'value', 'unit']
    assert {row[0]: float(row[1]) for row in rows} == pytest.approx(
        dict(found.values), nan_ok=True
    )
    with pytest.raises(KeyError, match="no merit 'ape_x_99'; did you mean 'ape_x_997'"):
        found['ape_x_99']


def published_by(node, monkeypatch):
    """Return the list in which all that a node publishes will be: (topic, message)."""
    sent: list = []
    monkeypatch.setattr(
        node, '_publish', lambda where, what: sent.append((where.topic_name, what))
    )
    return sent


def test_each_tick_brings_its_estimate_and_a_missed_one_comes_again(ros, monkeypatch):
    given = {
        'star_tracker.enabled': True, 'star_tracker.cross_boresight_noise': 20.0,
        'imu.gyroscope.angle_random_walk': [1.0], 'imu.orientation': [0.0, 0.0, 0.6, 0.8],
    }  # fmt: skip
    node = ros.add(AttitudeEstimatorNode(given))
    sent, told = published_by(node, monkeypatch), []
    node.heard_by.append(told.append)
    node._on_repeat(-1)  # nothing has been estimated
    unread = {'readings of gyroscope': '', 'readings of star_tracker': ''}
    expected = DiagnosticStatus.WARN, 'no reading of the gyroscope yet'
    counts = {'times begun anew': 0, 'times the gyroscope became suspect': 0}
    assert node._status()[1:] == (*expected, {**counts, **unread})
    node.estimator.suspect = True
    assert node._status()[1] == DiagnosticStatus.ERROR
    node.estimator.restart()
    for time in (1.0, 1.5, 2.0):
        stamp = round(1e9 * time)
        header = conversions.header_to_ros(stamp, 'gyroscope')
        raw = Imu(header=header)
        raw.linear_acceleration.x, raw.linear_acceleration_covariance[4] = 5.0, 7.0
        stars = Imu(header=header, orientation=conversions.quaternion_to_ros((0.8, 0.6, 0, 0)))
        del sent[:]
        node._on_tick(stamp, {'imu/data_raw': raw, 'star_tracker/attitude': stars})
        assert told[-1].time_ns == stamp
    names = {where.removeprefix('/estimate/') for where, _ in sent}
    assert names == {'attitude', 'gyroscope_bias', 'innovations', 'nis'}
    assert {m.header.frame_id for _, m in sent} == {'gyroscope'}
    assert {conversions.nanoseconds_from_ros(m.header.stamp) for _, m in sent} == {2 * 10**9}
    last = dict(sent)['/estimate/attitude']
    assert (last.linear_acceleration, last.linear_acceleration_covariance[4]) == (
        raw.linear_acceleration, 7.0
    )  # fmt: skip
    del sent[:]
    node._on_repeat(1_500_000_000)
    assert not sent
    node._on_repeat(2 * 10**9)
    assert sent == [('/estimate/attitude', last)]
    level, text, values = node._status()[1:]
    assert (level, text) == (DiagnosticStatus.OK, 'the attitude is known')
    sigma = [float(one) for one in values['attitude 1 sigma [rad]'].split(', ')]
    assert sigma == pytest.approx(list(told[-1].sigma), rel=5e-3)
    assert values['readings of gyroscope'] == '3 taken'
    assert values['readings of star_tracker'] == '1 used to begin, 2 taken'
    assert node._of_field_bias() is None
    assert node._of_calibration() is None
    node._settings = SimpleNamespace(field_bias_sigma=1e-6, calibrates=True)
    assert node._of_field_bias().topic_name == '/estimate/magnetometer_bias'
    assert node._of_calibration().topic_name == '/estimate/calibration'
    del sent[:]
    node._on_tick(2_500_000_000, {'star_tracker/attitude': stars})  # no gyroscope: no attitude
    assert '/estimate/attitude' not in dict(sent)
    begun: list = []
    monkeypatch.setattr(node.estimator, 'restart', lambda: begun.append('anew'))
    for stamp in (2_500_000_000, 2_400_000_000):  # the later one is another run
        assert not begun
        node._on_tick(stamp, {'imu/data_raw': raw})
    assert begun == ['anew']


@pytest.mark.parametrize(
    ('topic', 'message', 'expected'),
    [
        ('imu/data_raw', Imu(angular_velocity=Vector3(x=1.0, y=2.0, z=3.0)), (1.0, 2.0, 3.0)),
        ('imu/data_raw', Imu(angular_velocity_covariance=NOT_MEASURED), (math.nan,) * 3),
        ('star_tracker/attitude', Imu(orientation=Quaternion(x=2.0, y=3.0, z=4.0, w=1.0)),
         (1.0, 2.0, 3.0, 4.0)),
        ('star_tracker/attitude', Imu(orientation_covariance=NOT_MEASURED), (math.nan,) * 4),
        ('imu/mag', MagneticField(magnetic_field=Vector3(x=1.0, y=2.0, z=3.0)), (1.0, 2.0, 3.0)),
        ('sun_sensor/s/direction', Vector3Stamped(vector=Vector3(x=1.0, y=2.0, z=3.0)),
         (1.0, 2.0, 3.0)),
        ('horizon_sensor/nadir', Vector3Stamped(vector=Vector3(x=1.0, y=2.0, z=3.0)),
         (1.0, 2.0, 3.0)),
        ('sun_sensor/c/illuminance', Illuminance(illuminance=5.0), (5.0,)),
    ],
)  # fmt: skip
def test_a_message_is_a_reading_of_its_sensor(topic, message, expected):
    kinds = {
        'star_tracker': None, 'magnetometer': None, 'horizon_sensor': None, 'sun_sensor/s': None,
        'sun_sensor/c': CELL,
    }  # fmt: skip
    sensors = {name: SimpleNamespace(kind=kind) for name, kind in kinds.items()}
    found = estimator_messages.sources(SimpleNamespace(sensors=sensors))
    assert len(found) == len(kinds) + 1
    assert isinstance(message, found[topic].kind)
    message.header.stamp = conversions.time_from_nanoseconds(1_250_000_000)
    reading = found[topic].reading(message)
    names = {'imu/data_raw': 'gyroscope', 'imu/mag': 'magnetometer'}
    assert reading.sensor == names.get(topic, topic.rpartition('/')[0])
    assert reading.time_ns == 1_250_000_000
    assert tuple(reading.values) == pytest.approx(expected, nan_ok=True)


class Bench:
    """An estimator in a namespace that takes each message as it comes."""

    def __init__(self, ros, namespace):
        self.ros = ros
        given = {
            'tick_topic': '', 'star_tracker.enabled': True,
            'star_tracker.cross_boresight_noise': 20.0, 'star_tracker.about_boresight_noise': 20.0,
            'imu.gyroscope.angle_random_walk': [1.0],
        }  # fmt: skip
        overrides = [Parameter(name, value=value) for name, value in given.items()]
        options = {'namespace': namespace, 'parameter_overrides': overrides}
        self.node = ros.add(AttitudeEstimatorNode(**options))
        self.attitudes = ros.listen(Imu, f'{namespace}/estimate/attitude')
        self.gyroscope = ros.node.create_publisher(Imu, f'{namespace}/imu/data_raw', 10)
        self.stars = ros.node.create_publisher(Imu, f'{namespace}/star_tracker/attitude', 10)
        ros.connected(f'{namespace}/estimate/attitude')
        ros.until(lambda: self.stars.get_subscription_count())

    def send(self, time, q=rotations.IDENTITY, rate=(0.0, 0.0, 0.0)):
        """Publish a star tracker's reading, then the gyroscope's; return the attitude after it."""
        header = conversions.header_to_ros(round(1e9 * time), 'imu_link')
        seen = sum(self.node.estimator.counts['star_tracker'].values())
        self.stars.publish(Imu(header=header, orientation=conversions.quaternion_to_ros(q)))
        waiting = self.node.estimator
        self.ros.until(
            lambda: waiting.waiting or sum(waiting.counts['star_tracker'].values()) > seen
        )
        return self.turn(time, rate)

    def turn(self, time, rate=(0.0, 0.0, 0.0)):
        """Publish a reading of the gyroscope; return the attitude that it brings."""
        header = conversions.header_to_ros(round(1e9 * time), 'imu_link')
        count = len(self.attitudes)
        angular = conversions.vector3_to_ros(rate)
        self.gyroscope.publish(Imu(header=header, angular_velocity=angular))
        self.ros.until(lambda: len(self.attitudes) > count)
        return self.attitudes[-1]


def test_two_estimators_in_one_domain_and_messages_that_say_nothing(ros):
    ours, other = Bench(ros, '/ours'), Bench(ros, '/other')
    diagnostics = ros.listen(DiagnosticArray, '/diagnostics')
    assert ours.turn(1.0).orientation_covariance[0] == -1.0
    known = ours.send(1.2)
    count = len(ours.attitudes)
    header = conversions.header_to_ros(1_200_000_000, 'imu_link')
    ours.gyroscope.publish(Imu(header=header))
    ros.until(lambda: ours.node.estimator.counts['gyroscope']['again'] == 1)
    ours.turn(1.3)
    ros.until(lambda: ours.attitudes[-1].header.stamp.nanosec == 300_000_000)
    assert len(ours.attitudes) == count + 1  # the same reading again brings nothing new
    assert known.orientation_covariance[0] > 0.0
    assert not other.attitudes
    for q in ((math.nan,) * 4, (1e308,) * 4, (0.0,) * 4):
        same = ours.send(1.4, q)
        assert same.orientation_covariance[0] > 0.0
        ours.attitudes.clear()
        ours.node.estimator.restart()
        ours.turn(1.0)
        ours.send(1.2)
    refused = ours.node.estimator.counts['star_tracker']['refused']
    assert refused == 3
    for rate in (math.nan, 1e308):
        header = conversions.header_to_ros(round(1.6e9), 'imu_link')
        wrong = conversions.vector3_to_ros((rate, 0.0, 0.0))
        before = ours.node.estimator.counts['gyroscope']['refused']
        ours.gyroscope.publish(Imu(header=header, angular_velocity=wrong))
        counts = ours.node.estimator.counts['gyroscope']
        ros.until(lambda counts=counts, before=before: counts['refused'] > before)
    assert not ours.node.mishaps
    assert ours.turn(1.8).orientation_covariance[0] > 0.0
    assert ros.call(Trigger, '/ours/attitude_estimator/~/reset'.replace('~/', '')).success
    assert ours.turn(2.0).orientation_covariance[0] == -1.0
    named = '/ours/attitude_estimator: estimation'
    ros.until(lambda: any(m.status[0].name == named for m in diagnostics))


def test_an_estimator_without_a_sensor_that_sees_the_attitude_is_refused():
    with pytest.raises(ParameterError, match='gyroscope alone'):
        configuration.checked({})
    with pytest.raises(ParameterError, match='need the orbit'):
        configuration.checked({'horizon_sensor.enabled': True})
    with pytest.raises(ParameterError, match=r'star_tracker\.enabld is not a parameter'):
        configuration.checked({'star_tracker.enabld': True})


def test_covariances_are_published_about_the_axes_of_the_imu():
    q_BS = np.array((1.0, 2.0, 3.0, 4.0)) / math.sqrt(30.0)
    attitude, rate = np.diag((1.0, 4.0, 9.0, 0.0, 0.0, 0.0)), np.diag((1e-2, 2e-2, 3e-2))
    none = np.zeros(3)
    estimate = Estimate(0, np.array(rotations.IDENTITY), none, none, none, attitude, rate)
    raw = Imu(header=conversions.header_to_ros(7, 'box'))
    raw.linear_acceleration.x, raw.linear_acceleration_covariance = 3.0, np.arange(9.0)
    sent = estimator_messages.attitude(raw, estimate, q_BS)
    assert sent.header == raw.header
    assert sent.linear_acceleration == raw.linear_acceleration
    assert (sent.linear_acceleration_covariance == np.arange(9.0)).all()
    axes_B = Rotation.from_quat(np.roll(q_BS, -1)).apply(np.eye(3))
    for covariance_S, covariance_B in (
        (sent.orientation_covariance, attitude[:3, :3]),
        (sent.angular_velocity_covariance, rate),
    ):
        expected = axes_B @ covariance_B @ axes_B.T
        assert covariance_S.reshape(3, 3) == pytest.approx(expected, rel=1e-13, abs=1e-15)


def test_innovations_are_of_the_components_that_a_sensor_measures():
    residual = np.array((1.0, 2.0, 3.0))
    judged = tuple(
        Judgement(name, 0, residual, 5.0 + freedom, freedom, 10.0 * freedom, True)
        for name, freedom in (('stars', 3), ('sun', 2), ('cell', 1))
    )
    sent = estimator_messages.innovations(Header(), judged)
    assert sent.name == ['stars/x', 'stars/y', 'stars/z', 'sun/x', 'sun/y', 'cell/x']
    assert list(sent.position) == [1.0, 2.0, 3.0, 1.0, 2.0, 1.0]
    sent = estimator_messages.consistency(Header(), judged)
    assert sent.name == ['stars', 'sun', 'cell']
    assert (list(sent.position), list(sent.effort)) == ([8.0, 7.0, 6.0], [30.0, 20.0, 10.0])


def test_axes_and_mountings_are_published_and_diagnosed(ros, monkeypatch):
    given = {
        'star_tracker.enabled': True, 'magnetometer.enabled': True, 'magnetometer.noise': [20.0],
        'imu.gyroscope.scale_factor': [500.0], 'misalignment': [0.2], **OF_ESTIMATOR,
    }  # fmt: skip
    node = ros.add(AttitudeEstimatorNode(given))
    sent = published_by(node, monkeypatch)
    header = conversions.header_to_ros(10**9, 'imu_link')
    node._on_tick(10**9, {'imu/data_raw': Imu(header=header)})
    message = dict(sent)['/estimate/calibration']
    assert message.header == header
    assert message.name == [
        f'gyroscope/{"scale_factor" if i == j else "misalignment"}/{i if i == j else i + j}'
        for i in 'xyz' for j in 'xyz'
    ] + [f'magnetometer/{axis}' for axis in 'xyz']  # fmt: skip
    assert list(message.position) == [0.0] * 12
    assert list(message.effort[::4])[:3] == pytest.approx([5e-4] * 3, rel=1e-12)
    assert list(message.effort[9:]) == pytest.approx([math.radians(0.2)] * 3, rel=1e-12)
    values = node._status()[3]
    assert values['gyroscope/scale_factor/y, 1 sigma'] == '0, 0.0005'
    assert values['magnetometer/z, 1 sigma'] == '0, 0.0035'


def test_what_a_bag_says_of_a_scenario_has_its_estimator():
    known = {'star_tracker.enabled': True, 'history': 3.0}
    found = scenario.of_sections({'simulator': {}, 'attitude_estimator': known}, 'test')
    again, _ = untrusted_scenario.parse(scenario.dump(found))
    assert again.estimator == found.estimator
    assert again.estimator['history'] == 3.0
