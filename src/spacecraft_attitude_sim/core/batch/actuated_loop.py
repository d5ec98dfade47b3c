# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Which compiled loop flies a batch of spacecraft whose parts have states of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.core.batch.actuated import run_actuated
from spacecraft_attitude_sim.core.batch.sensors import nothing_read

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.batch.actuated import Rows
    from spacecraft_attitude_sim.core.batch.sensors import Sensors
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.kernels.kernel import Kernel


def loop_of(
    rows: Rows,
    sensors: Sensors | None,
    kept_rows: Array,
    starts: NDArray[Any],
    beside: bool,
    bare: bool,
    flown: bool,
) -> tuple[Kernel, tuple]:
    """Return the loop of a batch, and its arguments after those of core.batch.loop.run.

    beside: whether the spacecraft fly side by side, by core.batch.craft_lanes
    bare: whether they then fly by core.batch.moving_lanes
    flown: whether they have flown before;  others: of `run_actuated`
    """
    if beside:
        from spacecraft_attitude_sim.core.batch import craft_lanes, moving_lanes

        if bare:
            return moving_lanes.run_moving, moving_lanes.arguments_of(rows, starts)
        given = craft_lanes.arguments_of(rows, sensors, kept_rows, starts)
        return craft_lanes.loop_for(rows, flown), given
    read = sensors.arguments if sensors else nothing_read()
    return run_actuated, (*rows.arguments, *read, kept_rows, starts)
