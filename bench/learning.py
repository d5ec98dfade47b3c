# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Print the steps in a second of environments of Gymnasium, and of rollouts.

`python bench/learning.py [rounds]`, or as a part of `make bench`. Rounds are interleaved, and the
fastest counts. It needs the extra `learn`; without it this part is left out.
"""

import os
import sys
import time

import numpy as np
from speed import fastest

import spacecraft_attitude_sim as sas

CORES = len(os.sched_getaffinity(0))
# (task, changes of its scenario, environments)
CASES = (
    ('detumble', {}, 4096),
    ('detumble', {'tick_rate': 32.0}, 4096),
    ('point', {}, 1024),
    ('point', {'tick_rate': 32.0}, 1024),
    ('slew_with_a_stuck_wheel', {}, 1024),
    ('unload', {}, 512),
    ('unload', {}, 4096),
)
STEPS = 10


def main():
    """Print the tables."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    try:
        from spacecraft_attitude_sim.learn import SpacecraftVectorEnv
    except ImportError as error:
        print(error)
        return
    contenders = {
        (task, *changes.values(), count, threads): (
            stepping(SpacecraftVectorEnv(task, count, parameters=changes, threads=threads)),
            STEPS * count,
        )
        for task, changes, count in CASES
        for threads in dict.fromkeys((1, CORES))
    }
    wall = fastest(rounds, contenders, time.perf_counter)
    processor = fastest(1, contenders)
    print('\nSteps in a second, and processor time of a step')
    for name, seconds in wall.items():
        task, *rest, count, threads = name
        label = f'{task}{f", {rest[0]:g} Hz" if rest else ""}, {count}, threads {threads}'
        print(f'  {label:46} {1.0 / seconds:12.3g} /s {processor[name] * 1e6:10.3f} us')
    print_rollouts(rounds)


def stepping(envs):
    """Return a function of steps that takes them under random actions."""
    rng = np.random.default_rng(1)
    shape = envs.action_space.shape
    actions = [rng.uniform(-1.0, 1.0, shape).astype(np.float32) for _ in range(8)]
    envs.reset(seed=1)

    def go(steps):
        for k in range(steps // envs.num_envs):
            envs.step(actions[k % len(actions)])

    return go


def print_rollouts(rounds):
    """Print the processor time of a tick of one craft in rollouts, and stepped by Python."""
    torque = np.zeros((64, 256, 4))
    one = sas.Simulation('cubesat_pyramid_limits', controller=None, every=1 << 30)

    def stepped(steps):
        for _ in range(steps):
            one.step(wheel_torque=torque[0, 0])

    found = fastest(rounds, {
        'one craft with wheels': (
            lambda steps: sas.rollout(
                'cubesat_pyramid_limits', {'wheel_torque': torque[0]}, threads=1
            ), 256,
        ),
        '64 of them': (
            lambda steps: sas.rollout(
                'cubesat_pyramid_limits', {'wheel_torque': torque}, threads=1
            ), 64 * 256,
        ),
        'one, step by step from Python': (stepped, 256),
    })  # fmt: skip
    print('\nA tick of sas.rollout, 256 ticks with sensors')
    for name, seconds in found.items():
        print(f'  {name:46} {seconds * 1e6:10.3f} us')


if __name__ == '__main__':
    main()
