# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Show a recorded run: a bag with all its topics, or a CSV file with the attitude."""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.recording import history, reader
from spacecraft_attitude_sim.recording.errors import RecordingError
from spacecraft_attitude_sim.viewer import samples
from spacecraft_attitude_sim.viewer.assembler import SHOWN, MessageAssembler
from spacecraft_attitude_sim.viewer.errors import ViewError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path
    from typing import Any

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.viewer.rerun_session import Craft, RerunSession


# Instants sent to the page at a time.
BATCH = 1024


def show_table(path: Path, found: Scenario | None, session: RerunSession) -> None:
    """Show a CSV file of `run --csv`; found: the Scenario of its body.

    Raises RecordingError, ViewError.
    """
    table, _ = history.read(path)
    if found is None:
        raise ViewError(f'{path}: has no scenario; give --scenario')
    craft = session.craft()
    craft.begin(found)
    craft.add(samples.from_history(table))


def show_bag(path: Path, session: RerunSession, namespaces: Sequence[str] = ()) -> None:
    """Show a bag.

    namespaces: of the spacecraft to show, if the bag holds several; empty for all
    Raises RecordingError that says what is wrong with the bag.
    """
    crafts: dict[str | None, Craft]
    chosen = namespaces or reader.namespaces(path)
    if len(chosen) > 1:
        session.expect(chosen)
        crafts = {name: session.craft(name) for name in chosen}
    else:
        crafts = {next(iter(namespaces), None): session.craft()}
    assemblers = {name: MessageAssembler(craft) for name, craft in crafts.items()}
    every, count = list(assemblers.values()), itertools.count(1)

    def taker(messages: MessageAssembler) -> Callable[[str, Any, bytes], None]:
        def take(topic: str, message: Any, data: bytes) -> None:
            messages.take(topic, message)
            if next(count) % (BATCH * len(SHOWN) * len(every)) == 0:
                _flush(every)

        return take

    reader.read_several(path, {name: taker(one) for name, one in assemblers.items()}, SHOWN)
    _flush(every, last=True)
    missing = [name for name, craft in crafts.items() if craft.scene is None]
    if len(missing) == len(crafts):
        raise RecordingError(f'{path}: holds no instant with its scenario; record all topics')
    for name in missing:
        print(
            f'attitude-sim: {path}: holds no instant of {name} with its scenario; it is not shown',
            file=sys.stderr,
        )


def _flush(assemblers: Iterable[MessageAssembler], last: bool = False) -> None:
    for messages in assemblers:
        messages.flush(last)
