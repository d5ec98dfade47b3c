# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Commands to wheels, gimbals, thrusters and magnetorquers, and what they say of themselves."""

import json
import signal
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from bags import STORE, altered
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
from processes import printed, run
from rclpy.duration import Duration
from rclpy.serialization import deserialize_message
from ros_helpers import EVERYTHING, PATIENCE, process
from rosbags.rosbag2 import Reader
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.parts.control_moment_gyros.description import ControlMomentGyros
from spacecraft_attitude_sim.core.parts.magnetorquers.description import (
    Magnetorquer,
    Magnetorquers,
)
from spacecraft_attitude_sim.core.parts.part import Start
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import (
    ReactionWheels,
    WheelDynamics,
)
from spacecraft_attitude_sim.core.simulation import limits
from spacecraft_attitude_sim.core.simulation.commands import CommandRefusedError
from spacecraft_attitude_sim.core.simulation.joint_commands import (
    DipoleCommands,
    gimbal_commands,
    thruster_commands,
    wheel_commands,
)
from spacecraft_attitude_sim.flight.commands import Commands
from spacecraft_attitude_sim.flight.flight import Flight
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.simulator import standard_services
from spacecraft_attitude_sim.recording import history, inputs_layout
from spacecraft_attitude_sim.recording import table as run_table

GIVEN = plain({
    'body.mass': 4.0, 'body.inertia': [0.04, 0.05, 0.03],
    'initial.angular_velocity': [0.02, 0.0, 0.01], 'command_timeout': 0.0,
    'wheels': ['w', 'v'], 'wheel.w.max_speed': 600.0, 'wheel.w.speed_bandwidth': 4.0,
    'wheel.w.max_torque': 0.002, 'wheel.w.tachometer.resolution': 0.5,
    'wheel.v.axis': [1.0, 0.0, 0.0], 'wheel.v.max_torque': 0.002,
    'wheel.v.friction.coulomb': 1e-5, 'wheel.v.initial_speed': 30.0,
    'gimbals': ['g', 'f'], 'gimbal.g.rotor_speed': 100.0, 'gimbal.g.max_rate': 1.0,
    'gimbal.f.axis': [1.0, 0.0, 0.0], 'gimbal.f.spin_axis': [0.0, 1.0, 0.0],
    'gimbal.f.inertias': [1e-4, 1e-4, 1e-4], 'gimbal.f.rotor_speed': 50.0,
    'gimbal.f.max_rate': 1.0, 'gimbal.f.max_torque': 1e-3, 'gimbal.g.max_torque': 1e-6,
    'thrusters': ['t'], 'thruster.t.position': [0.1, 0.0, 0.0], 'thruster.t.max_force': 0.05,
    'thruster.t.specific_impulse': 70.0,
    'magnetorquers': ['m', 'k'], 'magnetorquer.m.axis': [1.0, 0.0, 0.0],
    'magnetorquer.m.max_dipole': 0.2, 'magnetorquer.k.max_dipole': 0.1,
})  # fmt: skip
FOUND = scenario.build(GIVEN, 'test')
CRAFT = FOUND.plant.spacecraft


def values(taken):
    """Return {part: list} of what is taken, None for what is not a number."""
    return {
        part: [None if np.isnan(one) else one for one in array] for part, array in taken.items()
    }


# --- kept ---------------------------------------------------------------------------------------


def test_a_wheel_takes_a_torque_or_a_speed_and_the_latest_counts():
    held = wheel_commands(CRAFT.part('reaction_wheels'), FOUND.inputs, 0.0)
    assert values(held.take()) == {'wheel_torque': [0.0, 0.0], 'wheel_speed': [None, None]}
    held.command(['w'], [], [100.0])
    held.command(['v'], [0.001])
    assert values(held.take()) == {'wheel_torque': [0.0, 0.001], 'wheel_speed': [100.0, None]}
    assert held.in_words() == '100 rad/s, 0.001'
    held.command(['w'], [], [1e308])
    assert (values(held.take())['wheel_speed'], held.saturated) == ([600.0, None], 1)
    held.command(['w'], [-0.001])
    assert values(held.take()) == {'wheel_torque': [-0.001, 0.001], 'wheel_speed': [None, None]}
    with pytest.raises(CommandRefusedError, match=r'wheel\.v\.speed_bandwidth is 0'):
        held.command(['w', 'v'], [], [1.0, 1.0])
    assert held.held == [-0.001, 0.001]


def test_a_speed_that_ends_leaves_no_torque_and_is_put_back_where_its_tick_did_not_come():
    held = wheel_commands(CRAFT.part('reaction_wheels'), FOUND.inputs, 2.0 / 32.0)
    held.command(['w'], [], [100.0])
    kept = held.kept
    speeds = [values(held.take())['wheel_speed'][0] for _ in range(3)]
    assert speeds == [100.0, 100.0, None]
    held.put_back(kept)
    assert [values(held.take())['wheel_speed'][0] for _ in range(3)] == speeds


def test_a_command_that_is_taken_back_is_not_judged_with_the_next_one():
    held, judged = (
        wheel_commands(CRAFT.part('reaction_wheels'), FOUND.inputs, 0.0, limits=object()),
        [],
    )
    held.kind = held.kind._replace(judge=lambda limits, asked: judged.append(sorted(asked)))
    kept = held.kept
    held.command(['w'], [1e-4])
    held.put_back(kept)
    held.command(['v'], [2e-4])
    assert judged == [[(0, 0, 1e-4)], [(1, 0, 2e-4)]]
    assert values(held.take())['wheel_torque'] == [0.0, 2e-4]


def test_speeds_from_the_start_on_are_held_again_after_a_reset():
    wheels, start = CRAFT.part('reaction_wheels'), Inputs(
        wheel_torque=np.array((0.0, 0.001)), wheel_speed=np.array((50.0, np.nan))
    )  # fmt: skip
    held = wheel_commands(wheels, start, 0.1)
    held.command(['w', 'v'], [0.002, 0.002])
    held.clear()
    for _ in range(10):
        assert values(held.take()) == {'wheel_torque': [0.0, 0.001], 'wheel_speed': [50.0, None]}
    # That of one wheel ends; what the other has from the start on stays.
    held.clear()
    held.command(['w'], [0.0015])
    taken = [values(held.take()) for _ in range(10)]
    assert taken[0] == {'wheel_torque': [0.0015, 0.001], 'wheel_speed': [None, None]}
    assert taken[-1] == {'wheel_torque': [0.0, 0.001], 'wheel_speed': [None, None]}


def test_a_gimbal_takes_a_rate_or_a_torque_and_rests_without():
    held = gimbal_commands(CRAFT.part('control_moment_gyros'), FOUND.inputs, 1.0 / 32.0)
    held.command(['g', 'f'], [], [0.5, -3.0])
    assert values(held.take()) == {'gimbal_rate': [0.5, -1.0], 'gimbal_torque': [None, None]}
    held.command(['f'], [0.5])
    assert values(held.take()) == {'gimbal_rate': [0.0, 0.0], 'gimbal_torque': [None, 1e-3]}
    assert values(held.take()) == {'gimbal_rate': [0.0, 0.0], 'gimbal_torque': [None, None]}
    assert (held.taken, held.saturated) == (2, 2)


def test_a_thruster_takes_a_force_between_none_and_its_largest():
    held = thruster_commands(CRAFT.part('thrusters'), FOUND.inputs, 0.0)
    for asked, given in ((0.02, 0.02), (1e308, 0.05), (-1.0, 0.0)):
        held.command(['t'], [asked])
        assert values(held.take()) == {'thrust': [given]}
    assert held.saturated == 2
    with pytest.raises(CommandRefusedError, match=r'velocity is given; a thruster takes effort'):
        held.command(['t'], [], [0.0])


def test_a_dipole_is_shared_and_each_rod_brought_to_its_largest():
    """Three rods of which two lie along x: each takes half."""
    x, z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    rods = [Magnetorquer(x, 0.2), Magnetorquer(x, 0.05), Magnetorquer(z, 0.1)]
    held = DipoleCommands(Magnetorquers(('a', 'b', 'c'), tuple(rods)), Inputs(), 0.0)
    held.share((0.08, 7.0, -0.5))  # there is none along y
    assert held.take()['dipole'] == pytest.approx((0.04, 0.04, -0.1), rel=1e-14)
    held.share((0.2, 0.0, 0.0))
    assert held.take()['dipole'] == pytest.approx((0.1, 0.05, 0.0), rel=1e-14)
    assert (held.taken, held.saturated) == (2, 2)
    for bad in ((np.nan, 0, 0), (0, 0, np.inf)):
        with pytest.raises(CommandRefusedError, match='not finite'):
            held.share(bad)
    assert held.taken == 2


def test_in_lockstep_each_gimbal_takes_one_source_in_a_tick():
    held = gimbal_commands(CRAFT.part('control_moment_gyros'), FOUND.inputs, 0.0, exclusive=True)
    held.command(['g'], [], [0.5], source='one')
    with pytest.raises(CommandRefusedError, match="another node commands gimbal 'g' in this tick"):
        held.command(['g'], [], [0.4], source='other')
    held.command(['f'], [], [0.4], source='other')
    held.begin_tick()
    held.command(['g'], [], [0.3], source='other')
    assert values(held.take())['gimbal_rate'] == [0.3, 0.4]


def test_what_turns_the_body_faster_than_is_resolved_is_refused():
    """Of wheels and gimbals their momentum, of thrusters force and torque while they are held."""
    limit = limits.command_limits(FOUND.plant, 0.5)
    most = limit.rate * limit.least_moment
    fast = ReactionWheels(
        ('w',), [[0, 0, 1.0]], [1e-3], [1.0], (WheelDynamics(speed_bandwidth=1.0),)
    )
    held = wheel_commands(fast, Inputs(), 0.5, limits=limit)
    held.command(['w'], [], [0.99 * most / 1e-3])
    with pytest.raises(CommandRefusedError, match='angular impulse of .* would turn the body'):
        held.command(['w'], [], [1.01 * most / 1e-3])
    gyros = scenario.build(GIVEN | {'gimbal.g.max_rate': 0.0}, 'test').plant.spacecraft.part(
        'control_moment_gyros'
    )
    held = gimbal_commands(gyros, Inputs(), 0.5, limits=limit)
    held.command(['g'], [], [0.99 * limit.rate])
    with pytest.raises(CommandRefusedError, match=r'turns a gimbal faster than 131072 sub-steps'):
        held.command(['g'], [], [-1.01 * limit.rate])
    # Two that turn against each other could still be told to turn alike, one after the other.
    heavy = 0.6 * most / limit.rate
    pair = ControlMomentGyros(
        ('g', 'f'),
        tuple(
            replace(one, inertias=(heavy, heavy, heavy), max_rate=np.inf) for one in gyros.gyros
        ),
    )
    held = gimbal_commands(pair, Inputs(), 0.5, limits=limit)
    held.command(['g'], [], [0.9 * limit.rate])
    with pytest.raises(CommandRefusedError, match='angular impulse of .* would turn the body'):
        held.command(['f'], [], [-0.9 * limit.rate])
    strong = {'thruster.t.max_force': 1e9}
    thrusters = scenario.build(GIVEN | strong, 'test').plant.spacecraft.part('thrusters')
    held = thruster_commands(thrusters, Inputs(), 0.5, limits=limit)
    held.command(['t'], [0.99 * most / 0.5 / 0.1])
    with pytest.raises(CommandRefusedError, match='torque of .* would turn the body'):
        held.command(['t'], [1.01 * most / 0.5 / 0.1])
    assert held.held == [0.99 * most / 0.5 / 0.1]


# --- recorded -----------------------------------------------------------------------------------


def test_inputs_are_read_as_they_were_written_and_only_some_may_not_be_numbers():
    inputs = inputs_layout.completed(Inputs(thrust=np.array((0.01,))), CRAFT)
    settings = tick_messages.Settings(3, 2)
    instant = simulation.next_instant(FOUND.plant, FOUND.first_instant(), inputs)
    for given in (False, True):
        one = tick_messages.recorded_inputs(instant, settings, given, CRAFT)
        message = tick_messages.inputs_to_ros(one)
        read = inputs_layout.unpack(message)
        for name, part in one._asdict().items():
            assert np.array_equal(getattr(read, name), part, equal_nan=name == 'wheel_speed'
                                  or name == 'gimbal_torque'), name  # fmt: skip
        assert read.internal.tobytes() == instant.state.internal.tobytes()
        if given:
            continue
        assert read.commanded().thrust.tolist() == [0.01]
        assert inputs_layout.bytes_after_step(one) == np.array(message.data).tobytes()
        begins = np.cumsum([0] + [dimension.size for dimension in message.layout.dim])
        for begin, dimension in zip(begins[:-1], message.layout.dim, strict=True):
            was, message.data[begin] = message.data[begin], np.inf
            with pytest.raises(ValueError, match='not finite|impossible tick|holds 69'):
                inputs_layout.unpack(message)
            message.data[begin] = np.nan
            if dimension.label in ('wheel_speed', 'gimbal_torque'):
                inputs_layout.unpack(message)
            else:
                with pytest.raises(ValueError, match='not finite|impossible tick|holds 69'):
                    inputs_layout.unpack(message)
            message.data[begin] = was


def flat(prefix, tree):
    """Return YAML of parameters by dotted name."""
    return prefix + '\n'.join(f'    {name}: {json.dumps(value)}' for name, value in tree.items())


@pytest.fixture(scope='module')
def path(tmp_path_factory):
    """A scenario file of everything, with commands from the start on."""
    given = GIVEN | {
        'wheel.w.speed': 80.0, 'gimbal.g.rate': 0.3, 'thruster.t.period': 0.25,
        'thruster.t.force': 0.01, 'thruster.t.scatter': 0.1, 'thruster.t.misalignment': 0.01,
        'magnetorquer.m.dipole': 0.1, 'wheel.v.dead_time': 0.05, 'wheel.v.torque': 1e-4,
        'magnetometer.enabled': True, 'magnetorquer.m.interference': [1e-6, 0.0, 0.0],
    }  # fmt: skip
    file = tmp_path_factory.mktemp('actuators') / 'everything.yaml'
    file.write_text(flat('/**/simulator:\n  ros__parameters:\n', given))
    return file


def test_a_recorded_run_is_computed_again_to_the_bit_and_an_altered_state_is_seen(
    command, path, tmp_path
):
    bag = tmp_path / 'bag'
    printed(command, 'run', path, '--duration', '4', '--rate', '0', '--record', bag)
    said = printed(command, 'replay', bag, '--resimulate')
    compared = 129 * 14  # ticks and topics
    assert said == f'identical: {compared} of {compared}\n'
    table, found = history.read(bag)
    assert len(table.time) == 129
    assert np.isfinite(table.energies).all()
    speeds = table.wheels.speeds
    assert speeds[-1, 0] == pytest.approx(80.0, abs=1.0)

    def change(message):
        message.data = message.data + 1e-9 * (
            np.arange(len(message.data)) == len(message.data) - 1
        )

    copy = tmp_path / 'copy'
    altered(bag, copy, '/ground_truth/inputs', 50, change)
    done = run(command, 'replay', copy, '--resimulate')
    assert done.returncode != 0
    assert 'ground_truth/inputs at tick 50' in done.stdout + done.stderr


def test_the_angular_acceleration_of_a_table_is_that_of_thrusters_too():
    """0.05 N along z at 0.1 m along x turn 0.05 kg m^2 about -y."""
    given = {
        'body.mass': 4.0, 'body.inertia': [0.04, 0.05, 0.03], 'thrusters': ['t'],
        'thruster.t.position': [0.1, 0.0, 0.0], 'thruster.t.force': 0.05,
        'initial.angular_velocity': [0.0, 0.0, 0.0],
    }  # fmt: skip
    found = scenario.build(plain(given), 'test')
    instant = simulation.next_instant(found.plant, found.first_instant(), found.inputs)
    alpha_B = run_table.acceleration_of(found.plant, instant)
    assert alpha_B == pytest.approx((0.0, -0.1, 0.0), abs=1e-12)


# --- told ---------------------------------------------------------------------------------------


def made(found, instant):
    """Return {topic: message} of an instant, after those of the first."""
    settings, messages = tick_messages.Settings(0), tick_messages.TickMessages(found)
    messages.of(found.first_instant(), settings, given=False)
    return {
        topic: deserialize_message(data, tick_messages.TYPES[topic])
        for topic, data in messages.of(instant, settings, given=False)
    }


def test_telemetry_is_of_the_state_the_tachometer_rounds_and_the_truth_does_not():
    inputs = inputs_layout.completed(
        Inputs(
            wheel_torque=np.array((0.001, -0.0005)), gimbal_rate=np.array((0.25, 0.0)),
            gimbal_torque=np.array((np.nan, 5.0)), thrust=np.array((0.02,)),
            dipole=np.array((0.15, -0.05)),
        ),
        CRAFT,
    )  # fmt: skip
    instant = FOUND.first_instant()
    speed = [CRAFT.wheel_speeds(instant.state)[0]]
    for _ in range(20):
        instant = simulation.next_instant(FOUND.plant, instant, inputs)
        speed.append(CRAFT.wheel_speeds(instant.state)[0])
    heard = made(FOUND, instant)
    said, true = heard['joint_states'], heard['ground_truth/joint_states']
    assert list(said.name) == list(true.name) == ['w', 'v', 'g', 'f', 't']
    speeds = CRAFT.wheel_speeds(instant.state)
    assert true.velocity[:2].tolist() == speeds.tolist()
    assert said.velocity[0] == 0.5 * np.floor(speeds[0] / 0.5 + 0.5)
    assert said.velocity[0] != true.velocity[0]
    assert said.velocity[1:].tolist() == true.velocity[1:].tolist()
    assert true.velocity[2] == 0.25
    assert true.position[2] == pytest.approx(0.25 * 20 / 32, rel=1e-12)
    # A torque on the gimbal's inertia and what it carries along, from rest.
    assert 0.0 < true.velocity[3] <= 1e-3 * (20 / 32) / 1e-4
    assert said.effort.tolist() == true.effort.tolist()
    # The force is a mean, of as many rounded pieces as the tick has steps.
    expected = [0.001, -0.0005, 0.0, 1e-3, 0.02]
    assert true.effort.tolist() == pytest.approx(expected, rel=1e-14, abs=0.0)
    turned = np.trapezoid(speed, dx=1 / 32)  # of a speed that grows evenly, nearly
    wrapped = np.remainder(turned + np.pi, 2 * np.pi) - np.pi
    assert true.position[0] == pytest.approx(wrapped, abs=0.01)
    assert (said.position[4], said.velocity[4]) == (0.0, 0.0)
    dipole = heard['magnetorquers/dipole']
    assert dipole.header.frame_id == 'base_link'
    vector = dipole.vector
    assert (vector.x, vector.y, vector.z) == pytest.approx((0.15, 0.0, -0.05), abs=1e-15)


def test_tachometers_and_motors_say_what_the_compiled_step_takes_them_for():
    """The servo goes by the tachometer: a wheel of a wrong gain ends where that says its speed."""
    faulty = {'wheel.w.tachometer.gain': 1.25, 'wheel.w.tachometer.bias': -5.0,
              'wheel.w.tachometer.resolution': 0.0}  # fmt: skip
    found = scenario.build(GIVEN | faulty | {'wheel.w.speed': 80.0}, 'test')
    instant = found.first_instant()
    for _ in range(320):
        instant = simulation.next_instant(found.plant, instant, found.inputs)
    heard = made(found, instant)
    assert heard['joint_states'].velocity[0] == pytest.approx(80.0, abs=0.01)
    assert heard['ground_truth/joint_states'].velocity[0] == pytest.approx(68.0, abs=0.01)
    # At no-load speed a motor gives nothing forward and all of it backward.
    wheel = ReactionWheels(
        ('w',), [[0, 0, 1.0]], [1e-5], [2e-3],
        (WheelDynamics(supply_voltage=10.0, torque_constant=0.1, winding_resistance=100.0,
                       max_power=0.01),),
    )  # fmt: skip
    for speed, torque in ((0.0, 2e-3), (5.0, 2e-3), (20.0, 5e-4), (100.0, 0.0), (-20.0, 2e-3)):
        start = Start(np.zeros(3), np.zeros(3), np.array((speed,)), np.array((2e-3,)))
        internal = wheel.initial(start)
        assert wheel.motor_torques(internal, np.array((speed,))) == pytest.approx(torque)


def test_a_flight_reads_the_tachometers_that_topics_tell():
    """Gain, bias and steps; a wheel that sticks, and one at its largest speed."""
    given = {'wheel.w.tachometer.gain': 1.25, 'wheel.w.tachometer.bias': -5.22,
             'wheel.w.initial_speed': 600.0, 'wheel.v.initial_speed': 0.0}  # fmt: skip
    found = scenario.build(GIVEN | given, 'test')
    flight = Flight(found, None)
    # 1.25 × 600 - 5.22 = 744.78, in steps of 0.5; a stuck wheel stands.
    assert flight.readings.wheel_speed.tolist() == [745.0, 0.0]
    for _ in range(32):
        flight.step(wheel_torque={'w': -1e-3, 'v': 1e-4})
        told = made(found, flight.instant)['joint_states'].velocity
        assert flight.readings.wheel_speed.tolist() == list(told[:2])
    assert flight.readings.wheel_speed[1] > 0.0


def test_only_what_there_is_is_told_and_ideal_wheels_as_ever():
    def told(given):
        found = scenario.build(plain(given), 'test')
        return {
            topic: message
            for topic, message in made(found, found.first_instant()).items()
            if 'joint' in topic or 'wheel' in topic or 'dipole' in topic
        }

    ideal = told({'wheels': ['w']})
    assert set(ideal) == {'joint_states', 'ground_truth/wheel_momentum'}
    assert len(ideal['joint_states'].position) == 0
    assert told({'residual_dipole': [0.1, 0.0, 0.0]}) == {}
    assert set(told({'thrusters': ['t']})) == {'joint_states', 'ground_truth/joint_states'}
    rods = {'magnetorquers': ['m'], 'magnetorquer.m.max_dipole': 1.0}
    assert set(told(rods)) == {'magnetorquers/dipole'}


def test_a_body_that_is_put_keeps_what_its_actuators_do_in_it():
    instant = FOUND.first_instant()
    inputs = inputs_layout.completed(
        Inputs(gimbal_rate=np.array((0.4, 0.2)), thrust=np.array((0.02,))), CRAFT
    )
    for _ in range(10):
        instant = simulation.next_instant(FOUND.plant, instant, inputs)
    pose = Pose(position=Point(x=1.0), orientation=Quaternion(w=0.0, z=1.0))
    twist = Twist(angular=Vector3(x=0.1, z=0.2))
    put = standard_services.entity_state_from_ros(
        CRAFT, instant.state, SimpleNamespace(pose=pose, twist=twist)
    )
    assert CRAFT.angular_velocity_B(put) == pytest.approx((-0.1, 0.0, 0.2), abs=1e-12)
    before, after = (
        made(FOUND, instant._replace(state=state))['ground_truth/joint_states']
        for state in (instant.state, put)
    )
    assert after.velocity.tolist() == pytest.approx(before.velocity.tolist(), abs=1e-9)
    assert after.position.tolist() == before.position.tolist()
    assert after.effort.tolist() == before.effort.tolist()


def test_a_pulse_that_is_over_before_its_tick_ends_is_told_by_the_mean_of_the_tick():
    found = scenario.load(scenario.find('thruster_limit_cycle'))
    wanted = np.array((0.0, 0.1 * 0.02 / 0.5, 0.0, 0.0, 0.0, 0.0))  # 20 ms of the period of 0.5 s
    first = found.first_instant()
    instant = simulation.next_instant(found.plant, first, Inputs(thrust=wanted))
    for topic in ('joint_states', 'ground_truth/joint_states'):
        mean = made(found, instant)[topic].effort.tolist()
        assert mean == pytest.approx([0.0, 0.1 * 0.02 * 32.0, *4 * [0.0]], rel=1e-9)
        assert made(found, first)[topic].effort.tolist() == 6 * [0.0]


@pytest.mark.parametrize('limited', [True, False])
def test_a_gimbal_that_a_torque_has_turned_keeps_its_rate_relative_to_the_body(limited):
    """Then commanded the rate that it has: nothing changes, though the body turns about it."""
    given = {
        'body.mass': 4.0, 'body.inertia': [0.05, 0.06, 0.04], 'gimbals': ['g'],
        'initial.angular_velocity': [0.0, 0.0, 0.5], 'gimbal.g.axis': [0.0, 0.0, 1.0],
        'gimbal.g.spin_axis': [1.0, 0.0, 0.0], 'gimbal.g.rotor_inertia': 1e-5,
        'gimbal.g.rotor_speed': 60.0, 'gimbal.g.inertias': [1e-4, 1e-4, 1e-4],
        'gimbal.g.max_torque': 1e-3,
    } | ({'gimbal.g.max_acceleration': 0.5} if limited else {})  # fmt: skip
    plant = scenario.build(given, 'test').plant
    gyros = plant.spacecraft.part('control_moment_gyros')
    instant = scenario.build(given, 'test').first_instant()

    def rate():
        own = plant.spacecraft.states_of('gimbals', instant.state)
        return gyros.rates(own, plant.spacecraft.angular_velocity_B(instant.state))[0]

    push = Inputs(gimbal_rate=np.zeros(1), gimbal_torque=np.array((1e-4,)))
    for _ in range(8):
        instant = simulation.next_instant(plant, instant, push)
    turned = rate()
    assert turned > 0.1
    kept = Inputs(gimbal_rate=np.array((turned,)), gimbal_torque=np.array((np.nan,)))
    before = plant.spacecraft.angular_velocity_B(instant.state)
    for _ in range(4):
        instant = simulation.next_instant(plant, instant, kept)
        assert rate() == pytest.approx(turned, rel=1e-12)
    # The rotor's momentum turns the body by 6e-4 N m s times 0.6 rad/s in an eighth of a second.
    omega_B = plant.spacecraft.angular_velocity_B(instant.state)
    assert omega_B[2] == pytest.approx(before[2], abs=1e-5)


# --- through a node ------------------------------------------------------------------------------


def publishers(ros):
    """Return {topic: publisher} of all commands to actuators."""
    joints = ('command/wheels', 'command/gimbals', 'command/thrusters')
    found = {name: ros.node.create_publisher(JointState, name, EVERYTHING) for name in joints}
    dipole = ros.node.create_publisher(Vector3Stamped, 'command/dipole', EVERYTHING)
    return found | {'command/dipole': dipole}


def dipole_of(frame, x, z=0.0):
    message = Vector3Stamped(vector=Vector3(x=float(x), z=float(z)))
    message.header.frame_id = frame
    return message


def test_commands_over_topics_act_and_diagnostics_keep_the_book(ros):
    given = GIVEN | {
        'start_paused': True, 'application_frames': ['rod'],
        'application.rod.orientation': [0.5**0.5, 0.0, 0.0, 0.5**0.5],  # x along y, y along -x
        'imu.orientation': [0.5**0.5, 0.0, -(0.5**0.5), 0.0],  # x along z
    }  # fmt: skip
    heard = ros.listen(DiagnosticArray, '/diagnostics')
    node = ros.simulator(given, autostart=False)
    sent = publishers(ros)
    ros.until(lambda: all(one.get_subscription_count() for one in sent.values()))
    node.driver.start()
    inbox = node.commands.inbox

    def counted():
        return inbox.refused + sum(one.taken for one in node.commands.actuators.values())

    def send(topic, message, wrong=''):
        before, refused = counted(), inbox.refused
        sent[topic].publish(message)
        ros.until(lambda: counted() == before + 1)
        assert inbox.refused == refused + bool(wrong)
        assert wrong in inbox.last_refusal

    send('command/wheels', JointState(name=['w'], velocity=[50.0]))
    send('command/wheels', JointState(name=['v'], velocity=[50.0]), 'speed_bandwidth is 0')
    send('command/gimbals', JointState(name=['g'], velocity=[0.25]))
    send('command/gimbals', JointState(name=['t'], velocity=[0.25]), "there is no gimbal 't'")
    send('command/thrusters', JointState(name=['t'], effort=[0.02]))
    send('command/dipole', dipole_of('world', 0.1), 'a dipole is fixed to the body: valid are')
    send('command/dipole', dipole_of('rod', 0.1), '')
    assert node.commands.actuators['command/dipole'].held == pytest.approx([0.0, 0.0], abs=1e-15)
    send('command/dipole', dipole_of('imu_link', 0.05))
    assert node.commands.actuators['command/dipole'].held == pytest.approx([0.0, 0.05], abs=1e-15)
    send('command/dipole', dipole_of('base_link', 0.15, 0.05))
    node.driver.step(64)
    inputs = node.instant.inputs
    assert inputs.wheel_speed[0] == 50.0
    assert inputs.gimbal_rate.tolist() == [0.25, 0.0]
    assert (inputs.thrust.tolist(), inputs.dipole.tolist()) == (
        [0.02], pytest.approx([0.15, 0.05], rel=1e-14)
    )  # fmt: skip
    assert node.plant.spacecraft.wheel_speeds(node.instant.state)[0] == pytest.approx(
        50.0, abs=1.0
    )
    strike = ros.node.create_publisher(WrenchStamped, 'command/impulse', 10)
    ros.until(strike.get_subscription_count)
    message = WrenchStamped()
    message.header.frame_id, message.wrench.torque.x = 'base_link', 0.01
    strike.publish(message)
    ros.until(lambda: node.commands.inbox._struck)
    node.driver.step(2)
    count = len(heard)
    ros.until(lambda: len(heard) > count + 1)
    said = {pair.key: pair.value for pair in heard[-1].status[0].values}
    assert said['wheel torques [N m]'] == '50 rad/s, 0'
    assert said['gimbal rates [rad/s]'] == '0.25, 0'
    assert (said['thruster forces [N]'], said['thruster commands taken']) == ('0.02', '1')
    assert said['magnetorquer commands taken'] == '3'
    assert said['commands refused'] == '3'
    entries = node.energy_book.entries(node.instant.state)
    assert float(said['work of motors [J]']) == pytest.approx(entries.motors, rel=1e-8)
    assert float(said['heat of friction [J]']) == pytest.approx(entries.heat, rel=1e-8)
    assert float(said['work of loads [J]']) == pytest.approx(entries.loads, rel=1e-8)
    # Said with three digits; it is round-off, and no other entry is as small.
    left = pytest.approx(entries.missing, rel=6e-3, abs=0.0)
    assert float(said['energy not in the book [J]']) == left
    assert entries.heat > 0.0
    assert entries.loads > 0.5 * 0.01**2 / 0.05  # of the impulse
    assert abs(entries.missing) < 1e-9 * max(entries.motors, entries.loads)
    assert float(said['propellant used [kg]']) == pytest.approx(
        0.02 / (70.0 * 9.80665) * 66 / 32, rel=1e-8
    )
    assert said['wheels at their largest speed'] == ''


def test_wheels_at_their_limit_are_named(ros):
    heard = ros.listen(DiagnosticArray, '/diagnostics')
    given = GIVEN | {'wheel.w.max_speed': 20.0, 'wheel.w.initial_speed': 20.0}
    node = ros.simulator(given | {'start_paused': True, 'wheel.w.torque': 1e-3}, autostart=False)
    node.driver.start()
    node.driver.step(4)
    ros.until(lambda: len(heard) > 1)
    values = {pair.key: pair.value for pair in heard[-1].status[0].values}
    assert values['wheels at their largest speed'] == 'w'


def test_lockstep_waits_for_two_topics_of_actuators(ros):
    given = GIVEN | {
        'lockstep': True, 'lockstep_topics': ['command/gimbals', 'command/dipole'],
        'real_time_factor': 0.0, 'duration': 0.5,
    }  # fmt: skip
    joints = ros.listen(JointState, 'joint_states')
    node = ros.simulator(given)
    sent = publishers(ros)
    ros.until(lambda: joints)
    for number in range(1, 17):
        stamp = joints[-1].header.stamp
        command = JointState(name=['g'], velocity=[0.01 * number])
        command.header.stamp = stamp
        sent['command/gimbals'].publish(command)
        ros.until(lambda: node.commands.actuators['command/gimbals'].taken == number)  # noqa: B023
        assert node.instant.tick == number - 1
        dipole = dipole_of('base_link', 0.001 * number)
        dipole.header.stamp = stamp
        sent['command/dipole'].publish(dipole)
        ros.until(lambda: len(joints) == number + 1)  # noqa: B023
        assert node.instant.inputs.gimbal_rate[0] == 0.01 * number
        assert node.instant.inputs.dipole[0] == pytest.approx(0.001 * number, rel=1e-13)
    assert node.finished
    assert node.commands.inbox.refused == 0


# --- thousands of commands, valid and not --------------------------------------------------------

ODD = (np.nan, np.inf, -np.inf, 1e308, -1e308)
TOPICS = {
    'command/wheels': ('w', 'v'), 'command/gimbals': ('g', 'f'), 'command/thrusters': ('t',),
    'command/dipole': ('base_link', 'imu_link'),
}  # fmt: skip


def random_joints(rng, topic):
    """Return a JointState, and whether it can be obeyed."""
    names = [str(name) for name in rng.permutation(TOPICS[topic])[: rng.integers(1, 3)]]
    field = 'velocity' if topic == 'command/gimbals' or rng.random() < 0.2 else 'effort'
    message = JointState(name=names)
    amounts = rng.normal(size=len(names)) * 0.01
    good = field == 'effort' or topic == 'command/gimbals' or names == ['w']
    good = good and not (field == 'velocity' and topic == 'command/thrusters')
    if rng.random() < 0.1:
        amounts[rng.integers(len(names))] = odd = ODD[rng.integers(5)]
        good = good and np.isfinite(odd)
    setattr(message, field, amounts.tolist())
    match rng.integers(20):
        case 0:
            message.name, good = [*names, 'nobody'], False
        case 1:
            message.name, good = [names[0], names[0]], False
        case 2:
            setattr(message, field, [*amounts.tolist(), 0.0])
            good = False
        case 3:
            message.effort = message.velocity = amounts.tolist()
            good = False
        case 4:
            message.position, good = [0.0], False
        case 5:
            message.header.stamp.sec, good = 2_000_000_000, False
        case 6:
            message.name, good = [], False
    return message, bool(good)


def random_dipole(rng):
    """Return a Vector3Stamped, and whether it can be obeyed."""
    frame = str(rng.choice([*TOPICS['command/dipole'], 'world', '']))
    numbers, good = rng.normal(size=3) * 0.2, frame.endswith('_link')
    if rng.random() < 0.1:
        numbers[rng.integers(3)] = odd = ODD[rng.integers(5)]
        good = good and np.isfinite(odd)
    message = Vector3Stamped(vector=Vector3(**dict(zip('xyz', numbers.tolist(), strict=True))))
    message.header.frame_id = frame
    if rng.random() < 0.05:
        message.header.stamp.sec, good = 2_000_000_000, False
    return message, bool(good)


def test_four_thousand_random_commands_are_all_counted_and_nothing_is_not_finite(
    ros, command, path, tmp_path
):
    rng, bag = np.random.default_rng(17), tmp_path / 'bag'
    heard, clock = ros.listen(DiagnosticArray, '/diagnostics'), ros.listen(Clock, '/clock')
    sent = publishers(ros)
    wanted = dict.fromkeys(TOPICS, 0)
    refused = 0

    def said():
        values = {pair.key: pair.value for pair in heard[-1].status[0].values} if heard else {}
        taken = [values.get(f'{what} commands taken') for what in
                 ('wheel', 'gimbal', 'thruster', 'magnetorquer')]  # fmt: skip
        return [int(one or 0) for one in taken], int(values.get('commands refused', 0))

    arguments = ('run', str(path), '--duration', '0', '--rate', '2', '--record', str(bag))
    with process(command, *arguments) as child:
        ros.until(lambda: all(one.get_subscription_count() for one in sent.values()))
        for number in range(4_000):
            topic = str(rng.choice(list(TOPICS)))
            if topic == 'command/dipole':
                message, good = random_dipole(rng)
            else:
                message, good = random_joints(rng, topic)
            wanted[topic] += good
            refused += not good
            sent[topic].publish(message)
            if number % 100 == 0:  # a flood, and yet it flies, however busy the machine
                ticks = len(clock)
                time.sleep(0.06)
                ros.until(lambda: len(clock) > ticks)  # noqa: B023
        assert all(one.wait_for_all_acked(Duration(seconds=PATIENCE)) for one in sent.values())
        ros.until(lambda: said() == (list(wanted.values()), refused))
        assert sum(wanted.values()) + refused == 4_000
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=PATIENCE) == 0, child.stderr.read()
    assert refused > 800
    assert min(wanted.values()) > 200
    table, _ = history.read(bag)
    assert len(table.time) >= 40
    for numbers in (table.angular_velocity_B, table.energies, table.wheels.speeds):
        assert np.isfinite(numbers).all()
    told = ('/joint_states', '/ground_truth/joint_states')
    with Reader(bag) as reader:
        wanted = (*told, '/magnetorquers/dipole')
        chosen = [one for one in reader.connections if one.topic in wanted]
        for connection, _, data in reader.messages(connections=chosen):
            message = STORE.deserialize_cdr(data, connection.msgtype)
            if connection.topic in told:
                several = [*message.position, *message.velocity, *message.effort]
            else:
                several = [message.vector.x, message.vector.y, message.vector.z]
            assert np.isfinite(several).all()


def test_a_cut_torque_counts_and_a_cut_dipole_does_not():
    """Magnetic control asks for more than the rods have; no figure of a wheel is worse for it."""
    held = SimpleNamespace(
        wrenches=SimpleNamespace(saturated=2),
        actuators={
            kind: SimpleNamespace(saturated=number)
            for kind, number in (
                ('wheel', 4),
                ('gimbal', 8),
                ('thruster', 16),
                ('magnetorquer', 1),
            )
        },
    )
    commands = object.__new__(Commands)
    commands.held = held
    assert commands.times_cut == 2 + 4 + 8 + 16
