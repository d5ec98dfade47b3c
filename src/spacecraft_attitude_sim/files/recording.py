# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings: rosbag2 bags (mcap) written through `rosbags`, valid at every moment of a run."""

import io
import json
import os
import shutil
import zlib
from pathlib import Path

import yaml
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.rosbag2.storage_mcap import McapWriter
from rosbags.typesys import Stores, TypesysError, get_typestore

from spacecraft_attitude_sim.files.errors import RecordingError

# Messages are kept in memory until a checkpoint or until they are this many bytes.
CHUNK_BYTES = 2**19
# Of the checksum in an mcap chunk record: after opcode, length, two times and size.
CHECKSUM_PLACE = 1 + 8 + 3 * 8


class _UnfinishedMcap(McapWriter):
    """An mcap file that is ended at every checkpoint, then written on from before its end.

    New data and new end go to the file in one system call, so the file is whole at any moment but
    the few microseconds of that call.
    """

    def __init__(self, path, compression):
        super().__init__(path, compression)
        self.file = self.bio
        self.file.flush()
        self._end_of_data = self.file.tell()
        self._end = b''
        self.bio = _Pending(self._end_of_data)

    def close(self, version, metadata):
        """Write the last chunk and the end of the file."""
        if self.chunk.bio.tell():
            self.close_chunk()
        data = self.bio
        self.bio = _Pending(data.tell())
        super().close(version, metadata)
        end = self.bio.getvalue()
        self._write(data.getvalue() + end)
        self._end_of_data = data.tell()
        self._end = end
        self.bio = _Pending(self._end_of_data)

    def close_chunk(self):
        """Write the chunk with its checksum, which rosbags leaves out."""
        checksum = zlib.crc32(self.chunk.bio.getbuffer())
        start = self.bio.tell()
        super().close_chunk()
        end = self.bio.tell()
        self.bio.seek_file(start + CHECKSUM_PLACE)
        self.bio.write(checksum.to_bytes(4, 'little'))
        self.bio.seek_file(end)

    def _write(self, content):
        """Overwrite the old end of the file, or leave the file as it was."""
        try:
            self._write_at_end_of_data(content)
        except OSError:
            self._write_at_end_of_data(self._end)
            os.ftruncate(self.file.fileno(), self._end_of_data + len(self._end))
            raise

    def _write_at_end_of_data(self, content):
        written = 0
        while written < len(content):
            written += os.pwrite(
                self.file.fileno(), content[written:], self._end_of_data + written
            )


class _Pending(io.BytesIO):
    """Bytes that will stand in a file from `offset` on."""

    def __init__(self, offset):
        super().__init__()
        self._offset = offset

    def tell(self):
        """Return the place in the file."""
        return self._offset + super().tell()

    def seek_file(self, place):
        """Go to a place in the file."""
        self.seek(place - self._offset)

    def close(self):
        """Keep the bytes: they are not in the file yet."""


class BagWriter(Writer):
    """Writes a bag that can be opened whenever the process dies.

    Each checkpoint leaves complete files, index and metadata included; what was written before the
    last one survives SIGKILL.
    """

    STORAGE_PLUGINS = {StoragePlugin.MCAP: _UnfinishedMcap}

    def __init__(self, folder):
        """Create the bag folder.

        Raises RecordingError when it exists or cannot be made.
        """
        folder = Path(folder)
        if folder.exists():
            raise RecordingError(f'{folder}: exists already; name another folder or remove it')
        super().__init__(folder, version=Writer.VERSION_LATEST, storage_plugin=StoragePlugin.MCAP)
        self.typestore = get_typestore(Stores.ROS2_KILTED)
        try:
            self.open()
        except OSError as error:
            raise RecordingError(f'{folder}: cannot be made: {error.strerror}') from None
        self._described = -1
        self._metadata = None

    def add_topic(self, topic, type_name, type_hash, offered_qos):
        """Add a topic and return its connection, to write with.

        type_hash: RIHS01_… as discovered;  offered_qos: list of rosbags' Qos
        Raises RecordingError for a type whose definition is not known.
        """
        try:
            definition, _ = self.typestore.generate_msgdef(type_name, ros_version=2)
        except TypesysError:
            raise RecordingError(f'{type_name} is not a message of ROS 2 itself') from None
        return self.add_connection(
            topic,
            type_name,
            msgdef=definition,
            rihs01=type_hash,
            offered_qos_profiles=offered_qos,
        )

    def write(self, connection, timestamp, data):
        """Add a message; a full chunk goes to the file with a checkpoint."""
        super().write(connection, timestamp, data)
        if not 0 < self.storage.chunk.bio.tell() < CHUNK_BYTES:
            self.checkpoint()

    def checkpoint(self):
        """Leave files that open and hold everything written so far."""
        if len(self.connections) != self._described:
            self._described = len(self.connections)
            self._end()
            self._metadata = yaml.load(self.metapath.read_text('utf8'), yaml.CSafeLoader)
            return
        # Only the counts have changed; rosbags would spend 30 ms on writing the same text again.
        information = self._metadata['rosbag2_bagfile_information']
        totals = {
            'message_count': sum(self.counts.values()),
            'starting_time': {'nanoseconds_since_epoch': self.min_timestamp},
            'duration': {'nanoseconds': max(0, self.max_timestamp - self.min_timestamp)},
        }
        information.update(totals)
        information['files'][0].update(totals)
        counts = zip(self.connections, information['topics_with_message_count'], strict=True)
        for connection, topic in counts:
            topic['message_count'] = self.counts[connection.id]
        self.storage.close(self.version, json.dumps(information))  # JSON is YAML
        temporary = self.metapath.with_suffix('.tmp')
        temporary.write_text(json.dumps(self._metadata), 'utf8')
        temporary.replace(self.metapath)

    def finish(self):
        """End the bag and flush it to the disk."""
        storage = self._end()
        os.fsync(storage.file.fileno())
        storage.file.close()
        self.storage = None

    def _end(self):
        """Write index and metadata, and return the storage, still open."""
        storage = self.storage
        self.close()
        self.storage = storage
        return storage


def remove(folder):
    """Remove a bag, if there is one, and nothing that is not one.

    Raises RecordingError for another folder.
    """
    folder = Path(folder)
    if not folder.exists():
        return
    if not (folder / 'metadata.yaml').is_file():
        raise RecordingError(
            f'{folder}: is not a bag, so it is not overwritten; remove it yourself'
        )
    shutil.rmtree(folder)


def damage(reader):
    """Say which part of an open mcap bag does not match its checksum; '' where all does."""
    for storage in reader.storage.storages:
        content = Path(storage.path).read_bytes()
        for chunk in getattr(storage, 'chunks', ()):
            place = chunk.chunk_start_offset
            checksum = int.from_bytes(content[place + CHECKSUM_PLACE :][:4], 'little')
            start = place + CHECKSUM_PLACE + 4 + 4 + len(chunk.compression) + 8
            records = content[start : start + chunk.compressed_size]
            if checksum and not chunk.compression and zlib.crc32(records) != checksum:
                return (
                    f'damaged between {chunk.message_start_time / 1e9} s and '
                    f'{chunk.message_end_time / 1e9} s: the checksum of that chunk does not match'
                )
    return ''
