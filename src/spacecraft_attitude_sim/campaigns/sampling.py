# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Uniform deviates of the runs of a campaign; any subset of runs gets the same bits."""

from __future__ import annotations

import functools
import warnings
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array


MONTE_CARLO, LATIN_HYPERCUBE, SOBOL = SAMPLINGS = ('monte_carlo', 'latin_hypercube', 'sobol')


def deviates(sampling: str, seed: int, runs: int, width: int, rows: range) -> Array:
    """Return uniform deviates (n, width) in [0, 1) of a range of the runs of a campaign.

    sampling: one of SAMPLINGS;  runs: number of all runs;  width: deviates that a run takes
    rows: the range, n runs
    """
    if sampling == LATIN_HYPERCUBE:
        return _latin_hypercube(seed, runs, width)[rows.start : rows.stop]
    random = np.random.default_rng(seed)
    if sampling == MONTE_CARLO:
        assert isinstance(random.bit_generator, np.random.PCG64), 'numpy has another default'
        random.bit_generator.advance(rows.start * width)  # a deviate is one number of 64 bits
        return random.random((len(rows), width))
    from scipy.stats import qmc

    points = qmc.Sobol(width, rng=random)
    if rows.start:
        points.fast_forward(rows.start)
    with warnings.catch_warnings():
        # SciPy warns that only powers of two are balanced; the estimates are valid all the same.
        warnings.simplefilter('ignore', UserWarning)
        return points.random(len(rows))


@functools.lru_cache(maxsize=1)
def _latin_hypercube(seed: int, runs: int, width: int) -> Array:
    """Return the deviates of all runs: each column has one in every stratum of width 1/runs."""
    from scipy.stats import qmc

    return qmc.LatinHypercube(width, rng=np.random.default_rng(seed)).random(runs)
