# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Assemble the messages of one spacecraft, live or from a bag, for the viewer."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import numpy as np
import rerun as rr

from spacecraft_attitude_sim.configuration import untrusted_scenario
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.spacecraft import internal_telemetry as of_internal
from spacecraft_attitude_sim.core.spacecraft import telemetry
from spacecraft_attitude_sim.recording import reader, topics
from spacecraft_attitude_sim.viewer.rerun_session import samples_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion
    from spacecraft_attitude_sim.core.simulation import Spacecraft
    from spacecraft_attitude_sim.recording.floor_sheet import Sheet
    from spacecraft_attitude_sim.recording.reader import RecordedInstant
    from spacecraft_attitude_sim.viewer.rerun_session import Craft
    from spacecraft_attitude_sim.viewer.scene import Scene

PARTS = (
    topics.INPUTS, topics.MOMENTUM, topics.ODOMETRY, topics.JOINTS, topics.DIPOLE,
    topics.INTERNAL_PARTS, topics.SLUG_RATES, *topics.CONTACT, topics.REFERENCE,
)  # fmt: skip
LATCHED = (topics.SCENARIO, topics.MODE, topics.FLOOR)
SHOWN = (*LATCHED, *PARTS)
# Most instants that wait for the scenario.
MOST_WAITING = 10_000


class MessageAssembler:
    """Assembles messages; `flush` passes the complete instants to a Craft."""

    def __init__(self, craft: Craft) -> None:
        self._craft = craft
        self._assembler = reader.Assembler(PARTS, self._begin, _check, live=True)
        self._spacecraft: Spacecraft | None = None
        self._needed = {topics.ODOMETRY}
        self._said = {''}
        self._mode = ''
        self._sheet: Sheet | None = None
        self._touching = False
        self._reference_WR: Quaternion | None = None
        self._newest: int | None = None

    def take(self, topic: str, message: Any) -> None:
        """Add a message of one of the topics SHOWN; raise ValueError if it cannot be shown."""
        if topic == topics.MODE:
            self._mode = message.data
        else:
            self._assembler.take(topic, message)

    def flush(self, last: bool = False) -> None:
        """Show every instant except the newest; also the newest if no other has arrived since.

        last: whether no message follows
        """
        if self._spacecraft is None:  # in a bag the scenario may come after the first instants
            self._assembler.forget(MOST_WAITING)
            return
        newest = self._assembler.newest
        all_of_it = last or newest == self._newest
        self._newest = newest
        instants = self._assembler.rest(math.inf if all_of_it or newest is None else newest)
        moved = [instant for instant in instants if self._needed <= instant.received]
        if not moved:
            return
        self._craft.add(samples_of([self._row(instant) for instant in moved]))
        scene = self._craft.scene
        assert scene is not None, 'it has samples now'
        for instant in moved:
            if instant.sheet is not None and instant.sheet is not self._sheet:
                self._sheet = instant.sheet
                scene.add_floor(instant.stamp, instant.sheet)
        self._show_contact(scene, instants)
        self._show_pointing(scene, instants, moved)

    def _begin(self, text: str) -> Scenario:
        """Return the Scenario in a text; it applies to all later instants."""
        self.flush(last=True)
        found, left_out = untrusted_scenario.parse(text, draws_any_floor=False)
        if left_out not in self._said:
            self._said.add(left_out)
            print(f'attitude-sim: {left_out}', file=sys.stderr, flush=True)
        self._spacecraft = found.plant.spacecraft
        # With gimbals or internal parts, only this topic gives L.
        self._needed = {topics.ODOMETRY} | ({topics.MOMENTUM} if self._spacecraft.moves else set())
        self._craft.begin(found)
        return found

    def _row(self, instant: RecordedInstant) -> tuple[int | Array, ...]:
        assert self._spacecraft is not None, 'instants wait for it'
        momentum_W, wheels = instant.angular_momentum_W, self._spacecraft.part('reaction_wheels')
        count = len(telemetry.joint_names(self._spacecraft))
        parts = self._spacecraft.internal
        speeds = np.full(wheels.number if wheels else 0, np.nan)
        if instant.wheel_speeds.size >= speeds.size:  # joint_states may be of another sender
            speeds = instant.wheel_speeds[: speeds.size]  # other joints come after
        if not momentum_W.size:  # the message was lost
            momentum_B = self._spacecraft.body.inertia @ instant.omega_B
            if wheels:
                momentum_B = momentum_B + (wheels.inertias * np.nan_to_num(speeds)) @ wheels.axes_B
            momentum_W = rotations.rotate(instant.q_WB, momentum_B)
        return (
            instant.stamp, instant.ticks.stamp(instant.elapsed), instant.position_W, instant.q_WB,
            instant.omega_B, momentum_W, speeds, _of(instant.joint_angles, count),
            _of(instant.motor_torques, count), _of(instant.dipole_B, 3),
            _of(instant.displacements, len(of_internal.names(parts))),
            _of(instant.slug_rates, len(of_internal.slug_names(parts))),
        )  # fmt: skip

    def _show_contact(self, scene: Scene, instants: Sequence[RecordedInstant]) -> None:
        for instant in instants:
            force_W = instant.contact_force_W
            touching = bool(instant.point_W.size and force_W.any())
            if touching:
                scene.add_contact(instant.stamp, instant.point_W, force_W)
            elif self._touching:
                scene.add_contact(instant.stamp, None, None)
            self._touching = touching
        if self._mode:
            scene.log('contact/mode', rr.TextLog(self._mode), instants[-1].stamp)
            self._mode = ''

    def _show_pointing(
        self, scene: Scene, instants: Sequence[RecordedInstant], moved: Sequence[RecordedInstant]
    ) -> None:
        for instant in instants:
            if instant.q_WR.size:
                self._reference_WR = instant.q_WR
        if self._reference_WR is None:
            return
        self._craft.show_pointing()
        errors = [rotations.angle_between(self._reference_WR, one.q_WB) for one in moved]
        stamps = np.array([one.stamp for one in moved])
        scene.add_plot('pointing_error', stamps, np.degrees(errors))


def _of(numbers: Array, count: int) -> Array:
    """Return `numbers` if there are `count` of them, else NaN (count,)."""
    return numbers if numbers.size == count else np.full(count or 0, np.nan)


def _check(topic: str, parts: tuple[Array, ...]) -> None:
    """Raise ValueError for numbers that are not finite; inputs were checked before."""
    if topic != topics.INPUTS and not np.isfinite(np.concatenate(parts)).all():
        raise ValueError('holds a number that is not finite')
