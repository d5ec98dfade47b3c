# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Read YAML from untrusted files; errors name line and reason.

It reads the subset that ROS parameter files use: mappings, lists, numbers, booleans and strings.
Tags, duplicate keys and aliases are errors; aliases can expand a small file to a huge tree. Dates
and times like 12:30 are strings.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from spacecraft_attitude_sim.safety.quoting import cut, quoted

if TYPE_CHECKING:
    from collections.abc import Hashable

# Limits of a text [bytes] and of its tree, far above the needs of a scenario or campaign.
# A scenario with a recorded orbit table has 15 MB in one text.
LARGEST = 2**24
DEEPEST = 32
MOST_NODES = 20_000
# An integer with more digits is not a parameter, and would be slow to convert.
MOST_DIGITS = 40
# Control characters and lone surrogates, which UTF-8 files and topics cannot contain.
STRANGE = '[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]'
TEXT, WHOLE, FLOAT = (f'tag:yaml.org,2002:{name}' for name in ('str', 'int', 'float'))
PLAIN = (TEXT, WHOLE, FLOAT, 'tag:yaml.org,2002:bool', 'tag:yaml.org,2002:null')


class _Loader(yaml.CSafeLoader):
    """Constructs numbers, booleans and strings; keys are strings, without duplicates."""

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> Any:
        """Return the tag of a node: that of a string for types other than PLAIN."""
        tag = super().resolve(kind, value, implicit)
        if kind is not yaml.ScalarNode:
            return tag
        strange = tag in (WHOLE, FLOAT) and (':' in value or len(value) > MOST_DIGITS)
        return TEXT if strange or tag not in PLAIN else tag

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:  # noqa: FBT002
        """Return the value of a node."""
        try:
            return super().construct_object(node, deep)
        except ValueError:  # for example 0x_
            raise yaml.constructor.ConstructorError(
                None, None, f'{quoted(node.value)} is no number', node.start_mark
            ) from None

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT002
        """Return the mapping of a node."""
        found: dict[Hashable, Any] = {}
        for name, value in node.value:
            wrong = ''
            if not isinstance(name, yaml.ScalarNode):
                wrong = 'a key must be a text'
            elif name.value in found:
                wrong = f'{quoted(name.value)} is given twice'
            if wrong:
                raise yaml.constructor.ConstructorError(None, None, wrong, name.start_mark)
            found[name.value] = self.construct_object(value, deep)
        return found


class _Dumper(yaml.CSafeDumper):
    """Quotes texts that ROS, with its YAML 1.1, would read as true or false."""

    def represent_text(self, text: str) -> yaml.ScalarNode:
        """Return the node of a text."""
        return self.represent_scalar(TEXT, text, "'" if text in ('y', 'Y', 'n', 'N') else None)


_Dumper.add_representer(str, _Dumper.represent_text)


def dumped(tree: Any) -> str:
    """Return a tree of plain values as YAML that ROS reads identically, in the same order."""
    return yaml.dump(tree, Dumper=_Dumper, sort_keys=False)


def of_one_type(tree: Any) -> Any:
    """Return a tree of plain values; lists that mix integers and floats become floats."""
    if isinstance(tree, dict):
        return {key: of_one_type(value) for key, value in tree.items()}
    if isinstance(tree, list) and {type(element) for element in tree} == {int, float}:
        return [float(element) for element in tree]
    return tree


def is_file(path: str | Path) -> bool:
    """Return whether a regular file of that name exists; False for an impossible name."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def text_of(path: str | Path, refused: type[Exception], largest: int = LARGEST) -> str:
    """Return the text of a UTF-8 file, with line feeds as line ends.

    refused: type of the error to raise if it cannot be read
    largest: largest size that is accepted [bytes]
    """
    path = Path(path)
    try:
        regular = stat.S_ISREG(path.stat().st_mode)
        content = b''
        if regular:  # reading a pipe or device could block
            with path.open('rb') as file:
                content = file.read(largest + 1)
        text = content.decode('utf-8')
    except FileNotFoundError:
        raise refused(
            f'{path}: there is no such file here; give another path, or an absolute one'
        ) from None
    except (OSError, ValueError) as error:
        raise refused(f'{path.name}: cannot be read: {error}') from None
    if not regular:
        raise refused(f'{path.name}: cannot be read: is no regular file')
    if len(content) > largest:
        raise refused(f'{path.name}: is larger than {largest / 2**20:g} MiB')
    return text.replace('\r\n', '\n')


def mapping_of(
    text: str,
    source: str,
    empty: str,
    refused: type[Exception],
    largest: int = LARGEST,
    most_nodes: int = MOST_NODES,
) -> dict[Any, Any]:
    """Return the mapping that a YAML text holds.

    source: name of its file, for messages;  empty: message for a text without a mapping
    refused: type of the error to raise if the text holds none
    largest, most_nodes: largest number of characters and of values
    """
    if len(text) > largest:
        raise refused(f'{source}: is longer than {largest} characters')
    if fault := fault_of(text, most_nodes):
        raise refused(f'{source}: {fault}')
    try:
        found = yaml.load(text, _Loader)  # noqa: S506  # a safe loader
    except yaml.YAMLError as error:
        raise refused(f'{source}: is not YAML: {_told(error)}') from None
    if not isinstance(found, dict):
        raise refused(f'{source}: {empty}')
    return found


def fault_of(text: str, most_nodes: int = MOST_NODES) -> str:
    """Return what is wrong with a YAML text, or ''; it does not construct any value."""
    depth = nodes = 0
    try:
        for event in yaml.parse(text, yaml.CSafeLoader):
            if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                depth += 1
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                depth -= 1
            nodes += isinstance(event, yaml.NodeEvent)
            fault = _fault_of_event(event)
            if depth > DEEPEST:
                fault = f'is nested deeper than {DEEPEST} levels'
            elif nodes > most_nodes:
                fault = f'holds more than {most_nodes} values'
            if fault:
                assert event.start_mark is not None, 'libyaml marks every event'
                return f'line {event.start_mark.line + 1}: {fault}'
    except yaml.YAMLError as error:
        return f'is not YAML: {_told(error)}'
    except ValueError as error:  # an invalid character
        return f'is not YAML: {error}'
    return ''


def _fault_of_event(event: yaml.Event) -> str:
    if isinstance(event, yaml.AliasEvent):
        return f'*{event.anchor} is an alias; write out what it stands for'
    if tag := getattr(event, 'tag', None):
        return f'{quoted(tag)} is a tag; write the plain value'
    if isinstance(event, yaml.ScalarEvent) and (strange := re.search(STRANGE, event.value)):
        return f'{quoted(event.value)} holds the character {strange[0]!r}; leave it out'
    return ''


def _told(error: yaml.YAMLError) -> str:
    """Return a YAML error as one line of text that begins with the line number in the file."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return cut(error)
    mark = error.problem_mark
    said = (error.context, error.problem)
    return f'line {mark.line + 1}: {", ".join(part for part in said if part)}'
