# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Volume, centroid and second moments of the inside of a surface: a body of uniform density.

Along a direction d the surface is r(d) from its origin, so that the integral over the solid of 1,
s, s s^T is that over all directions of r³/3, r⁴ d/4, r⁵ d d^T/5. The directions are those of a
cube around the origin, each face in four quarters, with Gauss's points on each: a superellipsoid
is smooth except on the planes between its axes, which the quarters do not cross.
"""

from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.contact.convexity import sample
from spacecraft_attitude_sim.core.contact.shapes import Surface
from spacecraft_attitude_sim.core.contact.solver.layout import ELLIPSOID
from spacecraft_attitude_sim.core.contact.surface_functions import implicit_handle
from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vectors3

# Gauss's points along a quarter's edge: their number grows until the results change by less than
# CONVERGED, relative to themselves. Where the last change is more than DOUBTFUL (a thousandth of
# it is the error), the surface is refused.
POINTS = (6, 12, 24, 48)
CONVERGED, DOUBTFUL = 1e-13, 1e-4


class Solid(NamedTuple):
    """The inside of a surface, in its axes.

    volume: [m^3];  centroid: (3,) [m];  moments: (3, 3) of ∫ s s^T dV about the centroid [m^5]
    """

    volume: float
    centroid: np.ndarray
    moments: np.ndarray

    def inertia(self, density: float) -> Matrix3:
        """Return the inertia (3, 3) about the centroid at a density [kg/m^3], in kg m^2."""
        return density * (np.trace(self.moments) * np.eye(3) - self.moments)


def solid(surface: Surface) -> Solid:
    """Return the Solid of a Surface of core.contact.shapes; closed form for an ellipsoid.

    Raises ValueError when the surface is not smooth enough to be integrated, or too slender.
    """
    if surface.kind == ELLIPSOID:
        semi_axes = surface.parameters()
        volume = 4.0 / 3.0 * np.pi * np.prod(semi_axes)
        return Solid(float(volume), np.zeros(3), np.diag(volume / 5.0 * semi_axes**2))
    before = integrated(surface, POINTS[0])
    for count in POINTS[1:]:
        found = integrated(surface, count)
        change = np.max(np.abs(np.diag(found.moments) / np.diag(before.moments) - 1.0))
        if change < CONVERGED:
            break
        before = found
    if not change < DOUBTFUL:
        raise ValueError(
            f'is too slender or not smooth enough for body.density: its inertia is known to '
            f'{change:.1g} only; give body.mass and body.inertia'
        )
    return found


def integrated(surface: Surface, count: int) -> Solid:
    """Return the Solid by count² directions in each quarter of a face.

    The directions are those of the body scaled to equal width along each axis, so that a needle
    integrates as well as a ball.
    """
    directions, weights = _directions(count)
    ends = np.diagonal(surface.survey.points[-6:].reshape(2, 3, 3), axis1=1, axis2=2)
    widths = np.mean(np.abs(ends), axis=0)
    towards = directions * widths
    towards /= np.linalg.norm(towards, axis=1, keepdims=True)
    handle = implicit_handle(surface.implicit())
    points = sample(handle, surface.parameters(), towards, float(surface.scale()))
    share = np.prod(widths) * weights * np.linalg.norm(points / widths, axis=1) ** 3
    volume = np.sum(share) / 3.0
    centroid = share @ points / 4.0 / volume
    moments = np.einsum('n,ni,nj->ij', share, points, points) / 5.0
    return Solid(float(volume), centroid, moments - volume * np.outer(centroid, centroid))


def _directions(count: int) -> tuple[Vectors3, Array]:
    """Return unit vectors (24 count², 3) and their weights, which add to 4 π."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    # From -1 to 0 and from 0 to 1.
    places = np.concatenate((nodes - 1.0, nodes + 1.0)) / 2.0
    weights = np.tile(weights, 2) / 2.0
    u, v = np.meshgrid(places, places)
    square = 1.0 + u**2 + v**2
    share = np.outer(weights, weights) / square**1.5
    face = np.stack((np.ones_like(u), u, v), axis=-1) / np.sqrt(square)[..., np.newaxis]
    faces = [np.roll(sign * face, axis, axis=-1) for sign in (1.0, -1.0) for axis in range(3)]
    return np.concatenate(faces).reshape(-1, 3), np.tile(share.ravel(), 6)
