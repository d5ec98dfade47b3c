# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The messages of one tick: the simulator publishes them, and a replay checks them.

They depend only on scenario, Instant and Readings, not on a node: equal inputs give equal bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from spacecraft_attitude_sim.nodes.messages.moment import (
    Moment,
    Settings,
    moment_of,
    readings_of,
)
from spacecraft_attitude_sim.nodes.messages.orbit_messages import OrbitMessages
from spacecraft_attitude_sim.nodes.messages.sensor_messages import SensorMessages
from spacecraft_attitude_sim.nodes.messages.spacecraft_messages import SpacecraftMessages
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.ros.serialised import (
    MARK_STAMP,
    MARKS,
    Marked,
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

if TYPE_CHECKING:
    from collections.abc import Iterable

    from std_msgs.msg import Header

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import FlatImpulse, VectorLike
    from spacecraft_attitude_sim.core.simulation import Spacecraft


# {topic: class of its messages}, with names as in topics.known_as. Sensors, wheels and environment
# only if the scenario has them.
TYPES = {topic: conversions.message_class(kind) for topic, kind in topics.TICK.items()}
CONTACT_TYPES = {topic: conversions.message_class(kind) for topic, kind in topics.CONTACT.items()}
# The last message of a tick; it lists what was published in the tick.
TICK = 'tick'
# These have no stamp; nobody needs to know their tick.
UNSTAMPED = (CLOCK, INPUTS)


class TickMessages:
    """Makes the serialised messages of a scenario's instants.

    makers: {topic: function that converts a Moment to bytes}, for the topics of TYPES and
        CONTACT_TYPES that it has;  sensors: makes the sensors' messages
    """

    def __init__(self, scenario: Scenario) -> None:
        """Make one message of each topic and cut it where its numbers change."""
        self._spacecraft = scenario.plant.spacecraft
        values, touching = scenario.parameters, scenario.contact_parameters
        self._world, self._base = values['frames.world'], values['frames.body']
        self._contact_point = touching['frames.contact'] if touching else None
        around = scenario.plant.environment.surroundings
        self.sensors = SensorMessages(scenario, around.begins if around else 0)
        self._cut = {topic: SerialisedMessage(*cut) for topic, cut in self._templates().items()}
        # {(topics of a tick, (topic, age [ticks]) of what is late or belated): message}
        self._ticks: dict[tuple[Any, ...], SerialisedMessage] = {}
        makers = {
            CLOCK: self._clock, 'pose': self._pose, MOMENTUM: self._momentum, WRENCH: self._wrench,
            INPUTS: self._inputs, ODOMETRY: self._odometry, POINT: self._point, FORCE: self._force,
        }  # fmt: skip
        own = {topic: makers[topic] for topic in self._cut}
        self._orbit = OrbitMessages(scenario)
        self._parts = SpacecraftMessages(scenario)
        parts = self._parts.makers | self._orbit.makers
        self._always = (*own, *parts)
        self.makers = own | self.sensors.makers | parts | {TICK: self._tick}
        # {names of the sensors that read, and see nothing, whether no solution arrives: topics}
        self._published: dict[tuple[frozenset[str], frozenset[str], bool], tuple[str, ...]] = {}

    def published(self, instant: Instant) -> tuple[str, ...]:
        """Return the topics that are published at an Instant, in order.

        The clock comes first, then the topics that a controller waits for. The star tracker speaks
        only when its solution arrives; a sensor that sees nothing does not speak. The last topic
        says that the tick is complete.
        """
        readings = readings_of(instant)
        key = readings.new, readings.silent, readings.solution is None
        if key not in self._published:
            clock, *others = self._always
            self._published[key] = (clock, *self.sensors.published(readings), *others, TICK)
        return self._published[key]

    def of(self, instant: Instant, settings: Settings, given: bool) -> list[tuple[str, bytes]]:
        """Return [(topic, bytes)] of an instant, in the order of publication.

        instant: with its readings;  settings: Settings in force
        given: whether the state was set, not stepped to
        """
        moment = moment_of(instant, settings, given)
        return [(topic, self.makers[topic](own)) for topic, own in self.outgoing(moment)]

    def outgoing(self, moment: Moment) -> list[tuple[str, Moment]]:
        """Return [(topic, Moment that its message tells)], in the order of publication.

        It is `published`, and beside it what a fault lets come late or twice.
        """
        clock, *others = self.published(moment.instant)
        if moment.readings.delivery.in_time:
            return [(clock, moment), *((topic, moment) for topic in others)]
        others = [topic for topic in others if topic not in self.sensors.makers]
        own = self.sensors.outgoing(moment)
        return [(clock, moment), *own, *((topic, moment) for topic in others)]

    def applied_wrench(self, stamp: bytes, applied_B: FlatImpulse) -> bytes:
        """Return the message with the load that acted in the step to a tick.

        stamp: the tick's, serialised;  applied_B: (6,) [N, N m], body axes
        """
        return self._cut[WRENCH].of(stamp, applied_B.tobytes())

    def _clock(self, moment: Moment) -> bytes:
        return self._cut[CLOCK].of(moment.stamp)

    def _pose(self, moment: Moment) -> bytes:
        return self._cut['pose'].of(moment.stamp, self._pose_bytes(moment))

    def _momentum(self, moment: Moment) -> bytes:
        momentum_W = moment.instant.state.angular_momentum_W
        return self._cut[MOMENTUM].of(moment.stamp, momentum_W.tobytes())

    def _wrench(self, moment: Moment) -> bytes:
        return self.applied_wrench(moment.stamp, moment.instant.applied_B)

    def _inputs(self, moment: Moment) -> bytes:
        inputs = recorded_inputs(moment.instant, moment.settings, moment.given, self._spacecraft)
        if moment.given:  # the message includes the state, so its length differs
            return serialised(inputs_to_ros(inputs))
        return self._cut[INPUTS].of(inputs_layout.bytes_after_step(inputs))

    def _odometry(self, moment: Moment) -> bytes:
        """Return the odometry message; velocity and angular velocity are in body axes."""
        state = moment.instant.state
        q_BW = rotations.conjugate(state.q_WB)
        velocity_B = rotations.rotate(q_BW, self._spacecraft.origin_velocity_W(state))
        twist = velocity_B.tobytes() + self._parts.now(moment).omega_B.tobytes()
        return self._cut[ODOMETRY].of(moment.stamp, self._pose_bytes(moment), twist)

    def _pose_bytes(self, moment: Moment) -> bytes:
        """Return position and attitude of base_link as the bytes of a Pose."""
        state = moment.instant.state
        return conversions.pose_bytes(self._spacecraft.origin_W(state), state.q_WB)

    def _point(self, moment: Moment) -> bytes:
        contact = simulation.contact_at(moment.instant)
        return self._cut[POINT].of(moment.stamp, contact.point.tobytes())

    def _force(self, moment: Moment) -> bytes:
        contact = simulation.contact_at(moment.instant)
        return self._cut[FORCE].of(moment.stamp, contact.force.tobytes())

    def _tick(self, moment: Moment) -> bytes:
        """Return the message that lists the newest of each topic of a tick, and its age.

        A second status lists what a newer message has overtaken, where there is any.
        """
        instant, readings = moment.instant, moment.readings
        late = self.sensors.ages(readings)
        if readings.solution is not None:
            late[STAR_TRACKER] = sensor_messages.latency(readings)
        published, belated = self.published(instant), self.sensors.belated(readings)
        key = published, *late.items(), belated
        if key not in self._ticks:
            clock, *topics_of_tick, tick = published
            ages = {topic: 0 for topic in topics_of_tick if topic not in UNSTAMPED}
            ages |= {
                topic: instant.ticks.stamp(age) for topic, age in late.items() if topic in ages
            }
            header = conversions.header_to_ros(MARK_STAMP, self._world)
            status = [_status('complete', ages.items())]
            if belated:
                each = [(topic, instant.ticks.stamp(age)) for topic, age in belated]
                status.append(_status('belated', each))
            message = DiagnosticArray(header=header, status=status)
            stamp = conversions.stamp_bytes(MARK_STAMP)
            self._ticks[key] = SerialisedMessage(message, stamp)
        return self._ticks[key].of(moment.stamp)

    def transforms(self, instant: Instant) -> list[TransformStamped]:
        """Return the transforms of an instant, world to body and, on a floor, contact point.

        In an Earth orbit there are also eci to world, eci to earth, and world to lvlh. The frame
        at the contact point has the axes of the world.
        """
        state = instant.state
        header = conversions.header_to_ros(instant.stamp, self._world)
        origin_W = self._spacecraft.origin_W(state)
        found = [_transform(header, self._base, origin_W, state.q_WB)]
        if instant.contact is not None and self._contact_point:
            point_W = simulation.contact_at(instant).point
            found.append(_transform(header, self._contact_point, point_W, rotations.IDENTITY))
        for frame, child, origin, q in self._orbit.transforms(instant):
            header = conversions.header_to_ros(instant.stamp, frame)
            found.append(_transform(header, child, origin, q))
        return found

    def _templates(self) -> dict[str, Marked]:
        """Return {topic: (message with marks, the bytes of the marks)}, without sensors."""
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
        if self._spacecraft.coupled:
            widths['internal'] = inputs_layout.states_of(self._spacecraft)
        parts: dict[str, Any] = {name: np.resize(MARKS, size) for name, size in widths.items()}
        inputs = RecordedInputs(
            MARKS[0], False, MARKS[1], MARKS[2], MARKS[3:15], MARKS[15:21], **parts
        )
        marked: dict[str, Marked] = {
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


def _status(message: str, ages: Iterable[tuple[str, int]]) -> DiagnosticStatus:
    """Return a status of a tick; ages: (topic, age of its data [ns])."""
    return DiagnosticStatus(
        level=DiagnosticStatus.OK,
        name='tick',
        message=message,
        values=[KeyValue(key=topic, value=str(age)) for topic, age in ages],
    )


def _transform(
    header: Header, child: str, position: VectorLike, q: VectorLike
) -> TransformStamped:
    message = TransformStamped(header=header, child_frame_id=child)
    message.transform.translation = conversions.vector3_to_ros(position)
    message.transform.rotation = conversions.quaternion_to_ros(q)
    return message


def recorded_inputs(
    instant: Instant, settings: Settings, given: bool, spacecraft: Spacecraft
) -> RecordedInputs:
    """Return the RecordedInputs of an instant of a Spacecraft; given: as in `TickMessages.of`."""
    commanded = inputs_layout.completed(instant.inputs, spacecraft)
    internal, (substeps, revision) = instant.state.internal, settings
    stepped = RecordedInputs(
        instant.tick, given, substeps, revision, commanded.wrench, commanded.impulse,
        commanded.wheel_torque,
    )  # fmt: skip
    if not given:
        internal = internal if spacecraft.coupled else NOTHING
        return stepped._replace(**commanded._asdict(), internal=internal)
    return stepped._replace(
        elapsed=instant.elapsed,
        state=to_flat(instant.state)[:SIZE],
        internal=internal,
        touch=NOTHING if instant.contact is None else instant.contact,
    )


def inputs_to_ros(inputs: RecordedInputs) -> Float64MultiArray:
    """Return RecordedInputs as a message."""
    data, widths = inputs_layout.pack(inputs)
    dimensions = [
        MultiArrayDimension(label=label, size=size, stride=size) for label, size in widths.items()
    ]
    return Float64MultiArray(layout=MultiArrayLayout(dim=dimensions), data=data.tolist())
