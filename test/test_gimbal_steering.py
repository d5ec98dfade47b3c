# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Steering of control moment gyros: torques that the motion then shows, singular sets, limits."""

import math

import numpy as np
import pytest

from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.control import gimbal_steering
from spacecraft_attitude_sim.core.parts.control_moment_gyros.description import (
    ControlMomentGyro,
    ControlMomentGyros,
)
from spacecraft_attitude_sim.core.simulation import plant_of

SKEW = math.radians(54.7356)
REST, LEVEL = np.zeros(3), np.array((1.0, 0.0, 0.0, 0.0))


def pyramid(h=10.0, **changes):
    """Return four gyros whose gimbal axes are normal to the faces of a pyramid."""
    gyros = []
    for k in range(4):
        turn = k * math.pi / 2.0
        axis = (
            math.sin(SKEW) * math.cos(turn), math.sin(SKEW) * math.sin(turn), math.cos(SKEW)
        )  # fmt: skip
        gyros.append(ControlMomentGyro(
            axis, (-math.sin(turn), math.cos(turn), 0.0), 0.05, h / 0.05,
            inertias=(1e-9, 1e-9, 1e-9), **changes,
        ))  # fmt: skip
    return ControlMomentGyros(tuple('abcd'), tuple(gyros))


def test_the_rates_give_the_body_the_torque_that_was_wanted():
    gyros, torque = pyramid(), np.array((0.3, -0.2, 0.4))
    plant = plant_of(RigidBody(1e3, np.diag((1e5, 1e5, 1e5))), parts=(gyros,))
    craft = plant.spacecraft
    state = craft.state(REST, LEVEL, REST, REST)
    for tick in range(320):
        own = state.internal[craft.layout.of('gimbals')].reshape(4, -1)
        rates = gimbal_steering.gimbal_rates(gyros, own[:, 0], torque, damping=0.0)
        state = simulation.step(plant, state, Inputs(gimbal_rate=rates), tick)
    # Rates are held over ticks in which gimbals turn by 1e-3 rad.
    assert 1e5 * craft.angular_velocity_B(state) == pytest.approx(10.0 * torque, rel=2e-3)


def test_all_outputs_in_a_plane_are_singular_and_the_robust_rates_stay_finite():
    gyros = pyramid()
    assert gimbal_steering.singularity_measure(gyros, np.zeros(4)) > 100.0
    # A saturated set: every rotor's momentum as far along z as its gimbal lets it.
    quarter = math.pi / 2.0
    upward = gyros.gyros[0].axes_B(quarter)[0][2] > 0.0
    angles = [quarter if upward else -quarter] * 4
    assert gimbal_steering.singularity_measure(gyros, angles) == pytest.approx(0.0, abs=1e-6)
    up = gimbal_steering.gimbal_rates(gyros, angles, np.array((0.0, 0.0, 1.0)))
    assert np.all(np.isfinite(up)) and np.abs(up).max() < 1e-9
    sideways = gimbal_steering.gimbal_rates(gyros, angles, np.array((1.0, 0.0, 0.0)))
    given = -gimbal_steering.output_matrix(gyros, angles) @ sideways
    assert given == pytest.approx([1.0, 0.0, 0.0], abs=0.02)


@pytest.mark.parametrize('angle', [0.0, 0.6, 1.3])
def test_robust_rates_are_those_of_the_damping_that_is_stated(angle):
    """-B^T (B B^T + λ 1)^-1 τ, λ = 0.01 × the mean square of the momenta × exp(-10 m)."""
    gyros, torque, rates = pyramid(), np.array((0.3, -0.2, 0.4)), np.zeros(4)
    angles = np.full(4, angle)
    rows = gimbal_steering.Steering(gyros).flat()
    measure = gimbal_steering.steer(rows, angles, tuple(torque), 0.01, rates)
    outputs = gimbal_steering.output_matrix(gyros, angles)
    square = np.mean(np.sum(outputs**2, axis=0))  # each column is h g × s
    damped = outputs @ outputs.T + 0.01 * square * math.exp(-10.0 * measure) * np.eye(3)
    expected = -outputs.T @ np.linalg.solve(damped, torque)
    assert rates == pytest.approx(expected, rel=1e-11)
    assert gimbal_steering.gimbal_rates(gyros, angles, torque) == pytest.approx(rates, rel=1e-15)


def test_rates_beyond_the_largest_keep_the_direction_of_the_torque():
    gyros, torque = pyramid(max_rate=0.01), np.array((3.0, -2.0, 4.0))
    rates = gimbal_steering.gimbal_rates(gyros, np.zeros(4), torque, damping=0.0)
    assert np.abs(rates).max() == pytest.approx(0.01, rel=1e-12)
    given = -gimbal_steering.output_matrix(gyros, np.zeros(4)) @ rates
    assert np.cross(given, torque) == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    assert given @ torque > 0.0
