# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Every set of equations: measured order, what it conserves, and that all agree."""

import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

from spacecraft_attitude_sim.core import equations
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import from_flat, to_flat
from spacecraft_attitude_sim.core.environment import Environment
from spacecraft_attitude_sim.core.equations.shared import driver, free_motion, principal_frame
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import plant_of
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.kernels import warm_up

NAMES = list(equations.REGISTRY)
CONSERVING = [name for name in NAMES if equations.REGISTRY[name].conserves_L]
CAN_TUMBLE = [name for name in NAMES if name != 'lagrange']
EXACT = [name for name in NAMES if equations.REGISTRY[name].exact]
# Writable, unlike loads.FREE: one type of array is half the compiling.
FREE = np.zeros(12)
# Forces and torques in body and in world axes: about a radian's turn of L in a second.
WRENCH = np.array((0.1, 0.2, -0.3, 0.1, -0.15, 0.2, 0.2, 0.1, 0.3, -0.1, 0.1, 0.05))


def tilted_body():
    """Return a body whose principal axes are not its own, away from gimbal lock below."""
    axes = rotations.dcm_from_quaternion(rotations.quaternion_from_axis_angle((1, 2, 3), 0.7))
    inertia = axes @ np.diag((0.5, 0.8, 1.1)) @ axes.T
    return RigidBody(2.0, (inertia + inertia.T) / 2.0)


def tumbling_state(body):
    """Return a flat state turning at about 0.9 rad/s and moving."""
    q_WB = rotations.unit_quaternion((0.8, 0.2, -0.4, 0.4))
    return to_flat(body.state((1.0, 2.0, 3.0), q_WB, (0.1, 0.2, 0.3), (0.5, 0.6, 0.4)))


def t_handle():
    """Return the flat state and body of the T-handle."""
    body = RigidBody(0.34, np.diag((62.2e-6, 171.5e-6, 210.5e-6)))
    state = body.state(np.zeros(3), rotations.IDENTITY, np.zeros(3), (0.01, 8.0, 0.01))
    return to_flat(state), body.flat()


def errors(name, wrench, substeps):
    """Return the errors after 1 s of attitude [rad], L, x and p, against fine sub-steps."""
    body = tilted_body()
    state = tumbling_state(body)
    true = equations.load('body_momentum').advance(state, body.flat(), wrench, 1.0, 2000)
    found = equations.load(name).advance(state, body.flat(), wrench, 1.0, substeps)
    return np.array((
        rotations.angle_between(found[3:7], true[3:7]),
        np.linalg.norm(found[10:13] - true[10:13]),
        np.linalg.norm(found[0:3] - true[0:3]),
        np.linalg.norm(found[7:10] - true[7:10]),
    ))  # fmt: skip


def measured_order(coarse, fine):
    """Return log2 of the ratio of errors of a step and of its half."""
    return np.log2(coarse / fine)


@pytest.mark.parametrize('name', NAMES)
def test_order_under_torque_is_the_textbook_order_in_every_part_of_the_state(name):
    # 16 and 32 steps: errors 1e-3 (order 1) to 1e-9, above the reference's 1e-12.
    order = measured_order(errors(name, WRENCH, 16), errors(name, WRENCH, 32))
    assert order == pytest.approx(equations.REGISTRY[name].order, abs=0.15)


@pytest.mark.parametrize('name', [name for name in NAMES if name not in EXACT])
def test_order_without_torque_is_the_textbook_order(name):
    order = measured_order(errors(name, FREE, 16)[0], errors(name, FREE, 32)[0])
    assert order == pytest.approx(equations.REGISTRY[name].order, abs=0.15)


@pytest.mark.parametrize('name', EXACT)
@pytest.mark.parametrize('force_W', [0.0, 0.7])
def test_exact_motion_is_exact_in_one_step_under_a_force_fixed_in_the_world(name, force_W):
    wrench = np.zeros(12)
    wrench[6:9] = force_W
    body = tilted_body()
    state = tumbling_state(body)
    after = equations.load(name).advance(state, body.flat(), wrench, 30.0, 0)
    exact = free_motion.evaluate(free_motion.prepare(state, body.flat()), 30.0)
    fall = state[0:3] + 30.0 * state[7:10] / 2.0 + force_W * 30.0**2 / 4.0
    assert rotations.angle_between(after[3:7], exact) < 1e-14
    assert after[0:3] == pytest.approx(fall, rel=1e-15)
    assert (after[10:13] == state[10:13]).all()


@pytest.mark.parametrize('name', NAMES)
def test_all_agree_on_torqued_motion_with_automatic_substeps(name):
    # Chosen sub-steps promise about 1e-8 rad at this rate; first order, 1e-3; Strang, 1e-5.
    allowed = {1: 3e-3, 2: 1e-4, 4: 1e-7}[equations.REGISTRY[name].order]
    assert errors(name, WRENCH, 0).max() < allowed


@pytest.mark.parametrize('first', [3, 9])
@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_sub_steps_are_as_many_as_the_size_of_a_torque_needs_in_either_axes(first, sign):
    """3 N m on 2 kg m^2 gives up to 1.5 rad/s in 1 s, and so up to 1.5 rad: 148.5 times 0.0101."""
    body, wrench = RigidBody(1.0, 2.0 * np.eye(3)), np.zeros(12)
    wrench[first : first + 3] = sign, sign * 2.0, -sign * 2.0
    state = to_flat(body.state(np.zeros(3), rotations.IDENTITY, np.zeros(3), np.zeros(3)))
    assert principal_frame.substep_count(0.0101, state, body.flat(), wrench, 1.0) == 149


@pytest.mark.parametrize('name', CONSERVING)
def test_inertial_angular_momentum_is_constant_to_the_last_bit_without_torque(name):
    state, body = t_handle()
    states = equations.load(name).trajectory(state, body, FREE, TICK_SECONDS, 1, 3200)
    assert (states[:, 10:13] == state[10:13]).all()


@pytest.mark.parametrize('name', ['euler_quaternion', 'euler_dcm'])
def test_euler_equation_lets_inertial_angular_momentum_drift(name):
    # At one step a tick the drift is some 1e-5 of |L| in 10 s.
    state, body = t_handle()
    states = equations.load(name).trajectory(state, body, FREE, TICK_SECONDS, 1, 320)
    drift = np.linalg.norm(states[-1, 10:13] - state[10:13]) / np.linalg.norm(state[10:13])
    assert 1e-6 < drift < 1e-3


@pytest.mark.parametrize('name', ['euler_quaternion', 'euler_dcm'])
def test_drift_of_angular_momentum_falls_with_the_order_of_the_method(name):
    drifts = [errors(name, FREE, substeps)[1] for substeps in (16, 32)]
    assert measured_order(*drifts) == pytest.approx(4.0, abs=0.15)


@pytest.mark.parametrize('substeps', [1, 8])
def test_euler_method_lengthens_angular_momentum_as_the_closed_form_says(substeps):
    # I = diag(1, 1, 2), ω(0) = (1, 0, 1): d(ω1 + i ω2)/dt = i (ω1 + i ω2), so that a step of h
    # makes ω1² + ω2² larger by exactly 1 + h²; ω3 stays 1.
    body = RigidBody(1.0, np.diag((1.0, 1.0, 2.0)))
    state = to_flat(body.state(np.zeros(3), rotations.IDENTITY, np.zeros(3), (1.0, 0.0, 1.0)))
    module = equations.load('euler_explicit')
    states = module.trajectory(state, body.flat(), FREE, TICK_SECONDS, substeps, 320)
    h, steps = TICK_SECONDS / substeps, substeps * np.arange(321)
    sizes = np.linalg.norm(states[:, 10:13], axis=1)
    # 320 ticks of rounding, ω to L and back.
    np.testing.assert_allclose(sizes, np.sqrt((1.0 + h * h) ** steps + 4.0), rtol=1e-13)


def test_a_step_of_euler_method_turns_by_the_rate_of_before():
    # q + ½ h q ∘ ω, made unit: a turn by 2 atan(h |ω| / 2) about the ω that was.
    omega = np.array((0.01, 8.0, 0.01))
    state, body = t_handle()
    after = equations.load('euler_explicit').advance(state, body, FREE, TICK_SECONDS, 1)
    rate = np.linalg.norm(omega)
    angle = 2.0 * math.atan(TICK_SECONDS * rate / 2.0)
    expected = rotations.quaternion_from_axis_angle(omega / rate, angle)
    assert rotations.angle_between(after[3:7], expected) < 1e-15


def test_euler_method_on_the_t_handle_is_that_written_out_here():
    # Its ω needs no attitude, and |L| = |I ω| is the same in any axes.
    moments = np.array((62.2e-6, 171.5e-6, 210.5e-6))
    omega, sizes = np.array((0.01, 8.0, 0.01)), []
    for _ in range(321):
        sizes.append(np.linalg.norm(moments * omega))
        omega = omega - TICK_SECONDS * np.cross(omega, moments * omega) / moments
    state, body = t_handle()
    module = equations.load('euler_explicit')
    states = module.trajectory(state, body, FREE, TICK_SECONDS, 1, 320)
    # The flips magnify the rounding of L to ω and back, to 8e-8 here; a step left out is 1e-3.
    np.testing.assert_allclose(np.linalg.norm(states[:, 10:13], axis=1), sizes, rtol=1e-6)
    assert sizes[-1] > 1.2 * sizes[0]


def test_lagrange_conserves_the_momentum_of_yaw_to_the_last_bit_and_no_other():
    body = tilted_body()
    state = tumbling_state(body)
    after = equations.load('lagrange').advance(state, body.flat(), FREE, 1.0, 8)
    assert after[12] == state[12]
    assert (after[10:12] != state[10:12]).all()


@pytest.mark.parametrize('substeps', [0, 1, 8])
def test_lagrange_reports_gimbal_lock(substeps):
    # The T-handle turns about its pitch axis: 90 degrees after 0.196 s.
    state, body = t_handle()
    lagrange = equations.load('lagrange')
    lagrange.trajectory(state, body, FREE, TICK_SECONDS, substeps, 5)
    with pytest.raises(ArithmeticError, match='gimbal lock'):
        lagrange.trajectory(state, body, FREE, TICK_SECONDS, substeps, 8)


@pytest.mark.parametrize('name', NAMES)
def test_symmetric_top_turns_as_the_closed_form_says(name):
    # I = diag(1, 1, 2), ω(0) = (1, 0, 1) gives ω_B(t) = (cos t, sin t, 1) exactly.
    body = RigidBody(1.0, np.diag((1.0, 1.0, 2.0)))
    state = to_flat(body.state(np.zeros(3), rotations.IDENTITY, np.zeros(3), (1.0, 0.0, 1.0)))
    after = equations.load(name).advance(state, body.flat(), FREE, 1.0, 0)
    L_B = rotations.rotate(rotations.conjugate(after[3:7]), after[10:13])
    tolerance = 2e-3 if equations.REGISTRY[name].order == 1 else 1e-7
    expected = (math.cos(1.0), math.sin(1.0), 2.0)
    np.testing.assert_allclose(L_B, expected, rtol=0.0, atol=tolerance)


@pytest.mark.parametrize('name', CAN_TUMBLE)
def test_turning_the_world_turns_the_motion(name):
    body = tilted_body()
    state = tumbling_state(body)
    q_VW = rotations.quaternion_from_axis_angle((3, 1, 2), 2.0)
    module = equations.load(name)
    seen = turned_world(module.advance(state, body.flat(), WRENCH, 1.0, 8), q_VW)
    wrench = WRENCH.copy()
    wrench[6:9] = rotations.rotate(q_VW, WRENCH[6:9])
    wrench[9:12] = rotations.rotate(q_VW, WRENCH[9:12])
    after = module.advance(turned_world(state, q_VW), body.flat(), wrench, 1.0, 8)
    # Round-off only: 1e-16 times a few hundred operations.
    assert rotations.angle_between(after[3:7], seen[3:7]) < 1e-13
    assert np.delete(after, slice(3, 7)) == pytest.approx(np.delete(seen, slice(3, 7)), abs=1e-13)


def turned_world(state, q_VW):
    """Return the flat state as seen from the axes V."""
    vectors = [rotations.rotate(q_VW, state[start : start + 3]) for start in (0, 7, 10)]
    q_VB = rotations.compose(q_VW, state[3:7])
    return np.concatenate((vectors[0], q_VB, vectors[1], vectors[2]))


@pytest.mark.parametrize('name', NAMES)
def test_trajectory_is_the_same_bits_as_advance_again_and_again(name):
    body = tilted_body()
    state, module = tumbling_state(body), equations.load(name)
    states = module.trajectory(state, body.flat(), WRENCH, TICK_SECONDS, 0, 4)
    for expected in states[1:]:
        state = module.advance(state, body.flat(), WRENCH, TICK_SECONDS, 0)
        assert (state == expected).all()


@pytest.mark.parametrize('name', NAMES)
def test_a_tick_is_the_same_bits_as_its_parts_compiled_and_in_python(name):
    body, field_W = tilted_body(), np.array((1e-5, -3e-5, 2e-5))
    state, module = tumbling_state(body), equations.load(name)
    gravity_W = np.array((0.3, -0.2, -9.81))
    falling = plant_of(body, gravity_W, equations=name, magnetic_field_W=field_W)
    weight = body.mass * gravity_W
    pulled = WRENCH + np.concatenate((np.zeros(6), weight, np.zeros(3)))
    # Asked in turns, a solver must not take one plant for another.
    fielded = falling._replace(environment=Environment(gravity_W, 2.0 * field_W))
    for plant in (falling, fielded, falling.with_substeps(3), falling):
        after = module.advance(state, body.flat(), pulled, TICK_SECONDS, plant.substeps)
        field_W = plant.environment.magnetic_field_W
        seen = kinematics.truth_of(
            after[3:7], after[10:13], np.zeros(6), WRENCH, body.mass, body.inverse_inertia, field_W
        )
        motion = plant.solver.advance(plant, from_flat(state), None, Inputs(WRENCH), 0)
        assert to_flat(motion.state).tobytes() == after.tobytes()
        assert motion.truth.tobytes() == seen.tobytes()
        constants, found = plant.solver._constants(plant), np.empty(driver.FOUND.size)
        module.tick.function(*from_flat(state)[:4], WRENCH, constants, found)
        assert found.tobytes() == after.tobytes() + seen.tobytes()


@pytest.mark.parametrize('name', NAMES)
@pytest.mark.parametrize('part', ['position_W', 'momentum_W', 'angular_momentum_W'])
@pytest.mark.parametrize('size', [1e300, np.inf, np.nan])
def test_a_tick_that_cannot_be_followed_is_told_from_one_that_can(name, part, size):
    body = tilted_body()
    plant, state = plant_of(body, equations=name), from_flat(tumbling_state(body))
    plant.solver.advance(plant, state, None, Inputs(WRENCH), 0)
    wrong = state._replace(**{part: np.array((0.0, size, 0.0))})
    with pytest.raises(
        ArithmeticError, match='computed|faster|beyond|turns at|no rotation|gimbal lock'
    ):
        plant.with_substeps(1).solver.advance(plant, wrong, None, Inputs(WRENCH), 0)


@pytest.mark.parametrize('name', NAMES)
def test_a_body_at_rest_is_set_turning_and_one_left_alone_stays(name):
    body = tilted_body()
    rest = to_flat(body.state(np.ones(3), (0.5, 0.5, -0.5, 0.5), np.zeros(3), np.zeros(3)))
    left = equations.load(name).advance(rest, body.flat(), FREE, 10.0, 0)
    assert left == pytest.approx(rest, abs=2e-15)
    torque_W = np.concatenate((np.zeros(9), (0.3, 0.0, 0.0)))
    pushed = equations.load(name).advance(rest, body.flat(), torque_W, 0.1, 0)
    assert pushed[10:13] == pytest.approx((0.03, 0.0, 0.0), abs=1e-4)


@pytest.mark.parametrize('name', CAN_TUMBLE)
def test_automatic_substeps_follow_the_t_handle_for_10_s(name):
    # 1 ulp in q moves 1 - m, 7.5e-8 here, by some 1e-9 of itself each tick: 1e-7 rad after flips.
    state, body = t_handle()
    states = equations.load(name).trajectory(state, body, FREE, TICK_SECONDS, 0, 320)
    exact = free_motion.evaluate(free_motion.prepare(state, body), 10.0)
    if equations.REGISTRY[name].order > 1:
        assert rotations.angle_between(states[-1, 3:7], exact) < 3e-7


@pytest.mark.parametrize('name', NAMES)
def test_kernels_of_a_set_are_found_by_its_name_here_and_on_disk(name):
    module = equations.load(name)
    for kernel in (module.advance, module.trajectory, module.tick):
        assert pickle.loads(pickle.dumps(kernel)) is kernel
    body = tilted_body()
    module.trajectory(tumbling_state(body), body.flat(), FREE, TICK_SECONDS, 1, 1)
    assert warm_up.cached(module.trajectory)


@pytest.mark.parametrize('name', CAN_TUMBLE)
def test_a_registered_exact_set_takes_one_step_of_a_free_motion(name):
    body, module = tilted_body(), equations.load(name)
    state = tumbling_state(body)
    chosen, one = (module.advance(state, body.flat(), FREE, 1.0, count) for count in (0, 1))
    assert (chosen == one).all() == equations.REGISTRY[name].exact


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match="'rk4'; choose one of momentum, principal_axis_euler"):
        equations.load('rk4')


def test_the_registry_loads_no_compiler():
    code = 'import sys, spacecraft_attitude_sim.core.equations; sys.exit("numba" in sys.modules)'
    assert subprocess.run([sys.executable, '-c', code], check=False).returncode == 0
