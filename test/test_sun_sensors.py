# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Coarse cells and fine Sun sensors: cosine law, view, eclipse, albedo, noise, quantiser."""

import math

import numpy as np
import pytest
from surroundings import EARTH, RADIUS, SUNLIGHT, X, Z, history, read, seen, turned, unit

from spacecraft_attitude_sim.core import sensors
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.sensors import SunCell, SunSensor, TriadErrors, albedo
from spacecraft_attitude_sim.core.sensors.two_angles import angles_of, direction_of

FULL = 97.6 * SUNLIGHT


def light(truth, **cell):
    return read(truth, sun_cells=(SunCell('one', **{'normal_B': Z, **cell}),)).illuminance('one')


@pytest.mark.parametrize('degrees', [0.0, 30.0, 60.0, 89.0, 91.0, 180.0])
def test_a_cell_sees_the_cosine_of_the_suns_angle_whichever_way_the_body_is_turned(degrees):
    expected = FULL * max(math.cos(math.radians(degrees)), 0.0)
    for q_WB in (turned(X, degrees), rotations.compose(turned(unit((1, 2, 0)), degrees),
                                                       turned(Z, 77.0))):  # fmt: skip
        assert light(seen(q_WB)) == pytest.approx(expected, abs=1e-9 * FULL)


def test_a_cell_sees_nothing_out_of_its_view_in_the_umbra_and_part_of_it_in_the_penumbra():
    narrow = {'field_of_view': math.radians(100.0)}
    assert light(seen(turned(X, 49.9)), **narrow) > 0.6 * FULL
    assert light(seen(turned(X, 50.1)), **narrow) == 0.0
    assert light(seen(irradiance=0.0, lit=0.0), albedo=0.3) == 0.0
    assert light(seen(irradiance=0.25 * SUNLIGHT, lit=0.25)) == pytest.approx(0.25 * FULL)


def test_a_slanting_ray_counts_less_by_the_edge_loss():
    cosine = math.cos(math.radians(85.0))
    expected = FULL * cosine * (1.0 - math.exp(-cosine / 0.05))
    assert light(seen(turned(X, 85.0)), edge=0.05) == pytest.approx(expected, rel=1e-12)


def disc_sum(distance, facing, count=400):
    """Return the part of a plate's half-space light from a sphere, by a sum over its disc."""
    half = math.asin(1.0 / distance)
    a = (np.arange(count) + 0.5) / count * half
    p = (np.arange(count) + 0.5) / count * 2.0 * np.pi
    angle, phase = np.meshgrid(a, p)
    sine = math.sqrt(1.0 - facing**2)
    cosines = np.cos(angle) * facing + np.sin(angle) * np.cos(phase) * sine
    patches = np.sin(angle) * (half / count) * (2.0 * np.pi / count)
    return np.sum(np.maximum(cosines, 0.0) * patches) / np.pi


@pytest.mark.parametrize('distance', [1.02, RADIUS / EARTH, 2.0, 6.6])
@pytest.mark.parametrize('degrees', [0.0, 40.0, 75.0, 90.0, 100.0, 130.0, 179.0])
def test_view_factor_is_the_sum_over_the_spheres_disc(distance, degrees):
    facing = math.cos(math.radians(degrees))
    found = albedo.view_factor(distance, facing)
    assert found == pytest.approx(disc_sum(distance, facing), abs=2e-5)


def test_albedo_of_the_day_reaches_a_cell_that_faces_the_earth_and_none_at_night():
    """Sun overhead: a plate that faces the Earth gets a E (R/r)², one that faces the Sun none."""
    noon = {'to_sun_W': X}
    facing_earth, facing_sun = {'normal_B': -X}, {'normal_B': X}
    expected = 0.3 * FULL * (EARTH / RADIUS) ** 2
    assert light(seen(**noon), albedo=0.3, **facing_earth) == pytest.approx(expected, rel=1e-12)
    assert light(seen(**noon), albedo=0.3, **facing_sun) == pytest.approx(FULL, rel=1e-12)
    # Half of the Sun behind the limb halves its own light, not that of the day side.
    low = seen(to_sun_W=unit((0.1, 0.0, 1.0)), irradiance=0.5 * SUNLIGHT, lit=0.5)
    below = 0.3 * FULL * (EARTH / RADIUS) ** 2 * unit((0.1, 0.0, 1.0))[0]
    assert light(low, albedo=0.3, **facing_earth) == pytest.approx(below, rel=1e-12)
    night = seen(to_sun_W=unit((-0.3, 0.0, 1.0)))
    assert light(night, albedo=0.3, **facing_earth) == light(night, **facing_earth)


def test_noise_bias_and_scale_of_a_cell_have_their_sizes():
    errors = TriadErrors((130.0 * math.sqrt(1 / 32), 0.0, 0.0))
    cell = SunCell('one', Z, errors=errors)
    found = [r.illuminance('one') - FULL for r in history([seen()] * 4000, sun_cells=(cell,))]
    # 4000 deviates: the mean is known to 1.6 %, the standard deviation to 1.1 %; 4 sigma.
    assert np.mean(found) == pytest.approx(0.0, abs=4 * 130.0 / math.sqrt(4000))
    assert np.std(found) == pytest.approx(130.0, rel=0.045)
    assert cell.variance() == pytest.approx(130.0**2, rel=1e-12)
    drawn = TriadErrors(bias=(650.0, 0.0, 0.0), scale_factor=(0.02, 0.0, 0.0))
    bright, dark = [], []
    for seed in range(400):
        kept = {'seed': seed, 'sun_cells': (SunCell('one', Z, errors=drawn),)}
        bright.append(read(seen(), **kept).illuminance('one') - FULL)
        dark.append(read(seen(irradiance=0.0, lit=0.0), **kept).illuminance('one'))
    # 400 runs: 3.5 %; 4 sigma.
    assert np.std(dark) == pytest.approx(650.0, rel=0.14)
    assert np.std(np.subtract(bright, dark)) == pytest.approx(0.02 * FULL, rel=0.14)


def test_a_cell_is_limited_and_rounded():
    errors = TriadErrors(limit=(100_000.0, 0.0, 0.0), resolution=(40.0, 0.0, 0.0))
    assert light(seen(), errors=errors) == 100_000.0
    reading = light(seen(turned(X, 60.0)), errors=errors)
    assert reading % 40.0 == 0.0 and abs(reading - 0.5 * FULL) <= 20.0


def test_the_frame_of_a_cell_has_x_outward():
    for normal in (X, -X, Z, unit((1, -2, 3)), unit((-1.0, 1e-9, 0.0))):
        q_BS = SunCell('one', normal).q_BS
        assert rotations.rotate(q_BS, X) == pytest.approx(normal, abs=1e-8)
        assert np.linalg.norm(q_BS) == pytest.approx(1.0, abs=1e-15)


# --- fine ---------------------------------------------------------------------------------------


def sun(truth, **sensor):
    return read(truth, sun_sensors=(SunSensor('fine', **sensor),)).sun('fine')


def test_a_fine_sensor_without_errors_reads_the_direction_in_its_own_axes():
    mounting = turned(unit((1, 2, 3)), 40.0)
    q_WB = turned(unit((3, -1, 2)), 25.0)
    sight = sun(seen(q_WB), q_BS=mounting, field_of_view=(3.0, 3.0))
    expected = rotations.rotate(rotations.conjugate(rotations.compose(q_WB, mounting)), Z)
    assert sight.direction_S == pytest.approx(expected, abs=1e-15) and sight.why == ''


@pytest.mark.parametrize('axis', [0, 1])
@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_view_is_a_rectangle_of_two_angles(axis, sign):
    """Turned about y the Sun moves along x of the sensor, about x along y."""
    view = (math.radians(80.0), math.radians(140.0))
    about, edge = (unit((0, 1, 0)), 40.0) if axis == 0 else (X, 70.0)
    assert (
        sun(seen(turned(about, sign * (edge - 0.1))), field_of_view=view).direction_S is not None
    )
    out = sun(seen(turned(about, sign * (edge + 0.1))), field_of_view=view)
    assert (out.direction_S, out.why) == (None, 'the Sun is out of its view')


def test_behind_the_sensor_is_out_of_its_view():
    assert sun(seen(turned(X, 180.0)), field_of_view=(3.1, 3.1)).direction_S is None


def test_a_fine_sensor_reads_nothing_in_the_umbra_or_with_too_little_light():
    dark = sun(seen(irradiance=0.0, lit=0.0))
    assert (dark.direction_S, dark.why) == (None, 'no sunlight')
    dim = seen(irradiance=0.25 * SUNLIGHT, lit=0.25)
    assert sun(dim).direction_S is not None
    assert sun(dim, least_light=0.3).direction_S is None


def angles(readings):
    return np.array([angles_of(r.sun('fine').direction_S) for r in readings])


def test_noise_and_bias_of_a_fine_sensor_have_their_sizes():
    sigma = np.radians((0.05, 0.2))
    errors = TriadErrors((*(sigma * math.sqrt(1 / 32)), 0.0))
    truth = seen(turned(unit((1, 1, 0)), 20.0))
    true = angles(history([truth], sun_sensors=(SunSensor('fine'),)))
    noisy = (SunSensor('fine', errors=errors),)
    found = angles(history([truth] * 4000, sun_sensors=noisy)) - true
    assert np.std(found, axis=0) == pytest.approx(sigma, rel=0.045)
    assert np.abs(np.mean(found, axis=0)) == pytest.approx((0.0, 0.0), abs=4 * 0.2 / 57.3 / 63.2)
    assert abs(np.corrcoef(found.T)[0, 1]) < 0.063
    biased = (SunSensor('fine', errors=TriadErrors(bias=(0.01, 0.01, 0.0))),)
    runs = [history([truth] * 2, seed, sun_sensors=biased) for seed in range(400)]
    constant = [angles(run) - true for run in runs]
    assert np.array_equal(np.array(constant)[:, 0], np.array(constant)[:, 1])  # once a run
    assert np.std(np.array(constant)[:, 0], axis=0) == pytest.approx((0.01, 0.01), rel=0.14)


def test_readings_of_opposite_angles_are_opposite_on_average():
    """T-N-1: a quantiser that truncates towards zero, or rounds one way, has a bias."""
    step = math.radians(0.5)
    errors = TriadErrors((math.radians(0.2) * math.sqrt(1 / 32),) * 2 + (0.0,),
                         resolution=(step, step, 0.0))  # fmt: skip
    fine = (SunSensor('fine', errors=errors),)
    means = [
        np.mean(angles(history([seen(turned(X, angle))] * 2000, sun_sensors=fine)), axis=0)
        for angle in (-7.13, 7.13)
    ]
    # Of 0.2 deg noise and 0.5 deg steps 2000 readings leave 0.0055 deg of a mean; 4 sigma of two.
    assert np.degrees(np.add(*means)) == pytest.approx((0.0, 0.0), abs=0.031)
    assert np.degrees(np.subtract(*means)[1]) == pytest.approx(-14.26, abs=0.031)


@pytest.mark.parametrize('angle', [-31.3, -0.26, -0.24, 0.0, 0.24, 0.26, 31.3])
def test_an_angle_is_rounded_to_the_nearest_step(angle):
    step = math.radians(0.5)
    errors = TriadErrors(resolution=(step, step, 0.0))
    found = angles(
        history([seen(turned(X, angle))], sun_sensors=(SunSensor('fine', errors=errors),))
    )
    true = angles(history([seen(turned(X, angle))], sun_sensors=(SunSensor('fine'),)))[0, 1]
    assert found[0, 1] == pytest.approx(step * round(true / step), abs=1e-12)
    assert np.sign(found[0, 1]) == (np.sign(true) if abs(angle) > 0.25 else 0.0)


def test_two_angles_are_a_unit_vector_and_back():
    for pair in ((0.0, 0.0), (0.7, -1.2), (-1.5, 1.5)):
        direction = direction_of(pair)
        assert np.linalg.norm(direction) == pytest.approx(1.0, abs=1e-15)
        assert angles_of(direction) == pytest.approx(pair, abs=1e-14)


# --- several ------------------------------------------------------------------------------------

NOISY = TriadErrors((1.0, 0.0, 0.0), bias=(5.0, 0.0, 0.0))
CELLS = tuple(SunCell(label, Z, errors=NOISY) for label in ('front', 'back', 'left'))


def test_each_cell_has_random_numbers_of_its_own_whoever_else_there_is():
    together = history([seen()] * 20, 3, sun_cells=CELLS)
    values = {c.label: [r.illuminance(c.label) for r in together] for c in CELLS}
    assert len({tuple(value) for value in values.values()}) == 3
    alone = history([seen()] * 20, 3, sun_cells=CELLS[2:])
    assert [r.illuminance('left') for r in alone] == values['left']
    fine = SunSensor('front_fine', errors=TriadErrors((0.1, 0.1, 0.0)))
    more = history([seen()] * 20, 3, sun_cells=CELLS[:1], sun_sensors=(fine,))
    assert [r.illuminance('front') for r in more] == values['front']


def test_a_reading_stays_between_its_ticks_as_does_that_there_is_none():
    errors = TriadErrors((0.01, 0.01, 0.0))
    slow = (SunSensor('fine', errors=errors, interval=3),)
    dark, bright = seen(irradiance=0.0, lit=0.0), seen()
    found = history([bright, dark, dark, dark, bright, bright, bright], sun_sensors=slow)
    assert [bool(r.new & {'sun_sensor/fine'}) for r in found] == [t % 3 == 0 for t in range(7)]
    assert [bool(r.silent) for r in found] == [False] * 3 + [True] * 3 + [False]
    assert found[2].flat['sun_sensor/fine'] is found[0].flat['sun_sensor/fine']
    suite = sensors.Suite(sun_sensors=slow)
    assert sensors.why_silent(suite, found[4]) == {'sun_sensor/fine': 'no sunlight'}
    assert sensors.why_silent(suite, found[6]) == {}
    # The third reading is the third whatever was seen before.
    third = history([bright] * 3, sun_sensors=(SunSensor('fine', errors=errors),))[2]
    assert np.array_equal(found[6].flat['sun_sensor/fine'], third.flat['sun_sensor/fine'])


def test_two_sensors_of_one_name_and_a_truth_without_surroundings_are_refused():
    with pytest.raises(ValueError, match=r"two sensors are 'sun_sensor/front'"):
        sensors.Suite(sun_cells=CELLS, sun_sensors=(SunSensor('front'),))
    suite = sensors.Suite(sun_cells=CELLS[:1])
    assert suite.needing_orbit == ('sun_sensor/front',)
    with pytest.raises(ValueError, match='sun_sensor/front: nothing says what is around'):
        sensors.read(suite, seen()[:16], 0)
