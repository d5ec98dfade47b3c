# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator node: owns state and time, steps the physics, publishes the truth and the IMU."""

import contextlib
import functools
import time
import traceback
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.duration import Duration

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.simulation.run_state import NotNowError, RunState
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros import declaration
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
from spacecraft_attitude_sim.nodes.simulator import publications, standard_services
from spacecraft_attitude_sim.nodes.simulator.commands import Commands
from spacecraft_attitude_sim.nodes.simulator.diagnostics import Diagnostics
from spacecraft_attitude_sim.nodes.simulator.lockstep import Lockstep
from spacecraft_attitude_sim.nodes.simulator.time_control import TimeServices

# A subscriber in another process acknowledges when asked, which Fast DDS does every 3 s [s].
LONGEST_FLUSH = 4.0
# In a run without pacing: a moment for the network every so many ticks, well below the depth of a
# topic [s].
BREATH = 0.005
TICKS_BETWEEN_BREATHS = 16
# Ticks between two turns of others.
MOST_AT_ONCE = 64
# How long the answer to a request to quit may take; rclpy cannot say whether it has arrived [s].
ANSWER_SECONDS = 0.5


class SimulatorNode(GuardedNode):
    """Integrates one spacecraft and publishes it tick by tick.

    source: name of the scenario, for messages;  contact: ContactNode of its floor, or None
    configured: parameters, as of declaration.take_overrides
    on_tick: first of `observers`, or None
    autostart: start by itself after startup_delay; else when `start` is called

    run: RunState;  plant: with the sub-steps and the contact in force;  instant: the present one
    observers: functions that are called with each Instant after it is published

    Raises ScenarioError when a parameter is wrong.
    """

    def __init__(
        self,
        source='parameters',
        on_tick=None,
        autostart=True,
        contact=None,
        configured=None,
        **node_options,
    ):
        super().__init__(
            'simulator', automatically_declare_parameters_from_overrides=True, **node_options
        )
        self.contact = contact
        warm_up.begin(self.get_logger())
        self.scenario = self._declare_scenario(source, configured)
        self.plant = self.scenario.plant
        try:
            self.instant = self.scenario.first_instant()
        except simulation.MotionError as error:
            raise scenario.ScenarioError(f'{source}: {error}') from None
        duration, rate = self.value('duration'), self.value('real_time_factor')
        self.run = RunState(duration, rate, self.value('start_paused'), self.plant.ticks)
        self.saturated = int(self.instant.readings.saturated)
        self._warm = False
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.commands = Commands(self, self.scenario, self.run, self._on_answer)
        if self.value('lockstep'):
            self.run.answers.append(lambda: self.commands.answered)
        self._was_set = True
        self._settings = tick_messages.Settings(self.plant.substeps)
        self._revision = 0
        self._contact_changed = False
        self.observers = [on_tick] if on_tick else []
        if contact:
            contact.join(
                self.scenario, self.instant, self._check_contact, self._change_contact, self.timer
            )
        self._publications = publications.Publications(
            self, self.scenario, contact.publishers_by_topic if contact else {}
        )
        self.streams, self.senders = self._publications.streams, self._publications.senders
        self.sent = self._publications.sent
        self._lockstep = Lockstep(
            self, self.run, self.commands, self.streams, self._publish, self._halt
        )
        TimeServices(self)
        if standard_services.srv:
            standard_services.StandardServices(self, self.run)
        Diagnostics(self, self.run, self.commands, self.waits_for)
        # None of these timers is ever reset; core/simulation/pacing.py says why.
        self._timer: Any = None
        if autostart:
            self._start_timer = self.timer(self.value('startup_delay'), self._start_once)

    def value(self, name):
        """Return the value of a parameter."""
        return self.get_parameter(name).value

    def timer(self, period, callback):
        """Return a timer of wall time [s], which no simulated clock stops."""
        return self.create_timer(
            period, functools.partial(self._guarded, callback), clock=self._steady
        )

    def _guarded(self, callback):
        """Call what advances the run; a mistake of ours ends it, with everything written."""
        try:
            callback()
        except OSError as error:  # as of a table on a disk that is full
            self.run.fail(f'{error.strerror or error}; the last row written may not be whole')
        except Exception as error:
            self.run.fail(f'internal error: {type(error).__name__}: {error}')
            self.get_logger().error(traceback.format_exc())

    # --- what others may ask ----------------------------------------------------------------

    def start(self):
        """Publish the initial state and begin to tick, unless paused.

        In lockstep, wait for a controller first.
        """
        if self.run.lockstep:
            self.warm_up()
            if not self._lockstep.ready():
                return
        self.run.start(time.monotonic_ns())
        self._lockstep.wait_anew()
        self._publish()
        self._show_observers()
        self._say_what_is_missing()
        self.warm_up()
        self.run.anchor(time.monotonic_ns())
        self._timer_ns = self.run.timer_period
        self._timer = self.timer(1e-9 * self._timer_ns, self._advance_when_due)

    def _start_once(self):
        self._start_timer.cancel()
        self.start()

    def _say_what_is_missing(self):
        """Say so after the first tick, for the first line of a log takes rclpy 20 ms."""
        if not publications.TransformBroadcaster:
            self.get_logger().info('/tf is not published: tf2_ros is not installed')
        if not standard_services.srv:
            self.get_logger().info(standard_services.MISSING)

    def under_resolved(self):
        """Return whether this tick turned too fast for automatic sub-steps."""
        instant = self.instant
        return simulation.under_resolved(self.plant, instant.state, instant.inputs.wrench)

    def waits_for(self):
        """Say what a run in lockstep waits for, and what may help; '' where it does not wait."""
        return self._lockstep.waits_for() if self.run.lockstep else ''

    def pause(self):
        """Stop ticking after the present tick."""
        self.run.pause()
        self._set_timer(self.run.timer_period)

    def _halt(self, reason):
        self.run.halt(reason)
        self._set_timer(self.run.timer_period)
        self.get_logger().warning(f'paused: {reason}')

    def resume(self):
        """Go on from the present tick.

        In lockstep without an answer to it yet, it is published again, for a controller that was
        started or restarted meanwhile.
        """
        waiting = self.run.lockstep and self.run.started
        if waiting:
            self._lockstep.resume()
        self.run.resume(time.monotonic_ns())
        if waiting and self.commands.owed():
            self._publish()
        self._run_from_now()

    def step(self, count):
        """Take `count` ticks at once.

        Raises NotNowError unless paused and started, and when the equations cannot go on.
        """
        for _ in range(count):
            self.run.check_step()
            self._advance()
            if self.run.failure:
                raise NotNowError(f'not stepped further: {self.run.failure}')
            self._breathe_now_and_then()

    def reset(self):
        """Put the initial state in place of the next tick's; forget commands. Time goes on.

        Raises NotNowError when the floor has been moved into it, sensors cannot read it, or the
        run was told to quit.
        """
        if not self.run.started:
            return
        try:
            self.scenario.first_instant()
        except (scenario.ScenarioError, simulation.MotionError) as error:
            raise NotNowError(f'not reset: {error}') from None
        over = self.run.finished
        self.run.reset(time.monotonic_ns())
        self.commands.clear()
        if self.run.paused or self.run.lockstep:
            self._advance()
        elif over:
            self._run_from_now()

    def put(self, state):
        """Put a State in place of the next tick's, now; after a reset that is still to come.

        Raises ValueError when it is inside the floor, NotNowError when sensors cannot read it.
        """
        if self.run.reset_asked:
            self._advance()
        tick, elapsed = self.run.tick + 1, self.run.elapsed + 1
        before = self.instant.readings
        try:
            instant = simulation.put_instant(self.plant, tick, state, elapsed, before=before)
        except simulation.MotionError as error:
            raise NotNowError(f'not put: {error}') from None
        self.run.take_tick()
        self._continue_with(instant, was_set=True)

    def quit(self):
        """Stop ticking and be finished, so that whoever spins this node ends it."""
        self.run.quit()
        self._set_timer(self.run.timer_period)

    @property
    def finished(self):
        """Whether the run is over: simulated to its duration, told to quit, or failed."""
        return self.run.finished

    @property
    def failure(self):
        """What ended the run, or ''."""
        return self.run.failure

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
            for stream in self.streams
        )

    # --- time -------------------------------------------------------------------------------

    def warm_up(self):
        """Let what a tick calls be compiled, if that has not begun: compute one, for nobody."""
        if self._warm:
            return
        self._warm = True
        begun = time.monotonic_ns()
        simulation.under_resolved(self.plant, self.instant.state)
        with contextlib.suppress(simulation.MotionError):  # a tick will say so
            simulation.next_instant(self.plant, self.instant, simulation.Inputs())
        warm_up.note(time.monotonic_ns() - begun, self.run.ticks.tick_ns)

    def _advance(self):
        """Simulate and publish one tick; after a reset was asked for, the initial state again.

        Where that cannot be, it is the failure of the run, before anything was published.
        """
        reset = self.run.take_reset()
        try:
            self.run.check_time()
            instant = self._initial_again() if reset else self._next_instant()
        except (scenario.ScenarioError, simulation.MotionError, NotNowError) as error:
            self.run.fail(str(error))
            return
        self.run.take_tick(initial=reset)
        self._continue_with(instant, was_set=reset)

    def _initial_again(self):
        """Return the initial Instant as the next tick's; ScenarioError in a floor moved since."""
        return self.scenario.first_instant(self.run.tick + 1)

    def _next_instant(self):
        inputs, instant = self.commands.take(self.instant.state.q_WB), self.instant
        if self._contact_changed:
            instant = simulation.with_plant(self.plant, instant)
        return simulation.next_instant(self.plant, instant, inputs)

    def _continue_with(self, instant, was_set):
        if self._contact_changed:  # another scenario from this tick on
            self._contact_changed = False
            self._revision += 1
            self._publications.publish_scenario(self.scenario, self._revision)
        self.instant, self._was_set = instant, was_set
        self.saturated += instant.readings.saturated
        self._settings = tick_messages.Settings(self.plant.substeps, self._revision)
        self.commands.begin_tick()
        self._lockstep.wait_anew()
        self._publish()
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
        if run.running and run.pacer.period and warm_up.too_slow():
            run.anchor(now)  # time stands still rather than run away
            return
        if not run.may_tick:  # an answer will call again
            self._set_timer(run.timer_period)
            return
        if run.due(now):
            self._take_tick(now)
            self._take_unanswered()
        now, until = time.monotonic_ns(), self._timer.time_until_next_call()
        self._set_timer(run.timer_period_in_step(now, until))

    def _take_unanswered(self):
        """In lockstep as fast as possible, take the ticks that nobody will answer."""
        if self.run.lockstep and self.run.pacer.period == 0.0:
            for _ in range(MOST_AT_ONCE):
                if not self.run.may_tick:
                    return
                self._take_tick(time.monotonic_ns())

    def _take_tick(self, begun):
        """Take a tick that is due at a time of the steady clock [ns]."""
        if problem := warm_up.failure():
            self.run.fail(problem)
            return
        period = self.run.pacer.period
        self._advance()
        warm_up.note(time.monotonic_ns() - begun, period)
        if period == 0.0:
            self._breathe_now_and_then()

    def _breathe_now_and_then(self):
        if self.run.tick % TICKS_BETWEEN_BREATHS == 0:
            self.flush(BREATH)

    def _on_answer(self):
        if self.run.lockstep and self.run.running:
            self._guarded(self._advance_when_due)

    def _show_observers(self):
        for observer in self.observers:
            observer(self.instant)

    # --- parameters -------------------------------------------------------------------------

    def _declare_scenario(self, source, configured):
        floor = self.contact.given if self.contact else None
        given = declaration.take_overrides(self, configured)
        declared = scenario.build(given, source, floor)
        catalogue = scenario.catalogue(declared.parameters)
        for name, value in declared.parameters.items():
            declaration.declare(self, catalogue[name], value)
        declaration.check_changes(self, catalogue.values())
        self.add_on_set_parameters_callback(self._check_change)
        self.add_post_set_parameters_callback(self._on_change)
        return declared

    def _check_change(self, changes):
        """Refuse sub-steps that do not resolve the present motion."""
        for change in changes:
            if change.name == 'substeps':
                plant = self.plant.with_substeps(change.value)
                try:
                    rate_B = plant.spacecraft.angular_velocity_B(self.instant.state)
                    limits.check_given_rate(plant, rate_B)
                except ValueError as error:
                    return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _on_change(self, changes):
        for change in changes:
            if change.name == 'substeps':
                self.plant = self.plant.with_substeps(change.value)
                self.commands.judge_by(self.plant)
            if change.name == 'real_time_factor':
                self.run.change_rate(change.value, time.monotonic_ns())
                if not self.run.paused:
                    self._run_from_now()

    def _check_contact(self, given):
        """Raise ParameterError when these parameters of the contact cannot be, now."""
        plant = self.scenario.with_contact(given).plant
        try:
            simulation.given_instant(
                plant, simulation.with_plant(plant, self.instant), self.instant.readings
            )
        except (simulation.MotionError, ValueError) as error:
            raise ParameterError(str(error)) from None

    def _change_contact(self, given):
        """Go on from the next tick with other parameters of the contact."""
        self.scenario = self.scenario.with_contact(given)
        self.plant = self.plant.with_contact(self.scenario.plant.contact)
        self._contact_changed = True

    # --- publishing -------------------------------------------------------------------------

    def _publish(self):
        """Publish everything of this instant."""
        self._publications.publish(self.instant, self._settings, self._was_set)
        if self.contact:
            self.contact.show(self.plant.contact.floor, self.instant)
