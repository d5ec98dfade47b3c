# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Hysteresis rods against the closed forms of their loops."""

import math

import bags
import numpy as np
import pytest
from craft_rows import rows_by
from processes import printed
from rosbags.rosbag2 import Reader
from scipy.integrate import solve_ivp
from small_vectors import cross

from spacecraft_attitude_sim.configuration import scenario, scenario_report
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.batch.actuated import rows_of
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.environment.earth import GRAVITATIONAL_PARAMETER
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.equations.momentum import SUBSTEP_ANGLE
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.hysteresis_rods.description import (
    HysteresisRod,
    HysteresisRods,
)
from spacecraft_attitude_sim.core.parts.hysteresis_rods.kernel import (
    LARGEST_CHANGE,
    VACUUM_PERMEABILITY,
    curve_of,
    matching_rate,
    rod_dipole,
    rod_steps,
)
from spacecraft_attitude_sim.core.parts.magnetorquers.description import Magnetorquers
from spacecraft_attitude_sim.core.simulation.plant import plant_of
from spacecraft_attitude_sim.core.simulation.tick import step
from spacecraft_attitude_sim.core.ticks import Ticks

X = (1.0, 0.0, 0.0)
# Apparent values of a rod of HyMu-80, 95 mm long and 1 mm thick.
ROD = HysteresisRod(X, 7.46e-8, 12.0, 0.004, 0.025)


def carried(rod, fields, matching=0.0, pace=1.0):
    """States u after RK4 steps in which the field goes in straight lines from one to the next."""
    row, found = rod.row(), [matching]
    for now, then in zip(fields[:-1], fields[1:], strict=True):
        u, rate, h = found[-1], (then - now) * pace, 1.0 / pace

        def slope(t, u, now=now, rate=rate):
            return matching_rate(row, 0, u, curve_of(row, 0, u), now + rate * t, rate)

        one = slope(0.0, u)
        two = slope(0.5 * h, u + 0.5 * h * one)
        three = slope(0.5 * h, u + 0.5 * h * two)
        four = slope(h, u + h * three)
        found.append(u + h / 6.0 * (one + 2.0 * (two + three) + four))
    return np.array(found)


def cycle(size, rod=ROD, part=LARGEST_CHANGE, least=8):
    """Fields down from `size` and up again, in steps that an advance would take at most."""
    count = max(least, math.ceil(2.0 * size / (part * rod.coercivity)))
    down = np.linspace(size, -size, count + 1)
    return np.concatenate((down, -down[1:]))


def flux(rod, states):
    """Flux densities of states u."""
    return np.array([rod.flux_density_at(u) for u in states])


def heat(rod, fields, states):
    """∮ H dB by volume, by the trapezoidal rule."""
    return np.trapezoid(fields, flux(rod, states))


def test_a_large_cycle_goes_along_the_limiting_curves():
    """Through ±B_r without a field and 0 at the coercivity; heat 4 H_c B_tip."""
    fields = cycle(300.0, part=0.05)
    states = carried(ROD, fields, 288.0)
    size, half = len(fields), len(fields) // 2
    k, scale = math.tan(math.pi * 0.004 / 0.05) / 12.0, 2.0 * 0.025 / math.pi
    down = scale * np.arctan(k * (fields[: half + 1] + 12.0))
    up = scale * np.arctan(k * (fields[half:] - 12.0))
    found = flux(ROD, states)
    # It has left the curve it came by after four coercivities: tanh(n/2) is 1 - 2 exp(-n).
    settled = slice(size // 8, half + 1)
    assert np.abs(found[settled] - down[settled]).max() < 2e-6
    assert np.abs(found[half + size // 8 :] - up[size // 8 :]).max() < 2e-6
    assert np.interp(0.0, -fields[: half + 1], found[: half + 1]) == pytest.approx(0.004, rel=1e-5)
    assert np.interp(0.0, fields[half:], found[half:]) == pytest.approx(-0.004, rel=1e-5)
    assert np.interp(12.0, fields[half:], found[half:]) == pytest.approx(0.0, abs=1e-7)
    # What a turn at a tip leaves out of the whole width is small, and known.
    lag = np.tanh((fields[0] - fields[: half + 1]) / 24.0)
    exact = scale * np.arctan(k * (fields[: half + 1] - 12.0 * (1.0 - 2.0 * lag)))
    expected = -2.0 * np.trapezoid(exact, fields[: half + 1])
    assert heat(ROD, fields, states) == pytest.approx(expected, rel=1e-4)
    assert expected == pytest.approx(4.0 * 12.0 * scale * math.atan(k * 288.0), rel=0.01)


@pytest.mark.parametrize('rising', [1.0, -1.0])
def test_a_way_without_turning_is_a_hyperbolic_tangent(rising):
    """F = tanh(H/(2 H_c) + atanh F0), of any saturation."""
    fields = rising * np.arange(0.0, 90.1, LARGEST_CHANGE * 12.0)
    states = carried(ROD, fields, rising * 4.0)
    share = np.tanh(np.abs(fields) / 24.0 + math.atanh((12.0 - 4.0) / 24.0))
    expected = fields - rising * 12.0 * (2.0 * share - 1.0)
    assert np.abs(states - expected).max() < 4e-6 * 24.0


def tip_of(size, coercivity):
    """H - u at the tip of a loop between ± size: (2 - √(4 - 3T²))/T H_c, T = tanh(size/H_c)."""
    tangent = math.tanh(size / coercivity)
    return coercivity * (2.0 - math.sqrt(4.0 - 3.0 * tangent**2)) / tangent


def loop_heat(rod, size):
    """∮ H dB by volume of a loop between ± size, far from saturation, where B goes as u."""
    width, tip = rod.coercivity, tip_of(size, rod.coercivity)
    ends = [math.atanh((width + way * tip) / (2.0 * width)) for way in (-1.0, 1.0)]
    lead = 4.0 * width * math.log(math.cosh(ends[1]) / math.cosh(ends[0])) - 2.0 * size
    return 2.0 * width * lead * rod.remanence / width  # B is B_r at H_c


@pytest.mark.parametrize('size', [0.3, 3.0, 12.0, 36.0])
def test_small_loops_close_and_have_the_width_and_heat_of_the_closed_form(size):
    """From tip to tip F goes as a hyperbolic tangent, and both tips are as wide."""
    rod = HysteresisRod(X, 1e-7, 12.0, 1e-7, 1.0)
    tip = tip_of(size, 12.0)
    fields = cycle(size, rod, 0.02, 400)
    states = carried(rod, fields, size - tip)
    assert states[-1] == pytest.approx(states[0], abs=1e-9 * 12.0)
    assert states[len(states) // 2] == pytest.approx(-states[0], abs=1e-9 * 12.0)
    assert heat(rod, fields, states) == pytest.approx(loop_heat(rod, size), rel=2e-4, abs=0.0)


def test_the_pace_does_not_matter():
    """The same loop in a second and in a year."""
    fields = cycle(30.0)
    slow = carried(ROD, fields, pace=1e-7)
    assert np.abs(carried(ROD, fields) - slow).max() < 1e-12 * 30.0


def test_what_is_beyond_the_loops_comes_back_to_them():
    """A rod in a field that could not have left it so: it waits, or hurries, and then goes on."""
    fields = np.concatenate([cycle(24.0)] * 5)
    usual = carried(ROD, fields)[-1]
    for begin in (-60.0, 60.0):
        states = carried(ROD, fields, begin)
        assert states[-1] == pytest.approx(usual, abs=1e-6)
        assert np.abs(states).max() == 60.0
    lead = fields - carried(ROD, fields, -60.0)
    assert np.abs(lead[len(lead) // 3 :]).max() < 12.0


def test_the_order_is_four_on_one_way_and_two_over_a_turn():
    """A step over a turn of the field, here after a fifth of it, errs by its square alone."""
    over_a_turn = 0.5 * math.pi * 40.0 / 14.2
    for last, order in ((0.45 * math.pi, 4.0), (over_a_turn, 2.0)):
        ends = [_swing(np.linspace(0.0, last, count + 1)) for count in (40, 160, 10240)]
        assert abs(ends[0] - ends[2]) < 1e-4 * 24.0
        ratio = abs(ends[0] - ends[2]) / abs(ends[1] - ends[2])
        assert math.log(ratio, 4.0) == pytest.approx(order, abs=0.4)


def _swing(times):
    """State after the field has gone as 30 sin t, in as many steps."""
    row, u = ROD.row(), 0.0
    for t, h in zip(times, np.diff(times), strict=False):

        def slope(s, v, t=t):
            field, change = 30.0 * math.sin(t + s), 30.0 * math.cos(t + s)
            return matching_rate(row, 0, v, curve_of(row, 0, v), field, change)

        one = slope(0.0, u)
        two = slope(0.5 * h, u + 0.5 * h * one)
        three = slope(0.5 * h, u + 0.5 * h * two)
        u += h / 6.0 * (one + 2.0 * (two + three) + slope(h, u + h * three))
    return u


def test_a_short_rod_has_its_loop_sheared():
    """With N the field outside is that inside plus N B/μ0; heat and coercivity are the same."""
    size, factor = 10.0, 1e-3
    material = HysteresisRod(X, 7.46e-8, 0.96, 0.35, 0.74)
    short = HysteresisRod(X, 7.46e-8, 0.96, 0.35, 0.74, factor)
    inside = cycle(size, material, 0.02)
    states = carried(material, inside, size - 0.96)
    outside = inside + factor * flux(material, states) / VACUUM_PERMEABILITY
    assert outside[0] > 50.0 * size
    sheared = carried(short, outside, states[0])
    assert np.abs(flux(short, sheared) - flux(material, states)).max() < 1e-4 * 0.74
    assert heat(short, outside, sheared) == pytest.approx(heat(material, inside, states), rel=1e-3)


def test_the_dipole_is_that_of_the_flux():
    """B V/μ0 along the axis; B_s at most."""
    rod = HysteresisRod(X, 2e-7, 1.0, 0.35, 0.74, flux_density=0.2)
    assert rod.flux_density_at(rod.matching) == pytest.approx(0.2, rel=1e-12)
    expected, row = 0.2 * 2e-7 / VACUUM_PERMEABILITY, rod.row()
    assert rod.dipole_at(rod.matching) == pytest.approx(expected, rel=1e-12)
    assert rod_dipole(row, 0, curve_of(row, 0, rod.matching)) == pytest.approx(expected, rel=1e-12)
    assert rod_dipole(row, 0, curve_of(row, 0, 1e300)) <= 0.74 * 2e-7 / VACUUM_PERMEABILITY * (
        1.0 + 1e-15
    )


def test_steps_are_counted_by_the_coercivity():
    """A turn by a radian a second in 30 A/m changes 2.5 coercivities: ten steps of a quarter."""
    assert rod_steps(ROD.row(), 0, 30.0, 1.0) == pytest.approx(10.0)


@pytest.mark.parametrize(
    ('change', 'text'),
    [
        ({'axis_B': (1.0, 1.0, 0.0)}, 'axis is .* give a unit vector'),
        ({'volume': 0.0}, r'volume is 0 m\^3; it must be positive'),
        ({'coercivity': -1.0}, 'coercivity is -1 A/m; it must be positive'),
        ({'remanence': 0.03}, 'remanence is 0.03 T; it must be below the saturation, 0.025 T'),
        ({'saturation': math.nan}, 'saturation is nan T; it must be positive'),
        ({'demagnetization': 1.5}, 'demagnetization is 1.5; it must be 0 to 1'),
        ({'demagnetization': -0.1}, 'demagnetization is -0.1; it must be zero or positive'),
        ({'flux_density': -0.025}, 'flux_density is -0.025 T; it must be below'),
    ],
)
def test_a_rod_that_cannot_be_is_refused(change, text):
    """Each with its name, value and remedy."""
    given = {
        'axis_B': X, 'volume': 1e-7, 'coercivity': 12.0, 'remanence': 0.004, 'saturation': 0.025,
    }  # fmt: skip
    with pytest.raises(ValueError, match=text):
        HysteresisRod(**(given | change))


# --- in a spacecraft -------------------------------------------------------------------------

MAGNET = np.array((0.3, 0.02, -0.01))


def flown(plant, state, count):
    """Return the state after so many ticks without a command."""
    for elapsed in range(count):
        state = step(plant, state, elapsed=elapsed)
    return state


@pytest.mark.parametrize('size', [6.0, 40.0])
def test_a_body_that_spins_loses_the_heat_of_a_loop_in_each_turn(size):
    """Field, at right angles to the spin, of `size`; the heat by the closed form, 40 turns."""
    rods = {'rod': HysteresisRod((0.6, 0.8, 0.0), 2e-7, 12.0, 1e-5, 1.0)}  # B goes as u
    field_W = np.array((0.0, -size * VACUUM_PERMEABILITY, 0.0))
    plant = plant_of(
        RigidBody(5.0, np.diag((0.05, 0.06, 0.1))),
        parts=(HysteresisRods(rods),),
        magnetic_field_W=field_W,
        ticks=Ticks(10**9 // 16),
    )
    spin = 0.5
    still, level = np.zeros(3), np.array((1.0, 0.0, 0.0, 0.0))
    first = plant.spacecraft.state(still, level, still, np.array((0.0, 0.0, spin)))
    turn = round(16 * 2.0 * math.pi / spin)
    settled = flown(plant, first, 2 * turn)
    last = settled
    for elapsed in range(40 * turn):
        last = step(plant, last, elapsed=elapsed)
    craft = plant.spacecraft
    lost = craft.kinetic_energy(settled) - craft.kinetic_energy(last)
    assert lost == pytest.approx(40.0 * 2e-7 * loop_heat(rods['rod'], size), rel=2e-3, abs=0.0)
    book = craft.energy_book(last)['loads'] - craft.energy_book(settled)['loads']
    # Each step rounds L by 7e-18 N m s, at 0.5 rad/s: 1e-15 J in 8000 steps.
    assert book == pytest.approx(-lost, rel=1e-6, abs=2e-15)
    assert craft.energy_book(last)['heat'] == 0.0
    assert craft.angular_velocity_B(last)[2] < spin


def test_magnet_and_rods_in_an_orbit_as_an_independent_integrator():
    """The law as it is published, in B, its field and its rate from the table of the orbit."""
    place = scenario.load(scenario.find('csswe')).plant.environment.surroundings
    rods = {
        'a': HysteresisRod((0.0, 1.0, 0.0), 3e-7, 12.0, 0.004, 0.025),
        'b': HysteresisRod((0.0, 0.6, 0.8), 3e-7, 8.0, 0.006, 0.02, flux_density=0.005),
    }
    inertia = np.diag((0.006, 0.025, 0.026))
    plant = plant_of(
        RigidBody(3.0, inertia),
        parts=(Magnetorquers((), (), tuple(MAGNET)), HysteresisRods(rods)), surroundings=place,
        ticks=Ticks(10**9 // 2),
    )  # fmt: skip
    rate, still = np.array((0.02, 0.05, -0.06)), np.zeros(3)
    first = plant.spacecraft.state(still, np.array((1.0, 0.0, 0.0, 0.0)), still, rate)
    seconds = 400
    last = flown(plant, first, 2 * seconds)

    def published(rod, B, H, changes):
        k = math.tan(math.pi * rod.remanence / (2.0 * rod.saturation)) / rod.coercivity
        angle = math.pi * B / (2.0 * rod.saturation)
        way = math.copysign(rod.coercivity, changes)
        share = max(0.0, math.copysign(1.0, changes) * (H - math.tan(angle) / k + way))
        share /= 2.0 * rod.coercivity
        return 2.0 * k * rod.saturation / math.pi * math.cos(angle) ** 2 * share**2 * changes

    def slopes(t, y):
        q, w = y[0:4] / np.linalg.norm(y[0:4]), y[4:7]
        C_BW = rotations.dcm_from_quaternion(q).T
        now, field_W = place.at(t), AROUND.of('magnetic_field_W')
        before = max(0.0, t - 0.05)
        grows = (place.at(t + 0.05)[field_W] - place.at(before)[field_W]) / (t + 0.05 - before)
        field = C_BW @ now[field_W]
        changes = C_BW @ grows - cross(w, field)
        dipole, gained = MAGNET.copy(), []
        for rod, B in zip(rods.values(), y[7:9], strict=True):
            axis = np.asarray(rod.axis_B)
            dipole = dipole + axis * B * rod.volume / VACUUM_PERMEABILITY
            H, of_H = axis @ field / VACUUM_PERMEABILITY, axis @ changes / VACUUM_PERMEABILITY
            gained.append(published(rod, B, H, of_H))
        r = now[AROUND.of('position_W')]
        up = C_BW @ r / np.linalg.norm(r)
        pull = 3.0 * GRAVITATIONAL_PARAMETER / np.linalg.norm(r) ** 3
        torque = cross(dipole, field) + pull * cross(up, inertia @ up)
        return np.concatenate((
            0.5 * rotations.compose(q, (0.0, *w)),
            np.linalg.solve(inertia, torque - cross(w, inertia @ w)), gained,
        ))  # fmt: skip

    start = np.concatenate(((1.0, 0.0, 0.0, 0.0), rate, (0.0, 0.005)))
    exact = solve_ivp(
        slopes, (0.0, seconds), start, 'DOP853', rtol=1e-9, atol=1e-12, max_step=0.5
    ).y[:, -1]
    q = exact[0:4] / np.linalg.norm(exact[0:4])
    off = rotations.compose(rotations.conjugate(q), last.q_WB)
    assert 2.0 * np.linalg.norm(off[1:]) < 2e-8
    internal, own = plant.spacecraft.internal, plant.spacecraft.internal_states(last)
    assert internal.flux_densities(own) == pytest.approx(exact[7:9], abs=2e-9)
    dipole = sum(
        np.asarray(rod.axis_B) * B * 3e-7 / VACUUM_PERMEABILITY
        for rod, B in zip(rods.values(), exact[7:9], strict=True)
    )
    assert internal.dipole_B(own) == pytest.approx(dipole, abs=1e-9)
    # A batch, and Python before compiled code is loaded, have the same bits.
    batch = Batch(
        [plant.spacecraft.carrier] * 2, [first] * 2, ticks=plant.ticks,
        actuated=rows_of([plant] * 2, [first] * 2, [Inputs()] * 2),
    )  # fmt: skip
    batch.advance(2 * seconds)
    assert batch.internal[1].tobytes() == last.internal.tobytes()
    assert batch.states[1].tobytes() == to_flat(last)[:13].tobytes()
    advance = plant.spacecraft.kernels.advance
    compiled, slowly = (
        rows_by(function, plant, last, first=100, substeps=3)
        for function in (advance, advance.function)
    )
    assert compiled.tobytes() == slowly.tobytes()


def test_loops_that_are_narrow_take_more_steps():
    """A quarter of the coercivity at most in each, at the fastest the body can turn."""
    field_W, still = np.array((4e-5, 0.0, 0.0)), np.zeros(3)
    counts = []
    for coercivity in (12.0, 0.3, 0.15):
        rods = {'rod': HysteresisRod(X, 1e-9, coercivity, 1e-3, 0.3)}
        plant = plant_of(
            RigidBody(5.0, np.diag((0.1, 0.1, 0.1))),
            parts=(HysteresisRods(rods),),
            magnetic_field_W=field_W, ticks=Ticks(10**9),
        )  # fmt: skip
        state = plant.spacecraft.state(
            still, np.array((1.0, 0.0, 0.0, 0.0)), still, np.array((0.0, 0.0, 0.1))
        )
        counts.append(plant.solver.steps(plant, state, np.zeros(12)))
    fastest = 0.1 * 4e-5 / VACUUM_PERMEABILITY
    assert counts[0] == math.ceil(0.1 / SUBSTEP_ANGLE)
    assert counts[1] == pytest.approx(fastest / (0.25 * 0.3), abs=1.0)
    assert counts[2] == pytest.approx(fastest / (0.25 * 0.15), abs=1.0)


def test_sub_steps_are_as_many_as_the_dipoles_of_saturated_rods_need():
    """B_s V/μ0 of each, across 5 T, for 1 s on 2 kg m^2; so hard that no loop is resolved."""
    rods = {name: HysteresisRod(X, 2e-6, 1e6, 0.5, 1.0) for name in 'ab'}
    plant = plant_of(
        RigidBody(5.0, 2.0 * np.eye(3)), parts=(HysteresisRods(rods),),
        magnetic_field_W=np.array((0.0, 5.0, 0.0)), ticks=Ticks(10**9),
    )  # fmt: skip
    still = np.zeros(3)
    state = plant.spacecraft.state(still, np.array((1.0, 0.0, 0.0, 0.0)), still, still)
    torque = 5.0 * 2.0 * 2e-6 / VACUUM_PERMEABILITY
    assert plant.solver.steps(plant, state, np.zeros(12)) == math.ceil(
        torque / 2.0 / SUBSTEP_ANGLE
    )


# --- as parameters ---------------------------------------------------------------------------

GIVEN = {
    'hysteresis_rods': ['y', 'z'], 'hysteresis_rod.y.axis': [0.0, 1.0, 0.0],
    'hysteresis_rod.y.number': 3, 'hysteresis_rod.z.coercivity': 2.0,
    'hysteresis_rod.z.remanence': 0.003, 'hysteresis_rod.z.saturation': 0.3,
    'hysteresis_rod.z.demagnetization': 1e-4, 'hysteresis_rod.z.flux_density': -0.01,
    'hysteresis_rod.z.length': 0.1, 'hysteresis_rod.z.diameter': 0.002,
    'magnetic_field': [3e-5, 1e-5, -2e-5], 'initial.angular_velocity': [0.3, -0.2, 0.4],
    'residual_dipole': [0.2, 0.0, 0.0],
}  # fmt: skip


def test_every_number_reaches_its_place():
    """Rods side by side add their volumes."""
    parts = scenario.build(GIVEN, 'test').plant.spacecraft.internal
    one = 0.25 * math.pi * 1e-6 * 0.095
    expected = HysteresisRod((0.0, 1.0, 0.0), 3.0 * one, 12.0, 0.004, 0.025)
    assert parts.hysteresis_rods['y'].row() == pytest.approx(expected.row(), rel=1e-12)
    expected = HysteresisRod(
        (0.0, 0.0, 1.0), math.pi * 1e-7, 2.0, 0.003, 0.3, 1e-4, flux_density=-0.01
    )
    assert parts.hysteresis_rods['z'].row() == pytest.approx(expected.row(), rel=1e-12)
    assert parts.flux_densities(parts.parts[0].initial(None)) == pytest.approx([0.0, -0.01])


@pytest.mark.parametrize(
    ('change', 'text'),
    [
        ({'hysteresis_rod.y.saturation': 0.001}, r'hysteresis_rod\.y\.remanence is 0\.004 T'),
        ({'hysteresis_rod.y.axis': [0.0, 2.0, 0.0]}, r'hysteresis_rod\.y\.axis'),
        ({'hysteresis_rod.z.number': 0}, r'hysteresis_rod\.z\.number is 0'),
        ({'hysteresis_rod.x.length': 1.0}, r'hysteresis_rod\.x'),
        ({'equations': 'lagrange'}, r"with hysteresis_rods only 'momentum' works"),
        ({'slugs': ['y']}, r"slugs and hysteresis_rods have 'y' twice"),
    ],
)
def test_a_rod_that_cannot_be_is_refused_by_its_key(change, text):
    """Key, value and remedy."""
    with pytest.raises(scenario.ScenarioError, match=text):
        scenario.build(GIVEN | change, 'test')


def test_the_report_says_what_there_is():
    """Volume, direction and loop."""
    text = '\n'.join(scenario_report.report(scenario.build(GIVEN, 'test')))
    assert (
        'y: hysteresis rods of 223.838 mm^3 along (0, 1, 0), coercivity 12 A/m, remanence 0.004 T,'
        ' saturation 0.025 T, largest dipole 0.00445312 A m^2'
    ) in text
    assert 'of the whole spacecraft' not in text


def test_a_run_tells_flux_and_dipole(tmp_path, command):
    """In the table, and on the topic, of the same state, which resimulates to the bit."""
    given = scenario.dump(scenario.build(GIVEN | {'duration': 2.0}, 'test'))
    file, bag, table = (tmp_path / name for name in ('rods.yaml', 'bag', 'rods.csv'))
    file.write_text(given)
    printed(command, 'run', file, '--record', bag, '--csv', table)
    lines = table.read_text().splitlines()
    names = lines[0].split(',')
    columns = [names.index(f'hysteresis_rod.{name}.flux_density [T]') for name in 'yz']
    fluxes = np.array([[float(line.split(',')[k]) for k in columns] for line in lines[1:]])
    assert len(fluxes) == 65
    assert np.ptp(fluxes, axis=0).min() > 1e-4
    volumes = np.array((3.0 * 0.25 * math.pi * 1e-6 * 0.095, math.pi * 1e-7))
    with Reader(bag) as reader:
        told = [
            bags.STORE.deserialize_cdr(data, connection.msgtype).vector
            for connection, _, data in reader.messages()
            if connection.topic == '/ground_truth/hysteresis_rods'
        ]
    found = np.array([(one.x, one.y, one.z) for one in told])
    assert found[:, 0].tolist() == [0.0] * len(told)
    expected = fluxes[-len(told) :] * volumes / VACUUM_PERMEABILITY
    # To the digits that the table has of a flux density.
    assert found[:, 1:] == pytest.approx(expected, rel=1e-6, abs=1e-12)
    printed(command, 'replay', bag, '--resimulate')
