# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Forces, torques and impulses against closed forms, in the core."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.rigid_body import AT_CENTRE_OF_MASS, BodyFrame, RigidBody
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import Inputs, limits, plant_of
from spacecraft_attitude_sim.core.simulation.commands import CommandInbox, CommandRefusedError
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

BODY = RigidBody(2.0, np.diag((0.4, 0.5, 0.6)))
PLANT = plant_of(BODY, np.zeros(3))
REST = BODY.state((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), np.zeros(3))
THRUSTER = BodyFrame(
    np.array((0.3, -0.2, 0.1)), rotations.quaternion_from_axis_angle((0, 0, 1), np.pi / 2)
)


def inbox(timeout=0.0, force_limit=(1e9,) * 3, torque_limit=(1e9,) * 3):
    frames = {'base_link': AT_CENTRE_OF_MASS, 'thruster': THRUSTER}
    limit = limits.command_limits(PLANT, timeout)
    return CommandInbox(frames, 'world', force_limit, torque_limit, timeout, limit)


@pytest.mark.parametrize('size', [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize('limit', [1e9, np.inf])
def test_what_is_not_finite_is_refused_whatever_the_limits(size, limit):
    box = inbox(0.0, (limit,) * 3, (limit,) * 3)
    for force, torque in (((0.0, size, 0.0), (0, 0, 0)), ((0, 0, 0), (0.0, 0.0, size))):
        with pytest.raises(CommandRefusedError, match='a component is not finite'):
            box.hold('base_link', force, torque)
    assert not box.holding


def test_a_weight_is_added_to_the_force_in_world_axes_and_changes_no_other_bit():
    wrench = np.array((0.0, -0.0, 1.0, -0.0, 0.0, 2.0, 3.0, -0.0, 0.0, 0.0, -0.0, 5.0))
    for weight_W in ((0.0, 0.0, 0.0), (0.1, -0.0, -9.81)):
        expected = wrench.copy()
        expected[6:9] += weight_W
        assert (wrench + loads.weight(np.array(weight_W))).tobytes() == expected.tobytes()


def test_a_wrench_at_the_centre_has_the_bits_of_one_in_any_frame():
    sizes = (0.0, -0.0, 1.5, -2.5, 5e-324, -1e300)
    for places in itertools.product(range(6), repeat=6):
        if sum(places) % 6 == 0:  # a sixth of them
            six = [sizes[place] for place in places]
            expected = loads.wrench_in_body(six[:3], six[3:], AT_CENTRE_OF_MASS)
            assert loads.wrench_at_centre(*six).tobytes() == expected.tobytes(), six


def test_impulse_at_a_point_gives_j_over_m_and_inverse_inertia_times_r_cross_j():
    box = inbox()
    box.strike('thruster', (0.5, 0.0, 0.0), (0.0, 0.0, 0.0))
    state = loads.kicked(REST, box.take(REST.q_WB).impulse)
    J_B = np.array((0.0, 0.5, 0.0))  # the thruster's x is the body's y
    assert np.allclose(state.momentum_W / BODY.mass, J_B / 2.0, rtol=0, atol=1e-16)
    omega = np.cross(THRUSTER.position_B, J_B) / (0.4, 0.5, 0.6)
    assert np.allclose(BODY.angular_velocity_B(state), omega, rtol=0, atol=1e-16)


def test_force_on_a_spinning_body_turns_with_it_or_does_not():
    """Spin ω about z: a body force gives v = f/m (sin ωt, 1 - cos ωt)/ω, a world force f t/m."""
    spin = BODY.state((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), np.array((0.0, 0.0, 3.0)))
    ends = {}
    for name, wrench in (
        ('body', loads.wrench_in_body((1.0, 0, 0), (0, 0, 0), AT_CENTRE_OF_MASS)),
        ('world', loads.wrench_in_world((1.0, 0, 0), (0, 0, 0))),
    ):
        states = simulation.trajectory(PLANT, spin, 64, wrench)
        ends[name] = states[-1, 7:10] / BODY.mass
    t, w = 64 * TICK_SECONDS, 3.0
    expected = np.array((np.sin(w * t), 1 - np.cos(w * t), 0.0)) / (w * BODY.mass)
    # RK4 at 1/256 rad a sub-step: (1/256)^4 ≈ 2e-10 of the speed gained.
    assert np.allclose(ends['body'], expected, rtol=0, atol=1e-10)
    assert np.allclose(ends['world'], (t / BODY.mass, 0, 0), rtol=0, atol=1e-13)


def test_torque_about_a_fixed_axis_is_uniform_acceleration():
    wrench = loads.wrench_in_body((0, 0, 0), (0, 0, 0.3), AT_CENTRE_OF_MASS)
    state = simulation.trajectory(PLANT, REST, 64, wrench)[-1]
    assert state[12] == pytest.approx(0.3 * 2.0, rel=1e-13)
    angle = 0.5 * (0.3 / 0.6) * 2.0**2
    turned = rotations.quaternion_from_axis_angle((0, 0, 1), angle)
    assert rotations.angle_between(state[3:7], turned) < 1e-9


def test_gravity_moves_the_body_and_does_not_turn_it():
    plant = plant_of(BODY, np.array((0.0, 0.0, -9.81)))
    tumble = BODY.state((0, 0, 0), (1, 0, 0, 0), (1, 0, 0), np.array((1.0, 2.0, 3.0)))
    free = simulation.trajectory(PLANT, tumble, 64)
    falling = simulation.trajectory(plant, tumble, 64)
    assert np.array_equal(free[:, 3:7], falling[:, 3:7])
    assert np.allclose(falling[-1, 0:3], (2.0, 0, -0.5 * 9.81 * 4), rtol=1e-12)


def test_applied_wrench_in_world_axes_times_time_is_the_momentum_gained():
    rng = np.random.default_rng(7)
    plant = plant_of(BODY, np.array((0.0, 0.0, -9.81)))
    instant = simulation.Instant(0, REST)
    gained, ticks = np.zeros(6), 200
    for _ in range(ticks):
        wrench = np.concatenate((np.zeros(6), rng.normal(size=6)))
        inputs = Inputs(wrench, rng.normal(size=6) * rng.integers(0, 2))
        instant = simulation.next_instant(plant, instant, inputs)
        q = instant.state.q_WB
        gained += TICK_SECONDS * np.concatenate(
            (
                rotations.rotate(q, instant.applied_B[:3]),
                rotations.rotate(q, instant.applied_B[3:]),
            )
        )
    weight = plant.body.mass * plant.gravity_W * ticks * TICK_SECONDS
    momenta = np.concatenate((instant.state.momentum_W - weight, instant.state.angular_momentum_W))
    # Sums of some 200 numbers of size ten.
    assert np.allclose(gained, momenta, rtol=0, atol=1e-11)


def test_a_load_that_turns_with_the_body_is_applied_as_it_was_commanded():
    spinning = BODY.state((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), np.array((0.0, 2.0, 0.1)))
    wrench = loads.wrench_in_body((1.0, 2.0, 3.0), (0.1, 0.2, 0.3), AT_CENTRE_OF_MASS)
    instant = simulation.Instant(0, spinning)
    for _ in range(5):
        instant = simulation.next_instant(PLANT, instant, Inputs(wrench))
        assert instant.applied_B.tolist() == wrench[:6].tolist()


def test_a_free_tick_applies_exactly_nothing():
    plant = plant_of(BODY, np.array((0.0, 0.0, -9.81)))
    instant = simulation.next_instant(plant, simulation.Instant(0, REST), Inputs())
    assert np.all(instant.applied_B == 0.0)


def test_turning_the_world_turns_a_world_load():
    turn = Rotation.from_rotvec((0.3, -0.5, 0.2))
    q = np.roll(turn.as_quat(), 1)
    force, torque = np.array((1.0, 2.0, 3.0)), np.array((0.1, 0.2, 0.3))
    straight = simulation.trajectory(PLANT, REST, 32, loads.wrench_in_world(force, torque))[-1]
    start = REST._replace(q_WB=q)
    wrench = loads.wrench_in_world(turn.apply(force), turn.apply(torque))
    bent = simulation.trajectory(PLANT, start, 32, wrench)[-1]
    assert np.allclose(bent[0:3], turn.apply(straight[0:3]), rtol=0, atol=1e-14)
    assert rotations.angle_between(rotations.compose(q, straight[3:7]), bent[3:7]) < 1e-13


def test_wrench_is_held_for_its_timeout_and_then_is_zero():
    box = inbox(timeout=0.25)  # 8 ticks
    box.hold('base_link', (1.0, 0, 0), (0, 0, 0))
    held = [bool(box.take(REST.q_WB).wrench.any()) for _ in range(12)]
    assert held == [True] * 8 + [False] * 4


def test_wrench_without_timeout_is_held_until_the_next_one_in_its_frame():
    box = inbox()
    box.hold('base_link', (1.0, 0, 0), (0, 0, 0))
    assert all(box.take(REST.q_WB).wrench[0] == 1.0 for _ in range(1000))
    box.hold('base_link', (0, 0, 0), (0, 0, 2.0))
    assert box.take(REST.q_WB).wrench.tolist() == [0, 0, 0, 0, 0, 2.0] + [0] * 6


def test_impulses_between_ticks_add_and_act_once():
    box = inbox()
    for _ in range(3):
        box.strike('world', (1.0, 0, 0), (0, 0, 0.5))
    assert box.take(REST.q_WB).impulse.tolist() == [3.0, 0, 0, 0, 0, 1.5]
    assert not box.take(REST.q_WB).impulse.any()


def test_limits_saturate_in_the_frame_of_the_command():
    box = inbox(force_limit=(1.0, 2.0, 3.0))
    box.hold('thruster', (5.0, -5.0, 5.0), (0, 0, 0))
    force_B = box.take(REST.q_WB).wrench[:3]
    assert np.allclose(force_B, rotations.rotate(THRUSTER.q_BF, (1.0, -2.0, 3.0)))
    assert box.saturated == 1


@pytest.mark.parametrize('method', ['hold', 'strike'])
@pytest.mark.parametrize(
    ('frame', 'value', 'words'),
    [
        ('nowhere', 1.0, "frame_id is 'nowhere'; valid are base_link, thruster, world"),
        ('', 1.0, "frame_id is ''"),
        ('world', np.nan, 'not finite'),
        ('world', np.inf, 'not finite'),
    ],
)
def test_impossible_command_is_refused_and_changes_nothing(method, frame, value, words):
    box = inbox()
    box.hold('world', (7.0, 0, 0), (0, 0, 0))
    with pytest.raises(CommandRefusedError, match=words):
        getattr(box, method)(frame, (value, 0.0, 0.0), (0.0, 0.0, 0.0))
    inputs = box.take(REST.q_WB)
    assert inputs.wrench[6] == 7.0
    assert not inputs.impulse.any()


def test_absurd_impulse_is_refused():
    with pytest.raises(CommandRefusedError, match='check the unit'):
        inbox().strike('world', (1e308, 0, 0), (0, 0, 0))


@pytest.mark.parametrize('index', range(12))
def test_only_a_force_fixed_in_the_world_leaves_a_body_free(index):
    wrench = np.zeros(12)
    assert loads.leaves_free(wrench)
    wrench[index] = 1e-30
    assert loads.leaves_free(wrench) == (index in (6, 7, 8))


def test_a_command_is_said_to_be_held_from_its_arrival_to_its_last_tick():
    box = inbox(timeout=0.25)  # 8 ticks
    assert not box.holding
    box.hold('base_link', (1.0, 0, 0), (0, 0, 0))
    said, acts = [], []
    for _ in range(12):
        said.append(box.holding)
        acts.append(bool(box.take(REST.q_WB).wrench.any()))
    assert said == acts == [True] * 8 + [False] * 4
    assert not box.holding
    box.hold('base_link', (1.0, 0, 0), (0, 0, 0))
    box.clear()
    assert not box.holding
    endless = inbox()
    endless.hold('world', (1.0, 0, 0), (0, 0, 0))
    for _ in range(100):
        endless.take(REST.q_WB)
    assert endless.holding


def test_counts_of_commands_are_of_what_was_taken_limited_and_refused():
    box = inbox(force_limit=(1.0, 1.0, 1.0), torque_limit=(0.5, 0.5, 0.5))
    box.hold('world', (1.0, -1.0, 1.0), (0.5, -0.5, 0.5))  # at the limit, not beyond
    assert (box.taken, box.saturated, box.refused) == (1, 0, 0)
    box.hold('world', (0.0, 0.0, 0.0), (0.0, -0.6, 0.0))
    assert box.take(REST.q_WB).wrench.tolist() == [0.0] * 10 + [-0.5, 0.0]
    assert (box.taken, box.saturated, box.refused) == (2, 1, 0)
    box.refuse('too late')
    assert (box.taken, box.saturated, box.refused, box.last_refusal) == (2, 1, 1, 'too late')


def test_mean_wrench_is_in_the_axes_of_the_second_state_without_gravity():
    quarter = rotations.quaternion_from_axis_angle((0, 0, 1), np.pi / 2)
    weight_W = np.array((0.0, 0.0, -4.0))
    after = REST._replace(
        q_WB=quarter, momentum_W=np.array((0.0, 1.0, -2.0)),
        angular_momentum_W=np.array((0.5, 0.0, 0.0)),
    )  # fmt: skip
    found = loads.mean_wrench_B(REST, after, weight_W, 0.5)
    # World y is body x, world x is body -y.
    assert np.allclose(found, (2.0, 0.0, 0.0, 0.0, -1.0, 0.0), rtol=0, atol=1e-15)
