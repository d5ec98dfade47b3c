# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The shipped scenarios of the major-axis rule do what history and theory say."""

import math

import numpy as np
import pytest

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.batch.actuated import rows_of
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.body.state import State
from spacecraft_attitude_sim.core.simulation.tick import step


def shipped(name, substeps=0, **given):
    """Return plant and initial State of a shipped scenario with other parameters."""
    sections = scenario.read(scenario.find(name))
    sections['simulator'] |= given
    found = scenario.of_sections(sections, name)
    return (found.plant.with_substeps(substeps) if substeps else found.plant), found.initial


def later(plant, state, *seconds):
    """Return the states after each of some times, by a batch, L the same to the bit."""
    batch = Batch(
        [plant.spacecraft.carrier], [state], substeps=plant.substeps, ticks=plant.ticks,
        actuated=rows_of([plant], [state], [Inputs()]),
    )  # fmt: skip
    found, before = [], 0.0
    for time in seconds:
        batch.advance(round((time - before) / plant.ticks.step))
        flat, before = batch.states[0], time
        found.append(State(flat[:3], flat[3:7], flat[7:10], flat[10:13], batch.internal[0].copy()))
        assert found[-1].angular_momentum_W.tobytes() == state.angular_momentum_W.tobytes()
    return found


def cone(plant, state, axis=2):
    """Angle between L and the line of an axis of the body [rad]."""
    L = plant.spacecraft.angular_momentum_B(state)
    return math.acos(min(1.0, abs(L[axis]) / np.linalg.norm(L)))


def test_the_cone_of_explorer_1_opens_e_fold_in_619_s():
    plant, state = shipped('explorer_1')
    (after,) = later(plant, state, 200.0)
    growth = math.log(cone(plant, after) / cone(plant, state)) / 200.0
    assert growth == pytest.approx(1.0 / 619.0, rel=5e-3)


def test_explorer_1_ends_turning_like_a_propeller():
    # It begins with 10 degrees, where the shipped one is after half an hour. Steps of 1/16 rad
    # damp the nutation by 7e-9 a radian: 1e-3 in all.
    angle = math.radians(10.0)
    rate = [3.4716 / 4.82 * math.sin(angle), 0.0, 78.54 * math.cos(angle)]
    plant, state = shipped('explorer_1', substeps=160, **{'initial.angular_velocity': rate})
    (last,) = later(plant, state, 4800.0)
    craft = plant.spacecraft
    assert math.degrees(cone(plant, last)) == pytest.approx(90.0, abs=0.5)
    turning = craft.angular_velocity_B(last)[:2]
    assert np.linalg.norm(turning) * 60.0 / math.tau == pytest.approx(6.88, abs=0.01)
    left = craft.kinetic_energy(last) / craft.kinetic_energy(state)
    assert 0.0442 / 4.82 < left < 0.01  # there is a little of the spin left
    # All that has gone is heat of the whips.
    lost = craft.kinetic_energy(state) - craft.kinetic_energy(last)
    assert craft.energy_book(last)['heat'] == pytest.approx(lost, rel=2e-3)


def test_lewis_ends_in_a_flat_spin_at_2_rpm():
    plant, state = shipped('lewis')
    (last,) = later(plant, state, 14400.0)
    # First the tennis racket: the intermediate axis, x, turns over.
    L = [plant.spacecraft.angular_momentum_B(s)[0] for s in later(plant, state, *range(8, 401, 8))]
    assert min(L) < -0.9 * max(L)
    assert math.degrees(cone(plant, last)) < 2.0
    turning = np.linalg.norm(plant.spacecraft.angular_velocity_B(last)) * 60.0 / math.tau
    assert turning == pytest.approx(1.99, abs=0.02)


def test_a_ball_in_a_tube_takes_the_nod_of_a_spinner():
    plant, state = shipped('spinner_damper')
    begin, end = later(plant, state, 60.0, 180.0)
    rates = [np.hypot(*plant.spacecraft.angular_velocity_B(s)[:2]) for s in (begin, end)]
    # By the slow pair of eigenvalues, -0.0203, within what its phase makes of a rate.
    assert math.log(rates[0] / rates[1]) / 120.0 == pytest.approx(0.0203, rel=0.2)
    assert cone(plant, end) < 0.05 * cone(plant, state)


@pytest.mark.parametrize(('speed', 'stays'), [(6.0, True), (0.0, False)])
def test_a_rotor_keeps_a_long_satellite_upright(speed, stays):
    plant, state = shipped('dual_spin', **{'wheel.rotor.initial_speed': speed})
    (last,) = later(plant, state, 12000.0)
    if stays:
        assert cone(plant, last) < 0.01 * cone(plant, state)
    else:
        assert math.degrees(cone(plant, last)) > 85.0


def test_four_panels_open_and_latch():
    plant, state = shipped('cubesat_panels')
    craft = plant.spacecraft
    L = state.angular_momentum_W
    largest = [0.0] * 4
    for elapsed in range(960):
        state = step(plant, state, elapsed=elapsed)
        rates = np.abs(craft.internal_rates(state))
        due = np.array([5.0, 12.0, 5.0, 20.0]) * 32 <= elapsed  # east, north, west, south
        assert (rates[~due] < 1e-12).all()  # let go to the last digit of the time
        largest = np.maximum(largest, rates)
    angles = craft.internal.displacements(craft.internal_states(state))
    assert (np.abs(angles) < 0.02).all() and (largest > 0.5).all()
    assert (state.angular_momentum_W == L).all()
    # The body has turned to where nobody sent it.
    assert craft.energy_book(state)['heat'] > 0.01
