# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Write an mcap file (mcap.dev/spec, profile ros2) that is complete after every checkpoint."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

MAGIC = b'\x89MCAP0\r\n'
LIBRARY = 'spacecraft_attitude_sim'
# Record types, with their names in the specification.
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(1, 9)
STATISTICS, METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END = range(0x0B, 0x10)
# Record type, length, channel, sequence number, times of log and publication; the data follow.
_MESSAGE_HEAD = struct.Struct('<BQHIQQ')
_PLACE = struct.Struct('<QQ')


class Channel(NamedTuple):
    """A topic in a file.

    schema: number of its type, from 1;  definition: text of the type
    qos: offered by its publishers, as YAML
    """

    number: int
    topic: str
    schema: int
    type_name: str
    definition: str
    qos: str


class Totals:
    """The number of messages and their time span.

    start, last: earliest and latest time [ns], 0 if there is no message
    messages: of all channels;  counts: {channel: number of its messages}
    """

    def __init__(self) -> None:
        self.start, self.last, self.messages = 0, 0, 0
        self.counts: dict[int, int] = {}

    def add(self, number: int, time: int) -> None:
        """Count a message of a channel."""
        self.start = min(time, self.start) if self.messages else time
        self.last = max(time, self.last)
        self.messages += 1
        self.counts[number] += 1


class McapFile:
    """Collects messages; each checkpoint writes them, then the end of the file with its index.

    The next checkpoint overwrites that end. It writes data and end in one system call, so the file
    is complete at any time except the microseconds of that call.

    path: of the file;  channels: the first ones;  totals: Totals of its messages
    chunks: number of chunks in it; the length of the end grows with them
    """

    def __init__(self, path: Path, channels: Iterable[Channel] = ()) -> None:
        self.path = path
        self.totals, self.chunks = Totals(), 0
        self._schemas: dict[int, bytes] = {}
        self._channels = bytearray()
        self._chunk = _Chunk()
        self._index = bytearray()
        self._pending = bytearray(MAGIC + _record(HEADER, _text('ros2') + _text(LIBRARY)))
        self._end_of_data, self._end = 0, b''
        self._file = path.open('xb', buffering=0)
        for channel in channels:
            self.add_channel(channel)

    @property
    def size_of_chunk(self) -> int:
        """Number of bytes that wait for the next checkpoint."""
        return len(self._chunk.records)

    def add_channel(self, channel: Channel) -> None:
        """Write the description of a topic, and of its type unless another topic has it."""
        if channel.schema not in self._schemas:
            self._schemas[channel.schema] = _record(
                SCHEMA,
                struct.pack('<H', channel.schema)
                + _text(channel.type_name)
                + _text('ros2msg')
                + _text(channel.definition),
            )
            self._pending += self._schemas[channel.schema]
        record = _record(
            CHANNEL,
            struct.pack('<HH', channel.number, channel.schema)
            + _text(channel.topic)
            + _text('cdr')
            + _sized(_text('offered_qos_profiles') + _text(channel.qos)),
        )
        self._channels += record
        self._pending += record
        self.totals.counts[channel.number] = 0

    def write(self, number: int, time: int, data: bytes) -> None:
        """Add a message of a channel; time: [ns], at least 0."""
        self._chunk.add(number, time, data)
        self.totals.add(number, time)

    def checkpoint(self, metadata: str) -> None:
        """Write new messages and the end of the file; after an OSError the file is as before.

        metadata: of the bag, as YAML
        """
        data, index = bytes(self._pending), b''
        if self._chunk.records:
            written, index = self._chunk.close(self._end_of_data + len(data))
            data += written
        chunks = self.chunks + bool(index)
        end = self._end_after(self._end_of_data + len(data), self._index + index, chunks, metadata)
        self._write(data + end)
        self._index += index
        self.chunks = chunks
        self._end_of_data += len(data)
        self._end = end
        self._pending.clear()
        self._chunk = _Chunk()

    def close(self) -> None:
        """Close the file; it ends with its last checkpoint."""
        self._file.close()

    def _end_after(self, place: int, index: bytearray, chunks: int, metadata: str) -> bytes:
        """Return the records after the data; place: offset of the end of the data."""
        described = _record(
            METADATA, _text('rosbag2') + _sized(_text('serialized_metadata') + _text(metadata))
        )
        before = described + _record(DATA_END, bytes(4))
        totals = self.totals
        counts = b''.join(struct.pack('<HQ', *count) for count in totals.counts.items())
        statistics = struct.pack(
            '<QHIIIIQQ',
            totals.messages,
            len(self._schemas),
            len(totals.counts),
            0,  # attachments
            1,  # metadata
            chunks,
            totals.start,
            totals.last,
        )
        groups = (
            (SCHEMA, b''.join(self._schemas.values())),
            (CHANNEL, bytes(self._channels)),
            (CHUNK_INDEX, bytes(index)),
            (METADATA_INDEX, _record(
                METADATA_INDEX, _PLACE.pack(place, len(described)) + _text('rosbag2')
            )),
            (STATISTICS, _record(STATISTICS, statistics + _sized(counts))),
        )  # fmt: skip
        begin = start = place + len(before)
        offsets = b''
        for kind, records in groups:
            if records:
                offsets += _record(SUMMARY_OFFSET, struct.pack('<BQQ', kind, start, len(records)))
            start += len(records)
        footer = _record(FOOTER, struct.pack('<QQI', begin, start, 0))
        return before + b''.join(records for _, records in groups) + offsets + footer + MAGIC

    def _write(self, content: bytes) -> None:
        """Overwrite the old end of the file; on an error restore the file."""
        try:
            self._write_at_end_of_data(content)
        except OSError:
            if not self._end:  # the file has no complete state yet
                self._file.close()  # Windows deletes no open file
                self.path.unlink(missing_ok=True)
                raise
            self._write_at_end_of_data(self._end)
            self._file.truncate(self._end_of_data + len(self._end))
            raise

    def _write_at_end_of_data(self, content: bytes) -> None:
        self._file.seek(self._end_of_data)
        written = 0
        while written < len(content):
            written += self._file.write(content[written:])


class _Chunk:
    """Messages that become one chunk of a file, with the offsets of each channel's messages."""

    def __init__(self) -> None:
        self.records = bytearray()
        self._places: dict[int, bytearray] = {}
        self._start, self._last = 2**64 - 1, 0

    def add(self, number: int, time: int, data: bytes) -> None:
        """Add a message."""
        place = _PLACE.pack(time, len(self.records))
        self._places.setdefault(number, bytearray()).extend(place)
        self.records += _MESSAGE_HEAD.pack(MESSAGE, 22 + len(data), number, 0, time, time)
        self.records += data
        self._start, self._last = min(time, self._start), max(time, self._last)

    def close(self, place: int) -> tuple[bytes, bytes]:
        """Return the records of the chunk and of its index; place: offset in the file."""
        size = len(self.records)
        chunk = _record(
            CHUNK,
            struct.pack('<QQQI', self._start, self._last, size, zlib.crc32(self.records))
            + _text('')
            + struct.pack('<Q', size)
            + self.records,
        )
        written, offsets = chunk, b''
        for number, places in self._places.items():
            offsets += struct.pack('<HQ', number, place + len(written))
            written += _record(MESSAGE_INDEX, struct.pack('<H', number) + _sized(places))
        index = _record(
            CHUNK_INDEX,
            struct.pack('<QQQQ', self._start, self._last, place, len(chunk))
            + _sized(offsets)
            + struct.pack('<Q', len(written) - len(chunk))
            + _text('')
            + struct.pack('<QQ', size, size),
        )
        return written, index


def _record(kind: int, content: bytes) -> bytes:
    return struct.pack('<BQ', kind, len(content)) + content


def _sized(content: bytes | bytearray) -> bytes:
    return struct.pack('<I', len(content)) + content


def _text(text: str) -> bytes:
    return _sized(text.encode())
