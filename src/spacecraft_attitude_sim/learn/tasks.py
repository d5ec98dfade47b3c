# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The tasks: which scenario, what is read, what is commanded, and how it is rewarded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.mathematics.types import Array

# Faster than this a spacecraft is lost [rad/s]. That costs LOSS for each step left of the episode,
# more than any step can cost, so that it never pays.
TOO_FAST, LOSS = 1.0, 12.0
REFERENCE_RATE = 0.1  # rad/s, in rewards
REFERENCE_MOMENTUM = 0.01  # N m s, in rewards
AT_REST = 0.005  # rad/s
SLEWED, SLEWED_RATE = np.radians(1.0), np.radians(0.1)


@dataclass(frozen=True)
class Moment:
    """What is true of N spacecraft at the end of a step, and what was done in it.

    rates_B: (N, 3) angular velocity [rad/s], body axes;  q_WB: (N, 4) attitude
    stored_B: (N, 3) angular momentum of the wheels relative to the body [N m s]
    actions: (N, a), from -1 to 1
    """

    rates_B: Array
    q_WB: Array
    stored_B: Array
    actions: Array

    @cached_property
    def rate(self) -> Array:
        """The size (N,) of the angular velocity [rad/s]."""
        return np.sqrt(np.einsum('nk,nk->n', self.rates_B, self.rates_B))

    @cached_property
    def angle(self) -> Array:
        """The angle (N,) from world axes to body axes [rad], from 0 to π."""
        vector = self.q_WB[:, 1:]
        size = np.sqrt(np.einsum('nk,nk->n', vector, vector))
        angle: Array = 2.0 * np.arctan2(size, np.abs(self.q_WB[:, 0]))
        return angle

    @cached_property
    def momentum(self) -> Array:
        """The size (N,) of the angular momentum of the wheels [N m s]."""
        return np.sqrt(np.einsum('nk,nk->n', self.stored_B, self.stored_B))

    @cached_property
    def effort(self) -> Array:
        """The mean square (N,) of the actions of each spacecraft."""
        return np.einsum('nk,nk->n', self.actions, self.actions) / self.actions.shape[1]


@dataclass(frozen=True)
class Task:
    """One task, flown in episodes that begin at random.

    scenario: name or path of a scenario, or whatever else sas.load takes
    commands: names of what an action commands, one after the other: arguments of Simulation.step
    observes: what an observation has: 'SENSOR.PART' of docs/python.md, 'star_tracker.age',
        'wheel_speed', 'gimbal_angle'
    reward: function of a Moment that returns (N,)
    reached: function of a Moment that returns whether (N,) the end is reached; None for never
    duration: of an episode [s]
    start: {parameter: distribution} of what is drawn at the start, in the words of a campaign
    parameters: {name: value} to change of the scenario
    """

    scenario: Any
    commands: tuple[str, ...]
    observes: tuple[str, ...]
    reward: Callable[[Moment], Array]
    reached: Callable[[Moment], NDArray[np.bool_]] | None = None
    duration: float = 60.0
    start: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)


def slow_down(moment: Moment) -> Array:
    """Return -|ω| / 0.1 rad/s - 0.05 mean(a²)."""
    return -moment.rate / REFERENCE_RATE - 0.05 * moment.effort


def point(moment: Moment) -> Array:
    """Return -θ / 1 rad - 0.1 |ω| / 0.1 rad/s - 0.01 mean(a²)."""
    return -moment.angle - 0.1 * moment.rate / REFERENCE_RATE - 0.01 * moment.effort


def unload(moment: Moment) -> Array:
    """Return -|h| / 0.01 N m s + what `point` returns."""
    return -moment.momentum / REFERENCE_MOMENTUM + point(moment)


def is_at_rest(moment: Moment) -> NDArray[np.bool_]:
    """Return whether |ω| is below 0.005 rad/s."""
    at_rest: NDArray[np.bool_] = moment.rate < AT_REST
    return at_rest


def is_slewed(moment: Moment) -> NDArray[np.bool_]:
    """Return whether θ is below 1 degree, and |ω| below 0.1 degree/s."""
    slewed: NDArray[np.bool_] = (moment.angle < SLEWED) & (moment.rate < SLEWED_RATE)
    return slewed


ANY_ATTITUDE = {'distribution': 'random_attitude'}
POINTING = ('imu.q_WS', 'imu.angular_velocity_S', 'wheel_speed')
PYRAMID = ('w1', 'w2', 'w3', 'w4')
# The wheels of cubesat_pyramid_limits wait for commands, and none pushes by itself.
IDLE = {f'wheel.{name}.torque': 0.0 for name in PYRAMID} | {'tick_rate': 8.0, 'accuracy': 1e-6}


def _speeds(names: tuple[str, ...], most: float) -> dict[str, Any]:
    """Return {parameter: distribution} of the speeds of wheels at the start [rad/s]."""
    each = {'distribution': 'uniform', 'low': -most, 'high': most}
    return {f'wheel.{name}.initial_speed': each for name in names}


TASKS = {
    'detumble': Task(
        scenario='cubesat_detumble',
        commands=('torque',),
        observes=('imu.angular_velocity_S',),
        reward=slow_down,
        reached=is_at_rest,
        duration=60.0,
        start={
            'initial.attitude': ANY_ATTITUDE,
            'initial.angular_velocity': {'distribution': 'in_sphere', 'radius': 0.3},
        },
        parameters={'tick_rate': 8.0},
    ),
    'point': Task(
        scenario='cubesat_pyramid_limits',
        commands=('wheel_torque',),
        observes=POINTING,
        reward=point,
        duration=60.0,
        start={
            'initial.attitude': ANY_ATTITUDE,
            'initial.angular_velocity': {'distribution': 'in_sphere', 'radius': 0.02},
            **_speeds(PYRAMID, 100.0),
        },
        parameters=IDLE,
    ),
    'unload': Task(
        scenario='cubesat_3u_leo',
        commands=('wheel_torque', 'dipole'),
        observes=(*POINTING, 'magnetometer.magnetic_field_S'),
        reward=unload,
        duration=900.0,
        start={
            'initial.angular_velocity': {'distribution': 'in_sphere', 'radius': 0.002},
            **_speeds(('x', 'y', 'z'), 400.0),
        },
        parameters={'accuracy': 1e-6},
    ),
    'slew_with_a_stuck_wheel': Task(
        scenario='cubesat_pyramid_limits',
        commands=('wheel_torque',),
        observes=POINTING,
        reward=point,
        reached=is_slewed,
        duration=90.0,
        start={
            'initial.attitude': ANY_ATTITUDE,
            'initial.angular_velocity': {'distribution': 'in_sphere', 'radius': 1e-4},
        },
        # Friction of more than the motor's torque holds it.
        parameters={
            **IDLE, **{f'wheel.{name}.initial_speed': 0.0 for name in PYRAMID},
            'wheel.w1.friction.coulomb': 0.02,
        },
    ),
}  # fmt: skip


def task_of(task: str | Task) -> Task:
    """Return a Task, also by its name; ValueError for an unknown one."""
    if isinstance(task, Task):
        return task
    if task not in TASKS:
        raise ValueError(f'no task {task!r}; give a Task, or one of {", ".join(TASKS)}')
    return TASKS[task]
