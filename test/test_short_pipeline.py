# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What numba leaves out and does otherwise while it compiles a kernel."""

import functools
import re
import subprocess
import sys

import numpy as np
import pytest

from spacecraft_attitude_sim.kernels import (
    kernel,
    lowering,
    one_module,
    replacements,
    short_passes,
    short_pipeline,
)
from spacecraft_attitude_sim.kernels.kernel import Kernel, helper, part

# Not the same machine code, by intent.
OTHERWISE = 'get_call_type', 'raise_with_shape_context'


@pytest.fixture(autouse=True)
def numba(tmp_path, monkeypatch):
    """Numba, with an empty folder of compiled code."""
    monkeypatch.setattr(kernel, 'cache_directory', lambda: str(tmp_path))
    with kernel.compiler() as found:
        yield found


def test_each_replacement_stands_while_a_kernel_compiles_and_never_else():
    places = [(owner, name) for owner, name, _ in replacements.replacements()]
    before = [getattr(*place) for place in places]
    with short_pipeline.unneeded_left_out(), short_pipeline.unneeded_left_out():
        during = [getattr(*place) for place in places]
    assert during == [value for _, _, value in replacements.replacements()]
    assert not set(map(id, during)) & set(map(id, before))
    assert [getattr(*place) for place in places] == before
    with pytest.raises(Exception, match='nothing'):
        Kernel(lambda x: x.nothing)(1.5)
    assert [getattr(*place) for place in places] == before


def turned(vector, angle):
    """Turn two coordinates of a vector in place, and return what a loop makes of all."""
    c, s = np.cos(angle), np.sin(angle)
    vector[0], vector[1] = c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]
    total, kept = 0.0, (vector[0], vector[1], angle)
    for k in range(len(vector)):
        if vector[k] > kept[1]:
            kept = (kept[1], kept[2], vector[k])
        total += vector[k] * kept[0]
    rest = vector[1:]
    return total + kept[2] + rest[0]


def summed(x, n):
    """Return what loops and branches make of two numbers: nothing here counts references."""
    total, pair = 0.0, (x, 2.0 * x)
    for k in range(n):
        for i in range(k):
            if total > pair[1]:
                total, pair = total - pair[0], (pair[1], total)
            else:
                step = x * i + total
                total += step
    return total + pair[0]


ARGUMENTS = {turned: (np.array((0.3, -0.7, 0.2)), 0.4), summed: (0.3, 4)}


def machine_code(function):
    """Return the lines of assembler of a kernel of a function, without numba's counters."""
    compiled = Kernel(function, kept=False)
    compiled(*ARGUMENTS[function])
    (text,) = compiled.dispatcher.inspect_asm().values()
    return re.sub(r'v\d+B|\d{9,}', '', text).splitlines()


@pytest.mark.parametrize('function', ARGUMENTS)
def test_machine_code_is_that_of_numba_without_replacements(monkeypatch, function):
    few = [one for one in replacements.replacements() if one[1] not in OTHERWISE]
    assert len(few) > 8
    with_few = []
    for chosen in few, []:
        monkeypatch.setattr(replacements, 'replacements', lambda chosen=chosen: chosen)
        with_few.append(machine_code(function))
    assert len(with_few[0]) > 100
    assert with_few[0] == with_few[1]


@pytest.mark.parametrize('function', ARGUMENTS)
def test_machine_code_is_that_of_numbas_own_passes_and_lowering(monkeypatch, function):
    from numba.core.lowering import Lower

    quick = machine_code(function)
    assert len(quick) > 100
    monkeypatch.setattr(short_passes, 'passes', dict)
    monkeypatch.setattr(lowering, 'kind', lambda: Lower)
    another = functools.cache(one_module.pipeline.__wrapped__)
    monkeypatch.setattr(one_module, 'pipeline', another)
    assert machine_code(function) == quick


@pytest.mark.parametrize(('decorator', 'count'), [(part, 1), (kernel.compiled, 1), (helper, 4)])
def test_what_is_called_is_compiled_once_for_all_numbers(decorator, count):
    """It was compiled for each number in a call, 17 times the noise of sensors alone."""

    def plain(x, n):
        return x * n if n > 2 else x + n

    scaled = decorator(plain)

    def function(x):
        return scaled(x, 1) + scaled(x, 4) + scaled(x, n=7) + scaled(2.0 * x, 9)

    x = 0.3
    right = plain(x, 1) + plain(x, 4) + plain(x, 7) + plain(2.0 * x, 9)
    assert Kernel(function, kept=False)(x) == right
    assert len(scaled._numba_type_.dispatcher.overloads) == count


def test_a_type_that_changes_after_it_was_read_is_inferred_again():
    """A sum begins as an integer, and the loop makes a float of it."""

    def function(n):
        total = 0
        for _ in range(n):
            total = total + 0.5
        return total

    assert Kernel(function, kept=False)(3) == 1.5


def test_an_array_that_does_not_fit_into_a_slice_is_refused():
    """By numba, in some words without both shapes, which would take a second to compile."""

    def filled(target, given):
        target[1:4] = given
        return target[3]

    compiled, target = Kernel(filled, kept=False), np.zeros(5)
    assert compiled(target, np.array((1.0, 2.0, 3.0))) == 3.0
    assert list(target) == [0.0, 1.0, 2.0, 3.0, 0.0]
    with pytest.raises(ValueError, match='^cannot assign slice from input of different size$'):
        compiled(target, np.zeros(2))
    assert list(target) == [0.0, 1.0, 2.0, 3.0, 0.0]


def test_an_error_still_says_where_it_came_from():
    """Of a function within a function, with line and pass."""

    @helper
    def inner(x):
        return x.nothing

    with pytest.raises(Exception, match='nothing') as caught:
        Kernel(lambda x: inner(x))(1.5)
    said = str(caught.value)
    assert re.search('During: typing of get attribute at .*test_short_pipeline.py', said)
    assert 'During: Pass nopython_type_inference' in said


@pytest.fixture
def with_own_code(monkeypatch):
    """Names of the functions of which machine code is made."""
    from numba.core.codegen import JITCodeLibrary

    names, made = [], JITCodeLibrary._finalize_specific
    monkeypatch.setattr(
        JITCodeLibrary, '_finalize_specific', lambda self: names.append(self.name) or made(self)
    )
    return names


def test_what_a_kernel_calls_has_no_machine_code_of_its_own(numba, with_own_code):
    """Neither a kernel, nor what numba has for `max`; other callers of numba get that still."""
    scaled = kernel.compiled(lambda x: max((x, 2.0 * x, -x)) + 1.0)

    def function(x):
        return scaled(x) + max((x, 0.25, 0.5))

    assert Kernel(function, kept=False)(-0.5) == 1.5 + 0.5
    assert with_own_code == [function.__qualname__]
    assert numba.njit(lambda x: max((x, 2.0 * x, -x)))(-0.5) == 0.5
    assert scaled(-0.5) == 1.5


def test_what_numba_has_for_a_call_is_inlined_before_loops_are_vectorised(monkeypatch):
    """Else a batch of `cubesat_3u_leo` takes six times as long, to the same bits."""
    compiler, forced = one_module.pipeline(), []
    compile_extra = compiler.compile_extra

    def watched(self, function):
        forced.append((function.__module__.split('.')[0], self.state.flags.forceinline))
        return compile_extra(self, function)

    monkeypatch.setattr(compiler, 'compile_extra', watched)
    assert Kernel(lambda x, y: max((x, y, 2.0 * y, 0.0)), kept=False)(1.0, 2.0) == 4.0
    assert forced == [('test_short_pipeline', False), ('numba', True)]


def test_a_kernel_of_one_signature_keeps_it_within_another():
    """A whole number becomes a float there, as where Python calls it."""
    half = kernel.compiled_as('float64(float64)')(lambda x: x // 2)
    within = Kernel(lambda k: half(k), kept=False)(5)
    assert (within, type(within)) == (2.0, float)
    assert (half(5), type(half(5))) == (2.0, float)


# In a process of its own: to look at all objects of pytest takes seconds. Tells of each case how
# many of its objects are young, whether garbage is collected again, and whether more is frozen.
COLLECTION = """
import gc
from spacecraft_attitude_sim.kernels import kernel, short_pipeline

with kernel.compiler():
    for frozen in (False, True):
        made = []
        if frozen:
            gc.freeze()
        before = gc.get_freeze_count()
        with short_pipeline.unneeded_left_out():
            made = [[] for _ in range(10_000)]
        young = {id(one) for age in (0, 1) for one in gc.get_objects(generation=age)}
        count = len(young & set(map(id, made)))
        print(frozen, count, gc.isenabled(), gc.get_freeze_count() > before)
"""


@pytest.fixture(scope='module')
def collection():
    """{whether somebody has frozen objects: what COLLECTION tells of it}."""
    program = (sys.executable, '-c', COLLECTION)
    done = subprocess.run(program, check=True, capture_output=True, text=True)
    return {line.split()[0]: line for line in done.stdout.splitlines()}


@pytest.mark.parametrize('frozen', ['True', 'False'])
def test_python_looks_at_no_object_of_the_compiler_afterwards(frozen, collection):
    """It took a twentieth of the time; what somebody has frozen stays so."""
    assert collection[frozen] == f'{frozen} 0 True {frozen}'


def test_flags_are_equal_where_all_options_are():
    from numba.core.compiler import Flags

    given, other = Flags(), Flags()
    with short_pipeline.unneeded_left_out():
        for name in ('nrt', 'release_gil', 'forceinline'):
            setattr(given, name, Flags.options[name].default)
            assert given == other, name
            assert other == given, name
        assert given != 'flags'
        given.nrt = not Flags.options['nrt'].default
        assert given != other
        assert other != given
        other.nrt = given.nrt
        assert given == other


def test_what_counts_references_still_does():
    """Arrays inside tuples are freed when the last of both ends, and not before."""

    def function(n):
        pair = (np.zeros(n), np.ones(n))
        for k in range(3):
            pair = (pair[1] + k, pair[0].copy())
        return pair

    from numba.core.runtime import _nrt_python, rtsys

    compiled = Kernel(function, kept=False)
    found, kept = compiled(4), function(4)
    assert np.array_equal(found, kept)
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        for _ in range(10):
            compiled(4)
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free == 80


def test_passes_that_kernels_do_not_need_do_not_run(monkeypatch):
    ran = []
    monkeypatch.setattr(
        replacements.Context, '__enter__', lambda self: ran.append(self.named.get('name'))
    )
    assert Kernel(lambda x: x + 1.0, kept=False)(2.0) == 3.0
    assert 'nopython_type_inference' in ran
    assert 'lowering_to_one_module' in ran
    assert not {'annotate_types', 'with_lifting', 'nopython_rewrites'} & set(ran)
