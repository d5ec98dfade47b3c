# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""B-dot, sampled and in orbit; desaturation; allocation to wheels; nadir and Sun; schedules."""

import math

import bits
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.special import ellipk
from small_vectors import cross

from spacecraft_attitude_sim.campaigns import flights
from spacecraft_attitude_sim.configuration import attitude_controller, scenario
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.core.batch import Batch
from spacecraft_attitude_sim.core.batch.actuated import rows_of
from spacecraft_attitude_sim.core.body.state import from_flat, to_flat
from spacecraft_attitude_sim.core.control import allocation, magnetic_control, pointing_frames
from spacecraft_attitude_sim.core.control.attitude_loop import Answer, Settings
from spacecraft_attitude_sim.core.control.magnetic_control import MagneticGains
from spacecraft_attitude_sim.core.control.magnetic_loop import MagneticLoop
from spacecraft_attitude_sim.core.control.response import attitude_error
from spacecraft_attitude_sim.core.control.wheel_allocation import DrivenWheels
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.recording.errors import CampaignError

LEVEL = np.array((1.0, 0.0, 0.0, 0.0))
NO_LIMIT = np.full(3, 1e9)
# A sphere in a uniform field across its spin, with rods that any dipole is small to.
FIELD, MOMENT = 3e-5, 0.02
SPHERE = {
    'body.mass': 1.0, 'body.inertia': [MOMENT] * 3, 'initial.angular_velocity': [0.0, 0.0, 1.0],
    'magnetorquers': ['x', 'y', 'z'], 'magnetometer.enabled': True, 'tick_rate': 8.0,
    'lockstep': True, 'lockstep_topics': ['command/dipole'], 'command_timeout': 20.0,
    **{
        f'magnetorquer.{name}.{key}': value
        for name, axis in zip('xyz', np.eye(3).tolist(), strict=True)
        for key, value in (('axis', axis), ('max_dipole', 1.0))
    },
}  # fmt: skip
DAMPER = {'mode': 'detumbling', 'dipole_limit': [1.0] * 3, 'imu_timeout': 20.0}


def sphere(interval, gain, **changes):
    """Return the Scenario of the sphere under B-dot that reads each `interval` ticks."""
    own = {'magnetometer.interval': interval, 'lockstep_interval': interval, **changes}
    sections = {'simulator': SPHERE | own, 'attitude_controller': DAMPER | {'b_dot_gain': gain}}
    return scenario.of_sections(sections, 'sphere')


def batch_of(found):
    """Return a Batch of one spacecraft under its controller."""
    first = found.first_instant()
    return Batch(
        [found.plant.spacecraft.carrier], [first.state], law=flights.law_of([found]),
        actuated=rows_of([found.plant], [first.state], [found.inputs]), ticks=found.plant.ticks,
    )  # fmt: skip


def state_of(batch):
    return from_flat(np.concatenate((batch.states[0], batch.internal[0])))


def rate_of(batch, found):
    """Return the angular velocity (3,) in the body now."""
    return found.plant.spacecraft.angular_velocity_B(state_of(batch))


def changed(name, **sections):
    """Return a shipped Scenario with some parameters of its nodes changed."""
    given = scenario.read(scenario.find(name))
    for node, changes in sections.items():
        given[node] |= changes
    return scenario.of_sections(given, name)


# --- B-dot -----------------------------------------------------------------------------------


def test_b_dot_damps_across_the_field_at_its_rate_and_leaves_what_is_along_it():
    """Of a ball: exp(-k B²/I t) across, the same along, to what the integration keeps."""
    gain, field = 2e4, np.array((1e-5, 2e-5, 2e-5))
    gains = MagneticGains(gain, 0.0, NO_LIMIT).flat()

    def derivative(_, y):
        omega, field_B = y[:3], FIELD * y[3:]  # of one size
        change = -cross(omega, field_B)
        dipole, share = magnetic_control.b_dot(gains, field_B, field_B - change, 1.0)
        assert share == 1.0
        return np.concatenate((cross(dipole, field_B) / MOMENT, change / FIELD))

    start, seconds = np.array((0.1, -0.2, 0.3)), 600.0
    # The field goes round in the body some thirty times.
    whole = np.concatenate((start, field / FIELD))
    found = solve_ivp(derivative, (0.0, seconds), whole, 'DOP853', rtol=1e-12, atol=1e-14)
    found = found.y[:, -1]
    along = field / np.linalg.norm(field)
    kept = found[:3] @ found[3:] / np.linalg.norm(found[3:])
    assert kept == pytest.approx(start @ along, rel=1e-10)
    across = np.linalg.norm(cross(found[:3], found[3:])) / np.linalg.norm(found[3:])
    decay = math.exp(-gain * (field @ field) / MOMENT * seconds)
    assert across == pytest.approx(decay * np.linalg.norm(cross(start, along)), rel=1e-10)


@pytest.mark.parametrize(
    ('angle', 'factor'),
    [(0.5, 0.859451), (1.0, 0.496751), (1.5, 0.058430), (2.0, -0.294663), (3.0, -0.437795),
     (4.0, -0.135112)],
)  # fmt: skip
def test_sampled_b_dot_damps_by_the_factor_of_its_theory(angle, factor):
    """Published factors; flown with a gain so weak that a sample changes the rate by 1e-6."""
    assert magnetic_control.sampled_factor(angle, 1.0) == pytest.approx(factor, abs=1e-6)
    gain = 1e-6 * MOMENT / FIELD**2
    start = [0.0, 0.0, angle]
    found = sphere(
        8, gain, **{'initial.angular_velocity': start, 'magnetic_field': [FIELD, 0.0, 0.0]}
    )
    batch = batch_of(found)
    batch.advance(8)  # the first reading has nothing to be compared with
    before = rate_of(batch, found)[2]
    assert before == pytest.approx(angle, rel=1e-14)
    batch.advance(8 * 100)
    damped = -math.log(rate_of(batch, found)[2] / before) / 100.0
    assert damped == pytest.approx(1e-6 * factor, abs=1e-4 * 1e-6)


def test_a_delay_turns_the_damping_round_sooner():
    assert magnetic_control.sampled_factor(1.0, 1.0, 0.25) == pytest.approx(
        magnetic_control.sampled_factor(1.0, 1.0) * math.cos(1.25) / math.cos(1.0)
    )
    for delay in (0.0, 0.3):
        edge = magnetic_control.largest_damped_rate(0.7, delay)
        assert magnetic_control.sampled_factor(0.999 * edge, 0.7, delay) > 0.0
        assert magnetic_control.sampled_factor(1.001 * edge, 0.7, delay) < 0.0
    assert magnetic_control.largest_damped_rate(2.0) == pytest.approx(0.785398, abs=1e-6)


def test_the_gain_of_an_orbit():
    """A 3U in a polar orbit at 500 km: n 1.107e-3 rad/s, 35 µT, and a pole 11 degrees off."""
    k = magnetic_control.b_dot_gain(1.107e-3, 3.5e-5, 0.0067, math.radians(79.0))
    assert k * 3.5e-5**2 == pytest.approx(2.94e-5, rel=2e-3)
    assert k == pytest.approx(2.4e4, rel=0.01)


def test_in_orbit_about_a_dipole_a_ball_is_damped_by_the_matrix_of_theory():
    """Twenty orbits at 97.4 degrees. Theory takes the field to turn slowly: 2 %.

    (k b²/I) ((1 + 1.5 s²) 1 - N), N in axes to the node, across it in the orbit, along its normal.
    """
    inclination, radius = math.radians(97.4), 6878137.0
    period = 2.0 * math.pi * math.sqrt(radius**3 / 3.986004418e14)
    orbit = {
        'orbit.model': 'kepler', 'orbit.semi_major_axis': radius, 'orbit.inclination': inclination,
        'magnetic_model': 'dipole', 'atmosphere': 'none', 'epoch': '2025-01-01T00:00:00Z',
        'tick_rate': 1.0, 'initial.angular_velocity': [0.2, 0.15, 0.1],
    }  # fmt: skip
    found = sphere(1, 1.0, **orbit)
    # On the equator the field is b, whatever the plane of the orbit.
    b = np.linalg.norm(found.plant.environment.magnetic_field_at(0.0))
    gain = MOMENT / b**2 / (20.0 * period)
    found = sphere(1, gain, **orbit)
    batch = batch_of(found)
    batch.advance(round(20.0 * period))
    state = state_of(batch)
    omega_W = rotations.rotate(state.q_WB, found.plant.spacecraft.angular_velocity_B(state))
    s, c = math.sin(inclination), math.cos(inclination)
    to_orbit = np.array(((1.0, 0.0, 0.0), (0.0, c, s), (0.0, -s, c)))
    matrix = (1.0 + 1.5 * s * s) * np.eye(3) - np.array((
        (9.0 * s * s / 8.0, 0.0, 0.0), (0.0, 11.0 * s * s / 8.0, -s * c / 2.0),
        (0.0, -s * c / 2.0, c * c),
    ))  # fmt: skip
    start = np.array((0.2, 0.15, 0.1))
    expected = expm(-matrix) @ to_orbit @ start
    # Sampled each second at 0.27 rad/s it is damped by 4 % less at first, by less and less so.
    assert np.linalg.norm(to_orbit @ omega_W - expected) < 0.02 * np.linalg.norm(start)
    assert np.linalg.norm(omega_W) < 0.4 * np.linalg.norm(start)


def test_the_fast_tumbler_spins_up_to_where_the_factor_is_zero_and_is_cured():
    found = scenario.load(scenario.find('fast_tumbler'))
    batch, rates = batch_of(found), []
    for _ in range(3):
        batch.advance(8000)
        rates.append(np.linalg.norm(rate_of(batch, found)))
    assert math.pi < rates[0] and np.all(np.diff(rates) > 0.0)
    assert 0.85 * 1.5 * math.pi < rates[-1] < 1.5 * math.pi
    cured = changed('fast_tumbler', simulator={'magnetometer.interval': 1, 'lockstep_interval': 1})
    batch = batch_of(cured)
    batch.advance(16000)
    assert np.linalg.norm(rate_of(batch, cured)) < math.pi / 3.0


# --- the loop --------------------------------------------------------------------------------


def loop(**changes):
    gains = attitude_controller.settings(attitude_controller.checked({})).gains
    settings = Settings('detumbling', gains, LEVEL, 10**9)._replace(**changes)
    return MagneticLoop(settings, MagneticGains(100.0, 0.0, np.array((1e-3, 1e-3, 2e-3))))


def test_a_dipole_is_shortened_and_keeps_its_direction():
    found = loop()
    assert not found.answer(0, np.zeros(3)).dipole_B.any()
    dipole_B = found.answer(10**9, np.array((2e-5, -1e-5, 4e-5))).dipole_B
    assert dipole_B == pytest.approx([-1e-3, 0.5e-3, -2e-3], rel=1e-12)
    # Limited by x, though z is beyond its limit, too.
    dipole_B = found.answer(2 * 10**9, np.array((6e-5, -2e-5, 7e-5))).dipole_B
    assert dipole_B == pytest.approx([-1e-3, 0.25e-3, -0.75e-3], rel=1e-12)
    assert (found.answered, found.saturated) == (3, 2)


def test_the_same_reading_has_the_same_answer_and_an_older_one_none():
    found = loop()
    found.answer(0, np.zeros(3))
    one = found.answer(10**9, np.array((1e-6, 0.0, 0.0)))
    assert found.answer(10**9, np.array((5e-6, 0.0, 0.0))) is one
    assert found.answer(10**8, np.zeros(3)) is None
    assert found.answered == 2


def test_a_field_that_no_field_is_gives_no_dipole_then_or_by_the_next():
    found = loop()
    found.answer(0, np.array((1e-5, 0.0, 0.0)))
    for wrong in (np.nan, np.inf, 30.0):
        answer = found.answer(found._last.time_ns + 10**9, np.array((wrong, 0.0, 0.0)))
        assert not answer.dipole_B.any() and 'imu/mag says' in answer.problem
    assert not found.answer(9 * 10**9, np.array((4e-5, 1e-5, 0.0))).dipole_B.any()
    assert found.refused == 3


def test_it_says_where_sampling_cannot_damp_how_the_body_turns():
    found = loop()
    found.answer(0, np.zeros(3), rate=3.14)
    found.answer(10**9, np.zeros(3), rate=1.57)
    assert not found.warning
    found.answer(2 * 10**9, np.zeros(3), rate=3.14)
    assert 'B-dot damps up to 1.57 rad/s' in found.warning


def test_modes_follow_the_schedule():
    settings = loop().settings._replace(schedule=((10, 'idle'), (20, 'nadir_pointing')))
    times = (0, 9, 10, 19, 20, 10**18)
    expected = ['detumbling', 'detumbling', 'idle', 'idle', 'nadir_pointing', 'nadir_pointing']
    assert [settings.mode_at(time) for time in times] == expected
    idle = loop(schedule=((10**9, 'idle'),))
    idle.answer(0, np.zeros(3))
    assert not idle.answer(10**9, np.array((1e-5, 0.0, 0.0))).dipole_B.any()


# --- wheels ----------------------------------------------------------------------------------

AXES = np.array(((1, 1, 1), (-1, 1, 1), (-1, -1, 1), (1, -1, 1.5)), dtype=float)
INERTIAS, WANTED = np.array((1e-5, 2e-5, 1e-5, 3e-5)), np.array((300.0, -300.0, 300.0, -200.0))


def pyramid(most=1e-3, rate=0.1, gyroscopic=True):
    found = DrivenWheels(tuple('abcd'), AXES, INERTIAS, [most] * 4, WANTED, rate)
    return allocation.of_wheels(found, gyroscopic)


def test_wheels_give_the_torque_and_what_turning_rotors_ask_whatever_the_null_space_does():
    axes = AXES / np.linalg.norm(AXES, axis=1)[:, None]
    torque, omega = np.array((1e-4, -2e-4, 1.5e-4)), np.array((0.02, -0.01, 0.03))
    speeds = np.array((100.0, -50.0, 250.0, 400.0))
    for rate in (0.0, 0.1):
        answer = Answer(0, torque, omega_B=tuple(omega))
        torques, measure = pyramid(rate=rate).commands(answer, speeds)
        stored = (INERTIAS * speeds) @ axes
        given = -np.array(torques) @ axes
        assert given == pytest.approx(torque + cross(omega, stored), rel=1e-12)
        assert measure == 1.0
    # Alone, no other torques are smaller; the null space goes towards the wanted speeds.
    plain = np.array(pyramid(rate=0.0).commands(answer, speeds)[0])
    assert np.linalg.norm(plain) < np.linalg.norm(torques)
    moved = np.array(torques) - plain
    wish = 0.1 * INERTIAS * (WANTED - speeds)
    assert moved @ wish > 0.0
    left = wish - moved
    assert moved @ left == pytest.approx(0.0, abs=1e-12 * (wish @ wish) + 1e-20)
    without = np.array(pyramid(gyroscopic=False, rate=0.0).commands(answer, speeds)[0])
    assert -without @ axes == pytest.approx(torque, rel=1e-12)


def test_motors_are_brought_to_their_largest_torque_by_one_factor_and_none_exceeds_it():
    axes = AXES / np.linalg.norm(AXES, axis=1)[:, None]
    asked = np.array((3e-3, -1e-3, 2e-3))
    answer = Answer(0, asked, omega_B=(0.0, 0.0, 0.0))
    for rate in (0.0, 5.0):
        torques = np.array(pyramid(rate=rate).commands(answer, np.zeros(4))[0])
        assert np.max(np.abs(torques)) == pytest.approx(1e-3, rel=1e-12)
        given = -torques @ axes
        assert cross(given, asked) == pytest.approx([0.0, 0.0, 0.0], abs=1e-15)
        assert 0.0 < given @ asked / (asked @ asked) < 1.0


def test_a_motor_at_its_limit_takes_part_in_null_motion_that_relieves_it():
    axes = AXES / np.linalg.norm(AXES, axis=1)[:, None]
    answer = Answer(0, np.array((3e-3, -1e-3, 2e-3)), omega_B=(0.0, 0.0, 0.0))
    limited = np.array(pyramid(rate=0.0).commands(answer, np.zeros(4))[0])
    most = np.argmax(np.abs(limited))
    still = np.linalg.svd(axes.T)[2][3]  # of motor torques that give the body none
    moved = -1e-5 * still * np.sign(still[most] * limited[most])
    speeds = WANTED - moved / (0.1 * INERTIAS)  # k J (Ω_wanted - Ω) = moved, none of it in A
    torques = pyramid(rate=0.1).commands(answer, speeds)[0]
    assert torques == pytest.approx(limited + moved, rel=1e-12, abs=1e-17)


def test_dipoles_take_from_the_wheels_what_is_across_the_field():
    """M × B = -k (Δh - b (b·Δh)), Δh beyond the wanted speeds; of B × Δh it would load them."""
    axes = AXES / np.linalg.norm(AXES, axis=1)[:, None]
    gains, own = MagneticGains(0.0, 2e-3, NO_LIMIT).flat(), pyramid()
    random = np.random.default_rng(5)
    for _ in range(20):
        field, speeds = random.normal(size=3) * 3e-5, random.normal(size=4) * 300.0
        dipole, _ = magnetic_control.unloading(gains, own.rows, speeds, field)
        excess, b = (INERTIAS * (speeds - WANTED)) @ axes, field / np.linalg.norm(field)
        torque = cross(dipole, field)
        assert torque == pytest.approx(-2e-3 * (excess - b * (b @ excess)), rel=1e-10, abs=1e-18)
    assert magnetic_control.unloading(gains, own.rows, speeds, np.zeros(3))[0] == (0.0, 0.0, 0.0)


# --- references in orbit ---------------------------------------------------------------------


def test_the_nadir_is_below_flight_ahead_and_the_rate_is_that_of_the_axes():
    """In an ellipse; rate and acceleration against differences of attitudes over a second."""
    values = attitude_controller.checked({
        'mode': 'nadir_pointing', 'orbit.model': 'kepler', 'orbit.eccentricity': 0.05,
        'orbit.semi_major_axis': 7.5e6, 'orbit.inclination': 1.2, 'orbit.true_anomaly': 1.0,
    })  # fmt: skip
    known, q_LR = attitude_controller.ephemeris(values), np.array((0.8, 0.4, -0.4, 0.2))
    wanted = pointing_frames.attitudes(q_LR, LEVEL)

    def at(time):
        return np.array(pointing_frames.target(known.at(time), False, wanted))

    around, now = known.at(100.0), at(100.0)
    q_WL = rotations.compose(now[:4], rotations.conjugate(q_LR))
    r, v = around[:3], around[3:6]
    assert rotations.rotate(q_WL, (0.0, 0.0, 1.0)) == pytest.approx(-r / np.linalg.norm(r))
    assert rotations.rotate(q_WL, (1.0, 0.0, 0.0)) @ v > 0.99 * np.linalg.norm(v)
    assert rotations.rotate(q_WL, (0.0, 1.0, 0.0)) @ v == pytest.approx(0.0, abs=1e-6)
    turned = attitude_error(at(99.5)[:4], at(100.5)[:4])
    assert now[4:7] == pytest.approx(turned, rel=1e-5, abs=1e-9)
    assert now[7:10] == pytest.approx(at(100.5)[4:7] - at(99.5)[4:7], rel=1e-4, abs=1e-11)


def test_the_sun_is_ahead_of_z():
    values = attitude_controller.checked({'mode': 'sun_pointing', 'orbit.model': 'kepler'})
    around = attitude_controller.ephemeris(values).at(3600.0)
    target = np.array(pointing_frames.target(around, True, values_of_frames()))
    to_sun = rotations.rotate(target[:4], (0.0, 0.0, 1.0))
    assert to_sun == pytest.approx(around[pointing_frames.SUN : pointing_frames.SUN + 3])
    # On the first of January it is 23 degrees south, in Sagittarius.
    assert to_sun[2] == pytest.approx(-0.39, abs=0.01)
    assert not target[4:].any()


def values_of_frames():
    return pointing_frames.attitudes(LEVEL, LEVEL)


def test_a_cubesat_comes_to_rest_points_to_the_sun_and_to_the_nadir_and_unloads_its_wheels():
    found = scenario.load(scenario.find('cubesat_3u_leo'))
    idle = changed('cubesat_3u_leo', attitude_controller={'desaturation_rate': 0.0})
    craft, around = found.plant.spacecraft, found.plant.environment.surroundings
    wanted = attitude_controller.settings(found.controller).in_orbit
    batch, other = batch_of(found), batch_of(idle)

    def error(to_sun):
        time = found.plant.ticks.seconds(batch.tick)
        q_WR = np.array(pointing_frames.target(around.at(time), to_sun, wanted))[:4]
        return np.degrees(np.linalg.norm(attitude_error(q_WR, state_of(batch).q_WB)))

    assert np.degrees(np.linalg.norm(rate_of(batch, found))) == pytest.approx(9.9, abs=0.1)
    batch.advance(7200 * 2)
    # In a polar field, it follows that at about twice the orbit's 0.063 degrees a second.
    assert np.degrees(np.linalg.norm(rate_of(batch, found))) < 0.2
    batch.advance(3500 * 2)
    assert error(True) < 0.5
    batch.advance(3700 * 2)
    assert error(False) < 0.5
    turn = np.degrees(np.linalg.norm(rate_of(batch, found)))
    assert turn == pytest.approx(0.0634, rel=0.05)
    other.advance(batch.tick)
    excess = [np.linalg.norm(craft.wheel_speeds(state_of(one)) - 100.0) for one in (batch, other)]
    assert excess[0] < 0.7 * excess[1]


def test_the_boom_swings_in_pitch_with_the_period_of_a_pendulum():
    """4 K(sin² θ)/(n √(3σ)), which is 59.24 min of small swings; from zero to zero."""
    found = scenario.load(scenario.find('gravity_gradient_boom'))
    moments = found.parameters['body.inertia']
    n = math.sqrt(3.986004418e14 / found.parameters['orbit.semi_major_axis'] ** 3)
    small = 2.0 * math.pi / (n * math.sqrt(3.0 * (moments[0] - moments[2]) / moments[1]))
    assert small / 60.0 == pytest.approx(59.24, abs=0.005)
    period = small * ellipk(math.sin(math.radians(5.0)) ** 2) / (math.pi / 2.0)
    around, instant, pitches = found.plant.environment.surroundings, found.first_instant(), []
    for tick in range(5500):
        z_W = rotations.rotate(instant.state.q_WB, (0.0, 0.0, 1.0))
        r, v = around.at(float(tick))[:3], around.at(float(tick))[3:6]
        pitches.append(math.atan2(z_W @ v / np.linalg.norm(v), -z_W @ r / np.linalg.norm(r)))
        instant = bits.simulation.next_instant(found.plant, instant, bits.simulation.Inputs())
    pitches = np.array(pitches)
    assert abs(pitches[0]) == pytest.approx(math.radians(5.0), rel=1e-5)
    before = np.flatnonzero(np.diff(np.sign(pitches)))
    zeros = before - pitches[before] / (pitches[before + 1] - pitches[before])
    assert len(zeros) == 3
    assert zeros[2] - zeros[0] == pytest.approx(period, rel=1e-5)


# --- the same bits ---------------------------------------------------------------------------

# Every error, oblique wheels and rods, friction, tachometers that round, interference, and a mode
# every few seconds.
MANY = {
    'wheel.x.tachometer.resolution': 0.5, 'wheel.x.friction.coulomb': 1e-5,
    'wheel.y.tachometer.gain': 1.02, 'wheel.z.tachometer.bias': -0.5,
    'wheel.z.initial_speed': 0.0, 'wheel.y.axis': [0.0, 0.6, 0.8],
    'magnetorquer.y.axis': [0.0, 0.6, 0.8], 'magnetorquer.x.interference': [1e-6, 2e-6, 3e-6],
    'magnetorquer.y.interference': [-3e-6, 1e-6, 2e-6],
    'magnetorquer.y.lag': 0.3, 'command_timeout': 0.2, 'imu.interval': 2,
    'magnetometer.interval': 2, 'magnetometer.scale_factor': [1e3],
    'magnetometer.misalignment': [5.0],
    'magnetometer.soft_iron': [1.1, 0.05, 0.0, 0.0, 0.9, 0.02, -0.1, 0.0, 1.0],
    'magnetometer.hard_iron': [800.0, -500.0, 1200.0],
}  # fmt: skip
MODES = ['sun_pointing', 'nadir_pointing', 'rate_damping', 'pointing', 'idle', 'detumbling']


def test_a_campaign_flies_what_the_controller_flies_in_every_mode():
    found = changed(
        'cubesat_3u_leo',
        simulator=bits.ERRORS | bits.OWN | bits.FRAMES | MANY | {'seed': 11},
        attitude_controller={
            'schedule.times': [5.0, 10.0, 15.0, 18.0, 21.0, 23.0], 'schedule.modes': MODES,
            'wheel.y.axis': [0.0, 0.6, 0.8],
        },
    )  # fmt: skip
    # What is held for 0.2 s ends before the next reading, as in the simulator.
    instants, _ = bits.driven(found, 220)
    batch = batch_of(found)
    batch.advance(77)
    batch.advance(143)
    whole = np.concatenate((batch.states[0], batch.internal[0]))
    assert whole.tobytes() == to_flat(instants[-1].state).tobytes()


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('change', 'said'),
    [
        ({'dipole_limit': [0.0, 0.0, 0.0]}, 'detumbling commands dipoles, but dipole_limit is 0'),
        ({'schedule.times': [1.0]}, 'times has 1 values and schedule.modes 2; give one mode'),
        ({'schedule.times': [9.0, 5.0]}, 'each must be later than the one before'),
        ({'schedule.modes': ['idle', 'nadir']}, r'schedule.modes\[1\] is'),
        ({'orbit.model': 'none'}, 'nadir_pointing needs the orbit'),
        (
            {'thrusters': ['a'], 'thruster.a.torque': [1.0, 0.0, 0.0], 'thruster.a.max_force': 1},
            'commands one kind',
        ),
        ({'wheels': ['x', 'x', 'y']}, "'x' twice"),
        ({'wheels': ['x', 'y']}, 'fewer than three axes'),
        ({'wheel.x.axis': [0.0, 0.0, 0.5]}, 'wheel.x.axis'),
        ({'wheels': []}, 'sun_pointing needs a torque'),
    ],
)  # fmt: skip
def test_a_controller_that_cannot_be_is_refused(change, said):
    own = dict(scenario.load(scenario.find('cubesat_3u_leo')).controller) | change
    named = own['wheels']
    own = {k: v for k, v in own.items() if not k.startswith('wheel.') or k.split('.')[1] in named}
    if said.startswith('sun'):
        own['schedule.modes'] = ['sun_pointing', 'sun_pointing']
    with pytest.raises(ParameterError, match=said):
        attitude_controller.checked(own)


@pytest.mark.parametrize(
    ('change', 'said'),
    [
        ({'magnetometer.enabled': False}, 'set magnetometer.enabled'),
        ({'lockstep_topics': ['command/wheels']}, 'add command/dipole'),
        ({'magnetometer.interval': 4}, 'magnetometer.interval is 4 ticks'),
    ],
)
def test_a_dipole_that_nothing_asks_for_is_refused(change, said):
    with pytest.raises(scenario.ScenarioError, match=said):
        changed('cubesat_3u_leo', simulator=change)


def test_a_campaign_needs_the_orbit_that_the_controller_knows():
    found = changed('cubesat_3u_leo', attitude_controller={'orbit.inclination': 1.0})
    with pytest.raises(CampaignError, match='attitude_controller.orbit.inclination is 1.0'):
        flights.law_of([found])
