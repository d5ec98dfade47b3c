# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A linear design as text: margins of each axis, poles of the closed loop, vibrations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.design.linear_plant import AXES
from spacecraft_attitude_sim.core.design.margins import decibels
from spacecraft_attitude_sim.core.design.vibrations import BODY, GAIN, PHASE, UNSEEN, UNSTABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spacecraft_attitude_sim.core.design.loop_design import Case, LoopDesign
    from spacecraft_attitude_sim.core.design.margins import Margins
    from spacecraft_attitude_sim.core.design.vibrations import Stabilised

# (title, unit, function of Margins)
ROWS: tuple[tuple[str, str, Callable[[Margins], float]], ...] = (
    ('crossover', 'rad/s', lambda margins: margins.crossover),
    ('gain margin, up', 'dB', lambda margins: margins.gain_up_db),
    ('gain margin, down', 'dB', lambda margins: margins.gain_down_db),
    ('phase margin', 'deg', lambda margins: margins.phase_deg),
    ('  at', 'rad/s', lambda margins: margins.phase_at),
    ('delay margin', 's', lambda margins: margins.delay),
    ('peak sensitivity', 'dB', lambda margins: decibels(margins.sensitivity)),
    ('  at', 'rad/s', lambda margins: margins.sensitivity_at),
    ('bandwidth', 'rad/s', lambda margins: margins.bandwidth),
)
IN_WORDS = {
    GAIN: 'stabilised by gain', PHASE: 'stabilised by phase', UNSTABLE: 'UNSTABLE',
    UNSEEN: 'not seen by the loop',
}  # fmt: skip
# Poles nearer to each other than this, relatively, are told as one.
SAME = 1e-3


def text(design: LoopDesign, name: str, axes: Sequence[str] = AXES) -> str:
    """Return the report of a design; name: of the scenario;  axes: those to tell about."""
    case = design.case
    chosen = [AXES.index(axis) for axis in axes]
    commands = ', '.join(design.loop.law.commands)
    lines = [
        f'{name}: linear about the reference at {case.point.time:g} s, sampled every '
        f'{case.period:g} s, delay {_delay(case)}',
        f'{len(design.plant.system.states)} states; commands: {commands}',
        f'the closed loop is {"stable" if design.stable else "UNSTABLE"}',
        '',
        f'{"loop of axis":27}' + ''.join(f'{axis:>12}' for axis in axes),
    ]
    for title, unit, of in ROWS:
        values = ''.join(f'{_number(of(design.margins[k])):>12}' for k in chosen)
        lines.append(f'{f"{title} [{unit}]":27}{values}')
    lines += ['', *_poles(design.poles)]
    lines += _vibrations(design.vibrations, math.pi / case.period)
    lines += ['', 'not in the linear model:', *(f'  {words}' for words in case.left_out)]
    return '\n'.join(lines)


def _delay(case: Case) -> str:
    """Return the delay, and that of the controller where it does not fly to the digit."""
    asked, latency = case.asked_delay, case.latency
    if abs(asked - case.delay) < 1e-9:
        return f'{case.delay:g} s'
    return (
        f'{case.delay:g} s: controller_delay {asked - latency:g} s in whole intervals, as it '
        f'flies{f", and imu.latency {latency:g} s" if latency else ""}; --delay {asked:g} is exact'
    )


def _number(value: float) -> str:
    if math.isnan(value):
        return '-'
    if math.isinf(value) or abs(value) > 1e6:
        return 'any' if math.isinf(value) else f'{value:.3g}'
    return f'{value:.4g}' if abs(value) < 100.0 else f'{value:.1f}'


def _poles(poles: np.ndarray) -> list[str]:
    """Return lines with frequency and damping ratio of the poles, equal ones counted."""
    lines = ['poles of the closed loop    [rad/s]  damping ratio']
    groups: list[tuple[complex, int]] = []
    for pole in sorted(poles[poles.imag >= 0.0], key=abs):
        if groups and abs(pole - groups[-1][0]) < SAME * abs(pole):
            groups[-1] = groups[-1][0], groups[-1][1] + 1
        else:
            groups.append((complex(pole), 1))
    for pole, count in groups:
        times = f'  ({count} times)' if count > 1 else ''
        lines.append(f'{"":20}{abs(pole):>15.5g}{-pole.real / abs(pole):>15.4g}{times}')
    return lines


def _vibrations(every: Sequence[Stabilised], half: float) -> list[str]:
    """Return a table of the vibrations, or nothing; half: of the sampling rate [rad/s]."""
    if not every:
        return []
    head = ('hub held', 'free', 'damping', 'axis', 'peak')
    units = ('[Hz]', '[Hz]', 'ratio', '', '[dB]')
    lines = [
        '',
        *(
            f'{first:27}' + ''.join(f'{word:>10}' for word in words)
            for first, words in (('vibrations without control', head), ('', units))
        ),
    ]
    for stabilised in every:
        motion = stabilised.vibration
        numbers = (
            _number(motion.held / (2.0 * math.pi)), _number(motion.free / (2.0 * math.pi)),
            f'{motion.damping:.3g}', AXES[motion.axis], f'{decibels(stabilised.peak):.1f}',
        )  # fmt: skip
        lines.append(
            f'{motion.name:27}'
            + ''.join(f'{word:>10}' for word in numbers)
            + (f'  {IN_WORDS[stabilised.how]}' if motion.name != BODY else '')
        )
        if motion.free > half:
            lines[-1] += f', seen at {_number(stabilised.at / (2.0 * math.pi))} Hz'
    return lines
