# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One environment of a task as a gymnasium.Env."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np

from spacecraft_attitude_sim.learn.episodes import Episodes
from spacecraft_attitude_sim.learn.vector_env import spaces_of

if TYPE_CHECKING:
    from spacecraft_attitude_sim.learn.tasks import Task

FIRST = np.zeros(1, dtype=np.int64)


class SpacecraftEnv(gymnasium.Env[Any, Any]):
    """One spacecraft that flies a task.

        env = SpacecraftEnv('detumble')
        observation, _ = env.reset(seed=1)
        observation, reward, terminated, truncated, _ = env.step(action)  # (3,) from -1 to 1

    It has the bits of an environment of SpacecraftVectorEnv with the same seed.

    task: 'detumble', 'point', 'unload', 'slew_with_a_stuck_wheel', or a Task
    scenario: in place of that of the task;  parameters: {name: value} to change of it
    every: ticks of the scenario in a step
    Raises ValueError for a task that the spacecraft cannot fly, ScenarioError for a parameter.
    """

    metadata: ClassVar[dict[str, Any]] = {'render_modes': []}

    def __init__(
        self,
        task: str | Task = 'detumble',
        *,
        scenario: Any = None,
        parameters: Mapping[str, Any] | None = None,
        every: int = 1,
        render_mode: None = None,
    ) -> None:
        if render_mode is not None:
            raise ValueError(f'render_mode is {render_mode!r}; nothing is drawn, leave it out')
        self.episodes = Episodes(
            task, scenarios=scenario, parameters=parameters, every=every, threads=1
        )
        self.observation_space, self.action_space = spaces_of(self.episodes)
        self._begun, self._closed = False, False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode, and return its observation (d,) and no info.

        seed: of its random numbers; None goes on with those that there are
        """
        super().reset(seed=seed)
        self._check_open()
        self.episodes.begin(FIRST, [self.np_random])
        self._begun = True
        return self.episodes.observations()[0], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take a step under an action (a,) from -1 to 1.

        Return observation (d,), reward, terminated, truncated, and no info.
        Raises ValueError for an action of another shape or not finite, and before reset.
        """
        self._check_open()
        if not self._begun:
            raise ValueError('call reset() before the first step')
        given = np.asarray(action)
        if given.shape != self.action_space.shape:
            raise ValueError(f'action has shape {given.shape}; give {self.action_space.shape}')
        step = self.episodes.step(given[np.newaxis])
        return (
            step.observations[0],
            float(step.rewards[0]),
            bool(step.terminated[0]),
            bool(step.truncated[0]),
            {},
        )

    def close(self) -> None:
        """Let the spacecraft go; a second time it does nothing."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError('the environment is closed; make another')
