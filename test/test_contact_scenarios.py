# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The shipped contact scenarios against closed forms, tick by tick as the node computes them."""

import contact_cases
import numpy as np
import pytest

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.configuration.scenario import ScenarioError
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.simulation import Inputs
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

G = 9.81


def instants(name, change=None):
    """Return every Instant of a shipped scenario, to the end of its duration."""
    found = scenario.load(scenario.find(name))
    if change:
        found = found.with_contact(change)
    found_all = [found.first_instant()]
    for _ in range(round(found.parameters['duration'] / TICK_SECONDS)):
        found_all.append(simulation.next_instant(found.plant, found_all[-1], Inputs()))
    return found, found_all


def column(run, of):
    """Return what `of` gives for every Instant."""
    return np.array([of(instant) for instant in run])


def test_every_case_of_the_contact_core_ships_as_a_scenario():
    assert set(contact_cases.CASES) <= set(scenario.shipped())
    for name, case in contact_cases.CASES.items():
        found = scenario.load(scenario.find(name))
        assert found.plant.contact.surface == case.contact.surface, name
        assert found.plant.contact.friction_coefficient() == case.contact.friction_coefficient()
        assert np.allclose(found.plant.body.inertia, case.body.inertia, rtol=1e-12, atol=0), name


def test_ball_rolls_down_with_five_sevenths():
    _, run = instants('ball_on_incline')
    angle, time = np.radians(10.0), 2.0
    path = run[-1].state.position_W - run[0].state.position_W
    along = path @ (np.cos(angle), 0.0, -np.sin(angle))
    assert along == pytest.approx(5 / 7 * G * np.sin(angle) * time**2 / 2, rel=1e-9)


def test_ball_circles_at_two_sevenths_of_the_table():
    _, run = instants('ball_on_turntable')
    velocity = column(run, lambda instant: instant.state.momentum_W[0:2])  # of 1 kg
    turned = np.unwrap(np.arctan2(velocity[:, 1], velocity[:, 0]))
    expected = 2 / 7 * 2.0 * TICK_SECONDS * np.arange(len(run))
    # The round-off of 350 ticks.
    assert np.allclose(turned - turned[0], expected, rtol=0, atol=1e-9)
    assert np.allclose(run[0].state.momentum_W, (0, 0.25, 0), rtol=0, atol=1e-12)  # as given
    assert np.allclose(np.hypot(*velocity.T), 0.25, rtol=1e-9)


def test_backspun_ball_returns():
    _, run = instants('backspin')
    v, spin, R, mu = 2.0, 60.0, 0.1, 0.3
    modes = [simulation.contact_at(instant).mode for instant in run]
    slips = 2 * (v + R * spin) / (7 * mu * G)
    assert modes.index('rolling') == int(np.ceil(slips / TICK_SECONDS))
    assert set(modes) == {'slipping', 'rolling'}
    assert run[-1].state.momentum_W[0] == pytest.approx((5 * v - 2 * R * spin) / 7, rel=1e-9)


def test_calm_ellipsoids_keep_their_energy_and_their_floor():
    for name in ('ellipsoid_sliding', 'ellipsoid_rolling'):
        found, run = instants(name)
        energy = column(run, lambda i, p=found.plant: energy_of(p, i))
        contacts = [simulation.contact_at(instant) for instant in run]
        # What docs/contact.md promises, of energy and of gap and slip.
        assert np.ptp(energy) <= 1e-8 * energy[0]
        assert max(abs(contact.gap) for contact in contacts) <= 1e-12
        if name == 'ellipsoid_rolling':
            assert max(contact.slip_speed for contact in contacts) <= 1e-12


def energy_of(plant, instant):
    state = instant.state
    return plant.body.kinetic_energy(state) - plant.body.mass * plant.gravity_W @ state.position_W


def test_bounces_never_gain_energy_and_are_many():
    found, run = instants('bouncing_ellipsoid')
    energy = column(run, lambda instant: energy_of(found.plant, instant))
    assert np.max(np.diff(energy)) <= 1e-9 * energy[0]
    assert sum(simulation.contact_at(instant).impacts for instant in run) >= 8


def test_without_friction_a_ball_bounces_to_e_squared():
    found = scenario.build(
        {'gravity': [0, 0, -G], 'initial.position': [0, 0, 1.1]}, 'test',
        {'mode': 'sliding', 'restitution': 0.8},
    )  # fmt: skip
    run = [found.first_instant()]
    while not simulation.contact_at(run[-1]).impacts:
        run.append(simulation.next_instant(found.plant, run[-1], Inputs()))
    last = run[-1].state
    mass = found.plant.body.mass
    top = last.position_W[2] + (last.momentum_W[2] / mass) ** 2 / (2 * G)
    assert top - 0.1 == pytest.approx(0.8**2 * 1.0, rel=1e-9)


def test_rattleback_turns_back_and_tippe_top_turns_over():
    found, run = instants('rattleback')
    spin = column(run, lambda i: found.plant.body.angular_velocity_B(i.state)[2])
    assert spin[0] == pytest.approx(5.0) and spin.min() < -1.0
    found, run = instants('tippe_top')
    # The mass centre begins below the ball's centre and ends above it.
    assert run[0].state.position_W[2] < 0.015 and run[-1].state.position_W[2] > 0.025


@pytest.mark.parametrize(
    ('upward', 'mode'), [(0.5, 'flight'), (-0.5, 'flight'), (-1e-4, 'resting')]
)
def test_an_impulse_lifts_a_resting_body_or_strikes_it_on_the_floor(upward, mode):
    found = scenario.build(
        {'gravity': [0, 0, -G], 'body.mass': 1.0, 'body.inertia': [4e-3] * 3,
         'initial.angular_velocity': [0.0] * 3}, 'test', {'restitution': 0.5, 'place': True},
    )  # fmt: skip
    impulse = np.array((0, 0, upward, 0, 0, 0))
    instant = simulation.next_instant(found.plant, found.first_instant(), Inputs(impulse=impulse))
    assert simulation.contact_at(instant).mode == mode
    if mode == 'flight':
        rebound = upward if upward > 0 else -0.5 * upward
        assert instant.state.momentum_W[2] == pytest.approx(rebound - G * TICK_SECONDS, rel=1e-9)


@pytest.mark.parametrize(
    ('given', 'contact', 'complaint'),
    [
        ({}, {'mode': 'glue'}, "mode is 'glue'; choose one of sliding, rolling, coulomb"),
        ({}, {'friction': -0.1}, 'friction is -0.1; give a number from 0'),
        ({}, {'restitution': 1.5}, 'restitution is 1.5; give a number from 0 to 1'),
        ({}, {'frictoin': 0.1}, "frictoin is not a parameter; did you mean 'friction'"),
        ({}, {'floor.normal': [0, 0, 0]}, 'floor.normal is zero; give the direction'),
        ({}, {'floor.conveyor': [0, 0, 1.0]}, 'floor.conveyor is .* it must lie in the plane'),
        ({}, {'floor.radius': 2.0}, 'floor.radius does not describe floor.shape plane; valid'),
        ({}, {'surface.shape': 'box'}, "surface.shape is 'box'; choose one of sphere, ellipsoid"),
        ({}, {'surface.semi_axes': [1, 1, 1]}, 'surface.semi_axes does not describe'),
        ({}, {'floor.shape': 'bowl', 'floor.radius': 0.05}, 'touch in several points at once'),
        ({}, {'surface.shape': 'implicit'}, 'surface.shape is implicit; give surface.expression'),
        ({'equations': 'euler_dcm'}, {'mode': 'rolling'}, "on a floor only 'momentum' works"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_the_remedy(given, contact, complaint):
    with pytest.raises(ScenarioError, match=complaint):
        scenario.build(given, 'wrong.yaml', contact)


def test_a_start_inside_the_floor_is_refused():
    found = scenario.build({'gravity': [0, 0, -G]}, 'wrong.yaml', {'mode': 'rolling'})
    with pytest.raises(ScenarioError, match='initial.position puts the body 0.1 m into the floor'):
        found.first_instant()


def test_a_dumped_scenario_builds_the_same_contact():
    for name in contact_cases.CASES:
        found = scenario.load(scenario.find(name))
        text = scenario.dump(found, 3)
        again = scenario.parse(text, 'dump')
        assert again.contact_parameters == found.contact_parameters
        assert again.parameters == found.parameters
        assert scenario.revision(text) == 3


def test_the_surface_is_placed_about_the_origin_of_design_not_the_centre_of_mass():
    """A ball with a weight in it: its centre is 3 cm beside the mass centre, and 2 cm above."""
    touching = {'surface.radius': 0.1, 'surface.center': [0.0, 0.01, 0.0], 'place': True}
    given = {
        'body.mass': 1.0,
        'body.inertia': [0.004, 0.004, 0.004],
        'body.center_of_mass': [0.03, 0.0, -0.02],
        'initial.position': [0.0, 0.0, 1.0],
    }
    found = scenario.build(given, 'test', touching)
    assert found.plant.contact.surface.center == pytest.approx((-0.03, 0.01, 0.02), abs=1e-16)
    contact = simulation.contact_at(found.first_instant())
    position_W = found.first_instant().state.position_W
    # The lowest point is under the ball's centre; the mass centre is 2 cm below that.
    assert contact.point == pytest.approx(position_W + (-0.03, 0.01, -0.08), abs=1e-12)
    assert contact.gap == pytest.approx(0.0, abs=1e-12)
