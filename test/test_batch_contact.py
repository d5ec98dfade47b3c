# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies on floors in a batch: each with its own contact and the bits it would get alone."""

from dataclasses import replace

import numpy as np
import pytest
from test_batch import push_back

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.batch.batch import Batch, Law
from spacecraft_attitude_sim.core.batch.contact import touching
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.simulation import Inputs

COUNT = 5
TICKS = 24


def bouncing():
    """Return plants and instants of ellipsoids that fall, bounce, slip or stick, each its own."""
    found = scenario.load(scenario.find('bouncing_ellipsoid'))
    plants = [
        found.plant.with_contact(
            replace(found.plant.contact, friction=0.2 * k, restitution=0.9 - 0.2 * k)
        )
        for k in range(COUNT)
    ]
    initial = found.first_instant().state
    low = [
        initial._replace(position_W=initial.position_W - np.array((0.0, 0.0, 0.05 * k)))
        for k in range(COUNT)
    ]
    return plants, [
        simulation.put_instant(*one) for one in zip(plants, [0] * COUNT, low, strict=True)
    ]


@pytest.mark.parametrize('pushed', [False, True])
def test_every_body_on_its_floor_gets_the_bits_it_gets_alone(pushed):
    plants, instants = bouncing()
    gains = np.full((COUNT, 1), 0.3 * pushed)
    batch = Batch(
        [plant.body for plant in plants],
        [instant.state for instant in instants],
        gravity_W=plants[0].gravity_W,
        law=Law(push_back, gains, np.zeros((COUNT, 1))) if pushed else None,
        watched=True,
        threads=2,
        touching=touching(plants, instants),
    )
    batch.advance(TICKS // 3)
    batch.advance(TICKS - TICKS // 3)
    struck = 0
    for index, (plant, instant) in enumerate(zip(plants, instants, strict=True)):
        for _ in range(TICKS):
            force = -gains[index] * instant.state.momentum_W * plant.body.flat()[0]
            wrench = loads.wrench_in_world(force, np.zeros(3)) if pushed else loads.FREE
            instant = simulation.next_instant(plant, instant, Inputs(wrench))
            struck += simulation.contact_at(instant).impacts
        np.testing.assert_array_equal(batch.states[index], to_flat(instant.state))
        np.testing.assert_array_equal(batch.contacts[index], instant.contact)
    assert struck >= COUNT
    assert np.all(batch.merits.momentum_drift > 0.0)


@pytest.mark.parametrize('name', ['bouncing_ellipsoid', 'ellipsoid_rolling', 'backspin'])
def test_a_struck_body_on_its_floor_gets_the_bits_it_gets_alone(name):
    """Impulses at ticks 3 and 20, from any side, of every second body."""
    found = scenario.load(scenario.find(name))
    plant, first = found.plant, found.first_instant()
    instants = [first] * COUNT
    batch = Batch(
        [plant.body] * COUNT,
        [first.state] * COUNT,
        gravity_W=plant.gravity_W,
        threads=2,
        touching=touching([plant] * COUNT, instants),
    )
    impulses = np.random.default_rng(4).normal(size=(COUNT, 6)) * 0.1 * plant.body.mass
    impulses[:, 3:] *= 0.1
    impulses[1::2] = 0.0
    for tick in range(TICKS):
        strikes = impulses if tick in (3, 20) else np.zeros((COUNT, 6))
        if tick in (3, 20):
            batch.strike(strikes)
        batch.advance()
        instants = [
            simulation.next_instant(plant, instant, Inputs(loads.FREE, impulse))
            for instant, impulse in zip(instants, strikes, strict=True)
        ]
        states = np.array([to_flat(instant.state) for instant in instants])
        np.testing.assert_array_equal(batch.states, states)
        np.testing.assert_array_equal(batch.contacts, [instant.contact for instant in instants])
    assert np.any(batch.states[0] != batch.states[1])


def test_a_body_struck_on_a_floor_that_heaves_gets_the_bits_it_gets_alone():
    """At ticks 5 and 11: what lies on the floor is struck where the floor is by then."""
    found = scenario.load(scenario.find('ball_on_incline'))
    floor = replace(found.plant.contact.floor, amplitude=0.05, angular_frequency=6.0, phase=0.4)
    plant = found.plant.with_contact(replace(found.plant.contact, floor=floor))
    first = simulation.put_instant(plant, 0, found.first_instant().state, place=True)
    instants = [first] * COUNT
    batch = Batch(
        [plant.body] * COUNT, [first.state] * COUNT, gravity_W=plant.gravity_W, threads=2,
        touching=touching([plant] * COUNT, instants),
    )  # fmt: skip
    pushes = np.random.default_rng(6).normal(size=(COUNT, 6)) * 0.05 * plant.body.mass
    pushes[:, 3:] *= 0.01
    touched = 0
    for tick in range(16):
        struck = tick in (5, 11)
        if struck:
            batch.strike(pushes)
            touched += sum(simulation.contact_at(one).normal_force > 0.0 for one in instants)
        batch.advance()
        instants = [
            simulation.next_instant(plant, one, Inputs(loads.FREE, struck * push))
            for one, push in zip(instants, pushes, strict=True)
        ]
        states = np.array([to_flat(one.state) for one in instants])
        np.testing.assert_array_equal(batch.states, states)
        np.testing.assert_array_equal(batch.contacts, [one.contact for one in instants])
    assert touched >= COUNT
