# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The merits of a flight as text, and a figure of the errors that they are of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.studies import consistency
from spacecraft_attitude_sim.core.studies.error_indices import AXES, LEVELS
from spacecraft_attitude_sim.core.studies.flight_merits import (
    KNOWLEDGE,
    PERFORMANCE,
    WITHIN_SIGMAS,
    unit_of,
)
from spacecraft_attitude_sim.drawing import colors, curves
from spacecraft_attitude_sim.drawing.curves import Panel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.studies.flight_merits import Merits

# {level: what it is called}
SAID = {'68': '68.3 %', '95': '95 %', '997': '99.7 %', 'largest': 'largest'}
BRIEF = '997'
# Errors below this are told in seconds of arc [rad].
SMALL = math.radians(0.1)
WORDS = {
    'largest_momentum': 'largest L', 'largest_torque': 'largest torque',
    'torque_impulse': 'torque impulse', 'largest_wheel_speed': 'wheel speed',
    'largest_wheel_momentum': 'wheel momentum', 'largest_wheel_power': 'wheel power',
    'wheel_work': 'wheels driven', 'wheel_braking': 'wheels braked',
    'wheel_speed_margin': 'speed margin', 'thruster_impulse': 'jet impulse',
    'thruster_duty': 'jet duty', 'thruster_pulses': 'jet pulses', 'propellant': 'propellant',
    'dipole_duty': 'dipole duty',
}  # fmt: skip
# Shares of these words are told in percent.
SHARES = ('wheel_speed_margin', 'thruster_duty', 'dipole_duty')
# What the summary of a controller's response has told already.
OF_RESPONSE = ('largest_torque', 'torque_impulse')
SIGMA_STYLE = {'color': '0.35', 'linewidth': 0.9}
# Least NIS that is drawn: of one component it may be any.
LEAST_NIS = 1e-4
LINE_STYLES = {'68': ':', '95': '--', '997': '-'}


def text(merits: Merits, *, brief: bool = False, left_out: tuple[str, ...] = OF_RESPONSE) -> str:
    """Return the merits, several lines; '' where there is nothing to tell.

    brief: of the confidences only 99.7 %;  left_out: merits that are not told
    """
    lines = []
    if 'pointing_time' in merits.values or merits.series.knowledge_errors is not None:
        lines += [*_of_part(merits), *_of_indices(merits, PERFORMANCE, 'pointing', brief=brief)]
        lines += _of_indices(merits, KNOWLEDGE, 'knowledge', brief=brief)
        lines += _of_consistency(merits)
    parts = [name for name in merits.values if name in WORDS and name not in left_out]
    if lines or set(parts) - {'largest_momentum'}:
        lines += [_line(WORDS[name], _value(name, merits.values[name])) for name in parts]
    return '\n'.join(lines)


def _line(label: str, value: str) -> str:
    return f'  {label:16} {value}'


def _value(name: str, value: float) -> str:
    if name in SHARES:
        return f'{100.0 * value:.3g} %'
    return f'{value:.4g} {unit_of(name)}'.rstrip()


def _of_part(merits: Merits) -> Iterator[str]:
    """Yield the lines about the steady part and its windows."""
    below = f'{math.degrees(merits.asked.pointed_error):g} deg'
    why = 'as asked'
    if merits.asked.steady_from is None:
        why = f'since the error stays below {below}'
        if 'pointing_time' not in merits.values:
            why = 'all of the run'
        elif not merits.settled:
            why = f'all of the run, for the error does not stay below {below}'
    yield _line('steady part', f'{merits.begin:g} s to {merits.end:g} s: {why}')
    if 'pointing_time' in merits.values:
        time = merits.values['pointing_time']
        said = f'{time:.2f} s' if math.isfinite(time) else 'not yet'
        yield _line('pointing time', f'{said} (to {below}, and stays)')


def _of_indices(
    merits: Merits, names: tuple[str, ...], what: str, *, brief: bool
) -> Iterator[str]:
    """Yield the table of indices; nothing without them."""
    tables = {name: merits.bounds(name) for name in names}
    first = tables[names[0]]
    if first is None:
        return
    worst = first[-1, LEVELS.index(BRIEF)]
    unit, factor = ('arcsec', 3600.0) if worst < SMALL else ('deg', 1.0)
    yield _line(f'{what} [{unit}]', ' '.join(f'{axis:>9}' for axis in ('', *AXES)))
    after = dict(zip(names, ('', *_windows(merits)), strict=True))
    for name, table in tables.items():
        assert table is not None, 'they come together'
        for level, column in zip(LEVELS, table.T, strict=True):
            if brief and level != BRIEF:
                continue
            values = ' '.join(f'{_number(factor * math.degrees(bound)):>9}' for bound in column)
            head = f'{name.upper()} {after[name]}' if brief or level == LEVELS[0] else ''
            yield f'  {head:16} {SAID[level]:>9} {values}'


def _windows(merits: Merits) -> tuple[str, str, str]:
    """Return the lengths of the windows of M, R and D."""
    return f'{merits.window:g} s', f'{merits.window:g} s', f'{merits.drift:g} s'


def _number(value: float) -> str:
    return '-' if math.isnan(value) else f'{value:.3g}'


def _of_consistency(merits: Merits) -> Iterator[str]:
    """Yield the lines about the estimator; nothing without one."""
    values = merits.values
    if 'nees_mean' not in values:
        return
    shares = ', '.join(f'{100.0 * values[name]:.4g} % {name[-1]}' for name in WITHIN_SIGMAS)
    expected = f'{100.0 * consistency.SHARE:g} % expected'
    yield _line('attitude known', f'{100.0 * values["known_share"]:.4g} % of the steady part')
    yield _line('within 3 sigma', f'{shares} ({100.0 * consistency.WITHIN:.4g} % expected)')
    low, high = consistency.limits(consistency.FREEDOM)
    yield _line(
        'NEES',
        f'mean {values["nees_mean"]:.3g} ({consistency.FREEDOM} expected); '
        f'{100.0 * values["nees_inside"]:.4g} % in {low:.3g} to {high:.3g} ({expected})',
    )
    for name, sensor in merits.sensors.items():
        verdict = '' if sensor.consistent or not sensor.number else ': outside'
        yield _line(
            f'NIS {name}',
            f'mean {sensor.mean:.3g} of {sensor.number} (95 %: {sensor.low:.3g} to '
            f'{sensor.high:.3g}{verdict}); {100.0 * sensor.inside:.4g} % inside ({expected})',
        )


# --- figure --------------------------------------------------------------------------------------


def figure(merits: Merits, title: str) -> Any:
    """Return a matplotlib Figure of the errors, their bounds, and the estimator's consistency.

    Raises ValueError where there is neither a reference nor an estimator.
    """
    from matplotlib import pyplot

    panels = _panels(merits)
    if not panels:
        raise ValueError('the run has neither a reference nor an estimator')
    heights = [2.4] * len(panels)
    drawn, axes = pyplot.subplots(
        len(panels), 1, figsize=(8.0, 0.6 + sum(heights)), sharex=True, squeeze=False,
        layout='constrained',
    )  # fmt: skip
    for axis, draw in zip(axes[:, 0], panels, strict=True):
        draw(axis, merits)
        axis.axvline(merits.begin, color='0.6', linestyle=':', linewidth=1.0)
    drawn.suptitle(title)
    drawn.align_ylabels()
    axes[-1, 0].set_xlabel('time [s]      (dotted: the steady part begins)')
    axes[-1, 0].set_xlim(merits.series.time[0], merits.series.time[-1])
    return drawn


def has_errors(merits: Merits) -> bool:
    """Return whether there is something that `figure` draws."""
    return bool(_panels(merits))


def _panels(merits: Merits) -> list[Any]:
    """Return the functions that draw the panels, from top to bottom."""
    panels: list[Any] = []
    if np.isfinite(merits.series.errors).any():
        panels += [_draw_errors, _draw_half_cone]
    if merits.series.knowledge_errors is not None:
        panels += [_draw_knowledge, _draw_nees]
    return panels + ([_draw_nis] if merits.series.judged else [])


def _scale(values: Array) -> tuple[float, str]:
    """Return the factor from rad, and the unit, in which errors are drawn."""
    known = np.abs(values[np.isfinite(values)])
    if known.size and np.quantile(known, 0.9) < SMALL:
        return 3600.0 * math.degrees(1.0), 'arcsec'
    return math.degrees(1.0), 'deg'


def _draw_errors(axis: Axes, merits: Merits) -> None:
    """Draw the pointing error about each axis, and its bounds at 99.7 %."""
    factor, unit = _scale(_steady(merits, merits.series.errors))
    curves.draw(
        axis,
        merits.series.time,
        Panel(factor * merits.series.errors, f'pointing error\nbody axes [{unit}]'),
    )
    bounds = merits.bounds('ape')
    assert bounds is not None, 'there are errors'
    for k, color in enumerate(colors.AXES):
        for sign in (-1.0, 1.0):
            level = sign * factor * bounds[k, LEVELS.index(BRIEF)]
            _bound(axis, merits, level, {'color': color, 'linewidth': 0.8, 'linestyle': '--'})
    _fit(axis, factor * _steady(merits, merits.series.errors))
    _note(axis, 'dashed: APE at 99.7 %')


def _draw_half_cone(axis: Axes, merits: Merits) -> None:
    """Draw the angle of the boresight from where it should look, with its bounds."""
    from spacecraft_attitude_sim.core.studies.error_indices import sizes

    boresight_B = np.array(merits.asked.boresight_B, float)
    boresight_B /= np.linalg.norm(boresight_B)
    across = sizes(merits.series.errors, boresight_B)[:, AXES.index('across'), np.newaxis]
    factor, unit = _scale(_steady(merits, across))
    curves.draw(
        axis, merits.series.time,
        Panel(
            factor * across, f'half-cone angle of\nthe boresight [{unit}]', ('across',),
            (colors.ERROR,), from_zero=True,
        ),
    )  # fmt: skip
    levels = []
    for level, style in LINE_STYLES.items():
        bound = factor * merits.values[f'ape_across_{level}']
        _bound(axis, merits, bound, {**SIGMA_STYLE, 'linestyle': style})
        levels.append(f'{SAID[level]}: {_number(bound)}')
    _fit(axis, factor * _steady(merits, across))
    _note(axis, ', '.join(levels))


def _draw_knowledge(axis: Axes, merits: Merits) -> None:
    """Draw the error of the estimate between its 3 sigma."""
    series = merits.series
    errors, sigma = series.knowledge_errors, series.sigma
    assert errors is not None and sigma is not None, 'there is an estimator'
    factor, unit = _scale(_steady(merits, errors))
    curves.draw(axis, series.time, Panel(factor * errors, f'knowledge error\nbody axes [{unit}]'))
    reach = factor * consistency.SIGMAS * sigma
    for k, color in enumerate(colors.AXES):
        for sign in (-1.0, 1.0):
            axis.plot(series.time, sign * reach[:, k], color=color, linewidth=0.8, linestyle='--')
    both = np.concatenate((factor * _steady(merits, errors), _steady(merits, reach)))
    _fit(axis, both)
    _note(axis, 'dashed: 3 sigma of the estimator')


def _draw_nees(axis: Axes, merits: Merits) -> None:
    """Draw NEES with the bounds of chi-square."""
    nees = merits.series.nees
    assert nees is not None, 'there is an estimator'
    _draw_squares(axis, merits.series.time, nees, 'NEES', colors.ERROR)
    for level in consistency.limits(consistency.FREEDOM):
        axis.axhline(float(level), **SIGMA_STYLE, linestyle='--')
    inside = 100.0 * merits.values['nees_inside']
    axis.set_ylabel('NEES')
    _note(axis, f'{_number(inside)} % between the 95 % bounds of chi-square')


def _draw_nis(axis: Axes, merits: Merits) -> None:
    """Draw NIS of each sensor, as a share of its number of components."""
    for number, (name, judged) in enumerate(merits.series.judged.items()):
        color = colors.of_actuator(number)
        _draw_squares(axis, judged.time, judged.nis / judged.freedom, name, color)
        for level in consistency.limits(judged.freedom[-1]) if len(judged.freedom) else ():
            axis.axhline(
                float(level) / judged.freedom[-1], color=color, linewidth=0.8, linestyle='--'
            )
    axis.set_ylabel('NIS / components\n(dashed: 95 %)')
    axis.set_ylim(bottom=LEAST_NIS)


def _draw_squares(axis: Axes, time: Array, values: Array, name: str, color: str) -> None:
    axis.plot(time, values, '.', markersize=2.0, color=color, label=name)
    axis.set_yscale('log', nonpositive='mask')
    axis.grid(alpha=0.25)
    axis.legend(
        loc='lower right', bbox_to_anchor=(1.0, 1.0), ncols=4, fontsize='small', frameon=False,
        borderaxespad=0.1, handlelength=1.4, columnspacing=1.2,
    )  # fmt: skip


def _steady(merits: Merits, values: Array) -> Array:
    return values[merits.series.time >= merits.begin]


def _bound(axis: Axes, merits: Merits, level: float, style: dict[str, Any]) -> None:
    if math.isfinite(level):
        axis.plot([merits.begin, merits.end], [level, level], **style)


def _fit(axis: Axes, values: Array) -> None:
    """Let an axis show what happens in the steady part; the transient may leave it."""
    known = np.abs(values[np.isfinite(values)])
    if not known.size or not known.max() > 0.0:
        return
    low = -1.3 * known.max() if (values < 0.0).any() else 0.0
    axis.set_ylim(low, 1.3 * known.max())


def _note(axis: Axes, words: str) -> None:
    axis.annotate(
        words, (0.08, 1.0), (0.0, 4.0), xycoords='axes fraction', textcoords='offset points',
        fontsize='small', color='0.25',
    )  # fmt: skip
