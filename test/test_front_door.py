# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`import spacecraft_attitude_sim`: simulate, step, read and plot without ROS."""

import inspect
import math
import re
import subprocess
import sys
import time
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
from matplotlib import pyplot
from PIL import Image

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim import progress
from spacecraft_attitude_sim.api import batch as sas_batch
from spacecraft_attitude_sim.api import pictures, waiting
from spacecraft_attitude_sim.api import simulation as calls
from spacecraft_attitude_sim.campaigns import runner
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.batch import batch as batches
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.equations.shared import free_motion
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import figures
from spacecraft_attitude_sim.flight.onboard import OnboardController
from spacecraft_attitude_sim.kernels import cache
from spacecraft_attitude_sim.recording import history as histories

RATE = 0.2


def damping(readings):
    return -2e-3 * readings.angular_velocity


# --- what is there -------------------------------------------------------------------------------


def test_every_public_name_is_found_typed_and_documented():
    assert dir(sas) == sorted(sas.__all__)
    for name in set(sas.__all__) - {'__version__'}:
        found = getattr(sas, name)
        assert found.__doc__, name
        if not isinstance(found, type):
            assert 'return' in found.__annotations__, name
    with pytest.raises(AttributeError, match='no attribute'):
        sas.simulator  # noqa: B018 (asked for)


def test_help_says_shapes_units_and_what_a_bag_does_not_record():
    for text in (sas.read.__doc__, sas.Run.sensors.__doc__):
        assert 'does not record' in text and 'why' in text and 'NaN' in text
    assert '(N, 13)' in sas.Batch.__doc__ and 'bodies' in str(inspect.signature(sas.Batch))
    for name in ('time', 'attitude', 'angular_velocity', 'energy', 'reference', 'error', 'torque'):
        assert '(n' in getattr(sas.Run, name).__doc__, name


def test_a_node_that_imports_the_package_imports_nothing_of_it():
    program = (
        'import sys, spacecraft_attitude_sim as sas\n'
        "heavy = {'numpy', 'numba', 'matplotlib', 'yaml'} & set(sys.modules)\n"
        'print(sorted(heavy)); sas.simulate\n'
        "print({'rclpy', 'rerun', 'matplotlib', 'pandas'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    assert done.stdout.split('\n')[:2] == ['[]', 'set()'], done.stderr


def test_a_scenario_prints_what_check_prints(capsys):
    from spacecraft_attitude_sim import cli

    found = sas.load('cubesat_pyramid')
    with pytest.raises(SystemExit, match='0'):
        cli.main(['check', 'cubesat_pyramid'])
    assert str(found) == capsys.readouterr().out.strip().removeprefix('cubesat_pyramid: ')
    assert repr(found) == f'<Scenario: {found.description}>'
    assert sas.scenarios()['cubesat_pyramid'] == found.description


def test_a_scenario_prints_the_biases_of_its_imu():
    assert 'bias' not in str(sas.load('cubesat_tumble'))
    found = str(sas.load('cubesat_tumble', parameters={'imu.model': 'stim300'}))
    for name in ('turn-on bias, 1 sigma', 'bias instability'):
        assert f'{name}: angular velocity (' in found and f'{name}: specific force (' in found
    given = {'imu.gyroscope.turn_on_bias': [180 * 3600 / np.pi]}  # deg/h
    assert 'bias, 1 sigma: angular velocity (1, 1, 1) rad/s' in str(
        sas.load('cubesat_tumble', parameters=given)
    )


# --- truth ---------------------------------------------------------------------------------------


def test_a_free_body_given_by_keywords_follows_the_closed_form():
    inertia, rate_B = np.array((1.0, 2.0, 3.0)), np.array((0.1, 0.9, 0.2))
    run = sas.simulate(inertia=inertia, angular_velocity=rate_B, duration=20.0, mass=5.0)
    body, initial = run.scenario.plant.body, run.scenario.initial
    constants = free_motion.prepare(to_flat(initial), body.flat())
    exact = rotations.continuous(free_motion.evaluate_many(constants, run.time))
    np.testing.assert_allclose(run.attitude, exact, rtol=0, atol=1e-11)
    states = simulation.trajectory(run.scenario.plant, initial, len(run) - 1)
    assert rotations.continuous(states[:, 3:7]).tobytes() == run.attitude.tobytes()
    np.testing.assert_allclose(
        run.angular_momentum, np.tile(inertia * rate_B, (len(run), 1)), rtol=0, atol=1e-14
    )
    energies = 0.5 * np.sum(inertia * run.angular_velocity**2, axis=1)
    np.testing.assert_allclose(run.energy, energies, rtol=1e-12)
    np.testing.assert_allclose(
        run.angular_momentum_body, inertia * run.angular_velocity, rtol=0, atol=1e-15
    )


def test_a_torque_held_on_an_axis_spins_it_up_as_newton_says():
    craft = sas.Simulation(inertia=[2.0, 3.0, 4.0], angular_velocity=[0, 0, 0])
    for _ in range(64):
        read = craft.step(torque=(0.0, 0.0, 0.4))
    assert craft.angular_velocity == pytest.approx((0.0, 0.0, 0.1 * craft.time), abs=1e-13)
    assert read.angular_velocity == pytest.approx(craft.angular_velocity, abs=1e-15)
    assert craft.run.torque[5] == pytest.approx((0.0, 0.0, 0.4))
    craft.step(angular_impulse=(0.0, 0.0, -0.8), frame='world')
    # 0.4 N m is held on for a tick of 1/32 s.
    assert craft.angular_velocity[2] == pytest.approx(0.2 - 0.2 + 0.1 / 32, abs=1e-12)
    assert craft.run.energy[-1] == pytest.approx(2.0 * craft.angular_velocity[2] ** 2, abs=1e-15)


def test_a_body_on_a_floor_is_placed_as_its_scenario_says():
    run = sas.simulate('rattleback', duration=0.5)
    found = scenario.load(scenario.find('rattleback'))
    assert found.placed
    assert run.contact.gap[0] == pytest.approx(0.0, abs=1e-9)
    n = len(run.time)
    assert repr(run.contact).startswith(f'<ContactHistory: position_W ({n}, 3), point_W ({n}, 3)')
    assert len(repr(run.contact)) < 200
    first = found.first_instant()
    assert run['z [m]'][0] == first.state.position_W[2]
    assert np.isnan(run.error).all() and not run.torque.any()


def test_wheels_take_what_the_body_gives():
    craft = sas.Simulation(
        'cubesat_pyramid', angular_velocity=[0, 0, 0], parameters={'gravity_gradient': False}
    )
    wheels = craft.scenario.plant.spacecraft.part('reaction_wheels')
    craft.step(wheel_torque=np.zeros(4))  # the scenario's own torques
    for _ in range(32):
        craft.step(wheel_torque={wheels.names[0]: 1e-4})
    run = craft.run
    again = sas.Simulation(craft.scenario)
    again.step(wheel_torque=np.zeros(4))
    for _ in range(32):
        again.step(wheel_torque=[1e-4, 0.0, 0.0, 0.0])
    assert again.run.attitude.tobytes() == run.attitude.tobytes()
    assert run.wheels.speeds[-1, 0] > 0.0
    assert repr(run.wheels).startswith('<PartHistory of ReactionWheels: speeds (')
    assert 'gimbal' not in repr(run.wheels) and len(repr(run.wheels)) < 200
    assert run.wheels.torques[-1].tolist() == [1e-4, 0.0, 0.0, 0.0]
    first = np.tile(run.angular_momentum[0], (len(run), 1))
    np.testing.assert_allclose(run.angular_momentum, first, rtol=0, atol=1e-17)
    body_B = run.angular_velocity @ run.scenario.plant.body.inertia
    np.testing.assert_allclose(
        body_B + run.wheels.held_B, run.angular_momentum_body, rtol=0, atol=1e-17
    )
    assert craft.readings.wheel_speed == pytest.approx(run.wheels.speeds[-1])


# --- controllers ---------------------------------------------------------------------------------


def test_a_controller_is_a_plain_function_and_the_same_commands_step_by_step_give_its_bits():
    run = sas.simulate('cubesat_tumble', 10.0, damping)
    craft = sas.Simulation('cubesat_tumble', controller=None)
    for _ in range(320):
        craft.step(torque=-2e-3 * craft.readings.angular_velocity)
    assert craft.run.attitude.tobytes() == run.attitude.tobytes()
    assert craft.run.torque.tobytes() == run.torque.tobytes()
    sizes = np.linalg.norm(run.angular_velocity, axis=1)
    assert sizes[-1] < 0.9 * sizes[0]
    free = sas.simulate('cubesat_tumble', 10.0, None)
    assert np.linalg.norm(free.angular_velocity[-1]) > sizes[-1]


class Pointing:
    """A controller with a state and a reference."""

    reference = (1.0, 0.0, 0.0, 0.0)

    def __init__(self):
        self.starts = self.calls = 0

    def reset(self):
        """Begin again."""
        self.starts += 1

    def __call__(self, readings):
        """Answer."""
        self.calls += 1
        assert readings.new == {'imu'} and readings.tick == self.calls - 1
        w, *vector = readings.attitude
        error = 2.0 * np.sign(w) * np.array(vector)
        return {'torque': -3e-4 * error - 2e-3 * readings.angular_velocity}


def test_a_controller_with_a_state_is_told_of_starts_and_its_error_is_known():
    law = Pointing()
    craft = sas.Simulation('cubesat_pointing', controller=law)
    craft.advance(60.0)
    run = craft.run
    assert (law.starts, law.calls) == (1, len(run) - 1)
    assert np.degrees(run.error[0]) == pytest.approx(120.0, abs=1e-4)
    assert run.error[-1] < 0.1 * run.error[0]
    law.calls = 0
    craft.reset()
    assert (law.starts, craft.time, law.calls) == (2, 0.0, 0)


def test_the_scenarios_own_controller_flies_and_none_does_not():
    own = sas.simulate('cubesat_pointing', 30.0)
    free = sas.simulate('cubesat_pointing', 30.0, controller=None)
    assert own.error[-1] < 0.5 * own.error[0]
    assert not np.isfinite(free.error).any()
    # What acted is a mean in the axes of the tick's end.
    loop = OnboardController(own.scenario)
    assert loop.answer(own.scenario.first_instant())['torque'] == pytest.approx(
        own.torque[1], abs=1e-5
    )


def test_the_scenarios_own_controller_may_name_some_wheels_in_its_own_order():
    found = []
    for wheels in (['x', 'y', 'z'], ['z', 'x', 'y']):
        asked = {
            'attitude_controller.wheels': wheels, 'attitude_controller.mode': 'rate_damping',
            'attitude_controller.schedule.times': [], 'attitude_controller.schedule.modes': [],
            'wheels': ['spare', 'x', 'y', 'z'], 'wheel.spare.axis': [0.6, 0.8, 0.0],
            'wheel.spare.inertia': 1e-5, 'wheel.spare.max_torque': 1e-3,
        }  # fmt: skip
        craft = sas.Simulation('cubesat_3u_leo', parameters=asked)
        craft.step()
        found.append(craft.instant.inputs.wheel_torque)
    assert found[0] == pytest.approx(found[1], abs=1e-15)
    assert found[0][0] == 0.0 and np.all(found[0][1:])
    assert len(set(np.abs(found[0]))) == 4


def test_a_run_ends_when_it_is_told_to():
    law = damping
    run = sas.simulate(
        'cubesat_tumble', 600.0, law,
        until=lambda readings: np.linalg.norm(readings.truth.angular_velocity) < RATE,
    )  # fmt: skip
    sizes = np.linalg.norm(run.angular_velocity, axis=1)
    assert sizes[-1] < RATE <= sizes[:-1].min()


def test_a_mistake_in_a_controller_is_told_before_the_motion_is_compiled():
    law = (
        'def law(readings):\n'
        '    assert readings.tick == 0 and readings.truth and readings.wheel_speed.size\n'
        '    assert len(readings.names) == len([readings[name] for name in readings])\n'
        '    return torqe\n'
    )
    for name, most in (('cubesat_3u_leo', 2), ('cubesat_pyramid', 0)):  # 2: table of the orbit
        program = (
            'import spacecraft_attitude_sim as sas\n'
            'from spacecraft_attitude_sim.kernels import kernel\n'
            'made = []\n'
            'jit = kernel._jit\n'
            'kernel._jit = lambda *given: (made.append(given[1].__name__), jit(*given))[1]\n'
            f'{law}'
            'try:\n'
            f'    sas.simulate({name!r}, controller=law)\n'
            'except NameError as error:\n'
            '    print(len(made), made, error)\n'
        )
        done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
        assert "'torqe'" in done.stdout, (name, done.stderr)
        assert int(done.stdout.split()[0]) <= most, (name, done.stdout)


# --- sensors -------------------------------------------------------------------------------------


def test_sensors_read_at_their_rates_and_by_name():
    craft = sas.Simulation('cubesat_3u_leo', controller=None)
    assert set(craft.readings) >= {'imu', 'magnetometer', 'star_tracker', 'gnss'}
    told = []
    for _ in range(8):
        read = craft.step()
        told.append('gnss' in read.new)
        assert read['imu'].angular_velocity_S.tolist() == read.angular_velocity.tolist()
    assert any(told) and not all(told)
    sensors = craft.run.sensors
    assert sensors['imu'].angular_velocity_S.shape == (9, 3)
    assert len(sensors['gnss'].time) == 1 + sum(told)
    field_W = rotations.rotate(read.truth.attitude, read.magnetic_field)
    assert 2e-5 < np.linalg.norm(field_W) < 6e-5
    with pytest.raises(KeyError, match="did you mean 'imu'"):
        read['imo']


STARS = {'star_tracker.enabled': True, 'star_tracker.interval': 4, 'star_tracker.latency': 3}


def test_the_star_tracker_is_new_only_when_an_attitude_arrives_and_keeps_the_last_one():
    told = []

    def note(readings):
        told.append((readings, readings.star_tracker, 'star_tracker' in readings.new))

    run = sas.simulate('cubesat_tumble', 20 / 32, note, parameters=STARS)
    assert [tick for tick, (_, _, new) in enumerate(told) if new] == [3, 7, 11, 15, 19]
    assert [last for _, last, _ in told[:3]] == [None] * 3
    for tick, (readings, last, _) in enumerate(told[3:], 3):
        assert last.measured == (tick - 3) // 4 * 4 and last.age == (tick - last.measured) / 32
        assert last.q_WT.tolist() == run.attitude[last.measured].tolist()
        again = readings['star_tracker']
        assert (again.measured, again.q_WT.tolist()) == (last.measured, last.q_WT.tolist())
    assert told[0][0]['star_tracker'].measured == -1
    last.q_WT[:] = 9.0  # its own copy
    assert readings.star_tracker.q_WT.max() <= 1.0


def test_a_star_tracker_that_turns_too_fast_keeps_what_it_said_before():
    limited = {
        'star_tracker.enabled': True, 'star_tracker.interval': 2, 'star_tracker.rate_limit': 20.0,
    }  # fmt: skip
    craft = sas.Simulation(
        inertia=[1, 2, 3], angular_velocity=[0.1, 0, 0], parameters=limited, controller=None
    )
    craft.step()
    craft.step(angular_impulse=(5.0, 0, 0))
    for _ in range(7):
        read = craft.step()
    assert 'star_tracker' not in read.new
    assert read.star_tracker.measured == 0 and read.star_tracker.age == 9 / 32
    craft.reset()
    assert craft.readings.star_tracker.age == 0.0 and 'star_tracker' in craft.readings.new


# --- tables, pictures ----------------------------------------------------------------------------


def test_a_table_written_is_the_table_read(tmp_path):
    run = sas.simulate('cubesat_pyramid', 2.0)
    again = sas.read(run.to_csv(tmp_path / 'new' / 'run.csv'))
    assert again.columns == run.columns
    assert again.attitude.tobytes() == run.attitude.tobytes()
    assert again.energy.tobytes() == run.energy.tobytes()
    frame = run.to_pandas()
    assert frame.shape == (65, len(run.columns) - 1)
    assert frame['omega_y [rad/s]'].to_numpy().tobytes() == run['omega_y [rad/s]'].tobytes()
    assert frame.index.to_numpy().tobytes() == run.time.tobytes()
    missing = mock.patch.dict(sys.modules, {'pandas': None})
    with missing, pytest.raises(ImportError, match='^to_pandas needs pandas: pip install pandas$'):
        run.to_pandas()
    with pytest.raises(ValueError, match='holds no sensors'):
        again.sensors  # noqa: B018 (asked for)
    with pytest.raises(KeyError, match='did you mean'):
        run['omega_y']


def test_figures_and_animations_are_drawn(tmp_path):
    run = sas.simulate('cubesat_pointing', 20.0)
    figure = run.plot('angular_velocity', 'error', 'torque', path=tmp_path / 'a' / 'b.png')
    assert [axis.get_yscale() for axis in figure.axes] == ['linear', 'log', 'linear']
    assert figure.axes[1].lines[0].get_ydata()[0] == pytest.approx(120.0, abs=1e-4)
    assert Image.open(tmp_path / 'a' / 'b.png').size[0] > 800
    early = sas.simulate('cubesat_pointing', 2.0).plot('error')
    assert early.axes[0].get_yscale() == 'linear'
    picture = run.animate(seconds=0.2)
    data, _ = picture._repr_mimebundle_()
    assert picture.data.startswith(b'GIF89a') and data['image/gif']
    figure = run.plot('L', 'angular_momentum', 'attitude', 'omega_y [rad/s]', 'euler_angles')
    drawn = [[line.get_ydata() for line in axis.lines] for axis in figure.axes]
    assert len(drawn[0]) == 4 and np.array_equal(drawn[0][1], run.angular_momentum_body[:, 1])
    assert np.array_equal(drawn[1][2], run.angular_momentum[:, 2])
    assert np.array_equal(drawn[2][0], run.attitude[:, 0])
    assert np.array_equal(drawn[3][0], run['omega_y [rad/s]'])
    assert np.array_equal(drawn[4][2], np.degrees(run.euler_angles[:, 2]))
    with pytest.raises(ValueError, match="this run has no panel 'wheel_speed'; it has attitude,"):
        run.plot('wheel_speed')
    with pytest.raises(ValueError, match="did you mean 'error'"):
        run.plot('eror')
    with pytest.raises(ValueError, match="did you mean 'omega_x"):
        run.plot('omega_x [rad]')


@pytest.mark.parametrize(
    'access', [lambda run: run.time, lambda run: hasattr(run, 'energy'), repr]
)
def test_an_error_within_the_arrays_of_a_run_is_not_hidden(access):
    tries = []

    def table():
        tries.append(1)
        return None.shape

    with pytest.raises(RuntimeError, match="arrays .* 'NoneType' .* 'shape'") as raised:
        access(sas.Run(None, ('t [s]',), table))
    assert isinstance(raised.value.__cause__, AttributeError)
    assert len(tries) == 1


def test_any_free_run_has_its_momentum_sphere_and_its_rate_in_the_world(tmp_path):
    tensor = np.array(((1.0, 0.2, 0.0), (0.2, 2.0, -0.1), (0.0, -0.1, 2.5)))
    run = sas.simulate(inertia=tensor, angular_velocity=[0.1, 1.0, 0.0], duration=5.0)
    np.testing.assert_array_equal(run.scenario.plant.body.inertia, tensor)
    assert repr(run).startswith('<Run of your own body: 161')
    with pytest.raises(AttributeError, match="no 'omega'; write run.angular_velocity$"):
        run.omega  # the name of its panel  # noqa: B018
    with pytest.raises(AttributeError, match="no 'energi'; did you mean 'energy'"):
        run.energi  # noqa: B018
    drawn = run.poinsot(tmp_path / 'sphere.png')
    assert len(drawn.axes) == 2 and Image.open(tmp_path / 'sphere.png').size[0] > 800
    # Twice the energy of rotation is the same in any axes, and L stays in the world.
    twice = np.sum(run.angular_velocity_world * run.angular_momentum, axis=1)
    np.testing.assert_allclose(twice, 2.0 * run.energy, rtol=1e-12)
    sinking = sas.simulate('flat_spin', 1.0).poinsot()
    assert len(sinking.axes) == 5  # three spheres, the nutation and the energy
    floored = sas.simulate('rattleback', 1.0)
    with pytest.raises(ValueError, match='a floor pushes'):
        floored.poinsot()
    table = sas.read(run.to_csv(tmp_path / 'run.csv'))
    for draw in (table.poinsot, table.animate):
        with pytest.raises(ValueError, match='does not say what body'):
            draw()


def test_a_motion_that_the_samples_miss_is_told_in_the_picture():
    fine = {'duration': 2.0, 'tick_rate': 256}
    for name, given, told in (
        ('rattleback', {'duration': 2.0}, True),
        ('rattleback', fine, False),
        ('tennis_racket', {'duration': 2.0}, False),
    ):
        run = sas.simulate(name, **given)
        for figure in (run.plot(), run.plot('omega')):
            said = figure.axes[-1].get_xlabel()
            assert ('faster than the samples' in said) == told, (name, said)
            assert not told or 'use a tick_rate of 256 Hz' in said


def test_a_run_is_shown_by_the_viewer(tmp_path):
    pytest.importorskip('rerun')
    run = sas.simulate('flat_spin', 1.0)
    assert run.show(tmp_path / 'run.rrd').stat().st_size > 10_000


def test_a_view_says_where_it_is_and_ends_its_viewer():
    ended = []
    view = pictures.View(SimpleNamespace(url='http://here:9/', close=lambda: ended.append(True)))
    assert 'http://here:9/' in repr(view) and 'src="http://here:9/"' in view._repr_html_()
    assert not ended
    view.close()
    assert ended == [True]


def test_every_picture_is_drawn_without_a_window_where_there_is_no_display(monkeypatch):
    run = sas.simulate(inertia=(1.0, 2.0, 3.0), angular_velocity=(0.1, 0.2, 0.3), duration=0.1)
    chosen = []
    for missing, notebook, backend, without in (
        (True, False, None, True), (True, False, 'svg', False), (True, True, None, False),
        (False, False, None, False),
    ):  # fmt: skip
        with monkeypatch.context() as patch:
            patch.setattr(figures, 'display_missing', lambda missing=missing: missing)
            patch.setattr(pictures, 'in_notebook', lambda notebook=notebook: notebook)
            patch.setattr(figures, 'without_display', lambda: chosen.append(True))
            patch.delenv('MPLBACKEND', raising=False)
            if backend:
                patch.setenv('MPLBACKEND', backend)
            pictures._select_backend()
        assert bool(chosen) == without, (missing, notebook, backend)
        chosen.clear()
    monkeypatch.setattr(pictures, '_select_backend', mock.Mock(side_effect=InterruptedError))
    for draw in (run.plot, run.poinsot, run.animate, lambda: pictures.pointing(None, '', None)):
        with pytest.raises(InterruptedError):
            draw()


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('given', 'error', 'said'),
    [
        (
            {'scenario': 'tennis_raket'}, sas.ScenarioError,
            "mean 'tennis_racket'. Else give a YAML file's path; `attitude-sim scenarios` lists",
        ),
        ({}, sas.ScenarioError, 'body.inertia .* initial.angular_velocity'),
        ({'scenario': 'tennis_racket', 'inertai': 1}, TypeError, "did you mean 'inertia'"),
        (
            {'scenario': 'tennis_racket', 'parameters': {'body.mas': 1.0}},
            sas.ScenarioError, "did you mean 'body.mass'",
        ),
        ({'scenario': 'tennis_racket', 'inertia': [1, 1, 9]}, sas.ScenarioError, 'more than the'),
        ({'scenario': 'tennis_racket', 'duration': -1.0}, ValueError, 'duration is -1'),
        ({'inertia': [1, 2, 3], 'angular_velocity': [1, 0, 0]}, ValueError, 'scenario has none'),
        (
            {'scenario': 'tennis_racket', 'inertia': [[1, 2, 0], [0, 1, 0], [0, 0, 1]]},
            sas.ScenarioError, 'no symmetric matrix',
        ),
        (
            {'scenario': 'rattleback', 'parameters': {'contact:mode': 'coulomb'}},
            sas.ScenarioError, "write 'contact.mode'",
        ),
        ({'scenario': 'tennis_racket', 'duration': np.nan}, ValueError, 'duration is nan'),
        ({'scenario': 'tennis_racket', 'controller': 'mine'}, TypeError, "give a function, 'own'"),
        ({'scenario': 'formation'}, sas.ScenarioError, "deputy_2; for example namespace='chief'"),
        ({'scenario': 'tennis_racket', 'every': 0}, ValueError, 'every is 0'),
        (
            {'scenario': 'tennis_racket', 'parameters': {'contact.friction': 1.0}},
            sas.ScenarioError, 'has no contact',
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_simulated_is_refused(given, error, said):
    with pytest.raises(error, match=said):
        sas.simulate(**given)


@pytest.mark.parametrize(
    ('asked', 'said'),
    [
        ({'torque': [1.0, 2.0]}, r'torque has shape \(2,\); give three numbers'),
        ({'torque': [np.nan, 0.0, 0.0]}, 'not finite'),
        ({'torque': [1e300, 0.0, 0.0]}, 'give at most .* check the unit'),
        ({'wheel_torque': [1e-4, 0.0]}, 'there are 4 wheels'),
        ({'wheel_torque': {'one': 1e-4}}, "there is no wheel 'one'"),
        ({'thrust': [1.0]}, 'the spacecraft has no thrusters; it has wheels'),
        ({'torque': [0, 0, 0], 'frame': 'moon'}, 'moon'),
        # What comes before the command that is refused is not held either.
        ({'torque': [1e-4, 0, 0], 'impulse': [1, 0, 0], 'thrust': [1.0]}, 'no thrusters'),
        ({'wheel_torque': [1e-4] * 4, 'thrust': [1.0]}, 'no thrusters'),
        ({'impulse': [1, 0, 0], 'wheel_speed': [10.0] * 4}, 'speed_bandwidth'),
    ],
)
def test_a_command_that_cannot_be_obeyed_is_refused_and_changes_nothing(asked, said):
    craft = sas.Simulation('cubesat_pyramid')
    before = to_flat(craft.instant.state).tobytes()
    with pytest.raises(ValueError, match=said):
        craft.step(**asked)
    assert (craft.tick, to_flat(craft.instant.state).tobytes()) == (0, before)
    craft.step()
    still = sas.Simulation('cubesat_pyramid')
    still.step()
    assert to_flat(craft.instant.state).tobytes() == to_flat(still.instant.state).tobytes()


def test_what_was_held_before_a_step_that_fails_is_held_after_it():
    def law(readings):
        if readings.tick in failing:
            failing.remove(readings.tick)
            raise RuntimeError('mine')

    failing, runs = [1, 2, 3], []
    for tried in (True, False):
        craft = sas.Simulation('cubesat_pyramid', law if tried else None)
        craft.step(torque=[1e-4, 0, 0], wheel_torque=[1e-4, 0, 0, 0])
        for _ in range(4):
            if tried and failing:
                with pytest.raises(RuntimeError, match='mine'):
                    craft.step(
                        torque=[0, 5e-4, 0], force=[1, 0, 0], angular_impulse=[0, 0, 1],
                        wheel_torque=[0, 0, 0, 1e-4],
                    )  # fmt: skip
            craft.step()
        runs.append(craft.run)
    assert failing == [] and len(runs[0]) == 6
    assert runs[0].attitude.tobytes() == runs[1].attitude.tobytes()
    assert runs[0].torque.tobytes() == runs[1].torque.tobytes()


def test_the_run_is_computed_once_until_the_next_step():
    craft = sas.Simulation('tennis_racket')
    craft.step()
    first = craft.run
    assert craft.run is first and len(first) == 2
    craft.step()
    assert len(craft.run) == 3 and len(first) == 2
    craft.reset()
    with pytest.raises(ValueError, match='take a step'):
        craft.run  # noqa: B018 (asked for)


def test_one_of_a_formation_and_changes_of_other_nodes():
    one = sas.load('formation', namespace='deputy_1')
    for way in ('/deputy_1', 'deputy_1/'):
        assert sas.load('formation', namespace=way).parameters == one.parameters
    assert one.controller is not None
    other = sas.load(one, parameters={'attitude_controller.bandwidth': 0.123})
    assert other.controller['bandwidth'] == 0.123
    with pytest.raises(sas.ScenarioError, match='no spacecraft moon; there are chief'):
        sas.load('formation', namespace='moon')
    mine = sas.load({'body': {'inertia': [1, 2, 3]}, 'initial.angular_velocity': [0, 0, 1]})
    assert mine.plant.body.inertia.tolist() == np.diag((1.0, 2.0, 3.0)).tolist()


def test_estimator_and_guidance_are_added_as_by_the_options_of_run():
    aboard = {'estimator': True, 'guidance': True}
    threshold = {'attitude_estimator.false_alarm': 1e-3}
    named = sas.load('cubesat_3u_leo', parameters=threshold, **aboard)
    sections = scenario.read(scenario.find('cubesat_3u_leo'))
    sections |= {'attitude_estimator': {'false_alarm': 1e-3}}
    for add in (scenario.with_estimator, scenario.with_guidance):
        sections = add(sections, 'test')
    assert scenario.dump(named) == scenario.dump(scenario.of_sections(sections, 'test'))
    plain = sas.load('cubesat_3u_leo')
    assert plain.estimator is None and plain.guidance is None
    again = sas.load(plain, parameters=threshold, **aboard)
    assert scenario.dump(again) == scenario.dump(named)
    changed = sas.load(again, parameters={'attitude_estimator.false_alarm': 0.01, 'seed': 7})
    assert changed.estimator['false_alarm'] == 0.01 and changed.parameters['seed'] == 7
    assert changed.guidance == again.guidance
    for given, said in (
        ({'parameters': threshold}, 'has no attitude_estimator, so attitude_est'),
        ({'parameters': {'mission_modes.dwell': 1.0}}, 'has no mission_modes'),
        ({'parameters': {'attitude_estimator.x': 1}, **aboard}, 'is not a para'),
    ):
        for base in ('cubesat_3u_leo', plain):
            with pytest.raises(sas.ScenarioError, match=said):
                sas.load(base, **given)


def test_another_model_of_a_sensor_brings_its_figures_and_takes_those_of_the_one_before():
    plain, noisy = sas.load('tennis_racket'), {'imu.model': 'stim300'}
    asked = sas.load('tennis_racket', parameters=noisy)
    assert plain.parameters != asked.parameters
    assert sas.load(plain, parameters=noisy).parameters == asked.parameters
    again = sas.load(asked, parameters={'imu.model': 'ideal'})
    assert again.parameters == plain.parameters
    other = sas.load(asked, parameters={'imu.model': 'bmi088'})
    assert (
        other.parameters
        == sas.load('tennis_racket', parameters={'imu.model': 'bmi088'}).parameters
    )
    mine = {**noisy, 'imu.gyroscope.range': [123.0]}
    assert sas.load(plain, parameters=mine).parameters['imu.gyroscope.range'] == [123.0]
    with pytest.raises(sas.ScenarioError, match="did you mean 'body.mass'"):
        sas.load(plain, parameters={'body.mas': 1.0})


# --- campaigns -----------------------------------------------------------------------------------

TUMBLES = {
    'scenario': 'cubesat_tumble', 'runs': 3, 'duration': 4.0,
    'dispersions': {'initial.angular_velocity': {'distribution': 'in_sphere', 'radius': 0.3}},
}  # fmt: skip


class Damping:
    """A controller that each run makes anew, for its own inertia."""

    def __init__(self, found):
        self.gain = 0.1 * np.diag(found.plant.body.inertia)
        self.asked = 0

    def __call__(self, readings):
        """Answer."""
        assert readings.tick == self.asked
        self.asked += 1
        return -self.gain * readings.angular_velocity


def test_a_controller_of_ones_own_flies_a_campaign_and_its_rows_are_runs():
    pytest.importorskip('pyarrow')
    table = sas.campaign(TUMBLES, controller=Damping, merits={'ticks': lambda one: len(one.time)})
    drawn = [f'initial.angular_velocity[{k}]' for k in range(3)]
    assert table.index.tolist() == [0, 1, 2] and table['ticks'].tolist() == [129.0] * 3
    rate = table[drawn].to_numpy()[1]
    found = sas.load('cubesat_tumble', angular_velocity=rate)
    run = sas.simulate(found, 4.0, controller=Damping(found))
    final = np.linalg.norm(run.angular_velocity[-1])
    assert table['final_rate'][1] == pytest.approx(final, rel=1e-12)
    assert (table['final_rate'] < 0.75 * np.linalg.norm(table[drawn], axis=1)).all()
    free = sas.campaign(TUMBLES, runs=2)
    assert len(free) == 2 and (free['final_rate'] > table['final_rate'][:2]).all()
    mine = {**TUMBLES, 'scenario': found, 'runs': 1}
    assert len(sas.campaign(mine, damping)) == 1


@pytest.mark.parametrize(
    ('given', 'changes', 'said'),
    [
        ({}, {}, 'scenario is missing'),
        (TUMBLES, {'run': 3}, "did you mean 'runs'"),
        (TUMBLES, {'dispersions': {'body.mas': 1.0}}, 'body.mas'),
        ('nowhere.yaml', {}, 'nowhere.yaml'),
    ],
)
def test_a_campaign_that_cannot_be_is_refused(given, changes, said):
    with pytest.raises(sas.CampaignError, match=said):
        sas.campaign(given, **changes)


def test_a_figure_of_a_controlled_run_shows_error_and_wheels_and_no_turns_while_unloading():
    def labels(run):
        figure = run.plot()
        said = [axis.get_ylabel() for axis in figure.axes], figure.axes[-1].get_xlabel()
        pyplot.close(figure)
        return said

    class Still:
        reference = (1.0, 0.0, 0.0, 0.0)

        def __call__(self, readings):
            return {'wheel_torque': np.zeros(4)}

    panels, _ = labels(sas.simulate('cubesat_pyramid', 2.0, Still()))
    assert any('error' in one for one in panels) and any('[rpm]' in one for one in panels)
    free = sas.simulate('tennis_racket', 10.0)
    panels, below = labels(free)
    assert not any('error' in one for one in panels) and 'turns over' in below

    def stopped(readings):  # L goes through zero
        return (0.0, 0.0, -0.4)

    run = sas.simulate(
        inertia=[1, 2, 3], angular_velocity=[0, 0, 0.1], duration=2.0, controller=stopped
    )
    assert len(run.flips()) == 1
    assert 'turns over' not in labels(run)[1]
    history = free._history._replace(control=histories.Control(None, None))
    assert len(figures._turns(history)) == len(free.flips())  # L keeps its size


# What computes a campaign yields.
ROWS = [(0, 1, {'run': np.zeros(1)})]


class CellOnStderr:
    """What shows in the place of a notebook's cell each text that it would show."""

    def show(self, text):
        """Print a text."""
        print(f'\r{text}', end='', file=sys.stderr)

    def clear(self):
        """Go back to the start of the line."""
        print('\r', end='', file=sys.stderr)


def test_progress_is_told_in_a_notebook_with_the_time_left(monkeypatch, capsys):
    monkeypatch.setattr(waiting, 'in_notebook', lambda: True)
    monkeypatch.setattr(waiting, 'Cell', CellOnStderr)
    sas.campaign(TUMBLES)
    assert '\r3 runs: ' in capsys.readouterr().err
    monkeypatch.setattr(waiting, 'PATIENCE', 0.1)
    with waiting.Waiting(10.0, 20.0) as line:
        for number in range(70):
            line.show(12.0 + 0.04 * number)
            time.sleep(0.01)
    said = capsys.readouterr().err
    assert re.search(r'\r1[234]\S* s of 20 s: [234]\d %, \d+ s, \d+ s left', said), said


def test_each_call_waits_from_its_first_time_to_its_last(monkeypatch):
    given = []

    class Noted(waiting.Waiting):
        def __init__(self, *times):
            super().__init__(*times)
            given.append([times, []])

        def show(self, now):
            given[-1][1].append(now)

    monkeypatch.setattr(calls, 'Waiting', Noted)
    sas.simulate('tennis_racket', duration=0.125)
    assert {one[0] for one in given if one[0]} == {(0.0, 0.125)}
    flight = sas.Simulation('tennis_racket')
    flight.advance(0.125)
    given.clear()
    flight.advance(0.0625)
    assert given == [[(0.125, 0.1875), [0.15625, 0.1875]]]
    flight.reset()
    assert given[-1] == [(), []]


def test_a_call_says_in_a_notebook_what_it_waits_for(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(waiting, 'in_notebook', lambda: True)
    monkeypatch.setattr(waiting, 'Cell', CellOnStderr)
    monkeypatch.setattr(waiting, 'PATIENCE', 0.05)
    monkeypatch.setattr(progress, 'PATIENCE', 0.0)
    monkeypatch.setattr(progress, 'PERIOD', 0.002)
    monkeypatch.setattr(cache.compiling, '_ended', -math.inf)

    def slow_at_first(readings):
        time.sleep(0.0 if readings.tick else 0.1)

    sas.campaign(TUMBLES, slow_at_first)
    assert '\r3 runs: compiling or loading code, 0 s so far' in capsys.readouterr().err
    run = sas.simulate('tennis_racket', duration=4.0)
    run.plot(path=tmp_path / 'run.png')
    assert '\rdrawing, 0 s so far' in capsys.readouterr().err
    read = histories.read_with_table
    monkeypatch.setattr(
        histories, 'read_with_table', lambda *given: (time.sleep(0.3), read(*given))[1]
    )
    sas.read(run.to_csv(tmp_path / 'run.csv'))
    assert '\rreading run.csv, 0 s so far' in capsys.readouterr().err
    run.animate(tmp_path / 'run.gif', seconds=0.2)
    said = capsys.readouterr().err
    assert '\rframe ' in said and '\rwriting the GIF' in said
    begin = batches.Batch._run
    monkeypatch.setattr(batches.Batch, '_run', lambda *given: (time.sleep(0.5), begin(*given)))
    racket = sas.load('tennis_racket')
    batch = sas.Batch([racket.plant.body] * 100, [racket.initial] * 100)
    # In a process that has just compiled, it says for how long.
    said = capsys.readouterr().err
    assert re.search(r'\rcompiling (or loading code, 0 s so far|for \d+ s)', said), said
    monkeypatch.setattr(batches.Batch, '_run', lambda *given: (time.sleep(0.02), begin(*given)))
    monkeypatch.setattr(sas_batch, 'STRETCH', 300)
    monkeypatch.setattr(waiting, 'PATIENCE', 0.2)
    batch.advance(100)
    assert re.search(r'\r[\d.]+ s of 3.125 s: \d+ %', capsys.readouterr().err)
    batch.advance(99)  # what is short starts no thread
    assert not capsys.readouterr().err
    alone = batches.Batch([racket.plant.body], [racket.initial])
    alone.advance(100 + 99)
    assert batch.tick == alone.tick
    assert np.array_equal(batch.states, np.repeat(alone.states, 100, axis=0))


def test_python_says_for_how_long_it_compiles_without_a_terminal_in_one_line(monkeypatch, capsys):
    now = cache.Compiling()
    monkeypatch.setattr(cache, 'compiling', now)
    monkeypatch.setattr(waiting, 'compiling', now)
    monkeypatch.setattr(waiting, 'LATE', 0.3)
    for _ in range(2):  # the second call goes on compiling
        now.begin()
        now.begin()  # a function within
        now.end()
        with waiting.Waiting():
            time.sleep(1.0)
        now.end()
    said = capsys.readouterr().err
    assert re.fullmatch(r'compiling for \d s \(up to 60 s on an idle core, once [^\n]*\)\n', said)
    assert now.seconds > 1.9  # it did not begin again
    now._ended -= 60.0
    assert waiting.compiled_for() == ''
    now.begin()
    assert now.seconds < 1.0 and not now.told
    monkeypatch.setattr(runner, 'here', lambda *_: lambda *_: (time.sleep(1.0), ROWS)[1])
    sas.campaign(TUMBLES)
    said = capsys.readouterr().err
    assert re.fullmatch(r'compiling for \d s \(up to 60 s on an idle core, once [^\n]*\)\n', said)


# --- tables of commands --------------------------------------------------------------------------


def test_a_table_of_commands_is_flown_like_the_same_commands_step_by_step(tmp_path):
    path = tmp_path / 'torque.csv'
    path.write_text('t [s],torque_z [N m]\n0.5,0.4\n1.0,0\n')
    body = {'inertia': [2.0, 3.0, 4.0], 'angular_velocity': [0, 0, 0]}
    run = sas.simulate(duration=2.0, inputs=path, **body)
    assert run.angular_velocity[-1] == pytest.approx((0.0, 0.0, 0.05), abs=1e-14)
    craft = sas.Simulation(**body)
    for tick in range(64):
        craft.step(torque=(0.0, 0.0, 0.4 if 16 <= tick < 32 else 0.0))
    assert craft.run.attitude.tobytes() == run.attitude.tobytes()
    again = sas.Simulation(inputs=[path], **body)
    again.advance(2.0)
    again.reset()
    again.advance(2.0)
    assert again.run.attitude.tobytes() == run.attitude.tobytes()


def test_a_table_that_cannot_be_flown_is_refused(tmp_path):
    path = tmp_path / 'wheels.csv'
    path.write_text('t [s],wheel.x.torque [N m]\n0.5,1e-5\n')
    with pytest.raises(sas.RecordingError, match="wheel 'x', and so does .* controller=None"):
        sas.simulate('cubesat_3u_leo', 1.0, inputs=path)
    assert len(sas.simulate('cubesat_3u_leo', 1.0, None, inputs=path)) == 3
    # All rods share what the controller commands, however the table turns them.
    rods = tmp_path / 'rods.csv'
    rods.write_text('t [s],magnetorquer.z.dipole [A m^2]\n0.5,0.1\n')
    with pytest.raises(sas.RecordingError, match="magnetorquer 'z', and so does"):
        sas.simulate('cubesat_3u_leo', 1.0, inputs=rods)
    # Of a wheel that the controller does not name a table is obeyed, as over ROS.
    spare = {
        'wheels': ['x', 'y', 'z', 'spare'], 'wheel.spare.axis': [0.6, 0.8, 0.0],
        'wheel.spare.inertia': 1e-5, 'wheel.spare.max_torque': 1e-3,
    }  # fmt: skip
    path.write_text('t [s],wheel.spare.torque [N m]\n0,1e-5\n')
    run = sas.simulate('cubesat_3u_leo', 1.0, inputs=path, parameters=spare)
    assert run.wheels.torques[-1, 3] == 1e-5
    with pytest.raises(sas.RecordingError, match='wheel'):
        sas.simulate('tennis_racket', 1.0, inputs=path)


# --- small things --------------------------------------------------------------------------------


def test_every_second_instant_is_kept_and_the_truth_moves_as_it_should():
    whole = sas.simulate('cubesat_tumble', 2.0, velocity=[1.0, -2.0, 0.5])
    half = sas.simulate('cubesat_tumble', 2.0, every=2, velocity=[1.0, -2.0, 0.5])
    assert half.time.tolist() == whole.time[::2].tolist()
    assert half.attitude.tobytes() == whole.attitude[::2].tobytes()
    assert len(half.sensors['imu'].time) == len(whole)
    craft = sas.Simulation('cubesat_tumble', velocity=[1.0, -2.0, 0.5])
    truth = craft.advance(2.0).truth
    assert truth.velocity == pytest.approx((1.0, -2.0, 0.5), abs=1e-12)
    assert truth.position == pytest.approx((2.0, -4.0, 1.0), abs=1e-12)
    assert truth.angular_momentum == pytest.approx(whole.angular_momentum[-1], rel=1e-12)


def test_gimbals_are_read_and_turned_by_name():
    craft = sas.Simulation('station_cmg', controller=None)
    names = craft.scenario.plant.spacecraft.part('control_moment_gyros').names
    before = craft.readings.gimbal_angle
    assert len(before) == len(names)
    for _ in range(8):
        craft.step(gimbal_rate={names[1]: 0.01})
    turned = craft.readings.gimbal_angle - before
    assert turned[1] > 1e-3
    assert np.abs(np.delete(turned, 1)).max() < 1e-6
    assert craft.run.gimbals.angles[-1] == pytest.approx(craft.readings.gimbal_angle)


class Counting:
    """A controller that takes no argument and is made anew for each run."""

    def __init__(self):
        self.calls = 0

    def __call__(self, readings):
        """Answer nothing."""
        assert readings.tick == self.calls
        self.calls += 1


def test_a_class_without_arguments_is_made_for_each_run():
    assert len(sas.campaign(TUMBLES, controller=Counting, workers=1, runs=2)) == 2


OMITTED = {
    sas.simulate: {
        'scenario': None, 'duration': None, 'controller': 'own', 'until': None, 'every': 1,
        'inputs': (),
    },
    sas.campaign: {'controller': 'own', 'merits': {}, 'workers': None},
    sas.load: {
        'given': None, 'namespace': None, 'parameters': None, 'estimator': False,
        'guidance': False,
    },
    sas.read: {'namespace': None},
    sas.Simulation: {'scenario': None, 'controller': 'own', 'every': 1, 'inputs': ()},
    sas.Simulation.advance: {'until': None},
    sas.Simulation.step: dict.fromkeys((
        'torque', 'force', 'angular_impulse', 'impulse', 'wheel_torque', 'wheel_speed',
        'gimbal_rate', 'gimbal_torque', 'thrust', 'dipole', 'frame',
    )),
    sas.Batch: {
        'states': None, 'controller': 'own', 'law': None, 'sensors': None, 'watched': False,
        'settled_rate': 0.0, 'threads': None,
    },
    sas.Batch.advance: {'ticks': 1},
    sas.Run.animate: {'path': None, 'seconds': 15.0},
    sas.Run.merits: {
        'steady_from': None, 'pointed_error': math.radians(1.0), 'window': 0.0, 'drift': 0.0,
        'boresight': (0.0, 0.0, 1.0),
    },
    sas.Run.smoothed: {'judged_from': 0.0, 'estimator': None, 'beside': None},
    sas.Run.plot: {'path': None},
    sas.Run.poinsot: {'path': None},
    sas.Run.show: {'path': None, 'browser': True},
}  # fmt: skip


@pytest.mark.parametrize('function', OMITTED, ids=lambda function: function.__qualname__)
def test_what_a_call_leaves_out_is_as_the_page_says(function):
    parameters = inspect.signature(function).parameters.items()
    defaults = {
        name: one.default for name, one in parameters if one.default is not inspect.Parameter.empty
    }
    assert defaults == OMITTED[function]
