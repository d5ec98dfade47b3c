# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The results of a campaign as a figure and as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spacecraft_attitude_sim.campaigns.columns import WORDS, label, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


COLOR = '#0072b2'
# Most runs drawn as points; of more, every n-th is drawn.
MOST_POINTS = 3000
# Values that differ by a smaller share are alike.
ROUND_OFF = 1e-12
# Told where nobody commands.
DRIFTS = ('momentum_drift', 'energy_drift')
# Why a complete run may lack a merit.
NEVER = {'settling_time': 'did not settle', 'pointing_time': 'did not point at the end'}


def summary(columns: Mapping[str, NDArray[Any]], own: Iterable[str] = ()) -> list[str]:
    """Return lines with minimum, median, 99th percentile and maximum of each figure of merit.

    columns: {name: (N,) values}, of runner.read;  own: names of merits of the user
    """
    lines = [f'{"":30}{"least":>11}{"median":>11}{"99 %":>11}{"largest":>11}']
    followed = np.isfinite(columns['final_rate'])
    for name in _told(columns, own):
        values = shown(name, columns[name][np.isfinite(columns[name])])
        if not len(values):
            lines.append(f'{label(name):30}{"never":>11}')
            continue
        told = (values.min(), *np.quantile(values, (0.5, 0.99)), values.max())
        line = f'{label(name):30}' + ''.join(f'{value:11.4g}' for value in told)
        missing = np.count_nonzero(followed & ~np.isfinite(columns[name]))
        why = NEVER.get(name, 'have none')
        lines.append(line + (f'   ({missing} runs {why})' if missing else ''))
    if lost := np.count_nonzero(~followed):
        lines.append(f'{lost} runs could not be followed to their end')
    return lines


def _told(columns: Mapping[str, NDArray[Any]], own: Iterable[str]) -> list[str]:
    """Return the names of the merits that a table has, those of the user first."""
    told = [name for name in (*own, *WORDS) if name in columns]
    # With a controller, drifts of energy and L say nothing.
    return told if 'flips' in columns else [name for name in told if name not in DRIFTS]


def figure(columns: Mapping[str, NDArray[Any]], title: str, own: Iterable[str] = ()) -> Any:
    """Return a matplotlib Figure of up to three figures of merit that vary.

    Above, their histograms; below, each against the drawn parameter whose rank correlation with it
    (Spearman) is largest.
    columns: {name: (N,) values}, of runner.read;  own: names of merits of the user
    """
    from matplotlib import pyplot

    told = [name for name in _told(columns, own) if _varies(columns[name])][:3]
    causes = {name: _strongest_cause(columns, name) for name in told}
    drawing, axes = pyplot.subplots(
        2, max(1, len(told)), figsize=(4.2 * max(1, len(told)), 6.2), layout='constrained',
        squeeze=False,
    )  # fmt: skip
    for (above, below), name in zip(axes.T, told, strict=False):
        values = shown(name, columns[name])
        good = np.isfinite(values)
        above.hist(values[good], bins=min(60, 5 + int(np.sqrt(good.sum()))), color=COLOR)
        above.set(xlabel=label(name), ylabel='runs')
        cause, matter = causes[name]
        sparse = np.flatnonzero(good)[:: 1 + good.sum() // MOST_POINTS]
        below.plot(
            matter[sparse], values[sparse], '.', color=COLOR, markersize=2.5, alpha=0.4,
            rasterized=True,
        )  # fmt: skip
        below.set(xlabel=cause, ylabel=label(name))
        for axis in (above, below):
            axis.grid(alpha=0.25)
            axis.locator_params(axis='x', nbins=5)
    if not told:
        axes[0, 0].text(0.5, 0.5, 'all runs ended alike', ha='center')
    drawing.suptitle(title)
    return drawing


def map_figure(columns: Mapping[str, NDArray[Any]], axes: Mapping[str, str], title: str) -> Any:
    """Return a matplotlib Figure with a point for each run, coloured by a result.

    columns: {name: (N,) values}, of runner.read
    axes: names of its columns: x, y and color; without y, color is drawn against x
    """
    from matplotlib import pyplot

    x, y, color = (axes.get(key, '') for key in ('x', 'y', 'color'))
    values = shown(color, columns[color])
    good = np.isfinite(values)
    drawing, axis = pyplot.subplots(figsize=(8.0, 6.0), layout='constrained')
    # Points fill the picture, however many, without hiding each other.
    size = min(40.0, max(1.5, 120_000.0 / max(1, len(values))))
    signed = bool(good.any()) and float(values[good].min()) < 0.0 < float(values[good].max())
    most = float(np.abs(values[good]).max()) if good.any() else 1.0
    points = axis.scatter(
        columns[x][good], columns[y][good] if y else values[good], s=size, c=values[good],
        cmap='coolwarm' if signed else 'viridis', linewidths=0.0, rasterized=True,
        **({'vmin': -most, 'vmax': most} if signed else {}),
    )  # fmt: skip
    words = label(color)
    axis.set(xlabel=x, ylabel=y or words)
    if y:
        drawing.colorbar(points, label=words)
    else:
        axis.grid(alpha=0.25)
    drawing.suptitle(title)
    return drawing


def _varies(values: NDArray[Any]) -> bool:
    """Return whether values differ by more than their round-off, which fills no histogram."""
    good = values[np.isfinite(values)]
    return len(good) > 1 and bool(np.ptp(good) > ROUND_OFF * np.abs(good).max())


def _strongest_cause(columns: Mapping[str, NDArray[Any]], merit: str) -> tuple[str, NDArray[Any]]:
    """Return name and values (N,) of the drawn parameter of largest |rank correlation|."""
    end = list(columns).index('final_rate')
    drawn = {name: columns[name] for name in list(columns)[1:end] if _varies(columns[name])}
    for whole in {name[:-3] for name in drawn if name.endswith('[0]')}:
        parts = [f'{whole}[{k}]' for k in range(4)]
        if parts[3] not in drawn and all(part in drawn for part in parts[:3]):
            drawn[f'|{whole}|'] = np.linalg.norm([drawn[part] for part in parts[:3]], axis=0)
    if not drawn:
        return 'run', columns['run']
    good = np.isfinite(columns[merit])
    ranks = _ranks(columns[merit][good])
    strength = {k: abs(np.corrcoef(_ranks(v[good]), ranks)[0, 1]) for k, v in drawn.items()}
    best = max(strength, key=lambda name: np.nan_to_num(strength[name]))
    return best, drawn[best]


def _ranks(values: NDArray[Any]) -> NDArray[np.int64]:
    return np.argsort(np.argsort(values, kind='stable'), kind='stable')
