# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The table of a run: names of its columns, its rows, and the CSV file that holds them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.kinematics import TRUTH
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import turning_wrench
from spacecraft_attitude_sim.core.simulation.tick import truth
from spacecraft_attitude_sim.core.spacecraft import channels
from spacecraft_attitude_sim.core.spacecraft.channels import Moment
from spacecraft_attitude_sim.recording import contact_history, motion_table, orbit_history

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.types import FlatWrench, Vector3
    from spacecraft_attitude_sim.core.simulation import Instant, Plant, Spacecraft
    from spacecraft_attitude_sim.core.simulation.energy_book import Entries
    from spacecraft_attitude_sim.core.studies.flips_and_drifts import Energies

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
    if craft.coupled:  # its acceleration is in the truth, whatever causes it
        return row(craft, instant.time, state, loads.FREE, acceleration_of(plant, instant))
    wrench = turning_wrench(plant, instant)
    return row(craft, instant.time, state, wrench if floor is None else wrench + floor)


def acceleration_of(plant: Plant, instant: Instant) -> Vector3:
    """Return the true angular acceleration (3,) [rad/s^2] of a coupled spacecraft.

    An Instant from a bag lacks command/wrench and thrusters and rods without lag.
    """
    return truth(plant, instant)[TRUTH.of('angular_acceleration_B')]


def columns(on_floor: bool, plant: Plant | None = None) -> tuple[str, ...]:
    """Return the column names of `base_columns`, followed by those of `part_columns`.

    On a floor the energy is one of the contact columns, as in the first tables.
    plant: Plant whose actuators, internal parts, orbit, motion in the world and energy book get
        columns after those of every table; None for none
    """
    own: tuple[str, ...] = ()
    if plant:
        own = channels.columns(plant.spacecraft) + orbit_history.columns(plant.environment)
        own += motion_table.columns(plant, on_floor)
    if not on_floor:
        return COLUMNS + QUATERNION_COLUMNS + ENERGY_COLUMNS + own
    touching, torque = contact_history.COLUMNS, contact_history.TORQUE_COLUMNS
    return COLUMNS + touching + QUATERNION_COLUMNS + ENERGY_COLUMNS[:3] + torque + own


def base_columns(
    free: tuple[float, ...], state: State, energies: Energies, touching: tuple[float, ...] = ()
) -> tuple[float, ...]:
    """Return the numbers of `columns` at one instant, without those of `part_columns`.

    free: from `row`;  energies: analysis.Energies;  touching: from contact_history.row
    """
    if touching:
        torque_W = contact_history.torque_W(touching)
        return (*free, *touching, *state.q_WB, *energies, *torque_W)
    return (*free, *state.q_WB, *energies, energies.total)


def moment_of(plant: Plant, instant: Instant) -> Moment:
    """Return the Moment of an Instant, from which channels of parts are read."""
    craft = plant.spacecraft
    return channels.moment_of(craft, instant.state, instant.inputs, instant.drive)


def part_columns(
    plant: Plant,
    instant: Instant,
    entries: Entries | None,
    now: Moment,
    around: Sequence[float],
) -> tuple[float, ...]:
    """Return the numbers at an Instant that follow those of every table.

    entries: of the energy book, or None;  now: its Moment;  around: its row of orbit_history
    """
    motion = motion_table.row(plant, instant, entries)
    return (*channels.row(now), *around, *motion)


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
