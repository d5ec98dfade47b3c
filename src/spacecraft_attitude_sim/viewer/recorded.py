# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Shows a recorded run: a bag with all its topics, or a table with the attitude."""

from rosbags.rosbag2 import Reader, ReaderError
from rosbags.typesys import Stores, get_typestore

from spacecraft_attitude_sim.files import history
from spacecraft_attitude_sim.files.errors import RecordingError
from spacecraft_attitude_sim.files.scenario import ScenarioError
from spacecraft_attitude_sim.viewer import samples
from spacecraft_attitude_sim.viewer.errors import ViewError
from spacecraft_attitude_sim.viewer.feed import TYPES, Feed

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
    store = get_typestore(Stores.ROS2_KILTED)
    feed = Feed(show)
    try:
        with Reader(path) as reader:
            topics = [connection.topic for connection in reader.connections]
            prefix = history.prefix_of_one_spacecraft(path, topics, namespace)
            wanted = {f'{prefix}{name}': name for name in TYPES}
            for number, (connection, _, data) in enumerate(reader.messages(), 1):
                name = wanted.get(connection.topic)
                if name and connection.msgtype == TYPES[name]:
                    feed.take(name, store.deserialize_cdr(data, connection.msgtype))
                if number % (BATCH * len(wanted)) == 0:
                    feed.flush()
            feed.flush(last=True)
    except (ReaderError, OSError, ScenarioError) as error:
        raise RecordingError(f'{path}: cannot be read: {error}') from None
    if show.scene is None:
        raise RecordingError(f'{path}: holds no instant with its scenario; record all topics')
