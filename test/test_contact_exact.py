# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Balls, and an egg on its end, against the closed forms of the literature."""

from dataclasses import replace

import contact_cases
import numpy as np
import pytest
from contact_cases import CASES, GRAVITY

from spacecraft_attitude_sim.core.contact import floors, model, shapes
from spacecraft_attitude_sim.core.contact.solver import layout
from spacecraft_attitude_sim.core.mathematics import rotations


def test_ball_on_an_incline_accelerates_with_five_sevenths():
    case = CASES['ball_on_incline']
    _, states, contacts = contact_cases.run(case)
    angle = np.radians(10.0)
    downhill = np.array((np.cos(angle), 0.0, -np.sin(angle)))
    way = (states[-1, 0:3] - states[0, 0:3]) @ downhill
    expected = 0.5 * 5.0 / 7.0 * GRAVITY * np.sin(angle) * case.seconds**2
    assert way == pytest.approx(expected, rel=1e-12)
    # Friction of 2/7 m g sin α keeps it from slipping.
    friction = np.linalg.norm(
        contacts[-1, layout.FORCE : layout.FORCE + 3]
        - contacts[-1, layout.NORMAL_FORCE] * contacts[-1, layout.NORMAL : layout.NORMAL + 3]
    )
    assert friction == pytest.approx(2.0 / 7.0 * GRAVITY * np.sin(angle), rel=1e-12)


def test_ball_on_too_steep_an_incline_slips():
    angle = np.radians(60.0)
    case = contact_cases.ball_case(
        floors.Plane(normal=contact_cases.incline(angle)), (0.0,) * 3, (0.0,) * 3, 1.0, 'coulomb',
        friction=0.3,
    )  # fmt: skip
    _, states, contacts = contact_cases.run(case)
    downhill = np.array((np.cos(angle), 0.0, -np.sin(angle)))
    # From rest the slip starts by itself: g (sin α - μ cos α), not 5/7 g sin α.
    expected = 0.5 * GRAVITY * (np.sin(angle) - 0.3 * np.cos(angle))
    assert (states[-1, 0:3] - states[0, 0:3]) @ downhill == pytest.approx(expected, rel=1e-9)
    assert contacts[-1, layout.MODE] == layout.SLIPPING


def test_ball_on_a_turntable_circles_at_two_sevenths():
    case = CASES['ball_on_turntable']
    _, states, _ = contact_cases.run(case)
    velocity = states[:, 7:9]
    heading = np.unwrap(np.arctan2(velocity[:, 1], velocity[:, 0]))
    assert (heading[-1] - heading[0]) / case.seconds == pytest.approx(2.0 / 7.0 * 2.0, rel=1e-12)
    np.testing.assert_allclose(
        np.linalg.norm(velocity, axis=1), np.hypot(*velocity[0]), rtol=1e-12
    )


def test_backspin_turns_into_rolling_at_the_exact_time_and_speed():
    case = CASES['backspin']
    _, states, contacts = contact_cases.run(case)
    friction, radius, speed, spin = 0.3, 0.1, 2.0, -30.0
    time = (speed - spin * radius) / (3.5 * friction * GRAVITY)
    rolling_speed = speed - friction * GRAVITY * time
    way = speed * time - 0.5 * friction * GRAVITY * time**2 + rolling_speed * (case.seconds - time)
    assert states[-1, 7] == pytest.approx(rolling_speed, rel=1e-9)
    # The way tells when the change came: 1e-9 of it is 1e-9 of the time.
    assert states[-1, 0] - states[0, 0] == pytest.approx(way, rel=1e-9)
    slipping = contacts[:, layout.MODE] == layout.SLIPPING
    assert np.count_nonzero(slipping) == int(time * 32.0) + 1


def test_conveyor_takes_the_ball_to_two_sevenths_of_its_speed():
    floor = floors.Plane(conveyor=(1.4, 0.0, 0.0))
    case = contact_cases.ball_case(floor, (0.0,) * 3, (0.0,) * 3, 1.0, 'coulomb')
    plant, state, begun = contact_cases.begin(case)
    states, contacts = model.trajectory(case.contact, plant, state, begun, 32)
    # L about the contact line is kept: v = 2/7 of the belt's speed whatever the friction.
    assert states[-1, 7] == pytest.approx(2.0 / 7.0 * 1.4, rel=1e-9)
    assert contacts[-1, layout.MODE] == layout.ROLLING


def test_heaving_floor_shakes_the_body_with_its_own_acceleration():
    floor = floors.Plane(amplitude=0.01, angular_frequency=20.0)
    case = contact_cases.ball_case(floor, (0.0,) * 3, (0.0,) * 3, 2.0, 'sliding')
    _, states, contacts = contact_cases.run(case)
    time = np.arange(len(states)) / 32.0
    force = GRAVITY - 0.01 * 20.0**2 * np.sin(20.0 * time)
    np.testing.assert_allclose(contacts[:, layout.NORMAL_FORCE], force, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(states[:, 2], 0.1 + 0.01 * np.sin(20.0 * time), atol=1e-12)


def test_floor_that_drops_faster_than_gravity_lets_the_ball_fly():
    floor = floors.Plane(amplitude=0.1, angular_frequency=20.0)
    case = contact_cases.ball_case(floor, (0.0,) * 3, (0.0,) * 3, 0.5, 'sliding')
    plant, state, begun = contact_cases.begin(case)
    states, contacts = model.trajectory(case.contact, plant, state, begun, 6)
    # Release where 0.1 · 400 sin(20 t) = g, then a parabola.
    released = np.arcsin(GRAVITY / 40.0) / 20.0
    since = 6.0 / 32.0 - released
    height = 0.1 + 0.1 * np.sin(20.0 * released) + 2.0 * np.cos(20.0 * released) * since
    assert contacts[-1, layout.MODE] == layout.FLIGHT
    assert states[-1, 2] == pytest.approx(height - 0.5 * GRAVITY * since**2, rel=1e-9)


@pytest.mark.parametrize('restitution', [1.0, 0.8, 0.5])
def test_dropped_ball_rebounds_to_e_squared_h(restitution):
    height = 1.0
    contact = model.ContactModel(
        surface=shapes.Sphere(radius=0.1), floor=floors.Plane(), restitution=restitution
    )
    case = CASES['backspin']._replace(
        contact=contact, position_W=(0.0, 0.0, 0.1 + height), velocity_W=(0.0,) * 3,
        angular_velocity_B=(0.0,) * 3, place=False,
    )  # fmt: skip
    plant, states, contacts = contact_cases.run(case, ticks=16)
    assert np.sum(contacts[:, layout.IMPACTS]) == 1
    energy = contact_cases.energies(plant, states)[-1] - GRAVITY * 0.1
    assert energy / GRAVITY == pytest.approx(restitution**2 * height, rel=1e-10)


def test_ball_in_a_bowl_swings_like_its_pendulum():
    # Small swing of a rolling ball, exact rate of the linear motion: w² = 5/7 g / (R - r).
    bowl, radius = 1.0, 0.1
    swing = 1e-4
    start = (bowl - radius) * np.array((np.sin(swing), 0.0, -np.cos(swing)))
    contact = model.ContactModel(
        surface=shapes.Sphere(radius=radius), floor=floors.Bowl(radius=bowl), mode='rolling'
    )
    case = CASES['backspin']._replace(
        contact=contact, position_W=tuple(start), velocity_W=(0.0,) * 3,
        angular_velocity_B=(0.0,) * 3, place=True,
    )  # fmt: skip
    plant, states, contacts = contact_cases.run(case, ticks=96)
    time = np.arange(97) / 32.0
    rate = np.sqrt(5.0 / 7.0 * GRAVITY / (bowl - radius))
    # The amplitude's correction of the rate is swing²/16.
    expected = start[0] * np.cos(rate * time)
    np.testing.assert_allclose(states[:, 0], expected, rtol=0.0, atol=1e-8 * start[0] + 1e-11)
    assert np.max(np.abs(contacts[:, layout.GAP])) < 1e-12
    energy = contact_cases.energies(plant, states)
    assert np.max(np.abs(energy - energy[0])) < 1e-10 * abs(energy[0])


def test_spheroid_rolls_in_steady_precession_like_a_coin():
    # Steady rolling of a body of revolution, tilt θ constant: contact circle of the body of radius
    # a, arm (ρ sideways, h up) from the contact point to the centre of mass. With precession rate
    # Ω and spin n about the symmetry axis the torque m g ρ + ... balances dL/dt; solved for n.
    a, c, tilt, precession = 0.2, 0.1, 0.6, 3.0
    body = contact_cases.solid_ellipsoid(1.0, (a, a, c))
    axis = np.array((np.sin(tilt), 0.0, np.cos(tilt)))
    normal_B = np.array((-np.sin(tilt), 0.0, np.cos(tilt)))
    q_WB = rotations.quaternion_from_euler_zyx(0.0, tilt, 0.0)
    square = np.array((a, a, c)) ** 2
    arm_B = -square * normal_B / np.linalg.norm((a, a, c) * normal_B)
    arm = rotations.rotate(q_WB, arm_B)
    up = np.array((0.0, 0.0, 1.0))
    transverse, axial = body.principal_moments[0], body.principal_moments[2]

    def imbalance(spin):
        """Return the y part of dL/dt less the contact's torque; zero in steady motion."""
        omega = precession * up + spin * axis
        across = omega - (omega @ axis) * axis
        momentum = transverse * across + axial * (omega @ axis) * axis
        velocity = -np.cross(omega, arm)
        force = np.cross(precession * up, velocity) + GRAVITY * up
        return (np.cross(precession * up, momentum) - np.cross(arm, force))[1]

    # Linear in the spin.
    spin = -imbalance(0.0) / (imbalance(1.0) - imbalance(0.0))
    omega_W = precession * up + spin * axis
    contact = model.ContactModel(
        surface=shapes.Ellipsoid(semi_axes=(a, a, c)), floor=floors.Plane(), mode='rolling'
    )
    case = CASES['backspin']._replace(
        body=body, contact=contact, position_W=(0.0, 0.0, 0.2), q_WB=tuple(q_WB),
        velocity_W=tuple(-np.cross(omega_W, arm)), place=True,
        angular_velocity_B=tuple(rotations.rotate(rotations.conjugate(q_WB), omega_W)),
    )  # fmt: skip
    _, states, contacts = contact_cases.run(case, ticks=64)
    assert contacts[-1, layout.MODE] == layout.ROLLING
    tilts = [rotations.dcm_from_quaternion(flat[3:7])[2, 2] for flat in states]
    np.testing.assert_allclose(tilts, np.cos(tilt), rtol=0.0, atol=1e-8)
    velocity = states[:, 7:9]
    heading = np.unwrap(np.arctan2(velocity[:, 1], velocity[:, 0]))
    assert heading[-1] - heading[0] == pytest.approx(2.0 * precession, rel=1e-7)


def test_tippe_top_turns_over():
    plant, states, contacts = contact_cases.run(CASES['tippe_top'])
    upright = [rotations.dcm_from_quaternion(flat[3:7])[2, 2] for flat in states]
    assert upright[0] > 0.9
    assert min(upright) < -0.9
    # Jellett's integral: friction acts at x_c = centre - R z, so L · (offset + R z) is kept while
    # the contact lasts.
    offset = np.array(
        [rotations.rotate(flat[3:7], np.array((0.0, 0.0, 0.006))) for flat in states]
    )
    arm = offset - np.array((0.0, 0.0, 0.02))
    jellett = np.sum(states[:, 10:13] * arm, axis=1)
    touching = np.cumsum(contacts[:, layout.MODE] == layout.FLIGHT) == 0
    assert np.count_nonzero(touching) > 100
    np.testing.assert_allclose(jellett[touching], jellett[0], rtol=1e-7)
    energy = contact_cases.energies(plant, states)
    assert np.max(np.diff(energy)) < 1e-9 * energy[0]


def test_rolling_ball_lets_go_of_a_hill_where_its_weight_no_longer_holds_it():
    # Rolling from rest at the top of a fixed sphere a ball leaves at cos θ = 10/17.
    hill, radius = 1.0, 0.1
    start = 0.05
    contact = model.ContactModel(
        surface=shapes.Sphere(radius=radius),
        floor=floors.Dome(radius=hill),
        mode='rolling',
    )
    way = hill + radius
    case = CASES['backspin']._replace(
        contact=contact, position_W=(way * np.sin(start), 0.0, way * np.cos(start)),
        velocity_W=(0.0,) * 3, angular_velocity_B=(0.0,) * 3, place=True,
    )  # fmt: skip
    plant, state, begun = contact_cases.begin(case)
    states, contacts = model.trajectory(case.contact, plant, state, begun, 64)
    first = int(np.argmax(contacts[:, layout.MODE] == layout.FLIGHT))
    assert first > 0
    # Back along the parabola to the circle of the centre: from energy, at 10/17 of the start.
    free = states[first]
    p = free[0:3]
    v = free[7:10]
    cosine = 10.0 / 17.0 * np.cos(start)
    lower, upper = -1.0 / 32.0, 0.0
    for _ in range(60):
        middle = 0.5 * (lower + upper)
        place = p + v * middle + 0.5 * contact_cases.DOWN * middle**2
        if np.linalg.norm(place) > way + 1e-12:
            upper = middle
        else:
            lower = middle
    height = (p + v * upper + 0.5 * contact_cases.DOWN * upper**2)[2] / way
    # The parabola leaves the circle with a third-order contact: the point is known to ~1e-4.
    assert height == pytest.approx(cosine, abs=2e-3)


def test_still_contact_reads_as_rest_and_gives_the_imu_its_weight():
    case = replace_mode(CASES['backspin'], 'coulomb')
    _, _, contacts = contact_cases.run(case, ticks=8)
    contact = model.unpack(contacts[-1])
    assert contact.mode == 'resting'
    np.testing.assert_allclose(contact.force, (0.0, 0.0, GRAVITY), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(contact.wrench()[6:9], (0.0, 0.0, GRAVITY), rtol=0.0, atol=1e-12)


def replace_mode(case, mode):
    """Return a case at rest in a mode."""
    return case._replace(
        contact=replace(case.contact, mode=mode),
        velocity_W=(0.0,) * 3,
        angular_velocity_B=(0.0,) * 3,
    )
