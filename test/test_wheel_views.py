# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Wheels in figures, animations and the viewer turn and hold what their closed form says."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from bags import STORE
from processes import printed
from rosbags.rosbag2 import Reader

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels
from spacecraft_attitude_sim.drawing import (
    body_looks,
    figures,
    meshes,
    scenery,
    wheel_discs,
    wheel_figures,
)
from spacecraft_attitude_sim.recording import history

pytestmark = pytest.mark.usefixtures('placed_roughly')

SECONDS = 2.0
# Of scenario wheels_take_over about z: inertia, that of the wheel, rate at first, motor torque.
WHOLE, WHEEL, RATE, TORQUE = 0.007, 1.72e-5, 0.6, 0.000418968
RPM = 30.0 / np.pi
AXES = np.array(((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.6, 0.0, -0.8), (0.0, 0.0, -1.0)))


@pytest.fixture(scope='module')
def bag(command, tmp_path_factory):
    """Two seconds of a CubeSat whose wheel takes over its momentum, recorded."""
    folder = tmp_path_factory.mktemp('wheels') / 'bag'
    given = ('--rate', 0, '--duration', SECONDS, '--record', folder)
    said = printed(command, 'run', 'wheels_take_over', *given)
    (folder.parent / 'said.txt').write_text(said)
    return folder


def test_the_energy_book_of_the_whole_run_is_told_at_its_end(bag):
    """A motor's torque u about one axis works ½ (u t)² (1/J + 1/(I - J)) from rest."""
    work = 0.5 * (TORQUE * SECONDS) ** 2 * (1.0 / WHEEL + 1.0 / (WHOLE - WHEEL))
    said = (bag.parent / 'said.txt').read_text()
    (line,) = [one for one in said.splitlines() if one.startswith('  energy book')]
    numbers = dict(re.findall(r'(motors|friction|energy|explained|\)) ([+-]\S+) J', line))
    assert float(numbers['motors']) == pytest.approx(work, rel=1e-5)  # six digits
    assert float(numbers['energy']) == pytest.approx(work, rel=1e-5)
    assert (float(numbers['friction']), float(numbers[')'])) == (0.0, 0.0)
    assert abs(float(numbers['explained'])) < 1e-12 * work
    assert 'drift of L       0.0e+00 (relative; inertial frame)' in said
    with Reader(bag) as reader:
        last = [
            (connection, data)
            for connection, _, data in reader.messages()
            if connection.topic == '/diagnostics'
        ][-1]
    message = STORE.deserialize_cdr(last[1], last[0].msgtype)
    values = {pair.key: pair.value for pair in message.status[0].values}
    assert float(values['simulated time [s]']) == SECONDS
    assert float(values['work of motors [J]']) == pytest.approx(work, rel=1e-8)
    assert float(values['work of loads [J]']) == 0.0


@pytest.fixture(scope='module')
def table(bag):
    """Its History."""
    figures.without_display()
    return history.read(bag)[0]


@pytest.fixture
def closing():
    """Close every figure at the end."""
    from matplotlib import pyplot

    yield
    pyplot.close('all')


@pytest.fixture
def limited(monkeypatch):
    """Return a function that gives every wheel a largest speed [rad/s]."""

    def limit(most):
        speeds = property(lambda wheels: np.full(wheels.states, most))
        monkeypatch.setattr(ReactionWheels, 'speed_limits', speeds)

    return limit


def expected(time):
    """Return h and Ω of the wheel on z (n,), and its angle (n,) [rad], at times (n,) [s]."""
    stored = WHEEL * RATE + TORQUE * time
    speed = stored / WHEEL - (WHOLE * RATE - stored) / (WHOLE - WHEEL)
    gained = TORQUE / WHEEL + TORQUE / (WHOLE - WHEEL)
    assert speed == pytest.approx(gained * time, abs=1e-9)
    return stored, speed, gained * time**2 / 2.0


# --- what was recorded ---------------------------------------------------------------------------


def test_history_has_speeds_torques_and_momentum_of_the_wheels(table):
    stored, speed, _ = expected(table.time)
    found = table.wheels
    assert found.parts.names == ('x', 'y', 'z')
    # The motor's number has nine digits, and what a wheel holds is a difference of two momenta.
    assert found.speeds[:, 2] == pytest.approx(speed, abs=1e-9)
    assert np.max(np.abs(found.speeds[:, :2])) < 1e-9
    assert found.stored_B[:, 2] == pytest.approx(stored, rel=1e-12)
    assert found.torques[1:].tolist() == [[0.0, 0.0, TORQUE]] * (len(table.time) - 1)
    # L is what the wheels hold by turning in the body, and I ω.
    whole = found.held_B[:, 2] + WHOLE * table.angular_velocity_B[:, 2]
    assert whole == pytest.approx(table.angular_momentum_B[:, 2], rel=1e-12)


def test_arrows_are_in_the_axes_of_the_world_and_those_of_momenta_of_one_scale(table, closing):
    from matplotlib import pyplot

    tilt = np.array((0.5, -0.5, 0.5, 0.5))
    tilted = np.tile(tilt, (len(table.time), 1))
    arrows = scenery.Arrows(pyplot.figure().add_subplot(), table, tilted, 1.0)._vectors
    L_B, h_B = table.angular_momentum_B, table.wheels.stored_B
    sizes = np.linalg.norm(np.concatenate((L_B, h_B)), axis=1)
    for drawn, vectors_B, longest, length in (
        (arrows[3], L_B, sizes.max(), scenery.MOMENTUM_LENGTH),
        (arrows[4], h_B, sizes.max(), scenery.MOMENTUM_LENGTH),
        (arrows[5], table.angular_velocity_B, RATE, scenery.OMEGA_LENGTH),
    ):
        expected_W = length / longest * rotations.rotate_many(tilted, vectors_B)
        assert drawn == pytest.approx(expected_W, rel=1e-9, abs=1e-12)
    for k in range(3):
        along = scenery.AXIS_LENGTH * rotations.rotate(tilt, np.eye(3)[k])
        assert arrows[k] == pytest.approx(np.tile(along, (len(table.time), 1)), abs=1e-15)


def test_a_body_without_wheels_has_no_history_of_wheels(command, tmp_path, domain):
    path = tmp_path / 'bag'
    printed(command, 'run', 'tennis_racket', '--rate', 0, '--duration', 0.5, '--record', path)
    assert history.read(path)[0].wheels is None
    said = printed(command, 'plot', path, '-o', tmp_path / 'a.svg')
    assert said.split() == [str(tmp_path / 'a.svg')]


# --- figures -------------------------------------------------------------------------------------


def test_plot_draws_a_figure_of_the_wheels(bag, command, tmp_path):
    said = printed(command, 'plot', bag, '-o', tmp_path / 'run.svg')
    paths = [tmp_path / 'run.svg', tmp_path / 'run_wheels.svg']
    assert said.split() == [str(path) for path in paths]
    assert all(path.stat().st_size > 10_000 for path in paths)


def panels_of(drawn):
    return {axis.get_ylabel().split('\n')[0]: axis for axis in drawn.axes if axis.get_ylabel()}


def test_figure_shows_speeds_torques_and_momenta(table, closing):
    panels = panels_of(wheel_figures.figure(table, 'wheels'))
    names = ['speed of each', 'motor torque of each', 'angular momentum L', 'h of the wheels']
    assert list(panels) == names
    stored, speed, _ = expected(table.time)
    curves = {line.get_label(): line.get_ydata() for line in panels['speed of each'].lines}
    assert list(curves) == ['x', 'y', 'z']
    assert curves['z'] == pytest.approx(speed * RPM, abs=1e-7)
    curves = {line.get_label(): line.get_ydata() for line in panels['h of the wheels'].lines}
    assert curves['|h|'] == pytest.approx(stored, rel=1e-12)
    (said,) = [text.get_text() for text in panels['motor torque of each'].texts]
    assert said == 'z comes to 20.9 % of 0.002 N m'


@pytest.mark.parametrize(('share', 'drawn'), [(2.0, True), (8.0, False)])
def test_a_limit_is_a_line_where_a_wheel_comes_near_it_and_always_words(
    table, closing, limited, share, drawn
):
    most = share * expected(table.time)[1][-1]
    limited(most)
    panel = panels_of(wheel_figures.figure(table, 'wheels'))['speed of each']
    levels = [line.get_ydata()[0] for line in panel.lines[3:]]
    assert levels == (pytest.approx([-most * RPM, most * RPM]) if drawn else [])
    low, high = panel.get_ylim()
    assert low < 0.0 < expected(table.time)[1][-1] * RPM < high
    assert (most * RPM < high) == drawn
    (said,) = [text.get_text() for text in panel.texts]
    assert said == f'z comes to {100.0 / share:.3g} % of {most * RPM:.4g} rpm'


def test_a_limit_of_a_wheel_that_turns_backwards_is_below(table, closing, limited):
    limited(2.0 * expected(table.time)[1][-1])
    backwards = table._replace(parts={'wheels': table.wheels.but(speeds=-table.wheels.speeds)})
    panel = panels_of(wheel_figures.figure(backwards, 'wheels'))['speed of each']
    line, above = panel.lines[3:]
    assert panel.get_ylim()[0] < line.get_ydata()[0] < -1.9 * expected(table.time)[1][-1] * RPM
    assert above.get_ydata()[0] == -line.get_ydata()[0] < panel.get_ylim()[1]


def test_what_can_be_held_is_drawn_where_every_speed_has_a_limit(table, closing, limited):
    assert not wheel_figures.figure(table, 'wheels').subfigs
    limited(500.0)
    drawn = wheel_figures.figure(table, 'wheels')
    view, reach = drawn.subfigs[1].axes
    most, torque = 500.0 * RPM, table.wheels.parts.torque_limits[0]
    boundary, *paths = reach.lines  # the three wheels are of one kind
    assert np.ptp(boundary.get_xdata()) == pytest.approx(2.0 * most)
    assert np.ptp(boundary.get_ydata()) == pytest.approx(2.0 * torque)
    assert reach.get_xlim()[0] < -most < most < reach.get_xlim()[1]
    assert reach.get_ylim()[0] < -torque < torque < reach.get_ylim()[1]
    for number, path in enumerate(paths):
        assert np.array_equal(path.get_xdata(), table.wheels.speeds[:, number] * RPM)
    path = np.array(view.lines[0].get_data_3d()).T
    assert path == pytest.approx(table.wheels.held_B, abs=1e-15)
    envelope = wheel_figures.envelope_of(table.wheels.parts)
    assert envelope.weakest == pytest.approx(500.0 * WHEEL, rel=1e-14)
    drawn.canvas.draw()
    assert len(view.collections[1].get_segments()) == len(envelope.edges()) == 12


# --- discs ---------------------------------------------------------------------------------------


def discs():
    """Return Discs of four wheels on a box of 2, 3 and 4 m."""
    given = {'body.parts': ['box'], 'parts.box.shape': 'box', 'parts.box.size': [2.0, 3.0, 4.0]}
    box = meshes.mesh(body_looks.drawn_parts(scenario.build(given, 'box')))
    wheels = ReactionWheels(tuple('abcd'), AXES, np.full(4, 1e-3), np.ones(4))
    return wheel_discs.discs_of(wheels, box)


def test_discs_sit_on_their_axes_outside_of_the_body():
    found = discs()
    reach = np.sqrt(1.0 + 2.25 + 4.0)
    away = np.einsum('ij,ij->i', found.positions, AXES)
    assert found.positions == pytest.approx(away[:, np.newaxis] * AXES, abs=1e-15)
    supports = np.abs(AXES) @ (1.0, 1.5, 2.0)
    gap = away - found.thickness / 2.0 - supports
    assert gap == pytest.approx(wheel_discs.GAP * reach * np.ones(4), rel=1e-12)


def test_two_wheels_on_one_axis_are_drawn_behind_each_other():
    box = meshes.mesh(body_looks.drawn_parts(scenario.build({}, 'ball')))
    twice = ReactionWheels(('a', 'b'), AXES[[0, 0]], np.full(2, 1e-3), np.ones(2))
    found = wheel_discs.discs_of(twice, box)
    assert found.positions[1, 2] - found.positions[0, 2] > found.thickness


def test_a_disc_turns_right_handed_about_its_axis_by_its_angle():
    found = discs()
    rng = np.random.default_rng(2)
    angles = rng.uniform(-3.0, 3.0, 4)
    for number, (axis, angle) in enumerate(zip(AXES, angles, strict=True)):
        q = found.attitude(number, angle)
        assert rotations.rotate(q, (0.0, 0.0, 1.0)) == pytest.approx(axis, abs=1e-12)
        about = rotations.quaternion_from_axis_angle(axis, angle)
        turned = rotations.compose(about, found.attitude(number, 0.0))
        assert rotations.angle_between(q, turned) < 1e-12
    whole = found.mesh(angles)
    each = len(found.faces(0).corners)
    for number, angle in enumerate(angles):  # the dark wedge, from x on, has turned with it
        part = slice(number * each, (number + 1) * each)
        dark = found.faces(number).colors[:, 0] < found.faces(number).colors[:, 0].max()
        middle = whole.corners[part][dark].mean(axis=(0, 1)) - found.positions[number]
        wedge = np.pi * meshes.DARK_SECTORS / meshes.SECTORS
        where = rotations.rotate(
            found.attitude(number, angle), (np.cos(wedge), np.sin(wedge), 0.0)
        )
        assert middle @ where == pytest.approx(np.linalg.norm(middle), rel=1e-6)
        away = whole.corners[part].mean(axis=1) - found.positions[number]
        outwards = np.einsum('ij,ij->i', whole.normals[part], away)
        assert np.all(outwards > 0.0)


def test_angles_are_the_integral_of_the_speeds(table):
    angles = wheel_discs.angles(table.time, table.wheels.speeds)
    # The trapezoidal rule is exact for what grows linearly.
    assert angles[:, 2] == pytest.approx(expected(table.time)[2], abs=1e-9)
    unknown = np.full((3, 1), np.nan)
    assert wheel_discs.angles(np.arange(3.0), unknown).tolist() == [[0.0]] * 3


def test_the_animation_turns_the_discs_and_draws_what_they_hold(table, bag, closing):
    from matplotlib import pyplot

    found = history.read(bag)[1]
    _, view = pyplot.subplots()
    parts = body_looks.drawn_parts(found)
    scene = figures._Scene(view, table, parts)
    artists = scene.artists(40)
    body = len(meshes.picture(meshes.mesh(parts), table.q_WB()[40])[0])
    assert len(scene._body.get_paths()) > body + 50
    assert scene._angles[40, 2] == pytest.approx(expected(table.time[40:41])[2][0], abs=1e-9)
    lengths = {}
    for artist in artists:
        if hasattr(artist, 'get_xydata') and artist.get_color() in (
            figures.colors.ANGULAR_MOMENTUM, figures.colors.WHEEL_MOMENTUM,
        ):  # fmt: skip
            lengths[artist.get_color()] = np.linalg.norm(np.diff(artist.get_xydata(), axis=0))
    share = expected(table.time[40:41])[0][0] / (WHOLE * RATE)
    long, short = (lengths[getattr(figures.colors, f'{w}_MOMENTUM')] for w in ('ANGULAR', 'WHEEL'))
    assert short / long == pytest.approx(share, rel=1e-9)
    assert {text.get_text() for text in view.figure.legends[0].get_texts()} >= {'h of the wheels'}


# --- the viewer ----------------------------------------------------------------------------------


@pytest.fixture
def seen(bag, tmp_path):
    """Return a function that shows the bag and gives {component: (n, …)} of an entity."""
    pytest.importorskip('rerun', reason="the viewer's extra is not installed: pip '.[view]'")
    from test_viewer import columns

    from spacecraft_attitude_sim.viewer import recorded
    from spacecraft_attitude_sim.viewer.rerun_session import RerunSession

    path = tmp_path / 'run.rrd'

    def shown():
        session = RerunSession(live=False, save=path)
        recorded.show_bag(bag, session)
        session.close()
        return lambda entity: columns(path, entity)

    return shown


def test_viewer_turns_the_discs_and_plots_their_speeds_against_limits(seen, table, limited):
    limited(400.0)
    of = seen()
    turned = of('/world/craft/body/wheel_2')
    x, y, z, w = np.array(turned['Transform3D:quaternion'])[:, 0].T
    assert np.allclose((x, y), 0.0)
    angle = expected(table.time)[2]
    assert np.allclose(np.abs(w * np.cos(angle / 2) + z * np.sin(angle / 2)), 1.0, atol=1e-6)
    assert abs(w[-1] * np.cos(0.2) + z[-1] * np.sin(0.2)) < 0.999  # it is not any angle
    speeds = np.array(of('/plots/wheel_speeds')['Scalars:scalars'])
    assert speeds[:, 2] == pytest.approx(expected(table.time)[1] * RPM, abs=1e-7)
    assert speeds[:, 3:].tolist() == [[-400.0 * RPM, 400.0 * RPM]] * len(speeds)
    held = np.array(of('/envelope/held')['Arrows3D:vectors'])[:, 0]
    # To the farthest corner of the box that three wheels at right angles hold.
    reach = np.sqrt(3.0) * 400.0 * WHEEL
    assert held == pytest.approx(table.wheels.held_B / reach, abs=1e-6)


def test_viewer_shows_momentum_and_energy_of_body_and_wheels(seen, table, bag):
    of = seen()
    stored, speed, _ = expected(table.time)
    L, h = (np.array(of(f'/world/craft/{x}')['Arrows3D:vectors'])[:, 0] for x in 'Lh')
    assert h[:, 2] / L[:, 2] == pytest.approx(stored / (WHOLE * RATE), rel=1e-5)
    assert np.allclose(h[:, :2], 0.0, atol=1e-7)
    energy = np.array(of('/plots/energy')['Scalars:scalars'])
    omega = (WHOLE * RATE - stored) / (WHOLE - WHEEL)
    assert energy[:, 0] == pytest.approx((WHOLE - WHEEL) * omega**2 / 2.0, abs=1e-15)
    assert energy[:, 1] == pytest.approx(stored**2 / WHEEL / 2.0, rel=1e-9)
    assert energy[:, 2] == pytest.approx(table.energies[:, 1], rel=1e-9)
    assert 'Scalars:scalars' in of('/plots/wheel_speeds')


def test_viewer_of_wheels_without_their_speeds_leaves_gaps_and_guesses_nothing(tmp_path, table):
    """From a table: L and ω tell what the wheels hold, not how each turns."""
    pytest.importorskip('rerun', reason="the viewer's extra is not installed: pip '.[view]'")
    from test_viewer import columns

    from spacecraft_attitude_sim.viewer import samples
    from spacecraft_attitude_sim.viewer.rerun_session import RerunSession

    path = tmp_path / 'table.rrd'
    session = RerunSession(live=False, save=path)
    craft = session.craft()
    craft.begin(scenario.load(scenario.find('wheels_take_over')))
    craft.add(samples.from_history(table._replace(parts={})))
    session.close()
    energy = np.array(columns(path, '/plots/energy')['Scalars:scalars'])
    assert np.isnan(energy[:, 1:]).all()
    assert np.isfinite(energy[:, 0]).all()
    quaternions = columns(path, '/world/craft/body/wheel_2')['Transform3D:quaternion']
    assert np.ptp(np.array(quaternions)[:, 0], axis=0).max() == 0.0
    L, h = (np.array(columns(path, f'/world/craft/{x}')['Arrows3D:vectors'])[:, 0] for x in 'Lh')
    share = expected(table.time)[0] / (WHOLE * RATE)
    assert h[:, 2] / L[:, 2] == pytest.approx(share, rel=1e-5)


@pytest.mark.parametrize(('speeds', 'turning'), [([0.0, 0.0, 50.0], 50.0), ([50.0] * 2, 0.0)])
def test_momentum_that_got_lost_is_that_of_body_and_wheels(speeds, turning):
    """L = I ω + J Ω; of another number of joints, whose nobody knows, I ω is what is left."""
    pytest.importorskip('rerun', reason="the viewer's extra is not installed: pip '.[view]'")
    from geometry_msgs.msg import Quaternion
    from nav_msgs.msg import Odometry
    from sensor_msgs.msg import JointState

    from spacecraft_attitude_sim.viewer.assembler import MessageAssembler

    heard = []
    nobody = SimpleNamespace(log=None)
    craft = SimpleNamespace(begin=lambda found: None, add=heard.append, scene=nobody)
    messages = MessageAssembler(craft)
    found = scenario.load(scenario.find('wheels_take_over'))
    messages.take('scenario', SimpleNamespace(data=scenario.dump(found)))
    moved = Odometry()
    half = np.sqrt(0.5)  # z of the body is y of world
    moved.pose.pose.orientation = Quaternion(w=half, x=-half)
    moved.twist.twist.angular.z = 0.5
    messages.take('ground_truth/odometry', moved)
    messages.take('joint_states', JointState(velocity=speeds))
    messages.flush(last=True)
    (samples,) = heard
    assert samples.momentum_W[0] == pytest.approx((0, WHOLE * 0.5 + WHEEL * turning, 0), abs=1e-15)
    known = len(speeds) == 3
    assert np.array_equal(
        samples.wheel_speeds[0], speeds if known else [np.nan] * 3, equal_nan=True
    )


def test_angles_go_on_from_one_batch_of_samples_to_the_next(tmp_path, table):
    pytest.importorskip('rerun', reason="the viewer's extra is not installed: pip '.[view]'")
    from test_viewer import columns

    from spacecraft_attitude_sim.viewer import samples
    from spacecraft_attitude_sim.viewer.rerun_session import RerunSession

    path = tmp_path / 'parts.rrd'
    session = RerunSession(live=False, save=path)
    craft, whole = session.craft(), samples.from_history(table)
    craft.begin(scenario.load(scenario.find('wheels_take_over')))
    for start in range(0, len(table.time), 7):
        craft.add(whole.part(start, start + 7))
    session.close()
    turned = columns(path, '/world/craft/body/wheel_2')['Transform3D:quaternion']
    _, _, z, w = np.array(turned)[:, 0].T
    angle = expected(table.time)[2]
    assert np.allclose(np.abs(w * np.cos(angle / 2) + z * np.sin(angle / 2)), 1.0, atol=1e-6)


def test_layout_of_wheels_plots_their_speeds_and_what_they_can_hold(limited, table):
    pytest.importorskip('rerun', reason="the viewer's extra is not installed: pip '.[view]'")
    from spacecraft_attitude_sim.viewer import layout, samples
    from spacecraft_attitude_sim.viewer.rerun_session import RerunSession

    def origins(name):
        session = RerunSession(live=False, save='/dev/null')
        craft = session.craft()
        craft.begin(scenario.load(scenario.find(name)))
        craft.add(samples.from_history(table))
        page = layout.blueprint([craft.look()], live=False).root_container
        session.close()
        every, found = [page], []
        while every:
            view = every.pop()
            every += getattr(view, 'contents', []) if hasattr(view, 'column_shares') else []
            found.append(str(getattr(view, 'origin', '')))
        return found

    assert 'plots/wheel_speeds' in origins('wheels_take_over')
    assert 'envelope' not in origins('wheels_take_over')
    limited(400.0)
    assert 'envelope' in origins('wheels_take_over')
    assert not {'envelope', 'plots/wheel_speeds'} & set(origins('tennis_racket'))
