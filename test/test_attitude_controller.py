# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude_controller node: what it answers and refuses, and what may change meanwhile."""

import functools
from types import SimpleNamespace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped, QuaternionStamped, Vector3Stamped, WrenchStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import DescribeParameters, SetParameters
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState, MagneticField

from spacecraft_attitude_sim.configuration import attitude_controller as configuration
from spacecraft_attitude_sim.core.control import attitude_loop, control_law
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mission.mode_machine import Decision
from spacecraft_attitude_sim.core.mission.table import Order
from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.attitude_controller import control_diagnostics
from spacecraft_attitude_sim.nodes.attitude_controller import node as node_of
from spacecraft_attitude_sim.nodes.attitude_controller.node import AttitudeControllerNode
from spacecraft_attitude_sim.nodes.mission_modes import mission_messages
from spacecraft_attitude_sim.nodes.mission_modes.orders import Orders
from spacecraft_attitude_sim.nodes.ros import conversions

INERTIA = [0.03, 0.02, 0.01]
NO_TURN = (0.0, 0.0, 0.0)
OK, WARN = DiagnosticStatus.OK, DiagnosticStatus.WARN


class Bench:
    """A controller node with a test at its topics."""

    def __init__(self, ros, **parameters):
        self.ros = ros
        usual = {'inertia': INERTIA, 'torque_limit': [1.0, 1.0, 1.0], 'imu_timeout': 3600.0}
        given = usual | parameters
        overrides = [Parameter(name.replace('__', '.'), value=v) for name, v in given.items()]
        self.node = ros.add(AttitudeControllerNode(parameter_overrides=overrides))
        self.commands = ros.listen(WrenchStamped, 'command/wrench')
        self.tracked = ros.listen(PoseStamped, 'control/reference')
        self.diagnostics = ros.listen(DiagnosticArray, '/diagnostics')
        self.publishers = {
            kind: ros.node.create_publisher(kind, topic, qos)
            for kind, topic, qos in (
                (Imu, 'imu/data', qos_profile_sensor_data),
                (Clock, '/clock', 10),
                (PoseStamped, 'reference/pose', 10),
                (QuaternionStamped, 'reference/attitude', 10),
                (Odometry, 'reference/odometry', 10),
            )
        }
        ros.connected('/command/wrench', '/control/reference')
        wanted = [p for kind, p in self.publishers.items() if kind is not Clock]
        ros.until(lambda: all(p.get_subscription_count() for p in wanted))

    def imu(self, tick, q_WS=rotations.IDENTITY, omega_S=NO_TURN, **changes):
        """Publish a reading; changes: covariance=its first element."""
        message = Imu(header=conversions.header_to_ros(tick * TICK_NS, 'imu_link'))
        message.orientation = conversions.quaternion_to_ros(q_WS)
        message.angular_velocity = conversions.vector3_to_ros(omega_S)
        for name, value in changes.items():
            getattr(message, name)[0] = value
        self.publishers[Imu].publish(message)

    def answer(self, tick, *reading, stamped=None, **changes):
        """Return the torque (3,) answered to a reading, its stamp and frame checked.

        stamped: tick of the answer, where it is not that of the reading
        """
        count = len(self.commands)
        self.imu(tick, *reading, **changes)
        self.ros.until(lambda: len(self.commands) > count)
        command = self.commands[-1]
        stamped = tick if stamped is None else stamped
        assert command.header == conversions.header_to_ros(stamped * TICK_NS, 'base_link')
        force, torque = conversions.wrench_from_ros(command.wrench)
        assert not any(force)
        return np.array(torque)

    def says(self, level, message, **counts):
        """Wait for diagnostics that say so; counts: key=value."""

        def said():
            (status,) = self.diagnostics[-1].status if self.diagnostics else (None,)
            if status is None or (status.level, status.message) != (level, message):
                return False
            values = {pair.key.rsplit(' (')[0]: pair.value for pair in status.values}
            return all(
                values[name.replace('_', ' ')] == str(count) for name, count in counts.items()
            )

        self.ros.until(said)

    def set(self, name, value):
        """Return the result of setting a parameter."""
        request = SetParameters.Request(
            parameters=[Parameter(name, value=value).to_parameter_msg()]
        )
        name = '/attitude_controller/set_parameters'
        (result,) = self.ros.call(SetParameters, name, request).results
        return result


def turned_by(axis, angle):
    return rotations.quaternion_from_axis_angle(np.array(axis, dtype=float), angle)


def gyros(names='abcd'):
    """Return the parameters of a pyramid of gyros of 10 N m s."""
    given = {'gimbals': list(names)}
    for k, name in enumerate(names):
        c, s = np.cos(0.5 * np.pi * k), np.sin(0.5 * np.pi * k)
        axis = [0.8165 * c, 0.8165 * s, 0.57733]
        given[f'gimbal.{name}.axis'] = [float(x) for x in axis / np.linalg.norm(axis)]
        given[f'gimbal.{name}.spin_axis'] = [float(-s), float(c), 0.0]
        given[f'gimbal.{name}.rotor_inertia'] = 0.05
        given[f'gimbal.{name}.rotor_speed'] = 200.0
    return given


def test_status_counts_fields_answered_refused_and_dipoles_saturated(ros):
    given = {'mode': 'detumbling', 'inertia': INERTIA, 'b_dot_gain': 1e3}
    given |= {'dipole_limit': [0.5] * 3}
    overrides = [Parameter(name, value=value) for name, value in given.items()]
    ros.add(AttitudeControllerNode(parameter_overrides=overrides))
    commands = ros.listen(Vector3Stamped, 'command/dipole')
    diagnostics = ros.listen(DiagnosticArray, '/diagnostics')
    fields = ros.node.create_publisher(MagneticField, 'imu/mag', 10)
    ros.connected('/command/dipole')
    ros.until(fields.get_subscription_count)
    # -k ΔB/Δt is 0.16 A m^2, then 3.2, then none by a field that no field is.
    for tick, field in enumerate((0.0, 5e-6, 1e-4, 20.0, 0.0, 0.0)):
        message = MagneticField(header=conversions.header_to_ros(tick * TICK_NS, 'imu_link'))
        message.magnetic_field.x = field
        fields.publish(message)
    ros.until(lambda: len(commands) == 6)
    assert [said.vector.x for said in commands] == pytest.approx([0.0, -0.16, -0.5, 0.0, 0.0, 0.0])
    heard = len(diagnostics)
    ros.until(lambda: len(diagnostics) > heard)
    (status,) = diagnostics[-1].status
    values = {pair.key: pair.value for pair in status.values}
    counts = [values[f'fields {how}'] for how in ('answered', 'refused')]
    assert (*counts, values['dipoles saturated']) == ('5', '1', '1')


def test_a_rate_beyond_what_b_dot_damps_is_said_once(ros):
    """Read in each tick, 1/32 s, it damps up to 50 rad/s."""
    given = {'mode': 'detumbling', 'inertia': INERTIA, 'b_dot_gain': 1e3}
    given |= {'dipole_limit': [0.5] * 3}
    overrides = [Parameter(name, value=value) for name, value in given.items()]
    node, said = ros.add(AttitudeControllerNode(parameter_overrides=overrides)), []
    node.get_logger = lambda: SimpleNamespace(warning=said.append)
    for tick, rate in enumerate((49.0, 49.0, 51.0, 51.0)):
        imu = Imu(header=conversions.header_to_ros(tick * TICK_NS, 'imu_link'))
        imu.angular_velocity.z = rate
        node._on_imu(imu)
        node._on_field(MagneticField(header=imu.header))
        assert len(said) == (tick > 1)


def test_gimbals_are_steered_by_angles_of_the_readings_own_time(ros):
    usual = gyros() | {'torque_limit': [1.0] * 3, 'inertia': INERTIA, 'imu_timeout': 60.0}
    overrides = [Parameter(name, value=value) for name, value in usual.items()]
    node = ros.add(AttitudeControllerNode(parameter_overrides=overrides))
    commands = ros.listen(JointState, 'command/gimbals')
    diagnostics = ros.listen(DiagnosticArray, '/diagnostics')
    imu, joints = (
        ros.node.create_publisher(kind, topic, 10)
        for kind, topic in ((Imu, 'imu/data'), (JointState, 'joint_states'))
    )
    ros.connected('/command/gimbals')
    ros.until(lambda: imu.get_subscription_count() and joints.get_subscription_count())

    def speak(tick, angles=None, names='badc'):
        header = conversions.header_to_ros(tick * TICK_NS, 'imu_link')
        if angles is None:
            message = Imu(header=header)
            message.orientation = conversions.quaternion_to_ros(turned_by((1, 2, 3), 0.1))
            imu.publish(message)
        else:
            joints.publish(JointState(header=header, name=list(names), position=angles))

    def says(text):
        ros.until(lambda: diagnostics and text in diagnostics[-1].status[0].message)

    speak(0)
    says('IMU data wait for joint_states with the positions of a, b, c, d')
    speak(0, [0.1, 0.2], 'ab')  # not all of them
    speak(0, [0.1, 0.2, float('nan'), 0.3])
    speak(0, [0.2, 0.1, 0.4, 0.3])
    ros.until(lambda: commands)
    angles = [0.1, 0.2, 0.3, 0.4]
    torque, rate = np.array((1.0, 2.0, 3.0)), np.array(commands[0].velocity)
    outputs = []
    for turn, angle in zip(range(4), angles, strict=True):
        c, s = np.cos(0.5 * np.pi * turn), np.sin(0.5 * np.pi * turn)
        axis = np.array((0.8165 * c, 0.8165 * s, 0.57733))
        spin, axis = np.array((-s, c, 0.0)), axis / np.linalg.norm(axis)
        outputs.append(10.0 * (np.cos(angle) * np.cross(axis, spin) - np.sin(angle) * spin))
    given = -np.array(outputs).T @ rate
    assert list(commands[0].name) == list('abcd') and not commands[0].effort
    # The law turns back about I times the axis of the error; damping leaves 1 % of it out.
    torque = -torque * INERTIA
    assert given / np.linalg.norm(given) == pytest.approx(
        torque / np.linalg.norm(torque), abs=0.02
    )
    # The other way round: angles first, the reading then; a reading of another time waits.
    speak(1, [np.pi / 2.0] * 4)
    speak(2)
    speak(1)
    ros.until(lambda: len(commands) == 2)
    assert conversions.nanoseconds_from_ros(commands[1].header.stamp) == TICK_NS
    says('gimbals are near a singularity: some torques are not possible')
    assert node.sent['/command/gimbals'] == 2


def test_answer_is_the_law_of_core_stamped_with_its_reading(ros):
    bench = Bench(ros, bandwidth=0.3, damping_ratio=0.7)
    q, rate = turned_by((1, 2, 3), 0.4), np.array((0.01, 0.02, -0.03))
    gains = control_law.gains_from_bandwidth(np.diag(INERTIA), 0.3, 0.7, [1.0, 1.0, 1.0])
    expected, _, _ = control_law.torque(
        gains.flat(), control_law.AT_REST.flat(), q, rate, control_law.UNDECIDED
    )
    assert np.array_equal(bench.answer(7, q, rate), expected)
    ros.until(lambda: bench.tracked)
    assert bench.tracked[0].header == conversions.header_to_ros(7 * TICK_NS, 'world')
    bench.says(OK, 'pointing', readings_answered=1)


def test_bad_readings_get_no_torque_or_no_answer_and_are_counted(ros):
    bench = Bench(ros)
    q = turned_by((0, 0, 1), 0.5)
    first = bench.answer(10, q)
    assert first[2] < 0.0
    assert np.array_equal(bench.answer(10, q), first)  # again: the same answer
    bench.imu(9, q)  # out of order: none
    assert not bench.answer(11, q, (np.nan, 0.0, 0.0)).any()
    bench.says(WARN, 'IMU angular velocity is [nan, 0.0, 0.0] rad/s')
    assert not bench.answer(12, (0.0, 0.0, 0.0, 0.0)).any()
    assert not bench.answer(13, q, angular_velocity_covariance=-1.0).any()
    damped = bench.answer(14, q, (0.0, 0.1, 0.0), orientation_covariance=-1.0)
    assert damped[1] < 0.0 == damped[2]
    bench.says(WARN, 'IMU data without orientation: only damps the rate')
    assert bench.answer(15, q)[2] == first[2]
    bench.says(OK, 'pointing', readings_ignored=2, readings_refused=3)


def test_silence_leads_to_zero_torque_once_and_data_to_torque_again(ros):
    bench = Bench(ros, imu_timeout=0.3)
    q = turned_by((0, 0, 1), 0.5)
    assert bench.answer(10, q).any()
    ros.until(lambda: len(bench.commands) == 2)
    safe = bench.commands[-1]
    assert not np.any(conversions.wrench_from_ros(safe.wrench))
    # Not of an earlier tick: a simulator takes it as of now, and in lockstep refuses it.
    assert conversions.nanoseconds_from_ros(safe.header.stamp) == 0
    bench.says(WARN, 'no IMU data for 0.3 s')
    assert len(bench.commands) == 2
    assert not bench.answer(10, q).any()  # the last reading again is no news
    assert bench.answer(1, q).any()  # a sensor that began again is


def test_age_and_silence_are_of_simulated_time_so_that_a_pause_is_neither(ros):
    bench = Bench(ros, use_sim_time=True, imu_timeout=0.25)
    ros.until(lambda: bench.publishers[Clock].get_subscription_count())

    def clock(tick):
        now = conversions.time_from_nanoseconds(tick * TICK_NS)
        bench.publishers[Clock].publish(Clock(clock=now))
        ros.until(lambda: bench.node.get_clock().now().to_msg() == now)

    q = turned_by((0, 0, 1), 0.5)
    clock(100)
    assert bench.answer(100, q).any()
    heard = len(bench.diagnostics)  # two seconds of wall time: paused, not silent
    ros.until(lambda: len(bench.diagnostics) > heard + 2)
    assert len(bench.commands) == 1
    clock(120)  # nothing for 0.6 s
    ros.until(lambda: len(bench.commands) == 2)
    assert bench.commands[-1].header == conversions.header_to_ros(0, 'base_link')
    assert bench.commands[-1].wrench.torque.z == 0.0
    # 0.31 s on its way: no torque, stamped 0, which means now and in lockstep answers no tick.
    assert not bench.answer(110, q, stamped=0).any()
    bench.says(WARN, 'IMU data 0.312 s old')
    assert bench.answer(119, q).any()


def test_reference_comes_by_topic_or_parameter_and_the_latest_counts(ros):
    bench = Bench(ros)
    targets = [turned_by((1, 0, 0), 0.1 * k) for k in range(1, 5)]
    pose = PoseStamped(header=conversions.header_to_ros(0, 'world'))
    pose.pose.orientation = conversions.quaternion_to_ros(targets[0])
    attitude = QuaternionStamped(quaternion=conversions.quaternion_to_ros(targets[1]))
    odometry = Odometry(header=conversions.header_to_ros(32 * TICK_NS, 'world'))
    odometry.pose.pose.orientation = conversions.quaternion_to_ros(targets[2])
    odometry.twist.twist.angular.x = 0.1
    tick = 100

    def tracked():
        nonlocal tick
        tick += 1
        count = len(bench.tracked)
        bench.imu(tick)
        ros.until(lambda: len(bench.tracked) > count)
        return conversions.quaternion_from_ros(bench.tracked[-1].pose.orientation)

    for target, message in ((targets[0], pose), (targets[1], attitude)):
        bench.publishers[type(message)].publish(message)
        ros.until(lambda target=target: np.allclose(tracked(), target))
    # A moving one goes on from its stamp at its own rate: 1 rad in 10 s.
    bench.publishers[Odometry].publish(odometry)
    elapsed = lambda: 0.1 * (tick * TICK_NS / 1e9 - 1.0)  # noqa: E731
    ros.until(
        lambda: rotations.angle_between(tracked(), turned_by((1, 0, 0), 0.3 + elapsed())) < 1e-9
    )
    assert bench.set('reference.attitude', targets[3].tolist()).successful
    assert np.allclose(tracked(), targets[3])
    for wrong, words in (
        (PoseStamped(header=conversions.header_to_ros(0, 'map'), pose=pose.pose), 'map'),
        (QuaternionStamped(quaternion=conversions.quaternion_to_ros((1, 1, 0, 0))), 'norm'),
    ):
        before = bench.node.references_refused
        bench.publishers[type(wrong)].publish(wrong)
        ros.until(lambda before=before: bench.node.references_refused > before)
        assert np.allclose(tracked(), targets[3]), words


def test_parameters_change_while_it_runs_and_wrong_ones_change_nothing(ros):
    bench = Bench(ros)
    q, rate = turned_by((0, 0, 1), 0.1), (0.0, 0.0, 0.0)
    softer = bench.answer(1, q, rate)
    assert bench.set('bandwidth', 0.4).successful
    assert np.allclose(bench.answer(2, q, rate), 4.0 * softer)
    assert bench.set('torque_limit', [1.0, 1.0, 1e-6]).successful
    assert bench.answer(3, q, rate)[2] == pytest.approx(-1e-6)
    bench.says(OK, 'pointing', torques_saturated=1)
    for name, value, words in (
        ('mode', 'spinning', 'choose one of pointing, rate_damping, idle'),
        ('inertia', [1.0, 1.0, 3.0], 'more than the sum'),
        ('reference.attitude', [0.0, 0.0, 0.0, 0.0], 'unit quaternion'),
        ('imu.orientation', [1.0, 0.0, 0.0, 0.0], 'read-only'),
    ):
        refused = bench.set(name, value)
        assert not refused.successful
        assert words in refused.reason
    assert bench.answer(4, q, rate)[2] == pytest.approx(-1e-6)
    assert bench.set('mode', 'idle').successful
    assert not bench.answer(5, q, rate).any()


def test_the_torque_of_the_integral_is_in_the_diagnostics(ros):
    """An error of 0.1 rad about z for 8 ticks of 1/32 s gives K 0.1 (8/32 s) / T_i."""
    bench = Bench(ros, bandwidth=0.3, integral_limit=0.2)
    q, rate = turned_by((0, 0, 1), 0.1), (0.0, 0.0, 0.0)
    bench.answer(1, q, rate)
    bench.says(OK, 'pointing', readings_answered=1)
    assert 'integral torque [N m]' not in str(bench.diagnostics[-1])
    refused = bench.set('integral_time', 1.0)
    assert not refused.successful
    assert 'integral_time is 1 s, with which the loop is unstable' in refused.reason
    assert bench.set('integral_time', 10.0).successful
    for tick in range(2, 11):
        torque = bench.answer(tick, q, rate)
    taken_up = torque[2] * 0.25 / 10.25
    given = f'0, 0, {taken_up:.6g}'
    bench.ros.until(
        lambda: any(
            pair.key == 'integral torque [N m]' and pair.value.replace('-0,', '0,') == given
            for pair in bench.diagnostics[-1].status[0].values
        )
    )


@pytest.mark.parametrize(('max_rate', 'grows'), [(1e-8, False), (10.0, True)])
def test_the_integral_waits_while_a_gimbal_is_at_its_limit(ros, max_rate, grows):
    given = gyros() | {f'gimbal.{name}.max_rate': max_rate for name in 'abcd'}
    given |= {'torque_limit': [1.0] * 3, 'inertia': INERTIA, 'integral_time': 30.0}
    overrides = [Parameter(name, value=value) for name, value in given.items()]
    node = ros.add(AttitudeControllerNode(parameter_overrides=overrides))
    commands = ros.listen(JointState, 'command/gimbals')
    imu, joints = (
        ros.node.create_publisher(kind, topic, 10)
        for kind, topic in ((Imu, 'imu/data'), (JointState, 'joint_states'))
    )
    ros.connected('/command/gimbals')
    ros.until(lambda: imu.get_subscription_count() and joints.get_subscription_count())
    for tick in (1, 2):
        header = conversions.header_to_ros(tick * TICK_NS, 'imu_link')
        joints.publish(JointState(header=header, name=list('abcd'), position=[0.2] * 4))
        message = Imu(header=header)
        message.orientation = conversions.quaternion_to_ros(turned_by((1, 2, 3), 0.01))
        imu.publish(message)
        ros.until(lambda count=tick: len(commands) == count)
    taken_up = node.loop.integral.torque_B(node.loop.settings.gains)
    assert bool(taken_up.any()) == grows


def test_every_parameter_is_described(ros):
    Bench(ros)
    names = [parameter.name for parameter in configuration.PARAMETERS]
    request = DescribeParameters.Request(names=names)
    name = '/attitude_controller/describe_parameters'
    for parameter, described in zip(
        configuration.PARAMETERS, ros.call(DescribeParameters, name, request).descriptors,
        strict=True,
    ):  # fmt: skip
        assert described.description.startswith(parameter.description)
        assert described.read_only == parameter.read_only


def test_odometry_without_a_stamp_is_of_the_next_reading_and_turns_from_there(ros):
    bench = Bench(ros)
    odometry = Odometry(header=conversions.header_to_ros(0, 'world'))
    odometry.pose.pose.orientation = conversions.quaternion_to_ros(turned_by((1, 0, 0), 0.3))
    odometry.twist.twist.angular.x = 0.1
    before = bench.node.loop.reference_at(0).tolist()
    bench.publishers[Odometry].publish(odometry)
    ros.until(lambda: bench.node.loop.reference_at(0).tolist() != before)
    for tick, angle in ((320, 0.3), (352, 0.4)):
        count = len(bench.tracked)
        bench.answer(tick, turned_by((1, 0, 0), 0.3))
        ros.until(lambda count=count: len(bench.tracked) > count)
        tracked = conversions.quaternion_from_ros(bench.tracked[-1].pose.orientation)
        assert tracked == pytest.approx(turned_by((1, 0, 0), angle), abs=1e-14)


# --- without ROS ---------------------------------------------------------------------------------


@pytest.fixture
def unheard():
    """A node that is in no graph, with what its callbacks use."""
    node = object.__new__(AttitudeControllerNode)
    node.loop = SimpleNamespace(
        settings=SimpleNamespace(timeout_ns=100), untimely=lambda stamp, now: '', problem='why',
        silence=lambda: node.done.append('silent'), needs_guide=lambda stamp: False,
    )  # fmt: skip
    node.done, node._latest, node._waiting, node._field_waiting = [], None, None, None
    node._listening, node._heard_ns, node.rate, node._warned = False, None, 0.25, False
    node.orders, node.orders_refused, node.magnetic = None, 0, None
    node.may_speak = lambda subject: True
    node.values = {'frames.body': 'base_link', 'frames.world': 'world', 'imu_timeout': 1.0}
    node._joints = SimpleNamespace(
        needed=True, are_of=lambda stamp, within: stamp < 1000, values=(1.0, 2.0),
        at=lambda stamp: (1.0, 2.0),
        take=lambda message: node.done.append('joints'),
    )  # fmt: skip
    node.now = 500
    node._clock_ns = lambda: node.now
    node._answer = lambda message: node.done.append(message)
    node._publish = lambda publisher, message: node.done.append((publisher, message))
    node.warned = []
    node.get_logger = lambda: SimpleNamespace(warning=node.warned.append)
    return node


def stamped(kind, stamp):
    """Return a message with a stamp [ns]."""
    message = kind()
    message.header.stamp = conversions.time_from_nanoseconds(stamp)
    return message


def test_imu_data_wait_for_their_joint_states_and_not_for_ever(unheard):
    early, late = stamped(Imu, 10), stamped(Imu, 2000)
    unheard._on_imu(early)
    assert unheard.done == [early] and not unheard.waits_for_joints()
    unheard._on_imu(late)
    assert unheard.done == [early]
    assert unheard.waits_for_joints()  # none were answered yet
    unheard._on_imu(stamped(Imu, 1999))  # a newer one has overtaken it, which goes on to wait
    assert unheard._waiting is late
    for answered, waits in ((1901, False), (1900, True), (1000, True)):
        unheard._latest = SimpleNamespace(time_ns=answered)
        assert unheard.waits_for_joints() == waits
    unheard._joints.needed = False
    assert not unheard.waits_for_joints()
    unheard._joints.are_of = lambda stamp, within: within == 100
    unheard._on_joints(None)
    assert unheard.done == [early, 'joints', late] and unheard._waiting is None
    unheard._on_joints(None)
    assert unheard.done[3:] == ['joints']


def test_imu_data_wait_for_the_reference_of_guidance_too(unheard):
    wanted = {20}
    unheard.loop.needs_guide = lambda stamp: stamp in wanted
    unheard._on_imu(stamped(Imu, 20))
    assert not unheard.done and unheard.waits_for_guidance() and not unheard.waits_for_joints()
    unheard._try_again()
    assert not unheard.done
    unheard._latest = SimpleNamespace(time_ns=10)
    assert not unheard.waits_for_guidance()  # not long yet
    wanted.clear()
    unheard._try_again()
    assert len(unheard.done) == 1 and unheard._waiting is None


def ordered(stamp, law):
    """Return a command of a mission."""
    decision = Decision(stamp, Order('mode', law, '', False), stamp, '', '')
    return mission_messages.command(decision)


def test_imu_data_and_field_wait_for_the_order_of_the_mission(unheard):
    loop = configuration.loop(configuration.checked({}))
    unheard.loop, unheard._latest = loop, SimpleNamespace(time_ns=-(10**10))
    unheard.magnetic = SimpleNamespace(
        settings=None, unloads=True, needs_speeds=lambda stamp: False
    )
    unheard.magnetic.answer = lambda stamp, *_: unheard.done.append(stamp)
    unheard.values = configuration.checked({})
    unheard.orders = Orders(unheard._check_order)
    unheard._on_imu(stamped(Imu, 20))
    unheard._on_field(stamped(MagneticField, 20))
    assert not unheard.done and unheard.waits_for_mission() and not unheard.waits_for_guidance()
    unheard._on_order(ordered(10, 'rate_damping'))
    assert not unheard.done
    unheard._on_order(ordered(20, 'rate_damping'))
    assert [getattr(one, 'header', one) for one in unheard.done] == [
        stamped(Imu, 20).header, 20
    ]  # fmt: skip
    assert not unheard.waits_for_mission()
    assert loop.settings.mode_at(20) == unheard.magnetic.settings.mode_at(20) == 'rate_damping'
    assert unheard.magnetic.unloads is False
    # Detumbling needs a dipole_limit. The law before holds, and the data are answered.
    unheard._on_order(ordered(30, 'detumbling'))
    assert unheard.orders_refused == 1 and 'dipole_limit is 0' in unheard.warned[0]
    assert loop.settings.mode_at(30) == 'rate_damping'
    unheard._on_imu(stamped(Imu, 30))
    assert len(unheard.done) == 3
    unheard._on_order(DiagnosticArray())
    assert unheard.orders_refused == 2 and 'it has 0 status' in unheard.warned[1]
    assert loop.settings.mode_at(30) == 'rate_damping'


def test_a_parameter_changes_beside_a_mission(ros):
    given = {'mission': True, 'schedule.times': [1.0], 'schedule.modes': ['idle']}
    given |= {'mode': 'rate_damping'}
    node = ros.add(AttitudeControllerNode(given, namespace='/followed'))
    node._on_order(ordered(20, 'rate_damping'))
    assert node.loop.settings.mode_at(10**10) == 'rate_damping'
    node.set_parameters([Parameter('bandwidth', value=0.7), Parameter('mode', value='idle')])
    assert node.loop.settings.mode_at(10**10) == 'rate_damping'
    assert node.loop.settings.gains.rate_per_angle[0] == pytest.approx(0.7 / 1.6)
    assert control_diagnostics._of_mission(node) == {
        'mode of the mission': 'mode', 'orders refused': 0
    }  # fmt: skip


def test_a_field_is_answered_by_a_dipole_in_the_body(unheard):
    given = []

    def answer(stamp, field_S, speeds, rate):
        given.append((stamp, field_S.tolist(), speeds.tolist(), rate))
        return SimpleNamespace(dipole_B=np.array((0.1, 0.2, 0.3))) if stamp < 900 else None

    unheard.magnetic = magnetic = SimpleNamespace(
        refused=0, problem='', warning='', needs_speeds=lambda stamp: True, answer=answer
    )
    unheard._dipole = 'dipole'
    field = stamped(MagneticField, 800)
    field.magnetic_field.x, field.magnetic_field.z = 1e-5, 3e-5
    unheard._on_field(field)
    ((publisher, command),) = unheard.done
    assert (publisher, command.header.frame_id) == ('dipole', 'base_link')
    assert command.header.stamp == field.header.stamp
    assert conversions.vector3_from_ros(command.vector).tolist() == [0.1, 0.2, 0.3]
    assert given == [(800, [1e-5, 0.0, 3e-5], [1.0, 2.0], 0.25)] and not unheard.warned
    for _ in range(2):
        magnetic.warning = 'it turns fast'
        unheard._on_field(field)
    assert unheard.warned == ['it turns fast'] and len(unheard.done) == 3
    unheard._on_field(stamped(MagneticField, 950))  # asks for nothing
    assert len(given) == 4 and len(unheard.done) == 3
    late = stamped(MagneticField, 1200)  # whose joint states are not there
    unheard._on_field(late)
    assert len(given) == 4 and unheard._field_waiting is late
    magnetic.needs_speeds = lambda stamp: False
    unheard._on_joints(None)
    assert len(given) == 5 and unheard._field_waiting is None
    unheard.loop.untimely = lambda stamp, now: f'IMU data are {now - stamp} ns old'
    unheard._on_field(field)
    assert (magnetic.refused, magnetic.problem) == (1, 'imu/mag are -300 ns old')
    assert len(given) == 5


def test_silence_is_noticed_once_and_not_for_a_clock_that_jumps(unheard):
    sent = []
    unheard._send = sent.append
    unheard._look_for_silence()
    unheard._listening, unheard.now = True, None
    unheard._look_for_silence()  # before the first /clock
    assert unheard._heard_ns is None
    for now, heard, silent in (
        (500, 500, False), (599, 500, False), (300, 300, False), (399, 300, False),
        (400, 300, True), (900, 300, True),
    ):  # fmt: skip
        unheard.now = now
        unheard._look_for_silence()
        assert (unheard._heard_ns, bool(sent)) == (heard, silent)
    assert unheard.done == ['silent'] and unheard.warned == ['no torque: why']
    ((stamp, torque),) = [(one.time_ns, one.torque_B) for one in sent]
    assert stamp == 0 and not np.any(torque)  # now; in lockstep it answers no tick
    for timeout, look in ((0.4, 1e8), (1e-9, node_of.OFTENEST_LOOK), (1e9, node_of.RAREST_LOOK)):
        unheard.values['imu_timeout'] = timeout
        assert unheard._look_ns() == look


def test_a_shorter_timeout_is_looked_for_more_often(ros):
    node = Bench(ros).node
    before = node._silence.timer_period_ns
    (result,) = node.set_parameters([Parameter('imu_timeout', value=0.2)])
    assert result.successful
    assert node._silence.timer_period_ns == 50_000_000 < before


def test_a_reference_is_in_world_of_now_and_possible(unheard):
    def read(stamp=400, frame='world', q=(0.0, 0.0, 0.0, 1.0), rate=(0.1, -0.2, 9999.0)):
        header, q = conversions.header_to_ros(stamp, frame), conversions.quaternion_to_ros(q)
        return unheard._reference(header, q, np.array(rate))

    for frame in ('world', ''):
        found = read(frame=frame)
        assert found.q_WR.tolist() == [0.0, 0.0, 0.0, 1.0]
        assert found.omega_R.tolist() == [0.1, -0.2, 9999.0]
        assert not found.alpha_R.any()
    for given, words in (
        ({'frame': 'map'}, "frame_id is 'map'; give the reference in 'world'"),
        ({'q': (1.0, 1.0, 0.0, 0.0)}, 'orientation'),
        ({'rate': (0.0, -1e4, 0.0)}, r'angular velocity is \[0.0, -10000.0, 0.0\] rad/s'),
        ({'rate': (0.0, 0.0, np.nan)}, 'angular velocity is'),
    ):
        with pytest.raises(ValueError, match=words):
            read(**given)
    unheard.loop.untimely = functools.partial(attitude_loop.AttitudeLoop.untimely, unheard.loop)
    for stamp in (unheard.now + 101, -1):
        with pytest.raises(ValueError, match='^stamp.*(ahead of the clock|before time began)'):
            read(stamp=stamp)
    for stamp in (unheard.now + 100, 0):  # an old one stays in force
        read(stamp=stamp)


def test_joint_states_count_if_they_are_whole_finite_and_of_their_time():
    def joints(**needs):
        allocation = SimpleNamespace(names=('a', 'b'), **needs)
        return node_of.Joints(allocation)

    turned = joints(needs_speeds=False, needs_angles=True)
    spun = joints(needs_speeds=True, needs_angles=False)
    for one, own in ((turned, [1.0, 2.0]), (spun, [3.0, 4.0])):
        assert one.needed and one.values == [0.0, 0.0]
        assert not one.are_of(0, 10**12)
        message = stamped(JointState, 700)
        message.name = ['other', 'b', 'a']
        message.position, message.velocity = [9.0, 2.0, 1.0], [9.0, 4.0, 3.0]
        one.take(message)
        assert one.values == own
        fits = [one.are_of(time, 100) for time in (599, 600, 700, 701)]
        assert fits == [False, True, True, False]
        lacking, wrong = stamped(JointState, 900), stamped(JointState, 900)
        lacking.name, lacking.position, lacking.velocity = ['a'], [5.0], [5.0]
        wrong.name, wrong.position = ['a', 'b'], [5.0, np.nan]
        wrong.velocity = [np.inf, 5.0]
        for unusable in (lacking, wrong):
            one.take(unusable)
            assert one.values == own and one.are_of(700, 0)
    for none in (node_of.Joints(None), joints(needs_speeds=False, needs_angles=False)):
        assert (none.needed, none.values, none.are_of(5, 0)) == (False, [], True)
