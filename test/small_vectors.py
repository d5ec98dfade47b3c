# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Vectors of three components in a fraction of NumPy's time, for integrators of the tests.

Not those of core, which these integrators check.
"""

import numpy as np


def cross(a, b):
    """Return a × b of two vectors (3,)."""
    (x, y, z), (u, v, w) = np.asarray(a).tolist(), np.asarray(b).tolist()
    return np.array((y * w - z * v, z * u - x * w, x * v - y * u))
