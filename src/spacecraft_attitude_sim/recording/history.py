# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The history of a run as arrays and as a table, from a bag or a CSV file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from spacecraft_attitude_sim.configuration.scenario import Scenario
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.recording import bag_reader, csv_file
from spacecraft_attitude_sim.recording.bag_history import Recorded
from spacecraft_attitude_sim.recording.craft_history import Control, History, checked, on_floor_of
from spacecraft_attitude_sim.recording.errors import RecordingError
from spacecraft_attitude_sim.recording.table import COLUMNS, CsvWriter, base_columns, columns, row

__all__ = [
    'COLUMNS', 'Control', 'CsvWriter', 'History', 'columns', 'on_floor_of', 'read',
    'read_with_table', 'row', 'base_columns', 'write_table',
]  # fmt: skip


def read(path: str | Path, namespace: str | None = None) -> tuple[History, Scenario | None]:
    """Return (History, Scenario) of a bag, or (History, None) of a CSV file.

    namespace: of the spacecraft, if the bag holds several
    Raises RecordingError that says what is wrong with the file.
    """
    if not _is_bag(path):
        return checked(Path(path), *csv_file.read(Path(path), COLUMNS)), None
    recorded = Recorded(Path(path), namespace)
    return recorded.history(), recorded.found


def read_with_table(
    path: str | Path, namespace: str | None = None
) -> tuple[History, Scenario | None, tuple[str, ...], Array, list[tuple[int, int]]]:
    """Return what `read` does, the names of the columns, the whole table (n, m), and its moments.

    These are (tick, ticks since the start or reset) of the instants of a bag, none of a CSV file.

    namespace: of the spacecraft, if the bag holds several
    Raises RecordingError that says what is wrong with the file.
    """
    if not _is_bag(path):
        names, table = csv_file.read(Path(path), COLUMNS)
        return checked(Path(path), names, table), None, names, table, []
    recorded = Recorded(Path(path), namespace)
    plant = recorded.found.plant
    names = columns(plant.contact is not None, plant)
    moments = [(one.instant.tick, one.instant.elapsed) for one in recorded.instants]
    return recorded.history(), recorded.found, names, np.array(recorded.whole_rows()), moments


def write_table(bag: str | Path, path: str | Path, namespace: str | None = None) -> None:
    """Write the table of a bag, in the same form as `attitude-sim run --csv`.

    namespace: of the spacecraft, if the bag holds several
    Raises RecordingError for a bag that cannot be read, OSError.
    """
    recorded = Recorded(Path(bag), namespace)
    rows, plant = recorded.whole_rows(), recorded.found.plant
    writer = CsvWriter(path, plant.contact is not None, plant)
    for numbers in rows:
        writer.write(numbers)
    writer.close()


def _is_bag(path: str | Path) -> bool:
    """Return whether a path is a bag, otherwise a table; RecordingError if it does not exist."""
    if not Path(path).exists():
        raise RecordingError(f'{path}: no such bag or CSV file')
    return bag_reader.is_bag(Path(path))
