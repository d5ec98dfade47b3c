# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Train a linear policy that points a CubeSat by four wheels, in a minute. Copy this file.

By CMA-ES: N. Hansen, The CMA evolution strategy: a tutorial, 2016, arXiv:1604.00772. It needs the
extra 'train', and writes the weights as text.
"""

import sys
from dataclasses import replace

import cma
import numpy as np

from spacecraft_attitude_sim.learn import TASKS, SpacecraftVectorEnv

TASK = replace(TASKS['point'], duration=30.0)
POLICIES, EACH = 32, 8  # of a round; each policy flies so many episodes, all policies the same
ROUNDS, NOISE = 250, 0.3


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
    envs = SpacecraftVectorEnv(TASK, POLICIES * EACH)
    size = envs.single_action_space.shape[0], envs.single_observation_space.shape[0] + 1
    options = {'popsize': POLICIES, 'seed': 1, 'verbose': -9}
    strategy = cma.CMAEvolutionStrategy(np.zeros(size).ravel(), NOISE, options)
    for k in range(ROUNDS):
        tried = strategy.ask()
        weights = np.reshape(tried, (POLICIES, *size))
        mean = returns(envs, np.repeat(weights, EACH, axis=0), seed=EACH * k)
        mean = mean.reshape(POLICIES, EACH).mean(axis=1)
        strategy.tell(tried, -mean)
        print(f'round {k}: mean return {mean.mean():.1f}', flush=True)
        np.savetxt(path, strategy.mean.reshape(size), fmt='%.17g')


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else 'pointing_policy.txt')
