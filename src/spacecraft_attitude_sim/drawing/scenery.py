# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of an animation besides the body: body axes, ω, L, world axes, time and angles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, Matrix3, Vector3, Vectors3
from spacecraft_attitude_sim.drawing import colors, meshes
from spacecraft_attitude_sim.drawing.curves import LETTERS

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

    from spacecraft_attitude_sim.recording.history import History

# Lengths in reaches of the body; L is longer, because on a ball it is parallel to ω.
AXIS_LENGTH, OMEGA_LENGTH, MOMENTUM_LENGTH = 1.25, 1.3, 1.6
# Shorter arrows and their labels are not drawn.
SHORTEST = 0.05
# Alpha of L, h and ω over a body that hides them.
FAINT = 0.35
# Distance of a label from the tip.
LETTER_DISTANCE = 0.13
# Length of the world axes [inch], and their origin [fraction of the view].
WORLD_LENGTH, WORLD_ORIGIN = 0.3, (0.09, 0.13)


class Arrows:
    """Body axes, L and ω from the centre of mass, in front of the body or behind it.

    With wheels, also their angular momentum, at the scale of L.
    """

    def __init__(
        self, view: Axes, history: History, q_WB: Array, reach: float, shine: bool = False
    ) -> None:
        """Make the artists of `view`.

        q_WB: (n, 4);  reach: of the body [m]
        shine: whether L, h and ω behind the body are faintly visible through it
        """
        C_WB = np.array([rotations.dcm_from_quaternion(q) for q in q_WB])
        momentum_W = np.einsum('nij,nj->ni', C_WB, history.angular_momentum_B)
        omega_W = np.einsum('nij,nj->ni', C_WB, history.angular_velocity_B)
        self._reach = reach
        self._vectors = [AXIS_LENGTH * reach * C_WB[:, :, axis] for axis in range(3)]
        momenta = [momentum_W]
        styles = [(letter, color, 1.4) for letter, color in zip(LETTERS, colors.AXES, strict=True)]
        styles += [('L', colors.ANGULAR_MOMENTUM, 2.2)]
        if history.wheels:
            momenta.append(np.einsum('nij,nj->ni', C_WB, history.wheels.stored_B))
            styles += [('h', colors.WHEEL_MOMENTUM, 2.2)]
        longest = _longest(np.concatenate(momenta), MOMENTUM_LENGTH * reach)
        self._vectors += np.split(longest, len(momenta))
        self._vectors.append(_longest(omega_W, OMEGA_LENGTH * reach))
        styles += [('ω', colors.ANGULAR_VELOCITY, 2.2)]
        self._drawn = [_arrow(view, *style) for style in styles]
        self._faint = {
            letter: _arrow(view, letter, color, width, FAINT)
            for letter, color, width in styles
            if shine and letter not in LETTERS
        }

    def artists(self, index: int, center: Array) -> tuple[list[Artist], list[Artist]]:
        """Return the artists behind the body and those in front of it at a sample.

        center: (2,) of the body on the screen [m]
        """
        behind: list[Artist] = []
        before: list[Artist] = []
        for vectors, (shaft, letter) in zip(self._vectors, self._drawn, strict=True):
            if np.linalg.norm(vectors[index]) < SHORTEST * self._reach:
                continue
            (along,) = meshes.on_screen(vectors[index : index + 1])
            onward = along / max(np.linalg.norm(along), 1e-9 * self._reach)
            if letter.get_text() == 'ω':  # next to its tip, because L may extend beyond it
                onward = np.array((onward[1], -onward[0]))
            ends = np.array((center, center + along)).T
            place = center + along + LETTER_DISTANCE * self._reach * onward
            towards = vectors[index] @ meshes.CAMERA[2] > 0.0
            faint = self._faint.get(letter.get_text())
            for line, text in ((shaft, letter), *([faint] if faint and not towards else [])):
                line.set_data(*ends)
                text.set_position(place)
            (before if towards else behind).extend((shaft, letter))
            if faint and not towards:
                before.extend(faint)
        return behind, before


def _longest(vectors: Vectors3, length: float) -> Vectors3:
    """Return vectors (n, 3), scaled so that the longest has this length."""
    return vectors * (length / (np.max(np.linalg.norm(vectors, axis=1)) or 1.0))


def _arrow(
    view: Axes, letter: str, color: str, width: float, alpha: float = 1.0
) -> tuple[Line2D, Text]:
    """Return the shaft and the label of an arrow; a wide one has a dot at its tip."""
    wide = width > 2.0
    (shaft,) = view.plot(
        [], [], color=color, linewidth=width, marker='o' if wide else None, markevery=[1],
        markersize=5.0, animated=True, alpha=alpha,
    )  # fmt: skip
    text = view.text(
        0.0, 0.0, letter, color=color, ha='center', va='center', animated=True, fontsize='medium',
        alpha=alpha,
    )  # fmt: skip
    text.set_in_layout(False)
    return shaft, text


def world_axes(
    view: Axes,
    camera: Matrix3 = meshes.CAMERA,
    origin: tuple[float, float] = WORLD_ORIGIN,
    animated: bool = False,
) -> list[Artist]:
    """Return the constant artists of the world axes in a corner of `view`.

    camera: (3, 3) rows right, up, towards the viewer;  origin: (2,) [fraction of the view]
    animated: whether they are drawn in each frame, over the moving artists
    """
    from matplotlib.transforms import Affine2D, ScaledTranslation

    figure = view.figure
    corner = ScaledTranslation(*origin, view.transAxes)
    transform = Affine2D().scale(WORLD_LENGTH) + figure.dpi_scale_trans + corner
    style = {'transform': transform, 'color': colors.WORLD, 'animated': animated, 'clip_on': False}
    words = {'ha': 'center', 'va': 'center', 'fontsize': 'small', **style}
    tips = np.eye(3) @ camera[:2].T
    out_and_back = np.stack((np.zeros((3, 2)), tips), axis=1).reshape(-1, 2)
    named = zip(LETTERS, tips, strict=True)
    artists = view.plot(*out_and_back.T, linewidth=1.4, **style)
    artists += [view.text(*(1.35 * tip), letter, **words) for letter, tip in named]
    # On the side on which the axes extend less.
    low, high = np.min(tips[:, 1]), np.max(tips[:, 1])
    side = low - 0.6 if -low < high else high + 0.6
    artists.append(view.text(0.0, side, 'world', **words))
    for artist in artists:
        artist.set_in_layout(False)
    return artists


def words(time: float, euler_zyx: Vector3, speed: float, turns: float = 0.0) -> str:
    """Return time and Euler angles as two lines of constant width.

    time: [s];  euler_zyx: (3,) yaw, pitch, roll [rad];  speed: of the animation, 1 is real time
    turns: of the body from frame to frame; half a turn and more hides which way it turns
    """
    faster = f', {speed:.3g} times as fast' if speed > 1.0 else ''
    if turns > 0.5:
        faster += f', {turns:.2g} turns a frame'
    yaw, pitch, roll = np.round(np.degrees(euler_zyx), 1) + 0.0  # no -0.0
    angles = f'yaw {yaw:6.1f}°  pitch {pitch:5.1f}°  roll {roll:6.1f}°'
    return f't = {time:.2f} s{faster}\n{angles}'


def legend(view: Axes, handles: list[Line2D]) -> None:
    """Add a legend above the view, outside of it."""
    for handle in handles:
        handle.set_linewidth(2.5)
    view.figure.legend(
        handles=handles, loc='outside upper center', frameon=False, fontsize='small', ncols=4,
        columnspacing=1.0, handlelength=1.2,
    )  # fmt: skip
