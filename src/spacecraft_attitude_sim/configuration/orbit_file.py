# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Read a user's table of an orbit (CSV, Parquet or OEM) as the TabulatedOrbit of core.

Columns, in any order: `time` [s] since the epoch or `utc` (ISO 8601), `x`, `y`, `z` [m] and `vx`,
`vy`, `vz` [m/s] from the Earth's centre in GCRF axes. Other columns are ignored. An OEM is a
message of CCSDS, whose units and frames are in `orbit_message`.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np

from spacecraft_attitude_sim.configuration import mesh_file, orbit_message
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.core.environment.epoch import seconds_between
from spacecraft_attitude_sim.core.environment.tabulated_orbit import TabulatedOrbit

NUMBERS = ('x', 'y', 'z', 'vx', 'vy', 'vz')
FORMATS = ('.csv', '.parquet', '.oem')
# Most rows (a month of seconds), and most characters quoted from a library's error.
MOST_ROWS, LONGEST_REASON = 2_700_000, 300


def load(path: str | Path, epoch: str, key: str = 'orbit.table') -> TabulatedOrbit:
    """Return the TabulatedOrbit of a file.

    epoch: UTC at which its times are 0;  key: the parameter that names the file, for errors
    Raises ParameterError naming the key, the file, what is wrong with it and the remedy.
    """
    path = Path(path).expanduser()
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise ParameterError(f"{key} is '{path}'; give a file of {', '.join(FORMATS)}")
    try:
        content = mesh_file.read(path, 2**29)
        if suffix == '.oem':
            return orbit_message.orbit(content, epoch)
        return _orbit((_csv if suffix == '.csv' else _parquet)(content), epoch)
    except ModuleNotFoundError:
        raise ParameterError(
            f"{key} is '{path}': Parquet needs pyarrow, pip install pyarrow; or give CSV"
        ) from None
    except FileNotFoundError:
        raise ParameterError(f"{key} is '{path}': no such file") from None
    except Exception as error:  # a broken file may raise anything  # noqa: BLE001
        said = ' '.join(str(error).split()) or type(error).__name__
        raise ParameterError(f"{key} '{path}': {said[:LONGEST_REASON]}") from None


def _orbit(columns: dict[str, Any], epoch: str) -> TabulatedOrbit:
    clocks = [name for name in ('time', 'utc') if name in columns]
    missing = [name for name in NUMBERS if name not in columns]
    if len(clocks) != 1 or missing:
        raise ValueError(
            f'it has the columns {", ".join(columns) or "none"}; give time [s] or utc, '
            'x, y, z [m] and vx, vy, vz [m/s]'
        )
    numbers = {name: _floats(name, columns[name]) for name in NUMBERS}
    if clocks == ['utc']:
        times = seconds_between([str(text) for text in columns['utc']], epoch)
    else:
        times = _floats('time', columns['time'])
    r, v = (np.stack([numbers[name] for name in names], 1) for names in (NUMBERS[:3], NUMBERS[3:]))
    return TabulatedOrbit(times, r, v)


def _floats(name: str, values: Any) -> np.ndarray:
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError):
        for row, value in enumerate(values, 1):
            try:
                float(value)
            except (TypeError, ValueError):
                raise ValueError(
                    f'row {row} has {str(value)[:40]!r} for {name}; give a number'
                ) from None
        raise


def _csv(content: bytes) -> dict[str, Any]:
    lines = csv.reader(io.StringIO(content.decode('utf-8-sig')))
    names = [name.strip() for name in next(lines, [])]
    rows: list[list[str]] = []
    for line in lines:
        if not line:
            continue
        if len(line) != len(names):
            raise ValueError(
                f'row {len(rows) + 1} has {len(line)} columns and the first line {len(names)}; '
                'is it cut off?'
            )
        rows.append(line)
        if len(rows) > MOST_ROWS:
            raise ValueError(f'it has more than {MOST_ROWS} rows; give fewer')
    return dict(zip(names, zip(*rows, strict=True), strict=False)) if rows else {}


def _parquet(content: bytes) -> dict[str, Any]:
    from pyarrow import BufferReader, parquet

    file = parquet.ParquetFile(BufferReader(content))
    if file.metadata.num_rows > MOST_ROWS:
        raise ValueError(f'it has {file.metadata.num_rows} rows; give at most {MOST_ROWS}')
    wanted = [name for name in ('time', 'utc', *NUMBERS) if name in file.schema_arrow.names]
    table = file.read(columns=wanted)
    return {name: table[name].to_pylist() for name in wanted}
