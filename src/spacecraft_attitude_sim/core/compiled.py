# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""How hot loops are compiled: numba, cached on disk, no fast-math.

Without fast-math the compiler may not reorder or fuse floating-point operations, so the same
inputs give the same bits in every caller (node, headless run, batch).
"""

import numba


def compiled(function):
    """Compile a plain function over floats and flat float64 arrays."""
    try:
        return numba.njit(cache=True)(function)
    except RuntimeError:
        # No writable cache directory (read-only installation and home): compile afresh.
        return numba.njit(function)


def compiled_as(signature):
    """Compile a plain function for one signature, so that its address can be handed around."""

    def compile_now(function):
        try:
            return numba.njit(signature, cache=True)(function)
        except RuntimeError:
            return numba.njit(signature)(function)

    return compile_now


# For the parts of a long compiled loop: compiled with their caller and kept in its cache. A helper
# always disappears into its caller, which spares it the passing of long tuples; a part may stay a
# call of its own. Both take a division by zero as NumPy does: its check costs a tenth of the time.
helper = numba.njit(forceinline=True, error_model='numpy')
part = numba.njit(error_model='numpy')

# For the small helpers of a compiled loop: they disappear into their caller, which lets the
# compiler vectorise a loop over bodies.
inlined = numba.njit(inline='always')
