# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The messages of what makes a body a spacecraft: wheels, and loads of the environment."""

import functools
from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3Stamped, WrenchStamped
from sensor_msgs.msg import JointState

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.ros.serialised import MARK_STAMP, MARKS, SerialisedMessage
from spacecraft_attitude_sim.recording.topics import DISTURBANCE, JOINTS, WHEEL_MOMENTUM


class SpacecraftMessages:
    """Makes the messages of a scenario's wheels and environment, serialised.

    makers: {topic: function of a Moment that gives its bytes} of those that it has
    """

    def __init__(self, scenario):
        self._plant = scenario.plant
        self._base = scenario.parameters['frames.body']
        self._cut = {topic: SerialisedMessage(*cut) for topic, cut in self._marked().items()}
        own = {JOINTS: self._joints, WHEEL_MOMENTUM: self._wheel_momentum}
        self.makers = {topic: own[topic] for topic in self._cut if topic in own}
        for load in self._plant.environment.turning:
            self.makers[DISTURBANCE + load.name] = functools.partial(self._disturbance, load)

    def _joints(self, moment):
        spacecraft, inputs = self._plant.spacecraft, moment.instant.inputs
        speeds, torques = spacecraft.wheel_speeds(moment.instant.state), inputs.wheel_torque
        if not torques.size:
            torques = np.zeros(spacecraft.wheels.states)
        return self._cut[JOINTS].of(moment.stamp, speeds.tobytes(), torques.tobytes())

    def _wheel_momentum(self, moment):
        stored_B = self._plant.spacecraft.stored_B(moment.instant.state)
        return self._cut[WHEEL_MOMENTUM].of(moment.stamp, stored_B.tobytes())

    def _disturbance(self, load, moment):
        body, state = self._plant.spacecraft.body, moment.instant.state
        time, q_BW = moment.instant.elapsed_time, rotations.conjugate(state.q_WB)
        force_B = rotations.rotate(q_BW, load.force_W(body, state, time))
        torque_B = load.torque_B(body, state, time)
        cut = self._cut[DISTURBANCE + load.name]
        return cut.of(moment.stamp, force_B.tobytes() + torque_B.tobytes())

    def _marked(self):
        """Return {topic: (message with marks, the marks' bytes)}."""
        header = conversions.header_to_ros(MARK_STAMP, self._base)
        stamp = conversions.stamp_bytes(MARK_STAMP)
        marked: dict[str, tuple[Any, ...]] = {}
        if wheels := self._plant.spacecraft.wheels:
            speeds, torques = np.split(MARKS[0] + np.arange(2.0 * wheels.states) / 64.0, 2)
            joints = JointState(
                header=header, name=list(wheels.names), velocity=speeds.tolist(),
                effort=torques.tolist(),
            )  # fmt: skip
            marked[JOINTS] = joints, stamp, speeds.tobytes(), torques.tobytes()
            momentum = Vector3Stamped(header=header)
            momentum.vector = conversions.vector3_to_ros(MARKS[:3])
            marked[WHEEL_MOMENTUM] = momentum, stamp, MARKS[:3].tobytes()
        for load in self._plant.environment.turning:
            wrench = WrenchStamped(header=header)
            wrench.wrench = conversions.wrench_to_ros(MARKS[:3], MARKS[3:6])
            marked[DISTURBANCE + load.name] = wrench, stamp, MARKS[:6].tobytes()
        return marked
