# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The kernels of a package, found in its modules: a new one need not be put on a list."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

from spacecraft_attitude_sim.kernels.kernel import Kernel


def of_package(package: ModuleType) -> Iterator[Kernel]:
    """Yield the Kernels of a package, those of one module after those of another, each once."""
    known: set[int] = set()
    for module in pkgutil.walk_packages(package.__path__, f'{package.__name__}.'):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, Kernel) and id(value) not in known:
                known.add(id(value))
                yield value


def of_one_signature(package: ModuleType) -> Iterator[Kernel]:
    """Yield those that can be compiled before they are called."""
    return (kernel for kernel in of_package(package) if kernel.signature is not None)
