# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The work of `attitude-sim view`: show a recording or the running simulation until Ctrl-C."""

from __future__ import annotations

import signal
import threading
import webbrowser
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.drawing import figures
from spacecraft_attitude_sim.progress import ProgressLine
from spacecraft_attitude_sim.recording import bag_reader
from spacecraft_attitude_sim.safety import system
from spacecraft_attitude_sim.viewer.errors import ViewError
from spacecraft_attitude_sim.viewer.rerun_session import RerunSession

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    from spacecraft_attitude_sim.configuration.scenario import Scenario


# A viewer next to a simulation only uses spare processor time.
NICENESS = 10


def view(
    source: Path | None,
    found: Scenario | None,
    ros_arguments: Sequence[str],
    page: argparse.Namespace,
) -> None:
    """Show a recording or the running simulation until SIGINT or SIGTERM.

    source: path of a bag or table, None for the running simulation
    found: Scenario of a table's body, or None;  ros_arguments: [str] beginning with --ros-args
    page: options port, memory_limit, save (a file instead of a page), no_browser and namespace (a
        list, empty for every spacecraft)
    Raises RecordingError, ViewError.
    """
    if source is None:
        system.yield_to_others(NICENESS)
    elif not source.exists():
        raise ViewError(f'{source}: no such bag or CSV file')
    session = RerunSession(source is None, page.port, page.memory_limit, page.save)
    try:
        if source is None:
            _live(session, ros_arguments, page)
            return
        line = ProgressLine()
        with line.saying(f'reading {source}'):
            _recorded(source, found, session, page.namespace)
        line.clear()
        if page.save:
            print(page.save)
        else:
            _announce(session, page, str(source))
            _wait_for_signal()
    finally:
        session.close()


def _live(session: RerunSession, ros_arguments: Sequence[str], page: argparse.Namespace) -> None:
    from spacecraft_attitude_sim.viewer.live import show_live

    def ready() -> None:
        if page.save:
            print(f'recording to {page.save}; Ctrl-C ends it', flush=True)
        else:
            _announce(session, page, 'the running simulation')

    show_live(session, ros_arguments, page.namespace, ready)


def _recorded(
    source: Path, found: Scenario | None, session: RerunSession, namespaces: Sequence[str]
) -> None:
    from spacecraft_attitude_sim.viewer import recorded

    if bag_reader.is_bag(source):
        recorded.show_bag(source, session, namespaces)
    else:
        recorded.show_table(source, found, session)


def _announce(session: RerunSession, page: argparse.Namespace, what: str) -> None:
    print(f'{what}: open {session.url} in a browser; Ctrl-C ends it', flush=True)
    if not page.no_browser and not figures.display_missing():
        webbrowser.open(session.url)


def _wait_for_signal() -> None:
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    while not ended.wait(1.0):
        pass
