# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The contact columns of a run on a floor: positions, force, gap and slip."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body.state import State
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3
from spacecraft_attitude_sim.recording import brief

if TYPE_CHECKING:
    from spacecraft_attitude_sim.recording.reader import RecordedInstant

COLUMNS = (
    'x [m]', 'y [m]', 'z [m]',
    'contact_x [m]', 'contact_y [m]', 'contact_z [m]',
    'contact_force_x [N]', 'contact_force_y [N]', 'contact_force_z [N]',
    'gap [m]', 'slip_speed [m/s]', 'energy [J]',
)  # fmt: skip
# The last column; older tables lack it, and it follows from the others.
TORQUE_COLUMNS = ('contact_torque_x [N m]', 'contact_torque_y [N m]', 'contact_torque_z [N m]')
# A slower slip is the round-off of rolling [m/s].
SLIP = 1e-6


class ContactHistory(NamedTuple):
    """One row per instant, in world axes. Gap and slip are NaN if they are not known.

    position_W: (n, 3) of the centre of mass [m];  point_W: (n, 3) lowest point of the body [m]
    force_W: (n, 3) of the floor, zero in flight [N];  gap: (n,) [m];  slip_speed: (n,) [m/s]
    energy: (n,) kinetic energy and gravity potential [J]
    floors: (n,) of core.contact.floors, and floor_time: (n,) their time [s]; empty if unknown
    """

    position_W: Array
    point_W: Array
    force_W: Array
    gap: Array
    slip_speed: Array
    energy: Array
    floors: tuple[Any, ...] = ()
    floor_time: Array = np.empty(0)

    def __repr__(self) -> str:
        return brief.text_of('ContactHistory', self._asdict())

    @property
    def in_flight(self) -> NDArray[np.bool_]:
        """Whether the body does not touch the floor (n,)."""
        return ~np.any(self.force_W, axis=1)

    @property
    def slipping(self) -> NDArray[np.bool_]:
        """Whether it touches and slips (n,)."""
        return ~self.in_flight & (self.slip_speed > SLIP)

    def on_floors(self, of_rows: tuple[Any, ...], time: Array) -> ContactHistory:
        """Return the history with floors (n,) at times (n,) [s]; hidden ones are Sheet or None.

        Over a hidden floor, gap and slip are NaN.
        """
        from spacecraft_attitude_sim.recording.floor_sheet import Sheet

        hidden = np.array([floor is None or isinstance(floor, Sheet) for floor in of_rows])
        gap, slip = (np.where(hidden, np.nan, values) for values in (self.gap, self.slip_speed))
        known = self._replace(gap=gap, slip_speed=slip)
        return known if None in of_rows else known._replace(floors=of_rows, floor_time=time)

    def on(self, floor: Any, time: Array) -> ContactHistory:
        """Return the history with one floor at all times (n,) [s]."""
        return self._replace(floors=(floor,) * len(self.gap), floor_time=time)


def from_table(columns: Array) -> ContactHistory:
    """Return the ContactHistory from the columns (n, 12) of a table."""
    position, point, force, rest = np.hsplit(columns, (3, 6, 9))
    return ContactHistory(position, point, force, *rest.T)


def row(instant: simulation.Instant, energy: float) -> tuple[float, ...]:
    """Return the twelve numbers of COLUMNS for a simulation.Instant on a floor; energy: [J]."""
    contact = simulation.contact_at(instant)
    return (
        *instant.state.position_W, *contact.point, *contact.force, contact.gap,
        contact.slip_speed, energy,
    )  # fmt: skip


def torque_W(touching: tuple[float, ...]) -> Vector3:
    """Return the torque (3,) of the floor about the centre of mass [N m], in world axes.

    touching: the twelve numbers of COLUMNS
    """
    position_W, point_W, force_W = np.array(touching[:9]).reshape(3, 3)
    return np.cross(point_W - position_W, force_W)


def row_of_topics(
    plant: simulation.Plant, floor: Any, state: State, instant: RecordedInstant, energy: float
) -> tuple[float, ...]:
    """Return the same numbers from an instant in a bag.

    Gap and slip over a hidden floor are 0 until ContactHistory.on_floors.
    """
    from spacecraft_attitude_sim.configuration.untrusted_scenario import HiddenFloor
    from spacecraft_attitude_sim.core.contact import floors

    time, point_W = instant.ticks.seconds(instant.elapsed), instant.point_W
    gap = slip = 0.0
    if not isinstance(floor, HiddenFloor):
        gap, normal_W = floors.gap_and_normal(floor, time, point_W)
        omega_W = rotations.rotate(state.q_WB, instant.omega_B)
        velocity_W = state.momentum_W / plant.body.mass + np.cross(
            omega_W, point_W - state.position_W
        )
        over_W = velocity_W - floors.velocity(floor, time, point_W)
        slip = float(np.linalg.norm(over_W - (over_W @ normal_W) * normal_W))
    return (*state.position_W, *point_W, *instant.contact_force_W, gap, slip, energy)
