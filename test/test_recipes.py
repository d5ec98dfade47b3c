# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The recipes of CONTRIBUTING.md, followed to the letter in a copy of the source, and flown.

Compiled functions run in Python there, so nothing is compiled for the copy.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import spacecraft_attitude_sim

SOURCE = Path(spacecraft_attitude_sim.__file__).parent
RECIPES = (Path(__file__).parent.parent / 'CONTRIBUTING.md').read_text(encoding='utf-8')

KERNEL = '''
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.parts.craft import TORQUE
from spacecraft_attitude_sim.core.parts.kind import Kind
from spacecraft_attitude_sim.kernels.kernel import part

LEAK = Layout(torque_B=3)
ROW = LEAK.size  # compiled functions use constants of a module, not a Layout


@part
def draw_lines(at, parts, internal, y, work, h):
    """Add the torque of the leak."""
    for k in range(at.number):
        for j in range(3):
            work[TORQUE + j] += parts[at.row + k * ROW + j]


KIND = Kind(name='leak', row=LEAK, state=Layout(), draw_lines=draw_lines)
'''
PART = '''
from dataclasses import dataclass

import numpy as np

from spacecraft_attitude_sim.core.parts.leak.kernel import LEAK


@dataclass(frozen=True)
class Leak:
    """Gas that leaks and turns the body."""

    torque_B: tuple

    kind = title = 'leak'
    acts_uncommanded = True

    def rows(self):
        """Return (1, 3)."""
        return LEAK.packed(torque_B=self.torque_B).reshape(1, -1)

    def initial(self):
        """Return no states."""
        return np.zeros(0)
'''
PARAMETERS = '''
from spacecraft_attitude_sim.configuration.parameter import xyz
from spacecraft_attitude_sim.core.parts.leak.leak import Leak

PARAMETERS = (xyz('leak.torque', 'N m', 1e3, 'Torque of a leak, body axes.'),)


def of(values):
    """Return the Leak, or None."""
    return Leak(values['leak.torque']) if any(values['leak.torque']) else None


def lines(part):
    """Yield what it is."""
    yield f'leak of {part.torque_B} N m'
'''
FLY = """
import numpy as np

from spacecraft_attitude_sim.configuration import scenario, scenario_report
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.kernels import warm_up

with warm_up.in_python():
    given = {'leak.torque': [1e-6, -2e-6, 3e-6], 'initial.angular_velocity': [0.0] * 3}
    found = scenario.build(given, 'toy')
    plant, first = found.plant, found.initial
    state = simulation.step(plant, first, Inputs(), 0)
    truth = plant.solver.end_of(plant, state, 1)
    lines = scenario_report.report(found)
assert any('leak of' in line for line in lines)
gained = state.angular_momentum_W - first.angular_momentum_W
torque = rotations.rotate(first.q_WB, np.array((1e-6, -2e-6, 3e-6)))
assert np.allclose(gained, torque / 32.0, rtol=1e-4)  # it turns a little, gained
assert np.allclose(truth[3:6], (1e-6, -2e-6, 3e-6), rtol=1e-15), truth
"""


def edited(path, old, new):
    """Replace a text that stands once in a file."""
    text = path.read_text(encoding='utf-8')
    assert text.count(old) == 1, f'{path.name}: {old!r} stands {text.count(old)} times'
    path.write_text(text.replace(old, new), encoding='utf-8')


@pytest.fixture
def copy(tmp_path):
    """A copy of the source, and a function that runs a program with it."""
    package = tmp_path / SOURCE.name
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns('__pycache__'))

    def run(program):
        return subprocess.run(
            [sys.executable, '-c', program], cwd=tmp_path, capture_output=True, text=True,
            timeout=300, check=False, env={**os.environ, 'PYTHONPATH': str(tmp_path)},
        )  # fmt: skip

    return package, run


def test_a_kind_of_part_is_three_files_and_a_row_in_each_registry(copy):
    package, run = copy
    for place in ('core/parts/<name>/kernel.py', 'configuration/parts/<name>.py'):
        assert place in RECIPES
    folder = package / 'core' / 'parts' / 'leak'
    folder.mkdir()
    (folder / '__init__.py').write_text('"""A leak."""\n')
    (folder / 'kernel.py').write_text(KERNEL)
    (folder / 'leak.py').write_text(PART)
    (package / 'configuration' / 'parts' / 'leak.py').write_text(PARAMETERS)
    edited(
        package / 'core' / 'parts' / 'registry.py',
        '    eddy_currents.KIND,\n',
        '    eddy_currents.KIND,\n    leak.KIND,\n',
    )
    edited(
        package / 'core' / 'parts' / 'registry.py',
        'from spacecraft_attitude_sim.core.parts.magnetorquers import',
        'from spacecraft_attitude_sim.core.parts.leak import kernel as leak\n'
        'from spacecraft_attitude_sim.core.parts.magnetorquers import',
    )
    edited(
        package / 'configuration' / 'parts' / '__init__.py',
        "KINDS = {'eddy_currents': eddy_currents}",
        "KINDS = {'eddy_currents': eddy_currents, 'leak': leak}",
    )
    edited(
        package / 'configuration' / 'parts' / '__init__.py',
        'parts import eddy_currents\n',
        'parts import eddy_currents, leak\n',
    )
    flown = run(FLY)
    assert flown.returncode == 0, flown.stderr[-2000:]
