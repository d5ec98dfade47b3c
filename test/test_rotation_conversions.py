# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Conversions of rotations against SciPy: 1e5 random ones, every branch and edge, both signs."""

import itertools
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacecraft_attitude_sim.core.body import rigid_body
from spacecraft_attitude_sim.core.mathematics import rotations

# A few roundings of numbers near 1.
ROUND_OFF = 4e-15


@pytest.fixture(scope='module')
def random_attitudes():
    """Return 1e5 quaternions (n, 4), uniform over rotations, of either sign."""
    q = np.random.default_rng(6).normal(size=(100_000, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def edge_attitudes():
    """Return quaternions (n, 4): turns of a cube, half turns about any axis, and others near."""
    cube = [q for q in itertools.product((-1.0, 0.0, 1.0), repeat=4) if any(q)]
    generator = np.random.default_rng(7)
    axes = [rotations.unit_quaternion((0.0, *unit(generator.normal(size=3)))) for _ in range(50)]
    edges = [unit(np.array(q)) for q in cube] + axes
    near = [
        unit(q + scale * generator.normal(size=4))
        for q in edges
        for scale in (1e-16, 1e-15, 1e-12, 1e-8, 1e-4)
    ]
    return np.array(edges + near)


def unit(vector):
    return vector / np.linalg.norm(vector)


def scipy_rotations(attitudes):
    """Return SciPy's Rotation of quaternions w first (n, 4)."""
    return Rotation.from_quat(attitudes, scalar_first=True)


def largest_angle(attitudes, others):
    """Return the largest angle between two sets of quaternions (n, 4) [rad]."""
    inverse = attitudes * (1.0, -1.0, -1.0, -1.0)
    w, x, y, z = np.array(rotations.quaternion_product(*inverse.T, *others.T))
    return np.max(2.0 * np.arctan2(np.sqrt(x * x + y * y + z * z), np.abs(w)))


def matrices(attitudes):
    """Return direction cosine matrices (n, 3, 3)."""
    return np.array([rotations.dcm_from_quaternion(q) for q in attitudes])


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_dcm_of_random_and_edge_attitudes_is_scipys(random_attitudes, sign):
    attitudes = sign * np.concatenate((random_attitudes, edge_attitudes()))
    expected = scipy_rotations(attitudes).as_matrix()
    assert np.max(np.abs(matrices(attitudes) - expected)) < ROUND_OFF


def test_quaternion_of_random_and_edge_dcm_is_scipys_with_positive_w(random_attitudes):
    attitudes = np.concatenate((random_attitudes[:10_000], edge_attitudes()))
    given = scipy_rotations(attitudes).as_matrix()
    found = np.array([rotations.quaternion_from_dcm(C) for C in given])
    assert largest_angle(found, attitudes) < ROUND_OFF
    assert np.all(found[:, 0] >= 0.0)


def test_compiled_quaternion_of_dcm_agrees_in_all_four_branches(random_attitudes):
    attitudes = np.concatenate((random_attitudes, edge_attitudes()))
    given = scipy_rotations(attitudes).as_matrix().reshape(-1, 9)
    convert = rotations.quaternion_from_matrix
    found = np.array([convert(*C) for C in given])
    assert largest_angle(found, attitudes) < ROUND_OFF
    branches = np.argmax(np.abs(attitudes), axis=1)
    assert np.all(np.bincount(branches) > 1000)


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_euler_angles_of_random_attitudes_are_scipys(random_attitudes, sign):
    found = np.array([rotations.euler_zyx_from_quaternion(q) for q in sign * random_attitudes])
    expected = scipy_rotations(random_attitudes).as_euler('ZYX')
    difference = np.abs(np.remainder(found - expected + math.pi, math.tau) - math.pi)
    # Yaw and roll are uncertain by round-off over the cosine of pitch.
    assert np.max(difference * np.cos(found[:, 1:2])) < ROUND_OFF
    assert np.all(np.abs(found) <= (math.pi, math.pi / 2.0, math.pi))


def test_euler_angles_give_back_random_and_edge_attitudes(random_attitudes):
    attitudes = np.concatenate((random_attitudes, edge_attitudes()))
    angles = np.array([rotations.euler_zyx_from_quaternion(q) for q in attitudes])
    there = np.array([rotations.quaternion_from_euler_zyx(*triple) for triple in angles])
    assert largest_angle(there, attitudes) < ROUND_OFF
    scipys = Rotation.from_euler('ZYX', angles).as_quat(scalar_first=True)
    assert largest_angle(scipys, attitudes) < ROUND_OFF


@pytest.mark.parametrize('pitch', [math.pi / 2.0, -math.pi / 2.0])
@pytest.mark.parametrize('distance', [0.0, 1e-16, 1e-15, 1e-14, 1e-12, 1e-9, 1e-6])
def test_attitude_survives_euler_angles_at_and_near_gimbal_lock(pitch, distance):
    generator = np.random.default_rng(8)
    for yaw, roll in generator.uniform(-math.pi, math.pi, (200, 2)):
        pitched = pitch - math.copysign(distance, pitch)
        q = rotations.quaternion_from_euler_zyx(yaw, pitched, roll)
        angles = rotations.euler_zyx_from_quaternion(q)
        there = rotations.quaternion_from_euler_zyx(*angles)
        assert rotations.angle_between(q, there) < ROUND_OFF
        assert angles[1] == pytest.approx(pitched, abs=1e-15)
        if distance == 0.0:
            assert angles[2] == 0.0


def test_inertia_moved_and_moved_back_is_the_same():
    # Parallel axis: a point mass 2 at (1, 2, 3) has I_xx = 2 (4 + 9), I_xy = -2 · 1 · 2, ...
    moved = rigid_body.point_inertia(2.0, np.array((1.0, 2.0, 3.0)))
    expected = [[26.0, -4.0, -6.0], [-4.0, 20.0, -12.0], [-6.0, -12.0, 10.0]]
    assert np.array_equal(moved, expected)
