# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Panels and figures of actuators and internal parts over time, from the channels they declare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.control import gimbal_steering
from spacecraft_attitude_sim.drawing import colors, limited_panels
from spacecraft_attitude_sim.drawing.curves import Panel
from spacecraft_attitude_sim.drawing.limited_panels import Limited

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from spacecraft_attitude_sim.core.mathematics.channel import Shown
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.recording.history import History
    from spacecraft_attitude_sim.recording.part_history import PartHistory

# Up to this number of thrusters, the note gives pulses and impulse of each.
MOST_TOLD = 3
POWERS = ('', '', '²', '³')
# Displacements of masses up to this are drawn in mm [m].
IN_MM = 0.2
# Order of the panels of coordinates, by how they look.
LOOKS = ('plate', 'ball', '')
# Kinds of actuator with a figure of their own: that of wheels has more than panels.
FIGURES = ('gimbals', 'thrusters', 'magnetorquers')


def figures(history: History, title: str) -> dict[str, Figure]:
    """Return {kind of actuator: Figure} for a History, without wheels."""
    return {
        kind: limited_panels.figure(history.time, several, title)
        for kind, several in panels(history).items()
        if kind in FIGURES
    }


def panels(history: History) -> dict[str, list[Limited]]:
    """Return {kind of part: its panels} for a History."""
    drawn, first = dict[str, list[Limited]](), 0
    for kind, found in (history.parts or {}).items():
        if kind == 'internal':
            drawn[kind] = internal_panels(found)
            continue
        joints = any(channel.joint for channel in found.parts.CHANNELS)
        several = of_channels(found, first if joints else 0)
        drawn[kind] = MORE[kind](history, found, several) if kind in MORE else several
        first += len(found.parts.names)
    return drawn


def of_channels(found: PartHistory, first: int = 0) -> list[Limited]:
    """Return the panel of each channel of actuators that figures show, if anything is known.

    first: index of the first one's colour
    """
    drawn, parts = [], found.parts
    for channel in parts.CHANNELS:
        shown, values = channel.shown, found.arrays.get(channel.name)
        if shown is None or values is None or not np.isfinite(values).any():
            continue
        if shown.size:
            drawn.append(limited_panels.of_vector(values, shown.axis, shown.size, shown.key))
            continue
        free = np.full(len(parts.names), np.inf)
        limits = getattr(parts, channel.limit) if channel.limit else free
        drawn.append(limited_panels.of_each(parts.names, values, limits, shown, first))
    return drawn


# --- what a kind changes -----------------------------------------------------------------------


def _of_wheels(history: History, found: PartHistory, several: list[Limited]) -> list[Limited]:
    """Return the panels of wheels with that of L before that of their momentum."""
    *_, last = several
    if not found.parts.detailed:  # torques are constant in a tick
        several = [
            _but(one, style='steps-pre') if one.panel.key == 'wheel_torque' else one
            for one in several
        ]
    if history.gimbals:
        last = _but(last, label=last.panel.label.replace('wheels', 'wheels and rotors'))
    label = 'angular momentum L\nbody axes [N m s]'
    whole = limited_panels.of_vector(history.angular_momentum_B, label, '|L|', 'L')
    return [*several[:-1], whole, last]


def _of_gimbals(_: History, found: PartHistory, several: list[Limited]) -> list[Limited]:
    """Return the panels of gimbals, with the singularity measure of several."""
    if (count := len(found.parts.names)) < 2:
        return several
    measures = singularity_measures(found)
    least = f'least {measures.min():.3g}, at the end {measures[-1]:.3g}; 0 is singular'
    label = f'singularity\nmeasure [(N m s){POWERS[min(count, 3)]}]'
    panel = Panel(
        measures[:, np.newaxis], label, ('measure',), (colors.ERROR,), least, from_zero=True,
        key='singularity',
    )  # fmt: skip
    return [*several, Limited(panel)]


def singularity_measures(found: PartHistory) -> Array:
    """Return core.control.gimbal_steering.singularity_measure (n,) of gimbals at every instant."""
    several = [gimbal_steering.singularity_measure(found.parts, one) for one in found.angles]
    return np.array(several)


def _of_thrusters(_: History, found: PartHistory, several: list[Limited]) -> list[Limited]:
    """Return the panels of thrusters; a pulse shorter than a tick is drawn as its mean."""
    changes: dict[str, dict[str, str]] = {
        'thrust': {'style': 'steps-pre'},
        'impulse': {'note': _told(found.parts.names, found.pulses[-1], found.sums[-1])},
    }
    if any(one.specific_impulse for one in found.parts.thrusters):
        changes['propellant'] = {'note': f'{1e3 * found.used[-1].sum():.4g} g at the end'}
    return [_but(one, **changes[one.panel.key]) for one in several if one.panel.key in changes]


def _told(names: Sequence[str], pulses: np.ndarray, impulses: np.ndarray) -> str:
    """Return the number of pulses and the impulse as text."""
    several = list(zip(names, pulses, impulses, strict=True))
    if len(names) > MOST_TOLD:
        several = [('all', pulses.sum(), impulses.sum())]
    return '; '.join(
        f'{name} {impulse:.4g} N s' + (f' in {count:.0f} pulses' if count else '')
        for name, count, impulse in several
    )


MORE = {'wheels': _of_wheels, 'gimbals': _of_gimbals, 'thrusters': _of_thrusters}


def _but(one: Limited, **changes: Any) -> Limited:
    return one._replace(panel=one.panel._replace(**changes))


# --- internal parts ----------------------------------------------------------------------------


def internal_panels(found: PartHistory) -> list[Limited]:
    """Return the panels of internal parts; each part has the same colour as in pictures."""
    groups, drawn = found.parts.groups, []
    every = [name for group in groups for name in group]
    for group in groups:
        kinds: dict[Any, None] = dict.fromkeys(map(type, group.values()))
        for kind in sorted(kinds, key=lambda kind: LOOKS.index(kind.look)):
            (channel,) = (channel for channel in kind.CHANNELS if channel.shown)
            several = enumerate(group.items())
            chosen = {name: number for number, (name, part) in several if type(part) is kind}
            values = getattr(found, channel.name)[:, list(chosen.values())]
            shades = tuple(colors.of_part(every.index(name)) for name in chosen)
            drawn.append(_of_internal(channel.shown, tuple(chosen), shades, values))
    return drawn


def _of_internal(
    shown: Shown, names: tuple[str, ...], shades: tuple[str, ...], values: Array
) -> Limited:
    """Return the panel of values (n, k) of parts, or of the magnitudes of vectors (n, k, 3)."""
    if values.ndim == 3:
        values = np.linalg.norm(values, axis=2)
    if shown.unit == 'm' and np.nanmax(np.abs(values), initial=0.0) <= IN_MM:
        shown = shown._replace(unit='mm', factor=1e3)
    values = shown.factor * values
    largest = int(np.argmax(np.nanmax(np.abs(values), axis=0)))
    most = np.nanmax(np.abs(values[:, largest]))
    told = (
        f'{names[largest]} at most {most:.4g}, at the end {values[-1, largest]:.4g} {shown.unit}'
    )
    return Limited(Panel(values, shown.axis, names, shades, told, from_zero=True, key=shown.key))
