# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim run`: start and end the nodes of a scenario in one process."""

from __future__ import annotations

import functools
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rclpy.executors import Executor
from rclpy.node import Node

from spacecraft_attitude_sim.configuration import (
    attitude_controller,
    attitude_estimator,
    attitude_guidance,
)
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.nodes.attitude_controller.node import AttitudeControllerNode
from spacecraft_attitude_sim.nodes.markers.node import MarkersNode
from spacecraft_attitude_sim.nodes.ros import session
from spacecraft_attitude_sim.nodes.ros.flight_node import FlightNode
from spacecraft_attitude_sim.nodes.ros.handover import Handover
from spacecraft_attitude_sim.nodes.simulator import contact
from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode
from spacecraft_attitude_sim.progress import ProgressLine
from spacecraft_attitude_sim.recording import history, topics
from spacecraft_attitude_sim.runs import open_loop, unheard_ticks, until
from spacecraft_attitude_sim.runs.aids import ON_ESTIMATE, aids_of, simulated_time
from spacecraft_attitude_sim.runs.run_observer import Progress, RunObserver
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.formation import Member
    from spacecraft_attitude_sim.core.simulation.energy_book import Entries
    from spacecraft_attitude_sim.nodes.recorder.node import RecorderNode
    from spacecraft_attitude_sim.runs.until import Until

# Longest wait for listeners to connect before the first tick, first in silence; for a viewer; and
# for all to receive the last tick [s].
CONNECT_SECONDS, SILENT_CONNECT_SECONDS = 20.0, 3.0
VIEWED_SECONDS = 5.0
DRAIN_SECONDS = 5.0
LAST_ANSWER_SECONDS = 1.0
# How long spacecraft in other processes must be silent at the end [s].
SILENT_SECONDS = 0.3
DIAGNOSTICS = '/diagnostics'
# Most connections that are named as missing.
MOST_NAMED = 4


class Outcome(NamedTuple):
    """How a run ended.

    ticks: number of simulated ticks;  simulated: their time [s]
    interrupted: whether a signal or a quit request ended it before its duration
    problems: what did not work as requested, one line each
    observers: {name of a spacecraft: its RunObserver}
    books: {name of a spacecraft with actuators: Entries of its energy book at the end}
    until: Until of the conditions to end it, or None
    """

    ticks: int
    simulated: float
    wall_seconds: float
    interrupted: bool
    problems: list[str]
    observers: dict[str, RunObserver]
    books: dict[str, Entries]
    until: Until | None = None


@dataclass(frozen=True)
class Wanted:
    """The requested nodes and files besides the simulators.

    record: folder of a new bag, or None
    csv: path of a table, or None; with several spacecraft, their names are appended to the file's
    markers: whether to publish markers
    controllers: whether to run the scenarios' own attitude_controllers
    viewed: whether to wait some time for one more listener, the viewer
    inputs: (namespace of a spacecraft, path of a table that commands it)
    until: (namespace of a spacecraft, '' for all; condition that ends the run)
    """

    record: Path | None = None
    csv: Path | None = None
    markers: bool = True
    controllers: bool = True
    viewed: bool = False
    inputs: tuple[tuple[str, Path], ...] = ()
    until: tuple[tuple[str, str], ...] = ()


def run(members: list[Member], ros_arguments: list[str], wanted: Wanted) -> Outcome:
    """Run spacecraft together until the duration is over or a signal arrives.

    ros_arguments: list that begins with --ros-args, or empty
    Raises ScenarioError, ParameterError, RecordingError or OSError before the first tick.
    """
    with ExitStack() as stack:
        stop = stack.enter_context(session.ros(ros_arguments))
        stop.starting = True
        tables = stack.enter_context(ExitStack())
        crafts: list[Craft] = []
        for member in members:
            driver = crafts[0].simulator.driver if crafts else None
            floor = member.sections.get('contact')
            simulator = SimulatorNode(
                source_of(member), autostart=False,
                contact=functools.partial(contact.offered, floor, **place_of(member)),
                configured=member.sections.get('simulator'), driver=driver, **place_of(member),
            )  # fmt: skip
            crafts.append(craft_of(member, simulator, wanted, len(members) > 1, tables))
        check_names([craft.simulator for craft in crafts])
        ends = until.watch(crafts, wanted.until)
        stop.starting = False  # from here on, the end must complete files
        recorder = recorder_of(wanted, members)
        every = [*_senders(crafts), *_listeners(crafts, recorder)]
        executor = session.executor_of(every, stop)
        nodes = RunNodes.of(crafts, recorder, stack.enter_context(executor), stop)
        stack.callback(unheard_ticks.begin(crafts, nodes))
        if wanted.viewed:
            nodes.wait(VIEWED_SECONDS, lambda: stop or nodes.viewed())
        observers = observers_of(crafts)
        stop.at_last += [tables.close, *([recorder.finish] if recorder else [])]
        wall_seconds, problems = nodes.run(Progress(nodes.simulator, observers))
        tables.close()  # before anything can hang
        time.sleep(nodes.simulator.driver.stays)
        return outcome_of(crafts, wall_seconds, bool(stop), problems)._replace(until=ends)


def outcome_of(
    crafts: list[Craft], wall_seconds: float, ended: bool, problems: list[str]
) -> Outcome:
    """Return the Outcome of a run; ended: whether a signal or a transition ended it."""
    simulator = crafts[0].simulator
    state = simulator.run
    ended = ended or state.quitting
    interrupted = ended and bool(simulator.value('duration')) and not state.completed
    simulated = state.ticks.seconds(state.tick)
    books = {
        craft.name: craft.simulator.energy_book.entries(craft.simulator.instant.state)
        for craft in crafts
        if craft.simulator.energy_book
    }
    return Outcome(
        state.tick, simulated, wall_seconds, interrupted, problems, observers_of(crafts), books
    )


class Craft(NamedTuple):
    """The nodes of one spacecraft.

    listeners: its markers node and its controller
    """

    name: str
    simulator: SimulatorNode
    listeners: list
    observer: RunObserver

    @property
    def senders(self) -> list:
        """The simulator and, on a floor, its contact node."""
        return [self.simulator, *([self.simulator.contact] if self.simulator.contact else [])]


def place_of(member: Member) -> dict[str, Any]:
    """Return the namespace of a spacecraft's nodes, as node options."""
    return {'namespace': member.namespace} if member.namespace else {}


def source_of(member: Member) -> str:
    """Return the name of a spacecraft in messages."""
    return f'{member.source}: {member.namespace}' if member.namespace else member.name


def craft_of(
    member: Member,
    simulator: SimulatorNode,
    wanted: Wanted,
    several: bool,
    stack: ExitStack,
    keep: Callable[[Node], None] = lambda node: None,
) -> Craft:
    """Return the nodes of a spacecraft: its simulator and the others.

    several: whether there are other spacecraft;  stack: ExitStack that closes its table
    keep: called with each node that is made
    """
    place, sections = place_of(member), member.sections
    simulator.warm_up()  # while listeners connect
    open_loop.follow(simulator, member, wanted.inputs)
    listeners: list = []
    if wanted.markers:
        listeners.append(MarkersNode(sections.get('markers'), **place))
        keep(listeners[-1])
    aids = aids_of(sections, simulator, place, keep)
    listeners += aids.values()
    estimated = attitude_estimator.NAME in aids
    reference_at = None
    if wanted.controllers and attitude_controller.NAME in sections:
        options = {**place, **(ON_ESTIMATE if estimated else {})}
        ours = AttitudeControllerNode(
            sections[attitude_controller.NAME], parameter_overrides=[simulated_time(simulator)],
            **options,
        )  # fmt: skip
        keep(ours)
        listeners.append(ours)
        open_loop.check_beside(simulator.commands.tables, ours)
        reference_at = ours.reference_from(aids.get(attitude_guidance.NAME))
    table = None
    if wanted.csv:
        table = history.CsvWriter(
            table_of(wanted.csv, member, several),
            simulator.contact is not None,
            simulator.scenario.plant,
        )
        stack.callback(table.close)
    observer = RunObserver(
        simulator.scenario, table, reference_at, simulator.tally, simulator.energy_book,
        aids.get(attitude_estimator.NAME),
    )  # fmt: skip
    simulator.observers.append(observer)
    return Craft(member.name, simulator, listeners, observer)


def observers_of(crafts: list[Craft]) -> dict[str, RunObserver]:
    """Return {name: RunObserver} of spacecraft."""
    return {craft.name: craft.observer for craft in crafts}


def _senders(crafts: list[Craft]) -> list:
    """Return the simulators of spacecraft and, on floors, their contact nodes."""
    return [node for craft in crafts for node in craft.senders]


def _listeners(crafts: list[Craft], recorder: RecorderNode | None) -> list:
    """Return the nodes that listen to them, with the recorder last."""
    listeners = [node for craft in crafts for node in craft.listeners]
    return [*listeners, *([recorder] if recorder else [])]


def _subscribers_by_topic(nodes: list) -> dict[str, int]:
    """Return {topic: least number of matched subscribers of a publisher of these nodes}."""
    counts: dict[str, int] = {}
    for node in nodes:
        for publisher in node.publishers:
            count = publisher.get_subscription_count()
            counts[publisher.topic_name] = min(count, counts.get(publisher.topic_name, count))
    return counts


def table_of(csv: Path, member: Member, several: bool) -> Path:
    """Return the path of the table of a spacecraft."""
    if not several:
        return csv
    return csv.with_name(f'{csv.stem}_{member.namespace.replace("/", "_")}{csv.suffix}')


def check_names(simulators: Sequence[SimulatorNode]) -> None:
    """Raise ParameterError if --ros-args has put several spacecraft under one name."""
    names = [simulator.get_fully_qualified_name() for simulator in simulators]
    if len(set(names)) < len(names):
        raise ParameterError(
            f'--ros-args gives {len(names)} spacecraft the name {names[0]}; leave __ns and __node '
            'out, for each has a namespace of its own'
        )


def recorder_of(wanted: Wanted, members: list[Member]) -> RecorderNode | None:
    """Return the recorder of the requested bag, which replaces a bag of the same name."""
    if not wanted.record:
        return None
    from spacecraft_attitude_sim.nodes.recorder.node import RecorderNode
    from spacecraft_attitude_sim.recording import bag_writer

    bag_writer.remove(wanted.record)
    return RecorderNode(wanted.record, members[0].sections.get('recorder'))


class RunNodes(NamedTuple):
    """The nodes of a run and the executor that spins them.

    simulators: of all spacecraft;  senders: these and, on floors, their contact nodes
    listeners: nodes that listen to them, including the recorder;  recorder: or None
    handover: of messages between simulators and flight nodes
    """

    simulators: list[SimulatorNode]
    senders: list
    listeners: list
    recorder: RecorderNode | None
    executor: Executor
    stop: session.StopRequest
    handover: Handover

    @classmethod
    def of(
        cls,
        crafts: list[Craft],
        recorder: RecorderNode | None,
        executor: Executor,
        stop: session.StopRequest,
    ) -> RunNodes:
        """Return the RunNodes of spacecraft."""
        simulators = [craft.simulator for craft in crafts]
        listeners = _listeners(crafts, recorder)
        senders = _senders(crafts)
        return cls(simulators, senders, listeners, recorder, executor, stop, Handover())

    @property
    def simulator(self) -> SimulatorNode:
        """The first simulator, whose driver runs all."""
        return self.simulators[0]

    def run(self, progress: Progress) -> tuple[float, list[str]]:
        """Connect, run to the end and deliver; return the wall time [s] and the problems."""
        try:
            problems = self._connect()
            if not problems:
                self._hand_over()
            self.wait(self.simulator.value('startup_delay'), lambda: bool(self.stop))
            wall_seconds = self._tick(progress)
            return wall_seconds, self.end(problems)
        finally:
            if self.recorder:
                self.recorder.finish()

    def _connect(self) -> list[str]:
        """Wait until every listener is connected; return what is not."""
        if self.wait(SILENT_CONNECT_SECONDS, lambda: self.stop or self.connected()):
            return []
        for problem in self.not_connected():
            self.simulator.get_logger().info(f'waits up to {CONNECT_SECONDS:g} s: {problem}')
        if self.wait(CONNECT_SECONDS, lambda: self.stop or self.connected()):
            return []
        return self.not_connected()

    def _hand_over(self) -> None:
        """In lockstep, let the nodes that answer each other do so without the middleware."""
        if not self.simulator.run.lockstep:
            return
        flying = [node for node in self.listeners if isinstance(node, FlightNode)]
        self.handover.between([*self.simulators, *flying])
        for simulator in self.simulators:
            simulator.hand_over(self.handover)

    def end(self, problems: list[str]) -> list[str]:
        """Deliver everything and end the recording; return the problems, earlier ones first."""
        line = ProgressLine()
        line.show('delivering the last messages')  # at once: while it waits, no thread can
        try:
            with line.saying('delivering the last messages'):
                return self._end(problems)
        finally:
            line.clear()

    def _end(self, problems: list[str]) -> list[str]:
        """Do what `end` says, without a word."""
        if self.stop:
            self.simulator.driver.hold()
        if not self._deliver():
            problems = [*problems, 'the recorder missed messages']
        if self.recorder:
            self.recorder.finish()
            if self.recorder.failure:
                problems = [self.recorder.failure]
        return [*problems, *([self.simulator.failure] if self.simulator.failure else [])]

    def wait(self, seconds: float, done: Callable[[], object]) -> bool:
        """Spin until done() is true or a wall time [s] has passed; return whether it is true."""
        limit = time.monotonic() + seconds
        while not (time.monotonic() > limit or done()):
            self.handover.spin_once(self.executor)
        return bool(done())

    def _tick(self, progress: Progress) -> float:
        """Run to the end and return the wall time it took [s]."""
        start = time.monotonic()
        self.simulator.driver.start()
        while not (self.stop or self.simulator.finished):
            self.handover.spin_once(self.executor)
            progress.show()
        progress.end()
        return time.monotonic() - start

    def _deliver(self) -> bool:
        """Spin until every message has arrived; return whether the recorder has all."""
        self.simulator.driver.finish()
        if self.simulator.run.lockstep:  # the answer to the last tick is part of the run
            self.wait(LAST_ANSWER_SECONDS, lambda: self.stop or self.simulator.run.answered)
        recorder = self.recorder
        whole = not recorder or self.wait(DRAIN_SECONDS, lambda: self._in(recorder))
        if recorder:
            self._wait_for_silence(recorder, self.simulator.driver.follower_names)
        self._say_status()
        return whole

    def _wait_for_silence(self, recorder: RecorderNode, names: Sequence[str]) -> None:
        """Spin until spacecraft in other processes are silent.

        The command that answers their last tick can arrive after their answer to the master.
        """
        began = heard_at = time.monotonic()
        count = -1
        while names and heard_at - began < DRAIN_SECONDS:
            now = sum(
                number
                for topic, number in recorder.counts.items()
                if topic.startswith(tuple(f'/{name}/' for name in names))
            )
            if now != count:
                count, heard_at = now, time.monotonic()
            elif time.monotonic() - heard_at > SILENT_SECONDS:
                return
            self.handover.spin_once(self.executor)

    def _say_status(self) -> None:
        """Publish the final diagnostics, and let the recorder receive them."""
        counts = self.recorder.counts if self.recorder else {}
        wanted = counts.get(DIAGNOSTICS, 0) + len(self.simulators)
        for simulator in self.simulators:
            simulator.diagnostics.publish()
        if DIAGNOSTICS in counts:
            self.wait(LAST_ANSWER_SECONDS, lambda: counts[DIAGNOSTICS] >= wanted)

    def connected(self) -> bool:
        """Return whether every listener is ready, connected, and has the latched messages."""
        return next(self._unconnected(), None) is None

    def not_connected(self) -> list[str]:
        """Return a line that names what was not connected before the first tick; [] if all was."""
        missing = '; '.join(itertools.islice(self._unconnected(), MOST_NAMED))
        return [f'before the first tick not all was connected: {missing}'] if missing else []

    def _unconnected(self) -> Iterator[str]:
        """Yield as text what is not ready or not connected."""
        for topic in self.recorder.unheard() if self.recorder else ():
            yield f'the recorder does not subscribe to {topic}'
        for node in self.listeners:
            if node is not self.recorder and not node.ready():
                name = node.get_fully_qualified_name()
                yield f'{name} does not hear what it needs; is it in another namespace?'
        wanted = Counter(sub.topic_name for node in self.listeners for sub in node.subscriptions)
        nodes = [*self.senders, *self.listeners]
        for topic, count in _subscribers_by_topic(nodes).items():
            if count < wanted[topic]:
                yield f'{topic} reaches {count} of its {wanted[topic]} subscribers in this process'
        if self.recorder and not self._in(self.recorder):
            yield f'{self.recorder.get_fully_qualified_name()} has not all latched messages'

    def viewed(self) -> bool:
        """Return whether another process subscribes to the odometry of every spacecraft."""
        return all(map(self._viewed, self.simulators))

    def _viewed(self, simulator: SimulatorNode) -> bool:
        topic = simulator.resolve_topic_name(topics.ODOMETRY)
        subscriptions = [sub for node in self.listeners for sub in node.subscriptions]
        here = sum(subscription.topic_name == topic for subscription in subscriptions)
        streams = {stream.topic_name: stream for stream in simulator.streams}
        return streams[topic].get_subscription_count() > here

    def _in(self, recorder: RecorderNode) -> bool:
        """Return whether a recorder has every tick and command, or has failed."""
        run = self.simulator.run
        instants = run.tick + 1 if run.started else 0
        expected = {
            publisher.topic_name: instants // node.every
            for node in self.listeners
            for publisher in node.streams
        }
        for node in (*self.simulators, *self.listeners):
            expected |= getattr(node, 'sent', {})
        # The last topic of a spacecraft in another process for a tick.
        others = self.simulator.driver.follower_names if run.answered else ()
        expected |= {f'/{name}/tick': instants for name in others}
        for simulator in self.simulators:
            if simulator.value('lockstep'):
                expected |= {
                    simulator.resolve_topic_name(topic): inbox.taken
                    for topic, inbox in simulator.commands.inboxes.items()
                }
        return bool(recorder.failure) or all(
            recorder.counts.get(topic, 0) >= count
            for topic, count in expected.items()
            if recorder.wants(topic)
        )
