# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Whole runs under the attitude_controller: in one process, between processes, through a kill."""

import re

import bits
import numpy as np
import pytest
from bags import contents
from geometry_msgs.msg import PoseStamped, Vector3Stamped, WrenchStamped
from nav_msgs.msg import Odometry
from PIL import Image
from processes import printed, run
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message
from remote import Remote
from ros_helpers import PATIENCE, process
from sensor_msgs.msg import Imu, JointState

from spacecraft_attitude_sim.configuration import attitude_controller as configuration
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.control import closed_loop, control_law
from spacecraft_attitude_sim.core.control.response import attitude_error
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.drawing import merit_report, response_report
from spacecraft_attitude_sim.nodes.attitude_controller.node import AttitudeControllerNode
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.recording import history, merit_table


def figure_of(summary, label):
    return float(re.search(rf'{label} +([-\d.e]+)', summary)[1])


def test_pointing_run_repeats_bit_for_bit_and_is_the_loop_without_nodes(command, domain, tmp_path):
    bags = [tmp_path / 'one', tmp_path / 'two']
    given = ('cubesat_pointing', '--rate', 0, '--duration', 6, '--no-markers', '--record')
    summary = printed(command, 'run', *given, bags[0])
    done = run(command, 'run', *given, bags[1], cwd=tmp_path)  # in a process of its own
    assert done.returncode == 0, done.stderr
    one, two = map(contents, bags)
    assert one == two
    # Every tick is answered, the last one too, and what was pointed at is recorded.
    assert len(one['/command/wrench']) == len(one['/control/reference']) == 6 * 32 + 1
    states, torques = headless('cubesat_pointing', 6.0)
    table, _ = history.read(bags[0])
    again = response_report.of_history(table)
    # The node's rate comes from a linear solve and not from principal axes: round-off, fed back.
    angles = 2.0 * np.arctan2(np.linalg.norm(states[:, 4:7], axis=1), np.abs(states[:, 3]))
    assert np.allclose(np.linalg.norm(again.errors, axis=1), angles, rtol=0, atol=1e-9)
    # What acted is a mean in the axes of the tick's end, up to 0.2 rad/s h off the commanded one.
    assert np.allclose(again.torques_B[1:], torques, rtol=0, atol=2e-3 * 0.2 / 32)
    assert 'settling time    not yet' in summary
    merit = again.merit()
    assert figure_of(summary, 'torque impulse') == pytest.approx(merit.torque_impulse, rel=1e-3)


@pytest.mark.parametrize(
    ('name', 'topics'),
    [
        ('station_cmg', ['gimbals']), ('thruster_limit_cycle', ['thrusters']),
        ('fast_tumbler', ['dipole']), ('cubesat_3u_leo', ['wheels', 'dipole']),
    ],
)  # fmt: skip
def test_a_run_that_drives_actuators_is_the_loop_without_nodes(
    command, domain, tmp_path, name, topics
):
    bag, seconds = tmp_path / 'bag', 25.0 if name == 'thruster_limit_cycle' else 50.0
    sections = scenario.read(scenario.find(name))
    arguments = []
    if name == 'cubesat_3u_leo':  # all modes, soon, and each torque three ticks late
        sections['attitude_controller']['schedule.times'] = [10.0, 30.0]
        sections['attitude_controller']['controller_delay'] = 1.2
        arguments = ['-p', 'attitude_controller:schedule.times:=[10.0, 30.0]']
        arguments += ['-p', 'attitude_controller:controller_delay:=1.2']
    said = printed(
        command, 'run', name, '--rate', 0, '--duration', seconds, '--record', bag, '--no-markers',
        *arguments,
    )  # fmt: skip
    found = scenario.of_sections(sections, name)
    ticks = round(seconds * found.plant.ticks.rate)
    instants, commands = bits.driven(found, ticks)
    # Of three rods along the axes the dipoles are the vector's components.
    kept = contents(bag)
    sent = []
    for topic in topics:
        answered = kept[f'/command/{topic}']
        rows = [values_of(topic, data) for _, data in answered]
        interval = 8 if name == 'fast_tumbler' else 1  # of the magnetometer [ticks]
        assert len(rows) == ticks // interval + 1
        sent.append(np.repeat(rows, interval, axis=0)[:ticks])
    assert np.hstack(sent).tobytes() == np.array(commands).tobytes()
    last = deserialize_message(kept['/pose'][-1][1], PoseStamped)
    q_WB = conversions.quaternion_from_ros(last.pose.orientation)
    assert q_WB.tolist() == list(instants[-1].state.q_WB)
    assert 'identical: ' in printed(command, 'replay', bag, '--resimulate')
    if name == 'thruster_limit_cycle':  # its merits, tick by tick and of the bag
        merits = merit_report.text(merit_table.of_history(history.read(bag)[0]), brief=True)
        assert 'jet pulses' in merits and 'RPE' in merits
        assert set(merits.splitlines()) <= set(said.splitlines())


def values_of(topic, data):
    """Return the numbers of a command to actuators."""
    if topic == 'dipole':
        return conversions.vector3_from_ros(deserialize_message(data, Vector3Stamped).vector)
    message = deserialize_message(data, JointState)
    return list(message.velocity) or list(message.effort)


def headless(name, seconds):
    """Return states and torques of a shipped scenario under its controller, without nodes."""
    found = scenario.load(scenario.find(name))
    gains = configuration.settings(found.controller).gains.flat()
    return closed_loop.closed_loop(
        to_flat(found.initial), found.plant.body.flat(), gains, control_law.AT_REST.flat(),
        round(32 * seconds),
    )  # fmt: skip


def test_shipped_turn_keeps_its_axis_and_stores_what_small_wheels_can():
    states, torques = headless('cubesat_pointing', 60.0)
    axis = np.array((3.0, -2.0, 4.0)) / 29.0**0.5
    first, *_, last = (attitude_error(rotations.IDENTITY, q) for q in states[:, 3:7])
    assert np.allclose(first, np.radians(120.0) * axis, rtol=0, atol=1e-6)
    assert np.linalg.norm(last) < np.radians(0.001)
    assert np.max(np.abs(torques)) == pytest.approx(2e-3)
    # From rest the wheels hold the opposite of the body's momentum.
    momenta_B = [rotations.rotate(rotations.conjugate(x[3:7]), x[10:13]) for x in states]
    assert np.max(np.abs(momenta_B)) < 6e-3


def test_detumble_run_brings_the_body_to_rest_and_draws_what_it_did(command, domain, tmp_path):
    bag, output = tmp_path / 'bag', tmp_path / 'detumble.png'
    summary = printed(
        command,
        'run',
        'cubesat_detumble',
        '--rate',
        0,
        '--duration',
        24,
        '--record',
        bag,
        '--no-markers',
    )
    assert 'error of         angular velocity' in summary
    # From 8 degrees/s under 2 mN m: L / torque is 2.4 s, then exp(-0.24 t): 16 s to 2 %.
    assert 14.0 < figure_of(summary, 'settling time') < 22.0
    assert figure_of(summary, 'steady error') < 8.0 * np.exp(-0.24 * 20.0)
    drawn = printed(command, 'plot', bag, '-o', output).splitlines()
    assert drawn[:2] == [str(output), str(tmp_path / 'detumble_control.png')]
    assert drawn[2:] == [line for line in summary.splitlines() if line in drawn[2:]]
    assert len(drawn) == 8
    pixels = np.asarray(Image.open(drawn[1]).convert('L'))
    assert 0.005 < np.mean(pixels < 128) < 0.5


def test_controller_of_a_run_takes_parameters_or_stays_out(command, domain):
    arguments = ['run', 'cubesat_pointing', '--rate', 0, '--duration', 1, '--no-markers']
    assert figure_of(printed(command, *arguments), 'largest torque') > 2e-3
    # Without a node's name a parameter is given to all: of those who do not know it, nobody minds.
    given = ('-p', 'attitude_controller:mode:=idle', '--ros-args', '-p', 'command_timeout:=1.0')
    summary = printed(command, *arguments, *given)
    assert 'error of         angular velocity' in summary
    assert figure_of(summary, 'largest torque') == 0.0
    summary = printed(command, *arguments, '--no-controller', '-p', 'lockstep:=false')
    assert 'flips' in summary


class Relay:
    """Stands between simulator and controller: passes, drops, delays or doubles the IMU's data."""

    def __init__(self, ros):
        self.treatment = 'pass'
        self._held = []
        self._publisher = ros.node.create_publisher(Imu, 'imu/relayed', 10)
        ros.node.create_subscription(Imu, 'imu/data', self._take, 10)

    def _take(self, message):
        if self.treatment == 'delay':
            self._held.append(message)
            if len(self._held) > 16:  # half a second
                self._publisher.publish(self._held.pop(0))
        elif self.treatment != 'drop':
            self._held.clear()
            for _ in range(2 if self.treatment == 'double' else 1):
                self._publisher.publish(message)


@pytest.mark.parametrize('treatment', ['drop', 'delay', 'double'])
def test_bad_link_to_the_imu_leaves_no_wrong_torque_and_the_loop_recovers(ros, treatment):
    """A tumbling CubeSat, its IMU read through a link that fails for a while, in one process."""
    found = scenario.load(scenario.find('cubesat_detumble'))
    wanted = ('body.inertia', 'initial.angular_velocity', 'command_torque_limit')
    ros.simulator({name: found.parameters[name] for name in wanted})
    given = found.controller | {'use_sim_time': True}
    controller = ros.add(
        AttitudeControllerNode(
            parameter_overrides=[Parameter(name, value=value) for name, value in given.items()],
            cli_args=['--ros-args', '-r', 'imu/data:=imu/relayed'],
        )
    )
    relay = Relay(ros)
    applied = ros.listen(WrenchStamped, 'ground_truth/applied_wrench')
    odometry = ros.listen(Odometry, 'ground_truth/odometry')
    torque = lambda: np.any(conversions.wrench_from_ros(applied[-1].wrench)[1])  # noqa: E731
    ros.until(lambda: applied and torque())
    relay.treatment = treatment
    began = len(applied)
    if treatment == 'double':
        ros.until(lambda: controller.loop.ignored > 16)
        assert torque()
        assert controller.loop.refused == 0
    else:
        ros.until(lambda: not torque())
        # imu_timeout of 8 ticks, the ticks of both ways, and the host's hiccups.
        assert len(applied) - began < 8 + 16
        count = len(applied)
        ros.until(lambda: len(applied) > count + 32)
        assert not any(
            np.any(conversions.wrench_from_ros(message.wrench)) for message in applied[count:]
        )
        assert controller.loop.problem
    relay.treatment = 'pass'
    ros.until(lambda: torque() and not controller.loop.problem)
    before = np.linalg.norm(conversions.vector3_from_ros(odometry[-1].twist.twist.angular))
    ros.until(
        lambda: (
            np.linalg.norm(conversions.vector3_from_ros(odometry[-1].twist.twist.angular))
            < 0.95 * before
        )
    )


ARGUMENTS = ('-p', 'inertia:=[0.0415, 0.0412, 0.0069]', '-p', 'use_sim_time:=true')


@pytest.fixture
def tumbling(ros, command):
    """Give a Remote beside a tumbling CubeSat in another process, not in lockstep."""
    remote = Remote(ros)
    path = str(scenario.find('cubesat_detumble'))
    ros_arguments = ['--ros-args', '--params-file', path, '-p', 'lockstep:=false']
    ros_arguments += ['-p', 'duration:=0.0', '-p', 'command_timeout:=0.5']
    with process(command, 'node', 'simulator', *ros_arguments) as child:
        ros.until(lambda: len(remote.applied) > 3)
        yield remote
        assert child.poll() is None
        child.terminate()
        assert child.wait(timeout=PATIENCE) == 0


def test_controller_killed_and_restarted_leaves_no_torque_between_and_recovers(
    ros, command, tumbling
):
    remote = tumbling
    ros.node.destroy_publisher(remote.wrench_topic)
    controller = (command, 'node', 'attitude_controller', '--ros-args', *ARGUMENTS)
    rate = lambda: np.linalg.norm(remote.omega_B)  # noqa: E731
    first = rate()
    with process(*controller) as child:
        ros.until(lambda: remote.applied_B[3:].any() and rate() < 0.95 * first)
        child.kill()
        child.wait(timeout=PATIENCE)
    killed = remote.time
    ros.until(lambda: not remote.applied_B.any())
    # command_timeout of simulated time, and what was on its way when the process was killed.
    assert remote.time - killed < (16 + 8) * TICK_NS
    coasting = rate()
    with process(*controller) as child:
        ros.until(lambda: remote.applied_B[3:].any() and rate() < 0.9 * coasting)
        child.terminate()
        assert child.wait(timeout=PATIENCE) == 0
