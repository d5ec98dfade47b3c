# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Hysteresis rods in the compiled step; the law of their loop: description.py."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import dot, moved_vector, three_at
from spacecraft_attitude_sim.core.parts.kind import Kind
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.craft import Place

VACUUM_PERMEABILITY = 4e-7 * math.pi  # [T m/A]
# axis_B: along which it is magnetised;  coercivity: [A/m]
# steepness: of its curve without coercivity [m/A];  flux: 2/π of the saturation [T]
# demagnetizing: field per flux density [A/(m T)];  dipole: per flux density [A m^2/T]
HYSTERESIS_ROD = Layout(
    axis_B=3, coercivity=1, steepness=1, flux=1, demagnetizing=1, dipole=1
)  # fmt: skip
# matching: u, the field that would give its flux density without coercivity [A/m]
HYSTERESIS_ROD_STATE = Layout(matching=1)
COERCIVITY, STEEPNESS, FLUX, DEMAGNETIZING, DIPOLE = HYSTERESIS_ROD.places(
    'coercivity', 'steepness', 'flux', 'demagnetizing', 'dipole'
)
# Largest change of the field in a step, over the coercivity: RK4 then follows a loop to 4e-6 of
# its width.
LARGEST_CHANGE = 0.25
ROW, STATES = HYSTERESIS_ROD.size, HYSTERESIS_ROD_STATE.size


@helper
def curve_of(parts: Array, row: int, matching: float) -> float:
    """Return π/2 of the part of its saturation to which a rod is magnetised.

    row: where its constants begin in parts;  matching: its state u [A/m]
    """
    return math.atan(parts[row + STEEPNESS] * matching)


@helper
def rod_dipole(parts: Array, row: int, curve: float) -> float:
    """Return the dipole of a rod along its axis [A m^2]; curve: of `curve_of`."""
    return parts[row + DIPOLE] * parts[row + FLUX] * curve


@helper
def most_dipole(parts: Array, row: int) -> float:
    """Return the dipole of a saturated rod [A m^2]; row: as `rod_dipole`."""
    return 0.5 * math.pi * parts[row + DIPOLE] * parts[row + FLUX]


@helper
def matching_rate(
    parts: Array, row: int, matching: float, curve: float, outside: float, outside_rate: float
) -> float:
    """Return du/dt of a rod [A/(m s)].

    matching: its state u [A/m];  curve: of `curve_of`
    outside, outside_rate: field along its axis, and its rate of change [A/m, A/(m s)]
    """
    steep = parts[row + STEEPNESS] * matching
    weaker = parts[row + DEMAGNETIZING] * parts[row + FLUX]
    lead = outside - weaker * curve - matching
    coercivity = parts[row + COERCIVITY]
    # Outside the curves, where no loop goes, u stays until the field comes back.
    come = max(0.0, coercivity + math.copysign(lead, lead * outside_rate)) / (2.0 * coercivity)
    square = come * come
    opposed = weaker * parts[row + STEEPNESS] / (1.0 + steep * steep)
    return square * outside_rate / (1.0 + opposed * square)


@helper
def rod_steps(parts: Array, row: int, fastest: float, duration: float) -> float:
    """Return the number of steps that resolve a rod's loop.

    fastest: bound of the field's rate of change along it, |ω| |field| [A/(m s)];  duration: [s]
    """
    return fastest * duration / (LARGEST_CHANGE * parts[row + COERCIVITY])


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
        curve = curve_of(parts, row, y[k])
        slope[k] = matching_rate(
            parts, row, y[k], curve, along / VACUUM_PERMEABILITY, changed / VACUUM_PERMEABILITY
        )
        dipole = moved_vector(dipole, rod_dipole(parts, row, curve), axis)
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
    magnetic=True, changes_inertia=True, lasting=True,
    magnetize=magnetize, magnetic_bounds=magnetic_bounds,
)  # fmt: skip
