# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The messages of one tick, made from an Instant: the simulator publishes, a replay checks them.

Pure functions of scenario and instant, without a node: the same instant gives the same bytes.
"""

import numpy as np
from geometry_msgs.msg import PoseStamped, TransformStamped, Vector3Stamped, WrenchStamped
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu
from std_msgs.msg import Float64MultiArray, MultiArrayDimension, MultiArrayLayout

from spacecraft_attitude_sim.core import rotations, sensors
from spacecraft_attitude_sim.nodes import conversions

# Topics and types of a tick, in the order of publishing: the clock before the data.
TYPES = {
    '/clock': Clock,
    'pose': PoseStamped,
    'imu/data': Imu,
    'imu/data_raw': Imu,
    'ground_truth/angular_momentum': Vector3Stamped,
    'ground_truth/applied_wrench': WrenchStamped,
    'ground_truth/inputs': Float64MultiArray,
    'ground_truth/odometry': Odometry,
}
# Variance of an ideal reading: (1e-6)^2, the accuracy of the simulation. All zeros would mean
# "unknown" (sensor_msgs/Imu).
IDEAL_COVARIANCE = np.diag((1e-12, 1e-12, 1e-12)).ravel()
NO_ORIENTATION = np.array((-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))  # REP-145
INPUTS_LABEL = 'tick, given, substeps, wrench[12], impulse[6], state[13] if given'


class TickMessages:
    """Makes the messages of a scenario's instants."""

    def __init__(self, scenario):
        self._body = scenario.plant.body
        self._imu = scenario.imu
        self._world = scenario.parameters['frames.world']
        self._base = scenario.parameters['frames.body']
        self._imu_link = scenario.parameters['frames.imu']

    def of(self, instant, substeps, given):
        """Return {topic: message} of TYPES.

        substeps: the parameter in force;  given: whether the state was set, not stepped to
        """
        tick, state = instant.tick, instant.state
        header = conversions.header_to_ros(tick, self._world)
        pose = conversions.pose_to_ros(state.position_W, state.q_WB)
        imu, imu_raw = self._imu_messages(instant)
        force_B, torque_B = instant.applied_B[:3], instant.applied_B[3:]
        return {
            '/clock': Clock(clock=header.stamp),
            'pose': PoseStamped(header=header, pose=pose),
            'imu/data': imu,
            'imu/data_raw': imu_raw,
            'ground_truth/angular_momentum': Vector3Stamped(
                header=header, vector=conversions.vector3_to_ros(state.angular_momentum_W)
            ),
            'ground_truth/applied_wrench': WrenchStamped(
                header=conversions.header_to_ros(tick, self._base),
                wrench=conversions.wrench_to_ros(force_B, torque_B),
            ),
            'ground_truth/inputs': inputs_to_ros(instant, substeps, given),
            'ground_truth/odometry': self._odometry(state, header, pose),
        }

    def transform(self, instant):
        """Return the transform of an instant, world to body."""
        message = TransformStamped(
            header=conversions.header_to_ros(instant.tick, self._world),
            child_frame_id=self._base,
        )
        message.transform.translation = conversions.vector3_to_ros(instant.state.position_W)
        message.transform.rotation = conversions.quaternion_to_ros(instant.state.q_WB)
        return message

    def imu_transform(self):
        """Return the fixed transform of the IMU on the body."""
        message = TransformStamped(
            header=conversions.header_to_ros(0, self._base), child_frame_id=self._imu_link
        )
        message.transform.translation = conversions.vector3_to_ros(self._imu.position_B)
        message.transform.rotation = conversions.quaternion_to_ros(self._imu.q_BF)
        return message

    def _imu_messages(self, instant):
        reading = sensors.ideal_imu(self._body, instant.state, instant.inputs.wrench, self._imu)
        raw = {
            'header': conversions.header_to_ros(instant.tick, self._imu_link),
            'angular_velocity': conversions.vector3_to_ros(reading.angular_velocity_S),
            'angular_velocity_covariance': IDEAL_COVARIANCE,
            'linear_acceleration': conversions.vector3_to_ros(reading.specific_force_S),
            'linear_acceleration_covariance': IDEAL_COVARIANCE,
        }
        orientation = conversions.quaternion_to_ros(reading.q_WS)
        return (
            Imu(orientation=orientation, orientation_covariance=IDEAL_COVARIANCE, **raw),
            Imu(orientation_covariance=NO_ORIENTATION, **raw),
        )

    def _odometry(self, state, header, pose):
        q_BW = rotations.conjugate(state.q_WB)
        velocity_B = rotations.rotate(q_BW, state.momentum_W / self._body.mass)
        message = Odometry(header=header, child_frame_id=self._base)
        message.pose.pose = pose
        message.twist.twist = conversions.twist_to_ros(
            velocity_B, self._body.angular_velocity_B(state)
        )
        return message


def inputs_to_ros(instant, substeps, given):
    """Return what must be known, besides the scenario, to compute this instant again."""
    data = [float(instant.tick), float(given), float(substeps)]
    data += [*instant.inputs.wrench.tolist(), *instant.inputs.impulse.tolist()]
    if given:
        data += [value for part in instant.state for value in part.tolist()]
    dimension = MultiArrayDimension(label=INPUTS_LABEL, size=len(data), stride=len(data))
    return Float64MultiArray(layout=MultiArrayLayout(dim=[dimension]), data=data)
