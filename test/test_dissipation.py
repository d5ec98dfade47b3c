# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What bends, sloshes and dissipates, against closed forms and published numbers."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import FlexibleMode
from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.parts.coordinates.layouts import (
    AT_HIGH,
    AT_LOW,
    CAUGHT,
    FREE,
    HELD,
    LATCHED,
)
from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.parts.free_vibration import free_frequencies
from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum
from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug
from spacecraft_attitude_sim.core.simulation.energy_book import EnergyBook
from spacecraft_attitude_sim.core.simulation.plant import plant_of
from spacecraft_attitude_sim.core.simulation.tick import next_instant, put_instant, step
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS, Ticks

LEVEL = np.array([1.0, 0.0, 0.0, 0.0])
STILL = np.zeros(3)


def craft(inertia, parts, mass=50.0, rate=32.0, substeps=0, **more):
    return plant_of(
        RigidBody(mass, np.array(inertia, dtype=float)), parts=parts.parts, substeps=substeps,
        ticks=Ticks.at(rate), **more,
    )  # fmt: skip


def flown(plant, state, seconds, inputs=None, every=None):
    """Return the states at every tick; L must not change by a bit where nothing pushes."""
    inputs, states = inputs or Inputs(), [state]
    for elapsed in range(round(seconds / plant.ticks.step)):
        states.append(step(plant, states[-1], inputs, elapsed))
        if every and (elapsed + 1) % every:
            states.pop(-2)
    if not inputs.wrench.any():
        assert all((one.angular_momentum_W == state.angular_momentum_W).all() for one in states)
    return states


def spinning(plant, omega_B, q=LEVEL):
    return plant.spacecraft.state(STILL, q, STILL, np.array(omega_B, dtype=float))


def shape(plant, state):
    """Displacements of the coordinates."""
    return plant.spacecraft.internal.displacements(plant.spacecraft.internal_states(state))


def hows(plant, state):
    """How the coordinates are."""
    own = plant.spacecraft.internal_states(state)
    return own[plant.spacecraft.internal.layout.of('coordinates')].reshape(-1, 3)[:, 2]


# --- modes ---------------------------------------------------------------------------------------


def test_a_mode_swings_with_the_frequency_of_the_free_hub():
    """T-F-1: δ = 2, Ω = 1.5 and I = 10: 1.936 491 673 rad/s, and the answer to a step torque."""
    parts = InternalParts.named({'boom': FlexibleMode((0.0, 0.0, 2.0), 1.5)})
    plant = craft(np.diag([10.0, 10.0, 10.0]), parts, substeps=16)
    (found,) = free_frequencies(parts, 50.0, np.diag([10.0, 10.0, 10.0]))
    assert found == pytest.approx(1.936491673, abs=1e-9)
    torque = 0.3
    inputs = Inputs(np.array([0.0, 0.0, 0.0, 0.0, 0.0, torque] + [0.0] * 6))
    last = flown(plant, spinning(plant, STILL), 10.0, inputs)[-1]
    free, part = 1.5 / math.sqrt(0.6), 0.4
    expected = torque * 100.0 / 20.0 + torque / 10.0 * part / (1.0 - part) * (
        1.0 - math.cos(free * 10.0)
    ) / (free * free)
    turned = 2.0 * math.atan2(last.q_WB[3], last.q_WB[0])
    assert (turned - expected) % (2.0 * math.pi) == pytest.approx(0.0, abs=1e-9) or (
        turned - expected
    ) % (2.0 * math.pi) == pytest.approx(2.0 * math.pi, abs=1e-9)


def test_modes_are_those_of_the_mass_matrix():
    """T-F-2: three oblique modes with damping, by the accelerations of the full mass matrix."""
    inertia = np.array([[10.0, 0.5, -0.3], [0.5, 12.0, 0.4], [-0.3, 0.4, 8.0]])
    D = np.array([[0.8, 0.3, -0.2], [0.1, 1.1, 0.4], [-0.5, 0.2, 0.9]])  # a column each
    frequency, damping = np.array([1.1, 2.3, 0.7]), np.array([0.01, 0.02, 0.0])
    parts = InternalParts.named(
        {
            str(k): FlexibleMode(D[:, k], frequency[k], damping[k], (0, 0, 0), 0.1 * k, 0.2)
            for k in range(3)
        }
    )
    plant = craft(inertia, parts, substeps=32)
    omega = np.array([0.2, -0.3, 0.25])

    def rates(_, y):
        w, eta, speed = y[:3], y[3:6], y[6:9]
        whole = np.block([[inertia, D], [D.T, np.eye(3)]])
        right = np.concatenate((
            -np.cross(w, inertia @ w + D @ speed),
            -2.0 * damping * frequency * speed - frequency**2 * eta,
        ))  # fmt: skip
        return np.concatenate((np.linalg.solve(whole, right)[:3], speed,
                               np.linalg.solve(whole, right)[3:]))  # fmt: skip

    begin = np.concatenate((omega, [0.0, 0.1, 0.2], [0.2, 0.2, 0.2]))
    end = solve_ivp(rates, (0.0, 20.0), begin, 'DOP853', rtol=1e-13, atol=1e-14).y[:, -1]
    last = flown(plant, spinning(plant, omega), 20.0)[-1]
    np.testing.assert_allclose(plant.spacecraft.angular_velocity_B(last), end[:3], atol=1e-11)
    np.testing.assert_allclose(shape(plant, last), end[3:6], atol=1e-11)
    np.testing.assert_allclose(plant.spacecraft.internal_rates(last), end[6:9], atol=1e-11)


def test_a_mode_that_drifts_is_a_mass_on_a_spring():
    """β of a mode is what the momentum of a sliding mass is, by the square root of that mass."""
    mass, arm = 0.5, np.array([0.6, 0.0, 0.0])
    along = np.array([0.0, 1.0, 0.0])
    root = math.sqrt(mass)
    mode = FlexibleMode(root * np.cross(arm, along), 3.0, 0.0, root * along, 1e-5 * root)
    ball = SlidingMass(arm, along, mass, mass * 9.0, 0.0, 1e-5)
    found = []
    for part in (mode, ball):
        plant = craft(np.diag([2.0, 3.0, 4.0]), InternalParts.named({'it': part}), mass=4.0)
        last = flown(plant, spinning(plant, STILL), 5.0)[-1]
        found.append((last.q_WB[3], plant.spacecraft.origin_W(last)[1]))
    # They differ by how the ball's place changes the inertia, 1e-5 of what they are.
    np.testing.assert_allclose(found[0], found[1], rtol=3e-5)
    assert abs(found[0][0]) > 1e-7 and abs(found[0][1]) > 1e-7


# --- energy sinks --------------------------------------------------------------------------------


def nutation(plant, state, axis):
    """Angle between an axis of the body and L [rad]."""
    L = plant.spacecraft.angular_momentum_B(state)
    return math.acos(min(1.0, abs(L @ np.asarray(axis)) / np.linalg.norm(L)))


@pytest.mark.parametrize(
    ('axial', 'damping', 'rate'), [(1.5, 2e-3, -4.615e-4), (0.4, 9e-4, 5.959e-4)]
)
def test_a_slug_damps_the_major_axis_and_upsets_the_minor(axial, damping, rate):
    """T-D-1 and T-D-2: small nutation of a spinner, 1/t_d = (c/A) λ(λ-1)n²/((c/J)² + λ²n²)."""
    inertia, n = 1e-3, 2.0
    ratio = axial
    assert -damping * ratio * (ratio - 1.0) * n * n / (
        (damping / inertia) ** 2 + (ratio * n) ** 2
    ) == pytest.approx(rate, rel=1e-3)
    parts = InternalParts.named({}, {}, {'oil': ViscousSlug(inertia, damping)})
    plant = craft(np.diag([1.0, 1.0, axial]), parts)
    states = flown(plant, spinning(plant, (0.01, 0.0, n)), 400.0)
    angles = np.array([nutation(plant, state, (0, 0, 1)) for state in states[3200::16]])
    times = np.arange(len(angles)) * 0.5
    slope = np.polyfit(times, np.log(angles), 1)[0]
    # The slug's own inertia, 1e-3 of A, and the nutation of 1e-2 rad are left out of the formula.
    assert slope == pytest.approx(rate, rel=5e-3)


def test_a_stiff_slug_turns_a_pencil_over():
    """T-D-3: tan θ = tan 20° e^(kt), k = J² (1-λ) L² / (c A² C): 70° at 26 320 s."""
    parts = InternalParts.named({}, {}, {'oil': ViscousSlug(2e-3, 0.05)})
    plant = craft(np.diag([1.0, 1.0, 0.4]), parts, rate=1.0, substeps=32)
    angle, n = math.radians(20.0), 2.0
    L = 0.4 * n
    state = spinning(plant, (L * math.sin(angle), 0.0, n * math.cos(angle)))
    states = flown(plant, state, 26320.0, every=1)
    found = math.degrees(nutation(plant, states[-1], (0, 0, 1)))
    assert found == pytest.approx(70.0, abs=0.2)
    middle = math.degrees(nutation(plant, states[13160], (0, 0, 1)))
    k = 4e-6 / 0.05 * 0.6 * L * L / 0.4
    assert middle == pytest.approx(
        math.degrees(math.atan(math.tan(angle) * math.exp(k * 13160.0))), abs=0.2
    )


def test_a_ball_in_a_tube_damps_as_its_eigenvalues_say():
    """T-D-4: -0.020 288 ± 0.508 47i of a spinner with hub 10, 10, 15 and a ball."""
    mass, reduced = 1e6, 0.2  # a heavy hub: the reduced mass is the ball's
    ball = reduced * mass / (mass - reduced)
    # The ball's mass is moved with the hub's: μ (M/m) r from the centre of mass of both.
    b, scale = 0.8, (mass - ball) / mass
    place = scale * np.array([b, 0.0, 0.0])
    point = reduced * b * b
    inertia = np.diag([10.0, 10.0 + point, 15.0 + point])
    parts = InternalParts.named({'ball': SlidingMass(place, (0.0, 0.0, 1.0), ball, 0.05, 0.05)})
    plant = craft(inertia, parts, mass=mass, substeps=4)
    states = flown(plant, spinning(plant, (1e-3, 0.0, 1.0)), 100.0)
    rates = np.array([plant.spacecraft.angular_velocity_B(s)[:2] for s in states[640:]])
    A, B, C, n, k, c = 10.0, 10.0 + point, 15.0 + point, 1.0, 0.05, 0.05
    whole = np.array([
        [A, 0, 0, 0], [0, B, 0, -reduced * b], [0, 0, 1, 0], [0, -reduced * b, 0, reduced]
    ])  # fmt: skip
    forces = np.array([
        [0, -(C - B) * n, 0, 0], [(C - A) * n, 0, reduced * b * n * n, 0], [0, 0, 0, 1],
        [-reduced * b * n, 0, -k, -c],
    ])  # fmt: skip
    values = np.linalg.eigvals(np.linalg.solve(whole, forces))
    values = values[np.argsort(-values.real)]
    assert values[0].real == pytest.approx(-0.020288, abs=1e-6)
    assert abs(values[0].imag) == pytest.approx(0.50847, abs=1e-5)
    # Two decaying swings fit the rate after 20 s: their poles are those of Prony's recurrence.
    x = rates[::16, 0]
    past = np.array([x[k : k + 4] for k in range(len(x) - 4)])
    poles = np.roots(np.concatenate(([1.0], -np.linalg.lstsq(past, x[4:])[0][::-1])))
    found = np.log(poles) / 0.5
    found = found[np.argsort(-found.real)]
    assert found[0].real == pytest.approx(-0.020288, rel=1e-2)
    assert abs(found[0].imag) == pytest.approx(0.50847, rel=1e-3)


@pytest.mark.parametrize(('first', 'sign'), [(0.1224, -1.0), (0.125, 1.0)])
def test_the_flat_spin_ends_as_published(first, sign):
    """T-D-5: Rahn and Barba 1991; a slug carries a minor-axis spin over to the major axis."""
    parts = InternalParts.named({}, {}, {'oil': ViscousSlug(18.0, 30.0)})
    plant = craft(np.diag([2000.0, 1500.0, 1000.0]), parts, mass=1000.0, substeps=16)
    states = flown(plant, spinning(plant, (first, 0.0, 2.99)), 2500.0, every=3200)
    omega = plant.spacecraft.angular_velocity_B(states[-1])
    size = np.linalg.norm(states[-1].angular_momentum_W) / 2000.0
    assert omega[0] == pytest.approx(sign * size, abs=1e-4)
    assert size == pytest.approx(1.5, abs=5e-3)


def test_heat_is_what_the_energy_book_says():
    plant = craft(
        np.diag([2.0, 3.0, 4.0]),
        InternalParts.named(
            {
                'ball': SlidingMass((0.3, 0.2, 0.1), (0.0, 0.6, 0.8), 0.4, 2.0, 0.3, 0.1),
                'boom': FlexibleMode((0.3, 0.1, 0.2), 2.0, 0.05, (0.1, 0.0, 0.2), 0.0, 0.3),
            },
            {'tank': Pendulum((0.1, 0.0, 0.2), (0.0, 0.0, -1.0), 1.0, 0.3, 0.05)},
            {
                'oil': ViscousSlug(0.02, 0.01, (0.5, 0.2, 0.1)),
                'fuel': ViscousSlug(0.05, 0.03, (-0.1, 0.4, 0.3)),
            },
        ),
        mass=10.0,
    )
    state = spinning(plant, (0.5, 0.9, 0.4))
    book = EnergyBook(plant.spacecraft, state)
    instant = put_instant(plant, 0, state)
    force = Inputs(
        np.array([0.1, 0.2, 3.0, 0.01, 0.0, 0.02, 0.3, 0.1, -0.2, 0.0, 0.01, 0.0]),
        impulse=np.array([0.3, -0.2, 0.1, 0.02, 0.01, 0.0]),
    )
    for _ in range(320):
        before = instant.state
        instant = next_instant(plant, instant, force)
        book.follow(before, instant)
    entries = book.entries(instant.state)
    assert entries.heat > 0.05
    assert abs(entries.loads) > 0.5
    assert abs(entries.missing) < 1e-7 * abs(entries.loads)


# --- panels that are held, let go and caught -----------------------------------------------------


def panel(**more):
    given = {'stiffness': 0.2, 'rest': 0.3, 'angle': -1.5, 'release': 1.01, 'latch': 0.0}
    return HingedPanel(
        hinge_B=(0.1, 0.0, 0.15), axis_B=(0.0, 1.0, 0.0), center_B=(0.2, 0.0, 0.0), mass=0.5,
        inertia=np.diag([0.002, 0.008, 0.0095]), **(given | more),
    )  # fmt: skip


def deployed(seconds, **more):
    plant = craft(
        np.diag([0.3, 0.32, 0.28]), InternalParts.named({'panel': panel(**more)}), mass=8.0
    )
    states = flown(plant, spinning(plant, (0.05, 0.02, 0.1)), seconds)
    return plant, states


def opened(stiffness, plant):
    """Return the frequency of the open panel on a spring [rad/s]."""
    free = panel(stiffness=stiffness, angle=0.0, latch=math.inf, release=0.0)
    (found,) = free_frequencies(InternalParts.named({'panel': free}), 8.0, plant.body.inertia)
    return found


def test_a_panel_stays_is_let_go_between_ticks_and_is_caught():
    plant, states = deployed(4.0)
    angles = np.array([shape(plant, s)[0] for s in states])
    how = np.array([hows(plant, s)[0] for s in states])
    assert (angles[:33] == -1.5).all() and (how[:33] == HELD).all()
    assert how[33] == FREE and angles[33] > -1.5
    caught = int(np.argmax(how == LATCHED))
    assert caught > 34 and (how[caught:] == LATCHED).all() and (angles[caught:] == 0.0).all()
    assert (np.diff(angles[32:caught]) > 0.0).all()
    # It is as rigid again as before.
    body = RigidBody(8.0, np.array(plant.body.inertia))
    rigid = plant_of(body)
    one = states[caught]
    free = rigid.spacecraft.state(STILL, one.q_WB, STILL, plant.spacecraft.angular_velocity_B(one))
    np.testing.assert_allclose(free.angular_momentum_W, one.angular_momentum_W, rtol=0, atol=1e-13)
    last = flown(rigid, free, (len(states) - 1 - caught) / 32.0)[-1]
    assert rotations.angle_between(last.q_WB, states[-1].q_WB) < 1e-9


def test_a_panel_let_go_at_a_blow_was_struck_while_it_was_held():
    """As one let go 31 ns later, in which its rate changes by less than 1e-6 rad/s."""
    blow = np.array((0.3, -0.1, 0.2, 0.02, 0.05, 0.01))

    def after(release):
        parts = InternalParts.named({'panel': panel(release=release)})
        plant = craft(np.diag([0.3, 0.32, 0.28]), parts, mass=8.0, substeps=2)
        state = spinning(plant, (0.05, 0.02, 0.1))
        for tick in range(3):
            state = step(plant, state, Inputs(impulse=blow * (tick == 1)), tick)
        assert hows(plant, state) == [FREE]
        found = plant.spacecraft
        return (*found.angular_velocity_B(state), *found.internal_rates(state))

    later = after(TICK_SECONDS * (1.0 + 1e-6))
    assert after(TICK_SECONDS) == pytest.approx(later, abs=1e-6)


def test_the_jolt_of_a_latch_takes_energy_and_leaves_momentum():
    plant, states = deployed(4.0)
    how = np.array([hows(plant, s)[0] for s in states])
    caught = int(np.argmax(how == LATCHED))
    craft_ = plant.spacecraft
    book = [craft_.energy_book(s)['heat'] for s in states]
    assert book[caught - 1] == 0.0
    energy = [craft_.kinetic_energy(s) + craft_.elastic_energy(s) for s in states]
    lost = energy[caught - 1] - energy[caught]
    assert lost > 0.01
    assert book[caught] == pytest.approx(lost, rel=1e-8)
    # By the reduced mass of a hinge between two bodies: half of it times the square of the rate.
    rate = craft_.internal_rates(states[caught - 1])[0]
    reduced = 0.2 / opened(0.2, plant) ** 2
    assert book[caught] == pytest.approx(0.5 * reduced * rate * rate, rel=0.05)


def test_a_latch_with_a_spring_holds_it_and_rings():
    plant, states = deployed(12.0, latch=0.1, latch_stiffness=40.0, latch_damping=0.05)
    angles = np.array([shape(plant, s)[0] for s in states])
    how = np.array([hows(plant, s)[0] for s in states])
    caught = int(np.argmax(how == CAUGHT))
    assert (how[caught:] == CAUGHT).all()
    after = angles[caught + 1 :]
    place = (0.2 * 0.3 + 40.0 * 0.1) / 40.2  # between the two springs
    assert after[-64:].mean() == pytest.approx(place, abs=5e-3)
    assert (after - place).min() < -0.5 * (after - place).max() < 0.0
    assert np.ptp(after[-64:]) < 0.5 * np.ptp(after[:64])
    craft_ = plant.spacecraft
    total = [
        craft_.kinetic_energy(s) + craft_.elastic_energy(s) + craft_.energy_book(s)['heat']
        for s in states[33:]
    ]
    assert np.ptp(total) < 1e-8
    fastest = opened(40.2, plant)
    off = after - place
    crossings = np.flatnonzero((off[:-1] > 0) & (off[1:] <= 0))
    turns = (len(crossings) - 1) / ((crossings[-1] - crossings[0]) / 32.0)
    assert 2.0 * math.pi * turns == pytest.approx(fastest, rel=0.02)


def test_a_panel_held_for_ever_is_part_of_the_body():
    held = craft(
        np.diag([0.3, 0.32, 0.28]), InternalParts.named({'p': panel(angle=0.0, latch=1.0,
                                                              release=math.inf)}), mass=8.0
    )  # fmt: skip
    rigid = plant_of(RigidBody(8.0, np.diag([0.3, 0.32, 0.28])))
    omega = (0.5, 2.0, 0.1)
    one, two = (flown(plant, spinning(plant, omega), 20.0)[-1] for plant in (held, rigid))
    assert rotations.angle_between(one.q_WB, two.q_WB) < 1e-8


# --- ends of a tube ------------------------------------------------------------------------------


@pytest.mark.parametrize(('way', 'end'), [(1.0, AT_HIGH), (-1.0, AT_LOW)])
def test_a_ball_stays_at_its_end_until_it_is_pulled_off(way, end):
    """A spin drives it out; the end takes its energy; a push on the hub brings it back."""
    ball = SlidingMass(
        (0.1, 0.0, 0.0), (way, 0.0, 0.0), 0.5, displacement=0.01 * way,
        travel=sorted((-0.3 * way, 0.2 * way)),
    )  # fmt: skip
    plant = craft(np.diag([1.0, 1.2, 1.5]), InternalParts.named({'ball': ball}), mass=10.0)
    states = flown(plant, spinning(plant, (0.0, 0.0, 2.0)), 4.0)
    places = np.array([shape(plant, s)[0] for s in states])
    how = np.array([hows(plant, s)[0] for s in states])
    caught = int(np.argmax(how == end))
    assert (
        0 < caught < 100 and (how[caught:] == end).all() and (places[caught:] == 0.2 * way).all()
    )
    craft_ = plant.spacecraft
    heat = [craft_.energy_book(s)['heat'] for s in states]
    energy = [craft_.kinetic_energy(s) for s in states]
    assert heat[-1] == pytest.approx(energy[0] - energy[-1], rel=1e-9) and heat[-1] > 0.01
    # Off the axis by 0.3 m less the shift of the centre of mass, it is held against ω² r.
    omega = craft_.angular_velocity_B(states[-1])[2]
    pull = omega * omega * (0.3 - craft_.center_of_mass_B(states[-1])[0])
    for push, leaves in ((0.98 * pull * 10.0, False), (1.02 * pull * 10.0, True)):
        inputs = Inputs(np.array([push] + [0.0] * 11))
        after = flown(plant, states[-1], 1.0 / 32, inputs)[-1]
        assert bool(hows(plant, after)[0] == FREE) == leaves


# --- pendulums -----------------------------------------------------------------------------------


def test_a_pendulum_swings_under_thrust():
    """sqrt(g/l) of a hub that is held, by the reduced inertia of one that is free."""
    length, m, mass, moment = 0.3, 0.5, 5.0, 0.8
    tank = Pendulum((0.0, 0.0, 0.2), (0.0, 0.0, -1.0), m, length, 0.0,
                    (math.sin(0.001), 0.0, -math.cos(0.001)))  # fmt: skip
    plant = craft(np.diag([moment] * 3), InternalParts.named({}, {'tank': tank}), mass=mass)
    thrust = 2.0
    states = flown(
        plant, spinning(plant, STILL), 20.0, Inputs(np.array([0, 0, thrust] + [0.0] * 9))
    )
    parts = plant.spacecraft.internal
    x = np.array([
        parts.directions_B(plant.spacecraft.internal_states(s))[0][0] for s in states
    ])  # fmt: skip
    # With b the swing and a the turn of the hub, M and F of the whole, d from the hub's centre of
    # mass up to the pivot: I a" = -d m (F/M) b, and along x l (a" + b") = d a" - F/(M - m) b.
    low = 0.2 - length  # of the mass at rest, from the origin
    hub = -m * low / (mass - m)
    about = moment - m * low * low - (mass - m) * hub * hub
    g, d = thrust / mass, 0.2 - hub
    swing = math.sqrt(g / length * mass / (mass - m) + (d - length) * d * m * g / about / length)
    crossings = np.flatnonzero((x[:-1] > 0) & (x[1:] <= 0))
    exact = crossings + x[crossings] / (x[crossings] - x[crossings + 1])
    found = 2.0 * math.pi * (len(exact) - 1) / ((exact[-1] - exact[0]) / 32.0)
    assert found == pytest.approx(swing, rel=1e-5)
