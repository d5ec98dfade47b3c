# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What an attitude_controller node says of its loop in /diagnostics (REP-107)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostic_msgs.msg import DiagnosticStatus
from std_msgs.msg import Header

from spacecraft_attitude_sim.core.control.gimbal_steering import LOW
from spacecraft_attitude_sim.nodes.simulator.diagnostics import mishaps

if TYPE_CHECKING:
    from spacecraft_attitude_sim.nodes.attitude_controller.node import AttitudeControllerNode


def status(controller: AttitudeControllerNode) -> tuple[Header, bytes, str, dict[str, object]]:
    """Return header, level, message and values for StatusPublisher."""
    loop = controller.loop
    values = {
        'mode': _mode(controller),
        'readings answered': loop.answered,
        'readings ignored (out of order or again)': loop.ignored,
        'readings refused': loop.refused,
        'torques saturated': loop.saturated,
        'references refused': controller.references_refused,
        **_of_integral(controller),
        **_of_mission(controller),
        **mishaps(controller),
    }
    problem = loop.problem
    allocation = controller.allocation
    if allocation and controller.waits_for_joints():
        names = ', '.join(allocation.names)
        what = 'speeds' if allocation.needs_speeds else 'positions'
        problem = f'IMU data wait for joint_states with the {what} of {names}'
    if controller.waits_for_mission():
        problem = 'IMU data wait for mission/command of mission_modes'
    elif controller.waits_for_guidance():
        problem = 'IMU data wait for reference/odometry and reference/acceleration of guidance'
    if allocation and allocation.needs_angles:
        values['singularity measure of gimbals (1 at best)'] = f'{controller.measure:.3f}'
        if not problem and controller.measure < LOW:
            problem = 'gimbals are near a singularity: some torques are not possible'
    if magnetic := controller.magnetic:
        values |= {
            'fields answered': magnetic.answered,
            'fields refused': magnetic.refused,
            'dipoles saturated': magnetic.saturated,
        }
        problem = problem or magnetic.problem or magnetic.warning
    header = Header(stamp=controller.get_clock().now().to_msg())
    level = DiagnosticStatus.WARN if problem else DiagnosticStatus.OK
    return header, level, problem or _mode(controller), values


def _of_mission(controller: AttitudeControllerNode) -> dict[str, object]:
    """Return {key: value} about the orders of a mission, if it follows one."""
    if not controller.orders:
        return {}
    mode = controller.orders.order.mode if controller.orders.order else 'none yet'
    return {'mode of the mission': mode, 'orders refused': controller.orders_refused}


def _of_integral(controller: AttitudeControllerNode) -> dict[str, object]:
    """Return {key: value} about the integral of the law, if it has one."""
    gains = controller.loop.settings.gains
    if not gains.integral_time:
        return {}
    torque_B = controller.loop.integral.torque_B(gains)
    return {'integral torque [N m]': ', '.join(f'{part:.6g}' for part in torque_B)}


def _mode(controller: AttitudeControllerNode) -> str:
    """Return the control mode at the node's time."""
    return controller.loop.settings.mode_at(controller.get_clock().now().nanoseconds)
