# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Body surfaces: sphere, ellipsoid, superellipsoid, or a user's own smooth convex function."""

from dataclasses import field
from typing import ClassVar

import numpy as np

from spacecraft_attitude_sim.core.contact import surface_functions
from spacecraft_attitude_sim.core.contact.convexity import Survey, survey
from spacecraft_attitude_sim.core.contact.solver.layout import ELLIPSOID, IMPLICIT, SUPPORTED
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import norm
from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike
from spacecraft_attitude_sim.kernels.kernel import Kernel
from spacecraft_attitude_sim.safety.frozen import dataclass


@dataclass(frozen=True, kw_only=True)
class Surface:
    """A surface placed on the body, for the compiled step.

    center: (3,) origin of the surface from the centre of mass, body axes [m]
    q_BS: (4,) surface axes to body
    survey: Survey of its size and curvature; computed
    Raises ValueError naming the field, its value and the remedy.
    """

    center: tuple = (0.0, 0.0, 0.0)
    q_BS: tuple = rotations.IDENTITY
    survey: Survey = field(init=False, repr=False, compare=False)

    kind: ClassVar[int]

    def __post_init__(self) -> None:
        """Check the placement and survey the surface."""
        if len(self.center) != 3 or not np.all(np.isfinite(self.center)):
            raise ValueError(f'center is {list(self.center)} m; give three finite numbers')
        unit = rotations.unit_quaternion(self.q_BS, 'q_BS')
        object.__setattr__(self, 'center', tuple(float(value) for value in self.center))
        object.__setattr__(self, 'q_BS', tuple(unit.tolist()))
        found = survey(self.implicit(), self.parameters(), self.scale())
        object.__setattr__(self, 'survey', found)

    def implicit(self) -> Kernel:
        """Return the compiled implicit function."""
        raise NotImplementedError

    def parameters(self) -> Array:
        """Return the parameters of that function, a float64 array."""
        raise NotImplementedError

    def scale(self) -> float:
        """Return a length of about the body's size [m]."""
        return 1.0

    def reach(self) -> float:
        """Return its largest distance from the centre of mass [m]."""
        return norm(self.center) + self.survey.reach


@dataclass(frozen=True, kw_only=True)
class Ellipsoid(Surface):
    """An ellipsoid; semi_axes: (3,) [m]."""

    semi_axes: tuple

    kind: ClassVar[int] = ELLIPSOID

    def __post_init__(self) -> None:
        """Check the axes, then the placement."""
        object.__setattr__(self, 'semi_axes', _lengths('semi_axes', self.semi_axes, 3))
        super().__post_init__()

    def implicit(self) -> Kernel:
        """Return the compiled implicit function."""
        return surface_functions.ellipsoid

    def parameters(self) -> Array:
        """Return a, b, c [m]."""
        return np.array(self.semi_axes)

    def scale(self) -> float:
        """Return the longest semi-axis [m]."""
        return max(self.semi_axes)


@dataclass(frozen=True, kw_only=True)
class Sphere(Surface):
    """A sphere; radius: [m]."""

    radius: float

    kind: ClassVar[int] = ELLIPSOID

    def __post_init__(self) -> None:
        """Check the radius, then the placement."""
        object.__setattr__(self, 'radius', _lengths('radius', (self.radius,), 1)[0])
        super().__post_init__()

    def implicit(self) -> Kernel:
        """Return the compiled implicit function."""
        return surface_functions.ellipsoid

    def parameters(self) -> Array:
        """Return the radius as three semi-axes [m]."""
        return np.full(3, self.radius)

    def scale(self) -> float:
        """Return the radius [m]."""
        return self.radius


@dataclass(frozen=True, kw_only=True)
class Superellipsoid(Surface):
    """The surface ((|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q)^(1/q) = 1.

    semi_axes: (3,) a, b, c [m];  exponents: (2,) p around the z axis, q towards it, each >= 2
    Above 2 it is flat at the ends of its axes: convex and smooth, but without curvature there.
    """

    semi_axes: tuple
    exponents: tuple

    kind: ClassVar[int] = SUPPORTED

    def __post_init__(self) -> None:
        """Check axes and exponents, then the placement."""
        object.__setattr__(self, 'semi_axes', _lengths('semi_axes', self.semi_axes, 3))
        object.__setattr__(self, 'exponents', _lengths('exponents', self.exponents, 2, ''))
        for index, exponent in enumerate(self.exponents):
            if not 2.0 <= exponent <= 16.0:
                raise ValueError(
                    f'exponents[{index}] is {exponent:g}; below 2 the surface has edges or tips, '
                    'above 16 it is a box to this model: give 2 to 16'
                )
        super().__post_init__()

    def implicit(self) -> Kernel:
        """Return the compiled implicit function."""
        return surface_functions.superellipsoid

    def parameters(self) -> Array:
        """Return a, b, c [m], p, q."""
        return np.array((*self.semi_axes, *self.exponents))

    def scale(self) -> float:
        """Return the longest semi-axis [m]."""
        return max(self.semi_axes)


@dataclass(frozen=True, kw_only=True)
class ImplicitSurface(Surface):
    """Any closed, smooth, convex surface H = 0 with its origin inside.

    function: made with @surface_functions.implicit_function;  values: its parameters
    size: typical distance of the surface from its origin [m]
    The constructor samples the surface. It raises ValueError for one that is open or not convex,
    or whose derivatives do not fit its H.
    """

    function: Kernel
    values: tuple = (0.0,)
    size: float = 1.0

    kind: ClassVar[int] = IMPLICIT

    def implicit(self) -> Kernel:
        """Return the compiled implicit function."""
        return self.function

    def parameters(self) -> Array:
        """Return the function's parameters."""
        return np.array(self.values, dtype=float)

    def scale(self) -> float:
        """Return the stated size [m]."""
        return self.size


def _lengths(name: str, values: VectorLike, count: int, unit: str = ' m') -> tuple[float, ...]:
    values = tuple(float(value) for value in values)
    if len(values) != count:
        raise ValueError(f'{name} has {len(values)} values; it needs {count}')
    for index, value in enumerate(values):
        if not 0.0 < value < np.inf:
            at = f'{name}[{index}]' if count > 1 else name
            raise ValueError(f'{at} is {value:g}{unit}; it must be positive and finite')
    return values
