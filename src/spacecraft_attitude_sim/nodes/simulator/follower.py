# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A follower: takes the ticks of a run whose clock is in another process, the master."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.duration import Duration

from spacecraft_attitude_sim.configuration.parameters import MOST_TICKS_AT_ONCE
from spacecraft_attitude_sim.core.simulation.run_state import NotNowError
from spacecraft_attitude_sim.nodes.ros import qos
from spacecraft_attitude_sim.nodes.ros.sources import Sources
from spacecraft_attitude_sim.nodes.simulator import shared_clock
from spacecraft_attitude_sim.nodes.simulator.driver import LONGEST_FLUSH, Driver
from spacecraft_attitude_sim.nodes.simulator.shared_clock import NOT_BEGUN, Answer

if TYPE_CHECKING:
    from rclpy.subscription import MessageInfo
    from rclpy.timer import Timer

    from spacecraft_attitude_sim.core.simulation.run_state import RunState
    from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
    from spacecraft_attitude_sim.nodes.simulator.shared_clock import Tick


# How often to check for the master and to tell it what this process waits for [s].
LOOK = 0.2
# How long the graph must lack a master until it counts as gone [s].
GONE = 2.0
# How long the number of listeners must be constant [s]; a recorder looks for topics every 0.2 s.
SETTLE = 1.0
# Delay between the exits of a run's processes [s]. If they leave at the same moment, one in a
# hundred hangs in Fast DDS.
APART = 0.3
WAITS_FOR_RESET = 'joins with the next reset'


class FollowerDriver(Driver):
    """A Driver that takes the ticks of a master and answers each.

    It joins when the states are initial: at the start or at a reset. Only the master accepts
    requests about the run.
    """

    AWAITS = "the clock's master or a controller"

    def __init__(self, node: GuardedNode, run: RunState) -> None:
        super().__init__(node, run)
        self._sources = Sources(node, shared_clock.TICK, 'a run has one master')
        self._master: Any = None  # the last Tick of the followed run
        self._source = b''  # its sender
        self._gone_since: float | None = None
        self._strange = ''  # why a received tick is impossible
        self._ready = self._connected = self._over = False
        self._listeners, self._since = -1, 0.0  # number of listeners, and since when [s]
        self._looks: Timer | None = None
        self._said: Answer | None = None
        self._answers = node.create_publisher(DiagnosticStatus, shared_clock.ANSWER, qos.LATCHED)
        node.create_subscription(
            DiagnosticStatus, shared_clock.TICK, self._hear, qos.LATCHED_FROM_ALL
        )

    # --- requests ----------------------------------------------------------------

    def start(self) -> None:
        """Become ready for the master's start when the controllers in lockstep are ready."""
        self._warm_up()
        if self._looks is None:
            self._looks = self.timer(LOOK, self._look)
        self._connected = self._lockstep.ready()
        self._ready = self._settled() and self._connected
        self._report()
        if self._ready and self._master:
            self._take(self._master)

    def check_asked(self, what: str) -> None:
        """Raise NotNowError, because only the master can do it; a signal ends this process."""
        master = (
            self._master.master if self._master else "the clock's master, which does not run yet"
        )
        raise NotNowError(f'not {what}: this spacecraft follows a clock; ask {master}')

    def halt(self, reason: str) -> None:
        """Do nothing: the master halts the run; it knows what this process waits for."""

    def on_answer(self) -> None:
        """Answer the master if all controllers have answered the current tick."""
        if self.run.started:
            self._guarded(self._answer)

    def finish(self) -> None:
        """Send everything that is pending; tell a master that continues."""
        if not (self._over or self.run.failure):
            self._publish(NOT_BEGUN, DiagnosticStatus.WARN, 'has ended')
        elif self._master and not self._over:
            self._answer()
        super().finish()
        self._answers.wait_for_all_acked(Duration(seconds=LONGEST_FLUSH))

    @property
    def stays(self) -> float:
        """How long to stay in the graph after the end [s]; each follower stays a little longer."""
        return APART * (1 + self._master.followers.index(self._names()[0])) if self._over else 0.0

    def waits_for(self) -> str:
        """Return as text what this process waits for; '' for nothing."""
        if self.run.finished:
            return ''
        if self.run.started:
            if self._gone_since is not None:
                return f'{self._master.master}, the master of the clock, is gone'
            return self._strange or super().waits_for()
        if self._master is None:
            masters = self._masters()
            if len(masters) > 1:
                return f'the clock has several masters, {", ".join(masters)}; end all but one'
            if masters:
                return (
                    f'waits for {masters[0]}, whose parameter followers does not '
                    f'list {", ".join(self._names())}; add it there'
                )
            return f"waits for the clock's master: nobody publishes {shared_clock.TICK}"
        if not self._ready:
            if self.run.lockstep and not self._connected:
                return self._lockstep.waits_for()
            return 'waits until its subscribers are connected'
        if self._master.state == shared_clock.WAITING:
            return f'waits for the start of {self._master.master}'
        return f'{WAITS_FOR_RESET} of {self._master.master}'

    def warning(self) -> str:
        """Return as text that there are several masters, or ''."""
        masters = self._masters()
        if len(masters) < 2:
            return ''
        return (
            f'the clock has several masters, {", ".join(masters)}; this process follows '
            f'{self._master.master if self._master else "none"}'
        )

    def _settled(self) -> bool:
        """Return whether the listeners were constant for SETTLE and the master is known."""
        now = time.monotonic()
        count = sum(
            stream.get_subscription_count() for one in self.spacecraft for stream in one.streams
        )
        if self._master is None or count != self._listeners:
            self._listeners, self._since = count, now
        return now - self._since >= SETTLE

    # --- the master -------------------------------------------------------------------------

    def _hear(self, message: DiagnosticStatus, information: MessageInfo) -> None:
        heard = shared_clock.tick_from_ros(message)
        source, _ = self._sources.of(information)
        if self._master is None:
            self._guarded(lambda: self._meet(heard, source))
        elif heard.run == self._master.run and heard.tick_ns == self._master.tick_ns:
            self._guarded(lambda: self._take(heard))

    def _meet(self, heard: Tick, source: bytes) -> None:
        """Begin to follow a run, if it is the only one and includes our spacecraft."""
        if (
            heard.state in shared_clock.OVER
            or len(self._masters()) > 1
            or not set(self._names()) <= set(heard.followers)
        ):
            return
        self._master, self._source = heard, source
        if heard.tick_ns != self.run.ticks.tick_ns:
            self._fail(
                f'tick_rate is {self.run.ticks.rate!r} Hz, but a tick of {heard.master} takes '
                f'{heard.tick_ns} ns, which is {1e9 / heard.tick_ns:g} Hz; all spacecraft of a '
                'run tick together'
            )
            return
        self._report()
        self._take(heard)

    def _take(self, heard: Tick) -> None:
        """Do what the master says: take its tick, pause, continue, change the rate or end."""
        run, now = self.run, time.monotonic_ns()
        if heard.state in shared_clock.OVER:
            self._master = heard
            self._end(heard)
            return
        if run.started and not self._follows(heard):
            self._strange = (
                f'tick {heard.tick}, {heard.elapsed} since the start, of {heard.master} does not '
                f'follow tick {run.tick}: {WAITS_FOR_RESET}'
            )
            return
        self._master, self._strange = heard, ''
        if heard.state == shared_clock.WAITING:
            return
        if not run.started and (heard.elapsed or not self._ready):
            self._report()
            return
        if heard.rate != run.rate:
            run.change_rate(heard.rate, now)
        goes_on = run.paused and not heard.paused
        if goes_on:
            if run.lockstep:
                self._lockstep.resume()
            run.resume(now)
        elif heard.state == shared_clock.HALTED:
            run.halt(heard.text)
        elif heard.paused:
            run.pause()
        if not run.started:
            self._join(heard)
        elif heard.tick > run.tick:
            self._go_to(heard)
        elif goes_on and run.lockstep and self._lockstep.owed():
            self.publish()  # for a controller started meanwhile
        self._answer(again=True)

    def _follows(self, heard: Tick) -> bool:
        """Return whether a tick can be the current one or a next one."""
        run = self.run
        if heard.first_tick == run.first_tick:
            return 0 <= heard.tick - run.tick <= MOST_TICKS_AT_ONCE
        return heard.first_tick > run.tick and heard.tick - run.tick <= MOST_TICKS_AT_ONCE

    def _join(self, heard: Tick) -> None:
        """Begin at the initial states."""
        self.run.start(time.monotonic_ns())
        if heard.tick == 0:
            self._lockstep.wait_anew()
            self.publish()
            self._show_observers()
        else:
            self._go_to(heard)
        self._say_what_is_missing()

    def _go_to(self, heard: Tick) -> None:
        """Take the ticks up to the master's: one, or several after a step by hand."""
        run = self.run
        if heard.first_tick != run.first_tick:
            for one in self.spacecraft:
                one.commands.held.clear()
            run.tick = heard.first_tick - 1
            run.reset(time.monotonic_ns())
        while run.tick < heard.tick and not run.failure:
            self._take_tick()

    def _end(self, heard: Tick) -> None:
        """End at the master's last tick, in the same way."""
        self._over = True
        if self.run.started and self._follows(heard):
            self._go_to(heard)
            self._answer(again=True)
        if heard.state == shared_clock.FAILED:
            self.run.fail(f'{heard.master}: {heard.text}')
        elif heard.state == shared_clock.QUIT:
            self.run.quit()
        else:
            self.run.complete()

    def _look(self) -> None:
        """Check for the master; tell it what this process waits for."""
        self._report()
        if self._master is None or self.run.finished:
            return
        if self._source in self._sources.present():
            self._gone_since = None
            return
        now = time.monotonic()
        self._gone_since = self._gone_since or now
        if now - self._gone_since < GONE:
            return
        if self.run.started:
            self.run.fail(
                f"{self._master.master}, the clock's master, is gone, and the run was not over"
            )
        else:
            self._master, self._gone_since = None, None

    # --- answers ----------------------------------------------------------------------------

    def _answer(self, again: bool = False) -> None:
        """Answer the current tick if it is complete; again: even if it was answered before."""
        if self.run.failure:
            # The tick that could not be taken.
            self._publish(self._master.tick, DiagnosticStatus.ERROR, self.run.failure)
        elif self.run.answered:
            self._publish(self.run.tick, again=again)

    def _report(self) -> None:
        """Tell the master, if that changed, that this process is ready or what it waits for."""
        run = self.run
        if run.finished:
            return
        if not run.started:
            ready = DiagnosticStatus.OK if self._ready else DiagnosticStatus.WARN
            waiting = self._master and self._master.state == shared_clock.WAITING
            text = WAITS_FOR_RESET if self._ready and not waiting else self.waits_for()
            self._publish(NOT_BEGUN, ready, text)
        elif not run.answered:
            self._publish(run.tick, DiagnosticStatus.WARN, f'waits for {self._lockstep.missing()}')

    def _fail(self, problem: str) -> None:
        self.run.fail(problem)
        self._publish(NOT_BEGUN, DiagnosticStatus.ERROR, problem)

    def _publish(
        self, tick: int, level: bytes = DiagnosticStatus.OK, text: str = '', again: bool = False
    ) -> None:
        run = self._master.run if self._master else ''
        name = self._node.get_fully_qualified_name()
        said = Answer(name, run, self._names(), tick, level, text)
        if again or said != self._said:
            self._said = said
            self._answers.publish(shared_clock.answer_to_ros(said))

    def _names(self) -> tuple[str, ...]:
        return tuple(shared_clock.name_of(one) for one in self.spacecraft)

    def _masters(self) -> list[str]:
        """Return the names of the nodes that publish ticks."""
        return sorted(self._sources.name(source) for source in self._sources.present())
