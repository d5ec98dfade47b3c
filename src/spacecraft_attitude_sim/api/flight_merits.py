# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The merits of a run, as Python shows and writes them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration import suggestion
from spacecraft_attitude_sim.core.studies.flight_merits import Asked
from spacecraft_attitude_sim.recording import merit_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spacecraft_attitude_sim.core.mathematics.types import VectorLike
    from spacecraft_attitude_sim.core.studies.consistency import OfSensor
    from spacecraft_attitude_sim.core.studies.flight_merits import Merits, Series
    from spacecraft_attitude_sim.recording.history import History


class FlightMerits:
    """The merits of a run: {name: number in SI units}. Print them for a table.

    merits['ape_across_997'] is the absolute pointing error across the boresight at 99.7 % [rad].
    """

    def __init__(self, merits: Merits, title: str) -> None:
        self._merits, self._title = merits, title

    @property
    def values(self) -> Mapping[str, float]:
        """All merits, {name: number in SI units}; NaN where a run is too short for one."""
        return self._merits.values

    @property
    def sensors(self) -> Mapping[str, OfSensor]:
        """Consistency of the innovations of each sensor of an estimator, by its name."""
        return self._merits.sensors

    @property
    def series(self) -> Series:
        """The errors over time that the merits are of."""
        return self._merits.series

    @property
    def steady_part(self) -> tuple[float, float]:
        """Times between which pointing is judged [s]."""
        return self._merits.begin, self._merits.end

    def __getitem__(self, name: str) -> float:
        """Return a merit; KeyError with the nearest name."""
        if name not in self.values:
            raise KeyError(f'no merit {name!r}; {suggestion.hint(name, list(self.values))}')
        return self.values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        from spacecraft_attitude_sim.drawing import merit_report

        return merit_report.text(self._merits, left_out=())

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the errors with their bounds; return the matplotlib Figure.

        path: file to write the figure to, .png, .svg or .pdf; None writes none
        Raises ValueError for a run with neither a reference nor an estimator.
        """
        from spacecraft_attitude_sim.api import pictures

        return pictures.pointing(self._merits, self._title, path)

    def write(self, path: str | Path) -> Path:
        """Write the merits to a file, .json or else CSV; return its path."""
        merit_table.write(self._merits, Path(path))
        return Path(path)


def of_history(
    history: History, steady_from: float | None, pointed_error: float, window: float,
    drift: float, boresight: VectorLike, title: str,
) -> FlightMerits:  # fmt: skip
    """Return the FlightMerits of a History; arguments as of Run.merits.

    title: of a figure
    Raises ValueError.
    """
    if history.control is None and history.knowledge is None:
        raise ValueError('nobody commanded in this run, so it has no merits of a controller')
    asked = Asked(steady_from, pointed_error, window, drift, boresight)
    return FlightMerits(merit_table.of_history(history, asked), title)
