# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Another process hears the simulator over DDS as a user's node would."""

import subprocess
import time

import numpy as np
import pytest
from rclpy.qos import QoSProfile, ReliabilityPolicy
from ros_helpers import PATIENCE, process
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
        ros.until(lambda: stamps and stamps[-1] == 14 * 32 * TICK_NS)
        assert child.wait(timeout=PATIENCE) == 0
    assert np.all(np.diff(stamps) == TICK_NS)
    # A busy host delays some messages, and a timer that wakes late never makes up for it. Most
    # seconds are seconds all the same: hence the mean without the longest and the shortest sixth.
    # A node that loses a tick every other second would show 1.016 s.
    seconds = np.sort(np.subtract(arrivals[32:], arrivals[:-32]))
    sixth = len(seconds) // 6
    assert seconds[sixth:-sixth].mean() == pytest.approx(1.0, abs=0.008)


def test_node_ends_cleanly_on_sigterm(command, domain, ros):
    heard = ros.listen(Imu, 'imu/data')
    with process(command, 'node', 'simulator') as child:
        ros.until(lambda: heard)
        child.terminate()
        _, errors = child.communicate(timeout=PATIENCE)
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
