# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Train a linear policy that points a CubeSat by four wheels, in some minutes. Copy this file.

By augmented random search: H. Mania, A. Guy, B. Recht, NeurIPS 2018. It needs NumPy and the
extra 'learn', and writes the weights as text.
"""

import sys
from dataclasses import replace

import numpy as np

from spacecraft_attitude_sim.learn import TASKS, SpacecraftVectorEnv

TASK = replace(TASKS['point'], duration=30.0)
DIRECTIONS, EACH = 16, 4  # each policy flies so many episodes, all policies the same ones
ROUNDS, BEST, NOISE, STEP = 100, 8, 0.3, 0.4


def act(weights, observations):
    """Return actions of a linear policy, added in one order: the same bits for one and for many.

    weights: (…, a, d + 1), the last of each row alone;  observations: (…, d)
    """
    actions = weights[..., -1]
    for k in range(observations.shape[-1]):
        actions = actions + weights[..., k] * observations[..., k, np.newaxis].astype(float)
    return np.clip(actions, -1.0, 1.0)


def returns(envs, weights, seed):
    """Return the sum of rewards (N,) of an episode of each environment, of its own weights."""
    seeds = [seed + n % EACH for n in range(envs.num_envs)]
    observations, _ = envs.reset(seed=seeds)
    total, flying = np.zeros(envs.num_envs), np.ones(envs.num_envs, dtype=bool)
    while flying.any():
        observations, rewards, terminated, truncated, _ = envs.step(act(weights, observations))
        total += np.where(flying, rewards, 0.0)
        flying &= ~(terminated | truncated)
    return total


def main(path):
    """Train, say how it goes, and write the weights."""
    envs = SpacecraftVectorEnv(TASK, 2 * DIRECTIONS * EACH)
    size = envs.single_action_space.shape[0], envs.single_observation_space.shape[0] + 1
    rng, weights = np.random.default_rng(1), np.zeros(size)
    for k in range(ROUNDS):
        smaller = 1.0 - 0.9 * k / ROUNDS
        tried = rng.normal(size=(DIRECTIONS, *size))
        both = weights + NOISE * smaller * np.concatenate((tried, -tried))
        total = returns(envs, np.repeat(both, EACH, axis=0), seed=EACH * k)
        plus, minus = total.reshape(2, DIRECTIONS, EACH).mean(axis=2)
        best = np.argsort(np.maximum(plus, minus))[-BEST:]
        spread = np.concatenate((plus[best], minus[best])).std() + 1e-9
        rise = np.einsum('k,kij->ij', plus[best] - minus[best], tried[best])
        weights += STEP * smaller / (BEST * spread) * rise
        print(f'round {k}: mean return {total.mean():.1f}', flush=True)
        np.savetxt(path, weights, fmt='%.17g')


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else 'pointing_policy.txt')
