# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""References that follow an orbit: the nadir, and the Sun.

`lvlh`: x along flight, y against the orbit's normal, z to the nadir; its rate is -h/r² about y,
with the derivative -2 (r·v)/r² times that. The turning of the orbit's plane is neglected in its
rate, 3e-5 of it. `sun`: z to the Sun, y at right angles to the pole; its rate, a degree a day, is
neglected.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.circular_orbit import EARTH
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_from_matrix,
    quaternion_product,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import (
    cross,
    dot,
    four_at,
    norm,
    scaled,
    three_at,
)
from spacecraft_attitude_sim.kernels.kernel import compiled, helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion

POSITION, VELOCITY, SUN = AROUND.places('position_W', 'velocity_W', 'to_sun_W')
POLE = (0.0, 0.0, 1.0)
# Index of each attitude among those of a controller.
NADIR, TO_SUN = 0, 4


def attitudes(q_LR: Quaternion, q_SR: Quaternion) -> Array:
    """Return (8,) for `target`: the references' attitudes in `lvlh` and in `sun`."""
    return np.concatenate((q_LR, q_SR), dtype=float)


@compiled
def target(around: Array, to_sun: bool, wanted: Array) -> tuple[float, ...]:
    """Return a reference of core.control.control_law, ten floats.

    around: (25,) of core.environment.surroundings;  to_sun: to the Sun, else to the nadir
    wanted: (8,) of `attitudes`
    """
    if to_sun:
        q = quaternion_product_of(sun_frame(three_at(around, SUN)), four_at(wanted, TO_SUN))
        return (q[0], q[1], q[2], q[3], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    r, v = three_at(around, POSITION), three_at(around, VELOCITY)
    q_LR = four_at(wanted, NADIR)
    q = quaternion_product_of(lvlh(r, v), q_LR)
    square = dot(r, r)
    rate = -norm(cross(r, v)) / square
    change = -2.0 * dot(r, v) / square * rate
    y = quaternion_sandwich(q_LR[0], -q_LR[1], -q_LR[2], -q_LR[3], 0.0, 1.0, 0.0)
    return (
        q[0], q[1], q[2], q[3], rate * y[0], rate * y[1], rate * y[2],
        change * y[0], change * y[1], change * y[2],
    )  # fmt: skip


@compiled
def gradient(around: Array) -> Floats:
    """Return u of core.control.control_law, √(3 GM/r³) along r, world axes [1/s]."""
    r = three_at(around, POSITION)
    size = norm(r)
    return scaled(math.sqrt(3.0 * EARTH / size) / (size * size), r)


@helper
def lvlh(r: Floats, v: Floats) -> Floats:
    """Return q_WL from position and velocity about the Earth, four floats."""
    normal = cross(r, v)
    return _of_axes(scaled(-1.0 / norm(normal), normal), scaled(-1.0 / norm(r), r))


@helper
def sun_frame(to_sun: Floats) -> Floats:
    """Return q_WS from a unit vector to the Sun, which is never along the pole, four floats."""
    across = cross(to_sun, POLE)
    return _of_axes(scaled(1.0 / norm(across), across), to_sun)


@helper
def _of_axes(y: Floats, z: Floats) -> Floats:
    """Return the quaternion of a frame from its axes y and z in world, four floats."""
    x = cross(y, z)
    return quaternion_from_matrix(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@helper
def quaternion_product_of(a: Floats, b: Floats) -> Floats:
    """Return the quaternion product a b, normalised, four floats."""
    w, x, y, z = quaternion_product(a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3])
    n = math.sqrt(w * w + x * x + y * y + z * z)
    return w / n, x / n, y / n, z / n
