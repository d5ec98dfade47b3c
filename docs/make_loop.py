# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Draw a ball that rolls round a square and comes back turned: docs/images/ball_round_a_loop.gif.

`python docs/make_loop.py`. The contact model of examples/ball_round_a_loop.py rolls it.
"""

import sys
from pathlib import Path

import numpy as np

from spacecraft_attitude_sim.core.body.primitives import Primitive
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.drawing import animation_file, colors, figures, meshes

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / 'examples'))
import ball_round_a_loop  # noqa: E402
from ball_round_a_loop import RADIUS, SIDE, SQUARE  # noqa: E402

PATH = DOCS / 'images' / 'ball_round_a_loop.gif'
FORM = animation_file.Format(size=(6.4, 3.6), dpi=72, frames_per_second=8, colors=80, font=10.0)
TICKS = 48  # per leg, of 1/32 s
SHOWN = 4  # ticks per frame
HELD = 16  # frames at the end
# Colours of the body axes x, y, z; the negative ends are paler.
AXIS_COLORS = np.array([colors.rgb(color) for color in colors.AXES])
SEAM_COLOR = (0.93, 0.92, 0.87)
SEAM = 0.6  # share of a side
FLOOR_COLORS = ('#dcdcd6', '#c3c9cf')
TILE = 0.5 * SIDE
# Position on the screen of the ball in its initial attitude [m].
START = np.array((0.34, 0.07))


def ball():
    """Return the Mesh of the ball: an inflated cube, each side in the colour of its axis."""
    faces = meshes.faces_of(Primitive('box', (2.0, 2.0, 2.0)))
    middles = faces.corners.mean(axis=1)
    side = np.argmax(np.abs(middles), axis=1)
    ends = np.take_along_axis(middles, side[:, np.newaxis], axis=1)
    shades = np.ones((len(middles), 4))
    shades[:, :3] = np.where(ends > 0.0, AXIS_COLORS[side], 0.4 * AXIS_COLORS[side] + 0.6)
    shades[np.sum(np.abs(middles) > SEAM, axis=1) > 1, :3] = SEAM_COLOR
    corners = np.tan(0.25 * np.pi * faces.corners)
    corners *= RADIUS / np.linalg.norm(corners, axis=2, keepdims=True)
    return meshes.mesh([meshes.Shell(meshes.Faces(corners, shades), (1, 1, 1, 1))])


def draw_floor(axis):
    """Draw chequers around the square."""
    from matplotlib.collections import PolyCollection

    steps = TILE * np.arange(-1, 4)
    corners = np.array(((0, 0), (1, 0), (1, 1), (0, 1))) * TILE
    tiles = [np.column_stack((corners + (x, y), np.zeros(4))) for x in steps for y in steps]
    shades = [FLOOR_COLORS[k % 2] for k in range(len(tiles))]
    axis.add_collection(
        PolyCollection([meshes.on_screen(tile) for tile in tiles], facecolors=shades)
    )


class Scene:
    """The ball on its way, and next to it the ball in its initial attitude."""

    def __init__(self, view, states):
        """Draw the fixed parts; states: flat (n, 13)."""
        self.states, self.mesh = states, ball()
        draw_floor(view)
        self.way = view.plot([], [], color=colors.CONTACT_PATH, linewidth=2.0)[0]
        self.ball, self.text = self._empty(view), view.text(-0.29, 0.21, '', va='top')
        self._show(self._empty(view), states[0], START)
        view.text(START[0], START[1] - 0.13, 'at the start', ha='center', va='top')
        view.set(xlim=(-0.3, 0.46), ylim=(-0.21, 0.22), aspect='equal')
        view.set_axis_off()

    def show(self, index):
        """Draw a tick."""
        state = self.states[index]
        self.way.set_data(*meshes.on_screen(self.states[: index + 1, 0:3] * (1, 1, 0)).T)
        self._show(self.ball, state, meshes.on_screen(state[np.newaxis, 0:3]))
        away = np.linalg.norm(state[0:2] - self.states[0, 0:2])
        turned = np.degrees(rotations.angle_between(state[3:7], self.states[0, 3:7]))
        self.text.set_text(f'{away:.3f} m from its place\nturned by {turned:.1f}°')

    def _empty(self, view):
        from matplotlib.collections import PolyCollection

        return view.add_collection(PolyCollection([], linewidths=0.3, zorder=3))

    def _show(self, drawn, state, place):
        polygons, colors = meshes.picture(self.mesh, state[3:7])
        drawn.set(verts=polygons + place, facecolors=colors, edgecolors=colors)


def frames(states):
    """Yield PIL images."""
    from matplotlib import pyplot
    from PIL import Image

    with pyplot.rc_context({'font.size': FORM.font}):
        figure = pyplot.figure(figsize=FORM.size, dpi=FORM.dpi, layout='constrained')
        scene = Scene(figure.subplots(), states)
        last = len(states) - 1
        for index in [*range(0, last, SHOWN), *[last] * HELD]:
            scene.show(index)
            figure.canvas.draw()
            yield Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[:, :, :3].copy())
        pyplot.close(figure)


def main():
    """Write the animation."""
    figures.without_display()
    animation_file.save_gif(frames(ball_round_a_loop.roll(SIDE * SQUARE, TICKS)), PATH, FORM)
    print(f'{PATH.name:28} {PATH.stat().st_size // 1000} kB', flush=True)


if __name__ == '__main__':
    main()
