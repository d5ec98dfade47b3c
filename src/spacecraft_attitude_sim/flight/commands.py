# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Commands from Python, held, limited and checked as the simulator node does with its topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import suggestion
from spacecraft_attitude_sim.core.actuators.inputs import COMMANDED, MODES, VECTOR
from spacecraft_attitude_sim.core.simulation.commands import CommandRefusedError
from spacecraft_attitude_sim.flight.inboxes import Inboxes

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion
    from spacecraft_attitude_sim.core.simulation import Inputs, joint_commands

# {argument: (kind of actuator, field of a joint command)}
JOINTS = {
    part: (COMMANDED[kind].word, mode.field)
    for part, (kind, mode) in MODES.items()
    if COMMANDED[kind].message != VECTOR
}
VECTORS = ('torque', 'force', 'angular_impulse', 'impulse', 'dipole')
NAMES = (*VECTORS, *JOINTS, 'frame')
KNOWN, WRENCHES = frozenset(NAMES), frozenset(VECTORS) - {'dipole'}
NOTHING = np.zeros(3)
NOTHING.flags.writeable = False


class Commands:
    """Keeps what is commanded of a spacecraft until the next command, or until it times out."""

    def __init__(self, scenario: Scenario) -> None:
        values = scenario.parameters
        self._frame, self._world = values['frames.body'], values['frames.world']
        self.held = Inboxes(scenario)

    def give(self, **asked: Any) -> None:
        """Hold commands from the next tick on.

        asked: as of Simulation.step
        Raises ValueError naming what is wrong; CommandRefusedError for one that cannot be obeyed.
        """
        given = {name: value for name, value in asked.items() if value is not None}
        for name in given:
            if name not in KNOWN:
                hint = suggestion.hint(name, NAMES)
                raise ValueError(f'{name} is no command; {hint}')
        if not WRENCHES.isdisjoint(given):
            self._give_wrenches(given)
        if 'dipole' in given:
            rods: Any = self._of('dipole', 'magnetorquer')
            rods.share(_vector('dipole', given))
        for name, (kind, field) in JOINTS.items():
            if name in given:
                own = self._of(name, kind)
                names, values = _by_name(name, given[name], own.kind.names, kind)
                own.command(names, **{'effort': (), field: values})

    def _give_wrenches(self, given: Mapping[str, Any]) -> None:
        """Hold a wrench, strike an impulse, or both."""
        frame, wrenches = self._named(given.get('frame', 'body')), self.held.wrenches
        for act, linear, angular in (
            (wrenches.hold, 'force', 'torque'),
            (wrenches.strike, 'impulse', 'angular_impulse'),
        ):
            if linear in given or angular in given:
                act(frame, _vector(linear, given), _vector(angular, given))

    def take(self, q_WB: Quaternion) -> Inputs:
        """Return the Inputs of the tick that begins at attitude q_WB (4,), and count it."""
        inputs = self.held.take(q_WB)
        self.held.begin_tick()
        return inputs

    @property
    def times_cut(self) -> int:
        """How many commands of torque a limit has cut; those of dipoles do not count."""
        count = self.held.wrenches.saturated
        for kind, own in self.held.actuators.items():
            if kind != 'magnetorquer':
                count += own.saturated
        return count

    def _named(self, frame: str) -> str:
        return {'body': self._frame, 'world': self._world}.get(frame, frame)

    def _of(self, name: str, kind: str) -> joint_commands.JointCommands:
        if kind not in self.held.actuators:
            has = ', '.join(f'{one}s' for one in self.held.actuators) or 'no actuators'
            raise CommandRefusedError(f'{name}: the spacecraft has no {kind}s; it has {has}')
        return self.held.actuators[kind]


def _vector(name: str, given: Mapping[str, Any]) -> Any:
    """Return three numbers; zeros where none are given."""
    value = np.asarray(given.get(name, NOTHING), dtype=float)
    if value.shape != (3,):
        raise ValueError(f'{name} has shape {value.shape}; give three numbers, x, y, z')
    return value


def _by_name(
    name: str, value: Any, names: tuple[str, ...], kind: str
) -> tuple[tuple[str, ...], list[float]]:
    """Return names and values of a command: one for each in order, or a mapping of some."""
    if isinstance(value, Mapping):
        return tuple(value), list(map(float, value.values()))
    values = np.atleast_1d(np.asarray(value, dtype=float))
    if values.shape != (len(names),):
        raise ValueError(
            f'{name} has shape {values.shape}; there are {len(names)} {kind}s, '
            f'{", ".join(names)}: give a number for each, or a dict of some'
        )
    return names, values.tolist()
