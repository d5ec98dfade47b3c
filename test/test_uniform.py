# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Mass, centre and inertia of what fills a surface uniformly, against closed forms."""

from math import gamma, pi

import numpy as np
import pytest

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.configuration.scenario import ScenarioError
from spacecraft_attitude_sim.core.contact import formula, shapes, uniform
from spacecraft_attitude_sim.core.mathematics import rotations

A, B, C = SEMI_AXES = (0.3, 0.2, 0.15)
QUADRIC = '(x - d)**2/a**2 + y**2/b**2 + z**2/c**2 - 1'
GRAVITY = {'gravity': [0.0, 0.0, -9.81]}
BRICK = {'surface.shape': 'ellipsoid', 'surface.semi_axes': list(SEMI_AXES)}


def beta(x, y):
    """Return Euler's beta function."""
    return gamma(x) * gamma(y) / gamma(x + y)


def test_ellipsoid_by_formula_has_the_volume_and_moments_of_the_closed_form():
    offset = 0.05
    surface = shapes.ImplicitSurface(
        function=formula.surface(QUADRIC, ('a', 'b', 'c', 'd')), values=(*SEMI_AXES, offset),
        size=0.2,
    )  # fmt: skip
    found = uniform.solid(surface)
    volume = 4.0 / 3.0 * pi * A * B * C
    assert found.volume == pytest.approx(volume, rel=1e-13)
    # Round-off of 14 000 directions.
    assert np.allclose(found.centroid, (offset, 0.0, 0.0), rtol=0.0, atol=1e-15)
    expected = np.diag(volume / 5.0 * np.square(SEMI_AXES))
    assert np.allclose(found.moments, expected, rtol=0.0, atol=1e-13 * expected.max())


@pytest.mark.parametrize('semi_axes', [(1.0, 0.02, 0.02), (1.0, 1.0, 0.02), (5.0, 1.0, 0.05)])
def test_a_needle_or_a_plate_by_formula_is_as_exact_in_each_moment(semi_axes):
    surface = shapes.ImplicitSurface(
        function=formula.surface(QUADRIC, ('a', 'b', 'c', 'd')), values=(*semi_axes, 0.0),
        size=0.1,
    )  # fmt: skip
    found, volume = uniform.solid(surface), 4.0 / 3.0 * pi * np.prod(semi_axes)
    assert found.volume == pytest.approx(volume, rel=1e-12)
    expected = volume / 5.0 * np.square(semi_axes)
    np.testing.assert_allclose(np.diag(found.moments), expected, rtol=1e-12)


def test_a_surface_with_an_edge_across_the_quadrature_is_refused():
    """Its inertia converges with the square of the spacing only."""
    edge = formula.surface('sqrt((x - 0.3*z)**2 + 1e-12) + y**2 + z**2 - 1', ())
    surface = shapes.ImplicitSurface(function=edge, values=(), size=1.0)
    with pytest.raises(ValueError, match='not smooth enough for body.density: its inertia is kn'):
        uniform.solid(surface)


# Where an exponent is no even number the integrand is less smooth at its ends. Of 16 and 2 edges
# run to the poles.
@pytest.mark.parametrize(
    ('p', 'q', 'within'),
    [
        (2.0, 4.0, 1e-13),
        (4.0, 2.0, 2e-11),
        (2.5, 3.5, 1e-11),
        (6.0, 8.0, 1e-13),
        (16.0, 16.0, 1e-13),
        (2.0, 16.0, 1e-13),
        (16.0, 2.5, 1.1e-8),
        (16.0, 2.0, 4.5e-8),  # the worst of exponents from 2 to 16
    ],
)
def test_superellipsoid_has_the_volume_and_moments_of_the_closed_form(p, q, within):
    # Jaklic, Leonardis and Solina, Segmentation and Recovery of Superquadrics (2000), chapter 2.5.
    e1, e2 = 2.0 / q, 2.0 / p
    found = uniform.solid(shapes.Superellipsoid(semi_axes=SEMI_AXES, exponents=(p, q)))
    whole = A * B * C * e1 * e2
    volume = 2.0 * whole * beta(e1 / 2.0 + 1.0, e1) * beta(e2 / 2.0, e2 / 2.0)
    across = whole / 2.0 * beta(1.5 * e2, e2 / 2.0) * beta(e1 / 2.0, 2.0 * e1 + 1.0)
    along = 2.0 * whole * beta(e2 / 2.0, e2 / 2.0) * beta(1.5 * e1, e1 + 1.0) / 2.0
    assert found.volume == pytest.approx(volume, rel=within, abs=0.0)
    assert found.moments[0, 0] == pytest.approx(across * A**2, rel=within, abs=0.0)
    assert found.moments[1, 1] == pytest.approx(across * B**2, rel=within, abs=0.0)
    assert found.moments[2, 2] == pytest.approx(along * C**2, rel=within, abs=0.0)


def test_density_gives_the_body_of_a_turned_and_shifted_surface():
    q = rotations.quaternion_from_euler_zyx(0.3, 0.2, 0.1)
    contact = {
        **BRICK, 'surface.center': [0.1, 0.0, -0.2], 'surface.orientation': q.tolist(),
    }  # fmt: skip
    density = 500.0
    found = scenario.build({**GRAVITY, 'body.density': density}, 'x.yaml', contact)
    body, mass = found.plant.body, density * 4.0 / 3.0 * pi * A * B * C
    square = np.square(SEMI_AXES)
    turn = rotations.dcm_from_quaternion(q)
    inertia = turn @ np.diag(mass / 5.0 * (square.sum() - square)) @ turn.T
    assert body.mass == pytest.approx(mass, rel=1e-14)
    assert np.allclose(body.center_of_mass, (0.1, 0.0, -0.2), rtol=0.0, atol=1e-15)
    assert np.allclose(body.inertia, inertia, rtol=0.0, atol=1e-14 * inertia.max())
    # The surface is round the centre of mass, then.
    assert np.allclose(found.plant.contact.surface.center, 0.0, rtol=0.0, atol=1e-15)
    again = scenario.parse(scenario.dump(found), 'recorded')
    assert again.parameters['body.density'] == 0.0
    assert np.array_equal(again.plant.body.inertia, body.inertia)
    assert np.array_equal(again.plant.body.q_BP, body.q_BP)


def test_density_puts_the_centre_of_mass_where_the_solid_is_not_where_its_origin_is():
    contact = {
        'surface.expression': QUADRIC, 'surface.names': ['a', 'b', 'c', 'd'],
        'surface.values': [A, B, C, 0.04], 'surface.size': 0.2,
        'surface.orientation': rotations.quaternion_from_euler_zyx(pi / 2.0, 0.0, 0.0).tolist(),
        'surface.center': [0.0, 0.1, 0.0],
    }  # fmt: skip
    found = scenario.build({**GRAVITY, 'body.density': 500.0}, 'x.yaml', contact)
    # A quarter turn about z takes x to y.
    expected = (0.0, 0.1 + 0.04, 0.0)
    assert np.allclose(found.plant.body.center_of_mass, expected, rtol=0.0, atol=1e-15)
    assert np.allclose(found.plant.contact.surface.center, (0.0, -0.04, 0.0), rtol=0.0, atol=1e-15)


def test_a_campaign_over_the_surface_takes_the_mass_along():
    base = scenario.build({**GRAVITY, 'body.density': 500.0}, 'x.yaml', BRICK)
    twice = {'surface.semi_axes': [0.6, 0.4, 0.3]}
    large = scenario.changed(base, {}, 'x.yaml', contact=twice)
    assert large.plant.body.mass == pytest.approx(8.0 * base.plant.body.mass, rel=1e-14)
    assert np.allclose(large.plant.body.inertia, 32.0 * base.plant.body.inertia, rtol=1e-14)
    dense = scenario.changed(base, {'body.density': 1500.0}, 'x.yaml')
    assert dense.plant.body.mass == pytest.approx(3.0 * base.plant.body.mass, rel=1e-14)
    with pytest.raises(ScenarioError, match=r'body\.mass and body\.density are both given'):
        scenario.changed(base, {'body.density': 1500.0, 'body.mass': 1.0}, 'x.yaml')
    heavy = scenario.changed(base, {'body.mass': 9.0}, 'x.yaml')
    assert scenario.changed(heavy, {}, 'x.yaml', contact=twice).plant.body.mass == 9.0


def test_a_campaign_over_a_density_wants_one_in_the_scenario():
    base = scenario.build({**GRAVITY, 'body.mass': 1.0}, 'x.yaml', BRICK)
    with pytest.raises(ScenarioError, match=r'body\.density cannot vary where body\.mass'):
        scenario.changed(base, {'body.density': 1500.0}, 'x.yaml')


def test_a_density_that_makes_no_body_is_named():
    words = r'body\.density of 1e-300 kg/m\^3 makes that body\.mass is .* give a number from 1e-12'
    with pytest.raises(ScenarioError, match=words):
        scenario.build({**GRAVITY, 'body.density': 1e-300}, 'x.yaml', BRICK)


@pytest.mark.parametrize(
    ('given', 'contact', 'words'),
    [
        ({}, None, 'there is no floor'),
        ({'body.mass': 1.0}, BRICK, 'body.mass and body.density are both given'),
        ({'body.inertia': [1.0, 1.0, 1.0]}, BRICK, 'body.inertia and body.density are both'),
    ],
)
def test_density_without_a_surface_or_beside_a_mass_is_refused(given, contact, words):
    with pytest.raises(ScenarioError, match=words):
        scenario.build({**GRAVITY, 'body.density': 500.0, **given}, 'x.yaml', contact)
