# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Markers of the environment in an Earth orbit: Sun, magnetic field and nadir."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visualization_msgs.msg import Marker

from spacecraft_attitude_sim.drawing import colors, orbit_looks
from spacecraft_attitude_sim.nodes.markers import marker_shapes

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.around import Surroundings
    from spacecraft_attitude_sim.core.mathematics.types import Vector3


NIGHT_COLOR = colors.on_dark(orbit_looks.NIGHT)
ARROW_COLORS = {name: colors.on_dark(color) for name, (_, color) in orbit_looks.ARROWS.items()}
LABEL_HEIGHT = 0.1  # in reaches


class OrbitMarkers:
    """Draws arrows from the centre of mass.

    surroundings: Surroundings of the orbit;  reach: of the body [m]
    size: of texts, as in motion_markers.Words
    """

    def __init__(self, surroundings: Surroundings, reach: float, size: float = 1.0) -> None:
        self._surroundings, self._reach = surroundings, reach
        self._height = LABEL_HEIGHT * size * reach

    def at(self, position_W: Vector3, time: float) -> list[Marker]:
        """Return the markers of an instant: always the same number, in the same order.

        position_W: (3,) of the centre of mass [m];  time: since the start or the last reset [s]
        Raises ValueError if the orbit is not known.
        """
        now, made = self._surroundings.at(time), []
        length, width = orbit_looks.LENGTH * self._reach, orbit_looks.WIDTH * self._reach
        several = zip(orbit_looks.ARROWS.items(), orbit_looks.directions_W(now), strict=True)
        for (name, (label, _)), direction_W in several:
            color = ARROW_COLORS[name]
            if name == 'sun' and orbit_looks.night(now):
                color = NIGHT_COLOR
            arrow = marker_shapes.arrow(name, position_W, length * direction_W, color, width)
            made.append(arrow)
            if arrow.action == Marker.DELETE:
                made.append(marker_shapes.absent(name, Marker.TEXT_VIEW_FACING))
                continue
            end_W = position_W + 1.08 * length * direction_W
            made.append(marker_shapes.text(name, label, end_W, self._height, color))
        return made
