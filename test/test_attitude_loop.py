# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The loop answers what it can trust, gives no torque for the rest, and recovers."""

import numpy as np
import pytest

from spacecraft_attitude_sim.core.control import attitude_loop, control_law
from spacecraft_attitude_sim.core.control.attitude_loop import AttitudeLoop, Reading, Settings
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import TICK_NS

GAINS = control_law.gains_from_bandwidth(np.diag((0.03, 0.02, 0.01)), 0.2, 0.8, [1.0, 1.0, 1.0])
TIMEOUT_NS = 8 * TICK_NS
TURNED = rotations.quaternion_from_axis_angle(np.array((0.0, 0.0, 1.0)), 0.5)
WALL_NS = 1_700_000_000_000_000_000


def loop_of(mode=attitude_loop.POINTING, q_BS=rotations.IDENTITY, reference=control_law.AT_REST):
    return AttitudeLoop(Settings(mode, GAINS, np.array(q_BS), TIMEOUT_NS), reference)


def reading(tick, q_WS=TURNED, omega_S=(0.01, 0.0, 0.0)):
    return Reading(tick * TICK_NS, q_WS, np.array(omega_S))


def test_each_reading_is_answered_once_in_order():
    loop = loop_of()
    first, second = loop.answer(reading(1)), loop.answer(reading(2, omega_S=(0.02, 0.0, 0.0)))
    assert (first.time_ns, second.time_ns) == (TICK_NS, 2 * TICK_NS)
    assert second.torque_B[0] < first.torque_B[0] < 0.0
    assert first.torque_B[2] < 0.0
    assert not first.problem
    # Out of order: nothing. Again: the same answer, whatever it says now.
    assert loop.answer(reading(1)) is None
    assert loop.answer(reading(2, omega_S=(5.0, 0.0, 0.0))) is second
    assert (loop.answered, loop.ignored) == (2, 2)


@pytest.mark.parametrize(
    ('q_WS', 'omega_S', 'words'),
    [
        (TURNED, (0.0, np.nan, 0.0), 'angular velocity is'),
        (TURNED, (0.0, 0.0, -1e308), 'angular velocity is'),
        (TURNED, (np.inf, 0.0, 0.0), 'angular velocity is'),
        (TURNED, (1e200, 0.0, 0.0), 'angular velocity is'),
        (np.zeros(4), (0.0, 0.0, 0.0), 'not a unit quaternion'),
        (np.array((np.nan, 0.0, 0.0, 0.0)), (0.0, 0.0, 0.0), 'not a unit quaternion'),
        (2.0 * TURNED, (0.0, 0.0, 0.0), 'not a unit quaternion'),
    ],
)
def test_impossible_numbers_get_no_torque_and_the_next_reading_counts(q_WS, omega_S, words):
    loop = loop_of()
    answer = loop.answer(reading(1, q_WS, omega_S))
    assert not answer.torque_B.any()
    assert words in answer.problem
    assert words in loop.problem
    assert loop.refused == 1
    assert loop.answer(reading(2)).torque_B.any()
    assert not loop.problem


@pytest.mark.parametrize(('ticks_old', 'taken'), [(0, True), (8, True), (9, False), (-9, False)])
def test_age_is_judged_by_the_clock(ticks_old, taken):
    loop = loop_of()
    answer = loop.answer(reading(100), (100 + ticks_old) * TICK_NS)
    assert answer.torque_B.any() == taken
    assert bool(answer.problem) != taken
    # No torque is given at the clock's time: a stamp of the future would be refused.
    assert answer.time_ns == (100 if taken else 100 + ticks_old) * TICK_NS
    # A stamp that cannot be does not make the right ones late.
    assert loop.answer(reading(101), 101 * TICK_NS).torque_B.any()


def test_wall_clock_does_not_judge_simulated_stamps_but_its_own():
    loop = loop_of()
    assert loop.answer(reading(100), WALL_NS).torque_B.any()
    late = Reading(WALL_NS - TIMEOUT_NS - 1, TURNED, np.zeros(3))
    assert not loop.answer(late, WALL_NS).torque_B.any()


def test_silence_is_a_new_beginning_but_not_for_the_last_reading_again():
    loop = loop_of()
    loop.answer(reading(50))
    loop.silence()
    assert 'no IMU data for 0.25 s' in loop.problem
    # A sensor that repeats itself stays without torque; one that was restarted counts.
    assert not loop.answer(reading(50)).torque_B.any()
    assert loop.answer(reading(1)).torque_B.any()
    assert not loop.problem
    assert loop.answer(reading(0)) is None


def test_without_orientation_it_damps_the_rate_and_says_so():
    loop = loop_of()
    answer = loop.answer(reading(1, q_WS=None, omega_S=(0.0, 0.1, 0.0)))
    assert np.allclose(answer.torque_B, (0.0, -2.0 * 0.8 * 0.2 * 0.02 * 0.1, 0.0))
    assert 'without orientation' in answer.problem
    assert answer.q_WR is None


def test_modes():
    rates = (0.0, 0.1, 0.0)
    damping = loop_of(attitude_loop.RATE_DAMPING).answer(reading(1, omega_S=rates))
    assert np.allclose(damping.torque_B, (0.0, -2.0 * 0.8 * 0.2 * 0.02 * 0.1, 0.0))
    assert not damping.problem
    idle = loop_of(attitude_loop.IDLE).answer(reading(1))
    assert not idle.torque_B.any()
    assert not idle.problem


def test_turned_imu_gives_the_torque_of_an_aligned_one():
    q_BS = rotations.quaternion_from_euler_zyx(0.3, -0.8, 2.0)
    omega_B = np.array((0.02, -0.01, 0.05))
    aligned = loop_of().answer(reading(1, TURNED, omega_B))
    omega_S = rotations.rotate(rotations.conjugate(q_BS), omega_B)
    turned = loop_of(q_BS=q_BS).answer(reading(1, rotations.compose(TURNED, q_BS), omega_S))
    assert np.allclose(turned.torque_B, aligned.torque_B, rtol=0, atol=1e-16)


def test_reference_turns_from_the_reading_it_is_taken_with():
    reference = control_law.Reference(TURNED, np.array((0.0, 0.0, 0.1)), np.zeros(3))
    loop = loop_of(reference=reference)
    assert np.allclose(loop.answer(reading(320)).q_WR, TURNED)
    later = loop.answer(reading(640)).q_WR  # 10 s, 1 rad
    assert rotations.angle_between(TURNED, later) == pytest.approx(1.0, abs=1e-12)
    loop.follow(reference, 0)  # from a message stamped 0: 20 s ago
    now = loop.answer(reading(641)).q_WR
    assert rotations.angle_between(TURNED, now) == pytest.approx(641 / 320, abs=1e-12)


def test_silence_near_a_half_turn_forgets_the_way_round():
    """Begun at 170 degrees, the way back is kept at 185; after silence the shorter way is on."""
    loop = loop_of()
    beyond = rotations.quaternion_from_axis_angle(np.array((0.0, 0.0, 1.0)), np.radians(185.0))
    before = rotations.quaternion_from_axis_angle(np.array((0.0, 0.0, 1.0)), np.radians(170.0))
    still = (0.0, 0.0, 0.0)
    assert loop.answer(reading(1, before, still)).torque_B[2] < 0.0
    assert loop.answer(reading(2, beyond, still)).torque_B[2] < 0.0  # kept
    loop.silence()
    assert (
        loop.answer(reading(9, beyond, still)).torque_B[2] > 0.0
    )  # the 175 degrees that are left


def test_counts_are_of_readings_and_an_age_of_the_timeout_itself_is_fresh():
    loop = loop_of()
    assert (loop.answered, loop.ignored, loop.refused, loop.saturated) == (0, 0, 0, 0)
    loop.answer(reading(1), TICK_NS + TIMEOUT_NS)
    loop.answer(reading(1))
    loop.answer(reading(2), 2 * TICK_NS + TIMEOUT_NS + 1)
    loop.answer(reading(3, omega_S=(500.0, 0.0, 0.0)))  # far beyond 1 N m
    assert (loop.answered, loop.ignored, loop.refused, loop.saturated) == (2, 1, 1, 1)
    assert loop.problem == ''


def test_settings_changed_meanwhile_count_for_the_next_reading():
    loop = loop_of()
    first = loop.answer(reading(1)).torque_B
    stiffer = control_law.gains_from_bandwidth(np.diag((0.03, 0.02, 0.01)), 0.4, 0.8, [1.0] * 3)
    loop.configure(loop.settings._replace(gains=stiffer))
    second = loop.answer(reading(2)).torque_B
    # ω about x alone and θ about z alone: -2 ζ ω_n I ω and -ω_n² I 2 sin(θ/2), ω × I ω aside.
    assert second[0] == pytest.approx(2.0 * first[0], rel=1e-12)
    assert second[2] == pytest.approx(4.0 * first[2], rel=1e-12)
    loop.configure(loop.settings._replace(mode=attitude_loop.RATE_DAMPING))
    damped = loop.answer(reading(3)).torque_B
    assert damped[0] == pytest.approx(second[0], rel=1e-12)
    assert damped[2] == 0.0


# --- readings of another time --------------------------------------------------------------------

FAR_NS = 10**6 * 1_000_000_000  # simulated time, far beyond the run


def test_a_reading_far_ahead_is_not_believed_where_no_clock_judges_it():
    loop = loop_of()
    assert loop.answer(reading(1), WALL_NS)
    assert loop.answer(reading(FAR_NS // TICK_NS), WALL_NS) is None
    assert 'ahead of those before' in loop.problem
    assert loop.refused == 1
    # It has not become the latest.
    assert loop.answer(reading(2), WALL_NS).torque_B.any()
    assert loop.answer(reading(FAR_NS // TICK_NS), WALL_NS) is None
    # A second one that precedes it does not confirm it; one that follows does.
    assert loop.answer(reading(FAR_NS // TICK_NS - 1), WALL_NS) is None
    assert loop.answer(reading(FAR_NS // TICK_NS), WALL_NS).torque_B.any()


@pytest.mark.parametrize('clock_ns', [None, 10 * TICK_NS, WALL_NS])
def test_a_reading_of_before_time_began_is_refused_and_the_next_counts(clock_ns):
    loop = loop_of()
    answer = loop.answer(reading(-3), clock_ns)
    assert answer is None or not answer.torque_B.any()
    assert 'before time began' in loop.problem
    assert loop.answer(reading(10), clock_ns).torque_B.any()


def test_a_stray_reading_beside_good_ones_is_no_answer_to_a_tick():
    """In lockstep, a zero torque stamped with the clock would be taken for the answer."""
    loop = loop_of()
    now = 10 * TICK_NS
    assert loop.answer(reading(10), now).torque_B.any()
    for tick in (FAR_NS // TICK_NS, 30):
        assert loop.answer(reading(tick), now) is None
    assert loop.refused == 2
    # Where nothing good is at hand, the answer is no torque, of now.
    silent = loop_of().answer(reading(30), now)
    assert (silent.time_ns, silent.torque_B.tolist()) == (now, [0.0, 0.0, 0.0])


def test_a_reading_from_the_future_that_came_before_the_clock_is_forgotten():
    loop = loop_of()
    assert loop.answer(reading(FAR_NS // TICK_NS)).torque_B.any()
    assert loop.answer(reading(10), 10 * TICK_NS).torque_B.any()
