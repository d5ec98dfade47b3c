# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The mission_modes node: decides the mode of each tick, which controller and guidance follow."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Vector3Stamped
from rcl_interfaces.msg import SetParametersResult
from std_msgs.msg import Bool, Header
from std_srvs.srv import Trigger

from spacecraft_attitude_sim.configuration import mission_modes as configuration
from spacecraft_attitude_sim.configuration.mission_modes import FORCE
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.core.control.attitude_loop import LARGEST_JUMP_NS
from spacecraft_attitude_sim.core.mission.quantities import ERROR, TIME_IN_MODE, UNITS
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.nodes.mission_modes import mission_messages
from spacecraft_attitude_sim.nodes.ros import conversions, qos
from spacecraft_attitude_sim.nodes.ros.flight_node import SensingNode
from spacecraft_attitude_sim.nodes.simulator.diagnostics import mishaps
from spacecraft_attitude_sim.recording import topics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rclpy.parameter import Parameter

    from spacecraft_attitude_sim.core.mission.mode_machine import Decision

# Most ticks that wait for the error of the one before; then the oldest is decided without it.
MOST_WAITING = 1
# Topics with which it decides.
DECIDES = {topics.IMU, topics.MAGNETIC_FIELD}


class MissionModesNode(SensingNode):
    """Converts between messages and core's ModeMachine.

    decision: the latest one, or None
    Raises ParameterError.
    """

    def __init__(self, configured: Mapping[str, Any] | None = None, **node_options: Any) -> None:
        super().__init__(configuration, configured, **node_options)
        self.add_on_set_parameters_callback(self._check_together)
        self.add_post_set_parameters_callback(self._on_change)
        warm_up.begin(self.get_logger())
        self.machine = configuration.machine(self.values)
        self.knowledge = configuration.knowledge(self.values)
        warm_up.note()
        self.decision: Decision | None = None
        self._waiting: deque[tuple[int, dict[str, Any]]] = deque()
        # The tick whose pointing error must come before the next one is decided [ns], or None; it
        # comes from the controller, once it has answered.
        self._owed: int | None = None
        self._needs_error = ERROR in configuration.uses(self.values)
        self._errors: dict[int, Vector3Stamped] = {}
        self._doubted: int | None = None  # an odd stamp that nothing has followed yet [ns]
        self._mode = self.create_publisher(DiagnosticArray, topics.MISSION_MODE, qos.LATCHED)
        self._command = self.create_publisher(DiagnosticArray, topics.MISSION, qos.STREAM)
        self._sources = mission_messages.sources(self.values)
        self._listen({topic: source.kind for topic, source in self._sources.items()})
        self.create_subscription(
            Vector3Stamped, topics.CONTROL_ERROR, self._on_error, qos.EVERY_ONE
        )
        self.create_subscription(Bool, topics.FAULT, self._on_fault, 10)
        self.create_service(Trigger, '~/reset', self._on_reset)
        self._begin_status('mission', self._status)

    # --- what is known in, decisions out ------------------------------------------------------

    def _on_tick(self, stamp: int, messages: dict[str, Any]) -> None:
        """Decide a tick, once the error of the tick before is known."""
        if not messages:
            return
        if self._waiting and stamp < self._waiting[-1][0]:
            self._waiting.clear()  # another run has begun
        self._waiting.append((stamp, messages))
        self._decide_waiting()

    def _on_message(self, topic: str, message: Any) -> None:
        """Take a message by itself; one of an odd time only once another follows it."""
        stamp = _stamp_of(message)
        if topic not in DECIDES:
            self._sources[topic].take(self.knowledge, stamp, message)
        elif not self._is_odd(stamp):
            self._on_tick(stamp, {topic: message})

    def _is_odd(self, stamp: int) -> bool:
        """Return whether a stamp [ns] is in the past, or far ahead of the others, and alone so."""
        last = self._waiting[-1][0] if self._waiting else None
        if last is None and self.decision:
            last = self.decision.time_ns
        doubted, self._doubted = self._doubted, None
        for known in (last, doubted):
            if known is not None and 0 <= stamp - known <= LARGEST_JUMP_NS:
                return False
        if last is None and stamp >= 0:
            return False
        self._doubted = stamp
        return True

    def _on_repeat(self, stamp: int) -> None:
        """Command again: the simulator misses what the controller makes of it."""
        if self.decision and self.decision.time_ns == stamp:
            self._publish(self._command, mission_messages.command(self.decision))

    def _decide_waiting(self) -> None:
        while self._waiting:
            stamp, messages = self._waiting[0]
            if self.decision and stamp < self.decision.time_ns and messages.keys() & DECIDES:
                self._restart()
            owed = self._owed is not None and self._owed not in self._errors
            if owed and len(self._waiting) <= MOST_WAITING:
                return
            self._decide(*self._waiting.popleft())

    def _decide(self, stamp: int, messages: dict[str, Any]) -> None:
        knowledge = self.knowledge
        if self._owed is not None and (error := self._errors.get(self._owed)):
            knowledge.take_error(self._owed, conversions.vector3_from_ros(error.vector))
        self._owed = None
        self._errors.clear()
        for topic, message in messages.items():
            self._sources[topic].take(knowledge, _stamp_of(message), message)
        if not messages.keys() & DECIDES:
            return
        again = self.decision is not None and self.decision.time_ns == stamp
        if self._needs_error and topics.IMU in messages and not again:
            # The controller does not answer late data: the order is of the present time.
            self._owed = stamp if _stamp_of(messages[topics.IMU]) == stamp else None
        self.decision = self.machine.decide(stamp, knowledge.values(stamp))
        self._publish(self._command, mission_messages.command(self.decision))
        if self.decision.entered:
            self._publish(self._mode, mission_messages.mode(self.decision))
            self.get_logger().info(
                f'mode {self.decision.order.mode} at {1e-9 * stamp:g} s: {self.decision.reason}'
            )

    def _restart(self) -> None:
        """Begin again, as another run has."""
        self.machine.restart()
        self.knowledge.forget()
        self.decision, self._owed = None, None
        self._errors.clear()

    def _on_error(self, message: Vector3Stamped) -> None:
        """Take the pointing error of a tick that was answered; only one that is owed counts."""
        stamp = _stamp_of(message)
        if stamp != self._owed:
            return
        self._errors[stamp] = message
        self._decide_waiting()

    def _on_reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._restart()
        response.success, response.message = True, f'begins in {self.machine.table.start}'
        return response

    def _on_fault(self, message: Bool) -> None:
        self.knowledge.fault = message.data

    # --- the forced mode ----------------------------------------------------------------------

    def _check_together(self, changes: Sequence[Parameter[Any]]) -> SetParametersResult:
        given = {change.name: change.value for change in changes if change.name in self.values}
        try:
            configuration.checked(given, self.values)
        except ParameterError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _on_change(self, changes: Sequence[Parameter[Any]]) -> None:
        for change in changes:
            if change.name == FORCE:
                self.values[FORCE] = change.value
                self.machine.force(change.value)

    # --- diagnostics --------------------------------------------------------------------------

    def _status(self) -> tuple[Header, bytes, str, dict[str, object]]:
        """Return header, level, message and values for StatusPublisher."""
        machine, decision = self.machine, self.decision
        values: dict[str, object] = {'changes of mode': machine.changes}
        if decision:
            values |= {
                'mode': decision.order.mode,
                'since [s]': f'{1e-9 * decision.since_ns:.9g}',
                'because': decision.reason,
            }
            known = self.knowledge.values(decision.time_ns)
            known[TIME_IN_MODE] = 1e-9 * (decision.time_ns - decision.since_ns)
            values |= {
                f'{name} [{UNITS[name]}]' if UNITS[name] else name: f'{value:.6g}'
                for name, value in known.items()
            }
        if machine.forced:
            values['forced'] = machine.forced
        values |= mishaps(self)
        header = Header(stamp=self.get_clock().now().to_msg())
        level = DiagnosticStatus.WARN if machine.problem else DiagnosticStatus.OK
        text = decision.order.mode if decision else 'no imu/data yet'
        return header, level, machine.problem or text, values


def _stamp_of(message: Any) -> int:
    """Return the time in the header of a message [ns]."""
    return conversions.nanoseconds_from_ros(message.header.stamp)
