# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The folder one stands in may be anybody's: what libraries would read there is hidden."""

import contextlib
import os


@contextlib.contextmanager
def without(name):
    """Hide a file of the current folder from a library that looks for its settings there."""
    exists = os.path.exists
    hidden = [name]
    with contextlib.suppress(OSError):  # the folder may be gone
        hidden.append(os.path.join(os.getcwd(), name))
    os.path.exists = lambda path: path not in hidden and exists(path)
    try:
        yield
    finally:
        os.path.exists = exists
