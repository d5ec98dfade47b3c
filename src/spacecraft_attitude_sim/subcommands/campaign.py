# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim campaign`: run a scenario many times, with parameters drawn at random."""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.api.waiting import compiled_for, saying
from spacecraft_attitude_sim.configuration import formation
from spacecraft_attitude_sim.progress import ProgressLine
from spacecraft_attitude_sim.safety import system
from spacecraft_attitude_sim.subcommands.checks import CommandError, in_folder, no_ros
from spacecraft_attitude_sim.subcommands.parser import subcommand

if TYPE_CHECKING:
    from spacecraft_attitude_sim.campaigns.campaign import Campaign


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    campaign = subcommand(
        commands, 'campaign', run_campaign,
        'run a scenario many times with parameters drawn at random',
        'Run a Monte Carlo, Latin hypercube or Sobol campaign; write one Parquet '
        'table and a figure. The same command resumes an interrupted campaign. Needs no ROS.',
    )  # fmt: skip
    campaign.value('campaign', 'FILE', 'campaign file (YAML), see docs/campaigns.md', Path)
    campaign.value(
        '-o --output', 'DIR', 'folder for the results; default output/NAME for NAME.yaml', Path
    )
    campaign.flag('--overwrite', 'discard the results that are there, and start anew')
    campaign.value('--runs', 'N', 'number of runs, in place of that in the file', int)
    campaign.value('--seed', 'S', 'seed of all draws, in place of that in the file', int)
    campaign.value(
        '--controller', 'FILE:NAME',
        'fly the runs under a function or class of this Python file (docs/campaigns.md); '
        'the file is run',
    )  # fmt: skip
    campaign.value(
        '--merit', 'FILE:NAME',
        'add a column: a function of the history of a run, in this Python file, which is run; may '
        'be repeated',
        action='append', default=[],
    )  # fmt: skip
    campaign.value(
        '--workers', 'N',
        'threads on this machine, or processes where a controller flies in Python; default one '
        'per core',
        int,
    )  # fmt: skip
    campaign.value(
        '--scheduler', 'ADDRESS', 'Dask scheduler whose cluster to use, such as tcp://host:8786'
    )
    campaign.value('--row', 'K', 'number of the run that --write-scenario writes, from 0', int)
    campaign.value(
        '--write-scenario',
        'FILE',
        'write the scenario of run K (--row) to this file, and run nothing',
        Path,
    )
    campaign.add_trust()


def run_campaign(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Run or resume a campaign; return the exit status."""
    no_ros(ros_arguments)
    with saying(f'loading {options.campaign.name}'):
        from spacecraft_attitude_sim.campaigns import runner

        found = _loaded(options)
    if (options.row is None) != (options.write_scenario is None):
        raise CommandError('--row and --write-scenario belong together; give both')
    if options.row is not None:
        return _write_run(found, options)
    if options.workers is not None and options.workers < 1:
        raise CommandError(f'--workers is {options.workers}; give 1 or more')
    workers = options.workers or system.usable_cores()
    folder = options.output or Path('output') / options.campaign.stem
    if options.overwrite and (folder / 'campaign.txt').exists():
        shutil.rmtree(folder)
    line = ProgressLine(logged=True)
    line.least, line.waits_for = runner.share_to_tell(found, workers), compiled_for

    def advancing(runs: float, whole: int = found.runs) -> None:
        line.work(runs / whole, f'{whole} runs')

    with contextlib.ExitStack() as stack:
        stack.callback(line.end)
        stack.enter_context(line.starting(f'{found.runs} runs'))
        table = runner.run(
            found, folder, advancing, advancing=advancing,
            noted=lambda text: print(f'attitude-sim: {text}', file=sys.stderr),
            threads=workers, scheduler=options.scheduler,
        )  # fmt: skip
    print(f'{options.campaign.stem}: {found.runs} runs of {found.duration:g} s')
    _summarise(found, table, options)
    return 0


def _loaded(options: argparse.Namespace) -> Campaign:
    """Return the Campaign of the options, with its controller and merits."""
    from spacecraft_attitude_sim.campaigns import campaign, python_flight, user_file

    make = None
    if options.controller:
        make = python_flight.Maker(user_file.named('--controller', options.controller))
    judges = [user_file.named('--merit', said) for said in options.merit]
    given = {'runs': options.runs, 'seed': options.seed}
    changes = {key: value for key, value in given.items() if value is not None}
    loaded = campaign.load(options.campaign, make, changes)
    return loaded.with_merits({one.name: one for one in judges})


def _summarise(found: Campaign, table: Path, options: argparse.Namespace) -> None:
    """Print the merits of a Campaign whose table is written, and draw them."""
    from spacecraft_attitude_sim.campaigns import campaign_figures, faults_in_turn, runner
    from spacecraft_attitude_sim.drawing import figures

    columns, folder = runner.read(table), table.parent
    figures.without_display()
    title = figures.plain(found.values['description'] or options.campaign.stem)
    pictures = []
    for namespace in found.bases:
        own = runner.of_spacecraft(columns, namespace)
        said = [namespace] if namespace else []
        lines = campaign_figures.summary(own, found.merits)
        if found.takes_turns:
            base, good = found.bases[namespace], found.values['pointed_error']
            lines += faults_in_turn.summary(own, base, good)
        print('\n'.join(said + lines))
        name = '_'.join(['merits', *said]).replace('/', '_')
        pictures.append(folder / f'{name}.png')
        with saying(f'drawing {pictures[-1]}'):
            figure = campaign_figures.figure(own, ': '.join([title, *said]), found.merits)
            figure.savefig(pictures[-1], dpi=130)
    if found.map:
        pictures.append(folder / 'map.png')
        with saying(f'drawing {pictures[-1]}'):
            campaign_figures.map_figure(columns, found.map, title).savefig(pictures[-1], dpi=130)
    print('\n'.join(map(str, (table, *pictures))))


def _write_run(found: Campaign, options: argparse.Namespace) -> int:
    if not 0 <= options.row < found.runs:
        raise CommandError(f'--row is {options.row}; give 0 to {found.runs - 1}')
    rows = range(options.row, options.row + 1)
    draws = found.draws(rows)
    drawn = {name: found.scenarios_of(draws, rows, name)[0] for name in found.bases}
    in_folder(options.write_scenario).write_text(formation.dump(drawn), encoding='utf-8')
    print(options.write_scenario)
    return 0
