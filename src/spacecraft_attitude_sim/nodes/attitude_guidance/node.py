# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude_guidance node: says which attitude, rate and acceleration each tick is to have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import AccelStamped, PoseStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu
from std_msgs.msg import Header, String

from spacecraft_attitude_sim.configuration import attitude_guidance as configuration
from spacecraft_attitude_sim.core.control.attitude_loop import LARGEST_JUMP_NS
from spacecraft_attitude_sim.core.guidance import timetable
from spacecraft_attitude_sim.core.guidance.motion import Profile
from spacecraft_attitude_sim.core.guidance.profiles import Inertial
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.nodes.attitude_guidance import guidance_messages
from spacecraft_attitude_sim.nodes.mission_modes.orders import Orders
from spacecraft_attitude_sim.nodes.ros import conversions, qos
from spacecraft_attitude_sim.nodes.ros.flight_node import FlightNode
from spacecraft_attitude_sim.nodes.simulator.diagnostics import mishaps
from spacecraft_attitude_sim.recording import topics
from spacecraft_attitude_sim.safety.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Quaternion

# What a pose is called among the profiles.
POSE = 'pose'


class AttitudeGuidanceNode(FlightNode):
    """Converts between messages and core's Guidance.

    refused: how many changes were refused
    Raises ParameterError.
    """

    def __init__(self, configured: Mapping[str, Any] | None = None, **node_options: Any) -> None:
        super().__init__(configuration, configured, **node_options)
        warm_up.begin(self.get_logger())
        self.guidance = configuration.guidance(self.values)
        warm_up.note()
        self._world, self._utc = self.values['frames.world'], configuration.utc(self.values)
        self.refused = 0
        self._stamp = -1  # of the latest IMU data [ns]
        self._older = -1  # of the one behind it, where that was older [ns]
        self._orders = Orders() if self.values[configuration.MISSION] else None
        self._waiting: Imu | None = None  # IMU data whose order has not come
        self._odometry = self.create_publisher(Odometry, topics.GUIDED, qos.STREAM)
        self._acceleration = self.create_publisher(
            AccelStamped, topics.GUIDED_ACCELERATION, qos.STREAM
        )
        self._status = self.create_publisher(DiagnosticArray, topics.PROFILE, qos.STREAM)
        self.create_subscription(Imu, topics.RAW, self._on_imu, qos.SENSOR)
        if self._orders:
            self.create_subscription(DiagnosticArray, topics.MISSION, self._on_order, 10)
        self.create_subscription(String, 'guidance/command', self._on_command, 10)
        self.create_subscription(PoseStamped, 'guidance/pose', self._on_pose, 10)
        self._begin_status('guidance', self._report)

    def reference_at(self, time_ns: int) -> Quaternion:
        """Return the attitude q_WR (4,) wanted at a time [ns]."""
        return self.guidance.at(seconds_of(time_ns, 1)).q_WR

    # --- IMU data in, references out ----------------------------------------------------------

    def _on_imu(self, message: Imu) -> None:
        """Answer IMU data with the reference of their time; again where they come again."""
        stamp = conversions.nanoseconds_from_ros(message.header.stamp)
        if stamp < 0:
            return
        if self._orders and not self._orders.are_of(stamp):
            if not self._is_behind(stamp, self._waiting):
                self._waiting = message
            return
        if stamp < self._stamp:
            if not self._begins_anew(stamp):
                return
            self.guidance.restart()
        self._stamp, self._older = stamp, -1
        time = seconds_of(stamp, 1)
        if self._orders and self._orders.order:
            self.guidance.fly(self._orders.order.profile, time)
        odometry, acceleration = guidance_messages.motion(
            self.guidance.at(time), stamp, self._world
        )
        self._publish(self._acceleration, acceleration)
        self._publish(self._odometry, odometry)
        status = guidance_messages.status(self.guidance.status(time), stamp, self._world)
        self._publish(self._status, status)

    def _begins_anew(self, stamp: int) -> bool:
        """Return whether another run has begun, of IMU data older than the latest.

        A run begins at 0. Without that, data that are a little older may be late; a second such
        message behind it is of another run.
        """
        older, self._older = self._older, stamp
        return stamp == 0 or self._stamp - stamp > LARGEST_JUMP_NS or 0 <= older <= stamp

    def _on_order(self, message: DiagnosticArray) -> None:
        """Take the order of the mission; IMU data may wait for it."""
        assert self._orders, 'it subscribes only where a mission is followed'
        try:
            self._orders.take(message)
        except ValueError as reason:
            self._refuse(f'{topics.MISSION}: {reason}')
        if self._waiting:
            waiting, self._waiting = self._waiting, None
            self._on_imu(waiting)

    # --- changes ------------------------------------------------------------------------------

    def _on_command(self, message: String) -> None:
        """Change to a profile: its name, or a time and a name."""
        words = message.data.split()
        try:
            if len(words) == 1:
                self.guidance.change(words[0], 0.0)
            else:
                time, name = timetable.parsed(message.data, self._utc)
                self.guidance.change(name, time)
        except ValueError as reason:
            self._refuse(f'{quoted(message.data)}: {reason}')

    def _on_pose(self, message: PoseStamped) -> None:
        """Change to an attitude at rest in world, at the time of its stamp."""
        try:
            if message.header.frame_id not in ('', self._world):
                frame = quoted(message.header.frame_id)
                raise ValueError(f"frame_id is {frame}; give the pose in '{self._world}'")
            q_WR = rotations.unit_quaternion(
                conversions.quaternion_from_ros(message.pose.orientation), 'orientation'
            )
            profile: Profile = Inertial(q_WR)
            stamp = conversions.nanoseconds_from_ros(message.header.stamp)
            self.guidance.change(POSE, seconds_of(max(stamp, 0), 1), profile)
        except ValueError as reason:
            self._refuse(f'guidance/pose: {reason}')

    def _refuse(self, reason: str) -> None:
        self.refused += 1
        if self.may_speak('change'):
            self.get_logger().warning(f'change refused: {reason}')

    # --- diagnostics --------------------------------------------------------------------------

    def _report(self) -> tuple[Header, bytes, str, dict[str, object]]:
        """Return header, level, message and values for StatusPublisher."""
        time = seconds_of(max(self._stamp, 0), 1)
        profile, left = self.guidance.status(time)
        values: dict[str, object] = {
            'profile': profile,
            'time to the end of the slew [s]': f'{left:.1f}',
            'changes refused': self.refused,
            **{name: f'{angle:.2f}' for name, angle in self.guidance.clearances(time).items()},
            **mishaps(self),
        }
        problem = self.guidance.problem or self.guidance.intrusion(time)
        level = DiagnosticStatus.WARN if problem else DiagnosticStatus.OK
        header = Header(stamp=self.get_clock().now().to_msg())
        return header, level, problem or profile, values
