# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of one simulator: those of SIMULATOR, and those of everything that it names."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration import contact_parameters, parameters
from spacecraft_attitude_sim.configuration.parameter import ParameterError, asked_for
from spacecraft_attitude_sim.configuration.parts.named import checked_names

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from spacecraft_attitude_sim.configuration.parameter import Parameter

BY_NAME = {parameter.name: parameter for parameter in parameters.SIMULATOR}


def catalogue(given: Mapping[str, Any]) -> dict[str, Parameter]:
    """Return {name: Parameter} of a simulator, including those of the names in `given`."""
    return dict(_catalogue(*(_listed(lists, given) for lists, _, _ in parameters.NAMED)))


def _listed(lists: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names in one list of parameters.NAMED."""
    names = BY_NAME[lists].checked(given.get(lists, []))
    return tuple(checked_names(lists, names) if lists in parameters.NAMED_IN_ROS else names)


@functools.lru_cache(maxsize=8)
def _catalogue(*names: tuple[str, ...]) -> dict[str, Parameter]:
    """Return the catalogue for the names in each list of parameters.NAMED."""
    named = (
        replace(field, name=f'{prefix}.{name}.{field.name}')
        for (_, prefix, fields), listed in zip(parameters.NAMED, names, strict=True)
        for name in listed
        for field in fields
    )
    return {parameter.name: parameter for parameter in (*parameters.SIMULATOR, *named)}


def checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return {name: value} of every parameter, checked and converted to its type, with defaults.

    Raises ParameterError naming every invalid value.
    """
    valid = catalogue(given)
    mistakes = [unknown(name, valid) for name in given if name not in valid]
    mistakes += asked_for(valid, given)
    values = {}
    for name, parameter in valid.items():
        if name in given or not name.startswith('parts.'):
            try:
                values[name] = parameter.checked(given.get(name, parameter.default))
            except ParameterError as error:
                mistakes.append(error)
    if len(mistakes) > 1:
        listed = '; '.join(f'({n}) {one}' for n, one in enumerate(mistakes, 1))
        raise ParameterError(f'{len(mistakes)} mistakes: {listed}')
    if mistakes:
        raise mistakes[0]
    return values


def without_simulators(given: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return the parameters of another node that are not only the simulator's.

    A parameter that the command line gives without a node's name reaches every node.

    names: of the node's own parameters
    """
    elsewhere = catalogue(given).keys() - set(names)
    return {name: value for name, value in given.items() if name not in elsewhere}


def unknown(name: str, valid: Mapping[str, Parameter]) -> ParameterError:
    """Return the ParameterError for a name that is not valid."""
    if name in contact_parameters.BY_NAME:
        return ParameterError(
            f'{name} is a parameter of the node contact: give it in a section /**/contact, or as '
            f'-p contact:{name}:=…'
        )
    return parameters.unknown(name, list(valid))
