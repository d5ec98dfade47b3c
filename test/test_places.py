# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Wrenches in several frames, and at points of the body that no frame was declared for."""

import itertools

import numpy as np
import pytest

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body import loads, places
from spacecraft_attitude_sim.core.body.rigid_body import AT_CENTRE_OF_MASS, BodyFrame, RigidBody
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import Inputs, limits, plant_of
from spacecraft_attitude_sim.core.simulation.commands import (
    MOST_PLACES,
    CommandInbox,
    CommandRefusedError,
)
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

BODY = RigidBody(2.0, np.diag((0.4, 0.5, 0.6)))
PLANT = plant_of(BODY, np.zeros(3))
REST = BODY.state((0, 0, 0), (1, 0, 0, 0), (0, 0, 0), np.zeros(3))
# Turned by 90 deg about z: its x is the body's y, its y the body's -x.
THRUSTER = BodyFrame(
    np.array((0.3, -0.2, 0.1)), rotations.quaternion_from_axis_angle((0, 0, 1), np.pi / 2)
)
FRAMES = {'base_link': AT_CENTRE_OF_MASS, 'thruster': THRUSTER}
NONE = (0.0, 0.0, 0.0)


def inbox(timeout=0.0):
    limit = limits.command_limits(PLANT, timeout)
    return CommandInbox(FRAMES, 'world', (1e9,) * 3, (1e9,) * 3, timeout, limit)


def acting(box):
    """Return force and torque (3,), (3,) at rest, in body axes, of the next tick."""
    return loads.wrench_on_body(box.take(REST.q_WB).wrench, REST.q_WB)


def test_a_force_at_a_point_makes_the_torque_r_cross_f_about_the_centre_of_mass():
    box = inbox()
    r, f, torque = (0.1, 0.5, -0.2), (3.0, -4.0, 5.0), (0.7, 0.0, -0.1)
    box.hold('base_link@0.1,0.5,-0.2', f, torque)
    force_B, torque_B = acting(box)
    assert force_B.tolist() == list(f)
    # One rounding of each product and sum of numbers of order 1.
    assert np.allclose(torque_B, np.cross(r, f) + torque, rtol=0, atol=1e-15)


def test_a_point_of_a_named_frame_is_in_its_axes_from_its_origin():
    box = inbox()
    box.hold('thruster@1,0.5,0', (2.0, 0.0, 0.0), NONE)
    force_B, torque_B = acting(box)
    assert np.allclose(force_B, (0.0, 2.0, 0.0), rtol=0, atol=1e-15)
    r_B = np.array((0.3, -0.2, 0.1)) + (-0.5, 1.0, 0.0)
    assert np.allclose(torque_B, np.cross(r_B, (0.0, 2.0, 0.0)), rtol=0, atol=1e-15)


def test_an_impulse_at_a_point_gives_j_over_m_and_inverse_inertia_times_r_cross_j():
    box = inbox()
    r, J = (0.1, 0.5, -0.2), (0.25, -0.5, 0.125)
    box.strike('base_link@+.1,5e-1,-0.20', J, NONE)
    state = loads.kicked(REST, box.take(REST.q_WB).impulse)
    assert np.allclose(state.momentum_W / BODY.mass, np.array(J) / 2.0, rtol=0, atol=1e-16)
    omega = np.cross(r, J) / (0.4, 0.5, 0.6)
    assert np.allclose(BODY.angular_velocity_B(state), omega, rtol=0, atol=1e-16)


def test_a_couple_of_two_points_spins_the_body_up_where_it_is():
    """Forces ±f at ±r: 2 r f about z, so that the angle is r f t² / I and nothing moves."""
    box = inbox()
    box.hold('base_link@0.25,0,0', (0.0, 0.5, 0.0), NONE)
    box.hold('base_link@-0.25,0,0', (0.0, -0.5, 0.0), NONE)
    state = REST
    for _ in range(32):
        state = simulation.step(PLANT, state, box.take(state.q_WB))
    assert not state.momentum_W.any() and not state.position_W.any()
    angle = 0.25 * 0.5 / 0.6
    assert state.angular_momentum_W[2] == pytest.approx(2.0 * 0.25 * 0.5, rel=1e-14)
    # RK4 of a quaternion that turns by 0.2 rad in 32 ticks: (0.4/32)^4 / 120 = 2e-10 of it.
    assert 2.0 * np.arctan2(state.q_WB[3], state.q_WB[0]) == pytest.approx(angle, rel=1e-9)


@pytest.mark.parametrize(
    ('frame', 'words'),
    [
        ('moon@1,2,3', "'moon@1,2,3'; a point is one of the body: .* base_link, thruster"),
        ('world@1,2,3', 'a point is one of the body'),
        ('@1,2,3', 'a point is one of the body'),
        ('moon', "frame_id is 'moon'; valid are base_link, thruster, world, or a point"),
        ('base_link@', 'after @ give three plain numbers in metres'),
        ('base_link@1,2', 'three plain numbers'),
        ('base_link@1,2,3,4', 'three plain numbers'),
        ('base_link@1, 2, 3', 'three plain numbers'),
        ('base_link@1,2,nan', 'three plain numbers'),
        ('base_link@1,2,inf', 'three plain numbers'),
        ('base_link@1,2,0x10', 'three plain numbers'),
        ('base_link@1,2,1_0', 'three plain numbers'),
        ('base_link@1,2,٣', 'three plain numbers'),
        ('base_link@1,2,3\n', 'three plain numbers'),
        ('base_link@1,2,.', 'three plain numbers'),
        ('base_link@1e999,2,3', 'a coordinate is 1e\\+06 m at most'),
        ('base_link@1,-1.1e6,3', 'a coordinate is 1e\\+06 m at most'),
        ('base_link@' + '1' * 1_000_000, r'three plain numbers'),
        ('base_link' * 200_000 + '@1,2,3', 'a point is one of the body'),
    ],
)
def test_what_is_no_point_is_refused_in_a_line_and_changes_nothing(frame, words):
    box = inbox()
    for take in (box.hold, box.strike):
        with pytest.raises(CommandRefusedError, match=words) as refused:
            take(frame, (1.0, 0.0, 0.0), NONE)
        assert len(str(refused.value)) < 400
    assert not box.holding and box.taken == 0


def test_one_point_in_other_words_is_the_same_place():
    names = [
        places.find(f'base_link@{point}', FRAMES, 'world').name
        for point in ('0.1,-0,25', '1e-1,0.0,+25.', '.1,0,2.5E1')
    ]
    assert names == 3 * ['base_link@0.1,0.0,25.0']
    assert places.find('world', FRAMES, 'world') == ('world', None)


def test_a_frame_whose_name_holds_an_at_is_found_by_its_name():
    frames = {**FRAMES, 'left@1,2,3': THRUSTER}
    assert places.find('left@1,2,3', frames, 'world').frame is THRUSTER


def test_a_wrench_replaces_that_of_the_same_source_and_frame_and_adds_to_all_others():
    box = inbox()
    box.hold('base_link', (1.0, 0.0, 0.0), NONE, 'one')
    box.hold('world', (0.0, 2.0, 0.0), NONE, 'one')
    box.hold('base_link', (4.0, 0.0, 0.0), NONE, 'one')
    box.hold('base_link', (0.0, 0.0, 8.0), NONE, 'other')
    assert box.held_in('one') == box.held_in() == ['base_link', 'world']
    assert acting(box)[0].tolist() == [4.0, 2.0, 8.0]
    box.hold('world', NONE, NONE, 'one')  # lets go of that alone
    assert acting(box)[0].tolist() == [4.0, 0.0, 8.0]
    box.forget('one')
    assert acting(box)[0].tolist() == [0.0, 0.0, 8.0]


def test_each_wrench_of_a_source_times_out_by_itself():
    box = inbox(timeout=2 * TICK_SECONDS)
    box.hold('base_link', (1.0, 0.0, 0.0), NONE)
    box.take(REST.q_WB)
    box.hold('world', (0.0, 1.0, 0.0), NONE)
    assert [acting(box)[0][:2].tolist() for _ in range(3)] == [[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    assert not box.holding


def test_the_sum_over_frames_does_not_depend_on_which_came_first():
    sent = [
        ('base_link', 0.1), ('world', 0.2), ('base_link@1,0,0', 0.3), ('base_link@0,1,0', 1e-9),
    ]  # fmt: skip
    sums = set()
    for order in itertools.permutations(sent):
        box = inbox()
        for frame, size in order:
            box.hold(frame, (size, -size / 3.0, size / 7.0), NONE)
        sums.add(box.take(REST.q_WB).wrench.tobytes())
    assert len(sums) == 1


def test_frames_of_a_source_are_bounded_and_what_is_zero_makes_room():
    box = inbox()
    for number in range(MOST_PLACES):
        box.hold(f'base_link@{number},0,0', (1e-3, 0.0, 0.0), NONE, 'one')
    with pytest.raises(CommandRefusedError, match='wrenches in 32 other frames already'):
        box.hold('base_link', (1e-3, 0.0, 0.0), NONE, 'one')
    box.hold('base_link@7,0,0', (2e-3, 0.0, 0.0), NONE, 'one')
    box.hold('base_link', (1e-3, 0.0, 0.0), NONE, 'other')
    box.hold('base_link@7,0,0', NONE, NONE, 'one')
    box.hold('base_link', (1e-3, 0.0, 0.0), NONE, 'one')
    assert len(box.held_in('one')) == MOST_PLACES


def test_splitting_a_torque_over_frames_does_not_get_past_what_can_be_resolved():
    """Not even where the parts cancel: either may end before the other."""
    box = inbox(timeout=1.0)
    most = limits.resolved_rate(PLANT) * 0.4
    for sign in (1.0, -1.0):
        box.clear()
        box.hold('base_link', NONE, (0.6 * most, 0.0, 0.0))
        with pytest.raises(CommandRefusedError, match='^sum of torques of .* would turn the body'):
            box.hold('base_link@0,0,1', NONE, (sign * 0.6 * most, 0.0, 0.0))
        box.hold('base_link@0,0,1', NONE, (sign * 0.3 * most, 0.0, 0.0))
        box.hold('base_link', NONE, (0.5 * most, 0.0, 0.0))  # in place of its own


def test_a_source_in_one_frame_gives_the_bits_of_its_wrench():
    box = inbox()
    for torque in ((0.1, -0.0, 0.3), (-0.0, 0.0, -0.0)):
        box.hold('base_link', NONE, torque)
        expected = loads.wrench_in_body(NONE, torque, AT_CENTRE_OF_MASS)
        assert box.take(REST.q_WB).wrench.tobytes() == expected.tobytes()


def test_forces_at_points_of_a_free_body_add_up_to_the_momentum_gained():
    """L about the centre of mass grows by the sum of R(q) (r × f) dt, here one spin axis."""
    box = inbox()
    box.hold('base_link@0.5,0,0', (0.0, 0.2, 0.0), NONE, 'one')
    box.hold('base_link@0,-0.5,0', (0.2, 0.0, 0.0), NONE, 'two')
    state = REST
    for _ in range(64):
        state = simulation.step(PLANT, state, Inputs(box.take(state.q_WB).wrench))
    assert state.angular_momentum_W[2] == pytest.approx(2.0 * (0.5 * 0.2 + 0.5 * 0.2), rel=1e-13)
    assert np.linalg.norm(state.angular_momentum_W[:2]) < 1e-15
