# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Another process hears the simulator over DDS as a user's node would."""

import subprocess
import time

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy
from ros_helpers import process
from sensor_msgs.msg import Imu

from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.ros import conversions


def test_subscriber_hears_32_hz(ros, command):
    arrivals, stamps = [], []

    def take(message):
        arrivals.append(time.monotonic())
        stamps.append(conversions.nanoseconds_from_ros(message.header.stamp))

    # Best effort as sensor data, with room for what comes while this process has no turn.
    listening = QoSProfile(depth=64, reliability=ReliabilityPolicy.BEST_EFFORT)
    ros.node.create_subscription(Imu, 'imu/data', take, listening)
    with process(command, 'run', 'tennis_racket', '--duration', '14') as child:
        ros.until(lambda: stamps and stamps[-1] == 14 * 32 * TICK_NS, patience=40)
        assert child.wait(timeout=10) == 0
    assert np.all(np.diff(stamps) == TICK_NS)
    # The first arrivals wait for discovery; the median of both ends keeps most of the host's
    # hiccups out. A busy host may still shift one end by a tick or two of these 400, and no more
    # than 1 %: a timer that loses a tick every other second would be off by 1.6 %.
    ends = np.median(arrivals[-21:]) - np.median(arrivals[10:31])
    rate = (len(arrivals) - 31) / ends
    assert abs(rate / 32.0 - 1.0) < 0.01


def test_node_ends_cleanly_on_sigterm(command, domain, ros):
    heard = ros.listen(Imu, 'imu/data')
    with process(command, 'node', 'simulator') as child:
        ros.until(lambda: heard)
        child.terminate()
        _, errors = child.communicate(timeout=10)
    assert child.returncode == 0
    assert 'Traceback' not in errors


def test_node_with_wrong_parameter_file_says_so(command, domain, tmp_path):
    path = tmp_path / 'wrong.yaml'
    path.write_text('/**:\n  ros__parameters:\n    body:\n      mass: -1.0\n')
    done = subprocess.run(
        [command, 'node', 'simulator', '--ros-args', '--params-file', str(path)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 2
    assert 'body.mass is -1.0 kg' in done.stderr
    assert 'Traceback' not in done.stderr
