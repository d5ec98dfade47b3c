# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Four floats on which compiled code computes with one instruction; in Python a tuple.

Each operation is that of the four floats one by one, so the bits are the same.
"""

from __future__ import annotations

import functools
import math
import operator
from typing import Any


class Four(tuple[float, ...]):
    """Four floats; the right side of an operation may be a float."""

    __slots__ = ()
    # See kernels.code_digest: all files of this folder count.
    decides = ()

    def __add__(self, other: Any) -> Four:
        return Four(map(operator.add, self, _spread(other)))

    def __sub__(self, other: Any) -> Four:
        return Four(map(operator.sub, self, _spread(other)))

    def __mul__(self, other: Any) -> Four:
        return Four(map(operator.mul, self, _spread(other)))

    def __truediv__(self, other: Any) -> Four:
        return Four(map(operator.truediv, self, _spread(other)))


def _spread(other: Any) -> Any:
    return other if isinstance(other, Four) else (other,) * 4


def four_at(flat: Any, k: int) -> Any:
    """Return four numbers of an array from index k on."""
    return Four((flat[k], flat[k + 1], flat[k + 2], flat[k + 3]))


def four_of(a: float, b: float, c: float, d: float) -> Any:
    """Return a Four."""
    return Four((a, b, c, d))


def put_four(flat: Any, k: int, four: Any) -> None:
    """Write four numbers to an array from index k on."""
    flat[k], flat[k + 1], flat[k + 2], flat[k + 3] = four


def floats_of(four: Any) -> tuple[float, float, float, float]:
    """Return the four floats."""
    a, b, c, d = four
    return a, b, c, d


def repeated(x: float) -> Any:
    """Return four times the same float."""
    return Four(_spread(x))


def sizes(four: Any) -> Any:
    """Return each number without its sign."""
    return Four(map(abs, four))


def floors(four: Any) -> Any:
    """Return the largest whole number not above each, as floats; inf and nan as they are."""
    return Four(float(math.floor(x)) if math.isfinite(x) else x for x in four)


def all_within(four: Any, most: Any) -> bool:
    """Return whether each number is between 0 and its largest one; most: four."""
    return all(0.0 <= x <= y for x, y in zip(four, most, strict=True))


@functools.cache
def teach() -> None:
    """Register these with numba."""
    from llvmlite import ir
    from numba.core import types
    from numba.extending import models, register_model

    class Type(types.Type):
        def __init__(self) -> None:
            super().__init__('Four')

    @register_model(Type)
    class Model(models.PrimitiveModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, ir.VectorType(ir.DoubleType(), 4))

    _teach_arithmetic(Type())
    _teach_functions(Type())
    _teach_each(Type())


def _joined(builder: Any, floats: Any) -> Any:
    from llvmlite import ir

    value = ir.Constant(ir.VectorType(ir.DoubleType(), 4), ir.Undefined)
    for k, number in enumerate(floats):
        value = builder.insert_element(value, number, ir.IntType(32)(k))
    return value


def _teach_arithmetic(four: Any) -> None:
    from numba.core import types
    from numba.core.imputils import lower_builtin
    from numba.core.typing.templates import ConcreteTemplate, infer_global, signature

    def teach_one(symbol: Any, name: str) -> None:
        @infer_global(symbol)
        class Operation(ConcreteTemplate):
            cases = [signature(four, four, four), signature(four, four, types.float64)]

        def made(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            left, right = arguments
            if signature.args[1] == types.float64:
                right = _joined(builder, [right] * 4)
            return getattr(builder, name)(left, right)

        lower_builtin(symbol, four, four)(made)
        lower_builtin(symbol, four, types.float64)(made)

    for symbol in (operator.add, operator.sub, operator.mul):
        teach_one(symbol, f'f{symbol.__name__}')
    teach_one(operator.truediv, 'fdiv')


def _teach_functions(kind: Any) -> None:
    from llvmlite import ir
    from numba.core import types
    from numba.core.imputils import lower_builtin
    from numba.extending import type_callable

    vector, pointer = ir.VectorType(ir.DoubleType(), 4), types.CPointer(types.float64)

    def place(builder: Any, flat: Any, k: Any) -> Any:
        return builder.bitcast(builder.gep(flat, [k]), vector.as_pointer())

    def read(inner: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(place(builder, *arguments), align=8)

    def read_array(inner: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, k = arguments
        data = inner.make_array(signature.args[0])(inner, builder, array).data
        return read(inner, builder, signature, (data, k))

    def write(inner: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], place(builder, *arguments[:2]), align=8)
        return inner.get_dummy_value()

    def join(inner: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _joined(builder, arguments)

    def repeat(inner: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _joined(builder, arguments * 4)

    def part(inner: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = arguments[0]
        floats = [builder.extract_element(value, ir.IntType(32)(k)) for k in range(4)]
        return inner.make_tuple(builder, signature.return_type, floats)

    def compare(inner: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, most = arguments
        low = builder.fcmp_ordered('<=', ir.Constant(vector, [0.0] * 4), value)
        both = builder.and_(low, builder.fcmp_ordered('<=', value, most))
        return builder.icmp_unsigned('==', builder.bitcast(both, ir.IntType(4)), ir.IntType(4)(15))

    # Names of arguments as in Python: numba binds them by name.
    type_callable(four_at)(lambda context: lambda flat, k: kind)
    type_callable(put_four)(lambda context: lambda flat, k, four: types.void)
    type_callable(four_of)(lambda context: lambda a, b, c, d: kind)
    type_callable(floats_of)(lambda context: lambda four: types.UniTuple(types.float64, 4))
    type_callable(repeated)(lambda context: lambda x: kind)
    type_callable(all_within)(lambda context: lambda four, most: types.boolean)
    lower_builtin(four_at, pointer, types.Integer)(read)
    lower_builtin(four_at, types.Array, types.Integer)(read_array)
    lower_builtin(put_four, pointer, types.Integer, kind)(write)
    lower_builtin(four_of, *[types.float64] * 4)(join)
    lower_builtin(floats_of, kind)(part)
    lower_builtin(repeated, types.float64)(repeat)
    lower_builtin(all_within, kind, kind)(compare)


def _teach_each(kind: Any) -> None:
    from llvmlite import ir
    from numba.core import cgutils
    from numba.core.imputils import lower_builtin
    from numba.extending import type_callable

    vector = ir.VectorType(ir.DoubleType(), 4)

    def of_each(name: str) -> Any:
        def made(inner: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            signed = ir.FunctionType(vector, [vector])
            intrinsic = cgutils.get_or_insert_function(builder.module, signed, name)
            return builder.call(intrinsic, arguments)

        return made

    type_callable(sizes)(lambda context: lambda four: kind)
    type_callable(floors)(lambda context: lambda four: kind)
    lower_builtin(sizes, kind)(of_each('llvm.fabs.v4f64'))
    lower_builtin(floors, kind)(of_each('llvm.floor.v4f64'))
