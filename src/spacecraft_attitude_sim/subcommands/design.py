# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim design`: linearise a scenario and tell the margins of its control loop."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.api.waiting import saying
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.subcommands.checks import CommandError, new_file, no_ros
from spacecraft_attitude_sim.subcommands.one_spacecraft import one_spacecraft
from spacecraft_attitude_sim.subcommands.parser import subcommand

if TYPE_CHECKING:
    from spacecraft_attitude_sim.api.design import Design

FIGURES = ('bode', 'nichols')


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    design = subcommand(
        commands, 'design', tell_margins,
        'linearise a scenario and print the margins of its control loop',
        'Linearise spacecraft, actuators and controller of a scenario about its reference, and '
        'print for each axis crossover, margins of gain, phase and delay, peak sensitivity and '
        'bandwidth of the sampled loop; its poles; and its flexible modes by name. With --output '
        'it writes the model (model.json, model.mat), and with the library python-control Bode '
        'and Nichols figures. Simulates nothing. Needs no ROS.',
    )  # fmt: skip
    design.value('scenario', 'SCENARIO', 'name of a shipped scenario, or path of a scenario file')
    design.value('-o --output', 'FOLDER', 'write model.json, model.mat, bode.png and nichols.png '
                 'to this folder', Path)  # fmt: skip
    design.flag('--overwrite', 'replace existing files')
    design.flag('--no-figures', 'write no figures, which need the library python-control')
    design.value('--axis', 'AXIS', 'tell about the loop of this body axis alone: x, y or z',
                 choices=('x', 'y', 'z'))  # fmt: skip
    design.value(
        '--time', 'S',
        'simulated time at which reference and environment are taken [s]; default the first at '
        'which the controller holds an attitude', float,
    )  # fmt: skip
    design.value(
        '--delay', 'S',
        'time from a measurement to its command [s], any number; default controller_delay as the '
        'controller flies it, in whole intervals of its IMU', float,
    )  # fmt: skip
    design.value(
        '--acceleration', 'X,Y,Z',
        'acceleration by thrust in body axes [m/s^2], which drives pendulums back; default '
        '%(default)s', default='0,0,0',
    )  # fmt: skip
    design.flag(
        '--linear-only', 'leave out what is not linear, and name it, instead of refusing it'
    )
    design.add_namespace()
    design.add_parameters()
    design.add_trust()


def tell_margins(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Print the margins, and write the files; return the exit status."""
    no_ros(ros_arguments)
    folder, axes = options.output, options.axis or 'xyz'
    files = _files(options)
    for path in files:
        new_file(path, options.overwrite)
    if folder and not options.no_figures:
        import control  # noqa: F401 (missing, it is told before anything is computed)
    from spacecraft_attitude_sim.drawing import design_report

    with saying(f'linearising {options.scenario}'):
        design = _design(options)
    print(design_report.text(design, design.name, axes))
    if folder:
        with saying(f'writing to {folder}'):
            _write(design, folder, axes, not options.no_figures)
        print('\n'.join(map(str, files)))
    return 0


def _files(options: argparse.Namespace) -> list[Path]:
    """Return the paths of the files to write."""
    if not options.output:
        return []
    names = ['model.json', 'model.mat']
    if not options.no_figures:
        names += [f'{figure}.png' for figure in FIGURES]
    return [options.output / name for name in names]


def _design(options: argparse.Namespace) -> Design:
    """Return the Design of the scenario."""
    from spacecraft_attitude_sim.api.design import Design
    from spacecraft_attitude_sim.configuration.linear_case import linear_case

    member = one_spacecraft(options)
    case = linear_case(
        scenario.of_sections(member.sections, member.source), member.name, options.time,
        _three(options.acceleration), options.delay, options.linear_only,
    )  # fmt: skip
    return Design(case, member.name)


def _three(text: str) -> list[float]:
    """Return three numbers; CommandError for other than that."""
    try:
        numbers = [float(part) for part in text.split(',')]
    except ValueError:
        numbers = []
    if len(numbers) != 3 or not all(abs(number) <= 1e6 for number in numbers):
        raise CommandError(f"--acceleration is '{text}'; give three numbers [m/s^2]")
    return numbers


def _write(design: Design, folder: Path, axes: str, drawn: bool) -> None:
    design.save(folder / 'model.json')
    design.save(folder / 'model.mat')
    if not drawn:
        return
    from spacecraft_attitude_sim.drawing import design_figures, figures

    figures.without_display()
    drawings = design_figures.figures_of(design, figures.plain(design.name), axes)
    for name, figure in drawings.items():
        figure.savefig(folder / f'{name}.png', dpi=130)
