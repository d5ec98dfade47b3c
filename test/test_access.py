# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""When ground targets see a spacecraft, from Python and by the command."""

import math

import pytest
from processes import called

import spacecraft_attitude_sim as sas

pytestmark = pytest.mark.quick
PASS, MATERA, TEN = 'cubesat_3u_target_pass', (40.65, 16.7, 540.0), math.radians(10.0)


def test_a_place_has_the_passes_of_a_target_there():
    """By its name, by its place, and in the orbit of the simulator alone."""
    named = sas.accesses(PASS, 'matera', TEN, end=1200.0)
    (seen,) = named
    assert (seen.rise, seen.set) == pytest.approx((446.7, 873.8), abs=0.05)
    assert math.degrees(seen.elevation) == pytest.approx(46.5, abs=0.05)
    assert sas.accesses(PASS, MATERA, TEN, end=1200.0) == named
    flown = {
        name: value for name, value in sas.load(PASS).parameters.items()
        if name in ('epoch', 'body.mass', 'body.inertia') or name.startswith('orbit.')
    }  # fmt: skip
    flown['initial.angular_velocity'] = [0.0, 0.0, 0.0]
    assert sas.accesses(flown, MATERA, TEN, end=1200.0) == named


def test_without_a_height_a_place_is_on_the_ellipsoid():
    places = [(40.65, 16.7, *height) for height in ((), (0.0,), (5000.0,))]
    none, zero, above = (sas.accesses(PASS, place, TEN, end=1200.0) for place in places)
    assert none == zero
    assert zero[0].elevation > above[0].elevation  # the spacecraft is less high over it


@pytest.mark.parametrize(
    ('scenario', 'target', 'window', 'said'),
    [
        (PASS, 'rome', (), "no target 'rome'; targets are matera"),
        (PASS, (91.0, 0.0), (), 'latitude is 91.0 deg; give a number from -90 to 90'),
        (PASS, (0.0, 0.0, 1e308), (), 'height is 1e.308 m'),
        (PASS, (0.0,), (), 'a place is .* give latitude and longitude'),
        (PASS, ('x', 0.0), (), 'a place is'),
        (PASS, 'matera', (math.pi / 2.0,), 'least elevation is 90 deg'),
        (PASS, 'matera', (math.nan,), 'least elevation is nan deg'),
        (PASS, 'matera', (0.0, 10.0, 10.0), 'the window is 10 s to 10 s'),
        (PASS, 'matera', (0.0, -1e308, 1e308), 'the window is'),
        (PASS, 'matera', (0.0, 0.0, math.nan), 'the window is'),
        ('tennis_racket', MATERA, (), 'there is no orbit'),
    ],
)
def test_what_no_target_can_see_is_refused_in_words(scenario, target, window, said):
    with pytest.raises(sas.ScenarioError, match=said):
        sas.accesses(scenario, target, *window)


def test_the_command_prints_the_passes_of_targets_and_places():
    done = called('access', PASS, '--elevation', 10, '--to', 1200)
    assert done.returncode == 0
    _, line = done.stdout.splitlines()
    name, *numbers, utc = line.split()
    assert (name, numbers) == ('matera', ['446.7', '658.9', '873.8', '46.54'])
    assert utc.startswith('2026-03-20T12:07:26.7')  # the epoch is noon
    place = ','.join(map(str, MATERA))
    both = called('access', PASS, '--place', place, '--target', 'matera', '--to', 1200)
    _, first, second = both.stdout.splitlines()
    assert first.split()[1:] == second.split()[1:]
    none = called('access', PASS, '--place=-80,0', '--to', 100).stdout
    assert 'no pass from 0 s to 100 s' in none
    for given in (('cubesat_3u_leo',), (PASS, '--place', 'a,b'), (PASS, '--to', 'nan')):
        wrong = called('access', *given)
        assert wrong.returncode == 2
        assert wrong.stderr.count('\n') == 1
