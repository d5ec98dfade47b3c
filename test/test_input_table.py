# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of commands: held from row to row, with all limits; the same bits without ROS."""

from types import SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import Vector3Stamped
from processes import called, run
from rclpy.duration import Duration
from sensor_msgs.msg import JointState

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.body.state import from_flat
from spacecraft_attitude_sim.core.simulation import Inputs, next_instant
from spacecraft_attitude_sim.core.simulation.commands import CommandRefusedError
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.nodes.attitude_controller.node import AttitudeControllerNode
from spacecraft_attitude_sim.nodes.simulator.commands import TOPIC_OF, Commands
from spacecraft_attitude_sim.recording import history, input_table
from spacecraft_attitude_sim.recording.input_table import InputTableError
from spacecraft_attitude_sim.runs import open_loop

PYRAMID, TAKE_OVER, JETS, CUBE = (
    scenario.load(scenario.find(name))
    for name in (
        'cubesat_pyramid_limits', 'wheels_take_over', 'thruster_limit_cycle', 'cubesat_tumble',
    )
)  # fmt: skip


def table_of(folder, text, found=PYRAMID, **options):
    """Return the InputTable of a text, for a scenario."""
    path = folder / 'table.csv'
    path.write_text(text)
    return input_table.read(path, found.plant, found.inputs, **options)


def with_changes(found, given):
    """Return a Scenario with some parameters changed."""
    return scenario.build({**found.parameters, **given}, 'changed')


def flown(found, table, ticks):
    """Return the Instants of a loop without ROS."""
    instants = [found.first_instant()]
    for tick in range(ticks):
        inputs = table.at(found.plant.ticks.seconds(tick))
        instants.append(next_instant(found.plant, instants[-1], inputs))
    return instants


# --- what is held when ---------------------------------------------------------------------------


def test_a_row_is_held_from_its_time_until_the_next_and_the_last_for_ever(tmp_path):
    table = table_of(
        tmp_path,
        't [s],wheel.w2.torque [N m]\n0.03125,0.001\n0.04,0.002\n0.1,-0.003\n',
    )
    given = PYRAMID.inputs.wheel_torque
    found = [table.at(tick * TICK_SECONDS).wheel_torque for tick in range(6)]
    # The second acts from the first tick after 0.04 s on, and the third from that after 0.1 s.
    assert [one[1] for one in found] == [given[1], 0.001, 0.002, 0.002, -0.003, -0.003]
    assert table.at(1e6).wheel_torque[1] == -0.003
    # The others keep what the scenario says.
    for one in found:
        assert one[[0, 2, 3]].tolist() == given[[0, 2, 3]].tolist()


def test_times_are_those_of_any_tick_rate_to_the_nanosecond(tmp_path):
    """0.3 is less than 3 · 0.1 as a float, and is the same nanosecond."""
    plant = with_changes(CUBE, {'tick_rate': 10.0}).plant
    path = tmp_path / 'table.csv'
    path.write_text('t [s],torque_x [N m]\n0.3,1e-3\n0.7,2e-3\n')
    table = input_table.read(path, plant)
    torques = [table.at(plant.ticks.seconds(tick)).wrench[3] for tick in range(9)]
    assert torques == [0.0] * 3 + [1e-3] * 4 + [2e-3] * 2


def test_forces_and_torques_act_in_body_and_world_axes_and_add_to_what_is_given(tmp_path):
    table = table_of(
        tmp_path,
        't [s],torque_y [N m],force_x [N],torque_world_z [N m],force_world_y [N]\n0,1,2,3,4\n',
        CUBE,
    )
    wrench = np.array([2.0, 0, 0, 0, 1.0, 0, 0, 4.0, 0, 0, 0, 3.0])
    assert table.at(0.0).wrench.tolist() == wrench.tolist()
    held = Inputs(wrench=np.arange(12.0))
    assert table.over(held, 5).wrench.tolist() == (wrench + np.arange(12.0)).tolist()


def test_a_torque_of_a_second_gives_a_free_body_its_angular_momentum(tmp_path):
    table = table_of(tmp_path, 't [s],torque_world_z [N m]\n1,2e-4\n2,0\n', CUBE)
    instants = flown(CUBE, table, 80)
    gained = np.array([one.state.angular_momentum_W for one in instants])
    gained -= gained[0]
    expected = 2e-4 * np.clip(np.arange(81) * TICK_SECONDS - 1.0, 0.0, 1.0)
    assert gained[:, 2] == pytest.approx(expected, rel=1e-12, abs=1e-18)
    assert np.abs(gained[:, :2]).max() < 1e-18


def test_every_limit_of_commands_applies(tmp_path):
    """Motors give no more than they can, nor do components of a wrench; the text tells it."""
    text = 't [s],wheel.w1.torque [N m],torque_x [N m]\n0,0.5,-9\n1,0,-3e-3\n2,0.001,1e-3\n'
    table = table_of(tmp_path, text, torque_limit=(2e-3, 1.0, 1.0))
    inputs = [table.at(time) for time in (0.0, 1.0, 2.0)]
    assert [one.wheel_torque[0] for one in inputs] == [0.004, 0.0, 0.001]
    assert [one.wrench[3] for one in inputs] == [-2e-3, -2e-3, 1e-3]
    assert '3 rows to 2 s, 2 brought to a limit' in table.text()


def way_of_table(found, force, torque, folder):
    names = [f'{load}_{axis} {unit}' for load, unit in (('force', '[N]'), ('torque', '[N m]'))
             for axis in 'xyz']  # fmt: skip
    path = folder / 'both.csv'
    path.write_text(f't [s],{",".join(names)}\n0,{",".join(map(str, (*force, *torque)))}\n')
    simulation = sas.Simulation(found, controller=None, inputs=path)
    simulation.step()
    return simulation.instant.state


def way_of_step(found, force, torque, folder):
    simulation = sas.Simulation(found, controller=None)
    simulation.step(force=force, torque=torque)
    return simulation.instant.state


def way_of_rollout(found, force, torque, folder):
    whole = sas.rollout(found, {'force': [force], 'torque': [torque]})
    return from_flat(whole.states[0, -1])


@pytest.mark.parametrize('way', [way_of_table, way_of_step, way_of_rollout])
def test_limits_of_a_scenario_are_those_of_each_component(way, tmp_path):
    """Of six different limits, those of forces and of torques, whoever commands."""
    force, torque = [1e-3, 2e-3, 3e-3], [4e-6, 5e-6, 6e-6]
    limits = {'command_force_limit': force, 'command_torque_limit': torque}
    found = sas.load('cubesat_tumble', angular_velocity=[0, 0, 0], parameters=limits)
    state = way(found, [1.0, -1.0, 1.0], [-1.0, 1.0, -1.0], tmp_path)
    signs = np.array((1.0, -1.0, 1.0))
    # In a tick the body turns by less than 1e-5 rad.
    gained = TICK_SECONDS * signs * force, -TICK_SECONDS * signs * torque
    assert state.momentum_W == pytest.approx(gained[0], rel=1e-4, abs=0.0)
    assert state.angular_momentum_W == pytest.approx(gained[1], rel=1e-4, abs=0.0)


def test_a_wheel_may_be_told_its_speed_and_others_their_torque(tmp_path):
    found = with_changes(PYRAMID, {'wheel.w3.speed_bandwidth': 2.0})
    text = 't [s],wheel.w3.speed [rad/s],wheel.w1.torque [N m]\n0,100,0.001\n'
    inputs = table_of(tmp_path, text, found).at(0.0)
    assert np.array_equal(inputs.wheel_speed, [np.nan, np.nan, 100.0, np.nan], equal_nan=True)
    assert inputs.wheel_torque[[0, 2]].tolist() == [0.001, 0.0]


def test_rods_are_told_their_dipoles_one_by_one(tmp_path):
    text = 't [s],magnetorquer.y.dipole [A m^2]\n0,0.05\n1,-9\n'
    table = table_of(tmp_path, text)
    assert table.at(0.0).dipole.tolist() == [0.0, 0.05, 0.0]
    assert table.at(1.0).dipole.tolist() == [0.0, -0.1, 0.0]


def test_gimbals_turn_at_the_rates_of_a_table(tmp_path):
    found = scenario.load(scenario.find('station_cmg'))
    name = found.plant.spacecraft.part('control_moment_gyros').names[1]
    table = table_of(tmp_path, f't [s],gimbal.{name}.rate [rad/s]\n0,1e-3\n', found)
    assert table.at(0.0).gimbal_rate[1] == 1e-3


# --- how long valves are open --------------------------------------------------------------------


@pytest.mark.parametrize(
    ('period', 'begin', 'seconds'),
    [
        (0.5, 0.5, 0.12), (0.5, 1.0, 0.7), (0.5, 0.53125, 0.12), (TICK_SECONDS, 0.53125, 0.12),
        (TICK_SECONDS / 8, 0.51, 0.1), (0.0, 0.5, 0.12), (0.0, 0.51, 0.07),
    ],
)  # fmt: skip
def test_a_valve_is_open_as_long_as_its_on_time_says(tmp_path, period, begin, seconds):
    """Whatever the periods and ticks, the torque gives 0.1 N · 0.1 m · on-time about x."""
    given = {
        f'thruster.{name}.period': period for name in JETS.plant.spacecraft.part('thrusters').names
    }
    if not period:
        given |= {name.replace('period', 'min_on_time'): 0.0 for name in given}
    elif period < 0.02:
        given |= {name.replace('period', 'min_on_time'): 1e-6 for name in given}
    found = with_changes(JETS, given | {'initial.angular_velocity': [0.0, 0.0, 0.0]})
    text = f't [s],thruster.roll_up.on_time [s]\n{begin},{seconds}\n'
    instants = flown(found, table_of(tmp_path, text, found), 90)
    gained = instants[-1].state.angular_momentum_W
    assert np.linalg.norm(gained) == pytest.approx(1e-2 * seconds, rel=1e-9)


@pytest.mark.parametrize(('rate', 'ticks'), [(10.0, 3), (100.0, 29), (50.0, 57), (10.0, 7)])
def test_a_period_is_of_whole_ticks_however_it_is_rounded(tmp_path, rate, ticks):
    """0.3/0.1 is 2.9999999999999996; a valve is open for its whole on-time all the same."""
    period = round(ticks / rate, 9)
    given = {
        f'thruster.{name}.period': period for name in JETS.plant.spacecraft.part('thrusters').names
    }
    given |= {'tick_rate': rate, 'initial.angular_velocity': [0.0, 0.0, 0.0]}
    found = with_changes(JETS, given)
    text = 't [s],thruster.roll_up.on_time [s]\n0,0.12\n'
    instants = flown(found, table_of(tmp_path, text, found), 2 * ticks + 10)
    gained = instants[-1].state.angular_momentum_W
    assert np.linalg.norm(gained) == pytest.approx(1e-2 * 0.12, rel=1e-9)


def test_a_new_row_ends_an_on_time_and_begins_its_own(tmp_path):
    """The row at 1.99 s never acts: another follows before the next tick."""
    text = 't [s],thruster.roll_up.on_time [s]\n0,10\n1,0\n1.99,5\n2,0.25\n'
    found = with_changes(JETS, {'initial.angular_velocity': [0.0, 0.0, 0.0]})
    instants = flown(found, table_of(tmp_path, text, found), 128)
    gained = np.array([np.linalg.norm(one.state.angular_momentum_W) for one in instants])
    assert gained[[32, 63, 128]] == pytest.approx([1e-2, 1e-2, 1.25e-2], rel=1e-9)


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('t [s],wheel.w9.torque [N m]\n0,1\n', "no wheel 'w9'; valid are w1, w2, w3, w4"),
        ('t [s],thruster.a.force [N]\n0,1\n', 'has no thrusters; leave it out'),
        ('t [s],wheel.w1.torque [mN m]\n0,1\n', "did you mean 'wheel.w1.torque [N m]'?"),
        ('t [s],torqe_x [N m]\n0,1\n', "did you mean 'torque_x [N m]'?"),
        ('t [s],qqq\n0,1\n', 'valid ones are in docs/control.md'),
        ('time,torque_x [N m]\n0,1\n', "the first column is 'time'; begin with a header"),
        ('', 'the first column is nothing'),
        ('t [s]\n0\n', 'has no column but t [s]'),
        ('t [s],torque_x [N m]\n', 'has a header and no row'),
        ('t [s],torque_x [N m],torque_x [N m]\n0,1,1\n', "has 'torque_x [N m]' twice"),
        (
            't [s],wheel.w1.torque [N m],wheel.w1.speed [rad/s]\n0,1,1\n',
            "commands wheel 'w1' in two ways",
        ),
        ('t [s],torque_x [N m]\n0,1e-4\n1,1e-4\n1,0\n', 'line 4: t [s] is 1 after 1; time must'),
        ('t [s],torque_x [N m]\n-1,0\n', 'line 2: t [s] is -1; a run begins at 0 s'),
        ('t [s],torque_x [N m]\n0,0\n1e10,0\n', 'is 1e+10; a run begins at 0 s and ends before'),
        ('t [s],torque_x [N m]\n0,0\n1,nan\n', "line 3: torque_x [N m] is 'nan'; give a finite"),
        ('t [s],torque_x [N m]\n0,inf\n', "line 2: torque_x [N m] is 'inf'"),
        ('t [s],torque_x [N m]\n0,\n', "line 2: torque_x [N m] is ''"),
        ('t [s],torque_x [N m]\n0,1,2\n', 'line 2 has 3 of 2 values'),
        ('t [s],wheel.w1.speed [rad/s]\n3,1\n', 'line 2, t [s] = 3: velocity of'),
        # 1e4 N m for a tenth of a second, not the second that a command is judged by.
        ('t [s],torque_x [N m]\n0,1e4\n0.1,0\n', 'at 188011 rad/s in 0.125 s'),
    ],
)
def test_a_table_is_refused_with_line_column_value_and_remedy(tmp_path, text, words):
    with pytest.raises(InputTableError) as refused:
        table_of(tmp_path, text)
    assert words in str(refused.value)
    assert str(refused.value).startswith(str(tmp_path / 'table.csv'))


def test_on_times_that_no_valve_can_follow_are_refused(tmp_path):
    name = 'thruster.roll_up.on_time [s]'
    with pytest.raises(InputTableError, match=r'on_time of .* is -0.1 s; give 0 or more'):
        table_of(tmp_path, f't [s],{name}\n0,1\n1,-0.1\n', JETS)
    odd = with_changes(JETS, {'thruster.roll_up.period': 0.51})
    with pytest.raises(InputTableError, match=r'period of 0.51 s is no whole number of ticks'):
        table_of(tmp_path, f't [s],{name}\n0,1\n', odd)
    both = 't [s],thruster.roll_up.on_time [s],thruster.roll_up.force [N]\n0,1,1\n'
    with pytest.raises(InputTableError, match="commands thruster 'roll_up' in two ways"):
        table_of(tmp_path, both, JETS)


def test_rows_between_two_ticks_are_counted_and_the_last_of_them_acts(tmp_path):
    rows = ''.join(f'{0.01 * number:g},{number}e-5\n' for number in range(10))
    table = table_of(tmp_path, f't [s],torque_x [N m]\n{rows}', CUBE)
    torques = [table.at(tick * TICK_SECONDS).wrench[3] for tick in range(4)]
    assert torques == [0.0, 3e-5, 6e-5, 9e-5]
    assert '6 more never act: another follows before the next tick (0.03125 s)' in table.text()


def test_two_tables_command_different_actuators(tmp_path):
    paths = [tmp_path / f'{number}.csv' for number in range(3)]
    paths[0].write_text('t [s],wheel.w1.torque [N m],torque_x [N m]\n0,0.001,1e-5\n')
    paths[1].write_text('t [s],wheel.w2.torque [N m],torque_x [N m]\n0.5,0.002,2e-5\n')
    paths[2].write_text('t [s],wheel.w2.torque [N m]\n0,0\n')
    tables = input_table.read_several(paths[:2], PYRAMID.plant)
    inputs = input_table.at(tables, 0.5)
    assert inputs.wheel_torque.tolist() == [0.001, 0.002, 0.0, 0.0]
    assert inputs.wrench[3] == 1e-5 + 2e-5
    with pytest.raises(InputTableError, match=r"commands wheel 'w2', and so does .*1\.csv"):
        input_table.read_several(paths, PYRAMID.plant)


# --- in a run ------------------------------------------------------------------------------------


def test_a_table_alone_flies_a_scenario_in_lockstep_to_the_same_bits_everywhere(
    command, domain, tmp_path
):
    """The run, its bag computed again, and a loop in Python without ROS agree in every bit."""
    table, bag, csv = tmp_path / 'jets.csv', tmp_path / 'bag', tmp_path / 'out.csv'
    table.write_text(
        't [s],thruster.roll_up.on_time [s],thruster.yaw_down.force [N]\n'
        '0.5,0.12,0\n1.7,0.4,0.05\n2.5,0,0\n'
    )
    beside = tmp_path / 'push.csv'
    beside.write_text('t [s],torque_world_x [N m]\n1,1e-4\n1.5,0\n')
    arguments = ['thruster_limit_cycle', '--no-controller', '--no-markers', '--rate', 0]
    arguments += ['--duration', 3, '--inputs', table, '--inputs', beside, '--csv', csv]
    done = run(command, 'run', *arguments, '--record', bag)
    assert done.returncode == 0, done.stderr
    assert f'{table}: 3 rows to 2.5 s' in done.stderr  # as ROS logs it
    said = run(command, 'replay', bag, '--resimulate').stdout.split()
    assert said[0] == 'identical:'
    assert said[1] == said[3]

    tables = input_table.read_several([table, beside], JETS.plant, JETS.inputs)
    instants = [JETS.first_instant()]
    for tick in range(96):
        inputs = input_table.at(tables, tick * TICK_SECONDS)
        instants.append(next_instant(JETS.plant, instants[-1], inputs))
    for read, _ in (history.read(bag), history.read(csv)):
        assert np.array_equal(read.quaternion, [one.state.q_WB for one in instants])
        rates = [JETS.plant.spacecraft.angular_velocity_B(one.state) for one in instants]
        assert np.array_equal(read.angular_velocity_B, rates)
    used = history.read(bag)[0].thrusters.used[-1]
    # 0.52 s of one valve, and of the other half of 0.8 s in periods of half a second from 2 s on.
    flow = 0.1 / (60.0 * 9.80665)
    assert used[0] == pytest.approx(0.52 * flow, rel=1e-12)
    assert used[5] == pytest.approx(0.25 * flow, rel=1e-12)


def test_a_node_follows_its_table_again_after_a_reset_and_refuses_who_commands_the_same(
    ros, tmp_path
):
    path = tmp_path / 'wheel.csv'
    path.write_text('t [s],wheel.z.torque [N m],torque_x [N m]\n0.0625,0.001,1e-6\n')
    given = {**TAKE_OVER.parameters, 'publish_clock': False}
    node = ros.simulator(given, autostart=False)
    tables = input_table.read_several([path], node.plant, node.scenario.inputs)
    node.commands.follow(tables)
    wheels = ros.node.create_publisher(JointState, 'command/wheels', 10)
    ros.until(lambda: wheels.get_subscription_count())
    for name in ('z', 'x'):
        wheels.publish(JointState(name=[name], effort=[5e-4]))
    assert wheels.wait_for_all_acked(Duration(seconds=5))
    ros.until(lambda: node.commands.actuators['command/wheels'].taken)
    assert node.commands.inbox.refused == 1
    assert "wheel 'z' follows" in node.commands.inbox.last_refusal
    _, _, _, said = node.diagnostics._report()
    assert said['tables of commands'] == f'{path}: 1 row to 0.0625 s'
    node.driver.start()
    node.driver.pause()
    for _ in range(2):
        torques = []
        for _ in range(4):
            node.driver.step(1)
            torques.append(node.instant.inputs.wheel_torque.tolist())
        first = TAKE_OVER.inputs.wheel_torque[2]
        # The command of the node to the other wheel acts until the reset, and for half a second.
        assert [one[2] for one in torques] == [first, first, 0.001, 0.001]
        assert node.instant.inputs.wrench[3] == 1e-6
        node.driver.reset()


def test_an_actuator_that_follows_a_table_takes_no_other_command():
    commands, path = object.__new__(Commands), 'a.csv'
    taken = []
    kind = SimpleNamespace(names=['x', 'y'])
    actuator = SimpleNamespace(kind=kind, command=lambda *given: taken.append(given))
    actuator.share = actuator.command
    wheels, dipole = TOPIC_OF['wheel'], TOPIC_OF['magnetorquer']
    commands.actuators = {wheels: actuator, dipole: actuator}
    commands._base = SimpleNamespace(q_BF=np.array((1.0, 0.0, 0.0, 0.0)))
    turned = SimpleNamespace(q_BF=np.array((0.5**0.5, 0.0, 0.0, 0.5**0.5)))
    commands._frames_of_body = {'base_link': commands._base, 'imu_link': turned}
    commands._by_table = {wheels: {'z': path}, dipole: {'y': path}}
    joints = JointState(name=['x'], effort=[1.0], velocity=[2.0], position=[3.0])
    commands._command_joints(wheels, joints, b'a')
    assert taken == [(['x'], joints.effort, joints.velocity, joints.position, b'a')]
    joints.name = ['x', 'z']
    said = r"wheel 'z' follows a\.csv; leave its column out"
    with pytest.raises(CommandRefusedError, match=said):
        commands._command_joints(wheels, joints, b'a')
    message = Vector3Stamped()
    message.header.frame_id, message.vector.x = 'imu_link', 0.25
    with pytest.raises(CommandRefusedError, match="magnetorquer 'y' follows"):
        commands._command_dipole(dipole, message, b'a')
    commands._by_table = {}
    for frame, expected in (('imu_link', (0.0, 0.25, 0.0)), ('base_link', (0.25, 0.0, 0.0))):
        message.header.frame_id = frame
        commands._command_dipole(dipole, message, b'b')
        moment, source = taken.pop()
        assert moment == pytest.approx(expected, abs=1e-15) and source == b'b'
    message.header.frame_id = 'world'
    with pytest.raises(CommandRefusedError, match="frame_id is 'world'; .*base_link, imu_link"):
        commands._command_dipole(dipole, message, b'a')


def test_a_table_and_our_controller_do_not_command_the_same_actuator(ros, tmp_path):
    sections = scenario.read(scenario.find('thruster_limit_cycle'))
    controller = ros.add(AttitudeControllerNode(sections['attitude_controller']))
    name = 'thruster.yaw_up.force [N]'
    tables = [table_of(tmp_path, f't [s],{name}\n0,0\n', JETS)]
    with pytest.raises(InputTableError, match="commands thruster 'yaw_up', and so does the scen"):
        open_loop.check_beside(tables, controller)
    # A wrench adds to what the controller commands.
    tables = [table_of(tmp_path, 't [s],torque_x [N m]\n0,0\n', JETS)]
    open_loop.check_beside(tables, controller)


def test_a_run_in_lockstep_waits_for_those_that_answer_beside_a_table(ros, tmp_path):
    given = {**TAKE_OVER.parameters, 'lockstep': True, 'publish_clock': False}
    given |= {'lockstep_topics': ['command/wrench']}
    node = ros.simulator(given, autostart=False)
    assert node.commands.lacking() == ['command/wrench']
    assert not node.commands.answered
    path = tmp_path / 'push.csv'
    path.write_text('t [s],torque_x [N m]\n0,1e-6\n')
    node.commands.follow(input_table.read_several([path], node.plant))
    assert node.commands.lacking() == []
    assert node.commands.answered_by_tables
    assert node.commands.answered
    assert not node.commands.owed()


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (['tennis_racket', '--inputs', 'sat1:=no.csv'], "no spacecraft 'sat1'; there is one"),
        (['formation', '--inputs', 'no.csv'], 'whose is it? give --inputs NAME:=…, NAME one'),
        (['formation', '--inputs', 'chef:=no.csv'], "no spacecraft 'chef'; give --inputs NAME:=…"),
    ],
)
def test_a_table_is_of_one_spacecraft(arguments, said):
    done = called('run', *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count('\n') == 1
