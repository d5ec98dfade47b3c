# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Figures of internal parts: their motion, and the dissipation of energy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.parts.coordinates.layouts import CAUGHT, HELD, LATCHED
from spacecraft_attitude_sim.core.studies.energy_sink import EQUAL
from spacecraft_attitude_sim.drawing import colors, limited_panels, part_figures
from spacecraft_attitude_sim.drawing.curves import Panel
from spacecraft_attitude_sim.drawing.limited_panels import Limited

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from spacecraft_attitude_sim.core.studies.energy_sink import Rotation
    from spacecraft_attitude_sim.recording.history import History
    from spacecraft_attitude_sim.recording.part_history import PartHistory

# {index of a principal moment, the smallest first: name of a spin about its axis}
SPINS = {0: 'smallest I', 1: 'intermediate I', 2: 'largest I'}
# Colours of the angles of Rotation.nutation_angles.
ANGLES = {
    'axis of the largest I': colors.AXES[2],
    'axis of the smallest I': colors.AXES[0],
    'h of the wheels': colors.WHEEL_MOMENTUM,
}
# Smallest range of an axis, as a share of the energy, so that round-off is not magnified.
LEAST_SPAN = 1e-6


def figure(history: History, title: str) -> Figure:
    """Return the Figure of internal parts: panel angles, positions of masses, modes and rates.

    It has a line at each time at which a panel is released or latched.
    """
    found = history.internal
    assert found
    drawn = limited_panels.figure(history.time, part_figures.internal_panels(found), title)
    mark(drawn.axes, events(found, history.time))
    return drawn


def events(found: PartHistory, time: Array) -> list[tuple[float, str]]:
    """Return (time [s], text) of each release and latching of a panel; time: (n,) [s]."""
    made = []
    for (name, part), how in zip(found.parts.coordinates.items(), found.how.T, strict=True):
        if not part.revolute:
            continue
        held, caught = how == HELD, (how == LATCHED) | (how == CAUGHT)
        let_go = np.flatnonzero(held[:-1] & ~held[1:]) + 1
        made += [(float(time[row]), f'{name} released') for row in let_go]
        latched = np.flatnonzero(~caught[:-1] & caught[1:]) + 1
        made += [(float(time[row]), f'{name} latched') for row in latched]
    return sorted(made)


def mark(axes: list[Axes], events: list[tuple[float, str]]) -> None:
    """Draw a line through all axes at each event, with its text in the first."""
    for number, (time, words) in enumerate(events):
        for axis in axes:
            axis.axvline(time, color=colors.LIMIT, linestyle='-.', linewidth=1.0, zorder=1.5)
        # One below the other, because they may be at one instant.
        axes[0].annotate(
            words, (time, 1.0), (3.0, -11.0 - 10.0 * (number % 4)),
            xycoords=('data', 'axes fraction'), textcoords='offset points', fontsize='x-small',
            color=colors.LIMIT, bbox={'color': 'white', 'alpha': 0.7, 'pad': 0.5},
        )  # fmt: skip


def sink_figure(history: History, title: str) -> Figure:
    """Return the Figure of an energy sink: nutation angles and remaining rotational energy.

    The energy is that of the spacecraft with internal parts at rest, relative to its first value.
    If nothing inside holds momentum, it also shows the energy of a spin about each axis with L.
    """
    rotation = history.rotation
    assert rotation
    drawn = limited_panels.figure(history.time, sink_panels(rotation), title)
    label_bounds(drawn.axes[-1], history.time, rotation)
    if history.internal:
        mark(drawn.axes, events(history.internal, history.time))
    return drawn


def sink_panels(rotation: Rotation) -> list[Limited]:
    """Return the panels: nutation angles [deg], rotational energy relative to the first [%]."""
    made = []
    if angles := rotation.nutation_angles():
        values = np.degrees(np.column_stack(list(angles.values())))
        names = tuple(angles)
        first = ', '.join(f'{one:.4g}' for one in values[0])
        last = ', '.join(f'{one:.4g}' for one in values[-1])
        told = f'{first} at first, {last} deg at the end'
        label = 'nutation: angle of L\nto each axis [deg]'
        drawn = tuple(ANGLES[name] for name in names)
        made.append(Limited(Panel(values, label, names, drawn, told, key='nutation')))
    shares = energy_shares(rotation)
    label = 'energy of rotation\n[% of start]'
    told = f'{shares[-1]:.5g} % at the end'
    made.append(Limited(Panel(
        shares[:, np.newaxis], label, ('energy of rotation',), (colors.ROTATION_ENERGY,), told,
        key='rotation_energy',
    )))  # fmt: skip
    return made


def energy_shares(rotation: Rotation) -> Array:
    """Return the rotational energy (n,) relative to its first value [%]."""
    return 100.0 * rotation.energies / (_first(rotation) or 1.0)


def bound_shares(rotation: Rotation) -> Array | None:
    """Return the same for a spin about each axis (n, 3) [%]; None if wheels hold momentum."""
    if np.any(rotation.held_B):
        return None
    return 100.0 * rotation.bounds / (_first(rotation) or 1.0)


def _first(rotation: Rotation) -> float:
    """Return the first energy [J], or the largest if the first is 0."""
    energies = rotation.energies
    return float(energies[0] or np.max(energies))


def label_bounds(axis: Axes, time: Array, rotation: Rotation) -> None:
    """Draw the energy of a spin about each axis, label it, and fit the axis to all."""
    bounds = bound_shares(rotation)
    shares = energy_shares(rotation)
    low, high = float(np.nanmin(shares)), float(np.nanmax(shares))
    if bounds is not None:
        shown = np.column_stack((bounds, shares))
        low, high = float(np.nanmin(shown)), float(np.nanmax(shown))
        low_I, middle_I, high_I = rotation.moments[0]
        equal = middle_I - low_I <= EQUAL * middle_I or high_I - middle_I <= EQUAL * high_I
        for number, name in SPINS.items():
            if number == 1 and equal:
                continue
            color = colors.AXES[number]
            axis.plot(time, bounds[:, number], color=color, linestyle='--', linewidth=1.0)
            axis.annotate(
                f'L²/2I, {name}', (time[-1], bounds[-1, number]), (-4.0, 3.0),
                textcoords='offset points', ha='right', fontsize='x-small', color=color,
            )  # fmt: skip
    span = max(high - low, LEAST_SPAN * 100.0)
    axis.set_ylim(low - 0.06 * span, high + 0.12 * span)
