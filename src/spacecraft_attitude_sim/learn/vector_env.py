# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Many environments of a task as a gymnasium.vector.VectorEnv."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from spacecraft_attitude_sim.learn.episodes import Episodes

if TYPE_CHECKING:
    from spacecraft_attitude_sim.learn.tasks import Task


class SpacecraftVectorEnv(VectorEnv[Any, Any, Any]):
    """N spacecraft that fly a task side by side, each in episodes of its own.

        env = SpacecraftVectorEnv('detumble', num_envs=1024)
        observations, _ = env.reset(seed=1)
        observations, rewards, terminated, truncated, _ = env.step(actions)  # (1024, 3), -1 to 1

    Environment k has the bits of SpacecraftEnv with the seed of k: seed + k.

    task: 'detumble', 'point', 'unload', 'slew_with_a_stuck_wheel', or a Task
    num_envs: number of environments
    scenarios: a Scenario, or one for each environment; None for that of the task
    parameters: {name: value} to change of the scenario
    every: ticks of the scenario in a step
    autoreset_mode: of gymnasium. NEXT_STEP: the step after the end of an episode begins the next
        one, and its action does nothing. SAME_STEP: the step that ends it begins the next one;
        infos['final_obs'] has the last observation. DISABLED: call reset with
        options={'reset_mask': mask}
    threads: number of threads; None for one on each core
    Raises ValueError for a task that the spacecraft cannot fly, ScenarioError for a parameter.
    """

    def __init__(
        self,
        task: str | Task = 'detumble',
        num_envs: int = 1,
        *,
        scenarios: Any = None,
        parameters: Mapping[str, Any] | None = None,
        every: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int | None = None,
        render_mode: None = None,
    ) -> None:
        if render_mode is not None:
            raise ValueError(f'render_mode is {render_mode!r}; nothing is drawn, leave it out')
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {'autoreset_mode': self.autoreset_mode, 'render_modes': []}
        self.episodes = Episodes(
            task, num_envs, scenarios=scenarios, parameters=parameters, every=every,
            threads=threads,
        )  # fmt: skip
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = spaces_of(self.episodes)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._generators: list[np.random.Generator | None] = [None] * num_envs
        self._begun = np.zeros(num_envs, dtype=bool)
        self._over = np.zeros(num_envs, dtype=bool)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Let environments begin, and return their observations (N, d) and no infos.

        seed: environment k gets seed + k; or a seed for each. None goes on with the random numbers
            of each, which are not repeatable if there was no seed before
        options: {'reset_mask': (N,) of bool} lets only these begin
        Raises ValueError for a mask or seeds of another shape.
        """
        self._check_open()
        which = np.flatnonzero(self._mask(options))
        seeds = self._seeds(seed)
        for n in which.tolist():
            if seeds[n] is not None or self._generators[n] is None:
                self._generators[n] = seeding.np_random(seeds[n])[0]
        self._begin(which)
        return self.episodes.observations(), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Take a step under actions (N, a) from -1 to 1.

        Return observations (N, d), rewards, terminated, truncated (N,), and infos.
        Raises ValueError for actions of another shape or not finite, and before reset.
        """
        self._check_open()
        if not self._begun.all():
            raise ValueError('call reset() before the first step')
        if self.autoreset_mode is AutoresetMode.DISABLED and self._over.any():
            ended = np.flatnonzero(self._over)[0]
            raise ValueError(
                f'the episode of environment {ended} is over; call reset with '
                "options={'reset_mask': mask}"
            )
        observations, rewards, terminated, truncated = self.episodes.step(actions)
        infos: dict[str, Any] = {}
        if self.autoreset_mode is AutoresetMode.NEXT_STEP and self._over.any():
            begins = np.flatnonzero(self._over)
            self._begin(begins)
            observations[begins] = self.episodes.observations(begins)
            rewards[begins], terminated[begins], truncated[begins] = 0.0, False, False
        self._over = terminated | truncated
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._over.any():
            infos, begins = self._final(observations), np.flatnonzero(self._over)
            self._begin(begins)
            observations[begins] = self.episodes.observations(begins)
        return observations, rewards, terminated, truncated, infos

    def close_extras(self, **kwargs: Any) -> None:
        """Let the spacecraft go."""
        del self.episodes

    def _begin(self, which: Any) -> None:
        """Let environments (M,) begin."""
        generators = [self._generators[n] for n in which.tolist()]
        self.episodes.begin(which, [one for one in generators if one is not None])
        self._begun[which], self._over[which] = True, False

    def _final(self, observations: Any) -> dict[str, Any]:
        """Return the infos of a step that ends episodes and begins others."""
        final = np.full(self.num_envs, None, dtype=object)
        for n in np.flatnonzero(self._over).tolist():
            final[n] = observations[n].copy()
        mask = self._over.copy()
        return {'final_obs': final, '_final_obs': mask, 'final_info': {}, '_final_info': mask}

    def _mask(self, options: dict[str, Any] | None) -> Any:
        mask = (options or {}).get('reset_mask')
        if mask is None:
            return np.ones(self.num_envs, dtype=bool)
        mask = np.asarray(mask)
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ValueError(
                f'reset_mask: give {self.num_envs} of bool, one of them true at least'
            )
        return mask

    def _seeds(self, seed: Any) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [int(seed) + n for n in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f'seeds are {len(seed)}, environments {self.num_envs}; give as many')
        return list(seed)

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError('the environment is closed; make another')


def spaces_of(episodes: Episodes) -> tuple[spaces.Box, spaces.Box]:
    """Return the spaces of an observation and of an action of one environment."""
    limits = episodes.limits.astype(np.float32)
    size = len(episodes.actions)
    return (
        spaces.Box(-limits, limits, dtype=np.float32),
        spaces.Box(-1.0, 1.0, (size,), dtype=np.float32),
    )
