# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Damaged and hostile bags, meshes, tables and chunks are one line, and cost nothing."""

import functools
import json
import os
import re
import shutil
import struct
import subprocess
import zlib
from fnmatch import fnmatch

import numpy as np
import pytest
from processes import printed, run
from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from spacecraft_attitude_sim.campaigns import campaign, runner
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.configuration.scenario import ScenarioError
from spacecraft_attitude_sim.drawing import body_looks
from spacecraft_attitude_sim.recording import bag_reader as bags
from spacecraft_attitude_sim.recording import csv_file, history, mcap_file, topics
from spacecraft_attitude_sim.recording.errors import CampaignError, RecordingError
from spacecraft_attitude_sim.runs import replay

STORE = get_typestore(Stores.ROS2_KILTED)
STRING = STORE.types['std_msgs/msg/String']
INPUTS = '/ground_truth/inputs'
CAMPAIGN = """scenario: tennis_racket
runs: 12
duration: 0.25
dispersions:
  initial.angular_velocity[0]: {distribution: normal, mean: 0.0, standard_deviation: 0.1}
"""


@pytest.fixture(scope='module')
def bag(tmp_path_factory, command):
    """A second of the tennis racket: 33 instants."""
    path = tmp_path_factory.mktemp('damaged') / 'bag'
    arguments = ('run', 'tennis_racket', '--rate', '0', '--duration', '1', '--record', str(path))
    printed(command, *arguments)
    return path


# What the racket's bag has no topic of: an orbit, its sensors, wheels and internal parts.
EVERYTHING = """
simulator:
  ros__parameters:
    body: {mass: 4.0, inertia: [0.033, 0.033, 0.0067], parts: [bus]}
    parts: {bus: {shape: box, size: [0.1, 0.1, 0.3]}}
    initial: {angular_velocity: [0.1, -0.1, 0.1]}
    orbit: {model: j2, semi_major_axis: 6878137.0}
    surfaces: [plate]
    surface: {plate: {area: 0.1, normal: [1.0, 0.0, 0.0], center: [0.0, 0.1, 0.0]}}
    wheels: [x]
    wheel: {x: {axis: [1.0, 0.0, 0.0], inertia: 1.7e-05, max_torque: 0.001, max_speed: 600.0}}
    magnetorquers: [rod]
    magnetorquer: {rod: {axis: [0.0, 1.0, 0.0], max_dipole: 1.0}}
    residual_dipole: [0.01, 0.0, 0.0]
    pendulums: [tank]
    pendulum: {tank: {mass: 0.1, length: 0.05, pivot: [0.0, 0.0, 0.1], rest: [0.0, 0.0, 1.0]}}
    slugs: [fuel]
    slug: {fuel: {inertia: 1e-4, damping: 1e-4}}
    hysteresis_rods: [rod]
    hysteresis_rod: {rod: {axis: [0.0, 0.0, 1.0]}}
    sun_cells: [cell]
    sun_cell: {cell: {model: coarse_cell, direction: [1.0, 0.0, 0.0]}}
    sun_sensors: [fine]
    sun_sensor: {fine: {orientation: [0.7071067811865476, 0.0, 0.7071067811865476, 0.0]}}
    horizon_sensor:
      {enabled: true, orientation: [0.7071067811865476, 0.0, -0.7071067811865476, 0.0]}
    gnss:
      {enabled: true, interval: 8, orientation: [0.7071067811865476, 0.0, 0.7071067811865476, 0.0]}
    magnetometer: {enabled: true}
    star_tracker: {enabled: true}
    epoch: "2026-03-20T12:00:00Z"
    duration: 1.0
"""


@pytest.fixture(scope='module')
def rich_bag(tmp_path_factory, command):
    """A second of a spacecraft that has every topic."""
    folder = tmp_path_factory.mktemp('rich')
    (folder / 'everything.yaml').write_text(EVERYTHING)
    printed(command, 'run', folder / 'everything.yaml', '--rate', '0', '--record', folder / 'bag')
    return folder / 'bag'


@functools.cache
def content(bag):
    """Return the connections of a bag and all of its messages."""
    with Reader(bag) as reader:
        return list(reader.connections), list(reader.messages())


def rewritten(bag, copy, topic, change, msgtype=None):
    """Copy a bag; change: of a message and its number into another, of msgtype where given."""
    connections, messages = content(bag)
    with Writer(copy, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        new = {
            c.id: writer.add_connection(
                c.topic, msgtype if msgtype and c.topic == topic else c.msgtype, typestore=STORE
            )
            for c in connections
        }
        number = 0
        for connection, stamp, data in messages:
            if connection.topic == topic:
                message = change(STORE.deserialize_cdr(data, connection.msgtype), number)
                data = STORE.serialize_cdr(message, new[connection.id].msgtype)
                number += 1
            writer.write(new[connection.id], stamp, data)
    assert number


def read_all(bag):
    """Read a bag in every way that needs no page."""
    history.read(bag)
    replay.resimulate(bag)


# Without that of an air bearing, which neither bag has.
TYPED = [
    *(
        f'/{name}' if name[0] != '/' else name
        for name in topics.TICK
        if name != f'{topics.DISTURBANCE}weight'
    ),
    '/scenario',
]


@pytest.mark.parametrize('topic', TYPED)
def test_another_type_on_a_known_topic_is_named(bag, rich_bag, tmp_path, topic):
    for path in (bag, rich_bag):
        types = {c.topic: c.msgtype for c in content(path)[0]}
        topic = next((name for name in types if fnmatch(name, topic)), topic)
        if topic in types:
            bag = path
            break
    other = 'std_msgs/msg/String'
    made = STRING(data='hello')
    if types[topic] == other:
        other, made = 'std_msgs/msg/Bool', STORE.types['std_msgs/msg/Bool'](data=True)
    rewritten(bag, tmp_path / 'copy', topic, lambda message, number: made, other)
    with pytest.raises(RecordingError, match=f'{topic} is of type {other}; .* belongs there'):
        read_all(tmp_path / 'copy')


@pytest.mark.parametrize(
    ('place', 'value', 'said'),
    [
        (0, np.nan, 'not finite'), (5, np.inf, 'not finite'), (0, -1.0, 'impossible tick'),
        (0, 3.5, 'impossible tick'), (0, 1e300, 'impossible tick'),
        (2, 1e9, 'number of sub-steps'),
        (3, 77.0, 'revision 77 of topic scenario is missing'),
    ],
)  # fmt: skip
def test_impossible_numbers_in_the_inputs_are_named(bag, tmp_path, place, value, said):
    def change(message, number):
        data = message.data.copy()
        if number == 7:
            data[place] = value
        message.data = data
        return message

    rewritten(bag, tmp_path / 'copy', INPUTS, change)
    with pytest.raises(RecordingError, match=said):
        replay.resimulate(tmp_path / 'copy')


@pytest.mark.parametrize('length', [0, 1, 4, 21, 23, 35, 500])
def test_inputs_of_another_length_are_named(bag, tmp_path, length):
    def change(message, number):
        message.data = np.resize(message.data, length)
        return message

    rewritten(bag, tmp_path / 'copy', INPUTS, change)
    with pytest.raises(RecordingError, match=f'ground_truth/inputs holds {length} numbers'):
        history.read(tmp_path / 'copy')


def test_a_number_that_is_none_is_named_with_its_instant(bag, tmp_path):
    def change(message, number):
        if number == 5:
            message.twist.twist.angular.x = np.nan
            message.pose.pose.orientation.x = np.nan
        return message

    rewritten(bag, tmp_path / 'copy', '/ground_truth/odometry', change)
    with pytest.raises(RecordingError, match=r'is nan in instant 6 of 33; a finite number'):
        history.read(tmp_path / 'copy')


def test_an_mcap_file_is_read_without_its_folder(bag):
    (file,) = bag.glob('*.mcap')
    table, found = history.read(file)
    assert len(table.time) == 33
    assert found.parameters == history.read(bag)[1].parameters
    assert replay.resimulate(file).difference == ''


def copied(bag, tmp_path, change):
    """Copy a bag, its mcap file changed by a function of its bytes and its chunks."""
    copy = tmp_path / 'copy'
    shutil.copytree(bag, copy)
    (file,) = copy.glob('*.mcap')
    file.write_bytes(change(bytearray(file.read_bytes()), mcap_file.chunks_of(file)))
    return copy


@pytest.mark.parametrize(
    ('change', 'words'),
    [
        ({'name': b'lz5'}, 'the chunk at byte 8 is compressed in an unknown way'),
        ({'name': b'zstd with more'}, 'the chunk at byte 8 is compressed in an unknown way'),
        ({'compressed': 7}, 'the chunk at byte 8 has another size than it says'),
        ({'size': 5}, 'the chunk at byte 8 has another size than it says'),
        ({'last': 0x0F}, 'its last record is no footer'),
        ({'begin': bytes(8)}, 'it does not begin as an mcap file does'),
        ({'end': bytes(8)}, 'it does not end as an mcap file does'),
        ({'name': b'lz4', 'size': 99}, 'the chunk at byte 8 is not of the 99 bytes it says'),
        ({}, ''),
    ],
)
def test_each_thing_wrong_with_a_chunk_is_named(tmp_path, change, words):
    given = {'name': b'', 'size': 6, 'compressed': 6, 'last': mcap_file.FOOTER} | change
    head = mcap_file.CHUNK_HEAD.pack(10, 20, given['size'], 0, len(given['name']))
    chunk = head + given['name'] + given['compressed'].to_bytes(8, 'little') + bytes(6)
    records = ((mcap_file.CHUNK, chunk), (given['last'], bytes(20)))
    whole = b''.join(mcap_file.HEAD.pack(code, len(data)) + data for code, data in records)
    path = tmp_path / 'a.mcap'
    magic = mcap_file.MAGIC
    path.write_bytes(given.get('begin', magic) + whole + given.get('end', magic))
    if words:
        with pytest.raises(ValueError, match=words):
            mcap_file.chunks_of(path)
        return
    (found,) = mcap_file.chunks_of(path).values()
    name, size = given['name'], given['size']
    data = len(magic) + mcap_file.HEAD.size + len(head) + len(name) + 8
    assert found == (8, 10, 20, size, 0, name, data, 6)


def test_a_file_cut_anywhere_is_one_line(bag, tmp_path):
    (file,) = bag.glob('*.mcap')
    copy = tmp_path / 'copy'
    shutil.copytree(bag, copy)
    content = file.read_bytes()
    for size in (
        0,
        1,
        8,
        9,
        100,
        *range(1000, len(content), len(content) // 40),
        len(content) - 1,
    ):
        (copy / file.name).write_bytes(content[:size])
        with pytest.raises(RecordingError, match='cannot be read: .*(cut off|begin|end)'):
            history.read(copy)


def test_damage_says_what_stands_before_it(bag, tmp_path):
    def change(content, chunks):
        chunk = list(chunks.values())[-1]
        content[chunk.data + chunk.compressed // 2] ^= 1
        return content

    with pytest.raises(RecordingError, match='damaged between .* what stands before is whole'):
        read_all(copied(bag, tmp_path, change))


def test_a_message_that_cannot_be_decoded_is_named_with_its_time(bag, tmp_path):
    def change(content, chunks):
        chunk = next(iter(chunks.values()))
        text = content.index(b'/**/simulator', chunk.data) - 20
        length = content.rindex(b'\x00\x01\x00\x00', chunk.data, text + 20) + 4
        content[length : length + 4] = (2**31).to_bytes(4, 'little')
        end = chunk.data + chunk.compressed
        checksum = zlib.crc32(content[chunk.data : end]).to_bytes(4, 'little')
        content[chunk.place + 33 : chunk.place + 37] = checksum
        return content

    with pytest.raises(RecordingError, match=r'/scenario at .* s cannot be decoded as std_msgs'):
        read_all(copied(bag, tmp_path, change))


def test_an_index_that_leaves_out_messages_is_not_believed(bag, tmp_path):
    """Without the comparison, rosbags reads what the index names, and says nothing."""

    def change(content, chunks):
        chunk = list(chunks.values())[-1]
        times = struct.pack('<QQQ', chunk.start, chunk.end, chunk.place)
        place = content.rindex(times)
        content[place : place + 8] = chunk.end.to_bytes(8, 'little')
        return content

    with pytest.raises(RecordingError, match='its index does not match the chunk'):
        history.read(copied(bag, tmp_path, change))


@pytest.mark.parametrize('compression', ['zstd', 'lz4'])
def test_a_chunk_that_grows_is_refused_before_it_does(tmp_path, compression):
    if compression == 'zstd':
        zstd = pytest.importorskip('backports.zstd')
        data = zstd.compress(bytes(2**28))
    else:
        import lz4.frame

        data = lz4.frame.compress(bytes(2**28))
    name = compression.encode()
    for claimed, said in ((2**20, 'is not of the 1048576 bytes'), (2**40, 'are taken')):
        chunk = struct.pack('<QQQII', 0, 1, claimed, 0, len(name)) + name
        chunk += struct.pack('<Q', len(data)) + data
        header = struct.pack('<BQI', 1, 12, 4) + b'ros2' + bytes(4)
        records = header + struct.pack('<BQ', 6, len(chunk)) + chunk
        footer = struct.pack('<BQQQI', 2, 20, 0, 0, 0)
        path = tmp_path / 'bomb.mcap'
        path.write_bytes(mcap_file.MAGIC + records + footer + mcap_file.MAGIC)
        with pytest.raises(RecordingError, match=said):
            history.read(path)


@pytest.mark.parametrize(
    ('change', 'said'),
    [
        (lambda b: (b / 'metadata.yaml').write_text('a: ' + '[' * 10_000), 'nested deeper'),
        (lambda b: (b / 'metadata.yaml').write_text('a: &a 1\nb: *a'), 'is an alias'),
        (lambda b: (b / 'metadata.yaml').unlink(), 'has no metadata.yaml'),
        (lambda b: (b / 'metadata.yaml').write_bytes(b'\xff\xfe'), 'cannot be read'),
        (lambda b: [f.unlink() for f in b.glob('*.mcap')], 'missing'),
        (lambda b: as_a_pipe(b / 'bag.mcap'), 'no regular file'),
        (lambda b: changed_path(b, '../../etc/passwd'), 'missing'),
        (lambda b: changed_path(b, '/dev/zero'), 'missing'),
    ],
)
def test_a_folder_that_lies_is_refused(bag, tmp_path, change, said):
    copy = tmp_path / 'copy'
    shutil.copytree(bag, copy)
    change(copy)
    with pytest.raises(RecordingError, match=said):
        history.read(copy)


def as_a_pipe(path):
    path.unlink()
    os.mkfifo(path)


def changed_path(bag, path):
    """Let the metadata of a bag name another file."""
    (file,) = bag.glob('*.mcap')
    text = (bag / 'metadata.yaml').read_text()
    (bag / 'metadata.yaml').write_text(text.replace(file.name, path))


def test_a_database_without_end_is_refused(tmp_path):
    import sqlite3

    database = sqlite3.connect(tmp_path / 'endless.db3')
    database.execute(
        'CREATE VIEW messages AS WITH RECURSIVE n(id) AS '
        '(SELECT 1 UNION ALL SELECT id + 1 FROM n) '
        "SELECT id, 1 AS topic_id, id AS timestamp, x'00' AS data FROM n"
    )
    database.commit()
    database.close()
    with pytest.raises(RecordingError, match="'messages' is computed"):
        history.read(tmp_path / 'endless.db3')


# --- meshes --------------------------------------------------------------------------------------


def refused_mesh(path):
    with pytest.raises(ScenarioError) as refused:
        body_looks.drawn_parts(scenario.build({'body.mesh.file': str(path)}, 'test'))
    return str(refused.value)


def test_a_mesh_opens_no_other_file(tmp_path):
    trimesh = pytest.importorskip('trimesh')
    box = trimesh.creation.box()
    text = box.export(file_type='obj')
    pipe = tmp_path / 'pipe'  # whoever opens it waits for ever
    os.mkfifo(pipe)
    path = tmp_path / 'box.obj'
    path.write_text(f'mtllib {pipe}\nusemtl a\n{text}')
    assert body_looks.drawn_parts(scenario.build({'body.mesh.file': str(path)}, 'test'))
    files = box.scene().export(file_type='gltf')
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / 'elsewhere').mkdir()
    path = tmp_path / 'elsewhere' / 'box.gltf'
    for uri, said in (
        ('../gltf_buffer_0.bin', 'not beside it'),
        ('/dev/zero', 'not beside it'),
        (str(pipe), 'not beside it'),
    ):
        tree = json.loads(files['model.gltf'])
        tree['buffers'] = [buffer | {'uri': uri} for buffer in tree['buffers']]
        path.write_text(json.dumps(tree))
        assert said in refused_mesh(path)


def test_a_mesh_larger_than_its_file_is_refused(tmp_path):
    trimesh = pytest.importorskip('trimesh')
    stl = bytearray(trimesh.creation.box().export(file_type='stl'))
    stl[80:84] = (2**31).to_bytes(4, 'little')
    (tmp_path / 'a.stl').write_bytes(stl)
    # trimesh takes it for text, which is no mesh, or for a mesh without faces: charset-normalizer
    # beside it decides.
    assert re.search('cannot be read|has no faces', refused_mesh(tmp_path / 'a.stl'))
    (tmp_path / 'a.ply').write_text(
        'ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n'
    )
    assert 'more elements than the file has bytes' in refused_mesh(tmp_path / 'a.ply')
    scene = trimesh.creation.icosphere(4).scene()
    tree = json.loads(scene.export(file_type='gltf')['model.gltf'])
    tree['nodes'] += [{'mesh': 0}] * 5000
    (tmp_path / 'a.gltf').write_text(json.dumps(tree))
    assert 'draws more than 500000 faces' in refused_mesh(tmp_path / 'a.gltf')
    with (tmp_path / 'large.stl').open('wb') as file:
        file.truncate(2**40)
    assert 'larger than 64 MiB' in refused_mesh(tmp_path / 'large.stl')
    os.mkfifo(tmp_path / 'pipe.stl')
    assert 'no regular file' in refused_mesh(tmp_path / 'pipe.stl')
    (tmp_path / 'a.3mf').write_bytes(b'PK')
    assert 'no known format' in refused_mesh(tmp_path / 'a.3mf')
    (tmp_path / 'far.obj').write_text('v 1e99 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n')
    assert 'must be finite' in refused_mesh(tmp_path / 'far.obj')


# --- campaigns -----------------------------------------------------------------------------------


@pytest.fixture
def interrupted(tmp_path):
    """A campaign with its one chunk computed, not yet joined: (Campaign, folder, chunk)."""
    (tmp_path / 'campaign.yaml').write_text(CAMPAIGN)
    found = campaign.load(tmp_path / 'campaign.yaml')
    chunks = runner._prepare(found, tmp_path / 'out')
    chunk = runner._chunk_path(chunks, 0, found.runs)
    runner._write(found, runner.columns_of(found, 0, found.runs), chunk)
    return found, tmp_path / 'out', chunk


def other_rows(campaigned, chunk):
    runner._write(campaigned, runner.columns_of(campaigned, 0, 3), chunk)


def other_campaign(campaigned, chunk):
    other = campaign.parse(CAMPAIGN + 'seed: 9\n', campaigned.scenario_text, 'campaign.yaml')
    runner._write(other, runner.columns_of(other, 0, other.runs), chunk)


def changed_number(campaigned, chunk):
    from pyarrow import parquet

    table = parquet.read_table(chunk)
    place = table.column_names.index('final_rate')
    values = table['final_rate'].to_numpy().copy()
    values[4] *= 2.0
    changed = table.set_column(place, table.schema.field(place), [values])
    parquet.write_table(changed.replace_schema_metadata(table.schema.metadata), chunk)


def cut(campaigned, chunk):
    chunk.write_bytes(chunk.read_bytes()[:-100])


@pytest.mark.parametrize(
    ('damage', 'said'),
    [
        (other_rows, 'holds 3 runs; 12 belong there'),
        (other_campaign, 'of another campaign'),
        (changed_number, 'its numbers are not those that were written'),
        (cut, 'cannot be read'),
    ],
)
def test_a_bad_chunk_is_named_and_computed_again(interrupted, damage, said):
    found, folder, chunk = interrupted
    whole = runner.columns_of(found, 0, found.runs)
    damage(found, chunk)
    lines = []
    table = runner.run(found, folder, lambda done, of: None, noted=lines.append)
    (line,) = lines
    assert str(chunk) in line
    assert said in line
    assert 'computed again' in line
    columns = runner.read(table)
    assert all(np.array_equal(columns[k], v, equal_nan=True) for k, v in whole.items())


def test_a_damaged_table_is_refused_and_kept(interrupted):
    found, folder, _ = interrupted
    table = runner.run(found, folder, lambda done, of: None, noted=pytest.fail)
    content = bytearray(table.read_bytes())
    content[4:200] = bytes(196)
    table.write_bytes(content)
    with pytest.raises(CampaignError, match='--overwrite computes it again'):
        runner.run(found, folder, lambda done, of: None)
    assert table.read_bytes() == content


# --- tables and commands -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('change', 'said'),
    [
        (lambda text: text.replace('\n', '\n1.0,2.0\n', 1), 'line 2 has 2 of 21 values'),
        (lambda text: text.replace('19.0', 'nineteen', 2), "line 2: .*'nineteen'"),
        (lambda text: text + ','.join(['nan'] * 21), r't \[s\] is nan in instant 5 of 5'),
        (lambda text: text + ','.join(['0.0'] * 21), 'time does not increase after 0.09375 s'),
        (lambda text: text + 'x' * 200_000, 'cannot be read'),
        (lambda text: text + '"\x00', 'cannot be read'),
        (lambda text: '', 'is neither a bag'),
        (lambda text: 'x' * 10_000_000, 'is neither a bag'),
        # Without a header:
        (lambda text: '1' * 10_000_000, 'line 1 has 1 of 13 values; without a header, a line is'),
        (lambda text: '1.0, ' * 13 + '\n' + '1.0, ' * 12, 'line 2 has 12 of 13 values'),
        (lambda text: '1.0;' * 13 + '\n\n' + '2.0;' * 12 + 'x', "line 3: .*'x'"),
        (lambda text: '1.0 ' * 13, 'holds 1 instants'),
        (lambda text: '1.0,' * 5 + ',' + '1.0,' * 7, "line 1: .*''"),
    ],
)
def test_a_damaged_table_names_the_line(tmp_path, change, said):
    path = tmp_path / 'run.csv'
    writer = history.CsvWriter(path)
    for tick in range(4):
        writer.write([tick / 32.0, *range(20)])
    writer.close()
    path.write_text(change(path.read_text().replace('\r', '')))
    with pytest.raises(RecordingError, match=said):
        history.read(path)


def test_a_table_is_a_regular_file(tmp_path):
    os.mkfifo(tmp_path / 'pipe.csv')
    for path in ('/dev/zero', tmp_path / 'pipe.csv'):
        with pytest.raises(RecordingError, match='is no table'):
            history.read(path)


def test_a_table_of_the_largest_size_is_read_and_a_larger_one_refused_with_that_size(tmp_path):
    path, most = tmp_path / 'sparse.csv', 3 * 2**20
    path.touch()
    os.truncate(path, most)
    with csv_file.lines_of(path, most) as lines:
        assert len(next(lines)) == csv_file.LONGEST_LINE
    os.truncate(path, most + 1)
    with pytest.raises(RecordingError, match='give a CSV file of at most 3 MiB$'):
        csv_file.lines_of(path, most).__enter__()


def test_a_bad_mcap_file_is_not_taken_for_a_table(command, tmp_path):
    (tmp_path / 'bad.mcap').write_bytes(b'hello')
    for arguments in (['plot'], ['replay', '--resimulate'], ['replay']):
        done = run(command, *arguments, tmp_path / 'bad.mcap')
        assert done.returncode == 2
        assert 'does not begin as an mcap file' in done.stderr
        assert done.stderr.count('\n') == 1


def test_a_reader_that_ends_is_no_error(command):
    done = subprocess.run(
        f'{command} scenarios | head -n 1', shell=True, capture_output=True, text=True, timeout=600
    )
    assert done.stdout.count('\n') == 1
    assert done.stderr == ''


def test_a_full_disk_is_one_line(command, bag, tmp_path):
    (tmp_path / 'x.png').symlink_to('/dev/full')
    done = run(command, 'plot', bag, '-o', tmp_path / 'x.png')
    assert done.returncode == 2
    assert 'No space left on device: what was being written is not whole' in done.stderr
    assert done.stderr.count('\n') == 1


def test_what_is_played_is_stamped_as_ros_can(tmp_path):
    with Writer(tmp_path / 'late', version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        topic = writer.add_connection('/a', 'std_msgs/msg/String', typestore=STORE)
        data = STORE.serialize_cdr(STRING(data='a'), 'std_msgs/msg/String')
        writer.write(topic, bags.END_OF_TIME, data)
    with bags.opened(tmp_path / 'late') as found, pytest.raises(RecordingError, match='stamped'):
        list(found.messages())
