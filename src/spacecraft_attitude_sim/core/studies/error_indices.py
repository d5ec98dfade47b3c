# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Error indices of one flight: absolute, mean, relative and drift, at a confidence.

ECSS-E-ST-60-10C (2008), section 3.2, defines them for an error e(t), and the mean ē over a window
of length Δt:

    A   absolute   e(t)
    M   mean       ē
    R   relative   e(t) - ē        t in the window
    D   drift      ē₂ - ē₁         of two windows, one a given time after the other

Of the performance error they are called APE, MPE, RPE and PDE; of the knowledge error AKE, MKE,
RKE and, by analogy, KDE. The statistics are temporal: an index is below its bound at confidence P
for the share P of the time. In R, each instant of a window counts alike: t is random in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3

ABSOLUTE, MEAN, RELATIVE, DRIFT = LETTERS = 'amrd'
# What of an error is judged: its rotation vector's components about the axes of the body, those
# about and across the boresight (the half-cone angle), and all of it.
AXES = ('x', 'y', 'z', 'about', 'across', 'angle')
# {word in the name of a merit: confidence}; `largest` is of all instants.
CONFIDENCES = {'68': 0.683, '95': 0.95, '997': 0.997}
LEVELS = (*CONFIDENCES, 'largest')
# A window begins at about this many places within the length of another.
PLACES = 8
# Most instants of windows that R looks at.
MOST_LOOKED_AT = 2**20


class Windows(NamedTuple):
    """Windows over equally spaced instants.

    width: of a window, instants;  apart: instants from a window to that of the drift
    """

    width: int
    apart: int


def indices(errors: Array, boresight_B: Vector3, windows: Windows) -> dict[str, Array]:
    """Return {one of LETTERS: bounds (AXES, LEVELS) [rad]}; NaN where no window is whole.

    errors: (n, 3) rotation vectors in body axes at equally spaced instants [rad], NaN where not
        known;  boresight_B: (3,) unit vector
    """
    known = errors[np.isfinite(errors[:, 0])]
    means = window_means(errors, windows.width)
    drifts = means[windows.apart :] - means[: max(0, len(means) - windows.apart)]
    errors_of = {
        ABSOLUTE: known,
        MEAN: means,
        RELATIVE: _relative(errors, means, windows.width),
        DRIFT: drifts,
    }
    return {letter: bounds(sizes(rows, boresight_B)) for letter, rows in errors_of.items()}


def sizes(errors: Array, boresight_B: Vector3) -> Array:
    """Return sizes (n, AXES) of errors (n, 3) about each of AXES."""
    along = errors @ boresight_B
    across = errors - along[:, np.newaxis] * boresight_B
    return np.column_stack((
        np.abs(errors), np.abs(along), np.linalg.norm(across, axis=1),
        np.linalg.norm(errors, axis=1),
    ))  # fmt: skip


def bounds(rows: Array) -> Array:
    """Return the bounds (k, LEVELS) of sizes (n, k), rows with NaN left out; NaN without rows.

    A bound is the least of the sizes that at least the share P of them does not exceed.
    """
    known = rows[np.isfinite(rows).all(axis=1)]
    if not len(known):
        return np.full((rows.shape[1], len(LEVELS)), np.nan)
    levels = [*CONFIDENCES.values(), 1.0]
    quantiles: Array = np.quantile(known, levels, axis=0, method='inverted_cdf').T
    return quantiles


def window_means(errors: Array, width: int) -> Array:
    """Return the mean error (n - width + 1, 3) of the window that begins at each instant.

    It is NaN where an error in the window is not known.

    errors: (n, 3);  width: of a window, instants
    """
    count = len(errors) - width + 1
    if count < 1:
        return np.full((0, 3), np.nan)
    known = np.isfinite(errors[:, 0])
    filled = np.where(known[:, np.newaxis], errors, 0.0)
    sums = np.vstack((np.zeros(3), np.cumsum(filled, axis=0)))
    unknown = np.concatenate(([0], np.cumsum(~known)))
    means = (sums[width:] - sums[:-width]) / width
    means[unknown[width:] > unknown[:-width]] = np.nan
    return means


def _relative(errors: Array, means: Array, width: int) -> Array:
    """Return the errors (any, 3) less the mean of their window, of windows at many places."""
    if not len(means):
        return means
    fewest = -(-len(means) * width // MOST_LOOKED_AT)
    stride = min(width, max(1, width // PLACES, fewest))
    begins = np.arange(0, len(means), stride)
    each = errors[begins[:, np.newaxis] + np.arange(width)]
    relative: Array = (each - means[begins, np.newaxis]).reshape(-1, 3)
    return relative
