# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes, floors and the boundary of the contact model."""

import pickle

import contact_cases
import numpy as np
import pytest
import truths
from contact_cases import BRICK, CASES

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.rigid_body import BodyFrame, RigidBody
from spacecraft_attitude_sim.core.body.state import from_flat
from spacecraft_attitude_sim.core.contact import floors, model, shapes
from spacecraft_attitude_sim.core.contact.floor_functions import floor_function
from spacecraft_attitude_sim.core.contact.solver.advance import advance
from spacecraft_attitude_sim.core.contact.solver.layout import BODY
from spacecraft_attitude_sim.core.contact.surface_functions import (
    implicit_function,
    superellipsoid,
    superellipsoid_support,
)
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import contact_at, plant_of, trajectory


@implicit_function
def quadric(x, y, z, parameters):
    """An ellipsoid as a user would write one: H = u x² + v y² + w z² - 1."""
    u, v, w = parameters[0], parameters[1], parameters[2]
    level = u * x * x + v * y * y + w * z * z - 1.0
    return (
        level, 2.0 * u * x, 2.0 * v * y, 2.0 * w * z,
        2.0 * u, 2.0 * v, 2.0 * w, 0.0, 0.0, 0.0,
    )  # fmt: skip


@implicit_function
def careless(x, y, z, parameters):
    """A sphere whose gradient lacks its factor 2."""
    return (x * x + y * y + z * z - 1.0, x, y, z, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0)


@implicit_function
def peanut(x, y, z, parameters):
    """A waisted body: (x² + y² + z²)² = x² + 0.1, not convex."""
    s = x * x + y * y + z * z
    return (
        s * s - x * x - 0.1, 4.0 * s * x - 2.0 * x, 4.0 * s * y, 4.0 * s * z,
        4.0 * s + 8.0 * x * x - 2.0, 4.0 * s + 8.0 * y * y, 4.0 * s + 8.0 * z * z,
        8.0 * x * y, 8.0 * x * z, 8.0 * y * z,
    )  # fmt: skip


@floor_function
def trough(t, x, y, z, parameters):
    """A parabolic trough along y: G = z - k x²/2."""
    k = parameters[0]
    return (
        z - k * x * x / 2.0,
        0.0,
        0.0,
        -k * x,
        0.0,
        1.0,
        0.0,
        0.0,
        0.0,
        -k,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    )


def states_of(surface, floor=None, mode='rolling', ticks=64, restitution=0.0):
    """Return the states of the brick-sized body with a surface."""
    case = CASES['ellipsoid_rolling']
    contact = model.ContactModel(
        surface=surface, floor=floor or floors.Plane(), mode=mode, restitution=restitution
    )
    return contact_cases.run(case._replace(contact=contact), ticks=ticks)[1]


def test_users_own_surface_moves_like_the_built_in_one():
    values = tuple((1.0 / np.square(BRICK)).tolist())
    own = shapes.ImplicitSurface(function=quadric, values=values, size=0.3)
    expected = states_of(shapes.Ellipsoid(semi_axes=BRICK))
    # One integrates x_c, the other has it in closed form: they differ by the truncation error.
    np.testing.assert_allclose(states_of(own), expected, rtol=0.0, atol=1e-9)


def test_superellipsoid_of_exponents_two_is_the_ellipsoid():
    found = states_of(shapes.Superellipsoid(semi_axes=BRICK, exponents=(2.0, 2.0)))
    expected = states_of(shapes.Ellipsoid(semi_axes=BRICK))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9)


def test_superellipsoid_support_is_where_the_gradient_points():
    generator = np.random.default_rng(6)
    parameters = np.array((0.3, 0.2, 0.15, 3.0, 5.0))
    for _ in range(100):
        d = generator.normal(size=3)
        d /= np.linalg.norm(d)
        values = superellipsoid(*superellipsoid_support(d, parameters), parameters)
        assert values[0] == pytest.approx(0.0, abs=1e-12)
        gradient = np.array(values[1:4])
        np.testing.assert_allclose(gradient / np.linalg.norm(gradient), d, rtol=0.0, atol=1e-9)


def test_body_axes_may_be_turned_from_the_surface():
    # The same motion described in other body axes: inertia, surface and attitude turned alike.
    q_BA = rotations.quaternion_from_euler_zyx(0.3, 0.2, 0.1)
    C_BA = rotations.dcm_from_quaternion(q_BA)
    case = CASES['ellipsoid_rolling']
    inertia = C_BA @ case.body.inertia @ C_BA.T
    surface = shapes.Ellipsoid(semi_axes=BRICK, q_BS=tuple(q_BA))
    turned = case._replace(
        body=contact_cases.RigidBody(1.0, (inertia + inertia.T) / 2.0),
        contact=model.ContactModel(surface=surface, floor=floors.Plane(), mode='rolling'),
        q_WB=tuple(rotations.compose(case.q_WB, rotations.conjugate(q_BA))),
        angular_velocity_B=tuple(C_BA @ case.angular_velocity_B),
    )
    expected = states_of(shapes.Ellipsoid(semi_axes=BRICK))
    found = contact_cases.run(turned, ticks=64)[1]
    np.testing.assert_allclose(found[:, 0:3], expected[:, 0:3], rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(found[:, 7:13], expected[:, 7:13], rtol=0.0, atol=1e-10)


def test_user_floor_agrees_with_the_plane_where_it_is_one():
    level = floors.ImplicitFloor(level=trough, values=(0.0,))
    expected = states_of(shapes.Ellipsoid(semi_axes=BRICK))
    found = states_of(shapes.Ellipsoid(semi_axes=BRICK), floor=level)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9)


def test_rolling_in_a_trough_keeps_energy():
    floor = floors.ImplicitFloor(level=trough, values=(1.0,), largest_curvature=1.0)
    case = CASES['ellipsoid_rolling']
    contact = model.ContactModel(surface=case.contact.surface, floor=floor, mode='rolling')
    plant, states, contacts = contact_cases.run(case._replace(contact=contact), ticks=64)
    energy = contact_cases.energies(plant, states)
    assert np.max(np.abs(energy / energy[0] - 1.0)) < 1e-8
    assert np.max(np.abs(contacts[:, 1])) < 1e-12


def test_flight_is_bit_for_bit_the_free_motion():
    case = CASES['bouncing_ellipsoid']
    plant, state, begun = contact_cases.begin(case)
    states, _ = model.trajectory(case.contact, plant, state, begun, 10)
    np.testing.assert_array_equal(states, trajectory(plant, state, 10))


def test_single_steps_give_the_bits_of_a_trajectory():
    case = CASES['bouncing_ellipsoid']
    plant, state, contact = contact_cases.begin(case)
    states, contacts = model.trajectory(case.contact, plant, state, contact, 40)
    for tick in range(40):
        state, contact = model.step(case.contact, plant, state, contact, tick)
    np.testing.assert_array_equal(np.concatenate(state), states[-1])
    np.testing.assert_array_equal(contact, contacts[-1])


def test_bouncing_ellipsoid_loses_energy_and_comes_to_stay():
    plant, states, contacts = contact_cases.run(CASES['bouncing_ellipsoid'])
    energy = contact_cases.energies(plant, states)
    assert np.max(np.diff(energy)) < 1e-9 * energy[0]
    assert np.min(contacts[:, 1]) > -1e-12
    assert model.unpack(contacts[-1]).mode in ('rolling', 'resting', 'slipping')


def test_imu_of_a_rocking_body_reads_acceleration_less_gravity():
    case = CASES['ellipsoid_rolling']
    plant, states, contacts = contact_cases.run(case, ticks=64)
    contact = model.unpack(contacts[32])
    mounting = BodyFrame(np.zeros(3), np.array(rotations.IDENTITY))
    state = from_flat(states[32])
    reading = truths.ideal_imu(plant.body, state, contact.wrench(), mounting)
    # The momentum's own rate, from two short steps ahead: good to the square of their length.
    short = 1e-4
    total = loads.with_gravity(loads.FREE, plant.body.mass * plant.gravity_W)
    ahead = [
        advance(
            states[32], contacts[32], 1.0, total, *case.contact.flat(plant.body), length, 1
        )[0][7:10]
        for length in (short, 2.0 * short)
    ]  # fmt: skip
    rate = (4.0 * ahead[0] - ahead[1] - 3.0 * states[32, 7:10]) / (2.0 * short)
    acceleration = rate / plant.body.mass
    expected = rotations.rotate(rotations.conjugate(state.q_WB), acceleration - contact_cases.DOWN)
    np.testing.assert_allclose(reading.specific_force_S, expected, rtol=0.0, atol=1e-5)


def test_held_force_in_body_axes_turns_with_the_body():
    case = CASES['ellipsoid_sliding']
    plant, state, contact = contact_cases.begin(case)
    wrench = np.array(loads.FREE)
    wrench[3:6] = (0.0, 0.0, 0.01)
    states, _ = model.trajectory(case.contact, plant, state, contact, 32, wrench)
    power = contact_cases.energies(plant, states)
    assert power[-1] != power[0]
    # Work of a torque along body z: τ ∫ ω_z dt.
    rates = [plant.body.angular_velocity_B(from_flat(flat))[2] for flat in states]
    weights = np.array([1.0, *(4.0, 2.0) * 15, 4.0, 1.0]) / 3.0 / 32.0
    assert power[-1] - power[0] == pytest.approx(0.01 * weights @ rates, rel=1e-4)


@pytest.mark.parametrize(
    ('make', 'words'),
    [
        (lambda: shapes.Sphere(radius=-1.0), 'radius is -1 m; it must be positive'),
        (lambda: shapes.Ellipsoid(semi_axes=(1.0, 0.0, 1.0)), r'semi_axes\[1\] is 0 m'),
        (
            lambda: shapes.Superellipsoid(semi_axes=BRICK, exponents=(1.0, 2.0)),
            r'exponents\[0\] is 1; below 2 the surface has edges',
        ),
        (lambda: shapes.ImplicitSurface(function=careless), 'not the derivative of its H'),
        (lambda: shapes.ImplicitSurface(function=peanut), 'surface is not convex'),
        (lambda: floors.Plane(normal=(0.0, 0.0, 0.0)), 'normal is zero'),
        (lambda: floors.Plane(conveyor=(0.0, 0.0, 1.0)), 'must lie in the plane'),
        (lambda: floors.Bowl(radius=0.0), 'radius is 0.0 m'),
    ],
)
def test_impossible_shapes_and_floors_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize(
    ('settings', 'words'),
    [
        ({'mode': 'sticky'}, "mode is 'sticky'; valid are sliding, rolling, coulomb"),
        ({'friction': -0.1}, 'friction is -0.1'),
        ({'restitution': 1.5}, 'restitution is 1.5'),
        ({'floor': floors.Bowl(radius=0.4)}, 'several points at once'),
    ],
)
def test_impossible_contacts_are_refused(settings, words):
    values = {'surface': shapes.Ellipsoid(semi_axes=BRICK), 'floor': floors.Plane(), **settings}
    with pytest.raises(ValueError, match=words):
        model.ContactModel(**values)


def test_a_contact_is_that_of_the_body_asked_for():
    contact, bodies = CASES['ellipsoid_rolling'].contact, [RigidBody(m, np.eye(3)) for m in (1, 2)]
    for body in (*bodies, *bodies):
        flat = contact.flat(body)
        assert flat is contact.flat(body)
        assert flat.constants[BODY + 8] == body.mass
    again = pickle.loads(pickle.dumps(contact)).flat(bodies[0])
    np.testing.assert_array_equal(again.constants, contact.flat(bodies[0]).constants)


def test_start_inside_the_floor_is_refused():
    case = CASES['bouncing_ellipsoid']
    with pytest.raises(ValueError, match='into the floor; raise it'):
        contact_cases.begin(case._replace(position_W=(0.0, 0.0, 0.0)))


def test_contact_without_a_single_point_stops_the_run():
    # A trough that hides its curvature: at run time the body's does not exceed it.
    floor = floors.ImplicitFloor(level=trough, values=(4.0,))
    case = CASES['ellipsoid_sliding']
    contact = model.ContactModel(surface=case.contact.surface, floor=floor, mode='sliding')
    with pytest.raises(ValueError, match=r'several contacts|contact point was lost'):
        contact_cases.run(case._replace(contact=contact), ticks=320)


def test_gravity_free_contact_still_runs():
    case = CASES['ellipsoid_sliding']
    plant = plant_of(case.body, np.zeros(3))
    state = case.body.state(
        case.position_W, case.q_WB, np.zeros(3), np.array(case.angular_velocity_B)
    )
    state, contact = model.start(case.contact, plant, state, place=True)
    states, _ = model.trajectory(case.contact, plant, state, contact, 32)
    assert np.all(np.isfinite(states))


def test_the_slip_of_a_ball_in_flight_is_its_speed_across_the_normal():
    """Of a ball that flies and turns: v + ω × r at its lowest point, without what approaches."""
    values = {
        'initial.position': [0.0, 0.0, 1.0], 'initial.velocity': [0.3, 0.0, -2.0],
        'initial.angular_velocity': [0.0, 2.0, 0.0], 'gravity': [0.0, 0.0, -9.81],
    }  # fmt: skip
    floor = {'surface.shape': 'sphere', 'surface.radius': 0.05, 'floor.shape': 'plane'}
    sections = {'simulator': values, 'contact': floor}
    instant = scenario.of_sections(sections, 'test').first_instant()
    contact = contact_at(instant)
    assert contact.mode == 'flight'
    assert contact.slip == pytest.approx([0.3 - 2.0 * 0.05, 0.0, 0.0], abs=1e-12)
    assert contact.slip_speed == pytest.approx(0.2, abs=1e-12)
