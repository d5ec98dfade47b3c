# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the viewer is given to show: instants of one spacecraft, gathered from messages."""

from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations


class Samples(NamedTuple):
    """Instants in order of time, a row each.

    stamp: (n,) [ns];  elapsed: (n,) since the last start or reset [ns]
    position_W: (n, 3) [m];  q_WB: (n, 4)
    omega_B: (n, 3) [rad/s];  momentum_W: (n, 3) about the centre of mass [N m s]
    """

    stamp: np.ndarray
    elapsed: np.ndarray
    position_W: np.ndarray
    q_WB: np.ndarray
    omega_B: np.ndarray
    momentum_W: np.ndarray

    def part(self, start, end=None):
        """Return the samples from number `start` until before `end`."""
        return Samples(*(field[start:end] for field in self))


def from_history(table):
    """Return the Samples of a History (recording.history); it does not know positions."""
    q_WB = table.q_WB()
    stamp = np.round(table.time * 1e9).astype(np.int64)
    return Samples(
        stamp,
        stamp,
        np.zeros((len(table.time), 3)),
        q_WB,
        table.angular_velocity_B,
        rotations.rotate_many(q_WB, table.angular_momentum_B),
    )
