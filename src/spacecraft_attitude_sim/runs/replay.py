# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Publish a bag with its own timing, or resimulate it and compare every bit."""

from __future__ import annotations

import itertools
import struct
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from rosbags.interfaces import QosDurability, QosReliability
from rosgraph_msgs.msg import Clock

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.recording import bag_reader, reader
from spacecraft_attitude_sim.recording.errors import RecordingError
from spacecraft_attitude_sim.recording.fields import moment_of
from spacecraft_attitude_sim.recording.topics import INPUTS, SCENARIO, known_as
from spacecraft_attitude_sim.safety.quoting import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from rclpy.node import Node

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.simulation import Instant, Plant
    from spacecraft_attitude_sim.nodes.ros.session import StopRequest
    from spacecraft_attitude_sim.recording.inputs_layout import RecordedInputs

    # {connection id: (publisher or None, whether latched)}
    Publishers = dict[int, tuple[Any, bool]]
    # {(topic, its moment_of): messages}
    Samples = dict[tuple[str, int], list[bytes]]

DEPTH = 64
TICK_TYPES = tick_messages.TYPES | tick_messages.CONTACT_TYPES


def _type_of(topic: str) -> Any:
    """Return the message class of a tick's topic."""
    return TICK_TYPES[known_as(topic)]


# --- play ---------------------------------------------------------------------------------------


class PlayOptions(NamedTuple):
    """How to publish a bag.

    rate: relative to real time, 0 is as fast as possible
    start: time to skip [s]; latched topics are published anyway
    loop: whether to start again at the end; time then jumps back, as with ros2 bag play --loop
    delay: wall time for subscribers to connect before the first message [s]
    """

    rate: float = 1.0
    start: float = 0.0
    loop: bool = False
    delay: float = 1.0


def play(
    path: Path,
    node: Node,
    stop: StopRequest,
    options: PlayOptions,
    progress: Callable[[float, float], object],
) -> None:
    """Publish a bag until its end or until `stop` is true.

    node: rclpy Node that publishes;  options: PlayOptions
    progress: called with the time in the bag and its length [s]
    Raises RecordingError.
    """
    with bag_reader.opened(path) as found:
        whole = found.duration * 1e-9
        if not 0.0 <= options.start <= whole:
            raise RecordingError(
                f'{path}: --start is {options.start} s; the bag lasts {whole:g} s'
            )
        publishers = _publishers(found, node)
        skipped: set[str] = set()
        _pause(options.delay, stop)
        first = found.start + int(options.start * 1e9)
        clock = None
        if not any(connection.topic == '/clock' for connection in found.connections):
            clock = node.create_publisher(Clock, '/clock', DEPTH)

        def publish(topic: str, publisher: Any, data: bytes) -> None:
            try:
                publisher.publish(bytes(data))
            except Exception as error:  # its C library's errors have no common type
                if topic not in skipped:
                    skipped.add(topic)
                    node.get_logger().warning(
                        f'{topic}: messages are left out that ROS cannot publish: {cut(error)}'
                    )

        _play_once(found, publishers, publish, clock, stop, first, options.rate, progress)
        while options.loop and not stop:
            _play_once(
                found, publishers, publish, clock, stop, found.start, options.rate, progress
            )


def _play_once(
    found: Any,
    publishers: Publishers,
    publish: Callable[[str, Any, bytes], None],
    clock: Any,
    stop: StopRequest,
    first: int,
    rate: float,
    progress: Callable[[float, float], object],
) -> None:
    """Publish a bag from `first` [ns] on; clock: publisher of /clock if the bag has none.

    publish: function of a topic, its publisher and a message of the bag
    """
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
        publish(connection.topic, publisher, data)
        progress((stamp - found.start) * 1e-9, found.duration * 1e-9)


def _publishers(recorded: Any, node: Node) -> Publishers:
    """Return {connection id: (publisher or None, whether latched)}."""
    found: Publishers = {}
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


def _pause(seconds: float, stop: StopRequest) -> None:
    """Sleep; a stop ends it within 0.2 s."""
    end = time.monotonic() + seconds
    while not stop and (left := end - time.monotonic()) > 0.0:
        time.sleep(min(left, 0.2))


# --- resimulate ------------------------------------------------------------------------------


class Verdict(NamedTuple):
    """The result of a resimulation.

    identical, compared: number of messages;  difference: text on the first one, or ''
    """

    identical: int
    compared: int
    difference: str


def resimulate(
    path: Path,
    progress: Callable[[int, int], object] = lambda tick, whole: None,
    namespace: str | None = None,
) -> Verdict:
    """Compute the run of a bag again from its scenario and inputs; return the Verdict.

    path: of the bag;  progress: called with the current and the last tick
    namespace: of the spacecraft, if the bag holds several
    Raises RecordingError if the bag cannot be read or lacks a needed topic.
    """
    scenarios, recorded, samples = _read(path, namespace)
    first = next(iter(scenarios.values()))
    makes = tick_messages.TickMessages(first)
    own = set(makes.makers)
    if not first.parameters['publish_clock']:
        own.discard('/clock')  # of another source
    samples = {key: data for key, data in samples.items() if key[0] in own}
    identical, compared, difference = 0, 0, ''
    for before, instant, settings, given in _instants(path, scenarios, recorded):
        for topic, message in makes.of(instant, settings, given):
            moment = moment_of(deserialize_message(message, _type_of(topic)))
            for data in samples.pop((topic, moment), ()):
                compared += 1
                found = _difference(topic, instant, message, data)
                if found and topic == tick_messages.WRENCH and before:
                    stamp = conversions.stamp_bytes(instant.stamp)
                    former = makes.applied_wrench(stamp, _former_applied_B(first, before, instant))
                    found = found if former != data else ''
                identical += not found
                difference = difference or found
        progress(instant.tick, recorded[-1].tick)
    if samples:
        count = sum(len(left) for left in samples.values())
        compared += count
        tick, topic = min((_tick(first, *key), key[0]) for key in samples)
        difference = (
            difference or f'{count} samples that no tick makes, from {topic} at tick {tick}'
        )
    around = first.plant.environment.surroundings
    if difference and around and around.older:
        difference += f'\n{around.older}'
    return Verdict(identical, compared, difference)


def _tick(found: Scenario, topic: str, moment: int) -> int:
    """Return the tick for a topic's `moment_of`."""
    return moment if topic == INPUTS else found.plant.ticks.at_stamp(moment)


def _read(
    path: Path, namespace: str | None
) -> tuple[dict[int, Scenario], list[RecordedInputs], Samples]:
    """Return {revision: Scenario}, [RecordedInputs] and {(topic, its moment_of): [bytes]}."""
    samples: dict[tuple[str, int], list[bytes]] = {}
    assembler = reader.Assembler([INPUTS], lambda text: scenario.parse(text, 'topic scenario'))

    def take(topic: str, message: Any, data: bytes) -> None:
        assembler.take(topic, message)
        if known_as(topic) in TICK_TYPES:
            samples.setdefault((topic, moment_of(message)), []).append(bytes(data))

    reader.read(path, take, (*TICK_TYPES, SCENARIO), namespace, truth=INPUTS)
    if not assembler.scenarios:
        raise RecordingError(f'{path}: holds no topic scenario; record all topics')
    recorded = [instant.inputs for instant in assembler.rest() if instant.inputs]
    if not recorded:
        raise RecordingError(f'{path}: topic {INPUTS} is empty; record from the beginning')
    return assembler.scenarios, recorded, samples


def _instants(
    path: Path, scenarios: Mapping[int, Scenario], recorded: Sequence[RecordedInputs]
) -> Iterator[tuple[Instant | None, Instant, tick_messages.Settings, bool]]:
    """Yield (previous Instant, Instant, Settings, whether the state was set) for every tick."""
    instant, revision = None, None
    for inputs in recorded:
        tick, previous = inputs.tick, instant
        if inputs.revision not in scenarios:
            raise RecordingError(
                f'{path}: revision {inputs.revision} of topic scenario is missing; record all '
                'topics from the beginning'
            )
        found = scenarios[inputs.revision]
        plant = found.plant
        if inputs.given and instant is None and inputs.elapsed:
            raise RecordingError(
                f'{path}: begins {inputs.elapsed} ticks after the start of its run; '
                'resimulation needs the run from its first tick on'
            )
        if inputs.given and (inputs.touch.size == 0) != (plant.contact is None):
            raise RecordingError(
                f'{path}: inputs of tick {tick} and topic scenario disagree on whether there is a '
                'floor'
            )
        internal = inputs.internal if inputs.given else None
        try:
            reader.check_parts(tick, plant.spacecraft, internal, inputs)
        except ValueError as error:
            raise RecordingError(f'{path}: {error}') from None
        if inputs.given:
            before = instant and instant.readings
            instant = _or_error(
                path, inputs, simulation.given_instant, plant, inputs.instant(), before
            )
        elif instant is None or instant.tick != tick - 1:
            raise RecordingError(
                f'{path}: inputs of tick {tick - 1} are missing; resimulation needs the run from '
                'its first tick on'
            )
        else:
            instant = _next(path, plant, instant, inputs, inputs.revision != revision)
        revision = inputs.revision
        settings = tick_messages.Settings(inputs.substeps, inputs.revision)
        yield previous, instant, settings, inputs.given


def _former_applied_B(found: Scenario, before: Instant, instant: Instant) -> Array:
    """Return ground_truth/applied_wrench (6,) [N, N m] of a free body as until 0.1.0.

    It was the mean over the tick, from the gained momentum; now it is the commanded wrench.
    """
    plant = found.plant
    weight_W = plant.body.mass * plant.gravity_W
    return loads.mean_wrench_B(before.state, instant.state, weight_W, plant.ticks.step)


def _next(
    path: Path, plant: Plant, instant: Instant, inputs: RecordedInputs, renewed: bool
) -> Instant:
    """Return the next Instant; renewed: whether the floor has changed in between."""
    if renewed:
        instant = _or_error(path, instant, simulation.with_plant, plant, instant)
    plant = plant.with_substeps(inputs.substeps)
    return _or_error(path, instant, simulation.next_instant, plant, instant, inputs.commanded())


def _or_error(
    path: Path,
    instant: Instant | RecordedInputs,
    function: Callable[..., Instant],
    *arguments: Any,
) -> Instant:
    """Return function(*arguments); raise RecordingError if the motion cannot be computed."""
    try:
        return function(*arguments)
    except (simulation.MotionError, ValueError) as error:
        raise RecordingError(
            f'{path}: tick {instant.tick + 1} cannot be computed from its inputs: {error}'
        ) from None


def _difference(topic: str, instant: Instant, expected: bytes, data: bytes) -> str:
    """Return as text where a recorded message differs from the expected one, or ''.

    It compares value by value, because the padding bytes of CDR are undefined.
    """
    if expected == data:
        return ''
    expected = deserialize_message(expected, _type_of(topic))
    where = f'{topic} at tick {instant.tick} ({instant.time} s)'
    try:
        recorded = deserialize_message(data, _type_of(topic))
    except Exception:  # the errors of its C library have no common type  # noqa: BLE001
        return f'{where}: ROS cannot read it'
    for field, was, should_be in _differences(expected, recorded, ''):
        return f'{where}: {field} is {was!r} in the bag, {should_be!r} computed again'
    return ''


def _differences(expected: Any, recorded: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield (field, recorded, expected) for every value that differs in any bit."""
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


def _same_bits(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return struct.pack('d', one) == struct.pack('d', other)
    return one == other
