# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The markers node: draws the body, its rate, its momentum and a trace, for RViz."""

from collections import deque

import numpy as np
from geometry_msgs.msg import Vector3
from nav_msgs.msg import Odometry
from rclpy.node import Node
from std_msgs.msg import ColorRGBA, String
from visualization_msgs.msg import Marker, MarkerArray

from spacecraft_attitude_sim.core import analysis, rotations
from spacecraft_attitude_sim.files import scenario
from spacecraft_attitude_sim.files.parameters import Parameter
from spacecraft_attitude_sim.nodes import conversions, declaration, quality

PARAMETERS = (
    Parameter(
        'trace_length', 640, '', 'Points in the trace of the body axis; 0 for none.', int,
        low=0, high=100_000,
    ),
)  # fmt: skip
OMEGA_COLOR = (0.18, 0.63, 0.32, 1.0)
MOMENTUM_COLOR = (0.49, 0.24, 0.66, 1.0)
TRACE_COLOR = (0.95, 0.6, 0.1, 0.8)
SHAPES = {
    'box': Marker.CUBE,
    'cylinder': Marker.CYLINDER,
    'sphere': Marker.SPHERE,
    'ellipsoid': Marker.SPHERE,
}


ARROW_WIDTH = 0.03
TRACE_WIDTH = 0.015


class MarkersNode(Node):
    """Publishes `markers` for every `ground_truth/odometry`; only looks, changes nothing."""

    def __init__(self, **node_options):
        super().__init__(
            'markers', automatically_declare_parameters_from_overrides=True, **node_options
        )
        values = declaration.declare_all(self, PARAMETERS)
        self._trace = deque(maxlen=values['trace_length'])
        self._scenario = None
        self._publisher = self.create_publisher(MarkerArray, 'markers', quality.STREAM)
        self.create_subscription(String, 'scenario', self._on_scenario, quality.LATCHED)
        self.create_subscription(
            Odometry, 'ground_truth/odometry', self._on_odometry, quality.STREAM
        )

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

    def _on_scenario(self, message):
        self._scenario = scenario.parse(message.data, 'topic scenario')
        self._parts = self._scenario.drawn_parts()
        self._reach = max(part.reach() for part in self._parts)
        body, initial = self._scenario.plant.body, self._scenario.initial
        self._axis_B = analysis.spin_axis(body.angular_momentum_B(initial))
        self._first_rate = np.linalg.norm(body.angular_velocity_B(initial)) or 1.0
        self._first_momentum = np.linalg.norm(initial.angular_momentum_W) or 1.0
        self._trace.clear()

    def _on_odometry(self, message):
        if self._scenario is None:
            return
        position_W = conversions.vector3_from_ros(message.pose.pose.position)
        q_WB = conversions.quaternion_from_ros(message.pose.pose.orientation)
        omega_B = conversions.vector3_from_ros(message.twist.twist.angular)
        tip_W = position_W + rotations.rotate(q_WB, 1.2 * self._reach * self._axis_B)
        self._trace.append(conversions.point_to_ros(tip_W))
        momentum_B = self._scenario.plant.body.inertia @ omega_B
        arrow = 1.5 * self._reach
        omega_W = rotations.rotate(q_WB, omega_B * (arrow / self._first_rate))
        momentum_W = rotations.rotate(q_WB, momentum_B * (arrow / self._first_momentum))
        markers = [
            *(_part(part, position_W, q_WB) for part in self._parts),
            self._arrow('angular_velocity', position_W, omega_W, OMEGA_COLOR),
            self._arrow('angular_momentum', position_W, momentum_W, MOMENTUM_COLOR),
            self._trace_line(),
        ]
        for number, marker in enumerate(markers):
            marker.header = message.header
            marker.id = number
        self._publisher.publish(MarkerArray(markers=markers))

    def _arrow(self, namespace, start_W, vector_W, color):
        marker = _marker(namespace, Marker.ARROW, color)
        marker.points = [
            conversions.point_to_ros(start_W),
            conversions.point_to_ros(start_W + vector_W),
        ]
        width = ARROW_WIDTH * self._reach
        marker.scale = Vector3(x=width, y=3.0 * width, z=6.0 * width)
        return marker

    def _trace_line(self):
        marker = _marker('trace', Marker.LINE_STRIP, TRACE_COLOR)
        if len(self._trace) < 2:
            marker.action = Marker.DELETE  # RViz warns about a line of one point
            return marker
        marker.points = list(self._trace)
        marker.scale.x = TRACE_WIDTH * self._reach
        return marker


def _part(part, position_W, q_WB):
    marker = _marker('body', SHAPES[part.shape], part.color)
    marker.pose = conversions.pose_to_ros(
        position_W + rotations.rotate(q_WB, part.position),
        rotations.compose(q_WB, part.orientation),
    )
    marker.scale = conversions.vector3_to_ros(_full_size(part))
    return marker


def _full_size(part):
    """Return the edge lengths (3,) [m] of the box around a primitive, as RViz scales it."""
    if part.shape == 'cylinder':
        radius, length = part.size
        return 2.0 * radius, 2.0 * radius, length
    if part.shape == 'box':
        return part.size
    return 2.0 * np.array(part.size * 3 if part.shape == 'sphere' else part.size)


def _marker(namespace, kind, color):
    red, green, blue, alpha = color
    marker = Marker(ns=namespace, type=kind, color=ColorRGBA(r=red, g=green, b=blue, a=alpha))
    marker.pose.orientation.w = 1.0
    return marker
