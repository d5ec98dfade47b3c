# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Momentum envelope of a set of wheels: the sums Σ s_i g_i of all -1 <= s_i <= 1.

With g_i the axis of a wheel times its largest momentum this is a convex polytope, a zonotope
(Markley et al., Maximum Torque and Momentum Envelopes for Reaction Wheel Arrays, Journal of
Guidance, Control, and Dynamics 33(5), 2010). Each face is parallel to two wheels or more: these
span the face, and all others are at their limit towards its outside.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, Vectors3

# Part of the largest momentum, and sine of an angle, below which a value is round-off.
ROUND_OFF = 1e-9


class Envelope(NamedTuple):
    """The convex polytope, about the origin.

    normals: (m, 3) unit vectors, outwards;  distances: (m,) of the faces from the origin [N m s]
    faces: m arrays (k, 3) of corners, counterclockwise seen from outside [N m s]
    Wheels whose axes lie in a plane have one face, the whole, and no distance; those on one axis
    have two corners and no normal.
    """

    normals: Vectors3
    distances: Array
    faces: tuple[Vectors3, ...]

    @property
    def weakest(self) -> float:
        """The largest momentum that it holds in every direction [N m s]."""
        return float(np.min(self.distances, initial=np.inf)) if len(self.distances) else 0.0

    def edges(self) -> Array:
        """Return the edges (n, 2, 3) [N m s], each once."""
        ends = [np.stack((face, np.roll(face, -1, axis=0)), axis=1) for face in self.faces]
        every = np.concatenate(ends)
        size = np.max(np.abs(every)) or 1.0
        middles = np.round(every.mean(axis=1) / size, 7) + 0.0
        _, first = np.unique(middles, axis=0, return_index=True)
        return every[np.sort(first)]


def envelope(axes_B: Vectors3, most: Array) -> Envelope:
    """Return the Envelope of wheels, body axes.

    axes_B: (n, 3) unit spin axes;  most: (n,) largest momentum of each [N m s], finite
    """
    generators = np.asarray(axes_B, dtype=float) * np.asarray(most, dtype=float)[:, np.newaxis]
    generators = _apart(generators[np.any(generators, axis=1)])
    if len(generators) < 2:
        ends = np.concatenate((generators, -generators)) if len(generators) else np.zeros((1, 3))
        return Envelope(np.zeros((0, 3)), np.zeros(0), (ends,))
    normals = _normals(generators)
    if len(normals) == 1:  # all axes in one plane
        flat = _polygon(generators, normals[0])
        return Envelope(normals, np.zeros(1), (flat,))
    faces, outward = [], np.concatenate((normals, -normals))
    for normal in outward:
        along = generators @ normal
        within = np.abs(along) < ROUND_OFF * np.linalg.norm(generators, axis=1)
        center = np.sign(along[~within]) @ generators[~within]
        faces.append(center + _polygon(generators[within], normal))
    return Envelope(outward, np.abs(generators @ outward.T).sum(axis=0), tuple(faces))


def _apart(generators: Vectors3) -> Vectors3:
    """Return the generators (k, 3), those on one axis added into one."""
    found: list[Vector3] = []
    for one in generators:
        for place, other in enumerate(found):
            if _parallel(one, other):
                found[place] = other + np.copysign(1.0, one @ other) * one
                break
        else:
            found.append(one)
    return np.array(found).reshape(-1, 3)


def _normals(generators: Vectors3) -> Vectors3:
    """Return the unit normals (m, 3) of the planes spanned by two generators, each once."""
    found: list[Vector3] = []
    for one, other in itertools.combinations(generators, 2):
        across = np.cross(one, other)
        if not any(_parallel(across, known) for known in found):
            found.append(across / np.linalg.norm(across))
    return np.array(found)


def _parallel(one: Vector3, other: Vector3) -> bool:
    sizes = np.linalg.norm(one) * np.linalg.norm(other)
    return bool(np.linalg.norm(np.cross(one, other)) < ROUND_OFF * sizes)


def _polygon(generators: Vectors3, normal: Vector3) -> Vectors3:
    """Return the corners (2k, 3) of the zonogon of k generators in a plane, counterclockwise.

    normal: (3,) unit vector of the plane, towards the viewer
    """
    first = generators[0] / np.linalg.norm(generators[0])
    along, up = generators @ first, generators @ np.cross(normal, first)
    upwards = np.where(up < 0.0, -1.0, 1.0)
    order = np.argsort(np.arctan2(upwards * up, upwards * along))
    sides = 2.0 * (generators * upwards[:, np.newaxis])[order]
    before = np.concatenate((np.zeros((1, 3)), np.cumsum(sides, axis=0)[:-1]))
    half = before - sides.sum(axis=0) / 2.0
    return np.concatenate((half, -half))
