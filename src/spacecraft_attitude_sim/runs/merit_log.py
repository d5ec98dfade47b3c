# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the merits of a run are computed of, tick by tick, for the summary at its end."""

from __future__ import annotations

from array import array
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.studies import actuator_use, flight_merits
from spacecraft_attitude_sim.core.studies.flight_merits import Observed
from spacecraft_attitude_sim.flight.record import UNKNOWN, known
from spacecraft_attitude_sim.recording import knowledge_history

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.estimation.settings import Estimate
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, VectorLike
    from spacecraft_attitude_sim.core.simulation import Instant, Plant
    from spacecraft_attitude_sim.core.spacecraft.channels import Moment
    from spacecraft_attitude_sim.core.studies.flight_merits import Merits
    from spacecraft_attitude_sim.flight.record import Known

# Memory of the rows [bytes], of which a long run keeps the last half at least; most estimates.
MOST_KEPT, MOST_ESTIMATES = 2**26, 2**16
# {kind of part: channels that its merits need}; thrusters have their impulse, too.
CHANNELS = {
    'wheels': ('speeds', 'torques'), 'thrusters': ('used', 'pulses'),
    'magnetorquers': ('dipoles',),
}  # fmt: skip
IMPULSES = 'impulses'
# Time, stamp, q_WB, q_WR, L, torque.
TIME, STAMP, BODY, REFERENCE, MOMENTUM, TORQUE, PARTS = 0, 1, 2, 6, 10, 13, 16


class MeritLog:
    """Keeps the last ticks of a run under control, and what the estimator says in it."""

    def __init__(self, plant: Plant) -> None:
        self._plant = plant
        groups = plant.spacecraft.groups
        self._parts = {kind: groups[kind] for kind in actuator_use.OF_KIND if kind in groups}
        self._rows = array('d')
        self._width = 0
        self._known: deque[Known] = deque(maxlen=MOST_ESTIMATES)

    def add(
        self, instant: Instant, now: Moment, q_WR: Quaternion | None, torque_B: VectorLike
    ) -> None:
        """Add an Instant, its Moment, the attitude wanted or None, and the torque commanded."""
        state, before = instant.state, len(self._rows)
        reference = UNKNOWN if q_WR is None else q_WR
        self._rows.extend((
            instant.time, instant.stamp, *state.q_WB, *reference, *state.angular_momentum_W,
            *torque_B,
        ))  # fmt: skip
        for kind, parts in self._parts.items():
            for name in CHANNELS[kind]:
                self._rows.extend(now.value(kind, name).tolist())
            if kind == 'thrusters':
                self._rows.extend((instant.ticks.step * parts.thrust(now.drive)).tolist())
        self._width = len(self._rows) - before
        if 8 * len(self._rows) > MOST_KEPT:
            del self._rows[: len(self._rows) // self._width // 2 * self._width]

    def know(self, estimate: Estimate) -> None:
        """Add an Estimate of the estimator aboard."""
        self.remember(known(estimate))

    def remember(self, knowledge: Known) -> None:
        """Add what it knew at a time."""
        self._known.append(knowledge)

    def merits(self) -> Merits | None:
        """Return the Merits so far; None with fewer than two ticks."""
        rows = np.array(self._rows).reshape(-1, self._width or 1)
        if len(rows) < 2:
            return None
        stamps = rows[:, STAMP].astype(np.int64).tolist()
        q_WR = rows[:, REFERENCE:MOMENTUM]
        observed = Observed(
            rows[:, TIME], self._plant.ticks.step, rows[:, BODY:REFERENCE],
            q_WR if np.isfinite(q_WR).any() else None, rows[:, MOMENTUM:TORQUE],
            rows[:, TORQUE:PARTS], self._arrays(rows),
            knowledge_history.of_run(stamps, list(self._known)),
        )  # fmt: skip
        return flight_merits.of_flight(observed)

    def _arrays(self, rows: Array) -> dict[str, tuple[Any, dict[str, Array]]]:
        """Return Observed.parts of the rows."""
        arrays_of, column = {}, PARTS
        for kind, parts in self._parts.items():
            names = (*CHANNELS[kind], *((IMPULSES,) if kind == 'thrusters' else ()))
            count = len(parts.names)
            arrays = {}
            for name in names:
                arrays[name] = rows[:, column : column + count]
                column += count
            arrays_of[kind] = (parts, arrays)
        return arrays_of
