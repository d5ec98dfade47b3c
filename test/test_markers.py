# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The markers are where the topics say, on a floor too, and RViz has nothing to complain of."""

import numpy as np
import pytest
from geometry_msgs.msg import PointStamped
from nav_msgs.msg import Odometry
from rclpy.parameter import Parameter
from std_srvs.srv import Trigger
from test_contact_node import BALL, change
from visualization_msgs.msg import Marker, MarkerArray

from spacecraft_attitude_sim.files import scenario
from spacecraft_attitude_sim.nodes import contact, conversions
from spacecraft_attitude_sim.nodes.markers import MarkersNode

CONTACT = {'contact_point', 'contact_normal', 'contact_force'}
LINES = (Marker.LINE_STRIP, Marker.LINE_LIST)


def warnings_of_rviz(marker):
    """Return what RViz would say of a marker: the checks of its markers/*.cpp."""
    if marker.action == Marker.DELETE:
        return []
    found = []
    q = conversions.quaternion_from_ros(marker.pose.orientation)
    if abs(np.linalg.norm(q) - 1.0) > 1e-3:
        found.append('orientation')
    scales = (marker.scale.x, marker.scale.y, marker.scale.z)
    if not all(scale > 0.0 for scale in (scales[:1] if marker.type in LINES else scales)):
        found.append('scale')
    if not 0.0 < marker.color.a <= 1.0:
        found.append('transparent')
    count = len(marker.points)
    valid = {
        Marker.ARROW: count in (0, 2),
        Marker.LINE_STRIP: count >= 2,
        Marker.LINE_LIST: count >= 2 and count % 2 == 0,
        Marker.TRIANGLE_LIST: count >= 3 and count % 3 == 0,
    }.get(marker.type, count == 0)
    return found if valid else [*found, f'{count} points']


def placed(ros, overrides, floor):
    """Return a SimulatorNode on a floor, paused, with a MarkersNode, and what that publishes."""
    heard = ros.listen(MarkerArray, 'markers')
    given = [Parameter(name, value=value) for name, value in floor.items()]
    node = contact.offered(parameter_overrides=given)
    values = {**BALL, 'start_paused': True, 'step_ticks': 16, **overrides}
    simulator = ros.simulator(values, contact=node, autostart=False)
    ros.add(node)
    markers = ros.add(MarkersNode())
    ros.connected('/markers', '/contact/point', '/contact/wrench', '/ground_truth/odometry')
    ros.until(markers.ready)
    simulator.start()
    return simulator, heard


def by_namespace(array):
    """Return {namespace: [markers that are shown]} of a MarkerArray."""
    found = {}
    for marker in array.markers:
        shown = found.setdefault(marker.ns, [])
        if marker.action == Marker.ADD:
            shown.append(marker)
    return found


def corners_of(markers):
    """Return the points of some markers (n, 3)."""
    return np.array(
        [conversions.vector3_from_ros(point) for marker in markers for point in marker.points]
    )


def test_every_tick_on_a_floor_has_markers_that_agree_with_the_topics(ros):
    points = ros.listen(PointStamped, 'contact/point')
    odometry = ros.listen(Odometry, 'ground_truth/odometry')
    fall = {'initial.position': [0.3, 0.0, 0.2], 'initial.velocity': [1.0, 0.0, 0.0]}
    _, heard = placed(ros, fall, {'friction': 0.2, 'restitution': 0.0})
    for _ in range(3):
        ros.call(Trigger, '/simulator/step')
    ros.until(lambda: len(heard) == len(points) == len(odometry) == 49)
    for array, point, body in zip(heard, points, odometry, strict=True):
        assert [
            warnings_of_rviz(marker) for marker in array.markers if warnings_of_rviz(marker)
        ] == []
        identities = [(marker.ns, marker.id) for marker in array.markers]
        assert len(set(identities)) == len(identities)
        assert identities == [(marker.ns, marker.id) for marker in heard[0].markers]
        found = by_namespace(array)
        assert array.markers[0].header.stamp == point.header.stamp
        assert found['body'][0].pose == body.pose.pose
        assert np.allclose(corners_of(found['floor'])[:, 2], 0.0, atol=1e-12)
        if found['contact_point']:
            assert found['contact_point'][0].pose.position == point.point
            (force,) = found['contact_force']
            assert force.points[0] == point.point
            assert force.points[1].z > 0.0
    shown = [{ns for ns, markers in by_namespace(a).items() if markers} >= CONTACT for a in heard]
    first = shown.index(True)
    assert 3 < first < 10  # 0.1 m of fall take 4.6 ticks
    assert not any(shown[:first])
    assert all(shown[first:])
    path = corners_of(by_namespace(heard[-1])['contact_path'])
    assert path[-1] == pytest.approx(conversions.vector3_from_ros(points[-1].point))
    assert len(path) == 2 * (len(heard) - first - 1)


def test_the_drawn_floor_follows_its_changes_and_the_trace_stays(ros):
    simulator, heard = placed(
        ros, {'initial.angular_velocity': [0.0, 0.0, 1.0]}, {'mode': 'sliding', 'place': True}
    )
    ros.call(Trigger, '/simulator/step')
    ros.until(lambda: len(heard) == 17)
    assert change(ros, floor__point=[0.0, 0.0, -3.0], floor__normal=[0.0, 0.6, 0.8]) == ''
    ros.call(Trigger, '/simulator/step')
    ros.until(lambda: len(heard) == 33)
    before, after = by_namespace(heard[16]), by_namespace(heard[-1])
    assert not corners_of(before['floor'])[:, 2].any()
    above = (corners_of(after['floor']) - (0.0, 0.0, -3.0)) @ (0.0, 0.6, 0.8)
    assert np.allclose(above, 0.0, atol=1e-12)
    assert len(after['trace'][0].points) == 33
    assert not after['contact_force']  # the floor fell away


def test_a_reset_begins_the_floor_anew(ros):
    floor = {'floor.amplitude': 0.05, 'floor.angular_frequency': 1.0, 'floor.phase': 0.3}
    _, heard = placed(ros, {}, {**floor, 'place': True})
    for service in ('step', 'reset'):
        ros.call(Trigger, f'/simulator/{service}')
    ros.until(lambda: len(heard) == 18)
    heights = [corners_of(by_namespace(array)['floor'])[0, 2] for array in heard]
    expected = 0.05 * np.sin(np.arange(17) / 32 + 0.3)
    assert heights == pytest.approx([*expected, expected[0]], abs=1e-12)


@pytest.mark.parametrize('name', scenario.shipped())
def test_rviz_accepts_the_body_of_every_scenario(name):
    from spacecraft_attitude_sim.nodes.body_markers import BodyMarkers

    parts = scenario.load(scenario.shipped()[name]).drawn_parts()
    for marker in BodyMarkers(parts).at(np.zeros(3), (1.0, 0.0, 0.0, 0.0)):
        assert warnings_of_rviz(marker) == []
