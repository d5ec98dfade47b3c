# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the documents say is true of the code."""

import re
import subprocess
import sys

import numpy as np
import pytest
import yaml
from conftest import ROOT
from rclpy.parameter import Parameter
from ros_helpers import process, wait_for

from spacecraft_attitude_sim.configuration import (
    actuators,
    attitude_controller,
    contact_parameters,
    earth_parameters,
    formation,
    internal_parts,
    parameters,
    scenario,
    sensors,
)
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.drawing import response_report
from spacecraft_attitude_sim.nodes.markers import node as markers
from spacecraft_attitude_sim.nodes.recorder import node as recorder
from spacecraft_attitude_sim.nodes.simulator import contact
from spacecraft_attitude_sim.recording import history

TABLES = {
    'simulator': parameters.SIMULATOR,
    'parts.<name>': parameters.PART,
    'application.<name>': parameters.APPLICATION_FRAME,
    **{
        f'{prefix}.<name>': fields
        for _, prefix, fields in (*actuators.NAMED, *internal_parts.NAMED, *sensors.NAMED)
    },
    'surface.<name>': earth_parameters.SURFACE,
    'contact': contact_parameters.CONTACT,
    'attitude_controller': attitude_controller.PARAMETERS,
    'markers': markers.PARAMETERS,
    'recorder': recorder.PARAMETERS,
}


def parameter_table(catalogue):
    """Return the table of a catalogue as Markdown."""
    titles = ('parameter', 'default', 'unit', 'range', 'may change', 'meaning')
    rows = [f'| {" | ".join(titles)} |', '|---' * len(titles) + '|']
    for p in catalogue:
        valid = f'{p.low:g} … {p.high:g}' if p.kind in (float, int) else ', '.join(p.choices)
        rows.append(
            f'| `{p.name}` | `{p.default}` | {p.unit or "–"} | {valid or "–"} '
            f'| {"no" if p.read_only else "yes"} | {p.description} |'
        )
    return '\n'.join(rows)


@pytest.mark.parametrize('node', TABLES)
def test_parameter_table_is_the_catalogue(node):
    text = (ROOT / 'docs' / 'parameters.md').read_text()
    assert parameter_table(TABLES[node]) in text


def message_name(message_type):
    """Return package/msg/Name of a message class."""
    return f'{message_type.__module__.split(".")[0]}/msg/{message_type.__name__}'


def test_topic_table_is_what_a_run_publishes(ros):
    """Every topic of the table is published with its type, and no other."""
    from spacecraft_attitude_sim.nodes.attitude_controller.node import AttitudeControllerNode
    from spacecraft_attitude_sim.nodes.markers.node import MarkersNode

    text = (ROOT / 'docs' / 'topics.md').read_text()
    documented = {}
    for names, kind in re.findall(r'^\| (`[^|]*`) \| (\w+/\w+) \|', text, re.M):
        for name in re.findall(r'`([^`]+)`', names):
            documented['/' + name.lstrip('/')] = kind.replace('/', '/msg/')
    heard = (
        '/command/impulse',
        '/command/wheels',
        '/command/gimbals',
        '/command/thrusters',
        '/command/dipole',
        '/reference/pose',
        '/reference/attitude',
        '/reference/odometry',
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
    nodes = [ros.simulator(everything, contact=floor), floor, ros.add(MarkersNode())]
    nodes.append(ros.add(AttitudeControllerNode()))
    in_orbit = {'wheels': ['z'], 'orbit.model': 'kepler', 'publish_clock': False}
    in_orbit |= {'magnetorquers': ['m'], 'magnetorquer.m.max_dipole': 1.0}
    in_orbit |= {'residual_dipole': [0.1, 0.0, 0.0], 'surfaces': ['s'], 'surface.s.area': 1.0}
    in_orbit |= {'flexible_modes': ['f'], 'slugs': ['k'], 'slug.k.inertia': 1e-6}
    in_orbit |= {'hysteresis_rods': ['h']}
    nodes.append(ros.simulator(in_orbit, namespace='/in_orbit'))
    shared = [{'followers': ['b']} | in_orbit, {'follow_clock': True} | in_orbit]
    nodes += [ros.simulator(one, namespace='/in_orbit', autostart=False) for one in shared]
    nodes[-2].start()
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


def test_example_in_the_scenario_page_is_a_scenario():
    text = (ROOT / 'docs' / 'scenarios.md').read_text()
    example, variant, controlled = re.findall(r'```yaml\n(.*?)```', text, re.S)
    section = '/**/simulator: {ros__parameters: {duration: 1.0}}\n'
    assert scenario.parse(section + controlled, 'docs').controller['bandwidth'] == 0.3
    found = scenario.parse(example, 'docs')
    assert found.plant.body.mass == pytest.approx(6.4)
    given = yaml.safe_load(variant)['body']
    scenario.build({f'body.{key}': value for key, value in given.items()}, 'docs')


def test_subscriber_of_the_readme_hears_the_simulation(command, domain, tmp_path):
    program, controller = re.findall(
        r'```python\n(.*?)```', (ROOT / 'README.md').read_text(), re.S
    )
    example = (ROOT / 'examples' / 'rate_damping.py').read_text()
    assert controller in example
    assert len([line for line in example.splitlines() if line.strip()]) <= 25
    assert len([line for line in program.splitlines() if line]) <= 12
    path, heard = tmp_path / 'listener.py', tmp_path / 'heard.txt'
    path.write_text(program)
    with heard.open('w') as file, process(command, 'run', 'tennis_racket', '--duration', '0'):
        listener = subprocess.Popen([sys.executable, '-u', path], stdout=file)
        try:
            wait_for(lambda: heard.read_text().count('rad/s') > 10)
        finally:
            listener.kill()
            listener.wait()
    assert re.search(r'\d s +-?\d\.\d{4} +-?\d\.\d{4} +-?\d\.\d{4} rad/s', heard.read_text())


def test_controller_of_the_page_closes_the_loop(command, domain, tmp_path):
    """The ten lines, started as the page says, answer a run in lockstep."""
    page = (ROOT / 'docs' / 'controllers.md').read_text()
    (program,) = re.findall(r'```python\n(.*?)```', page, re.S)
    assert len([line for line in program.splitlines() if line.strip()]) <= 20
    path, bag = tmp_path / 'mine.py', tmp_path / 'bag'
    path.write_text(program)
    with process(sys.executable, str(path)):
        done = subprocess.run(
            [command, 'run', 'cubesat_detumble', '--no-controller', '--no-markers', '--rate', '0']
            + ['--duration', '5', '--record', str(bag)],
            capture_output=True, text=True, timeout=600,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    table, _ = history.read(bag)
    rates = np.linalg.norm(table.angular_velocity_B, axis=1)
    assert rates[-1] < 0.8 * rates[0]
    assert response_report.of_history(table).torques_B.any()


def test_python_of_the_page_runs_without_ros(tmp_path):
    page = (ROOT / 'docs' / 'python.md').read_text()
    program, _ = re.findall(r'```python\n(.*?)```', page, re.S)
    hidden = 'import sys\nsys.modules["rclpy"] = None\n'
    done = subprocess.run(
        [sys.executable, '-c', hidden + program], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    found = scenario.load(scenario.find('tennis_racket'))
    (row,) = simulation.trajectory(found.plant, found.initial, 320)[-1:]
    named = dict(zip(history.STATE_COLUMNS, row, strict=True))
    assert float(done.stdout.split()[-1].strip('()').removeprefix('np.float64(')) == named['q_w']
    quaternion = [named[f'q_{letter}'] for letter in 'wxyz']
    assert np.linalg.norm(quaternion) == pytest.approx(1.0, abs=1e-14)
    momentum = [named[f'L_{letter} [N m s]'] for letter in 'xyz']
    assert np.array_equal(momentum, found.initial.angular_momentum_W)  # conserved to the bit


def test_python_of_the_page_sets_a_parameter(ros, tmp_path):
    page = (ROOT / 'docs' / 'python.md').read_text()
    _, program = re.findall(r'```python\n(.*?)```', page, re.S)
    path = tmp_path / 'set_parameter.py'
    path.write_text(program)
    simulator = ros.simulator()
    for value, said in (('7', 'set'), ('-7', 'Parameter substeps out of range')):
        with process(sys.executable, str(path), '/simulator', 'substeps', value) as child:
            ros.until(lambda: child.poll() is not None, patience=40)  # noqa: B023
            assert child.stdout.read().startswith(said)
    assert simulator.value('substeps') == 7


def test_links_and_pictures_exist():
    for path in (ROOT / 'README.md', *(ROOT / 'docs').glob('*.md')):
        for target in re.findall(r'\]\(([^)#]+)\)', path.read_text()):
            assert (path.parent / target).exists(), f'{path.name}: {target}'


def test_pictures_are_small_enough_for_a_page():
    for path in (ROOT / 'docs' / 'images').glob('*.png'):
        assert path.stat().st_size <= 200_000, path.name


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
