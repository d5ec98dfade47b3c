# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Ticks of a run in lockstep that nobody hears, in a compiled loop, to the bits of the nodes.

The loop flies the run from its first tick on. It knows the scenario only, and so it flies as long
as nobody has commanded or changed anything. It goes ahead of the nodes by a stretch of ticks;
then the nodes are put where it is, and take the last of these ticks by messages as ever: whoever
subscribes meanwhile hears from there on each message. After that the loop catches up.
"""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.campaigns import one_craft
from spacecraft_attitude_sim.configuration import (
    attitude_controller,
    attitude_estimator,
    scenario,
)
from spacecraft_attitude_sim.core import sensors
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.control.attitude_loop import POINTING
from spacecraft_attitude_sim.core.estimation.replay import FREEDOM
from spacecraft_attitude_sim.core.estimation.settings import Judgement
from spacecraft_attitude_sim.core.sensors.imu import RATE
from spacecraft_attitude_sim.flight.record import Known
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.nodes.attitude_controller.node import TOPICS, AttitudeControllerNode
from spacecraft_attitude_sim.nodes.attitude_estimator.node import AttitudeEstimatorNode
from spacecraft_attitude_sim.nodes.markers.node import MarkersNode
from spacecraft_attitude_sim.safety import child, system

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spacecraft_attitude_sim.configuration.scenario import Scenario, Sections
    from spacecraft_attitude_sim.core.batch.batch import Batch
    from spacecraft_attitude_sim.core.batch.estimators import Further
    from spacecraft_attitude_sim.core.mathematics.layout import Layout
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.simulation import Instant
    from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
    from spacecraft_attitude_sim.nodes.ros.handover import Handover
    from spacecraft_attitude_sim.runs.run import Craft, RunNodes

# A run with fewer ticks left takes few seconds by messages, too, and need not load the loop.
LONG = 4096
# Processor time that a stretch of ticks is to take [s], its least and its most ticks.
STRETCH_SECONDS, SHORTEST, LONGEST = 0.03, 16, 4096
# How often to look whether the loop has been compiled [s].
POLL = 0.1
# The residual of a judgement, which nobody asks for.
UNSAID = np.full(3, np.nan)
# Topics that tell nothing of a tick, or are published in any case.
BESIDE = ('/rosout', '/parameter_events', '/diagnostics')


class Loop:
    """Loads the compiled loop of a scenario in a thread, after a process of its own compiled it.

    sections: of the scenario, of which it makes one of its own

    batch: of the run at its first tick, None before it is ready and where there is none
    """

    def __init__(self, sections: Sections) -> None:
        self.batch: Batch | None = None
        self._sections = sections
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._load, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread: the process must not end while it loads code."""
        self._stopping.set()
        self._thread.join()

    def _load(self) -> None:
        loaded = scenario.of_sections(self._sections, '')
        if not (_is_cached(loaded) or self._is_compiled(loaded)):
            return
        if (tried := _batch_of(loaded)) is not None:
            tried.followed(1)
            self.batch = _batch_of(loaded)

    def _is_compiled(self, loaded: Scenario) -> bool:
        """Compile the loop in another process, which may outlive this one; say whether it is."""
        process = subprocess.Popen(
            child.command(__name__, compile_loop.__name__), stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        assert process.stdin
        with process.stdin as given:
            given.write(pickle.dumps(self._sections))
        while process.poll() is None:
            if self._stopping.wait(POLL):
                return False
        return _is_cached(loaded)


def compile_loop() -> None:
    """Compile the loop of the sections at standard input, as a process of its own."""
    system.yield_to_others(10)
    loaded = scenario.of_sections(pickle.load(sys.stdin.buffer), '')
    if (batch := _batch_of(loaded)) is not None:
        batch.followed(1)


def _batch_of(loaded: Scenario) -> Batch | None:
    """Return the Batch of a scenario at its first tick; None where it does not fly there."""
    return one_craft.batch_of(loaded, loaded.first_instant(), commanded=True)


def _is_cached(loaded: Scenario) -> bool:
    """Return whether the compiled loop is in the cache on disk."""
    return all(map(warm_up.cached, one_craft.kernels_of(loaded)))


def begin(crafts: Sequence[Craft], nodes: RunNodes) -> Callable[[], None]:
    """Let ticks of a run that nobody hears be flown in a compiled loop, where there is one.

    Return the function that ends what it has begun.
    """
    flying = {type(node): node for node in nodes.listeners if not isinstance(node, MarkersNode)}
    controller: Any = flying.pop(AttitudeControllerNode, None)
    estimator: Any = flying.pop(AttitudeEstimatorNode, None)
    if len(crafts) > 1 or flying or not controller:
        return lambda: None
    unheard = UnheardTicks(crafts[0], controller, estimator, nodes.handover)
    nodes.simulator.driver.elsewhere = unheard
    return unheard.stop


class UnheardTicks:
    """Takes ticks of the run of a spacecraft and its controller, while nobody hears them.

    controller, estimator: nodes of the Craft, the latter may be None
    handover: of the messages of the nodes
    """

    def __init__(
        self,
        craft: Craft,
        controller: AttitudeControllerNode,
        estimator: AttitudeEstimatorNode | None,
        handover: Handover,
    ) -> None:
        self._simulator = simulator = craft.simulator
        self._controller, self._estimator, self._handover = controller, estimator, handover
        self._log = craft.observer.log
        self._ticks = simulator.run.ticks
        self._suite = simulator.plant.spacecraft.sensors
        self._loop: Loop | None = None
        self._over = False
        self._asked = 0  # of the handover, at the first tick
        self._stretch = SHORTEST
        intervals = [self._suite.imu.interval, simulator.value('lockstep_interval') or 1]
        if controller.magnetic and self._suite.magnetometer:
            intervals.append(self._suite.magnetometer.interval)
        # The nodes go on at ticks at which the controller commands all that it does.
        self._every = int(np.lcm.reduce(intervals))

    def stop(self) -> None:
        """End what still loads or compiles."""
        if self._loop:
            self._loop.stop()

    def __call__(self) -> bool:
        """Fly ticks in the compiled loop, if nobody hears them; return whether it has."""
        run, batch = self._simulator.run, self._loop.batch if self._loop else None
        if not run.tick:
            self._asked = self._handover.asked
        if self._over or warm_up.under_way():
            return False
        if batch is None:
            self._begin()
            return False
        if self._handover.asked != self._asked or run.first_tick or run.reset_asked:
            self._end()
            return False
        end = min(run.tick + self._stretch, int(min(run.tick + run.left, 2**62)))
        count = end // self._every * self._every - run.tick
        if count < 2 or self._is_heard():
            return False
        begun = time.thread_time()
        try:
            batch.advance(min(run.tick - batch.tick, LONGEST))  # what was flown by messages
            if batch.tick < run.tick:
                return False
            flown = self._fly(batch, count)
        except ValueError:  # the orbit is not known: the simulator says so
            flown = False
        if not flown:
            self._end()
            return False
        share = STRETCH_SECONDS / max(time.thread_time() - begun, 1e-6)
        self._stretch = int(min(max(SHORTEST, self._stretch * min(share, 2.0)), LONGEST))
        return True

    def _begin(self) -> None:
        """Load the loop, where the run is long and nobody has changed anything."""
        run = self._simulator.run
        if self._loop or run.left < LONG:
            return
        if not self._is_known():
            self._over = True
            return
        self._loop = Loop({
            'simulator': self._simulator.scenario.parameters,
            attitude_controller.NAME: self._controller.values,
            **({attitude_estimator.NAME: self._estimator.values} if self._estimator else {}),
        })  # fmt: skip

    def _end(self) -> None:
        """Fly no more here: somebody has a say in the run that the loop does not know."""
        self._over = True

    def _is_known(self) -> bool:
        """Return whether the loop may know all that acts in the run."""
        simulator, settings = self._simulator, self._controller.loop.settings
        return bool(simulator.ways) and not (
            simulator.commands.tables
            or simulator.plant.spacecraft.faults
            or simulator.contact
            or settings.delay_ns
            or len(simulator.observers) > 1
            or not (self._controller.allocation or self._controller.magnetic)
        )

    def _is_heard(self) -> bool:
        """Return whether anybody but these nodes subscribes to what they publish."""
        nodes: list[GuardedNode] = [self._simulator, self._controller]
        nodes += [self._estimator] if self._estimator else []
        here = [own.topic_name for node in nodes for own in node.subscriptions]
        beside = (*BESIDE, self._simulator.resolve_topic_name('scenario'))
        for node in nodes:
            for publisher in node.publishers:
                topic = publisher.topic_name
                heard = publisher.get_subscription_count()
                if heard and topic not in beside and heard > here.count(topic):
                    return True
        return False

    # --- a stretch --------------------------------------------------------------------------

    def _fly(self, batch: Batch, count: int) -> bool:
        """Fly so many ticks and put the nodes there; False where the loop is not where they are.

        Then nothing has changed but the loop.
        """
        simulator, layout = self._simulator, batch.kept_layout
        instant, run = simulator.instant, simulator.run
        there = np.concatenate((batch.states[0], batch.internal[0]))
        if not np.array_equal(to_flat(instant.state), there):
            return False
        known = self._listen(batch)
        rows = batch.followed(count)[0]
        if not self._commands_as(instant, rows[0], layout):
            return False
        readings = rows[:, layout.of('readings')]
        if not (np.isfinite(rows[-1, :SIZE]).all() and np.isfinite(readings).all()):
            return False
        first = run.tick + 1
        *before, last = one_craft.instants_of(simulator.scenario, layout, rows, first)
        self._note(batch, before)
        simulator.tally.add_rows(first, readings[:-1])
        self._put(batch, readings, count)
        if self._estimator and self._log:
            aboard: Any = batch.law.aboard
            self._estimator.estimator = aboard.copy_of(0)
            for one in filter(None, known[1:]):  # the first is that of the nodes
                self._log.remember(one)
        memory = batch.sensor_memory[0]
        read = sensors.of_row(self._suite, last.tick, readings[-1], memory)
        run.take_tick()
        simulator.driver.continue_with([last._replace(readings=read)], [False])
        return True

    def _listen(self, batch: Batch) -> list[Known | None]:
        """Return a list to which the estimator of the loop adds what it knows in each tick."""
        from spacecraft_attitude_sim.core.batch.estimates import KNOWN

        knowledge: list[Known | None] = []
        if self._estimator is None:
            return knowledge
        aboard: Any = batch.law.aboard
        sensed = [(name, FREEDOM[own.kind]) for name, own in aboard.settings[0].sensors.items()]
        attitude, covariance = KNOWN.of('q_WB'), KNOWN.of('covariance_B')

        def hear(
            tick: int, known: Array, nis: Array, times: Array, further: Sequence[Further]
        ) -> None:
            row, some = known[0].copy(), np.flatnonzero(np.isfinite(nis[0])).tolist()
            of = [(number, size, time_ns) for _, number, size, time_ns in further]
            of += [(number, float(nis[0, number]), int(times[0, number])) for number in some]
            judged = [
                Judgement(sensed[k][0], time_ns, UNSAID, size, sensed[k][1], math.nan, True)
                for k, size, time_ns in of
            ]
            covariance_B, judgements = row[covariance].reshape(3, 3), tuple(judged)
            knows = not math.isnan(row[0])
            knowledge.append(
                Known(int(row[0]), row[attitude], covariance_B, judgements) if knows else None
            )

        aboard.hear = hear
        return knowledge

    def _commands_as(self, instant: Instant, row: Array, layout: Layout) -> bool:
        """Return whether the nodes have commanded what acts in the tick that ends with a row."""
        held = self._simulator.commands.held
        kept = held.kept()
        inputs = held.take(instant.state.q_WB)
        held.put_back(kept)
        commands = self._simulator.plant.spacecraft.commands(inputs)
        return (
            not loads.acts(inputs.impulse)
            and np.array_equal(inputs.wrench, row[layout.of('wrench')])
            and np.array_equal(commands, row[layout.of('commands')], equal_nan=True)
        )

    def _note(self, batch: Batch, instants: Sequence[Instant]) -> None:
        """Let the observers see Instants, as the nodes let them."""
        from spacecraft_attitude_sim.core.batch.attitude_law import BEGAN

        loop, simulator = self._controller.loop, self._simulator
        began = int(batch.memory[0, BEGAN])
        for instant in instants:
            if instant.tick == began and loop.settings.mode_at(instant.stamp) == POINTING:
                loop.begin(instant.stamp)
            simulator.run.take_tick()
            simulator.continue_with(instant, False)
            simulator.show_observers()

    def _put(self, batch: Batch, readings: Array, count: int) -> None:
        """Put the controller, and the commands, where they are before the last tick's answer."""
        from spacecraft_attitude_sim.core.batch import attitude_law as law

        controller, memory, tick = self._controller, batch.memory[0], batch.tick
        actuators = self._simulator.commands.actuators
        for own in actuators.values():
            own.go_on(count, own.taken, own.saturated)
        interval = self._suite.imu.interval
        if count > interval:
            begin = self._suite.sensors['imu'].read.start + RATE
            controller.rate = math.hypot(*readings[-1 - interval, begin : begin + 3].tolist())
        answered, stamp = tick // interval, self._ticks.stamp(tick - interval)
        way = tuple(memory[law.WAY : law.BEGAN].tolist())
        kept = memory[law.INTEGRAL : law.GYROSCOPE]
        controller.loop.go_on(stamp, way, kept, answered, int(memory[law.CUTS]))
        if controller.allocation:
            own = actuators[f'command/{TOPICS[controller.allocation.kind]}']
            own.taken, own.saturated = answered, int(memory[law.CLIPPED])
        if controller.magnetic and (compass := self._suite.magnetometer):
            answered, stamp = tick // compass.interval, self._ticks.stamp(tick - compass.interval)
            field_B = tuple(memory[law.BEFORE : law.KNOWN].tolist())
            controller.magnetic.go_on(stamp, field_B, answered, int(memory[law.DIPOLE_CUTS]))
            own = actuators['command/dipole']
            own.taken, own.saturated = answered, int(memory[law.DIPOLE_CLIPPED])
