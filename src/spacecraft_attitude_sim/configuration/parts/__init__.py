# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of a spacecraft as parameters: a module for each kind of core.parts.registry, by its name.

A module has:

    PARAMETERS            that apply to all of the kind, or that list the names of its parts
    part(given)           returns the Part of core that a Given describes, or None; called where
                          one of PARAMETERS differs from its default
    lines(part, start)    yields its lines of the text summary

and, where it needs them:

    NAMED                 (parameter that lists names, prefix of the parameters of each, these)
    MODELS                values of `model` of each that name a file in config/actuators
    READS                 prefixes of other parameters that `part` reads
    LABEL                 of its lines
    commands(values)      returns the parts of Inputs that apply from the start
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.parameter import prefixes_of
from spacecraft_attitude_sim.configuration.parts.named import refuse_twice
from spacecraft_attitude_sim.core.actuators import Inputs, inputs
from spacecraft_attitude_sim.core.parts import registry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spacecraft_attitude_sim.configuration.parts.named import AtStart, Given
    from spacecraft_attitude_sim.core.parts.part import Part

MODULES = {name: import_module(f'{__name__}.{name}') for name in registry.NAMES}


def _all(name: str, kinds: Mapping[str, Any] = MODULES) -> tuple[Any, ...]:
    """Return the entries of an attribute of all modules that have it."""
    return tuple(entry for module in kinds.values() for entry in getattr(module, name, ()))


PARAMETERS, NAMED, READS = _all('PARAMETERS'), _all('NAMED'), _all('READS')
# Prefixes of their parameters, and of those that a campaign may draw.
PREFIXES = prefixes_of(PARAMETERS, NAMED)
DRAWN = tuple(prefix for prefix in PREFIXES if prefix.endswith('.'))
# Of the parts that move inside: (parameter that lists the names, prefix, Parameters).
INSIDE = {name: MODULES[name] for name in registry.INSIDE}
NAMED_INSIDE = _all('NAMED', INSIDE)
# {prefix: values of its parameter `model` that name a file in config/actuators}
MODELS: dict[str, tuple[str, ...]] = {
    prefix: module.MODELS
    for module in MODULES.values()
    if hasattr(module, 'MODELS')
    for _, prefix, _ in module.NAMED
}
# {topic of commands: the parameter that names the actuators that take them}
COMMANDED = {entry.topic: kind for kind, entry in inputs.COMMANDED.items()}


def parts(given: Given) -> tuple[Part, ...]:
    """Return the Parts that checked parameters describe.

    Raises ParameterError naming key, value and remedy.
    """
    refuse_twice(given.values, 'wheels', 'gimbals', 'thrusters')  # all are joints in joint_states
    refuse_twice(given.values, 'magnetorquers')
    return tuple(described(given))


def described(given: Given, kinds: Mapping[str, Any] = MODULES) -> Iterator[Any]:
    """Yield the Part of each kind whose PARAMETERS are not all at their defaults."""
    for module in kinds.values():
        if any(given.values[own.name] != own.default for own in module.PARAMETERS):
            part = module.part(given)
            if part is not None:
                yield part


def initial_inputs(values: Mapping[str, Any]) -> Inputs:
    """Return the Inputs that apply from the start until a command arrives."""
    first: dict[str, Any] = {}
    for module in MODULES.values():
        if hasattr(module, 'commands'):
            first |= module.commands(values)
    return Inputs(**first)


def sections(start: AtStart) -> Iterator[tuple[str, list[str]]]:
    """Yield (label, lines of the text summary) for each kind aboard."""
    for part in start.spacecraft.parts:
        module = MODULES[part.kind]
        yield getattr(module, 'LABEL', 'parts'), list(module.lines(part, start))
