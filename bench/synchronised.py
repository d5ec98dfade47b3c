# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Answer each tick when three sensors have arrived; for bench/lockstep.py."""

import rclpy
from geometry_msgs.msg import WrenchStamped
from rclpy.node import Node
from sensor_msgs.msg import Imu, MagneticField

from spacecraft_attitude_sim.nodes.ros.synchroniser import TickSynchroniser

GAIN = 1e-4  # N m s/rad


class ThreeSensors(Node):
    """Damps a tumble; it receives IMU, magnetometer and star tracker."""

    def __init__(self):
        super().__init__('three_sensors')
        self.command = self.create_publisher(WrenchStamped, 'command/wrench', 10)
        topics = {'imu/data': Imu, 'imu/mag': MagneticField, 'star_tracker/attitude': Imu}
        self.synchroniser = TickSynchroniser(self, topics, self.on_tick)

    def on_tick(self, stamp, messages):
        """Answer a tick for which all three have arrived."""
        imu = messages['imu/data']
        assert len(messages) == 3, messages.keys()
        command = WrenchStamped(header=imu.header)
        command.header.frame_id = 'base_link'
        command.wrench.torque.x = -GAIN * imu.angular_velocity.x
        command.wrench.torque.y = -GAIN * imu.angular_velocity.y
        command.wrench.torque.z = -GAIN * imu.angular_velocity.z
        self.command.publish(command)


rclpy.init()
rclpy.spin(ThreeSensors())
