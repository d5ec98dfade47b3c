# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Take the ticks of a run, for all its spacecraft together, when they are due or requested."""

from __future__ import annotations

import functools
import time
import traceback
from typing import TYPE_CHECKING, Any

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.duration import Duration

from spacecraft_attitude_sim.configuration import formation, scenario_file
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.simulation.pacing import LONGEST_PERIOD_NS
from spacecraft_attitude_sim.core.simulation.run_state import NotNowError, RunState
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.nodes.simulator import publications, standard_services
from spacecraft_attitude_sim.nodes.simulator.lockstep import Lockstep
from spacecraft_attitude_sim.nodes.simulator.long_tick_watch import LongTickWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rclpy.parameter import Parameter
    from rclpy.timer import Timer

    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.simulation import Instant
    from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
    from spacecraft_attitude_sim.nodes.simulator.run_member import RunMember


# Longest wait for acknowledgements [s]; Fast DDS asks a subscriber in another process every 3 s.
LONGEST_FLUSH = 4.0
# A run without pacing waits so long for the network [s] after so many ticks; queues hold more.
BREATH = 0.005
TICKS_BETWEEN_BREATHS = 16
# In lockstep, most ticks without an answer before other callbacks run. Else, without pacing, how
# long ticks that nobody hears are taken before other callbacks run [ns].
MOST_AT_ONCE, AT_ONCE_NS = 64, 1_000_000
# A tick that takes longer than this [s], and this many times the time it has, gives a warning.
LONG_TICK, BY_FAR = 1.0, 10.0
# How long to wait for the answer to a quit request [s]; rclpy cannot tell when it has arrived.
ANSWER_SECONDS = 0.5
# How often a run without pacing looks for compiled code that it waits for [ns], and after how many
# ticks it can tell how long they take in Python.
LOADING_POLL_NS, JUDGED_AFTER = 5_000_000, 8
# Each clock has a thread; rclpy warns about more timers on one clock, as with twenty spacecraft.
TIMERS_OF_A_CLOCK = 4


class Driver:
    """Takes the ticks of a run: one time, one /clock and one tick for all its spacecraft.

    Start, pause, step, reset, change of rate and end apply to all spacecraft. If one of them
    cannot be simulated any further, the run ends for all, before that tick is published for any.

    node: of the first spacecraft; it provides timers and log, and publishes /clock
    run: RunState;  spacecraft: RunMembers, in the order in which they publish
    """

    AWAITS = 'a controller'

    def __init__(self, node: GuardedNode, run: RunState) -> None:
        self.run = run
        self.spacecraft: list[RunMember] = []
        self._node = node
        self._timers = 0
        self._lockstep = Lockstep(node, run, self)
        # Start of the tick that is being computed, and duration of the last one [s].
        self._begun: float | None = None
        self._took = 0.0
        # Takes ticks of a run without pacing elsewhere; returns whether it has.
        self.elsewhere: Callable[[], bool] = lambda: False
        self._watch: LongTickWatch | None = None
        # These timers are never reset; core/simulation/pacing.py explains why.
        self._timer: Any = None
        self._timer_ns = 0
        self._start_timer: Any = None

    def join(self, member: RunMember) -> None:
        """Add a spacecraft to the run before it starts.

        Raises ScenarioError if its tick rate differs from that of the others.
        """
        ticks = member.plant.ticks
        if ticks != self.run.ticks:
            first = self.spacecraft[0].source
            raise formation.other_tick_rate(member.source, ticks.rate, first, self.run.ticks.rate)
        self.spacecraft.append(member)
        if member.value('lockstep'):
            self.run.answers.append(lambda: member.commands.answered)

    def of_run(self, given: Mapping[str, Any], source: str) -> dict[str, Any]:
        """Return {name: value} of the run for a spacecraft that joins; {} for the first.

        given: {name: value} that ROS gives to it;  source: its name, for messages
        Raises ScenarioError if a given value differs.
        """
        if not self.spacecraft:
            return {}
        first = self.spacecraft[0]
        values = {name: first.value(name) for name in formation.OF_RUN}
        formation.check_of_run(given, values, source, first.source)
        return values

    def share(self, change: Parameter[Any]) -> None:
        """Set a changed Parameter of the run in all its spacecraft."""
        for one in self.spacecraft:
            if one.value(change.name) != change.value:  # else an endless loop
                one.set_parameters([change])

    @property
    def publishes_clock(self) -> bool:
        """Whether this run publishes /clock."""
        return self.spacecraft[0].value('publish_clock')

    def timer(self, period: float, callback: Callable[[], object]) -> Timer:
        """Return a timer of wall time, independent of simulated time; period: [s]."""
        if self._timers % TIMERS_OF_A_CLOCK == 0:
            self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timers += 1
        guarded = functools.partial(self._guarded, callback)
        return self._node.create_timer(period, guarded, clock=self._steady)

    def _guarded(self, callback: Callable[[], object]) -> None:
        """Call a function that advances the run; an error ends the run with complete files."""
        try:
            callback()
        except OSError as error:  # for example a table on a full disk
            self.run.fail(
                f'{error.strerror or error}; the last row of the table may be incomplete'
            )
        except Exception as error:
            self.run.fail(f'internal error: {type(error).__name__}: {error}')
            self._node.get_logger().error(traceback.format_exc())

    # --- requests ----------------------------------------------------------------

    def start_after(self, delay: float) -> None:
        """Start after `delay` seconds of wall time."""
        self._start_timer = self.timer(delay, self._start_once)

    def start(self) -> None:
        """Publish the initial states and begin to tick, unless paused.

        In lockstep, first wait for the controllers.
        """
        if self.run.lockstep:
            self._warm_up()
            if not self._lockstep.ready():
                return
        self.run.start(time.monotonic_ns())
        self._lockstep.wait_anew()
        self.publish()
        self._show_observers()
        self._say_what_is_missing()
        self._warm_up()
        self.run.anchor(time.monotonic_ns())
        self._timer_ns = self.run.timer_period
        self._timer = self.timer(1e-9 * self._timer_ns, self._advance_when_due)

    def _start_once(self) -> None:
        self._start_timer.cancel()
        self.start()

    def _say_what_is_missing(self) -> None:
        """Log it after the first tick, because the first log line takes rclpy 20 ms."""
        if not publications.TransformBroadcaster:
            self._node.get_logger().info('/tf is not published: tf2_ros is not installed')
        if not standard_services.srv:
            self._node.get_logger().info(standard_services.MISSING)

    def waits_for(self) -> str:
        """Return as text what a run in lockstep waits for and what may help; '' for nothing."""
        return self._lockstep.waits_for() if self.run.lockstep else ''

    @property
    def follower_names(self) -> Sequence[str]:
        """Names of the spacecraft in other processes that follow this one."""
        return ()

    @property
    def stays(self) -> float:
        """How long to stay in the graph after the end [s]."""
        return 0.0

    def warning(self) -> str:
        """Return as text what is wrong with the distribution over processes, or ''."""
        return ''

    def long_tick(self) -> str:
        """Return as text that a tick takes far too long and why, or ''.

        This is the tick that is being computed, otherwise the last one.
        """
        begun, took = self._begun, self._took
        if begun is not None:
            took = max(took, time.monotonic() - begun)
        if took < max(LONG_TICK, BY_FAR * 1e-9 * self.run.pacer.period):
            return ''
        compiling = '; its code is not compiled yet' if warm_up.under_way() else ''
        asked = '; '.join(map(self._asked, self.spacecraft))
        return f'a tick takes {took:.1f} s or more: {asked}{compiling}'

    def leave(self) -> None:
        """Stop the status thread before the nodes are destroyed."""
        if self._watch:
            self._watch.over.set()

    def look(self, told: bool) -> bool:
        """Log a long tick once, publish a late status, and return whether the tick is long.

        A LongTickWatch calls it.  told: whether the long tick was logged before
        """
        if (problem := self.long_tick()) and not told:
            self._node.get_logger().warning(problem)
        for one in self.spacecraft:
            one.diagnostics.publish_if_late()
        return bool(problem)

    def _asked(self, one: RunMember) -> str:
        """Return as text the rate of a spacecraft and the sub-steps that it needs."""
        rate, steps = one.turning()
        return f'{self._whose(one)}rotates at {rate:.4g} rad/s, {steps} sub-steps per tick'

    def check_asked(self, what: str) -> None:
        """Raise NotNowError if this process cannot do a request, or cannot do it now.

        what: paused, resumed, stepped, reset, put, changed in rate or ended
        """

    def _tell(self) -> None:
        """Tell the other processes of the run its state, if there are any."""

    def pause(self) -> None:
        """Stop ticking after the current tick."""
        self.check_asked('paused')
        self.run.pause()
        self._set_timer(self.run.timer_period)
        self._tell()

    def halt(self, reason: str) -> None:
        """Pause because an answer did not arrive."""
        self.run.halt(reason)
        self._set_timer(self.run.timer_period)
        self._node.get_logger().warning(f'paused: {reason}')
        self._tell()

    def resume(self) -> None:
        """Continue from the current tick.

        In lockstep, a tick without an answer is published again, for a controller that was started
        or restarted meanwhile.
        """
        self.check_asked('resumed')
        waiting = self.run.lockstep and self.run.started
        if waiting:
            self._lockstep.resume()
        self.run.resume(time.monotonic_ns())
        if waiting and self._lockstep.owed():
            self.publish()
        self._run_from_now()
        self._tell()

    def step(self, count: int) -> None:
        """Take `count` ticks at once.

        Raises NotNowError if not paused or not started, or if the equations cannot be continued.
        """
        self.check_asked('stepped')
        for _ in range(count):
            self.run.check_step()
            self._advance()
            if self.run.failure:
                raise NotNowError(f'not stepped further: {self.run.failure}')
            self._breathe_now_and_then()

    def reset(self) -> None:
        """Use the initial states as those of the next tick, and clear commands. Time continues.

        Raises NotNowError if a floor now overlaps an initial state, if sensors cannot measure it,
        or if the run was told to quit.
        """
        self.check_asked('reset')
        if not self.run.started:
            return
        try:
            for one in self.spacecraft:
                one.scenario.first_instant()
        except (scenario_file.ScenarioError, simulation.MotionError) as error:
            raise NotNowError(f'not reset: {error}') from None
        over = self.run.finished
        self.run.reset(time.monotonic_ns())
        for one in self.spacecraft:
            one.commands.held.clear()
        if self.run.paused or self.run.lockstep:
            self._advance()
        elif over:
            self._run_from_now()

    def put(self, member: RunMember, state: State) -> None:
        """Use a State as that of one spacecraft's next tick, now.

        The others take a normal tick. A pending reset is done first.
        Raises ValueError if the state is inside the floor, and NotNowError if sensors cannot
        measure it or another spacecraft cannot take its tick. Then nothing has changed.
        """
        self.check_asked('put')
        if self.run.reset_asked:
            self._advance()
            if self.run.failure:
                raise NotNowError(f'not put: {self.run.failure}')
        self.run.check_time()
        tick, elapsed = self.run.tick + 1, self.run.elapsed + 1
        before = member.instant.readings
        kept = [(one.commands.held, one.commands.held.kept()) for one in self.spacecraft]
        one = member
        try:
            put = simulation.put_instant(member.plant, tick, state, elapsed, before=before)
            instants = []
            for one in self.spacecraft:
                instants.append(put if one is member else one.next_instant())
        except simulation.MotionError as error:
            for commands, own in kept:
                commands.put_back(own)
            raise NotNowError(f'not put: {self._whose(one)}{error}') from None
        self.run.take_tick()
        self.continue_with(instants, [one is member for one in self.spacecraft])

    def change_rate(self, rate: float) -> None:
        """Continue at another real-time factor."""
        self.check_asked('changed in rate')
        self.run.change_rate(rate, time.monotonic_ns())
        if not self.run.paused:
            self._run_from_now()
        self._tell()

    def hold(self) -> None:
        """Take no more ticks, because the process ends."""
        self.run.pause()

    def quit(self) -> None:
        """Stop ticking and set `finished`, so that the spinning thread ends the nodes."""
        self.check_asked('ended')
        self.run.quit()
        self._set_timer(self.run.timer_period)

    def finish(self) -> None:
        """Send everything that is pending."""
        self.flush()
        if self.run.quitting:
            time.sleep(ANSWER_SECONDS)

    def flush(self, seconds: float = LONGEST_FLUSH) -> bool:
        """Wait until reliable subscribers have every message; return whether they have."""
        end = time.monotonic() + seconds
        return all(
            stream.wait_for_all_acked(Duration(seconds=max(0.0, end - time.monotonic())))
            for one in self.spacecraft
            for stream in one.streams
        )

    def on_answer(self) -> None:
        """Take the tick that waited for an answer, if all answers have arrived."""
        if self.run.lockstep:
            self._guarded(self._advance_when_due)

    # --- time -------------------------------------------------------------------------------

    def _warm_up(self) -> None:
        for one in self.spacecraft:
            one.warm_up()

    def _advance(self) -> None:
        """Simulate and publish one tick; a LongTickWatch watches its duration."""
        self._begun = begun = time.monotonic()
        if self._watch is None:
            self._watch = LongTickWatch(self.look)
        try:
            self._advance_all()
        finally:
            self._begun, self._took = None, time.monotonic() - begun

    def _advance_all(self) -> None:
        """Simulate and publish one tick, or the initial states if a reset is pending.

        If that is impossible, the run fails before anything of the tick is published.
        """
        reset = self.run.reset_asked and self.run.take_reset()
        one = None
        try:
            self.run.check_time()
            instants = []
            for one in self.spacecraft:
                instants.append(one.initial_again() if reset else one.next_instant())
        except (scenario_file.ScenarioError, simulation.MotionError, NotNowError) as error:
            self.run.fail(f'{self._whose(one)}{error}')
            return
        self.run.take_tick(initial=reset)
        self.continue_with(instants, [reset] * len(instants))

    def _whose(self, one: RunMember | None) -> str:
        """Return the name of a spacecraft for messages if there are several, else ''."""
        return f'{one.source}: ' if one and len(self.spacecraft) > 1 else ''

    def continue_with(self, instants: Sequence[Instant], were_set: Sequence[bool]) -> None:
        """Continue from Instants of all spacecraft; were_set: those not computed from the last."""
        for one, instant, was_set in zip(self.spacecraft, instants, were_set, strict=True):
            one.continue_with(instant, was_set)
        self.publish()
        # Controllers are working already; here is the work that they need not wait for.
        for one in self.spacecraft:
            one.begin_tick()
        self._lockstep.wait_anew()
        self._show_observers()

    def _run_from_now(self) -> None:
        """From now on, take ticks when they are due."""
        self._lockstep.wait_anew()
        self._set_timer(self.run.timer_period)
        if self._timer and self.run.lockstep and self.run.pacer.period == 0.0:
            self._advance_when_due()

    def _set_timer(self, period: int) -> None:
        """Set another period [ns] of the timer, from its next firing on."""
        if self._timer and period != self._timer_ns:
            self._timer.timer_period_ns = self._timer_ns = period

    def _advance_when_due(self) -> None:
        """Take one tick if one is due; other callbacks run between two ticks."""
        run, now = self.run, time.monotonic_ns()
        running, paced = run.running, run.pacer.period != 0.0
        if running and warm_up.under_way():
            for one in self.spacecraft:
                one.judge_python()
            if warm_up.too_slow(paced):
                run.anchor(now)  # time stops instead of jumping
                self._set_timer(LONGEST_PERIOD_NS)  # the last period may be tiny
                return
            judged = not paced and run.elapsed >= JUDGED_AFTER
            if judged and warm_up.worth_waiting(run.left * self._took):
                self._set_timer(LOADING_POLL_NS)
                return
        if not (running and run.answered):  # an answer calls this again
            self._set_timer(run.timer_period)
            return
        if not paced or run.due(now):
            if paced or not self.elsewhere():
                self._take_tick()
            if run.answers:
                self._take_unanswered()
            elif not (paced or run.lockstep):
                self._take_more(now + AT_ONCE_NS)
        until = self._timer.time_until_next_call() if run.pacer.period else 0
        self._set_timer(run.timer_period_in_step(time.monotonic_ns(), until))

    def _take_unanswered(self) -> None:
        """In lockstep, take the ticks that need no answer as fast as possible."""
        if self.run.pacer.period == 0.0:
            for _ in range(MOST_AT_ONCE):
                if not self.run.may_tick:
                    return
                self._take_tick()

    def _take_more(self, until: int) -> None:
        """Take ticks that nobody hears until a wall time [ns]: one costs a change of threads."""
        if not any(member.heard() for member in self.spacecraft):
            while self.run.may_tick and not warm_up.under_way() and time.monotonic_ns() < until:
                self._take_tick()

    def _take_tick(self) -> None:
        """Take a tick that is due."""
        if problem := warm_up.failure():
            self.run.fail(problem)
            return
        period, warming = self.run.pacer.period, warm_up.under_way()
        begun = time.thread_time() if warming else 0.0
        self._advance()
        if warming:
            warm_up.note(time.thread_time() - begun, 1e-9 * period, 1e-9 * period)
        if period == 0.0 and self.run.answered:  # otherwise the wait for the answer is enough
            self._breathe_now_and_then()

    def _breathe_now_and_then(self) -> None:
        if self.run.tick % TICKS_BETWEEN_BREATHS == 0:
            self.flush(BREATH)

    def _show_observers(self) -> None:
        for one in self.spacecraft:
            one.show_observers()

    def publish(self) -> None:
        """Publish the current tick of all spacecraft; the clock comes first."""
        for one in self.spacecraft:
            one.publish_instant()
