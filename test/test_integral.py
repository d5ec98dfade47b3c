# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The integral of the law: it takes up a constant torque, is limited, held, and begins anew."""

import numpy as np
import pytest
from processes import called

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.campaigns import flights
from spacecraft_attitude_sim.configuration import attitude_controller, scenario
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.core.batch import Batch
from spacecraft_attitude_sim.core.body import rigid_body
from spacecraft_attitude_sim.core.body.loads import wrench_in_body
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.control import attitude_loop, control_law, response
from spacecraft_attitude_sim.core.control.attitude_loop import AttitudeLoop, Reading, Settings
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import Inputs, plant_of, step
from spacecraft_attitude_sim.core.ticks import TICK_NS, TICK_SECONDS
from spacecraft_attitude_sim.flight import side_by_side

# A 3U CubeSat whose principal axes are not its own.
INERTIA = np.array(((0.037, 0.0004, -0.0003), (0.0004, 0.034, 0.0002), (-0.0003, 0.0002, 0.0075)))
BODY = rigid_body.RigidBody(4.0, INERTIA)
BANDWIDTH, DAMPING, TIME, LIMIT = 0.5, 0.8, 6.0, 0.05
STIFFNESS = BANDWIDTH**2 * INERTIA  # N m/rad
AXIS = np.array((1.0, -2.0, 2.0)) / 3.0


def gains_of(torque_limit=1e9, **changes):
    given = {'integral_time': TIME, 'integral_limit': LIMIT, 'slew_rate_limit': 1e9} | changes
    return control_law.gains_from_bandwidth(
        INERTIA, BANDWIDTH, DAMPING, [torque_limit] * 3, **given
    )


def loop_of(gains, mode=attitude_loop.POINTING, **settings):
    own = Settings(mode, gains, np.array(rotations.IDENTITY), 8 * TICK_NS, **settings)
    return AttitudeLoop(own, control_law.AT_REST)


def turned(angle, axis=AXIS):
    return rotations.quaternion_from_axis_angle(np.array(axis), angle)


def flown(loop, torque, seconds, angle=0.0):
    """Return the errors (n, 3) [rad] of the CubeSat under a constant torque (3,) [N m]."""
    plant = plant_of(BODY, np.zeros(3))
    state = BODY.state(np.zeros(3), turned(angle), np.zeros(3), np.zeros(3))
    errors = []
    for tick in range(round(seconds / TICK_SECONDS)):
        reading = Reading(tick * TICK_NS, state.q_WB, BODY.angular_velocity_B(state))
        answer = loop.answer(reading)
        errors.append(response.attitude_error(rotations.IDENTITY, state.q_WB))
        both = np.array(answer.torque_B) + torque
        state = step(
            plant, state, Inputs(wrench_in_body(np.zeros(3), both, rigid_body.AT_CENTRE_OF_MASS))
        )
    return np.array(errors)


# --- a constant torque --------------------------------------------------------------------------


def test_a_constant_torque_leaves_its_error_over_the_gain_or_none_with_an_integral():
    """Without: torque over ω_n² I. With: the slowest root, -0.14/s, leaves e^-14 after 100 s.

    The integral then is the error that there was, and its torque is opposite.
    """
    left = 0.01 * AXIS
    torque = STIFFNESS @ left
    plainly = flown(loop_of(gains_of(integral_time=0.0)), torque, 100.0)[-1]
    assert plainly == pytest.approx(left, rel=1e-4)  # 2 ε is θ to θ²/24
    loop = loop_of(gains_of())
    assert np.abs(flown(loop, torque, 100.0)[-1]).max() < 1e-5 * 0.01
    assert loop.integral.torque_B(loop.settings.gains) == pytest.approx(-torque, rel=1e-4)


def test_a_small_error_is_the_sampled_third_order_response_whose_poles_are_the_polynomials():
    """θ, its rate and s obey one matrix, exactly; its poles are those of the polynomial.

    s³ + 2ζω_n s² + ω_n² s + ω_n²/T_i; a hold of h moves a root p by about p ω_n h. What is
    neglected of the flight are cubes of the angle, (1e-4)³, and products of it.
    """
    h, size, pushed = TICK_SECONDS, 1e-4, 3e-5  # rad; rad/s^2
    feedback = np.array((BANDWIDTH**2, 2.0 * DAMPING * BANDWIDTH, BANDWIDTH**2))
    effect = np.array((h * h / 2.0, h, 0.0))
    free = np.array(((1.0, h, 0.0), (0.0, 1.0, 0.0), (h / TIME, 0.0, 1.0)))
    tick = free - np.outer(effect, feedback)
    x, expected = np.array((size, 0.0, 0.0)), []
    errors = flown(loop_of(gains_of()), INERTIA @ (pushed * AXIS), 40.0, size)
    for _ in errors:
        expected.append(x[0])
        x = tick @ x + pushed * effect
    assert np.allclose(errors, np.outer(expected, AXIS), rtol=0, atol=2e-7 * size)
    roots = np.roots((1.0, 2.0 * DAMPING * BANDWIDTH, BANDWIDTH**2, BANDWIDTH**2 / TIME))
    poles = np.log(np.linalg.eigvals(tick).astype(complex)) / h
    for root in roots:
        assert np.abs(poles - root).min() < 2.0 * abs(root) * BANDWIDTH * h


# --- windup -------------------------------------------------------------------------------------


def test_the_integral_gives_no_more_than_the_torque_of_its_limit():
    """A torque of 1.5 limits is taken up to the limit, and half of it stays an error.

    It comes slowly, so that the error is never beyond the limit.
    """
    loop, left = loop_of(gains_of(integral_limit=0.02)), 0.03 * AXIS
    plant, size = plant_of(BODY, np.zeros(3)), 0.02 / np.abs(AXIS).max()
    state = BODY.state(np.zeros(3), rotations.IDENTITY, np.zeros(3), np.zeros(3))
    for tick in range(32 * 160):
        reading = Reading(tick * TICK_NS, state.q_WB, BODY.angular_velocity_B(state))
        both = np.array(loop.answer(reading).torque_B)
        both += STIFFNESS @ (size / 0.02 * left) * min(tick / (32 * 80), 1.0)
        state = step(
            plant, state, Inputs(wrench_in_body(np.zeros(3), both, rigid_body.AT_CENTRE_OF_MASS))
        )
    given = np.linalg.solve(STIFFNESS, -loop.integral.torque_B(loop.settings.gains))
    assert np.abs(given).max() == pytest.approx(0.02, rel=1e-12)
    error = response.attitude_error(rotations.IDENTITY, state.q_WB)
    assert error[1] == pytest.approx(size / 0.02 * left[1] - given[1], rel=1e-3)


# {what holds it: (changes of the gains, error angle, reference's acceleration, rate)}
HELD = {
    'a large error': ({}, 1.02 * LIMIT, 0.0, 0.0),
    'a slew rate at its limit': ({'slew_rate_limit': 0.3 * BANDWIDTH * LIMIT}, 0.9 * LIMIT, 0, 0),
    'a reference that accelerates': ({'torque_limit': 0.1}, 0.01, 0.05, 0.0),
    'a torque at its limit': ({'torque_limit': 1e-3}, 0.01, 0.0, 0.1),
}  # fmt: skip


@pytest.mark.parametrize('what', [None, *HELD])
def test_the_integral_is_held(what):
    """After a reading with an error of 0.01 rad it grows by 0.01 h / T_i, or not at all."""
    changes, angle, acceleration, rate = HELD.get(what, ({}, 0.01, 0.0, 0.0))
    loop = loop_of(gains_of(**changes))
    reference = control_law.AT_REST._replace(alpha_R=acceleration * AXIS)
    loop.follow(reference, 0)
    loop.answer(Reading(TICK_NS, turned(angle), rate * AXIS))
    loop.answer(Reading(2 * TICK_NS, turned(angle), rate * AXIS))
    s = np.linalg.solve(STIFFNESS, -loop.integral.torque_B(loop.settings.gains))
    expected = 0.0 if what else 2.0 * np.sin(0.005) * TICK_SECONDS / TIME
    assert s == pytest.approx(expected * AXIS, abs=1e-15)


def test_an_actuator_at_its_limit_holds_the_integral():
    loop = loop_of(gains_of())
    loop.answer(Reading(TICK_NS, turned(0.01), np.zeros(3)))
    loop.integral.hold()
    loop.answer(Reading(2 * TICK_NS, turned(0.01), np.zeros(3)))
    assert not loop.integral.torque_B(loop.settings.gains).any()
    loop.answer(Reading(3 * TICK_NS, turned(0.01), np.zeros(3)))
    assert loop.integral.torque_B(loop.settings.gains).any()


@pytest.mark.parametrize(
    ('name', 'part', 'most'),
    [('cubesat_3u_leo', 'wheel', 'max_torque'), ('station_cmg', 'gimbal', 'max_rate'),
     ('thruster_limit_cycle', 'thruster', 'max_force')],
)  # fmt: skip
def test_a_command_that_was_cut_is_at_its_limit_and_others_are_not(name, part, most):
    section = scenario.read(scenario.find(name))['attitude_controller']
    values = attitude_controller.checked(section)
    driven = attitude_controller.allocation(values)
    joints = np.zeros(len(driven.names))
    for size, limited in ((1e-9, False), (1e9, True)):
        answer = attitude_loop.Answer(0, size * AXIS, omega_B=(0.0, 0.0, 0.0))
        commands, _ = driven.commands(answer, joints)
        assert driven.at_limit(commands) == limited
    limits = [values[f'{part}.{each}.{most}'] for each in driven.names]
    assert np.max(np.abs(commands) / limits) == pytest.approx(1.0)


# --- it begins anew -----------------------------------------------------------------------------

OTHER = gains_of(integral_time=2.0 * TIME)
AWAY = control_law.Reference(turned(0.01 + 1.1 * LIMIT), np.zeros(3), np.zeros(3))
NEAR = control_law.Reference(turned(0.001), np.zeros(3), np.zeros(3))


def with_mode(loop, mode):
    loop.configure(loop.settings._replace(mode=mode))


def after_mode(mode):
    """Return what lets a loop be in another mode for a reading."""

    def happens(loop):
        with_mode(loop, mode)
        loop.answer(Reading(10 * TICK_NS, turned(0.01), np.zeros(3)))
        with_mode(loop, attitude_loop.POINTING)

    return happens


def reads(q_WS, rate=0.0):
    """Return what gives a loop a reading."""
    return lambda loop: loop.answer(Reading(10 * TICK_NS, q_WS, np.full(3, rate)))


ANEW = {
    'rate damping': after_mode(attitude_loop.RATE_DAMPING),
    'idle': after_mode(attitude_loop.IDLE),
    'other gains': lambda loop: loop.configure(loop.settings._replace(gains=OTHER)),
    'a reference far away': lambda loop: loop.follow(AWAY, 10 * TICK_NS),
    'silence': lambda loop: loop.silence(),
    'no attitude': reads(None),
    'no number': reads(turned(0.01), np.nan),
    'a reading that is too old': lambda loop: loop.answer(
        Reading(10 * TICK_NS, turned(0.01), np.zeros(3)), 40 * TICK_NS
    ),
    'another law': lambda loop: (loop.ask(lambda q, rate, reference: rate), loop.ask(None)),
}
GOES_ON = {
    'nothing': lambda loop: None,
    'a reference near': lambda loop: loop.follow(NEAR, 10 * TICK_NS),
    'another timeout': lambda loop: loop.configure(loop.settings._replace(timeout_ns=9 * TICK_NS)),
    'the last reading again': lambda loop: loop.answer(
        Reading(9 * TICK_NS, turned(0.01), np.zeros(3))
    ),
}


@pytest.mark.parametrize('what', [*ANEW, *GOES_ON])
def test_the_integral_begins_anew(what):
    """After eight readings with an error, at the reading that follows what happens."""
    loop = loop_of(gains_of())
    for tick in range(1, 10):
        loop.answer(Reading(tick * TICK_NS, turned(0.01), np.zeros(3)))
    assert loop.integral.torque_B(loop.settings.gains).any()
    (ANEW | GOES_ON)[what](loop)
    loop.answer(Reading(11 * TICK_NS, turned(0.01), np.zeros(3)))
    assert loop.integral.torque_B(loop.settings.gains).any() == (what in GOES_ON)


def test_in_a_silence_the_integral_gives_no_torque():
    loop = loop_of(gains_of())
    for tick in (1, 2):
        loop.answer(Reading(tick * TICK_NS, turned(0.01), np.zeros(3)))
    assert loop.integral.torque_B(loop.settings.gains).any()
    loop.silence()
    assert not loop.integral.torque_B(loop.settings.gains).any()


@pytest.mark.parametrize(('late', 'kept'), [(8, True), (9, False)])
def test_the_integral_outlasts_a_gap_up_to_the_timeout(late, kept):
    loop = loop_of(gains_of())
    for tick in range(1, 10):
        loop.answer(Reading(tick * TICK_NS, turned(0.01), np.zeros(3)))
    loop.answer(Reading((9 + late) * TICK_NS, turned(0.01), np.zeros(3)))
    s = np.linalg.solve(STIFFNESS, -loop.integral.torque_B(loop.settings.gains))
    grown = 2.0 * np.sin(0.005) * (8 + late) * TICK_SECONDS / TIME if kept else 0.0
    assert s == pytest.approx(grown * AXIS, rel=1e-9, abs=1e-18)


# --- parameters ---------------------------------------------------------------------------------

GIVEN = {'inertia': [0.03, 0.02, 0.01], 'gains': 'given', 'attitude_gain': [1e-3] * 3}


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ({'integral_time': 1.0}, 'integral_time is 1 s, with which the loop is unstable; give mo'),
        ({'integral_time': 3.124}, 'more than 3.125 s, several times as much'),  # 1/(2 ζ ω_n)
        (GIVEN | {'rate_gain': [0.01] * 3, 'integral_time': 2.9}, 'more than 3 s'),  # I/D of x
        ({'integral_time': -1.0}, 'integral_time is -1'), ({'integral_time': np.nan}, 'nan'),
        ({'integral_time': 1e308}, 'integral_time is 1e+308'),
        ({'integral_limit': -0.1}, 'integral_limit is -0.1'),
        ({'integral_limit': np.inf}, 'integral_limit is inf'),
        ({'integral_time': 'long'}, 'integral_time'), ({'integral_tim': 9.0}, "'integral_time'"),
    ],
)  # fmt: skip
def test_an_integral_that_cannot_be_is_refused_in_one_line(given, words):
    with pytest.raises(ParameterError) as refused:
        attitude_controller.checked({'bandwidth': 0.2, 'damping_ratio': 0.8, **given})
    assert words in str(refused.value)
    assert '\n' not in str(refused.value)


@pytest.mark.parametrize(
    'given',
    [
        {'integral_time': 3.126},
        {'integral_time': 1e9},
        {'integral_limit': 0.0},
        GIVEN | {'rate_gain': [0.01] * 3, 'integral_time': 3.1},
    ],
)
def test_an_integral_that_is_just_stable_is_taken(given):
    gains = attitude_controller.settings(
        attitude_controller.checked({'bandwidth': 0.2, 'damping_ratio': 0.8, **given})
    ).gains
    D, K = gains.rate_gain, gains.rate_gain @ np.diag(gains.rate_per_angle)
    rate, one, none = gains.flat()[control_law.INTEGRAL_RATE], np.eye(3), np.zeros((3, 3))
    inverse = np.linalg.inv(gains.inertia)
    A = np.block([[none, one, none], [-inverse @ K, -inverse @ D, -inverse @ K],
                  [rate * one, none, none]])  # fmt: skip
    poles = np.linalg.eigvals(A)
    assert poles.real.max() < 1e-12


def test_the_command_tells_the_integral_and_refuses_what_cannot_be():
    given = 'check', 'cubesat_pointing', '-p', 'attitude_controller:integral_time:='
    done = called(*given[:-1], f'{given[-1]}20.0')
    assert done.returncode == 0
    assert 'integral time 20 s, its limit 0.05 rad' in done.stdout
    assert 'integral' not in called(*given[:2]).stdout
    done = called(*given[:-1], f'{given[-1]}1.0')
    assert done.returncode == 2
    assert done.stderr.count('\n') == 1
    assert 'integral_time is 1 s, with which the loop is unstable; give more than' in done.stderr


# --- the same bits ------------------------------------------------------------------------------

WIDE = {'attitude_controller.integral_time': 20.0, 'attitude_controller.integral_limit': 3.0}
MODES = {
    'attitude_controller.schedule.times': [0.5, 20.0, 30.0, 40.0],
    'attitude_controller.schedule.modes': [
        'pointing',
        'rate_damping',
        'pointing',
        'nadir_pointing',
    ],
}
# {case: (scenario, changes, whether the integral acts)}
CASES = {
    'torque': ('cubesat_pointing', {}, True),
    'torques cut': ('cubesat_pointing', {'attitude_controller.torque_limit': [1e-3] * 3}, True),
    'modes': ('cubesat_3u_leo', MODES, True),
    'wheels cut': ('cubesat_3u_leo', MODES | {
        f'attitude_controller.wheel.{name}.max_torque': 1e-4 for name in 'xyz'
    }, True),
    'late': ('cubesat_3u_leo', MODES | {'attitude_controller.imu_timeout': 0.4}, False),
    'gimbals cut': ('station_cmg', {
        'attitude_controller.integral_time': 90.0, 'attitude_controller.slew_rate_limit': 1.0,
        'attitude_controller.torque_limit': [1e4] * 3,
    }, True),
}  # fmt: skip


@pytest.mark.parametrize('case', CASES)
def test_a_compiled_loop_has_the_bits_of_the_loop_in_python(case):
    """A batch of one, and the same controller asked at each tick; and not those without it."""
    name, changes, acts = CASES[case]
    flown_there = sas.load(name, parameters=WIDE | changes)
    none = {'attitude_controller.integral_time': 0.0}
    without = sas.load(name, parameters=WIDE | changes | none)
    last = [batch_of(each) for each in (flown_there, without)]
    simulation = sas.Simulation(flown_there)
    for _ in range(1000):
        simulation.step()
    assert np.array_equal(last[0], to_flat(simulation.instant.state)[:SIZE])
    assert np.array_equal(*last) != acts


def batch_of(flown_there):
    """Return the flat state after 1000 ticks of a scenario in a batch."""
    first = flown_there.first_instant()
    given = side_by_side.arguments_of([flown_there], [first])
    batch = Batch(**given, law=flights.law_of([flown_there]), threads=1)
    batch.advance(1000)
    return batch.states[0]
