# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The mass properties of a rigid body, which are constant through a run.

The inertia is the tensor itself: its off-diagonal elements are I_xy = -∫ x y dm. Sources:
L. D. Landau and E. M. Lifshitz, Mechanics, § 32 (inertia tensor) and § 36 (Euler's equations).
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.state import State
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import cross, product, turned
from spacecraft_attitude_sim.core.mathematics.layout import six_of
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spacecraft_attitude_sim.core.body.primitives import Primitive
    from spacecraft_attitude_sim.core.mathematics.types import (
        FlatBody,
        Floats,
        Matrix3,
        Quaternion,
        Real,
        Vector3,
        VectorLike,
    )


# A principal moment may exceed the sum of the other two by this fraction: a flat plate, where they
# are equal, must pass after round-off.
TRIANGLE_TOLERANCE = 1e-9
# Largest relative mismatch between an inertia and what was derived from it on another machine: far
# above the round-off of an eigendecomposition.
COMPUTED_TOLERANCE = 1e-10
# A principal moment below this fraction of the largest is singular to working precision: the rate
# about its axis would be round-off only.
SINGULAR_FRACTION = 1e-12


class BodyFrame(NamedTuple):
    """A frame fixed to the body, of a sensor or of the point at which a load acts.

    position_B: (3,) of its origin from the centre of mass, body axes [m]
    q_BF: (4,) unit quaternion, turns vectors in the frame's axes into body axes
    """

    position_B: Vector3
    q_BF: Quaternion


NOTHING_STORED = np.zeros(3)
NOTHING_STORED.flags.writeable = False
AT_CENTRE_OF_MASS = BodyFrame(np.zeros(3), np.array(rotations.IDENTITY))


class Computed(NamedTuple):
    """Quantities derived from an inertia, to the bit as in a recorded run.

    The last digits that LAPACK computes depend on the processor.

    moments: (3,) principal moments [kg m^2];  q_BP: (4,) principal axes to body axes
    inverse_inertia: (3, 3) body axes [1/(kg m^2)]
    """

    moments: Vector3
    q_BP: Quaternion
    inverse_inertia: Matrix3


@dataclass(frozen=True)
class RigidBody:
    """Mass properties of a rigid body; the constructor checks them.

    mass: [kg]
    inertia: (3, 3) symmetric, about the centre of mass, body axes [kg m^2]
    center_of_mass: (3,) in the design axes [m]; the origin of `base_link` is there
    center_B: (3,) [m]; see `about`. Zeros: inertia and origin are those of the centre of mass
    computed: recorded Computed of this inertia, used as it is; None derives it
    principal_moments: (3,) [kg m^2], q_BP: (4,) principal axes to body axes, and
    inverse_inertia: (3, 3) body axes [1/(kg m^2)]; derived
    least_moment: the smallest principal moment [kg m^2]
    Raises ValueError naming the field, its value and the remedy.
    """

    mass: float
    inertia: Matrix3
    center_of_mass: Vector3 = field(default_factory=lambda: np.zeros(3))
    computed: Computed | None = field(default=None, repr=False)
    center_B: Vector3 = field(default_factory=lambda: np.zeros(3), repr=False)
    principal_moments: Vector3 = field(init=False)
    q_BP: Quaternion = field(init=False)
    inverse_inertia: Matrix3 = field(init=False, repr=False)
    least_moment: float = field(init=False, repr=False)
    _flat: FlatBody = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check mass and inertia, and compute the principal axes."""
        if not 0.0 < self.mass < np.inf:
            raise ValueError(f'mass is {self.mass} kg; a mass must be positive')
        inertia = np.array(self.inertia, dtype=float)
        if inertia.shape != (3, 3) or not np.all(np.isfinite(inertia)):
            raise ValueError('inertia must be an array (3, 3) of finite numbers [kg m^2]')
        if not np.array_equal(inertia, inertia.T):
            raise ValueError('inertia is not symmetric; give Ixy = Iyx, Ixz = Izx, Iyz = Izy')
        if self.computed is None:
            moments, q_BP = principal_axes(inertia)
            check_principal_moments(moments)
            inverse_inertia = np.linalg.inv(inertia)
        else:
            moments, q_BP, inverse_inertia = self.computed
            check_principal_moments(moments)
            _check_computed(inertia, self.computed)
        object.__setattr__(self, 'inertia', inertia)
        object.__setattr__(self, 'center_of_mass', np.array(self.center_of_mass, dtype=float))
        object.__setattr__(self, 'center_B', np.array(self.center_B, dtype=float))
        object.__setattr__(self, 'principal_moments', moments)
        object.__setattr__(self, 'q_BP', q_BP)
        object.__setattr__(self, 'inverse_inertia', inverse_inertia)
        object.__setattr__(self, 'least_moment', float(min(moments)))
        object.__setattr__(self, '_flat', self._made_flat())

    @cached_property
    def whole(self) -> Floats:
        """Mass and inertia as loads take them, seven floats: m, xx, yy, zz, xy, xz, yz."""
        return (float(self.mass), *six_of(self.inertia).tolist())

    def about(self, pivot: Vector3) -> RigidBody:
        """Return the body about a pivot (3,), in the design axes [m], which a bearing holds.

        The pivot takes the place of the centre of mass: `center_of_mass` is the pivot, and
        `inertia` is about it, by the parallel-axis theorem. `center_B` is the true centre of
        mass, from the pivot.
        """
        center_B = self.center_of_mass + self.center_B - np.asarray(pivot, dtype=float)
        moved = point_inertia(self.mass, center_B) - point_inertia(self.mass, self.center_B)
        return RigidBody(self.mass, self.inertia + moved, pivot, center_B=center_B)

    @property
    def about_itself(self) -> RigidBody:
        """The body about its centre of mass, also where `about` gave it a pivot."""
        if not np.any(self.center_B):
            return self
        return self.about(self.center_of_mass + self.center_B)

    @property
    def radii_of_gyration(self) -> Vector3:
        """Radii of gyration (3,) about the principal axes, sqrt(moment / mass) [m]."""
        return np.sqrt(self.principal_moments / self.mass)

    def flat(self) -> FlatBody:
        """Return the constants (12,) of the compiled loops, in SI.

        1/mass, inverse principal moments (3,), q_BP (4,), mass, principal moments (3,).
        """
        return self._flat.copy()

    def _made_flat(self) -> FlatBody:
        return np.array(
            (
                1.0 / self.mass, *(1.0 / self.principal_moments), *self.q_BP,
                self.mass, *self.principal_moments,
            )
        )  # fmt: skip

    def angular_velocity_B(self, state: State, stored_B: Vector3 = NOTHING_STORED) -> Vector3:
        """Return ω_B = I^-1 (L_B - h) (3,) [rad/s].

        With rotors, this body is the carrier: its inertia excludes theirs about their spin axes
        (docs/spacecraft.md).

        stored_B: (3,) angular momentum h of the rotors about their spin axes, body axes [N m s]
        """
        return np.array(
            kinematics.angular_velocity(
                state.q_WB, state.angular_momentum_W, self.inverse_inertia, stored_B
            )
        )

    def angular_momentum_B(self, state: State) -> Vector3:
        """Return the total angular momentum about the centre of mass, body axes (3,) [N m s]."""
        return rotations.rotate(rotations.conjugate(state.q_WB), state.angular_momentum_W)

    def angular_acceleration_B(
        self, state: State, torque_B: Vector3, stored_B: Vector3 = NOTHING_STORED
    ) -> Vector3:
        """Return dω_B/dt = I^-1 (τ_B - ω_B × L_B) (3,) [rad/s^2], Euler's equation.

        torque_B: (3,) about the centre of mass, body axes, minus the motor torques dh/dt [N m]
        stored_B: (3,) angular momentum h of the rotors, body axes [N m s]
        """
        return self.turning_B(state, torque_B, stored_B)[1]

    def turning_B(
        self, state: State, torque_B: Vector3, stored_B: Vector3 = NOTHING_STORED
    ) -> tuple[Vector3, Vector3]:
        """Return `angular_velocity_B` and `angular_acceleration_B`, (3,) each."""
        omega_B, L_B = self.angular_velocity_B(state, stored_B), self.angular_momentum_B(state)
        gyroscopic = cross(omega_B, L_B)
        return omega_B, product(self.inverse_inertia, torque_B - gyroscopic)

    def kinetic_energies(
        self, state: State, stored_B: Vector3 = NOTHING_STORED
    ) -> tuple[float, float]:
        """Return the kinetic energies ½ p·p / m of translation and ½ ω·(L - h) of rotation [J].

        The energy ½ h²/J of each rotor is not included.

        stored_B: (3,) angular momentum h of the rotors, body axes [N m s]
        """
        turning_B = self.angular_momentum_B(state) - stored_B
        rotation: Real = product(self.angular_velocity_B(state, stored_B), turning_B) / 2.0
        translation: Real = product(state.momentum_W, state.momentum_W) / (2.0 * self.mass)
        return translation, rotation

    def kinetic_energy(self, state: State) -> float:
        """Return the kinetic energy of translation and rotation of a body without rotors [J]."""
        translation, rotation = self.kinetic_energies(state)
        return rotation + translation

    def state(
        self,
        position_W: VectorLike,
        q_WB: VectorLike,
        velocity_W: VectorLike,
        angular_velocity_B: Vector3,
        stored_B: Vector3 = NOTHING_STORED,
    ) -> State:
        """Return the State of this body with the given pose and velocities.

        position_W, velocity_W: (3,) of the centre of mass [m, m/s];  q_WB: (4,) unit quaternion
        angular_velocity_B: (3,) [rad/s];  stored_B: (3,) momentum of rotors, added to I ω [N m s]
        """
        momentum_B = self.inertia @ angular_velocity_B  # a bag holds the state at the start
        if stored_B is not NOTHING_STORED:  # + 0.0 would turn -0.0 into 0.0
            momentum_B = momentum_B + stored_B
        angular_momentum_W = rotations.rotate(q_WB, momentum_B)
        return State(
            np.array(position_W, dtype=float),
            np.array(q_WB, dtype=float),
            self.mass * np.array(velocity_W, dtype=float),
            angular_momentum_W,
        )


def _check_computed(inertia: Matrix3, computed: Computed) -> None:
    """Raise ValueError unless a Computed is that of an inertia (3, 3) [kg m^2]."""
    C_BP = rotations.dcm_from_quaternion(rotations.unit_quaternion(computed.q_BP))
    size = np.max(np.abs(inertia))
    apart = np.max(np.abs(turned(C_BP, np.diag(computed.moments)) - inertia)) / size
    # Round-off makes J^-1 J - 1 proportional to the condition number.
    unit = np.max(np.abs(product(computed.inverse_inertia, inertia) - np.eye(3)))
    unit *= np.min(computed.moments) / np.max(computed.moments)
    if not (apart < COMPUTED_TOLERANCE and unit < COMPUTED_TOLERANCE):
        raise ValueError('computed does not belong to the inertia; leave body.computed out')


def compose(parts: Sequence[Primitive]) -> RigidBody:
    """Return the RigidBody composed of uniform primitives, by the parallel-axis theorem.

    parts: Primitives, each with a mass, in the design axes
    Raises ValueError where no rigid body has the sum of their inertias.
    """
    masses = [part.mass for part in parts if part.mass is not None]
    assert len(masses) == len(parts), 'a part has no mass'
    mass = sum(masses)
    weighted = zip(masses, parts, strict=True)
    center_of_mass = sum((m * np.array(part.position) for m, part in weighted), np.zeros(3)) / mass
    inertias = (
        part.inertia() + point_inertia(m, np.array(part.position) - center_of_mass)
        for m, part in zip(masses, parts, strict=True)
    )
    inertia = sum(inertias, np.zeros((3, 3)))
    return RigidBody(mass, (inertia + inertia.T) / 2.0, center_of_mass)


def inertia_matrix(moments: Sequence[float]) -> Matrix3:
    """Return the inertia tensor (3, 3) from its three or six elements [kg m^2].

    moments: Ixx, Iyy, Izz, or Ixx, Iyy, Izz, Ixy, Ixz, Iyz, where Ixy = -∫ x y dm
    """
    xx, yy, zz, xy, xz, yz = moments if len(moments) == 6 else [*moments, 0.0, 0.0, 0.0]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def point_inertia(mass: float, offset: Vector3) -> Matrix3:
    """Return m (|c|^2 1 - c c^T) (3, 3) [kg m^2]: the parallel-axis term of an offset c (3,) [m].

    Added, it moves the reference point of an inertia away from the centre of mass; subtracted,
    there. L. D. Landau and E. M. Lifshitz, Mechanics, § 32.
    """
    return mass * (product(offset, offset) * np.eye(3) - np.outer(offset, offset))


def about_center_of_mass(inertia: Matrix3, mass: float, center_of_mass: VectorLike) -> Matrix3:
    """Return the inertia (3, 3) about the centre of mass from that about an origin.

    I_g = I - m (|c|^2 1 - c c^T), the parallel-axis theorem.

    inertia: (3, 3) about the origin [kg m^2];  mass: [kg]
    center_of_mass: (3,) from that origin, in the same axes [m]
    """
    return inertia - point_inertia(mass, np.asarray(center_of_mass, dtype=float))


def principal_axes(inertia: Matrix3) -> tuple[Vector3, Quaternion]:
    """Return the principal moments (3,) [kg m^2] and q_BP (4,), principal axes to body axes.

    Of the 24 right-handed orders and signs of the eigenvectors it takes the one that turns the
    body axes least; a diagonal inertia gives exactly the identity. Where moments are equal, LAPACK
    chooses the axes in their plane.

    inertia: (3, 3) symmetric, body axes [kg m^2]
    """
    if np.array_equal(inertia, np.diag(np.diag(inertia))):
        return np.diag(inertia).copy(), np.array(rotations.IDENTITY)
    moments, axes = np.linalg.eigh(inertia)
    x, y, z = np.abs(axes).tolist()
    order = max(permutations(range(3)), key=lambda k: x[k[0]] + y[k[1]] + z[k[2]])
    axes = axes[:, order] * np.where(np.diag(axes[:, order]) < 0.0, -1.0, 1.0)
    if np.linalg.det(axes) < 0.0:
        axes[:, np.argmin(np.abs(np.diag(axes)))] *= -1.0
    return moments[list(order)], rotations.quaternion_from_dcm(axes)


def check_principal_moments(moments: Iterable[float]) -> None:
    """Raise ValueError unless a rigid body can have these principal moments (3,) [kg m^2].

    All are positive, and none exceeds the sum of the other two (Landau and Lifshitz, § 32).
    """
    one, two, three = moments = [float(moment) for moment in moments]
    for index, moment in enumerate(moments):
        if not SINGULAR_FRACTION * max(map(abs, moments)) < moment:
            raise ValueError(
                f'inertia[{index}] is {moment:g} kg m^2 (principal moment); '
                f'a principal moment must be positive, and below {SINGULAR_FRACTION:g} of the '
                'largest the inertia is singular'
            )
    for index, moment in enumerate(moments):
        others = one + two + three - moment
        if moment > others * (1.0 + TRIANGLE_TOLERANCE):
            raise ValueError(
                f'inertia[{index}] is {moment:g} kg m^2 (principal moment), more than the sum '
                f'{others:g} of the other two; no body has that: check units and axes'
            )
