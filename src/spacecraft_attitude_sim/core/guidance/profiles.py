# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Profiles: what the attitude does over time when no slew goes on."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.control.control_law import Reference
from spacecraft_attitude_sim.core.guidance import aligned_motion
from spacecraft_attitude_sim.core.guidance.aligned_motion import (
    ACROSS,
    ALPHA,
    BETWEEN,
    DIRECTION,
    MOTION,
    OMEGA,
    PLACE,
    REST,
)
from spacecraft_attitude_sim.core.guidance.ephemeris import TARGET, Ephemeris, place_in_span
from spacecraft_attitude_sim.core.guidance.motion import (
    PARALLEL,
    GuidanceError,
    Profile,
    composed,
    still,
)
from spacecraft_attitude_sim.core.mathematics.fixed_order import cross, norm
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_from_matrix

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3

# A direction may be one of these, its opposite as '-sun', or a target as 'target:kiruna'.
INERTIAL, NADIR, SUN, MOON, VELOCITY, NORMAL = DIRECTIONS = (
    'inertial', 'nadir', 'sun', 'moon', 'velocity', 'orbit_normal',
)  # fmt: skip
# Sine of the smallest angle between the two body axes of a profile.
LEAST_SINE = 1e-3


class Inertial(NamedTuple):
    """An attitude q_WR (4,) at rest in world."""

    q_WR: Quaternion

    def at(self, time: float) -> Reference:
        """Return the Reference at a time [s]."""
        return still(self.q_WR)


class Direction(NamedTuple):
    """A direction over time.

    name: one of DIRECTIONS, 'target:<name>', or either with '-' before it for the opposite
    ephemeris: Ephemeris;  vector_W: (3,) of any length, for INERTIAL
    """

    name: str
    ephemeris: Ephemeris
    vector_W: Vector3

    def jet(self, time: float) -> Array:
        """Return the jet (3, 3) of the unit vector, world axes; GuidanceError if not known."""
        jet, x = np.empty(9), place_in_span(time)
        if not aligned_motion.pointing(*self.at(time), x, self.ephemeris.room, jet):
            raise GuidanceError(PARALLEL)
        return jet.reshape(3, 3)

    def at(self, time: float) -> tuple[Array, Array, Array]:
        """Return what aligned_motion.direction takes at a time [s].

        Raises GuidanceError where a place is not known.
        """
        how, first, other = _how(self.name)
        if not first:
            return how, self.vector_W, self.vector_W
        place = self.ephemeris.coefficients(first, time)
        return how, place, self.ephemeris.coefficients(other, time) if other else place


@functools.cache
def _how(name: str) -> tuple[Array, str, str]:
    """Return DIRECTION of a direction's name, and the names of its places, '' for none."""
    what = name.removeprefix('-')
    kind, sign, first, other = PLACE, 1.0, what, ''
    if what == INERTIAL:
        kind, first = REST, ''
    elif what == NADIR:
        sign, first = -1.0, 'position'
    elif what == NORMAL:
        kind, first, other = ACROSS, 'position', 'velocity'
    elif what.startswith(TARGET):
        kind, other = BETWEEN, 'position'
    sense = -1.0 if name.startswith('-') else 1.0
    return DIRECTION.packed(kind=kind, sign=sign, sense=sense), first, other


class Aligned(NamedTuple):
    """A body axis along a direction, and a second one as near as possible to a second direction.

    first, second: Directions
    q_TR: (4,) of `mounting`, which says what the two body axes are
    """

    first: Direction
    second: Direction
    q_TR: Quaternion

    def at(self, time: float) -> Reference:
        """Return the Reference at a time [s]; GuidanceError where the directions are parallel."""
        first, second, flat = self.first, self.second, np.empty(MOTION.size)
        try:
            if not aligned_motion.aligned(
                *first.at(time),
                *second.at(time),
                place_in_span(time),
                self.q_TR,
                first.ephemeris.room,
                flat,
            ):
                raise GuidanceError(PARALLEL)
        except GuidanceError as error:
            raise GuidanceError(
                f'{first.name} and {second.name} at {time:.6g} s: {error}'
            ) from None
        return Reference(flat[:OMEGA], flat[OMEGA:ALPHA], flat[ALPHA:])


class Spinning(NamedTuple):
    """Another profile, on which the body spins.

    base: Profile;  axis_R: (3,) unit vector;  rate: [rad/s]; the angle is 0 at time 0
    """

    base: Profile
    axis_R: Vector3
    rate: float

    def at(self, time: float) -> Reference:
        """Return the Reference at a time [s]; GuidanceError as of the other profile."""
        half = 0.5 * math.remainder(self.rate * time, math.tau)
        q = np.array((math.cos(half), *(math.sin(half) * self.axis_R)))
        turn = Reference(q, self.rate * self.axis_R, np.zeros(3))
        return composed(self.base.at(time), turn)


def mounting(axis: Vector3, second_axis: Vector3) -> Quaternion:
    """Return q_TR (4,) of Aligned for two body axes (3,) of any length.

    Raises ValueError where they are parallel.
    """
    across = cross(axis, second_axis)
    if not norm(across) > LEAST_SINE * norm(axis) * norm(second_axis):
        raise ValueError(
            f'axis {list(axis)} and second_axis {list(second_axis)} are parallel; give two axes '
            'at an angle'
        )
    x, z = axis / norm(axis), across / norm(across)
    rows = np.array((x, cross(z, x), z))
    return np.array(quaternion_from_matrix(*map(float, rows.flat)))
