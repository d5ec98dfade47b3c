# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Takes the ticks of a run, of all its spacecraft together, when they are due or asked for."""

import contextlib
import functools
import threading
import time
import traceback
import weakref
from typing import Any

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.duration import Duration

from spacecraft_attitude_sim.configuration import formation, scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.simulation.pacing import LONGEST_PERIOD_NS
from spacecraft_attitude_sim.core.simulation.run_state import NotNowError, RunState
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.nodes.simulator import publications, standard_services
from spacecraft_attitude_sim.nodes.simulator.lockstep import Lockstep

# A subscriber in another process acknowledges when asked, which Fast DDS does every 3 s [s].
LONGEST_FLUSH = 4.0
# In a run without pacing: a moment for the network every so many ticks, well below the depth of a
# topic [s].
BREATH = 0.005
TICKS_BETWEEN_BREATHS = 16
# In lockstep, ticks that nobody answers between two turns of others.
MOST_AT_ONCE = 64
# What a tick may take [s], and of what the rate allows it: what is longer is worth a warning.
LONG_TICK, BY_FAR = 1.0, 10.0
# How often to look whether a tick takes long, or a status is late [s].
LOOK_SECONDS = 0.1
# How long the answer to a request to quit may take; rclpy cannot say whether it has arrived [s].
ANSWER_SECONDS = 0.5
# Each clock has a thread, and of one with more timers, as of twenty spacecraft, rclpy complains.
TIMERS_OF_A_CLOCK = 4


class Driver:
    """Takes the ticks of a run: one time, one /clock, one tick for all spacecraft in it.

    All that happens to the run happens to all of them: start, pause, step, reset, rate, end.
    What cannot be simulated of one ends the run of all, before that tick is published of any.

    node: the first simulator, whose timers and log it uses, and who publishes /clock
    run: RunState;  spacecraft: simulators, in the order in which they publish
    """

    AWAITS = 'a controller'

    def __init__(self, node, run: RunState):
        self.run = run
        self.spacecraft: list = []
        self._node = node
        self._timers = 0
        self._lockstep = Lockstep(node, run, self)
        # When the tick began that is being computed, and what the last one took [s].
        self._begun: float | None = None
        self._took = 0.0
        self._beside: Beside | None = None
        # None of these timers is ever reset; core/simulation/pacing.py says why.
        self._timer: Any = None
        self._timer_ns = 0
        self._start_timer: Any = None

    def join(self, simulator):
        """Take a simulator into the run, before it starts.

        Raises ScenarioError unless its ticks are those of the others.
        """
        ticks = simulator.plant.ticks
        if ticks != self.run.ticks:
            first = self.spacecraft[0].source
            raise formation.other_tick_rate(
                simulator.source, ticks.rate, first, self.run.ticks.rate
            )
        self.spacecraft.append(simulator)
        if simulator.value('lockstep'):
            self.run.answers.append(lambda: simulator.commands.answered)

    def of_run(self, given, source):
        """Return {name: value} of this run for a simulator that joins; {} for the first.

        given: {name: value} that it is told by ROS;  source: its name, for messages
        Raises ScenarioError where that is another value.
        """
        if not self.spacecraft:
            return {}
        first = self.spacecraft[0]
        values = {name: first.value(name) for name in formation.OF_RUN}
        formation.check_of_run(given, values, source, first.source)
        return values

    def share(self, change):
        """Give a changed Parameter of the run to all spacecraft in it."""
        for one in self.spacecraft:
            if one.value(change.name) != change.value:  # else each would tell the others for ever
                one.set_parameters([change])

    @property
    def publishes_clock(self):
        """Whether the time of this run is that of /clock."""
        return self.spacecraft[0].value('publish_clock')

    def timer(self, period, callback):
        """Return a timer of wall time [s], which no simulated clock stops."""
        if self._timers % TIMERS_OF_A_CLOCK == 0:
            self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timers += 1
        guarded = functools.partial(self._guarded, callback)
        return self._node.create_timer(period, guarded, clock=self._steady)

    def _guarded(self, callback):
        """Call what advances the run; a mistake of ours ends it, with everything written."""
        try:
            callback()
        except OSError as error:  # as of a table on a disk that is full
            self.run.fail(
                f'{error.strerror or error}; the last row of the table may be incomplete'
            )
        except Exception as error:
            self.run.fail(f'internal error: {type(error).__name__}: {error}')
            self._node.get_logger().error(traceback.format_exc())

    # --- what others may ask ----------------------------------------------------------------

    def start_after(self, delay):
        """Start by itself, `delay` seconds of wall time from now."""
        self._start_timer = self.timer(delay, self._start_once)

    def start(self):
        """Publish the initial states and begin to tick, unless paused.

        In lockstep, wait for the controllers first.
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

    def _start_once(self):
        self._start_timer.cancel()
        self.start()

    def _say_what_is_missing(self):
        """Say so after the first tick, for the first line of a log takes rclpy 20 ms."""
        if not publications.TransformBroadcaster:
            self._node.get_logger().info('/tf is not published: tf2_ros is not installed')
        if not standard_services.srv:
            self._node.get_logger().info(standard_services.MISSING)

    def waits_for(self):
        """Say what a run in lockstep waits for, and what may help; '' where it does not wait."""
        return self._lockstep.waits_for() if self.run.lockstep else ''

    @property
    def follower_names(self):
        """Names of the spacecraft in other processes that follow this one."""
        return ()

    @property
    def stays(self):
        """How long to stay in the graph when all is done [s]."""
        return 0.0

    def warning(self):
        """Say what is wrong with how the run is spread over processes, or ''."""
        return ''

    def long_tick(self):
        """Say that a tick takes far longer than it may, and what of the motion asks for it; or ''.

        Of that which is being computed, or else of the last.
        """
        begun, took = self._begun, self._took
        if begun is not None:
            took = max(took, time.monotonic() - begun)
        if took < max(LONG_TICK, BY_FAR * 1e-9 * self.run.pacer.period):
            return ''
        compiling = '; its code is not compiled yet' if warm_up.under_way() else ''
        asked = '; '.join(map(self._asked, self.spacecraft))
        return f'a tick takes {took:.1f} s or more: {asked}{compiling}'

    def leave(self):
        """Speak no more, for the nodes are about to go."""
        if self._beside:
            self._beside.over.set()

    def look(self, told):
        """Look from beside: say once in the log that a tick takes long, publish what is late.

        Return whether it takes long; told: whether that has been said
        """
        problem = self.long_tick()
        if problem and not told:
            self._node.get_logger().warning(problem)
        for one in self.spacecraft:
            one.diagnostics.publish_if_late()
        return bool(problem)

    def _asked(self, one):
        """Return in words how a spacecraft turns, and how many sub-steps that asks for."""
        rate, steps = one.turning()
        return f'{self._whose(one)}rotates at {rate:.4g} rad/s, {steps} sub-steps per tick'

    def check_asked(self, what):
        """Raise NotNowError where that cannot be asked of this process, or not now.

        what: paused, resumed, stepped, reset, put, changed in rate or ended
        """

    def _tell(self):
        """Tell other processes of the run how it is, where there are any."""

    def pause(self):
        """Stop ticking after the present tick."""
        self.check_asked('paused')
        self.run.pause()
        self._set_timer(self.run.timer_period)
        self._tell()

    def halt(self, reason):
        """Pause because an answer did not come."""
        self.run.halt(reason)
        self._set_timer(self.run.timer_period)
        self._node.get_logger().warning(f'paused: {reason}')
        self._tell()

    def resume(self):
        """Go on from the present tick.

        In lockstep without an answer to it yet, it is published again, for a controller that was
        started or restarted meanwhile.
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

    def step(self, count):
        """Take `count` ticks at once.

        Raises NotNowError unless paused and started, and when the equations cannot go on.
        """
        self.check_asked('stepped')
        for _ in range(count):
            self.run.check_step()
            self._advance()
            if self.run.failure:
                raise NotNowError(f'not stepped further: {self.run.failure}')
            self._breathe_now_and_then()

    def reset(self):
        """Put the initial states in place of the next tick's; forget commands. Time goes on.

        Raises NotNowError when a floor has been moved into one, sensors cannot read it, or the
        run was told to quit.
        """
        self.check_asked('reset')
        if not self.run.started:
            return
        try:
            for one in self.spacecraft:
                one.scenario.first_instant()
        except (scenario.ScenarioError, simulation.MotionError) as error:
            raise NotNowError(f'not reset: {error}') from None
        over = self.run.finished
        self.run.reset(time.monotonic_ns())
        for one in self.spacecraft:
            one.commands.held.clear()
        if self.run.paused or self.run.lockstep:
            self._advance()
        elif over:
            self._run_from_now()

    def put(self, simulator, state):
        """Put a State of one spacecraft in place of the next tick's, now.

        The others take a tick; a reset that is still to come is taken first.
        Raises ValueError when it is inside the floor, NotNowError when sensors cannot read it or
        another cannot take its tick. Then all are as they were, their commands included.
        """
        self.check_asked('put')
        if self.run.reset_asked:
            self._advance()
            if self.run.failure:
                raise NotNowError(f'not put: {self.run.failure}')
        self.run.check_time()
        tick, elapsed = self.run.tick + 1, self.run.elapsed + 1
        before = simulator.instant.readings
        kept = [(one.commands.held, one.commands.held.kept()) for one in self.spacecraft]
        one = simulator
        try:
            put = simulation.put_instant(simulator.plant, tick, state, elapsed, before=before)
            instants = []
            for one in self.spacecraft:
                instants.append(put if one is simulator else one.next_instant())
        except simulation.MotionError as error:
            for commands, own in kept:
                commands.put_back(own)
            raise NotNowError(f'not put: {self._whose(one)}{error}') from None
        self.run.take_tick()
        self._continue_with(instants, [one is simulator for one in self.spacecraft])

    def change_rate(self, rate):
        """Go on at another real-time factor."""
        self.check_asked('changed in rate')
        self.run.change_rate(rate, time.monotonic_ns())
        if not self.run.paused:
            self._run_from_now()
        self._tell()

    def hold(self):
        """Take no tick by itself any more: the process ends."""
        self.run.pause()

    def quit(self):
        """Stop ticking and be finished, so that whoever spins these nodes ends them."""
        self.check_asked('ended')
        self.run.quit()
        self._set_timer(self.run.timer_period)

    def finish(self):
        """Leave nothing unsent."""
        self.flush()
        if self.run.quitting:
            time.sleep(ANSWER_SECONDS)

    def flush(self, seconds=LONGEST_FLUSH):
        """Wait until every reliable subscriber has what was published; return whether it has."""
        end = time.monotonic() + seconds
        return all(
            stream.wait_for_all_acked(Duration(seconds=max(0.0, end - time.monotonic())))
            for one in self.spacecraft
            for stream in one.streams
        )

    def on_answer(self):
        """Take the tick that waited for an answer which has come, if it is complete."""
        if self.run.lockstep:
            self._guarded(self._advance_when_due)

    # --- time -------------------------------------------------------------------------------

    def _warm_up(self):
        for one in self.spacecraft:
            one.warm_up()

    def _advance(self):
        """Simulate and publish one tick, which the thread beside watches."""
        self._begun = time.monotonic()
        if self._beside is None:
            self._beside = Beside(self)
        try:
            self._advance_all()
        finally:
            begun, self._begun = self._begun, None
            self._took = time.monotonic() - begun

    def _advance_all(self):
        """Simulate and publish one tick; after a reset was asked for, the initial states again.

        Where that cannot be, it is the failure of the run, before anything was published.
        """
        reset = self.run.reset_asked and self.run.take_reset()
        one = None
        try:
            self.run.check_time()
            instants = []
            for one in self.spacecraft:
                instants.append(one.initial_again() if reset else one.next_instant())
        except (scenario.ScenarioError, simulation.MotionError, NotNowError) as error:
            self.run.fail(f'{self._whose(one)}{error}')
            return
        self.run.take_tick(initial=reset)
        self._continue_with(instants, [reset] * len(instants))

    def _whose(self, one):
        """Return the name of a simulator, or None, where it is one of several."""
        return f'{one.source}: ' if one and len(self.spacecraft) > 1 else ''

    def _continue_with(self, instants, were_set):
        """Go on from Instants of all spacecraft; were_set: which do not follow from the last."""
        for one, instant, was_set in zip(self.spacecraft, instants, were_set, strict=True):
            one.continue_with(instant, was_set)
        self.publish()
        # Who answers is at work already; what it need not wait for comes here.
        for one in self.spacecraft:
            one.begin_tick()
        self._lockstep.wait_anew()
        self._show_observers()

    def _run_from_now(self):
        """Take ticks when they are due, from now on."""
        self._lockstep.wait_anew()
        self._set_timer(self.run.timer_period)
        if self._timer and self.run.lockstep and self.run.pacer.period == 0.0:
            self._advance_when_due()

    def _set_timer(self, period):
        """Let the timer have another period [ns], from its next firing on."""
        if self._timer and period != self._timer_ns:
            self._timer.timer_period_ns = self._timer_ns = period

    def _advance_when_due(self):
        """Take one tick if one is due: between any two, others have their turn."""
        run, now = self.run, time.monotonic_ns()
        running, paced = run.running, run.pacer.period != 0.0
        if running and warm_up.under_way():
            for one in self.spacecraft:
                one.judge_python()
        if running and warm_up.too_slow(paced):
            run.anchor(now)  # time stands still rather than run away
            self._set_timer(LONGEST_PERIOD_NS)  # that of the last tick may be tiny
            return
        if not (running and run.answered):  # an answer will call again
            self._set_timer(run.timer_period)
            return
        if not paced or run.due(now):
            self._take_tick()
            if run.answers:
                self._take_unanswered()
        now, until = time.monotonic_ns(), self._timer.time_until_next_call()
        self._set_timer(run.timer_period_in_step(now, until))

    def _take_unanswered(self):
        """In lockstep as fast as possible, take the ticks that nobody will answer."""
        if self.run.pacer.period == 0.0:
            for _ in range(MOST_AT_ONCE):
                if not self.run.may_tick:
                    return
                self._take_tick()

    def _take_tick(self):
        """Take a tick that is due."""
        if problem := warm_up.failure():
            self.run.fail(problem)
            return
        period, begun = self.run.pacer.period, time.thread_time()
        self._advance()
        warm_up.note(time.thread_time() - begun, 1e-9 * period)
        if period == 0.0 and self.run.answered:  # else waiting for the answer is a breath
            self._breathe_now_and_then()

    def _breathe_now_and_then(self):
        if self.run.tick % TICKS_BETWEEN_BREATHS == 0:
            self.flush(BREATH)

    def _show_observers(self):
        for one in self.spacecraft:
            one.show_observers()

    def publish(self):
        """Publish the present tick of all, the clock before anyone's data."""
        for one in self.spacecraft:
            one.publish_instant()


class Beside:
    """A thread that speaks for the one that ticks, which hears no timer while a tick takes long.

    Compiled loops let it run, and no tick waits for it.

    over: Event that ends it
    """

    def __init__(self, driver):
        self._driver = weakref.ref(driver)
        self.over = threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self):
        told = False
        while not self.over.wait(LOOK_SECONDS) and (driver := self._driver()):
            # What the other thread changes just now is looked at the next time.
            with contextlib.suppress(Exception):
                told = driver.look(told)
            del driver
