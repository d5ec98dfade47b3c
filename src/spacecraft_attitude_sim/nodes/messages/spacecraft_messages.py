# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of actuators, internal parts and environment loads."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from geometry_msgs.msg import Vector3Stamped, WrenchStamped
from sensor_msgs.msg import JointState

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.spacecraft import channels, telemetry
from spacecraft_attitude_sim.core.spacecraft import internal_telemetry as of_internal
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.ros.serialised import (
    MARK_STAMP,
    MARKS,
    Marked,
    SerialisedMessage,
)
from spacecraft_attitude_sim.recording.topics import (
    DIPOLE,
    DISTURBANCE,
    HYSTERESIS_RODS,
    INTERNAL_PARTS,
    JOINTS,
    SLUG_RATES,
    TRUE_JOINTS,
    WHEEL_MOMENTUM,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.environment.loads.load import Load
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.nodes.messages.moment import Moment


class SpacecraftMessages:
    """Makes the serialised messages of a scenario's actuators, internal parts and environment.

    makers: {topic: function that converts a Moment to bytes}, for the topics that it has
    """

    def __init__(self, scenario: Scenario) -> None:
        self._plant = scenario.plant
        self._base = scenario.parameters['frames.body']
        self._cut = {topic: SerialisedMessage(*cut) for topic, cut in self._templates().items()}
        own = {
            JOINTS: self._said, TRUE_JOINTS: self._true,
            WHEEL_MOMENTUM: self._wheel_momentum, DIPOLE: self._dipole,
            INTERNAL_PARTS: self._internal_parts, SLUG_RATES: self._slug_rates,
            HYSTERESIS_RODS: self._hysteresis_rods,
        }  # fmt: skip
        self.makers = {topic: own[topic] for topic in self._cut if topic in own}
        for load in self._plant.environment.turning:
            self.makers[DISTURBANCE + load.name] = functools.partial(self._disturbance, load)

    def now(self, moment: Moment) -> channels.Moment:
        """Return the channels' Moment, of which several topics read."""
        instant = moment.instant
        craft = self._plant.under(instant.inputs.faults).spacecraft
        return channels.moment_of(craft, instant.state, instant.inputs, instant.drive)

    def _said(self, moment: Moment) -> bytes:
        joints = telemetry.joints(self.now(moment))
        return self._joint_states(JOINTS, moment, joints, joints.said)

    def _true(self, moment: Moment) -> bytes:
        joints = telemetry.joints(self.now(moment))
        return self._joint_states(TRUE_JOINTS, moment, joints, joints.speeds)

    def _joint_states(
        self, topic: str, moment: Moment, joints: telemetry.Joints, speeds: Array
    ) -> bytes:
        angles = (joints.positions,) if self._plant.spacecraft.coupled else ()
        several = (one.tobytes() for one in (*angles, speeds, joints.efforts))
        return self._cut[topic].of(moment.stamp, *several)

    def _internal_parts(self, moment: Moment) -> bytes:
        moving = self.now(moment).motions
        places = np.concatenate((moving.displacements, moving.swings.ravel()))
        rates = np.concatenate((moving.rates, moving.swing_rates.ravel()))
        return self._cut[INTERNAL_PARTS].of(moment.stamp, places.tobytes(), rates.tobytes())

    def _slug_rates(self, moment: Moment) -> bytes:
        rates = self.now(moment).motions.slug_rates
        return self._cut[SLUG_RATES].of(moment.stamp, rates.tobytes())

    def _hysteresis_rods(self, moment: Moment) -> bytes:
        craft = self._plant.spacecraft
        dipole_B = craft.internal.dipole_B(craft.internal_states(moment.instant.state))
        return self._cut[HYSTERESIS_RODS].of(moment.stamp, dipole_B.tobytes())

    def _dipole(self, moment: Moment) -> bytes:
        dipole_B = telemetry.dipole_B(self._plant.spacecraft, moment.instant.state)
        return self._cut[DIPOLE].of(moment.stamp, dipole_B.tobytes())

    def _wheel_momentum(self, moment: Moment) -> bytes:
        stored_B = self._plant.spacecraft.stored_B(moment.instant.state)
        return self._cut[WHEEL_MOMENTUM].of(moment.stamp, stored_B.tobytes())

    def _disturbance(self, load: Load, moment: Moment) -> bytes:
        body, state = self._plant.spacecraft.body, moment.instant.state
        time, q_BW = moment.instant.elapsed_time, rotations.conjugate(state.q_WB)
        force_W, torque_B = load.wrench(body, state, time)
        force_B = rotations.rotate(q_BW, force_W)
        cut = self._cut[DISTURBANCE + load.name]
        return cut.of(moment.stamp, force_B.tobytes() + torque_B.tobytes())

    def _of_internal(self) -> Iterator[tuple[str, list[str], int]]:
        """Yield (topic, names, numbers per name) of the topics of internal parts."""
        if parts := self._plant.spacecraft.internal:
            if names := of_internal.names(parts):
                yield INTERNAL_PARTS, names, 2
            if names := of_internal.slug_names(parts):
                yield SLUG_RATES, names, 1

    def _templates(self) -> dict[str, Marked]:
        """Return {topic: (message with marks, the bytes of the marks)}."""
        header = conversions.header_to_ros(MARK_STAMP, self._base)
        stamp = conversions.stamp_bytes(MARK_STAMP)
        marked: dict[str, Marked] = {}
        craft = self._plant.spacecraft
        vector = Vector3Stamped(header=header, vector=conversions.vector3_to_ros(MARKS[:3]))
        if craft.turning:
            marked[WHEEL_MOMENTUM] = vector, stamp, MARKS[:3].tobytes()
        if 'magnetorquers' in craft.groups:
            marked[DIPOLE] = vector, stamp, MARKS[:3].tobytes()
        if craft.internal.hysteresis_rods:
            marked[HYSTERESIS_RODS] = vector, stamp, MARKS[:3].tobytes()
        for topic, names, kinds in self._of_internal():
            told = np.split(MARKS[0] + np.arange(float(kinds * len(names))) / 64.0, kinds)
            joints = JointState(header=header, name=names, velocity=told[-1].tolist())
            if kinds > 1:
                joints.position = told[0].tolist()
            marked[topic] = joints, stamp, *(one.tobytes() for one in told)
        if names := telemetry.joint_names(craft):
            numbers = np.split(MARKS[0] + np.arange(3.0 * len(names)) / 64.0, 3)
            position = numbers[0] if craft.coupled else numbers[0][:0]
            joints = JointState(
                header=header, name=names, position=position.tolist(),
                velocity=numbers[1].tolist(), effort=numbers[2].tolist(),
            )  # fmt: skip
            held = [one.tobytes() for one in (position, *numbers[1:]) if one.size]
            marked[JOINTS] = joints, stamp, *held
            if craft.coupled:
                marked[TRUE_JOINTS] = joints, stamp, *held
        for load in self._plant.environment.turning:
            wrench = WrenchStamped(header=header)
            wrench.wrench = conversions.wrench_to_ros(MARKS[:3], MARKS[3:6])
            marked[DISTURBANCE + load.name] = wrench, stamp, MARKS[:6].tobytes()
        return marked
