# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Internal parts of a scenario, as parameters, and the InternalParts of core made from them.

Each kind of part has a module. It holds the parameters, one set per named part, and a function
that converts their values to the type of core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.actuators.named import refuse_twice
from spacecraft_attitude_sim.configuration.internal_parts import (
    flexible_modes,
    hysteresis_rods,
    modal_file,
    panels,
    pendulums,
    sliding_masses,
    slugs,
)
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.core.mathematics import rotations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3
    from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts

# Parameters that name the internal parts.
INTERNAL_PARTS = (
    flexible_modes.NAMES, modal_file.FILE, panels.NAMES, sliding_masses.NAMES, pendulums.NAMES,
    slugs.NAMES, hysteresis_rods.NAMES,
)  # fmt: skip
# (parameter that lists the names, prefix of the parameters of each, these Parameters)
NAMED = (
    ('flexible_modes', 'flexible_mode', flexible_modes.FLEXIBLE_MODE),
    ('panels', 'panel', panels.PANEL),
    ('sliding_masses', 'sliding_mass', sliding_masses.SLIDING_MASS),
    ('pendulums', 'pendulum', pendulums.PENDULUM),
    ('slugs', 'slug', slugs.SLUG),
    ('hysteresis_rods', 'hysteresis_rod', hysteresis_rods.HYSTERESIS_ROD),
)
LISTS = tuple(lists for lists, _, _ in NAMED)
# A campaign may draw parameters with these prefixes.
PREFIXES = tuple(f'{prefix}.' for _, prefix, _ in NAMED)


def internal_parts(
    values: Mapping[str, Any], body: RigidBody, on_floor: bool
) -> InternalParts | None:
    """Return the InternalParts from checked parameters, or None if there are none.

    body: RigidBody of the whole spacecraft;  on_floor: whether it can touch a floor
    Raises ParameterError naming key, value and remedy.
    """
    if not (lists := [one for one in LISTS if values[one]]):
        return None
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
    parts = _parts(values, body.center_of_mass)
    _check_hub(body, parts, ' and '.join(lists))
    return parts


def _parts(values: Mapping[str, Any], center: Vector3) -> InternalParts:
    """Return the InternalParts; center: (3,) origin of their positions in design axes [m]."""
    from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts

    return InternalParts(
        flexible_modes.flexible_modes(values)
        | panels.panels(values, center)
        | sliding_masses.sliding_masses(values, center),
        pendulums.pendulums(values, center),
        slugs.slugs(values),
        hysteresis_rods.hysteresis_rods(values),
    )


def with_parts(values: Mapping[str, Any], hub: RigidBody) -> RigidBody:
    """Return the RigidBody of the whole spacecraft: the hub plus its internal parts.

    values: checked parameters;  hub: RigidBody of everything except the internal parts
    Raises ParameterError naming key, value and remedy.
    """
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody

    if not any(values[one] for one in LISTS):
        return hub
    refuse_twice(values, *LISTS)
    return RigidBody(*_parts(values, np.zeros(3)).whole(hub.mass, hub.inertia, hub.center_of_mass))


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
            f'without {what} the hub has {_six(hub)} kg m^2 about its centre of mass: {error}'
        ) from None
    modes = [
        np.concatenate(one.momenta_B(0.0)) for one in parts.coordinates.values() if not one.mass
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
            f'{_six(about_origin)} kg m^2 and mass {mass:g} kg of the hub; the sum of their '
            'squares must be less than that about every axis'
        )


def _six(inertia: Array) -> str:
    """Return an inertia (3, 3) as text, in the order of body.inertia."""
    i = inertia
    numbers = (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2])
    return '[' + ', '.join(f'{number + 0.0:.6g}' for number in numbers) + ']'
