# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Surfaces and floors as text, as 'z + x**2*exp(-2*x**2) - 0.1*y**2': parsed and differentiated.

The text is parsed, never run. Only numbers, variables, named values, + - * / ** and the functions
of core.contact.jets are allowed; that module gives the derivatives, too. SymPy is not used:
another version of it may sum in another order, and a recorded run would not repeat to the bit.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import keyword
import math
import unicodedata
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from spacecraft_attitude_sim.core.contact import jets
from spacecraft_attitude_sim.core.contact.floor_functions import FLOOR
from spacecraft_attitude_sim.core.contact.surface_functions import IMPLICIT
from spacecraft_attitude_sim.core.mathematics.types import Floats
from spacecraft_attitude_sim.kernels import kernel
from spacecraft_attitude_sim.safety.quoting import quoted

Texts = tuple[str, ...]
# Largest length of a text [characters], and largest depth of its nested operations.
LONGEST, DEEPEST = 2000, 200
LONGEST_NAME = 32
KINKED = ('abs', 'min', 'max', 'sign', 'floor', 'ceil')
PLACE = ('x', 'y', 'z')
EVENT = ('t', *PLACE)
RESERVED = (*EVENT, 'pi', 'parameters', 'math', *jets.FUNCTIONS)
OPERATIONS = {
    ast.Add: jets.Algebra.sum, ast.Sub: jets.Algebra.difference, ast.Mult: jets.Algebra.product,
    ast.Div: jets.Algebra.quotient, ast.Pow: jets.Algebra.power,
}  # fmt: skip


class Kind(NamedTuple):
    """A kind of function to make from texts.

    signature: of the compiled function;  variables: its variables
    results: the derivatives it returns, as (number of the text, variables in alphabetical order)
    second: whether it needs second derivatives
    follows: whether the text is a level, and the result is the velocity along its gradient
    """

    signature: str
    variables: Texts
    results: tuple
    second: bool = True
    follows: bool = False


def _of_one(*names: str) -> tuple:
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
    second=False,
)  # fmt: skip
ALONG_NORMAL = VELOCITY._replace(second=True, follows=True)
SURFACE = Kind(
    IMPLICIT, PLACE, _of_one('', 'x', 'y', 'z', 'xx', 'yy', 'zz', 'xy', 'xz', 'yz')
)  # fmt: skip


def level(text: str, names: Sequence[str] = ()) -> FormulaKernel:
    """Return the Kernel of a floor G(t, x, y, z) of core.contact.floor_functions.

    text: G, in t [s], x, y, z [m] and `names`;  names: of its parameters, in order
    Raises ValueError naming the part of the text that is not valid.
    """
    return _kernel(LEVEL, (text,), _normal(names))


def velocity(texts: Sequence[str], names: Sequence[str] = ()) -> FormulaKernel:
    """Return the Kernel of the velocity of a floor's material; texts: (3,) of its components."""
    return _kernel(VELOCITY, tuple(texts), _normal(names))


def velocity_along_normal(text: str, names: Sequence[str] = ()) -> FormulaKernel:
    """Return the Kernel of material that follows a moving G along its normal: -Gt ∇G / |∇G|²."""
    return _kernel(ALONG_NORMAL, (text,), _normal(names))


def surface(text: str, names: Sequence[str] = ()) -> FormulaKernel:
    """Return the Kernel of a surface H(x, y, z) of core.contact.surface_functions."""
    return _kernel(SURFACE, (text,), _normal(names))


def _normal(names: Sequence[str]) -> Texts:
    """Return names as Python's parser normalises them: the µ of a keyboard becomes the Greek μ."""
    return tuple(unicodedata.normalize('NFKC', name) for name in names)


class FormulaKernel(kernel.Kernel):
    """The Kernel of some texts; another process makes the same one from the texts."""

    def __init__(self, kind: Kind, texts: Texts, names: Texts) -> None:
        self._made_of = kind, texts, names
        super().__init__(_function(kind, texts, names), kind.signature, error_model='numpy')

    def __reduce__(self) -> tuple:
        """Pickle the texts."""
        return _kernel, self._made_of

    def in_python(self, *arguments: Any) -> Floats:
        """Return its result as an array, without compiling it; NaN where it is undefined."""
        try:
            return self.function(*arguments)
        except (ValueError, ArithmeticError):
            return (math.nan,) * len(self._made_of[0].results)


@functools.lru_cache(maxsize=64)
def _kernel(kind: Kind, texts: Texts, names: Texts) -> FormulaKernel:
    """Return the FormulaKernel of some texts; the same texts give the same object."""
    return FormulaKernel(kind, texts, names)


def _function(kind: Kind, texts: Texts, names: Texts) -> Callable[..., Floats]:
    """Return the plain function of some texts."""
    code = source(kind, texts, names)
    name = 'formula_' + hashlib.sha256(code.encode()).hexdigest()[:16]
    space: dict[str, Any] = {'math': math, '__name__': __name__}
    # numba's cache needs the name of an existing file: this one.
    exec(compile(code.replace('formula', name, 1), __file__, 'exec'), space)  # noqa: S102
    return space[name]


def source(kind: Kind, texts: Texts, names: Texts) -> str:
    """Return the Python code of some texts; raises ValueError for an invalid text."""
    _check_names(names)
    algebra = jets.Algebra(kind.second)
    reader = _Reader(algebra, kind.variables, names)
    found = [reader.jet(text) for text in texts]
    if kind.follows:
        found = _along_normal(algebra, found[0])
    results = ', '.join(jets.written(found[row], part) for row, part in kind.results)
    return '\n    '.join((
        f'def formula({", ".join(kind.variables)}, parameters):', *algebra.lines,
        f'return ({results})\n',
    ))  # fmt: skip


def _along_normal(algebra: jets.Algebra, level: jets.Jet) -> list[jets.Jet]:
    """Return the Jets of the velocity (3,) along the gradient that keeps a level at zero."""
    parts = {one: algebra.derivative(level, one, EVENT) for one in EVENT}
    algebra.second = False
    square = algebra.number(0.0)
    for one in PLACE:
        square = algebra.sum(square, algebra.product(parts[one], parts[one]))
    if square.value == 0.0:
        raise ValueError('does not depend on x, y, z: it is no floor')
    speed = algebra.quotient(algebra.negative(parts['t']), square)
    return [algebra.product(speed, parts[one]) for one in PLACE]


class _Reader:
    """Turns texts into Jets of an Algebra."""

    def __init__(self, algebra: jets.Algebra, variables: Texts, names: Texts) -> None:
        self._algebra = algebra
        self._named = {name: algebra.variable(name) for name in variables}
        self._named['pi'] = algebra.number(math.pi)
        for number, name in enumerate(names):
            self._named[name] = algebra.constant(f'parameters[{number}]')

    def jet(self, text: str) -> jets.Jet:
        """Return the Jet of a text."""
        text = text.strip()
        return self._of(_parsed(text), text, 0)

    def _of(self, node: Any, text: str, depth: int) -> jets.Jet:
        if depth > DEEPEST:
            raise ValueError(f'has more than {DEEPEST} operations inside each other')

        def inner(below: Any) -> jets.Jet:
            return self._of(below, text, depth + 1)

        kind = type(getattr(node, 'op', None))
        if isinstance(node, ast.Constant):
            return self._algebra.number(_number(node.value))
        if isinstance(node, ast.Name):
            return self._of_name(node.id)
        if kind is ast.UAdd:
            return inner(node.operand)
        if kind is ast.USub:
            return self._algebra.negative(inner(node.operand))
        if kind in OPERATIONS:
            return OPERATIONS[kind](self._algebra, inner(node.left), inner(node.right))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            _check_function(node.func.id, node.args)
            return self._algebra.called(node.func.id, inner(node.args[0]))
        hint = '; a power is x**2' if kind is ast.BitXor else ''
        held = quoted(ast.get_source_segment(text, node) or type(node).__name__)
        raise ValueError(
            f'holds {held}, which is no number, variable, named value, + - * / ** or '
            f'function{hint}'
        )

    def _of_name(self, name: str) -> jets.Jet:
        if name not in self._named:
            raise ValueError(
                f'has {quoted(name)} in it; it may have {", ".join(self._named)}, and functions '
                f'{", ".join(jets.FUNCTIONS)}'
            )
        return self._named[name]


def _parsed(text: str) -> ast.expr:
    """Return the syntax tree of a text."""
    if len(text) > LONGEST:
        raise ValueError(f'has {len(text)} characters; it may have {LONGEST}')
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            return ast.parse(text, mode='eval').body
    except SyntaxError as error:
        raise ValueError(f'cannot be read: {error.msg}') from None
    except (ValueError, RecursionError, MemoryError):
        raise ValueError('cannot be read') from None


def _number(value: Any) -> float:
    """Return a number of a text as a float."""
    if type(value) not in (int, float):
        raise ValueError(f'holds {quoted(repr(value))}, which is no real number')
    try:
        return float(value)
    except OverflowError:
        raise ValueError('holds a number that is too large') from None


def _check_function(name: str, arguments: list[ast.expr]) -> None:
    if name not in jets.FUNCTIONS:
        why = 'is not smooth' if name in KINKED else 'is not known'
        raise ValueError(f'{quoted(name)} {why}; functions are {", ".join(jets.FUNCTIONS)}')
    if len(arguments) != 1:
        raise ValueError(f'{name} takes one argument, not {len(arguments)}')


def _check_names(names: Texts) -> None:
    for name in names:
        if not name.isidentifier() or keyword.iskeyword(name) or len(name) > LONGEST_NAME:
            raise ValueError(f'names its values {quoted(name)}, which is no name')
        if name in RESERVED:
            raise ValueError(f'names a value {quoted(name)}, which means something else here')
    if len(set(names)) < len(names):
        raise ValueError('names two values alike')
