# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim smooth`: what all readings of a bag tell of the attitude; it judges estimators."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration import attitude_estimator, scenario
from spacecraft_attitude_sim.subcommands.checks import CommandError, in_folder, new_file, no_ros
from spacecraft_attitude_sim.subcommands.given_parameters import parameters_given
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
        'the truth in the bag: of the smoother, of our filter, of the estimator that published '
        'estimate/attitude, if the bag holds it, and of those in files (--beside). It knows the '
        'sensors and the orbit as the attitude_estimator of the recorded scenario does, or else '
        'as the simulator; --scenario and -p change that. So it also calibrates sensors by all '
        'readings. Needs no ROS.',
    )  # fmt: skip
    smooth.value('bag', 'BAG', 'bag that `attitude-sim run --record` wrote', Path)
    smooth.value(
        '--csv', 'FILE',
        'write time, smoothed attitude, gyroscope bias and standard deviations to this file', Path,
    )  # fmt: skip
    smooth.value(
        '--scenario', 'SCENARIO',
        'know what the attitude_estimator of this scenario knows: the name of a shipped one, or '
        'the path of a file',
    )  # fmt: skip
    smooth.value(
        '-p', 'NAME:=VALUE',
        'set a parameter of the attitude_estimator, for example estimate_gyroscope_axes:=true; '
        'may be repeated', dest='parameters', action='append', default=[],
    )  # fmt: skip
    smooth.value(
        '--beside', 'FILE',
        'judge the attitudes of this CSV file, too, those of your own estimator: a header with '
        'the columns time [s], qw, qx, qy, qz and, if it tells them, sigma_x [rad], '
        'sigma_y [rad], sigma_z [rad]; may be repeated', Path, action='append', default=[],
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
    estimator = _estimator(options.scenario, options.parameters)
    from spacecraft_attitude_sim.api import run as runs
    from spacecraft_attitude_sim.recording import estimate_table

    beside = {str(path): estimate_table.read(path) for path in options.beside}
    run = runs.read(options.bag, options.namespace)
    if run.scenario is None:
        raise CommandError(f'{options.bag}: is a table and holds no readings; give a bag')
    try:
        smoothed = run.smoothed(options.judged_from, estimator, beside)
    except (KeyError, ValueError) as error:
        raise CommandError(f'{options.bag}: {error.args[0]}') from None
    print(smoothed)
    if options.csv:
        print(smoothed.to_csv(in_folder(options.csv)))
    return 0


def _estimator(name: str | None, parameters: Sequence[str]) -> dict[str, Any]:
    """Return {name: value} of what the estimator is to know beside what the bag tells.

    name: of a scenario, or None;  parameters: texts of -p
    """
    values: dict[str, Any] = {}
    if name is not None:
        known = scenario.load(scenario.find(name)).estimator
        if known is None:
            raise CommandError(f'{name}: has no section {attitude_estimator.NAME}')
        values.update(known)
    own = f'{attitude_estimator.NAME}:'
    texts = (text if ':' in text.partition(':=')[0] else f'{own}{text}' for text in parameters)
    for namespace, node, parameter, value in parameters_given(texts):
        if namespace or node != attitude_estimator.NAME:
            raise CommandError(f'-p {node}:{parameter}: is not of the {attitude_estimator.NAME}')
        values[parameter] = value
    return values
