# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Damp a tumble by a torque against the angular velocity that the IMU measures. Copy this file."""

import contextlib
import signal

import rclpy
from geometry_msgs.msg import WrenchStamped
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Imu


class RateDamping(Node):
    def __init__(self):
        super().__init__('rate_damping')
        self.gain = self.declare_parameter('gain', 1e-4).value  # N m s/rad
        self.command = self.create_publisher(WrenchStamped, 'command/wrench', 10)
        self.create_subscription(Imu, 'imu/data', self.on_imu, qos_profile_sensor_data)

    def on_imu(self, imu):
        command = WrenchStamped(header=imu.header)  # its stamp is what lockstep waits for
        command.header.frame_id = 'base_link'
        command.wrench.torque.x = -self.gain * imu.angular_velocity.x
        command.wrench.torque.y = -self.gain * imu.angular_velocity.y
        command.wrench.torque.z = -self.gain * imu.angular_velocity.z
        self.command.publish(command)


signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends it as Ctrl-C does
rclpy.init()
with contextlib.suppress(KeyboardInterrupt):
    rclpy.spin(RateDamping())
