# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a campaign in chunks, here or on a Dask cluster, into one Parquet table.

A chunk is a file that appears whole or not at all, so an interrupted campaign goes on where it
was, and a chunk that a lost worker took with it is computed again.
"""

import functools
import os
import shutil
from pathlib import Path

import numpy as np

from spacecraft_attitude_sim.core import ticks
from spacecraft_attitude_sim.files import attitude_controller
from spacecraft_attitude_sim.files import campaign as campaigns
from spacecraft_attitude_sim.files.errors import CampaignError

CHUNK = 500
STATE_COLUMNS = (
    *(f'final.position[{k}]' for k in range(3)),
    *(f'final.attitude[{k}]' for k in range(4)),
    *(f'final.momentum[{k}]' for k in range(3)),
    *(f'final.angular_momentum[{k}]' for k in range(3)),
)


def run(campaign, folder, progress, *, threads=None, scheduler=None):
    """Compute what is missing of a campaign and return the path of its table.

    folder: of the results;  progress: called with runs done and whole
    threads: None for one on every core;  scheduler: address of a Dask scheduler, None for here
    Raises CampaignError, OSError.
    """
    table = folder / 'runs.parquet'
    chunks = _prepare(campaign, folder)
    if table.exists():
        progress(campaign.runs, campaign.runs)
        return table
    bounds = [(k, min(k + CHUNK, campaign.runs)) for k in range(0, campaign.runs, CHUNK)]
    missing = [pair for pair in bounds if not _chunk_path(chunks, *pair).exists()]
    done = campaign.runs - sum(last - first for first, last in missing)
    progress(done, campaign.runs)
    compute = _on_cluster(scheduler) if scheduler else _here(threads)
    for first, last, columns in compute(campaign, missing):
        _write(columns, _chunk_path(chunks, first, last), {})
        done += last - first
        progress(done, campaign.runs)
    _join(campaign, [_chunk_path(chunks, *pair) for pair in bounds], table)
    shutil.rmtree(chunks)
    return table


def columns_of(campaign, first, last, threads=None):
    """Return {column: values} of the runs from first to before last."""
    from spacecraft_attitude_sim.core.batch import Batch

    rows = range(first, last)
    draws = campaign.draws(rows)
    found = campaign.scenarios_of(draws, rows)
    plant = found[0].plant
    if plant.equations != 'momentum':
        raise CampaignError(
            f"{campaign.source}: equations are '{plant.equations}'; campaigns run 'momentum'"
        )
    instants = campaign.instants_of(found, rows)
    batch = Batch(
        [one.plant.body for one in found],
        [instant.state for instant in instants],
        gravity_W=np.array([one.plant.gravity_W for one in found]),
        substeps=plant.substeps,
        law=law_of(found) if found[0].controller else None,
        watched=True,
        settled_rate=campaign.values['settled_rate'],
        threads=threads,
        touching=_touching(found, instants) if plant.contact else None,
    )
    batch.advance(ticks.ticks_covering(campaign.duration))
    columns = {'run': np.array(rows)}
    for name, values in draws.items():
        columns.update(_split(name, values))
    result = batch.merits._asdict() | dict(zip(STATE_COLUMNS, batch.states.T, strict=True))
    _blank(result, batch.lost)
    return columns | result


def _touching(scenarios, instants):
    from spacecraft_attitude_sim.core.contact import batch_loop

    return batch_loop.touching([one.plant for one in scenarios], instants)


def _blank(columns, lost):
    """Write NaN, and -1 flips, for the runs whose motion could not be followed."""
    for name, values in columns.items():
        values[lost] = -1 if name == 'flips' else np.nan


def law_of(scenarios):
    """Return the Law of the attitude_controllers of scenarios.

    Raises CampaignError where a controller commands in another frame than the body's.
    """
    from spacecraft_attitude_sim.core.attitude_law import attitude_law

    simulators, controllers = ([getattr(one, name) for one in scenarios]
                               for name in ('parameters', 'controller'))  # fmt: skip
    frame, commanded = simulators[0]['frames.body'], controllers[0]['frames.body']
    if frame != commanded:
        raise CampaignError(
            f"attitude_controller.frames.body is '{commanded}', the simulator's '{frame}'; a "
            'campaign needs both alike'
        )
    return attitude_law(
        [attitude_controller.settings(values) for values in controllers],
        [attitude_controller.reference(values) for values in controllers],
        [one.plant.body for one in scenarios],
        [one.sensors for one in scenarios],
        [values['command_torque_limit'] for values in simulators],
    )


def _split(name, values):
    if values.ndim == 1:
        return {name: values}
    return {f'{name}[{k}]': values[:, k] for k in range(values.shape[1])}


def _here(threads):
    def compute(campaign, pairs):
        for first, last in pairs:
            yield first, last, columns_of(campaign, first, last, threads)

    return compute


def _on_cluster(address):
    from distributed import Client, as_completed

    def compute(campaign, pairs):
        texts = (campaign.text, campaign.scenario_text, campaign.source)
        with Client(address, timeout='10s') as client:
            futures = {
                client.submit(
                    _chunk_of_texts, texts, *pair, key=f'{campaign.fingerprint}-{pair[0]}'
                ): pair
                for pair in pairs
            }
            for future in as_completed(futures):
                yield *futures[future], future.result()

    return compute


def _chunk_of_texts(texts, first, last):
    """Return columns_of on a worker, which takes one core for each of its tasks."""
    return columns_of(_campaign_of(*texts), first, last, threads=1)


@functools.lru_cache(maxsize=1)
def _campaign_of(*texts):
    """Return the Campaign of a worker's tasks, which all have the same texts."""
    return campaigns.parse(*texts)


# --- files ---------------------------------------------------------------------------------------


def _prepare(campaign, folder):
    """Return the folder of chunks, new or of this same campaign.

    Raises CampaignError when it holds another campaign's.
    """
    mark = folder / 'campaign.txt'
    if mark.exists() and mark.read_text(encoding='utf-8') != campaign.fingerprint:
        raise CampaignError(
            f'{folder}: holds another campaign, or an older version of this one; name another '
            'folder with -o, or give --overwrite'
        )
    chunks = folder / 'chunks'
    unfinished = mark.with_suffix('.unfinished')
    if not mark.exists() and folder.is_dir() and {*folder.iterdir()} - {unfinished}:
        raise CampaignError(f'{folder}: is not empty, and no campaign; name another with -o')
    # The mark comes first and whole: wherever this ends, the same command goes on.
    folder.mkdir(parents=True, exist_ok=True)
    unfinished.write_text(campaign.fingerprint, encoding='utf-8')
    unfinished.replace(mark)
    if (folder / 'runs.parquet').exists():
        shutil.rmtree(chunks, ignore_errors=True)
    else:
        chunks.mkdir(exist_ok=True)
    return chunks


def _chunk_path(chunks, first, last):
    return chunks / f'{first:09d}-{last:09d}.parquet'


def _write(columns, path, metadata):
    """Write a table of columns; it appears whole or not at all."""
    import pyarrow
    from pyarrow import parquet

    table = columns if isinstance(columns, pyarrow.Table) else pyarrow.table(columns)
    unfinished = path.with_suffix('.unfinished')
    parquet.write_table(table.replace_schema_metadata(metadata), unfinished)
    os.replace(unfinished, path)


def _join(campaign, paths, table):
    import pyarrow
    from pyarrow import parquet

    parts = [parquet.read_table(path) for path in paths]
    metadata = {'campaign': campaign.text, 'scenario': campaign.scenario_text}
    _write(pyarrow.concat_tables(parts).combine_chunks(), table, metadata)


def read(path):
    """Return {column: values} of a table."""
    from pyarrow import parquet

    table = parquet.read_table(Path(path))
    return {name: table[name].to_numpy() for name in table.column_names}
