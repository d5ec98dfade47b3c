# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The floor, from the markers that draw it for RViz (namespace `floor`)."""

import numpy as np
import rerun as rr

from spacecraft_attitude_sim.core import rotations
from spacecraft_attitude_sim.core.primitives import Primitive
from spacecraft_attitude_sim.files import drawing
from spacecraft_attitude_sim.viewer.scene import as_mesh

# Of visualization_msgs/Marker; its class needs ROS, which a bag does not.
CUBE, SPHERE, CYLINDER, TRIANGLES = 1, 2, 3, 11
ADD = 0


def archetypes(markers):
    """Return {name: archetype} of the markers of a MarkerArray that are floor; {} for none."""
    found = {}
    for marker in markers.markers:
        if marker.ns != 'floor' or marker.action != ADD:
            continue
        if marker.type == TRIANGLES:
            found[str(marker.id)] = _triangles(marker)
        elif marker.type in (CUBE, SPHERE, CYLINDER):
            found[str(marker.id)] = as_mesh(drawing.mesh([_primitive(marker)]))
    return found


def _primitive(marker):
    size = _vector(marker.scale)
    shape, dimensions = {
        CUBE: ('box', size),
        SPHERE: ('ellipsoid', size / 2.0),
        CYLINDER: ('cylinder', (size[0] / 2.0, size[2])),
    }[marker.type]
    position, orientation = _pose(marker)
    return Primitive(
        shape, tuple(dimensions), tuple(position), tuple(orientation), color=_color(marker.color)
    )


def _triangles(marker):
    position_W, q = _pose(marker)
    scale = _vector(marker.scale)
    points = np.array([_vector(point) for point in marker.points]) * scale
    points = points @ rotations.dcm_from_quaternion(q).T + position_W
    colors = [_color(color) for color in marker.colors]
    return rr.Mesh3D(
        vertex_positions=points,
        vertex_colors=colors if len(colors) == len(points) else None,
        albedo_factor=None if len(colors) == len(points) else _color(marker.color),
    )


def _vector(message):
    return np.array((message.x, message.y, message.z))


def _pose(marker):
    q = marker.pose.orientation
    return _vector(marker.pose.position), rotations.unit_quaternion((q.w, q.x, q.y, q.z))


def _color(color):
    return (color.r, color.g, color.b, color.a)
