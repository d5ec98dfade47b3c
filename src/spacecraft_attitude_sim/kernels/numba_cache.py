# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""numba's cache of compiled code, with the private, checked files of kernels.cache.

It imports numba: import it when something is compiled.
"""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from numba.core import caching
from numba.core.environment import lookup_environment
from numba.core.intrinsics import INTR_MATH

from spacecraft_attitude_sim.kernels import object_code
from spacecraft_attitude_sim.kernels.cache import (
    digest_of,
    drop,
    make_private,
    read,
    save_errors,
    say,
    write,
)
from spacecraft_attitude_sim.kernels.code_digest import digests
from spacecraft_attitude_sim.safety import system

PACKAGE = Path(__file__).resolve().parent.parent
# File of each folder of code that one process at a time locks, to write there.
LOCK = 'lock'
# Before numba 0.62 its name began with _.
NAME = 'UserProvidedCacheLocator'
UserProvided: Any = getattr(caching, NAME, None) or getattr(caching, f'_{NAME}')


@contextlib.contextmanager
def _dropping(file: CodeFile) -> Iterator[None]:
    """Context that drops a CodeFile that cannot be read."""
    try:
        yield
    except Exception:  # whatever numba's and LLVM's readers raise
        file.drop()


class Locator(UserProvided):
    """The folder of numba's setting CACHE_DIR, kept private."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """Return the folder within it for the functions of a file.

        That of a file of the package is without its place: another installation finds the same
        code.
        """
        with contextlib.suppress(ValueError):
            return '_'.join(Path(py_file).resolve().parent.relative_to(PACKAGE).parts) or '_'
        return super().get_suitable_cache_subpath(py_file)

    def get_source_stamp(self) -> bytes:
        """Return the same for all versions of a file: names tell of what code was made."""
        return b''

    def ensure_cache_path(self) -> None:
        """Create the folder, or raise OSError."""
        make_private(self.get_cache_path())


class Implementation(caching.CompileResultCacheImpl):
    """Where one function is kept."""

    _locator_classes = [Locator]

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Return the CompileResult of what was kept; its library keeps the machine code, too."""
        code = super().rebuild(target_context, payload)
        code.library.machine_code = payload[0][2][0]
        return code


class CodeFile(caching.IndexDataCacheFile):
    """An index and the code it names, each in a file that appears whole or not at all."""

    def drop(self) -> None:
        """Delete the index, so that the code is made again."""
        drop(self._index_path)

    def save(self, key: tuple, data: Any) -> None:
        """Save the code of a signature; two at a time would get one file for two signatures."""
        with system.locked(os.path.join(self._cache_path, LOCK)):
            super().save(key, data)

    def _load_index(self) -> dict:
        content = read(self._index_path)
        version, stamp, overloads = pickle.loads(content) if content else (None, None, {})
        known = (version, stamp) == (self._version, self._source_stamp)
        return overloads if known else {}

    def _save_index(self, overloads: dict) -> None:
        self._write(self._index_path, (self._version, self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        content = read(self._data_path(name))
        return pickle.loads(content) if content else None

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _write(self, path: str, data: Any) -> None:
        content = self._dump(data)
        with self._open_for_write(path) as file:
            os.chmod(file.name, 0o600)
            file.write(digest_of(content) + content)


class CodeCache(caching.FunctionCache):
    """The compiled forms of one function on disk; name: of its files, without the suffix."""

    _impl_class = Implementation
    _cache_file: CodeFile

    def __init__(self, function: Callable, name: str) -> None:
        super().__init__(function)
        self._name = name
        self._cache_file = CodeFile(self._cache_path, name, self._impl.locator.get_source_stamp())

    def _index_key(self, signature: Any, codegen: Any) -> tuple:
        # The file's name tells of the function; the type of Functions does not tell of theirs.
        kinds = getattr(signature, 'args', signature)
        given = [digests.of(kind.functions) for kind in kinds if hasattr(kind, 'functions')]
        return signature, codegen.magic_tuple(), *given

    def load_overload(self, *arguments: Any) -> Any:
        """Return what is kept for arguments, or None; numba then compiles."""
        with _dropping(self._cache_file):
            if code := super().load_overload(*arguments):
                self._keep_image(code)
            return code
        return None

    def save_overload(self, *arguments: Any) -> None:
        """Keep what numba has compiled."""
        try:
            super().save_overload(*arguments)
        except OSError as error:
            folder = Path(self._cache_path).parent
            save_errors.append(f'compiled code cannot be kept in {folder}: {error.strerror}')
            say(save_errors[-1])
        else:
            self._keep_image(arguments[1])

    def _keep_image(self, code: Any) -> None:
        """Keep an image of compiled code for kernels.light, where one is possible, or is there."""
        with contextlib.suppress(Exception):  # whatever another numba does in another way
            kinds = object_code.text_of(code.signature.args)
            folder = object_code.folder_of(str(Path(self._cache_path).parent))
            path = os.path.join(folder, object_code.file_of(self._name, kinds))
            if object_code.abilities() and not os.path.exists(path):
                write(path, _image_of(code).packed())
        code.library.machine_code = None


def _image_of(code: Any) -> object_code.Image:
    """Return the image of what numba has compiled or loaded; code: its CompileResult."""
    loaded = getattr(code.library, 'machine_code', None)
    machine_code = loaded or code.library._get_compiled_object()
    constants = {}
    for name in object_code.environments_of(machine_code):
        own = name == code.fndesc.env_name
        if environment := code.environment if own else lookup_environment(name):
            constants[name] = object_code.dtypes_of(environment.consts)
    return object_code.image_of(
        machine_code, code.fndesc.llvm_cpython_wrapper_name, code.fndesc.llvm_func_name,
        code.fndesc.qualname, object_code.abilities(), constants, INTR_MATH,
    )  # fmt: skip
