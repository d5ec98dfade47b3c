# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Point with a gyroscope and a delayed star tracker. In lockstep it repeats bit for bit.

    attitude-sim run cubesat_pointing --no-controller --rate 0 -p star_tracker.enabled:=true \
        -p star_tracker.latency:=3 -p star_tracker.cross_boresight_noise:=10.0

It neglects the gyroscope's bias and the mounting of both sensors.
"""

import contextlib
import signal

import numpy as np
import rclpy
from geometry_msgs.msg import WrenchStamped
from rclpy.node import Node
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import Imu

from spacecraft_attitude_sim.nodes.ros.synchroniser import TickSynchroniser

TRUST = 0.2  # share of a difference to the star tracker that corrects the estimate
STIFFNESS, DAMPING = 4e-3, 2e-2  # N m/rad, N m s/rad


class GyroAndStars(Node):
    """Propagates its estimate by the gyroscope, corrects it by the stars, and points it."""

    def __init__(self):
        super().__init__('gyro_and_stars')
        self.estimates = {}  # {stamp: estimate} of the latest ticks, for delayed stars
        self.command = self.create_publisher(WrenchStamped, 'command/wrench', 10)
        topics = {'imu/data_raw': Imu, 'star_tracker/attitude': Imu}
        self.synchroniser = TickSynchroniser(self, topics, self.on_tick, self.answer)

    def on_tick(self, stamp, messages):
        """Estimate and answer; messages: all messages of this tick."""
        if 'imu/data_raw' not in messages:
            return
        rate = messages['imu/data_raw'].angular_velocity
        self.rate = np.array((rate.x, rate.y, rate.z))
        self.header = messages['imu/data_raw'].header
        before = max((time for time in self.estimates if time < stamp), default=None)
        if before is not None:
            turn = Rotation.from_rotvec(self.rate * (stamp - before) * 1e-9)
            self.estimates[stamp] = self.estimates[before] * turn
            self.estimates = {time: q for time, q in self.estimates.items() if stamp - time < 1e9}
        if 'star_tracker/attitude' in messages:
            self.correct(stamp, messages['star_tracker/attitude'])
        self.answer(stamp)

    def correct(self, stamp, stars):
        """Rotate all estimates by a share of the error at the reading's time."""
        then = stars.header.stamp.sec * 1_000_000_000 + stars.header.stamp.nanosec
        q = stars.orientation
        measured = Rotation.from_quat((q.x, q.y, q.z, q.w))
        if not self.estimates:
            self.estimates[stamp] = measured
        elif then in self.estimates:
            error = (measured * self.estimates[then].inv()).as_rotvec()
            fix = Rotation.from_rotvec(TRUST * error)
            self.estimates = {time: fix * q for time, q in self.estimates.items()}

    def answer(self, stamp):
        """Command the torque of a tick; a repeated request for a tick gets the same torque."""
        command = WrenchStamped(header=self.header)
        command.header.frame_id = 'base_link'
        torque = -DAMPING * self.rate
        if stamp in self.estimates:
            torque = torque - STIFFNESS * self.estimates[stamp].as_rotvec()
        command.wrench.torque.x, command.wrench.torque.y, command.wrench.torque.z = torque
        self.command.publish(command)


signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends it as Ctrl-C does
rclpy.init()
with contextlib.suppress(KeyboardInterrupt):
    rclpy.spin(GyroAndStars())
