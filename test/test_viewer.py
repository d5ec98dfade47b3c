# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The viewer shows what was recorded, and what it watches does not notice it."""

import http.client
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from types import SimpleNamespace

import bags
import browser
import foreign
import numpy as np
import picture
import pytest
import yaml
from conftest import new_domain
from geometry_msgs.msg import PoseStamped, WrenchStamped
from nav_msgs.msg import Odometry
from PIL import Image
from processes import called, printed, run
from ros_helpers import PATIENCE, process, wait_for
from std_msgs.msg import Float64MultiArray, String

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.configuration import scenario, untrusted_scenario
from spacecraft_attitude_sim.core import ticks
from spacecraft_attitude_sim.core.contact import floors
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import body_looks
from spacecraft_attitude_sim.nodes.messages import tick_messages
from spacecraft_attitude_sim.recording import history
from spacecraft_attitude_sim.recording.inputs_layout import RecordedInputs

rerun = pytest.importorskip('rerun', reason="the viewer's extra is not installed: pip '.[view]'")
from rerun.chunk import RrdReader  # noqa: E402

from spacecraft_attitude_sim.nodes.ros import qos  # noqa: E402
from spacecraft_attitude_sim.viewer import floor, page, recorded, samples  # noqa: E402
from spacecraft_attitude_sim.viewer.assembler import MessageAssembler  # noqa: E402
from spacecraft_attitude_sim.viewer.live import LiveView  # noqa: E402
from spacecraft_attitude_sim.viewer.rerun_session import Craft, RerunSession, samples_of  # noqa: E402

SECONDS = 3.0
# A grey body, so that what is red, green and blue in its picture is its axes.
TUMBLING = """
/**/simulator:
  ros__parameters:
    description: grey block
    body: {mass: 1.0, inertia: [0.02, 0.03, 0.04], parts: [block]}
    parts: {block: {shape: box, size: [0.3, 0.2, 0.1], color: [0.7, 0.7, 0.7, 1.0]}}
    initial:
      attitude: [0.1, -0.7, 0.1, 0.7]  # three seconds later, its axes are well seen
      angular_velocity: [0.4, 0.7, -0.5]
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return str(probe.getsockname()[1])


@pytest.fixture(scope='module')
def block(tmp_path_factory):
    """A scenario file."""
    path = tmp_path_factory.mktemp('block') / 'block.yaml'
    path.write_text(TUMBLING)
    return path


@pytest.fixture(scope='module')
def unseen(block, command, tmp_path_factory):
    """The bag of a run that nobody looked at."""
    folder = tmp_path_factory.mktemp('unseen') / 'bag'
    printed(command, 'run', block, '--rate', 0, '--duration', SECONDS, '--record', folder)
    return folder


def save(bag, path, *namespaces):
    """Save what `view` shows of a bag, without its process."""
    session = RerunSession(live=False, save=path)
    try:
        recorded.show_bag(bag, session, namespaces)
    finally:
        session.close()


def columns(path, entity):
    """Return {component: (n, …) array} of an entity of a Rerun recording, in order of time."""
    found = {}
    for chunk in RrdReader(path).stream().to_chunks():
        if chunk.entity_path == entity and not chunk.is_static:
            table = chunk.to_record_batch()
            for name, column in zip(table.schema.names, table.columns, strict=True):
                if name == 'time' or ':' in name:  # and not the time of logging
                    found.setdefault(name, []).extend(column.to_pylist())
    order = np.argsort(found['time'])
    return {name: [values[number] for number in order] for name, values in found.items()}


def test_recording_for_rerun_holds_attitude_rates_and_path(unseen, command, tmp_path):
    path = tmp_path / 'run.rrd'
    subprocess.run([command, 'view', unseen, '--save', path], check=True, timeout=600)
    table, _ = history.read(unseen)
    q_WB = samples.from_history(table).q_WB
    drawn = np.array(columns(path, '/world/craft/body')['Transform3D:quaternion'])[:, 0]
    assert np.allclose(np.roll(drawn, 1, axis=1), q_WB, atol=1e-6)  # single precision
    rates = np.array(columns(path, '/plots/rates')['Scalars:scalars'])
    assert np.allclose(rates, table.angular_velocity_B, rtol=0, atol=1e-15)
    pieces = np.array(columns(path, '/poinsot/herpolhode')['LineStrips3D:strips'])[:, 0]
    # Rolling: each piece of the herpolhode begins where the one before ended, in one plane.
    assert np.array_equal(pieces[1:, 0], pieces[:-1, 1])
    L_W = rotations.rotate(q_WB[0], table.angular_momentum_B[0])
    heights = pieces @ L_W / np.linalg.norm(L_W)
    assert np.ptp(heights) < 1e-6  # single precision


def test_a_body_of_tilted_principal_axes_rolls_on_its_plane(tmp_path):
    """ω ends in the plane that is drawn; L goes along its polhode, in body axes."""
    given = {
        'body.mass': 2.0, 'body.inertia': [2.5, 3.5, 4.0, -0.5, 0.4, 0.3],
        'initial.angular_velocity': [0.9, 0.4, -0.3],
    }  # fmt: skip
    flown, path = sas.simulate(given, duration=8.0), tmp_path / 'tilted.rrd'
    show = RerunSession(live=False, save=path)
    recorded.show_table(flown.to_csv(tmp_path / 'tilted.csv'), flown.scenario, show)
    show.close()
    strips = 'LineStrips3D:strips'
    touches = np.array(columns(path, '/poinsot/herpolhode')[strips])[:, 0].reshape(-1, 3)
    along = flown.angular_momentum[0] / np.linalg.norm(flown.angular_momentum[0])
    (center, *_) = columns(path, '/poinsot/plane')['Mesh3D:vertex_positions'][0]
    assert touches @ along == pytest.approx(center @ along / 1.004, rel=1e-6)
    polhode = np.array(columns(path, '/sphere/polhode')[strips][0][0])
    step = np.linalg.norm(np.diff(polhode, axis=0), axis=1).max()
    path_B = np.array(columns(path, '/sphere/path')[strips])[:, 0].reshape(-1, 3)
    away = np.linalg.norm(path_B[:, np.newaxis] - polhode, axis=2).min(axis=1)
    assert away.max() < step / 2.0 + 1e-6 < 0.1
    L_B = flown.angular_momentum_body
    L_B = L_B / np.linalg.norm(L_B, axis=1, keepdims=True)
    arrows = np.array(columns(path, '/sphere/L')['Arrows3D:vectors'])[:, 0]
    assert arrows == pytest.approx(1.25 * L_B, abs=1e-6)


def test_principal_axes_are_drawn_and_the_moments_said(tmp_path):
    """Of a plate of moments 2, 3, 4 kg m², its first two axes at 45 degrees."""
    given = {'body.mass': 2.0, 'body.inertia': [2.5, 2.5, 4.0, -0.5, 0.0, 0.0]}
    path = tmp_path / 'plate.rrd'
    show = RerunSession(live=False, save=path)
    craft = show.craft()
    craft.begin(scenario.build(given, 'plate'))
    craft.add(samples_of([(0, 0, np.zeros(3), (1.0, 0.0, 0.0, 0.0), np.zeros(3), np.zeros(3))]))
    show.close()
    fixed = {
        chunk.entity_path: chunk.to_record_batch().to_pydict()
        for chunk in RrdReader(path).stream().to_chunks()
        if chunk.is_static
    }
    (lines,) = fixed['/world/craft/body/principal_axes']['LineStrips3D:strips']
    ends = np.array(lines)
    along = ends[:, 1] / np.linalg.norm(ends[:, 1], axis=1, keepdims=True)
    half = 0.5**0.5
    expected = np.abs(((half, half, 0.0), (-half, half, 0.0), (0.0, 0.0, 1.0)))
    assert np.allclose(np.abs(along), expected, atol=1e-6)  # single precision
    assert along[0] @ along[1] == pytest.approx(0.0, abs=1e-6)
    ((place,),) = fixed['/world/craft/body/center_of_mass']['Points3D:positions']
    assert np.array_equal(place, (0.0, 0.0, 0.0))
    ((words,),) = fixed['/about']['TextDocument:text']
    assert '**Mass:** 2 kg, centre of mass at (0, 0, 0) m' in words
    for axis in ('2 about (0.707, 0.707, 0)', '3 about (-0.707, 0.707, 0)', '4 about (0, 0, 1)'):
        assert axis in words


def test_table_is_shown_with_the_body_it_is_of(command, tmp_path, domain):
    table, path = tmp_path / 'run.csv', tmp_path / 'run.rrd'
    printed(command, 'run', 'tennis_racket', '--rate', 0, '--duration', 1, '--csv', table)
    done = run(command, 'view', table, '--save', path)
    assert done.returncode == 2
    assert 'give --scenario' in done.stderr
    printed(command, 'view', table, '--save', path, '--scenario', 'tennis_racket')
    assert len(columns(path, '/world/craft/body')['time']) == 33


@pytest.fixture(scope='module')
def watched(block, command, tmp_path_factory):
    """A live run with a viewer, over but for its page: (address of the page, bag)."""
    folder, port = tmp_path_factory.mktemp('watched') / 'bag', free_port()
    environment = dict(os.environ, ROS_DOMAIN_ID=new_domain())
    foreign_folder = foreign.plant(folder.parent / 'foreign')
    arguments = [
        'run', str(block), '--duration', str(SECONDS), '--record', str(folder),
        '--view', '--no-browser', '--port', port,
    ]  # fmt: skip
    with process(command, *arguments, env=environment, cwd=foreign_folder) as child:
        said = [child.stdout.readline()]
        while 'the page stays open' not in said[-1]:
            said.append(child.stdout.readline())
            assert said[-1], child.communicate()
        assert f'http://localhost:{port}' in said[0]
        yield f'http://localhost:{port}/', folder
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=PATIENCE)
        assert child.returncode == 0
    assert not foreign.ran(foreign_folder)
    with socket.socket() as probe:  # nobody is left behind
        wait_for(lambda: probe.connect_ex(('127.0.0.1', int(port))) != 0)


def test_a_viewer_changes_no_bit(unseen, watched):
    assert contents(watched[1]) == contents(unseen)


def test_a_viewer_that_stands_still_or_dies_changes_nothing(block, unseen, command, tmp_path):
    """Stopped, it reads nothing any more: the slowest viewer there is. Then it is killed."""
    folder = tmp_path / 'bag'
    arguments = ['--duration', str(SECONDS), '--record', str(folder), '--rate', '0.8']
    environment = dict(os.environ, ROS_DOMAIN_ID=new_domain())
    view = [command, 'view', '--no-browser', '--port', free_port()]
    with process(*view, env=environment) as viewer:
        assert 'in a browser' in viewer.stdout.readline()
        with process(command, 'run', str(block), *arguments, env=environment) as run:
            wait_for(lambda: (folder / 'metadata.yaml').exists())
            viewer.send_signal(signal.SIGSTOP)
            wait_for(lambda: instants(folder) > 48)
            viewer.send_signal(signal.SIGKILL)
            began = time.monotonic()
            output, errors = run.communicate(timeout=60)
        assert run.returncode == 0, errors
        # What was left at 0.8 of real time, and ending; a flush that waits takes 4 s more.
        assert time.monotonic() - began < SECONDS / 0.8 + 3.0
    assert contents(folder) == contents(unseen)


def contents(bag):
    """Return {topic: messages} of a bag, but for the scenario, which says how fast it ran."""
    return {topic: found for topic, found in bags.contents(bag).items() if topic != '/scenario'}


def instants(bag):
    """Return about how many messages a bag holds so far of each topic."""
    metadata = yaml.safe_load((bag / 'metadata.yaml').read_text())
    topics = metadata['rosbag2_bagfile_information']['topics_with_message_count']
    return max((topic['message_count'] for topic in topics), default=0)


@pytest.mark.skipif(not browser.CHROMIUM, reason='chromium is not installed')
def test_the_page_shows_the_attitude_that_was_recorded(watched, tmp_path):
    url, folder = watched
    table, _ = history.read(folder)
    q_WB = samples.from_history(table).q_WB[-1]
    angles, error = None, np.pi
    # A software rasteriser beside other work takes in only a little with each picture it draws.
    limit = time.monotonic() + 240.0
    with browser.Browser(tmp_path) as page:
        page.open(url)
        # It follows what arrives: at the end of the run, it shows the last instant of it.
        while error > np.radians(3.0) and time.monotonic() < limit:
            time.sleep(1.0)  # leave the processor to the page
            seen = page.picture()
            Image.fromarray(seen.astype(np.uint8)).save(tmp_path / 'seen.png')
            angles = drawn_directions(seen)
            if not np.any(np.isnan(angles)):
                error = picture.attitude_error(angles, q_WB)
        requests = page.requests
    # The arrows are some 100 pixels long and 4 wide; the eye is known.
    assert error < np.radians(3.0), (np.degrees(angles), np.degrees(error))
    # A picture can tell: turned by 10 degrees, the body would not look like this.
    for axis in np.eye(3):
        other = rotations.compose(q_WB, rotations.quaternion_from_axis_angle(axis, 0.17))
        assert picture.attitude_error(angles, other) > np.radians(6.0)
    assert plotted(seen) > 500  # curves
    elsewhere = {u: why for u, why in requests.items() if not is_here(u)}
    assert all(why == 'csp' for why in elsewhere.values()), elsewhere


def drawn_directions(seen):
    """Return where the axes point in the body's view, the left upper part of the page."""
    height, width, _ = seen.shape
    top, bottom, right = 0.1, 0.6, 0.38
    part = seen[int(top * height) : int(bottom * height), : int(right * width)]
    pixels = picture.axis_pixels(part)
    return picture.directions(pixels, middle_of_body_view(height, width, top))


def middle_of_body_view(height, width, top):
    """Return where the eye looks (2,) in the cut-out, right and up [pixels].

    Rerun's bars above and below are 36 and 28 pixels high, a title is 28; the shares are of
    layout.py.
    """
    bottom = 36.0 + (height - 64.0) * 1.7 / 2.7
    return np.array((width * 1.25 / 3.25 / 2.0, top * height - (64.0 + bottom) / 2.0))


def plotted(seen):
    """Return how many pixels of the plots, the right third of the page, are coloured."""
    part = seen[60:-60, int(0.7 * seen.shape[1]) :]
    return np.count_nonzero(np.ptp(part, axis=2) > 100)


def is_here(url):
    return url.startswith(('http://localhost', 'http://127.0.0.1', 'data:', 'blob:', 'about:'))


def test_wrong_recordings_and_a_taken_port_are_one_clear_line(command, unseen, tmp_path):
    (tmp_path / 'empty').mkdir()
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for arguments, words in (
            (['/no/such/bag'], 'no such bag or CSV file'),
            ([tmp_path / 'empty'], 'is no bag'),
            ([unseen, '--port', port], f'port {port} cannot be used'),
        ):
            done = called('view', *arguments)
            assert done.returncode == 2
            assert words in done.stderr
            assert len(done.stderr.splitlines()) == 1


def test_floor_and_contact_are_drawn_where_they_are(command, tmp_path, domain):
    bag, path = tmp_path / 'bag', tmp_path / 'run.rrd'
    printed(command, 'run', 'ball_on_incline', '--rate', 0, '--duration', 0.5, '--record', bag)
    save(bag, path)
    plane = scenario.load(scenario.find('ball_on_incline')).plant.contact.floor
    position, q = floor.placements(plane, np.zeros(1), 1.0)
    assert np.allclose(rotations.rotate(q[0], (0.0, 0.0, 1.0)), plane.normal, atol=1e-15)
    points = np.array(columns(path, '/world/contact/point')['Points3D:positions'])[:, 0]
    # The contact point is on the floor, the force on the ball out of it; single precision.
    assert np.allclose((points - position[0]) @ plane.normal, 0.0, atol=1e-6)
    forces = np.array(columns(path, '/world/contact/force')['Arrows3D:vectors'])[:, 0]
    assert np.all(forces @ plane.normal > 0.5 * np.linalg.norm(forces, axis=1))


def test_moving_floors_are_drawn_where_they_are():
    stamp = np.array((0, 500_000_000, 1_000_000_000))
    belt = floors.Plane(normal=(0.0, 0.0, 2.0), conveyor=(0.6, 0.0, 0.0))
    position, _ = floor.placements(belt, stamp, 1.0)
    assert np.allclose(position, ((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.6, 0.0, 0.0)))
    table = floors.Plane(normal=(1.0, 0.0, 1.0), spin=np.pi)
    _, q = floor.placements(table, stamp, 1.0)
    across = [rotations.rotate(one, (0.0, 1.0, 0.0)) for one in q]
    assert np.allclose(across[2], -across[0])  # half a turn later
    assert np.allclose([one @ table.normal for one in across], 0.0, atol=1e-15)
    heaving = floors.Plane(amplitude=0.1, angular_frequency=np.pi, phase=0.0)
    position, _ = floor.placements(heaving, stamp, 1.0)
    assert np.allclose(position[:, 2], (0.0, 0.1, 0.0))


def test_a_tilted_conveyor_is_drawn_as_far_on_as_it_went():
    plane = floors.Plane(normal=(0.6, 0.0, 0.8), point=(1.0, 2.0, 3.0), conveyor=(0.8, 0.5, -0.6))
    elapsed = np.array((0, 10_000_000))  # less than a spacing of the grid
    positions, _ = floor.placements(plane, elapsed, 1.0)
    assert positions[0] == pytest.approx((1.0, 2.0, 3.0))
    assert positions[1] - positions[0] == pytest.approx(0.01 * np.array((0.8, 0.5, -0.6)))


def test_a_turntable_turns_from_the_last_reset_and_a_change_leaves_the_past(tmp_path):
    path = tmp_path / 'run.rrd'
    found = scenario.load(scenario.find('ball_on_turntable'))
    show = RerunSession(live=False, save=path)
    messages = MessageAssembler(show.craft())
    for tick in range(12):
        if tick == 2:  # a recorder may hear it late
            messages.take('scenario', SimpleNamespace(data=scenario.dump(found)))
        if tick == 8:
            stopped = found.with_contact({'floor.spin': 0.0})
            messages.take('scenario', SimpleNamespace(data=scenario.dump(stopped, 1)))
        given = tick in (0, 5)  # a start, and a reset
        state = np.eye(13)[3] if given else np.empty(0)
        inputs = RecordedInputs(tick, given, 0, 0, np.zeros(12), np.zeros(6), state=state)
        messages.take('ground_truth/inputs', tick_messages.inputs_to_ros(inputs))
        messages.take('ground_truth/odometry', odometry(tick))
    messages.flush(last=True)
    show.close()
    drawn = columns(path, '/world/floor')
    xyzw = np.array(drawn['Transform3D:quaternion'])[:, 0]
    turned = 2.0 * np.arctan2(xyzw[:, 2], xyzw[:, 3])
    turning = found.plant.contact.floor.spin * ticks.TICK_SECONDS
    expected = turning * np.array((0, 1, 2, 3, 4, 0, 1, 2, 0))
    assert np.allclose(turned, expected, atol=1e-6)  # single precision
    assert turning > 0.01
    chunks = RrdReader(path).stream().to_chunks()
    assert not any(c.is_static for c in chunks if c.entity_path == '/world/floor')


def test_a_floor_that_is_a_formula_is_drawn_as_it_was_sent(command, tmp_path, domain):
    bag, path = tmp_path / 'bag', tmp_path / 'run.rrd'
    text = VALLEY_RUN.format(expression='z - 0.05*sin(2*x - 3*t)')
    (tmp_path / 'wave.yaml').write_text(text)
    given = ('--rate', 0, '--duration', 1, '--record', bag)
    printed(command, 'run', tmp_path / 'wave.yaml', *given)
    save(bag, path)
    drawn = columns(path, '/world/sheet')
    times = np.array(drawn['time']) / np.timedelta64(1, 's')
    assert len(times) > 10
    for at, corners in zip(times, drawn['Mesh3D:vertex_positions'], strict=True):
        x, _, z = np.array(corners).T
        assert len(x) == 4 * 28**2
        assert np.allclose(z, 0.05 * np.sin(2.0 * x - 3.0 * at), atol=1e-5)


VALLEY_RUN = """
/**/simulator:
  ros__parameters:
    gravity: [0.0, 0.0, -9.81]
    body: {{mass: 1.0, inertia: [0.025, 0.025, 0.025]}}
    initial: {{angular_velocity: [0.0, 0.0, 0.0]}}
/**/contact:
  ros__parameters:
    mode: rolling
    place: true
    surface: {{shape: sphere, radius: 0.25}}
    floor: {{expression: {expression}}}
"""
FOREIGN = """
/**/simulator:
  ros__parameters:
    body: {mass: 1.0, inertia: [0.02, 0.03, 0.04], parts: [block]}
    parts: {block: {shape: box, size: [0.3, 0.2, 0.1]}}
/**/contact:
  ros__parameters:
    floor: {shape: implicit, function: 'foreign_module:level'}
    surface.shape: implicit
    surface.function: foreign_module:surface
"""


def test_functions_that_a_foreign_scenario_names_are_not_imported(tmp_path, monkeypatch):
    (tmp_path / 'foreign_module.py').write_text('raise SystemExit')
    monkeypatch.syspath_prepend(tmp_path)
    found, left_out = untrusted_scenario.parse(FOREIGN, draws_any_floor=False)
    assert "floor.function 'foreign_module:level'" in left_out
    assert floor.archetypes(found.plant.contact.floor, 1.0) == {}
    assert [part.size for part in body_looks.drawn_parts(found)] == [(0.3, 0.2, 0.1)]


def odometry(tick):
    """Return the message of a body at rest."""
    zero = SimpleNamespace(x=0.0, y=0.0, z=0.0)
    stamp = SimpleNamespace(sec=0, nanosec=ticks.DEFAULT.stamp(tick))
    pose = SimpleNamespace(position=zero, orientation=SimpleNamespace(w=1.0, **vars(zero)))
    twist = SimpleNamespace(linear=zero, angular=zero)
    return SimpleNamespace(
        header=SimpleNamespace(stamp=stamp),
        pose=SimpleNamespace(pose=pose), twist=SimpleNamespace(twist=twist),
    )  # fmt: skip


@pytest.mark.parametrize('port', ['0', '99999'])
def test_an_impossible_port_is_one_clear_line(command, port):
    for arguments in (['view'], ['run', 'tennis_racket', '--view']):
        done = called(*arguments, '--port', port)
        assert done.returncode == 2
        assert done.stderr == f'attitude-sim: --port is {port}; give one of 1 to 65535\n'


def test_the_relay_refuses_other_names_and_survives_both_its_ends(capfd):
    shown = page.Page(int(free_port()), '100MB')
    try:
        assert status(shown.url + '/index.html') == 200
        assert status(shown.url, Host='elsewhere.example') == 403
        address = ('127.0.0.1', int(shown.url.rpartition(':')[2]))
        with socket.create_connection(address) as browser_gone:
            browser_gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\1\0\0\0\0\0\0\0')
            browser_gone.sendall(b'GET /re_viewer_bg.wasm HTTP/1.0\r\nHost: localhost\r\n\r\n')
            browser_gone.recv(1)
        shown._rerun.kill()
        shown._rerun.wait()
        assert status(shown.url + '/index.html') == 502
    finally:
        shown.close()
    assert capfd.readouterr().err == ''


READ = '/rerun.sdk_comms.v1alpha1.MessageProxyService/ReadMessages'


@pytest.fixture
def served():
    """A page and a recording that is shown on it."""
    found = page.Page(int(free_port()), '100MB')
    recording = rerun.RecordingStream('test')
    try:
        recording.connect_grpc(found.sink)
        recording.log('said', rerun.TextLog('first'))
        recording.flush()
        yield found, recording
    finally:
        recording.disconnect()
        found.close()


def ask(address, headers):
    """Ask for the data as the page does, with a gRPC-Web frame of an empty message."""
    connection = http.client.HTTPConnection(*address, timeout=20)
    asked = {'Content-Type': 'application/grpc-web+proto', 'X-Grpc-Web': '1'} | headers
    connection.request('POST', READ, b'\0\0\0\0\0', asked)
    return connection.getresponse()


def test_the_page_gets_the_data_as_they_come(served):
    shown, recording = served
    here = shown.url.removeprefix('http://')
    answer = ask(address_of(shown.url), {'Host': here, 'Origin': shown.url})
    assert answer.status == 200
    assert answer.read1(1000)[:2] == b'\0\0'  # a frame of data: not compressed, less than 16 MB
    assert answer.getheader('Access-Control-Allow-Origin') is None
    # What is logged now comes now: far more than what was waiting.
    noise = np.random.default_rng(1).integers(0, 256, 1 << 20, dtype=np.uint8)
    recording.log('noise', rerun.Tensor(noise))
    recording.flush()
    received = 0
    while received < 1 << 20:
        piece = answer.read1(1 << 16)
        assert piece
        received += len(piece)


def test_an_answer_has_a_deadline_and_the_data_after_it_none(monkeypatch):
    limits, sent = [], []

    class Upstream:
        sock = SimpleNamespace(settimeout=limits.append)

        def __init__(self, host, port, timeout):
            limits.append(timeout)

        def __getattr__(self, name):
            return lambda *given: None

        def getresponse(self):
            return SimpleNamespace(status=200, getheader=lambda name: None, read1=lambda size: b'')

    monkeypatch.setattr(page.http.client, 'HTTPConnection', Upstream)
    handler = SimpleNamespace(
        send_response=sent.append, send_header=lambda *given: None, end_headers=lambda: None
    )
    page._Handler._hand_on(handler, ('127.0.0.1', 1), 'GET', '/x')
    assert (limits, sent) == ([page.ANSWER_SECONDS, None], [200])


@pytest.mark.parametrize(
    ('host', 'origin'),
    [
        ('{here}', None),
        ('{here}', 'null'),
        ('{here}', 'http://localhost:1'),
        ('{here}', 'http://localhost'),
        ('{here}', 'http://127.0.0.1:{port}'),
        ('{here}', 'https://elsewhere.example'),
        ('elsewhere.example:{port}', 'http://elsewhere.example:{port}'),
        ('localhost', 'http://localhost'),
        ('localhost.elsewhere.example:{port}', 'http://{here}'),
    ],
)
def test_a_page_of_elsewhere_gets_no_data(served, host, origin):
    shown, _ = served
    here = shown.url.removeprefix('http://')
    words = {'here': here, 'port': here.partition(':')[2]}
    headers = {'Host': host.format(**words)}
    if origin:
        headers['Origin'] = origin.format(**words)
    assert ask(address_of(shown.url), headers).status == 403


def test_page_at_the_port_that_browsers_leave_out():
    assert 'localhost' in page.hosts_at(80)
    assert 'localhost' not in page.hosts_at(9090)


def test_reruns_own_server_is_not_where_a_page_could_look(served):
    shown, _ = served
    host, port = urllib.parse.urlsplit(shown.sink.removeprefix('rerun+')).netloc.split(':')
    assert host.startswith('127.')
    for known in ('127.0.0.1', '127.0.1.1', '0.0.0.0'):
        with socket.socket() as probe:
            assert probe.connect_ex((known, int(port))) != 0
    other = page.Page(int(free_port()), '100MB')
    other.close()
    assert other.sink.split(':')[1] != shown.sink.split(':')[1]


def address_of(url):
    """Return host and port of the relay."""
    return '127.0.0.1', int(url.rpartition(':')[2])


ODD = (
    ('ground_truth/inputs', Float64MultiArray()),
    ('ground_truth/inputs', Float64MultiArray(data=[np.nan] * 23)),
    ('ground_truth/inputs', Float64MultiArray(data=[np.inf] * 23)),
    ('ground_truth/inputs', Float64MultiArray(data=[1e300] * 23)),
    ('ground_truth/inputs', Float64MultiArray(data=[1.0, 1.0])),
    ('scenario', String(data='[1')),
    ('scenario', String(data='')),
    ('ground_truth/odometry', Odometry()),
    ('control/reference', PoseStamped()),
    ('contact/wrench', WrenchStamped()),
)


def test_no_message_ends_the_live_viewer(ros, tmp_path, capfd):
    ODD[-3][1].pose.pose.position.x = np.nan
    ODD[-2][1].pose.orientation.w = -np.inf
    ODD[-1][1].wrench.force.x = np.nan
    path = tmp_path / 'run.rrd'
    show = RerunSession(live=True, save=path)
    view = ros.add(LiveView(show))
    publishers = {
        topic: ros.node.create_publisher(type(message), topic, qos.LATCHED)
        for topic, message in ODD
    }
    ros.until(lambda: all(p.get_subscription_count() for p in publishers.values()))
    for count, (topic, message) in enumerate(ODD, 1):
        publishers[topic].publish(message)
        ros.until(lambda count=count: view._left_out == count)
    publishers['scenario'].publish(String(data=TUMBLING))
    publishers['ground_truth/odometry'].publish(Odometry())
    ros.until(lambda: show._crafts and show._crafts[0].scene)
    view.finish()
    show.close()
    assert len(columns(path, '/world/craft/body')['time']) == 1
    said = capfd.readouterr()
    assert said.err.count(' is left out: ') == said.err.count(f'{len(ODD)} messages in all') == 1


def status(url, **headers):
    """Return the status of an answer."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20) as a:
            return a.status
    except urllib.error.HTTPError as error:
        return error.code


def test_sigterm_after_the_run_ends_the_viewer_too(block, command, domain):
    port = free_port()
    arguments = ['--rate', '0', '--duration', '0.1', '--view', '--no-browser', '--port', port]
    with process(command, 'run', str(block), *arguments) as child:
        for line in child.stdout:
            if 'the page stays open' in line:
                break
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=PATIENCE)
        assert child.returncode == 0
    with socket.socket() as probe:
        assert probe.connect_ex(('127.0.0.1', int(port))) != 0


def test_the_plot_of_the_pointing_error_comes_into_the_layout_once():
    sent = []
    craft = Craft(SimpleNamespace(send_layout=lambda: sent.append(craft._pointing)), '')
    craft.show_pointing()
    craft.show_pointing()
    assert sent == [True]
