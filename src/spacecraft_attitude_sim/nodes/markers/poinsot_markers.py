# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Markers of Poinsot's construction: the energy ellipsoid rolls on the invariable plane.

It shows why a body turns over or does not: the tip of ω stays on the polhode. It is drawn beside
the body, in world axes, as long as no torque acts; see core.studies.poinsot.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from geometry_msgs.msg import Vector3
from visualization_msgs.msg import Marker

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies import poinsot
from spacecraft_attitude_sim.drawing import colors
from spacecraft_attitude_sim.nodes.markers import marker_shapes
from spacecraft_attitude_sim.nodes.markers.motion_markers import (
    MOMENTUM_COLOR,
    OMEGA_COLOR,
    TEXT_COLOR,
)
from spacecraft_attitude_sim.nodes.ros import conversions

if TYPE_CHECKING:
    from geometry_msgs.msg import Point

    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.mathematics.types import Quaternion, Vector3


NAMESPACE = 'poinsot'
ELLIPSOID_COLOR, PLANE_COLOR = colors.rgba(colors.ELLIPSOID, 0.4), colors.rgba(colors.PLANE, 0.3)
POLHODE_COLOR = colors.on_dark(colors.POLHODE)
TOUCH_COLOR = colors.on_dark(colors.CONTACT_POINT)
CAPTION = 'energy ellipsoid rolling', 'on the invariable plane'
# To the left of the body in the view of config/view.rviz.
ASIDE_W = np.array((0.573, -0.820, 0.0))
# Distance of the ellipsoid from the body, and its longest semi-axis, in reaches of the body.
DISTANCE, SIZE = 2.0, 0.6
PLANE_RADIUS, PLANE_THICKNESS, MOMENTUM_OVER = 0.75, 0.006, 0.3
ARROW_WIDTH, CURVE_WIDTH, TOUCH_SIZE = 0.035, 0.02, 0.09
CAPTION_HEIGHT, CAPTION_BELOW = 0.1, 1.0
CURVE_POINTS = 49
# Scale of the polhode, slightly outside the ellipsoid.
LIFT = 1.01
# The polhode is recomputed if energy or |L| has changed by this share.
REDRAW = 2e-3
# If L differs from its first value by more than this share, the plane is not invariable.
TURNED = 0.01
# A polhode smaller than this, relative to ω, is a point.
STEADY = 1e-6


class PoinsotMarkers:
    """Draws Poinsot's construction for a RigidBody as long as L has its first value.

    No topic of commands is needed: a torque shows as a change of L. A reset restores the first L.

    reach: of the body [m];  size: of texts, as in motion_markers.Words
    """

    def __init__(self, body: RigidBody, reach: float, size: float = 1.0) -> None:
        self._moments, self._q_BP, self._reach = body.principal_moments, body.q_BP, reach
        self._C_PB = rotations.dcm_from_quaternion(body.q_BP).T
        self._inertia = body.inertia
        self._polhode: list[Point] = []
        # Energy, |L|, encircled axis, and whether L is on its positive side, of the polhode.
        self._drawn: tuple[float, float, int | None, bool] | None = None
        self._first_W: Vector3 | None = None
        self._caption_height = CAPTION_HEIGHT * size * reach

    def at(self, position_W: Vector3, q_WB: Quaternion, omega_B: Vector3) -> list[Marker]:
        """Return the markers of an instant: always the same number, in the same order.

        position_W: (3,) [m];  q_WB: (4,);  omega_B: (3,) [rad/s]
        """
        momentum_P = self._C_PB @ self._inertia @ omega_B
        size = math.hypot(*momentum_P)
        energy = float(poinsot.kinetic_energy(self._moments, momentum_P))
        # Also zero if the squares of tiny rates underflow.
        turned = self._turned(rotations.rotate(rotations.compose(q_WB, self._q_BP), momentum_P))
        if turned or not (energy > 0.0 and size > 0.0):
            return _nothing()
        reach = self._reach
        center_W = position_W + DISTANCE * reach * ASIDE_W
        semi_axes = poinsot.energy_ellipsoid(self._moments, momentum_P)
        scale = SIZE * reach / semi_axes.max()
        q_WP = rotations.compose(q_WB, self._q_BP)
        up_W = rotations.rotate(q_WP, momentum_P / size)
        foot = scale * poinsot.plane_distance(self._moments, momentum_P)
        touch_W = scale * rotations.rotate(q_WB, omega_B)
        self._redraw(energy, momentum_P, size, scale)
        polhode = marker_shapes.line(
            NAMESPACE, Marker.LINE_STRIP, self._polhode, POLHODE_COLOR, CURVE_WIDTH * reach
        )
        polhode.pose = conversions.pose_to_ros(center_W, q_WP)
        width = ARROW_WIDTH * reach
        return [
            self._ellipsoid(center_W, q_WP, scale * semi_axes),
            self._plane(center_W + foot * up_W, up_W),
            polhode,
            marker_shapes.arrow(NAMESPACE, center_W, touch_W, OMEGA_COLOR, width),
            marker_shapes.arrow(
                NAMESPACE, center_W, (foot + MOMENTUM_OVER * reach) * up_W, MOMENTUM_COLOR, width
            ),
            marker_shapes.ball(NAMESPACE, center_W + touch_W, TOUCH_SIZE * reach, TOUCH_COLOR),
            *marker_shapes.lines_of_text(
                NAMESPACE, CAPTION, center_W - (0.0, 0.0, CAPTION_BELOW * reach),
                np.array((0.0, 0.0, -1.0)), self._caption_height, TEXT_COLOR,
            ),
        ]  # fmt: skip

    def _turned(self, momentum_W: Vector3) -> bool:
        """Return whether L (3,) has changed from its first value, so that a torque has acted."""
        if self._first_W is None:
            self._first_W = momentum_W
        return math.hypot(*(momentum_W - self._first_W)) > TURNED * math.hypot(*self._first_W)

    def _redraw(self, energy: float, momentum_P: Vector3, size: float, scale: float) -> None:
        """Recompute the polhode if energy, |L| or the encircled axis has changed."""
        if self._drawn:
            energy_then, size_then, axis, positive = self._drawn
            same_side = axis is None or (momentum_P[axis] > 0.0) == positive
            changed = max(abs(energy / energy_then - 1.0), abs(size / size_then - 1.0))
            if same_side and changed <= REDRAW:
                return
        axis = poinsot.encircled_axis(self._moments, momentum_P)
        self._drawn = (energy, size, axis, axis is not None and bool(momentum_P[axis] > 0.0))
        path = poinsot.momentum_polhode(self._moments, momentum_P, CURVE_POINTS) / self._moments
        steady = np.ptp(path, axis=0).max() <= STEADY * np.abs(path).max()
        self._polhode = [] if steady else marker_shapes.points(LIFT * scale * path)

    def _ellipsoid(self, center_W: Vector3, q_WP: Quaternion, semi_axes: Vector3) -> Marker:
        made = marker_shapes.marker(NAMESPACE, Marker.SPHERE, ELLIPSOID_COLOR)
        made.pose = conversions.pose_to_ros(center_W, q_WP)
        made.scale = conversions.vector3_to_ros(2.0 * semi_axes)
        return made

    def _plane(self, foot_W: Vector3, up_W: Vector3) -> Marker:
        made = marker_shapes.marker(NAMESPACE, Marker.CYLINDER, PLANE_COLOR)
        # The smallest rotation from z to the normal; a disc looks the same from behind.
        x, y, z = up_W if up_W[2] >= 0.0 else -up_W
        q = np.array((1.0 + z, -y, x, 0.0))
        made.pose = conversions.pose_to_ros(foot_W, q / math.hypot(*q))
        wide = 2.0 * PLANE_RADIUS * self._reach
        made.scale = Vector3(x=wide, y=wide, z=PLANE_THICKNESS * self._reach)
        return made


def _nothing() -> list[Marker]:
    kinds = (
        Marker.SPHERE, Marker.CYLINDER, Marker.LINE_STRIP, Marker.ARROW, Marker.ARROW,
        Marker.SPHERE, *len(CAPTION) * (Marker.TEXT_VIEW_FACING,),
    )  # fmt: skip
    return [marker_shapes.absent(NAMESPACE, kind) for kind in kinds]
