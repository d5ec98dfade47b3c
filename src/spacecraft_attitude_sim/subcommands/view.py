# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim view`: show a run in a web page, live or recorded."""

from pathlib import Path

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.subcommands.checks import check_port, need_rerun, no_ros
from spacecraft_attitude_sim.subcommands.parser import subcommand


def add(commands):
    """Add the command to the subparsers of `attitude-sim`."""
    view = subcommand(
        commands, 'view', view_run, 'show a run in a web page, live or recorded',
        'Show body, angular velocity and angular momentum in a web page on this '
        'machine, of the running simulation or a recording. Ctrl-C ends it. Needs the extra '
        '"view".',
        epilog='Whatever follows --ros-args goes to ROS: remappings, such as a namespace.',
    )  # fmt: skip
    view.value(
        'source', 'BAG_OR_CSV', 'recording; default the running simulation', Path, nargs='?'
    )
    view.add_page_options()
    view.value('--save', 'FILE.rrd', 'write a Rerun recording, serve no page', Path)
    view.value('--scenario', 'SCENARIO', 'scenario of the body of a CSV file')
    view.add_namespace()
    view.add_network()
    view.add_trust()


def view_run(options, ros_arguments):
    """Show until Ctrl-C; return the exit status."""
    if options.source:
        no_ros(ros_arguments, 'view without a recording')
    check_port(options.port)
    need_rerun()
    found = scenario.load(scenario.find(options.scenario)) if options.scenario else None
    from spacecraft_attitude_sim.viewer.command import view

    view(options.source, found, ros_arguments, options)
    return 0
