# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The history of a run as a table: CSV files written and read, bags read."""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core import analysis, loads, rotations, ticks
from spacecraft_attitude_sim.core.state import State
from spacecraft_attitude_sim.files import contact_history, scenario
from spacecraft_attitude_sim.files.contact_history import ContactHistory
from spacecraft_attitude_sim.files.errors import RecordingError

COLUMNS = (
    't [s]',
    'yaw [rad]', 'pitch [rad]', 'roll [rad]',
    'omega_x [rad/s]', 'omega_y [rad/s]', 'omega_z [rad/s]',
    'alpha_x [rad/s^2]', 'alpha_y [rad/s^2]', 'alpha_z [rad/s^2]',
    'L_x [N m s]', 'L_y [N m s]', 'L_z [N m s]',
)  # fmt: skip
# Of a row of core.simulation.trajectory.
STATE_COLUMNS = (
    'x [m]', 'y [m]', 'z [m]',
    'q_w', 'q_x', 'q_y', 'q_z',
    'p_x [N s]', 'p_y [N s]', 'p_z [N s]',
    'L_x [N m s]', 'L_y [N m s]', 'L_z [N m s]',
)  # fmt: skip
# Where a ground_truth/inputs message has what; see nodes.messages.INPUTS_LABEL.
GIVEN, REVISION, WRENCH, ELAPSED = 1, 3, slice(4, 16), 22


class History(NamedTuple):
    """Rows of one instant each; vectors in body axes.

    time: (n,) [s];  euler_zyx: (n, 3) yaw, pitch, roll [rad], intrinsic Z-Y-X
    angular_velocity_B, angular_acceleration_B, angular_momentum_B: (n, 3) [rad/s, rad/s^2, N m s]
    contact: ContactHistory of a run on a floor, else None
    """

    time: np.ndarray
    euler_zyx: np.ndarray
    angular_velocity_B: np.ndarray
    angular_acceleration_B: np.ndarray
    angular_momentum_B: np.ndarray
    contact: ContactHistory | None = None

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
    """Writes COLUMNS to a CSV file, and on a floor those of contact_history, with all digits."""

    def __init__(self, path, on_floor=False):
        """Create the file; OSError where that is not possible."""
        self._file = Path(path).open('w', newline='', encoding='utf-8')  # noqa: SIM115
        self._csv = csv.writer(self._file)
        self._csv.writerow(COLUMNS + (contact_history.COLUMNS if on_floor else ()))

    def write(self, values):
        """Write one row."""
        self._csv.writerow([repr(float(value)) for value in values])

    def close(self):
        """Write what is left and close the file."""
        self._file.close()


def read(path, namespace=None):
    """Return (History, Scenario) of a bag, or (History, None) of a CSV file.

    namespace: of the spacecraft, where a bag holds several
    Raises RecordingError saying what is wrong with the file.
    """
    path = Path(path)
    if not path.exists():
        raise RecordingError(f'{path}: no such bag or CSV file')
    if path.is_dir():
        table, found, floors = _read_bag(path, namespace)
    else:
        table, found, floors = _read_csv(path), None, ()
    if len(table) < 2:
        raise RecordingError(f'{path}: holds {len(table)} instants; a history needs two')
    free, touching = table[:, : len(COLUMNS)], table[:, len(COLUMNS) :]
    contact = contact_history.from_table(touching) if touching.size else None
    if floors:
        of_rows, times = zip(*floors, strict=True)
        contact = contact._replace(floors=of_rows, floor_time=np.array(times))
    return History(free[:, 0], *np.hsplit(free[:, 1:], 4), contact), found


def on_floor_of(history, found):
    """Return a History, with the floor of a Scenario (or None) when it knows none itself."""
    contact = history.contact
    if contact is None or contact.floors or not (found and found.plant.contact):
        return history
    return history._replace(contact=contact.on(found.plant.contact.floor, history.time))


def _read_csv(path):
    try:
        with path.open(newline='', encoding='utf-8') as file:
            rows = csv.reader(file)
            if tuple(next(rows, ())) not in (COLUMNS, COLUMNS + contact_history.COLUMNS):
                raise RecordingError(f'{path}: is not a CSV of attitude-sim run --csv')
            return np.array([[float(value) for value in values] for values in rows])
    except (OSError, ValueError) as error:
        raise RecordingError(f'{path}: cannot be read: {error}') from None


class _Heard(NamedTuple):
    """The messages of a bag, by kind and tick; scenarios by revision; inputs as arrays."""

    odometry: dict
    angular_momentum: dict
    inputs: dict
    point: dict
    wrench: dict
    scenarios: dict


def _read_bag(path, namespace):
    """Return the rows of a bag, its last Scenario, and [(floor, its time)] of the rows on one."""
    heard = _heard(path, namespace)
    if not heard.scenarios:
        raise RecordingError(f'{path}: holds no topic scenario; record all topics')
    found = heard.scenarios[max(heard.scenarios)]
    instants = heard.odometry.keys() & heard.angular_momentum.keys()
    if not found.plant.contact:
        return (
            np.array([_bag_row(found.plant.body, heard, k) for k in sorted(instants)]),
            found,
            (),
        )
    instants &= heard.inputs.keys() & heard.point.keys() & heard.wrench.keys()
    rows, floors, start = [], [], 0
    for tick in sorted(instants):
        inputs = heard.inputs[tick]
        if inputs[GIVEN]:  # a start or a reset, from which a floor's time counts
            start = tick - int(inputs[ELAPSED])
        plant = heard.scenarios.get(int(inputs[REVISION]), found).plant
        time = ticks.seconds(tick - start)
        rows.append(_bag_row_on_floor(plant, heard, tick, time))
        floors.append((plant.contact.floor, time))
    return np.array(rows), found, floors


def _heard(path, namespace):
    from rosbags.rosbag2 import Reader, ReaderError
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_KILTED)
    heard = _Heard({}, {}, {}, {}, {}, {})
    try:
        with Reader(path) as reader:
            kinds = _topics_of_one_spacecraft(
                path, [c.topic for c in reader.connections], namespace
            )
            for connection, _, data in reader.messages():
                kind = kinds.get(connection.topic)
                if kind is None:
                    continue
                message = store.deserialize_cdr(data, connection.msgtype)
                if kind == 'scenarios':
                    parsed = scenario.parse(message.data, f'{path}: topic scenario')
                    heard.scenarios[scenario.revision(message.data)] = parsed
                elif kind == 'inputs':
                    heard.inputs[int(message.data[0])] = np.array(message.data)
                else:
                    getattr(heard, kind)[_tick(message)] = message
    except (ReaderError, OSError, ValueError) as error:  # also of a bag that is being written
        raise RecordingError(f'{path}: cannot be read: {error}') from None
    return heard


def prefix_of_one_spacecraft(path, topics, namespace=None, truth='ground_truth/odometry'):
    """Return what stands before the topics of the one spacecraft in a bag.

    namespace: of which, where there are several;  truth: a topic that each has
    Raises RecordingError when there is none, or more than one to choose from.
    """
    prefixes = sorted(topic.removesuffix(truth) for topic in topics if topic.endswith(f'/{truth}'))
    if namespace is not None:
        wanted = f'/{namespace.strip("/")}/'.replace('//', '/')
        if wanted in prefixes:
            return wanted
        have = ', '.join(prefix[:-1] or '/' for prefix in prefixes) or 'none'
        raise RecordingError(f'{path}: holds no spacecraft in {wanted[:-1] or "/"}; it has {have}')
    if not prefixes:
        raise RecordingError(f'{path}: holds 0 topics {truth}; record all topics of a spacecraft')
    if len(prefixes) > 1:
        have = ', '.join(prefix[:-1] or '/' for prefix in prefixes)
        raise RecordingError(
            f'{path}: holds {len(prefixes)} topics {truth}, of spacecraft {have}; '
            'choose one with --namespace'
        )
    return prefixes[0]


def _topics_of_one_spacecraft(path, topics, namespace):
    """Return {topic: what it is} of the one spacecraft in a bag."""
    prefix = prefix_of_one_spacecraft(path, topics, namespace)
    kinds = {
        f'{prefix}ground_truth/{kind}': kind for kind in ('odometry', 'angular_momentum', 'inputs')
    }
    kinds |= {f'{prefix}contact/{kind}': kind for kind in ('point', 'wrench')}
    return kinds | {f'{prefix}scenario': 'scenarios'}


def _tick(message):
    """Return the tick a message is stamped with; the bag's own time may be wall time."""
    stamp = message.header.stamp.sec * 1_000_000_000 + message.header.stamp.nanosec
    return stamp // ticks.TICK_NS


def _bag_row(body, heard, tick, contact_wrench=loads.FREE):
    inputs = heard.inputs.get(tick)
    wrench = loads.FREE if inputs is None else inputs[WRENCH]
    return row(body, ticks.seconds(tick), _state(body, heard, tick), wrench + contact_wrench)


def _bag_row_on_floor(plant, heard, tick, time):
    state = _state(plant.body, heard, tick)
    force_W = _vector(heard.wrench[tick].wrench.force)
    point_W = _vector(heard.point[tick].point)
    torque_W = np.cross(point_W - state.position_W, force_W)
    contact_wrench = np.concatenate((np.zeros(6), force_W, torque_W))
    omega_B = _vector(heard.odometry[tick].twist.twist.angular)
    return (
        *_bag_row(plant.body, heard, tick, contact_wrench),
        *contact_history.row_of_topics(plant, state, omega_B, point_W, force_W, time),
    )


def _state(body, heard, tick):
    odometry = heard.odometry[tick]
    q = odometry.pose.pose.orientation
    q_WB = np.array((q.w, q.x, q.y, q.z))
    velocity_W = rotations.rotate(q_WB, _vector(odometry.twist.twist.linear))
    return State(
        _vector(odometry.pose.pose.position),
        q_WB,
        body.mass * velocity_W,
        _vector(heard.angular_momentum[tick].vector),
    )


def _vector(message):
    return np.array((message.x, message.y, message.z))
