# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from spacecraft_attitude_sim.safety import interrupts
from spacecraft_attitude_sim.safety.quoting import OneLineError

INTERRUPTED = interrupts.STATUS
# Exit status of a run whose duration ended before its `--until` condition held.
NOT_MET = 3
FIGURES = ('.png', '.svg', '.pdf')
RERUN = 'rerun-sdk==0.41.*'


class CommandError(OneLineError):
    """The command line is wrong; the message gives the reason and the remedy."""


def no_ros(ros_arguments: Sequence[str], command: str = 'run') -> None:
    """Raise CommandError if there are --ros-args, which only `command` accepts."""
    if ros_arguments:
        raise CommandError(f'--ros-args belongs to attitude-sim {command}')


def check_figure(output: Path) -> None:
    """Raise CommandError unless a path ends in .png, .svg or .pdf."""
    if output.suffix not in FIGURES:
        raise CommandError(f"{output}: is no figure's name; end it in .png, .svg or .pdf")


def in_folder(output: Path) -> Path:
    """Return the path of an output file; make its folder if necessary.

    Raises CommandError if it is a folder itself.
    """
    no_folder(output)
    output.parent.mkdir(parents=True, exist_ok=True)
    return output


def no_folder(output: Path) -> None:
    """Raise CommandError if the path of an output file is a folder."""
    if output.is_dir():
        raise CommandError(f'{output}: is a folder; give a file')


def new_file(output: Path | None, overwrite: bool) -> None:
    """Raise CommandError if a path exists and may not be overwritten; None is accepted."""
    if output and output.exists() and not overwrite:
        raise CommandError(f'{output}: exists already; name another or give --overwrite')


def check_port(port: int) -> None:
    """Raise CommandError unless this is a TCP port, 1 to 65535."""
    if not 1 <= port <= 65535:
        raise CommandError(f'--port is {port}; give one of 1 to 65535')


def need_rerun() -> None:
    """Raise CommandError with the remedy if the library Rerun is not installed."""
    import importlib.util

    if not importlib.util.find_spec('rerun'):
        raise CommandError(
            'the viewer needs Rerun, which is not installed (Python 3.11 or newer): '
            f"pip install '{RERUN}'"
        )


def need_lifecycle() -> None:
    """Raise CommandError with the remedy if this rclpy has no managed nodes."""
    try:
        import rclpy.lifecycle  # noqa: F401
    except (ImportError, AttributeError) as error:
        raise CommandError(
            f'--lifecycle needs managed nodes, which this rclpy lacks ({error}); on a full '
            'installation of ROS 2 it has them, else leave --lifecycle out'
        ) from None
