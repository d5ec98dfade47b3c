# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Read the CSV file of a run: one of ours, or one of another program without a header."""

from __future__ import annotations

import array
import contextlib
import csv
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.recording.errors import RecordingError

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array

# Largest CSV file, and largest line of it [bytes].
LARGEST_TABLE, LONGEST_LINE = 2**29, 2**16
# Separators and characters of a line in a table without header.
SEPARATOR = re.compile(r'\s*[,;\s]\s*')
WITHOUT_HEADER = 'without a header, a line is 13 numbers: t; yaw, pitch, roll; omega; alpha; L'


def read(path: Path, columns: tuple[str, ...]) -> tuple[tuple[str, ...], Array]:
    """Return the column names of a table and its numbers (n, m).

    columns: the first columns, which every table has; a table without header has only these
    Raises RecordingError.
    """
    with lines_of(path, LARGEST_TABLE) as lines:
        first = next(lines, '')
        if _begins_with_number(first):
            rows = (_split(line) for line in itertools.chain([first], lines))
            return columns, table_of(rows, columns, 1, f'; {WITHOUT_HEADER}')
        table = csv.reader(itertools.chain([first], lines))
        names = tuple(next(table, ()))
        if names[: len(columns)] != columns:
            raise RecordingError(
                f'{path}: is neither a bag (a folder, .mcap or .db3) nor a CSV of '
                f'attitude-sim run --csv; {WITHOUT_HEADER}'
            )
        return names, table_of(table, names, 2)


@contextlib.contextmanager
def lines_of(
    path: Path, largest: int, kind: type[RecordingError] = RecordingError
) -> Iterator[Iterator[str]]:
    """Give the lines of a file, and make errors of a kind of what goes wrong with them.

    Lines are cut, so that a file without ends of lines is no trap.

    largest: size of the file [bytes]
    """
    try:
        if not path.is_file() or path.stat().st_size > largest:
            raise kind(f'{path}: is no table; give a CSV file of at most {largest // 2**20} MiB')
        with path.open(newline='', encoding='utf-8-sig') as file:
            yield iter(lambda: file.readline(LONGEST_LINE), '')
    except RecordingError:
        raise
    except (OSError, ValueError, csv.Error) as error:
        raise kind(f'{path}: cannot be read: {error}') from None


def table_of(
    rows: Iterable[list[str]], names: Sequence[str], first: int, remedy: str = ''
) -> Array:
    """Return rows of texts as a table (n, len(names)); ValueError for others.

    first: line number of the first row;  remedy: end of the message
    """
    table = array.array('d')
    for number, values in enumerate(rows, first):
        if not values:
            continue
        if len(values) != len(names):
            raise ValueError(f'line {number} has {len(values)} of {len(names)} values{remedy}')
        try:
            table.extend(map(float, values))
        except ValueError as error:
            raise ValueError(f'line {number}: {error}') from None
    return np.array(table).reshape(-1, len(names))


def _split(line: str) -> list[str]:
    """Return the values of a line; separators are commas, semicolons or spaces."""
    line = line.strip().rstrip(',;')
    return SEPARATOR.split(line) if line else []


def _begins_with_number(line: str) -> bool:
    try:
        float(_split(line)[0])
    except (ValueError, IndexError):
        return False
    return True
