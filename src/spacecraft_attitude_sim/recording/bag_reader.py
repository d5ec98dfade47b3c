# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Read bags of any origin by `rosbags`; damage becomes a RecordingError that says where.

The sizes in a bag are checked before the library reads it, and the parts are compared afterwards.
So a damaged bag can neither exhaust memory nor silently lose messages.
"""

from __future__ import annotations

import contextlib
import functools
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from spacecraft_attitude_sim.configuration import yaml_file
from spacecraft_attitude_sim.recording import mcap_file
from spacecraft_attitude_sim.recording.errors import RecordingError
from spacecraft_attitude_sim.recording.mcap_file import Chunk
from spacecraft_attitude_sim.safety.quoting import cut, quoted

SUFFIXES = ('.mcap', '.db3')
METADATA = 'metadata.yaml'
METADATA_KEY = 'rosbag2_bagfile_information'
# Limits of the metadata [bytes], [values]; a bag of 5000 files needs less.
LONGEST_METADATA = 2**22
MOST_VALUES = 100_000
# A bag may grow during the check: number of repeated checks, and time between them [s].
LOOKS, BETWEEN_LOOKS = 10, 0.05
LARGEST_MESSAGE = 2**26
LONGEST_NAME = 512
# Largest ROS stamp, with 32 bits of seconds [ns].
END_OF_TIME = 2**31 * 1_000_000_000
# {file: {offset: Chunk}} of a bag, and {file: (size, time of change)}.
Chunks = dict[Path, dict[int, Chunk]]
Sizes = dict[Path, tuple[int, int]]


class Stamp(NamedTuple):
    """A ROS time."""

    sec: int
    nanosec: int


class Header(NamedTuple):
    """The part of a header that is read."""

    stamp: Stamp


class Stamped(NamedTuple):
    """A message of which only the stamp is read."""

    header: Header


def is_bag(path: Path) -> bool:
    """Return whether a path is a bag's folder or one of its files."""
    return path.is_dir() or path.suffix in SUFFIXES


@contextlib.contextmanager
def opened(path: str | Path) -> Iterator[Bag]:
    """Yield the Bag at a path.

    Raises RecordingError that says what is wrong with the bag.
    """
    path = Path(path)
    if not path.exists():
        raise RecordingError(f'{path}: no such bag')
    with contextlib.ExitStack() as stack:
        yield _opened(path, stack)


def files_named(folder: Path) -> list[str]:
    """Return the names of the files in a bag's metadata; only these belong to it.

    Raises ValueError.
    """
    text = yaml_file.text_of(folder / METADATA, ValueError, LONGEST_METADATA)
    found = yaml_file.mapping_of(
        text, METADATA, 'is not of a bag', ValueError, LONGEST_METADATA, MOST_VALUES
    )
    information = found.get(METADATA_KEY)
    names = information.get('relative_file_paths') if isinstance(information, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f'{METADATA}: {METADATA_KEY}.relative_file_paths is no list of names')
    return names


def _opened(path: Path, stack: contextlib.ExitStack) -> Bag:
    """Return the Bag of a path, open until the stack ends.

    If a recorder writes meanwhile and parts do not match, they are checked again.
    """
    for look in range(LOOKS):
        before = _sizes(path)
        try:
            return _opened_once(path, stack, before)
        except RecordingError:
            if look == LOOKS - 1 or _sizes(path) == before:
                raise
        time.sleep(BETWEEN_LOOKS)
    raise AssertionError  # the last pass returns or raises


def _opened_once(path: Path, stack: contextlib.ExitStack, before: Sizes) -> Bag:
    from rosbags.rosbag2 import Reader

    chunks = _looked_through(path)
    with _told(path), contextlib.ExitStack() as reading:
        reader = Reader(path)
        reading.callback(_close, reader)
        reader.open()
        _look_again(reader, chunks, before)
        found = Bag(path, reader, chunks)
        stack.push(reading.pop_all())
        return found


def _close(reader: Any) -> None:
    with contextlib.suppress(Exception):
        reader.close()


def _sizes(path: Path) -> Sizes:
    """Return the Sizes of a bag, to detect that it is being written."""
    found = {}
    for file in path.iterdir() if path.is_dir() else [path]:
        with contextlib.suppress(OSError):
            status = file.stat()
            found[file] = status.st_size, status.st_mtime_ns
    return found


def _look_again(reader: Any, chunks: Chunks, before: Sizes) -> None:
    """Check files that have grown again, up to their end at the time of opening."""
    for storage in _storages(reader):
        file = Path(storage.path)
        if file in chunks and _sizes(file).get(file) != before.get(file):
            found = mcap_file.chunks_of(file)
            chunks[file] = {k: chunk for k, chunk in found.items() if k < storage.data_end}


def _storages(reader: Any) -> list[Any]:
    return getattr(reader.storage, 'storages', [reader.storage])


class Bag:
    """An open bag.

    connections: a rosbags Connection for each topic;  start, duration: of the messages [ns]
    """

    def __init__(self, path: Path, reader: Any, chunks: Chunks) -> None:
        """Open a bag; chunks: of its mcap files."""
        self._path, self._reader, self._chunks = path, reader, chunks
        self._storages = _storages(reader)
        with _told(path):
            self.connections = list(reader.connections)
            self._expected = self._checked()
            self.start, self.duration = self._times()

    def messages(self) -> Iterator[tuple[Any, int, bytes]]:
        """Yield (connection, stamp [ns], bytes) of every message, sorted by time.

        Raises RecordingError if a part is damaged; messages before that are as recorded.
        """
        found, last = 0, None
        messages = self._reader.messages()
        while True:
            try:
                connection, stamp, data = next(messages)
            except StopIteration:
                break
            except Exception as error:  # struct's, zlib's, sqlite's … too  # noqa: BLE001
                raise RecordingError(self._damaged(error, last)) from None
            if not 0 <= stamp < END_OF_TIME:
                raise RecordingError(f'{self._path}: {connection.topic} is stamped {stamp} ns')
            if len(data) > LARGEST_MESSAGE:
                raise RecordingError(
                    f'{self._path}: a message on {connection.topic} has {len(data)} bytes'
                )
            found, last = found + 1, (connection.topic, stamp)
            yield connection, stamp, data
        if self._expected not in (None, found):
            raise RecordingError(
                f'{self._path}: damaged: {found} messages could be read, its index promises '
                f'{self._expected}'
            )

    def decoded(self, connection: Any, stamp: int, data: bytes, type_name: str) -> Any:
        """Return the message that the bytes encode.

        type_name: the required type of the topic
        Raises RecordingError naming topic and time.
        """
        self._check_type(connection, type_name)
        try:
            return _store().deserialize_cdr(data, type_name)
        except Exception as error:  # struct's, numpy's, assertions …  # noqa: BLE001
            said = cut(error) or type(error).__name__
            raise RecordingError(
                f'{self._path}: {connection.topic} at {stamp / 1e9} s cannot be decoded as '
                f'{type_name}: {said}; what stands before is whole'
            ) from None

    def stamped(self, connection: Any, stamp: int, data: bytes, type_name: str) -> Stamped:
        """Return only the header of a message that begins with one; otherwise as `decoded`."""
        self._check_type(connection, type_name)
        try:
            sec, nanosec = struct.unpack_from('<iI' if data[1] else '>iI', data, 4)
        except (struct.error, IndexError):
            raise RecordingError(
                f'{self._path}: {connection.topic} at {stamp / 1e9} s has {len(data)} bytes, and '
                'no header; what stands before is whole'
            ) from None
        return Stamped(Header(Stamp(sec, nanosec)))

    def _check_type(self, connection: Any, type_name: str) -> None:
        """Raise RecordingError where a topic has another type."""
        if connection.msgtype != type_name:
            raise RecordingError(
                f'{self._path}: {connection.topic} is of type {connection.msgtype}; {type_name} '
                'belongs there'
            )

    def _checked(self) -> int | None:
        """Compare the parts of the bag; return the number of messages it must have, or None.

        Raises ValueError.
        """
        held: dict[tuple[str, str], list[Any]] = {}
        promised = 0
        for storage in self._storages:
            for connection in storage.connections:
                held.setdefault((connection.topic, connection.msgtype), []).append(connection)
            _check_index(storage, self._chunks.get(Path(storage.path), {}))
        for connection in self.connections:
            names = (connection.topic, connection.msgtype)
            if not all(isinstance(name, str) and 0 < len(name) < LONGEST_NAME for name in names):
                raise ValueError(f'{quoted(names)} are no topic and its type')
            same = [c for c in held.get(names, ()) if _alike(c, connection)]
            if connection.msgcount and not same:
                raise ValueError(f'{METADATA} and the files disagree on topic {connection.topic}')
            promised += sum(c.msgcount for c in same)
        counted = all(hasattr(storage, 'chunks') for storage in self._storages)
        return promised if counted else None

    def _times(self) -> tuple[int, int]:
        """Return the start and the duration of the messages [ns]."""
        chunks = [c for of_file in self._chunks.values() for c in of_file.values()]
        chunks = [chunk for chunk in chunks if chunk.start <= chunk.end]
        if chunks:
            start = min(chunk.start for chunk in chunks)
            return start, max(chunk.end for chunk in chunks) - start
        start, duration = int(self._reader.start_time), int(self._reader.duration)
        if self._reader.message_count and not (start >= 0 <= duration):
            raise ValueError(f'it begins at {start} ns and lasts {duration} ns')
        return start, duration

    def _damaged(self, error: Exception, last: tuple[str, int] | None) -> str:
        """Return the RecordingError that says what is damaged, and where."""
        for path, chunks in self._chunks.items():
            if chunk := mcap_file.damaged_chunk(path, chunks):
                return (
                    f'{self._path}: damaged between {chunk.start / 1e9} s and '
                    f'{chunk.end / 1e9} s: the checksum of that chunk does not match; what stands '
                    'before is whole'
                )
        where = f'after {last[0]} at {last[1] / 1e9} s' if last else 'at its beginning'
        return f'{self._path}: cannot be read: damaged {where}: {_said(error)}'


@functools.cache
def _store() -> Any:
    """Return the store of message types; it takes 0.05 s to make."""
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.ROS2_KILTED)


def _looked_through(path: Path) -> Chunks:
    """Return the Chunks of the mcap files of a bag.

    Raises RecordingError for a file that a library must not read.
    """
    if path.is_dir():
        if not (path / METADATA).is_file():
            raise RecordingError(f'{path}: is no bag: it has no {METADATA}')
        with _told(path):  # names as in the library
            files = [path / Path(name).name for name in files_named(path)]
    else:
        files = [path]
    found = {}
    for file in files:
        with _told(path if file == path else f'{path}: {file.name}'):
            if file.suffix in SUFFIXES and not file.exists():
                raise ValueError('it is missing')
            if file.suffix in SUFFIXES and not file.is_file():
                raise ValueError('it is no regular file')
            if file.suffix == '.mcap':
                found[file] = mcap_file.chunks_of(file)
            elif file.suffix == '.db3':
                _check_sqlite(file)
            elif file.suffix == '.zstd':
                raise ValueError(
                    "it is compressed as a whole; make it usable with 'ros2 bag convert'"
                )
    return found


def _check_index(storage: Any, chunks: dict[int, Chunk]) -> None:
    """Compare the index of an mcap file, which the library uses, with the chunks in it."""
    indexed = getattr(storage, 'chunks', ())
    if indexed and sorted(c.chunk_start_offset for c in indexed) != sorted(chunks):
        raise ValueError('its index does not name the chunks it has')
    for entry in indexed:
        chunk = chunks[entry.chunk_start_offset]
        said = (
            entry.message_start_time, entry.message_end_time, entry.uncompressed_size,
            entry.compression.encode(), entry.compressed_size,
        )  # fmt: skip
        if said != (chunk.start, chunk.end, chunk.size, chunk.compression, chunk.compressed):
            raise ValueError(f'its index does not match the chunk at byte {chunk.place}')


def _check_sqlite(path: Path) -> None:
    """Reject a database that computes its rows (a view), because they may be endless."""
    import sqlite3

    database = sqlite3.connect(f'{path.absolute().as_uri()}?mode=ro', uri=True)
    try:
        for kind, name, made in database.execute('SELECT type, name, sql FROM sqlite_master'):
            computed = any(word in str(made).upper() for word in (' AS ', ' AS(', 'VIRTUAL'))
            if kind not in ('table', 'index') or computed:
                raise ValueError(f'{quoted(name)} is computed; a bag has plain tables')
    finally:
        database.close()


def _alike(one: Any, other: Any) -> bool:
    """Return whether rosbags treats connections of a file and of the metadata as equal."""
    digests = one.digest, other.digest
    return one.ext == other.ext and (not all(digests) or digests[0] == digests[1])


@contextlib.contextmanager
def _told(path: Path | str) -> Iterator[None]:
    """Convert any error of a library to a RecordingError."""
    try:
        yield
    except RecordingError:
        raise
    except Exception as error:  # struct's, zlib's, sqlite's, YAML's …  # noqa: BLE001
        raise RecordingError(f'{path}: cannot be read: {_said(error)}') from None


def _said(error: Exception) -> str:
    """Return the text of an error on one line."""
    text = cut(error)
    return text if isinstance(error, (ValueError, OSError)) and text else f'damaged ({text})'
