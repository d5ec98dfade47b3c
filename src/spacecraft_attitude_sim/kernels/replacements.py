# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What stands in numba while it compiles a kernel, in place of slower functions of its own.

Each `_function` returns (class or module, name, what stands there). All but `_literals_forgotten`
and `_mismatch_named` lead to the same machine code, to the bit. numba must be imported already.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

Replacement = tuple[Any, str, Any]

# {(type of the function, types of the arguments): signature}; numba holds such types for ever.
_known: dict[tuple[Any, tuple], Any] = {}
# {id of a type: (the type, whether its values count references)}
_counting: dict[int, tuple[Any, bool]] = {}


@functools.cache
def replacements() -> tuple[Replacement, ...]:
    """Return all of them."""
    from numba.core import lowering, typeinfer

    every = (
        _types_known(),
        _overloads_joined(),
        *_types_settled(),
        _warnings_uncaught(),
        _literals_forgotten(),
        *_variables_renamed(),
        *_registries_loaded(),
        *_ways_known(),
        _numbers_not_undefined(),
        *_flags_compared(),
        _variables_listed(),
        _lifetimes_late(),
        _references_found(),
        _models_found(),
        _builtins_found(),
        _with_exits_kept(),
        *_mismatch_named(),
        *_events_unheard(),
        *((module, 'new_error_context', Context) for module in (lowering, typeinfer)),
    )
    return tuple(row for row in every if hasattr(row[0], row[1]))  # another numba has not all


def _types_known() -> Replacement:
    """Remember the type of a call with numbers alone, as of x + y."""
    from numba.core import types
    from numba.core.types import functions

    Function: Any = functions.BaseFunction
    asked = Function.get_call_type
    numbers = {
        types.Float, types.Integer, types.IntegerLiteral, types.Boolean, types.CPointer,
        types.UniTuple, types.Tuple, types.NamedTuple, types.NamedUniTuple,
    }  # fmt: skip

    def known(self: Any, context: Any, arguments: tuple, named: dict) -> Any:
        if named or not all(type(kind) in numbers for kind in arguments):
            return asked(self, context, arguments, named)
        key = (self, arguments)
        if key not in _known:
            _known[key] = asked(self, context, arguments, named)
        return _known[key]

    return Function, 'get_call_type', known


def _overloads_joined() -> Replacement:
    """Compile numba's own functions as helpers; numba makes machine code of each.

    Loops over lanes are vectorised only where all that they call is inlined first.
    """
    from numba.core.typing import templates

    from spacecraft_attitude_sim.kernels import one_module

    Template: Any = getattr(templates, '_OverloadFunctionTemplate', None)
    asked: Any = getattr(Template, '_get_jit_decorator', None)

    def joined(self: Any) -> Callable:
        unwrapped = {'no_cpython_wrapper': True, 'no_cfunc_wrapper': True, 'forceinline': True}
        own = {'pipeline_class': one_module.pipeline(), **unwrapped}
        return lambda **options: asked(self)(**options | own)

    return Template, '_get_jit_decorator', joined


def _types_settled() -> tuple[Replacement, ...]:
    """Infer types in one pass over a function, unless one of them changed after it was read.

    numba looks at all statements once more, to see that nothing changes.
    """
    from numba.core import typeinfer

    Variable: Any = typeinfer.TypeVar
    whole = typeinfer.TypeInferer.propagate

    class Watched(Variable):
        """A variable that knows whether its type changed after it was read."""

        read = late = False

        def get(self) -> tuple:
            self.read = True
            return super().get()

        def getone(self) -> Any:
            self.read = True
            return super().getone()

        @property
        def defined(self) -> bool:
            self.read = True
            return self.type is not None

        def union(self, other: Any, loc: Any) -> Any:
            other.read = True
            return super().union(other, loc)

        def add_type(self, kind: Any, loc: Any) -> Any:
            before = self.type
            after = super().add_type(kind, loc)
            self.late |= self.read and after != before
            return after

    def propagate(self: Any, raise_errors: bool = True) -> Any:
        errors = self.constraints.propagate(self)
        if errors or any(variable.late for variable in self.typevars.values()):
            return whole(self, raise_errors)
        return None

    return (typeinfer, 'TypeVar', Watched), (typeinfer.TypeInferer, 'propagate', propagate)


def _warnings_uncaught() -> Replacement:
    """Let warnings go where others go; numba sets up a filter for each statement."""
    errors: Any = importlib.import_module('numba.core.errors')

    def uncaught(self: Any, *place: Any, **named: Any) -> Context:
        return Context('')

    Fixer = getattr(errors, 'WarningsFixer', None)
    return Fixer, 'catch_warnings', uncaught


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


def _variables_renamed() -> tuple[Replacement, ...]:
    """Rename a variable with several values in the blocks that name it; numba reads all blocks."""
    from numba.core import ir, ssa

    whole: Callable = ssa._run_ssa
    names: dict[int, set[str]] = {}

    def run(blocks: dict) -> dict:
        names.clear()
        for label, block in blocks.items():
            names[label] = {named.name for line in block.body for named in line.list_vars()}
        return whole(blocks)

    def rewritten(blocks: dict, states: dict, handler: Any) -> dict:
        new = {}
        for label, block in blocks.items():
            if states['varname'] in names[label]:
                states['label'], states['block'] = label, block
                new[label] = ir.Block(scope=block.scope, loc=block.loc)
                new[label].body = [
                    (handler.on_assign if isinstance(line, ir.Assign) else handler.on_other)(
                        states, line
                    )
                    for line in block.body
                ]
            else:
                new[label] = block
        return new

    return (ssa, '_run_ssa', run), (ssa, '_run_block_rewrite', rewritten)


def _registries_loaded() -> tuple[Replacement, ...]:
    """Look for new functions in the registries that are loaded; numba imports all again.

    It also reads its settings again, for each function.
    """
    from numba.core import config, cpu
    from numba.core.typing.context import Context as Typing

    def refreshed(self: Any) -> None:
        for registry in tuple(self._registries):
            self.install_registry(registry)

    return (
        (cpu.CPUContext, 'load_additional_registries', refreshed),
        (Typing, 'load_additional_registries', refreshed),
        (config, 'reload_config', lambda: None),
    )


def _ways_known() -> tuple[Replacement, ...]:
    """Remember which function of numba makes instructions of an operation, and that none does."""
    from numba.core import base, types

    asked, attribute_asked = base.BaseContext.get_function, base.BaseContext.get_getattr
    lacking: set[tuple] = set()
    known: dict[tuple, Any] = {}

    def function(self: Any, name: Any, signature: Any, **other: Any) -> Any:
        if not isinstance(name, str):  # else as 'static_getitem', of items by a constant
            return asked(self, name, signature, **other)
        key = name, signature.args[0], *map(type, signature.args[1:])
        if key in lacking:
            raise NotImplementedError(name)
        try:
            return asked(self, name, signature, **other)
        except NotImplementedError:
            lacking.add(key)
            raise

    def attribute(self: Any, kind: Any, name: str) -> Any:
        if isinstance(kind, types.Module):
            return attribute_asked(self, kind, name)
        if (kind, name) not in known:
            known[kind, name] = attribute_asked(self, kind, name)
        return known[kind, name]

    return (
        (base, '_has_loc', functools.cache(base._has_loc)),
        (base.BaseContext, 'get_function', function),
        (base.BaseContext, 'get_getattr', attribute),
    )


def _numbers_not_undefined() -> Replacement:
    """Make no type of the constant that an operand is not: numba makes four of them."""
    from numba.core import ir, lowering, types

    asked: Callable = lowering._lit_or_omitted
    undefined = types.Omitted(ir.UNDEFINED)

    def kind(value: Any) -> Any:
        return undefined if value is ir.UNDEFINED else asked(value)

    return lowering, '_lit_or_omitted', kind


def _flags_compared() -> tuple[Replacement, ...]:
    """Compare flags as they are set first, and not as lists of all with their defaults."""
    from numba.core.targetconfig import TargetConfig

    compared: Callable = TargetConfig.__eq__
    hash_of: Callable = TargetConfig.__hash__
    hash_of_names: Callable = functools.cache(lambda kind: hash_of(kind()))

    def equal(self: Any, other: Any) -> Any:
        if type(self) is not type(other):
            return compared(self, other)
        mine, others = self._values, other._values
        if mine == others:
            return True
        return all(getattr(self, name) == getattr(other, name) for name in {**mine, **others})

    def hashed(self: Any) -> int:
        return hash_of_names(type(self))

    return (TargetConfig, '__eq__', equal), (TargetConfig, '__hash__', hashed)


def _variables_listed() -> Replacement:
    """Look for variables first where they are most often: numba asks each value for four types."""
    from numba.core import ir

    Instruction: Any = ir.Inst
    listed = Instruction._rec_list_vars
    without = {str, int, float, bool, type(None), type(ir.UNDEFINED), type(len), ir.Loc}

    def variables(self: Any, value: Any) -> list:
        kind = type(value)
        if kind is ir.Var:
            return [value]
        if kind in without:
            return []
        if kind not in (dict, list, tuple):
            return listed(self, value)
        inside = []
        for item in value.values() if kind is dict else value:
            if type(item) is ir.Var:
                inside.append(item)
            elif type(item) not in without:
                inside += variables(self, item)
        return inside

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


def counts_references(context: Any, kind: Any) -> bool:
    """Return whether values of a type count references; context: of the target, in numba.

    numba takes each type apart, however often it asks.
    """
    number = id(kind)
    if number not in _counting:
        _counting[number] = kind, context.data_model_manager[kind].contains_nrt_meminfo()
    return _counting[number][1]


def _references_found() -> Replacement:
    """Look for references to count in no value whose type has none.

    numba takes each tuple of floats apart for it, where it is stored and where it ends.
    """
    from numba.core.runtime import context as runtime

    asked = runtime.NRTContext.get_meminfos

    def references(self: Any, builder: Any, kind: Any, value: Any) -> list:
        return asked(self, builder, kind, value) if counts_references(self._context, kind) else []

    return runtime.NRTContext, 'get_meminfos', references


def _models_found() -> Replacement:
    """Find how values of a type are laid out by the type's identity, and not by what it says."""
    from numba.core.datamodel import manager

    asked = manager.DataModelManager.lookup
    known: dict[tuple[int, int], tuple] = {}

    def model(self: Any, kind: Any) -> Any:
        key = id(self), id(kind)
        if key not in known:
            known[key] = self, kind, asked(self, kind)
        return known[key][2]

    return manager.DataModelManager, 'lookup', model


def _builtins_found() -> Replacement:
    """Find the type of a function of Python where it stands; numba looks for other types first."""
    from numba.core.typing.context import BaseContext

    asked = BaseContext.resolve_value_type

    def type_of(self: Any, value: Any) -> Any:
        kind = self._lookup_global(value) if type(value) is type(len) else None
        return asked(self, value) if kind is None else kind

    return BaseContext, 'resolve_value_type', type_of


def _with_exits_kept() -> Replacement:
    """Look through a function for what `with` leaves only where it has one."""
    from numba.core import interpreter

    asked: Callable = interpreter.peep_hole_delete_with_exit

    def kept(code: Any) -> Any:
        has = any(name.startswith('$setup_with_exitfn') for name in code._definitions)
        return asked(code) if has else code

    return interpreter, 'peep_hole_delete_with_exit', kept


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
        if error is None:
            return
        from numba.core import errors

        if isinstance(error, errors.NumbaError):
            filled = self.arguments or self.named
            text = self.text.format(*self.arguments, **self.named) if filled else self.text
            error.add_context(text)
