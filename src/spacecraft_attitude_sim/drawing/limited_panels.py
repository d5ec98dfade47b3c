# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Panels with one curve per actuator, and its limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics.channel import Shown
from spacecraft_attitude_sim.core.mathematics.types import Array, Vectors3
from spacecraft_attitude_sim.drawing import colors, curves
from spacecraft_attitude_sim.drawing.curves import LETTERS, Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# If a quantity reaches the first share of its limit, the limit is drawn; if it reaches only the
# second, a note gives it. Otherwise drawn limits would flatten the curves.
DRAWN_FROM, TOLD_FROM = 0.25, 1e-3
HEIGHT = 2.1


class Limited(NamedTuple):
    """A Panel with limits that are drawn as lines."""

    panel: Panel
    limits: tuple[float, ...] = ()


def of_each(
    names: tuple[str, ...], values: Array, limits: Array, shown: Shown, first: int = 0
) -> Limited:
    """Return the Panel of a quantity (n, N) of each actuator; NaN if not known.

    limits: (N,) of its magnitude, inf for none;  shown: of the Channel
    first: index of the first colour, see colors.of_actuator
    """
    values, limits = shown.factor * values, shown.factor * limits
    shades = tuple(colors.of_actuator(first + number) for number in range(len(names)))
    largest, lowest = np.nanmax(values, axis=0), np.nanmin(values, axis=0)
    with np.errstate(invalid='ignore', divide='ignore'):
        shares = np.nan_to_num(np.maximum(largest, -lowest) / limits)
    told = ''
    if np.max(shares) >= TOLD_FROM:
        nearest = int(np.argmax(shares))
        share = f'{100.0 * shares[nearest]:.3g} % of {limits[nearest]:.4g} {shown.unit}'
        told = f'{names[nearest]} comes to {share}'
    near = limits[shares >= DRAWN_FROM]
    drawn = {*near.tolist(), *(-near if shown.both else near).tolist()}
    panel = Panel(values, shown.axis, names, shades, told, from_zero=True, key=shown.key)
    return Limited(panel, tuple(sorted(drawn)))


def of_vector(vectors: Vectors3, label: str, size: str, key: str = '') -> Limited:
    """Return the Panel of vectors (n, 3) and their magnitude; size: name of the magnitude."""
    values = np.column_stack((vectors, np.linalg.norm(vectors, axis=1)))
    names, shades = (*LETTERS, size), (*colors.AXES, colors.WHOLE)
    return Limited(Panel(values, label, names, shades, from_zero=True, key=key))


def draw(drawn: Any, time: Array, panels: Sequence[Limited]) -> None:
    """Draw panels one below the other into a Figure or SubFigure; time: (n,) [s]."""
    axes = drawn.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (panel, limits) in zip(axes, panels, strict=True):
        curves.draw(axis, time, panel)
        draw_limits(axis, limits)
    axes[-1].set_xlabel('time [s]')
    axes[-1].set_xlim(time[0], time[-1])


def figure(time: Array, panels: Sequence[Limited], title: str) -> Figure:
    """Return a Figure with panels one below the other; time: (n,) [s]."""
    from matplotlib import pyplot

    drawn = pyplot.figure(figsize=(8.0, 0.6 + HEIGHT * len(panels)), layout='constrained')
    drawn.suptitle(title)
    draw(drawn, time, panels)
    return drawn


def draw_limits(axis: Axes, limits: tuple[float, ...]) -> None:
    """Draw limits as lines, and extend the axis to them."""
    if not limits:
        return
    low, high = axis.get_ylim()
    margin = 0.05 * (max(high, *limits) - min(low, *limits))
    axis.set_ylim(min(low, min(limits) - margin), max(high, max(limits) + margin))
    for limit in limits:
        axis.axhline(limit, color=colors.LIMIT, linestyle='--', linewidth=1.0)
