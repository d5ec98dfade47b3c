# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Carry the weight of a body at its centre of mass, as an air bearing does; it turns freely."""

import rclpy
from geometry_msgs.msg import WrenchStamped
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Imu


class AirBearing(Node):
    def __init__(self):
        super().__init__('air_bearing')
        self.weight = self.declare_parameter('weight', 39.24).value  # N: 4 kg times 9.81 m/s^2
        self.command = self.create_publisher(WrenchStamped, 'command/wrench', 10)
        self.create_subscription(Imu, 'imu/data', self.on_imu, qos_profile_sensor_data)

    def on_imu(self, imu):
        command = WrenchStamped(header=imu.header)  # its stamp is what lockstep waits for
        command.header.frame_id = 'world'  # at the centre of mass, upward whatever the attitude
        command.wrench.force.z = self.weight
        self.command.publish(command)


rclpy.init()
rclpy.spin(AirBearing())
