# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The PlotJuggler and Foxglove layouts plot only fields of messages that are published."""

import json
from xml.etree import ElementTree

import pytest
from conftest import ROOT
from geometry_msgs.msg import PoseStamped, WrenchStamped
from rclpy.parameter import Parameter

NUMBERS = ('double', 'float', 'int', 'uint')


@pytest.fixture(scope='module')
def layout():
    """The Foxglove layout."""
    return json.loads((ROOT / 'config' / 'foxglove.json').read_text())


@pytest.fixture
def published(ros):
    """{topic: class} of a run on a floor, and of a controller."""
    from spacecraft_attitude_sim.nodes.markers.node import MarkersNode
    from spacecraft_attitude_sim.nodes.simulator import contact

    floor = ros.add(contact.offered(parameter_overrides=[Parameter('place', value=True)]))
    nodes = [ros.simulator(contact=lambda: floor), floor, ros.add(MarkersNode())]
    found = {p.topic_name: p.msg_type for node in nodes for p in node.publishers}
    return found | {'/control/reference': PoseStamped, '/command/wrench': WrenchStamped}


def check_number(message_class, fields):
    """Fail unless the fields lead through a message to a number."""
    message = message_class()
    for field in fields[:-1]:
        message = getattr(message, field)
    kind = message.get_fields_and_field_types()[fields[-1]]
    assert kind.startswith(NUMBERS), f'{fields} is a {kind}'


def test_plotjuggler_curves_are_fields_of_published_messages(published):
    root = ElementTree.parse(ROOT / 'config' / 'plotjuggler.xml').getroot()
    curves = [curve.get('name') for curve in root.iter('curve')]
    assert len(curves) > 20
    for curve in curves:
        (topic,) = [name for name in published if curve.startswith(f'{name}/')]
        check_number(published[topic], curve[len(topic) + 1 :].split('/'))
    for splitter in root.iter('DockSplitter'):
        sizes = [float(size) for size in splitter.get('sizes').split(';')]
        assert len(sizes) == len(splitter) == int(splitter.get('count'))
        assert sum(sizes) == pytest.approx(1.0, abs=1e-5)


def test_foxglove_plots_and_views_show_published_topics(published, layout):
    paths = [path for p in layout['configById'].values() for path in p.get('paths', [])]
    assert len(paths) >= 15
    for path in paths:
        topic, *fields = path['value'].split('.')
        check_number(published[topic], fields)
    for panel in layout['configById'].values():
        assert set(panel.get('topics', ())) <= set(published)
        assert panel.get('topicToRender', '/diagnostics') in published


def test_every_foxglove_panel_has_one_place(layout):
    def places(node):
        if isinstance(node, str):
            return [node]
        assert 0 < node['splitPercentage'] < 100
        assert node['direction'] in ('row', 'column')
        return places(node['first']) + places(node['second'])

    assert sorted(places(layout['layout'])) == sorted(layout['configById'])
