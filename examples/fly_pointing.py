# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Fly the policy of train_pointing.py as a ROS node, by IMU and tachometers. Copy this file."""

import contextlib
import signal
import sys
from pathlib import Path

import numpy as np
import rclpy
from rclpy.node import Node
from sensor_msgs.msg import Imu, JointState

from spacecraft_attitude_sim.nodes.ros.synchroniser import TickSynchroniser

WHEELS, MOST = ('w1', 'w2', 'w3', 'w4'), 0.004  # N m
SCALES = np.array((1.0,) * 4 + (0.1,) * 3 + (100.0,) * 4)  # of docs/learning.md


def observation(imu, joints):
    """Return what the policy saw in training, of messages of one tick."""
    q, rate = imu.orientation, imu.angular_velocity
    attitude = np.array((q.w, q.x, q.y, q.z))
    if q.w < 0.0:
        attitude = -attitude
    speeds = dict(zip(joints.name, joints.velocity, strict=True))
    numbers = (*attitude, rate.x, rate.y, rate.z, *(speeds[wheel] for wheel in WHEELS))
    return (np.array(numbers) / SCALES).astype(np.float32)


def act(weights, seen):
    """Return the actions of the linear policy, added as in training."""
    actions = weights[:, -1].copy()
    for k in range(len(seen)):
        actions += weights[:, k] * float(seen[k])
    return np.clip(actions, -1.0, 1.0)


class Pointing(Node):
    def __init__(self, weights):
        super().__init__('pointing_policy')
        self.weights, self.answers = weights, {}
        self.command = self.create_publisher(JointState, 'command/wheels', 10)
        topics = {'imu/data': Imu, 'joint_states': JointState}
        TickSynchroniser(self, topics, self.on_tick, self.on_repeat)

    def on_tick(self, stamp, messages):
        if len(messages) < 2:
            return
        seen = observation(messages['imu/data'], messages['joint_states'])
        command = JointState(header=messages['imu/data'].header, name=WHEELS)
        command.effort = (MOST * act(self.weights, seen)).tolist()
        self.answers = {stamp: command}
        self.on_repeat(stamp)

    def on_repeat(self, stamp):
        if stamp in self.answers:
            self.command.publish(self.answers[stamp])


if __name__ == '__main__':
    path = Path(__file__).with_name('pointing_policy.txt') if len(sys.argv) < 2 else sys.argv[1]
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends it as Ctrl-C does
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt):
        rclpy.spin(Pointing(np.loadtxt(path)))
