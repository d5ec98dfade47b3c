# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Poinsot's construction as a figure or animation: rolling ellipsoid and momentum sphere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3, Vectors3
from spacecraft_attitude_sim.core.studies import poinsot
from spacecraft_attitude_sim.drawing import animation_file, colors, figures, meshes, scenery

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from PIL.Image import Image

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
    from spacecraft_attitude_sim.recording.history import History

CIRCLE = np.linspace(0.0, 2.0 * np.pi, 181)
PLANE_RADIUS = 1.45
FRAME_DPI = 80
# Origin of the world axes, in an empty corner [fraction of the panel].
WORLD_ORIGIN = (0.1, 0.84)


def figure(table: History, found: Scenario, title: str) -> Figure:
    """Return a figure for a History of a Scenario's body, at its first flip if there is one."""
    from matplotlib import pyplot

    flips = table.flips()
    instant = flips[0] if len(flips) else table.time[len(table.time) // 3]
    drawn, panels = pyplot.subplots(1, 2, figsize=(9.6, 4.8), layout='constrained')
    _Picture(table, found.plant.body).draw(panels, int(np.searchsorted(table.time, instant)))
    drawn.suptitle(f'{title}, {instant:.2f} s', fontsize='medium')
    return drawn


def animation_frames(
    table: History, found: Scenario, title: str, form: animation_file.Format = animation_file.FULL
) -> Iterator[Image]:
    """Yield the frames of an animation as PIL images, as many as figures.animation_frames."""
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
    """Both panels at any instant of a History; unit of length: the longest initial semi-axis."""

    def __init__(self, table: History, body: RigidBody) -> None:
        self._moments = body.principal_moments
        C_BP = rotations.dcm_from_quaternion(body.q_BP)
        self._momentum_P = table.angular_momentum_B @ C_BP
        self._C_WP = np.array(
            [rotations.dcm_from_quaternion(q_WB) @ C_BP for q_WB in table.q_WB()]
        )
        self._scale = 1.0 / np.max(poinsot.energy_ellipsoid(self._moments, self._momentum_P[0]))
        rates = self._scale * self._momentum_P / self._moments
        self._omega_W = np.einsum('nij,nj->ni', self._C_WP, rates)

    def draw(self, panels: Sequence[Axes], index: int) -> None:
        """Draw the sample `index` into two Axes."""
        self._draw_rolling(panels[0], index)
        self._draw_sphere(panels[1], index)

    def _draw_rolling(self, panel: Axes, index: int) -> None:
        momentum_P, C_WP = self._momentum_P[index], self._C_WP[index]
        normal = C_WP @ momentum_P / np.linalg.norm(momentum_P)
        view = camera(meshes.beside(normal) - 0.42 * normal, -normal)
        distance = self._scale * poinsot.plane_distance(self._moments, momentum_P)
        rim = distance * normal + PLANE_RADIUS * meshes.circle_across(normal, CIRCLE)
        panel.fill(*_seen(view, rim), color=colors.PLANE)
        path = self._omega_W[: index + 1]
        panel.plot(*_seen(view, path), color=colors.HERPOLHODE, linewidth=1.3, label='herpolhode')
        semi_axes = self._scale * poinsot.energy_ellipsoid(self._moments, momentum_P)
        _draw_ellipsoid(panel, view, C_WP, semi_axes)
        polhode = poinsot.momentum_polhode(self._moments, momentum_P) / self._moments
        _draw_curve(panel, view, C_WP, semi_axes, self._scale * polhode, colors.POLHODE, 'polhode')
        omega, L = self._omega_W[index], 1.35 * distance * normal
        _draw_arrow(panel, view, L, colors.ANGULAR_MOMENTUM, 'L')
        _draw_arrow(panel, view, omega, colors.ANGULAR_VELOCITY, 'ω')
        scenery.world_axes(panel, view, WORLD_ORIGIN)
        _finish(panel, 'The energy ellipsoid rolls on the invariable plane', 1.6)

    def _draw_sphere(self, panel: Axes, index: int) -> None:
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
            _draw_curve(panel, view, fixed, ones, path, colors.FAINT, width=0.6)
        for number, path in enumerate(poinsot.separatrix(moments)):
            label = None if number else 'separatrix'
            _draw_curve(panel, view, fixed, ones, path, colors.SEPARATRIX, label)
        size = np.linalg.norm(self._momentum_P, axis=1)
        path = self._momentum_P / size[:, np.newaxis]
        polhode = poinsot.momentum_polhode(moments, self._momentum_P[index]) / size[index]
        _draw_curve(panel, view, fixed, ones, polhode, colors.POLHODE, 'path of L', width=2.0)
        for axis, kind in ((low, 'smallest'), (middle, 'intermediate'), (high, 'largest')):
            tip = np.sign(eye[axis]) * fixed[axis]
            panel.plot(*_seen(view, np.outer((1.0, 1.22), tip)), color=colors.AXES[axis])
            place = _seen(view, 1.3 * tip[np.newaxis])[:, 0]
            beside = 'center' if abs(place[0]) < 0.1 else 'right' if place[0] < 0.0 else 'left'
            panel.annotate(f'{kind} I', place, color=colors.AXES[axis], ha=beside, va='center')
        behind = path[index] @ view[2] < 0.0
        panel.plot(
            *_seen(view, path[index : index + 1]), 'o', color=colors.ANGULAR_MOMENTUM,
            fillstyle='none' if behind else 'full', label='L', zorder=5,
        )  # fmt: skip
        _finish(panel, 'L seen from the body, on the momentum sphere', 1.5)


def camera(towards: Vector3, up: Vector3) -> Matrix3:
    """Return the rows (3, 3) of a view: right, up and towards the viewer.

    towards: (3,) direction of the viewer;  up: (3,) not parallel to it
    """
    towards = towards / np.linalg.norm(towards)
    right = np.cross(up, towards)
    right /= np.linalg.norm(right)
    return np.array((right, np.cross(towards, right), towards))


def _seen(view: Matrix3, points: Vectors3) -> Array:
    """Project points (n, 3) to right and up (2, n)."""
    return (points @ view[:2].T).T


def _draw_ellipsoid(
    panel: Axes, view: Matrix3, C: Matrix3, semi_axes: Vector3, rings: bool = True
) -> None:
    """Draw the outline and the principal sections of an ellipsoid with the axes C (3, 3)."""
    half = view[:2] @ C @ np.diag(semi_axes)
    # The outline is the image of the unit sphere's great circle normal to the kernel of `half`.
    u, sizes, _ = np.linalg.svd(half)
    outline = u @ (sizes[:, np.newaxis] * np.stack((np.cos(CIRCLE), np.sin(CIRCLE))))
    panel.fill(*outline, color=colors.ELLIPSOID, alpha=0.6, linewidth=0.0)
    panel.plot(*outline, color=colors.FAINT, linewidth=1.0)
    for axis in range(3) if rings else ():
        ring = meshes.circle_across(np.eye(3)[axis], CIRCLE) * semi_axes
        _draw_curve(panel, view, C, semi_axes, ring, colors.FAINT, width=0.7)


def _draw_curve(
    panel: Axes,
    view: Matrix3,
    C: Matrix3,
    semi_axes: Vector3,
    curve: Vectors3,
    color: str,
    label: str | None = None,
    width: float = 1.6,
) -> None:
    """Draw a curve (n, 3), given in the ellipsoid's axes; it is faint on the far side."""
    in_front = (curve / semi_axes**2) @ C.T @ view[2] > 0.0
    right, up = _seen(view, curve @ C.T)
    for side, alpha in ((in_front, 1.0), (~in_front, 0.25)):
        shown = np.where(side, up, np.nan)
        panel.plot(
            right, shown, color=color, alpha=alpha, linewidth=width,
            label=label if alpha == 1.0 else None,
        )  # fmt: skip


def _draw_arrow(panel: Axes, view: Matrix3, vector: Vector3, color: str, label: str) -> None:
    place = _seen(view, vector[np.newaxis])[:, 0]
    style = {'arrowstyle': '-|>', 'color': color, 'linewidth': 2.0, 'shrinkA': 0, 'shrinkB': 0}
    panel.annotate('', place, (0.0, 0.0), arrowprops=style)
    panel.plot([], [], color=color, label=label)


def _finish(panel: Axes, title: str, reach: float) -> None:
    panel.set(aspect='equal', xlim=(-reach, reach), ylim=(-reach, reach))
    panel.set_axis_off()
    panel.set_title(title, fontsize='medium')
    panel.legend(loc='lower center', ncols=4, frameon=False, fontsize='small')
