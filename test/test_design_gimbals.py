# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Linear models with control moment gyros: against formulas, another library, and flights."""

import math

import numpy as np
import pytest
from processes import printed, run
from test_design import AXES as WHEELS
from test_design import LEVEL, STILL, turned

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.configuration import attitude_controller as controller
from spacecraft_attitude_sim.core.actuators.inputs import Inputs
from spacecraft_attitude_sim.core.control import control_law
from spacecraft_attitude_sim.core.control.allocation import GIMBALS, allocate
from spacecraft_attitude_sim.core.design import linear_law, linear_plant, margins
from spacecraft_attitude_sim.core.design.linear_plant import ATTITUDE, RATE, Point
from spacecraft_attitude_sim.core.design.state_space import sampled
from spacecraft_attitude_sim.core.environment.circular_orbit import EARTH
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation.tick import next_instant
from spacecraft_attitude_sim.recording import design_file

TICK, SKEW, MOMENTUM = 0.1, math.radians(54.7356), 10.0
ROTOR, BANDWIDTH, DAMPING = 0.05, 0.4, 0.7
# Of rotor and gimbal without the rotor's spin: the last turns the body back by 1 % of the law.
ALONG, ACROSS, ABOUT = INERTIAS = (0.03, 0.06, 0.2)
MOMENTS = np.array((60.0, 50.0, 40.0))
NAMES = 'pqrs'


def pyramid(angles=(0.0,) * 4, **changes):
    """Return parameters of four gyros whose gimbal axes are normal to the faces of a pyramid."""
    values = {'gimbals': [*NAMES]}
    for k, name in enumerate(NAMES):
        c, s = math.cos(k * math.pi / 2.0), math.sin(k * math.pi / 2.0)
        values[f'gimbal.{name}'] = {
            'axis': [math.sin(SKEW) * c, math.sin(SKEW) * s, math.cos(SKEW)],
            'spin_axis': [-s, c, 0.0], 'rotor_inertia': ROTOR, 'rotor_speed': MOMENTUM / ROTOR,
            'inertias': [*INERTIAS], 'angle': angles[k], **changes,
        }  # fmt: skip
    return values


def scenario(changes=None, **moved):
    """Return a spacecraft held by the pyramid; moved: keywords of `pyramid`."""
    known = {'axis', 'spin_axis', 'rotor_inertia', 'rotor_speed'}
    ruled = {
        key: {name: part for name, part in value.items() if name in known}
        if isinstance(value, dict) else value for key, value in pyramid().items()
    }  # fmt: skip
    ruled |= {
        'inertia': MOMENTS.tolist(), 'bandwidth': BANDWIDTH, 'damping_ratio': DAMPING,
        'torque_limit': [9.0] * 3,
    }  # fmt: skip
    values = {
        'body.mass': 100.0, 'body.inertia': MOMENTS.tolist(), 'tick_rate': 1.0 / TICK,
        'initial.angular_velocity': [0.0, 0.0, 0.0], **pyramid(**moved),
        'attitude_controller': ruled,
    }  # fmt: skip
    return sas.load(values, parameters=changes)


# --- closed forms ------------------------------------------------------------------------------

# B B^T of the pyramid at angle 0 by axis, and Σ g t^T: the reaction of gimbals per unit torque.
SQUARES = MOMENTUM**2 * np.array((2.0, 2.0, 4.0)) * np.array(
    (math.cos(SKEW) ** 2, math.cos(SKEW) ** 2, math.sin(SKEW) ** 2)
)  # fmt: skip
CROSSED = math.sin(SKEW) * math.cos(SKEW) * np.array((-2.0, -2.0, 4.0))
# λ: a hundredth of the mean square, times exp(-10 m); m² = (2/3)² (8/3)/(4/3)³ at this skew.
NEAR = 0.01 * MOMENTUM**2 * math.exp(-10.0 * math.sqrt(0.5))


def of_formulas(rate, axis, delay=0):
    """Return L of the pyramid at angle 0, where its Jacobian is diagonal, at rates [rad/s].

    The torque τ of the law gives f τ to the body, f = b/(b + λ), and the gimbals' own inertia
    turns the body back at once, by κ τ: κ = -I_g h Σ (g t^T)/(b + λ). Between samples

        ν[k+1] = ν[k] + f T τ[k]/J      θ[k+1] = θ[k] + T (ν[k] - κ τ[k]/J) + f T^2 τ[k]/(2 J)

    and ω[k+1] = ν[k+1] - κ τ[k]/J is measured.
    """
    z, inertia = np.exp(1j * np.asarray(rate) * TICK), MOMENTS[axis]
    given = SQUARES[axis] / (SQUARES[axis] + NEAR)
    back = -ABOUT * MOMENTUM * CROSSED[axis] / (SQUARES[axis] + NEAR)
    omega = given * TICK / (z - 1.0) - back / z
    theta = given * TICK**2 / 2.0 * (z + 1.0) / (z - 1.0) ** 2 - back * TICK / (z - 1.0)
    law = inertia * (BANDWIDTH**2 * theta + 2.0 * DAMPING * BANDWIDTH * omega)
    return law / inertia / z**delay


@pytest.mark.parametrize('delay', [0, 2])
def test_the_loop_of_a_pyramid_is_that_of_its_formula(delay):
    """To what rounding of the skew leaves; without the gimbals' inertia it is 1 % away."""
    found = sas.design(scenario(), delay=delay * TICK)
    rates = np.geomspace(1e-2, 30.0, 50)
    for k, axis in enumerate('xyz'):
        wanted = of_formulas(rates, k, delay)
        assert found.open_loop(axis).response(rates) == pytest.approx(wanted, rel=1e-6)
        state_space = found.open_loop(axis).system.response(rates)[:, 0, 0]
        assert state_space == pytest.approx(wanted, rel=1e-6)
    assert found.stable
    assert 'the turning of gimbals' not in str(found)


def test_the_reaction_of_gimbals_moves_the_margins_of_the_formula():
    """About x it comes against the torque, about z with it: a deg less and more."""
    heavy, light = (sas.design(scenario(inertias=[0.03, 0.06, own])) for own in (ABOUT, 1e-9))
    for k, sign in ((0, -1.0), (2, 1.0)):
        difference = heavy.margins[k].phase_deg - light.margins[k].phase_deg
        at = heavy.margins[k].phase_at
        wanted = np.angle(of_formulas(at, k)) - np.angle(light.open_loop('xyz'[k]).response(at))
        assert difference == pytest.approx(math.degrees(wanted[0]), abs=0.01)
        assert sign * difference > 0.5


def test_python_control_finds_the_same_margins():
    """Within 0.1 dB and 0.1 deg, of the state space that it is given."""
    control = pytest.importorskip('control')
    found = sas.design(scenario(angles=(0.3, -0.2, 0.5, 0.1)), delay=0.13)
    for axis, own in zip('xyz', found.margins, strict=True):
        rates = margins.grid(found.open_loop(axis))
        response = control.frequency_response(found.to_control(axis), rates[rates > 0.05])
        frd = control.frd(response.frdata, response.omega, TICK, smooth=True)
        gain, phase, _, _, _, _ = control.stability_margins(frd)
        assert 20.0 * math.log10(gain) == pytest.approx(own.gain_up_db, abs=0.1)
        assert phase == pytest.approx(own.phase_deg, abs=0.1)


# --- the law -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('angles', 'omega_R'),
    [((0.4, -0.7, 1.1, 0.2), STILL), ((0.0,) * 4, np.array((0.0, -0.05, 0.0)))],
    ids=['at rest', 'turning'],
)
def test_the_linear_law_is_the_derivative_of_the_law(angles, omega_R):
    """Also by the angles, where the law asks for no torque at the point: ω₀ × h changes."""
    values = scenario().controller
    gains, driven = controller.settings(values).gains, controller.allocation(values)
    reference = control_law.Reference(LEVEL, omega_R, STILL).flat()
    measured = linear_law.Measured(np.eye(3), {}, {}, dict(zip(NAMES, angles, strict=True)))
    law = linear_law.linear_law(gains, driven, omega_R, measured)
    assert law.sees[6:] == tuple(f'gimbal.{name}.angle [rad]' for name in NAMES)

    def commands(change):
        turn = np.append(1.0, change[:3] / 2.0)
        torque, _, _ = control_law.torque(
            gains.flat(), reference, turn / np.linalg.norm(turn), omega_R + change[3:6],
            control_law.UNDECIDED,
        )  # fmt: skip
        answer = np.zeros(4)
        allocate(GIMBALS, driven.rows, driven.gyroscopic, np.array(angles) + change[6:], torque,
                 tuple(omega_R + change[3:6]), answer)  # fmt: skip
        return answer

    step = 1e-5  # of fourth order in it, and rounding of 1e-11
    columns = [(commands(step * e) - commands(-step * e)) / (2.0 * step) for e in np.eye(10)]
    assert law.gain == pytest.approx(np.array(columns).T, rel=1e-6, abs=1e-9)


# --- what the simulator flies ------------------------------------------------------------------

ANGLES = (0.4, -0.7, 1.1, 0.2)
MOVED = np.random.default_rng(5).normal(size=6)
Q_WR = np.array((0.7, 0.1, -0.5, 0.5))
Q_WR /= np.linalg.norm(Q_WR)
COUNT = 60


def carrying(size, rate, free):
    """Return a scenario with the pyramid, wheels and, unless it turns, a mode; displaced."""
    move = size * MOVED
    values = {
        'body.mass': 100.0, 'body.inertia': [*MOMENTS, 1.0, -2.0, 3.0], 'tick_rate': 1.0 / TICK,
        'initial.attitude': (turned(Q_WR, move[:3]) if size else Q_WR).tolist(),
        'initial.angular_velocity': ((not free) * move[3:] + (0.0, -rate, 0.0)).tolist(),
        'wheels': [*WHEELS], **pyramid(ANGLES, inertias=[0.5, 2.0, 0.4], free_rotor=free),
        'orbit.radius': (EARTH / (rate or 1e-4) ** 2) ** (1.0 / 3.0),
        'orbit.normal': rotations.rotate(Q_WR, (0.0, -1.0, 0.0)).tolist(),
        'orbit.start': rotations.rotate(Q_WR, (0.0, 0.0, 1.0)).tolist(),
    }  # fmt: skip
    if not rate:
        values |= {'flexible_modes': ['bend'], 'flexible_mode.bend': {
            'coupling': [1.0, 3.0, 0.5], 'frequency': 0.3, 'damping_ratio': 0.005}}  # fmt: skip
    for name, axis in WHEELS.items():
        values[f'wheel.{name}'] = {
            'axis': axis, 'inertia': 0.05, 'initial_speed': 50.0, 'max_torque': 9.0}  # fmt: skip
    return sas.load(values)


def rates_at(tick):
    """Return changes of the rates of four gimbals, which step at each tick."""
    return np.array([math.sin((0.7 + 0.3 * k) * tick + k) for k in range(4)])


def flown(size, rate, torque_B, free):
    """Return attitude error, rate, speeds, displacement and angles (COUNT + 1, 14)."""
    made = carrying(size, rate, free)
    instant, craft, rows = made.first_instant(), made.plant.spacecraft, []
    gyros = craft.part('control_moment_gyros')
    for tick in range(COUNT + 1):
        state = instant.state
        turn = turned(Q_WR, np.array((0.0, -rate * tick * TICK, 0.0))) if rate * tick else Q_WR
        error = rotations.compose(rotations.conjugate(turn), state.q_WB)
        inside = []
        if craft.internal:
            inside = craft.internal.displacements(craft.internal_states(state))
        angles = gyros.angles(state.internal[craft.layout.of('gimbals')])
        rows.append(np.concatenate((
            2.0 * error[1:] * np.sign(error[0]), craft.angular_velocity_B(state),
            craft.wheel_speeds(state), inside, angles,
        )))  # fmt: skip
        wrench = np.concatenate((STILL, torque_B, np.zeros(6)))
        given = Inputs(wrench, gimbal_rate=size * rates_at(tick))
        instant = next_instant(made.plant, instant, given)
    return np.array(rows)


@pytest.mark.parametrize('free', [False, True], ids=['motors', 'free rotors'])
@pytest.mark.parametrize('rate', [0.0, 0.02])
def test_the_linear_plant_moves_as_the_simulator_flies(rate, free):
    """A pyramid, heavy gimbals whose rates step at each tick, wheels and a mode; in an orbit, too.

    Half the difference of two flights one way and the other, by 1e-4: third order, 1e-8 of 5, and
    rounding. In the orbit a torque balances momentum and gravity at the point.
    """
    made, omega = carrying(0.0, rate, free), np.array((0.0, -rate, 0.0))
    speeds = np.full(3, 50.0)
    plant = linear_plant.linearised(made.plant, Point(Q_WR, omega, speeds, STILL, angles=ANGLES))
    model = sampled(plant.system, TICK, plant.delays).state_space()
    inputs = np.zeros((COUNT, len(model.inputs)))
    columns = [model.inputs.index(f'gimbal.{name}.rate [rad/s]') for name in NAMES]
    inputs[:, columns] = [rates_at(tick) for tick in range(COUNT)]
    inside = [f'{name} [sqrt(kg) m]' for name in plant.inside.names]
    names = [*ATTITUDE, *RATE, *plant.speeds, *inside]
    names += [f'gimbal.{name}.angle [rad]' for name in NAMES]
    start = np.zeros(len(model.states))
    given = {name: MOVED[k] for k, name in enumerate((*ATTITUDE, *RATE))}
    wheels = made.plant.spacecraft.part('reaction_wheels')
    for name, axis in zip(WHEELS, wheels.axes_B, strict=True):
        given[f'wheel.{name}.momentum [N m s]'] = 0.05 * axis @ MOVED[3:]
    for name, value in given.items():
        if name in ATTITUDE or not free:
            start[model.states.index(name)] = value
    linear = model.simulated(inputs, start)[:, [model.outputs.index(name) for name in names]]
    held_B = rotations.rotate(rotations.conjugate(Q_WR), made.initial.angular_momentum_W)
    balance = np.cross(omega, held_B)
    for load in made.plant.environment.turning:
        balance = balance - load.torque_B(made.plant.body, made.initial, 0.0)
    size = 1e-4
    difference = (
        flown(size, rate, balance, free) - flown(-size, rate, balance, free)
    ) / (2.0 * size)  # fmt: skip
    assert np.abs(linear).max(axis=0).min() > 0.04  # all of it moves
    assert difference == pytest.approx(linear, rel=1e-7, abs=3e-7)


def test_the_gradient_turns_the_body_alike_with_a_mode_inside():
    """A mode that is hardly coupled changes nothing; heavy gimbals are in the inertia once."""
    orbit = {'orbit.radius': 7.0e6, 'orbit.normal': [0.8, 0.0, -0.6],
             'orbit.start': [0.6, 0.0, 0.8]}  # fmt: skip
    mode = {'flexible_modes': ['bend'], 'flexible_mode.bend.frequency': 0.3,
            'flexible_mode.bend.coupling': [0.0, 1e-9, 0.0]}  # fmt: skip
    slopes = []
    for inside in ({}, mode):
        values = {'body.mass': 100.0, 'body.inertia': MOMENTS.tolist(), **orbit, **inside,
                  'initial.angular_velocity': [0.0, 0.0, 0.0], **pyramid(ANGLES)}  # fmt: skip
        point = Point(Q_WR, STILL, np.zeros(0), STILL, angles=ANGLES)
        system = linear_plant.linearised(sas.load(values).plant, point).system
        rows, columns = ([system.states.index(name) for name in names]
                         for names in (RATE, ATTITUDE))  # fmt: skip
        slopes.append(system.A[np.ix_(rows, columns)])
    assert slopes[1] == pytest.approx(slopes[0], rel=1e-9, abs=1e-18)
    assert np.abs(slopes[0]).max() > 1e-7


SMALL = 1e-5  # [rad]: what is not linear is below 1e-10 of it


@pytest.mark.parametrize(
    'changes',
    [{}, {'attitude_controller.controller_delay': 0.25, 'imu.interval': 2},
     {'attitude_controller.integral_time': 20.0}],
    ids=['plain', 'late', 'integral'],
)  # fmt: skip
def test_a_closed_loop_flies_as_its_linear_model(changes):
    """20 s of the shipped controller and steering, from a little off, about an axis askew.

    To 1e-6 of the start: by the angles of the gimbals, which turn by some 1e-5 rad.
    """
    start = turned(LEVEL, SMALL * np.array((1.0, -2.0, 1.5)))
    made = scenario({'initial.attitude': start.tolist(), **changes}, angles=(0.3, -0.2, 0.5, 0.1))
    found = sas.design(made)
    closed, every = found.loop.closed, round(found.case.period / TICK)
    begin = np.zeros(len(closed.states))
    begin[: len(ATTITUDE)] = 2.0 * start[1:]
    linear = closed.simulated(np.zeros((200 // every, 3)), begin)
    names = [*ATTITUDE, *(f'gimbal.{name}.angle [rad]' for name in NAMES)]
    wanted = linear[:, [closed.outputs.index(name) for name in names]]
    run = sas.simulate(made, duration=20.0)
    seen = 2.0 * run.attitude[:, 1:] * np.sign(run.attitude[:, :1])
    assert seen[::every] == pytest.approx(wanted[:, :3], abs=3e-6 * SMALL)
    assert np.abs(wanted[:, 3:]).max() > 2.0 * SMALL


@pytest.mark.parametrize(('change', 'stable'), [(-0.02, True), (0.02, False)])
def test_a_flight_beyond_the_gain_margin_grows(change, stable):
    """Of the pyramid at angle 0, late by 8 ticks: 2 % less gain dies away, 2 % more grows."""
    late = {'attitude_controller.controller_delay': 0.8}
    gain = min(one.gain_up for one in sas.design(scenario(late)).margins) * (1.0 + change)
    start = turned(LEVEL, SMALL * np.array((1.0, -2.0, 1.5)))
    made = scenario(late | {
        'attitude_controller.gains': 'given', 'initial.attitude': start.tolist(),
        'attitude_controller.attitude_gain': (gain * BANDWIDTH**2 * MOMENTS).tolist(),
        'attitude_controller.rate_gain': (gain * 2.0 * DAMPING * BANDWIDTH * MOMENTS).tolist(),
    })  # fmt: skip
    assert sas.design(made).stable == stable
    error = np.linalg.norm(sas.simulate(made, duration=200.0).attitude[:, 1:], axis=1)
    assert (error[1500:].max() < error[500:1000].max()) == stable


# --- the command -------------------------------------------------------------------------------


def test_the_station_is_linear_about_the_rate_of_its_orbit():
    """Its loop is a hundred times slower than its ticks: L of (K + D s)/(J s²) within 1 %."""
    text = printed('attitude-sim', 'design', 'station_cmg')
    assert 'the closed loop is stable' in text
    assert 'max_acceleration of gimbals: their rates follow at once' in text
    found = sas.design('station_cmg')
    assert found.loop.law.commands[0] == 'gimbal.forward.rate [rad/s]'
    rates = np.array((0.03, 0.1, 0.3))
    own = found.case.gains.rate_per_angle[0]
    for axis in 'xyz':
        loop = found.open_loop(axis).response(rates)
        assert loop == pytest.approx(1.6 * 0.01 * (1j * rates + own) / (1j * rates) ** 2, rel=0.06)


@pytest.mark.parametrize('angles', [[90.0] * 4, [-90.0] * 4])
def test_a_singular_array_is_refused_in_one_line(angles):
    """All outputs lie in the plane across the pyramid's axis."""
    given = [f'-p simulator:gimbal.{name}.angle:={math.radians(angle)!r}' for name, angle in
             zip(('forward', 'starboard', 'aft', 'port'), angles, strict=True)]  # fmt: skip
    done = run('attitude-sim', 'design', 'station_cmg', *' '.join(given).split())
    assert done.returncode == 2 and done.stderr.count('\n') == 1
    assert 'they give no torque along [' in done.stderr
    assert '0.0, 0.0, 1.0]' in done.stderr.replace('-', '')
    assert 'gimbal.forward.angle' in done.stderr


def test_a_parallel_pair_is_singular():
    """Two gyros with one gimbal axis give torques in a plane, whatever their angles."""
    each = {'axis': [0.0, 0.0, 1.0], 'rotor_inertia': ROTOR, 'rotor_speed': 200.0}
    heavy = {'inertias': [*INERTIAS]}
    pair = {'gimbals': ['p', 'q']}
    for name, spin, angle in (('p', 1.0, 0.3), ('q', -1.0, 0.8)):
        pair[f'gimbal.{name}'] = each | heavy | {'spin_axis': [spin, 0.0, 0.0], 'angle': angle}
    ruled = {'inertia': MOMENTS.tolist(), 'gimbals': ['p', 'q']}
    ruled |= {f'gimbal.{name}': each | {'spin_axis': pair[f'gimbal.{name}']['spin_axis']}
              for name in 'pq'}  # fmt: skip
    body = {
        'body.mass': 100.0, 'body.inertia': MOMENTS.tolist(),
        'initial.angular_velocity': [0.0, 0.0, 0.0], **pair,
    }  # fmt: skip
    with pytest.raises(sas.ScenarioError, match=r'no torque along \[0.0, 0.0, -?1.0\]'):
        sas.design(body | {'attitude_controller': ruled})


def test_gimbals_that_must_turn_at_the_point_are_told():
    """In an orbit the momentum of gyros that are not at their zero must turn with the body."""
    turning = {'gimbal.forward.angle': 0.3}
    found = sas.design('station_cmg', turning)
    assert 'the turning of gimbals at the point, up to 0.0' in str(found)
    assert design_file.contents(found, 'x')['point']['gimbal_angles'].tolist() == [0.3, 0, 0, 0]
    # Or the law compensates ω × I ω of an inertia whose axes are not those of the orbit.
    askew = {'attitude_controller.inertia': [1.28e8, 1.07e8, 2.01e8, 1e7, 0.0, 0.0]}
    assert 'the turning of gimbals' in str(sas.design('station_cmg', askew))
