# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The messages of one tick: the simulator publishes them, a replay checks them.

Pure functions of scenario, Instant and Readings, without a node: the same give the same bytes.
"""

from typing import NamedTuple

import numpy as np
from geometry_msgs.msg import (
    PointStamped,
    PoseStamped,
    TransformStamped,
    Vector3Stamped,
    WrenchStamped,
)
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, MagneticField
from std_msgs.msg import Float64MultiArray, MultiArrayDimension, MultiArrayLayout

from spacecraft_attitude_sim.core import rotations, simulation
from spacecraft_attitude_sim.core.state import from_flat
from spacecraft_attitude_sim.nodes import conversions
from spacecraft_attitude_sim.nodes.sensor_messages import SensorMessages

# Topics and types of a tick, in the order of publishing: the clock before the data. Of the
# magnetometer and the star tracker only where the scenario has one.
TYPES = {
    '/clock': Clock,
    'pose': PoseStamped,
    'imu/data': Imu,
    'imu/data_raw': Imu,
    'imu/mag': MagneticField,
    'star_tracker/attitude': Imu,
    'ground_truth/angular_momentum': Vector3Stamped,
    'ground_truth/applied_wrench': WrenchStamped,
    'ground_truth/inputs': Float64MultiArray,
    'ground_truth/odometry': Odometry,
}
# Topics and types of a tick on a floor.
CONTACT_TYPES = {'contact/point': PointStamped, 'contact/wrench': WrenchStamped}
INPUTS_LABEL = (
    'tick, given, substeps, revision, wrench[12], impulse[6]; if given: elapsed, state[13], '
    'touch[30] on a floor'
)


class Settings(NamedTuple):
    """What may change during a run and the step depends on.

    substeps: the parameter;  revision: number of the text on topic `scenario` in force, from 0
    """

    substeps: int
    revision: int = 0


class TickMessages:
    """Makes the messages of a scenario's instants.

    topics: those of TYPES and CONTACT_TYPES that it has;  sensors: makes those of the sensors
    """

    def __init__(self, scenario):
        self._body = scenario.plant.body
        self.sensors = SensorMessages(scenario)
        self.topics = [topic for topic in TYPES if topic not in self.sensors.absent]
        self._world = scenario.parameters['frames.world']
        self._base = scenario.parameters['frames.body']
        touching = scenario.contact_parameters
        self._contact_point = touching['frames.contact'] if touching else None
        self.topics += list(CONTACT_TYPES) if touching else []

    def of(self, instant, readings, settings, given):
        """Return {topic: message} of `topics`, without the star tracker's when none arrives.

        readings: Readings of the instant;  settings: Settings in force
        given: whether the state was set, not stepped to
        """
        tick, state = instant.tick, instant.state
        header = conversions.header_to_ros(tick, self._world)
        pose = conversions.pose_to_ros(state.position_W, state.q_WB)
        force_B, torque_B = instant.applied_B[:3], instant.applied_B[3:]
        return {
            '/clock': Clock(clock=header.stamp),
            'pose': PoseStamped(header=header, pose=pose),
            **self.sensors.of(tick, readings),
            'ground_truth/angular_momentum': Vector3Stamped(
                header=header, vector=conversions.vector3_to_ros(state.angular_momentum_W)
            ),
            'ground_truth/applied_wrench': WrenchStamped(
                header=conversions.header_to_ros(tick, self._base),
                wrench=conversions.wrench_to_ros(force_B, torque_B),
            ),
            'ground_truth/inputs': inputs_to_ros(instant, settings, given),
            'ground_truth/odometry': self._odometry(state, header, pose),
            **(self._contact(instant, header) if instant.touch is not None else {}),
        }

    def transforms(self, instant):
        """Return the transforms of an instant, world to body and, on a floor, contact point.

        The axes at the contact point are those of the world.
        """
        state, header = instant.state, conversions.header_to_ros(instant.tick, self._world)
        found = [_transform(header, self._base, state.position_W, state.q_WB)]
        if instant.touch is not None:
            point_W = simulation.contact_at(instant).point
            found.append(_transform(header, self._contact_point, point_W, rotations.IDENTITY))
        return found

    def _contact(self, instant, header):
        contact = simulation.contact_at(instant)
        return {
            'contact/point': PointStamped(
                header=header, point=conversions.point_to_ros(contact.point)
            ),
            'contact/wrench': WrenchStamped(
                header=conversions.header_to_ros(instant.tick, self._contact_point),
                wrench=conversions.wrench_to_ros(contact.force, np.zeros(3)),
            ),
        }

    def _odometry(self, state, header, pose):
        q_BW = rotations.conjugate(state.q_WB)
        velocity_B = rotations.rotate(q_BW, state.momentum_W / self._body.mass)
        message = Odometry(header=header, child_frame_id=self._base)
        message.pose.pose = pose
        message.twist.twist = conversions.twist_to_ros(
            velocity_B, self._body.angular_velocity_B(state)
        )
        return message


def _transform(header, child, position, q):
    message = TransformStamped(header=header, child_frame_id=child)
    message.transform.translation = conversions.vector3_to_ros(position)
    message.transform.rotation = conversions.quaternion_to_ros(q)
    return message


def inputs_to_ros(instant, settings, given):
    """Return what must be known, besides the scenario, to compute this instant again."""
    data = [float(instant.tick), float(given), *map(float, settings)]
    data += [*instant.inputs.wrench.tolist(), *instant.inputs.impulse.tolist()]
    if given:
        data.append(float(instant.elapsed))
        data += [value for part in instant.state for value in part.tolist()]
        data += [] if instant.touch is None else instant.touch.tolist()
    dimension = MultiArrayDimension(label=INPUTS_LABEL, size=len(data), stride=len(data))
    return Float64MultiArray(layout=MultiArrayLayout(dim=[dimension]), data=data)


class Recomputed(NamedTuple):
    """What `inputs_to_ros` wrote.

    instant: the Instant when it was given, else None
    """

    tick: int
    settings: Settings
    inputs: simulation.Inputs
    instant: simulation.Instant | None


def inputs_from_ros(message):
    """Return the Recomputed of a ground_truth/inputs message."""
    data = np.array(message.data)
    tick, given = int(data[0]), bool(data[1])
    inputs = simulation.Inputs(data[4:16], data[16:22])
    instant = None
    if given:
        touch = data[36:66] if len(data) > 36 else None
        instant = simulation.first_instant(tick, from_flat(data[23:36]), int(data[22]), touch)
    return Recomputed(tick, Settings(int(data[2]), int(data[3])), inputs, instant)
