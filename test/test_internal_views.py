# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Figures, animations, RViz and the viewer show what moves inside where its geometry has it."""

import numpy as np
import pytest
from processes import printed
from sensor_msgs.msg import JointState
from test_markers import TURNED, drawer
from visualization_msgs.msg import Marker

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core.body.primitives import Primitive
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import FlexibleMode
from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.parts.coordinates.layouts import CAUGHT, FREE, HELD, LATCHED
from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.parts.hysteresis_rods.description import HysteresisRod
from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum
from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug
from spacecraft_attitude_sim.core.studies import energy_sink
from spacecraft_attitude_sim.drawing import (
    figures,
    internal_figures,
    internal_looks,
    meshes,
    momentum_sphere,
    selected_panels,
)
from spacecraft_attitude_sim.drawing.panel_names import NAMES
from spacecraft_attitude_sim.nodes.ros import conversions
from spacecraft_attitude_sim.recording import history
from spacecraft_attitude_sim.recording.history import History
from spacecraft_attitude_sim.recording.part_history import PartHistory

pytestmark = pytest.mark.usefixtures('placed_roughly')

# A hinge along x at y = 0.5, z = 0.2; the panel hangs 0.6 m outside of it along y.
LEFT = {'hinge': [0.0, 0.5, 0.2], 'center': [0.0, 0.6, 0.0], 'mass': 1.5, 'size': [0.4, 1.0, 0.04]}
CRAFT = """
/**/simulator:
  ros__parameters:
    description: parts inside
    body: {mass: 50.0, inertia: [10.0, 8.0, 5.0], parts: [box]}
    parts: {box: {shape: box, size: [0.8, 0.8, 0.6]}}
    initial: {angular_velocity: [0.1, 0.2, 1.0]}
    flexible_modes: [bend]
    flexible_mode:
      bend: {coupling: [0.0, 0.2, 0.0], frequency: 0.6, displacement: 0.05}
    panels: [left]
    panel:
      left: {hinge: [0.0, 0.5, 0.2], axis: [1.0, 0.0, 0.0], center: [0.0, 1.1, 0.2], mass: 1.5,
             size: [0.4, 1.0, 0.04], stiffness: 20.0, angle: -0.3, release_time: 0.5,
             latch_angle: 0.0}
    sliding_masses: [ball]
    sliding_mass:
      ball: {position: [0.3, 0.0, 0.0], axis: [0.0, 0.0, 1.0], mass: 0.5, stiffness: 0.5,
             travel: [-0.2, 0.25], displacement: 0.1}
    pendulums: [tank]
    pendulum:
      tank: {pivot: [-0.1, 0.0, 0.1], rest: [0.0, 0.0, -1.0], mass: 4.0, length: 0.2}
    slugs: [oil]
    slug:
      oil: {inertia: 0.5, damping: 0.3}
"""
SECONDS = 2.0


def plate(angle=0.0, **more):
    """Return the panel above, its inertia that of a box turned about z by an angle."""
    a, b, c = LEFT['size']
    own = LEFT['mass'] / 12.0 * np.diag((b * b + c * c, a * a + c * c, a * a + b * b))
    turn = rotations.dcm_from_quaternion(
        rotations.quaternion_from_axis_angle((0.0, 0.0, 1.0), angle)
    )
    given = {'hinge_B': LEFT['hinge'], 'axis_B': (1.0, 0.0, 0.0), 'center_B': LEFT['center']}
    return HingedPanel(**given, mass=LEFT['mass'], inertia=turn @ own @ turn.T, **more)


BALL = SlidingMass((0.3, 0.0, 0.0), (0.0, 0.0, 1.0), 0.5, 0.5, travel=(-0.2, 0.25))
TANK = Pendulum((-0.1, 0.0, 0.1), (0.0, 0.0, -1.0), 4.0, 0.2)
PARTS = InternalParts.named(
    {'bend': FlexibleMode((0.0, 0.2, 0.0), 3.8), 'left': plate(), 'ball': BALL},
    {'tank': TANK},
    {'oil': ViscousSlug(0.5, 0.3)},
)


@pytest.fixture(scope='module')
def found():
    """Return the Scenario, of which nothing was recorded."""
    return scenario.parse(CRAFT, 'craft')


@pytest.fixture(autouse=True)
def closing():
    """Draw to files, and close every figure at the end."""
    figures.without_display()
    from matplotlib import pyplot

    yield
    pyplot.close('all')


# --- the energy of rotation ----------------------------------------------------------------------


def cloud(mass, middle, spread, count=40):
    """Return masses (n,) and places (n, 3) of points."""
    points = np.random.default_rng(count).normal(size=(count, 3)) * spread
    return np.full(count, mass / count), points - points.mean(axis=0) + middle


def inertia_of(masses, points):
    """Return the inertia (3, 3) of points about their centre of mass."""
    away = points - masses @ points / masses.sum()
    return (masses @ np.sum(away**2, axis=1)) * np.eye(3) - (away.T * masses) @ away


def test_the_locked_inertia_is_that_of_all_points_where_they_are():
    axis, hinge, center = np.array((0.6, 0.0, 0.8)), np.array((0.0, 0.5, 0.2)), (0.1, 0.6, -0.2)
    panel_m, panel = cloud(3.0, center, (0.3, 0.5, 0.05))
    hub_m, hub = cloud(40.0, (0.0, 0.0, 0.0), (0.5, 0.4, 0.3), 60)
    still = {'ball': (0.5, (0.3, 0.0, 0.0)), 'tank': (4.0, (-0.1, 0.0, -0.1))}
    every_m = np.concatenate((hub_m, panel_m, [0.5, 4.0]))
    first = np.concatenate((hub, hinge + panel, [place for _, place in still.values()]))
    origin = every_m @ first / every_m.sum()  # of body axes: the centre of mass of reference
    parts = InternalParts.named(
        {
            'panel': HingedPanel(hinge - origin, axis, center, 3.0, inertia_of(panel_m, panel)),
            'bend': FlexibleMode((0.0, 0.2, 0.0), 3.8),
            'ball': SlidingMass(np.array((0.3, 0.0, 0.0)) - origin, (0.0, 0.0, 1.0), 0.5),
        },
        {'tank': Pendulum(np.array((-0.1, 0.0, 0.1)) - origin, (0.0, 0.0, -1.0), 4.0, 0.2)},
    )
    angles, slides = np.array((0.0, 0.7, -2.1)), np.array((0.0, 0.2, -0.1))
    swung = np.array(((0.0, 0.0, 0.0), (0.1, 0.0, 0.05), (-0.02, 0.12, 0.04)))
    displacements = np.column_stack((angles, [0.0, 0.3, 0.1], slides))
    told = energy_sink.locked_inertias_B(
        inertia_of(every_m, first), every_m.sum(), parts, displacements, swung[:, np.newaxis]
    )
    for row, (angle, slide, swing) in enumerate(zip(angles, slides, swung, strict=True)):
        q = rotations.quaternion_from_axis_angle(axis, angle)
        now = first.copy()
        now[60:100] = hinge + [rotations.rotate(q, point) for point in panel]
        now[100] += (0.0, 0.0, slide)
        now[101] += swing
        assert told[row] == pytest.approx(inertia_of(every_m, now), rel=1e-12, abs=1e-12)


@pytest.fixture(params=[(0.0, 0.0, 0.0), (0.3, -0.1, 0.5)], ids=['no wheels', 'wheels'])
def turning(request):
    """A Rotation whose L leaves the axis of the smallest moment for that of the largest."""
    angle = np.linspace(0.1, np.pi / 2.0 - 0.01, 50)
    momentum_B = 4.0 * np.column_stack((np.sin(angle), 0.05 * np.sin(9 * angle), np.cos(angle)))
    momentum_B *= (4.0 / np.linalg.norm(momentum_B, axis=1))[:, np.newaxis]
    inertias_B = np.tile(np.diag((10.0, 8.0, 5.0)), (50, 1, 1))
    held_B = np.tile(request.param, (50, 1))
    return energy_sink.rotation(momentum_B, inertias_B, held_B)


def test_the_ellipsoid_goes_through_the_tip_of_l_and_shrinks_with_the_energy(turning):
    away_P = np.einsum('nji,nj->ni', turning.axes_B, turning.momentum_B - turning.held_B)
    assert np.sum((away_P / turning.semi_axes) ** 2, axis=1) == pytest.approx(1.0)
    omega_B = (turning.momentum_B - turning.held_B) / (10.0, 8.0, 5.0)
    energies = np.sum(omega_B**2 * (10.0, 8.0, 5.0), axis=1) / 2.0
    assert turning.energies == pytest.approx(energies, rel=1e-12)
    assert turning.bounds == pytest.approx(np.tile(8.0 / np.array((5, 8, 10)), (50, 1)))
    if not turning.held_B.any():
        assert np.all(turning.semi_axes[-1] < turning.semi_axes[0])
    assert np.linalg.det(turning.axes_B) == pytest.approx(1.0)


def test_nutation_is_the_angle_of_l_to_the_axis_that_it_comes_near(turning):
    found = turning.nutation_angles()
    cosine = turning.momentum_B / 4.0
    assert found['axis of the largest I'] == pytest.approx(np.arccos(cosine[:, 0]))
    assert found['axis of the smallest I'] == pytest.approx(np.arccos(cosine[:, 2]))
    assert ('h of the wheels' in found) == bool(turning.held_B.any())


def test_nutation_of_a_symmetric_body_is_that_of_its_axis_of_symmetry():
    momentum_B = np.array(((0.0, 0.6, -0.8), (0.6, 0.0, -0.8)))
    oblate = energy_sink.rotation(momentum_B, np.tile(np.diag((2.0, 2.0, 3.0)), (2, 1, 1)))
    assert oblate.nutation_angles().keys() == {'axis of the largest I'}
    assert oblate.nutation_angles()['axis of the largest I'] == pytest.approx(np.arccos(0.8))
    ball = energy_sink.rotation(momentum_B, np.tile(2.0 * np.eye(3), (2, 1, 1)))
    assert not ball.nutation_angles()


# --- how parts look ------------------------------------------------------------------------------


@pytest.mark.parametrize('angle', [0.0, 0.4])
def test_a_panel_is_drawn_as_the_plate_of_its_mass_and_inertia(angle):
    made = internal_looks.plate_of(plate(angle), reach=1.0)
    assert sorted(made.size) == pytest.approx([0.04, 0.4, 1.0], rel=1e-9)
    heavy = Primitive('box', made.size, (0.0, 0.0, 0.0), made.orientation, LEFT['mass'])
    assert heavy.inertia() == pytest.approx(plate(angle).inertia, rel=1e-9, abs=1e-12)
    assert made.position == (0.0, 0.6, 0.0)


def places(looks, displacements, swing):
    """Return {name: its Mesh} in body axes."""
    poses = looks.poses(np.array(displacements), np.array([swing]), np.array([rotations.IDENTITY]))
    return {
        look.name: meshes.turned(look.mesh(), q, place)
        for look, (place, q) in zip(looks.moving, poses, strict=True)
    }


def middle_of(mesh, color=None):
    """Return the middle (3,) of a Mesh, or of its faces of a colour."""
    chosen = slice(None) if color is None else np.all(mesh.colors[:, :3] == color[:3], axis=1)
    corners = mesh.corners[chosen].reshape(-1, 3)
    return (corners.min(axis=0) + corners.max(axis=0)) / 2.0


@pytest.mark.parametrize(
    ('angle', 'center'),
    [
        (0.0, (0.0, 1.1, 0.2)),
        (np.pi / 2.0, (0.0, 0.5, 0.8)),  # about x: y goes to z
        (-np.pi / 2.0, (0.0, 0.5, -0.4)),
    ],
)
def test_a_panel_turns_about_its_hinge_by_the_right_hand(angle, center):
    looks = internal_looks.looks_of(PARTS, 0.6)
    plate_now = places(looks, (0.0, angle, 0.0), (0.0, 0.0, 0.0))['left']
    color = looks.moving[0].primitives[0].color
    assert middle_of(plate_now, color) == pytest.approx(center, abs=1e-9)
    # The hinge's line stays where it is, along x.
    hinge = looks.moving[0].primitives[1]
    rod = meshes.turned(
        meshes.mesh([hinge]), *looks.poses(np.array((0.0, angle, 0.0)), np.zeros((1, 3)),
                                           np.array([rotations.IDENTITY]))[0][::-1],
    )  # fmt: skip
    assert middle_of(rod) == pytest.approx(LEFT['hinge'], abs=1e-9)
    assert np.ptp(rod.corners.reshape(-1, 3), axis=0)[0] == pytest.approx(0.4, rel=1e-6)


def test_a_panel_off_its_hinge_has_an_arm_to_it():
    looks = internal_looks.looks_of(PARTS, 0.6)
    _, _, arm = looks.moving[0].primitives  # 0.6 m out, and half a plate of 1 m: 0.1 m are free
    assert arm.shape == 'cylinder'
    near = HingedPanel((0.0, 0.5, 0.0), (1, 0, 0), (0.0, 0.5, 0.0), 1.5, plate().inertia)
    looks = internal_looks.looks_of(InternalParts.named({'near': near}), 0.6)
    assert len(looks.moving[0].primitives) == 2


def test_balls_are_at_their_displacements_and_lines_end_at_stops():
    looks = internal_looks.looks_of(PARTS, 0.6)
    now = places(looks, (0.0, 0.0, 0.2), (0.12, 0.0, 0.04))
    assert middle_of(now['ball']) == pytest.approx((0.3, 0.0, 0.2), abs=1e-9)
    tube, low, high = looks.still[0].primitives
    assert tube.size[1] == pytest.approx(0.45)
    assert tube.position == pytest.approx((0.3, 0.0, 0.025))
    radius = looks.moving[1].primitives[0].size[0]
    assert low.position[2] + low.size[1] / 2.0 == pytest.approx(-0.2 - radius)
    assert high.position[2] - high.size[1] / 2.0 == pytest.approx(0.25 + radius)
    # A volume as its mass, beside that of the heaviest.
    tank = looks.moving[2].primitives[2].size[0]
    assert (radius / tank) ** 3 == pytest.approx(0.5 / 4.0)


def test_a_pendulum_hangs_from_its_pivot_to_its_mass():
    looks = internal_looks.looks_of(PARTS, 0.6)
    # From straight down at 0.2 m to (0.12, 0, -0.16): of the same length.
    now = places(looks, (0.0, 0.0, 0.0), (0.12, 0.0, 0.04))['tank']
    ball = looks.moving[2].primitives[2]
    assert middle_of(now, ball.color) == pytest.approx((0.02, 0.0, -0.06), abs=1e-9)
    pivot = meshes.mesh([looks.moving[2].primitives[0]])
    assert middle_of(pivot) == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)


def test_a_slug_turns_as_the_sum_of_its_rates():
    time = np.linspace(0.0, 2.0, 65)
    rates = np.zeros((65, 1, 3))
    rates[:, 0, 2] = 0.5 * time  # about z, to 1 rad in 2 s
    turns = internal_looks.slug_turns(time, rates)
    expected = rotations.quaternion_from_axis_angle((0.0, 0.0, 1.0), 1.0)
    assert rotations.angle_between(turns[-1, 0], expected) < 1e-6
    again = internal_looks.slug_turns(time, rates, turns[-1])
    twice = rotations.quaternion_from_axis_angle((0.0, 0.0, 1.0), 2.0)
    assert rotations.angle_between(again[-1, 0], twice) < 1e-6


def test_a_body_is_glass_only_where_it_hides_something():
    box = (Primitive('box', (1.0, 1.0, 1.0)),)
    outside = InternalParts.named({'left': plate(), 'bend': FlexibleMode((0.0, 0.2, 0.0), 3.8)})
    assert internal_looks.through_glass(outside, box) is box
    assert internal_looks.through_glass(None, box) is box
    (glass,) = internal_looks.through_glass(PARTS, box)
    assert glass.color[3] == internal_looks.GLASS


def test_what_is_not_told_stands_where_the_inertia_has_it():
    moved, swings, rates = internal_looks.told(PARTS, np.zeros(5), np.array((1.0, 2.0, np.nan)))
    assert moved.tolist() == [0.0, 0.0, 0.0]
    assert swings.tolist() == [[0.0, 0.0, 0.0]]
    assert rates.tolist() == [[1.0, 2.0, 0.0]]


# --- figures -------------------------------------------------------------------------------------


def made_history(count=97, sink=True):
    """Return a History whose L goes from the axis of the smallest moment to that of the largest.

    The panel is let go at 1 s, is at 0.5 rad at 2 s and is caught there.
    """
    time = np.arange(count) / 32.0
    angle = 0.2 + 1.2 * time / time[-1] if sink else np.full(count, 0.2)
    momentum_B = 4.0 * np.column_stack((np.sin(angle), np.zeros(count), np.cos(angle)))
    panel = 0.5 * np.clip(time - 1.0, 0.0, 1.0)
    how = np.full((count, 3), FREE)
    how[:, 1] = np.select([time < 1.0, time < 2.0], [HELD, FREE], LATCHED)
    swing = 0.2 * np.array((np.sin(0.3), 0.0, 1.0 - np.cos(0.3)))
    displacements = np.column_stack((0.01 * np.cos(time), panel, 0.1 * np.cos(time)))
    zeros = np.zeros((count, 3))
    swings = np.tile(swing, (count, 1, 1))
    internal = PartHistory(PARTS, {
        'displacements': displacements, 'rates': zeros, 'how': how, 'swings': swings,
        'swing_rates': np.zeros((count, 1, 3)), 'swing_angles': PARTS.swing_angles(swings),
        'slug_rates': np.tile((0.0, 0.6, 0.8), (count, 1, 1)),
        'flux_densities': np.zeros((count, 0)),
    })  # fmt: skip
    inertias_B = np.tile(np.diag((10.0, 8.0, 5.0)), (count, 1, 1))
    return History(
        time, zeros, momentum_B / (10.0, 8.0, 5.0), zeros, momentum_B,
        parts={'internal': internal}, rotation=energy_sink.rotation(momentum_B, inertias_B),
    )  # fmt: skip


def panels_of(drawn):
    return {axis.get_ylabel().replace('\n', ' '): axis for axis in drawn.axes}


def test_the_figure_shows_each_kind_in_its_unit_and_when_a_panel_was_let_go(closing):
    table = made_history()
    panels = panels_of(internal_figures.figure(table, 'parts'))
    assert list(panels) == [
        'angle of each panel [deg]', 'displacement of each mass [mm]',
        'modal displacement [√kg m]',
        'each pendulum from its rest [deg]', 'slugs relative to the body [rad/s]',
    ]  # fmt: skip
    first = {label: axis.lines[0].get_ydata() for label, axis in panels.items()}
    assert first['angle of each panel [deg]'][-1] == pytest.approx(np.degrees(0.5))
    assert first['displacement of each mass [mm]'][0] == pytest.approx(100.0)
    assert first['each pendulum from its rest [deg]'] == pytest.approx(np.degrees(0.3))
    assert first['slugs relative to the body [rad/s]'] == pytest.approx(1.0)
    said = [text.get_text() for text in panels['angle of each panel [deg]'].texts]
    assert said[1:] == ['left released', 'left latched']
    for axis in panels.values():
        marks = [line.get_xdata()[0] for line in axis.lines[1:]]
        assert marks == [1.0, 2.0]


def test_the_figure_shows_the_flux_of_hysteresis_rods(closing):
    rod = HysteresisRod((1.0, 0.0, 0.0), 1e-7, 1.0, 0.3, 0.5)
    flux = 0.2 * np.sin(np.arange(97.0))[:, np.newaxis]
    table = made_history()
    internal = table.internal._replace(parts=InternalParts.named(hysteresis_rods={'x': rod})).but(
        displacements=np.zeros((97, 0)), how=np.zeros((97, 0)), swing_angles=np.zeros((97, 0)),
        slug_rates=np.zeros((97, 0, 3)), flux_densities=flux,
    )  # fmt: skip
    seen = table._replace(parts={'internal': internal})
    panels = panels_of(internal_figures.figure(seen, 'rods'))
    assert list(panels) == ['flux density of each rod [T]']
    assert (
        panels['flux density of each rod [T]'].lines[0].get_ydata().tolist() == flux[:, 0].tolist()
    )


def test_a_panel_that_a_spring_catches_is_latched_and_one_at_its_end_is_not():
    table = made_history()
    how = table.internal.how.copy()
    how[64:, 1] = CAUGHT
    how[:, 2] = HELD  # what is no panel is not told of
    how[50:, 2] = FREE
    events = internal_figures.events(table.internal.but(how=how), table.time)
    assert events == [(1.0, 'left released'), (2.0, 'left latched')]


def test_the_figure_of_the_sink_marks_a_spin_about_each_axis(closing):
    table = made_history()
    nutation, energy = internal_figures.sink_figure(table, 'sink').axes
    largest, smallest = (line.get_ydata() for line in nutation.lines[:2])
    assert smallest[[0, -1]] == pytest.approx(np.degrees((0.2, 1.4)))
    assert largest == pytest.approx(90.0 - smallest)
    left, *bounds = (line.get_ydata() for line in energy.lines[:4])
    first = 8.0 * (np.sin(0.2) ** 2 / 10.0 + np.cos(0.2) ** 2 / 5.0)
    last = 8.0 * (np.sin(1.4) ** 2 / 10.0 + np.cos(1.4) ** 2 / 5.0)
    assert left[[0, -1]] == pytest.approx((100.0, 100.0 * last / first))
    expected = [100.0 * 8.0 / moment / first for moment in (5.0, 8.0, 10.0)]
    assert [bound[0] for bound in bounds] == pytest.approx(expected)
    names = [text.get_text() for text in energy.texts if 'L²' in text.get_text()]
    assert names == ['L²/2I, smallest I', 'L²/2I, intermediate I', 'L²/2I, largest I']


def test_no_spin_about_an_axis_is_marked_where_wheels_hold_momentum():
    table = made_history()
    held = np.tile((0.0, 0.0, 1.0), (len(table.time), 1))
    rotation = table.rotation._replace(held_B=held)
    assert internal_figures.bound_shares(rotation) is None
    assert internal_figures.bound_shares(table.rotation) is not None


def test_faces_of_the_ellipsoid_lie_on_it_and_not_far_off():
    half, center = np.array((0.9, 1.0, 3.0)), np.array((0.1, 0.0, -0.2))
    axes = rotations.dcm_from_quaternion(
        rotations.quaternion_from_axis_angle((0.6, 0.0, 0.8), 1.1)
    )
    corners, normals = momentum_sphere.ellipsoid_faces(center, half, axes)
    points = corners.reshape(-1, 3)
    distances, edge = np.linalg.norm(points, axis=1), momentum_sphere.FARTHEST
    assert distances.max() == pytest.approx(edge)  # it would reach 3
    inside = (points[distances < edge - 1e-9] - center) @ axes / half
    assert np.sum(inside**2, axis=1) == pytest.approx(1.0)
    outwards = np.sum(normals * (corners.mean(axis=1) - center), axis=1)
    assert np.all(outwards > 0.0)
    whole, _ = momentum_sphere.ellipsoid_faces(np.zeros(3), np.ones(3), np.eye(3))
    assert len(whole) == momentum_sphere.SEGMENTS * momentum_sphere.SEGMENTS // 2


def test_the_animated_sphere_shows_the_ellipsoid_of_each_instant(closing):
    from matplotlib import pyplot

    table = made_history()
    _, view = pyplot.subplots()
    sphere = momentum_sphere.Sphere(view, table.rotation, animated=False)
    widest = []
    for index in (0, 96):
        sphere.artists(index)
        points = np.concatenate([path.vertices for path in sphere._solid.get_paths()])
        widest.append(np.linalg.norm(points, axis=1).max())
        tip = sphere._camera[:2] @ table.rotation.momentum_B[index] / 4.0
        assert np.ravel(sphere._dot.get_data()) == pytest.approx(tip)
    # sqrt(2 T I) / |L| of the largest moment, along which the view does not look.
    expected = table.rotation.semi_axes[[0, 96], 2] / 4.0
    assert widest[0] > 1.2 > widest[1]
    assert np.all(np.array(widest) <= expected + 1e-9)
    form = momentum_sphere.FRAME._replace(frames_per_second=4)
    frames = list(momentum_sphere.animation_frames(table, 'sink', form))
    assert len(frames) == figures.frame_count(table, form) < figures.frame_count(table)
    first, last = (np.asarray(frame, dtype=int) for frame in (frames[0], frames[-1]))
    assert np.mean(np.abs(first - last) > 40) > 0.02


def test_the_latest_of_the_path_of_l_alone_is_on_the_sphere(closing):
    from matplotlib import pyplot

    angle = np.linspace(0.0, 60.0, 601)  # ten turns about an axis, 0.1 rad a sample
    momentum_B = np.column_stack((np.cos(angle), np.sin(angle), 0.0 * angle))
    rotation = energy_sink.rotation(momentum_B, np.tile(np.diag((2.0, 3.0, 4.0)), (601, 1, 1)))
    _, view = pyplot.subplots()
    sphere = momentum_sphere.Sphere(view, rotation, animated=False)
    for index, expected in ((200, 201), (600, momentum_sphere.TRACE / 0.1)):
        sphere.artists(index)
        front, behind = (line.get_ydata() for line in sphere._curves['path of L'])
        drawn = np.count_nonzero(np.isfinite(front) | np.isfinite(behind))
        assert drawn == pytest.approx(expected, abs=2)


def test_the_animation_moves_the_panel_about_its_hinge(closing):
    from matplotlib import pyplot

    table = made_history()
    box = (Primitive('box', (0.8, 0.8, 0.6)),)
    _, view = pyplot.subplots()
    scene = figures._Scene(view, table, box)
    scene.artists(96)
    drawn = [path.vertices for path in scene._body.get_paths()]
    shades = scene._body.get_facecolors()
    # Where the plate's corners are at 0.5 rad; the body is not turned.
    half = np.array(np.meshgrid((-0.2, 0.2), (0.1, 1.1), (-0.02, 0.02))).reshape(3, -1).T
    turn = rotations.quaternion_from_axis_angle((1.0, 0.0, 0.0), 0.5)
    corners = [rotations.rotate(turn, one) + LEFT['hinge'] for one in half]
    seen = meshes.on_screen(corners)
    opaque = [path for path, shade in zip(drawn, shades, strict=True) if shade[3] == 1.0]
    points = np.concatenate(opaque)
    nearest = [np.min(np.linalg.norm(points - one, axis=1)) for one in seen]
    # All but the corner that the plate itself hides.
    assert np.sort(nearest)[:7].max() < 1e-9
    # Room for the panel at any angle: 0.54 m of hinge, 0.6 and half a diagonal of 1.08 m.
    assert view.get_xlim()[1] > 1.7 * (0.54 + 0.6 + 0.53)


def test_panels_of_internal_parts_can_be_chosen_by_their_names():
    keys = [one.panel.key for one in selected_panels.every(made_history())]
    assert keys[5:] == [
        'panel_angle', 'mass_displacement', 'mode', 'pendulum', 'slug_rate', 'nutation',
        'rotation_energy',
    ]  # fmt: skip
    assert set(keys) <= NAMES.keys()


# --- RViz ----------------------------------------------------------------------------------------


@pytest.fixture
def drawn(ros, found):
    """Return a function that publishes displacements and gives what RViz is to draw."""
    parts, slugs = 'ground_truth/internal_parts', 'ground_truth/slug_rates'
    draw = drawer(ros, found, 0.7, dict.fromkeys(('joint_states', parts, slugs), JointState))

    def draw_parts(places, rates):
        left = JointState(name=['left'], position=[0.0], velocity=[0.0])
        moved, turning = JointState(position=places), JointState(velocity=rates)
        return draw({'joint_states': left, parts: moved, slugs: turning})

    return draw_parts


def at_B(marker):
    """Return where a marker is in body axes."""
    place_W = conversions.vector3_from_ros(marker.pose.position) - (2.0, 0.0, 0.0)
    return rotations.rotate(rotations.conjugate(TURNED), place_W)


def test_markers_of_a_panel_turn_about_its_hinge_and_balls_move(drawn):
    angle = 0.9
    places = [0.01, angle, -0.15, 0.12, 0.0, 0.04]
    of = drawn(places, [0.0, 0.0, 2.0])
    several = of['internal_parts']
    (box,) = [marker for marker in several if marker.type == Marker.CUBE]
    assert sorted((box.scale.x, box.scale.y, box.scale.z)) == pytest.approx([0.04, 0.4, 1.0])
    center = np.array((0.0, 0.5 + 0.6 * np.cos(angle), 0.2 + 0.6 * np.sin(angle)))
    assert at_B(box) == pytest.approx(center, abs=1e-9)
    # The plate's own axes: its long edge goes from the hinge.
    q = conversions.quaternion_from_ros(box.pose.orientation)
    long = np.eye(3)[np.argmax((box.scale.x, box.scale.y, box.scale.z))]
    along_B = rotations.rotate(rotations.conjugate(TURNED), rotations.rotate(q, long))
    assert abs(along_B @ (0.0, np.cos(angle), np.sin(angle))) == pytest.approx(1.0)
    balls = [marker for marker in several if marker.type == Marker.SPHERE]
    where = [at_B(marker) for marker in balls]
    assert where[0] == pytest.approx((0.3, 0.0, -0.15), abs=1e-9)
    assert where[1] == pytest.approx((-0.1, 0.0, 0.1), abs=1e-9)  # the pivot
    assert where[2] == pytest.approx((0.02, 0.0, -0.06), abs=1e-9)
    # The body is glass, L is the one that is told.
    (body,) = of['body']
    assert body.color.a == pytest.approx(internal_looks.GLASS)
    (arrow,) = of['angular_momentum']
    start, tip = (conversions.vector3_from_ros(point) for point in arrow.points)
    assert (tip - start) / np.linalg.norm(tip - start) == pytest.approx((0.0, 1.0, 0.0))
    # A tick later the slug has turned by its rate.
    before = conversions.quaternion_from_ros(balls[3].pose.orientation)
    slug = [m for m in drawn(places, [0.0, 0.0, 2.0])['internal_parts']
            if m.type == Marker.SPHERE][3]  # fmt: skip
    after = conversions.quaternion_from_ros(slug.pose.orientation)
    assert rotations.angle_between(before, after) == pytest.approx(2.0 / 32.0, rel=1e-6)


def test_strange_displacements_leave_parts_in_their_places(drawn):
    several = drawn([0.3], [1.0])['internal_parts']
    (box,) = [marker for marker in several if marker.type == Marker.CUBE]
    assert at_B(box) == pytest.approx((0.0, 1.1, 0.2), abs=1e-9)


# --- the viewer ----------------------------------------------------------------------------------


@pytest.fixture
def seen(found, tmp_path):
    """Return a function that gives {component: (n, …)} of an entity, and the page's layout."""
    pytest.importorskip('rerun', reason="the viewer's extra is not installed: pip '.[view]'")
    from test_viewer import columns

    from spacecraft_attitude_sim.viewer import layout
    from spacecraft_attitude_sim.viewer.rerun_session import RerunSession
    from spacecraft_attitude_sim.viewer.samples import Samples

    table = made_history()
    internal, count = table.internal, len(table.time)
    stamp = np.round(1e9 * table.time).astype(np.int64)
    q_WB = np.tile(rotations.IDENTITY, (count, 1))
    told = np.hstack((internal.displacements, internal.swings[:, 0]))
    path = tmp_path / 'run.rrd'
    session = RerunSession(live=False, save=path)
    craft = session.craft()
    craft.begin(found)
    whole = Samples(
        stamp, stamp, np.zeros((count, 3)), q_WB, table.angular_velocity_B,
        table.angular_momentum_B, displacements=told, slug_rates=internal.slug_rates[:, 0],
    )  # fmt: skip
    for first in range(0, count, 40):  # as it comes from a bag
        craft.add(whole.part(first, first + 40))
    page = layout.blueprint([craft.look()], live=False).root_container
    session.close()
    return lambda entity: columns(path, entity), page, table


def test_the_viewer_moves_parts_as_topics_say(seen):
    entity, _, table = seen
    panel = entity('/world/craft/body/internal_0')
    places_B = np.array(panel['Transform3D:translation'])[:, 0]
    assert places_B == pytest.approx(np.tile(LEFT['hinge'], (97, 1)), abs=1e-6)
    q = np.roll(np.array(panel['Transform3D:quaternion'])[-1, 0], 1)
    expected = rotations.quaternion_from_axis_angle((1.0, 0.0, 0.0), 0.5)
    assert rotations.angle_between(q, expected) < 1e-3  # single precision
    ball = np.array(entity('/world/craft/body/internal_1')['Transform3D:translation'])[:, 0]
    assert ball[:, 2] == pytest.approx(0.1 * np.cos(table.time), abs=1e-6)
    slug = np.array(entity('/world/craft/body/internal_3')['Transform3D:quaternion'])
    turned = rotations.quaternion_from_axis_angle((0.0, 0.6, 0.8), table.time[-1])
    assert rotations.angle_between(np.roll(slug[-1, 0], 1), turned) < 1e-3
    for plot, value in (
        ('panel_angles', np.degrees(0.5)), ('mass_displacements', 100.0 * np.cos(table.time[-1])),
        ('modes', 0.01 * np.cos(table.time[-1])), ('pendulum_angles', np.degrees(0.3)),
        ('slug_rates', 1.0),
    ):  # fmt: skip
        shown = np.array(entity(f'/plots/{plot}')['Scalars:scalars'])
        assert shown.shape == (97, 1)
        assert shown[-1, 0] == pytest.approx(value)


def test_the_viewer_shrinks_the_ellipsoid_with_the_energy(seen, found):
    entity, page, table = seen
    meshes_of = entity('/sphere/ellipsoid')
    corners = [np.array(one) for one in meshes_of['Mesh3D:vertex_positions']]
    assert len(corners) > 10  # drawn again as the energy falls
    plant, internal = found.plant, table.internal
    inertias_B = energy_sink.locked_inertias_B(
        plant.body.inertia, plant.body.mass, PARTS, internal.displacements, internal.swings
    )
    rotation = energy_sink.rotation(table.angular_momentum_B, inertias_B)
    left = np.array(entity('/plots/energy_left')['Scalars:scalars'])
    energies = rotation.energies
    assert left[:, 0] == pytest.approx(100.0 * energies / energies[0])
    assert left[:, 1:] == pytest.approx(100.0 * rotation.bounds / energies[0])
    for row, shape in ((0, corners[0]), (-1, corners[-1])):
        away = shape @ rotation.axes_B[row] / (rotation.semi_axes[row] / 4.0)
        assert np.sum(away**2, axis=1) == pytest.approx(1.0, abs=0.01)
    assert np.linalg.norm(corners[-1], axis=1).max() < np.linalg.norm(corners[0], axis=1).max()
    nutation = np.array(entity('/plots/nutation')['Scalars:scalars'])
    assert nutation[0, 0] < 15.0 < 75.0 < nutation[-1, 0]
    origins = [str(view.origin) for view in page.contents[1].contents]
    assert origins == ['sphere', 'plots/nutation', 'plots/energy_left']


# --- a run ---------------------------------------------------------------------------------------


def test_plot_draws_the_parts_of_a_bag_and_where_its_energy_went(command, tmp_path):
    path = tmp_path / 'craft.yaml'
    path.write_text(CRAFT)
    bag = tmp_path / 'bag'
    printed(command, 'run', path, '--rate', 0, '--duration', SECONDS, '--record', bag)
    said = printed(command, 'plot', bag, '-o', tmp_path / 'a.svg', '--poinsot')
    kinds = ('', '_internal', '_energy_sink')
    assert said.split() == [str(tmp_path / f'a{kind}.svg') for kind in kinds]
    table, found = history.read(bag)
    assert found.plant.spacecraft.internal
    events = internal_figures.events(table.internal, table.time)
    assert [words for _, words in events] == ['left released', 'left latched']
    assert 0.5 <= events[0][0] <= 0.5 + 1.0 / 32.0
    # L is kept; what the figure shows of the energy is all there is but what moves relative to
    # the body, and springs: that is little before the panel is let go.
    rotation = table.rotation
    assert np.linalg.norm(rotation.momentum_B, axis=1) == pytest.approx(
        np.linalg.norm(rotation.momentum_B[0]), rel=1e-12
    )
    assert rotation.energies[0] == pytest.approx(table.energies[0, 1], rel=2e-3)


def test_principal_axes_of_a_run_turn_without_jumps():
    """LAPACK chooses the sign of each axis anew; half a turn here passes every choice."""
    turned = [
        rotations.dcm_from_quaternion(rotations.quaternion_from_axis_angle((1.0, 2.0, 3.0), angle))
        for angle in np.linspace(0.0, 2.0 * np.pi, 200)
    ]
    inertias_B = np.array([C @ np.diag((2.0, 3.0, 4.0)) @ C.T for C in turned])
    axes_B = energy_sink.rotation(np.ones((200, 3)), inertias_B).axes_B
    along = np.einsum('nij,nij->nj', axes_B[1:], axes_B[:-1])
    assert along.min() > np.cos(2.0 * np.pi / 199.0 + 1e-6)
    assert np.linalg.det(axes_B) == pytest.approx(1.0)
    free = np.linalg.eigh(inertias_B)[1]
    assert np.einsum('nij,nij->nj', free[1:], free[:-1]).min() < 0.0
