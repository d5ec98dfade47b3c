# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The orbit of a recorded scenario, orbit.computed.*, by which a replay is bit-identical."""

from __future__ import annotations

import base64
import binascii
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.parameter import Parameter, ParameterError
from spacecraft_attitude_sim.configuration.suggestion import hint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.mathematics.types import Array

# A recorded scenario also stores, so that a replay is bit-identical:
# - utc and epoch: the constants of its epoch, whose last bits depend on the version of ERFA;
# - neighbours: how many nodes the interpolation uses; if missing, 4 (the first versions);
# - span: for how long one sky holds at most [s]; if missing, a tick (earlier versions);
# - table: the orbit and air from a library or a file, as one flat float64 array in base64.
COMPUTED_PREFIX = 'orbit.computed.'
COMPUTED = ('utc', 'epoch', 'neighbours', 'span', 'table')


def split_computed(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split off orbit.computed.*: return the other parameters and {name: array, or the text utc}.

    Raises ParameterError naming key, value and remedy.
    """
    rest = {name: value for name, value in given.items() if not name.startswith(COMPUTED_PREFIX)}
    computed: dict[str, Any] = {}
    for name in given.keys() - rest.keys():
        short = name.removeprefix(COMPUTED_PREFIX)
        if short not in COMPUTED:
            known = [COMPUTED_PREFIX + each for each in COMPUTED]
            raise ParameterError(f'{name} is not a parameter; {hint(name, known)}')
        if short == 'epoch':
            sixteen = Parameter(name, [], '', '', length=(16,), low=-1e9, high=1e9)
            computed[short] = np.array(sixteen.checked(given[name]))
        elif short == 'neighbours':
            computed[short] = _neighbours(name, given[name])
        elif short == 'span':
            computed[short] = _span(name, given[name])
        elif short == 'utc':
            computed[short] = Parameter(name, '', '', '', str).checked(given[name])
        else:
            text = Parameter(name, '', '', '', str).checked(given[name])
            computed[short] = numbers_in(name, text)
    lacking = {'utc', 'epoch'} - computed.keys() if computed else set()
    if lacking:
        raise ParameterError(f'{COMPUTED_PREFIX}{min(lacking)} is missing; give all, or none')
    return rest, computed


def _neighbours(name: str, given: object) -> int:
    """Return the recorded number of interpolation nodes."""
    from spacecraft_attitude_sim.core.environment.orbit_table import NEIGHBOURS

    number: int = Parameter(name, 0, '', '', int).checked(given)
    if number != NEIGHBOURS:
        raise ParameterError(
            f'{name} is {number}, but this version needs {NEIGHBOURS}; read it with the version '
            'that recorded it'
        )
    return number


def _span(name: str, given: object) -> float:
    """Return the recorded longest span of a sky [s]."""
    from spacecraft_attitude_sim.core.environment.sky import REACH

    span: float = Parameter(name, 0.0, '', '').checked(given)
    if span != REACH:
        raise ParameterError(
            f'{name} is {span:g} s, but this version needs {REACH:g} s; read it with the version '
            'that recorded it'
        )
    return span


def computed(values: Mapping[str, Any], around: Surroundings | None) -> dict[str, Any]:
    """Return the parameters orbit.computed.* of Surroundings; {} without an Earth orbit."""
    if around is None or around.epoch is None:
        return {}
    from spacecraft_attitude_sim.core.environment.orbit_table import NEIGHBOURS
    from spacecraft_attitude_sim.core.environment.sky import REACH

    found: dict[str, Any] = {
        f'{COMPUTED_PREFIX}utc': around.epoch.utc,
        f'{COMPUTED_PREFIX}epoch': around.epoch.constants.tolist(),
        f'{COMPUTED_PREFIX}neighbours': NEIGHBOURS,
        f'{COMPUTED_PREFIX}span': REACH,
    }
    if not around.exact:
        found[f'{COMPUTED_PREFIX}table'] = text_of(around.kept(0.0, end_of_run(values)))
    return found


def text_of(values: Array) -> str:
    """Return the base64 text of an array; `numbers_in` reads it."""
    return base64.b64encode(values.astype('<f8').tobytes()).decode()


def numbers_in(name: str, text: str) -> Array:
    """Return the flat array that a base64 text holds; ParameterError for a damaged one.

    name: of its parameter
    """
    try:
        flat = np.frombuffer(base64.b64decode(text, validate=True), dtype='<f8')
    except (binascii.Error, ValueError):
        flat = np.zeros(0)
    if not flat.size or not np.isfinite(flat).all():
        raise ParameterError(f'{name} is damaged; record it anew')
    return flat.astype(float)


def end_of_run(values: Mapping[str, Any]) -> float:
    """Return for how long a run needs the orbit [s]: to the end of its last tick."""
    rate = values['tick_rate']
    return max(1.0, math.ceil(values['duration'] * rate - 1e-6) / rate)
