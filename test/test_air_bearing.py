# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A body on a spherical air bearing: tops, pendulums and gyrostats about a fixed point."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from spacecraft_attitude_sim.campaigns import campaign, flights
from spacecraft_attitude_sim.configuration import scenario, scenario_report, untrusted_scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.simulation import Inputs
from spacecraft_attitude_sim.core.simulation.energy_book import book_of
from spacecraft_attitude_sim.drawing import body_looks
from spacecraft_attitude_sim.recording.errors import CampaignError
from spacecraft_attitude_sim.viewer import caption

G = 9.81
IDLE = Inputs()
MASS = 12.0
INERTIA = (0.30, 0.35, 0.25, 0.01, -0.02, 0.015)  # about the centre of mass
PIVOT, CENTER = np.array((0.02, -0.01, 0.05)), np.array((0.023, -0.012, 0.046))
LAB = {
    'body.mass': MASS, 'body.inertia': list(INERTIA), 'body.center_of_mass': CENTER.tolist(),
    'bearing.enabled': True, 'bearing.position': PIVOT.tolist(), 'gravity': [0.0, 0.0, -G],
    'initial.angular_velocity': [0.3, -0.2, 0.4], 'initial.attitude': [0.8, 0.36, -0.48, 0.0],
}  # fmt: skip
OFF = {'bearing.enabled': False, 'bearing.position': [0.0, 0.0, 0.0]}
FREE = {key.replace('.', '__'): value for key, value in OFF.items()}
# With the lag of a motor and friction, so that the wheels have states of their own.
WHEELS = {
    'wheels': ['x', 'z'], 'wheel.x.axis': [1.0, 0.0, 0.0], 'wheel.z.axis': [0.0, 0.6, 0.8],
    'wheel.x.inertia': 2e-3, 'wheel.z.inertia': 3e-3, 'wheel.x.initial_speed': 50.0,
    'wheel.x.max_torque': 1.0, 'wheel.z.max_torque': 1.0, 'wheel.z.friction.viscous': 1e-4,
}  # fmt: skip


def built(**more):
    """Return the Scenario of LAB with other values; __ stands for a dot."""
    return scenario.build({**LAB, **{key.replace('__', '.'): v for key, v in more.items()}}, 'lab')


def about_pivot(mass=MASS, six=INERTIA, arm=CENTER - PIVOT):
    """Return the inertia (3, 3) about the pivot, by the parallel-axis theorem."""
    xx, yy, zz, xy, xz, yz = six
    own = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    return own + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))


def flown(found, seconds, inputs=IDLE):
    """Return the States of every tick."""
    instant = found.first_instant()
    states = [instant.state]
    for _ in range(found.plant.ticks.covering(seconds)):
        instant = simulation.next_instant(found.plant, instant, inputs)
        states.append(instant.state)
    return states, instant


def independent(found, seconds, torque_B=(0.0, 0.0, 0.0), wheels=(), motors=()):
    """Return q and ω_B at the end, by DOP853 of Euler's equation about the pivot.

    wheels: (axis, inertia, speed, viscous friction) of each;  motors: their torques [N m]
    """
    J, arm, down = about_pivot(), CENTER - PIVOT, np.array((0.0, 0.0, -G))
    axes = np.array([one[0] for one in wheels]).reshape(-1, 3)
    own = np.array([one[1] for one in wheels])
    drag = np.array([one[3] for one in wheels])
    carrier = J - sum(
        (i * np.outer(a, a) for a, i in zip(axes, own, strict=True)), np.zeros((3, 3))
    )

    def rate(_, y):
        q, omega, speeds = y[:4] / np.linalg.norm(y[:4]), y[4:7], y[7:]
        down_B = rotations.dcm_from_quaternion(q).T @ down
        push = np.array(motors) - drag * speeds if len(own) else np.zeros(0)
        inner = axes.T @ (own * (speeds + axes @ omega))
        total = carrier @ omega + inner
        outside = MASS * np.cross(arm, down_B) + np.array(torque_B)
        # The wheels' own momenta grow by their motors' torque.
        alpha = np.linalg.solve(carrier, outside - np.cross(omega, total) - axes.T @ push)
        w, x, y_, z = q
        a, b, c = omega
        turn = 0.5 * np.array((
            -x * a - y_ * b - z * c, w * a + y_ * c - z * b, w * b - x * c + z * a,
            w * c + x * b - y_ * a,
        ))  # fmt: skip
        return np.concatenate((turn, alpha, push / own - axes @ alpha if len(own) else ()))

    values = found.parameters
    start = np.concatenate((
        values['initial.attitude'], values['initial.angular_velocity'], [one[2] for one in wheels]
    ))  # fmt: skip
    y = solve_ivp(rate, (0.0, seconds), start, method='DOP853', rtol=1e-12, atol=1e-13).y[:, -1]
    return y[:4] / np.linalg.norm(y[:4]), y[4:7]


def test_a_heavy_body_turns_as_an_independent_integration_does():
    found = built(tick_rate=100.0, substeps=8)
    states, _ = flown(found, 20.0)
    q, omega = independent(found, 20.0)
    end = states[-1]
    assert np.abs(end.q_WB - q * np.sign(q @ end.q_WB)).max() < 1e-9
    spin_B = found.plant.spacecraft.angular_velocity_B(end)
    assert spin_B == pytest.approx(omega, rel=0.0, abs=1e-9)
    # The pivot stays, and the weight's work is its potential.
    assert not np.any([state.position_W for state in states])
    assert not np.any([state.momentum_W for state in states])
    energies = [
        found.plant.spacecraft.kinetic_energy(state)
        + found.plant.environment.potential(found.plant.body, state, 0.0)
        for state in states
    ]
    assert np.ptp(energies) < 1e-9 * MASS * G * 0.005
    # About the vertical the weight has no torque.
    vertical = [state.angular_momentum_W[2] for state in states]
    assert np.ptp(vertical) < 1e-11


def test_a_gyrostat_turns_as_an_independent_integration_does():
    found = built(tick_rate=100.0, **WHEELS)
    wheels = (((1.0, 0.0, 0.0), 2e-3, 50.0, 0.0), ((0.0, 0.6, 0.8), 3e-3, 0.0, 1e-4))
    motors, wrench = (0.01, -0.02), np.array((3.0, -2.0, 5.0, 0.02, 0.01, -0.015, *[0.0] * 6))
    states, _ = flown(found, 8.0, Inputs(wrench, wheel_torque=np.array(motors)))
    q, omega = independent(found, 8.0, wrench[3:6], wheels, motors)
    end = states[-1]
    assert np.abs(end.q_WB - q * np.sign(q @ end.q_WB)).max() < 1e-9
    assert found.plant.spacecraft.angular_velocity_B(end) == pytest.approx(omega, abs=1e-9)
    assert not end.position_W.any()  # the bearing takes the force


def test_the_period_of_a_pendulum_is_the_elliptic_integral():
    arm, swing = 0.004, 0.7
    given = {
        'body__inertia': [0.3, 0.3, 0.2], 'body__center_of_mass': [0.0, 0.0, -arm],
        'bearing__position': [0.0, 0.0, 0.0], 'initial__angular_velocity': [0.0] * 3,
        'initial__attitude': [math.cos(swing / 2.0), math.sin(swing / 2.0), 0.0, 0.0],
    }  # fmt: skip
    moment = 0.3 + MASS * arm**2
    rate = math.sqrt(MASS * G * arm / moment)
    period = 4.0 * ellipk(math.sin(swing / 2.0) ** 2) / rate
    states, _ = flown(built(tick_rate=64.0, **given), period)
    angles = np.array([2.0 * math.atan2(state.q_WB[1], state.q_WB[0]) for state in states])
    times = np.arange(len(angles)) / 64.0
    down = np.flatnonzero((angles[:-1] > 0.0) & (angles[1:] <= 0.0))[0]
    up = np.flatnonzero((angles[:-1] < 0.0) & (angles[1:] >= 0.0))[0]
    crossing = [
        times[k] + (times[k + 1] - times[k]) * angles[k] / (angles[k] - angles[k + 1])
        for k in (down, up)
    ]
    # Straight lines between ticks: where θ = 0, θ'' is 0.
    assert crossing[0] == pytest.approx(period / 4.0, rel=1e-6)
    assert crossing[1] == pytest.approx(3.0 * period / 4.0, rel=1e-6)


@pytest.mark.parametrize('branch', [1.0, -1.0])
def test_a_top_precesses_steadily(branch):
    """H. Goldstein, Classical Mechanics, section 5.7: m g l = Ω (I3 s - (I1 - I3) Ω cos θ)."""
    first, third, arm, tilt, spin = 0.3, 0.2, 0.01, 0.5, 9.0
    about = first + MASS * arm**2
    cosine = math.cos(tilt)
    # With s the spin relative to the precessing axes: (I3 - I1) cosθ Ω² + I3 s Ω - m g l = 0.
    a, b, c = (third - about) * cosine, third * spin, -MASS * G * arm
    turn = (-b + branch * math.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)
    given = {
        'body__inertia': [first, first, third], 'body__center_of_mass': [0.0, 0.0, arm],
        'bearing__position': [0.0, 0.0, 0.0],
        'initial__attitude': [math.cos(tilt / 2.0), math.sin(tilt / 2.0), 0.0, 0.0],
        'initial__angular_velocity': [0.0, turn * math.sin(tilt), spin + turn * cosine],
    }  # fmt: skip
    states, _ = flown(built(tick_rate=100.0, **given), 10.0)
    axes = np.array([rotations.rotate(one.q_WB, (0.0, 0.0, 1.0)) for one in states])
    assert np.abs(axes[:, 2] - cosine).max() < 1e-9  # no nutation
    angle = np.unwrap(np.arctan2(axes[:, 1], axes[:, 0]))
    assert angle[-1] - angle[0] == pytest.approx(10.0 * turn, rel=1e-9)


def test_an_accelerometer_at_rest_reads_what_holds_it_up():
    place = (0.3, 0.1, -0.2)
    still = built(
        initial__angular_velocity=[0.0] * 3, body__center_of_mass=PIVOT.tolist(),
        imu__position=list(place), initial__attitude=[1.0, 0.0, 0.0, 0.0],
    )  # fmt: skip
    _, instant = flown(still, 0.1)
    assert instant.readings.imu.specific_force_S == pytest.approx((0.0, 0.0, G), abs=1e-12)
    # In motion: the second derivative of its place in the world, minus gravity.
    found = built(imu__position=list(place), tick_rate=1000.0)
    states, _ = flown(found, 0.02)
    instant, readings = found.first_instant(), []
    for _ in range(20):
        instant = simulation.next_instant(found.plant, instant, Inputs())
        readings.append(instant.readings.imu.specific_force_S)
    paths = [rotations.rotate(one.q_WB, np.array(place) - PIVOT) for one in states]
    k = 10
    second = (-paths[k + 2] + 16.0 * paths[k + 1] - 30.0 * paths[k] + 16.0 * paths[k - 1]
              - paths[k - 2]) / 12e-6  # fmt: skip
    expected = rotations.rotate(
        rotations.conjugate(states[k].q_WB), second + np.array((0.0, 0.0, G))
    )
    assert readings[k - 1] == pytest.approx(expected, abs=1e-8)  # differences: round-off / 1e-6
    assert np.linalg.norm(second) > 0.05


def test_a_body_held_at_its_centre_of_mass_turns_as_a_free_one():
    held = built(bearing__position=CENTER.tolist(), **WHEELS)
    free = built(**FREE, gravity=[0.0] * 3, **WHEELS)
    inputs = Inputs(wheel_torque=np.array((0.02, -0.01)))
    (first, _), (second, _) = flown(held, 4.0, inputs), flown(free, 4.0, inputs)
    for one, other in zip(first, second, strict=True):
        assert one.q_WB.tobytes() == other.q_WB.tobytes()
        assert one.angular_momentum_W.tobytes() == other.angular_momentum_W.tobytes()


def test_bodies_of_a_batch_and_recorded_scenarios_have_the_same_bits():

    found = built(**WHEELS)
    other = built(bearing__position=[0.0, 0.0, 0.1], **WHEELS)
    both = [found, other]
    instants = [one.first_instant() for one in both]
    together = flights.fly(both, instants, flights.Asked(1.0, 0.01, 0.1, 0.0), None)
    for row, one in enumerate(both):
        states, _ = flown(one, 1.0)
        assert together.states[row].tobytes() == to_flat(states[-1])[:13].tobytes()
    again = scenario.parse(scenario.dump(found), 'again')
    assert to_flat(again.initial).tobytes() == to_flat(found.initial).tobytes()
    assert flown(again, 0.5)[0][-1].q_WB.tobytes() == flown(found, 0.5)[0][-1].q_WB.tobytes()


@pytest.mark.parametrize(
    ('given', 'message'),
    [
        ({'initial__velocity': [1.0, 0.0, 0.0]}, 'initial.velocity is .* holds base_link at rest'),
        ({'initial__point': 'center_of_mass'}, 'initial.point is center_of_mass, and the air'),
        ({'orbit__radius': 7e6, 'gravity': [0.0] * 3}, 'an air bearing and an orbit exclude'),
        (
            {'bearing__enabled': False},
            r'bearing.position is \[0.02, -0.01, 0.05\] m, and there is no air bearing; give bea',
        ),
        ({'equations': 'exact_kick4'}, "with an air bearing only 'momentum' works"),
        (
            {'sliding_masses': ['s'], 'sliding_mass__s__mass': 0.1,
             'sliding_mass__s__axis': [1.0, 0.0, 0.0], 'sliding_mass__s__stiffness': 1.0},
            's moves inside and would move the centre of mass',
        ),
    ],
)  # fmt: skip
def test_what_a_bearing_cannot_carry_is_refused(given, message):
    with pytest.raises(scenario.ScenarioError, match=message):
        built(**given)


def test_the_energy_budget_is_whole_with_what_turns_inside_and_an_impulse():
    inside = {
        'slugs': ['fuel'], 'slug__fuel__inertia': 0.02, 'slug__fuel__damping': 0.01,
        'hysteresis_rods': ['rod'], 'eddy_currents__magnetic_tensor': [2e3, 1e3, 3e3],
        'magnetic_field': [2e-4, -1e-4, 4e-4], 'residual_dipole': [2.0, 0.0, -3.0],
    }  # fmt: skip
    found = built(tick_rate=50.0, substeps=4, **WHEELS, **inside)
    plant, instant = found.plant, found.first_instant()
    book = book_of(plant, instant.state)
    idle = Inputs(wheel_torque=np.array((0.01, -0.02)))
    for tick in range(100):
        struck = np.array((5.0, -3.0, 2.0, 0.01, 0.02, -0.03)) if tick == 40 else np.zeros(6)
        before = instant.state
        instant = simulation.next_instant(plant, instant, idle._replace(impulse=struck))
        book.follow(before, instant)
    entries = book.entries(instant.state)
    assert abs(entries.missing) < 1e-9 * abs(entries.gained)
    assert entries.heat > 1e-4 and abs(entries.loads) > 1e-3
    assert not instant.state.position_W.any() and not instant.state.momentum_W.any()


def test_a_body_without_parts_is_drawn_about_its_centre_of_mass():
    """As the same body without a bearing is, and shifted from the pivot."""
    held, free = (built(**off) for off in ({}, FREE))
    (look,), (same,) = (body_looks.drawn_parts(one) for one in (held, free))
    assert look.size == pytest.approx(same.size, rel=1e-12)
    assert look.orientation == pytest.approx(same.orientation, abs=1e-9)
    assert look.position == pytest.approx(tuple(CENTER - PIVOT), rel=1e-12)
    assert same.position == (0.0, 0.0, 0.0)
    # Whoever leaves an untrusted surface out draws the same; design axes there.
    again = untrusted_scenario._ellipsoid(held.plant.body)
    assert (again.size, again.orientation) == (look.size, look.orientation)
    assert again.position == pytest.approx(tuple(CENTER), rel=1e-12)
    momentum_P = np.array((0.1, 0.0, 0.0))
    assert '**Principal moments** about the pivot of the b' in caption.text(held, momentum_P)
    assert '**Principal moments** (kg' in caption.text(free, momentum_P)


def test_a_campaign_draws_the_pivot_of_a_bearing_only():
    drawn = 'dispersions:\n  bearing.position[2]: {distribution: uniform, low: 0.04, high: 0.05}'
    text = f'scenario: x\nruns: 2\nduration: 1.0\n{drawn}\n'
    whole = campaign.parse(text, scenario.dump(built()), 'x')
    pivots = [
        one.plant.body.center_of_mass[2]
        for one in whole.scenarios_of(whole.draws(range(2)), range(2))
    ]
    assert len(set(pivots)) == 2 and min(pivots) > 0.04
    free = campaign.parse(text, scenario.dump(built(**FREE)), 'x')
    with pytest.raises(CampaignError, match='bearing.position is .*there is no air bearing'):
        free.scenarios_of(free.draws(range(2)), range(2))
    with pytest.raises(CampaignError, match='bearing.enabled'):
        campaign.parse(text.replace('position[2]', 'enabled'), scenario.dump(built()), 'x')


def test_what_is_told_of_a_bearing():
    found = built(**WHEELS)
    lines = '\n'.join(scenario_report.report(found))
    assert 'centre of mass (0.023, -0.012, 0.046) m' in lines
    assert 'pivot of the air bearing (0.02, -0.01, 0.05) m' in lines
    assert 'inertia about the pivot' in lines
    assert 'base_link: at the pivot of the air bearing' in lines
    weight = MASS * G * np.linalg.norm(CENTER - PIVOT)
    assert f'turns it by at most {weight:.6g} N m' in lines
    slanted = '\n'.join(scenario_report.report(built(gravity=[3.0, -4.0, -12.0])))
    moment = MASS * (CENTER - PIVOT)
    assert f'turns it by at most {13.0 * np.linalg.norm(moment):.6g} N m' in slanted
    (load,) = found.plant.environment.turning
    force_W, torque_B = load.wrench(found.plant.body, found.initial, 0.0)
    down_B = rotations.rotate(rotations.conjugate(found.initial.q_WB), (0.0, 0.0, -G))
    assert load.name == 'weight' and not force_W.any()
    assert torque_B == pytest.approx(MASS * np.cross(CENTER - PIVOT, down_B), rel=1e-12)
    assert found.plant.body.inertia == pytest.approx(about_pivot(), rel=1e-14)
    # The weight counts in the steps.
    light = built(gravity=[0.0] * 3, initial__angular_velocity=[0.0] * 3, tick_rate=1.0)
    heavy = built(gravity=[0.0, 0.0, -1e4], initial__angular_velocity=[0.0] * 3, tick_rate=1.0)
    steps = [simulation.substeps_in(one.plant, one.initial) for one in (light, heavy)]
    assert steps[1] > 100 * steps[0]
    floor = {'mode': 'rolling', 'surface.shape': 'sphere', 'surface.radius': 1.0, 'place': True}
    more = {'wheels': ['x'], 'wheel.x.axis': [1.0, 0.0, 0.0], 'wheel.x.inertia': 1e-3}
    given = LAB | more | {'wheel.x.max_torque': 1.0}
    with pytest.raises(scenario.ScenarioError, match='an air bearing and a floor are not'):
        scenario.build(given, 'lab', floor)
    with pytest.raises(scenario.ScenarioError, match="a laboratory's air bearing is `bearing`"):
        scenario.build(given | OFF, 'lab', floor)
