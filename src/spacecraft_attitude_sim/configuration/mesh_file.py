# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Check mesh files before a library parses them: sizes, counts and referenced files."""

from __future__ import annotations

import re
import stat
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# Largest total size of a file and the files it references [bytes].
LARGEST = 2**26
# Most faces drawn. A small glTF file can instantiate one part any number of times.
MOST_FACES = 500_000
GLB_JSON = slice(12, 16), 20
PLY_ELEMENT = re.compile(rb'^element\s+\S+\s+(\S+)', re.MULTILINE)


def read(path: Path, largest: int = LARGEST) -> bytes:
    """Return the bytes of a regular file.

    largest: largest size that is accepted [bytes]
    Raises ValueError for another kind of file or a larger one, OSError if it cannot be read.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError(f'{path.name} is no regular file')
    with path.open('rb') as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise ValueError(f'{path.name} is larger than {largest // 2**20} MiB')
    return content


class Beside:
    """A trimesh resolver that reads only files in the mesh's folder, up to a total size."""

    def __init__(self, path: Path) -> None:
        self._folder = path.parent.resolve()
        self._left = LARGEST

    def __getitem__(self, name: object) -> bytes:
        return self.get(name)

    def get(self, name: object) -> bytes:
        """Return the bytes of a file; raise ValueError for one outside the folder of the mesh."""
        asked = PurePath(str(name))
        found = Path(self._folder, asked).resolve()
        if asked.is_absolute() or not found.is_relative_to(self._folder):
            raise ValueError(f'it names the file {str(name)[:80]!r}, which is not beside it')
        content = read(found, self._left)
        self._left -= len(content)
        return content


def check(suffix: str, content: bytes) -> None:
    """Raise ValueError for element counts that are too large for the file.

    suffix: file name extension, such as .glb;  content: bytes of the file
    A malformed glTF file also raises the errors of json and of lookups.
    """
    if suffix == '.ply':
        head = content.partition(b'end_header')[0]
        if any(int(count) > len(content) for count in PLY_ELEMENT.findall(head)):
            raise ValueError('its header promises more elements than the file has bytes')
    elif suffix in ('.glb', '.gltf'):
        import json  # only here, because each node loads this module

        _check_gltf(json.loads(_gltf_text(suffix, content)))


def _gltf_text(suffix: str, content: bytes) -> bytes:
    if suffix == '.gltf':
        return content
    place, start = GLB_JSON
    return content[start : start + int.from_bytes(content[place], 'little')]


def _check_gltf(tree: Mapping[str, Any]) -> None:
    """Raise ValueError for a glTF tree with too many faces; nothing else is validated."""
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
    """Return the number of vertices that a glTF primitive draws."""
    used = [primitive['indices']] if 'indices' in primitive else []
    return max((counts[k] for k in (*used, *primitive['attributes'].values())), default=0)
