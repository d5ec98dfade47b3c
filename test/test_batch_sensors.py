# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The sensors of a batch: every body reads the bits it would read alone."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import truths
from numba.core.runtime import _nrt_python, rtsys
from test_batch import bodies_and_states
from test_batch_contact import bouncing

from spacecraft_attitude_sim.core import sensors, simulation
from spacecraft_attitude_sim.core.batch.attitude_law import attitude_law
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.batch.contact import touching
from spacecraft_attitude_sim.core.batch.sensors import sensors_of
from spacecraft_attitude_sim.core.body import kinematics
from spacecraft_attitude_sim.core.body.rigid_body import BodyFrame
from spacecraft_attitude_sim.core.contact.solver import layout
from spacecraft_attitude_sim.core.control import attitude_loop, control_law
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.sensors import Imu, Magnetometer, StarTracker, TriadErrors
from spacecraft_attitude_sim.core.sensors.sensor import sensor_function
from spacecraft_attitude_sim.core.simulation import Inputs, plant_of

FIELDS = np.array((1.8e-5, 0.0, 2.4e-5)) + 1e-6 * np.arange(69).reshape(23, 3)


def suite_of(k):
    """Return sensors of which each body has others: terms, ranges, mountings, delays, seeds."""
    random = np.random.default_rng(100 + k)
    turned = [q / np.linalg.norm(q) for q in random.normal(size=(2, 4))]
    terms = ('noise_density', 'bias_instability', 'random_walk', 'bias', 'scale_factor',
             'misalignment')  # fmt: skip
    chosen = {name: tuple(0.01 * random.random(3)) for name in terms[: k % 7]}
    limits = {'limit': (3.0, 0.0, 2.0), 'resolution': (0.0, 1e-3, 1e-2)} if k % 3 == 0 else {}
    errors = TriadErrors(**chosen, **limits)
    tracker = StarTracker(
        turned[1], interval=1 + k % 4, latency=(0, 3, 8, 5)[k % 4], cross_boresight=1e-4 * (k % 2),
        about_boresight=1e-3 * (k % 2), rate_limit=2.0 * (k % 3),
    )  # fmt: skip
    of_field = TriadErrors((1e-7, 0.0, 2e-7), limit=(2e-5,) * 3)
    soft = np.eye(3) + 0.1 * random.normal(size=(3, 3))
    iron = (tuple(soft.ravel()), tuple(1e-6 * random.normal(size=3))) if k % 2 else ()
    return sensors.Suite(
        Imu(BodyFrame(random.normal(size=3), turned[0]), errors,
            TriadErrors(**chosen), 0.01 * (k % 2)),
        Magnetometer(turned[0], of_field, 1, *iron) if k % 4 else None,
        tracker if k % 5 else None,
        seed=k * 10**8,
    )  # fmt: skip


@sensor_function
def read_spin(tick, truth, constants, memory, reading):
    """Count ticks, and read ω about z times a constant."""
    memory[0] = tick if memory[0] != memory[0] else memory[0] + 1.0
    reading[0], reading[1] = memory[0], constants[0] * truth[kinematics.RATE + 2]


@dataclass(frozen=True)
class Spinner:
    """A sensor that only this file knows."""

    name: ClassVar = 'spinner'
    reading: ClassVar = Layout(count=1, rate=1)
    function: ClassVar = read_spin
    memory_size: ClassVar = 1
    call_interval: ClassVar = 1
    factor: float

    def constants(self, seed):
        """Return the factor."""
        return np.array((self.factor,))


@dataclass(frozen=True)
class LargerSuite(sensors.Suite):
    """All sensors, and one more."""

    spinner: Spinner | None = None


def assert_same(readings, n, expected):
    """Assert that body n of BatchReadings has the Readings that sensors.read gave it."""
    np.testing.assert_array_equal(readings.q_WS[n], expected.imu.q_WS)
    np.testing.assert_array_equal(readings.angular_velocity_S[n], expected.imu.angular_velocity_S)
    np.testing.assert_array_equal(readings.specific_force_S[n], expected.imu.specific_force_S)
    assert readings.saturated[n] == expected.saturated
    field_S, solution = expected.magnetic_field_S, expected.solution
    nothing = np.full(3, np.nan)
    np.testing.assert_array_equal(
        readings.magnetic_field_S[n], nothing if field_S is None else field_S
    )
    assert readings.measured[n] == (-1 if solution is None else solution.measured)
    if solution is not None:
        np.testing.assert_array_equal(readings.q_WT[n], solution.q_WT)


def test_every_body_reads_the_bits_it_reads_alone():
    count = 23
    bodies, states = bodies_and_states(count)
    suites = [suite_of(k) for k in range(count)]
    wrenches = np.random.default_rng(2).normal(size=(count, 12)) * 0.3
    gravity = np.array((0.0, 0.0, -9.81))
    batch = Batch(
        bodies, states, gravity_W=gravity, sensors=sensors_of(bodies, suites, FIELDS), threads=2
    )
    plants = [plant_of(body, gravity) for body in bodies]
    instants = [simulation.Instant(0, state) for state in states]
    none = [None] * count
    expected = [
        truths.read(*one) for one in zip(suites, bodies, instants, none, FIELDS, strict=True)
    ]
    saturated = arrived = 0
    for tick in range(20):
        for n, alone in enumerate(expected):
            assert_same(batch.readings, n, alone)
        saturated += sum(alone.saturated for alone in expected)
        arrived += sum(alone.solution is not None for alone in expected)
        if tick == 10:  # what acted until now is felt now, what acts from now on is not
            batch.hold(wrenches)
        batch.advance()
        held = wrenches if tick >= 10 else np.zeros((count, 12))
        instants = [
            simulation.next_instant(plant, instant, Inputs(wrench))
            for plant, instant, wrench in zip(plants, instants, held, strict=True)
        ]
        expected = [
            truths.read(*one)
            for one in zip(suites, bodies, instants, expected, FIELDS, strict=True)
        ]
    assert saturated
    assert arrived


def test_a_sensor_more_is_read_alone_and_in_a_batch_by_a_field_of_the_suite():
    bodies, states = bodies_and_states(3)
    suites = [LargerSuite(spinner=Spinner(2.0)), LargerSuite(), LargerSuite(spinner=Spinner(-3.0))]
    batch = Batch(bodies, states, sensors=sensors_of(bodies, suites))
    batch.advance(2)
    count, rate = batch.readings_of(Spinner).T
    omega_z = batch.readings.angular_velocity_S[:, 2]
    np.testing.assert_array_equal(count, (2.0, np.nan, 2.0))
    np.testing.assert_array_equal(rate, np.array((2.0, np.nan, -3.0)) * omega_z)
    instant, readings = simulation.Instant(0, states[2]), None
    for tick in range(3):
        readings = truths.read(suites[2], bodies[2], instant, readings)
        assert readings.flat['spinner'][0] == tick
        instant = simulation.next_instant(plant_of(bodies[2]), instant, Inputs())
    assert readings.flat['spinner'][1] == rate[2]


@dataclass(frozen=True)
class NamedSpinner(Spinner):
    """One of several."""

    name: str = ''
    factor: float = 0.0


@dataclass(frozen=True)
class SuiteOfSeveral(sensors.Suite):
    """All sensors, and several that one function reads."""

    spinners: tuple[NamedSpinner, ...] = ()


def test_several_sensors_of_one_function_are_read_each_by_its_name():
    bodies, states = bodies_and_states(3)
    one, other = NamedSpinner('one', 2.0), NamedSpinner('other', -5.0)
    suites = [SuiteOfSeveral(spinners=own) for own in ((one, other), (), (other,))]
    batch = Batch(bodies, states, sensors=sensors_of(bodies, suites))
    batch.advance(2)
    omega_z = batch.readings.angular_velocity_S[:, 2]
    for named, factors in ((one, (2.0, np.nan, np.nan)), (other, (-5.0, np.nan, -5.0))):
        found = batch.readings_of(named)[:, 1]
        np.testing.assert_array_equal(found, np.array(factors) * omega_z)


def test_a_batch_refuses_sensors_that_ask_what_is_around():
    bodies, _ = bodies_and_states(2)
    suites = [sensors.Suite(), sensors.Suite(gnss=sensors.Gnss())]
    with pytest.raises(ValueError, match='gnss: they need an orbit about the Earth; give the'):
        sensors_of(bodies, suites)


def test_readings_do_not_depend_on_how_many_ticks_are_asked_for_at_once():
    bodies, states = bodies_and_states(19)
    suites = [suite_of(k) for k in range(19)]
    batches = [
        Batch(bodies, states, sensors=sensors_of(bodies, suites), threads=threads)
        for threads in (1, 2)
    ]
    batches[0].advance(25)
    for _ in range(5):
        batches[1].advance(5)
    for one, other in zip(batches[0].readings, batches[1].readings, strict=True):
        np.testing.assert_array_equal(one, other)


def test_sensors_feel_the_floor():
    plants, instants = bouncing()
    suites = [suite_of(k) for k in range(len(plants))]
    bodies = [plant.body for plant in plants]
    batch = Batch(
        bodies, [instant.state for instant in instants], gravity_W=plants[0].gravity_W,
        touching=touching(plants, instants), sensors=sensors_of(bodies, suites),
    )  # fmt: skip
    expected = [truths.read(*one) for one in zip(suites, bodies, instants, strict=True)]
    for _ in range(24):
        batch.advance()
        instants = [
            simulation.next_instant(plant, instant, Inputs())
            for plant, instant in zip(plants, instants, strict=True)
        ]
        expected = [
            truths.read(*one) for one in zip(suites, bodies, instants, expected, strict=True)
        ]
        for n, alone in enumerate(expected):
            assert_same(batch.readings, n, alone)
    assert any(simulation.contact_at(instant).normal_force > 0.0 for instant in instants)


def test_a_body_whose_contact_is_lost_reads_nothing():
    plants, instants = bouncing()
    bodies = [plant.body for plant in plants]
    contacts = touching(plants, instants)
    contacts.contacts[1, layout.STATUS] = layout.LOST
    batch = Batch(
        bodies, [instant.state for instant in instants], touching=contacts,
        sensors=sensors_of(bodies, [suite_of(k) for k in range(len(plants))]),
    )  # fmt: skip
    batch.advance(2)
    readings = batch.readings
    assert np.isnan(readings.q_WS[1]).all()
    assert not np.isnan(readings.q_WS[0]).any()
    assert not readings.saturated[1]
    assert readings.measured[1] == -1


def test_memory_of_the_sensors_is_what_is_documented():
    bodies, states = bodies_and_states(16)
    tracker = StarTracker(np.array((1.0, 0.0, 0.0, 0.0)), interval=4, latency=8)
    without, with_magnetometer, with_tracker = (
        Batch(bodies, states, sensors=sensors_of(bodies, [suite] * 16)).bytes_per_body
        - Batch(bodies, states).bytes_per_body
        for suite in (
            sensors.Suite(),
            sensors.Suite(magnetometer=Magnetometer()),
            sensors.Suite(star_tracker=tracker),
        )
    )
    assert without == 1104
    noisy = [sensors.Suite(Imu(orientation_noise=0.1))] * 16
    assert sensors_of(bodies, noisy).nbytes == 16 * 1680
    assert with_magnetometer == without + 824
    assert with_tracker == without + 208 + 40 * (8 // 4 + 1)


def test_sensors_that_do_not_fit_are_named():
    bodies, states = bodies_and_states(3)
    with pytest.raises(ValueError, match='sensors are 2, states 3; give as many'):
        Batch(bodies, states, sensors=sensors_of(bodies[:2], [sensors.Suite()] * 2))


def allocations(batch, ticks):
    """Return how many arrays compiled code makes while a batch advances."""
    before = rtsys.get_allocation_stats().alloc
    batch.advance(ticks)
    return rtsys.get_allocation_stats().alloc - before


def test_law_and_sensors_allocate_nothing_for_a_body():
    """As many arrays are made for 10 ticks of 3 bodies as of 300, all errors on."""
    _nrt_python.memsys_enable_stats()
    counts = []
    for count in (3, 300):
        bodies, states = bodies_and_states(count)
        suites = [suite_of(6)] * count
        gains = control_law.gains_from_bandwidth(np.eye(3), 0.2, 0.8, np.ones(3))
        settings = attitude_loop.Settings(
            attitude_loop.POINTING, gains, suites[0].imu.mounting.q_BF, 0
        )
        reference = control_law.Reference(np.array((1.0, 0.0, 0.0, 0.0)), np.ones(3), np.zeros(3))
        law = attitude_law(
            [settings] * count, [reference] * count, bodies, suites, np.ones((count, 3))
        )
        batch = Batch(
            bodies, states, law=law, sensors=sensors_of(bodies, suites), watched=True, threads=1
        )
        counts.append(allocations(batch, 10))
    assert counts[0] == counts[1] > 0
