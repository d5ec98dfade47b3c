# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a reading is compared with: Sun, nadir and field, by the models on board."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.estimation.replay import (
    ATTITUDE,
    CELL,
    FIELD,
    KIND,
    READING,
    REFERENCE,
    event_of,
)
from spacecraft_attitude_sim.core.estimation.settings import NADIR
from spacecraft_attitude_sim.core.mathematics.vectors import four_at, norm, put, three_at
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.kernel import part

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacecraft_attitude_sim.core.estimation.settings import KnownSensor, Reading
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3

POSITION_W, MAGNETIC_FIELD_W, TO_SUN_W, IRRADIANCE, LIT = AROUND.places(
    'position_W', 'magnetic_field_W', 'to_sun_W', 'irradiance', 'lit'
)
# Whether a reading has a reference: of a cell in the dark or of a Sun that is hidden it has none.
REFERRED, DARK, HIDDEN = 0, 1, 2
NOTHING = np.zeros(0)


class Prepared(NamedTuple):
    """A reading with its reference.

    values: as in replay.EVENT;  reference_W: (3,) vector in world, zeros for an attitude
    """

    values: Array
    reference_W: Vector3


class Unusable(Exception):  # noqa: N818 (it is no failure of this program)
    """A reading has no reference; the text says why, '' for a cell in the dark."""


def prepared(
    reading: Reading,
    sensor: KnownSensor,
    around: Callable[[float], Array] | None,
    sunlit_share: float,
) -> Prepared:
    """Return a reading with its reference.

    around: function of a time [s] that returns AROUND (25,), None where there is no orbit
    sunlit_share: least share of sunlight of a cell that counts
    Raises Unusable.
    """
    values = np.array(reading.values, dtype=float)
    here = NOTHING if sensor.kind == ATTITUDE else _around(reading, around)
    event = event_of(sensor.kind, 0, values)
    why = refer(event, sensor.target == NADIR, sensor.efficacy, sunlit_share, here)
    if why != REFERRED:
        hidden = f'{reading.sensor} sees the Sun, which the Earth hides'
        raise Unusable(hidden if why == HIDDEN else '')
    reference_W = event[REFERENCE : REFERENCE + 3]
    return Prepared(event[READING : READING + len(values)], reference_W)


def _around(reading: Reading, around: Callable[[float], Array] | None) -> Array:
    """Return AROUND (25,) at the time of a reading; Unusable."""
    if around is None:
        raise Unusable(f'{reading.sensor}: no model says what it should read')
    try:
        return around(seconds_of(reading.time_ns, 1))
    except ValueError as error:
        raise Unusable(f'{reading.sensor}: {error}') from None


@part
def refer(event: Array, nadir: bool, efficacy: float, sunlit_share: float, here: Array) -> int:
    """Write the reference of an EVENT, its reading in the same unit; return REFERRED or why not.

    A cell has no reference in the penumbra, in the shadow, and where other light may be as strong.

    nadir: whether a direction is that of the nadir;  efficacy: of a cell [lm/W]
    sunlit_share: least share of sunlight of a cell;  here: AROUND, not read for an attitude
    """
    kind = event[KIND]
    if kind == ATTITUDE:
        w, x, y, z = four_at(event, READING)
        size = math.sqrt(w * w + x * x + y * y + z * z)
        put(event, READING, (w / size, x / size, y / size, z / size))
        return REFERRED
    if kind == FIELD:
        put(event, REFERENCE, three_at(here, MAGNETIC_FIELD_W))
        return REFERRED
    if nadir:
        x, y, z = three_at(here, POSITION_W)
        size = norm((x, y, z))
        put(event, REFERENCE, (-x / size, -y / size, -z / size))
        return REFERRED
    if kind == CELL:
        if here[LIT] < 1.0 or here[IRRADIANCE] <= 0.0:
            return DARK
        event[READING] = event[READING] / (efficacy * here[IRRADIANCE])
        if event[READING] < sunlit_share:
            return DARK
    elif here[LIT] <= 0.0:
        return HIDDEN
    put(event, REFERENCE, three_at(here, TO_SUN_W))
    return REFERRED
