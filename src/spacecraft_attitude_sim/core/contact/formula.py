# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Surfaces and floors as text, as 'z + x**2*exp(-2*x**2) - 0.1*y**2': read and differentiated.

The text is parsed, never run: only numbers, variables, named parameters, + - * / ** and the
FUNCTIONS are taken. Each operation carries its derivatives along (the chain rule, a second-order
jet), and what comes of it is straight code for the compiler. The values are computed in the order
in which they are written; whole powers are products, as in our own functions, so that Python and
compiled code round alike.
"""

import ast
import functools
import hashlib
import keyword
import math
import warnings
from itertools import combinations_with_replacement
from typing import NamedTuple

from spacecraft_attitude_sim.core import compiled
from spacecraft_attitude_sim.core.contact.floor_functions import FLOOR
from spacecraft_attitude_sim.core.contact.surface_functions import IMPLICIT
from spacecraft_attitude_sim.core.quoting import quoted

# Of a text [characters], of its operations inside each other, and of the code made of it [lines].
LONGEST, DEEPEST, MOST_LINES = 2000, 200, 4000
LARGEST_EXPONENT = 64
LONGEST_NAME = 32
# Of a function of u with the value f: its first derivative, and its second.
FUNCTIONS = {
    'sin': ('math.cos({u})', '-{f}'),
    'cos': ('-math.sin({u})', '-{f}'),
    'tan': ('1.0 + {f} * {f}', '2.0 * {f} * {d}'),
    'exp': ('{f}', '{f}'),
    'log': ('1.0 / {u}', '-{d} * {d}'),
    'sqrt': ('0.5 / {f}', '-0.5 * {d} / {u}'),
    'sinh': ('math.cosh({u})', '{f}'),
    'cosh': ('math.sinh({u})', '{f}'),
    'tanh': ('1.0 - {f} * {f}', '-2.0 * {f} * {d}'),
    'asin': ('1.0 / math.sqrt(1.0 - {u} * {u})', '{u} * {d} * {d} * {d}'),
    'acos': ('-1.0 / math.sqrt(1.0 - {u} * {u})', '{u} * {d} * {d} * {d}'),
    'atan': ('1.0 / (1.0 + {u} * {u})', '-2.0 * {u} * {d} * {d}'),
}
KINKED = ('abs', 'min', 'max', 'sign', 'floor', 'ceil')
PLACE = ('x', 'y', 'z')
EVENT = ('t', *PLACE)
RESERVED = (*EVENT, 'pi', 'parameters', 'math', *FUNCTIONS)


class Kind(NamedTuple):
    """What a text is to become.

    signature: of the compiled function;  variables: that it takes;  results: which derivatives it
    returns, each by its variables in alphabetical order, and of which of several texts
    """

    signature: str
    variables: tuple
    results: tuple


def _of_one(*names):
    return tuple((0, tuple(name)) for name in names)


LEVEL = Kind(
    FLOOR, EVENT,
    _of_one(
        '', 't', 'tt', 'x', 'y', 'z', 'tx', 'ty', 'tz', 'xx', 'yy', 'zz', 'xy', 'xz', 'yz'
    ),
)  # fmt: skip
VELOCITY = Kind(
    FLOOR, EVENT,
    (
        *((row, ()) for row in range(3)),
        *((row, ('t',)) for row in range(3)),
        *((row, (name,)) for row in range(3) for name in PLACE),
    ),
)  # fmt: skip
SURFACE = Kind(
    IMPLICIT, PLACE, _of_one('', 'x', 'y', 'z', 'xx', 'yy', 'zz', 'xy', 'xz', 'yz')
)  # fmt: skip


def level(text, names=()):
    """Return the Kernel of a floor G(t, x, y, z) of core.contact.floor_functions.

    text: G, in t [s], x, y, z [m] and `names`;  names: of the values it is called with, in order
    Raises ValueError saying what in the text is not understood.
    """
    return FormulaKernel(LEVEL, (text,), tuple(names))


def velocity(texts, names=()):
    """Return the Kernel of the velocity of a floor's material; texts: (3,) of its components."""
    return FormulaKernel(VELOCITY, tuple(texts), tuple(names))


def velocity_along_normal(text, names=()):
    """Return the same for material that follows a moving G along its normal: -Gt ∇G / |∇G|²."""
    return FormulaKernel(VELOCITY, (text,), tuple(names))


def surface(text, names=()):
    """Return the Kernel of a surface H(x, y, z) of core.contact.surface_functions."""
    return FormulaKernel(SURFACE, (text,), tuple(names))


class FormulaKernel(compiled.Kernel):
    """The Kernel of some texts; found again from them in another process."""

    def __init__(self, kind, texts, names):
        self._made_of = kind, texts, names
        super().__init__(_function(kind, texts, names), kind.signature, error_model='numpy')

    def __reduce__(self):
        """Pickle the texts."""
        return FormulaKernel, self._made_of

    @property
    def moves(self):
        """Whether time is in it."""
        kind, texts, names = self._made_of
        jets = [_Reader(kind, names).jet(text) for text in texts]
        return any('t' in jet.first for jet in jets)


@functools.lru_cache(maxsize=64)
def _function(kind, texts, names):
    """Return the plain function of some texts."""
    code = source(kind, texts, names)
    name = 'formula_' + hashlib.sha256(code.encode()).hexdigest()[:16]
    space = {'math': math, '__name__': __name__}
    # Under the name of this file, which is there, as numba's cache wants it.
    exec(compile(code.replace('formula', name, 1), __file__, 'exec'), space)  # noqa: S102
    return space[name]


def source(kind, texts, names):
    """Return the Python code of some texts; ValueError for what is not understood."""
    _check_names(names)
    follows = kind is VELOCITY and len(texts) == 1
    reader = _Reader(kind, names, second=follows or kind is not VELOCITY)
    jets = [reader.jet(text) for text in texts]
    if follows:
        jets = reader.along_normal(jets[0])
    results = ', '.join(_written(jets[row].part(part)) for row, part in kind.results)
    return '\n    '.join((
        f'def formula({", ".join(kind.variables)}, parameters):', *reader.lines,
        f'return ({results})\n',
    ))  # fmt: skip


class Jet(NamedTuple):
    """An expression and its derivatives: each a number, or the name of a variable in the code.

    first: {variable: ∂};  second: {(variable, variable): ∂²}, in alphabetical order; but for zeros
    """

    value: object
    first: dict
    second: dict

    def part(self, variables):
        """Return the derivative by no, one or two variables."""
        if not variables:
            return self.value
        if len(variables) == 1:
            return self.first.get(variables[0], 0.0)
        return self.second.get(variables, 0.0)


class _Reader:
    """Turns texts into Jets, with second derivatives or without.

    lines: of the code that computes them
    """

    def __init__(self, kind, names, second=True):
        self.lines = []
        self._variables = kind.variables
        self._second = second
        self._known = {}
        self._jets = {name: Jet(name, {name: 1.0}, {}) for name in kind.variables}
        self._jets['pi'] = Jet(math.pi, {}, {})
        self._jets |= {
            name: Jet(self._line(f'parameters[{number}]'), {}, {})
            for number, name in enumerate(names)
        }

    def jet(self, text):
        """Return the Jet of a text."""
        return self._of(_parsed(text), 0)

    def along_normal(self, level):
        """Return the Jets of the velocity (3,) along the gradient that keeps a level at zero."""
        parts = {one: self._derivative(level, one) for one in self._variables}
        self._second = False
        square = Jet(0.0, {}, {})
        for one in PLACE:
            square = self._sum(square, self._product(parts[one], parts[one]))
        speed = self._quotient(self._scaled(parts['t'], -1.0), square)
        return [self._product(speed, parts[one]) for one in PLACE]

    def _derivative(self, u, one):
        """Return the derivative of a Jet by one variable as a Jet, without second derivatives."""
        first = {two: u.part(tuple(sorted((one, two)))) for two in self._variables}
        return Jet(u.part((one,)), {two: part for two, part in first.items() if part != 0.0}, {})

    def _of(self, node, depth):
        if depth > DEEPEST:
            raise ValueError(f'has more than {DEEPEST} operations inside each other')
        if isinstance(node, ast.Constant):
            return Jet(_number(node.value), {}, {})
        if isinstance(node, ast.Name):
            return self._named(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
            jet = self._of(node.operand, depth + 1)
            return jet if isinstance(node.op, ast.UAdd) else self._scaled(jet, -1.0)
        if isinstance(node, ast.BinOp):
            for kind, combine in (
                (ast.Add, self._sum), (ast.Sub, self._difference), (ast.Mult, self._product),
                (ast.Div, self._quotient), (ast.Pow, self._power),
            ):  # fmt: skip
                if isinstance(node.op, kind):
                    left = self._of(node.left, depth + 1)
                    return combine(left, self._of(node.right, depth + 1))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self._called(node.func.id, node.args, depth)
        hint = '; a power is x**2' if isinstance(getattr(node, 'op', None), ast.BitXor) else ''
        raise ValueError(
            f'holds {quoted(ast.unparse(node))}, which is no number, variable, named value, '
            f'+ - * / ** or function{hint}'
        )

    def _named(self, name):
        if name not in self._jets:
            raise ValueError(
                f'has {quoted(name)} in it; it may have {", ".join(self._jets)}, and functions '
                f'{", ".join(FUNCTIONS)}'
            )
        return self._jets[name]

    def _called(self, name, arguments, depth):
        if name not in FUNCTIONS:
            why = 'is not smooth' if name in KINKED else 'is not known'
            raise ValueError(f'{quoted(name)} {why}; functions are {", ".join(FUNCTIONS)}')
        if len(arguments) != 1:
            raise ValueError(f'{name} takes one argument, not {len(arguments)}')
        u = self._of(arguments[0], depth + 1)
        if isinstance(u.value, float):
            return Jet(_folded(name, getattr(math, name), u.value), {}, {})
        f = self._line(f'math.{name}({u.value})')
        first, second = FUNCTIONS[name]
        d = self._line(first.format(u=u.value, f=f)) if u.first else 0.0
        bend = 0.0
        if u.first and self._second:
            bend = self._line(second.format(u=u.value, f=f, d=d))
        return self._chained(u, f, d, bend)

    # --- combining ------------------------------------------------------------------------------

    def _sum(self, u, v):
        return self._linear(self._plus, u, v)

    def _difference(self, u, v):
        return self._linear(self._minus, u, v)

    def _linear(self, combine, u, v):
        return Jet(
            combine(u.value, v.value),
            _merged(combine, u.first, v.first),
            _merged(combine, u.second, v.second),
        )

    def _scaled(self, u, factor):
        return Jet(
            self._times(factor, u.value),
            {key: self._times(factor, part) for key, part in u.first.items()},
            {key: self._times(factor, part) for key, part in u.second.items()},
        )

    def _product(self, u, v):
        if not u.first:
            return self._scaled(v, u.value)
        if not v.first:
            return self._scaled(u, v.value)
        first = {
            one: self._plus(self._times(u.part(one), v.value), self._times(u.value, v.part(one)))
            for one in _all(u, v)
        }
        return Jet(
            self._times(u.value, v.value),
            first,
            self._seconds(
                _all(u, v),
                lambda i, j: (
                    self._times(u.part((i, j)), v.value),
                    self._times(u.part(i), v.part(j)),
                    self._times(u.part(j), v.part(i)),
                    self._times(u.value, v.part((i, j))),
                ),
            ),
        )

    def _quotient(self, u, v):
        w = self._over(u.value, v.value)
        if not v.first:
            return Jet(
                w,
                {key: self._over(part, v.value) for key, part in u.first.items()},
                {key: self._over(part, v.value) for key, part in u.second.items()},
            )
        first = {}
        for one in _all(u, v):
            rest = self._minus(u.part(one), self._times(w, v.part(one)))
            first[one] = self._over(rest, v.value)
        found = Jet(w, first, {})
        second = self._seconds(
            _all(u, v),
            lambda i, j: (
                u.part((i, j)),
                self._times(-1.0, self._times(found.part(i), v.part(j))),
                self._times(-1.0, self._times(found.part(j), v.part(i))),
                self._times(-1.0, self._times(w, v.part((i, j)))),
            ),
        )
        return found._replace(
            second={key: self._over(part, v.value) for key, part in second.items()}
        )

    def _power(self, u, v):
        if v.first:
            raise ValueError(
                'has a variable in an exponent; write exp(b*log(a)) for a**b where a is positive'
            )
        n = v.value
        if isinstance(n, float) and not abs(n) <= LARGEST_EXPONENT:
            raise ValueError(
                f'has the exponent {n:g}; give one from -{LARGEST_EXPONENT} to {LARGEST_EXPONENT}'
            )
        if isinstance(n, float) and isinstance(u.value, float):
            return Jet(_folded('power', math.pow, u.value, n), {}, {})
        if n in (0.0, 1.0):
            return u if n else Jet(1.0, {}, {})
        f, d, bend = self._raised(u.value, n), 0.0, 0.0
        if u.first:
            less = self._minus(n, 1.0)
            d = self._times(n, self._raised(u.value, less))
            if self._second:
                twice = self._raised(u.value, self._minus(n, 2.0))
                bend = self._times(self._times(n, less), twice)
        return self._chained(u, f, d, bend)

    def _raised(self, u, n):
        """Return u**n: products for a whole n."""
        if not isinstance(n, float):
            return self._line(f'math.pow({u}, {n})')
        if n < 0.0:
            return self._over(1.0, self._raised(u, -n))
        if n == 0.5:
            return self._line(f'math.sqrt({u})')
        if n != int(n):
            return self._line(f'math.pow({u}, {n!r})')
        found, square, left = 1.0, u, int(n)
        while left:
            if left % 2:
                found = self._times(found, square)
            left //= 2
            if left:
                square = self._times(square, square)
        return found

    def _chained(self, u, f, d, bend):
        """Return the Jet of a function of u, of its value f and its two derivatives."""
        return Jet(
            f,
            {one: self._times(d, part) for one, part in u.first.items()},
            self._seconds(
                u.first,
                lambda i, j: (
                    self._times(bend, self._times(u.part(i), u.part(j))),
                    self._times(d, u.part((i, j))),
                ),
            ),
        )

    def _seconds(self, variables, terms):
        """Return the second derivatives by pairs of variables; terms: of one, to be added."""
        if not self._second:
            return {}
        found = {}
        for pair in combinations_with_replacement(sorted(variables), 2):
            total = 0.0
            for term in terms(*pair):
                total = self._plus(total, term)
            if total != 0.0:
                found[pair] = total
        return found

    # --- the code -------------------------------------------------------------------------------

    def _plus(self, a, b):
        if a == 0.0:
            return b
        if b == 0.0:
            return a
        return self._either(a, '+', b)

    def _minus(self, a, b):
        if b == 0.0:
            return a
        if a == 0.0:
            return self._times(-1.0, b)
        return self._either(a, '-', b)

    def _times(self, a, b):
        if a == 0.0 or b == 0.0:
            return 0.0
        if a == 1.0:
            return b
        if b == 1.0:
            return a
        return self._either(a, '*', b)

    def _over(self, a, b):
        if b == 0.0:
            raise ValueError('divides by zero')
        if a == 0.0 or b == 1.0:
            return a
        return self._either(a, '/', b)

    def _either(self, a, sign, b):
        """Return the number that two numbers make, or the variable that is to hold it."""
        if isinstance(a, float) and isinstance(b, float):
            return _finite({'+': a + b, '-': a - b, '*': a * b, '/': a / b}[sign])
        return self._line(f'{_written(a)} {sign} {_written(b)}')

    def _line(self, code):
        """Return the variable that holds what the code computes, the same for the same code."""
        if code not in self._known:
            if len(self.lines) == MOST_LINES:
                raise ValueError('is too complicated: its derivatives are too long')
            self._known[code] = f'v{len(self.lines)}'
            self.lines.append(f'v{len(self.lines)} = {code}')
        return self._known[code]


def _parsed(text):
    """Return the syntax tree of a text."""
    if len(text) > LONGEST:
        raise ValueError(f'has {len(text)} characters; it may have {LONGEST}')
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            return ast.parse(text.strip(), mode='eval').body
    except SyntaxError as error:
        raise ValueError(f'cannot be read: {error.msg}') from None
    except (ValueError, RecursionError, MemoryError):
        raise ValueError('cannot be read') from None


def _number(value):
    """Return a number of a text as a float."""
    if type(value) not in (int, float):
        raise ValueError(f'holds {quoted(repr(value))}, which is no real number')
    try:
        return _finite(float(value))
    except OverflowError:
        raise ValueError('holds a number that is too large') from None


def _finite(value):
    if not math.isfinite(value):
        raise ValueError('holds numbers whose result is not finite')
    return value


def _folded(name, function, *numbers):
    """Return a function of numbers."""
    try:
        return _finite(function(*numbers))
    except (ValueError, OverflowError):
        listed = ', '.join(f'{number:g}' for number in numbers)
        raise ValueError(f'holds the {name} of {listed}, which is no finite number') from None


def _merged(combine, one, other):
    keys = {**one, **other}
    found = {key: combine(one.get(key, 0.0), other.get(key, 0.0)) for key in keys}
    return {key: part for key, part in found.items() if part != 0.0}


def _all(u, v):
    return {**u.first, **v.first}


def _written(part):
    return repr(part) if isinstance(part, float) else part


def _check_names(names):
    for name in names:
        if not name.isidentifier() or keyword.iskeyword(name) or len(name) > LONGEST_NAME:
            raise ValueError(f'names its values {quoted(name)}, which is no name')
        if name in RESERVED:
            raise ValueError(f'names a value {quoted(name)}, which means something else here')
    if len(set(names)) < len(names):
        raise ValueError('names two values alike')
