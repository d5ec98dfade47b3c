# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Load compiled code from disk without the compiler, which fills over 100 MB of a node's memory.

Beside numba's files of a kernel stands an image of its code (kernels.object_code). It is read into
memory, addresses are written into it, and Python calls it as numba would: by the function that
numba compiled for that. What numba's functions need at run time are three small libraries of
numba, which are loaded without the rest of it. Where there is no image for a call, or where
anything is not as expected, numba loads the code, to the same bits.
"""

from __future__ import annotations

import builtins
import ctypes
import functools
import importlib.machinery
import importlib.util
import mmap
import pickle
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.kernels import cache
from spacecraft_attitude_sim.kernels import kernel as kernels
from spacecraft_attitude_sim.kernels.object_code import (
    HANDLE,
    POINTER,
    Image,
    abilities,
    file_of,
    folder_of,
    handle_kind,
)

FLOAT = np.dtype(float)
# Of numpy's flags of an array: contiguous in C's or in Fortran's order, with memory of its own,
# aligned, writeable.
IN_C, IN_FORTRAN, OWN, ALIGNED, WRITEABLE = 1, 2, 4, 0x100, 0x400
FLAGS = IN_C | IN_FORTRAN | ALIGNED | WRITEABLE
LARGEST = 2**63
# Of mprotect(2): memory may be read, and run; it can no longer be written.
READ_AND_RUN = 1 | 4
# Of PyMethodDef: called with the arguments as a tuple.
VARIABLE_ARGUMENTS, KEYWORDS = 1, 2
# Libraries of numba, and what comes before the names of their functions in compiled code.
LIBRARIES = {'_helperlib': 'numba_', 'core.runtime._nrt_python': 'NRT_'}
# What begins the names of Python's exceptions in compiled code.
EXCEPTION = 'PyExc_'
# Tests of arguments of the usual kinds, as in kind_of; the flags are numpy's of an array that has
# its memory itself, or that of another.
_VECTOR, _MATRIX = IN_C | IN_FORTRAN | ALIGNED, IN_C | ALIGNED
_ARRAY = (
    'type({{0}}) is array and {{0}}.dtype is FLOAT and {{0}}.ndim == {} and {{0}}.flags.num in {}'
)
TESTS = {
    'd': 'type({0}) is float',
    'q': f'type({{0}}) is int and {-LARGEST} <= {{0}} < {LARGEST}',
    '?': 'type({0}) is bool',
    **{
        f'{dimensions}C{letter}': _ARRAY.format(dimensions, (flags, flags | OWN))
        for dimensions, order in ((1, _VECTOR), (2, _MATRIX), (3, _MATRIX))
        for letter, flags in (('w', order | WRITEABLE), ('r', order))
    },
}
# Kinds of arguments in numba's notation.
OF_WORDS = {'float64': 'd', 'int64': 'q', 'float64[::1]': '1Cw'}
# What lives as long as the process, because compiled code has its address.
_kept: list[Any] = []


class Caller:
    """Calls a kernel without numba where there is an image for the arguments.

    quickest: does the same sooner, once an image is loaded
    """

    def __init__(self, kernel: kernels.Kernel) -> None:
        self._kernel = kernel
        self._known: dict[str, Callable] = {}
        self.quickest: Callable = self

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        kinds = ' '.join(map(kind_of, arguments))
        return (self._known.get(kinds) or self._find(kinds))(*arguments)

    def address(self, signature: str) -> int:
        """Return the address at which compiled code calls it, 0 without an image.

        signature: of that call, in numba's notation
        """
        code = None if 'numba' in sys.modules else loaded(self._kernel, kinds_of(signature))
        return code.address if code else 0

    def _find(self, kinds: str) -> Callable:
        code = None if 'numba' in sys.modules else loaded(self._kernel, kinds)
        native = code.function if code else None
        if native and self.quickest is self:
            self.quickest = checked(native, kinds, self)
        self._known[kinds] = native = native or self._kernel.call_numba
        return native


def checked(native: Callable, kinds: str, otherwise: Callable) -> Callable:
    """Return a function that calls `native` with arguments of some kinds, else `otherwise`.

    Its text is written for the kinds: a loop over arguments takes three times as long.
    """
    known = TESTS | {
        kind: f'type({{0}}) is Handle and handle_kind({{0}}.signature) == {kind!r}'
        for kind in kinds.split(' ')
        if kind.startswith(HANDLE)
    }
    names = [f'a{k}' for k in range(len(kinds.split(' ')))]
    if not set(kinds.split(' ')) <= known.keys():
        return otherwise
    tests = [known[kind].format(name) for kind, name in zip(kinds.split(' '), names, strict=True)]
    given = ', '.join(names)
    scope = {'native': native, 'otherwise': otherwise, 'array': np.ndarray, 'FLOAT': FLOAT}
    scope |= {'Handle': kernels.Handle, 'handle_kind': handle_kind}
    text = f'native({given}) if {" and ".join(tests)} else otherwise({given})'
    return eval(f'lambda {given}: {text}', scope)  # noqa: S307 (the text is ours)


def kind_of(argument: Any) -> str:
    """Return the type of an argument, as far as it selects compiled code, or '!' for others."""
    kind = type(argument)
    if kind is np.ndarray:
        return _arrays(argument.ndim, argument.flags.num & FLAGS, argument.dtype)
    if kind is float or kind is np.float64:
        return 'd'
    if kind is int:
        return 'q' if -LARGEST <= argument < LARGEST else '!'
    if kind is bool:
        return '?'
    if kind is kernels.Handle:
        return handle_kind(argument.signature)
    return f'({" ".join(map(kind_of, argument))})' if kind is tuple else '!'


@functools.cache
def kinds_of(signature: str) -> str:
    """Return the kinds of the arguments in a signature, as by kind_of; '!' for others."""
    given = re.fullmatch(r'\w+(?:\([^()]*\))?\(([^()]*)\)', signature)
    words = given[1].split(', ') if given else ['']
    return ' '.join(OF_WORDS.get(word, '!') for word in words)


@functools.cache
def _arrays(dimensions: int, flags: int, dtype: Any) -> str:
    if dtype != FLOAT or not flags & ALIGNED:
        return '!'
    order = 'C' if flags & IN_C else 'F' if flags & IN_FORTRAN else 'A'
    return f'{dimensions}{order}{"w" if flags & WRITEABLE else "r"}'


class Code(NamedTuple):
    """Code of a kernel in memory: a function of Python, and the address for compiled code."""

    function: Callable
    address: int


def loaded(kernel: kernels.Kernel, kinds: str) -> Code | None:
    """Return the code of a kernel for arguments of some kinds; None without an image."""
    root = kernels.cache_directory()
    if '!' in kinds or not abilities() or not cache.usable(root):
        return None
    try:
        path = str(Path(folder_of(root)) / file_of(kernel.file_name, kinds))
        content = cache.read(path)
        image = Image.unpacked(content) if content else None
        return in_memory(image) if image and image.processor == abilities() else None
    except Exception:  # whatever is not as expected  # noqa: BLE001
        return None


def in_memory(image: Image) -> Code:
    """Return the code of an image.

    Raises an error where something is missing that the code needs, or memory cannot hold code.
    """
    if sys.platform == 'win32':  # object_code.abilities has let nothing come here
        raise OSError('there is no such memory')
    addresses = {name: address_of(name) for name in image.outside}
    memory = mmap.mmap(-1, image.size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    memory[: len(image.content)] = image.content
    for at, more in image.inside:
        POINTER.pack_into(memory, at, begin + more)
    for name, places in image.outside.items():
        for at in places:
            POINTER.pack_into(memory, at, addresses[name])
    for at, constants in image.environments:
        environment = _library('_dynfunc').Environment({})
        environment.consts.extend(map(np.dtype, constants))
        _kept.append(environment)
        POINTER.pack_into(memory, at, id(environment))
    if protect(begin, image.size):
        raise OSError('memory cannot hold code')
    _kept.append(memory)
    return Code(_function(image.name, begin + image.entry), begin + image.called)


def protect(begin: int, size: int) -> int:
    """Let code in memory be run and no longer written; return 0 where that is so."""
    change = ctypes.CDLL(None).mprotect
    change.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    return change(begin, size, READ_AND_RUN)


class _Method(ctypes.Structure):
    """PyMethodDef of Python."""

    _fields_ = [
        ('name', ctypes.c_char_p),
        ('function', ctypes.c_void_p),
        ('flags', ctypes.c_int),
        ('text', ctypes.c_char_p),
    ]


def _function(name: str, address: int) -> Callable:
    """Return a function of Python in C at an address."""
    method = _Method(name.encode(), address, VARIABLE_ARGUMENTS | KEYWORDS, None)
    _kept.append(method)
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p,) * 3
    return new(ctypes.addressof(method), None, None)


@functools.cache
def address_of(name: str) -> int:
    """Return the address of a function or object that compiled code uses.

    Raises AttributeError or KeyError where there is none.
    """
    if name in REPLACED:
        return ctypes.cast(REPLACED[name], ctypes.c_void_p).value or 0
    if name.startswith(EXCEPTION):  # for numba these are the objects
        return id(getattr(builtins, name.removeprefix(EXCEPTION)))
    if name == '_Py_NoneStruct':
        return id(None)
    for library, prefix in LIBRARIES.items():
        if name.startswith(prefix):
            return _library(library).c_helpers[name.removeprefix(prefix)]
    return ctypes.cast(getattr(ctypes.CDLL(None), name), ctypes.c_void_p).value or 0


@functools.cache
def _library(name: str) -> Any:
    """Return one of numba's modules in C, without importing numba; ImportError without it."""
    package = importlib.util.find_spec('numba')
    if package is None or not package.submodule_search_locations:
        raise ImportError('numba is not installed')
    stem = Path(package.submodule_search_locations[0], *name.split('.'))
    for suffix in importlib.machinery.EXTENSION_SUFFIXES:
        path = f'{stem}{suffix}'
        if Path(path).exists():
            # Its own name, by which Python knows it when numba is imported later.
            spec = importlib.util.spec_from_file_location(f'numba.{name}', path)
            assert spec and spec.loader
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise ImportError(f'numba has no {name}')


@functools.cache
def _unpickled(address: int, size: int) -> Any:
    return pickle.loads(ctypes.string_at(address, size))


@ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
def _unpickle(address: int, size: int, digest: int) -> Any:
    """Return an object of compiled code; numba's function would import all of numba."""
    return _unpickled(address, size)


@ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.py_object)
def _exception_of(structure: Any, arguments: Any) -> Any:
    """Return the exception that compiled code raises with arguments of the call."""
    with kernels.compiler():
        from numba.core.serialize import runtime_build_excinfo_struct

    return runtime_build_excinfo_struct(structure, arguments)


# Functions of numba for which compiled code gets these.
REPLACED: dict[str, Any] = {
    'numba_unpickle': _unpickle,
    'numba_runtime_build_excinfo_struct': _exception_of,
}
