# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One tick of the simulation, and many of them without a node."""

from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core import loads
from spacecraft_attitude_sim.core.body import RigidBody
from spacecraft_attitude_sim.core.equations import momentum
from spacecraft_attitude_sim.core.state import from_flat, to_flat
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS


class Plant(NamedTuple):
    """What is simulated and how; nothing in it changes during a run.

    body: RigidBody;  gravity_W: (3,) uniform gravitational acceleration [m/s^2]
    substeps: RK4 steps in a tick; 0 chooses them from the body's rate
    """

    body: RigidBody
    gravity_W: np.ndarray
    substeps: int = 0


def step(plant, state, wrench=loads.FREE):
    """Return the State one tick later, the wrench (12,) of core.loads held through it."""
    total = loads.with_gravity(wrench, plant.body.mass * plant.gravity_W)
    flat = momentum.advance(to_flat(state), plant.body.flat(), total, TICK_SECONDS, plant.substeps)
    return from_flat(flat)


def trajectory(plant, state, ticks, wrench=loads.FREE):
    """Return the flat states (ticks + 1, 13) of every tick; bit for bit what `step` gives."""
    total = loads.with_gravity(wrench, plant.body.mass * plant.gravity_W)
    return momentum.trajectory(
        to_flat(state), plant.body.flat(), total, TICK_SECONDS, plant.substeps, ticks
    )
