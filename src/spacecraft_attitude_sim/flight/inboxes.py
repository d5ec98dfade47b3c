# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""All that is commanded of one spacecraft and held, whether topics say it or Python."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.core.simulation import Inputs, joint_commands, limits
from spacecraft_attitude_sim.core.simulation.commands import CommandInbox

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion
    from spacecraft_attitude_sim.core.simulation import Plant


class Inboxes:
    """The inbox of wrenches and impulses, and one for each kind of actuator of a Scenario.

    exclusive: kinds of which an actuator takes the commands of one source only in a tick

    wrenches: CommandInbox;  actuators: {kind: JointCommands};  frames: {frame id: BodyFrame}
    """

    def __init__(self, scenario: Scenario, exclusive: Collection[str] = ()) -> None:
        values, plant = scenario.parameters, scenario.plant
        body, self._timeout = values['frames.body'], values['command_timeout']
        # Who commands need not know before whose namespace the body's frame stands.
        own = dict.fromkeys((body, body.rpartition('/')[2]), scenario.base_frame)
        self.frames = {**own, **scenario.application_frames}
        self.wrenches = CommandInbox(
            self.frames, values['frames.world'], values['command_force_limit'],
            values['command_torque_limit'], self._timeout, ticks=plant.ticks,
        )  # fmt: skip
        self.actuators = {
            kind: make(own, scenario.inputs, self._timeout, kind in exclusive, ticks=plant.ticks)
            for kind, (make, own) in joint_commands.offered(plant.spacecraft).items()
        }
        self._every: list[Any] = [self.wrenches, *self.actuators.values()]
        self.judge_by(plant)

    def take(self, q_WB: Quaternion) -> Inputs:
        """Return the Inputs of the tick that begins at attitude q_WB (4,), and count it."""
        inputs = self.wrenches.take(q_WB)
        if not self.actuators:
            return inputs
        parts: dict[str, Array] = {}
        for own in self.actuators.values():
            parts |= own.take()
        return Inputs(inputs.wrench, inputs.impulse, **parts)

    def begin_tick(self) -> None:
        """Let any source command any actuator again."""
        for own in self.actuators.values():
            own.begin_tick()

    def kept(self) -> list[Any]:
        """Return what `put_back` needs to undo commands and a `take`."""
        return [own.kept for own in self._every]

    def put_back(self, kept: list[Any]) -> None:
        """Be as when it was `kept`."""
        for own, before in zip(self._every, kept, strict=True):
            own.put_back(before)

    def clear(self) -> None:
        """Forget all commands, as at the start."""
        for own in self._every:
            own.clear()

    def judge_by(self, plant: Plant) -> None:
        """Refuse, from now on, what a Plant could not follow."""
        judge = limits.command_limits(plant, self._timeout)
        for own in self._every:
            own.limits = judge
