# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A node starts in Python and goes on compiled: with the same bits, and without the compiler."""

import ast
import functools
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import foreign
import numpy as np
import pytest

from spacecraft_attitude_sim import core
from spacecraft_attitude_sim.configuration import attitude_controller, scenario
from spacecraft_attitude_sim.core import equations, simulation
from spacecraft_attitude_sim.core.batch.sharing import SHARES, Shares
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.loads import with_gravity
from spacecraft_attitude_sim.core.body.rigid_body import BodyFrame
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.contact import convexity, model
from spacecraft_attitude_sim.core.contact.solver.advance import advance
from spacecraft_attitude_sim.core.contact.solver.initial_contact import begin
from spacecraft_attitude_sim.core.control import allocation, control_law, integral
from spacecraft_attitude_sim.core.environment import around
from spacecraft_attitude_sim.core.equations import momentum
from spacecraft_attitude_sim.core.equations.multibody.kernels import SETS, kernels_named
from spacecraft_attitude_sim.core.equations.shared import principal_frame
from spacecraft_attitude_sim.core.mathematics import random_streams
from spacecraft_attitude_sim.core.sensors import (
    Imu,
    Magnetometer,
    StarTracker,
    Suite,
    TriadErrors,
    imu,
)
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.kernels import kernel as compiled
from spacecraft_attitude_sim.kernels import warm_up

ON_A_FLOOR = [
    name for name, path in scenario.shipped().items() if 'contact' in scenario.read(path)
]
DEADLINE = 300.0


@pytest.fixture
def in_python(monkeypatch):
    """Calls a kernel as during the warm-up; a call that would be left to compiled code fails."""

    def call(kernel, *arguments):
        current = warm_up.WarmUp()
        with monkeypatch.context() as patch:
            patch.setattr(compiled.Kernel, 'call_compiled', refuse)
            patch.setattr(
                compiled.Kernel, '__call__', lambda *call: current.call(call[0], call[1:])
            )
            return current.call(kernel, arguments)

    def refuse(kernel, *arguments):
        raise AssertionError(f'{kernel.__qualname__} does not run in Python')

    return call


@pytest.fixture
def alike(in_python):
    """Checks that Python and compiled code give the same bits, and write them."""

    def check(kernel, *arguments):
        others = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
        found = kernel(*arguments)
        assert warm_up.same(found, in_python(kernel, *others)), kernel.__qualname__
        for one, other in zip(arguments, others, strict=True):
            assert not isinstance(one, np.ndarray) or warm_up.same(one, other)
        return found

    return check


def random_body(random):
    """Return the flat body (12,), its moments of any shape that a body can have."""
    parts = random.uniform(0.01, 1.0, 3)
    moments = np.sum(parts) - parts
    mass = random.uniform(0.1, 100.0)
    return np.array((1.0 / mass, *(1.0 / moments), *unit(random), mass, *moments))


def unit(random):
    """Return a random quaternion (4,)."""
    q = random.normal(size=4)
    return q / np.linalg.norm(q)


@pytest.mark.parametrize('name', equations.REGISTRY)
def test_every_set_of_equations_gives_python_the_bits_of_compiled_code(name, alike):
    random = np.random.default_rng(3)
    module = equations.load(name)
    for trial in range(24):
        body = random_body(random)
        state = np.concatenate((random.normal(size=3), unit(random), random.normal(size=6)))
        wrench = random.normal(size=12) * (0.0, 1e-3, 1.0)[trial % 3]
        for substeps in (0, 5):
            state = alike(module.advance, state, body, wrench, TICK_SECONDS, substeps)


@pytest.mark.parametrize('name', ON_A_FLOOR)
def test_contact_gives_python_the_bits_of_compiled_code(name, alike):
    found = scenario.load(scenario.find(name))
    plant = found.plant
    flat = plant.contact.flat(plant.body)
    total = with_gravity(np.zeros(12), plant.body.mass * plant.gravity_W)
    state, touch = alike(
        begin, to_flat(found.initial), 0.0, total, *flat, found.placed
    )  # fmt: skip
    model.check(touch)
    for tick in range(6):
        state, touch = alike(
            advance, state, touch, tick * TICK_SECONDS, total, *flat, TICK_SECONDS, 0
        )
    surface = plant.contact.surface
    directions = np.random.default_rng(0).normal(size=(9, 3))
    alike(convexity.sample, flat.surface, surface.parameters(), directions, surface.scale())
    alike(convexity.evaluated, flat.surface, surface.parameters(), surface.survey.points)


def test_sensors_and_control_give_python_the_bits_of_compiled_code(alike):
    random = np.random.default_rng(7)
    errors = TriadErrors(*random.uniform(0.01, 0.1, (9, 3)))
    mounting = BodyFrame(random.normal(size=3), unit(random))
    suites = [
        Suite(Imu(mounting), Magnetometer(), StarTracker(unit(random), 2, 3)),
        Suite(Imu(mounting, errors, errors, 0.1), Magnetometer(unit(random), errors),
              StarTracker(unit(random), 1, 0, 0.1, 0.2, 1.5)),
    ]  # fmt: skip
    found = [(*one[:3], np.full(one[0].memory_size, np.nan), np.empty(one[0].reading.size))
             for suite in suites for one in suite.sensors.values()]  # fmt: skip
    gains = random.uniform(0.1, 1.0, control_law.GAINS_SIZE)
    reference = np.concatenate((unit(random), np.ones(9)))
    way, memory_of_integral = control_law.UNDECIDED, random.uniform(size=integral.MEMORY.size)
    for tick in range(20):
        q_WB, omega = unit(random), random.normal(size=3)
        inverse, wrench = random.normal(size=(3, 3)), random.normal(size=12)
        gyrostat, reading = random.normal(size=6), random.normal(size=3)
        truth = alike(
            kinematics.truth_of, q_WB, omega, gyrostat, wrench, 2.0, inverse, reading
        )  # fmt: skip
        for _, function, constants, memory, read in found:
            alike(function, tick, truth, constants, memory, read)
        reference[0:4] = alike(control_law.turned, reference, 0.1 * tick)
        taken = alike(integral.resumed, gains, float(tick // 5), 0.1, 0.2, memory_of_integral)
        _, way, share = alike(
            control_law.torque_from_imu, gains, reference, unit(random), q_WB, reading, way, taken
        )
        alike(integral.judged, gains, 1e-3 * reference, way, share, memory_of_integral)


@pytest.mark.parametrize('name', ['cubesat_3u_leo', 'station_cmg', 'thruster_limit_cycle'])
def test_sharing_out_a_torque_gives_python_the_bits_of_compiled_code(name, alike):
    # Wheels, gimbals and thrusters: else a controller compiles them before the first tick.
    random = np.random.default_rng(11)
    section = scenario.read(scenario.find(name))['attitude_controller']
    found = attitude_controller.allocation(attitude_controller.checked(section))
    count = len(found.names)
    for _ in range(20):
        torque_B, omega_B = (tuple(one) for one in random.normal(size=(2, 3)).tolist())
        alike(
            allocation.allocate, found.kind, found.rows, found.gyroscopic,
            random.normal(size=count), torque_B, omega_B, np.zeros(count),
        )  # fmt: skip
        alike(allocation.at_limit, found.kind, found.rows, random.normal(size=count))


# What makes a kernel of a function.
KERNELS = ('compiled', 'helper', 'part', 'inlined')


@functools.cache
def kernels():
    """Return {name: syntax tree} of the functions of core that are compiled."""
    found = {}
    for path in Path(core.__file__).parent.rglob('*.py'):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef):
                marks = [ast.unparse(mark) for mark in function.decorator_list]
                if any(mark in KERNELS or mark.endswith('_function') for mark in marks):
                    found[f'{path.stem}.{function.name}'] = function
    return found


def test_kernels_use_nothing_that_python_rounds_otherwise():
    # Of a million random numbers, Python's x ** 2 differs from x x for 840, which compiled code
    # computes; math.hypot from that of the C library for 6000.
    assert len(kernels()) > 150
    for name, function in kernels().items():
        for node in ast.walk(function):
            power = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
            assert not (power and isinstance(node.right, ast.Constant)), name
            assert not (isinstance(node, ast.Attribute) and node.attr == 'hypot'), name


class Told:
    """A logger that remembers its warnings."""

    def __init__(self):
        self.warnings = []

    def info(self, text):
        """Take a text."""

    def warning(self, text):
        """Keep a text."""
        self.warnings.append(text)


@pytest.fixture
def told(monkeypatch):
    """Begin a warm-up; give the logger, and end it after the test."""
    logger = Told()
    monkeypatch.setattr(compiled, 'warming', None)
    monkeypatch.setattr(compiled, 'begun', False)
    warm_up.begin(logger)
    return logger


def is_compiled(kernel):
    """Return whether calls of a kernel go to compiled code."""
    return kernel._run != kernel._first


def finish(tick):
    """Take a tick, and wait for compiled code."""
    current = compiled.warming
    tick()
    warm_up.note(0.0, TICK_SECONDS)
    assert current._ready.wait(DEADLINE)


@compiled.compiled
def doubled(x):
    """Return 2 x."""
    return 2.0 * x


@compiled.compiled
def first_doubled(a):
    """Return twice the first element."""
    return doubled(a[0])


@compiled.compiled
def halved(x):
    """Return x / 2."""
    return 0.5 * x


@compiled.compiled
def root(x):
    """Return the square root: of a negative number NaN, and in Python an exception."""
    return math.sqrt(x)


@compiled.compiled
def add_one_to_root(a):
    """Add 1 to the first element, and write its root into the second."""
    a[0] += 1.0
    a[1] = math.sqrt(a[0])


@compiled.compiled
def scaled(x):
    """Return x times what FACTOR is at the call, or was when it was compiled."""
    return x * FACTOR


@compiled.compiled
def write_scaled(a):
    """Write the second element times FACTOR into the first."""
    a[0] = a[1] * FACTOR


FACTOR = 1.0


@pytest.fixture
def compiled_here(monkeypatch):
    """Have kernels of this file compiled in this process: another does not find it."""
    monkeypatch.setattr(warm_up, 'cached', lambda kernel: True)


def test_kernels_change_to_compiled_code_between_two_calls(told, compiled_here):
    array = np.array((3.0,))
    assert first_doubled(array) == 6.0
    assert not is_compiled(first_doubled)
    finish(lambda: first_doubled(array))
    assert first_doubled(array) == 6.0
    assert is_compiled(first_doubled)
    assert compiled.warming is None
    assert not told.warnings


def test_what_python_cannot_do_is_left_to_compiled_code(told):
    assert math.isnan(root(-1.0))
    array = np.array((-3.0, 0.0))
    add_one_to_root(array)
    assert array[0] == -2.0
    assert math.isnan(array[1])


@pytest.mark.parametrize(
    ('kernel', 'argument'), [(scaled, 2.0), (write_scaled, np.array((0.0, 2.0)))]
)
def test_a_difference_is_told(told, compiled_here, monkeypatch, kernel, argument):
    kernel(argument)
    monkeypatch.setattr(sys.modules[__name__], 'FACTOR', 3.0)
    finish(lambda: None)
    assert len(told.warnings) == 1
    assert 'differ' in told.warnings[0]


def test_what_the_cache_lacks_is_compiled_by_another_process(told, monkeypatch, tmp_path):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    monkeypatch.setattr(compiled, 'cache_directory', compiled.cache_directory.__wrapped__)
    foreign_folder = foreign.plant(tmp_path / 'foreign')
    monkeypatch.chdir(foreign_folder)
    monkeypatch.setenv('PYTHONPATH', str(foreign_folder))
    kernel, arguments = random_streams.normals, (3, 1, 0, 0, 0)
    assert not warm_up.cached(kernel)
    compiled.warming.fill_cache([warm_up.FirstCall(kernel, arguments, None, arguments)])
    assert warm_up.cached(kernel)
    assert not foreign.ran(foreign_folder)


def test_without_a_cache_nothing_is_compiled_in_the_background(told, monkeypatch):
    monkeypatch.setattr(compiled, 'cache_directory', lambda: '/proc/none')
    halved(3.0)
    finish(lambda: None)
    assert compiled.warming.failure == ''
    assert 'if /proc/none cannot be written' in told.warnings[0]
    assert not is_compiled(halved)


@compiled.compiled
def beyond_the_compiler(x):
    """Return x, in a way that only Python knows."""
    return eval('x')


def test_what_the_compiler_cannot_do_is_told(told, compiled_here):
    beyond_the_compiler(2.0)
    finish(lambda: None)
    assert warm_up.failure().startswith('compiled code cannot be made: ')


def test_a_run_on_a_floor_looks_at_its_surface_in_python():
    program = (
        'from spacecraft_attitude_sim.kernels import kernel as compiled\n'
        'from spacecraft_attitude_sim.configuration import scenario\n'
        'import spacecraft_attitude_sim.runs.run as nodes\n'
        'from spacecraft_attitude_sim import cli\n'
        'nodes.run = lambda *arguments, **options: print(compiled.begun) or exit()\n'
        "cli.main(['run', 'ball_on_incline'])\n"
    )
    done = subprocess.run(
        [sys.executable, '-c', program], capture_output=True, text=True, timeout=600
    )
    assert done.stdout == 'False\n', done.stderr


def test_a_tick_too_slow_in_python_waits_for_compiled_code(told, monkeypatch):
    current = compiled.warming
    with monkeypatch.context() as patch:
        patch.setattr(current, 'compile', lambda: None)
        warm_up.note(0.4 * TICK_SECONDS, TICK_SECONDS)
        warm_up.note(9.0, 0.0)  # as fast as it can: no tick is too slow
        assert not warm_up.too_slow(paced=True)
        # One that takes long, as the first does, is made up for by those after it.
        for spent in (3.0, *(0.2,) * 10, 3.0):
            warm_up.note(spent * TICK_SECONDS, TICK_SECONDS)
            assert not warm_up.too_slow(paced=True)
        for _ in range(60):
            warm_up.note(0.6 * TICK_SECONDS, TICK_SECONDS)
    assert warm_up.too_slow(paced=True)
    assert not warm_up.too_slow(paced=False)
    warm_up.give_up_python()
    assert warm_up.too_slow(paced=False)
    finish(lambda: None)
    assert not warm_up.too_slow(paced=True)
    assert not warm_up.too_slow(paced=False)


FIRST_TICK = """
import sys
from spacecraft_attitude_sim.nodes.ros import session
from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode

def heavy():
    return {'numba', 'scipy', 'matplotlib', 'PIL', 'transforms3d', 'rosbags'} & set(sys.modules)

found = []
with session.ros(['--ros-args', '-p', 'duration:=30.0', '-p', 'real_time_factor:=0.0']) as stop:
    node = SimulatorNode(on_tick=lambda instant: found or found.append(heavy()))
    with session.executor_of([node], stop) as executor:
        session.spin_until(executor, lambda: node.finished)
print(sorted(found[0]), 'numba' in sys.modules, node.instant.state.q_WB.tolist())
"""


def test_the_first_tick_needs_no_compiler_and_the_last_is_that_of_a_compiled_run(domain):
    done = subprocess.run(
        [sys.executable, '-c', FIRST_TICK],
        capture_output=True, text=True, check=True, timeout=DEADLINE, env=dict(os.environ),
    )  # fmt: skip
    found = scenario.build({}, 'defaults')
    states = simulation.trajectory(found.plant, found.initial, 960)
    assert done.stdout.strip() == f'[] True {states[-1, 3:7].tolist()}'


FULL_TILT = """
import sys, time
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.nodes.ros import session
from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode

python, calls = warm_up.WarmUp.call, [0.0]

def timed(self, *arguments):
    begun = time.thread_time()
    try:
        return python(self, *arguments)
    finally:
        if not self.over:
            calls.append(time.thread_time() - begun)

warm_up.WarmUp.call = timed
rate, file = sys.argv[1:]
spin = 'initial.angular_velocity:=[0.0, 9900.0, 1.0]'
given = ('duration:=0.06', f'real_time_factor:={rate}', spin)
options = [word for one in given for word in ('-p', one)]
with session.ros(['--ros-args', '--params-file', file, *options]) as stop:
    node = SimulatorNode()
    with session.executor_of([node], stop) as executor:
        session.spin_until(executor, lambda: node.finished)
print(len(calls) > 5, max(calls), node.run.tick, node.run.failure)
"""


@pytest.mark.parametrize('rate', ['0.0', '1.0'])
def test_no_tick_of_70_thousand_sub_steps_is_computed_in_python(domain, rate):
    file = scenario.find('cubesat_pyramid_limits')
    done = subprocess.run(
        [sys.executable, '-c', FULL_TILT, rate, str(file)],
        capture_output=True, text=True, check=True, timeout=DEADLINE,
    )  # fmt: skip
    called, longest, ticks, *failure = done.stdout.split()
    assert (called, ticks, failure) == ('True', '2', [])
    assert float(longest) < 5.0  # it is half a second; 70 thousand are half a minute


def test_a_process_that_compiles_is_told_of_while_it_does(told, monkeypatch, tmp_path):
    monkeypatch.setattr(compiled, 'cache_directory', lambda: str(tmp_path / 'code'))
    monkeypatch.setattr(warm_up.child, 'command', lambda *_: ['sleep', '1'])
    current, said = compiled.warming, []

    def wait(seconds):
        said.append(warm_up.compiling())
        time.sleep(seconds)

    monkeypatch.setattr(current._stopping, 'wait', wait)
    assert warm_up.compiling() == ''
    current.fill_cache([warm_up.FirstCall(halved, (3.0,), None, (3.0,))])
    assert said[0] == ('compiling for 0 s (about 5 s on an idle core, once on this machine)')
    assert said[-1].endswith(' s (about 5 s on an idle core, once on this machine)')
    assert said[-1] != said[0]
    assert warm_up.compiling() == ''


def test_the_estimate_is_of_what_is_to_be_compiled_and_knows_the_long_ones():
    """Measured 1.4 s for a free body, 10 s on a floor."""
    free = [momentum.tick, principal_frame.substep_count, halved]
    assert warm_up.estimate(free) == 5.0
    on_floor = [begin, advance, halved]
    assert warm_up.estimate(on_floor) == 10.0
    assert warm_up.estimate([*on_floor, *on_floor]) == 10.0
    known = {
        f'{one.__module__.rpartition(".")[2]}.{one.__qualname__}'
        for one in (momentum.tick, begin, advance, imu.read, around._draw_skies,
                    *(getattr(kernels_named(kinds), name) for kinds in SETS
                      for name in ('advance', 'end_of', 'motion_of', 'substep_count')))
    }  # fmt: skip
    assert warm_up.COMPILE_SECONDS.keys() == known


def test_brief_work_is_done_in_python_and_what_was_before_comes_back(monkeypatch):
    for began, before in ((False, None), (True, None), (False, warm_up.WarmUp())):
        monkeypatch.setattr(compiled, 'warming', before)
        monkeypatch.setattr(compiled, 'begun', began)
        with warm_up.in_python():
            meanwhile = compiled.warming
            assert (meanwhile is before) == (began or before is not None)
        assert compiled.warming is before


def test_a_process_that_was_forked_makes_threads_of_its_own():
    """Those of its parent are not there: their work would never be done."""
    shares = Shares(2)
    own = shares._threads()
    assert shares._threads() is own and shares._pool == (os.getpid(), own)
    shares._pool = os.getppid(), own
    assert shares._threads() is not own
    seen = []
    shares.share(1000, lambda first, last: seen.append((first, last)))
    assert sorted(seen)[0][0] == 0 and sum(last - first for first, last in seen) == 1000
    assert len(seen) == 2  # one for each thread: a call costs more than sharing better gains
    shares.share(1000, lambda *bounds: seen.append(bounds), ticks=64)
    assert len(seen) == 2 + 2 * SHARES
