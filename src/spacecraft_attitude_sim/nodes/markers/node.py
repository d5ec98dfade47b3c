# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The markers node: draws for RViz what the topics say, and outlives whatever they say."""

from collections import Counter, deque

import numpy as np
from nav_msgs.msg import Odometry
from sensor_msgs.msg import PointCloud2
from std_msgs.msg import Float64MultiArray, String
from visualization_msgs.msg import Marker, MarkerArray

from spacecraft_attitude_sim.configuration import scenario, untrusted_scenario
from spacecraft_attitude_sim.configuration.parameters import Parameter
from spacecraft_attitude_sim.core import ticks
from spacecraft_attitude_sim.drawing import body_looks
from spacecraft_attitude_sim.nodes.markers import contact_markers, marker_shapes
from spacecraft_attitude_sim.nodes.markers.body_markers import BodyMarkers
from spacecraft_attitude_sim.nodes.markers.motion_markers import MotionMarkers
from spacecraft_attitude_sim.nodes.markers.poinsot_markers import PoinsotMarkers
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros import conversions, declaration, qos
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
from spacecraft_attitude_sim.recording import floor_sheet

PARAMETERS = (
    Parameter(
        'trace_length', 640, '',
        'Points in the trace of the body axis, and ends of lines in the path of the contact '
        'point; 0 for none.',
        int, low=0, high=10_000,
    ),
)  # fmt: skip
# What an instant on a floor is drawn from.
ON_FLOOR = {'odometry', 'inputs', *tick_messages.CONTACT_TYPES}
# Instants that wait for a message that got lost; then they are drawn without the contact.
MOST_WAITING = 32
# Messages heard before the first text of topic `scenario`, which may be on its way: two seconds.
MOST_EARLY = 64 * len(ON_FLOOR)
# Texts of topic `scenario` that such instants may still be drawn by.
MOST_SCENARIOS = 16
# Of a quaternion heard: how far its norm may be from 1.
UNIT_WITHIN = 1e-3


class MarkersNode(GuardedNode):
    """Publishes `markers` for every `ground_truth/odometry`; only looks, changes nothing."""

    def __init__(self, configured=None, **node_options):
        super().__init__(
            'markers', automatically_declare_parameters_from_overrides=True, **node_options
        )
        values = declaration.declare_all(self, PARAMETERS, configured)
        self._trace_length = values['trace_length']
        self._scenario, self._scenarios = None, {}
        self._contact = self._poinsot = self._sheet = None
        self._begins = False
        self._waiting = {}  # tick -> {topic: message}
        self._early = deque(maxlen=MOST_EARLY)  # (callback, message), before the body is known
        self._start_tick = 0
        self._publisher = self.create_publisher(MarkerArray, 'markers', qos.STREAM)
        # Whatever cannot be drawn raises before anything is changed; the guard counts it.
        self.create_subscription(String, 'scenario', self._on_scenario, qos.LATCHED)
        self.create_subscription(PointCloud2, 'contact/floor', self._on_floor, qos.LATCHED)
        for kind, topic, callback in (
            (Odometry, 'ground_truth/odometry', self._on_odometry),
            (Float64MultiArray, 'ground_truth/inputs', self._on_inputs),
            *(
                (kind, topic, self._taker(topic))
                for topic, kind in tick_messages.CONTACT_TYPES.items()
            ),
        ):
            take = self._later(topic, callback)
            self.create_subscription(kind, topic, take, qos.STREAM)

    finished = False
    failure = ''

    @property
    def streams(self):
        """The publishers that publish once a tick."""
        return [self._publisher]

    def ready(self):
        """Return whether the body is known."""
        return self._scenario is not None

    def finish(self):
        """End; there is nothing to keep."""

    # --- what is heard ----------------------------------------------------------------------

    def _on_scenario(self, message):
        found, left_out = untrusted_scenario.parse(message.data, draws_any_floor=False)
        if left_out:
            self.get_logger().warning(left_out, once=True)
        revision = scenario.revision(message.data)
        if self._scenario is None or found.parameters != self._scenario.parameters:
            self._begin(found)
        self._scenarios.pop(revision, None)
        self._scenarios[revision] = found
        if len(self._scenarios) > MOST_SCENARIOS:
            del self._scenarios[next(iter(self._scenarios))]
        while self._early:
            take, early = self._early.popleft()
            take(early)
        self._draw_what_is_complete()

    def _on_floor(self, message):
        self._sheet = floor_sheet.sheet_of(message)

    def _later(self, topic, callback):
        """Return the callback, which waits until the body is known.

        Messages of two topics may come in another order than they were published.
        """
        guarded = self._guarded_callback(topic, callback)  # also when it is called later

        def take(message):
            if self._scenario is None:
                self._early.append((guarded, message))
            else:
                guarded(message)

        return take

    def _begin(self, found):
        """Draw another body, or the same from another start."""
        parts = body_looks.drawn_parts(found)
        reach = max(part.reach() for part in parts)
        body = BodyMarkers(parts, found.plant.body)
        motion = MotionMarkers(found, reach, self._trace_length)
        contact = poinsot = None
        if found.plant.contact:
            contact = contact_markers.ContactMarkers(found, reach, self._trace_length)
        elif found.controller is None:  # else there is a torque, and no invariable plane
            poinsot = PoinsotMarkers(found.plant.body, reach)
        # Nothing of this is kept where one of them could not be made.
        self._scenario, self._body, self._motion = found, body, motion
        self._contact, self._poinsot = contact, poinsot
        self._begins = True
        self._waiting.clear()

    def _on_odometry(self, message):
        pose, omega = message.pose.pose, message.twist.twist.angular
        q_WB = conversions.quaternion_from_ros(pose.orientation)
        _check(conversions.vector3_from_ros(pose.position), conversions.vector3_from_ros(omega))
        if not abs(np.linalg.norm(q_WB) - 1.0) < UNIT_WITHIN:
            raise ValueError(f'its orientation is {q_WB}, no unit quaternion')
        if self._contact:
            self._take(_tick(message.header), 'odometry', message)
        else:
            self._publish(message, self._drawn(message))

    def _taker(self, topic):
        def take(message):
            if topic == 'contact/point':
                _check(conversions.vector3_from_ros(message.point))
            else:
                _check(*conversions.wrench_from_ros(message.wrench))
            self._take(_tick(message.header), topic, message)

        return take

    def _on_inputs(self, message):
        if self._contact:
            inputs = tick_messages.inputs_from_ros(message)
            _check((inputs.tick, inputs.instant.elapsed if inputs.instant else 0))
            self._take(inputs.tick, 'inputs', inputs)

    def _take(self, tick, topic, message):
        if self._contact:
            self._waiting.setdefault(tick, {})[topic] = message
            self._draw_what_is_complete()

    # --- what is drawn ----------------------------------------------------------------------

    def _draw_what_is_complete(self):
        """Draw the instants in their order, each as soon as all of it has been heard."""
        while self._waiting:
            tick = min(self._waiting)
            if not self._complete(tick):
                if len(self._waiting) <= MOST_WAITING:
                    return
                tick = next(iter(self._waiting))  # the longest here, of whatever tick
            complete, heard = self._complete(tick), self._waiting.pop(tick)
            if 'odometry' in heard:
                drawn = self._drawn(heard['odometry'])
                if complete:
                    drawn += self._drawn_contact(tick, heard)
                self._publish(heard['odometry'], drawn)

    def _complete(self, tick):
        heard = self._waiting[tick]
        return heard.keys() == ON_FLOOR and heard['inputs'].settings.revision in self._scenarios

    def _drawn(self, message):
        position_W = conversions.vector3_from_ros(message.pose.pose.position)
        q_WB = conversions.quaternion_from_ros(message.pose.pose.orientation)
        omega_B = conversions.vector3_from_ros(message.twist.twist.angular)
        return [
            *self._body.at(position_W, q_WB),
            *self._motion.at(_tick(message.header), position_W, q_WB, omega_B),
            *(self._poinsot.at(position_W, q_WB, omega_B) if self._poinsot else ()),
        ]

    def _drawn_contact(self, tick, heard):
        inputs = heard['inputs']
        if inputs.instant:  # put there by a start or a reset, from which a floor's time counts
            self._start_tick = tick - inputs.instant.elapsed
            self._contact.lift()
        self._contact.change(self._scenarios[inputs.settings.revision])
        self._contact.sheet = self._sheet
        touch = contact_markers.touch_of(
            heard['odometry'], heard['contact/point'], heard['contact/wrench'],
            ticks.seconds(tick - self._start_tick),
        )  # fmt: skip
        return self._contact.markers(touch)

    def _publish(self, odometry, markers):
        """Publish the markers of an instant, numbered from 0 in each namespace."""
        counts = Counter()
        for marker in markers:
            marker.header = odometry.header
            marker.id = counts[marker.ns]
            counts[marker.ns] += 1
        if self._begins:  # an older body may have had more parts
            self._begins = False
            markers.insert(0, Marker(header=odometry.header, action=Marker.DELETEALL))
        self._publisher.publish(MarkerArray(markers=markers))


def _check(*vectors):
    """Raise ValueError where numbers heard are not finite or too large to be drawn."""
    for vector in vectors:
        if not marker_shapes.drawable(vector):
            raise ValueError(f'a number is not finite, or beyond {marker_shapes.LARGEST:g}')


def _tick(header):
    return conversions.nanoseconds_from_ros(header.stamp) // ticks.TICK_NS
