# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Bode and Nichols figures of the loops of a design, by the library python-control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.design import margins
from spacecraft_attitude_sim.core.design.linear_plant import AXES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from spacecraft_attitude_sim.core.design.loop_design import LoopDesign

INCHES = (9.0, 7.0)
# Frequencies from this part of the lowest crossover on are drawn.
FROM = 1e-2


def figures_of(design: LoopDesign, name: str, axes: Sequence[str]) -> dict[str, Figure]:
    """Return {'bode', 'nichols': Figure} of the loops of some axes.

    Raises ModuleNotFoundError if python-control is not installed.
    """
    import control

    responses = [_response(control, design, axis) for axis in axes]
    return {
        'bode': _drawn(
            control.bode_plot,
            responses,
            f'{name}: Bode plot of the loop',
            initial_phase=-180,
            dB=True,
        ),
        'nichols': _drawn(control.nichols_plot, responses, f'{name}: Nichols chart of the loop'),
    }


def _response(control: Any, design: LoopDesign, axis: str) -> Any:
    """Return the control.FrequencyResponseData of the loop of an axis."""
    k = AXES.index(axis)
    loop, margin = design.loop.of_axis(k), design.margins[k]
    rates = margins.grid(loop)
    lowest = min((crossing.rate for crossing in margin.phases), default=rates[-1])
    rates = rates[rates >= FROM * lowest]
    values = loop.response(rates)
    return control.frd(
        values[np.newaxis, np.newaxis, :], rates, loop.period, smooth=False, name=axis,
        inputs='torque', outputs='torque of the law',
    )  # fmt: skip


def _drawn(plot: Any, responses: Any, title: str, **options: Any) -> Figure:
    """Return a new Figure with a plot of python-control."""
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=INCHES)
    plot(responses, title=title, **options)
    return figure
