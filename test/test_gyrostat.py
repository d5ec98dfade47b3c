# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Reaction wheels on a rigid body: closed forms, invariants and the classical equations."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators import NO_GYROSTAT, Drive
from spacecraft_attitude_sim.core.body import RigidBody, loads
from spacecraft_attitude_sim.core.body.state import from_flat, to_flat
from spacecraft_attitude_sim.core.environment.circular_orbit import CircularOrbit
from spacecraft_attitude_sim.core.equations import loaded, momentum
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels
from spacecraft_attitude_sim.core.simulation import Inputs, Instant, plant_of
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

IDENTITY = np.array(rotations.IDENTITY)
# Four oblique wheels and products of inertia.
INERTIA = np.array(((0.05, 0.004, -0.003), (0.004, 0.06, 0.002), (-0.003, 0.002, 0.07)))
AXES = np.array(((1.0, 1.0, 1.0), (-1.0, 1.0, 1.0), (-1.0, -1.0, 1.0), (1.0, 0.0, 0.0)))
AXES /= np.linalg.norm(AXES, axis=1)[:, np.newaxis]
AXIAL = np.array((1e-3, 2e-3, 1.5e-3, 1e-3))
TORQUES = np.array((1e-3, -2e-3, 3e-3, 5e-4))
SPEEDS = np.array((30.0, -20.0, 10.0, 40.0))
RATE = np.array((0.3, -0.2, 0.4))


def wheels(axes=AXES, axial=AXIAL):
    """Return ReactionWheels without limits."""
    names = tuple(f'w{k}' for k in range(len(axes)))
    return ReactionWheels(names, axes, axial, np.full(len(axes), np.inf))


def gyrostat(substeps=0):
    """Return the Plant of the body with four wheels, and its State."""
    plant = plant_of(RigidBody(4.0, INERTIA), substeps=substeps, parts=(wheels(),))
    state = plant.spacecraft.state((0, 0, 0), IDENTITY, (0.1, 0, 0), RATE, SPEEDS)
    return plant, state


def run(plant, state, ticks, torque):
    """Return the States of every tick under held motor torques."""
    instant, found = Instant(0, state), [state]
    for _ in range(ticks):
        instant = simulation.next_instant(plant, instant, Inputs(wheel_torque=torque))
        found.append(instant.state)
    return found


def classical(inertia, axes, axial, torques, rate, speeds, seconds):
    """Return q, ω and Ω after a time by Newton and Euler's equations in ω and Ω (DOP853).

    [I, Jₛ aᵀ; Jₛ a, Jₛ] [dω; dΩ] = [-ω × (I ω + Σ J Ω a); u]
    """
    n, coupling = len(axial), axial[:, np.newaxis] * axes
    mass = np.block([[inertia, coupling.T], [coupling, np.diag(axial)]])
    solve = np.linalg.inv(mass)

    def slope(_, y):
        q, omega, speed = y[:4], y[4:7], y[7:]
        turning = -np.cross(omega, inertia @ omega + coupling.T @ speed)
        quaternion = 0.5 * np.array((-q[1:] @ omega, *(q[0] * omega + np.cross(q[1:], omega))))
        return np.concatenate((quaternion, solve @ np.concatenate((turning, torques))))

    start = np.concatenate((IDENTITY, rate, speeds))
    y = solve_ivp(slope, (0.0, seconds), start, method='DOP853', rtol=1e-13, atol=1e-15).y[:, -1]
    return y[:4] / np.linalg.norm(y[:4]), y[4:7], y[7 : 7 + n]


def test_whatever_wheels_do_the_inertial_angular_momentum_keeps_every_bit():
    plant, state = gyrostat()
    before = state.angular_momentum_W.tobytes()
    rng, instant = np.random.default_rng(3), Instant(0, state)
    for _ in range(320):
        inputs = Inputs(wheel_torque=rng.normal(size=4) * 5e-3)
        instant = simulation.next_instant(plant, instant, inputs)
        assert instant.state.angular_momentum_W.tobytes() == before
    assert np.linalg.norm(plant.spacecraft.wheel_speeds(instant.state) - SPEEDS) > 1.0


def test_motion_is_that_of_the_classical_equations():
    plant, state = gyrostat()
    last = run(plant, state, 640, TORQUES)[-1]
    q_WB, omega_B, speeds = classical(INERTIA, AXES, AXIAL, TORQUES, RATE, SPEEDS, 20.0)
    # RK4 at the automatic sub-steps, which keeps a tumble within 1e-9; DOP853 within 1e-12.
    assert rotations.angle_between(last.q_WB, q_WB) < 1e-9
    assert plant.spacecraft.angular_velocity_B(last) == pytest.approx(omega_B, abs=1e-9)
    assert plant.spacecraft.wheel_speeds(last) == pytest.approx(speeds, rel=1e-9)


def test_error_falls_with_the_fourth_power_of_the_step():
    # One coarse step of a quarter of a second at a time, so that round-off is far below.
    plant, state = gyrostat()
    body, flat = plant.spacecraft.carrier.flat(), to_flat(state)[:13]

    def after(steps):
        drive = plant.spacecraft.part('reaction_wheels').drive(
            Inputs(wheel_torque=TORQUES), state.internal, TICK_SECONDS
        )
        end = loaded.advance(
            flat, body, np.zeros(12), drive.gyrostat, loaded.NO_GRADIENT.copy(), 0.0, 1.0, steps
        )
        return end[3:7]

    exact = after(512)
    errors = [rotations.angle_between(after(steps), exact) for steps in (8, 16, 32)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders == pytest.approx((4.0, 4.0), abs=0.15)


def test_work_of_the_motors_is_the_energy_gained():
    """dT/dt = Σ u Ω without losses: summed by Simpson's rule over each two ticks."""
    plant, state = gyrostat()
    states = run(plant, state, 320, TORQUES)
    craft = plant.spacecraft
    power = np.array([TORQUES @ craft.wheel_speeds(one) for one in states])
    work = TICK_SECONDS / 3.0 * np.sum(power[0:-1:2] + 4.0 * power[1::2] + power[2::2])
    gained = craft.kinetic_energy(states[-1]) - craft.kinetic_energy(states[0])
    assert abs(gained) > 0.1
    # Simpson over 1/16 s of what changes at some rad/s.
    assert gained == pytest.approx(work, rel=1e-6)


def test_motor_turns_body_and_wheel_apart():
    """I = 2, J = 0.05 kg m^2, 0.01 N m for 100 s from rest: ω = -h/(I - J), Ω = h/J - ω."""
    body = RigidBody(10.0, np.diag((2.0, 2.0, 2.0)))
    plant = plant_of(body, parts=(wheels([(0.0, 0.0, 1.0)], np.array((0.05,))),))
    state = plant.spacecraft.state((0, 0, 0), IDENTITY, (0, 0, 0), (0, 0, 0))
    last = run(plant, state, 3200, np.array((0.01,)))[-1]
    omega_B = plant.spacecraft.angular_velocity_B(last)
    assert omega_B == pytest.approx((0.0, 0.0, -1.0 / 1.95), abs=1e-12)
    assert plant.spacecraft.wheel_speeds(last) == pytest.approx((20.0 + 1.0 / 1.95,), rel=1e-12)


def test_without_wheels_and_orbit_the_kernel_has_the_bits_of_the_momentum_form():
    body = RigidBody(3.0, INERTIA)
    state = to_flat(body.state((1, 2, 3), IDENTITY, (0.1, 0, 0), RATE))
    wrench = np.array((0.1, 0, 0.2, 1e-3, 0, -2e-3, 0, 0.1, 0, 0, 1e-3, 0))
    for steps in (0, 1, 7):
        one = momentum.advance(state, body.flat(), wrench, TICK_SECONDS, steps)
        other = loaded.advance(
            state, body.flat(), wrench, NO_GYROSTAT.copy(), loaded.NO_GRADIENT.copy(), 5.0,
            TICK_SECONDS, steps,
        )  # fmt: skip
        assert one.tobytes() == other.tobytes()


def test_axisymmetric_gyrostat_precesses_as_its_closed_form_says():
    """Transverse ω turns at λ = ((J3 - Jt) ω3 + h) / Jt in the body (Hughes 1986, 6.1)."""
    transverse, axial, spin, stored = 0.06, 0.08, 0.5, 0.3
    wheel = 2e-3
    body = RigidBody(5.0, np.diag((transverse, transverse, axial)))
    plant = plant_of(body, parts=(wheels([(0.0, 0.0, 1.0)], np.array((wheel,))),))
    craft = plant.spacecraft
    state = craft.state(
        (0, 0, 0), IDENTITY, (0, 0, 0), (0.1, 0.0, spin), np.array((stored / wheel - spin,))
    )
    assert craft.stored_B(state) == pytest.approx((0.0, 0.0, stored), abs=1e-15)
    rate = ((axial - wheel - transverse) * spin + stored) / transverse
    last = run(plant, state, 320, np.zeros(1))[-1]
    omega_B = craft.angular_velocity_B(last)
    angle = rate * 10.0
    assert omega_B == pytest.approx((0.1 * math.cos(angle), 0.1 * math.sin(angle), spin), abs=1e-9)


@pytest.mark.parametrize(
    ('moments', 'stored', 'start', 'modulus', 'period'),
    [
        ((2.0, 1.5, 1.0), 0.8, (0.3, 0.5, 1.2), 0.07162149173, 10.2698192338),
        ((1.0, 2.0, 3.0), -0.9, (0.05, 2.0, 0.3), 0.1694291329, 6.1153096928),
    ],
)
def test_gyrostat_comes_round_after_its_elliptic_period(moments, stored, start, modulus, period):
    """m_3 of a gyrostat with h on a principal axis is elliptic (Volterra 1898, Hughes 1986)."""
    wheel = 1e-10  # beside moments that just make a body
    inertia = np.diag(moments) + np.diag((0.0, 0.0, wheel))
    plant = plant_of(
        RigidBody(1.0, inertia), parts=(wheels([(0.0, 0.0, 1.0)], np.array((wheel,))),)
    )
    body, drive = plant.spacecraft.carrier.flat(), np.array((0, 0, stored, 0, 0, 0.0))
    state = np.concatenate(((0, 0, 0), IDENTITY, (0, 0, 0), start))

    def momentum_B(time):
        end = loaded.advance(
            state, body, np.zeros(12), drive, loaded.NO_GRADIENT.copy(), 0.0, time, 8192
        )
        return rotations.rotate(rotations.conjugate(end[3:7]), end[10:13])

    # The other two come back to themselves after one or two periods of m_3.
    assert momentum_B(period)[2] == pytest.approx(start[2], abs=1e-8)
    assert abs(momentum_B(0.5 * period)[2] - start[2]) > 0.01
    assert momentum_B(2.0 * period) == pytest.approx(start, abs=1e-8)
    assert 0.0 < modulus < 1.0
    assert ellipk(modulus) > math.pi / 2.0


@pytest.mark.parametrize(('rpm', 'bounded'), [(350.0, True), (250.0, False)])
def test_wheel_cures_the_racket_above_its_critical_speed(rpm, bounded):
    """I = 350, 300, 400, J = 10 kg m^2 on the intermediate x, 60 rpm: critical at 300 rpm.

    Nutation of 0.544979 rad/s at 350 rpm, growth at 0.501308 1/s at 250 rpm: linearised about the
    spin, s² = -(a b), a = ((I3 - I1) W - J Ω)/I2 and b = ((I1 - I2) W + J Ω)/I3.
    """
    spin, speed, wheel = 2.0 * math.pi, rpm * 2.0 * math.pi / 60.0, 10.0
    body = RigidBody(500.0, np.diag((350.0, 300.0, 400.0)))
    plant = plant_of(body, parts=(wheels([(1.0, 0.0, 0.0)], np.array((wheel,))),))
    nudge = 1e-7
    state = plant.spacecraft.state(
        (0, 0, 0), IDENTITY, (0, 0, 0), (spin, nudge, 0.0), np.array((speed,))
    )
    states = run(plant, state, 320 if bounded else 640, np.zeros(1))
    across = np.array([plant.spacecraft.angular_velocity_B(one)[1:] for one in states])
    if bounded:
        rate = 0.544979
        time = TICK_SECONDS * np.arange(len(states))
        assert across[:, 0] == pytest.approx(nudge * np.cos(rate * time), abs=1e-6 * nudge * 300)
    else:
        size = np.linalg.norm(across, axis=1)
        growth = math.log(size[640] / size[320]) / 10.0
        assert growth == pytest.approx(0.501308, rel=1e-4)


def test_a_force_moves_a_gyrostat_as_any_body():
    plant, state = gyrostat()
    wrench = loads.wrench_in_world((0.4, 0.0, 0.0), (0.0, 0.0, 0.0))
    instant = Instant(0, state)
    for _ in range(32):
        instant = simulation.next_instant(plant, instant, Inputs(wrench, wheel_torque=TORQUES))
    assert instant.state.momentum_W[0] == pytest.approx(0.8, rel=1e-12)
    assert instant.state.position_W[0] == pytest.approx(0.1 + 0.05, rel=1e-12)


def test_an_impulse_strikes_body_and_wheels_as_one():
    plant, state = gyrostat()
    impulse = np.array((0.4, 0.0, 0.0, 0.0, 1e-3, 0.0))
    after = simulation.next_instant(plant, Instant(0, state), Inputs(impulse=impulse)).state
    gained = after.angular_momentum_W - state.angular_momentum_W
    assert gained == pytest.approx(impulse[3:], abs=1e-17)
    assert after.internal.tolist() == state.internal.tolist()
    alone = simulation.step(plant, state, Inputs(impulse=impulse))
    assert to_flat(alone).tobytes() == to_flat(after).tobytes()


def test_imu_feels_the_wheels_push():
    """At rest α = -J⁻¹ Σ u a: the torque on the rotors turns the body the other way."""
    plant, _ = gyrostat()
    craft = plant.spacecraft
    state = craft.state((0, 0, 0), IDENTITY, (0, 0, 0), (0, 0, 0))
    drive = craft.part('reaction_wheels').drive(
        Inputs(wheel_torque=TORQUES), state.internal, TICK_SECONDS
    )
    flat = simulation.truth(plant, Instant(1, state, drive=drive))
    expected = -np.linalg.solve(
        INERTIA - craft.part('reaction_wheels').inertia_B, AXES.T @ TORQUES
    )
    assert flat[7:10] == pytest.approx(expected, rel=1e-12)


def test_a_spinning_wheel_and_its_motor_turn_the_body_as_eulers_equation_says():
    """J dω/dt = τ - u - ω × (J ω + h)."""
    plant, state = gyrostat()
    craft = plant.spacecraft
    drive = craft.part('reaction_wheels').drive(
        Inputs(wheel_torque=TORQUES), state.internal, TICK_SECONDS
    )
    pushed_B = np.array((2e-3, 1e-3, -3e-3))
    drive = drive._replace(wrench=np.array((0, 0, 0, *pushed_B, 0, 0, 0, 0, 0, 0)))
    instant = Instant(1, state, drive=drive)
    wrench = simulation.turning_wrench(plant, instant)
    assert wrench[3:6] == pytest.approx(pushed_B - AXES.T @ TORQUES, rel=1e-14)
    carrier = INERTIA - np.einsum('i,ij,ik->jk', AXIAL, AXES, AXES)
    held = AXES.T @ (AXIAL * (SPEEDS + AXES @ RATE))
    turning = wrench[3:6] - np.cross(RATE, carrier @ RATE + held)
    expected = np.linalg.solve(carrier, turning)
    found = craft.angular_acceleration_B(state, wrench[3:6])
    assert found == pytest.approx(expected, rel=1e-12)
    assert simulation.truth(plant, instant)[7:10] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ('acting', 'angle'),
    [
        ({'wrench': 3}, 3.0 * 0.1 / momentum.SUBSTEP_ANGLE),
        ({'wrench': 10}, 3.0 * 0.1 / momentum.SUBSTEP_ANGLE),
        ({'gyrostat': 4}, 3.0 * 0.1 / momentum.SUBSTEP_ANGLE),
        # L is all of the wheels: the body rests.
        ({'state': 11, 'gyrostat': 1}, 3.0 / loaded.NUTATION_ANGLE),
        ({'state': 11}, 3.0 / momentum.SUBSTEP_ANGLE),
    ],
)
def test_automatic_sub_steps_are_of_rate_nutation_motors_and_torques(acting, angle):
    """A ball of 1 kg m^2 for 0.1 s under 3 N m, or with 3 N m s: turned, or nutating within."""
    body = RigidBody(1.0, np.eye(3))
    rest = to_flat(body.state((0, 0, 0), IDENTITY, (0, 0, 0), (0, 0, 0)))
    given = {'state': rest, 'wrench': np.zeros(12), 'gyrostat': np.zeros(6)}
    for name, place in acting.items():
        given[name][place] = 3.0
    steps = loaded.substep_count(
        given['state'], body.flat(), given['wrench'], given['gyrostat'],
        loaded.NO_GRADIENT.copy(), 0.1,
    )  # fmt: skip
    assert steps == math.ceil(0.1 * angle)


@pytest.mark.parametrize(
    ('change', 'words'),
    [
        ({'axes': [(0.0, 0.0, 2.0)]}, 'w0.axis is .* length 2; give a unit vector'),
        ({'axial': np.array((0.0,))}, r'w0.inertia is 0 kg m\^2; it must be positive'),
        ({'axial': np.array((np.nan,))}, 'w0.inertia is nan'),
        ({'axial': np.array((np.inf,))}, 'w0.inertia is inf'),
        ({'axes': [(0.0, 0.0, 1.002)]}, 'w0.axis is .*; give a unit vector'),
        ({'axial': np.array((1e-3, 1e-3))}, 'axes, inertias and torque limits .*differ in number'),
    ],
)
def test_a_wheel_that_cannot_be_is_refused(change, words):
    given = {'axes': [(0.0, 0.0, 1.0)], 'axial': np.array((1e-3,))} | change
    with pytest.raises(ValueError, match=words):
        wheels(**given)


@pytest.mark.parametrize('most', [-0.1, np.nan])
def test_a_torque_limit_that_cannot_be_is_refused(most):
    with pytest.raises(ValueError, match=r'a.max_torque is .* N m; it must not be negative'):
        ReactionWheels(('a',), [(0.0, 0.0, 1.0)], [1e-3], [most])
    with pytest.raises(ValueError, match='differ in number'):
        ReactionWheels(('a',), [(0.0, 0.0, 1.0)], [1e-3], [0.1, 0.1])


def test_an_axis_of_three_digits_is_made_a_unit_vector():
    made = wheels([(0.577, 0.577, 0.577)], np.array((1e-3,)))
    assert np.linalg.norm(made.axes_B[0]) == pytest.approx(1.0, abs=1e-15)
    assert np.linalg.norm(made.momentum_B(np.array((2.0,)))) == pytest.approx(2.0, abs=1e-15)
    assert np.trace(made.inertia_B) == pytest.approx(1e-3, rel=1e-14)


def test_wheels_that_leave_no_inertia_are_refused():
    with pytest.raises(ValueError, match='less that of the wheels.*the body.s includes'):
        plant_of(
            RigidBody(1.0, np.diag((1e-3, 1e-3, 1e-3))),
            parts=(wheels([(0.0, 0.0, 1.0)], np.array((2e-3,))),),
        )


def test_a_rate_that_wheels_bring_about_and_nothing_follows_ends_the_motion():
    plant, state = gyrostat()
    with pytest.raises(simulation.MotionError, match='turns at'):
        for _ in range(3):
            state = simulation.next_instant(
                plant, Instant(0, state), Inputs(wheel_torque=np.full(4, 1e10))
            ).state


def with_fast_wheel():
    """Return Plant and State of a CubeSat whose wheel holds more than its body could at rest."""
    body = RigidBody(4.0, np.diag((0.04, 0.04, 0.007)))
    wheel = wheels([(0.0, 0.0, 1.0)], np.array((1.72e-5,)))
    plant = plant_of(body, substeps=1, parts=(wheel,))
    rate, speed = (0.1, 0.0, 0.0), np.array((60000.0,))
    state = plant.spacecraft.state((0, 0, 0), IDENTITY, (0, 0, 0), rate, speed)
    # Half a turn of the body in its one sub-step would need less.
    assert np.linalg.norm(state.angular_momentum_W) > 0.007 * math.pi / TICK_SECONDS
    return plant, state


def test_momentum_that_wheels_hold_is_no_rate_of_the_body():
    plant, state = with_fast_wheel()
    last = run(plant, state, 8, np.zeros(1))[-1]
    assert np.linalg.norm(plant.spacecraft.angular_velocity_B(last)) == pytest.approx(0.1, rel=0.5)
    struck = simulation.next_instant(
        plant, Instant(0, state), Inputs(impulse=np.array((0, 0, 0, 1e-3, 0, 0.0)))
    )
    assert struck.state.internal.tolist() == state.internal.tolist()


def test_a_blow_that_nothing_follows_is_said_to_be_of_the_motion():
    plant, state = with_fast_wheel()
    blow = Inputs(impulse=np.array((0, 0, 0, 5.0, 0, 0)))
    with pytest.raises(simulation.MotionError, match="equations 'momentum' end at .* turns at"):
        simulation.next_instant(plant, Instant(0, state), blow)


def test_what_is_wrong_without_a_floor_is_no_contact():
    plant, state = with_fast_wheel()
    without = Instant(0, state._replace(internal=np.zeros(0)))
    blow = Inputs(impulse=np.array((0, 0, 0, 1e-3, 0, 0)))
    with pytest.raises(simulation.MotionError, match="equations 'momentum' end at t = 0 s"):
        simulation.next_instant(plant, without, blow)


def test_wheels_take_neither_other_equations_nor_a_floor():
    plant, _ = with_fast_wheel()
    again = plant.with_equations('momentum').solver
    assert type(again) is type(plant.solver)
    assert again.substeps == 1
    with pytest.raises(ValueError, match="with reaction wheels only 'momentum' works"):
        plant.with_equations('lagrange')
    with pytest.raises(ValueError, match='reaction wheels and a floor are not simulated'):
        plant.with_contact(object())
    assert plant.beyond_rigid_body == 'reaction wheels'
    assert plant_of(plant.body).beyond_rigid_body == ''


def test_locked_wheels_move_like_the_rigid_body():
    """Without relative speed only the whole inertia counts: two wheels with constant Ω = 0."""
    plant, _ = gyrostat()
    craft = plant.spacecraft
    state = craft.state((0, 0, 0), IDENTITY, (0, 0, 0), RATE)
    rigid = plant.body.state((0, 0, 0), IDENTITY, (0, 0, 0), RATE)
    assert state.angular_momentum_W == pytest.approx(rigid.angular_momentum_W, rel=1e-14)
    assert craft.kinetic_energy(state) == pytest.approx(
        plant.body.kinetic_energy(rigid), rel=1e-14
    )


def test_no_command_is_no_torque():
    plant, state = gyrostat()
    craft = plant.spacecraft
    assert (
        craft.part('reaction_wheels')
        .drive(Inputs(), state.internal, TICK_SECONDS)
        .gyrostat[3:]
        .tolist()
        == [0] * 3
    )
    assert Drive().gyrostat is NO_GYROSTAT


def test_a_compiled_tick_has_the_bits_of_drive_and_advance():
    _, state = gyrostat()
    fall_W = np.array((0.1, -0.2, -9.0))
    plant = plant_of(RigidBody(4.0, INERTIA), fall_W, 3, parts=(wheels(),))
    step, rng, held = plant.ticks.step, np.random.default_rng(5), plant.spacecraft
    commands = rng.normal(size=(48, 4)) * 1e-3
    expected, instant = state, Instant(0, state)
    for tick, torques in enumerate(commands):
        inputs = Inputs(rng.normal(size=12) * 1e-3, wheel_torque=torques * (tick % 5 > 0))
        if tick % 7 == 0:  # not a torque of zero: -0.0 + 0.0 is another number
            inputs = inputs._replace(wheel_torque=np.zeros(0))
        drive = held.part('reaction_wheels').drive(inputs, expected.internal, step)
        flat = loaded.advance(
            to_flat(expected)[:13], held.carrier.flat(),
            loads.with_gravity(inputs.wrench, 4.0 * fall_W), drive.gyrostat,
            loaded.NO_GRADIENT.copy(), tick * step, step, 3,
        )  # fmt: skip
        moved = simulation.step(plant, expected, inputs, tick)
        expected = from_flat(np.concatenate((flat, drive.internal)))
        instant = simulation.next_instant(plant, instant, inputs)
        for found in (moved, instant.state):
            assert to_flat(found).tobytes() == to_flat(expected).tobytes()
        assert instant.drive.gyrostat.tobytes() == drive.gyrostat.tobytes()
        assert instant.drive.internal.tobytes() == drive.internal.tobytes()


@pytest.mark.parametrize('torques', (np.zeros(3), np.zeros(5), np.zeros(1)))
def test_torques_for_another_number_of_wheels_are_refused(torques):
    plant, state = gyrostat()
    with pytest.raises(ValueError, match='4 wheels take as many torques'):
        simulation.step(plant, state, Inputs(wheel_torque=torques))


@pytest.mark.parametrize('torque', (math.nan, math.inf, 1e308))
def test_a_torque_that_is_no_number_ends_the_motion(torque):
    plant, state = gyrostat()
    with pytest.raises(ArithmeticError):
        simulation.step(plant, state, Inputs(wheel_torque=np.full(4, torque)))


@pytest.mark.parametrize('commanded', (True, False))
def test_a_trajectory_has_the_bits_of_its_ticks(commanded):
    """In a low orbit, over more ticks than one call of the kernel computes."""
    orbit = CircularOrbit(7e6, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    _, state = gyrostat()
    plant = plant_of(RigidBody(4.0, INERTIA), parts=(wheels(),), orbit=orbit)
    wrench, count = np.linspace(1e-4, 2e-4, 12), 1100
    torques = np.random.default_rng(7).normal(size=(count, 4)) * 1e-3
    commands = {'wheel_torque': torques} if commanded else {}
    rows = simulation.trajectory(plant, state, count, wrench, commands)
    for tick in range(count):
        given = {name: table[tick] for name, table in commands.items()}
        state = simulation.step(plant, state, Inputs(wrench, **given), tick)
        assert rows[tick + 1].tobytes() == to_flat(state).tobytes()


def test_a_trajectory_goes_on_while_wheels_hold_more_than_the_body_may():
    """Then each tick is judged by the true rate of the body, and is fine."""
    plant, first = with_fast_wheel()
    rows, state = simulation.trajectory(plant, first, 3), first
    for tick in range(3):
        state = simulation.step(plant, state, Inputs(), tick)
        assert rows[tick + 1].tobytes() == to_flat(state).tobytes()
    torques = np.zeros((40, 1))
    torques[30:] = 1e10
    with pytest.raises(ArithmeticError, match='turns at'):
        simulation.trajectory(plant, first, 40, commands={'wheel_torque': torques})
