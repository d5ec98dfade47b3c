# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The history of one spacecraft in a run, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.studies import energy_sink, flips_and_drifts
from spacecraft_attitude_sim.core.studies.consistency import Knowledge
from spacecraft_attitude_sim.core.studies.energy_sink import Rotation
from spacecraft_attitude_sim.recording import contact_history, orbit_history, part_history
from spacecraft_attitude_sim.recording.contact_history import ContactHistory
from spacecraft_attitude_sim.recording.errors import RecordingError
from spacecraft_attitude_sim.recording.orbit_history import OrbitHistory
from spacecraft_attitude_sim.recording.part_history import PartHistory
from spacecraft_attitude_sim.recording.table import COLUMNS, ENERGY_COLUMNS, QUATERNION_COLUMNS

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.types import Vectors3
    from spacecraft_attitude_sim.core.simulation import Instant, Spacecraft
    from spacecraft_attitude_sim.core.spacecraft.channels import Moment
    from spacecraft_attitude_sim.recording.reader import RecordedInstant

# {attribute of a History: kind of part}
KINDS = {
    'wheels': 'wheels', 'gimbals': 'gimbals', 'thrusters': 'thrusters', 'rods': 'magnetorquers',
    'internal': 'internal',
}  # fmt: skip

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
    parts: {kind: PartHistory} of its actuators and internal parts, of which `wheels`, `gimbals`,
        `thrusters`, `rods` and `internal` are one each, or None; None without a bag
    orbit: OrbitHistory, or None without an Earth orbit or a bag
    rotation: core.studies.energy_sink.Rotation, or None without actuators, internal parts or a bag
    knowledge: core.studies.consistency.Knowledge of an estimator, or None without one
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
    parts: Mapping[str, PartHistory] | None = None
    orbit: OrbitHistory | None = None
    rotation: Rotation | None = None
    knowledge: Knowledge | None = None

    def __getattr__(self, name: str) -> PartHistory | None:
        """Return the PartHistory of one of KINDS, or None."""
        if name not in KINDS:
            raise AttributeError(f'a History has no {name!r}')
        return (self.parts or {}).get(KINDS[name])

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


def with_parts(
    whole: History,
    found: Scenario,
    moments: Sequence[Moment],
    heard: Sequence[RecordedInstant | Instant],
    around: Array,
) -> History:
    """Return a History with the histories of actuators, internal parts and orbit added.

    heard: as of part_history.of_run;  around: (n, k) columns of orbit_history
    """
    craft, parts = found.plant.spacecraft, part_history.of_run(found, moments, heard)
    states, internal = [now.state for now in moments], parts.get('internal')
    return whole._replace(
        parts=parts,
        orbit=orbit_history.of_run(found.plant, around),
        rotation=_rotation(states, craft, whole.angular_momentum_B, internal),
    )


def _rotation(
    states: Sequence[State],
    spacecraft: Spacecraft,
    momentum_B: Vectors3,
    internal: PartHistory | None,
) -> Rotation | None:
    """Return the Rotation of a run; None without actuators and internal parts.

    momentum_B: (n, 3) L at the states, body axes [N m s]
    """
    if not energy_sink.changes(spacecraft):
        return None
    held_B = np.array([_held_B(spacecraft, state) for state in states])
    body, count = spacecraft.carrier, len(states)
    if internal is None:
        inertias_B = np.tile(body.inertia, (count, 1, 1))
    else:
        inertias_B = energy_sink.locked_inertias_B(
            body.inertia + internal.parts.inertia_B, body.mass, internal.parts,
            internal.displacements, internal.swings,
        )  # fmt: skip
    return energy_sink.rotation(momentum_B, inertias_B, held_B)


def _held_B(craft: Spacecraft, state: State) -> Vectors3:
    """Return the angular momentum (3,) [N m s] of wheels and rotors, without internal parts."""
    if craft.internal:
        return craft.rotor_momentum_B(state.internal, craft.angular_velocity_B(state))
    return craft.stored_B(state)


def checked(path: Path, names: Sequence[str], table: Array) -> History:
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
