# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The loads of the environment, in the order in which the step adds them.

Add a new load at the end: its module in this package. `table` is where an array of constants has
two numbers for each load, in this order: count of its rows, and where they begin.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.kernels.branches import rarely
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spacecraft_attitude_sim.core.environment.loads.load import Acting, Load, LoadKind
    from spacecraft_attitude_sim.core.mathematics.types import Array

NAMES = (
    'uniform_gravity',
    'gravity_gradient',
    'residual_dipole',
    'air_drag',
    'solar_pressure',
    'bearing',
)
# Those without which code shall be fast: they call functions, and that costs all registers.
RARE = ('aerodynamic', 'solar_pressure', 'weight')
LOADS: tuple[LoadKind, ...] = tuple(import_module(f'{__package__}.{name}').KIND for name in NAMES)
TABLE_SIZE = 2 * len(LOADS)
# Where `table` has the gravity gradient.
GRADIENT = 2 * NAMES.index('gravity_gradient')


def with_loads(parts: Array, table: int, acting: Iterable[Acting | Load]) -> Array:
    """Return an array of constants with the rows of loads at its end, and its table filled.

    Loads that are constant in world axes are left out: a solver has them in its wrench.
    """
    whole, end, more = parts.copy(), len(parts), []
    for load in acting:
        if not load.kind.constant:
            at = table + 2 * LOADS.index(load.kind)
            whole[at : at + 2] = len(load.rows), end
            more.append(np.asarray(load.rows, dtype=float).ravel())
            end += more[-1].size
    return np.concatenate((whole, *more))


def _in_turn(name: str, arguments: str, phase: str, kinds: Sequence[LoadKind]) -> Any:
    """Return a compiled function that hands `sums` through a phase of some loads, in order."""
    known: dict[str, Any] = {'__name__': __name__, 'rarely': rarely}
    lines = [f'def {name}(sums, parts, table{arguments}):']
    for kind in kinds:
        if function := getattr(kind, phase):
            slot = LOADS.index(kind)
            known[f'f{slot}'] = function
            seldom = 'rarely' if kind.name in RARE else ''
            lines += [
                f'    if {seldom}(parts[table + {2 * slot}] > 0.0):',
                f'        sums = f{slot}(sums, parts, int(parts[table + {2 * slot + 1}]),'
                f' int(parts[table + {2 * slot}]){arguments})',
            ]
    exec('\n'.join((*lines, '    return sums')), known)
    return helper(known[name])


def _any(name: str, kinds: Sequence[LoadKind]) -> Any:
    """Return a compiled function of (parts, table): whether one of these loads acts."""
    acts = [f'parts[table + {2 * LOADS.index(kind)}] > 0.0' for kind in kinds]
    known: dict[str, Any] = {'__name__': __name__}
    exec(f'def {name}(parts, table):\n    return {" or ".join(acts)}', known)
    return helper(known[name])


_STEPPED = [kind for kind in LOADS if not kind.constant]
_OTHERS = [kind for kind in _STEPPED if kind.name != 'gravity_gradient']
_MOTION, _POSE = ', whole, y, turn, velocity, here', ', whole, y, turn, here'
# Functions of (sums, parts, table, …) over all loads; the other arguments are those of LoadKind.
# pull: wrench of those that are gravitational, press: of the others, but for dipoles, of which
# `dipole` is the sum.
pull = _in_turn('pull', _MOTION, 'wrench', [kind for kind in _STEPPED if kind.pulls])
press = _in_turn(
    'press', _MOTION, 'wrench', [one for one in _STEPPED if not (one.pulls or one.dipole)]
)
dipole = _in_turn('dipole', '', 'dipole', _STEPPED)
gained = _in_turn('gained', ', inertia, y, turn, here', 'gained', _STEPPED)
bound = _in_turn('bound', ', whole, inertia, here', 'bound', _STEPPED)
potential = _in_turn('potential', _POSE, 'potential', _STEPPED)
# Without the gravity gradient.
other_potential = _in_turn('other_potential', _POSE, 'potential', _OTHERS)
# Whether there are others than the gravity gradient and dipoles.
unusual = _any('unusual', [kind for kind in _OTHERS if not kind.dipole])
# Whether the origin of the body's axes is held at rest.
holds = _any('holds', [kind for kind in _STEPPED if kind.holds])
