# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim fmu`: write a scenario as a co-simulation FMU of FMI 3.0."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from spacecraft_attitude_sim.api.waiting import saying
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.subcommands.checks import CommandError, in_folder, new_file, no_ros
from spacecraft_attitude_sim.subcommands.one_spacecraft import one_spacecraft
from spacecraft_attitude_sim.subcommands.parser import subcommand


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    fmu = subcommand(
        commands, 'fmu', write, 'write a scenario as a co-simulation FMU of FMI 3.0',
        'Write the spacecraft of a scenario as an FMU of the Functional Mock-up Interface 3.0, '
        'for other simulation tools. Commands of the actuators are its inputs, '
        'truth and readings of the sensors its outputs, each with its unit. It has the bits of a '
        'run. It needs this package in the Python that loads it (docs/fmi.md). Needs no ROS.',
    )  # fmt: skip
    fmu.value('scenario', 'SCENARIO', 'name of a shipped scenario, or path of a scenario file')
    fmu.value('-o --output', 'FILE.fmu', 'the FMU; default SCENARIO.fmu in this folder', Path)
    fmu.flag('--overwrite', 'replace an existing file')
    fmu.value(
        '--command', 'NAME',
        'command actuators by wheel_speed or gimbal_torque, in place of wheel_torque or '
        'gimbal_rate; may be repeated',
        dest='quantities', action='append', default=[],
        choices=('wheel_torque', 'wheel_speed', 'gimbal_rate', 'gimbal_torque'),
    )  # fmt: skip
    fmu.flag(
        '--own-controller',
        'let the attitude_controller of the scenario fly; the FMU has no inputs then',
    )
    fmu.add_namespace()
    fmu.add_parameters()
    fmu.add_trust()


def write(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Write the FMU; return the exit status."""
    no_ros(ros_arguments)
    import pythonfmu3  # noqa: F401 (missing, it is told before anything is read)

    from spacecraft_attitude_sim.fmi import write_fmu
    from spacecraft_attitude_sim.fmi.errors import FmuError

    name = Path(options.scenario).stem
    output = options.output or Path(f'{name}.fmu')
    new_file(output, options.overwrite)
    member = one_spacecraft(options)
    chosen = scenario.of_sections(member.sections, member.source)
    try:
        with saying(f'writing {output}'):
            write_fmu(chosen, in_folder(output), name, options.quantities, options.own_controller)
    except FmuError as error:
        raise CommandError(str(error)) from None
    print(output)
    return 0
