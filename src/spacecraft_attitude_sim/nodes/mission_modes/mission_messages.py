# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of a Decision, and the Order in them; what the mission reads of sensors' messages."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Vector3Stamped
from sensor_msgs.msg import Illuminance, Imu, JointState, MagneticField

from spacecraft_attitude_sim.core.control import attitude_loop
from spacecraft_attitude_sim.core.mission.quantities import largest_sigma
from spacecraft_attitude_sim.core.mission.table import Order
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.nodes.messages.sensor_messages import NOT_MEASURED
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.recording import topics
from spacecraft_attitude_sim.safety.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spacecraft_attitude_sim.core.mission.mode_machine import Decision
    from spacecraft_attitude_sim.core.mission.quantities import Knowledge

UNMEASURED = NOT_MEASURED[0]
# Keys of an order.
LAW, PROFILE, UNLOAD = 'law', 'profile', 'unload'
TRUTH = {'true': True, 'false': False}


def command(decision: Decision) -> DiagnosticArray:
    """Return what the mode of a Decision commands; inverse of `order_of`."""
    order = decision.order
    values = {LAW: order.law, PROFILE: order.profile, UNLOAD: str(order.unloads).lower()}
    return _status(decision, '', values)


def order_of(message: DiagnosticArray) -> Order:
    """Return the Order in a message; ValueError that says what is wrong with it."""
    if len(message.status) != 1:
        raise ValueError(f'it has {len(message.status)} status; give one')
    status = message.status[0]
    given = {value.key: value.value for value in status.values}
    law, unload = given.get(LAW, ''), given.get(UNLOAD, 'true')
    if law not in attitude_loop.MODES:
        raise ValueError(f'{LAW} is {quoted(law)}; choose one of {", ".join(attitude_loop.MODES)}')
    if unload not in TRUTH:
        raise ValueError(f'{UNLOAD} is {quoted(unload)}; give true or false')
    return Order(status.name, law, given.get(PROFILE, ''), TRUTH[unload])


def mode(decision: Decision) -> DiagnosticArray:
    """Return the mode that was entered: its name, why, from which, and when [s]."""
    values = {'before': decision.before, 'time [s]': f'{seconds_of(decision.since_ns, 1):.9g}'}
    return _status(decision, decision.reason, values)


def _status(decision: Decision, message: str, values: Mapping[str, str]) -> DiagnosticArray:
    pairs = [KeyValue(key=key, value=value) for key, value in values.items()]
    status = DiagnosticStatus(name=decision.order.mode, message=message, values=pairs)
    return DiagnosticArray(header=conversions.header_to_ros(decision.time_ns, ''), status=[status])


class Source(NamedTuple):
    """A topic that the mission reads.

    kind: type of its messages
    take: function of Knowledge, the time [ns] and a message
    """

    kind: type[Any]
    take: Callable[[Knowledge, int, Any], None]


def sources(values: Mapping[str, Any]) -> dict[str, Source]:
    """Return {topic: Source} of a mission; values: its checked parameters."""
    every = {
        topics.IMU: Source(Imu, _motion),
        topics.MAGNETIC_FIELD: Source(MagneticField, _nothing),
    }
    for name in values['sun_sensors']:
        every[f'sun_sensor/{name}/direction'] = Source(Vector3Stamped, _sun)
    for name in values['sun_cells']:
        cell = f'sun_sensor/{name}'
        every[f'{cell}/illuminance'] = Source(Illuminance, functools.partial(_light, cell))
    if values['wheels']:
        every[topics.JOINTS] = Source(JointState, functools.partial(_wheels, values['wheels']))
    return every


def _nothing(knowledge: Knowledge, time_ns: int, message: Any) -> None:
    """Take nothing of a message that only says when to decide."""


def _motion(knowledge: Knowledge, time_ns: int, message: Imu) -> None:
    known = message.orientation_covariance[0] != UNMEASURED
    omega_S = conversions.vector3_from_ros(message.angular_velocity)
    if message.angular_velocity_covariance[0] == UNMEASURED:
        omega_S = omega_S * math.nan
    q_WS = conversions.quaternion_from_ros(message.orientation) if known else None
    knowledge.take_motion(time_ns, q_WS, omega_S, largest_sigma(message.orientation_covariance))


def _sun(knowledge: Knowledge, time_ns: int, message: Vector3Stamped) -> None:
    knowledge.take_sun(time_ns, conversions.vector3_from_ros(message.vector))


def _light(name: str, knowledge: Knowledge, time_ns: int, message: Illuminance) -> None:
    knowledge.take_light(time_ns, name, message.illuminance)


def _wheels(names: Sequence[str], knowledge: Knowledge, time_ns: int, message: JointState) -> None:
    speeds = dict(zip(message.name, message.velocity, strict=False))
    knowledge.take_wheels(time_ns, [speeds.get(name, math.nan) for name in names])
