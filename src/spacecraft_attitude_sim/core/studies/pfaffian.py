# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Constraints linear in velocities, Σ_i a_ki(q) dq_i = 0, and whether they can be integrated.

Independent constraints are holonomic if together they keep as many functions of the coordinates
constant. None of them needs to be exact for that: y dx - x dy is y² d(x/y). Frobenius' theorem
gives the condition. Where they are not holonomic, the Lie brackets of the allowed motions give the
dimensions that can be reached. Both hold at every point except where a rank falls, as far as SymPy
can simplify.

G. Frobenius, J. reine angew. Math. 82 (1877) 230; W.-L. Chow, Math. Ann. 117 (1939) 98;
A. M. Bloch, Nonholonomic Mechanics and Control, 2nd ed. (2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.studies import quasi_coordinates
from spacecraft_attitude_sim.core.studies.quasi_coordinates import is_zero

if TYPE_CHECKING:
    import sympy


def holonomic(a: sympy.Matrix, coordinates: Sequence[sympy.Symbol]) -> bool:
    """Return whether the constraints a dq = 0 together are integrable, up to factors.

    Frobenius: they are where dω_k(v, w) = 0 for every row ω_k and all motions v, w that the rows
    allow; the same as dω_k ∧ ω_1 ∧ … ∧ ω_m = 0.

    a: SymPy matrix (m, n), one row for a single form;  coordinates: (n,) symbols
    Raises ValueError for a matrix of another width.
    """
    import sympy

    motions = allowed_motions(a, coordinates)
    curl = quasi_coordinates.curl(a, coordinates)
    size = len(coordinates)
    forms = [sympy.Matrix(size, size, list(sympy.flatten(curl[k]))) for k in range(a.shape[0])]
    return all(is_zero(value) for form in forms for value in motions.T * form * motions)


def allowed_motions(a: sympy.Matrix, coordinates: Sequence[sympy.Symbol]) -> sympy.Matrix:
    """Return a SymPy matrix (n, n - rank) whose columns span the velocities with a dq = 0."""
    import sympy

    if a.shape[1] != len(coordinates):
        raise ValueError(f'a has {a.shape[1]} columns for {len(coordinates)} coordinates')
    found = a.nullspace(iszerofunc=is_zero, simplify=sympy.simplify)
    return sympy.Matrix.hstack(sympy.zeros(len(coordinates), 0), *found)


def growth_vector(a: sympy.Matrix, coordinates: Sequence[sympy.Symbol]) -> tuple[int, ...]:
    """Return the dimensions spanned by the allowed motions, then with their brackets, and so on.

    A motion to and fro along two fields moves along their Lie bracket. The last number is the
    dimension that can be reached (Chow); n minus this number is how many functions of the
    coordinates stay constant. One number alone: holonomic. A ball rolling: (3, 5), any position in
    any attitude.

    a: SymPy matrix (m, n);  coordinates: (n,) symbols
    """
    import sympy

    q = sympy.Matrix(coordinates)
    motions = allowed_motions(a, coordinates)
    fields = [motions[:, k] for k in range(motions.shape[1])]
    first, latest, dimensions = list(fields), list(fields), [len(fields)]
    while latest:
        brackets = [_bracket(v, w, q) for v in first for w in latest]
        every = sympy.Matrix.hstack(*fields, *brackets)
        _, independent = every.rref(iszerofunc=is_zero, simplify=sympy.simplify)
        latest = [every[:, k] for k in independent[len(fields) :]]
        fields += latest
        if latest:
            dimensions.append(len(fields))
    return tuple(dimensions)


def _bracket(v: sympy.Matrix, w: sympy.Matrix, q: sympy.Matrix) -> sympy.Matrix:
    """Return the Lie bracket [v, w] of two fields (n, 1)."""
    import sympy

    return (w.jacobian(q) * v - v.jacobian(q) * w).applyfunc(sympy.simplify)


def rolling_ball(
    sequence: str = 'zyx', spins: bool = True
) -> tuple[sympy.Matrix, tuple[sympy.Symbol, ...]]:
    """Return the constraints (2, 5) of a ball on a level floor, and its coordinates x, y, angles.

    No slip at the lowest point: dx/dt = R ω_y, dy/dt = -R ω_x, with ω_W from Euler angles.

    sequence: of the angles;  spins: False adds a third row, ω_z = 0
    """
    import sympy

    rates, angles = quasi_coordinates.world_rates(sequence)
    rates = rates.applyfunc(sympy.simplify)
    x, y = sympy.symbols('x y', real=True)
    radius = sympy.symbols('R', positive=True)
    place = sympy.Matrix([[1, 0], [0, 1], [0, 0]])
    turn = sympy.Matrix.vstack(-radius * rates[1, :], radius * rates[0, :], rates[2, :])
    a = sympy.Matrix.hstack(place, turn)
    return (a[:2, :] if spins else a), (x, y, *angles)
