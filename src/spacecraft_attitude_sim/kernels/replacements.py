# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What stands in numba while it compiles a kernel, in place of slower functions of its own.

Each `_function` returns (class or module, name, what stands there). All but `_literals_forgotten`
and `_mismatch_named` lead to the same machine code, to the bit. numba must be imported already.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

Replacement = tuple[Any, str, Any]

# {(type of the function, types of the arguments): signature}; numba holds such types for ever.
_known: dict[tuple[Any, tuple], Any] = {}


@functools.cache
def replacements() -> tuple[Replacement, ...]:
    """Return all of them."""
    from numba.core import lowering, typeinfer

    return (
        _types_known(),
        _literals_forgotten(),
        _flags_compared(),
        _variables_listed(),
        _lifetimes_late(),
        _references_found(),
        *_mismatch_named(),
        *_events_unheard(),
        *((module, 'new_error_context', Context) for module in (lowering, typeinfer)),
    )


def _types_known() -> Replacement:
    """Remember the type of a call with numbers alone, as of x + y."""
    from numba.core import types
    from numba.core.types import functions

    Function: Any = functions.BaseFunction
    asked = Function.get_call_type
    numbers = (types.Float, types.Integer, types.IntegerLiteral, types.Boolean)

    def known(self: Any, context: Any, arguments: tuple, named: dict) -> Any:
        if named or not all(type(kind) in numbers for kind in arguments):
            return asked(self, context, arguments, named)
        key = (self, arguments)
        if key not in _known:
            _known[key] = asked(self, context, arguments, named)
        return _known[key]

    return Function, 'get_call_type', known


def _literals_forgotten() -> Replacement:
    """Compile what is called, and not always copied, once for all numbers in its calls.

    numba compiles it for each: normal_pair(0, …) and normal_pair(1, …) are two functions. A helper
    stays so: numbers make what is copied shorter, and steps keep their machine code.
    """
    from numba.core import types

    asked = types.Dispatcher.get_call_type

    def forgotten(self: Any, context: Any, arguments: tuple, named: dict) -> Any:
        options = getattr(self.dispatcher, 'targetoptions', {})
        if options.get('nogil') or options.get('forceinline') is False:  # a kernel, or a part
            arguments = tuple(map(types.unliteral, arguments))
            named = {name: types.unliteral(kind) for name, kind in named.items()}
        return asked(self, context, arguments, named)

    return types.Dispatcher, 'get_call_type', forgotten


def _flags_compared() -> Replacement:
    """Compare flags as they are set first, and not as lists of all with their defaults."""
    from numba.core.targetconfig import TargetConfig

    compared: Callable = TargetConfig.__eq__

    def equal(self: Any, other: Any) -> Any:
        same = isinstance(other, TargetConfig) and self._values == other._values
        return same and type(self) is type(other) or compared(self, other)

    return TargetConfig, '__eq__', equal


def _variables_listed() -> Replacement:
    """Look for variables first where they are most often: numba asks each value for four types."""
    from numba.core import ir

    Instruction: Any = ir.Inst
    listed = Instruction._rec_list_vars
    without = {str, int, float, bool, type(None), ir.Loc}

    def variables(self: Any, value: Any) -> list:
        if type(value) is ir.Var:
            return [value]
        return [] if type(value) in without else listed(self, value)

    return Instruction, '_rec_list_vars', variables


def _lifetimes_late() -> Replacement:
    """Leave out which variables live at the beginning of a block, after each pass.

    Generators alone, and loops in Python's objects, need it.
    """
    from numba.core import postproc, transforms

    Processor: Any = postproc.PostProcessor
    whole = Processor.run

    def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        code = self.func_ir
        if code.is_generator:
            whole(self, emit_dels, extend_lifetimes)
            return
        code.blocks = transforms.canonicalize_cfg(code.blocks)
        code.variable_lifetime = postproc.VariableLifetime(code.blocks)
        code.generator_info = None
        if emit_dels:
            self._insert_var_dels(extend_lifetimes=extend_lifetimes)

    return Processor, 'run', run


def _references_found() -> Replacement:
    """Look for references to count in no value whose type has none.

    numba takes each tuple of floats apart for it, where it is stored and where it ends.
    """
    from numba.core.runtime import context as runtime

    asked = runtime.NRTContext.get_meminfos

    def references(self: Any, builder: Any, kind: Any, value: Any) -> list:
        has = self._context.data_model_manager[kind].contains_nrt_meminfo()
        return asked(self, builder, kind, value) if has else []

    return runtime.NRTContext, 'get_meminfos', references


def _mismatch_named() -> tuple[Replacement, ...]:
    """Say that an array does not fit into a slice, without both shapes.

    numba compiles 20 functions that make a text of them, a second in each process.
    """
    from numba.core import types
    from numba.extending import overload
    from numba.np import arrayobj

    name = 'raise_with_shape_context'
    if not hasattr(arrayobj, name):  # before numba 0.60
        return ()

    def mismatch(given: Any, slots: Any) -> None:
        raise NotImplementedError

    @overload(mismatch)
    def of(given: Any, slots: Any) -> Callable | None:
        def error(given: Any, slots: Any) -> None:
            raise ValueError('cannot assign slice from input of different size')

        return error if isinstance(given, types.UniTuple) else None

    return ((arrayobj, name, mismatch),)


def _events_unheard() -> tuple[Replacement, ...]:
    """Tell nobody that a lock is taken, and measure no times of locks."""
    from numba.core import event

    def untold(*arguments: Any, **named: Any) -> None:
        """Tell no event."""

    def untimed(kind: Any, callback: Any) -> Context:
        return Context('')

    return (
        (event, 'start_event', untold),
        (event, 'end_event', untold),
        (event, 'install_timer', untimed),
    )


class Context:
    """numba's `new_error_context`, which says where an error came from, without a generator."""

    __slots__ = 'arguments', 'named', 'text'

    def __init__(self, text: str, *arguments: Any, **named: Any) -> None:
        self.text, self.arguments, self.named = text, arguments, named

    def __enter__(self) -> None:
        """Begin what may fail."""

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        """Add the text to an error of numba."""
        from numba.core import errors

        if isinstance(error, errors.NumbaError):
            filled = self.arguments or self.named
            text = self.text.format(*self.arguments, **self.named) if filled else self.text
            error.add_context(text)
