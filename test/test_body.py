# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies have the inertia the textbook says, and refuse what no body has."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacecraft_attitude_sim.core.body import rigid_body as bodies
from spacecraft_attitude_sim.core.body.primitives import Primitive, equivalent_ellipsoid
from spacecraft_attitude_sim.core.mathematics import rotations

SOLIDS = {
    'box': ((0.3, 0.5, 0.7), lambda p: np.all(np.abs(p) < np.array((0.3, 0.5, 0.7)) / 2, axis=1)),
    'cylinder': ((0.4, 1.2), lambda p: (np.hypot(p[:, 0], p[:, 1]) < 0.4) & (abs(p[:, 2]) < 0.6)),
    'sphere': ((0.6,), lambda p: np.linalg.norm(p, axis=1) < 0.6),
    'ellipsoid': ((0.3, 0.5, 0.7), lambda p: np.linalg.norm(p / (0.3, 0.5, 0.7), axis=1) < 1),
}


@pytest.mark.parametrize('shape', SOLIDS)
def test_inertia_is_that_of_points_filling_the_shape(shape):
    size, inside = SOLIDS[shape]
    line = (np.arange(140) + 0.5) / 100.0 - 0.7
    points = np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)
    points = points[inside(points)]
    cloud = np.eye(3) * np.mean(np.sum(points**2, axis=1)) - points.T @ points / len(points)
    # A grid of 1 cm fills a body of 1 m to one part in a thousand.
    inertia = Primitive(shape, size, mass=1.0).inertia()
    assert np.allclose(inertia, cloud, rtol=0, atol=1e-3 * cloud.max())


def test_two_halves_make_the_whole():
    """A box cut in two, the halves turned and shifted, has the inertia of the box."""
    turn = rotations.quaternion_from_axis_angle((0, 0, 1), np.pi / 2)
    halves = [
        Primitive('box', (0.4, 0.5, 0.6), (1.0, 2.0 + y, 3.0), tuple(turn), 1.5)
        for y in (-0.2, 0.2)
    ]
    whole = bodies.compose(halves)
    expected = Primitive('box', (0.5, 0.8, 0.6), mass=3.0).inertia()
    assert whole.mass == 3.0
    assert np.allclose(whole.center_of_mass, (1.0, 2.0, 3.0), atol=1e-15)
    assert np.allclose(whole.inertia, expected, atol=1e-15)


def test_energy_is_that_of_translation_and_of_rotation():
    """Of a dumb-bell, of which the masses' velocities are known: v ± ω × r."""
    r, v, omega = (
        np.array((0.3, -0.2, 0.5)),
        np.array((1.0, 2.0, -3.0)),
        np.array((0.7, 0.4, -0.9)),
    )
    inertia = 2.0 * (r @ r * np.eye(3) - np.outer(r, r)) + np.eye(3)
    body = bodies.RigidBody(2.0, inertia)
    turned = rotations.quaternion_from_axis_angle((0.6, 0.0, 0.8), 1.1)
    velocity_W = rotations.rotate(turned, v)
    state = body.state(np.zeros(3), turned, velocity_W, omega)
    each = [0.5 * np.sum((v + way * np.cross(omega, r)) ** 2) for way in (1.0, -1.0)]
    ball = 0.5 * omega @ omega  # of 1 kg m^2, so that the body is none of two points
    assert body.kinetic_energy(state) == pytest.approx(sum(each) + ball, rel=1e-14)
    parts = body.kinetic_energies(state)
    assert parts == pytest.approx((v @ v, sum(each) + ball - v @ v), rel=1e-14)


@pytest.mark.parametrize(
    'moments', [(1, 2, 2.5), (2.5, 1, 2), (1, 1, 2), (2, 1, 1), (1, 1, 1), (1, 1 + 1e-13, 1.5)]
)
def test_principal_axes_diagonalise_and_are_right_handed(moments):
    for turn in Rotation.random(20, rng=5).as_matrix():
        inertia = turn @ np.diag(moments) @ turn.T
        inertia = (inertia + inertia.T) / 2
        found, q_BP = bodies.principal_axes(inertia)
        C = rotations.dcm_from_quaternion(q_BP)
        assert np.linalg.det(C) == pytest.approx(1.0)
        assert np.allclose(C @ np.diag(found) @ C.T, inertia, atol=5e-15)
        assert sorted(found) == pytest.approx(sorted(moments), abs=5e-15)


def test_diagonal_inertia_keeps_its_axes_exactly():
    moments, q_BP = bodies.principal_axes(np.diag((3.0, 1.0, 2.5)))
    assert moments.tolist() == [3.0, 1.0, 2.5]
    assert q_BP.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_flat_plate_is_a_body():
    bodies.RigidBody(1.0, np.diag((1.0, 2.0, 3.0)))


@pytest.mark.parametrize(
    ('inertia', 'words'),
    [
        (np.diag((1.0, 1.0, 0.0)), r'inertia\[2\] is 0 .*positive'),
        (np.diag((1.0, -0.2, 1.0)), r'inertia\[1\] is -0.2 kg m\^2'),
        (np.diag((1.0, 1.0, 2.1)), r'inertia\[2\] is 2.1 .*more than the sum'),
        (np.array(((1, 0.1, 0), (0, 1, 0), (0, 0, 1.0))), 'not symmetric'),
        (np.diag((1.0, np.nan, 1.0)), 'finite'),
    ],
)
def test_impossible_inertia_is_refused(inertia, words):
    with pytest.raises(ValueError, match=words):
        bodies.RigidBody(1.0, inertia)


def test_equivalent_ellipsoid_has_the_inertia():
    moments = np.array((1.0, 2.0, 2.5))
    ellipsoid = equivalent_ellipsoid(4.0, moments, rotations.IDENTITY)
    solid = Primitive('ellipsoid', ellipsoid.size, mass=4.0)
    assert np.allclose(solid.inertia(), np.diag(moments), rtol=1e-14)
