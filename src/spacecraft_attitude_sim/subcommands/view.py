# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim view`: show a run in a web page, live or recorded."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from spacecraft_attitude_sim.configuration import scenario, scenario_file
from spacecraft_attitude_sim.progress import ProgressLine
from spacecraft_attitude_sim.safety.quoting import quoted
from spacecraft_attitude_sim.subcommands.checks import (
    CommandError,
    check_port,
    in_folder,
    need_rerun,
    no_ros,
)
from spacecraft_attitude_sim.subcommands.parser import subcommand

NAMESPACE = re.compile(r'/?([A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*)?/?')


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    view = subcommand(
        commands, 'view', view_run, 'show a running simulation or a recording in a web page',
        'Show a running simulation or a recording in a web page on this machine: body, angular '
        'velocity, angular momentum and curves. Ctrl-C ends it. Needs the extra "view".',
        epilog='All arguments after --ros-args go to ROS: remappings, such as a namespace.',
    )  # fmt: skip
    view.value(
        'source',
        'BAG_OR_CSV',
        'recording to show; default the running simulation',
        Path,
        nargs='?',
    )
    view.add_page_options()
    view.value('--save', 'FILE.rrd', 'write a Rerun recording instead of a web page', Path)
    view.value('--scenario', 'SCENARIO', 'scenario that describes the body of a CSV file')
    view.value(
        '--namespace', 'NS',
        'show only the spacecraft with this namespace, for example /sat1; may be repeated',
        action='append', default=[],
    )  # fmt: skip
    view.add_network()
    view.add_trust()


def view_run(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Show a run until Ctrl-C; return the exit status."""
    if options.source:
        no_ros(ros_arguments, 'view without a recording')
    check_port(options.port)
    options.namespace = [_namespace(text) for text in options.namespace]
    need_rerun()
    if options.save:
        in_folder(options.save)
    found = scenario.load(scenario_file.find(options.scenario)) if options.scenario else None
    line = ProgressLine()
    with line.saying('loading the viewer'):
        from spacecraft_attitude_sim.viewer.command import view
    line.clear()

    view(options.source, found, ros_arguments, options)
    return 0


def _namespace(text: str) -> str:
    """Return a namespace without / at its ends; CommandError for an invalid one."""
    if not NAMESPACE.fullmatch(text):
        raise CommandError(f'--namespace {quoted(text)} is none of ROS; give one such as /sat1')
    return text.rstrip('/')
