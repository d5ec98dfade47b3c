# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Figures for a report: the four panels of a run, and an animation of the body."""

import contextlib
import itertools
import os
import shutil
import subprocess
import sys

import matplotlib as mpl
import numpy as np

from spacecraft_attitude_sim.core import analysis, rotations
from spacecraft_attitude_sim.files import drawing

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
FRAMES_PER_SECOND = 20
# Longer runs are shown faster.
LONGEST_ANIMATION = 30.0
TRACE_SECONDS = 4.0


def four_panels(history, title):
    """Return a figure of attitude, rate, acceleration and momentum over time."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(4, 1, figsize=(8.0, 10.0), sharex=True, layout='constrained')
    for panel, (field, label, names, factor) in zip(axes, PANELS, strict=True):
        values = getattr(history, field) * factor
        if field == 'euler_zyx':
            values = _broken_at_wraps(values)
        for column, name, color in zip(values.T, names, COLORS, strict=True):
            panel.plot(history.time, column, color=color, label=name, linewidth=1.3)
        for flip in history.flips():
            panel.axvline(flip, color='0.6', linestyle=':', linewidth=1.0)
        panel.set_ylabel(label)
        panel.grid(alpha=0.25)
        panel.legend(loc='upper right', ncols=3, fontsize='small', framealpha=0.85)
        panel.ticklabel_format(axis='y', scilimits=(-2, 4))
    figure.align_ylabels()
    axes[0].set_title(title)
    axes[-1].set_xlabel('time [s]      (dotted: the body turns over)')
    axes[-1].set_xlim(history.time[0], history.time[-1])
    return figure


def _broken_at_wraps(angles_deg):
    """Return angles with a gap where they jump by a turn, so that no line is drawn there."""
    broken = angles_deg.copy()
    jumps = np.abs(np.diff(angles_deg, axis=0)) > 180.0
    broken[1:][jumps] = np.nan
    return broken


def animation_frames(history, parts, title):
    """Yield the frames of an animation as PIL images, FRAMES_PER_SECOND of them a second.

    Shows the body with its angular velocity and momentum, beside the rates over time.

    parts: primitives placed from the centre of mass in body axes
    """
    from matplotlib import pyplot
    from PIL import Image

    figure, (view, plot) = pyplot.subplots(
        1, 2, figsize=(9.0, 4.2), width_ratios=(1.0, 1.25), layout='constrained', dpi=80
    )
    figure.suptitle(title, fontsize='medium')
    names = ('ω₁', 'ω₂', 'ω₃')
    for column, name, color in zip(history.angular_velocity_B.T, names, COLORS, strict=True):
        plot.plot(history.time, column, color=color, label=name, linewidth=1.2)
    plot.set(xlabel='time [s]', ylabel='angular velocity, body axes [rad/s]')
    plot.set_xlim(history.time[0], history.time[-1])
    plot.grid(alpha=0.25)
    plot.legend(loc='upper right', ncols=3, fontsize='small')
    scene = _Scene(view, history, parts)
    cursor = plot.axvline(history.time[0], color='0.2', linewidth=1.0, animated=True)
    figure.canvas.draw()
    background = figure.canvas.copy_from_bbox(figure.bbox)
    for index in frame_indices(history.time):
        figure.canvas.restore_region(background)
        cursor.set_xdata([history.time[index]] * 2)
        for artist in (*scene.artists(index), cursor):
            artist.axes.draw_artist(artist)
        yield Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[:, :, :3].copy())
    pyplot.close(figure)


def frame_indices(time):
    """Return the sample shown in each frame; a long run is shown faster."""
    duration = time[-1] - time[0]
    speed = max(1.0, duration / LONGEST_ANIMATION)
    shown = time[0] + np.arange(0.0, duration, speed / FRAMES_PER_SECOND)
    return np.searchsorted(time, shown)


def frame_count(history):
    """Return how many frames an animation of the history has."""
    return len(frame_indices(history.time))


def save_gif(frames, path):
    """Write frames (PIL images) as a GIF that repeats."""
    frames = list(frames)
    # One palette for all, so that a frame holds only what changed since the one before.
    palette = frames[len(frames) // 4].quantize(128)
    frames = [frame.quantize(palette=palette, dither=0) for frame in frames]
    frames[0].save(
        path,
        save_all=True,
        append_images=frames[1:],
        duration=1000 // FRAMES_PER_SECOND,
        loop=0,
        optimize=True,
    )


def save_mp4(frames, path):
    """Write frames (PIL images) as an MP4 with ffmpeg.

    Raises OSError with what ffmpeg said.
    """
    frames = iter(frames)
    first = next(frames)
    command = [
        'ffmpeg', '-y', '-loglevel', 'error', '-f', 'rawvideo', '-pix_fmt', 'rgb24',
        '-s', f'{first.width}x{first.height}', '-r', str(FRAMES_PER_SECOND), '-i', '-',
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
