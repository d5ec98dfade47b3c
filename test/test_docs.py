# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the documents say is true of the code."""

import re
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import yaml
from conftest import ROOT
from plain import plain
from processes import printed
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, HistoryPolicy, ReliabilityPolicy
from ros_helpers import ended_cleanly, process, wait_for

from spacecraft_attitude_sim import simulate
from spacecraft_attitude_sim.configuration import (
    formation,
    scenario,
)
from spacecraft_attitude_sim.drawing import response_report
from spacecraft_attitude_sim.nodes.simulator import contact
from spacecraft_attitude_sim.recording import history

PROGRAM = re.compile(r'```python\n(.*?)```', re.S)
SIGTERM = 'signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends it as Ctrl-C does\n'
# Nodes that hear sensors, of which many are best-effort; the estimator needs every reading.
FLIES = 'attitude_controller', 'attitude_guidance'
SPINS = 'with contextlib.suppress(KeyboardInterrupt):\n    rclpy.spin('


def message_name(message_type):
    """Return package/msg/Name of a message class."""
    return f'{message_type.__module__.split(".")[0]}/msg/{message_type.__name__}'


def check_quality(nodes, latched):
    """Check the quality of service of all publishers and subscriptions of nodes.

    latched: topics that a late subscriber hears, too
    """
    for node in nodes:
        ways = [(one, True) for one in node.publishers]
        ways += [(one, False) for one in node.subscriptions]
        for one, publishes in ways:
            topic, quality = one.topic_name.removeprefix('/in_orbit'), one.qos_profile
            sensed = not publishes and node.get_name() in FLIES and topic.startswith('/imu/')
            best = ReliabilityPolicy.BEST_EFFORT if sensed else ReliabilityPolicy.RELIABLE
            assert quality.reliability == best, topic
            kept = quality.durability == DurabilityPolicy.TRANSIENT_LOCAL
            assert kept == (topic in latched), topic
            if topic.startswith('/command/') and not publishes:
                assert quality.history == HistoryPolicy.KEEP_ALL, topic


def test_topic_table_is_what_a_run_publishes(ros):
    """Every topic of the table is published with its type and quality, and no other."""
    from spacecraft_attitude_sim.nodes.attitude_controller.node import AttitudeControllerNode
    from spacecraft_attitude_sim.nodes.attitude_estimator.node import AttitudeEstimatorNode
    from spacecraft_attitude_sim.nodes.attitude_guidance.node import AttitudeGuidanceNode
    from spacecraft_attitude_sim.nodes.markers.node import MarkersNode
    from spacecraft_attitude_sim.nodes.mission_modes.node import MissionModesNode

    text = (ROOT / 'docs' / 'topics.md').read_text()
    documented, latched = {}, {'/tf_static'}
    for names, kind, when in re.findall(r'^\| (`[^|]*`) \| (\w+/\w+) \|([^|]*)\|', text, re.M):
        for name in re.findall(r'`([^`]+)`', names):
            documented['/' + name.lstrip('/')] = kind.replace('/', '/msg/')
            if 'latched' in when and name != '/tf':
                latched.add('/' + name.lstrip('/'))
    heard = (
        '/command/impulse',
        '/command/wheels',
        '/command/gimbals',
        '/command/thrusters',
        '/command/dipole',
        '/reference/pose',
        '/reference/attitude',
        '/guidance/command',
        '/guidance/pose',
        '/mission/fault',
    )
    # What needs an orbit that says what is around: test_orbit_sensor_topics.py.
    orbital = ('/sun_sensor/', '/horizon_sensor/', '/gnss/')
    documented = {
        k: v
        for k, v in documented.items()
        if k not in heard and 'srv' not in v and not k.startswith(orbital)
    }
    given = [Parameter('place', value=True)]
    floor = ros.add(contact.offered(parameter_overrides=given))
    everything = {'magnetometer.enabled': True, 'star_tracker.enabled': True}
    nodes = [ros.simulator(everything, contact=lambda: floor), floor, ros.add(MarkersNode())]
    nodes.append(ros.add(AttitudeControllerNode({'mission': True})))
    biased = {'estimate_magnetometer_bias': True, 'magnetometer.bias': [100.0]}
    biased |= {'estimate_gyroscope_axes': True, 'imu.gyroscope.scale_factor': [100.0]}
    nodes.append(ros.add(AttitudeEstimatorNode({'magnetometer.enabled': True} | biased)))
    nodes.append(ros.add(AttitudeGuidanceNode()))
    nodes.append(ros.add(MissionModesNode({'modes': ['a'], 'mode.a.law': 'idle'})))
    in_orbit = {'wheels': ['z'], 'orbit.model': 'kepler', 'publish_clock': False}
    in_orbit |= {'magnetorquers': ['m'], 'magnetorquer.m.max_dipole': 1.0}
    in_orbit |= {'residual_dipole': [0.1, 0.0, 0.0], 'surfaces': ['s'], 'surface.s.area': 1.0}
    in_orbit |= {'flexible_modes': ['f'], 'slugs': ['k'], 'slug.k.inertia': 1e-6}
    in_orbit |= {'hysteresis_rods': ['h']}
    in_orbit |= {'faults': ['f'], 'fault.f.component': 'imu', 'fault.f.kind': 'silent'}
    in_orbit = plain(in_orbit)
    nodes.append(ros.simulator(in_orbit, namespace='/in_orbit'))
    shared = [{'followers': ['b']} | in_orbit, {'follow_clock': True} | in_orbit]
    nodes += [ros.simulator(one, namespace='/in_orbit', autostart=False) for one in shared]
    nodes[-2].driver.start()
    held = plain({'bearing.enabled': True, 'publish_clock': False})
    nodes.append(ros.simulator(held, namespace='/in_orbit', autostart=False))
    published = {
        publisher.topic_name.removeprefix('/in_orbit'): message_name(publisher.msg_type)
        for node in nodes
        for publisher in node.publishers
        if publisher.topic_name not in ('/rosout', '/parameter_events')
    }
    try:
        import tf2_ros  # noqa: F401
    except ImportError:
        documented.pop('/tf')
        documented.pop('/tf_static')
    assert published == documented
    check_quality(nodes, latched)


def test_example_in_the_scenario_page_is_a_scenario():
    text = (ROOT / 'docs' / 'scenarios.md').read_text()
    example, variant, controlled = re.findall(r'```yaml\n(.*?)```', text, re.S)
    section = '/**/simulator: {ros__parameters: {duration: 1.0}}\n'
    assert scenario.parse(section + controlled, 'docs').controller['bandwidth'] == 0.3
    found = scenario.parse(example, 'docs')
    assert found.plant.body.mass == pytest.approx(6.4)
    given = yaml.safe_load(variant)['body']
    scenario.build({f'body.{key}': value for key, value in given.items()}, 'docs')


@pytest.mark.parametrize(
    'page',
    [
        'actuators', 'contact', 'environment', 'formation', 'internal_parts', 'my_cubesat',
        'scenarios', 'sensors', 'spacecraft',
    ],
)  # fmt: skip
def test_the_first_example_of_a_page_is_a_file_that_runs(page, tmp_path):
    text = (ROOT / 'docs' / f'{page}.md').read_text()
    path = tmp_path / f'{page}.yaml'
    path.write_text(re.search(r'```yaml\n(.*?)```', text, re.S)[1])
    for member in formation.complete([path]):
        scenario.of_sections(member.sections, page)


def test_subscriber_of_the_readme_hears_the_simulation(command, domain, tmp_path):
    program, controller = PROGRAM.findall((ROOT / 'README.md').read_text())
    example = (ROOT / 'examples' / 'rate_damping.py').read_text()
    assert controller in example
    assert len([line for line in example.splitlines() if line.strip()]) <= 27
    assert len([line for line in program.splitlines() if line]) <= 14
    path, heard = tmp_path / 'listener.py', tmp_path / 'heard.txt'
    path.write_text(program)
    with (
        heard.open('w') as file,
        process(command, 'run', 'tennis_racket', '--duration', '0'),
        process(sys.executable, '-u', path, stdout=file) as listener,
    ):
        wait_for(lambda: heard.read_text().count('rad/s') > 10)
        assert ended_cleanly(listener, signal.SIGINT)
    assert re.search(r'\d s +-?\d\.\d{4} +-?\d\.\d{4} +-?\d\.\d{4} rad/s', heard.read_text())


def test_every_program_that_a_reader_copies_ends_cleanly():
    """By the lines with which those do that the tests beside this one end."""
    pages = [ROOT / 'README.md', *(ROOT / 'docs').glob('*.md')]
    programs = {page.name: '\n'.join(PROGRAM.findall(page.read_text())) for page in pages}
    programs |= {path.name: path.read_text() for path in (ROOT / 'examples').glob('*.py')}
    spinning = {name: text for name, text in programs.items() if 'rclpy.spin(' in text}
    for name, text in spinning.items():
        assert SPINS in text or textwrap.indent(SPINS, '    ') in text
        assert name == 'README.md' or SIGTERM in text
    assert sorted(spinning) == [
        'README.md', 'beat_it.md', 'controllers.md', 'flight_software.md', 'fly_pointing.py',
        'gyro_and_stars.py', 'my_controller.md', 'px4_bridge.py', 'rate_damping.py',
    ]  # fmt: skip


def test_controller_of_the_page_closes_the_loop(command, domain, tmp_path):
    """The twenty lines, started as the page says, answer a run in lockstep."""
    page = (ROOT / 'docs' / 'controllers.md').read_text()
    (program,) = PROGRAM.findall(page)
    assert len([line for line in program.splitlines() if line.strip()]) <= 20
    path, bag = tmp_path / 'mine.py', tmp_path / 'bag'
    path.write_text(program)
    with process(sys.executable, str(path)):
        given = ('--no-controller', '--no-markers', '--rate', 0, '--duration', 5)
        printed(command, 'run', 'cubesat_detumble', *given, '--record', bag)
    table, _ = history.read(bag)
    rates = np.linalg.norm(table.angular_velocity_B, axis=1)
    assert rates[-1] < 0.8 * rates[0]
    assert response_report.of_history(table).torques_B.any()


def test_my_controller_points_and_plot_knows_its_error(command, domain, tmp_path):
    """The law of the page, flown as it says, brings 120 degrees below one; there the run ends."""
    (program,) = PROGRAM.findall((ROOT / 'docs' / 'my_controller.md').read_text())
    path, bag = tmp_path / 'my_controller.py', tmp_path / 'mine'
    path.write_text(program)
    with process(sys.executable, str(path)) as controller:
        done = subprocess.run(
            [command, 'run', 'cubesat_pointing', '--no-controller', '--no-markers', '--rate', '0']
            + ['--until', 'error < 1', '--record', str(bag)],
            capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        assert ended_cleanly(controller, signal.SIGTERM)
    assert done.returncode == 0, done.stderr
    found = response_report.of_history(history.read(bag)[0])
    errors = np.degrees(np.linalg.norm(found.errors, axis=1))
    assert errors[0] == pytest.approx(120.0, abs=0.1)
    assert errors[-1] < 1.0 <= errors[:-1].min()


def test_python_of_the_page_runs_without_ros(tmp_path):
    page = (ROOT / 'docs' / 'python.md').read_text()
    *programs, _ = PROGRAM.findall(page)
    assert len(programs) == 11
    hidden = 'import sys\nsys.modules["rclpy"] = None\n'
    done = subprocess.run(
        [sys.executable, '-c', hidden + '\n\n'.join(programs)],
        capture_output=True, text=True, timeout=600, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].endswith('321 instants, 0 to 10 s>')
    flips = simulate('tennis_racket', 10.0).flips()
    assert np.array(lines[1].strip('[]').split(), dtype=float) == pytest.approx(flips, rel=1e-6)
    assert (tmp_path / 'output' / 'racket.png').exists()
    # Both controllers do what they are for: rates at the start and end, errors likewise.
    (rates, errors) = (
        np.array(line.strip('[]').split(), dtype=float)
        for line in lines if re.fullmatch(r'\[\S+ +\S+ ?\]', line)
    )  # fmt: skip
    assert rates[1] < 0.2 * rates[0]
    assert errors[0] == pytest.approx(120.0, abs=1e-3)
    assert errors[1] < 2.0
    phase = float(re.search(r'^(\S+) True$', done.stdout, re.M)[1])
    assert phase == pytest.approx(62.9, abs=1.0)  # 69.4 deg less 0.2 s at 0.51 rad/s
    worst = float(re.search(r'^rate_after_20_s +(\S+)$', done.stdout, re.M)[1])
    assert 0.0 < worst < 0.3
    assert lines[-1] == 'True'  # a law in Python and the same compiled


def test_python_of_the_page_sets_a_parameter(ros, tmp_path):
    page = (ROOT / 'docs' / 'python.md').read_text()
    *_, program = PROGRAM.findall(page)
    path = tmp_path / 'set_parameter.py'
    path.write_text(program)
    simulator = ros.simulator()
    for value, said in (('7', 'set'), ('-7', 'Parameter substeps out of range')):
        with process(sys.executable, str(path), '/simulator', 'substeps', value) as child:
            ros.until(lambda: child.poll() is not None)  # noqa: B023
            assert child.stdout.read().startswith(said)
    assert simulator.value('substeps') == 7


# Written for readers of a second language: no line of prose is longer than this.
WIDEST = 130
WRITTEN_ANEW = (
    'accuracy', 'actuators', 'control', 'controllers', 'environment', 'from_basilisk',
    'flight_software', 'fmi', 'from_gazebo', 'glossary', 'how_to', 'in_class',
    'internal_parts', 'learning',
    'my_controller', 'my_cubesat', 'my_estimator', 'pointing', 'px4', 'python', 'sensors',
    'spacecraft', 'start', 'ten_minutes', 'verification',
)  # fmt: skip


@pytest.mark.parametrize('page', WRITTEN_ANEW)
def test_prose_is_narrow_enough_to_read(page):
    text = (ROOT / 'docs' / f'{page}.md').read_text()
    prose = [line for line in text.splitlines() if not line.startswith('|')]
    assert [line for line in prose if len(line) > WIDEST] == []


def test_every_word_of_the_glossary_says_where_it_is_used():
    text = (ROOT / 'docs' / 'glossary.md').read_text()
    words = re.findall(r'^- \*\*(.+?)\*\*(.*?)(?=\n- |\n\n|\Z)', text, re.S | re.M)
    assert 40 <= len(words) <= 60
    assert [word for word, said in words if not re.search(r'\]\(\w+\.md[^)]*\)', said)] == []


def test_pictures_are_small_enough_for_a_page():
    for path in (ROOT / 'docs' / 'images').glob('*.png'):
        assert path.stat().st_size <= 200_000, path.name


def test_the_gallery_has_every_scenario_in_one_group(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / 'docs')
    import make_gallery

    grouped = [name for names in make_gallery.GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(SHIPPED)
    headings = re.findall(r'^##+ (.*)$', (ROOT / 'docs' / 'gallery.md').read_text(), re.M)
    groups = make_gallery.GROUPS.items()
    assert headings == [text for title, names in groups for text in (title, *names)]


SHIPPED = scenario.shipped() | scenario.shipped_formations()


@pytest.mark.parametrize('name', SHIPPED)
def test_every_scenario_is_in_the_gallery_with_a_small_picture(name):
    """`make pictures` makes page and pictures."""
    text = (ROOT / 'docs' / 'gallery.md').read_text()
    first = formation.members([SHIPPED[name]])[0]
    assert f'\n{first.sections["simulator"]["description"]}.\n' in text
    assert f'    attitude-sim run {name}\n' in text
    assert f'(images/gallery/{name}.gif)' in text
    assert (ROOT / 'docs' / 'images' / 'gallery' / f'{name}.gif').stat().st_size <= 300_000
