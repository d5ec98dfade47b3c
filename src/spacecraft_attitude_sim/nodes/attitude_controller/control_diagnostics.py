# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Once a second says how the control loop is (REP-107)."""

import functools

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from std_msgs.msg import Header

from spacecraft_attitude_sim.nodes.simulator.diagnostics import StatusPublisher, mishaps


def report(controller):
    """Publish the status of an attitude_controller node from now on, by wall time."""
    clock = Clock(clock_type=ClockType.STEADY_TIME)
    timer = functools.partial(controller.create_timer, clock=clock)
    StatusPublisher(controller, 'control', timer, lambda: _status(controller))


def _status(controller):
    """Return header, level, message and values, as of StatusPublisher."""
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
    header = Header(stamp=controller.get_clock().now().to_msg())
    level = DiagnosticStatus.WARN if loop.problem else DiagnosticStatus.OK
    return header, level, loop.problem or controller.values['mode'], values
