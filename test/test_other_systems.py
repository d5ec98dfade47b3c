# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What macOS and Windows lack is used nowhere but in safety/, and everything runs without it.

`make checked` also has mypy look for what Python lacks there.
"""

import ast
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import lacking
import pytest
from conftest import ROOT

import spacecraft_attitude_sim
from spacecraft_attitude_sim.configuration import share
from spacecraft_attitude_sim.safety import system
from spacecraft_attitude_sim.viewer import page

SOURCE = Path(spacecraft_attitude_sim.__file__).parent
# Where a name that one system lacks may stand: each of these asks first whether it is there.
ASKING = {'safety/system.py', 'cli.py', 'nodes/ros/session.py'}
MODULES = {module.__name__: names for module, names in lacking.NAMES.items()}
for kept, names in lacking.KEPT.items():
    MODULES[kept.__name__] += names
TEXT = ('open', 'read_text', 'write_text', 'fdopen', 'TemporaryFile', 'NamedTemporaryFile')
# How many arguments these have with an encoding.
ENCODING = {'read_text': 1, 'write_text': 2}
PROGRAMS = {
    'flights': """
        run = sas.simulate('cubesat_detumble', duration=4.0)
        run.to_csv('run.csv')
        again = sas.read('run.csv')
        assert again.time[-1] == run.time[-1] == 4.0
        run.plot(path='run.png')
        flight = sas.Simulation('cubesat_tumble', seed=3)
        flight.step(torque=[1e-3, 0.0, 0.0])
        out = sas.rollout('cubesat_tumble', {'torque': np.zeros((40, 200, 3))})
        assert out.attitude.shape == (40, 201, 4)
    """,
    'campaign': """
        table = sas.campaign(
            {'scenario': 'cubesat_tumble', 'runs': 3, 'duration': 1.0, 'dispersions': {
                'initial.angular_velocity': {'distribution': 'in_sphere', 'radius': 0.3}}},
            controller=lacking_law.damp,
        )
        assert len(table['final_rate']) == 3
    """,
    'bag': """
        run = sas.read(bag)
        assert len(run.time) > 10
    """,
    'commands': """
        for arguments in (
            ['check', 'cubesat_3u_leo'], ['scenarios'], ['convert', 'mountings'],
            ['plot', table, '-o', 'plotted.png'], ['warm-up', 'tennis_racket'],
        ):
            with pytest.raises(SystemExit) as end:
                cli.main(arguments)
            assert end.value.code == 0, arguments
    """,
    'processes': """
        assert list(workers.each(lacking_law.named, ['a', 'b', 'c'], 2)) == ['a!', 'b!', 'c!']
        with system.locked('lock'), system.locked('other'):
            pass
        assert lacking_law.twice(1.5) == 3.0  # compiled, and kept on disk
        assert [*Path('code').rglob('*.nbc')] and [*Path('code').rglob('lock')]
        system.yield_to_others(1)
        assert system.usable_cores() == os.cpu_count()
    """,
}
HEAD = """
import lacking
lacking.take()
import os
import sys
from pathlib import Path
import numpy as np
import pytest
import lacking_law
import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim import cli
from spacecraft_attitude_sim.campaigns import workers
from spacecraft_attitude_sim.safety import system
bag, table = sys.argv[1:]
"""
LAW = """
import os
from spacecraft_attitude_sim.kernels.kernel import compiled
@compiled
def twice(x):
    return 2.0 * x
def damp(readings):
    return -2e-3 * readings.angular_velocity
def named(text):
    assert not hasattr(os, 'sched_getaffinity')
    return text + '!'
"""
OTHER = """
import sys
from pathlib import Path
from spacecraft_attitude_sim.safety import system
lock, written = sys.argv[1:]
print('ready', flush=True)
with system.locked(lock):
    print(Path(written).read_text())
"""
BAGS = ROOT / 'test' / 'data' / 'bags'


@pytest.mark.parametrize('what', PROGRAMS)
def test_it_runs_without_what_windows_lacks(what, tmp_path):
    (tmp_path / 'lacking_law.py').write_text(LAW)
    program = HEAD + textwrap.dedent(PROGRAMS[what])
    places = [str(tmp_path), str(ROOT / 'test'), str(SOURCE.parent)]
    environment = os.environ | {'PYTHONPATH': os.pathsep.join(places)}
    if what == 'processes':
        environment['NUMBA_CACHE_DIR'] = str(tmp_path / 'code')
    bag = BAGS / 'bounce_on_wave'
    done = subprocess.run(
        [sys.executable, '-c', program, str(bag), f'{bag}.csv'], cwd=tmp_path, capture_output=True,
        text=True, env=environment, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def used(tree):
    """Yield (line, name) of all that Windows lacks and a syntax tree uses, but for its types."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in MODULES.get(node.value.id, ()):
                yield node.lineno, f'{node.value.id}.{node.attr}'
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, a.name) for a in node.names if a.name in lacking.MODULES)
        elif isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names} & {*MODULES.get(node.module, ())}
            yield from ((node.lineno, name) for name in names)
            if node.module in lacking.MODULES:
                yield node.lineno, node.module
        elif isinstance(node, ast.keyword) and node.arg in ('preexec_fn', 'pass_fds'):
            yield node.value.lineno, node.arg


def without_encoding(tree):
    """Yield the line of each call that opens a file as text, and leaves its encoding to chance."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, 'attr', getattr(node.func, 'id', ''))
        given = {word.arg: word.value for word in node.keywords}
        if name not in TEXT or 'encoding' in given or (name == 'open' and _is_foreign(node.func)):
            continue
        if name in ENCODING:
            if len(node.args) < ENCODING[name]:
                yield node.lineno
            continue
        temporary = name.endswith('TemporaryFile')
        place = 1 if name == 'fdopen' or (isinstance(node.func, ast.Name) and not temporary) else 0
        mode = given.get('mode', node.args[place] if len(node.args) > place else None)
        if 'b' not in getattr(mode, 'value', 'b' if temporary else ''):
            yield node.lineno


def _is_foreign(function):
    """Return whether `x.open` opens no path as text."""
    return isinstance(function, ast.Attribute) and getattr(function.value, 'id', '') in (
        'os', 'webbrowser', 'Image', 'reader',
    )  # fmt: skip


@pytest.fixture(scope='module')
def trees():
    """{path in the package: syntax tree} of all modules."""
    paths = {path.relative_to(SOURCE).as_posix(): path for path in SOURCE.rglob('*.py')}
    return {name: ast.parse(path.read_text(encoding='utf-8')) for name, path in paths.items()}


def test_only_safety_uses_what_a_system_lacks(trees):
    users = {name: [*used(tree)] for name, tree in trees.items()}
    assert {name: lines for name, lines in users.items() if lines and name not in ASKING} == {}
    assert all(users[name] for name in ASKING), 'good: leave it out of ASKING'


def test_every_text_has_an_encoding(trees):
    lines = {name: [*without_encoding(tree)] for name, tree in trees.items()}
    assert {name: found for name, found in lines.items() if found} == {}


def test_what_is_searched_for_is_found():
    text = """
import fcntl
from os import nice
from pwd import getpwall
os.geteuid(); signal.SIGKILL; Popen([], preexec_fn=None)
open('a'); path.open('w'); path.read_text(); path.write_text(text); os.fdopen(3, 'w')
NamedTemporaryFile('w')
open('a', 'rb'); path.open(mode='xb'); path.read_text('utf-8'); NamedTemporaryFile()
"""
    names = {name for _, name in used(ast.parse(text))}
    assert names == {'fcntl', 'nice', 'pwd', 'os.geteuid', 'signal.SIGKILL', 'preexec_fn'}
    assert sorted(without_encoding(ast.parse(text))) == [6, 6, 6, 6, 6, 7]


def test_a_lock_lets_one_process_in(tmp_path):
    """The other waits until the first has gone, and finds what that has written."""
    arguments = [str(tmp_path / 'lock'), str(tmp_path / 'written')]
    environment = os.environ | {'PYTHONPATH': os.pathsep.join([str(tmp_path), str(SOURCE.parent)])}
    with system.locked(arguments[0]):
        process = subprocess.Popen(
            [sys.executable, '-c', OTHER, *arguments], env=environment, stdout=subprocess.PIPE
        )
        assert process.stdout.readline() == b'ready\n'
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1.0)
        Path(arguments[1]).write_text('by the first')
    assert process.communicate(timeout=60.0)[0] == b'by the first\n'


def test_the_page_is_hidden_where_there_are_addresses(monkeypatch):
    assert page._hidden_host() not in (page.HOST, page._hidden_host())
    monkeypatch.setattr(sys, 'platform', 'darwin')
    assert page._hidden_host() == page.HOST


@pytest.mark.parametrize(
    'place',
    ['Lib/site-packages', 'lib/python3.12/site-packages', 'Python312/site-packages', ''],
    ids=['Windows', 'Linux and macOS', 'user of Windows', 'pip --target'],
)
def test_scenarios_are_found_wherever_pip_puts_them(place, tmp_path, monkeypatch):
    data = tmp_path / 'share' / share.PACKAGE
    data.mkdir(parents=True)
    (data / 'package.xml').touch()
    module = tmp_path / place / share.PACKAGE / 'configuration' / 'share.py'
    monkeypatch.setattr(share, '__file__', str(module))
    assert share.share_directory.__wrapped__() == data
    (data / 'package.xml').unlink()
    with pytest.raises(FileNotFoundError, match='install with pip'):
        share.share_directory.__wrapped__()


@pytest.mark.parametrize(
    ('system', 'machine', 'said'),
    [
        ('linux', 'x86_64', "pip install -c constraints.txt '.[ros]'"),
        ('linux', 'aarch64', 'sas.simulate in Python'),
        ('darwin', 'arm64', 'sas.simulate in Python'),
        ('win32', 'AMD64', 'sas.simulate in Python'),
    ],
)
def test_a_run_without_ros_says_what_to_do_on_this_system(system, machine, said):
    program = (
        'import platform, sys; from spacecraft_attitude_sim import cli\n'
        'platform.machine, real = (lambda: sys.argv[2]), sys.platform\n'
        'import importlib; sys.platform = sys.argv[1]; importlib.reload(cli)\n'
        'sys.platform = real; sys.modules["rclpy"] = None; cli.main(["run", "tennis_racket"])'
    )
    done = subprocess.run(
        [sys.executable, '-c', program, system, machine], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, '')
    assert done.stderr.startswith('attitude-sim: this needs rclpy, which is not installed: ')
    assert said in done.stderr and done.stderr.count('\n') == 1


COMPILED_FOR_ARM = """
import gc, re, sys
import llvmlite.binding as llvm
import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.kernels.kernel import Kernel
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
if sys.argv[1] == 'fused':
    made = Kernel.__init__
    Kernel.__init__ = lambda self, *given, **options: made(
        self, *given, **options, fastmath={'contract'}
    )
sas.simulate('tennis_racket', duration=0.05)
arm = llvm.Target.from_triple('aarch64-unknown-linux-gnu')
machine = arm.create_target_machine(cpu='neoverse-n1', opt=3)
counts = dict.fromkeys(('fmul', 'fadd', 'fmadd', 'fmsub', 'fnmadd', 'fnmsub', 'fmla', 'fmls'), 0)
for kernel in [one for one in gc.get_objects() if isinstance(one, Kernel) and one._dispatcher]:
    for text in kernel.dispatcher.inspect_llvm().values():
        text = re.sub(r'(?m)^target .*$', '', text)
        text = re.sub(r'"target-(cpu|features)"="[^"]*"', '', text)
        text = re.sub(r'= (tail )?call i8 @llvm[.]x86[.]atomic.*', '= add i8 0, 1', text)
        words = re.findall(r'[a-z]+', machine.emit_assembly(llvm.parse_assembly(text)))
        counts = {name: count + words.count(name) for name, count in counts.items()}
print(counts.pop('fmul'), counts.pop('fadd'), sum(counts.values()))
"""


@pytest.mark.parametrize('how', ['as it is', 'fused'])
def test_code_for_arm_rounds_each_product_and_each_sum(how, tmp_path):
    """A processor that has both in one instruction is given it only where code allows that.

    So bits would be others than those of Python, and of a processor that has none.
    """
    environment = os.environ | {'NUMBA_CACHE_DIR': str(tmp_path)}
    done = subprocess.run(
        [sys.executable, '-c', COMPILED_FOR_ARM, how], env=environment, check=True,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    products, sums, fused = map(int, done.stdout.split())
    assert products > 100 and sums > 100
    assert (fused > 0) == (how == 'fused')


def test_output_lacks_a_character_and_goes_on():
    program = 'from spacecraft_attitude_sim import start; start._print_what_can_be(); print("…τ")'
    command = [sys.executable, '-c', program]
    environment = os.environ | {'PYTHONIOENCODING': 'cp1252'}
    assert subprocess.run(command, env=environment, stdout=subprocess.PIPE).stdout == b'\x85?\n'
