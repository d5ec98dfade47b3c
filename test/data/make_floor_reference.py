# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Write floor_reference.json: ellipsoids on floors that curve and move.

Independent of the package: derivatives of G by SymPy, six-dimensional B, μ, λ and the 3 × 3 matrix
K of docs/contact.md, x_c integrated with the state, by scipy's DOP853 at a
tolerance of 1e-13. Nothing is projected; how far the constraints drift is printed and stored.

    λ = -(B μ^-1 B^T)^-1 [Ḃ Ω + ḃ + B μ^-1 (Φ - μ̇ Ω)]        d/dt (μ Ω) = Φ + B^T λ
    ẋ_c = -K^-1 (∂n_G/∂t + ∂n_H/∂t + ∂G/∂t ∇G)                K = ∂n_G/∂x + ∂n_H/∂x + ∇G ∇G^T

Run: python test/data/make_floor_reference.py
"""

import json
from pathlib import Path

import numpy as np
import sympy as sp
from make_ellipsoid_reference import matrix, skew
from scipy.integrate import solve_ivp

MASS = 1.0
GRAVITY = np.array((0.0, 0.0, -9.81))
SECONDS = 5.0
T, X, Y, Z = sp.symbols('t x y z')
VALLEY = 'z + x**2*exp(-2*x**2) - 0.1*y**2'
WAVE = 'z - 0.05*sin(2*x - 3*t)'
BRICK, BALL = (0.25, 0.27, 0.3), (0.25, 0.25, 0.25)
STILL = ('0', '0', '0')
# Of a wave whose material only goes up and down.
HEAVING = ('0', '0', '-0.15*cos(2*x - 3*t)')

# name: G, v of the floor, semi-axes, mode, place (x, y) of the contact point, q, ω in body axes,
# velocity along x and y (sliding only)
CASES = {
    'valley_sliding': (VALLEY, STILL, BRICK, 'sliding', (0.35, 0.1), (0.98, 0.1, 0.15, 0.05),
                       (0.5, -0.4, 0.8), (0.3, -0.1)),
    'valley_rolling': (VALLEY, STILL, BRICK, 'rolling', (0.35, 0.1), (0.98, 0.1, 0.15, 0.05),
                       (0.5, -0.4, 0.8), None),
    'valley_ball_sliding': (VALLEY, STILL, BALL, 'sliding', (0.5, 0.1), (1.0, 0.0, 0.0, 0.0),
                            (0.5, -0.4, 0.8), (0.0, 0.1)),
    'valley_ball_rolling': (VALLEY, STILL, BALL, 'rolling', (0.5, 0.1), (1.0, 0.0, 0.0, 0.0),
                            (0.5, -0.4, 0.8), None),
    'wave_sliding': (WAVE, HEAVING, BRICK, 'sliding', (0.2, 0.0), (0.98, 0.1, 0.15, 0.05),
                     (0.3, 0.2, 1.0), (0.2, 0.1)),
    'wave_rolling': (WAVE, HEAVING, BRICK, 'rolling', (0.2, 0.0), (0.98, 0.1, 0.15, 0.05),
                     (0.3, 0.2, 1.0), None),
}  # fmt: skip


def product(p, q):
    w = p[0] * q[0] - p[1:] @ q[1:]
    return np.array((w, *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))))


class Floor:
    """G and the velocity of its material, with their derivatives, by SymPy."""

    def __init__(self, level, velocity):
        place = (X, Y, Z)
        G = sp.sympify(level)
        v = sp.Matrix([sp.sympify(part) for part in velocity])
        gradient = sp.Matrix([sp.diff(G, one) for one in place])
        parts = {
            'G': G,
            'Gt': sp.diff(G, T),
            'Gtt': sp.diff(G, T, 2),
            'gradient': gradient,
            'gradient_t': gradient.diff(T),
            'hessian': gradient.jacobian(place),
            'v': v,
            'vt': v.diff(T),
            'vx': v.jacobian(place),
        }
        self.parts = {name: sp.lambdify((T, *place), part) for name, part in parts.items()}

    def at(self, t, c):
        """Return {name: number or array} at an event."""
        return {
            name: np.squeeze(np.asarray(part(t, *c), dtype=float))
            for name, part in self.parts.items()
        }


def rate(t, y, floor, axes, inertia, mode):
    """Return dy/dt of y = x, q, p, L, x_c."""
    x, q, p, L, c = np.split(y, (3, 7, 10, 13))
    R = matrix(q / np.linalg.norm(q))
    f = floor.at(t, c)
    r, v = c - x, p / MASS
    I_W = R @ np.diag(inertia) @ R.T
    omega = np.linalg.solve(I_W, L)
    gradient, hessian = f['gradient'], f['hessian']

    bend_H = R @ np.diag(1.0 / axes**2) @ R.T
    gradient_H = bend_H @ r
    n_G, dn_G = unit_and_turn(gradient, hessian)
    n_H, dn_H = unit_and_turn(gradient_H, bend_H)
    n_G_t = (np.eye(3) - np.outer(n_G, n_G)) @ f['gradient_t'] / np.linalg.norm(gradient)
    n_H_t = np.cross(omega, n_H) - dn_H @ (v + np.cross(omega, r))
    K = dn_G + dn_H + np.outer(gradient, gradient)
    c_rate = -np.linalg.solve(K, n_G_t + n_H_t + f['Gt'] * gradient)

    r_rate = c_rate - v
    B = np.hstack((np.eye(3), -skew(r)))
    B_rate = np.hstack((np.zeros((3, 3)), -skew(r_rate)))
    if mode == 'rolling':
        b_rate = -(f['vt'] + f['vx'] @ c_rate)
    else:
        gradient_rate = f['gradient_t'] + hessian @ c_rate
        B_rate = (gradient_rate @ B + gradient @ B_rate)[np.newaxis]
        B = (gradient @ B)[np.newaxis]
        b_rate = np.atleast_1d(f['Gtt'] + f['gradient_t'] @ c_rate)
    inverse = np.zeros((6, 6))
    inverse[:3, :3], inverse[3:, 3:] = np.eye(3) / MASS, np.linalg.inv(I_W)
    Omega = np.concatenate((v, omega))
    Phi = np.concatenate((MASS * GRAVITY, np.zeros(3)))
    mu_rate = np.concatenate((np.zeros(3), np.cross(omega, L)))
    need = B_rate @ Omega + b_rate + B @ inverse @ (Phi - mu_rate)
    force = Phi - B.T @ np.linalg.solve(B @ inverse @ B.T, need)
    q_rate = 0.5 * product(np.concatenate(([0.0], omega)), q)
    return np.concatenate((v, q_rate, force[:3], force[3:], c_rate))


def unit_and_turn(gradient, hessian):
    size = np.linalg.norm(gradient)
    n = gradient / size
    return n, (np.eye(3) - np.outer(n, n)) @ hessian / size


def start(floor, axes, inertia, mode, place, q, omega_B, along):
    """Return y of a body that touches at a place, with the velocity that goes with the floor."""
    q = np.array(q) / np.linalg.norm(q)
    R = matrix(q)
    z = 0.0
    for _ in range(50):
        f = floor.at(0.0, (*place, z))
        z -= f['G'] / f['gradient'][2]
    c = np.array((*place, z))
    f = floor.at(0.0, c)
    n = f['gradient'] / np.linalg.norm(f['gradient'])
    n_B = R.T @ n
    x = c + R @ (axes**2 * n_B) / np.linalg.norm(axes * n_B)
    omega, r = R @ np.array(omega_B), c - x
    if mode == 'rolling':
        v = f['v'] - np.cross(omega, r)
    else:
        v = np.array((*along, 0.0))
        v[2] -= (f['gradient'] @ (v + np.cross(omega, r)) + f['Gt']) / f['gradient'][2]
    return np.concatenate((x, q, MASS * v, R @ (inertia * np.array(omega_B)), c))


def errors(t, y, floor, axes, inertia, mode):
    """Return by how much gap, tangency and velocity miss the constraint, the largest."""
    x, q, p, L, c = np.split(y, (3, 7, 10, 13))
    R = matrix(q / np.linalg.norm(q))
    f, r = floor.at(t, c), c - x
    omega = R @ (R.T @ L / inertia)
    bend_H = R @ np.diag(1.0 / axes**2) @ R.T
    n_H, n_G = bend_H @ r, f['gradient']
    n_H, n_G = n_H / np.linalg.norm(n_H), n_G / np.linalg.norm(n_G)
    slip = p / MASS + np.cross(omega, r) - f['v']
    off = slip if mode == 'rolling' else n_G @ slip
    return max(abs(f['G']), abs(r @ bend_H @ r - 1.0), *np.abs(n_G + n_H), *np.abs(np.ravel(off)))


def solved(name):
    """Return what floor_reference.json holds of one case."""
    level, velocity, axes, mode, place, q, omega_B, along = CASES[name]
    floor, axes = Floor(level, velocity), np.array(axes)
    inertia = MASS / 5.0 * (np.sum(axes**2) - axes**2)
    more = (floor, axes, inertia, mode)
    first = start(*more, place, q, omega_B, along)
    times = np.linspace(0.0, SECONDS, 11)
    found = solve_ivp(
        rate, (0.0, SECONDS), first, 'DOP853', times, rtol=1e-13, atol=1e-14, args=more
    )
    error = errors(SECONDS, found.y[:, -1], *more)
    print(f'{name:20} constraint error at the end {error:.1e}, x {found.y[:3, -1].round(4)}')
    return {
        'expression': level,
        'velocity_expression': velocity,
        'semi_axes': axes.tolist(),
        'mode': mode,
        'times': times.tolist(),
        'x': found.y[:3].T.tolist(),
        'q': found.y[3:7].T.tolist(),
        'p': found.y[7:10].T.tolist(),
        'L': found.y[10:13].T.tolist(),
        'constraint_error': float(error),
    }


def main():
    """Solve every case and write them."""
    path = Path(__file__).with_name('floor_reference.json')
    path.write_text(json.dumps({name: solved(name) for name in CASES}, indent=1) + '\n')


if __name__ == '__main__':
    main()
