# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The gravity gradient in a circular orbit: libration, Jacobi's integral, order, precession."""

import math

import numpy as np
import pytest
from scipy.special import ellipk

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body import RigidBody
from spacecraft_attitude_sim.core.body.state import State, from_flat, to_flat
from spacecraft_attitude_sim.core.environment.circular_orbit import EARTH, CircularOrbit
from spacecraft_attitude_sim.core.equations import loaded
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import Inputs, Instant, plant_of

N = 1.1e-3
RADIUS = (EARTH / N**2) ** (1.0 / 3.0)
# Body axes at the start: x away from the planet, y forward, z along the normal, each least first.
RADIAL, PITCH = 0, 2


def orbit(normal=(0.0, 0.0, 1.0), start=(1.0, 0.0, 0.0), radius=RADIUS):
    """Return a CircularOrbit of rate N."""
    return CircularOrbit(radius, normal, start)


def unit(values):
    """Return the unit quaternion (4,) along some values."""
    return np.array(values) / np.linalg.norm(values)


def libration(roll=9.0, pitch=10.0, yaw=3.0):
    """Return the Plant of a body whose axes at rest are (yaw) radial, (roll) forward, (pitch)."""
    return plant_of(RigidBody(100.0, np.diag((yaw, roll, pitch))), orbit=orbit())


def moved(plant, flat, time, seconds, steps):
    """Return the flat state a while later."""
    return loaded.advance(
        flat, plant.body.flat(), np.zeros(12), np.zeros(6), plant.solver.gradient, time, seconds,
        steps,
    )  # fmt: skip


def turned_from_orbit(state, time):
    """Return the rotation vector (3,) from the orbit's axes to the body's [rad]."""
    frame = rotations.quaternion_from_axis_angle((0.0, 0.0, 1.0), N * time)
    q = rotations.compose(rotations.conjugate(frame), state.q_WB)
    q = q * math.copysign(1.0, q[0])
    return 2.0 * q[1:]


@pytest.mark.parametrize(
    ('axis', 'frequency'), [(2, 1.341640786), (1, 0.562628736), (0, 1.809984)]
)
def test_libration_has_the_three_frequencies_of_the_theory(axis, frequency):
    """Pitch n √(3 (Ix - Iz)/Iy); roll and yaw the roots of a biquadratic (Hughes 1986, 9.2)."""
    plant, small = libration(), 1e-5
    turned = np.zeros(3)
    turned[axis] = small
    states = librate(plant, turned, 3000, 10.0)
    angle = np.array([turned_from_orbit(state, 10.0 * k) for k, state in enumerate(states)])
    signal = angle[:, 2] if axis == 2 else angle[:, axis]
    # The frequencies fitted: a signal of the theory's modes alone leaves nothing over.
    modes = (1.341640786,) if axis == 2 else (0.562628736, 1.809984)
    time = 10.0 * np.arange(len(states))
    basis = np.array([f(w * N * time) for w in modes for f in (np.cos, np.sin)]).T
    fit, *_ = np.linalg.lstsq(basis, signal, rcond=None)
    left = np.max(np.abs(signal - basis @ fit))
    assert left < 2e-5 * small
    place = 2 * modes.index(frequency)
    assert np.linalg.norm(fit[place : place + 2]) > 1e-3 * small


def librate(plant, turned, count, seconds):
    """Return States from a small rotation at rest in the orbit's axes."""
    size = np.linalg.norm(turned)
    q_WB = rotations.quaternion_from_axis_angle(turned, size)
    omega_B = rotations.rotate(rotations.conjugate(q_WB), np.array((0.0, 0.0, N)))
    flat = to_flat(plant.body.state((0, 0, 0), q_WB, (0, 0, 0), omega_B))
    states = [from_flat(flat)]
    for k in range(count):
        flat = moved(plant, flat, k * seconds, seconds, 4)
        states.append(from_flat(flat))
    return states


@pytest.mark.parametrize(('degrees', 'period'), [(20.0, 4390.8945888), (60.0, 5844.9885847)])
def test_pitch_of_any_size_has_its_elliptic_period(degrees, period):
    """T = 4 K(sin² θ0) / (n √(3σ)), released at rest relative to the orbit."""
    plant, start = libration(), math.radians(degrees)
    assert 4.0 / (N * math.sqrt(1.8)) * ellipk(math.sin(start) ** 2) == pytest.approx(period, 1e-9)
    omega_B = np.array((0.0, 0.0, N))
    q_WB = rotations.quaternion_from_axis_angle((0.0, 0.0, 1.0), start)
    first = to_flat(plant.body.state((0, 0, 0), q_WB, (0, 0, 0), omega_B))
    last = from_flat(moved(plant, first, 0.0, period, 4000))
    # At the turning point the angle is flat in time: back where it was, and at rest.
    assert turned_from_orbit(last, period)[2] == pytest.approx(2.0 * math.sin(start / 2), abs=1e-9)
    assert plant.body.angular_velocity_B(last)[2] == pytest.approx(N, abs=1e-8 * N)


def test_jacobis_integral_is_constant_whatever_the_attitude():
    inertia = np.array(((9.0, 0.3, -0.2), (0.3, 10.0, 0.5), (-0.2, 0.5, 3.0)))
    normal = np.array((0.2, -0.5, 0.8))
    plant = plant_of(RigidBody(100.0, inertia), orbit=orbit(normal, (1.0, 1.0, 0.0)))
    state = plant.body.state(
        (0, 0, 0), unit((0.3, -0.5, 0.7, 0.4)), (0, 0, 0),
        np.array((3e-3, -2e-3, 2e-3)),
    )  # fmt: skip

    def jacobi(state, time):
        energy = plant.body.kinetic_energy(state)
        energy += plant.environment.potential(plant.body, state, time)
        return energy - N * float(plant.environment.orbit.normal_W @ state.angular_momentum_W)

    flat, values, energies = to_flat(state), [], []
    for k in range(600):
        state = from_flat(flat)
        values.append(jacobi(state, 50.0 * k))
        energies.append(plant.body.kinetic_energy(state))
        flat = moved(plant, flat, 50.0 * k, 50.0, 100)
    assert np.ptp(energies) > 0.1 * abs(np.mean(energies))  # it does exchange
    assert np.ptp(values) < 1e-10 * np.ptp(energies)


def test_error_falls_with_the_fourth_power_of_the_step():
    plant = libration()
    q_WB = unit((0.8, -0.3, 0.4, 0.2))
    flat = to_flat(plant.body.state((0, 0, 0), q_WB, (0, 0, 0), np.array((1e-3, 2e-3, -1e-3))))
    exact = moved(plant, flat, 300.0, 1000.0, 4096)
    errors = [
        rotations.angle_between(moved(plant, flat, 300.0, 1000.0, steps)[3:7], exact[3:7])
        for steps in (16, 32, 64)
    ]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders == pytest.approx((4.0, 4.0), abs=0.2)


def test_fast_spinner_precesses_about_the_normal():
    """L of A = 8, C = 10 kg m^2 at 0.5 rad/s and 40°: -(3/2) n² (C - A)/(C ω) cos θ, to 0.1 %."""
    plant, tilt = plant_of(RigidBody(1.0, np.diag((8.0, 8.0, 10.0))), orbit=orbit()), 40.0
    q_WB = rotations.quaternion_from_axis_angle((1.0, 0.0, 0.0), math.radians(tilt))
    flat = to_flat(plant.body.state((0, 0, 0), q_WB, (0, 0, 0), np.array((0.0, 0.0, 0.5))))
    period = 2.0 * math.pi / N
    for k in range(10):  # whole orbits: the ripple of half an orbit has come back
        flat = moved(plant, flat, k * period, period, 60_000)
    L_W = flat[10:13]
    turned = math.atan2(L_W[0], -L_W[1])
    assert turned / (10.0 * period) == pytest.approx(-5.5615e-7, rel=1e-3)


def test_torque_is_the_gradient_of_the_potential():
    inertia = np.array(((9.0, 0.3, -0.2), (0.3, 10.0, 0.5), (-0.2, 0.5, 3.0)))
    body = RigidBody(100.0, inertia)
    (load,) = plant_of(body, orbit=orbit((0.1, 0.2, 1.0))).environment.turning
    q_WB = unit((0.3, -0.5, 0.7, 0.4))
    state = State(np.zeros(3), q_WB, np.zeros(3), np.zeros(3))
    small = 1e-5
    for axis in np.eye(3):
        values = []
        for sign in (-1.0, 1.0):
            turn = rotations.quaternion_from_axis_angle(axis, sign * small)
            values.append(load.potential(body, state._replace(
                q_WB=rotations.compose(q_WB, turn)), 100.0))  # fmt: skip
        slope = (values[1] - values[0]) / (2.0 * small)
        assert load.torque_B(body, state, 100.0) @ axis == pytest.approx(-slope, abs=1e-14)


def test_imu_and_tick_feel_the_same_torque():
    """α of the truth at an instant is what a short tick there changes ω by."""
    body = RigidBody(100.0, np.diag((9.0, 10.0, 3.0)))
    plant = plant_of(body, orbit=orbit(radius=7e3))  # so near that it is no small torque
    state = body.state(
        (0, 0, 0), unit((0.9, 0.3, 0.2, -0.1)), (0, 0, 0),
        np.zeros(3),
    )  # fmt: skip
    alpha_B = simulation.truth(plant, Instant(0, state))[7:10]
    short = 1e-6
    after = from_flat(loaded.advance(
        to_flat(state), body.flat(), np.zeros(12), np.zeros(6), plant.solver.gradient, 0.0, short,
        1))  # fmt: skip
    assert np.linalg.norm(alpha_B) > 1.0
    assert body.angular_velocity_B(after) / short == pytest.approx(alpha_B, rel=1e-4)


def test_the_gradient_pulls_on_locked_wheels_too_and_later_from_elsewhere():
    """From rest ω grows by J⁻¹ 3 n² r̂ × I r̂, with I of everything and r̂ of the time."""
    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels

    inertia = np.array(((0.9, 0.03, -0.02), (0.03, 1.0, 0.05), (-0.02, 0.05, 0.7)))
    axis = np.array((0.6, 0.0, 0.8))
    wheel = ReactionWheels(('a',), [axis], [0.3], [np.inf])
    near = CircularOrbit(7e4, (0.1, 0.2, 1.0), (1.0, 1.0, 0.0))
    plant = plant_of(RigidBody(100.0, inertia), orbit=near, parts=(wheel,))
    q_WB = unit((0.3, -0.5, 0.7, 0.4))
    state = plant.spacecraft.state((0, 0, 0), q_WB, (0, 0, 0), (0, 0, 0))
    elapsed = 40
    angle = near.rate * elapsed / 32.0
    radial = np.cross((1.0, 1.0, 0.0), near.normal_W)
    radial = np.cross(near.normal_W, radial) / np.linalg.norm(radial)
    r_W = math.cos(angle) * radial + math.sin(angle) * np.cross(near.normal_W, radial)
    r_B = rotations.dcm_from_quaternion(q_WB).T @ r_W
    torque_B = 3.0 * EARTH / 7e4**3 * np.cross(r_B, inertia @ r_B)
    expected = np.linalg.solve(inertia - 0.3 * np.outer(axis, axis), torque_B)
    alpha_B = simulation.truth(plant, Instant(0, state, elapsed=elapsed))[7:10]
    assert alpha_B == pytest.approx(expected, rel=1e-12)
    short = 1e-7
    after = from_flat(loaded.advance(
        to_flat(state)[:13], plant.spacecraft.carrier.flat(), np.zeros(12), np.zeros(6),
        plant.solver.gradient, elapsed / 32.0, short, 1))  # fmt: skip
    omega_B = plant.spacecraft.carrier.angular_velocity_B(after)
    assert omega_B / short == pytest.approx(expected, rel=1e-4)
    assert plant.gradient.tolist() == plant.solver.gradient.tolist()


def test_what_is_conserved_in_an_orbit_is_jacobis_integral():
    plant = plant_of(RigidBody(100.0, np.diag((9.0, 10.0, 3.0))), orbit=orbit((0.1, 0.2, 1.0)))
    state = plant.body.state((0, 0, 0), unit((0.3, -0.5, 0.7, 0.4)), (0, 0, 0), (1e-3, 2e-3, 0))
    environment, found = plant.environment, []
    for tick in range(0, 3200, 320):
        seconds = tick / 32.0
        after = from_flat(moved(plant, to_flat(state), 0.0, seconds, 4 * tick or 1))
        conserved = environment.conserved(plant.body, after, seconds)
        found.append((plant.body.kinetic_energy(after), conserved))
    kinetic, conserved = np.transpose(found)
    assert np.ptp(kinetic) > 1e-6 * kinetic[0]
    assert np.ptp(kinetic + conserved) < 1e-6 * np.ptp(kinetic)


def test_automatic_sub_steps_grow_with_the_gradient():
    """A body at rest is turned by it: three times nearer, where n² is 27 times as large."""
    body = RigidBody(1.0, np.diag((9.0, 10.0, 3.0)))
    rest = body.state((0, 0, 0), np.array(rotations.IDENTITY), (0, 0, 0), (0, 0, 0))
    steps = [
        simulation.substeps_in(plant_of(body, orbit=orbit(radius=radius)), rest)
        for radius in (3e7, 3e4, 1e4)
    ]
    assert steps[0] == 1
    assert 27 * (steps[1] - 1) < steps[2] <= 27 * steps[1] > 27


def test_a_planet_of_another_mass_has_another_rate():
    given = {'orbit.radius': 4e6, 'orbit.gravitational_parameter': 4.282837e13}
    found = scenario.build(given, 'test').plant.environment.orbit
    assert found.rate == pytest.approx(math.sqrt(4.282837e13 / 4e6**3), rel=1e-15)


def test_wheel_on_the_pitch_axis_is_carried_round_without_precession():
    """At rest in the orbit's axes with its wheel along the normal a body stays there."""
    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels

    wheel = ReactionWheels(('y',), [(0.0, 0.0, 1.0)], [0.01], [np.inf])
    plant = plant_of(RigidBody(100.0, np.diag((3.0, 9.0, 10.0))), orbit=orbit(), parts=(wheel,))
    state = plant.spacecraft.state(
        (0, 0, 0), np.array(rotations.IDENTITY), (0, 0, 0), (0.0, 0.0, N), np.array((300.0,))
    )
    instant = Instant(0, state)
    for _ in range(320):
        instant = simulation.next_instant(plant, instant, Inputs())
    assert np.linalg.norm(turned_from_orbit(instant.state, 10.0)) < 1e-12


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ({'radius': 0.0}, 'radius is 0 m; it must be positive'),
        ({'normal': (0.0, 0.0, 0.0)}, 'normal is .*; give a direction'),
        ({'start': (1e-8, 0.0, 1.0)}, 'start is .*along the normal'),
        ({'start': (0.0, 0.0, 1.0)}, "start is .*along the normal.*orbit's plane"),
    ],
)
def test_an_orbit_that_cannot_be_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        orbit(**given)


def test_uniform_gravity_and_an_orbit_exclude_each_other():
    with pytest.raises(ValueError, match='falls freely; leave gravity or the orbit out'):
        plant_of(RigidBody(1.0, np.eye(3)), np.array((0.0, 0.0, -9.81)), orbit=orbit())


def test_an_orbit_takes_neither_other_equations_nor_a_floor():
    plant = libration()
    with pytest.raises(ValueError, match="with an orbit only 'momentum' works"):
        plant.with_equations('exact_kick4')
    with pytest.raises(ValueError, match='an orbit and a floor are not simulated'):
        plant.with_contact(object())
    assert plant.beyond_rigid_body == 'an orbit'
