# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that runs kernels in Python, with the same bits: nothing is compiled.

For `make mutants`, where a fault in core would make each be compiled again: -p interpreted
"""

from spacecraft_attitude_sim.kernels.kernel import Kernel


def pytest_configure():
    """Let every kernel be its plain function."""
    Kernel._first = lambda self, *arguments: self.function(*arguments)
