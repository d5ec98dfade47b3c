# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A body in an orbit about the Earth: gravity, air, sunlight, and the field on a dipole."""

import numpy as np
import pytest
from craft_rows import rows_by
from scipy.integrate import simpson, solve_ivp
from scipy.special import ellipk
from small_vectors import cross

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.batch.actuated import rows_of
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import from_flat
from spacecraft_attitude_sim.core.environment.around import Surroundings, draw_sky, fit_sky
from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER
from spacecraft_attitude_sim.core.environment.earth_environment import EarthEnvironment
from spacecraft_attitude_sim.core.environment.epoch import epoch_of
from spacecraft_attitude_sim.core.environment.kepler_orbit import KeplerOrbit
from spacecraft_attitude_sim.core.environment.loads import bearing
from spacecraft_attitude_sim.core.environment.loads.air_drag import of_air
from spacecraft_attitude_sim.core.environment.loads.solar_pressure import of_sunlight
from spacecraft_attitude_sim.core.environment.magnetic_field import UniformField, dipole, wmm2025
from spacecraft_attitude_sim.core.environment.plates import Plate, Plates
from spacecraft_attitude_sim.core.environment.sky import SKY, constant_sky, surrounded
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.magnetorquers.description import Magnetorquers
from spacecraft_attitude_sim.core.simulation import plant_of, trajectory
from spacecraft_attitude_sim.core.studies.flips_and_drifts import DriftMonitor
from spacecraft_attitude_sim.core.ticks import Ticks

EPOCH = epoch_of('2026-03-20T12:00:00Z')
RATE = 1.1e-3  # mean motion of most orbits here [rad/s]
AXIS = (GRAVITATIONAL_PARAMETER / RATE**2) ** (1.0 / 3.0)
SECOND = Ticks(10**9)
UP_TO_NADIR = np.array(((0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)))


def around(orbit, field_W=(0.0, 0.0, 0.0), air=None):
    """Return the Surroundings in a uniform field, without air unless given."""
    environment = EarthEnvironment(EPOCH, orbit, UniformField(np.array(field_W)), air)
    return Surroundings(environment.table(), GRAVITATIONAL_PARAMETER)


def nadir(place, time):
    """Return q_WO: x forward, y against the orbit's normal, z down."""
    now = place.at(time)
    r, v = now[AROUND.of('position_W')], now[AROUND.of('velocity_W')]
    z = -r / np.linalg.norm(r)
    y = -cross(r, v)
    y /= np.linalg.norm(y)
    return rotations.quaternion_from_matrix(*np.column_stack((cross(y, z), y, z)).ravel())


def turned(axis, angle):
    """Return the quaternion of a turn about an axis."""
    return np.array((np.cos(angle / 2.0), *(np.sin(angle / 2.0) * np.asarray(axis, float))))


def librating(orbit, inertia, axis, angle, seconds):
    """Return angles about the orbit's axes [rad], each second, of a body let go at rest."""
    place = around(orbit)
    body = RigidBody(100.0, np.diag(inertia))
    plant = plant_of(body, surroundings=place, ticks=SECOND, substeps=1)
    q_WB = rotations.compose(nadir(place, 0.0), turned(axis, angle))
    now = place.at(0.0)
    r, v = now[AROUND.of('position_W')], now[AROUND.of('velocity_W')]
    rate_W = cross(r, v) / (r @ r)
    rate_B = rotations.rotate(rotations.conjugate(q_WB), rate_W)
    state = plant.spacecraft.state(np.zeros(3), q_WB, np.zeros(3), rate_B)
    flat = trajectory(plant, state, seconds)
    relative = [
        rotations.compose(rotations.conjugate(nadir(place, float(k))), q)
        for k, q in enumerate(flat[:, 3:7])
    ]
    return plant, flat, 2.0 * np.array(relative)[:, 1:] / np.array(relative)[:, :1]


def crossings(values):
    """Return the times at which values each second rise through zero, by cubics."""
    found = []
    for k in np.flatnonzero((values[:-1] < 0.0) & (values[1:] >= 0.0)):
        near = values[k - 2 : k + 4]
        cubic = np.polynomial.Polynomial.fit(np.arange(-2.0, 4.0), near, 5)
        roots = cubic.roots()
        found += [k + r.real for r in roots if abs(r.imag) < 1e-9 and -1e-9 <= r.real <= 1.0]
    return np.array(found)


@pytest.mark.parametrize(('degrees', 'period'), [(20.0, 4390.8945888), (60.0, 5844.9885847)])
def test_a_body_swings_in_pitch_as_an_elliptic_integral_says(degrees, period):
    inertia, angle = (9.0, 10.0, 3.0), np.radians(degrees)
    sigma = (inertia[0] - inertia[2]) / inertia[1]
    closed = 4.0 / (RATE * np.sqrt(3.0 * sigma)) * ellipk(np.sin(angle) ** 2)
    assert closed == pytest.approx(period, rel=1e-10)
    _, _, angles = librating(KeplerOrbit(AXIS), inertia, (0, 1, 0), angle, 12000)
    assert np.diff(crossings(angles[:, 1])) == pytest.approx(period, rel=1e-8)


def frequencies(values, count):
    """Return the angular frequencies [rad/s] of a sum of sines, each second, by Prony's rule."""
    every = 64
    samples = values[::every]
    rows = len(samples) - 2 * count
    hankel = np.array([samples[k : k + rows] for k in range(2 * count + 1)]).T
    # Symmetric, because nothing decays: 1, c1, …, c1, 1.
    folded = [hankel[:, k] + hankel[:, 2 * count - k] for k in range(count)]
    solved = np.linalg.lstsq(np.array(folded[1:] + [hankel[:, count]]).T, -folded[0], rcond=None)
    half = [1.0, *solved[0]]
    roots = np.roots([*half, *half[-2::-1]])
    return np.sort(np.abs(np.angle(roots[roots.imag > 0.0]))) / every


def test_roll_and_yaw_swing_at_their_two_rates():
    _, _, angles = librating(KeplerOrbit(AXIS), (9.0, 10.0, 3.0), (1, 0, 0), 1e-4, 17200)
    found = frequencies(angles[:, 0], 2)
    assert found / RATE == pytest.approx((0.562629, 1.809984), rel=1e-5)


def test_jacobis_integral_stays_at_any_attitude():
    inertia = np.array((9.0, 10.0, 3.0))
    plant, flat, _ = librating(KeplerOrbit(AXIS), inertia, (0.6, 0.48, 0.64), 1.2, 12000)
    place, found = plant.environment.surroundings, []
    for k in range(0, 12001, 500):
        C_BW = rotations.dcm_from_quaternion(flat[k, 3:7]).T
        r_W = place.at(float(k))[AROUND.of('position_W')]
        v_W = place.at(float(k))[AROUND.of('velocity_W')]
        up, normal = (
            C_BW @ r_W / AXIS,
            C_BW @ cross(r_W, v_W) / np.linalg.norm(r_W) / (RATE * AXIS),
        )
        omega = C_BW @ flat[k, 10:13] / inertia - RATE * normal
        found.append(
            0.5 * omega @ (inertia * omega)
            + 1.5 * RATE**2 * up @ (inertia * up)
            - 0.5 * RATE**2 * normal @ (inertia * normal)
        )
    assert np.ptp(found) / np.abs(found).max() < 1e-9


def forced_pitch(e):
    """Return what an orbit of eccentricity e forces of pitch, on sin(nt) and cos(nt) [rad]."""
    orbit, free = KeplerOrbit(AXIS, e), RATE * np.sqrt(1.8)
    _, _, angles = librating(orbit, (9.0, 10.0, 3.0), (0, 1, 0), 0.0, 23000)
    time = np.arange(23001.0)
    # Let go at rest, it also swings freely; to second order the two mix.
    rates = (RATE, free, 2.0 * RATE, free - RATE, free + RATE)
    waves = [f(w * time) for w in rates for f in (np.sin, np.cos)]
    fit = np.linalg.lstsq(np.array(waves).T, 2.0 * np.arctan(angles[:, 1] / 2.0), rcond=None)[0]
    return fit[0:2]


def test_an_eccentric_orbit_forces_pitch():
    # σ = 0.6: 2e/(3σ - 1) sin(nt) to first order of e, the next is the third. Pitch is about the
    # axis against the orbit's normal, so the sign is the other.
    e = 1e-3
    closed = np.array((-2.0 * e / 0.8, 0.0))
    once, twice = forced_pitch(e), forced_pitch(2.0 * e)
    assert once == pytest.approx(closed, abs=5e-5 * 2.5e-3)  # 16 e²
    assert (8.0 * once - twice) / 6.0 == pytest.approx(closed, abs=5e-6 * 2.5e-3)


def test_a_fast_spinner_goes_round_the_normal_of_the_orbit():
    A, C, spin, tilt = 8.0, 10.0, 0.5, np.radians(40.0)
    place = around(KeplerOrbit(AXIS))
    body = RigidBody(100.0, np.diag((A, A, C)))
    plant = plant_of(body, surroundings=place, ticks=Ticks(4 * 10**9), substeps=32)
    q_WB = turned((1.0, 0.0, 0.0), tilt)  # the orbit's normal is world z
    state = plant.spacecraft.state(np.zeros(3), q_WB, np.zeros(3), np.array((0, 0, spin)))
    L = trajectory(plant, state, 14280)[:, 10:13]  # ten orbits
    turn = np.unwrap(np.arctan2(L[:, 1], L[:, 0]))
    rate = np.polynomial.polynomial.polyfit(4.0 * np.arange(14281.0), turn, 1)[1]
    assert rate == pytest.approx(-5.5615e-7, rel=1e-3)


def test_a_body_off_the_origin_moves_as_hill_says():
    place = around(KeplerOrbit(AXIS))
    plant = plant_of(RigidBody(5.0, np.diag((1.0, 1.0, 1.0))), surroundings=place, ticks=SECOND)
    x0, v0 = np.array((30.0, -20.0, 10.0)), np.array((0.01, -0.02, 0.015))
    state = plant.spacecraft.state(x0, turned((1, 0, 0), 0.0), v0, np.zeros(3))
    flat = trajectory(plant, state, 5000)
    # At time 0 world's x is up and y forward; in axes that turn, from there.
    n, t = RATE, 5000.0
    r, w = x0, v0 - cross((0.0, 0.0, n), x0)
    s, c = np.sin(n * t), np.cos(n * t)
    up = (4 - 3 * c) * r[0] + s / n * w[0] + 2 / n * (1 - c) * w[1]
    forward = 6 * (s - n * t) * r[0] + r[1] - 2 / n * (1 - c) * w[0] + (4 * s / n - 3 * t) * w[1]
    turning = np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))
    hill = turning @ (up, forward, c * r[2] + s / n * w[2])
    assert flat[-1, 0:3] == pytest.approx(hill, abs=1e-6)


class Thin:
    """Air of one density."""

    exact, name = True, 'thin'

    def log_density(self, epoch, times, places):
        """Return it for each."""
        return np.full(len(times), np.log(4e-12))


BOX = tuple(
    Plate(normal, np.multiply(normal, 0.1) + (0.01, -0.02, 0.03), 0.06, 0.2, 0.3, 2.2, 0.9, 450.0)
    for normal in (*np.eye(3), *-np.eye(3))
)
WING = Plate((0.0, 0.0, 1.0), (0.0, 0.4, 0.0), 0.18, 0.1, 0.5, 2.2, 0.9, 450.0)


def pressed(plates, velocity, density, sun, pressure):
    """Return force and torque by the formulas of the books, written out here."""
    force, torque = np.zeros(3), np.zeros(3)
    speed = np.linalg.norm(velocity)
    v = velocity / speed
    for p in plates:
        n, one = p.normal_B, np.zeros(3)
        if (c := n @ sun) > 0.0:
            one = one - pressure * p.area * c * (
                (1 - p.specular) * sun + 2 * (p.specular * c + p.diffuse / 3) * n
            )
        if (c := n @ v) > 0.0:
            a = p.accommodation
            way = a * v + (2 * (1 - a) * c + a * p.leaving_speed / speed) * n
            one = one - 0.5 * density * speed**2 * p.drag_coefficient * p.area * c * way
        force, torque = force + one, torque + cross(p.center_B, one)
    return force, torque


def test_air_sunlight_gravity_and_a_dipole_as_an_independent_integrator():
    field_W = np.array((2e-5, -1e-5, 3e-5))
    place = around(KeplerOrbit(AXIS, 0.02, 1.0, 0.3, 0.4, 0.5), field_W, Thin())
    inertia = np.array(((0.05, 0.002, -0.001), (0.002, 0.12, 0.003), (-0.001, 0.003, 0.13)))
    plates = (*BOX, WING, WING.other_side)
    dipole = np.array((0.02, -0.03, 0.05))
    plant = plant_of(
        RigidBody(8.0, inertia), surroundings=place, plates=Plates(plates),
        parts=(Magnetorquers((), (), tuple(dipole)),),
    )  # fmt: skip
    q0, w0 = turned((0.6, 0.0, 0.8), 0.7), np.array((0.01, -0.004, 0.007))
    state = plant.spacecraft.state(np.zeros(3), q0, np.zeros(3), w0)
    seconds = 200
    flat_all = trajectory(plant, state, 32 * seconds)
    flat = flat_all[-1]
    batch = Batch(
        [plant.spacecraft.carrier] * 2, [state] * 2, watched=True,
        actuated=rows_of([plant] * 2, [state] * 2, [Inputs()] * 2),
    )  # fmt: skip
    batch.advance(31 * seconds)
    batch.advance(seconds)
    assert batch.states.tobytes() == np.array([flat[:13]] * 2).tobytes()
    assert batch.internal[0].tobytes() == flat[13:].tobytes()
    final = from_flat(flat)
    energies = plant.spacecraft.kinetic_energy(final), plant.spacecraft.kinetic_energy(state)
    book = plant.spacecraft.energy_book(final)
    assert book['loads'] == pytest.approx(energies[0] - energies[1], rel=1e-9)
    assert abs(book['loads']) > 1e-8
    monitor = DriftMonitor(plant, state)
    for k, values in enumerate(flat_all[1:], 1):
        monitor.add(plant.ticks.seconds(k), from_flat(values))
    assert monitor.energy_drift == pytest.approx(batch.merits.energy_drift[0], rel=1e-9)
    assert monitor.energy_drift > 1e-4

    def slopes(t, y):
        now = place.at(t)
        q, w = y[0:4] / np.linalg.norm(y[0:4]), y[4:7]
        C_BW = rotations.dcm_from_quaternion(q).T
        r = now[AROUND.of('position_W')]
        up, velocity = C_BW @ r / np.linalg.norm(r), y[10:13]
        force, torque = pressed(
            plates,
            C_BW @ (velocity - now[AROUND.of('wind_W')]),
            now[AROUND.at('density')],
            C_BW @ now[AROUND.of('to_sun_W')],
            now[AROUND.at('irradiance')] / 299792458.0,
        )
        k = GRAVITATIONAL_PARAMETER / np.linalg.norm(r) ** 3
        torque = torque + 3 * k * cross(up, inertia @ up) + cross(dipole, C_BW @ field_W)
        x = y[7:10]
        tide = k * (3 * r * (r @ x) / (r @ r) - x)
        return np.concatenate((
            0.5 * rotations.compose(q, (0.0, *w)),
            np.linalg.solve(inertia, torque - cross(w, inertia @ w)),
            velocity, C_BW.T @ force / 8.0 + tide,
        ))  # fmt: skip

    start = np.concatenate((q0, w0, np.zeros(6)))
    exact = solve_ivp(slopes, (0.0, seconds), start, 'DOP853', rtol=1e-12, atol=1e-15).y[:, -1]
    q = exact[0:4] / np.linalg.norm(exact[0:4])
    off = rotations.compose(rotations.conjugate(q), flat[3:7])
    # The corner at which a plate turns away costs a part of a step.
    assert 2.0 * np.linalg.norm(off[1:]) < 2e-8
    assert flat[0:3] == pytest.approx(exact[7:10], abs=1e-8)
    assert np.linalg.norm(flat[0:3]) > 1e-3


@pytest.mark.parametrize('tick', [1.0, 10.0, 100.0])
def test_the_sky_of_a_tick_is_the_orbits_own(tick):
    field = dipole()
    environment = EarthEnvironment(EPOCH, KeplerOrbit(AXIS, 0.05, 0.4, 0.3, 0.2, 0.1), field)
    place = Surroundings(environment.table(), GRAVITATIONAL_PARAMETER)
    number, tick_ns = round(100.0 / tick), round(1e9 * tick)
    table, constant = place.flat(100.0, 100.0 + tick), np.zeros(SKY.size)
    constant[SKY.at('parameter')], constant[SKY.at('whole')] = GRAVITATIONAL_PARAMETER, 1.0
    kept = constant.copy()
    drawn = place.skies(constant, range(number, number + 1), tick_ns)
    slowly = constant.copy()
    draw_sky(table, slowly, number, tick_ns)
    assert drawn.tobytes() == slowly.tobytes()
    assert constant.tobytes() == kept.tobytes()
    # A polynomial through five instants: (n h)⁵ / 33800 of what goes round at the rate n, at the
    # perigee 1.11 of the mean; the field goes round twice as fast, and so does a part of the
    # velocity, of which 2⁵ e is 1.6.
    left = (1.11 * RATE * tick) ** 5 / 33800.0
    for part in (0.0, 0.1, 0.3, 0.5, 0.9, 1.0):
        time = 100.0 + part * tick
        now, here = place.at(time), surrounded(drawn, time)
        r, strength = now[AROUND.of('position_W')], 3e-5
        assert here[0:3] == pytest.approx(r / np.linalg.norm(r), rel=0.0, abs=left + 1e-15)
        pull = GRAVITATIONAL_PARAMETER / np.linalg.norm(r) ** 3
        assert here[3] == pytest.approx(pull, rel=3.0 * left + 1e-14, abs=0.0)
        B, wind = now[AROUND.of('magnetic_field_W')], now[AROUND.of('wind_W')]
        assert here[4:7] == pytest.approx(B, rel=0.0, abs=strength * (32.0 * left + 1e-14))
        assert here[7:10] == pytest.approx(wind, rel=0.0, abs=3.0 * 8e3 * left + 1e-8)
    assert drawn[SKY.of('to_sun_W')] == pytest.approx(
        place.at(100.0 + tick / 2.0)[AROUND.of('to_sun_W')]
    )


@pytest.mark.parametrize(('tick_ns', 'ticks'), [(31_250_000, 32), (300_000_000, 3)])
def test_a_sky_of_many_ticks_is_the_orbits_own_wherever_a_flight_begins(tick_ns, ticks):
    """Field and position of WMM2025 in J2, from 95 s on: spans of 0.9 s have nodes inside."""
    environment = EarthEnvironment(
        EPOCH, KeplerOrbit(AXIS, 0.05, 1.4, 0.3, 0.2, 0.1, flattening=True), wmm2025()
    )
    place = Surroundings(environment.table(), GRAVITATIONAL_PARAMETER)
    constant = constant_sky(np.eye(3), None, np.zeros(3), GRAVITATIONAL_PARAMETER)
    first = round(95e9 / tick_ns)
    skies = place.skies(constant, range(first, first + 500), tick_ns).reshape(500, -1)
    begins = skies[:, SKY.at('begin')]
    assert begins.tolist() == [
        k // ticks * ticks * tick_ns / 1e9 for k in range(first, first + 500)
    ]
    later = place.skies(constant, range(first + 37, first + 57), tick_ns)
    assert later.tobytes() == skies[37:57].tobytes()
    for k in range(0, 500, 7):
        for part in (0.0, 0.5, 1.0):
            time = (first + k + part) * tick_ns / 1e9
            now, here = place.at(time), surrounded(skies[k], time)
            B, r = now[AROUND.of('magnetic_field_W')], now[AROUND.of('position_W')]
            # [nT]; what interpolation between the nodes costs is 2e-8.
            assert 1e9 * np.subtract(here[4:7], B) == pytest.approx(np.zeros(3), abs=2e-8)
            # Round-off of 7000 km, over which it is a direction.
            assert here[0:3] == pytest.approx(r / np.linalg.norm(r), rel=0.0, abs=2e-15)


def test_sunlight_of_a_span_is_its_mean():
    """Where a shadow ends: the impulse of the light, by Simpson's rule over 2000 instants."""
    place = around(KeplerOrbit(AXIS))
    lit = np.array([place.at(t)[AROUND.at('lit')] for t in np.arange(0.0, 6000.0, 2.0)])
    edge = 2.0 * np.flatnonzero((lit > 0.0) & (lit < 1.0))[0]
    constant = np.zeros(SKY.size)
    constant[SKY.at('whole')] = 1.0
    drawn = constant.copy()
    fit_sky(place.flat(edge - 9.0, edge + 7.0), drawn, edge - 9.0, 16.0)
    times = np.linspace(edge - 9.0, edge + 7.0, 2001)
    mean = simpson([place.at(t)[AROUND.at('irradiance')] for t in times], x=times) / 16.0
    # Trapezia of 4 s over 8 s of penumbra; that of the middle would be a third of the Sun off.
    assert drawn[SKY.at('pressure')] * 299792458.0 == pytest.approx(mean, abs=0.03 * 1361.0)
    middle = place.at(edge - 1.0)[AROUND.at('irradiance')]
    assert abs(middle - mean) > 0.2 * 1361.0


def test_loads_are_told_as_the_motion_has_them():
    place = around(KeplerOrbit(AXIS, 0.02, 1.0, 0.3, 0.4, 0.5), (2e-5, -1e-5, 3e-5), Thin())
    plant = plant_of(
        RigidBody(8.0, np.diag((0.05, 0.12, 0.13))), surroundings=place, plates=Plates(BOX),
        parts=(Magnetorquers((), (), (0.02, -0.03, 0.05)),),
    )  # fmt: skip
    q_WB = turned((0.6, 0.0, 0.8), 0.7)
    state = plant.spacecraft.state(np.array((9.0, 5.0, 2.0)), q_WB, np.zeros(3), np.zeros(3))
    loads = {load.name: load for load in plant.environment.turning}
    assert list(loads) == ['gravity_gradient', 'magnetic', 'aerodynamic', 'solar_pressure']
    body, C_BW = plant.body, rotations.dcm_from_quaternion(q_WB).T
    now = place.at(50.0)
    wind, sun = C_BW @ now[AROUND.of('wind_W')], C_BW @ now[AROUND.of('to_sun_W')]
    density, light = now[AROUND.at('density')], now[AROUND.at('irradiance')] / 299792458.0
    for name, given in (
        ('aerodynamic', (density, sun, 0.0)),
        ('solar_pressure', (0.0, sun, light)),
    ):
        force, torque = pressed(BOX, -wind, *given)
        assert loads[name].torque_B(body, state, 50.0) == pytest.approx(torque, rel=1e-12, abs=0.0)
        found = C_BW @ loads[name].force_W(body, state, 50.0)
        assert found == pytest.approx(force, rel=1e-12, abs=0.0)
        assert np.linalg.norm(torque) > 1e-9
    field = C_BW @ now[AROUND.of('magnetic_field_W')]
    expected = cross((0.02, -0.03, 0.05), field)
    assert loads['magnetic'].torque_B(body, state, 50.0) == pytest.approx(
        expected, rel=1e-6, abs=0.0
    )
    # Before compiled code is loaded, Python has the same bits.
    advance = plant.spacecraft.kernels.advance
    compiled, slowly = (
        rows_by(function, plant, state, count=2, first=1600, substeps=3)
        for function in (advance, advance.function)
    )
    assert compiled.tobytes() == slowly.tobytes()
    # All of them together are what turns and moves the body in a short time.
    step = plant_of(
        RigidBody(8.0, np.diag((0.05, 0.12, 0.13))), surroundings=place, plates=Plates(BOX),
        parts=(Magnetorquers((), (), (0.02, -0.03, 0.05)),), ticks=Ticks(10**6),
    )  # fmt: skip
    after = simulation.step(step, state, elapsed=50_000)
    torque_W = (after.angular_momentum_W - state.angular_momentum_W) / 1e-3
    force_W = (after.momentum_W - state.momentum_W) / 1e-3
    told = sum(load.torque_B(body, state, 50.0005) for load in loads.values())
    assert C_BW @ torque_W == pytest.approx(told, rel=1e-6, abs=0.0)
    told = sum(load.force_W(body, state, 50.0005) for load in loads.values())
    assert force_W == pytest.approx(told, rel=1e-6, abs=0.0)


def test_a_load_is_the_slope_of_its_potential():
    """Central differences over 1e-3 m and 1e-4 rad; V changes by 1e-8 of its parts there."""
    body = RigidBody(8.0, np.array(((0.05, 0.01, 0.0), (0.01, 0.12, 0.02), (0.0, 0.02, 0.13))))
    place = around(KeplerOrbit(AXIS, 0.02, 1.0, 0.3, 0.4, 0.5))
    held, gravity_W = body.about(np.array((0.01, -0.02, 0.03))), np.array((1.0, 2.0, -9.0))
    plants = (
        plant_of(body, surroundings=place),
        plant_of(body, gravity_W),
        plant_of(held, gravity_W, parts=(bearing.acting(held, gravity_W),)),
    )
    seen = []
    for plant in plants:
        state = plant.spacecraft.state(
            np.array((9.0, 5.0, 2.0)), turned((0.6, 0.0, 0.8), 0.7), np.zeros(3), np.zeros(3)
        )
        for load in plant.environment.loads:
            force_W, torque_B = load.wrench(plant.body, state, 50.0)
            for axis in np.eye(3):
                ends = [
                    load.potential(
                        plant.body, state._replace(position_W=state.position_W + s * axis), 50.0
                    )
                    for s in (-1e-3, 1e-3)
                ]
                size = 1e-6 * np.linalg.norm(force_W) + 1e-13
                assert (ends[0] - ends[1]) / 2e-3 == pytest.approx(force_W @ axis, abs=size)
                ends = [
                    load.potential(
                        plant.body,
                        state._replace(q_WB=rotations.compose(state.q_WB, turned(axis, s))),
                        50.0,
                    )
                    for s in (-1e-4, 1e-4)
                ]
                size = 1e-6 * np.linalg.norm(torque_B) + 1e-12
                assert (ends[0] - ends[1]) / 2e-4 == pytest.approx(torque_B @ axis, abs=size)
            seen.append((load.name, bool(force_W.any()), bool(torque_B.any())))
    assert seen[1] == ('gravity_gradient', True, True)
    assert seen[2] == ('gravity', True, False)
    assert seen[-1] == ('weight', False, True)


def test_plates_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match=r'normal is \[2.0, 0.0, 0.0\] of length 2'):
        Plate((2.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0)
    with pytest.raises(ValueError, match='area is 0 m\\^2; it must be positive'):
        Plate((1.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0)
    with pytest.raises(ValueError, match='specular 0.7 and diffuse 0.5 reflect more light'):
        Plate((1.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0, 0.7, 0.5)
    with pytest.raises(ValueError, match='accommodation is 1.2; give a part, from 0 to 1'):
        Plate((1.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0, accommodation=1.2)


def sphere(count, **options):
    """Return plates of a sphere of radius 1 m about the centre of mass, nearly even."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + 5.0**0.5) * k
    r = np.sqrt(1.0 - z * z)
    normals = np.column_stack((r * np.cos(turn), r * np.sin(turn), z))
    area = 4.0 * np.pi / count
    return np.array([Plate(n, n, area, **options).row() for n in normals])


def test_a_sphere_has_the_closed_forms_of_books():
    for specular, diffuse in ((0.0, 0.0), (0.3, 0.6), (1.0, 0.0)):
        rows = sphere(4000, specular=specular, diffuse=diffuse)
        found = of_sunlight(rows.ravel(), 0, len(rows), (0.0, 0.6, 0.8), 2.0)
        expected = -2.0 * np.pi * (1.0 + 4.0 / 9.0 * diffuse) * np.array((0.0, 0.6, 0.8))
        assert found[0:3] == pytest.approx(expected, abs=5e-3)
        assert found[3:6] == pytest.approx((0.0, 0.0, 0.0), abs=1e-4)
    for accommodation in (1.0, 0.4):  # C_d = 2 whatever bounces off
        rows = sphere(4000, accommodation=accommodation)
        found = of_air(rows.ravel(), 0, len(rows), (0.0, 0.0, -7e3), 1e-12)
        assert found[2] == pytest.approx(0.5 * 1e-12 * 49e6 * 2.0 * np.pi, rel=1e-3)


def test_an_accelerometer_feels_air_and_light_but_no_gravity():
    place = around(KeplerOrbit(AXIS, 0.02, 1.0, 0.3, 0.4, 0.5), air=Thin())
    body = RigidBody(8.0, np.diag((0.05, 0.12, 0.13)))
    plant = plant_of(body, surroundings=place, plates=Plates(BOX))
    state = plant.spacecraft.state(
        np.array((100.0, 50.0, -20.0)), turned((0.6, 0.0, 0.8), 0.7), np.zeros(3), np.zeros(3)
    )
    first = simulation.put_instant(plant, 0, state)
    for instant in (first, simulation.next_instant(plant, first, Inputs())):
        seen = kinematics.TRUTH.unpacked(simulation.truth(plant, instant)[: kinematics.TRUTH.size])
        loads = [one for one in plant.environment.turning if one.name != 'gravity_gradient']
        force_W = sum(one.force_W(body, instant.state, instant.elapsed_time) for one in loads)
        found_W = rotations.rotate(instant.state.q_WB, seen['specific_force_B'])
        # The Sun goes 2e-7 rad in a second, and has one direction in it.
        assert found_W == pytest.approx(force_W / 8.0, rel=2e-7, abs=0.0)
        assert np.linalg.norm(found_W) > 1e-7
        now = simulation.truth(plant, instant)[kinematics.TRUTH.size :]
        told = AROUND.unpacked(place.at(instant.elapsed_time))
        displaced = now[AROUND.of('position_W')] - told['position_W']
        assert displaced == pytest.approx(instant.state.position_W, abs=1e-8)
        assert seen['magnetic_field_W'] == pytest.approx(told['magnetic_field_W'])


def test_bodies_of_a_batch_have_their_own_orbits():
    places = [around(KeplerOrbit(a, 0.0, 0.4), air=Thin()) for a in (AXIS, 1.1 * AXIS)]
    body = RigidBody(8.0, np.diag((0.05, 0.12, 0.13)))
    plants = [plant_of(body, surroundings=places[k], plates=Plates(BOX)) for k in (0, 1, 0)]
    states = [
        plant.spacecraft.state(np.zeros(3), turned((1, 0, 0), 0.2 * k), np.zeros(3), np.ones(3))
        for k, plant in enumerate(plants)
    ]
    batch = Batch(
        [body] * 3, states, actuated=rows_of(plants, states, [Inputs()] * 3)
    )  # fmt: skip
    batch.advance(64)
    for k, (plant, state) in enumerate(zip(plants, states, strict=True)):
        assert batch.states[k].tobytes() == trajectory(plant, state, 64)[-1, :13].tobytes()
