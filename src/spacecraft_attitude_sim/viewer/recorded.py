# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Shows a recorded run: a bag with all its topics, or a table with the attitude."""

from spacecraft_attitude_sim.configuration.scenario import ScenarioError
from spacecraft_attitude_sim.recording import bag_reader, history
from spacecraft_attitude_sim.recording.errors import RecordingError
from spacecraft_attitude_sim.viewer import samples
from spacecraft_attitude_sim.viewer.assembler import TYPES, Feed
from spacecraft_attitude_sim.viewer.errors import ViewError

# Instants sent at a time.
BATCH = 1024


def show_table(path, found, show):
    """Show a CSV file of `run --csv`; found: the Scenario of its body.

    Raises RecordingError, ViewError.
    """
    table, _ = history.read(path)
    if found is None:
        raise ViewError(f'{path}: does not say what body it is; give --scenario')
    show.begin(found)
    show.add(samples.from_history(table))


def show_bag(path, show, namespace=None):
    """Show a bag.

    namespace: of the spacecraft, where a bag holds several
    Raises RecordingError saying what is wrong with it.
    """
    feed = Feed(show)
    with bag_reader.opened(path) as found:
        topics = [connection.topic for connection in found.connections]
        prefix = history.prefix_of_one_spacecraft(path, topics, namespace)
        wanted = {f'{prefix}{name}': name for name in TYPES}
        for number, (connection, stamp, data) in enumerate(found.messages(), 1):
            if name := wanted.get(connection.topic):
                message = found.decoded(connection, stamp, data, TYPES[name])
                if name == 'ground_truth/inputs':
                    history.checked_inputs(path, message.data)
                try:
                    feed.take(name, message)
                except ScenarioError as error:
                    raise RecordingError(f'{path}: {error}') from None
                except ValueError as error:
                    raise RecordingError(f'{path}: a message of topic {name} {error}') from None
            if number % (BATCH * len(wanted)) == 0:
                feed.flush()
        feed.flush(last=True)
    if show.scene is None:
        raise RecordingError(f'{path}: holds no instant with its scenario; record all topics')
