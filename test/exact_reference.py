# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Attitude of free rigid bodies to 30 digits, independent of core.

Two ways, in mpmath. `attitude`: Jacobi elliptic functions for the angular momentum in the body and
Gauss-Legendre quadrature of the precession angle. `attitude_by_taylor`: power series of the
equations of motion, with no elliptic function. Floats are taken as exact numbers; only the norm of
a quaternion is put right. The caller sets the precision, mp.dps.
"""

import mpmath as mp

SERIES_ORDER = 50


def product(a, b):
    """Return the Hamilton product of two quaternions, w first."""
    return [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]


def conjugate(q):
    """Return the conjugate of a quaternion."""
    return [q[0], -q[1], -q[2], -q[3]]


def principal_frame(state, body):
    """Return q_WP, L in principal axes P, the moments and q_PB, of flat state and body."""
    q_WB = [mp.mpf(float(value)) for value in state[3:7]]
    q_BP = [mp.mpf(float(value)) for value in body[4:8]]
    q_WP = product(q_WB, q_BP)
    q_WP = [value / mp.norm(q_WP) for value in q_WP]
    L_W = [mp.mpf(0)] + [mp.mpf(float(value)) for value in state[10:13]]
    L_P = product(product(conjugate(q_WP), L_W), q_WP)[1:]
    q_PB = conjugate([value / mp.norm(q_BP) for value in q_BP])
    return q_WP, L_P, [mp.mpf(float(value)) for value in body[9:12]], q_PB


def attitude(state, body, times):
    """Return q_WB at each time as lists of four mpf, of a flat state (13,) and body (12,)."""
    q_WP, L_P, moments, q_PB = principal_frame(state, body)
    gyroscopic = [L_P[i - 2] * L_P[i - 1] * (moments[i - 2] - moments[i - 1]) for i in range(3)]
    if mp.norm(gyroscopic) == 0:
        rotations = [steady(L_P, moments, time) for time in times]
    else:
        rotations = tumble(L_P, moments, times)
    return [product(product(q_WP, rotation), q_PB) for rotation in rotations]


def steady(L, moments, time):
    """Return the rotation about an axis fixed in the body."""
    omega = [component / moment for component, moment in zip(L, moments, strict=True)]
    rate = mp.norm(omega)
    if rate == 0:
        return [mp.mpf(1), mp.mpf(0), mp.mpf(0), mp.mpf(0)]
    s = mp.sin(rate * time / 2) / rate
    return [mp.cos(rate * time / 2), s * omega[0], s * omega[1], s * omega[2]]


def tumble(L, moments, times):
    """Return the rotations from P at t = 0 to P at each time, as seen from P at t = 0.

    R(t) = R_z(ψ) S(m), S(m) the shortest rotation from m to z: dψ/dt = (ω_z + ω·m) / (1 + m_z).
    """
    momentum, quarter, rate, pole = elliptic_momentum(L, moments)
    size = mp.norm(L)

    def precession_rate(time):
        m = momentum(time)
        omega = [component / moment for component, moment in zip(m, moments, strict=True)]
        along = sum(a * b for a, b in zip(omega, m, strict=True)) / size
        return (pole[1] * omega[pole[0]] + along) / (1 + pole[1] * m[pole[0]] / size)

    def integral(start, end):
        pieces = int(mp.ceil((end - start) * rate / 0.7)) + 1
        return mp.quad(
            precession_rate, mp.linspace(start, end, pieces + 1), method='gauss-legendre'
        )

    def rotation(time, angle):
        m = momentum(time)
        return product(turn(pole, angle), shortest(m, pole))

    period = 2 * quarter / rate
    per_period = integral(mp.mpf(0), period) if period < times[-1] else mp.mpf(0)
    start = conjugate(rotation(mp.mpf(0), mp.mpf(0)))
    rotations = []
    for time in times:
        turns = mp.floor(time / period)
        angle = turns * per_period + integral(mp.mpf(0), time - turns * period)
        rotations.append(product(start, rotation(mp.mpf(time), angle)))
    return rotations


def turn(pole, angle):
    """Return the rotation by an angle about the signed axis (index, sign)."""
    q = [mp.cos(angle / 2), mp.mpf(0), mp.mpf(0), mp.mpf(0)]
    q[1 + pole[0]] = pole[1] * mp.sin(angle / 2)
    return q


def shortest(m, pole):
    """Return the shortest rotation that takes the direction of m onto the signed axis."""
    z = [mp.mpf(0)] * 3
    z[pole[0]] = mp.mpf(pole[1])
    q = [
        mp.norm(m) + sum(a * b for a, b in zip(m, z, strict=True)),
        m[1] * z[2] - m[2] * z[1],
        m[2] * z[0] - m[0] * z[2],
        m[0] * z[1] - m[1] * z[0],
    ]
    return [value / mp.norm(q) for value in q]


def elliptic_momentum(L, moments):
    """Return m(t) in principal axes, K, the rate of its argument, and the signed axis it circles.

    Landau and Lifshitz, Mechanics, section 37.
    """
    i, j, k = sorted(range(3), key=lambda index: moments[index])
    square = sum(component**2 for component in L)
    twice_energy = sum(c**2 / moment for c, moment in zip(L, moments, strict=True))
    if square < twice_energy * moments[j]:
        i, k = k, i
    Ii, Ij, Ik = moments[i], moments[j], moments[k]
    off, on = twice_energy * Ik - square, square - twice_energy * Ii
    rate = mp.sqrt((Ik - Ij) * on / (Ii * Ij * Ik))
    parameter = (Ij - Ii) * off / ((Ik - Ij) * on)
    size_i = mp.sqrt(Ii * off / (Ik - Ii))
    size_j = mp.sqrt(Ij * off / (Ik - Ij))
    size_k = mp.sqrt(Ik * on / (Ik - Ii))
    sign_k = 1 if L[k] >= 0 else -1
    # d(m_j)/dt = m_k m_i (1 / I_i - 1 / I_k) times the parity of (i, j, k)
    parity = 1 if (j - i) % 3 == 1 else -1
    sign_j = sign_k * parity * (1 if Ik > Ii else -1)
    phase = mp.atan2(sign_j * L[j] / size_j, L[i] / size_i)
    start = mp.ellipf(phase, parameter)

    def momentum(time):
        u = start + rate * time
        m = [None] * 3
        m[i] = size_i * mp.ellipfun('cn', u, m=parameter)
        m[j] = sign_j * size_j * mp.ellipfun('sn', u, m=parameter)
        m[k] = sign_k * size_k * mp.ellipfun('dn', u, m=parameter)
        return m

    return momentum, mp.ellipk(parameter), rate, (k, sign_k)


def attitude_by_taylor(state, body, time):
    """Return q_WB at one time as four mpf, by power series in time."""
    q_WP, m, moments, q_PB = principal_frame(state, body)
    rate = mp.norm([a / b for a, b in zip(m, moments, strict=True)])
    steps = int(mp.ceil(rate * time / 0.4)) + 1
    for _ in range(steps):
        q_WP, m = taylor_step(q_WP, m, moments, mp.mpf(time) / steps)
    return product(q_WP, q_PB)


def taylor_step(q, m, moments, h):
    """Return q and m one step later: dm/dt = m × ω, dq/dt = q ω / 2, ω = m / I."""
    qs, ms, ws = [q], [m], []
    for n in range(SERIES_ORDER):
        ws.append([a / b for a, b in zip(ms[n], moments, strict=True)])
        rates = [mp.mpf(0)] * 3
        q_rates = [mp.mpf(0)] * 4
        for k in range(n + 1):
            a, w = ms[k], ws[n - k]
            for i in range(3):
                rates[i] += a[i - 2] * w[i - 1] - a[i - 1] * w[i - 2]
            q_rates = [
                x + y for x, y in zip(q_rates, product(qs[k], [mp.mpf(0), *w]), strict=True)
            ]
        ms.append([value / (n + 1) for value in rates])
        qs.append([value / (2 * (n + 1)) for value in q_rates])
    q, m = series(qs, h), series(ms, h)
    return [value / mp.norm(q) for value in q], m


def series(coefficients, h):
    """Return the sum of vectors of coefficients times powers of h, by Horner's rule."""
    total = [mp.mpf(0)] * len(coefficients[0])
    for terms in reversed(coefficients):
        total = [value * h + term for value, term in zip(total, terms, strict=True)]
    return total


def angle_between(a, b):
    """Return the angle between two attitudes [rad], as mpf."""
    delta = product(conjugate(a), b)
    return 2 * mp.atan2(mp.norm(delta[1:]), abs(delta[0]))
