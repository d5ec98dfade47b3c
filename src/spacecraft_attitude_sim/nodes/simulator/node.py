# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator node: holds the state of a spacecraft, integrates it and publishes the truth."""

from __future__ import annotations

import contextlib
import math
import time
from typing import TYPE_CHECKING, Any

from rcl_interfaces.msg import SetParametersResult

from spacecraft_attitude_sim.configuration import (
    faults,
    formation,
    scenario,
    scenario_file,
    simulator_parameters,
)
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.core import sensors, simulation
from spacecraft_attitude_sim.core.simulation import limits
from spacecraft_attitude_sim.core.simulation.energy_book import book_of
from spacecraft_attitude_sim.core.simulation.run_state import NotNowError, RunState
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros import declaration
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
from spacecraft_attitude_sim.nodes.simulator import publications, standard_services
from spacecraft_attitude_sim.nodes.simulator.commands import Commands
from spacecraft_attitude_sim.nodes.simulator.diagnostics import Diagnostics
from spacecraft_attitude_sim.nodes.simulator.driver import Driver
from spacecraft_attitude_sim.nodes.simulator.time_control import TimeServices

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Mapping, Sequence

    from rclpy.parameter import Parameter

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.nodes.ros.handover import Handover
    from spacecraft_attitude_sim.nodes.simulator.contact import ContactNode


# Most sub-steps of a tick in Python before the code is compiled; they take a fraction of a second.
MOST_IN_PYTHON = 256


class SimulatorNode(GuardedNode):
    """Integrates one spacecraft and publishes it tick by tick.

    source: name of the scenario, for messages
    contact: makes the ContactNode of its floor, or returns None; called when this node is in the
        graph, because Fast DDS can crash in a process that destroys its only node
    configured: parameters, as in declaration.take_overrides
    on_tick: first of `observers`, or None
    autostart: whether to start after startup_delay; otherwise call `start`
    driver: of another SimulatorNode whose run this spacecraft joins; None for its own run

    Attributes are:

    driver: Driver of the run;  run: its RunState
    plant: with the sub-steps and the contact in force;  instant: the current Instant
    tally: sensors.Tally of the readings
    energy_book: EnergyBook of the actuators, or None
    observers: functions that are called with each Instant after it is published

    Raises ScenarioError if a parameter is wrong.
    """

    driver: Driver = None  # type: ignore[assignment]  # until set up

    def __init__(
        self,
        source: str = 'parameters',
        on_tick: Callable[[simulation.Instant], None] | None = None,
        autostart: bool = True,
        contact: Callable[[], ContactNode | None] | None = None,
        configured: Mapping[str, Any] | None = None,
        driver: Driver | None = None,
        **node_options: Any,
    ) -> None:
        super().__init__(
            'simulator', automatically_declare_parameters_from_overrides=True, **node_options
        )
        self.source = source
        self.contact = contact() if contact else None
        self.set_up(configured, driver)
        self.observers += [on_tick] if on_tick else []
        if autostart:
            self.driver.start_after(self.value('startup_delay'))

    def set_up(self, configured: Mapping[str, Any] | None, driver: Driver | None) -> None:
        """Read and check the parameters, make topics and services, and join the run.

        configured, driver: see the class;  raises ScenarioError if a parameter is wrong
        """
        warm_up.begin(self.get_logger())
        self.scenario = self._declare_scenario(self.source, configured, driver)
        self.plant = self.scenario.plant
        try:
            self.instant = self.scenario.first_instant()
        except simulation.MotionError as error:
            raise scenario_file.ScenarioError(f'{self.source}: {error}') from None
        self.driver = driver or self._own_driver()
        self.run = self.driver.run
        self.tally = sensors.Tally(self.plant.spacecraft.sensors)
        self._count_readings()
        self.energy_book = book_of(self.plant, self.instant.state)
        self.faults = simulation.FaultSchedule(self.plant)
        self._warm = False
        self.commands = Commands(self, self.scenario, self.run, self.driver.on_answer)
        self._was_set = True
        self._settings = tick_messages.Settings(self.plant.substeps)
        self._revision = 0
        self._contact_changed = False
        self._inputs = simulation.Inputs()
        self.observers: list[Callable[[simulation.Instant], None]] = []
        if self.contact:
            self.contact.join(
                self.scenario,
                self.instant,
                self._check_contact,
                self._change_contact,
                self.driver.timer,
            )
        mine = driver is None and not self.value('follow_clock')
        self._publications = publications.Publications(
            self,
            self.scenario,
            self.contact.publishers_by_topic if self.contact else {},
            with_clock=mine and self.value('publish_clock'),
        )
        self._publications.publish_faults(self.faults, self.instant.stamp)
        self.streams, self.senders = self._publications.streams, self._publications.senders
        self.driver.join(self)
        TimeServices(self, self.driver)
        if standard_services.srv:
            standard_services.StandardServices(self, self.driver)
        self.diagnostics = Diagnostics(self, self.commands)

    def follower_names(self) -> list[str]:
        """Return the names of the spacecraft that follow, as in shared_clock.name_of."""
        return [name.strip('/') for name in self.scenario.parameters['followers']]

    def _run(self) -> RunState:
        """Return the RunState of a new run with this spacecraft."""
        duration, rate = self.value('duration'), self.value('real_time_factor')
        return RunState(duration, rate, self.value('start_paused'), self.plant.ticks)

    def _own_driver(self) -> Driver:
        """Return the Driver of a new run, or of this process's part of one."""
        names, follows = self.follower_names(), self.value('follow_clock')
        if not (names or follows):
            return Driver(self, self._run())
        from spacecraft_attitude_sim.nodes.simulator.follower import FollowerDriver
        from spacecraft_attitude_sim.nodes.simulator.followers import MasterDriver
        from spacecraft_attitude_sim.nodes.simulator.shared_clock import name_of

        if not follows:
            return MasterDriver(self, self._run(), names)
        if names:
            raise scenario_file.ScenarioError(
                f'{self.source}: follow_clock is true and followers are {", ".join(names)}; a '
                'process is the master of the clock or follows it: set one of the two'
            )
        if not name_of(self):
            raise scenario_file.ScenarioError(
                f'{self.source}: follow_clock is true; give the spacecraft a namespace: '
                "the clock's master knows it by that"
            )
        run = RunState(rate=self.value('real_time_factor'), ticks=self.plant.ticks)
        return FollowerDriver(self, run)  # it ends with the master

    def value(self, name: str) -> Any:
        """Return the value of a parameter."""
        return self.get_parameter(name).value

    # --- requests ----------------------------------------------------------------

    def under_resolved(self) -> bool:
        """Return whether the rotation in this tick was too fast for automatic sub-steps."""
        instant = self.instant
        return simulation.under_resolved(self.plant, instant.state, instant.inputs.wrench)

    def turning(self) -> tuple[float, int]:
        """Return angular rate [rad/s] and number of sub-steps of the tick under way."""
        inputs, plant = self._inputs, self.plant
        state = simulation.struck(plant, self.instant.state, inputs.impulse)
        rate = math.hypot(*plant.spacecraft.angular_velocity_B(state))
        return rate, simulation.substeps_in(plant, state, inputs.wrench)

    @property
    def finished(self) -> bool:
        """Whether the run has ended: completed, told to quit, or failed."""
        return self.run.finished

    @property
    def failure(self) -> str:
        """The error that ended the run, or ''."""
        return self.run.failure

    def destroy_node(self) -> None:
        """Leave the graph."""
        if self.driver:
            self.driver.leave()
        super().destroy_node()

    def finish(self) -> None:
        """Send everything that is pending; `attitude-sim node` asks every node for it."""
        self.driver.finish()

    def heard(self) -> bool:
        """Return whether anybody subscribes to a topic that comes every tick, also to /tf."""
        return self._publications.heard()

    @property
    def sent(self) -> Counter[str]:
        """{full topic name: number of messages published}."""
        return self._publications.sent

    def hand_over(self, handover: Handover) -> None:
        """Send by `ways`, and take the next tick when all messages of this one have arrived."""
        self._publications.send_by(self.ways)
        self.commands.answer_later(handover.later)

    # --- one tick, called by the Driver -------------------------------------------------------

    def warm_up(self) -> None:
        """Compute one tick and discard it, so that its code is compiled, unless that has begun."""
        if self._warm:
            return
        self._warm = True
        begun, plant = time.thread_time(), self.plant
        simulation.under_resolved(plant, self.instant.state)
        self.judge_python()
        if warm_up.too_slow(paced=False):
            plant = plant.with_substeps(MOST_IN_PYTHON)
        with contextlib.suppress(simulation.MotionError):  # a real tick reports it
            simulation.next_instant(plant, self.instant, simulation.Inputs())
        pace = plant.ticks.step / self.run.rate if self.run.rate else 0.0
        warm_up.note(time.thread_time() - begun, plant.ticks.step, pace)

    def judge_python(self) -> None:
        """Use compiled code for ticks that need many more sub-steps than Python can take."""
        if simulation.substeps_in(self.plant, self.instant.state) > MOST_IN_PYTHON:
            warm_up.give_up_python()

    def initial_again(self) -> simulation.Instant:
        """Return the initial Instant for the next tick; ScenarioError if a floor overlaps it."""
        return self.scenario.first_instant(self.run.tick + 1)

    def next_instant(self) -> simulation.Instant:
        """Return the Instant of the next tick; MotionError if the equations have no solution."""
        instant = self.instant
        inputs = self.faults.over(instant, self.commands.take(instant.state.q_WB))
        self._inputs = inputs
        if self._contact_changed:
            instant = simulation.with_plant(self.plant, instant)
        return simulation.next_instant(self.plant, instant, inputs)

    def continue_with(self, instant: simulation.Instant, was_set: bool) -> None:
        """Make an Instant the current one; was_set: whether it was set instead of computed."""
        if self._contact_changed:  # a new scenario from this tick on
            self._contact_changed = False
            self._revision += 1
            self._publications.publish_scenario(self.scenario, self._revision)
        if self.energy_book:
            if was_set:
                self.energy_book.begin(instant.state)
            else:
                self.energy_book.follow(self.instant.state, instant)
        self.instant, self._was_set = instant, was_set
        if self._settings != (now := (self.plant.substeps, self._revision)):
            self._settings = tick_messages.Settings(*now)

    def begin_tick(self) -> None:
        """Count the readings of the current Instant, and wait for its answers."""
        self._count_readings()
        readings = self.instant.readings
        self.commands.begin_tick(readings.kept_back if readings else frozenset())

    def _count_readings(self) -> None:
        assert self.instant.readings
        self.tally.add(self.instant.readings)

    def publish_instant(self) -> None:
        """Publish everything of the current Instant."""
        self._publications.publish(self.instant, self._settings, self._was_set)
        if self.faults.changes:
            self._tell_faults()
        if self.contact and self.plant.contact:
            self.contact.show(self.plant.contact.floor, self.instant)

    def _tell_faults(self) -> None:
        """Log and publish the faults that began or ended in the tick that ends now."""
        for change in self.faults.changes:
            self.get_logger().info(change.text())
        self.faults.changes = ()
        self._publications.publish_faults(self.faults, self.instant.stamp)

    def show_observers(self) -> None:
        """Pass the current Instant to the observers."""
        for observer in self.observers:
            observer(self.instant)

    # --- parameters -------------------------------------------------------------------------

    def _declare_scenario(
        self, source: str, configured: Mapping[str, Any] | None, driver: Driver | None
    ) -> Scenario:
        floor = self.contact.given if self.contact else None
        given = declaration.take_overrides(self)
        joined = driver.of_run(given, source) if driver else {}
        given = {**(configured or {}), **given, **joined}
        declared = scenario.build(given, source, floor)
        catalogue = simulator_parameters.catalogue(declared.parameters)
        declaration.declare_each(
            self, ((catalogue[name], value) for name, value in declared.parameters.items())
        )
        declaration.check_changes(self, catalogue.values())
        self.add_on_set_parameters_callback(self._check_change)
        self.add_post_set_parameters_callback(self._on_change)
        return declared

    def _check_change(self, changes: Sequence[Parameter[Any]]) -> SetParametersResult:
        """Reject sub-steps that do not resolve the motion, and a rate that others set."""
        for change in changes:
            if change.name == 'real_time_factor':
                try:
                    self.driver.check_asked('changed in rate')
                except NotNowError as error:
                    return SetParametersResult(successful=False, reason=str(error))
            if change.name == 'substeps':
                plant = self.plant.with_substeps(change.value)
                try:
                    rate_B = plant.spacecraft.angular_velocity_B(self.instant.state)
                    limits.check_given_rate(plant, rate_B)
                except ValueError as error:
                    return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _on_change(self, changes: Sequence[Parameter[Any]]) -> None:
        for change in changes:
            if change.name == 'substeps':
                self.plant = self.plant.with_substeps(change.value)
                self.commands.held.judge_by(self.plant)
            if change.name == 'real_time_factor' and change.value != self.run.rate:
                self.driver.change_rate(change.value)
            if change.name in formation.OF_RUN:
                self.driver.share(change)
            if name := faults.forced_in(change.name):
                self.faults.forced[name] = change.value

    def _check_contact(self, given: Mapping[str, Any]) -> None:
        """Raise ParameterError if these contact parameters are impossible now."""
        plant = self.scenario.with_contact(given).plant
        try:
            simulation.given_instant(
                plant, simulation.with_plant(plant, self.instant), self.instant.readings
            )
        except (simulation.MotionError, ValueError) as error:
            raise ParameterError(str(error)) from None

    def _change_contact(self, given: Mapping[str, Any]) -> None:
        """Use other contact parameters from the next tick on."""
        self.scenario = self.scenario.with_contact(given)
        contact = self.scenario.plant.contact
        assert contact
        self.plant = self.plant.with_contact(contact)
        self._contact_changed = True
