# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim smooth`: what all readings of a bag tell of the attitude; it judges estimators."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.subcommands.checks import CommandError, in_folder, new_file, no_ros
from spacecraft_attitude_sim.subcommands.parser import subcommand

if TYPE_CHECKING:
    from collections.abc import Sequence


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    smooth = subcommand(
        commands, 'smooth', smooth_bag,
        'smooth the attitude of a bag over all its readings, to judge an estimator',
        'Take the readings of the sensors in a bag, forward through the filter of '
        'attitude_estimator and then backward in time. Print the error of the attitude against '
        'the truth in the bag: of the smoother, of our filter, and of the estimator that '
        'published estimate/attitude, if the bag holds it. It knows the sensors and the orbit as '
        'the attitude_estimator of the recorded scenario does, or else as the simulator. Needs no '
        'ROS.',
    )  # fmt: skip
    smooth.value('bag', 'BAG', 'bag that `attitude-sim run --record` wrote', Path)
    smooth.value(
        '--csv', 'FILE',
        'write time, smoothed attitude, gyroscope bias and standard deviations to this file', Path,
    )  # fmt: skip
    smooth.flag('--overwrite', 'replace an existing CSV file')
    smooth.value(
        '--from', 'S', 'judge errors from this time on [s], after the estimator has converged; '
        'default %(default)s', float, default=0.0, dest='judged_from',
    )  # fmt: skip
    smooth.add_namespace()


def smooth_bag(options: argparse.Namespace, ros_arguments: Sequence[str]) -> int:
    """Smooth, print the merits and write the table; return the exit status."""
    no_ros(ros_arguments)
    new_file(options.csv, options.overwrite)
    from spacecraft_attitude_sim.api import run as runs

    run = runs.read(options.bag, options.namespace)
    if run.scenario is None:
        raise CommandError(f'{options.bag}: is a table and holds no readings; give a bag')
    try:
        smoothed = run.smoothed(options.judged_from)
    except (KeyError, ValueError) as error:
        raise CommandError(f'{options.bag}: {error.args[0]}') from None
    print(smoothed)
    if options.csv:
        print(smoothed.to_csv(in_folder(options.csv)))
    return 0
