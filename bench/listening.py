# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Receive imu/data until SIGTERM; then print, as JSON, [stamp, time of reception] in ns.

The clock is CLOCK_MONOTONIC, which the processes of a machine share.
"""

import json
import signal
import time

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import qos_profile_sensor_data
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import Imu


def main():
    """Listen, then print."""
    heard, ended = [], []
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    node = rclpy.create_node('listener')

    def hear(imu):
        now = time.monotonic_ns()
        heard.append((imu.header.stamp.sec * 1_000_000_000 + imu.header.stamp.nanosec, now))

    node.create_subscription(Imu, 'imu/data', hear, qos_profile_sensor_data)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    while not ended:
        executor.spin_once(timeout_sec=0.2)
    print(json.dumps(heard))


if __name__ == '__main__':
    main()
