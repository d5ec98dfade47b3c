# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a campaign in chunks, here or on a Dask cluster, into one Parquet table.

A chunk is a file that is written atomically, so an interrupted campaign resumes where it stopped.
A chunk lost with a worker is computed again; so is one that is damaged or belongs to another
campaign, according to its rows, its columns and the digest in it.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spacecraft_attitude_sim.campaigns import campaign as campaigns
from spacecraft_attitude_sim.campaigns.columns import DIRECTION_COLUMNS, STATE_COLUMNS
from spacecraft_attitude_sim.configuration import attitude_controller, trust
from spacecraft_attitude_sim.recording.errors import CampaignError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow

    from spacecraft_attitude_sim.campaigns.campaign import Campaign
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.batch.actuated import Rows
    from spacecraft_attitude_sim.core.batch.attitude_law import Law
    from spacecraft_attitude_sim.core.batch.contact import Touching
    from spacecraft_attitude_sim.core.batch.gyrostats import Gyrostats
    from spacecraft_attitude_sim.core.simulation import Instant

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
    threads: int | None = None,
    scheduler: str | None = None,
) -> Path:
    """Compute the missing runs of a campaign and return the path of its table.

    folder: of the results;  progress: called with the number of runs done and of all
    noted: called with a line where a chunk must be computed again;  threads: None for one per core
    scheduler: address of a Dask scheduler, None for this process
    Raises CampaignError, OSError.
    """
    table = folder / 'runs.parquet'
    chunks = _prepare(campaign, folder)
    if table.exists():
        if fault := _fault(campaign, table, range(campaign.runs)):
            raise CampaignError(f'{table}: {fault}; --overwrite computes it again')
        progress(campaign.runs, campaign.runs)
        return table
    bounds = [(k, min(k + CHUNK, campaign.runs)) for k in range(0, campaign.runs, CHUNK)]
    missing = []
    for pair in bounds:
        path = _chunk_path(chunks, *pair)
        if not path.exists():
            missing.append(pair)
        elif fault := _fault(campaign, path, range(*pair)):
            noted(f'{path}: {fault}; its runs are computed again')
            missing.append(pair)
    done = campaign.runs - sum(last - first for first, last in missing)
    progress(done, campaign.runs)
    compute = _on_cluster(scheduler) if scheduler else _here(threads)
    for first, last, columns in compute(campaign, missing):
        _write(campaign, columns, _chunk_path(chunks, first, last))
        done += last - first
        progress(done, campaign.runs)
    _join(campaign, [_chunk_path(chunks, *pair) for pair in bounds], table)
    shutil.rmtree(chunks)
    return table


def columns_of(campaign: Campaign, first: int, last: int, threads: int | None = None) -> Columns:
    """Return {column: values} of the runs first to last - 1.

    Of a formation, those of one spacecraft after those of another.
    Raises CampaignError for equations other than momentum, or a drawn value that is invalid.
    """
    rows = range(first, last)
    draws = campaign.draws(rows)
    columns = {'run': np.array(rows)}
    for namespace in campaign.bases:
        own = _columns_of_one(campaign, draws, rows, namespace, threads)
        columns |= campaigns.of_namespace(own, namespace)
    return columns


def _columns_of_one(
    campaign: Campaign,
    draws: Mapping[str, NDArray[Any]],
    rows: range,
    namespace: str,
    threads: int | None,
) -> Columns:
    """Return {column: values} of one spacecraft: what of it was drawn, and its results."""
    from spacecraft_attitude_sim.core.batch.batch import Batch
    from spacecraft_attitude_sim.core.simulation.solver import Actuated, Loaded

    found = campaign.scenarios_of(draws, rows, namespace)
    plant = found[0].plant
    if plant.equations != 'momentum':
        raise CampaignError(
            f"{campaign.source_of(namespace)}: equations are '{plant.equations}'; campaigns run "
            "'momentum'"
        )
    instants = campaign.instants_of(found, rows)
    batch = Batch(
        [one.plant.spacecraft.carrier for one in found],
        [instant.state for instant in instants],
        gravity_W=np.array([one.plant.gravity_W for one in found]),
        substeps=plant.substeps,
        law=law_of(found) if found[0].controller else None,
        watched=True,
        settled_rate=campaign.values['settled_rate'],
        threads=threads,
        ticks=plant.ticks,
        touching=_touching(found, instants) if plant.contact else None,
        gyrostats=_gyrostats(found, instants) if isinstance(plant.solver, Loaded) else None,
        actuated=_actuated(found, instants) if isinstance(plant.solver, Actuated) else None,
    )
    batch.advance(plant.ticks.covering(campaign.duration))
    columns: Columns = {}
    for name, values in campaigns.of_one(draws, namespace).items():
        columns.update(_split(name, values))
    result = batch.merits._asdict() | dict(zip(STATE_COLUMNS, batch.states.T, strict=True))
    result |= dict(zip(DIRECTION_COLUMNS, _directions_B(batch.states), strict=True))
    _blank(result, batch.lost)
    return columns | result


def _directions_B(states: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return L / |L| in body axes, (3, N), of flat states (N, 13); NaN where L is 0.

    Element by element in one order, so that a run has the same bits in any chunk.
    """
    w, x, y, z = states.T[3:7]
    a, b, c = states.T[10:]
    found = np.array((
        (1.0 - 2.0 * (y * y + z * z)) * a + 2.0 * (x * y + w * z) * b + 2.0 * (x * z - w * y) * c,
        2.0 * (x * y - w * z) * a + (1.0 - 2.0 * (x * x + z * z)) * b + 2.0 * (y * z + w * x) * c,
        2.0 * (x * z + w * y) * a + 2.0 * (y * z - w * x) * b + (1.0 - 2.0 * (x * x + y * y)) * c,
    ))  # fmt: skip
    size = np.sqrt(a * a + b * b + c * c)
    size[size == 0.0] = np.nan
    return found / size


def _touching(scenarios: Sequence[Scenario], instants: Sequence[Instant]) -> Touching:
    from spacecraft_attitude_sim.core.batch import contact

    return contact.touching([one.plant for one in scenarios], instants)


def _gyrostats(scenarios: Sequence[Scenario], instants: Sequence[Instant]) -> Gyrostats:
    from spacecraft_attitude_sim.core.batch import gyrostats

    return gyrostats.gyrostats(
        [one.plant for one in scenarios],
        [instant.state for instant in instants],
        [one.inputs.wheel_torque for one in scenarios],
    )


def _actuated(scenarios: Sequence[Scenario], instants: Sequence[Instant]) -> Rows:
    from spacecraft_attitude_sim.core.batch import actuated

    return actuated.rows_of(
        [one.plant for one in scenarios],
        [instant.state for instant in instants],
        [one.inputs for one in scenarios],
    )


def _blank(columns: Columns, lost: NDArray[np.bool_]) -> None:
    """Write NaN, and -1 flips, for runs that could not be computed to the end."""
    for name, values in columns.items():
        values[lost] = -1 if name == 'flips' else np.nan


def law_of(scenarios: Sequence[Scenario]) -> Law:
    """Return the Law of the attitude_controllers of scenarios.

    Raises CampaignError where a controller commands in a frame other than the body's.
    """
    from spacecraft_attitude_sim.core.batch.attitude_law import attitude_law, driven_of

    simulators, controllers = ([getattr(one, name) for one in scenarios]
                               for name in ('parameters', 'controller'))  # fmt: skip
    frame, commanded = simulators[0]['frames.body'], controllers[0]['frames.body']
    if frame != commanded:
        raise CampaignError(
            f"attitude_controller.frames.body is '{commanded}', the simulator's '{frame}'; a "
            'campaign needs both alike'
        )
    for one in scenarios:
        _check_ephemeris(one)
    try:
        driven = [
            driven_of(
                one.plant.spacecraft, attitude_controller.allocation(values),
                attitude_controller.magnetic_gains(values),
            )
            for one, values in zip(scenarios, controllers, strict=True)
        ]  # fmt: skip
    except ValueError as error:
        raise CampaignError(f'{attitude_controller.NAME}: {error}') from None
    return attitude_law(
        [attitude_controller.settings(values) for values in controllers],
        [attitude_controller.reference(values) for values in controllers],
        [one.plant.spacecraft.carrier for one in scenarios],
        [one.sensors for one in scenarios],
        [values['command_torque_limit'] for values in simulators],
        scenarios[0].plant.ticks,
        [values['command_timeout'] for values in simulators],
        driven,
    )


def _check_ephemeris(found: Scenario) -> None:
    """Raise CampaignError where a controller flies by another orbit than it is in."""
    ruled = found.controller
    assert ruled
    if not attitude_controller.flies_by_ephemeris(ruled):
        return
    for one in attitude_controller.EPHEMERIS:
        if ruled[one.name] != found.parameters[one.name]:
            raise CampaignError(
                f"{attitude_controller.NAME}.{one.name} is {ruled[one.name]!r}, the simulator's "
                f'{found.parameters[one.name]!r}; a campaign needs both alike'
            )


def _split(name: str, values: NDArray[Any]) -> Columns:
    if values.ndim == 1:
        return {name: values}
    return {f'{name}[{k}]': values[:, k] for k in range(values.shape[1])}


def _here(threads: int | None) -> Compute:
    def compute(campaign: Campaign, pairs: Sequence[tuple[int, int]]) -> Chunks:
        for first, last in pairs:
            yield first, last, columns_of(campaign, first, last, threads)

    return compute


def _on_cluster(address: str) -> Compute:
    from distributed import Client, as_completed

    def compute(campaign: Campaign, pairs: Sequence[tuple[int, int]]) -> Chunks:
        texts = (campaign.text, campaign.scenario_text, campaign.source)
        trusted = trust.given()
        with Client(address, timeout='10s') as client:
            futures = {
                client.submit(
                    _chunk_of_texts, texts, trusted, *pair, key=f'{campaign.fingerprint}-{pair[0]}'
                ): pair
                for pair in pairs
            }
            for future in as_completed(futures):
                yield *futures[future], future.result()

    return compute


def _chunk_of_texts(
    texts: tuple[str, str, str], trusted: Iterable[str], first: int, last: int
) -> Columns:
    """Return columns_of on a Dask worker, in one thread for each task."""
    trust.give(trusted)
    return columns_of(_campaign_of(*texts), first, last, threads=1)


@functools.lru_cache(maxsize=1)
def _campaign_of(*texts: str) -> Campaign:
    """Return the Campaign of a worker's tasks, parsed once for all of them."""
    return campaigns.parse(*texts)


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
