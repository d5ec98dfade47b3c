# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Which constraints can be integrated, and a ball rolled round a loop: it comes back turned."""

import math
import sys

import conftest
import numpy as np
import pytest

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies import pfaffian, quasi_coordinates

sys.path.insert(0, str(conftest.ROOT / 'examples'))
import ball_round_a_loop  # noqa: E402

sympy = pytest.importorskip('sympy')

X, Y, Z, ROLL, HEADING = sympy.symbols('x y z theta phi', real=True)
R = sympy.symbols('R', positive=True)
SQUARE = ball_round_a_loop.SQUARE


def form(*terms):
    return sympy.Matrix([terms])


# A. M. Bloch, Nonholonomic Mechanics and Control: the examples of chapter 1.
VERTICAL_DISC = form(1, 0, -R * sympy.cos(HEADING), 0).col_join(
    form(0, 1, -R * sympy.sin(HEADING), 0)
)
CASES = {
    'knife edge': (form(sympy.sin(HEADING), -sympy.cos(HEADING), 0), (X, Y, HEADING), (2, 3)),
    'vertical disc': (VERTICAL_DISC, (X, Y, ROLL, HEADING), (2, 3, 4)),
    'disc of fixed heading': (VERTICAL_DISC.subs(HEADING, 0.5)[:, :3], (X, Y, ROLL), (1,)),
    'Heisenberg': (form(-Y, 0, 1), (X, Y, Z), (2, 3)),
    # Not integrable by itself, as above, but with y held it is.
    'Heisenberg, y held': (form(-Y, 0, 1).col_join(form(0, 1, 0)), (X, Y, Z), (1,)),
    'up to a factor': (form(Y, -X), (X, Y), (1,)),
    'up to a factor, in space': (form(Y, -X, 0), (X, Y, Z), (2,)),
    # On a sphere, times a function.
    'sphere': (form(X, Y, Z) * sympy.exp(X * Y), (X, Y, Z), (2,)),
    # A knife edge on a table z = 0: three of four dimensions are reached.
    'knife edge and z held': (
        form(sympy.sin(HEADING), -sympy.cos(HEADING), 0, 0).col_join(form(0, 0, 0, 1)),
        (X, Y, HEADING, Z),
        (2, 3),
    ),
    'z held and knife edge': (
        form(0, 0, 0, 1).col_join(form(sympy.sin(HEADING), -sympy.cos(HEADING), 0, 0)),
        (X, Y, HEADING, Z),
        (2, 3),
    ),
    'the same row twice': (form(Y, -X, 0).col_join(form(2 * Y, -2 * X, 0)), (X, Y, Z), (2,)),
    'nothing can move': (sympy.eye(2), (X, Y), (0,)),
}


@pytest.mark.parametrize('case', CASES)
def test_constraints_are_holonomic_where_brackets_reach_nothing_new(case):
    a, coordinates, growth = CASES[case]
    assert pfaffian.growth_vector(a, coordinates) == growth
    assert pfaffian.holonomic(a, coordinates) == (len(growth) == 1)


@pytest.mark.parametrize(
    ('sequence', 'spins', 'growth'), [('zyx', True, (3, 5)), ('zxz', False, (2, 3, 5))]
)
def test_a_rolling_ball_reaches_every_place_in_every_attitude(sequence, spins, growth):
    # The 2, 3, 5 of a ball that does not spin is Cartan's.
    a, coordinates = pfaffian.rolling_ball(sequence, spins)
    assert not pfaffian.holonomic(a, coordinates)
    assert pfaffian.growth_vector(a, coordinates) == growth


def test_rolling_keeps_the_lowest_point_at_rest():
    # v + ω × (0, 0, -R), at an attitude and rates taken at random.
    a, coordinates = pfaffian.rolling_ball()
    generator = np.random.default_rng(5)
    angles, angle_rates = generator.uniform(-1.0, 1.0, (2, 3))
    s, symbols = quasi_coordinates.world_rates('zyx')
    at = dict(zip(symbols, angles, strict=True))
    omega_W = np.array(s.subs(at), dtype=float) @ angle_rates
    v_W = -np.cross(omega_W, (0.0, 0.0, -0.7))
    rates = (*v_W[:2], *angle_rates)
    slip = np.array(a.subs({R: 0.7, **at}), dtype=float) @ rates
    np.testing.assert_allclose(slip, 0.0, atol=1e-15)


def test_a_matrix_of_another_width_is_refused():
    with pytest.raises(ValueError, match='a has 2 columns for 3 coordinates'):
        pfaffian.holonomic(form(Y, -X), (X, Y, Z))


# --- a ball round a loop ------------------------------------------------------------------------


@pytest.mark.parametrize('angle', [0.01, 0.5, math.pi / 2.0, 1.9])
def test_a_square_loop_turns_the_ball_by_the_closed_form(angle):
    # Turns by α about two axes at right angles and back: cos(Θ/2) = 1 - 2 sin⁴(α/2),
    # so sin(Θ/4) = sin²(α/2).
    q_WB, place = quasi_coordinates.rolled(angle * 0.1 * SQUARE, 0.1)
    expected = 4.0 * math.asin(math.sin(angle / 2.0) ** 2)
    np.testing.assert_allclose(place, 0.0, atol=1e-16)
    assert rotations.angle_between(q_WB, rotations.IDENTITY) == pytest.approx(expected, rel=1e-12)


def test_a_small_loop_turns_the_ball_about_the_vertical_by_its_area_over_the_square_of_radius():
    # Gauss and Bonnet; against the sense of the loop. The rest is of the third order in the side.
    radius, side = 0.1, 1e-4
    q_WB, _ = quasi_coordinates.rolled(side * SQUARE, radius)
    area = side**2 / radius**2
    np.testing.assert_allclose(2.0 * q_WB[1:], (0.0, 0.0, -area), atol=2.0 * area * side / radius)


def test_rolling_carries_the_top_forward():
    q_WB, place = quasi_coordinates.rolled([(0.05 * math.pi, 0.0)], 0.1)
    np.testing.assert_allclose(rotations.rotate(q_WB, (0.0, 0.0, 1.0)), (1, 0, 0), atol=1e-15)
    np.testing.assert_array_equal(place, (0.05 * math.pi, 0.0))


def test_there_and_back_turns_nothing():
    q_WB, _ = quasi_coordinates.rolled(((0.3, 0.1), (0.0, 0.0), (-0.3, -0.1)), 0.1)
    assert rotations.angle_between(q_WB, rotations.IDENTITY) < 1e-15


@pytest.mark.parametrize('side', [0.05 * math.pi, 0.25])
def test_the_contact_model_rolls_the_ball_to_the_closed_form(side):
    (*_, end) = ball_round_a_loop.roll(side * SQUARE, 16)
    expected, _ = quasi_coordinates.rolled(side * SQUARE, ball_round_a_loop.RADIUS)
    # Automatic sub-steps: 1e-13 rad a radian, over 6 and 10 rad.
    assert rotations.angle_between(end[3:7], expected) < 1e-11
    np.testing.assert_allclose(end[0:3], (0.0, 0.0, 0.1), atol=1e-13)
    assert rotations.angle_between(end[3:7], rotations.IDENTITY) > 1.0


def test_the_example_says_how_the_ball_comes_back(capsys, monkeypatch):
    monkeypatch.setattr(sys, 'argv', ['ball_round_a_loop.py'])
    ball_round_a_loop.main()
    out = capsys.readouterr().out
    assert out.count('turned by 120.000000000 deg') == 2
