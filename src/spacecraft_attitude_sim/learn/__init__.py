# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Environments of Gymnasium on a batch of spacecraft: docs/learning.md.

    import gymnasium
    import spacecraft_attitude_sim.learn

    env = gymnasium.make('spacecraft_attitude_sim/detumble-v0')
    many = gymnasium.make_vec('spacecraft_attitude_sim/detumble-v0', num_envs=1024)

It needs the extra 'learn'. Nothing else in this package imports Gymnasium.
"""

from __future__ import annotations

from spacecraft_attitude_sim.learn.episodes import Episodes
from spacecraft_attitude_sim.learn.tasks import TASKS, Moment, Task

try:
    from gymnasium.envs.registration import register, registry
except ModuleNotFoundError as error:
    if (error.name or '').split('.')[0] != 'gymnasium':
        raise
    raise ImportError(
        "spacecraft_attitude_sim.learn needs the extra 'learn': in the folder of the source, "
        "pip install -c constraints.txt '.[learn]'"
    ) from None

from spacecraft_attitude_sim.learn.env import SpacecraftEnv
from spacecraft_attitude_sim.learn.vector_env import SpacecraftVectorEnv

__all__ = ['TASKS', 'Episodes', 'Moment', 'SpacecraftEnv', 'SpacecraftVectorEnv', 'Task']

for _name in TASKS:
    _id = f'spacecraft_attitude_sim/{_name}-v0'
    if _id not in registry:
        register(
            _id,
            entry_point=f'{SpacecraftEnv.__module__}:SpacecraftEnv',
            vector_entry_point=f'{SpacecraftVectorEnv.__module__}:SpacecraftVectorEnv',
            kwargs={'task': _name},
        )
