# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One tick of the simulation, and the commands that act in it."""

from spacecraft_attitude_sim.core.simulation.tick import (
    Inputs,
    Instant,
    MotionError,
    Plant,
    accelerations_W,
    contact_at,
    felt_wrench,
    first_instant,
    next_instant,
    put_instant,
    step,
    substeps_in,
    trajectory,
    under_resolved,
    weight,
    with_plant,
)

__all__ = [
    'Inputs',
    'Instant',
    'MotionError',
    'Plant',
    'accelerations_W',
    'contact_at',
    'felt_wrench',
    'first_instant',
    'next_instant',
    'put_instant',
    'step',
    'substeps_in',
    'trajectory',
    'under_resolved',
    'weight',
    'with_plant',
]
