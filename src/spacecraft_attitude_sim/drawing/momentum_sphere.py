# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The momentum sphere with the ellipsoid of the present energy, as a figure or animation.

It is for spacecraft whose rotational energy changes; see core.studies.energy_sink. Axes are body
axes, in units of |L|. If the energy stays, L moves along the intersection of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.body.primitives import Primitive
from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3, Vectors3
from spacecraft_attitude_sim.core.studies import poinsot
from spacecraft_attitude_sim.drawing import (
    animation_file,
    colors,
    figures,
    internal_figures,
    limited_panels,
    meshes,
    poinsot_figure,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from PIL.Image import Image

    from spacecraft_attitude_sim.core.studies.energy_sink import Rotation
    from spacecraft_attitude_sim.recording.history import History

# Faces around the axes of sphere and ellipsoid, which intersect.
SEGMENTS = 72
# Scale of curves, slightly outside the sphere.
LIFT = 1.004
# An ellipsoid is cut off at this distance from the centre, because that of a slender body is much
# larger than the sphere.
FARTHEST = 1.48
# Length of the drawn latest path of L [rad]; more would hide the sphere.
TRACE = 30.0
# If internal momentum exceeds this many times |L|, the ellipsoid is far away and is not drawn.
MOST_HELD = 4.0
FRAME = animation_file.Format(size=(9.6, 4.8))
KINDS = ('smallest I', 'intermediate I', 'largest I')
VIEW = 1.55
# Direction to the light: right, up, towards the viewer.
LIGHT = np.array((-0.35, 0.55, 0.76))


def figure(history: History, title: str) -> Figure:
    """Return a figure: three spheres (start, half of the energy change, end) above the energy."""
    from matplotlib import pyplot

    rotation = history.rotation
    assert rotation
    drawn = pyplot.figure(figsize=(10.8, 8.2), layout='constrained')
    drawn.suptitle(title, fontsize='medium')
    above, below = drawn.subfigures(2, 1, height_ratios=(1.0, 1.0))
    views = above.subplots(1, 3)
    for view, index in zip(views, _instants(rotation), strict=True):
        Sphere(view, rotation, animated=False).artists(index)
        share = internal_figures.energy_shares(rotation)[index]
        view.set_title(f'{history.time[index]:.4g} s, {share:.4g} %', fontsize='medium')
    views[1].legend(loc='upper center', bbox_to_anchor=(0.5, 0.0), ncols=4, frameon=False,
                    fontsize='small')  # fmt: skip
    _plot(below, history)
    return drawn


def animation_frames(
    history: History, title: str, form: animation_file.Format = FRAME
) -> Iterator[Image]:
    """Yield the frames of an animation as PIL images, as many as figures.animation_frames."""
    sized = form._replace(size=FRAME.size)
    return figures.frames_of(lambda: _animated(history, title, sized), history.time, sized)


class Sphere:
    """The momentum sphere in a view at any instant of a Rotation."""

    def __init__(self, view: Axes, rotation: Rotation, animated: bool) -> None:
        """Make the artists of `view`."""
        from matplotlib.collections import PolyCollection

        self._rotation, self._camera = rotation, _camera(rotation)
        sizes = np.linalg.norm(rotation.momentum_B, axis=1)
        self._sizes = sizes
        with np.errstate(invalid='ignore', divide='ignore'):
            self._tips = rotation.momentum_B / sizes[:, np.newaxis]
        moved = np.nan_to_num(np.linalg.norm(np.diff(self._tips, axis=0), axis=1))
        self._moved = np.concatenate(([0.0], np.cumsum(moved)))
        self._solid = view.add_collection(
            PolyCollection([], linewidths=0.3, animated=animated, zorder=2.0)
        )
        self._curves = {
            name: _curve(view, color, name, width, animated)
            for name, color, width in (
                ('separatrix', colors.SEPARATRIX, 1.2),
                ('path at this energy', colors.POLHODE, 1.8),
                ('path of L', colors.ANGULAR_MOMENTUM, 1.2),
            )
        }
        if rotation.held_B.any():  # then neither has a closed form
            for name in ('separatrix', 'path at this energy'):
                self._curves[name][0].set_label('_')
        (self._dot,) = view.plot(
            [], [], 'o', color=colors.ANGULAR_MOMENTUM, markersize=7.0, label='L',
            animated=animated, zorder=6.0,
        )  # fmt: skip
        self._names = [
            (view.plot([], [], color=color, linewidth=1.4, animated=animated, zorder=1.0)[0],
             view.annotate(name, (0.0, 0.0), color=color, va='center', animated=animated,
                           fontsize='small', annotation_clip=False))
            for name, color in zip(KINDS, colors.AXES, strict=True)
        ]  # fmt: skip
        view.set(aspect='equal', xlim=(-VIEW, VIEW), ylim=(-VIEW, VIEW))
        view.set_axis_off()

    def artists(self, index: int) -> list[Artist]:
        """Return the artists of an instant, back to front."""
        rotation, axes_B = self._rotation, self._rotation.axes_B[index]
        self._place_solid(index)
        moments, size = rotation.moments[index], self._sizes[index]
        separatrices, polhodes = np.empty((0, 1, 3)), np.empty((0, 1, 3))
        if not rotation.held_B.any() and size:
            separatrices = poinsot.separatrix(moments)
            polhode = poinsot.momentum_polhode(moments, rotation.momentum_P[index]) / size
            polhodes = np.array([polhode, -polhode])
        start = int(np.searchsorted(self._moved, self._moved[index] - TRACE))
        several = {
            'separatrix': separatrices @ axes_B.T,
            'path at this energy': polhodes @ axes_B.T,
            'path of L': self._tips[np.newaxis, start : index + 1],
        }
        for name, curves in several.items():
            self._place_curve(self._curves[name], curves, index)
        tip = self._tips[index]
        self._dot.set_data(*(self._camera[:2] @ tip[:, np.newaxis]))
        self._dot.set_fillstyle('none' if tip @ self._camera[2] < 0.0 else 'full')
        made: list[Artist] = []
        for axis, (line, letters) in enumerate(self._names):
            towards = axes_B[:, axis] @ self._camera[2]
            along = axes_B[:, axis] * (1.0 if towards >= 0.0 else -1.0)
            ends = np.array((np.zeros(3), 1.32 * along)) @ self._camera[:2].T
            line.set_data(*ends.T)
            place = 1.42 * along @ self._camera[:2].T
            letters.set_position(tuple(place))
            letters.xy = tuple(place)
            letters.set_ha(
                'center' if abs(place[0]) < 0.5 else 'right' if place[0] < 0 else 'left'
            )
            made += [line, letters]
        curves = [line for pair in self._curves.values() for line in pair]
        return [*made[::2], self._solid, *curves, self._dot, *made[1::2]]

    def _place_solid(self, index: int) -> None:
        """Place sphere and ellipsoid so that nearer faces hide farther ones."""
        solids = [(*ellipsoid_faces(np.zeros(3), np.ones(3), np.eye(3)), colors.SPHERE)]
        if ellipsoid := self._ellipsoid(index):
            solids.append((*ellipsoid_faces(*ellipsoid), colors.ENERGY_ELLIPSOID))
        polygons, shades, depths = [], [], []
        for corners, normals, color in solids:
            whole = len(corners) == SEGMENTS * (SEGMENTS // 2)
            towards = normals @ self._camera[2]
            normals = np.where(towards[:, np.newaxis] < 0.0, -normals, normals)
            seen = (towards > 0.0) | (not whole)  # also the inside of a cut shell
            shown = corners[seen] @ self._camera.T
            polygons.append(shown[:, :, :2])
            depths.append(shown[:, :, 2].mean(axis=1))
            light = normals[seen] @ self._camera.T @ LIGHT
            bright = 0.55 + 0.45 * np.clip(light, 0.0, 1.0)
            shades.append(bright[:, np.newaxis] * np.array(colors.rgb(color)))
        order = np.argsort(np.concatenate(depths))
        painted = np.concatenate(shades)[order]
        self._solid.set(
            verts=np.concatenate(polygons)[order], facecolors=painted, edgecolors=painted
        )

    def _place_curve(self, pair: tuple[Line2D, Line2D], curves: Array, index: int) -> None:
        """Draw curves (k, n, 3) on the sphere, faint behind it and inside the ellipsoid."""
        gap = np.full((1, 3), np.nan)
        points = np.concatenate([np.concatenate((one, gap)) for one in curves] or [gap])
        right, up, near = LIFT * (self._camera @ points.T)
        seen = near >= 0.0
        if ellipsoid := self._ellipsoid(index):
            center, half, axes_B = ellipsoid
            seen &= np.sum(np.square((LIFT * points - center) @ axes_B / half), axis=1) >= 1.0
        for line, shown in zip(pair, (seen, ~seen), strict=True):
            line.set_data(right, np.where(shown, up, np.nan))

    def _ellipsoid(self, index: int) -> tuple[Vector3, Vector3, Matrix3] | None:
        """Return centre, semi-axes and axes of the ellipsoid; None if it is not drawn."""
        rotation, size = self._rotation, self._sizes[index]
        held_B = rotation.held_B[index]
        if not size or np.linalg.norm(held_B) > MOST_HELD * size:
            return None
        return held_B / size, rotation.semi_axes[index] / size, rotation.axes_B[index]


def ellipsoid_faces(
    center: Vector3, semi_axes: Vector3, axes: Matrix3, farthest: float = FARTHEST
) -> tuple[Array, Vectors3]:
    """Return corners (m, 4, 3) and outward unit normals (m, 3) of an ellipsoid.

    center: (3,);  semi_axes: (3,);  axes: (3, 3) with its axes as columns
    farthest: distance from the origin at which it is cut off
    """
    directions = meshes.faces_of(Primitive('sphere', (1.0,)), SEGMENTS).corners
    # Along directions from its centre, so that near faces are as fine as on a sphere.
    along = directions / np.linalg.norm(directions / semi_axes, axis=2, keepdims=True)
    normals = along.mean(axis=1) / semi_axes**2
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    corners = along @ axes.T + center
    away = np.linalg.norm(corners, axis=2, keepdims=True)
    near = np.min(away, axis=1)[:, 0] < farthest
    # Corners beyond the edge are moved to it, so that it is round.
    corners = corners * np.minimum(1.0, farthest / np.maximum(away, 1e-300))
    return corners[near], normals[near] @ axes.T


def _curve(
    view: Axes, color: str, name: str, width: float, animated: bool
) -> tuple[Line2D, Line2D]:
    """Return two lines of a curve: in front of the sphere and behind it."""
    style = {'color': color, 'linewidth': width, 'animated': animated, 'zorder': 4.0}
    (front,) = view.plot([], [], label=name, **style)
    (behind,) = view.plot([], [], alpha=0.22, **style)
    return front, behind


def _camera(rotation: Rotation) -> Matrix3:
    """Return the rows right, up, towards the viewer, in body axes.

    The intermediate axis points to the viewer. The axes of smallest and largest moment are on the
    sides where L begins and ends.
    """
    turning = np.flatnonzero(np.any(rotation.momentum_B, axis=1))
    first, last = (turning[0], turning[-1]) if len(turning) else (0, 0)
    axes_B, momentum_P = rotation.axes_B[0], rotation.momentum_P
    eye = np.array((1.7, 2.3, 1.5))
    eye[:2] *= np.where(momentum_P[first, :2] < 0.0, -1.0, 1.0)
    if (rotation.axes_B[0].T @ rotation.momentum_B[last])[2] < 0.0:
        eye[2] *= -1.0
    return poinsot_figure.camera(axes_B @ eye, np.sign(eye[2]) * axes_B[:, 2])


def _instants(rotation: Rotation) -> tuple[int, int, int]:
    """Return the indices of the first instant, of half the energy change, and of the last."""
    energies, last = rotation.energies, len(rotation.energies) - 1
    halfway = np.flatnonzero(energies <= (energies[0] + energies[-1]) / 2.0)
    middle = int(halfway[0]) if len(halfway) and 0 < halfway[0] < last else last // 2
    return 0, middle, last


def _plot(drawn: Figure, history: History, *, said: bool = True) -> list[Axes]:
    """Draw nutation and energy over time; return the axes. said: whether to add notes."""
    rotation = history.rotation
    assert rotation
    panels = internal_figures.sink_panels(rotation)
    if not said:
        panels = [one._replace(panel=one.panel._replace(note='')) for one in panels]
    limited_panels.draw(drawn, history.time, panels)
    axes: list[Axes] = drawn.axes
    internal_figures.label_bounds(axes[-1], history.time, rotation)
    if history.internal:
        events = internal_figures.events(history.internal, history.time)
        internal_figures.mark(axes, events)
    return axes


def _animated(
    history: History, title: str, form: animation_file.Format
) -> tuple[Figure, Callable]:
    """Return the Figure of an animation, and a function from a sample to its moving artists."""
    from matplotlib import pyplot

    rotation = history.rotation
    assert rotation
    drawn = pyplot.figure(figsize=form.size, layout='constrained', dpi=form.dpi)
    drawn.suptitle(title, fontsize='medium')
    left, right = drawn.subfigures(1, 2, width_ratios=(1.0, 1.05))
    view = left.subplots()
    sphere = Sphere(view, rotation, animated=True)
    handles, labels = view.get_legend_handles_labels()
    left.legend(handles, labels, loc='outside upper center', ncols=4, frameon=False,
                fontsize='small', columnspacing=1.0, handlelength=1.2)  # fmt: skip
    said = left.supxlabel(' ', fontsize='small', animated=True)
    shares = internal_figures.energy_shares(rotation)
    cursors = [
        axis.axvline(history.time[0], color='0.2', linewidth=1.0, animated=True)
        for axis in _plot(right, history, said=False)
    ]

    def artists(index: int) -> Iterable[Artist]:
        said.set_text(f't = {history.time[index]:.2f} s, energy of rotation {shares[index]:.4g} %')
        for cursor in cursors:
            cursor.set_xdata([history.time[index]] * 2)
        return (*sphere.artists(index), said, *cursors)

    return drawn, artists
