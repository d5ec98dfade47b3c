# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Faults that change what a sensor reads, or keep it back."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.random_streams import FAULTS, normals

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array

FROZEN = 'frozen'
# Kinds that leave the reading as it is, and change when and how often its message comes.
LATE, DOUBLED = 'late', 'doubled'


class ReadingFault(NamedTuple):
    """A fault of a sensor, as Suite holds it.

    number: among the faults of the spacecraft;  sensor: name in Suite.sensors
    place: of the part of a reading that it changes;  kind: of core.faults.kinds
    values: as many as the place has numbers, or one for all, or none; angles in rad, a delay in
        ticks
    """

    number: int
    sensor: str
    place: slice
    kind: str
    values: tuple[float, ...] = ()


def spoil(
    fault: ReadingFault, reading: Array, last: Array | None, acted: float, tick: int, seed: int
) -> bool:
    """Change a reading in place; return whether it comes at all.

    last: the latest that came, which a frozen sensor repeats; None where none has
    acted: how long the fault has acted [s]
    tick: since the start;  seed: of the random streams
    """
    if fault.kind == 'silent' or (fault.kind == FROZEN and last is None):
        return False
    if fault.kind == 'lost':
        return not happens(fault, tick, seed)
    channel = FAULTS + fault.number
    own, values = reading[fault.place], np.array(fault.values)
    if fault.kind == FROZEN:
        assert last is not None, 'a reading has come'
        own[:] = last[fault.place]
    elif fault.kind == 'bias':
        own += values
    elif fault.kind == 'drift':
        own += acted * values
    elif fault.kind == 'scale':
        own *= values
    elif fault.kind == 'noise':
        own += values * normals(len(own), seed, 0, channel, tick)
    else:
        q = rotations.quaternion_from_axis_angle(values, math.hypot(*fault.values))
        own[:] = rotations.compose(own, q) if len(own) == 4 else rotations.rotate(q, own)
    return True


def happens(fault: ReadingFault, tick: int, seed: int) -> bool:
    """Return whether a fault that has a probability, its value, hits the reading of a tick.

    tick: since the start;  seed: of the random streams
    """
    deviate = normals(1, seed, 0, FAULTS + fault.number, tick)[0]
    # A standard normal deviate is below x with this probability.
    return 0.5 * math.erfc(-deviate / math.sqrt(2.0)) < fault.values[0]
