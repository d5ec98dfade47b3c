# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim run`: the nodes of a scenario in one process, started together, ended whole."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rclpy.executors import Executor
from rclpy.parameter import Parameter

from spacecraft_attitude_sim.nodes.attitude_controller.node import AttitudeControllerNode
from spacecraft_attitude_sim.nodes.markers.node import MarkersNode
from spacecraft_attitude_sim.nodes.ros import session
from spacecraft_attitude_sim.nodes.simulator import contact
from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode
from spacecraft_attitude_sim.recording import history, topics
from spacecraft_attitude_sim.runs.run_observer import Progress, RunObserver

if TYPE_CHECKING:
    from spacecraft_attitude_sim.nodes.recorder.node import RecorderNode

# How long listeners may take to connect before the first tick, and to receive the last [s].
CONNECT_SECONDS = 5.0
DRAIN_SECONDS = 5.0
LAST_ANSWER_SECONDS = 1.0


class Outcome(NamedTuple):
    """How a run ended.

    ticks: how many were simulated;  simulated: their time [s]
    interrupted: whether a signal or a request to quit ended it before its duration
    problems: what did not go as asked, one line each
    """

    ticks: int
    simulated: float
    wall_seconds: float
    interrupted: bool
    problems: list[str]
    observer: RunObserver


def run(
    name: str,
    parameters: dict[str, dict],
    ros_arguments: list[str],
    record: Path | None = None,
    csv: Path | None = None,
    markers: bool = True,
    controller: bool = False,
    viewed: bool = False,
) -> Outcome:
    """Run a scenario until its duration is over or a signal arrives.

    name: of the scenario, for messages;  ros_arguments: list that begins with --ros-args, or empty
    parameters: {node: {name: value}} of scenario and command line, under any name of the nodes
    record: folder of a new bag, or None;  csv: path of a table, or None
    controller: whether the scenario's own attitude_controller runs along
    viewed: wait for one more listener than those here, a viewer, for a while
    Raises ScenarioError, ParameterError, RecordingError or OSError before the first tick.
    """
    with ExitStack() as stack:
        stop = stack.enter_context(session.ros(ros_arguments))
        stop.starting = True
        floor = contact.offered(parameters.get('contact'))
        simulator = SimulatorNode(
            name, autostart=False, contact=floor, configured=parameters.get('simulator')
        )
        simulator.warm_up()  # while listeners connect
        table = history.CsvWriter(csv, floor is not None) if csv else None
        if table:
            stack.callback(table.close)
        listeners: list = [MarkersNode(parameters.get('markers'))] if markers else []
        reference_at = None
        if controller:
            ours = _controller(simulator, parameters.get('attitude_controller'))
            listeners.append(ours)
            reference_at = ours.reference_at
        observer = RunObserver(simulator.scenario, table, reference_at)
        simulator.observers.append(observer)
        stop.starting = False  # from here on an end must leave files whole
        recorder = _recorder(record, parameters.get('recorder')) if record else None
        if recorder:
            listeners.append(recorder)
        senders = [simulator, floor] if floor else [simulator]
        executor = stack.enter_context(session.executor_of([*senders, *listeners], stop))
        nodes = RunNodes(simulator, senders, listeners, recorder, executor, stop)
        if viewed:
            nodes.wait(CONNECT_SECONDS, lambda: stop or nodes.viewed())
        wall_seconds, problems = nodes.run(Progress(name, simulator, observer))
        state = simulator.run
        ended = bool(stop) or state.quitting
        interrupted = ended and bool(simulator.value('duration')) and not state.completed
        simulated = state.ticks.seconds(state.tick)
        return Outcome(state.tick, simulated, wall_seconds, interrupted, problems, observer)


def _controller(simulator: SimulatorNode, configured: dict | None) -> AttitudeControllerNode:
    # A pause of the simulation is no silence of the IMU; but /clock may be another's.
    simulated = Parameter('use_sim_time', value=simulator.value('publish_clock'))
    return AttitudeControllerNode(configured, parameter_overrides=[simulated])


def _recorder(folder: Path, configured: dict | None) -> RecorderNode:
    """Return a recorder of a new bag in place of an old one, if there is one."""
    from spacecraft_attitude_sim.nodes.recorder.node import RecorderNode
    from spacecraft_attitude_sim.recording import bag_writer

    bag_writer.remove(folder)
    return RecorderNode(folder, configured)


class RunNodes(NamedTuple):
    """The nodes of a run and what spins them.

    senders: the simulator and, on a floor, its contact node
    listeners: nodes that hear it, the recorder among them;  recorder: or None
    """

    simulator: SimulatorNode
    senders: list
    listeners: list
    recorder: RecorderNode | None
    executor: Executor
    stop: session.StopRequest

    def run(self, progress: Progress) -> tuple[float, list[str]]:
        """Connect, tick to the end, and deliver all; return the wall time [s] and the problems."""
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
        """Spin until `done()` or a time limit; return whether it was done."""
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
        """Let all that was published arrive; return whether the recorder has it."""
        self.simulator.finish()
        if self.simulator.run.lockstep:  # the answer to the last tick belongs to the run
            self.wait(LAST_ANSWER_SECONDS, lambda: self.stop or self.simulator.run.answered)
        recorder = self.recorder
        return not recorder or self.wait(DRAIN_SECONDS, lambda: self._in(recorder))

    def _connected(self) -> bool:
        """Return whether every listener is ready and every topic reaches those who want it."""
        wanted = Counter(sub.topic_name for node in self.listeners for sub in node.subscriptions)
        nodes = [*self.senders, *self.listeners]
        publishers = [publisher for node in nodes for publisher in node.publishers]
        return all(node.ready() for node in self.listeners) and all(
            publisher.get_subscription_count() >= wanted[publisher.topic_name]
            for publisher in publishers
        )

    def _not_connected(self) -> str:
        """Say who heard nothing before the first tick."""
        missing = ', '.join(
            node.get_fully_qualified_name() for node in self.listeners if not node.ready()
        )
        who = f' ({missing} heard nothing; is it in another namespace?)' if missing else ''
        return f'not every observer was connected before the first tick{who}'

    def viewed(self) -> bool:
        """Return whether the attitude reaches a listener in another process."""
        topic = self.simulator.resolve_topic_name(topics.ODOMETRY)
        subscriptions = [sub for node in self.listeners for sub in node.subscriptions]
        here = sum(subscription.topic_name == topic for subscription in subscriptions)
        streams = {stream.topic_name: stream for stream in self.simulator.streams}
        return streams[topic].get_subscription_count() > here

    def _in(self, recorder: RecorderNode) -> bool:
        """Return whether a recorder has every tick and command, or has failed."""
        simulator = self.simulator
        instants = simulator.run.tick + 1 if simulator.run.started else 0
        expected = dict(simulator.sent) | {
            publisher.topic_name: instants for node in self.listeners for publisher in node.streams
        }
        for node in (simulator, *self.listeners):
            expected |= getattr(node, 'sent', {})
        if simulator.run.lockstep:
            wrenches = simulator.resolve_topic_name(topics.COMMAND)
            expected[wrenches] = simulator.commands.inbox.taken
            if simulator.commands.wheels:
                torques = simulator.resolve_topic_name(topics.WHEELS_COMMAND)
                expected[torques] = simulator.commands.wheels.taken
        return bool(recorder.failure) or all(
            recorder.counts.get(topic, 0) >= count
            for topic, count in expected.items()
            if recorder.wants(topic)
        )
