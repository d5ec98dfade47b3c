# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The mission_modes node: a 3U CubeSat flies by it, with the decisions of Python; bad messages."""

import dataclasses
import functools
import json
import math
from types import SimpleNamespace

import bags
import numpy as np
import pytest
from conftest import ROOT
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Vector3Stamped
from processes import printed
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from sensor_msgs.msg import Illuminance, Imu, JointState, MagneticField
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from spacecraft_attitude_sim.campaigns.laws import NotCompiledError, driven_by
from spacecraft_attitude_sim.configuration import mission_modes as configuration
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.mission.mode_machine import Decision
from spacecraft_attitude_sim.core.mission.table import Order
from spacecraft_attitude_sim.flight.flight import Flight
from spacecraft_attitude_sim.nodes.mission_modes import mission_messages
from spacecraft_attitude_sim.nodes.mission_modes.node import LARGEST_JUMP_NS, MissionModesNode
from spacecraft_attitude_sim.nodes.mission_modes.orders import Orders
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.recording import topics
from spacecraft_attitude_sim.runs import aids

SCENARIO = 'cubesat_3u_mission'
# In sunlight, near the attitude of the profile panels; each mode lasts a few seconds.
LATER = {'orbit.true_anomaly': 0.5}
OF_SIMULATOR = LATER | {
    'initial.attitude': [-0.07274091, 0.99734222, -0.00391876, -0.0013795],
    'initial.angular_velocity': [0.002, -0.001, 0.001],
    'wheel.x.initial_speed': 40.0,
}  # fmt: skip
OF_MISSION = {
    'mode.detumble.transitions': ['rate < 0.1 for 2 s -> acquisition'],
    'mode.acquisition.transitions': ['attitude_sigma < 0.5 and error < 5 for 1 s -> nadir'],
    'mode.nadir.transitions': ['wheel_momentum > 2e-4 for 3 s -> unloading'],
    'dwell': 2.0,
}
DURATION = 40.0


@pytest.fixture(scope='module')
def base():
    """The Scenario of the flight."""
    sections = scenario.read(scenario.find(SCENARIO))
    sections['simulator'].update(OF_SIMULATOR)
    for node in ('attitude_estimator', 'attitude_guidance'):
        sections[node].update(LATER)
    sections['mission_modes'].update(OF_MISSION)
    return scenario.of_sections(sections, 'test')


@pytest.fixture(scope='module')
def flight(command, tmp_path_factory):
    """{topic: messages} of a run in ROS."""
    bag = tmp_path_factory.mktemp('mission') / 'bag'
    given = {
        **OF_SIMULATOR,
        **{f'{node}:{k}': v for node in ('attitude_estimator', 'attitude_guidance')
           for k, v in LATER.items()},
        **{f'mission_modes:{k}': v for k, v in OF_MISSION.items()},
    }  # fmt: skip
    options = [t for k, v in given.items() for t in ('-p', f'{k}:={json.dumps(v)}')]
    printed(
        command, 'run', SCENARIO, '--rate', 0, '--duration', DURATION, '--no-markers',
        '--record', bag, *options,
    )  # fmt: skip
    wanted = ('/mission/', '/control/error', '/ground_truth/odometry', '/command/dipole')
    return bags.messages(bag, wanted)


def pairs(status):
    return {value.key: value.value for value in status.values}


def test_modes_follow_each_other_and_say_why(flight):
    entered = [message.status[0] for message in flight['/mission/mode']]
    names = [status.name for status in entered]
    assert names == ['detumble', 'acquisition', 'nadir', 'unloading']
    assert [pairs(status)['before'] for status in entered] == ['', *names[:-1]]
    reasons = [status.message for status in entered]
    assert reasons[0] == 'start'
    assert reasons[1].startswith('rate < 0.1 for 2 s -> acquisition (rate 0.002')
    assert reasons[2].startswith('attitude_sigma < 0.5 and error < 5 for 1 s -> nadir (attit')
    assert 'wheel_momentum 0.000' in reasons[3] and reasons[3].endswith(' N m s)')
    assert pairs(entered[1])['time [s]'] == '2.5'


def test_each_tick_has_its_command_and_its_error(flight):
    orders, errors = flight['/mission/command'], flight['/control/error']
    assert len(orders) == len(flight['/ground_truth/odometry']) == 2 * DURATION + 1
    # The last tick is not answered.
    assert [m.header.stamp for m in errors] == [m.header.stamp for m in orders[: len(errors)]]
    assert len(errors) >= 2 * DURATION
    pointing = [mission_messages.order_of(message).law == 'pointing' for message in orders]
    known = [math.isfinite(message.vector.x) for message in errors]
    assert known == pointing[: len(known)]


def test_wheels_are_unloaded_in_their_mode_alone(flight):
    """A dipole is commanded where the wheels have something to unload."""
    moments = {
        conversions.nanoseconds_from_ros(message.header.stamp): np.linalg.norm(
            conversions.vector3_from_ros(message.vector)
        )
        for message in flight['/command/dipole']
    }
    for message in flight['/mission/command'][2:-1]:
        order = mission_messages.order_of(message)
        moment = moments[conversions.nanoseconds_from_ros(message.header.stamp)]
        if order.law == 'pointing':
            assert (moment > 0.0) == order.unloads


def test_without_ros_the_flight_has_the_same_bits_and_decisions(flight, base):
    alone = Flight(base, keeps=0)
    truths = flight['/ground_truth/odometry']
    for truth in truths:
        q = truth.pose.pose.orientation
        assert (alone.instant.state.q_WB == np.array((q.w, q.x, q.y, q.z))).all()
        if truth is not truths[-1]:
            alone.step()
    changes = [
        (change.mode, change.reason, f'{change.time:.9g}') for change in alone.mission.changes
    ]
    assert changes == [
        (message.status[0].name, message.status[0].message, pairs(message.status[0])['time [s]'])
        for message in flight['/mission/mode']
    ]


def test_a_fault_leads_to_safe_at_the_next_tick(base):
    alone = Flight(base, keeps=0)
    alone.step()
    alone.mission.knowledge.fault = True
    alone.step()
    assert alone.mission.changes[-1] == (0.5, 'safe', 'fault > 0 -> safe (fault 1)')
    # Where neither IMU nor magnetometer reads, nothing is decided.
    now = alone.instant
    stars = now._replace(readings=now.readings._replace(new=frozenset({'star_tracker'})))
    assert alone.mission.take(stars, np.zeros(3), None) is None
    assert alone.mission.take(now, np.zeros(3), None).order.mode == 'safe'


TABLE = {
    'modes': ['a', 'b', 'safe'], 'mode.a.law': 'detumbling', 'mode.b.law': 'pointing',
    'mode.safe.law': 'idle', 'mode.a.transitions': ['rate < 0.1 -> b'],
    'mode.b.transitions': ['rate > 0.2 -> a'], 'anywhere': ['fault > 0 -> safe'],
    'tick_topic': '', 'wheels': ['w'], 'wheel.w.axis': [0.0, 0.0, 1.0], 'wheel.w.inertia': 1e-5,
}  # fmt: skip


class Bench:
    """A node in a namespace that takes each message as it comes, and what it says."""

    def __init__(self, ros, namespace, **given):
        self.ros, self.name = ros, namespace
        self.node = ros.add(MissionModesNode(TABLE | given, namespace=namespace))
        self.orders = ros.listen(DiagnosticArray, f'{namespace}/mission/command')
        self.modes = ros.listen(DiagnosticArray, f'{namespace}/mission/mode')
        kinds = {'imu/data': Imu, 'joint_states': JointState, 'mission/fault': Bool,
                 'control/error': Vector3Stamped}  # fmt: skip
        self.publishers = {
            topic: ros.node.create_publisher(kind, f'{namespace}/{topic}', 10)
            for topic, kind in kinds.items()
        }
        ros.connected(f'{namespace}/mission/command', f'{namespace}/mission/mode')
        ros.until(lambda: all(p.get_subscription_count() for p in self.publishers.values()))

    def send(self, time, rate=0.0):
        """Publish IMU data of a time."""
        self.publishers['imu/data'].publish(imu_at(time, rate))

    def at(self, time, rate=0.0):
        """Publish IMU data of a time; return the name of the mode then."""
        count = len(self.orders)
        self.send(time, rate)
        self.ros.until(lambda: len(self.orders) > count)
        return self.orders[-1].status[0].name

    def force(self, name):
        """Set the parameter `force`; return the result."""
        request = SetParameters.Request()
        request.parameters = [Parameter('force', value=name).to_parameter_msg()]
        service = f'{self.name}/mission_modes/set_parameters'
        return self.ros.call(SetParameters, service, request).results[0]


def test_a_mode_is_forced_by_a_service_and_nonsense_is_refused(ros):
    ours, other = Bench(ros, '/ours'), Bench(ros, '/other')
    assert (ours.at(1.0, 0.0), ours.at(2.0, 0.0), other.at(1.0)) == ('a', 'b', 'a')
    for value in (math.nan, math.inf, 1e308):
        assert ours.at(ours.orders[-1].header.stamp.sec + 1.0, value) == 'b'
        wheels = JointState(header=conversions.header_to_ros(0, ''), name=['w'], velocity=[value])
        ours.publishers['joint_states'].publish(wheels)
    assert ours.at(9.0, 0.3) == 'a'
    assert ours.force('safe').successful
    assert (ours.at(10.0), ours.at(11.0), other.at(2.0)) == ('safe', 'safe', 'b')
    refused = ours.force('sleep')
    assert not refused.successful and "force is 'sleep', which is no mode" in refused.reason
    for _ in range(20):  # a flood: the last one counts
        assert ours.force('a').successful
        assert ours.force('').successful
    assert (ours.at(12.0), ours.at(13.0)) == ('safe', 'safe')
    assert ours.force('b').successful
    assert ours.at(14.0, 9.0) == 'b'
    assert ours.force('').successful
    assert ours.at(15.0, 9.0) == 'a'
    ros.until(lambda: len(ours.modes) == 6)
    assert [m.status[0].name for m in ours.modes] == ['a', 'b', 'a', 'safe', 'b', 'a']
    assert ours.modes[3].status[0].message == 'forced'
    ours.publishers['mission/fault'].publish(Bool(data=True))
    ros.until(lambda: ours.node.knowledge.fault)
    assert ours.at(16.0, 9.0) == 'safe'
    ours.publishers['mission/fault'].publish(Bool(data=False))
    ros.until(lambda: not ours.node.knowledge.fault)
    ours.send(10**5)  # one message far ahead, and one of the past, say nothing
    assert ours.at(17.0) == 'safe'
    ours.send(3.0)
    assert ours.at(18.0) == 'safe'
    ours.send(3.0)
    assert ours.at(3.5) == 'a'  # two of them: another run
    assert other.at(2.5) == 'b'
    answer = ros.call(Trigger, '/other/mission_modes/reset')
    assert (answer.success, answer.message) == (True, 'begins in a')
    assert other.at(3.0) == 'a'
    assert not ours.node.mishaps and not other.node.mishaps


def test_a_tick_waits_for_the_error_of_the_one_before(ros):
    ours = Bench(ros, '/waiting', **{'mode.a.transitions': ['error < 1 -> b']})
    assert ours.at(1.0) == 'a'
    for stamp, error in ((2.0, 0.0), (0.5, 0.0), (1.0, math.radians(0.5))):
        header = conversions.header_to_ros(round(1e9 * stamp), 'base_link')
        vector = conversions.vector3_to_ros((error, 0.0, 0.0))
        ours.publishers['control/error'].publish(Vector3Stamped(header=header, vector=vector))
    ros.until(lambda: ours.node._errors)
    assert set(ours.node._errors) == {10**9}
    assert ours.at(2.0) == 'b'  # by the error of 1 s; those of other times do not count
    ros.until(lambda: len(ours.modes) == 2)
    assert '(error 0.5 deg)' in ours.modes[-1].status[0].message
    ours.send(3.0)
    ros.until(lambda: ours.node._waiting)
    assert ours.orders[-1].header.stamp.sec == 2
    assert ours.at(4.0) == 'b'  # nobody answers any more: it goes on
    ros.until(lambda: [m.header.stamp.sec for m in ours.orders] == [1, 2, 3])
    ours.send(0.1)  # another run, which has no tick that is owed an error
    assert ours.at(0.2) == 'a'


def imu_at(time, rate):
    header = conversions.header_to_ros(round(1e9 * time), 'imu_link')
    return Imu(header=header, angular_velocity=conversions.vector3_to_ros((rate, 0.0, 0.0)))


def test_no_error_is_owed_for_late_data_and_none_twice(ros, monkeypatch):
    node = ros.add(MissionModesNode(TABLE | {'mode.a.transitions': ['error < 1 -> b']}))
    decided = []
    monkeypatch.setattr(node, '_publish', lambda where, what: decided.append(where.topic_name))
    header = conversions.header_to_ros(10**9, 'base_link')
    for stamp, time, owed in ((1, 1.0, 1), (1, 1.0, None), (2, 1.5, None), (3, 3.0, 3)):
        count = len(decided)
        node._on_tick(stamp * 10**9, {'imu/data': imu_at(time, 0.05)})
        assert len(decided) > count, stamp  # nothing is waited for that never comes
        assert node._owed == (owed and owed * 10**9)
        if stamp == 1 and owed:
            node._on_error(Vector3Stamped(header=header))
        assert node.knowledge._heard['rate'][0] == round(time * 1e9)  # of its own time


def test_diagnostics_tell_what_is_decided_and_known(ros):
    node = ros.add(MissionModesNode(TABLE))
    _, level, text, values = node._status()
    assert (level, text) == (DiagnosticStatus.OK, 'no imu/data yet')
    assert values == {'changes of mode': 0}
    for time in (1.0, 2.0, 4.5):
        node._on_message('imu/data', imu_at(time, 0.05))
    header = conversions.header_to_ros(4_500_000_000, '')
    wheels = JointState(header=header, name=['v', 'w'], velocity=[1.0, -30.0])
    node._on_message('joint_states', wheels)
    header, level, text, values = node._status()
    assert (level, text) == (DiagnosticStatus.OK, 'b')
    assert header.stamp.sec > 0
    unknown = dict.fromkeys(('error [deg]', 'illuminance [lx]', 'sunlight'), 'nan')
    expected = {
        'changes of mode': 1, 'mode': 'b', 'since [s]': '2', 'time [s]': '4.5',
        'because': 'rate < 0.1 -> b (rate 0.05 rad/s)', 'time_in_mode [s]': '2.5',
        'rate [rad/s]': '0.05', 'attitude_known': '1', 'attitude_sigma [deg]': '0',
        'sun_seen': '0', 'wheel_momentum [N m s]': '0.0003', 'wheel_speed [rad/s]': '30',
        'fault': '0', **unknown,
    }  # fmt: skip
    assert values == expected
    node.machine.force('safe')
    assert node._status()[3] == expected | {'forced': 'safe'}
    node.machine.problem = 'waits'
    assert node._status()[1:3] == (DiagnosticStatus.WARN, 'waits')


def test_an_order_that_the_simulator_misses_is_sent_again(ros, monkeypatch):
    node, sent = ros.add(MissionModesNode(TABLE)), []
    monkeypatch.setattr(
        node, '_publish', lambda where, what: sent.append((where.topic_name, what))
    )
    node._on_repeat(0)  # nothing is decided yet
    for time in (1.0, 2.0):
        node._on_tick(round(1e9 * time), {'imu/data': imu_at(time, 0.05)})
    orders = [what for where, what in sent if where == '/mission/command']
    assert [what.status[0].name for what in orders] == ['a', 'b']
    count = len(sent)
    node._on_repeat(1_000_000_000)  # over
    node._on_repeat(2_000_000_000)
    assert sent[count:] == [('/mission/command', orders[1])]


def test_a_stamp_is_believed_if_it_follows_another_or_is_confirmed(ros):
    far = LARGEST_JUMP_NS
    node = ros.add(MissionModesNode(TABLE))
    odd = {stamp: node._is_odd(stamp) for stamp in (-1, 0, far)}
    assert odd == {-1: True, 0: False, far: False}  # the first one may be of any time
    node._waiting.append((2 * far, {}))
    for stamps, believed in (
        ((2 * far,), [True]),  # another topic of the same tick
        ((3 * far,), [True]),
        ((3 * far + 1,), [False]),
        ((2 * far - 1,), [False]),
        ((5, 5, 6), [False, True, False]),
        ((5, far + 5), [False, True]),
        ((5, far + 6), [False, False]),
        ((5, 4), [False, False]),
        ((5, 2 * far, 5), [False, True, False]),
    ):
        node._doubted = None
        assert [not node._is_odd(stamp) for stamp in stamps] == believed, stamps
    node._waiting.clear()
    node.decision = SimpleNamespace(time_ns=2 * far)
    assert not node._is_odd(2 * far) and node._is_odd(2 * far - 1)


def test_what_a_message_says_is_known_with_its_unit():
    asked = {'sun_sensors': ['s'], 'sun_cells': ['c'], 'wheels': ['w']}
    values = configuration.checked(TABLE | asked)
    found, known = mission_messages.sources(values), configuration.knowledge(values)
    assert found.keys() == {
        'imu/data', 'imu/mag', 'sun_sensor/s/direction', 'sun_sensor/c/illuminance',
        'joint_states',
    }  # fmt: skip
    imu = imu_at(1.0, 0.25)
    imu.orientation_covariance[[0, 4, 8]] = np.radians((0.1, 0.3, 0.2)) ** 2
    up = conversions.vector3_to_ros((0.0, 0.0, 1.0))
    wheels = JointState(name=['v', 'w'], velocity=[9.0, -30.0])
    for topic, message in (
        ('imu/data', imu), ('imu/mag', MagneticField()),
        ('sun_sensor/s/direction', Vector3Stamped(vector=up)),
        ('sun_sensor/c/illuminance', Illuminance(illuminance=700.0)), ('joint_states', wheels),
    ):  # fmt: skip
        assert isinstance(message, found[topic].kind)
        found[topic].take(known, 10**9, message)
    told = known.values(10**9)
    expected = {
        'rate': 0.25, 'attitude_known': 1.0, 'attitude_sigma': 0.3, 'sun_seen': 1.0,
        'illuminance': 700.0, 'wheel_momentum': 3e-4, 'wheel_speed': 30.0,
    }  # fmt: skip
    assert {name: told[name] for name in expected} == pytest.approx(expected)
    imu.orientation_covariance[0] = imu.angular_velocity_covariance[0] = -1.0  # not measured
    found['imu/data'].take(known, 2 * 10**9, imu)
    told = known.values(2 * 10**9)
    assert told['attitude_known'] == 0.0 and math.isnan(told['rate'])


def test_an_order_is_what_its_message_says():
    for order in (Order('a', 'idle', '', True), Order('b', 'pointing', 'nadir', False)):
        message = mission_messages.command(Decision(5, order, 3, '', 'start'))
        assert mission_messages.order_of(message) == order
        assert conversions.nanoseconds_from_ros(message.header.stamp) == 5
    law = KeyValue(key='law', value='sleep')
    unload = [KeyValue(key='law', value='idle'), KeyValue(key='unload', value='maybe')]
    for wrong, told in (
        ([], 'has 0 status'), ([DiagnosticStatus()], "law is ''"),
        ([DiagnosticStatus(values=[law])], "law is 'sleep'; choose one of pointing"),
        ([DiagnosticStatus(values=unload)], "unload is 'maybe'; give true or false"),
        ([DiagnosticStatus()] * 2, 'has 2 status'),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=told):
            mission_messages.order_of(DiagnosticArray(status=wrong))


@pytest.mark.parametrize(
    ('node', 'given', 'told'),
    [
        ('attitude_controller', {'mission': False}, 'attitude_controller: mission is false'),
        ('attitude_guidance', {'mission': False}, 'attitude_guidance: mission is false'),
        ('attitude_guidance', None, "mode.acquisition.profile is 'panels', but there is no"),
        ('attitude_estimator', None, 'a condition has attitude_sigma, which needs an attitude'),
        ('mission_modes', {'wheels': ['q'], 'wheel.q.axis': [0.0, 0.0, 1.0],
                           'wheel.q.inertia': 1.0}, "wheels has 'q', but the simulator has"),
        ('mission_modes', {'sun_sensors': ['q']}, "sun_sensors has 'q', but the simulator has"),
        ('mission_modes', {'mode.safe.profile': 'up'}, 'profiles are fixed, nadir, sun, panels'),
        ('attitude_controller', {'dipole_limit': [0.0, 0.0, 0.0]},
         'mode.detumble.law: attitude_controller: mode detumbling commands dipoles'),
    ],
)  # fmt: skip
def test_a_scenario_whose_parts_do_not_fit_is_refused(node, given, told):
    sections = scenario.read(scenario.find(SCENARIO))
    if given is None:
        del sections[node]
    else:
        sections[node] = {**sections[node], **given}
        for old in ('wheel.x', 'wheel.y', 'wheel.z') if 'wheels' in given else ():
            for name in [n for n in sections[node] if n.startswith(f'{old}.')]:
                del sections[node][name]
    with pytest.raises(scenario.ScenarioError, match=told):
        scenario.of_sections(sections, 'test')


def test_controller_and_mission_belong_together(base):
    with pytest.raises(ValueError, match='has no mission_modes'):
        Flight(dataclasses.replace(base, mission=None))
    with pytest.raises(NotCompiledError, match='mission_modes'):
        driven_by(dataclasses.replace(base, mission=None))


def test_a_recorded_scenario_keeps_its_mission(base):
    again = scenario.parse(scenario.dump(base), 'again')
    assert again.mission == base.mission
    assert configuration.machine(again.mission).table.modes.keys() == set(base.mission['modes'])


def test_the_page_has_the_shipped_table():
    page = (ROOT / 'docs' / 'modes.md').read_text()
    for line in (ROOT / 'config' / 'scenarios' / f'{SCENARIO}.yaml').read_text().splitlines():
        if '->' in line and not line.startswith('#'):
            assert line.strip() in page


def test_an_order_that_cannot_be_obeyed_leaves_the_one_before():
    """And it is refused as often as it comes; a good one is checked once."""
    checked = []

    def check(order):
        checked.append(order.mode)
        if order.mode == 'wrong':
            raise ValueError('no such profile')

    def said(time_ns, mode, **changes):
        order = Order(mode, 'pointing', 'nadir', False)._replace(**changes)
        return mission_messages.command(Decision(time_ns, order, time_ns, '', ''))

    orders = Orders(check)
    assert orders.order is None and not orders.are_of(0)
    orders.take(said(5, 'good'))
    orders.take(said(7, 'good'))
    assert orders.order == Order('good', 'pointing', 'nadir', False)
    assert orders.are_of(7) and not orders.are_of(5)
    for time_ns in (9, 11):
        with pytest.raises(ValueError, match='no such profile'):
            orders.take(said(time_ns, 'wrong'))
        assert orders.order.mode == 'good' and orders.are_of(time_ns)
    orders.take(said(13, 'good', profile='sun'))
    assert orders.order.profile == 'sun'
    assert checked == ['good', 'wrong', 'wrong', 'good']


@pytest.mark.parametrize('estimated', [True, False])
def test_of_the_aids_only_the_mission_reads_the_estimate(monkeypatch, estimated):
    names = ['attitude_guidance', 'mission_modes', *(['attitude_estimator'] * estimated)]
    sections, kept = {name: {'values of': name} for name in names}, []
    assert aids.KINDS.keys() == {'attitude_estimator', 'attitude_guidance', 'mission_modes'}
    for name in aids.KINDS:
        kind = functools.partial(lambda name, values, **given: SimpleNamespace(
            name=name, values=values, **given), name)  # fmt: skip
        monkeypatch.setitem(aids.KINDS, name, kind)
    for clock in (True, False):
        simulator = SimpleNamespace(driver=SimpleNamespace(publishes_clock=clock))
        made = aids.aids_of(sections, simulator, {'namespace': 'sat'}, kept.append)
        assert {name: node.name for name, node in made.items()} == {name: name for name in names}
        assert kept == [*made.values()]
        kept.clear()
        for name, node in made.items():
            assert (node.values, node.namespace) == ({'values of': name}, 'sat')
            (time,) = node.parameter_overrides
            assert (time.name, time.value) == ('use_sim_time', clock)
            remapped = ['--ros-args', '-r', f'{topics.IMU}:={topics.ESTIMATE}']
            expected = remapped if estimated and name == 'mission_modes' else None
            assert getattr(node, 'cli_args', None) == expected
