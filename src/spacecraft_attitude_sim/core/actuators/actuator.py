# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The interface of an actuator, and the sum of several."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from spacecraft_attitude_sim.core.actuators.inputs import NOTHING, Inputs
from spacecraft_attitude_sim.core.body.loads import FREE
from spacecraft_attitude_sim.core.mathematics.layout import Layout

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, FlatWrench, Matrix3, Vector3

# Angular momentum stored in rotors, relative to an inertial frame, and its rate: both in body
# axes [N m s, N m].
GYROSTAT = Layout(momentum_B=3, torque_B=3)
NO_GYROSTAT = np.zeros(GYROSTAT.size)
NO_GYROSTAT.flags.writeable = False


class Drive(NamedTuple):
    """Effect of actuators through one tick.

    wrench: (12,) of core.body.loads, constant: external wrench on the spacecraft [N, N m]
    gyrostat: (6,) of GYROSTAT when the tick begins: stored momentum and its rate
    internal: (n,) states of the actuators when the tick ends
    end: (15,) of core.parts.craft.END when it ends, for actuators that
        core.equations.multibody integrates; empty without any
    thrust: (M,) mean forces of those thrusters through the tick [N]; empty before the first tick
    """

    wrench: FlatWrench = FREE
    gyrostat: Array = NO_GYROSTAT
    internal: Array = NOTHING
    end: Array = NOTHING
    thrust: Array = NOTHING


class Actuator(Protocol):
    """Part of a spacecraft that acts on it; constant, because its states are in State.internal."""

    @property
    def states(self) -> int:
        """Number of its internal states."""

    @property
    def inertia_B(self) -> Matrix3:
        """Inertia (3, 3) of its rotors about their own axes, part of the whole [kg m^2]."""

    def drive(self, inputs: Inputs, internal: Array, duration: float) -> Drive:
        """Return its effect through a tick of `duration` [s].

        internal: (states,) when the tick begins
        """

    def momentum_B(self, internal: Array) -> Vector3:
        """Return the angular momentum (3,) that it stores [N m s], body axes."""

    def kinetic_energy(self, internal: Array) -> float:
        """Return the kinetic energy of the momentum that it stores [J]."""


def drive(
    actuators: tuple[Actuator, ...], inputs: Inputs, internal: Array, duration: float
) -> Drive:
    """Return the Drive of all actuators together through a tick of `duration` [s].

    internal: (n,) states of the actuators, in their order, when the tick begins
    """
    if len(actuators) == 1:
        return actuators[0].drive(inputs, internal, duration)
    total, ends, first = Drive(), [], 0
    for actuator in actuators:
        own = internal[first : first + actuator.states]
        first += actuator.states
        part = actuator.drive(inputs, own, duration)
        ends.append(part.internal)
        total = Drive(
            _added(total.wrench, part.wrench, FREE),
            _added(total.gyrostat, part.gyrostat, NO_GYROSTAT),
        )
    return total._replace(internal=np.concatenate(ends))


def _added(one: Array, other: Array, nothing: Array) -> Array:
    """Return the sum of two arrays; adding `nothing` changes no bit, not even of a -0.0."""
    if other is nothing:
        return one
    return other if one is nothing else one + other
