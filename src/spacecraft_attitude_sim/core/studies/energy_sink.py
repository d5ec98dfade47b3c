# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Energy of rotation against the magnitude of L, while internal parts dissipate.

With J the inertia about the centre of mass without wheels and rotors, internal parts stopped at
their present positions, and h the momentum of wheels and rotors:

    T = ½ (L - h) · J⁻¹ (L - h)        its ellipsoid about h passes through the tip of L

Without wheels T lies between L²/2I of the largest moment and that of the smallest. Internal motion
does not change L and lowers T: L goes from polhode to polhode until the axis of the largest moment
is along it. (P. W. Likins, Effects of Energy Dissipation on the Free Body Motions of Spacecraft,
JPL TR 32-860, 1966.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vectors3

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft

# Moments whose difference is below this part of the larger one count as equal.
EQUAL = 1e-3


class Rotation(NamedTuple):
    """Rotation of a spacecraft at n instants, internal parts stopped.

    momentum_B, held_B: (n, 3) L about the centre of mass, h of wheels and rotors [N m s]
    moments: (n, 3) principal moments of J, the smallest first [kg m^2]
    axes_B: (n, 3, 3) their axes, in columns: right-handed, continuous in time
    """

    momentum_B: Vectors3
    held_B: Vectors3
    moments: Vectors3
    axes_B: Array

    @property
    def momentum_P(self) -> Vectors3:
        """L in the axes of J (n, 3) [N m s]."""
        return np.einsum('nji,nj->ni', self.axes_B, self.momentum_B)

    @property
    def energies(self) -> Array:
        """T (n,) [J]."""
        carried_P = np.einsum('nji,nj->ni', self.axes_B, self.momentum_B - self.held_B)
        return np.sum(carried_P**2 / self.moments, axis=1) / 2.0

    @property
    def bounds(self) -> Vectors3:
        """L²/2I (n, 3) [J]: the value of T for a spin about each axis, without wheels."""
        squares = np.sum(self.momentum_B**2, axis=1)
        return squares[:, np.newaxis] / (2.0 * self.moments)

    @property
    def semi_axes(self) -> Vectors3:
        """Semi-axes (n, 3) of the ellipsoid of T about h, in the space of L [N m s]."""
        return np.sqrt(2.0 * self.energies[:, np.newaxis] * self.moments)

    def nutation_angles(self) -> dict[str, Array]:
        """Return {axis: angles (n,) between it and L [rad]}; NaN where L is zero.

        Of the axis of symmetry, else of those of the largest and the smallest moment, and of h,
        where there is any. Each axis points to the side where L comes nearest to it in the n
        instants.
        """
        low, middle, high = self.moments[0]
        names = {
            'the largest I': 2 if high - middle > EQUAL * high else None,
            'the smallest I': 0 if middle - low > EQUAL * middle else None,
        }
        found = {
            f'axis of {name}': _angles(self.axes_B[:, :, column], self.momentum_B)
            for name, column in names.items()
            if column is not None
        }
        if np.any(self.held_B):
            found['h of the wheels'] = _angles(self.held_B, self.momentum_B)
        return found


def changes(spacecraft: Spacecraft) -> bool:
    """Return whether parts of a spacecraft change its energy of rotation without a command."""
    return bool(spacecraft.parts)


def rotation(momentum_B: Vectors3, inertias_B: Array, held_B: Vectors3 | None = None) -> Rotation:
    """Return the Rotation at n instants.

    momentum_B: (n, 3) [N m s];  inertias_B: (n, 3, 3) of `locked_inertias_B` [kg m^2]
    held_B: (n, 3) [N m s], None for none
    """
    moments, axes_B = np.linalg.eigh(inertias_B)
    along = np.einsum('nij,nij->nj', axes_B[1:], axes_B[:-1])
    signs = np.cumprod(np.where(along < 0.0, -1.0, 1.0), axis=0)
    axes_B[1:] *= signs[:, np.newaxis]
    axes_B[:, :, 2] = np.cross(axes_B[:, :, 0], axes_B[:, :, 1])
    held_B = np.zeros_like(momentum_B) if held_B is None else held_B
    return Rotation(momentum_B, held_B, moments, axes_B)


def locked_inertias_B(
    inertia: Matrix3,
    mass: float,
    parts: InternalParts | None,
    displacements: Array,
    swings: Array,
) -> Array:
    """Return the inertia (n, 3, 3) about the centre of mass, parts stopped at their positions.

    inertia: with the parts at their reference [kg m^2];  mass: of the whole [kg]
    displacements: (n, K) of the coordinates
    swings: (n, P, 3) of the pendulums' masses from their rest positions, body axes [m]
    """
    whole = np.tile(inertia, (len(displacements), 1, 1))
    if parts is None:
        return whole
    moments = np.zeros((len(displacements), 3))  # first moments of mass about the origin [kg m]
    for one, moved in zip(parts.coordinates.values(), displacements.T, strict=True):
        if (motion := one.moved_B(moved)) is None:
            continue
        (places, turned), first = motion, one.center_at_B(0.0)
        whole += turned
        whole += one.mass * (_of_points(places) - _of_points(first))
        moments += one.mass * (places - first)
    for number, pendulum in enumerate(parts.pendulums.values()):
        first = pendulum.center_at_B(pendulum.rest_B)
        places = first + swings[:, number]
        whole += pendulum.mass * (_of_points(places) - _of_points(first))
        moments += pendulum.mass * (places - first)
    found: Array = whole - _of_points(moments / mass) * mass
    return found


def _of_points(places: Array) -> Array:
    """Return the inertia (…, 3, 3) of unit masses at positions (…, 3) [m]."""
    squares = np.sum(places**2, axis=-1)[..., np.newaxis, np.newaxis]
    outer = places[..., :, np.newaxis] * places[..., np.newaxis, :]
    return squares * np.eye(3) - outer


def _angles(axes_B: Vectors3, momentum_B: Vectors3) -> Array:
    """Return the angles (n,) between axes and L (n, 3), on the side where L comes nearest."""
    sizes = np.linalg.norm(axes_B, axis=1) * np.linalg.norm(momentum_B, axis=1)
    with np.errstate(invalid='ignore', divide='ignore'):
        cosines = np.sum(axes_B * momentum_B, axis=1) / sizes
    if np.isnan(cosines).all():
        return cosines
    nearest = cosines[np.nanargmax(np.abs(cosines))]
    angles: Array = np.arccos(np.clip(cosines * np.copysign(1.0, nearest), -1.0, 1.0))
    return angles
