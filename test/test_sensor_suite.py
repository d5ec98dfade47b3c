# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""All sensors of a body: magnetometer, star tracker, independence, what a seed means."""

import numpy as np
import pytest
import truths

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.configuration.sensors.units import SI
from spacecraft_attitude_sim.core import sensors, simulation
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.rigid_body import AT_CENTRE_OF_MASS, RigidBody
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.sensors import Magnetometer, StarTracker, Suite, TriadErrors

TOP = RigidBody(2.0, np.diag((1.0, 1.0, 2.0)))
TURNED = rotations.quaternion_from_euler_zyx(0.3, -0.5, 0.7)
FIELD_W = np.array((1.8e-5, 0.0, 2.4e-5))
ARCSECOND = SI['arcsec']


def readings_of(suite, ticks, omega_B=(0.1, 0.2, 0.3)):
    """Return [(Instant, Readings)] of a free top."""
    plant = simulation.plant_of(TOP, np.zeros(3), substeps=1)
    state = TOP.state((0, 0, 0), TURNED, (0, 0, 0), np.array(omega_B))
    instant, before, found = simulation.Instant(0, state), None, []
    for _ in range(ticks):
        before = truths.read(suite, TOP, instant, before, FIELD_W)
        found.append((instant, before))
        instant = simulation.next_instant(plant, instant, simulation.Inputs())
    return found


def test_ideal_suite_reads_the_truth_to_the_bit():
    for instant, reading in readings_of(Suite(), 5):
        omega_B = TOP.angular_velocity_B(instant.state)
        assert reading.imu.q_WS.tobytes() == instant.state.q_WB.tobytes()
        assert reading.imu.angular_velocity_S.tobytes() == omega_B.tobytes()
        assert reading.magnetic_field_S is None
        assert reading.solution is None


def test_magnetometer_sees_the_field_of_the_world_in_its_own_axes():
    quarter = rotations.quaternion_from_axis_angle((0, 0, 1), np.pi / 2)
    mounting = AT_CENTRE_OF_MASS._replace(q_BF=quarter)
    suite = Suite(sensors.Imu(mounting), Magnetometer(quarter))
    for instant, reading in readings_of(suite, 5):
        C_WB = rotations.dcm_from_quaternion(instant.state.q_WB)
        field_B = C_WB.T @ FIELD_W
        # Sensor x is body y, sensor y is body -x.
        expected = (field_B[1], -field_B[0], field_B[2])
        assert reading.magnetic_field_S == pytest.approx(expected, abs=1e-19)


def test_magnetometer_noise_does_not_depend_on_the_orientation_noise():
    errors = TriadErrors(noise_density=(1e-9,) * 3)
    plain = readings_of(Suite(magnetometer=Magnetometer(errors=errors)), 20)
    imu = sensors.Imu(orientation_noise=0.1)
    noisy = readings_of(Suite(imu, Magnetometer(errors=errors)), 20)
    for (_, one), (_, other) in zip(plain, noisy, strict=True):
        assert np.array_equal(one.magnetic_field_S, other.magnetic_field_S)


@pytest.mark.parametrize(('interval', 'latency'), [(1, 0), (8, 0), (8, 3), (4, 10), (3, 3)])
def test_star_tracker_measures_at_its_rate_and_is_late_by_its_latency(interval, latency):
    tilt = rotations.quaternion_from_euler_zyx(0.1, 0.2, 0.3)
    tracker = StarTracker(tilt, interval, latency)
    found = readings_of(Suite(star_tracker=tracker), 40)
    arrivals = {tick: reading.solution for tick, (_, reading) in enumerate(found)}
    came = {tick: solution for tick, solution in arrivals.items() if solution}
    assert list(came) == [k + latency for k in range(0, 40 - latency, interval)]
    for tick, solution in came.items():
        assert solution.measured == tick - latency
        q_WB = found[solution.measured][0].state.q_WB  # of then, not of now
        assert rotations.angle_between(solution.q_WT, rotations.compose(q_WB, tilt)) < 1e-15


def test_star_tracker_finds_nothing_while_the_body_turns_too_fast():
    tracker = StarTracker(np.array(rotations.IDENTITY), 1, 0, rate_limit=0.3)
    assert all(not r.solution for _, r in readings_of(Suite(star_tracker=tracker), 9))
    slow = readings_of(Suite(star_tracker=tracker), 9, (0.0, 0.2, 0.2))
    assert all(r.solution for _, r in slow)


def test_star_tracker_noise_has_its_size_across_and_about_the_boresight():
    sigma = np.array((10.0, 10.0, 70.0)) * ARCSECOND
    tilt = rotations.quaternion_from_euler_zyx(0.1, 0.2, 0.3)
    tracker = StarTracker(tilt, 1, 0, sigma[0], sigma[2])
    errors_T = []
    for instant, reading in readings_of(Suite(star_tracker=tracker, seed=4), 2000):
        q_WT = rotations.compose(instant.state.q_WB, tilt)
        delta = rotations.compose(rotations.conjugate(q_WT), reading.solution.q_WT)
        errors_T.append(2.0 * delta[1:] * np.sign(delta[0]))
    # 2000 deviates: each standard deviation is known to 1.6 %, each correlation to 2.2 %; 4 sigma.
    assert np.std(errors_T, axis=0) == pytest.approx(sigma, rel=0.064)
    assert np.all(np.abs(np.corrcoef(np.transpose(errors_T)) - np.eye(3)) < 0.09)
    assert tracker.variance() == pytest.approx(sigma**2, rel=1e-12, abs=0.0)


EVERYTHING = {
    'imu.model': 'stim300',
    'imu.orientation_noise': 0.1,
    'magnetometer.enabled': True,
    'magnetometer.noise': 50.0,
    'magnetometer.bias': 500.0,
    'star_tracker.enabled': True,
    'star_tracker.interval': 2,
    'star_tracker.cross_boresight_noise': 10.0,
}
PARTS = {
    'angular velocity': lambda reading: reading.imu.angular_velocity_S,
    'specific force': lambda reading: reading.imu.specific_force_S,
    'orientation': lambda reading: reading.imu.q_WS,
    'magnetic field': lambda reading: reading.magnetic_field_S,
    'star tracker': lambda reading: reading.solution and reading.solution.q_WT,
}


def histories(changes):
    """Return {part: bytes of its readings} of a suite with everything on, but for the changes."""
    suite = scenario.build({**EVERYTHING, **changes}, 'test').sensors
    found = [reading for _, reading in readings_of(suite, 40)]
    return {name: [np.asarray(of(r)).tobytes() for r in found if of(r) is not None]
            for name, of in PARTS.items()}  # fmt: skip


@pytest.mark.parametrize(
    ('changes', 'changed'),
    [
        ({'imu.gyroscope.angle_random_walk': 0.0}, {'angular velocity'}),
        ({'imu.accelerometer.bias_instability': 0.0}, {'specific force'}),
        ({'imu.orientation_noise': 0.0}, {'orientation'}),
        ({'magnetometer.noise': 0.0}, {'magnetic field'}),
        ({'magnetometer.enabled': False}, {'magnetic field'}),
        ({'star_tracker.cross_boresight_noise': 0.0}, {'star tracker'}),
        ({'star_tracker.enabled': False}, {'star tracker'}),
        ({'seed': 1}, set(PARTS)),
        ({}, set()),
    ],
)
def test_a_sensor_on_or_off_changes_no_other_bit_for_bit(changes, changed):
    whole, other = histories({}), histories(changes)
    assert {name for name in PARTS if whole[name] != other[name]} == changed


def test_units_of_magnetometer_and_star_tracker():
    given = {
        **EVERYTHING,
        'magnetometer.range': 6e4,
        'star_tracker.latency': 3,
        'star_tracker.rate_limit': 2.0,
    }
    found = scenario.build(given, 'test')
    suite = found.sensors
    errors, tracker = suite.magnetometer.errors, suite.star_tracker
    assert np.sqrt(errors.sample_variance()) == pytest.approx((5e-8,) * 3, rel=1e-12, abs=0.0)
    assert (errors.bias[0], errors.limit[0]) == pytest.approx((5e-7, 6e-5), rel=1e-12, abs=0.0)
    assert (tracker.interval, tracker.latency) == (2, 3)
    assert tracker.rate_limit == pytest.approx(2.0 * np.pi / 180.0)
    assert tracker.cross_boresight == pytest.approx(10.0 / 3600.0 * np.pi / 180.0)
    # The default field is that of a low orbit: 30 microtesla.
    assert np.linalg.norm(found.plant.environment.magnetic_field_W) == pytest.approx(3e-5)


def test_saturation_is_said():
    suite = scenario.build({'imu.gyroscope.range': 10.0}, 'test').sensors
    assert not readings_of(suite, 1, (0.1, 0.0, 0.0))[0][1].saturated
    assert readings_of(suite, 1, (0.2, 0.0, 0.0))[0][1].saturated


def test_saturation_is_of_a_reading_of_now_and_not_said_between():
    imu = sensors.Imu(gyroscope=TriadErrors(limit=(0.1,) * 3), interval=4)
    found = [reading.saturated for _, reading in readings_of(Suite(imu), 10, (0.2, 0.0, 0.0))]
    assert found == [tick % 4 == 0 for tick in range(10)]


def test_reading_changes_nothing_of_the_reading_before_and_begins_again_at_tick_0():
    errors = TriadErrors(noise_density=(1e-3,) * 3, bias=(0.1,) * 3, random_walk=(0.1,) * 3)
    suite = Suite(sensors.Imu(gyroscope=errors, interval=2), seed=3)
    seen = np.arange(1.0, 17.0)
    first = sensors.read(suite, seen, 0)
    remembered = first.memory.copy()
    between = sensors.read(suite, seen, 1, first)
    one, again = (sensors.read(suite, seen, 2, between) for _ in range(2))
    np.testing.assert_array_equal(first.memory, remembered)
    np.testing.assert_array_equal(one.flat['imu'], again.flat['imu'])
    assert (one.memory != remembered).any()
    assert (between.new, between.tick, one.new) == (frozenset(), 1, {'imu'})
    every = Suite(sensors.Imu(gyroscope=errors), seed=3)  # the second reading, too
    second = sensors.read(every, seen, 1, sensors.read(every, seen, 0))
    np.testing.assert_array_equal(one.flat['imu'], second.flat['imu'])
    anew = sensors.read(suite, seen, 0, one)
    np.testing.assert_array_equal(anew.flat['imu'], first.flat['imu'])
    np.testing.assert_array_equal(anew.memory, remembered)


def test_a_reading_that_would_not_be_finite_is_named():
    seen = np.arange(1.0, 17.0)
    seen[kinematics.TRUTH.of('specific_force_B')] = np.inf
    with pytest.raises(ArithmeticError, match=r'specific_force_S of imu would be \[.*not finite'):
        sensors.read(Suite(), seen, 0)


def test_variance_is_that_of_what_is_drawn():
    suite = scenario.build({**EVERYTHING, 'magnetometer.resolution': 100.0}, 'test').sensors
    found = [reading for _, reading in readings_of(suite, 2000, (0.0, 0.0, 0.0))]
    ideal = truths.ideal_imu(TOP, readings_of(suite, 1, (0.0,) * 3)[0][0].state,
                              np.zeros(12), AT_CENTRE_OF_MASS)  # fmt: skip
    pairs = (
        ([r.imu.angular_velocity_S for r in found], suite.imu.gyroscope),
        ([r.imu.specific_force_S for r in found], suite.imu.accelerometer),
        ([r.magnetic_field_S for r in found], suite.magnetometer.errors),
    )
    for values, errors in pairs:
        # From reading to reading: half the mean square of differences, blind to biases. Its
        # standard error is 2.7 % of 2000 readings, and of the deviation half of that; 4 sigma.
        variance = np.mean(np.diff(values, axis=0) ** 2, axis=0) / 2.0
        assert variance == pytest.approx(errors.sample_variance(), rel=0.11, abs=0.0)
    angles = [rotations.angle_between(r.imu.q_WS, ideal.q_WS) for r in found]
    sigma = suite.imu.orientation_noise
    assert np.mean(np.square(angles)) == pytest.approx(3.0 * sigma**2, rel=0.08)


@pytest.mark.parametrize('sensor', ['gyroscope', 'accelerometer'])
@pytest.mark.parametrize(('size', 'saturated'), [(0.999, False), (1.001, True), (-1.5, True)])
def test_each_sensor_of_the_imu_saturates_alone(sensor, size, saturated):
    """Spin about z; at 0.5 m along x the specific force is -ω² r along x, 3.125 m/s² at 2.5."""
    mounting = AT_CENTRE_OF_MASS._replace(position_B=np.array((0.5, 0.0, 0.0)))
    truth = {'gyroscope': 2.5, 'accelerometer': 3.125}[sensor]
    errors = TriadErrors(limit=(truth / abs(size),) * 3)
    suite = Suite(sensors.Imu(mounting, **{sensor: errors}))
    rate = np.copysign(2.5, size)
    ((_, reading),) = readings_of(suite, 1, (0.0, 0.0, rate))
    assert reading.saturated == saturated
    expected = min(1.0, 1.0 / abs(size))
    rate_S, force_S = reading.imu.angular_velocity_S, reading.imu.specific_force_S
    of_rate, of_force = (expected, 1.0) if sensor == 'gyroscope' else (1.0, expected)
    assert rate_S == pytest.approx((0.0, 0.0, of_rate * rate), abs=1e-14)
    assert force_S == pytest.approx((-3.125 * of_force, 0.0, 0.0), abs=1e-14)
