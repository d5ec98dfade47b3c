# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The contact node: floor, friction and surface, for the simulator in the same process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnostic_msgs.msg import DiagnosticStatus
from rcl_interfaces.msg import SetParametersResult
from rclpy.parameter_service import ParameterService
from sensor_msgs.msg import PointCloud2
from std_msgs.msg import String

from spacecraft_attitude_sim.configuration import (
    contact_parameters,
    simulator_parameters,
)
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros import conversions, declaration, qos
from spacecraft_attitude_sim.nodes.ros.guard import GuardedNode
from spacecraft_attitude_sim.nodes.simulator.diagnostics import StatusPublisher, mishaps

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rclpy.parameter import Parameter
    from std_msgs.msg import Header

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.contact.floors import Floor
    from spacecraft_attitude_sim.core.simulation import Instant
    from spacecraft_attitude_sim.nodes.simulator.diagnostics import MakeTimer
    from spacecraft_attitude_sim.nodes.simulator.floor_messages import FloorMessages


def offered(
    configured: Mapping[str, Any] | None = None, **node_options: Any
) -> ContactNode | None:
    """Return a ContactNode if the user gave a node `contact` parameters; else None.

    configured: as in declaration.take_overrides
    """
    node = ContactNode(configured, start_parameter_services=False, **node_options)
    if node.given:
        ParameterService(node)  # its services keep it; only here, because they take 5 ms
        return node
    node.destroy_node()
    return None


class ContactNode(GuardedNode):
    """Owns the parameters and topics of the contact; the simulator owns the physics.

    Both are in one process, because a constraint must hold inside every stage of a step.
    """

    def __init__(self, configured: Mapping[str, Any] | None = None, **node_options: Any) -> None:
        super().__init__(
            'contact', automatically_declare_parameters_from_overrides=True, **node_options
        )
        self.take(configured)

    def take(self, configured: Mapping[str, Any] | None) -> None:
        """Read the user's parameters of the floor; configured: as in `offered`."""
        given = declaration.take_overrides(self, configured)
        # A command line parameter without a node's name reaches every node.
        elsewhere = simulator_parameters.catalogue(given)
        self.given = {name: value for name, value in given.items() if name not in elsewhere}
        self._mode: str | None = None
        self._impacts = 0
        self._shown = -1

    def join(
        self,
        scenario: Scenario,
        instant: Instant,
        check: Callable[[dict[str, Any]], None],
        change: Callable[[dict[str, Any]], None],
        timer: MakeTimer,
    ) -> None:
        """Begin to serve a simulator whose scenario was built from these parameters.

        instant: the first;  check: raises ParameterError if {name: value} is impossible now
        change: applies {name: value};  timer: makes timers of wall time
        """
        self._instant, self._check_values, self._change_values = instant, check, change
        self._world = scenario.parameters['frames.world']
        assert scenario.contact_parameters is not None
        declaration.declare_each(
            self,
            (
                (contact_parameters.BY_NAME[name], value)
                for name, value in scenario.contact_parameters.items()
            ),
        )
        self.add_on_set_parameters_callback(self._check)
        declaration.check_changes(self, contact_parameters.CONTACT)  # called before _check
        self.add_post_set_parameters_callback(self._on_change)
        self.publishers_by_topic = {
            topic: self.create_publisher(kind, topic, qos.STREAM)
            for topic, kind in tick_messages.CONTACT_TYPES.items()
        }
        self._mode_publisher = self.create_publisher(String, 'contact/mode', qos.LATCHED)
        self._floor_publisher = self.create_publisher(
            PointCloud2, 'contact/floor', qos.LATCHED_STREAM
        )
        assert scenario.plant.contact
        self._reach = scenario.plant.contact.surface.reach()
        self._gravity_W = scenario.plant.gravity_W
        self._floor_messages: FloorMessages | None = None
        StatusPublisher(self, 'contact', timer, self._report)

    def show(self, floor: Floor, instant: Instant) -> None:
        """Publish the contact mode of an instant if it has changed; count impacts."""
        self._instant, contact = instant, simulation.contact_at(instant)
        if instant.tick > self._shown:  # lockstep may publish an instant again
            self._shown = instant.tick
            self._impacts += contact.impacts
        if contact.mode != self._mode:
            self._mode = contact.mode
            self._mode_publisher.publish(String(data=contact.mode))
        self._show_floor(floor, instant)

    def _show_floor(self, floor: Floor, instant: Instant) -> None:
        """Publish the floor near the body, for nodes that cannot evaluate its functions."""
        if not floor.by_functions:
            return
        if not self._floor_messages:
            # Here, because other runs need nothing of what draws a floor.
            from spacecraft_attitude_sim.nodes.simulator.floor_messages import FloorMessages

            self._floor_messages = FloorMessages(self._reach, self._gravity_W)
        elif not self._floor_publisher.get_subscription_count():
            return
        header = conversions.header_to_ros(instant.stamp, self._world)
        time = instant.elapsed_time
        message = self._floor_messages.of(floor, time, instant.state.position_W, header)
        if message:
            self._floor_publisher.publish(message)

    def _check(self, changes: Sequence[Parameter[Any]]) -> SetParametersResult:
        """Reject an impossible contact before any of the changes is made."""
        try:
            self._check_values(_values(changes))
        except ParameterError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _on_change(self, changes: Sequence[Parameter[Any]]) -> None:
        self._change_values(_values(changes))

    def _report(self) -> tuple[Header, bytes, str, dict[str, object]]:
        contact = simulation.contact_at(self._instant)
        header = conversions.header_to_ros(self._instant.stamp, '')
        return header, DiagnosticStatus.OK, contact.mode, {
            'gap [m]': f'{contact.gap:.3g}',
            'slip speed [m/s]': f'{contact.slip_speed:.6g}',
            'normal force [N]': f'{contact.normal_force:.6g}',
            'constraint error': f'{contact.constraint_error:.3g}',
            'impacts': self._impacts,
            'sub-steps in the tick': contact.substeps,
            **mishaps(self),
        }  # fmt: skip


def _values(changes: Sequence[Parameter[Any]]) -> dict[str, Any]:
    return {
        change.name: list(change.value) if hasattr(change.value, 'typecode') else change.value
        for change in changes
        if change.name in contact_parameters.BY_NAME
    }
