# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Read a user's table of vibration modes (CSV) as parameters of the flexible modes.

Columns, in any order: `name`, `frequency` [Hz], `damping_ratio`, `coupling_x`, `coupling_y`,
`coupling_z` [sqrt(kg) m], and optionally `drift_x`, `drift_y`, `drift_z` [sqrt(kg)]. Other
columns are ignored.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration import mesh_file
from spacecraft_attitude_sim.configuration.parameter import Parameter, ParameterError
from spacecraft_attitude_sim.configuration.parts.flexible_modes import (
    FLEXIBLE_MODE,
    NAMES,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY = 'flexible_modes_file'
FILE = Parameter(
    KEY, '', '',
    'CSV file of more modes: name, frequency [Hz], damping_ratio, coupling_x, coupling_y, '
    'coupling_z, and optionally drift_x, drift_y, drift_z. The simulator then reports these '
    'modes as parameters and the file as empty. A relative path begins at the working directory.',
    str,
)  # fmt: skip
VECTORS = {name: tuple(f'{name}_{axis}' for axis in 'xyz') for name in ('coupling', 'drift')}
NEEDED = ('name', 'frequency', 'damping_ratio', *VECTORS['coupling'])
# Largest file [bytes], most modes, and most characters quoted from a library's error.
LARGEST, MOST_MODES, LONGEST_REASON = 2**20, 1000, 300


def completed(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters given, with a mode file's name replaced by the modes' parameters.

    Raises ParameterError naming key, file and remedy.
    """
    path = FILE.checked(given.get(KEY, ''))
    found = dict(given)
    if not path:
        return found
    own = load(path)
    names = NAMES.checked(given.get(NAMES.name, []))
    for name, fields in own.items():
        if name in names:
            raise ParameterError(
                f"{KEY} '{path}' has the mode '{name}', which {NAMES.name} has, too; give each a "
                'name of its own'
            )
        for field, value in fields.items():
            found.setdefault(f'flexible_mode.{name}.{field}', value)
    return found | {KEY: '', NAMES.name: [*names, *own]}


def load(path: str | Path) -> dict[str, dict[str, Any]]:
    """Return {name: {field of FLEXIBLE_MODE: value}} of a file.

    Raises ParameterError naming the key, the file, what is wrong with it and the remedy.
    """
    path = Path(path).expanduser()
    try:
        return _modes(mesh_file.read(path, LARGEST).decode('utf-8-sig'))
    except FileNotFoundError:
        raise ParameterError(f"{KEY} is '{path}': no such file") from None
    except (OSError, ValueError, csv.Error) as error:
        said = ' '.join(str(error).split()) or type(error).__name__
        raise ParameterError(f"{KEY} '{path}': {said[:LONGEST_REASON]}") from None


def _modes(text: str) -> dict[str, dict[str, Any]]:
    lines = csv.reader(io.StringIO(text))
    columns = [name.strip() for name in next(lines, [])]
    drift = [name for name in VECTORS['drift'] if name in columns]
    wanted = (*NEEDED, *(VECTORS['drift'] if drift else ()))
    if any(columns.count(name) != 1 for name in wanted):
        raise ValueError(
            f'it has the columns {", ".join(columns) or "none"}; give each of '
            f'{", ".join(wanted)} once'
        )
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        if not line:
            continue
        row = len(found) + 1
        if len(line) != len(columns):
            raise ValueError(
                f'row {row} has {len(line)} columns and the first line {len(columns)}; is it cut '
                'off?'
            )
        cells = dict(zip(columns, map(str.strip, line), strict=True))
        name = cells['name']
        if not name or '.' in name or name in found or row > MOST_MODES:
            raise ValueError(
                f"row {row} has '{name[:40]}' for name; give each mode a name of its own, without "
                f'dots, and at most {MOST_MODES}'
            )
        found[name] = _fields(row, cells, bool(drift))
    if not found:
        raise ValueError('it has no modes; give a row for each')
    return found


def _fields(row: int, cells: Mapping[str, str], drift: bool) -> dict[str, Any]:
    """Return {field: checked value} of a row."""
    given: dict[str, Any] = {name: cells[name] for name in ('frequency', 'damping_ratio')}
    for name in ('coupling', 'drift') if drift else ('coupling',):
        given[name] = [cells[column] for column in VECTORS[name]]
    fields = {parameter.name: parameter for parameter in FLEXIBLE_MODE}
    try:
        return {name: fields[name].checked(value) for name, value in given.items()}
    except ParameterError as error:
        raise ValueError(f'row {row}: {error}') from None
