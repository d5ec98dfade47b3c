# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a campaign may disperse and draw, checked against its scenario."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.campaigns import distributions, faults_in_turn
from spacecraft_attitude_sim.campaigns.columns import results_of
from spacecraft_attitude_sim.configuration import (
    attitude_controller,
    loads,
    parameters,
    parts,
    scenario,
)
from spacecraft_attitude_sim.configuration.parameters import ParameterError

if TYPE_CHECKING:
    from spacecraft_attitude_sim.campaigns.distributions import Distribution

# A parameter of a node other than the simulator has its name as a prefix: contact.friction.
NODES = ('contact', attitude_controller.NAME)
# Prefixes of what a run depends on; with a controller also on its sensors and limits.
ACTING = (
    'body.', 'parts.', 'initial.', 'gravity', 'contact.', 'orbit.', 'epoch_delay', 'surface.',
    'residual_dipole', 'magnetic_field',
    'density_factor', 'f10_7', 'earth_dipole.', 'air_density', 'wind', 'sun_direction',
    'irradiance', 'fault.', *parts.DRAWN, *loads.PREFIXES,
)  # fmt: skip
ACTING_ON_CONTROL = (
    'attitude_controller.', 'imu.', 'magnetometer.', 'seed', 'command_torque_limit',
)  # fmt: skip
# With a controller in Python on all that it may read or command.
ACTING_ON_PYTHON = (
    'star_tracker.', 'sun_sensor.', 'horizon_sensor.', 'gnss.', 'command_force_limit',
    'command_timeout',
)  # fmt: skip
ELEMENT = re.compile(r'(.*)\[(\d+)\]$')


def named(namespace: str, name: str) -> str:
    """Return the campaign's name for `name` of a spacecraft."""
    return f'{namespace}/{name}' if namespace else name


def nodes_of(base: scenario.Scenario) -> dict[str, dict[str, Any] | None]:
    """Return {node: its parameters in a Scenario, or None}; '' is the simulator."""
    found = (base.parameters, base.contact_parameters, base.controller)
    return dict(zip(('', *NODES), found, strict=True))


def of_each(
    dispersions: Mapping[str, Any], namespaces: Sequence[str]
) -> list[tuple[str, str, Any]]:
    """Return (namespace, full name, value) of each dispersion of each spacecraft.

    A dispersion without a namespace applies to every spacecraft, with separate draws, except those
    with a dispersion of their own.
    """
    if namespaces == ['']:
        return [('', name, what) for name, what in dispersions.items()]
    found = []
    for name, what in dispersions.items():
        namespace, _, own = name.rpartition('/')
        if namespace and namespace not in namespaces:
            raise ParameterError(
                f'dispersions.{name}: no spacecraft {namespace}; there are {", ".join(namespaces)}'
            )
        for one in [namespace] if namespace else namespaces:
            if namespace or named(one, own) not in dispersions:
                found.append((one, named(one, own), what))
    return found


def dispersion(
    base: scenario.Scenario, namespace: str, name: str, given: Any, in_python: bool
) -> Distribution:
    """Return the Distribution of a parameter, checked against its type and length.

    base: of the spacecraft `namespace`;  name: of the parameter, namespace included
    in_python: whether a controller in Python commands it
    """
    found = distributions.parse(f'dispersions.{name}', given)
    values = {
        named(namespace, f'{node}.{key}' if node else key): value
        for node, given_values in nodes_of(base).items()
        for key, value in (given_values or {}).items()
    }
    element = ELEMENT.match(name)
    whole, index = (element[1], int(element[2])) if element else (name, None)
    if whole not in values:
        raise parameters.unknown(f'dispersions.{whole}', [f'dispersions.{key}' for key in values])
    value = values[whole]
    if index is not None:
        if not isinstance(value, list) or index >= len(value):
            raise ParameterError(f'dispersions.{name}: {whole} is {value}; it has no such element')
        value = value[index]
    length = len(value) if isinstance(value, list) else None
    if found.length != length:
        raise ParameterError(
            f"dispersions.{name}: '{found.kind}' makes {found.length or 1} numbers, {whole} "
            f'has {length or 1}; name an element, as {whole}[0], or choose another'
        )
    first = value[0] if length else value
    if isinstance(first, (bool, str)) or isinstance(first, int) != (found.kind == 'integers'):
        wanted = "'integers'" if type(first) is int else "any but 'integers'"
        remedy = f'choose {wanted}' if isinstance(first, (int, float)) else 'disperse a number'
        if isinstance(first, (bool, str)):
            remedy = 'only numbers can be dispersed'
        raise ParameterError(f'dispersions.{name}: {whole} is {first!r}; {remedy}')
    acting = ACTING + (ACTING_ON_CONTROL if base.controller or in_python else ())
    acting += ACTING_ON_PYTHON if in_python else ()
    if not whole.startswith(tuple(named(namespace, prefix) for prefix in acting)):
        raise ParameterError(
            f'dispersions.{name}: {whole} changes nothing in a campaign of this scenario; what '
            f'does begins with {", ".join(acting)}'
        )
    return found


def refuse_twice(dispersions: Mapping[str, Distribution]) -> None:
    """Raise ParameterError where a list and an element of it are both dispersed."""
    for name in dispersions:
        whole = ELEMENT.match(name)
        if whole and whole[1] in dispersions:
            raise ParameterError(f'dispersions.{name}: {whole[1]} is dispersed too; leave one out')


def check_map(
    values: Mapping[str, Any],
    dispersions: Mapping[str, Distribution],
    bases: Mapping[str, scenario.Scenario],
    own: Iterable[str],
    in_python: bool,
) -> None:
    """Raise ParameterError if a map names an unknown column, or too few columns."""
    x, y, color = (values[f'map.{key}'] for key in ('x', 'y', 'color'))
    if not (x or y or color):
        return
    in_turn = values[faults_in_turn.KEY]
    drawn = [
        column
        for name, found in dispersions.items()
        if not (in_turn and faults_in_turn.is_of_fault(name))
        for column in ([f'{name}[{k}]' for k in range(found.length)] if found.length else [name])
    ]
    if in_turn:
        drawn += [named(namespace, name) for namespace in bases for name in faults_in_turn.COLUMNS]
    results = [
        named(namespace, name)
        for namespace, base in bases.items()
        for name in (*results_of(base, in_python), *own)
    ]
    every = drawn + results
    for key, name, known in (('x', x, drawn), ('y', y or x, drawn), ('color', color, every)):
        if not name:
            raise ParameterError(f'map.{key} is missing; a map has x and color, and may have y')
        if name not in known:
            what = 'a number that is dispersed' if known is drawn else 'a column of the table'
            raise ParameterError(
                f"map.{key} is '{name}'; give {what}: {', '.join(known) or 'there is none'}"
            )
