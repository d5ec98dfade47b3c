# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim scenarios`: list the shipped scenarios."""

from __future__ import annotations

import argparse
import re
from typing import Any

from spacecraft_attitude_sim.configuration import formation, scenario_file
from spacecraft_attitude_sim.subcommands.checks import no_ros
from spacecraft_attitude_sim.subcommands.parser import subcommand

# A line of a shipped file that names a spacecraft of a formation.
MEMBER = re.compile(r'^/(\w+)/simulator:\s*$', re.MULTILINE)


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    subcommand(
        commands, 'scenarios', list_scenarios, 'list the shipped scenarios',
        'List the scenarios that come with the package: name and description of each.',
    )  # fmt: skip


def list_scenarios(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Print name and description of each scenario; return the exit status."""
    no_ros(ros_arguments)
    lines = {
        name: formation.description_of(path) for name, path in scenario_file.shipped().items()
    }
    for name, path in scenario_file.shipped_formations().items():
        names = MEMBER.findall(path.read_text(encoding='utf-8'))
        names = names or [member.name for member in formation.members([path])]
        lines[name] = f'{formation.description_of(path)} ({", ".join(names)})'
    width = max(map(len, lines))
    for name, described in lines.items():
        print(f'{name:{width}}  {described}')
    return 0
