# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The digest of all that decides what a function is compiled to, by which its code is found again.

It covers the bytecode, the constants, and the functions and numbers that the bytecode names, at
any depth. So a changed helper makes new code of every kernel that calls it, and of no other; a
changed comment, docstring or file without kernels makes none. numba itself looks at the file of
the kernel alone.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import os
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from spacecraft_attitude_sim.kernels.cache import (
    digest_of,
    make_private,
    name_of,
    read,
    write,
)

PACKAGE = Path(__file__).resolve().parent.parent
PLAIN = (type(None), bool, int, float, complex, str, bytes)
# Files of kernels/ that decide which kernels are compiled, and when, but not to what.
WITHOUT_INFLUENCE = {'code_pages.py', 'collection.py', 'light.py', 'warm_up.py'}
# What these hold is known by name: the version of numba decides what it becomes.
LIBRARIES = {'builtins', 'math', 'numba', 'numpy', 'operator'}


class UnknownError(TypeError):
    """An object of which we do not know what compiled code takes from it."""


@functools.cache
def of_files(folder: str, memory: str = '') -> bytes:
    """Return the digest of what Python makes of the files in a folder of the package.

    Comments, docstrings and the numbers of lines are not in it; nor are WITHOUT_INFLUENCE.

    memory: folder to remember it in, if it can be: without, Python compiles the files each time
    """
    files = sorted((PACKAGE / folder).rglob('*.py'))
    contents = [path.read_bytes() for path in files if path.name not in WITHOUT_INFLUENCE]
    kept = os.path.join(memory, digest_of(b''.join(contents)).hex()[:16]) if memory else ''
    with contextlib.suppress(OSError):
        if kept and (known := read(kept)):
            return known
    digest = digest_of(b''.join(map(of_text, contents)))
    with contextlib.suppress(OSError):
        if kept:
            make_private(memory)
            write(kept, digest)
    return digest


def of_text(source: bytes) -> bytes:
    """Return the digest of what Python makes of the text of a file, without docstrings."""
    return _of_code(compile(source, '', 'exec', dont_inherit=True, optimize=2))


class Digests:
    """Digests of functions and of what they name, at any depth."""

    def __init__(self) -> None:
        # What each says itself, and what it names; with the object, so that its id stays.
        self._seen: dict[int, tuple[Any, bytes, list[Any]]] = {}

    def of_function(self, function: Any) -> bytes:
        """Return the digest of a function.

        Where it names what we do not know, it is one of all files in core/, too.
        """
        try:
            return self.of(function)
        except UnknownError:
            return digest_of(_of_code(function.__code__) + of_files('core'))

    def of(self, value: Any) -> bytes:
        """Return the digest of a function, Kernel or Functions.

        Raises UnknownError if it names what we do not know.
        """
        reached, numbers, content = [value], {id(value): 0}, []
        for reached_value in reached:  # it grows
            own, named = self._looked_at(reached_value)
            for other in named:
                if id(other) not in numbers:
                    numbers[id(other)] = len(reached)
                    reached.append(other)
            content.append((own, [numbers[id(other)] for other in named]))
        return digest_of(repr(content).encode())

    def _looked_at(self, value: Any) -> tuple[bytes, list[Any]]:
        """Return the digest of what an object says itself, and the objects that it names."""
        if id(value) not in self._seen:
            named: list[Any] = []
            own = digest_of(repr(_parts(value, named)).encode())
            self._seen[id(value)] = value, own, named
        return self._seen[id(value)][1:]


def _parts(value: Any, named: list[Any]) -> tuple:
    """Return what a function, Kernel or Functions says itself; its repr tells all of it.

    named: receives the functions, Kernels and Functions that it names
    """
    if isinstance(value, types.FunctionType):
        code, cells = value.__code__, value.__closure__ or ()
        return (
            _of_code(code, value.__doc__),
            sorted(getattr(value, 'options', {}).items()),  # of kernels.kernel
            _globals_of(value, named),
            [_value(cell.cell_contents, named) for cell in cells],
            _value(value.__defaults__, named),
            _value(tuple((value.__kwdefaults__ or {}).items()), named),
        )
    if isinstance(inner := getattr(value, 'py_func', None), types.FunctionType):  # numba's
        return 'compiled', sorted(value.targetoptions.items()), _value(inner, named)
    return type(value).__name__, _value(value.decides, named)


def _value(value: Any, named: list[Any]) -> tuple:
    """Return what a value says, as in `_parts`; a function is only added to those named."""
    kind = type(value).__name__
    if isinstance(value, PLAIN):
        return kind, value
    if isinstance(value, tuple):
        return kind, *(_value(item, named) for item in value)
    if isinstance(value, types.ModuleType):
        return kind, value.__name__
    if isinstance(value, np.ndarray | np.generic):
        return kind, str(value.dtype), np.shape(value), value.tobytes()
    if _of_library(value):
        return kind, value.__module__, getattr(value, '__qualname__', repr(value))
    if isinstance(value, type) and hasattr(value, '_fields'):  # a NamedTuple
        return (
            kind,
            value.__name__,
            value._fields,
            _value((*vars(value)['_field_defaults'].items(),), named),
        )
    ours = isinstance(value, types.FunctionType) or hasattr(value, 'decides')
    if ours or isinstance(getattr(value, 'py_func', None), types.FunctionType):
        named.append(value)
        return (kind,)
    raise UnknownError(kind)


def _of_library(value: Any) -> bool:
    return (getattr(value, '__module__', None) or '').partition('.')[0] in LIBRARIES


def _of_code(code: types.CodeType, docstring: str | None = None) -> bytes:
    """Return the digest of bytecode and of constants other than a docstring."""
    constants = [_constant(value) for value in code.co_consts if value is not docstring]
    parts = (
        code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars,
        code.co_cellvars, code.co_argcount, code.co_kwonlyargcount, code.co_flags,
    )  # fmt: skip
    return digest_of(repr(parts).encode())


def _constant(value: Any) -> Any:
    if isinstance(value, types.CodeType):
        return _of_code(value)
    return sorted(map(repr, value)) if isinstance(value, frozenset) else value


def _globals_of(function: Any, named: list[Any]) -> list[tuple]:
    """Return what bytecode takes from its module, and from modules that it names, as `_value`.

    Each name in the bytecode counts, though it may be that of an attribute of something else: to
    read instructions takes ten times as long.
    """
    code, taken = function.__code__, []
    names = sorted(_names_in(code))
    found = [(name, function.__globals__[name]) for name in names if name in function.__globals__]
    opened = set()
    for name, value in found:  # it grows
        if _of_us(value):
            inside = {} if value.__name__ in opened else vars(value)
            opened.add(value.__name__)
            found += [(f'{name}.{other}', inside[other]) for other in names if other in inside]
            continue
        try:
            taken.append((name, _value(value, named)))
        except UnknownError:
            if name in set(_taken(code)):
                raise
    return taken


def _names_in(code: types.CodeType) -> set[str]:
    inner = (value for value in code.co_consts if isinstance(value, types.CodeType))
    return set(code.co_names).union(*map(_names_in, inner))


def _taken(code: types.CodeType) -> Iterator[str]:
    """Yield what bytecode looks up in its module: `name`, `name.attribute` and so on."""
    name = ''
    for instruction in dis.get_instructions(code):
        if instruction.opname in ('LOAD_GLOBAL', 'LOAD_NAME'):
            name = instruction.argval
            yield name
        elif name and instruction.opname in ('LOAD_ATTR', 'LOAD_METHOD'):
            name = f'{name}.{instruction.argval}'
            yield name
        else:
            name = ''
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _taken(constant)


def _of_us(value: Any) -> bool:
    """Return whether something is a module of which no version of a library tells."""
    return isinstance(value, types.ModuleType) and (
        value.__name__.partition('.')[0] not in LIBRARIES
    )


# Of this process.
digests = Digests()


def file_name(function: Callable, options: dict[str, Any]) -> str:
    """Return the name, without suffix, of the files of a function's code.

    It tells of the function, and of all that decides its code.

    options: of numba.njit
    """
    decides = repr(sorted(options.items())).encode() + digests.of_function(function)
    tag = f'{sys.implementation.cache_tag}{getattr(sys, "abiflags", "")}'
    return f'{name_of(function)}-{digest_of(decides).hex()[:16]}.{tag}'
