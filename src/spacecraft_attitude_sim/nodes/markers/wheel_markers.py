# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Markers of reaction wheels: a turning disc, and an arrow proportional to the speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.actuators.actuator import NOTHING
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import colors, meshes, wheel_discs
from spacecraft_attitude_sim.nodes.markers import marker_shapes
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.recording.part_history import places_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from visualization_msgs.msg import Marker

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3


# Length of the arrow for the largest speed so far (or the limit), and its width, in disc radii.
LENGTH, WIDTH = 1.6, 0.12
# Lower limit of the largest speed [rad/s].
SLOWEST = 1.0


class WheelMarkers:
    """Draws ReactionWheels tick by tick.

    For ideal wheels the topics carry only speeds; angles are integrated from the first tick on. A
    wheel that turns by more than half a turn between two frames seems to turn at another speed, as
    in a film.

    found: Scenario with wheels;  parts: of the body, relative to the centre of mass
    """

    def __init__(self, found: Scenario, parts: Sequence[meshes.Part]) -> None:
        self._wheels, self._ticks = (
            found.plant.spacecraft.part('reaction_wheels'),
            found.plant.ticks,
        )
        wheels = self._wheels
        self.discs = wheel_discs.discs_of(wheels, meshes.mesh(parts), places_of(found))
        count = len(wheels.names)
        self._halves = [list(self._halves_of(number)) for number in range(count)]
        colored = [colors.on_dark(wheel_discs.color_of(number)) for number in range(count)]
        self._colors = colored
        self._angles = np.zeros(count)
        self._last: tuple[int, Array] | None = None  # tick, speeds
        limits = wheels.speed_limits
        self._top = float(np.max(limits)) if np.isfinite(limits).all() else SLOWEST

    def at(
        self,
        tick: int,
        position_W: Vector3,
        q_WB: Quaternion,
        speeds: Array,
        angles: Array = NOTHING,
    ) -> list[Marker]:
        """Return the markers of a tick: always the same number, in the same order.

        position_W: (3,) of the centre of mass [m];  q_WB: (4,)
        speeds: (N,) relative to the body [rad/s]; empty if not known, then discs do not turn
        angles: (N,) relative to the body [rad]; empty if no topic carries them
        """
        known = speeds if speeds.size == len(self._angles) else np.zeros(len(self._angles))
        self._turn(tick, known)
        if angles.size == len(self._angles):
            self._angles = angles
        self._top = max(self._top, float(np.max(np.abs(known))))
        made = []
        for number, halves in enumerate(self._halves):
            place_W = position_W + rotations.rotate(q_WB, self.discs.positions[number])
            q_BD = self.discs.attitude(number, self._angles[number])
            pose = conversions.pose_to_ros(place_W, rotations.compose(q_WB, q_BD))
            for half in halves:
                half.pose = pose
            axis_W = rotations.rotate(q_WB, self.discs.axes_B[number])
            radius = self.discs.radius
            along_W = axis_W * (LENGTH * radius * known[number] / self._top)
            made += halves
            made.append(
                marker_shapes.arrow(
                    'wheel_speeds', place_W, along_W, self._colors[number], WIDTH * radius
                )
            )
        return made

    def _turn(self, tick: int, speeds: Array) -> None:
        """Turn the discs to a tick by the trapezoidal rule; start from 0 if time goes back."""
        last, self._last = self._last, (tick, speeds)
        if last is None or tick < last[0]:
            self._angles = np.zeros(len(speeds))
            return
        seconds = self._ticks.seconds(tick - last[0])
        self._angles = (self._angles + (last[1] + speeds) / 2.0 * seconds) % (2.0 * np.pi)

    def _halves_of(self, number: int) -> Iterator[Marker]:
        """Yield the two markers of a disc, one for each colour."""
        faces = self.discs.faces(number, meshes.COARSE)
        for color in np.unique(faces.colors, axis=0)[::-1]:
            chosen = np.all(faces.colors == color, axis=1)
            yield marker_shapes.faces('wheels', faces.corners[chosen], color)
