# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Write rosbag2 bags (mcap) that can be opened at every moment of a run."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from rosbags.rosbag2.metadata import dump_qos_v9
from rosbags.typesys import Stores, get_typestore

from spacecraft_attitude_sim.recording import bag_reader, mcap_writer
from spacecraft_attitude_sim.recording.errors import RecordingError

# Messages stay in memory until a checkpoint or until they have this many bytes.
CHUNK_BYTES = 2**19
# A new file begins after this many chunks; their index of 80 kB is written at each checkpoint.
CHUNKS_PER_FILE = 512
METADATA, METADATA_KEY = bag_reader.METADATA, bag_reader.METADATA_KEY
VERSION = 9
# Width of the largest count and time, so that a number can be overwritten in place.
NUMBER = '%19d'


class BagWriter:
    """Writes a bag that can be opened at any time, even if the process dies.

    Each checkpoint leaves complete files with index and metadata, so everything before the last
    checkpoint survives SIGKILL. The cost of a checkpoint does not depend on the length of the
    bag, because a new file begins after CHUNKS_PER_FILE chunks. Messages of one tick may be in
    two files.
    """

    def __init__(self, folder: str | Path) -> None:
        """Create the bag, empty.

        Raises RecordingError if it exists or cannot be made.
        """
        folder = Path(folder)
        self.folder = folder
        self.typestore = get_typestore(Stores.ROS2_KILTED)
        self.totals = mcap_writer.Totals()
        self._channels: list[mcap_writer.Channel] = []
        self._topics: list[dict[str, Any]] = []
        self._schemas: dict[str, int] = {}
        self._left: list[dict[str, Any]] = []  # descriptions of the finished files
        self._forms: _Forms | None = None
        self._changed = True
        try:
            folder.mkdir(parents=True)
            self._file = mcap_writer.McapFile(folder / f'{folder.name}.mcap')
            self.checkpoint()
        except FileExistsError:
            raise RecordingError(
                f'{folder}: exists already; name another folder or remove it'
            ) from None
        except OSError as error:
            raise RecordingError(f'{folder}: cannot be made: {error.strerror}') from None

    def add_topic(self, topic: str, type_name: str, type_hash: str, offered_qos: list[Any]) -> int:
        """Add a topic and return its number, for `write`.

        type_hash: RIHS01_… as discovered;  offered_qos: list of rosbags' Qos
        Raises RecordingError for a type whose definition is not known.
        """
        if type_name not in self.typestore.types:
            raise RecordingError(f'{type_name} is not a message of ROS 2 itself')
        definition, _ = self.typestore.generate_msgdef(type_name, ros_version=2)
        number = len(self._channels) + 1
        schema = self._schemas.setdefault(type_name, len(self._schemas) + 1)
        qos = dump_qos_v9(offered_qos)
        channel = mcap_writer.Channel(
            number, topic, schema, type_name, definition, json.dumps(qos)
        )
        self._channels.append(channel)
        self._topics.append({
            'name': topic,
            'type': type_name,
            'serialization_format': 'cdr',
            'offered_qos_profiles': qos,
            'type_description_hash': type_hash,
        })  # fmt: skip
        self.totals.counts[number] = 0
        self._file.add_channel(channel)
        self._forms = None
        self._changed = True
        return number

    def write(self, number: int, time: int, data: bytes) -> None:
        """Add a message of a topic; a full chunk causes a checkpoint.

        number: from add_topic;  time: in the bag [ns], 0 … 2**63;  data: serialised message
        """
        if self._file.chunks >= CHUNKS_PER_FILE:
            self._next_file()
        self._file.write(number, time, data)
        self.totals.add(number, time)
        self._changed = True
        if self._file.size_of_chunk >= CHUNK_BYTES:
            self.checkpoint()

    def checkpoint(self) -> None:
        """Write everything so far, as complete files."""
        if not self._changed:
            return
        forms = self._forms or self._make_forms()
        of_file = _numbers(self._file.totals)
        self._file.checkpoint(forms.of_file % (*of_file[:3], *of_file))
        self._describe(forms, (*of_file[:3], *_numbers(self.totals)))
        self._forms = forms
        self._changed = False

    def finish(self) -> None:
        """End the bag and flush it to the disk."""
        self.checkpoint()
        self.close()
        for name in (*(file['path'] for file in self._left), self._file.path.name, METADATA):
            with suppress(FileNotFoundError), (self.folder / name).open('rb') as file:
                os.fsync(file.fileno())

    def close(self) -> None:
        """Close the bag without a checkpoint; it ends with the last one."""
        self._file.close()

    def _next_file(self) -> None:
        """Begin another file; the metadata list it from its first checkpoint on."""
        self.checkpoint()
        totals, path = self._file.totals, self._file.path
        following = self.folder / f'{self.folder.name}_{len(self._left) + 1}.mcap'
        file = mcap_writer.McapFile(following, self._channels)
        self._file.close()
        self._file = file
        self._left.append(_description(path.name, *_numbers(totals)[:3]))
        self._forms = None

    def _make_forms(self) -> _Forms:
        """Return the _Forms of the metadata with the current files and topics."""
        file = _description(self._file.path.name, HERE, HERE, HERE)
        fixed, form = _metadata_form([*self._left, file], self._topics)
        name, numbers = _metadata_form([file], self._topics, '')
        return _Forms(fixed, form, name.replace('%', '%%') + numbers)

    def _describe(self, forms: _Forms, numbers: tuple[int, ...]) -> None:
        """Write metadata.yaml: completely after a new file or topic, else only its numbers."""
        path = self.folder / METADATA
        fixed, changing = forms.fixed.encode(), (forms.form % numbers).encode()
        if forms is self._forms:
            with path.open('r+b', buffering=0) as file:
                file.seek(len(fixed))
                file.write(changing)
            return
        temporary = path.with_suffix('.tmp')
        try:
            temporary.write_bytes(fixed + changing)
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise


# Placeholder of a number in a _Forms.
HERE = '#'


class _Forms(NamedTuple):
    """Templates of metadata into which the numbers of file, bag and topics are filled.

    fixed, form: metadata of the bag: text before the first number, and format of the rest
    of_file: format of the metadata inside the last file
    """

    fixed: str
    form: str
    of_file: str


def _metadata_form(
    files: list[dict[str, Any]],
    topics: list[dict[str, Any]],
    before: str = f'{{"{METADATA_KEY}": ',
) -> tuple[str, str]:
    """Return (text before the first number, format of the rest) of the metadata, JSON and so YAML.

    The numbers have a constant width. So new ones overwrite old ones in place, and a concurrent
    reader sees complete numbers.
    """
    information = {
        'version': VERSION,
        'storage_identifier': 'mcap',
        'compression_format': '',
        'compression_mode': '',
        'custom_data': None,
        'ros_distro': 'kilted',
        'relative_file_paths': [file['path'] for file in files],
        'files': files,
        **_description(None, HERE, HERE, HERE),
        'topics_with_message_count': [
            {'message_count': HERE, 'topic_metadata': topic} for topic in topics
        ],
    }
    del information['path']
    text = before + json.dumps(information) + ('}' if before else '')
    fixed, here, rest = text.partition(json.dumps(HERE))
    return fixed, (here + rest).replace('%', '%%').replace(here, NUMBER)


def _description(
    path: str | None, start: int | str, duration: int | str, messages: int | str
) -> dict[str, Any]:
    """Return the metadata entry of a file or of the bag; times in ns."""
    return {
        'path': path,
        'starting_time': {'nanoseconds_since_epoch': start},
        'duration': {'nanoseconds': duration},
        'message_count': messages,
    }


def _numbers(totals: mcap_writer.Totals) -> tuple[int, ...]:
    """Return start, duration, messages, and messages of each topic."""
    return (
        totals.start,
        totals.last - totals.start,
        totals.messages,
        *(totals.counts[number] for number in sorted(totals.counts)),
    )


def remove(folder: str | Path) -> None:
    """Remove a bag, if there is one; if the folder holds anything else, remove nothing.

    Raises RecordingError that names what does not belong to a bag.
    """
    folder = Path(folder)
    if not folder.exists() and not folder.is_symlink():
        return
    refusal = _no_bag(folder)
    if refusal:
        raise RecordingError(f'{folder}: is not a bag, so it is not overwritten: {refusal}')
    # The metadata last, so that an interrupted removal still leaves a bag.
    for path in sorted(folder.iterdir(), key=lambda path: path.suffix != '.mcap'):
        path.unlink()
    folder.rmdir()


def _no_bag(folder: Path) -> str:
    """Return as text why a folder is not just a bag; '' for a bag, complete or begun."""
    if folder.is_symlink():
        return 'it is a link'
    if not folder.is_dir():
        return 'it is not a folder'
    metadata = folder / METADATA
    files: set[str] = set()
    if metadata.is_file() and not metadata.is_symlink():
        try:
            files = {name for name in bag_reader.files_named(folder) if name.endswith('.mcap')}
        except ValueError:
            return f'its {METADATA} is not of a bag'
    ours = re.compile(re.escape(folder.name) + r'(_\d+)?\.mcap|metadata\.(yaml|tmp)')
    for path in folder.iterdir():
        if path.is_symlink() or not path.is_file():
            return f'{path.name} in it is not a file'
        if not (ours.fullmatch(path.name) or path.name in files):
            return f'{path.name} in it is no part of a bag'
        if path.suffix == '.mcap' and not _begins_like_mcap(path):
            return f'{path.name} in it is not mcap'
    return ''


def _begins_like_mcap(path: Path) -> bool:
    with path.open('rb') as file:
        return file.read(len(mcap_writer.MAGIC)) in (mcap_writer.MAGIC, b'')
