# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a reading is compared with: Sun, nadir and field, by the models on board."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.estimation.replay import ATTITUDE, CELL, FIELD, NO_REFERENCE
from spacecraft_attitude_sim.core.estimation.settings import NADIR
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm
from spacecraft_attitude_sim.core.ticks import seconds_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacecraft_attitude_sim.core.estimation.settings import KnownSensor, Reading
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3

LIT, IRRADIANCE = AROUND.at('lit'), AROUND.at('irradiance')


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
    if sensor.kind == ATTITUDE:
        return Prepared(values / norm(values), NO_REFERENCE)
    if around is None:
        raise Unusable(f'{reading.sensor}: no model says what it should read')
    try:
        here = around(seconds_of(reading.time_ns, 1))
    except ValueError as error:
        raise Unusable(f'{reading.sensor}: {error}') from None
    if sensor.kind == FIELD:
        return Prepared(values, here[AROUND.of('magnetic_field_W')])
    if sensor.target == NADIR:
        position_W = here[AROUND.of('position_W')]
        return Prepared(values, -position_W / norm(position_W))
    if sensor.kind == CELL:
        values = _share_of_sunlight(values, sensor, here, sunlit_share)
    elif here[LIT] <= 0.0:
        raise Unusable(f'{reading.sensor} sees the Sun, which the Earth hides')
    return Prepared(values, here[AROUND.of('to_sun_W')])


def _share_of_sunlight(
    values: Array, sensor: KnownSensor, here: Array, sunlit_share: float
) -> Array:
    """Return the illuminance of a cell (1,) as a share of that of a cell that faces the Sun.

    Raises Unusable in the penumbra, in the shadow, and where other light may be as strong.
    """
    if here[LIT] < 1.0 or here[IRRADIANCE] <= 0.0:
        raise Unusable('')
    share = values / (sensor.efficacy * here[IRRADIANCE])
    if share[0] < sunlit_share:
        raise Unusable('')
    return share
