# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Rigid panels on hinges with springs and dampers, which are held, released and latched."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.body.rigid_body import point_inertia
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.channel import Shown
from spacecraft_attitude_sim.core.mathematics.checks import check_sizes, unit_axis
from spacecraft_attitude_sim.core.mathematics.fixed_order import cross, product, turned
from spacecraft_attitude_sim.core.mathematics.layout import six_of
from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import (
    coordinate_channels,
    coordinate_row,
)
from spacecraft_attitude_sim.core.parts.coordinates.layouts import FREE, HELD, HINGE
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        Matrix3,
        Vector3,
        VectorLike,
        Vectors3,
    )


@dataclass(frozen=True)
class HingedPanel:
    """One rigid panel; the body's mass and inertia include it at angle 0.

    hinge_B: a point of the hinge's line (3,) [m];  axis_B: of the hinge, unit vector (3,)
    center_B: from hinge_B to the panel's centre of mass at angle 0 (3,) [m]
    mass: [kg];  inertia: about its centre of mass at angle 0, body axes (3, 3) [kg m^2]
    stiffness [N m/rad], damping [N m s/rad]: of the hinge;  rest: angle of the slack spring [rad]
    angle [rad], rate [rad/s]: at the start
    release: time until which it is held at `angle` [s]; 0: free at once, inf: held for ever
    latch: angle at which it latches, inf for no latch
    latch_stiffness [N m/rad], latch_damping [N m s/rad]: of the latch, 0 for rigid
    Raises ValueError naming the field, its value and the remedy.
    """

    PREFIX = 'panel'
    CHANNELS = coordinate_channels(
        'angle', 'rad', Shown('panel_angle', 'angle of each\npanel', 'deg', 180.0 / math.pi)
    )

    hinge_B: VectorLike
    axis_B: VectorLike
    center_B: VectorLike
    mass: float
    inertia: Matrix3
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    angle: float = 0.0
    rate: float = 0.0
    release: float = 0.0
    latch: float = math.inf
    latch_stiffness: float = 0.0
    latch_damping: float = 0.0

    revolute, look = True, 'plate'

    def __post_init__(self) -> None:
        """Check all fields."""
        object.__setattr__(self, 'axis_B', unit_axis('axis', self.axis_B))
        object.__setattr__(self, 'inertia', np.asarray(self.inertia, dtype=float))
        check_sizes(
            self,
            {'mass': 'kg'},
            {
                'stiffness': 'N m/rad', 'damping': 'N m s/rad', 'release': 's',
                'latch_stiffness': 'N m/rad', 'latch_damping': 'N m s/rad',
            },
        )  # fmt: skip
        moments = np.linalg.eigvalsh(self.inertia)
        if not moments[0] >= 0.0 or moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-9):
            raise ValueError(
                f'inertia has the principal moments {moments.tolist()} kg m^2, which no body has; '
                'each is at most the sum of the others'
            )
        if not self.moving > 0.0:
            raise ValueError(
                'inertia and center leave nothing that turns about the hinge; give a panel whose '
                'mass is off its hinge'
            )
        if self.latch == self.angle:
            raise ValueError(
                f'latch is {self.latch:g} rad, where it is at the start; leave the latch out, and '
                'the hinge, of a panel that stays there'
            )
        if self.release > 0.0 and self.rate:
            raise ValueError(
                f'rate is {self.rate:g} rad/s of a panel that is held until {self.release:g} s; '
                'give it no rate, or release 0'
            )

    @property
    def how(self) -> float:
        """Its mode at the start: one of core.parts.coordinates.layouts."""
        return HELD if self.release > 0.0 else FREE

    @property
    def displacement(self) -> float:
        """Its angle at the start [rad]."""
        return self.angle

    @property
    def moving(self) -> float:
        """Moment of inertia about the hinge [kg m^2]."""
        axis = np.asarray(self.axis_B)
        arm = cross(axis, self.center_B)
        along = product(product(axis, self.inertia), axis)
        return float(along + self.mass * product(arm, arm))

    def turn_B(self, angle: float) -> Matrix3:
        """Return the rotation (3, 3) of the panel from angle 0 to an angle [rad]."""
        return rotations.turned_about(self.axis_B, math.sin(angle), math.cos(angle))

    def center_at_B(self, angle: float) -> Vector3:
        """Return the panel's centre of mass (3,) [m]."""
        return np.asarray(self.hinge_B) + product(self.turn_B(angle), self.center_B)

    def moment_B(self, angle: float) -> Vector3:
        """Return its first moment of mass about the origin (3,) [kg m]."""
        return self.mass * self.center_at_B(angle)

    def inertia_B(self, angle: float) -> Matrix3:
        """Return its inertia about the origin (3, 3) [kg m^2]."""
        own = turned(self.turn_B(angle), self.inertia)
        return own + point_inertia(self.mass, self.center_at_B(angle))

    def momenta_B(self, angle: float) -> tuple[Vector3, Vector3]:
        """Return angular momentum about the origin and momentum, (3,) each, per unit of rate."""
        turn, axis = self.turn_B(angle), np.asarray(self.axis_B)
        drift = self.mass * cross(axis, product(turn, self.center_B))
        spin = product(turn, product(self.inertia, axis))
        return spin + cross(self.center_at_B(angle), drift), drift

    def moved_B(self, angles: Array) -> tuple[Vectors3, Array]:
        """Return places (n, 3) of its centre of mass [m], and changes of its own inertia.

        The changes (n, 3, 3) are those from angle 0 [kg m^2].
        """
        sines, cosines = (f(angles)[:, np.newaxis, np.newaxis] for f in (np.sin, np.cos))
        turns = rotations.turned_about(self.axis_B, sines, cosines)
        arms = turns @ np.asarray(self.center_B)
        change = turns @ self.inertia @ turns.swapaxes(1, 2) - self.inertia
        return np.asarray(self.hinge_B) + arms, change

    def row(self) -> Array:
        """Return (COORDINATE.size,) for the compiled step."""
        return coordinate_row(
            kind=HINGE, axis_B=self.axis_B, position_B=self.hinge_B, center_B=self.center_B,
            inertia_B=six_of(self.inertia), mass=self.mass,
            moving=self.moving, stiffness=self.stiffness, damping=self.damping, rest=self.rest,
            latch=self.latch, way=math.copysign(1.0, self.latch - self.angle),
            latch_stiffness=self.latch_stiffness, latch_damping=self.latch_damping,
            release=self.release,
        )  # fmt: skip
