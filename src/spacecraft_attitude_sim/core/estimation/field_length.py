# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Refuses a magnetometer that reads a field longer or shorter than the model's: in any attitude.

The length of the field does not depend on the attitude, nor on the gyroscope. So it tells that the
magnetometer is wrong, where its innovations tell only that it and the gyroscope disagree. A bias,
a drift, a scale factor, and a reading that stays while the orbit goes on, all change it.

G. M. Lerner, Scalar Checking: J. R. Wertz, Spacecraft Attitude Determination and Control (1978).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.estimation.replay import FIELD, READING, REFERENCE
from spacecraft_attitude_sim.core.mathematics.vectors import norm, three_at
from spacecraft_attitude_sim.kernels.kernel import part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.estimation.settings import Settings
    from spacecraft_attitude_sim.core.mathematics.types import Array

WRONG_LENGTH = ': its field is not as long as that of the model'
# A magnetometer is wrong after so many readings in a row.
ENOUGH = 2


@part
def fits(event: Array, most: float) -> bool:
    """Return whether the field of an EVENT is as long as its reference.

    most: largest square of the difference [T^2]
    """
    difference = norm(three_at(event, READING)) - norm(three_at(event, REFERENCE))
    return difference * difference <= most


class FieldLengths:
    """Which magnetometers are wrong by the length of their field.

    A stray reading is refused. After ENOUGH in a row all are, until those of the last `reset_ns`
    were right: a bias at right angles to the field does not show.
    """

    def __init__(self, settings: Settings) -> None:
        self._reset_ns = settings.reset_ns
        self._most = {
            number: settings.longest(sensor)
            for number, sensor in enumerate(settings.sensors.values())
            if sensor.kind == FIELD
        }
        # {number of a sensor: (how many wrong readings in a row, time of the latest wrong one)}
        self._wrong: dict[int, tuple[int, int]] = {}

    @property
    def wrong(self) -> set[int]:
        """Numbers of the sensors of which no reading is believed."""
        return {number for number, (count, _) in self._wrong.items() if count >= ENOUGH}

    @property
    def right(self) -> bool:
        """Whether the latest reading of each was right, and none is wrong."""
        return not self._wrong

    def refused(self, number: int, time_ns: int, event: Array) -> bool:
        """Return whether a reading of a sensor, an EVENT, is not believed."""
        if number not in self._most:
            return False
        count, latest_ns = self._wrong.get(number, (0, time_ns))
        if not fits(event, self._most[number]):
            self._wrong[number] = count + 1, time_ns
            return True
        if count >= ENOUGH and abs(time_ns - latest_ns) < self._reset_ns:
            return True
        self._wrong.pop(number, None)
        return False
