# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Options of `attitude-sim plot` that say how a flight is judged, and what they lead to."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.subcommands.checks import CommandError

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.studies.flight_merits import Asked, Merits
    from spacecraft_attitude_sim.recording.history import History
    from spacecraft_attitude_sim.subcommands.parser import Parser


def add(command: Parser) -> None:
    """Add the options to a command."""
    command.value(
        '--merits', 'FILE',
        'also write the merits of a controlled run (docs/pointing.md) to a table, .csv or .json',
        Path,
    )  # fmt: skip
    command.value(
        '--steady-from', 'SECONDS',
        'judge pointing from this time after the start on; default when the error stays small',
        float,
    )  # fmt: skip
    command.value(
        '--pointed-error', 'DEG', 'error that is small; default %(default)g', float, default=1.0
    )
    command.value(
        '--window', 'SECONDS', 'length of the windows of MPE and RPE; default 10, or less where '
        'the run is short', float, default=0.0,
    )  # fmt: skip
    command.value(
        '--drift', 'SECONDS', 'time between the windows of PDE; default 60, or less where the '
        'run is short', float, default=0.0,
    )  # fmt: skip
    command.value(
        '--boresight', 'X,Y,Z', 'body axis about and across which errors are told; default 0,0,1',
        _direction, default=(0.0, 0.0, 1.0),
    )  # fmt: skip


def _direction(text: str) -> tuple[float, ...]:
    """Return three numbers between commas."""
    try:
        numbers = tuple(map(float, text.split(',')))
    except ValueError:
        numbers = ()
    if len(numbers) != 3:
        raise argparse.ArgumentTypeError(f"'{text}' is no direction; give three numbers, 0,0,1")
    return numbers


def asked_of(options: argparse.Namespace) -> Asked:
    """Return how the options want a flight judged; CommandError where they cannot be."""
    from spacecraft_attitude_sim.core.studies.flight_merits import Asked
    from spacecraft_attitude_sim.recording.merit_table import SUFFIXES

    if options.merits and options.merits.suffix.lower() not in SUFFIXES:
        raise CommandError(f'--merits {options.merits}: give a name that ends in .csv or .json')
    try:
        return Asked(
            options.steady_from, math.radians(options.pointed_error), options.window,
            options.drift, options.boresight,
        )  # fmt: skip
    except ValueError as error:
        raise _refused(error) from None


def merits_of(table: History, options: argparse.Namespace) -> Merits | None:
    """Return the Merits of a controlled run as the options want them; None of another run.

    Raises CommandError where the options do not fit the run.
    """
    from spacecraft_attitude_sim.recording import merit_table

    if table.control is None:
        if options.merits:
            raise CommandError(
                f'{options.source}: --merits is of a controlled run, and this holds no commands; '
                'record a bag of one (run --record)'
            )
        return None
    try:
        return merit_table.of_history(table, asked_of(options))
    except ValueError as error:
        raise _refused(error) from None


def _refused(error: ValueError) -> CommandError:
    """Return the error of a field of Asked as one of its option."""
    words = str(error)
    field = words.split(' ', 1)[0]
    return CommandError(f'--{field.replace("_", "-")}{words.removeprefix(field)}')
