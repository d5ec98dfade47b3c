# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One lane of an array whose rows have LANES numbers, as if it were a flat array.

So a function of one body's flat arrays computes a lane, and the compiler makes vector
instructions of a loop over lanes.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

LANES = 16
# Size of a line of memory, and of the widest vectors [bytes]. One across two lines takes twice as
# long to read.
LINE = 64


def from_line(rows: Any) -> Any:
    """Return an array without its last item; compiled, it begins with a line of memory.

    rows: contiguous float64 array with items of LINE bytes or more
    """
    return rows[:-1]


def column(rows: Any, i: int) -> Any:
    """Return lane i of a contiguous float64 array (n, LANES); the caller keeps it alive."""
    return rows[:, i]


def column_from(lane: Any, k: int) -> Any:
    """Return what begins at row k; lane: of `column`."""
    return lane[k:]


@functools.cache
def teach() -> None:
    """Register these functions with numba."""
    from numba.core import types
    from numba.extending import intrinsic, overload

    lane_type = _lane_type()

    @intrinsic
    def moved_to_line(context: Any, rows: Any) -> Any:
        def made(inner: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
            return _moved_to_line(inner, builder, rows, arguments[0])

        return rows(rows), made

    @overload(from_line)
    def of_rows(rows: Any) -> Any:
        def moved(rows: Any) -> Any:
            return moved_to_line(rows)  # type: ignore[call-arg]

        return moved

    @intrinsic
    def lane_of(context: Any, rows: Any, i: Any) -> Any:
        def made(inner: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
            data = inner.make_array(rows)(inner, builder, arguments[0]).data
            return builder.gep(data, [arguments[1]], inbounds=True)

        return lane_type(rows, types.intp), made

    @intrinsic
    def later_rows(context: Any, lane: Any, k: Any) -> Any:
        def made(inner: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
            return _place(builder, *arguments)

        return lane_type(lane, types.intp), made

    @overload(column)
    def of_array(rows: Any, i: Any) -> Any:
        def lane(rows: Any, i: Any) -> Any:
            return lane_of(rows, i)  # type: ignore[call-arg]

        return lane

    @overload(column_from)
    def of_column(lane: Any, k: Any) -> Any:
        def later(lane: Any, k: Any) -> Any:
            return later_rows(lane, k)  # type: ignore[call-arg]

        return later


def _moved_to_line(inner: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return an array that begins with the next line of memory, with one item less."""
    from numba.core import cgutils
    from numba.core.imputils import impl_ret_borrowed

    rows = inner.make_array(kind)(inner, builder, value)
    count, *others = cgutils.unpack_tuple(builder, rows.shape, kind.ndim)
    whole = count.type
    address = builder.add(builder.ptrtoint(rows.data, whole), whole(LINE - 1))
    rows.data = builder.inttoptr(builder.and_(address, whole(-LINE)), rows.data.type)
    rows.shape = cgutils.pack_array(builder, (builder.sub(count, whole(1)), *others))
    item = functools.reduce(builder.mul, others, whole(1))
    rows.nitems = builder.sub(rows.nitems, item)
    return impl_ret_borrowed(inner, builder, kind, rows._getvalue())


def _place(builder: Any, lane: Any, k: Any) -> Any:
    """Return the address of number k of a lane."""
    distance = builder.mul(k, k.type(LANES), flags=('nsw',))
    return builder.gep(lane, [distance], inbounds=True)


def _lane_type() -> Any:
    """Return the type of a lane in numba, whose numbers can be read and written."""
    from llvmlite import ir
    from numba.core import types
    from numba.core.imputils import lower_builtin
    from numba.core.typing.templates import AbstractTemplate, infer_global, signature
    from numba.extending import models, register_model

    class Type(types.Type):
        def __init__(self) -> None:
            super().__init__('Column')

    lane_type = Type()

    @register_model(Type)
    class Model(models.PrimitiveModel):
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, ir.DoubleType().as_pointer())

    def indexes(arguments: Any) -> bool:
        return isinstance(arguments[0], Type) and isinstance(arguments[1], types.Integer)

    @infer_global(operator.getitem)
    class Get(AbstractTemplate):
        def generic(self, arguments: Any, _: Any) -> Any:
            known = indexes(arguments)
            return signature(types.float64, lane_type, types.intp) if known else None

    @infer_global(operator.setitem)
    class Set(AbstractTemplate):
        def generic(self, arguments: Any, _: Any) -> Any:
            given = lane_type, types.intp, types.float64
            return signature(types.none, *given) if indexes(arguments) else None

    @lower_builtin(operator.getitem, Type, types.Integer)
    def get(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
        return builder.load(_place(builder, *arguments))

    @lower_builtin(operator.setitem, Type, types.Integer, types.Float)
    def put(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _place(builder, arguments[0], arguments[1]))
        return context.get_dummy_value()

    return lane_type
