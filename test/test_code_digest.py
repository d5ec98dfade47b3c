# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Compiled code is found again if nothing that decides it has changed, and only then."""

import importlib
import math
import re
import shutil
import sys
import types
from pathlib import Path

import pytest

from spacecraft_attitude_sim import core
from spacecraft_attitude_sim.kernels import cache, code_digest, collection
from spacecraft_attitude_sim.kernels import kernel as compiled

TEXT = '''
import math
from spacecraft_attitude_sim.kernels.kernel import Functions, Kernel, helper, part

FACTOR, TABLE = 2.0, (1.0, (2.0, 3.0))

@helper
def deepest(x, y=1.0):
    """Return more of it."""
    return FACTOR * x + y

@part
def called(x):
    # Adds up.
    return deepest(x) + TABLE[1][0] + rates.THIRD + sum([k + 0.5 for k in (1.0, 2.0)])

def second(x):
    return x * x

@Kernel
def other(x):
    return math.sin(x)

def made_with(gain):
    several = Functions('several', one=called, two=second)

    def kernel(x):
        """Return all."""
        return gain * several.one(x) + several.two(x) + other(x) + (x in {1.0, 2.0})
    return kernel

kernel = made_with(0.1)
unused = 5
'''


def digest(text=TEXT, third=1.0 / 3.0):
    """Return the digest of `kernel` in a module of this text, in a process that knows nothing."""
    module = types.ModuleType('planted')
    module.rates = types.ModuleType('rates')
    module.rates.THIRD = third
    exec(text, vars(module))
    return code_digest.Digests().of_function(module.kernel)


def changed(old, new):
    """Return TEXT with one part changed."""
    assert TEXT.count(old) == 1
    return TEXT.replace(old, new)


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        ('Return more of it.', 'Return less.'),
        ('"""Return all."""', ''),
        ('# Adds up.', '# Adds\n    # up.'),
        ('unused = 5', 'unused = object()'),
        ('def second', '\n\ndef unnamed():\n    return 1\n\ndef second'),
    ],
)
def test_what_does_not_decide_changes_no_digest(old, new):
    assert digest(changed(old, new)) == digest()


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        ('FACTOR, TABLE = 2.0', 'FACTOR, TABLE = 2.5'),
        ('FACTOR, TABLE = 2.0', 'FACTOR, TABLE = 2'),
        ('(2.0, 3.0)', '(2.5, 3.0)'),
        ('FACTOR * x + y', 'FACTOR * x - y'),
        ('y=1.0', 'y=2.0'),
        ('@helper', '@part'),
        ('k + 0.5', 'k + 0.6'),
        ('return x * x', 'return x + x'),
        ('math.sin(x)', 'math.cos(x)'),
        ('made_with(0.1)', 'made_with(0.2)'),
        ('made_with(0.1)', 'made_with(-0.0)'),
        ('one=called, two=second', 'one=second, two=called'),
        ("Functions('several'", "Functions('others'"),
        ('{1.0, 2.0}', '{1.0, 3.0}'),
        ('@Kernel\n', '@(lambda function: Kernel(function, error_model="numpy"))\n'),
        ('@Kernel\n', '@(lambda function: Kernel(function, "float64(float64)"))\n'),
    ],
)
def test_what_decides_changes_the_digest(old, new):
    assert digest(changed(old, new)) != digest()


def test_number_in_another_module_changes_the_digest():
    assert digest(third=0.3) != digest()


@pytest.mark.parametrize('unknown', ['object()', '{1: 2}'])
def test_with_what_is_not_known_every_file_of_core_counts(monkeypatch, unknown):
    text = changed('unused = 5', f'FACTOR = {unknown}')
    before = digest(text)
    monkeypatch.setattr(code_digest, 'of_files', lambda folder: folder.encode())
    assert digest(text) != before


FILE = (
    '"""What it is."""\nFACTOR = 2.0\n\ndef f(x):\n    """Return more."""\n    return FACTOR * x\n'
)


def test_the_digest_of_files_is_remembered(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(code_digest, 'PACKAGE', tmp_path)
    (tmp_path / 'own').mkdir()
    (tmp_path / 'own' / 'module.py').write_text(FILE)
    of_files, memory = code_digest.of_files.__wrapped__, str(tmp_path / 'memory')
    found = of_files('own')
    assert of_files('own', '/proc/none') == of_files('own', memory) == found
    (kept,) = (tmp_path / 'memory').iterdir()
    cache.write(str(kept), b'another')  # so it is read, and not made again
    assert of_files('own', memory) == b'another'
    kept.write_bytes(b'damaged')
    assert of_files('own', memory) == of_files('own', memory) == found
    assert capfd.readouterr().err.count('was damaged') == 1
    (tmp_path / 'own' / 'module.py').write_text(FILE.replace('2.0', '2.5'))
    assert of_files('own', memory) != found


def test_functions_that_call_each_other_count_whole():
    text = (
        'def even(x):\n    return odd(x - 1) if x else True\n'
        'def odd(x):\n    return even(x - 1) if x else False\n'
        'kernel = even\n'
    )
    assert digest(text) == digest(text)
    assert digest(text) != digest(text.replace('else False', 'else 2'))


def test_every_kernel_of_the_project_names_only_what_is_known():
    kernels, digests = list(collection.of_package(core)), code_digest.Digests()
    for kernel in kernels:
        digests.of(kernel)  # raises UnknownError
    assert len(kernels) > 100


HELPER = '''
"""{docstring}"""
from spacecraft_attitude_sim.kernels.kernel import part

@part
def scaled(x):
    return {factor} * x
'''
CALLER = """
import scaled_for_digest
from spacecraft_attitude_sim.kernels.kernel import Kernel

@Kernel
def kernel(x):
    return scaled_for_digest.scaled(x) + 1.0
"""


def test_a_kernel_is_compiled_again_where_a_helper_changed_and_not_where_its_docstring_did(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(compiled, 'cache_directory', lambda: str(tmp_path / 'code'))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, 'dont_write_bytecode', True)
    (tmp_path / 'caller_for_digest.py').write_text(CALLER)

    def hits(factor, docstring):
        for name in ('scaled_for_digest', 'caller_for_digest'):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        text = HELPER.format(factor=factor, docstring=docstring)
        (tmp_path / 'scaled_for_digest.py').write_text(text)
        kernel = importlib.import_module('caller_for_digest').kernel
        assert math.isclose(kernel(0.5), factor * 0.5 + 1.0)
        return sum(kernel.dispatcher.stats.cache_hits.values())

    assert hits(2.0, 'Scales.') == 0
    assert hits(2.0, 'Scales a number.') == 1
    assert hits(3.0, 'Scales a number.') == 0
    assert hits(2.0, 'Scales.') == 1  # the code of before is still there


@pytest.mark.parametrize(
    ('file', 'old', 'new', 'kept'),
    [
        ('one_module.py', '\n\n# Passes of LLVM', '\n# More.\n\n# Passes of LLVM', True),
        ('one_module.py', '"""Optimise a kernel once,', '"""Optimise it once,', True),
        ('one_module.py', '"""Return numba\'s compiler', '"""Make numba\'s compiler', True),
        ('one_module.py', "'sroa', ", '', False),
        ('one_module.py', 'preserve=True', 'preserve=False', False),
        ('kernel.py', "'nogil': True", "'nogil': False", False),
        ('kernel.py', "'forceinline': False", "'forceinline': True", False),
        ('warm_up.py', 'PATIENCE = 0.1', 'PATIENCE = 0.2', True),
    ],
)
def test_the_cache_survives_a_comment_in_our_part_of_the_compiler(
    tmp_path, monkeypatch, file, old, new, kept
):
    shutil.copytree(code_digest.PACKAGE / 'kernels', tmp_path / 'kernels')
    monkeypatch.setattr(code_digest, 'PACKAGE', tmp_path)
    of_files = code_digest.of_files.__wrapped__
    before, path = of_files('kernels'), tmp_path / 'kernels' / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert (of_files('kernels') == before) == kept


def test_what_is_left_out_of_the_digest_takes_no_part_in_compiling():
    left_out = {name.removesuffix('.py') for name in code_digest.WITHOUT_INFLUENCE}
    folder = Path(code_digest.PACKAGE, 'kernels')
    assert {path.name for path in folder.glob('*.py')} > code_digest.WITHOUT_INFLUENCE
    for path in folder.glob('*.py'):
        text = path.read_text()
        if path.name not in code_digest.WITHOUT_INFLUENCE:
            # A name of a type, which mypy alone reads, is no part of it.
            text = re.sub(r'if TYPE_CHECKING:\n(    .*\n)+', '', text)
            for line in re.findall(r'(?m)^ *(?:from|import) .*(?:\(\n(?:    .*\n)+)?', text):
                assert left_out.isdisjoint(re.findall(r'\w+', line)), path.name
