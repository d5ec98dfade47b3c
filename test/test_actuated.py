# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Actuators with states of their own, against closed forms and equations in ω and Ω.

References: DOP853 of SciPy on the Newton-Euler equations in angular velocity and wheel speeds, a
mass matrix solved in every call, which share nothing with the momentum form.
"""

import math

import numpy as np
import pytest
from scipy.integrate import simpson, solve_ivp

from spacecraft_attitude_sim.core import simulation, ticks
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.environment.circular_orbit import CircularOrbit
from spacecraft_attitude_sim.core.equations.loaded import NUTATION_ANGLE
from spacecraft_attitude_sim.core.equations.momentum import SUBSTEP_ANGLE
from spacecraft_attitude_sim.core.equations.multibody.tick import LARGEST_DRAIN, LARGEST_SWING
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import cross
from spacecraft_attitude_sim.core.parts.control_moment_gyros.description import (
    ControlMomentGyro,
    ControlMomentGyros,
)
from spacecraft_attitude_sim.core.parts.coordinates.description import Coordinates
from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.parts.craft import END
from spacecraft_attitude_sim.core.parts.first_order_lag import lagging, line, longest_line
from spacecraft_attitude_sim.core.parts.magnetorquers.description import (
    Magnetorquer,
    Magnetorquers,
)
from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum, Pendulums
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import (
    ReactionWheels,
    WheelDynamics,
)
from spacecraft_attitude_sim.core.parts.thrusters.description import Thruster, Thrusters
from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug, ViscousSlugs
from spacecraft_attitude_sim.core.simulation import plant_of
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS, Ticks

OBLIQUE = np.array([(1.0, 0.2, 0.1), (-0.1, 1.0, 0.3), (0.2, -0.2, 1.0), (0.6, 0.5, 0.62)])
OBLIQUE /= np.linalg.norm(OBLIQUE, axis=1)[:, np.newaxis]
INERTIA = np.array([(2.0, 0.1, -0.05), (0.1, 2.5, 0.08), (-0.05, 0.08, 3.0)])
REST = np.zeros(3)
LEVEL = np.array((1.0, 0.0, 0.0, 0.0))


def wheels_of(*dynamics, axes=((1.0, 0.0, 0.0),), inertia=0.05, torque=np.inf, tick=TICK_SECONDS):
    """Return wheels of one inertia and largest torque."""
    names = tuple('abcdefgh'[: len(dynamics)])
    count = len(dynamics)
    return ReactionWheels(
        names, np.array(axes), np.full(count, inertia), np.full(count, torque), dynamics, tick,
        detailed=True,
    )  # fmt: skip


def flown(plant, state, inputs, ticks, first=0):
    """Return the States of all ticks; inputs: an Inputs, or a function of the tick."""
    states = [state]
    for tick in range(first, first + ticks):
        given = inputs(tick) if callable(inputs) else inputs
        states.append(simulation.step(plant, states[-1], given, tick))
    return states


def book_error(plant, first, last):
    """Return what the energy book leaves unexplained [J]."""
    craft = plant.spacecraft
    gained = craft.kinetic_energy(last) - craft.kinetic_energy(first)
    book = craft.energy_book(last)
    return gained - (book['motors'] - book['heat'] + book['loads'])


def speeds_of(plant, states):
    """Return the speeds (n, N) of the wheels [rad/s]."""
    return np.array([plant.spacecraft.wheel_speeds(state) for state in states])


# --- wheels: closed forms on one axis --------------------------------------------------------

ONE_AXIS = RigidBody(10.0, np.diag((2.0, 2.5, 3.0)))
EFFECTIVE = 1.0 / (1.0 / 0.05 + 1.0 / 1.95)  # inertia against which a torque inside acts


def test_a_wheel_turns_the_body_back_exactly():
    plant = plant_of(ONE_AXIS, parts=(wheels_of(WheelDynamics(max_speed=1000.0)),))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.zeros(1))
    last = flown(plant, state, Inputs(wheel_torque=np.array((0.01,))), 3200)[-1]
    assert plant.spacecraft.angular_velocity_B(last)[0] == pytest.approx(-1 / 1.95, rel=1e-11)
    speed = 0.01 * 100 / 0.05 + 1.0 / 1.95
    assert plant.spacecraft.wheel_speeds(last)[0] == pytest.approx(speed, rel=1e-11)
    assert last.angular_momentum_W.tolist() == [0.0, 0.0, 0.0]


def test_friction_slows_a_wheel_exponentially_and_stops_it_for_ever():
    viscous, coulomb = 1e-3, 2e-3
    wheels = wheels_of(WheelDynamics(viscous=viscous, coulomb=coulomb))
    plant = plant_of(ONE_AXIS, parts=(wheels,))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.array((100.0,)))
    stop = EFFECTIVE / viscous * math.log(1.0 + viscous * 100.0 / coulomb)
    assert stop == pytest.approx(191.6764996, abs=1e-7)
    states = flown(plant, state, Inputs(), 6400)
    times = np.arange(6401) * TICK_SECONDS
    floor = coulomb / viscous
    expected = (100.0 + floor) * np.exp(-viscous / EFFECTIVE * times) - floor
    speeds = speeds_of(plant, states)[:, 0]
    turning = times < stop
    assert np.max(np.abs(speeds - expected)[turning]) < 1e-10  # round-off of 6000 ticks
    assert not speeds[~turning].any()
    assert {state.angular_momentum_W.tobytes() for state in states} == {
        state.angular_momentum_W.tobytes()
    }
    # Where it stopped: the whole turns as one, with the momentum there always was.
    omega = plant.spacecraft.angular_velocity_B(states[-1])
    assert np.allclose(omega, np.linalg.solve(ONE_AXIS.inertia, states[-1].angular_momentum_W),
                       rtol=1e-13, atol=0)  # fmt: skip
    assert plant.spacecraft.energy_book(states[-1])['heat'] == pytest.approx(
        0.5 * EFFECTIVE * 100.0**2, rel=1e-10
    )
    assert abs(book_error(plant, state, states[-1])) < 1e-9


@pytest.mark.parametrize(('substeps', 'most', 'within'), [(0, 204.8, 2e-7), (128, 32.0, 1e-4)])
def test_friction_as_stiff_as_is_followed_heats_as_it_must_and_stiffer_is_refused(
    substeps, most, within
):
    """Speed falls by e^-most in a tick. What is left is the quadrature of Ω² in a sub-step.

    Of 0.05 and of 0.25 of the speed: 1.3e-7 and, with its fourth power, 625 times that.
    """
    viscous = most / TICK_SECONDS * EFFECTIVE
    wheels = wheels_of(WheelDynamics(viscous=viscous * (1.0 - 1e-9)))
    plant = plant_of(ONE_AXIS, parts=(wheels,), substeps=substeps)
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.array((100.0,)))
    last = flown(plant, state, Inputs(), 1)[-1]
    energy = 0.5 * EFFECTIVE * 100.0**2
    assert plant.spacecraft.energy_book(last)['heat'] == pytest.approx(energy, rel=within)
    # Quaternions within a step are not quite unit: a speed of 4e-10 rad/s in 128 steps.
    assert abs(plant.spacecraft.wheel_speeds(last)[0]) < 2e-9
    torque = 0.001 * viscous  # against which a speed of 1e-3 rad/s is kept
    driven = flown(plant, last, Inputs(wheel_torque=np.array((torque,))), 1)[-1]
    assert plant.spacecraft.wheel_speeds(driven)[0] == pytest.approx(1e-3, abs=2e-9)
    stiffer = wheels_of(WheelDynamics(viscous=viscous * 1.001))
    words = (
        rf'wheel\.a\.friction\.viscous is .* N m s: .*0\.05 kg m\^2 at .* 1/s, and '
        rf'{substeps or 4096} sub-steps in a tick of 0\.03125 s follow .* 1/s; give at most '
        rf'{viscous:g} N m s'
    )
    with pytest.raises(ValueError, match=words):
        plant_of(ONE_AXIS, parts=(stiffer,), substeps=substeps)


def test_a_torque_below_static_friction_moves_nothing_and_one_above_does():
    wheels = wheels_of(WheelDynamics(coulomb=1e-3, static=2e-3))
    plant = plant_of(ONE_AXIS, parts=(wheels,))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.zeros(1))
    last = flown(plant, state, Inputs(wheel_torque=np.array((1.999e-3,))), 32 * 3600)[-1]
    assert plant.spacecraft.wheel_speeds(last).tolist() == [0.0]
    assert plant.spacecraft.angular_velocity_B(last).tolist() == [0.0, 0.0, 0.0]
    moved = flown(plant, last, Inputs(wheel_torque=np.array((2.001e-3,))), 32)[-1]
    assert plant.spacecraft.wheel_speeds(moved)[0] == pytest.approx(
        (2.001e-3 - 1e-3) / EFFECTIVE, rel=1e-12
    )


def test_static_friction_gives_what_the_motor_leaves_of_the_torque_that_turns_a_wheel_along():
    """It takes 1.5 mN m to turn the wheel along: the motor gives these, or as much backwards."""
    wheels = wheels_of(WheelDynamics(coulomb=1e-3, static=2e-3))
    plant = plant_of(ONE_AXIS, parts=(wheels,))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.zeros(1))
    push = np.array((0, 0, 0, 0.06, *np.zeros(8)))

    def speed(motor):
        inputs = Inputs(push, wheel_torque=np.array((motor,)))
        return plant.spacecraft.wheel_speeds(flown(plant, state, inputs, 32)[-1])[0]

    assert speed(1.5e-3) == 0.0
    slipping = (1e-3 - 1.5e-3) / 0.05 - (0.06 + 1.5e-3 - 1e-3) / 1.95
    assert speed(-1.5e-3) == pytest.approx(slipping, rel=1e-12)


def test_a_stuck_wheel_is_part_of_the_body():
    body = RigidBody(10.0, INERTIA)
    wheels = wheels_of(*(WheelDynamics(coulomb=10.0),) * 4, axes=OBLIQUE, inertia=0.02)
    plant, rigid = plant_of(body, parts=(wheels,), substeps=8), plant_of(body, substeps=8)
    omega = np.array((0.3, -0.2, 0.4))
    state = plant.spacecraft.state(REST, LEVEL, REST, omega)
    alone = rigid.spacecraft.state(REST, LEVEL, REST, omega)
    for _ in range(640):
        state, alone = simulation.step(plant, state), simulation.step(rigid, alone)
    assert np.allclose(state.q_WB, alone.q_WB, rtol=0, atol=1e-12)
    assert state.angular_momentum_W.tolist() == pytest.approx(
        alone.angular_momentum_W.tolist(), rel=1e-15
    )
    assert not plant.spacecraft.wheel_speeds(state).any()


def test_the_largest_speed_is_reached_and_never_passed():
    wheels = wheels_of(WheelDynamics(max_speed=10.3, coulomb=1e-3, viscous=1e-4))
    plant = plant_of(ONE_AXIS, parts=(wheels,))
    state = plant.spacecraft.state(REST, LEVEL, REST, np.array((0.01, 0.02, 0.3)), np.zeros(1))
    inputs = lambda tick: Inputs(wheel_torque=np.array((0.013 if tick < 4000 else -0.013,)))  # noqa: E731
    states = flown(plant, state, inputs, 6400)
    speeds = speeds_of(plant, states)[:, 0]
    assert np.max(np.abs(speeds)) == 10.3
    assert (speeds[2000:4001] == 10.3).all()
    assert speeds[4001] < 10.3
    assert np.diff(speeds)[4000:].max() < 0.0 or speeds[-1] == -10.3
    assert abs(book_error(plant, state, states[-1])) < 1e-10


@pytest.mark.parametrize(
    'limit, most',
    [
        ({'max_power': 0.5}, lambda speed: 0.5 / speed),
        (
            {'supply_voltage': 12.0, 'torque_constant': 0.05, 'winding_resistance': 40.0},
            lambda speed: 0.05 * (12.0 - 0.05 * speed) / 40.0,
        ),
    ],
)
def test_power_and_voltage_limit_what_accelerates_not_what_brakes(limit, most):
    plant = plant_of(ONE_AXIS, parts=(wheels_of(WheelDynamics(**limit), torque=0.01),), substeps=4)
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.array((150.0,)))
    given = Inputs(wheel_torque=np.array((1.0,)))

    def pull(_, speed):
        return [min(0.01, most(speed[0])) / EFFECTIVE]

    last = flown(plant, state, given, 320)[-1]
    expected = solve_ivp(pull, (0, 10.0), [150.0], rtol=1e-12, atol=1e-12).y[0, -1]
    assert plant.spacecraft.wheel_speeds(last)[0] == pytest.approx(expected, rel=1e-9)
    braked = flown(plant, state, Inputs(wheel_torque=np.array((-1.0,))), 320)[-1]
    assert plant.spacecraft.wheel_speeds(braked)[0] == pytest.approx(
        150.0 - 0.01 * 10.0 / EFFECTIVE, rel=1e-12
    )


@pytest.mark.parametrize('way', [1.0, -1.0])
def test_a_motor_gives_nothing_above_its_no_load_speed(way):
    one = WheelDynamics(supply_voltage=12.0, torque_constant=0.05, winding_resistance=40.0)
    plant = plant_of(ONE_AXIS, parts=(wheels_of(one),))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.array((way * 300.0,)))
    last = flown(plant, state, Inputs(wheel_torque=np.array((way,))), 32)[-1]
    # No-load speed 240 rad/s. No friction, so nothing changes the speed but round-off.
    assert plant.spacecraft.wheel_speeds(last)[0] == pytest.approx(way * 300.0, rel=1e-14)


@pytest.mark.parametrize('x', [1e-4, 0.049, 0.051, 0.7, 6.0, 80.0])
def test_the_line_of_a_decay_has_its_integral_its_first_moment_and_its_end(x):
    """From 5 to 2 in a lag of 0.4 s; of the second moment it leaves out no more than is said."""
    lag, h = 0.4, 0.4 * x
    a, b, last = line(5.0, 2.0, lag, h)
    assert (last, lagging(5.0, 2.0, lag, h)) == pytest.approx((2.0 + 3.0 * math.exp(-x),) * 2)
    points, weights = np.polynomial.legendre.leggauss(60)
    t = 0.5 * h * (1.0 + points)
    left = 0.5 * h * weights * (2.0 + 3.0 * np.exp(-t / lag) - (a + b * t))
    size = 3.0 * h * min(x, 1.0 / x)
    assert abs(left.sum()) < 1e-9 * size
    assert abs(left @ t) < 1e-9 * size * h
    most = 3.0 * h**3 * min(x * x / 360.0, 1.0 / (6.0 * x))
    assert abs(left @ (t * t)) < most
    # The longest step in which a line may replace it is the one with just that error.
    assert longest_line(3.0, lag, most) == pytest.approx(h, rel=1e-12)


def test_what_has_no_lag_or_is_there_does_not_decay():
    assert line(5.0, 2.0, 0.0, 0.1) == line(2.0, 2.0, 0.4, 0.1) == (2.0, 0.0, 2.0)
    assert line(5.0, 2.0, 0.4, 0.0) == (5.0, 0.0, 5.0)
    assert lagging(5.0, 2.0, 0.0, 0.1) == lagging(2.0, 2.0, 0.4, 0.1) == 2.0
    assert longest_line(3.0, 0.0, 1e-9) == longest_line(0.0, 0.4, 1e-9) == math.inf


def test_speeds_are_relative_to_the_body_whatever_it_and_the_axes_do():
    wheels = wheels_of(*[WheelDynamics()] * 4, axes=OBLIQUE)
    craft = plant_of(RigidBody(10.0, INERTIA), parts=(wheels,)).spacecraft
    asked = np.array((30.0, -20.0, 0.0, 50.0))
    state = craft.state(REST, LEVEL, REST, np.array((3.0, -5.0, 7.0)), asked)
    assert craft.wheel_speeds(state) == pytest.approx(asked, abs=1e-12)


@pytest.mark.parametrize('dead_time', [0.0, 0.01, 0.03125, 0.1])
@pytest.mark.parametrize('lag', [0.0, 0.002, 0.5])
def test_lag_and_dead_time_of_a_step_of_torque(lag, dead_time):
    wheels = wheels_of(WheelDynamics(torque_lag=lag, dead_time=dead_time, max_speed=1e6))
    plant = plant_of(ONE_AXIS, parts=(wheels,))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.zeros(1))
    states = flown(plant, state, Inputs(wheel_torque=np.array((0.02,))), 64)
    since = np.maximum(0.0, np.arange(65) * TICK_SECONDS - dead_time)
    gained = since - (lag * -np.expm1(-since / lag) if lag else 0.0)
    speeds = speeds_of(plant, states)[:, 0]
    assert np.allclose(speeds, 0.02 * gained / EFFECTIVE, rtol=1e-11, atol=1e-14)
    # The turn of the body, its first moment: exact about one axis.
    turned = 2.0 * np.arctan2(states[-1].q_WB[1], states[-1].q_WB[0])
    t = since[-1]
    double = 0.5 * t * t - (lag * (t - lag * -math.expm1(-t / lag)) if lag else 0.0)
    assert turned == pytest.approx(-0.02 * double / 1.95, rel=1e-10)


@pytest.mark.parametrize('rate', [10, 32])
def test_the_servo_of_speed_has_the_stated_bandwidth_at_any_rate(rate):
    from spacecraft_attitude_sim.core.ticks import Ticks

    ticks = Ticks(10**9 // rate)
    one = WheelDynamics(speed_bandwidth=2.0, viscous=1e-3, coulomb=1e-3)
    plant = plant_of(ONE_AXIS, parts=(wheels_of(one, tick=1.0 / rate),), ticks=ticks)
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.array((20.0,)))
    asked = Inputs(wheel_speed=np.array((50.0,)), wheel_torque=np.array((7.0,)))
    speeds = speeds_of(plant, flown(plant, state, asked, 5 * rate))[:, 0]
    times = np.arange(len(speeds)) / rate
    # Drag is known at the speed that is wanted; its part c (50 - Ω) is small beside 2/s J*.
    assert np.allclose(50.0 - speeds, 30.0 * np.exp(-2.0 * times), rtol=0, atol=0.25)
    assert speeds[-1] == pytest.approx(50.0, abs=3e-3)


def test_the_servo_adds_the_drag_at_the_speed_that_is_wanted():
    """Motor torque constant in a tick: J* dΩ/dt = u - c Ω - f has a closed form."""
    viscous, coulomb, bandwidth = 0.05, 1e-3, 2.0
    one = WheelDynamics(speed_bandwidth=bandwidth, viscous=viscous, coulomb=coulomb)
    plant = plant_of(ONE_AXIS, parts=(wheels_of(one),), substeps=4)
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.array((20.0,)))
    last = flown(plant, state, Inputs(wheel_speed=np.array((50.0,))), 1)[-1]
    gain = -math.expm1(-bandwidth * TICK_SECONDS) / TICK_SECONDS
    driven = gain * 30.0 * EFFECTIVE + viscous * 50.0  # and the Coulomb friction, which it meets
    left = math.exp(-viscous * TICK_SECONDS / EFFECTIVE)
    expected = driven / viscous + (20.0 - driven / viscous) * left
    # RK4 with four steps of c h / J* = 8e-3: 1e-11 of the change.
    assert plant.spacecraft.wheel_speeds(last)[0] == pytest.approx(expected, rel=1e-10)


def test_the_servo_takes_a_wheel_off_its_largest_speed():
    one = WheelDynamics(speed_bandwidth=2.0, max_speed=100.0)
    plant = plant_of(ONE_AXIS, parts=(wheels_of(one),))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.array((99.0,)))
    fastest = flown(plant, state, Inputs(wheel_torque=np.array((1.0,))), 32)[-1]
    assert plant.spacecraft.wheel_speeds(fastest).tolist() == [100.0]
    last = flown(plant, fastest, Inputs(wheel_speed=np.array((60.0,))), 64, 32)[-1]
    assert plant.spacecraft.wheel_speeds(last)[0] == pytest.approx(
        60.0 + 40.0 * math.exp(-4.0), rel=1e-9
    )


def test_sub_steps_are_as_many_as_the_torque_of_motors_needs():
    """A body at rest that one motor turns by 0.08 rad in a tick, about no principal axis."""
    wheels = wheels_of(WheelDynamics(max_speed=1e6), axes=OBLIQUE[3:], torque=400.0)
    state, asked = None, Inputs(wheel_torque=np.array((400.0,)))
    ends = []
    for substeps in (0, 256):
        plant = plant_of(RigidBody(10.0, INERTIA), parts=(wheels,), substeps=substeps)
        state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.zeros(1))
        ends.append(flown(plant, state, asked, 1)[-1].q_WB)
    assert ends[1][0] < math.cos(0.04)
    assert np.linalg.norm(np.subtract(*ends)) < 1e-13  # one step has 4e-9


FIELD_W = np.array((0.0, 3.0, 4.0))  # [T]: huge, so that small dipoles take many steps
JETS = Thrusters(
    ('a', 'b'),
    (Thruster((0.0, 3.0, 0.0), (1.0, 0.0, 0.0), 4.0),
     Thruster((-2.0, 0.0, 0.0), (0.0, 0.6, 0.8), 10.0)),
)  # fmt: skip
AT_CENTRE = Thrusters(
    ('a', 'b'), tuple(Thruster(REST, one.direction_B, one.max_force) for one in JETS.thrusters)
)
COILS = (Magnetorquer((1.0, 0.0, 0.0), 0.7), Magnetorquer((0.0, 1.0, 0.0), 0.4))
SLOWED = ReactionWheels(
    ('y', 'z'), np.eye(3)[1:], np.full(2, 0.05), np.full(2, 9.0),
    (WheelDynamics(coulomb=0.3, viscous=0.01), WheelDynamics(coulomb=0.2, viscous=0.01)),
    detailed=True,
)  # fmt: skip
SLOSH = Pendulums({'tank': Pendulum((0.0, 0.0, 0.0), (0.0, 0.0, -1.0), 0.5, 0.35)})
THICK = Pendulums({'tank': Pendulum((0.0, 0.0, 0.0), (0.0, 0.0, -1.0), 0.5, 0.4, 0.6)})
OIL = ViscousSlugs({'oil': ViscousSlug(0.04, 0.3)})
BALL = Coordinates({'x': SlidingMass(REST, (1.0, 0.0, 0.0), 2.0, stiffness=8.0)})
DAMPER = Coordinates({'x': SlidingMass(REST, (1.0, 0.0, 0.0), 2.0, damping=5.0)})


@pytest.mark.parametrize(
    ('parts', 'count'),
    [
        # 12 and 20 N m; the dipoles and the body's own across 5 T: for 1 s on 2 kg m^2.
        ((JETS,), 32.0 / 2.0 / SUBSTEP_ANGLE),
        ((Magnetorquers(('x', 'y'), COILS, (0.0, 0.3, -0.4)),), 5.0 * 1.6 / 2.0 / SUBSTEP_ANGLE),
        # Stored: 5 and 10 N m s; drag: 1.3 and 2.2 N m.
        ((SLOWED,), (math.hypot(5.0, 10.0) + 3.5) / 2.0 / NUTATION_ANGLE),
        # 14 N press on 10 kg: a pendulum of 0.35 m swings as in 1.4 m/s^2, twice as fast at most.
        ((AT_CENTRE, SLOSH), 2.0 * math.sqrt(1.4 / 0.35) / LARGEST_SWING),
        # 0.08 kg m^2 about the pivot against 1.92, 0.04 against 1.96; a fifth more for all four.
        ((THICK,), 1.2 * 0.6 * (1.0 / 0.08 + 1.0 / 1.92) / LARGEST_DRAIN),
        ((OIL,), 1.2 * 0.3 * (1.0 / 0.04 + 1.0 / 1.96) / LARGEST_DRAIN),
        # 2 kg against 8 kg, on a spring and in a damper.
        ((BALL,), 1.2 * math.sqrt(8.0 / 1.6) / LARGEST_SWING),
        ((DAMPER,), 1.2 * 5.0 / 1.6 / LARGEST_DRAIN),
        # 3 μ/r³ = 3 /s^2 times the trace, which is above the largest moment.
        ((AT_CENTRE,), 3.0 * 7.5 / 2.0 / SUBSTEP_ANGLE),
    ],
    ids=[
        'thrusters',
        'dipoles',
        'wheels',
        'pendulum',
        'rod in oil',
        'slug',
        'spring',
        'damper',
        'gravity',
    ],
)
def test_sub_steps_are_as_many_as_the_bounds_of_all_that_acts_say(parts, count):
    around = {} if parts[-1] is AT_CENTRE else {'magnetic_field_W': FIELD_W}
    around = around or {'orbit': CircularOrbit(2.0, np.eye(3)[2], np.eye(3)[0], 8.0)}
    plant = plant_of(ONE_AXIS, parts=parts, ticks=Ticks(10**9), **around)
    speeds = np.array((100.0, -200.0)) if parts[0] is SLOWED else None
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, speeds)
    assert plant.solver.steps(plant, state, np.zeros(12)) == math.ceil(count * (1.0 - 1e-12))


def test_a_tachometer_that_lies_misleads_the_servo():
    one = WheelDynamics(speed_bandwidth=2.0, tachometer_gain=0.5, tachometer_bias=1.0)
    plant = plant_of(ONE_AXIS, parts=(wheels_of(one),))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.array((20.0,)))
    last = flown(plant, state, Inputs(wheel_speed=np.array((50.0,))), 640)[-1]
    assert plant.spacecraft.wheel_speeds(last)[0] == pytest.approx(98.0, rel=1e-6)


def test_imbalance_shakes_the_body_by_an_angle_that_does_not_depend_on_the_speed():
    skew, heavy = 1e-5, 2e-5
    for speed in (40.0, 400.0):
        one = WheelDynamics(dynamic_imbalance=skew, static_imbalance=heavy, max_speed=1e5)
        wheels = wheels_of(one, axes=((0.0, 0.0, 1.0),), inertia=1e-7)
        plant = plant_of(RigidBody(10.0, np.diag((2.0, 2.0, 3.0))), parts=(wheels,))
        # At rest in the mean: with the velocities of a steady shake.
        shaken, omega = np.array((0.0, -heavy * speed / 10.0, 0.0)), skew * speed / 2.0
        omega_B = np.array((omega, 0.0, 0.0))
        state = plant.spacecraft.state(REST, LEVEL, shaken, omega_B, np.array((speed,)))
        states = flown(plant, state, Inputs(), 320)
        times = np.arange(321) * TICK_SECONDS
        tilt = np.array([2.0 * s.q_WB[1:3] for s in states])
        place = np.array([s.position_W for s in states])
        for seen, size in ((tilt, skew / 2.0), (place[:, :2], heavy / 10.0)):
            drift = np.stack((np.ones_like(times), times), axis=1)
            wave = np.stack((np.cos(speed * times), np.sin(speed * times)), axis=1)
            found, residual, _, _ = np.linalg.lstsq(
                np.concatenate((drift, wave), axis=1), seen, rcond=None
            )
            assert np.linalg.norm(found[2:], axis=0) == pytest.approx([size, size], rel=1e-3)


def test_imbalance_away_from_the_centre_of_mass_turns_the_body_by_its_arm():
    """Force U_s Ω² in the wheel's plane at a distance a along its axis: torque a U_s Ω²."""
    heavy, arm, speed = 2e-5, 0.5, 300.0
    one = WheelDynamics(static_imbalance=heavy, position_B=(0.0, 0.0, arm), max_speed=1e5)
    wheels = wheels_of(one, axes=((0.0, 0.0, 1.0),), inertia=1e-7)
    plant = plant_of(RigidBody(10.0, np.diag((2.0, 2.0, 3.0))), parts=(wheels,))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.array((speed,)))
    for tick in range(8):
        state = simulation.step(plant, state, Inputs(), tick)
    phase = speed * 8 * TICK_SECONDS
    # ∫ a U_s Ω² (-sin Ωt, cos Ωt) dt, the moment of (cos Ωt, sin Ωt, 0) at (0, 0, a).
    gained = arm * heavy * speed * np.array((math.cos(phase) - 1.0, math.sin(phase)))
    assert state.angular_momentum_W[:2] == pytest.approx(gained, rel=1e-3, abs=1e-8)


def shaken_by_imbalance(speed, torque, **more):
    """Return the momentum (2,) that eight ticks of an unbalanced wheel give across its axis.

    The body is so heavy that neither its tilt nor its turn counts. Sub-steps are automatic: one a
    tick.
    """
    one = WheelDynamics(static_imbalance=2e-5, position_B=(0.0, 0.0, 0.5), max_speed=1e5, **more)
    wheels = wheels_of(one, axes=((0.0, 0.0, 1.0),), inertia=1e-7)
    plant = plant_of(RigidBody(1e4, np.diag((2e5, 2e5, 3e5))), parts=(wheels,))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.array((speed,)))
    given = Inputs(wheel_torque=np.array((torque,)))
    return flown(plant, state, given, 8)[-1].angular_momentum_W[:2]


def integral_of_imbalance(angle_of, speed_of):
    """Return the same by quadrature: ∫ a U_s Ω² (-sin θ, cos θ) dt."""
    time = np.linspace(0.0, 8 * TICK_SECONDS, 40001)
    angle, size = angle_of(time), 0.5 * 2e-5 * speed_of(time) ** 2
    return np.array([simpson(size * wave, x=time) for wave in (-np.sin(angle), np.cos(angle))])


# The torque of the motor, or friction with none: Coulomb friction slows evenly, too.
@pytest.mark.parametrize(
    ('speed', 'gain', 'torque', 'friction'),
    [
        (0.0, 1000.0, 1e-4, {}), (300.0, 1000.0, 1e-4, {}), (-40.0, 300.0, 3e-5, {}),
        (300.0, -800.0, 0.0, {'coulomb': 8e-5}), (600.0, -800.0, 2e-5, {'coulomb': 1e-4}),
    ],
)  # fmt: skip
def test_the_imbalance_of_a_wheel_that_accelerates_has_its_speed_of_every_moment(
    speed, gain, torque, friction
):
    """With Ω = Ω_0 + α t: from rest, fast, through zero, braked."""
    expected = integral_of_imbalance(
        lambda t: (speed + 0.5 * gain * t) * t, lambda t: speed + gain * t
    )
    # The body tilts by 1e-8 rad, and with it the load of 3e-3 by 1e-11.
    found = shaken_by_imbalance(speed, torque, **friction)
    assert found == pytest.approx(expected, abs=1e-11)


def test_the_imbalance_of_a_wheel_whose_motor_lags_has_the_mean_torque_of_each_step():
    """Ω = Ω_0 + α (t - τ (1 - e^(-t/τ))); in a step α counts as even."""
    speed, gain, lag = 300.0, 1000.0, 0.5

    def speed_of(t):
        return speed + gain * (t + lag * np.expm1(-t / lag))

    def angle_of(t):
        return speed * t + gain * (0.5 * t * t - lag * (t + lag * np.expm1(-t / lag)))

    # In a step dα/dt is 2000 rad/s³. The cube of a step leaves 2e-3 rad of 5.6e-3 N m s; the
    # torque at the beginning of a step in place of the mean one leaves twice that.
    found = shaken_by_imbalance(speed, 1e-4, torque_lag=lag)
    assert found == pytest.approx(integral_of_imbalance(angle_of, speed_of), abs=1e-5)


@pytest.mark.parametrize('phase', [0.0, 0.7])
def test_the_dynamic_imbalance_is_ahead_of_the_static_one_by_its_phase(phase):
    """Torque U_d Ω² (-sin(Ωt + φ), cos(Ωt + φ), 0), the static imbalance being along Ωt."""
    skew, speed = 2e-5, 300.0
    one = WheelDynamics(dynamic_imbalance=skew, imbalance_phase=phase, max_speed=1e5)
    wheels = wheels_of(one, axes=((0.0, 0.0, 1.0),), inertia=1e-7)
    plant = plant_of(RigidBody(10.0, np.diag((2.0, 2.0, 3.0))), parts=(wheels,))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST, np.array((speed,)))
    state = flown(plant, state, Inputs(), 8)[-1]
    turned = speed * 8 * TICK_SECONDS + phase
    gained = np.array((math.cos(turned), math.sin(turned))) - (math.cos(phase), math.sin(phase))
    # The body tilts by 1e-3 rad, and with it the plane of the torque.
    assert state.angular_momentum_W[:2] == pytest.approx(skew * speed * gained, rel=2e-3, abs=1e-8)


# --- wheels: an independent integrator -------------------------------------------------------


def newton_euler(inertia, axes, axial, torques, drag):
    """Return d(q, ω, Ω)/dt of N wheels, the mass matrix solved.

    torques: function of time and speeds, of the motors;  drag: function of speeds
    """
    coupled = axes.T * axial  # (3, N)
    mass = np.block([[inertia, coupled], [coupled.T, np.diag(axial)]])

    def slope(time, y):
        q, omega, speeds = y[:4], y[4:7], y[7:]
        total = inertia @ omega + coupled @ speeds
        right = np.concatenate((-np.cross(omega, total), torques(time, speeds) + drag(speeds)))
        q_rate = 0.5 * np.array(rotations.quaternion_product(*q, 0.0, *omega))
        return np.concatenate((q_rate, np.linalg.solve(mass, right)))

    return slope


def test_four_oblique_wheels_with_friction_are_those_of_newton_and_euler():
    dynamics = WheelDynamics(
        viscous=2e-4, coulomb=1e-3, static=3e-3, stribeck_speed=4.0, torque_lag=0.2, max_power=0.6
    )
    axial = np.full(4, 0.02)
    plant = plant_of(
        RigidBody(10.0, INERTIA), substeps=16,
        parts=(wheels_of(*(dynamics,) * 4, axes=OBLIQUE, inertia=0.02),),
    )  # fmt: skip
    omega, speeds = np.array((0.1, -0.2, 0.15)), np.array((30.0, -40.0, 20.0, 60.0))
    torque = np.array((0.01, -0.02, 0.005, 0.004))
    state = plant.spacecraft.state(REST, LEVEL, REST, omega, speeds)
    states = flown(plant, state, Inputs(wheel_torque=torque), 640)

    def motors(time, now):
        asked = torque * -np.expm1(-time / 0.2)
        most = np.where(asked * now > 0.0, 0.6 / np.maximum(np.abs(now), 1e-9), np.inf)
        return np.clip(asked, -most, most)

    def drag(now):
        size = 1e-3 + 2e-3 * np.exp(-((now / 4.0) ** 2))
        return -2e-4 * now - np.sign(now) * size

    slope = newton_euler(INERTIA, OBLIQUE, axial, motors, drag)
    start = np.concatenate((LEVEL, omega, speeds))
    found = solve_ivp(slope, (0.0, 20.0), start, method='DOP853', rtol=1e-13, atol=1e-13).y[:, -1]
    last = states[-1]
    assert rotations.angle_between(last.q_WB, found[:4] / np.linalg.norm(found[:4])) < 1e-8
    assert np.allclose(plant.spacecraft.angular_velocity_B(last), found[4:7], rtol=0, atol=1e-8)
    assert np.allclose(plant.spacecraft.wheel_speeds(last), found[7:], rtol=0, atol=1e-6)
    assert {s.angular_momentum_W.tobytes() for s in states} == {state.angular_momentum_W.tobytes()}
    assert abs(book_error(plant, state, last)) < 1e-8


def test_wheels_driven_through_zero_stick_and_slip_as_events_say():
    """Four coupled wheels, each crossing zero: SciPy's events between smooth pieces."""
    coulomb, static, axial = 4e-3, 4e-3, 0.02
    plant = plant_of(
        RigidBody(10.0, INERTIA), substeps=8,
        parts=(wheels_of(*(WheelDynamics(coulomb=coulomb, static=static),) * 2,
                         axes=OBLIQUE[:2], inertia=axial),),
    )  # fmt: skip
    omega, speeds = np.array((0.1, -0.05, 0.3)), np.array((2.0, -3.0))
    torque = np.array((-0.02, 0.015))
    state = plant.spacecraft.state(REST, LEVEL, REST, omega, speeds)
    states = flown(plant, state, Inputs(wheel_torque=torque), 320)
    y, time, ways = np.concatenate((LEVEL, omega, speeds)), 0.0, np.sign(speeds)
    while time < 10.0:
        now = ways.copy()
        slope = newton_euler(
            INERTIA, OBLIQUE[:2], np.full(2, axial), lambda *_: torque,
            lambda _, now=now: -coulomb * now,
        )  # fmt: skip
        crossings = []
        for k in range(2):

            def crossing(_, y, k=k, way=ways[k]):
                return y[7 + k] * way + 1e-15

            crossing.terminal, crossing.direction = True, -1
            crossings.append(crossing)
        piece = solve_ivp(slope, (time, 10.0), y, method='DOP853', rtol=1e-12, atol=1e-13,
                          events=crossings)  # fmt: skip
        y, time = piece.y[:, -1], piece.t[-1]
        for k in range(2):
            if piece.t_events[k].size:  # these torques exceed static friction
                ways[k] = np.sign(torque[k])
                y[7 + k] = ways[k] * 1e-14
    assert np.allclose(plant.spacecraft.wheel_speeds(states[-1]), y[7:], rtol=0, atol=1e-8)
    assert rotations.angle_between(states[-1].q_WB, y[:4] / np.linalg.norm(y[:4])) < 1e-8
    assert abs(book_error(plant, state, states[-1])) < 1e-9


@pytest.mark.parametrize('lag', [0.5, 0.13])
def test_wheels_with_lag_leave_their_largest_speed_when_the_exponential_says(lag):
    """Two wheels reach it, are held, and are reversed at 4 s: SciPy's events in between.

    Automatic sub-steps; the line in the exponential's place errs by 6e-10 rad with a lag of 0.5 s.
    """
    top, axial, torque, turned_at = 50.0, 0.02, np.array((0.5, -0.4)), 4.0
    one, axes = WheelDynamics(max_speed=top, torque_lag=lag), OBLIQUE[:2]
    plant = plant_of(
        RigidBody(10.0, INERTIA), parts=(wheels_of(one, one, axes=axes, inertia=axial),)
    )
    omega, ways = np.array((0.1, -0.08, 0.12)), np.array((1.0, -1.0))
    speeds = ways * (top - 0.02)
    state = plant.spacecraft.state(REST, LEVEL, REST, omega, speeds)
    turned = int(turned_at / TICK_SECONDS)
    asked = lambda tick: Inputs(wheel_torque=torque if tick < turned else -torque)  # noqa: E731
    last = flown(plant, state, asked, turned + 28)[-1]

    def drives(time):
        before = torque * -math.expm1(-min(time, turned_at) / lag)
        after = -torque + (before + torque) * math.exp(-(time - turned_at) / lag)
        return before if time < turned_at else after

    def rates(time, y, free):
        w, coupled = y[4:7], axes[free].T * axial
        total = INERTIA @ w + axes.T @ (axial * y[7:])
        mass = np.block([[INERTIA, coupled], [coupled.T, axial * np.eye(int(np.sum(free)))]])
        found = np.linalg.solve(mass, np.concatenate((-np.cross(w, total), drives(time)[free])))
        speeding = np.zeros(2)
        speeding[free] = found[3:]
        q_rate = 0.5 * np.array(rotations.quaternion_product(*y[:4], 0.0, *w))
        return np.concatenate((q_rate, found[:3], speeding))

    def beyond(time, y, free, k):
        """Positive where wheel k must change: its speed, or the torque that is to hold it."""
        if free[k]:
            return ways[k] * y[7 + k] - top
        needed = axial * axes[k] @ rates(time, y, free)[4:7]
        return ways[k] * (needed - drives(time)[k])

    end, time, free = turned_at + 28 * TICK_SECONDS, 0.0, np.array((True, True))
    y, changes = np.concatenate((LEVEL, omega, speeds)), 0
    while time < end:
        events, now = [], free.copy()
        for k in range(2):
            events.append(lambda t, y, now=now, k=k: beyond(t, y, now, k))
            events[-1].terminal, events[-1].direction = True, 1
        piece = solve_ivp(
            lambda t, y, now=now: rates(t, y, now),
            (time, turned_at if time < turned_at else end), y, 'DOP853', rtol=3e-14, atol=1e-15,
            events=events, max_step=0.1,
        )  # fmt: skip
        y, time = piece.y[:, -1], piece.t[-1]
        for k in range(2):
            if piece.t_events[k].size:
                free[k], changes = not free[k], changes + 1
                y[7 + k] = ways[k] * (top - 1e-14 * free[k])
    assert changes == 4  # each is held once, and freed once
    assert rotations.angle_between(last.q_WB, y[:4] / np.linalg.norm(y[:4])) < 1e-10
    assert np.allclose(plant.spacecraft.angular_velocity_B(last), y[4:7], rtol=0, atol=1e-10)
    assert np.allclose(plant.spacecraft.wheel_speeds(last), y[7:], rtol=0, atol=1e-9)


# --- thrusters -------------------------------------------------------------------------------


@pytest.mark.parametrize('lag', [0.0, 0.004, 0.2])
@pytest.mark.parametrize('on_time', [0.0101, 0.02, 0.09])
@pytest.mark.parametrize('phase', [0.0, 0.0123, 0.05])
def test_a_pulse_has_the_impulse_of_its_on_time_at_any_phase_and_lag(lag, on_time, phase):
    one = Thruster(
        (0.0, 0.5, 0.1), (0.0, 0.0, 1.0), 0.9, period=1000.0, rise_time=lag, fall_time=lag,
        open_delay=phase, close_delay=phase, specific_impulse=220.0,
    )  # fmt: skip
    plant = plant_of(RigidBody(10.0, np.diag((5e7, 5e7, 5e7))),
                     parts=(Thrusters(('a',), (one,)),))  # fmt: skip
    state = plant.spacecraft.state(REST, LEVEL, REST, REST)
    given = Inputs(thrust=np.array((0.9 * on_time / 1000.0,)))
    states = flown(plant, state, given, 32 * (2 if lag < 0.1 else 8))
    craft = plant.spacecraft
    impulse = np.linalg.norm(states[-1].momentum_W)
    assert impulse == pytest.approx(0.9 * on_time, rel=1e-9 if lag < 0.1 else 1e-8)
    if not lag:
        assert impulse == pytest.approx(0.9 * on_time, rel=1e-14)
    own = states[-1].internal[craft.layout.of('thrusters')]
    assert craft.part('thrusters').used(own)[0] == pytest.approx(
        impulse / (220.0 * 9.80665), rel=1e-8
    )
    assert states[-1].angular_momentum_W[0] == pytest.approx(0.5 * 0.9 * on_time, rel=1e-6)


def test_pulses_below_the_shortest_are_carried_over_or_lost():
    spent = {}
    for carry in (True, False):
        one = Thruster((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1.0, period=0.1, min_on_time=0.01,
                       carry=carry)  # fmt: skip
        plant = plant_of(RigidBody(1.0, np.eye(3)), parts=(Thrusters(('a',), (one,)),))
        state = plant.spacecraft.state(REST, LEVEL, REST, REST)
        last = flown(plant, state, Inputs(thrust=np.array((0.03,))), 320)[-1]
        spent[carry] = last.momentum_W[0]
    # 3 ms a period become 12 ms in every fourth, all of 25 of the hundred.
    assert spent == {True: pytest.approx(0.3, rel=1e-12), False: 0.0}


def test_what_is_owed_beyond_a_full_period_opens_the_valve_in_the_next():
    """10 ms carried over and then a whole period: 10 ms more are left for the third."""
    period = 4 * TICK_SECONDS
    one = Thruster((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1.0, period=period, min_on_time=0.02)
    plant = plant_of(RigidBody(1.0, np.eye(3)), parts=(Thrusters(('a',), (one,)),))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST)
    wanted = (0.01, period, 0.05)
    states = flown(plant, state, lambda t: Inputs(thrust=np.array((wanted[t // 4] / period,))), 12)
    spent = [now.momentum_W[0] for now in states[::4]]
    assert spent == pytest.approx([0.0, 0.0, period, period + 0.06], rel=1e-13, abs=1e-15)


def test_a_schmitt_trigger_gives_the_shortest_on_time_or_none():
    """From 0.75 of it on, until 0.25 or less; a longer on-time is given and opens it, too."""
    period, shortest = 4 * TICK_SECONDS, 0.02
    one = Thruster((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1.0, period=period, min_on_time=shortest,
                   level_on=0.75, level_off=0.25)  # fmt: skip
    plant = plant_of(RigidBody(1.0, np.eye(3)), parts=(Thrusters(('a',), (one,)),))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST)
    wanted = (0.7, 0.8, 0.3, 0.2, 0.7, 3.0, 0.3, 0.0, 0.7)
    given = (0.0, 1.0, 1.0, 0.0, 0.0, 3.0, 1.0, 0.0, 0.0)
    states = flown(
        plant, state, lambda t: Inputs(thrust=np.array((wanted[t // 4] * shortest / period,))), 36
    )
    spent = np.diff([now.momentum_W[0] for now in states[::4]])
    assert spent == pytest.approx([shortest * one for one in given], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(('opens', 'closes'), [(0.004, 0.010), (0.010, 0.004)])
def test_a_valve_is_open_from_the_one_delay_to_the_other(opens, closes):
    """Of 50 ms of four ticks: 56 ms or 44 ms at full force."""
    period = 4 * TICK_SECONDS
    one = Thruster((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1.0, period=period, open_delay=opens,
                   close_delay=closes, min_on_time=0.02)  # fmt: skip
    plant = plant_of(RigidBody(1.0, np.eye(3)), parts=(Thrusters(('a',), (one,)),))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST)
    states = flown(plant, state, Inputs(thrust=np.array((0.05 / period,))), 8)
    spent = [now.momentum_W[0] for now in states[::4]]
    each = 0.05 + closes - opens
    assert spent == pytest.approx([0.0, each, 2.0 * each], rel=1e-12, abs=1e-15)


def test_a_valve_that_opens_later_than_it_closes_stays_open_at_full_force():
    """Each period would end 10 ms early, but the valve has no reason to close before the next."""
    late = 0.01
    one = Thruster((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1.0, period=4 * TICK_SECONDS,
                   min_on_time=0.02, open_delay=late)  # fmt: skip
    plant = plant_of(RigidBody(1.0, np.eye(3)), parts=(Thrusters(('a',), (one,)),))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST)
    last = flown(plant, state, Inputs(thrust=np.array((1.0,))), 14)[-1]
    assert last.momentum_W[0] == pytest.approx(14 * TICK_SECONDS - late, rel=1e-13)


def test_rise_and_fall_of_different_length_change_the_impulse_as_they_must():
    rise, fall, on_time = 0.03, 0.01, 0.05
    one = Thruster((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 2.0, period=100.0, rise_time=rise,
                   fall_time=fall)  # fmt: skip
    plant = plant_of(RigidBody(5.0, np.eye(3)), parts=(Thrusters(('a',), (one,)),))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST)
    last = flown(plant, state, Inputs(thrust=np.array((2.0 * on_time / 100.0,))), 64)[-1]
    expected = 2.0 * (on_time + (fall - rise) * -math.expm1(-on_time / rise))
    assert last.momentum_W[0] == pytest.approx(expected, rel=1e-13)


def test_the_mean_thrust_of_a_tick_is_what_the_body_gained_in_it():
    """Of pulses that begin and end within ticks, of thrust that rises and falls, of any force."""
    jets = (
        Thruster((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 2.0, period=0.07, open_delay=0.003,
                 close_delay=0.003),
        Thruster((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 3.0, period=0.5, rise_time=0.03,
                 fall_time=0.01),
        Thruster((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 4.0, rise_time=0.1, fall_time=0.1),
    )  # fmt: skip
    plant = plant_of(RigidBody(5.0, np.eye(3)), parts=(Thrusters(('a', 'b', 'c'), jets),))
    instant = simulation.Instant(0, plant.spacecraft.state(REST, LEVEL, REST, REST))
    given, ended = Inputs(thrust=np.array((0.5, 0.3, 1.0))), []
    for _ in range(64):
        before, instant = instant, simulation.next_instant(plant, instant, given)
        gained = instant.state.momentum_W - before.state.momentum_W
        mean = instant.drive.thrust
        assert mean * TICK_SECONDS == pytest.approx(gained, rel=1e-12, abs=1e-15)
        own = instant.state.internal[plant.spacecraft.layout.of('thrusters')]
        ended.append((mean[0], plant.spacecraft.part('thrusters').forces(own)[0]))
    # Of some pulses nothing is left when the tick ends.
    assert any(mean > 0.1 and now == 0.0 for mean, now in ended)


def test_thrusters_of_a_turning_body_are_those_of_newton_and_euler():
    jets = (
        Thruster((0.3, -0.2, 0.1), (0.0, 0.6, 0.8), 0.4, rise_time=0.05, fall_time=0.05),
        Thruster((-0.1, 0.4, 0.2), (1.0, 0.0, 0.0), 0.3, period=0.2),
    )
    body = RigidBody(10.0, INERTIA)
    plant = plant_of(body, parts=(Thrusters(('a', 'b'), jets),), substeps=8)
    omega = np.array((0.4, -0.3, 0.5))
    state = plant.spacecraft.state(REST, LEVEL, REST, omega)
    last = flown(plant, state, Inputs(thrust=np.array((0.35, 0.1))), 160)[-1]

    def forces(time, opened):
        first = 0.35 * -np.expm1(-time / 0.05)
        return first * np.array((0.0, 0.6, 0.8)), 0.3 * opened * np.array((1.0, 0.0, 0.0))

    def slope(time, y, opened):
        q, w = y[:4], y[4:7]
        pushes = forces(time, opened)
        torque = sum(
            np.cross(jet.position_B, push) for jet, push in zip(jets, pushes, strict=True)
        )
        rate = np.linalg.solve(INERTIA, torque - np.cross(w, INERTIA @ w))
        push_W = rotations.rotate(q / np.linalg.norm(q), sum(pushes))
        q_rate = 0.5 * np.array(rotations.quaternion_product(*q, 0.0, *w))
        return np.concatenate((q_rate, rate, push_W))

    y = np.concatenate((LEVEL, omega, REST))
    for k in range(25):  # open for a third of each period of 0.2 s
        for begin, end, opened in ((0.0, 0.2 / 3.0, 1.0), (0.2 / 3.0, 0.2, 0.0)):
            span = (0.2 * k + begin, 0.2 * k + end)
            y = solve_ivp(slope, span, y, 'DOP853', rtol=1e-13, atol=1e-14, args=(opened,)).y[
                :, -1
            ]
    assert rotations.angle_between(last.q_WB, y[:4] / np.linalg.norm(y[:4])) < 1e-9
    assert np.allclose(plant.spacecraft.angular_velocity_B(last), y[4:7], rtol=0, atol=1e-9)
    assert np.allclose(last.momentum_W, y[7:], rtol=0, atol=1e-8)
    assert abs(book_error(plant, state, last)) < 1e-8


@pytest.mark.parametrize('lag', [0.2, 0.05, 0.01, 0.001])
def test_valves_of_any_lag_turn_a_body_as_newton_and_euler_say(lag):
    """Automatic sub-steps; lines alone, in steps that ignore the lag, err by 3e-9 to 1e-8 rad."""
    # Position, direction, force, period and time open of each.
    several = (
        ((0.3, -0.2, 0.1), (0.0, 0.6, 0.8), 0.4, 0.7, 0.16),
        ((-0.1, 0.4, 0.2), (1.0, 0.0, 0.0), 0.3, 1.1, 0.45),
        ((0.2, 0.3, -0.4), (0.0, -1.0, 0.0), 0.5, 0.9, 0.12),
    )
    jets = tuple(
        Thruster(at, way, force, period=period, rise_time=lag, fall_time=lag)
        for at, way, force, period, _ in several
    )
    plant = plant_of(RigidBody(10.0, INERTIA), parts=(Thrusters(('a', 'b', 'c'), jets),))
    omega, end = np.array((0.1, -0.08, 0.12)), 20.0
    state = plant.spacecraft.state(REST, LEVEL, REST, omega)
    asked = np.array([force * opened / period for _, _, force, period, opened in several])
    last = flown(plant, state, Inputs(thrust=asked), int(end / TICK_SECONDS))[-1]

    torques = np.array([np.cross(at, np.array(way) * force) for at, way, force, _, _ in several])
    inverse = np.linalg.inv(INERTIA)

    def slope(time, y, begin, start, target):
        levels = target + (start - target) * math.exp(-(time - begin) / lag)
        w, q_rate = y[4:7], 0.5 * np.array(rotations.quaternion_product(*y[:4], 0.0, *y[4:7]))
        rate = inverse @ (levels @ torques - cross(w, INERTIA @ w))
        return np.concatenate((q_rate, rate))

    switches = {0.0, end}
    for _, _, _, period, opened in several:
        begins = np.arange(0.0, end, period)
        switches |= {float(t) for t in (*begins, *(begins + opened)) if t < end}
    y, levels = np.concatenate((LEVEL, omega)), np.zeros(3)
    times = sorted(switches)
    for begin, until in zip(times, times[1:], strict=False):
        middle = 0.5 * (begin + until)
        target = np.array([float(middle % period < on) for _, _, _, period, on in several])
        tail = min(until, begin + 30.0 * lag)  # so that no step is longer than what decays
        for piece in ((begin, tail), (tail, until)):
            if piece[0] < piece[1]:
                given = (begin, levels, target)
                y = solve_ivp(slope, piece, y, 'DOP853', rtol=3e-14, atol=1e-15, args=given).y[
                    :, -1
                ]
        levels = target + (levels - target) * math.exp(-(until - begin) / lag)
    assert rotations.angle_between(last.q_WB, y[:4] / np.linalg.norm(y[:4])) < 1e-10
    assert np.allclose(plant.spacecraft.angular_velocity_B(last), y[4:7], rtol=0, atol=1e-11)


def test_a_dead_band_law_has_the_limit_cycle_of_its_pulse():
    force, arm, pulse, inertia, band = 0.9, 0.5, 0.02, 100.0, math.radians(0.1)
    jets = tuple(
        Thruster((0.0, sign * arm, 0.0), (0.0, 0.0, 1.0), force, period=TICK_SECONDS)
        for sign in (1.0, -1.0)
    )
    body = RigidBody(10.0, np.diag((inertia,) * 3))
    plant = plant_of(body, parts=(Thrusters(('plus', 'minus'), jets),))
    step = force * arm * pulse / inertia
    period = 8.0 * band / step
    assert period == pytest.approx(155.1, abs=0.05)
    state = plant.spacecraft.state(REST, LEVEL, REST, np.array((step / 2.0, 0.0, 0.0)))
    fired, way = [], 1.0
    for tick in range(int(4.1 * period * 32)):
        angle, asked = 2.0 * math.atan2(state.q_WB[1], state.q_WB[0]), np.zeros(2)
        if angle * way > band:
            asked[0 if way < 0 else 1] = force * pulse / TICK_SECONDS
            fired.append(tick * TICK_SECONDS)
            way = -way
        state = simulation.step(plant, state, Inputs(thrust=asked), tick)
    # A pulse at each side of the band, half a period apart but for the tick that notices it.
    assert len(fired) == 8
    assert np.allclose(np.diff(fired), period / 2.0, rtol=0, atol=2 * TICK_SECONDS)


def test_scatter_is_of_each_pulse_each_thruster_and_of_the_seed():
    def impulses(seed):
        pair = tuple(
            Thruster((0.0, 0.0, 0.0), way, 1.0, period=TICK_SECONDS, scatter=0.05)
            for way in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
        )
        jets = Thrusters(('a', 'b'), pair)
        plant = plant_of(RigidBody(1.0, np.eye(3)), parts=(jets,), seed=seed)
        state = plant.spacecraft.state(REST, LEVEL, REST, REST)
        states = flown(plant, state, Inputs(thrust=np.array((0.5, 0.5))), 2000)
        return np.diff([s.momentum_W[:2] for s in states], axis=0) / (0.5 * TICK_SECONDS)

    found = impulses(7)
    assert found.tolist() == impulses(7).tolist()
    assert found.tolist() != impulses(8).tolist()
    assert np.mean(found, axis=0) == pytest.approx([1.0] * 2, abs=4 * 0.05 / math.sqrt(2000))
    assert np.std(found, axis=0) == pytest.approx([0.05] * 2, rel=4 / math.sqrt(2 * 2000))
    assert abs(np.corrcoef(found.T)[0, 1]) < 4 / math.sqrt(2000)


# --- magnetorquers ---------------------------------------------------------------------------


def test_a_dipole_swings_about_the_field_as_a_pendulum():
    """About one axis I θ'' = -m B sin θ: quarter of a period by the elliptic integral."""
    from scipy.special import ellipk

    dipole, field, inertia, angle = 2.0, 4e-5, 0.01, 1.2
    rod = Magnetorquers(('x',), (Magnetorquer((1.0, 0.0, 0.0), 5.0),))
    plant = plant_of(
        RigidBody(1.0, np.diag((inertia,) * 3)), parts=(rod,), substeps=16,
        magnetic_field_W=np.array((field, 0.0, 0.0)),
    )  # fmt: skip
    q = rotations.quaternion_from_axis_angle((0.0, 0.0, 1.0), angle)
    state = plant.spacecraft.state(REST, q, REST, REST)
    period = 4.0 * ellipk(math.sin(angle / 2.0) ** 2) * math.sqrt(inertia / (dipole * field))
    ticks = int(period / 4.0 / TICK_SECONDS)
    states = flown(plant, state, Inputs(dipole=np.array((dipole,))), ticks)
    omega = plant.spacecraft.angular_velocity_B(states[-1])[2]
    now = 2.0 * math.atan2(states[-1].q_WB[3], states[-1].q_WB[0])
    left = period / 4.0 - ticks * TICK_SECONDS
    assert now + omega * left == pytest.approx(0.0, abs=1e-9)
    energy = 0.5 * inertia * omega**2 - dipole * field * math.cos(now)
    assert energy == pytest.approx(-dipole * field * math.cos(angle), rel=1e-9)
    assert abs(book_error(plant, state, states[-1])) < 1e-14


def test_dipoles_are_limited_lag_and_are_off_while_the_magnetometer_reads():
    made = (1e-6, 2e-6, 0.0)
    rods = Magnetorquers(
        ('x', 'z'), (Magnetorquer((1.0, 0.0, 0.0), 0.1, interference_B=made),
                     Magnetorquer((0.0, 0.0, 1.0), 0.1, lag=0.05)),
    )  # fmt: skip
    plant = plant_of(RigidBody(1.0, np.eye(3)), parts=(rods,),
                     magnetic_field_W=np.array((0.0, 3e-5, 0.0)))  # fmt: skip
    craft = plant.spacecraft
    state = craft.state(REST, LEVEL, REST, REST)
    asked = Inputs(dipole=np.array((5.0, 0.08)))
    states = flown(plant, state, asked, 2)
    own = states[-1].internal[craft.layout.of('magnetorquers')]
    assert own[0] == 0.1
    assert own[1] == pytest.approx(0.08 * -math.expm1(-2 * TICK_SECONDS / 0.05), rel=1e-12)
    # m × B = (0, 0, 0.1 · 3e-5) + (-m_z · 3e-5, 0, 0)
    assert states[-1].angular_momentum_W[2] == pytest.approx(0.1 * 3e-5 / 16, rel=1e-9, abs=0.0)
    lagging = 0.08 * (1 / 16 - 0.05 * -math.expm1(-1 / 16 / 0.05))
    assert states[-1].angular_momentum_W[0] == pytest.approx(-3e-5 * lagging, rel=1e-6, abs=0.0)
    instant = simulation.put_instant(plant, 0, state)
    for _ in range(2):
        instant = simulation.next_instant(plant, instant, asked)
    field = simulation.truth(plant, instant)[13:16]
    assert field == pytest.approx([1e-7, 3e-5 + 2e-7, 0.0], rel=1e-6, abs=1e-12)


def test_rods_that_are_off_for_part_of_a_tick_turn_the_body_for_the_rest():
    rods = Magnetorquers(('x',), (Magnetorquer((1.0, 0.0, 0.0), 0.1),), off_after=0.02)
    plant = plant_of(RigidBody(1.0, np.eye(3)), parts=(rods,),
                     magnetic_field_W=np.array((0.0, 3e-5, 0.0)))  # fmt: skip
    state = plant.spacecraft.state(REST, LEVEL, REST, REST)
    states = flown(plant, state, Inputs(dipole=np.array((0.1,))), 10)
    assert states[-1].angular_momentum_W[2] == pytest.approx(0.1 * 3e-5 * 0.2, rel=1e-9, abs=0.0)
    assert not states[-1].internal[plant.spacecraft.layout.of('magnetorquers')].any()


# --- control moment gyros --------------------------------------------------------------------


def gyros_of(**changes):
    """Return two single-gimbal gyros at an angle."""
    first = {
        'gimbal_axis_B': (0.0, 0.0, 1.0), 'spin_axis_B': (1.0, 0.0, 0.0), 'rotor_inertia': 0.05,
        'rotor_speed': 200.0, 'inertias': (0.03, 0.04, 0.05), 'angle': 0.4,
    } | changes  # fmt: skip
    second = first | {
        'gimbal_axis_B': (0.6, 0.0, 0.8),
        'spin_axis_B': (0.0, 1.0, 0.0),
        'rotor_speed': -150.0,
    }
    return ControlMomentGyros(
        ('a', 'b'), (ControlMomentGyro(**first), ControlMomentGyro(**second))
    )


@pytest.mark.parametrize('free', [True, False])
@pytest.mark.parametrize('driven', ['torque', 'rate'])
def test_the_energy_book_of_gyros_closes_and_nothing_touches_their_momentum(free, driven):
    body = RigidBody(100.0, INERTIA * 4.0)
    limits = {} if driven == 'torque' else {'max_acceleration': 3.0}
    plant = plant_of(body, parts=(gyros_of(free_rotor=free, **limits),), substeps=64)
    state = plant.spacecraft.state(REST, LEVEL, REST, np.array((0.05, -0.1, 0.2)))

    def inputs(tick):
        if driven == 'torque':
            wave = np.array((0.3 * math.sin(0.1 * tick), -0.2 * math.cos(0.07 * tick)))
            return Inputs(gimbal_rate=np.zeros(2), gimbal_torque=wave)
        return Inputs(gimbal_rate=np.array((0.4 * math.sin(0.05 * tick), 0.3)))

    states = flown(plant, state, inputs, 320)
    energy = plant.spacecraft.kinetic_energy(states[-1])
    assert abs(book_error(plant, state, states[-1])) < 1e-9 * energy
    assert abs(plant.spacecraft.kinetic_energy(state) - energy) > 1e-3
    assert {s.angular_momentum_W.tobytes() for s in states} == {state.angular_momentum_W.tobytes()}


def test_a_jump_of_the_gimbals_rate_is_in_the_book():
    plant = plant_of(RigidBody(100.0, INERTIA * 4.0), parts=(gyros_of(),), substeps=64)
    state = plant.spacecraft.state(REST, LEVEL, REST, np.array((0.05, -0.1, 0.2)))
    last = flown(plant, state, Inputs(gimbal_rate=np.array((0.5, -0.2))), 32)[-1]
    energy = plant.spacecraft.kinetic_energy(last)
    assert abs(book_error(plant, state, last)) < 1e-9 * energy


def test_a_gimbal_that_was_driven_by_torque_begins_a_rate_from_the_rate_that_it_has():
    """Body and gimbal turn about the gimbal's axis alike, so the gimbal is at rest in the body."""
    most, turning = 4.0, 0.2
    one = ControlMomentGyro((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), 0.05, 0.0,
                            inertias=(0.03, 0.04, 0.05), max_acceleration=most)  # fmt: skip
    plant = plant_of(RigidBody(1e4, np.diag((1e9, 1e9, 1e9))),
                     parts=(ControlMomentGyros(('a',), (one,)),))  # fmt: skip
    state = plant.spacecraft.state(REST, LEVEL, REST, np.array((0.0, 0.0, turning)))
    free = Inputs(gimbal_rate=np.zeros(1), gimbal_torque=np.zeros(1))
    driven = Inputs(gimbal_rate=np.array((0.5,)))
    last = flown(plant, state, lambda tick: driven if tick else free, 2)[-1]
    angle = last.internal[plant.spacecraft.layout.of('gimbals')][0]
    assert angle == pytest.approx(0.5 * most * TICK_SECONDS**2, rel=1e-6)  # 1/1e9: body's share


def test_a_scissored_pair_gives_2_h_rate_cos_angle_along_one_axis():
    """Two gyros turned against each other: the body's momentum about x is -2 h sin γ."""
    heavy, h = RigidBody(1e4, np.diag((1e6, 1e6, 1e6))), 10.0
    pair = tuple(
        ControlMomentGyro((0.0, 0.0, sign), (0.0, sign, 0.0), 0.05, sign * h / 0.05,
                          inertias=(1e-9, 1e-9, 1e-9))
        for sign in (1.0, -1.0)
    )  # fmt: skip
    # Axes z and -z, both rotors' momenta along y at first.
    plant = plant_of(heavy, parts=(ControlMomentGyros(('a', 'b'), pair),))
    state = plant.spacecraft.state(REST, LEVEL, REST, REST)
    last = flown(plant, state, Inputs(gimbal_rate=np.array((0.5, 0.5))), 32)[-1]
    omega = plant.spacecraft.angular_velocity_B(last)
    # The momenta h(-sin γ, cos γ) and h(sin γ, cos γ) add to 2 h cos γ along y.
    assert 1e6 * omega[1] == pytest.approx(2 * h * (1.0 - math.cos(0.5)), rel=1e-5)
    assert 1e6 * omega[0] == pytest.approx(0.0, abs=1e-3)


def test_a_gyro_turned_slowly_is_a_gyrostat_whose_axis_is_given():
    """Against Newton and Euler with h(t) s(γ(t)) given, gimbal and rotor without other inertia."""
    h, rate = 3.0, 0.3
    tiny = {'inertias': (1e-10, 1e-10, 1e-10)}
    one = ControlMomentGyro((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), 1e-6, h / 1e-6, **tiny)
    plant = plant_of(
        RigidBody(10.0, INERTIA), parts=(ControlMomentGyros(('a',), (one,)),), substeps=64
    )
    omega = np.array((0.1, -0.2, 0.3))
    state = plant.spacecraft.state(REST, LEVEL, REST, omega)
    last = flown(plant, state, Inputs(gimbal_rate=np.array((rate,))), 160)[-1]

    def slope(time, y):
        w, s = y, np.array((math.cos(rate * time), math.sin(rate * time), 0.0))
        t = np.array((-math.sin(rate * time), math.cos(rate * time), 0.0))
        return np.linalg.solve(INERTIA, -h * rate * t - np.cross(w, INERTIA @ w + h * s))

    found = solve_ivp(slope, (0.0, 5.0), omega, 'DOP853', rtol=1e-12, atol=1e-13).y[:, -1]
    # The gimbal jumps to its rate, which takes 1e-10 kg m^2 · 0.3 rad/s; rotor's 1e-6 kg m^2.
    assert np.allclose(plant.spacecraft.angular_velocity_B(last), found, rtol=0, atol=2e-6)


# --- what sensors and messages are given -----------------------------------------------------


def test_the_truth_at_the_end_of_a_tick_is_that_of_the_motion():
    """Angular acceleration and specific force against differences of what the motion does."""
    wheels = wheels_of(
        *(WheelDynamics(viscous=1e-3, coulomb=1e-3, torque_lag=0.1),) * 2, axes=OBLIQUE[:2],
        inertia=0.02,
    )  # fmt: skip
    jets = Thrusters(('a',), (Thruster((0.3, -0.2, 0.1), (0.0, 0.6, 0.8), 0.4, rise_time=0.05),))
    body = RigidBody(10.0, INERTIA)
    plant = plant_of(body, parts=(wheels, jets), substeps=4)
    state = plant.spacecraft.state(
        REST, LEVEL, REST, np.array((0.4, -0.3, 0.5)), np.array((5.0, 9.0))
    )
    instant = simulation.put_instant(plant, 0, state)
    given = Inputs(wheel_torque=np.array((0.02, -0.03)), thrust=np.array((0.3,)))
    seen = []
    for _ in range(66):
        instant = simulation.next_instant(plant, instant, given)
        truth = simulation.truth(plant, instant)
        seen.append((truth, instant.state.momentum_W, instant.state.q_WB))
    (_, p0, _), (now, _, q), (_, p1, _) = seen[-3:]
    before, after = seen[-3][0], seen[-1][0]
    alpha = (after[4:7] - before[4:7]) / (2 * TICK_SECONDS)
    assert now[7:10] == pytest.approx(alpha, rel=2e-3, abs=2e-5)
    force_W = (p1 - p0) / (2 * TICK_SECONDS)
    felt = rotations.rotate(rotations.conjugate(q), force_W) / 10.0
    assert now[10:13] == pytest.approx(felt, rel=1e-3, abs=1e-5)


def test_without_wheels_and_commands_it_is_the_rigid_body():
    """To round-off: other axes, the same scheme."""
    body = RigidBody(10.0, INERTIA)
    rods = Magnetorquers(('x',), (Magnetorquer((1.0, 0.0, 0.0), 1.0),))
    wrench = np.array((0.1, 0.2, -0.1, 0.02, 0.01, -0.03, 0.3, 0.0, 0.1, 0.01, 0.0, 0.02))
    found = []
    for plant in (plant_of(body, parts=(rods,), substeps=4), plant_of(body, substeps=4)):
        state = plant.spacecraft.state(REST, LEVEL, REST, np.array((0.4, 0.1, -0.5)))
        found.append(flown(plant, state, Inputs(wrench), 320)[-1])
    for one, other in zip(found[0][:4], found[1][:4], strict=True):
        assert np.allclose(one, other, rtol=1e-12, atol=1e-12)


def test_the_body_must_keep_an_inertia_when_its_wheels_are_taken_out():
    with pytest.raises(ValueError, match='less that of the wheels'):
        plant_of(ONE_AXIS, parts=(wheels_of(WheelDynamics(coulomb=1.0), inertia=2.5),))


# --- many at once ----------------------------------------------------------------------------


@pytest.mark.parametrize('substeps', [0, 3])
def test_a_batch_has_the_bits_of_each_alone(substeps):
    from spacecraft_attitude_sim.core.batch.actuated import rows_of
    from spacecraft_attitude_sim.core.batch.batch import Batch

    rng = np.random.default_rng(5)
    plants, states, inputs = [], [], []
    for seed in range(5):
        dynamics = WheelDynamics(
            max_speed=rng.uniform(20, 60), coulomb=1e-3, static=2e-3, viscous=1e-4,
            torque_lag=0.1, dead_time=0.05, dynamic_imbalance=1e-6, speed_bandwidth=1.0,
        )  # fmt: skip
        jet = Thruster((0.3, 0.1, 0.0), (0.0, 0.6, 0.8), 0.5, period=0.11, rise_time=0.01,
                       fall_time=0.02, scatter=0.1, min_on_time=0.02)  # fmt: skip
        rod = Magnetorquer((0.0, 1.0, 0.0), 2.0, lag=0.02)
        plants.append(plant_of(
            RigidBody(10.0, INERTIA), substeps=substeps, seed=seed,
            parts=(
                wheels_of(dynamics, dynamics, axes=OBLIQUE[:2], inertia=0.02),
                gyros_of(rotor_inertia=1e-3, inertias=(1e-3, 2e-3, 3e-3)),
                Thrusters(('j',), (jet,)),
                Magnetorquers(('r',), (rod,), residual_B=(0.0, 0.0, 0.1)),
            ),
            magnetic_field_W=np.array((1e-5, -2e-5, 3e-5)),
        ))  # fmt: skip
        omega = rng.normal(size=3) * 0.2
        states.append(
            plants[-1].spacecraft.state(REST, LEVEL, REST, omega, rng.normal(size=2) * 9)
        )
        inputs.append(Inputs(
            wheel_torque=rng.normal(size=2) * 0.02, wheel_speed=np.array((np.nan, 15.0)),
            gimbal_rate=np.array((0.3, -0.2)), gimbal_torque=np.array((np.nan, 0.01)),
            thrust=rng.uniform(0.0, 0.3, 1), dipole=rng.normal(size=1),
        ))  # fmt: skip
    # In Python, as a node does in its first second.
    solver, state = plants[0].solver, states[0]
    begin = np.concatenate((*state[:4], state.internal))
    width = len(begin) + END.size + len(inputs[0].thrust)
    advance, rows = plants[0].spacecraft.kernels.advance, np.zeros((2, width))
    for call, row in zip((advance.function, advance), rows, strict=True):
        arguments = (
            begin, row, solver.parts, plants[0].spacecraft.commands(inputs[0]), np.zeros(12),
            solver.sky, 1, 0, ticks.DEFAULT.tick_ns, substeps, np.inf,
        )  # fmt: skip
        plain = [one.data if isinstance(one, np.ndarray) else one for one in arguments]
        assert call(*(plain if call is advance.function else arguments)) == 1
    assert rows[0].tobytes() == rows[1].tobytes()
    assert rows[0].any()
    batch = Batch(
        [plant.spacecraft.carrier for plant in plants], states, substeps=substeps, watched=True,
        actuated=rows_of(plants, states, inputs), threads=2,
    )  # fmt: skip
    batch.advance(100)
    assert not batch.lost.any()
    for k, (plant, state, given) in enumerate(zip(plants, states, inputs, strict=True)):
        last = flown(plant, state, given, 100)[-1]
        assert np.concatenate(last[:4]).tobytes() == batch.states[k].tobytes()
        assert last.internal.tobytes() == batch.internal[k].tobytes()
