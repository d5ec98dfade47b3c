# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The history of a run as a table: CSV files written and read, bags read."""

import array
import bisect
import csv
import itertools
import re
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.configuration import untrusted_scenario as untrusted
from spacecraft_attitude_sim.core import ticks
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.state import State
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies import flips_and_drifts
from spacecraft_attitude_sim.recording import bag_reader, contact_history, floor_sheet
from spacecraft_attitude_sim.recording.contact_history import ContactHistory
from spacecraft_attitude_sim.recording.errors import RecordingError

COLUMNS = (
    't [s]',
    'yaw [rad]', 'pitch [rad]', 'roll [rad]',
    'omega_x [rad/s]', 'omega_y [rad/s]', 'omega_z [rad/s]',
    'alpha_x [rad/s^2]', 'alpha_y [rad/s^2]', 'alpha_z [rad/s^2]',
    'L_x [N m s]', 'L_y [N m s]', 'L_z [N m s]',
)  # fmt: skip
# Written after those of COLUMNS and, on a floor, of contact_history.
QUATERNION_COLUMNS = ('q_w', 'q_x', 'q_y', 'q_z')
ENERGY_COLUMNS = (
    'translation_energy [J]', 'rotation_energy [J]', 'potential_energy [J]', 'energy [J]',
)  # fmt: skip
# Of a row of core.simulation.trajectory.
STATE_COLUMNS = (
    'x [m]', 'y [m]', 'z [m]',
    *QUATERNION_COLUMNS,
    'p_x [N s]', 'p_y [N s]', 'p_z [N s]',
    'L_x [N m s]', 'L_y [N m s]', 'L_z [N m s]',
)  # fmt: skip
# Where a ground_truth/inputs message has what; see nodes.messages.INPUTS_LABEL.
GIVEN, REVISION, WRENCH, ELAPSED, ATTITUDE = 1, 3, slice(4, 16), 22, slice(26, 30)
# How many numbers such a message has: after a step; at a start or reset, free and on a floor.
LENGTHS, LENGTHS_GIVEN = (22,), (36, 66)
# Of its tick, sub-steps, revision and elapsed ticks.
LAST_TICK = bag_reader.END_OF_TIME // ticks.TICK_NS
LARGEST_COUNTS = np.array((LAST_TICK, scenario.BY_NAME['substeps'].high, 2**31, LAST_TICK))
TYPES = {
    'odometry': 'nav_msgs/msg/Odometry',
    'angular_momentum': 'geometry_msgs/msg/Vector3Stamped',
    'inputs': 'std_msgs/msg/Float64MultiArray',
    'point': 'geometry_msgs/msg/PointStamped',
    'wrench': 'geometry_msgs/msg/WrenchStamped',
    'floor': 'sensor_msgs/msg/PointCloud2',
    'scenarios': 'std_msgs/msg/String',
}
# Of a CSV file, and of a line of it [bytes].
LARGEST_TABLE, LONGEST_LINE = 2**29, 2**12
# Between the values of a line of a table that has no header, and what such a line holds.
SEPARATOR = re.compile(r'\s*[,;\s]\s*')
WITHOUT_HEADER = (
    f'without a header, a line is {len(COLUMNS)} numbers: t; yaw, pitch, roll; omega; alpha; L'
)
# Numbers up to which a history can be drawn; anything more is damage.
LARGEST_NUMBER = 1e100


class History(NamedTuple):
    """Rows of one instant each; vectors in body axes.

    time: (n,) [s];  euler_zyx: (n, 3) yaw, pitch, roll [rad], intrinsic Z-Y-X
    angular_velocity_B, angular_acceleration_B, angular_momentum_B: (n, 3) [rad/s, rad/s^2, N m s]
    quaternion: (n, 4) as recorded, body to world, or None where only the angles are known
    energies: (n, 4) of translation, of rotation, potential of gravity, and their sum [J], or None
        where not known
    contact: ContactHistory of a run on a floor, else None
    """

    time: np.ndarray
    euler_zyx: np.ndarray
    angular_velocity_B: np.ndarray
    angular_acceleration_B: np.ndarray
    angular_momentum_B: np.ndarray
    quaternion: np.ndarray | None = None
    energies: np.ndarray | None = None
    contact: ContactHistory | None = None

    def q_WB(self):
        """Return the attitudes (n, 4), as recorded or of the angles, without jumps to -q."""
        q_WB = self.quaternion
        if q_WB is None:
            q_WB = [rotations.quaternion_from_euler_zyx(*angles) for angles in self.euler_zyx]
        return rotations.continuous(np.array(q_WB))

    def flips(self):
        """Return the times at which the body turned over [s]."""
        axis = flips_and_drifts.spin_axis(self.angular_momentum_B[0])
        return flips_and_drifts.flip_times(self.time, self.angular_momentum_B @ axis)


def row(body, time, state, wrench):
    """Return the thirteen numbers of COLUMNS, all of the instant `time` [s].

    wrench: (12,) of core.body.loads that acts at that instant
    """
    _, torque_B = loads.wrench_on_body(wrench, state.q_WB)
    return (
        time,
        *rotations.euler_zyx_from_quaternion(state.q_WB),
        *body.angular_velocity_B(state),
        *body.angular_acceleration_B(state, torque_B),
        *body.angular_momentum_B(state),
    )


def columns(on_floor):
    """Return the names of the columns of `whole_row`.

    The energy of a body on a floor has stood among those of its contact since the first table.
    """
    if not on_floor:
        return COLUMNS + QUATERNION_COLUMNS + ENERGY_COLUMNS
    return COLUMNS + contact_history.COLUMNS + QUATERNION_COLUMNS + ENERGY_COLUMNS[:3]


def whole_row(free, state, energies, touching=()):
    """Return the numbers of `columns` of one instant.

    free: those of `row`;  energies: analysis.Energies;  touching: those of contact_history.row
    """
    if touching:
        return (*free, *touching, *state.q_WB, *energies)
    return (*free, *state.q_WB, *energies, energies.total)


class CsvWriter:
    """Writes a CSV file of `columns`, with all digits."""

    def __init__(self, path, on_floor=False):
        """Create the file; OSError where that is not possible."""
        self._file = Path(path).open('w', newline='', encoding='utf-8')  # noqa: SIM115
        self._csv = csv.writer(self._file)
        self._csv.writerow(columns(on_floor))

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
    if bag_reader.is_bag(path):
        table, found, floors = _read_bag(path, namespace)
        names = columns(bool(floors))
    else:
        (names, table), found, floors = _read_csv(path), None, ()
    if len(table) < 2:
        raise RecordingError(f'{path}: holds {len(table)} instants; a history needs two')
    _check(path, names, table)
    history = _of_table(names, table)
    if floors:
        of_rows, times = zip(*floors, strict=True)
        history = history._replace(contact=history.contact.on_floors(of_rows, np.array(times)))
    return history, found


def _of_table(names, table):
    """Return the History of a table (n, m) with the columns `names`, those of COLUMNS first."""

    def those(wanted):
        """Return the columns of these names, or None where one is not there."""
        if not set(wanted) <= set(names):
            return None
        return table[:, [names.index(name) for name in wanted]]

    touching = those(contact_history.COLUMNS)
    return History(
        table[:, 0],
        *np.hsplit(table[:, 1 : len(COLUMNS)], 4),
        those(QUATERNION_COLUMNS),
        those(ENERGY_COLUMNS),
        None if touching is None else contact_history.from_table(touching),
    )


def on_floor_of(history, found):
    """Return a History, with the floor of a Scenario (or None) when it knows none itself."""
    contact = history.contact
    if contact is None or contact.floors or not (found and found.plant.contact):
        return history
    return history._replace(contact=contact.on(found.plant.contact.floor, history.time))


def _check(path, names, table):
    """Refuse numbers that cannot be of a run."""
    for row, column in np.argwhere(~(np.abs(table) <= LARGEST_NUMBER)):
        raise RecordingError(
            f'{path}: {names[column]} is {table[row, column]} in instant {row + 1} of '
            f'{len(table)}; a finite number belongs there'
        )
    if np.any(back := np.diff(table[:, 0]) <= 0.0):
        raise RecordingError(
            f'{path}: time does not increase after {table[np.argmax(back), 0]:g} s'
        )


def _read_csv(path):
    """Return the names of the columns of a CSV file and its table."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST_TABLE:
            raise RecordingError(
                f'{path}: is no table; give a file of at most {LARGEST_TABLE // 2**20} MiB'
            )
        with path.open(newline='', encoding='utf-8-sig') as file:
            # Lines are cut, so that a file without ends of lines is no trap.
            lines = iter(lambda: file.readline(LONGEST_LINE), '')
            first = next(lines, '')
            if _begins_with_number(first):
                rows = (_split(line) for line in itertools.chain([first], lines))
                return COLUMNS, _table_of(rows, COLUMNS, 1, f'; {WITHOUT_HEADER}')
            rows = csv.reader(itertools.chain([first], lines))
            names = tuple(next(rows, ()))
            if names[: len(COLUMNS)] != COLUMNS:
                raise RecordingError(
                    f'{path}: is neither a bag (a folder, .mcap or .db3) nor a CSV of '
                    f'attitude-sim run --csv; {WITHOUT_HEADER}'
                )
            return names, _table_of(rows, names, 2)
    except RecordingError:
        raise
    except (OSError, ValueError, csv.Error) as error:
        raise RecordingError(f'{path}: cannot be read: {error}') from None


def _table_of(rows, names, first, remedy=''):
    """Return rows of texts as a table (n, len(names)); first: the line number of the first."""
    table = array.array('d')
    for number, values in enumerate(rows, first):
        if not values:
            continue
        if len(values) != len(names):
            raise ValueError(f'line {number} has {len(values)} of {len(names)} values{remedy}')
        try:
            table.extend(map(float, values))
        except ValueError as error:
            raise ValueError(f'line {number}: {error}') from None
    return np.array(table).reshape(-1, len(names))


def _split(line):
    """Return the values of a line without header: between commas, semicolons or spaces."""
    line = line.strip().rstrip(',;')
    return SEPARATOR.split(line) if line else []


def _begins_with_number(line):
    try:
        float(_split(line)[0])
    except (ValueError, IndexError):
        return False
    return True


class _Heard(NamedTuple):
    """The messages of a bag, by kind and tick; scenarios by revision; inputs as arrays.

    What a scenario names of foreign code is hidden in it: it has to be drawn, not run.
    """

    odometry: dict
    angular_momentum: dict
    inputs: dict
    point: dict
    wrench: dict
    floor: dict
    scenarios: dict

    def floor_at(self, tick, plant, sent):
        """Return what to draw as the floor of a Plant at a tick: where hidden, what was sent.

        sent: the ticks of `floor`, sorted
        """
        floor = plant.contact.floor
        if not isinstance(floor, untrusted.HiddenFloor):
            return floor
        before = bisect.bisect_right(sent, tick)
        return self.floor[sent[before - 1]] if before else None


def _read_bag(path, namespace):
    """Return the rows of a bag, its last Scenario, and [(floor, its time)] of the rows on one."""
    heard = _heard(path, namespace)
    if not heard.scenarios:
        raise RecordingError(f'{path}: holds no topic scenario; record all topics')
    found = heard.scenarios[max(heard.scenarios)]
    instants = heard.odometry.keys() & heard.angular_momentum.keys()
    if not found.plant.contact:
        return (
            np.array([_bag_row_free(heard, k, found.plant) for k in sorted(instants)]),
            found,
            (),
        )
    instants &= heard.inputs.keys() & heard.point.keys() & heard.wrench.keys()
    rows, floors, start, sent = [], [], 0, sorted(heard.floor)
    for tick in sorted(instants):
        inputs = heard.inputs[tick]
        if inputs[GIVEN]:  # a start or a reset, from which a floor's time counts
            start = tick - int(inputs[ELAPSED])
        plant = heard.scenarios.get(int(inputs[REVISION]), found).plant
        time = ticks.seconds(tick - start)
        rows.append(_bag_row_on_floor(plant, heard, tick, time))
        floors.append((heard.floor_at(tick, plant, sent), time))
    return np.array(rows), found, floors


def _heard(path, namespace):
    heard, told = _Heard({}, {}, {}, {}, {}, {}, {}), set()
    with bag_reader.opened(path) as found:
        topics = [connection.topic for connection in found.connections]
        kinds = _topics_of_one_spacecraft(path, topics, namespace)
        for connection, stamp, data in found.messages():
            kind = kinds.get(connection.topic)
            if kind is None:
                continue
            message = found.decoded(connection, stamp, data, TYPES[kind])
            if kind == 'scenarios':
                try:
                    parsed, left_out = untrusted.parse(message.data)
                except scenario.ScenarioError as error:
                    raise RecordingError(f'{path}: {error}') from None
                heard.scenarios[scenario.revision(message.data)] = parsed
                told.add(left_out)
            elif kind == 'inputs':
                inputs = checked_inputs(path, message.data)
                heard.inputs[int(inputs[0])] = inputs
            elif kind == 'floor':
                try:
                    heard.floor[_tick(message)] = floor_sheet.sheet_of(message)
                except ValueError as error:
                    raise RecordingError(
                        f'{path}: a message of topic contact/floor {error}'
                    ) from None
            else:
                getattr(heard, kind)[_tick(message)] = message
    for left_out in told - {''}:
        print(f'attitude-sim: {path}: {left_out}', file=sys.stderr, flush=True)
    return heard


def checked_inputs(path, data):
    """Return the numbers of a ground_truth/inputs message as an array.

    Raises RecordingError where they are not what such a message holds; path: for the message.
    """
    found = np.array(data, dtype=float)
    given = len(found) > GIVEN and bool(found[GIVEN])
    wrong = ''
    if len(found) not in (LENGTHS_GIVEN if given else LENGTHS):
        wrong = f'holds {len(found)} numbers'
    elif not np.isfinite(found).all():
        wrong = 'holds a number that is not finite'
    else:
        counts = np.delete(found[: WRENCH.start], GIVEN)
        counts = np.append(counts, found[ELAPSED]) if given else counts
        if np.any(
            (counts != np.floor(counts)) | (counts < 0) | (counts > LARGEST_COUNTS[: len(counts)])
        ):
            wrong = 'holds an impossible tick, number of sub-steps or revision'
        elif given and not np.any(found[ATTITUDE]):
            wrong = 'gives a quaternion that is zero'
    if wrong:
        raise RecordingError(f'{path}: a message of topic ground_truth/inputs {wrong}')
    return found


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
    kinds |= {f'{prefix}contact/{kind}': kind for kind in ('point', 'wrench', 'floor')}
    return kinds | {f'{prefix}scenario': 'scenarios'}


def _tick(message):
    """Return the tick a message is stamped with; the bag's own time may be wall time."""
    stamp = message.header.stamp.sec * 1_000_000_000 + message.header.stamp.nanosec
    return stamp // ticks.TICK_NS


def _bag_row_free(heard, tick, plant):
    free, state = _bag_row(plant.body, heard, tick), _state(plant.body, heard, tick)
    return whole_row(free, state, flips_and_drifts.energies(plant, state))


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
    free = _bag_row(plant.body, heard, tick, contact_wrench)
    touching = contact_history.row_of_topics(plant, state, omega_B, point_W, force_W, time)
    return whole_row(free, state, flips_and_drifts.energies(plant, state), touching)


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
