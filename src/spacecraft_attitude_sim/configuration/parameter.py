# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Description of a ROS parameter, and checks of its values."""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.safety.frozen import dataclass
from spacecraft_attitude_sim.safety.quoting import OneLineError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from spacecraft_attitude_sim.core.mathematics.types import Quaternion

# The value of a parameter `model` that names no data sheet.
IDEAL = 'ideal'
KINDS = {float: 'a number', int: 'a whole number', bool: 'true or false', str: 'a text'}


class ParameterError(OneLineError):
    """A parameter is unknown or has an invalid value; the message names it and the remedy."""


@contextlib.contextmanager
def blame(key: str = '') -> Iterator[None]:
    """Turn a ValueError of core into a ParameterError whose message begins with `key`."""
    try:
        yield
    except ParameterError:
        raise
    except ValueError as error:
        raise ParameterError(f'{key}{error}') from None


@dataclass(frozen=True)
class Parameter:
    """One parameter.

    unit: of its values, or '';  description: one sentence, also in docs/parameters.md
    kind: type of the value, or of each element if `length` is given
    length: None for a single value, else the allowed lengths of a list (empty tuple: any)
    low, high: inclusive range of each number;  read_only: whether it is fixed while the node runs
    choices: the valid texts; empty for any
    of_run: whether it applies to the whole run; then all its spacecraft have the same value
    required: whether it must be given; its default then only shows the form
    """

    name: str
    default: Any
    unit: str
    description: str
    kind: type[Any] = float
    length: tuple[int, ...] | None = None
    low: float = -math.inf
    high: float = math.inf
    read_only: bool = True
    choices: tuple[str, ...] = ()
    of_run: bool = False
    required: bool = False

    def checked(self, value: Any) -> Any:
        """Return `value` in the parameter's type; integers are accepted for floats.

        Raises ParameterError naming key, value, unit and remedy.
        """
        if self.length is None:
            return self._checked_element(value, self.name)
        if 1 in self.length and isinstance(value, (int, float)):
            value = [value]
        if isinstance(value, (str, bytes, dict)) or not hasattr(value, '__iter__'):
            raise ParameterError(f'{self.name} is {value!r}; give a list')
        values = list(value)
        if self.length and len(values) not in self.length:
            lengths = ' or '.join(str(length) for length in self.length)
            raise ParameterError(f'{self.name} has {len(values)} values; give {lengths}')
        return [
            self._checked_element(element, f'{self.name}[{index}]')
            for index, element in enumerate(values)
        ]

    def under(self, prefix: str) -> Parameter:
        """Return this parameter with the name `prefix`.name."""
        return replace(self, name=f'{prefix}.{self.name}')

    def _checked_element(self, value: Any, label: str) -> Any:
        if self.kind is float:
            value = _as_float(value)
        unit = f' {self.unit}' if self.unit else ''
        if type(value) is not self.kind:
            kind = KINDS[self.kind]
            raise ParameterError(f'{label} is {value!r}; give {kind}{unit and " in" + unit}')
        if self.kind in (float, int) and not self.low <= value <= self.high:
            raise ParameterError(
                f'{label} is {value}{unit}; give a number from {self.low:g} to {self.high:g}{unit}'
            )
        if self.choices and value not in self.choices:
            raise ParameterError(f'{label} is {value!r}; choose one of {", ".join(self.choices)}')
        return value


def prefixes_of(
    parameters: Iterable[Parameter], named: Iterable[tuple[str, str, object]]
) -> tuple[str, ...]:
    """Return the prefixes of parameters: 'imu.' for imu.noise, 'seed' for seed.

    named: (parameter that lists names, prefix of the parameters of each, these Parameters)
    """
    names = [parameter.name for parameter in parameters] + [f'{prefix}.' for _, prefix, _ in named]
    heads = (name.partition('.') for name in names)
    return tuple(dict.fromkeys(head + dot for head, dot, _ in heads))


def asked_for(valid: Mapping[str, Parameter], given: Collection[str]) -> list[ParameterError]:
    """Return a ParameterError for each actuator that lacks a required parameter.

    valid: {name: Parameter} of a node;  given: names of the parameters given
    """
    lacking: dict[str, list[Parameter]] = {}
    for name, one in valid.items():
        if one.required and name not in given:
            lacking.setdefault(name.rpartition('.')[0], []).append(one)
    return [_not_given(several) for several in lacking.values()]


def _not_given(lacking: Sequence[Parameter]) -> ParameterError:
    *others, last = [f'{one.name} [{one.unit}]' if one.unit else one.name for one in lacking]
    names = f'{", ".join(others)} and {last}' if others else last
    are, have, them = ('are', 'have', 'them') if others else ('is', 'has', 'it')
    return ParameterError(
        f'{names} {are} not given and {have} no default: give {them}; see docs/parameters.md'
    )


def xyz(
    name: str,
    unit: str,
    largest: float,
    description: str,
    default: tuple[float, float, float] = (0.0, 0.0, 0.0),
    **more: Any,
) -> Parameter:
    """Return a Parameter for three numbers, each from -largest to largest."""
    size: dict[str, Any] = {'length': (3,), 'low': -largest, 'high': largest}
    return Parameter(name, list(default), unit, description, **size, **more)


def data_sheet(name: str, models: Sequence[str], description: str) -> Parameter:
    """Return a Parameter that names a file of figures, one of `models`, or none of them."""
    return Parameter(name, IDEAL, '', description, str, choices=(IDEAL, *models))


def attitude(name: str, description: str, **more: Any) -> Parameter:
    """Return a Parameter for a unit quaternion w, x, y, z; default: the identity."""
    size: dict[str, Any] = {'length': (4,), 'low': -2.0, 'high': 2.0}
    return Parameter(name, [1.0, 0.0, 0.0, 0.0], '', description, **size, **more)


def unit_quaternion(values: Mapping[str, Any], name: str) -> Quaternion:
    """Return the unit quaternion (4,) of a parameter; ParameterError if it is not one."""
    with blame():
        return rotations.unit_quaternion(values[name], name)


def _as_float(value: Any) -> Any:
    """Convert to float an integer, or a text such as 1e-6, which YAML 1.1 reads as a string."""
    if isinstance(value, bool):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        return value
