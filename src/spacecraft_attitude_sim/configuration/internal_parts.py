# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What all internal parts of a scenario must fulfil together, and the body with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.configuration.parts import INSIDE, NAMED_INSIDE, described
from spacecraft_attitude_sim.configuration.parts.named import Given, refuse_twice
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.layout import six_of
from spacecraft_attitude_sim.core.ticks import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts

LISTS = tuple(lists for lists, _, _ in NAMED_INSIDE)
PREFIXES = tuple(f'{prefix}.' for _, prefix, _ in NAMED_INSIDE)


def refuse(values: Mapping[str, Any], on_floor: bool) -> None:
    """Raise ParameterError where internal parts cannot be simulated; on_floor: with a floor."""
    if not (lists := [name for name in LISTS if values[name]]):
        return
    if on_floor:
        raise ParameterError(
            f'{lists[0]} is {values[lists[0]]}, and there is a floor, which only a rigid body '
            'touches; leave one of them out'
        )
    if values['equations'] != 'momentum':
        raise ParameterError(
            f"equations is '{values['equations']}'; with {lists[0]} only 'momentum' works"
        )
    refuse_twice(values, *LISTS)
    refuse_twice(values, 'wheels', 'gimbals', 'thrusters', 'panels')  # in joint_states


def with_parts(values: Mapping[str, Any], hub: RigidBody) -> RigidBody:
    """Return the RigidBody of the whole spacecraft: the hub plus its internal parts.

    values: checked parameters;  hub: RigidBody of everything except the internal parts
    Raises ParameterError naming key, value and remedy.
    """
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts

    if not any(values[name] for name in LISTS):
        return hub
    refuse_twice(values, *LISTS)
    given = Given(values, np.zeros(3), DEFAULT)
    parts = InternalParts(described(given, INSIDE))
    return RigidBody(*parts.whole(hub.mass, hub.inertia, hub.center_of_mass))


def check_hub(values: Mapping[str, Any], body: RigidBody, parts: InternalParts) -> None:
    """Raise ParameterError if the body without its internal parts is not a valid hub."""
    if parts:
        _check_hub(body, parts, ' and '.join(name for name in LISTS if values[name]))


def _check_hub(body: RigidBody, parts: InternalParts, what: str) -> None:
    """Raise ParameterError if the body without its parts is not a valid hub."""
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody, point_inertia

    mass = body.mass - parts.mass
    if not mass > 0.0:
        raise ParameterError(
            f'body.mass is {body.mass:g} kg with everything that moves in it, but {what} have '
            f'{parts.mass:g} kg: give the mass of the whole spacecraft'
        )
    about_origin = body.inertia - parts.inertia_B
    hub = about_origin - point_inertia(mass, parts.hub_moment_B / mass)
    hub = (hub + hub.T) / 2.0
    try:
        RigidBody(mass, hub)
    except ValueError as error:
        raise ParameterError(
            f'body.inertia includes everything, with moving parts at their reference places; '
            f'without {what} the hub has {_text(hub)} kg m^2 about its centre of mass: {error}'
        ) from None
    modes = [
        np.concatenate(mode.momenta_B(0.0)) for mode in parts.coordinates.values() if not mode.mass
    ]
    carried = np.zeros((6, 6))
    carried[:3, :3], carried[3:, 3:] = about_origin, mass * np.eye(3)
    lever = rotations.cross_matrix(parts.hub_moment_B)
    carried[:3, 3:], carried[3:, :3] = lever, lever.T
    for momenta in modes:
        carried -= np.outer(momenta, momenta)
    if modes and not np.linalg.eigvalsh(carried)[0] > 0.0:
        raise ParameterError(
            f'{what}: couplings and drifts of the modes leave nothing of the inertia '
            f'{_text(about_origin)} kg m^2 and mass {mass:g} kg of the hub; the sum of their '
            'squares must be less than that about every axis'
        )


def _text(inertia: Array) -> str:
    """Return an inertia (3, 3) as text, in the order of body.inertia."""
    return '[' + ', '.join(f'{number + 0.0:.6g}' for number in six_of(inertia)) + ']'
