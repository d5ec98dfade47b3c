# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`read(bag).sensors` is what `simulate` of its scenario gives, but for what no topic says."""

import numpy as np
import pytest
from test_history import recorded

import spacecraft_attitude_sim as sas

# It turns over in five seconds: each of its sensors sees now this, now nothing.
GIVEN = {
    'duration': 30.0, 'tick_rate': 8.0,
    'initial.angular_velocity': [0.5, -1.0, 0.7], 'imu.gyroscope.range': 57.0,
    'horizon_sensor.enabled': True, 'horizon_sensor.field_of_view': [170.0],
    'star_tracker.rate_limit': 0.0, 'star_tracker.interval': 4, 'star_tracker.latency': 3,
    'gnss.cone': 80.0, 'gnss.acquisition_time': 0.3, 'seed': 7,
}  # fmt: skip
TICKS = 96
UNSEEN = {'why', 'measured'}


def same(ours, theirs):
    """Return the names of sensors whose readings are alike to the bit, where a bag says why."""
    assert list(ours) == list(theirs)
    for name in ours:
        for part, expected in vars(theirs[name]).items():
            found = getattr(ours[name], part)
            known = ~np.isnan(found)
            if part == 'clock':
                assert found == pytest.approx(expected, abs=0.51e-9)
                continue
            if part in UNSEEN:  # NaN in place of 1, 2 … and of -2, -3 …
                assert (expected[~known] != 0.0).all() and (expected[~known] != -1.0).all()
                assert (expected[known] >= -1.0).all()
            else:
                assert known.all(), (name, part)
            assert found[known].tobytes() == expected[known].tobytes(), (name, part)
    return set(ours)


@pytest.fixture(scope='module')
def flight():
    """Return a Simulation that was flown, and its Instants, each with its readings."""
    craft = sas.Simulation('cubesat_3u_leo', None, parameters=GIVEN)
    instants = [craft.instant]
    for _ in range(TICKS):
        craft.step()
        instants.append(craft.instant)
    return craft, instants


@pytest.fixture(scope='module')
def bag(flight, tmp_path_factory):
    """Return the bag that it leaves."""
    craft, instants = flight
    made = [(instant, instant.tick == 0) for instant in instants]
    return recorded(tmp_path_factory.mktemp('sensors') / 'bag', craft.scenario, made)


def test_every_reading_of_a_bag_is_that_of_the_simulation(flight, bag):
    run = sas.read(bag)
    ours, theirs = run.sensors, flight[0].run.sensors
    assert same(ours, theirs) == {
        'imu', 'magnetometer', 'star_tracker', 'gnss', 'sun_sensor/fine', 'horizon_sensor',
        *(f'sun_sensor/{axis}_{side}' for axis in 'xyz' for side in ('plus', 'minus')),
    }  # fmt: skip
    assert run.sensors is ours
    # All that is compared happened: a limit, and each sensor that sees and does not.
    assert set(ours['imu'].saturated) == {0.0, 1.0}
    for name in ('gnss', 'sun_sensor/fine', 'horizon_sensor'):
        assert (theirs[name].why == 0.0).any() and (theirs[name].why > 0.0).any(), name
    measured = ours['star_tracker'].measured
    assert np.isnan(measured).any() and (measured == -1.0).any() and (measured > 0.0).any()


def test_after_a_reset_the_sensors_begin_again(flight, tmp_path):
    craft, instants = flight
    few = instants[:50]
    again = [one._replace(tick=one.tick + len(few)) for one in few]
    made = [(one, one.elapsed == 0) for one in (*few, *again)]
    ours = sas.read(recorded(tmp_path / 'bag', craft.scenario, made)).sensors
    for name, read in ours.items():
        (half,) = np.flatnonzero(read.time == len(few) * craft.scenario.plant.ticks.step)
        for part in vars(read).keys() - {'time'}:
            values = getattr(read, part)
            assert values[:half].tobytes() == values[half:].tobytes(), (name, part)


def test_a_sensor_whose_topic_is_not_in_the_bag_is_absent_and_says_so(flight, tmp_path):
    craft, instants = flight
    made = [(one, one.tick == 0) for one in instants[:20]]
    lost = [
        (topic, None)
        for topic in ('imu/mag', 'gnss/odometry', 'imu/data', 'star_tracker/attitude')
    ]
    lost += [('gnss/time_reference', None), ('imu/data_raw', 5), ('horizon_sensor/nadir', 0)]
    run = sas.read(recorded(tmp_path / 'bag', craft.scenario, made, lost=lost))
    ours, theirs = run.sensors, craft.run.sensors
    assert not ours.keys() & {'magnetometer', 'gnss', 'star_tracker'}
    with pytest.raises(KeyError, match='no topic imu/mag; record all topics'):
        ours['magnetometer']
    with pytest.raises(KeyError, match='no topic gnss/odometry or gnss/time_reference'):
        ours['gnss']
    with pytest.raises(KeyError, match="no sensor 'imo'; did you mean 'imu'"):
        ours['imo']
    assert np.isnan(ours['imu'].q_WS).all() and len(ours['imu'].time) == 19
    there = np.delete(np.arange(20), 5)
    rates = theirs['imu'].angular_velocity_S[there]
    assert ours['imu'].angular_velocity_S.tobytes() == rates.tobytes()
    assert len(ours['horizon_sensor'].time) == 20
