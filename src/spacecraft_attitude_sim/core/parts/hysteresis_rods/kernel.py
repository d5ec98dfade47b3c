# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Hysteresis rods in the compiled step; the law of their loop: core.internal.hysteresis_rods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.internal.hysteresis_rods import (
    VACUUM_PERMEABILITY,
    matching_rate,
    most_dipole,
    rod_dipole,
    rod_steps,
)
from spacecraft_attitude_sim.core.internal.layouts import HYSTERESIS_ROD, HYSTERESIS_ROD_STATE
from spacecraft_attitude_sim.core.mathematics.vectors import dot, moved_vector, three_at
from spacecraft_attitude_sim.core.parts.kind import Kind
from spacecraft_attitude_sim.kernels.kernel import part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.craft import Place

ROW, STATES = HYSTERESIS_ROD.size, HYSTERESIS_ROD_STATE.size


@part
def magnetize(
    at: Place, dipole: Floats, parts: Array, y: Array, slope: Array, field_B: Floats,
    rate_B: Floats,
) -> Floats:  # fmt: skip
    """Write the rates of the states, and add the dipoles [A m^2]; see Kind.

    field_B, rate_B: field at the rods and its rate of change seen from the body, three floats each
        [T, T/s], body axes
    """
    row, k = at.row, at.value
    for _ in range(at.number):
        axis = three_at(parts, row)
        along, changed = dot(axis, field_B), dot(axis, rate_B)
        slope[k] = matching_rate(
            parts, row, y[k], along / VACUUM_PERMEABILITY, changed / VACUUM_PERMEABILITY
        )
        dipole = moved_vector(dipole, rod_dipole(parts, row, y[k]), axis)
        row, k = row + ROW, k + STATES
    return dipole


@part
def magnetic_bounds(
    at: Place, sums: tuple[float, float], parts: Array, field: float, fastest: float,
    duration: float,
) -> tuple[float, float]:  # fmt: skip
    """Add a bound of the dipoles [A m^2], and the steps that the loops need; see Kind."""
    dipole, steps = sums
    for k in range(at.number):
        row = at.row + k * ROW
        dipole += most_dipole(parts, row)
        steps = max(steps, rod_steps(parts, row, fastest / VACUUM_PERMEABILITY, duration))
    return dipole, steps


KIND = Kind(
    name='hysteresis_rods', row=HYSTERESIS_ROD, state=HYSTERESIS_ROD_STATE, values=STATES,
    inside=True, magnetic=True, changes_inertia=True,
    magnetize=magnetize, magnetic_bounds=magnetic_bounds,
)  # fmt: skip
