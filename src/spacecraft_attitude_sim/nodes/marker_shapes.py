# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Single markers as RViz wants them: unit quaternions, positive scales, nothing empty.

What has nothing to show becomes a DELETE, because RViz complains about a line of one point.
"""

import numpy as np
from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from spacecraft_attitude_sim.nodes import conversions

# Of an arrow's length, when it is drawn as of this length [m]: shorter ones vanish.
SHORTEST_ARROW = 1e-9


def marker(namespace, kind, color):
    """Return a Marker of a kind at the origin of its frame."""
    red, green, blue, alpha = map(float, color)
    made = Marker(ns=namespace, type=kind, color=ColorRGBA(r=red, g=green, b=blue, a=alpha))
    made.pose.orientation.w = 1.0
    made.scale = Vector3(x=1.0, y=1.0, z=1.0)
    return made


def absent(namespace, kind):
    """Return a Marker that takes away the one of its namespace and number."""
    made = marker(namespace, kind, (0.0, 0.0, 0.0, 1.0))
    made.action = Marker.DELETE
    return made


def arrow(namespace, start_W, vector_W, color, width):
    """Return an arrow from a point (3,) along a vector (3,) [m], its shaft `width` thick [m]."""
    if not np.linalg.norm(vector_W) > SHORTEST_ARROW:
        return absent(namespace, Marker.ARROW)
    made = marker(namespace, Marker.ARROW, color)
    made.points = points((start_W, np.add(start_W, vector_W)))
    made.scale = Vector3(x=width, y=3.0 * width, z=6.0 * width)
    return made


def line(namespace, kind, line_points, color, width):
    """Return a LINE_STRIP or LINE_LIST through geometry_msgs Points, `width` thick [m]."""
    if len(line_points) < 2:
        return absent(namespace, kind)
    made = marker(namespace, kind, color)
    made.points = list(line_points)
    made.scale.x = width
    return made


def ball(namespace, center_W, diameter, color):
    """Return a sphere."""
    made = marker(namespace, Marker.SPHERE, color)
    made.pose.position = conversions.point_to_ros(center_W)
    made.scale = Vector3(x=diameter, y=diameter, z=diameter)
    return made


def faces(namespace, corners, color):
    """Return four-cornered faces (n, 4, 3) as a TRIANGLE_LIST of one colour."""
    triangles = corners[:, (0, 1, 2, 0, 2, 3)].reshape(-1, 3, 3)
    area = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    triangles = triangles[np.any(area, axis=1)]  # at a pole a face has three corners
    if not len(triangles):
        return absent(namespace, Marker.TRIANGLE_LIST)
    made = marker(namespace, Marker.TRIANGLE_LIST, color)
    made.points = points(triangles.reshape(-1, 3))
    return made


def points(vectors):
    """Return a list of geometry_msgs Points."""
    return [conversions.point_to_ros(vector) for vector in vectors]
