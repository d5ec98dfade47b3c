# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the estimators of a batch knew at each instant of their flights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.batch.estimates import KNOWN
from spacecraft_attitude_sim.core.estimation.replay import FREEDOM
from spacecraft_attitude_sim.core.studies.consistency import Judged, Knowledge
from spacecraft_attitude_sim.core.ticks import NANOSECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.core.batch.estimators import Further
    from spacecraft_attitude_sim.core.estimation.settings import Settings
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.core.ticks import Ticks


class KnowledgeLog:
    """The log of N estimators over so many ticks.

    settings: of each;  ticks: of the whole flight;  clock: Ticks of the batch
    """

    def __init__(self, settings: Sequence[Settings], ticks: int, clock: Ticks) -> None:
        self._settings, self._clock = settings, clock
        count, sensors = len(settings), len(settings[0].sensors)
        self._known = np.full((count, ticks + 1, KNOWN.size), np.nan)
        self._nis = np.full((count, ticks, sensors), np.nan)
        self._times = np.zeros((count, ticks, sensors), dtype=np.int64)
        self._knew = np.zeros(count, dtype=bool)
        # {(number of a craft, of a sensor): [(tick, time [ns], nis)]} beside those.
        self._further: dict[tuple[int, int], list[tuple[int, int, float]]] = {}

    def keep(
        self, tick: int, known: Array, nis: Array, times: NDArray[np.int64],
        further: Sequence[Further] = (),
    ) -> None:  # fmt: skip
        """Keep what is known at a tick, in rows (N, any) of KNOWN, and how readings were judged.

        nis, times: (N, s) of each sensor [1, ns], nan where none was judged
        further: judgements at this tick, before those
        """
        for n, number, one, time_ns in further:
            self._further.setdefault((n, number), []).append((tick, time_ns, one))
        some = np.flatnonzero(~np.isnan(known[:, 0]))
        of = (known[some, 0] / self._clock.tick_ns).astype(np.int64)
        self._known[some, of] = known[some]
        self._knew[some] = True
        self._nis[:, tick], self._times[:, tick] = nis, times

    def knowledge(self) -> list[Knowledge | None]:
        """Return the Knowledge of each, None of one that has said nothing."""
        return [self._of(n) if knew else None for n, knew in enumerate(self._knew.tolist())]

    def _of(self, n: int) -> Knowledge:
        """Return the Knowledge of craft n."""
        judged = {}
        for number, (name, sensor) in enumerate(self._settings[n].sensors.items()):
            nis, times = self._judged(n, number)
            finite = np.isfinite(nis)
            if finite.any():
                freedom = np.full(int(finite.sum()), float(FREEDOM[sensor.kind]))
                judged[name] = Judged(times[finite] / NANOSECONDS, nis[finite], freedom)
        known = self._known[n]
        covariance_B = known[:, KNOWN.of('covariance_B')].reshape(-1, 3, 3).copy()
        return Knowledge(known[:, KNOWN.of('q_WB')].copy(), covariance_B, judged)

    def _judged(self, n: int, number: int) -> tuple[Array, NDArray[np.int64]]:
        """Return nis and times of a sensor of craft n, in the order of the judgements."""
        nis, times = self._nis[n, :, number], self._times[n, :, number]
        if further := self._further.get((n, number)):
            ticks, more_ns, more = zip(*further, strict=True)
            order = np.argsort(np.concatenate((ticks, np.arange(len(nis)))), kind='stable')
            nis = np.concatenate((more, nis))[order]
            times = np.concatenate((np.array(more_ns, dtype=np.int64), times))[order]
        return nis, times
