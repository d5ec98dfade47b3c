# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The energy book where the body is struck: what impulse and motors then do, in closed form."""

import numpy as np
import pytest
from test_gimbal_steering import pyramid

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.actuators.reaction_wheels import ReactionWheels, WheelDynamics
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.simulation import plant_of
from spacecraft_attitude_sim.core.simulation.energy_book import EnergyBook

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
    plant = plant_of(RigidBody(10.0, np.diag(SUM)), wheels=wheels)
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


@pytest.mark.parametrize('rate', [0.0, 0.2])
def test_a_blow_and_a_jump_of_a_gimbals_rate_in_one_tick_are_each_counted_once(rate):
    plant = plant_of(RigidBody(10.0, np.diag(SUM)), gyros=pyramid())
    state = plant.spacecraft.state(REST, LEVEL, REST, np.array((0.1, -0.1, 0.2)))
    inputs = Inputs(gimbal_rate=np.array((rate, 0.0, -rate, rate)))
    entries, _ = struck(plant, state, inputs)
    assert abs(entries.gained) > 0.01
    assert abs(entries.missing) < 1e-8 * abs(entries.gained)
