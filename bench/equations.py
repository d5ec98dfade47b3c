# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Print the table of docs/equations.md: error and time of every method on the T-handle.

`python bench/equations.py [rounds]`. Steps of 1/32 s, S1's body and spin, free of torque; errors
against the exact attitude. Times are medians of interleaved rounds; trust ratios, not absolutes.
"""

import sys
import time

import numpy as np

from spacecraft_attitude_sim.core import equations, loads, rotations
from spacecraft_attitude_sim.core.body import RigidBody
from spacecraft_attitude_sim.core.equations import free_motion
from spacecraft_attitude_sim.core.state import to_flat
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

BODY = RigidBody(0.3412969, np.diag((62.2e-6, 171.5e-6, 210.5e-6)))
STATE = to_flat(BODY.state(np.zeros(3), rotations.IDENTITY, np.zeros(3), (0.01, 8.0, 0.01)))
CONSTANTS = free_motion.prepare(STATE, BODY.flat())
LONG, SHORT, TIMED = 32000, 320, 2000


def states(name, substeps, steps):
    """Return the states (steps + 1, 13) by one method, None where it cannot go."""
    module = equations.load(name)
    try:
        return module.trajectory(STATE, BODY.flat(), loads.FREE, TICK_SECONDS, substeps, steps)
    except ArithmeticError:
        return None


def errors(trajectory):
    """Return the largest attitude errors to 10 s and to 1000 s, of L and of energy to 10 s."""
    exact = free_motion.evaluate_many(CONSTANTS, np.arange(LONG + 1) * TICK_SECONDS)
    angles = [
        rotations.angle_between(state[3:7], q)
        for state, q in zip(trajectory[::8], exact[::8], strict=True)
    ]
    short = trajectory[: SHORT + 1]
    L_drift = np.max(np.linalg.norm(short[:, 10:13] - STATE[10:13], axis=1))
    L_B = np.array([rotations.rotate(rotations.conjugate(s[3:7]), s[10:13]) for s in short])
    energy = np.sum(L_B**2 / BODY.principal_moments, axis=1)
    return (
        max(angles[: SHORT // 8 + 1]), max(angles),
        L_drift / np.linalg.norm(STATE[10:13]), np.max(np.abs(energy / energy[0] - 1.0)),
    )  # fmt: skip


def measured_ns(action, count):
    """Return the time of one of `count` steps an action takes [ns]."""
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) / count * 1e9


def timed_actions():
    """Return (label, action, steps in it) of all that is timed."""
    times = np.arange(50 * TIMED) * TICK_SECONDS
    actions = [
        ('exact, evaluated', lambda: free_motion.evaluate_many(CONSTANTS, times), times.size)
    ]
    for name in equations.REGISTRY:
        for substeps in (1, 0):
            if states(name, substeps, 5) is not None:
                actions.append(
                    (f'{name}, {substeps}', lambda n=name, s=substeps: states(n, s, TIMED), TIMED)
                )
    return actions


def main():
    """Print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    actions = timed_actions()
    for _, action, _ in actions:
        action()
    samples = [[measured_ns(action, count) for _, action, count in actions] for _ in range(rounds)]
    medians = np.median(samples, axis=0)
    print('method, substeps | err 10 s | err 1000 s | L drift | energy drift | ns/step')
    for (label, _, _), ns in zip(actions, medians, strict=True):
        row = ''
        if label != 'exact, evaluated':
            name, substeps = label.split(', ')
            trajectory = states(name, int(substeps), LONG)
            row = (
                'gimbal lock'
                if trajectory is None
                else ' | '.join(f'{value:8.1e}' for value in errors(trajectory))
            )
        print(f'{label:26} | {row} | {ns:8.0f}', flush=True)


if __name__ == '__main__':
    main()
