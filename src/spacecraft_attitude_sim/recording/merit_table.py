# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The merits of a history, and their table as CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.studies import actuator_use, flight_merits
from spacecraft_attitude_sim.core.studies.flight_merits import Observed, unit_of

if TYPE_CHECKING:
    from pathlib import Path

    from spacecraft_attitude_sim.core.studies.flight_merits import Asked, Merits
    from spacecraft_attitude_sim.recording.history import History

CSV, JSON = SUFFIXES = '.csv', '.json'
HEADER = 'merit', 'value', 'unit'


def observed(history: History) -> Observed:
    """Return what the merits of a History are computed of."""
    control, parts = history.control, history.parts or {}
    known = control is not None and np.isfinite(control.q_WR[:, 0]).any()
    return Observed(
        history.time,
        float(np.diff(history.time).min()),
        history.q_WB(),
        control.q_WR if control and known else None,
        history.angular_momentum_B,
        control.torque_B if control else None,
        {kind: (parts[kind].parts, parts[kind].arrays)
         for kind in actuator_use.OF_KIND if kind in parts},
        history.knowledge,
    )  # fmt: skip


def of_history(history: History, asked: Asked | None = None) -> Merits:
    """Return the Merits of a History; ValueError where `asked` does not fit it."""
    return flight_merits.of_flight(observed(history), asked)


def as_csv(merits: Merits) -> str:
    """Return a table with a line for each merit: name, value in SI units, unit."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator='\n')
    writer.writerow(HEADER)
    for name, value in merits.values.items():
        writer.writerow((name, repr(value), unit_of(name)))
    return text.getvalue()


def as_json(merits: Merits) -> str:
    """Return how the flight was judged, and {merit: value in SI units}; null where it is NaN."""
    asked: dict[str, Any] = {
        'steady_from': merits.begin, 'steady_to': merits.end, 'window': merits.window,
        'drift': merits.drift, 'pointed_error': merits.asked.pointed_error,
        'boresight': [float(component) for component in merits.asked.boresight_B],
    }  # fmt: skip
    values = {
        name: value if math.isfinite(value) else None for name, value in merits.values.items()
    }
    units = {name: unit for name in values if (unit := unit_of(name))}
    return json.dumps({'asked': asked, 'merits': values, 'units': units}, indent=2) + '\n'


def write(merits: Merits, path: Path) -> None:
    """Write the table to a file, .json or else CSV; OSError."""
    text = as_json(merits) if path.suffix.lower() == JSON else as_csv(merits)
    path.write_text(text, encoding='utf-8')
