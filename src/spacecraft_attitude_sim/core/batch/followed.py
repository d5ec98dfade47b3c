# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The profiles that the craft of a batch follow between two slews, computed for all at once.

As core.guidance.profiles.Aligned and the guide of core.control.attitude_loop do for one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.control.attitude_loop import FASTEST
from spacecraft_attitude_sim.core.control.control_law import GRADIENT, turned
from spacecraft_attitude_sim.core.guidance.aligned_motion import INSTANTS, ROOM, aligned
from spacecraft_attitude_sim.core.guidance.ephemeris import SPAN, place_in_span
from spacecraft_attitude_sim.core.guidance.motion import GuidanceError
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import UNIT_NORM_TOLERANCE
from spacecraft_attitude_sim.kernels.kernel import unlocked_as

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.guidance.profiles import Aligned
    from spacecraft_attitude_sim.core.mathematics.types import Array

# What aligned_motion.aligned takes of two directions, and q_TR.
PLACES = 3 * INSTANTS
FOLLOWED = Layout(
    how=3, head=PLACES, other=PLACES, towards=3, third=PLACES, fourth=PLACES, q_TR=4
)  # fmt: skip
HOW, HEAD, OTHER, TOWARDS, THIRD, FOURTH, Q_TR = FOLLOWED.places()
END, RATE = FOLLOWED.size, 4
MOTIONS = 'void(float64[::1], boolean[::1], float64[:, ::1], float64[:, ::1])'


class Followed:
    """What N craft follow; each has none at first.

    motions: (N, 10) attitude, rate and acceleration at the time of `compute`, as of a Reference
    references: (N, 10) the same, as a controller takes it;  known: (N,) of which craft
    """

    def __init__(self, count: int) -> None:
        self._profiles: list[Aligned | None] = [None] * count
        self._spans = np.full(count, -1, dtype=np.int64)
        self._rows = np.zeros((count, FOLLOWED.size))
        self.motions, self.references = np.zeros((count, GRADIENT)), np.zeros((count, GRADIENT))
        self.known = np.zeros(count, dtype=bool)

    def follow(self, n: int, profile: Aligned | None) -> None:
        """Let craft n follow a profile from now on, or none."""
        if profile is not self._profiles[n]:
            self._profiles[n], self._spans[n] = profile, -1

    def compute(self, times: Array, whose: NDArray[np.bool_]) -> None:
        """Compute the motions of some craft, mask (N,), at the time (N,) of each [s]."""
        self.known[:] = whose
        spans = np.floor(times / SPAN).astype(np.int64)
        for n in np.flatnonzero(whose & (spans != self._spans)).tolist():
            self.known[n] = self._fit(n, float(times[n]))
            self._spans[n] = spans[n] if self.known[n] else -1
        places = np.array([place_in_span(time) for time in times.tolist()])
        motions_of(places, self.known, self._rows, self.motions)
        sizes = np.array([math.hypot(*q) for q in self.motions[:, :RATE].tolist()])
        with np.errstate(invalid='ignore', divide='ignore'):
            self.references[:] = self.motions
            self.references[:, :RATE] /= sizes[:, np.newaxis]
            good = np.abs(sizes - 1.0) <= UNIT_NORM_TOLERANCE
            good &= np.all(np.abs(self.motions[:, RATE:]) < FASTEST, axis=1)
        self.known &= good  # of others, a loop says what is wrong
        turn_all(self.known, self.references)

    def _fit(self, n: int, time: float) -> bool:
        """Write the row of craft n for the span of a time [s]; return whether it is known."""
        profile = self._profiles[n]
        if profile is None:
            return False
        try:
            parts = *profile.first.at(time), *profile.second.at(time), profile.q_TR
        except GuidanceError:
            return False
        for place, part in zip(FOLLOWED.places(), parts, strict=True):
            self._rows[n, place : place + len(part)] = part
        return True


@unlocked_as(MOTIONS)
def motions_of(places: Array, known: NDArray[np.bool_], rows: Array, motions: Array) -> None:
    """Write the motion of each known craft, and which of them are not known after all.

    places: (N,) -1 to 1 in the span of time;  rows: (N, any) of FOLLOWED
    """
    room = np.zeros(ROOM)
    for n in range(len(rows)):
        if not known[n]:
            continue
        row = rows[n]
        known[n] = aligned(
            row[HOW:HEAD], row[HEAD:OTHER], row[OTHER:TOWARDS], row[TOWARDS:THIRD],
            row[THIRD:FOURTH], row[FOURTH:Q_TR], places[n], row[Q_TR:END], room, motions[n],
        )  # fmt: skip


@unlocked_as('void(boolean[::1], float64[:, ::1])')
def turn_all(known: NDArray[np.bool_], references: Array) -> None:
    """Let each known reference be that of a loop at the time of the reference itself."""
    for n in range(len(references)):
        if known[n]:
            q = turned(references[n], 0.0)
            for k in range(4):
                references[n, k] = q[k]
