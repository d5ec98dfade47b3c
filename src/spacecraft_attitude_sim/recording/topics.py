# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The topics of one spacecraft: names relative to its namespace, and types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.actuators.inputs import COMMANDED
from spacecraft_attitude_sim.core.actuators.inputs import JOINTS as JOINT_STATES
from spacecraft_attitude_sim.core.environment.loads.registry import LOADS

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.sensors import Suite

ODOMETRY = 'ground_truth/odometry'
MOMENTUM = 'ground_truth/angular_momentum'
WRENCH = 'ground_truth/applied_wrench'
INPUTS = 'ground_truth/inputs'
JOINTS = 'joint_states'
TRUE_JOINTS = 'ground_truth/joint_states'
INTERNAL_PARTS = 'ground_truth/internal_parts'
SLUG_RATES = 'ground_truth/slug_rates'
HYSTERESIS_RODS = 'ground_truth/hysteresis_rods'
DIPOLE = 'magnetorquers/dipole'
WHEEL_MOMENTUM = 'ground_truth/wheel_momentum'
# Prefix of the name of an environment load.
DISTURBANCE = 'ground_truth/disturbance/'
IMU, RAW, MAGNETIC_FIELD = 'imu/data', 'imu/data_raw', 'imu/mag'
STAR_TRACKER = 'star_tracker/attitude'
# Of sensors with names, each with its own in the place of *.
SUN_DIRECTION = 'sun_sensor/*/direction'
ILLUMINANCE = 'sun_sensor/*/illuminance'
NADIR = 'horizon_sensor/nadir'
FIX, GNSS_ODOMETRY, TIME_REFERENCE = 'gnss/fix', 'gnss/odometry', 'gnss/time_reference'
DISTURBANCES = tuple(load.name for load in LOADS if not load.constant)
ORBIT = 'ground_truth/orbit'
TRUE_FIELD = 'ground_truth/magnetic_field'
SUN = 'ground_truth/sun'
SUNLIGHT = 'ground_truth/solar_irradiance'
ECLIPSE = 'eclipse'
FAULTS = 'ground_truth/faults'
POINT = 'contact/point'
FORCE = 'contact/wrench'
FLOOR = 'contact/floor'
MODE = 'contact/mode'
SCENARIO = 'scenario'
ESTIMATE = 'estimate/attitude'
INNOVATIONS, CONSISTENCY = 'estimate/innovations', 'estimate/nis'
REFERENCE = 'control/reference'
# Of guidance.
GUIDED, GUIDED_ACCELERATION = 'reference/odometry', 'reference/acceleration'
PROFILE = 'guidance/profile'
# Of the mission, and what it hears.
MISSION, MISSION_MODE, FAULT = 'mission/command', 'mission/mode', 'mission/fault'
CONTROL_ERROR = 'control/error'
COMMAND = 'command/wrench'
IMPULSE_COMMAND = 'command/impulse'
# Commands with an effect that lasts, unlike an impulse.
COMMANDS = {
    COMMAND: 'geometry_msgs/msg/WrenchStamped',
    **{one.topic: one.message for one in COMMANDED.values()},
}
# Only the stamp of these is read: rosbags cannot decode the empty fields that Fast DDS writes, and
# a command leaves some fields of a JointState empty.
STAMPS_ONLY = tuple(one.topic for one in COMMANDED.values() if one.message == JOINT_STATES)
CLOCK = '/clock'
# Topics between the processes of one run, independent of the spacecraft's names.
SHARED_CLOCK = ('/run/tick', '/run/answer')
# Topics of a tick in the order of publishing. The clock comes first; `tick` comes last and lists
# what was published.
TICK = {
    CLOCK: 'rosgraph_msgs/msg/Clock',
    IMU: 'sensor_msgs/msg/Imu',
    RAW: 'sensor_msgs/msg/Imu',
    MAGNETIC_FIELD: 'sensor_msgs/msg/MagneticField',
    STAR_TRACKER: 'sensor_msgs/msg/Imu',
    SUN_DIRECTION: 'geometry_msgs/msg/Vector3Stamped',
    ILLUMINANCE: 'sensor_msgs/msg/Illuminance',
    NADIR: 'geometry_msgs/msg/Vector3Stamped',
    FIX: 'sensor_msgs/msg/NavSatFix',
    GNSS_ODOMETRY: 'nav_msgs/msg/Odometry',
    TIME_REFERENCE: 'sensor_msgs/msg/TimeReference',
    'pose': 'geometry_msgs/msg/PoseStamped',
    MOMENTUM: 'geometry_msgs/msg/Vector3Stamped',
    WRENCH: 'geometry_msgs/msg/WrenchStamped',
    INPUTS: 'std_msgs/msg/Float64MultiArray',
    ODOMETRY: 'nav_msgs/msg/Odometry',
    JOINTS: 'sensor_msgs/msg/JointState',
    TRUE_JOINTS: 'sensor_msgs/msg/JointState',
    INTERNAL_PARTS: 'sensor_msgs/msg/JointState',
    SLUG_RATES: 'sensor_msgs/msg/JointState',
    HYSTERESIS_RODS: 'geometry_msgs/msg/Vector3Stamped',
    WHEEL_MOMENTUM: 'geometry_msgs/msg/Vector3Stamped',
    DIPOLE: 'geometry_msgs/msg/Vector3Stamped',
    **{DISTURBANCE + name: 'geometry_msgs/msg/WrenchStamped' for name in DISTURBANCES},
    ORBIT: 'nav_msgs/msg/Odometry',
    TRUE_FIELD: 'sensor_msgs/msg/MagneticField',
    SUN: 'geometry_msgs/msg/Vector3Stamped',
    SUNLIGHT: 'geometry_msgs/msg/Vector3Stamped',
    'tick': 'diagnostic_msgs/msg/DiagnosticArray',
}
# Topics of a tick on a floor.
CONTACT = {POINT: 'geometry_msgs/msg/PointStamped', FORCE: 'geometry_msgs/msg/WrenchStamped'}
TYPES = {
    **TICK,
    **CONTACT,
    FLOOR: 'sensor_msgs/msg/PointCloud2',
    MODE: 'std_msgs/msg/String',
    ECLIPSE: 'std_msgs/msg/String',
    SCENARIO: 'std_msgs/msg/String',
    REFERENCE: 'geometry_msgs/msg/PoseStamped',
    **COMMANDS,
}

# Of an estimator, which any process may be.
ESTIMATED = {
    ESTIMATE: 'sensor_msgs/msg/Imu',
    INNOVATIONS: 'sensor_msgs/msg/JointState',
    CONSISTENCY: 'sensor_msgs/msg/JointState',
}


def known_as(topic: str) -> str:
    """Return the key of a topic in TYPES, with * instead of a sensor's name."""
    parts = topic.split('/')
    return f'{parts[0]}/*/{parts[2]}' if parts[0] == 'sun_sensor' and len(parts) == 3 else topic


def of_sensors(suite: Suite) -> dict[str, tuple[str, ...]]:
    """Return {name of a sensor: the topics that send its readings}, in their order.

    Raises ValueError for a sensor that no topic sends.
    """
    alone = {
        'imu': (IMU, RAW), 'magnetometer': (MAGNETIC_FIELD,), 'star_tracker': (STAR_TRACKER,),
        'horizon_sensor': (NADIR,), 'gnss': (FIX, GNSS_ODOMETRY, TIME_REFERENCE),
    }  # fmt: skip
    named = {one.name: (ILLUMINANCE.replace('*', one.label),) for one in suite.sun_cells}
    named |= {one.name: (SUN_DIRECTION.replace('*', one.label),) for one in suite.sun_sensors}
    topics = alone | named
    if unsent := suite.sensors.keys() - topics.keys():
        raise ValueError(f"no topic sends what the sensor '{min(unsent)}' reads; add it here")
    return {name: topics[name] for name in suite.sensors}
