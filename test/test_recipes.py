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

from spacecraft_attitude_sim.core.parts.leak.kernel import LEAK
from spacecraft_attitude_sim.core.parts.part import Part


@dataclass(frozen=True)
class Leak(Part):
    """Gas that leaks and turns the body."""

    torque_B: tuple

    kind = title = group = 'leak'
    acts_uncommanded = True

    def rows(self, setting):
        """Return (1, 3)."""
        return LEAK.packed(torque_B=self.torque_B).reshape(1, -1)
'''
PARAMETERS = '''
from spacecraft_attitude_sim.configuration.parameter import xyz
from spacecraft_attitude_sim.core.parts.leak.description import Leak

PARAMETERS = (xyz('leak.torque', 'N m', 1e3, 'Torque of a leak, body axes.'),)


def part(given):
    """Return the Leak, or None."""
    torque = given.values['leak.torque']
    return Leak(torque) if any(torque) else None


def lines(leak, start):
    """Yield what it is."""
    yield f'leak of {leak.torque_B} N m'
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

LOAD = '''
import numpy as np

from spacecraft_attitude_sim.core.environment.loads.load import Acting, LoadKind
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import added, cross, norm, three_at
from spacecraft_attitude_sim.kernels.kernel import helper

HEAT_RECOIL = Layout(force_B=3, place_B=3)
FORCE, PLACE = HEAT_RECOIL.places()


@helper
def wrench(sums, parts, row, count, whole, y, u, velocity, here):
    """Add the force of radiated heat, and its torque."""
    force_B, torque_B, force_W = sums
    force = three_at(parts, row + FORCE)
    turning = cross(three_at(parts, row + PLACE), force)
    return added(force_B, force), added(torque_B, turning), force_W


@helper
def bound(torque, parts, row, count, whole, inertia, here):
    """Add a bound of the torque."""
    return torque + norm(three_at(parts, row + FORCE)) * norm(three_at(parts, row + PLACE))


KIND = LoadKind(name='heat_recoil', row=HEAT_RECOIL, wrench=wrench, bound=bound)


def acting(force_B, place_B):
    """Return the recoil."""
    return Acting(KIND, np.array([[*force_B, *place_B]]))
'''
LOAD_PARAMETERS = '''
from spacecraft_attitude_sim.configuration.parameter import xyz
from spacecraft_attitude_sim.core.environment.loads import heat_recoil

PARAMETERS = (
    xyz('heat_recoil.force', 'N', 1e3, 'Force of radiated heat, body axes.'),
    xyz('heat_recoil.position', 'm', 1e3, 'Where it acts, in the design axes.'),
)


def of(values, body):
    """Return the recoil, or None."""
    force = values['heat_recoil.force']
    place = [x - c for x, c in zip(values['heat_recoil.position'], body.center_of_mass)]
    return heat_recoil.acting(force, place) if any(force) else None


def lines(load):
    """Yield what it is."""
    yield f'heat recoil {load.rows[0, :3].tolist()} N'
'''
FLY_LOAD = """
import numpy as np

from spacecraft_attitude_sim.configuration import scenario, scenario_report
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies.disturbances import DisturbanceMonitor
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.nodes.messages.spacecraft_messages import SpacecraftMessages

force, torque = np.array((0.0, 2e-6, 0.0)), np.array((0.0, 0.0, 1e-6))
orbit = {'orbit.model': 'kepler', 'magnetic_model': 'uniform', 'atmosphere': 'none'}
with warm_up.in_python():
    for around in ({}, orbit):
        given = {'heat_recoil.force': [*force], 'heat_recoil.position': [0.5, 0.0, 0.0], **around}
        found = scenario.build(
            {**given, 'initial.angular_velocity': [0.0] * 3, 'gravity_gradient': False}, 'toy'
        )
        plant, first = found.plant, found.first_instant()
        moved = simulation.next_instant(plant, first, simulation.Inputs())
        # It moves the body,
        gained = moved.state.angular_momentum_W - first.state.angular_momentum_W
        assert np.allclose(gained, rotations.rotate(first.state.q_WB, torque) / 32.0, rtol=1e-5)
        assert np.allclose(moved.state.momentum_W, force / 32.0, rtol=1e-5, atol=1e-13)
        # an accelerometer feels it,
        felt = simulation.truth(plant, moved)[10:13]
        assert np.allclose(felt, force / plant.body.mass, rtol=1e-12), felt
        # it is published,
        assert 'ground_truth/disturbance/heat_recoil' in SpacecraftMessages(found).makers
        # and is in summaries and in sub-steps.
        monitor = DisturbanceMonitor(plant)
        monitor.add(first)
        assert monitor.largest['heat_recoil'] == 1e-6
    lines = scenario_report.report(found)
    assert any('heat recoil' in line for line in lines)
    strong = scenario.build({**given, 'heat_recoil.force': [0.0, 500.0, 0.0]}, 'toy')
    assert simulation.substeps_in(strong.plant, strong.initial) > 4 * simulation.substeps_in(
        plant, found.initial
    )
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


def contents(package):
    """Return {path: text} of all modules."""
    return {path: path.read_text(encoding='utf-8') for path in sorted(package.rglob('*.py'))}


def test_a_kind_of_part_is_three_files_and_one_line(copy):
    package, run = copy
    before = contents(package)
    folder = package / 'core' / 'parts' / 'leak'
    folder.mkdir()
    (folder / '__init__.py').write_text('"""A leak."""\n')
    for place, text in (
        ('core/parts/<name>/kernel.py', KERNEL),
        ('core/parts/<name>/description.py', PART),
        ('configuration/parts/<name>.py', PARAMETERS),
    ):
        assert place in RECIPES
        (package / place.replace('<name>', 'leak')).write_text(text)
    edited(
        package / 'core' / 'parts' / 'registry.py',
        "    'eddy_currents',\n)",
        "    'eddy_currents',\n    'leak',\n)",
    )
    after = contents(package)
    touched = {path: after[path] for path in before if after[path] != before[path]}
    assert [path.name for path in touched] == ['registry.py']
    (text,) = touched.values()
    assert len(text.splitlines()) == len(before[next(iter(touched))].splitlines()) + 1
    flown = run(FLY)
    assert flown.returncode == 0, flown.stderr[-2000:]


def test_a_load_is_two_files_and_a_line_of_the_registry(copy):
    package, run = copy
    for place in ('core/environment/loads/<name>.py', 'configuration/loads/<name>.py'):
        assert place in RECIPES
    (package / 'core' / 'environment' / 'loads' / 'heat_recoil.py').write_text(LOAD)
    (package / 'configuration' / 'loads' / 'heat_recoil.py').write_text(LOAD_PARAMETERS)
    registry = package / 'core' / 'environment' / 'loads' / 'registry.py'
    edited(registry, "    'solar_pressure',\n", "    'solar_pressure',\n    'heat_recoil',\n")
    flown = run(FLY_LOAD)
    assert flown.returncode == 0, flown.stderr[-2000:]
