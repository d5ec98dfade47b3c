# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Mass properties of a scenario: given, composed of parts, of a mesh or of a filled surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import contact_parameters, internal_parts
from spacecraft_attitude_sim.configuration.parameter import (
    ParameterError,
    blame,
    unit_quaternion,
)
from spacecraft_attitude_sim.configuration.parameters import PART
from spacecraft_attitude_sim.configuration.simulator_parameters import BY_NAME
from spacecraft_attitude_sim.core.body import rigid_body as bodies
from spacecraft_attitude_sim.core.body.primitives import Primitive
from spacecraft_attitude_sim.core.mathematics.layout import six_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from spacecraft_attitude_sim.core.mathematics.types import Matrix3, Vector3

# Keys that give the mass properties; they conflict with a density and with parts with mass.
INERTIA_KEYS = ('body.mass', 'body.inertia', 'body.center_of_mass')
DENSITIES = ('body.density', 'body.mesh.density')


def is_mass_of_part(key: str) -> bool:
    """Return whether a parameter is the mass of one of body.parts."""
    return key.startswith('parts.') and key.endswith('.mass')


def parts(values: Mapping[str, Any]) -> tuple[Primitive, ...]:
    """Return the Primitives of body.parts, in design axes."""
    return tuple(_part(values, name) for name in values['body.parts'])


def completed(
    values: Mapping[str, Any], given: Collection[str], contact: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the parameters with the mass properties that a density or a mesh determines.

    Those that parts with mass determine are left out.

    values: every checked parameter;  given: names of those that are not defaults
    contact: parameters of the node contact, or None
    Raises ParameterError if more than one of them determines the inertia.
    """
    values = dict(values)
    with_mass = [name for name in values if is_mass_of_part(name)]
    fixing = [*(key for key in INERTIA_KEYS if key in given), *moved_key(values)]
    densities = [key for key in DENSITIES if values[key]]
    if densities:
        _refuse_another_inertia([*fixing, *with_mass, *densities[1:]], densities[0])
    _fill_mesh(values)
    if values['body.density']:
        values |= _of_density(contact, values['body.density'])
    if with_mass and fixing:
        raise ParameterError(
            f'{fixing[0]} and {with_mass[0]} are both given, but a body has one inertia: '
            'give body.mass and body.inertia, or a mass to every part'
        )
    for key in INERTIA_KEYS:
        if with_mass:
            values.pop(key, None)
        elif key not in values:  # there were parts with mass before
            values[key] = BY_NAME[key].checked(BY_NAME[key].default)
    return values


def filled(
    values: Mapping[str, Any],
    given: Collection[str],
    contact: Mapping[str, Any] | None,
    density: float,
) -> dict[str, Any]:
    """Return the parameters with the mass properties of a uniform body that fills the surface.

    given: names of those that are changed at the same time;  density: [kg/m^3]
    Raises ParameterError if the inertia is among them.
    """
    fixing = [*(key for key in INERTIA_KEYS if key in given), *moved_key(values)]
    _refuse_another_inertia(fixing, 'body.density')
    return {**values, **_of_density(contact, density)}


def rigid_body(values: Mapping[str, Any], shapes: Sequence[Primitive]) -> bodies.RigidBody:
    """Return the RigidBody that body.* describes: the whole spacecraft, or its hub.

    values: parameters of body and parts, from `completed`;  shapes: the Primitives of body.parts
    Raises ParameterError naming key, value and remedy.
    """
    with blame('body.'):
        if 'body.mass' in values:
            return _given_body(values)
        for name, part in zip(values['body.parts'], shapes, strict=True):
            if part.mass is None:
                raise ParameterError(f'parts.{name}.mass is missing; other parts have one [kg]')
        return bodies.compose(shapes)


def of_hub(values: Mapping[str, Any]) -> bool:
    """Return whether the mass properties are given for the hub."""
    return bool(values['body.given_for'] == 'hub')


def whole(values: Mapping[str, Any], hub: bodies.RigidBody) -> bodies.RigidBody:
    """Return the RigidBody of the whole spacecraft.

    values: parameters of the internal parts;  hub: RigidBody of everything else
    """
    with blame('body.given_for hub: '):
        return internal_parts.with_parts(values, hub)


def moved_key(values: Mapping[str, Any]) -> list[str]:
    """Return ['body.inertia_about'] if the inertia is about the design origin, else []."""
    return ['body.inertia_about'] if values['body.inertia_about'] == 'origin' else []


def inertia_of(values: Mapping[str, Any]) -> Matrix3:
    """Return the inertia (3, 3) that a controller or guidance knows, its parameter `inertia`.

    Raises ParameterError where no body has it.
    """
    with blame():
        inertia = bodies.inertia_matrix(values['inertia'])
        bodies.check_principal_moments(np.linalg.eigvalsh(inertia))
    return inertia


def _given_body(values: Mapping[str, Any]) -> bodies.RigidBody:
    """Return the RigidBody of the given mass, inertia and centre of mass; or ValueError."""
    mass, center_of_mass = values['body.mass'], values['body.center_of_mass']
    inertia = bodies.inertia_matrix(values['body.inertia'])
    if not moved_key(values):
        return bodies.RigidBody(mass, inertia, center_of_mass)
    bodies.check_principal_moments(bodies.principal_axes(inertia)[0])
    moved = bodies.about_center_of_mass(inertia, mass, center_of_mass)
    try:
        return bodies.RigidBody(mass, moved, center_of_mass)
    except ValueError as error:
        raise ParameterError(
            f'body.inertia is about the origin (body.inertia_about); moved to '
            f'body.center_of_mass {center_of_mass} m with body.mass {mass:g} kg it is '
            f'{six_of(moved).tolist()} kg m^2, whose {error}'
        ) from None


def _refuse_another_inertia(keys: Sequence[str], density: str) -> None:
    """Raise ParameterError if `keys` give an inertia as well as a density."""
    if keys:
        raise ParameterError(
            f'{keys[0]} and {density} are both given, but a body has one inertia: leave one of '
            'them out'
        )


def _fill_mesh(values: dict[str, Any]) -> None:
    """Write the mass properties of a mesh with density into `values`.

    A recording then replays bit for bit, even if the file changes.
    """
    if not values['body.mesh.file'] and not values['body.mesh.density']:
        return
    from spacecraft_attitude_sim.configuration import user_mesh

    if values['body.mesh.file']:
        values['body.mesh.file'] = user_mesh.absolute(values['body.mesh.file'])
    density = values['body.mesh.density']
    if not density:
        return
    path = values['body.mesh.file']
    if not path:
        raise ParameterError('body.mesh.density needs body.mesh.file')
    body = user_mesh.rigid_body(user_mesh.load(path, values['body.mesh.scale']), density, path)
    values['body.mass'], values['body.mesh.density'] = body.mass, 0.0
    values['body.inertia'] = six_of(body.inertia).tolist()
    values['body.center_of_mass'] = body.center_of_mass.tolist()


def _of_density(touching: Mapping[str, Any] | None, density: float) -> dict[str, Any]:
    """Return the mass parameters of a uniform body that fills the contact surface.

    body.density becomes 0, so that a recording replays bit for bit.
    touching: contact parameters;  density: [kg/m^3]
    """
    if touching is None:
        raise ParameterError(
            'body.density fills the surface that touches a floor, and there is no floor; give '
            'body.mass and body.inertia, parts with mass, or body.mesh.density'
        )
    mass, inertia, center = contact_parameters.filled(touching, density)
    found = {
        'body.density': 0.0,
        'body.mass': mass,
        'body.inertia': six_of(inertia).tolist(),
        'body.center_of_mass': center.tolist(),
    }
    try:
        return {name: BY_NAME[name].checked(value) for name, value in found.items()}
    except ParameterError as error:
        raise ParameterError(f'body.density of {density:g} kg/m^3 makes that {error}') from None


def _part(values: Mapping[str, Any], name: str) -> Primitive:
    prefix = f'parts.{name}.'
    fields: dict[str, Any] = {}
    for field in (known.name for known in PART if prefix + known.name in values):
        value = values[prefix + field]
        fields[field] = tuple(value) if isinstance(value, list) else value
    for needed in ('shape', 'size'):
        if needed not in fields:
            raise ParameterError(f"{prefix}{needed} is missing; part '{name}' needs it")
    with blame(prefix):
        return Primitive(**fields)


def body_frame(
    center_of_mass: Vector3, values: Mapping[str, Any], prefix: str
) -> bodies.BodyFrame:
    """Return the BodyFrame of prefix.position (from the design origin) and prefix.orientation.

    center_of_mass: (3,) in design axes [m]
    """
    position_B = np.array(values[f'{prefix}.position']) - center_of_mass
    q_BF = unit_quaternion(values, f'{prefix}.orientation')
    return bodies.BodyFrame(position_B, q_BF)
