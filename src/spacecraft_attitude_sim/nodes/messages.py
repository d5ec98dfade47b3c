# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The messages of one tick: the simulator publishes them, a replay checks them.

Pure functions of scenario, Instant and Readings, without a node: the same give the same bytes.
"""

from typing import NamedTuple

import numpy as np
from builtin_interfaces.msg import Time
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
from std_msgs.msg import Float64MultiArray, Header, MultiArrayDimension, MultiArrayLayout

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

    The messages are made once and written anew for each instant: making them takes three times as
    long. Whoever wants to keep one copies it.

    topics: those of TYPES and CONTACT_TYPES that it has;  sensors: makes those of the sensors
    """

    def __init__(self, scenario):
        self._body = scenario.plant.body
        values, touching = scenario.parameters, scenario.contact_parameters
        self._stamp = Time()
        self._world = Header(stamp=self._stamp, frame_id=values['frames.world'])
        self._base = Header(stamp=self._stamp, frame_id=values['frames.body'])
        self.sensors = SensorMessages(scenario, self._stamp)
        self._made = self._make(touching['frames.contact'] if touching else None)
        self.topics = [*self._made, *self.sensors.topics]

    def of(self, instant, readings, settings, given):
        """Return {topic: message} of `topics`, without the star tracker's when none arrives.

        The clock comes first. Until the next call these are of this instant.

        readings: Readings of the instant;  settings: Settings in force
        given: whether the state was set, not stepped to
        """
        made, state = self._made, instant.state
        conversions.fill_stamp(self._stamp, instant.tick)
        pose = made['pose'].pose
        conversions.fill_xyz(pose.position, state.position_W)
        conversions.fill_quaternion(pose.orientation, state.q_WB)
        momentum = made['ground_truth/angular_momentum'].vector
        conversions.fill_xyz(momentum, state.angular_momentum_W)
        applied = made['ground_truth/applied_wrench'].wrench
        conversions.fill_xyz(applied.force, instant.applied_B[:3])
        conversions.fill_xyz(applied.torque, instant.applied_B[3:])
        twist = made['ground_truth/odometry'].twist.twist
        velocity_W = state.momentum_W / self._body.mass
        q_BW = rotations.conjugate(state.q_WB)
        conversions.fill_xyz(twist.linear, rotations.rotate(q_BW, velocity_W))
        conversions.fill_xyz(twist.angular, self._body.angular_velocity_B(state))
        made['ground_truth/inputs'] = inputs_to_ros(instant, settings, given)
        if instant.touch is not None:
            contact = simulation.contact_at(instant)
            conversions.fill_xyz(made['contact/point'].point, contact.point)
            conversions.fill_xyz(made['contact/wrench'].wrench.force, contact.force)
        return made | self.sensors.of(instant.tick, readings)

    def transforms(self, instant):
        """Return the transforms of an instant, world to body and, on a floor, contact point.

        The axes at the contact point are those of the world.
        """
        state, world = instant.state, self._world.frame_id
        header = conversions.header_to_ros(instant.tick, world)
        found = [_transform(header, self._base.frame_id, state.position_W, state.q_WB)]
        if instant.touch is not None:
            child = self._made['contact/wrench'].header.frame_id
            point_W = simulation.contact_at(instant).point
            found.append(_transform(header, child, point_W, rotations.IDENTITY))
        return found

    def _make(self, contact_point):
        """Return {topic: message} but for the sensors; contact_point: a frame's name, or None."""
        world = self._world
        pose = PoseStamped(header=world)
        odometry = Odometry(header=world, child_frame_id=self._base.frame_id)
        odometry.pose.pose = pose.pose
        made = {
            '/clock': Clock(clock=self._stamp),
            'pose': pose,
            'ground_truth/angular_momentum': Vector3Stamped(header=world),
            'ground_truth/applied_wrench': WrenchStamped(header=self._base),
            'ground_truth/inputs': None,
            'ground_truth/odometry': odometry,
        }
        if contact_point:
            header = Header(stamp=self._stamp, frame_id=contact_point)
            made['contact/point'] = PointStamped(header=world)
            made['contact/wrench'] = WrenchStamped(header=header)
        return made


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
