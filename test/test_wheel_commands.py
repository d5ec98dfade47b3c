# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Torques commanded to reaction wheels: checked, limited, held, timed out; over DDS."""

import numpy as np
import pytest
from geometry_msgs.msg import Vector3Stamped, WrenchStamped
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.actuators.reaction_wheels import ReactionWheels
from spacecraft_attitude_sim.core.simulation.commands import CommandRefusedError
from spacecraft_attitude_sim.core.simulation.wheel_commands import WheelCommands

WHEELS = ReactionWheels(('x', 'y'), np.eye(3)[:2], [1e-5, 1e-5], [0.01, 0.02])


def commands(initial=(0.0, 0.0), timeout=0.0):
    """Return WheelCommands of two wheels."""
    return WheelCommands(WHEELS, np.array(initial), timeout)


def test_a_torque_is_held_and_others_keep_theirs():
    held = commands((0.001, 0.002))
    assert held.take().tolist() == [0.001, 0.002]
    held.command(['y'], [-0.003], [])
    for _ in range(100):
        assert held.take().tolist() == [0.001, -0.003]
    held.clear()
    assert held.take().tolist() == [0.001, 0.002]


def test_a_torque_ends_after_its_timeout_and_the_initial_one_does_not():
    held = commands((0.001, 0.0), timeout=2.0 / 32.0)
    held.command(['y'], [0.002], [])
    found = [held.take().tolist() for _ in range(4)]
    assert found == [[0.001, 0.002]] * 2 + [[0.001, 0.0]] * 2


def test_more_than_the_motor_gives_is_brought_to_it_and_counted():
    held = commands()
    held.command(['x', 'y'], [0.5, -0.02], [])
    held.command(['x'], [-0.01], [])
    assert held.take().tolist() == [-0.01, -0.02]
    assert (held.taken, held.saturated) == (2, 1)
    assert commands((1.0, 0.0)).take().tolist() == [0.01, 0.0]


@pytest.mark.parametrize(
    ('names', 'efforts', 'velocities', 'words'),
    [
        ([], [], [], 'name is empty; name wheels of'),
        (['x'], [], [], 'name has 1 values and effort 0'),
        (['x'], [0.0, 1.0], [], 'name has 1 values and effort 2'),
        (['x', 'x'], [0.0, 1.0], [], 'named twice'),
        (['x', 'z'], [0.0, 1.0], [], "there is no wheel 'z'; there are x, y"),
        (['x', 'y'], [0.0, float('nan')], [], "effort of 'y' is nan"),
        (['x'], [float('inf')], [], "effort of 'x' is inf"),
        (['x'], [], [1.0], 'velocity is given; a wheel takes a torque'),
        (['x'], [1.0], [1.0], 'velocity is given'),
    ],
)
def test_what_cannot_be_obeyed_is_refused_and_changes_nothing(names, efforts, velocities, words):
    held = commands((0.001, 0.002))
    with pytest.raises(CommandRefusedError, match=words):
        held.command(names, efforts, velocities)
    assert held.take().tolist() == [0.001, 0.002]
    assert held.taken == 0


# --- through a node ----------------------------------------------------------------------------

BODY = {
    'body.mass': 4.0, 'body.inertia': [0.04, 0.04, 0.007], 'wheels': ['x', 'z'],
    'initial.angular_velocity': [0.0, 0.0, 0.0], 'start_paused': True,
    'wheel.x.axis': [1.0, 0.0, 0.0], 'wheel.x.inertia': 1e-4, 'wheel.x.max_torque': 0.01,
    'command_timeout': 0.0, 'wheel.z.inertia': 1e-4, 'wheel.z.initial_speed': 0.5,
}  # fmt: skip


def test_a_motor_turns_the_body_the_other_way_and_the_topics_say_so(ros):
    node = ros.simulator(BODY, autostart=False)
    joints = ros.listen(JointState, 'joint_states')
    momenta = ros.listen(Vector3Stamped, 'ground_truth/wheel_momentum')
    applied = ros.listen(WrenchStamped, 'ground_truth/applied_wrench')
    ros.connected('joint_states', 'ground_truth/wheel_momentum', 'ground_truth/applied_wrench')
    node.start()
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
    node.step(32)
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
    assert node.commands.wheels.take().tolist() == [0.0, 0.0]
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


def test_parameters_of_wheels_that_cannot_be_name_the_wheel():
    for given, words in (
        ({'wheels': ['a', 'a']}, 'give each a name of its own'),
        ({'wheel.a.axis': [0.0, 0.0, 0.5]}, r'wheel\.a\.axis is .*give a unit vector'),
        ({'wheel.a.inertia': 1.0}, 'less that of the wheels'),
        ({'wheel.b.inertia': 1.0}, r'wheel\.b\.inertia is not a parameter'),
        ({'equations': 'lagrange'}, "with reaction wheels only 'momentum' works"),
        ({'orbit.radius': 7e6, 'gravity': [0.0, 0.0, -9.81]}, 'falls freely'),
        ({'orbit.radius': 7e6, 'orbit.start': [0.0, 0.0, 1.0]}, r'orbit\.start is .*along'),
    ):
        whole = {'wheels': ['a'], **given}
        with pytest.raises(scenario.ScenarioError, match=words):
            scenario.build(whole, 'test')
    with pytest.raises(scenario.ScenarioError, match='reaction wheels and a floor'):
        scenario.build({'wheels': ['a']}, 'test', {'place': True})


def test_a_recorded_scenario_has_the_bits_of_its_carrier():
    given = {
        'body.mass': 4.0, 'body.inertia': [0.04, 0.05, 0.03, 0.002, -0.001, 0.003],
        'wheels': ['a'], 'wheel.a.axis': [0.6, 0.8, 0.0],
    }  # fmt: skip
    found = scenario.build(given, 'test')
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
