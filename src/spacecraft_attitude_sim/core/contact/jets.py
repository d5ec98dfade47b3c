# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Expressions with their derivatives, written as lines of Python: second-order jets.

Each operation computes the first and second derivatives of its result, too, by sum, product and
chain rule. A derivative that is zero makes no line, and a common subexpression is one line. Values
are computed in the order in which they are combined, whole powers as products, so that Python and
compiled code round alike.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from itertools import combinations_with_replacement
from typing import NamedTuple

# A number, or the name of a variable in the code that holds one.
Number = float | str
Variables = tuple[str, ...]
# Largest length of the code [lines], which takes three seconds to compile. Largest power.
MOST_LINES = 1500
LARGEST_EXPONENT = 64
OPERATORS = {'+': operator.add, '-': operator.sub, '*': operator.mul, '/': operator.truediv}
# Derivatives of a function of u with the value f: the first, d, and the second.
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


class Jet(NamedTuple):
    """An expression and its derivatives: each a number, or the name of a variable in the code.

    first: {variable: ∂};  second: {(variable, variable): ∂²}, in alphabetical order; zeros left
        out
    """

    value: Number
    first: dict[str, Number]
    second: dict[Variables, Number]

    def part(self, variables: Variables) -> Number:
        """Return the derivative by zero, one or two variables."""
        if not variables:
            return self.value
        if len(variables) == 1:
            return self.first.get(variables[0], 0.0)
        return self.second.get(variables, 0.0)

    def along(self, one: str) -> Number:
        """Return the derivative by one variable."""
        return self.first.get(one, 0.0)


class Algebra:
    """Combines Jets; lines: of the code that computes them.

    second: whether it computes second derivatives
    """

    def __init__(self, second: bool = True) -> None:
        self.lines: list[str] = []
        self.second = second
        self._known: dict[str, str] = {}

    def number(self, value: float) -> Jet:
        """Return the Jet of a number; ValueError where it is not finite."""
        return Jet(_finite(value), {}, {})

    def variable(self, name: str) -> Jet:
        """Return the Jet of a variable of the code."""
        return Jet(name, {name: 1.0}, {})

    def constant(self, code: str) -> Jet:
        """Return the Jet of a piece of code that does not depend on the variables."""
        return Jet(self._line(code), {}, {})

    def sum(self, u: Jet, v: Jet) -> Jet:
        """Return u + v."""
        return _linear(self._plus, u, v)

    def difference(self, u: Jet, v: Jet) -> Jet:
        """Return u - v."""
        return _linear(self._minus, u, v)

    def negative(self, u: Jet) -> Jet:
        """Return -u."""
        return self._scaled(u, -1.0)

    def product(self, u: Jet, v: Jet) -> Jet:
        """Return u v."""
        if not u.first:
            return self._scaled(v, u.value)
        if not v.first:
            return self._scaled(u, v.value)
        first = {
            one: self._plus(self._times(u.along(one), v.value), self._times(u.value, v.along(one)))
            for one in _all(u, v)
        }
        second = self._seconds(
            _all(u, v),
            lambda i, j: (
                self._times(u.part((i, j)), v.value),
                self._times(u.along(i), v.along(j)),
                self._times(u.along(j), v.along(i)),
                self._times(u.value, v.part((i, j))),
            ),
        )
        return Jet(self._times(u.value, v.value), first, second)

    def quotient(self, u: Jet, v: Jet) -> Jet:
        """Return u / v = w, whose derivatives are those of u = w v."""
        w = self._over(u.value, v.value)
        if not v.first:
            return Jet(
                w,
                {key: self._over(part, v.value) for key, part in u.first.items()},
                {key: self._over(part, v.value) for key, part in u.second.items()},
            )
        first: dict[str, Number] = {}
        for one in _all(u, v):
            rest = self._minus(u.along(one), self._times(w, v.along(one)))
            first[one] = self._over(rest, v.value)
        second = self._seconds(
            _all(u, v),
            lambda i, j: (
                u.part((i, j)),
                self._minus(0.0, self._times(first[i], v.along(j))),
                self._minus(0.0, self._times(first[j], v.along(i))),
                self._minus(0.0, self._times(w, v.part((i, j)))),
            ),
        )
        return Jet(w, first, {key: self._over(part, v.value) for key, part in second.items()})

    def power(self, u: Jet, v: Jet) -> Jet:
        """Return u ** v; ValueError where v depends on a variable, or is a large number."""
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
            return self.number(_folded('power', math.pow, u.value, n))
        if n in (0.0, 1.0):
            return u if n else self.number(1.0)
        f = self._raised(u.value, n)
        d: Number = 0.0
        bend: Number = 0.0
        if u.first:
            less = self._minus(n, 1.0)
            d = self._weighted_power(n, u.value, less)
            if self.second:
                weight = self._times(n, less)
                bend = self._weighted_power(weight, u.value, self._minus(n, 2.0))
        return self._chained(u, f, d, bend)

    def called(self, name: str, u: Jet) -> Jet:
        """Return one of FUNCTIONS of u."""
        if isinstance(u.value, float):
            return self.number(_folded(name, getattr(math, name), u.value))
        f = self._line(f'math.{name}({u.value})')
        d: Number = 0.0
        bend: Number = 0.0
        first, second = FUNCTIONS[name]
        if u.first:
            d = self._line(first.format(u=u.value, f=f))
            if self.second:
                bend = self._line(second.format(u=u.value, f=f, d=d))
        return self._chained(u, f, d, bend)

    def derivative(self, u: Jet, one: str, variables: Variables) -> Jet:
        """Return ∂u/∂one as a Jet without second derivatives."""
        first = {two: u.part(tuple(sorted((one, two)))) for two in variables}
        return Jet(u.along(one), {two: part for two, part in first.items() if part != 0.0}, {})

    # --- how derivatives combine ----------------------------------------------------------------

    def _scaled(self, u: Jet, factor: Number) -> Jet:
        return Jet(
            self._times(factor, u.value),
            {key: self._times(factor, part) for key, part in u.first.items()},
            {key: self._times(factor, part) for key, part in u.second.items()},
        )

    def _chained(self, u: Jet, f: Number, d: Number, bend: Number) -> Jet:
        """Return the Jet of a function of u from its value f and its two derivatives."""
        return Jet(
            f,
            {one: self._times(d, part) for one, part in u.first.items()},
            self._seconds(
                u.first,
                lambda i, j: (
                    self._times(bend, self._times(u.along(i), u.along(j))),
                    self._times(d, u.part((i, j))),
                ),
            ),
        )

    def _seconds(
        self, variables: Iterable[str], terms: Callable[[str, str], tuple[Number, ...]]
    ) -> dict[Variables, Number]:
        """Return the second derivatives by pairs of variables; terms: of a pair, to be added."""
        if not self.second:
            return {}
        found: dict[Variables, Number] = {}
        for pair in combinations_with_replacement(sorted(variables), 2):
            total: Number = 0.0
            for term in terms(*pair):
                total = self._plus(total, term)
            if total != 0.0:
                found[pair] = total
        return found

    def _weighted_power(self, weight: Number, u: Number, n: Number) -> Number:
        """Return weight u**n, and 0 where weight is 0: at u = 0 that avoids 0 times infinity."""
        if isinstance(weight, float):
            return self._times(weight, self._raised(u, n))
        power = f'math.pow({u}, {_written(n)})'
        return self._line(f'{weight} * {power} if {weight} != 0.0 else 0.0')

    def _raised(self, u: Number, n: Number) -> Number:
        """Return u**n: products for a whole n."""
        if not isinstance(n, float):
            return self._line(f'math.pow({_written(u)}, {n})')
        if n < 0.0:
            return self._over(1.0, self._raised(u, -n))
        if n == 0.5:
            return self._line(f'math.sqrt({u})')
        if n != int(n):
            return self._line(f'math.pow({u}, {n!r})')
        found: Number = 1.0
        square, left = u, int(n)
        while left:
            if left % 2:
                found = self._times(found, square)
            left //= 2
            if left:
                square = self._times(square, square)
        return found

    # --- the code -------------------------------------------------------------------------------

    def _plus(self, a: Number, b: Number) -> Number:
        if a == 0.0:
            return b
        return a if b == 0.0 else self._either(a, '+', b)

    def _minus(self, a: Number, b: Number) -> Number:
        if b == 0.0:
            return a
        return self._times(-1.0, b) if a == 0.0 else self._either(a, '-', b)

    def _times(self, a: Number, b: Number) -> Number:
        if a == 0.0 or b == 0.0:
            return 0.0
        if a == 1.0:
            return b
        return a if b == 1.0 else self._either(a, '*', b)

    def _over(self, a: Number, b: Number) -> Number:
        if b == 0.0:
            raise ValueError('divides by zero')
        return a if a == 0.0 or b == 1.0 else self._either(a, '/', b)

    def _either(self, a: Number, sign: str, b: Number) -> Number:
        """Return the result of two numbers, or the variable that holds it."""
        if isinstance(a, float) and isinstance(b, float):
            return _finite(OPERATORS[sign](a, b))
        return self._line(f'{_written(a)} {sign} {_written(b)}')

    def _line(self, code: str) -> str:
        """Return the variable that holds the result of some code, the same for the same code."""
        if code not in self._known:
            if len(self.lines) == MOST_LINES:
                raise ValueError('is too complicated: its derivatives are too long')
            self._known[code] = f'v{len(self.lines)}'
            self.lines.append(f'{self._known[code]} = {code}')
        return self._known[code]


def written(jet: Jet, variables: Variables) -> str:
    """Return the code of a derivative of a Jet, as Jet.part."""
    return _written(jet.part(variables))


def _written(part: Number) -> str:
    return repr(part) if isinstance(part, float) else part


def _linear(combine: Callable[[Number, Number], Number], u: Jet, v: Jet) -> Jet:
    return Jet(
        combine(u.value, v.value),
        _merged(combine, u.first, v.first),
        _merged(combine, u.second, v.second),
    )


def _merged(combine: Callable[[Number, Number], Number], one: dict, other: dict) -> dict:
    keys = {**one, **other}
    found = {key: combine(one.get(key, 0.0), other.get(key, 0.0)) for key in keys}
    return {key: part for key, part in found.items() if part != 0.0}


def _all(u: Jet, v: Jet) -> dict[str, Number]:
    return {**u.first, **v.first}


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError('holds numbers whose result is not finite')
    return value


def _folded(name: str, function: Callable[..., float], *numbers: float) -> float:
    """Return a function of numbers."""
    try:
        return _finite(function(*numbers))
    except (ValueError, OverflowError):
        listed = ', '.join(f'{number:g}' for number in numbers)
        raise ValueError(f'holds the {name} of {listed}, which is no finite number') from None
