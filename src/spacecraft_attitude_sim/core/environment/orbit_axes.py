# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The axes O of an orbit: local vertical, local horizontal (LVLH).

x is forward along the horizon, y against the orbit's normal, z to the planet's centre (CCSDS
500.0-G, LVLH). Their angular velocity is r × v / r² in the axes of world.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm, product

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion, Vector3


def attitude(position_W: Vector3, velocity_W: Vector3) -> Quaternion:
    """Return q_WO (4,), which turns vectors from the orbit's axes to world.

    position_W, velocity_W: (3,) from the planet's centre [m, m/s], not parallel
    """
    down = -position_W / norm(position_W)
    normal = np.cross(position_W, velocity_W)
    y = -normal / norm(normal)
    columns = np.column_stack((np.cross(y, down), y, down))
    return rotations.quaternion_from_matrix(*map(float, columns.flat))


def rate_W(position_W: Vector3, velocity_W: Vector3) -> Vector3:
    """Return the angular velocity (3,) of the orbit's axes [rad/s], world."""
    return np.cross(position_W, velocity_W) / float(product(position_W, position_W))
