# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Motion in momentum form against exact solutions and conserved quantities."""

import numpy as np
import pytest

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import from_flat, to_flat
from spacecraft_attitude_sim.core.equations import momentum
from spacecraft_attitude_sim.core.equations.shared import free_motion
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies.flips_and_drifts import DriftMonitor
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

LUMP = RigidBody(2.0, np.array(((1.0, 0.1, -0.2), (0.1, 1.6, 0.05), (-0.2, 0.05, 2.0))))
TUMBLE = LUMP.state((1.0, 2.0, 3.0), (1, 0, 0, 0), (0.1, 0.2, 0.3), np.array((0.7, -1.1, 0.4)))


def run(name, ticks, substeps=0):
    found = scenario.load(scenario.find(name))
    plant = found.plant.with_substeps(substeps)
    return found, simulation.trajectory(plant, found.initial, ticks)


@pytest.fixture(scope='module')
def racket():
    """The tennis racket's 321 instants, and the exact attitudes of them.

    Those of free_motion.py, which test_free_motion.py holds against 30 digits: 2e-14 rad here.
    """
    found, states = run('tennis_racket', 320)
    constants = free_motion.prepare(to_flat(found.initial), found.plant.body.flat())
    return found, states, free_motion.evaluate_many(constants, np.arange(321) * TICK_SECONDS)


def test_tennis_racket_attitude_is_within_a_microradian_of_the_exact_solution(racket):
    _, states, exact = racket
    errors = [
        rotations.angle_between(q, state[3:7]) for q, state in zip(exact, states, strict=True)
    ]
    assert max(errors) < 1e-6


def test_tennis_racket_keeps_inertial_angular_momentum_to_the_last_bit(racket):
    _, states, _ = racket
    assert np.unique(states[:, 10:13], axis=0).shape == (1, 3)


def test_tennis_racket_keeps_energy(racket):
    found, states, _ = racket
    watch = DriftMonitor(found.plant, found.initial)
    for k, state in enumerate(states):
        watch.add(k * TICK_SECONDS, from_flat(state))
    assert watch.energy_drift < 1e-9
    assert watch.momentum_drift == 0.0


def test_tennis_racket_flips_where_the_exact_rate_changes_sign(racket):
    found, states, exact = racket
    L_W = found.initial.angular_momentum_W
    watch = DriftMonitor(found.plant, found.initial)
    for k, state in enumerate(states):
        watch.add(k * TICK_SECONDS, from_flat(state))
    along = np.array([rotations.rotate(rotations.conjugate(q), L_W)[1] for q in exact])
    before = np.flatnonzero(along[1:] * along[:-1] < 0)
    assert len(before) == 3
    for flip, tick in zip(watch.flips(), before, strict=True):
        assert tick * TICK_SECONDS <= flip <= (tick + 1) * TICK_SECONDS


def test_symmetric_top_turns_as_cosine_and_sine():
    found, states = run('symmetric_top', 640)
    t = np.arange(641) * TICK_SECONDS
    exact = np.stack((np.cos(t), np.sin(t), np.ones_like(t)), axis=1)
    rates = [found.plant.body.angular_velocity_B(from_flat(state)) for state in states]
    # 20 s at 1/256 rad a sub-step: RK4 leaves (1/256)^4 of a radian per radian turned.
    assert np.max(np.abs(rates - exact)) < 1e-9


@pytest.mark.parametrize('load', ['none', 'in body axes', 'in world axes'])
def test_rk4_converges_with_order_four(load):
    wrench = loads.FREE.copy()
    if load == 'in body axes':
        wrench[:6] = (0.5, -0.2, 0.1, 0.3, 0.6, -0.4)
    if load == 'in world axes':
        wrench[6:] = (0.5, -0.2, 0.1, 0.3, 0.6, -0.4)

    def after_two_seconds(substeps):
        return momentum.advance(to_flat(TUMBLE), LUMP.flat(), wrench, 2.0, substeps)

    reference = after_two_seconds(2048)
    coarse, fine = (np.linalg.norm(after_two_seconds(n) - reference) for n in (32, 64))
    assert np.log2(coarse / fine) == pytest.approx(4.0, abs=0.15)


def test_one_substep_is_the_plain_scheme_of_s1():
    """`substeps: 1` is RK4 on dq/dt = ½ q ∘ ω with ω = I^-1 (q* ∘ L ∘ q), written out here."""
    found, states = run('tennis_racket', 1, substeps=1)
    moments, h = found.plant.body.principal_moments, TICK_SECONDS
    L = found.initial.angular_momentum_W

    def product(a, b):
        v = a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
        return np.concatenate(([a[0] * b[0] - a[1:] @ b[1:]], v))

    def slope(q):
        star = q * (1, -1, -1, -1)
        L_B = product(product(star, np.concatenate(([0.0], L))), q)[1:]
        return product(q, np.concatenate(([0.0], L_B / moments))) / 2

    q = np.array((1.0, 0.0, 0.0, 0.0))
    k1 = slope(q)
    k2 = slope(q + h / 2 * k1)
    k3 = slope(q + h / 2 * k2)
    k4 = slope(q + h * k3)
    q = q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    assert np.allclose(states[1, 3:7], q / np.linalg.norm(q), rtol=0, atol=1e-15)


def test_free_centre_of_mass_moves_in_a_straight_line():
    states = simulation.trajectory(simulation.plant_of(LUMP, np.zeros(3)), TUMBLE, 320)
    line = TUMBLE.position_W + np.outer(np.arange(321) * TICK_SECONDS, (0.1, 0.2, 0.3))
    # 320 ticks of 13 sub-steps, each rounding a coordinate below 8 m by at most 4.4e-16 m.
    assert np.allclose(states[:, 0:3], line, rtol=0, atol=320 * 13 * 4.4e-16)


def test_turning_the_world_turns_the_motion():
    turn = rotations.quaternion_from_axis_angle((1.0, -2.0, 0.5), 0.8)
    plant = simulation.plant_of(LUMP, np.zeros(3))
    turned = TUMBLE._replace(
        q_WB=rotations.compose(turn, TUMBLE.q_WB),
        angular_momentum_W=rotations.rotate(turn, TUMBLE.angular_momentum_W),
    )
    straight = simulation.trajectory(plant, TUMBLE, 320)[-1, 3:7]
    bent = simulation.trajectory(plant, turned, 320)[-1, 3:7]
    assert rotations.angle_between(rotations.compose(turn, straight), bent) < 1e-13


def test_other_body_axes_describe_the_same_motion():
    """Turning the axes a body is described in changes its inertia tensor, not its motion."""
    q_BD = rotations.quaternion_from_axis_angle((0.3, 1.0, -0.4), 1.1)
    C = rotations.dcm_from_quaternion(q_BD)
    inertia = C.T @ LUMP.inertia @ C
    other = RigidBody(2.0, (inertia + inertia.T) / 2)
    start = TUMBLE._replace(q_WB=rotations.compose(TUMBLE.q_WB, q_BD))
    one = simulation.trajectory(simulation.plant_of(LUMP, np.zeros(3)), TUMBLE, 320)[-1, 3:7]
    two = simulation.trajectory(simulation.plant_of(other, np.zeros(3)), start, 320)[-1, 3:7]
    assert rotations.angle_between(rotations.compose(one, q_BD), two) < 1e-12


def test_many_steps_are_bit_for_bit_the_trajectory():
    plant = simulation.plant_of(LUMP, np.zeros(3))
    state, states = TUMBLE, simulation.trajectory(plant, TUMBLE, 50)
    for expected in states[1:]:
        state = simulation.step(plant, state)
        assert to_flat(state).tobytes() == expected.tobytes()


def test_substeps_follow_the_rate():
    plant = simulation.plant_of(LUMP, np.zeros(3))
    slow = LUMP.state((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), np.zeros(3))
    assert simulation.substeps_in(plant, slow) == 1
    fast = LUMP.state((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), np.array((0.0, 0.0, 100.0)))
    assert simulation.substeps_in(plant, fast) >= 100.0 * TICK_SECONDS / momentum.SUBSTEP_ANGLE
    assert simulation.substeps_in(plant.with_substeps(3), fast) == 3


def test_body_at_rest_stays_at_rest():
    rest = LUMP.state((1, 2, 3), (1, 0, 0, 0), (0, 0, 0), np.zeros(3))
    states = simulation.trajectory(simulation.plant_of(LUMP, np.zeros(3)), rest, 10)
    # Turning to principal axes and back rounds the quaternion's last bit.
    assert np.allclose(states, states[0], rtol=0, atol=1e-15)
