# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The pages docs/why_*.md: their closed forms beside runs, their tables, commands and pictures."""

import re
import shlex
import sys
from typing import NamedTuple

import conftest
import numpy as np
import pytest
import yaml

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.studies import poinsot

sys.path.insert(0, str(conftest.ROOT / 'docs'))
import why_runs

DOCS = conftest.ROOT / 'docs'
PAGES = ('why_racket', 'why_rattleback', 'why_tippe_top')


def text(page):
    """Return the text of a page of docs."""
    return (DOCS / f'{page}.md').read_text()


def row(*cells):
    """Return a row of a table in Markdown."""
    return f'| {" | ".join(map(str, cells))} |\n'


# --- tennis racket ------------------------------------------------------------------------------


@pytest.mark.parametrize('across', [0.1, 0.01, 0.001])
def test_a_racket_waits_by_the_logarithm_of_its_start(across):
    rate = [across, 8.0, across]
    flight = why_runs.fly('tennis_racket', 9.0, tick_rate=64.0, initial__angular_velocity=rate)
    flips = flight.zeros(flight.rate_B[:, 1])
    theory = why_runs.racket(flight)
    half_period = poinsot.period(theory.moments, theory.moments * rate) / 2.0
    # Flips are interpolated between ticks of 1/64 s.
    assert flips[0] == pytest.approx(theory.first_flip(), abs=2e-4)
    assert flips[1] - flips[0] == pytest.approx(half_period, abs=1e-4)
    assert half_period == pytest.approx(theory.between_flips(), rel=(across / 8.0) ** 2)
    written = row(
        across, f'{theory.first_flip():.3f}', f'{flips[0]:.3f}', f'{half_period:.3f}',
        f'{theory.between_flips():.3f}', f'{flips[1] - flips[0]:.3f}',
    )  # fmt: skip
    assert written in text('why_racket')


def test_a_flip_follows_the_hyperbolic_tangent():
    flight = why_runs.fly('tennis_racket', 3.5, tick_rate=64.0)
    theory = why_runs.racket(flight)
    tangent = -8.0 * np.tanh(theory.growth * (flight.time - theory.first_flip()))
    # The start is 0.0013 rad from the axis, and the flip 2e-5 s from its time: 1e-4 of 8 rad/s.
    assert np.allclose(flight.rate_B[:, 1], tangent, rtol=0.0, atol=1e-3)


def test_only_the_intermediate_axis_lets_go():
    ends = {}
    for axis in range(3):
        rate = [0.1, 0.1, 0.1]
        rate[axis] = 8.0
        flight = why_runs.fly('tennis_racket', 10.0, initial__angular_velocity=rate)
        ends[axis] = np.min(flight.rate_B[:, axis])
    assert ends[0] > 7.9 and ends[2] > 7.9
    assert ends[1] < -7.9


# --- rattleback ---------------------------------------------------------------------------------


@pytest.mark.parametrize(('spin', 'mode'), [(1.0, 1), (-1.0, 1), (-1.0, 0), (-2.0, 0)])
def test_spin_feeds_one_swing_of_a_rattleback_and_starves_the_other(spin, mode):
    boat = why_runs.boat(why_runs.fly('rattleback', 0.0))
    flight = why_runs.fly(
        'rattleback', 2.0 if mode else 12.0, tick_rate=128.0,
        initial__angular_velocity=[0.0, 0.0, spin],
        initial__attitude=why_runs.leaning(boat, mode, 1e-5),
    )  # fmt: skip
    measured, theory = why_runs.growth(flight, mode), spin * boat.growth()[mode]
    # The theory is of first order in the spin: of the next, 0.2 % and 0.8 % in the eigenvalues.
    assert measured == pytest.approx(theory, rel=0.012)
    name = ('rolling', 'pitching')[mode]
    assert row(f'{spin:+g}', name, f'{theory:+.4f}', f'{measured:+.4f}') in text('why_rattleback')


def test_growth_rates_are_as_the_squares_of_the_frequencies():
    boat = why_runs.boat(why_runs.fly('rattleback', 0.0))
    frequencies, _ = boat.modes()
    rolling, pitching = boat.growth()
    assert pitching / rolling == pytest.approx(
        -((frequencies[1] / frequencies[0]) ** 2), rel=1e-12
    )
    # Nothing is coupled where the principal axes are straight, or the bottom is round.
    straight = boat._replace(inertia=np.diag(np.diag(boat.inertia)))
    assert np.array_equal(straight.growth(), (0.0, 0.0))
    assert np.array_equal(boat._replace(radii=(0.3, 0.3)).growth(), (0.0, 0.0))


def test_the_floor_turns_a_pitching_rattleback_one_way():
    boat = why_runs.boat(why_runs.fly('rattleback', 0.0))
    flight = why_runs.fly(
        'rattleback', 0.25, tick_rate=1000.0, initial__angular_velocity=[0.0, 0.0, 0.0],
        initial__attitude=why_runs.leaning(boat, 1, 1e-4),
    )  # fmt: skip
    _, torque = flight.floor_push()
    first, *_, last = np.searchsorted(flight.time, flight.zeros(flight.up_B[:, 0])[:-1:2])
    mean, energy = np.mean(torque[first:last]), np.mean(boat.energies(*flight.leaning)[:, 1])
    assert np.max(torque) < -0.01 * np.min(torque)
    # An instant more or less at the ends of the swings, of 176.
    assert mean == pytest.approx(-2.0 * boat.growth()[1] * energy, rel=0.01, abs=0.0)


def reversal(spin):
    """Return first reversal of a run [s], and of the theory, at a tilt in proportion."""
    boat = why_runs.boat(why_runs.fly('rattleback', 0.0))
    tilt = why_runs.leaning(boat, 1, 1e-3 * spin)
    flight = why_runs.fly(
        'rattleback', 8.0 / spin, initial__angular_velocity=[0.0, 0.0, spin],
        initial__attitude=tilt,
    )  # fmt: skip
    energies = boat.energies(*(vectors[:1] for vectors in flight.leaning))[0]
    (found,) = flight.zeros(flight.spin)
    first = boat.first_reversal(spin, energies)
    # The closed form is the averaged equations with the other swing left out.
    assert boat.averaged(spin, energies, 8.0 / spin).t_events[0][0] == pytest.approx(
        first, rel=1e-3
    )
    return found, first


def test_a_rattleback_turns_back_when_the_theory_says():
    errors = []
    for spin in (1.0, 0.5, 0.25):
        found, theory = reversal(spin)
        errors.append(found / theory - 1.0)
        assert row(spin, f'{theory:.2f}', f'{found:.2f}') in text('why_rattleback')
    # The theory leaves out what is of second order in the tilt, which grows with the spin.
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.15)
    assert abs(errors[2]) < 4e-3


def test_on_a_slippery_floor_one_sense_turns_back_and_the_other_not_for_a_minute():
    slippery = {'mode': 'coulomb', 'friction': 0.1}
    for spin, turns_back in ((5.0, ['5.8']), (-5.0, [])):
        start = [0.0, 0.0, spin]
        flight = why_runs.fly('rattleback', 60.0, slippery, initial__angular_velocity=start)
        assert [f'{time:.1f}' for time in flight.zeros(flight.spin)] == turns_back
        assert flight.spin[-1] < -0.9
    never_slips = why_runs.fly('rattleback', 15.0, initial__angular_velocity=[0.0, 0.0, -5.0])
    assert never_slips.spin[-1] > 2.0


# --- tippe top ----------------------------------------------------------------------------------


def spun_top(spin, friction, seconds=30.0):
    """Return the run of the shipped tippe top with another spin and friction."""
    start = [0.0, 0.0, spin]
    return why_runs.fly(
        'tippe_top', seconds, {'friction': friction}, initial__angular_velocity=start
    )


@pytest.mark.parametrize(
    ('spin', 'friction', 'off'),
    [(20.0, 0.01, 5.0), (60.0, 0.01, 3.0), (100.0, 0.01, 5.0), (150.0, 0.02, 3.0)],
)
def test_a_tippe_top_goes_down_to_the_least_energy_of_its_jellett(spin, friction, off):
    flight = spun_top(spin, friction)
    top, tilts, kept = why_runs.top(flight), why_runs.tilt(flight), why_runs.jellett(flight)
    assert kept[0] == pytest.approx(top.jellett(spin, 0.3), rel=1e-8, abs=0.0)
    assert np.allclose(kept, kept[0], rtol=1e-8, atol=0.0)
    assert np.all(np.diff(flight.energy) < 1e-10 * flight.energy[0])
    assert np.all(flight.energy > top.least_energy(tilts, kept[0]))
    final = top.final_tilt(kept[0])
    # Once it rolls nothing is lost: it stops short of the valley by what friction can hold.
    assert np.degrees(tilts[-1]) == pytest.approx(np.degrees(final), abs=off)
    least = top.least_energy(final, kept[0])
    assert flight.energy[-1] == pytest.approx(least, rel=1e-3, abs=0.0)
    written = row(
        f'{spin:g}', friction, f'{np.degrees(final):.0f}', f'{np.degrees(tilts[-1]):.0f}',
        f'{1e3 * least:.3f}', f'{1e3 * flight.energy[-1]:.3f}',
    )  # fmt: skip
    assert written in text('why_tippe_top')


@pytest.mark.parametrize(('spin', 'friction'), [(100.0, 0.01), (150.0, 0.02)])
def test_friction_turns_a_top_over_in_the_time_of_the_theory(spin, friction):
    flight = spun_top(spin, friction)
    top, tilts = why_runs.top(flight), np.degrees(why_runs.tilt(flight))
    late = flight.time > 5.0  # before, it rises
    times = [np.interp(angle, tilts[late], flight.time[late]) for angle in (45.0, 120.0)]
    theory = top.time(friction, why_runs.jellett(flight)[0], *np.radians((45.0, 120.0)))
    # The theory has L along the vertical; it is up to 6 degrees beside it.
    assert times[1] - times[0] == pytest.approx(theory, rel=0.04)
    written = row(f'{spin:g}', friction, f'{theory:.1f}', f'{times[1] - times[0]:.1f}')
    assert written in text('why_tippe_top')


def test_critical_spins_are_where_the_valley_moves():
    top = why_runs.top(spun_top(0.0, 0.01, 0.0))
    rises, turns = top.critical_spins()
    for spin, tilt in ((0.99 * rises, 0.0), (1.01 * turns, np.pi)):
        assert top.final_tilt(top.jellett(spin, 0.0)) == tilt
    for spin in (1.01 * rises, 0.99 * turns):
        assert 0.05 < top.final_tilt(top.jellett(spin, 0.0)) < np.pi - 0.05
    assert f'{rises:.1f} rad/s' in text('why_tippe_top')
    assert f'{turns:.1f} rad/s' in text('why_tippe_top')
    pencil, disc = (top._replace(across=ratio * top.axial) for ratio in (1.5, 0.6))
    assert np.isinf(pencil.critical_spins()[1]) and not np.isinf(pencil.critical_spins()[0])
    assert np.isinf(disc.critical_spins()[0])


# --- the pages ----------------------------------------------------------------------------------


class Command(NamedTuple):
    """A line `attitude-sim run` of a page."""

    page: str
    name: str
    given: dict


def commands():
    """Return every Command of the pages."""
    found = []
    for page in PAGES:
        for line in re.findall(r'^    attitude-sim run (.*)$', text(page), re.M):
            name, *words = shlex.split(line.split('&&')[0])
            pairs = (
                value.split(':=')
                for key, value in zip(words[:-1], words[1:], strict=True)
                if key == '-p'
            )
            found.append(Command(page, name, {key: yaml.safe_load(value) for key, value in pairs}))
    return found


def test_every_command_of_a_page_can_start():
    assert len(commands()) >= 9
    for command in commands():
        floor = {
            key.removeprefix('contact:'): value
            for key, value in command.given.items()
            if key.startswith('contact:')
        }
        given = {key: value for key, value in command.given.items() if ':' not in key}
        base = scenario.load(scenario.find(command.name))
        found = scenario.changed(base, given, command.page, floor or None)
        assert np.all(np.isfinite(found.first_instant().state.angular_momentum_W))


@pytest.mark.parametrize('page', PAGES)
def test_pictures_of_a_page_are_there_and_small(page):
    pictures = re.findall(r'\(images/(why_\w+\.png)\)', text(page))
    assert len(pictures) >= 2
    for picture in pictures:
        assert (DOCS / 'images' / picture).stat().st_size < 150_000


@pytest.mark.parametrize('page', [*PAGES, 'flat_spin'])
def test_the_pages_on_why_lead_to_each_other(page):
    for other in {*PAGES, 'flat_spin'} - {page}:
        assert f'({other}.md)' in text(page)
