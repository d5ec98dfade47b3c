# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What is drawn of a turning body: arrows, labels, trace, axes, caption, Poinsot's picture."""

from dataclasses import replace

import numpy as np
import pytest
from test_markers import by_namespace, corners_of, warnings_of_rviz
from visualization_msgs.msg import Marker, MarkerArray

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation, ticks
from spacecraft_attitude_sim.core.contact import floors
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import body_looks, colors, floor_mesh
from spacecraft_attitude_sim.nodes.markers import contact_markers, marker_shapes, wheel_markers
from spacecraft_attitude_sim.nodes.markers.body_markers import BodyMarkers
from spacecraft_attitude_sim.nodes.markers.motion_markers import (
    TRACE_TURN,
    MotionMarkers,
    Words,
    turn_between,
)
from spacecraft_attitude_sim.nodes.markers.poinsot_markers import (
    CAPTION_HEIGHT,
    LIFT,
    PoinsotMarkers,
)
from spacecraft_attitude_sim.nodes.markers.wheel_markers import WheelMarkers
from spacecraft_attitude_sim.nodes.ros import conversions

REACH = 0.05
UPRIGHT = rotations.IDENTITY
ORIGIN = np.zeros(3)


def shipped(name, **given):
    """Return a shipped scenario with some parameters changed; `__` for a dot."""
    values = {key.replace('__', '.'): value for key, value in given.items()}
    return scenario.changed(scenario.load(scenario.shipped()[name]), values, name)


def shown(markers):
    """Return {namespace: [markers that are shown]}."""
    return by_namespace(MarkerArray(markers=markers))


def vector_of(arrow):
    """Return what an arrow spans (3,)."""
    start, end = corners_of([arrow])
    return end - start


def place_of(marker):
    """Return where a marker is (3,)."""
    return conversions.vector3_from_ros(marker.pose.position)


def spun(rate_W, count, velocity=0.0):
    """Return what is shown of a body that turns at a constant rate, after some ticks."""
    drawn = MotionMarkers(shipped('tennis_racket'), REACH, 640)
    speed = np.linalg.norm(rate_W)
    for tick in range(count + 1):
        angle = speed * ticks.DEFAULT.seconds(tick)
        q_WB = rotations.quaternion_from_axis_angle(rate_W / speed, angle)
        moved = np.array((velocity * ticks.DEFAULT.seconds(tick), 0.0, 0.0))
        omega_B = rotations.rotate(rotations.conjugate(q_WB), rate_W)
        markers = drawn.at(tick, moved, q_WB, omega_B)
    return shown(markers)


def test_principal_axes_come_out_of_the_body_along_what_the_inertia_only_stretches():
    found = shipped('cubesat_tumble')
    parts, body = body_looks.drawn_parts(found), found.plant.body
    reach = max(part.reach() for part in parts)
    q_WB = rotations.quaternion_from_axis_angle((0.6, 0.0, 0.8), 1.1)
    place = np.array((1.0, 2.0, 3.0))
    drawn = shown(BodyMarkers(parts, body).at(place, q_WB))
    (lines,), (ball,) = drawn['principal_axes'], drawn['center_of_mass']
    assert [warnings_of_rviz(marker) for marker in (lines, ball)] == [[], []]
    assert place_of(ball) == pytest.approx(place)
    assert place_of(lines) == pytest.approx(place)
    assert np.array_equal(conversions.quaternion_from_ros(lines.pose.orientation), q_WB)
    ends_B = corners_of([lines]).reshape(3, 2, 3)
    assert np.array_equal(ends_B[:, 0], -ends_B[:, 1])
    lengths = np.linalg.norm(ends_B[:, 1], axis=1)
    assert np.all((1.1 * reach < lengths) & (lengths < 1.6 * reach))
    along = ends_B[:, 1] / lengths[:, np.newaxis]
    moments = [np.linalg.norm(body.inertia @ axis) for axis in along]
    # Eigenvectors: the inertia does not turn them.
    stretched = np.array(moments)[:, np.newaxis] * along
    assert along @ body.inertia == pytest.approx(stretched, rel=0, abs=1e-14)
    assert np.array_equal(np.argsort(lengths), np.argsort(moments))


def test_rate_and_momentum_are_told_apart():
    found = shipped('tennis_racket')
    omega_B = np.array((1.0, 5.0, -2.0))
    drawn = shown(MotionMarkers(found, REACH, 10).at(0, ORIGIN, UPRIGHT, omega_B))
    (omega,), (momentum,) = drawn['angular_velocity'], drawn['angular_momentum']
    rate, expected = vector_of(omega), found.plant.body.inertia @ omega_B
    assert rate == pytest.approx(1.5 * REACH * omega_B / np.linalg.norm(omega_B))
    along = vector_of(momentum) / (1.25 * 1.5 * REACH)
    assert along == pytest.approx(expected / np.linalg.norm(expected))
    assert omega.scale.x == pytest.approx(0.05 * REACH)
    beside_omega, before_momentum = drawn['labels']
    assert (beside_omega.text, before_momentum.text) == ('omega', 'L')
    for label, arrow in ((beside_omega, omega), (before_momentum, momentum)):
        distance = np.linalg.norm(place_of(label) - corners_of([arrow])[1])
        assert 0.1 * REACH < distance < 0.4 * REACH
        assert label.color == arrow.color
    assert before_momentum.color != beside_omega.color


def test_a_rate_is_as_long_as_the_largest_so_far_allows():
    drawn = MotionMarkers(shipped('cubesat_pointing'), REACH, 10)

    def length(tick, rate):
        markers = shown(drawn.at(tick, ORIGIN, UPRIGHT, np.array((0.0, rate, 0.0))))
        return sum(np.linalg.norm(vector_of(arrow)) for arrow in markers['angular_velocity'])

    assert length(0, 0.0) == 0.0
    assert length(1, 1e-6) < 0.01 * REACH  # what noise turns is no motion
    assert length(2, 0.2) == pytest.approx(1.5 * REACH)
    assert length(3, 0.1) == pytest.approx(0.75 * REACH)
    assert length(4, 0.4) == pytest.approx(1.5 * REACH)


@pytest.mark.parametrize('rate', [0.01, 1.0, 30.0, 99.0, 101.0, 150.0, 199.0])
def test_the_way_between_two_attitudes_is_the_one_the_rate_says(rate):
    """To 2 pi a tick, 201 rad/s; from pi on, the short way round would go backwards."""
    axis = np.array((2.0, -1.0, 2.0)) / 3.0
    before = rotations.quaternion_from_axis_angle((1.0, 1.0, 0.0), 0.7)
    angle = rate * ticks.TICK_SECONDS
    turn = rotations.quaternion_from_axis_angle(axis, angle)
    for sign in (1.0, -1.0):
        after = sign * rotations.compose(turn, before)
        found = turn_between(before, after, rate * axis, ticks.TICK_SECONDS)
        assert found == pytest.approx(angle * axis, abs=1e-12)


def test_the_trace_of_a_fast_body_is_its_circle():
    """The spin axis, y, goes around z with 2 rad a tick and no corner."""
    drawn = spun(np.array((0.0, 0.0, 64.0)), 10)
    points = corners_of(drawn['trace']) / (1.2 * REACH)
    angles = np.unwrap(np.arctan2(points[:, 1], points[:, 0]))
    assert np.linalg.norm(points, axis=1) == pytest.approx(1.0)
    assert angles[-1] - angles[0] == pytest.approx(20.0)
    assert np.diff(angles).max() <= TRACE_TURN + 1e-9


def test_the_trace_moves_with_the_body():
    drawn = spun(np.array((0.0, 0.0, 64.0)), 1, velocity=3.2)
    points = corners_of(drawn['trace'])
    share = np.linspace(0.0, 1.0, len(points))
    centre = points - np.outer(share, (0.1, 0.0, 0.0))
    assert len(points) == 11
    assert np.linalg.norm(centre, axis=1) == pytest.approx(1.2 * REACH)


def test_a_trace_begins_anew_when_time_goes_back():
    drawn = MotionMarkers(shipped('tennis_racket'), REACH, 640)
    turned = rotations.quaternion_from_axis_angle((1.0, 0.0, 0.0), 1.0)
    omega_B = np.array((0.0, 8.0, 0.0))
    drawn.at(50, ORIGIN, UPRIGHT, omega_B)
    assert shown(drawn.at(90, ORIGIN, turned, omega_B))['trace']
    assert not shown(drawn.at(3, ORIGIN, UPRIGHT, omega_B))['trace']


def test_a_trail_remembers_a_limited_way_and_ends_where_the_body_is():
    trail = marker_shapes.Trail(7, 0.1)
    for number in range(1000):
        trail.add(np.array((0.03 * number, 0.0, 0.0)))
        assert trail.points[-1].x == 0.03 * number
        assert len(trail.points) <= 7
    steps = np.diff([point.x for point in trail.points])
    assert (steps[:-1] >= 0.1 - 1e-9).all()
    trail.add(np.array((np.nan, 0.0, 0.0)))
    assert trail.points[-1].x == 0.03 * 999
    for length in (0, 1):
        short = marker_shapes.Trail(length, 0.1)
        for number in range(5):
            short.add(np.array((0.03 * number, 0.0, 0.0)))
        assert len(short.points) == length


def test_axes_are_drawn_with_the_body_in_its_attitude():
    q_WB = rotations.quaternion_from_axis_angle((1.0, 2.0, -3.0), 1.0)
    position = np.array((1.0, 2.0, 3.0))
    drawn = MotionMarkers(shipped('tennis_racket'), REACH, 10)
    (axes,) = shown(drawn.at(0, position, q_WB, np.array((0.0, 8.0, 0.0))))['body_axes']
    assert axes.pose == conversions.pose_to_ros(position, q_WB)
    assert corners_of([axes])[1::2] == pytest.approx(1.2 * REACH * np.eye(3))
    strongest = [max('rgb', key=lambda name: getattr(color, name)) for color in axes.colors]
    assert strongest == list('rrggbb')
    assert warnings_of_rviz(axes) == []


def test_a_caption_says_what_is_seen_and_when():
    words = 'Ein Körper ' + 'that turns ' * 60
    drawn = MotionMarkers(shipped('tennis_racket', description=words), REACH, 10)
    lines = shown(drawn.at(80, ORIGIN, UPRIGHT, np.ones(3)))['caption']
    assert [warnings_of_rviz(line) for line in lines] == 4 * [[]]
    *described, time = (line.text for line in lines)
    assert described[0].startswith('Ein Korper that turns')
    assert time == 't = 2.5 s'
    heights = np.array([line.pose.position.z for line in lines])
    # Below the body, beside which ω and L may be, a marker each line.
    assert heights[0] + lines[0].scale.z / 2.0 < -1.5 * REACH
    assert np.diff(heights) == pytest.approx(-marker_shapes.LINE * lines[0].scale.z)
    assert not shown(
        MotionMarkers(shipped('tennis_racket'), REACH, 10, Words(caption=False)).at(
            80, ORIGIN, UPRIGHT, np.ones(3)
        )
    ).get('caption')


@pytest.mark.parametrize(
    ('words', 'drawn'),
    [
        ('5/7 g sin α', '5/7 g sin alpha'),
        ('Poincaré, Δω × ρ', 'Poincare, Deltaomega x rho'),
        ('120° − 3 → 木', '120 deg - 3 ? ?'),
    ],
)
def test_words_that_rviz_cannot_draw_are_spelt_out(words, drawn):
    """The caption of ball_on_incline ended with `5/7 g sin ?`."""
    assert marker_shapes.text('caption', words, ORIGIN, 1.0, (1.0, 1.0, 1.0, 1.0)).text == drawn


def test_white_words_can_be_read_on_a_floor_that_faces_the_eye():
    """In RViz the caption of ball_in_bowl was white on white."""

    def luminance(color):
        linear = [(c + 0.055) / 1.055 for c in colors.rgba(color)[:3]]
        return np.dot((0.2126, 0.7152, 0.0722), np.power(linear, 2.4))

    words = luminance(colors.TEXT_ON_DARK) + 0.05
    # Black on white has a ratio of 21. The words had 0.74 on the light chequers.
    assert min(words / (luminance(color) + 0.05) for color in colors.FLOOR_IN_RVIZ) > 2.0


def test_the_ball_is_at_the_centre_of_mass_of_a_body_on_a_bearing():
    found = shipped('air_bearing_wheels')
    body, parts = found.plant.body, body_looks.drawn_parts(found)
    q_WB = rotations.quaternion_from_axis_angle((0.6, 0.0, 0.8), 1.0)
    (ball,) = shown(BodyMarkers(parts, body).at(np.ones(3), q_WB))['center_of_mass']
    assert np.linalg.norm(body.center_B) > 0.0
    assert place_of(ball) == pytest.approx(np.ones(3) + rotations.rotate(q_WB, body.center_B))


def test_a_caption_on_a_floor_is_above_the_body():
    drawn = MotionMarkers(shipped('ellipsoid_rolling'), REACH, 10)
    lines = shown(drawn.at(0, ORIGIN, UPRIGHT, np.ones(3)))['caption']
    heights = [line.pose.position.z for line in lines]
    assert heights[-1] == pytest.approx(2.5 * REACH)
    assert heights == sorted(heights, reverse=True)


@pytest.mark.parametrize('name', ['tennis_racket', 'cubesat_tumble'])  # its axes are turned
def test_poinsots_ellipsoid_touches_the_invariable_plane_at_omega(name):
    found = shipped(name)
    body, instant = found.plant.body, found.first_instant()
    drawn = PoinsotMarkers(body, REACH)
    normals = []
    for _ in range(70):  # past the first flip
        instant = simulation.next_instant(found.plant, instant, simulation.Inputs())
        q_WB = np.array(instant.state.q_WB)
        omega_B = body.angular_velocity_B(instant.state)
        markers = drawn.at(ORIGIN, q_WB, omega_B)
        assert [warnings_of_rviz(marker) for marker in markers] == [[]] * 8
        ellipsoid, plane, polhode, omega, momentum, touch, *_ = markers
        centre, point = place_of(ellipsoid), place_of(touch)
        normal = vector_of(momentum) / np.linalg.norm(vector_of(momentum))
        normals.append(normal)
        assert point - centre == pytest.approx(vector_of(omega), rel=1e-6, abs=1e-9)
        facing = rotations.rotate(
            conversions.quaternion_from_ros(plane.pose.orientation), np.array((0.0, 0.0, 1.0))
        )
        assert abs(facing @ normal) == pytest.approx(1.0)
        assert (point - place_of(plane)) @ normal == pytest.approx(0.0, abs=1e-12)
        # On the ellipsoid, where the plane is tangent to it.
        q_PW = rotations.conjugate(conversions.quaternion_from_ros(ellipsoid.pose.orientation))
        semi_axes = conversions.vector3_from_ros(ellipsoid.scale) / 2.0
        assert semi_axes.max() == pytest.approx(0.6 * REACH)
        point_P = rotations.rotate(q_PW, point - centre)
        assert np.sum((point_P / semi_axes) ** 2) == pytest.approx(1.0)
        gradient = point_P / semi_axes**2
        tangent = gradient / np.linalg.norm(gradient)
        assert tangent == pytest.approx(rotations.rotate(q_PW, normal), abs=1e-9)
        # The tip of ω stays on its polhode, between points that lie 2 pi / 48 apart.
        curve = corners_of([polhode]) / LIFT
        assert np.sum((curve / semi_axes) ** 2, axis=1) == pytest.approx(1.0, abs=1e-2)
        assert np.linalg.norm(curve - point_P, axis=1).min() < 0.08 * REACH
        assert polhode.pose == ellipsoid.pose
    assert np.ptp(normals, axis=0) == pytest.approx(np.zeros(3), abs=1e-9)
    assert markers[-1].scale.z == pytest.approx(CAPTION_HEIGHT * REACH)  # of its words


def test_the_polhode_of_a_body_with_tilted_principal_axes_lies_on_its_ellipsoid():
    """Through the point that touches the plane, both in world axes."""
    found = scenario.build(
        {'body.mass': 2.0, 'body.inertia': [2.5, 3.5, 4.0, -0.5, 0.4, 0.3]}, 'tilted'
    )
    q_WB, place_W = np.array((0.5, -0.5, 0.1, 0.7)), np.array((1.0, 2.0, 3.0))
    drawn = PoinsotMarkers(found.plant.body, REACH)
    markers = drawn.at(place_W, q_WB / np.linalg.norm(q_WB), np.array((0.9, 0.4, -0.3)))
    ellipsoid, _, polhode, _, _, touch, *_ = markers
    q_WC = conversions.quaternion_from_ros(polhode.pose.orientation)
    curve_W = rotations.rotate_many(np.tile(q_WC, (len(polhode.points), 1)), corners_of([polhode]))
    tip_W = place_of(touch) - place_of(ellipsoid)
    step = np.linalg.norm(np.diff(curve_W, axis=0), axis=1).max()
    assert np.linalg.norm(curve_W / LIFT - tip_W, axis=1).min() < step < 0.1 * REACH
    q_PW = rotations.conjugate(conversions.quaternion_from_ros(ellipsoid.pose.orientation))
    curve_P = rotations.rotate_many(np.tile(q_PW, (len(curve_W), 1)), curve_W / LIFT)
    semi_axes = conversions.vector3_from_ros(ellipsoid.scale) / 2.0
    assert np.sum((curve_P / semi_axes) ** 2, axis=1) == pytest.approx(1.0, rel=1e-9)
    assert place_of(polhode) == pytest.approx(place_of(ellipsoid), abs=1e-12)


def test_poinsots_picture_of_what_does_not_turn_is_taken_away():
    drawn = PoinsotMarkers(shipped('tennis_racket').plant.body, REACH)
    turning, resting = (
        drawn.at(ORIGIN, UPRIGHT, np.array((0.0, rate, 0.0))) for rate in (8.0, 0.0)
    )
    assert [marker.type for marker in resting] == [marker.type for marker in turning]
    assert {marker.action for marker in resting} == {Marker.DELETE}
    # Exactly about a principal axis, the polhode is a point.
    drawn = PoinsotMarkers(shipped('tennis_racket').plant.body, REACH)
    steady = drawn.at(ORIGIN, UPRIGHT, np.array((8.0, 0.0, 0.0)))
    assert [marker.action for marker in steady].count(Marker.DELETE) == 1


@pytest.mark.parametrize('axis', [0, 2])
def test_the_polhode_is_drawn_anew_on_the_other_side_and_where_l_has_changed(axis):
    body = shipped('tennis_racket').plant.body
    drawn = PoinsotMarkers(body, REACH)
    momentum_B = 1e-3 * np.array((0.2, 0.3, 0.2))
    momentum_B[axis] = 3e-3
    across = np.cross(momentum_B, np.eye(3)[1])
    turned = rotations.quaternion_from_axis_angle(across / np.linalg.norm(across), np.pi)
    points = []
    # The same L seen from both sides, then 0.05 and 0.3 % more of it: anew from 0.1 % on.
    for q_WB, share in ((UPRIGHT, 1.0), (turned, -1.0), (turned, -1.0005), (turned, -1.003)):
        markers = drawn.at(ORIGIN, q_WB, np.linalg.solve(body.inertia, share * momentum_B))
        ellipsoid, _, polhode, _, _, touch, *_ = markers
        curve = corners_of([polhode])
        q_PW = rotations.conjugate(conversions.quaternion_from_ros(ellipsoid.pose.orientation))
        tip_P = rotations.rotate(q_PW, place_of(touch) - place_of(ellipsoid))
        assert np.linalg.norm(curve / LIFT - tip_P, axis=1).min() < 0.08 * REACH
        points.append(curve)
    assert np.array_equal(points[2], points[1])
    assert not np.array_equal(points[3], points[1])


@pytest.mark.parametrize(('change', 'is_shown'), [(0.0099, True), (0.0101, False)])
@pytest.mark.parametrize('along', [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
def test_poinsots_picture_goes_where_l_has_changed_by_a_hundredth(change, is_shown, along):
    body = shipped('tennis_racket').plant.body
    first_W = np.array((0.0, 0.03, 0.0))
    drawn = PoinsotMarkers(body, REACH)
    for momentum_W, expected in (
        (first_W, True), (first_W + 0.03 * change * np.array(along), is_shown), (first_W, True),
    ):  # fmt: skip
        markers = drawn.at(ORIGIN, UPRIGHT, np.linalg.solve(body.inertia, momentum_W))
        assert (markers[0].action == Marker.ADD) == expected


@pytest.mark.parametrize('wrong', [np.nan, np.inf, -np.inf, 1e308, 1e13])
def test_what_cannot_be_drawn_is_taken_away(wrong):
    vector = np.array((0.0, wrong, 0.0))
    color = (1.0, 1.0, 1.0, 1.0)
    for made in (
        marker_shapes.arrow('a', vector, np.ones(3), color, 0.1),
        marker_shapes.arrow('a', ORIGIN, vector, color, 0.1),
        marker_shapes.ball('a', vector, 0.1, color),
        marker_shapes.text('a', 'words', vector, 0.1, color),
        marker_shapes.faces('a', np.arange(24.0).reshape(2, 4, 3) ** 2 * wrong, color),
    ):
        assert made.action == Marker.DELETE
        assert made.points == []


def test_a_face_that_is_a_triangle_is_drawn_as_one():
    """At the pole of a ball two corners are one; RViz would draw a triangle without area."""
    square = np.array(((0.0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)))
    pole = square.copy()
    pole[1] = pole[0]
    made = marker_shapes.faces('a', np.array((square, pole)), (1.0, 1.0, 1.0, 1.0))
    expected = [square[[0, 1, 2, 0, 2, 3]], pole[[0, 2, 3]]]
    assert np.array_equal(corners_of([made]), np.concatenate(expected))
    assert marker_shapes.faces('a', pole[[[0, 1, 0, 1]]], (1.0,) * 4).action == Marker.DELETE


def test_discs_of_wheels_begin_anew_where_time_goes_back():
    found = scenario.load(scenario.find('wheels_take_over'))
    drawn = WheelMarkers(found, body_looks.drawn_parts(found))
    turned = []
    for tick, speed in ((0, 16.0), (1, 48.0), (0, 16.0), (2, 16.0), (1, 0.0), (2, 32.0)):
        disc = drawn.at(tick, ORIGIN, UPRIGHT, np.array((0.0, 0.0, speed)))[-3]
        q = disc.pose.orientation
        turned.append(np.cos(2.0 * np.arctan2(q.z, q.w)))
    # By the trapezoidal rule over ticks of 1/32 s: 32/32 rad, 0, 32/32 rad, 0 and 16/32 rad.
    assert turned == pytest.approx(np.cos((0.0, 1.0, 0.0, 1.0, 0.0, 0.5)), abs=1e-12)


@pytest.mark.parametrize(
    'moved',
    [
        {'point': (0.0, 0.0, -1e308)},
        {'point': (1e300, 0.0, 0.0)},
        {'conveyor': (1e300, 0.0, 0.0)},
        {'spin': 1e-300, 'conveyor': (1.0, 0.0, 0.0)},
    ],
)
def test_a_floor_at_infinity_is_not_drawn(moved):
    found = scenario.load(scenario.shipped()['ellipsoid_sliding'])
    contact = found.plant.contact
    contact = replace(contact, floor=replace(contact.floor, **moved))
    found = replace(found, plant=found.plant.with_contact(contact))
    drawn = contact_markers.ContactMarkers(found, REACH, 10)
    touch = contact_markers.ContactSample(ORIGIN, ORIGIN, np.array((0.0, 0.0, 1.0)), 10.0)
    markers = drawn.markers(touch)
    assert [warnings_of_rviz(marker) for marker in markers if warnings_of_rviz(marker)] == []
    assert not shown(markers)['floor']
    assert len(shown(markers)['contact_force']) == 1


@pytest.mark.parametrize('far', [np.nan, np.inf, 1e30, 1e9])
def test_a_piece_of_floor_too_wide_to_be_drawn_is_refused(far):
    floor = scenario.load(scenario.shipped()['ellipsoid_sliding']).plant.contact.floor
    cover = np.array((ORIGIN, (far, 0.0, 0.0)))
    piece = floor_mesh.Piece(cover, 1.0, 0.1, np.array((0.0, 0.0, 1.0)))
    with pytest.raises(ValueError, match='cannot be drawn'):
        floor_mesh.floor_mesh(floor, 0.0, piece)


@pytest.mark.parametrize('time', [0.0, 1.7])
def test_the_normal_at_the_contact_is_that_of_a_moving_floor_now(time):
    """Of a wave 0.1 sin(k x - w t): its slope is 0.1 k cos(k x - w t)."""
    found = scenario.load(scenario.find('wave'))
    point_W, force_W = np.array((0.4, 0.2, 0.0)), np.array((0.0, 0.0, 2.0))
    drawn = contact_markers.ContactMarkers(found, REACH, 10)
    sample = contact_markers.ContactSample(point_W + (0.0, 0.0, 0.1), point_W, force_W, time)
    (arrow,) = (one for one in drawn.markers(sample) if one.ns == 'contact_normal')
    start, end = (np.array((at.x, at.y, at.z)) for at in arrow.points)
    _, normal = floors.gap_and_normal(found.plant.contact.floor, time, point_W)
    other = floors.gap_and_normal(found.plant.contact.floor, 1.7 - time, point_W)[1]
    along = (end - start) / np.linalg.norm(end - start)
    assert start == pytest.approx(point_W)
    assert along == pytest.approx(normal, abs=1e-9)
    assert np.abs(normal - other).max() > 1e-3


def test_the_path_is_above_the_flat_faces_of_a_curved_floor():
    found = scenario.load(scenario.shipped()['ball_in_bowl'])
    floor = found.plant.contact.floor
    reach = max(part.reach() for part in body_looks.drawn_parts(found))
    drawn, depths = contact_markers.ContactMarkers(found, reach, 100), []
    for angle in np.linspace(0.3, 0.5, 40):
        point_W = np.array((np.sin(angle), 0.0, -np.cos(angle)))
        touch_W = floor.center + floor.radius * point_W
        center_W = touch_W - reach * point_W
        force = np.array((0.0, 0.0, 1.0))
        markers = shown(
            drawn.markers(contact_markers.ContactSample(center_W, touch_W, force, 0.0))
        )
        if not markers['contact_path']:
            continue
        end_W = corners_of(markers['contact_path'])[-1]
        # Of the triangle below: the path is above its plane, though the bowl's point is below it.
        triangles = corners_of(markers['floor']).reshape(-1, 3, 3)
        normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        normals /= np.linalg.norm(normals, axis=1)[:, np.newaxis]
        over = np.array([holds(triangle, end_W) for triangle in triangles])
        for triangle, normal in zip(triangles[over], normals[over], strict=True):
            depths.append([(one - triangle[0]) @ normal for one in (end_W, touch_W)])
    heights, true = np.array(depths).T
    assert len(heights) > 20
    assert true.min() < -0.03 * reach
    assert heights.min() > 0.005 * reach
    assert heights.max() < 0.1 * reach


def holds(triangle, point):
    """Return whether a point is over or under a triangle (3, 3)."""
    sides = np.roll(triangle, -1, axis=0)[:, :2] - triangle[:, :2]
    to = point[:2] - triangle[:, :2]
    turns = sides[:, 0] * to[:, 1] - sides[:, 1] * to[:, 0]
    return bool(np.all(turns >= 0.0) or np.all(turns <= 0.0))


def test_the_force_of_an_impact_stays_in_the_picture():
    found = scenario.load(scenario.shipped()['bouncing_ellipsoid'])
    weight = found.plant.body.mass * np.linalg.norm(found.plant.gravity_W)
    drawn = contact_markers.ContactMarkers(found, REACH, 10)

    def length(weights):
        force = np.array((0.0, 0.0, weights * weight))
        markers = shown(drawn.markers(contact_markers.ContactSample(ORIGIN, ORIGIN, force, 0.0)))
        return np.linalg.norm(vector_of(markers['contact_force'][0])) / REACH

    assert length(1.0) == pytest.approx(2.5)
    assert length(300.0) == pytest.approx(5.0)


def test_the_speed_of_a_wheel_is_drawn_also_beside_one_without_a_limit():
    given = {
        'wheels': ['a', 'b'], 'wheel.a.max_speed': 600.0,
        **{f'wheel.{name}.axis': axis for name, axis in (('a', [1.0, 0, 0]), ('b', [0, 1.0, 0]))},
        **{f'wheel.{name}.inertia': 1e-5 for name in 'ab'},
        **{f'wheel.{name}.max_torque': 1e-3 for name in 'ab'},
    }  # fmt: skip
    found = scenario.build(given, 'test')
    drawn = WheelMarkers(found, body_looks.drawn_parts(found))
    fast, slow = (
        vector_of(shown(drawn.at(0, ORIGIN, UPRIGHT, np.array((speed, 0.0))))['wheel_speeds'][0])
        for speed in (500.0, -250.0)
    )
    longest = wheel_markers.LENGTH * drawn.discs.radius
    assert fast == pytest.approx((longest, 0.0, 0.0))
    assert slow == pytest.approx((-longest / 2.0, 0.0, 0.0))
