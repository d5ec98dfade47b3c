# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The exact attitude of a free body: against 30-digit references, and in the limits."""

import itertools
import json
import math

import exact_reference
import mpmath
import numpy as np
import pytest
from make_exact_attitudes import DATA, KINDS, TIMES

from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import State, to_flat
from spacecraft_attitude_sim.core.equations.shared import free_motion
from spacecraft_attitude_sim.core.mathematics import rotations

# Error [rad] allowed at time t of a body that turns at most at Ω = |L| / I_min: a few roundings at
# once, then a few per radian. Measured: 1.3e-15 (1 + Ω t) at worst, near the separatrix.
ROUND_OFF = 3e-15


def references():
    """Return the stored cases, 20 of each kind."""
    return json.loads(DATA.read_text())['cases']


def error_over_bound(case):
    """Return the largest error of a case over ROUND_OFF (1 + Ω t)."""
    state, body = np.array(case['state']), np.array(case['body'])
    rate = np.linalg.norm(state[10:13]) / np.min(body[9:12])
    constants = free_motion.prepare(state, body)
    return max(
        rotations.angle_between(free_motion.evaluate(constants, time), np.array(q))
        / (ROUND_OFF * (1.0 + rate * time))
        for time, q in zip(TIMES, case['attitudes'], strict=True)
    )


def flat(moments, L_B, q_WB=rotations.IDENTITY):
    """Return flat state and body of principal moments and an angular momentum in body axes."""
    body = RigidBody(1.0, np.diag(moments))
    L_W = rotations.rotate(np.array(q_WB), np.array(L_B, dtype=float))
    return to_flat(State(np.zeros(3), np.array(q_WB), np.zeros(3), L_W)), body.flat()


@pytest.mark.parametrize('kind', [kind.__name__ for kind in KINDS])
def test_exact_attitude_is_exact_up_to_1000_s(kind):
    cases = [case for case in references() if case['kind'] == kind]
    assert len(cases) == 20
    assert max(error_over_bound(case) for case in cases) < 1.0


def test_stored_references_are_those_of_the_two_independent_ways():
    case = next(case for case in references() if case['kind'] == 'near_separatrix')
    with mpmath.workdps(40):
        stored = [mpmath.mpf(component) for component in case['attitudes'][1]]
        jacobi = exact_reference.attitude(case['state'], case['body'], TIMES[:2])[1]
        taylor = exact_reference.attitude_by_taylor(case['state'], case['body'], TIMES[1])
        assert exact_reference.angle_between(jacobi, taylor) < 1e-30
        assert exact_reference.angle_between(jacobi, stored) < 3e-16


def test_many_times_at_once_are_the_same_bits():
    state, body = flat((1.0, 2.0, 2.5), (0.3, 1.0, -0.2))
    constants = free_motion.prepare(state, body)
    times = np.linspace(-5.0, 50.0, 7)
    many = free_motion.evaluate_many(constants, times)
    assert all(
        (free_motion.evaluate(constants, t) == q).all() for t, q in zip(times, many, strict=True)
    )


@pytest.mark.parametrize('order', list(itertools.permutations((1.0, 2.0, 2.5))))
@pytest.mark.parametrize('signs', list(itertools.product((-1.0, 1.0), repeat=3)))
def test_every_octant_and_order_of_moments_satisfies_the_equation_of_motion(order, signs):
    # Central difference of the attitude: relative error about (rate h)^2 / 6 + eps / h.
    h = 1e-4
    for sizes in ((0.3, 1.0, 0.2), (1.0, 0.2, 0.5)):
        L_B = np.array(signs) * sizes
        state, body = flat(order, L_B)
        constants = free_motion.prepare(state, body)
        q_ends = [free_motion.evaluate(constants, time) for time in (-h, h)]
        turn = rotations.compose(rotations.conjugate(q_ends[0]), q_ends[1])
        assert turn[1:] * np.sign(turn[0]) / h == pytest.approx(L_B / order, abs=1e-7)


def test_rest_stays_at_rest():
    q_WB = np.array((0.5, -0.5, 0.5, 0.5))
    constants = free_motion.prepare(*flat((1.0, 2.0, 2.5), (0.0, 0.0, 0.0), q_WB))
    assert (free_motion.evaluate(constants, 1000.0) == q_WB).all()


@pytest.mark.parametrize('moments', [(1.0, 2.0, 2.5), (1.0, 1.0, 1.0), (2.0, 1.0, 2.0)])
@pytest.mark.parametrize('axis', [0, 1, 2])
@pytest.mark.parametrize('rate', [3.0, -3.0])
def test_spin_about_a_principal_axis_is_steady_even_about_the_unstable_one(moments, axis, rate):
    L_B = np.eye(3)[axis] * rate * moments[axis]
    constants = free_motion.prepare(*flat(moments, L_B))
    expected = rotations.quaternion_from_axis_angle(np.eye(3)[axis], rate * 100.0)
    assert rotations.angle_between(free_motion.evaluate(constants, 100.0), expected) < 1e-13


def test_on_the_separatrix_the_body_ends_spinning_about_its_intermediate_axis():
    # L^2 = 2 E I2 to the last bit: m2 / L = tanh λt from the start, a spin at L / I2 at the end.
    state, body = flat((3.0, 4.0, 6.0), (1.0, 0.0, 1.0))
    constants = free_motion.prepare(state, body)
    size, rate = math.sqrt(2.0), math.sqrt(2.0) * math.sqrt(1.0 / 12.0 / 12.0)
    for time in (-1e6, -3.0, 2.0, 20.0, 1e6):
        q_WB = free_motion.evaluate(constants, time)
        m_B = rotations.rotate(rotations.conjugate(q_WB), state[10:13])
        assert abs(m_B[1]) == pytest.approx(size * math.tanh(rate * abs(time)), abs=1e-13)
    turn = rotations.compose(
        rotations.conjugate(free_motion.evaluate(constants, 1000.0)),
        free_motion.evaluate(constants, 1001.0),
    )
    assert 2.0 * math.acos(abs(turn[0])) == pytest.approx(size / 4.0, abs=1e-11)


def test_motion_depends_continuously_on_the_side_of_the_separatrix():
    attitudes = []
    for tilt in (-1e-13, 0.0, 1e-13):
        state, body = flat((3.0, 4.0, 6.0), (1.0, 0.0, 1.0 + tilt))
        attitudes.append(free_motion.evaluate(free_motion.prepare(state, body), 20.0))
    # λ t = 2.4: a nudge has grown about elevenfold.
    assert rotations.angle_between(attitudes[0], attitudes[1]) < 1e-11
    assert rotations.angle_between(attitudes[2], attitudes[1]) < 1e-11


def test_both_signs_of_the_quaternion_give_the_same_motion():
    q_WB = rotations.unit_quaternion((0.5, -0.5, 0.5, 0.5))
    attitudes = [
        free_motion.evaluate(
            free_motion.prepare(*flat((1.0, 2.0, 2.5), (0.3, 1.0, -0.2), sign * q_WB)), 100.0
        )
        for sign in (1.0, -1.0)
    ]
    assert (attitudes[0] == -attitudes[1]).all()
