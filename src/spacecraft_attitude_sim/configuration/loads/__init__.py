# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Loads of the environment as parameters: a module for each of core.environment.loads with some.

Each has PARAMETERS, `of(values, body)`, which returns the Acting of core or None, and
`lines(load)` of the text summary. It has the name of its module in core.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.loads import bearing
from spacecraft_attitude_sim.core.environment.loads import registry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.environment.loads.load import Acting, Load

MODULES = {
    kind: import_module(module)
    for name, kind in zip(registry.NAMES, registry.LOADS, strict=True)
    if find_spec(module := f'{__package__}.{name}')
}
PARAMETERS = tuple(one for module in MODULES.values() for one in module.PARAMETERS)
# A campaign may draw these.
PREFIXES = tuple(dict.fromkeys(parameter.name.partition('.')[0] + '.' for parameter in PARAMETERS))


__all__ = ['bearing', 'lines', 'loads']


def loads(values: Mapping[str, Any], body: RigidBody) -> tuple[Acting, ...]:
    """Return the loads from checked parameters; ParameterError naming key, value and remedy."""
    return tuple(load for module in MODULES.values() if (load := module.of(values, body)))


def lines(acting: tuple[Load, ...]) -> Iterator[str]:
    """Yield the lines of the text summary."""
    for load in acting:
        if load.kind in MODULES:
            yield from MODULES[load.kind].lines(load)
