# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of random shape thrown at random floors: nothing may break, however they land."""

import contact_cases
import numpy as np
import pytest

from spacecraft_attitude_sim.core.contact import floors, model, shapes
from spacecraft_attitude_sim.core.contact.solver import layout

TICKS = 64
# Of the first kinetic energy and m g reach: a hundred sub-steps at their allowance of 1e-10.
GROWTH = 1e-8
# Bounds the time of a tick: at about 1 µs each, 20 ms of a 31 ms tick.
MOST_SUBSTEPS = 20_000


def random_surface(kind, generator):
    """Return (Surface, its semi-axes)."""
    axes = tuple(generator.uniform(0.05, 0.3, 3).tolist())
    if kind == 'sphere':
        return shapes.Sphere(radius=axes[0]), (axes[0],) * 3
    if kind == 'superellipsoid':
        exponents = tuple(generator.uniform(2.0, 6.0, 2).tolist())
        return shapes.Superellipsoid(semi_axes=axes, exponents=exponents), axes
    if kind == 'ellipsoid':
        return shapes.Ellipsoid(semi_axes=axes), axes
    center = tuple((generator.uniform(-0.2, 0.2, 3) * min(axes)).tolist())
    q_BS = generator.normal(size=4)
    q_BS = tuple((q_BS / np.linalg.norm(q_BS)).tolist())
    return shapes.Ellipsoid(semi_axes=axes, center=center, q_BS=q_BS), axes


def random_drop(kind, generator):
    """Return a Case: any shape, friction, restitution, tilt, speed and spin."""
    surface, axes = random_surface(kind, generator)
    tilt, around = generator.uniform(0.0, 0.6), generator.uniform(0.0, 2.0 * np.pi)
    normal = (np.sin(tilt) * np.cos(around), np.sin(tilt) * np.sin(around), np.cos(tilt))
    q_WB = generator.normal(size=4)
    return contact_cases.Case(
        body=contact_cases.solid_ellipsoid(1.0, axes),
        contact=model.ContactModel(
            surface=surface,
            floor=floors.Plane(normal=normal),
            friction=float(generator.choice((0.0, generator.uniform(0.0, 1.5), np.inf))),
            restitution=float(generator.choice((0.0, generator.uniform(0.0, 1.0), 1.0))),
        ),
        position_W=(0.0, 0.0, generator.uniform(0.6, 1.5)),
        q_WB=tuple((q_WB / np.linalg.norm(q_WB)).tolist()),
        velocity_W=tuple(generator.uniform(-2.0, 2.0, 3).tolist()),
        angular_velocity_B=tuple(generator.uniform(-20.0, 20.0, 3).tolist()),
        place=False,
        seconds=TICKS / 32.0,
    )


# docs/verification.md tells of 250 drops of each. A superellipsoid takes as long as four others.
@pytest.mark.parametrize(
    ('kind', 'drops'),
    [('sphere', 100), ('ellipsoid', 100), ('rattleback', 100), ('superellipsoid', 40)],
)
def test_random_drops_neither_tunnel_nor_gain_energy_nor_stall(kind, drops):
    generator = np.random.default_rng(len(kind))
    for _ in range(drops):
        case = random_drop(kind, generator)
        plant, states, contacts = contact_cases.run(case)
        assert np.all(np.isfinite(states))
        assert np.all(np.isfinite(contacts))
        energy = contact_cases.energies(plant, states)
        motion = case.body.kinetic_energy(contact_cases.from_flat(states[0]))
        scale = motion + case.body.mass * contact_cases.GRAVITY * case.contact.surface.survey.reach
        assert np.max(np.diff(energy)) < GROWTH * scale
        assert np.min(contacts[:, layout.GAP]) > -1e-12
        assert np.max(contacts[:, layout.CONSTRAINT_ERROR]) < 1e-12
        assert np.max(contacts[:, layout.SUBSTEPS]) < MOST_SUBSTEPS


def test_drops_into_a_turning_bowl_stay_in_it():
    generator = np.random.default_rng(7)
    floor = floors.Bowl(radius=1.0, angular_velocity=(0.0, 0.0, 1.0))
    for _ in range(20):
        case = random_drop('sphere', generator)
        contact = model.ContactModel(
            surface=shapes.Sphere(radius=0.1),
            floor=floor,
            friction=case.contact.friction,
            restitution=case.contact.restitution,
        )
        case = case._replace(
            body=contact_cases.solid_ball(1.0, 0.1), contact=contact, position_W=(0.0, 0.0, 0.2)
        )
        _, states, contacts = contact_cases.run(case)
        assert np.max(np.linalg.norm(states[:, 0:3], axis=1)) < 0.9 + 1e-12
        assert np.min(contacts[:, layout.GAP]) > -1e-12
