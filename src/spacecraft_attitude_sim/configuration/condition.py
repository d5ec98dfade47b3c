# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A condition on quantities of a run or a mission, as `error < 0.1 and rate < 0.01 for 10 s`.

It is parsed by Python's grammar, of which only a few node types are accepted; nothing is executed.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple, TypeGuard

from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.configuration.suggestion import nearest
from spacecraft_attitude_sim.safety.quoting import quoted

COMPARED: dict[type, Callable[[float, float], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
COMPUTED: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: lambda one, other: one / other if other else math.nan,
}  # fmt: skip
JOINED: dict[type, Callable[[list[bool]], bool]] = {ast.And: all, ast.Or: any}
FOR = r'(.*\S)\s+for\s+([0-9.eE+-]+)\s*s\s*'
LONGEST = 300
# {vector of a Run or a plot: the quantity that is its size}
SIZES = {
    'angular_velocity': 'rate', 'omega': 'rate', 'angular_momentum': 'momentum', 'L': 'momentum',
}  # fmt: skip
GRAMMAR = (
    "write comparisons (<, <=, >, >=) of numbers and names, joined by 'and' and 'or', with + - * "
    "/ and abs(), and at the end 'for 10 s' if it is to hold so long, as: error < 0.1 and rate < "
    '0.01 for 10 s'
)


class ConditionError(ParameterError):
    """A condition is invalid; the message names the part and the remedy."""


class Condition(NamedTuple):
    """A parsed condition.

    text: as given;  names: of its quantities, in order;  seconds: how long it must hold [s]
    holds: function of {name: value} that returns whether it holds; comparisons with NaN are false
    """

    text: str
    names: tuple[str, ...]
    seconds: float
    holds: Callable[[Mapping[str, float]], bool]


def parse(text: str, valid: Collection[str]) -> Condition:
    """Parse a Condition; valid: names that it may use.

    Raises ConditionError.
    """
    whole, seconds = timed(text)
    try:
        tree = ast.parse(whole, mode='eval').body
        reading = _Reading(text, valid)
        holds = reading.truth(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, ConditionError):
            raise
        raise ConditionError(f'{quoted(text)} cannot be read; {GRAMMAR}') from None
    if not reading.names:
        raise ConditionError(f'{quoted(text)} names no quantity of the run; {GRAMMAR}')
    return Condition(' '.join(text.split()), tuple(reading.names), seconds, holds)


def timed(text: str) -> tuple[str, float]:
    """Return a condition without its 'for 10 s', and these seconds, 0 where there are none.

    Raises ConditionError.
    """
    whole = ' '.join(text.split())
    if len(whole) > LONGEST:
        raise ConditionError(f'condition of {len(whole)} characters; {LONGEST} at most')
    match = re.fullmatch(FOR, whole)
    if not match:
        return whole, 0.0
    try:
        seconds = float(match[2])
    except ValueError:
        seconds = math.nan
    if not 0.0 <= seconds < math.inf:
        raise ConditionError(f'{quoted(text)}: for {match[2]} s is no time; give seconds')
    return match[1], seconds


class _Reading:
    """Converts syntax nodes to functions of {name: value}; names: those that occurred."""

    def __init__(self, text: str, valid: Collection[str]) -> None:
        self._text, self._valid = text, valid
        self.names: dict[str, None] = {}

    def truth(self, node: ast.expr) -> Callable[[Mapping[str, float]], bool]:
        """Return a function that evaluates a logical node."""
        if isinstance(node, ast.BoolOp):
            join, parts = JOINED[type(node.op)], [self.truth(one) for one in node.values]
            return lambda values: join([part(values) for part in parts])
        if not isinstance(node, ast.Compare) or not all(type(one) in COMPARED for one in node.ops):
            raise self._refused(node)
        amounts = [self.amount(one) for one in (node.left, *node.comparators)]
        compared = [COMPARED[type(one)] for one in node.ops]
        if len(compared) == 1:  # nearly always, and asked in every tick
            (compare,), (left, right) = compared, amounts
            return lambda values: compare(left(values), right(values))

        def holds(values: Mapping[str, float]) -> bool:
            found = [amount(values) for amount in amounts]
            pairs = zip(compared, found, found[1:], strict=False)
            return all(compare(one, other) for compare, one, other in pairs)

        return holds

    def amount(self, node: ast.expr) -> Callable[[Mapping[str, float]], float]:
        """Return a function that evaluates a numeric node."""
        if isinstance(node, ast.Constant) and _is_number(node.value):
            number = float(node.value)
            return lambda values: number
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            sign, amount = (
                -1.0 if isinstance(node.op, ast.USub) else 1.0,
                self.amount(node.operand),
            )
            return lambda values: sign * amount(values)
        if isinstance(node, ast.BinOp) and type(node.op) in COMPUTED:
            compute = COMPUTED[type(node.op)]
            left, right = self.amount(node.left), self.amount(node.right)
            return lambda values: compute(left(values), right(values))
        if isinstance(node, ast.Call) and _is_abs(node):
            inner = self.amount(node.args[0])
            return lambda values: abs(inner(values))
        name = _name_of(node)
        if not name:
            raise self._refused(node)
        if name not in self._valid:
            meant: str | None = SIZES.get(name)
            meant = meant if meant in self._valid else nearest(name, self._valid)
            listed = f"did you mean '{meant}'? There are" if meant else 'there are'
            raise ConditionError(
                f"{quoted(self._text)}: no quantity '{name}'; {listed} {', '.join(self._valid)}"
            )
        self.names[name] = None
        return operator.itemgetter(name)

    def _refused(self, node: ast.expr) -> ConditionError:
        part = ast.get_source_segment(' '.join(self._text.split()), node) or self._text
        return ConditionError(f'{quoted(self._text)}: {quoted(part)} is not taken; {GRAMMAR}')


def _is_number(value: object) -> TypeGuard[float]:
    return type(value) in (int, float)


def _is_abs(node: ast.Call) -> bool:
    named = isinstance(node.func, ast.Name) and node.func.id == 'abs'
    return named and len(node.args) == 1 and not node.keywords


def _name_of(node: ast.expr) -> str:
    """Return a dotted name such as wheel.w1.speed; '' if the node is not one."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return '.'.join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ''
