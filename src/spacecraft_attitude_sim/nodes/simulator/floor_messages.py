# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The floor near the body as a grid of points, so that a viewer needs no user code to draw it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sensor_msgs.msg import PointCloud2, PointField

from spacecraft_attitude_sim.core.contact.sheet import grid
from spacecraft_attitude_sim.drawing import floor_mesh
from spacecraft_attitude_sim.recording import floor_sheet

if TYPE_CHECKING:
    from std_msgs.msg import Header

    from spacecraft_attitude_sim.core.contact.floors import Floor
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3


# Squares across the grid, width of a square, and distance of the body from the middle of the grid
# at which a new grid is sent; lengths in reaches of the body.
SQUARES, WIDTH, WANDERS = 28, 0.4, 2.0


class FloorMessages:
    """Makes the messages of a floor that is given by functions, when they change."""

    def __init__(self, reach: float, gravity_W: Vector3) -> None:
        self._axes = floor_mesh.axes_across(floor_mesh.upwards(gravity_W))
        self._width, self._wanders = WIDTH * reach, WANDERS * reach
        self._sent: Any = None, None

    def of(
        self, floor: Floor, time: float, position_W: Vector3, header: Header
    ) -> PointCloud2 | None:
        """Return the PointCloud2 of the floor near a body, or None if the last one is still valid.

        floor: of core.contact.floors;  time: of the floor [s];  position_W: (3,) of the body [m]
        """
        place = self._axes @ position_W
        known, middle = self._sent
        stands = known is floor and not floor.moves()
        if stands and np.max(np.abs(place[:2] - middle)) < self._wanders:
            return None
        middle = self._width * np.round(place[:2] / self._width)
        self._sent = floor, middle
        steps = self._width * (np.arange(SQUARES + 1) - SQUARES / 2)
        points = grid(floor, time, middle[0] + steps, middle[1] + steps, place[2], self._axes)
        return cloud_to_ros(points, header)


def cloud_to_ros(points: Array, header: Header) -> PointCloud2:
    """Return a grid of points (k, l, 3) as an organised PointCloud2 of k rows."""
    rows, columns, _ = points.shape
    fields = [
        PointField(name=name, offset=offset, datatype=kind, count=1)
        for name, offset, kind in floor_sheet.FIELDS
    ]
    return PointCloud2(
        header=header, height=rows, width=columns, fields=fields, is_bigendian=False,
        point_step=12, row_step=12 * columns, is_dense=bool(np.isfinite(points).all()),
        data=points.astype(floor_sheet.NUMBER).tobytes(),
    )  # fmt: skip
