# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Markers of internal parts: hinged panels, sliding masses, pendulums and slugs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import internal_looks
from spacecraft_attitude_sim.nodes.markers.body_markers import BodyMarkers

if TYPE_CHECKING:
    from visualization_msgs.msg import Marker

    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3
    from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
    from spacecraft_attitude_sim.core.ticks import Ticks


NAMESPACE = 'internal_parts'


class InternalMarkers:
    """Draws InternalParts tick by tick.

    No topic carries the angle of a slug; it is integrated from its rates since the first tick.

    reach: of the drawn body [m];  ticks: Ticks of the run
    """

    def __init__(self, parts: InternalParts, reach: float, ticks: Ticks) -> None:
        looks = internal_looks.looks_of(parts, reach)
        self._parts, self._looks, self._ticks = parts, looks, ticks
        self._still = [BodyMarkers(one.primitives, namespace=NAMESPACE) for one in looks.still]
        self._moving = [BodyMarkers(one.primitives, namespace=NAMESPACE) for one in looks.moving]
        self._last: tuple[int, Array] | None = None  # tick, rates of the slugs
        self._turns = _not_turned(parts)

    def at(
        self,
        tick: int,
        position_W: Vector3,
        q_WB: Quaternion,
        displacements: Array,
        slug_rates: Array,
    ) -> list[Marker]:
        """Return the markers of a tick: always the same number, in the same order.

        position_W: (3,) of the origin of body axes [m];  q_WB: (4,)
        displacements, slug_rates: as in RecordedInstant; if they are missing or have another
            length, parts are at their reference positions and slugs do not turn
        """
        moved, swings, rates = internal_looks.told(self._parts, displacements, slug_rates)
        self._turn(tick, rates)
        made = [marker for one in self._still for marker in one.at(position_W, q_WB)]
        poses = self._looks.poses(moved, swings, self._turns)
        for one, (place_B, q_BP) in zip(self._moving, poses, strict=True):
            place_W = position_W + rotations.rotate(q_WB, place_B)
            made += one.at(place_W, rotations.compose(q_WB, q_BP))
        return made

    def _turn(self, tick: int, rates: Array) -> None:
        """Turn the slugs to a tick; if time goes back, start from angle 0."""
        last, self._last = self._last, (tick, rates)
        if last is None or tick < last[0]:
            self._turns = _not_turned(self._parts)
            return
        seconds = self._ticks.seconds(tick - last[0])
        mean = (last[1] + rates) / 2.0
        self._turns = internal_looks.turned_on(self._turns, mean, seconds)


def _not_turned(parts: InternalParts) -> Array:
    return np.tile(rotations.IDENTITY, (len(parts.slugs), 1))
