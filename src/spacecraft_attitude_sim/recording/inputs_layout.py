# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The numbers of a ground_truth/inputs message: all that a tick needs besides the scenario."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.configuration.simulator_parameters import BY_NAME
from spacecraft_attitude_sim.core.actuators.inputs import MAYBE_NAN, MODES, NOTHING
from spacecraft_attitude_sim.core.body.state import SIZE, from_flat
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import (
    Array,
    FlatImpulse,
    FlatState,
    FlatWrench,
)
from spacecraft_attitude_sim.core.simulation import Inputs, Instant
from spacecraft_attitude_sim.core.ticks import NANOSECONDS, SHORTEST

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.simulation import Spacecraft

STEPPED = Layout(tick=1, given=1, substeps=1, revision=1, wrench=12, impulse=6)
GIVEN = Layout(**STEPPED.widths, elapsed=1, state=SIZE)
ON_FLOOR = Layout(**GIVEN.widths, touch=30)
# Parts whose width depends on the spacecraft. A message with such a part names all its parts, each
# in its own dimension. A message without has one dimension; its length identifies it.
VARIABLE = {*MODES, 'faults', 'internal'}
LABEL = (
    'tick, given, substeps, revision, wrench[12], impulse[6]; if given: elapsed, state[13], '
    'touch[30] on a floor'
)
COUNTS = struct.Struct('=4d')
HELD = ('wrench', 'impulse', *MODES, 'faults', 'internal')
# A ROS stamp has 31 bits of seconds; as doubles, all ticks until then are exact.
LAST_TICK = 2**31 * NANOSECONDS // SHORTEST
LARGEST = {
    'tick': LAST_TICK,
    'substeps': BY_NAME['substeps'].high,
    'revision': 2**31,
    'elapsed': LAST_TICK,
}


class RecordedInputs(NamedTuple):
    """The inputs of a tick, in the order of the message; an absent part is empty.

    given: whether the state was set (start, reset, put) instead of computed; if computed, the
        parts from `elapsed` on are absent
    substeps: the parameter;  revision: of topic scenario
    wrench: (12,), impulse: (6,) of core.body.loads
    wheel_torque to faults: of core.actuators.Inputs
    elapsed: ticks since the start or the last reset
    state: (13,) of core.body.state;  internal: (n,) of State; actuators with own states have it
        also after a step
    touch: (30,) flat contact of a body on a floor
    """

    tick: int
    given: bool
    substeps: int
    revision: int
    wrench: FlatWrench
    impulse: FlatImpulse
    wheel_torque: Array = NOTHING
    wheel_speed: Array = NOTHING
    gimbal_rate: Array = NOTHING
    gimbal_torque: Array = NOTHING
    thrust: Array = NOTHING
    dipole: Array = NOTHING
    faults: Array = NOTHING
    elapsed: int = 0
    state: FlatState = NOTHING
    internal: Array = NOTHING
    touch: Array = NOTHING

    def commanded(self) -> Inputs:
        """Return the Inputs of the tick."""
        return Inputs(*(getattr(self, part) for part in Inputs._fields))

    def instant(self) -> Instant:
        """Return the Instant with the given state, without readings; `given` must be true."""
        state = from_flat(np.concatenate((self.state, self.internal)))
        contact = self.touch if self.touch.size else None
        return Instant(self.tick, state, elapsed=self.elapsed, contact=contact)


AFTER_STEP = (*RecordedInputs._fields[: RecordedInputs._fields.index('elapsed')], 'internal')


def completed(inputs: Inputs, spacecraft: Spacecraft) -> Inputs:
    """Return Inputs with every part as wide as the spacecraft needs; missing parts are zero."""
    parts = {
        name: np.full(width, np.nan if name in MAYBE_NAN else 0.0)
        for name, width in widths_of(spacecraft).items()
        if width and not getattr(inputs, name).size
    }
    return inputs._replace(**parts) if parts else inputs


def widths_of(spacecraft: Spacecraft) -> dict[str, int]:
    """Return {part of Inputs of actuators or faults: its width for a spacecraft}."""
    widths, kinds = dict.fromkeys(MODES, 0), spacecraft.groups
    widths['faults'] = len(spacecraft.faults)
    for part, (kind, mode) in MODES.items():
        if kind in kinds and (not mode.needs or getattr(kinds[kind], mode.needs)):
            widths[part] = len(kinds[kind].names)
    return widths


def states_of(spacecraft: Spacecraft) -> int:
    """Return the number of states in State.internal of a spacecraft."""
    return spacecraft.layout.size


def pack(inputs: RecordedInputs) -> tuple[Array, dict[str, int]]:
    """Return the numbers of the message and {label: size} of its dimensions."""
    names = inputs._fields if inputs.given else AFTER_STEP
    parts = {name: np.array(getattr(inputs, name), dtype=float, ndmin=1) for name in names}
    widths = {name: len(part) for name, part in parts.items() if len(part)}
    data = np.concatenate(list(parts.values()))
    return data, widths if VARIABLE & widths.keys() else {LABEL: len(data)}


def bytes_after_step(inputs: RecordedInputs) -> bytes:
    """Return the numbers of `pack` after a step as the bytes of a serialised message."""
    counts = COUNTS.pack(inputs.tick, inputs.given, inputs.substeps, inputs.revision)
    held = [getattr(inputs, name).tobytes() for name in HELD]
    return b''.join((counts, *held))


def unpack(message: Any) -> RecordedInputs:
    """Return the RecordedInputs in a std_msgs/Float64MultiArray.

    Raises ValueError for impossible numbers; its text continues a sentence about the message.
    """
    data = np.array(message.data, dtype=float)
    layout = _layout(message.layout.dim, data)
    parts: dict[str, Any] = {name: data[layout.of(name)] for name in layout.widths}
    if not all(
        np.isfinite(part[~np.isnan(part)] if name in MAYBE_NAN else part).all()
        for name, part in parts.items()
    ):
        raise ValueError('holds a number that is not finite')
    for name in LARGEST.keys() & parts.keys():
        count = data[layout.at(name)]
        if not (0.0 <= count <= LARGEST[name] and count.is_integer()):
            raise ValueError('holds an impossible tick, number of sub-steps or revision')
        parts[name] = int(count)
    parts['given'] = bool(parts['given'][0])
    if parts['given'] and not from_flat(parts['state']).q_WB.any():
        raise ValueError('gives a quaternion that is zero')
    return RecordedInputs(**parts)


def _layout(dimensions: Any, data: Array) -> Layout:
    """Return the positions of the parts of a message.

    Raises ValueError for unknown or missing parts.
    """
    layouts = [STEPPED, GIVEN, ON_FLOOR]
    if len(dimensions) > 1:
        widths = {dimension.label: dimension.size for dimension in dimensions}
        fixed = {name: width for name, width in widths.items() if name not in VARIABLE}
        known = fixed in [layout.widths for layout in layouts]
        layouts = [Layout(**widths)] if known else []
    for layout in layouts:
        has_state = 'state' in layout.widths
        if layout.size == len(data) and bool(data[layout.at('given')]) == has_state:
            return layout
    raise ValueError(f'holds {len(data)} numbers')
