# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Figures, tables, RViz and the viewer show actuators as their closed forms say."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from geometry_msgs.msg import Vector3Stamped
from plain import plain
from processes import printed, run
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from test_history import recorded
from test_markers import TURNED, drawer
from visualization_msgs.msg import Marker

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.control import gimbal_steering
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import (
    ReactionWheels,
    WheelDynamics,
)
from spacecraft_attitude_sim.core.simulation.solver import Actuated
from spacecraft_attitude_sim.core.spacecraft import channels
from spacecraft_attitude_sim.drawing import (
    actuator_looks,
    body_looks,
    curves,
    figures,
    meshes,
    part_figures,
    response_report,
    selected_panels,
    wheel_discs,
    wheel_figures,
)
from spacecraft_attitude_sim.drawing.panel_names import NAMES
from spacecraft_attitude_sim.nodes.markers.actuator_markers import DIPOLE_WIDTH, ActuatorMarkers
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.recording import bag_history, history, motion_table, part_history
from spacecraft_attitude_sim.recording import table as run_table
from spacecraft_attitude_sim.recording.errors import RecordingError
from spacecraft_attitude_sim.recording.part_history import PartHistory, places_of
from spacecraft_attitude_sim.recording.reader import RecordedInstant
from spacecraft_attitude_sim.runs.run_observer import RunObserver

pytestmark = pytest.mark.usefixtures('placed_roughly')

SECONDS, STEP = 2.0, 1.0 / 32.0
EVERYTHING = """
/**/simulator:
  ros__parameters:
    description: every kind of actuator
    command_timeout: 0.0
    magnetic_field: [2.0e-05, -1.0e-05, 4.0e-05]
    body: {mass: 4.0, inertia: [0.05, 0.06, 0.04], parts: [box]}
    parts: {box: {shape: box, size: [0.3, 0.2, 0.2]}}
    initial: {angular_velocity: [0.05, -0.02, 0.1]}
    wheels: [a, b, c, d]
    wheel:
      a: {axis: [0.577, 0.577, 0.577], inertia: 2.0e-05, max_torque: 0.002, max_speed: 120.0,
          torque: 0.0018, initial_speed: 50.0, position: [0.0, 0.0, 0.16],
          friction: {viscous: 1.0e-07, coulomb: 2.0e-05}}
      b: {axis: [-0.577, 0.577, 0.577], inertia: 2.0e-05, max_torque: 0.002, max_speed: 400.0,
          torque: -0.001, torque_lag: 0.3, friction: {viscous: 1.0e-07, coulomb: 2.0e-05}}
      c: {axis: [-0.577, -0.577, 0.577], inertia: 2.0e-05, max_torque: 0.002, max_speed: 400.0,
          initial_speed: 20.0, friction: {viscous: 1.0e-07, coulomb: 2.0e-05}}
      d: {axis: [0.577, -0.577, 0.577], inertia: 2.0e-05, max_torque: 0.002, max_speed: 400.0,
          speed_bandwidth: 2.0, speed: [-9.0], friction: {viscous: 1.0e-07, coulomb: 2.0e-05}}
    gimbals: [g, f]
    gimbal:
      g: {axis: [0.0, 0.0, 1.0], spin_axis: [1.0, 0.0, 0.0], rotor_inertia: 1.0e-05,
          rotor_speed: 600.0, max_rate: 0.8, max_acceleration: 2.0, rate: 0.5,
          inertias: [1.0e-06, 1.0e-06, 1.0e-06]}
      f: {axis: [0.0, 1.0, 0.0], spin_axis: [0.0, 0.0, 1.0], rotor_inertia: 1.0e-05,
          rotor_speed: 600.0, max_rate: 0.8, angle: 0.4, rate: -0.3,
          inertias: [1.0e-06, 1.0e-06, 1.0e-06]}
    thrusters: [left, right]
    thruster:
      left: {position: [0.15, 0.1, 0.0], direction: [0.0, -1.0, 0.0], max_force: 0.02,
             period: 0.5, min_on_time: 0.01, force: 0.0006}
      right: {position: [0.15, -0.1, 0.0], direction: [0.0, 1.0, 0.0], max_force: 0.02,
              specific_impulse: 65.0, rise_time: 0.3, fall_time: 0.3, force: 0.012}
    magnetorquers: [x, y, z]
    magnetorquer:
      x: {axis: [1.0, 0.0, 0.0], max_dipole: 0.2, dipole: 0.15, lag: 0.5}
      y: {axis: [0.0, 1.0, 0.0], max_dipole: 0.2, dipole: 0.2}
      z: {axis: [0.0, 0.0, 1.0], max_dipole: 0.2, dipole: -0.05}
"""
JOINTS = ['a', 'b', 'c', 'd', 'g', 'f', 'left', 'right']
# Of each rotor, J Ω [N m s].
ROTOR = 6e-3


@pytest.fixture(scope='module')
def flown(command, tmp_path_factory):
    """The bag and the table of two seconds of it."""
    folder = tmp_path_factory.mktemp('actuators')
    path = folder / 'everything.yaml'
    path.write_text(EVERYTHING)
    given = ('--rate', 0, '--duration', SECONDS)
    printed(command, 'run', path, *given, '--record', folder / 'bag', '--csv', folder / 'run.csv')
    return folder / 'bag', folder / 'run.csv'


@pytest.fixture(scope='module')
def table(flown):
    """Its History."""
    figures.without_display()
    return history.read(flown[0])[0]


@pytest.fixture(scope='module')
def found():
    """Its Scenario, of which nothing was recorded."""
    return scenario.parse(EVERYTHING, 'everything')


@pytest.fixture
def closing():
    """Close every figure at the end."""
    from matplotlib import pyplot

    yield
    pyplot.close('all')


def gimbal_angles(time):
    """Return the angles (n, 2): one speeds up by 2 rad/s² to 0.5 rad/s, one jumps to its rate."""
    up = np.minimum(time, 0.25)
    return np.column_stack((up**2 + 0.5 * (time - up), 0.4 - 0.3 * time))


def held(time):
    """Return what the rotors hold (n, 3) [N m s]."""
    one, other = gimbal_angles(time).T
    first = np.column_stack((np.cos(one), np.sin(one), 0.0 * one))
    return ROTOR * (first + np.column_stack((np.sin(other), 0.0 * other, np.cos(other))))


def thrust_impulse(time):
    """Return the impulse (n,) [N s] of a proportional thruster that rises to 0.012 N in 0.3 s."""
    return 0.012 * (time - 0.3 * (1.0 - np.exp(-time / 0.3)))


# --- what was recorded ---------------------------------------------------------------------------


def test_impulses_are_exact_though_no_tick_ends_in_a_pulse(table):
    """A valve that is open for 15 ms every half second, while a tick takes 31 ms."""
    impulses = table.thrusters.impulses
    pulsed = np.zeros(len(table.time))
    pulsed[1::16] = 0.015 * 0.02
    assert impulses[:, 0] == pytest.approx(pulsed, abs=1e-16)
    assert table.thrusters.pulses[-1].tolist() == [4.0, 0.0]
    whole = np.cumsum(impulses[:, 1])
    assert whole == pytest.approx(thrust_impulse(table.time), rel=1e-12)
    # What counts propellant counts the same; of the other nobody asked for it.
    assert table.thrusters.used[:, 1] == pytest.approx(whole / (65.0 * 9.80665), rel=1e-9, abs=0.0)
    assert not table.thrusters.used[:, 0].any()


def parts_of(found, instants):
    """Return {kind: PartHistory} of what a bag gave."""
    moments = [run_table.moment_of(found.plant, one.instant) for one in instants]
    return part_history.of_run(found, moments, [one.received for one in instants])


def test_a_tick_whose_beginning_was_not_recorded_has_no_known_impulse(table, flown, found):
    _, instants = bag_history._read_bag(flown[0], None)
    impulses = parts_of(found, instants[:20] + instants[22:])['thrusters'].impulses
    assert np.flatnonzero(np.isnan(impulses[:, 0])).tolist() == [20]
    told = np.delete(impulses, 20, axis=0)
    assert told.tolist() == np.delete(table.thrusters.impulses, [20, 21, 22], axis=0).tolist()


def test_a_recorded_instant_is_simulated_once(flown, table, monkeypatch):
    counts = dict.fromkeys(('simulated', 'end_of'), 0)

    def counted(owner, name):
        function = getattr(owner, name)

        def call(*given):
            counts[name] += 1
            return function(*given)

        monkeypatch.setattr(owner, name, call)

    counted(RecordedInstant, 'simulated')
    counted(Actuated, 'end_of')
    found, _, _, rows, _ = history.read_with_table(flown[0])
    assert np.array_equal(found.time, table.time)
    assert counts == dict.fromkeys(counts, len(rows))


def test_gimbals_turn_and_hold_as_commanded(table):
    gimbals, time = table.gimbals, table.time
    assert gimbals.angles == pytest.approx(gimbal_angles(time), abs=1e-12)
    assert gimbals.rates[-1] == pytest.approx([0.5, -0.3], rel=1e-12)
    assert gimbals.held_B == pytest.approx(held(time), abs=1e-15)
    # Of two, h² times the sine between their outputs, g × s: (-sin γ, cos γ, 0), (cos, 0, -sin).
    one, other = gimbal_angles(time).T
    cosine = -np.sin(one) * np.cos(other)
    expected = ROTOR**2 * np.sqrt(1.0 - cosine**2)
    assert part_figures.singularity_measures(gimbals) == pytest.approx(expected, rel=1e-9)


def test_angles_of_gimbals_go_on_beyond_half_a_turn(table, flown, found):
    _, instants = bag_history._read_bag(flown[0], None)
    turned, craft = [], found.plant.spacecraft
    own = craft.layout.of('gimbals')
    for number, one in enumerate(instants):
        state = one.instant.state
        internal = state.internal.copy()
        internal[own][0] = np.remainder(0.3 * number + np.pi, 2.0 * np.pi) - np.pi
        instant = one.instant._replace(state=state._replace(internal=internal))
        turned.append(one._replace(instant=instant))
    angles = parts_of(found, turned)['gimbals'].angles[:, 0]
    assert angles == pytest.approx(0.3 * np.arange(len(turned)), abs=1e-9)


def test_dipoles_follow_with_their_lag_and_saturate(table):
    rise = 0.15 * (1.0 - np.exp(-table.time / 0.5))
    dipoles = table.rods.dipoles
    assert dipoles[:, 0] == pytest.approx(rise, rel=1e-12)
    assert dipoles[1:, 1:].tolist() == [[0.2, -0.05]] * (len(table.time) - 1)


def test_rods_that_are_off_when_ticks_end_are_drawn_as_commanded(flown, found):
    _, instants = bag_history._read_bag(flown[0], None)
    craft = found.plant.spacecraft
    rods = replace(craft.part('magnetorquers'), off_after=0.9 * STEP)
    parts = tuple(rods if part.kind == rods.kind else part for part in craft.parts)
    plant = found.plant._replace(spacecraft=replace(craft, parts=parts))
    dipoles = parts_of(replace(found, plant=plant), instants)['magnetorquers'].dipoles
    assert dipoles[5].tolist() == [0.15, 0.2, -0.05]


def test_torques_of_wheels_are_those_of_their_motors_after_lag(table):
    torques = table.wheels.torques
    assert torques[:, 0].tolist() == [0.0018] * len(table.time)
    # Its lag began before the start, at what is commanded from there on.
    assert torques[1:, 1] == pytest.approx(np.full(len(table.time) - 1, -0.001), rel=1e-12)
    assert np.max(table.wheels.speeds[:, 0]) == 120.0


# --- tables --------------------------------------------------------------------------------------


def rows_of(path):
    with path.open() as file:
        names, *rows = csv.reader(file)
    values = np.array(rows, dtype=float)
    return dict(zip(names, values.T, strict=True))


def test_plot_writes_the_table_of_a_bag_as_run_does(flown, command, tmp_path, table):
    bag, direct = flown
    said = printed(command, 'plot', bag, '-o', tmp_path / 'a.svg', '--csv', tmp_path / 'a.csv')
    kinds = ('', '_wheels', '_gimbals', '_thrusters', '_magnetorquers')
    paths = [*(tmp_path / f'a{kind}.svg' for kind in kinds), tmp_path / 'a.csv']
    assert said.split() == [str(path) for path in paths]
    ours, theirs = rows_of(tmp_path / 'a.csv'), rows_of(direct)
    assert list(ours) == list(theirs)
    own = [name for name in ours if '.' in name]
    expected = [f'wheel.{n}.{what}' for n in 'abcd' for what in ('speed [rad/s]', 'torque [N m]')]
    expected += [f'gimbal.{n}.{what}' for n in 'gf' for what in ('angle [rad]', 'rate [rad/s]')]
    both = ('force [N]', 'propellant [kg]')
    expected += [f'thruster.{n}.{what}' for n in ('left', 'right') for what in both]
    expected += [f'magnetorquer.{n}.dipole [A m^2]' for n in 'xyz']
    assert own == expected
    for name in own:
        assert np.array_equal(ours[name], theirs[name]), name
    assert np.array_equal(ours['wheel.b.speed [rad/s]'], table.wheels.speeds[:, 1])
    assert ours['gimbal.f.angle [rad]'] == pytest.approx(gimbal_angles(table.time)[:, 1])
    thrust = 0.012 * (1.0 - np.exp(-table.time / 0.3))
    assert ours['thruster.right.force [N]'] == pytest.approx(thrust, rel=1e-12)
    assert not ours['thruster.left.force [N]'].any()
    assert list(ours)[-14:-5] == [*motion_table.POSITION, *motion_table.MOTION]
    assert list(ours)[-5:] == list(motion_table.BOOK)
    for name in list(ours)[-14:]:
        assert ours[name] == pytest.approx(theirs[name], abs=1e-15, rel=1e-12), name
    whole = sum(
        theirs[f'book_{what} [J]'] * sign
        for what, sign in (('motors', 1), ('heat', -1), ('loads', 1), ('missing', 1))
    )
    assert np.ptp(theirs['energy [J]']) > 1e-3
    assert whole == pytest.approx(theirs['energy [J]'] - theirs['energy [J]'][0], abs=1e-12)
    assert theirs['book_gained [J]'] == pytest.approx(whole, abs=1e-12)
    assert np.abs(theirs['book_missing [J]']).max() < 1e-9
    L_world = np.column_stack([theirs[f'L_world_{x} [N m s]'] for x in 'xyz'])
    assert np.linalg.norm(L_world, axis=1) == pytest.approx(
        np.linalg.norm(table.angular_momentum_B, axis=1), rel=1e-12
    )
    mean_v = (theirs['v_x [m/s]'][1:] + theirs['v_x [m/s]'][:-1]) / 2.0
    assert theirs['v_x [m/s]'].any()
    assert np.diff(theirs['x [m]']) == pytest.approx(STEP * mean_v, rel=0.05, abs=1e-9)
    assert ours['magnetorquer.x.dipole [A m^2]'].tolist() == table.rods.dipoles[:, 0].tolist()
    # A table with more columns is read as one without.
    read, _ = history.read(direct)
    assert np.array_equal(read.angular_momentum_B, np.column_stack([theirs[f'L_{x} [N m s]']
                                                                    for x in 'xyz']))  # fmt: skip


def test_a_table_of_a_hundred_thrusters_can_be_read(tmp_path):
    """Its lines have ten thousand characters."""
    found = craft_of(thrusters=[f'attitude_thruster_{number}' for number in range(100)])
    instant = found.first_instant()
    writer = history.CsvWriter(tmp_path / 'a.csv', plant=found.plant)
    observer = RunObserver(found, writer)
    for _ in range(2):
        observer(instant)
        instant = simulation.next_instant(found.plant, instant, Inputs())
    writer.close()
    assert len((tmp_path / 'a.csv').read_text().splitlines()[0]) > 2**12
    assert history.read(tmp_path / 'a.csv')[0].time.tolist() == [0.0, STEP]


def test_of_many_thrusters_the_impulse_of_all_is_told(table):
    thrusters = table.thrusters.parts
    four = replace(thrusters, names=tuple('pqrs'), thrusters=2 * thrusters.thrusters)
    twice = {name: np.tile(one, (1, 2)) for name, one in table.thrusters.arrays.items()}
    history = table._replace(parts={'thrusters': PartHistory(four, twice)})
    panels = part_figures.panels(history)['thrusters']
    whole = 2.0 * (0.0012 + thrust_impulse(2.0))
    assert panels[1].panel.note == f'all {whole:.4g} N s in 8 pulses'


def test_a_table_is_no_bag_to_write_a_table_of(flown, command, tmp_path):
    table = flown[1]
    done = run(command, 'plot', table, '-o', tmp_path / 'a.svg', '--csv', tmp_path / 'b.csv')
    assert done.returncode == 2
    assert done.stderr == f'attitude-sim: {table}: is a table already; leave --csv out\n'


def test_ideal_wheels_have_columns_and_a_body_alone_has_none_more(found):
    gyrostat = scenario.load(scenario.find('wheels_take_over'))
    instant = simulation.next_instant(
        gyrostat.plant, gyrostat.first_instant(), gyrostat.inputs
    )  # fmt: skip
    craft = gyrostat.plant.spacecraft
    names = history.columns(False, gyrostat.plant)[len(history.columns(False)) :]
    row = channels.row(run_table.moment_of(gyrostat.plant, instant))
    told = dict(zip(names, row, strict=False))
    assert told['wheel.z.torque [N m]'] == 0.000418968
    assert told['wheel.z.speed [rad/s]'] == craft.wheel_speeds(instant.state)[2] > 0.5
    alone = scenario.load(scenario.find('tennis_racket'))
    more = history.columns(False, alone.plant)[len(history.columns(False)) :]
    assert more == (*motion_table.POSITION, *motion_table.MOTION)
    assert channels.row(run_table.moment_of(alone.plant, alone.first_instant())) == ()


def test_the_energy_book_of_a_table_counts_from_the_last_state_that_was_set():
    """A motor's torque u about one axis works ½ (u t)² (1/J + 1/(I - J)) from rest."""
    found = scenario.load(scenario.find('wheels_take_over'))
    instants = [found.first_instant()]
    for _ in range(32):
        instants.append(simulation.next_instant(found.plant, instants[-1], found.inputs))
    work = 0.5 * 0.000418968**2 * (1.0 / 1.72e-5 + 1.0 / (0.007 - 1.72e-5))
    told = list(motion_table.entries_of(found.plant, [(one, False) for one in instants]))
    assert told[-1].motors == pytest.approx(work, rel=1e-9)
    anew = list(motion_table.entries_of(found.plant, [(one, one.tick == 16) for one in instants]))
    assert anew[16].motors == 0.0
    assert 0.0 < anew[-1].motors < work
    lost = [(one, False) for one in instants if one.tick != 15]
    assert list(motion_table.entries_of(found.plant, lost))[-1] == anew[-1]
    racket = scenario.load(scenario.find('tennis_racket'))
    first = [(racket.first_instant(), True)]
    assert list(motion_table.entries_of(racket.plant, first)) == [None]


def test_the_energy_book_of_a_bag_begins_where_its_inputs_say_that_the_state_was_set(flown):
    recorded = bag_history.Recorded(flown[0], None)
    before = np.array(recorded.whole_rows())[:, -len(motion_table.BOOK) :]
    middle = len(recorded.instants) // 2
    received, *more = recorded.instants[middle]
    received = received._replace(inputs=received.inputs._replace(given=True))
    recorded.instants[middle] = bag_history.Simulated(received, *more)
    anew = np.array(recorded.whole_rows())[:, -len(motion_table.BOOK) :]
    assert np.array_equal(anew[:middle], before[:middle])
    assert before[middle].all() and not anew[middle].any()


# --- figures -------------------------------------------------------------------------------------


def panels_of(drawn):
    return {axis.get_ylabel().split('\n')[0]: axis for axis in drawn.axes if axis.get_ylabel()}


def levels_of(axis, curves):
    return [line.get_ydata()[0] for line in axis.lines[curves:]]


def test_panels_of_actuators_can_be_chosen_by_their_names(table):
    keys = [one.panel.key for one in selected_panels.every(table)]
    assert keys[keys.index('wheel_speed') :] == [
        'wheel_speed', 'wheel_torque', 'L', 'wheel_momentum', 'gimbal_angle', 'gimbal_rate',
        'gimbal_momentum', 'singularity', 'thrust', 'impulse', 'propellant', 'dipole',
        'whole_dipole', 'nutation', 'rotation_energy',
    ]  # fmt: skip
    assert set(keys) <= NAMES.keys()
    speeds, momentum = selected_panels.panels(table, ['wheel_speed', 'L'])
    assert len(speeds.limits) == 2
    assert np.array_equal(momentum.panel.values[:, :3], table.angular_momentum_B)


def test_the_reach_of_a_motor_is_what_it_can_give_at_each_speed():
    """By size, power and voltage, of one that accelerates; another brakes by its size alone."""
    dynamics = WheelDynamics(
        max_speed=400.0, max_power=1.0, supply_voltage=12.0, torque_constant=0.02,
        winding_resistance=10.0,
    )  # fmt: skip
    wheels = ReactionWheels(('a',), np.eye(3)[:1], [1e-4], [0.02], (dynamics,))
    boundary = wheel_figures.reach(wheels, 0)
    upper = dict(boundary[:401].tolist())
    assert upper[-400.0] == upper[0.0] == 0.02
    assert upper[40.0] == 0.02
    assert upper[100.0] == pytest.approx(min(1.0 / 100.0, 0.024 * (1.0 - 100.0 / 600.0)))
    assert upper[400.0] == pytest.approx(1.0 / 400.0)
    low = dict(boundary[401:-1].tolist())
    assert low[400.0] == -0.02
    assert low[-400.0] == pytest.approx(-1.0 / 400.0)
    assert np.array_equal(boundary[0], boundary[-1])


def test_figure_of_thrusters_shows_pulses_by_their_mean_and_says_their_impulse(table, closing):
    panels = panels_of(part_figures.figures(table, 'all')['thrusters'])
    assert list(panels) == ['mean thrust in each', 'impulse of each', 'propellant used by']
    left, right = panels['mean thrust in each'].lines[:2]
    assert max(left.get_ydata()) == pytest.approx(0.0003 / STEP, rel=1e-12)
    assert left.get_drawstyle() == 'steps-pre'
    assert right.get_ydata()[-1] == pytest.approx(0.012, rel=2e-3)
    assert levels_of(panels['mean thrust in each'], 2) == [0.02]
    (said,) = [text.get_text() for text in panels['impulse of each'].texts]
    assert said == f'left 0.0012 N s in 4 pulses; right {thrust_impulse(2.0):.4g} N s'
    used = panels['propellant used by'].lines[1].get_ydata()
    grams = 1e3 * thrust_impulse(2.0) / (65.0 * 9.80665)
    assert used[-1] == pytest.approx(grams, rel=1e-9)
    (said,) = [text.get_text() for text in panels['propellant used by'].texts]
    assert said == f'{grams:.4g} g at the end'


def test_figure_of_thrusters_without_specific_impulse_shows_no_propellant(table):
    thrusters = table.thrusters.parts
    uncounted = replace(
        thrusters,
        thrusters=tuple(replace(one, specific_impulse=0.0) for one in thrusters.thrusters),
    )
    history = table._replace(parts={'thrusters': table.thrusters._replace(parts=uncounted)})
    panels = part_figures.panels(history)['thrusters']
    assert len(panels) == 2


def test_figure_of_gimbals_shows_rates_below_limits_and_how_near_singular(table, closing):
    panels = panels_of(part_figures.figures(table, 'all')['gimbals'])
    names = ['angle of each', 'rate of each', 'h of the rotors', 'singularity']
    assert list(panels) == names
    angle = panels['angle of each'].lines[1].get_ydata()
    assert angle == pytest.approx(np.degrees(gimbal_angles(table.time)[:, 1]), abs=1e-9)
    most = np.degrees(0.8)
    assert levels_of(panels['rate of each'], 2) == pytest.approx([-most, most])
    size = panels['h of the rotors'].lines[3].get_ydata()
    assert size == pytest.approx(np.linalg.norm(held(table.time), axis=1), rel=1e-12)
    measure = panels['singularity'].lines[0].get_ydata()
    (said,) = [text.get_text() for text in panels['singularity'].texts]
    assert said.startswith(f'least {min(measure):.3g}, at the end {measure[-1]:.3g}')
    assert measure == pytest.approx(
        [gimbal_steering.singularity_measure(table.gimbals.parts, one)
         for one in gimbal_angles(table.time)], rel=1e-9,
    )  # fmt: skip


def test_figure_of_magnetorquers_shows_saturation(table, closing):
    panels = panels_of(part_figures.figures(table, 'all')['magnetorquers'])
    assert levels_of(panels['dipole of each'], 3) == pytest.approx([-0.2, 0.2])
    (said,) = [text.get_text() for text in panels['dipole of each'].texts]
    assert said == 'y comes to 100 % of 0.2 A m²'
    size = panels['dipole of all'].lines[3].get_ydata()
    rise = 0.15 * (1.0 - np.exp(-table.time[1:] / 0.5))
    assert size[1:] == pytest.approx(np.sqrt(rise**2 + 0.2**2 + 0.05**2), rel=1e-12)


def test_figure_of_wheels_draws_the_limits_of_speed_and_torque(table, closing):
    panels = panels_of(wheel_figures.figure(table, 'wheels'))
    rpm = 30.0 / np.pi
    most = 120.0 * rpm
    assert levels_of(panels['speed of each'], 4) == pytest.approx([-most, most])
    assert levels_of(panels['motor torque of each'], 4) == pytest.approx([-0.002, 0.002])
    (said,) = [text.get_text() for text in panels['speed of each'].texts]
    assert said == f'a comes to 100 % of {120.0 * rpm:.4g} rpm'
    assert 'h of the wheels and rotors' in panels


def test_a_figure_leaves_gaps_where_a_tick_was_lost(table, closing):
    impulses = table.thrusters.impulses.copy()
    impulses[7] = np.nan
    thrusters = table.thrusters.but(**part_history.sums_of(impulses, STEP))
    lost = table._replace(parts={'thrusters': thrusters})
    panel = panels_of(part_figures.figures(lost, 'all')['thrusters'])['mean thrust in each']
    assert np.isnan(panel.lines[1].get_ydata()[7])
    assert panel.get_ylim()[1] > 0.02
    # What is below zero, beside what is not known, is shown, too.
    below = table.wheels.torques.copy()
    below[7] = np.nan
    lost = table._replace(parts={'wheels': table.wheels.but(torques=below)})
    panel = panels_of(wheel_figures.figure(lost, 'wheels'))['motor torque of each']
    assert panel.get_ylim()[0] < -0.002
    low, high = curves._limits_from_zero(np.array((-1.0, np.nan, 2.0)))
    assert low < -1.0 < 2.0 < high


def test_the_animation_draws_rings_and_jets(table, found, closing):
    from matplotlib import pyplot

    _, view = pyplot.subplots()
    parts = body_looks.drawn_parts(found)
    scene = figures._Scene(view, table, parts)
    scene.artists(40)
    whole = len(scene._body.get_paths())
    others = {kind: one for kind, one in table.parts.items() if kind != 'thrusters'}
    quiet = table._replace(parts=others)
    without = figures._Scene(view, quiet, parts)
    without.artists(40)
    assert whole > len(without._body.get_paths()) + 8  # the jet of 60 %
    # Turned as far as the motors say: beyond a radian or two summed speeds would not do.
    assert np.array_equal(scene._angles, table.wheels.angles)


# --- what is commanded ---------------------------------------------------------------------------


def craft_of(**given):
    """Return the Scenario of a body with some actuators, in a field."""
    values = {'body.mass': 4.0, 'body.inertia': [0.05, 0.06, 0.04],
              'magnetic_field': [2e-5, -1e-5, 4e-5],
              'initial.angular_velocity': [0.0, 0.0, 0.0], **given}  # fmt: skip
    return scenario.build(plain(values), 'craft')


WHEEL = {'wheels': ['w'], 'wheel.w.axis': [0.6, 0.0, 0.8], 'wheel.w.inertia': 2e-5}
GIMBAL = {'gimbals': ['g'], 'gimbal.g.rotor_inertia': 1e-5, 'gimbal.g.rotor_speed': 600.0,
          'gimbal.g.inertias': [1e-9, 1e-9, 1e-9]}  # fmt: skip
THRUSTER = {'thrusters': ['t'], 'thruster.t.position': [0.1, 0.2, 0.0],
            'thruster.t.direction': [1.0, 0.0, 0.0], 'thruster.t.max_force': 0.05}  # fmt: skip
ROD = {'magnetorquers': ['m'], 'magnetorquer.m.axis': [1.0, 0.0, 0.0],
       'magnetorquer.m.max_dipole': 0.2}  # fmt: skip
CASES = {
    'wheel': (WHEEL | {'wheel.w.max_speed': 500.0}, Inputs(wheel_torque=np.array((1e-3,))),
              -1e-3 * np.array((0.6, 0.0, 0.8))),
    'wheel at its largest speed': (
        WHEEL | {'wheel.w.max_speed': 500.0, 'wheel.w.initial_speed': 500.0},
        Inputs(wheel_torque=np.array((1e-3,))), np.zeros(3)),
    'motor with a lag': (WHEEL | {'wheel.w.torque_lag': 0.5},
                         Inputs(wheel_torque=np.array((1e-3,))),
                         -1e-3 * (1.0 - np.exp(-STEP / 0.5)) * np.array((0.6, 0.0, 0.8))),
    'gyro': (GIMBAL, Inputs(gimbal_rate=np.array((0.5,))),
             -6e-3 * 0.5 * np.array((-np.sin(0.5 * STEP), np.cos(0.5 * STEP), 0.0))),
    'thruster': (THRUSTER, Inputs(thrust=np.array((0.03,))), np.array((0.0, 0.0, -0.006))),
    'pulsed thruster': (THRUSTER | {'thruster.t.period': 0.5}, Inputs(thrust=np.array((0.03,))),
                        np.array((0.0, 0.0, -0.006))),
    'thruster beyond its largest': (THRUSTER, Inputs(thrust=np.array((0.3,))),
                                    np.array((0.0, 0.0, -0.01))),
    'rod': (ROD, Inputs(dipole=np.array((0.1,))), np.array((0.0, -4e-6, -1e-6))),
    'rod beyond its largest': (ROD, Inputs(dipole=np.array((0.9,))),
                               np.array((0.0, -8e-6, -2e-6))),
    'rod for half a tick': (ROD | {'magnetorquers_duty': 0.5}, Inputs(dipole=np.array((0.1,))),
                            np.array((0.0, -2e-6, -0.5e-6))),
}  # fmt: skip


@pytest.mark.parametrize('case', CASES)
def test_commanded_torque_is_that_of_the_actuator(case):
    given, inputs, expected = CASES[case]
    plant = craft_of(**given).plant
    first = craft_of(**given).first_instant()
    instant = simulation.next_instant(plant, first, inputs)
    torque_B = simulation.commanded_torque_B(plant, instant)
    # The body has turned a little in a tick, and the field in its axes with it.
    assert torque_B == pytest.approx(expected, rel=1e-9, abs=1e-4 * np.linalg.norm(expected))


@pytest.mark.parametrize('case', ['wheel', 'gyro', 'thruster', 'rod'])
def test_what_turns_a_craft_at_rest_is_what_was_commanded(case):
    """J dω/dt + ω × L of what the kernel computed, against the sum over the actuators."""
    given, inputs, _ = CASES[case]
    found = craft_of(**given)
    instant = simulation.next_instant(found.plant, found.first_instant(), inputs)
    force_B, turning_B = simulation.turning_wrench(found.plant, instant)[:6].reshape(2, 3)
    torque_B = simulation.commanded_torque_B(found.plant, instant)
    # The gimbal carries inertia of 1e-9 kg m², and a rotor's turns with it.
    assert turning_B == pytest.approx(torque_B, rel=2e-3, abs=2e-3 * np.linalg.norm(torque_B))
    assert not force_B.any()  # the thruster's is no load of the tick


def test_a_detailed_wheel_that_is_ideal_turns_the_body_as_an_ideal_one():
    inputs = Inputs(wheel_torque=np.array((1e-3,)))
    spinning = WHEEL | {
        'initial.angular_velocity': [0.3, -0.2, 0.4],
        'wheel.w.initial_speed': 90.0,
    }
    found = []
    for given in (spinning, spinning | {'wheel.w.max_speed': 5000.0}):
        one = craft_of(**given)
        instant = simulation.next_instant(one.plant, one.first_instant(), inputs)
        found.append((
            simulation.turning_wrench(one.plant, instant)[3:6],
            simulation.commanded_torque_B(one.plant, instant),
        ))  # fmt: skip
    assert found[1][0] == pytest.approx(found[0][0], rel=1e-6)
    assert found[1][1] == pytest.approx(found[0][1], rel=1e-12)


def test_a_response_of_a_bag_is_of_its_actuators(table, flown, found):
    """Nobody sent a command here, so that there is none; asked for, it is of motors and valves."""
    assert table.control is None
    _, instants = bag_history._read_bag(flown[0], None)
    torques = bag_history._control(instants).torque_B
    live = [found.first_instant()]
    for one in instants[1:12]:
        live.append(
            simulation.next_instant(found.plant, live[-1], one.received.inputs.commanded())
        )
    expected = [simulation.commanded_torque_B(found.plant, one) for one in live]
    assert torques[:12] == pytest.approx(np.array(expected), rel=1e-12)
    response = response_report.Response(table.time, table.angular_velocity_B, torques, None)
    assert response.merit().largest_torque > 2e-3


@pytest.mark.parametrize(
    ('topic', 'message'),
    [('/command/wheels', JointState(name=['w'], velocity=[1.0])),
     ('/command/gimbals', JointState(name=['g', 'f'], effort=[1.0, 2.0])),
     ('/command/thrusters', JointState(name=['t'], effort=[1.0])),
     ('/command/dipole', Vector3Stamped())],
)  # fmt: skip
def test_a_bag_in_which_an_actuator_was_commanded_has_a_response(tmp_path, topic, message):
    found = craft_of(**THRUSTER)
    instants = [(found.first_instant(), True)]
    for _ in range(3):
        inputs = Inputs(thrust=np.array((0.03,)))
        instants.append((simulation.next_instant(found.plant, instants[-1][0], inputs), False))
    bag = recorded(tmp_path / 'bag', found, instants, [(topic, message)])
    response = response_report.of_history(history.read(bag)[0])
    assert response.torques_B == pytest.approx(np.array([[0, 0, 0], *[[0, 0, -0.006]] * 3]))


def test_a_command_of_another_type_is_told(tmp_path):
    found = craft_of(**THRUSTER)
    bag = recorded(tmp_path / 'bag', found, [(found.first_instant(), True)],
                   [('/command/wheels', String())])  # fmt: skip
    with pytest.raises(RecordingError, match='is of type std_msgs/msg/String; sensor_msgs/msg/Jo'):
        history.read(bag)


NAN = np.full(1, np.nan)


@pytest.mark.parametrize(
    ('given', 'inputs', 'commanded'),
    [
        (WHEEL | {'wheel.w.speed_bandwidth': 1.0}, Inputs(wheel_speed=np.array((0.0,))), True),
        (WHEEL | {'wheel.w.speed_bandwidth': 1.0}, Inputs(wheel_speed=NAN), False),
        (WHEEL | {'wheel.w.max_speed': 9.0}, Inputs(wheel_torque=np.array((1e-4,))), True),
        (GIMBAL, Inputs(gimbal_rate=np.array((0.1,)), gimbal_torque=NAN), True),
        (GIMBAL, Inputs(gimbal_rate=np.array((0.0,)), gimbal_torque=NAN), False),
        (GIMBAL, Inputs(gimbal_rate=np.zeros(1), gimbal_torque=np.array((1e-6,))), True),
        (THRUSTER, Inputs(thrust=np.array((0.01,))), True),
        (THRUSTER, Inputs(thrust=np.zeros(1)), False),
        (ROD, Inputs(dipole=np.array((0.1,))), True),
        (ROD, Inputs(dipole=np.zeros(1)), False),
    ],
)
def test_a_run_is_commanded_by_whatever_moves_an_actuator(given, inputs, commanded):
    found = craft_of(**given)
    observer, instant = RunObserver(found), found.first_instant()
    observer(instant)
    assert not observer.rates.commanded
    observer(simulation.next_instant(found.plant, instant, inputs))
    assert observer.rates.commanded == commanded
    assert observer.drifts.acted_on == (commanded or 'gimbals' in given)
    outside = inputs.thrust.any() or inputs.dipole.any()
    assert observer.pushed == bool(outside)  # what turns inside leaves L as it is


@pytest.mark.parametrize(
    ('given', 'acts'),
    [
        (WHEEL | {'wheel.w.max_speed': 9.0}, False),
        (WHEEL | {'wheel.w.friction.viscous': 1e-7}, True),
        (WHEEL | {'wheel.w.friction.coulomb': 1e-7}, True),
        (WHEEL | {'wheel.w.imbalance.static': 1e-7}, True),
        (WHEEL | {'wheel.w.imbalance.dynamic': 1e-9}, True),
        (GIMBAL, True),
        (GIMBAL | {'gimbal.g.free_rotor': True}, False),
        (ROD, False),
        (ROD | {'residual_dipole': [0.0, 0.0, 0.1]}, True),
    ],
)
def test_losses_and_motors_change_the_energy_without_a_command(given, acts):
    """Else `run` would call a drift of its own what a bearing takes."""
    observer = RunObserver(craft_of(**given))
    assert observer.drifts.acted_on == acts
    assert observer.pushed == any('imbalance' in key or 'residual' in key for key in given)


# --- where they are drawn ------------------------------------------------------------------------


def looks(found):
    craft = found.plant.spacecraft
    body = meshes.mesh(body_looks.drawn_parts(found))
    discs = wheel_discs.discs_of(craft.part('reaction_wheels'), body, places_of(found))
    made = actuator_looks.looks_of(
        craft.part('control_moment_gyros'), craft.part('thrusters'),
        craft.part('magnetorquers'), body, discs,
    )  # fmt: skip
    return made, discs, meshes.reach(body)


def test_a_disc_sits_at_the_position_of_its_wheel_where_that_is_given(found):
    _, discs, _ = looks(found)
    assert discs.positions[0] == pytest.approx([0.0, 0.0, 0.16], abs=1e-15)
    axis = discs.axes_B[1]
    assert discs.positions[1] == pytest.approx((discs.positions[1] @ axis) * axis, abs=1e-15)
    assert discs.positions[1] @ axis > 0.2


def test_places_of_wheels_are_from_the_centre_of_mass():
    given = {'body.parts': ['p'], 'parts.p.shape': 'box', 'parts.p.size': [1.0, 1.0, 1.0],
             'parts.p.mass': 2.0, 'parts.p.position': [0.5, 0.0, 0.0],
             'wheels': ['w'], 'wheel.w.position': [1.5, 0.0, 0.25]}  # fmt: skip
    found = scenario.build(plain(given), 'aside')
    assert found.plant.body.center_of_mass == pytest.approx([0.5, 0.0, 0.0])
    assert places_of(found) == pytest.approx(np.array([[1.0, 0.0, 0.25]]))


def test_rings_stand_clear_of_body_and_discs_on_their_axes(found):
    made, discs, reach = looks(found)
    radius = (actuator_looks.RING + actuator_looks.RING_WIDTH / 2.0) * reach
    for place, axis, support in zip(made.gimbals.positions, np.eye(3)[[2, 1]], (0.1, 0.1),
                                    strict=True):  # fmt: skip
        assert place == pytest.approx((place @ axis) * axis, abs=1e-15)
        assert place @ axis - radius > support
    top = discs.mesh(np.zeros(4)).corners[: len(discs.faces(0).corners)][:, :, 2].max()
    assert made.gimbals.positions[0][2] - radius > top  # of the wheel that is mounted there


@pytest.mark.parametrize(('number', 'angle'), [(0, 0.0), (0, 0.7), (1, -1.9)])
def test_a_ring_turns_its_rotor_about_the_axis_of_the_gimbal(found, number, angle):
    made, *_ = looks(found)
    gyro = found.plant.spacecraft.part('control_moment_gyros').gyros[number]
    q_BG = made.gimbals.attitude(number, angle)
    spin_B, across_B = gyro.axes_B(angle)
    assert rotations.rotate(q_BG, (1.0, 0.0, 0.0)) == pytest.approx(spin_B, abs=1e-12)
    assert rotations.rotate(q_BG, (0.0, 0.0, 1.0)) == pytest.approx(gyro.gimbal_axis_B, abs=1e-12)
    rotor, ring, pivot = (
        meshes.turned(meshes.mesh_of([one]), q_BG, np.zeros(3)).corners.reshape(-1, 3)
        for one in made.gimbals.faces(number)
    )
    r = made.reach
    assert np.ptp(rotor @ spin_B) == pytest.approx(actuator_looks.ROTOR_THICKNESS * r)
    assert np.ptp(ring @ across_B) == pytest.approx(actuator_looks.RING_WIDTH * r)
    assert np.linalg.norm(rotor, axis=1).max() < np.linalg.norm(ring, axis=1).min()
    # The pivot leads back to the body.
    assert np.max(pivot @ gyro.gimbal_axis_B) < -actuator_looks.RING * r * 0.9


def test_a_jet_leaves_its_thruster_against_the_force_as_long_as_the_thrust(found):
    made, _, reach = looks(found)
    lengths = made.jets.lengths(np.array(((0.0, 0.02), (0.005, 0.9), (np.nan, -1.0))))
    full = actuator_looks.JET * reach
    assert lengths == pytest.approx(full * np.array(((0.0, 1.0), (0.25, 1.0), (0.0, 0.0))))
    corners = made.jets.faces().corners.reshape(-1, 3)
    assert np.ptp(corners[:, 2]) == pytest.approx(1.0)
    for number, thruster in enumerate(found.plant.spacecraft.part('thrusters').thrusters):
        placed = meshes.turned(
            meshes.mesh_of([made.jets.faces()]), made.jets.orientations[number],
            made.jets.positions[number],
        )  # fmt: skip
        away = placed.corners.reshape(-1, 3) - thruster.position_B
        assert np.max(away @ thruster.direction_B) < 1e-12  # nothing of it the other way
        assert np.max(-away @ thruster.direction_B) == pytest.approx(1.0)


def test_faces_of_cone_and_ring_look_outwards():
    for faces in (meshes.cone(0.3, 1.0, (1, 1, 1, 1)), meshes.ring(1.0, 0.2, (1, 1, 1, 1))):
        mesh = meshes.mesh_of([faces])
        middle = faces.corners.mean(axis=1)
        inner = np.array((0.0, 0.0, 0.7))
        if np.abs(middle[:, :2]).max() > 0.9:  # the ring: from the middle of its section
            flat = middle * (1.0, 1.0, 0.0)
            inner = flat / np.linalg.norm(flat, axis=1, keepdims=True)
        outwards = np.einsum('ij,ij->i', mesh.normals, middle - inner)
        assert np.all(outwards[np.linalg.norm(mesh.normals, axis=1) > 0.5] > 0.0)


# --- RViz ----------------------------------------------------------------------------------------


@pytest.fixture
def drawn(ros, found):
    """Return a function that publishes joints and a dipole and gives what RViz is to draw."""
    dipoles = 'magnetorquers/dipole'
    draw = drawer(ros, found, 0.02, {'joint_states': JointState, dipoles: Vector3Stamped})

    def draw_joints(angles, efforts, dipole):
        joints = JointState(name=JOINTS, position=angles, velocity=[0.0] * 8, effort=efforts)
        field = Vector3Stamped(vector=conversions.vector3_to_ros(np.array(dipole)))
        return draw({'joint_states': joints, dipoles: field})

    return draw_joints


def pose_of(marker):
    place = conversions.vector3_from_ros(marker.pose.position)
    return place, conversions.quaternion_from_ros(marker.pose.orientation)


def test_markers_draw_jets_rings_and_the_dipole_where_topics_say(drawn, found):
    angles = [0.3, 0.0, 0.0, 0.0, 0.7, -1.2, 0.0, 0.0]
    of = drawn(angles, [0.0] * 7 + [0.005], (0.0, 0.1, 0.0))
    made, discs, reach = looks(found)
    (jet,) = of['thrusters']
    place, q = pose_of(jet)
    at_W = rotations.rotate(
        TURNED, found.plant.spacecraft.part('thrusters').thrusters[1].position_B
    )
    assert place - (2.0, 0.0, 0.0) == pytest.approx(at_W, abs=1e-12)
    backwards = rotations.rotate(TURNED, (0.0, -1.0, 0.0))
    assert rotations.rotate(q, (0.0, 0.0, 1.0)) == pytest.approx(backwards, abs=1e-12)
    assert jet.scale.z == pytest.approx(0.25 * actuator_looks.JET * reach)
    assert len(of['gimbals']) == 6
    for number, angle in enumerate(angles[4:6]):
        _, q = pose_of(of['gimbals'][3 * number])
        spin_B, _ = found.plant.spacecraft.part('control_moment_gyros').gyros[number].axes_B(angle)
        expected = rotations.rotate(TURNED, spin_B)
        assert rotations.rotate(q, (1.0, 0.0, 0.0)) == pytest.approx(expected, abs=1e-12)
    (arrow,) = of['dipole']
    start, tip = (conversions.vector3_from_ros(point) for point in arrow.points)
    unit = actuator_looks.DIPOLE * reach / (0.2 * np.sqrt(3.0))
    assert tip - start == pytest.approx(rotations.rotate(TURNED, (0.0, 0.1 * unit, 0.0)))
    assert arrow.scale.x == pytest.approx(DIPOLE_WIDTH * reach)
    # A disc is turned as far as is said, not by a sum: it was the first tick.
    _, q = pose_of(of['wheels'][0])
    expected = rotations.compose(TURNED, discs.attitude(0, 0.3))
    assert rotations.angle_between(q, expected) == pytest.approx(0.0, abs=1e-7)


def test_a_jet_that_is_over_is_drawn_for_a_fifth_of_a_second(found):
    """At its longest, though it came at an instant that was not drawn."""
    craft = found.plant.spacecraft
    *_, reach = looks(found)
    drawn = ActuatorMarkers(craft, body_looks.drawn_parts(found), None)
    place = np.zeros(3), np.array((1.0, 0.0, 0.0, 0.0)), np.zeros(8), np.zeros(3)

    def lengths():
        return [
            marker.scale.z / (actuator_looks.JET * reach)
            for marker in drawn.at(*place)
            if marker.ns == 'thrusters' and marker.action == Marker.ADD
        ]

    for now, force, expected in (
        (0.0, 0.0, []), (1.0, 0.01, [0.5]), (1.02, 0.005, [0.5]), (1.1, 0.02, [1.0]),
        (1.29, 0.0, [1.0]), (1.31, 0.0, []), (1.32, 0.005, [0.25]), (1.53, 0.001, [0.05]),
    ):  # fmt: skip
        drawn.hear(np.array([0.0] * 7 + [force]), now)
        assert lengths() == pytest.approx(expected)
    drawn.hear(np.array([0.02] * 3), 2.0)  # of another spacecraft
    assert lengths() == pytest.approx([0.05])


def test_markers_of_gimbals_draw_l_as_it_is_told_and_what_is_held_of_it(drawn, found):
    of = drawn([0.0] * 8, [0.0] * 8, (0.0, 0.0, 0.0))
    ends = {}
    for name in ('angular_momentum', 'wheel_momentum'):
        (arrow,) = of[name]
        start, tip = (conversions.vector3_from_ros(point) for point in arrow.points)
        ends[name] = tip - start
    J = found.plant.spacecraft.carrier.inertia
    stored_W = (0.0, 0.02, 0.0) - rotations.rotate(TURNED, J @ (0.0, 0.0, 0.1))
    ratio = ends['wheel_momentum'] / np.linalg.norm(ends['angular_momentum']) * 0.02
    assert ratio == pytest.approx(stored_W, rel=1e-9, abs=1e-17)
    assert not of['thrusters']
    assert not of['dipole']


def test_strange_joints_leave_rings_at_rest_and_no_jets(drawn, found):
    of = drawn([0.5] * 3, [0.02] * 3, (0.0, 0.1, 0.0))
    assert not of['thrusters']
    assert len(of['gimbals']) == 6
    _, q = pose_of(of['gimbals'][0])
    assert rotations.rotate(q, (1, 0, 0)) == pytest.approx(rotations.rotate(TURNED, (1, 0, 0)))
    assert of['dipole'][0].action == Marker.ADD


# --- the viewer ----------------------------------------------------------------------------------


@pytest.fixture
def seen(flown, tmp_path):
    """Return a function that gives {component: (n, …)} of an entity of the bag's recording."""
    pytest.importorskip('rerun', reason="the viewer's extra is not installed: pip '.[view]'")
    from test_viewer import columns

    from spacecraft_attitude_sim.viewer import recorded
    from spacecraft_attitude_sim.viewer.rerun_session import RerunSession

    path = tmp_path / 'run.rrd'
    session = RerunSession(live=False, save=path)
    recorded.show_bag(flown[0], session)
    session.close()
    return lambda entity: columns(path, entity)


def xyzw(quaternions):
    return np.roll(np.array(quaternions)[:, 0], 1, axis=1)


def test_viewer_turns_discs_and_rings_by_their_angles(seen, table, found):
    made, discs, _ = looks(found)
    shown = xyzw(seen('/world/craft/body/gimbal_0')['Transform3D:quaternion'])
    for q, angle in zip(shown, gimbal_angles(table.time)[:, 0], strict=True):
        assert rotations.angle_between(q, made.gimbals.attitude(0, angle)) < 1e-6
    disc = seen('/world/craft/body/wheel_0')
    for q, angle in zip(
        xyzw(disc['Transform3D:quaternion']), table.wheels.angles[:, 0], strict=True
    ):
        assert rotations.angle_between(q, discs.attitude(0, angle)) < 1e-6
    place = np.array(disc['Transform3D:translation'])[0, 0]
    assert place == pytest.approx([0.0, 0.0, 0.16], abs=1e-7)
    angles = np.array(seen('/plots/gimbal_angles')['Scalars:scalars'])
    assert angles == pytest.approx(np.degrees(gimbal_angles(table.time)), abs=1e-9)


def test_viewer_sizes_jets_by_the_thrust_and_draws_the_dipole(seen, table, found):
    made, _, reach = looks(found)
    sizes = np.array(seen('/world/craft/body/jet_1')['Transform3D:scale'])[:, 0, 2]
    # The mean of the tick that ends there, as joint_states say it.
    thrust = np.diff(thrust_impulse(table.time), prepend=0.0) * 32.0
    full = actuator_looks.JET * reach
    assert sizes == pytest.approx(full * thrust / 0.02, abs=1e-7)
    forces = np.array(seen('/plots/thrust')['Scalars:scalars'])
    assert forces[:, 1] == pytest.approx(thrust, rel=1e-9, abs=1e-15)
    arrows = np.array(seen('/world/craft/body/dipole')['Arrows3D:vectors'])[:, 0]
    rise = 0.15 * (1.0 - np.exp(-table.time / 0.5))
    assert arrows[:, 0] == pytest.approx(made.dipole * rise, abs=1e-6)
    dipoles = np.array(seen('/plots/dipole')['Scalars:scalars'])
    assert dipoles[1:, 1:].tolist() == [[0.2, -0.05]] * (len(table.time) - 1)


def test_viewer_of_gimbals_guesses_no_energy_of_their_rotors(seen, table, found):
    energy = np.array(seen('/plots/energy')['Scalars:scalars'])
    J = found.plant.spacecraft.carrier.inertia
    omega = table.angular_velocity_B
    expected = np.einsum('ni,ij,nj->n', omega, J, omega) / 2.0
    assert energy[:, 0] == pytest.approx(expected, rel=1e-9)
    assert np.isnan(energy[:, 1:]).all()
    h = np.array(seen('/world/craft/h')['Arrows3D:vectors'])[:, 0]
    L = np.array(seen('/world/craft/L')['Arrows3D:vectors'])[:, 0]
    stored_W = rotations.rotate_many(table.q_WB(), table.wheels.stored_B)
    whole_W = rotations.rotate_many(table.q_WB(), table.angular_momentum_B)
    scale = np.linalg.norm(L[0]) / np.linalg.norm(whole_W[0])
    assert h == pytest.approx(scale * stored_W, abs=2e-5)


def test_layout_puts_the_plots_of_several_actuators_behind_each_other(found, table):
    pytest.importorskip('rerun', reason="the viewer's extra is not installed: pip '.[view]'")
    import rerun.blueprint as rrb

    from spacecraft_attitude_sim.viewer import layout, samples
    from spacecraft_attitude_sim.viewer.rerun_session import RerunSession

    session = RerunSession(live=False, save='/dev/null')
    craft = session.craft()
    craft.begin(found)
    craft.add(samples.from_history(table))
    page = layout.blueprint([craft.look()], live=False).root_container
    session.close()
    (tabs,) = [one for one in page.contents[-1].contents if isinstance(one, rrb.Tabs)]
    names = ['wheel_speeds', 'gimbal_angles', 'thrust', 'dipole']
    assert [str(view.origin) for view in tabs.contents] == [f'plots/{name}' for name in names]
