# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Which commands of real actuators give the torque that a control law asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.control import (
    gimbal_steering,
    thruster_allocation,
    wheel_allocation,
)
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, VectorLike
from spacecraft_attitude_sim.kernels.kernel import compiled

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.control.attitude_loop import Answer
    from spacecraft_attitude_sim.core.control.gimbal_steering import Steering
    from spacecraft_attitude_sim.core.control.thruster_allocation import ThrusterPairs
    from spacecraft_attitude_sim.core.control.wheel_allocation import DrivenWheels

GIMBALS, THRUSTERS, WHEELS = 0.0, 1.0, 2.0


class Allocation(NamedTuple):
    """Actuators of one kind that a controller commands, and how.

    kind: GIMBALS, THRUSTERS or WHEELS;  names: of them, G
    field: of a JointState that commands them
    rows: (G, any) of what `allocate` is given of each;  gyroscopic: 1 to give ω × h of rotors
    """

    kind: float
    names: tuple[str, ...]
    field: str
    rows: Array
    gyroscopic: float = 0.0

    @property
    def needs_angles(self) -> bool:
        """Whether the angles of its joints must be known."""
        return self.kind == GIMBALS

    @property
    def needs_speeds(self) -> bool:
        """Whether the speeds of its joints must be known."""
        return self.kind == WHEELS

    def commands(self, answer: Answer, joints: VectorLike) -> tuple[list[float], float]:
        """Return what each actuator is commanded (G,), and the measure of `allocate`.

        All rest where the law did not answer.

        joints: (G,) angles [rad] or speeds [rad/s], where they are needed
        """
        found = np.zeros(len(self.names))
        if answer.omega_B is None:
            return found.tolist(), 1.0
        x, y, z = answer.torque_B.tolist()
        measure = allocate(
            self.kind, self.rows, self.gyroscopic, np.array(joints, dtype=float), (x, y, z),
            answer.omega_B, found,
        )  # fmt: skip
        return found.tolist(), measure


def of_gimbals(steering: Steering) -> Allocation:
    """Return the Allocation of gimbals, which are commanded their rates."""
    gyroscopic = float(steering.gyroscopic)
    return Allocation(GIMBALS, steering.gyros.names, 'velocity', steering.flat(), gyroscopic)


def of_thrusters(pairs: ThrusterPairs) -> Allocation:
    """Return the Allocation of thrusters, which are commanded their mean forces."""
    return Allocation(THRUSTERS, pairs.names, 'effort', pairs.flat())


def of_wheels(wheels: DrivenWheels, gyroscopic: bool) -> Allocation:
    """Return the Allocation of wheels, which are commanded the torques of their motors."""
    return Allocation(WHEELS, wheels.names, 'effort', wheels.flat(), float(gyroscopic))


@compiled
def allocate(
    kind: float, rows: Array, gyroscopic: float, joints: Array, torque_B: Floats,
    omega_B: Floats, commands: Array,
) -> float:  # fmt: skip
    """Write the commands that give the body a torque; return how far from singular, 1 at best.

    kind, rows, gyroscopic: of Allocation;  commands: (G,)
    joints: (G,) angles of gimbals [rad], speeds of wheels [rad/s]
    torque_B, omega_B: three floats [N m, rad/s]
    """
    if kind == GIMBALS:
        return gimbal_steering.steered(rows, gyroscopic, joints, torque_B, omega_B, commands)
    if kind == WHEELS:
        wheel_allocation.turn(rows, gyroscopic, joints, torque_B, omega_B, commands)
        return 1.0
    thruster_allocation.fire(rows, torque_B, commands)
    return 1.0
