# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Frames of an animation, written as a GIF or an MP4."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.drawing import colors

if TYPE_CHECKING:
    from PIL.Image import Image

# Colours of lines and arrows; the palette of a GIF must contain them.
LINE_COLORS = (
    *colors.AXES, colors.ANGULAR_MOMENTUM, colors.ANGULAR_VELOCITY, colors.TRACE, colors.WORLD,
    colors.CONTACT_FORCE, colors.CONTACT_PATH, colors.WHEEL_MOMENTUM,
)  # fmt: skip


class Format(NamedTuple):
    """The format of an animation.

    size: (2,) of the figure [inch];  dpi: dots per inch;  frames_per_second: of the animation [Hz]
    longest: longest duration of the animation [s]; a longer run is shown faster
    colors: number of colours of a GIF;  font: its size [points]
    """

    size: tuple = (9.0, 4.2)
    dpi: int = 80
    frames_per_second: int = 20
    longest: float = 30.0
    colors: int = 128
    font: float = 10.0


FULL = Format()


def save_gif(frames: Iterable[Image], path: str | Path, form: Format = FULL) -> None:
    """Write frames (PIL images) as a GIF that loops."""
    frames = list(frames)
    # With one palette for all frames, each frame stores only its changes.
    palette = _palette(frames[len(frames) // 4], form.colors)
    frames = [frame.quantize(palette=palette, dither=0) for frame in frames]
    frames[0].save(
        path,
        save_all=True,
        append_images=frames[1:],
        duration=gif_delays(len(frames), form.frames_per_second),
        loop=0,
        optimize=True,
    )


def gif_delays(count: int, frames_per_second: int) -> list[int]:
    """Return the delays of the frames of a GIF [ms].

    GIF delays are multiples of 10 ms. At 32 frames per second a frame is shown for 30 ms, and
    every eighth one for 40 ms, so that the animation keeps time.
    """
    ends = np.arange(count + 1) * 100 // frames_per_second
    return (10 * np.diff(ends)).tolist()


def _palette(frame: Image, count: int) -> Image:
    """Return an image that holds the palette of a frame, extended by LINE_COLORS."""
    from PIL import Image

    lines = np.array([colors.rgb(color) for color in LINE_COLORS])
    rest = count - len(lines)
    common = frame.quantize(rest).getpalette()[: 3 * rest]
    holder = Image.new('P', (1, 1))
    holder.putpalette([*common, *np.round(255 * lines).astype(int).ravel().tolist()])
    return holder


def save_mp4(frames: Iterable[Image], path: str | Path, form: Format = FULL) -> None:
    """Write frames (PIL images) as an MP4 (H.264) with ffmpeg.

    Raises OSError with the message of ffmpeg.
    """
    frames = iter(frames)
    first = next(frames)
    command = [
        'ffmpeg', '-y', '-loglevel', 'error', '-f', 'rawvideo', '-pix_fmt', 'rgb24',
        '-s', f'{first.width}x{first.height}', '-r', str(form.frames_per_second), '-i', '-',
        '-pix_fmt', 'yuv420p', '-movflags', '+faststart', str(path),
    ]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as ffmpeg:
        with contextlib.suppress(BrokenPipeError):  # ffmpeg prints the reason
            for frame in itertools.chain([first], frames):
                ffmpeg.stdin.write(frame.tobytes())  # type: ignore[union-attr]
        _, complaint = ffmpeg.communicate()
    if ffmpeg.returncode:
        raise OSError(f'{path}: ffmpeg failed: {complaint.decode().strip()}')


def can_write_mp4() -> bool:
    """Return whether ffmpeg is installed."""
    return shutil.which('ffmpeg') is not None
