# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Quasi-coordinates: why angular velocity cannot be integrated into an angle (S4 of physics.md).

A velocity ω_k = Σ_i a_ki(θ) dθ_i/dt is the rate of a coordinate only if ∂a_ki/∂θ_j = ∂a_kj/∂θ_i.
Here a(θ) is a SymPy matrix, so that what is found holds at every θ and not at samples. SymPy is
needed by this file alone, and is imported when a function is called (`pip install sympy`).
"""

import numpy as np

from spacecraft_attitude_sim.core import rotations

AXES = {'x': (1, 0, 0), 'y': (0, 1, 0), 'z': (0, 0, 1)}


def body_rates(sequence):
    """Return a(θ) (3, 3), ω_B = a dθ/dt, and the three angle symbols, of intrinsic Euler angles.

    Each angle turns about its own axis as seen after the later turns. Raises ValueError for a
    sequence that is not one of the twelve.

    sequence: three letters, such as 'zyx' (yaw, pitch, roll) or 'zxz'
    """
    import sympy

    if len(sequence) != 3 or sequence[0] == sequence[1] or sequence[1] == sequence[2]:
        raise ValueError(f'sequence is {sequence!r}; name three axes, no two neighbours alike')
    angles = sympy.symbols('theta1:4', real=True)
    later, columns = sympy.eye(3), []
    for letter, angle in reversed(list(zip(sequence, angles, strict=True))):
        turn = elementary_rotation(letter, angle)
        columns.insert(0, later.T * sympy.Matrix(AXES[letter]))
        later = turn * later
    return sympy.Matrix.hstack(*columns), angles


def elementary_rotation(letter, angle):
    """Return the SymPy matrix (3, 3) that turns vectors about a coordinate axis.

    Raises ValueError for a letter other than x, y, z.
    """
    import sympy

    if letter not in AXES:
        raise ValueError(f'axis is {letter!r}; choose one of {", ".join(AXES)}')
    x, y, z = AXES[letter]
    cross = sympy.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return sympy.eye(3) + sympy.sin(angle) * cross + (1 - sympy.cos(angle)) * cross * cross


def curl(a, angles):
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


def integrable(a, angles):
    """Return for each velocity whether it is the rate of a coordinate (a list of bool)."""
    import sympy

    rotation = curl(a, angles)
    zero = sympy.zeros(len(angles), len(angles))
    return [sympy.Matrix(rotation[k, :, :]) == zero for k in range(a.shape[0])]


def hamel_symbols(a, angles):
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


def boltzmann_hamel(kinetic_energy, a, angles, velocities, accelerations):
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


def turned(turns):
    """Return q_WB (4,) and the integral of ω_B (3,) [rad] after turns about body axes, in order.

    The same turns in another order have the same integral and end in another attitude: the
    integral of ω_B is no coordinate.

    turns: sequence of (letter, angle [rad])
    """
    q_WB, integral = np.array(rotations.IDENTITY), np.zeros(3)
    for letter, angle in turns:
        turn = rotations.quaternion_from_axis_angle(AXES[letter], angle)
        q_WB = rotations.compose(q_WB, turn)
        integral += angle * np.array(AXES[letter])
    return q_WB, integral
