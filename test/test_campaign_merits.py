# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Merits of a campaign: closed forms, the tables of the nodes, own ones, own controllers."""

import math
import sys
import time
from dataclasses import replace
from pathlib import Path

import bits
import numpy as np
import pytest
from processes import called, printed

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim import progress
from spacecraft_attitude_sim.campaigns import campaign, columns, flights, merits, python_flight
from spacecraft_attitude_sim.campaigns import flight_merits as pointing
from spacecraft_attitude_sim.campaigns.columns import WORDS
from spacecraft_attitude_sim.configuration import scenario, trust
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.core.batch.flight_judge import ROW
from spacecraft_attitude_sim.core.batch.flight_log import TOLD, Played
from spacecraft_attitude_sim.core.control.response import attitude_errors
from spacecraft_attitude_sim.core.studies.flight_merits import Asked
from spacecraft_attitude_sim.progress import ProgressLine
from spacecraft_attitude_sim.recording.errors import CampaignError

pytest.importorskip('pyarrow')
from spacecraft_attitude_sim.campaigns import runner  # noqa: E402

AXES = {'x': [1.0, 0.0, 0.0], 'y': [0.0, 1.0, 0.0], 'z': [0.0, 0.6, 0.8]}
# Three wheels of which one is oblique and one soon at its largest speed.
WHEELED = {
    'body.mass': 4.0,
    'body.inertia': [0.04, 0.05, 0.03],
    'wheels': list(AXES),
    **{f'wheel.{name}.axis': axis for name, axis in AXES.items()},
    **{f'wheel.{name}.inertia': 2e-5 for name in AXES},
    **{f'wheel.{name}.max_torque': 2e-3 for name in AXES},
    **{f'wheel.{name}.max_speed': 500.0 for name in AXES},
    'wheel.x.initial_speed': 300.0,
    'duration': 20.0,
    'lockstep': True,
    'lockstep_topics': ['command/wheels'],
}
POINTS = {
    'mode': 'pointing',
    'inertia': WHEELED['body.inertia'],
    'bandwidth': 0.6,
    'torque_limit': [0.01] * 3,
    'wheels': list(AXES),
    **{f'wheel.{name}.axis': axis for name, axis in AXES.items()},
    **{f'wheel.{name}.inertia': 2e-5 for name in AXES},
    **{f'wheel.{name}.max_torque': 2e-3 for name in AXES},
}
CAMPAIGNS = Path(__file__).parents[1] / 'config/campaigns'
ROTATED = 'angular_velocity: [0.1, 2.0, 0.3]'
SLEWS = """
scenario: slews
runs: {runs}
seed: 2
pointed_error: 0.02
dispersions:
  initial.attitude: {{distribution: random_attitude}}
  initial.angular_velocity: {{distribution: in_sphere, radius: 0.02}}
"""


def slews(runs=3, more='', simulator=WHEELED, **changes):
    """Return the Campaign of slews by three wheels."""
    base = scenario.of_sections(
        {'simulator': simulator | changes, 'attitude_controller': POINTS}, 'test'
    )
    return campaign.parse(SLEWS.format(runs=runs) + more, scenario.dump(base), 'slews.yaml')


def flown(found, law, duration, **asked):
    """Return the columns of one flight under a law."""
    wanted = {'settled_rate': 0.01, 'pointed_error': 0.1, 'steady_from': 0.0} | asked
    instants = [one.first_instant() for one in found]
    done = flights.fly(found, instants, flights.Asked(duration, **wanted), law, threads=1)
    return done.merits._asdict() | done.logged._asdict() | flights.results(found, done)


def played(count, commands, q_WR=None):
    """Return what plays the same commands (any,) in all ticks, and points at one attitude."""
    told = np.zeros((1, count + 1, TOLD.size))
    told[:, :, TOLD.of('q_WR')] = np.nan if q_WR is None else q_WR
    return Played(told, np.tile(commands, (1, count, 1)))


# --- closed forms --------------------------------------------------------------------------------


def test_pointing_error_of_a_spin_past_its_reference_is_the_angle_between():
    """Spin at w about a principal axis from -10 w to 10 w: error w |t - 10 s|."""
    rate, ticks = 0.05, 200
    half = 0.5 * rate * 10.0
    given = {
        'body.inertia': [0.04, 0.05, 0.03], 'tick_rate': 10.0,
        'initial.angular_velocity': [0.0, 0.0, rate],
        'initial.attitude': [math.cos(half), 0.0, 0.0, -math.sin(half)],
    }  # fmt: skip
    found = [scenario.build(given, 'spin')]
    law = played(ticks, np.zeros(12), [-1.0, 0.0, 0.0, 0.0])  # -q is the same attitude
    times = np.arange(ticks + 1) / 10.0
    angles = rate * np.abs(times - 10.0)
    merits = flown(found, law, 20.0, pointed_error=0.262, steady_from=7.0)
    # Of twenty seconds of round-off.
    assert merits['final_pointing_error'] == pytest.approx(0.5, abs=1e-12)
    steady = angles[times >= 7.0]
    assert merits['pointing_rms'] == pytest.approx(math.sqrt(np.mean(steady**2)), abs=1e-12)
    assert merits['largest_pointing_error'] == pytest.approx(0.5, abs=1e-12)
    assert np.isnan(merits['pointing_time'])  # it leaves again
    # Until 10 s it nears: below 0.262 rad after 4.76 s, from the tick at 4.8 s on.
    merits = flown(found, played(100, np.zeros(12), [1.0, 0, 0, 0]), 10.0, pointed_error=0.262)
    assert merits['pointing_time'] == pytest.approx(4.8, abs=1e-12)
    # The last tenth of ten seconds, where none is named.
    last = angles[90:101]
    assert merits['pointing_rms'] == pytest.approx(math.sqrt(np.mean(last**2)), abs=1e-12)
    nowhere = flown(found, played(100, np.zeros(12)), 10.0)
    assert all(np.isnan(nowhere[name]).all() for name in columns.POINTING)


def test_the_last_row_of_a_flight_is_that_row_of_a_longer_one():
    """Of a CubeSat that points to the nadir; the rate is computed anew, to its last bits."""
    found = sas.load('cubesat_3u_leo', parameters={
        'attitude_controller.schedule.times': [0.4],
        'attitude_controller.schedule.modes': ['nadir_pointing'],
    })  # fmt: skip
    short, longer = (
        flights.fly(
            [found], [found.first_instant()], flights.Asked(seconds, 0.01, 0.1, 1.0),
            flights.law_of([found]), keeps=True, threads=1,
        ).rows[0]
        for seconds in (4.0, 8.0)
    )  # fmt: skip
    longer = longer[: len(short)].copy()
    rates = ROW.of('angular_velocity_B')
    assert short[:, rates] == pytest.approx(longer[:, rates], abs=1e-16)
    short[:, rates] = longer[:, rates]
    assert np.array_equal(short, longer, equal_nan=True)
    assert len(np.unique(short[:, ROW.of('magnetic_field_W')], axis=0)) == len(short)


def test_commanded_torques_add_up_within_their_limits():
    """A wrench, then wheels beyond their limit: |τ| t, and what a limit leaves of it."""
    still = {'body.inertia': [0.04, 0.05, 0.03], 'body.mass': 4.0}
    wrench = np.zeros(12)
    wrench[3:6] = (3e-4, 0.0, -4e-4)
    merits = flown([scenario.build(still, 'wrench')], played(64, wrench), 2.0)
    assert merits['torque_impulse'] == pytest.approx(2.0 * 5e-4, rel=1e-12)
    assert merits['largest_torque'] == pytest.approx(5e-4, rel=1e-12)
    commands = np.concatenate((np.zeros(12), [5e-3, np.nan, 0.0, np.nan, -1e-3, np.nan]))
    merits = flown([scenario.build(WHEELED, 'wheels')], played(64, commands), 2.0)
    # Of -2e-3 x (5e-3 cut at its limit) and +1e-3 (0, 0.6, 0.8): at right angles.
    assert merits['torque_impulse'] == pytest.approx(2.0 * math.sqrt(5.0) * 1e-3, rel=1e-12)
    assert merits['torque_saturation'] == 1.0


@pytest.mark.parametrize(
    ('given', 'command', 'torque'),
    [
        # A jet at an arm of 2 m gives at most its force, and none backwards.
        ({'thrusters': ['j'], 'thruster.j.max_force': 0.01}, 1.7, 0.02),
        ({'thrusters': ['j'], 'thruster.j.max_force': 0.01}, -0.5, 0.0),
        # A dipole within its limit, for a quarter of each tick, across a field of 4e-5 T.
        ({'magnetorquers': ['m'], 'magnetorquer.m.max_dipole': 1.0}, 0.5, 0.5e-5),
        ({'magnetorquers': ['m'], 'magnetorquer.m.max_dipole': 1.0}, -3.0, 1e-5),
    ],
)
def test_torques_of_jets_and_rods_add_up_within_their_limits(given, command, torque):
    heavy = {
        'body.inertia': [40.0, 50.0, 30.0], 'body.mass': 100.0,
        'initial.angular_velocity': [0.0, 0.0, 0.0],
    }  # fmt: skip
    mounted = {
        'thruster.j.position': [0.0, 2.0, 0.0], 'thruster.j.direction': [1.0, 0.0, 0.0],
        'magnetorquer.m.axis': [1.0, 0.0, 0.0], 'magnetorquers_duty': 0.25,
        'magnetic_field': [0.0, 0.0, 4e-5],
    }  # fmt: skip
    kind = 'thruster' if 'thrusters' in given else 'magnet'
    mounted = {name: value for name, value in mounted.items() if name.startswith(kind)}
    found = scenario.build(heavy | given | mounted, 'test')
    merits = flown([found], played(64, np.append(np.zeros(12), command)), 2.0)
    # The body turns by less than a milliradian meanwhile.
    assert merits['torque_impulse'] == pytest.approx(2.0 * torque, rel=1e-6, abs=1e-15)


def test_a_wheel_is_at_its_limit_from_when_its_motor_has_brought_it_there():
    """From 300 to 500 rad/s at u/J (1 + J/I) [rad/s^2], the body turning the other way."""
    torque = 1e-3
    commands = np.concatenate((np.zeros(12), [torque, np.nan] + [0.0, np.nan] * 2))
    found = scenario.build(WHEELED, 'wheels')
    merits = flown([found], played(320, commands), 10.0)
    carrier = found.plant.spacecraft.carrier.inertia[0, 0]
    needed = 200.0 / (torque / 2e-5 + torque / carrier)
    assert merits['speed_saturation'] == pytest.approx(1.0 - needed / 10.0, abs=1.0 / 320)
    assert merits['largest_wheel_speed'] == merits['final_wheel_speed'] == 500.0
    assert merits['final_wheel_momentum'] == pytest.approx(500.0 * 2e-5, rel=1e-3)
    assert merits['torque_saturation'] == 0.0


def test_an_ideal_wheel_that_turns_backwards_is_as_fast():
    given = {
        'body.inertia': [40.0, 50.0, 30.0], 'body.mass': 100.0, 'wheels': ['w'],
        'wheel.w.axis': [0.0, 0.0, 1.0], 'wheel.w.inertia': 1e-5, 'wheel.w.max_torque': 1e6,
        'wheel.w.initial_speed': -50.0, 'initial.angular_velocity': [0.0, 0.0, 0.0],
    }  # fmt: skip
    merits = flown([scenario.build(given, 'test')], played(8, np.zeros(13)), 0.25)
    assert merits['final_wheel_speed'] == pytest.approx(50.0, rel=1e-12)
    assert merits['final_wheel_momentum'] == pytest.approx(5e-4, rel=1e-12)


# --- the tables of the nodes ---------------------------------------------------------------------


def angles_to(q_WR, q_WB):
    """Return the angles (n,) [rad] between an attitude and others (n, 4), by matrices."""
    from scipy.spatial.transform import Rotation

    bodies = Rotation.from_quat(q_WB, scalar_first=True)
    return (Rotation.from_quat(q_WR, scalar_first=True).inv() * bodies).magnitude()


def test_a_row_has_the_merits_of_the_table_that_its_nodes_write(command, domain, tmp_path):
    path = tmp_path / 'slews.yaml'
    base = scenario.of_sections({'simulator': WHEELED, 'attitude_controller': POINTS}, 'test')
    (tmp_path / 'slews').write_text(scenario.dump(base))
    path.write_text(SLEWS.format(runs=3) + 'steady_from: 30.0\nduration: 40.0\n')
    found = campaign.load(path)
    table = runner.columns_of(found, 0, 3)
    row, csv = tmp_path / 'row.yaml', tmp_path / 'row.csv'
    printed(command, 'campaign', path, '--row', 1, '--write-scenario', row)
    printed(command, 'run', row, '--rate', '0', '--csv', csv, '--no-markers')
    rows = np.genfromtxt(csv, delimiter=',', names=True, deletechars='')
    times, steady = rows['t_[s]'], rows['t_[s]'] >= 30.0
    errors = angles_to([1.0, 0.0, 0.0, 0.0], np.array([rows[f'q_{k}'] for k in 'wxyz']).T)
    outside = np.flatnonzero(errors >= 0.02)
    speeds, torques = (
        np.array([rows[f'wheel.{name}.{what}'] for name in AXES])
        for what in ('speed_[rad/s]', 'torque_[N_m]')
    )
    axes = np.array(list(AXES.values()))
    given = np.linalg.norm(torques[:, 1:].T @ axes, axis=1)
    expected = {
        'final_pointing_error': errors[-1],
        'pointing_rms': math.sqrt(np.mean(errors[steady] ** 2)),
        'largest_pointing_error': errors[steady].max(),
        'pointing_time': times[outside[-1] + 1],
        'final_wheel_speed': np.abs(speeds[:, -1]).max(),
        'largest_wheel_speed': np.abs(speeds).max(),
        'final_wheel_momentum': np.linalg.norm(2e-5 * speeds[:, -1] @ axes),
        'torque_impulse': given.sum() / 32.0,
        'largest_torque': given.max(),
        'speed_saturation': np.mean((np.abs(speeds[:, 1:]) >= 500.0).any(axis=0)),
    }
    for name, value in expected.items():
        # Of small angles from quaternions, to round-off of 1.
        assert table[name][1] == pytest.approx(value, rel=1e-9, abs=3e-8), name
    assert 0.0 < table['speed_saturation'][1] < 0.9 < table['largest_wheel_speed'][1]
    limited = np.mean((np.abs(torques[:, 1:]) >= 2e-3 * (1.0 - 1e-9)).any(axis=0))
    assert 0.0 < limited <= table['torque_saturation'][1] < 1.0  # and the controller's own


# --- which columns -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('name', 'has', 'lacks'),
    [
        ('tennis_racket', 'flips settling_time', 'largest_torque torque_impulse pointing_time'),
        ('cubesat_detumble', 'torque_impulse largest_torque', 'flips pointing_rms propellant'),
        ('cubesat_pointing', 'pointing_time pointing_rms', 'flips final_wheel_speed'),
        ('wheels_take_over', 'final_wheel_speed flips', 'speed_saturation torque_saturation'),
        ('cubesat_3u_leo', 'speed_saturation largest_wheel_speed motor_work', 'friction_heat'),
        ('cubesat_pyramid_limits', 'friction_heat speed_saturation', 'pointing_time'),
        ('thruster_limit_cycle', 'propellant thruster_pulses', 'final_wheel_speed motor_work'),
        ('station_cmg', 'motor_work torque_impulse', 'flips propellant'),
        ('flat_spin', 'friction_heat flips', 'motor_work largest_torque'),
    ],
)
def test_a_table_has_the_columns_that_mean_something(name, has, lacks):
    found = columns.merits_of(scenario.load(scenario.find(name)))
    assert {*has.split()} <= {*found} and not {*lacks.split()} & {*found}
    assert len({*found}) == len(found) and {*found} <= WORDS.keys()


def test_printed_and_drawn_is_what_the_table_has(tmp_path):
    path = tmp_path / 'slews.yaml'
    base = scenario.of_sections({'simulator': WHEELED, 'attitude_controller': POINTS}, 'test')
    (tmp_path / 'slews').write_text(scenario.dump(base))
    path.write_text(SLEWS.format(runs=6) + 'duration: 4.0\n')
    done = called('campaign', path, '-o', tmp_path / 'out')
    assert done.returncode == 0, done.stderr
    said = {line[:30].strip(): line[30:].split() for line in done.stdout.splitlines()}
    table = runner.read(tmp_path / 'out' / 'runs.parquet')
    assert said['time to point [s]'][0] == 'never'  # four seconds are too few
    error = [float(word) for word in said['pointing error, rms [deg]'][:4]]
    assert error[3] == pytest.approx(math.degrees(table['pointing_rms'].max()), rel=1e-3)
    assert 'flips' not in said and 'flips' not in table
    assert (tmp_path / 'out' / 'merits.png').stat().st_size > 10_000
    assert '6 runs: 0 %' in done.stderr  # progress, also of a few


# --- own merits ----------------------------------------------------------------------------------


def work_of_wheels(flight):
    """Return the positive work of all motors [J]."""
    speeds = 0.5 * (flight.wheel_speeds[1:] + flight.wheel_speeds[:-1])
    return np.maximum(flight.wheel_torques[1:] * speeds, 0.0).sum() / 32.0


def relative_error(flight):
    """Return the RPE about x at 95 % [rad], in windows of 8 ticks of the last tenth."""
    errors = attitude_errors(flight.q_WR, flight.q_WB)[flight.time >= 5.4 - 1e-9, 0]
    windows = np.lib.stride_tricks.sliding_window_view(errors, 8)
    sizes = np.sort(np.abs(windows - windows.mean(axis=1, keepdims=True)).ravel())
    return sizes[math.ceil(0.95 * len(sizes)) - 1]


def test_own_merits_see_what_the_table_says():
    """The same numbers from the history of each run, whatever is flown together with it."""
    asked = ['ape_angle_largest', 'rpe_x_95', 'pde_angle_997', 'wheel_speed_margin', 'wheel_work']
    pointing = f'pointing: {{merits: [{", ".join(asked)}], window: 0.25}}\n'
    found = slews(runs=5, more='duration: 6.0\n' + pointing).with_merits({
        'error': lambda flight: flight.pointing_error[-1],
        'impulse': lambda flight: np.linalg.norm(flight.torque_B, axis=1).sum() / 32.0,
        'fastest': lambda flight: abs(flight.wheel_speeds).max(),
        'attitude': lambda flight: flight.q_WB[-1, 2],
        'rate': lambda flight: np.linalg.norm(flight.angular_velocity_B[-1]),
        'momentum': lambda flight: flight.angular_momentum_W[-1, 0],
        'ticks': lambda flight: len(flight.time) * flight.scenario.parameters['duration'],
        'wheels': lambda flight: abs(flight.wheel_torques[1:]).max(),
        'work': work_of_wheels,
        'relative': relative_error,
    })  # fmt: skip
    table = runner.columns_of(found, 0, 5)
    # Those of a flight are of the same steady part, the last tenth.
    for own, name in (('ape_angle_largest', 'largest_pointing_error'), ('wheel_work', 'work'),
                      ('rpe_x_95', 'relative')):  # fmt: skip
        np.testing.assert_allclose(table[own], table[name], rtol=1e-9)
    margins = 1.0 - table['largest_wheel_speed'] / 500.0
    np.testing.assert_allclose(table['wheel_speed_margin'], margins, rtol=1e-12, atol=1e-12)
    assert np.isfinite(table['pde_angle_997']).all()
    for own, name in (('error', 'final_pointing_error'), ('fastest', 'largest_wheel_speed'),
                      ('attitude', 'final.attitude[2]'),
                      ('momentum', 'final.angular_momentum[0]')):  # fmt: skip
        np.testing.assert_array_equal(table[own], table[name], own)
    for own, name in (('impulse', 'torque_impulse'), ('rate', 'final_rate')):
        np.testing.assert_allclose(table[own], table[name], rtol=1e-11)
    assert table['ticks'].tolist() == [193 * 6.0] * 5
    assert table['wheels'].max() == 2e-3
    others = runner.columns_of(slews(runs=5, more='duration: 6.0\n'), 0, 5)
    for name, values in others.items():
        np.testing.assert_array_equal(table[name], values, name)


@pytest.mark.parametrize(
    ('limits', 'has'), [((500.0, 500.0, 500.0), True), ((0.0, 500.0, 0.0), True), ((), False)]
)
def test_a_margin_of_wheel_speed_is_of_the_wheels_that_have_a_limit(limits, has):
    changes = dict.fromkeys((f'wheel.{name}.max_speed' for name in 'xyz'), 0.0)
    changes |= {f'wheel.{name}.max_speed': most for name, most in zip('xyz', limits, strict=False)}
    changes['wheel.x.torque_lag'] = 0.1  # not ideal without a limit either
    (base,) = slews(runs=1, **changes).bases.values()
    assert ('wheel_speed_margin' in pointing._names_of(base, in_python=False)) == has


@pytest.mark.parametrize('name', ['tennis_racket', 'bouncing_ellipsoid', 'wheels_take_over'])
def test_own_merits_see_what_nobody_commands(name):
    """Free, on a floor, and with ideal wheels whose motors push from the start."""
    text = f'scenario: x\nruns: 2\nduration: 1.5\nparameters: {{initial.{ROTATED}}}\n'
    found = campaign.parse(text, scenario.find(name).read_text(), name).with_merits({
        'height': lambda flight: flight.position_W[-1, 2],
        'rate': lambda flight: np.linalg.norm(flight.angular_velocity_B, axis=1).max(),
        'speed': lambda flight: abs(flight.wheel_speeds[-1]).max(initial=0.0),
        'torque': lambda flight: abs(flight.wheel_torques[1:]).max(initial=0.0),
    })  # fmt: skip
    table = runner.columns_of(found, 0, 2)
    np.testing.assert_array_equal(table['height'], table['final.position[2]'])
    np.testing.assert_allclose(table['rate'], table['largest_rate'], rtol=1e-12)
    if name == 'wheels_take_over':
        np.testing.assert_allclose(table['speed'], table['final_wheel_speed'], rtol=1e-11)
        assert table['torque'].tolist() == [0.000418968] * 2


@pytest.mark.parametrize('name', ['', 'wheels_take_over'])
def test_an_own_merit_is_given_the_flight_of_a_run_array_by_array(name):
    """Of a slew by wheels with friction, and of ideal wheels; of several digits of round-off."""
    drifts = {'initial.velocity': [0.1, -0.2, 0.3], 'magnetic_field': [1e-5, 2e-5, 3e-5]}
    found = slews(runs=1, more='duration: 1.0\n', **drifts)
    if name:
        text = (
            f'scenario: x\nruns: 1\nduration: 1.0\nparameters: {drifts | {"wheel.x.torque": 1e-4}}'
        )
        found = campaign.parse(text, scenario.find(name).read_text(), name)
    seen = []
    runner.columns_of(
        found.with_merits({'x': lambda flight: len(seen.append(flight) or '')}), 0, 1
    )
    (flight,) = seen
    run = sas.simulate(flight.scenario)
    table = run.to_pandas()

    def of_table(*names):
        return table[list(names)].to_numpy()

    places = {
        'position_W': of_table('x [m]', 'y [m]', 'z [m]'),
        'velocity_W': of_table('v_x [m/s]', 'v_y [m/s]', 'v_z [m/s]'),
    }  # fmt: skip
    arrays = {
        'time': run.time, 'q_WB': run.attitude, 'angular_velocity_B': run.angular_velocity,
        'angular_momentum_W': run.angular_momentum, 'torque_B': run.torque,
        'wheel_speeds': run.wheels.speeds, 'wheel_torques': run.wheels.torques,
        'magnetic_field_W': np.tile(drifts['magnetic_field'], (33, 1)),
        'q_WR': run.reference, 'pointing_error': run.error, **places,
    }  # fmt: skip
    if name:  # a run tells of torques that a topic or a controller commands
        arrays['torque_B'] = -run.wheels.torques
        arrays['magnetic_field_W'] = np.zeros((33, 3))  # ideal wheels feel none
    assert {*arrays, 'scenario', 'knowledge'} == {*flight._fields}
    for field, expected in arrays.items():
        np.testing.assert_allclose(getattr(flight, field), expected, 1e-11, 1e-15, err_msg=field)


def test_own_merits_of_many_instants_are_computed_a_few_runs_at_a_time(monkeypatch):
    found = slews(runs=5, more='duration: 2.0\n').with_merits({'x': lambda one: one.time[-1]})
    together = runner.columns_of(found, 0, 5)
    monkeypatch.setattr(flights, 'MOST_KEPT', 50_000)
    seen = []
    few = runner.columns_of(found, 0, 5, told=seen.append)
    assert seen == sorted(seen) and seen[-1] == 1.0 and len(seen) > 2 * flights.PARTS
    for name, values in together.items():
        np.testing.assert_array_equal(few[name], values, name)
    monkeypatch.setattr(flights, 'MOST_KEPT', 1000)
    with pytest.raises(CampaignError, match='64 ticks take .* GiB; give a shorter duration'):
        runner.columns_of(found, 0, 5)


@pytest.mark.parametrize(
    ('merits', 'said'),
    [
        ({'final_rate': len}, 'merits.final_rate: the table has a column final_rate; choose'),
        ({'run': len}, 'merits.run: the table has a column run; choose another'),
        ({'a b': len}, "merits has 'a b'; a name is of letters, digits and _"),
        ({'a': 3}, 'merits.a is 3; give a function of a Flight'),
        ({'a': lambda one: 1 / 0}, r'merits.a: ZeroDivisionError: division by zero \(run 0\)'),
        ({'a': lambda one: 'much'}, r'merits.a: ValueError: could not convert .* return one numb'),
    ],
)
def test_an_own_merit_that_cannot_be_is_refused_by_name(merits, said):
    with pytest.raises(CampaignError, match=said):
        runner.columns_of(slews(1, 'duration: 0.1\n').with_merits(merits), 0, 1)


@pytest.mark.parametrize(
    ('pointing', 'said'),
    [
        ('{merits: [ape_across_99]}', "has 'ape_across_99'; did you mean 'ape_across_997'"),
        ('{merits: [ake_x_95]}', "has 'ake_x_95'; did you mean 'ape_x_95'"),
        ('{merits: [ape_x_95], window: 3.0}', 'window is 3 s, and a run lasts 2 s; give less'),
        ('{merits: [ape_x_95], boresight: [0.0, 0.0, 0.0]}', 'boresight is 0, 0, 0; give an axis'),
        ('{merits: [ape_x_95, ape_x_95]}', "has 'ape_x_95' twice"),
        ('{merits: [pointing_rms]}', "has 'pointing_rms'"),
    ],
)
def test_a_merit_of_a_flight_that_cannot_be_is_refused(pointing, said):
    with pytest.raises(CampaignError, match=f'pointing.*{said}'):
        slews(1, f'duration: 2.0\npointing: {pointing}\n')


OWN = """
from pathlib import Path
from spacecraft_attitude_sim.campaigns.merits import merit

Path(__file__).with_name('ran').touch()

@merit
def worst(flight):
    return {value} + flight.pointing_error.max()

def unmarked(flight):
    return 0.0
"""


@pytest.fixture
def own_merits(tmp_path, monkeypatch):
    """The folder of a module of merits, found but not trusted."""
    (tmp_path / 'own_merits.py').write_text(OWN.format(value=0.0))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv(trust.VARIABLE, raising=False)
    yield tmp_path
    sys.modules.pop('own_merits', None)


def test_a_file_runs_own_merits_only_with_trust(own_merits, monkeypatch):
    more = 'duration: 1.0\nmerits: {worst: own_merits:worst}\n'
    runs = "merits.worst is 'own_merits:worst': this runs code of module own_merits"
    with pytest.raises(CampaignError, match=f'slews.yaml: {runs}.* give --trust own_merits'):
        slews(more=more)
    assert not (own_merits / 'ran').exists()
    monkeypatch.setenv(trust.VARIABLE, 'own_merits,os')
    for named, said in (('os:getcwd', 'is no merit; mark the function with @merit'),
                        ('own_merits:unmarked', 'is no merit'),
                        ('own_merits:best', "no attribute 'best'"),
                        ('own_merits.py:worst', "module named 'own_merits.py'"),
                        ('worst', 'give package.module:name of a merit')):  # fmt: skip
        with pytest.raises(CampaignError, match=said):
            slews(more=more.replace('own_merits:worst', named))
    found = slews(more=more + 'map: {x: "initial.attitude[0]", color: worst}\n')
    table = runner.columns_of(found, 0, 3)
    assert (table['worst'] >= table['largest_pointing_error']).all()
    # As a worker of a cluster computes it, of the texts; with one of Python besides.
    texts = (found.text, found.scenario_text, found.source)
    there = runner._chunk_of_texts(texts, ('own_merits',), 1, 3, {'one': lambda flight: 1.0})
    np.testing.assert_array_equal(there['worst'], table['worst'][1:])
    assert there['one'].tolist() == [1.0, 1.0]


def test_results_of_a_changed_merit_are_not_mixed_in(tmp_path):
    """A chunk of the old function must not stand beside those of the new one."""
    found = slews(2, 'duration: 0.1\n')
    quiet = {'progress': lambda done, whole: None}
    runner.run(found, tmp_path / 'out', merits={'a': lambda flight: 1.0}, **quiet)
    with pytest.raises(CampaignError, match='holds another campaign'):
        runner.run(found, tmp_path / 'out', merits={'a': lambda flight: 2.0}, **quiet)


# --- controllers in Python -----------------------------------------------------------------------


def in_python(found, make=python_flight.shipped):
    """Return a Campaign under a controller in Python."""
    return replace(found, make=make)


@pytest.mark.parametrize('name', ['cubesat_pointing', 'station_cmg', 'cubesat_3u_leo'])
def test_a_controller_in_python_gives_the_row_of_the_fast_path_to_the_bit(name):
    """Every error of the sensors, modes that change, commands that time out between readings."""
    sections = scenario.read(scenario.find(name))
    sections['simulator'] |= bits.ERRORS | bits.OWN | bits.FRAMES
    sections['simulator'] |= {'imu.interval': 2, 'command_timeout': 0.04}
    seconds = 3.0
    if name == 'cubesat_3u_leo':
        sections['simulator'] |= {'command_timeout': 0.2, 'magnetometer.interval': 2}
        own = sections['attitude_controller']
        own['schedule.times'], own['schedule.modes'] = [4.0, 9.0], ['sun_pointing', 'pointing']
        seconds = 20.0
    base = scenario.of_sections(sections, name)
    text = (
        f'scenario: x\nruns: 2\nduration: {seconds}\npointed_error: 2.0\ndispersions:\n'
        '  initial.angular_velocity[0]: {distribution: uniform, low: -0.001, high: 0.001}\n'
        '  seed: {distribution: integers, low: 0, high: 1000000}\n'
    )
    found = campaign.parse(text, scenario.dump(base), name)
    fast, slow = runner.columns_of(found, 0, 2), runner.columns_of(in_python(found), 0, 2)
    assert list(fast) == list(slow)
    for column, values in fast.items():
        np.testing.assert_array_equal(slow[column], values, column)
    assert np.isfinite(fast['final_pointing_error']).all()
    assert (fast['torque_impulse'] > 0.0).all()


def test_a_flight_that_its_controller_ends_is_blank():
    """Torque that doubles in each tick, until it is refused."""

    def doubling(found):
        return lambda readings: np.array((2.0**readings.tick, 0.0, 0.0))

    table = runner.columns_of(in_python(slews(1, 'duration: 4.0\n'), doubling), 0, 1)
    assert np.isnan(table['final_rate']).all() and np.isnan(table['torque_impulse']).all()


@pytest.mark.parametrize(
    ('answer', 'said'),
    [
        ([1.0, 2.0], r'at 0 s the controller asks: torque has shape \(2,\)'),
        ({'torqe': [1.0, 0.0, 0.0]}, "torqe is no command; did you mean 'torque'"),
        ({'angular_impulse': [0.0, 0.0, 1e-3]}, 'gives no impulses'),
    ],
)
def test_what_a_controller_cannot_ask_of_a_campaign_is_said(answer, said):
    found = in_python(slews(1, 'duration: 1.0\n'), lambda _: lambda readings: answer)
    with pytest.raises(CampaignError, match=said):
        runner.columns_of(found, 0, 1)


class Brake:
    """Torque against the rate that the gyroscope reads; remembers how often it was asked."""

    def __init__(self, found):
        self.gain, self.asked = 0.02 * found.parameters['body.mass'], 0

    def __call__(self, readings):
        """Return the torque that answers readings."""
        self.asked += 1
        return -self.gain * readings.angular_velocity


def test_a_controller_of_ones_own_has_columns_and_a_folder_of_its_own():
    """Of a body with one moment I, ω' = -K/I ω: from tick to tick by 1 - K h / I."""
    text = (
        'scenario: x\nruns: 2\nduration: 2.0\ndispersions:\n'
        '  initial.angular_velocity: {distribution: on_sphere, radius: 0.1}\n'
    )
    base = scenario.build({'body.mass': 4.0, 'body.inertia': [0.2] * 3, 'lockstep': True}, 'x')
    alone = campaign.parse(text, scenario.dump(base), 'x')
    found = in_python(alone, Brake)
    assert alone.warnings and not found.warnings
    table = runner.columns_of(found, 0, 2)
    assert table['final_rate'] == pytest.approx(0.1 * (1.0 - 0.08 / 32.0 / 0.2) ** 64, rel=1e-9)
    assert 'flips' not in table and np.isnan(table['pointing_rms']).all()
    there = runner._chunk_of_texts((found.text, found.scenario_text, 'x'), (), 0, 2, {}, Brake)
    np.testing.assert_array_equal(there['torque_impulse'], table['torque_impulse'])
    assert len({one.fingerprint for one in (alone, found, in_python(alone, len))}) == 3


def test_processes_give_what_one_gives():
    found = slews(2, 'duration: 1.0\n')
    rows = range(2)
    scenarios = found.scenarios_of(found.draws(rows), rows)
    one, two = (
        python_flight.played(scenarios, python_flight.shipped, 1.0, workers) for workers in (1, 2)
    )
    for there, here in zip(two, one, strict=True):
        np.testing.assert_array_equal(there, here)


# --- what is said meanwhile ----------------------------------------------------------------------


def test_a_spacecraft_that_nobody_commands_is_named_before_it_flies(tmp_path):
    said = []
    text = SLEWS.format(runs=1) + 'duration: 0.1\n'
    base = scenario.of_sections({'simulator': WHEELED}, 'test')
    found = campaign.parse(text, scenario.dump(base), 'slews.yaml')
    runner.run(found, tmp_path / 'out', lambda done, of: said.append(done), noted=said.append)
    line, *rest = said
    assert line.startswith('slews.yaml: nobody commands this spacecraft')
    assert 'command/wheels' in line and 'attitude_controller section' in line
    assert rest == [0, 1]
    assert not slews().warnings
    assert not campaign.parse(text, scenario.find('tennis_racket').read_text(), 'x').warnings


def test_progress_is_told_within_a_chunk(tmp_path):
    seen = []
    found = slews(3, 'duration: 2.0\n')
    runner.run(found, tmp_path / 'out', lambda done, of: None, advancing=seen.append)
    assert len(seen) == flights.PARTS
    assert seen == sorted(seen) and seen[-1] == 3.0 and 0.0 < seen[0] < 0.2


def test_a_controller_in_python_tells_its_first_tick_and_each_run():
    told = []
    found = [scenario.load(scenario.find('cubesat_tumble'))] * 4
    python_flight.played(found, python_flight.shipped, 1.0, 2, told.append)
    assert told[0] == python_flight.BEGUN and told == sorted(told)
    assert told[-1] == 1.0 and {0.25, 0.5, 0.75} <= set(told)
    whole = list(told)
    told.clear()
    python_flight.played(found, python_flight.shipped, 1.0, 1, told.append)
    assert list(dict.fromkeys(told)) == [whole[0], 0.25, 0.5, 0.75, 1.0]


def test_a_controller_of_ideal_wheels_flies_in_processes_and_its_pace_is_known_late(
    monkeypatch, tmp_path
):
    """It has no compiled form; those of limited wheels and of a wrench have."""
    ideal = {name: value for name, value in WHEELED.items() if not name.endswith('max_speed')}
    found = slews(8, simulator=ideal)
    assert flights.flies_in_python(found)
    assert runner.share_to_tell(found, 2) == flights.FLIGHTS_SHARE * 0.5
    for compiled in (slews(8), campaign.load(CAMPAIGNS / 'flat_spin.yaml')):
        assert not flights.flies_in_python(compiled)
        assert runner.share_to_tell(compiled, 2) == 0.0
    assert flights.flies_in_python(in_python(slews(8)))

    def run(found, folder, progress, threads, **_):
        raise CampaignError(f'{threads} at a time')

    monkeypatch.setattr(runner, 'run', run)
    monkeypatch.setattr('os.sched_getaffinity', lambda _: {3, 4, 5})
    monkeypatch.chdir(tmp_path)
    file = str(CAMPAIGNS / 'flat_spin.yaml')
    assert '3 at a time' in called('campaign', file).stderr
    assert '2 at a time' in called('campaign', file, '--workers', '2').stderr


@pytest.mark.parametrize(
    ('arguments', 'waited_for', 'said'),
    [
        (['campaign', 'a.yaml'], 'campaigns.runner.run', '32 runs: compiling or loading code'),
        (['compare', 'tennis_racket'], 'core.studies.comparison.compare', 'tennis_racket: compil'),
        (['plot', 'a.yaml'], 'recording.history.read', 'reading a.yaml'),
    ],
)
def test_a_command_says_what_it_waits_for(monkeypatch, tmp_path, arguments, waited_for, said):
    begin = ProgressLine.__init__

    def on_terminal(line, logged=False):
        begin(line, logged)
        line.on_terminal()

    def slow(*_, **__):
        time.sleep(0.5)
        raise CampaignError('over')

    monkeypatch.setattr(progress, 'PERIOD', 0.005)
    monkeypatch.setattr(progress, 'PATIENCE', 0.05)
    monkeypatch.setattr(ProgressLine, '__init__', on_terminal)
    monkeypatch.setattr(f'spacecraft_attitude_sim.{waited_for}', slow)
    monkeypatch.chdir(tmp_path)
    speeds = 'initial.angular_velocity: {distribution: in_sphere, radius: 0.3}'
    (tmp_path / 'a.yaml').write_text(
        f'scenario: cubesat_tumble\nruns: 32\nduration: 4.0\ndispersions:\n  {speeds}\n'
    )
    done = called(*arguments)
    assert 'attitude-sim: over' in done.stderr
    lines = [line for line in done.stderr.splitlines() if ', 0 s so far' in line]
    # On a busy machine the first may be of loading the scenario.
    assert any(line.startswith(said) for line in lines), lines


def test_a_merit_module_is_named_in_python_path(monkeypatch):
    monkeypatch.setenv(trust.VARIABLE, 'nowhere_to_be_found')
    with pytest.raises(ParameterError, match='add its folder to PYTHONPATH'):
        trust.imported('merits.a', 'nowhere_to_be_found:a', 'a merit')


def test_a_steady_part_after_the_end_is_refused():
    with pytest.raises(CampaignError, match='steady_from is 20 s, and a run ends at 20 s; give l'):
        slews(more='steady_from: 20.0\n')


def test_a_merit_is_a_function_with_the_name_and_words_of_its_own():
    def largest(flight):
        """Return the largest."""
        return 2.0 * flight

    marked = merits.merit(largest)
    assert (marked.__name__, marked.__doc__) == ('largest', 'Return the largest.')
    assert marked(3.0) == 6.0 and not hasattr(largest, '__wrapped__')


def test_what_is_told_in_degrees_says_so():
    for name, words in WORDS.items():
        told = 180.0 if '[deg]' in words else math.pi
        assert columns.shown(name, math.pi) == pytest.approx(told), name


def test_a_pointing_merit_is_asked_for_as_the_file_says_or_of_the_last_tenth():
    """Without a pointed_error every attitude is pointed: the steady part is given by its time."""
    values = {
        'steady_from': 0.0, 'pointed_error': 0.0, 'pointing.window': 0.0, 'pointing.drift': 0.0,
        'pointing.boresight': [0.0, 0.0, 1.0],
    }  # fmt: skip
    asked = pointing._Judge(values, 200.0)._asked
    assert asked == Asked(180.0, math.pi, 0.0, 0.0, (0.0, 0.0, 1.0))
    given = (50.0, 0.02, 3.0, 7.0, [1.0, 2.0, 3.0])
    asked = pointing._Judge(dict(zip(values, given, strict=True)), 200.0)._asked
    assert asked == Asked(50.0, 0.02, 3.0, 7.0, (1.0, 2.0, 3.0))
