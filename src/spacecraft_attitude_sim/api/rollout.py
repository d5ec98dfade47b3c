# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Many flights under given commands: arrays in, named arrays out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.api import scenarios as front
from spacecraft_attitude_sim.api.waiting import Waiting
from spacecraft_attitude_sim.configuration.scenario import Scenario
from spacecraft_attitude_sim.configuration.scenario_results import initial_state
from spacecraft_attitude_sim.core.batch.command_rows import check_finite
from spacecraft_attitude_sim.core.batch.commands import FRAMES, STRIKES
from spacecraft_attitude_sim.core.batch.episodes import Motion
from spacecraft_attitude_sim.core.body.state import SIZE, STATE, from_flat
from spacecraft_attitude_sim.flight import episodes
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.mathematics.types import Array

# Ticks of which the commands are laid out at once.
AT_ONCE = 256


@dataclass(frozen=True)
class Rollout:
    """What N spacecraft did: a row for each of them, and in it a row for each instant kept.

    time: (K,) simulated [s]
    position, velocity: (N, K, 3) of the centre of mass, world axes [m, m/s]
    attitude: (N, K, 4) quaternion w, x, y, z that turns body axes into world axes
    angular_velocity: (N, K, 3) true one, body axes [rad/s]
    angular_momentum: (N, K, 3) of all that turns, world axes [N m s]
    wheel_speed: (N, K, n) that the tachometers say [rad/s];  gimbal_angle: (N, K, g) [rad]
    sensors: {name: object with the parts of its reading, (N, K, any) each}, what the sensor read
        last; docs/python.md lists the parts
    states: (N, K, 13 + any), all that moves: position, attitude, momentum, angular momentum,
        and states of the parts. `initial=states[:, -1]` of another rollout begins with it
    lost: (N,) whether the motion of a spacecraft could not be computed to the end; then it is nan
    """

    time: Array
    position: Array
    velocity: Array
    attitude: Array
    angular_velocity: Array
    angular_momentum: Array
    wheel_speed: Array
    gimbal_angle: Array
    states: Array
    lost: NDArray[np.bool_]
    sensors: dict[str, SimpleNamespace] = field(repr=False)

    def __repr__(self) -> str:
        count, instants = self.states.shape[:2]
        return f'<Rollout of {count} spacecraft, {instants} instants to {self.time[-1]:g} s>'


def rollout(
    scenario: str | Path | Mapping[str, Any] | Scenario | Sequence[Scenario],
    commands: Mapping[str, Any] | None = None,
    initial: Mapping[str, Any] | Array | None = None,
    *,
    steps: int | None = None,
    seeds: Any = None,
    frame: str = 'body',
    every: int = 1,
    threads: int | None = None,
) -> Rollout:
    """Simulate many spacecraft under given commands side by side; return what they did.

        rng = np.random.default_rng(1)
        torque = 1e-4 * rng.normal(size=(100, 320, 3))  # N m: 100 spacecraft, 320 steps
        out = rollout('cubesat_tumble', {'torque': torque})
        out.angular_velocity[:, -1]  # (100, 3) rad/s
        out.sensors['imu'].angular_velocity_S  # (100, 321, 3) rad/s

    Each has the bits of Simulation.step with the same commands. A step is a tick of the scenario.

    scenario: whatever `load` takes, for all; or N Scenarios, with actuators, environment and
        sensors of their own
    commands: {name: (N, steps, k)}, or (steps, k) for all, of the arguments of Simulation.step:
        torque, force, impulse, angular_impulse, dipole (k = 3); wheel_torque, wheel_speed,
        gimbal_rate, gimbal_torque, thrust (k actuators, in the scenario's order). Limits of the
        actuators apply. What is left out keeps the command of the scenario
    initial: {name: (N, k) or (k,)} of attitude, angular_velocity, position, velocity (as in the
        scenario) and wheel_speed; or flat states (N, 13 + any), as Rollout.states. None for the
        start of the scenario
    steps: number of steps where there are no commands
    seeds: (N,) whole numbers: another seed of the sensors for each; None for the scenario's
    frame: axes of torque, force and impulses, 'body' or 'world'
    every: keep every k-th instant, and the last
    threads: number of threads; None for one on each core
    Raises ValueError for shapes that do not fit, commands that are not finite or that the
    spacecraft do not take, and scenarios that are not simulated side by side.
    """
    with Waiting():
        given = {
            name: np.asarray(values, dtype=float) for name, values in (commands or {}).items()
        }
        loaded = _scenarios_of(scenario, given, initial, seeds)
        whole = _Flights(loaded, initial, seeds, threads)
        if frame not in FRAMES:
            raise ValueError(f"frame is {frame!r}; give 'body' or 'world'")
        if every < 1:
            raise ValueError(f'every is {every}; give 1 or more')
        spread, count = whole.spread(given, steps)
    return whole.flown(spread, count, frame, every)


def _scenarios_of(
    scenario: Any, commands: Mapping[str, Array], initial: Any, seeds: Any
) -> list[Scenario]:
    """Return N Scenarios; N of what has a row for each spacecraft."""
    several = isinstance(scenario, Sequence) and not isinstance(scenario, str)
    counts = {f'commands {name}': len(rows) for name, rows in commands.items() if rows.ndim == 3}
    starts = initial if isinstance(initial, Mapping) else {'states': initial}
    counts |= {
        f'initial {name}': len(rows)
        for name, rows in starts.items()
        if rows is not None and np.ndim(rows) == 2
    }
    if seeds is not None:
        counts['seeds'] = len(seeds)
    if several:
        counts['scenarios'] = len(scenario)
    if len(set(counts.values())) > 1 or 0 in counts.values():
        rows = ', '.join(f'{name} {number}' for name, number in counts.items())
        raise ValueError(f'numbers of spacecraft differ, or are 0: {rows}')
    count = next(iter(counts.values()), 1)
    return list(scenario) if several else [front.load(scenario)] * count


class _Flights:
    """N spacecraft at their start, and what is needed to fly and to keep them."""

    def __init__(self, scenarios: list[Scenario], initial: Any, seeds: Any, threads: Any) -> None:
        self._scenarios, self._count = scenarios, len(scenarios)
        states = self._states(initial)
        self._batch = episodes.batch_of(scenarios, threads, states)
        self._commands = episodes.command_rows_of(scenarios, self._batch)
        if scenarios[0].plant.contact:
            if seeds is not None:
                raise ValueError('seeds of bodies on a floor; give Scenarios with other seeds')
            return
        if initial is not None or seeds is not None:
            flats = episodes.flat_states(states)
            whole = None if seeds is None else _seeds(seeds)
            self._batch.begin_again(np.arange(self._count), *flats, whole)

    def _states(self, initial: Any) -> list[Any]:
        """Return the States at the start."""
        each: list[Any] = [scenario.initial for scenario in self._scenarios]
        if initial is None:
            return each
        if not isinstance(initial, Mapping):
            rows, size = np.asarray(initial, dtype=float), SIZE + len(each[0].internal)
            if rows.shape not in ((size,), (self._count, size)) or not np.isfinite(rows).all():
                raise ValueError(
                    f'initial states of shape {rows.shape}; give ({self._count}, {size}) finite '
                    'numbers, as Rollout.states has them'
                )
            return [from_flat(row.copy()) for row in np.broadcast_to(rows, (self._count, size))]
        given = {name: np.asarray(values, dtype=float) for name, values in initial.items()}
        return [
            initial_state(
                scenario.parameters
                | episodes.parameters_of_start(
                    scenario,
                    {name: row[n] if row.ndim == 2 else row for name, row in given.items()},
                ),
                scenario.plant,
            )
            for n, scenario in enumerate(self._scenarios)
        ]

    def spread(
        self, given: Mapping[str, Array], steps: int | None
    ) -> tuple[dict[str, Array], int]:
        """Return commands {name: (N, T, k)}, and T; ValueError where shapes do not fit."""
        commands: dict[str, Array] = {}
        for name, values in given.items():
            width = 3 if name in STRIKES else self._commands.width(name)
            if values.ndim not in (2, 3) or values.shape[-1] != width:
                raise ValueError(
                    f'{name} has shape {values.shape}; give ({self._count}, steps, {width}), or '
                    f'(steps, {width}) for all'
                )
            check_finite(name, values.reshape(-1, *values.shape[-2:]))
            commands[name] = np.broadcast_to(values, (self._count, *values.shape[-2:]))
        lengths = {name: values.shape[1] for name, values in commands.items()}
        if steps is not None:
            lengths['steps'] = steps
        if len(set(lengths.values())) != 1 or min(lengths.values()) < 1:
            rows = ', '.join(f'{name} {number}' for name, number in lengths.items()) or 'none'
            raise ValueError(f'give one number of steps, 1 or more; there are: {rows}')
        return commands, next(iter(lengths.values()))

    def flown(self, given: dict[str, Array], steps: int, frame: str, every: int) -> Rollout:
        """Fly so many steps under commands {name: (N, T, k)}, and return the Rollout."""
        strikes = {name: given.pop(name) for name in STRIKES if name in given}
        batch, step = self._batch, self._batch.ticks.step
        kept, ticks = [batch.now()], [0]
        with Waiting(0.0, steps * step) as waiting:
            for begin in range(0, steps, AT_ONCE):
                stretch = range(begin, min(begin + AT_ONCE, steps))
                some = {name: values[:, begin : stretch.stop] for name, values in given.items()}
                rows = self._commands.rows(some, len(stretch), frame, begin)
                hits = {name: rows[:, begin : stretch.stop] for name, rows in strikes.items()}
                motion = batch.flown(rows, hits, frame)
                whole = [k for k in stretch if (k + 1) % every == 0 or k + 1 == steps]
                kept.append(Motion(*(part[:, np.array(whole) - begin] for part in motion)))
                ticks += [k + 1 for k in whole]
                waiting.show(stretch.stop * step)
        return self._rollout(kept, ticks)

    def _rollout(self, kept: list[Motion], ticks: list[int]) -> Rollout:
        """Return the Rollout of Motions; ticks: of all their instants."""
        whole = Motion(*(np.concatenate(parts, axis=1) for parts in zip(*kept, strict=True)))
        states, mass = whole.states, np.array([
            scenario.plant.spacecraft.carrier.mass for scenario in self._scenarios
        ])  # fmt: skip
        q = STATE.of
        return Rollout(
            time=np.array([self._batch.ticks.seconds(tick) for tick in ticks]),
            position=states[:, :, q('position_W')],
            velocity=states[:, :, q('momentum_W')] / mass[:, np.newaxis, np.newaxis],
            attitude=states[:, :, q('q_WB')],
            angular_velocity=whole.omegas_B,
            angular_momentum=states[:, :, q('angular_momentum_W')],
            wheel_speed=whole.wheel_speeds,
            gimbal_angle=whole.gimbal_angles,
            states=states,
            lost=self._batch.lost,
            sensors=self._sensors(whole.readings),
        )

    def _sensors(self, readings: Array) -> dict[str, SimpleNamespace]:
        """Return {name: parts} of readings (N, K, any); nan for one without such a sensor."""
        sensors: dict[str, dict[str, Array]] = {}
        for kind in self._batch.sensors.kinds:
            parts = sensors.setdefault(kind.name, {})
            for name in kind.layout.widths:
                values = readings[kind.bodies][:, :, kind.columns][:, :, kind.layout.of(name)]
                shape = (*readings.shape[:2], values.shape[2])
                parts.setdefault(name, np.full(shape, np.nan))[kind.bodies] = values
        return {
            sensor: SimpleNamespace(**{
                name: rows[:, :, 0] if rows.shape[2] == 1 else rows for name, rows in parts.items()
            })
            for sensor, parts in sensors.items()
        }  # fmt: skip


def _seeds(given: Any) -> NDArray[np.int64]:
    """Return seeds (N,); ValueError for others than whole numbers below 2^32."""
    seeds = np.asarray(given)
    if (
        seeds.dtype.kind not in 'iu'
        or seeds.ndim != 1
        or (seeds < 0).any()
        or (seeds >= 2**32).any()
    ):
        raise ValueError('seeds: give a whole number from 0 to 4294967295 for each spacecraft')
    return seeds.astype(np.int64)
