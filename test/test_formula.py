# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Formulas of floors and surfaces: their derivatives against SymPy's, and what is refused."""

import math
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
import sympy as sp

from spacecraft_attitude_sim.core.contact import formula

NAMES = ('a', 'k')
T, X, Y, Z, A, K = SYMBOLS = sp.symbols('t x y z a k')
EVENT_ORDERS = (
    (), (T,), (T, T), (X,), (Y,), (Z,), (X, T), (Y, T), (Z, T),
    (X, X), (Y, Y), (Z, Z), (X, Y), (X, Z), (Y, Z),
)  # fmt: skip
PLACE_ORDERS = ((), (X,), (Y,), (Z,), (X, X), (Y, Y), (Z, Z), (X, Y), (X, Z), (Y, Z))
LEVELS = (
    'z + x**2*exp(-2*x**2) - 0.1*y**2',
    'z - a*sin(k*x - 3*t)*cos(y/2)',
    '(x**2/0.3 + y**4/k + z**2)**(3/2) - 1',
    'tan(x*y/4)/cosh(z*t) + log(2 + x**2*a) - sqrt(1 + y**2)*atan(x/z)',
    'asin(x/3)*acos(y/4) + sinh(x*t)/tanh(1 + z**2) + x**(-3)*(y + z)**a',
    '-(x - t)**7/(1 + z)**2.5 + pi*x',
    'x/y/z*t - -x + +y',
    '(x*y + t)**k/(t*z + x*y)**0.5',
    '2**3**2*x - 1/(x + 2*a)/3 + (x*y*z*t)**2',
)
HOSTILE = {
    '__import__("os").system("true")': 'holds',
    'x.__class__.__mro__': 'holds',
    '(lambda: x)()': 'holds',
    'x' * 10**6: 'has 1000000 characters; it may have 2000',
    '9**9**9': 'exponent 3.8742e',
    '((9**64)**64)**64': 'no finite number',
    '9' * 1999: 'too large',
    '1e400': 'not finite',
    '(' * 900 + 'x' + ')' * 900: 'cannot be read',
    '-' * 1900 + 'x': 'operations inside each other',
    'x\x00': 'cannot be read',
    'x; import os': 'cannot be read',
    '[x for x in y]': 'holds',
    'x if y else z': 'holds',
    'x := 1': 'cannot be read',
    '"a" * 9': 'no real number',
    '1j*x': 'no real number',
    'True*x': 'no real number',
    'x^2': r'a power is x\*\*2',
    'abs(x)': 'not smooth',
    'open(x)': 'not known',
    'sin(x, y)': 'one argument',
    'sin(x=1)': 'holds',
    'sin(*x)': 'holds',
    'q*x': "has 'q' in it; it may have t, x, y, z, pi, a, k",
    'x**y': 'variable in an exponent',
    'sqrt(-1)*x': 'no finite number',
    'x/0': 'divides by zero',
    'x/(1 - 1)': 'divides by zero',
    '': 'cannot be read',
    'x' + '.a' * 950: 'holds',
    '[' + 'x+' * 900 + 'x]': 'holds',
    '[' + '-' * 1900 + 'x]': 'holds',
    'lambda: ' + '-' * 1900 + 'x': 'holds',
    'not ' * 480 + 'x': 'holds',
    'x+' * 990 + 'x': 'operations inside each other',
}


def events(seed):
    """Return random (t, x, y, z), and values of the names."""
    generator = np.random.default_rng(seed)
    return [(row[:4].tolist(), row[4:]) for row in generator.uniform(0.3, 1.5, (10, 6))]


def by_sympy(parts, orders):
    """Return a function of t, x, y, z, a, k: the derivatives of expressions, by SymPy."""
    found = [sp.diff(part, *order) if order else part for part in parts for order in orders]
    return sp.lambdify(SYMBOLS, found, 'math')


def assert_alike(kernel, expected, arguments, values):
    """Compare with SymPy's to many roundings, and Python with compiled code to the bit."""
    found = kernel(*arguments, values)
    # A dozen roundings each, of numbers up to a hundred times the result.
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)
    assert found == kernel.function(*arguments, memoryview(values))


@pytest.mark.parametrize('text', LEVELS)
def test_derivatives_of_a_level_are_those_of_sympy(text):
    kernel = formula.level(text, NAMES)
    expected = by_sympy([sp.sympify(text)], EVENT_ORDERS)
    for event, values in events(1):
        assert_alike(kernel, expected(*event, *values), event, values)


def test_derivatives_of_a_surface_are_those_of_sympy():
    text = '(x**2/a + y**2)**2 + exp(z*k)*z**2/(1 + x*y) - 1'
    kernel = formula.surface(text, NAMES)
    expected = by_sympy([sp.sympify(text)], PLACE_ORDERS)
    for (_, *place), values in events(2):
        assert_alike(kernel, expected(0.0, *place, *values), place, values)


def test_derivatives_of_a_velocity_are_those_of_sympy():
    texts = ('a*t*x', '-k*sin(y*z - t)', '0')
    kernel = formula.velocity(texts, NAMES)
    parts = sp.Matrix([sp.sympify(text) for text in texts])
    rows = [*parts, *parts.diff(T), *parts.jacobian((X, Y, Z))]
    expected = sp.lambdify(SYMBOLS, rows, 'math')
    for event, values in events(3):
        assert_alike(kernel, expected(*event, *values), event, values)


def test_material_without_a_velocity_of_its_own_moves_along_the_normal():
    text = 'z - a*sin(k*x - 3*t)*cos(y/2)'
    kernel = formula.velocity_along_normal(text, NAMES)
    G = sp.sympify(text)
    gradient = sp.Matrix([sp.diff(G, one) for one in (X, Y, Z)])
    v = -sp.diff(G, T) * gradient / gradient.dot(gradient)
    expected = sp.lambdify(SYMBOLS, [*v, *v.diff(T), *v.jacobian((X, Y, Z))], 'math')
    for event, values in events(4):
        assert_alike(kernel, expected(*event, *values), event, values)


def test_a_formula_rounds_as_the_same_written_by_hand():
    kernel = formula.level('z + x**2*exp(-2*x**2) - 0.1*y**2')
    for (t, x, y, z), values in events(5):
        square = x * x
        by_hand = z + square * math.exp(-2.0 * square) - 0.1 * (y * y)
        assert kernel(t, x, y, z, values)[0] == by_hand


@pytest.mark.parametrize(('text', 'words'), HOSTILE.items(), ids=range(len(HOSTILE)))
def test_what_is_no_formula_is_refused_in_one_line(text, words):
    begun = time.monotonic()
    with pytest.raises(ValueError, match=words) as refused:
        formula.level(text, NAMES)
    assert '\n' not in str(refused.value)
    assert len(str(refused.value)) < 500
    assert time.monotonic() - begun < 5.0


def test_a_formula_of_too_many_terms_is_refused_and_a_long_one_taken():
    with pytest.raises(ValueError, match='too complicated'):
        formula.level('*'.join(f'sin(x*y*z*t+{n})' for n in range(90)))
    long = '+'.join(f'sin({n}*x)' for n in range(1, 150))
    kernel = formula.level(long)
    # The sum of sines of multiples of an angle in closed form (Dirichlet's conjugate kernel).
    angle = 0.37
    closed = math.sin(149 * angle / 2) * math.sin(75 * angle) / math.sin(angle / 2)
    found = kernel.function(0.0, angle, 0.0, 0.0, np.zeros(1))[0]
    assert found == pytest.approx(closed, rel=1e-12)


@pytest.mark.parametrize(
    'names', [('x',), ('pi',), ('sin',), ('a', 'a'), ('1a',), ('a b',), ('lambda',), ('b' * 33,)]
)
def test_names_that_mean_something_else_are_refused(names):
    with pytest.raises(ValueError, match='names'):
        formula.level('x', names)


MAKERS = {
    'level': lambda: formula.level('z - a*x', ('a',)),
    'velocity': lambda: formula.velocity(('a*t', 'x*y', '0'), ('a',)),
    'velocity_along_normal': lambda: formula.velocity_along_normal('z - a*sin(x - t)', ('a',)),
    'surface': lambda: formula.surface('x**2 + y**2 + z**2 - a', ('a',)),
}
TAKEN = """
import pickle, sys
import numpy as np
kernel = pickle.load(sys.stdin.buffer)
print(kernel.__qualname__, kernel.in_python(*map(float, sys.argv[1:]), [0.25]))
"""


@pytest.mark.parametrize('name', MAKERS)
def test_a_formula_is_found_again_in_another_process(name):
    kernel = MAKERS[name]()
    event = (0.4, 0.3, 0.2) if name == 'surface' else (0.1, 0.4, 0.3, 0.2)
    done = subprocess.run(
        [sys.executable, '-c', TAKEN, *map(str, event)], input=pickle.dumps(kernel),
        capture_output=True, check=True, timeout=600,
    )  # fmt: skip
    expected = f'{kernel.__qualname__} {kernel.in_python(*event, [0.25])}'
    assert done.stdout.decode().strip() == expected


def test_the_same_formula_is_the_same_kernel():
    assert formula.level('z - a*x', ('a',)) is formula.level('z - a*x', ('a',))


@pytest.mark.parametrize('n', [0.0, 1.0, 2.0, 3.0])
def test_a_named_exponent_is_as_good_as_a_number_where_the_base_is_zero(n):
    named = formula.level('z - x**n', ('n',))
    for x in (0.0, 0.7):
        found = named(0.0, x, 0.0, 1.0, np.array((n,)))
        expected = formula.level(f'z - x**{n}')(0.0, x, 0.0, 1.0, np.zeros(1))
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=0.0)


def test_a_formula_that_is_undefined_somewhere_is_nan_there_without_the_compiler():
    kernel = formula.level('z - log(x)/y')
    assert np.isnan(kernel.in_python(0.0, -1.0, 1.0, 0.0, [])).all()
    assert np.isnan(kernel.in_python(0.0, 1.0, 0.0, 0.0, [])).all()
    assert kernel.in_python(0.0, 1.0, 1.0, 0.5, [])[0] == 0.5
