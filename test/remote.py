# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A simulator in another process, driven and heard through topics and services."""

import contextlib
import time

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped, Vector3Stamped, WrenchStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import SetParameters
from rclpy.duration import Duration
from rclpy.parameter import Parameter
from ros_helpers import PATIENCE, process
from std_srvs.srv import SetBool, Trigger

from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.ros import conversions


class Remote:
    """What a test asks of the simulator and hears from it; lists fill as messages come."""

    def __init__(self, ros):
        self.ros = ros
        self.poses = ros.listen(PoseStamped, 'pose')
        self.odometry = ros.listen(Odometry, 'ground_truth/odometry')
        self.momenta = ros.listen(Vector3Stamped, 'ground_truth/angular_momentum')
        self.applied = ros.listen(WrenchStamped, 'ground_truth/applied_wrench')
        self.diagnostics = ros.listen(DiagnosticArray, '/diagnostics')
        self.wrench_topic = ros.node.create_publisher(WrenchStamped, 'command/wrench', 100)
        self.impulse_topic = ros.node.create_publisher(WrenchStamped, 'command/impulse', 100)

    def hold(self, frame, force=(0, 0, 0), torque=(0, 0, 0), stamp=0, wait=True):
        """Send command/wrench and, if asked to, see it delivered; that takes up to 3 s."""
        self._send(self.wrench_topic, frame, force, torque, stamp, wait)

    def strike(self, frame, force=(0, 0, 0), torque=(0, 0, 0), wait=True):
        """Send command/impulse and, if asked to, see it delivered; that takes up to 3 s."""
        self._send(self.impulse_topic, frame, force, torque, 0, wait)

    def _send(self, publisher, frame, force, torque, stamp, wait):
        message = WrenchStamped(wrench=conversions.wrench_to_ros(force, torque))
        message.header.frame_id = frame
        message.header.stamp = conversions.time_from_nanoseconds(stamp)
        publisher.publish(message)
        if wait:
            assert publisher.wait_for_all_acked(Duration(seconds=PATIENCE))

    def step(self, count=1):
        """Take ticks, and wait until they are heard."""
        before = len(self.odometry)
        self.set('step_ticks', count)
        answer = self.ros.call(Trigger, '/simulator/step')
        assert answer.success, answer.message
        expected = before + count
        self.ros.until(
            lambda: all(
                len(heard) >= expected
                for heard in (self.poses, self.odometry, self.momenta, self.applied)
            )
        )

    def set(self, name, value):
        """Set a parameter."""
        parameter = Parameter(name, value=value).to_parameter_msg()
        request = SetParameters.Request(parameters=[parameter])
        (result,) = self.ros.call(SetParameters, '/simulator/set_parameters', request).results
        assert result.successful, result.reason

    def reset(self):
        """Begin anew: no command is held."""
        before = len(self.odometry)
        assert self.ros.call(Trigger, '/simulator/reset').success
        self.ros.until(lambda: len(self.odometry) > before)

    def pause(self, paused=True):
        """Pause, or go on."""
        return self.ros.call(SetBool, '/simulator/pause', SetBool.Request(data=paused))

    def wait_for_start(self):
        """Wait until the initial instant of a paused simulator is heard on all topics.

        It may have come before all of them were connected: it is asked for again until then.
        """
        while True:
            self.ros.call(Trigger, '/simulator/reset')
            latest = int(self.said()['tick']) * TICK_NS
            limit = time.monotonic() + 1.0
            while self.stamps() != {latest} and time.monotonic() < limit:
                self.ros.executor.spin_once(timeout_sec=0.05)
            if self.stamps() == {latest}:
                return

    def said(self):
        """Return {key: value} of the next diagnostics."""
        count = len(self.diagnostics)
        self.ros.until(lambda: len(self.diagnostics) > count)
        (status,) = self.diagnostics[-1].status
        return {value.key: value.value for value in status.values} | {'message': status.message}

    @property
    def time(self):
        """The latest stamp [ns]."""
        return conversions.nanoseconds_from_ros(self.poses[-1].header.stamp)

    def stamps(self):
        """Return the latest stamps of what is heard [ns], None where nothing is."""
        heard = (self.poses, self.odometry, self.momenta, self.applied)
        return {
            conversions.nanoseconds_from_ros(one[-1].header.stamp) if one else None
            for one in heard
        }

    @property
    def velocity_B(self):
        """The latest velocity in body axes [m/s]."""
        return conversions.vector3_from_ros(self.odometry[-1].twist.twist.linear)

    @property
    def omega_B(self):
        """The latest angular velocity in body axes [rad/s]."""
        return conversions.vector3_from_ros(self.odometry[-1].twist.twist.angular)

    @property
    def position_W(self):
        """The latest position [m]."""
        return conversions.vector3_from_ros(self.poses[-1].pose.position)

    @property
    def q_WB(self):
        """The latest attitude."""
        return conversions.quaternion_from_ros(self.poses[-1].pose.orientation)

    @property
    def applied_B(self):
        """The latest applied wrench (6,) in body axes."""
        return np.concatenate(conversions.wrench_from_ros(self.applied[-1].wrench))


@contextlib.contextmanager
def remote_simulator(ros, command, parameters):
    """Give a Remote, its simulator paused in the initial state in another process."""
    remote = Remote(ros)
    arguments = []
    for name, value in ({'start_paused': 'true', 'command_timeout': '0.0'} | parameters).items():
        arguments += ['-p', f'{name}:={value}']
    with process(command, 'node', 'simulator', '--ros-args', *arguments) as child:
        topics = (remote.wrench_topic, remote.impulse_topic)
        ros.until(lambda: all(topic.get_subscription_count() for topic in topics))
        remote.wait_for_start()
        for messages in (remote.poses, remote.odometry, remote.momenta, remote.applied):
            del messages[:-1]
        yield remote
        assert child.poll() is None, child.stderr.read()
        child.terminate()
        assert child.wait(timeout=PATIENCE) == 0
