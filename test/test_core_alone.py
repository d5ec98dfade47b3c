# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Imports point inward: core needs no ROS and no files, files need no ROS."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import spacecraft_attitude_sim

SOURCE = Path(spacecraft_attitude_sim.__file__).parent
FORBIDDEN = {
    'core': (
        'rclpy',
        '_msgs',
        'files',
        'nodes',
        'viewer',
        'yaml',
        'matplotlib',
        'rosbags',
        'rerun',
    ),
    'files': ('rclpy', '_msgs', 'nodes', 'viewer', 'rerun'),
    'nodes': ('viewer', 'rerun'),
}


@pytest.mark.parametrize('layer', FORBIDDEN)
def test_layer_imports_only_inward(layer):
    for path in (SOURCE / layer).rglob('*.py'):
        for statement in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(statement, ast.Import):
                names = [alias.name for alias in statement.names]
            if isinstance(statement, ast.ImportFrom):
                names = [statement.module or '']
            for name in names:
                parts = name.split('.')
                for word in FORBIDDEN[layer]:
                    hit = any(p == word or (word[0] == '_' and p.endswith(word)) for p in parts)
                    assert not hit, f'{path.name} imports {name}'


def test_core_runs_where_ros_cannot_be_imported():
    program = (
        'import sys; sys.modules["rclpy"] = None; sys.modules["yaml"] = None\n'
        'import numpy as np\n'
        'from spacecraft_attitude_sim.core import body, simulation\n'
        'top = body.RigidBody(1.0, np.diag((1.0, 1.0, 2.0)))\n'
        'state = top.state((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), np.array((1.0, 0.0, 1.0)))\n'
        'simulation.step(simulation.Plant(top, np.zeros(3)), state)\n'
    )
    subprocess.run([sys.executable, '-c', program], check=True, timeout=120)
