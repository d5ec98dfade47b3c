# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Every reading that is due is counted as given or as missing, with the reason."""

import math

import numpy as np
from surroundings import X, Y, history, seen, turned

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import sensors
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.sensors import Imu, Magnetometer, StarTracker, TriadErrors
from spacecraft_attitude_sim.runs.run_observer import RunObserver
from spacecraft_attitude_sim.subcommands.run import _print_observed

AT_REST, FAST = seen(turned(Y, 180.0)), seen(turned(Y, 180.0), (0.0, 0.0, 0.2))
DARK = seen(irradiance=0.0, lit=0.0)


def tracker(interval=1, latency=0, **angles):
    """Return a star tracker whose boresight is the body's z."""
    given = {f'{body}_exclusion': math.radians(angle) for body, angle in angles.items()}
    q_BT = np.array(rotations.IDENTITY)
    return StarTracker(q_BT, interval, latency, rate_limit=0.1, **given)


def tally_of(truths, **suite):
    """Return the Tally of sensors that read one truth after another."""
    found = sensors.Tally(sensors.Suite(**suite))
    for readings in history(truths, **suite):
        found.add(readings)
    return found


def test_a_star_tracker_s_measurements_are_counted_when_they_are_to_arrive():
    # Measured at 0, 4, ..., 96; the last to arrive by tick 99 is that of 92: 24. Fast at 41 to 60
    # are 44, 48, 52, 56 and 60.
    truths = [FAST if 41 <= tick <= 60 else AT_REST for tick in range(100)]
    count = tally_of(truths, star_tracker=tracker(4, 7)).counts['star_tracker']
    assert (count.due, count.missing) == (24, {'above rate_limit': 5})
    assert count.text() == '19 of 24 readings; above rate_limit: 5'
    assert count.silence == ''


def test_a_star_tracker_says_what_dazzles_it_and_the_first_of_several():
    views = {
        'Sun within sun_exclusion': seen(turned(Y, 5.0)),
        'Earth within earth_exclusion': seen(turned(Y, -90.0)),
        'Moon within moon_exclusion': seen(turned(X, 90.0)),
        'above rate_limit': seen(turned(Y, 5.0), (0.3, 0.0, 0.0)),
    }
    for number, (why, truth) in enumerate(views.items(), 1):
        found = tally_of([AT_REST] + [truth] * number,
                         star_tracker=tracker(sun=10.0, earth=10.0, moon=10.0))  # fmt: skip
        assert found.counts['star_tracker'].missing == {why: number}
        assert found.silent() == {'star_tracker': why}
        assert found.texts()['star_tracker'] == f'1 of {1 + number} readings; {why}: {number}'


def test_sensors_of_sun_earth_and_place_are_counted_by_reason():
    away, bright = seen(turned(Y, 180.0)), seen()
    found = tally_of(
        [bright] * 3 + [DARK] * 2 + [away],
        sun_sensors=(sensors.SunSensor('fine'), sensors.SunSensor('slow', interval=4)),
        horizon_sensor=sensors.HorizonSensor(turned(Y, -90.0)),
        gnss=sensors.Gnss(turned(Y, 90.0), cone=1.0),
    )
    assert found.texts() == {
        'sun_sensor/fine': '3 of 6 readings; no sunlight: 2, the Sun is out of its view: 1',
        'sun_sensor/slow': '1 of 2 readings; no sunlight: 1',
        'horizon_sensor': "5 of 6 readings; the Earth's centre is out of its view: 1",
        'gnss': '5 of 6 readings; its antenna looks away from the sky: 1',
    }


def test_readings_at_a_limit_are_counted_and_sensors_that_always_read_are_not_told_of():
    strong, weak = seen(field_W=(5e-5, 0.0, 0.0)), seen(field_W=(1e-5, 0.0, 0.0))
    limited = Magnetometer(errors=TriadErrors(limit=(2e-5,) * 3))
    imu = Imu(gyroscope=TriadErrors(limit=(0.1,) * 3))
    found = tally_of([weak] * 4 + [strong] * 3 + [FAST], imu=imu, magnetometer=limited)
    assert found.texts() == {
        'imu': '8 of 8 readings; at its limit: 1',
        'magnetometer': '8 of 8 readings; at its limit: 3',
    }
    assert tally_of([weak] * 4, imu=Imu(), magnetometer=Magnetometer()).texts() == {}


def test_a_reset_begins_the_sensors_and_not_the_count():
    suite = {'star_tracker': tracker(2, 2)}
    found = sensors.Tally(sensors.Suite(**suite))
    for truths in ([AT_REST] * 7, [FAST] * 6):  # ticks 0 to 6, and from 0 to 5 again
        for readings in history(truths, **suite):
            found.add(readings)
    assert found.texts() == {'star_tracker': '3 of 5 readings; above rate_limit: 2'}


def test_the_summary_of_a_run_tells_of_sensors(capsys):
    found = scenario.load(scenario.find('tennis_racket'))
    tally = tally_of([AT_REST] + [FAST] * 3, star_tracker=tracker())
    observer = RunObserver(found, tally=tally)
    observer(found.first_instant())
    _print_observed(observer)
    line = '  star_tracker     1 of 4 readings; above rate_limit: 3\n'
    assert capsys.readouterr().out.endswith(line)
