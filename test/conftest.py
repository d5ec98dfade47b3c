# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Every test has its own ROS domain and talks on this machine only."""

import itertools
import os
import sys
from pathlib import Path

import pytest

os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
ROOT = Path(__file__).resolve().parent.parent
# Domains 0 to 101 use ports below the ephemeral range. Workers of pytest-xdist share none.
WORKER = int(os.environ.get('PYTEST_XDIST_WORKER', 'gw0').removeprefix('gw')) % 2
domains = itertools.cycle(range(1 + WORKER, 101, 2))
for _ in range(os.getpid() % 50):
    next(domains)


# Of tests that start no process and no node, what takes long all the same.
SLOW = (
    'batch_contact', 'campaign', 'code_cache', 'comparison', 'contact_', 'damaged_files', 'docs',
    'estimation', 'fuzz', 'launch', 'old_bags', 'package', 'pfaffian', 'poinsot',
    'quasi_coordinates', 'trust', 'types', 'uniform', 'user_mesh', 'viewer', 'warm_up',
)  # fmt: skip
WITH_ROS = {'ros', 'command', 'domain'}


def pytest_collection_modifyitems(items):
    """Mark the quick tests: those that need no ROS and little time."""
    for item in items:
        slow = item.path.stem.removeprefix('test_').startswith(SLOW)
        if not slow and not WITH_ROS & set(item.fixturenames):
            item.add_marker(pytest.mark.quick)


def new_domain():
    """Return the number of a ROS domain that no test of this process has, as text."""
    return str(next(domains))


# What a module's fixtures run, too, is heard by no other test.
os.environ['ROS_DOMAIN_ID'] = new_domain()


@pytest.fixture
def domain(monkeypatch):
    """Give the test a ROS domain of its own, for its process and those it starts."""
    number = new_domain()
    monkeypatch.setenv('ROS_DOMAIN_ID', number)
    return number


@pytest.fixture
def ros(domain):
    """ROS up for the test, down after it; gives a function that makes and later ends a node."""
    from ros_helpers import RosTest

    with RosTest() as helper:
        yield helper


@pytest.fixture(scope='session')
def command():
    """Path of the installed attitude-sim: of pip, or of colcon."""
    from spacecraft_attitude_sim.configuration.share import PACKAGE, share_directory

    pip = Path(sys.executable).with_name('attitude-sim')
    colcon = share_directory().parent.parent / 'lib' / PACKAGE / 'attitude-sim'
    return next(str(path) for path in (pip, colcon) if path.exists())
