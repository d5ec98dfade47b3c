# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The energy book where the body is struck: what impulse and motors then do, in closed form."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from test_gimbal_steering import pyramid

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import (
    ReactionWheels,
    WheelDynamics,
)
from spacecraft_attitude_sim.core.simulation import plant_of
from spacecraft_attitude_sim.core.simulation.energy_book import EnergyBook, book_of

REST, LEVEL = np.zeros(3), np.array((1.0, 0.0, 0.0, 0.0))
BLOW = np.array((0.3, -0.2, 0.1))
SUM = np.array((2.0, 3.0, 4.0))


def struck(plant, state, inputs, ticks=3):
    """Return the Entries of some ticks, of which the first begins with BLOW."""
    book = EnergyBook(plant.spacecraft, state)
    instant = simulation.put_instant(plant, 0, state)
    for tick in range(ticks):
        before = instant.state
        given = inputs._replace(impulse=np.concatenate((REST, BLOW))) if not tick else inputs
        instant = simulation.next_instant(plant, instant, given)
        book.follow(before, instant)
    return book.entries(instant.state), instant.state


def with_wheel(speed, torque=0.0, **dynamics):
    """Return a Plant with a wheel along x, and its State at a speed, its body turning."""
    wheels = ReactionWheels(
        ('x',), ((1.0, 0.0, 0.0),), (0.5,), (np.inf,), (WheelDynamics(**dynamics),), detailed=True
    )
    plant = plant_of(RigidBody(10.0, np.diag(SUM)), parts=(wheels,))
    omega_B = np.array((0.02, 0.0, 0.0))
    return plant, plant.spacecraft.state(REST, LEVEL, REST, omega_B, np.array((speed,)))


def test_a_wheel_that_sticks_is_struck_with_the_body():
    """The blow turns everything as one: L²/2I after, none of it by the motor."""
    plant, state = with_wheel(0.0, coulomb=50.0)
    entries, after = struck(plant, state, Inputs())
    assert plant.spacecraft.wheel_speeds(after).tolist() == [0.0]
    L = BLOW + SUM * (0.02, 0.0, 0.0)
    gained = np.sum(L**2 / SUM) / 2.0 - 0.02**2 * SUM[0] / 2.0
    assert entries.gained == pytest.approx(gained, rel=1e-12)
    assert entries.loads == pytest.approx(gained, rel=1e-12)
    assert (entries.motors, entries.heat) == (0.0, 0.0)


def test_a_wheel_held_at_its_largest_speed_is_kept_there_by_its_motor():
    """About the wheel's axis Δω = blow/I and the motor's work is J Ω Δω, Ω its largest speed."""
    plant, state = with_wheel(100.0, max_speed=100.0)
    inputs = Inputs(wheel_torque=np.array((1.0,)))
    entries, after = struck(plant, state, inputs)
    assert plant.spacecraft.wheel_speeds(after)[0] == 100.0
    assert entries.motors == pytest.approx(0.5 * 100.0 * BLOW[0] / SUM[0], rel=1e-3)
    assert abs(entries.missing) < 1e-9 * entries.gained


def test_a_book_that_begins_later_counts_from_there():
    plant, state = with_wheel(100.0, viscous=1e-2)
    push = loads.wrench_in_world(REST, (0.3, 0.0, 0.0))
    inputs = Inputs(push, wheel_torque=np.array((1.0,)))
    books, halves = [EnergyBook(plant.spacecraft, state)], []
    instant = simulation.put_instant(plant, 0, state)
    for _ in range(2):
        for _ in range(3):
            instant = simulation.next_instant(plant, instant, inputs)
        halves.append([book.entries(instant.state) for book in books])
        books.append(EnergyBook(plant.spacecraft, instant.state))
    (first,), (whole, second) = halves
    assert books[-1].entries(instant.state)[:4] == (0.0, 0.0, 0.0, 0.0)
    for before, after, both in zip(first[:4], second[:4], whole[:4], strict=True):
        assert min(abs(before), abs(after)) > 1e-4
        assert before + after == pytest.approx(both, rel=1e-12)


@pytest.mark.parametrize('rate', [0.0, 0.2])
def test_a_blow_and_a_jump_of_a_gimbals_rate_in_one_tick_are_each_counted_once(rate):
    plant = plant_of(RigidBody(10.0, np.diag(SUM)), parts=(pyramid(),))
    state = plant.spacecraft.state(REST, LEVEL, REST, np.array((0.1, -0.1, 0.2)))
    inputs = Inputs(gimbal_rate=np.array((rate, 0.0, -rate, rate)))
    entries, _ = struck(plant, state, inputs)
    assert abs(entries.gained) > 0.01
    assert abs(entries.missing) < 1e-8 * abs(entries.gained)


def test_the_book_of_ideal_wheels_is_that_of_an_independent_integrator():
    """Two oblique wheels, a wrench and a blow: DOP853 in ω and Ω integrates the powers.

    The quadrature of a tick errs by h^5/720 of fourth derivatives: 1e-12 J here.
    """
    inertia = np.array([(2.0, 0.1, -0.05), (0.1, 3.0, 0.08), (-0.05, 0.08, 4.0)])
    axes, axial = np.array(((0.8, 0.6, 0.0), (0.0, -0.6, 0.8))), np.array((0.05, 0.08))
    motors, force, torque = np.array((0.03, -0.05)), np.array((0.3, -0.1, 0.2)), 0.1 * BLOW
    wheels = ReactionWheels(('a', 'b'), axes, axial, np.full(2, np.inf))
    plant = plant_of(RigidBody(10.0, inertia), parts=(wheels,))
    omega, speeds = np.array((0.3, -0.2, 0.4)), np.array((20.0, -30.0))
    first = plant.spacecraft.state(REST, LEVEL, np.array((0.1, 0.0, 0.0)), omega, speeds)
    instant, book = simulation.put_instant(plant, 0, first), book_of(plant, first)
    held = Inputs(loads.wrench_in_world(force, torque), wheel_torque=motors)
    blow = held._replace(impulse=np.concatenate((REST, BLOW)))
    for tick in range(160):
        before = instant.state
        instant = simulation.next_instant(plant, instant, held if tick else blow)
        book.follow(before, instant)
    entries = book.entries(instant.state)

    carrier = inertia - np.einsum('i,ij,ik->jk', axial, axes, axes)
    momenta = axial * (speeds + axes @ omega)

    def rate_of(q, L_W, h):
        L_B = rotations.rotate(rotations.conjugate(q / np.linalg.norm(q)), L_W)
        return np.linalg.solve(carrier, L_B - axes.T @ h)

    def slope(time, y):
        q, L_W, h, velocity = y[:4], y[4:7], y[7:9], y[9:12]
        w = rate_of(q, L_W, h)
        w_W = rotations.rotate(q / np.linalg.norm(q), w)
        q_rate = 0.5 * np.array(rotations.quaternion_product(*q, 0.0, *w))
        powers = (motors @ (h / axial - axes @ w), torque @ w_W + force @ velocity)
        return np.concatenate((q_rate, torque, motors, force / 10.0, powers))

    L_W = inertia @ omega + axes.T @ (axial * speeds) + BLOW
    struck = 0.5 * BLOW @ (omega + rate_of(LEVEL, L_W, momenta))
    y = np.concatenate((LEVEL, L_W, momenta, (0.1, 0.0, 0.0), (0.0, 0.0)))
    y = solve_ivp(slope, (0.0, 5.0), y, 'DOP853', rtol=1e-13, atol=1e-13).y[:, -1]
    assert entries.motors == pytest.approx(y[12], rel=1e-9)
    assert entries.loads == pytest.approx(y[13] + struck, rel=1e-9)
    assert entries.heat == 0.0
    assert abs(entries.missing) < 1e-9
    assert min(abs(entries.motors), abs(entries.loads)) > 0.1


def test_who_has_no_actuators_has_no_book():
    plant = plant_of(RigidBody(10.0, np.diag(SUM)))
    assert book_of(plant, plant.spacecraft.state(REST, LEVEL, REST, REST)) is None
