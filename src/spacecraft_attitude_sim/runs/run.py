# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim run`: the nodes of a scenario in one process, started and ended together."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rclpy.executors import Executor
from rclpy.parameter import Parameter

from spacecraft_attitude_sim.configuration import attitude_controller
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.nodes.attitude_controller.node import AttitudeControllerNode
from spacecraft_attitude_sim.nodes.markers.node import MarkersNode
from spacecraft_attitude_sim.nodes.ros import session
from spacecraft_attitude_sim.nodes.simulator import contact
from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode
from spacecraft_attitude_sim.recording import history, topics
from spacecraft_attitude_sim.runs.run_observer import Progress, RunObserver

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.formation import Member
    from spacecraft_attitude_sim.nodes.recorder.node import RecorderNode
    from spacecraft_attitude_sim.nodes.simulator.contact import ContactNode
    from spacecraft_attitude_sim.nodes.simulator.driver import Driver

# How long listeners may take to connect before the first tick, and to receive the last [s].
CONNECT_SECONDS = 5.0
DRAIN_SECONDS = 5.0
LAST_ANSWER_SECONDS = 1.0


class Outcome(NamedTuple):
    """How a run ended.

    ticks: how many were simulated;  simulated: their time [s]
    interrupted: whether a signal or a request to quit ended it before its duration
    problems: what did not go as asked, one line each
    observers: {name of a spacecraft: its RunObserver}
    """

    ticks: int
    simulated: float
    wall_seconds: float
    interrupted: bool
    problems: list[str]
    observers: dict[str, RunObserver]


@dataclass(frozen=True)
class Wanted:
    """What is to run beside the simulators.

    record: folder of a new bag, or None;  csv: path of a table, or None; of several spacecraft
        each has one, its name behind that of the file
    markers: whether markers are published
    controllers: whether the scenarios' own attitude_controllers run along
    viewed: wait for one more listener than those here, a viewer, for a while
    """

    record: Path | None = None
    csv: Path | None = None
    markers: bool = True
    controllers: bool = True
    viewed: bool = False


def run(members: list[Member], ros_arguments: list[str], wanted: Wanted) -> Outcome:
    """Run spacecraft together until the duration is over or a signal arrives.

    ros_arguments: list that begins with --ros-args, or empty
    Raises ScenarioError, ParameterError, RecordingError or OSError before the first tick.
    """
    with ExitStack() as stack:
        stop = stack.enter_context(session.ros(ros_arguments))
        stop.starting = True
        crafts: list[Craft] = []
        for member in members:
            driver = crafts[0].simulator.driver if crafts else None
            crafts.append(_craft(member, driver, wanted, len(members) > 1, stack))
        _check_names(crafts)
        simulator = crafts[0].simulator
        stop.starting = False  # from here on an end must leave files whole
        recorder = None
        if wanted.record:
            recorder = _recorder(wanted.record, members[0].sections.get('recorder'))
        listeners = [node for craft in crafts for node in craft.listeners]
        senders = [node for craft in crafts for node in craft.senders]
        listeners += [recorder] if recorder else []
        executor = stack.enter_context(session.executor_of([*senders, *listeners], stop))
        simulators = [craft.simulator for craft in crafts]
        nodes = RunNodes(simulators, senders, listeners, recorder, executor, stop)
        if wanted.viewed:
            nodes.wait(CONNECT_SECONDS, lambda: stop or nodes.viewed())
        observers = {craft.name: craft.observer for craft in crafts}
        wall_seconds, problems = nodes.run(Progress(simulator, observers))
        state = simulator.run
        ended = bool(stop) or state.quitting
        interrupted = ended and bool(simulator.value('duration')) and not state.completed
        simulated = state.ticks.seconds(state.tick)
        return Outcome(state.tick, simulated, wall_seconds, interrupted, problems, observers)


class Craft(NamedTuple):
    """The nodes of one spacecraft.

    floor: its ContactNode, or None;  listeners: its markers and its controller
    """

    name: str
    simulator: SimulatorNode
    floor: ContactNode | None
    listeners: list
    observer: RunObserver

    @property
    def senders(self) -> list:
        """The simulator and, on a floor, its contact node."""
        return [self.simulator, *([self.floor] if self.floor else [])]


def _craft(
    member: Member, driver: Driver | None, wanted: Wanted, several: bool, stack: ExitStack
) -> Craft:
    """Return the nodes of a spacecraft; driver: of the run it joins, None for the first."""
    place = {'namespace': member.namespace} if member.namespace else {}
    sections = member.sections
    floor = contact.offered(sections.get('contact'), **place)
    source = f'{member.source}: {member.namespace}' if member.namespace else member.name
    simulator = SimulatorNode(
        source, autostart=False, contact=floor, configured=sections.get('simulator'),
        driver=driver, **place,
    )  # fmt: skip
    simulator.warm_up()  # while listeners connect
    table = None
    if wanted.csv:
        table = history.CsvWriter(table_of(wanted.csv, member, several), floor is not None)
        stack.callback(table.close)
    listeners: list = [MarkersNode(sections.get('markers'), **place)] if wanted.markers else []
    reference_at = None
    if wanted.controllers and attitude_controller.NAME in sections:
        ours = _controller(simulator, sections[attitude_controller.NAME], place)
        listeners.append(ours)
        reference_at = ours.reference_at
    observer = RunObserver(simulator.scenario, table, reference_at)
    simulator.observers.append(observer)
    return Craft(member.name, simulator, floor, listeners, observer)


def table_of(csv: Path, member: Member, several: bool) -> Path:
    """Return the path of the table of a spacecraft."""
    if not several:
        return csv
    return csv.with_name(f'{csv.stem}_{member.namespace.replace("/", "_")}{csv.suffix}')


def _check_names(crafts: list[Craft]) -> None:
    """Raise ParameterError where --ros-args has put several spacecraft under one name."""
    names = [craft.simulator.get_fully_qualified_name() for craft in crafts]
    if len(set(names)) < len(names):
        raise ParameterError(
            f'--ros-args gives {len(names)} spacecraft the name {names[0]}; leave __ns and __node '
            'out, for each has a namespace of its own'
        )


def _controller(
    simulator: SimulatorNode, configured: dict, place: dict[str, str]
) -> AttitudeControllerNode:
    # A pause of the simulation is no silence of the IMU; but /clock may be another's.
    simulated = Parameter('use_sim_time', value=simulator.driver.publishes_clock)
    return AttitudeControllerNode(configured, parameter_overrides=[simulated], **place)


def _recorder(folder: Path, configured: dict | None) -> RecorderNode:
    """Return the recorder of a new bag, which replaces one of the same name."""
    from spacecraft_attitude_sim.nodes.recorder.node import RecorderNode
    from spacecraft_attitude_sim.recording import bag_writer

    bag_writer.remove(folder)
    return RecorderNode(folder, configured)


class RunNodes(NamedTuple):
    """The nodes of a run and the executor that spins them.

    simulators: of all spacecraft;  senders: these and, on floors, their contact nodes
    listeners: nodes that hear them, the recorder among them;  recorder: or None
    """

    simulators: list[SimulatorNode]
    senders: list
    listeners: list
    recorder: RecorderNode | None
    executor: Executor
    stop: session.StopRequest

    @property
    def simulator(self) -> SimulatorNode:
        """The first, by which the run of all is driven."""
        return self.simulators[0]

    def run(self, progress: Progress) -> tuple[float, list[str]]:
        """Connect, run to the end and drain; return the wall time [s] and the problems."""
        problems = []
        try:
            if not self.wait(CONNECT_SECONDS, lambda: self.stop or self._connected()):
                problems.append(self._not_connected())
            self.wait(self.simulator.value('startup_delay'), lambda: bool(self.stop))
            wall_seconds = self._tick(progress)
            if not self._deliver():
                problems.append('the recorder missed messages')
        finally:
            if self.recorder:
                self.recorder.finish()
        if self.recorder and self.recorder.failure:
            problems = [self.recorder.failure]
        if self.simulator.failure:
            problems.append(self.simulator.failure)
        return wall_seconds, problems

    def wait(self, seconds: float, done: Callable[[], object]) -> bool:
        """Spin until done() is true or a wall time [s] is over; return whether it is true."""
        limit = time.monotonic() + seconds
        session.spin_until(self.executor, lambda: time.monotonic() > limit or done())
        return bool(done())

    def _tick(self, progress: Progress) -> float:
        """Run to the end and return the wall time it took [s]."""
        start = time.monotonic()
        self.simulator.start()
        while not (self.stop or self.simulator.finished):
            session.spin_once(self.executor)
            progress.show()
        progress.end()
        return time.monotonic() - start

    def _deliver(self) -> bool:
        """Spin until everything published has arrived; return whether the recorder has it."""
        self.simulator.finish()
        if self.simulator.run.lockstep:  # the answer to the last tick belongs to the run
            self.wait(LAST_ANSWER_SECONDS, lambda: self.stop or self.simulator.run.answered)
        recorder = self.recorder
        return not recorder or self.wait(DRAIN_SECONDS, lambda: self._in(recorder))

    def _connected(self) -> bool:
        """Return whether every listener is ready and matched with its publishers."""
        wanted = Counter(sub.topic_name for node in self.listeners for sub in node.subscriptions)
        nodes = [*self.senders, *self.listeners]
        publishers = [publisher for node in nodes for publisher in node.publishers]
        return all(node.ready() for node in self.listeners) and all(
            publisher.get_subscription_count() >= wanted[publisher.topic_name]
            for publisher in publishers
        )

    def _not_connected(self) -> str:
        """Return the problem that listeners were not connected before the first tick, by name."""
        missing = ', '.join(
            node.get_fully_qualified_name() for node in self.listeners if not node.ready()
        )
        who = f' ({missing} heard nothing; is it in another namespace?)' if missing else ''
        return f'not every observer was connected before the first tick{who}'

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
