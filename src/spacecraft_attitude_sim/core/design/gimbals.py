# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Control moment gyros in the linear plant: gimbals turn their rotors at commanded rates.

With h the momentum of a rotor along s, t = g × s, and I(γ) the inertia of gimbals and rotors, of
free rotors without that about s, the angular momentum changes by

    δL = M δω + Σ q δγ + Σ I_g u g        q = ∂I/∂γ ω₀ + h t        δγ' = u

about gimbals at rest. u is held between commands. Where it steps, ω steps by -M⁻¹ I_g g. So the
state of the plant is ν = δω + M⁻¹ Σ I_g u g, which does not step, and ω = ν - M⁻¹ Σ I_g u g is an
output that depends on the input. As in the simulator, the gravity gradient acts on the inertia
that the body has at the start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        Matrix3,
        Vector3,
        VectorLike,
        Vectors3,
    )
    from spacecraft_attitude_sim.core.spacecraft.spacecraft import Spacecraft


class Gimbals(NamedTuple):
    """The gyros of a spacecraft at the angles of a working point.

    names: of the G gimbals;  spins, across: s and t (G, 3), body axes
    momenta: h (G,) [N m s];  reactions: I_g g (G, 3) [kg m^2]
    inertia: (3, 3) of all [kg m^2];  turned: its derivatives by γ (G, 3, 3)
    """

    names: tuple[str, ...]
    spins: Vectors3
    across: Vectors3
    momenta: Array
    reactions: Vectors3
    inertia: Matrix3
    turned: Array

    @property
    def angles(self) -> list[str]:
        """Names of the states that are angles."""
        return [f'gimbal.{name}.angle [rad]' for name in self.names]

    @property
    def rates(self) -> list[str]:
        """Names of the inputs, the commanded rates."""
        return [f'gimbal.{name}.rate [rad/s]' for name in self.names]

    @property
    def stored_B(self) -> Vector3:
        """Angular momentum (3,) of the rotors beside `inertia` ω [N m s]."""
        stored_B: Vector3 = self.momenta @ self.spins
        return stored_B


NONE = Gimbals(
    (), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3)), np.zeros((3, 3)),
    np.zeros((0, 3, 3)),
)  # fmt: skip


def gimbals_of(craft: Spacecraft, angles: VectorLike, omega_B: Vector3) -> Gimbals:
    """Return the Gimbals of a spacecraft, NONE if it has no gyros.

    angles: (G,) [rad];  omega_B: (3,) of the working point [rad/s]
    """
    gyros = craft.part('control_moment_gyros')
    if gyros is None:
        return NONE
    each = []
    for gyro, angle in zip(gyros.gyros, angles, strict=True):
        s, t = gyro.axes_B(angle)
        g, (along, sideways, about) = np.asarray(gyro.gimbal_axis_B), gyro.inertias
        rotor, h = gyro.rotor_inertia, gyro.rotor_inertia * gyro.rotor_speed
        if gyro.free_rotor:  # it keeps h, which then is that in inertial axes
            rotor, h = 0.0, h + gyro.rotor_inertia * (s @ omega_B)
        inertia = (along + rotor) * np.outer(s, s) + sideways * np.outer(t, t)
        turned = (along + rotor - sideways) * (np.outer(s, t) + np.outer(t, s))
        each.append((s, t, h, about * g, inertia + about * np.outer(g, g), turned))
    s, t, h, reactions, inertia, turned = map(np.array, zip(*each, strict=True))
    return Gimbals(gyros.names, s, t, h, reactions, inertia.sum(axis=0), turned)
