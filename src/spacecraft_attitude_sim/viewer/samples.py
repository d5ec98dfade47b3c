# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The data that the viewer shows: instants of one spacecraft as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from spacecraft_attitude_sim.core.mathematics import rotations

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vectors3
    from spacecraft_attitude_sim.recording.history import History

# Times (n,) [ns].
Stamps: TypeAlias = NDArray[np.int64]


class Samples(NamedTuple):
    """Instants in order of time, one row each.

    stamp: (n,) [ns];  elapsed: (n,) since the last start or reset [ns]
    position_W: (n, 3) of the centre of mass [m];  q_WB: (n, 4)
    omega_B: (n, 3) [rad/s];  momentum_W: (n, 3) about the centre of mass, including wheels [N m s]
    wheel_speeds: (n, N) relative to the body [rad/s], NaN if not known; None if never known
    joint_angles, efforts: (n, J) of wheels, gimbals and thrusters [rad], [N m, N], as in
        joint_states;  dipole_B: (n, 3) [A m^2];  both NaN or None like wheel_speeds
    displacements: (n, K + 3 P) of coordinates and pendulums, slug_rates: (n, 3 S), as in the
        topics;  both NaN or None like wheel_speeds
    """

    stamp: Stamps
    elapsed: Stamps
    position_W: Vectors3
    q_WB: Array
    omega_B: Vectors3
    momentum_W: Vectors3
    wheel_speeds: Array | None = None
    joint_angles: Array | None = None
    efforts: Array | None = None
    dipole_B: Array | None = None
    displacements: Array | None = None
    slug_rates: Array | None = None

    def part(self, start: int, end: int | None = None) -> Samples:
        """Return the rows start to end - 1."""
        return self.chosen(slice(start, end))

    def chosen(self, rows: slice | NDArray[np.bool_]) -> Samples:
        """Return some rows; rows: a slice, or a Boolean mask (n,)."""
        fields: list[Any] = [field if field is None else field[rows] for field in self]
        return Samples(*fields)

    def speeds_of(self, count: int) -> Array:
        """Return the speeds (n, count) of the wheels, NaN if not known."""
        return self.known(self.wheel_speeds, count)

    def known(self, known: Array | None, count: int) -> Array:
        """Return a field that may be None as (n, count), NaN if not known."""
        if known is None or known.shape != (len(self.stamp), count):
            return np.full((len(self.stamp), count), np.nan)
        return known


def seconds_of(stamps: Stamps) -> Array:
    """Return times (n,) [ns] in seconds."""
    return np.asarray(stamps * 1e-9, dtype=float)


def from_history(table: History) -> Samples:
    """Return the Samples of a History (recording.history), with the position at the origin."""
    q_WB = table.q_WB()
    stamp = np.round(table.time * 1e9).astype(np.int64)
    return Samples(
        stamp,
        stamp,
        np.zeros((len(table.time), 3)),
        q_WB,
        table.angular_velocity_B,
        rotations.rotate_many(q_WB, table.angular_momentum_B),
        table.wheels and table.wheels.speeds,
    )
