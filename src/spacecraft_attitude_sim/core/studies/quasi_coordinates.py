# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Quasi-coordinates: why angular velocity cannot be integrated into an angle.

A velocity ω_k = Σ_i a_ki(θ) dθ_i/dt is the rate of a coordinate only if ∂a_ki/∂θ_j = ∂a_kj/∂θ_i.
pfaffian.py answers whether a factor helps, or several velocities together. Here a(θ) is a SymPy
matrix, so that results hold at every θ and not at samples. Only these two files need SymPy, and
they import it when a function is called (`pip install sympy`). Derivations:
docs/quasi_coordinates.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3, VectorLike

if TYPE_CHECKING:
    import sympy

AXES = {'x': (1, 0, 0), 'y': (0, 1, 0), 'z': (0, 0, 1)}


def body_rates(sequence: str) -> tuple[sympy.Matrix, tuple[sympy.Symbol, ...]]:
    """Return a(θ) (3, 3), ω_B = a dθ/dt, and the three angle symbols, of intrinsic Euler angles.

    Each angle turns about its own axis as seen after the later turns.

    sequence: three letters, such as 'zyx' (yaw, pitch, roll) or 'zxz'
    Raises ValueError for a sequence that is not one of the twelve.
    """
    import sympy

    turns, angles = _turns(sequence)
    later = sympy.eye(3)
    columns: list[sympy.Matrix] = []
    for letter, turn in reversed(turns):
        columns.insert(0, later.T * sympy.Matrix(AXES[letter]))
        later = turn * later
    return sympy.Matrix.hstack(*columns), angles


def world_rates(sequence: str) -> tuple[sympy.Matrix, tuple[sympy.Symbol, ...]]:
    """Return s(θ) (3, 3), ω_W = s dθ/dt, and the three angle symbols, of intrinsic Euler angles.

    As body_rates, but each angle turns about its own axis as carried by the earlier turns.
    """
    import sympy

    turns, angles = _turns(sequence)
    earlier, columns = sympy.eye(3), []
    for letter, turn in turns:
        columns.append(earlier * sympy.Matrix(AXES[letter]))
        earlier = earlier * turn
    return sympy.Matrix.hstack(*columns), angles


def _turns(sequence: str) -> tuple[list[tuple[str, sympy.Matrix]], tuple[sympy.Symbol, ...]]:
    """Return (letter, matrix) of each turn of a sequence of Euler angles, and their symbols."""
    import sympy

    if len(sequence) != 3 or sequence[0] == sequence[1] or sequence[1] == sequence[2]:
        raise ValueError(f'sequence is {sequence!r}; name three axes, no two neighbours alike')
    angles = sympy.symbols('theta1:4', real=True)
    pairs = zip(sequence, angles, strict=True)
    return [(letter, elementary_rotation(letter, angle)) for letter, angle in pairs], angles


def elementary_rotation(letter: str, angle: sympy.Expr) -> sympy.Matrix:
    """Return the SymPy matrix (3, 3) that turns vectors about a coordinate axis.

    Raises ValueError for a letter other than x, y, z.
    """
    import sympy

    if letter not in AXES:
        raise ValueError(f'axis is {letter!r}; choose one of {", ".join(AXES)}')
    x, y, z = AXES[letter]
    cross = sympy.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return sympy.eye(3) + sympy.sin(angle) * cross + (1 - sympy.cos(angle)) * cross * cross


def curl(a: sympy.Matrix, angles: Sequence[sympy.Symbol]) -> sympy.Array:
    """Return ∂a_ki/∂θ_j - ∂a_kj/∂θ_i as a SymPy array [k, i, j]; zero where π_k exists."""
    import sympy

    rows, columns = a.shape
    return sympy.Array(
        [
            [
                [
                    sympy.simplify(a[k, i].diff(angles[j]) - a[k, j].diff(angles[i]))
                    for j in range(columns)
                ]
                for i in range(columns)
            ]
            for k in range(rows)
        ]
    )


def integrable(a: sympy.Matrix, angles: Sequence[sympy.Symbol]) -> list[bool]:
    """Return for each velocity whether it is the rate of a coordinate (a list of bool)."""
    import sympy

    rotation = curl(a, angles)
    zero = sympy.zeros(len(angles), len(angles))
    return [sympy.Matrix(rotation[k, :, :]) == zero for k in range(a.shape[0])]


def potential(row: Sequence[sympy.Expr], coordinates: Sequence[sympy.Symbol]) -> sympy.Expr:
    """Return π(θ) with dπ = Σ_i a_i dθ_i, up to a constant: the coordinate whose rate the row is.

    It integrates along one coordinate after another, each time the rest of the row. An exact row
    has a potential near every point; around a hole it may have several values, as an angle does.

    row: (n,) expressions a_i;  coordinates: (n,) symbols θ_i
    Raises ValueError for a row that is not exact, and where SymPy finds no closed form: then
    potential_difference gives numbers.
    """
    import sympy

    if len(row) != len(coordinates):
        raise ValueError(f'row has {len(row)} terms for {len(coordinates)} coordinates')
    row = [sympy.sympify(term) for term in row]
    _check_exact(row, coordinates)
    found = sympy.S.Zero
    for term, coordinate in zip(row, coordinates, strict=True):
        left = sympy.simplify(term - found.diff(coordinate))
        found += sympy.integrate(left, coordinate)
    pairs = zip(row, coordinates, strict=True)
    if found.has(sympy.Integral) or any(not is_zero(found.diff(q) - term) for term, q in pairs):
        raise ValueError(
            'row is exact, but SymPy finds no closed form of its integral; potential_difference '
            'gives numbers'
        )
    return sympy.simplify(found)


def potential_difference(
    row: Sequence[sympy.Expr],
    coordinates: Sequence[sympy.Symbol],
    begin: Sequence[float],
    end: Sequence[float],
) -> float:
    """Return π(end) - π(begin) of the coordinate whose rate an exact row is.

    By quadrature along the straight line between them; this works where `potential` finds no
    closed form, too.

    row, coordinates: as of `potential`;  begin, end: (n,) values of the coordinates
    Raises ValueError for a row that is not exact, or that has no finite value somewhere on that
    line.
    """
    import sympy
    from scipy.integrate import quad

    row = [sympy.sympify(term) for term in row]
    _check_exact(row, coordinates)
    slopes = sympy.lambdify(coordinates, row, 'numpy')
    first, way = np.asarray(begin, dtype=float), np.subtract(end, begin)

    def slope(share: float) -> float:
        with np.errstate(all='ignore'):
            rise = float(np.dot(slopes(*(first + share * way)), way))
        if not np.isfinite(rise):
            raise ValueError(f'row has no value at {(first + share * way).tolist()}')
        return rise

    found, _ = quad(slope, 0.0, 1.0, epsabs=1e-13, epsrel=1e-12, limit=200)
    return float(found)


def _check_exact(row: Sequence[sympy.Expr], coordinates: Sequence[sympy.Symbol]) -> None:
    """Raise ValueError naming the first two coordinates whose cross derivatives differ."""
    for i, j in itertools.combinations(range(len(row)), 2):
        first, second = row[i].diff(coordinates[j]), row[j].diff(coordinates[i])
        if not is_zero(first - second):
            p, q = coordinates[i], coordinates[j]
            raise ValueError(
                f'row is not exact: d({row[i]})/d{q} is {first}, d({row[j]})/d{p} is {second}; '
                'integrating_factor may find a factor that makes them equal'
            )


def is_zero(expression: sympy.Expr) -> bool:
    """Return whether SymPy can tell that an expression is 0."""
    import sympy

    return bool(sympy.simplify(expression).equals(0))


def integrating_factor(
    row: Sequence[sympy.Expr], coordinates: Sequence[sympy.Symbol]
) -> sympy.Expr | None:
    """Return μ, a function of one coordinate alone, that makes μ Σ_i a_i dθ_i exact, or None.

    From d ln μ/dθ_j = (∂a_j/∂θ_i - ∂a_i/∂θ_j) / a_i, where that depends on θ_j alone. None does
    not mean that no other factor exists: see core.studies.pfaffian.holonomic.

    row: (n,) expressions a_i;  coordinates: (n,) symbols θ_i
    """
    import sympy

    row = [sympy.sympify(term) for term in row]
    if integrable(sympy.Matrix([row]), coordinates)[0]:
        return sympy.S.One
    for j, i in itertools.permutations(range(len(row)), 2):
        if is_zero(row[i]):
            continue
        slope = row[j].diff(coordinates[i]) - row[i].diff(coordinates[j])
        slope = sympy.simplify(slope / row[i])
        if slope.free_symbols & (set(coordinates) - {coordinates[j]}):
            continue
        factor = sympy.simplify(sympy.exp(sympy.integrate(slope, coordinates[j])))
        scaled = sympy.Matrix([[factor * term for term in row]])
        if not factor.has(sympy.Integral) and integrable(scaled, coordinates)[0]:
            return factor
    return None


def hamel_symbols(a: sympy.Matrix, angles: Sequence[sympy.Symbol]) -> sympy.Array:
    """Return γ_rkl = Σ_ij b_ir b_jl (∂a_ki/∂θ_j - ∂a_kj/∂θ_i) as a SymPy array [r, k, l].

    b = a^-1. G. Hamel, Z. Math. Phys. 50 (1904) 1.
    Raises ValueError for an a that is nowhere invertible.
    """
    import sympy

    if a.shape[0] != a.shape[1] or sympy.simplify(a.det()) == 0:
        raise ValueError(
            'a has no inverse; there must be as many independent velocities as angles'
        )
    b = sympy.simplify(a.inv())
    rotation = curl(a, angles)
    size = len(angles)
    slices = [sympy.simplify(b.T * sympy.Matrix(rotation[k, :, :]) * b) for k in range(size)]
    return sympy.Array(
        [[[slices[k][r, m] for m in range(size)] for k in range(size)] for r in range(size)]
    )


def boltzmann_hamel(
    kinetic_energy: sympy.Expr,
    a: sympy.Matrix,
    angles: Sequence[sympy.Symbol],
    velocities: Sequence[sympy.Symbol],
    accelerations: Sequence[sympy.Symbol],
) -> list[sympy.Expr]:
    """Return the generalised forces F_r of the Boltzmann-Hamel equations, a list of expressions.

    F_r = d/dt(∂T/∂ω_r) + Σ_kl γ_rkl ω_l ∂T/∂ω_k - Σ_i b_ir ∂T/∂θ_i

    kinetic_energy: T(θ, ω), a SymPy expression;  velocities, accelerations: symbols of ω and dω/dt
    """
    import sympy

    gamma = hamel_symbols(a, angles)
    omega = sympy.Matrix(velocities)
    b = a.inv()
    momenta = sympy.Matrix([kinetic_energy]).jacobian(omega).T
    slopes = sympy.Matrix([kinetic_energy]).jacobian(sympy.Matrix(angles)).T
    rates = momenta.jacobian(omega) * sympy.Matrix(accelerations)
    rates += momenta.jacobian(sympy.Matrix(angles)) * b * omega
    size = range(len(velocities))
    return [
        sympy.simplify(
            rates[r]
            + sum(gamma[r, k, m] * omega[m] * momenta[k] for k in size for m in size)
            - (b.T * slopes)[r]
        )
        for r in size
    ]


def turned(turns: Iterable[tuple[str, float]]) -> tuple[Quaternion, Vector3]:
    """Return q_WB (4,) and the integral of ω_B (3,) [rad] after turns about body axes, in order.

    The same turns in another order have the same integral and end in another attitude: so the
    integral of ω_B is no coordinate.

    turns: sequence of (letter, angle [rad])
    """
    q_WB, integral = np.array(rotations.IDENTITY), np.zeros(3)
    for letter, angle in turns:
        turn = rotations.quaternion_from_axis_angle(AXES[letter], angle)
        q_WB = rotations.compose(q_WB, turn)
        integral += angle * np.array(AXES[letter])
    return q_WB, integral


def rolled(legs: Iterable[VectorLike], radius: float) -> tuple[Quaternion, Array]:
    """Return q_WB (4,) and the position (2,) [m] of a ball that has rolled along straight legs.

    A leg d turns it by |d| / radius about the level axis e_z × d, without spin about the vertical.
    A
    closed path changes its attitude: rolling without slip cannot be integrated.

    legs: sequence of (dx, dy) on a level floor [m];  radius: [m]
    """
    q_WB, place = np.array(rotations.IDENTITY), np.zeros(2)
    for leg in np.array(legs, dtype=float):
        way = np.hypot(*leg)
        if way > 0.0:
            turn = rotations.quaternion_from_axis_angle((-leg[1], leg[0], 0.0), way / radius)
            q_WB = rotations.compose(turn, q_WB)
        place += leg
    return q_WB, place
