# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Linear models: against textbook formulas, and against what the simulator flies."""

import math

import numpy as np
import pytest

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.configuration import attitude_controller as controller
from spacecraft_attitude_sim.core.actuators.inputs import Inputs
from spacecraft_attitude_sim.core.control import control_law
from spacecraft_attitude_sim.core.control.allocation import WHEELS, allocate
from spacecraft_attitude_sim.core.design import linear_law, linear_plant
from spacecraft_attitude_sim.core.design.linear_plant import ATTITUDE, RATE, TORQUE, Point
from spacecraft_attitude_sim.core.design.state_space import StateSpace, sampled
from spacecraft_attitude_sim.core.environment.circular_orbit import EARTH
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.vectors import tangents
from spacecraft_attitude_sim.core.simulation.tick import next_instant

STILL = np.zeros(3)
LEVEL = np.array((1.0, 0.0, 0.0, 0.0))
ROTATE = rotations.rotate


def plant_of(parameters, q_WB=LEVEL, omega_B=STILL, acceleration_B=STILL):
    """Return the LinearPlant of a scenario about an attitude, its wheels as they start."""
    scenario = sas.load({'initial.angular_velocity': [0.0, 0.0, 0.0], **parameters})
    craft = scenario.plant.spacecraft
    speeds = craft.wheel_speeds(scenario.initial) if craft.part('reaction_wheels') else np.zeros(0)
    return linear_plant.linearised(scenario.plant, Point(q_WB, omega_B, speeds, acceleration_B))


def frequencies(system):
    """Return the frequencies of the oscillations of a system, rising [rad/s]."""
    poles = system.poles()
    return np.sort(np.abs(poles[poles.imag > 1e-9]))


# --- closed forms ------------------------------------------------------------------------------


def test_a_rigid_body_is_the_inverse_of_its_inertia_over_s_squared():
    inertia = np.array(((3.0, 0.1, -0.2), (0.1, 2.5, 0.3), (-0.2, 0.3, 2.0)))
    plant = plant_of({'body.mass': 5.0, 'body.inertia': [3.0, 2.5, 2.0, 0.1, -0.2, 0.3]})
    rates = np.array((0.01, 1.0, 50.0))
    answer = plant.system.selected(TORQUE, ATTITUDE).response(rates)
    for rate, found in zip(rates, answer, strict=True):
        assert found == pytest.approx(-np.linalg.inv(inertia) / rate**2, rel=1e-12, abs=1e-18)


def test_a_mode_is_faster_with_the_body_free_by_what_it_takes_of_the_inertia():
    """With the coupling δ about a principal axis it is Ω/sqrt(1 - δ²/J): Likins 1970."""
    plant = plant_of({
        'body.mass': 100.0, 'body.inertia': [60.0, 50.0, 40.0], 'flexible_modes': ['bend'],
        'flexible_mode.bend.coupling': [0.0, 4.0, 0.0], 'flexible_mode.bend.frequency': 0.3,
    })  # fmt: skip
    free = 2.0 * math.pi * 0.3 / math.sqrt(1.0 - 16.0 / 50.0)
    assert frequencies(plant.system) == pytest.approx([free], rel=1e-12)


def test_slosh_under_thrust_swings_as_a_pendulum_on_a_body():
    """Two masses in a plane: hub and bob, by Lagrange's equations in inertial axes.

    Coordinates: x of the origin, angle θ of the hub, angle φ of the rod, all small. The hub's
    centre is at x + h θ, the bob at x + p θ - l φ. In axes that accelerate, weight pulls both
    down; the thrust turns with the hub. Agrees to the error of the differences of `moving_parts`.
    """
    m, M, length, pivot, a, J = 5.0, 100.0, 0.4, 0.3, 0.7, 50.0
    plant = plant_of(
        {
            'body.mass': M, 'body.inertia': [J, J, 40.0], 'pendulums': ['tank'],
            'pendulum.tank.pivot': [0.0, 0.0, pivot], 'pendulum.tank.mass': m,
            'pendulum.tank.length': length,
        },
        acceleration_B=np.array((0.0, 0.0, a)),
    )  # fmt: skip
    bob = pivot - length
    hub = -m * bob / (M - m)
    places = np.array(((1.0, hub, 0.0), (1.0, pivot, -length)))
    mass = places.T @ np.diag((M - m, m)) @ places
    mass[1, 1] += J - m * bob**2 - (M - m) * hub**2
    stiff = np.diag((0.0, -a * ((M - m) * hub + m * pivot), a * m * length))
    stiff[0, 1] -= M * a
    swing = math.sqrt(max(np.linalg.eigvals(np.linalg.solve(mass, stiff)).real))
    assert frequencies(plant.system)[-2:] == pytest.approx([swing, swing], rel=1e-8)


def test_a_mass_that_spins_about_its_place_is_softer_by_the_square_of_the_rate():
    """It is flung out along its line: k/m' - Ω², with m' = m (1 - m/M)."""
    m, M, k, rate = 2.0, 100.0, 5.0, 0.3
    plant = plant_of(
        {
            'body.mass': M, 'body.inertia': [60.0, 50.0, 40.0], 'sliding_masses': ['ball'],
            'sliding_mass.ball': {'axis': [1.0, 0.0, 0.0], 'mass': m, 'stiffness': k},
        },
        omega_B=np.array((0.0, 0.0, rate)),
    )  # fmt: skip
    wanted = math.sqrt(k / (m * (1.0 - m / M)) - rate**2)
    assert np.abs(frequencies(plant.system) / wanted - 1.0).min() < 1e-7


def test_a_body_librates_in_its_orbit_as_the_textbook_says():
    """Pitch n sqrt(3 (J1 - J3)/J2); roll and yaw by their quartic: Wie 2008, section 6.10."""
    J1, J2, J3, n = 50.0, 60.0, 40.0, math.sqrt(EARTH / 7.0e6**3)
    along_B = {'orbit.radius': 7.0e6, 'orbit.normal': [0.0, -1.0, 0.0]}
    plant = plant_of(
        {'body.mass': 100.0, 'body.inertia': [J1, J2, J3], 'orbit.start': [0.0, 0.0, -1.0]}
        | along_B,
        omega_B=np.array((0.0, -n, 0.0)),
    )
    k1, k3 = (J2 - J3) / J1, (J2 - J1) / J3
    squares = np.roots((1.0, 1.0 + 3.0 * k1 + k1 * k3, 4.0 * k1 * k3))
    wanted = [n * math.sqrt(3.0 * (J1 - J3) / J2), *(n * np.sqrt(-squares))]
    assert frequencies(plant.system) == pytest.approx(sorted(wanted), rel=1e-8)


def test_a_gravity_gradient_turns_the_body_by_a_mass_that_is_displaced():
    """By m d/dξ (r·r 1 - r rᵀ): the centre of mass that moves counts at second order only."""
    m, r, a, up_B = 4.0, np.array((0.7, -0.4, 0.3)), np.array((0.0, 0.6, 0.8)), (0.48, 0.6, 0.64)
    plant = plant_of({
        'body.mass': 100.0, 'body.inertia': [60.0, 50.0, 40.0], 'sliding_masses': ['ball'],
        'sliding_mass.ball': {
            'position': r.tolist(), 'axis': a.tolist(), 'mass': m, 'stiffness': 5.0},
        'orbit.radius': 7.0e6, 'orbit.normal': [0.8, 0.0, -0.6], 'orbit.start': list(up_B),
    })  # fmt: skip
    place = [plant.system.states.index(name) for name in (*RATE, 'sliding_mass.ball rate [m/s]')]
    column = plant.system.states.index('sliding_mass.ball [m]')
    torque = (plant.inside.mass @ plant.system.A[place, column])[:3]
    slope = m * (2.0 * (r @ a) * np.eye(3) - np.outer(r, a) - np.outer(a, r))
    wanted = 3.0 * EARTH / 7.0e6**3 * np.cross(up_B, slope @ up_B)
    assert torque == pytest.approx(wanted, rel=1e-7, abs=1e-15)


def test_a_table_on_an_air_bearing_swings_under_its_weight():
    plant = plant_of({
        'body.mass': 30.0, 'body.inertia': [0.9, 0.95, 1.3],
        'body.center_of_mass': [0.0, 0.0, -1e-3], 'bearing.enabled': True,
        'bearing.position': [0.0, 0.0, 0.0], 'gravity': [0.0, 0.0, -9.81],
    })  # fmt: skip
    pull = 30.0 * 9.81 * 1e-3
    about_pivot = np.array((0.9, 0.95)) + 30.0 * 1e-6
    assert frequencies(plant.system) == pytest.approx(
        np.sort(np.sqrt(pull / about_pivot)), rel=1e-8
    )


def test_a_delayed_hold_is_the_exact_one_of_an_integrator_and_a_lag():
    """By hand: x' = (u - x)/τ, with a delay of 1.3 periods: u acts through 0.7 of a period."""
    lag, period = 0.4, 0.25
    system = StateSpace(
        np.array([[-1.0 / lag]]), np.array([[1.0 / lag]]), np.eye(1), ('x',), ('u',), ('x',)
    )
    model = sampled(system, period, {'u': 1.3 * period}).state_space()
    steps = np.zeros((4, 1))
    steps[0] = 1.0
    x, wanted = 0.0, [0.0]
    for early, late in ((0, 0), (0, 1), (1, 0), (0, 0)):
        for u, duration in ((early, 0.3 * period), (late, 0.7 * period)):
            x = u + (x - u) * math.exp(-duration / lag)
        wanted.append(x)
    assert model.simulated(steps)[:, 0] == pytest.approx(wanted, rel=1e-13)


# --- the law -----------------------------------------------------------------------------------


@pytest.fixture(scope='module')
def ruled():
    """Parameters of a controller of four wheels whose inertia has products."""
    wheels = {f'w{k}': [s, t, math.sqrt(0.5)] for k, (s, t) in enumerate(
        ((0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)))}  # fmt: skip
    values = {'inertia': [0.9, 0.95, 1.3, 0.1, -0.05, 0.02], 'wheels': [*wheels],
              'torque_limit': [1.0, 1.0, 1.0], 'null_space_rate': 0.3}  # fmt: skip
    for name, axis in wheels.items():
        values |= {f'wheel.{name}.axis': axis, f'wheel.{name}.inertia': 0.02,
                   f'wheel.{name}.max_torque': 9.0, f'wheel.{name}.wanted_speed': 3.0}  # fmt: skip
    return controller.checked(values)


@pytest.mark.parametrize('gyroscopic', [True, False])
def test_the_linear_law_is_the_derivative_of_the_law(ruled, gyroscopic):
    values = ruled | {'gyroscopic_compensation': gyroscopic}
    gains, driven = controller.settings(values).gains, controller.allocation(values)
    omega_R, speeds = np.array((0.002, -0.05, 0.01)), np.array((3.0, -4.0, 5.0, 6.0))
    reference = control_law.Reference(LEVEL, omega_R, STILL).flat()
    reference[control_law.GRADIENT :] = up_R = np.array((0.3, -0.2, 0.5))
    names = dict(zip(driven.names, speeds, strict=True))
    measured = linear_law.Measured(np.eye(3), dict.fromkeys(names, 1.0), names)
    law = linear_law.linear_law(gains, driven, omega_R, measured, up_R)

    def commands(change):
        theta, omega, more = change[:3], change[3:6], change[6:]
        turn = np.append(1.0, theta / 2.0)
        turn /= np.linalg.norm(turn)
        torque, _, _ = control_law.torque(
            gains.flat(), reference, turn, omega_R + omega, control_law.UNDECIDED
        )
        answer = np.zeros(4)
        allocate(WHEELS, driven.rows, driven.gyroscopic, speeds + more, torque,
                 tuple(omega_R + omega), answer)  # fmt: skip
        return answer

    step = 1e-4  # the law is of second degree in it: the error is that of rounding, 1e-12
    columns = [(commands(step * e) - commands(-step * e)) / (2.0 * step) for e in np.eye(10)]
    assert law.gain == pytest.approx(np.array(columns).T, rel=1e-7, abs=1e-10)


def test_a_controller_that_errs_about_its_imu_sees_the_body_turned():
    """The derivative of the torque that answers an IMU mounted otherwise than believed."""
    mounted = {'imu.orientation': [0.9, 0.3, -0.1, 0.3], 'attitude_controller.reference.attitude':
               [0.5, 0.5, -0.5, 0.5]}  # fmt: skip
    q_BS = np.array(mounted['imu.orientation'])
    mounted['imu.orientation'] = (q_BS / np.linalg.norm(q_BS)).tolist()
    loop = sas.design('cubesat_pointing', mounted)
    own = controller.settings(sas.load('cubesat_pointing', parameters=mounted).controller)
    reference = control_law.Reference(np.array((0.5, 0.5, -0.5, 0.5)), STILL, STILL)

    def torque(change):
        q_WB = loop.case.point.q_WB
        if np.any(change[:3]):
            q_WB = turned(q_WB, change[:3])
        q_WS = rotations.compose(q_WB, mounted['imu.orientation'])
        omega_S = ROTATE(rotations.conjugate(mounted['imu.orientation']), change[3:])
        answer, _, _ = control_law.torque_from_imu(
            own.gains.flat(), reference.flat(), own.q_BS, q_WS, omega_S, control_law.UNDECIDED
        )
        return np.array(answer)

    assert np.abs(torque(np.zeros(6))).max() < 1e-15  # it believes to be on its target
    step = 1e-4
    columns = [(torque(step * e) - torque(-step * e)) / (2.0 * step) for e in np.eye(6)]
    assert loop.loop.law.asked == pytest.approx(np.array(columns).T, rel=1e-6, abs=1e-10)
    turn = np.degrees(np.arccos((np.trace(loop.case.measured.turn) - 1.0) / 2.0))
    assert turn == pytest.approx(2.0 * np.degrees(np.arccos(0.9)), rel=1e-6)


def test_a_controller_that_damps_rates_has_no_gain_of_attitude():
    loop = sas.design('cubesat_pointing', {'attitude_controller.mode': 'rate_damping'})
    assert not loop.loop.law.gain[:, :3].any()
    assert loop.stable
    assert loop.margins[0].phase_deg == pytest.approx(90.0, abs=1.0)  # an integrator and a hold


def test_pointing_to_the_nadir_is_linear_about_the_rate_of_the_orbit():
    """Of a loop a hundred times faster than the orbit the margins are as at rest, within 1 %."""
    changes = {'attitude_controller.schedule.times': [], 'attitude_controller.schedule.modes': [],
               'attitude_controller.desaturation_rate': 0.0}  # fmt: skip
    down, sun = (
        sas.design('cubesat_3u_leo', changes | {'attitude_controller.mode': mode})
        for mode in ('nadir_pointing', 'sun_pointing')
    )
    assert np.linalg.norm(down.case.point.omega_B) == pytest.approx(1.1068e-3, rel=2e-3)
    assert not sun.case.point.omega_B.any()
    for own, other in zip(down.margins, sun.margins, strict=True):
        assert own.crossover == pytest.approx(other.crossover, rel=0.01)
        assert own.phase == pytest.approx(other.phase, rel=0.01)
    assert down.stable and sun.stable


# --- what the simulator flies ------------------------------------------------------------------

MOVED = np.random.default_rng(3).normal(size=27)
SPEEDS, DRAG = np.array((100.0, 120.0, 140.0)), np.array((1e-3, 2e-3, 3e-3))
Q_WR = np.array((0.7, 0.1, -0.5, 0.5))
Q_WR /= np.linalg.norm(Q_WR)
AXES = {'a': [1.0, 0.0, 0.0], 'b': [0.0, 1.0, 0.0], 'c': [0.6, 0.0, 0.8]}
COUNT, TICK = 60, 0.1


def turned(q, theta):
    angle = np.linalg.norm(theta)
    return rotations.compose(q, rotations.quaternion_from_axis_angle(theta / angle, angle))


def everything(size, rate=0.0):
    """Return a scenario with all that moves, displaced and moving by `size` times MOVED.

    rate: of a circular orbit, in which it points down, about -y [rad/s]; 0 for none

    The wheels' torques balance their friction, and two thrusters each other: it is at rest where
    nothing is displaced.
    """
    move = size * MOVED
    a, b, da, db = move[14:18]
    across = np.array(tangents((0.0, 0.0, -1.0))).T
    down = math.sqrt(1.0 - a * a - b * b)
    rod = across @ (a, b) + down * np.array((0.0, 0.0, -1.0))
    swing = across @ (da, db) + (a * da + b * db) / down * np.array((0.0, 0.0, 1.0))
    values = {
        'body.mass': 100.0, 'body.inertia': [60.0, 50.0, 40.0, 1.0, -2.0, 3.0],
        'initial.attitude': (turned(Q_WR, move[:3]) if size else Q_WR).tolist(),
        'initial.angular_velocity': (move[3:6] + (0.0, -rate, 0.0)).tolist(),
        'tick_rate': 1.0 / TICK,
        'flexible_modes': ['bend', 'twist'],
        'flexible_mode.bend': {
            'coupling': [1.0, 3.0, 0.5], 'drift': [1.0, 0.5, 0.2], 'frequency': 0.3,
            'damping_ratio': 0.005, 'displacement': move[6], 'rate': move[7]},
        'flexible_mode.twist': {
            'coupling': [2.0, 0.0, -1.0], 'frequency': 0.8, 'damping_ratio': 0.01,
            'displacement': move[8], 'rate': move[9]},
        'panels': ['left'],
        'panel.left': {
            'hinge': [0.0, 0.5, 0.0], 'axis': [0.8, 0.0, 0.6], 'center': [0.1, 1.0, 0.0],
            'mass': 3.0, 'size': [0.5, 1.0, 0.01], 'stiffness': 3.0, 'damping': 0.05,
            'rest_angle': 0.3, 'angle': 0.3 + move[10], 'rate': move[11]},
        'sliding_masses': ['ball'],
        'sliding_mass.ball': {
            'position': [0.3, 0.1, 0.0], 'axis': [0.0, 0.6, 0.8], 'mass': 2.0, 'stiffness': 0.5,
            'damping': 0.05, 'displacement': move[12], 'rate': move[13]},
        'pendulums': ['tank'],
        'pendulum.tank': {
            'pivot': [0.1, 0.2, 0.3], 'mass': 5.0, 'length': 0.4, 'damping': 0.1,
            'direction': rod.tolist(), 'rate': np.cross(rod, swing).tolist()},
        'slugs': ['oil'],
        'slug.oil': {'inertia': 0.5, 'damping': 0.1, 'rate': move[18:21].tolist()},
        'wheels': [*AXES], 'thrusters': ['up', 'down'],
    }  # fmt: skip
    for name, way in (('up', 1.0), ('down', -1.0)):
        values[f'thruster.{name}'] = {
            'position': [0.3, -0.2, 0.5], 'direction': [0.6 * way, 0.0, 0.8 * way],
            'max_force': 5.0, 'rise_time': 0.4, 'fall_time': 0.4,
        }  # fmt: skip
    for k, (name, axis) in enumerate(AXES.items()):
        values[f'wheel.{name}'] = {
            'axis': axis, 'inertia': 0.05 + 0.01 * k, 'max_torque': 10.0,
            'initial_speed': SPEEDS[k] + 10.0 * move[21 + k], 'friction': {'viscous': DRAG[k]},
            'torque': DRAG[k] * SPEEDS[k],
        }  # fmt: skip
    if rate:
        values |= {
            'orbit.radius': (EARTH / rate**2) ** (1.0 / 3.0),
            'orbit.normal': ROTATE(Q_WR, (0.0, -1.0, 0.0)).tolist(),
            'orbit.start': ROTATE(Q_WR, (0.0, 0.0, 1.0)).tolist(),
        }
    values['wheel.b']['torque_lag'], values['wheel.c']['dead_time'] = 0.3, 0.13
    return sas.load(values)


def commands_at(tick):
    """Return changes of the torques of three wheels, and of the forces of two thrusters."""
    waves = math.sin(tick), math.cos(2.0 * tick), math.sin(0.3 * tick)
    return np.array((*waves, 3.0 * math.sin(0.7 * tick), 2.0 * math.cos(0.9 * tick)))


def flown(size, rate=0.0, torque_B=STILL):
    """Return attitude error, rate, speeds and displacements (COUNT + 1, 13) of a flight."""
    scenario = everything(size, rate)
    instant, craft, rows = scenario.first_instant(), scenario.plant.spacecraft, []
    for tick in range(COUNT + 1):
        state = instant.state
        turn = turned(Q_WR, np.array((0.0, -rate * tick * TICK, 0.0))) if rate * tick else Q_WR
        error = rotations.compose(rotations.conjugate(turn), state.q_WB)
        part = error[1:] * math.copysign(1.0, error[0])
        theta = 2.0 * part * np.arcsin(np.linalg.norm(part)) / np.linalg.norm(part)
        inside = craft.internal.displacements(craft.internal_states(state))
        rows.append(np.concatenate(
            (theta, craft.angular_velocity_B(state), craft.wheel_speeds(state), inside)
        ))  # fmt: skip
        torques, forces = np.split(size * commands_at(tick), (3,))
        wrench = np.concatenate((STILL, torque_B, np.zeros(6)))
        inputs = Inputs(wrench, wheel_torque=DRAG * SPEEDS + torques, thrust=1.0 + forces)
        instant = next_instant(scenario.plant, instant, inputs)
    return np.array(rows)


def start_of(model, plant):
    """Return the state (n,) of a sampled model that begins as `everything`, per unit of size."""
    wheels = everything(0.0).plant.spacecraft.part('reaction_wheels')
    inside = [*zip(plant.inside.names, plant.inside.units, strict=True)]
    # Order of MOVED: displacement and rate of each coordinate; two and two of the pendulum.
    where = [6, 8, 10, 12, 14, 15], [7, 9, 11, 13, 16, 17]
    given = {name: MOVED[k] for k, name in enumerate((*ATTITUDE, *RATE))}
    given |= {
        f'{name} [{unit}]': MOVED[k] for k, (name, unit) in zip(where[0], inside, strict=True)
    }
    given |= {
        f'{name} rate [{unit}/s]': MOVED[k]
        for k, (name, unit) in zip(where[1], inside, strict=True)
    }
    for k, axis in enumerate('xyz'):
        given[f'slug.oil.{axis} [N m s]'] = 0.5 * (MOVED[18 + k] + MOVED[3 + k])
    for k, name in enumerate(AXES):
        along = wheels.axes_B[k] @ MOVED[3:6]
        momentum = wheels.inertias[k] * (10.0 * MOVED[21 + k] + along)
        given[f'wheel.{name}.momentum [N m s]'] = momentum
    return np.array([given.get(name, 0.0) for name in model.states])


@pytest.mark.parametrize(('rate', 'error'), [(0.0, 2e-7), (0.004, 3e-5)])
def test_the_linear_plant_moves_as_the_simulator_flies(rate, error):
    """All that moves inside, wheels with lag, dead time and friction, thrusters, at once.

    Half the difference of two flights displaced one way and the other, by 1e-4: it differs from
    the linear motion by the third order, 1e-8, and by rounding, 1e-16/1e-4 a tick. In an orbit a
    torque balances momentum and gravity, but what moves inside drifts from its place by the order
    of the square of the rate, 1.6e-5; the terms of first order would be 100 times that.
    """
    scenario = everything(0.0, rate)
    omega = np.array((0.0, -rate, 0.0))
    plant = linear_plant.linearised(scenario.plant, Point(Q_WR, omega, SPEEDS, STILL))
    model = sampled(plant.system, TICK, plant.delays).state_space()
    inputs = np.zeros((COUNT, len(model.inputs)))
    names = [f'wheel.{name}.torque [N m]' for name in AXES]
    names += [f'thruster.{name}.force [N]' for name in ('up', 'down')]
    columns = [model.inputs.index(name) for name in names]
    inputs[:, columns] = [commands_at(tick) for tick in range(COUNT)]
    moved = [f'{name} [{unit}]' for name, unit in
             zip(plant.inside.names[:4], plant.inside.units, strict=False)]  # fmt: skip
    seen = [model.outputs.index(name) for name in (*ATTITUDE, *RATE, *plant.speeds, *moved)]
    linear = model.simulated(inputs, start_of(model, plant))[:, seen]
    wheels = scenario.plant.spacecraft.part('reaction_wheels')
    stored = wheels.momenta(SPEEDS, omega) @ wheels.axes_B + 0.5 * omega
    balance = np.cross(omega, plant.inside.mass[:3, :3] @ omega + stored)
    for load in scenario.plant.environment.turning:
        balance = balance - load.torque_B(scenario.plant.body, scenario.initial, 0.0)
    size = 1e-4
    difference = (flown(size, rate, balance) - flown(-size, rate, balance)) / (2.0 * size)
    assert np.abs(linear).max(axis=0).min() > 0.2  # all of it moves
    assert difference == pytest.approx(linear, rel=1e-7, abs=error)
