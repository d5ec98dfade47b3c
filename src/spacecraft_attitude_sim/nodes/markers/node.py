# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The markers node: draws the received topics for RViz, and survives any message."""

from __future__ import annotations

import time
from collections import Counter, deque
from typing import TYPE_CHECKING, Any

import numpy as np
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from visualization_msgs.msg import Marker, MarkerArray

from spacecraft_attitude_sim.configuration import untrusted_scenario
from spacecraft_attitude_sim.configuration.parameters import Parameter
from spacecraft_attitude_sim.core.spacecraft import telemetry
from spacecraft_attitude_sim.drawing import body_looks, internal_looks
from spacecraft_attitude_sim.nodes.markers import contact_markers, marker_shapes
from spacecraft_attitude_sim.nodes.markers.actuator_markers import ActuatorMarkers
from spacecraft_attitude_sim.nodes.markers.body_markers import BodyMarkers
from spacecraft_attitude_sim.nodes.markers.internal_markers import InternalMarkers
from spacecraft_attitude_sim.nodes.markers.motion_markers import (
    MotionMarkers,
    Words,
    stride,
)
from spacecraft_attitude_sim.nodes.markers.orbit_markers import OrbitMarkers
from spacecraft_attitude_sim.nodes.markers.poinsot_markers import PoinsotMarkers
from spacecraft_attitude_sim.nodes.markers.wheel_markers import WheelMarkers
from spacecraft_attitude_sim.nodes.ros import conversions, declaration, qos
from spacecraft_attitude_sim.nodes.ros.belonging import Belonging
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
from spacecraft_attitude_sim.recording import reader, topics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rclpy.publisher import Publisher
    from rclpy.qos import QoSProfile
    from rclpy.subscription import Subscription
    from std_msgs.msg import String

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
    from spacecraft_attitude_sim.core.simulation import Spacecraft
    from spacecraft_attitude_sim.recording.reader import RecordedInstant

PARAMETERS = (
    Parameter(
        'trace_length', 640, '',
        'Number of points in the trace of the body axis and in the path of the contact point. 0: '
        'no trace.',
        int, low=0, high=10_000,
    ),
    Parameter(
        'caption', True, '',
        "Show the scenario's description and the time beside the body. With several spacecraft, "
        '`run` shows it for the highest in the picture.',
        bool,
    ),
    Parameter(
        'size_of_words', 1.0, '',
        'Factor of the height of all words; 1 suits one spacecraft. With several, `run` sets it '
        'so that you can read them where you see all.',
        low=0.01, high=1000.0,
    ),
)  # fmt: skip
# Topics needed to draw an instant: in free space, with actuators, and on a floor.
FREE = frozenset({topics.ODOMETRY})
WITH_ACTUATORS = frozenset({topics.ODOMETRY, topics.JOINTS, topics.MOMENTUM, topics.DIPOLE})
WITH_PARTS = frozenset({topics.INTERNAL_PARTS, topics.SLUG_RATES})
ON_FLOOR = frozenset({topics.ODOMETRY, topics.INPUTS, *topics.CONTACT})
HEARD = ON_FLOOR | WITH_ACTUATORS | WITH_PARTS
# Most instants that wait for a message; older ones are drawn without contact or actuators.
MOST_WAITING = 32
# Most messages kept until the first `scenario` message: those of two seconds.
MOST_EARLY = 64 * len(ON_FLOOR)
# How often to look whether somebody listens to the markers [s].
LOOK_SECONDS = 0.1
# Largest deviation of a received quaternion's norm from 1.
UNIT_WITHIN = 1e-3


class MarkersNode(GuardedNode):
    """Publishes `markers` from `ground_truth/odometry`; only observes.

    While nobody listens to `markers`, it receives no motion and draws nothing: drawing takes more
    time than the simulation. Traces begin when somebody listens.
    """

    def __init__(self, configured: Mapping[str, Any] | None = None, **node_options: Any) -> None:
        super().__init__(
            'markers', automatically_declare_parameters_from_overrides=True, **node_options
        )
        values = declaration.declare_all(self, PARAMETERS, configured)
        self._trace_length = values['trace_length']
        name = self.get_namespace().strip('/')
        self._words = Words(name, values['caption'], values['size_of_words'])
        self._scenario: Scenario | None = None
        self._contact: contact_markers.ContactMarkers | None = None
        self._poinsot: PoinsotMarkers | None = None
        self._wheels: WheelMarkers | None = None
        self._actuators: ActuatorMarkers | None = None
        self._orbit: OrbitMarkers | None = None
        self._internal: InternalMarkers | None = None
        self._kinds, self._joints = telemetry.JointKinds(*3 * (slice(0),)), 0
        self._begins = False
        self._assembler = reader.Assembler(FREE, self._parsed, _check, live=True)
        # (callback, message), before the body is known
        self._early: deque[tuple[Callable[[Any], None], Any]] = deque(maxlen=MOST_EARLY)
        self._publisher = self.create_publisher(MarkerArray, 'markers', qos.STREAM)
        self._belonging = Belonging(self)
        self._motions: list[Subscription] = []  # subscriptions, while somebody listens
        # A message that cannot be drawn raises before any state changes; the guard counts it.
        self._subscribe(topics.SCENARIO, self._on_scenario, qos.LATCHED)
        self._subscribe(topics.FLOOR, self.taker(topics.FLOOR), qos.LATCHED)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(LOOK_SECONDS, self._look, clock=steady)

    finished = False
    failure = ''

    @property
    def streams(self) -> list[Publisher[Any]]:
        """The publishers that send one message per tick."""
        return [self._publisher]

    @property
    def every(self) -> int:
        """The number of ticks per drawn tick."""
        return stride(self._scenario.plant.ticks) if self._scenario else 1

    def ready(self) -> bool:
        """Return whether it has the scenario, and subscribes to what its listeners need."""
        return not self._look() and self._scenario is not None

    def finish(self) -> None:
        """Do nothing; there is nothing to write."""

    # --- subscriptions ----------------------------------------------------------------------

    def _subscribe(
        self, topic: str, callback: Callable[[Any], object], quality: QoSProfile
    ) -> Subscription[Any]:
        kind = conversions.message_class(topics.TYPES[topic])
        own = self._belonging.filtered(topic, callback)
        return self.create_subscription(kind, topic, own, quality)

    def _look(self) -> bool:
        """Receive the motion if somebody listens, and else do not; return whether that changed."""
        listened = self._publisher.get_subscription_count() > 0
        if listened == bool(self._motions):
            return False
        if listened:
            self._motions = [
                self._subscribe(topic, self._later(topic), qos.STREAM) for topic in HEARD
            ]
        else:
            for subscription in self._motions:
                self.destroy_subscription(subscription)
            self._motions = []
            if self._scenario:  # what is drawn next does not go on from here
                self._begin(self._scenario)
        return True

    def taker(self, topic: str) -> Callable[[Any], None]:
        """Return the callback of a topic; it draws the instants that a message completes."""

        def take(message: Any) -> None:
            self._assembler.take(topic, message)
            for instant in self._assembler.complete(MOST_WAITING):
                if self._actuators:
                    self._actuators.hear(instant.motor_torques, time.monotonic())
                if topics.ODOMETRY in instant.received and self._is_drawn(instant):
                    self._publish(instant.stamp, self._drawn(instant))

        return take

    def _is_drawn(self, instant: RecordedInstant) -> bool:
        """Return whether to draw an instant; skip those that come faster than frames."""
        given = instant.inputs is not None and instant.inputs.given
        return given or self._begins or instant.tick % stride(instant.ticks) == 0

    def _later(self, topic: str) -> Callable[[Any], None]:
        """Return the callback of a topic that stores its messages until the scenario is known.

        Messages of two topics may arrive in another order than they were published.
        """
        guarded = self._guarded_callback(topic, self.taker(topic))  # also guards the later call

        def take(message: Any) -> None:
            if self._scenario is None:
                self._early.append((guarded, message))
            else:
                guarded(message)

        return take

    def _on_scenario(self, message: String) -> None:
        self.taker(topics.SCENARIO)(message)
        while self._early:
            take, early = self._early.popleft()
            take(early)

    def _parsed(self, text: str) -> Scenario:
        """Return the Scenario in a text; start anew if its parameters differ from the last."""
        found, left_out = untrusted_scenario.parse(text, draws_any_floor=False)
        if left_out:
            self.get_logger().warning(left_out, once=True)
        if self._scenario is None or found.parameters != self._scenario.parameters:
            self._begin(found)
        return found

    def _begin(self, found: Scenario) -> None:
        """Begin to draw this Scenario."""
        parts, inside = body_looks.drawn_parts(found), found.plant.spacecraft.internal
        reach = internal_looks.reach_of(inside, parts)
        body = BodyMarkers(internal_looks.through_glass(inside, parts), found.plant.body)
        motion = MotionMarkers(found, reach, self._trace_length, self._words)
        contact = poinsot = None
        craft = found.plant.spacecraft
        wheels = WheelMarkers(found, parts) if craft.part('reaction_wheels') else None
        actuators = ActuatorMarkers(craft, parts, wheels.discs if wheels else None)
        around = found.plant.environment.surroundings
        orbit = OrbitMarkers(around, reach, self._words.size) if around else None
        internal = None
        if inside:
            size = max(part.reach() for part in parts)
            internal = InternalMarkers(inside, size, found.plant.ticks)
        if found.plant.contact:
            contact = contact_markers.ContactMarkers(found, reach, self._trace_length)
        elif not found.plant.beyond_rigid_body:  # otherwise Poinsot's picture does not hold
            poinsot = PoinsotMarkers(found.plant.body, reach, self._words.size)
        # Assigned together, so that the old ones remain if one of the new ones fails.
        self._scenario, self._body, self._motion = found, body, motion
        self._contact, self._poinsot, self._wheels = contact, poinsot, wheels
        self._actuators, self._kinds = actuators, telemetry.joint_kinds(craft)
        self._joints, self._orbit = len(telemetry.joint_names(craft)), orbit
        self._internal = internal
        self._begins = True
        self._assembler.forget()
        self._assembler.wanted = ON_FLOOR if contact else _wanted(craft, in_orbit=bool(orbit))

    # --- drawing ----------------------------------------------------------------------

    def _drawn(self, instant: RecordedInstant) -> list[Marker]:
        place = instant.position_W, instant.q_WB
        complete = self._contact and instant.scenario and instant.received == ON_FLOOR
        assert self._actuators is not None, 'instants come after the scenario'
        speeds, angles = instant.wheel_speeds, instant.joint_angles
        momentum_W = instant.angular_momentum_W
        of_wheels = self._of_wheels(speeds), self._of_wheels(angles)
        return [
            *self._body.at(*place),
            *self._motion.at(instant.tick, *place, instant.omega_B, speeds, momentum_W),
            *(self._wheels.at(instant.tick, *place, *of_wheels) if self._wheels else ()),
            *self._actuators.at(*place, angles, instant.dipole_B),
            *(self._drawn_inside(instant) if self._internal else ()),
            *(self._orbit.at(place[0], self._elapsed(instant)) if self._orbit else ()),
            *(self._poinsot.at(*place, instant.omega_B) if self._poinsot else ()),
            *(self._drawn_contact(instant) if complete else ()),
        ]

    def _drawn_inside(self, instant: RecordedInstant) -> list[Marker]:
        assert self._internal is not None, 'drawn only where there are such parts'
        told = instant.displacements, instant.slug_rates
        return self._internal.at(instant.tick, instant.position_W, instant.q_WB, *told)

    def _of_wheels(self, numbers: Array) -> Array:
        """Return the wheels' values among the values of all joints."""
        return numbers[self._kinds.wheels] if numbers.size == self._joints else numbers[:0]

    @staticmethod
    def _elapsed(instant: RecordedInstant) -> float:
        """Return the time since the start or the last reset [s], from the recorded inputs."""
        return instant.ticks.seconds(instant.elapsed)

    def _drawn_contact(self, instant: RecordedInstant) -> list[Marker]:
        contact = self._contact
        assert contact is not None, 'it is drawn only where there is one'
        assert instant.inputs is not None and instant.scenario, 'it is drawn only when complete'
        if instant.inputs.given:  # set by a start or a reset
            contact.lift()
        contact.change(instant.scenario)
        contact.sheet = instant.sheet
        return contact.markers(
            contact_markers.ContactSample(
                instant.position_W, instant.point_W, instant.contact_force_W,
                instant.ticks.seconds(instant.elapsed),
            )
        )  # fmt: skip

    def _publish(self, stamp: int, markers: list[Marker]) -> None:
        """Publish the markers with a stamp [ns], with ids from 0 in each namespace."""
        assert self._scenario is not None, 'instants come after it'
        header = conversions.header_to_ros(stamp, self._scenario.parameters['frames.world'])
        counts: Counter[str] = Counter()
        for marker in markers:
            marker.header = header
            marker.id = counts[marker.ns]
            counts[marker.ns] += 1
        if self._begins:  # the previous body may have had more parts
            self._begins = False
            markers.insert(0, Marker(header=header, action=Marker.DELETEALL))
        self._publisher.publish(MarkerArray(markers=markers))


def _wanted(spacecraft: Spacecraft, in_orbit: bool) -> frozenset[str]:
    """Return the topics needed to draw an instant of a Spacecraft in free space."""
    rods = spacecraft.part('magnetorquers')
    return FREE.union(
        [topics.INPUTS] if in_orbit else [],  # a reset restarts the orbit
        [topics.JOINTS] if telemetry.joint_names(spacecraft) else [],
        # In other cases joint_states carries the speeds.
        [topics.MOMENTUM]
        if spacecraft.part('control_moment_gyros') or spacecraft.internal
        else [],
        _told_of(spacecraft.internal),
        [topics.DIPOLE] if rods and rods.names else [],
    )


def _told_of(parts: InternalParts) -> list[str]:
    """Return the topics that carry the motion of InternalParts."""
    told = {
        topics.INTERNAL_PARTS: parts.coordinates or parts.pendulums,
        topics.SLUG_RATES: parts.slugs,
    }
    return [topic for topic, there in told.items() if there]


def _check(topic: str, parts: tuple[Array, ...]) -> None:
    """Raise ValueError for numbers that cannot be drawn; inputs were checked before."""
    if topic != topics.INPUTS and not marker_shapes.drawable(np.concatenate(parts)):
        raise ValueError(f'a number is not finite, or beyond {marker_shapes.LARGEST:g}')
    if topic == topics.ODOMETRY:
        _, q_WB, _, _ = parts
        if not abs(np.linalg.norm(q_WB) - 1.0) < UNIT_WITHIN:
            raise ValueError(f'its orientation is {q_WB}, no unit quaternion')
