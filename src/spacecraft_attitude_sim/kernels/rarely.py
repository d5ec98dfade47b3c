# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Tell the compiler which way a branch seldom goes, so that it keeps registers for the other.

A call in a branch, as of exp, costs all registers, wherever the compiler thinks that it matters.
"""

from __future__ import annotations

import functools
from typing import Any


def rarely(condition: bool) -> bool:
    """Return a condition; compiled code expects that it is false."""
    return condition


@functools.cache
def teach() -> None:
    """Register it with numba."""
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

    type_callable(rarely)(lambda context: lambda condition: types.boolean)
    lower_builtin(rarely, types.boolean)(expect)
