# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Write ellipsoid_reference.json: a uniform ellipsoid on a level floor, by other equations.

Independent of the package: Euler's equations in body axes for (ω, q, x, y), the height, the
vertical speed and, rolling, the whole velocity eliminated by the constraint; the constraint force
by Newton's law for the mass centre. Integrated by scipy's DOP853 at a tolerance of 1e-13.

    n = R^T e_z    r = -A² n / h    h = |A n|    ṅ = n × ω
    sliding: N = m (g + ḧ)                      rolling: F = m (dv/dt + g e_z), v = -ω × r

Run: python test/data/make_ellipsoid_reference.py
"""

import json
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

MASS = 1.0
GRAVITY = 9.81
AXES = np.array((0.3, 0.2, 0.15))
INERTIA = MASS / 5.0 * (np.sum(AXES**2) - AXES**2)
SECONDS = 5.0

# name: mode, q (w, x, y, z), ω in body axes [rad/s], horizontal velocity [m/s] (sliding only)
STARTS = {
    'sliding_calm': ('sliding', (0.98, 0.1, 0.15, 0.05), (0.3, 0.5, 1.0), (0.1, 0.0)),
    'sliding_tilted': ('sliding', (0.8, 0.4, -0.3, 0.2), (0.5, -1.0, 0.7), (0.0, -0.2)),
    'sliding_fast': ('sliding', (0.95, 0.2, 0.1, 0.2), (1.0, 1.0, 12.0), (0.3, 0.1)),
    'rolling_calm': ('rolling', (0.98, 0.1, 0.15, 0.05), (0.3, 0.5, 1.0), None),
    'rolling_tilted': ('rolling', (0.8, 0.4, -0.3, 0.2), (0.5, -1.0, 0.7), None),
    'rolling_fast': ('rolling', (0.95, 0.2, 0.1, 0.2), (1.0, 1.0, 8.0), None),
}


def skew(v):
    return np.array(((0, -v[2], v[1]), (v[2], 0, -v[0]), (-v[1], v[0], 0)))


def matrix(q):
    w, x, y, z = q
    return np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    )


def contact(omega, n):
    """Return r, dr/dt, h, dh/dt, dn/dt."""
    square = AXES**2
    h = np.sqrt(np.sum(square * n * n))
    n_rate = np.cross(n, omega)
    h_rate = np.sum(square * n * n_rate) / h
    r = -square * n / h
    r_rate = -square * n_rate / h + square * n * h_rate / h**2
    return r, r_rate, h, h_rate, n_rate


def sliding_acceleration(omega, n):
    """Return dω/dt and the normal force."""
    square = AXES**2
    r, _, h, h_rate, n_rate = contact(omega, n)
    # ḧ = s + c · dω/dt, from n̈ = ṅ × ω + n × dω/dt
    s = np.sum(square * n_rate**2) / h - h_rate**2 / h
    s += np.sum(square * n * np.cross(n_rate, omega)) / h
    c = np.cross(square * n / h, n)
    lever = np.cross(r, n)
    left = np.diag(INERTIA) - MASS * np.outer(lever, c)
    right = -np.cross(omega, INERTIA * omega) + MASS * (GRAVITY + s) * lever
    rate = np.linalg.solve(left, right)
    return rate, MASS * (GRAVITY + s + c @ rate)


def rolling_acceleration(omega, n):
    """Return dω/dt and the normal force."""
    r, r_rate, _, _, _ = contact(omega, n)
    v = np.cross(r, omega)
    known = np.cross(r_rate, omega) + np.cross(omega, v) + GRAVITY * n
    left = np.diag(INERTIA) - MASS * skew(r) @ skew(r)
    right = -np.cross(omega, INERTIA * omega) + MASS * np.cross(r, known)
    rate = np.linalg.solve(left, right)
    return rate, MASS * n @ (known + np.cross(r, rate))


def solve(mode, q, omega, velocity):
    """Return the state x, q, p, L at SECONDS and the least normal force on the way."""
    acceleration = sliding_acceleration if mode == 'sliding' else rolling_acceleration
    least = [np.inf]

    def rate(_, y):
        q, omega = y[:4], y[4:7]
        R = matrix(q / np.linalg.norm(q))
        n = R[2]
        omega_rate, force = acceleration(omega, n)
        least[0] = min(least[0], force)
        w = np.concatenate(((0.0,), omega))
        q_rate = 0.5 * np.array(
            (
                -q[1] * w[1] - q[2] * w[2] - q[3] * w[3],
                q[0] * w[1] + q[2] * w[3] - q[3] * w[2],
                q[0] * w[2] + q[3] * w[1] - q[1] * w[3],
                q[0] * w[3] + q[1] * w[2] - q[2] * w[1],
            )
        )
        across = velocity if mode == 'sliding' else (R @ np.cross(contact(omega, n)[0], omega))[:2]
        return np.concatenate((q_rate, omega_rate, across))

    start = np.concatenate((q, omega, (0.0, 0.0)))
    end = solve_ivp(rate, (0.0, SECONDS), start, 'DOP853', rtol=1e-13, atol=1e-15).y[:, -1]
    return full_state(mode, end, velocity), least[0]


def full_state(mode, y, velocity):
    """Return the flat state x, q, p, L of a reduced one."""
    q, omega = y[:4] / np.linalg.norm(y[:4]), y[4:7]
    R = matrix(q)
    r, _, h, h_rate, _ = contact(omega, R[2])
    v = R @ np.cross(r, omega) if mode == 'rolling' else np.array((*velocity, h_rate))
    return np.concatenate((y[7:9], (h,), q, MASS * v, R @ (INERTIA * omega)))


def main():
    """Solve every start and write the file."""
    cases = {}
    for name, (mode, q, omega, velocity) in STARTS.items():
        q = np.array(q) / np.linalg.norm(q)
        end, least = solve(mode, q, np.array(omega), velocity)
        start = full_state(mode, np.concatenate((q, omega, (0.0, 0.0))), velocity)
        cases[name] = {
            'mode': mode,
            'start': start.tolist(),
            'end': end.tolist(),
            'least_normal_force': least,
        }
    path = Path(__file__).with_name('ellipsoid_reference.json')
    common = {'mass': MASS, 'gravity': GRAVITY, 'semi_axes': AXES.tolist(), 'seconds': SECONDS}
    path.write_text(json.dumps({**common, 'cases': cases}, indent=1) + '\n')


if __name__ == '__main__':
    main()
