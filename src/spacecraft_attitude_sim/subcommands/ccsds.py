# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim ccsds`: the attitude of a bag as messages and kernels that other tools read."""

from __future__ import annotations

import datetime
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.progress import ProgressLine
from spacecraft_attitude_sim.subcommands.checks import CommandError, new_file, no_folder, no_ros
from spacecraft_attitude_sim.subcommands.parser import subcommand

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from spacecraft_attitude_sim.recording.attitude_messages import Flown


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    ccsds = subcommand(
        commands, 'ccsds', write_messages, 'write the attitude of a bag as AEM, APM or CK',
        'Write the attitude of a recorded run as messages of CCSDS: an AEM (over time), an APM '
        '(at one time). The attitude is from GCRF to SC_BODY_1, the body. Needs no ROS. A '
        'scenario reads an orbit from an OEM by orbit.table (docs/ccsds.md).',
    )  # fmt: skip
    ccsds.value('bag', 'BAG', 'bag that run --record or ros2 bag wrote', Path)
    ccsds.value('--aem', 'FILE', 'AEM to write', Path)
    ccsds.value('--apm', 'FILE', 'APM to write, of the first instant', Path)
    ccsds.value(
        '--ck', 'FILE', 'CK of SPICE to write, with its clock FILE.tsc and its frame FILE.tf '
        'beside it; needs spiceypy', Path,
    )  # fmt: skip
    ccsds.value(
        '--spice-id', 'N', 'NAIF number of the spacecraft in the CK; default %(default)s', int,
        default=-999,
    )  # fmt: skip
    ccsds.value('--from', 'S', 'first time [s]; default 0', float, dest='begin', default=0.0)
    ccsds.value('--to', 'S', 'last time [s]; default the end', float, dest='end', default=math.inf)
    ccsds.value(
        '--step', 'S', 'write an instant of each such step [s]; default every instant', float,
        default=0.0,
    )  # fmt: skip
    ccsds.value(
        '--epoch', 'UTC', 'UTC at which time is 0, for a bag whose scenario has no epoch',
        default='',
    )  # fmt: skip
    ccsds.value('--name', 'NAME', 'OBJECT_NAME; default the name of the bag')
    ccsds.value('--id', 'ID', 'OBJECT_ID, such as 2026-001A; default %(default)s',
                dest='identity', default='UNKNOWN')  # fmt: skip
    ccsds.flag('--overwrite', 'replace files that exist')
    ccsds.add_namespace()


def write_messages(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Write the messages; return the exit status."""
    no_ros(ros_arguments)
    _check(options)
    from spacecraft_attitude_sim.recording import attitude_messages as messages

    line = ProgressLine()
    try:
        with line.saying(f'reading {options.bag}'):
            flown = messages.read(
                options.bag, options.name or options.bag.stem, options.identity, options.epoch,
                messages.Span(options.begin, options.end, options.step), options.namespace,
            )  # fmt: skip
    finally:
        line.end()
    created = datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%S')
    files: list[tuple[Path, Callable[[Path], None]]] = [
        (path, _writing(text(flown, created)))
        for path, text in ((options.aem, messages.aem), (options.apm, messages.apm))
        if path
    ]
    if options.ck:
        files += _kernels(flown, options)
    messages.write(files)
    for path, _ in files:
        print(path)
    return 0


def _kernels(
    flown: Flown, options: argparse.Namespace
) -> list[tuple[Path, Callable[[Path], None]]]:
    """Return the files of a CK, each with what writes it."""
    import spiceypy  # noqa: F401  # told before anything is written

    from spacecraft_attitude_sim.recording import spice_kernels

    spice_kernels.check(flown, options.spice_id)
    clock, frame = _beside(options.ck)
    return [
        (options.ck, lambda path: spice_kernels.write_ck(flown, options.spice_id, path)),
        (clock, _writing(spice_kernels.clock(flown, options.spice_id))),
        (frame, _writing(spice_kernels.frame(flown, options.spice_id))),
    ]


def _beside(ck: Path) -> tuple[Path, Path]:
    """Return the paths of the clock and the frame of a CK."""
    return Path(f'{ck}.tsc'), Path(f'{ck}.tf')


def _writing(text: str) -> Callable[[Path], None]:
    """Return what writes a text to a path."""

    def write(path: Path) -> None:
        path.write_text(text, encoding='ascii')

    return write


def _check(options: argparse.Namespace) -> None:
    """Raise CommandError for options that make no messages."""
    asked = [path for path in (options.aem, options.apm, options.ck) if path]
    if not asked:
        raise CommandError('give --aem FILE, --apm FILE or --ck FILE')
    asked += _beside(options.ck) if options.ck else ()
    if len({path.absolute() for path in asked}) < len(asked):
        raise CommandError('two of --aem, --apm and --ck are the same file; give others')
    for path in asked:
        new_file(path, options.overwrite)
        no_folder(path)
    if not 0.0 <= options.begin <= options.end or math.isinf(options.begin):
        raise CommandError(
            f'--from is {options.begin:g} and --to {options.end:g}; give two times from 0 s on, '
            'in order'
        )
    if not 0.0 <= options.step < 1e9:
        raise CommandError(f'--step is {options.step:g}; give a time in seconds')
