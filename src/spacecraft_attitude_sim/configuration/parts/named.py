# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Helpers for the parameters of parts and for their lines in the text summary."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import IDEAL, Parameter, ParameterError
from spacecraft_attitude_sim.safety.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.types import Vector3, VectorLike
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft
    from spacecraft_attitude_sim.core.ticks import Ticks

# Pattern of one part of a ROS topic, frame or joint name, and its largest length.
NAME, LONGEST_NAME = re.compile(r'[A-Za-z][A-Za-z0-9_]*'), 64


class Given(NamedTuple):
    """What a part is made of.

    values: checked parameters;  center_of_mass: (3,) of the body in design axes [m]
    ticks: Ticks of the run
    """

    values: Mapping[str, Any]
    center_of_mass: Vector3
    ticks: Ticks


class AtStart(NamedTuple):
    """What the text summary shows of parts.

    values: checked parameters;  spacecraft, state: Spacecraft and State at the start
    """

    values: Mapping[str, Any]
    spacecraft: Spacecraft
    state: State


def size(name: str, unit: str, high: float, description: str, default: float = 0.0) -> Parameter:
    """Return a Parameter for one number from 0 to `high`."""
    return Parameter(name, default, unit, description, low=0.0, high=high)


def signed(name: str, unit: str, high: float, description: str) -> Parameter:
    """Return a Parameter for one number from -high to high, by default 0."""
    return Parameter(name, 0.0, unit, description, low=-high, high=high)


def figures_of(values: Mapping[str, Any], prefix: str) -> str:
    """Return which data sheet the figures of a part are from, for its line; '' if none."""
    model = values[f'{prefix}.model']
    return '' if model == IDEAL else f', figures of {model}'


def of_each(lists: str, prefix: str) -> Callable[[Mapping[str, Any], str], list[Any]]:
    """Return a function of (values, field): it returns that field's value for each name.

    lists: the parameter that lists the names;  prefix: of the parameters of each
    """

    def of(values: Mapping[str, Any], field: str) -> list[Any]:
        return [values[f'{prefix}.{name}.{field}'] for name in values[lists]]

    return of


def catalogued(
    parameters: Iterable[Parameter],
    named: Iterable[tuple[str, str, Iterable[Parameter]]],
    given: Mapping[str, Any],
) -> dict[str, Parameter]:
    """Return {name: Parameter} of a node, including those of what lists in `given` name.

    named: (parameter that lists the names, prefix of the parameters of each, these Parameters)
    """
    by_name = {parameter.name: parameter for parameter in parameters}
    for lists, prefix, fields in named:
        for name in checked_names(lists, by_name[lists].checked(given.get(lists, []))):
            for field in fields:
                by_name[f'{prefix}.{name}.{field.name}'] = field.under(f'{prefix}.{name}')
    return by_name


def each_part(
    values: Mapping[str, Any], named: tuple[str, str, Sequence[Parameter]]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield name, prefix of the parameters and {field: value} of each part; named: as in NAMED."""
    lists, kind, parameters = named
    for name in values[lists]:
        prefix = f'{kind}.{name}.'
        yield name, prefix, {field.name: values[prefix + field.name] for field in parameters}


def checked_names(lists: str, names: Sequence[str]) -> Sequence[str]:
    """Return the names in the parameter `lists`; ParameterError if ROS would reject one."""
    for name in names:
        if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
            raise ParameterError(
                f'{lists} has {quoted(name)}, which is no name for a topic or joint; use '
                f'letters, digits and _, a letter first, {LONGEST_NAME} characters at most'
            )
    return names


def limit(value: float) -> float:
    """Return the limit, or inf for 0, which means no limit."""
    return value or math.inf


def refuse_beyond(
    values: Mapping[str, Any], prefix: str, field: str, most: str, unit: str
) -> None:
    """Raise ParameterError if prefix.field is beyond the limit prefix.most; 0 is no limit."""
    value, largest = values[f'{prefix}.{field}'], values[f'{prefix}.{most}']
    if isinstance(value, list):
        value = max(value, key=abs, default=0.0)
    if largest and not abs(value) <= largest:
        raise ParameterError(
            f'{prefix}.{field} is {value:g} {unit}; {prefix}.{most} is {largest:g} {unit}: '
            'give no more than that'
        )


def refuse_twice(values: Mapping[str, Any], *lists: str) -> None:
    """Raise ParameterError if a name occurs twice; lists: the parameters that list names."""
    names = [name for each in lists for name in values[each]]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        where = [each for each in lists if twice in values[each]]
        raise ParameterError(
            f"{' and '.join(where)} {'have' if len(where) > 1 else 'has'} '{twice}' twice; "
            'give each a name of its own'
        )


def vector(values: VectorLike) -> str:
    """Return a vector as text."""
    return '(' + ', '.join(f'{value:.6g}' for value in np.asarray(values) + 0.0) + ')'


def numbers(values: Mapping[str, Any], prefix: str, units: Mapping[str, str]) -> list[str]:
    """Return as text the parameters under a prefix that are not 0; units: {name: unit}."""
    return [
        f'{name} {values[f"{prefix}.{name}"]:g} {unit}'.rstrip()
        for name, unit in units.items()
        if values[f'{prefix}.{name}']
    ]


def most(what: str, value: float, unit: str) -> str:
    """Return a limit as text; inf is none."""
    return f'largest {what} {value:g} {unit}' if math.isfinite(value) else f'no {what} limit'
