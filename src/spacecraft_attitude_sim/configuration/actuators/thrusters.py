# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Thrusters: their parameters, and the Thrusters of core, each turned as it was mounted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.actuators.named import of_each, refuse_beyond, size
from spacecraft_attitude_sim.configuration.parameter import Parameter, blame, xyz
from spacecraft_attitude_sim.core.mathematics import random_streams
from spacecraft_attitude_sim.core.mathematics.vectors import tangents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.actuators.thrusters import Thrusters
    from spacecraft_attitude_sim.core.mathematics.types import Vector3, VectorLike

NAMES = Parameter('thrusters', [], '', 'Names of the thrusters.', str, length=())
# Each of `thrusters` is described by these, under thruster.<name>.
THRUSTER = (
    xyz(
        'position', 'm', 1e6,
        'Point at which its force acts, in the axes the body was designed in.',
    ),
    xyz(
        'direction', '', 1.1,
        'Direction of its force on the body, against that of its jet: unit vector in body axes.',
        (0.0, 0.0, 1.0),
    ),
    Parameter('max_force', 1.0, 'N', 'Force fully open.', low=1e-9, high=1e9),
    size(
        'period', 's', 1e4,
        'Period of its pulses, open for force/max_force of each; 0: gives any force.',
    ),
    size('min_on_time', 's', 1e4, 'Shortest time for which its valve opens.'),
    Parameter(
        'carry', True, '', 'Shorter on-times add to those of later periods; else they are lost.',
        bool,
    ),
    size('rise_time', 's', 1e4, 'Time constant with which its thrust rises.'),
    size('fall_time', 's', 1e4, 'Time constant with which its thrust falls.'),
    size('open_delay', 's', 10.0, 'From a period to the opening of the valve.'),
    size('close_delay', 's', 10.0, 'From the end of an on-time to the closing of the valve.'),
    size(
        'specific_impulse', 's', 1e5,
        'By which propellant used is counted; the mass of the body stays. 0 does not count it.',
    ),
    size('scatter', '', 1.0, 'Thrust from pulse to pulse, 1 sigma, relative.'),
    size(
        'misalignment', 'rad', 1.0,
        'Angle of its direction from the given one about each of two axes at right angles, '
        '1 sigma; drawn once per run.',
    ),
    size('force', 'N', 1e9, 'Mean force from the start on, until a command takes its place.'),
)  # fmt: skip
# Not what core is given of them.
OURS = {'position', 'direction', 'misalignment', 'force'}
of = of_each('thrusters', 'thruster')


def thrusters(values: Mapping[str, Any], center_of_mass: Vector3) -> Thrusters | None:
    """Return the Thrusters of checked parameters, or None without any.

    center_of_mass: (3,) in the axes of the design [m]
    Raises ParameterError naming thruster, value and remedy.
    """
    names: tuple[str, ...] = tuple(values['thrusters'])
    if not names:
        return None
    from spacecraft_attitude_sim.core.actuators.thrusters import Thruster, Thrusters
    from spacecraft_attitude_sim.core.mathematics.checks import unit_axis

    found = []
    for number, name in enumerate(names):
        prefix = f'thruster.{name}'
        refuse_beyond(values, prefix, 'force', 'max_force', 'N')
        fields = {
            one.name: values[f'{prefix}.{one.name}'] for one in THRUSTER if one.name not in OURS
        }
        with blame(f'{prefix}.'):
            direction_B = mounted(
                unit_axis('direction', values[f'{prefix}.direction']),
                values[f'{prefix}.misalignment'], values['seed'], number,
            )  # fmt: skip
            position_B = np.array(values[f'{prefix}.position']) - center_of_mass
            found.append(Thruster(position_B, direction_B, **fields))
    return Thrusters(names, tuple(found))


def mounted(direction_B: Vector3, sigma: float, seed: int, number: int) -> VectorLike:
    """Return a direction (3,) turned by its misalignment.

    sigma: of the angles about two axes at right angles to it [rad];  number: which thruster
    """
    if not sigma:
        return direction_B
    channel = random_streams.THRUSTER_MOUNTING
    one, other = random_streams.normal_pair(number, seed, 0, channel, 0)
    first, second = map(np.array, tangents(tuple(direction_B.tolist())))
    across = sigma * (one * first + other * second)
    angle = float(np.linalg.norm(across))
    return np.cos(angle) * direction_B + np.sinc(angle / np.pi) * across
