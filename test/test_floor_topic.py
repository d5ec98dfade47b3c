# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The floor as the simulator sends it: a grid of points on it, drawn by who may not compute it."""

import numpy as np
import pytest
from rclpy.parameter import Parameter
from sensor_msgs.msg import PointCloud2, PointField
from std_msgs.msg import Header
from visualization_msgs.msg import Marker, MarkerArray

from spacecraft_attitude_sim.configuration import scenario, untrusted_scenario
from spacecraft_attitude_sim.core.contact import floors, formula
from spacecraft_attitude_sim.drawing import floor_mesh
from spacecraft_attitude_sim.nodes.markers import contact_markers
from spacecraft_attitude_sim.nodes.markers.node import MarkersNode
from spacecraft_attitude_sim.nodes.ros import qos
from spacecraft_attitude_sim.nodes.simulator import contact
from spacecraft_attitude_sim.nodes.simulator.floor_messages import (
    SQUARES,
    FloorMessages,
    cloud_to_ros,
)
from spacecraft_attitude_sim.nodes.simulator.node import SimulatorNode
from spacecraft_attitude_sim.recording import floor_sheet

UP = np.array((0.0, 0.0, 1.0))
DOWN = np.array((0.0, 0.0, -9.81))
VALLEY = 'z + x**2*exp(-2*x**2) - 0.1*y**2'
WAVE = 'z - 0.06*sin(2*x - 3*t)'


def valley(x, y):
    """Return the height of the valley."""
    return -(x**2) * np.exp(-2.0 * x**2) + 0.1 * y**2


def floor_of(text):
    """Return the floor of a formula."""
    velocity = formula.velocity_along_normal(text)
    return floors.ImplicitFloor(
        level=formula.level(text), velocity=velocity, angular_frequency=3.0 * ('t' in text)
    )


def received(text, position_W, time=0.0, maker=None):
    """Return the Sheet that is received of a floor, or None where nothing is sent."""
    maker = maker or FloorMessages(0.25, DOWN)
    message = maker.of(floor_of(text), time, np.array(position_W), Header())
    return message and floor_sheet.sheet_of(message)


def test_the_points_that_are_sent_lie_on_the_floor_round_the_body():
    x, y, z = np.moveaxis(received(VALLEY, (0.33, -0.8, 0.5)).points, -1, 0)
    # Of Newton's last step, and of numbers of 32 bits.
    assert np.allclose(z, valley(x, y), rtol=0.0, atol=2e-6)
    assert x.shape == (SQUARES + 1, SQUARES + 1)
    for places, middle in ((x, 0.33), (y, -0.8)):
        assert np.ptp(places) == pytest.approx(SQUARES * 0.1, rel=1e-6)
        assert abs(places.mean() - middle) <= 0.05 + 1e-6
    # On a grid that is fixed in the world.
    assert np.allclose(x / 0.1, np.round(x / 0.1), rtol=0.0, atol=1e-5)


def test_a_moving_floor_is_sent_as_it_is_then():
    x, _, z = np.moveaxis(received(WAVE, (0.0, 0.0, 0.3), time=0.4).points, -1, 0)
    assert np.allclose(z, 0.06 * np.sin(2.0 * x - 1.2), rtol=0.0, atol=1e-6)


def test_a_floor_at_rest_is_sent_again_only_when_the_body_has_gone_away():
    maker, floor = FloorMessages(0.25, DOWN), floor_of(VALLEY)
    places = (0.0, 0.3, 0.45, 0.56, 0.9, 1.0, 1.2)
    sent = [maker.of(floor, 0.0, np.array((x, 0.0, 0.2)), Header()) is not None for x in places]
    # By two reaches from the middle of the piece, which is at a tenth of a metre.
    assert [place for place, was in zip(places, sent, strict=True) if was] == [0.0, 0.56, 1.2]
    waving = floor_of(WAVE)
    assert all(maker.of(waving, t, np.zeros(3), Header()) for t in (0.0, 0.1))


def test_where_there_is_no_floor_no_face_is_drawn():
    # A dome of 0.5 m: beyond it lines from above meet nothing.
    sheet = received('x**2 + y**2 + z**2 - 0.25', (0.0, 0.0, 0.8))
    made = floor_mesh.floor_mesh(sheet, 0.0, floor_mesh.Piece(np.zeros((1, 3)), 9.0, 0.0, UP))
    assert np.isnan(sheet.points).any()
    assert 20 < len(made.corners) < SQUARES**2 / 2
    assert np.allclose(np.linalg.norm(made.corners, axis=2), 0.5, rtol=0.0, atol=1e-5)


def test_faces_look_up_and_their_chequers_stand_still_when_the_piece_moves_on():
    piece = floor_mesh.Piece(np.zeros((1, 3)), np.inf, 0.0, UP)
    shades = {}
    for x in (0.0, 0.5):
        made = floor_mesh.floor_mesh(received(VALLEY, (x, 0.0, 0.2)), 0.0, piece)
        across = np.cross(
            made.corners[:, 2] - made.corners[:, 0], made.corners[:, 3] - made.corners[:, 1]
        )
        assert np.all(across[:, 2] > 0.0)
        assert 0.4 < made.light.mean() < 0.6
        for corner, light in zip(made.corners, made.light, strict=True):
            key = tuple(np.round(corner.mean(axis=0)[:2], 3))
            assert shades.setdefault(key, light) == light
    assert len(shades) < 1.3 * SQUARES**2


def test_the_normal_near_a_point_is_that_of_the_floor():
    sheet = received(VALLEY, (0.3, 0.0, 0.2))
    for x, y in ((0.31, 0.12), (0.55, -0.4), (0.0, 0.0)):
        found = floor_mesh.normal_near(sheet, np.array((x, y, valley(x, y))), UP)
        _, expected = floors.gap_and_normal(floor_of(VALLEY), 0.0, (x, y, valley(x, y)))
        # Of a face 0.1 m wide on a floor that bends by 2 in a metre.
        assert np.linalg.norm(found - expected) < 0.12
        assert np.linalg.norm(found) == pytest.approx(1.0)
    nothing = floor_sheet.Sheet(np.full((3, 3, 3), np.nan, np.float32))
    for none in (None, nothing):
        assert not floor_mesh.normal_near(none, np.zeros(3), UP).any()


def test_a_sheet_is_chequered_by_squares_of_several_faces_fixed_in_space():
    across = 0.1 * np.arange(-8, 9)
    grid = np.stack((*np.meshgrid(across, across, indexing='ij'), np.zeros((17, 17))), axis=2)
    piece = floor_mesh.Piece(np.zeros((1, 3)), 9.0, 0.0, UP)
    made = floor_mesh.floor_mesh(floor_sheet.Sheet(grid.astype(np.float32)), 0.0, piece)
    assert len(made.corners) == 16 * 16
    middles = made.corners.mean(axis=1)[:, :2]
    width = 0.1 * floor_mesh.FINER
    axes = floor_mesh.axes_across(UP)[:2, :2]  # they may be turned by right angles
    fields = np.floor(middles @ axes.T / width + 1e-6)
    assert np.array_equal(made.light, fields.sum(axis=1) % 2 == 0)
    assert made.light.mean() == 0.5


def test_what_is_to_be_covered_bounds_what_is_drawn_of_a_sheet():
    piece = floor_mesh.Piece(np.array(((0.1, 0.2, 0.0), (-0.3, 0.0, 0.0))), 0.35, 0.0, UP)
    made = floor_mesh.floor_mesh(received(VALLEY, (0.0, 0.0, 0.2)), 0.0, piece)
    low, high = made.corners.min(axis=(0, 1)), made.corners.max(axis=(0, 1))
    assert np.allclose(low[:2], (-0.65, -0.35), atol=0.11)
    assert np.allclose(high[:2], (0.45, 0.55), atol=0.11)


def cloud(**changes):
    """Return a grid of 3 by 3 points with some fields changed."""
    message = cloud_to_ros(np.zeros((3, 3, 3)), Header())
    for name, value in changes.items():
        setattr(message, name, value)
    return message


@pytest.mark.parametrize(
    ('changes', 'words'),
    [
        ({'fields': []}, 'no grid of x, y, z'),
        ({'fields': [PointField(name='x', datatype=PointField.FLOAT64)]}, 'no grid of x, y, z'),
        ({'height': 1}, 'no grid that can be drawn'),
        ({'height': 2**31, 'width': 2**31}, 'no grid that can be drawn'),
        ({'is_bigendian': True}, 'no grid that can be drawn'),
        ({'data': b'123'}, 'holds 3 bytes for 3 by 3 points'),
        ({'data': np.full(27, np.inf, '<f4').tobytes()}, 'too far away'),
        ({'data': np.full(27, 1e30, '<f4').tobytes()}, 'too far away'),
    ],
)
def test_a_cloud_that_is_no_floor_is_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        floor_sheet.sheet_of(cloud(**changes))


def test_a_cloud_of_one_place_draws_nothing(recwarn):
    sheet = floor_sheet.sheet_of(cloud())
    made = floor_mesh.floor_mesh(sheet, 0.0, floor_mesh.Piece(np.zeros((1, 3)), 1.0, 0.0, UP))
    assert len(made.corners) == 0
    assert not recwarn.list


def test_a_cloud_of_nothing_draws_nothing():
    sheet = floor_sheet.sheet_of(cloud(data=np.full(27, np.nan, '<f4').tobytes()))
    made = floor_mesh.floor_mesh(sheet, 0.0, floor_mesh.Piece(np.zeros((1, 3)), 1.0, 0.0, UP))
    assert len(made.corners) == 0


def test_markers_draw_the_floor_that_the_simulator_sends(ros):
    given = [
        Parameter('floor.expression', value=WAVE),
        Parameter('surface.radius', value=0.25),
        Parameter('mode', value='rolling'),
        Parameter('place', value=True),
    ]
    floor = ros.add(contact.offered(parameter_overrides=given))
    body = [
        Parameter('gravity', value=DOWN.tolist()),
        Parameter('body.inertia', value=[0.025] * 3),
        Parameter('initial.angular_velocity', value=[0.0] * 3),
        Parameter('duration', value=0.5),
    ]
    clouds = ros.listen(PointCloud2, 'contact/floor', qos.LATCHED_STREAM)
    drawn = ros.listen(MarkerArray, 'markers')
    ros.add(MarkersNode())
    node = ros.add(SimulatorNode(contact=lambda: floor, parameter_overrides=body))
    # Where the contact is not compiled yet, time stands still until it is.
    ros.until(lambda: node.finished and clouds, patience=240.0)

    def complete():
        return drawn and sum(len(m.points) for m in of_floor(drawn[-1])) == 6 * SQUARES**2

    ros.until(complete)
    heights = np.array([point.z for marker in of_floor(drawn[-1]) for point in marker.points])
    assert np.max(np.abs(heights)) == pytest.approx(0.06, abs=1e-3)
    assert len(clouds) > 8  # it moves


def of_floor(message):
    """Return the markers of the floor that are there."""
    return [m for m in message.markers if m.ns == 'floor' and m.action == Marker.ADD]


def test_a_floor_is_not_drawn_before_it_is_heard():
    found = scenario.build(
        {'gravity': DOWN.tolist()}, 'test', {'floor.expression': VALLEY, 'surface.radius': 0.25}
    )
    found, left_out = untrusted_scenario.parse(scenario.dump(found), draws_any_floor=False)
    assert left_out == ''  # a formula is nobody's code
    made = contact_markers.ContactMarkers(found, 0.25, 16)
    touch = contact_markers.ContactSample(np.zeros(3), np.zeros(3), np.array((0.0, 0.0, 1.0)), 0.0)
    before = made.markers(touch)
    made.sheet = received(VALLEY, (0.0, 0.0, 0.2))
    after = made.markers(touch)
    assert [m.action for m in before if m.ns == 'floor'] == [Marker.DELETE] * 2
    assert [len(m.points) for m in after if m.ns == 'floor'] == [3 * SQUARES**2] * 2
    (normal,) = (m for m in after if m.ns == 'contact_normal')
    assert normal.action == Marker.ADD
    assert len(before) == len(after)
