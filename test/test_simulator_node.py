# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator node through real topics and services."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped, Vector3Stamped
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import Log, ParameterType
from rcl_interfaces.srv import DescribeParameters, SetParameters
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_rosout_default, qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.configuration.scenario import ScenarioError
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.simulator import standard_services

FAST = {'real_time_factor': 0.0}


def stamps(messages):
    return [conversions.nanoseconds_from_ros(message.header.stamp) for message in messages]


def test_each_topic_carries_the_trajectory_bit_for_bit(ros):
    poses = ros.listen(PoseStamped, 'pose')
    momenta = ros.listen(Vector3Stamped, 'ground_truth/angular_momentum')
    odometry = ros.listen(Odometry, 'ground_truth/odometry')
    clock = ros.listen(Clock, '/clock')
    node = ros.simulator({**FAST, 'duration': 2.0}, autostart=False)
    ros.connected('/pose', '/ground_truth/angular_momentum', '/ground_truth/odometry', '/clock')
    node.driver.start()
    ros.until(lambda: all(len(heard) == 65 for heard in (poses, momenta, odometry, clock)))
    expected = simulation.trajectory(node.scenario.plant, node.scenario.initial, 64)
    exact_stamps = [k * TICK_NS for k in range(65)]
    assert stamps(poses) == stamps(momenta) == stamps(odometry) == exact_stamps
    assert [conversions.nanoseconds_from_ros(message.clock) for message in clock] == exact_stamps
    body = node.scenario.plant.body
    for k, state in enumerate(expected):
        q = conversions.quaternion_from_ros(poses[k].pose.orientation)
        assert q.tobytes() == state[3:7].tobytes()
        assert conversions.vector3_from_ros(momenta[k].vector).tobytes() == state[10:].tobytes()
        omega_B = conversions.vector3_from_ros(odometry[k].twist.twist.angular)
        L_W = rotations.rotate(q, body.inertia @ omega_B)
        assert np.allclose(L_W, state[10:], rtol=0, atol=1e-15 * np.linalg.norm(state[10:]) * 10)
    assert poses[0].header.frame_id == odometry[0].header.frame_id == 'world'
    assert odometry[0].child_frame_id == 'base_link'


def test_imu_obeys_rep_145_for_a_best_effort_subscriber(ros):
    data = ros.listen(Imu, 'imu/data', qos_profile_sensor_data)
    raw = ros.listen(Imu, 'imu/data_raw', qos_profile_sensor_data)
    node = ros.simulator(autostart=False)
    ros.connected('/imu/data', '/imu/data_raw')
    node.driver.start()
    ros.until(lambda: len(data) > 3 and len(raw) > 3)
    for message in (*data, *raw):
        assert message.header.frame_id == 'imu_link'
        force = conversions.vector3_from_ros(message.linear_acceleration)
        assert np.all(force == 0.0)  # free fall
        for covariance in (
            message.angular_velocity_covariance,
            message.linear_acceleration_covariance,
        ):
            assert np.all(np.diag(np.reshape(covariance, (3, 3))) > 0.0)
    assert raw[0].orientation_covariance[0] == -1.0
    assert data[0].orientation_covariance[0] > 0.0
    assert data[0].angular_velocity.y == pytest.approx(8.0)
    assert data[0].orientation.w == 1.0


def test_imu_mounted_off_centre_and_turned(ros):
    data = ros.listen(Imu, 'imu/data')
    node = ros.simulator(
        {
            'body.mass': 1.0,
            'body.inertia': [1.0, 1.0, 2.0],
            'initial.angular_velocity': [0.0, 0.0, 3.0],
            'imu.position': [0.5, 0.0, 0.0],
            'imu.orientation': [0.7071067811865476, 0.0, 0.0, 0.7071067811865476],
        },
        autostart=False,
    )
    ros.connected('/imu/data')
    node.driver.start()
    ros.until(lambda: data)
    force = conversions.vector3_from_ros(data[0].linear_acceleration)
    # Centripetal -ω² r along body x, which is -y of a sensor turned by 90° about z.
    assert force == pytest.approx((0.0, 4.5, 0.0), abs=1e-14)


def test_scenario_topic_waits_for_whoever_comes_later(ros):
    node = ros.simulator({'body.mass': 7.0})
    texts = ros.listen(String, 'scenario', conversions_latched())
    ros.until(lambda: texts)
    assert scenario.parse(texts[0].data, 'topic').parameters == node.scenario.parameters


def conversions_latched():
    from spacecraft_attitude_sim.nodes.ros import qos

    return qos.LATCHED


def test_substeps_that_do_not_resolve_the_motion_are_refused(ros):
    node = ros.simulator({'initial.angular_velocity': [0.0, 120.0, 0.1]})
    (result,) = node.set_parameters([Parameter('substeps', value=1)])
    assert not result.successful
    assert "equations 'momentum' resolve 100.531 rad/s with 1 sub-steps" in result.reason
    (result,) = node.set_parameters([Parameter('substeps', value=2)])
    assert result.successful
    assert node.plant.substeps == 2


def test_pause_step_and_reset(ros):
    poses = ros.listen(PoseStamped, 'pose')
    node = ros.simulator({'start_paused': True}, autostart=False)
    ros.connected('/pose')
    node.driver.start()
    ros.until(lambda: poses)
    for expected in (1, 2, 3):
        answer = ros.call(Trigger, '/simulator/step')
        assert answer.success
        assert f'tick {expected},' in answer.message
    ros.until(lambda: len(poses) == 4)
    assert not node.driver._timer.is_ready()
    answer = ros.call(Trigger, '/simulator/reset')
    assert answer.success
    ros.until(lambda: len(poses) == 5)
    # Time goes on over a reset, the state starts again.
    assert stamps(poses) == [k * TICK_NS for k in range(5)]
    for _ in range(3):
        ros.call(Trigger, '/simulator/step')
    ros.until(lambda: len(poses) == 8)
    assert [message.pose for message in poses[4:8]] == [message.pose for message in poses[0:4]]
    assert ros.call(SetBool, '/simulator/pause', SetBool.Request(data=False)).success
    refused = ros.call(Trigger, '/simulator/step')
    assert not refused.success
    assert 'call ~/pause first' in refused.message
    ros.until(lambda: len(poses) > 12)
    assert stamps(poses) == [k * TICK_NS for k in range(len(poses))]


def test_every_parameter_has_description_unit_and_range(ros):
    node = ros.simulator()
    names = [
        name
        for name in node.get_parameters_by_prefix('')
        if name not in ('use_sim_time', 'start_type_description_service')
    ]
    answer = ros.call(
        DescribeParameters,
        '/simulator/describe_parameters',
        DescribeParameters.Request(names=names),
    )
    assert {'body.mass', 'substeps', 'real_time_factor'} <= set(names)
    for descriptor in answer.descriptors:
        assert descriptor.description, descriptor.name
        if descriptor.type == ParameterType.PARAMETER_DOUBLE:
            assert descriptor.floating_point_range, descriptor.name
        if descriptor.type == ParameterType.PARAMETER_INTEGER:
            assert descriptor.integer_range, descriptor.name
    units = {descriptor.name: descriptor.description for descriptor in answer.descriptors}
    assert units['body.mass'].endswith('[kg]')


@pytest.mark.parametrize(
    ('name', 'value', 'reason'),
    [
        ('real_time_factor', 2, None),
        ('real_time_factor', -1.0, 'real_time_factor'),
        ('substeps', 3, None),
        ('body.mass', 3.0, 'read-only'),
        ('substeps', 1.5, 'type'),
    ],
)
def test_parameter_changes_mid_run(ros, name, value, reason):
    node = ros.simulator()
    request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
    (result,) = ros.call(SetParameters, '/simulator/set_parameters', request).results
    assert result.successful == (reason is None), result.reason
    if reason:
        assert reason in result.reason
    else:
        assert node.get_parameter(name).value == value


def test_unknown_parameter_is_refused_at_start(ros):
    with pytest.raises(ScenarioError, match="substep is not a parameter; did you mean 'substeps'"):
        ros.simulator({'substep': 3})


def test_real_time_factor_paces_the_ticks(ros):
    clock = ros.listen(Clock, '/clock')
    node = ros.simulator({'real_time_factor': 4.0, 'duration': 4.0}, autostart=False)
    ros.connected('/clock')
    import time

    start = time.monotonic()
    node.driver.start()
    ros.until(lambda: node.finished)
    # One second; the host's scheduler may add some, and half the factor would take two.
    assert 0.99 <= time.monotonic() - start < 1.95
    ros.until(lambda: len(clock) == 129)


def test_diagnostics_say_how_the_simulation_is(ros):
    heard = ros.listen(DiagnosticArray, '/diagnostics')
    ros.simulator({'start_paused': True})
    ros.until(lambda: heard)
    (status,) = heard[0].status
    assert status.level == DiagnosticStatus.OK
    assert status.message == 'paused'
    assert {'tick', 'real-time factor', 'overruns'} <= {value.key for value in status.values}


def test_two_spacecraft_share_a_graph_by_namespace(ros):
    one = ros.listen(PoseStamped, '/one/pose')
    two = ros.listen(PoseStamped, '/two/pose')
    ros.simulator(namespace='one')
    ros.simulator({'publish_clock': False, 'frames.body': 'two/base_link'}, namespace='two')
    ros.until(lambda: one and two)
    assert ros.node.count_publishers('/clock') == 1


def test_missing_simulation_interfaces_is_said_once(ros, monkeypatch):
    monkeypatch.setattr(standard_services, 'srv', None)
    said = ros.listen(Log, '/rosout', qos_profile_rosout_default)
    node = ros.simulator()
    ros.until(lambda: any('simulation_interfaces is not installed' in line.msg for line in said))
    (line,) = [line for line in said if 'simulation_interfaces' in line.msg]
    assert line.level == 20  # Log.INFO, which some releases give as bytes
    names = [name for name, _ in node.get_service_names_and_types_by_node('simulator', '/')]
    assert '/simulator/step' in names
    assert '/simulator/step_simulation' not in names


def test_an_integer_for_use_sim_time_is_no_end(ros):
    node = ros.simulator()
    request = SetParameters.Request(
        parameters=[Parameter('use_sim_time', value=1).to_parameter_msg()]
    )
    ros.call(SetParameters, '/simulator/set_parameters', request)
    tick = node.instant.tick
    ros.until(lambda: node.instant.tick > tick)


def test_while_it_waits_for_the_compiler_it_looks_ten_times_a_second(ros, monkeypatch):
    node = ros.simulator()
    ros.until(lambda: node.run.tick > 1)
    asked, timer, tick = [], node.driver._timer, node.run.tick
    monkeypatch.setattr(warm_up, 'under_way', lambda: True)
    monkeypatch.setattr(warm_up, 'too_slow', lambda paced: asked.append(None) or True)
    timer.timer_period_ns = node.driver._timer_ns = 1_000_000  # as a tick that came late leaves it
    ros.until(lambda: len(asked) > 2)
    assert (timer.timer_period_ns, node.run.tick) == (100_000_000, tick)
    monkeypatch.setattr(warm_up, 'too_slow', lambda paced: False)
    ros.until(lambda: node.run.tick > tick + 1)


def test_whether_python_is_too_slow_is_asked_of_the_wall_time_of_a_tick(ros, monkeypatch):
    """At half of real time a tick of 1/32 s takes 1/16 s."""
    node, noted = ros.simulator({'real_time_factor': 0.5}, autostart=False), []
    monkeypatch.setattr(warm_up, 'under_way', lambda: True)
    monkeypatch.setattr(warm_up, 'note', lambda _spent, period, _pace=0.0: noted.append(period))
    node.driver.start()
    ros.until(lambda: node.run.tick > 1)
    assert noted[-1] == pytest.approx(1.0 / 16.0, rel=1e-15)  # 1e-9 is rounded


def test_a_tick_changes_no_attribute_of_a_class(ros):
    """Python would forget where all attributes of its objects are, which costs a tick 5 us."""
    node = ros.simulator({**FAST, 'duration': 4.0}, autostart=False)
    classes = {*type(node).__mro__, *type(node.driver).__mro__, *type(node.commands).__mro__}
    node.driver.start()
    ros.until(lambda: node.run.tick > 0)
    before = [(each, dict(vars(each))) for each in classes]
    ros.until(lambda: node.finished)
    for each, kept in before:
        assert [name for name, value in vars(each).items() if value is not kept[name]] == []


def test_tiny_real_time_factor_is_slow_and_no_end(ros):
    node = ros.simulator({'real_time_factor': 1e-12})
    ros.until(lambda: node.run.started)
    node.set_parameters([Parameter('real_time_factor', value=10.0)])
    ros.until(lambda: node.instant.tick > 3)


def test_impulse_after_a_reset_acts_and_one_before_does_not(ros):
    node = ros.simulator({'real_time_factor': 0.5})
    ros.until(lambda: node.instant.tick > 2)
    inbox = node.commands.inbox
    inbox.strike('world', (5.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    node.driver.reset()
    inbox.strike('world', (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    ros.until(lambda: node.instant.state.momentum_W[0] > 0.0)
    assert node.instant.state.momentum_W[0] == 1.0


def test_reset_after_the_end_runs_again(ros):
    node = ros.simulator({'real_time_factor': 0.0, 'duration': 1.0})
    ros.until(lambda: node.finished)
    node.driver.reset()
    ros.until(lambda: not node.finished)
    ros.until(lambda: node.finished)
    assert node.instant.tick == 65
