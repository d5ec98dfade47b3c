# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The rotation of a recorded spacecraft with actuators or internal parts, one row per instant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.studies import energy_sink
from spacecraft_attitude_sim.core.studies.energy_sink import Rotation

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.mathematics.types import Vectors3
    from spacecraft_attitude_sim.core.simulation import Spacecraft
    from spacecraft_attitude_sim.recording.part_history import PartHistory


def of_run(
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
    if craft.internal and craft.assembly:
        return craft.assembly.stored_B(state.internal, craft.angular_velocity_B(state))
    return craft.stored_B(state)
