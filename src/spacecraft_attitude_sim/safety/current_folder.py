# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Hide files in the current folder, which may be untrusted, from libraries."""

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def without(name: str) -> Iterator[None]:
    """Hide a file in the current folder from a library that looks for its settings there."""
    exists = os.path.exists
    hidden = [name]
    with contextlib.suppress(OSError):  # the folder may not exist any more
        hidden.append(os.path.join(os.getcwd(), name))
    os.path.exists = lambda path: path not in hidden and exists(path)
    try:
        yield
    finally:
        os.path.exists = exists
