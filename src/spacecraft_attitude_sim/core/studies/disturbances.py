# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Disturbances of a run: the largest torque of each environmental load, and time in eclipse."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.surroundings import LIT

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.simulation import Instant, Plant


class DisturbanceMonitor:
    """Samples a run once in each second of simulated time.

    largest: {name of a load: largest magnitude of its torque [N m]}
    dark: part of the samples in which the Earth hid the whole Sun;  seen: number of samples
    """

    def __init__(self, plant: Plant) -> None:
        self._plant, self._every = plant, max(1, math.ceil(plant.ticks.rate))
        self.largest = {load.name: 0.0 for load in plant.environment.turning}
        self.seen = self._in_umbra = 0

    @property
    def dark(self) -> float:
        """Part of the run in the umbra, 0 to 1."""
        return self._in_umbra / max(1, self.seen)

    def add(self, instant: Instant) -> None:
        """Sample an Instant, if it is at a whole second."""
        environment, time = self._plant.environment, instant.elapsed_time
        if instant.tick % self._every or not self.largest:
            return
        self.seen += 1
        for load in environment.turning:
            torque_B = load.torque_B(self._plant.body, instant.state, time)
            self.largest[load.name] = max(self.largest[load.name], float(np.linalg.norm(torque_B)))
        if environment.surroundings is not None:
            self._in_umbra += environment.surroundings.at(time)[LIT] <= 0.0

    def text(self) -> str:
        """Return the result in words; '' where no load can exert a torque."""
        sizes = sorted(self.largest.items(), key=lambda one: -one[1])
        said = ', '.join(f'{size:.2g} {name.replace("_", " ")}' for name, size in sizes)
        dark = ''
        if self._plant.environment.surroundings is not None:
            dark = f'; {100.0 * self.dark:.3g} % of the time in the shadow of the Earth'
        return f'torques of at most {said} [N m]{dark}' if said else ''
