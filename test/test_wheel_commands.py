# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Torques commanded to reaction wheels: checked, limited, held, timed out; over DDS."""

from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import (
    Point,
    Pose,
    Quaternion,
    Twist,
    Vector3,
    Vector3Stamped,
    WrenchStamped,
)
from plain import plain
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.body import RigidBody
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels
from spacecraft_attitude_sim.core.simulation import limits, plant_of
from spacecraft_attitude_sim.core.simulation.commands import CommandRefusedError
from spacecraft_attitude_sim.core.simulation.joint_commands import wheel_commands
from spacecraft_attitude_sim.core.ticks import Ticks
from spacecraft_attitude_sim.nodes.ros.sources import IDENTIFIES
from spacecraft_attitude_sim.nodes.simulator import standard_services

WHEELS = ReactionWheels(('x', 'y'), np.eye(3)[:2], [1e-5, 1e-5], [0.01, 0.02])


def commands(initial=(0.0, 0.0), timeout=0.0, **options):
    """Return the commands of two wheels, which give torques alone."""
    return wheel_commands(WHEELS, Inputs(wheel_torque=np.array(initial)), timeout, **options)


def torques(held):
    """Return the torques of the next tick."""
    (taken,) = held.take().values()
    return taken.tolist()


def test_a_torque_is_held_and_others_keep_theirs():
    held = commands((0.001, 0.002))
    assert torques(held) == [0.001, 0.002]
    held.command(['y'], [-0.003], [])
    for _ in range(100):
        assert torques(held) == [0.001, -0.003]
    held.clear()
    assert torques(held) == [0.001, 0.002]


def test_the_same_list_with_other_names_is_looked_up_again():
    held, names = commands(), ['x', 'y']
    for given, expected in ((['x', 'y'], [1e-3, 2e-3]), (['y', 'x'], [2e-3, 1e-3])):
        names[:] = given
        held.command(names, [1e-3, 2e-3])
        assert torques(held) == expected
    for given, words in ((['y', 'y'], 'named twice'), (['y', 'z'], "no wheel 'z'")):
        names[:] = given
        with pytest.raises(CommandRefusedError, match=words):
            held.command(names, [1e-3, 2e-3])
    with pytest.raises(CommandRefusedError, match='name has 2 values and effort 1'):
        held.command(['y', 'x'], [1e-3])


def test_a_torque_ends_after_its_timeout_and_the_initial_one_does_not():
    held = commands((0.001, 0.0), timeout=2.0 / 32.0)
    held.command(['y'], [0.002], [])
    found = [torques(held) for _ in range(4)]
    assert found == [[0.001, 0.002]] * 2 + [[0.001, 0.0]] * 2


def test_a_torque_that_ends_leaves_no_torque_and_clearing_forgets_when_it_would_have_ended():
    held = commands((0.001, 0.0), timeout=2.0 / 32.0)
    held.command(['x'], [0.002])
    assert [torques(held)[0] for _ in range(3)] == [0.002, 0.002, 0.0]
    held.command(['x'], [0.002])
    held.clear()
    assert [torques(held)[0] for _ in range(4)] == [0.001] * 4


def test_a_torque_is_held_for_as_many_ticks_of_the_run_as_last_so_long():
    held = commands(timeout=0.5, ticks=Ticks.at(10.0))
    held.command(['x'], [0.002])
    assert [torques(held)[0] for _ in range(6)] == [0.002] * 5 + [0.0]


def test_more_than_the_motor_gives_is_brought_to_it_and_counted():
    held = commands()
    held.command(['x', 'y'], [0.5, -0.02], [])
    held.command(['x'], [-0.01], [])
    assert torques(held) == [-0.01, -0.02]
    assert (held.taken, held.saturated) == (2, 1)


@pytest.mark.parametrize(
    ('names', 'efforts', 'rest', 'words'),
    [
        ([], [], (), 'name is empty; name wheels of'),
        (['x'], [], (), 'name has 1 values and effort 0'),
        (['x'], [0.0, 1.0], (), 'name has 1 values and effort 2'),
        (['x', 'x'], [0.0, 1.0], (), 'named twice'),
        (['x', 'z'], [0.0, 1.0], (), "there is no wheel 'z'; there are x, y"),
        (['x', 'y'], [0.0, float('nan')], (), "effort of 'y' is nan"),
        (['x'], [float('inf')], (), "effort of 'x' is inf"),
        (
            ['x'],
            [],
            ([1.0],),
            r"velocity of 'x' is given, and wheel\.x\.speed_bandwidth is 0, .*: give effort",
        ),
        (['x'], [1.0], ([1.0],), 'effort and velocity are given; give one of them'),
        (
            ['x'],
            [1.0],
            ([], [0.5]),
            r'position is given; a wheel takes effort \[N m\] or velocity',
        ),
    ],
)
def test_what_cannot_be_obeyed_is_refused_and_changes_nothing(names, efforts, rest, words):
    held = commands((0.001, 0.002))
    with pytest.raises(CommandRefusedError, match=words):
        held.command(names, efforts, *rest)
    assert torques(held) == [0.001, 0.002]
    assert held.taken == 0


def test_motors_that_turn_the_body_faster_than_is_resolved_are_refused():
    """Σ|u| t / I_min at most the resolved rate, I_min of the body less its wheels."""
    wheels = ReactionWheels(('x', 'y'), np.eye(3)[:2], [0.4, 0.1], [np.inf, np.inf])
    plant = plant_of(RigidBody(4.0, np.diag((1.0, 1.5, 1.2))), parts=(wheels,))
    limit = limits.command_limits(plant, 0.5)
    assert limit.least_moment == pytest.approx(0.6)
    most = 16384.0 * 0.6 / 0.5
    held = wheel_commands(wheels, Inputs(wheel_torque=np.zeros(2)), 0.5, limits=limit)
    held.command(['x', 'y'], [0.5 * most, -0.49 * most])
    with pytest.raises(CommandRefusedError, match=r'sum of motor torques of .*moment 0\.6 kg m'):
        held.command(['x'], [0.52 * most])  # with what the same source holds on y
    held.command(['x'], [0.52 * most], source='another')
    with pytest.raises(CommandRefusedError, match='give at most 19660.8 N m, and check the unit'):
        held.command(['x', 'y'], [1e6, 0.0])
    assert held.held == [0.52 * most, -0.49 * most]
    held.command(['y'], [-0.98 * most])  # x is another's by now
    held.command(['y'], [0.98 * most])  # in place of what it held
    before = Inputs(wheel_torque=np.array((0.0, 0.5 * most)))
    held = wheel_commands(wheels, before, 0.5, limits=limit)
    held.command(['y'], [0.1 * most])
    held.clear()
    held.command(['x'], [0.98 * most])  # what acts from the start on is nobody's again
    # A wrench turns the same carrier.
    with pytest.raises(ValueError, match=r'smallest principal moment 0\.6 kg m\^2'):
        limit.check_wrench(np.array((0, 0, 0, 1.1 * most, 0, 0, 0, 0, 0, 0, 0, 0)))


def test_in_lockstep_a_wheel_takes_one_source_in_a_tick():
    held, free = commands(exclusive=True), commands()
    for inbox in (held, free):
        inbox.command(['x'], [0.001], source='one')
        inbox.command(['y'], [0.002], source='other')
    free.command(['x'], [0.003], source='other')
    assert torques(free) == [0.003, 0.002]  # the latest
    with pytest.raises(CommandRefusedError, match="another node commands wheel 'x' in this tick"):
        held.command(['x'], [0.003], source='other')
    assert torques(held) == [0.001, 0.002]
    held.begin_tick()
    held.command(['x'], [0.003], source='other')
    held.forget('other')
    held.command(['x'], [0.004], source='in its place')
    assert torques(held) == [0.004, 0.002]
    held.clear()
    held.command(['x'], [0.005], source='after a reset')
    assert torques(held) == [0.005, 0.0]


def test_a_body_that_is_put_keeps_the_speeds_of_its_wheels():
    entity_state_from_ros = standard_services.entity_state_from_ros
    wheels = ReactionWheels(('x', 'y'), np.eye(3)[:2], [1e-2, 2e-2], [1.0, 1.0])
    craft = plant_of(RigidBody(4.0, np.eye(3)), parts=(wheels,)).spacecraft
    before = craft.state((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), (0.3, 0, 0), np.array((50.0, -7.0)))
    pose = Pose(position=Point(x=1.0), orientation=Quaternion(w=0.0, z=1.0))
    twist = Twist(angular=Vector3(x=0.1, z=0.2))
    after = entity_state_from_ros(craft, before, SimpleNamespace(pose=pose, twist=twist))
    assert after.position_W.tolist() == [1.0, 0.0, 0.0]
    assert craft.angular_velocity_B(after) == pytest.approx((-0.1, 0.0, 0.2), abs=1e-12)
    assert craft.wheel_speeds(after) == pytest.approx((50.0, -7.0), rel=1e-12)
    rigid = plant_of(RigidBody(4.0, np.eye(3))).spacecraft
    state = rigid.state((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), (0.3, 0, 0))
    put = entity_state_from_ros(rigid, state, SimpleNamespace(pose=pose, twist=twist))
    assert put.internal.size == 0


# --- through a node ----------------------------------------------------------------------------

BODY = plain({
    'body.mass': 4.0, 'body.inertia': [0.04, 0.04, 0.007], 'wheels': ['x', 'z'],
    'initial.angular_velocity': [0.0, 0.0, 0.0], 'start_paused': True,
    'wheel.x.axis': [1.0, 0.0, 0.0], 'wheel.x.inertia': 1e-4, 'wheel.x.max_torque': 0.01,
    'command_timeout': 0.0, 'wheel.z.inertia': 1e-4, 'wheel.z.initial_speed': 0.5,
})  # fmt: skip


def test_a_motor_turns_the_body_the_other_way_and_the_topics_say_so(ros):
    node = ros.simulator(BODY, autostart=False)
    joints = ros.listen(JointState, 'joint_states')
    momenta = ros.listen(Vector3Stamped, 'ground_truth/wheel_momentum')
    applied = ros.listen(WrenchStamped, 'ground_truth/applied_wrench')
    ros.connected('joint_states', 'ground_truth/wheel_momentum', 'ground_truth/applied_wrench')
    node.driver.start()
    before_W = node.instant.state.angular_momentum_W.tobytes()
    publisher = ros.node.create_publisher(JointState, 'command/wheels', 10)
    ros.until(publisher.get_subscription_count)
    wheels = node.commands.wheels
    for names, efforts in ((['x'], [0.004]), (['nobody'], [1.0]), (['x', 'z'], [float('nan'), 0])):
        count = wheels.taken + node.commands.inbox.refused
        message = JointState(name=names, effort=list(map(float, efforts)))
        publisher.publish(message)
        ros.until(lambda: wheels.taken + node.commands.inbox.refused > count)  # noqa: B023
    assert (wheels.taken, node.commands.inbox.refused) == (1, 2)
    node.driver.step(32)
    ros.until(lambda: len(joints) == 33 and len(momenta) == 33 and len(applied) == 33)
    spacecraft, state = node.plant.spacecraft, node.instant.state
    assert state.angular_momentum_W.tobytes() == before_W
    omega_B = spacecraft.angular_velocity_B(state)
    assert omega_B[0] == pytest.approx(-0.004 / (0.04 - 1e-4), rel=1e-3)
    assert list(joints[-1].name) == ['x', 'z']
    assert joints[0].velocity.tolist() == pytest.approx([0.0, 0.5], abs=1e-12)
    assert joints[-1].velocity.tolist() == spacecraft.wheel_speeds(state).tolist()
    assert joints[-1].effort.tolist() == [0.004, 0.0]
    assert momenta[-1].vector.x == pytest.approx(0.004, rel=1e-12)
    assert applied[-1].wrench.torque.x == 0.0
    ros.call(Trigger, '/simulator/reset')
    assert torques(node.commands.wheels) == [0.0, 0.0]
    assert node.instant.state.internal.tolist() == node.scenario.initial.internal.tolist()


def test_a_controller_on_the_wheels_runs_in_lockstep(ros):
    given = BODY | {
        'start_paused': False, 'lockstep': True, 'lockstep_topics': ['command/wheels'],
        'initial.angular_velocity': [0.1, 0.0, 0.0], 'real_time_factor': 0.0, 'duration': 1.0,
    }  # fmt: skip
    node = ros.simulator(given)
    publisher = ros.node.create_publisher(JointState, 'command/wheels', 10)

    def answer(message):
        rate = -message.velocity[0] * 0.0  # the wheel's speed is not needed
        torque = 0.01 * node.plant.spacecraft.angular_velocity_B(node.instant.state)[0] + rate
        command = JointState(name=['x'], effort=[torque])
        command.header.stamp = message.header.stamp
        publisher.publish(command)

    ros.node.create_subscription(JointState, 'joint_states', answer, 10)
    ros.until(lambda: node.finished)
    assert not node.failure
    assert node.commands.wheels.taken == 32
    omega_B = node.plant.spacecraft.angular_velocity_B(node.instant.state)
    assert 0.0 < omega_B[0] < 0.09


def test_a_wheel_that_two_nodes_command_in_lockstep_is_refused_aloud(ros):
    if not IDENTIFIES:
        pytest.skip('this rclpy does not say who published a message')
    given = BODY | {
        'start_paused': False, 'lockstep': True, 'lockstep_topics': ['command/wheels'],
        'real_time_factor': 0.0,
    }  # fmt: skip
    nodes = [ros.add(rclpy.create_node(f'pilot_{number}')) for number in range(2)]
    publishers = [node.create_publisher(JointState, 'command/wheels', 10) for node in nodes]
    joints = ros.listen(JointState, 'joint_states')
    node = ros.simulator(given)
    ros.until(lambda: joints)

    def send(number, name, torque):
        command = JointState(name=[name], effort=[torque])
        command.header.stamp = joints[-1].header.stamp
        publishers[number].publish(command)

    wheels, inbox = node.commands.wheels, node.commands.inbox
    send(0, 'x', 0.001)
    ros.until(lambda: wheels.taken == 1)
    send(1, 'x', 0.002)
    ros.until(lambda: inbox.refused == 1)
    assert "another node commands wheel 'x' in this tick" in inbox.last_refusal
    assert node.instant.tick == 0
    send(1, 'z', 0.003)
    ros.until(lambda: node.instant.tick == 1 and len(joints) == 2)
    assert node.instant.inputs.wheel_torque.tolist() == [0.001, 0.003]
    send(1, 'x', 0.002)
    send(0, 'z', 0.001)
    ros.until(lambda: node.instant.tick == 2)
    assert node.instant.inputs.wheel_torque.tolist() == [0.002, 0.001]


def test_motors_without_a_limit_do_not_end_a_run_and_diagnostics_say_so(ros):
    heard = ros.listen(DiagnosticArray, '/diagnostics')
    node = ros.simulator(BODY | {'wheel.x.max_torque': 1e6}, autostart=False)
    node.driver.start()
    publisher = ros.node.create_publisher(JointState, 'command/wheels', 10)
    ros.until(publisher.get_subscription_count)
    publisher.publish(JointState(name=['x'], effort=[1e6]))
    publisher.publish(JointState(name=['x'], effort=[0.004], position=[0.1]))
    inbox, wheels = node.commands.inbox, node.commands.wheels
    ros.until(lambda: inbox.refused == 2)
    publisher.publish(JointState(name=['x'], effort=[0.004]))
    ros.until(lambda: wheels.taken == 1)
    node.driver.step(2)
    assert not node.failure
    count = len(heard)
    ros.until(lambda: len(heard) > count + 1)
    values = {pair.key: pair.value for pair in heard[-1].status[0].values}
    assert values['wheel torques [N m]'] == '0.004, 0'
    assert values['wheel commands saturated'] == '0'
    assert 'position is given' in values['last refusal']
    assert values['commands refused'] == '2'


def test_parameters_of_wheels_that_cannot_be_name_the_wheel():
    for given, words in (
        ({'wheels': ['a', 'a']}, 'give each a name of its own'),
        ({'wheel.a.axis': [0.0, 0.0, 0.5]}, r'wheel\.a\.axis is .*give a unit vector'),
        ({'wheel.a.inertia': 1.0}, 'less that of the wheels'),
        ({'wheel.b.inertia': 1.0}, r'wheel\.b\.inertia is not a parameter'),
        (
            {'wheel.a.torque': -0.5, 'wheel.a.max_torque': 0.1},
            r'wheel\.a\.torque is -0.5 N m; wheel\.a\.max_torque is 0.1 N m: give no more',
        ),
        ({'equations': 'lagrange'}, "with reaction wheels only 'momentum' works"),
        ({'orbit.radius': 7e6, 'gravity': [0.0, 0.0, -9.81]}, 'falls freely'),
        ({'orbit.radius': 7e6, 'orbit.start': [0.0, 0.0, 1.0]}, r'orbit\.start is .*along'),
    ):
        whole = plain({'wheels': ['a'], **given})
        with pytest.raises(scenario.ScenarioError, match=words):
            scenario.build(whole, 'test')
    with pytest.raises(scenario.ScenarioError, match='lockstep_topics has command/wheels, but .*'):
        scenario.build({'lockstep_topics': ['command/wheels']}, 'test')
    with pytest.raises(scenario.ScenarioError, match='reaction wheels and a floor'):
        scenario.build(plain({'wheels': ['a']}), 'test', {'place': True})


def test_a_recorded_scenario_has_the_bits_of_its_carrier():
    given = {
        'body.mass': 4.0, 'body.inertia': [0.04, 0.05, 0.03, 0.002, -0.001, 0.003],
        'wheels': ['a'], 'wheel.a.axis': [0.6, 0.8, 0.0],
    }  # fmt: skip
    found = scenario.build(plain(given), 'test')
    text = scenario.dump(found)
    again = scenario.parse(text, 'test')
    carrier = found.plant.spacecraft.carrier
    assert again.plant.spacecraft.carrier.flat().tobytes() == carrier.flat().tobytes()
    moved = text.replace(
        f'{carrier.principal_moments[0]!r}', f'{np.nextafter(carrier.principal_moments[0], 1)!r}'
    )
    if moved != text:  # of another processor's digits: what was recorded counts
        other = scenario.parse(moved, 'test').plant.spacecraft.carrier
        assert other.flat().tobytes() != carrier.flat().tobytes()
