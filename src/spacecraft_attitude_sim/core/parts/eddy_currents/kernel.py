# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Eddy currents in the compiled step; their law: shell.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import added, scaled, six_at, symmetric_times
from spacecraft_attitude_sim.core.parts.craft import LEAST
from spacecraft_attitude_sim.core.parts.kind import Kind
from spacecraft_attitude_sim.kernels.kernel import part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.craft import Place

# magnetic_tensor_B: as xx, yy, zz, xy, xz, yz [S m^4];  largest: its largest principal value
EDDY_CURRENTS = Layout(magnetic_tensor_B=6, largest=1)
TENSOR, LARGEST = EDDY_CURRENTS.places()
ROW = EDDY_CURRENTS.size
# Largest part of a rate that they may take in one automatic sub-step.
LARGEST_LOSS = 0.125


@part
def magnetize(
    at: Place, dipole: Floats, parts: Array, y: Array, slope: Array, field_B: Floats,
    rate_B: Floats,
) -> Floats:  # fmt: skip
    """Add the dipole -M dB/dt of the currents, dB/dt as seen from the body; see Kind."""
    for k in range(at.number):
        tensor = six_at(parts, at.row + k * ROW + TENSOR)
        dipole = added(dipole, scaled(-1.0, symmetric_times(tensor, rate_B)))
    return dipole


@part
def magnetic_bounds(
    at: Place, sums: tuple[float, float], parts: Array, field: float, fastest: float,
    duration: float,
) -> tuple[float, float]:  # fmt: skip
    """Add bounds of the dipole, and of the steps in which its torque slows the body; see Kind."""
    dipole, steps = sums
    for k in range(at.number):
        largest = parts[at.row + k * ROW + LARGEST]
        dipole += largest * fastest
        loss = largest * field * field / parts[LEAST]
        steps = max(steps, loss * duration / LARGEST_LOSS)
    return dipole, steps


KIND = Kind(
    name='eddy_currents',
    row=EDDY_CURRENTS,
    state=Layout(),
    magnetic=True,
    magnetize=magnetize,
    magnetic_bounds=magnetic_bounds,
)
