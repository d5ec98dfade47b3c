# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The shipped cures of the tennis racket and the null motion of four wheels, by closed forms."""

import functools

import numpy as np
import pytest
from scipy.optimize import brentq

from spacecraft_attitude_sim.configuration import formation, scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import Inputs

SPIN = 2.0 * np.pi


@functools.cache
def flown(file, name, seconds):
    """Return the Scenario of a member of a formation, times (n,), and m = L_B/|L| (n, 3)."""
    members = {one.name: one for one in formation.members([scenario.find(file)])}
    found = scenario.of_sections(members[name].sections, name)
    instant, momenta = found.first_instant(), []
    for _ in range(round(32 * seconds) + 1):
        momenta.append(found.plant.spacecraft.angular_momentum_B(instant.state))
        instant = simulation.next_instant(found.plant, instant, Inputs())
    m = np.array(momenta)
    return found, np.arange(len(m)) / 32.0, m / np.linalg.norm(m, axis=1, keepdims=True)


def tilt_deg(file, name, axis, seconds):
    """Return the largest angle of a body axis from L [deg], and the last."""
    _, _, m = flown(file, name, seconds)
    angles = np.degrees(np.arccos(np.clip(m[:, axis], -1.0, 1.0)))
    return np.max(angles), angles[-1]


def turning_point_deg(found):
    """Return the angle from L at which the body of a gyrostat with a wheel on x turns back [deg].

    Energy and |m| stay. With h of the wheel, m_y = 0 or m_z = 0 there, and m_x is a root of
    (m_x - h)²/J_x + (L² - m_x²)/J_k = 2 T: of those, the one next below the start.
    """
    craft, state = found.plant.spacecraft, found.initial
    J = np.diag(craft.carrier.inertia)
    m, h = craft.angular_momentum_B(state), float(craft.stored_B(state)[0])
    omega = craft.angular_velocity_B(state)
    double_energy, size = omega @ (J * omega), np.linalg.norm(m)
    roots = []
    for other in J[1:]:
        constant = h**2 / J[0] + size**2 / other - double_energy
        found_roots = np.roots((1.0 / J[0] - 1.0 / other, -2.0 * h / J[0], constant))
        roots += [root.real for root in found_roots if abs(root.imag) < 1e-12]
    below = max(root for root in roots if root < m[0] - 1e-9 * size)
    return float(np.degrees(np.arccos(below / size)))


def test_a_body_whose_wheel_is_locked_turns_over():
    largest, _ = tilt_deg('racket_cured', 'locked', 0, 12.0)
    assert largest > 178.0
    found, *_ = flown('racket_cured', 'locked', 12.0)
    assert found.plant.spacecraft.part('reaction_wheels') is None
    assert found.plant.body.principal_moments.tolist() == [350.0, 300.0, 400.0]


def test_below_its_critical_speed_the_wheel_lets_it_tip_as_far_as_the_quartic_says():
    found, *_ = flown('racket_cured', 'below', 12.0)
    largest, last = tilt_deg('racket_cured', 'below', 0, 12.0)
    expected = turning_point_deg(found)
    assert 35.0 < expected < 45.0
    assert largest == pytest.approx(expected, rel=2e-3)  # seen every 1/32 s
    assert last < 15.0  # and comes back


def test_above_it_nods_at_the_frequency_of_the_linear_theory():
    """0.544979 rad/s: s² = -ab of test_gyrostat, by times between zeros of m_y."""
    found, time, m = flown('racket_cured', 'above', 60.0)
    (speed,) = found.plant.spacecraft.wheel_speeds(found.initial)
    assert speed == pytest.approx(350.0 * np.pi / 30.0, rel=1e-8)
    largest, _ = tilt_deg('racket_cured', 'above', 0, 60.0)
    assert 1.0 < largest < 3.5
    rising = np.flatnonzero((m[:-1, 1] < 0.0) & (m[1:, 1] >= 0.0))
    share = -m[rising, 1] / (m[rising + 1, 1] - m[rising, 1])
    zeros = time[rising] + share / 32.0
    assert len(zeros) >= 4
    period = (zeros[-1] - zeros[0]) / (len(zeros) - 1)
    # 2.9 degrees are not infinitesimal.
    assert 2.0 * np.pi / period == pytest.approx(0.544979, rel=0.01)


def test_the_shipped_speeds_are_on_both_sides_of_the_critical_one():
    found, *_ = flown('racket_cured', 'below', 12.0)
    I1, I2, I3 = np.diag(found.plant.body.inertia)
    (J,) = found.plant.spacecraft.part('reaction_wheels').inertias

    def product(speed):
        return ((I1 - I3) * SPIN + J * speed) * ((I1 - I2) * SPIN + J * speed)

    critical = brentq(product, 0.0, 100.0) * 30.0 / np.pi
    assert critical == pytest.approx(300.0, rel=1e-12)


def test_the_t_handle_flips_alone_and_not_with_its_wheel():
    """Its wheel holds 4e-4 N m s, beyond (210.5 - 171.5) 1e-6 * 8 = 3.12e-4 N m s."""
    assert tilt_deg('t_handle_cured', 'alone', 1, 10.0)[0] > 178.0
    assert tilt_deg('t_handle_cured', 'cured', 1, 10.0)[0] < 0.5
    alone = scenario.load(scenario.find('tennis_racket')).plant.body
    found, *_ = flown('t_handle_cured', 'cured', 10.0)
    assert np.array_equal(found.plant.body.inertia, alone.inertia)
    assert found.plant.body.mass == alone.mass


def test_motors_in_the_null_space_of_their_axes_spin_the_wheels_and_turn_no_body():
    found = scenario.load(scenario.find('cubesat_pyramid'))
    craft, plant = found.plant.spacecraft, found.plant
    torques = np.array([found.parameters[f'wheel.w{k}.torque'] for k in (1, 2, 3, 4)])
    assert np.linalg.norm(torques @ craft.part('reaction_wheels').axes_B) < 1e-9 * np.linalg.norm(
        torques
    )
    pushed = idle = found.first_instant()
    for _ in range(32 * 60):
        pushed = simulation.next_instant(plant, pushed, Inputs(wheel_torque=torques))
        idle = simulation.next_instant(plant, idle, Inputs(wheel_torque=np.zeros(4)))
    turned = rotations.angle_between(idle.state.q_WB, found.initial.q_WB)
    assert turned > 0.5
    assert rotations.angle_between(pushed.state.q_WB, idle.state.q_WB) < 1e-6 * turned
    gained = craft.wheel_speeds(pushed.state) - craft.wheel_speeds(idle.state)
    assert gained == pytest.approx(
        60.0 * torques / craft.part('reaction_wheels').inertias, rel=1e-8
    )
    assert craft.wheel_speeds(found.initial) * 30.0 / np.pi == pytest.approx(
        (800.0, 600.0, 400.0, 200.0), rel=1e-7
    )


def test_with_limits_the_pyramid_turns_the_body_once_a_wheel_can_no_more():
    found = scenario.load(scenario.find('cubesat_pyramid_limits'))
    craft, instant, rates = found.plant.spacecraft, found.first_instant(), []
    most, first = 627.615, 0.0
    for _ in range(90 * 32):
        instant = simulation.next_instant(found.plant, instant, found.inputs)
        rates.append(np.linalg.norm(craft.angular_velocity_B(instant.state)))
        if not first and max(craft.wheel_speeds(instant.state)) == most:
            first = instant.time
            # What its motor gives beyond Coulomb friction, 4 × 7.88e-5 N m, less viscous drag.
            assert craft.wheel_speeds(instant.state).argmax() == 1
    assert first == pytest.approx(2.39e-5 * (most - 62.83) / 3.152e-4, rel=0.04)
    assert max(rates[: int(first * 32)]) < np.radians(5.0)
    assert craft.wheel_speeds(instant.state) == pytest.approx(most, rel=1e-12)
    assert max(rates) > np.radians(10.0)
