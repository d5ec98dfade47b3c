# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""attitude-sim does what is asked, and says in one line when it cannot."""

import argparse
import contextlib
import csv
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
from PIL import Image
from processes import called, printed, run
from ros_helpers import PATIENCE, process, wait_for

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim import cli
from spacecraft_attitude_sim.configuration import aboard, formation, scenario, scenario_file
from spacecraft_attitude_sim.core import ticks
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import animation_file, figures
from spacecraft_attitude_sim.nodes.ros import session
from spacecraft_attitude_sim.recording import history
from spacecraft_attitude_sim.recording import table as run_table
from spacecraft_attitude_sim.runs import replay as replaying
from spacecraft_attitude_sim.subcommands import node as node_command
from spacecraft_attitude_sim.subcommands import replay as replay_command

# The end of the message about a scenario that does not exist.
ELSE = "Else give a YAML file's path; `attitude-sim scenarios` lists all"


@pytest.fixture(scope='module')
def racket_csv(tmp_path_factory, command):
    """The table of a tennis racket."""
    path = tmp_path_factory.mktemp('table') / 'made' / 'too' / 'racket.csv'
    printed(command, 'run', 'tennis_racket', '--rate', 0, '--csv', path)
    return path


def test_summary_says_ticks_flips_and_drift(command, domain):
    said = printed(command, 'run', 'tennis_racket', '--rate', 0)
    assert '320 ticks' in said
    assert '3 (at 2.24 s, 6.05 s, 9.86 s)' in said
    assert 'drift of L       0.0e+00' in said


def test_table_has_columns_of_one_instant(racket_csv):
    with racket_csv.open() as file:
        rows = list(csv.reader(file))
    assert tuple(rows[0][:13]) == history.COLUMNS  # as in every table before
    assert rows[0][13:] == [
        *run_table.QUATERNION_COLUMNS, *run_table.ENERGY_COLUMNS, 'x [m]', 'y [m]', 'z [m]',
        *(f'v_{axis} [m/s]' for axis in 'xyz'), *(f'L_world_{axis} [N m s]' for axis in 'xyz'),
    ]  # fmt: skip
    numbers = np.array(rows[1:], dtype=float)
    assert not numbers[:, 21:27].any()
    assert not np.ptp(numbers[:, 27:], axis=0).any()  # constant to the last bit
    assert [float(row[0]) for row in rows[1:]] == [ticks.DEFAULT.seconds(k) for k in range(321)]
    table, _ = history.read(racket_csv)
    inertia = scenario.load(scenario.find('tennis_racket')).plant.body.inertia
    # L = I ω holds in every row only if both are of the same instant.
    L_B = table.angular_velocity_B @ inertia
    assert np.allclose(table.angular_momentum_B, L_B, rtol=0, atol=1e-17)
    # And so do the angles and the quaternion, and ½ ω·L.
    angles = [rotations.euler_zyx_from_quaternion(q) for q in table.quaternion]
    assert np.array_equal(angles, table.euler_zyx)
    energy = 0.5 * np.sum(table.angular_velocity_B * L_B, axis=1)
    assert np.allclose(table.energies[:, [1, 3]], energy[:, np.newaxis], rtol=1e-13, atol=0)
    assert not table.energies[:, [0, 2]].any()  # it rests where nothing pulls


def test_own_scenario_file_works_where_a_name_does(command, domain, tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text(
        '/**/simulator: {ros__parameters: {initial: {angular_velocity: [0, 1.0, 0]}, body: '
        '{mass: 1, inertia: [1, 1, 1.5]}}}'
    )
    said = printed(command, 'run', path, '--rate', 0, '--duration', 1)
    assert 'mine: 32 ticks' in said


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['run', 'no_such'], "no scenario 'no_such'; give a shipped name or"),
        (['run', 'tennis_racket', '-p', 'substep:=3'], "did you mean 'substeps'"),
        (['rnu', 'tennis_racket'], "no 'rnu'; did you mean 'run'?"),
        (['run', 'tennis_racket', '--duratoin', '3'], "did you mean '--duration'?"),
        (['node', 'simulatr'], "did you mean 'simulator'?"),
        (
            ['run', 'tennis_raket'],
            f"no scenario 'tennis_raket'; did you mean 'tennis_racket'? {ELSE}",
        ),
        (
            ['run', 'Cubesat_dtumble'],
            f"did you mean 'cubesat_detumble' or 'cubesat_tumble'? {ELSE}",
        ),
        (['run', 'rolling'], f"'ellipsoid_rolling' or 'superellipsoid_rolling'? {ELSE}"),
        (['run', 'tennis_racket', '-p', 'tick_rate:=60'], 'the nearest that work are'),
        (['run', 'tennis_racket', '-p', 'mas:=2.0'], "did you mean 'body.mass'?"),
        (['run', 'tennis_racket', '-p', 'qzx:=2.0'], 'valid ones are in docs/parameters.md'),
        (['run', 'tennis_racket', '-p', 'simulater:duration:=2'], "did you mean 'simulator'?"),
        (['run', 'tennis_racket', '-p', 'markers:trace:=2'], 'trace is not a parameter'),
        (['check', 'no_such'], "no scenario 'no_such'"),
        (['run', 'tennis_racket', '-p', 'nothing'], 'is not NAME:=VALUE'),
        (
            ['run', 'tennis_racket', '-p', 'body.inertia:=[1.0, 1.0, 0.0]'],
            'inertia[2] is 0 kg m^2',
        ),
        (['run', 'tennis_racket', '-p', 'body.inertia:=[1.0'], 'is not YAML'),
        (['run', 'tennis_racket', '--rate', '-1'], 'real_time_factor is -1.0'),
        (['run', 'tennis_racket', '--record', '/proc/nowhere/bag'], '/proc/nowhere/bag'),
        (['run', 'tennis_racket', '--csv', '/proc/nowhere/x.csv'], '/proc/nowhere'),
        (['run', 'tennis_racket', '--csv', __file__], 'exists already'),
        (['run', 'tennis_racket', '--record', '/', '--overwrite'], 'is not a bag'),
        (['run'], 'SCENARIO'),
        (['plot', '/no/such/bag'], 'no such bag or CSV file'),
        (['view', __file__, '--ros-args', '-r', '__ns:=/a'], '--ros-args belongs to'),
        (['plot', __file__], 'is neither a bag'),
        (['node', 'contact'], 'there is no floor; give a scenario with a section /**/contact'),
    ],
)
def test_wrong_input_is_one_clear_line_and_status_2(domain, arguments, words):
    done = called(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert 'Traceback' not in done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith('attitude-sim')]
    assert len(said) == 1


def test_read_only_folder_is_refused_before_the_run(command, domain, tmp_path):
    if os.geteuid() == 0:
        pytest.skip('root may write anywhere')
    tmp_path.chmod(0o500)
    done = run(command, 'run', 'tennis_racket', '--record', tmp_path / 'bag')
    assert done.returncode == 2
    assert 'cannot be made: Permission denied' in done.stderr


def test_ctrl_c_at_any_time_of_the_start_is_one_line_and_status_130(command, domain):
    """A traceback came 37 times of 40, five times of NumPy, which could not be imported.

    Python says each import when it is over: that is when we interrupt.
    """
    beside = 'spacecraft_attitude_sim.configuration.discovery'  # libraries of ROS are being loaded
    places = ('numpy.exceptions', beside, 'rclpy.node')
    speaking = os.environ | {'PYTHONPROFILEIMPORTTIME': '1'}
    arguments = (command, 'run', 'tennis_racket', '--no-markers')
    with contextlib.ExitStack() as stack:
        children = [stack.enter_context(process(*arguments, env=speaking)) for _ in places]
        for child, place in zip(children, places, strict=True):
            while not (line := child.stderr.readline()).rstrip().endswith(f' {place}'):
                assert line, f'{place} is not imported'
            child.send_signal(signal.SIGINT)
        for child in children:
            # Not communicate(): it misses what readline() holds, and sees the rest of a line.
            errors, output = child.stderr.read(), child.stdout.read()
            said = [line for line in errors.splitlines() if not line.startswith('import time:')]
            assert (output, said) == ('', ['attitude-sim: interrupted'])
            assert child.wait(timeout=60) == 130


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_ends_whole(command, domain, tmp_path, number):
    path, bag = tmp_path / 'run.csv', tmp_path / 'bag'
    arguments = ['run', 'tennis_racket', '--duration', '60', '--csv', path, '--record', bag]
    with process(command, *map(str, arguments)) as child:
        wait_for(lambda: _rows(bag) > 20)
        child.send_signal(number)
        _, errors = child.communicate(timeout=PATIENCE)
    assert child.returncode == 130  # stopped before its duration was over
    assert 'Traceback' not in errors
    table, _ = history.read(path)
    recorded, _ = history.read(bag)
    assert np.array_equal(table.time, recorded.time)
    assert np.array_equal(table.time, np.arange(len(table.time)) * ticks.TICK_SECONDS)


def _rows(bag):
    """Return how many instants a bag holds so far; 0 while it cannot be read."""
    try:
        return len(history.read(bag)[0].time)
    except history.RecordingError:
        return 0


LOST = ['a bag is lost']


@pytest.mark.parametrize(
    ('configurations', 'status'),
    [((), 0), (([],), 0), (([], LOST), 1), ((LOST, []), 1), (([], LOST, []), 1)],
)
def test_a_problem_of_any_configuration_gives_status_1(monkeypatch, configurations, status):
    pytest.importorskip('lifecycle_msgs.srv')
    from spacecraft_attitude_sim.runs import managed_run
    from spacecraft_attitude_sim.runs.run import Outcome

    def fly(members, ros_arguments, wanted_of, report):
        for number, problems in enumerate(configurations, 1):
            outcome = Outcome(1, 0.03125, 0.1, False, problems, {}, {})
            report(outcome, wanted_of(number))

    monkeypatch.setattr(managed_run, 'run', fly)
    done = called('run', 'tennis_racket', '--lifecycle')
    assert done.returncode == status
    assert done.stderr.count('a bag is lost') == status


def test_plot_writes_the_figure_and_the_animation(command, racket_csv, tmp_path):
    output = tmp_path / 'racket.png'
    arguments = ['plot', racket_csv, '-o', output, '--animate', '--fps', 5]
    said = printed(command, *arguments, '--scenario', 'tennis_racket')
    assert said.split() == [str(output), str(output.with_suffix('.gif'))]
    pixels = np.asarray(Image.open(output).convert('L'))
    assert pixels.shape[0] > 1000
    assert 0.01 < np.mean(pixels < 128) < 0.5  # lines and text on white
    animation = Image.open(output.with_suffix('.gif'))
    assert animation.n_frames == 50
    assert figures.frame_count(history.read(racket_csv)[0]) == 200  # without --fps
    first = np.asarray(animation.convert('L'), dtype=int)
    animation.seek(11)
    assert np.mean(np.abs(np.asarray(animation.convert('L'), dtype=int) - first) > 50) > 0.01


def test_plot_draws_poinsots_picture(command, racket_csv):
    said = printed(command, 'plot', racket_csv, '--poinsot', '--scenario', 'tennis_racket')
    assert said.split() == [str(racket_csv.with_name('racket_poinsot.png'))]
    pixels = np.asarray(Image.open(said.strip()).convert('RGB'), dtype=int)
    for red, green, blue in ((240, 152, 26), (214, 47, 47), (0, 120, 159)):
        near = np.all(np.abs(pixels - (red, green, blue)) < 12, axis=2)
        assert np.count_nonzero(near) > 100  # polhode, separatrix, herpolhode


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (['--fps', 32], '--fps is of an animation; give --animate'),
        (['--fps', 0, '--animate'], '--fps is 0; give one of 1 to 50'),
        (['--fps', 51, '--animate'], '--fps is 51; give one of 1 to 50'),
        (['--attitude', 'axes', '--poinsot'], 'leave out it or --poinsot'),
        (['--attitude', 'matrix'], "no 'matrix'; valid are axes, euler, quaternion"),
    ],
)
def test_plot_refuses_what_contradicts_itself(command, racket_csv, arguments, said):
    done = run(command, 'plot', racket_csv, '--scenario', 'tennis_racket', *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert 'Traceback' not in done.stderr


def test_plot_refuses_poinsots_picture_of_a_table_with_parts(command, tmp_path):
    table = sas.simulate('flat_spin', 0.5).to_csv(tmp_path / 'fuel.csv')
    done = run(command, 'plot', table, '--poinsot', '--scenario', 'tennis_racket')
    assert done.returncode == 2 and 'has columns of parts that the scenario lacks' in done.stderr
    assert "'slug.fuel.rate_z [rad/s]'" in done.stderr
    assert not list(tmp_path.glob('*.png'))


def test_an_animation_of_every_tick_keeps_time(command, racket_csv, tmp_path):
    """A GIF counts hundredths of a second; 320 ticks take the 10 s that they took."""
    lines = racket_csv.read_text().splitlines(keepends=True)
    short, output = tmp_path / 'short.csv', tmp_path / 'racket.png'
    short.write_text(''.join(lines[:66]))  # 65 instants, 2 s
    arguments = ['plot', short, '-o', output, '--animate', '--fps', 32]
    printed(command, *arguments, '--scenario', 'tennis_racket')
    with Image.open(output.with_suffix('.gif')) as animation:
        assert animation.n_frames == 64
        shown = 0
        for number in range(64):
            animation.seek(number)
            shown += animation.info['duration']
    assert shown == 2000


def test_plot_draws_runs_beside_each_other_and_keeps_the_figure_of_one(
    command, racket_csv, tmp_path
):
    one, other, alone = (tmp_path / name for name in ('one.csv', 'other.csv', 'one.png'))
    for table in (one, other):
        table.write_text(''.join(racket_csv.read_text().splitlines(keepends=True)[:66]))
    alone.write_text('the figure of one run alone')
    both = ['plot', one, '--beside', other, '--scenario', 'tennis_racket', '--only', 'omega']
    assert printed(command, *both).split() == [str(tmp_path / 'one_beside_other_omega.png')]
    assert alone.read_text() == 'the figure of one run alone'
    assert printed(command, *both, '-o', alone).split() == [str(alone)]
    with Image.open(alone) as drawn:
        assert drawn.width > drawn.height


def test_plot_draws_no_free_run_beside_one_on_a_floor(command, racket_csv, tmp_path):
    floor = tmp_path / 'floor.csv'
    names = history.columns(on_floor=True)
    rows = [','.join(names), *(','.join([str(t), *'0' * (len(names) - 1)]) for t in range(3))]
    floor.write_text('\n'.join(rows))
    done = run(command, 'plot', racket_csv, '--beside', floor)
    assert done.returncode == 2
    assert 'one run is on a floor, the other free' in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_plot_draws_a_table_of_the_sources_own_program(command, racket_csv, tmp_path):
    """Thirteen numbers a line and no header, as other programs write them."""
    rows = [line.split(',')[:13] for line in racket_csv.read_text().splitlines()[1:]]
    foreign = tmp_path / 'theirs.csv'
    foreign.write_text(''.join(', '.join(row) + '\n' for row in rows))
    done = printed(command, 'plot', foreign, '--attitude', 'quaternion')
    assert done.split() == [str(foreign.with_suffix('.png'))]
    foreign.write_text(foreign.read_text().replace('0.5, ', '', 1))
    done = run(command, 'plot', foreign)
    assert done.returncode == 2
    assert 'line 17 has 12 of 13 values' in done.stderr
    assert done.stderr.count('\n') == 1


@pytest.mark.skipif(not animation_file.can_write_mp4(), reason='ffmpeg is not installed')
def test_plot_writes_an_mp4_where_ffmpeg_is(command, racket_csv, tmp_path):
    output = tmp_path / 'racket.png'
    arguments = [
        'plot',
        racket_csv,
        '-o',
        output,
        '--animate',
        'mp4',
        '--scenario',
        'tennis_racket',
    ]
    printed(command, *arguments)
    assert output.with_suffix('.mp4').read_bytes()[4:8] == b'ftyp'


def test_plot_without_display_or_body_is_refused(command, racket_csv):
    environment = {k: v for k, v in os.environ.items() if 'DISPLAY' not in k}
    done = run(command, 'plot', racket_csv, '--show', env=environment)
    assert done.returncode == 2
    assert 'needs a display' in done.stderr
    done = run(command, 'plot', racket_csv, '--animate')
    assert done.returncode == 2
    assert 'give --scenario' in done.stderr


def test_scenarios_lists_what_ships(command):
    begun = time.process_time()
    said = printed(command, 'scenarios')
    assert time.process_time() - begun < 1.0  # 20 ms; it was 2 s when every file was parsed
    shipped = [*scenario.shipped(), *scenario.shipped_formations()]
    assert [line.split()[0] for line in said.splitlines()] == shipped
    (line,) = [line for line in said.splitlines() if line.startswith('formation ')]
    assert line.endswith('(chief, deputy_1, deputy_2)')
    width = max(map(len, shipped))
    for one in said.splitlines():
        name, gap, described = one[:width].strip(), one[width : width + 2], one[width + 2 :]
        assert gap == '  ' and described[0] != ' '
        if name in scenario.shipped():
            assert described == scenario.load(scenario.find(name)).description
    chief = formation.members([scenario.find('formation')])[0].sections['simulator']
    assert chief['description'] in line


def test_a_description_on_several_lines_is_read_with_the_whole_file(tmp_path):
    path = tmp_path / 'a.yaml'
    text = '/**/simulator:\n  ros__parameters:\n    description: >-\n      Two\n      lines\n'
    path.write_text(text + '    initial: {angular_velocity: [0.0, 0.0, 1.0]}\n')
    assert formation.description_of(path) == 'Two lines'


@pytest.mark.parametrize('arguments', [[], ['run'], ['plot'], ['scenarios'], ['node']])
def test_help_helps(command, arguments):
    said = printed(command, *arguments, '--help')
    assert 'usage: attitude-sim' in said


def test_without_a_command_it_prints_its_help_and_status_2():
    done = called()
    assert done.returncode == 2
    assert done.stdout == called('--help').stdout and 'usage: attitude-sim' in done.stdout
    assert not done.stderr


def test_start_does_not_load_plotting_or_ros():
    program = (
        'import sys\n'
        'from spacecraft_attitude_sim import cli\n'
        'cli._parser(["node"])\n'
        'loaded = [name for name in ("rclpy", "matplotlib", "shutil") if name in sys.modules]\n'
        'sys.exit(f"loaded {loaded}" if loaded else 0)'
    )
    subprocess.run([sys.executable, '-c', program], check=True, timeout=600)


@pytest.mark.parametrize('columns', ['50', '130', '0', '-7', 'many', '9' * 5000, None])
def test_the_help_is_as_wide_as_that_of_argparse(monkeypatch, columns):
    monkeypatch.delenv('COLUMNS', raising=False)
    if columns is not None:
        monkeypatch.setenv('COLUMNS', columns)
    parser = cli._parser(['run'])
    own = parser.format_help()
    parser.formatter_class = argparse.HelpFormatter
    assert parser.format_help() == own


def test_a_simulator_imports_no_node_of_the_flight_loop_and_no_parser_of_packages():
    program = (
        'import sys, spacecraft_attitude_sim.nodes.simulator.node\n'
        'from spacecraft_attitude_sim.configuration import scenario\n'
        'scenario.load(scenario.find("tennis_racket"))\n'
        'print(*sys.modules)'
    )
    imported = subprocess.run(
        [sys.executable, '-c', program], check=True, capture_output=True, text=True
    ).stdout.split()
    parts = 'control', 'estimation', 'guidance', 'mission'
    heavy = {f'spacecraft_attitude_sim.core.{part}' for part in parts}
    heavy |= {f'spacecraft_attitude_sim.configuration.{node}' for node in aboard.NODES}
    heavy |= {'importlib.metadata', 'difflib', 'numba', 'scipy', 'matplotlib'}
    assert not heavy & set(imported)


@pytest.mark.parametrize('node', aboard.NODES)
def test_the_nodes_of_the_flight_loop_have_the_names_of_their_modules(node):
    assert node == aboard.module_of(node).NAME and node in scenario_file.NODES


def test_a_command_lets_blas_have_one_thread_unless_the_user_says_otherwise():
    program = (
        'import os, sys\n'
        'from spacecraft_attitude_sim import start\n'
        'sys.argv = ["attitude-sim", "--version"]\n'
        'try: start.main()\n'
        'except SystemExit: print(os.environ["OPENBLAS_NUM_THREADS"])'
    )
    for given, expected in (('', '1'), ('3', '3')):
        env = {**os.environ, 'OPENBLAS_NUM_THREADS': given}
        if not given:
            del env['OPENBLAS_NUM_THREADS']
        done = subprocess.run(
            [sys.executable, '-c', program], env=env, check=True, capture_output=True, text=True
        )
        assert done.stdout.split()[-1] == expected


@pytest.mark.parametrize('arguments', [['view'], ['run', 'tennis_racket', '--view']])
def test_viewer_without_its_library_says_what_to_install(arguments):
    """Rerun is hidden from the search for it, as where the extra is not installed."""
    program = (
        'import importlib.util as search\n'
        'whole = search.find_spec\n'
        'search.find_spec = lambda name, *rest: None if name == "rerun" else whole(name, *rest)\n'
        'from spacecraft_attitude_sim import cli\n'
        f'cli.main({arguments})\n'
    )
    done = run(sys.executable, '-c', program)
    assert done.returncode == 2
    assert "pip install 'rerun-sdk==" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_only_our_own_output_may_lose_its_reader_without_a_word():
    code = (
        'from spacecraft_attitude_sim import cli; import os, sys\n'
        'from spacecraft_attitude_sim.subcommands import scenarios\n'
        'def broken(*_):\n'
        '    there, here = os.pipe(); os.close(there); os.write(here, b"x")\n'
        'scenarios.list_scenarios = broken\n'
        'cli.main(["scenarios"])'
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert done.returncode == 2
    assert 'Broken pipe' in done.stderr


@pytest.mark.parametrize(
    ('module', 'model', 'remedy'),
    [
        ('erfa', 'kepler', 'apt install python3-erfa, or pip install pyerfa'),
        ('sgp4', 'sgp4', 'apt install python3-sgp4, or pip install sgp4'),
    ],
)
def test_an_orbit_without_the_library_it_needs_is_refused_in_one_line(
    module, model, remedy, monkeypatch, capsys, tmp_path
):
    path = tmp_path / 'mine.yaml'
    orbit = f'{{model: {model}, tle: [first, second]}}'
    path.write_text(
        f'/**/simulator: {{ros__parameters: {{orbit: {orbit}, initial: {{angular_velocity: '
        '[0, 0, 0]}, body: {mass: 1, inertia: [1, 1, 1]}}}'
    )
    for part in [one for one in sys.modules if one.partition('.')[0] == module]:
        monkeypatch.delitem(sys.modules, part)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(SystemExit) as ended:
        cli.main(['check', str(path)])
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        f'attitude-sim: this needs {module}, which is not installed: {remedy}\n'
    )


CRASH = """
import os, signal
from spacecraft_attitude_sim import cli, start
cli.main = lambda: os.kill(os.getpid(), signal.SIGSEGV)
start.main()
"""


LOOP = """
from spacecraft_attitude_sim import cli, start

class Loop:
    def __init__(self):
        self.own = self
    def __del__(self):
        print('collected')

loop = Loop()
cli.main = lambda: print('done')
start.main()
"""


def test_a_command_ends_without_a_last_collection():
    """Of what numba has made it would take half a second, in which nothing is printed."""
    done = subprocess.run([sys.executable, '-c', LOOP], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, 'done\n')


def test_a_crash_of_a_library_says_where_it_was():
    done = subprocess.run([sys.executable, '-c', CRASH], capture_output=True, text=True)
    assert done.returncode == -signal.SIGSEGV
    assert 'Segmentation fault' in done.stderr and 'start.py' in done.stderr


@contextlib.contextmanager
def stopped(stop):
    """Stand for ROS, in which a signal has arrived or not."""
    yield stop


@pytest.mark.parametrize(
    ('stop', 'loop', 'status'),
    [(False, False, 0), (True, False, 130), (True, True, 0)],
)
def test_a_replay_that_a_signal_ends_early_says_so_unless_it_loops(
    monkeypatch, stop, loop, status
):
    """A loop ends by a signal only."""
    played, waited = [], []
    publisher = SimpleNamespace(wait_for_all_acked=waited.append)
    node = SimpleNamespace(publishers=[publisher], destroy_node=lambda: waited.append('gone'))
    monkeypatch.setattr(session, 'ros', lambda arguments: stopped(stop))
    monkeypatch.setattr(rclpy, 'create_node', lambda name: node)
    monkeypatch.setattr(replaying, 'play', lambda *given: played.append(given[:4]))
    options = SimpleNamespace(bag='bag', rate=2.0, start=1.0, loop=loop, delay=0.5)
    assert replay_command._publish(options, []) == status
    assert played == [('bag', node, stop, replaying.PlayOptions(2.0, 1.0, loop, 0.5))]
    assert waited == [session.LONGEST_WAIT, 'gone']


@pytest.mark.parametrize(('failure', 'status'), [('', 0), ('the disk is full', 1)])
def test_a_node_that_fails_ends_with_1_and_says_why(monkeypatch, capsys, failure, status):
    ends = []
    node = SimpleNamespace(finished=True, failure=failure, finish=lambda: ends.append('it'))
    monkeypatch.setattr(session, 'ros', lambda arguments: stopped(SimpleNamespace()))
    monkeypatch.setattr(session, 'executor_of', lambda nodes, stop: stopped('executor'))
    monkeypatch.setattr(session, 'spin_until', lambda executor, done: ends.append(done()))
    monkeypatch.setattr(node_command, '_started', lambda name, lifecycle: [node])
    options = SimpleNamespace(node='recorder', lifecycle=False)
    assert node_command.run_node(options, []) == status
    assert capsys.readouterr().err == (f'attitude-sim: {failure}\n' if failure else '')
    assert len(ends) == 2 and ends[1] == 'it'
