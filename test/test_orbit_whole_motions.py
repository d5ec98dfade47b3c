# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Whole motions in orbit against DOP853 of Newton's, Euler's and the books' equations.

The orbit is integrated along with the rest. Of ours only the field at a place and an instant is
asked, no table between, and of the table the direction to the Sun; both have tests of their own.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from small_vectors import cross
from test_orbit_loads import Thin, pressed, turned

from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.environment import magnetic_field
from spacecraft_attitude_sim.core.environment.around import Surroundings
from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER
from spacecraft_attitude_sim.core.environment.earth_environment import EarthEnvironment
from spacecraft_attitude_sim.core.environment.epoch import epoch_of
from spacecraft_attitude_sim.core.environment.kepler_orbit import KeplerOrbit
from spacecraft_attitude_sim.core.environment.plates import Plate, Plates
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.magnetorquers.description import Magnetorquers
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import (
    ReactionWheels,
    WheelDynamics,
)
from spacecraft_attitude_sim.core.simulation import plant_of, step, trajectory
from spacecraft_attitude_sim.core.ticks import Ticks

MU = 3.986004418e14  # [m^3/s^2]
EARTH_RATE = 7.292115e-5
EPOCH = epoch_of('2026-03-20T12:00:00Z')
SECOND = Ticks(10**9)
LIBRATING = np.array(((9.0, 0.2, -0.1), (0.2, 10.0, 0.15), (-0.1, 0.15, 3.0)))


def start_of(a, e, inclination, node=0.3, perigee=0.4, anomaly=0.5):
    """Return position and velocity (6,) of an ellipse."""
    p = a * (1.0 - e * e)
    c, s = np.cos(anomaly), np.sin(anomaly)
    plane = p / (1.0 + e * c) * np.array((c, s, 0.0))
    moving = np.sqrt(MU / p) * np.array((-s, e + c, 0.0))

    def about(k, angle):
        c, s, turn = np.cos(angle), np.sin(angle), np.eye(3)
        i, j = (k + 1) % 3, (k + 2) % 3
        turn[i, i] = turn[j, j] = c
        turn[i, j], turn[j, i] = -s, s
        return turn

    C = about(2, node) @ about(0, inclination) @ about(2, perigee)
    return np.concatenate((C @ plane, C @ moving))


def place_of(a, e, inclination, field=None, air=None):
    """Return the Surroundings of that ellipse."""
    assert MU == GRAVITATIONAL_PARAMETER
    orbit = KeplerOrbit(a, e, inclination, 0.3, 0.4, 0.5)
    field = field or magnetic_field.UniformField(np.zeros(3))
    return Surroundings(EarthEnvironment(EPOCH, orbit, field, air).table(), MU)


def axes_of(q):
    """Return C_BW of a quaternion that need not be of length one."""
    w, x, y, z = q / np.linalg.norm(q)
    return np.array((
        (1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
        (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
        (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)),
    ))  # fmt: skip


def turning(q, omega):
    """Return dq/dt."""
    w, (x, y, z), (a, b, c) = q[0], q[1:], omega
    return 0.5 * np.array((
        -x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a
    ))  # fmt: skip


def integrated(inertia, begin, q, omega, seconds, load, mass=1.0):
    """Return orbit (6,), q (4,) and ω (3,) after some time.

    load: function of t, r, v, C_BW that gives force and torque, body axes
    """

    def slopes(t, y):
        r, v, q, omega = y[0:3], y[3:6], y[6:10], y[10:13]
        C_BW, distance = axes_of(q), np.linalg.norm(r)
        up = C_BW @ r / distance
        force, torque = load(t, r, v, C_BW)
        given = 3.0 * MU / distance**3 * cross(up, inertia @ up) + torque
        return np.concatenate((
            v, C_BW.T @ force / mass - MU / distance**3 * r, turning(q, omega),
            np.linalg.solve(inertia, given - cross(omega, inertia @ omega)),
        ))  # fmt: skip

    first = np.concatenate((begin, q, omega))
    scale = np.concatenate((np.full(3, 1e-5), np.full(3, 1e-8), np.full(7, 1e-13)))
    y = solve_ivp(slopes, (0.0, seconds), first, 'DOP853', rtol=1e-13, atol=scale).y[:, -1]
    return y[:6], y[6:10] / np.linalg.norm(y[6:10]), y[10:]


def angle_between(q, other):
    """Return the angle between two attitudes [rad]."""
    return 2.0 * np.linalg.norm(rotations.compose(rotations.conjugate(np.array(q)), other)[1:])


def nothing(t, r, v, C_BW):
    return np.zeros(3), np.zeros(3)


@pytest.mark.parametrize(
    ('a', 'e', 'inclination'),
    [(6.878e6, 0.0, 0.0), (7.2e6, 0.0, 1.7), (7.2e6, 0.05, 0.9), (1.1e7, 0.3, 0.5)],
)
def test_libration_over_two_orbits(a, e, inclination):
    begin = start_of(a, e, inclination)
    seconds = round(4.0 * np.pi * np.sqrt(a**3 / MU))
    r, v = begin[:3], begin[3:]
    z, y = -r / np.linalg.norm(r), -cross(r, v) / np.linalg.norm(cross(r, v))
    level = rotations.quaternion_from_matrix(*np.column_stack((cross(y, z), y, z)).ravel())
    q = rotations.compose(level, turned((0.48, 0.6, 0.64), 0.4))
    omega = axes_of(q) @ cross(r, v) / (r @ r) + (1e-4, -2e-4, 1.5e-4)
    plant = plant_of(
        RigidBody(100.0, LIBRATING), surroundings=place_of(a, e, inclination), ticks=SECOND
    )
    state = plant.spacecraft.state(np.zeros(3), q, np.zeros(3), omega)
    flat = trajectory(plant, state, seconds)[-1]
    end, exact, _ = integrated(LIBRATING, begin, q, omega, seconds, nothing)
    where = plant.environment.surroundings.at(float(seconds))[AROUND.of('position_W')]
    # DOP853 itself loses 1e-5 m in two orbits.
    assert where == pytest.approx(end[:3], abs=1e-4)
    assert angle_between(exact, flat[3:7]) < 1e-10


@pytest.mark.parametrize(
    ('field', 'seconds', 'moment'),
    [
        (magnetic_field.igrf14, 900, (0.01, -0.006, 0.008)),
        (magnetic_field.dipole, 5700, (0.001, -0.0006, 0.0008)),
    ],
)
def test_a_dipole_in_the_earths_field(field, seconds, moment):
    """The second over an orbit in a tilted dipole, where Catmull-Rom cost 4e-8 rad."""
    a, e, inclination = 6.878e6, 0.01, 1.2
    begin, inertia = start_of(a, e, inclination), np.diag((0.033, 0.036, 0.0067))
    dipole, field = np.array(moment), field()
    point = EarthEnvironment(EPOCH, KeplerOrbit(a), field)

    def load(t, r, v, C_BW):
        return np.zeros(3), cross(dipole, C_BW @ field_at(point, t, r))

    plant = plant_of(
        RigidBody(4.0, inertia), surroundings=place_of(a, e, inclination, field), ticks=SECOND,
        parts=(Magnetorquers((), (), tuple(dipole)),),
    )  # fmt: skip
    q, omega = turned((0.6, 0.0, 0.8), 0.7), np.array((0.002, -0.0015, 0.001))
    state = plant.spacecraft.state(np.zeros(3), q, np.zeros(3), omega)
    flat = trajectory(plant, state, seconds)[-1]
    _, exact, _ = integrated(inertia, begin, q, omega, seconds, load)
    _, idle, _ = integrated(inertia, begin, q, omega, seconds, nothing)
    assert angle_between(exact, idle) > 0.5
    assert angle_between(exact, flat[3:7]) < 1e-10


def field_at(environment, t, r_W):
    """Return the field at a place and time, without a table."""
    q_WE, flat = environment.epoch.q_WE(t), environment.flat_field
    r_E = rotations.rotate(rotations.conjugate(q_WE), r_W)
    B_E = magnetic_field.harmonic_field(
        flat, t, *map(float, r_E), magnetic_field.scratch_for(flat)
    )
    return rotations.rotate(q_WE, np.array(B_E))


SIX_UNITS = tuple(
    Plate(normal, center, area, 0.2, 0.3, 2.2, 0.9, 450.0)
    for normal, center, area in (
        ((1, 0, 0), (0.11, 0.01, -0.02), 0.06), ((-1, 0, 0), (-0.09, 0.01, -0.02), 0.06),
        ((0, 1, 0), (0.01, 0.06, -0.02), 0.06), ((0, -1, 0), (0.01, -0.04, -0.02), 0.06),
        ((0, 0, 1), (0.01, 0.01, 0.13), 0.02), ((0, 0, -1), (0.01, 0.01, -0.17), 0.02),
    )
)  # fmt: skip
PANELS = tuple(
    Plate((0.0, 0.0, 1.0), (0.01, y, 0.13), 0.12, 0.1, 0.5, 2.2, 0.9, 450.0) for y in (-0.4, 0.5)
)


def test_drag_and_sunlight_on_six_units_with_panels():
    a, e, inclination, seconds = 6.778e6, 0.005, 1.7, 900
    begin = start_of(a, e, inclination)
    inertia = np.array(((0.12, 0.002, -0.001), (0.002, 0.07, 0.003), (-0.001, 0.003, 0.15)))
    plates = (*SIX_UNITS, *PANELS, *(one.other_side for one in PANELS))
    place = place_of(a, e, inclination, air=Thin())
    pole = axes_of(EPOCH.q_WE(0.0)).T @ (0.0, 0.0, EARTH_RATE)

    def load(t, r, v, C_BW):
        now = place.at(t)
        return pressed(
            plates, C_BW @ (v - cross(pole, r)), 4e-12, C_BW @ now[AROUND.of('to_sun_W')],
            now[AROUND.at('irradiance')] / 299792458.0,
        )  # fmt: skip

    plant = plant_of(RigidBody(8.0, inertia), surroundings=place, plates=Plates(plates))
    q, omega = turned((0.6, 0.0, 0.8), 0.7), np.array((0.001, -0.0015, 0.002))
    state = plant.spacecraft.state(np.zeros(3), q, np.zeros(3), omega)
    flat = trajectory(plant, state, 32 * seconds)[-1]
    _, exact, _ = integrated(inertia, begin, q, omega, seconds, load, 8.0)
    _, idle, _ = integrated(inertia, begin, q, omega, seconds, nothing)
    assert angle_between(exact, idle) > 0.05
    # A corner at which a plate turns away costs a part of a step.
    assert angle_between(exact, flat[3:7]) < 6e-8


def test_wheels_with_friction_in_a_gravity_gradient():
    a, e, inclination, seconds = 6.878e6, 0.02, 0.9, 900
    begin, axes = start_of(a, e, inclination), np.array(((1.0, 0, 0), (0, 1.0, 0), (0, 0.6, 0.8)))
    inertia = np.array(((1.2, 0.02, -0.01), (0.02, 0.9, 0.03), (-0.01, 0.03, 1.5)))
    axial, viscous, coulomb = 1e-3, 2e-6, np.array((1e-4, 2e-4, 3e-4))
    dynamics = tuple(WheelDynamics(viscous=viscous, coulomb=one, static=1e-2) for one in coulomb)
    wheels = ReactionWheels(
        ('a', 'b', 'c'), axes, np.full(3, axial), np.full(3, np.inf), dynamics, 1.0 / 8.0,
        detailed=True,
    )  # fmt: skip
    plant = plant_of(
        RigidBody(20.0, inertia), surroundings=place_of(a, e, inclination), parts=(wheels,),
        ticks=Ticks(125 * 10**6),
    )  # fmt: skip
    q, omega = turned((0.6, 0.0, 0.8), 0.7), np.array((0.002, -0.001, 0.003))
    speeds, torque = np.array((200.0, -150.0, 180.0)), np.array((1e-4, 1e-4, -1e-4))
    state = plant.spacecraft.state(np.zeros(3), q, np.zeros(3), omega, speeds)
    for tick in range(8 * seconds):
        state = step(plant, state, Inputs(wheel_torque=torque), tick)

    coupled = axes.T * axial
    mass = np.block([[inertia, coupled], [coupled.T, axial * np.eye(3)]])

    def slopes(t, y):
        r, v, q, omega, speeds = y[0:3], y[3:6], y[6:10], y[10:13], y[13:16]
        C_BW, distance = axes_of(q), np.linalg.norm(r)
        up = C_BW @ r / distance
        outer = 3.0 * MU / distance**3 * cross(up, inertia @ up)
        inner = torque - viscous * speeds - np.sign(way) * coulomb
        right = np.concatenate((
            outer - cross(omega, inertia @ omega + coupled @ speeds), inner
        ))  # fmt: skip
        free = np.concatenate((np.full(3, True), way != 0.0))
        rates = np.zeros(6)
        rates[free] = np.linalg.solve(mass[np.ix_(free, free)], right[free])
        return np.concatenate((v, -MU / distance**3 * r, turning(q, omega), rates))

    way, y, t = np.sign(speeds), np.concatenate((begin, q, omega, speeds)), 0.0
    scale = np.concatenate((np.full(3, 1e-5), np.full(3, 1e-8), np.full(10, 1e-13)))
    stopped = 0
    while t < seconds:
        stops = [lambda t, y, k=k: y[13 + k] for k in np.flatnonzero(way)]
        for one in stops:
            one.terminal = True
        part = solve_ivp(
            slopes, (t, seconds), y, 'DOP853', rtol=1e-13, atol=scale, events=stops, max_step=5.0
        )
        t, y = part.t[-1], part.y[:, -1]
        if t < seconds:
            k = int(np.argmin(np.abs(y[13:16]) + 1e9 * (way == 0.0)))
            way[k], y[13 + k], stopped = 0.0, 0.0, stopped + 1
    assert stopped == 2
    assert angle_between(y[6:10] / np.linalg.norm(y[6:10]), state.q_WB) < 5e-10
    assert plant.spacecraft.wheel_speeds(state) == pytest.approx(y[13:16], abs=1e-8)
