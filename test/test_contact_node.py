# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The contact node through real topics, parameters, diagnostics and bags."""

from types import SimpleNamespace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped, PoseStamped, WrenchStamped
from nav_msgs.msg import Odometry
from processes import printed
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from ros_helpers import PATIENCE, process
from sensor_msgs.msg import Imu
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.nodes.ros import conversions, qos
from spacecraft_attitude_sim.nodes.simulator import contact

G = 9.81
BALL = {
    'gravity': [0.0, 0.0, -G],
    'body.mass': 2.0,
    'body.inertia': [8e-3, 8e-3, 8e-3],
    'initial.angular_velocity': [0.0, 0.0, 0.0],
    'real_time_factor': 0.0,
}


def on_floor(ros, overrides, floor, **options):
    """Return a SimulatorNode on a floor, and its ContactNode."""
    given = [Parameter(name, value=value) for name, value in floor.items()]
    node = contact.offered(parameter_overrides=given)
    simulator = ros.simulator(
        {**BALL, **overrides}, contact=lambda: node, autostart=False, **options
    )
    return simulator, ros.add(node)


def change(ros, **values):
    """Change parameters of the contact node at once; return the reason of a refusal, or ''."""
    wanted = [
        Parameter(name.replace('__', '.'), value=value).to_parameter_msg()
        for name, value in values.items()
    ]
    request = SetParameters.Request(parameters=wanted)
    results = ros.call(SetParameters, '/contact/set_parameters', request).results
    return ''.join(result.reason for result in results if not result.successful)


MOUNTINGS = (
    (1.0, 0.0, 0.0, 0.0),
    (0.5**0.5, 0.5**0.5, 0.0, 0.0),
    (0.5, -0.5, 0.5, 0.5),
    (0.8, 0.0, 0.6, 0.0),
)


@pytest.mark.parametrize('mounting', MOUNTINGS)
def test_imu_at_rest_on_the_floor_reads_g_up_in_its_own_axes(ros, mounting):
    readings = ros.listen(Imu, 'imu/data')
    attitude = (0.8, 0.0, 0.6, 0.0)
    simulator, _ = on_floor(
        ros,
        {'initial.attitude': list(attitude), 'imu.orientation': list(mounting), 'duration': 0.5},
        {'mode': 'coulomb', 'place': True},
    )
    ros.connected('/imu/data')
    simulator.driver.start()
    ros.until(lambda: len(readings) == 17)
    q_SW = rotations.conjugate(rotations.compose(np.array(attitude), np.array(mounting)))
    up_S = rotations.rotate(q_SW, (0.0, 0.0, G))
    for message in readings:
        felt_S = conversions.vector3_from_ros(message.linear_acceleration)
        assert np.allclose(felt_S, up_S, rtol=0, atol=1e-12)


def test_contact_topics_say_where_how_hard_and_in_which_mode(ros):
    points = ros.listen(PointStamped, 'contact/point')
    wrenches = ros.listen(WrenchStamped, 'contact/wrench')
    modes = ros.listen(String, 'contact/mode', qos.LATCHED)
    simulator, _ = on_floor(
        ros, {'initial.position': [0.3, 0.0, 0.5], 'duration': 1.0}, {'restitution': 0.0}
    )
    ros.connected('/contact/point', '/contact/wrench')
    simulator.driver.start()
    ros.until(lambda: len(points) == len(wrenches) == 33 and len(modes) == 2)
    assert [mode.data for mode in modes] == ['flight', 'resting']
    falls = int(np.sqrt(2 * 0.4 / G) * 32)
    for k, (point, wrench) in enumerate(zip(points, wrenches, strict=True)):
        stamp = conversions.nanoseconds_from_ros(point.header.stamp)
        assert stamp == conversions.nanoseconds_from_ros(wrench.header.stamp) == k * 31_250_000
        assert (point.header.frame_id, wrench.header.frame_id) == ('world', 'contact_point')
        at = conversions.vector3_from_ros(point.point)
        force, torque = conversions.wrench_from_ros(wrench.wrench)
        height = 0.4 - G / 2 * (k / 32) ** 2 if k <= falls else 0.0
        assert np.allclose(at, (0.3, 0.0, height), rtol=0, atol=1e-12)
        assert np.allclose(force, (0, 0, 2.0 * G if k > falls else 0), rtol=0, atol=1e-11)
        assert not any(torque)


def test_mode_and_floor_change_in_mid_run(ros):
    modes = ros.listen(String, 'contact/mode', qos.LATCHED)
    texts = ros.listen(String, 'scenario', qos.LATCHED)
    moving = {'initial.velocity': [1.0, 0.0, 0.0], 'start_paused': True}
    simulator, _ = on_floor(ros, moving, {'mode': 'sliding', 'place': True})
    simulator.driver.start()
    ros.call(Trigger, '/simulator/step')
    assert simulator.instant.state.momentum_W[0] == pytest.approx(2.0, rel=1e-14)
    assert change(ros, mode='rolling') == ''
    ros.call(Trigger, '/simulator/step')
    # Grip takes 2/7 of the speed of a ball without spin.
    assert simulator.instant.state.momentum_W[0] == pytest.approx(2.0 * 5 / 7, rel=1e-12)
    # One after the other, but both before the next tick: one new scenario.
    assert change(ros, floor__normal=[0.1, 0.0, 1.0], floor__point=[0.0, 0.0, -1.0]) == ''
    ros.call(Trigger, '/simulator/step')
    ros.until(lambda: [mode.data for mode in modes] == ['sliding', 'rolling', 'flight'])
    assert [text.data.splitlines()[0] for text in texts] == [f'# revision {n}' for n in range(3)]


@pytest.mark.parametrize(
    ('values', 'reason'),
    [
        ({'mode': 'glue'}, "mode is 'glue'; choose one of sliding, rolling, coulomb"),
        ({'friction': -1.0}, 'friction out of range'),
        ({'floor__point': [0.0, 0.0, 1.0]}, 'position puts the body 1 m into the floor'),
        ({'floor__normal': [0.0, 0.0, 0.0]}, 'floor.normal is zero'),
        ({'surface__radius': 3.0}, 'surface.radius'),
    ],
)
def test_a_change_that_cannot_be_is_refused_and_nothing_happens(ros, values, reason):
    simulator, node = on_floor(ros, {'start_paused': True}, {'place': True})
    simulator.driver.start()
    before = simulator.instant
    assert reason in change(ros, **values)
    assert simulator.instant is before
    assert node.get_parameter('mode').value == 'coulomb'
    assert ros.call(Trigger, '/simulator/step').success


def test_after_a_reset_a_run_on_a_heaving_floor_repeats_to_the_bit(ros):
    heard = ros.listen(Odometry, 'ground_truth/odometry')
    floor = {'floor.amplitude': 0.01, 'floor.angular_frequency': 7.0, 'restitution': 0.5}
    simulator, _ = on_floor(
        ros, {'initial.position': [0.0, 0.0, 0.4], 'start_paused': True, 'step_ticks': 40}, floor
    )
    ros.connected('/ground_truth/odometry')
    simulator.driver.start()
    for service in ('step', 'reset', 'step'):
        assert ros.call(Trigger, f'/simulator/{service}').success
    ros.until(lambda: len(heard) == 82)
    once, again = ([(m.pose, m.twist) for m in part] for part in (heard[:41], heard[41:]))
    assert once == again


def test_a_reset_into_a_floor_that_was_raised_is_refused_and_the_run_goes_on(ros):
    start = {'initial.position': [0.0, 0.0, 0.1], 'initial.velocity': [0.0, 0.0, 9.0]}
    simulator, _ = on_floor(
        ros, start | {'start_paused': True, 'step_ticks': 10}, {'mode': 'coulomb'}
    )
    simulator.driver.start()
    assert ros.call(Trigger, '/simulator/step').success
    assert change(ros, floor__point=[0.0, 0.0, 0.5]) == ''
    answer = ros.call(Trigger, '/simulator/reset')
    assert not answer.success and 'position puts the body 0.5 m into the floor' in answer.message
    assert ros.call(Trigger, '/simulator/step').success


def test_diagnostics_tell_gap_slip_force_and_error(ros):
    heard = ros.listen(DiagnosticArray, '/diagnostics')
    simulator, _ = on_floor(ros, {'start_paused': True}, {'place': True})
    simulator.driver.start()
    ros.until(lambda: any(m.status[0].name == '/contact: contact' for m in heard))
    (status, *_) = (m.status[0] for m in heard if m.status[0].name == '/contact: contact')
    values = {value.key: value.value for value in status.values}
    assert status.message == 'resting'
    assert float(values['normal force [N]']) == pytest.approx(2.0 * G, rel=1e-5)
    assert abs(float(values['gap [m]'])) < 1e-12
    assert float(values['slip speed [m/s]']) < 1e-12
    assert float(values['constraint error']) < 1e-12
    assert values['impacts'] == '0'


def test_without_parameters_there_is_no_contact_node(ros):
    assert contact.offered() is None


def test_the_contact_by_its_own_name_brings_its_simulator_and_says_why(ros, command):
    points = ros.listen(PointStamped, 'contact/point')
    path = scenario.shipped()['rattleback']
    arguments = ('--ros-args', '--params-file', str(path))
    with process(command, 'node', 'contact', *arguments) as child:
        ros.until(lambda: len(points) > 2, 180.0)  # it may have to compile first
        assert change(ros, friction=0.123) == ''
        child.terminate()
        assert child.wait(timeout=PATIENCE) == 0
        said = child.stdout.read().splitlines()
    assert [line for line in said if line.startswith('contact: ')] == [
        'contact: a simulator is started with it, in the same process, because a constraint must '
        'hold inside every stage of a step'
    ]


def test_a_run_with_commands_and_changes_is_computed_again_to_the_bit(ros, command, tmp_path):
    path = tmp_path / 'bag'
    impulse = ros.node.create_publisher(WrenchStamped, 'command/impulse', 100)
    poses = ros.listen(PoseStamped, 'pose')
    arguments = ('run', 'bouncing_ellipsoid', '--rate', '4', '--record', str(path))
    more = ('-p', 'start_paused:=true', '-p', 'contact:friction:=0.2')
    with process(command, *arguments, *more) as child:
        # It may have to compile first.
        ros.until(lambda: impulse.get_subscription_count() >= 2, 180.0)
        ros.call(SetBool, '/simulator/pause', SetBool.Request(data=False))
        ros.until(lambda: len(poses) > 40, 60.0)
        push = WrenchStamped(wrench=conversions.wrench_to_ros((0.0, 0.1, 1.0), (0.01, 0.0, 0.0)))
        push.header.frame_id = 'world'
        impulse.publish(push)
        assert change(ros, mode='rolling', floor__spin=1.0) == ''
        ros.until(lambda: len(poses) > 80, 60.0)
        assert change(ros, floor__point=[0.0, 0.0, -0.2]) == ''
        ros.until(lambda: child.poll() is not None, 60.0)
        assert child.returncode == 0, child.stderr.read()
    assert printed(command, 'replay', path, '--resimulate') == 'identical: 1771 of 1771\n'


def test_impacts_add_up_and_those_of_an_instant_that_is_shown_again_count_once(monkeypatch):
    told, shown = {3: 2, 4: 0, 5: 3}, []
    monkeypatch.setattr(
        contact.simulation,
        'contact_at',
        lambda instant: SimpleNamespace(impacts=told[instant.tick], mode='flight'),
    )
    node = SimpleNamespace(
        _shown=-1, _impacts=0, _mode=None, _show_floor=lambda *given: None,
        _mode_publisher=SimpleNamespace(publish=shown.append),
    )  # fmt: skip
    counts = []
    for tick in (3, 4, 4, 5, 5):
        contact.ContactNode.show(node, None, SimpleNamespace(tick=tick))
        counts.append(node._impacts)
    assert counts == [2, 2, 2, 5, 5]
    assert len(shown) == 1  # the mode stays


def test_a_report_tells_each_quantity_of_the_instant_and_the_impacts_of_the_run(monkeypatch):
    here = SimpleNamespace(
        mode='slipping', gap=0.125, slip_speed=0.25, normal_force=3.5, constraint_error=0.5,
        impacts=2, substeps=7,
    )  # fmt: skip
    monkeypatch.setattr(contact.simulation, 'contact_at', lambda instant: here)
    monkeypatch.setattr(contact, 'mishaps', lambda node: {'mishaps': 0})
    node = SimpleNamespace(_instant=SimpleNamespace(stamp=1_500_000_000), _impacts=9)
    header, _, message, values = contact.ContactNode._report(node)
    assert conversions.nanoseconds_from_ros(header.stamp) == 1_500_000_000
    assert message == 'slipping'
    assert values == {
        'gap [m]': '0.125', 'slip speed [m/s]': '0.25', 'normal force [N]': '3.5',
        'constraint error': '0.5', 'impacts': 9, 'sub-steps in the tick': 7, 'mishaps': 0,
    }  # fmt: skip
