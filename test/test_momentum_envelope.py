# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What wheels can hold is the polytope of all Σ s_i g_i, |s_i| <= 1: known bodies and sums."""

import itertools

import numpy as np
import pytest

from spacecraft_attitude_sim.core.studies.momentum_envelope import envelope

# Four wheels on the diagonals of a cube, as in a pyramid of 54.74 degrees.
DIAGONALS = np.array(((1, 1, 1), (-1, 1, 1), (-1, -1, 1), (1, -1, 1))) / np.sqrt(3.0)


def area(face):
    """Return the area vector (3,) of a polygon, by the right hand of its corners."""
    return np.cross(face, np.roll(face, -1, axis=0)).sum(axis=0) / 2.0


def corners(found):
    return np.unique(np.round(np.concatenate(found.faces), 9), axis=0)


def test_three_wheels_at_right_angles_hold_a_box():
    found = envelope(np.eye(3), np.array((1.0, 2.0, 3.0)))
    assert len(found.faces) == 6
    assert len(found.edges()) == 12
    assert found.weakest == pytest.approx(1.0, rel=1e-15)
    assert np.array_equal(np.abs(corners(found)), np.tile((1.0, 2.0, 3.0), (8, 1)))


def test_four_wheels_on_the_diagonals_of_a_cube_hold_a_rhombic_dodecahedron():
    """Twelve rhombi whose diagonals are as √2, 24 edges, 14 corners, √(8/3) h to each face."""
    found = envelope(DIAGONALS, np.full(4, 0.5))
    assert (len(found.faces), len(found.edges()), len(corners(found))) == (12, 24, 14)
    for face in found.faces:
        short, long = sorted(np.linalg.norm(face[2:] - face[:2], axis=1))
        assert len(face) == 4
        assert long / short == pytest.approx(np.sqrt(2.0), rel=1e-12)
    assert found.distances == pytest.approx(0.5 * np.sqrt(8.0 / 3.0) * np.ones(12), rel=1e-14)
    # 4 h / √3 along the pyramid's axis: every wheel at its limit.
    assert np.max(np.concatenate(found.faces)[:, 2]) == pytest.approx(2.0 / np.sqrt(3.0))


@pytest.mark.parametrize('count', [3, 4, 5, 6, 8])
def test_volume_surface_and_support_of_any_wheels_are_those_of_a_zonotope(count):
    """8 Σ |det|, 8 Σ |g × g'|, Σ |n·g|; and Euler's corners - edges + faces = 2."""
    rng = np.random.default_rng(count)
    axes = rng.normal(size=(count, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    most = rng.uniform(0.5, 2.0, count)
    found, g = envelope(axes, most), axes * most[:, np.newaxis]
    areas = np.array([area(face) for face in found.faces])
    volume = np.sum(np.linalg.norm(areas, axis=1) * found.distances) / 3.0
    triples = [abs(np.linalg.det(three)) for three in itertools.combinations(g, 3)]
    assert volume == pytest.approx(8.0 * sum(triples), rel=1e-12)
    pairs = [np.linalg.norm(np.cross(*two)) for two in itertools.combinations(g, 2)]
    assert np.linalg.norm(areas, axis=1).sum() == pytest.approx(8.0 * sum(pairs), rel=1e-12)
    # Counterclockwise seen from outside, and each face where its distance says.
    for normal, distance, face, across in zip(
        found.normals, found.distances, found.faces, areas, strict=True
    ):
        assert across / np.linalg.norm(across) == pytest.approx(normal, abs=1e-12)
        assert face @ normal == pytest.approx(np.full(len(face), distance), abs=1e-12)
    assert len(corners(found)) - len(found.edges()) + len(found.faces) == 2
    for direction in rng.normal(size=(20, 3)):
        reached = np.max(np.concatenate(found.faces) @ direction)
        assert reached == pytest.approx(np.abs(g @ direction).sum(), rel=1e-12)


def test_whatever_the_speeds_the_momentum_is_inside():
    rng, most = np.random.default_rng(5), np.array((0.3, 0.4, 0.5, 0.2))
    found = envelope(DIAGONALS, most)
    held = (rng.uniform(-1.0, 1.0, (1000, 4)) * most) @ DIAGONALS
    assert np.max(held @ found.normals.T - found.distances) < 0.0
    for signs in itertools.product((-1.0, 1.0), repeat=4):
        edge = np.max((np.array(signs) * most) @ DIAGONALS @ found.normals.T - found.distances)
        assert edge < 1e-12


def test_three_wheels_in_a_plane_and_one_across_hold_a_hexagonal_prism():
    angles = np.radians((0.0, 60.0, 120.0))
    axes = np.array([(np.cos(a), np.sin(a), 0.0) for a in angles] + [(0.0, 0.0, 1.0)])
    found = envelope(axes, np.ones(4))
    assert sorted(len(face) for face in found.faces) == [4] * 6 + [6] * 2
    assert len(found.edges()) == 18
    # A regular hexagon of side 2: its inner radius is √3, and ±1 along z is less.
    assert sorted(found.distances) == pytest.approx([1.0] * 2 + [np.sqrt(3.0)] * 6, rel=1e-14)


@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_wheels_on_one_axis_hold_together(sign):
    axes = np.array(((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0), (0, 0, sign)))
    found = envelope(axes, np.array((1.0, 1.0, 1.0, 0.5)))
    assert len(found.faces) == 6
    assert np.max(np.abs(np.concatenate(found.faces)), axis=0).tolist() == [1.0, 1.0, 1.5]


def test_wheels_in_a_plane_hold_nothing_across_it():
    found = envelope(np.eye(3)[:2], np.array((2.0, 1.0)))
    (face,) = found.faces
    assert len(face) == len(found.edges()) == 4
    assert np.abs(face).tolist() == [[2.0, 1.0, 0.0]] * 4
    assert found.weakest == 0.0


@pytest.mark.parametrize('most', [(2.0,), (2.0, 0.0)])
def test_wheels_that_can_hold_on_one_axis_only_have_two_ends(most):
    found = envelope(np.eye(3)[: len(most)], np.array(most))
    assert sorted(np.concatenate(found.faces).tolist()) == [[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0]]
    assert found.weakest == 0.0
    assert len(found.edges()) == 1


def test_wheels_without_any_momentum_hold_none():
    assert np.concatenate(envelope(np.eye(3), np.zeros(3)).faces).tolist() == [[0.0, 0.0, 0.0]]
