# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The messages of one tick: the simulator publishes them, a replay checks them.

Pure functions of scenario, Instant and Readings, without a node: the same give the same bytes.
"""

from typing import Any, NamedTuple

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
from spacecraft_attitude_sim.core.simulation import Instant
from spacecraft_attitude_sim.nodes.messages import sensor_messages
from spacecraft_attitude_sim.nodes.messages.orbit_messages import OrbitMessages
from spacecraft_attitude_sim.nodes.messages.sensor_messages import SensorMessages
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
from spacecraft_attitude_sim.recording.topics import (
    CLOCK,
    FORCE,
    INPUTS,
    MOMENTUM,
    ODOMETRY,
    POINT,
    STAR_TRACKER,
    WRENCH,
)

# {topic: class of its messages}, as topics.known_as names it. Of sensors, wheels and environment
# where a scenario has them.
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


class Moment(NamedTuple):
    """What the messages of a tick are made of.

    instant: with its readings;  stamp: its time, serialised;  settings: Settings in force
    given: whether the state was set, not stepped to
    """

    instant: Instant
    stamp: bytes
    settings: Settings
    given: bool


def moment_of(instant, settings, given):
    """Return the Moment of an Instant."""
    return Moment(instant, conversions.stamp_bytes(instant.stamp), settings, given)


class TickMessages:
    """Makes the messages of a scenario's instants, serialised.

    makers: {topic: function of a Moment that gives its bytes}, those of TYPES and CONTACT_TYPES
        that it has;  sensors: makes those of the sensors
    """

    def __init__(self, scenario):
        """Cut the messages."""
        self._spacecraft = scenario.plant.spacecraft
        values, touching = scenario.parameters, scenario.contact_parameters
        self._world, self._base = values['frames.world'], values['frames.body']
        self._contact_point = touching['frames.contact'] if touching else None
        around = scenario.plant.environment.surroundings
        self.sensors = SensorMessages(scenario, around.begins if around else 0)
        self._cut = {topic: SerialisedMessage(*cut) for topic, cut in self._marked().items()}
        self._ticks = {}  # (topics of a tick, age of the star tracker's) -> SerialisedMessage
        makers = {
            CLOCK: self._clock, 'pose': self._pose, MOMENTUM: self._momentum, WRENCH: self._wrench,
            INPUTS: self._inputs, ODOMETRY: self._odometry, POINT: self._point, FORCE: self._force,
        }  # fmt: skip
        own = {topic: makers[topic] for topic in self._cut}
        self._orbit = OrbitMessages(scenario)
        parts = SpacecraftMessages(scenario).makers | self._orbit.makers
        self._always = (*own, *parts)
        self.makers = own | self.sensors.makers | parts | {TICK: self._tick}
        self._spoken = {}

    def spoken(self, instant):
        """Return the topics that speak at an Instant, in the order in which they are published.

        The clock comes first, then what a controller waits for; the star tracker's only when it
        arrives, and of a sensor that sees nothing none; last what says that the tick is complete.
        """
        readings = instant.readings
        key = readings.new, readings.silent, readings.solution is None
        if key not in self._spoken:
            clock, *others = self._always
            self._spoken[key] = (clock, *self.sensors.spoken(readings), *others, TICK)
        return self._spoken[key]

    def of(self, instant, settings, given):
        """Return [(topic, bytes)] of an instant, as they are to be published.

        instant: with its readings;  settings: Settings in force
        given: whether the state was set, not stepped to
        """
        moment = moment_of(instant, settings, given)
        return [(topic, self.makers[topic](moment)) for topic in self.spoken(instant)]

    def applied_wrench(self, stamp, applied_B):
        """Return the message of what was commanded until a tick.

        stamp: the tick's, serialised;  applied_B: (6,) [N, N m], body axes
        """
        return self._cut[WRENCH].of(stamp, applied_B.tobytes())

    def _clock(self, moment):
        return self._cut[CLOCK].of(moment.stamp)

    def _pose(self, moment):
        return self._cut['pose'].of(moment.stamp, self._pose_bytes(moment))

    def _momentum(self, moment):
        momentum_W = moment.instant.state.angular_momentum_W
        return self._cut[MOMENTUM].of(moment.stamp, momentum_W.tobytes())

    def _wrench(self, moment):
        return self.applied_wrench(moment.stamp, moment.instant.applied_B)

    def _inputs(self, moment):
        inputs = recorded_inputs(moment.instant, moment.settings, moment.given, self._spacecraft)
        if moment.given:  # with the state, and so of another length
            return serialised(inputs_to_ros(inputs))
        return self._cut[INPUTS].of(inputs_layout.bytes_after_step(inputs))

    def _odometry(self, moment):
        """With velocity and angular velocity in body axes."""
        state = moment.instant.state
        q_BW = rotations.conjugate(state.q_WB)
        velocity_B = rotations.rotate(q_BW, self._spacecraft.origin_velocity_W(state))
        twist = velocity_B.tobytes() + self._spacecraft.angular_velocity_B(state).tobytes()
        return self._cut[ODOMETRY].of(moment.stamp, self._pose_bytes(moment), twist)

    def _pose_bytes(self, moment):
        """Return position and attitude of base_link as a Pose stands in a serialised message."""
        state = moment.instant.state
        return conversions.pose_bytes(self._spacecraft.origin_W(state), state.q_WB)

    def _point(self, moment):
        contact = simulation.contact_at(moment.instant)
        return self._cut[POINT].of(moment.stamp, contact.point.tobytes())

    def _force(self, moment):
        contact = simulation.contact_at(moment.instant)
        return self._cut[FORCE].of(moment.stamp, contact.force.tobytes())

    def _tick(self, moment):
        """Say which topics spoke in a tick, and how old the star tracker's is."""
        instant, readings = moment.instant, moment.instant.readings
        late = 0 if readings.solution is None else sensor_messages.latency(readings)
        key = self.spoken(instant), late
        if key not in self._ticks:
            clock, *spoken, tick = self.spoken(instant)
            ages = {topic: 0 for topic in spoken if topic not in UNSTAMPED}
            if STAR_TRACKER in ages:
                ages[STAR_TRACKER] = instant.ticks.stamp(late)
            header = conversions.header_to_ros(MARK_STAMP, self._world)
            message = DiagnosticArray(header=header, status=[_complete(ages)])
            stamp = conversions.stamp_bytes(MARK_STAMP)
            self._ticks[key] = SerialisedMessage(message, stamp)
        return self._ticks[key].of(moment.stamp)

    def transforms(self, instant):
        """Return the transforms of an instant, world to body and, on a floor, contact point.

        In an orbit about the Earth also eci to world and earth, world to lvlh. The axes at the
        contact point are those of the world.
        """
        state = instant.state
        header = conversions.header_to_ros(instant.stamp, self._world)
        origin_W = self._spacecraft.origin_W(state)
        found = [_transform(header, self._base, origin_W, state.q_WB)]
        if instant.contact is not None:
            point_W = simulation.contact_at(instant).point
            found.append(_transform(header, self._contact_point, point_W, rotations.IDENTITY))
        for frame, child, origin, q in self._orbit.transforms(instant):
            header = conversions.header_to_ros(instant.stamp, frame)
            found.append(_transform(header, child, origin, q))
        return found

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
        widths = inputs_layout.widths_of(self._spacecraft)
        if self._spacecraft.assembly:
            widths['internal'] = inputs_layout.states_of(self._spacecraft)
        parts: dict[str, Any] = {name: np.resize(MARKS, size) for name, size in widths.items()}
        inputs = RecordedInputs(
            MARKS[0], False, MARKS[1], MARKS[2], MARKS[3:15], MARKS[15:21], **parts
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
            marked[POINT] = (point, stamp, position.tobytes())
            marked[FORCE] = (force, stamp, vector.tobytes())
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


def recorded_inputs(instant, settings, given, spacecraft):
    """Return the RecordedInputs of an instant of a Spacecraft; given: as of `TickMessages.of`."""
    commanded = inputs_layout.completed(instant.inputs, spacecraft)
    internal, (substeps, revision) = instant.state.internal, settings
    stepped = RecordedInputs(
        instant.tick, given, substeps, revision, commanded.wrench, commanded.impulse,
        commanded.wheel_torque,
    )  # fmt: skip
    if not given:
        internal = internal if spacecraft.assembly else NOTHING
        return stepped._replace(**commanded._asdict(), internal=internal)
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
