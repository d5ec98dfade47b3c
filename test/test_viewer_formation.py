# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The viewer shows several spacecraft in one scene, each where and as it was recorded."""

import os
import signal
import socket

import numpy as np
import pytest
from bags import STORE, contents
from conftest import new_domain
from nav_msgs.msg import Odometry
from processes import printed, run
from ros_helpers import PATIENCE, process, wait_for, wait_until_idle
from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from test_viewer import columns, free_port, save

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import ticks
from spacecraft_attitude_sim.drawing import colors
from spacecraft_attitude_sim.recording import history

rerun = pytest.importorskip('rerun', reason="the viewer's extra is not installed: pip '.[view]'")
import rerun.blueprint as rrb  # noqa: E402
from rerun.chunk import RrdReader  # noqa: E402

from spacecraft_attitude_sim.viewer import layout  # noqa: E402
from spacecraft_attitude_sim.viewer.live import LOOK_AROUND, LiveView  # noqa: E402
from spacecraft_attitude_sim.viewer.rerun_session import RerunSession, samples_of  # noqa: E402

NAMES = ('chief', 'deputy_1', 'deputy_2')
REST = (np.zeros(3), (1.0, 0.0, 0.0, 0.0), np.zeros(3), np.zeros(3))


@pytest.fixture(scope='module')
def flown(command, tmp_path_factory):
    """The bag of two seconds of the shipped formation."""
    folder = tmp_path_factory.mktemp('flown') / 'bag'
    printed(command, 'run', 'formation', '--rate', 0, '--duration', 2, '--record', folder)
    return folder


@pytest.fixture(scope='module')
def shown(flown):
    """What `view` saves of it."""
    path = flown.parent / 'all.rrd'
    save(flown, path)
    return path


def fixed(path, entity):
    """Return {component: value} of what an entity has for all time."""
    found = {}
    for chunk in RrdReader(path).stream().to_chunks():
        if chunk.entity_path == entity and chunk.is_static:
            table = chunk.to_record_batch()
            for name, column in zip(table.schema.names, table.columns, strict=True):
                if ':' in name:
                    found[name] = column.to_pylist()[-1]
    return found


def entities(path):
    """Return the paths of everything in a recording but what it says of itself."""
    every = {str(chunk.entity_path) for chunk in RrdReader(path).stream().to_chunks()}
    return {name for name in every if not name.startswith('/__')}


def positions(bag, name):
    """Return where a spacecraft was at each instant (n, 3) [m]."""
    topic = f'/{name}/ground_truth/odometry'
    with Reader(bag) as reader:
        chosen = [c for c in reader.connections if c.topic == topic]
        read = (STORE.deserialize_cdr(data, c.msgtype) for c, _, data in reader.messages(chosen))
        places = [message.pose.pose.position for message in read]
    return np.array([(place.x, place.y, place.z) for place in places])


def assert_is(path, bag, name, under):
    """Fail unless the entities under a path show one spacecraft of a bag."""
    table, _ = history.read(bag, name)
    drawn = np.array(columns(path, f'{under}/world/craft/body')['Transform3D:quaternion'])[:, 0]
    assert np.allclose(np.roll(drawn, 1, axis=1), table.q_WB(), atol=1e-6)  # single precision
    places = np.array(columns(path, f'{under}/world/craft')['Transform3D:translation'])[:, 0]
    assert np.allclose(places, positions(bag, name), atol=1e-6)
    rates = np.array(columns(path, f'{under}/plots/rates')['Scalars:scalars'])
    assert np.allclose(rates, table.angular_velocity_B, rtol=0, atol=1e-15)


def test_each_is_drawn_where_it_was_and_as_it_turned(flown, shown):
    for name in NAMES:
        assert_is(shown, flown, name, f'/{name}')
    starts = [positions(flown, name)[0] for name in NAMES]
    assert np.allclose(starts, ((0, 0, 0), (1, 0, 0), (-1, 0, 0)))  # so that no two are alike


def test_all_have_the_entities_of_one_alone_under_their_names(flown, shown, command, tmp_path):
    path = tmp_path / 'one.rrd'
    chosen = ('--namespace', '/deputy_1/')
    printed(command, 'view', flown, *chosen, '--save', path)
    assert_is(path, flown, 'deputy_1', '')
    alone = entities(path)
    assert '/world/craft/body/shape' in alone
    more = {'/plots/rate', '/world/craft/name'}
    assert entities(shown) == {f'/{name}{one}' for name in NAMES for one in alone | more}


def test_each_has_its_name_and_its_colour_wherever_it_is_among_others(flown, shown):
    given = []
    for name, color in zip(NAMES, colors.SPACECRAFT, strict=False):
        rgba = int(color[1:] + 'ff', 16)
        label = fixed(shown, f'/{name}/world/craft/name')
        assert (label['Points3D:labels'], label['Points3D:colors']) == ([name], [rgba])
        for plot in ('rate', 'pointing_error'):
            curve = fixed(shown, f'/{name}/plots/{plot}')
            assert (curve['SeriesLines:names'], curve['SeriesLines:colors']) == ([name], [rgba])
        table, _ = history.read(flown, name)
        rate = np.array(columns(shown, f'/{name}/plots/rate')['Scalars:scalars'])[:, 0]
        assert np.allclose(rate, np.linalg.norm(table.angular_velocity_B, axis=1), atol=1e-15)
        given.append(rgba)
    assert len(set(given)) == len(NAMES)


def test_two_of_three_can_be_chosen(flown, tmp_path):
    path = tmp_path / 'two.rrd'
    save(flown, path, 'deputy_2', 'chief')
    assert {name.split('/')[1] for name in entities(path)} == {'chief', 'deputy_2'}
    for name in ('chief', 'deputy_2'):
        assert_is(path, flown, name, f'/{name}')


@pytest.mark.parametrize(
    ('namespace', 'said'),
    [
        ('/deputy', 'holds no spacecraft in /deputy; it has /chief, /deputy_1, /deputy_2'),
        ('a b', "--namespace 'a b' is none of ROS"),
    ],
)
def test_a_namespace_that_is_not_there_is_one_clear_line(flown, command, namespace, said):
    done = run(command, 'view', flown, '--namespace', namespace, '--save', '/dev/null')
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_one_whose_scenario_is_missing_is_left_out_and_named(flown, command, tmp_path):
    bag, path = tmp_path / 'bag', tmp_path / 'two.rrd'
    with Reader(flown) as reader, Writer(bag, version=9, storage_plugin=StoragePlugin.MCAP) as new:
        kept = [c for c in reader.connections if c.topic != '/deputy_1/scenario']
        made = {c.id: new.add_connection(c.topic, c.msgtype, typestore=STORE) for c in kept}
        for connection, stamp, data in reader.messages(kept):
            new.write(made[connection.id], stamp, data)
    done = run(command, 'view', bag, '--save', path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count('holds no instant of /deputy_1/ with its scenario') == 1
    assert {name.split('/')[1] for name in entities(path)} == {'chief', 'deputy_2'}


# --- the page ------------------------------------------------------------------------------------


def look(name, place, pointing=False):
    """Return the Look of a spacecraft; None for the name of one alone."""
    from spacecraft_attitude_sim.viewer.entity_log import Badge

    badge = name and Badge(name, f'/{name}', (0, 0, 0))
    axis = np.array((0.0, 0.0, 1.0))
    return layout.Look(
        badge, 0.1, np.array(place), axis, axis, np.array((1, 2, 3)), pointing, True
    )


def views(part):
    """Yield the views of a part of the page."""
    if isinstance(part, rrb.Container):
        for one in part.contents:
            yield from views(one)
    else:
        yield part


def test_the_page_has_a_tab_of_all_and_one_of_each():
    looks = [look('a', (7e6, 0.0, 0.0)), look('b', (7e6, 4.0, 0.0), pointing=True)]
    tabs = layout.blueprint(looks, live=True).root_container
    assert isinstance(tabs, rrb.Tabs)
    together, *pages = tabs.contents
    assert [one.name for one in tabs.contents] == ['All', 'a', 'b']
    everyone, error, rate = views(together)
    assert everyone.contents == ['/a/world/**', '/b/world/**']
    assert error.contents == ['/b/plots/pointing_error']
    assert rate.contents == ['/a/plots/rate', '/b/plots/rate']
    for name, page in zip('ab', pages, strict=True):
        assert {view.origin.split('/')[1] for view in views(page)} == {name}
    # The camera moves along with the first, and looks at the middle of all.
    eye = everyone.properties['EyeControls3D']
    assert everyone.origin == '/a/world/craft'
    assert eye.look_target.pa_array.to_pylist() == [[0.0, 2.0, 0.0]]
    distance = np.linalg.norm(np.subtract(eye.position.pa_array.to_pylist()[0], (0.0, 2.0, 0.0)))
    assert 5.0 < distance < 10.0


def test_one_alone_has_no_tabs():
    page = layout.blueprint([look(None, (0.0, 0.0, 0.0))], live=True).root_container
    assert isinstance(page, rrb.Horizontal)
    assert next(views(page)).origin == 'world/craft'


# --- live ----------------------------------------------------------------------------------------


def begun(session, name, tick=0):
    """Return the Craft of a body at rest, shown from a tick on."""
    craft = session.craft(name)
    craft.begin(scenario.build({}, 'rest'))
    add(craft, tick)
    return craft


def add(craft, tick):
    stamp = ticks.DEFAULT.stamp(tick)
    craft.add(samples_of([(stamp, stamp, *REST)]))


def test_a_second_spacecraft_gives_each_its_paths_in_a_new_recording(tmp_path):
    session = RerunSession(live=True, save=tmp_path / 'run.rrd')
    one = begun(session, '')
    first = one.scene.badge, session._recording
    other = begun(session, '/b', tick=40)
    add(one, 41)
    third = begun(session, 'c/d', tick=42)
    recording = session._recording
    session.close()
    assert first[0] is None
    assert first[1] is not recording
    assert [craft.scene is None for craft in (one, other, third)] == [True] * 3  # closed
    found = {name.partition('/world')[0] for name in entities(tmp_path / 'run.rrd')}
    assert {'', '/b', '/c/d'} <= found
    assert len(columns(tmp_path / 'run.rrd', '/b/world/craft')['time']) == 1


def test_tabs_and_colours_are_in_the_order_of_names_whoever_comes_first(tmp_path, monkeypatch):
    laid_out = []

    def blueprint(looks, live):
        laid_out.append([look.badge for look in looks])
        return original(looks, live)

    original = layout.blueprint
    monkeypatch.setattr(layout, 'blueprint', blueprint)
    session = RerunSession(live=True, save=tmp_path / 'run.rrd')
    session.expect(['/c', 'a', 'b'])
    for name in 'cba':
        begun(session, name)
    session.close()
    assert [[one.name for one in badges] for badges in laid_out] == [
        ['c'],
        ['b', 'c'],
        ['a', 'b', 'c'],
    ]
    given = [tuple(bytes.fromhex(color[1:])) for color in colors.SPACECRAFT[:3]]
    assert [one.color for one in laid_out[-1]] == given


def test_the_same_instant_again_is_a_new_run(tmp_path):
    """As where a run that stands at its start is reset."""
    session = RerunSession(live=True, save=tmp_path / 'run.rrd')
    one = begun(session, '')
    recordings = [session._recording]
    for tick in (1, 1):
        add(one, tick)
        recordings.append(session._recording)
    session.close()
    assert [other is recordings[0] for other in recordings] == [True, True, False]


def test_whoever_begins_again_starts_a_new_recording_of_all(tmp_path):
    session = RerunSession(live=True, save=tmp_path / 'run.rrd')
    session.expect(['b', 'a'])
    one, other = begun(session, 'a', tick=5), begun(session, 'b', tick=5)
    before = session._recording
    add(one, 6)
    assert session._recording is before
    add(one, 0)
    add(other, 0)
    add(other, 1)
    assert session._recording is not before
    session.close()
    path = tmp_path / 'run.rrd'
    assert [len(columns(path, f'/{name}/world/craft')['time']) for name in 'ab'] == [1, 2]


def test_the_graphs_spacecraft_are_found_those_with_hidden_names_too(ros, tmp_path):
    session = RerunSession(live=True, save=tmp_path / 'run.rrd')
    view = ros.add(LiveView(session))
    rates = {'a': [0.1, 0.0, 0.0], 'fleet/b': [0.0, 0.2, 0.0], '_hidden': [0.0, 0.0, 0.3]}
    for name, rate in rates.items():
        given = {'initial.angular_velocity': rate, 'publish_clock': name == 'a'}
        ros.simulator(given, namespace=name)
    ros.until(lambda: sum(bool(craft.scene) for craft in session._crafts) == 3)
    view.finish()
    session.close()
    path = tmp_path / 'run.rrd'
    for name, rate in rates.items():
        seen = columns(path, f'/{name}/plots/rates')['Scalars:scalars']
        assert np.allclose(seen, rate)


def test_of_the_namespaces_that_are_given_no_other_is_watched(ros, tmp_path):
    session = RerunSession(live=True, save=tmp_path / 'run.rrd')
    ros.simulator(namespace='a')
    ros.simulator({'publish_clock': False}, namespace='b')
    view = ros.add(LiveView(session, ['b']))
    ros.until(lambda: session._crafts and session._crafts[0].scene)
    heard = {subscription.topic_name.split('/')[1] for subscription in view.subscriptions}
    assert heard == {'b'}
    assert len(list(view.timers)) == 1  # it does not look for others
    session.close()
    assert '/world/craft' in entities(tmp_path / 'run.rrd')


def test_a_formation_is_watched_live_and_does_not_notice(flown, command, tmp_path):
    """Each of the instants that the page was given is the one of that spacecraft in the bag."""
    bag, path = tmp_path / 'bag', tmp_path / 'live.rrd'
    environment = dict(os.environ, ROS_DOMAIN_ID=new_domain())
    with process(command, 'view', '--save', path, env=environment) as viewer:
        assert 'recording to' in viewer.stdout.readline()
        arguments = ['formation', '--duration', '2', '--record', bag, '--view', '--no-browser']
        arguments += ['--port', free_port(), '--rate', '0.4']  # slowly: the viewer is niced
        with process(command, 'run', *arguments, env=environment) as run:
            said = run.stdout.readline()
            while 'the page stays open' not in said:
                said = run.stdout.readline()
                assert said, run.communicate()
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=PATIENCE)
            assert run.returncode == 0
        wait_until_idle(viewer)  # on a busy machine it is late, with the lowest claim
        viewer.send_signal(signal.SIGINT)
        _, errors = viewer.communicate(timeout=PATIENCE)
        assert viewer.returncode == 0, errors
    of_one, of_other = contents(bag), contents(flown)
    assert {t: m for t, m in of_one.items() if not t.endswith('/scenario')} == {
        t: m for t, m in of_other.items() if not t.endswith('/scenario')
    }
    for name in NAMES:
        seen = columns(path, f'/{name}/world/craft')
        at = [one.total_seconds() / ticks.TICK_SECONDS for one in seen['time']]
        assert len(at) > 16  # of 65: it watches with the lowest claim on the processor
        places = np.array(seen['Transform3D:translation'])[:, 0]
        recorded = positions(bag, name)[np.round(at).astype(int)]
        assert np.allclose(places, recorded, atol=1e-6)


def test_run_shows_its_own_spacecraft_and_no_others(command, ros):
    """Of a run beside another, in a domain that both are in."""
    ros.simulator(namespace='stranger')
    port = free_port()
    arguments = ['formation', '--duration', '60', '--view', '--no-browser', '--port', port]
    arguments += ['-p', 'publish_clock:=false']
    with process(command, 'run', *arguments) as run:
        assert 'in a browser' in run.stdout.readline()

        def watched():
            names = ros.node.get_node_names_and_namespaces()
            if ('view', '/') not in names:
                return set()
            found = ros.node.get_subscriber_names_and_types_by_node('view', '/')
            return {topic for topic, _ in found if topic.endswith('/odometry')}

        expected = {f'/{name}/ground_truth/odometry' for name in NAMES}
        ros.until(lambda: watched() == expected)
        heard = ros.listen(Odometry, '/chief/ground_truth/odometry')
        # A viewer of every spacecraft would have looked for others four times meanwhile.
        ros.until(lambda: len(heard) > 4 * LOOK_AROUND / ticks.TICK_SECONDS)
        assert watched() == expected
        run.send_signal(signal.SIGKILL)
        run.communicate(timeout=PATIENCE)
    with socket.socket() as probe:  # the viewer ends with the run, however that ends
        wait_for(lambda: probe.connect_ex(('127.0.0.1', int(port))) != 0)
