# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Figures and animations of a free body show its numbers, in the frames they name."""

import numpy as np
import pytest
from matplotlib.text import Text

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation, ticks
from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.primitives import Primitive
from spacecraft_attitude_sim.core.body.state import from_flat
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies.flips_and_drifts import energies
from spacecraft_attitude_sim.drawing import (
    animation_file,
    body_looks,
    colors,
    curves,
    figures,
    meshes,
    scenery,
)
from spacecraft_attitude_sim.recording import history


def history_of(name, count):
    """Return the History of `count` ticks of a scenario, and the Scenario."""
    found = scenario.load(scenario.find(name))
    rows = []
    for tick, flat in enumerate(simulation.trajectory(found.plant, found.initial, count)):
        state = from_flat(flat)
        free = history.row(found.plant.body, ticks.DEFAULT.seconds(tick), state, loads.FREE)
        rows.append(history.base_columns(free, state, energies(found.plant, state)))
    free, q_WB, energy = np.hsplit(np.array(rows), (13, 17))
    return history.History(free[:, 0], *np.hsplit(free[:, 1:], 4), q_WB, energy), found


@pytest.fixture(scope='module')
def top():
    """The symmetric top for its whole run."""
    figures.without_display()
    duration = scenario.load(scenario.find('symmetric_top')).parameters['duration']
    return history_of('symmetric_top', ticks.DEFAULT.covering(duration))


def top_attitude(time):
    """Return q_WB of the top: L/I1 = (1, 0, 2) in world, after the body's own turning at -1."""
    about_L = [
        rotations.quaternion_from_axis_angle((1.0, 0.0, 2.0), np.sqrt(5.0) * t) for t in time
    ]
    own = [rotations.quaternion_from_axis_angle((0.0, 0.0, 1.0), -t) for t in time]
    return np.array([rotations.compose(*pair) for pair in zip(about_L, own, strict=True)])


@pytest.fixture
def closing():
    """Close every figure at the end."""
    from matplotlib import pyplot

    yield
    pyplot.close('all')


def lines_of(axis):
    return {line.get_label(): line.get_ydata() for line in axis.lines}


def test_quaternion_and_rate_of_the_symmetric_top_are_the_exact_ones(top, closing):
    """Four components and ω over 30 s."""
    table, _ = top
    attitude, rate, acceleration, *_ = figures.figure(table, 'top', 'quaternion').axes
    time = table.time
    assert time[-1] == 30.0
    drawn = np.column_stack(list(lines_of(attitude).values()))
    assert list(lines_of(attitude)) == ['w', 'x', 'y', 'z']
    # What the momentum form's own error is after 30 s.
    assert np.allclose(drawn, top_attitude(time), rtol=0, atol=1e-7)
    expected = np.column_stack((np.cos(time), np.sin(time), np.ones_like(time)))
    drawn = np.column_stack(list(lines_of(rate).values()))
    assert np.allclose(drawn, expected, rtol=0, atol=1e-7)
    expected = np.column_stack((-np.sin(time), np.cos(time), np.zeros_like(time)))
    drawn = np.column_stack(list(lines_of(acceleration).values()))
    assert np.allclose(drawn, expected, rtol=0, atol=1e-7)


def test_axes_are_the_bodys_own_seen_in_world(top, closing):
    table, _ = top
    drawn = figures.figure(table, 'top', 'axes')
    for number, (axis, letter) in enumerate(zip(drawn.axes[:3], 'xyz', strict=True)):
        assert axis.get_ylabel() == f'body {letter} axis\nin world'
        found = np.column_stack([lines_of(axis)[name] for name in 'xyz'])
        expected = [rotations.rotate(q, np.eye(3)[number]) for q in top_attitude(table.time)]
        assert np.allclose(found, expected, rtol=0, atol=1e-7)


def test_angles_stay_the_default(top, closing):
    drawn = figures.figure(top[0], 'top')
    assert list(lines_of(drawn.axes[0])) == ['yaw', 'pitch', 'roll']
    assert len(drawn.axes) == 5


def test_the_momentum_panel_has_its_size(top, closing):
    """It is constant: sqrt(1 + 4) N m s, the inertia being 1, 1, 2 kg m^2."""
    size = lines_of(figures.figure(top[0], 'top').axes[3])['|L|']
    assert np.allclose(size, np.sqrt(5.0), rtol=1e-13, atol=0)


@pytest.mark.parametrize('name', ['sum', 'rotation'])
def test_the_axis_of_a_constant_energy_shows_the_energy(top, closing, name):
    """Also that of a table in which no other is known, where all would be round-off."""
    table = top[0] if name == 'sum' else top[0]._replace(energies=None)
    panel = figures.figure(table, 'top').axes[4]
    low, high = panel.get_ylim()
    assert low < 0.0 < 1.5 < high  # ½ (1 + 2) J
    assert high - low < 2.0
    (note,) = [text.get_text() for text in panel.texts]
    start, change = note.removeprefix(f'{name}: ').split(' J, changes by at most ')
    assert float(start) == 1.5
    drawn = panel.lines[-1].get_ydata()
    assert panel.lines[-1].get_label() == name
    drift = np.max(np.abs(drawn - 1.5))
    assert 0.0 < drift < 1e-12
    assert float(change.removesuffix(' J')) == pytest.approx(drift, rel=0.1, abs=0.0)


@pytest.mark.parametrize(
    'energy', [np.zeros(9), np.full(9, -3.0), np.array((2.0, 5.0, -1.0, 1.0))]
)
def test_any_energy_has_an_axis_with_zero_and_words(energy):
    low, high = curves._limits_from_zero(energy[:, np.newaxis])
    assert low < min(0.0, energy.min()) <= max(0.0, energy.max()) < high
    said = curves.change_in_words('sum', energy)
    changes = {0.0: 'does not change', 3.0: 'changes by at most 3 J'}
    assert said == f'sum: {energy[0]:.4g} J, {changes[np.max(np.abs(energy - energy[0]))]}'


@pytest.mark.parametrize('attitude', curves.ATTITUDES)
def test_no_legend_or_note_lies_on_a_curve_or_another(top, closing, attitude):
    drawn = figures.figure(top[0], 'top', attitude)
    check_words(drawn)


def test_no_legend_or_note_lies_on_another_beside_another_run(top, closing):
    runs = [(top[0], 'one'), (top[0], 'with a long name')]
    check_words(figures.figure_beside(runs, 'tops'))


def check_words(drawn):
    """Check that legends and notes are above their panels, and apart from each other."""
    drawn.canvas.draw()
    for axis in drawn.axes:
        inside, legend = axis.get_window_extent(), axis.get_legend().get_window_extent()
        assert legend.y0 >= inside.y1 - 1.0
        assert legend.x1 <= drawn.bbox.x1
        for words in (*axis.texts, axis.yaxis.get_offset_text()):
            if words.get_text():
                extent = words.get_window_extent()
                assert not extent.overlaps(legend)
                assert extent.y0 >= inside.y1 - 1.0


def test_each_tick_is_a_frame_at_32_a_second(top):
    table, _ = top
    every = animation_file.FULL._replace(frames_per_second=32)
    assert np.array_equal(figures.frame_indices(table.time, every), np.arange(960))


@pytest.mark.parametrize('rate', [1, 7, 20, 30, 32, 50])
def test_a_gif_keeps_time_in_hundredths_of_a_second(rate):
    delays = np.array(animation_file.gif_delays(10 * rate, rate))
    assert delays.sum() == 10_000
    assert np.all(delays % 10 == 0)
    # No frame is shown a hundredth of a second too early or too late.
    late = np.cumsum(delays) - 1000.0 / rate * np.arange(1, len(delays) + 1)
    assert np.max(np.abs(late)) < 10.0


def test_arrows_point_where_the_vectors_do_and_hide_behind_the_body(top, closing):
    """The body's axes in their colours, ω and L: before it where they point to the viewer."""
    from matplotlib import pyplot

    table, found = top
    _, view = pyplot.subplots()
    scene = figures._Scene(view, table, body_looks.drawn_parts(found))
    towards = np.cross(meshes.CAMERA[0], meshes.CAMERA[1])
    for index in (0, 100, 333, 800):
        artists = scene.artists(index)
        body = artists.index(scene._body)
        C = rotations.dcm_from_quaternion(top_attitude(table.time[index : index + 1])[0])
        omega_W = C @ (np.cos(table.time[index]), np.sin(table.time[index]), 1.0)
        expected = dict(zip(colors.AXES, C.T, strict=True))
        expected[colors.ANGULAR_VELOCITY] = omega_W
        expected[colors.ANGULAR_MOMENTUM] = np.array((1.0, 0.0, 2.0))
        found_colors = set()
        for place, artist in enumerate(artists):
            color = getattr(artist, 'get_color', str)()
            if color not in expected or not hasattr(artist, 'get_xydata'):
                continue
            found_colors.add(color)
            (start, tip), vector = artist.get_xydata(), expected[color]
            assert np.array_equal(start, (0.0, 0.0))
            along = meshes.CAMERA[:2] @ vector
            cosine = tip @ along / np.linalg.norm(tip) / np.linalg.norm(along)
            assert cosine == pytest.approx(1.0, abs=1e-6)
            assert (place > body) == (vector @ towards > 0.0)
        assert found_colors == set(expected)


def test_the_worlds_axes_lie_in_a_corner_as_the_camera_sees_them(closing):
    from matplotlib import pyplot

    figure, view = pyplot.subplots()
    line, *words = scenery.world_axes(view)
    figure.canvas.draw()
    points = line.get_transform().transform(line.get_xydata()).reshape(3, 2, 2)
    for (start, tip), along, letter in zip(points, meshes.CAMERA[:2].T, words, strict=False):
        assert np.allclose(tip - start, scenery.WORLD_LENGTH * figure.dpi * along, atol=1e-9)
        assert view.bbox.contains(*start)
        place = letter.get_transform().transform(letter.get_position())
        assert np.linalg.norm(place - tip) < 0.5 * scenery.WORLD_LENGTH * figure.dpi
    assert [word.get_text() for word in words] == ['x', 'y', 'z', 'world']


def test_words_say_time_and_angles():
    angles = np.radians((-170.04, 5.0, -0.01))
    first, second = scenery.words(2.0, angles, 1.0).split('\n')
    assert first == 't = 2.00 s'
    assert second.split() == ['yaw', '-170.0°', 'pitch', '5.0°', 'roll', '0.0°']
    assert scenery.words(2.0, angles, 2.5).startswith('t = 2.00 s, 2.5 times as fast\n')


def test_frames_of_an_animation_tell_the_time_and_leave_nothing_behind(top):
    """Two frames of one instant are alike, whatever was drawn between them."""
    table, found = top
    short = table._replace(
        **{name: getattr(table, name)[[0, 200, 400, 0]] for name in table._fields[:7]}
    )
    short = short._replace(time=np.arange(4.0))
    form = animation_file.FULL._replace(frames_per_second=1)
    whole = history.History(*(np.append(f, f[-1:], axis=0) for f in short[:7]))
    whole = whole._replace(time=np.arange(5.0))
    first, second, _, again = map(
        np.asarray, figures.animation_frames(whole, body_looks.drawn_parts(found), 'top', form)
    )
    assert np.mean(np.any(first != second, axis=2)) > 0.01
    # Only the words of the time and the cursor differ, and the trace.
    assert np.mean(np.any(first != again, axis=2)) < 0.01


def test_runs_beside_each_other_share_scales_and_keep_their_own_curves(top, closing):
    table, _ = top
    short = table._replace(**{
        field: getattr(table, field)[:200]
        for field in table._fields
        if getattr(table, field) is not None
    })  # fmt: skip
    axes = figures.figure_beside([(table, 'whole'), (short, 'short')], 'top', 'quaternion').axes
    pairs = list(zip(axes[0::2], axes[1::2], strict=True))
    assert len(pairs) == len(figures.figure(table, 'top', 'quaternion').axes)
    for left, right in pairs:
        assert left.get_xlim() == right.get_xlim() == (table.time[0], table.time[-1])
        assert left.get_ylim() == right.get_ylim()
    assert len(lines_of(pairs[0][0])['w']) == len(table.time)
    assert len(lines_of(pairs[0][1])['w']) == 200
    assert [pair.texts[0].get_text() for pair in pairs[0]] == ['whole', 'short']


def test_energies_beside_each_other_are_all_in_sight(top, closing):
    table, _ = top
    tenfold = table._replace(energies=10.0 * table.energies)
    for runs in ([(tenfold, 'a'), (table, 'b')], [(table, 'a'), (tenfold, 'b')]):
        left, right = figures.figure_beside(runs, 'top').axes[-2:]
        for axis, (shown, _) in zip((left, right), runs, strict=True):
            low, high = axis.get_ylim()
            assert low <= 0.0
            assert np.max(shown.energies) < high < 1.2 * np.max(tenfold.energies)


def test_bodies_beside_each_other_move_by_one_clock_to_the_end_of_the_shorter(top, closing):
    table, found = top
    later = table._replace(**{
        field: getattr(table, field)[320:448]
        for field in table._fields
        if getattr(table, field) is not None
    })  # fmt: skip
    later = later._replace(time=later.time - later.time[0])
    form = animation_file.FULL._replace(frames_per_second=4)
    runs = [
        (table, 'here', body_looks.drawn_parts(found)),
        (later, 'later', body_looks.drawn_parts(found)),
    ]
    frames = list(figures.frames_beside(runs, 'top', form))
    assert len(frames) == figures.frame_count(later, form) == 16
    first = np.asarray(frames[0]).astype(int)
    half = first.shape[1] // 2
    changes = [np.abs(np.asarray(frame).astype(int) - first).sum(axis=2) > 60 for frame in frames]
    # Both move, and the turn of ten seconds later is another.
    assert all(
        np.count_nonzero(part) > 100 for part in (changes[9][:, :half], changes[9][:, half:])
    )
    assert np.count_nonzero(np.abs(first[:, :half] - first[:, half:]).sum(axis=2) > 60) > 100


def test_runs_of_different_rates_beside_each_other_show_the_same_instant(top, closing):
    table, found = top
    coarse = table._replace(**{
        field: getattr(table, field)[::4]
        for field in table._fields
        if getattr(table, field) is not None
    })  # fmt: skip
    parts = body_looks.drawn_parts(found)
    runs = [(table, 'fine', parts), (coarse, 'coarse', parts)]
    _, artists = figures._animated_beside(runs, 'top', table.time, animation_file.FULL)
    told = set()
    for index in (0, 40, 200):
        texts = (one.get_text() for one in artists(index) if isinstance(one, Text))
        fine, other = (text for text in texts if 't = ' in text)
        assert fine.removeprefix('fine, ') == other.removeprefix('coarse, ')
        told.add(fine)
    assert len(told) == 3


def test_a_face_is_as_bright_as_it_faces_the_light():
    level, steep = meshes.brightness(np.array(((0.0, 0.0, 3.0), (-2.0, -2.0, 0.1))))
    assert level == pytest.approx(meshes.LEVEL)
    assert steep == pytest.approx(0.35)  # turned away from it


def test_normals_point_out_of_a_body_and_are_of_unit_length():
    for shape, size in (('box', (0.3, 0.2, 0.1)), ('sphere', (0.2,)), ('cylinder', (0.1, 0.4))):
        made = meshes.mesh([Primitive(shape, size)])
        assert np.all(np.sum(made.normals * made.corners.mean(axis=1), axis=1) > 0.0)
        assert np.allclose(np.linalg.norm(made.normals, axis=1), 1.0)
    # Counterclockwise from above, and a face without area.
    level = np.array(((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)), dtype=float)
    found = meshes.normals_of(np.array((level, np.zeros((4, 3)))))
    assert found.tolist() == [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]


@pytest.mark.parametrize('normal', [(0.0, 0.0, 1.0), (0.6, 0.0, 0.8), (1.0, 2.0, -2.0)])
def test_a_circle_lies_across_its_normal(normal):
    normal = np.array(normal) / np.linalg.norm(normal)
    angles = np.array((0.0, 0.4, 1.0, 3.0))
    points = meshes.circle_across(normal, angles)
    assert points @ normal == pytest.approx(np.zeros(4), abs=1e-15)
    assert points @ points[0] == pytest.approx(np.cos(angles))
    assert np.cross(points[0], points) @ normal == pytest.approx(np.sin(angles))


def test_a_body_that_turns_far_from_frame_to_frame_says_so():
    assert 'turns a frame' not in scenery.words(0.0, np.zeros(3), 2.0, 0.4)
    assert scenery.words(0.0, np.zeros(3), 2.0, 2.4).startswith('t = 0.00 s, 2 times as fast, 2.4')
