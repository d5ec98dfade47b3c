# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A spacecraft and its controller, linear: the loop of each axis, its margins, its vibrations."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.control.control_law import NO_GRADIENT
from spacecraft_attitude_sim.core.design.linear_law import Measured, linear_law
from spacecraft_attitude_sim.core.design.linear_plant import LinearPlant, Point, linearised
from spacecraft_attitude_sim.core.design.margins import Margins, margins
from spacecraft_attitude_sim.core.design.sampled_loop import SampledLoop, sampled_loop
from spacecraft_attitude_sim.core.design.vibrations import Stabilised, stabilised, vibrations
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.control.allocation import Allocation
    from spacecraft_attitude_sim.core.control.control_law import Gains
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, VectorLike
    from spacecraft_attitude_sim.core.simulation.plant import Plant

# How near to the unit circle a pole of a motion is that lasts for ever.
CONSTANT = 1e-6
# Growth in a period that does not count, of momenta that the environment changes in years.
GROWTH = 1e-9
# Parts of a motion below this do not count.
FAINT = 1e-6


class Case(NamedTuple):
    """What is to be linearised.

    plant: Plant;  point: Point;  gains: of the law;  driven: Allocation, or None for a torque
    omega_R: (3,) angular velocity of the reference, in its axes [rad/s];  measured: Measured
    period: between measurements [s];  delay: from a measurement to its command [s]
    left_out: what is not in the linear model, in words
    asked_delay: the delay that was asked for, of which `delay` is what flies [s]
    gradient_R: (3,) u of core.control.control_law that it compensates, axes of the reference
    latency: of the IMU, part of both delays [s]
    """

    plant: Plant
    point: Point
    gains: Gains
    driven: Allocation | None
    omega_R: Vector3
    measured: Measured
    period: float
    delay: float
    left_out: tuple[str, ...] = ()
    asked_delay: float = 0.0
    gradient_R: VectorLike = NO_GRADIENT
    latency: float = 0.0


@dataclass(frozen=True, repr=False)
class LoopDesign:
    """The linear model of a Case, and what follows from it."""

    case: Case

    @cached_property
    def plant(self) -> LinearPlant:
        """The plant, continuous."""
        return linearised(self.case.plant, self.case.point)

    @cached_property
    def loop(self) -> SampledLoop:
        """The sampled loop."""
        case = self.case
        law = linear_law(
            case.gains, case.driven, case.omega_R, case.measured, case.gradient_R, case.period
        )
        return sampled_loop(self.plant, law, case.period, case.delay)

    @cached_property
    def margins(self) -> tuple[Margins, ...]:
        """The Margins of the loops of three axes, each opened alone."""
        return tuple(margins(self.loop.of_axis(axis)) for axis in range(3))

    @cached_property
    def closed_poles(self) -> Array:
        """The poles of the closed loop in the z plane, without constants of the motion."""
        opened = self.loop.open
        return moving_poles(opened.A + opened.B @ opened.C, opened.B, opened.C)

    @property
    def stable(self) -> bool:
        """Whether the closed loop is stable."""
        return bool(np.all(np.abs(self.closed_poles) < 1.0 + GROWTH))

    @property
    def poles(self) -> Array:
        """The poles of the closed loop as those of a continuous one, ln(z)/T [rad/s]."""
        z = self.closed_poles
        moving = z[np.abs(z) > 1e-8].astype(complex)
        return np.log(moving) / self.case.period

    @cached_property
    def vibrations(self) -> tuple[Stabilised, ...]:
        """The vibrations of the plant, and how the loop stabilises each."""
        every = vibrations(self.plant, self.loop.law, self.case.point.acceleration_B)
        loops = [self.loop.of_axis(axis) for axis in range(3)]
        return stabilised(every, loops, self.closed_poles)


def moving_poles(A: Array, B: Array, C: Array) -> Array:
    """Return the eigenvalues (k,) of A (n, n), but for those of constants of the motion.

    Such a pole is on the unit circle, and inputs (n, m) do not change its motion, or outputs
    (p, n) do not show it (M. L. J. Hautus, Indagationes Mathematicae 31, 1969, 443): as the
    angular momentum that wheels cannot change, which in axes that turn with an orbit goes round.
    """
    from scipy.linalg import eig

    values, left, right = eig(A, left=True, right=True)
    changed = np.linalg.norm(left.conj().T @ B, axis=1) / np.maximum(np.linalg.norm(B), 1e-300)
    shown = np.linalg.norm(C @ right, axis=0) / np.maximum(np.linalg.norm(C), 1e-300)
    constant = (np.abs(np.abs(values) - 1.0) < CONSTANT) & ((changed < FAINT) | (shown < FAINT))
    return np.asarray(values[~constant])
