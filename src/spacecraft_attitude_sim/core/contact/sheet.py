# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A piece of a floor G(t, x) as a grid of points on it, for drawing."""

import math

import numpy as np

from spacecraft_attitude_sim.core.contact.floor_functions import floor_handle
from spacecraft_attitude_sim.core.contact.floors import Floor
from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3, Vectors3
from spacecraft_attitude_sim.kernels.kernel import Handle, compiled

NEWTON_STEPS = 20
# A point nearer to the floor than this counts as on it [m].
AWAY_FROM_FLOOR = 1e-6


def grid(floor: Floor, time: float, u: Array, v: Array, height: float, axes: Matrix3) -> Array:
    """Return points (k, l, 3) where lines along the third axis meet a floor, NaN without one.

    floor: of core.contact.floors;  u: (k,), v: (l,) along the first two axes [m];  height: along
    the third, where the search begins [m];  axes: (3, 3) unit vectors as rows, world
    """
    places = np.stack((*np.meshgrid(u, v, indexing='ij'), np.full((len(u), len(v)), height)), -1)
    starts = np.ascontiguousarray((places @ axes).reshape(-1, 3))
    handle = floor_handle(*floor.functions())
    found = dropped(handle, floor.parameters(), time, starts, np.array(axes[2]))
    return found.reshape(places.shape)


@compiled
def dropped(
    handle: Handle, parameters: Array, time: float, starts: Vectors3, up: Vector3
) -> Vectors3:
    """Return where lines along `up` (3,) from the starts (n, 3) meet G = 0 by Newton's method.

    NaN where it does not converge.

    handle: floor_handle of the floor
    """
    found = np.full(starts.shape, np.nan)
    for index in range(starts.shape[0]):
        x, y, z = starts[index, 0], starts[index, 1], starts[index, 2]
        for _ in range(NEWTON_STEPS):
            values = handle[0](time, x, y, z, parameters)
            level, a, b, c = values[0], values[3], values[4], values[5]
            slope = a * up[0] + b * up[1] + c * up[2]
            if not (slope > 0.0 and math.isfinite(level)):
                break
            if abs(level) <= AWAY_FROM_FLOOR * math.sqrt(a * a + b * b + c * c):
                found[index, 0], found[index, 1], found[index, 2] = x, y, z
                break
            step = level / slope
            x, y, z = x - step * up[0], y - step * up[1], z - step * up[2]
    return found
