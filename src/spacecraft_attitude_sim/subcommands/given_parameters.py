# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the option -p of a command sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration import scenario_file, yaml_file
from spacecraft_attitude_sim.configuration.suggestion import hint
from spacecraft_attitude_sim.safety.quoting import quoted
from spacecraft_attitude_sim.subcommands.checks import CommandError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def parameters_given(texts: Iterable[str]) -> Iterator[tuple[str, str, str, Any]]:
    """Yield (namespace, node, name, value) of each -p option; CommandError if it is wrong."""
    for text in texts:
        left, assigned, value = text.partition(':=')
        node, _, name = left.rpartition(':')
        namespace, _, node = node.rpartition('/')
        node = node or 'simulator'
        if not (name and assigned):
            raise CommandError(f"-p '{text}' is not NAME:=VALUE")
        if node not in scenario_file.NODES:
            raise CommandError(f"-p '{text}': no node '{node}'; {hint(node, scenario_file.NODES)}")
        yield namespace.strip('/'), node, name, _value(text, value)


def _value(text: str, value: str) -> Any:
    """Return the value of the YAML after :=."""
    shown = f'-p {quoted(text)}'
    found = yaml_file.mapping_of(f'value: {value}', shown, 'is no value', CommandError)
    if list(found) != ['value']:
        raise CommandError(f'{shown}: give one value')
    return found['value']
