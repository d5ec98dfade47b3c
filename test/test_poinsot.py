# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Poinsot's construction: polhode, herpolhode, separatrix and period, against closed forms."""

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
from plain import plain
from scipy.integrate import solve_ivp

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import equations, simulation, ticks
from spacecraft_attitude_sim.core.body import loads, state
from spacecraft_attitude_sim.core.body import rigid_body as body
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies import flips_and_drifts, poinsot
from spacecraft_attitude_sim.viewer import caption

BODIES = {
    'tennis racket': ((62.2e-6, 171.5e-6, 210.5e-6), (0.01, 8.0, 0.01)),
    'about the largest': ((1.0, 2.0, 2.5), (0.3, -0.4, 2.0)),
    'about the smallest': ((2.0, 1.0, 2.5), (0.3, -1.7, 0.2)),
    'symmetric': ((1.0, 1.0, 2.0), (1.0, 0.0, 1.0)),
}


@pytest.fixture(params=BODIES, ids=str)
def motion(request):
    """Moments and momentum in principal axes."""
    moments, rate = map(np.array, BODIES[request.param])
    return moments, moments * rate


def free_motion(moments, momentum_P, period, count):
    """Return attitudes (n, 4), ω (n, 3) in world and L (3,) in world of the exact free motion."""
    rigid_body = body.RigidBody(1.0, np.diag(moments))
    attitude = rotations.quaternion_from_axis_angle((1.0, 2.0, -1.0), 0.7)
    first = rigid_body.state((0, 0, 0), attitude, (0, 0, 0), momentum_P / moments)
    flat = equations.load('exact_kick2').trajectory(
        state.to_flat(first), rigid_body.flat(), np.array(loads.FREE), period / count, 1, count
    )
    states = [state.from_flat(row) for row in flat]
    rates_W = [rotations.rotate(s.q_WB, rigid_body.angular_velocity_B(s)) for s in states]
    return [s.q_WB for s in states], np.array(rates_W), first.angular_momentum_W


def test_polhode_lies_on_the_sphere_and_on_the_ellipsoid(motion):
    moments, momentum_P = motion
    path = poinsot.momentum_polhode(moments, momentum_P)
    size = np.linalg.norm(momentum_P)
    assert np.allclose(np.linalg.norm(path, axis=1), size, rtol=1e-14)
    energies = poinsot.kinetic_energy(moments, path)
    # Near the separatrix the component along the axis is the root of a difference.
    assert np.allclose(energies, poinsot.kinetic_energy(moments, momentum_P), rtol=1e-13)
    semi_axes = poinsot.energy_ellipsoid(moments, momentum_P)
    assert np.allclose(np.sum((path / moments / semi_axes) ** 2, axis=1), 1.0, rtol=1e-13)


def test_polhode_passes_through_the_present_momentum(motion):
    moments, momentum_P = motion
    path = poinsot.momentum_polhode(moments, momentum_P, 20_001)
    nearest = np.min(np.linalg.norm(path - momentum_P, axis=1)) / np.linalg.norm(momentum_P)
    assert nearest < math.pi / 20_000


def test_herpolhode_stays_in_the_invariable_plane_between_its_two_circles(motion):
    moments, momentum_P = motion
    _, rates_W, L_W = free_motion(moments, momentum_P, 40.0, 2000)
    normal_W = L_W / np.linalg.norm(L_W)
    distance = poinsot.plane_distance(moments, momentum_P)
    # The exact solution's own accuracy.
    assert np.allclose(rates_W @ normal_W, distance, rtol=1e-12)
    radii = np.linalg.norm(np.cross(normal_W, rates_W), axis=1)
    inner, outer = poinsot.herpolhode_radii(moments, momentum_P)
    assert np.all((radii > inner - 1e-9 * distance) & (radii < outer + 1e-9 * distance))
    # 40 s is more than one turn, so both circles are met.
    assert (radii.min(), radii.max()) == pytest.approx((inner, outer), abs=2e-3 * distance)


def test_the_ellipsoid_touches_the_plane_there(motion):
    """The gradient of the energy at the tip of ω is along L: the plane is its tangent."""
    moments, momentum_P = motion
    rates = poinsot.momentum_polhode(moments, momentum_P, 33) / moments
    semi_axes = poinsot.energy_ellipsoid(moments, momentum_P)
    normals = rates / semi_axes**2
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    along = np.sum(normals * rates, axis=1)
    # The support distance of the ellipsoid in that direction is the distance of the plane.
    assert np.allclose(along, poinsot.plane_distance(moments, momentum_P), rtol=1e-13)


def test_the_ellipsoid_rolls_without_slipping(motion):
    """The point of the ellipsoid that touches is at rest, while the touching point moves on."""
    moments, momentum_P = motion
    step = 1e-4
    attitudes, rates_W, _ = free_motion(moments, momentum_P, 200 * step, 200)
    for q_1, q_2, here, there in zip(
        attitudes[:-1], attitudes[1:], rates_W[:-1], rates_W[1:], strict=True
    ):
        material = rotations.rotate(q_2, rotations.rotate(rotations.conjugate(q_1), here))
        moved, rolled = np.linalg.norm(material - here), np.linalg.norm(there - here)
        # Less than the path by a factor of the angle turned, that is of second order in the step.
        assert moved < 0.6 * step * np.linalg.norm(here) * rolled + 1e-14 * np.linalg.norm(here)


def test_separatrix_is_two_great_circles_through_the_intermediate_axis():
    moments = np.array((2.5, 1.0, 2.0))
    circles = poinsot.separatrix(moments)
    assert np.allclose(np.linalg.norm(circles, axis=2), 1.0, rtol=1e-15)
    # L² = 2 T I2 with L² = 1.
    assert np.allclose(2.0 * poinsot.kinetic_energy(moments, circles) * 2.0, 1.0, rtol=1e-15)
    for circle in circles:
        assert np.array_equal(circle[0], (0.0, 0.0, 1.0))
        _, thickness, _ = np.linalg.svd(circle)
        assert thickness[2] < 1e-14  # it is in one plane


def test_separatrix_parts_the_two_kinds_of_motion():
    moments = np.array((1.0, 2.0, 2.5))
    one, _ = poinsot.separatrix(moments, 17)
    inside, outside = one[3] * (0.99, 1.0, 1.0), one[3] * (1.0, 1.0, 0.99)
    assert poinsot.encircled_axis(moments, one[3]) is None
    assert poinsot.encircled_axis(moments, inside) == 2
    assert poinsot.encircled_axis(moments, outside) == 0
    assert poinsot.period(moments, one[3]) == math.inf


def test_a_body_of_two_equal_moments_has_no_separatrix():
    assert len(poinsot.separatrix(np.array((1.0, 1.0, 2.0)))) == 0


@pytest.mark.parametrize('signs', [(1, 1, 1), (1, -1, 1), (1, 1, -1), (-1, -1, 1), (-1, 1, -1)])
def test_on_the_separatrix_the_polhode_is_the_great_circle_of_the_present_momentum(signs):
    """Where the energy is just that of the same momentum about the intermediate axis: I = 2."""
    moments, momentum_P = np.array((4.0, 1.0, 2.0)), np.array((1.0, math.sqrt(0.5), 3.0)) * signs
    momentum_P *= 8.0
    size, energy = np.linalg.norm(momentum_P), poinsot.kinetic_energy(moments, momentum_P)
    assert energy == pytest.approx(size**2 / 4.0, rel=1e-15)
    assert poinsot.encircled_axis(moments, momentum_P) is None
    path = poinsot.momentum_polhode(moments, momentum_P, 20_001)
    assert np.min(np.linalg.norm(path - momentum_P, axis=1)) < size * math.pi / 20_000
    assert np.allclose(poinsot.kinetic_energy(moments, path), energy, rtol=1e-14)
    assert poinsot.period(moments, momentum_P) == math.inf


@pytest.mark.parametrize(
    ('moments', 'momentum'),
    [((2.0, 2.0, 2.0), (1.0, 2.0, 3.0)), ((1.0, 1.0, 2.0), (3.0, 4.0, 0.0))],
)
def test_a_steady_rotation_has_a_point_for_a_path(moments, momentum):
    moments, momentum = np.array(moments), np.array(momentum)
    assert np.array_equal(
        np.unique(poinsot.momentum_polhode(moments, momentum), axis=0), [momentum]
    )
    assert poinsot.period(moments, momentum) == math.inf
    assert not poinsot.turns_over(moments, momentum)


def test_period_of_a_symmetric_top_is_that_of_its_body_cone():
    # (cos t, sin t, 1): the symmetric top's.
    moments = np.array((1.0, 1.0, 2.0))
    assert poinsot.period(moments, moments * (1.0, 0.0, 1.0)) == pytest.approx(
        2.0 * math.pi, rel=1e-14
    )


def test_period_for_a_small_circle_is_that_of_the_linearised_equations():
    i, j, k = moments = np.array((1.0, 2.0, 2.5))
    rate = math.sqrt((k - i) * (k - j) / (i * j)) * 3.0
    # The circle is 1e-5 rad wide: corrections are of the order of its square.
    assert poinsot.period(moments, moments * (1e-5, 0.0, 3.0)) == pytest.approx(
        2.0 * math.pi / rate, rel=1e-9
    )


def test_the_racket_turns_over_twice_a_period():
    found = scenario.load(scenario.find('tennis_racket'))
    rigid_body, first = found.plant.body, found.initial
    states = [state.from_flat(row) for row in simulation.trajectory(found.plant, first, 320)]
    axis = flips_and_drifts.spin_axis(rigid_body.angular_momentum_B(first))
    along = [rigid_body.angular_momentum_B(s) @ axis for s in states]
    flips = flips_and_drifts.flip_times(np.arange(321) * ticks.TICK_SECONDS, along)
    period = poinsot.period(rigid_body.principal_moments, rigid_body.angular_momentum_B(first))
    # Interpolated between ticks.
    assert np.allclose(np.diff(flips), period / 2.0, atol=5e-3)


def test_figure_and_animation_show_the_ellipsoid_rolling(tmp_path):
    from spacecraft_attitude_sim.drawing import figures, poinsot_figure
    from spacecraft_attitude_sim.recording import history

    figures.without_display()
    found = scenario.load(scenario.find('tennis_racket'))
    rows = simulation.trajectory(found.plant, found.initial, 96)
    table = np.array(
        [
            history.row(
                found.plant.body, ticks.DEFAULT.seconds(k), state.from_flat(flat), loads.FREE
            )
            for k, flat in enumerate(rows)
        ]
    )
    table = history.History(table[:, 0], *np.hsplit(table[:, 1:], 4))
    drawn = poinsot_figure.figure(table, found, 'racket')
    names = {line.get_label() for panel in drawn.axes for line in panel.lines}
    assert {'herpolhode', 'polhode', 'separatrix', 'path of L', 'ω', 'L'} <= names
    rolling, _ = drawn.axes
    (path,) = (line for line in rolling.lines if line.get_label() == 'herpolhode')
    outline = np.concatenate([patch.get_xy() for patch in rolling.patches[1:]])
    right, up = path.get_data()
    # Where it touches now is on the ellipsoid's picture, and the plane is seen from above.
    assert outline[:, 0].min() < right[-1] < outline[:, 0].max()
    assert outline[:, 1].min() < up[-1] < 0.0
    short = history.History(*(None if field is None else field[60:77] for field in table))
    frames = list(poinsot_figure.animation_frames(short, found, 'racket'))
    assert len(frames) == figures.frame_count(short) == 10
    first, last = (np.asarray(frame, dtype=int) for frame in (frames[0], frames[-1]))
    assert np.mean(np.abs(first - last) > 50) > 0.003  # lines move, on much that is white


def growth(moments, axis):
    """Return the fastest rate [1/s] at which a push from L = 1 N m s along an axis grows."""
    # L' = L x w(L) of L = e + d, to first order: d' = d x w(e) + e x w(d).
    e, inverse = np.eye(3)[axis], np.diag(1.0 / moments)
    columns = [np.cross(d, inverse @ e) + np.cross(e, inverse @ d) for d in np.eye(3)]
    return float(np.linalg.eigvals(np.transpose(columns)).real.max())


@pytest.mark.parametrize('axis', range(3))
@pytest.mark.parametrize(
    'moments',
    [(1.0, 2.0, 3.0), (3.0, 1.0, 2.0), (1.0, 1.0, 2.0), (2.0, 1.0, 2.0), (1.0, 1.0, 1.0)],
)
def test_the_caption_calls_a_spin_unstable_where_a_push_from_it_grows(moments, axis):
    """About an axis of two equal moments it grows as time does, not as an exponential."""
    found = scenario.build({'body.mass': 1.0, 'body.inertia': list(moments)}, 'test')
    moments = found.plant.body.principal_moments
    equal = list(moments).count(moments[axis]) > 1
    for momentum in (np.eye(3)[axis], np.eye(3)[axis] + 0.01):
        words = caption.text(found, momentum)
        assert ('is unstable' in words) is (growth(moments, axis) > 1e-6)
        assert ('neutrally stable' in words) is equal


def test_the_caption_of_the_racket_says_after_how_long_it_flips_by_eulers_equations():
    found = scenario.load(scenario.find('tennis_racket'))
    rigid = found.plant.body
    moments = rigid.principal_moments
    q_PB = rotations.conjugate(rigid.q_BP)
    momentum_P = rotations.rotate(q_PB, rigid.angular_momentum_B(found.initial))
    middle = np.argsort(moments)[1]

    def over(_, L_P):
        return L_P[middle]

    motion = solve_ivp(
        lambda _, L_P: np.cross(L_P, L_P / moments), (0.0, 20.0), momentum_P, rtol=1e-9,
        atol=1e-14, events=over,
    )  # fmt: skip
    turns = np.diff(motion.t_events[0])
    assert len(turns) > 2
    (seconds,) = re.findall(r'flips every (.*?) s\*\*', caption.text(found, momentum_P))
    assert float(seconds) == pytest.approx(turns.mean(), rel=5e-3)  # three digits are written


@pytest.mark.parametrize(
    ('name', 'what'),
    [('wheels_take_over', 'reaction wheels'), ('gravity_gradient', 'an orbit')],
)
def test_the_viewer_promises_no_picture_of_what_is_more_than_a_rigid_body(name, what):
    words = caption.text(scenario.load(scenario.find(name)), np.array((0.0, 0.1, 1.0)))
    assert f"The spacecraft has {what}. Poinsot's construction is not drawn" in words
    assert 'Spins about' not in words
    assert 'separatrix' not in words


@pytest.mark.parametrize(
    ('given', 'word'),
    [
        ({'wheels': ['w']}, 'in wheels'), ({'gimbals': ['g']}, 'and rotors'),
        ({'thrusters': ['j']}, 'jets'),
        ({'magnetorquers': ['m'], 'magnetorquer.m.max_dipole': 1.0}, 'dipole'),
        ({'panels': ['p'], 'panel.p.size': [1.0, 1.0, 0.01]}, 'plates'),
        ({'pendulums': ['b']}, 'balls'), ({'orbit.model': 'kepler'}, 'to the Sun'),
        ({'slugs': ['s']}, 'balls'),
    ],
)  # fmt: skip
def test_the_legend_of_the_viewer_names_what_a_spacecraft_has_and_nothing_else(given, word):
    heavy = {'body.mass': 100.0, 'body.inertia': [10.0, 20.0, 25.0]}
    words = caption.text(scenario.build(plain(given | heavy), 'test'), np.array((0.0, 0.1, 1.0)))
    assert word in words
    ours = {'in wheels', 'jets', 'dipole', 'plates', 'balls', 'to the Sun'}
    allowed = {word, *({'in wheels'} if 'gimbals' in given else ())}
    assert not [other for other in ours - allowed if other in words]


def test_l_on_the_far_side_of_the_sphere_is_drawn_hollow():
    """It begins on the near side; the eye stays."""
    from matplotlib.figure import Figure

    from spacecraft_attitude_sim.drawing import poinsot_figure

    body = scenario.load(scenario.find('tennis_racket')).plant.body
    near = np.array((0.3, 1.0, 0.2)) * 1e-4
    table = SimpleNamespace(
        angular_momentum_B=np.array((near, -near)),
        q_WB=lambda: np.tile((1.0, 0.0, 0.0, 0.0), (2, 1)),
    )
    picture, styles = poinsot_figure._Picture(table, body), []
    for index in range(2):
        panels = Figure().subplots(1, 2)
        picture.draw(panels, index)
        (dot,) = [line for line in panels[1].lines if line.get_label() == 'L']
        styles.append(dot.get_fillstyle())
    assert styles == ['full', 'none']
