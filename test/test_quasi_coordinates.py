# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Angular velocity is the rate of no coordinate, and Lagrange's equations in it are Euler's."""

import ast
import contextlib
import itertools
import math
import re

import numpy as np
import pytest
from conftest import ROOT

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies import pfaffian, quasi_coordinates

sympy = pytest.importorskip('sympy')

TWELVE = [
    ''.join(letters)
    for letters in itertools.product('xyz', repeat=3)
    if letters[0] != letters[1] and letters[1] != letters[2]
]
INDICES = list(itertools.product(range(3), repeat=3))


def vanishes(expressions, angles):
    """Return whether expressions in sines and cosines are 0 at every angle.

    As rational functions of tan θ/2, which are 0 in one normal form; simplify takes a second each.
    """
    t = sympy.symbols('t1:4')
    half = {}
    for angle, tangent in zip(angles, t, strict=True):
        half[sympy.sin(angle)] = 2 * tangent / (1 + tangent**2)
        half[sympy.cos(angle)] = (1 - tangent**2) / (1 + tangent**2)
    return not any(sympy.cancel(sympy.sympify(one).subs(half)) for one in expressions)


@pytest.mark.parametrize('sequence', ['zyx', 'zxz', 'yzx'])
def test_body_rates_are_those_of_the_direction_cosine_matrix(sequence):
    # [ω_B]× = C^T dC/dt, column by column.
    a, angles = quasi_coordinates.body_rates(sequence)
    C = sympy.eye(3)
    for letter, angle in zip(sequence, angles, strict=True):
        C = C * quasi_coordinates.elementary_rotation(letter, angle)
    for column, angle in enumerate(angles):
        skew = C.T * C.diff(angle)
        rate = sympy.Matrix([skew[2, 1], skew[0, 2], skew[1, 0]])
        assert vanishes(rate - a[:, column], angles)


def test_yaw_pitch_roll_rates_are_the_textbook_ones():
    a, (_, pitch, roll) = quasi_coordinates.body_rates('zyx')
    assert a == sympy.Matrix([
        [-sympy.sin(pitch), 0, 1],
        [sympy.sin(roll) * sympy.cos(pitch), sympy.cos(roll), 0],
        [sympy.cos(pitch) * sympy.cos(roll), -sympy.sin(roll), 0],
    ])  # fmt: skip


@pytest.mark.parametrize('sequence', ['zyx', 'zxz'])
def test_hamel_symbols_of_body_rates_are_the_permutation_symbol_at_every_angle(sequence):
    gamma = quasi_coordinates.hamel_symbols(*quasi_coordinates.body_rates(sequence))
    assert all(gamma[r, k, m] == -sympy.LeviCivita(r, k, m) for r, k, m in INDICES)


@pytest.mark.parametrize('sequence', TWELVE)
def test_rates_of_every_sequence_have_the_permutation_symbol(sequence):
    # ∂a_ki/∂θ_j - ∂a_kj/∂θ_i = Σ_rm γ_rkm a_ri a_mj: Hamel's definition without the inverse of a.
    a, angles = quasi_coordinates.body_rates(sequence)
    differences = [
        a[k, i].diff(angles[j]) - a[k, j].diff(angles[i]) - a[:, i].cross(a[:, j])[k]
        for k, i, j in INDICES
    ]
    assert vanishes(differences, angles)


@pytest.mark.parametrize('sequence', ['zyx', 'zxz'])
def test_no_body_rate_can_be_integrated(sequence):
    a, angles = quasi_coordinates.body_rates(sequence)
    assert quasi_coordinates.integrable(a, angles) == [False, False, False]


def test_rates_of_true_coordinates_can_be_integrated_and_have_no_hamel_symbols():
    # Velocities along polar coordinates scaled: d(r²/2) and d(r cos φ) exist, r dφ does not.
    r, phi = sympy.symbols('r phi', positive=True)
    a = sympy.Matrix([[r, 0], [sympy.cos(phi), -r * sympy.sin(phi)], [0, r]])
    assert quasi_coordinates.integrable(a, (r, phi)) == [True, True, False]
    gamma = quasi_coordinates.hamel_symbols(a[:2, :], (r, phi))
    assert all(entry == 0 for entry in sympy.flatten(gamma))


def test_world_rates_are_those_of_the_direction_cosine_matrix():
    # [ω_W]× = dC/dt C^T, column by column.
    s, angles = quasi_coordinates.world_rates('zxz')
    C = sympy.eye(3)
    for letter, angle in zip('zxz', angles, strict=True):
        C = C * quasi_coordinates.elementary_rotation(letter, angle)
    for column, angle in enumerate(angles):
        skew = C.diff(angle) * C.T
        rate = sympy.Matrix([skew[2, 1], skew[0, 2], skew[1, 0]])
        assert vanishes(rate - s[:, column], angles)


def test_the_first_a_transposed_gives_another_hamel_symbol():
    a, angles = quasi_coordinates.body_rates('zyx')
    b = a.inv()
    r, k, m = 0, 1, 2
    found = sum(
        b[i, r] * b[j, m] * (a[i, k].diff(angles[j]) - a[k, j].diff(angles[i]))
        for i in range(3)
        for j in range(3)
    )
    wrong = -1 - sympy.cos(angles[2]) ** 2 * sympy.sin(angles[1]) / sympy.cos(angles[1])
    assert vanishes([found - wrong], angles)


# --- potentials ---------------------------------------------------------------------------------

X, Y, Z = sympy.symbols('x y z', real=True)


@pytest.mark.parametrize(
    'function',
    [
        X / Y,
        X**2 * sympy.exp(-2 * X**2) - Y**2 / 10 + Z,
        sympy.atan(Y / X) * Z,
        X**2 + sympy.exp(X * Y * Z) + Z * sympy.sin(Y),
        sympy.sin(X) * sympy.cos(Y) ** 2 + sympy.log(X**2 + Y**2 + 1) * sympy.tan(Z),
    ],
    ids=str,
)
def test_potential_is_found_again_from_its_own_slopes(function):
    row = [function.diff(coordinate) for coordinate in (X, Y, Z)]
    found = quasi_coordinates.potential(row, (X, Y, Z))
    constant = sympy.simplify(found - function)
    assert all(sympy.simplify(constant.diff(coordinate)) == 0 for coordinate in (X, Y, Z))


def test_potential_of_the_velocity_along_a_straight_line_is_that_coordinate():
    # dx/dt in polar coordinates: cos φ dr/dt - r sin φ dφ/dt.
    r, phi = sympy.symbols('r phi', positive=True)
    row = [sympy.cos(phi), -r * sympy.sin(phi)]
    assert quasi_coordinates.potential(row, (r, phi)) == r * sympy.cos(phi)


def test_there_is_no_potential_of_a_body_rate_and_it_is_said_why():
    a, angles = quasi_coordinates.body_rates('zyx')
    with pytest.raises(
        ValueError, match=r'd\(-sin\(theta2\)\)/dtheta2 is -cos\(theta2\), d\(0\)/dth'
    ):
        quasi_coordinates.potential(a[0, :], angles)


@pytest.mark.parametrize(
    'function',
    [
        sympy.asin(X * Y), X**Y, sympy.log(Y * sympy.cos(X) ** 2 + sympy.sin(X) ** 2),
        sympy.erf(X) * Y + sympy.cosh(X * Y),
    ],
)  # fmt: skip
def test_the_values_of_a_potential_need_no_closed_form(function):
    row = [function.diff(X), function.diff(Y)]
    begin, end = (0.3, 0.5), (0.9, 0.7)
    found = quasi_coordinates.potential_difference(row, (X, Y), begin, end)
    first, last = (float(function.subs({X: x, Y: y})) for x, y in (begin, end))
    assert found == pytest.approx(last - first, rel=1e-11)


def test_a_difference_of_no_potential_or_through_a_pole_is_refused():
    with pytest.raises(ValueError, match='row is not exact'):
        quasi_coordinates.potential_difference([Y, -X], (X, Y), (0, 0), (1, 1))
    with pytest.raises(ValueError, match='row has no value at'):
        quasi_coordinates.potential_difference([1 / X, 0], (X, Y), (-1, 0), (1, 0))


def test_a_potential_without_closed_form_and_a_row_too_short_are_said():
    with pytest.raises(ValueError, match='exact, but SymPy finds no closed form'):
        quasi_coordinates.potential([sympy.exp(X * sympy.sin(X)), 0], (X, Y))
    with pytest.raises(ValueError, match='row has 1 terms for 2 coordinates'):
        quasi_coordinates.potential([1], (X, Y))


@pytest.mark.parametrize(
    ('row', 'coordinates'),
    [
        ([Y, -X], (X, Y)),
        ([Y, -X, 0], (X, Y, Z)),
        ([3 * X * Y + Y**2, X**2 + X * Y], (X, Y)),
        ([1, X], (X, Y)),
        ([X, 1 - X**2 * Y], (X, Y)),  # only a factor of the second coordinate
        ([2 * X, 2 * Y], (X, Y)),
        ([0, 0], (X, Y)),
    ],
    ids=str,
)
def test_integrating_factor_makes_a_row_exact(row, coordinates):
    factor = quasi_coordinates.integrating_factor(row, coordinates)
    assert factor != 0
    scaled = [factor * term for term in row]
    found = quasi_coordinates.potential(scaled, coordinates)
    for term, coordinate in zip(scaled, coordinates, strict=True):
        assert sympy.simplify(found.diff(coordinate) - term) == 0


def test_no_factor_makes_a_body_rate_exact():
    a, angles = quasi_coordinates.body_rates('zyx')
    assert quasi_coordinates.integrating_factor(a[0, :], angles) is None
    assert not pfaffian.holonomic(a[0, :], angles)


# --- equations of motion ------------------------------------------------------------------------


def test_lagrange_in_body_rates_is_euler_equation():
    a, angles = quasi_coordinates.body_rates('zyx')
    w, acceleration = sympy.symbols('w1:4'), sympy.symbols('e1:4')
    moments = sympy.symbols('I1:4')
    energy = sum(i * x**2 for i, x in zip(moments, w, strict=True)) / 2
    force = quasi_coordinates.boltzmann_hamel(energy, a, angles, w, acceleration)
    inertia = sympy.diag(*moments)
    omega = sympy.Matrix(w)
    euler = inertia * sympy.Matrix(acceleration) + omega.cross(inertia * omega)
    assert (sympy.Matrix(force) - euler).expand() == sympy.zeros(3, 1)


def test_energy_that_depends_on_attitude_gives_its_torque():
    # T = -V = m g h cos θ2 of a top, zxz: torque of gravity about the body axes, -b^T ∂V/∂θ.
    a, angles = quasi_coordinates.body_rates('zxz')
    w, acceleration = sympy.symbols('w1:4'), sympy.symbols('e1:4')
    force = quasi_coordinates.boltzmann_hamel(sympy.cos(angles[1]), a, angles, w, acceleration)
    expected = (sympy.cos(angles[2]), -sympy.sin(angles[2]), 0)
    for found, factor in zip(force, expected, strict=True):
        assert sympy.simplify(found - factor * sympy.sin(angles[1])) == 0


def test_quarter_turns_in_the_other_order_have_the_same_integral_and_another_attitude():
    quarter = math.pi / 2.0
    q_zy, integral_zy = quasi_coordinates.turned((('z', quarter), ('y', quarter)))
    q_yz, integral_yz = quasi_coordinates.turned((('y', quarter), ('z', quarter)))
    assert (integral_zy == integral_yz).all()
    # The two attitudes differ by a third of a turn about a body diagonal.
    assert rotations.angle_between(q_zy, q_yz) == pytest.approx(2.0 * math.pi / 3.0, abs=1e-15)
    np.testing.assert_allclose(np.abs(q_zy), 0.5, atol=1e-15)


def test_errors_name_what_would_be_right():
    with pytest.raises(ValueError, match='no two neighbours alike'):
        quasi_coordinates.body_rates('zzx')
    with pytest.raises(ValueError, match="'w'; choose one of x, y, z"):
        quasi_coordinates.body_rates('zwx')
    with pytest.raises(ValueError, match='no two neighbours alike'):
        quasi_coordinates.world_rates('zz')
    theta = sympy.symbols('theta')
    with pytest.raises(ValueError, match='no inverse'):
        quasi_coordinates.hamel_symbols(sympy.Matrix([[0]]), (theta,))


def test_every_line_of_the_page_gives_what_its_comment_says():
    """Lines that are no Python are formulas; boltzmann_hamel has arguments of the reader's."""
    names, checked = {}, 0
    for line in (ROOT / 'docs' / 'quasi_coordinates.md').read_text().splitlines():
        code, _, claim = line.strip().partition('#')
        code, claim = code.strip(), claim.strip()
        if not line.startswith('    ') or 'boltzmann_hamel' in code:
            continue
        with contextlib.suppress(SyntaxError):
            if isinstance(ast.parse(code).body[-1], ast.Expr):
                checked += said_of(code, claim, names)
            else:
                exec(code, names)
    assert checked == 11


def said_of(code, claim, names):
    """Evaluate an expression of the page, compare it with its comment; return 1."""
    if claim.startswith('ValueError: '):
        with pytest.raises(ValueError, match=re.escape(claim[12:].rstrip('…'))):
            eval(code, names)
        return 1
    value = eval(code, names)
    if claim == 'all True':
        assert np.all(value)
    elif claim == '2 pi / 3':
        assert value == pytest.approx(2.0 * np.pi / 3.0, abs=1e-12)
    elif isinstance(value, float):
        assert value == pytest.approx(float(claim.partition(',')[0]), abs=1e-12)
    elif claim:
        assert claim.startswith(('q_WB and place', str(value))), code
    return 1
