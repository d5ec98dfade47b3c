# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Load the C and C++ libraries of ROS while Python imports our modules."""

from __future__ import annotations

import ctypes
import importlib
import sys
import threading
from contextlib import suppress
from importlib.machinery import PathFinder
from importlib.util import find_spec

# Modules with a library of their own that a node imports before rclpy. The system loads one
# library at a time: a module imported meanwhile would wait for all libraries of ROS.
BEFORE = ('numpy', 'select', 'array', '_csv', 'zlib', 'binascii', 'yaml')
# The library of rclpy; about a hundred others come with it, for 40 to 55 ms.
OF_RCLPY = '_rclpy_pybind11'


def load_beside() -> None:
    """Begin to load the libraries of rclpy in a thread, and return; rclpy finds them loaded.

    Nothing happens if rclpy is missing or imported. A library that cannot be loaded is left to the
    import of rclpy, which reports it.
    """
    if sys.platform != 'linux' or 'rclpy' in sys.modules:
        return
    path = _path()
    if not path:
        return
    for name in BEFORE:
        with suppress(ImportError):  # reported where it is used
            importlib.import_module(name)
    # Unlike ctypes.CDLL, a function of a library runs without the lock of the interpreter.
    load = ctypes.CDLL(None).dlopen
    load.argtypes, load.restype = (ctypes.c_char_p, ctypes.c_int), ctypes.c_void_p
    # Not a daemon: the process must not end in the middle of it.
    threading.Thread(target=load, args=(path.encode(), sys.getdlopenflags())).start()


def _path() -> str:
    """Return the path of the library of rclpy, or ''."""
    package = find_spec('rclpy')
    places = package.submodule_search_locations if package else None
    library = PathFinder.find_spec(OF_RCLPY, places) if places else None
    return (library.origin or '') if library else ''
