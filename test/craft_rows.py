# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of the kernel that advances a spacecraft with parts, by compiled code or by Python."""

import numpy as np

from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.parts.craft import END
from spacecraft_attitude_sim.core.simulation import Inputs

FASTEST = 1e6  # [rad/s]; faster than anything that a test turns


def rows_by(advance, plant, state, *, count=1, first=0, substeps=0, inputs=None):
    """Return the rows (count, any) of Kernels.advance.

    advance: the kernel, or its function in Python;  first: ticks since the start
    inputs: Inputs of all ticks, None for none
    """
    craft, solver, ticks = plant.spacecraft, plant.solver, plant.ticks
    width = SIZE + len(state.internal) + END.size + craft.places['thrusters'].number
    rows = np.zeros(count * width)
    skies = plant.environment.skies(solver.sky, range(first, first + count), ticks.tick_ns)
    written = advance(
        to_flat(state), rows, solver.parts, craft.commands(inputs or Inputs()), np.zeros(12),
        skies, count, first, ticks.tick_ns, substeps, FASTEST,
    )  # fmt: skip
    assert written == count
    return rows.reshape(count, width)
