# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of the sensors, made from Readings, and the sensors' transforms on the body."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from geometry_msgs.msg import TransformStamped, Vector3Stamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import (
    Illuminance,
    Imu,
    MagneticField,
    NavSatFix,
    NavSatStatus,
    TimeReference,
)

from spacecraft_attitude_sim.core.environment import wgs84
from spacecraft_attitude_sim.core.sensors import StarTracker, imu
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.nodes.ros.serialised import (
    MARK_STAMP,
    MARKS,
    Marked,
    SerialisedMessage,
)
from spacecraft_attitude_sim.recording import topics
from spacecraft_attitude_sim.recording.topics import (
    FIX,
    GNSS_ODOMETRY,
    ILLUMINANCE,
    IMU,
    MAGNETIC_FIELD,
    NADIR,
    RAW,
    STAR_TRACKER,
    SUN_DIRECTION,
    TIME_REFERENCE,
)

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike
    from spacecraft_attitude_sim.core.sensors import (
        Fix,
        Gnss,
        HorizonSensor,
        Readings,
        Suite,
        SunCell,
        SunSensor,
    )
    from spacecraft_attitude_sim.core.sensors.star_tracker import Solution
    from spacecraft_attitude_sim.nodes.messages.moment import Moment


# Variance of an ideal reading: (1e-6)^2, the accuracy of the simulation, and for a magnetic field
# (1e-11 T)^2. All zeros would mean "unknown" (sensor_msgs/Imu).
IDEAL_VARIANCE = 1e-12
IDEAL_FIELD_VARIANCE = 1e-22
NOT_MEASURED = np.array((-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))  # sensor_msgs/Imu
# Covariance of attitude and rate in an Odometry, which a GNSS receiver does not measure.
UNKNOWN_VARIANCE = 1e9
MARK_TIME = MARK_STAMP + 1_125_000_000

# Sensors with `position_B` and `q_BS`.
Mounted: TypeAlias = 'SunCell | SunSensor | HorizonSensor | Gnss'


def _bytes_of(part: str) -> slice:
    """Return the slice of a part of imu.READING in its bytes."""
    place = imu.READING.of(part)
    return slice(8 * place.start, 8 * place.stop)


ATTITUDE, RATE, FORCE = map(_bytes_of, ('q_WS', 'angular_velocity_S', 'specific_force_S'))


class SensorMessages:
    """Makes the serialised messages of a scenario's sensors.

    epoch: time of its start [ns since 1970, UTC]
    makers: {topic: function that converts a Moment to bytes}, for the sensors that it has
    Raises ValueError for a sensor that no topic sends.
    """

    def __init__(self, scenario: Scenario, epoch: int = 0) -> None:
        self._suite, self._epoch = scenario.sensors, epoch
        self._frames = scenario.parameters
        self._base = scenario.parameters['frames.body']
        self._imu_link = scenario.parameters['frames.imu']
        self._star_tracker_link = scenario.parameters['frames.star_tracker']
        self._cut = {topic: SerialisedMessage(*cut) for topic, cut in self._templates().items()}
        makers = {
            IMU: self._imu, RAW: self._raw, MAGNETIC_FIELD: self._magnetic_field,
            STAR_TRACKER: self._attitude,
        }  # fmt: skip
        makers |= {NADIR: functools.partial(self._direction, NADIR, 'horizon_sensor')}
        makers |= {FIX: self._fix, GNSS_ODOMETRY: self._gnss_odometry, TIME_REFERENCE: self._time}
        self._topics = topics.of_sensors(self._suite)
        for cell in self._suite.sun_cells:
            topic = ILLUMINANCE.replace('*', cell.label)
            makers[topic] = functools.partial(self._illuminance, topic, cell.label)
        for sensor in self._suite.sun_sensors:
            topic = SUN_DIRECTION.replace('*', sensor.label)
            makers[topic] = functools.partial(self._direction, topic, sensor.name)
        self.makers = {topic: makers[topic] for topic in self._cut}

    def _imu(self, moment: Moment) -> bytes:
        data = moment.readings.flat['imu'].tobytes()  # quickly: lockstep waits for it
        q = conversions.w_last(data[ATTITUDE])
        return self._cut[IMU].of(moment.stamp, q, data[RATE], data[FORCE])

    def _raw(self, moment: Moment) -> bytes:
        data = moment.readings.flat['imu'].tobytes()
        return self._cut[RAW].of(moment.stamp, data[RATE], data[FORCE])

    def _magnetic_field(self, moment: Moment) -> bytes:
        field_S = moment.readings.flat['magnetometer']
        return self._cut[MAGNETIC_FIELD].of(moment.stamp, field_S.tobytes())

    def _attitude(self, moment: Moment) -> bytes:
        """Return the star tracker's message, stamped with the time of measurement."""
        instant, solution = moment.instant, _solution_of(moment.readings)
        measured = instant.ticks.stamp(instant.tick - latency(moment.readings))
        q = conversions.quaternion_bytes(solution.q_WT)
        return self._cut[STAR_TRACKER].of(conversions.stamp_bytes(measured), q)

    def _illuminance(self, topic: str, label: str, moment: Moment) -> bytes:
        light = moment.readings.illuminance(label)
        return self._cut[topic].of(moment.stamp, np.float64(light).tobytes())

    def _direction(self, topic: str, name: str, moment: Moment) -> bytes:
        return self._cut[topic].of(moment.stamp, moment.readings.flat[name][1:].tobytes())

    def _fix(self, moment: Moment) -> bytes:
        latitude, longitude, height = wgs84.geodetic(_fix_of(moment).position_E)
        place = np.array((math.degrees(latitude), math.degrees(longitude), height))
        return self._cut[FIX].of(moment.stamp, place.tobytes())

    def _gnss_odometry(self, moment: Moment) -> bytes:
        fix = _fix_of(moment)
        parts = fix.position_E.tobytes(), fix.velocity_E.tobytes()
        return self._cut[GNSS_ODOMETRY].of(moment.stamp, *parts)

    def _time(self, moment: Moment) -> bytes:
        instant = moment.instant
        late = round(_fix_of(moment).clock * conversions.NANOSECONDS)
        utc = self._epoch + instant.ticks.stamp(instant.elapsed - moment.age) + late
        return self._cut[TIME_REFERENCE].of(moment.stamp, conversions.stamp_bytes(utc))

    def published(self, readings: Readings) -> list[str]:
        """Return the topics that Readings fill now.

        The star tracker speaks when its solution arrives. Sensors that see nothing do not speak.
        """
        seeing = readings.new - readings.silent
        if readings.solution is None:
            seeing -= {'star_tracker'}
        return [topic for name, own in self._topics.items() if name in seeing for topic in own]

    def outgoing(self, moment: Moment) -> list[tuple[str, Moment]]:
        """Return [(topic, Moment that its message tells)] of all messages that come now.

        A message that comes twice comes at once again. What a newer reading has overtaken comes
        behind it.
        """
        delivery, sent = moment.readings.delivery, []
        speaking = set(self.published(moment.readings))
        for name, own in self._topics.items():
            messages = []
            if own[0] in speaking:
                age = delivery.ages.get(name)
                newest = moment.telling(age) if age else moment
                messages.append((newest, name in delivery.twice))
            for sensor, message in delivery.belated:
                if sensor == name and message.says:
                    age = moment.readings.tick - message.made
                    old = moment.telling(age, **{name: message.reading})
                    messages.append((old, message.twice))
            for each, twice in messages:
                sent += [(topic, each) for topic in own for _ in range(1 + twice)]
        return sent

    def ages(self, readings: Readings) -> dict[str, int]:
        """Return {topic: ticks since what its newest message tells was made}, of late ones."""
        late = readings.delivery.ages
        return {topic: age for name, age in late.items() for topic in self._topics[name]}

    def belated(self, readings: Readings) -> tuple[tuple[str, int], ...]:
        """Return (topic, age [ticks]) of each message that a newer one has overtaken."""
        stars = StarTracker.name  # its messages have the time of the image
        return tuple(
            (topic, readings.tick - (int(message.reading[0]) if name == stars else message.made))
            for name, message in readings.delivery.belated
            for topic in self._topics[name]
            if message.says
        )

    def _templates(self) -> dict[str, Marked]:
        """Return {topic: (message with marks, the bytes of the marks)}."""
        header = conversions.header_to_ros(MARK_STAMP, self._imu_link)
        stamp = conversions.stamp_bytes(MARK_STAMP)
        q, rate, force = np.split(MARKS[:10], (4, 7))
        attitude, q_bytes = conversions.quaternion_to_ros(q), conversions.quaternion_bytes(q)
        covariances = _covariances(self._suite)
        rates = {
            'header': header,
            'angular_velocity': conversions.vector3_to_ros(rate),
            'angular_velocity_covariance': covariances['angular_velocity'],
            'linear_acceleration': conversions.vector3_to_ros(force),
            'linear_acceleration_covariance': covariances['linear_acceleration'],
        }
        data = Imu(
            orientation=attitude, orientation_covariance=covariances['orientation'], **rates
        )
        raw = Imu(orientation_covariance=NOT_MEASURED, **rates)
        moving = rate.tobytes(), force.tobytes()
        marked: dict[str, Marked] = {
            IMU: (data, stamp, q_bytes, *moving),
            RAW: (raw, stamp, *moving),
        }
        if self._suite.magnetometer:
            field = MagneticField(
                header=header,
                magnetic_field=conversions.vector3_to_ros(rate),
                magnetic_field_covariance=covariances['magnetic_field'],
            )
            marked[MAGNETIC_FIELD] = (field, stamp, rate.tobytes())
        if self._suite.star_tracker:
            tracked = Imu(
                header=conversions.header_to_ros(MARK_STAMP, self._star_tracker_link),
                orientation=attitude,
                orientation_covariance=covariances['attitude'],
                angular_velocity_covariance=NOT_MEASURED,
                linear_acceleration_covariance=NOT_MEASURED,
            )
            marked[STAR_TRACKER] = (tracked, stamp, q_bytes)
        return marked | self._marked_light() | self._marked_gnss()

    def _marked_light(self) -> dict[str, Marked]:
        """Return the part of `_templates` for Sun and horizon sensors."""
        stamp = conversions.stamp_bytes(MARK_STAMP)
        marked: dict[str, Marked] = {}
        vector, light = MARKS[:3], MARKS[:1]
        for cell in self._suite.sun_cells:
            header = conversions.header_to_ros(MARK_STAMP, frame_of(cell))
            message = Illuminance(
                header=header, illuminance=float(light[0]), variance=cell.variance()
            )
            marked[ILLUMINANCE.replace('*', cell.label)] = message, stamp, light.tobytes()
        seen = {SUN_DIRECTION.replace('*', s.label): frame_of(s) for s in self._suite.sun_sensors}
        if self._suite.horizon_sensor:
            seen[NADIR] = self._frames['frames.horizon_sensor']
        for topic, link in seen.items():
            header = conversions.header_to_ros(MARK_STAMP, link)
            message = Vector3Stamped(header=header, vector=conversions.vector3_to_ros(vector))
            marked[topic] = message, stamp, vector.tobytes()
        return marked

    def _marked_gnss(self) -> dict[str, Marked]:
        """Return the part of `_templates` for the GNSS receiver."""
        if not (gnss := self._suite.gnss):
            return {}
        stamp, here, fast = conversions.stamp_bytes(MARK_STAMP), MARKS[:3], MARKS[3:6]
        variances = (gnss.position_error**2 + IDEAL_VARIANCE,) * 3
        fix = NavSatFix(header=conversions.header_to_ros(MARK_STAMP, self._frames['frames.gnss']))
        fix.status.status, fix.status.service = NavSatStatus.STATUS_FIX, NavSatStatus.SERVICE_GPS
        fix.latitude, fix.longitude, fix.altitude = map(float, here)
        fix.position_covariance = np.diag(variances).ravel()  # equal in all axes, so also in ENU
        fix.position_covariance_type = NavSatFix.COVARIANCE_TYPE_DIAGONAL_KNOWN
        earth, unknown = self._frames['frames.earth'], (UNKNOWN_VARIANCE,) * 3
        odometry = Odometry(
            header=conversions.header_to_ros(MARK_STAMP, earth), child_frame_id=earth
        )
        odometry.pose.pose.position = conversions.point_to_ros(here)
        odometry.pose.covariance = np.diag(variances + unknown).ravel()
        odometry.twist.twist.linear = conversions.vector3_to_ros(fast)
        variances = (gnss.velocity_error**2 + IDEAL_VARIANCE,) * 3
        odometry.twist.covariance = np.diag(variances + unknown).ravel()
        time = TimeReference(header=conversions.header_to_ros(MARK_STAMP, ''), source='gnss')
        time.time_ref = conversions.time_from_nanoseconds(MARK_TIME)
        return {
            FIX: (fix, stamp, here.tobytes()),
            GNSS_ODOMETRY: (odometry, stamp, here.tobytes(), fast.tobytes()),
            TIME_REFERENCE: (time, stamp, conversions.stamp_bytes(MARK_TIME)),
        }

    def fixed_transforms(self) -> list[TransformStamped]:
        """Return the transforms of the sensors on the body."""
        suite = self._suite
        imu, tracker = suite.imu.mounting, suite.star_tracker
        found = [self._fixed(self._imu_link, imu.position_B, imu.q_BF)]
        if tracker:
            found.append(self._fixed(self._star_tracker_link, np.zeros(3), tracker.q_BT))
        named: tuple[SunCell | SunSensor, ...] = (*suite.sun_cells, *suite.sun_sensors)
        links: list[tuple[str, Mounted | None]] = [(frame_of(one), one) for one in named]
        links.append((self._frames['frames.horizon_sensor'], suite.horizon_sensor))
        links.append((self._frames['frames.gnss'], suite.gnss))
        found += [self._fixed(link, one.position_B, one.q_BS) for link, one in links if one]
        return found

    def _fixed(self, frame: str, position_B: VectorLike, q_BF: VectorLike) -> TransformStamped:
        message = TransformStamped(
            header=conversions.header_to_ros(0, self._base), child_frame_id=frame
        )
        message.transform.translation = conversions.vector3_to_ros(position_B)
        message.transform.rotation = conversions.quaternion_to_ros(q_BF)
        return message


def frame_of(sensor: SunCell | SunSensor) -> str:
    """Return the frame of a named sensor."""
    return f'{sensor.label}_link'


def latency(readings: Readings) -> int:
    """Return the latency of the star tracker's solution [ticks]."""
    return readings.tick - _solution_of(readings).measured


def _solution_of(readings: Readings) -> Solution:
    """Return the star tracker's solution; its topic is published only when one arrives."""
    assert readings.solution is not None
    return readings.solution


def _fix_of(moment: Moment) -> Fix:
    """Return the receiver's fix; its topics are published only when it has one."""
    assert moment.readings.fix is not None
    return moment.readings.fix


def _covariances(suite: Suite) -> dict[str, Array]:
    """Return {quantity: covariance (9,)} of the readings, each in the sensor's axes."""
    imu = suite.imu
    variances = {
        'angular_velocity': imu.gyroscope.sample_variance() + IDEAL_VARIANCE,
        'linear_acceleration': imu.accelerometer.sample_variance() + IDEAL_VARIANCE,
        'orientation': np.full(3, imu.orientation_noise**2 + IDEAL_VARIANCE),
    }
    if suite.magnetometer:
        errors = suite.magnetometer.errors
        variances['magnetic_field'] = errors.sample_variance() + IDEAL_FIELD_VARIANCE
    if suite.star_tracker:
        variances['attitude'] = suite.star_tracker.variance() + IDEAL_VARIANCE
    return {quantity: np.diag(variance).ravel() for quantity, variance in variances.items()}
