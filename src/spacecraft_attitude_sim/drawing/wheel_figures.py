# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Figure of reaction wheels: speeds, torques, momentum and momentum envelope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.studies import momentum_envelope
from spacecraft_attitude_sim.drawing import colors, limited_panels, part_figures
from spacecraft_attitude_sim.drawing.curves import LETTERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from spacecraft_attitude_sim.core.parts.reaction_wheels.description import ReactionWheels
    from spacecraft_attitude_sim.core.studies.momentum_envelope import Envelope
    from spacecraft_attitude_sim.recording.history import History
    from spacecraft_attitude_sim.recording.part_history import PartHistory

RPM = 30.0 / np.pi
# Style of a boundary in a figure.
REACH_POINTS = 401


def figure(history: History, title: str) -> Figure:
    """Return the figure of a History with wheels.

    It shows speeds and motor torques with their limits, total L, and the angular momentum of the
    wheels. If every speed has a limit, it also shows the momentum envelope
    (core.studies.momentum_envelope) with the path of the wheels' momentum, and the torque of each
    motor over its speed inside its capability.
    """
    from matplotlib import pyplot

    assert history.wheels
    found = history.wheels
    shown = part_figures.panels(history)['wheels']
    envelope, reaches = envelope_of(found.parts), _has_reach(found)
    width = 13.5 if envelope or reaches else 8.0
    drawn = pyplot.figure(
        figsize=(width, 0.6 + limited_panels.HEIGHT * len(shown)), layout='constrained'
    )
    drawn.suptitle(title)
    left: Any = drawn
    if envelope or reaches:
        left, right = drawn.subfigures(1, 2, width_ratios=(8.0, 5.5))
        count = bool(envelope) + reaches
        if envelope:
            _draw_envelope(right.add_subplot(count, 1, 1, projection='3d'), envelope, found.held_B)
        if reaches:
            _draw_reach(right.add_subplot(count, 1, count), found)
    limited_panels.draw(left, history.time, shown)
    return drawn


def envelope_of(wheels: ReactionWheels) -> Envelope | None:
    """Return the Envelope of wheels; None if a speed has no limit."""
    most = wheels.inertias * wheels.speed_limits
    return momentum_envelope.envelope(wheels.axes_B, most) if np.isfinite(most).all() else None


def _draw_envelope(axis: Axes, envelope: Envelope, held_B: Array) -> None:
    """Draw the transparent envelope and the path of the wheels' momentum in it, body axes."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    view: Any = axis
    if len(envelope.normals):
        view.add_collection3d(
            Poly3DCollection(envelope.faces, facecolors=(*colors.rgb(colors.ELLIPSOID), 0.13))
        )
    view.add_collection3d(Line3DCollection(envelope.edges(), colors=colors.FAINT, linewidths=0.9))
    view.plot(*held_B.T, color=colors.WHEEL_MOMENTUM, linewidth=1.6)
    view.plot(*held_B[:1].T, 'o', color=colors.WHEEL_MOMENTUM, markersize=4.0, fillstyle='none')
    view.plot(*held_B[-1:].T, 'o', color=colors.WHEEL_MOMENTUM, markersize=5.0)
    size = 1.2 * max(np.max(np.abs(face)) for face in envelope.faces)
    for letter, color, along in zip(LETTERS, colors.AXES, size * np.eye(3), strict=True):
        view.plot(*np.stack((np.zeros(3), along)).T, color=color, linewidth=1.2)
        view.text(*(1.1 * along), letter, color=color)
    view.set(xlim=(-size, size), ylim=(-size, size), zlim=(-size, size))
    view.set_box_aspect((1.0, 1.0, 1.0), zoom=1.5)
    view.set_axis_off()
    view.set_title(
        'What the wheels can hold, and do (from ring to dot)\n'
        f'at least {envelope.weakest:.3g} N m s in every direction; axes of {size:.3g}',
        fontsize='medium',
    )


def _has_reach(found: PartHistory) -> bool:
    """Return whether torques are known and some motor has limits of torque and speed."""
    wheels = found.parts
    bounded = np.isfinite(wheels.speed_limits) & np.isfinite(wheels.torque_limits)
    return bool(np.isfinite(found.torques).any() and bounded.any())


def reach(wheels: ReactionWheels, number: int) -> Array:
    """Return the boundary (n, 2) of a motor's speed [rad/s] and torque [N m].

    A motor that decelerates its wheel has its largest torque at any speed.
    """
    one, most = wheels.each[number], wheels.torque_limits[number]
    fastest = wheels.speed_limits[number]
    speeds = np.linspace(-fastest, fastest, REACH_POINTS)
    above = [
        min(most, one.max_power / speed, one.available(speed)) if speed > 0.0 else most
        for speed in speeds.tolist()
    ]
    upper = np.column_stack((speeds, above))
    return np.concatenate((upper, -upper, upper[:1]))


def _draw_reach(axis: Axes, found: PartHistory) -> None:
    """Draw the motors' capability and their actual torque over speed."""
    wheels, drawn = found.parts, set()
    for number in range(wheels.number):
        if np.isfinite(wheels.speed_limits[number]) and np.isfinite(wheels.torque_limits[number]):
            limits = wheels.each[number], wheels.torque_limits[number]
            if limits not in drawn:  # equal wheels share one boundary
                drawn.add(limits)
                speeds, torques = reach(wheels, number).T
                axis.plot(speeds * RPM, torques, color=colors.LIMIT, linestyle='--', linewidth=1.0)
        axis.plot(
            found.speeds[:, number] * RPM, found.torques[:, number], linewidth=1.2,
            color=colors.of_actuator(number),
        )  # fmt: skip
    axis.grid(alpha=0.25)
    axis.set(xlabel='speed [rpm]', ylabel='motor torque [N m]')
    axis.ticklabel_format(axis='y', scilimits=(-2, 4))
    axis.set_title('What the motors can give (dashed), and give', fontsize='medium')
