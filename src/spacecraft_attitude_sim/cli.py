# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The command `attitude-sim`; each subcommand has a module in subcommands/."""

from __future__ import annotations

import errno
import importlib
import os
import platform
import select
import sys
from collections.abc import Sequence
from typing import NoReturn

from spacecraft_attitude_sim import __version__
from spacecraft_attitude_sim.configuration import discovery, trust
from spacecraft_attitude_sim.configuration.parameters import ParameterError
from spacecraft_attitude_sim.configuration.scenario_file import ScenarioError
from spacecraft_attitude_sim.recording.errors import CampaignError, RecordingError
from spacecraft_attitude_sim.subcommands.checks import INTERRUPTED, CommandError
from spacecraft_attitude_sim.subcommands.parser import Parser
from spacecraft_attitude_sim.viewer.errors import ViewError

SUBCOMMANDS = (
    'run', 'plot', 'view', 'replay', 'compare', 'campaign', 'examine', 'scenarios', 'check',
    'design', 'access', 'convert', 'ccsds', 'fmu', 'smooth', 'warm-up', 'node',
)  # fmt: skip
# There are Python packages of ROS 2 for one system; setup.py says the same.
ROS_REMEDY = (
    "source a ROS 2 installation, or in the checkout pip install -c constraints.txt '.[ros]'"
    if (sys.platform, platform.machine()) == ('linux', 'x86_64')
    else 'pip has ROS 2 for Linux on x86-64 alone; source a ROS 2 installation, or fly without: '
    'sas.simulate in Python, attitude-sim campaign, attitude-sim fmu'
)
REMEDIES = {
    'rosbags': 'pip install rosbags, where the system manages Python with --break-system-packages',
    'erfa': 'apt install python3-erfa, or pip install pyerfa',
    'sgp4': 'apt install python3-sgp4, or pip install sgp4',
    'control': "in the checkout pip install -c constraints.txt '.[design]'",
    'pythonfmu3': "in the checkout pip install -c constraints.txt '.[fmi]'",
    'spiceypy': "in the checkout pip install -c constraints.txt '.[spice]'",
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
# Exit status of a command whose reader has ended, as for cat.
READER_GONE = 128 + 13
# If this variable is set, errors of libraries are shown with their traceback.
DEBUG = 'ATTITUDE_SIM_DEBUG'
# Libraries that read files; the files may be damaged.
READERS = (
    'rosbags', 'ruamel', '_ruamel_yaml', 'yaml', 'trimesh', 'pyarrow', 'lz4', 'backports', 'PIL',
    'json',
)  # fmt: skip
LONGEST_MESSAGE = 2000


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; exit with 0 for success and 2 for wrong input.

    Without a command it prints its help and exits with 2.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    own, ros_arguments = _split_ros_arguments(arguments)
    parser = _parser(own[:1])
    if not own:
        parser.print_help()
        sys.exit(2)
    options = parser.parse_args(own)
    try:
        os.environ.update(discovery.settings(getattr(options, 'network', False), os.environ))
        trust.give(getattr(options, 'trust', []))
        status = options.command(options, ros_arguments)
        sys.stdout.flush()
        sys.exit(status)
    except BrokenPipeError as error:
        if not _reader_gone():
            _fail(_of_system(error))
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(READER_GONE)
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
        name = (error.name or '').partition('.')[0]
        remedy = REMEDIES.get(name)
        if not remedy:
            raise
        _fail(f'this needs {name}, which is not installed: {remedy}')
    except OSError as error:
        _fail(_of_system(error))
    except MemoryError:
        _fail('memory is used up; give a shorter run or a smaller file')
    except KeyboardInterrupt:
        print('attitude-sim: interrupted', file=sys.stderr)
        sys.exit(INTERRUPTED)
    except Exception as error:
        library = _library_of(error)
        if library is None or os.environ.get(DEBUG):
            raise
        _fail(f'{library} failed: {type(error).__name__}: {error} ({DEBUG}=1 shows where)')


def _fail(error: object) -> NoReturn:
    """Print an error on one line and end."""
    text = ' '.join(str(error).split())
    if len(text) > LONGEST_MESSAGE:
        text = f'{text[: LONGEST_MESSAGE // 2]} … {text[-LONGEST_MESSAGE // 2 :]}'
    print(f'attitude-sim: {text}', file=sys.stderr)
    sys.exit(2)


def _reader_gone() -> bool:
    """Return whether the reader of our output has ended, as `| head` does."""
    if sys.platform == 'win32':  # it can ask no pipe; nothing else of ours goes into one
        return True
    poll = select.poll()
    poll.register(sys.stdout.fileno(), select.POLLOUT)
    return any(events & (select.POLLERR | select.POLLHUP) for _, events in poll.poll(0))


def _of_system(error: OSError) -> object:
    """Return the text of an operating system error."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        named = f'{error.filename}: ' if error.filename else ''
        return f'{named}{error.strerror}: what was being written is not whole; free some space'
    return f'{error.filename}: {error.strerror}' if error.filename else error


def _library_of(error: BaseException) -> str | None:
    """Return the name of the file-reading library that raised an error, or None.

    It is a last resort; errors in our own code show their traceback.
    """
    place = error.__traceback__
    assert place
    while place.tb_next:
        place = place.tb_next
    package = place.tb_frame.f_globals.get('__name__', '').partition('.')[0]
    return package if package in READERS else None


def _split_ros_arguments(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the arguments before --ros-args, and the rest including it."""
    if '--ros-args' not in arguments:
        return [*arguments], []
    place = arguments.index('--ros-args')
    return [*arguments[:place]], [*arguments[place:]]


def _parser(wanted: Sequence[str] = ()) -> Parser:
    """Return the parser; with only the wanted command it takes 0.4 ms instead of 8 ms."""
    parser = Parser(
        prog='attitude-sim',
        description='Simulate the attitude of a spacecraft in ROS 2.',
        epilog='SCENARIO is the name of a shipped scenario or the path of a ROS parameter file.',
    )
    parser.add_argument('--version', action='version', version=__version__)
    commands = parser.add_subparsers(metavar='COMMAND', required=True)
    for name in [name for name in wanted if name in SUBCOMMANDS] or SUBCOMMANDS:
        module = name.replace('-', '_')
        importlib.import_module(f'spacecraft_attitude_sim.subcommands.{module}').add(commands)
    return parser


if __name__ == '__main__':
    main()
