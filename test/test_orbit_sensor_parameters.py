# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors that ask what is around: their parameters in datasheet units, and what is refused."""

import math
from dataclasses import replace

import numpy as np
import pytest

from spacecraft_attitude_sim.configuration import (
    data_sheets,
    scenario,
    scenario_report,
    sensors,
    simulator_parameters,
)
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.configuration.share import share_directory
from spacecraft_attitude_sim.core.body.rigid_body import AT_CENTRE_OF_MASS
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import Ticks

DEGREE = math.pi / 180.0
CENTER = np.array((0.1, 0.0, 0.0))
QUARTER = [0.7071067811865476, 0.7071067811865476, 0.0, 0.0]


def orbiting(given):
    """Return a Scenario with the sensors of parameters, as if there were an orbit."""
    values = simulator_parameters.checked(data_sheets.with_models(given))
    ticks = Ticks.at(values['tick_rate'])
    suite = sensors.suite(values, AT_CENTRE_OF_MASS, rotations.IDENTITY, CENTER, ticks)
    sensors.refuse_without_orbit(suite, orbiting=True)
    found = scenario.build({}, 'test')
    craft = replace(found.plant.spacecraft, sensors=suite)
    plant = found.plant._replace(spacecraft=craft, ticks=ticks)
    return replace(found, plant=plant, parameters=values)


def suite_of(given):
    return orbiting(given).sensors


@pytest.mark.parametrize(
    ('given', 'name'),
    [
        ({'sun_cells': ['front']}, 'sun_sensor/front'),
        ({'sun_sensors': ['fine']}, 'sun_sensor/fine'),
        ({'horizon_sensor.enabled': True}, 'horizon_sensor'),
        ({'gnss.enabled': True}, 'gnss'),
        ({'star_tracker.enabled': True, 'star_tracker.moon_exclusion': 10.0}, 'star_tracker'),
    ],
)
def test_without_an_orbit_these_sensors_are_refused_in_one_line(given, name):
    with pytest.raises(scenario.ScenarioError) as refused:
        scenario.build(given, 'mine.yaml')
    said = str(refused.value)
    assert said.startswith(f'mine.yaml: {name}: the readings depend on where Earth and Sun are')
    assert said.endswith('give orbit.model, or leave the sensor out')
    assert '\n' not in said
    assert suite_of(given).needing_orbit == (name,)


def test_a_star_tracker_without_angles_needs_no_orbit():
    assert not scenario.build({'star_tracker.enabled': True}, 'test').sensors.needing_orbit


def test_units_of_a_magnetometer():
    given = {
        'magnetometer.enabled': True, 'magnetometer.interval': 4, 'tick_rate': 64.0,
        'magnetometer.noise': [80.0], 'magnetometer.bias': [100.0, 200.0, 300.0],
        'magnetometer.scale_factor': [2000.0], 'magnetometer.misalignment': [1.0, 2.0, 3.0],
        'magnetometer.range': [1e5], 'magnetometer.resolution': [15.0],
        'magnetometer.hard_iron': [1000.0, -2000.0, 500.0],
        'magnetometer.soft_iron': [1.1, 0.0, 0.0, 0.2, 0.9, 0.0, 0.0, 0.0, 1.0],
    }  # fmt: skip
    found = suite_of(given).magnetometer
    assert found.errors.noise_density == pytest.approx((80e-9 / 4.0,) * 3, abs=1e-20)  # 16 Hz
    assert found.errors.bias == pytest.approx((1e-7, 2e-7, 3e-7), abs=1e-20)
    assert found.errors.scale_factor == pytest.approx((2e-3,) * 3)
    assert found.errors.misalignment == pytest.approx((1e-3, 2e-3, 3e-3))
    assert found.errors.limit == pytest.approx((1e-4,) * 3)
    assert found.errors.resolution == pytest.approx((15e-9,) * 3, abs=1e-20)
    assert found.hard_iron == pytest.approx((1e-6, -2e-6, 5e-7), abs=1e-20)
    assert found.soft_iron == (1.1, 0.0, 0.0, 0.2, 0.9, 0.0, 0.0, 0.0, 1.0)
    assert suite_of({'magnetometer.enabled': True}).magnetometer.constants(0)[5] == 0.0  # no iron


def test_units_of_a_cell():
    given = {
        'sun_cells': ['front'], 'sun_cells_albedo': 0.4,
        'sun_cell.front.direction': [0.0, 0.6, 0.8],
        'sun_cell.front.position': [0.3, 0.1, 0.0], 'sun_cell.front.field_of_view': 170.0,
        'sun_cell.front.edge_loss': 0.05, 'sun_cell.front.efficacy': 93.0,
        'sun_cell.front.noise': 100.0, 'sun_cell.front.bias': 50.0,
        'sun_cell.front.scale_factor': 2.0, 'sun_cell.front.range': 1e5,
        'sun_cell.front.resolution': 24.0, 'sun_cell.front.interval': 8, 'tick_rate': 64.0,
    }  # fmt: skip
    (cell,) = suite_of(given).sun_cells
    assert cell.position_B == pytest.approx((0.2, 0.1, 0.0))  # from the centre of mass
    assert cell.normal_B == pytest.approx((0.0, 0.6, 0.8))
    assert cell.field_of_view == pytest.approx(170.0 * DEGREE)
    assert (cell.edge, cell.efficacy, cell.albedo, cell.interval) == (0.05, 93.0, 0.4, 8)
    assert cell.variance() == pytest.approx(100.0**2 + 24.0**2 / 12.0)
    assert (cell.errors.bias[0], cell.errors.scale_factor[0]) == pytest.approx((50.0, 0.02))
    assert (cell.errors.limit[0], cell.errors.period) == (1e5, 0.125)


def test_units_of_a_fine_sensor_and_of_the_horizon_sensor():
    errors = {
        'noise': [0.1, 0.2],
        'bias': [0.3],
        'resolution': [0.5],
        'field_of_view': [80.0, 40.0],
    }
    both = {f'sun_sensor.a.{name}': value for name, value in errors.items()}
    both |= {f'horizon_sensor.{name}': value for name, value in errors.items()}
    given = {
        **both, 'sun_sensors': ['a'], 'sun_sensor.a.orientation': QUARTER,
        'sun_sensor.a.position': [0.1, 0.2, 0.3], 'sun_sensor.a.least_light': 0.3,
        'sun_sensor.a.interval': 4, 'horizon_sensor.enabled': True,
        'horizon_sensor.orientation': QUARTER, 'horizon_sensor.position': [0.1, 0.2, 0.3],
        'horizon_sensor.interval': 4, 'horizon_sensor.seasonal_error': 0.06,
        'horizon_sensor.sun_exclusion': 5.0,
    }  # fmt: skip
    suite = suite_of(given)
    for one in (suite.sun_sensors[0], suite.horizon_sensor):
        assert one.q_BS == pytest.approx(QUARTER)
        assert one.position_B == pytest.approx((0.0, 0.2, 0.3))
        assert one.field_of_view == pytest.approx((80.0 * DEGREE, 40.0 * DEGREE))
        assert one.interval == 4
        expected = (0.1**2 + 0.5**2 / 12.0, 0.2**2 + 0.5**2 / 12.0, 0.0)
        variance = one.errors.sample_variance() / DEGREE**2
        assert variance == pytest.approx(expected, rel=1e-12, abs=0.0)
        assert one.errors.bias[:2] == pytest.approx((0.3 * DEGREE,) * 2)
    assert suite.sun_sensors[0].least_light == 0.3
    assert suite.horizon_sensor.seasonal_error == pytest.approx(0.06 * DEGREE)
    assert suite.horizon_sensor.sun_exclusion == pytest.approx(5.0 * DEGREE)


def test_units_of_the_receiver_and_of_the_star_trackers_angles():
    given = {
        'gnss.enabled': True, 'gnss.cone': 80.0, 'gnss.acquisition_time': 30.0,
        'gnss.position_error': 4.0, 'gnss.velocity_error': 0.02, 'gnss.clock_error': 20.0,
        'gnss.correlation_time': 60.0, 'gnss.position': [0.1, 0.2, 0.3],
        'gnss.orientation': QUARTER, 'gnss.interval': 16, 'star_tracker.enabled': True,
        'star_tracker.sun_exclusion': 30.0, 'star_tracker.earth_exclusion': 20.0,
        'star_tracker.moon_exclusion': 10.0,
    }  # fmt: skip
    suite = suite_of(given)
    gnss = suite.gnss
    assert gnss.cone == pytest.approx(80.0 * DEGREE)
    assert (gnss.acquisition, gnss.position_error, gnss.velocity_error) == (30.0, 4.0, 0.02)
    assert gnss.clock_error == pytest.approx(20e-9, rel=1e-12, abs=0.0)
    assert (gnss.correlation_time, gnss.interval, gnss.period) == (60.0, 16, 0.5)
    assert gnss.position_B == pytest.approx((0.0, 0.2, 0.3))
    assert gnss.q_BS == pytest.approx(QUARTER)
    assert suite.star_tracker.exclusion == pytest.approx(np.array((30, 20, 10)) * DEGREE)


@pytest.mark.parametrize(
    ('given', 'said'),
    [
        ({'sun_cells': ['a'], 'sun_sensors': ['a']}, "sun_cells and sun_sensors have 'a' twice"),
        ({'sun_cells': ['1st']}, "sun_cells has '1st', which is no name for a topic or joint"),
        ({'sun_sensors': ['a-b']}, "sun_sensors has 'a-b', which is no name for a topic or joint"),
        ({'sun_cells': ['a'], 'sun_cell.a.direction': [1.0, 1.0, 0.0]},
         r'sun_cell.a.direction is \[1.0, 1.0, 0.0\] of length 1.41421; give a unit vector'),
        ({'sun_sensors': ['a'], 'sun_sensor.a.field_of_view': [180.0]},
         'give a number from 0.01 to 178 deg'),
        ({'sun_sensors': ['a'], 'sun_sensor.a.model': 'best'}, 'choose one of ideal, nano'),
        ({'gnss.enabled': True, 'gnss.orientation': [0.0, 0.0, 0.0, 0.0]}, 'gnss.orientation'),
        ({'gnss.enabled': True, 'gnss.correlation_time': 0.0}, 'give a number from 0.001'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(given, said):
    with pytest.raises(ParameterError, match=said):
        suite_of(given)


def test_every_shipped_set_is_one_that_can_be_chosen():
    shipped = {path.stem for path in (share_directory() / 'config' / 'sensors').glob('*.yaml')}
    chosen = [model for models in sensors.MODELS.values() for model in models]
    assert sorted(chosen) == sorted(shipped)


def test_a_model_supplies_what_is_not_given_to_each_that_names_it():
    given = {
        'sun_sensors': ['a', 'b', 'c'], 'sun_sensor.a.model': 'nanossoc_d60',
        'sun_sensor.b.model': 'nfss_411', 'sun_sensor.b.bias': [0.02], 'sun_cells': ['d'],
        'sun_cell.d.model': 'coarse_cell', 'gnss.enabled': True,
        'gnss.model': 'single_frequency_gnss', 'gnss.velocity_error': 0.5,
        'horizon_sensor.enabled': True, 'horizon_sensor.model': 'infrared_horizon',
    }  # fmt: skip
    suite = suite_of(given)
    a, b, c = suite.sun_sensors
    assert [one.field_of_view[0] / DEGREE for one in (a, b, c)] == pytest.approx([120, 140, 120])
    assert [one.errors.bias[0] / DEGREE for one in (a, b, c)] == pytest.approx([0.167, 0.02, 0.0])
    assert suite.sun_cells[0].errors.scale_factor[0] == pytest.approx(0.02)
    assert (suite.gnss.position_error, suite.gnss.velocity_error) == (4.0, 0.5)
    assert suite.horizon_sensor.seasonal_error == pytest.approx(0.06 * DEGREE)


def test_the_report_says_what_each_sensor_is():
    given = {
        'sun_sensors': ['fine'], 'sun_sensor.fine.model': 'nanossoc_d60', 'sun_cells': ['front'],
        'sun_cell.front.noise': 130.0, 'sun_cell.front.interval': 8, 'gnss.enabled': True,
        'gnss.model': 'single_frequency_gnss', 'horizon_sensor.enabled': True,
        'star_tracker.enabled': True, 'star_tracker.sun_exclusion': 30.0,
    }  # fmt: skip
    said = '\n'.join(scenario_report._sensors(orbiting(given)))
    assert 'Sun cell front, 4 Hz, normal (0, 0, 1), noise 130 lx' in said
    assert (
        'Sun sensor fine, 32 Hz, field of view (120, 120) deg, boresight z, noise (0.00057' in said
    )
    assert 'horizon sensor, 32 Hz, field of view (120, 120) deg' in said
    assert 'GNSS, 1 Hz, errors 4 m, 0.02 m/s, 2e-08 s with correlation time 100 s' in said
    assert (
        'no attitude within (0.523599, 0, 0) rad of the Sun, the limb of the Earth, the Moon'
        in said
    )


@pytest.mark.parametrize(
    ('given', 'said'),
    [
        ({'sun_cells': ['a', 'a']}, "sun_cells has 'a' twice"),
        ({'sun_sensors': ['b', 'a', 'b']}, "sun_sensors has 'b' twice"),
        (
            {'sun_cells': ['c', 'a'], 'sun_sensors': ['b', 'a']},
            "sun_cells and sun_sensors have 'a'",
        ),
    ],
)
def test_two_sensors_of_one_topic_are_refused(given, said):
    with pytest.raises(ParameterError, match=said):
        suite_of(given)
