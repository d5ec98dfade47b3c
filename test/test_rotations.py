# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Rotations keep their conventions, checked against SciPy's and transforms3d's."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from transforms3d import euler, quaternions

from spacecraft_attitude_sim.core.mathematics import rotations, vectors

# A product of a few numbers of size one.
ROUND_OFF = 4e-15


def random_quaternions(count, seed=1):
    q = np.random.default_rng(seed).normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def scipy_rotation(q):
    return Rotation.from_quat(np.roll(q, -1))


def test_rotate_turns_body_vectors_into_world():
    quarter_about_z = rotations.quaternion_from_axis_angle((0, 0, 1), math.pi / 2)
    assert np.allclose(rotations.rotate(quarter_about_z, (1.0, 0.0, 0.0)), (0, 1, 0), atol=1e-15)


@pytest.mark.parametrize('q', random_quaternions(20), ids=str)
def test_products_and_matrices_agree_with_scipy(q):
    other, v = random_quaternions(1, 2)[0], np.array((0.3, -1.2, 2.0))
    reference = scipy_rotation(q)
    assert np.allclose(rotations.rotate(q, v), reference.apply(v), atol=ROUND_OFF)
    assert np.allclose(rotations.dcm_from_quaternion(q), reference.as_matrix(), atol=ROUND_OFF)
    product = (reference * scipy_rotation(other)).as_matrix()
    composed = rotations.dcm_from_quaternion(rotations.compose(q, other))
    assert np.allclose(composed, product, atol=ROUND_OFF)
    yaw_pitch_roll = rotations.euler_zyx_from_quaternion(q)
    assert np.allclose(yaw_pitch_roll, reference.as_euler('ZYX'), atol=1e-12)
    back = rotations.quaternion_from_euler_zyx(*yaw_pitch_roll)
    assert rotations.angle_between(back, q) < 1e-12
    from_dcm = rotations.quaternion_from_dcm(reference.as_matrix())
    assert rotations.angle_between(from_dcm, q) < 1e-12


@pytest.mark.parametrize('q', random_quaternions(20, 3), ids=str)
def test_what_is_ours_agrees_with_transforms3d(q):
    other, v = random_quaternions(1, 4)[0], np.array((0.3, -1.2, 2.0))
    matrix = quaternions.quat2mat(q)
    assert np.allclose(rotations.compose(q, other), quaternions.qmult(q, other), atol=ROUND_OFF)
    assert np.allclose(rotations.conjugate(q), quaternions.qconjugate(q), atol=0.0)
    assert np.allclose(rotations.rotate(q, v), quaternions.rotate_vector(v, q), atol=ROUND_OFF)
    assert np.allclose(rotations.dcm_from_quaternion(q), matrix, atol=ROUND_OFF)
    # Its angles lose digits towards gimbal lock, ours do not.
    yaw_pitch_roll = euler.quat2euler(q, 'rzyx')
    assert np.allclose(rotations.euler_zyx_from_quaternion(q), yaw_pitch_roll, atol=1e-12)
    from_matrix = np.array(rotations.quaternion_from_matrix(*matrix.ravel()))
    expected = quaternions.mat2quat(matrix)
    assert np.allclose(from_matrix * np.sign(from_matrix[0]), expected, atol=ROUND_OFF)
    _, angle = quaternions.quat2axangle(q)
    assert rotations.angle_between(q, rotations.IDENTITY) == pytest.approx(
        min(angle, math.tau - angle), abs=ROUND_OFF
    )


@pytest.mark.parametrize('angle', [-3.0, -0.4, 0.0, 1e-9, 2.0, 5.0])
def test_turn_about_an_axis_of_any_length_is_scipys(angle):
    axis = np.array((1.0, -2.0, 0.5))
    expected = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_quat(scalar_first=True)
    found = rotations.quaternion_from_axis_angle(3.0 * axis, angle)
    assert rotations.angle_between(found, expected) < ROUND_OFF


def test_angle_between_resolves_tiny_angles_and_ignores_sign():
    q = random_quaternions(1)[0]
    tiny = rotations.compose(q, rotations.quaternion_from_axis_angle((1, 2, 3), 1e-12))
    assert rotations.angle_between(q, -tiny) == pytest.approx(1e-12, rel=1e-3, abs=0.0)


def test_many_at_once_are_as_one_after_another():
    q, other = random_quaternions(50), random_quaternions(50, seed=2)
    v = np.random.default_rng(3).normal(size=(50, 3))
    one_by_one = np.array([rotations.rotate(*pair) for pair in zip(q, v, strict=True)])
    assert rotations.rotate_many(q, v).tobytes() == one_by_one.tobytes()
    angles = [rotations.angle_between(*pair) for pair in zip(q, other, strict=True)]
    assert np.allclose(rotations.angle_between(q, other), angles, rtol=1e-15)


@pytest.mark.parametrize(
    'bad', [(0, 0, 0, 0), (1, 1, 1, 1), (math.nan, 0, 0, 1), (math.inf, 0, 0, 0), (1, 0, 0)]
)
def test_unit_quaternion_refuses_what_is_none(bad):
    with pytest.raises(ValueError, match='quaternion'):
        rotations.unit_quaternion(bad)


def test_a_quaternion_of_four_digits_is_taken_and_made_unit():
    given = (0.7071, 0.0, 0.0, 0.7071)  # norm 0.99999
    found = rotations.unit_quaternion(given)
    assert math.hypot(*found) == pytest.approx(1.0, abs=1e-15)
    assert found == pytest.approx((math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)), abs=1e-15)
    assert rotations.unit_quaternion((1.0009, 0.0, 0.0, 0.0)).tolist() == [1.0, 0.0, 0.0, 0.0]
    for norm in (0.9989, 1.0011):
        with pytest.raises(ValueError, match='divide it by its norm'):
            rotations.unit_quaternion((norm, 0.0, 0.0, 0.0))


def test_attitudes_are_made_continuous_in_sign():
    turn = np.linspace(0.0, 6.0 * np.pi, 50)  # three turns about z: q comes back as -q each time
    smooth = np.column_stack((np.cos(turn / 2), 0 * turn, 0 * turn, np.sin(turn / 2)))
    flipped = smooth * np.random.default_rng(1).choice((-1.0, 1.0), 50)[:, np.newaxis]
    flipped[0] = smooth[0]
    assert np.array_equal(rotations.continuous(flipped), smooth)
    assert np.array_equal(rotations.continuous(-flipped), -smooth)
    assert np.array_equal(rotations.continuous(smooth[:1]), smooth[:1])


def test_the_matrix_of_a_turn_has_the_bits_of_the_product_of_quaternions():
    """Also of a quaternion that is not unit, as within a step, and back from world to body."""
    random = np.random.default_rng(3)
    for _ in range(200):
        q, v = random.normal(size=4).tolist(), random.normal(size=3).tolist()
        matrix = rotations.quaternion_turn(*q)
        back = q[0], -q[1], -q[2], -q[3]
        assert vectors.turned(matrix, v) == rotations.quaternion_sandwich(*q, *v)
        assert vectors.turned_back(matrix, v) == rotations.quaternion_sandwich(*back, *v)
