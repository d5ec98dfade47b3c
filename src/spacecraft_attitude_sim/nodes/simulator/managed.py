# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator as a managed node, controlled by the lifecycle services.

configure    reads and checks the parameters, makes topics and services
activate     publishes the initial state and ticks, or continues
deactivate   stops time: publishes nothing, rejects requests that would move time
cleanup      deletes the run; you may set parameters and configure it again
shutdown     ends the process

https://design.ros2.org/articles/node_lifecycle.html
"""

from __future__ import annotations

import time
import traceback
from typing import TYPE_CHECKING, Any

from rclpy.lifecycle import LifecycleNodeMixin, TransitionCallbackReturn

from spacecraft_attitude_sim.configuration.scenario_file import ScenarioError
from spacecraft_attitude_sim.core.simulation.pacing import LONGEST_PERIOD_NS
from spacecraft_attitude_sim.core.simulation.run_state import NotNowError
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
from spacecraft_attitude_sim.nodes.ros.reconfigurable import Reconfigurable
from spacecraft_attitude_sim.nodes.simulator.contact import ContactNode
from spacecraft_attitude_sim.nodes.simulator.driver import ANSWER_SECONDS, Driver
from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode
from spacecraft_attitude_sim.nodes.simulator.shared_clock import name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rclpy.lifecycle import LifecycleState
    from rclpy.timer import Timer

    from spacecraft_attitude_sim.core.simulation.run_state import RunState


# How often to check whether the first tick may be taken [s].
POLL = 0.02
# Requests that need an active run; a change of rate and the end are possible at any time.
MOVES_TIME = ('paused', 'resumed', 'stepped', 'reset', 'put')
UNCHECKED = {
    'allow_undeclared_parameters': True,
    'automatically_declare_parameters_from_overrides': True,
}


class ManagedDriver(Driver):
    """A Driver whose time stops unless it is active.

    Inactive is not the same as paused: a paused run is still paused when it becomes active again.

    active_seconds: wall time during which it was active [s]
    """

    def __init__(self, node: GuardedNode, run: RunState) -> None:
        self.active = False
        self.active_seconds = 0.0
        self._since = 0.0
        self._over = False
        self._may_start: Callable[[], bool] = lambda: True
        super().__init__(node, run)

    def activate(self, may_start: Callable[[], bool]) -> None:
        """Begin the run when may_start() is true, or continue from the current tick."""
        self.active, self._since, self._may_start = True, time.monotonic(), may_start
        if not self.run.started:
            if self._start_timer is None:
                self._start_timer = self.timer(POLL, self._start_once)
            return
        self.run.anchor(time.monotonic_ns())
        if self.run.lockstep and not self.run.paused:
            # A controller may have been started meanwhile. The tick is published again only after
            # a timeout, because its answer may be on its way.
            self._lockstep.resume()
        self._run_from_now()

    def deactivate(self) -> None:
        """Stop after the current tick."""
        if self.active:
            self.active_seconds += time.monotonic() - self._since
        self.active = False
        self._set_timer(LONGEST_PERIOD_NS)

    def timer(self, period: float, callback: Callable[[], object]) -> Timer:
        """Return a timer whose callback runs only while active."""
        return super().timer(period, lambda: callback() if self.active else None)

    def start(self) -> None:
        """Begin as Driver does, if still active."""
        if self.active and not self.run.started:
            super().start()

    def _start_once(self) -> None:
        waited = time.monotonic() - self._since
        if waited >= self.spacecraft[0].value('startup_delay') and self._may_start():
            super()._start_once()

    def _set_timer(self, period: int) -> None:
        super()._set_timer(period if self.active else LONGEST_PERIOD_NS)

    def _advance_when_due(self) -> None:
        if not self.active:
            return
        super()._advance_when_due()
        over, self._over = self._over, self.run.finished
        if self._over and not over:
            self._say_over()

    def _say_over(self) -> None:
        run, log = self.run, self._node.get_logger()
        if run.failure:
            log.error(f'{run.failure}; deactivate, clean up and configure to start again')
        elif not run.quitting:
            log.info(
                f'the duration is over at {run.ticks.seconds(run.tick):g} s; the node is still '
                'active: call ~/reset to start again from the initial state, or deactivate and '
                'clean up, or shut down'
            )

    def check_asked(self, what: str) -> None:
        """Raise NotNowError for a request that would move time while inactive."""
        if not self.active and what in MOVES_TIME:
            raise NotNowError(f'not {what}: the node is inactive; activate it first')


class HeldContactNode(Reconfigurable, ContactNode):
    """A ContactNode that has only parameters until its simulator is set up."""

    def __init__(self, configured: Mapping[str, Any] | None = None, **node_options: Any) -> None:
        GuardedNode.__init__(self, 'contact', **UNCHECKED, **node_options)
        self.hold(configured or {})
        self.take(self.begin_set_up())
        self.release()


def floor_offered(
    configured: Mapping[str, Any] | None = None, **node_options: Any
) -> HeldContactNode | None:
    """Return a HeldContactNode if the user gave a node `contact` parameters; else None."""
    node = HeldContactNode(configured, **node_options)
    if node.given:
        return node
    node.destroy_node()
    return None


class HeldSimulatorNode(Reconfigurable, SimulatorNode):
    """A SimulatorNode that has only parameters until it is set up.

    source, contact, configured: as in SimulatorNode; contact makes a HeldContactNode
    """

    driver: ManagedDriver
    contact: HeldContactNode | None

    def __init__(
        self,
        source: str = 'parameters',
        contact: Callable[[], HeldContactNode | None] | None = None,
        configured: Mapping[str, Any] | None = None,
        **node_options: Any,
    ) -> None:
        GuardedNode.__init__(self, 'simulator', **UNCHECKED, **node_options)
        self.source = source
        self.contact = contact() if contact else None
        self.hold(configured or {})

    def release(self) -> None:
        """Delete the run; see Reconfigurable."""
        if self.driver:
            self.driver.leave()
        super().release()

    @property
    def held(self) -> list[Reconfigurable]:
        """The nodes that are set up and released together; itself is the last."""
        return [*([self.contact] if self.contact else []), self]

    def begin(self, driver: Driver | None) -> None:
        """Set up the node; driver: of the run it joins, or None.  Raises ScenarioError."""
        if self.contact:
            self.contact.take(self.contact.begin_set_up())
        self.set_up(self.begin_set_up(), driver)
        for node in self.held:
            node.end_set_up()

    def _own_driver(self) -> ManagedDriver:
        if self.value('follow_clock'):
            raise ScenarioError(
                f'{self.source}: a managed node cannot follow a clock; set follow_clock to false'
            )
        return ManagedDriver(self, self._run())


class ManagedSimulatorNode(LifecycleNodeMixin, HeldSimulatorNode):
    """The simulator that offers the services of a managed node for the whole run.

    source, contact, configured: as in HeldSimulatorNode
    others: HeldSimulatorNodes of the same run, which follow this one's transitions
    beside: Beside, for objects that are made and ended with the run

    configured: whether there is a run
    shut_down: whether it was told to end the process
    """

    def __init__(
        self,
        source: str = 'parameters',
        contact: Callable[[], HeldContactNode | None] | None = None,
        configured: Mapping[str, Any] | None = None,
        others: Sequence[HeldSimulatorNode] = (),
        **node_options: Any,
    ) -> None:
        HeldSimulatorNode.__init__(self, source, contact, configured, **node_options)
        LifecycleNodeMixin.__init__(self)
        self._all = [self, *others]
        self.beside = Beside()
        self.configured = self.shut_down = False

    # --- transitions --------------------------------------------------------------------------

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Read and check the parameters, make topics and services."""
        return self._tried('configured', self._configure, self._forget)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin or continue the run."""
        return self._tried('activated', self._activate, self.driver.deactivate)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop time."""
        self.driver.deactivate()
        return TransitionCallbackReturn.SUCCESS

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Delete the run; parameters keep their values."""
        self._tried('ended as it should', self._end)
        self._forget()
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Set `finished`, so that the spinning thread ends this node."""
        if self.configured:
            self.driver.deactivate()
        self.shut_down = True
        return TransitionCallbackReturn.SUCCESS

    def _tried(
        self, what: str, action: Callable[[], None], undo: Callable[[], None] | None = None
    ) -> TransitionCallbackReturn:
        """Do a transition; on an error, log the reason on one line, undo it and keep the state."""
        try:
            action()
        except Exception as error:
            self.get_logger().error(f'not {what}: {" ".join(str(error).split())}')
            if not isinstance(error, (ValueError, OSError)):
                self.get_logger().error(traceback.format_exc())
            if undo:
                undo()
            return TransitionCallbackReturn.FAILURE
        return TransitionCallbackReturn.SUCCESS

    def _configure(self) -> None:
        driver = None
        for one in self._all:
            one.begin(driver)
            driver = self.driver
        if elsewhere := set(self.follower_names()) - set(map(name_of, self._all)):
            raise ScenarioError(
                f'{self.source}: followers are {", ".join(sorted(elsewhere))}, in other '
                'processes; a managed node cannot be the master of other processes'
            )
        self.configured = True
        self.beside.configured()

    def _activate(self) -> None:
        if self.run.failure:
            raise NotNowError(f'{self.run.failure}; clean up and configure to start again')
        self.beside.activating()
        self.driver.activate(self.beside.ready)

    def _end(self) -> None:
        self.beside.cleaning_up()
        self.driver.finish()

    def _forget(self) -> None:
        self.configured = False
        for one in self._all:
            for node in one.held:
                node.release()

    # --- for the spinning thread -----------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Whether the process should end: shut down, or told to quit."""
        return self.shut_down or (self.configured and self.run.quitting)

    @property
    def failure(self) -> str:
        """The error that ended the run, or ''."""
        return self.run.failure if self.configured else ''

    def finish(self) -> None:
        """Send everything that is pending, including the answer to the request that ended it."""
        if self.configured:
            self.driver.finish()
        if self.shut_down:
            time.sleep(ANSWER_SECONDS)


class Beside:
    """Hooks for objects that are made and ended with a managed run; the defaults do nothing."""

    def configured(self) -> None:
        """Called when all simulators are set up; raises ValueError or OSError on failure."""

    def activating(self) -> None:
        """Called before the run begins or continues; raises as `configured` does."""

    def ready(self) -> bool:
        """Return whether the first tick may be taken."""
        return True

    def cleaning_up(self) -> None:
        """Called before the simulators are released."""
