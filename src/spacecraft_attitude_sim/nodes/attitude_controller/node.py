# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The attitude_controller node: answers imu/data with a torque and imu/mag with a dipole."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import (
    AccelStamped,
    PoseStamped,
    QuaternionStamped,
    Vector3Stamped,
    WrenchStamped,
)
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import SetParametersResult
from sensor_msgs.msg import Imu, JointState, MagneticField
from std_msgs.msg import Header

from spacecraft_attitude_sim.configuration import attitude_controller as configuration
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.core.control.allocation import GIMBALS, THRUSTERS, WHEELS
from spacecraft_attitude_sim.core.control.attitude_loop import (
    AHEAD,
    NO_TORQUE,
    NOTHING_ASKED,
    POINTINGS,
    Answer,
    Reading,
)
from spacecraft_attitude_sim.core.control.control_law import Reference
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mission import orders
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.nodes.attitude_controller import control_diagnostics
from spacecraft_attitude_sim.nodes.attitude_controller.joints import Joints
from spacecraft_attitude_sim.nodes.attitude_guidance import guidance_messages
from spacecraft_attitude_sim.nodes.mission_modes.orders import Orders
from spacecraft_attitude_sim.nodes.ros import conversions, qos
from spacecraft_attitude_sim.nodes.ros.flight_node import FlightNode
from spacecraft_attitude_sim.recording import topics
from spacecraft_attitude_sim.safety.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from geometry_msgs.msg import Quaternion as ROSQuaternion
    from rclpy.parameter import Parameter
    from rclpy.publisher import Publisher

    from spacecraft_attitude_sim.core.mathematics.types import Quaternion, Vector3
    from spacecraft_attitude_sim.core.mission.table import Order

UNKNOWN = -1.0  # REP-145: first covariance element of a quantity that is not measured
# The check for missing IMU data runs four times per imu_timeout, within these limits [ns].
OFTENEST_LOOK, RAREST_LOOK = 5_000_000, 100_000_000


# {kind of Allocation: last part of its command topic}
TOPICS = {GIMBALS: 'gimbals', THRUSTERS: 'thrusters', WHEELS: 'wheels'}


class GuidedReferences:
    """Puts the two messages of a reference of guidance together."""

    def __init__(self) -> None:
        self._odometry: Odometry | None = None
        self._acceleration: AccelStamped | None = None

    def take(self, message: Odometry | AccelStamped) -> tuple[Odometry, AccelStamped] | None:
        """Return both messages of the latest stamp, or None while one is missing."""
        if isinstance(message, Odometry):
            self._odometry = message
        else:
            self._acceleration = message
        if self._odometry is None or self._acceleration is None:
            return None
        if self._odometry.header.stamp != self._acceleration.header.stamp:
            return None
        return self._odometry, self._acceleration


class AttitudeControllerNode(FlightNode):
    """Converts between messages and core's AttitudeLoop.

    Raises ParameterError.
    """

    def __init__(self, configured: Mapping[str, Any] | None = None, **node_options: Any) -> None:
        super().__init__(configuration, configured, **node_options)
        self.add_on_set_parameters_callback(self._check_together)
        self.add_post_set_parameters_callback(self._on_change)
        warm_up.begin(self.get_logger())
        self.loop = configuration.loop(self.values)
        warm_up.note()
        self._latest: Answer | None = None
        self.references_refused = self.orders_refused = 0
        self.allocation = configuration.allocation(self.values)
        # Distance of the gimbals from a singularity; 1 is best.
        self.measure = 1.0
        self._joints = Joints(self.allocation)
        self._delay = configuration.command_delay(self.loop.settings, self.allocation)
        self.rate, self._warned = 0.0, False  # of the body [rad/s]; warned that it is high
        self._waiting: Imu | None = None  # IMU data whose joint states have not arrived
        self._command = self._of_torque()
        self.magnetic = configuration.magnetic_loop(
            self.values, self.loop.settings, self.allocation
        )
        # imu/mag whose joint states have not come.
        self._field_waiting: MagneticField | None = None
        if self.magnetic:
            self._dipole = self.create_publisher(Vector3Stamped, 'command/dipole', qos.STREAM)
            self.create_subscription(MagneticField, 'imu/mag', self._on_field, qos.SENSOR)
        if self._joints.needed:
            self.create_subscription(JointState, 'joint_states', self._on_joints, qos.SENSOR)
        self.orders: Orders | None = None
        if self.values[configuration.MISSION]:
            self._follow_mission(Orders(self._check_order))
        self._guide = GuidedReferences()
        self._tracked = self.create_publisher(PoseStamped, 'control/reference', qos.STREAM)
        self.create_subscription(Imu, 'imu/data', self._on_imu, qos.SENSOR)
        self._listen_for_references()
        self._listening = False
        self._heard_ns: int | None = None
        # It uses the node's clock, so a pause of simulated time is not missing data. It is never
        # reset, because rclpy's EventsExecutor calls a late timer once more for each reset.
        self._silence = self.create_timer(1e-9 * self._look_ns(), self._look_for_silence)
        self._begin_status('control', lambda: control_diagnostics.status(self))

    def _listen_for_references(self) -> None:
        """Subscribe to the references that apply: those of guidance, or those of anybody."""
        if self.loop.settings.guided:
            self.create_subscription(Odometry, topics.GUIDED, self._on_guide, qos.SENSOR)
            self.create_subscription(
                AccelStamped, topics.GUIDED_ACCELERATION, self._on_guide, qos.SENSOR
            )
            return
        self.create_subscription(PoseStamped, 'reference/pose', self._on_pose, 10)
        self.create_subscription(QuaternionStamped, 'reference/attitude', self._on_attitude, 10)
        self.create_subscription(Odometry, topics.GUIDED, self._on_odometry, 10)

    def _follow_mission(self, orders: Orders) -> None:
        """Take the mode from the mission, and tell it the pointing error."""
        self.orders = orders
        self._error = self.create_publisher(Vector3Stamped, topics.CONTROL_ERROR, qos.STREAM)
        self.create_subscription(DiagnosticArray, topics.MISSION, self._on_order, 10)

    def _of_torque(self) -> Publisher[JointState] | Publisher[WrenchStamped] | None:
        """Return the publisher of the torque command; None if only dipoles are commanded."""
        if self.allocation:
            self.allocation.commands(NOTHING_ASKED, self._joints.values)  # compiles it
            topic = TOPICS[self.allocation.kind]
            return self.create_publisher(JointState, f'command/{topic}', qos.STREAM)
        if configuration.magnetic_gains(self.values):
            return None
        return self.create_publisher(WrenchStamped, 'command/wrench', qos.STREAM)

    # --- data in, torque out ------------------------------------------------------------------

    def _on_imu(self, message: Imu) -> None:
        stamp = conversions.nanoseconds_from_ros(message.header.stamp)
        if self._is_behind(stamp, self._waiting):
            return  # a tick may wait for the answer to the newer ones
        joined = self._joints.are_of(stamp, self.loop.settings.timeout_ns)
        ordered = self.orders is None or self.orders.are_of(stamp)
        if joined and ordered and not self.loop.needs_guide(stamp):
            self._answer(message)
        else:
            self._waiting = message

    def _on_guide(self, message: Odometry | AccelStamped) -> None:
        """Take a part of guidance's reference; the latest IMU data may wait for it."""
        whole = self._guide.take(message)
        if whole is None:
            return
        odometry, acceleration = whole
        stamp = conversions.nanoseconds_from_ros(odometry.header.stamp)
        try:
            self._check_frame(odometry.header)
            self.loop.guide(guidance_messages.reference_of(odometry, acceleration), stamp)
        except ValueError as reason:
            self._refuse_reference(reason)
        self._try_again()

    def _on_order(self, message: DiagnosticArray) -> None:
        """Take the order of the mission; IMU data and the field may wait for it."""
        assert self.orders, 'it subscribes only where a mission is followed'
        try:
            self.orders.take(message)
        except ValueError as reason:
            self._refuse_order(reason)
        else:
            self._obey()
        self._try_again()
        self._try_field_again()

    def _check_order(self, order: Order) -> None:
        """Raise ValueError for an Order whose law needs what this controller does not have."""
        configuration.checked(configuration.commanded(order.law), self.values)

    def _refuse_order(self, reason: ValueError) -> None:
        self.orders_refused += 1
        if self.may_speak('order'):
            self.get_logger().warning(f'{topics.MISSION} refused: {reason}')

    def _obey(self) -> None:
        """Do what the mission ordered last."""
        if self.orders and self.orders.order:
            orders.obey(self.orders.order, self.loop, self.magnetic)

    def _on_joints(self, message: JointState) -> None:
        self._joints.take(message)
        self._try_again()
        self._try_field_again()

    def _try_field_again(self) -> None:
        """Answer the field that waits, if it need not wait any more."""
        if self._field_waiting:
            waiting, self._field_waiting = self._field_waiting, None
            self._on_field(waiting)

    def _try_again(self) -> None:
        """Answer the IMU data that wait, if they need not wait any more."""
        if self._waiting:
            waiting, self._waiting = self._waiting, None
            self._on_imu(waiting)

    def _on_field(self, message: MagneticField) -> None:
        magnetic = self.magnetic
        assert magnetic, 'it subscribes only where dipoles are commanded'
        stamp, clock_ns = conversions.nanoseconds_from_ros(message.header.stamp), self._clock_ns()
        if problem := self.loop.untimely(stamp, clock_ns):
            magnetic.refused += 1
            magnetic.problem = problem.replace('IMU data', 'imu/mag')
            return
        if self._is_behind(stamp, self._field_waiting):
            return
        ordered = self.orders is None or self.orders.are_of(stamp)
        joined = self._joints.are_of(stamp, self.loop.settings.timeout_ns)
        if not ordered or (magnetic.needs_speeds(stamp) and not joined):
            self._field_waiting = message
            return
        field_S = conversions.vector3_from_ros(message.magnetic_field)
        answer = magnetic.answer(stamp, field_S, np.array(self._joints.at(stamp)), self.rate)
        if answer is None:
            return
        command = Vector3Stamped()
        command.header.frame_id = self.values['frames.body']
        command.header.stamp = message.header.stamp
        command.vector = conversions.vector3_to_ros(answer.dipole_B)
        self._publish(self._dipole, command)
        if magnetic.warning and not self._warned:
            self._warned = True
            self.get_logger().warning(magnetic.warning)

    def waits_for_mission(self) -> bool:
        """Return whether IMU data has waited too long for the order of its time."""
        if not (self.orders and self._waiting and self._waits_long()):
            return False
        stamp = conversions.nanoseconds_from_ros(self._waiting.header.stamp)
        return not self.orders.are_of(stamp)

    def waits_for_joints(self) -> bool:
        """Return whether IMU data has waited too long for its joint states."""
        return self._joints.needed and self._waits_long() and not self.waits_for_guidance()

    def waits_for_guidance(self) -> bool:
        """Return whether IMU data has waited too long for the reference of its time."""
        if not self._waiting or not self._waits_long():
            return False
        stamp = conversions.nanoseconds_from_ros(self._waiting.header.stamp)
        return self.loop.needs_guide(stamp)

    def _waits_long(self) -> bool:
        if not self._waiting:
            return False
        latest = self._latest.time_ns if self._latest else None
        stamp = conversions.nanoseconds_from_ros(self._waiting.header.stamp)
        return latest is None or stamp - latest >= self.loop.settings.timeout_ns

    def _answer(self, message: Imu) -> None:
        clock_ns, reading = self._clock_ns(), _reading(message)
        answer = self.loop.answer(reading, clock_ns)
        if answer is None:
            return
        if answer.omega_B is not None or self.magnetic:
            self.rate = math.hypot(*conversions.vector3_from_ros(message.angular_velocity))
        if answer is not self._latest:  # a repeated reading does not show that the IMU works
            self._latest = answer
            self._listening, self._heard_ns = True, clock_ns
        if answer.q_WR is not None:
            header = Header(stamp=message.header.stamp, frame_id=self.values['frames.world'])
            tracked = PoseStamped(header=header)
            tracked.pose.orientation = conversions.quaternion_to_ros(answer.q_WR)
            self._publish(self._tracked, tracked)
        if self.orders:
            error_B = orders.pointing_error(reading, answer, self.loop.settings.q_BS)
            tracking = Vector3Stamped(vector=conversions.vector3_to_ros(error_B))
            tracking.header.frame_id = self.values['frames.body']
            tracking.header.stamp = message.header.stamp
            self._publish(self._error, tracking)
        if answer.time_ns == reading.time_ns:
            self._send(answer, late=True)
        else:
            # Old data. Stamp 0 means now, and in lockstep it must not answer a tick.
            self._send(answer._replace(time_ns=0))

    def _look_ns(self) -> int:
        """Return the interval of the check for missing IMU data [ns]."""
        look = round(0.25e9 * self.values['imu_timeout'])
        return min(max(look, OFTENEST_LOOK), RAREST_LOOK)

    def _look_for_silence(self) -> None:
        if not self._listening:
            return
        now = self._clock_ns()
        if now is None:
            return
        if self._heard_ns is None or now < self._heard_ns:
            self._heard_ns = now  # the clock has started or was reset
        if now - self._heard_ns >= self.loop.settings.timeout_ns:
            self._listening = False
            self._on_silence()

    def _on_silence(self) -> None:
        self.loop.silence()
        self.get_logger().warning(f'no torque: {self.loop.problem}')
        # Stamp 0 means now. In lockstep a simulator refuses it: silence must not answer a tick.
        self._send(Answer(0, NO_TORQUE))

    def _send(self, answer: Answer, late: bool = False) -> None:
        """Publish the command of an answer; late: with the delay, else at once instead of all."""
        if answer.problem and self.may_speak('imu/data'):
            self.get_logger().warning(answer.problem)
        if self._command is None:
            return
        if not late:
            self._delay.clear()
        if allocation := self.allocation:
            command = JointState(name=allocation.names)
            joints = self._joints.at(answer.time_ns) if late else self._joints.values
            values, self.measure = allocation.commands(answer, joints)
            self.loop.heed(allocation, values)
            if late:
                values = self._delay.due(answer.time_ns, values)
            setattr(command, allocation.field, values)
        else:
            command = WrenchStamped()
            command.header.frame_id = self.values['frames.body']
            torque_B = answer.torque_B
            if late:
                torque_B = self._delay.due(answer.time_ns, torque_B)
            command.wrench.torque = conversions.vector3_to_ros(torque_B)
        command.header.stamp = conversions.time_from_nanoseconds(answer.time_ns)
        self._publish(self._command, command)

    # --- reference ----------------------------------------------------------------------------

    def reference_at(self, time_ns: int) -> Quaternion | None:
        """Return the reference attitude q_WR (4,) at a time [ns]; None in a mode without one."""
        if self.loop.settings.mode_at(time_ns) not in POINTINGS:
            return None
        return self.loop.reference_at(time_ns)[0:4]

    def reference_from(self, guide: Any) -> Callable[[int], Quaternion | None]:
        """Return the function of a time [ns] that returns q_WR (4,) as `reference_at`.

        guide: the attitude_guidance node that it follows, or None for its own reference
        """
        if guide is None or not self.loop.settings.guided:
            return self.reference_at
        mode_at = self.loop.settings.mode_at
        return lambda time: guide.reference_at(time) if mode_at(time) in POINTINGS else None

    def _on_pose(self, message: PoseStamped) -> None:
        self._follow(message.header, message.pose.orientation)

    def _on_attitude(self, message: QuaternionStamped) -> None:
        self._follow(message.header, message.quaternion)

    def _on_odometry(self, message: Odometry) -> None:
        rate_R = conversions.vector3_from_ros(message.twist.twist.angular)
        self._follow(message.header, message.pose.pose.orientation, rate_R)

    def _follow(
        self, header: Header, orientation: ROSQuaternion, rate_R: Vector3 = NO_TORQUE
    ) -> None:
        try:
            reference = self._reference(header, orientation, rate_R)
        except ValueError as reason:
            self._refuse_reference(reason)
            return
        self.loop.follow(reference, conversions.nanoseconds_from_ros(header.stamp) or None)

    def _refuse_reference(self, reason: ValueError) -> None:
        self.references_refused += 1
        if self.may_speak('reference'):
            self.get_logger().warning(f'reference refused: {reason}')

    def _check_frame(self, header: Header) -> None:
        """Raise ValueError if a reference is not in world."""
        world = self.values['frames.world']
        if header.frame_id not in ('', world):
            raise ValueError(
                f"frame_id is {quoted(header.frame_id)}; give the reference in '{world}'"
            )

    def _reference(self, header: Header, orientation: ROSQuaternion, rate_R: Vector3) -> Reference:
        """Return the Reference in a message; ValueError if it is invalid."""
        self._check_frame(header)
        stamp = conversions.nanoseconds_from_ros(header.stamp)
        if (problem := self.loop.untimely(stamp, self._clock_ns())).endswith(AHEAD) or stamp < 0:
            raise ValueError(problem.replace('IMU data', 'stamp'))
        if not abs(rate_R).max() < 1e4:
            raise ValueError(f'angular velocity is {rate_R.tolist()} rad/s')
        q_WR = rotations.unit_quaternion(
            conversions.quaternion_from_ros(orientation), 'orientation'
        )
        return Reference(q_WR, rate_R, NO_TORQUE)

    # --- parameters ---------------------------------------------------------------------------

    def _check_together(self, changes: Sequence[Parameter[Any]]) -> SetParametersResult:
        try:
            configuration.checked(self.values | self._changed(changes))
        except ParameterError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _on_change(self, changes: Sequence[Parameter[Any]]) -> None:
        changed = self._changed(changes)
        self.values = configuration.checked(self.values | changed)
        self.loop.configure(configuration.settings(self.values))
        self._obey()
        self.allocation = configuration.allocation(self.values)
        if self.magnetic and (gains := configuration.magnetic_gains(self.values)):
            rows = configuration.rows_of_wheels(self.allocation)
            self.magnetic.configure(self.loop.settings, gains, rows)
            self._obey()
        if changed.keys() & {'reference.attitude', 'reference.angular_velocity'}:
            self.loop.follow(configuration.reference(self.values))
        if 'imu_timeout' in changed:
            self._silence.timer_period_ns = self._look_ns()

    def _changed(self, changes: Sequence[Parameter[Any]]) -> dict[str, Any]:
        """Return {name: value} of this node's own parameters among the changed ones."""
        return {change.name: change.value for change in changes if change.name in self.values}


def _reading(message: Imu) -> Reading:
    """Return the reading for core from an Imu message."""
    known = message.orientation_covariance[0] != UNKNOWN
    omega_S = conversions.vector3_from_ros(message.angular_velocity)
    if message.angular_velocity_covariance[0] == UNKNOWN:
        omega_S = omega_S * float('nan')
    return Reading(
        conversions.nanoseconds_from_ros(message.header.stamp),
        conversions.quaternion_from_ros(message.orientation) if known else None,
        omega_S,
    )
