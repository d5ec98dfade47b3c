# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Impacts against closed forms: a floor that heaves, two in one tick, a slip that jams."""

import contact_cases
import numpy as np
import pytest
from contact_cases import GRAVITY
from scipy.optimize import brentq

from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.contact import floors, model, shapes
from spacecraft_attitude_sim.core.contact.solver import constraint, layout, projection, transitions
from spacecraft_attitude_sim.core.contact.solver.advance import advance
from spacecraft_attitude_sim.core.contact.solver.flight import clearance
from spacecraft_attitude_sim.core.contact.solver.held import hold
from spacecraft_attitude_sim.core.contact.solver.layout import ROLLING, SLIDING
from spacecraft_attitude_sim.core.contact.solver.states import contact_state
from spacecraft_attitude_sim.core.equations import momentum
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import plant_of
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

RADIUS = 0.1
Z = np.array((0.0, 0.0, 1.0))
BALL = contact_cases.solid_ball(2.0, RADIUS)
# An event is found to about 1e-11 s, at accelerations of some 10 m/s^2.
EXACT = {'rtol': 0.0, 'atol': 1e-9}


def ball_on(floor, height, velocity_W=(0.0, 0.0, 0.0), friction=0.0, restitution=0.5):
    """Return the Case of a ball let go with its centre at a height."""
    return contact_cases.Case(
        body=BALL,
        contact=model.ContactModel(
            surface=shapes.Sphere(radius=RADIUS), floor=floor, friction=friction,
            restitution=restitution,
        ),
        position_W=(0.0, 0.0, height),
        q_WB=rotations.IDENTITY,
        velocity_W=velocity_W,
        angular_velocity_B=(0.0, 0.0, 0.0),
        place=False,
        seconds=1.0,
    )  # fmt: skip


@pytest.mark.parametrize('phase', [0.6, 2.5])
def test_a_floor_that_heaves_gives_its_own_speed_to_what_bounces_on_it(phase):
    """Newton: u' - w = -e (u - w), w the speed of the floor, which rises or falls meanwhile."""
    amplitude, frequency, height, e = 0.2, 5.0, 0.6, 0.5
    floor = floors.Plane(amplitude=amplitude, angular_frequency=frequency, phase=phase)
    _, states, contacts = contact_cases.run(ball_on(floor, height, restitution=e), ticks=16)
    t = brentq(
        lambda t: height - GRAVITY * t * t / 2.0 - RADIUS
        - amplitude * np.sin(frequency * t + phase), 0.0, 0.45, xtol=1e-15,
    )  # fmt: skip
    tick = int(t / TICK_SECONDS) + 1
    assert contacts[:tick, layout.IMPACTS].sum() == 0
    assert contacts[tick, layout.IMPACTS] == 1
    floor_speed = amplitude * frequency * np.cos(frequency * t + phase)
    assert abs(floor_speed) > 0.2  # it matters
    rebound = (1.0 + e) * floor_speed + e * GRAVITY * t
    since = tick * TICK_SECONDS - t
    expected = rebound - GRAVITY * since
    np.testing.assert_allclose(states[tick, 9] / BALL.mass, expected, **EXACT)
    height_then = height - GRAVITY * t * t / 2.0 + rebound * since - GRAVITY * since**2 / 2.0
    np.testing.assert_allclose(states[tick, 2], height_then, **EXACT)
    impulse = BALL.mass * (rebound + GRAVITY * t)
    np.testing.assert_allclose(contacts[tick, layout.IMPULSE + 2], impulse, **EXACT)


@pytest.mark.parametrize('friction', [0.1, 2.0])
def test_a_ball_dropped_on_a_conveyor_is_dragged_along_until_it_grips(friction):
    """A solid ball: 3.5/m along the floor. It takes μ of the lift, or all of the slip."""
    belt = np.array((0.8, -0.6, 0.0))  # 1 m/s
    case = ball_on(floors.Plane(conveyor=tuple(belt)), 0.3, friction=friction, restitution=0.5)
    _, states, contacts = contact_cases.run(case, ticks=10)
    tick = int(np.flatnonzero(contacts[:, layout.IMPACTS])[0])
    hit = np.sqrt(2.0 * 0.2 / GRAVITY)
    assert tick == int(hit / TICK_SECONDS) + 1
    lift = BALL.mass * 1.5 * GRAVITY * hit
    drag = min(friction * lift, BALL.mass / 3.5) * belt
    impulse = contacts[tick, layout.IMPULSE : layout.IMPULSE + 3]
    np.testing.assert_allclose(impulse, (*drag[:2], lift), **EXACT)
    np.testing.assert_allclose(states[tick, 7:9], drag[:2], **EXACT)
    np.testing.assert_allclose(
        states[tick, 10:13], np.cross((0.0, 0.0, -RADIUS), impulse), **EXACT
    )


def test_the_floor_carries_what_lies_on_it_up_and_down():
    """At rest on a floor that heaves slowly: its height, its speed, and m (g + a)."""
    amplitude, frequency, phase = 0.05, 6.0, 0.7
    floor = floors.Plane(amplitude=amplitude, angular_frequency=frequency, phase=phase)
    case = ball_on(floor, RADIUS, friction=0.4)._replace(place=True)
    _, states, contacts = contact_cases.run(case, ticks=40)
    angle = frequency * np.arange(41) * TICK_SECONDS + phase
    np.testing.assert_allclose(states[:, 2], RADIUS + amplitude * np.sin(angle), **EXACT)
    speed = amplitude * frequency * np.cos(angle)
    np.testing.assert_allclose(states[:, 9] / BALL.mass, speed, **EXACT)
    force = BALL.mass * (GRAVITY - amplitude * frequency**2 * np.sin(angle))
    np.testing.assert_allclose(contacts[:, layout.NORMAL_FORCE], force, **EXACT)


def test_the_impulse_of_a_tick_is_the_sum_of_its_impacts():
    """Hops of 2 v / g = 16 ms and 8 ms: two or more impacts in a tick, and no other force."""
    drop = 5e-4
    case = ball_on(floors.Plane(), RADIUS + drop, restitution=0.8)
    plant, states, contacts = contact_cases.run(case, ticks=2)
    for tick in (1, 2):
        assert contacts[tick, layout.IMPACTS] >= 2
        gained = states[tick, 7:10] - states[tick - 1, 7:10]
        gained -= plant.body.mass * plant.gravity_W * TICK_SECONDS
        impulse = contacts[tick, layout.IMPULSE : layout.IMPULSE + 3]
        np.testing.assert_allclose(impulse, gained, rtol=0.0, atol=1e-13)
    # From the closed form: the first hits at √(2 g d), each next at 0.8 of that.
    first, hit, expected = np.sqrt(2.0 * GRAVITY * drop), np.sqrt(2.0 * drop / GRAVITY), 0.0
    speed, time = first, hit
    while time < TICK_SECONDS:
        expected += BALL.mass * 1.8 * speed
        speed *= 0.8
        time += 2.0 * speed / GRAVITY
    np.testing.assert_allclose(contacts[1, layout.IMPULSE + 2], expected, **EXACT)


@pytest.mark.parametrize('e', [0.0, 0.5])
def test_a_ball_that_is_in_the_floor_as_a_tick_begins_bounces_in_that_tick(e):
    """As round-off may leave it. It stood still there, for the impact was found but not kept."""
    case = ball_on(floors.Plane(), 2.0 * RADIUS, restitution=e)
    plant, state, contact = contact_cases.begin(case)
    deep = state._replace(
        position_W=np.array((0.0, 0.0, RADIUS - 1e-12)),
        momentum_W=np.array((0.0, 0.0, -BALL.mass)),
    )
    after, contact = model.step(case.contact, plant, deep, contact, 0)
    assert contact[layout.IMPACTS] == 1
    assert contact[layout.IMPULSE + 2] == pytest.approx(BALL.mass * (1.0 + e), rel=1e-12)
    speed = e - GRAVITY * TICK_SECONDS if e else 0.0
    assert after.momentum_W[2] == pytest.approx(BALL.mass * speed, abs=1e-12)


HEAVE, OFTEN = 0.05, 1.6 * np.pi / TICK_SECONDS
# {what comes near: (floor, start, velocity, time when it is nearest, gap, normal and speed of it)}
PASSING = {
    'crest': (
        floors.Dome(radius=1.0), (-0.3, 0.0, 1.0 + RADIUS), (20.0, 0.0, 0.0), 0.015,
        lambda t, r: np.linalg.norm(r) - 1.0 - RADIUS,
        lambda t, r: (r / np.linalg.norm(r), np.zeros(3)),
    ),
    'heave': (
        floors.Plane(amplitude=HEAVE, angular_frequency=OFTEN, phase=-0.3 * np.pi),
        (0.0, 0.0, RADIUS + HEAVE), (0.0, 0.0, 0.0), TICK_SECONDS / 2.0,
        lambda t, r: r[2] - RADIUS - HEAVE * np.sin(OFTEN * t - 0.3 * np.pi),
        lambda t, r: (Z, HEAVE * OFTEN * np.cos(OFTEN * t - 0.3 * np.pi) * Z),
    ),
}  # fmt: skip


@pytest.mark.parametrize('name', PASSING)
def test_a_touch_between_the_ends_of_a_sub_step_is_found(name):
    """A crest that a ball flies by, and a floor that heaves: clear as the tick begins and ends."""
    floor, start, velocity, nearest, gap, at = PASSING[name]
    for spare in (1e-3, -1e-3):
        begins = start + (spare + GRAVITY * nearest**2 / 2.0) * Z
        case = ball_on(floor, 0.0, velocity)._replace(position_W=tuple(begins))

        def place(t, begins=begins):
            return begins + t * np.array(velocity) - GRAVITY * t * t / 2.0 * Z

        assert gap(0.0, place(0.0)) > 0.01 < gap(TICK_SECONDS, place(TICK_SECONDS))
        _, states, contacts = contact_cases.run(case, ticks=1)
        kick = np.zeros(3)
        if spare < 0.0:
            t = brentq(lambda t: gap(t, place(t)), 0.0, nearest, xtol=1e-15)
            n, over = at(t, place(t))
            kick = -1.5 * n * (n @ (np.array(velocity) - GRAVITY * t * Z - over))
        assert contacts[1, layout.IMPACTS] == (spare < 0.0)
        assert contacts[1, layout.SUBSTEPS] <= 2
        change = np.array(velocity) - GRAVITY * TICK_SECONDS * Z + kick
        np.testing.assert_allclose(states[1, 7:10] / BALL.mass, change, rtol=0.0, atol=1e-7)


def test_a_tick_of_too_many_sub_steps_says_so():
    case = ball_on(floors.Plane(), RADIUS + 0.5 * GRAVITY * (TICK_SECONDS * 0.9) ** 2)
    plant, state, contact = contact_cases.begin(case)
    total = loads.with_gravity(loads.FREE, BALL.mass * contact_cases.DOWN)
    most = 200_000
    for substeps, status in ((most, layout.FINE), (round(most / 0.8), layout.STALLED)):
        _, after = advance(
            to_flat(state), contact, 0.0, total, *case.contact.flat(BALL), TICK_SECONDS, substeps
        )
        assert after[layout.IMPACTS] == 1
        assert after[layout.STATUS] == status


# --- a rod that slips towards its foot, which jams ----------------------------------------------

ROD = (0.5, 0.02, 0.02)
STEEP = np.radians(60.0)


def jamming_rod(restitution):
    """Return (Held, y, placed State) of a rod at 60 degrees whose foot slips along -x.

    P. Painlevé (1895): with μ sin θ cos θ > I/(m l²) + cos² θ, here 0.87 > 0.45, friction presses
    the foot into the floor faster than the normal force lifts it.
    """
    body = contact_cases.solid_ellipsoid(1.0, ROD)
    contact = model.ContactModel(
        surface=shapes.Ellipsoid(semi_axes=ROD), floor=floors.Plane(), friction=2.0,
        restitution=restitution,
    )  # fmt: skip
    q_WB = rotations.quaternion_from_axis_angle((0.0, 1.0, 0.0), -STEEP)
    plant = plant_of(body, contact_cases.DOWN)
    lifted = body.state((0.0, 0.0, 1.0), q_WB, (-1.0, 0.0, 0.0), np.zeros(3))
    held = hold(loads.with_gravity(loads.FREE, body.mass * plant.gravity_W), *contact.flat(body))
    support = np.sqrt((ROD[0] * np.sin(STEEP)) ** 2 + (ROD[2] * np.cos(STEEP)) ** 2)
    return held, touching(held, body, lifted._replace(position_W=np.array((0.0, 0.0, support))))


def touching(held, body, state):
    """Return the contact's sixteen floats of a State on the floor."""
    free = momentum.in_principal_axes(to_flat(state), body.flat())
    _, y, found = clearance(0.0, contact_state(free, (0.0, 0.0, 0.0), held), held)
    assert found
    return projection.on_floor(0.0, y, held)


def test_a_jam_is_an_impact_that_gives_nothing_back_whatever_the_restitution():
    (held, y), (springy, same) = jamming_rod(0.0), jamming_rod(0.9)
    assert same == y
    before = projection.relative_velocity(0.0, y, held)[1]
    assert before == pytest.approx((-1.0, 0.0, 0.0), abs=1e-14)  # no approach
    # It jams: what a newton of the floor's does to the foot, friction included, is below zero.
    reaction = constraint.reaction_in(0.0, y, layout.SLIPPING, (-1.0, 0.0, 0.0), held)
    a, b = -projection.arm_of(y)[0], -projection.arm_of(y)[2]
    moment = (ROD[0] ** 2 + ROD[2] ** 2) / 5.0
    assert reaction.ease == pytest.approx(1.0 - 2.0 * a * b / moment / (1.0 + a * a / moment))
    assert reaction.ease < -0.5
    after, _, _, impulse = transitions.unjam(0.0, y, held)
    assert impulse[0] > 0.1
    assert impulse[2] > 0.1
    # Plastic: the foot neither slips nor leaves.
    over = projection.relative_velocity(0.0, after, held)[1]
    assert over == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    assert transitions.unjam(0.0, y, springy) == transitions.unjam(0.0, y, held)


def test_a_run_goes_through_a_jam_and_reports_its_impulse():
    body = contact_cases.solid_ellipsoid(1.0, ROD)
    contact = model.ContactModel(
        surface=shapes.Ellipsoid(semi_axes=ROD), floor=floors.Plane(), friction=2.0
    )
    case = contact_cases.Case(
        body, contact, (0.0, 0.0, 1.0),
        rotations.quaternion_from_axis_angle((0.0, 1.0, 0.0), -STEEP), (-1.0, 0.0, 0.0),
        np.zeros(3), True, 1.0,
    )  # fmt: skip
    plant, states, contacts = contact_cases.run(case, ticks=1)
    assert contacts[1, layout.IMPACTS] == 1
    # Friction brakes the slip with at most μ of what lifts: both parts of the impulse are there.
    impulse = contacts[1, layout.IMPULSE : layout.IMPULSE + 3]
    assert 0.1 < impulse[0] <= 2.0 * impulse[2] * (1.0 + 1e-9)
    energy = contact_cases.energies(plant, states)
    assert energy[1] < energy[0] - 0.05


# --- the constraint -----------------------------------------------------------------------------


def resting_ball():
    """Return (Held, y, gap) of a ball at rest, 1 cm above where it touches."""
    body, contact = (
        BALL,
        model.ContactModel(surface=shapes.Sphere(radius=RADIUS), floor=floors.Plane()),
    )
    held = hold(np.zeros(12), *contact.flat(body))
    state = body.state((0.0, 0.0, RADIUS), rotations.IDENTITY, (0.0, 0.0, 0.0), np.zeros(3))
    return held, touching(held, body, state)


@pytest.mark.parametrize('gap', [1e-3, -1e-3])
def test_constraint_error_counts_a_gap_of_either_sign(gap):
    held, y = resting_ball()
    for regime in (SLIDING, ROLLING):
        assert projection.constraint_error(0.0, y, regime, gap, held) == 1e-3
        assert projection.constraint_error(0.0, y, regime, 0.0, held) < 1e-15


def test_constraint_error_is_the_velocity_that_the_regime_forbids():
    """A slip of 0.3 m/s along the floor is against rolling, not against sliding."""
    held, y = resting_ball()
    slipping = (*y[:7], 0.3 * BALL.mass, *y[8:])
    assert projection.constraint_error(0.0, slipping, SLIDING, 0.0, held) < 1e-15
    error = projection.constraint_error(0.0, slipping, ROLLING, 0.0, held)
    assert error == pytest.approx(0.3, rel=1e-14)
