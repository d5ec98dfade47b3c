# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Commands of real actuators that give the torque of a control law."""

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
    from spacecraft_attitude_sim.core.control.thruster_allocation import DrivenThrusters
    from spacecraft_attitude_sim.core.control.wheel_allocation import DrivenWheels

GIMBALS, THRUSTERS, WHEELS = 0.0, 1.0, 2.0
MAX_RATE, MAX_FORCE = gimbal_steering.MAX_RATE, thruster_allocation.MAX_FORCE
MAX_TORQUE = wheel_allocation.MAX_TORQUE
# Of a limit: a command that was brought to it is nearer than this, rounding aside.
NEARLY = 1.0 - 1e-12


class Allocation(NamedTuple):
    """Actuators of one kind that a controller commands.

    kind: GIMBALS, THRUSTERS or WHEELS;  names: of them, G
    field: of a JointState that commands them
    rows: (G, any) constants of each for `allocate`
    gyroscopic: 1 to add ω × h of the rotors to the torque
    """

    kind: float
    names: tuple[str, ...]
    field: str
    rows: Array
    gyroscopic: float = 0.0

    @property
    def needs_angles(self) -> bool:
        """Whether `allocate` needs the angles of the joints."""
        return self.kind == GIMBALS

    @property
    def needs_speeds(self) -> bool:
        """Whether `allocate` needs the speeds of the joints."""
        return self.kind == WHEELS

    def at_limit(self, commands: VectorLike) -> bool:
        """Return whether one of the commands (G,) is the most that its actuator can."""
        return at_limit(self.kind, self.rows, np.array(commands, dtype=float))

    def commands(self, answer: Answer, joints: VectorLike) -> tuple[list[float], float]:
        """Return the command of each actuator (G,), and the measure of `allocate`.

        All are at rest where the law gave no answer.

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
    """Return the Allocation of gimbals, whose rates are commanded."""
    gyroscopic = float(steering.gyroscopic)
    return Allocation(GIMBALS, steering.gyros.names, 'velocity', steering.flat(), gyroscopic)


def of_thrusters(driven: DrivenThrusters) -> Allocation:
    """Return the Allocation of thrusters, whose mean forces are commanded."""
    return Allocation(THRUSTERS, driven.names, 'effort', driven.flat())


def of_wheels(wheels: DrivenWheels, gyroscopic: bool) -> Allocation:
    """Return the Allocation of wheels, whose motor torques are commanded."""
    return Allocation(WHEELS, wheels.names, 'effort', wheels.flat(), float(gyroscopic))


@compiled
def allocate(
    kind: float, rows: Array, gyroscopic: float, joints: Array, torque_B: Floats,
    omega_B: Floats, commands: Array,
) -> float:  # fmt: skip
    """Write the commands that give the body a torque; return the distance from a singularity.

    The distance is 1 at best, 0 at a singularity.

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


@compiled
def at_limit(kind: float, rows: Array, commands: Array) -> bool:
    """Return whether one of the commands (G,) of `allocate` is the most that its actuator can."""
    column = MAX_FORCE
    if kind == GIMBALS:
        column = MAX_RATE
    elif kind == WHEELS:
        column = MAX_TORQUE
    most = 0.0  # of the limits
    for k in range(len(rows)):
        most = max(most, abs(commands[k]) / rows[k, column])
    return most >= NEARLY
