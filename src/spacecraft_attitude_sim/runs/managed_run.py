# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim run --lifecycle`: the nodes of a scenario, controlled by lifecycle services."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from rclpy.executors import Executor
from rclpy.node import Node

from spacecraft_attitude_sim.nodes.ros import session
from spacecraft_attitude_sim.nodes.simulator import managed
from spacecraft_attitude_sim.runs import run as plain
from spacecraft_attitude_sim.runs import until
from spacecraft_attitude_sim.runs.run_observer import Progress

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.formation import Member

    # The function called at the end of each configuration that was activated.
    Report = Callable[[plain.Outcome, plain.Wanted], None]


def run(
    members: list[Member],
    ros_arguments: list[str],
    wanted_of: Callable[[int], plain.Wanted],
    report: Report,
) -> None:
    """Run spacecraft as a managed node until it is shut down or a signal arrives.

    ros_arguments: list that begins with --ros-args, or empty
    wanted_of: returns the Wanted of the first, second … configuration; raises ValueError
    report: called at the end of each configuration that was activated, with its Outcome and Wanted
    Raises ParameterError if ROS cannot read the arguments.
    """
    with ExitStack() as stack:
        stop = stack.enter_context(session.ros(ros_arguments))
        stop.starting = True
        others = [
            managed.HeldSimulatorNode(**_options(member), **plain.place_of(member))
            for member in members[1:]
        ]
        first = managed.ManagedSimulatorNode(
            others=others, **_options(members[0]), **plain.place_of(members[0])
        )
        simulators: list[managed.HeldSimulatorNode] = [first, *others]
        plain.check_names(simulators)
        nodes = [node for simulator in simulators for node in simulator.held]
        executor = stack.enter_context(session.executor_of(nodes, stop))
        beside = first.beside = RunBeside(members, simulators, wanted_of, report, executor, stop)
        try:
            while not (stop or first.finished):
                session.spin_once(executor)
                beside.show_progress()
            beside.end(executor, ended=not first.shut_down)
        finally:
            beside.close()
        first.finish()


def _options(member: Member) -> dict[str, Any]:
    """Return the arguments that make the simulator of a spacecraft."""
    floor = member.sections.get('contact')
    return {
        'source': plain.source_of(member),
        'contact': functools.partial(managed.floor_offered, floor, **plain.place_of(member)),
        'configured': member.sections.get('simulator'),
    }


class RunBeside(managed.Beside):
    """The other nodes of `attitude-sim run`, made anew for each configuration.

    Markers, controllers and tables are made at configuration, so that they keep nothing of an
    earlier run. The recorder is made at the first activation. A second configuration of the
    process writes its own bag and tables.
    """

    def __init__(
        self,
        members: list[Member],
        simulators: list[managed.HeldSimulatorNode],
        wanted_of: Callable[[int], plain.Wanted],
        report: Report,
        executor: Executor,
        stop: session.StopRequest,
    ) -> None:
        self._members, self._simulators = members, simulators
        self._wanted_of, self._report = wanted_of, report
        self._executor, self._stop = executor, stop
        self._number = 0
        self._stack, self._tables = ExitStack(), ExitStack()
        self._nodes: plain.RunNodes | None = None
        self._progress: Progress | None = None

    def configured(self) -> None:
        """Make the nodes and tables that listen to the simulators."""
        self._wanted = self._wanted_of(self._number + 1)
        several = len(self._members) > 1
        with ExitStack() as stack, ExitStack() as tables:
            self._crafts = [
                plain.craft_of(
                    member, simulator, self._wanted, several, tables,
                    lambda node: self._keep(stack, node),
                )
                for member, simulator in zip(self._members, self._simulators, strict=True)
            ]  # fmt: skip
            self._stack, self._tables = stack.pop_all(), tables.pop_all()
        self._until = until.watch(self._crafts, self._wanted.until)
        self._number += 1

    def activating(self) -> None:
        """At the first activation, make the recorder and begin to wait for all listeners."""
        if self._nodes:
            return
        recorder = plain.recorder_of(self._wanted, self._members)
        if recorder:
            self._keep(self._stack, recorder)
        self._nodes = plain.RunNodes.of(self._crafts, recorder, self._executor, self._stop)
        self._problems: list[str] = []
        self._waited_since = time.monotonic()
        observers = plain.observers_of(self._crafts)
        self._progress = Progress(self._simulators[0], observers)

    def ready(self) -> bool:
        """Return whether all listeners are connected, or the wait has timed out."""
        assert self._nodes is not None, 'it is being activated'
        if self._nodes.connected():
            return True
        if time.monotonic() - self._waited_since < plain.CONNECT_SECONDS:
            return False
        self._problems += self._nodes.not_connected()
        return True

    def cleaning_up(self) -> None:
        """Deliver everything to the listeners, report the run, and end the other nodes.

        The listeners get another executor, because this one is still in the request.
        """
        executor = session.Executor()
        for node in self._nodes.listeners if self._nodes else ():
            self._executor.remove_node(node)
            executor.add_node(node)
            node.take_waiting()
        try:
            self.end(executor, ended=False)
        finally:
            executor.shutdown()
            self.close()

    def end(self, executor: Executor, ended: bool) -> None:
        """Deliver everything to the listeners, and report the run if there was one.

        ended: whether a signal or a quit request caused the end
        """
        if not self._nodes:
            return
        nodes = self._nodes._replace(executor=executor)
        if self._progress:
            self._progress.end()
        self._simulators[0].driver.deactivate()
        seconds = self._simulators[0].driver.active_seconds
        outcome = plain.outcome_of(self._crafts, seconds, ended, nodes.end(self._problems))
        self._report(outcome._replace(until=self._until), self._wanted)

    def close(self) -> None:
        """Close files and destroy nodes."""
        self._nodes = self._progress = None
        self._tables.close()  # before anything can hang
        self._stack.close()

    def show_progress(self) -> None:
        """Update the progress line of an active run."""
        if self._progress and self._simulators[0].driver.active:
            self._progress.show()

    def _keep(self, stack: ExitStack, node: Node) -> None:
        """Add a node to the executor until the stack ends it."""

        def end() -> None:
            self._executor.remove_node(node)
            session.destroy([node])

        stack.callback(end)
        self._executor.add_node(node)
