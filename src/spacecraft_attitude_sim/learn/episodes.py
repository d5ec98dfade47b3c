# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Episodes of a task on a batch of spacecraft, without Gymnasium.

An episode begins at random, from the random numbers of its own environment, and is a flight from
time 0 on: `Episodes.scenario_of` is its scenario.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.api import scenarios as front
from spacecraft_attitude_sim.api.waiting import Waiting
from spacecraft_attitude_sim.campaigns import distributions
from spacecraft_attitude_sim.configuration import recorded_scenario
from spacecraft_attitude_sim.configuration.scenario import Scenario
from spacecraft_attitude_sim.configuration.scenario_results import initial_state
from spacecraft_attitude_sim.core.batch.joints import EVERY_BODY
from spacecraft_attitude_sim.core.batch.loop import COMMANDS
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.flight import episodes as flights
from spacecraft_attitude_sim.learn.observations import Observer
from spacecraft_attitude_sim.learn.tasks import LOSS, TOO_FAST, Moment, Task, task_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.mathematics.types import Array

# Parameters of the start that an episode may draw.
DRAWN = ('initial.attitude', 'initial.angular_velocity', 'initial.position', 'initial.velocity')
SEEDS = 2**32
# Largest limit of an actuator that is one; 1e6 means none in a scenario.
NO_LIMIT = 1e6


class Step(NamedTuple):
    """What a step gave N environments.

    observations: (N, d) float32;  rewards: (N,)
    terminated: (N,) whether the end is reached, or the spacecraft lost;  truncated: (N,) whether
    its time is over
    """

    observations: Array
    rewards: Array
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]


class Episodes:
    """N environments of a task, stepped together; each begins again when it is told to.

    task: a Task, or the name of one
    count: number of environments
    scenarios: a Scenario, or one for each; None for that of the task
    parameters: {name: value} to change of the scenario of the task, beside those of the task
    every: ticks in a step, in which the commands are held
    threads: number of threads; None for one on each core
    Raises ValueError for a task that the spacecraft cannot fly, ScenarioError for a parameter.
    """

    def __init__(
        self,
        task: str | Task,
        count: int = 1,
        *,
        scenarios: Scenario | Sequence[Scenario] | None = None,
        parameters: Mapping[str, Any] | None = None,
        every: int = 1,
        threads: int | None = None,
    ) -> None:
        if count < 1 or every < 1:
            raise ValueError(f'count is {count}, every {every}; give 1 or more')
        self.task, self.count, self.every = task_of(task), count, every
        with Waiting():
            self.scenarios = _scenarios_of(self.task, count, scenarios, parameters)
            _check_motion(self.scenarios[0])
            self._batch = flights.batch_of(self.scenarios, threads)
            self._rows = flights.command_rows_of(self.scenarios, self._batch)
            self._draws = _draws_of(self.task, self.scenarios[0])
            self._observer = Observer(self.task.observes, self.scenarios, self._batch)
        self._middle, self._half = self._scaled()
        self._pushes = bool({'torque', 'force'} & {*self.task.commands})
        self._ticks = self._batch.ticks.covering(self.task.duration)
        self._starts: list[dict[str, Any] | None] = [None] * count

    @property
    def channels(self) -> list[Any]:
        """The Channels of an observation: name, unit, scale and limit of each number."""
        return self._observer.channels

    @property
    def limits(self) -> Array:
        """The largest sizes (d,) of the numbers of an observation."""
        return self._observer.limits

    @property
    def actions(self) -> list[tuple[str, float, float]]:
        """(name, least, largest) of each number of an action, in the unit of the command.

        Of the first environment: -1 commands the least, 1 the largest.
        """
        names = [
            f'{name}[{k}]' for name in self.task.commands for k in range(self._rows.width(name))
        ]
        lows, highs = self._middle[0] - self._half[0], self._middle[0] + self._half[0]
        return list(zip(names, lows.tolist(), highs.tolist(), strict=True))

    def start_of(self, number: int) -> dict[str, Any]:
        """Return {parameter: value} with which the present episode of an environment began.

        Raises ValueError before the first.
        """
        start = self._starts[number]
        if start is None:
            raise ValueError(f'environment {number} has not begun; call reset() first')
        return dict(start)

    def scenario_of(self, number: int) -> Scenario:
        """Return the Scenario of the present episode of an environment; ValueError without one."""
        return front.load(self.scenarios[number], parameters=self.start_of(number))

    def write_scenario(self, number: int, path: str | Path) -> None:
        """Write the Scenario of the present episode of an environment, for `attitude-sim run`.

        path: of the file, which must not exist
        Raises ValueError before the first episode, FileExistsError.
        """
        text = recorded_scenario.dump(self.scenario_of(number))
        with Path(path).open('x', encoding='utf-8') as file:
            file.write(text)

    def begin(self, which: NDArray[np.int64], generators: Sequence[np.random.Generator]) -> None:
        """Let some environments begin; which: (M,) rising;  generators: of each of the M."""
        if not len(which):
            return
        size = sum(draw.deviates for _, draw in self._draws)
        u = np.array([generator.random(size) for generator in generators])
        seeds = np.array([int(generator.integers(SEEDS)) for generator in generators])
        drawn, column = [], 0
        for name, draw in self._draws:
            values = draw.values(u[:, column : column + draw.deviates])
            drawn.append((name, values.tolist()))
            column += draw.deviates
        states = []
        for k, n in enumerate(which.tolist()):
            start = {name: values[k] for name, values in drawn}
            scenario = self.scenarios[n]
            states.append(initial_state(scenario.parameters | start, scenario.plant))
            self._starts[n] = start | {'seed': int(seeds[k])}
        self._batch.begin_again(which, *flights.flat_states(states), seeds)

    def observations(self, which: Any = EVERY_BODY) -> Array:
        """Return (M, d) float32 of what the sensors read last, divided by the scales.

        which: numbers (M,) of some environments; all by default
        """
        return self._observer.observations(which)

    def step(self, actions: Any) -> Step:
        """Take a step under actions (N, a) from -1 to 1; what is beyond is brought to it.

        Raises ValueError for another shape, and for numbers that are not finite.
        """
        given = self._checked(actions)
        values = self._middle + given * self._half
        commands, column = {}, 0
        for name in self.task.commands:
            width = self._rows.width(name)
            commands[name] = values[:, np.newaxis, column : column + width]
            column += width
        rows = self._rows.rows(commands, 1)[:, 0]
        self._batch.obey(rows[:, :COMMANDS] if self._pushes else None, rows[:, COMMANDS:])
        self._batch.advance(self.every)
        return self._step(given)

    def _step(self, actions: Array) -> Step:
        """Return the Step that has been taken."""
        batch, task = self._batch, self.task
        rates_B = batch.rates_B
        moment = Moment(
            rates_B,
            batch.truths[:, kinematics.ATTITUDE : kinematics.ATTITUDE + 4],
            batch.stored_B,
            actions,
        )
        lost = ~(moment.rate < TOO_FAST)
        left = (self._ticks - batch.ages) / self.every + 1.0
        rewards = np.where(lost, -LOSS * left, task.reward(moment))
        terminated = lost | task.reached(moment) if task.reached else lost
        truncated = (batch.ages >= self._ticks) & ~terminated
        return Step(self.observations(), rewards, terminated, truncated)

    def _checked(self, actions: Any) -> Array:
        """Return actions (N, a) from -1 to 1."""
        try:
            given = np.asarray(actions, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(f'actions are {actions!r}; give numbers') from None
        if given.shape != self._half.shape:
            raise ValueError(f'actions have shape {given.shape}; give {self._half.shape}')
        if not np.isfinite(given).all():
            n, k = (int(index) for index in np.argwhere(~np.isfinite(given))[0])
            raise ValueError(
                f'action {k} of environment {n} is {given[n, k]}; give finite numbers'
            )
        return np.clip(given, -1.0, 1.0)

    def _scaled(self) -> tuple[Array, Array]:
        """Return (N, a) the commands of actions 0, and what an action of 1 adds to them."""
        lows, highs = [], []
        for name in self.task.commands:
            low, high = self._rows.limits(name)
            if not (np.isfinite(low).all() and np.isfinite(high).all()) or high.max() >= NO_LIMIT:
                raise ValueError(
                    f'the task commands {name}, which has no limit to scale an action by; give '
                    'the scenario one: command_torque_limit, or the max_torque … of the actuator'
                )
            lows.append(low)
            highs.append(high)
        low, high = np.hstack(lows), np.hstack(highs)
        return 0.5 * (low + high), 0.5 * (high - low)


def _scenarios_of(
    task: Task, count: int, given: Any, parameters: Mapping[str, Any] | None
) -> list[Scenario]:
    """Return the Scenario of each environment."""
    if isinstance(given, Sequence):
        if len(given) != count or parameters:
            raise ValueError(
                f'scenarios are {len(given)}, environments {count}; give as many, and no '
                'parameters'
            )
        return list(given)
    base = given if given is not None else task.scenario
    changes = {**({} if given is not None else task.parameters), **(parameters or {})}
    return [front.load(base, parameters=changes)] * count


def _check_motion(scenario: Scenario) -> None:
    """Raise ValueError for spacecraft of which each cannot begin again by itself."""
    plant = scenario.plant
    if plant.contact:
        raise ValueError('bodies on a floor do not begin again; give a scenario without a floor')
    if plant.solver.in_batch == 'gyrostats' and plant.environment.turning:
        raise ValueError(
            'ideal wheels in a circular orbit do not begin again by themselves; give the wheels '
            'a max_speed'
        )


def _draws_of(task: Task, scenario: Scenario) -> list[tuple[str, distributions.Distribution]]:
    """Return (parameter, Distribution) of what is drawn at the start of an episode."""
    found = []
    for name, given in task.start.items():
        is_speed = name.startswith('wheel.') and name.endswith('.initial_speed')
        if (name not in DRAWN and not is_speed) or name not in scenario.parameters:
            raise ValueError(
                f'start: {name} is not drawn in an episode; give {", ".join(DRAWN)} or '
                'wheel.NAME.initial_speed; for others give scenarios that differ'
            )
        draw = distributions.parse(f'start.{name}', given)
        value = scenario.parameters[name]
        if draw.length != (len(value) if isinstance(value, list) else None):
            raise ValueError(f'start: {name} is {value}; {draw.kind} draws {draw.length or 1}')
        found.append((name, draw))
    return found
