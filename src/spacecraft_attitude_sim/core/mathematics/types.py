# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Names of array types by content and shape; to a type checker all are arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# (3,), three or more of them (N, 3), and (3, 3).
Vector3 = Array
Vectors3 = Array
Matrix3 = Array
# (4,), w first.
Quaternion = Array
# (13,), (12,), (12,), (6,) of core.body.state, RigidBody.flat and core.body.loads.
FlatState = Array
FlatBody = Array
FlatWrench = Array
FlatImpulse = Array
# Tuples of floats between compiled functions; and what a caller may pass as an array.
Floats = tuple[float, ...]
# A float, or an array for many at once.
Real = Any
VectorLike = Sequence[float] | Array
