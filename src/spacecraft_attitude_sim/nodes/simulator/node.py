# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator node: owns state and time, steps the physics, publishes the truth and the IMU."""

import contextlib
import functools
import math
import time
import traceback
from collections import Counter

from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.duration import Duration
from std_msgs.msg import String

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.core import simulation, ticks
from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros import declaration, qos, serialised
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
from spacecraft_attitude_sim.nodes.simulator import standard_services
from spacecraft_attitude_sim.nodes.simulator.commands import Commands
from spacecraft_attitude_sim.nodes.simulator.diagnostics import Diagnostics
from spacecraft_attitude_sim.nodes.simulator.pacing import LONGEST_PERIOD_NS, Pacer
from spacecraft_attitude_sim.nodes.simulator.time_control import NotNowError, TimeServices

try:
    from tf2_ros import StaticTransformBroadcaster, TransformBroadcaster
except ImportError:  # not on PyPI; everything else runs without it
    TransformBroadcaster = None

# A subscriber in another process acknowledges when asked, which Fast DDS does every 3 s [s].
LONGEST_FLUSH = 4.0
# In a run without pacing: a moment for the network every so many ticks, well below the depth of a
# topic [s].
BREATH = 0.005
TICKS_BETWEEN_BREATHS = 16
# How long the answer to a request to quit may take; rclpy cannot say whether it has arrived [s].
ANSWER_SECONDS = 0.5
# In lockstep: how often to look for controllers, and how long to let their connections settle [s].
CONTROLLER_POLL = 0.1
CONTROLLER_SETTLE = 0.5
# Without a lockstep_timeout, how long others wait for a source that has never answered [s].
LONGEST_SPEECHLESS = 5.0
# After so much waiting the console is told whom for [s].
LONGEST_SILENT_WAIT = 2.0


class SimulatorNode(GuardedNode):
    """Integrates one rigid body and publishes it at 32 Hz.

    source: name of the scenario, for messages;  contact: ContactNode of its floor, or None
    configured: parameters, as of declaration.take_overrides
    on_tick: called with the Instant after each tick is published; None for nobody
    autostart: start by itself after startup_delay; else when `start` is called

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
        try:
            self.instant = self.scenario.first_instant()
        except simulation.MotionError as error:
            raise scenario.ScenarioError(f'{source}: {error}') from None
        self.paused = self.value('start_paused')
        self.lockstep = self.value('lockstep')
        self.saturated = int(self.instant.readings.saturated)
        self.halted = ''
        self.failure = ''
        self.started = False
        self._rehearsed = False
        self.quitting = False
        self.pacer = Pacer()
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.commands = Commands(self, self.scenario, self._on_answer)
        self._messages = tick_messages.TickMessages(self.scenario)
        self._given = True
        self._settings = tick_messages.Settings(self._plant.substeps)
        self._revision = 0
        self._contact_changed = False
        self._first_tick = 0
        self._last_tick = ticks.ticks_covering(self.value('duration')) or math.inf
        self._reset_asked = False
        self._controllers = (None, 0.0)  # those connected, and for how long [s]
        self._looked = time.monotonic()
        self._begin_waiting()
        self._on_tick = on_tick or (lambda instant: None)
        self.sent = Counter()
        # Told after the first tick, for the first line of a log takes rclpy 20 ms.
        self.notices = []
        if contact:
            contact.join(self)
        self._make_publishers()
        self._time_services = TimeServices(self)
        self._standard_services = standard_services.offer(self)
        self._diagnostics = Diagnostics(self)
        # None of these timers is ever reset; nodes/simulator/pacing.py says why.
        self._timer = None
        self._watch_timer = None
        if autostart:
            self._start_timer = self.timer(self.value('startup_delay'), self._start_once)

    @property
    def plant(self):
        """What is simulated, with the sub-steps and the contact in force."""
        return self._plant

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
            self.failure = f'{error.strerror or error}; the last row written may not be whole'
        except Exception as error:
            self.failure = f'internal error: {type(error).__name__}: {error}'
            self.get_logger().error(traceback.format_exc())

    # --- what others may ask ----------------------------------------------------------------

    def start(self):
        """Publish the initial state and begin to tick, unless paused.

        In lockstep, wait for a controller first.
        """
        if self.lockstep and self._watch_timer is None:
            self._looked = time.monotonic()
            self._watch_timer = self.timer(CONTROLLER_POLL, self._watch_lockstep)
            self.rehearse()
        if self.lockstep and not self._controllers_connected():
            return
        self.started = True
        if self.lockstep:
            self.commands.await_present()
        self._begin_waiting()
        self._publish()
        self._on_tick(self.instant)
        for notice in self.notices:
            self.get_logger().info(notice)
        self.rehearse()
        self._anchor()
        self._timer_ns = self._timer_period()
        self._timer = self.timer(1e-9 * self._timer_ns, self._advance_when_due)

    def _start_once(self):
        self._start_timer.cancel()
        self.start()

    def rehearse(self):
        """Let what a tick calls be compiled, if that has not begun."""
        if not self._rehearsed:
            self._rehearsed = True
            warm_up.rehearse(self._compute_a_tick, ticks.TICK_SECONDS)

    def under_resolved(self):
        """Return whether this tick turned too fast for automatic sub-steps."""
        instant = self.instant
        return simulation.under_resolved(self._plant, instant.state, instant.inputs.wrench)

    def pause(self):
        """Stop ticking after the present tick."""
        self.paused = True
        self._set_timer(self._timer_period())

    def resume(self):
        """Go on from the present tick.

        In lockstep without an answer to it yet, it is published again, for a controller that was
        started or restarted meanwhile.
        """
        if self.lockstep and self.started:
            if self.halted:
                self.commands.leave_out_missing()
            else:
                self.commands.await_present()
        self.paused, self.halted = False, ''
        if self.started:
            if self.lockstep and self.commands.owed():
                self._publish()
            self._run_from_now()

    def step(self, count):
        """Take `count` ticks at once.

        Raises NotNowError unless paused and started, and when the equations cannot go on.
        """
        if not self.started:
            raise NotNowError('not stepped: not started yet')
        if not self.paused:
            raise NotNowError('not stepped: running; call ~/pause first')
        for _ in range(count):
            if self.finished:
                raise NotNowError('not stepped further: the run is over')
            self._advance()
            if self.failure:
                raise NotNowError(f'not stepped further: {self.failure}')
            self._breathe_now_and_then()

    def reset(self):
        """Put the initial state in place of the next tick's; forget commands. Time goes on.

        Raises NotNowError when the floor has been moved into it, or sensors cannot read it.
        """
        if not self.started:
            return
        try:
            self.scenario.first_instant()
        except (scenario.ScenarioError, simulation.MotionError) as error:
            raise NotNowError(f'not reset: {error}') from None
        self._reset_asked = True
        self.commands.clear()
        if self.paused or self.lockstep:
            self._advance()
        elif self.finished:
            self._run_from_now()

    def put(self, state):
        """Put a State in place of the next tick's, now; after a reset that is still to come.

        Raises ValueError when it is inside the floor, NotNowError when sensors cannot read it.
        """
        if self._reset_asked:
            self._advance()
        tick, elapsed = self.instant.tick + 1, self.instant.elapsed + 1
        before = self.instant.readings
        try:
            instant = simulation.put_instant(self._plant, tick, state, elapsed, before=before)
        except simulation.MotionError as error:
            raise NotNowError(f'not put: {error}') from None
        self._continue_with(instant, given=True)

    def quit(self):
        """Stop ticking and be finished, so that whoever spins this node ends it."""
        self.pause()
        self.quitting = True

    @property
    def finished(self):
        """Whether the run is over: simulated to its duration, told to quit, or failed."""
        return self.quitting or bool(self.failure) or self.completed

    @property
    def completed(self):
        """Whether the duration has been simulated."""
        return self.instant.tick - self._first_tick >= self._last_tick

    @property
    def at_start(self):
        """Whether this is the initial state, of the beginning or of a reset."""
        return self.instant.tick == self._first_tick

    def finish(self):
        """Leave nothing unsent."""
        self.flush()
        if self.quitting:
            time.sleep(ANSWER_SECONDS)

    def flush(self, seconds=LONGEST_FLUSH):
        """Wait until every reliable subscriber has what was published; return whether it has."""
        end = time.monotonic() + seconds
        return all(
            stream.wait_for_all_acked(Duration(seconds=max(0.0, end - time.monotonic())))
            for stream in self.streams
        )

    # --- time -------------------------------------------------------------------------------

    def _advance(self):
        """Simulate and publish one tick; after a reset was asked for, the initial state again.

        Where that cannot be, it is the failure of the run, before anything was published.
        """
        given = self._reset_asked
        try:
            instant = self._initial_again() if given else self._next_instant()
        except (scenario.ScenarioError, simulation.MotionError) as error:
            self.failure = str(error)
            return
        self._continue_with(instant, given)

    def _initial_again(self):
        """Return the initial Instant as the next tick's; ScenarioError in a floor moved since."""
        self._reset_asked, self.failure = False, ''
        initial = self.scenario.first_instant(self.instant.tick + 1)
        self._first_tick = initial.tick
        return initial

    def _next_instant(self):
        inputs, instant = self.commands.take(self.instant.state.q_WB), self.instant
        if self._contact_changed:
            instant = simulation.with_plant(self._plant, instant)
        return simulation.next_instant(self._plant, instant, inputs)

    def _compute_a_tick(self):
        simulation.under_resolved(self._plant, self.instant.state)
        with contextlib.suppress(simulation.MotionError):  # a tick will say so
            simulation.next_instant(self._plant, self.instant, simulation.Inputs())

    def _continue_with(self, instant, given):
        self._publish_changed_scenario()
        self.instant, self._given = instant, given
        self.saturated += instant.readings.saturated
        self._settings = tick_messages.Settings(self._plant.substeps, self._revision)
        self.commands.begin_tick()
        self._begin_waiting()
        self._publish()
        self._on_tick(instant)

    @property
    def answered(self):
        """Whether the present tick has been answered, in lockstep."""
        return self.commands.answered

    def _run_from_now(self):
        self._anchor()
        self._begin_waiting()
        self._set_timer(self._timer_period())
        if self.lockstep and self.pacer.period == 0.0:
            self._advance_when_due()

    def _anchor(self):
        factor = self.value('real_time_factor')
        self.pacer.anchor(self.instant.tick, time.monotonic_ns(), factor)

    def _timer_period(self):
        """Return how often to look whether a tick is due [ns], by no phase in particular."""
        if self.paused or self.finished or (self.lockstep and self.pacer.period == 0.0):
            return LONGEST_PERIOD_NS  # nothing to do; in lockstep the answers alone drive it
        return int(min(self.pacer.period, LONGEST_PERIOD_NS))

    def _set_timer(self, period):
        """Let the timer have another period [ns], from its next firing on."""
        if self._timer and period != self._timer_ns:
            self._timer.timer_period_ns = self._timer_ns = period

    def _advance_when_due(self):
        """Take one tick if one is due: between any two, others have their turn."""
        if self.paused or (self.finished and not self._reset_asked):
            self._set_timer(self._timer_period())
            return
        if self.pacer.period and warm_up.too_slow():
            self._anchor()  # time stands still rather than run away
            return
        if self.lockstep and not self.answered:  # the answer will call again
            self._set_timer(self._timer_period())
            return
        self._advance_if_due()
        self._set_timer(self._period_in_step() if self.pacer.period else self._timer_period())

    def _advance_if_due(self):
        if not self.pacer.ticks_due(self.instant.tick, time.monotonic_ns()):
            return
        if problem := warm_up.failure():
            self.failure = problem
            return
        warm_up.rehearse(self._advance, self.pacer.period * 1e-9)
        if self.pacer.period == 0.0:
            self._breathe_now_and_then()

    def _period_in_step(self):
        """Return the period that lets the timer fire when the next tick is due [ns]."""
        now, until = time.monotonic_ns(), self._timer.time_until_next_call()
        return self.pacer.timer_period(self.instant.tick, now, until)

    def _breathe_now_and_then(self):
        if self.instant.tick % TICKS_BETWEEN_BREATHS == 0:
            self.flush(BREATH)

    # --- lockstep ---------------------------------------------------------------------------

    def _controllers_connected(self):
        """Return whether the same controllers are connected for CONTROLLER_SETTLE.

        And all who listen with them.
        """
        sources = [sources.present() for sources in self.commands.sources.values()]
        listening = any(stream.get_subscription_count() for stream in self.streams)
        reached = all(
            stream.get_subscription_count() >= self.count_subscribers(stream.topic_name)
            for stream in self.streams
        )
        if self.commands.lacking() or not (listening and reached):
            self._controllers = (None, 0.0)
            return False
        before, since = self._controllers
        now = time.monotonic()
        if sources != before:
            self._controllers = (sources, now)
            return False
        return now - since >= CONTROLLER_SETTLE

    def _begin_waiting(self):
        """Wait anew: how long [s], whether that was told, and the answer asked for again."""
        self._waited, self._told, self._asked_again = 0.0, False, False

    def _on_answer(self):
        if self.lockstep and self.started and not self.paused:
            self._guarded(self._advance_when_due)

    def _watch_lockstep(self):
        """Look after whom the run waits for: for its start, or for an answer."""
        now = time.monotonic()
        # A node that was stopped or starved has not been waiting: its answer may be there.
        self._waited += min(now - self._looked, 2 * CONTROLLER_POLL)
        self._looked = now
        if not self.started:
            self.start()
        elif self.paused or self.finished or self.answered:
            self._begin_waiting()
        elif self._waited > CONTROLLER_POLL:
            self._on_silence()
        if self._waited >= LONGEST_SILENT_WAIT and not self._told:
            self._told = True
            self.get_logger().warning(self.waits_for())

    def waits_for(self):
        """Say what a run in lockstep waits for, and what may help; '' where it does not wait."""
        if not self.lockstep or self.paused or self.finished:
            return ''
        if not self.started:
            topics = ', '.join(self.commands.lacking() or self.commands.awaited_topics)
            return (
                f'lockstep waits for a controller: none publishes {topics} and hears a sensor '
                'yet; start one, or run without lockstep'
            )
        if self._waited < LONGEST_SILENT_WAIT:
            return ''
        return f'lockstep waits for the answer to tick {self.instant.tick} from {self._missing()}'

    def _missing(self):
        return ', '.join(self.commands.missing()) or ', '.join(self.commands.awaited_topics)

    def _on_silence(self):
        self.commands.drop_gone()
        timeout = self.value('lockstep_timeout')
        patience = timeout or LONGEST_SPEECHLESS
        if self.commands.owed() and patience / 2.0 <= self._waited and not self._asked_again:
            # A best-effort subscriber may have lost a message; it would wait as long as we do.
            self._asked_again = True
            self._publish()
        if self.answered or self._waited < patience:
            return
        if names := self.commands.leave_out_speechless():
            self.get_logger().warning(
                f'lockstep goes on without {", ".join(names)}, which never answered; ticks wait '
                'for it from its first answer on'
            )
            return
        if timeout == 0.0:
            return
        self.halted = (
            f'no answer stamped with tick {self.instant.tick} came within {timeout:g} s from '
            f'{self._missing()}; call ~/pause with false to go on without it'
        )
        self.pause()
        self.get_logger().warning(f'paused: {self.halted}')

    # --- parameters -------------------------------------------------------------------------

    def _declare_scenario(self, source, configured):
        floor = self.contact.given if self.contact else None
        given = declaration.take_overrides(self, configured)
        found = scenario.build(given, source, floor)
        catalogue = scenario.catalogue(found.parameters)
        for name, value in found.parameters.items():
            declaration.declare(self, catalogue[name], value)
        declaration.check_changes(self, catalogue.values())
        self.add_on_set_parameters_callback(self._check_change)
        self.add_post_set_parameters_callback(self._on_change)
        self._plant = found.plant
        return found

    def _check_change(self, changes):
        """Refuse sub-steps that do not resolve the present motion."""
        for change in changes:
            if change.name == 'substeps':
                plant = self._plant.with_substeps(change.value)
                try:
                    rate_B = plant.spacecraft.angular_velocity_B(self.instant.state)
                    limits.check_given_rate(plant, rate_B)
                except ValueError as error:
                    return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _on_change(self, changes):
        for change in changes:
            if change.name == 'substeps':
                self._plant = self._plant.with_substeps(change.value)
                self.commands.judge_by(self._plant)
            if change.name == 'real_time_factor' and self.started and not self.paused:
                self._run_from_now()

    def check_contact(self, given):
        """Raise ParameterError when these parameters of the contact cannot be, now."""
        plant = self.scenario.with_contact(given).plant
        try:
            simulation.given_instant(
                plant, simulation.with_plant(plant, self.instant), self.instant.readings
            )
        except (simulation.MotionError, ValueError) as error:
            raise ParameterError(str(error)) from None

    def change_contact(self, given):
        """Go on from the next tick with other parameters of the contact."""
        self.scenario = self.scenario.with_contact(given)
        self._plant = self._plant.with_contact(self.scenario.plant.contact)
        self._contact_changed = True

    # --- publishing -------------------------------------------------------------------------

    def _make_publishers(self):
        publishers = {
            topic: self.create_publisher(kind, topic, qos.STREAM)
            for topic, kind in tick_messages.TYPES.items()
            if topic in self._messages.topics
            if topic != '/clock' or self.value('publish_clock')
        }
        if self.contact:
            publishers |= self.contact.publishers_by_topic
        self.streams = list(publishers.values())
        self.senders = {topic: serialised.sender(each) for topic, each in publishers.items()}
        self._names = {topic: publisher.topic_name for topic, publisher in publishers.items()}
        self._scenario_publisher = self.create_publisher(String, 'scenario', qos.LATCHED)
        self._publish_scenario()
        self._transforms = None
        if TransformBroadcaster is None:
            self.notices.append('/tf is not published: tf2_ros is not installed')
        else:
            self._transforms = TransformBroadcaster(self)
            self._static_transforms = StaticTransformBroadcaster(self)
            self._static_transforms.sendTransform(self._messages.sensors.fixed_transforms())

    def _publish_changed_scenario(self):
        """Publish the scenario when it is another from the coming tick on."""
        if self._contact_changed:
            self._contact_changed = False
            self._revision += 1
            self._publish_scenario()

    def _publish_scenario(self):
        text = scenario.dump(self.scenario, self._revision)
        self._scenario_publisher.publish(String(data=text))
        self.sent[self._scenario_publisher.topic_name] += 1

    def _publish(self):
        """Publish everything of this instant, the clock before the data."""
        made = self._messages.of(self.instant, self.instant.readings, self._settings, self._given)
        for topic, message in made:
            if send := self.senders.get(topic):
                send(message)
                self.sent[self._names[topic]] += 1
        if self._transforms:
            self._transforms.sendTransform(self._messages.transforms(self.instant))
        if self.contact:
            self.contact.show(self.instant)
