# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Spherical pendulums (propellant under thrust or spin): parameters, and Pendulums of core."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import Parameter, blame, xyz
from spacecraft_attitude_sim.configuration.parts.named import Given, each_part, size, vector
from spacecraft_attitude_sim.core.mathematics.fixed_order import product

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacecraft_attitude_sim.configuration.parts.named import AtStart
    from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulums

NAMES = Parameter(
    'pendulums', [], '',
    'Names of the spherical pendulums (propellant that sloshes under thrust or spin). body.mass '
    'and body.inertia include them at rest.', str, length=(),
)  # fmt: skip
# Parameters of each of `pendulums`, under pendulum.<name>.
PENDULUM = (
    xyz('pivot', 'm', 1e6, 'Pivot point, in the design axes of the body.'),
    xyz(
        'rest', '', 1.1,
        'Direction from the pivot to the mass at rest, as body.inertia includes it: unit vector '
        'in body axes.',
        (0.0, 0.0, -1.0),
    ),
    Parameter('mass', 1.0, 'kg', 'Mass. body.mass includes it.', low=1e-12, high=1e12),
    Parameter('length', 1.0, 'm', 'Distance from the pivot to the mass.', low=1e-9, high=1e6),
    size('damping', 'N m s/rad', 1e12, 'Damping: torque per rate of the rod.'),
    Parameter(
        'direction', [], '',
        'Direction from the pivot to the mass at the start: unit vector in body axes. Empty: as '
        '`rest`.',
        length=(0, 3), low=-1.1, high=1.1,
    ),
    xyz(
        'rate', 'rad/s', 1e4,
        'Angular velocity of the rod relative to the body at the start, body axes.',
    ),
)  # fmt: skip
LABEL, PARAMETERS = 'internal', (NAMES,)
NAMED = (('pendulums', 'pendulum', PENDULUM),)


def part(given: Given) -> Pendulums:
    """Return the Pendulums.

    Raises ParameterError naming pendulum, value and remedy.
    """
    from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum, Pendulums

    values, center_of_mass, _ = given
    pendulums = {}
    for name, prefix, own in each_part(values, NAMED[0]):
        pivot_B = np.array(own['pivot']) - center_of_mass
        with blame(prefix):
            pendulums[name] = Pendulum(
                pivot_B, own['rest'], own['mass'], own['length'], own['damping'],
                own['direction'], own['rate'],
            )  # fmt: skip
    return Pendulums(pendulums)


def lines(pendulums: Pendulums, start: AtStart) -> Iterator[str]:  # noqa: ARG001
    """Yield the lines of the text summary."""
    for name, pendulum in pendulums.each.items():
        swing = product(pendulum.direction_B, pendulum.rest_B)
        yield (
            f'{name}: pendulum of {pendulum.mass:.6g} kg and {pendulum.length:.6g} m at '
            f'{vector(pendulum.pivot_B)} m from the centre of mass, '
            f'{math.degrees(math.acos(min(1.0, max(-1.0, swing)))):.4g} deg from rest'
        )
