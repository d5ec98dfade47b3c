# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Thrusters: on-off valves with exact on-times, or proportional force.

A pulsed thruster has periods. In each it is open for (commanded force / largest force) × period,
exact to the last digit for any tick. Less than the shortest on-time is carried over, or lost, or
a Schmitt trigger gives the shortest or none, as in Basilisk's thrFiringSchmitt.
Thrust rises and falls exponentially; a pulse of t seconds has the impulse F t if both time
constants are the same. core.equations.multibody computes it. Neglected: the mass that leaves.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics.channel import Channel, Shown
from spacecraft_attitude_sim.core.mathematics.checks import check_sizes, unit_axis
from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.parts.part import Commanded, Part, Setting, Start
from spacecraft_attitude_sim.core.parts.thrusters.kernel import THRUSTER, THRUSTER_STATE
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.actuators.actuator import Drive
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, VectorLike

# Standard gravity [m/s^2], with which a specific impulse is given in seconds.
STANDARD_GRAVITY = 9.80665


@dataclass(frozen=True)
class Thruster:
    """One thruster.

    position_B: (3,) from the centre of mass [m];  direction_B: (3,) unit vector of its force on
        the body
    max_force: [N];  period: of pulses [s], 0 for a proportional thruster
    min_on_time: [s];  carry: whether shorter on-times are carried over to the next period
    level_on, level_off: of a Schmitt trigger, parts of min_on_time; level_on 0 for none
    rise_time, fall_time: time constants of its thrust [s]
    open_delay, close_delay: from a command to the valve [s]
    specific_impulse: [s], 0: propellant is not counted
    scatter: standard deviation of thrust from pulse to pulse, relative to it
    Raises ValueError naming the field, its value and the remedy.
    """

    position_B: VectorLike
    direction_B: VectorLike
    max_force: float
    period: float = 0.0
    min_on_time: float = 0.0
    carry: bool = True
    level_on: float = 0.0
    level_off: float = 0.0
    rise_time: float = 0.0
    fall_time: float = 0.0
    open_delay: float = 0.0
    close_delay: float = 0.0
    specific_impulse: float = 0.0
    scatter: float = 0.0
    force_B: Vector3 = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check all fields."""
        direction = unit_axis('direction', self.direction_B)
        more = {'specific_impulse': 's', 'scatter': '', 'level_on': '', 'level_off': ''}
        others = ('period', 'min_on_time', 'rise_time', 'fall_time', 'open_delay', 'close_delay')
        check_sizes(
            self, {'max_force': 'N'},
            dict.fromkeys(others, 's') | more,
        )  # fmt: skip
        self._check_trigger()
        if self.period:
            if not self.min_on_time < self.period:
                raise ValueError(
                    f'min_on_time is {self.min_on_time:g} s, period {self.period:g} s; '
                    'give a longer period'
                )
            if not self.open_delay - self.close_delay <= self.min_on_time:
                raise ValueError(
                    f'open_delay is {self.open_delay:g} s, more than close_delay, '
                    f'{self.close_delay:g} s, and min_on_time, {self.min_on_time:g} s: the '
                    'shortest pulse would not open the valve'
                )
        object.__setattr__(self, 'force_B', self.max_force * direction)

    def _check_trigger(self) -> None:
        """Raise ValueError for levels that are no Schmitt trigger."""
        if not (self.level_on or self.level_off):
            return
        if not self.level_off < self.level_on <= 1.0:
            raise ValueError(
                f'level_on is {self.level_on:g}, level_off {self.level_off:g}; give level_on of '
                'at most 1 and a smaller level_off'
            )
        if not (self.period and self.min_on_time):
            raise ValueError(
                f'level_on is {self.level_on:g}, but a Schmitt trigger needs period and '
                'min_on_time; give both, or level_on 0'
            )

    def row(self, seed: int) -> Array:
        """Return (THRUSTER.size,) for the compiled step; seed: of the random streams."""
        flow = 0.0
        if self.specific_impulse:
            flow = self.max_force / (self.specific_impulse * STANDARD_GRAVITY)
        return THRUSTER.packed(
            force_B=self.force_B, torque_B=np.cross(self.position_B, self.force_B),
            period=self.period, shortest=self.min_on_time, carry=float(self.carry),
            opens=self.level_on * self.min_on_time, shuts=self.level_off * self.min_on_time,
            longer=self.close_delay - self.open_delay, first=self.open_delay, rise=self.rise_time,
            fall=self.fall_time, scatter=self.scatter, flow=flow, seed=seed,
        )  # fmt: skip


@dataclass(frozen=True)
class Thrusters(Part):
    """M thrusters; names: M different names."""

    kind = title = group = 'thrusters'
    PREFIX = 'thruster'
    CHANNELS = (
        Channel('forces', lambda jets, now: jets.forces(now.states('thrusters')), 'force', 'N'),
        Channel('thrust', lambda jets, now: jets.thrust(now.drive), joint='effort', kept=False),
        Channel(
            'mean_forces', None, unit='N', limit='max_forces',
            shown=Shown('thrust', 'mean thrust in each\ntick', 'N', both=False),
        ),
        Channel('sums', None, shown=Shown('impulse', 'impulse of each\nthruster', 'N s')),
        Channel(
            'used', lambda jets, now: jets.used(now.states('thrusters')), 'propellant', 'kg',
            shown=Shown('propellant', 'propellant used by\neach thruster', 'g', 1e3),
        ),
        Channel('pulses', lambda jets, now: jets.pulses(now.states('thrusters'))),
    )  # fmt: skip

    names: tuple[str, ...]
    thrusters: tuple[Thruster, ...]

    @property
    def max_forces(self) -> Array:
        """Largest forces (M,) [N]."""
        return np.array([one.max_force for one in self.thrusters])

    @property
    def command_scale(self) -> Array:
        """What their commands are divided by: their largest forces (M,) [N]."""
        return self.max_forces

    def add_torque_B(self, total_B: Vector3, now: Commanded) -> Vector3:
        """Return a torque with that of the commanded mean forces within limits added; see Part.

        Not of the thrust now, because pulses may be over before the tick ends.
        """
        if not now.inputs.thrust.size:
            return total_B
        arms = [np.cross(one.position_B, one.force_B) for one in self.thrusters]
        used = np.clip(now.inputs.thrust / self.max_forces, 0.0, 1.0)
        more_B: Vector3 = total_B + product(used, np.array(arms))
        return more_B

    def initial(self, start: Start) -> Array:  # noqa: ARG002
        """Return their internal states before the first period."""
        rows = np.zeros((len(self.names), THRUSTER_STATE.size))
        rows[:, THRUSTER_STATE.at('next')] = [one.open_delay for one in self.thrusters]
        rows[:, THRUSTER_STATE.at('scale')] = 1.0
        return rows.ravel()

    def forces(self, internal: Array) -> Array:
        """Return the forces (M,) now [N]; internal: their states."""
        return self.max_forces * self._column(internal, 'level')

    def used(self, internal: Array) -> Array:
        """Return the propellant (M,) that they have used [kg]; internal: their states."""
        return self._column(internal, 'used')

    def pulses(self, internal: Array) -> Array:
        """Return the number of pulses (M,) so far; internal: their states."""
        return self._column(internal, 'pulses')

    def thrust(self, drive: Drive) -> Array:
        """Return the mean forces (M,) through the tick of a Drive [N]; 0 before the first tick."""
        return drive.thrust if drive.thrust.size else np.zeros(len(self.names))

    def rows(self, setting: Setting) -> Array:
        """Return (M, THRUSTER.size) for the compiled step."""
        return np.array([one.row(setting.seed) for one in self.thrusters])

    def _column(self, internal: Array, name: str) -> Array:
        return internal.reshape(len(self.names), -1)[:, THRUSTER_STATE.at(name)]
