# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The reference ellipsoid, sliding and rolling, against other equations of motion."""

import json
from pathlib import Path

import contact_cases
import numpy as np
import pytest

from spacecraft_attitude_sim.core.body.state import from_flat
from spacecraft_attitude_sim.core.contact import floors, model, shapes
from spacecraft_attitude_sim.core.contact.solver import layout
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import plant_of

# Written by make_ellipsoid_reference.py: body-axis equations with the constraint eliminated.
REFERENCE = json.loads((Path(__file__).parent / 'data' / 'ellipsoid_reference.json').read_text())
AXES = tuple(REFERENCE['semi_axes'])
TICKS = round(REFERENCE['seconds'] * 32)


def run(name, substeps=0):
    """Return (plant, states, contacts) of a reference case."""
    case = REFERENCE['cases'][name]
    plant = plant_of(
        contact_cases.solid_ellipsoid(REFERENCE['mass'], AXES), contact_cases.DOWN, substeps
    )
    contact = model.ContactModel(
        surface=shapes.Ellipsoid(semi_axes=AXES), floor=floors.Plane(), mode=case['mode']
    )
    state, begun = model.start(contact, plant, from_flat(np.array(case['start'])))
    return plant, *model.trajectory(contact, plant, state, begun, TICKS)


def errors(name, states):
    """Return position [m] and attitude [rad] error at the end."""
    end = np.array(REFERENCE['cases'][name]['end'])
    position = np.linalg.norm(states[-1, 0:3] - end[0:3])
    return position, rotations.angle_between(states[-1, 3:7], end[3:7])


# Calm starts as demanded; the tilted sliding one passes by an unstable balance that magnifies
# every error 1e5 times, the fast rolling one 1e4 times.
@pytest.mark.parametrize(
    ('name', 'tolerance'),
    [
        ('sliding_calm', 1e-8),
        ('sliding_fast', 1e-8),
        ('sliding_tilted', 1e-4),
        ('rolling_calm', 1e-8),
        ('rolling_tilted', 1e-8),
        ('rolling_fast', 2e-5),
    ],
)
def test_ellipsoid_follows_the_reference_with_default_settings(name, tolerance):
    plant, states, contacts = run(name)
    position, attitude = errors(name, states)
    assert position < tolerance
    assert attitude < tolerance
    energy = contact_cases.energies(plant, states)
    assert np.max(np.abs(energy / energy[0] - 1.0)) < 1e-8
    assert np.max(np.abs(contacts[:, layout.GAP])) < 1e-12
    assert np.max(contacts[:, layout.CONSTRAINT_ERROR]) < 1e-12


@pytest.mark.parametrize('name', ['sliding_calm', 'rolling_calm'])
def test_contact_converges_with_fourth_order(name):
    # Coarser steps are not asymptotic yet, finer ones near round-off.
    coarse, fine = (errors(name, run(name, substeps)[1])[1] for substeps in (32, 128))
    assert 3.7 < np.log2(coarse / fine) / 2.0 < 4.3


def test_sliding_keeps_horizontal_momentum_and_vertical_spin():
    _, states, _ = run('sliding_fast')
    np.testing.assert_allclose(states[:, 7:9], np.tile(states[0, 7:9], (TICKS + 1, 1)), rtol=1e-14)
    # L_z takes r × n, whose z is zero but for round-off, some 10 000 times.
    np.testing.assert_allclose(states[:, 12], states[0, 12], rtol=1e-12)


@pytest.mark.parametrize(
    ('mode', 'friction'), [('sliding', 0.0), ('rolling', np.inf), ('rolling', 1e6)]
)
def test_friction_reaches_from_ice_to_glue(mode, friction):
    pure = contact_cases.CASES[f'ellipsoid_{mode}']
    plant, state, begun = contact_cases.begin(pure)
    coulomb = model.ContactModel(
        surface=pure.contact.surface, floor=pure.contact.floor, friction=friction
    )
    expected = model.trajectory(pure.contact, plant, state, begun, 32)[0]
    state, begun = model.start(coulomb, plant, state)
    found = model.trajectory(coulomb, plant, state, begun, 32)[0]
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12)


def test_turning_the_world_turns_the_motion():
    case = contact_cases.CASES['ellipsoid_rolling']
    q_VW = np.array(rotations.quaternion_from_euler_zyx(0.7, -0.4, 1.1))

    def turned(vector):
        return rotations.rotate(q_VW, np.array(vector, dtype=float))

    plant, state, begun = contact_cases.begin(case)
    states, contacts = model.trajectory(case.contact, plant, state, begun, 64)
    floor = floors.Plane(normal=tuple(turned((0.0, 0.0, 1.0))))
    tilted = model.ContactModel(surface=case.contact.surface, floor=floor, mode='rolling')
    start = state._replace(
        position_W=turned(state.position_W),
        q_WB=rotations.compose(q_VW, state.q_WB),
        momentum_W=turned(state.momentum_W),
        angular_momentum_W=turned(state.angular_momentum_W),
    )
    other = plant_of(case.body, turned(contact_cases.DOWN))
    found, found_contacts = model.trajectory(tilted, other, *model.start(tilted, other, start), 64)
    np.testing.assert_allclose(found[-1, 0:3], turned(states[-1, 0:3]), rtol=0.0, atol=1e-9)
    force = slice(layout.FORCE, layout.FORCE + 3)
    np.testing.assert_allclose(
        found_contacts[-1, force], turned(contacts[-1, force]), rtol=0.0, atol=1e-8
    )
