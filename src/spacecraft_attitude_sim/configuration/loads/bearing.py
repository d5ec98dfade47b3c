# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A laboratory's air bearing: its parameters, and the bearing of core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import Parameter, ParameterError, xyz
from spacecraft_attitude_sim.core.environment.loads import bearing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.environment.loads.load import Acting, Load

PARAMETERS = (
    Parameter(
        'bearing.enabled', False, '',
        'Whether the spacecraft is on a spherical air bearing of a laboratory. The bearing holds '
        'one point of the body, the pivot, at rest; base_link is there. The weight (gravity) acts '
        'at the centre of mass.', bool,
    ),
    xyz(
        'bearing.position', 'm', 1e6,
        'Pivot of the air bearing, in the design axes of the body. The default is their origin. '
        'Of a body without parts, mesh and body.center_of_mass the centre of mass is there.',
    ),
)  # fmt: skip


def on_bearing(values: Mapping[str, Any], body: RigidBody) -> RigidBody:
    """Return a body as the bearing holds it: about the pivot; as it is without a bearing.

    Raises ParameterError where a pivot is given, and no bearing.
    """
    if not values['bearing.enabled']:
        if any(values['bearing.position']):
            raise ParameterError(
                f'bearing.position is {values["bearing.position"]} m, and there is no air '
                'bearing; give bearing.enabled: true, or leave bearing.position out'
            )
        return body
    return body.about(np.array(values['bearing.position']))


def check_initial(values: Mapping[str, Any]) -> None:
    """Raise ParameterError where the initial state is not that of a body on the bearing."""
    if any(values['initial.velocity']):
        raise ParameterError(
            f'initial.velocity is {values["initial.velocity"]} m/s, and the air bearing holds '
            'base_link at rest; give 0, or bearing.enabled: false'
        )
    if values['initial.point'] != 'base_link':
        raise ParameterError(
            f'initial.point is {values["initial.point"]}, and the air bearing holds base_link; '
            'give base_link'
        )


def of(values: Mapping[str, Any], body: RigidBody) -> Acting | None:
    """Return the bearing, or None; body: about the pivot."""
    if not values['bearing.enabled']:
        return None
    return bearing.acting(body, values['gravity'])


def lines(load: Load) -> Iterator[str]:
    """Yield the lines of the text summary."""
    from spacecraft_attitude_sim.configuration.parts.named import vector

    moment, gravity = load.rows[0, :3], load.rows[0, 3:]
    most = float(np.linalg.norm(moment) * np.linalg.norm(gravity))
    yield (
        'on an air bearing, which holds base_link: its weight has the first moment '
        f'{vector(moment)} kg m about the pivot, and turns it by at most {most:.6g} N m'
    )
