# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude_guidance node: a 3U CubeSat follows it, with the bits of Python; its parameters."""

import dataclasses
import math
import re
import textwrap

import bags
import numpy as np
import pytest
from conftest import ROOT
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import AccelStamped, PoseStamped
from nav_msgs.msg import Odometry
from processes import printed
from pytest import approx
from sensor_msgs.msg import Imu
from std_msgs.msg import String

from spacecraft_attitude_sim.campaigns.laws import NotCompiledError, driven_by
from spacecraft_attitude_sim.configuration import attitude_controller, scenario
from spacecraft_attitude_sim.configuration import attitude_guidance as configuration
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.core.control.control_law import Reference
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mission.mode_machine import Decision
from spacecraft_attitude_sim.core.mission.table import Order
from spacecraft_attitude_sim.flight.flight import Flight
from spacecraft_attitude_sim.flight.onboard_guidance import OnboardGuidance
from spacecraft_attitude_sim.nodes.attitude_guidance import guidance_messages
from spacecraft_attitude_sim.nodes.attitude_guidance.node import AttitudeGuidanceNode
from spacecraft_attitude_sim.nodes.mission_modes import mission_messages
from spacecraft_attitude_sim.nodes.ros import conversions

SCENARIO = 'cubesat_3u_target_pass'
# Six minutes on along the orbit: the slew begins at once.
LATER = {'orbit.true_anomaly': 0.39}
OF_GUIDANCE = {**LATER, 'timetable': ['10.0 station'], 'keep_out.stars_earth.angle': 66.0}
DURATION = 45.0
ORBIT = {'orbit.model': 'kepler', 'epoch': '2026-03-20T12:00:00Z'}


@pytest.fixture(scope='module')
def flight(command, tmp_path_factory):
    """{topic: messages} of a run in ROS."""
    bag = tmp_path_factory.mktemp('guided') / 'bag'
    given = LATER | {f'attitude_guidance:{name}': value for name, value in OF_GUIDANCE.items()}
    options = [text for name, value in given.items() for text in ('-p', f'{name}:={value}')]
    printed(
        command, 'run', SCENARIO, '--rate', 0, '--duration', DURATION, '--no-markers',
        '--record', bag, *options,
    )  # fmt: skip
    wanted = ('/reference/', '/guidance/', '/ground_truth/odometry', '/control/reference')
    return bags.messages(bag, wanted)


def quaternion(message):
    return np.array((message.w, message.x, message.y, message.z))


@pytest.fixture(scope='module')
def base():
    """The Scenario of that run."""
    sections = scenario.read(scenario.find(SCENARIO))
    sections['simulator'].update(LATER)
    sections['attitude_guidance'].update(OF_GUIDANCE)
    return scenario.of_sections(sections, 'test')


def test_each_tick_has_its_reference_and_the_controller_follows_it(flight, base):
    guidance = configuration.guidance(base.guidance)
    rates, changes = flight['/reference/odometry'], flight['/reference/acceleration']
    assert len(rates) == len(changes) == len(flight['/guidance/profile']) == 2 * DURATION + 1
    for tick, (odometry, acceleration) in enumerate(zip(rates, changes, strict=True)):
        assert odometry.header.stamp == acceleration.header.stamp
        own = guidance.at(0.5 * tick)
        angular = odometry.twist.twist.angular
        assert (quaternion(odometry.pose.pose.orientation) == own.q_WR).all()
        assert ((angular.x, angular.y, angular.z) == own.omega_R).all()
        angular = acceleration.accel.angular
        assert ((angular.x, angular.y, angular.z) == own.alpha_R).all()
    tracked = flight['/control/reference']
    assert [m.header.stamp for m in tracked] == [m.header.stamp for m in rates]
    assert max(math.hypot(*own) for own in [guidance.at(45.0).omega_R]) > 0.01
    states = [message.status[0] for message in flight['/guidance/profile']]
    assert [state.name for state in states[18:22]] == ['nadir', 'nadir', 'station', 'station']
    assert states[20].message == 'slewing' and float(states[20].values[0].value) > 60.0


def test_without_ros_the_flight_has_the_same_bits(flight, base):
    alone = Flight(base, keeps=0)
    truths = flight['/ground_truth/odometry']
    errors = []
    for truth in truths:
        q_WB = quaternion(truth.pose.pose.orientation)
        assert (alone.instant.state.q_WB == q_WB).all()
        errors.append(math.degrees(rotations.angle_between(alone.pointed_at(), q_WB)))
        if truth is not truths[-1]:
            alone.step()
    # The slew reaches a degree a second; sensor noise and the hold of half a second are left.
    assert max(errors[10:]) < 0.1


def test_without_the_acceleration_the_same_slew_lags(base, monkeypatch):
    """J α over the stiffness: 9e-4/0.3² rad = 0.57 deg at the start of a slew."""

    def flown():
        alone, errors = Flight(base, keeps=0), []
        for _ in range(70):
            alone.step()
            errors.append(rotations.angle_between(alone.pointed_at(), alone.instant.state.q_WB))
        return math.degrees(max(errors[20:]))

    with_it, at = flown(), OnboardGuidance.guide

    def without(self, loop, stamp):
        at(self, loop, stamp)
        loop.follow(Reference(*np.split(loop.reference_at(stamp), (4, 7))[:2], np.zeros(3)), stamp)

    monkeypatch.setattr(OnboardGuidance, 'guide', without)
    assert with_it < 0.1
    assert flown() == approx(0.57, abs=0.05)


def imu_at(time):
    return Imu(header=conversions.header_to_ros(round(1e9 * time), 'imu_link'))


def noted(node, monkeypatch):
    """Return the list in which all that a node publishes and begins anew will be."""
    sent: list = []
    publish = lambda where, what: sent.append((where.topic_name, what))  # noqa: E731
    monkeypatch.setattr(node, '_publish', publish)
    monkeypatch.setattr(node.guidance, 'restart', lambda: sent.append('anew'))
    return sent


TOPICS = ['/reference/acceleration', '/reference/odometry', '/guidance/profile']


def test_imu_data_are_answered_with_the_reference_of_their_time(ros, monkeypatch):
    node = ros.add(AttitudeGuidanceNode(ORBIT))
    sent = noted(node, monkeypatch)
    node._on_imu(imu_at(-1.0))
    assert not sent
    node._on_imu(imu_at(100.0))
    assert [topic for topic, _ in sent] == TOPICS
    acceleration, odometry, status = (message for _, message in sent)
    for message, frame in ((acceleration, 'reference'), (odometry, 'world'), (status, 'world')):
        assert message.header == conversions.header_to_ros(100 * 10**9, frame)
    assert odometry.child_frame_id == 'reference'
    found, expected = guidance_messages.reference_of(odometry, acceleration), node.guidance.at(100)
    assert np.array_equal(found.flat(), expected.flat())
    assert np.array_equal(node.reference_at(100 * 10**9), expected.q_WR)
    told = status.status[0]
    assert (told.name, told.message, told.values[0].value) == ('nadir', 'tracking', '0.000')
    node._on_imu(imu_at(100.0))
    assert sent[3:] == sent[:3]  # again, for a simulator that misses it
    node._on_command(String(data='200.0 sun'))
    node._on_command(String(data='up'))
    node._on_imu(imu_at(210.0))
    told = sent[-1][1].status[0]
    left = float(told.values[0].value)
    assert (told.name, told.message) == ('sun', 'slewing') and left > 20.0
    _, level, text, values = node._report()
    assert (level, text) == (DiagnosticStatus.OK, 'sun')
    assert values == {
        'profile': 'sun', 'time to the end of the slew [s]': f'{left:.1f}', 'changes refused': 1,
    }  # fmt: skip
    node.guidance.problem = 'waits'
    assert node._report()[1:3] == (DiagnosticStatus.WARN, 'waits')
    for time in (209.9, 210.5, 209.8):  # one that a newer one has overtaken
        count = len(sent)
        node._on_imu(imu_at(time))
        assert len(sent) == count + (3 if time > 210.0 else 0)
    assert 'anew' not in sent
    node._on_imu(imu_at(209.9))  # a second one behind it: another run
    assert sent.count('anew') == 1
    for count, time in (
        (2, 5.0),
        (2, 6.0),
        (3, 0.0),
    ):  # more than a minute older; a run begins at 0
        node._on_imu(imu_at(time))
        assert sent.count('anew') == count


def test_imu_data_wait_for_the_order_of_their_time(ros, monkeypatch):
    node = ros.add(AttitudeGuidanceNode(ORBIT | {configuration.MISSION: True}))
    monkeypatch.setattr(node, '_clock_ns', lambda: 100 * 10**9)
    sent = noted(node, monkeypatch)
    node._on_imu(imu_at(100.0))
    node._on_imu(imu_at(99.5))  # the newer ones go on to wait
    assert not sent
    for time, profile in ((99.0, 'nadir'), (100.0, 'sun')):
        order = Order('a', 'pointing', profile, True)
        stamp = round(1e9 * time)
        node._on_order(mission_messages.command(Decision(stamp, order, stamp, '', '')))
        assert bool(sent) == (time == 100.0)
    assert [topic for topic, _ in sent] == TOPICS
    assert sent[-1][1].status[0].name == 'sun'
    node._on_order(mission_messages.command(Decision(stamp, order, stamp, '', '')))
    assert len(sent) == 3  # nothing waits any more
    node._on_order(DiagnosticArray())
    assert node.refused == 1 and not node.mishaps


class Bench:
    """A node in a namespace, and what it says."""

    def __init__(self, ros, namespace, **given):
        self.ros = ros
        self.node = ros.add(AttitudeGuidanceNode(ORBIT | given, namespace=namespace))
        self.odometry = ros.listen(Odometry, f'{namespace}/reference/odometry')
        self.acceleration = ros.listen(AccelStamped, f'{namespace}/reference/acceleration')
        self.status = ros.listen(DiagnosticArray, f'{namespace}/guidance/profile')
        kinds = {'imu/data_raw': Imu, 'guidance/command': String, 'guidance/pose': PoseStamped}
        self.publishers = {
            topic: ros.node.create_publisher(kind, f'{namespace}/{topic}', 10)
            for topic, kind in kinds.items()
        }
        ros.connected(f'{namespace}/reference/odometry')
        ros.until(lambda: all(p.get_subscription_count() for p in self.publishers.values()))

    def at(self, time):
        """Publish IMU data of a time; return the name of the profile then and the reference."""
        count = len(self.status)
        header = conversions.header_to_ros(round(1e9 * time), 'imu_link')
        self.publishers['imu/data_raw'].publish(Imu(header=header))
        self.ros.until(lambda: len(self.status) > count and len(self.odometry) > count)
        self.ros.until(lambda: len(self.acceleration) > count)
        reference = guidance_messages.reference_of(self.odometry[-1], self.acceleration[-1])
        return self.status[-1].status[0].name, reference

    def command(self, text):
        """Publish a command and wait until it was taken or refused."""
        before = self.node.refused, len(self.node.guidance._pending + self.node.guidance._legs)
        self.publishers['guidance/command'].publish(String(data=text))
        self.ros.until(
            lambda: (
                (self.node.refused, len(self.node.guidance._pending + self.node.guidance._legs))
                != before
            )
        )


def test_profiles_change_by_topic_at_a_time_and_nonsense_is_refused(ros):
    ours, other = Bench(ros, '/ours'), Bench(ros, '/other')
    assert ours.at(1.0)[0] == 'nadir'
    ours.command('200.0 sun')
    assert ours.at(199.0)[0] == 'nadir'
    name, reference = ours.at(200.0)
    assert name == 'sun' and len(reference.flat()) == 13
    assert ours.at(900.0)[0] == 'sun'
    for text in ('', 'up', '10 20 sun', 'soon sun', '-5.0 sun', 'nan nadir'):
        refused = ours.node.refused
        ours.publishers['guidance/command'].publish(String(data=text))
        ros.until(lambda refused=refused: ours.node.refused > refused)
    half = math.sqrt(0.5)
    for q, frame in (((half, 0, 0, half), 'map'), ((math.nan,) * 4, 'world'), ((0.0,) * 4, '')):
        refused = ours.node.refused
        pose = PoseStamped(header=conversions.header_to_ros(10**12, frame))
        pose.pose.orientation = conversions.quaternion_to_ros(q)
        ours.publishers['guidance/pose'].publish(pose)
        ros.until(lambda refused=refused: ours.node.refused > refused)
    pose = PoseStamped(header=conversions.header_to_ros(10**12, 'world'))
    pose.pose.orientation = conversions.quaternion_to_ros((half, 0.0, 0.0, half))
    ours.publishers['guidance/pose'].publish(pose)
    ros.until(lambda: any(leg.entry.name == 'pose' for leg in ours.node.guidance._legs))
    assert ours.at(999.0)[0] == 'sun'
    assert ours.at(1000.0)[0] == 'pose'
    assert ours.at(1800.0)[1].q_WR == approx([half, 0.0, 0.0, half])
    assert other.at(1800.0)[0] == 'nadir'
    assert ours.at(5.0)[0] == 'nadir'  # an earlier stamp: another run,
    assert ours.at(900.0)[0] == 'nadir'  # of which nothing was commanded
    assert not ours.node.mishaps


@pytest.mark.parametrize(
    ('given', 'told'),
    [
        ({'start': 'nadir'}, "start has 'nadir'; profiles are fixed$"),
        (ORBIT | {'timetable': ['5.0 up']}, "timetable has 'up'; profiles are fixed, nadir, sun"),
        ({'timetable': ['2026-03-20T12:00:00Z fixed']}, 'timetable: .* there is no epoch'),
        (ORBIT | {'timetable': ['2026-03-20T11:00:00Z sun']}, 'give a time of 0 s or more'),
        ({'profiles': ['a'], 'profile.a.direction': 'sun'}, "orbit.model is 'none'"),
        (ORBIT | {'profiles': ['a'], 'profile.a.direction': 'target:b'}, 'choose one of inertial'),
        (ORBIT | {'profiles': ['a'], 'profile.a.direction': 'sun',
                  'profile.a.second_axis': [0.0, 0.0, 2.0]}, 'parallel'),
        ({'profiles': ['a'], 'profile.a.atitude': [1.0, 0.0, 0.0, 0.0]}, 'is not a parameter'),
        ({'targets': ['t']}, 'latitude .* not given'),
        ({'keep_outs': ['k']}, 'keep_outs need the orbit'),
        ({'wheels': ['w'], 'wheel.w.axis': [1.0, 0.0, 0.0], 'wheel.w.inertia': 1e-5,
          'wheel.w.max_torque': 1e-3, 'wheel.w.max_speed': 500.0}, 'inertia is not given'),
        ({'inertia': [0.1, 0.1, 0.1], 'wheels': ['w'], 'wheel.w.axis': [1.0, 0.0, 0.0],
          'wheel.w.inertia': 1e-5, 'wheel.w.max_torque': 1e-3, 'wheel.w.max_speed': 500.0},
         'cannot turn the body about every axis'),
        ({'inertia': [0.1, 0.1, 0.1], 'wheels': ['w'], 'wheel.w.axis': [0.5, 0.0, 0.0],
          'wheel.w.inertia': 1e-5, 'wheel.w.max_torque': 1e-3, 'wheel.w.max_speed': 500.0},
         'wheel.w.axis is .* give a unit vector'),
    ],
)  # fmt: skip
def test_a_wrong_parameter_is_named(given, told):
    with pytest.raises(ParameterError, match=told):
        configuration.checked(given)


def test_parameters_in_degrees_become_places_and_zones():
    values = configuration.checked(
        ORBIT
        | {'targets': ['t'], 'target.t.latitude': 60.0, 'target.t.longitude': -30.0,
           'target.t.height': 100.0, 'keep_outs': ['k'], 'keep_out.k.angle': 45.0,
           'keep_out.k.axis': [0.0, 3.0, 0.0], 'slew.rate': 0.01}
    )  # fmt: skip
    places = configuration.ephemeris(values)
    assert places.targets['t'] == approx((math.pi / 3.0, -math.pi / 6.0, 100.0))
    made = configuration.planner(values, places)
    assert made.keep_outs[0].angle == approx(math.pi / 4.0)
    assert made.keep_outs[0].axis_B == approx([0.0, 1.0, 0.0])
    assert made.limits[0] == 0.01
    assert configuration.utc(values | {'epoch_delay': 1.0}).startswith('2026-03-21T12:00:00')


def test_a_timetable_that_cannot_be_flown_is_refused_when_guidance_is_made():
    values = ORBIT | {'keep_outs': ['camera'], 'keep_out.camera.body': 'earth'}
    with pytest.raises(ParameterError, match='attitude_guidance: nadir: camera looks'):
        configuration.guidance(configuration.checked(values))


def test_guidance_and_controller_belong_together(base):
    sections = scenario.read(scenario.find(SCENARIO))
    sections['attitude_controller'].pop('guided')
    with pytest.raises(scenario.ScenarioError, match='guided is false'):
        scenario.of_sections(sections, 'test')
    with pytest.raises(ValueError, match='has no attitude_guidance'):
        Flight(dataclasses.replace(base, guidance=None))
    with pytest.raises(NotCompiledError, match='attitude_guidance'):
        driven_by(dataclasses.replace(base, guidance=None))
    alone = scenario.read(scenario.find('cubesat_3u_leo'))
    completed = scenario.with_guidance(alone, 'test')
    assert completed['attitude_controller']['guided'] is True
    assert completed['attitude_guidance']['orbit.inclination'] == 1.69998
    with pytest.raises(scenario.ScenarioError, match='there is none'):
        scenario.with_guidance(scenario.read(scenario.find('tennis_racket')), 'test')


def test_a_recorded_scenario_keeps_its_guidance(base):
    again = scenario.parse(scenario.dump(base), 'again')
    assert again.guidance == base.guidance
    assert again.controller == base.controller


def test_a_guided_loop_waits_for_the_reference_of_its_time(base):
    loop = attitude_controller.loop(base.controller)
    assert loop.needs_guide(500_000_000)
    still = Reference(np.array((1.0, 0.0, 0.0, 0.0)), np.zeros(3), np.zeros(3))
    loop.guide(still, 500_000_000)
    assert not loop.needs_guide(500_000_000) and loop.needs_guide(10**9)
    for wrong in (
        still._replace(q_WR=np.zeros(4)),
        still._replace(omega_R=np.full(3, math.nan)),
        still._replace(alpha_R=np.array((0.0, math.inf, 0.0))),
    ):
        with pytest.raises(ValueError, match='orientation|angular'):
            loop.guide(wrong, 10**9)
    assert loop.needs_guide(10**9)


def test_access_of_the_page_is_what_it_prints(capsys):
    page = (ROOT / 'docs' / 'guidance.md').read_text()
    (program,) = re.findall(r'```python\n(.*?)```', page, re.S)
    exec(program, {})
    printed = textwrap.indent(capsys.readouterr().out, 4 * ' ')
    assert printed.strip() and f'It prints\n\n{printed}' in page
