# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Subscribe to the command topics; reject invalid commands with a log line."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from geometry_msgs.msg import PoseStamped, Vector3Stamped, WrenchStamped
from sensor_msgs.msg import JointState

from spacecraft_attitude_sim.core.actuators.inputs import COMMANDED, VECTOR
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation.commands import CommandRefusedError
from spacecraft_attitude_sim.flight.inboxes import Inboxes
from spacecraft_attitude_sim.nodes.ros import conversions, qos, stamped_wrench
from spacecraft_attitude_sim.nodes.ros.sources import Sources
from spacecraft_attitude_sim.nodes.simulator.answer_poll import AnswerPoll
from spacecraft_attitude_sim.recording import topics
from spacecraft_attitude_sim.safety.quoting import cut, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence, Set

    from rclpy.subscription import MessageInfo

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.actuators import Inputs
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion
    from spacecraft_attitude_sim.core.simulation.commands import CommandInbox
    from spacecraft_attitude_sim.core.simulation.joint_commands import JointCommands
    from spacecraft_attitude_sim.core.simulation.run_state import RunState
    from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
    from spacecraft_attitude_sim.recording.input_table import InputTable


WRENCH, IMPULSE = topics.COMMAND, topics.IMPULSE_COMMAND
# What a controller says beside: where it points.
REFERENCE = topics.REFERENCE
# {topic of commands to actuators: one of them, in a word}
ACTUATORS = {one.topic: one.word for one in COMMANDED.values()}
TOPIC_OF = {what: topic for topic, what in ACTUATORS.items()}
TOPICS = (WRENCH, IMPULSE, *ACTUATORS)
# {topic: the sensor whose reading it answers}; all others answer the IMU.
ANSWERS = {TOPIC_OF['magnetorquer']: 'magnetometer'}
# How the commands of several nodes combine.
OF_ONE = 'for one {} only the latest command counts; in lockstep a second one is refused'
# The hint for a node whose second answer in a tick is rejected.
NAME_FRAMES = 'list in lockstep_frames all frames in which a node commands at each tick'


class Commands:
    """The command topics of a simulator node and the inbox they fill.

    Every publisher of a topic is a separate source. In lockstep a tick is complete when each
    source of the topics in `lockstep_topics` has answered it. One answer in any frame is enough; a
    source that uses one of `lockstep_frames` must answer in each of these. Whether an answer is
    accepted depends only on the messages of its own source, so that runs are repeatable.

    node: the simulator, for subscriptions and log;  run: RunState
    on_answer: called when the current tick is complete

    held: Inboxes, of which inbox is the CommandInbox, actuators {topic: JointCommands}
    tables: InputTables that command beside the nodes
    """

    def __init__(
        self,
        node: GuardedNode,
        scenario: Scenario,
        run: RunState,
        on_answer: Callable[[], None],
    ) -> None:
        values = scenario.parameters
        in_lockstep = values['lockstep_topics'] if values['lockstep'] else ()
        exclusive = [what for topic, what in ACTUATORS.items() if topic in in_lockstep]
        self.held = Inboxes(scenario, exclusive)
        self.inbox, self._base = self.held.wrenches, scenario.base_frame
        self.actuators: dict[str, Any] = {
            TOPIC_OF[kind]: own for kind, own in self.held.actuators.items()
        }
        self.sources = {topic: Sources(node, topic) for topic in (WRENCH, IMPULSE)}
        self.sources |= {
            topic: Sources(node, topic, OF_ONE.format(what)) for topic, what in ACTUATORS.items()
        }
        self._node, self._run = node, run
        self._lockstep = values['lockstep']
        self._interval = values['lockstep_interval'] or values['imu.interval']
        self._awaited: dict[str, set[bytes]] = {
            topic: set() for topic in values['lockstep_topics']
        }
        self._excused: Set[str] = frozenset()  # topics that need not answer the tick
        self._latencies = scenario.sensors.latencies
        # {topic: {source: names of the places in which it has answered}}
        self._answers: dict[str, dict[bytes, set[str]]] = {topic: {} for topic in TOPICS}
        self._world = values['frames.world']
        self._frames = {self.inbox.place(frame).name for frame in values['lockstep_frames']}
        self._several: set[bytes] = set()  # sources for which a warning was logged
        self._left_out: set[bytes] = set()
        self._spoken: set[bytes] = set()
        self._on_answer = on_answer
        self._poll = AnswerPoll(run, lambda: self.answered)
        self._full_names = list(map(node.resolve_topic_name, values['lockstep_topics']))
        self.tables: list[InputTable] = []
        self._by_table: dict[str, dict[str, str]] = {}  # {topic: {actuator: path of its table}}
        for topic, act in ((WRENCH, self.inbox.hold), (IMPULSE, self.inbox.strike)):
            take = functools.partial(self._take_wrench, topic, act)
            self._subscribe(WrenchStamped, topic, take, raw=True)
        turned = {values['frames.imu']: scenario.sensors.imu.mounting}
        self._frames_of_body = {**turned, **self.held.frames}
        for topic in self.actuators:
            vector = topics.COMMANDS[topic] == VECTOR
            kind = Vector3Stamped if vector else JointState
            command = self._command_dipole if vector else self._command_joints
            take = functools.partial(self._take_message, topic, command)
            self._subscribe(kind, topic, take)

    @property
    def wheels(self) -> JointCommands | None:
        """The JointCommands of the wheels, or None."""
        return self.actuators.get(COMMANDED['wheels'].topic)

    @property
    def inboxes(self) -> dict[str, CommandInbox | JointCommands]:
        """{topic: the object that holds its commands}."""
        return {WRENCH: self.inbox, **self.actuators}

    def follow(self, tables: Iterable[InputTable]) -> None:
        """Apply InputTables from the next tick on; in lockstep they answer each tick.

        From then on, an actuator with a column ignores the commands of nodes.
        """
        self.tables = list(tables)
        for table in self.tables:
            if table.wrenches is not None:
                self._by_table.setdefault(WRENCH, {})
            for kind, names in table.commanded.items():
                of_topic = self._by_table.setdefault(TOPIC_OF[kind], {})
                of_topic |= dict.fromkeys(names, table.path)

    def follow_reference(self, take: Callable[[Quaternion], object]) -> None:
        """Hand each control/reference to take(q_WR (4,)); in lockstep each tick waits for its own.

        So what is judged by it repeats, whichever of the answers to a tick comes first.
        """
        self.sources[REFERENCE] = Sources(self._node, REFERENCE, 'the latest counts')
        self._answers[REFERENCE] = {}
        if self._lockstep:
            self._awaited[REFERENCE] = set()

        def act(topic: str, message: PoseStamped, source: bytes) -> None:
            take(self._reference_of(message))

        on_message = functools.partial(self._take_message, REFERENCE, act)
        self._subscribe(PoseStamped, REFERENCE, on_message)

    def _subscribe(self, kind: Any, topic: str, take: Callable[..., None], **options: Any) -> None:
        self._poll.subscriptions.append(
            self._node.create_subscription(kind, topic, take, qos.EVERY_ONE, **options)
        )

    def answer_later(self, later: Callable[[Callable[[], None]], None]) -> None:
        """Tell that the tick is complete by later(call) instead of at once."""
        self._on_answer = functools.partial(later, self._on_answer)

    def take(self, q_WB: Quaternion) -> Inputs:
        """Return the Inputs of the tick that begins at attitude q_WB (4,), and count it."""
        inputs = self.held.take(q_WB)
        for table in self.tables:
            inputs = table.over(inputs, self._run.elapsed)
        return inputs

    # --- lockstep -----------------------------------------------------------------------------

    @property
    def answered(self) -> bool:
        """Whether every awaited source has answered the current tick.

        A tick without a sensor reading needs no answer, be it not due or kept back by a fault.
        """
        if not self._latencies and self._run.elapsed % self._interval:
            return True
        for topic, awaited in self._awaited.items():  # faster than all(…)
            if self._is_excused(topic) or (not awaited and topic in self._by_table):
                continue
            if not awaited or not self._answers[topic] or not awaited <= self._complete(topic):
                return False
        return True

    @property
    def answered_by_tables(self) -> bool:
        """Whether tables answer every tick and no node does."""
        return all(
            topic in self._by_table and not self.sources[topic].present()
            for topic in self._awaited
        )

    @property
    def awaited_topics(self) -> list[str]:
        """The topics whose commands a tick waits for."""
        return list(self._awaited)

    def lacking(self) -> list[str]:
        """Return the topics of `lockstep_topics` that nobody publishes."""
        return [
            topic
            for topic in self._awaited
            if topic not in self._by_table and not self.sources[topic].present()
        ]

    def await_present(self) -> None:
        """Wait for the present sources, without those left out unless no other remains."""
        for topic, awaited in self._awaited.items():
            present = self.sources[topic].present()
            awaited.clear()
            awaited.update(present - self._left_out or present)

    def begin_tick(self, kept_back: Set[str] = frozenset()) -> None:
        """Clear the answers to the previous tick.

        kept_back: names of the sensors whose reading a fault keeps back: nobody can answer it
        """
        self._excused = kept_back and frozenset(
            topic for topic in self._awaited if ANSWERS.get(topic, 'imu') in kept_back
        )
        for answers in self._answers.values():
            answers.clear()
        self.held.begin_tick()

    def _is_excused(self, topic: str) -> bool:
        """Return whether no reading comes at the current tick that a topic could answer."""
        if topic in self._excused or not self._latencies:
            return topic in self._excused
        elapsed = self._run.elapsed - self._latency_of(topic)  # when the reading was made
        return elapsed < 0 or elapsed % self._interval > 0

    def _latency_of(self, topic: str) -> int:
        """Return the latency of the sensor whose reading a topic answers [ticks]."""
        return self._latencies.get(ANSWERS.get(topic, 'imu'), 0)

    def missing(self) -> list[str]:
        """Return the names of the sources that have not answered, sorted."""
        return sorted(
            f'{self.sources[topic].name(source)} ({topic}{self._lacking_frames(topic, source)})'
            for topic, awaited in self._awaited.items()
            if not self._is_excused(topic)
            for source in awaited - self._complete(topic)
        )

    def owed(self) -> bool:
        """Return whether a source that answered before, or a whole topic, lacks an answer."""
        return any(
            (awaited - self._complete(topic)) & self._spoken
            or not (self._complete(topic) or (topic in self._by_table and not awaited))
            for topic, awaited in self._awaited.items()
            if not self._is_excused(topic)
        )

    def leave_out_missing(self) -> None:
        """Stop waiting for sources that have not answered, until they answer."""
        for topic, awaited in self._awaited.items():
            self._left_out |= awaited - self._complete(topic)
        self.await_present()

    def leave_out_speechless(self) -> list[str]:
        """Stop waiting for sources that never answer where others do; return their names."""
        names = []
        for topic, awaited in self._awaited.items():
            speechless = awaited - self._answers[topic].keys() - self._spoken
            if self._answers[topic] and speechless:
                names += [f'{self.sources[topic].name(source)} ({topic})' for source in speechless]
                self._left_out |= speechless
                awaited -= speechless
        if names and self.answered:
            self._on_answer()
        return sorted(names)

    def drop_gone(self) -> None:
        """Stop waiting for sources that have left; this may complete the tick."""
        for topic, awaited in self._awaited.items():
            present = self.sources[topic].present()
            if awaited - present and present:
                awaited &= present
        if self.answered and any(self._answers.values()):
            self._on_answer()

    def _complete(self, topic: str) -> Set[bytes]:
        """Return the set of sources that have answered the current tick completely."""
        if not self._frames:
            return self._answers[topic].keys()
        return {
            source
            for source, answered in self._answers[topic].items()
            if not answered & self._frames or answered >= self._frames
        }

    def _lacking_frames(self, topic: str, source: bytes) -> str:
        """Return as text the frames in which a source still has to answer; '' for none."""
        answered = self._answers[topic].get(source)
        return f' in {", ".join(sorted(self._frames - answered))}' if answered else ''

    # --- messages -----------------------------------------------------------------------------

    def _take_wrench(
        self, topic: str, act: Callable[..., str], data: bytes, information: MessageInfo
    ) -> None:
        """Pass a wrench or an impulse to the inbox; act: its method `hold` or `strike`."""
        stamp, frame, force, torque = stamped_wrench.from_bytes(data)

        def obey(source: bytes) -> str:
            return act(frame, force, torque, source)

        self._take(topic, stamp, frame, obey, information)

    def _take_message(
        self,
        topic: str,
        act: Callable[[str, Any, bytes], None],
        message: Any,
        information: MessageInfo,
    ) -> None:
        """Pass an actuator command to `act`; all commands of a topic count as one place."""
        header = message.header

        def obey(source: bytes) -> str:
            act(topic, message, source)
            return topic

        stamp = conversions.nanoseconds_from_ros(header.stamp)
        self._take(topic, stamp, header.frame_id, obey, information)

    def _check_free(self, topic: str, names: Sequence[str]) -> None:
        """Reject a command to actuators that follow a table."""
        for name, path in self._by_table.get(topic, {}).items():
            if name in names:
                raise CommandRefusedError(
                    f"{ACTUATORS[topic]} '{name}' follows {path}; leave its column out, or do not "
                    'command it'
                )

    def _command_joints(self, topic: str, message: JointState, source: bytes) -> None:
        self._check_free(topic, message.name)
        self.actuators[topic].command(
            message.name, message.effort, message.velocity, message.position, source
        )

    def _command_dipole(self, topic: str, message: Vector3Stamped, source: bytes) -> None:
        frame = message.header.frame_id
        self._check_free(topic, self.actuators[topic].kind.names)
        if frame not in self._frames_of_body:
            raise CommandRefusedError(
                f'frame_id is {quoted(frame)}; a dipole is fixed to the body: valid are '
                f'{", ".join(self._frames_of_body)}'
            )
        dipole = conversions.vector3_from_ros(message.vector)
        q_BF = self._frames_of_body[frame].q_BF
        if q_BF is not self._base.q_BF:
            dipole = rotations.rotate(q_BF, dipole)
        self.actuators[topic].share(dipole, source)

    def _reference_of(self, message: PoseStamped) -> Quaternion:
        """Return q_WR (4,) of a control/reference."""
        frame = message.header.frame_id
        if frame not in ('', self._world):
            raise CommandRefusedError(f"frame_id is {quoted(frame)}; give it in '{self._world}'")
        q_WR = conversions.quaternion_from_ros(message.pose.orientation)
        try:
            return rotations.unit_quaternion(q_WR, 'orientation')
        except ValueError as error:
            raise CommandRefusedError(str(error)) from None

    def _take(
        self,
        topic: str,
        stamp: int,
        frame: str,
        obey: Callable[[bytes], str],
        information: MessageInfo,
    ) -> None:
        """Accept or reject a message; obey(source) applies it and returns its place's name."""
        try:
            source = self._source(topic, information)
            self._check_stamp(topic, source, stamp, frame)
            place = obey(source)
        except CommandRefusedError as reason:
            self._refuse(topic, reason)
            return
        if self._lockstep and topic in self._awaited:
            self._answers[topic].setdefault(source, set()).add(place)
            self._awaited[topic].add(source)
            if stamp:
                self._spoken.add(source)  # a zero stamp may be copied or just missing
            self._left_out.discard(source)
        if topic == WRENCH and self.inbox.held_by(source) > 1:
            self._tell_of_several(source)
        if self.answered:
            self._on_answer()
            self._poll.look(self._full_names)

    def _source(self, topic: str, information: MessageInfo) -> bytes:
        source, gone = self.sources[topic].of(information)
        for departed in gone:
            self.inbox.forget(departed)
            self._several.discard(departed)
            for commands in self.actuators.values():
                commands.forget(departed)
        return source

    def _tell_of_several(self, source: bytes) -> None:
        """Warn once that a source holds wrenches in several frames, which may be a mistake."""
        if source not in self._several:
            held_in = self.inbox.held_in(source)
            self._several.add(source)
            self._node.get_logger().warning(
                f'{self.sources[WRENCH].name(source)} holds a wrench in each of '
                f'{cut(", ".join(held_in))}: they add up; publish zeros in a frame to end one'
            )

    def _check_stamp(self, topic: str, source: bytes, stamp: int, frame: str) -> None:
        """Reject a stamp that is not the current time; zero means now, but not in lockstep."""
        tick = self._run.tick
        now = self._run.ticks.stamp(tick)
        if self._lockstep and topic in self._awaited:
            if not self._run.started:
                raise CommandRefusedError(
                    'lockstep has not started; command after the first IMU message'
                )
            read = self._run.ticks.stamp(tick - self._latency_of(topic))
            if stamp != read:
                last = read - stamp == self._run.ticks.tick_ns
                data = '' if read == now else f' and its data are of {read} ns'
                raise CommandRefusedError(
                    f'stamp is {stamp} ns, but tick {tick} is at {now} ns{data}; in '
                    'lockstep copy the stamp of the data into the command'
                    + (f', and {NAME_FRAMES}' if last else '')
                )
            self._check_first_answer(topic, source, frame)
            return
        if stamp < 0:
            raise CommandRefusedError(f'stamp is {stamp} ns; time begins at 0')
        if stamp > now:
            raise CommandRefusedError(
                f'stamp is {(stamp - now) / 1e9:.6g} s ahead of simulated time; copy it from the '
                'IMU message, use_sim_time, or leave it zero'
            )
        held_for = self.inbox.timeout_ticks * self._run.ticks.tick_ns
        if topic != IMPULSE and stamp and now - stamp > held_for:
            raise CommandRefusedError(f'stale: its stamp is {(now - stamp) / 1e9:.6g} s old')

    def _check_first_answer(self, topic: str, source: bytes, frame: str) -> None:
        """Reject a second answer, unless both are in different frames of `lockstep_frames`."""
        answered = self._answers[topic].get(source)
        if not answered:
            return
        place = self.inbox.place(frame).name if topic in (WRENCH, IMPULSE) else topic
        if answered <= self._frames and place in self._frames - answered:
            return
        elsewhere = '' if place in answered else f', in {place}: {NAME_FRAMES}'
        raise CommandRefusedError(
            f'a second command of {self.sources[topic].name(source)} for tick '
            f'{self._run.tick}{elsewhere}'
        )

    def _refuse(self, topic: str, reason: CommandRefusedError) -> None:
        self.inbox.refuse(f'{topic}: {reason}')
        if self._node.may_speak(topic):
            self._node.get_logger().warning(f'{topic} refused: {cut(reason)}')
