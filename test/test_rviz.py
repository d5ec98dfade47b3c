# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The RViz configuration asks only for what exists: displays, topics, frames."""

import pytest
import yaml
from conftest import ROOT

# Display classes of rviz_default_plugins in Jazzy and Kilted.
KNOWN = {'Axes', 'Grid', 'MarkerArray', 'Odometry', 'Pose', 'TF'}


@pytest.fixture
def manager():
    """The visualization manager of config/view.rviz."""
    return yaml.safe_load((ROOT / 'config' / 'view.rviz').read_text())['Visualization Manager']


def test_displays_are_of_known_classes(manager):
    for display in manager['Displays']:
        package, name = display['Class'].split('/')
        assert package == 'rviz_default_plugins'
        assert name in KNOWN


def test_topics_are_published_and_relative(manager, ros):
    from spacecraft_attitude_sim.nodes.markers import MarkersNode

    nodes = [ros.simulator(), ros.add(MarkersNode())]
    published = {p.topic_name for node in nodes for p in node.publishers}
    topics = [display['Topic']['Value'] for display in manager['Displays'] if 'Topic' in display]
    assert topics == ['markers', 'pose']
    assert {f'/{topic}' for topic in topics} <= published
    assert manager['Global Options']['Fixed Frame'] == nodes[0].value('frames.world')
