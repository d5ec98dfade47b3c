# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""One tick of the simulation, and the commands that act in it."""

from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.simulation.fault_schedule import FaultSchedule
from spacecraft_attitude_sim.core.simulation.instant import Instant, MotionError
from spacecraft_attitude_sim.core.simulation.plant import Plant, plant_of
from spacecraft_attitude_sim.core.simulation.tick import (
    accelerations_W,
    commanded_torque_B,
    contact_at,
    given_instant,
    next_instant,
    put_instant,
    step,
    struck,
    substeps_in,
    tick_error,
    trajectory,
    truth,
    turning_wrench,
    under_resolved,
    with_plant,
)
from spacecraft_attitude_sim.core.spacecraft import Spacecraft

__all__ = [
    'FaultSchedule',
    'Inputs',
    'Instant',
    'MotionError',
    'Plant',
    'Spacecraft',
    'accelerations_W',
    'commanded_torque_B',
    'contact_at',
    'given_instant',
    'next_instant',
    'plant_of',
    'put_instant',
    'step',
    'struck',
    'substeps_in',
    'tick_error',
    'trajectory',
    'truth',
    'turning_wrench',
    'under_resolved',
    'with_plant',
]
