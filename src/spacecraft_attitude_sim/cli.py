# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The command `attitude-sim`; what it can do is in subcommands/, a module for each."""

import os
import sys

from spacecraft_attitude_sim import __version__
from spacecraft_attitude_sim.files import discovery, trust
from spacecraft_attitude_sim.files.errors import CampaignError, RecordingError
from spacecraft_attitude_sim.files.parameters import ParameterError
from spacecraft_attitude_sim.files.scenario import ScenarioError
from spacecraft_attitude_sim.subcommands import (
    campaign,
    check,
    compare,
    node,
    plot,
    replay,
    run,
    scenarios,
    view,
)
from spacecraft_attitude_sim.subcommands.checks import INTERRUPTED, CommandError
from spacecraft_attitude_sim.subcommands.parser import Parser
from spacecraft_attitude_sim.viewer.errors import ViewError

SUBCOMMANDS = (run, plot, view, replay, compare, campaign, scenarios, check, node)
ROS_REMEDY = (
    "source a ROS 2 installation, or in the checkout pip install -c constraints.txt '.[ros]'"
)
REMEDIES = {
    'rosbags': 'pip install rosbags',
    'matplotlib': 'pip install matplotlib',
    'pyarrow': "in the checkout pip install -c constraints.txt '.[campaign]'",
    'distributed': "in the checkout pip install -c constraints.txt '.[campaign]'",
} | dict.fromkeys(
    (
        'rclpy', 'rcl_interfaces', 'builtin_interfaces', 'diagnostic_msgs', 'geometry_msgs',
        'nav_msgs', 'rosgraph_msgs', 'sensor_msgs', 'std_msgs', 'std_srvs', 'visualization_msgs',
    ),
    ROS_REMEDY,
)  # fmt: skip


def main(arguments=None):
    """Run the command; exit with 0 when it did what was asked, 2 for wrong input."""
    arguments = sys.argv[1:] if arguments is None else arguments
    own, ros_arguments = _split_ros_arguments(arguments)
    options = _parser().parse_args(own)
    try:
        os.environ.update(discovery.settings(getattr(options, 'network', False), os.environ))
        trust.give(getattr(options, 'trust', []))
        sys.exit(options.command(options, ros_arguments))
    except (
        CampaignError,
        CommandError,
        discovery.DiscoveryError,
        ParameterError,
        RecordingError,
        ScenarioError,
        ViewError,
    ) as error:
        _fail(error)
    except ModuleNotFoundError as error:
        remedy = REMEDIES.get((error.name or '').partition('.')[0])
        if not remedy:
            raise
        _fail(f'this needs {error.name}, which is not installed: {remedy}')
    except OSError as error:
        _fail(f'{error.filename}: {error.strerror}' if error.filename else error)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _fail(error):
    print(f'attitude-sim: {error}', file=sys.stderr)
    sys.exit(2)


def _split_ros_arguments(arguments):
    """Return what stands before --ros-args, and the rest with it."""
    if '--ros-args' not in arguments:
        return arguments, []
    place = arguments.index('--ros-args')
    return arguments[:place], arguments[place:]


def _parser():
    parser = Parser(
        prog='attitude-sim',
        description='Simulate the attitude of a spacecraft in ROS 2.',
        epilog='SCENARIO is the name of a shipped scenario or the path of a ROS parameter file.',
    )
    parser.add_argument('--version', action='version', version=__version__)
    commands = parser.add_subparsers(metavar='COMMAND', required=True)
    for subcommand in SUBCOMMANDS:
        subcommand.add(commands)
    return parser


if __name__ == '__main__':
    main()
