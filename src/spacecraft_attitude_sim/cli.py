# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The command `attitude-sim`: run, plot, view, replay, compare, campaign, scenarios, node."""

import argparse
import sys

from spacecraft_attitude_sim import __version__
from spacecraft_attitude_sim.files import trust
from spacecraft_attitude_sim.files.errors import CampaignError, RecordingError
from spacecraft_attitude_sim.files.parameters import ParameterError
from spacecraft_attitude_sim.files.scenario import ScenarioError
from spacecraft_attitude_sim.subcommands import (
    campaign,
    compare,
    node,
    plot,
    replay,
    run,
    scenarios,
    view,
)
from spacecraft_attitude_sim.subcommands.checks import INTERRUPTED, CommandError
from spacecraft_attitude_sim.viewer.errors import ViewError

SUBCOMMANDS = (run, plot, view, replay, compare, campaign, scenarios, node)


def main(arguments=None):
    """Run the command; exit with 0 when it did what was asked, 2 for wrong input."""
    arguments = sys.argv[1:] if arguments is None else arguments
    own, ros_arguments = _split_ros_arguments(arguments)
    options = _parser().parse_args(own)
    try:
        trust.give(getattr(options, 'trust', []))
        sys.exit(options.command(options, ros_arguments))
    except (
        CampaignError,
        CommandError,
        ParameterError,
        RecordingError,
        ScenarioError,
        ViewError,
    ) as error:
        _fail(error)
    except ModuleNotFoundError as error:
        if error.name not in ('rosbags', 'matplotlib', 'rclpy', 'pyarrow', 'distributed'):
            raise
        _fail(f'this needs {error.name}, which is not installed: {_remedy(error.name)}')
    except OSError as error:
        _fail(f'{error.filename}: {error.strerror}' if error.filename else error)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _remedy(module):
    """Return how to install a module; rclpy is in no registry by its own name."""
    if module != 'rclpy':
        return f'pip install {module}'
    return "source a ROS 2 installation, or, in this package's source folder: pip install '.[ros]'"


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
    parser = argparse.ArgumentParser(
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
