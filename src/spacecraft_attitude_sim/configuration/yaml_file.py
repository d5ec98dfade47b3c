# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""YAML of anybody: what it holds, or an error of the reader's kind that says which line and why.

What ROS takes is taken: mappings, lists, numbers, true or false, texts. No aliases, by which a
small file becomes a huge one, no tags, no key twice; dates and 12:30 are texts.
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

# Of a text [bytes], and of its tree: far more than any scenario or campaign needs.
LARGEST = 2**20
DEEPEST = 32
MOST_NODES = 20_000
# A whole number with more digits is no parameter, and slow to read.
MOST_DIGITS = 40
# Control characters, and halves of characters, which no file or topic can hold.
STRANGE = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]')
TEXT, WHOLE, FLOAT = (f'tag:yaml.org,2002:{name}' for name in ('str', 'int', 'float'))
PLAIN = (TEXT, WHOLE, FLOAT, 'tag:yaml.org,2002:bool', 'tag:yaml.org,2002:null')


class _Loader(yaml.CSafeLoader):
    """Takes numbers, true or false, and texts; keys are texts, none of them twice."""

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> Any:
        """Return the tag of a node."""
        tag = super().resolve(kind, value, implicit)
        if kind is not yaml.ScalarNode:
            return tag
        strange = tag in (WHOLE, FLOAT) and (':' in value or len(value) > MOST_DIGITS)
        return TEXT if strange or tag not in PLAIN else tag

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:  # noqa: FBT002
        """Return the value of a node."""
        try:
            return super().construct_object(node, deep)
        except ValueError:  # as of 0x_
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


def dumped(tree: Any) -> str:
    """Return the text of a tree of plain values, in its order; libyaml is several times faster."""
    return yaml.dump(tree, Dumper=yaml.CSafeDumper, sort_keys=False)


def is_file(path: str | Path) -> bool:
    """Return whether there is a regular file of that name, which may be no name at all."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def text_of(path: str | Path, refused: type[Exception], largest: int = LARGEST) -> str:
    """Return the text of a file; raise `refused`, a kind of error, where it cannot be read.

    largest: size that is still read [bytes]
    """
    path = Path(path)
    try:
        regular = stat.S_ISREG(path.stat().st_mode)
        content = b''
        if regular:  # a pipe or device would hold us up
            with path.open('rb') as file:
                content = file.read(largest + 1)
        text = content.decode('utf-8')
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
    """Return the mapping that a text holds; raise `refused`, a kind of error, where it holds none.

    source: name of its file, for messages;  empty: what to say of a text without a mapping
    largest, most_nodes: how many characters and values it may have
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
    """Say what is wrong with a YAML text before anything is made of it; '' where nothing is."""
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
    except ValueError as error:  # a character that cannot be
        return f'is not YAML: {error}'
    return ''


def _fault_of_event(event: yaml.Event) -> str:
    if isinstance(event, yaml.AliasEvent):
        return f'*{event.anchor} is an alias; write out what it stands for'
    if tag := getattr(event, 'tag', None):
        return f'{quoted(tag)} is a tag; write the plain value'
    if isinstance(event, yaml.ScalarEvent) and (strange := STRANGE.search(event.value)):
        return f'{quoted(event.value)} holds the character {strange[0]!r}; leave it out'
    return ''


def _told(error: yaml.YAMLError) -> str:
    """Return the text of a YAML error on one line, the line in the file first."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return cut(error)
    mark = error.problem_mark
    said = (error.context, error.problem)
    return f'line {mark.line + 1}: {", ".join(part for part in said if part)}'
