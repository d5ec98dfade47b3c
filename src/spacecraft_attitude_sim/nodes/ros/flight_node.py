# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What estimator, guidance, mission and controller have in common as nodes on board."""

from __future__ import annotations

import functools
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Protocol

from rclpy.clock import Clock
from rclpy.clock_type import ClockType

from spacecraft_attitude_sim.configuration import simulator_parameters
from spacecraft_attitude_sim.core.control.attitude_loop import judges
from spacecraft_attitude_sim.nodes.ros import conversions, declaration, qos
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
from spacecraft_attitude_sim.nodes.ros.synchroniser import TickSynchroniser
from spacecraft_attitude_sim.nodes.simulator.diagnostics import StatusPublisher

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rclpy.publisher import Publisher
    from rclpy.type_support import MsgT
    from sensor_msgs.msg import Imu, MagneticField
    from std_msgs.msg import Header

    from spacecraft_attitude_sim.configuration.parameter import Parameter


# Longest time for which data wait for what belongs to them [ns].
LONGEST_WAIT_NS = 1_000_000_000


class Configuration(Protocol):
    """A module of `configuration` that knows a node's parameters."""

    NAME: str

    def catalogue(self, given: Mapping[str, Any]) -> dict[str, Parameter]:
        """Return {name: Parameter}, including those of what lists in `given` name."""

    def checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return {name: value} of every parameter; ParameterError for an invalid one."""


class FlightNode(GuardedNode):
    """A node that answers messages, with its parameters declared.

    configuration: of its parameters, with its name
    configured: {name: value} of scenario and command line

    values: {name: value} of its checked parameters
    sent: {topic: how many messages}
    Raises ParameterError.
    """

    finished = False
    failure = ''
    streams: Sequence[Publisher[Any]] = ()

    def __init__(
        self,
        configuration: Configuration,
        configured: Mapping[str, Any] | None,
        **node_options: Any,
    ) -> None:
        super().__init__(
            configuration.NAME,
            automatically_declare_parameters_from_overrides=True,
            **node_options,
        )
        given = declaration.take_overrides(self, configured)
        own = configuration.catalogue(given)
        self.values = configuration.checked(simulator_parameters.without_simulators(given, own))
        declaration.declare_checked(self, own.values(), self.values)
        self.sent: dict[str, int] = {}

    def ready(self) -> bool:
        """Return whether it can answer; always true."""
        return True

    def finish(self) -> None:
        """Do nothing. The simulator's command_timeout ends a held command."""

    def _clock_ns(self) -> int | None:
        """Return the time of the node's clock [ns]; None before the first /clock."""
        return self.get_clock().now().nanoseconds or None

    def _is_behind(self, stamp: int, waiting: Imu | MagneticField | None) -> bool:
        """Return whether data of a time [ns] are older than those of the same run that wait.

        A run begins at 0. What has waited for long, or is far ahead of the clock, is of another.
        """
        if waiting is None or stamp == 0:
            return False
        waits, clock_ns = conversions.nanoseconds_from_ros(waiting.header.stamp), self._clock_ns()
        if not judges(clock_ns, waits):
            return False
        return waits > stamp and abs(clock_ns - waits) <= LONGEST_WAIT_NS

    def _publish(self, publisher: Publisher[MsgT], message: MsgT) -> None:
        if way := self.ways.get(publisher):
            way.send(message)
        else:
            publisher.publish(message)
        self.sent[publisher.topic_name] = self.sent.get(publisher.topic_name, 0) + 1

    def _begin_status(
        self, subject: str, status: Callable[[], tuple[Header, bytes, str, dict[str, object]]]
    ) -> None:
        """Begin to publish a status in /diagnostics, timed by the wall clock."""
        clock = Clock(clock_type=ClockType.STEADY_TIME)
        StatusPublisher(self, subject, functools.partial(self.create_timer, clock=clock), status)


class SensingNode(FlightNode):
    """A FlightNode that reads sensors by its parameter `tick_topic`.

    synchroniser: TickSynchroniser, where there is a topic of ticks
    """

    def _listen(self, kinds: Mapping[str, type[Any]], with_belated: bool = False) -> None:
        """Subscribe to sensors: all of a tick together, or each message as it comes.

        kinds: {topic: type of its messages};  with_belated: as of TickSynchroniser
        """
        if tick_topic := self.values['tick_topic']:
            self.synchroniser = TickSynchroniser(
                self, dict(kinds), self._on_tick, self._on_repeat, tick_topic, with_belated
            )
            return
        for topic, kind in kinds.items():
            self.create_subscription(
                kind, topic, functools.partial(self._on_message, topic), qos.SENSOR
            )

    @abstractmethod
    def _on_tick(self, stamp: int, messages: dict[str, Any]) -> None:
        """Take the {topic: message} of a tick at a time [ns]."""

    @abstractmethod
    def _on_repeat(self, stamp: int) -> None:
        """Answer a tick again, that of a time [ns]."""

    @abstractmethod
    def _on_message(self, topic: str, message: Any) -> None:
        """Take a message by itself, without a topic of ticks."""
