# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Imports point inward, from room to room, those of types too; core needs no ROS and no files."""

import ast
import functools
import subprocess
import sys
from pathlib import Path

import pytest

import spacecraft_attitude_sim

SOURCE = Path(spacecraft_attitude_sim.__file__).parent
# The rooms from the inmost to the outmost: each may import those before it, and none after it.
ROOMS = (
    'safety', 'kernels', 'core', 'configuration', 'flight', 'recording', 'drawing', 'campaigns',
    'nodes', 'runs', 'viewer', 'api', 'learn', 'fmi', 'subcommands',
)  # fmt: skip
# The same of the rooms of core.
CORE = (
    'mathematics', 'body', 'environment', 'actuators', 'parts', 'equations', 'faults',
    'sensors', 'spacecraft', 'control', 'guidance', 'mission', 'estimation', 'contact',
    'simulation', 'batch', 'studies', 'design',
)  # fmt: skip
# What is no room: imports nothing of ours, or everything.
LEAVES, DOORS = ('progress', 'moved'), ('__init__', 'cli', 'start')
ROS, FILES = ('rclpy', '_msgs'), ('yaml', 'matplotlib', 'rosbags')
FORBIDDEN = {
    'safety': (*ROS, *FILES, 'numpy', 'numba', 'rerun'),
    'kernels': (*ROS, *FILES, 'rerun'),
    'core': (*ROS, *FILES, 'rerun'),
    'configuration': (*ROS, 'rerun'),
    'flight': (*ROS, *FILES, 'rerun'),
    'recording': (*ROS, 'rerun'),
    'drawing': (*ROS, 'rerun'),
    'campaigns': (*ROS, 'rerun'),
    'nodes': ('rerun',),
    'runs': ('rerun',),
    'api': (*ROS, 'gymnasium', 'fmpy', 'pythonfmu3'),
    'learn': (*ROS, 'fmpy', 'pythonfmu3'),
    'fmi': (*ROS, 'gymnasium'),
}


@functools.cache
def content(path):
    """Return the full names that a module imports, and whose type it asks, as text.

    Imports are those anywhere in it, also for its types alone.
    """
    names, asked = [], []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f'{node.module or ""}.{alias.name}' for alias in node.names]
        elif isinstance(node, ast.Call) and getattr(node.func, 'id', '') in {'isinstance', 'type'}:
            asked.append(ast.unparse(node.args[0]))
    return names, asked


def imported(path):
    """Return the full names that a module imports."""
    return content(path)[0]


def test_every_room_is_known():
    rooms = {path.parent.name for path in SOURCE.glob('*/__init__.py')}
    assert rooms == set(ROOMS)
    assert {path.stem for path in SOURCE.glob('*.py')} == {*LEAVES, *DOORS}


@pytest.mark.parametrize('room', ROOMS)
def test_a_room_imports_only_inward(room):
    outside = ROOMS[ROOMS.index(room) + 1 :]
    for path in (SOURCE / room).rglob('*.py'):
        for name in imported(path):
            parts = name.split('.')
            if parts[0] == 'spacecraft_attitude_sim':
                assert parts[1] not in (*outside, 'cli', 'start'), f'{path.name} imports {name}'
            for word in FORBIDDEN.get(room, ()):
                hit = any(p == word or (word[0] == '_' and p.endswith(word)) for p in parts)
                assert not hit, f'{path.name} imports {name}'


@pytest.mark.parametrize('room', CORE)
def test_a_room_of_core_imports_only_inward(room):
    outside = CORE[CORE.index(room) + 1 :]
    assert {path.parent.name for path in (SOURCE / 'core').glob('*/__init__.py')} == set(CORE)
    for path in (SOURCE / 'core' / room).rglob('*.py'):
        for name in imported(path):
            parts = name.split('.')
            if parts[:2] == ['spacecraft_attitude_sim', 'core']:
                assert parts[2] not in outside, f'{path.name} imports {name}'


def circles(graph):
    """Return the sets of modules of a {module: modules it imports} that import each other."""
    reached = {}
    for module in graph:
        new, seen = [module], set()
        while new:
            seen |= (found := graph[new.pop()] - seen)
            new += found
        reached[module] = seen
    return {
        frozenset({m, *(o for o in reached[m] if m in reached[o])})
        for m in graph
        if m in reached[m]
    }


def test_no_circle_of_imports_leaves_its_package():
    paths = {
        '.'.join(path.relative_to(SOURCE.parent).with_suffix('').parts).removesuffix(
            '.__init__'
        ): path
        for path in SOURCE.rglob('*.py')
    }
    graph = {
        module: {
            name if name in paths else name.rpartition('.')[0] for name in imported(path)
        } & (paths.keys() - {module, SOURCE.name})
        for module, path in paths.items()
    }  # fmt: skip
    assert circles({'a': {'b'}, 'b': {'c'}, 'c': {'b'}}) == {frozenset('bc')}
    for circle in circles(graph):
        assert len({name.rpartition('.')[0] for name in circle}) == 1, sorted(circle)
        assert len(circle) <= 5, sorted(circle)


def test_only_where_a_plant_is_made_a_solver_has_a_name():
    """Whoever else asks which solver there is would do something that the solver should do."""
    solver = 'spacecraft_attitude_sim.core.simulation.solver.'
    named = {
        str(path.relative_to(SOURCE)): names & {'Free', 'Loaded', 'OnFloor', 'Actuated'}
        for path in SOURCE.rglob('*.py')
        if (names := {name.removeprefix(solver) for name in imported(path) if solver in name})
    }
    asking = {path for path, names in named.items() if names}
    assert asking == {'core/simulation/plant.py'}
    for path in SOURCE.rglob('*.py'):
        _, asked = content(path)
        assert not any('solver' in name for name in asked), path


def test_core_runs_where_ros_cannot_be_imported():
    program = (
        'import sys; sys.modules["rclpy"] = None; sys.modules["yaml"] = None\n'
        'import numpy as np\n'
        'from spacecraft_attitude_sim.core import body, simulation\n'
        'top = body.RigidBody(1.0, np.diag((1.0, 1.0, 2.0)))\n'
        'state = top.state((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), np.array((1.0, 0.0, 1.0)))\n'
        'simulation.step(simulation.plant_of(top, np.zeros(3)), state)\n'
    )
    subprocess.run([sys.executable, '-c', program], check=True, timeout=600)
