# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The markers node: draws the body, its rate, its momentum, a trace and the floor, for RViz."""

from collections import deque

import numpy as np
from nav_msgs.msg import Odometry
from std_msgs.msg import Float64MultiArray, String
from visualization_msgs.msg import Marker, MarkerArray

from spacecraft_attitude_sim.core import analysis, rotations, ticks
from spacecraft_attitude_sim.files import heard, scenario
from spacecraft_attitude_sim.files.parameters import Parameter
from spacecraft_attitude_sim.nodes import (
    contact_markers,
    conversions,
    declaration,
    marker_shapes,
    messages,
    quality,
)
from spacecraft_attitude_sim.nodes.body_markers import BodyMarkers
from spacecraft_attitude_sim.nodes.guard import GuardedNode

PARAMETERS = (
    Parameter(
        'trace_length', 640, '',
        'Points in the trace of the body axis, and ends of lines in the path of the contact '
        'point; 0 for none.',
        int, low=0, high=100_000,
    ),
)  # fmt: skip
OMEGA_COLOR = (0.18, 0.63, 0.32, 1.0)
MOMENTUM_COLOR = (0.49, 0.24, 0.66, 1.0)
TRACE_COLOR = (0.95, 0.6, 0.1, 0.8)
ARROW_WIDTH = 0.03
TRACE_WIDTH = 0.015
# What an instant on a floor is drawn from.
ON_FLOOR = {'odometry', 'inputs', *messages.CONTACT_TYPES}
# Instants that wait for a message that got lost; then they are drawn without the contact.
MOST_WAITING = 32


class MarkersNode(GuardedNode):
    """Publishes `markers` for every `ground_truth/odometry`; only looks, changes nothing."""

    def __init__(self, **node_options):
        super().__init__(
            'markers', automatically_declare_parameters_from_overrides=True, **node_options
        )
        values = declaration.declare_all(self, PARAMETERS)
        self._trace = deque(maxlen=values['trace_length'])
        self._scenario, self._scenarios = None, {}
        self._contact = None
        self._waiting = {}  # tick -> {topic: message}
        self._start_tick = 0
        self._publisher = self.create_publisher(MarkerArray, 'markers', quality.STREAM)
        self.create_subscription(String, 'scenario', self._on_scenario, quality.LATCHED)
        self.create_subscription(
            Odometry, 'ground_truth/odometry', self._on_odometry, quality.STREAM
        )
        self.create_subscription(
            Float64MultiArray, 'ground_truth/inputs', self._on_inputs, quality.STREAM
        )
        for topic, kind in messages.CONTACT_TYPES.items():
            self.create_subscription(kind, topic, self._taker(topic), quality.STREAM)

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
        found, left_out = heard.parse(message.data)
        if left_out:
            self.get_logger().warning(left_out, once=True)
        revision = scenario.revision(message.data)
        self._scenarios[revision] = found
        if self._scenario is None or found.parameters != self._scenario.parameters:
            self._begin(found)
        self._draw_what_is_complete()

    def _begin(self, found):
        """Draw another body, or the same from another start."""
        self._scenario = found
        parts = found.drawn_parts()
        self._reach = max(part.reach() for part in parts)
        self._body = BodyMarkers(parts)
        body, initial = found.plant.body, found.initial
        self._axis_B = analysis.spin_axis(body.angular_momentum_B(initial))
        # A body that starts at rest will turn about as fast as one that falls over.
        falling = np.sqrt(np.linalg.norm(found.plant.gravity_W) / self._reach) or 1.0
        self._first_rate = np.linalg.norm(body.angular_velocity_B(initial)) or falling
        self._first_momentum = np.linalg.norm(initial.angular_momentum_W) or falling * max(
            body.principal_moments
        )
        self._trace.clear()
        self._waiting.clear()
        self._contact = found.plant.contact and contact_markers.ContactMarkers(
            found, self._reach, self._trace.maxlen
        )

    def _on_odometry(self, message):
        if self._scenario is None:
            return
        if self._contact:
            self._take(_tick(message.header), 'odometry', message)
        else:
            self._publish(message, self._drawn(message))

    def _taker(self, topic):
        return lambda message: self._take(_tick(message.header), topic, message)

    def _on_inputs(self, message):
        if self._contact:
            inputs = messages.inputs_from_ros(message)
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
            heard = self._waiting[tick]
            complete = (
                heard.keys() == ON_FLOOR and heard['inputs'].settings.revision in self._scenarios
            )
            if not complete and len(self._waiting) <= MOST_WAITING:
                return
            del self._waiting[tick]
            if 'odometry' in heard:
                drawn = self._drawn(heard['odometry'])
                if complete:
                    drawn += self._drawn_contact(tick, heard)
                self._publish(heard['odometry'], drawn)

    def _drawn(self, message):
        position_W = conversions.vector3_from_ros(message.pose.pose.position)
        q_WB = conversions.quaternion_from_ros(message.pose.pose.orientation)
        omega_B = conversions.vector3_from_ros(message.twist.twist.angular)
        tip_W = position_W + rotations.rotate(q_WB, 1.2 * self._reach * self._axis_B)
        self._trace.append(conversions.point_to_ros(tip_W))
        momentum_B = self._scenario.plant.body.inertia @ omega_B
        arrow = 1.5 * self._reach
        omega_W = rotations.rotate(q_WB, omega_B * (arrow / self._first_rate))
        momentum_W = rotations.rotate(q_WB, momentum_B * (arrow / self._first_momentum))
        width = ARROW_WIDTH * self._reach
        return [
            *self._body.at(position_W, q_WB),
            marker_shapes.arrow('angular_velocity', position_W, omega_W, OMEGA_COLOR, width),
            marker_shapes.arrow('angular_momentum', position_W, momentum_W, MOMENTUM_COLOR, width),
            marker_shapes.line(
                'trace', Marker.LINE_STRIP, self._trace, TRACE_COLOR, TRACE_WIDTH * self._reach
            ),
        ]

    def _drawn_contact(self, tick, heard):
        inputs = heard['inputs']
        if inputs.instant:  # put there by a start or a reset, from which a floor's time counts
            self._start_tick = tick - inputs.instant.elapsed
            self._contact.lift()
        self._contact.change(self._scenarios[inputs.settings.revision])
        touch = contact_markers.touch_of(
            heard['odometry'], heard['contact/point'], heard['contact/wrench'],
            ticks.seconds(tick - self._start_tick),
        )  # fmt: skip
        return self._contact.markers(touch)

    def _publish(self, odometry, markers):
        for number, marker in enumerate(markers):
            marker.header = odometry.header
            marker.id = number
        self._publisher.publish(MarkerArray(markers=markers))


def _tick(header):
    return conversions.nanoseconds_from_ros(header.stamp) // ticks.TICK_NS
