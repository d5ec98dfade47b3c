# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Leave out what numba's compiler does and kernels do not need: a third of its time.

Kernels compute with floats, and call other kernels. So

- they need no rewriting of array expressions;
- the type of a call with numbers alone, as of x + y, is found once and not at each place;
- flags are compared as they are, and not as lists of all flags with their defaults;
- no garbage is collected: nearly all objects stay, and Python would look at them again and again;
- nobody hears the events of the lock around LLVM, one for each of ten thousands of calls.

Machine code and bits are the same, and outside of `unneeded_left_out` numba is as it was.
"""

from __future__ import annotations

import contextlib
import gc
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# {(type of the function, types of the arguments): signature}; numba holds such types for ever.
_known: dict[tuple[Any, tuple], Any] = {}
# Whether `unneeded_left_out` lasts.
_lasts = False


def without_unneeded(passes: list[tuple[Any, str]]) -> list[tuple[Any, str]]:
    """Return numba's passes, (kind, text) each, without those that kernels do not need."""
    from numba.core.typed_passes import NopythonRewrites

    return [one for one in passes if one[0] is not NopythonRewrites]


@contextlib.contextmanager
def unneeded_left_out() -> Iterator[None]:
    """While it lasts, numba leaves out what the top of this file says.

    Call it with numba's lock of the compiler, so that no other thread compiles meanwhile.
    """
    global _lasts
    if _lasts:  # in a compilation that another one needs
        yield
        return
    import llvmlite.binding

    # Calls of the lock's listeners; a private list, left alone where it is none any more.
    listeners: list = getattr(llvmlite.binding.ffi.lib._lock, '_cblist', [])
    heard, listeners[:] = listeners[:], []
    collecting = gc.isenabled()
    gc.disable()
    _lasts = True
    try:
        with _replaced(*_types_known()), _replaced(*_flags_compared()):
            yield
    finally:
        _lasts = False
        listeners[:] = heard
        if collecting:
            gc.enable()


@contextlib.contextmanager
def _replaced(kind: Any, name: str, method: Callable) -> Iterator[None]:
    """Context in which a class has another method."""
    before = getattr(kind, name)
    setattr(kind, name, method)
    try:
        yield
    finally:
        setattr(kind, name, before)


def _types_known() -> tuple[Any, str, Callable]:
    """Return a method, as `_replaced` takes it, that remembers types of calls with numbers."""
    from numba.core import types
    from numba.core.types import functions

    Function: Any = functions.BaseFunction
    asked = Function.get_call_type
    numbers = (types.Float, types.Integer, types.IntegerLiteral, types.Boolean)

    def known(self: Any, context: Any, arguments: tuple, named: dict) -> Any:
        if named or not all(type(one) in numbers for one in arguments):
            return asked(self, context, arguments, named)
        key = (self, arguments)
        if key not in _known:
            _known[key] = asked(self, context, arguments, named)
        return _known[key]

    return Function, 'get_call_type', known


def _flags_compared() -> tuple[Any, str, Callable]:
    """Return a method, as `_replaced` takes it, that compares flags as they are set first."""
    from numba.core.targetconfig import TargetConfig

    compared: Callable = TargetConfig.__eq__

    def equal(self: Any, other: Any) -> Any:
        same = isinstance(other, TargetConfig) and self._values == other._values
        return same and type(self) is type(other) or compared(self, other)

    return TargetConfig, '__eq__', equal
