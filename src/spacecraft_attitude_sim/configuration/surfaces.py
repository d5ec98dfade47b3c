# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the surfaces on which air and sunlight exert a force, and their Plates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import Parameter, ParameterError, blame, xyz
from spacecraft_attitude_sim.configuration.parts.named import refuse_twice, size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.environment.plates import Plates
    from spacecraft_attitude_sim.core.mathematics.types import Vector3

# Parameters of each of `surfaces`, under surface.<name>.
SURFACE = (
    size('area', 'm^2', 1e6, 'Area of one side.'),
    xyz('normal', '', 1.1, 'Outward normal: unit vector in body axes.', (1.0, 0.0, 0.0)),
    xyz('center', 'm', 1e6, 'Centre of the surface, in the design axes of the body.'),
    size('specular', '', 1.0, 'Fraction of light that is reflected specularly (as by a mirror).'),
    size('diffuse', '', 1.0, 'Fraction of light that is reflected diffusely.'),
    size(
        'drag_coefficient', '', 10.0,
        'Drag coefficient of the surface. 2: it accommodates all molecules.', 2.2,
    ),
    size(
        'accommodation', '', 1.0,
        'Accommodation: the fraction of molecules that the surface holds for a moment. The '
        'others are reflected as by a mirror.', 1.0,
    ),
    size('leaving_speed', 'm/s', 1e4, 'Speed at which accommodated molecules leave the surface.'),
    Parameter(
        'both_sides', False, '',
        'Whether air and sunlight act on both sides, as on a panel.', bool,
    ),
)  # fmt: skip


def plates(values: Mapping[str, Any], center_of_mass: Vector3) -> Plates | None:
    """Return the Plates from checked parameters, or None if there are none.

    center_of_mass: (3,) in design axes [m]
    Raises ParameterError naming surface, value and remedy.
    """
    if not values['surfaces']:
        return None
    from spacecraft_attitude_sim.core.environment.plates import Plate, Plates

    if values['orbit.model'] == 'none':
        raise ParameterError(
            "surfaces are given, but orbit.model is 'none', without air and sunlight; give an "
            'orbit about the Earth, or leave surfaces out'
        )
    refuse_twice(values, 'surfaces')
    found = []
    fields = [one.name for one in SURFACE if one.name not in ('center', 'both_sides')]
    for name in values['surfaces']:
        prefix = f'surface.{name}'
        given = {field: values[f'{prefix}.{field}'] for field in fields}
        with blame(f'{prefix}.'):
            center_B = np.array(values[f'{prefix}.center']) - center_of_mass
            plate = Plate(given.pop('normal'), center_B, **given)
        found.append(plate)
        if values[f'{prefix}.both_sides']:
            found.append(plate.other_side)
    return Plates(tuple(found))
