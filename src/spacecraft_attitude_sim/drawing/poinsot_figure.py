# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Poinsot's picture as a figure or an animation: the rolling ellipsoid and the momentum sphere."""

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.studies import poinsot
from spacecraft_attitude_sim.drawing import figures, scenery

POLHODE_COLOR, HERPOLHODE_COLOR, SEPARATRIX_COLOR = '#f0981a', '#00789f', '#d62f2f'
SOLID_COLOR, PLANE_COLOR, FAINT_COLOR = '#b9cdeb', '#e8e4d4', '#8a94a3'
CIRCLE = np.linspace(0.0, 2.0 * np.pi, 181)
PLANE_RADIUS = 1.45
FRAME_DPI = 80
# Of the world's axes, where nothing rolls [parts of the panel].
WORLD_ORIGIN = (0.1, 0.84)


def figure(table, found, title):
    """Return the figure of a History of a Scenario's body, at its first flip if it has one."""
    from matplotlib import pyplot

    flips = table.flips()
    instant = flips[0] if len(flips) else table.time[len(table.time) // 3]
    drawn, panels = pyplot.subplots(1, 2, figsize=(9.6, 4.8), layout='constrained')
    _Picture(table, found.plant.body).draw(panels, int(np.searchsorted(table.time, instant)))
    drawn.suptitle(f'{title}, {instant:.2f} s', fontsize='medium')
    return drawn


def animation_frames(table, found, title, form=figures.FULL):
    """Yield frames as PIL images, as many as figures.animation_frames."""
    from matplotlib import pyplot
    from PIL import Image

    drawn, panels = pyplot.subplots(1, 2, figsize=(9.0, 4.6), layout='constrained', dpi=FRAME_DPI)
    scene = _Picture(table, found.plant.body)
    for index in figures.frame_indices(table.time, form):
        for panel in panels:
            panel.clear()
        scene.draw(panels, index)
        drawn.suptitle(f'{title}, {table.time[index]:.1f} s', fontsize='medium')
        drawn.canvas.draw()
        yield Image.fromarray(np.asarray(drawn.canvas.buffer_rgba())[:, :, :3].copy())
    pyplot.close(drawn)


class _Picture:
    """Both panels at any instant of a history; lengths in semi-axes of the first ellipsoid."""

    def __init__(self, table, body):
        self._moments = body.principal_moments
        C_BP = rotations.dcm_from_quaternion(body.q_BP)
        self._momentum_P = table.angular_momentum_B @ C_BP
        self._C_WP = np.array(
            [rotations.dcm_from_quaternion(q_WB) @ C_BP for q_WB in table.q_WB()]
        )
        self._scale = 1.0 / np.max(poinsot.energy_ellipsoid(self._moments, self._momentum_P[0]))
        rates = self._scale * self._momentum_P / self._moments
        self._omega_W = np.einsum('nij,nj->ni', self._C_WP, rates)

    def draw(self, panels, index):
        """Draw the instant number `index`."""
        self._draw_rolling(panels[0], index)
        self._draw_sphere(panels[1], index)

    def _draw_rolling(self, panel, index):
        momentum_P, C_WP = self._momentum_P[index], self._C_WP[index]
        normal = C_WP @ momentum_P / np.linalg.norm(momentum_P)
        view = camera(_beside(normal) - 0.42 * normal, -normal)
        distance = self._scale * poinsot.plane_distance(self._moments, momentum_P)
        rim = distance * normal + PLANE_RADIUS * _circle_across(normal)
        panel.fill(*_seen(view, rim), color=PLANE_COLOR)
        path = self._omega_W[: index + 1]
        panel.plot(*_seen(view, path), color=HERPOLHODE_COLOR, linewidth=1.3, label='herpolhode')
        semi_axes = self._scale * poinsot.energy_ellipsoid(self._moments, momentum_P)
        _draw_ellipsoid(panel, view, C_WP, semi_axes)
        polhode = poinsot.momentum_polhode(self._moments, momentum_P) / self._moments
        _draw_curve(panel, view, C_WP, semi_axes, self._scale * polhode, POLHODE_COLOR, 'polhode')
        omega, L = self._omega_W[index], 1.35 * distance * normal
        _draw_arrow(panel, view, L, figures.ANGULAR_MOMENTUM_COLOR, 'L')
        _draw_arrow(panel, view, omega, figures.ANGULAR_VELOCITY_COLOR, 'ω')
        scenery.world_axes(panel, view, WORLD_ORIGIN)
        _finish(panel, 'The energy ellipsoid rolls on the invariable plane', 1.6)

    def _draw_sphere(self, panel, index):
        moments = self._moments
        low, middle, high = np.argsort(moments, kind='stable')
        eye = np.zeros(3)
        eye[[low, middle, high]] = 1.7, 2.3, 1.5
        eye[self._momentum_P[0] < 0.0] *= -1.0
        view, fixed, ones = (
            camera(eye, np.sign(eye[high]) * np.eye(3)[high]),
            np.eye(3),
            np.ones(3),
        )
        _draw_ellipsoid(panel, view, fixed, ones, rings=False)
        for path in poinsot.polhode_family(moments):
            _draw_curve(panel, view, fixed, ones, path, FAINT_COLOR, width=0.6)
        for number, path in enumerate(poinsot.separatrix(moments)):
            label = None if number else 'separatrix'
            _draw_curve(panel, view, fixed, ones, path, SEPARATRIX_COLOR, label)
        size = np.linalg.norm(self._momentum_P, axis=1)
        path = self._momentum_P / size[:, np.newaxis]
        polhode = poinsot.momentum_polhode(moments, self._momentum_P[index]) / size[index]
        _draw_curve(panel, view, fixed, ones, polhode, POLHODE_COLOR, 'path of L', width=2.0)
        for axis, kind in ((low, 'smallest'), (middle, 'intermediate'), (high, 'largest')):
            tip = np.sign(eye[axis]) * fixed[axis]
            panel.plot(*_seen(view, np.outer((1.0, 1.22), tip)), color=figures.COLORS[axis])
            place = _seen(view, 1.3 * tip[np.newaxis])[:, 0]
            beside = 'center' if abs(place[0]) < 0.1 else 'right' if place[0] < 0.0 else 'left'
            panel.annotate(f'{kind} I', place, color=figures.COLORS[axis], ha=beside, va='center')
        behind = path[index] @ view[2] < 0.0
        panel.plot(
            *_seen(view, path[index : index + 1]), 'o', color=figures.ANGULAR_MOMENTUM_COLOR,
            fillstyle='none' if behind else 'full', label='L', zorder=5,
        )  # fmt: skip
        _finish(panel, 'L seen from the body, on the momentum sphere', 1.5)


def camera(towards, up):
    """Return the rows right, up, towards the viewer (3, 3) of a view."""
    towards = towards / np.linalg.norm(towards)
    right = np.cross(up, towards)
    right /= np.linalg.norm(right)
    return np.array((right, np.cross(towards, right), towards))


def _beside(normal):
    side = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    return side / np.linalg.norm(side)


def _circle_across(normal):
    u = _beside(normal)
    return np.outer(np.cos(CIRCLE), u) + np.outer(np.sin(CIRCLE), np.cross(normal, u))


def _seen(view, points):
    """Return points (n, 3) as right and up (2, n)."""
    return (points @ view[:2].T).T


def _draw_ellipsoid(panel, view, C, semi_axes, rings=True):
    """Draw an ellipsoid of the axes C (3, 3): its outline, and the rings across its axes."""
    half = view[:2] @ C @ np.diag(semi_axes)
    # The outline is the image of the unit sphere: of its great circle across the kernel of `half`.
    u, sizes, _ = np.linalg.svd(half)
    outline = u @ (sizes[:, np.newaxis] * np.stack((np.cos(CIRCLE), np.sin(CIRCLE))))
    panel.fill(*outline, color=SOLID_COLOR, alpha=0.6, linewidth=0.0)
    panel.plot(*outline, color=FAINT_COLOR, linewidth=1.0)
    for axis in range(3) if rings else ():
        ring = _circle_across(np.eye(3)[axis]) * semi_axes
        _draw_curve(panel, view, C, semi_axes, ring, FAINT_COLOR, width=0.7)


def _draw_curve(panel, view, C, semi_axes, curve, color, label=None, width=1.6):
    """Draw a curve (n, 3) on an ellipsoid, in its axes; faint where it is on the far side."""
    in_front = (curve / semi_axes**2) @ C.T @ view[2] > 0.0
    right, up = _seen(view, curve @ C.T)
    for side, alpha in ((in_front, 1.0), (~in_front, 0.25)):
        shown = np.where(side, up, np.nan)
        panel.plot(
            right, shown, color=color, alpha=alpha, linewidth=width,
            label=label if alpha == 1.0 else None,
        )  # fmt: skip


def _draw_arrow(panel, view, vector, color, label):
    place = _seen(view, vector[np.newaxis])[:, 0]
    style = {'arrowstyle': '-|>', 'color': color, 'linewidth': 2.0, 'shrinkA': 0, 'shrinkB': 0}
    panel.annotate('', place, (0.0, 0.0), arrowprops=style)
    panel.plot([], [], color=color, label=label)


def _finish(panel, title, reach):
    panel.set(aspect='equal', xlim=(-reach, reach), ylim=(-reach, reach))
    panel.set_axis_off()
    panel.set_title(title, fontsize='medium')
    panel.legend(loc='lower center', ncols=4, frameon=False, fontsize='small')
