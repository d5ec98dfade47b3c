# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Shows a recorded run: a bag with all its topics, or a CSV file with the attitude."""

import itertools

from spacecraft_attitude_sim.recording import history, reader
from spacecraft_attitude_sim.recording.errors import RecordingError
from spacecraft_attitude_sim.viewer import samples
from spacecraft_attitude_sim.viewer.assembler import SHOWN, MessageAssembler
from spacecraft_attitude_sim.viewer.errors import ViewError

# Instants sent to the page at a time.
BATCH = 1024


def show_table(path, found, session):
    """Show a CSV file of `run --csv`; found: the Scenario of its body.

    Raises RecordingError, ViewError.
    """
    table, _ = history.read(path)
    if found is None:
        raise ViewError(f'{path}: does not say what body it is; give --scenario')
    session.begin(found)
    session.add(samples.from_history(table))


def show_bag(path, session, namespace=None):
    """Show a bag.

    namespace: of the spacecraft, where a bag holds several
    Raises RecordingError saying what is wrong with it.
    """
    messages, count = MessageAssembler(session), itertools.count(1)

    def take(topic, message, data):
        messages.take(topic, message)
        if next(count) % (BATCH * len(SHOWN)) == 0:
            messages.flush()

    reader.read(path, take, SHOWN, namespace)
    messages.flush(last=True)
    if session.scene is None:
        raise RecordingError(f'{path}: holds no instant with its scenario; record all topics')
