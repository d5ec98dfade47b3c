# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Tables, figures and animations of a run on a floor show what the run did."""

import csv
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image
from processes import printed
from test_figures import check_words

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.simulation import Inputs
from spacecraft_attitude_sim.drawing import (
    body_looks,
    colors,
    contact_figures,
    figures,
    meshes,
    scenery,
)
from spacecraft_attitude_sim.recording import contact_history, history, motion_table

MOVING = {colors.ANGULAR_VELOCITY, colors.ANGULAR_MOMENTUM}
R, V, W, MU, G = 0.1, 2.0, 60.0, 0.3, 9.81


@pytest.fixture(scope='module')
def run(tmp_path_factory, command):
    """A bag and a table of the ball thrown with backspin, 3 s."""
    folder = tmp_path_factory.mktemp('backspin')
    outputs = ('--record', folder / 'bag', '--csv', folder / 'table.csv')
    printed(command, 'run', 'backspin', '--rate', 0, '--duration', 3, *outputs)
    return folder


def test_a_bag_and_a_table_of_a_run_on_a_floor_say_the_same(run):
    bag, found = history.read(run / 'bag')
    table, _ = history.read(run / 'table.csv')
    assert len(bag.time) == len(table.time) == 97
    assert bag.knowledge is table.knowledge is None  # no estimator
    parts = {'contact', 'control', 'parts', 'orbit', 'rotation', 'knowledge'}
    for field in set(table._fields) - parts:
        a, b = getattr(bag, field), getattr(table, field)
        # Through a quaternion in a message and back, at 60 rad/s.
        assert np.allclose(a, b, rtol=1e-9, atol=1e-9), field
    for field in table.contact._fields[:6]:
        a, b = getattr(bag.contact, field), getattr(table.contact, field)
        assert np.allclose(a, b, rtol=1e-9, atol=1e-9), field
    assert not table.contact.floors
    known = history.on_floor_of(table, found)
    assert known.contact.floors[3] == bag.contact.floors[3]


def test_topics_and_simulation_say_the_same_of_a_body_that_turns_about_several_axes():
    """Gap and slip are computed of what the topics say, with the rate in body axes."""
    found = scenario.load(scenario.find('bouncing_ellipsoid'))
    instant, slips = found.first_instant(), []
    for _ in range(40):
        instant = simulation.next_instant(found.plant, instant, Inputs())
        state, contact = instant.state, simulation.contact_at(instant)
        told = SimpleNamespace(
            ticks=instant.ticks, elapsed=instant.elapsed, point_W=contact.point,
            contact_force_W=contact.force,
            omega_B=found.plant.spacecraft.angular_velocity_B(state),
        )  # fmt: skip
        ours = contact_history.row(instant, 2.5)
        theirs = contact_history.row_of_topics(
            found.plant, found.plant.contact.floor, state, told, 2.5
        )
        assert theirs == pytest.approx(ours, rel=1e-9, abs=1e-9)
        slips.append(contact.slip_speed)
    assert max(slips) > 0.1


def test_the_history_of_a_ball_with_backspin_is_the_closed_form(run):
    with (run / 'table.csv').open() as file:
        rows = list(csv.DictReader(file))
    slips = np.array([float(one['contact_torque_y [N m]']) for one in rows])
    assert list(rows[0])[-6:] == list(motion_table.MOTION)  # the position stands further left
    speeds = np.array([float(one['v_x [m/s]']) for one in rows])
    assert speeds[0] == pytest.approx(V)
    assert speeds[-1] == pytest.approx(5.0 / 7.0 * V - 2.0 / 7.0 * R * W, rel=1e-9)
    table, _ = history.read(run / 'bag')
    slips_until = 2.0 * (V + R * W) / (7.0 * MU * G)
    assert np.array_equal(table.contact.slipping, table.time < slips_until)
    assert not table.contact.in_flight.any()
    speed = V + R * W - 3.5 * MU * G * table.time
    assert np.allclose(table.contact.slip_speed, np.maximum(speed, 0.0), atol=1e-9)
    ends = 5.0 / 7.0 * V - 2.0 / 7.0 * R * W
    rolling = 0.5 * ends**2 * (1.0 + 0.4) + G * R  # 1 kg, 2/5 m R^2
    assert table.contact.energy[-1] == pytest.approx(rolling, rel=1e-9)
    # Friction turns the ball while it slips: τ = μ m g R.
    assert table.angular_acceleration_B[5] == pytest.approx((0.0, MU * G * R / 0.004, 0.0))
    # Of 1 kg; nothing turns it when it rolls.
    assert slips[table.contact.slipping] == pytest.approx(MU * G * R, rel=1e-9)
    assert slips[~table.contact.slipping] == pytest.approx(0.0, abs=1e-9)


def test_the_animation_keeps_body_and_contact_in_view(run):
    from matplotlib import pyplot
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

    table, found = history.read(run / 'bag')
    figure, view = pyplot.subplots()
    scene = contact_figures.Scene(view, table, body_looks.drawn_parts(found))
    for index in (0, 30, 96):
        artists = scene.artists(index)
        (x_low, x_high), (y_low, y_high) = view.get_xlim(), view.get_ylim()
        (body,) = (artist for artist in artists[1:] if isinstance(artist, PolyCollection))
        places = [meshes.on_screen(table.contact.point_W[[index]]), *body.get_paths()]
        shades = {*colors.AXES, colors.ANGULAR_VELOCITY, colors.ANGULAR_MOMENTUM}
        arrows = {a.get_color(): a for a in artists if isinstance(a, Line2D)}
        assert shades <= set(arrows)
        places += [arrows[color].get_xydata() for color in shades]
        for place in places:
            x, y = np.asarray(getattr(place, 'vertices', place)).T
            assert x_low <= x.min() <= x.max() <= x_high
            assert y_low <= y.min() <= y.max() <= y_high
        force = artists[-1].get_xydata()
        assert force[0] == pytest.approx(meshes.on_screen(table.contact.point_W[[index]])[0])
    pyplot.close(figure)


def test_rates_and_momentum_behind_the_body_shine_through_it(run):
    from matplotlib import pyplot

    table, found = history.read(run / 'bag')
    figure, view = pyplot.subplots()
    scene, hidden = contact_figures.Scene(view, table, body_looks.drawn_parts(found)), 0
    for index in range(len(table.time)):
        artists = list(scene.artists(index))
        body, seen = artists.index(scene._body), {}
        for place, artist in enumerate(artists):
            if getattr(artist, 'get_color', str)() in MOVING and hasattr(artist, 'get_xydata'):
                seen.setdefault(artist.get_color(), []).append((place > body, artist))
        for several in seen.values():
            over = [(before, artist.get_alpha()) for before, artist in several]
            assert over in ([(True, 1.0)], [(False, 1.0), (True, scenery.FAINT)])
            first, last = several[0][1], several[-1][1]
            assert np.array_equal(first.get_xydata(), last.get_xydata())
            hidden += len(over) == 2
    assert hidden > 0
    pyplot.close(figure)


def test_the_legend_of_shades_names_only_what_is_shaded(run):
    table, _ = history.read(run / 'bag')
    contact = table.contact
    rest, up = np.zeros_like(contact.slip_speed), np.zeros_like(contact.force_W)
    unknown = np.full_like(contact.slip_speed, np.nan)
    for changed, expected in (
        (contact, '(orange: slipping)'),
        (contact._replace(slip_speed=rest), ''),
        (contact._replace(slip_speed=unknown), ''),
        (contact._replace(force_W=up), '(blue: in flight)'),
    ):
        assert contact_figures.shading(table._replace(contact=changed)) == expected
    thrown = np.where(table.time[:, np.newaxis] < 0.1, 0.0, contact.force_W)
    both = table._replace(contact=contact._replace(force_W=thrown))
    assert contact_figures.shading(both) == '(blue: in flight, orange: slipping)'


def test_notes_and_legends_of_two_runs_are_apart(run):
    table, _ = history.read(run / 'bag')
    drawn = figures.figure_beside([(table, 'one'), (table, 'another')], 'balls')
    check_words(drawn)


def test_plot_writes_figure_and_animation_of_a_run_on_a_floor(run, command):
    for source, more in (('bag', []), ('table.csv', ['--scenario', 'backspin'])):
        output = run / f'{source}.png'
        printed(command, 'plot', run / source, '-o', output, '--animate', '--fps', 5, *more)
        with Image.open(output) as figure, Image.open(output.with_suffix('.gif')) as animation:
            assert figure.size == (1200, 1500)
            assert animation.n_frames == 15
