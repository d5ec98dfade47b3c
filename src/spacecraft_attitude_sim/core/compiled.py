# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""How hot loops are compiled: numba, cached on disk, no fast-math.

Without fast-math the compiler may not reorder or fuse floating-point operations, so the same
inputs give the same bits in every caller (node, headless run, batch).
"""

import hashlib
import os
from pathlib import Path
from typing import Any

import numba


def _cache_directory():
    """Return a folder of compiled code that only this very version of core/ uses.

    numba's own check sees a changed function but not a changed helper it calls, and would run
    stale code.
    """
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob('*.py')):
        digest.update(path.read_bytes())
    cache = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    root = numba.config.CACHE_DIR or Path(cache) / 'spacecraft_attitude_sim'
    return str(Path(root) / digest.hexdigest()[:16])


def _jit(*signature, **options):
    """Return numba's decorator with the code kept on disk; compile afresh where that cannot be."""

    def decorate(function):
        outside, numba.config.CACHE_DIR = numba.config.CACHE_DIR, CACHE_DIRECTORY
        try:
            return numba.njit(*signature, cache=True, **options)(function)
        except (RuntimeError, OSError):
            return numba.njit(*signature, **options)(function)
        finally:
            numba.config.CACHE_DIR = outside

    return decorate


CACHE_DIRECTORY = _cache_directory()
# Compile a plain function over floats and flat float64 arrays, when first called.
compiled = _jit()


def compiled_as(signature):
    """Compile a plain function for one signature, so that its address can be handed around."""
    return _jit(signature)


# For the parts of a long compiled loop: compiled with their caller and kept in its cache. A helper
# always disappears into its caller, which spares it the passing of long tuples; a part may stay a
# call of its own. Both take a division by zero as NumPy does: its check costs a tenth of the time,
# and would keep a loop over lanes of bodies from being vectorised.
# Neither can be called from Python: a way in for long tuples costs more to compile than the rest.
_INNER: dict[str, Any] = {
    'error_model': 'numpy',
    'no_cpython_wrapper': True,
    'no_cfunc_wrapper': True,
}
helper = numba.njit(forceinline=True, **_INNER)
part = numba.njit(**_INNER)

# For the small helpers of a compiled loop: they disappear into their caller, which lets the
# compiler vectorise a loop over bodies.
inlined = numba.njit(inline='always')


def unlocked_as(signature):
    """Compile for one signature what threads run beside each other."""
    return _jit(signature, nogil=True, error_model='numpy')
