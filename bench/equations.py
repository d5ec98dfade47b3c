# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Print the tables of docs/equations.md: error and time of every method, in steps of 1/32 s.

`python bench/equations.py [rounds]`. The cases are the free T-handle, the T-handle under a
constant torque, and the free symmetric top. Then it compares the speed with Basilisk's if that is
installed (basilisk.py). Times are medians of interleaved rounds of compiled loops; trust only the
ratios.
"""

import sys
import time
from typing import NamedTuple

import basilisk
import numpy as np

from spacecraft_attitude_sim.core import equations
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.equations.shared import free_motion
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS, ticks_covering

TIMED_STEPS = 2000
# Sub-steps of a tick: one, or the number that the method chooses (0).
SUBSTEPS = (1, 0)


class Case(NamedTuple):
    """A case: body, flat state (13,), wrench (12,), and the true attitudes (steps + 1, 4)."""

    body: RigidBody
    state: np.ndarray
    wrench: np.ndarray
    truth: np.ndarray


def free_case(moments, omega_B, seconds):
    """Return a torque-free Case with the exact solution as truth."""
    body = RigidBody(0.3412969, np.diag(moments))
    state = to_flat(body.state(np.zeros(3), rotations.IDENTITY, np.zeros(3), omega_B))
    times = np.arange(ticks_covering(seconds) + 1) * TICK_SECONDS
    truth = free_motion.evaluate_many(free_motion.prepare(state, body.flat()), times)
    return Case(body, state, np.zeros(12), truth)


def torqued(case, torque_B, torque_W, seconds):
    """Return a Case under a constant torque; truth: 64 fourth-order kicks per tick."""
    wrench = np.concatenate((np.zeros(3), torque_B, np.zeros(3), torque_W))
    truth = run('exact_kick4', case._replace(wrench=wrench), 64, ticks_covering(seconds))
    return case._replace(wrench=wrench, truth=truth[:, 3:7])


def run(name, case, substeps, steps):
    """Return the states (steps + 1, 13) by one method; None if it fails or overflows."""
    try:
        states = equations.load(name).trajectory(
            case.state, case.body.flat(), case.wrench, TICK_SECONDS, substeps, steps
        )
    except ArithmeticError:
        return None
    # Their squares are summed.
    return states if np.all(np.abs(states) < 1e100) else None


def errors(case, states):
    """Return the largest attitude error to 10 s and to the end, and the drifts of L and energy."""
    angles = np.array([
        rotations.angle_between(state[3:7], q)
        for state, q in zip(states, case.truth, strict=True)
    ])  # fmt: skip
    L_W = states[:, 10:13]
    L_B = np.array([rotations.rotate(rotations.conjugate(s[3:7]), s[10:13]) for s in states])
    energy = np.sum(L_B**2 / case.body.principal_moments, axis=1)
    return (
        np.max(angles[: ticks_covering(10.0) + 1]), np.max(angles),
        np.max(np.linalg.norm(L_W - L_W[0], axis=1)) / np.linalg.norm(L_W[0]),
        np.max(np.abs(energy / energy[0] - 1.0)),
    )  # fmt: skip


def step_ns(name, case, substeps):
    """Return the time of one step [ns], from a compiled loop."""
    start = time.perf_counter()
    run(name, case, substeps, TIMED_STEPS)
    return (time.perf_counter() - start) / TIMED_STEPS * 1e9


def evaluation_ns(case):
    """Return the time of one evaluation of the exact attitude [ns]."""
    constants = free_motion.prepare(case.state, case.body.flat())
    times = np.arange(100 * TIMED_STEPS) * TICK_SECONDS
    start = time.perf_counter()
    free_motion.evaluate_many(constants, times)
    return (time.perf_counter() - start) / times.size * 1e9


def print_case(title, case, rounds):
    """Print one table."""
    print(f'\n{title}: method, substeps | err 10 s | err end | L drift | energy drift | ns/step')
    rows = [(name, substeps) for name in equations.REGISTRY for substeps in SUBSTEPS]
    found = {row: run(row[0], case, row[1], len(case.truth) - 1) for row in rows}
    timed = [row for row in rows if found[row] is not None]
    samples = [
        [evaluation_ns(case)] + [step_ns(name, case, substeps) for name, substeps in timed]
        for _ in range(rounds + 1)
    ][1:]
    medians = np.median(samples, axis=0)
    print(f'exact attitude, evaluated | {medians[0]:.0f} ns')
    times = dict(zip(timed, medians[1:], strict=True))
    for row, states in found.items():
        if states is None:
            print(f'{row[0]}, {row[1]} | gimbal lock or overflow')
        else:
            values = ' | '.join(f'{value:.1e}' for value in errors(case, states))
            print(f'{row[0]}, {row[1]} | {values} | {times[row]:.0f}')


def main():
    """Print the tables."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    handle = free_case((62.2e-6, 171.5e-6, 210.5e-6), (0.01, 8.0, 0.01), 1000.0)
    pushed = torqued(handle, (2e-6, -1e-6, 3e-6), (1e-6, 2e-6, -1e-6), 10.0)
    print_case('T-handle', handle, rounds)
    print_case('T-handle under torque', pushed, rounds)
    print_case('Top', free_case((1.0, 1.0, 2.0), (1.0, 0.0, 1.0), 1000.0), rounds)
    basilisk.print_speed(rounds)


if __name__ == '__main__':
    main()
