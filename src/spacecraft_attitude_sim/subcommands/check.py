# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim check`: validate and summarise a scenario."""

from __future__ import annotations

import argparse
from typing import Any

from spacecraft_attitude_sim.configuration import formation, scenario, scenario_file
from spacecraft_attitude_sim.drawing import body_looks
from spacecraft_attitude_sim.subcommands.checks import no_ros
from spacecraft_attitude_sim.subcommands.given_parameters import parameters_given
from spacecraft_attitude_sim.subcommands.parser import subcommand


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    check = subcommand(
        commands, 'check', check_scenario, 'check a scenario and print a summary',
        'Check a scenario and simulate nothing. Print a summary (mass, inertia, actuators, orbit, '
        'steps, sensors, frames, floor, controller), or the first error. Needs no ROS.',
    )  # fmt: skip
    check.value('scenario', 'SCENARIO', 'name of a shipped scenario, or path of a scenario file')
    check.add_parameters()
    check.add_trust()


def check_scenario(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Print the summary of a scenario; return the exit status."""
    no_ros(ros_arguments)
    from spacecraft_attitude_sim.configuration import scenario_report
    from spacecraft_attitude_sim.kernels import warm_up

    warm_up.begin()  # to check a floor without waiting for the compiler
    members = formation.complete([scenario_file.find(options.scenario)])
    for member in formation.agreed(members, list(parameters_given(options.parameters))):
        found = scenario.of_sections(member.sections, member.source)
        body_looks.drawn_parts(found)
        print(f'{member.name}: {found.description or "no description"}')
        print('\n'.join(scenario_report.report(found)))
    return 0
