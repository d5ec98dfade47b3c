# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Poinsot's picture of free rotation: the energy ellipsoid rolls on the invariable plane.

H. Goldstein, Classical Mechanics, chapter 5. In body axes, the tip of ω lies on the energy
ellipsoid 2 T = ω · I ω and the tip of L on the momentum sphere; in the world, the tip of ω lies
in the plane ω · L = 2 T, and the ellipsoid touches it there, at rest for that instant. The path of
the tip on the ellipsoid is the polhode, that on the plane the herpolhode.

Everything is in principal axes P, of any order; moments: (3,) [kg m^2].
"""

import math

import numpy as np

from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, Vectors3

# Relative difference of L² / 2 T and the intermediate moment below which round-off decides the
# side of the separatrix.
ON_SEPARATRIX = 1e-13
# Moments that differ by less than this part count as equal.
EQUAL = 1e-9


def kinetic_energy(moments: Vector3, momentum_P: Vector3) -> Array:
    """Return the kinetic energy of rotation [J]; momentum_P: (3,) or (n, 3) [N m s]."""
    return np.sum(np.square(momentum_P) / moments, axis=-1) / 2.0


def energy_ellipsoid(moments: Vector3, momentum_P: Vector3) -> Vector3:
    """Return the semi-axes (3,) of the energy ellipsoid, in the space of ω [rad/s]."""
    return np.sqrt(2.0 * kinetic_energy(moments, momentum_P) / moments)


def plane_distance(moments: Vector3, momentum_P: Vector3) -> float:
    """Return the distance [rad/s] of the invariable plane from the centre, 2 T / |L|."""
    return float(2.0 * kinetic_energy(moments, momentum_P) / np.linalg.norm(momentum_P))


def encircled_axis(moments: Vector3, momentum_P: Vector3) -> int | None:
    """Return the index of the principal axis that L circles; None on the separatrix.

    The axis of the largest moment where L² > 2 T I2, of the smallest where L² < 2 T I2.
    """
    low, middle, high = np.argsort(moments, kind='stable')
    inertia = momentum_P @ momentum_P / (2.0 * kinetic_energy(moments, momentum_P))
    if abs(inertia - moments[middle]) < ON_SEPARATRIX * moments[middle]:
        return None
    return int(high if inertia > moments[middle] else low)


def momentum_polhode(moments: Vector3, momentum_P: Vector3, count: int = 257) -> Vectors3:
    """Return the closed path (count, 3) of L on its sphere, on the branch of momentum_P [N m s].

    Where equal moments make the rotation steady, the path is a point. On the separatrix, the great
    circle through momentum_P.
    """
    moments, momentum_P = np.asarray(moments, dtype=float), np.asarray(momentum_P, dtype=float)
    angles = np.linspace(0.0, 2.0 * np.pi, count)
    axis = encircled_axis(moments, momentum_P)
    if axis is None:
        return _great_circle_through(moments, momentum_P, angles)
    across = [index for index in range(3) if index != axis]
    # Eliminate the component along the axis from energy and |L|: an ellipse in the other two.
    slack = 1.0 / moments[across] - 1.0 / moments[axis]
    if np.any(slack == 0.0):
        return np.tile(momentum_P, (count, 1))
    semi_axes = np.sqrt(np.sum(momentum_P[across] ** 2 * slack) / slack)
    path = np.empty((count, 3))
    path[:, across[0]] = semi_axes[0] * np.cos(angles)
    path[:, across[1]] = semi_axes[1] * np.sin(angles)
    along = momentum_P @ momentum_P - np.sum(path[:, across] ** 2, axis=1)
    path[:, axis] = math.copysign(1.0, momentum_P[axis]) * np.sqrt(np.maximum(along, 0.0))
    return path


def separatrix(moments: Vector3, count: int = 257) -> Array:
    """Return two great circles (2, count, 3) on the unit sphere of L, where L² = 2 T I2.

    They cross at the intermediate axis. They separate paths about the axis of the smallest moment
    from paths about that of the largest. Empty (0, count, 3) where two moments are equal.
    """
    low, middle, high = np.argsort(moments, kind='stable')
    below, above = (
        1.0 / moments[low] - 1.0 / moments[middle],
        1.0 / moments[middle] - 1.0 / moments[high],
    )
    if below <= 0.0 or above <= 0.0:
        return np.empty((0, count, 3))
    angles = np.linspace(0.0, 2.0 * np.pi, count)
    circles = np.zeros((2, count, 3))
    for circle, sign in zip(circles, (1.0, -1.0), strict=True):
        circle[:, middle] = np.cos(angles)
        circle[:, low] = np.sin(angles) * math.sqrt(above / (above + below))
        circle[:, high] = sign * np.sin(angles) * math.sqrt(below / (above + below))
    return circles


def _great_circle_through(moments: Vector3, momentum_P: Vector3, angles: Array) -> Vectors3:
    low, _, high = np.argsort(moments, kind='stable')
    circles = separatrix(moments, len(angles))
    if not len(circles):
        return np.tile(momentum_P, (len(angles), 1))
    same_sign = momentum_P[low] * momentum_P[high] >= 0.0
    return np.linalg.norm(momentum_P) * circles[0 if same_sign else 1]


def period(moments: Vector3, momentum_P: Vector3) -> float:
    """Return the time [s] of one turn around the polhode; inf on the separatrix or at a point.

    Four times the quarter period of the Jacobi functions (Landau and Lifshitz, Mechanics, § 37).
    """
    from scipy.special import ellipkm1  # only here, because the import is slow

    moments, momentum_P = np.asarray(moments, dtype=float), np.asarray(momentum_P, dtype=float)
    axis = encircled_axis(moments, momentum_P)
    if axis is None:
        return math.inf
    near, middle, far = np.argsort(moments, kind='stable')
    if axis == near:
        near, far = far, near
    # `far` is the encircled axis; products of equal sign: cancellation at the separatrix only.
    a, b, c = momentum_P[[near, middle, far]] ** 2
    i, j, k = moments[[near, middle, far]]
    on = abs(b * (j - i) / j + c * (k - i) / k)
    off = abs(a * (i - k) / i + b * (j - k) / j)
    complement = abs(c * (k - j) / k - a * (j - i) / i) * abs(k - i) / (on * abs(k - j))
    if off == 0.0 or on * abs(k - j) == 0.0:
        return math.inf
    rate = math.sqrt(on * abs(k - j) / (i * j * k))
    return 4.0 * float(ellipkm1(complement)) / rate


def herpolhode_radii(moments: Vector3, momentum_P: Vector3) -> tuple[float, float]:
    """Return the radii [rad/s] of the two circles in the plane that bound the herpolhode."""
    rates = momentum_polhode(moments, momentum_P, 5) / moments  # its four vertices
    distance = plane_distance(moments, momentum_P)
    squares = np.maximum(np.sum(rates**2, axis=1) - distance**2, 0.0)
    return float(np.sqrt(squares.min())), float(np.sqrt(squares.max()))


def polhode_family(moments: Vector3, levels: int = 4) -> Array:
    """Return polhodes (n, 257, 3) on the unit sphere of L that show the whole pattern.

    levels: on each side of the separatrix, spread evenly in L² / 2 T
    """
    low, middle, high = np.argsort(moments, kind='stable')
    fractions = (np.arange(levels) + 0.5) / levels
    inertias = np.concatenate(
        [
            moments[middle] + fractions * (moments[end] - moments[middle])
            for end in (low, high)
            if moments[end] != moments[middle]
        ]
        or [np.empty(0)]
    )
    paths = []
    for inertia in inertias:
        share = (1.0 / inertia - 1.0 / moments[high]) / (1.0 / moments[low] - 1.0 / moments[high])
        through = np.zeros(3)
        through[low], through[high] = math.sqrt(share), math.sqrt(1.0 - share)
        paths += [momentum_polhode(moments, sign * through) for sign in (1.0, -1.0)]
    return np.array(paths).reshape(-1, 257, 3)


def turns_over(moments: Vector3, momentum_P: Vector3) -> bool:
    """Return whether L is nearest to an intermediate axis and goes around another: that flips.

    Of two equal moments neither is intermediate: a spin about their axes is neutrally stable.
    """
    low, middle, high = np.argsort(moments, kind='stable')
    between = min(moments[middle] - moments[low], moments[high] - moments[middle])
    nearest = np.argmax(np.abs(momentum_P))
    unstable = bool(nearest == middle and between > EQUAL * moments[high])
    return unstable and encircled_axis(moments, momentum_P) is not None
