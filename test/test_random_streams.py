# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Random numbers: the published answers, the normal distribution, and independence."""

import numpy as np
import pytest
from surroundings import Y, Z, history, seen, turned

from spacecraft_attitude_sim.core import sensors
from spacecraft_attitude_sim.core.mathematics.random_streams import normals, philox
from spacecraft_attitude_sim.core.mathematics.rotations import IDENTITY
from spacecraft_attitude_sim.core.sensors import TriadErrors

ONES = (0xFFFFFFFF,) * 4
PI = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)


# Known answers of philox4x32 with ten rounds, published with Random123 (Salmon et al.).
@pytest.mark.parametrize(
    ('counter', 'key', 'expected'),
    [
        ((0,) * 4, (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (ONES, ONES[:2], (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (PI, (0xA4093822, 0x299F31D0), (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
    ],
)
def test_philox_gives_the_published_answers(counter, key, expected):
    assert tuple(map(int, philox(*map(np.uint64, (*counter, *key))))) == expected


def test_deviates_are_normal():
    from scipy import stats  # takes half a second, in each process that collects tests

    n = 1_000_000
    x = normals(n, 1, 0, 0, 0)
    # Five standard errors of each: of mean, variance, skewness and kurtosis of n deviates.
    assert abs(x.mean()) < 5.0 / np.sqrt(n)
    assert abs(x.var() - 1.0) < 5.0 * np.sqrt(2.0 / n)
    assert abs(stats.skew(x)) < 5.0 * np.sqrt(6.0 / n)
    assert abs(stats.kurtosis(x)) < 5.0 * np.sqrt(24.0 / n)
    assert stats.kstest(x, 'norm').pvalue > 0.01
    for limit in (2.0, 3.0, 4.0):
        expected = 2.0 * n * stats.norm.sf(limit)
        assert abs(np.sum(np.abs(x) > limit) - expected) < 5.0 * np.sqrt(expected)


@pytest.mark.parametrize('varied', ['seed', 'member', 'channel', 'tick'])
def test_neighbouring_streams_are_independent(varied):
    place = ('seed', 'member', 'channel', 'tick').index(varied)

    def stream(number):
        arguments = [3, 4, 5, 6]
        arguments[place] = number
        return normals(100_000, *arguments)

    for number in (0, 7, 2**32 - 2):
        correlation = np.corrcoef(stream(number), stream(number + 1))[0, 1]
        assert abs(correlation) < 5.0 / np.sqrt(100_000)


def test_numbers_of_a_tick_can_be_made_again_and_do_not_depend_on_how_many():
    late = 2**40 + 3  # more than 32 bits of ticks
    assert np.array_equal(normals(3, 9, 0, 1, late), normals(4, 9, 0, 1, late)[:3])
    assert not np.array_equal(normals(3, 9, 0, 1, late), normals(3, 9, 0, 1, 3))


def test_successive_ticks_of_a_channel_are_white():
    from scipy import stats

    x = np.array([normals(3, 2, 0, 0, tick) for tick in range(100_000)])
    assert stats.kstest(x.ravel(), 'norm').pvalue > 0.01
    for lag in (1, 2, 32):
        for axis in range(3):
            correlation = np.corrcoef(x[lag:, axis], x[:-lag, axis])[0, 1]
            assert abs(correlation) < 5.0 / np.sqrt(len(x))


def errors_of(term='', tilt=0.0, fix=0.0):
    """Return the errors of all axes of all sensors in one reading, in their standard deviations.

    term: of each triad;  tilt: of attitudes [rad];  fix: of the GNSS receiver [m, m/s, s]
    """
    size = tilt or fix or 1e-5

    def read(errors, tilt, fix):
        last = history(
            [seen()] * 2, seed=3,
            imu=sensors.Imu(gyroscope=errors, accelerometer=errors, orientation_noise=tilt),
            magnetometer=sensors.Magnetometer(errors=errors),
            star_tracker=sensors.StarTracker(IDENTITY, 1, 0, tilt, tilt),
            sun_cells=tuple(sensors.SunCell(name, Z, errors=errors) for name in 'ab'),
            sun_sensors=tuple(sensors.SunSensor(name, errors=errors) for name in 'cd'),
            horizon_sensor=sensors.HorizonSensor(turned(Y, -90.0), errors=errors),
            gnss=sensors.Gnss(position_error=fix, velocity_error=fix, clock_error=fix),
        )[-1]  # fmt: skip
        return np.concatenate([last.flat[name] for name in sorted(last.flat)])

    errors = TriadErrors(**({term: (size,) * 3} if term else {}), period=1.0)
    found = (read(errors, tilt, fix) - read(TriadErrors(), 0.0, 0.0)) / size
    found *= 2.0 if tilt else 1.0  # the vector of a quaternion is half of the angle
    return found[np.abs(found) > 1e-3]  # others have none, or one of second order


def test_no_two_errors_of_a_spacecraft_are_alike():
    """Each axis of each sensor, and each of its terms, has random numbers of its own."""
    terms = ('noise_density', 'bias', 'bias_instability', 'random_walk')
    every = [*map(errors_of, terms), errors_of(tilt=1e-5), errors_of(fix=1.0)]
    # Triads: three axes of gyroscope, accelerometer and magnetometer, one of each of two cells,
    # two of each of two Sun sensors and of the horizon sensor. Two attitudes; position, velocity
    # and clock.
    assert [len(errors) for errors in every] == [17] * 4 + [6, 7]
    sizes = np.sort(np.abs(np.concatenate(every)))
    assert np.min(np.diff(sizes)) > 3e-5  # those of small angles are right to 1e-5
