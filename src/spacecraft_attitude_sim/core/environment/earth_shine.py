# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Earthshine on a small plate: reflected sunlight (albedo) and the Earth's own infrared.

The Earth is a sphere that reflects by Lambert's law with one albedo for land, sea and clouds (30 %
on average; 5 to 80 % in reality), and emits infrared evenly. The irradiance of a plate is an
integral over the visible ground. For infrared it has a closed form; for reflected light it has
one where the plate faces the subsolar point:

    [4 + 2 h + 2 h³ - (h² - 1)² ln((h + 1)/(h - 1))] / (8 h³)        h = r/R
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.earth import RADIUS
from spacecraft_attitude_sim.core.mathematics.vectors import (
    combined,
    cross,
    dot,
    norm,
    scaled,
    tangential,
    tangents,
    three_at,
)
from spacecraft_attitude_sim.kernels.kernel import compiled, helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, VectorLike

# Means over the Earth and the year: the reflected part of sunlight, and the infrared that the
# Earth emits [W/m^2].
ALBEDO, EMITTED = 0.3, 239.0
# Patches: rings about the point below, by Gauss and Legendre, and parts of each ring.
RINGS, PARTS = 8, 24
_NODES, _WEIGHTS = (tuple(part.tolist()) for part in np.polynomial.legendre.leggauss(RINGS))
_TURNS = tuple((k + 0.5) * math.tau / PARTS for k in range(PARTS))
_COSINES, _SINES = tuple(map(math.cos, _TURNS)), tuple(map(math.sin, _TURNS))


def reflected_part(h: float) -> float:
    """Return E/(albedo E_sun) of a plate above the subsolar point that faces the ground.

    h: distance from the Earth's centre in radii, above 1
    """
    root = (h * h - 1.0) ** 2 * math.log((h + 1.0) / (h - 1.0))
    return (4.0 + 2.0 * h + 2.0 * h**3 - root) / (8.0 * h**3)


@helper
def reflected(position: Floats, to_sun: Floats, normal: Floats) -> float:
    """Return the sunlight that the Earth reflects to a plate, as a part of albedo times sunlight.

    An integral over RINGS × PARTS patches of the view: within 1e-3 of reflected_part, also where
    the terminator and the plate's own horizon cut through it.

    position: from the Earth's centre [m], outside of it;  to_sun, normal: unit vectors; three
        floats each, the same axes
    """
    h = norm(position) / RADIUS
    up = scaled(1.0 / (h * RADIUS), position)
    # Rings are counted from the Sun's side, so that the left and right halves are symmetric.
    aside = tangential(to_sun, up)
    size = norm(aside)
    if size > 1e-9:
        e1 = scaled(1.0 / size, aside)
    else:
        e1 = tangents(up)[0]
    e2 = cross(up, e1)
    total = 0.0
    for i in range(RINGS):
        # Cosine and sine of the angle at which light leaves the ground, then of the nadir angle at
        # the plate, then of the angle at the Earth's centre.
        e = 0.5 * (1.0 + _NODES[i])
        f = math.sqrt(1.0 - e * e)
        sine = f / h
        cosine = math.sqrt(1.0 - sine * sine)
        c, s = e * cosine + f * sine, f * cosine - e * sine
        ring = 0.0
        for k in range(PARTS):
            outward = combined(_COSINES[k], e1, _SINES[k], e2, 0.0, up)
            lit = c * dot(up, to_sun) + s * dot(outward, to_sun)
            arriving = sine * dot(outward, normal) - cosine * dot(up, normal)
            if lit > 0.0 and arriving > 0.0:
                ring += lit * arriving
        total += _WEIGHTS[i] * ring * e / cosine
    return total / (PARTS * h * h)


@helper
def seen_part(position: Floats, normal: Floats) -> float:
    """Return the plate's view factor of the Earth: the visible part, weighted by the cosine.

    Exact for a sphere and a plate of any attitude (J. R. Howell's catalogue, B-43):
    cos γ/h² where the whole Earth is in front of the plate, γ from the normal to the Earth's
    centre.

    position: from the Earth's centre [m], outside of it;  normal: unit vector; three floats each
    """
    h = max(1.0, norm(position) / RADIUS)
    cosine = -dot(position, normal) / norm(position)
    reach = math.sqrt(h * h - 1.0)
    # The whole Earth is in front of the plate: γ + asin(1/h) is below a right angle.
    if cosine * h >= 1.0:
        return cosine / (h * h)
    if cosine * h <= -1.0:
        return 0.0
    sine = math.sqrt(1.0 - cosine * cosine)
    first = math.asin(max(-1.0, min(1.0, reach / (h * sine))))
    second = math.acos(max(-1.0, min(1.0, -reach * cosine / sine)))
    root = reach * math.sqrt(max(0.0, 1.0 - h * h * cosine * cosine))
    return 0.5 - first / math.pi + (cosine * second - root) / (math.pi * h * h)


@compiled
def _shine(vectors: Array) -> Floats:
    position, normal = three_at(vectors, 0), three_at(vectors, 6)
    return reflected(position, three_at(vectors, 3), normal), seen_part(position, normal)


def shine_of_earth(
    position: VectorLike,
    to_sun: VectorLike,
    normal: VectorLike,
    sunlight: float,
    albedo: float = ALBEDO,
    emitted: float = EMITTED,
) -> tuple[float, float]:
    """Return the reflected sunlight and the infrared on a plate [W/m^2].

    position: (3,) from the Earth's centre [m];  to_sun, normal: (3,) unit vectors, the same axes
    sunlight: irradiance of the Sun on lit ground [W/m^2]
    """
    vectors = np.concatenate((position, to_sun, normal)).astype(float)
    light, part = _shine(vectors)
    return albedo * sunlight * light, emitted * part
