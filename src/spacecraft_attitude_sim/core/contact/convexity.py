# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Check a surface once, before it is used: closed, smooth and convex; measure its curvature."""

from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.contact.surface_functions import implicit_handle
from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, Vectors3
from spacecraft_attitude_sim.kernels.kernel import Handle, Kernel, compiled
from spacecraft_attitude_sim.kernels.pointers import borrowed

SAMPLES = 400
# Steps of the finite differences, relative to the size, and their largest difference from the
# given derivatives, relative to the largest: more than the differences' own error, not more than
# a mistake in a derivative.
DIFFERENCE = 1e-5
DERIVATIVE_TOLERANCE = 1e-4
# Iteration ends with a step below this fraction.
ROUND_OFF = 4e-16
# A curvature above minus this over the size is round-off at a flat point.
FLATNESS = 1e-9


class Survey(NamedTuple):
    """Size and curvature of a surface.

    points: (n, 3) of the surface, in its axes [m];  reach, inner_radius: of its origin [m]
    least_curvature, largest_curvature: among the points [1/m]
    """

    points: np.ndarray
    reach: float
    inner_radius: float
    least_curvature: float
    largest_curvature: float


def survey(implicit: Kernel, parameters: Array, size: float) -> Survey:
    """Return the Survey of a surface.

    implicit: compiled function of core.contact.surface_functions;  parameters: its array
    size: about the distance of the surface from its origin [m]
    Raises ValueError when H is not negative at the origin, the surface is open, its derivatives do
    not fit, or it is not convex.
    """
    if not implicit(0.0, 0.0, 0.0, parameters)[0] < 0.0:
        raise ValueError(
            'function is not negative at its origin; H must be below 0 inside the body: '
            'shift the surface with center, or change its sign'
        )
    handle = implicit_handle(implicit)
    points = sample(handle, parameters, _directions(SAMPLES), float(size))
    if np.any(np.isnan(points)):
        raise ValueError(
            'function stays negative along some direction from its origin; '
            'the surface must be closed'
        )
    _check_derivatives(handle, parameters, points, size)
    curvatures = _curvatures(points, evaluated(handle, parameters, points))
    _check_convex(points, curvatures, size)
    radii = np.linalg.norm(points, axis=1)
    least = max(0.0, float(curvatures.min()))
    return Survey(points, float(radii.max()), float(radii.min()), least, float(curvatures.max()))


def _directions(count: int) -> Vectors3:
    """Return unit vectors (count + 6, 3) spread evenly (Fibonacci), and the six half-axes."""
    index = np.arange(count) + 0.5
    z = 1.0 - 2.0 * index / count
    angle = np.pi * (1.0 + np.sqrt(5.0)) * index
    across = np.sqrt(1.0 - z * z)
    spiral = np.stack((across * np.cos(angle), across * np.sin(angle), z), axis=1)
    return np.concatenate((spiral, np.eye(3), -np.eye(3)))


@compiled
def sample(handle: Handle, parameters: Array, directions: Vectors3, size: float) -> Vectors3:
    """Return the points (n, 3) [m] where rays from the origin leave the surface, NaN without one.

    By doubling, then by Newton's method, with bisection where Newton diverges.

    handle: implicit_handle of the function;  directions: (n, 3)
    """
    points, level_at = np.full(directions.shape, np.nan), handle[0]
    parameters = borrowed(parameters)
    for index in range(directions.shape[0]):
        x, y, z = directions[index, 0], directions[index, 1], directions[index, 2]
        low, high = 0.0, size
        for _ in range(60):
            if level_at(high * x, high * y, high * z, parameters)[0] > 0.0:
                break
            low, high = high, 2.0 * high
        else:
            continue
        at = high
        for _ in range(200):
            level, a, b, c = level_at(at * x, at * y, at * z, parameters)[:4]
            if level > 0.0:
                high = at
            else:
                low = at
            slope = a * x + b * y + c * z
            step = level / slope if slope > 0.0 else high - low
            if abs(step) <= ROUND_OFF * high or level == 0.0:
                break
            at -= step
            if not low < at < high:
                at = 0.5 * (low + high)
                if at in (low, high):
                    break
        points[index, 0], points[index, 1], points[index, 2] = at * x, at * y, at * z
    return points


@compiled
def evaluated(handle: Handle, parameters: Array, points: Vectors3) -> Array:
    """Return H and its derivatives (n, 10) at points (n, 3); handle: of its function."""
    values, level_at = np.empty((points.shape[0], 10)), handle[0]
    parameters = borrowed(parameters)
    for k in range(points.shape[0]):
        row = level_at(points[k, 0], points[k, 1], points[k, 2], parameters)
        for j in range(10):
            values[k, j] = row[j]
    return values


def _check_derivatives(handle: Handle, parameters: Array, points: Vectors3, size: float) -> None:
    step = DIFFERENCE * size
    # Without the six axis points: a superellipsoid has only two derivatives there.
    chosen = points[7:SAMPLES:40].copy()
    steps = step * np.concatenate((np.eye(3), -np.eye(3)))
    beside = (chosen[:, np.newaxis] + steps).reshape(-1, 3)
    shifted = evaluated(handle, parameters, beside)[:, :4].reshape(-1, 2, 3, 4)
    several = zip(chosen, evaluated(handle, parameters, chosen), shifted, strict=True)
    for point, values, (ahead, behind) in several:
        if not np.all(np.isfinite(values)):
            raise ValueError(f'function is not finite at {point.tolist()} m')
        found = (ahead - behind) / (2.0 * step)
        _compare('gradient', found[:, 0], values[1:4], 1.0, point)
        hessian = values[[4, 7, 8, 7, 5, 9, 8, 9, 6]].reshape(3, 3)
        steepness = float(np.linalg.norm(values[1:4]))
        _compare('second derivatives', found[:, 1:], hessian, 100.0 * steepness / size, point)


def _compare(name: str, found: Array, given: Array, scale: float, point: Vector3) -> None:
    largest = max(np.abs(given).max(), np.abs(found).max(), scale * 1e-3)
    if np.abs(found - given).max() > DERIVATIVE_TOLERANCE * largest:
        raise ValueError(
            f'function returns a {name} at {np.round(point, 4).tolist()} m that is not the '
            f'derivative of its H: {np.round(given, 6).tolist()} given, '
            f'{np.round(found, 6).tolist()} found by differences'
        )


def _curvatures(points: Vectors3, values: Array) -> Array:
    """Return the two principal curvatures (n, 2) at points (n, 3) [1/m], positive where convex.

    From trace and second invariant of the tangential part of the Hessian, over |∇H|.
    values: of `evaluated`
    """
    steepness = np.linalg.norm(values[:, 1:4], axis=1)
    if not np.all(steepness > 0.0):
        point = points[np.argmin(steepness)]
        raise ValueError(f'function has no gradient at {point.tolist()} m; it is not smooth there')
    normals = values[:, 1:4] / steepness[:, np.newaxis]
    across = np.eye(3) - normals[:, :, np.newaxis] * normals[:, np.newaxis, :]
    hessians = values[:, [4, 7, 8, 7, 5, 9, 8, 9, 6]].reshape(-1, 3, 3)
    bent = across @ hessians @ across / steepness[:, np.newaxis, np.newaxis]
    middle = np.trace(bent, axis1=1, axis2=2) / 2.0
    square = np.sum(bent * bent, axis=(1, 2)) / 2.0
    spread = np.sqrt(np.maximum(0.0, square - middle * middle))
    return np.stack((middle - spread, middle + spread), axis=1)


def _check_convex(points: Vectors3, curvatures: Array, size: float) -> None:
    worst = int(np.argmin(curvatures.min(axis=1)))
    least = curvatures[worst].min()
    if least < -FLATNESS / size:
        raise ValueError(
            f'surface is not convex: its curvature at {np.round(points[worst], 4).tolist()} m is '
            f'{least:.3g} 1/m; one contact point needs a convex body: give one that bulges '
            'everywhere'
        )
