# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The loop of a linear plant and a linear law, sampled: open at the torque of one axis, or closed.

The law sees the plant at the end of each period, without an error, and its command acts from that
instant on, or later by the delay, until the next one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.design.linear_plant import AXES, TORQUE
from spacecraft_attitude_sim.core.design.state_space import Held, StateSpace, sampled
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.design.linear_law import LinearLaw
    from spacecraft_attitude_sim.core.design.linear_plant import LinearPlant
    from spacecraft_attitude_sim.core.mathematics.types import VectorLike

ASKED = tuple(f'law.{axis} [N m]' for axis in AXES)
INTEGRAL = tuple(f'integral.{axis} [rad]' for axis in AXES)


@dataclass(frozen=True)
class AxisLoop:
    """L, the loop of one axis opened at the torque of its law, with the other axes closed.

    L has the minus of the feedback: the closed loop has the poles of 1/(1 + L).

    system: L as a sampled StateSpace;  whole: the SampledLoop;  axis: 0 to 2
    """

    system: StateSpace
    whole: SampledLoop
    axis: int

    @property
    def period(self) -> float:
        """Between samples [s]."""
        return self.system.period

    def poles(self) -> Any:
        """Return its poles (n,), in the z plane."""
        return self.system.poles()

    def response(self, rates: VectorLike) -> Any:
        """Return L (F,) at frequencies (F,) [rad/s]."""
        law, axis = self.whole.law, self.axis
        seen = self.whole.held.response(rates)[:, self.whole.rows][:, :, self.whole.columns]
        if law.beside.any():
            seen = np.linalg.solve(np.eye(len(law.sees)) - seen @ law.beside, seen)
        asked = law.asked @ seen @ law.given
        if law.summed.any():
            z = np.exp(1j * np.atleast_1d(rates) * self.period)[:, np.newaxis, np.newaxis]
            asked = asked + law.taken @ law.summed @ seen @ law.given / (z - 1.0)
        others = [k for k in range(3) if k != axis]
        inner = np.eye(2) - asked[:, others][:, :, others]
        from_others = np.linalg.solve(inner, asked[:, others, axis, np.newaxis])
        return -asked[:, axis, axis] - (asked[:, axis : axis + 1, others] @ from_others)[:, 0, 0]


@dataclass(frozen=True)
class SampledLoop:
    """A sampled loop.

    held: from all commands of the law, and a torque, to all that is measured
    plant: the same as a sampled StateSpace
    open: from the torque that is allocated to the torque of the law, in three axes
    law: the LinearLaw
    """

    held: Held
    plant: StateSpace
    open: StateSpace
    law: LinearLaw

    @cached_property
    def rows(self) -> list[int]:
        """Indices of what the law sees among the outputs of the plant."""
        return [self.plant.outputs.index(name) for name in self.law.sees]

    @cached_property
    def columns(self) -> list[int]:
        """Indices of the commands of the law among the inputs of the plant."""
        return [self.plant.inputs.index(name) for name in self.law.commands]

    def of_axis(self, axis: int) -> AxisLoop:
        """Return the loop of one axis, 0 to 2."""
        A, B, C = self.open.A, self.open.B, self.open.C
        others = [k for k in range(3) if k != axis]
        system = replace(
            self.open, A=A + B[:, others] @ C[others], B=B[:, axis : axis + 1],
            C=-C[axis : axis + 1], inputs=self.open.inputs[axis : axis + 1],
            outputs=self.open.outputs[axis : axis + 1],
        )  # fmt: skip
        return AxisLoop(system, self, axis)

    @property
    def closed(self) -> StateSpace:
        """Return the closed loop, from a torque on the body to all outputs of the plant."""
        law, plant = self.law, self.plant
        seen = plant.selected(law.commands, law.sees)
        A = plant.A + seen.B @ law.gain @ seen.C
        whole = _with_integral(plant.selected(TORQUE, plant.outputs), A, seen.C, law)
        whole.A[: len(A), len(A) :] = seen.B @ law.given @ law.taken
        return whole


def sampled_loop(plant: LinearPlant, law: LinearLaw, period: float, delay: float) -> SampledLoop:
    """Return the SampledLoop of a plant and a law.

    period: between measurements [s];  delay: from a measurement to its command [s]
    """
    system = plant.system
    wanted = (*TORQUE, *law.commands)
    delays = {name: delay + plant.delays.get(name, 0.0) for name in law.commands}
    held = sampled(system.selected(wanted, system.outputs), period, delays)
    both = held.state_space()
    seen = both.selected(law.commands, law.sees)
    A = seen.A + seen.B @ law.beside @ seen.C
    opened = StateSpace(
        A, seen.B @ law.given, law.asked @ seen.C, both.states, TORQUE, ASKED, period
    )
    opened = _with_integral(opened, A, seen.C, law)
    opened.C[:, len(A) :] = law.taken
    return SampledLoop(held, both, opened, law)


def _with_integral(system: StateSpace, A: Any, C: Any, law: LinearLaw) -> StateSpace:
    """Return a StateSpace with A (n, n) and the states of a law's integral; C: of what it sees."""
    count = len(law.summed)
    none = np.zeros((len(A), count))
    return replace(
        system,
        A=np.block([[A, none], [law.summed @ C, np.eye(count)]]),
        B=np.vstack((system.B, np.zeros((count, system.B.shape[1])))),
        C=np.hstack((system.C, np.zeros((len(system.C), count)))),
        states=system.states + INTEGRAL[:count],
    )
