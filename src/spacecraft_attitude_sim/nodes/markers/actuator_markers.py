# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Markers of gimbals (rings), thrusters (jets) and magnetorquers (dipole arrow)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from geometry_msgs.msg import Vector3
from visualization_msgs.msg import Marker

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.spacecraft import telemetry
from spacecraft_attitude_sim.drawing import actuator_looks, colors, meshes
from spacecraft_attitude_sim.nodes.markers import marker_shapes
from spacecraft_attitude_sim.nodes.ros import conversions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from geometry_msgs.msg import Pose

    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft
    from spacecraft_attitude_sim.drawing.wheel_discs import Discs


DIPOLE_COLOR = colors.on_dark(colors.DIPOLE)
# Size of the dipole arrow, in multiples of the body's reach.
DIPOLE_WIDTH = 0.04
# Jets shorter than this share of a full one are not drawn.
SHORTEST = 1e-6
# How long a jet is drawn after its pulse [s], because a pulse is shorter than a frame.
KEPT = 0.2


class ActuatorMarkers:
    """Draws the gimbals, thrusters and dipole of a Spacecraft.

    parts: of the body, relative to the centre of mass;  discs: Discs of its wheels, or None
    """

    def __init__(
        self, spacecraft: Spacecraft, parts: Sequence[meshes.Part], discs: Discs | None
    ) -> None:
        rods = spacecraft.part('magnetorquers')
        body = meshes.mesh(parts)
        self._looks = actuator_looks.looks_of(
            spacecraft.part('control_moment_gyros'),
            spacecraft.part('thrusters'),
            rods,
            body,
            discs,
        )
        self._joints = len(telemetry.joint_names(spacecraft))
        self._kinds = telemetry.joint_kinds(spacecraft)
        self._width = DIPOLE_WIDTH * meshes.reach(body)
        self._rings, self._jets = [], []
        self._lengths, self._until = np.zeros(0), np.zeros(0)  # of jets, and when each ends
        if gimbals := self._looks.gimbals:
            self._rings = [
                [_made('gimbals', faces) for faces in gimbals.faces(number, meshes.COARSE)]
                for number in range(len(gimbals.positions))
            ]
        if jets := self._looks.jets:
            self._jets = [_made('thrusters', jets.faces(meshes.COARSE)) for _ in jets.positions]
            self._lengths = np.zeros(len(self._jets))
            self._until = np.full(len(self._jets), -np.inf)

    def hear(self, efforts: Array, now: float) -> None:
        """Take the efforts of all joints at an instant [N m, N], whether it is drawn or not.

        now: wall time [s]; a jet is drawn for KEPT seconds of wall time
        """
        jets = self._looks.jets
        if jets is None or efforts.size != self._joints:
            return
        lengths = jets.lengths(efforts[self._kinds.thrusters])
        newer = (lengths >= self._lengths) | (self._until <= now)
        self._lengths = np.where(newer, lengths, self._lengths)
        self._until = np.where(newer, now + KEPT, self._until)

    def at(
        self, position_W: Vector3, q_WB: Quaternion, angles: Array, dipole_B: Array
    ) -> list[Marker]:
        """Return the markers of an instant: always the same number, in the same order.

        position_W: (3,) of the centre of mass [m];  q_WB: (4,)
        angles: of all joints [rad];  dipole_B: (3,) [A m^2]
        Either may be empty if it is not known: then rings are at angle 0 or there is no arrow.
        """
        made = []
        if angles.size != self._joints:
            angles = np.zeros(self._joints)
        if gimbals := self._looks.gimbals:
            several = zip(self._rings, angles[self._kinds.gimbals], strict=True)
            for number, (ring, angle) in enumerate(several):
                q_BG = gimbals.attitude(number, angle)
                pose = _pose(position_W, q_WB, gimbals.positions[number], q_BG)
                for marker in ring:
                    marker.pose = pose
                made += ring
        if jets := self._looks.jets:
            for number, (marker, length) in enumerate(zip(self._jets, self._lengths, strict=True)):
                if length < SHORTEST * jets.length:
                    made.append(marker_shapes.absent('thrusters', Marker.TRIANGLE_LIST))
                    continue
                place_B, q_BJ = jets.positions[number], jets.orientations[number]
                marker.pose = _pose(position_W, q_WB, place_B, q_BJ)
                marker.scale = Vector3(x=length, y=length, z=length)
                made.append(marker)
        if unit := self._looks.dipole:
            along_B = unit * dipole_B if dipole_B.size else np.zeros(3)
            along_W = rotations.rotate(q_WB, along_B)
            made.append(
                marker_shapes.arrow('dipole', position_W, along_W, DIPOLE_COLOR, self._width)
            )
        return made


def _made(namespace: str, faces: meshes.Faces) -> Marker:
    """Return a marker of Faces with one colour."""
    red, green, blue, alpha = faces.colors[0]
    return marker_shapes.faces(namespace, faces.corners, (red, green, blue, alpha))


def _pose(position_W: Vector3, q_WB: Quaternion, place_B: Vector3, q_BF: Quaternion) -> Pose:
    """Return the pose, in world axes, of a body-fixed frame at place_B (3,) with q_BF (4,)."""
    place_W = position_W + rotations.rotate(q_WB, place_B)
    return conversions.pose_to_ros(place_W, rotations.compose(q_WB, q_BF))
