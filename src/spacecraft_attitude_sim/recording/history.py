# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The history of a run as a table: write and read CSV files, read bags."""

from __future__ import annotations

import csv
import functools
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.configuration import untrusted_scenario as untrusted
from spacecraft_attitude_sim.configuration.scenario import Scenario
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.kinematics import TRUTH
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import State
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, FlatWrench, Vector3
from spacecraft_attitude_sim.core.simulation import (
    Instant,
    Plant,
    Spacecraft,
    commanded_torque_B,
    turning_wrench,
)
from spacecraft_attitude_sim.core.simulation.energy_book import Entries
from spacecraft_attitude_sim.core.simulation.tick import truth
from spacecraft_attitude_sim.core.studies import flips_and_drifts
from spacecraft_attitude_sim.core.studies.energy_sink import Rotation
from spacecraft_attitude_sim.core.studies.flips_and_drifts import Energies
from spacecraft_attitude_sim.recording import (
    actuator_history,
    actuator_table,
    bag_reader,
    contact_history,
    csv_file,
    internal_history,
    motion_table,
    orbit_history,
    reader,
    rotation_history,
    topics,
    wheel_history,
)
from spacecraft_attitude_sim.recording.actuator_history import (
    GimbalHistory,
    RodHistory,
    ThrusterHistory,
)
from spacecraft_attitude_sim.recording.contact_history import ContactHistory
from spacecraft_attitude_sim.recording.errors import RecordingError
from spacecraft_attitude_sim.recording.internal_history import InternalHistory
from spacecraft_attitude_sim.recording.orbit_history import OrbitHistory
from spacecraft_attitude_sim.recording.reader import RecordedInstant
from spacecraft_attitude_sim.recording.wheel_history import WheelHistory

COLUMNS = (
    't [s]',
    'yaw [rad]', 'pitch [rad]', 'roll [rad]',
    'omega_x [rad/s]', 'omega_y [rad/s]', 'omega_z [rad/s]',
    'alpha_x [rad/s^2]', 'alpha_y [rad/s^2]', 'alpha_z [rad/s^2]',
    'L_x [N m s]', 'L_y [N m s]', 'L_z [N m s]',
)  # fmt: skip
# Columns after those of COLUMNS and, on a floor, of contact_history.
QUATERNION_COLUMNS = ('q_w', 'q_x', 'q_y', 'q_z')
ENERGY_COLUMNS = (
    'translation_energy [J]', 'rotation_energy [J]', 'potential_energy [J]', 'energy [J]',
)  # fmt: skip
# Columns of core.simulation.trajectory.
STATE_COLUMNS = (
    'x [m]', 'y [m]', 'z [m]',
    *QUATERNION_COLUMNS,
    'p_x [N s]', 'p_y [N s]', 'p_z [N s]',
    'L_x [N m s]', 'L_y [N m s]', 'L_z [N m s]',
)  # fmt: skip
# Topics that a row of a bag needs, in free space and on a floor, and optional topics.
FREE = {topics.ODOMETRY, topics.MOMENTUM}
ON_FLOOR = {*FREE, topics.INPUTS, *topics.CONTACT}
HEARD = {*ON_FLOOR, topics.JOINTS, topics.REFERENCE, *topics.COMMANDS}
# Largest number of a history; anything larger counts as damage.
LARGEST_NUMBER = 1e100


class Control(NamedTuple):
    """The commands of a run, one row per instant.

    torque_B: (n, 3) commanded in the tick that ends there, body axes [N m]; NaN if unknown
    q_WR: (n, 4) reference attitude; NaN if there was none
    """

    torque_B: Array
    q_WR: Array


class History(NamedTuple):
    """The history of one spacecraft, one row per instant; vectors are in body axes.

    time: (n,) [s];  euler_zyx: (n, 3) yaw, pitch, roll [rad], intrinsic Z-Y-X
    angular_velocity_B, angular_acceleration_B, angular_momentum_B: (n, 3) [rad/s, rad/s^2, N m s]
    quaternion: (n, 4) as recorded, body to world, or None if only the angles are known
    energies: (n, 4) of translation, of rotation, potential of gravity and springs, and their sum
        [J], or None if not known
    contact: ContactHistory of a run on a floor, else None
    control: Control, or None without held commands
    wheels, gimbals, thrusters, rods: WheelHistory, GimbalHistory, ThrusterHistory, RodHistory;
        None without such actuators or without a bag
    orbit: OrbitHistory, or None without an Earth orbit or a bag
    internal: InternalHistory, or None without internal parts or a bag
    rotation: core.studies.energy_sink.Rotation, or None without actuators, internal parts or a bag
    """

    time: Array
    euler_zyx: Array
    angular_velocity_B: Array
    angular_acceleration_B: Array
    angular_momentum_B: Array
    quaternion: Array | None = None
    energies: Array | None = None
    contact: ContactHistory | None = None
    control: Control | None = None
    wheels: WheelHistory | None = None
    gimbals: GimbalHistory | None = None
    thrusters: ThrusterHistory | None = None
    rods: RodHistory | None = None
    orbit: OrbitHistory | None = None
    internal: InternalHistory | None = None
    rotation: Rotation | None = None

    def q_WB(self) -> Array:
        """Return the attitudes (n, 4), recorded or from the angles, without jumps to -q."""
        if self.quaternion is not None:
            return rotations.continuous(self.quaternion)
        found = [rotations.quaternion_from_euler_zyx(*angles) for angles in self.euler_zyx]
        return rotations.continuous(np.array(found))

    def angular_momentum_W(self) -> Array:
        """Return the angular momentum (n, 3) in world axes [N m s]."""
        rows = zip(self.q_WB(), self.angular_momentum_B, strict=True)
        return np.array([rotations.rotate(q_WB, L_B) for q_WB, L_B in rows])

    def flips(self) -> Array:
        """Return the times at which the body turned over [s]."""
        axis = flips_and_drifts.spin_axis(self.angular_momentum_B[0])
        return flips_and_drifts.flip_times(self.time, self.angular_momentum_B @ axis)


def row(
    spacecraft: RigidBody | Spacecraft,
    time: float,
    state: State,
    wrench: FlatWrench,
    acceleration_B: Vector3 | None = None,
) -> tuple[float, ...]:
    """Return the thirteen numbers of COLUMNS at the instant `time` [s].

    wrench: (12,) of core.body.loads on the spacecraft at that instant
    acceleration_B: angular (3,) [rad/s^2]; None to compute it from the wrench
    """
    if acceleration_B is None:
        _, torque_B = loads.wrench_on_body(wrench, state.q_WB)
        acceleration_B = spacecraft.angular_acceleration_B(state, torque_B)
    return (
        time,
        *rotations.euler_zyx_from_quaternion(state.q_WB),
        *spacecraft.angular_velocity_B(state),
        *acceleration_B,
        *spacecraft.angular_momentum_B(state),
    )


def free_row(plant: Plant, instant: Instant, floor: FlatWrench | None = None) -> tuple[float, ...]:
    """Return the numbers of `row` at an Instant.

    floor: (12,) wrench of the floor, if the Instant has no contact that says it
    """
    craft, state = plant.spacecraft, instant.state
    if craft.assembly:  # its acceleration is in the truth, whatever causes it
        return row(craft, instant.time, state, loads.FREE, acceleration_of(plant, instant))
    wrench = turning_wrench(plant, instant)
    return row(craft, instant.time, state, wrench if floor is None else wrench + floor)


def acceleration_of(plant: Plant, instant: Instant) -> Vector3:
    """Return the true angular acceleration (3,) [rad/s^2] of a spacecraft with an assembly.

    An Instant from a bag lacks command/wrench and thrusters and rods without lag.
    """
    return truth(plant, instant)[TRUTH.of('angular_acceleration_B')]


def columns(on_floor: bool, plant: Plant | None = None) -> tuple[str, ...]:
    """Return the column names of `whole_row`, followed by those of `more_row`.

    On a floor the energy is one of the contact columns, as in the first tables.
    plant: Plant whose actuators, internal parts, orbit, motion in the world and energy book get
        columns after those of every table; None for none
    """
    if not on_floor:
        own: tuple[str, ...] = ()
        if plant:
            own = actuator_table.columns(plant.spacecraft)
            own += internal_history.columns(plant.spacecraft)
            own += orbit_history.columns(plant.environment)
            own += motion_table.columns(plant, on_floor)
        return COLUMNS + QUATERNION_COLUMNS + ENERGY_COLUMNS + own
    energies = ENERGY_COLUMNS[:3]
    touching, torque = contact_history.COLUMNS, contact_history.TORQUE_COLUMNS
    moving = motion_table.columns(plant, on_floor) if plant else ()
    return COLUMNS + touching + QUATERNION_COLUMNS + energies + torque + moving


def whole_row(
    free: tuple[float, ...], state: State, energies: Energies, touching: tuple[float, ...] = ()
) -> tuple[float, ...]:
    """Return the numbers of `columns` at one instant, without those of `more_row`.

    free: from `row`;  energies: analysis.Energies;  touching: from contact_history.row
    """
    if touching:
        torque_W = contact_history.torque_W(touching)
        return (*free, *touching, *state.q_WB, *energies, *torque_W)
    return (*free, *state.q_WB, *energies, energies.total)


def more_row(plant: Plant, instant: Instant, entries: Entries | None) -> tuple[float, ...]:
    """Return the numbers at an Instant that follow those of every table.

    entries: of the energy book, or None
    """
    craft = plant.spacecraft
    return (
        *actuator_table.row(craft, instant), *internal_history.row(craft, instant),
        *orbit_history.row(plant, instant), *motion_table.row(plant, instant, entries),
    )  # fmt: skip


class CsvWriter:
    """Writes a CSV file of `columns` with all digits."""

    def __init__(
        self,
        path: str | Path,
        on_floor: bool = False,
        plant: Plant | None = None,
        names: Sequence[str] = (),
    ) -> None:
        """Create the file and its folder; OSError if that is not possible.

        plant: as in `columns`;  names: other column names instead
        """
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        self._file = Path(path).open('w', newline='', encoding='utf-8')  # noqa: SIM115
        self._csv = csv.writer(self._file)
        self._csv.writerow(names or columns(on_floor, plant))

    def write(self, values: Iterable[float]) -> None:
        """Write one row."""
        self._csv.writerow([repr(float(value)) for value in values])

    def close(self) -> None:
        """Write the rest and close the file."""
        self._file.close()


def read(path: str | Path, namespace: str | None = None) -> tuple[History, Scenario | None]:
    """Return (History, Scenario) of a bag, or (History, None) of a CSV file.

    namespace: of the spacecraft, if the bag holds several
    Raises RecordingError that says what is wrong with the file.
    """
    if not _is_bag(path):
        return _checked(Path(path), *csv_file.read(Path(path), COLUMNS)), None
    recorded = _Recorded(Path(path), namespace)
    return recorded.history(), recorded.found


def read_with_table(
    path: str | Path, namespace: str | None = None
) -> tuple[History, Scenario | None, tuple[str, ...], Array, list[tuple[int, int]]]:
    """Return what `read` does, the names of the columns, the whole table (n, m), and its moments.

    These are (tick, ticks since the start or reset) of the instants of a bag, none of a CSV file.

    namespace: of the spacecraft, if the bag holds several
    Raises RecordingError that says what is wrong with the file.
    """
    if not _is_bag(path):
        names, table = csv_file.read(Path(path), COLUMNS)
        return _checked(Path(path), names, table), None, names, table, []
    recorded = _Recorded(Path(path), namespace)
    plant = recorded.found.plant
    names = columns(plant.contact is not None, plant)
    moments = [(one.instant.tick, one.instant.elapsed) for one in recorded.instants]
    return recorded.history(), recorded.found, names, np.array(recorded.whole_rows()), moments


def write_table(bag: str | Path, path: str | Path, namespace: str | None = None) -> None:
    """Write the table of a bag, in the same form as `attitude-sim run --csv`.

    namespace: of the spacecraft, if the bag holds several
    Raises RecordingError for a bag that cannot be read, OSError.
    """
    recorded = _Recorded(Path(bag), namespace)
    rows, plant = recorded.whole_rows(), recorded.found.plant
    writer = CsvWriter(path, plant.contact is not None, plant)
    for numbers in rows:
        writer.write(numbers)
    writer.close()


def _is_bag(path: str | Path) -> bool:
    """Return whether a path is a bag, otherwise a table; RecordingError if it does not exist."""
    if not Path(path).exists():
        raise RecordingError(f'{path}: no such bag or CSV file')
    return bag_reader.is_bag(Path(path))


class Simulated(NamedTuple):
    """An instant of a bag, with the Plant of its scenario and the Instant that it gives."""

    heard: RecordedInstant
    plant: Plant
    instant: Instant


class _Recorded:
    """The content of a bag for one spacecraft, read once; each instant is simulated once.

    found: the last Scenario;  instants: the Simulated that are complete enough for rows
    rows: columns of every table;  whole: History of the rows, checked

    Raises RecordingError that says what is wrong with the bag.
    """

    def __init__(self, path: Path, namespace: str | None) -> None:
        self.found, self.instants = _read_bag(path, namespace)
        self.rows = [_row(*one) for one in self.instants]
        names = columns(self.found.plant.contact is not None)
        self.whole = _checked(path, names, np.array(self.rows))

    @functools.cached_property
    def simulated(self) -> list[Instant]:
        """The Instants of the last Plant, without readings and contact."""
        last = self.found.plant
        return [
            instant if plant is last else heard.simulated(last)
            for heard, plant, instant in self.instants
        ]

    def history(self) -> History:
        """Return the History of the bag."""
        found, whole = self.found, self.whole
        heard = [one.heard for one in self.instants]
        if any(topics.COMMANDS.keys() & one.heard for one in heard):
            whole = whole._replace(control=_control(self.instants))
        if found.plant.beyond_rigid_body:
            said = [one.motor_torques for one in heard]
            whole = with_parts(whole, found, self.simulated, heard, said)
        if whole.contact is None:
            return whole
        floors = tuple(_floor(one.heard, one.plant) for one in self.instants)
        time = np.array([one.instant.elapsed_time for one in self.instants])
        return whole._replace(contact=whole.contact.on_floors(floors, time))

    def whole_rows(self) -> list[tuple[float, ...]]:
        """Return the rows with the columns of actuators, orbit and energy book."""
        plant = self.found.plant
        were_set = [bool(one.heard.inputs and one.heard.inputs.given) for one in self.instants]
        books = motion_table.entries_of(plant, zip(self.simulated, were_set, strict=True))
        return [
            (*numbers, *more_row(plant, instant, entries))
            for numbers, instant, entries in zip(self.rows, self.simulated, books, strict=True)
        ]


def with_parts(
    whole: History,
    found: Scenario,
    instants: Sequence[Instant],
    heard: Sequence[Any],
    said: Sequence[Array],
) -> History:
    """Return a History with the histories of actuators, internal parts and orbit added.

    heard: tick, elapsed and inputs of each instant, as in a RecordedInstant
    said: motor torques of ideal wheels at each instant [N m]; too few mean not known
    """
    plant, states = found.plant, [one.state for one in instants]
    internal = internal_history.of_run(states, plant.spacecraft)
    return whole._replace(
        wheels=wheel_history.of_run(found, states, said),
        gimbals=actuator_history.gimbals_of(states, plant),
        thrusters=actuator_history.thrusters_of(heard, states, plant),
        rods=actuator_history.rods_of(heard, states, plant),
        orbit=orbit_history.of_run(plant, instants),
        internal=internal,
        rotation=rotation_history.of_run(
            states, plant.spacecraft, whole.angular_momentum_B, internal
        ),
    )


def _checked(path: Path, names: Sequence[str], table: Array) -> History:
    """Return the History of a table (n, m) with columns `names`, beginning with COLUMNS.

    Raises RecordingError for impossible numbers.
    """
    if len(table) < 2:
        raise RecordingError(f'{path}: holds {len(table)} instants; a history needs two')
    for row, column in np.argwhere(~(np.abs(table) <= LARGEST_NUMBER)):
        raise RecordingError(
            f'{path}: {names[column]} is {table[row, column]} in instant {row + 1} of '
            f'{len(table)}; a finite number belongs there'
        )
    if np.any(back := np.diff(table[:, 0]) <= 0.0):
        raise RecordingError(
            f'{path}: time does not increase after {table[np.argmax(back), 0]:g} s'
        )

    return of_table(names, table)


def of_table(names: Sequence[str], table: Array) -> History:
    """Return the History of a table (n, m) with columns `names`, beginning with COLUMNS."""

    def those(wanted: tuple[str, ...]) -> Array | None:
        """Return the columns with these names, or None if one is missing."""
        if not set(wanted) <= set(names):
            return None
        return table[:, [names.index(name) for name in wanted]]

    touching = those(contact_history.COLUMNS)
    angles, omega_B, alpha_B, momentum_B = np.hsplit(table[:, 1 : len(COLUMNS)], 4)
    return History(
        table[:, 0],
        angles,
        omega_B,
        alpha_B,
        momentum_B,
        those(QUATERNION_COLUMNS),
        those(ENERGY_COLUMNS),
        None if touching is None else contact_history.from_table(touching),
    )


def on_floor_of(history: History, found: Scenario | None) -> History:
    """Return a History, with the floor of a Scenario (or None) if it has none itself."""
    contact = history.contact
    if contact is None or contact.floors or not (found and found.plant.contact):
        return history
    return history._replace(contact=contact.on(found.plant.contact.floor, history.time))


def _read_bag(path: Path, namespace: str | None) -> tuple[Scenario, list[Simulated]]:
    """Return the last Scenario of a bag, and the Simulated that are complete enough for rows.

    The Scenario is only for drawing: it does not import the functions that it names.
    """
    told = {''}

    def parse(text: str) -> Scenario:
        found, left_out = untrusted.parse(text)
        if left_out not in told:
            told.add(left_out)
            print(f'attitude-sim: {path}: {left_out}', file=sys.stderr, flush=True)
        return found

    assembler = reader.Assembler(HEARD, parse, _check)
    instants = reader.instants(path, assembler, namespace)
    found = assembler.scenario
    if found is None:
        raise RecordingError(f'{path}: holds no topic scenario; record all topics')
    needed = ON_FLOOR if found.plant.contact else FREE
    if found.plant.spacecraft.wheels or found.plant.spacecraft.assembly:
        needed = {*needed, topics.INPUTS}
    return found, _known(path, [one for one in instants if needed <= one.heard], found)


def _known(path: Path, instants: list[RecordedInstant], found: Scenario) -> list[Simulated]:
    """Return the Simulated with known wheel states; print how many are left out.

    Raises RecordingError if inputs and scenario have different wheels.
    """
    plants = [_plant(one, found) for one in instants]
    try:
        every = [
            Simulated(one, plant, one.simulated(plant))
            for one, plant in zip(instants, plants, strict=True)
        ]
    except ValueError as error:
        raise RecordingError(f'{path}: {error}') from None
    known = [one for one in every if np.isfinite(one.instant.state.internal).all()]
    if lost := len(every) - len(known):
        print(
            f'attitude-sim: {path}: {lost} instants are left out: after lost messages of topic '
            f'{topics.INPUTS} nothing says how the wheels turned; record {topics.JOINTS}, too',
            file=sys.stderr, flush=True,
        )  # fmt: skip
    return known


def _check(topic: str, parts: tuple[Any, ...]) -> None:
    """Raise ValueError for an invalid reference."""
    if topic == topics.REFERENCE and not 0.0 < np.linalg.norm(parts[0]) < np.inf:
        raise ValueError('holds no attitude')


def _plant(instant: RecordedInstant, last: Scenario) -> Plant:
    """Return the Plant of an instant, or that of the last Scenario if its own does not match."""
    found = instant.scenario
    if found is None or (found.plant.contact is None) != (last.plant.contact is None):
        return last.plant
    return found.plant


def _row(heard: RecordedInstant, plant: Plant, instant: Instant) -> tuple[float, ...]:
    """Return the row of `columns` at an instant."""
    state, wrench = instant.state, None
    energies = flips_and_drifts.energies(plant, state, instant.elapsed_time)
    touching: tuple[float, ...] = ()
    if plant.contact:
        force_W = heard.contact_force_W
        torque_W = np.cross(heard.point_W - state.position_W, force_W)
        wrench = loads.wrench_in_world(force_W, torque_W)
        touching = contact_history.row_of_topics(
            plant, plant.contact.floor, state, heard, energies.total
        )
    return whole_row(free_row(plant, instant, wrench), state, energies, touching)


def _floor(instant: RecordedInstant, plant: Plant) -> Any:
    """Return the floor to draw at an instant; for a hidden floor, the Sheet that was sent."""
    floor = plant.contact and plant.contact.floor
    return instant.sheet if isinstance(floor, untrusted.HiddenFloor) else floor


def _control(instants: list[Simulated]) -> Control:
    """Return the Control of a run; its torques are NaN where the inputs were not recorded."""
    unknown_B, unknown = np.full(3, np.nan), np.full(4, np.nan)
    return Control(
        np.array([
            unknown_B if heard.inputs is None else commanded_torque_B(plant, instant)
            for heard, plant, instant in instants
        ]),
        np.array([one.heard.q_WR if one.heard.q_WR.size else unknown for one in instants]),
    )  # fmt: skip
