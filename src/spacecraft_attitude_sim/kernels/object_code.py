# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Machine code of a kernel in a form that a process can load without the compiler.

LLVM writes the code of a kernel as a relocatable object, in which addresses are still open. Here
its sections are laid out one after another, with a list of the places where addresses stand.
kernels.light puts this image into memory and writes the addresses. ELF for x86-64 is read, and of
it what LLVM makes for numba; for anything else there is no image, and numba loads the code.
https://refspecs.linuxfoundation.org/elf/elf.pdf and https://gitlab.com/x86-psABIs/x86-64-ABI.
"""

from __future__ import annotations

import contextlib
import functools
import marshal
import os
import platform
import struct
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.kernels import cache

ELF_X86_64 = b'\x7fELF\x02\x01'
X86_64 = 62
# Kinds and flags of sections; LLVM marks the tables for exceptions, which nothing here raises.
SYMBOLS, ADDRESSES, UNWINDING = 2, 4, 0x70000001
WRITABLE, IN_MEMORY = 1, 2
# Places of symbols that stand in no section.
OUTSIDE, ABSOLUTE, COMMON = 0, 0xFFF1, 0xFFF2
# The one kind of address that code may hold: R_X86_64_64, the whole address.
WHOLE = 1
# Kinds of symbols that need more than an address: thread-local, chosen when loaded.
SPECIAL = {6, 10}
POINTER = struct.Struct('<Q')
# Names of the pointers to numba's environments begin with it.
ENVIRONMENT = '_ZN08NumbaEnv'
# What begins the names of functions that numba brings itself.
HELPER = 'numba_'
# Code that uses these calls numba's modules in Python.
OF_NUMBA = {'PyImport_ImportModule'}
# Folder of the images within that of compiled code, and the end of their names.
FOLDER, SUFFIX = 'light', 'nbl'
# What begins the text of the type of a Handle.
HANDLE = '@'
# Variables that numba reads begin with it; with any but these, numba loads the code.
SETTING = 'NUMBA_'
WITHOUT_EFFECT = {'NUMBA_CACHE_DIR'}


class UnsupportedError(ValueError):
    """Object code of which there is no image."""


class Image(NamedTuple):
    """The code of one kernel for arguments of some types.

    processor: what the processor can do (`abilities`)
    name: of the function
    content: the bytes of all sections, zero where addresses stand; size: with what follows them
    inside: offsets of places of addresses in the image, and the offset of what each names
    outside: names of other functions and objects, and the offsets of places of their addresses
    environments: (offset of the pointer to an environment, the dtypes of its constants)
    entry: offset of the function that Python calls;  called: of that which compiled code calls
    """

    processor: str
    name: str
    content: bytes
    size: int
    inside: list[tuple[int, int]]
    outside: dict[str, list[int]]
    environments: list[tuple[int, tuple[str, ...]]]
    entry: int
    called: int

    def packed(self) -> bytes:
        """Return it as bytes."""
        return marshal.dumps(tuple(self))

    @classmethod
    def unpacked(cls, content: bytes) -> Image:
        """Return the image whose bytes these are."""
        return cls(*marshal.loads(content))


class Section(NamedTuple):
    """A row of the table of sections of an ELF file; offset and size are those in the file."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    about: int
    alignment: int
    item: int


class Symbol(NamedTuple):
    """A row of the table of symbols; place: number of a section, or OUTSIDE, ABSOLUTE, COMMON."""

    name: str
    kind: int
    place: int
    value: int
    size: int


def file_of(kernel_file: str, kinds: str) -> str:
    """Return the name of the file of an image.

    kernel_file: Kernel.file_name;  kinds: of the arguments
    """
    return f'{kernel_file}.{cache.digest_of(kinds.encode()).hex()[:8]}.{SUFFIX}'


def folder_of(root: str) -> str:
    """Return the private folder of images within that of compiled code, or raise OSError."""
    folder = str(Path(root) / FOLDER)
    cache.make_private(folder)
    return folder


@functools.cache
def abilities() -> str:
    """Return what this processor can do; '' where code is not loaded without numba."""
    set_by_user = {name for name in os.environ if name.startswith(SETTING)} - WITHOUT_EFFECT
    if sys.platform != 'linux' or platform.machine() != 'x86_64' or set_by_user:
        return ''
    with contextlib.suppress(OSError), open('/proc/cpuinfo', encoding='utf-8') as lines:
        for line in lines:
            if line.startswith('flags'):
                return cache.digest_of(line.encode()).hex()
    return ''


def image_of(
    code: bytes, entry: str, called: str, name: str, processor: str,
    constants: dict[str, tuple[str, ...]], mathematics: Collection[str],
) -> Image:  # fmt: skip
    """Return the image of object code.

    code: an ELF file for x86-64
    entry: symbol of the function that Python calls;  called: of that which compiled code calls
    name: what Python calls it
    processor: as in Image
    constants: {name of an environment: dtypes of its constants}
    mathematics: names of functions that numba brings itself, with HELPER before them
    Raises UnsupportedError where an image cannot hold what the code needs.
    """
    sections = _sections(code)
    symbols = _symbols(code, sections)
    content, starts = _laid_out(code, sections)
    size, commons = _commons(symbols, len(content))
    inside: list[tuple[int, int]] = []
    outside: dict[str, list[int]] = {}
    for section in sections:
        if section.kind != ADDRESSES or section.about not in starts:
            continue
        for where, kind, more in struct.iter_unpack('<QQq', _bytes_of(code, section)):
            symbol, at = symbols[kind >> 32], starts[section.about] + where
            if kind & 0xFFFFFFFF != WHOLE or symbol.kind in SPECIAL:
                raise UnsupportedError(f'an address of kind {kind & 0xFFFFFFFF}')
            if symbol.place == OUTSIDE and not more:
                key = HELPER * (symbol.name in mathematics) + symbol.name
                outside.setdefault(key, []).append(at)
            elif symbol.place == COMMON:
                inside.append((at, commons[symbol.name] + more))
            else:
                inside.append((at, _start(symbol, starts) + more))
    if not OF_NUMBA.isdisjoint(outside):
        raise UnsupportedError('it calls modules in Python')
    environments = [(commons[key], kinds) for key, kinds in constants.items() if key in commons]
    places = {symbol.name: symbol for symbol in symbols}
    begins = [_start(places[symbol], starts) for symbol in (entry, called)]
    return Image(processor, name, content, size, inside, outside, environments, *begins)


def _start(symbol: Symbol, starts: dict[int, int]) -> int:
    """Return the offset of a symbol of a section in the image."""
    if symbol.place not in starts:
        raise UnsupportedError(f'{symbol.name} is in no section that is loaded')
    return starts[symbol.place] + symbol.value


def _sections(code: bytes) -> list[Section]:
    if not code.startswith(ELF_X86_64) or struct.unpack_from('<H', code, 18) != (X86_64,):
        raise UnsupportedError('no ELF for x86-64')
    (table,) = POINTER.unpack_from(code, 40)
    (count,) = struct.unpack_from('<H', code, 60)
    rows = (struct.unpack_from('<IIQQQQIIQQ', code, table + 64 * k) for k in range(count))
    return [Section(*row) for row in rows]


def _bytes_of(code: bytes, section: Section) -> bytes:
    return code[section.offset : section.offset + section.size]


def _symbols(code: bytes, sections: list[Section]) -> list[Symbol]:
    (table,) = (section for section in sections if section.kind == SYMBOLS)
    names, symbols = _bytes_of(code, sections[table.link]), []
    for row in struct.iter_unpack('<IBBHQQ', _bytes_of(code, table)):
        name, about, _, place, value, size = row
        text = names[name : names.index(b'\0', name)].decode()
        symbols.append(Symbol(text, about & 15, place, value, size))
    return symbols


def _laid_out(code: bytes, sections: list[Section]) -> tuple[bytes, dict[int, int]]:
    """Return the bytes of all sections that are loaded, and {number of a section: its offset}."""
    content, starts = bytearray(), {}
    for number, section in enumerate(sections):
        if not section.flags & IN_MEMORY or section.kind == UNWINDING:
            continue
        if section.flags & WRITABLE:
            raise UnsupportedError('the code has variables')
        content += bytes(-len(content) % max(1, section.alignment))
        starts[number] = len(content)
        content += _bytes_of(code, section)
    return bytes(content), starts


def _commons(symbols: list[Symbol], begin: int) -> tuple[int, dict[str, int]]:
    """Return the size of the image with the pointers to environments, and their offsets."""
    end, offsets = begin + -begin % POINTER.size, {}
    for symbol in symbols:
        if symbol.place == COMMON:
            if not symbol.name.startswith(ENVIRONMENT):
                raise UnsupportedError(f'the code has a variable, {symbol.name}')
            offsets[symbol.name] = end
            end += POINTER.size
    return end, offsets


def environments_of(code: bytes) -> list[str]:
    """Return the names of the environments in object code."""
    symbols = _symbols(code, _sections(code))
    return [symbol.name for symbol in symbols if symbol.name.startswith(ENVIRONMENT)]


def dtypes_of(constants: Any) -> tuple[str, ...]:
    """Return the texts of the constants of an environment, if all are dtypes."""
    if not all(isinstance(constant, np.dtype) for constant in constants):
        raise UnsupportedError('a constant that is no dtype')
    return tuple(constant.str for constant in constants)


@functools.cache
def handle_kind(signature: str) -> str:
    """Return the text of the type of a kernels.kernel.Handle of functions of a signature."""
    return HANDLE + signature.replace(' ', '')


def text_of(kinds: Any) -> str:
    """Return the text that tells numba's types of arguments, as kernels.light tells arguments.

    Raises UnsupportedError for a type of which there is no image.
    """
    from numba import types

    plain = {types.float64: 'd', types.int64: 'q', types.boolean: '?'}
    texts = []
    for kind in kinds:
        if isinstance(kind, types.Array) and kind.dtype == types.float64 and kind.aligned:
            texts.append(f'{kind.ndim}{kind.layout}{"w" if kind.mutable else "r"}')
        elif isinstance(kind, types.Tuple | types.UniTuple):
            texts.append(f'({text_of(kind)})')
        elif isinstance(text := getattr(kind, 'text', None), str):  # of kernels.addresses
            texts.append(handle_kind(text))
        elif kind in plain:
            texts.append(plain[kind])
        else:
            raise UnsupportedError(f'an argument of type {kind}')
    return ' '.join(texts)
