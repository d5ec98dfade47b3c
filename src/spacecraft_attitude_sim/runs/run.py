# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim run`: the nodes of a scenario in one process, started together, ended whole."""

from __future__ import annotations

import math
import time
from collections import Counter
from contextlib import ExitStack
from typing import NamedTuple

from rclpy.parameter import Parameter

from spacecraft_attitude_sim.core import simulation, ticks
from spacecraft_attitude_sim.core.control.response import ResponseLog, attitude_error
from spacecraft_attitude_sim.core.studies import flips_and_drifts
from spacecraft_attitude_sim.core.studies.flips_and_drifts import DriftMonitor
from spacecraft_attitude_sim.drawing.response_report import RateRecord
from spacecraft_attitude_sim.nodes.attitude_controller.node import AttitudeControllerNode
from spacecraft_attitude_sim.nodes.markers.node import MarkersNode
from spacecraft_attitude_sim.nodes.ros import session
from spacecraft_attitude_sim.nodes.simulator.contact import offered as offered_contact
from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode
from spacecraft_attitude_sim.progress import ProgressLine
from spacecraft_attitude_sim.recording import contact_history, history

# How long observers may take to connect before the first tick, and to receive the last [s].
CONNECT_SECONDS = 5.0
DRAIN_SECONDS = 5.0
LAST_ANSWER_SECONDS = 1.0


class Outcome(NamedTuple):
    """How a run ended.

    ticks: how many were simulated;  interrupted: whether a signal or a request to quit ended it
        before its duration
    problems: what did not go as asked, one line each
    """

    ticks: int
    wall_seconds: float
    interrupted: bool
    problems: list
    follower: Follower


def run(
    name,
    parameters,
    ros_arguments,
    record=None,
    csv=None,
    markers=True,
    controller=False,
    viewed=False,
):
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
        follower = Follower()
        contact = offered_contact(parameters.get('contact'))
        simulator = SimulatorNode(
            name, follower, autostart=False, contact=contact,
            configured=parameters.get('simulator'),
        )  # fmt: skip
        simulator.rehearse()  # while observers connect
        follower.follow(simulator.scenario)
        if csv:
            follower.table = history.CsvWriter(csv, simulator.contact is not None)
            stack.callback(follower.table.close)
        observers = [MarkersNode(parameters.get('markers'))] if markers else []
        if controller:
            follower.controller = AttitudeControllerNode(
                parameters.get('attitude_controller'),
                # A pause of the simulation is no silence of the IMU; but /clock may be another's.
                parameter_overrides=[
                    Parameter('use_sim_time', value=simulator.value('publish_clock'))
                ],
            )
            observers.append(follower.controller)
        stop.starting = False  # from here on an end must leave files whole
        recorder = _recorder(record, parameters.get('recorder')) if record else None
        if recorder:
            observers.append(recorder)
        nodes = [simulator, *([contact] if contact else []), *observers]
        executor = stack.enter_context(session.executor_of(nodes, stop))
        if viewed:
            _wait(executor, CONNECT_SECONDS, lambda: stop or _viewed(simulator, observers))
        return _run(name, simulator, observers, recorder, follower, executor, stop)


def _recorder(folder, configured):
    """Return a recorder of a new bag in place of an old one, if there is one."""
    from spacecraft_attitude_sim.nodes.recorder.node import RecorderNode
    from spacecraft_attitude_sim.recording import bag_writer

    bag_writer.remove(folder)
    return RecorderNode(folder, configured)


def _run(name, simulator, observers, recorder, follower, executor, stop):
    problems = []
    try:
        if not _wait(executor, CONNECT_SECONDS, lambda: stop or _connected(simulator, observers)):
            problems.append(_not_connected(observers))
        delay = simulator.value('startup_delay')
        _wait(executor, delay, lambda: bool(stop))
        wall_seconds = _tick(name, simulator, follower, executor, stop)
        simulator.finish()
        if simulator.lockstep:  # the answer to the last tick belongs to the run
            _wait(executor, LAST_ANSWER_SECONDS, lambda: stop or simulator.answered)
        if recorder and not _wait(
            executor, DRAIN_SECONDS, lambda: _recorded_all(simulator, observers, recorder)
        ):
            problems.append('the recorder missed messages')
    finally:
        if recorder:
            recorder.finish()
    if recorder and recorder.failure:
        problems = [recorder.failure]
    if simulator.failure:
        problems.append(simulator.failure)
    ended = bool(stop) or simulator.quitting
    interrupted = ended and simulator.value('duration') and not simulator.completed
    return Outcome(simulator.instant.tick, wall_seconds, interrupted, problems, follower)


def _tick(name, simulator, follower, executor, stop):
    """Run to the end and return the wall time it took [s]."""
    progress = Progress(name, simulator)
    start = time.monotonic()
    simulator.start()
    while not (stop or simulator.finished):
        session.spin_once(executor)
        progress.show(follower)
    progress.end()
    return time.monotonic() - start


def _wait(executor, seconds, done):
    """Spin until `done()` or a time limit; return whether it was done."""
    limit = time.monotonic() + seconds
    session.spin_until(executor, lambda: time.monotonic() > limit or done())
    return done()


def _connected(simulator, observers):
    """Return whether every observer is ready and every topic reaches its subscribers here."""
    nodes = [simulator, *([simulator.contact] if simulator.contact else []), *observers]
    wanted = Counter(sub.topic_name for node in observers for sub in node.subscriptions)
    publishers = [publisher for node in nodes for publisher in node.publishers]
    return all(observer.ready() for observer in observers) and all(
        publisher.get_subscription_count() >= wanted[publisher.topic_name]
        for publisher in publishers
    )


def _not_connected(observers):
    """Say who heard nothing before the first tick."""
    missing = [node.get_fully_qualified_name() for node in observers if not node.ready()]
    who = f' ({", ".join(missing)} heard nothing; is it in another namespace?)' if missing else ''
    return f'not every observer was connected before the first tick{who}'


def _viewed(simulator, observers):
    """Return whether the attitude reaches a listener in another process."""
    topic = simulator.resolve_topic_name('ground_truth/odometry')
    here = sum(sub.topic_name == topic for node in observers for sub in node.subscriptions)
    streams = {stream.topic_name: stream for stream in simulator.streams}
    return streams[topic].get_subscription_count() > here


def _recorded_all(simulator, observers, recorder):
    """Return whether the recorder has every tick and command, or has failed."""
    instants = simulator.instant.tick + 1 if simulator.started else 0
    expected = dict(simulator.sent) | {
        publisher.topic_name: instants for node in observers for publisher in node.streams
    }
    for node in (simulator, *observers):
        expected |= getattr(node, 'sent', {})
    if simulator.lockstep:
        expected[simulator.resolve_topic_name('command/wrench')] = simulator.commands.inbox.taken
    return recorder.failure or all(
        recorder.counts.get(topic, 0) >= count
        for topic, count in expected.items()
        if recorder.wants(topic)
    )


class Follower:
    """Sees every tick: keeps the watch, fills the table, judges the controller.

    table: CsvWriter, or None;  controller: AttitudeControllerNode, or None
    mode, impacts: on a floor, how the body touches it, and how often it struck it; else '' and 0
    response: of the controller;  pointing: whether it is of attitude, not of rate
    rates: RateRecord, for a run under somebody else's commands
    """

    def __init__(self):
        self.table = None
        self.controller = None
        self.watch = None
        self.mode = ''
        self.impacts = 0
        self.response = ResponseLog()
        self.pointing = False
        self.rates = RateRecord()
        self._plant = None

    def follow(self, scenario):
        """Say what is seen."""
        self._plant = plant = scenario.plant
        self.watch = DriftMonitor(plant, scenario.first_instant().state)
        self.watch.acted_on = bool(plant.contact or plant.gravity_W.any())

    def __call__(self, instant):
        """Take a tick."""
        time = ticks.seconds(instant.tick)
        self.watch.add(time, instant.state, bool(instant.applied_B.any()))
        if instant.contact is not None:
            contact = simulation.contact_at(instant)
            self.mode, self.impacts = contact.mode, self.impacts + contact.impacts
        if self.controller:
            self._judge(instant, time)
        else:
            rate_B = self._plant.spacecraft.angular_velocity_B(instant.state)
            commanded = bool(instant.inputs.wrench.any())
            self.rates.add(time, rate_B, instant.applied_B[3:6], commanded)
        if self.table:
            self.table.write(self._row(time, instant))

    def _row(self, time, instant):
        plant, state = self._plant, instant.state
        free = history.row(
            plant.spacecraft, time, state, simulation.turning_wrench(plant, instant)
        )
        energies, touching = flips_and_drifts.energies(plant, state), ()
        if instant.contact is not None:
            touching = contact_history.row(instant, energies.total)
        return history.whole_row(free, state, energies, touching)

    def _judge(self, instant, time):
        q_WR = self.controller.reference_at(ticks.nanoseconds(instant.tick))
        pointing = q_WR is not None
        if pointing != self.pointing:  # another mode is another response
            self.response, self.pointing = ResponseLog(), pointing
        error = (
            attitude_error(q_WR, instant.state.q_WB)
            if pointing
            else self._plant.spacecraft.angular_velocity_B(instant.state)
        )
        self.response.add(time, error, instant.applied_B[3:6])


class Progress:
    """Says on one line of the terminal how far a run is."""

    def __init__(self, name, simulator):
        self._name = name
        self._simulator = simulator
        self._line = ProgressLine()
        self._shown = (time.monotonic(), 0)

    def show(self, follower):
        """Renew the line when it is old."""
        if not self._line.due():
            return
        simulator, (then, tick_then) = self._simulator, self._shown
        now, tick = time.monotonic(), simulator.instant.tick
        self._shown = (now, tick)
        factor = ticks.seconds(tick - tick_then) / (now - then)
        whole = simulator.value('duration')
        of_whole = f' of {whole:g} s' if whole else ''
        state = f'{factor:.2f} x real time'
        if simulator.waits_for():
            state = 'waiting for a controller'
        elif simulator.paused:
            state = f'paused {simulator.halted}'
        seen = follower.mode or f'{len(follower.watch.flips())} flips'
        if follower.rates.commanded:
            seen = f'{math.degrees(follower.rates.rate):.3g} deg/s'
        self._line.show(f'{self._name}: {ticks.seconds(tick):.2f} s{of_whole}, {state}, {seen}')

    def end(self):
        """Leave the line."""
        self._line.end()
