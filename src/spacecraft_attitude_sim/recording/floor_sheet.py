# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The floor of topic contact/floor: a grid of points on it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Fields of the PointCloud2: type of the numbers, their names and offsets, and PointField.FLOAT32.
NUMBER = np.dtype('<f4')
FIELDS = (('x', 0, 7), ('y', 4, 7), ('z', 8, 7))
MOST_POINTS, FARTHEST = 2**13, 1e12


class Sheet(NamedTuple):
    """A piece of a floor, sampled by the simulator.

    points: (k, l, 3) float32 [m], world axes, a grid of squares seen along `up_W`; NaN if there is
        no floor
    """

    points: NDArray[np.float32]


def sheet_of(message: Any) -> Sheet:
    """Return the Sheet in an organised sensor_msgs/PointCloud2 of rclpy or rosbags.

    Raises ValueError for any other cloud.
    """
    shape = message.height, message.width
    if tuple((field.name, field.offset, field.datatype) for field in message.fields) != FIELDS:
        raise ValueError('is no grid of x, y, z')
    if min(shape) < 2 or shape[0] * shape[1] > MOST_POINTS or message.is_bigendian:
        raise ValueError(f'is no grid that can be drawn: {shape[0]} by {shape[1]} points')
    if len(message.data) != 3 * NUMBER.itemsize * shape[0] * shape[1]:
        raise ValueError(f'holds {len(message.data)} bytes for {shape[0]} by {shape[1]} points')
    points = np.frombuffer(bytes(message.data), NUMBER).reshape(*shape, 3)
    if np.any(np.isinf(points)) or np.nanmax(np.abs(points), initial=0.0) > FARTHEST:
        raise ValueError('has a point too far away to be drawn')
    return Sheet(points)
