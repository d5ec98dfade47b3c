# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Once a second says how the control loop is (REP-107)."""

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock
from rclpy.clock_type import ClockType

from spacecraft_attitude_sim.nodes.simulator.diagnostics import mishaps

PERIOD = 1.0


def report(controller):
    """Publish the status of an attitude_controller node from now on, by wall time."""
    publisher = controller.create_publisher(DiagnosticArray, '/diagnostics', 10)

    def publish():
        message = DiagnosticArray(status=[_status(controller)])
        message.header.stamp = controller.get_clock().now().to_msg()
        publisher.publish(message)

    controller.create_timer(PERIOD, publish, clock=Clock(clock_type=ClockType.STEADY_TIME))


def _status(controller):
    loop = controller.loop
    values = {
        'mode': controller.values['mode'],
        'readings answered': loop.answered,
        'readings ignored (out of order or again)': loop.ignored,
        'readings refused': loop.refused,
        'torques saturated': loop.saturated,
        'references refused': controller.references_refused,
        **mishaps(controller),
    }
    return DiagnosticStatus(
        level=DiagnosticStatus.WARN if loop.problem else DiagnosticStatus.OK,
        name=f'{controller.get_fully_qualified_name()}: control',
        message=loop.problem or controller.values['mode'],
        hardware_id='none',
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
    )
