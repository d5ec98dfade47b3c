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
from rosgraph_msgs.msg import Clock

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation, ticks
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.recording import bag_reader, history
from spacecraft_attitude_sim.recording.errors import RecordingError

DEPTH = 64
TICK_TYPES = tick_messages.TYPES | tick_messages.CONTACT_TYPES
TYPE_NAMES = {
    topic: f'{kind.__module__.split(".")[0]}/msg/{kind.__name__}'
    for topic, kind in TICK_TYPES.items()
}


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
    with bag_reader.opened(path) as found:
        whole = found.duration * 1e-9
        if not 0.0 <= options.start <= whole:
            raise RecordingError(
                f'{path}: --start is {options.start} s; the bag lasts {whole:g} s'
            )
        publishers = _publishers(found, node)
        _pause(options.delay, stop)
        first = found.start + int(options.start * 1e9)
        clock = None
        if not any(connection.topic == '/clock' for connection in found.connections):
            clock = node.create_publisher(Clock, '/clock', DEPTH)
        _play_once(found, publishers, clock, stop, first, options.rate, progress)
        while options.loop and not stop:
            _play_once(found, publishers, clock, stop, found.start, options.rate, progress)


def _play_once(found, publishers, clock, stop, first, rate, progress):
    """Publish the bag from the time `first` on; clock: a publisher where the bag has none."""
    began = time.monotonic()
    for connection, stamp, data in found.messages():
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
        progress((stamp - found.start) * 1e-9, found.duration * 1e-9)


def _publishers(recorded, node):
    """Return {connection id: (publisher or None, whether latched)}."""
    found = {}
    for connection in recorded.connections:
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


def resimulate(path, progress=lambda tick, whole: None, namespace=None):
    """Compute a bag's run again from its scenario and inputs; return the Verdict.

    namespace: of the spacecraft, where a bag holds several
    Raises RecordingError when the bag cannot be read or lacks what is needed.
    """
    recorded = _read(path, namespace)
    first = next(iter(recorded.scenarios.values()))
    makes = tick_messages.TickMessages(first)
    own = set(makes.topics)
    if not first.parameters['publish_clock']:
        own.discard('/clock')  # another's
    samples = {key: data for key, data in recorded.samples.items() if key[0] in own}
    identical, compared, difference = 0, 0, ''
    for before, instant, settings, given in _instants(path, recorded):
        for topic, message in makes.of(instant, instant.readings, settings, given):
            tick = _tick_of(deserialize_message(message, TICK_TYPES[topic]))
            for data in samples.pop((topic, tick), ()):
                compared += 1
                found = _difference(topic, tick, message, data)
                if found and topic == tick_messages.WRENCH and before:
                    former = makes.applied_wrench(tick, _former_applied_B(first, before, instant))
                    found = found if former != data else ''
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


def _read(path, namespace):
    scenarios, inputs, samples = {}, {}, {}
    suffix = 'ground_truth/inputs'
    with bag_reader.opened(path) as found:
        topics = [connection.topic for connection in found.connections]
        prefix = history.prefix_of_one_spacecraft(path, topics, namespace, suffix)
        names = {name if name[0] == '/' else prefix + name: name for name in TICK_TYPES}
        for connection, stamp, data in found.messages():
            if connection.topic == f'{prefix}scenario':
                text = found.decoded(connection, stamp, data, history.TYPES['scenarios']).data
                scenarios[scenario.revision(text)] = _scenario(path, text)
            elif name := names.get(connection.topic):
                message = found.decoded(connection, stamp, data, TYPE_NAMES[name])
                if name == suffix:
                    history.checked_inputs(path, message.data)
                    recomputed = tick_messages.inputs_from_ros(message)
                    inputs[recomputed.tick] = recomputed
                samples.setdefault((name, _tick_of(message)), []).append(bytes(data))
    if not scenarios:
        raise RecordingError(f'{path}: holds no topic scenario; record all topics')
    if not inputs:
        raise RecordingError(f'{path}: topic {suffix} is empty; record from the beginning')
    return _Recorded(scenarios, inputs, samples)


def _scenario(path, text):
    try:
        return scenario.parse(text, f'{path}: topic scenario')
    except scenario.ScenarioError as error:
        raise RecordingError(error) from None


def _tick_of(message):
    if hasattr(message, 'header'):
        return conversions.nanoseconds_from_ros(message.header.stamp) // ticks.TICK_NS
    if hasattr(message, 'clock'):
        return conversions.nanoseconds_from_ros(message.clock) // ticks.TICK_NS
    return int(message.data[0])


def _instants(path, recorded):
    """Yield (Instant before, Instant, Settings, given) of every tick, from the first on."""
    instant, revision = None, None
    for tick in sorted(recorded.inputs):
        data, previous = recorded.inputs[tick], instant
        if data.settings.revision not in recorded.scenarios:
            raise RecordingError(
                f'{path}: revision {data.settings.revision} of topic scenario is missing; record '
                'all topics from the beginning'
            )
        found = recorded.scenarios[data.settings.revision]
        plant = found.plant
        if data.instant and instant is None and data.instant.elapsed:
            raise RecordingError(
                f'{path}: begins {data.instant.elapsed} ticks after the start of its run; '
                'resimulation needs the run from its first tick on'
            )
        if data.instant and (data.instant.contact is None) != (plant.contact is None):
            raise RecordingError(
                f'{path}: inputs of tick {tick} and topic scenario disagree on whether there is a '
                'floor'
            )
        if data.instant:
            before = instant and instant.readings
            instant = _or_error(
                path, data.instant, simulation.given_instant, plant, data.instant, before
            )
        elif instant is None or instant.tick != tick - 1:
            raise RecordingError(
                f'{path}: inputs of tick {tick - 1} are missing; resimulation needs the run from '
                'its first tick on'
            )
        else:
            renewed = data.settings.revision != revision
            instant = _next(path, plant, instant, data, renewed)
        revision = data.settings.revision
        yield previous, instant, data.settings, data.instant is not None


def _former_applied_B(found, before, instant):
    """Return (6,) what ground_truth/applied_wrench of a free body was until 0.1.0.

    The mean of a tick, of the momentum gained, where it is now what was commanded.
    """
    plant = found.plant
    weight_W = plant.body.mass * plant.gravity_W
    return loads.mean_wrench_B(before.state, instant.state, weight_W, ticks.TICK_SECONDS)


def _next(path, plant, instant, data, renewed):
    """Return the Instant after another; renewed: the floor has changed meanwhile."""
    if renewed:
        instant = _or_error(path, instant, simulation.with_plant, plant, instant)
    plant = plant.with_substeps(data.settings.substeps)
    return _or_error(path, instant, simulation.next_instant, plant, instant, data.inputs)


def _or_error(path, instant, function, *arguments):
    """Return what a function does; RecordingError where the recorded motion cannot be followed."""
    try:
        return function(*arguments)
    except (simulation.MotionError, ValueError) as error:
        raise RecordingError(
            f'{path}: tick {instant.tick + 1} cannot be computed from its inputs: {error}'
        ) from None


def _difference(topic, tick, expected, data):
    """Say where a recorded message differs from the expected one; '' where it does not.

    Compared value by value, because the padding of a serialised message is undefined.
    """
    if expected == data:
        return ''
    expected = deserialize_message(expected, TICK_TYPES[topic])
    try:
        recorded = deserialize_message(data, TICK_TYPES[topic])
    except Exception:  # what its C library says, of no common type  # noqa: BLE001
        return f'{topic} at tick {tick} ({ticks.seconds(tick)} s): ROS cannot read it'
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
