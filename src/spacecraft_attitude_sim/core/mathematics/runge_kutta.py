# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The end of a step of classical RK4 from the slopes of its four stages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.kernels.fours import four_at
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.kernels.fours import Four


@helper
def whole_step(y: Array, rows: Array, n: int, h: float, j: int) -> float:
    """Return value j after a step of h; rows: of n slopes each, of the four stages."""
    slope = rows[j] + 2.0 * (rows[n + j] + rows[2 * n + j]) + rows[3 * n + j]
    return y[j] + h / 6.0 * slope


@helper
def whole_step_of_four(y: Array, rows: Array, n: int, h: float, j: int, last: Four) -> Four:
    """Return four values after a step, from index j on; last: their slopes in the last stage."""
    middle = four_at(rows, n + j) + four_at(rows, 2 * n + j)
    return four_at(y, j) + (four_at(rows, j) + middle * 2.0 + last) * (h / 6.0)
