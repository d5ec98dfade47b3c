# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Scenario files: where they are, and their text as sections, {node: {dotted name: value}}."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration import aboard, suggestion
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.configuration.share import share_directory
from spacecraft_attitude_sim.configuration.yaml_file import (
    dumped,
    is_file,
    mapping_of,
    of_one_type,
    text_of,
)
from spacecraft_attitude_sim.safety.quoting import OneLineError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# {node: {dotted name: value}}
Sections = dict[str, dict[str, Any]]
# Nodes that may have a section in a scenario; `/**` is that of the simulator.
NODES = ('simulator', 'contact', *aboard.NODES, 'markers', 'recorder')
EMPTY = "holds no parameters; start it with '/**/simulator:'"


class ScenarioError(OneLineError):
    """A scenario is invalid; the message names file, key, value, unit and remedy."""


@contextlib.contextmanager
def naming(source: str) -> Iterator[None]:
    """Turn a ParameterError into a ScenarioError that names the file."""
    try:
        yield
    except ParameterError as error:
        raise ScenarioError(f'{source}: {error}') from None


def shipped() -> dict[str, Path]:
    """Return {name: path} of the shipped scenarios."""
    return _files('scenarios')


def shipped_formations() -> dict[str, Path]:
    """Return {name: path} of the shipped formations of spacecraft."""
    return _files('formations')


def _files(folder: str) -> dict[str, Path]:
    paths = (share_directory() / 'config' / folder).glob('*.yaml')
    return {path.stem: path for path in sorted(paths)}


def find(name: str) -> Path:
    """Return the path of a scenario, given the name of a shipped one or a file's path.

    Raises ScenarioError with the most similar names, and how to list all.
    """
    known = shipped() | shipped_formations()
    if name in known:
        return known[name]
    path = Path(name)
    if is_file(path):
        return path
    *others, last = [f"'{one}'" for one in suggestion.nearest_few(name, known)] or ['']
    near = ' or '.join(filter(None, [', '.join(others), last]))
    remedy = f'did you mean {near}? Else give' if near else 'give a shipped name or'
    raise ScenarioError(
        f"no scenario '{name}'; {remedy} a YAML file's path; `attitude-sim scenarios` lists all"
    )


def read(path: str | Path) -> Sections:
    """Return {node: {dotted name: value}} of a ROS parameter file, for `of_sections`.

    Raises ScenarioError.
    """
    return sections_of(text_of(path, ScenarioError), Path(path).name)


def read_all(path: str | Path) -> dict[str, Sections]:
    """Return {namespace: {node: {dotted name: value}}} of a ROS parameter file.

    Sections without a namespace are under ''.
    Raises ScenarioError.
    """
    return parse_all(text_of(path, ScenarioError), Path(path).name)


def sections_of(text: str, source: str) -> Sections:
    """Return {node: {dotted name: value}} of a ROS parameter file with one spacecraft.

    The last word of a section's name is the node, in any namespace; `/**` is the simulator.
    """
    found = parse_all(text, source)
    if len(found) > 1:
        raise ScenarioError(
            f'{source}: holds {len(found)} spacecraft, {", ".join(found)}, which attitude-sim run '
            'flies together; give each a file here'
        )
    return next(iter(found.values()))


def text_for_ros(path: str | Path) -> str:
    """Return the text of a parameter file that ROS can read; '' if it can read the file.

    ROS rejects a list that mixes integers and floats; we read it as floats.
    Raises ScenarioError.
    """
    tree = mapping_of(text_of(path, ScenarioError), Path(path).name, EMPTY, ScenarioError)
    alike = of_one_type(tree)
    return '' if repr(alike) == repr(tree) else dumped(alike)


def parse_all(text: str, source: str) -> dict[str, Sections]:
    """Return {namespace: sections} in the text of a ROS parameter file, as `read_all`.

    Parameters under /** apply to all namespaces.
    source: its name, for messages
    Raises ScenarioError.
    """
    document = mapping_of(text, source, EMPTY, ScenarioError)
    found: dict[str, Sections] = {}
    names: dict[tuple[str, str], str] = {}
    for node, content in document.items():
        if not isinstance(content, dict) or set(content) != {'ros__parameters'}:
            raise ScenarioError(f"{source}: '{node}' must hold one key, ros__parameters")
        if not isinstance(content['ros__parameters'], (dict, type(None))):
            raise ScenarioError(f"{source}: '{node}': ros__parameters must hold names and values")
        *space, name = str(node).split('/')
        if name not in (*NODES, '**'):
            continue
        namespace = '/'.join(part for part in space if part not in ('', '**'))
        if other := names.get((namespace, name)):
            raise ScenarioError(
                f"{source}: '{other}' and '{node}' are both {name}; give each spacecraft a file"
            )
        names[namespace, name] = node
        values = flattened(content['ros__parameters'] or {}, source)
        sections = found.setdefault(namespace, {})
        sections.setdefault('simulator' if name == '**' else name, {}).update(values)
    common = found.pop('', {})
    every = {
        namespace: {
            node: {**common.get(node, {}), **own.get(node, {})} for node in (*common, *own)
        }
        for namespace, own in found.items()
    } or {'': common}
    for namespace, sections in every.items():
        if not sections.get('simulator'):
            where = f'/{namespace}' if namespace else '/**'
            raise ScenarioError(f"{source}: has no parameters for '{where}/simulator'")
    return every


def flattened(tree: Mapping[str, Any], source: str, prefix: str = '') -> dict[str, Any]:
    """Return {dotted name: value} of a nested mapping; ScenarioError for a name given twice."""
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            below = flattened(value, source, f'{prefix}{key}.')
        else:
            below = {f'{prefix}{key}': of_one_type(value)}
        if twice := flat.keys() & below.keys():
            raise ScenarioError(f'{source}: {min(twice)} is given twice; leave one out')
        flat.update(below)
    return flat
