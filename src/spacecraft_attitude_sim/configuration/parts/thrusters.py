# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Thrusters: their parameters, and the Thrusters of core with their misalignments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import (
    Parameter,
    ParameterError,
    blame,
    data_sheet,
    xyz,
)
from spacecraft_attitude_sim.configuration.parts.named import (
    Given,
    figures_of,
    numbers,
    of_each,
    refuse_beyond,
    size,
    vector,
)
from spacecraft_attitude_sim.core.mathematics import random_streams
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm
from spacecraft_attitude_sim.core.mathematics.vectors import tangents

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spacecraft_attitude_sim.configuration.parts.named import AtStart
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, VectorLike
    from spacecraft_attitude_sim.core.parts.thrusters.description import Thruster, Thrusters

LABEL = 'thrusters'
NAMES = Parameter('thrusters', [], '', 'Names of the thrusters.', str, length=())
# Models with figures of data sheets, in config/actuators; docs/actuators.md gives their sources.
MODELS = ('moog_monarc_1', 'moog_monarc_22_6', 'moog_monarc_5', 'moog_monarc_90ht')
# Parameters of each of `thrusters`, under thruster.<name>.
THRUSTER = (
    data_sheet(
        'model', MODELS,
        'Data sheet that supplies the parameters you do not give; see actuators.md.',
    ),
    xyz(
        'position', 'm', 1e6,
        'Point at which the force acts, in the design axes of the body.', required=True,
    ),
    xyz(
        'direction', '', 1.1,
        'Direction of the force on the body (opposite to the jet): unit vector in body axes.',
        (0.0, 0.0, 1.0), required=True,
    ),
    Parameter(
        'max_force', 1.0, 'N',
        'Force of the fully open thruster.', low=1e-9, high=1e9, required=True,
    ),
    size(
        'period', 's', 1e4,
        'Period of the pulses. In each period the valve opens for force/max_force of it. At most '
        '512 periods in a tick. 0: no pulses, any force.',
    ),
    size('min_on_time', 's', 1e4, 'Shortest time for which the valve opens.'),
    Parameter(
        'carry', True, '',
        'Add on-times shorter than min_on_time to those of later periods. If false, they are '
        'lost. Not used with level_on.',
        bool,
    ),
    size(
        'level_on', '', 1.0,
        'Schmitt trigger: an on-time from this part of min_on_time on opens the valve for '
        'min_on_time. 0: no trigger.',
    ),
    size(
        'level_off', '', 1.0,
        'An on-time up to this part of min_on_time does not open the valve. Between level_off and '
        'level_on it opens as in the period before.',
    ),
    size('rise_time', 's', 1e4, 'Time constant with which the thrust rises.'),
    size('fall_time', 's', 1e4, 'Time constant with which the thrust falls.'),
    size('open_delay', 's', 10.0, 'Delay from the start of a period to the opening of the valve.'),
    size(
        'close_delay', 's', 10.0, 'Delay from the end of an on-time to the closing of the valve.',
    ),
    size(
        'specific_impulse', 's', 1e5,
        'Specific impulse, from which the used propellant is counted. The mass of the body does '
        'not change. 0: propellant is not counted.',
    ),
    size('scatter', '', 1.0, 'Relative variation of the thrust from pulse to pulse, 1 sigma.'),
    size(
        'misalignment', 'rad', 1.0,
        'Angle of the force from `direction`, about each of two perpendicular axes, 1 sigma; '
        'drawn once per run.',
    ),
    size('force', 'N', 1e9, 'Mean force from the start, until a command replaces it.'),
)  # fmt: skip
# Most pulse periods of a thruster in one tick; each costs two steps.
MOST_PULSES = 512
# Parameters that are not passed to core as they are.
OURS = {'model', 'position', 'direction', 'misalignment', 'force'}
PARAMETERS, NAMED = (NAMES,), (('thrusters', 'thruster', THRUSTER),)
READS = ('seed',)
of = of_each('thrusters', 'thruster')


def part(given: Given) -> Thrusters:
    """Return the Thrusters.

    Raises ParameterError naming thruster, value and remedy.
    """
    values, center_of_mass, ticks = given
    names: tuple[str, ...] = tuple(values['thrusters'])
    from spacecraft_attitude_sim.core.mathematics.checks import unit_axis
    from spacecraft_attitude_sim.core.parts.thrusters.description import Thruster, Thrusters

    found = []
    for number, name in enumerate(names):
        prefix = f'thruster.{name}'
        refuse_beyond(values, prefix, 'force', 'max_force', 'N')
        _check_period(values[f'{prefix}.period'], prefix, ticks.step)
        fields = {
            parameter.name: values[f'{prefix}.{parameter.name}']
            for parameter in THRUSTER
            if parameter.name not in OURS
        }
        with blame(f'{prefix}.'):
            direction_B = mounted(
                unit_axis('direction', values[f'{prefix}.direction']),
                values[f'{prefix}.misalignment'], values['seed'], number,
            )  # fmt: skip
            position_B = np.array(values[f'{prefix}.position']) - center_of_mass
            found.append(Thruster(position_B, direction_B, **fields))
    return Thrusters(names, tuple(found))


def _short_ones(thruster: Thruster) -> str:
    """Return what becomes of on-times shorter than the shortest."""
    if thruster.level_on:
        return (
            f'begin at {thruster.level_on:g} of it and end at {thruster.level_off:g} '
            '(Schmitt trigger)'
        )
    return 'add up' if thruster.carry else 'are lost'


def _check_period(period: float, prefix: str, tick: float) -> None:
    """Raise ParameterError if a tick [s] contains too many pulse periods [s]."""
    if 0.0 < period < tick / MOST_PULSES:
        raise ParameterError(
            f'{prefix}.period is {period:g} s: {tick / period:.0f} pulses in a tick of {tick:g} '
            f's, and each is computed; give at least {tick / MOST_PULSES:.6g} s ({MOST_PULSES} in '
            'a tick), a higher tick_rate, or 0 for a valve that gives any force'
        )


def mounted(direction_B: Vector3, sigma: float, seed: int, number: int) -> VectorLike:
    """Return a thrust direction (3,) turned by a random misalignment.

    sigma: standard deviation of the angles about two perpendicular axes [rad]
    number: index of the thruster, so that each has its own random numbers
    """
    if not sigma:
        return direction_B
    channel = random_streams.THRUSTER_MOUNTING
    about_first, about_second = random_streams.normal_pair(number, seed, 0, channel, 0)
    first, second = map(np.array, tangents(tuple(direction_B.tolist())))
    across = sigma * (about_first * first + about_second * second)
    angle = norm(across)
    return np.cos(angle) * direction_B + np.sinc(angle / np.pi) * across


def commands(values: Mapping[str, Any]) -> dict[str, Array]:
    """Return the parts of Inputs that apply from the start."""
    return {'thrust': np.array(of(values, 'force'), dtype=float)}


def lines(thrusters: Thrusters, start: AtStart) -> Iterator[str]:
    """Yield the lines of the text summary."""
    values = start.values
    for name, thruster in zip(thrusters.names, thrusters.thrusters, strict=True):
        turned = values[f'thruster.{name}.misalignment']
        as_mounted = ' (with its misalignment)' if turned else ''
        origin = 'the pivot' if values['bearing.enabled'] else 'the centre of mass'
        yield (
            f'{name}: {thruster.max_force:.6g} N along {vector(thruster.direction_B)}{as_mounted} '
            f'at {vector(thruster.position_B)} m from {origin}'
            f'{figures_of(values, f"thruster.{name}")}'
        )
        if thruster.period:
            yield (
                f'  pulses: period {thruster.period:g} s, shortest on-time '
                f'{thruster.min_on_time:g} s, shorter ones '
                f'{_short_ones(thruster)}'
            )
        more = {
            'rise_time': 's', 'fall_time': 's', 'open_delay': 's', 'close_delay': 's',
            'specific_impulse': 's', 'scatter': '',
        }  # fmt: skip
        if said := numbers(values, f'thruster.{name}', more):
            yield f'  {", ".join(said)}'
    counted = [name for name in thrusters.names if values[f'thruster.{name}.specific_impulse']]
    which = 'not counted (no specific_impulse)'
    if counted:
        which = 'counted'
        if len(counted) < len(thrusters.names):
            which = f'counted for {", ".join(counted)} only (specific_impulse)'
    yield f'used propellant is {which}; mass and inertia do not change'
