# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The contact scenarios as data, and how tests run them."""

from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import from_flat
from spacecraft_attitude_sim.core.contact import floors, model, shapes
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import plant_of

GRAVITY = 9.81
DOWN = np.array((0.0, 0.0, -GRAVITY))


class Case(NamedTuple):
    """One scenario: what to simulate, how it starts, for how long.

    place: put the body on the floor at the start;  seconds: of the run
    """

    body: RigidBody
    contact: model.ContactModel
    position_W: tuple
    q_WB: tuple
    velocity_W: tuple
    angular_velocity_B: tuple
    place: bool
    seconds: float


def solid_ellipsoid(mass, semi_axes):
    """Return the uniform ellipsoid with these semi-axes (3,) [m]."""
    square = np.square(semi_axes)
    return RigidBody(mass, np.diag(mass / 5.0 * (np.sum(square) - square)))


def solid_ball(mass, radius):
    """Return the uniform ball of this radius [m]."""
    return solid_ellipsoid(mass, (radius, radius, radius))


def incline(angle):
    """Return the normal (3,) of a plane that falls along +x at `angle` [rad]."""
    return (np.sin(angle), 0.0, np.cos(angle))


BRICK = (0.3, 0.2, 0.15)
TILTED = tuple(rotations.quaternion_from_euler_zyx(0.1, 0.3, 0.2).tolist())


def ellipsoid_case(mode, **constants):
    """Return the reference body of docs/contact.md on a level floor."""
    return Case(
        body=solid_ellipsoid(1.0, BRICK),
        contact=model.ContactModel(
            surface=shapes.Ellipsoid(semi_axes=BRICK),
            floor=floors.Plane(),
            mode=mode,
            **constants,
        ),
        position_W=(0.0, 0.0, 0.2),
        q_WB=TILTED,
        velocity_W=(0.1, 0.0, 0.0),
        angular_velocity_B=(0.3, 0.5, 1.0),
        place=True,
        seconds=5.0,
    )


def ball_case(floor, velocity_W, angular_velocity_B, seconds, mode='rolling', friction=0.5):
    """Return a solid ball of 1 kg and 0.1 m placed on a floor."""
    return Case(
        body=solid_ball(1.0, 0.1),
        contact=model.ContactModel(
            surface=shapes.Sphere(radius=0.1), floor=floor, mode=mode, friction=friction
        ),
        position_W=(0.5, 0.0, 0.1),
        q_WB=rotations.IDENTITY,
        velocity_W=velocity_W,
        angular_velocity_B=angular_velocity_B,
        place=True,
        seconds=seconds,
    )


CASES = {
    'ellipsoid_sliding': ellipsoid_case('sliding'),
    'ellipsoid_rolling': ellipsoid_case('rolling'),
    'ball_on_incline': ball_case(
        floors.Plane(normal=incline(np.radians(10.0))), (0.0,) * 3, (0.0,) * 3, 2.0, 'coulomb'
    ),
    'ball_on_turntable': ball_case(
        floors.Plane(spin=2.0), (0.2, 0.1, 0.0), (-1.0 - 1.0, 2.0, 0.0), 11.0
    ),
    'backspin': ball_case(floors.Plane(), (2.0, 0.0, 0.0), (0.0, -30.0, 0.0), 2.0, 'coulomb', 0.3),
    'bouncing_ellipsoid': ellipsoid_case('coulomb', friction=0.3, restitution=0.7)._replace(
        position_W=(0.0, 0.0, 1.0),
        velocity_W=(0.5, 0.0, 0.0),
        angular_velocity_B=(1.0, 2.0, 3.0),
        place=False,
    ),
    # Kane and Levinson (1982): half-ellipsoid, its mass centre h = 0.01 m below the ellipsoid's
    # centre, its principal axes turned from the ellipsoid's by the product of inertia D.
    'rattleback': Case(
        body=RigidBody(1.0, np.array(((2e-4, 2e-5, 0), (2e-5, 1.6e-3, 0), (0, 0, 1.7e-3)))),
        contact=model.ContactModel(
            surface=shapes.Ellipsoid(semi_axes=(0.2, 0.03, 0.02), center=(0.0, 0.0, 0.01)),
            floor=floors.Plane(),
            mode='rolling',
        ),
        position_W=(0.0, 0.0, 0.01),
        q_WB=tuple(
            rotations.quaternion_from_euler_zyx(0.0, np.radians(0.5), np.radians(0.5)).tolist()
        ),
        velocity_W=(0.0, 0.0, 0.0),
        angular_velocity_B=(0.0, 0.0, 5.0),
        place=True,
        seconds=20.0,
    ),
    # Ball with its mass centre 0.3 R off its centre; moments of inertia within the band
    # 1 - 0.3 < I3/I1 < 1 + 0.3 in which the spinning top turns over.
    'tippe_top': Case(
        body=RigidBody(0.02, 0.02 * 0.02**2 * np.diag((131.0 / 350.0, 131.0 / 350.0, 2.0 / 5.0))),
        contact=model.ContactModel(
            surface=shapes.Sphere(radius=0.02, center=(0.0, 0.0, 0.006)),
            floor=floors.Plane(),
            friction=0.05,
        ),
        position_W=(0.0, 0.0, 0.014),
        q_WB=tuple(rotations.quaternion_from_euler_zyx(0.0, 0.3, 0.0).tolist()),
        velocity_W=(0.0, 0.0, 0.0),
        angular_velocity_B=(0.0, 0.0, 100.0),
        place=True,
        seconds=8.0,
    ),
}


def begin(case, substeps=0):
    """Return (plant, state, flat contact) at the start of a case."""
    plant = plant_of(case.body, DOWN, substeps)
    state = case.body.state(
        case.position_W, case.q_WB, np.array(case.velocity_W), np.array(case.angular_velocity_B)
    )
    state, contact = model.start(case.contact, plant, state, place=case.place)
    return plant, state, contact


def run(case, substeps=0, ticks=None):
    """Return (plant, flat states, flat contacts) of every tick of a case."""
    plant, state, contact = begin(case, substeps)
    ticks = round(case.seconds * 32) if ticks is None else ticks
    return plant, *model.trajectory(case.contact, plant, state, contact, ticks)


def energies(plant, states):
    """Return the kinetic plus potential energy of every state [J]."""
    body = plant.body
    return np.array(
        [
            body.kinetic_energy(from_flat(flat)) - body.mass * plant.gravity_W @ flat[0:3]
            for flat in states
        ]
    )
