# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Tell the compiler which way a branch seldom goes, or to choose a number without a branch."""

from __future__ import annotations

import functools
from typing import Any


def rarely(condition: bool) -> bool:
    """Return a condition; compiled code expects that it is false, and keeps registers for that.

    A call in a branch, as of exp, costs all registers, wherever the compiler thinks that it
    matters.
    """
    return condition


def selected(condition: bool, number: float, other: float) -> float:
    """Return a number where a condition is true, else the other; compiled, without a branch.

    With a branch, a loop over lanes that leaves some numbers as they were writes the others alone,
    by masked stores, which cost many processors a dozen cycles each.
    https://www.agner.org/optimize/instruction_tables.pdf, VMASKMOVPD
    """
    return number if condition else other


@functools.cache
def teach() -> None:
    """Register these functions with numba."""
    from llvmlite import ir
    from numba.core import types
    from numba.core.imputils import lower_builtin
    from numba.extending import type_callable

    def expect(inner: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        flag = ir.IntType(1)
        function = builder.module.declare_intrinsic(
            'llvm.expect', [flag], ir.FunctionType(flag, [flag, flag])
        )
        return builder.call(function, [arguments[0], flag(0)])

    def select(inner: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        condition, number, other = arguments
        # An instruction that llvmlite lacks. Without it LLVM sees that the other number stands
        # where the result goes, and makes a masked store.
        kept = ir.instructions.Instruction(builder.block, other.type, 'freeze', [other])
        builder._insert(kept)
        return builder.select(condition, number, kept)

    type_callable(rarely)(lambda context: lambda condition: types.boolean)
    lower_builtin(rarely, types.boolean)(expect)
    type_callable(selected)(lambda context: lambda condition, number, other: types.float64)
    lower_builtin(selected, types.boolean, types.float64, types.float64)(select)
