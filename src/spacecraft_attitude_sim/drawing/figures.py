# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Figures for a report: the panels of a run, and an animation of the body."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.studies import flips_and_drifts
from spacecraft_attitude_sim.drawing import (
    actuator_looks,
    colors,
    contact_figures,
    curves,
    internal_looks,
    limited_panels,
    meshes,
    orbit_figures,
    sampling,
    scenery,
    selected_panels,
    wheel_discs,
)
from spacecraft_attitude_sim.drawing.animation_file import FULL, Format
from spacecraft_attitude_sim.drawing.limited_panels import Limited
from spacecraft_attitude_sim.safety import current_folder

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from PIL.Image import Image

    from spacecraft_attitude_sim.drawing.meshes import Part
    from spacecraft_attitude_sim.recording.history import History

with current_folder.without('matplotlibrc'):
    import matplotlib as mpl

TRACE_SECONDS = 4.0
# Most bodies side by side that have room for their angles, and for one legend each.
MOST_WITH_ANGLES = 2
FLIPS = '(dotted: the body turns over)'
# Names of the panels that a controlled run has more.
OF_CONTROL = ('error', 'wheel_speed')
# A body under commands turns over only while its L keeps this share of its largest size.
KEPT = 0.5


def plain(text: str) -> str:
    """Return a text with $ escaped, so that matplotlib does not read a formula."""
    return text.replace('$', r'\$')


def figure(
    history: History, title: str, attitude: str | None = None, only: Sequence[str] = ()
) -> Figure:
    """Return a figure of attitude, rate, acceleration, momentum and energy over time.

    On a floor it shows position, rate, contact force, energy, and attitude if requested.
    attitude: one of curves.ATTITUDES; None for euler, or for no attitude on a floor
    only: names of the panels to draw, from panel_names.NAMES; empty for those above
    Raises ValueError for a panel that the run does not have.
    """
    return figure_beside([(history, '')], title, attitude, only)


def figure_beside(
    runs: Sequence[tuple], title: str, attitude: str | None = None, only: Sequence[str] = ()
) -> Figure:
    """Return the `figure` of several runs side by side, with common scales.

    runs: (history, its name) of each; all are on a floor or all are free
    """
    from matplotlib import pyplot

    columns = [_panels(history, attitude, only) for history, _ in runs]
    if len({len(column) for column in columns}) > 1:
        raise ValueError('the runs have different numbers of these panels; choose others')
    heights = [limited.panel.height for limited in columns[0]]
    width = 8.0 if len(runs) == 1 else 6.8 * len(runs)
    drawn, axes = pyplot.subplots(
        len(heights), len(runs), figsize=(width, 0.4 + sum(heights)), height_ratios=heights,
        sharex=True, sharey='row', squeeze=False, layout='constrained',
    )  # fmt: skip
    for (history, name), panels, column in zip(runs, columns, axes.T, strict=True):
        _draw_column(column, history, panels, narrow=len(runs) > 1)
        if name:
            column[0].annotate(
                name, (0.5, 1.0), (0.0, 20.0), 'axes fraction', 'offset points', ha='center'
            )
    for axis, panels in zip(axes[:, 0], zip(*columns, strict=True), strict=True):
        curves.limit(axis, [limited.panel for limited in panels])
        limited_panels.draw_limits(axis, tuple({level for one in panels for level in one.limits}))
    drawn.align_ylabels()
    drawn.suptitle(title)
    last = max(history.time[-1] for history, _ in runs)
    axes[-1, 0].set_xlim(min(history.time[0] for history, _ in runs), last)
    return drawn


def _panels(history: History, attitude: str | None, only: Sequence[str]) -> list[Limited]:
    """Return the panels of a history over time."""
    if only:
        return selected_panels.panels(history, only, attitude)
    panels = curves.attitude_panels(history, attitude) if attitude or not history.contact else []
    more = contact_figures.panels if history.contact else curves.free_panels
    return [Limited(panel) for panel in (*panels, *more(history))]


def _draw_column(
    axes: Sequence[Axes], history: History, panels: Sequence[Limited], narrow: bool = False
) -> None:
    """Draw panels one below the other; narrow: as in curves.draw."""
    flips: Any = _turns(history)
    note = contact_figures.shading(history) if history.contact else FLIPS if len(flips) else ''
    note = '      '.join(text for text in (note, orbit_figures.note(history)) if text)
    fast = sampling.note(history)
    for axis, limited in zip(axes, panels, strict=True):
        curves.draw(axis, history.time, limited.panel, narrow)
        orbit_figures.shade(axis, history)
        if history.contact:
            contact_figures.shade(axis, history)
        for flip in flips:
            axis.axvline(flip, color='0.6', linestyle=':', linewidth=1.0)
    axes[-1].set_xlabel(f'time [s]      {note}' + (f'\n{fast}' if fast else ''))


def shown(history: History) -> tuple[str, ...]:
    """Return the names of what is drawn of a controlled run; () where `figure` draws enough.

    Beside the panels of `figure` there are pointing error and wheel speeds.
    """
    if history.contact or history.control is None:
        return ()
    usual = [limited.panel.key for limited in _panels(history, None, ())]
    there = {limited.panel.key for limited in selected_panels.every(history)}
    return (*dict.fromkeys(usual), *(name for name in OF_CONTROL if name in there))


def _turns(history: History) -> Array:
    """Return the times at which the body turned over [s], () where it says nothing.

    It says nothing on a floor, and where a controller changes the size of L: a wheel that is
    unloaded takes L through zero while the attitude stays.
    """
    size = np.linalg.norm(history.angular_momentum_B, axis=1)
    steered = history.control is not None and size.min() < KEPT * size.max()
    return np.zeros(0) if history.contact or steered else history.flips()


def animation_frames(
    history: History, parts: Sequence[Part], title: str, form: Format = FULL
) -> Iterator[Image]:
    """Yield the frames of an animation as PIL images.

    They show the body with its angular velocity and momentum, and the rates over time; on a floor
    also the contact.

    parts: Primitives and meshes.Shells, from the centre of mass in body axes
    form: Format
    """
    return frames_of(lambda: _animated(history, parts, title, form), history.time, form)


def frames_beside(runs: Sequence[tuple], title: str, form: Format = FULL) -> Iterator[Image]:
    """Yield the frames of an animation of several bodies side by side, until the first run ends.

    runs: (history, its name, parts) of each; all are on a floor or all are free
    """
    time = shortest(history for history, *_ in runs).time
    return frames_of(lambda: _animated_beside(runs, title, time, form), time, form)


def shortest(histories: Iterable[History]) -> History:
    """Return the History that ends first."""
    return min(histories, key=lambda history: history.time[-1])


def frames_of(
    make: Callable[[], tuple[Figure, Callable]], time: Array, form: Format
) -> Iterator[Image]:
    """Yield the frames of an animation.

    make: returns a Figure, and a function from a sample index to the moving artists
    """
    from matplotlib import pyplot
    from PIL import Image

    with pyplot.rc_context({'font.size': form.font}):
        figure, artists = make()
        figure.canvas.draw()
        background = figure.canvas.copy_from_bbox(figure.bbox)
        for index in frame_indices(time, form):
            figure.canvas.restore_region(background)
            renderer = figure.canvas.get_renderer()
            for artist in artists(index):
                artist.draw(renderer)
            yield Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[:, :, :3].copy())
        pyplot.close(figure)


def _animated(
    history: History, parts: Sequence[Part], title: str, form: Format
) -> tuple[Figure, Callable]:
    """Return the Figure of an animation, and a function from a sample to its moving artists."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=form.size, layout='constrained', dpi=form.dpi)
    figure.suptitle(title, fontsize='medium')
    widths = (1.2, 1.0) if history.contact else (1.0, 1.1)
    left, right = figure.subfigures(1, 2, width_ratios=widths)
    scene = _scene(left.subplots(), history, parts)
    speed = _speed(history.time, form)
    turns = sampling.turns_per_frame(history, speed / form.frames_per_second)

    def words(index: int) -> str:
        return scenery.words(history.time[index], history.euler_zyx[index], speed, turns)

    said = left.supxlabel(words(0), fontsize='small', family='monospace', animated=True)
    plots = right.subplots(1 + bool(history.contact), 1, sharex=True, squeeze=False)[:, 0]
    _plot_beside(plots, history)
    cursors = [
        plot.axvline(history.time[0], color='0.2', linewidth=1.0, animated=True) for plot in plots
    ]

    def artists(index: int) -> Iterable[Artist]:
        said.set_text(words(index))
        for cursor in cursors:
            cursor.set_xdata([history.time[index]] * 2)
        return (*scene.artists(index), said, *cursors)

    return figure, artists


def _animated_beside(
    runs: Sequence[tuple], title: str, time: Array, form: Format
) -> tuple[Figure, Callable]:
    """Return the same for several bodies side by side, at one scale."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=form.size, layout='constrained', dpi=form.dpi)
    figure.suptitle(title, fontsize='medium')
    speed, scenes, said, views = _speed(time, form), [], [], []
    for part, (history, _, parts) in zip(
        figure.subfigures(1, len(runs), squeeze=False)[0], runs, strict=True
    ):
        views.append(part.subplots())
        scenes.append(_scene(views[-1], history, parts))
        said.append(part.supxlabel('\n', fontsize='small', family='monospace', animated=True))
    _give_one_scale(views)
    if len(runs) > MOST_WITH_ANGLES:
        _give_one_legend(views)

    def artists(index: int) -> Iterable[Artist]:
        moving = []
        for (history, name, _), scene, words in zip(runs, scenes, said, strict=True):
            sample = min(np.searchsorted(history.time, time[index]), len(history.time) - 1)
            told = scenery.words(time[index], history.euler_zyx[sample], speed)
            if len(runs) > MOST_WITH_ANGLES:
                words.set_text(f'{name}\n{told.splitlines()[0]}')
            else:
                words.set_text(f'{name}, {told}')
            moving += [*scene.artists(sample), words]
        return moving

    return figure, artists


def _scene(view: Axes, history: History, parts: Sequence[Part]) -> Any:
    """Return the scene of a body on a floor, or of a free body."""
    kind = contact_figures.Scene if history.contact else _Scene
    return kind(view, history, parts)


def _give_one_legend(views: list[Axes]) -> None:
    """Merge the legends of several views into one above the middle view; it spans the others."""
    from matplotlib.lines import Line2D

    said: dict[str, Any] = {}
    for view in views:
        (legend,) = view.figure.legends
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True):
            said[text.get_text()] = handle.get_color()
        legend.remove()
    whole = [Line2D([], [], color=color, label=label) for label, color in said.items()]
    for place, view in enumerate(views):  # empty legends keep all views at one size
        middle = place == len(views) // 2
        scenery.legend(view, whole if middle else [Line2D([], [], alpha=0.0, label=' ')])


def _give_one_scale(views: list[Axes]) -> None:
    """Give views the same scale, each about its centre."""
    for along in 'xy':
        limits = np.array([getattr(view, f'get_{along}lim')() for view in views])
        half = np.max(np.ptp(limits, axis=1)) / 2.0
        for view, middle in zip(views, limits.mean(axis=1), strict=True):
            getattr(view, f'set_{along}lim')(middle - half, middle + half)


def _plot_beside(plots: Sequence[Axes], history: History) -> None:
    curves.draw(plots[0], history.time, curves.rate_panel(history))
    if history.contact:
        curves.draw(plots[1], history.time, contact_figures.position_panel(history))
        for plot in plots:
            contact_figures.shade(plot, history)
    note = contact_figures.shading(history) if history.contact else ''
    fast = sampling.note(history).replace('; ', ';\n').replace(': ', ':\n')
    plots[-1].set_xlabel('\n'.join(text for text in ('time [s]', note, fast) if text))
    plots[-1].set_xlim(history.time[0], history.time[-1])


def frame_indices(time: Array, form: Format = FULL) -> NDArray[np.int_]:
    """Return the index of the sample shown in each frame; a long run is shown faster."""
    step = _speed(time, form) / form.frames_per_second
    return np.searchsorted(time, np.arange(time[0], time[-1], step))


def _speed(time: Array, form: Format) -> float:
    """Return how many times faster than real time a run is shown."""
    return max(1.0, (time[-1] - time[0]) / form.longest)


def frame_count(history: History, form: Format = FULL) -> int:
    """Return the number of frames of an animation of a History."""
    return len(frame_indices(history.time, form))


class _Scene:
    """The body at one instant, its wheels, axes, ω and L, and the trace of its spin axis."""

    def __init__(self, view: Axes, history: History, parts: Sequence[Part]) -> None:
        from matplotlib.collections import PolyCollection
        from matplotlib.lines import Line2D

        internal = history.internal
        parts = internal_looks.through_glass(internal and internal.parts, parts)
        self._mesh = meshes.mesh(parts)
        self._q_WB = history.q_WB()
        reach = np.max(np.linalg.norm(self._mesh.corners, axis=2))
        self._inside = None
        if internal:
            self._inside = internal_looks.looks_of(internal.parts, reach)
            self._internal = internal
            self._slug_turns = internal_looks.slug_turns(history.time, internal.slug_rates)
            reach = internal_looks.reach_of(internal.parts, parts)
        along_B = flips_and_drifts.spin_axis(history.angular_momentum_B[0])
        followed = f'path of the {"xyz"[int(np.argmax(np.abs(along_B)))]} axis'
        axis_B = 1.15 * reach * along_B
        self._discs, wheels = None, history.wheels
        if wheels:
            self._discs = wheel_discs.discs_of(wheels.parts, self._mesh, wheels.places_B)
            summed = wheel_discs.angles(history.time, wheels.speeds)
            self._angles = summed if wheels.angles is None else wheels.angles
        gimbals, thrusters = history.gimbals, history.thrusters
        self._looks = actuator_looks.looks_of(
            gimbals and gimbals.parts, thrusters and thrusters.parts, None, self._mesh,
            self._discs,
        )  # fmt: skip
        none = np.zeros((len(history.time), 0))
        self._turned = gimbals.angles if gimbals else none
        # A pulse shorter than a tick is drawn as its mean.
        self._forces = thrusters.mean_forces if thrusters else none
        self._trace = meshes.on_screen([rotations.rotate(q, axis_B) for q in self._q_WB])
        self._time = history.time
        self._arrows = scenery.Arrows(view, history, self._q_WB, reach)
        scenery.world_axes(view)
        self._body = view.add_collection(PolyCollection([], linewidths=0.5, animated=True))
        (self._line,) = view.plot([], [], color=colors.TRACE, linewidth=1.2, animated=True)
        view.set_aspect('equal')
        view.set(xlim=(-1.7 * reach, 1.7 * reach), ylim=(-1.7 * reach, 1.7 * reach))
        view.set_axis_off()
        styles = (
            (colors.ANGULAR_VELOCITY, 'ω'),
            (colors.ANGULAR_MOMENTUM, 'L'),
            *(((colors.WHEEL_MOMENTUM, 'h of the wheels'),) if wheels else ()),
            (colors.TRACE, followed),
        )
        handles = [Line2D([], [], color=color, label=label) for color, label in styles]
        scenery.legend(view, handles)

    def artists(self, index: int) -> Iterable[Artist]:
        """Return the artists of a sample, back to front."""
        drawn = self._mesh
        if self._discs:
            drawn = meshes.joined(drawn, self._discs.mesh(self._angles[index]))
        if beside := self._looks.mesh(self._turned[index], self._forces[index]):
            drawn = meshes.joined(drawn, beside)
        if self._inside and (inside := self._inside.mesh(*self._inside_at(index))):
            drawn = meshes.joined(drawn, inside)
        polygons, shades = meshes.picture(drawn, self._q_WB[index])
        self._body.set(verts=polygons, facecolors=shades, edgecolors=shades)
        start = int(np.searchsorted(self._time, self._time[index] - TRACE_SECONDS))
        self._line.set_data(*self._trace[start : index + 1].T)
        behind, before = self._arrows.artists(index, np.zeros(2))
        return (self._line, *behind, self._body, *before)

    def _inside_at(self, index: int) -> tuple[Array, Array, Array]:
        """Return the arguments of internal_looks.Looks.mesh for a sample."""
        found = self._internal
        return found.displacements[index], found.swings[index], self._slug_turns[index]


def without_display() -> None:
    """Select the backend Agg, which draws to files; call it before you make a figure."""
    mpl.use('Agg')


def display_missing() -> bool:
    """Return whether no window can be opened: on Linux, neither DISPLAY nor WAYLAND_DISPLAY."""
    return sys.platform == 'linux' and not (
        os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY')
    )
