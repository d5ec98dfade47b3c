# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim examine`: fly the cases of the examination, and judge each run by their limits."""

from __future__ import annotations

import argparse
import math
import secrets
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.safety import system
from spacecraft_attitude_sim.subcommands.checks import CommandError, in_folder, no_ros
from spacecraft_attitude_sim.subcommands.parser import subcommand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.campaigns.examination import Row

MOST_RUNS = 100_000
MOST_SEED = 2**31 - 1
# In place of a seed: one from the entropy of the system.
HIDDEN = 'random'
# Exit status where a run did not pass.
FAILED = 1
HEADER = ('case', 'passed', 'worst error', 'what failed')


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    examine = subcommand(
        commands, 'examine', examine_cases,
        'fly the cases of the examination, with our loop or yours, and judge them',
        'Fly cases of the examination on sensors and actuators alone, each some times with '
        'parameters drawn at random. Print a row for each run, and a summary. The exit status is '
        '0 if all runs passed and 1 if not. Needs no ROS. See docs/examination.md.',
    )  # fmt: skip
    examine.add_argument(
        'cases', metavar='CASE', nargs='*', help='name of a shipped case, or path of a case file; '
        'default all that are shipped',
    )  # fmt: skip
    examine.value(
        '--law', 'LAW',
        'law that turns attitude, rate and reference into a torque: ours, mrp, pd, or FILE:NAME, '
        'which is run; default %(default)s', default='ours',
    )  # fmt: skip
    examine.value('--estimator', 'FILE:NAME', 'estimator in place of ours; the file is run')
    examine.value('--guidance', 'FILE:NAME', 'guidance in place of ours; the file is run')
    examine.value('--runs', 'N', 'runs of each case; default %(default)s', int, default=1)
    examine.value(
        '--seed', 'S',
        f'seed of all draws, 0 to {MOST_SEED}; {HIDDEN} draws one that nobody has seen and tells '
        'it after the flights; default %(default)s', default='1',
    )  # fmt: skip
    examine.value('--workers', 'N', 'processes; default one per core', int)
    examine.value('--table', 'FILE', 'write all merits of all runs to this CSV file', Path)
    examine.add_trust()


def examine_cases(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Fly and judge the cases; return the exit status."""
    no_ros(ros_arguments)
    _check(options)
    seed = _seed(options.seed)
    from spacecraft_attitude_sim.campaigns import examination

    what = examination.entry(options.law, options.estimator, options.guidance)
    cases = [examination.load(name) for name in options.cases or examination.shipped()]
    if options.table:
        in_folder(options.table)
    workers = options.workers or system.usable_cores()
    drawn = [examination.tasks_of(case, what, options.runs, seed) for case in cases]
    every: list[Row] = []
    for tasks in drawn:
        for row in examination.rows(tasks, workers):
            every.append(row)
            print(_line(row), flush=True)
    print('\n' + '\n'.join(summary(every)))
    print(f'\nseed {seed}: repeat it with {repeat(options, seed)}')
    if options.table:
        text = examination.as_csv(every, seed)
        options.table.write_text(text, encoding='utf-8')
        print(options.table)
    return 0 if all(row.passed for row in every) else FAILED


def _check(options: argparse.Namespace) -> None:
    """Raise CommandError for numbers that cannot be."""
    for name, least, most in (
        ('runs', 1, MOST_RUNS),
        ('workers', 1, 1024),
    ):
        value = getattr(options, name)
        if value is not None and not least <= value <= most:
            raise CommandError(f'--{name} is {value}; give {least} to {most}')


def _seed(text: str) -> int:
    """Return the seed that an option names, a new one for HIDDEN."""
    if text == HIDDEN:
        return secrets.randbelow(MOST_SEED + 1)
    if not text.isascii() or not text.isdecimal() or not len(text) <= 10 or int(text) > MOST_SEED:
        raise CommandError(f'--seed is {text!r}; give 0 to {MOST_SEED}, or {HIDDEN}')
    return int(text)


def repeat(options: argparse.Namespace, seed: int) -> str:
    """Return the command that flies the same runs again."""
    words = ['attitude-sim', 'examine', *options.cases, '--runs', str(options.runs)]
    words += ['--seed', str(seed)]
    for name in ('law', 'estimator', 'guidance'):
        given = getattr(options, name)
        if given and given != 'ours':
            words += [f'--{name}', given]
    return shlex.join(words)


def _line(row: Row) -> str:
    """Return a row in words."""
    result = 'passed' if row.passed else 'FAILED: ' + '; '.join(row.reasons)
    return f'{row.case} {row.run}  {_error([row])}  {result}'


def _error(rows: Sequence[Row]) -> str:
    """Return the largest pointing error at 99.7 % of rows; '-' where none is known."""
    errors = [row.values.get('ape_angle_997', math.nan) for row in rows]
    known = [error for error in errors if math.isfinite(error)]
    return f'{math.degrees(max(known)):.3f} deg' if known else '-'


def summary(every: Sequence[Row]) -> list[str]:
    """Return the lines of a Markdown table: a row for each case."""
    lines = [f'| {" | ".join(HEADER)} |', '|---|---|---|---|']
    for name in dict.fromkeys(row.case for row in every):
        own = [row for row in every if row.case == name]
        passed = sum(row.passed for row in own)
        reasons = dict.fromkeys(
            reason.partition(', but')[0] for row in own for reason in row.reasons
        )
        lines.append(f'| {name} | {passed} of {len(own)} | {_error(own)} | {"; ".join(reasons)} |')
    passed = sum(row.passed for row in every)
    return [*lines, f'| all | {passed} of {len(every)} | | |']
