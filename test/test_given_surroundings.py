# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What is around an orbit about the Earth, given or left out: each against its closed form."""

import math

import numpy as np
import pytest
from plain import plain

from spacecraft_attitude_sim.campaigns import campaign, runner
from spacecraft_attitude_sim.campaigns.columns import STATE_COLUMNS
from spacecraft_attitude_sim.configuration import (
    attitude_controller,
    earth_parameters,
    earth_surroundings,
    scenario,
    scenario_report,
)
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.batch.actuated import rows_of
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER, SOLAR_CONSTANT
from spacecraft_attitude_sim.core.environment.magnetic_field import field_E, igrf14
from spacecraft_attitude_sim.core.environment.surroundings import AROUND, eclipse
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation.solver import Free
from spacecraft_attitude_sim.nodes.messages import tick_messages

AXIS = 7e6
SPEED = math.sqrt(GRAVITATIONAL_PARAMETER / AXIS)
PERIOD = math.tau * AXIS / SPEED
LIGHT = 299792458.0
AREA, MASS, DRAG = 0.3, 8.0, 2.2
# A plate that faces the flight of an equatorial orbit at the start, and one that faces x of world.
EQUATOR = {
    'orbit.model': 'kepler', 'orbit.semi_major_axis': AXIS, 'epoch': '2026-06-21T12:00:00Z',
    'body.mass': MASS, 'body.inertia': [0.05, 0.12, 0.13], 'tick_rate': 1.0,
    'initial.angular_velocity': [0.0, 0.0, 0.0], 'surfaces': ['front', 'side'],
    'surface.front.area': AREA, 'surface.front.normal': [0.0, 1.0, 0.0],
    'surface.side.area': AREA, 'surface.side.normal': [1.0, 0.0, 0.0],
    'surface.front.drag_coefficient': DRAG, 'atmosphere': 'none', 'irradiance': 0.0,
    'irradiance_model': 'uniform',
}  # fmt: skip
DENSE = {'atmosphere': 'uniform', 'air_density': 4e-12, 'wind_model': 'uniform'}
BRIGHT = {
    'irradiance': 1500.0, 'sun_model': 'uniform', 'sun_direction': [2.0, 0.0, 0.0],
    'orbit.true_anomaly': 0.0,
}  # fmt: skip


def built(*given, **more):
    """Return the Scenario of the orbit with more, dots for double underscores."""
    values = dict(EQUATOR)
    for one in (*given, {name.replace('__', '.'): value for name, value in more.items()}):
        values |= one
    return scenario.build(values, 'test')


def loads(found, time=0.0):
    """Return {name: force (3,), torque (3,)} on the body at rest in world, both in world axes."""
    plant, state = found.plant, found.initial
    return {
        one.name: (one.force_W(plant.body, state, time), one.torque_B(plant.body, state, time))
        for one in plant.environment.turning
    }


def around(found, time, name):
    return AROUND.unpacked(found.plant.environment.surroundings.at(time))[name]


def flown(found, ticks):
    """Return the flat states of a run without commands."""
    return simulation.trajectory(found.plant, found.initial, ticks)


# --- gravity gradient ----------------------------------------------------------------------------

TUMBLING = {
    'body.inertia': [9.0, 10.0, 3.0], 'surfaces': [], 'initial.angular_velocity': [0.01, 0.02, 0.1]
}  # fmt: skip
PANEL = {
    'panels': ['wing'], 'panel.wing.hinge': [0.0, 0.5, 0.0], 'panel.wing.center': [0.0, 1.2, 0.0],
    'panel.wing.axis': [1.0, 0.0, 0.0], 'panel.wing.mass': 0.5, 'panel.wing.stiffness': 0.1,
    'panel.wing.size': [0.5, 1.4, 0.02], 'panel.wing.angle': 0.9,
}  # fmt: skip


def without(given):
    return {name: value for name, value in given.items() if not name.startswith('surface')}


@pytest.mark.parametrize('inside', [{}, PANEL])
def test_without_the_gravity_gradient_nothing_changes_the_angular_momentum(inside):
    """Not by a bit, also where parts that move change the inertia that it would turn."""
    given = without(EQUATOR | TUMBLING | inside)
    off, on = (
        scenario.build(given | {'gravity_gradient': turns}, 'test') for turns in (False, True)
    )
    L = flown(off, 100)[:, 10:13]
    assert {row.tobytes() for row in L} == {L[0].tobytes()}
    turned = flown(on, 100)[:, 10:13]
    # 3/2 n² ΔI 100 s, of a body that tumbles: some 1e-4 N m s.
    assert 1e-5 < np.abs(turned[-1] - turned[0]).max() < 3e-3
    name = 'gravity_gradient'
    assert not loads(off, 500.0)[name][1].any()
    assert loads(on, 500.0)[name][1].any()


def test_without_the_gravity_gradient_a_body_at_rest_does_not_librate():
    """And the tide on a body off the origin, which is of the orbit, stays."""
    given = without(EQUATOR | TUMBLING) | {
        'initial.angular_velocity': [0.0, 0.0, 0.0], 'initial.attitude': [0.8, 0.0, 0.6, 0.0],
        'initial.position': [30.0, -20.0, 10.0],
    }  # fmt: skip
    off = scenario.build(given | {'gravity_gradient': False}, 'test')
    flat = flown(off, 60)
    assert {row.tobytes() for row in flat[:, 3:7]} == {flat[0, 3:7].tobytes()}
    pull = MASS * GRAVITATIONAL_PARAMETER / AXIS**3
    tide = pull * np.array((2.0 * 30.0, 20.0, -10.0))
    gradient = off.plant.environment.turning[0]
    assert loads(off)['gravity_gradient'][0] == pytest.approx(tide, rel=1e-12)
    energy = -0.5 * (tide @ (30.0, -20.0, 10.0))
    found = gradient.potential(off.plant.body, off.initial, 0.0)
    assert found == pytest.approx(energy, rel=1e-12)
    # In a second the direction turns by 1e-3 rad.
    assert flat[1, 7:10] - flat[0, 7:10] == pytest.approx(tide, rel=5e-3)
    said = '\n'.join(scenario_report.report(off))
    assert 'no gravity gradient (the parameter gravity_gradient is false)' in said
    assert 'torques of the environment: none' in said


def test_a_batch_leaves_the_gravity_gradient_out_to_the_same_bits():
    given = without(EQUATOR | TUMBLING | PANEL)
    found = [scenario.build(given | {'gravity_gradient': on}, 'test') for on in (False, True)]
    plants, states = [one.plant for one in found], [one.initial for one in found]
    batch = Batch(
        [plant.spacecraft.carrier for plant in plants], states, watched=True,
        actuated=rows_of(plants, states, [Inputs(), Inputs()]), ticks=plants[0].ticks,
    )  # fmt: skip
    batch.advance(20)
    for k, one in enumerate(found):
        assert batch.states[k].tobytes() == flown(one, 20)[-1, :13].tobytes()
    # Kinetic and elastic energy stay; with the potential of the gradient 1e-4 of it would not.
    assert batch.merits.energy_drift[0] < 1e-7


def test_a_circular_orbit_without_the_gradient_is_free_space():
    """To the bit of a body in no orbit; with wheels, too."""
    body = {'body.mass': MASS, 'body.inertia': [9.0, 10.0, 3.0, 0.1, 0.2, 0.3], 'tick_rate': 4.0}
    circle = {'orbit.radius': AXIS, 'gravity_gradient': False}
    wheel = plain({
        'wheels': ['w'], 'wheel.w.axis': [0.0, 0.6, 0.8], 'wheel.w.initial_speed': 300.0,
    })  # fmt: skip
    for inside in ({}, wheel):
        alone, circling = (scenario.build(body | inside | more, 'test') for more in ({}, circle))
        assert flown(circling, 40).tobytes() == flown(alone, 40).tobytes()
        assert circling.plant.environment.turning == ()
    found = scenario.build(body | circle, 'test')
    assert isinstance(found.plant.solver, Free)
    assert found.plant.environment.orbital_state(0.0)[0] == pytest.approx((AXIS, 0.0, 0.0))
    # What stays is the kinetic energy alone, not Jacobi's integral.
    assert found.plant.environment.conserved(found.plant.body, found.initial, 0.0) == 0.0
    turning = scenario.build(body | circle | {'gravity_gradient': True}, 'test')
    assert flown(turning, 40).tobytes() != flown(found, 40).tobytes()
    said = '\n'.join(scenario_report.report(found))
    assert 'normal (0, 0, 1); no gravity gradient' in said
    with pytest.raises(scenario.ScenarioError, match='an orbit and a floor are not simulated'):
        scenario.build(body | circle, 'test', {'place': True})


# --- magnetic field ------------------------------------------------------------------------------


@pytest.mark.parametrize(('tilt', 'longitude'), [(0.0, 1.0), (0.2, -1.27), (1.5, 3.0)])
def test_the_dipole_has_its_moment_and_tilt(tilt, longitude):
    """B = (m/r³)(3 (d·r̂) r̂ - d), d from the northern pole to the southern, in the Earth's axes."""
    found = built(
        magnetic_model='dipole', earth_dipole__moment=8e15, earth_dipole__tilt=tilt,
        earth_dipole__longitude=longitude, orbit__inclination=1.2, residual_dipole=[0.1, 0.2, 0.3],
    )  # fmt: skip
    d = -np.array((
        math.sin(tilt) * math.cos(longitude), math.sin(tilt) * math.sin(longitude), math.cos(tilt)
    ))  # fmt: skip
    for time in (0.0, 1000.0, 4000.0):  # at nodes, so that nothing is interpolated
        q_WE, r_W = around(found, time, 'q_WE'), around(found, time, 'position_W')
        r_E = rotations.rotate(rotations.conjugate(q_WE), r_W)
        up, r = r_E / np.linalg.norm(r_E), np.linalg.norm(r_E)
        field_E = 8e15 / r**3 * (3.0 * (d @ up) * up - d)
        field_W = rotations.rotate(q_WE, field_E)
        seen = around(found, time, 'magnetic_field_W')
        assert np.abs(seen - field_W).max() < 1e-12 * np.linalg.norm(field_W)
        _, torque = loads(found, time)['magnetic']
        expected = np.cross((0.1, 0.2, 0.3), field_W)  # body and world axes are the same
        assert np.abs(torque - expected).max() < 1e-12 * np.linalg.norm(expected)
    said = '\n'.join(scenario_report.report(found))
    assert "field the Earth's dipole of 8e+15 T m^3" in said
    assert (f'tilted by {math.degrees(tilt):.5g} deg' in said) == (tilt > 0.0)


def test_a_dipole_tilted_to_the_pole_of_2025_is_the_first_degree_of_igrf():
    """Its northern geomagnetic pole: 80.8 deg north, 72.8 deg west (BGS); 7.69e15 T m^3."""
    found = built(
        magnetic_model='dipole', earth_dipole__tilt=math.radians(9.2),
        earth_dipole__longitude=math.radians(-72.8), orbit__inclination=1.2,
    )  # fmt: skip
    place_E = np.array((3e6, -5e6, 4e6))
    values = {name: found.parameters[name] for name in earth_parameters.NAMES}
    field = earth_surroundings.earth_environment(values).magnetic_field
    seen, expected = field_E(field, 2025.0, place_E), field_E(igrf14(1), 2025.0, place_E)
    # The pole is rounded to 0.05 deg, the moment to 1e-3.
    assert np.linalg.norm(seen - expected) < 1.5e-3 * np.linalg.norm(expected)


def test_the_dipole_is_what_it_was_unless_it_is_told():
    plain = built(magnetic_model='dipole', orbit__inclination=1.2)
    on_axis = 7.69e15 / AXIS**3
    field = around(plain, 0.0, 'magnetic_field_W')
    # At the ascending node, up to 0.15 deg from the equator of 2026: 3/2 of that squared, 1e-5.
    assert np.linalg.norm(field) == pytest.approx(on_axis, rel=1.1e-5)
    assert field[2] == pytest.approx(on_axis, rel=2e-5)


# --- air -----------------------------------------------------------------------------------------


@pytest.mark.parametrize('wind', [0.0, 300.0])
def test_drag_in_air_of_given_density_and_wind_is_half_rho_v_squared(wind):
    found = built(DENSE, wind=[0.0, wind, 0.0])
    speed = SPEED - wind
    expected = -0.5 * 4e-12 * DRAG * AREA * speed * speed
    force, _ = loads(found)['aerodynamic']
    assert force == pytest.approx((0.0, expected, 0.0), rel=1e-12, abs=1e-20)
    assert around(found, 1234.5, 'density') == pytest.approx(4e-12, rel=1e-13, abs=0.0)
    wind_W = around(found, 1234.5, 'wind_W') + around(found, 1234.5, 'velocity_W')
    assert wind_W == pytest.approx((0.0, wind, 0.0), abs=1e-11)
    # And it moves the body: in a second the direction turns by 1e-3 rad.
    after = flown(found, 1)[-1]
    gradient, _ = loads(found)['gravity_gradient']
    assert not gradient.any()
    assert after[8] == pytest.approx(expected, rel=1e-5, abs=0.0)


def test_air_that_turns_with_the_earth_is_slower_to_meet():
    """ω_E r of an equatorial orbit, whose plane the axis of 2026 leaves by 0.15 deg."""
    found = built(DENSE, wind_model='corotating')
    speed = SPEED - 7.292115e-5 * AXIS
    force, _ = loads(found)['aerodynamic']
    assert force[1] == pytest.approx(-0.5 * 4e-12 * DRAG * AREA * speed**2, rel=1e-5, abs=0.0)


@pytest.mark.parametrize('air', [DENSE, {'atmosphere': 'exponential'}])
def test_a_density_factor_makes_the_drag_that_many_times_larger(air):
    once, thrice, none = (loads(built(air, density_factor=k))['aerodynamic'][0][1]
                          for k in (1.0, 3.0, 1e-3))  # fmt: skip
    assert once < 0.0
    assert thrice == pytest.approx(3.0 * once, rel=1e-12, abs=0.0)
    assert none == pytest.approx(1e-3 * once, rel=1e-12, abs=0.0)
    flights = [flown(built(air, density_factor=k), 1)[-1, 8] for k in (1.0, 3.0)]
    assert flights[1] == pytest.approx(3.0 * flights[0], rel=1e-6, abs=0.0)


# --- sunlight ------------------------------------------------------------------------------------


def test_pressure_of_sunlight_that_is_given_is_irradiance_by_the_speed_of_light():
    """On a black plate that faces it, away from the Sun; in no time and place otherwise."""
    found = built(BRIGHT)
    expected = (-1500.0 / LIGHT * AREA, 0.0, 0.0)
    assert loads(found)['solar_pressure'][0] == pytest.approx(expected, rel=1e-14, abs=1e-22)
    for time in (0.0, 3.0, 1000.5):
        assert around(found, time, 'to_sun_W').tolist() == [1.0, 0.0, 0.0]
        assert around(found, time, 'irradiance') == 1500.0 * around(found, time, 'lit')
    # It moves the body, which the tide then draws on by 4e-7 of that.
    assert flown(found, 1)[-1, 7] == pytest.approx(expected[0], rel=1e-6, abs=0.0)


def test_the_earth_hides_a_sun_that_stands_still_unless_it_is_told_not_to():
    """Half an orbit later the body is behind the Earth: no force, or the same."""
    dark, bright = built(BRIGHT), built(BRIGHT, earth_shadow=False)
    day, night = 0.0, PERIOD / 2.0
    assert loads(dark, night)['solar_pressure'][0].tolist() == [0.0, 0.0, 0.0]
    assert eclipse(dark.plant.environment.surroundings.at(night)) == 'umbra'
    assert eclipse(bright.plant.environment.surroundings.at(night)) == 'sunlight'
    forces = [loads(bright, time)['solar_pressure'][0].tobytes() for time in (day, night)]
    assert forces[0] == forces[1] == loads(dark, day)['solar_pressure'][0].tobytes()
    # In the shadow of a sphere as wide as the equator, a circle's part asin(R/a)/π of the time.
    times = np.linspace(0.0, PERIOD, 20001)
    umbra = np.mean([around(dark, time, 'lit') < 0.5 for time in times])
    assert umbra == pytest.approx(math.asin(6378137.0 / AXIS) / math.pi, abs=1e-4)


def test_irradiance_is_at_1_au_or_everywhere():
    """Perihelion is on 3 January: (1/0.98329)² of what it is at 1 au, to the Almanac's 1.3e-4."""
    january = {'epoch': '2026-01-03T12:00:00Z', 'orbit.true_anomaly': 4.7, 'earth_shadow': False}
    given = january | {'irradiance': 1000.0}
    near = around(built(given, irradiance_model='distance'), 0.0, 'irradiance')
    assert near == pytest.approx(1000.0 / 0.98329**2, rel=3e-4)
    assert around(built(given), 0.0, 'irradiance') == 1000.0
    default = scenario.build({'orbit.model': 'kepler'} | january, 'test')
    usual = SOLAR_CONSTANT / 1000.0 * near
    # It is in an orbit of another size, up to 2e-6 nearer.
    assert around(default, 0.0, 'irradiance') == pytest.approx(usual, rel=3e-6)
    # A Sun that stands still does so at 1 au.
    still = built(given, irradiance_model='distance', sun_model='uniform')
    assert around(still, 0.0, 'irradiance') == 1000.0


# --- all of it -----------------------------------------------------------------------------------

EVERYTHING = DENSE | BRIGHT | {
    'wind': [10.0, 20.0, 30.0], 'earth_shadow': False, 'magnetic_model': 'dipole',
    'earth_dipole.moment': 8e15, 'earth_dipole.tilt': 0.2, 'earth_dipole.longitude': -1.2,
    'sun_direction': [2.0, 1.0, 0.0], 'gravity_gradient': False, 'density_factor': 1.5,
    'residual_dipole': [0.1, 0.0, 0.2], 'surface.front.both_sides': True,
    'orbit.true_anomaly': 3.6,  # behind the Earth
}  # fmt: skip


def test_a_recorded_scenario_has_all_of_it():
    found = built(EVERYTHING)
    again = scenario.parse(scenario.dump(found), 'x')
    assert again.parameters == found.parameters
    assert flown(again, 30).tobytes() == flown(found, 30).tobytes()
    for name, value in EVERYTHING.items():
        left = {key: one for key, one in EVERYTHING.items() if key != name}
        other = built(left)
        if other.parameters[name] != value:
            assert flown(other, 30).tobytes() != flown(found, 30).tobytes(), name


def test_what_is_changed_in_a_scenario_is_as_if_it_had_been_given():
    """As a campaign does: of each, from the values that it has without."""
    base = built(EVERYTHING, air_density=1e-12, irradiance=900.0, earth_dipole__tilt=0.0)
    new = {name: EVERYTHING[name] for name in ('air_density', 'irradiance', 'earth_dipole.tilt')}
    changed = scenario.changed(base, new, 'test')
    assert flown(changed, 5).tobytes() == flown(built(EVERYTHING), 5).tobytes()


def test_a_campaign_draws_them_and_flies_to_the_bits_of_a_run_alone():
    drawn = {
        'air_density': 1e-12, 'wind[1]': 100.0, 'sun_direction[0]': 1.0, 'irradiance': 1000.0,
        'earth_dipole.moment': 5e15,
    }  # fmt: skip
    text = 'scenario: orbit\nruns: 2\nduration: 5.0\ndispersions:\n' + ''.join(
        f'  {name}: {{distribution: uniform, low: {low}, high: {2.0 * low}}}\n'
        for name, low in drawn.items()
    )
    whole = campaign.parse(text, scenario.dump(built(EVERYTHING)), 'given')
    columns = runner.columns_of(whole, 0, 2, threads=1)
    draws = whole.draws(range(2))
    for row, one in enumerate(whole.scenarios_of(draws, range(2))):
        assert one.parameters['irradiance'] == draws['irradiance'][row]
        final = [columns[name][row] for name in STATE_COLUMNS]
        assert final == flown(one, 5)[-1, : len(final)].tolist()
    assert columns['final.momentum[1]'][0] != columns['final.momentum[1]'][1]


def test_topics_tell_what_is_given():
    """The topics of Sun, field and eclipse are of what acts."""
    found = built(EVERYTHING)
    instant = found.first_instant()
    said = dict(tick_messages.TickMessages(found).of(instant, tick_messages.Settings(0), True))
    plain = built(EVERYTHING, sun_direction=[0.0, 1.0, 0.0])
    other = dict(tick_messages.TickMessages(plain).of(instant, tick_messages.Settings(0), True))
    assert {name for name in said if said[name] != other[name]} >= {'ground_truth/sun'}


def test_a_controller_knows_where_the_sun_was_put():
    values = attitude_controller.checked(
        {'orbit.model': 'kepler', 'sun_model': 'uniform', 'sun_direction': [0.0, 3.0, 4.0]}
    )
    known = AROUND.unpacked(attitude_controller.ephemeris(values).at(0.5))['to_sun_W']
    assert known == pytest.approx((0.0, 0.6, 0.8), abs=1e-16)


def test_the_report_says_all_of_it():
    said = '\n'.join(scenario_report.report(built(EVERYTHING)))
    for words in (
        "field the Earth's dipole of 8e+15 T m^3, tilted by 11.459 deg towards -68.755 deg east",
        'air uniform, 6e-12 kg/m^3 at the start, 1.5 times the model, wind (10, 20, 30) m/s in '
        'world axes everywhere',
        'sunlight at the start, 1500 W/m^2, direction to the Sun always (2, 1, 0), world axes, '
        'sunlight of 1500 W/m^2 at any distance, no shadow of the Earth',
        'torques of the environment: magnetic, aerodynamic, solar pressure',
    ):
        assert words in said, words
    assert '1.5 times the model, at rest everywhere' in '\n'.join(
        scenario_report.report(built(EVERYTHING, wind=[0.0, 0.0, 0.0]))
    )
    plain = '\n'.join(scenario_report.report(scenario.build({'orbit.model': 'kepler'}, 'test')))
    for words in (
        'T m^3',
        'wind',
        'towards',
        'at any',
        'at 1 au',
        'always',
        'no shadow',
        'no gravity gr',
    ):
        assert words not in plain.split('orbit')[1], words


@pytest.mark.parametrize(
    ('more', 'said'),
    [
        ({'sun_model': 'uniform', 'sun_direction': [0.0, 0.0, 0.0]}, 'sun_direction is [0.0, 0.'),
        (DENSE | {'air_density': 0.0}, 'air_density is 0 kg/m^3; it must be positive, and atmos'),
        ({'irradiance': -1.0}, 'irradiance is -1.0 W/m^2; give a number from 0'),
        ({'earth_dipole.tilt': 4.0}, 'earth_dipole.tilt is 4.0 rad; give a number from 0 to 3.1'),
        ({'wind_model': 'none'}, "wind_model is 'none'; choose one of corotating, uniform"),
        ({'earth_shadow': 1.0}, 'earth_shadow is 1.0; give true or false'),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(more, said):
    with pytest.raises(scenario.ScenarioError) as found:
        built(more)
    assert said in str(found.value)
    assert '\n' not in str(found.value)
