# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Measure every speed in docs/benchmarks.md, each as a ratio within one run.

    make bench

Rounds are interleaved: trust the ratios, not the absolute numbers. Other simulators are compared
if they are installed: pip install -c constraints.txt '.[rivals]'
"""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--rounds', type=int, default=3, help='interleaved rounds')
    options = parser.parse_args()
    subprocess.run([sys.executable, HERE / 'speed.py'], check=True)
    subprocess.run([sys.executable, HERE / 'mission.py'], check=True)
    subprocess.run([sys.executable, HERE / 'days.py'], check=True)
    subprocess.run([sys.executable, HERE / 'gyrostat.py'], check=True)
    subprocess.run([sys.executable, HERE / 'contact.py'], check=True)
    subprocess.run([sys.executable, HERE / 'formulas.py'], check=True)
    subprocess.run([sys.executable, HERE / 'batch.py'], check=True)
    subprocess.run([sys.executable, HERE / 'fleet.py'], check=True)
    subprocess.run([sys.executable, HERE / 'learning.py'], check=True)
    estimators = [sys.executable, HERE / 'estimators.py', '--rounds', str(options.rounds)]
    subprocess.run(estimators, check=True)
    subprocess.run([sys.executable, HERE / 'start.py'], check=True)
    print_table('One RK4 sub-step of one body', 'ns', compiled_step(options.rounds))
    subprocess.run([sys.executable, HERE / 'node.py', '--rounds', str(options.rounds)], check=True)


def print_table(title, unit, figures):
    """Print each {name: value} and its ratio to the first."""
    first = next(iter(figures.values()))
    print(f'\n{title} [{unit}]')
    for name, value in figures.items():
        print(f'  {name:46} {value:12.4g}   {value / first:8.3g} x')


def compiled_step(rounds):
    """Return ns per RK4 sub-step of the compiled step and of the same in NumPy."""
    from spacecraft_attitude_sim.configuration import scenario
    from spacecraft_attitude_sim.core.body import loads
    from spacecraft_attitude_sim.core.body.state import to_flat
    from spacecraft_attitude_sim.core.equations import momentum

    found = scenario.load(scenario.find('tennis_racket'))
    flat, body = to_flat(found.initial), found.plant.body.flat()

    def compiled(steps):
        momentum.advance(flat, body, loads.FREE, 1e-3 * steps, steps)

    def numpy(steps):
        q = found.initial.q_WB
        for _ in range(steps):
            q = numpy_rk4(q, found.initial.angular_momentum_W, found.plant.body, 1e-3)

    contenders = {'compiled (numba)': (compiled, 200_000), 'the same in NumPy': (numpy, 500)}
    times = {name: [] for name in contenders}
    compiled(1)
    for _ in range(rounds):
        for name, (function, steps) in contenders.items():
            start = time.perf_counter()
            function(steps)
            times[name].append((time.perf_counter() - start) / steps * 1e9)
    return {name: statistics.median(values) for name, values in times.items()}


def numpy_rk4(q, L_W, body, h):
    """Return q one RK4 step later: dq/dt = ½ q ∘ I^-1 (q* ∘ L ∘ q), free motion."""
    from spacecraft_attitude_sim.core.mathematics import rotations

    def slope(q):
        omega_B = rotations.rotate(rotations.conjugate(q), L_W) / body.principal_moments
        return 0.5 * rotations.compose(q, np.concatenate(([0.0], omega_B)))

    k1 = slope(q)
    k2 = slope(q + h / 2.0 * k1)
    k3 = slope(q + h / 2.0 * k2)
    k4 = slope(q + h * k3)
    q = q + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return q / np.linalg.norm(q)


if __name__ == '__main__':
    main()
