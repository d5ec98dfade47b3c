# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Publishes a bag with its own timing, or computes it again and compares every bit."""

import itertools
import struct
import time
from typing import NamedTuple

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from rosbags.interfaces import QosDurability, QosReliability
from rosbags.rosbag2 import Reader, ReaderError
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String

from spacecraft_attitude_sim.core import sensors, simulation, ticks
from spacecraft_attitude_sim.files import scenario
from spacecraft_attitude_sim.files.errors import RecordingError
from spacecraft_attitude_sim.files.recording import damage
from spacecraft_attitude_sim.nodes import conversions, messages

DEPTH = 64
TICK_TYPES = messages.TYPES | messages.CONTACT_TYPES


def open_bag(path):
    """Return an open Reader; raise RecordingError saying what is wrong with the bag."""
    reader = Reader(path)
    try:
        reader.open()
    except (ReaderError, OSError) as error:
        raise RecordingError(f'{path}: cannot be read: {error}') from None
    return reader


# --- play ---------------------------------------------------------------------------------------


class PlayOptions(NamedTuple):
    """How a bag is published.

    rate: speed, 0 is as fast as possible;  start: seconds to skip, but for latched topics
    loop: begin again at the end; time then jumps back, as with ros2 bag play
    delay: wall time for subscribers to connect before the first message [s]
    """

    rate: float = 1.0
    start: float = 0.0
    loop: bool = False
    delay: float = 1.0


def play(path, node, stop, options, progress):
    """Publish a bag until its end or until `stop` is true.

    options: PlayOptions;  progress: called with the time in the bag and its length [s]
    Raises RecordingError.
    """
    reader = open_bag(path)
    whole = reader.duration * 1e-9
    if not 0.0 <= options.start <= whole:
        raise RecordingError(f'{path}: --start is {options.start} s; the bag lasts {whole:g} s')
    publishers = _publishers(reader, node)
    _pause(options.delay, stop)
    first = reader.start_time + int(options.start * 1e9)
    clock = None
    if not any(connection.topic == '/clock' for connection in reader.connections):
        clock = node.create_publisher(Clock, '/clock', DEPTH)
    _play_once(reader, publishers, clock, stop, first, options.rate, progress)
    while options.loop and not stop:
        _play_once(reader, publishers, clock, stop, reader.start_time, options.rate, progress)


def _play_once(reader, publishers, clock, stop, first, rate, progress):
    """Publish the bag from the time `first` on; clock: a publisher where the bag has none."""
    began = time.monotonic()
    for connection, stamp, data in reader.messages():
        publisher, latched = publishers[connection.id]
        if publisher is None or (stamp < first and not latched):
            continue
        if rate > 0.0:
            _pause(began + (stamp - first) * 1e-9 / rate - time.monotonic(), stop)
        if stop:
            return
        if clock:
            clock.publish(Clock(clock=conversions.time_from_nanoseconds(stamp)))
        publisher.publish(bytes(data))
        progress((stamp - reader.start_time) * 1e-9, reader.duration * 1e-9)


def _publishers(reader, node):
    """Return {connection id: (publisher or None, whether latched)}."""
    found = {}
    for connection in reader.connections:
        try:
            kind = conversions.message_class(connection.msgtype)
        except (ImportError, AttributeError):
            node.get_logger().warning(
                f'{connection.topic} is not played: {connection.msgtype} is not installed'
            )
            found[connection.id] = (None, False)
            continue
        qos = QoSProfile(depth=DEPTH)
        offered = connection.ext.offered_qos_profiles
        latched = any(o.durability == QosDurability.TRANSIENT_LOCAL for o in offered)
        if latched:
            qos.durability = DurabilityPolicy.TRANSIENT_LOCAL
        if any(o.reliability == QosReliability.BEST_EFFORT for o in offered):
            qos.reliability = ReliabilityPolicy.BEST_EFFORT
        found[connection.id] = (node.create_publisher(kind, connection.topic, qos), latched)
    return found


def _pause(seconds, stop):
    """Sleep, but notice a stop within a fifth of a second."""
    end = time.monotonic() + seconds
    while not stop and (left := end - time.monotonic()) > 0.0:
        time.sleep(min(left, 0.2))


# --- compute again ------------------------------------------------------------------------------


class Verdict(NamedTuple):
    """What a comparison found.

    identical, compared: numbers of samples;  difference: the first one, in words, or ''
    """

    identical: int
    compared: int
    difference: str


class _Recorded(NamedTuple):
    """What a bag holds of a simulation.

    scenarios: {revision: Scenario};  inputs: {tick: Recomputed of ground_truth/inputs}
    samples: {(topic, tick of the stamp): [bytes]}
    """

    scenarios: dict
    inputs: dict
    samples: dict


def resimulate(path, progress=lambda tick, whole: None):
    """Compute a bag's run again from its scenario and inputs; return the Verdict.

    Raises RecordingError when the bag cannot be read or lacks what is needed.
    """
    recorded = _read(path)
    makes = messages.TickMessages(next(iter(recorded.scenarios.values())))
    samples = {key: data for key, data in recorded.samples.items() if key[0] in makes.topics}
    identical, compared, difference = 0, 0, ''
    for instant, readings, settings, given in _instants(path, recorded):
        for topic, message in makes.of(instant, readings, settings, given).items():
            tick = _tick_of(deserialize_message(message, TICK_TYPES[topic]))
            for data in samples.pop((topic, tick), ()):
                compared += 1
                found = _difference(topic, tick, message, data)
                identical += not found
                difference = difference or found
        progress(instant.tick, max(recorded.inputs))
    if samples:
        count = sum(len(left) for left in samples.values())
        compared += count
        topic, tick = min(samples, key=lambda key: key[1])
        difference = (
            difference or f'{count} samples that no tick makes, from {topic} at tick {tick}'
        )
    return Verdict(identical, compared, difference)


def _read(path):
    reader, found, inputs, samples = open_bag(path), {}, {}, {}
    suffix = 'ground_truth/inputs'
    prefixes = [c.topic[: -len(suffix)] for c in reader.connections if c.topic.endswith(suffix)]
    if len(prefixes) != 1:
        raise RecordingError(
            f'{path}: holds {len(prefixes)} topics {suffix}; resimulation needs exactly one'
        )
    (prefix,) = prefixes
    names = {name if name[0] == '/' else prefix + name: name for name in TICK_TYPES}
    try:
        for connection, _, data in reader.messages():
            if connection.topic == f'{prefix}scenario':
                text = deserialize_message(bytes(data), String).data
                found[scenario.revision(text)] = scenario.parse(text, f'{path}: topic scenario')
            elif connection.topic in names:
                name = names[connection.topic]
                message = deserialize_message(bytes(data), TICK_TYPES[name])
                tick = _tick_of(message)
                samples.setdefault((name, tick), []).append(bytes(data))
                if name == suffix:
                    inputs[tick] = messages.inputs_from_ros(message)
    except (ReaderError, scenario.ScenarioError) as error:
        raise RecordingError(f'{path}: {damage(reader) or error}') from None
    except Exception as error:  # a damaged message makes rclpy raise what its C library says
        raise RecordingError(f'{path}: {connection.topic} cannot be decoded: {error}') from None
    if not found:
        raise RecordingError(f'{path}: holds no topic scenario; record all topics')
    return _Recorded(found, inputs, samples)


def _tick_of(message):
    if hasattr(message, 'header'):
        return conversions.nanoseconds_from_ros(message.header.stamp) // ticks.TICK_NS
    if hasattr(message, 'clock'):
        return conversions.nanoseconds_from_ros(message.clock) // ticks.TICK_NS
    return int(message.data[0])


def _instants(path, recorded):
    """Yield (Instant, Readings, Settings, given) of every tick, computed from the first on."""
    instant, readings, revision = None, None, None
    for tick in sorted(recorded.inputs):
        data = recorded.inputs[tick]
        if data.settings.revision not in recorded.scenarios:
            raise RecordingError(
                f'{path}: revision {data.settings.revision} of topic scenario is missing; record '
                'all topics from the beginning'
            )
        found = recorded.scenarios[data.settings.revision]
        plant = found.plant
        if data.instant and readings is None and data.instant.elapsed:
            raise RecordingError(
                f'{path}: begins {data.instant.elapsed} ticks after the start of its run; '
                'resimulation needs the run from its first tick on'
            )
        if data.instant:
            instant = data.instant
        elif instant is None or instant.tick != tick - 1:
            raise RecordingError(
                f'{path}: inputs of tick {tick - 1} are missing; resimulation needs the run from '
                'its first tick on'
            )
        else:
            if data.settings.revision != revision:
                instant = simulation.with_plant(plant, instant)
            plant = plant._replace(substeps=data.settings.substeps)
            instant = _or_error(path, simulation.next_instant, plant, instant, data.inputs)
        revision = data.settings.revision
        readings = _or_error(path, sensors.read, found.sensors, plant.body, instant, readings)
        yield instant, readings, data.settings, data.instant is not None


def _or_error(path, function, *arguments):
    """Return what a function does; RecordingError where the recorded motion cannot be followed."""
    try:
        return function(*arguments)
    except simulation.MotionError as error:
        raise RecordingError(f'{path}: cannot be computed again: {error}') from None


def _difference(topic, tick, expected, data):
    """Say where a recorded message differs from the expected one; '' where it does not.

    Compared value by value, because the padding of a serialised message is undefined.
    """
    if expected == data:
        return ''
    expected, recorded = (deserialize_message(m, TICK_TYPES[topic]) for m in (expected, data))
    for field, was, should_be in _differences(expected, recorded, ''):
        return (
            f'{topic} at tick {tick} ({ticks.seconds(tick)} s): {field} is {was!r} in the bag, '
            f'{should_be!r} computed again'
        )
    return ''


def _differences(expected, recorded, path):
    """Yield (field, recorded, expected) of every value that is not the same to the last bit."""
    if hasattr(expected, 'get_fields_and_field_types'):
        for field in expected.get_fields_and_field_types():
            yield from _differences(
                getattr(expected, field), getattr(recorded, field), f'{path}.{field}'.lstrip('.')
            )
    elif hasattr(expected, '__len__') and not isinstance(expected, str):
        pairs = itertools.zip_longest(expected, recorded)
        for index, (one, other) in enumerate(pairs):
            yield from _differences(one, other, f'{path}[{index}]')
    elif not _same_bits(expected, recorded):
        yield path, recorded, expected


def _same_bits(one, other):
    if isinstance(one, float) and isinstance(other, float):
        return struct.pack('d', one) == struct.pack('d', other)
    return one == other
