# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Compiled code on disk is read only where it is the user's own, and made again where damaged."""

import gc
import hashlib
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from spacecraft_attitude_sim.core.mathematics import vectors
from spacecraft_attitude_sim.kernels import cache, one_module, short_pipeline
from spacecraft_attitude_sim.kernels import kernel as compiled
from spacecraft_attitude_sim.kernels.kernel import helper, part
from spacecraft_attitude_sim.safety import system


def third(x):
    """Return a third."""
    return x / 3.0


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of compiled code that this test alone uses."""
    found = tmp_path / 'cache' / 'code'
    monkeypatch.setattr(compiled, 'cache_directory', lambda: str(found))
    monkeypatch.setattr(compiled, 'warming', None)  # a test before may have begun to warm up
    forget()
    yield found
    forget()


def forget():
    """Let the next kernel look at the folder as a new process does."""
    cache.usable.cache_clear()
    cache.say.cache_clear()


def came_from_disk():
    """Return whether a kernel found its code on disk; it must return the same either way."""
    kernel = compiled.Kernel(third)
    assert kernel(1.0) == 1.0 / 3.0
    return sum(kernel.dispatcher.stats.cache_hits.values()) == 1


def files_of(folder, kind):
    """Return the files of a kind."""
    return list(folder.glob(f'*/*{kind}'))


def test_code_is_kept_for_this_user_alone_whatever_the_umask(folder, capfd):
    before = os.umask(0)
    try:
        assert not came_from_disk()
    finally:
        os.umask(before)
    assert came_from_disk()
    for path in (folder, *folder.rglob('*')):
        assert path.stat().st_mode & 0o077 == 0, path
    assert capfd.readouterr().err == ''


def cut(path):
    """Leave the first half."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path):
    """Change one bit in the middle, which may be machine code."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def link(path):
    """Put a link to a copy in its place."""
    os.replace(path, copy := path.with_suffix('.copy'))
    path.symlink_to(copy)


def pipe(path):
    """Put a pipe in its place, which nobody writes to."""
    path.unlink()
    os.mkfifo(path, 0o600)


DAMAGES = {
    'empty': lambda path: path.write_bytes(b''),
    'garbled': lambda path: path.write_bytes(np.random.default_rng(5).bytes(5000)),
    'cut': cut,
    'flipped': flip,
    'link': link,
    'pipe': pipe,
    'writable': lambda path: path.chmod(0o622),
}


@pytest.mark.parametrize('kind', ['.nbi', '.nbc'])
@pytest.mark.parametrize('damage', DAMAGES)
def test_a_damaged_file_is_dropped_and_made_again(folder, capfd, kind, damage):
    came_from_disk()
    (path,) = files_of(folder, kind)
    DAMAGES[damage](path)
    assert not came_from_disk()
    assert capfd.readouterr().err.count('was damaged or not private; it is made again\n') == 1
    assert came_from_disk()


@pytest.mark.parametrize('by_address_first', [False, True])
def test_a_kernel_called_from_python_and_by_address_is_compiled_once(folder, by_address_first):
    """Twelve seconds were lost for each kind of parts, at the first campaign."""

    def call():
        kernel = compiled.Kernel(third)
        assert kernel(1.0) == 1.0 / 3.0
        return kernel

    def hand_over():
        handle = compiled.Handle('float64(float64)', compiled.Kernel(third))
        assert handle.address
        return handle.kernels[0]

    first, second = (hand_over, call) if by_address_first else (call, hand_over)
    counts = [sum(use().dispatcher.stats.cache_hits.values()) for use in (first, second)]
    assert counts == [0, 1]
    assert len([path for path in files_of(folder, '.nbc') if '.third' in path.name]) == 1


class Planted:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self._path = path

    def __reduce__(self):
        return Path.touch, (self._path,)


@pytest.mark.parametrize('kind', ['.nbi', '.nbc'])
@pytest.mark.parametrize('loose', ['file', 'subfolder', 'folder'])
def test_what_others_could_have_written_is_not_unpickled(folder, tmp_path, kind, loose):
    came_from_disk()
    (path,) = files_of(folder, kind)
    run = tmp_path / 'run'
    content = pickle.dumps(Planted(run))
    path.write_bytes(hashlib.sha256(content).digest() + content)
    {'file': path, 'subfolder': path.parent, 'folder': folder}[loose].chmod(0o777)
    forget()
    assert not came_from_disk()
    assert not run.exists()
    assert came_from_disk()


def test_code_of_the_user_that_cannot_be_rebuilt_is_made_again(folder):
    came_from_disk()
    (path,) = files_of(folder, '.nbc')
    content = pickle.dumps(('no', 'code'))
    path.write_bytes(hashlib.sha256(content).digest() + content)
    assert not came_from_disk()
    assert came_from_disk()


def test_a_folder_of_another_user_is_left_alone(folder, monkeypatch, capfd):
    came_from_disk()
    before = {path: path.stat().st_mtime_ns for path in folder.rglob('*')}
    forget()
    monkeypatch.setattr(os, 'geteuid', lambda: os.getuid() + 1)
    monkeypatch.setattr(system, 'ROOT', -1)
    assert not came_from_disk()
    assert not came_from_disk()
    said = capfd.readouterr().err
    assert said.count(f'no compiled code is kept in {folder}') == 1
    assert {path: path.stat().st_mtime_ns for path in folder.rglob('*')} == before


@pytest.mark.parametrize('place', ['/dev/null/cache', '/proc/none/cache'])
def test_where_no_folder_can_be_code_is_compiled_anew(folder, monkeypatch, capfd, place):
    monkeypatch.setattr(compiled, 'cache_directory', lambda: place)
    assert not came_from_disk()
    assert capfd.readouterr().err.count('\n') == 1


@pytest.mark.skipif(os.geteuid() == 0, reason='root writes everywhere')
def test_code_is_read_where_none_can_be_written(folder):
    came_from_disk()
    for path in (folder, *folder.glob('*')):
        path.chmod(0o500)
    forget()
    assert came_from_disk()


PROGRAM = """
from spacecraft_attitude_sim.kernels import kernel as compiled
from spacecraft_attitude_sim.core.contact import surface_functions
import test_code_cache
print(compiled.Kernel(test_code_cache.third)(1.0))
surface_functions.implicit_handle(surface_functions.ellipsoid).address  # compiles it
"""


def run(program, folder, **variables):
    """Return a finished process that has the test's folder on its path."""
    path = os.pathsep.join((str(Path(__file__).parent), os.environ.get('PYTHONPATH', '')))
    environment = os.environ | {'PYTHONPATH': path.rstrip(os.pathsep), **variables}
    return subprocess.run(
        [sys.executable, '-c', program], cwd=folder, env=environment, capture_output=True,
        text=True, timeout=600,
    )  # fmt: skip


def test_numba_disable_jit_is_said_to_be_ignored(tmp_path):
    done = run(PROGRAM, tmp_path, NUMBA_DISABLE_JIT='1', NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stdout == f'{1.0 / 3.0}\n', done.stderr
    assert done.stderr.count('NUMBA_DISABLE_JIT is ignored') == len(done.stderr.splitlines()) == 1
    assert list(tmp_path.glob('*/*/*.nbc'))  # compiled indeed
    late = run('import numba\n' + PROGRAM, tmp_path, NUMBA_DISABLE_JIT='1')
    assert 'RuntimeError: numba was imported with NUMBA_DISABLE_JIT set' in late.stderr


def test_settings_of_numba_in_the_current_folder_are_not_read(tmp_path):
    """While numba is imported they are hidden, and after that the program sees its file again."""
    (tmp_path / '.numba_config.yaml').write_text(
        'disable_jit: 1\ncache_locator_classes: planted.Locator\n'
    )
    (tmp_path / 'cache').mkdir()
    (tmp_path / 'modules').mkdir()
    (tmp_path / 'modules' / 'planted.py').write_text('raise SystemExit("planted code ran")')
    program = f'import sys; sys.path.append({str(tmp_path / "modules")!r})' + PROGRAM
    program += "import os; print(os.path.exists('.numba_config.yaml'))"
    done = run(program, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / 'cache'))
    assert done.stdout == f'{1.0 / 3.0}\nTrue\n', done.stderr
    assert done.stderr == ''


@helper
def deep(x):
    """Return 1 / x, or fail."""
    if x == 0.0:
        raise ValueError('nothing has no reciprocal')
    return 1.0 / x


@part
def middle(x):
    """Return more of it."""
    return deep(x) + 1.0


@part
def upper(x):
    """Return more of it."""
    return middle(x) + deep(x + 1.0)


def summed(x):
    """Call what calls what calls."""
    return upper(x) + middle(x + 2.0)


def test_kernel_is_optimised_once_with_all_that_it_calls(folder, monkeypatch):
    from numba.core import codegen  # here: commands of other tests import this file, not numba

    optimised, of_numba = [], codegen.CPUCodeLibrary._optimize_final_module

    def noted(library):
        optimised.append(library.name)
        of_numba(library)

    monkeypatch.setattr(codegen.CPUCodeLibrary, '_optimize_final_module', noted)
    first, again = compiled.Kernel(summed), compiled.Kernel(summed)
    assert first(0.5) == summed(0.5)
    of_project = {name for name in optimised if name in {'deep', 'middle', 'upper', 'summed'}}
    assert (of_project, optimised.count('summed')) == ({'summed'}, 1)
    for kernel in (first, again):  # compiled now, and from disk
        assert kernel(0.25) == summed(0.25)
        with pytest.raises(ValueError, match='nothing has no reciprocal'):
            kernel(0.0)
    assert sum(again.dispatcher.stats.cache_hits.values()) == 1


@part
def shifted(x):
    """Return more of it."""
    return x + 1.0


@part
def calls_shifted(x):
    """Call what the kernel itself does not call."""
    return shifted(x) + shifted(2.0 * x)


def calls_it(x):
    """Call a function that needs another one."""
    return calls_shifted(x)


def test_function_that_only_a_called_one_needs_is_linked(folder):
    assert compiled.Kernel(calls_it)(0.5) == 3.5


def test_processes_that_save_at_the_same_time_keep_the_code_of_both(tmp_path, monkeypatch):
    from spacecraft_attitude_sim.kernels.numba_cache import CodeFile

    first, second, reader = (CodeFile(str(tmp_path), 'name', b'stamp') for _ in range(3))
    meanwhile = threading.Thread(target=second.save, args=(('b',), 'code of b'))
    save_index = CodeFile._save_index

    def late(file, overloads):
        if file is first:
            meanwhile.start()
            meanwhile.join(timeout=0.3)  # it must wait
        save_index(file, overloads)

    monkeypatch.setattr(CodeFile, '_save_index', late)
    first.save(('a',), 'code of a')
    meanwhile.join()
    assert [reader.load((key,)) for key in 'ab'] == ['code of a', 'code of b']


def test_functions_that_numba_compiles_by_itself_can_call_ours(folder):
    import numba

    law, returned = compiled.compiled_of(summed, '(float64,)')
    assert str(returned) == 'float64'
    around = numba.njit(lambda x: law(x) + middle(x))
    kernel = compiled.Kernel(summed)
    for function, expected in ((law, summed), (around, lambda x: summed(x) + middle(x))):
        assert function(0.25) == expected(0.25)
        assert kernel(0.5) == summed(0.5)
        with pytest.raises(ValueError, match='nothing has no reciprocal'):
            function(0.0)


def test_another_installation_finds_the_same_code(folder, monkeypatch):
    from spacecraft_attitude_sim.kernels import numba_cache  # imports numba

    # As numba has it before 0.68: by the time at which the file was installed.
    times = iter(range(9))
    monkeypatch.setattr(numba_cache.UserProvided, 'get_source_stamp', lambda locator: next(times))
    first, again = compiled.Kernel(vectors.cross), compiled.Kernel(vectors.cross)
    for kernel in (first, again):
        assert kernel((1.0, 2.0, 3.0), (3.0, 2.0, 1.0)) == (-4.0, 8.0, -4.0)
    assert {path.name for path in folder.iterdir()} - {'light'} == {'core_mathematics'}
    assert sum(again.dispatcher.stats.cache_hits.values()) == 1


def beyond_numba(x):
    """Return x, in a way that numba cannot compile."""
    return eval('x')


@pytest.mark.parametrize('options', [{}, {'signature': 'float64(float64)'}, {'kept': False}])
def test_a_kernel_that_cannot_be_compiled_is_not_being_compiled_for_ever(
    folder, monkeypatch, options
):
    from numba.core.errors import TypingError

    names, now = [], cache.Compiling()
    monkeypatch.setattr(one_module, 'compiling', now)
    now.heard = names.append
    with pytest.raises(TypingError):
        compiled.Kernel(beyond_numba, **options)(1.0)
    assert names == ['test_code_cache.beyond_numba', '']
    now._ended -= 60.0
    assert now.seconds == 0.0
    assert compiled.Kernel(third, **options)(1.0) == 1.0 / 3.0
    assert names[2:] == ['test_code_cache.third', '']


def test_compiling_leaves_numba_as_it_was(folder):
    """Whether a kernel can be compiled or not, and outside of it; the lock's listeners, too."""
    from llvmlite import binding
    from numba.core.targetconfig import TargetConfig
    from numba.core.types.functions import BaseFunction

    def state():
        return (
            BaseFunction.get_call_type, tuple(binding.ffi.lib._lock._cblist),
            TargetConfig.__eq__, gc.isenabled(),
        )  # fmt: skip

    asked, listeners, compared, collects = before = state()
    assert listeners and collects
    during = []

    @compiled.helper
    def inner(x):
        return 2.0 * x

    with short_pipeline.unneeded_left_out(), short_pipeline.unneeded_left_out():
        during.append(state())
    assert during[0][0] is not asked and during[0][2] is not compared
    assert (during[0][1], during[0][3]) == ((), False)
    assert state() == before
    assert compiled.Kernel(lambda x: x + inner(x))(1.5) == 4.5
    assert state() == before
    with pytest.raises(Exception, match='nothing'):
        compiled.Kernel(lambda x: x.nothing)(1.5)
    assert state() == before
    with short_pipeline.unneeded_left_out():  # and it works again
        assert state()[0] is not asked


def test_a_kernel_may_have_array_expressions_and_mixed_numbers(folder):
    """What the short pipeline does not rewrite, and the types that it remembers."""

    def function(a, n):
        total = a * a[1] - 2 * a + a / n
        flag = n > 2 and n != 4
        return total[0] + n // 2 + 7 % n + n / 2 + (1 if flag else 0.5) + 3**n + abs(-n)

    a = np.array((0.1, -1.7, 3.3))
    for n in (3, 4, 5):
        assert compiled.Kernel(function)(a, n) == function(a, n)


def test_a_part_is_not_copied_whoever_calls_it_first(folder):
    """A part whose caller is always copied had the same; so LLVM got contact forty times."""

    @compiled.part
    def parted(x):
        return x * x - 1.0

    @compiled.helper
    def helping(x):
        return 2.0 * parted(x)

    kernel = compiled.Kernel(lambda x: helping(x) + 1.0)
    assert kernel(3.0) == 17.0
    (made,) = kernel.dispatcher.overloads.values()
    found = {
        name: b'alwaysinline' in b' '.join(function.attributes)
        for library in made.library._inner
        for function in library.own_module().functions
        for name in ('parted', 'helping')
        if name in function.name and not function.is_declaration
    }
    assert found == {'parted': False, 'helping': True}
