# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What estimator, guidance and controller have in common as nodes on board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from spacecraft_attitude_sim.configuration import simulator_parameters
from spacecraft_attitude_sim.nodes.ros import declaration
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rclpy.publisher import Publisher
    from rclpy.type_support import MsgT

    from spacecraft_attitude_sim.configuration.parameter import Parameter


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

    def _publish(self, publisher: Publisher[MsgT], message: MsgT) -> None:
        publisher.publish(message)
        self.sent[publisher.topic_name] = self.sent.get(publisher.topic_name, 0) + 1
