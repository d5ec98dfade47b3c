# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim run`: the nodes of a scenario in one process, started together, ended whole."""

import sys
import time
from contextlib import ExitStack
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core import ticks
from spacecraft_attitude_sim.core.analysis import Watch
from spacecraft_attitude_sim.files import history
from spacecraft_attitude_sim.nodes import session
from spacecraft_attitude_sim.nodes.markers import MarkersNode
from spacecraft_attitude_sim.nodes.recorder import RecorderNode
from spacecraft_attitude_sim.nodes.simulator import SimulatorNode

# How long observers may take to connect before the first tick, and to receive the last [s].
CONNECT_SECONDS = 5.0
DRAIN_SECONDS = 5.0
PROGRESS_SECONDS = 0.5


class Outcome(NamedTuple):
    """How a run ended.

    ticks: how many were simulated;  interrupted: whether a signal ended it before its duration
    problems: what did not go as asked, one line each
    """

    ticks: int
    wall_seconds: float
    interrupted: bool
    problems: list
    watch: Watch


def run(name, ros_arguments, record=None, csv=None, markers=True):
    """Run a scenario until its duration is over or a signal arrives.

    name: of the scenario, for messages;  ros_arguments: list that begins with --ros-args
    record: folder of a new bag, or None;  csv: path of a table, or None
    Raises ScenarioError, ParameterError, RecordingError or OSError before the first tick.
    """
    with ExitStack() as stack:
        stop = stack.enter_context(session.ros(ros_arguments))
        follower = Follower()
        simulator = SimulatorNode(name, follower, autostart=False)
        follower.follow(simulator.scenario.plant.body, simulator.scenario.initial)
        nodes = [simulator]
        if markers:
            nodes.append(MarkersNode())
        if csv:
            follower.table = history.CsvWriter(csv)
            stack.callback(follower.table.close)
        recorder = None
        if record:
            recorder = RecorderNode(folder=record)
            nodes.append(recorder)
        executor = stack.enter_context(session.executor_of(nodes))
        return _run(name, simulator, recorder, follower, executor, stop)


def _run(name, simulator, recorder, follower, executor, stop):
    problems = []
    try:
        if recorder and not _wait(
            executor, CONNECT_SECONDS, lambda: stop or _connected(simulator, recorder)
        ):
            problems.append('the recorder did not connect to every topic in time')
        wall_seconds = _tick(name, simulator, follower, executor, stop)
        simulator.flush()
        if recorder and not _wait(
            executor, DRAIN_SECONDS, lambda: _recorded_all(simulator, recorder)
        ):
            problems.append('the recorder missed messages')
    finally:
        if recorder:
            recorder.finish()
    if recorder and recorder.failure:
        problems = [recorder.failure]
    interrupted = bool(stop) and simulator.duration_given and not simulator.finished
    return Outcome(simulator.tick, wall_seconds, interrupted, problems, follower.watch)


def _tick(name, simulator, follower, executor, stop):
    """Run to the end and return the wall time it took [s]."""
    progress = Progress(name, simulator)
    start = time.monotonic()
    simulator.start()
    while not (stop or simulator.finished):
        executor.spin_once(timeout_sec=session.LONGEST_SPIN)
        progress.show(follower)
    progress.end()
    return time.monotonic() - start


def _wait(executor, seconds, done):
    """Spin until `done()` or a time limit; return whether it was done."""
    limit = time.monotonic() + seconds
    session.spin_until(executor, lambda: time.monotonic() > limit or done())
    return done()


def _connected(simulator, recorder):
    recorder.discover()
    return all(
        publisher.topic_name in recorder.counts and publisher.get_subscription_count() > 0
        for publisher in simulator.streams
        if recorder.wants(publisher.topic_name)
    )


def _recorded_all(simulator, recorder):
    return recorder.failure or all(
        recorder.counts.get(publisher.topic_name, 0) >= simulator.tick + 1
        for publisher in simulator.streams
        if recorder.wants(publisher.topic_name)
    )


class Follower:
    """Sees every tick: keeps the watch, fills the table."""

    def __init__(self):
        self.table = None
        self.watch = None
        self._body = None

    def follow(self, body, first_state):
        """Say which body is seen."""
        self._body = body
        self.watch = Watch(body, first_state)

    def __call__(self, tick, state):
        """Take a tick."""
        self.watch.add(ticks.seconds(tick), state)
        if self.table:
            self.table.write(history.row(self._body, ticks.seconds(tick), state, np.zeros(3)))


class Progress:
    """One line on the terminal that says how far a run is; nothing where there is no terminal."""

    def __init__(self, name, simulator):
        self._name = name
        self._simulator = simulator
        self._shown = time.monotonic()
        self._shown_tick = 0
        self._on = sys.stderr.isatty()

    def show(self, follower):
        """Renew the line when it is old."""
        elapsed = time.monotonic() - self._shown
        if not self._on or elapsed < PROGRESS_SECONDS:
            return
        tick = self._simulator.tick
        factor = ticks.seconds(tick - self._shown_tick) / elapsed
        self._shown += elapsed
        self._shown_tick = tick
        whole = self._simulator.duration_given
        of_whole = f' of {whole:g} s' if whole else ''
        state = 'paused' if self._simulator.paused else f'{factor:.2f} x real time'
        print(
            f'\r{self._name}: {ticks.seconds(tick):.2f} s{of_whole}, {state}, '
            f'{len(follower.watch.flips())} flips    ',
            end='', file=sys.stderr, flush=True,
        )  # fmt: skip

    def end(self):
        """Leave the line."""
        if self._on:
            print(file=sys.stderr)
