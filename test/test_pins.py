# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Locked is what the package needs, at the versions of constraints.txt, with hashes.

requirements.txt is what the demo needs, requirements-test.txt what tests need beside it.
"""

import re
import subprocess
import sys
from importlib.metadata import distribution, distributions

import pytest
from conftest import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from spacecraft_attitude_sim.configuration.share import PACKAGE

PYTHONS = ('3.10', '3.11', '3.12', '3.13')
# What FMPy says that it needs, and what no test needs: see LEFT_OUT of the Makefile.
LEFT_OUT = {'cmake', 'lark'}
# The system of which there are wheels of ROS, and those of which there are none.
ROS = {'sys_platform': 'linux', 'platform_machine': 'x86_64'}
NO_ROS = [
    {'sys_platform': 'linux', 'platform_machine': 'aarch64'},
    {'sys_platform': 'darwin', 'platform_machine': 'arm64'},
    {'sys_platform': 'win32', 'platform_machine': 'AMD64'},
]
# What the demo needs for ROS alone, and tests on every system.
TWICE = {'empy', 'typing-extensions'}
BUILD = {'packaging', 'setuptools', 'wheel'}
DEMO, TEST = 'requirements.txt', 'requirements-test.txt'
HASH = re.compile(r'--hash=sha256:[0-9a-f]{64}')


def requirements(file):
    """Return (requirement, its options) of every requirement of a file for pip."""
    lines = (ROOT / file).read_text().replace('\\\n', ' ').splitlines()
    wanted = [line.partition(' --') for line in lines if not line.startswith('#')]
    return [(Requirement(text), (mark + options).split()) for text, mark, options in wanted]


def pins(file, python=None, system=None):
    """Return {name: version} that a file pins for a Python version and system: by default, these.

    system: {name of a marker: its value}
    """
    release = {'python_version': python, 'python_full_version': f'{python}.0'} if python else {}
    release |= system or {}
    found = [
        (canonicalize_name(needed.name), str(needed.specifier))
        for needed, _ in requirements(file)
        if needed.marker is None or needed.marker.evaluate(release)
    ]
    assert len(found) == len(dict(found)), f'{file} pins a package twice for Python {python}'
    return dict(found)


@pytest.mark.parametrize('python', PYTHONS)
def test_locked_versions_are_those_of_the_constraints(python):
    constraints = pins('constraints.txt', python)
    demo, test = pins(DEMO, python), pins(TEST, python)
    assert BUILD | {'numpy', 'ros-rclpy'} <= demo.keys()
    assert {'pytest', 'pyarrow'} <= test.keys()
    assert demo.keys() & test.keys() <= TWICE
    locked = demo | test
    assert locked == {name: constraints.get(name) for name in locked}


@pytest.mark.parametrize('file', [DEMO, TEST])
def test_every_locked_file_has_its_hash(file):
    for needed, options in requirements(file):
        assert str(needed.specifier).startswith('=='), needed
        assert options, needed
        assert all(HASH.fullmatch(option) for option in options), needed


def wheels_of_ros():
    """Return whether ROS was installed by pip."""
    return any(distributions(name='ros-rclpy'))


def needs(name, extras):
    """Return {(name, extras)} of what an installed distribution needs on this Python."""
    declared = [Requirement(text) for text in distribution(name).requires or ()]
    return {
        (canonicalize_name(needed.name), frozenset(needed.extras))
        for needed in declared
        if needed.marker is None
        or any(needed.marker.evaluate({'extra': extra}) for extra in extras or {''})
    }


@pytest.mark.skipif(not wheels_of_ros(), reason='not an environment of make venv')
def test_what_is_locked_is_all_that_is_needed():
    """No dependency is forgotten, and nothing is left over from one that was dropped."""
    demo = closure({'ros'}) | BUILD
    assert demo == pins(DEMO).keys()
    assert closure({'ros', 'test'}) - demo == pins(TEST).keys() - demo


@pytest.mark.parametrize('system', NO_ROS)
@pytest.mark.parametrize('python', PYTHONS)
def test_without_wheels_of_ros_all_else_is_installed(python, system):
    """Locked and asked for: the same on each system, at the same versions, but for ROS."""
    here, there = (pins(DEMO, python, one) for one in (ROS, system))
    assert there.items() <= here.items()
    assert {'numpy', 'numba', 'scipy', 'rosbags', 'matplotlib'} <= there.keys()
    assert not [name for name in there if name.startswith('ros-')]
    left = {name for name in here.keys() - there.keys() if not name.startswith('ros-')}
    assert left <= {*TWICE, 'lark-parser'}, 'what ROS needs, and nothing else'
    if python == f'{sys.version_info[0]}.{sys.version_info[1]}':
        assert closure(set()) <= there.keys()


def test_the_extra_of_ros_asks_for_it_where_it_is():
    """Elsewhere the extra is empty; without it nothing of ROS is asked for."""
    declared = [Requirement(text) for text in distribution(PACKAGE).requires]
    of_ros = [needed for needed in declared if needed.name.startswith('ros-')]
    assert len(of_ros) == 10
    for needed in of_ros:
        assert needed.marker.evaluate({'extra': 'ros', **ROS}), needed
        assert not needed.marker.evaluate({'extra': '', **ROS}), needed
        for system in NO_ROS:
            assert not needed.marker.evaluate({'extra': 'ros', **system}), needed


def closure(extras):
    """Return the names of all that the package needs with these extras, itself left out."""
    seen = set()
    wanted = {(PACKAGE, frozenset(extras))}
    while wanted:
        seen |= wanted
        wanted = set().union(*(needs(*package) for package in wanted)) - seen
        wanted = {package for package in wanted if package[0] not in LEFT_OUT}
    return {name for name, _ in seen} - {PACKAGE}


def commands(target):
    """Return what make would do for a target where there is no environment yet."""
    made = ['make', '--dry-run', '--no-print-directory', target, 'VENV=no_such_environment']
    return subprocess.run(made, cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ('target', 'files', 'work'),
    [
        ('demo', [DEMO], '/bin/attitude-sim run'),
        ('test', [DEMO, TEST], 'test/compile_kernels.py'),
        ('checked', [DEMO, TEST], '/bin/ruff check'),
    ],
)
def test_make_installs_what_its_target_needs_before_its_work(target, files, work):
    steps = commands(target)
    assert re.findall(r'-r (requirements\S*)', steps) == files
    assert steps.index(files[-1]) < steps.index(work)
    assert steps.index('--force-reinstall .') < steps.index(work)


def test_make_test_checks_the_code_before_it_runs_the_tests():
    """What compiles meanwhile calls make again for it, and fails with it."""
    compiled, tested = commands('test').splitlines()[-2:]
    assert re.search(r'test/compile_kernels\.py \S*make checked collected$', compiled)
    assert '-m pytest' in tested
