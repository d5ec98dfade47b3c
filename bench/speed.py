# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Print speeds as ratios: one body, equal accuracy, many bodies, contact, start-up.

`python bench/speed.py [rounds]`, or as a part of `make bench`. Contenders are timed in turn. It
takes the fastest of the rounds, which other work on the machine disturbs least. It lists
simulators that are not installed and leaves them out; g++ compiles the limit.
"""

import os
import subprocess
import sys
import time

import basilisk
import contact
import limit
import numpy as np
import rivals

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import equations
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.equations import momentum
from spacecraft_attitude_sim.core.equations.shared import free_motion
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

BODIES = 100_000
STEPS = 32
# Target errors of the attitude after 10 s [rad]; the last is the best of Basilisk's RKF78.
TARGETS = (1e-3, 1e-6, 2e-9)
# Numbers of steps in 10 s; each step is a whole number of nanoseconds, as Basilisk needs.
LADDER = (40, 80, 160, 320, 640, 1280, 2560, 5120, 10_000, 20_000, 40_000, 80_000, 160_000)
CORES = len(os.sched_getaffinity(0))
STARTS = {
    'ours': 'import numpy as np; from spacecraft_attitude_sim.core import simulation; '
    'from spacecraft_attitude_sim.core.body import RigidBody; b = RigidBody(1.0, np.diag((1.0, '
    '1.5, 2.0))); s = b.state((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), np.array((0.1, 1.0, 0.1))); '
    'simulation.step(simulation.plant_of(b, np.zeros(3)), s)',
    'mujoco': "import mujoco; m = mujoco.MjModel.from_xml_string('<mujoco><worldbody><body>"
    '<freejoint/><geom size="1"/></body></worldbody></mujoco>\'); '
    'mujoco.mj_step(m, mujoco.MjData(m))',
    'Basilisk': 'from Basilisk.simulation import spacecraft; '
    'from Basilisk.utilities import SimulationBaseClass as S; s = S.SimBaseClass(); '
    "p = s.CreateNewProcess('p'); p.addTask(s.CreateNewTask('t', int(1e7))); "
    "c = spacecraft.Spacecraft(); s.AddModelToTask('t', c); s.InitializeSimulation(); "
    's.ConfigureStopTime(int(1e7)); s.ExecuteSimulation()',
    'pydrake': 'from pydrake.all import MultibodyPlant, Simulator; p = MultibodyPlant(0.01); '
    'p.Finalize(); Simulator(p).AdvanceTo(0.01)',
    'pybullet': 'import pybullet as p; p.connect(p.DIRECT); p.stepSimulation()',
}


def main():
    """Print the tables."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    for line in rivals.missing():
        print(line)
    handle = scenario.load(scenario.find('tennis_racket'))
    print_one(handle, rounds)
    print_equal_accuracy(handle, rounds)
    print_many(handle, rounds)
    print_contact()
    print_starts()


def fastest(rounds, contenders, clock=time.process_time):
    """Return {name: least seconds of one step} of {name: (function of steps, steps)}.

    clock: processor time of this process, which excludes other work on the machine
    """
    times = dict.fromkeys(contenders, np.inf)
    for _ in range(rounds + 1):
        for name, (function, steps) in contenders.items():
            start = clock()
            function(steps)
            times[name] = min(times[name], (clock() - start) / steps)
    return times


def show(title, unit, times, first):
    """Print each {name: time} and its ratio to the first."""
    print(f'\n{title} [{unit}], and times the first')
    for name, value in times.items():
        print(f'  {name:58} {value:12.4g} {value / times[first]:9.3g} x')


def print_one(handle, rounds):
    """Print the time of a step of one body."""
    body, omega_B = handle.plant.body, handle.parameters['initial.angular_velocity']
    flat, numbers = to_flat(handle.initial), body.flat()
    torque = np.full(12, 1e-9)
    own = 'momentum RK4'
    contenders = {
        own: (
            lambda n: momentum.advance(flat, numbers, loads.FREE, n * TICK_SECONDS, n), 20_000
        ),
        'momentum RK4 under a torque': (
            lambda n: momentum.advance(flat, numbers, torque, n * TICK_SECONDS, n), 9_000
        ),
    }  # fmt: skip
    for name, library in limit.compiled().items():
        q, g = np.array((1.0, 0.0, 0.0, 0.0)), 1e-3 / np.array((1.0, 2.0, 3.0))
        contenders[f'C++, same arithmetic, {name}'] = (
            lambda n, library=library, q=q, g=g: limit.one(library, q, g, n), 20_000
        )  # fmt: skip
    if rivals.installed('mujoco'):
        for integrator in ('RK4', 'implicitfast'):
            steps_of = rivals.mujoco_steps(body, omega_B, TICK_SECONDS, integrator)
            contenders[f'MuJoCo {integrator}'] = (steps_of, 500)
    if rivals.installed('Basilisk'):
        contenders['Basilisk RK4'] = (basilisk.RivalBody(body, omega_B).advance, 1000)
    if rivals.installed('pydrake'):
        contenders['Drake RK3'] = (rivals.drake_steps(body, omega_B, TICK_SECONDS), 200)
    if rivals.installed('pybullet'):
        steps_of = rivals.pybullet_steps(body, omega_B, TICK_SECONDS)
        contenders['PyBullet, called from Python'] = (steps_of, 500)
    times = fastest(rounds, contenders)
    show('One body, one step', 'ns', {k: v * 1e9 for k, v in times.items()}, own)


def print_equal_accuracy(handle, rounds):
    """Print the cost of 10 s of the T-handle with the largest steps that meet each of TARGETS.

    A contender that does not meet a target with any of LADDER is left out.
    """
    flat, numbers = to_flat(handle.initial), handle.plant.body.flat()
    times = np.arange(321) * TICK_SECONDS
    exact = free_motion.evaluate_many(free_motion.prepare(flat, numbers), times)[-1]
    met = {name: steps_meeting(make, exact) for name, make in methods(handle).items()}
    for target in TARGETS:
        contenders = {
            # Their errors come from test_free_motion.py, against 30 digits.
            'exact attitude at 10 s alone (4e-15 rad)': again(
                lambda: free_motion.evaluate(free_motion.prepare(flat, numbers), 10.0), 100
            ),
            'exact attitude at 321 instants (4e-15 rad)': again(
                lambda: free_motion.evaluate_many(free_motion.prepare(flat, numbers), times), 20
            ),
        }  # fmt: skip
        for name, tried in met.items():
            good = [(steps, error, run) for steps, error, run in tried if error <= target]
            if good:
                steps, error, run = good[0]
                contenders[f'{name}, {steps} steps ({error:.0e} rad)'] = again(run, 3)
        found = {k: v * 1e6 for k, v in fastest(max(3, rounds // 3), contenders).items()}
        title = f'10 s of the T-handle, attitude at the end within {target:.0e} rad'
        show(title, 'µs', found, next(iter(found)))


def again(run, count):
    """Return a contender for `fastest` that runs a function `count` times in a row."""

    def repeat(times):
        for _ in range(times):
            run()

    return repeat, count


def steps_meeting(make, exact):
    """Return [(steps, error, run)] of LADDER up to the first that meets every target."""
    tried = []
    for steps in LADDER:
        run, attitude = make(steps)
        run()
        tried.append((steps, rotations.angle_between(attitude(), exact), run))
        if tried[-1][1] <= min(TARGETS):
            break
    return tried


def methods(handle):
    """Return {name: function of a number of steps in 10 s}.

    Each returns a function that runs 10 s more, and one that returns the attitude (4,) after it.
    """
    body, omega_B = handle.plant.body, handle.parameters['initial.angular_velocity']
    found = {name: own_method(handle, name) for name in ('momentum', 'body_momentum')}
    if rivals.installed('Basilisk'):
        for name in ('RK4', 'RKF78'):
            found[f'Basilisk {name}'] = lambda n, name=name: basilisk_method(
                body, omega_B, name, n
            )
    if rivals.installed('mujoco'):
        found['MuJoCo RK4'] = lambda n: mujoco_method(body, omega_B, n)
    return found


def own_method(handle, name):
    """Return the function of a number of steps for one of our equations, in a single call."""
    flat, numbers = to_flat(handle.initial), handle.plant.body.flat()
    advance = equations.load(name).advance

    def make(steps):
        return (
            lambda: advance(flat, numbers, loads.FREE, 10.0, steps),
            lambda: advance(flat, numbers, loads.FREE, 10.0, steps)[3:7],
        )

    return make


def basilisk_method(body, omega_B, name, steps):
    """Return the pair of functions for a Basilisk integrator."""

    class Rival(basilisk.RivalBody):
        INTEGRATOR = f'svIntegrator{name}'
        STEP = 10.0 / steps

    rival = Rival(body, omega_B)
    return lambda: rival.advance(steps), rival.attitude


def mujoco_method(body, omega_B, steps):
    """Return the pair of functions for MuJoCo's RK4."""
    import mujoco

    model, data = rivals.mujoco_world(body, omega_B, 10.0 / steps)
    return lambda: mujoco.mj_step(model, data, nstep=steps), lambda: data.qpos[3:7].copy()


def print_contact():
    """Print the step time of a rolling ellipsoid, and the error after 5 s."""
    contenders = {'momentum on a floor': contact.own('rolling', contact.STEP)}
    if rivals.installed('mujoco'):
        import mujoco

        for integrator in ('Euler', 'RK4'):
            run = contact.rival(mujoco, 'rolling', contact.STEP, integrator)
            contenders[f'MuJoCo {integrator}, mj_step'] = run
    end = np.array(contact.REFERENCE['cases']['rolling_calm']['end'])
    times = {}
    for name, (spent, steps, position, _) in contact.measure(contenders).items():
        error = np.linalg.norm(position - end[0:3])
        times[f'{name} ({error:.0e} m)'] = spent / steps * 1e9
    title = 'One step of 1/1024 s of a rolling ellipsoid, error after 5 s in brackets'
    show(title, 'ns', times, next(iter(times)))


def print_many(handle, rounds):
    """Print the step time of one of 100 000 bodies on all cores."""
    count = BODIES // 16 * 16
    random = np.random.default_rng(0)
    body = handle.plant.body
    omega = random.normal(size=(count, 3))
    states = np.zeros((count, 13))
    states[:, 3] = 1.0
    states[:, 10:13] = omega * body.principal_moments
    bodies = np.repeat([body.flat()], count, axis=0)
    own = 'Batch, momentum RK4'
    batch = Batch(bodies, states, substeps=STEPS)
    single = Batch(bodies, states, substeps=1)
    contenders = {
        own: (lambda n: batch.advance(n // STEPS), 4 * STEPS),
        'Batch, one step in a tick': (single.advance, 128),
        'Batch, one step in a call': (lambda n: single.advance(1), 1),
    }
    q, g = np.zeros((4, count)), np.ascontiguousarray((omega * 1e-3).T)
    q[0] = 1.0
    for name, library in limit.compiled().items():
        for groups in limit.GROUPS:
            contenders[f'C++ AVX2, same arithmetic, {name}, {4 * groups} side by side'] = (
                lambda n, library=library, groups=groups: limit.many(
                    library, q, g, n, groups, CORES
                ),
                4 * STEPS,
            )
    times = {k: v / count * 1e9 for k, v in fastest(rounds, contenders, time.perf_counter).items()}
    if rivals.installed('mujoco'):
        omega_B = handle.parameters['initial.angular_velocity']
        rates = [rivals.mujoco_many(body, omega_B, TICK_SECONDS, CORES) for _ in range(3)]
        times[f'MuJoCo RK4, {rivals.MANY_BODIES} in one model, {CORES} processes'] = 1e9 / max(
            rates
        )
    show(f'{count} bodies on {CORES} cores, one step of one of them', 'ns', times, own)
    print(f'  memory of a body: {batch.bytes_per_body:.0f} bytes')


def print_starts():
    """Print time and memory from the start of a process to its first step."""
    print('\nStart of a process to its first step, fastest of 3 [s], and its memory [MB]')
    for name, program in STARTS.items():
        if name == 'ours' or rivals.installed(name):
            found = [started(program) for _ in range(3)]
            print(f'  {name:58} {min(t for t, _ in found):12.2f} {found[-1][1]:9.0f}')


def started(program):
    """Return seconds and megabytes of a program in a separate process."""
    before = time.perf_counter()
    report = "; print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    done = subprocess.run(
        [sys.executable, '-c', program + report], capture_output=True, text=True, check=True
    )
    return time.perf_counter() - before, int(done.stdout.split()[-1]) / 1024.0


if __name__ == '__main__':
    main()
