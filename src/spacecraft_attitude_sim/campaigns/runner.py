# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a campaign in chunks, here or on a Dask cluster, into one Parquet table.

A chunk is a file that is written atomically, so an interrupted campaign resumes where it stopped.
A chunk lost with a worker is computed again; so is one that is damaged or belongs to another
campaign, according to its rows, its columns and the digest in it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import os
import shutil
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spacecraft_attitude_sim.campaigns import campaign as campaigns
from spacecraft_attitude_sim.campaigns import pieces
from spacecraft_attitude_sim.campaigns.flights import FLIGHTS_SHARE, columns_of, flies_in_python
from spacecraft_attitude_sim.configuration import trust
from spacecraft_attitude_sim.recording.errors import CampaignError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow

    from spacecraft_attitude_sim.campaigns.campaign import Campaign
    from spacecraft_attitude_sim.campaigns.merits import Flight
    from spacecraft_attitude_sim.campaigns.python_flight import Make

    # {column: values};  (first run, the one after the last, their columns) as they are computed
    Columns = dict[str, NDArray[Any]]
    Chunks = Iterator[tuple[int, int, Columns]]
    Compute = Callable[[Campaign, Sequence[tuple[int, int]]], Chunks]


CHUNK = 500
# Largest size of campaign.txt, which holds the fingerprint [bytes].
LARGEST_MARK = 64


def run(
    campaign: Campaign,
    folder: Path,
    progress: Callable[[int, int], object],
    *,
    noted: Callable[[str], object] = lambda line: None,
    advancing: Callable[[float], object] = lambda runs: None,
    merits: Mapping[str, Callable[[Flight], float]] = MappingProxyType({}),
    threads: int | None = None,
    scheduler: str | None = None,
) -> Path:
    """Compute the missing runs of a campaign and return the path of its table.

    folder: of the results;  progress: called with the number of runs done and of all
    noted: called with a line where nobody commands, and where a chunk must be computed again
    advancing: called now and then with how many runs' work is done, within a chunk, too
    merits: {name: function of a merits.Flight}, columns of the table besides those of the file
    threads: None for one per core, and one process for what is computed in Python
    scheduler: address of a Dask scheduler, None for this process
    Raises CampaignError, OSError.
    """
    importlib.import_module('pyarrow.parquet')  # before the runs, not after them
    campaign = campaign.with_merits(merits)
    for line in campaign.warnings:
        noted(line)
    table = folder / 'runs.parquet'
    chunks = _prepare(campaign, folder)
    if table.exists():
        if fault := _fault(campaign, table, range(campaign.runs)):
            raise CampaignError(f'{table}: {fault}; --overwrite computes it again')
        progress(campaign.runs, campaign.runs)
        return table
    bounds = chunks_of(campaign.runs)
    missing = list(_missing(campaign, chunks, bounds, noted))
    done = campaign.runs - sum(last - first for first, last in missing)
    progress(done, campaign.runs)
    compute = _on_cluster(scheduler) if scheduler else here(threads, advancing, done)
    try:
        for first, last, columns in compute(campaign, missing):
            _write(campaign, columns, _chunk_path(chunks, first, last))
            done += last - first
            progress(done, campaign.runs)
    except BaseException as error:
        if not any(chunks.glob('*.parquet')):  # nothing to resume, and to be in the way
            _remove_empty(folder)
        elif isinstance(error, CampaignError):
            raise CampaignError(
                f'{error}; {folder} keeps {done} runs of this campaign as it is: once you have '
                'changed it give --overwrite'
            ) from None
        raise
    _join(campaign, [_chunk_path(chunks, *pair) for pair in bounds], table)
    shutil.rmtree(chunks)
    return table


def _missing(
    campaign: Campaign, chunks: Path, bounds: Iterable[tuple[int, int]],
    noted: Callable[[str], object],
) -> Iterator[tuple[int, int]]:  # fmt: skip
    """Yield the bounds of the chunks that have no file, or none that is of this campaign."""
    for pair in bounds:
        path = _chunk_path(chunks, *pair)
        if not path.exists():
            yield pair
        elif fault := _fault(campaign, path, range(*pair)):
            noted(f'{path}: {fault}; its runs are computed again')
            yield pair


def chunks_of(runs: int) -> list[tuple[int, int]]:
    """Return (first run, the one after the last) of each chunk of so many runs."""
    return [(first, min(first + CHUNK, runs)) for first in range(0, runs, CHUNK)]


def share_to_tell(campaign: Campaign, workers: int) -> float:
    """Return the share of a campaign after which its pace is known; 0 from the first result on.

    If the controller flies in Python, each worker must have ended two runs.
    """
    if not flies_in_python(campaign):
        return 0.0
    return FLIGHTS_SHARE * min(1.0, 2.0 * min(workers, campaign.runs) / campaign.runs)


def here(threads: int | None, advancing: Callable[[float], object], done: int = 0) -> Compute:
    """Return what computes chunks in this process; the arguments are those of `run`.

    done: runs that were computed before
    """

    def compute(campaign: Campaign, pairs: Sequence[tuple[int, int]]) -> Chunks:
        before = done
        for first, last in pairs:

            def told(share: float, before: int = before, count: int = last - first) -> None:
                advancing(before + share * count)

            if threads and threads > 1 and pieces.are_wanted(campaign, last - first):
                yield first, last, pieces.flown(campaign, first, last, threads, told)
            else:
                yield first, last, columns_of(campaign, first, last, threads, told)
            before += last - first

    return compute


def _on_cluster(address: str) -> Compute:
    from distributed import Client, as_completed

    def compute(campaign: Campaign, pairs: Sequence[tuple[int, int]]) -> Chunks:
        texts = (campaign.text, campaign.scenario_text, campaign.source)
        trusted, parsed = trust.given(), campaigns.parse(*texts, campaign.make).merits
        own = {name: one for name, one in campaign.merits.items() if name not in parsed}
        given = own, campaign.make
        with Client(address, timeout='10s') as client:
            futures = {
                client.submit(
                    _chunk_of_texts,
                    texts,
                    trusted,
                    *pair,
                    *given,
                    key=f'{campaign.fingerprint}-{pair[0]}',
                ): pair
                for pair in pairs
            }
            for future in as_completed(futures):
                yield *futures[future], future.result()

    return compute


def _chunk_of_texts(
    texts: tuple[str, str, str],
    trusted: Iterable[str],
    first: int,
    last: int,
    merits: Mapping[str, Callable[[Flight], float]] = MappingProxyType({}),
    make: Make | None = None,
) -> Columns:
    """Return columns_of on a Dask worker, in one thread for each task."""
    trust.give(trusted)
    campaign = _campaign_of(*texts, make).with_merits(merits)
    return columns_of(campaign, first, last, threads=1)


@functools.lru_cache(maxsize=1)
def _campaign_of(text: str, scenario_text: str, source: str, make: Make | None) -> Campaign:
    """Return the Campaign of a worker's tasks, parsed once for all of them without `make`."""
    return campaigns.parse(text, scenario_text, source, make)


# --- files ---------------------------------------------------------------------------------------


def _prepare(campaign: Campaign, folder: Path) -> Path:
    """Return the folder of chunks, new or of the same campaign.

    Raises CampaignError when the folder holds another campaign, or other files.
    """
    mark = folder / 'campaign.txt'
    if mark.exists() and _start_of(mark, LARGEST_MARK) != campaign.fingerprint.encode():
        raise CampaignError(
            f'{folder}: holds another campaign, or an older version of this one; name another '
            'folder with -o, or give --overwrite'
        )
    chunks = folder / 'chunks'
    unfinished = mark.with_suffix('.unfinished')
    if not mark.exists() and folder.is_dir() and {*folder.iterdir()} - {unfinished}:
        raise CampaignError(f'{folder}: is not empty, and no campaign; name another with -o')
    # The mark is written first and atomically: from here on, the same command can resume.
    folder.mkdir(parents=True, exist_ok=True)
    unfinished.write_text(campaign.fingerprint, encoding='utf-8')
    unfinished.replace(mark)
    if (folder / 'runs.parquet').exists():
        shutil.rmtree(chunks, ignore_errors=True)
    else:
        chunks.mkdir(exist_ok=True)
    return chunks


def _remove_empty(folder: Path) -> None:
    """Remove what _prepare has made, and the folder unless it holds something else."""
    shutil.rmtree(folder / 'chunks', ignore_errors=True)
    (folder / 'campaign.txt').unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        folder.rmdir()


def _chunk_path(chunks: Path, first: int, last: int) -> Path:
    return chunks / f'{first:09d}-{last:09d}.parquet'


def _start_of(path: Path, size: int) -> bytes:
    """Return the first `size` bytes of a regular file, or b'' for anything else."""
    if not path.is_file():
        return b''
    with path.open('rb') as file:
        return file.read(size)


def _write(
    campaign: Campaign,
    columns: Columns | pyarrow.Table,
    path: Path,
    texts: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Write a table of columns, atomically.

    texts: further metadata
    """
    import pyarrow
    from pyarrow import parquet

    table = columns if isinstance(columns, pyarrow.Table) else pyarrow.table(columns)
    metadata = {'fingerprint': campaign.fingerprint, 'digest': _digest(table), **texts}
    unfinished = path.with_suffix('.unfinished')
    parquet.write_table(table.replace_schema_metadata(metadata), unfinished)
    os.replace(unfinished, path)


def _digest(table: pyarrow.Table) -> str:
    """Return a SHA-256 of schema and values of a table."""
    found = hashlib.sha256(str(table.schema.remove_metadata()).encode())
    for name in table.column_names:
        found.update(table[name].to_numpy().tobytes())
    return found.hexdigest()


def _fault(campaign: Campaign, path: Path, rows: range) -> str:
    """Return what is wrong with a table that should hold the runs `rows`, or ''."""
    try:
        table = _checked_table(path, len(rows))
    except CampaignError as error:
        return str(error)
    said = table.schema.metadata or {}
    if said.get(b'fingerprint') != campaign.fingerprint.encode():
        return 'is of another campaign, or of another version'
    if said.get(b'digest') != _digest(table).encode():
        return 'is damaged: its numbers are not those that were written'
    if not np.array_equal(table['run'].to_numpy(), np.array(rows)):
        return f'does not hold the runs {rows.start} to {rows.stop - 1}'
    return ''


def _checked_table(path: Path, rows: int | None = None) -> pyarrow.Table:
    """Return the table of a Parquet file, whose columns must be numeric.

    rows: number of rows it must have; None for any
    Raises CampaignError saying what is wrong with the file.
    """
    import pyarrow
    from pyarrow import parquet

    if not path.is_file():
        raise CampaignError('is no regular file')
    try:
        file = parquet.ParquetFile(path)
        held = file.metadata.num_rows
        if rows not in (None, held):  # before reading, in case they are far too many
            raise CampaignError(f'holds {held} runs; {rows} belong there')
        table = file.read()
        numbers = (pyarrow.types.is_floating, pyarrow.types.is_integer)
        if not all(any(kind(field.type) for kind in numbers) for field in table.schema):
            raise CampaignError('holds a column that is no number')
        if 'run' not in table.column_names or len(set(table.column_names)) < table.num_columns:
            raise CampaignError('has no column run, or one twice')
    except CampaignError:
        raise
    except Exception as error:  # pyarrow raises OSError, ArrowInvalid …  # noqa: BLE001
        raise CampaignError(f'cannot be read: {" ".join(str(error).split())}') from None
    return table


def _join(campaign: Campaign, paths: Sequence[Path], table: Path) -> None:
    import pyarrow

    parts = [_checked_table(path) for path in paths]  # each was checked, or written, just now
    whole = pyarrow.concat_tables(parts).combine_chunks()
    texts = {'campaign': campaign.text, 'scenario': campaign.scenario_text}
    _write(campaign, whole, table, texts)


def of_spacecraft(columns: Columns, namespace: str) -> Columns:
    """Return {column: values} of one spacecraft, as of a campaign of it alone.

    columns: of `read`;  namespace: '' for one alone
    """
    return {'run': columns['run'], **campaigns.of_one(columns, namespace)}


def read(path: str | Path) -> Columns:
    """Return {column: values (N,)} of a table that `run` wrote.

    Raises CampaignError naming the file and what is wrong with it.
    """
    try:
        table = _checked_table(Path(path))
    except CampaignError as error:
        raise CampaignError(f'{path}: {error}') from None
    return {name: table[name].to_numpy() for name in table.column_names}
