# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Floors and surfaces: every derivative is that of its function, every support point the farthest.

The functions are taken as Python: the compiled ones have the same bits.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from spacecraft_attitude_sim.core.contact import floors, shapes
from spacecraft_attitude_sim.core.contact import surface_functions as surfaces
from spacecraft_attitude_sim.core.contact.solver.layout import ROLLING, SLIPPING, STILL
from spacecraft_attitude_sim.core.contact.solver.regime_limits import (
    changes_much,
    energy,
    grip,
    loses_energy,
    margin,
)
from spacecraft_attitude_sim.core.contact.solver.substeps import SLIP_FRACTION
from spacecraft_attitude_sim.core.mathematics import vectors

STEP = 1e-5
# Central differences of functions of size one over lengths of about one: STEP² of the third
# derivative, and round-off 1e-16 / STEP.
CLOSE = {'rtol': 0.0, 'atol': 1e-8}
SIX = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))

FLOORS = {
    'still': floors.Plane(normal=(0.2, -0.3, 0.9), point=(0.4, 0.1, -0.2)),
    'moving': floors.Plane(
        normal=(0.2, -0.3, 0.9), point=(0.4, 0.1, -0.2), amplitude=0.1, angular_frequency=1.7,
        phase=0.6, conveyor=(0.9, 0.0, -0.2), spin=0.8,
    ),
    'bowl': floors.Bowl(radius=2.0, center=(0.3, 0.2, 0.9), angular_velocity=(0.3, -0.5, 0.8)),
    'dome': floors.Dome(radius=0.5, center=(0.3, 0.2, -0.9), angular_velocity=(0.3, -0.5, 0.8)),
}  # fmt: skip
POINTS = np.random.default_rng(9).uniform(-0.8, 0.8, size=(5, 3))


def slopes(function, at):
    """Return d function / d at (n, len(at)) by central differences."""
    steps = STEP * np.eye(len(at))
    rises = [np.subtract(function(at + step), function(at - step)) for step in steps]
    return np.stack(rises, -1) / (2.0 * STEP)


@pytest.mark.parametrize('name', FLOORS)
def test_derivatives_of_a_floor_are_those_of_its_level_and_velocity(name):
    floor = FLOORS[name]
    level, velocity = (function.function for function in floor.functions())
    parameters = floor.parameters()
    for point in POINTS:
        at = np.array((0.7, *point))
        found = np.array(level(*at, parameters))
        first = slopes(lambda x: level(*x, parameters)[:1], at)[0]
        np.testing.assert_allclose(found[[1, 3, 4, 5]], first, **CLOSE)
        second = slopes(lambda x: np.array(level(*x, parameters))[[1, 3, 4, 5]], at)
        np.testing.assert_allclose(found[[2, 6, 7, 8]], second[:, 0], **CLOSE)
        bends = [second[1 + i, 1 + j] for i, j in SIX]
        np.testing.assert_allclose(found[9:15], bends, **CLOSE)
        moves = np.array(velocity(*at, parameters))
        changes = slopes(lambda x: velocity(*x, parameters)[:3], at)
        np.testing.assert_allclose(moves[3:6], changes[:, 0], **CLOSE)
        np.testing.assert_allclose(moves[6:15], changes[:, 1:].ravel(), **CLOSE)


def test_levels_are_heights_above_the_floors():
    point = (0.5, -0.4, 0.3)
    normal = np.array((0.2, -0.3, 0.9)) / np.sqrt(0.94)
    beside = np.subtract(point, (0.4, 0.1, -0.2)) @ normal
    heave = 0.1 * np.sin(1.7 * 0.7 + 0.6)
    expected = {
        'still': beside,
        'moving': beside - heave,
        'bowl': 2.0 - np.linalg.norm((0.2, -0.6, -0.6)),
        'dome': np.linalg.norm((0.2, -0.6, 1.2)) - 0.5,
    }
    for name, height in expected.items():
        gap, out = floors.gap_and_normal(FLOORS[name], 0.7, point)
        assert gap == pytest.approx(height, abs=1e-15), name
        assert np.linalg.norm(out) == pytest.approx(1.0, abs=1e-15)
    # Material moves with the conveyor, round the point of the plane, and up and down.
    conveyor = np.array((0.9, 0.0, -0.2))
    turntable = 0.8 * np.cross(normal, np.subtract(point, (0.4, 0.1, -0.2)))
    rise = 0.17 * np.cos(1.7 * 0.7 + 0.6) * normal
    found = floors.velocity(FLOORS['moving'], 0.7, point)
    assert found == pytest.approx(conveyor + turntable + rise, abs=1e-15)
    for name, center in (('bowl', (0.3, 0.2, 0.9)), ('dome', (0.3, 0.2, -0.9))):
        turning = np.cross((0.3, -0.5, 0.8), np.subtract(point, center))
        assert floors.velocity(FLOORS[name], 0.7, point) == pytest.approx(turning, abs=1e-15)


@pytest.mark.parametrize(
    ('function', 'support', 'parameters'),
    [
        (surfaces.ellipsoid, surfaces.ellipsoid_support, (0.9, 0.6, 1.2)),
        (surfaces.superellipsoid, surfaces.superellipsoid_support, (0.9, 0.6, 1.2, 3.0, 4.5)),
        (surfaces.superellipsoid, surfaces.superellipsoid_support, (0.9, 0.6, 1.2, 2.0, 2.0)),
    ],
)
def test_derivatives_of_a_surface_and_its_farthest_points(function, support, parameters):
    parameters = np.array(parameters)
    generator = np.random.default_rng(4)
    for point in POINTS:
        found = np.array(function.function(*point, parameters))
        first = slopes(lambda x: function.function(*x, parameters)[:1], point)[0]
        np.testing.assert_allclose(found[1:4], first, **CLOSE)
        second = slopes(lambda x: function.function(*x, parameters)[1:4], point)
        np.testing.assert_allclose(found[4:10], [second[i, j] for i, j in SIX], **CLOSE)
    for _ in range(20):
        direction = generator.normal(size=3)
        direction /= np.linalg.norm(direction)
        farthest = np.array(support(direction, parameters))
        values = np.array(function.function(*farthest, parameters))
        assert values[0] == pytest.approx(0.0, abs=1e-13)
        gradient = values[1:4] / np.linalg.norm(values[1:4])
        np.testing.assert_allclose(gradient, direction, rtol=0, atol=1e-12)


def test_a_sphere_is_the_ellipsoid_of_its_radius():
    ball = shapes.Sphere(radius=0.7)
    implicit = ball.implicit().function
    direction = np.array((0.6, 0.0, -0.8))
    farthest = surfaces.support(ball.kind, direction, ball.parameters())
    assert farthest == pytest.approx(0.7 * direction, abs=1e-16)
    assert implicit(*farthest, ball.parameters())[0] == pytest.approx(0.0, abs=1e-15)
    assert ball.survey.reach == pytest.approx(0.7, rel=1e-12)


def test_small_vector_functions_are_numpys():
    generator = np.random.default_rng(3)
    exact = {'rtol': 0.0, 'atol': 2e-15}
    for _ in range(10):
        a, b = generator.normal(size=(2, 3))
        n = a / np.linalg.norm(a)
        C = np.linalg.qr(generator.normal(size=(3, 3)))[0]
        root = generator.normal(size=(3, 3))
        S = root @ root.T + np.eye(3)
        six = tuple(S[i, j] for i, j in SIX)
        nine = tuple(C.ravel())
        pairs = (
            (vectors.dot(a, b), a @ b),
            (vectors.cross(a, b), np.cross(a, b)),
            (vectors.added(a, b), a + b),
            (vectors.subtracted(a, b), a - b),
            (vectors.scaled(0.7, a), 0.7 * a),
            (vectors.moved_vector(a, 0.7, b), a + 0.7 * b),
            (vectors.norm(a), np.linalg.norm(a)),
            (vectors.tangential(b, n), b - (b @ n) * n),
            (vectors.turned(nine, a), C @ a),
            (vectors.turned_back(nine, a), C.T @ a),
            (vectors.symmetric_solved(six, a), np.linalg.solve(S, a)),
        )
        for found, expected in pairs:
            np.testing.assert_allclose(found, expected, **exact)
        np.testing.assert_allclose(vectors.symmetric_times(six, a), S @ a, rtol=0, atol=1e-14)
        made = (
            2.0 * np.outer(a, a) - 3.0 * np.outer(b, b) + 0.5 * (np.outer(a, b) + np.outer(b, a))
        )
        found = vectors.outer(a, b, 2.0, -3.0, 0.5)
        np.testing.assert_allclose(found, [made[i, j] for i, j in SIX], rtol=0, atol=1e-14)
        one, other = vectors.tangents(n)
        triad = np.array((one, other, n))
        np.testing.assert_allclose(triad @ triad.T, np.eye(3), **exact)
        assert np.linalg.det(triad) == pytest.approx(1.0, abs=1e-14)


# --- limits of a regime ------------------------------------------------------------------------


def sliding(velocity, place, **held):
    """Return y and Reaction of a block that slides, spins, and rubs with the same force always."""
    y = (*place, 1.0, 0.0, 0.0, 0.0, *(2.0 * np.array(velocity)), 0.0, 0.0, 0.3)
    reaction = {'force': RUB, 'slip': tuple(velocity), 'omega_S': (0.2, -0.1, 0.6)} | held
    return tuple(float(value) for value in y), SimpleNamespace(**reaction)


RUB, WEIGHT = (-4.0, 1.0, -0.5), np.array((0.5, -0.2, -19.6))
BLOCK = {
    'plain': True, 'floor_kind': STILL, 'inverse_mass': 0.5, 'reach': 0.7, 'friction': 0.5,
    'inertia': (0.4, 0.5, 0.6, 0.01, 0.02, 0.03), 'wrench': (*np.zeros(6), *WEIGHT, *np.zeros(3)),
    'releases': True,
}  # fmt: skip


@pytest.mark.parametrize(('part', 'lost'), [(0.0, False), (0.049, False), (0.051, True)])
@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_energy_that_friction_does_not_explain_is_noticed(part, lost, sign):
    """Under constant forces 2 kg move uniformly faster: work and friction are exact products."""
    h, begin, velocity = 0.05, np.array((0.1, 0.2, -0.3)), np.array((3.0, 1.0, 1.5))
    later = velocity + h * (RUB + WEIGHT) / 2.0
    friction = h * np.dot(RUB, velocity + later) / 2.0
    end = begin + h * (velocity + later) / 2.0
    # Higher by so much that this part of the friction's work is missing.
    end = end + WEIGHT / (WEIGHT @ WEIGHT) * sign * part * abs(friction)
    arguments = (h, *sliding(velocity, begin), *sliding(later, end))
    assert loses_energy(*arguments, SimpleNamespace(**BLOCK)) == lost
    for other in ({'plain': False}, {'floor_kind': STILL + 1}):
        assert not loses_energy(*arguments, SimpleNamespace(**BLOCK | other))


def test_a_spin_has_its_energy():
    """0.2, -0.1, 0.6 rad/s of that inertia; without friction or motion its change is noticed."""
    _, resting = sliding(np.zeros(3), np.zeros(3), force=(0.0, 0.0, 0.0))
    y, faster = sliding(np.zeros(3), np.zeros(3), force=(0.0, 0.0, 0.0), omega_S=(0.2, -0.1, 0.61))
    held = SimpleNamespace(**BLOCK)
    omega = np.array((0.2, -0.1, 0.6))
    tensor = np.array(((0.4, 0.01, 0.02), (0.01, 0.5, 0.03), (0.02, 0.03, 0.6)))
    assert energy(y, resting, held)[0] == pytest.approx(omega @ tensor @ omega / 2.0, rel=1e-14)
    assert not loses_energy(0.05, y, resting, y, resting, held)
    assert loses_energy(0.05, y, resting, y, faster, held)


def test_what_a_floor_bears_ends_a_regime():
    """Rolling ends at μ times the normal force or where nothing presses, slipping there only."""
    normal = (0.0, 0.6, 0.8)
    reaction = SimpleNamespace(
        normal=normal, normal_force=10.0, force=tuple(10.0 * np.array(normal) + (3.0, 0.0, 0.0))
    )
    held = SimpleNamespace(**BLOCK)
    assert grip(reaction, 0.5) == pytest.approx(2.0, rel=1e-14)
    assert grip(reaction, math.inf) == math.inf
    assert margin(reaction, ROLLING, held) == pytest.approx(2.0, rel=1e-14)
    assert margin(reaction, SLIPPING, held) == 10.0
    held.releases, held.friction = False, 3.0
    assert margin(reaction, ROLLING, held) == pytest.approx(27.0, rel=1e-14)
    assert margin(reaction, SLIPPING, held) == math.inf
    held.releases = True
    assert margin(reaction, ROLLING, held) == 10.0


@pytest.mark.parametrize(
    ('after', 'regime', 'much'),
    [
        ({'bending': 1.14}, ROLLING, False), ({'bending': 1.16}, ROLLING, True),
        ({'bending': 0.88}, ROLLING, False), ({'bending': 0.86}, ROLLING, True),
        ({'ease': 1.09}, SLIPPING, False), ({'ease': 1.11}, SLIPPING, True),
        ({'ease': 0.92}, SLIPPING, False), ({'ease': 0.90}, SLIPPING, True),
        ({'ease': 2.0}, ROLLING, False), ({'slip': (9.0, 0.0, 0.0)}, ROLLING, False),
        ({'slip': (3.0, 4.0 + 9.9 * SLIP_FRACTION, 0.0)}, SLIPPING, False),
        ({'slip': (3.0, 4.0 + 10.1 * SLIP_FRACTION, 0.0)}, SLIPPING, True),
    ],
)  # fmt: skip
def test_a_step_that_bends_eases_or_turns_too_much_is_too_long(after, regime, much):
    """By 15 and by 10 per cent, and by twice the part of the slip that a step may change."""
    before = {'bending': 1.0, 'ease': 1.0, 'slip': (3.0, 4.0, 0.0)}
    first, second = (SimpleNamespace(**values) for values in (before, before | after))
    assert changes_much(first, second, regime) is much
