# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Assemble the messages of one spacecraft, live or from a bag, instant by instant.

It takes any object with the fields of the message, so messages of rclpy and of rosbags both work.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.configuration import recorded_scenario
from spacecraft_attitude_sim.configuration.scenario import Scenario
from spacecraft_attitude_sim.configuration.scenario_file import ScenarioError
from spacecraft_attitude_sim.core import actuators
from spacecraft_attitude_sim.core.actuators.inputs import MODES, NOTHING
from spacecraft_attitude_sim.core.body.state import State
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3
from spacecraft_attitude_sim.core.simulation import Inputs, Instant, Plant
from spacecraft_attitude_sim.core.spacecraft import internal_telemetry as telemetry
from spacecraft_attitude_sim.core.ticks import DEFAULT, Ticks
from spacecraft_attitude_sim.recording import (
    bag_reader,
    floor_sheet,
    inputs_layout,
    knowledge_history,
    topics,
)
from spacecraft_attitude_sim.recording.errors import RecordingError
from spacecraft_attitude_sim.recording.fields import quaternion_from_ros, tick_of, vector3_from_ros
from spacecraft_attitude_sim.recording.floor_sheet import Sheet
from spacecraft_attitude_sim.recording.inputs_layout import RecordedInputs

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.simulation import Spacecraft

# Most scenarios and floor sheets remembered from live topics, which may be untrusted. A sheet has
# 10 kB, or up to 100 kB from an untrusted source.
MOST_SCENARIOS, MOST_SHEETS = 16, 1024
# Most messages that wait for the scenario, which normally comes first. After that the default tick
# rate is assumed.
MOST_EARLY = 1024
# {topic that is read: its type}.
_TYPES = {**topics.TYPES, **topics.ESTIMATED}


class RecordedInstant(NamedTuple):
    """The received data of one instant; a missing part is an empty array.

    tick: from the stamps;  elapsed: ticks since the last start or reset, the time of a floor
    received: topics of the messages that it is made of
    scenario: the one in force, None if its text was not received
    sheet: the last Sheet of a floor until then, or None;  inputs: RecordedInputs or None
    position_W, q_WB, velocity_B, omega_B: of the body [m, -, m/s, rad/s]
    angular_momentum_W: (3,) about the centre of mass [N m s]
    internal: of State, as set and then changed by motors; NaN after a missing tick
    wheel_speeds: (n,) from joint_states, relative to the body, then those of other joints [rad/s]
    motor_torques: (n,) on the rotors in the tick that ends here [N m], then torques of gimbals and
        forces of thrusters [N m, N]
    joint_angles: (n,) of all joints [rad], none for ideal wheels
    dipole_B: (3,) of the magnetorquers [A m^2]
    displacements: of coordinates, then (3,) of each pendulum, as in ground_truth/internal_parts
        [rad, m, sqrt(kg) m];  slug_rates: (3,) of each slug relative to the body [rad/s]
    point_W, contact_force_W: contact point, force of the floor [m, N];  q_WR: reference attitude
    q_WS_known, covariance_S: (4,), (9,) of an estimator, of the IMU in its axes [-, rad^2]
    nis, innovations: {sensor: its NIS, and how many components it compared} of the estimator
    ticks: Ticks of its run
    """

    tick: int
    elapsed: int
    received: frozenset[str]
    scenario: Scenario | None
    sheet: Sheet | None
    inputs: RecordedInputs | None = None
    position_W: Vector3 = NOTHING
    q_WB: Quaternion = NOTHING
    velocity_B: Vector3 = NOTHING
    omega_B: Vector3 = NOTHING
    angular_momentum_W: Vector3 = NOTHING
    internal: Array = NOTHING
    wheel_speeds: Array = NOTHING
    motor_torques: Array = NOTHING
    joint_angles: Array = NOTHING
    dipole_B: Vector3 = NOTHING
    displacements: Array = NOTHING
    slug_rates: Array = NOTHING
    point_W: Vector3 = NOTHING
    contact_force_W: Vector3 = NOTHING
    q_WR: Quaternion = NOTHING
    q_WS_known: Quaternion = NOTHING
    covariance_S: Array = NOTHING
    nis: Mapping[str, float] = {}
    innovations: Mapping[str, int] = {}
    ticks: Ticks = DEFAULT

    @property
    def stamp(self) -> int:
        """Simulated time [ns]."""
        return self.ticks.stamp(self.tick)

    def simulated(self, plant: Plant) -> Instant:
        """Return the Instant of a Plant, without readings and contact.

        Its internal states are NaN if neither earlier ticks nor the wheel speeds give them.
        Raises ValueError if the plant has other actuators than the message.
        """
        inputs = self.inputs.commanded() if self.inputs else Inputs()
        momentum_W = plant.body.mass * rotations.rotate(self.q_WB, self.velocity_B)
        internal = self._internal(plant.spacecraft)
        state = State(self.position_W, self.q_WB, momentum_W, self.angular_momentum_W, internal)
        state = telemetry.with_origin_at(plant.spacecraft, state)
        parts = plant.spacecraft.actuators
        drive = actuators.drive(parts, inputs, internal, self.ticks.step)
        return Instant(self.tick, state, inputs, self.elapsed, drive, ticks=self.ticks)

    def _internal(self, spacecraft: Spacecraft) -> Array:
        """Return State.internal (n,); h = J (Ω + a·ω) if earlier ticks do not give it."""
        check_parts(self.tick, spacecraft, self.internal, self.inputs)
        wheels, told = spacecraft.part('reaction_wheels'), np.isfinite(self.internal).all()
        if wheels is None or wheels.detailed or told or self.wheel_speeds.size != wheels.number:
            return self.internal
        return wheels.momenta(self.wheel_speeds, self.omega_B)


def check_parts(
    tick: int, spacecraft: Spacecraft, internal: Array | None, inputs: RecordedInputs | None
) -> None:
    """Raise ValueError if the inputs of a tick do not fit actuators and faults of a spacecraft.

    internal: of State, or None if not known
    """
    wanted = inputs_layout.widths_of(spacecraft)
    sizes = {part: getattr(inputs, part).size if inputs else 0 for part in wanted}
    found = [
        (sizes[part], mode.word or kind, wanted[part])
        for part, (kind, mode) in MODES.items()
        if sizes[part] not in (0, wanted[part])
    ]
    if sizes['faults'] not in (0, wanted['faults']):
        found.append((sizes['faults'], 'faults', wanted['faults']))
    states = inputs_layout.states_of(spacecraft)
    if internal is not None and internal.size != states:
        what = 'states of actuators' if spacecraft.coupled else 'wheels'
        found.insert(0, (internal.size, what, states))
    for size, what, count in found:
        raise ValueError(
            f'inputs of tick {tick} are of {size} {what}, and topic scenario has {count}'
        )


def _motion(message: Any) -> tuple[Vector3, ...]:
    pose, twist = message.pose.pose, message.twist.twist
    return (
        vector3_from_ros(pose.position),
        quaternion_from_ros(pose.orientation),
        vector3_from_ros(twist.linear),
        vector3_from_ros(twist.angular),
    )


# {topic: (fields of a RecordedInstant, function that reads them from a message)}. Commands are not
# among them: anyone may set their stamps, and the inputs hold their effect.
PARTS: dict[str, tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]] = {
    topics.ODOMETRY: (('position_W', 'q_WB', 'velocity_B', 'omega_B'), _motion),
    topics.MOMENTUM: (('angular_momentum_W',), lambda m: (vector3_from_ros(m.vector),)),
    topics.INPUTS: (('inputs',), lambda m: (inputs_layout.unpack(m),)),
    topics.JOINTS: (
        ('wheel_speeds', 'motor_torques', 'joint_angles'),
        lambda m: tuple(
            np.array(part, dtype=float) for part in (m.velocity, m.effort, m.position)
        ),
    ),
    topics.DIPOLE: (('dipole_B',), lambda m: (vector3_from_ros(m.vector),)),
    topics.INTERNAL_PARTS: (('displacements',), lambda m: (np.array(m.position, dtype=float),)),
    topics.SLUG_RATES: (('slug_rates',), lambda m: (np.array(m.velocity, dtype=float),)),
    topics.POINT: (('point_W',), lambda m: (vector3_from_ros(m.point),)),
    topics.FORCE: (('contact_force_W',), lambda m: (vector3_from_ros(m.wrench.force),)),
    topics.REFERENCE: (('q_WR',), lambda m: (quaternion_from_ros(m.pose.orientation),)),
    topics.ESTIMATE: (('q_WS_known', 'covariance_S'), knowledge_history.attitude),
    topics.CONSISTENCY: (('nis',), knowledge_history.nis),
    topics.INNOVATIONS: (('innovations',), knowledge_history.innovations),
    **dict.fromkeys(topics.COMMANDS, ((), lambda m: ())),
}


class Assembler:
    """Collects the messages of one spacecraft by tick.

    wanted: topics of PARTS to collect; an instant with all of them is complete
    parse: makes the Scenario from a text of topic scenario, or raises ValueError
    check: called with the arrays of a message; raises ValueError for unusable values
    live: whether to drop old data, because live messages have no end

    scenarios: {revision: Scenario};  scenario: the last one received, or None
    """

    def __init__(
        self,
        wanted: Iterable[str],
        parse: Callable[[str], Scenario],
        check: Callable[[str, tuple[Any, ...]], None] = lambda topic, parts: None,
        live: bool = False,
    ) -> None:
        self.wanted = frozenset(wanted)
        self.scenarios: dict[int, Scenario] = {}
        self.scenario: Scenario | None = None
        self._parse, self._check, self._live = parse, check, live
        self._text: str | None = None
        self._early: list[tuple[Any, Callable[[int], None]]] = []
        self._waiting: dict[int, dict[str, tuple[Any, ...]]] = {}  # tick -> topic -> parts
        self._sheets: list[tuple[int, int, Sheet]] = []  # heap of (tick, arrival number, Sheet)
        self._arrivals = itertools.count()
        self._sheet: Sheet | None = None
        self._start = self._last = 0  # tick of the last start or reset, and last tick
        self._internal = NOTHING

    @property
    def _ticks(self) -> Ticks:
        """The Ticks of the run; the default if its scenario was not received."""
        return self.scenario.plant.ticks if self.scenario else DEFAULT

    def take(self, topic: str, message: Any) -> None:
        """Take a message; ValueError if it is unusable (a text that continues "the message …")."""
        if topic == topics.SCENARIO:
            self._take_scenario(message.data)
            self._settle()
        elif topic == topics.FLOOR:
            piece = floor_sheet.sheet_of(message)
            self._at_its_tick(message, lambda tick: self._put_sheet(tick, piece))
        elif topic in self.wanted:
            parts = PARTS[topic][1](message)
            self._check(topic, parts)
            self._at_its_tick(message, lambda tick: self._put_parts(tick, topic, parts))

    def _at_its_tick(self, message: Any, put: Callable[[int], None]) -> None:
        """Call `put` with the tick of a message, when the scenario has given the tick rate."""
        if self.scenario is None and len(self._early) < MOST_EARLY:
            self._early.append((message, put))
            return
        self._settle()
        put(tick_of(message, self._ticks))

    def _settle(self) -> None:
        """Process the messages that waited for the scenario; use default ticks without one."""
        early, self._early = self._early, []
        for message, put in early:
            put(tick_of(message, self._ticks))

    def _put_parts(self, tick: int, topic: str, parts: tuple[Any, ...]) -> None:
        self._waiting.setdefault(tick, {})[topic] = parts

    def _put_sheet(self, tick: int, piece: Sheet) -> None:
        heapq.heappush(self._sheets, (tick, next(self._arrivals), piece))
        if self._live and len(self._sheets) > MOST_SHEETS:
            heapq.heappop(self._sheets)

    def complete(self, most_waiting: int) -> Iterator[RecordedInstant]:
        """Yield the complete instants in order.

        If more than `most_waiting` wait, the oldest is yielded incomplete: a message was lost.
        """
        while self._waiting:
            tick = min(self._waiting)
            if not self._is_complete(self._waiting[tick]):
                if len(self._waiting) <= most_waiting:
                    return
                tick = next(iter(self._waiting))
            yield self._instant(tick)

    def rest(self, before: float = math.inf) -> list[RecordedInstant]:
        """Return the waiting instants in order, complete or not.

        before: return only those of earlier ticks
        """
        self._settle()
        return [self._instant(tick) for tick in sorted(self._waiting) if tick < before]

    @property
    def newest(self) -> int | None:
        """The latest waiting tick, or None."""
        return max(self._waiting, default=None)

    def forget(self, but: int = 0) -> None:
        """Drop the waiting instants, except the `but` ones that were received last."""
        if not but:
            self._early.clear()
        while len(self._waiting) > but:
            del self._waiting[next(iter(self._waiting))]

    def _take_scenario(self, text: str) -> None:
        if text == self._text:
            return
        found, revision = self._parse(text), recorded_scenario.revision(text)
        self._text, self.scenario = text, found
        self.scenarios.pop(revision, None)
        self.scenarios[revision] = found
        if self._live and len(self.scenarios) > MOST_SCENARIOS:
            del self.scenarios[next(iter(self.scenarios))]

    def _is_complete(self, received: dict[str, tuple[Any, ...]]) -> bool:
        inputs = received.get(topics.INPUTS)
        known = inputs is None or inputs[0].revision in self.scenarios
        return known and received.keys() == self.wanted

    def _instant(self, tick: int) -> RecordedInstant:
        """Return an instant and remove it from those that wait."""
        received = self._waiting.pop(tick)
        parts: dict[str, Any] = {}
        for topic, values in received.items():
            parts.update(zip(PARTS[topic][0], values, strict=True))
        while self._sheets and self._sheets[0][0] <= tick:
            self._sheet = heapq.heappop(self._sheets)[2]
        inputs, found = parts.get('inputs'), self.scenario
        if inputs:
            found = self.scenarios.get(inputs.revision)
            if inputs.given:
                self._start = tick - inputs.elapsed
            parts['internal'] = self._internal = self._internal_after(inputs)
            self._last = tick
        elapsed = tick - self._start
        return RecordedInstant(
            tick, elapsed, frozenset(received), found, self._sheet, **parts, ticks=self._ticks
        )

    def _internal_after(self, inputs: RecordedInputs) -> Array:
        """Return State.internal (n,) after the inputs of a tick."""
        torques = inputs.wheel_torque
        if inputs.given or inputs.internal.size:
            return inputs.internal
        if inputs.tick != self._last + 1 or torques.size != self._internal.size:
            return np.full(torques.size, np.nan)
        return self._internal + self._ticks.step * torques


def read(
    path: Any,
    take: Callable[[str, Any, bytes], None],
    wanted: Iterable[str],
    namespace: str | None = None,
    truth: str = topics.ODOMETRY,
) -> None:
    """Call take(topic, message, bytes) for each message of one spacecraft in a bag.

    wanted: topics, for named sensors as in topics.TYPES;  truth: a topic of every spacecraft
    namespace: of the spacecraft, if the bag holds several
    Raises RecordingError for a bag that cannot be read, and if `take` raises ValueError.
    """
    read_several(path, {namespace: take}, wanted, truth)


def read_several(
    path: Any,
    takers: Mapping[str | None, Callable[[str, Any, bytes], None]],
    wanted: Iterable[str],
    truth: str = topics.ODOMETRY,
) -> None:
    """Call the `take` of each spacecraft for its messages in a bag, as `read` does for one.

    takers: {namespace: take}
    """
    with bag_reader.opened(path) as bag:
        every = [connection.topic for connection in bag.connections]
        names: dict[str, tuple[str, Callable[[str, Any, bytes], None]]] = {}
        for namespace, take in takers.items():
            prefix = prefix_of_one_spacecraft(path, every, namespace, truth)
            for name in _there(wanted, every, prefix):
                names[name if name[0] == '/' else prefix + name] = name, take
        for connection, stamp, data in bag.messages():
            if connection.topic not in names:
                continue
            topic, take = names[connection.topic]
            decode = bag.stamped if topic in topics.STAMPS_ONLY else bag.decoded
            message = decode(connection, stamp, data, _TYPES[topics.known_as(topic)])
            try:
                take(topic, message, data)
            except ScenarioError as error:
                raise RecordingError(f'{path}: {error}') from None
            except ValueError as error:
                raise RecordingError(f'{path}: a message of topic {topic} {error}') from None


def _there(wanted: Iterable[str], every: Iterable[str], prefix: str) -> Iterator[str]:
    """Yield the wanted topics; those with * are replaced by the matching ones of the bag."""
    for name in wanted:
        if '*' not in name:
            yield name
            continue
        for topic in every:
            own = topic.removeprefix(prefix)
            if topic.startswith(prefix) and topics.known_as(own) == name:
                yield own


def instants(
    path: Any, assembler: Assembler, namespace: str | None = None
) -> list[RecordedInstant]:
    """Return the instants of one spacecraft in a bag, in order, complete or not.

    assembler: a new Assembler;  namespace: as in `read`
    Raises RecordingError.
    """
    read(
        path,
        lambda topic, message, data: assembler.take(topic, message),
        (*assembler.wanted, topics.SCENARIO, topics.FLOOR),
        namespace,
    )
    return assembler.rest()


def namespaces(path: Any, truth: str = topics.ODOMETRY) -> list[str]:
    """Return the sorted namespaces of the spacecraft in a bag; truth: a topic that each has.

    Raises RecordingError for a bag that cannot be read.
    """
    with bag_reader.opened(path) as bag:
        return prefixes({connection.topic for connection in bag.connections}, truth)


def topics_of(path: Any, namespace: str | None = None, truth: str = topics.ODOMETRY) -> set[str]:
    """Return the topics of one spacecraft in a bag, without its namespace; as for `read`."""
    with bag_reader.opened(path) as bag:
        every = [connection.topic for connection in bag.connections]
    prefix = prefix_of_one_spacecraft(path, every, namespace, truth)
    return {topic.removeprefix(prefix) for topic in every if topic.startswith(prefix)}


def prefixes(every: Iterable[str], truth: str) -> list[str]:
    """Return the sorted prefixes of the spacecraft's topics."""
    return sorted(topic.removesuffix(truth) for topic in every if topic.endswith(f'/{truth}'))


def prefix_of_one_spacecraft(
    path: Any, every: Iterable[str], namespace: str | None, truth: str
) -> str:
    """Return the topic prefix of one spacecraft in a bag.

    every: topics of the bag;  truth: a topic of every spacecraft
    namespace: of the spacecraft, if there are several
    Raises RecordingError if there is none, or several and no namespace.
    """
    found = prefixes(every, truth)
    have = ', '.join(prefix[:-1] or '/' for prefix in found) or 'none'
    if namespace is not None:
        wanted = f'/{namespace.strip("/")}/'.replace('//', '/')
        if wanted in found:
            return wanted
        raise RecordingError(f'{path}: holds no spacecraft in {wanted[:-1] or "/"}; it has {have}')
    if not found:
        raise RecordingError(f'{path}: holds 0 topics {truth}; record all topics of a spacecraft')
    if len(found) > 1:
        raise RecordingError(
            f'{path}: holds {len(found)} topics {truth}, of spacecraft {have}; '
            'choose one with --namespace'
        )
    return found[0]
