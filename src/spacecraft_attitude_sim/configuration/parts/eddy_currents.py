# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Eddy currents: their parameters, and the EddyCurrents of core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.configuration.parameter import Parameter, ParameterError, blame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacecraft_attitude_sim.configuration.parts.named import AtStart, Given
    from spacecraft_attitude_sim.core.parts.eddy_currents.description import EddyCurrents

PARAMETERS = (
    Parameter(
        'eddy_currents.magnetic_tensor', [0.0, 0.0, 0.0], 'S m^4',
        'Magnetic tensor of the conductive body, body axes: xx, yy, zz, or xx, yy, zz, xy, xz, '
        'yz. Eddy currents then slow the rotation across the magnetic field. 2/3 pi times '
        'conductivity, thickness and radius^4 for a thin spherical shell. 0: no eddy currents.',
        length=(3, 6), low=-1e15, high=1e15,
    ),
)  # fmt: skip
# Other parameters that `part` reads.
READS = ('magnetic_field', 'orbit.model')


def part(given: Given) -> EddyCurrents | None:
    """Return the EddyCurrents, None without any.

    Raises ParameterError naming key, value and remedy.
    """
    from spacecraft_attitude_sim.core.parts.eddy_currents.description import EddyCurrents

    values = given.values
    tensor = values['eddy_currents.magnetic_tensor']
    if not any(tensor):
        return None
    if not any(values['magnetic_field']) and values['orbit.model'] == 'none':
        raise ParameterError(
            f'eddy_currents.magnetic_tensor is {tensor}, but there is no magnetic field: give '
            'magnetic_field or orbit.model'
        )
    with blame('eddy_currents.'):
        return EddyCurrents([*tensor, 0.0, 0.0, 0.0][:6])


def lines(currents: EddyCurrents, start: AtStart) -> Iterator[str]:  # noqa: ARG001
    """Yield the lines of the text summary."""
    tensor = ', '.join(f'{value:.6g}' for value in currents.magnetic_tensor_B)
    yield f'eddy currents: magnetic tensor [{tensor}] S m^4 (xx, yy, zz, xy, xz, yz)'
