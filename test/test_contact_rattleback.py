# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The rattleback of Kane and Levinson (1982), Int. J. Non-Linear Mechanics 17, 175-186.

Ellipsoid a = 0.2, b = 0.03, c = 0.02 m, mass centre h = 0.01 m off its centre, 1 kg, moments
2e-4, 1.6e-3, 1.7e-3 and product 2e-5 kg m^2; tilt 0.5 degrees about both axes, spin 5 rad/s.
"""

import contact_cases
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from small_vectors import cross

from spacecraft_attitude_sim.core.contact.solver import layout
from spacecraft_attitude_sim.core.mathematics import rotations

CASE = contact_cases.CASES['rattleback']
SQUARE = np.square(CASE.contact.surface.semi_axes)
CENTER = np.array(CASE.contact.surface.center)


def spins(states):
    """Return the spin about the vertical [rad/s] of every state."""
    found = []
    for flat in states:
        C = rotations.dcm_from_quaternion(flat[3:7])
        found.append((C @ np.linalg.solve(CASE.body.inertia, C.T @ flat[10:13]))[2])
    return np.array(found)


def rolling_rate(_, y):
    """Return d/dt of (n, ω) in body axes: rolling with the velocity eliminated.

    r from the mass centre to the contact, n up; v = r × ω; (I - m [r]×[r]×) dω/dt = the rest.
    """
    n, omega = y[0:3], y[3:6]
    h = np.sqrt(np.sum(SQUARE * n * n))
    n_rate = cross(n, omega)
    h_rate = np.sum(SQUARE * n * n_rate) / h
    r = CENTER - SQUARE * n / h
    r_rate = -SQUARE * n_rate / h + SQUARE * n * h_rate / h**2
    known = cross(r_rate, omega) + cross(omega, cross(r, omega))
    known = known + contact_cases.GRAVITY * n
    around = np.array(((0, -r[2], r[1]), (r[2], 0, -r[0]), (-r[1], r[0], 0)))
    inertia = CASE.body.inertia
    left = inertia - CASE.body.mass * around @ around
    right = -cross(omega, inertia @ omega) + CASE.body.mass * cross(r, known)
    return np.concatenate((n_rate, np.linalg.solve(left, right)))


def test_rattleback_reverses_one_spin_and_keeps_the_other():
    plant, states, contacts = contact_cases.run(CASE, ticks=320)
    spin = spins(states)
    assert spin[0] > 4.9
    # The first reversal, within 3 s, takes the spin to nearly as much the other way.
    assert np.flatnonzero(spin < 0.0)[0] < 96
    assert np.min(spin) < -4.5
    assert np.max(np.abs(contacts[:, layout.CONSTRAINT_ERROR])) < 1e-12
    energy = contact_cases.energies(plant, states)
    assert np.max(np.abs(energy / energy[0] - 1.0)) < 1e-8
    # Without losses the other sense slows down too, but takes more than three times as long.
    other = CASE._replace(angular_velocity_B=(0.0, 0.0, -5.0))
    assert np.max(spins(contact_cases.run(other, ticks=320)[1])) < -1.0


def test_rattleback_follows_equations_with_the_constraint_eliminated():
    _, states, _ = contact_cases.run(CASE, ticks=64)
    up = np.array((0.0, 0.0, 1.0))
    C = rotations.dcm_from_quaternion(states[0, 3:7])
    start = np.concatenate((C.T @ up, CASE.angular_velocity_B))
    end = solve_ivp(rolling_rate, (0.0, 2.0), start, 'DOP853', rtol=1e-12, atol=1e-14).y[:, -1]
    C = rotations.dcm_from_quaternion(states[-1, 3:7])
    np.testing.assert_allclose(C.T @ up, end[0:3], rtol=0.0, atol=1e-6)
    omega = np.linalg.solve(CASE.body.inertia, C.T @ states[-1, 10:13])
    np.testing.assert_allclose(omega, end[3:6], rtol=0.0, atol=1e-5)


def mode_rate(spin, axis, frequency):
    """Return the growth rate of one oscillation [1/s] at a slow spin [rad/s], by simulation.

    axis: of the surface whose tilt it is, 0 pitching, 1 rolling;  frequency: about its own [rad/s]
    """
    tilt = tuple(rotations.quaternion_from_euler_zyx(0.0, 1e-6, 1e-6).tolist())
    case = CASE._replace(q_WB=tilt, angular_velocity_B=(0.0, 0.0, spin))
    _, states, _ = contact_cases.run(case, ticks=18 * 32)
    tilts = np.array([rotations.dcm_from_quaternion(flat[3:7])[2, axis] for flat in states])
    times = np.arange(len(tilts)) / 32.0
    waves = np.stack((np.cos(frequency * times), np.sin(frequency * times)), axis=1)

    def amplitude(window):
        return np.linalg.norm(np.linalg.lstsq(waves[window], tilts[window])[0])

    growth = amplitude(slice(-64, None)) / amplitude(slice(0, 64))
    return np.log(growth) / (times[-64] - times[0])


def test_slow_spin_of_either_sense_drives_one_oscillation_by_its_frequency_squared():
    # Garcia and Hubbard (1988), Proc. R. Soc. A 418, 165, as put by Kondo and Nakanishi (2017),
    # arXiv:1704.06717: one sense feeds the pitching, the other the rolling, and the rates, which
    # set the times of reversal, are as the squares of the frequencies, m g (R - h) / (I + m h²)
    # with R the radius of curvature and h the height of the mass centre.
    a, b, c = CASE.contact.surface.semi_axes
    height = c - CENTER[2]
    pitching, rolling = (
        np.sqrt(contact_cases.GRAVITY * (square / c - height) / (moment + height**2))
        for square, moment in ((a * a, 1.6e-3), (b * b, 2e-4))
    )
    fast = mode_rate(0.5, 0, pitching)
    slow = mode_rate(-0.5, 1, rolling)
    # To first order in the misalignment, which is 0.014 rad, and in the spin.
    assert fast / slow == pytest.approx((pitching / rolling) ** 2, rel=0.03)
    # Proportional to the spin; what one sense feeds the other starves.
    assert mode_rate(1.0, 0, pitching) == pytest.approx(2.0 * fast, rel=0.02)
    assert mode_rate(-0.5, 0, pitching) == pytest.approx(-fast, rel=0.02)


def test_without_losses_the_spin_reverses_again_and_again_in_both_senses():
    # Garcia and Hubbard (1988): no slip, no dissipation, no end. Here at 3, 17, 32 and 47 s.
    plant, states, _ = contact_cases.run(CASE, ticks=60 * 32)
    signs = np.sign(spins(states)[::8])
    turns = np.flatnonzero(np.diff(signs) != 0.0)
    assert len(turns) >= 4
    energy = contact_cases.energies(plant, states)
    assert np.max(np.abs(energy / energy[0] - 1.0)) < 2e-8
