# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What changes during a run: position, attitude and the two momenta of one rigid body."""

from typing import NamedTuple

import numpy as np

SIZE = 13


class State(NamedTuple):
    """State of one body; momentum, not velocity, so that what is conserved is conserved exactly.

    position_W: (3,) centre of mass [m], world
    q_WB: (4,) unit quaternion (w, x, y, z), body to world
    momentum_W: (3,) linear momentum [N s], world
    angular_momentum_W: (3,) about the centre of mass [N m s], world
    """

    position_W: np.ndarray
    q_WB: np.ndarray
    momentum_W: np.ndarray
    angular_momentum_W: np.ndarray


def to_flat(state):
    """Return the state as one array (13,): x, q, p, L; the layout of every compiled loop."""
    return np.concatenate(state, dtype=float)


def from_flat(flat):
    """Return the State held in an array (13,); its parts are views of it."""
    return State(flat[0:3], flat[3:7], flat[7:10], flat[10:13])
