# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the parameters of all named actuators share."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.parameter import Parameter, ParameterError
from spacecraft_attitude_sim.safety.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# What ROS takes as a part of a topic's, frame's or joint's name, and the most characters of it.
NAME, LONGEST_NAME = re.compile(r'[A-Za-z][A-Za-z0-9_]*'), 64


def size(name: str, unit: str, high: float, description: str, default: float = 0.0) -> Parameter:
    """Return a parameter of one number, from 0 to `high`."""
    return Parameter(name, default, unit, description, low=0.0, high=high)


def signed(name: str, unit: str, high: float, description: str) -> Parameter:
    """Return a parameter of one number, from -high to high; default 0."""
    return Parameter(name, 0.0, unit, description, low=-high, high=high)


def of_each(lists: str, prefix: str) -> Callable[[Mapping[str, Any], str], list[Any]]:
    """Return a function of values and field that gives the parameter of each that is named.

    lists: the parameter that lists names;  prefix: under which each is described
    """

    def of(values: Mapping[str, Any], field: str) -> list[Any]:
        return [values[f'{prefix}.{name}.{field}'] for name in values[lists]]

    return of


def checked_names(lists: str, names: Sequence[str]) -> Sequence[str]:
    """Return the names in a parameter `lists`; ParameterError where ROS would not take one."""
    for name in names:
        if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
            raise ParameterError(
                f'{lists} has {quoted(name)}, which is no name for a topic or joint; use '
                f'letters, digits and _, a letter first, {LONGEST_NAME} characters at most'
            )
    return names


def limit(value: float) -> float:
    """Return a limit that 0 says there is none of: inf for that."""
    return value or math.inf


def refuse_beyond(
    values: Mapping[str, Any], prefix: str, field: str, most: str, unit: str
) -> None:
    """Raise ParameterError where prefix.field is larger than the limit prefix.most, if any."""
    value, largest = values[f'{prefix}.{field}'], values[f'{prefix}.{most}']
    if isinstance(value, list):
        value = max(value, key=abs, default=0.0)
    if largest and not abs(value) <= largest:
        raise ParameterError(
            f'{prefix}.{field} is {value:g} {unit}; {prefix}.{most} is {largest:g} {unit}: '
            'give no more than that'
        )


def refuse_twice(values: Mapping[str, Any], *lists: str) -> None:
    """Raise ParameterError where two have one name; lists: the parameters that list names."""
    names = [name for each in lists for name in values[each]]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        where = [each for each in lists if twice in values[each]]
        raise ParameterError(
            f"{' and '.join(where)} {'have' if len(where) > 1 else 'has'} '{twice}' twice; "
            'give each a name of its own'
        )
