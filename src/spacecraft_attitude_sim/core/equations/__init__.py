# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Equations of motion, one file for each set, and their names.

Each file gives `advance(flat_state, body, wrench, duration, substeps)`, `trajectory(…, steps)`,
`tick`, which a simulation calls, and SUBSTEP_ANGLE. shared/driver.py makes the functions from one
integration step; they are compiled when first called. The sets differ in the variables that they
integrate; state, body and wrench are the same. A new set is one file and one row here.
"""

import functools
import importlib
from types import ModuleType
from typing import NamedTuple


class Entry(NamedTuple):
    """Facts about a set of equations, known before its module is loaded.

    summary: one line;  order: textbook order of the error in the step
    conserves_L: whether the inertial angular momentum is constant to the last bit without torque
    exact: whether motion without torque is exact in one step
    """

    summary: str
    order: int
    conserves_L: bool
    exact: bool = False


REGISTRY = {
    'momentum': Entry('momentum form with inertial L, RK4', 4, True),
    'principal_axis_euler': Entry('momentum form, semi-implicit Euler', 1, True),
    'euler_explicit': Entry("Euler's equation, explicit Euler: L grows without end", 1, False),
    'euler_quaternion': Entry("Euler's equation and quaternion, RK4", 4, False),
    'euler_dcm': Entry("Euler's equation and direction cosine matrix, RK4", 4, False),
    'lagrange': Entry("Lagrange's equations on Euler angles 3-2-1, RK4", 4, False),
    'body_momentum': Entry('momentum in body axes, attitude corrected onto L, RK4', 4, True),
    'exact_kick2': Entry('exact free motion between kicks of the wrench', 2, True, True),
    'exact_kick4': Entry('exact free motion between kicks with force gradient', 4, True, True),
}


@functools.cache
def load(name: str) -> ModuleType:
    """Return the module of the equations called `name`.

    Raises ValueError that lists the valid names.
    """
    if name not in REGISTRY:
        raise ValueError(f'equations are {name!r}; choose one of {", ".join(REGISTRY)}')
    return importlib.import_module(f'{__name__}.{name}')
