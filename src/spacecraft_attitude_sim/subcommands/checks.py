# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What several commands ask of their arguments."""

# How a command ends that Ctrl-C ended.
INTERRUPTED = 130
FIGURES = ('.png', '.svg', '.pdf')
RERUN = 'rerun-sdk==0.41.*'


class CommandError(ValueError):
    """The command line asks for something impossible; the text says what, and the remedy."""


def no_ros(ros_arguments, command='run'):
    """Refuse arguments that are for ROS."""
    if ros_arguments:
        raise CommandError(f'--ros-args belongs to attitude-sim {command}')


def check_figure(output):
    """Refuse a name that no figure can have."""
    if output.suffix not in FIGURES:
        raise CommandError(f"{output}: is no figure's name; end it in .png, .svg or .pdf")


def new_file(output, overwrite):
    """Refuse to write what is there already."""
    if output and output.exists() and not overwrite:
        raise CommandError(f'{output}: exists already; name another or give --overwrite')


def check_port(port):
    """Refuse what is no port."""
    if not 1 <= port <= 65535:
        raise CommandError(f'--port is {port}; give one of 1 to 65535')


def need_rerun():
    """Say so if the viewer is not installed."""
    import importlib.util

    if not importlib.util.find_spec('rerun'):
        raise CommandError(
            'the viewer needs Rerun, which is not installed (Python 3.11 or newer): '
            f"pip install '{RERUN}'"
        )


def add_namespace(parser):
    """Describe to argparse the choice of a spacecraft."""
    parser.add_argument(
        '--namespace', metavar='NS', help='of the spacecraft, where a bag holds several, as /sat1'
    )


def add_network(parser):
    """Describe to argparse who may hear and command."""
    parser.add_argument(
        '--network', action='store_true',
        help='let other machines hear and command; default only this one (docs/security.md)',
    )  # fmt: skip


def add_trust(parser):
    """Describe to argparse the option for a scenario's own functions."""
    parser.add_argument(
        '--trust', action='append', default=[], metavar='MODULE',
        help='let a scenario or bag import this Python module, and those below it, for a surface '
        'or floor that is a function of your own; may be repeated',
    )  # fmt: skip


def add_page_options(parser):
    """Describe the options of the web page to argparse."""
    parser.add_argument(
        '--port', type=int, default=9090, metavar='N', help='of the page; default %(default)s'
    )
    parser.add_argument(
        '--no-browser', action='store_true', help='say where the page is, do not open it'
    )
    parser.add_argument(
        '--memory-limit', default='512MB', metavar='SIZE',
        help='of the data kept for the page; then the oldest goes; default %(default)s',
    )  # fmt: skip
