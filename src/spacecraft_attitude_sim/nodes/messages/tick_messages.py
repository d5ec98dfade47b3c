# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The messages of one tick: the simulator publishes them, a replay checks them.

Pure functions of scenario, Instant and Readings, without a node: the same give the same bytes.
"""

from typing import NamedTuple

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import (
    PointStamped,
    PoseStamped,
    TransformStamped,
    Vector3Stamped,
    WrenchStamped,
)
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Float64MultiArray, MultiArrayDimension, MultiArrayLayout

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators.actuator import NOTHING
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.nodes.messages.sensor_messages import STAR_TRACKER, SensorMessages
from spacecraft_attitude_sim.nodes.messages.spacecraft_messages import SpacecraftMessages
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.ros.serialised import (
    MARK_STAMP,
    MARKS,
    SerialisedMessage,
    serialised,
)
from spacecraft_attitude_sim.recording import inputs_layout, topics
from spacecraft_attitude_sim.recording.inputs_layout import RecordedInputs
from spacecraft_attitude_sim.recording.topics import CLOCK, INPUTS, MOMENTUM, ODOMETRY, WRENCH

# {topic: class of its messages}. Of sensors, wheels and environment where a scenario has them.
TYPES = {topic: conversions.message_class(kind) for topic, kind in topics.TICK.items()}
CONTACT_TYPES = {topic: conversions.message_class(kind) for topic, kind in topics.CONTACT.items()}
# Comes last in a tick and says what was published in it.
TICK = 'tick'
# Without a stamp, nobody can tell which tick they are of, nor needs to.
UNSTAMPED = (CLOCK, INPUTS)


class Settings(NamedTuple):
    """What may change during a run and the step depends on.

    substeps: the parameter;  revision: number of the text on topic `scenario` in force, from 0
    """

    substeps: int
    revision: int = 0


class TickMessages:
    """Makes the messages of a scenario's instants, serialised.

    topics: those of TYPES and CONTACT_TYPES that it has;  sensors: makes those of the sensors
    """

    def __init__(self, scenario):
        self._spacecraft = scenario.plant.spacecraft
        values, touching = scenario.parameters, scenario.contact_parameters
        self._world, self._base = values['frames.world'], values['frames.body']
        self._contact_point = touching['frames.contact'] if touching else None
        self.sensors = SensorMessages(scenario)
        self._cut = {topic: SerialisedMessage(*cut) for topic, cut in self._marked().items()}
        self._ticks = {}  # (*topics of sensors, age of the star tracker's) -> SerialisedMessage
        self._parts = SpacecraftMessages(scenario)
        self.topics = [*self._cut, *self.sensors.topics, *self._parts.topics, TICK]

    def of(self, instant, settings, given):
        """Give the topics and bytes of an instant one by one, as they are to be published.

        The clock comes first, then what a controller waits for; the star tracker's only when it
        arrives.

        instant: with its readings;  settings: Settings in force
        given: whether the state was set, not stepped to
        """
        cut, state = self._cut, instant.state
        stamp = conversions.stamp_bytes(instant.stamp)
        yield CLOCK, cut[CLOCK].of(stamp)
        sensed = self.sensors.of(instant, stamp)
        yield from sensed.items()
        pose = conversions.pose_bytes(state.position_W, state.q_WB)
        yield 'pose', cut['pose'].of(stamp, pose)
        yield MOMENTUM, cut[MOMENTUM].of(stamp, state.angular_momentum_W.tobytes())
        yield WRENCH, self.applied_wrench(stamp, instant.applied_B)
        inputs = recorded_inputs(instant, settings, given)
        if given:  # with the state, and so of another length
            yield INPUTS, serialised(inputs_to_ros(inputs))
        else:
            yield INPUTS, cut[INPUTS].of(inputs_layout.bytes_after_step(inputs))
        yield ODOMETRY, cut[ODOMETRY].of(stamp, pose, self._twist_bytes(state))
        if instant.contact is not None:
            contact = simulation.contact_at(instant)
            yield 'contact/point', cut['contact/point'].of(stamp, contact.point.tobytes())
            yield 'contact/wrench', cut['contact/wrench'].of(stamp, contact.force.tobytes())
        if self._parts.topics:
            yield from self._parts.of(instant, stamp)
        yield TICK, self._tick(sensed, instant).of(stamp)

    def applied_wrench(self, stamp, applied_B):
        """Return the message of what was commanded until a tick.

        stamp: the tick's, serialised;  applied_B: (6,) [N, N m], body axes
        """
        return self._cut[WRENCH].of(stamp, applied_B.tobytes())

    def _tick(self, sensed, instant):
        """Return the SerialisedMessage that says which topics spoke in a tick.

        sensed: those of the sensors
        """
        tracked, readings = STAR_TRACKER in sensed, instant.readings
        late = readings.tick - readings.solution.measured if tracked else 0
        key = *sensed, late
        if key not in self._ticks:
            spoken = (*sensed, *self._cut, *self._parts.topics)
            ages = {topic: 0 for topic in spoken if topic not in UNSTAMPED}
            if tracked:
                ages[STAR_TRACKER] = instant.ticks.stamp(late)
            header = conversions.header_to_ros(MARK_STAMP, self._world)
            message = DiagnosticArray(header=header, status=[_complete(ages)])
            stamp = conversions.stamp_bytes(MARK_STAMP)
            self._ticks[key] = SerialisedMessage(message, stamp)
        return self._ticks[key]

    def transforms(self, instant):
        """Return the transforms of an instant, world to body and, on a floor, contact point.

        The axes at the contact point are those of the world.
        """
        state = instant.state
        header = conversions.header_to_ros(instant.stamp, self._world)
        found = [_transform(header, self._base, state.position_W, state.q_WB)]
        if instant.contact is not None:
            point_W = simulation.contact_at(instant).point
            found.append(_transform(header, self._contact_point, point_W, rotations.IDENTITY))
        return found

    def _twist_bytes(self, state):
        """Return velocity and angular velocity in body axes as they stand in a Twist."""
        q_BW = rotations.conjugate(state.q_WB)
        velocity_B = rotations.rotate(q_BW, state.momentum_W / self._spacecraft.body.mass)
        return velocity_B.tobytes() + self._spacecraft.angular_velocity_B(state).tobytes()

    def _marked(self):
        """Return {topic: (message with marks, the marks' bytes)} but for the sensors."""
        world = conversions.header_to_ros(MARK_STAMP, self._world)
        stamp = conversions.stamp_bytes(MARK_STAMP)
        position, q, vector, six = np.split(MARKS[:16], (3, 7, 10))
        pose, at = conversions.pose_to_ros(position, q), conversions.pose_bytes(position, q)
        momentum = Vector3Stamped(header=world, vector=conversions.vector3_to_ros(vector))
        wrench = WrenchStamped(header=conversions.header_to_ros(MARK_STAMP, self._base))
        wrench.wrench = conversions.wrench_to_ros(six[:3], six[3:])
        odometry = Odometry(header=world, child_frame_id=self._base)
        odometry.pose.pose = pose
        odometry.twist.twist = conversions.twist_to_ros(six[:3], six[3:])
        wheels = self._spacecraft.wheels
        torques = np.resize(MARKS, wheels.states if wheels else 0)
        inputs = RecordedInputs(
            MARKS[0], False, MARKS[1], MARKS[2], MARKS[3:15], MARKS[15:21], torques
        )
        marked = {
            CLOCK: (Clock(clock=world.stamp), stamp),
            'pose': (PoseStamped(header=world, pose=pose), stamp, at),
            MOMENTUM: (momentum, stamp, vector.tobytes()),
            WRENCH: (wrench, stamp, six.tobytes()),
            INPUTS: (inputs_to_ros(inputs), inputs_layout.bytes_after_step(inputs)),
            ODOMETRY: (odometry, stamp, at, six.tobytes()),
        }
        if self._contact_point:
            point = PointStamped(header=world, point=pose.position)
            force = WrenchStamped(
                header=conversions.header_to_ros(MARK_STAMP, self._contact_point)
            )
            force.wrench.force = momentum.vector
            marked['contact/point'] = (point, stamp, position.tobytes())
            marked['contact/wrench'] = (force, stamp, vector.tobytes())
        return marked


def _complete(ages):
    """Return the status of a complete tick; ages: {topic: how old its data are [ns]}."""
    return DiagnosticStatus(
        level=DiagnosticStatus.OK,
        name='tick',
        message='complete',
        values=[KeyValue(key=topic, value=str(age)) for topic, age in ages.items()],
    )


def _transform(header, child, position, q):
    message = TransformStamped(header=header, child_frame_id=child)
    message.transform.translation = conversions.vector3_to_ros(position)
    message.transform.rotation = conversions.quaternion_to_ros(q)
    return message


def recorded_inputs(instant, settings, given):
    """Return the RecordedInputs of an instant; given: as of `TickMessages.of`."""
    internal = instant.state.internal
    wrench, impulse, torques = instant.inputs
    if internal.size and not torques.size:  # said of every wheel, though it be none
        torques = np.zeros(internal.size)
    substeps, revision = settings
    stepped = RecordedInputs(instant.tick, given, substeps, revision, wrench, impulse, torques)
    if not given:
        return stepped
    return stepped._replace(
        elapsed=instant.elapsed,
        state=to_flat(instant.state)[:SIZE],
        internal=internal,
        touch=NOTHING if instant.contact is None else instant.contact,
    )


def inputs_to_ros(inputs):
    """Return the message of RecordedInputs."""
    data, widths = inputs_layout.pack(inputs)
    dimensions = [
        MultiArrayDimension(label=label, size=size, stride=size) for label, size in widths.items()
    ]
    return Float64MultiArray(layout=MultiArrayLayout(dim=dimensions), data=data.tolist())
