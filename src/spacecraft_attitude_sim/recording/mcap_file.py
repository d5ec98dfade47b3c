# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Check the records of an mcap file, their sizes and offsets, before a library reads them.

A record is an opcode (1 byte), a length (8 bytes) and the content; see the MCAP specification.
"""

from __future__ import annotations

import io
import os
import struct
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from spacecraft_attitude_sim.recording.mcap_writer import CHANNEL, CHUNK, FOOTER, MAGIC

HEAD = struct.Struct('<BQ')
# Start and end of a chunk [ns], size of its records [bytes], their checksum, length of a name.
CHUNK_HEAD = struct.Struct('<QQQII')
COMPRESSIONS = (b'', b'lz4', b'zstd')
# Largest chunk, all chunks that overlap in time together, and description of a topic [bytes].
LARGEST_CHUNK = 2**28
LARGEST_TOGETHER = 2**30
LARGEST_CHANNEL = 2**16


class Chunk(NamedTuple):
    """A chunk as its record describes it.

    place: offset of the record in the file;  start, end: of its messages [ns]
    size: of its records [bytes];  checksum: of the records, 0 if there is none
    compression: its name;  data, compressed: offset and size of the compressed data in the file
    """

    place: int
    start: int
    end: int
    size: int
    checksum: int
    compression: bytes
    data: int
    compressed: int


def chunks_of(path: Path) -> dict[int, Chunk]:
    """Return {offset: Chunk} of a file.

    Raises ValueError that says where the file is damaged or what is too large.
    """
    with open(path, 'rb', buffering=0) as file:
        found = dict(_chunks(file, os.fstat(file.fileno()).st_size))
        for chunk in found.values():
            _check_size(file, chunk)
    _check_together(found.values())
    return found


def damaged_chunk(path: Path, chunks: dict[int, Chunk]) -> Chunk | None:
    """Return the first of {offset: Chunk} that does not match its checksum, or None."""
    with open(path, 'rb') as file:
        for chunk in chunks.values():
            if chunk.checksum and not chunk.compression:
                file.seek(chunk.data)
                if zlib.crc32(file.read(chunk.compressed)) != chunk.checksum:
                    return chunk
    return None


def _chunks(file: io.FileIO, size: int) -> Iterator[tuple[int, Chunk]]:
    """Yield (offset, Chunk) of the chunks of a file."""
    if _read(file, len(MAGIC), 0) != MAGIC:
        raise ValueError('it does not begin as an mcap file does')
    end = size - len(MAGIC)
    if _read(file, len(MAGIC), max(end, len(MAGIC))) != MAGIC:
        raise ValueError('it does not end as an mcap file does: cut off, or still being written')
    place, opcode = len(MAGIC), None
    while place < end:
        opcode, length = _unpacked(file, HEAD, place, end)
        after = place + HEAD.size + length
        if after > end:
            raise ValueError(f'the record at byte {place} is {length} bytes long, past the end')
        if opcode == CHUNK:
            yield place, _chunk(file, place, after)
        elif opcode == CHANNEL and length > LARGEST_CHANNEL:
            raise ValueError(f'the topic at byte {place} is described in {length} bytes')
        place = after
    if opcode != FOOTER:
        raise ValueError('its last record is no footer')


def _chunk(file: io.FileIO, place: int, end: int) -> Chunk:
    start_ns, end_ns, size, checksum, length = _unpacked(file, CHUNK_HEAD, place + HEAD.size, end)
    compression = _read(file, min(length, 8), place + HEAD.size + CHUNK_HEAD.size)
    if length > 8 or compression not in COMPRESSIONS:
        raise ValueError(f'the chunk at byte {place} is compressed in an unknown way')
    data = place + HEAD.size + CHUNK_HEAD.size + length + 8
    (compressed,) = _unpacked(file, struct.Struct('<Q'), data - 8, end)
    if data + compressed > end or (not compression and size != compressed):
        raise ValueError(f'the chunk at byte {place} has another size than it says')
    return Chunk(place, start_ns, end_ns, size, checksum, compression, data, compressed)


def _read(file: io.FileIO, size: int, place: int) -> bytes:
    """Return so many bytes from a place in a file, fewer at its end."""
    file.seek(place)
    return file.read(size)


def _unpacked(file: io.FileIO, form: struct.Struct, place: int, end: int) -> tuple[Any, ...]:
    if place + form.size > end:
        raise ValueError(f'the record at byte {place} is cut off')
    return form.unpack(_read(file, form.size, place))


def _check_size(file: io.FileIO, chunk: Chunk) -> None:
    """Raise ValueError for a chunk that is too large or does not have the size that it says."""
    if chunk.size > LARGEST_CHUNK:
        raise ValueError(
            f'the chunk at byte {chunk.place} holds {chunk.size} bytes; {LARGEST_CHUNK} are taken'
        )
    if not chunk.compression:
        return
    records = _read(file, chunk.compressed, chunk.data)
    try:
        size = _decompressed_size(chunk.compression, records, chunk.size + 1)
    except Exception as error:  # lz4 and zstd raise errors of many types  # noqa: BLE001
        raise ValueError(f'the chunk at byte {chunk.place}: {error}') from None
    if size != chunk.size:
        raise ValueError(
            f'the chunk at byte {chunk.place} is not of the {chunk.size} bytes it says'
        )


def _decompressed_size(compression: bytes, records: bytes, limit: int) -> int:
    """Return the decompressed size of records, at most `limit`; -1 for more than one frame."""
    if compression == b'lz4':
        from lz4.frame import LZ4FrameDecompressor as Decompressor
    else:
        try:
            from compression.zstd import ZstdDecompressor as Decompressor
        except ModuleNotFoundError:  # before Python 3.14
            from backports.zstd import ZstdDecompressor as Decompressor
    decompressor = Decompressor()
    size = len(decompressor.decompress(records, max_length=limit))
    return -1 if decompressor.unused_data else size


def _check_together(chunks: Collection[Chunk]) -> None:
    """Raise ValueError if chunks that overlap in time, and so share memory, are too large."""
    edges = [(c.start, c.size) for c in chunks] + [(c.end + 1, -c.size) for c in chunks]
    together = 0
    for _, size in sorted(edges):
        together += size
        if together > LARGEST_TOGETHER:
            raise ValueError(f'its chunks of the same time hold over {LARGEST_TOGETHER} bytes')
