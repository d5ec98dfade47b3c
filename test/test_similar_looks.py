# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A craft larger in every length is drawn larger by the same factor, in figures and in RViz."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from test_actuator_views import EVERYTHING, looks
from test_internal_views import BALL, CRAFT, LEFT, TANK
from visualization_msgs.msg import Marker

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import FlexibleMode
from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum
from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug
from spacecraft_attitude_sim.drawing import internal_looks
from spacecraft_attitude_sim.nodes.markers.motion_markers import ALONE
from spacecraft_attitude_sim.nodes.markers.node import MarkersNode

LARGER, REACH = 2.5, 0.7
TURNED = rotations.quaternion_from_axis_angle(np.array((0.6, 0.0, 0.8)), 1.1)
LENGTHS = ('size', 'position', 'hinge', 'center', 'travel', 'pivot', 'length', 'displacement')
ORBIT = '    orbit: {radius: 6.9e+6}\n'
FREE = """
/**/simulator:
  ros__parameters:
    description: a plate
    body: {mass: 1.0, inertia: [0.01, 0.02, 0.025], parts: [plate, rod]}
    parts:
      plate: {shape: box, size: [0.4, 0.3, 0.02]}
      rod: {shape: cylinder, size: [0.02, 0.5], position: [0.1, 0.0, 0.2]}
    initial: {angular_velocity: [0.05, -0.02, 0.1]}
"""


def parts_of(k):
    """Return parts of every kind, k times as large."""
    plate = {'hinge_B': k * np.array(LEFT['hinge']), 'axis_B': (1.0, 0.0, 0.0)}
    own = LEFT['mass'] / 12.0 * np.diag((1.0016, 0.1616, 1.16))
    return InternalParts.named(
        {
            'bend': FlexibleMode((0.0, 0.2, 0.0), 3.8),
            'left': HingedPanel(
                **plate, center_B=k * np.array(LEFT['center']), mass=1.5, inertia=k * k * own
            ),
            'far': HingedPanel(
                **plate, center_B=k * np.array((0.1, 1.4, 0.0)), mass=1.5, inertia=k * k * own
            ),
            'ball': SlidingMass(
                k * np.array(BALL.position_B), BALL.axis_B, BALL.mass, 0.5,
                travel=tuple(k * end for end in BALL.travel),
            ),
            'endless': SlidingMass(
                k * np.array((0.1, 0.2, 0.0)), (0.0, 1.0, 0.0), 2.0, 0.5, displacement=0.6 * k
            ),
            'light': SlidingMass(k * np.array((0.1, 0.0, 0.3)), (0.0, 1.0, 0.0), 1e-3, 0.5),
        },
        {'tank': Pendulum(k * np.array(TANK.pivot_B), TANK.rest_B, TANK.mass, k * TANK.length)},
        {'oil': ViscousSlug(0.5, 0.3), 'water': ViscousSlug(0.4, 0.3)},
    )  # fmt: skip


def test_parts_inside_are_drawn_in_proportion():
    turns = np.array((TURNED, rotations.IDENTITY))
    displaced, swung = np.array((0.0, 0.3, 0.2, 0.1, -0.2, 0.05)), np.array(((0.05, 0.0, 0.02),))
    meshes = []
    for k in (1.0, LARGER):
        places = displaced * (1.0, 1.0, 1.0, k, k, k)
        made = internal_looks.looks_of(parts_of(k), k * REACH)
        meshes.append(made.mesh(places, k * swung, turns))
        # Slugs stand in a row about the middle, and do not touch.
        (one, other), slug = made.slug_places, 2.0 * internal_looks.SLUG * k * REACH
        assert np.array_equal(one, -other) and slug < np.linalg.norm(one - other) < 1.2 * slug
    small, large = meshes
    np.testing.assert_allclose(large.corners, LARGER * small.corners, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(large.normals, small.normals, atol=1e-9)
    assert np.array_equal(large.colors, small.colors)


def scaled(text, k):
    """Return the Scenario of a text with all its lengths multiplied."""

    def times(found):
        numbers = (f'{k * float(number):.12g}' for number in found[2].strip('[]').split(','))
        return (
            f'{found[1]}: [{", ".join(numbers)}]'
            if '[' in found[2]
            else (f'{found[1]}: {next(numbers)}')
        )

    # The displacement of a mode is no length. With the same mass, inertia is in proportion to k².
    text = text.replace('frequency: 0.6, displacement: 0.05', 'frequency: 0.6')
    text = re.sub(rf'\b({"|".join(LENGTHS)}): (\[[^]]*\]|[-\d.e]+)', times, text)
    text = text.replace('[10.0, 8.0, 5.0]', f'[{10 * k * k}, {8 * k * k}, {5 * k * k}]')
    return scenario.parse(text, 'scaled')


def test_rings_jets_and_discs_are_drawn_in_proportion():
    pairs = [looks(scaled(EVERYTHING, k)) for k in (1.0, LARGER)]
    joints, forces = np.array((0.4, -1.9)), np.array((0.01, 0.02))
    for large, small in (
        [made.mesh(joints, forces) for made, _, _ in reversed(pairs)],
        [discs.mesh(np.array((0.1, 0.2, 3.0, 4.0))) for _, discs, _ in reversed(pairs)],
    ):
        np.testing.assert_allclose(large.corners, LARGER * small.corners, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(large.normals, small.normals, atol=1e-9)
    assert pairs[1][0].dipole == pytest.approx(LARGER * pairs[0][0].dipole)


def drawn(found, k):
    """Return the markers of two instants, without a node in ROS."""
    node = object.__new__(MarkersNode)
    node._trace_length, node._words = 20, ALONE
    node._assembler = SimpleNamespace(forget=lambda: None)
    node._begin(found)
    craft, markers = found.plant.spacecraft, []
    joints = node._joints
    for tick in (0, 4):
        if node._joints:
            node._actuators.hear(np.linspace(0.001, 0.01, joints), 0.0)
        inside = craft.internal
        instant = SimpleNamespace(
            tick=tick, elapsed=tick, ticks=found.plant.ticks, scenario=None, received=frozenset(),
            position_W=k * np.array((0.3, 0.1 * tick, 0.0)), q_WB=TURNED,
            omega_B=np.array((0.05, 0.02 * tick, 0.1)),
            angular_momentum_W=(k * k if inside else 1.0) * np.array((0.001, 0.002, 0.003)),
            wheel_speeds=np.linspace(-50.0, 90.0, joints),
            joint_angles=np.linspace(0.1, 2.0, joints),
            dipole_B=np.array((0.1, -0.05, 0.0)),
            displacements=np.array((0.01, 0.3, 0.1 * k, 0.0, 0.0, 0.02 * k) if inside else ()),
            slug_rates=np.array((0.1, 0.2, 0.3) if inside else ()),
        )  # fmt: skip
        markers += [told_of(marker) for marker in node._drawn(instant)]
    return markers


def told_of(marker):
    """Return what of a marker stays, and its lengths."""
    q, place, size = marker.pose.orientation, marker.pose.position, marker.scale
    points = np.array([(point.x, point.y, point.z) for point in marker.points]).reshape(-1, 3)
    shades = [(one.r, one.g, one.b, one.a) for one in (marker.color, *marker.colors)]
    sizes = np.array((size.x, size.y, size.z))
    if marker.action == Marker.DELETE:
        sizes = np.zeros(3)
    elif marker.type == Marker.TRIANGLE_LIST:  # whose scale multiplies its points
        points, sizes = points * sizes, np.zeros(3)
    elif marker.type in (Marker.LINE_LIST, Marker.LINE_STRIP):  # of which x alone is used
        sizes = sizes[:1]
    elif marker.type == Marker.TEXT_VIEW_FACING:  # of which z alone is used
        sizes = sizes[2:]
    stays = (marker.ns, marker.type, marker.action, marker.text, shades)
    lengths = np.concatenate((points.ravel(), sizes, (place.x, place.y, place.z)))
    return stays, lengths, np.array((q.w, q.x, q.y, q.z))


@pytest.mark.parametrize('text', [EVERYTHING, CRAFT, FREE, FREE + ORBIT])
def test_markers_are_drawn_in_proportion(text):
    small, large = (drawn(scaled(text, k), k) for k in (1.0, LARGER))
    assert len(small) == len(large) > 10
    for (one, lengths, q), (other, larger, same_q) in zip(small, large, strict=True):
        assert one == other
        np.testing.assert_allclose(larger, LARGER * lengths, rtol=1e-6, atol=1e-9, err_msg=one[0])
        np.testing.assert_allclose(q, same_q, atol=1e-9, err_msg=one[0])
