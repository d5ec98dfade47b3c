# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A comparison of equations of motion as a table, a CSV file and a figure."""

from __future__ import annotations

import csv
import math
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core import equations
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.studies import comparison
from spacecraft_attitude_sim.core.ticks import seconds_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = (
    'equations', 'substeps', 'steps in a tick', 'attitude error [rad]', 'L drift', 'energy drift',
    'order', 'step [ns]', 'tick [ns]', 'end [s]', 'failure',
)  # fmt: skip
TITLES = (
    'equations',
    'sub-steps',
    'error [rad]',
    'L drift',
    'E drift',
    'order',
    'ns/step',
    'ns/tick',
)
# Colour-blind safe colours (Okabe and Ito 2008), and markers for black-and-white print.
COLORS = (
    '#0072b2', '#999999', '#8c510a', '#d55e00', '#e69f00', '#cc79a7', '#009e73', '#56b4e9',
    '#000000',
)  # fmt: skip
MARKERS = 'ov<sDX^P*>'
# If there are more sets of equations than colours, the colours repeat with another marker.
STYLES = {
    name: (COLORS[number % len(COLORS)], MARKERS[number % len(MARKERS)])
    for number, name in enumerate(equations.REGISTRY)
}
# Position of an exact 0 on a logarithmic axis.
SMALLEST = 1e-17


# --- words --------------------------------------------------------------------------------------


def text(found: comparison.Comparison, name: str) -> str:
    """Return the report of a Comparison as text; name: of the scenario."""
    lines = [headline(found, name), '', *table(found), '']
    if not math.isnan(found.evaluation_ns):
        lines.append(f'exact attitude at any time, without steps: {found.evaluation_ns:.0f} ns')
    failures = {r.failure: r.equations for r in found.results if r.failure}
    lines += [f'{name}: {failure}' for failure, name in failures.items()]
    return '\n'.join([*lines, verdict(found)])


def headline(found: comparison.Comparison, name: str) -> str:
    """Return the line on what was computed and the reference."""
    seconds = found.motion.plant.ticks.seconds(found.motion.ticks)
    what = f'{name}: {found.motion.ticks} ticks, {seconds:g} s; largest errors against '
    if found.motion.free:
        return what + (
            'the exact solution.\nRound-off, handed on from tick to tick in 53 bits, has grown '
            f'to {found.truth.floor:.1e} rad.'
        )
    return what + f'a converged motion,\nitself good to {found.truth.floor:.1e} rad.'


def table(found: comparison.Comparison) -> list[str]:
    """Return the lines of the table."""
    rows = [TITLES, *(_cells(result, found) for result in found.results)]
    widths = [max(len(row[k]) for row in rows if len(row) > 3) for k in range(len(TITLES))]
    lines = []
    for row in rows:
        if len(row) == 3:  # a failure text spans several columns
            row = (row[0].ljust(widths[0]), row[1].rjust(widths[1]), row[2])
        else:
            cells = zip(row[1:], widths[1:], strict=True)
            row = (row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in cells))
        lines.append('  '.join(row))
    return lines


def _cells(result: comparison.Result, found: comparison.Comparison) -> tuple[str, ...]:
    steps = str(result.steps) if result.substeps else f'auto {result.steps}'
    if result.failure:
        reason = re.split('[:,]', result.failure)[0]
        return (result.equations, steps, f'{reason} after {result.last_time:g} s')
    error = result.errors.max()
    below = not found.motion.free and error < found.truth.floor
    return (
        result.equations, steps,
        f'<{found.truth.floor:.1e}' if below else f'{error:.1e}',
        f'{result.momentum_drifts.max():.1e}', f'{result.energy_drifts.max():.1e}',
        _order(result, found),
        f'{result.step_ns:.0f}', f'{result.tick_ns:.0f}',
    )  # fmt: skip


def _order(result: comparison.Result, found: comparison.Comparison) -> str:
    if found.motion.free and equations.REGISTRY[result.equations].exact:
        return 'exact'
    return '–' if math.isnan(result.order) else f'{result.order:.2f}'


def verdict(found: comparison.Comparison) -> str:
    """Return one or two sentences on which form conserves the inertial L in this comparison."""
    claim = comparison.claim(found)
    if claim is None:
        return (
            'Without torque the inertial L is constant. To see which equations keep it,\n'
            'compare momentum and euler_quaternion with --steps 1 on a free motion.'
        )
    same = f'At {claim.steps} step{"s" if claim.steps > 1 else ""} a tick'
    if not claim.holds:
        return (
            f'{same} this motion does not show which form keeps L: it drifts by '
            f"{claim.euler_drift:.1e} in Euler's equation (round-off alone: {claim.round_off:.0e})"
            f', by {claim.momentum_drift:.1e} in the momentum form.'
        )
    foil = ''
    if claim.foil_drift > claim.euler_drift:
        foil = f" (by Euler's own method: {claim.foil_drift:.1e})"
    return (
        f"{same} Euler's equation lets the inertial L drift by {claim.euler_drift:.1e} "
        f'of itself{foil}, the momentum form by exactly 0.\nIt costs {claim.cost:.2f} times the '
        f"time of Euler's step, and leaves an attitude error of {claim.momentum_error:.1e} rad "
        f'against {claim.euler_error:.1e} rad.'
    )


# --- CSV ----------------------------------------------------------------------------------------


def write_csv(found: comparison.Comparison, path: str | Path) -> None:
    """Write every result to a CSV file with all digits; nan if unknown. Raises OSError."""
    with Path(path).open('w', newline='', encoding='utf-8') as file:
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for r in found.results:
            largest = (r.errors.max(), r.momentum_drifts.max(), r.energy_drifts.max())
            numbers = (*largest, r.order, r.step_ns, r.tick_ns, r.last_time)
            row = [r.equations, r.substeps, r.steps, *(repr(float(value)) for value in numbers)]
            rows.writerow([*row, r.failure])


# --- figure -------------------------------------------------------------------------------------


def figure(found: comparison.Comparison, title: str) -> Figure:
    """Return a figure: error and drift of L over time, and a work-precision diagram."""
    from matplotlib import pyplot

    drawing, axes = pyplot.subplot_mosaic(
        [['error', 'cost'], ['drift', 'cost']], figsize=(11.0, 6.8), layout='constrained'
    )
    least = min(
        result.substeps for result in found.results if result.substeps or _only_auto(found)
    )
    for result in found.results:
        if result.substeps == least:
            _draw_over_time(axes['error'], result, result.errors)
            _draw_over_time(axes['drift'], result, result.momentum_drifts)
    for name in dict.fromkeys(result.equations for result in found.results):
        _draw_cost(axes['cost'], [r for r in found.results if r.equations == name])
    steps = f'{least} step{"s" if least > 1 else ""} a tick' if least else 'automatic sub-steps'
    _label(axes['error'], f'attitude error, {steps} [rad]', 'time [s]')
    _label(axes['drift'], f'drift of inertial L, {steps}', 'time [s]')
    _name_those_without_drift(axes['drift'], [r for r in found.results if r.substeps == least])
    _label(axes['cost'], 'largest attitude error [rad]', 'time of computing one tick [ns]')
    axes['cost'].set_xscale('log')
    _mark_floor(axes['cost'], found)
    drawing.legend(*axes['cost'].get_legend_handles_labels(), loc='outside lower center', ncols=5)
    drawing.suptitle(title)
    return drawing


def _mark_floor(axis: Axes, found: comparison.Comparison) -> None:
    if all(result.failure for result in found.results):
        axis.set(xlim=(1e2, 1e4), ylim=(1e-9, 1.0))
    floor = max(found.truth.floor, SMALLEST)
    axis.axhline(floor, color='0.6', linestyle=':', linewidth=1.2)
    axis.annotate(
        'round-off' if found.motion.free else 'error of the reference',
        (0.0, floor), xycoords=('axes fraction', 'data'), xytext=(4, 3),
        textcoords='offset points', ha='left', fontsize='small', color='0.35',
    )  # fmt: skip


def _name_those_without_drift(axis: Axes, results: list[comparison.Result]) -> None:
    names = [r.equations for r in results if not (r.failure or r.momentum_drifts.any())]
    if names:
        axis.set_ylim(bottom=SMALLEST / 10.0)
        axis.annotate(
            textwrap.fill(f'exactly 0: {", ".join(names)}', 60), (0.5, SMALLEST),
            xycoords=('axes fraction', 'data'), xytext=(0, 4), textcoords='offset points',
            ha='center', fontsize='small', color='0.35',
        )  # fmt: skip


def _only_auto(found: comparison.Comparison) -> bool:
    return not any(result.substeps for result in found.results)


def _draw_over_time(axis: Axes, result: comparison.Result, values: Array) -> None:
    if len(values) < 2:
        return
    color, marker = STYLES[result.equations]
    time = seconds_of(np.arange(len(values)), result.ticks.tick_ns)
    axis.plot(time[1:], np.maximum(values[1:], SMALLEST), color=color, linewidth=1.3)
    if result.failure:
        axis.plot(time[-1], max(values[-1], SMALLEST), color=color, marker=marker, markersize=9)


def _draw_cost(axis: Axes, results: list[comparison.Result]) -> None:
    color, marker = STYLES[results[0].equations]
    done = sorted((r for r in results if not r.failure), key=lambda result: result.steps)
    failed = [r for r in results if r.failure]
    label = results[0].equations
    if failed and not done:
        label += f' ({failed[0].failure.partition(":")[0]} at {failed[0].last_time:.2g} s)'
    axis.plot(
        [r.tick_ns for r in done], [max(r.errors.max(), SMALLEST) for r in done],
        color=color, marker=marker, markersize=5, linewidth=1.2, label=label,
    )  # fmt: skip


def _label(axis: Axes, vertical: str, horizontal: str) -> None:
    axis.set(yscale='log', ylabel=vertical, xlabel=horizontal)
    axis.grid(alpha=0.25)
