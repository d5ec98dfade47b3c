# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What `make test` says of a wrong call: mypy, as setup.cfg has it, finds it wherever it is."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip('mypy')
ROOT = Path(__file__).parents[1]
PACKAGE = 'spacecraft_attitude_sim'
ANNOTATED = """

def of_two(first: int, second: int) -> float:
    return seconds(first) + secnods(second)
"""
WRONG_UNTYPED = """

def of_none(tick):
    return 2 * tick_of_nobody(tick)
"""
UNTYPED = """

def of_any(tick):
    return tick
"""


# Of each room but core, a short module.
TYPED = (
    'api/__init__.py', 'campaigns/sampling.py', 'configuration/share.py', 'drawing/colors.py',
    'flight/record.py', 'kernels/code_pages.py', 'nodes/ros/qos.py', 'recording/errors.py',
    'runs/open_loop.py', 'safety/quoting.py', 'subcommands/parser.py', 'viewer/errors.py',
)  # fmt: skip
MISTAKES = {
    **dict.fromkeys(TYPED, UNTYPED),
    'core/ticks.py': ANNOTATED + WRONG_UNTYPED,
    'safety/frozen.py': '',  # its decorator has types, which core/ticks.py needs
}
FOUND = [
    *((name, 'Function is missing a type annotation') for name in ('core/ticks.py', *TYPED)),
    ('core/ticks.py', 'Name "secnods" is not defined'),
    ('core/ticks.py', 'Name "tick_of_nobody" is not defined'),
]


def test_a_wrong_call_and_a_function_without_types_fail(tmp_path):
    for name, mistake in MISTAKES.items():
        copy = tmp_path / PACKAGE / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        for folder in copy.relative_to(tmp_path).parents[:-1]:
            (tmp_path / folder / '__init__.py').touch()
        copy.write_text((ROOT / 'src' / PACKAGE / name).read_text('utf-8') + mistake, 'utf-8')

    # Alone: what they import is checked by `make test`, and takes long.
    command = (
        sys.executable, '-m', 'mypy', '--config-file', ROOT / 'setup.cfg', '--cache-dir', 'cache',
        '--follow-imports=skip', PACKAGE,
    )  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)

    assert run.returncode == 1, run.stderr
    said = [line for line in run.stdout.splitlines() if ': error: ' in line]
    for name, words in FOUND:
        assert any(line.startswith(f'{PACKAGE}/{name}:') and words in line for line in said), said
    assert len(said) == len(FOUND), said  # without the mistakes they pass
