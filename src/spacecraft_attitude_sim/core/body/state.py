# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The state of a body and its parts: position, attitude, the two momenta, internal states."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics.layout import Layout

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        FlatState,
        Quaternion,
        Vector3,
    )

# The flat state of a rigid body; the internal states follow it.
STATE = Layout(position_W=3, q_WB=4, momentum_W=3, angular_momentum_W=3)
SIZE = STATE.size
NO_PARTS = np.zeros(0)
NO_PARTS.flags.writeable = False


class State(NamedTuple):
    """State of a body with parts. It holds momenta, so that conserved quantities stay exact.

    position_W: (3,) centre of mass [m], world
    q_WB: (4,) unit quaternion (w, x, y, z), body to world
    momentum_W: (3,) linear momentum [N s], world
    angular_momentum_W: (3,) of the whole about the centre of mass [N m s], world
    internal: (n,) states of the actuators, in their order
    """

    position_W: Vector3
    q_WB: Quaternion
    momentum_W: Vector3
    angular_momentum_W: Vector3
    internal: Array = NO_PARTS


class Truth(NamedTuple):
    """The state without errors, as it is told to a controller; of N bodies (N, 3) and (N, 4).

    position: (3,) of the centre of mass [m], world axes;  velocity: (3,) [m/s], world axes
    attitude: (4,) quaternion w, x, y, z that turns body axes into world axes
    angular_velocity: (3,) [rad/s], body axes
    angular_momentum: (3,) about the centre of mass, of all that turns [N m s], world axes
    """

    position: Array
    velocity: Array
    attitude: Array
    angular_velocity: Array
    angular_momentum: Array


def to_flat(state: State) -> FlatState:
    """Return the state as one array (13 + n,): x, q, p, L, and the internal states."""
    return np.concatenate(state, dtype=float)


def from_flat(flat: FlatState) -> State:
    """Return the State held in an array (13 + n,); its parts are views of it."""
    return State(flat[0:3], flat[3:7], flat[7:10], flat[10:13], flat[SIZE:])
