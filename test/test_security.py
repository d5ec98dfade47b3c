# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The SROS2 policy that is shipped allows what each node really does, and no more."""

import ast
import fnmatch
import re
import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

import pytest
from conftest import ROOT
from plain import plain
from visualization_msgs.msg import MarkerArray

from spacecraft_attitude_sim.nodes.attitude_controller.node import AttitudeControllerNode
from spacecraft_attitude_sim.nodes.attitude_estimator.node import AttitudeEstimatorNode
from spacecraft_attitude_sim.nodes.attitude_guidance.node import AttitudeGuidanceNode
from spacecraft_attitude_sim.nodes.markers.node import MarkersNode
from spacecraft_attitude_sim.nodes.mission_modes.node import MissionModesNode
from spacecraft_attitude_sim.nodes.recorder.node import RecorderNode
from spacecraft_attitude_sim.nodes.simulator import contact
from spacecraft_attitude_sim.nodes.simulator.managed import ManagedSimulatorNode
from spacecraft_attitude_sim.recording import topics
from spacecraft_attitude_sim.recording.topics import SHARED_CLOCK

POLICY = ElementTree.parse(ROOT / 'config' / 'security' / 'attitude_sim.policy.xml').getroot()
# Needs a package that wheels do not have, or simulated time.
ORBITING = '/in_orbit'
DRIVING = '/driving'
MANAGED = '/managed'
ELSEWHERE = {'/tf', '/tf_static', '/clock'}
# Torques of thrusters that turn a body about all axes [N m].
PAIRS = {
    f'{axis}{"up" if sign > 0 else "down"}': [float(sign * (axis == other)) for other in 'xyz']
    for axis in 'xyz'
    for sign in (1, -1)
}
# What a controller is told of what it drives.
JETS = {f'thruster.{name}.torque': torque for name, torque in PAIRS.items()}
JETS |= {f'thruster.{name}.max_force': 1.0 for name in PAIRS}
WHEELS = {
    f'wheel.{k}.{field}': value
    for k, axis in zip('xyz', ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]), strict=True)
    for field, value in (('axis', axis), ('inertia', 1e-5), ('max_torque', 1e-3))
}
WHEEL = {'wheel.w.axis': [0.0, 0.0, 1.0], 'wheel.w.inertia': 1e-5}
DRIVEN = {'dipole_limit': [1.0] * 3, 'guided': True, 'mission': True}
GYRO = {
    'gimbal.g.axis': [0.0, 0.0, 1.0], 'gimbal.g.spin_axis': [1.0, 0.0, 0.0],
    'gimbal.g.rotor_inertia': 1e-4, 'gimbal.g.rotor_speed': 1.0,
}  # fmt: skip
# Need an orbit that says what is around; sun_sensor/ is followed by names that a user gives.
ORBITAL = {f'/{topic}' for topic in topics.TICK if topic.startswith(('horizon_sensor/', 'gnss/'))}
ELSEWHERE |= ORBITAL | {'/sun_sensor/*'}
# What a controller hears in the place of imu/data.
ELSEWHERE |= {'/estimate/attitude'}


class Rules(NamedTuple):
    """Names that a node may publish, subscribe to and offer as services."""

    publish: set
    subscribe: set
    reply: set


def rules(profile):
    node = profile.get('node')
    allowed = Rules(set(), set(), set())
    for group in profile:
        (action,) = group.attrib
        assert group.get(action) == 'ALLOW'
        for name in (element.text for element in group):
            whole = name.replace('~/', f'/{node}/') if name[0] == '~' else f'/{name.lstrip("/")}'
            getattr(allowed, action).add(whole)
    return allowed


def enclaves():
    """Return {path: {node: Rules}}."""
    return {
        enclave.get('path'): {p.get('node'): rules(p) for p in enclave.iter('profile')}
        for enclave in POLICY.iter('enclave')
    }


def of_graph(ros, node, namespace='/'):
    """Return the Rules that the ROS graph shows of a node."""
    found, observer, name = Rules(set(), set(), set()), ros.node, node.get_name()
    found.publish.update(
        t for t, _ in observer.get_publisher_names_and_types_by_node(name, namespace)
    )
    found.subscribe.update(
        t for t, _ in observer.get_subscriber_names_and_types_by_node(name, namespace)
    )
    found.reply.update(t for t, _ in observer.get_service_names_and_types_by_node(name, namespace))
    assert not observer.get_client_names_and_types_by_node(name, namespace)
    return found


def standard_services():
    """Return the names in the source of what only a ROS installation offers."""
    tree = ast.parse(
        (ROOT / 'src/spacecraft_attitude_sim/nodes/simulator/standard_services.py').read_text()
    )
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = [
        call.args[1].value
        for call in calls
        if getattr(call.func, 'attr', '') in ('_offer', 'create_service')
        and isinstance(call.args[1], ast.Constant)
    ]
    assert len(names) == 8
    return {f'/simulator/{name.removeprefix("~/")}' for name in names}


def without_namespace(names):
    """Return the topics and services of a node in a namespace as of one without."""
    return {re.sub(f'^({ORBITING}|{MANAGED}|{DRIVING}_[a-z]+)', '', name) for name in names}


@pytest.fixture
def nodes(ros, tmp_path):
    """Every node, with every sensor and a floor."""
    floor = ros.add(contact.offered({'place': True}))
    sensors = {'magnetometer.enabled': True, 'star_tracker.enabled': True}
    made = [ros.simulator(sensors, contact=lambda: floor), floor, ros.add(MarkersNode())]
    made += [ros.add(AttitudeControllerNode()), ros.add(RecorderNode(tmp_path / 'bag'))]
    biased = {'estimate_magnetometer_bias': True, 'magnetometer.bias': [100.0]}
    biased |= {'estimate_gyroscope_axes': True, 'imu.gyroscope.scale_factor': [100.0]}
    made.insert(0, ros.add(AttitudeEstimatorNode(sensors | biased)))
    made.insert(0, ros.add(AttitudeGuidanceNode({'mission': True})))
    table = {'modes': ['a'], 'mode.a.law': 'idle', 'wheels': ['w']} | WHEEL
    made.insert(0, ros.add(MissionModesNode(table)))
    ros.listen(MarkerArray, 'markers')  # without a listener nothing is drawn
    ros.until(lambda: made[5].ready())
    yield made
    made[-1].finish()


def test_policy_allows_what_each_node_does_and_no_more(ros, nodes):
    allowed = {node: rule for own in enclaves().values() for node, rule in own.items()}
    assert allowed.keys() == {node.get_name() for node in nodes}
    # On a floor there are neither actuators, internal parts nor an orbit.
    parts = {'wheels': ['z'], 'orbit.model': 'kepler', 'publish_clock': False}
    parts |= {'gimbals': ['g'], 'thrusters': ['t'], 'magnetorquers': ['m']}
    parts |= {'magnetorquer.m.max_dipole': 1.0, 'body.inertia': [0.04, 0.05, 0.03]}
    parts |= {'residual_dipole': [0.1, 0.0, 0.0], 'surfaces': ['s'], 'surface.s.area': 1.0}
    parts |= {'flexible_modes': ['f'], 'slugs': ['k'], 'slug.k.inertia': 1e-6}
    parts |= {'hysteresis_rods': ['h']}
    orbiting = of_graph(ros, ros.simulator(plain(parts), namespace=ORBITING), ORBITING)
    # A run in several processes: the clock's master, and a follower of its.
    master = ros.simulator({'followers': ['b']}, namespace='/a', autostart=False)
    master.driver.start()
    follower = ros.simulator({'follow_clock': True}, namespace='/b', autostart=False)
    shared = [of_graph(ros, one, one.get_namespace()) for one in (master, follower)]
    unconfigured = of_graph(ros, ros.add(ManagedSimulatorNode(namespace=MANAGED)), MANAGED)
    assert len(unconfigured.publish) == 3 and not unconfigured.subscribe
    driving = [
        of_graph(
            ros,
            ros.add(AttitudeControllerNode({lists: names} | own, namespace=f'{DRIVING}_{lists}')),
            f'{DRIVING}_{lists}',
        )
        for lists, names, own in (
            ('gimbals', ['g'], GYRO),
            ('thrusters', list(PAIRS), JETS),
            ('wheels', list('xyz'), WHEELS | DRIVEN),
        )
    ]
    for node in nodes:
        rule, found = allowed[node.get_name()], of_graph(ros, node)
        if node.get_name() == 'simulator':
            found = found._replace(
                publish=found.publish | without_namespace(orbiting.publish | unconfigured.publish),
                reply=found.reply | without_namespace(unconfigured.reply),
                subscribe=found.subscribe | without_namespace(orbiting.subscribe),
            )
            for one in shared:
                found.publish.update(topic for topic in one.publish if topic in SHARED_CLOCK)
                found.subscribe.update(topic for topic in one.subscribe if topic in SHARED_CLOCK)
        if node.get_name() == 'attitude_controller':
            for one in driving:
                found.publish.update(without_namespace(one.publish))
                found.subscribe.update(without_namespace(one.subscribe))
        if node.get_name() == 'recorder':
            assert all(fnmatch.fnmatch(topic, '/*') for topic in found.subscribe)
            assert rule.subscribe == {'/*'}
        else:
            assert rule.subscribe - ELSEWHERE == found.subscribe, node.get_name()
        assert rule.publish - ELSEWHERE == found.publish - ELSEWHERE, node.get_name()
        extra = standard_services() if node.get_name() == 'simulator' else set()
        assert rule.reply - extra == found.reply - extra, node.get_name()
        assert extra <= rule.reply


def test_topics_of_sensors_that_need_an_orbit_are_allowed_whatever_their_names():
    allowed = enclaves()['/attitude_sim/simulator']['simulator']
    for topic in topics.TICK:
        if topic.startswith(('sun_sensor/', 'horizon_sensor/', 'gnss/')):
            named = '/' + topic.replace('*', 'front')
            assert any(fnmatch.fnmatch(named, rule) for rule in allowed.publish), topic


def test_one_process_with_all_nodes_may_what_each_may():
    found = enclaves()
    whole = found.pop('/attitude_sim/run')
    assert whole == {node: rule for own in found.values() for node, rule in own.items()}


def test_page_names_every_enclave():
    text = (ROOT / 'docs' / 'security.md').read_text()
    assert all(path in text for path in enclaves())
