# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Mesh files looked through before a library reads them: sizes, counts, what else they open."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# Of a file, with what it names beside it [bytes].
LARGEST = 2**26
# A mesh of more is slow everywhere; a small glTF file may draw one part any number of times.
MOST_FACES = 500_000
GLB_JSON = slice(12, 16), 20
PLY_ELEMENT = re.compile(rb'^element\s+\S+\s+(\S+)', re.MULTILINE)


def read(path: Path, largest: int = LARGEST) -> bytes:
    """Return the bytes of a regular file.

    Raises ValueError, OSError.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError(f'{path.name} is no regular file')
    with path.open('rb') as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise ValueError(f'{path.name} is larger than {largest // 2**20} MiB')
    return content


class Beside:
    """What trimesh asks for files a mesh names: those of the mesh's folder, all sizes limited."""

    def __init__(self, path: Path) -> None:
        self._folder = path.parent.resolve()
        self._left = LARGEST

    def __getitem__(self, name: object) -> bytes:
        return self.get(name)

    def get(self, name: object) -> bytes:
        """Return the bytes of a file; ValueError for one elsewhere."""
        asked = PurePath(str(name))
        found = Path(self._folder, asked).resolve()
        if asked.is_absolute() or not found.is_relative_to(self._folder):
            raise ValueError(f'it names the file {str(name)[:80]!r}, which is not beside it')
        content = read(found, self._left)
        self._left -= len(content)
        return content


def check(suffix: str, content: bytes) -> None:
    """Refuse counts that no file of this size can have.

    suffix: of the format, .glb;  content: bytes of the file
    Raises ValueError, and what json raises.
    """
    if suffix == '.ply':
        head = content.partition(b'end_header')[0]
        if any(int(count) > len(content) for count in PLY_ELEMENT.findall(head)):
            raise ValueError('its header promises more elements than the file has bytes')
    elif suffix in ('.glb', '.gltf'):
        _check_gltf(json.loads(_gltf_text(suffix, content)))


def _gltf_text(suffix: str, content: bytes) -> bytes:
    if suffix == '.gltf':
        return content
    place, start = GLB_JSON
    return content[start : start + int.from_bytes(content[place], 'little')]


def _check_gltf(tree: Mapping[str, Any]) -> None:
    """Refuse a scene that draws too much; the parts of it that count are checked, not all."""
    accessors, meshes, nodes = (tree.get(name, []) for name in ('accessors', 'meshes', 'nodes'))
    counts = [int(accessor['count']) for accessor in accessors]
    if any(not 0 <= count <= LARGEST for count in counts):
        raise ValueError('it holds an impossible number of corners')
    made = [count for one, count in zip(accessors, counts, strict=True) if 'bufferView' not in one]
    sizes = [sum(_corners(part, counts) for part in mesh.get('primitives', ())) for mesh in meshes]
    drawn = sum(sizes[node['mesh']] for node in nodes if 'mesh' in node)
    if max(drawn, sum(made), sum(sizes), len(nodes)) > 3 * MOST_FACES:
        raise ValueError(f'it draws more than {MOST_FACES} faces; thin it')


def _corners(primitive: Mapping[str, Any], counts: Sequence[int]) -> int:
    """Return how many corners a primitive has."""
    used = [primitive['indices']] if 'indices' in primitive else []
    return max((counts[k] for k in (*used, *primitive['attributes'].values())), default=0)
