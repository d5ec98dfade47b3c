# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Masses on lines, balls in tubes and sloshing propellant: parameters, SlidingMasses of core."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import Parameter, blame, xyz
from spacecraft_attitude_sim.configuration.parts.named import each_part, signed, size, vector

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Vector3
    from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass

NAMES = Parameter(
    'sliding_masses', [], '',
    'Names of the masses that move on a straight line (a ball in a tube, sloshing propellant). '
    'body.mass and body.inertia include them at displacement 0.', str, length=(),
)  # fmt: skip
# Parameters of each of `sliding_masses`, under sliding_mass.<name>.
SLIDING_MASS = (
    xyz(
        'position', 'm', 1e6,
        'Position at displacement 0, in the design axes of the body.',
    ),
    xyz(
        'axis', '', 1.1,
        'Direction of the line of motion: unit vector in body axes.', (0.0, 0.0, 1.0),
    ),
    Parameter('mass', 1.0, 'kg', 'Mass. body.mass includes it.', low=1e-12, high=1e12),
    size(
        'stiffness', 'N/m', 1e12,
        'Stiffness of the spring that returns the mass to displacement 0.',
    ),
    size('damping', 'N s/m', 1e12, 'Damping: force per rate.'),
    signed('displacement', 'm', 1e6, 'Displacement along the axis at the start.'),
    signed('rate', 'm/s', 1e6, 'Rate of the displacement at the start.'),
    Parameter(
        'travel', [], 'm',
        'Lower and upper displacement at which a stop without bounce ends the motion. Empty: no '
        'stops.',
        length=(0, 2), low=-1e6, high=1e6,
    ),
)  # fmt: skip
NAMED = ('sliding_masses', 'sliding_mass', SLIDING_MASS)


def each(values: Mapping[str, Any], center_of_mass: Vector3) -> dict[str, SlidingMass]:
    """Return {name: SlidingMass} from checked parameters.

    center_of_mass: (3,) of the body in design axes [m]
    Raises ParameterError naming mass, value and remedy.
    """
    from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass

    found: dict[str, SlidingMass] = {}
    for name, prefix, own in each_part(values, NAMED):
        own['travel'] = own['travel'] or (-math.inf, math.inf)
        position_B = np.array(own.pop('position')) - center_of_mass
        with blame(prefix):
            found[name] = SlidingMass(position_B, own.pop('axis'), **own)
    return found


def lines(name: str, slider: SlidingMass) -> Iterator[str]:
    """Yield the lines of the text summary."""
    spring = 'no spring'
    if slider.stiffness:
        held = math.sqrt(slider.stiffness / slider.mass) / math.tau
        spring = f'{held:.6g} Hz with the body held fixed'
    low, high = slider.travel
    within = f', travel from {low:g} to {high:g} m' if math.isfinite(high - low) else ''
    yield (
        f'{name}: mass of {slider.mass:.6g} kg on a line along {vector(slider.axis_B)} through '
        f'{vector(slider.position_B)} m from the centre of mass, {spring}{within}'
    )
