# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that several commands share, and the checks of them."""

# Exit status after Ctrl-C: 128 + SIGINT, as in a shell.
INTERRUPTED = 130
FIGURES = ('.png', '.svg', '.pdf')
RERUN = 'rerun-sdk==0.41.*'


class CommandError(ValueError):
    """The command line asks for something impossible; the message says what, and the remedy."""


def no_ros(ros_arguments, command='run'):
    """Raise CommandError where there are --ros-args, which only `command` takes."""
    if ros_arguments:
        raise CommandError(f'--ros-args belongs to attitude-sim {command}')


def check_figure(output):
    """Raise CommandError unless a path ends in .png, .svg or .pdf."""
    if output.suffix not in FIGURES:
        raise CommandError(f"{output}: is no figure's name; end it in .png, .svg or .pdf")


def new_file(output, overwrite):
    """Raise CommandError for a path that exists, unless it may be overwritten; None passes."""
    if output and output.exists() and not overwrite:
        raise CommandError(f'{output}: exists already; name another or give --overwrite')


def check_port(port):
    """Raise CommandError unless this is a TCP port, 1 to 65535."""
    if not 1 <= port <= 65535:
        raise CommandError(f'--port is {port}; give one of 1 to 65535')


def need_rerun():
    """Raise CommandError with the remedy where the library Rerun is not installed."""
    import importlib.util

    if not importlib.util.find_spec('rerun'):
        raise CommandError(
            'the viewer needs Rerun, which is not installed (Python 3.11 or newer): '
            f"pip install '{RERUN}'"
        )


def add_namespace(parser):
    """Add the option --namespace to a parser."""
    parser.add_argument(
        '--namespace',
        metavar='NS',
        help='that of the spacecraft, where a bag holds several: /sat1',
    )


def add_lifecycle(parser):
    """Add the option --lifecycle to a parser."""
    parser.add_argument(
        '--lifecycle', action='store_true',
        help='start the simulator as a managed node, unconfigured: configure and activate it, as '
        'ros2 lifecycle set /simulator configure',
    )  # fmt: skip


def need_lifecycle():
    """Raise CommandError with the remedy where this rclpy has no managed nodes."""
    try:
        import rclpy.lifecycle  # noqa: F401
    except (ImportError, AttributeError) as error:
        raise CommandError(
            f'--lifecycle needs managed nodes, which this rclpy lacks ({error}); on a full '
            'installation of ROS 2 it has them, else leave --lifecycle out'
        ) from None


def add_network(parser):
    """Add the option --network to a parser."""
    parser.add_argument(
        '--network', action='store_true',
        help='let other machines subscribe and command; default only this one (docs/security.md)',
    )  # fmt: skip


def add_trust(parser):
    """Add the option --trust to a parser."""
    parser.add_argument(
        '--trust', action='append', default=[], metavar='MODULE',
        help='let a scenario or bag import this Python module and its submodules, for a surface '
        'or floor that is a function of your own (docs/trust.md); may be repeated',
    )  # fmt: skip


def add_page_options(parser):
    """Add the options of the web page to a parser."""
    parser.add_argument(
        '--port',
        type=int,
        default=9090,
        metavar='N',
        help='TCP port of the page; default %(default)s',
    )
    parser.add_argument(
        '--no-browser', action='store_true', help='print the address of the page, open no browser'
    )
    parser.add_argument(
        '--memory-limit', default='512MB', metavar='SIZE',
        help='most data kept for the page, the oldest dropped first; default %(default)s',
    )  # fmt: skip
