# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The figure of the environment in an orbit, and the shading of eclipses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.drawing import colors, limited_panels
from spacecraft_attitude_sim.drawing.curves import Panel
from spacecraft_attitude_sim.drawing.limited_panels import Limited

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from spacecraft_attitude_sim.recording.history import History
    from spacecraft_attitude_sim.recording.orbit_history import OrbitHistory

NIGHT = '(grey: in the shadow of the Earth)'


def figure(history: History, title: str) -> Figure:
    """Return the Figure of disturbances, magnetic field, sunlight and altitude over time."""
    assert history.orbit
    drawn = limited_panels.figure(history.time, panels(history.orbit), title)
    drawn.axes[-1].set_xlabel(f'time [s]      {note(history)}')
    return drawn


def panels(found: OrbitHistory) -> list[Limited]:
    """Return the panels: torque of each disturbance, magnetic field, sunlight, altitude."""
    torques = [
        limited_panels.of_vector(
            torque_B, f'{name.replace("_", " ")}\ntorque, body axes\n[N m]', '|τ|', 'disturbance'
        )
        for name, torque_B in found.torques_B.items()
    ]
    field = limited_panels.of_vector(
        1e6 * found.field_B, 'magnetic field\nbody axes [µT]', '|B|', 'field'
    )
    return [
        *torques, field,
        _one(found.irradiance, 'sunlight [W/m²]', colors.SUNLIGHT),
        _one(found.heights / 1e3, 'height [km]', colors.WHOLE, from_zero=False),
    ]  # fmt: skip


def _one(values: np.ndarray, label: str, color: str, *, from_zero: bool = True) -> Limited:
    told = f'{values.min():.5g} to {values.max():.5g}'
    name = label.partition(' [')[0]
    values = values[:, np.newaxis]
    return Limited(Panel(values, label, (name,), (color,), told, from_zero=from_zero, key=name))


def note(history: History) -> str:
    """Return the legend of `shade`; '' without an eclipse."""
    return NIGHT if history.orbit and np.any(history.orbit.lit < 1.0) else ''


def shade(axis: Axes, history: History) -> None:
    """Shade the times at which the Earth hides the Sun, lightly if only a part."""
    if history.orbit is None:
        return
    lit = history.orbit.lit
    for where, alpha in ((lit <= 0.0, 0.5), ((lit > 0.0) & (lit < 1.0), 0.2)):
        padded = np.concatenate(([False], where, [False]))
        for first, end in np.flatnonzero(padded[1:] != padded[:-1]).reshape(-1, 2):
            # Half a row to either side.
            edges = np.clip((first - 0.5, end - 0.5), 0.0, len(lit) - 1.0)
            begin, until = np.interp(edges, np.arange(len(lit)), history.time)
            axis.axvspan(begin, until, color=colors.ECLIPSE, alpha=alpha, linewidth=0.0, zorder=0)


def shade_all(drawn: Figure, history: History) -> None:
    """Shade every panel of a figure with a time axis."""
    for axis in drawn.axes:
        if axis.name != '3d':
            shade(axis, history)
