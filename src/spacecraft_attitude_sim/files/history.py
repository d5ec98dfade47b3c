# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The history of a run as a table: CSV files written and read, bags read."""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core import analysis, loads, rotations, ticks
from spacecraft_attitude_sim.core.state import State
from spacecraft_attitude_sim.files import scenario
from spacecraft_attitude_sim.files.errors import RecordingError

COLUMNS = (
    't [s]',
    'yaw [rad]', 'pitch [rad]', 'roll [rad]',
    'omega_x [rad/s]', 'omega_y [rad/s]', 'omega_z [rad/s]',
    'alpha_x [rad/s^2]', 'alpha_y [rad/s^2]', 'alpha_z [rad/s^2]',
    'L_x [N m s]', 'L_y [N m s]', 'L_z [N m s]',
)  # fmt: skip


class History(NamedTuple):
    """Rows of one instant each; vectors in body axes.

    time: (n,) [s];  euler_zyx: (n, 3) yaw, pitch, roll [rad], intrinsic Z-Y-X
    angular_velocity_B, angular_acceleration_B, angular_momentum_B: (n, 3) [rad/s, rad/s^2, N m s]
    """

    time: np.ndarray
    euler_zyx: np.ndarray
    angular_velocity_B: np.ndarray
    angular_acceleration_B: np.ndarray
    angular_momentum_B: np.ndarray

    def flips(self):
        """Return the times at which the body turned over [s]."""
        axis = analysis.spin_axis(self.angular_momentum_B[0])
        return analysis.flip_times(self.time, self.angular_momentum_B @ axis)


def row(body, time, state, wrench):
    """Return the thirteen numbers of COLUMNS, all of the instant `time` [s].

    wrench: (12,) of core.loads that acts at that instant
    """
    _, torque_B = loads.wrench_on_body(wrench, state.q_WB)
    return (
        time,
        *rotations.euler_zyx_from_quaternion(state.q_WB),
        *body.angular_velocity_B(state),
        *body.angular_acceleration_B(state, torque_B),
        *body.angular_momentum_B(state),
    )


class CsvWriter:
    """Writes COLUMNS to a CSV file, every number with all its digits."""

    def __init__(self, path):
        """Create the file; OSError where that is not possible."""
        self._file = Path(path).open('w', newline='', encoding='utf-8')  # noqa: SIM115
        self._csv = csv.writer(self._file)
        self._csv.writerow(COLUMNS)

    def write(self, values):
        """Write one row."""
        self._csv.writerow([repr(float(value)) for value in values])

    def close(self):
        """Write what is left and close the file."""
        self._file.close()


def read(path):
    """Return (History, Scenario) of a bag, or (History, None) of a CSV file.

    Raises RecordingError saying what is wrong with the file.
    """
    path = Path(path)
    if not path.exists():
        raise RecordingError(f'{path}: no such bag or CSV file')
    table, found = _read_bag(path) if path.is_dir() else (_read_csv(path), None)
    if len(table) < 2:
        raise RecordingError(f'{path}: holds {len(table)} instants; a history needs two')
    return History(table[:, 0], *np.hsplit(table[:, 1:], 4)), found


def _read_csv(path):
    try:
        with path.open(newline='', encoding='utf-8') as file:
            rows = csv.reader(file)
            if tuple(next(rows, ())) != COLUMNS:
                raise RecordingError(f'{path}: is not a CSV of attitude-sim run --csv')
            return np.array([[float(value) for value in values] for values in rows])
    except (OSError, ValueError) as error:
        raise RecordingError(f'{path}: cannot be read: {error}') from None


def _read_bag(path):
    from rosbags.rosbag2 import Reader, ReaderError
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_KILTED)
    odometry, momentum_W, wrenches, found = {}, {}, {}, None
    try:
        with Reader(path) as reader:
            kinds = _topics_of_one_spacecraft(path, [c.topic for c in reader.connections])
            for connection, _, data in reader.messages():
                kind = kinds.get(connection.topic)
                if kind is None:
                    continue
                message = store.deserialize_cdr(data, connection.msgtype)
                if kind == 'odometry':
                    odometry[_tick(message)] = message
                elif kind == 'angular_momentum':
                    momentum_W[_tick(message)] = message.vector
                elif kind == 'inputs':
                    wrenches[int(message.data[0])] = np.array(message.data[3:15])
                else:
                    found = scenario.parse(message.data, f'{path}: topic scenario')
    except (ReaderError, OSError, scenario.ScenarioError) as error:
        raise RecordingError(f'{path}: cannot be read: {error}') from None
    if found is None:
        raise RecordingError(f'{path}: holds no topic scenario; record all topics')
    body = found.plant.body
    rows = [
        _bag_row(body, tick, odometry[tick], momentum_W[tick], wrenches.get(tick, loads.FREE))
        for tick in sorted(odometry.keys() & momentum_W.keys())
    ]
    return np.array(rows), found


def _topics_of_one_spacecraft(path, topics):
    """Return {topic: what it is} of the one spacecraft in a bag."""
    truth = 'ground_truth/odometry'
    prefixes = [topic.removesuffix(truth) for topic in topics if topic.endswith(f'/{truth}')]
    if len(prefixes) != 1:
        raise RecordingError(
            f'{path}: holds {len(prefixes)} topics {truth}; record all topics of one spacecraft'
        )
    (prefix,) = prefixes
    kinds = {
        f'{prefix}ground_truth/{kind}': kind for kind in ('odometry', 'angular_momentum', 'inputs')
    }
    return kinds | {f'{prefix}scenario': 'scenario'}


def _tick(message):
    """Return the tick a message is stamped with; the bag's own time may be wall time."""
    stamp = message.header.stamp.sec * 1_000_000_000 + message.header.stamp.nanosec
    return stamp // ticks.TICK_NS


def _bag_row(body, tick, odometry, momentum_W, wrench):
    q = odometry.pose.pose.orientation
    state = State(
        np.zeros(3),
        np.array((q.w, q.x, q.y, q.z)),
        np.zeros(3),
        np.array((momentum_W.x, momentum_W.y, momentum_W.z)),
    )
    return row(body, ticks.seconds(tick), state, wrench)
