# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Log the entities of one spacecraft to a Rerun recording: for every scene of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import rerun as rr

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, Vectors3
    from spacecraft_attitude_sim.viewer.samples import Stamps


TIMELINE = 'time'


class Badge(NamedTuple):
    """Name, path and colour of a spacecraft in a recording of several.

    name: shown to the user;  under: the path of its entities, such as /chief
    color: red, green, blue of its name and of its curves in shared plots
    """

    name: str
    under: str
    color: tuple[int, ...]


class EntityLog:
    """Logs to a recording, below the path of one spacecraft.

    recording: rerun.RecordingStream;  reach: of the body [m]
    badge: Badge of one of several spacecraft, None for a single one
    """

    def __init__(self, recording: rr.RecordingStream, reach: float, badge: Badge | None) -> None:
        self._recording, self.reach, self.badge = recording, reach, badge

    def log(self, path: str, archetype: rr.AsComponents, stamp: int | None = None) -> None:
        """Log an archetype at a time [ns], or as static data for None."""
        path = self._of_its_own(path)
        if stamp is None:
            self._recording.log(path, archetype, static=True)
            return
        self._recording.set_time(TIMELINE, duration=np.timedelta64(int(stamp), 'ns'))
        self._recording.log(path, archetype)

    def send(self, path: str, stamp: Stamps, columns: Iterable[rr.ComponentColumn]) -> None:
        """Log columns with one row for each stamp [ns]."""
        times = rr.TimeColumn(TIMELINE, duration=stamp.astype('timedelta64[ns]'))
        path = self._of_its_own(path)
        rr.send_columns(path, [times], columns, recording=self._recording)

    def arrow(self, path: str, stamp: Stamps, vectors: Vectors3) -> None:
        """Log arrows (n, 3) from the origin of their frame."""
        self.send(path, stamp, rr.Arrows3D.columns(vectors=vectors))

    def path(
        self, path: str, stamp: Stamps, tips: Vectors3, before: Vector3 | None = None
    ) -> Vector3:
        """Log the path through points (n, 3) [m]; return the last point.

        Each segment is logged separately, so that a view can show only the last seconds.
        before: the last point of the previous samples, or None
        """
        starts = np.concatenate(([tips[0] if before is None else before], tips[:-1]))
        pieces = np.stack((starts, tips), axis=1)
        self.send(path, stamp, rr.LineStrips3D.columns(strips=pieces))
        return tips[-1]

    def log_curves(
        self, name: str, curves: Sequence[str], shades: Sequence[Sequence[int]]
    ) -> None:
        """Log names and colours of the curves of a plot."""
        self.log(f'plots/{name}', rr.SeriesLines(names=curves, colors=shades, widths=1.5))

    def add_plot(self, name: str, stamp: Stamps, values: Array) -> None:
        """Log the values (n,) or (n, k) of one of PLOTS."""
        values = np.asarray(values, dtype=float).reshape(len(stamp), -1)
        columns = rr.Scalars.columns(scalars=values.ravel())
        self.send(f'plots/{name}', stamp, columns.partition([values.shape[1]] * len(stamp)))

    def _of_its_own(self, path: str) -> str:
        """Return the path of an entity, below this spacecraft's own path."""
        return f'{self.badge.under}/{path}' if self.badge else path
