# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Figures for a report: the four panels of a run, and an animation of the body."""

import contextlib
import itertools
import os
import shutil
import subprocess
import sys
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core import analysis, current_folder, rotations
from spacecraft_attitude_sim.files import contact_figures, drawing

with current_folder.without('matplotlibrc'):
    import matplotlib as mpl

COLORS = ('#d62f2f', '#2a8f3c', '#2a5fbf')
ANGULAR_MOMENTUM_COLOR = '#7d3ca8'
ANGULAR_VELOCITY_COLOR = '#2ea152'
TRACE_COLOR = '#f0981a'
PANELS = (
    ('euler_zyx', 'attitude [deg]', ('yaw', 'pitch', 'roll'), 180.0 / np.pi),
    ('angular_velocity_B', 'angular velocity [rad/s]', ('ω₁', 'ω₂', 'ω₃'), 1.0),
    ('angular_acceleration_B', 'angular acceleration [rad/s²]', ('α₁', 'α₂', 'α₃'), 1.0),
    ('angular_momentum_B', 'angular momentum, body axes [N m s]', ('L₁', 'L₂', 'L₃'), 1.0),
)
ARROW_COLORS = (
    ANGULAR_MOMENTUM_COLOR, ANGULAR_VELOCITY_COLOR, TRACE_COLOR, contact_figures.FORCE_COLOR,
    contact_figures.PATH_COLOR,
)  # fmt: skip
TRACE_SECONDS = 4.0


class Format(NamedTuple):
    """How an animation is made.

    size: (2,) of the figure [inch];  dpi: dots per inch;  frames_per_second: of the animation
    longest: longer runs are shown faster [s];  colors: of a GIF;  font: its size [points]
    """

    size: tuple = (9.0, 4.2)
    dpi: int = 80
    frames_per_second: int = 20
    longest: float = 30.0
    colors: int = 128
    font: float = 10.0


FULL = Format()


def plain(text):
    """Return a text that matplotlib does not take for a formula."""
    return text.replace('$', r'\$')


def four_panels(history, title):
    """Return a figure of attitude, rate, acceleration and momentum over time.

    On a floor: of position, rate, contact force and energy.
    """
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(4, 1, figsize=(8.0, 10.0), sharex=True, layout='constrained')
    panels = contact_figures.panels(history) if history.contact else _free_panels(history)
    for axis, (values, label, names) in zip(axes, panels, strict=True):
        plot_curves(axis, history.time, values, names)
        axis.set_ylabel(label)
        axis.ticklabel_format(axis='y', scilimits=(-2, 4))
        if history.contact:
            contact_figures.shade(axis, history)
        else:
            for flip in history.flips():
                axis.axvline(flip, color='0.6', linestyle=':', linewidth=1.0)
    figure.align_ylabels()
    axes[0].set_title(title)
    note = contact_figures.SHADING if history.contact else '(dotted: the body turns over)'
    axes[-1].set_xlabel(f'time [s]      {note}')
    axes[-1].set_xlim(history.time[0], history.time[-1])
    return figure


def _free_panels(history):
    """Return (values, label, names of the curves) of the panels of a free body."""
    found = []
    for field, label, names, factor in PANELS:
        values = getattr(history, field) * factor
        found.append((_broken_at_wraps(values) if field == 'euler_zyx' else values, label, names))
    return found


def plot_curves(axis, time, values, names):
    """Draw the columns of values over time."""
    for column, name, color in zip(values.T, names, COLORS, strict=False):
        axis.plot(time, column, color=color, label=name, linewidth=1.3)
    axis.grid(alpha=0.25)
    if len(names) > 1:
        axis.legend(loc='upper right', ncols=3, fontsize='small', framealpha=0.85)


def _broken_at_wraps(angles_deg):
    """Return angles with a gap where they jump by a turn, so that no line is drawn there."""
    broken = angles_deg.copy()
    jumps = np.abs(np.diff(angles_deg, axis=0)) > 180.0
    broken[1:][jumps] = np.nan
    return broken


def animation_frames(history, parts, title, form=FULL):
    """Yield the frames of an animation as PIL images.

    Shows the body with its angular velocity and momentum, beside the rates over time; on a floor,
    with the contact.

    parts: primitives and drawing.Shells placed from the centre of mass in body axes
    form: Format
    """
    from matplotlib import pyplot
    from PIL import Image

    with pyplot.rc_context({'font.size': form.font}):
        figure, artists = _animated(history, parts, title, form)
        figure.canvas.draw()
        background = figure.canvas.copy_from_bbox(figure.bbox)
        for index in frame_indices(history.time, form):
            figure.canvas.restore_region(background)
            for artist in artists(index):
                artist.axes.draw_artist(artist)
            yield Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[:, :, :3].copy())
        pyplot.close(figure)


def _animated(history, parts, title, form):
    """Return the figure of an animation, and a function from a sample to what moves in it."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=form.size, layout='constrained', dpi=form.dpi)
    figure.suptitle(title, fontsize='medium')
    widths = (1.2, 1.0) if history.contact else (1.0, 1.25)
    left, right = figure.subfigures(1, 2, width_ratios=widths)
    if history.contact:
        scene = contact_figures.Scene(left.subplots(), history, parts)
        plots = right.subplots(2, 1, sharex=True)
    else:
        scene = _Scene(left.subplots(), history, parts)
        plots = right.subplots(1, 1, squeeze=False)[:, 0]
    _plot_beside(plots, history)
    cursors = [
        plot.axvline(history.time[0], color='0.2', linewidth=1.0, animated=True) for plot in plots
    ]

    def artists(index):
        for cursor in cursors:
            cursor.set_xdata([history.time[index]] * 2)
        return (*scene.artists(index), *cursors)

    return figure, artists


def _plot_beside(plots, history):
    plot_curves(plots[0], history.time, history.angular_velocity_B, ('ω₁', 'ω₂', 'ω₃'))
    word = 'ω' if history.contact else 'angular velocity, body axes'
    plots[0].set_ylabel(f'{word} [rad/s]')
    if history.contact:
        plot_curves(plots[1], history.time, history.contact.position_W, ('x', 'y', 'z'))
        plots[1].set_ylabel('position [m]')
        for plot in plots:
            contact_figures.shade(plot, history)
    note = f'\n{contact_figures.SHADING}' if history.contact else ''
    plots[-1].set_xlabel(f'time [s]{note}')
    plots[-1].set_xlim(history.time[0], history.time[-1])


def frame_indices(time, form=FULL):
    """Return the sample shown in each frame; a long run is shown faster."""
    duration = time[-1] - time[0]
    speed = max(1.0, duration / form.longest)
    shown = time[0] + np.arange(0.0, duration, speed / form.frames_per_second)
    return np.searchsorted(time, shown)


def frame_count(history, form=FULL):
    """Return how many frames an animation of the history has."""
    return len(frame_indices(history.time, form))


def save_gif(frames, path, form=FULL):
    """Write frames (PIL images) as a GIF that repeats."""
    frames = list(frames)
    # One palette for all, so that a frame holds only what changed since the one before.
    palette = _palette(frames[len(frames) // 4], form.colors)
    frames = [frame.quantize(palette=palette, dither=0) for frame in frames]
    frames[0].save(
        path,
        save_all=True,
        append_images=frames[1:],
        duration=1000 // form.frames_per_second,
        loop=0,
        optimize=True,
    )


def _palette(frame, count):
    """Return an image whose palette is that of a frame, with the colours of lines among them."""
    from PIL import Image

    lines = [*COLORS, *ARROW_COLORS]
    common = frame.quantize(count - len(lines)).getpalette()[: 3 * (count - len(lines))]
    holder = Image.new('P', (1, 1))
    holder.putpalette(
        [*common, *(round(255 * x) for name in lines for x in mpl.colors.to_rgb(name))]
    )
    return holder


def save_mp4(frames, path, form=FULL):
    """Write frames (PIL images) as an MP4 with ffmpeg.

    Raises OSError with what ffmpeg said.
    """
    frames = iter(frames)
    first = next(frames)
    command = [
        'ffmpeg', '-y', '-loglevel', 'error', '-f', 'rawvideo', '-pix_fmt', 'rgb24',
        '-s', f'{first.width}x{first.height}', '-r', str(form.frames_per_second), '-i', '-',
        '-pix_fmt', 'yuv420p', '-movflags', '+faststart', str(path),
    ]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as ffmpeg:
        with contextlib.suppress(BrokenPipeError):  # its own words say why
            for frame in itertools.chain([first], frames):
                ffmpeg.stdin.write(frame.tobytes())
        _, complaint = ffmpeg.communicate()
    if ffmpeg.returncode:
        raise OSError(f'{path}: ffmpeg failed: {complaint.decode().strip()}')


class _Scene:
    """The body at one instant, with arrows of ω and L and the trace of its spin axis."""

    def __init__(self, view, history, parts):
        from matplotlib.collections import PolyCollection
        from matplotlib.lines import Line2D

        self._mesh = drawing.mesh(parts)
        self._q_WB = np.array(
            [rotations.quaternion_from_euler_zyx(*angles) for angles in history.euler_zyx]
        )
        reach = np.max(np.linalg.norm(self._mesh.corners, axis=2))
        axis_B = 1.15 * reach * analysis.spin_axis(history.angular_momentum_B[0])
        self._trace = drawing.on_screen([rotations.rotate(q, axis_B) for q in self._q_WB])
        self._arrows = [
            self._arrow_tips(history.angular_velocity_B, reach),
            self._arrow_tips(history.angular_momentum_B, reach),
        ]
        self._time = history.time
        self._body = view.add_collection(PolyCollection([], linewidths=0.5, animated=True))
        (self._line,) = view.plot([], [], color=TRACE_COLOR, linewidth=1.2, animated=True)
        styles = ((ANGULAR_VELOCITY_COLOR, 'ω'), (ANGULAR_MOMENTUM_COLOR, 'L'))
        self._shafts = [
            view.plot(
                [0.0, 0.0],
                [0.0, 0.0],
                color=color,
                linewidth=2.2,
                marker='o',
                markevery=[1],
                label=label,
                animated=True,
            )[0]
            for color, label in styles
        ]
        view.set_aspect('equal')
        view.set(xlim=(-1.7 * reach, 1.7 * reach), ylim=(-1.7 * reach, 1.7 * reach))
        view.set_axis_off()
        handles = [Line2D([], [], color=color, label=label) for color, label in styles]
        view.legend(handles=handles, loc='upper left', frameon=False)

    def _arrow_tips(self, vectors_B, reach):
        vectors_W = [rotations.rotate(*pair) for pair in zip(self._q_WB, vectors_B, strict=True)]
        longest = np.max(np.linalg.norm(vectors_W, axis=1)) or 1.0
        return drawing.on_screen(np.array(vectors_W) * (1.5 * reach / longest))

    def artists(self, index):
        """Return what to draw at one sample, back to front."""
        polygons, colors = drawing.picture(self._mesh, self._q_WB[index])
        self._body.set(verts=polygons, facecolors=colors, edgecolors=colors)
        start = int(np.searchsorted(self._time, self._time[index] - TRACE_SECONDS))
        self._line.set_data(*self._trace[start : index + 1].T)
        for shaft, tips in zip(self._shafts, self._arrows, strict=True):
            shaft.set_data([0.0, tips[index, 0]], [0.0, tips[index, 1]])
        return (self._line, self._body, *self._shafts)


def can_write_mp4():
    """Return whether ffmpeg is installed."""
    return shutil.which('ffmpeg') is not None


def without_display():
    """Draw to files only; call before any figure is made."""
    mpl.use('Agg')


def display_missing():
    """Return whether no window can be opened here."""
    return sys.platform == 'linux' and not (
        os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY')
    )
