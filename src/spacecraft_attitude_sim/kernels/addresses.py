# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The type of a kernels.kernel.Handle in numba: functions that compiled code calls by address.

In compiled code a Handle is a pointer to its addresses. numba's own lists of functions count
references. They cannot be handed to compiled code without numba, which kernels.light does.

It imports numba: import it when something is compiled.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import NativeValue, models, register_model, unbox

TABLE = ir.IntType(8).as_pointer().as_pointer()


class Called(types.Callable):
    """A function at an address, of a signature of numba."""

    def __init__(self, of: Any) -> None:
        self.of = of
        super().__init__(f'Called({of})')

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Return the signature of a call with arguments of some types; None if there is none."""
        if kws or len(args) != len(self.of.args):
            return None
        kinds = zip(map(types.unliteral, args), self.of.args, strict=True)
        if any(context.can_convert(given, kind) is None for given, kind in kinds):
            return None
        return signature(self.of.return_type, *self.of.args, recvr=self)

    def get_call_signatures(self) -> tuple:
        """Return the signatures with which it can be called, and that no others can."""
        return (self.of,), False

    def get_impl_key(self, sig: Any) -> Any:
        """Return by what numba finds how a call is written."""
        return type(self)


class Addresses(types.Type):
    """A Handle; text: its signature."""

    def __init__(self, text: str) -> None:
        self.text, self.called = text, Called(signature_of(text))
        super().__init__(f'Addresses({text})')


def signature_of(text: str) -> Any:
    """Return the signature of a text in numba's notation, which may have Addresses('...')."""
    return eval(text, {'Addresses': Addresses}, vars(types))  # noqa: S307 (the text is ours)


def address_of(dispatcher: Any, text: str) -> int:
    """Return where the code of a dispatcher stands, compiled as for a call of a signature.

    By a signature with a result numba would compile it once more.
    """
    wanted = signature_of(text)
    if wanted.args not in dispatcher.overloads:
        dispatcher.compile(wanted.args)
    code = dispatcher.get_compile_result(wanted)
    return code.library.get_pointer_to_function(code.fndesc.llvm_func_name)


register_model(Called)(models.OpaqueModel)
register_model(Addresses)(models.OpaqueModel)


@unbox(Addresses)
def _taken(kind: Any, handle: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(handle, 'address')
    place = cgutils.alloca_once_value(c.builder, cgutils.voidptr_t(None))
    failed = cgutils.is_null(c.builder, number)
    with c.builder.if_then(c.builder.not_(failed)):
        c.builder.store(c.pyapi.long_as_voidptr(number), place)
        c.pyapi.decref(number)
    return NativeValue(c.builder.load(place), is_error=failed)


@infer_global(operator.getitem)
class _Item(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        """Return the signature of handle[k]."""
        handle, k = args
        if isinstance(handle, Addresses) and isinstance(k, types.Integer):
            return signature(handle.called, handle, types.intp)
        return None


@lower_builtin(operator.getitem, Addresses, types.Integer)
def _item(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
    handle, k = arguments
    return builder.load(builder.gep(builder.bitcast(handle, TABLE), [k]))


@lower_builtin(Called, types.VarArg(types.Any))
def _call(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
    of, convention = kinds.args[0].of, context.call_conv
    kind = convention.get_function_type(of.return_type, of.args).as_pointer()
    status, result = convention.call_function(
        builder, builder.bitcast(arguments[0], kind), of.return_type, of.args, arguments[1:]
    )
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return result
