# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A bag is whole at every moment and costs the same at every length; only a bag is overwritten."""

import multiprocessing
import shutil
import struct
import time
from pathlib import Path

import pytest
import yaml
from ros_helpers import wait_for
from rosbags.rosbag2 import Reader

from spacecraft_attitude_sim.recording import bag_reader as bags
from spacecraft_attitude_sim.recording import bag_writer
from spacecraft_attitude_sim.recording.bag_writer import BagWriter
from spacecraft_attitude_sim.recording.errors import RecordingError

TYPE = 'std_msgs/msg/String'
CHUNKS = 4
FOOTER_BYTES = 1 + 8 + 20 + 8


@pytest.fixture
def writer(tmp_path, monkeypatch):
    """A writer that begins a new file at every four chunks."""
    monkeypatch.setattr(bag_writer, 'CHUNKS_PER_FILE', CHUNKS)
    return BagWriter(tmp_path / 'bag')


def topic(writer, name):
    return writer.add_topic(name, TYPE, writer.typestore.hash_rihs01(TYPE), [])


def messages(path):
    """Return [(topic, time, bytes)] of a bag or of one file of it."""
    with Reader(path) as reader:
        found = [(c.topic, stamp, bytes(data)) for c, stamp, data in reader.messages()]
        assert reader.message_count == len(found)
        assert {c.topic: c.msgcount for c in reader.connections} == {
            c.topic: sum(name == c.topic for name, _, _ in found) for c in reader.connections
        }
    return found


def information(bag):
    text = (bag / 'metadata.yaml').read_text()
    return yaml.safe_load(text)['rosbag2_bagfile_information']


def bytes_written():
    """Return how many bytes this process has given to write calls, ever."""
    lines = Path('/proc/self/io').read_text().splitlines()
    return int(dict(line.split(': ') for line in lines)['wchar'])


def test_bag_is_one_from_its_first_moment(tmp_path):
    writer = BagWriter(tmp_path / 'bag')
    assert messages(tmp_path / 'bag') == []
    topic(writer, '/x')
    writer.checkpoint()
    assert messages(tmp_path / 'bag') == []


def test_what_a_checkpoint_writes_does_not_depend_on_the_length_of_the_bag(writer):
    number = topic(writer, '/x')
    costs = []
    for checkpoint in range(12 * CHUNKS):
        for message in range(10):
            writer.write(number, 10 * checkpoint + message, bytes(100))
        before = bytes_written()
        writer.checkpoint()
        costs.append(bytes_written() - before)
    # The same place in two files; their names have as many digits. The first of a file also writes
    # the metadata anew, which name every file.
    assert costs[2 * CHUNKS + 2] == costs[9 * CHUNKS + 2]
    assert max(costs) < 1.5 * max(costs[: 2 * CHUNKS])


def test_bag_opens_after_every_checkpoint_and_holds_all_until_it(writer, tmp_path):
    one, other = topic(writer, '/one'), topic(writer, '/other')
    written, copy = [], tmp_path / 'killed'
    for k in range(3 * CHUNKS):
        writer.write(one, 100 + 2 * k, bytes([k]))
        written.append(('/one', 100 + 2 * k, bytes([k])))
        writer.checkpoint()
        whole = list(written)
        writer.write(other, 101 + 2 * k, bytes([k, k]))  # what a kill now would lose
        written.append(('/other', 101 + 2 * k, bytes([k, k])))
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(tmp_path / 'bag', copy)
        assert messages(copy) == whole


def test_totals_are_of_the_whole_bag_and_of_each_file(writer, tmp_path):
    """Also of a bag whose run was killed: nothing is finished here."""
    one, other = topic(writer, '/one'), topic(writer, '/other')
    for k in range(3 * CHUNKS + 1):
        writer.write(one, 50 + k, b'1')
        if k % 2:
            writer.write(other, 50 + k, b'22')
        writer.checkpoint()
    bag = tmp_path / 'bag'
    found = information(bag)
    assert found['message_count'] == 3 * CHUNKS + 1 + 6
    assert found['starting_time']['nanoseconds_since_epoch'] == 50
    assert found['duration']['nanoseconds'] == 3 * CHUNKS
    assert [t['message_count'] for t in found['topics_with_message_count']] == [13, 6]
    assert [f['message_count'] for f in found['files']] == [6, 6, 6, 1]
    assert [f['duration']['nanoseconds'] for f in found['files']] == [3, 3, 3, 0]
    starts = [f['starting_time']['nanoseconds_since_epoch'] for f in found['files']]
    assert starts == [50, 54, 58, 62]
    names = [f['path'] for f in found['files']]
    assert names == found['relative_file_paths'] == sorted(p.name for p in bag.glob('*.mcap'))
    assert sum((messages(bag / name) for name in names), []) == messages(bag)


def test_file_is_read_without_its_index_too(writer, tmp_path):
    """A reader that knows no summary walks through the records."""
    number = topic(writer, '/x')
    for k in range(3):
        writer.write(number, k, bytes(k))
        writer.checkpoint()
    path = tmp_path / 'bag' / 'bag.mcap'
    found = messages(path)
    assert len(found) == 3
    content = bytearray(path.read_bytes())
    (summary,) = struct.unpack_from('<Q', content, len(content) - FOOTER_BYTES + 9)
    content[summary:-FOOTER_BYTES] = b''
    content[-FOOTER_BYTES + 9 : -FOOTER_BYTES + 25] = bytes(16)
    path.write_bytes(content)
    assert messages(path) == found


def test_name_with_format_characters_is_a_name(tmp_path):
    writer = BagWriter(tmp_path / '50%d "#"')
    writer.write(topic(writer, '/x'), 5, b'x')
    writer.finish()
    assert messages(tmp_path / '50%d "#"') == [('/x', 5, b'x')]


def test_file_that_is_begun_but_not_named_yet_is_no_part_of_the_bag(writer, tmp_path):
    """Killed between the creation of a file and its first checkpoint."""
    number = topic(writer, '/x')
    for k in range(CHUNKS):
        writer.write(number, k, bytes(k))
        writer.checkpoint()
    writer.write(number, CHUNKS, b'lost')
    assert (tmp_path / 'bag' / 'bag_1.mcap').stat().st_size == 0
    with bags.opened(tmp_path / 'bag') as found:
        assert [stamp for _, stamp, _ in found.messages()] == list(range(CHUNKS))


def record_for_ever(bag):
    writer, stamp = BagWriter(bag), 0
    number = topic(writer, '/x')
    while True:
        for _ in range(20):
            writer.write(number, stamp, bytes(100))
            stamp += 1
        writer.checkpoint()
        time.sleep(0.1)  # five times as often as the recorder does


def test_what_is_written_while_a_bag_is_opened_is_checked_too(tmp_path, monkeypatch):
    writer, looks = BagWriter(tmp_path / 'bag'), []
    number, look = topic(writer, '/x'), bags._looked_through

    def write():
        writer.write(number, len(looks), b'some')
        writer.checkpoint()

    def look_and_write(path):
        chunks = look(path)
        looks.append(path)
        write()
        return chunks

    write()
    monkeypatch.setattr(bags, '_looked_through', look_and_write)
    with bags.opened(tmp_path / 'bag') as found:
        assert [stamp for _, stamp, _ in found.messages()] == [0, 1]
    assert len(looks) == 1


def test_bag_is_read_while_it_is_written(tmp_path):
    path = tmp_path / 'bag'
    recorder = multiprocessing.get_context('spawn').Process(target=record_for_ever, args=[path])
    recorder.start()
    try:
        wait_for(lambda: (path / 'metadata.yaml').exists())
        for _ in range(40):
            with bags.opened(path) as found:
                stamps = [stamp for _, stamp, _ in found.messages()]
            assert stamps == list(range(len(stamps)))
    finally:
        recorder.kill()
        recorder.join()


# --- overwriting --------------------------------------------------------------------------------


def whole(bag):
    writer = BagWriter(bag)
    writer.write(topic(writer, '/x'), 5, b'x')
    writer.finish()


def renamed(bag):
    whole(bag.with_name('before'))
    bag.with_name('before').rename(bag)


def killed_before_its_metadata(bag):
    whole(bag)
    (bag / 'metadata.yaml').unlink()


@pytest.mark.parametrize(
    'make', [whole, renamed, killed_before_its_metadata, Path.mkdir, lambda bag: None]
)
def test_bag_is_removed_however_it_ended(tmp_path, make):
    make(tmp_path / 'bag')
    bag_writer.remove(tmp_path / 'bag')
    assert not (tmp_path / 'bag').exists()


def with_notes(bag):
    whole(bag)
    (bag / 'notes.txt').write_text('mine')


def with_another_recording(bag):
    whole(bag)
    shutil.copy(bag / 'bag.mcap', bag / 'other.mcap')


def with_a_folder(bag):
    whole(bag)
    (bag / 'bag_1.mcap').mkdir()


def with_a_link(bag):
    whole(bag)
    (bag / 'bag_1.mcap').symlink_to(bag / 'bag.mcap')


def link(bag):
    whole(bag.with_name('target'))
    bag.symlink_to('target')


def dangling_link(bag):
    bag.symlink_to('nowhere')


def metadata_of_others(bag):
    bag.mkdir()
    (bag / 'metadata.yaml').write_text('title: my book')


def metadata_that_names_others(bag):
    bag.mkdir()
    (bag / 'thesis.tex').write_text('mine')
    text = 'rosbag2_bagfile_information: {relative_file_paths: [thesis.tex]}'
    (bag / 'metadata.yaml').write_text(text)


def with_metadata(text):
    """Return a function that makes a bag whose metadata is a text."""

    def make(bag):
        whole(bag)
        (bag / 'metadata.yaml').write_text(text)

    return make


def no_mcap(bag):
    bag.mkdir()
    (bag / 'bag.mcap').write_text('mine')


def file(bag):
    bag.write_text('mine')


@pytest.mark.parametrize(
    'make',
    [
        with_notes,
        with_another_recording,
        with_a_folder,
        with_a_link,
        link,
        dangling_link,
        metadata_of_others,
        metadata_that_names_others,
        with_metadata('{' * 2000),
        with_metadata('rosbag2_bagfile_information: {relative_file_paths: [1]}'),
        with_metadata('[' * 1_000_000),
        no_mcap,
        file,
    ],
)
def test_nothing_is_removed_where_anything_is_no_part_of_a_bag(tmp_path, make):
    make(tmp_path / 'bag')
    before = sorted(tmp_path.rglob('*'))
    with pytest.raises(RecordingError, match='is not a bag'):
        bag_writer.remove(tmp_path / 'bag')
    assert sorted(tmp_path.rglob('*')) == before


def test_a_file_says_when_its_first_and_its_last_message_were(tmp_path):
    writer = BagWriter(tmp_path / 'bag')
    number = topic(writer, '/x')
    for stamp in (12, 7, 20, 9):
        writer.write(number, stamp, bytes(8))
    writer.finish()
    (path,) = (tmp_path / 'bag').glob('*.mcap')
    for source in (path, tmp_path / 'bag'):
        with Reader(source) as reader:
            assert (reader.start_time, reader.end_time - 1) == (7, 20)
            late = [stamp for _, stamp, _ in reader.messages(start=15)]  # by the chunks' times
            early = [stamp for _, stamp, _ in reader.messages(stop=8)]
            assert (early, late) == ([7], [20])


def test_metadata_that_cannot_be_written_leave_those_before_and_are_written_later(
    tmp_path, monkeypatch
):
    """As on a full disk; the error reaches the recorder, which tells it."""
    bag = tmp_path / 'bag'
    writer, before = BagWriter(bag), (bag / 'metadata.yaml').read_text()
    number = topic(writer, '/x')
    writer.write(number, 5, b'x')
    with monkeypatch.context() as full:

        def replace(self, target):
            raise OSError(28, 'No space left on device')

        full.setattr(Path, 'replace', replace)
        with pytest.raises(OSError, match='No space left'):
            writer.checkpoint()
    assert (bag / 'metadata.yaml').read_text() == before
    assert [path.name for path in bag.glob('*.tmp')] == []
    writer.checkpoint()
    assert messages(bag) == [('/x', 5, b'x')]
    writer.close()
