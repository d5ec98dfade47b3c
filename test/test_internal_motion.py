# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Parts that move inside, against bodies that constraints hold together, in inertial axes.

The other code knows no angular momentum, no generalised coordinate and no centre of mass: every
body has its own position and orientation, and at each instant a linear system gives accelerations
and constraint forces (Newton, Euler, Lagrange multipliers), integrated by DOP853.
"""

import contextlib

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from small_vectors import cross

from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.batch.actuated import rows_of
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.body import kinematics, loads
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.environment.circular_orbit import CircularOrbit
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.control_moment_gyros.description import (
    ControlMomentGyro,
    ControlMomentGyros,
)
from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels
from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug
from spacecraft_attitude_sim.core.simulation.plant import plant_of
from spacecraft_attitude_sim.core.simulation.tick import (
    next_instant,
    put_instant,
    step,
    trajectory,
    truth,
)
from spacecraft_attitude_sim.core.spacecraft.spacecraft import Spacecraft

MASS = 20.0
INERTIA = np.array([[6.0, 0.3, -0.2], [0.3, 5.5, 0.25], [-0.2, 0.25, 5.2]])
PANEL = HingedPanel(
    hinge_B=(0.4, 0.1, -0.2), axis_B=(0.0, 0.6, 0.8), center_B=(0.5, 0.05, 0.02), mass=1.5,
    inertia=np.array([[0.05, 0.002, 0.0], [0.002, 0.13, 0.001], [0.0, 0.001, 0.17]]),
    stiffness=2.0, damping=0.05, rest=0.1, angle=-0.4, rate=0.3,
)  # fmt: skip
OTHER = HingedPanel(
    hinge_B=(-0.3, -0.1, 0.2), axis_B=(1.0, 0.0, 0.0), center_B=(0.0, -0.6, 0.1), mass=1.0,
    inertia=np.diag([0.12, 0.02, 0.13]), stiffness=1.0, angle=0.3,
)  # fmt: skip
BALL = SlidingMass(
    position_B=(0.3, -0.5, 0.4), axis_B=(0.36, 0.48, 0.8), mass=0.8, stiffness=1.2, damping=0.2,
    displacement=0.1, rate=-0.2,
)  # fmt: skip
SLOSH = SlidingMass(
    position_B=(-0.2, 0.3, -0.5), axis_B=(0.0, 1.0, 0.0), mass=2.0, stiffness=5.0, damping=0.1
)
TANK = Pendulum(
    pivot_B=(-0.1, 0.2, 0.3), rest_B=(0.0, 0.0, -1.0), mass=1.2, length=0.4, damping=0.03,
    direction_B=(0.48, 0.36, -0.8), rate_B=(0.2, 0.3, 0.255),
)  # fmt: skip
OIL = ViscousSlug(inertia=0.05, damping=0.02, rate_B=(0.1, -0.5, 0.2))
FORCE_B, TORQUE_B = np.array([0.5, -0.8, 6.0]), np.array([0.05, 0.02, -0.04])
OMEGA_B = np.array([0.4, -0.6, 0.9])


def skew(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


class Bodies:
    """Hub, panels, point masses and oil in inertial axes, held together by constraints."""

    def __init__(self, parts, mass, inertia, force_B, torque_B):
        self.parts, self.force_B, self.torque_B = parts, force_B, torque_B
        self.several = [*parts.coordinates.values(), *parts.pendulums.values()]
        self.slug = next(iter(parts.slugs.values()), ViscousSlug(1.0, 0.0))
        self.hub_mass = mass - sum(one.mass for one in self.several)
        about, moment = np.array(inertia), np.zeros(3)
        for one in self.several:
            if isinstance(one, Pendulum):
                r = np.array(one.pivot_B) + one.length * np.array(one.rest_B)
            else:
                r = (
                    np.array(one.hinge_B) + np.array(one.center_B)
                    if self.turns(one)
                    else (np.array(one.position_B))
                )
            if self.turns(one):
                about -= one.inertia
            about -= one.mass * (r @ r * np.eye(3) - np.outer(r, r))
            moment -= one.mass * r
        if parts.slugs:
            about -= self.slug.inertia * np.eye(3)
        self.hub_B = moment / self.hub_mass
        h = self.hub_B
        self.hub_inertia = about - self.hub_mass * (h @ h * np.eye(3) - np.outer(h, h))

    @staticmethod
    def turns(one):
        """Return whether a part is a body of its own, not a point."""
        return isinstance(one, HingedPanel)

    def start(self, q_WB, omega_B):
        """Bodies as x (3), R (9), v (3), w (3) each, world; the origin of the hub at rest at 0."""
        R = rotations.dcm_from_quaternion(q_WB)
        w = R @ omega_B
        rows = [self.body(R @ self.hub_B, R, cross(w, R @ self.hub_B), w)]
        for one in self.several:
            if self.turns(one):
                a, turn = np.array(one.hinge_B), one.turn_B(one.angle)
                arm = turn @ np.array(one.center_B)
                own = w + R @ (one.rate * np.array(one.axis_B))
                v = cross(w, R @ a) + cross(own, R @ arm)
                rows.append(self.body(R @ (a + arm), R @ turn, v, own))
            elif isinstance(one, SlidingMass):
                r = np.array(one.position_B) + one.displacement * np.array(one.axis_B)
                v = cross(w, R @ r) + R @ (one.rate * np.array(one.axis_B))
                rows.append(self.body(R @ r, R, v, w))
            else:
                rod = one.length * np.array(one.direction_B)
                r = np.array(one.pivot_B) + rod
                v = cross(w, R @ r) + R @ cross(one.rate_B, rod)
                rows.append(self.body(R @ r, R, v, w))
        return np.concatenate((*rows, w + R @ np.array(self.slug.rate_B)))

    @staticmethod
    def body(x, R, v, w):
        """Return what a body is at an instant (18,)."""
        return np.concatenate((x, R.ravel(), v, w))

    def __call__(self, _, flat):
        """Return the rates of change of all of them."""
        found, moment = self.accelerations(flat)
        bodies = flat[:-3].reshape(-1, 18)
        change = np.empty_like(bodies)
        change[:, :3], change[:, 12:15], change[:, 15:18] = (
            bodies[:, 12:15], found[:, :3], found[:, 3:]
        )  # fmt: skip
        for k, body in enumerate(bodies):
            change[k, 3:12] = (skew(body[15:18]) @ body[3:12].reshape(3, 3)).ravel()
        return np.concatenate((change.ravel(), -moment / self.slug.inertia))

    def accelerations(self, flat, struck_B=None):
        """Return accelerations (n, 6) and what the oil does to the hub (3,).

        struck_B: impulse on the origin (3,), of which they are then the jumps of the velocities
        """
        slug_w, bodies = flat[-3:], flat[:-3].reshape(-1, 18)
        n = len(bodies)
        x, R = bodies[:, :3], bodies[:, 3:12].reshape(n, 3, 3)
        v, w = bodies[:, 12:15], bodies[:, 15:18]
        masses, force, torque = np.zeros((6 * n, 6 * n)), np.zeros((n, 3)), np.zeros((n, 3))
        rows, right = [], []
        hub, hub_w = R[0], w[0]
        origin = x[0] - hub @ self.hub_B

        def held(direction, body, at, extra=0.0):
            """Forbid relative acceleration of body and hub at a point along a direction."""
            row = np.zeros(6 * n)
            arm, hub_arm = at - x[body], at - x[0]
            row[6 * body : 6 * body + 3] = direction
            row[6 * body + 3 : 6 * body + 6] = cross(arm, direction)
            row[0:3] -= direction
            row[3:6] -= cross(hub_arm, direction)
            rows.append(row)
            right.append(extra)

        moment = self.slug.damping * (slug_w - hub_w)
        torque[0] += moment if self.parts.slugs else 0.0
        push = hub @ self.force_B
        force[0] += push
        torque[0] += cross(origin - x[0], push) + hub @ self.torque_B
        for k, one in enumerate(self.several, 1):
            m = one.mass
            if self.turns(one):
                axis, a = hub @ np.array(one.axis_B), origin + hub @ np.array(one.hinge_B)
                relative = hub.T @ R[k]
                u = np.array(one.axis_B)
                sine = u @ np.array([
                    relative[2, 1] - relative[1, 2], relative[0, 2] - relative[2, 0],
                    relative[1, 0] - relative[0, 1],
                ]) / 2.0  # fmt: skip
                angle = np.arctan2(sine, (np.trace(relative) - 1.0) / 2.0)
                rate = axis @ (w[k] - hub_w)
                t = (-one.stiffness * (angle - one.rest) - one.damping * rate) * axis
                torque[k] += t
                torque[0] -= t
                arm, hub_arm = a - x[k], a - x[0]
                speeding = cross(hub_w, cross(hub_w, hub_arm)) - cross(w[k], cross(w[k], arm))
                for j, e in enumerate(np.eye(3)):
                    held(e, k, a, speeding[j])
                side = cross(axis, hub[:, int(np.argmin(np.abs(u)))])
                for e in (side, cross(axis, side)):  # of what turns, none but along the axis
                    row = np.zeros(6 * n)
                    row[6 * k + 3 : 6 * k + 6], row[3:6] = e, -e
                    rows.append(row)
                    right.append(e @ cross(hub_w, w[k] - hub_w))
            elif isinstance(one, SlidingMass):
                axis, a = hub @ np.array(one.axis_B), origin + hub @ np.array(one.position_B)
                along = v[k] - v[0] - cross(hub_w, x[k] - x[0])
                f = (-one.stiffness * (axis @ (x[k] - a)) - one.damping * (axis @ along)) * axis
                force[k] += f
                force[0] -= f
                torque[0] -= cross(x[k] - x[0], f)
                extra = cross(hub_w, cross(hub_w, x[k] - x[0])) + 2.0 * cross(hub_w, along)
                side = cross(axis, hub[:, int(np.argmin(np.abs(np.array(one.axis_B))))])
                for e in (side, cross(axis, side)):
                    held(e, k, x[k], e @ extra)
            else:
                a = origin + hub @ np.array(one.pivot_B)
                rod = x[k] - a
                e = rod / one.length
                pivot_v = v[0] + cross(hub_w, a - x[0])
                gone = v[k] - pivot_v
                turning = cross(e, gone / one.length) - (hub_w - e * (e @ hub_w))
                f = -one.damping / one.length * cross(turning, e)
                force[k] += f
                force[0] -= f
                torque[0] += one.damping * turning - cross(a - x[0], f)
                row = np.zeros(6 * n)
                row[6 * k : 6 * k + 3], row[0:3] = e, -e
                row[3:6] = -cross(a - x[0], e)
                rows.append(row)
                pivot = cross(hub_w, cross(hub_w, a - x[0]))
                right.append(e @ pivot - gone @ gone / one.length)
            masses[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = m * np.eye(3)
            inertia = R[k] @ one.inertia @ R[k].T if self.turns(one) else np.eye(3)
            masses[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = inertia
            if self.turns(one):
                torque[k] -= cross(w[k], inertia @ w[k])
        masses[0:3, 0:3] = self.hub_mass * np.eye(3)
        inertia = hub @ self.hub_inertia @ hub.T
        masses[3:6, 3:6] = inertia
        torque[0] -= cross(hub_w, inertia @ hub_w)
        G = np.array(rows).reshape(-1, 6 * n)
        whole = np.block([[masses, G.T], [G, np.zeros((len(G), len(G)))]])
        if struck_B is not None:
            force[:], torque[:], right = 0.0, 0.0, np.zeros(len(G))
            force[0] = hub @ struck_B
            torque[0] = cross(origin - x[0], force[0])
        sides = np.concatenate((np.hstack((force, torque)).ravel(), right))
        return np.linalg.solve(whole, sides)[: 6 * n].reshape(n, 6), moment


def compared(parts, force_B=(0.0, 0.0, 0.0), torque_B=(0.0, 0.0, 0.0), seconds=2.0, substeps=64):
    """Return errors of the hub's origin [m], attitude and rate after some time, and the Plant."""
    body = RigidBody(MASS, INERTIA)
    plant = plant_of(body, parts=parts.parts, substeps=substeps)
    q = rotations.unit_quaternion((0.8, 0.3, -0.4, 0.33))
    state = plant.spacecraft.state(np.zeros(3), q, np.zeros(3), OMEGA_B)
    wrench = np.concatenate((force_B, torque_B, np.zeros(6)))
    count = round(seconds * 32)
    for elapsed in range(count):
        state = step(plant, state, Inputs(wrench), elapsed)
    other = Bodies(parts, MASS, INERTIA, np.array(force_B), np.array(torque_B))
    begin = other.start(q, OMEGA_B)
    end = solve_ivp(other, (0.0, seconds), begin, 'DOP853', rtol=1e-12, atol=1e-13).y[:, -1]
    R = end[3:12].reshape(3, 3)
    origin = end[0:3] - R @ other.hub_B
    craft = plant.spacecraft
    ours = rotations.dcm_from_quaternion(state.q_WB)
    return (
        np.abs(craft.origin_W(state) - origin).max(), np.abs(ours - R).max(),
        np.abs(ours @ craft.angular_velocity_B(state) - end[15:18]).max(),
    )  # fmt: skip


@pytest.mark.parametrize(
    'parts',
    [
        InternalParts.named({'panel': PANEL}),
        InternalParts.named({'ball': BALL}),
        InternalParts.named({'ball': BALL, 'slosh': SLOSH}),
        InternalParts.named({}, {'tank': TANK}),
        InternalParts.named({}, {}, {'oil': OIL}),
        InternalParts.named(
            {'panel': PANEL, 'ball': BALL, 'other': OTHER, 'slosh': SLOSH}, {'tank': TANK},
            {'oil': OIL},
        ),
    ],
    ids=['panel', 'ball', 'two masses', 'pendulum', 'slug', 'all'],
)  # fmt: skip
@pytest.mark.parametrize('pushed', [False, True])
def test_motion_is_that_of_bodies_in_inertial_axes(parts, pushed):
    given = (FORCE_B, TORQUE_B) if pushed else ()
    # Both codes err by less than 1e-9 here; RK4 with 64 steps a tick has an error of 1e-12.
    assert max(compared(parts, *given)) < 2e-9


EVERYTHING = InternalParts.named(
    {'panel': PANEL, 'ball': BALL, 'other': OTHER, 'slosh': SLOSH}, {'tank': TANK}, {'oil': OIL}
)
ATTITUDE = rotations.unit_quaternion((0.8, 0.3, -0.4, 0.33))


def test_a_rate_that_is_set_leaves_what_would_have_begun_with_it():
    """All parts keep their motion relative to the body, also gyros and wheels out of its axes."""
    gyro = ControlMomentGyro(
        gimbal_axis_B=(0.6, 0.0, 0.8), spin_axis_B=(0.0, 1.0, 0.0), rotor_inertia=0.05,
        rotor_speed=150.0, inertias=(0.03, 0.04, 0.05), angle=0.4,
    )  # fmt: skip
    axes = np.array(((0.6, 0.8, 0.0), (0.0, -0.6, 0.8)))
    wheels = ReactionWheels(('a', 'b'), axes, np.array((0.02, 0.03)), np.full(2, 1.0))
    parts = (*EVERYTHING.parts, wheels, ControlMomentGyros(('g',), (gyro,)))
    craft = plant_of(RigidBody(MASS, INERTIA), parts=parts).spacecraft
    placed = np.array((1.0, 2.0, 3.0)), ATTITUDE, np.array((0.1, -0.2, 0.3))
    before, after = (
        craft.state(*placed, rate, np.array((30.0, -40.0)))
        for rate in (OMEGA_B, np.array((-0.3, 0.8, 0.5)))
    )
    internal, stored_B = craft.turned(before, (-0.3, 0.8, 0.5))
    assert internal == pytest.approx(after.internal, abs=1e-14)
    whole_B = craft.carrier.inertia @ (-0.3, 0.8, 0.5) + stored_B
    assert whole_B == pytest.approx(craft.angular_momentum_B(after), abs=1e-14)
    assert craft.wheel_speeds(after) == pytest.approx([30.0, -40.0], abs=1e-12)
    assert craft.internal_rates(after) == pytest.approx(craft.internal_rates(before), abs=1e-13)


@pytest.mark.parametrize(
    ('mass', 'across', 'words'),
    [
        (4.0, 7.0, 'has 4 kg of 4 kg; the body has the mass of the whole'),
        (10.0, 20.0 / 3.0 - 0.01, r'takes more inertia than there is: -0.01 kg m\^2 are left'),
        (10.0, 20.0 / 3.0 + 0.01, None),
    ],
)
def test_the_hub_keeps_mass_and_inertia_about_its_own_centre_of_mass(mass, across, words):
    """4 kg of 10 at 1 m: the hub's 6 kg are 2/3 m on the other side, and 20/3 kg m^2 are taken."""
    ball = SlidingMass(position_B=(1.0, 0.0, 0.0), axis_B=(0.0, 1.0, 0.0), mass=4.0, stiffness=1.0)
    parts = InternalParts.named({'ball': ball}).parts
    refused = pytest.raises(ValueError, match=words) if words else contextlib.nullcontext()
    with refused:
        Spacecraft(RigidBody(mass, np.diag((1.0, across, across))), parts)


def test_what_an_imu_feels_is_the_acceleration_of_its_place():
    """Angular acceleration, and specific force at the origin, which moves in the hub's frame."""
    plant = plant_of(RigidBody(MASS, INERTIA), parts=EVERYTHING.parts)
    state = plant.spacecraft.state(np.zeros(3), ATTITUDE, np.zeros(3), OMEGA_B)
    inputs = Inputs(np.concatenate((FORCE_B, TORQUE_B, np.zeros(6))))
    instant = put_instant(plant, 0, state)
    other = Bodies(EVERYTHING, MASS, INERTIA, FORCE_B, TORQUE_B)
    flat = other.start(ATTITUDE, OMEGA_B)
    for elapsed in range(32):
        instant = next_instant(plant, instant, inputs)
        flat = solve_ivp(
            other, (0.0, 1 / 32), flat, 'DOP853', rtol=1e-11, atol=1e-12
        ).y[:, -1]  # fmt: skip
        if elapsed % 16 < 15:
            continue
        seen = kinematics.TRUTH.unpacked(truth(plant, instant))
        found, _ = other.accelerations(flat)
        R, w = flat[3:12].reshape(3, 3), flat[15:18]
        arm = -R @ other.hub_B
        origin = found[0, :3] + cross(found[0, 3:], arm) + cross(w, cross(w, arm))
        np.testing.assert_allclose(seen['specific_force_B'], R.T @ origin, atol=1e-8)
        np.testing.assert_allclose(seen['angular_acceleration_B'], R.T @ found[0, 3:], atol=1e-8)


def test_a_blow_on_the_hub_is_felt_by_what_hangs_on_it():
    plant = plant_of(RigidBody(MASS, INERTIA), parts=EVERYTHING.parts)
    before = plant.spacecraft.state(np.zeros(3), ATTITUDE, np.zeros(3), OMEGA_B)
    blow_B = np.array([1.5, -0.7, 2.0])
    R = rotations.dcm_from_quaternion(ATTITUDE)
    impulse = np.concatenate((R @ blow_B, np.zeros(3)))
    after = plant.spacecraft.struck(loads.kicked(before, impulse), impulse)
    other = Bodies(EVERYTHING, MASS, INERTIA, np.zeros(3), np.zeros(3))
    jumps, _ = other.accelerations(other.start(ATTITUDE, OMEGA_B), blow_B)
    craft = plant.spacecraft
    gained = R @ (craft.angular_velocity_B(after) - craft.angular_velocity_B(before))
    np.testing.assert_allclose(gained, jumps[0, 3:], atol=1e-13)
    gained = craft.origin_velocity_W(after) - craft.origin_velocity_W(before)
    np.testing.assert_allclose(
        gained, jumps[0, :3] + cross(jumps[0, 3:], -R @ other.hub_B), atol=1e-13
    )
    # And so by the relative rates: of the panel about its hinge, of the ball along its line.
    rates = craft.internal_rates(after) - craft.internal_rates(before)
    axis = R @ np.array(PANEL.axis_B)
    assert rates[0] == pytest.approx(axis @ (jumps[1, 3:] - jumps[0, 3:]), abs=1e-13)
    x = R @ (BALL.center_at_B(BALL.displacement) - other.hub_B)
    along = jumps[2, :3] - jumps[0, :3] - cross(jumps[0, 3:], x)
    assert rates[1] == pytest.approx(R @ np.array(BALL.axis_B) @ along, abs=1e-13)


def test_uniform_gravity_is_not_felt_inside():
    """What falls freely sloshes as if nothing pulled."""
    found = []
    for gravity_W in (np.zeros(3), np.array([0.3, -9.8, 1.0])):
        plant = plant_of(RigidBody(MASS, INERTIA), gravity_W, parts=EVERYTHING.parts)
        state = plant.spacecraft.state(np.zeros(3), ATTITUDE, np.zeros(3), OMEGA_B)
        for elapsed in range(64):
            state = step(plant, state, Inputs(), elapsed)
        found.append((*state.q_WB, *plant.spacecraft.internal_states(state)))
        fallen = (
            state.position_W
            - plant.spacecraft.state(np.zeros(3), ATTITUDE, np.zeros(3), OMEGA_B).position_W
        )
        drift = state.momentum_W / MASS * 2.0 - gravity_W * 4.0
        np.testing.assert_allclose(fallen, drift + gravity_W * 2.0, atol=1e-12)
    np.testing.assert_allclose(found[0], found[1], atol=1e-12)


def test_gravity_gradient_turns_the_inertia_of_the_moment():
    """A panel held off its reference: the torque is that of a rigid body of its inertia."""
    held = InternalParts.named({'panel': HingedPanel(
        (0.4, 0.1, -0.2), (0.0, 0.6, 0.8), (0.6, 0.05, 0.02), 1.2, np.array(PANEL.inertia),
        angle=1.2, release=np.inf,
    )})  # fmt: skip
    orbit = CircularOrbit(7e6, np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]))
    plant = plant_of(RigidBody(MASS, INERTIA), parts=held.parts, orbit=orbit)
    state = plant.spacecraft.state(np.zeros(3), ATTITUDE, np.zeros(3), np.zeros(3))
    panel, moment = held.coordinates['panel'], held.hub_moment_B
    c = (moment + panel.moment_B(1.2)) / MASS
    whole = INERTIA - held.inertia_B + panel.inertia_B(1.2)
    whole = whole - MASS * (c @ c * np.eye(3) - np.outer(c, c))
    rigid = plant_of(RigidBody(MASS, (whole + whole.T) / 2.0), orbit=orbit)
    other = rigid.spacecraft.state(np.zeros(3), ATTITUDE, np.zeros(3), np.zeros(3))
    for elapsed in range(3200):
        state, other = step(plant, state, elapsed=elapsed), step(rigid, other, elapsed=elapsed)
    gained = np.linalg.norm(other.angular_momentum_W)
    assert gained > 1e-4
    np.testing.assert_allclose(
        state.angular_momentum_W, other.angular_momentum_W, atol=1e-9 * gained
    )


def test_a_batch_gives_the_same_bits():
    plant = plant_of(RigidBody(MASS, INERTIA), parts=EVERYTHING.parts)
    several = [
        plant.spacecraft.state(np.zeros(3), ATTITUDE, np.zeros(3), k * OMEGA_B) for k in range(3)
    ]
    wrench = np.concatenate((FORCE_B, TORQUE_B, np.zeros(6)))
    batch = Batch(
        [plant.spacecraft.carrier] * 3, several, watched=True,
        actuated=rows_of([plant] * 3, several, [Inputs()] * 3),
    )  # fmt: skip
    batch.hold(np.array([wrench] * 3))
    batch.advance(70)
    for k, state in enumerate(several):
        flat = trajectory(plant, state, 70, wrench)[-1]
        assert batch.states[k].tobytes() == flat[:13].tobytes()
        assert batch.internal[k].tobytes() == flat[13:].tobytes()


def test_what_the_hub_must_be_is_counted_about_its_own_centre_of_mass():
    """A mass m of M at a distance r: the hub's own inertia is J - m M/(M - m) r²."""
    ball = SlidingMass((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), mass=1.0, stiffness=1.0)
    parts = InternalParts.named({'a': ball})
    parts.check(2.0, np.diag((2.01, 2.01, 0.015)))
    with pytest.raises(ValueError, match='more inertia than there is'):
        parts.check(2.0, np.diag((1.99, 1.99, 0.015)))
