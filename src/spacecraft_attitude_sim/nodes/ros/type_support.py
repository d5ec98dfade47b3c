# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Import what finds the C code of messages, without what writes such code."""

from __future__ import annotations

import sys
from contextlib import suppress

# The part of `rosidl_generator_py` that writes code; the package goes on without it.
GENERATOR = 'rosidl_generator_py.generate_py_impl'


def import_without_generator() -> None:
    """Import rosidl_generator_py without its generator of code, unless it is there already.

    The first message of a process imports this package, for one function. The generator beside it
    brings a parser of grammars and a language of templates: 25 ms of processor time, and 2 MB.
    """
    if GENERATOR in sys.modules:
        return
    sys.modules[GENERATOR] = None  # type: ignore[assignment]  # so its import fails
    try:
        with suppress(ImportError):  # each message tells who lacks the package
            import rosidl_generator_py  # type: ignore[import-untyped]  # noqa: F401
    finally:
        del sys.modules[GENERATOR]
