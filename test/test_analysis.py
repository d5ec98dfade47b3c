# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Flips, drifts, ticks and messages' small change, each in closed form."""

import numpy as np
import pytest

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation, ticks
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.environment import Environment
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import plant_of
from spacecraft_attitude_sim.core.studies import flips_and_drifts
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.recording import inputs_layout

BODY = RigidBody(2.0, np.diag((0.4, 0.5, 0.6)))
GRAVITY = np.array((0.0, 0.0, -9.81))
PLANT = plant_of(BODY, GRAVITY)


def state(height=0.0, speed=0.0, rate=(0.0, 0.0, 0.0), q=(1.0, 0.0, 0.0, 0.0)):
    return BODY.state((0.0, 0.0, height), q, (0.0, 0.0, speed), np.array(rate))


@pytest.mark.parametrize(
    ('momentum', 'axis'),
    [
        ((1.0, -2.0, 0.5), (0.0, -1.0, 0.0)),
        ((3.0, -2.0, 0.5), (1.0, 0.0, 0.0)),
        ((0.1, 0.2, 0.3), (0.0, 0.0, 1.0)),
        ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
    ],
)
def test_spin_axis_is_the_nearest_body_axis_with_its_sign(momentum, axis):
    assert flips_and_drifts.spin_axis(np.array(momentum)).tolist() == list(axis)


def test_flips_are_where_the_momentum_crosses_between_samples():
    time, along = (0.0, 1.0, 3.0, 4.0, 5.0), (2.0, -1.0, -3.0, 1.0, 2.0)
    assert flips_and_drifts.flip_times(time, along) == pytest.approx((2.0 / 3.0, 3.75))
    assert not len(flips_and_drifts.flip_times(time, np.abs(along)))


def test_energy_is_kinetic_and_of_height():
    moving = state(height=3.0, speed=-2.0, rate=(0.0, 0.0, 4.0))
    assert flips_and_drifts.mechanical_energy(PLANT, moving) == pytest.approx(
        0.5 * 2.0 * 4.0 + 0.5 * 0.6 * 16.0 + 2.0 * 9.81 * 3.0, rel=1e-15
    )


def test_energies_are_of_translation_rotation_and_height():
    moving = state(height=3.0, speed=-2.0, rate=(0.0, 0.0, 4.0))
    found = flips_and_drifts.energies(PLANT, moving)
    expected = (0.5 * 2.0 * 4.0, 0.5 * 0.6 * 16.0, 2.0 * 9.81 * 3.0)
    assert found == pytest.approx(expected, rel=1e-15)
    assert found.total == flips_and_drifts.mechanical_energy(PLANT, moving)
    weightless = flips_and_drifts.energies(PLANT._replace(environment=Environment()), moving)
    assert str(weightless.potential) == '0.0'


def test_watch_keeps_the_largest_drift_and_every_flip():
    half_turn = rotations.quaternion_from_axis_angle((1, 0, 0), np.pi)
    first = state(rate=(0.0, 0.0, 2.0), height=1.0)
    watch = flips_and_drifts.DriftMonitor(PLANT, first)
    watch.add(0.0, first)
    assert (watch.momentum_drift, watch.energy_drift, watch.flips()) == (0.0, 0.0, [])
    # L stays along world z while the body is turned over: its axis is now against it.
    turned = first._replace(q_WB=half_turn)
    watch.add(1.0, turned)
    assert watch.flips() == pytest.approx([0.5])
    assert watch.momentum_drift == 0.0
    watch.add(2.0, first._replace(angular_momentum_W=np.array((0.3, 0.0, 1.2))), acted_on=True)
    watch.add(3.0, first)
    assert watch.flips() == pytest.approx([0.5, 1.5])
    assert watch.momentum_drift == pytest.approx(0.25, rel=1e-14)
    whole = 0.5 * 0.6 * 4.0 + 2.0 * 9.81
    assert watch.energy_drift == pytest.approx(0.5 * 0.09 / 0.4 / whole, rel=1e-12)
    assert watch.acted_on


def test_drifts_of_a_body_at_rest_at_the_origin_are_absolute():
    watch = flips_and_drifts.DriftMonitor(plant_of(BODY, np.zeros(3)), state())
    watch.add(1.0, state(speed=3.0, rate=(1.0, 0.0, 0.0)))
    assert watch.momentum_drift == pytest.approx(0.4, rel=1e-15)
    assert watch.energy_drift == pytest.approx(9.0 + 0.2, rel=1e-15)
    assert not watch.acted_on


def test_ticks_are_exact():
    assert ticks.DEFAULT.seconds(33) == 1.03125
    assert ticks.DEFAULT.stamp(33) == 1_031_250_000
    for duration, count in ((0.0, 0), (1e-9, 1), (0.03125, 1), (0.031251, 2), (10.0, 320)):
        assert ticks.DEFAULT.covering(duration) == count


def test_conversions_there_and_back():
    q, v, w = np.array((0.1, 0.2, 0.3, 0.4)), np.array((1.0, 2.0, 3.0)), np.array((4.0, 5.0, 6.0))
    quaternion = conversions.quaternion_to_ros(q)
    assert (quaternion.w, quaternion.x, quaternion.y, quaternion.z) == (0.1, 0.2, 0.3, 0.4)
    assert conversions.quaternion_from_ros(quaternion).tolist() == q.tolist()
    xyzw = np.array((0.2, 0.3, 0.4, 0.1))
    assert conversions.quaternion_bytes(q) == xyzw.tobytes()
    assert conversions.pose_bytes(v, q) == np.concatenate((v, xyzw)).tobytes()
    pose = conversions.pose_to_ros(v, q)
    assert conversions.vector3_from_ros(pose.position).tolist() == v.tolist()
    assert pose.orientation == quaternion
    force, torque = conversions.wrench_from_ros(conversions.wrench_to_ros(v, w))
    assert (force, torque) == (tuple(v), tuple(w))
    twist = conversions.twist_to_ros(v, w)
    assert conversions.vector3_from_ros(twist.linear).tolist() == v.tolist()
    assert conversions.vector3_from_ros(twist.angular).tolist() == w.tolist()
    for nanoseconds in (0, 999_999_999, 1_000_000_000, 12_345_678_901):
        stamp = conversions.time_from_nanoseconds(nanoseconds)
        assert conversions.nanoseconds_from_ros(stamp) == nanoseconds
    header = conversions.header_to_ros(33 * ticks.TICK_NS, 'here')
    assert (header.frame_id, header.stamp.sec, header.stamp.nanosec) == ('here', 1, 31_250_000)
    assert (
        conversions.stamp_bytes(33 * ticks.TICK_NS)
        == np.array((1, 31_250_000), dtype='<i4').tobytes()
    )


@pytest.mark.parametrize('name', ['cubesat_tumble', 'ellipsoid_rolling'])
@pytest.mark.parametrize('given', [True, False])
def test_inputs_there_and_back(name, given):
    found = scenario.load(scenario.find(name))
    numbers = np.arange(1.0, 19.0)
    inputs = simulation.Inputs(numbers[:12], numbers[12:])
    instant = found.first_instant(77)._replace(inputs=inputs, elapsed=5)
    recorded = tick_messages.recorded_inputs(
        instant, tick_messages.Settings(3, 2), given, found.plant.spacecraft
    )
    message = tick_messages.inputs_to_ros(recorded)
    (dimension,) = message.layout.dim  # as since the first bag
    assert dimension.label == (
        'tick, given, substeps, revision, wrench[12], impulse[6]; if given: elapsed, state[13], '
        'touch[30] on a floor'
    )
    touching = instant.contact is not None
    assert dimension.size == dimension.stride == 22 + given * (14 + 30 * touching)
    state = np.concatenate(instant.state)
    touch = instant.contact if touching else ()
    assert message.data.tolist() == [
        77, given, 3, 2, *numbers, *((5, *state, *touch) if given else ())
    ]  # fmt: skip
    read = inputs_layout.unpack(message)
    assert (read.tick, read.given, read.substeps, read.revision) == (77, given, 3, 2)
    assert read.wrench.tolist() == numbers[:12].tolist()
    assert read.impulse.tolist() == numbers[12:].tolist()
    assert read.elapsed == (5 if given else 0)
    assert read.state.tolist() == (state.tolist() if given else [])
    assert read.touch.tolist() == (list(touch) if given else [])


def test_drift_in_an_orbit_is_of_the_time_since_the_last_reset(monkeypatch):
    times = []
    monkeypatch.setattr(
        flips_and_drifts, 'conserved_energy', lambda plant, state, time: times.append(time) or 1.0
    )
    watch = flips_and_drifts.DriftMonitor(PLANT, state())
    watch.add(5.0, state())
    watch.add(7.0, state(), elapsed=2.0)
    watch.add(8.0, state(), elapsed=0.0)
    assert times == [0.0, 5.0, 2.0, 0.0]
