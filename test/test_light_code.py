# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Cached code is called without numba, to the same bits, or numba is imported and loads it."""

import importlib.util
import math
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from test_code_cache import DAMAGES, files_of, folder, forget, run, summed  # noqa: F401 (fixture)

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.kernels import cache as code_cache
from spacecraft_attitude_sim.kernels import kernel as compiled
from spacecraft_attitude_sim.kernels import light, object_code

pytestmark = pytest.mark.skipif(not object_code.abilities(), reason='Linux on x86-64 alone')
DEADLINE = 300.0
NUMBERS = np.array([0.3, -0.7, 2.5, 1e-3])


def everything(numbers, factor, k, flag, pair):
    """Call functions of C, allocate, and return an array, a tuple and numbers."""
    out = np.empty(numbers.size)
    for j in range(numbers.size):
        x = numbers[j] * factor
        out[j] = math.sin(x) + math.exp(x) + math.atan2(x, 2.0) + math.pow(abs(x), 0.3)
    return out, out.sum() * pair[0], k + 1, flag, (pair[1], math.log(abs(factor)))


def written(numbers, matrix):
    """Write into an array."""
    for j in range(numbers.size):
        numbers[j] += matrix[0, 0] * math.expm1(numbers[j])


def parts(result):
    """Return the types and bytes of a result."""
    if isinstance(result, tuple):
        return tuple(map(parts, result))
    return type(result), np.asarray(result).tobytes()


def image_of(function, *arguments):
    """Compile a function, and return what calls its image for such arguments; None without one."""
    compiled.Kernel(function).call_numba(*arguments)
    return image_on_disk(function, *arguments)


def image_on_disk(function, *arguments):
    """Return what calls the image of a function for such arguments; None without one."""
    code = light.loaded(compiled.Kernel(function), ' '.join(map(light.kind_of, arguments)))
    return code and code.function


def test_the_image_gives_the_bits_of_numba(folder):  # noqa: F811
    for k, flag in ((3, True), (-(2**62), False)):
        arguments = NUMBERS, 1.7, k, flag, (0.25, -3.0)
        native = image_of(everything, *arguments)
        assert type(native).__name__ == 'builtin_function_or_method'
        expected = compiled.Kernel(everything).call_numba(*arguments)
        assert parts(native(*arguments)) == parts(expected)
    first, second = NUMBERS.copy(), NUMBERS.copy()
    assert image_of(written, first, np.eye(2))(first, np.eye(2)) is None
    compiled.Kernel(written).call_numba(second, np.eye(2))
    compiled.Kernel(written).call_numba(second, np.eye(2))
    assert first.tobytes() == second.tobytes() != NUMBERS.tobytes()


def test_exceptions_and_wrong_arguments_are_those_of_numba(folder):  # noqa: F811
    native = image_of(summed, 0.5)
    assert native(0.25) == summed(0.25)
    with pytest.raises(ValueError, match='nothing has no reciprocal'):
        native(0.0)
    for arguments in ((), (1.0, 2.0), ('text',)):
        with pytest.raises((TypeError, ValueError)):
            native(*arguments)
    assert native(0.25) == summed(0.25)


def test_results_do_not_fill_the_memory(folder):  # noqa: F811
    arguments = np.ones(500), 1.7, 3, True, (0.25, -3.0)
    native = image_of(everything, *arguments)
    resident = []
    for _ in range(4):
        for _ in range(5000):  # 20 MB
            native(*arguments)
        resident.append(int(Path('/proc/self/statm').read_text().split()[1]))
    assert resident[-1] - resident[0] < 1000  # pages of 4 kB
    assert sys.getrefcount(arguments[0]) < 10


def test_code_calls_the_functions_that_it_calls_when_numba_loads_it(folder):  # noqa: F811
    """So the bits are the same where a library has several functions of a name."""
    import llvmlite.binding

    image_of(everything, NUMBERS, 1.7, 3, True, (0.25, -3.0))
    image_of(kinematics.truth_of.function, *TRUTH)
    names = set()
    for path in files_of(folder, '.nbl'):
        names |= set(object_code.Image.unpacked(path.read_bytes()[32:]).outside)
    assert {'numba_sin', 'numba_exp', 'PyExc_RuntimeError', 'NRT_Free'} <= names
    for name in names - set(light.REPLACED):
        assert light.address_of(name) == llvmlite.binding.address_of_symbol(name), name
    for name in ('sin', 'exp'):
        assert light.address_of(f'numba_{name}') == llvmlite.binding.address_of_symbol(name)


TRUTH = (
    np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.1, 0.2, 0.3]), np.zeros(6), np.zeros(12),
    0.1, np.eye(3), np.zeros(3),
)  # fmt: skip


@pytest.mark.parametrize('damage', DAMAGES)
def test_a_damaged_image_is_dropped_and_made_again_when_numba_loads_the_code(
    folder,  # noqa: F811
    capfd,
    damage,
):
    assert image_of(summed, 0.5)
    (path,) = files_of(folder, '.nbl')
    before = object_code.Image.unpacked(path.read_bytes()[32:])
    DAMAGES[damage](path)
    assert image_on_disk(summed, 0.5) is None
    assert capfd.readouterr().err.count('was damaged or not private; it is made again\n') == 1
    assert image_of(summed, 0.5)(0.25) == summed(0.25)
    assert object_code.Image.unpacked(path.read_bytes()[32:]) == before


def test_an_image_that_is_not_as_expected_is_not_used(folder, monkeypatch):  # noqa: F811
    assert image_of(summed, 0.5)
    (path,) = files_of(folder, '.nbl')
    image = object_code.Image.unpacked(path.read_bytes()[32:])
    for change in (
        {'processor': 'another'},
        {'outside': image.outside | {'numba_of_tomorrow': [0]}},
        {'outside': image.outside | {'no_function_has_this_name': [0]}},
        {'inside': [(image.size, 0)]},
        {'size': len(image.content) - 1},
    ):
        object_code.cache.write(str(path), image._replace(**change).packed())
        assert image_on_disk(summed, 0.5) is None, change
    object_code.cache.write(str(path), image.packed()[:-1])
    assert image_on_disk(summed, 0.5) is None
    object_code.cache.write(str(path), image.packed())
    assert image_on_disk(summed, 0.5)(0.25) == summed(0.25)
    monkeypatch.setattr(light, 'protect', lambda *_: -1)  # as where memory may not hold code
    assert image_on_disk(summed, 0.5) is None


@pytest.mark.parametrize('loose', ['file', 'subfolder'])
def test_an_image_that_others_could_have_written_is_not_used(folder, loose):  # noqa: F811
    assert image_of(summed, 0.5)
    (path,) = files_of(folder, '.nbl')
    {'file': path, 'subfolder': path.parent}[loose].chmod(0o777)
    forget()
    assert image_on_disk(summed, 0.5) is None
    assert not path.exists()
    assert image_of(summed, 0.5)(0.25) == summed(0.25)


def test_code_without_an_image_is_kept_as_before(folder):  # noqa: F811
    for argument in ((1.0, (2.0, 'text')), np.ones(3, np.float32), None, np.ones(3)[::2]):
        kernel = compiled.Kernel(lambda given: 1.0)
        assert kernel.call_numba(argument) == 1.0
    assert len(files_of(folder, '.nbl')) == 1  # of the array that is not contiguous


def test_settings_of_numba_and_other_machines_have_no_images(monkeypatch):
    ours = object_code.abilities.__wrapped__
    assert ours()
    monkeypatch.setenv('NUMBA_OPT', '0')
    assert ours() == ''
    monkeypatch.delenv('NUMBA_OPT')
    monkeypatch.setenv('NUMBA_CACHE_DIR', '/somewhere')
    assert ours()
    for machine, system in (('aarch64', 'linux'), ('x86_64', 'darwin'), ('AMD64', 'win32')):
        monkeypatch.setattr(object_code.platform, 'machine', lambda machine=machine: machine)
        monkeypatch.setattr(object_code.sys, 'platform', system)
        assert ours() == ''


@pytest.mark.parametrize('library', ['numba', 'llvmlite'])
def test_another_version_of_the_compiler_has_another_folder(monkeypatch, library):
    whole = code_cache.version_of
    folder_of = compiled.cache_directory.__wrapped__
    before = folder_of()
    monkeypatch.setattr(
        code_cache, 'version_of', lambda name: whole(name) + '.post1' * (name == library)
    )
    assert folder_of() != before


@pytest.mark.parametrize('package', ['numba', 'llvmlite', 'numpy'])
def test_a_version_is_that_of_the_metadata(package):
    assert code_cache.version_of(package) == metadata.version(package)


@pytest.mark.parametrize('folders', [(), ('numba-1.dist-info', 'numba-2.dist-info')])
def test_where_no_folder_tells_the_version_the_metadata_do(monkeypatch, tmp_path, folders):
    (tmp_path / 'numba').mkdir()
    (tmp_path / 'numba' / '__init__.py').touch()
    for name in folders:
        (tmp_path / name).mkdir()
    installed = metadata.version('numba')
    monkeypatch.setattr(metadata, 'version', lambda name: f'{name} {installed}')
    spec = importlib.util.spec_from_file_location('numba', tmp_path / 'numba' / '__init__.py')
    monkeypatch.setattr(importlib.util, 'find_spec', lambda name: spec)
    assert code_cache.version_of('numba') == f'numba {installed}'


def test_the_current_folder_tells_no_version(monkeypatch, tmp_path):
    (tmp_path / 'not_installed-1.dist-info').mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(metadata.PackageNotFoundError):
        code_cache.version_of('not_installed')


HANDLES = compiled.Handle('float64(float64)'), compiled.Handle('void(float64, int64)')
KINDS = {
    '1Cw': np.ones(3), '1Cr': np.broadcast_to(1.0, 1), '2Cw': np.eye(3), '2Fw': np.eye(3).T,
    '1Aw': np.ones(6)[::2], '3Cw': np.ones((2, 2, 2)), 'd': 1.0, 'q': 2**63 - 1, '?': True,
    '(d q (1Cw))': (1.0, 2, (np.ones(2),)), '()': (), '@float64(float64)': HANDLES[0],
    '@void(float64,int64)': HANDLES[1],
}  # fmt: skip
OTHERS = (
    2**63, -(2**63) - 1, np.ones(3, np.float32), np.ones(3, '>f8'), np.ones(3, int), None, 'text',
    np.ones(3).view(np.matrix), memoryview(np.ones(3)), np.bool_(True), simulation.Inputs(),
    np.frombuffer(bytes(25), np.uint8)[1:].view(float),
)  # fmt: skip


@pytest.mark.parametrize('kinds', KINDS)
def test_kinds_of_arguments_are_those_of_numba(kinds):
    from numba import typeof

    argument = KINDS[kinds]
    assert light.kind_of(argument) == kinds
    assert object_code.text_of([typeof(argument)]) == kinds
    check = light.checked(lambda *_: 'native', kinds, lambda *_: 'otherwise')
    known = kinds in light.TESTS or isinstance(argument, compiled.Handle)
    assert check(argument) == ('native' if known else 'otherwise')
    for other, given in (KINDS | {f'!{k}': given for k, given in enumerate(OTHERS)}).items():
        if other != kinds:
            assert check(given) == 'otherwise', other


def test_other_arguments_go_to_numba():
    for argument in OTHERS:
        assert '!' in light.kind_of(argument), argument


PROGRAM = """
import sys
import numpy as np
from spacecraft_attitude_sim.kernels import kernel as compiled, light
import test_code_cache
compiled.light = light.Caller
kernel = compiled.Kernel(test_code_cache.summed)
print(kernel(0.25), kernel(0.5), kernel._run is not kernel._caller, 'numba' in sys.modules)
print(kernel(1), kernel(np.float32(0.5)), 'numba' in sys.modules)
print(kernel(0.25), compiled.Kernel(test_code_cache.third)(1.0))
"""


def test_a_process_imports_numba_when_it_is_first_needed(tmp_path):
    lines = [
        f'{summed(0.25)} {summed(0.5)} %s %s',
        f'{summed(1)} {summed(0.5)} True',
        f'{summed(0.25)} {1.0 / 3.0}',
    ]
    for known in (False, True):
        done = run(PROGRAM, tmp_path, NUMBA_CACHE_DIR=str(tmp_path))
        expected = '\n'.join(lines) % (known, not known)
        assert done.stdout.strip() == expected, done.stderr
        assert done.stderr == ''


def by_address(handle, x, k):
    """Return the sum of both functions; k: which is called last."""
    return handle[0](x) + handle[k](x)


BY_ADDRESS = """
import sys
from spacecraft_attitude_sim.kernels import kernel as compiled, light
from test_code_cache import summed, third
from test_light_code import by_address
compiled.light = light.Caller
call = compiled.Kernel(by_address)
handle = compiled.Handle('float64(float64)', compiled.Kernel(third), compiled.Kernel(summed))
print(call(handle, 0.25, 1), call(handle, 0.5, 0), 'numba' in sys.modules)
try:
    call(handle, 0.0, 1)
except ValueError as error:
    print(error)
print(call(handle, 0.25, 1))
handle = compiled.Handle('float64(float64)', compiled.Kernel(lambda x: x - 0.25))
print(call(handle, 0.25, 0), 'numba' in sys.modules)
handle = compiled.Handle('float64(float64)', compiled.Kernel(lambda x: 'text' * x))
try:
    call(handle, 0.25, 0)
except Exception as error:
    print(type(error).__name__)
"""


def test_functions_called_by_address_need_no_numba_either(tmp_path):
    """The second process has all in the cache, until a function comes that is not there."""
    sums = f'{0.25 / 3.0 + summed(0.25)} {0.5 / 3.0 * 2.0}'
    for known in (False, True):
        done = run(BY_ADDRESS, tmp_path, NUMBA_CACHE_DIR=str(tmp_path))
        told = done.stdout.splitlines()
        assert told[0] == f'{sums} {not known}', done.stderr
        assert told[1:3] == ['nothing has no reciprocal', sums.split()[0]], done.stderr
        assert told[3:] == ['0.0 True', 'TypingError'], done.stderr


NODE = """
import sys
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.kernels import kernel, warm_up
from spacecraft_attitude_sim.nodes.ros import session
from spacecraft_attitude_sim.nodes.simulator import contact
from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode

name, duration = sys.argv[1:]
words = ['--params-file', str(scenario.find(name)), '-p', 'lockstep:=false',
         '-p', f'duration:={duration}', '-p', 'real_time_factor:=10.0']
states = []
with session.ros(['--ros-args', *words]) as stop:
    node = SimulatorNode(
        contact=contact.offered, on_tick=lambda instant: states.append(instant.state)
    )
    floor = [node.contact] if node.contact else []
    with session.executor_of([node, *floor], stop) as executor:
        session.spin_until(executor, lambda: node.finished)
for line in open('/proc/self/status'):
    if line.startswith('VmHWM'):
        peak = int(line.split()[1]) / 1024.0
print('numba' in sys.modules, warm_up.under_way(), peak < 120.0 or peak, kernel.begun)
print(states[-1].q_WB.tolist())
"""


@pytest.mark.parametrize(
    ('name', 'duration', 'ticks'),
    [
        ('tennis_racket', 30.0, 960),
        ('cubesat_3u_leo', 60.0, 120),
        ('ellipsoid_rolling', 30.0, 960),
    ],
)
def test_a_paced_node_flies_the_same_without_numba(domain, name, duration, ticks):
    found = scenario.load(scenario.find(name))
    last = found.first_instant()
    for _ in range(ticks):
        last = simulation.next_instant(found.plant, last, simulation.Inputs())
    for _ in range(20):  # a process in the background compiles what the cache lacks
        done = subprocess.run(
            [sys.executable, '-c', NODE, name, str(duration)],
            capture_output=True, text=True, check=True, timeout=DEADLINE, env=dict(os.environ),
        )  # fmt: skip
        told = done.stdout.splitlines()
        assert told[1] == str(last.state.q_WB.tolist())
        if told[0].startswith('False'):
            break
    assert told[0] == 'False False True True', done.stderr
