# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Floors: a plane at any tilt (still, heaving, conveyor, turntable), a bowl, or a user's own."""

from __future__ import annotations

from typing import ClassVar, Protocol, TypeVar

import numpy as np

from spacecraft_attitude_sim.core.contact import floor_functions
from spacecraft_attitude_sim.core.contact.solver.layout import CURVED, FLAT, STILL
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm, product
from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, VectorLike
from spacecraft_attitude_sim.kernels.kernel import Kernel
from spacecraft_attitude_sim.safety.frozen import dataclass

# One time [s], or an array of them.
Times = TypeVar('Times', float, Array)


class Floor(Protocol):
    """A smooth floor G(t, x) = 0, solid where G < 0.

    by_functions: whether it is given by functions, which other processes cannot evaluate
    """

    by_functions: ClassVar[bool]

    @property
    def largest_curvature(self) -> float:
        """Largest curvature towards the body [1/m]; 0 for a plane or a hill."""

    def kind(self) -> int:
        """Return the kind of floor, of core.contact.solver.layout."""

    def functions(self) -> tuple[Kernel, Kernel]:
        """Return the compiled level and velocity functions."""

    def parameters(self) -> Array:
        """Return the parameters of those functions."""

    def rate(self) -> float:
        """Return the angular frequency of its motion [rad/s]."""

    def moves(self) -> bool:
        """Return whether it or its material moves."""


@dataclass(frozen=True, kw_only=True)
class Plane:
    """A plane; its motions are optional and they add.

    normal: (3,) out of the floor, any length;  point: (3,) on it at rest, and on the spin's axis
        [m]
    amplitude [m], angular_frequency [rad/s], phase [rad]: heave A sin(w t + phase) along normal
    conveyor: (3,) velocity of the floor's material along the plane [m/s]
    spin: turntable, about the normal through the point [rad/s]
    Raises ValueError naming the field, its value and the remedy.
    """

    normal: tuple = (0.0, 0.0, 1.0)
    point: tuple = (0.0, 0.0, 0.0)
    amplitude: float = 0.0
    angular_frequency: float = 0.0
    phase: float = 0.0
    conveyor: tuple = (0.0, 0.0, 0.0)
    spin: float = 0.0

    by_functions: ClassVar[bool] = False
    largest_curvature: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        """Check every field; make the normal a unit vector."""
        normal = _vector('normal', self.normal, '')
        length = norm(normal)
        if length == 0.0:
            raise ValueError('normal is zero; give the direction out of the floor')
        object.__setattr__(self, 'normal', tuple((normal / length).tolist()))
        object.__setattr__(self, 'point', tuple(_vector('point', self.point, ' m').tolist()))
        conveyor = _vector('conveyor', self.conveyor, ' m/s')
        along = product(conveyor, self.normal)
        if abs(along) > 1e-9 * max(1.0, norm(conveyor)):
            raise ValueError(
                f'conveyor is {list(self.conveyor)} m/s, {along:g} m/s of it along the normal; '
                'it must lie in the plane: use amplitude and angular_frequency to heave the floor'
            )
        object.__setattr__(
            self, 'conveyor', tuple((conveyor - along * np.array(self.normal)).tolist())
        )
        for name in ('amplitude', 'angular_frequency', 'phase', 'spin'):
            if not np.isfinite(getattr(self, name)):
                raise ValueError(f'{name} is {getattr(self, name)}; give a finite number')

    def kind(self) -> int:
        """Return the kind of floor, of core.contact.solver.layout."""
        return FLAT if self.moves() else STILL

    def functions(self) -> tuple[Kernel, Kernel]:
        """Return the compiled level and velocity functions."""
        return floor_functions.plane_level, floor_functions.plane_velocity

    def parameters(self) -> Array:
        """Return the parameters of those functions."""
        return np.array(
            (
                *self.normal, *self.point, self.amplitude, self.angular_frequency, self.phase,
                *self.conveyor, self.spin,
            )
        )  # fmt: skip

    def rate(self) -> float:
        """Return the angular frequency of the floor's motion [rad/s]."""
        return abs(self.spin) + (abs(self.angular_frequency) if self.amplitude != 0.0 else 0.0)

    def moves(self) -> bool:
        """Return whether the plane or its material moves."""
        return self.rate() != 0.0 or any(self.conveyor)

    def heave(self, time: Times) -> Times:
        """Return the displacement of the plane along its normal at a time [s], in m."""
        return self.amplitude * np.sin(self.angular_frequency * time + self.phase)


@dataclass(frozen=True, kw_only=True)
class SphericalFloor:
    """One side of a sphere, at rest or turning about its centre.

    center: (3,) [m];  radius: [m];  angular_velocity: (3,) [rad/s]
    """

    by_functions: ClassVar[bool] = False

    radius: float
    center: tuple = (0.0, 0.0, 0.0)
    angular_velocity: tuple = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        """Check every field."""
        if not 0.0 < self.radius < np.inf:
            raise ValueError(f'radius is {self.radius} m; it must be positive and finite')
        object.__setattr__(self, 'center', tuple(_vector('center', self.center, ' m').tolist()))
        omega = _vector('angular_velocity', self.angular_velocity, ' rad/s')
        object.__setattr__(self, 'angular_velocity', tuple(omega.tolist()))

    def kind(self) -> int:
        """Return the kind of floor, of core.contact.solver.layout."""
        return CURVED

    def parameters(self) -> Array:
        """Return the parameters of the compiled functions."""
        return np.array((*self.center, self.radius, *self.angular_velocity))

    def rate(self) -> float:
        """Return the angular frequency of the floor's motion [rad/s]."""
        return norm(self.angular_velocity)

    def moves(self) -> bool:
        """Return whether the sphere turns."""
        return self.rate() > 0.0


@dataclass(frozen=True, kw_only=True)
class Bowl(SphericalFloor):
    """The inside of a sphere."""

    @property
    def largest_curvature(self) -> float:
        """Largest curvature of the floor towards the body [1/m]."""
        return 1.0 / self.radius

    def functions(self) -> tuple[Kernel, Kernel]:
        """Return the compiled level and velocity functions."""
        return floor_functions.bowl_level, floor_functions.bowl_velocity


@dataclass(frozen=True, kw_only=True)
class Dome(SphericalFloor):
    """The outside of a sphere: a hill."""

    largest_curvature: ClassVar[float] = 0.0

    def functions(self) -> tuple[Kernel, Kernel]:
        """Return the compiled level and velocity functions."""
        return floor_functions.dome_level, floor_functions.bowl_velocity


@dataclass(frozen=True, kw_only=True)
class ImplicitFloor:
    """Any smooth floor G(t, x) = 0, solid where G < 0.

    level, velocity: made with @floor_functions.floor_function, or of core.contact.formula
    values: their parameters
    largest_curvature: an upper bound of the curvature towards the body [1/m], 0 for a plane or a
    hill;  angular_frequency: of the fastest part of its motion [rad/s]
    The constructor checks the functions near the origin of the world. It raises ValueError for
    derivatives that do not fit, and for a velocity that leaves the surface.
    """

    level: Kernel
    velocity: Kernel = floor_functions.at_rest
    values: tuple = (0.0,)
    largest_curvature: float = 0.0
    angular_frequency: float = 0.0

    by_functions: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the functions."""
        from spacecraft_attitude_sim.core.contact import floor_check  # with its formulas

        floor_check.check(self.level, self.velocity, self.parameters())

    def kind(self) -> int:
        """Return the kind of floor, of core.contact.solver.layout."""
        return CURVED

    def functions(self) -> tuple[Kernel, Kernel]:
        """Return the compiled level and velocity functions."""
        return self.level, self.velocity

    def parameters(self) -> Array:
        """Return the parameters of those functions."""
        return np.array(self.values, dtype=float)

    def rate(self) -> float:
        """Return the angular frequency of its motion [rad/s]."""
        return self.angular_frequency

    def moves(self) -> bool:
        """Return whether the functions say that it moves."""
        return self.rate() > 0.0


def gap_and_normal(floor: Floor, time: float, point_W: Vector3) -> tuple[float, Vector3]:
    """Return the distance of a point (3,) from a floor at a time [s], and the unit normal there.

    The distance is to first order in itself: G / |∇G| [m].
    """
    values = floor.functions()[0](time, *point_W, floor.parameters())
    gradient = np.array(values[3:6])
    steepness = norm(gradient)
    return values[0] / steepness, gradient / steepness


def velocity(floor: Floor, time: float, point_W: Vector3) -> Vector3:
    """Return the velocity (3,) of a floor's material at a point (3,) and a time [m/s]."""
    return np.array(floor.functions()[1](time, *point_W, floor.parameters())[:3])


def _vector(name: str, values: VectorLike, unit: str) -> Vector3:
    vector = np.array(values, dtype=float)
    if vector.shape != (3,) or not np.all(np.isfinite(vector)):
        raise ValueError(f'{name} is {list(values)}{unit}; give three finite numbers')
    return vector
