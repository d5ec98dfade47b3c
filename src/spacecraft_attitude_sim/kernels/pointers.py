# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays in compiled code without reference counts, and pointers; in Python they are arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

# {kind in numba: what of it counts references}
OWNERS = {'Array': ('meminfo', 'parent')}


def borrowed(array: Any) -> Any:
    """Return an array, or a tuple with arrays; compiled, without reference counting.

    Otherwise every function with an array argument and every row of an array counts references: a
    third to a half of the time of a kernel of many small parts.
    The caller must keep the array itself alive, and use it afterwards.

    array: an array, or a tuple of arrays, numbers and handles
    """
    return array


def pointer_to(array: Any) -> Any:
    """Return a contiguous float64 array; in compiled code a pointer to its first number.

    A pointer can be indexed, and nothing else: it has no length and no slices, and a function
    takes it as one argument instead of seven. The caller must keep the array itself alive.
    """
    return array


def from_index(pointer: Any, k: int) -> Any:
    """Return what begins at index k; pointer: of `pointer_to`."""
    return pointer[k:]


def fixed_at(numbers: Any, k: int) -> Any:
    """Return a number of an array or behind a pointer that no compiled code ever writes.

    Compiled code need not read it again after it has written elsewhere.
    """
    return numbers[k]


def _without_owner(inner: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return an array without the object that counts references, or a tuple with such."""
    from numba.core import cgutils, types

    if isinstance(kind, types.BaseTuple):
        kinds: Any = kind
        items = [
            _without_owner(inner, builder, item, builder.extract_value(value, k))
            for k, item in enumerate(kinds)
        ]
        return inner.make_tuple(builder, kind, items)
    owners = OWNERS.get(type(kind).__name__)
    if not owners:
        return value
    found = cgutils.create_struct_proxy(kind)(inner, builder, value=value)
    for owner in owners:
        setattr(found, owner, cgutils.get_null_value(getattr(found, owner).type))
    return found._getvalue()


@functools.cache
def teach() -> None:
    """Register these functions with numba."""
    from numba.core import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def data_of(context: Any, array: Any) -> Any:
        def made(inner: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return inner.make_array(array)(inner, builder, arguments[0]).data

        return types.CPointer(array.dtype)(array), made

    @intrinsic
    def moved(context: Any, pointer: Any, k: Any) -> Any:
        def made(inner: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.gep(arguments[0], [arguments[1]])

        return pointer(pointer, types.intp), made

    # numba compares the arguments of an overload, with their types, with those of the function
    # that it returns. An intrinsic is called without its context.
    @overload(pointer_to)
    def pointer_of(array: Any) -> Callable:
        def pointer(array: Any) -> Any:
            return data_of(array)  # type: ignore[call-arg]

        return pointer

    @overload(from_index)
    def pointer_from(pointer: Any, k: Any) -> Callable:
        def later(pointer: Any, k: Any) -> Any:
            return moved(pointer, k)  # type: ignore[call-arg]

        return later

    @intrinsic
    def unowned(context: Any, array: Any) -> Any:
        def made(inner: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return _without_owner(inner, builder, array, arguments[0])

        return array(array), made

    @overload(borrowed)
    def of(array: Any) -> Callable:
        def same(array: Any) -> Any:
            return unowned(array)  # type: ignore[call-arg]

        return same

    _teach_fixed()


def _teach_fixed() -> None:
    """Register fixed_at with numba."""
    from numba.core import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def read(context: Any, pointer: Any, k: Any) -> Any:
        def made(inner: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            flat, at = arguments
            number = builder.load(builder.gep(flat, [at]))
            number.set_metadata('invariant.load', builder.module.add_metadata([]))
            return number

        return pointer.dtype(pointer, types.intp), made

    @overload(fixed_at)
    def fixed_of(numbers: Any, k: Any) -> Callable:
        def fixed(numbers: Any, k: Any) -> Any:
            return read(numbers, k)  # type: ignore[call-arg]

        def usual(numbers: Any, k: Any) -> Any:
            return numbers[k]

        return fixed if isinstance(numbers, types.CPointer) else usual
