# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node mission_modes: their checks and conversion to types of core."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import (
    aboard,
    condition,
    earth_parameters,
    earth_surroundings,
    parameters,
    suggestion,
)
from spacecraft_attitude_sim.configuration.parameter import (
    Parameter,
    ParameterError,
    blame,
)
from spacecraft_attitude_sim.configuration.parts import reaction_wheels as wheels
from spacecraft_attitude_sim.configuration.parts.named import catalogued, refuse_twice
from spacecraft_attitude_sim.core.control import attitude_loop
from spacecraft_attitude_sim.core.mission import quantities
from spacecraft_attitude_sim.core.mission.mode_machine import ModeMachine
from spacecraft_attitude_sim.core.mission.quantities import Knowledge, Wheels
from spacecraft_attitude_sim.core.mission.table import Mode, Order, Table, Transition
from spacecraft_attitude_sim.safety.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from spacecraft_attitude_sim.core.mission.table import Holds

NAME = aboard.MISSION
EPHEMERIS = earth_parameters.EPHEMERIS
FORCE = 'force'
EXAMPLE = "'rate < 0.01 for 60 s -> acquisition'"
LINES = (
    'Lines of a condition and a mode: [rate < 0.01 for 60 s -> acquisition]. Of two that are due '
    'the first counts.'
)
PARAMETERS = (
    Parameter(
        'modes', [], '', 'Names of the modes. Each has parameters under mode.<name>.', str,
        length=(),
    ),
    Parameter('start', '', '', "Mode at the start. '': the first of modes.", str),
    Parameter(
        'anywhere', [], '',
        'Lines as mode.<name>.transitions that hold in every mode but their target, before its '
        'own.', str, length=(),
    ),
    Parameter(
        'dwell', 0.0, 's', 'Least time in a mode before a line of its own leads out of it.',
        low=0.0, high=1e6,
    ),
    Parameter(
        'most_changes', 10, '',
        "Number of changes of mode within changes_within after which a mode's own lines wait.",
        int, low=1, high=1000,
    ),
    Parameter('changes_within', 600.0, 's', 'See most_changes.', low=0.0, high=1e6),
    Parameter(
        'refuge', '', '',
        "Mode that is entered when a line waits because of most_changes. '': none.", str,
    ),
    Parameter(
        FORCE, '', '',
        "Mode that is held until this is '' again, whatever the conditions say.", str,
        read_only=False,
    ),
    Parameter(
        'timeout', 2.0, 's', 'Age beyond which a quantity is not known any more.',
        low=1e-3, high=3600.0,
    ),
    Parameter(
        'sun_sensors', [], '', 'Names of the fine Sun sensors of sun_seen.', str, length=(),
    ),
    Parameter('sun_cells', [], '', 'Names of the cells of illuminance.', str, length=()),
    Parameter(
        'wheels', [], '', 'Names of the wheels of wheel_momentum and wheel_speed.', str,
        length=(),
    ),
    Parameter(
        'tick_topic', 'tick', '',
        'Where the simulator lists what spoke in a tick; the node waits for all of it.', str,
    ),
    *EPHEMERIS,
)  # fmt: skip
# Parameters of each of `modes`, under mode.<name>.
MODE = (
    Parameter(
        'law', attitude_loop.IDLE, '', 'Mode of the attitude_controller.', str,
        choices=attitude_loop.MODES, required=True,
    ),
    Parameter(
        'profile', '', '',
        "Profile of attitude_guidance, to which it slews. '': it keeps what it has.", str,
    ),
    Parameter('unload', True, '', 'Whether the dipoles unload the wheels.', bool),
    Parameter('transitions', [], '', LINES, str, length=()),
)  # fmt: skip
# Parameters of each of `wheels`, under wheel.<name>.
WHEEL = (
    *(one for one in wheels.WHEEL if one.name in ('axis', 'inertia')),
    Parameter(
        'wanted_speed', 0.0, 'rad/s', 'Speed at which nothing is to be unloaded.',
        low=-1e5, high=1e5,
    ),
)  # fmt: skip
# (parameter that lists the names, prefix of the parameters of each, these Parameters)
NAMED = (('modes', 'mode', MODE), ('wheels', 'wheel', WHEEL))
BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}
# {quantity: parameter without which it is never known}
NEEDED = {
    quantities.SUN_SEEN: 'sun_sensors', quantities.ILLUMINANCE: 'sun_cells',
    quantities.MOMENTUM: 'wheels', quantities.SPEED: 'wheels',
}  # fmt: skip


def catalogue(given: Mapping[str, Any]) -> dict[str, Parameter]:
    """Return {name: Parameter} of a mission, including those of what lists in `given` name."""
    return catalogued(PARAMETERS, NAMED, given)


def checked(given: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return {name: value} of every parameter, checked and converted to its type.

    given: {name: value};  before: values of the parameters not given, None for their defaults
    Raises ParameterError for an unknown name or an invalid value.
    """
    given = {**(before or {}), **given}
    values = parameters.checked(catalogue(given), given)
    if not values['modes']:
        raise ParameterError('modes is empty; name the modes of the mission, the first one first')
    for lists in ('modes', 'sun_sensors', 'sun_cells', 'wheels'):
        refuse_twice(values, lists)
    for name in ('start', 'refuge', FORCE):
        if values[name]:
            _check_mode(f'{name} is', values[name], values['modes'])
    _wheels(values)
    used = uses(values)
    for quantity in used:
        if quantity in NEEDED and not values[NEEDED[quantity]]:
            raise ParameterError(
                f'a condition has {quantity}, but {NEEDED[quantity]} is empty: name some'
            )
    if quantities.SUNLIGHT in used and values['orbit.model'] == 'none':
        raise ParameterError(
            "a condition has sunlight, which needs the orbit, but orbit.model is 'none'; give the "
            "simulator's epoch and orbit.… values"
        )
    return values


def machine(values: Mapping[str, Any]) -> ModeMachine:
    """Return the ModeMachine of checked parameters."""
    modes = {name: _mode(values, name) for name in values['modes']}
    table = Table(
        modes,
        values['start'] or values['modes'][0],
        _transitions(values, 'anywhere'),
        round(1e9 * values['dwell']),
        values['most_changes'],
        round(1e9 * values['changes_within']),
        values['refuge'],
    )
    own = ModeMachine(table)
    own.force(values[FORCE])
    return own


def knowledge(values: Mapping[str, Any]) -> Knowledge:
    """Return the Knowledge of checked parameters, empty; ParameterError as of the orbit."""
    around = None
    if quantities.SUNLIGHT in uses(values):
        around = earth_surroundings.ephemeris(values).at
    return Knowledge(round(1e9 * values['timeout']), _wheels(values), around)


def uses(values: Mapping[str, Any]) -> set[str]:
    """Return the quantities of all conditions; ParameterError for a wrong line."""
    lists = ['anywhere', *(f'mode.{name}.transitions' for name in values['modes'])]
    return {
        quantity
        for key in lists
        for transition in _transitions(values, key)
        for quantity in transition.names
    }


def _mode(values: Mapping[str, Any], name: str) -> Mode:
    law, profile, unloads = (values[f'mode.{name}.{key}'] for key in ('law', 'profile', 'unload'))
    return Mode(
        Order(name, law, profile, unloads), _transitions(values, f'mode.{name}.transitions')
    )


def _transitions(values: Mapping[str, Any], key: str) -> tuple[Transition, ...]:
    """Return the Transitions of a list of lines; ParameterError that names the line."""
    return tuple(_read(values, key))


def _read(values: Mapping[str, Any], key: str) -> Iterator[Transition]:
    for number, line in enumerate(values[key]):
        where = f'{key}[{number}]'
        try:
            yield transition(line, values['modes'])
        except ParameterError as error:
            raise ParameterError(f'{where}: {error}') from None


def transition(line: str, modes: Sequence[str]) -> Transition:
    """Return the Transition of a line such as 'rate < 0.01 unless rate > 0.02 for 60 s -> sun'.

    What comes after `unless` ends a condition that has begun to hold: its hysteresis.
    modes: names that may be its target
    Raises ParameterError.
    """
    text = ' '.join(line.split())
    left, arrow, target = (part.strip() for part in text.rpartition('->'))
    if not (arrow and left and target):
        raise ParameterError(f'{quoted(line)} is not a condition and a mode; write {EXAMPLE}')
    _check_mode(f'{quoted(line)}: the target is', target, modes)
    whole, seconds = condition.timed(left)
    first, unless, last = whole.partition(' unless ')
    begins = _condition(first)
    names, ends = begins.names, None
    if unless:
        until = _condition(last)
        names = tuple(dict.fromkeys((*names, *until.names)))
        ends = _ends(until.holds, until.names)
    return Transition(text, target, names, begins.holds, ends, round(1e9 * seconds))


def _condition(text: str) -> condition.Condition:
    own = condition.parse(text, quantities.UNITS)
    if own.seconds:
        raise ParameterError(f"{quoted(text)}: write 'for' once, before the arrow: {EXAMPLE}")
    return own


def _ends(holds: Holds, names: Sequence[str]) -> Holds:
    """Return a function that also says that it ends where a quantity is not known."""
    return lambda values: any(math.isnan(values[name]) for name in names) or holds(values)


def _check_mode(what: str, name: str, modes: Collection[str]) -> None:
    if name not in modes:
        raise ParameterError(f"{what} '{name}', which is no mode; {suggestion.hint(name, modes)}")


def _wheels(values: Mapping[str, Any]) -> Wheels | None:
    """Return the Wheels of checked parameters, None without any."""
    if not values['wheels']:
        return None
    fields = ('axis', 'inertia', 'wanted_speed')
    with blame():
        axes, inertias, wanted = map(np.array, wheels.fields_of(values, fields))
    return Wheels(tuple(values['wheels']), axes, inertias, wanted)
