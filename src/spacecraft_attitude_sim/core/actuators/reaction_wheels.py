# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A reaction wheel assembly: any number of wheels about any axes, ideal motors, no losses.

With I the inertia of the whole spacecraft, its wheels locked, a_i their unit spin axes, J_i their
axial inertias and Ω_i their speeds relative to the body (Hughes, Spacecraft Attitude Dynamics,
1986, section 3.3; Markley & Crassidis, Fundamentals of Spacecraft Attitude Determination and
Control, 2014, section 3.3.5):

    J = I - Σ J_i a_i a_i^T             the body less what its wheels carry about their axes
    h_i = J_i (Ω_i + a_i·ω)             axial momentum in an inertial frame: the state of a wheel
    L_B = J ω + Σ h_i a_i               constant in an inertial frame without external torque
    dh_i/dt = u_i                       torque of the motor on the rotor

Because h_i, not Ω_i, is the state, a held torque makes it grow linearly, exactly, and the total
angular momentum is untouched by whatever the wheels do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.actuators.actuator import Drive

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.actuators.inputs import Inputs
    from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3

# How far the norm of a given axis may be from 1: rounded to three digits.
AXIS_TOLERANCE = 1e-3


@dataclass(frozen=True)
class ReactionWheels:
    """N wheels; checks itself.

    names: N different ones;  axes_B: (N, 3) unit spin axes, body
    inertias: (N,) axial [kg m^2], of the rotors about their spin axes
    torque_limits: (N,) largest torque of each motor [N m]
    Raises ValueError naming wheel, field, value and remedy.
    """

    names: tuple[str, ...]
    axes_B: Array
    inertias: Array
    torque_limits: Array
    states: int = field(init=False)
    _rows: tuple[tuple[float, float, float], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check every wheel, and make the axes unit vectors."""
        axes = np.array(self.axes_B, dtype=float).reshape(-1, 3)
        inertias, limits = (np.array(a, dtype=float) for a in (self.inertias, self.torque_limits))
        if not len(self.names) == len(axes) == len(inertias) == len(limits) > 0:
            raise ValueError('names, axes, inertias and torque limits of wheels differ in number')
        for name, axis, inertia, limit in zip(self.names, axes, inertias, limits, strict=True):
            size = float(np.linalg.norm(axis))
            if not abs(size - 1.0) <= AXIS_TOLERANCE:
                raise ValueError(
                    f'{name}.axis is {axis.tolist()} of length {size:g}; give a unit vector'
                )
            if not 0.0 < inertia < np.inf:
                raise ValueError(f'{name}.inertia is {inertia:g} kg m^2; it must be positive')
            if not 0.0 <= limit <= np.inf:
                raise ValueError(f'{name}.max_torque is {limit:g} N m; it must not be negative')
        axes /= np.linalg.norm(axes, axis=1)[:, np.newaxis]
        for name, value in (
            ('axes_B', axes),
            ('inertias', inertias),
            ('torque_limits', limits),
            ('states', len(axes)),
            ('_rows', tuple(map(tuple, axes.tolist()))),
        ):
            object.__setattr__(self, name, value)

    @property
    def inertia_B(self) -> Matrix3:
        """Inertia (3, 3) of the rotors about their spin axes, Σ J_i a_i a_i^T [kg m^2]."""
        return np.einsum('i,ij,ik->jk', self.inertias, self.axes_B, self.axes_B)

    @property
    def speed_limits(self) -> Array:
        """Largest speeds (N,) relative to the body [rad/s]; inf for none."""
        return np.full(self.states, np.inf)

    def drive(self, inputs: Inputs, internal: Array, duration: float) -> Drive:
        """Return what the wheels do under held motor torques; internal: (N,) h_i [N m s].

        inputs.wheel_torque: (N,) on the rotors [N m]; the body gets the opposite. None of them
        is no torque at all.
        """
        torque = inputs.wheel_torque
        if not torque.size:
            return Drive(
                gyrostat=np.array((*self._along(internal), 0.0, 0.0, 0.0)), internal=internal
            )
        gyrostat = np.array((*self._along(internal), *self._along(torque)))
        return Drive(gyrostat=gyrostat, internal=internal + duration * torque)

    def momentum_B(self, internal: Array) -> Vector3:
        """Return Σ h_i a_i (3,) [N m s]; internal: (N,) h_i [N m s]."""
        return np.array(self._along(internal))

    def kinetic_energy(self, internal: Array) -> float:
        """Return ½ Σ h_i²/J_i [J]; internal: (N,) h_i [N m s]."""
        return float(np.sum(internal * internal / self.inertias)) / 2.0

    def speeds(self, internal: Array, angular_velocity_B: Vector3) -> Array:
        """Return the speeds Ω_i = h_i/J_i - a_i·ω (N,) relative to the body [rad/s]."""
        return internal / self.inertias - self.axes_B @ angular_velocity_B

    def momenta(self, speeds: Array, angular_velocity_B: Vector3) -> Array:
        """Return h_i (N,) [N m s] of speeds Ω_i (N,) relative to the body [rad/s]."""
        return self.inertias * (np.asarray(speeds) + self.axes_B @ angular_velocity_B)

    def _along(self, amounts: Array) -> tuple[float, float, float]:
        """Return Σ amount_i a_i, added wheel by wheel: the same bits in compiled code."""
        x = y = z = 0.0
        for amount, axis in zip(amounts.tolist(), self._rows, strict=True):
            x, y, z = x + amount * axis[0], y + amount * axis[1], z + amount * axis[2]
        return x, y, z
