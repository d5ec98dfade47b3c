# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim scenarios`: list the shipped scenarios."""

from spacecraft_attitude_sim.configuration import formation, scenario
from spacecraft_attitude_sim.subcommands.checks import no_ros
from spacecraft_attitude_sim.subcommands.parser import subcommand


def add(commands):
    """Add the command to the subparsers of `attitude-sim`."""
    subcommand(commands, 'scenarios', list_scenarios, 'list the shipped scenarios')


def list_scenarios(options, ros_arguments):
    """Print name and description of each; return the exit status."""
    no_ros(ros_arguments)
    for name, path in scenario.shipped().items():
        print(f'{name:20} {scenario.load(path).description}')
    for name, path in scenario.shipped_formations().items():
        spacecraft = formation.members([path])
        described = spacecraft[0].sections['simulator'].get('description', '')
        print(f'{name:20} {described} ({", ".join(member.name for member in spacecraft)})')
    return 0
