# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Every test has its own ROS domain and talks on this machine only."""

import collections
import contextlib
import functools
import gc
import itertools
import math
import numbers
import os
import re
import signal
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

try:
    import fcntl
except ModuleNotFoundError:  # on Windows, where no two test runs may go on at once
    fcntl = None

os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
# One BLAS kernel on every machine, that of bits.json, so that test_bits.py is skipped on none.
# NumPy chooses when it is imported, which is later.
os.environ['OPENBLAS_CORETYPE'] = 'Haswell'
# And one thread: on a busy machine two wait for each other, longer than they compute.
# test_blas_kernels.py compares with two.
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
# Rerun would only print that it was given the wrong thing, and draw nothing of it.
os.environ['RERUN_STRICT'] = '1'
# Gymnasium sets it when it is imported.
os.environ['PYGAME_HIDE_SUPPORT_PROMPT'] = 'hide'
# Seldom: Python would look again and again at what stays, as syntax trees and figures.
gc.set_threshold(20_000, 10, 5)
# A shell lets a command in the background ignore Ctrl-C, and so would all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
ROOT = Path(__file__).resolve().parent.parent
# Domains 0 to 101 use ports below the ephemeral range.
DOMAINS = range(1, 101)
domains = itertools.cycle(DOMAINS)
for _ in range(os.getpid() * 7 % len(DOMAINS)):
    next(domains)
# Locks of the latest domains of this process: what a test left behind may still talk in them.
locks: collections.deque = collections.deque(maxlen=4)


# Of tests that start no process and no node, what takes long all the same.
SLOW = (
    'batch_contact', 'blas_kernels', 'campaign', 'code_cache', 'comparison', 'contact_',
    'damaged_files', 'docs', 'estimation', 'fuzz', 'launch', 'old_bags', 'package', 'pfaffian',
    'poinsot', 'quasi_coordinates', 'trust', 'types', 'uniform', 'user_mesh', 'viewer', 'warm_up',
    'dissipation', 'flat_spin', 'internal_views', 'magnetic_control', 'mutants',
    'pages', 'why', 'allocation', 'batch_laws', 'figures', 'orbit_loads', 'orbit_whole_motions',
)  # fmt: skip
WITH_ROS = {'ros', 'command', 'domain'}
# What a file has whose tests are not run on macOS and Windows: what these lack, or ROS. And files
# about what stands in the checkout: it is the same on each system.
LINUX = re.compile(
    r'/proc/|/dev/|/tmp|preexec_fn|killpg|geteuid|getuid|sched_|SIG[A-Z]|mkfifo|symlink|chmod|openpty'
    r'|rclpy|_msgs\b|ros_helpers|fcntl|import resource|nodes\b|prctl|runs\.|fork|bash|umask'
)
OF_CHECKOUT = ('bits', 'guards', 'layout', 'mutants', 'pins', 'release', 'words')
# Files that take longest, first of all: begun late, one would go on alone on one processor.
LONGEST = ('pages', 'replay', 'scenario_dependencies', 'lifecycle', 'follow_clock')


# How many tests may be skipped in CI, where all is installed that the registries have: those of
# ROS packages that they do not have, of ffmpeg, and of files that root may write all the same.
MOST_SKIPPED = 16


def pytest_collection_modifyitems(items):
    """Mark the quick tests, those that need no ROS and little time; put long files first.

    Mark as portable those of them that need nothing of Linux. After LONGEST come the files that
    fly.

    Files go to the workers whole and in this order, so that short ones fill the end.
    """
    flying, longest = set(), {f'test_{name}' for name in LONGEST}
    for item in items:
        slow = item.path.stem.removeprefix('test_').startswith(SLOW)
        if WITH_ROS & set(item.fixturenames):
            flying.add(item.path)
        elif not slow:
            item.add_marker(pytest.mark.quick)
            if is_portable(item.path):
                item.add_marker(pytest.mark.portable)
    items.sort(key=lambda item: (item.path.stem not in longest, item.path not in flying))


def pytest_ignore_collect(collection_path):
    """Leave out, on macOS and Windows, files of tests that import what these lack."""
    elsewhere = sys.platform != 'linux' and collection_path.stem.startswith('test_')
    return True if elsewhere and not is_portable(collection_path) else None


@functools.cache
def is_portable(path):
    """Return whether the quick tests of a file run on macOS and Windows, too."""
    name = path.stem.removeprefix('test_')
    return name not in OF_CHECKOUT and not LINUX.search(path.read_text(encoding='utf-8'))


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Collect no garbage meanwhile, nor look later through what stays to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


ENVIRONMENT, FOLDER = dict(os.environ), os.getcwd()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """Undo, after the last test of a file, what its tests left of environment and folder.

    Commands of later tests could not be forked with them (test/forks.py). stderr tells it.
    """
    outcome = yield
    if nextitem is None or nextitem.path != item.path:
        names = {name for name, _ in ENVIRONMENT.items() ^ os.environ.items()}
        names -= {'PYTEST_CURRENT_TEST', 'ROS_DOMAIN_ID'}
        if names or os.getcwd() != FOLDER:
            print(f'{item.path.name} left {sorted(names)}, {os.getcwd()}', file=sys.__stderr__)
            os.chdir(FOLDER)
            for name in names:
                os.environ.pop(name, None)
            os.environ.update({name: ENVIRONMENT[name] for name in names & ENVIRONMENT.keys()})
    return outcome


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Let a run in CI fail that skipped more than it may: nobody reads what was left out."""
    reporter = session.config.pluginmanager.get_plugin('terminalreporter')
    if not os.environ.get('CI') or hasattr(session.config, 'workerinput') or not reporter:
        return
    skipped = len(reporter.stats.get('skipped', ()))
    if skipped > MOST_SKIPPED and session.exitstatus == pytest.ExitCode.OK:
        reporter.write_line(f'{skipped} tests were skipped; in CI {MOST_SKIPPED} may be', red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


# An `approx` without `abs` takes 1e-12 for it, so a density of 1e-13 could be anything. Below this
# size a test says what it means.
SMALL = 1e-6
DEFAULT_TOLERANCE = 1e-12
plain_approx = pytest.approx


def approx(expected, rel=None, abs=None, nan_ok=False):  # noqa: A002 (as pytest names it)
    """Return pytest's approx; refuse a small number whose relative tolerance counts for nothing.

    Give `rel` and `abs=0.0` where only the relative tolerance is meant.
    """
    if abs is None:
        for value in _numbers(expected):
            size = math.fabs(value)
            if 0.0 < size < SMALL and size * (1e-6 if rel is None else rel) < DEFAULT_TOLERANCE:
                part = DEFAULT_TOLERANCE / size
                raise ValueError(
                    f'approx({value:.3g}) without abs has a tolerance of {part:.2g} of the value, '
                    'whatever rel says; give abs, and rel with abs=0.0 for a relative one'
                )
    return plain_approx(expected, rel=rel, abs=abs, nan_ok=nan_ok)


pytest.approx = approx


def _numbers(expected):
    """Yield the numbers in what a test expects."""
    if isinstance(expected, numbers.Real):
        yield expected
    elif isinstance(expected, Mapping):
        yield from _numbers(list(expected.values()))
    elif hasattr(expected, 'ravel'):
        yield from _numbers(expected.ravel().tolist())
    elif isinstance(expected, Iterable) and not isinstance(expected, str | bytes):
        for value in expected:
            yield from _numbers(value)


def new_domain():
    """Return the number of a ROS domain in which no other test on this machine talks, as text."""
    number, lock = _locked_domain()
    locks.append(lock)
    return number


def _locked_domain():
    """Return the number of a domain as text, and the file that keeps it for this process."""
    for number in itertools.islice(domains, len(DOMAINS)):
        with contextlib.suppress(OSError):
            lock = open(Path(tempfile.gettempdir(), f'tested_ros_domain_{number}'), 'a')  # noqa: SIM115
            if fcntl:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return str(number), lock
    raise RuntimeError(f'other tests on this machine use all {len(DOMAINS)} ROS domains')


# What a module's fixtures run, too, is heard by no other test.
os.environ['ROS_DOMAIN_ID'], whole_time = _locked_domain()


@pytest.fixture
def domain(monkeypatch):
    """Give the test a ROS domain of its own, for its process and those it starts."""
    number = new_domain()
    monkeypatch.setenv('ROS_DOMAIN_ID', number)
    return number


@pytest.fixture
def rare_loops_shared(monkeypatch):
    """Let craft whose loop no test compiles beforehand fly by one with more than they need."""
    from compile_kernels import MIXTURES

    from spacecraft_attitude_sim.core.batch import craft_lanes

    known = craft_lanes.loop_with

    def loop_with(names):
        with_all = [others for others in MIXTURES if set(names) <= set(others)]
        return known(min(with_all, key=len, default=names))

    monkeypatch.setattr(craft_lanes, 'loop_with', loop_with)


@pytest.fixture
def ros(domain):
    """ROS up for the test, down after it; gives a function that makes and later ends a node."""
    from ros_helpers import RosTest

    with RosTest() as helper:
        yield helper


@pytest.fixture
def placed_roughly(monkeypatch):
    """Figures whose panels are not fitted, a third of the time of drawing; test_figures looks.

    With an engine of layout matplotlib draws all once more, without ink.
    """
    monkeypatch.setattr('matplotlib.figure.Figure.get_layout_engine', lambda _: None)


@pytest.fixture(scope='session')
def command():
    """Path of the installed attitude-sim: of pip, or of colcon."""
    from spacecraft_attitude_sim.configuration.share import PACKAGE, share_directory

    pip = Path(sys.executable).with_name('attitude-sim')
    colcon = share_directory().parent.parent / 'lib' / PACKAGE / 'attitude-sim'
    return next(str(path) for path in (pip, colcon) if path.exists())
