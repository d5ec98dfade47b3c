# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim compare`: compare the equations of motion on one scenario."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from spacecraft_attitude_sim.api.waiting import saying
from spacecraft_attitude_sim.configuration import scenario, scenario_file
from spacecraft_attitude_sim.progress import ProgressLine
from spacecraft_attitude_sim.subcommands.checks import (
    CommandError,
    check_figure,
    in_folder,
    new_file,
    no_ros,
)
from spacecraft_attitude_sim.subcommands.parser import subcommand

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.studies.comparison import Motion

T = TypeVar('T')

# Longest simulated time [s]; it takes minutes and keeps every tick in memory.
LONGEST = 10_000.0


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    compare = subcommand(
        commands, 'compare', compare_equations,
        'compare the equations of motion on one scenario',
        'Integrate a scenario with each set of equations of motion. Print attitude error, drift '
        'of angular momentum and energy, measured order and computing time. The reference is the '
        'exact solution, or with --torque a converged one. Needs no ROS.',
    )  # fmt: skip
    compare.value('scenario', 'SCENARIO', 'name of a shipped scenario, or path of a scenario file')
    compare.value('--equations', 'A,B', 'names of the sets of equations to compare; default all')
    compare.value(
        '--steps', 'N,M',
        'steps per tick; with 0 the method chooses them; default %(default)s',
        default='1,2,4,8,16,32,0',
    )  # fmt: skip
    compare.value('--duration', 'S', "simulated time [s]; default the scenario's duration", float)
    compare.value('--torque', 'X,Y,Z', 'constant torque in body axes [N m]', default='0,0,0')
    compare.value('--csv', 'FILE', 'write the results to this CSV file', Path)
    compare.flag('--overwrite', 'replace an existing CSV file')
    compare.value('-o --output', 'FILE', 'write a figure to this file, .png, .svg or .pdf', Path)
    compare.add_trust()


def compare_equations(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Compare, print the table and write the requested files; return the exit status."""
    no_ros(ros_arguments)
    with saying(f'loading {options.scenario}'):
        from spacecraft_attitude_sim.core.studies import comparison
        from spacecraft_attitude_sim.drawing import comparison_report as report
        from spacecraft_attitude_sim.drawing import figures

        path = scenario_file.find(options.scenario)
        motion, names, substeps = _what_to_compare(options, scenario.load(path))
    new_file(options.csv, options.overwrite)
    if options.output:
        check_figure(options.output)
    line = ProgressLine(logged=True)
    runs = len(names) * len(substeps)
    line.show(f'{path.stem}: the reference, then {runs} runs and their times')
    try:
        with line.starting(path.stem):
            found = comparison.compare(
                motion,
                names,
                substeps,
                lambda done, whole: line.work(done / whole, f'{path.stem}: {done} of {whole}'),
            )
    except comparison.UnknownTruthError as error:
        raise CommandError(f'{path.stem}: {error}') from None
    finally:
        line.end()
    print(report.text(found, path.stem))
    if options.csv:
        report.write_csv(found, in_folder(options.csv))
        print(options.csv)
    if options.output:
        with saying(f'drawing {options.output}'):
            figures.without_display()
            figure = report.figure(found, figures.plain(path.stem))
            figure.savefig(in_folder(options.output), dpi=130)
        print(options.output)
    return 0


def _what_to_compare(
    options: argparse.Namespace, found: Scenario
) -> tuple[Motion, list[str], list[int]]:
    """Return the Motion, the names of equations and the numbers of sub-steps."""
    from spacecraft_attitude_sim.core import equations
    from spacecraft_attitude_sim.core.body import loads
    from spacecraft_attitude_sim.core.studies import comparison

    if found.plant.beyond_rigid_body:
        raise CommandError(
            f'{options.scenario} has {found.plant.beyond_rigid_body}, with which only the '
            "equations 'momentum' work: there is nothing to compare; leave them out"
        )
    names = options.equations.split(',') if options.equations else list(equations.REGISTRY)
    for name in names:
        if name not in equations.REGISTRY:
            valid = ', '.join(equations.REGISTRY)
            raise CommandError(f"--equations has '{name}'; valid are {valid}")
    substeps = _numbers('--steps', options.steps, int, 'whole numbers from 0 to 1000000')
    if not all(0 <= count <= 1_000_000 for count in substeps):
        raise CommandError(f'--steps is {options.steps}; give whole numbers from 0 to 1000000')
    duration = options.duration
    if duration is None:
        duration = found.parameters['duration'] or 10.0
    shortest = found.plant.ticks.step
    if not shortest <= duration <= LONGEST:
        raise CommandError(f'--duration is {duration} s; give {shortest} to {LONGEST:g} s')
    torque = _numbers('--torque', options.torque, float, 'three finite numbers [N m]')
    if len(torque) != 3 or not all(abs(part) <= 1e9 for part in torque):
        raise CommandError(f'--torque is {options.torque}; give three numbers up to 1e9 [N m]')
    wrench = loads.wrench_in_body((0.0, 0.0, 0.0), torque, found.base_frame)
    count = found.plant.ticks.covering(duration)
    motion = comparison.Motion(found.plant, found.initial, wrench, count)
    # From coarse to fine, so that each is compared with the previous one; automatic last.
    return motion, list(dict.fromkeys(names)), sorted(set(substeps), key=lambda n: (n == 0, n))


def _numbers(option: str, text: str, kind: Callable[[str], T], wanted: str) -> list[T]:
    try:
        return [kind(part) for part in text.split(',')]
    except ValueError:
        raise CommandError(f"{option} is '{text}'; give {wanted}, separated by commas") from None
