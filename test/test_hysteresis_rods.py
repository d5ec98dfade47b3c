# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Hysteresis rods against the closed forms of their loops."""

import math

import numpy as np
import pytest

from spacecraft_attitude_sim.core.internal.hysteresis_rods import (
    LARGEST_CHANGE,
    VACUUM_PERMEABILITY,
    HysteresisRod,
    matching_rate,
    rod_dipole,
    rod_steps,
)

X = (1.0, 0.0, 0.0)
# Apparent values of a rod of HyMu-80, 95 mm long and 1 mm thick.
ROD = HysteresisRod(X, 7.46e-8, 12.0, 0.004, 0.025)


def carried(rod, fields, matching=0.0, pace=1.0):
    """States u after RK4 steps in which the field goes in straight lines from one to the next."""
    row, found = rod.row(), [matching]
    for now, then in zip(fields[:-1], fields[1:], strict=True):
        u, rate, h = found[-1], (then - now) * pace, 1.0 / pace

        def slope(t, u, now=now, rate=rate):
            return matching_rate(row, 0, u, now + rate * t, rate)

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


@pytest.mark.parametrize('size', [0.3, 3.0, 12.0, 36.0])
def test_small_loops_close_and_have_the_width_and_heat_of_the_closed_form(size):
    """At the tips they are (2 - √(4 - 3T²))/T of H_c wide, T = tanh(H_0/H_c)."""
    rod = HysteresisRod(X, 1e-7, 12.0, 1e-7, 1.0)  # so far from its saturation that B goes as u
    tangent = math.tanh(size / 12.0)
    tip = 12.0 * (2.0 - math.sqrt(4.0 - 3.0 * tangent**2)) / tangent
    fields = cycle(size, rod, 0.02, 400)
    states = carried(rod, fields, size - tip)
    assert states[-1] == pytest.approx(states[0], abs=1e-9 * 12.0)
    assert states[len(states) // 2] == pytest.approx(-states[0], abs=1e-9 * 12.0)
    ends = [math.atanh((12.0 + way * tip) / 24.0) for way in (-1.0, 1.0)]
    lead = 12.0 * (48.0 * math.log(math.cosh(ends[1]) / math.cosh(ends[0])) - 2.0 * size)
    expected = 2.0 * lead * rod.remanence / 12.0  # B goes as u, and is B_r at H_c
    assert heat(rod, fields, states) == pytest.approx(expected, rel=2e-4)


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
            return matching_rate(row, 0, v, 30.0 * math.sin(t + s), 30.0 * math.cos(t + s))

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
    expected = 0.2 * 2e-7 / VACUUM_PERMEABILITY
    assert rod.dipole_at(rod.matching) == pytest.approx(expected, rel=1e-12)
    assert rod_dipole(rod.row(), 0, rod.matching) == pytest.approx(expected, rel=1e-12)
    assert rod_dipole(rod.row(), 0, 1e300) <= 0.74 * 2e-7 / VACUUM_PERMEABILITY * (1.0 + 1e-15)


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
