# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The figures of parts that move inside a spacecraft: how far, and where the energy goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.internal.flexible_modes import FlexibleMode
from spacecraft_attitude_sim.core.internal.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.internal.layouts import CAUGHT, HELD, LATCHED
from spacecraft_attitude_sim.core.internal.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.studies.energy_sink import EQUAL
from spacecraft_attitude_sim.drawing import colors, limited_panels
from spacecraft_attitude_sim.drawing.curves import Panel
from spacecraft_attitude_sim.drawing.limited_panels import Limited

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from spacecraft_attitude_sim.core.internal.internal_parts import InternalParts
    from spacecraft_attitude_sim.core.studies.energy_sink import Rotation
    from spacecraft_attitude_sim.recording.history import History
    from spacecraft_attitude_sim.recording.internal_history import InternalHistory

# Displacements up to this are drawn in mm [m].
IN_MM = 0.2
# {number of a moment, the smallest first: what a spin about its axis is called}
SPINS = {0: 'smallest I', 1: 'intermediate I', 2: 'largest I'}
# Colours of the angles of Rotation.nutation_angles.
ANGLES = {
    'axis of the largest I': colors.AXES[2],
    'axis of the smallest I': colors.AXES[0],
    'h of the wheels': colors.WHEEL_MOMENTUM,
}
# Least share of the energy between the ends of an axis, so that round-off is not magnified.
LEAST_SPAN = 1e-6


def figure(history: History, title: str) -> Figure:
    """Return the Figure of what moves inside: angles of panels, places of masses, modes, rates.

    With a line at each time at which a panel was let go or caught.
    """
    found = history.internal
    assert found
    drawn = limited_panels.figure(history.time, panels(found), title)
    mark(drawn.axes, events(found, history.time))
    return drawn


def panels(found: InternalHistory) -> list[Limited]:
    """Return the panels of what there is; a colour for each part, that of its body in pictures."""
    parts, made = found.parts, []
    names, angles = chosen(found, HingedPanel)
    if names:
        made.append(
            _of(found, names, np.degrees(angles), 'angle of each\npanel', 'deg', 'panel_angle')
        )
    names, places = chosen(found, SlidingMass)
    if names:
        factor, unit = in_mm(places)
        made.append(
            _of(
                found,
                names,
                factor * places,
                'displacement of\neach mass',
                unit,
                'mass_displacement',
            )
        )
    names, modes = chosen(found, FlexibleMode)
    if names:
        made.append(_of(found, names, modes, 'modal\ndisplacement', '√kg m', 'mode'))
    if parts.pendulums:
        names = tuple(parts.pendulums)
        label = 'each pendulum\nfrom its rest'
        angles = np.degrees(swing_angles(parts, found.swings))
        made.append(_of(found, names, angles, label, 'deg', 'pendulum'))
    if parts.slugs:
        rates = np.linalg.norm(found.slug_rates, axis=2)
        label = 'slugs relative\nto the body'
        made.append(_of(found, tuple(parts.slugs), rates, label, 'rad/s', 'slug_rate'))
    if parts.hysteresis_rods:
        label = 'flux density of\neach rod'
        names = tuple(parts.hysteresis_rods)
        made.append(_of(found, names, found.flux_densities, label, 'T', 'flux_density'))
    return made


def chosen(found: InternalHistory, kind: type) -> tuple[tuple[str, ...], Array]:
    """Return the names of the coordinates of a class, and their displacements (n, k)."""
    several = list(enumerate(found.parts.coordinates.items()))
    those = [(number, name) for number, (name, one) in several if isinstance(one, kind)]
    columns = [number for number, _ in those]
    return tuple(name for _, name in those), found.displacements[:, columns]


def swing_angles(parts: InternalParts, swings: Array) -> Array:
    """Return the angles (n, P) of pendulums from where they rest [rad].

    swings: (n, P, 3) of their masses from there, body axes [m]
    """
    lengths = np.array([one.length for one in parts.pendulums.values()])
    chords = np.linalg.norm(swings, axis=2) / lengths
    angles: Array = 2.0 * np.arcsin(np.clip(chords / 2.0, 0.0, 1.0))
    return angles


def events(found: InternalHistory, time: Array) -> list[tuple[float, str]]:
    """Return when a panel was let go or caught, and what to say of it; time: (n,) [s]."""
    made = []
    for (name, part), how in zip(found.parts.coordinates.items(), found.how.T, strict=True):
        if not isinstance(part, HingedPanel):
            continue
        held, caught = how == HELD, (how == LATCHED) | (how == CAUGHT)
        let_go = np.flatnonzero(held[:-1] & ~held[1:]) + 1
        made += [(float(time[row]), f'{name} released') for row in let_go]
        latched = np.flatnonzero(~caught[:-1] & caught[1:]) + 1
        made += [(float(time[row]), f'{name} latched') for row in latched]
    return sorted(made)


def in_mm(places: Array) -> tuple[float, str]:
    """Return the factor and unit in which displacements [m] are drawn."""
    small = np.nanmax(np.abs(places), initial=0.0) <= IN_MM
    return (1e3, 'mm') if small else (1.0, 'm')


def shades(found: InternalHistory, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the colours of parts."""
    parts = found.parts
    every = (*parts.coordinates, *parts.pendulums, *parts.slugs, *parts.hysteresis_rods)
    return tuple(colors.of_part(every.index(name)) for name in names)


def _of(
    found: InternalHistory, names: tuple[str, ...], values: Array, what: str, unit: str, key: str
) -> Limited:
    """Return the panel of values (n, k) of parts."""
    largest = int(np.argmax(np.nanmax(np.abs(values), axis=0)))
    most = np.nanmax(np.abs(values[:, largest]))
    told = f'{names[largest]} at most {most:.4g}, at the end {values[-1, largest]:.4g} {unit}'
    label, drawn = f'{what} [{unit}]', shades(found, names)
    return Limited(Panel(values, label, names, drawn, told, from_zero=True, key=key))


def mark(axes: list[Axes], events: list[tuple[float, str]]) -> None:
    """Draw a line through axes at each event, named in the first of them."""
    for number, (time, words) in enumerate(events):
        for axis in axes:
            axis.axvline(time, color=colors.LIMIT, linestyle='-.', linewidth=1.0, zorder=1.5)
        # One below the other, for they may be of one instant.
        axes[0].annotate(
            words, (time, 1.0), (3.0, -11.0 - 10.0 * (number % 4)),
            xycoords=('data', 'axes fraction'), textcoords='offset points', fontsize='x-small',
            color=colors.LIMIT, bbox={'color': 'white', 'alpha': 0.7, 'pad': 0.5},
        )  # fmt: skip


def sink_figure(history: History, title: str) -> Figure:
    """Return the Figure of an energy sink: nutation angles, and the energy of rotation left.

    The energy is that of the spacecraft with all inside stopped, by that at first; with it, where
    nothing inside holds momentum, what a spin about each axis with this L has.
    """
    rotation = history.rotation
    assert rotation
    drawn = limited_panels.figure(history.time, sink_panels(rotation), title)
    label_bounds(drawn.axes[-1], history.time, rotation)
    if history.internal:
        mark(drawn.axes, events(history.internal, history.time))
    return drawn


def sink_panels(rotation: Rotation) -> list[Limited]:
    """Return the panels: nutation angles [deg], energy of rotation by that at first [%]."""
    made = []
    if angles := rotation.nutation_angles():
        values = np.degrees(np.column_stack(list(angles.values())))
        names = tuple(angles)
        first = ', '.join(f'{one:.4g}' for one in values[0])
        last = ', '.join(f'{one:.4g}' for one in values[-1])
        told = f'{first} at first, {last} deg at the end'
        label = 'nutation: angle\nof L and [deg]'
        drawn = tuple(ANGLES[name] for name in names)
        made.append(Limited(Panel(values, label, names, drawn, told, key='nutation')))
    shares = energy_shares(rotation)
    label = 'energy of rotation\nby that at first [%]'
    told = f'{shares[-1]:.5g} % at the end'
    made.append(Limited(Panel(
        shares[:, np.newaxis], label, ('energy of rotation',), (colors.ROTATION_ENERGY,), told,
        key='rotation_energy',
    )))  # fmt: skip
    return made


def energy_shares(rotation: Rotation) -> Array:
    """Return the energy of rotation by that at first (n,) [%]."""
    return 100.0 * rotation.energies / (_first(rotation) or 1.0)


def bound_shares(rotation: Rotation) -> Array | None:
    """Return the same of a spin about each axis (n, 3) [%]; None if wheels hold momentum."""
    if np.any(rotation.held_B):
        return None
    return 100.0 * rotation.bounds / (_first(rotation) or 1.0)


def _first(rotation: Rotation) -> float:
    """Return the first energy [J]; of a spacecraft that is turned up later, the largest."""
    energies = rotation.energies
    return float(energies[0] or np.max(energies))


def label_bounds(axis: Axes, time: Array, rotation: Rotation) -> None:
    """Draw the energy of a spin about each axis, named at its end, and fit the axis to all."""
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
