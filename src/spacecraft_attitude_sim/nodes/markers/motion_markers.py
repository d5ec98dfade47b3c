# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Markers of the rotation: body axes, ω, L, h, the trace of the spin axis, and texts."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from spacecraft_attitude_sim.core.actuators.actuator import NOTHING
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.spacecraft.telemetry import joint_names
from spacecraft_attitude_sim.core.studies import flips_and_drifts
from spacecraft_attitude_sim.core.ticks import TICKS_PER_SECOND
from spacecraft_attitude_sim.drawing import colors, floor_mesh
from spacecraft_attitude_sim.nodes.markers import marker_shapes
from spacecraft_attitude_sim.nodes.ros import conversions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3
    from spacecraft_attitude_sim.core.ticks import Ticks


OMEGA_COLOR = colors.on_dark(colors.ANGULAR_VELOCITY)
MOMENTUM_COLOR = colors.on_dark(colors.ANGULAR_MOMENTUM)
STORED_COLOR = colors.on_dark(colors.WHEEL_MOMENTUM)
TRACE_COLOR = colors.on_dark(colors.TRACE, 0.8)
AXIS_COLORS = tuple(map(colors.on_dark, colors.AXES))
TEXT_COLOR = colors.rgba(colors.TEXT_ON_DARK)
# Lengths in reaches of the body. The arrow of L is longer and thinner than that of ω, so that you
# see both if they are parallel.
OMEGA_LENGTH, MOMENTUM_LENGTH = 1.5, 1.25 * 1.5
AXIS_LENGTH, TRACE_RADIUS = 1.2, 1.2
OMEGA_WIDTH, MOMENTUM_WIDTH, AXIS_WIDTH, TRACE_WIDTH = 0.05, 0.04, 0.032, 0.015
LABEL_DISTANCE = 0.2
# From the middle of ω to its label, in widths of the shaft; the head has a radius of 1.5.
LABEL_GAP = 2.0
# Height of labels, height of the caption, and its distance from the body. The caption is below a
# body in free space, also below an L straight down, and above a body on a floor, which
# config/*.rviz shows from farther away. With several spacecraft it is above the name.
FREE, ON_FLOOR = (0.14, 0.105, -2.25), (0.2, 0.11, 2.5)
# From where config/*.rviz look in free space and on a floor, with the distance in reaches.
VIEW, CONTACT = (0.61, 0.44, 5.6), (0.61, 0.6, 7.8)
# Height of a spacecraft's name, and its distance above the body.
NAME_HEIGHT, NAME_ABOVE = 0.12, 1.2
# Most characters in a line of the caption, and most lines of it.
CAPTION_WIDTH, CAPTION_LINES = 44, 3
# The largest rate so far gets an arrow of full length; this is its lower limit [rad/s]. A body
# that follows an Earth orbit turns at 0.001 rad/s.
SLOWEST_RATE = 2e-4
# Shortest step of the trace, in reaches, and largest angle between two of its points [rad].
TRACE_STEP, TRACE_TURN = 0.03, 0.2


class Words(NamedTuple):
    """The texts beside a body.

    name: of the spacecraft, '' for none;  caption: whether description and time are shown
    size: height of all texts, relative to that for a single spacecraft
    """

    name: str = ''
    caption: bool = True
    size: float = 1.0


ALONE = Words()


class MotionMarkers:
    """Draws the rotation of a Scenario's body, tick by tick.

    reach: of the body [m];  trace_length: most points kept of the trace
    words: Words beside it
    """

    def __init__(
        self, found: Scenario, reach: float, trace_length: int, words: Words = ALONE
    ) -> None:
        body, initial = found.plant.body, found.initial
        self._joints = len(joint_names(found.plant.spacecraft))
        self._reach, self._inertia = reach, body.inertia
        self._craft, self._wheels = (
            found.plant.spacecraft,
            found.plant.spacecraft.part('reaction_wheels'),
        )
        self._axis_B = flips_and_drifts.spin_axis(body.angular_momentum_B(initial))
        self._trace = marker_shapes.Trail(trace_length, TRACE_STEP * reach)
        # Tick, position, attitude, rate in world axes.
        self._last: tuple[int, Vector3, Quaternion, Vector3] | None = None
        self._top_rate = SLOWEST_RATE
        self._top_momentum = SLOWEST_RATE * max(body.principal_moments)
        self._axes = _axes(AXIS_LENGTH * reach, AXIS_WIDTH * reach)
        described = textwrap.wrap(found.parameters['description'], CAPTION_WIDTH)
        self._described, self._words = described[:CAPTION_LINES], words
        label, caption, above = ON_FLOOR if found.plant.contact else FREE
        self._label_height, self._caption_height = (
            words.size * reach * height for height in (label, caption)
        )
        yaw, pitch, distance = CONTACT if found.plant.contact else VIEW
        self._sight = marker_shapes.Sight.of(yaw, pitch, distance * words.size * reach)
        self._above = above * reach
        if words.name and words.size > 1.0:  # others may be below it
            top = (NAME_ABOVE + 1.5 * NAME_HEIGHT * words.size) * reach
            self._above = max(self._above, top)
        if self._above > 0.0:  # above the first line
            self._above += len(self._described) * marker_shapes.LINE * self._caption_height
        self._ticks = found.plant.ticks
        self._up_W = floor_mesh.upwards(found.plant.gravity_W)

    def at(
        self,
        tick: int,
        position_W: Vector3,
        q_WB: Quaternion,
        omega_B: Vector3,
        wheel_speeds: Array = NOTHING,
        momentum_W: Array = NOTHING,
    ) -> list[Marker]:
        """Return the markers of a tick: always the same number, in the same order.

        position_W: (3,) [m];  q_WB: (4,);  omega_B: (3,) [rad/s]
        wheel_speeds: (N,) relative to the body [rad/s]; if empty, not known, L is not drawn
        momentum_W: (3,) L [N m s] of a spacecraft with gimbals or internal parts, whose L does not
            follow from the wheel speeds
        """
        reach = self._reach
        omega_W = rotations.rotate(q_WB, omega_B)
        if self._craft.moves:
            momentum_W, stored_W = self._momenta_told_W(q_WB, omega_B, wheel_speeds, momentum_W)
        else:
            momentum_W, stored_W = self._momenta_W(q_WB, omega_B, wheel_speeds)
        self._top_rate = max(self._top_rate, math.hypot(*omega_W))
        sizes = math.hypot(*momentum_W), math.hypot(*stored_W)
        self._top_momentum = max(self._top_momentum, *sizes)
        self._follow(tick, position_W, q_WB, omega_W)
        rate = omega_W * (OMEGA_LENGTH * reach / self._top_rate)
        longest = MOMENTUM_LENGTH * reach / self._top_momentum
        momentum, stored = longest * momentum_W, longest * stored_W
        width, slim = OMEGA_WIDTH * reach, MOMENTUM_WIDTH * reach
        self._axes.pose = conversions.pose_to_ros(position_W, q_WB)
        return [
            marker_shapes.arrow('angular_velocity', position_W, rate, OMEGA_COLOR, width),
            marker_shapes.arrow('angular_momentum', position_W, momentum, MOMENTUM_COLOR, slim),
            *(
                [marker_shapes.arrow('wheel_momentum', position_W, stored, STORED_COLOR, slim)]
                if self._wheels or self._craft.part('control_moment_gyros')
                else []
            ),
            marker_shapes.line(
                'trace', Marker.LINE_STRIP, self._trace.points, TRACE_COLOR, TRACE_WIDTH * reach
            ),
            self._axes,
            *self._labels(position_W, rate, momentum),
            *self._written(tick, position_W),
        ]  # fmt: skip

    def _written(self, tick: int, position_W: Vector3) -> list[Marker]:
        """Return the markers of the caption and the name."""
        made = []
        if self._words.caption:
            lines = [*self._described, f't = {self._ticks.seconds(tick):.1f} s']
            top_W = position_W + self._above * self._up_W
            made += marker_shapes.lines_of_text(
                'caption', lines, top_W, -self._up_W, self._caption_height, TEXT_COLOR
            )
        if self._words.name:
            height = NAME_HEIGHT * self._words.size * self._reach
            place_W = position_W + (NAME_ABOVE * self._reach + height / 2.0) * self._up_W
            name = marker_shapes.text('name', self._words.name, place_W, height, TEXT_COLOR)
            made.append(name)
        return made

    def _momenta_told_W(
        self, q_WB: Quaternion, omega_B: Vector3, wheel_speeds: Array, momentum_W: Array
    ) -> tuple[Vector3, Vector3]:
        """Return L and h of wheels and rotors, (3,) each [N m s], in world axes; or zeros."""
        if not momentum_W.size:
            return np.zeros(3), np.zeros(3)
        if not self._craft.part('control_moment_gyros'):
            return momentum_W, self._momenta_W(q_WB, omega_B, wheel_speeds)[1]
        carried_W = rotations.rotate(q_WB, self._craft.carrier.inertia @ omega_B)
        return momentum_W, momentum_W - carried_W

    def _momenta_W(
        self, q_WB: Quaternion, omega_B: Vector3, wheel_speeds: Array
    ) -> tuple[Vector3, Vector3]:
        """Return L and Σ h_i a_i, (3,) each [N m s], in world axes; zeros if not known."""
        wheels = self._wheels
        if wheels is None:
            return rotations.rotate(q_WB, self._inertia @ omega_B), np.zeros(3)
        if wheel_speeds.size != self._joints:
            return np.zeros(3), np.zeros(3)
        wheel_speeds = wheel_speeds[: wheels.number]
        relative_B = (wheels.inertias * wheel_speeds) @ wheels.axes_B
        stored_B = wheels.momentum_B(wheels.momenta(wheel_speeds, omega_B))
        return (
            rotations.rotate(q_WB, self._inertia @ omega_B + relative_B),
            rotations.rotate(q_WB, stored_B),
        )

    def _labels(self, position_W: Vector3, rate: Vector3, momentum: Vector3) -> list[Marker]:
        """Return the labels of the arrows: L beyond its tip, ω beside its tip."""
        height = self._label_height
        away = LABEL_DISTANCE * self._reach * self._words.size
        gap = LABEL_GAP * OMEGA_WIDTH * self._reach
        made = []
        for words, vector, color in (
            ('omega', rate, OMEGA_COLOR),
            ('L', momentum, MOMENTUM_COLOR),
        ):
            length = math.hypot(*vector)
            if length < away:  # inside the body
                made.append(marker_shapes.absent('labels', Marker.TEXT_VIEW_FACING))
                continue
            along = vector / length
            offset = (
                away * along if words == 'L' else self._sight.beside(words, vector, height, gap)
            )
            place = position_W + vector + offset
            made.append(marker_shapes.text('labels', words, place, height, color))
        return made

    def _follow(self, tick: int, position_W: Vector3, q_WB: Quaternion, omega_W: Vector3) -> None:
        """Extend the trace from the last tick to this one."""
        last, self._last = self._last, (tick, position_W, q_WB, omega_W)
        if last and tick < last[0]:  # a new run
            self._trace.clear()
        tip_W = TRACE_RADIUS * self._reach * self._axis_B
        if last and 0 < tick - last[0] <= stride(self._ticks):
            _, before_W, q_before, omega_before_W = last
            mean_W = (omega_before_W + omega_W) / 2.0
            turn_W = turn_between(q_before, q_WB, mean_W, self._ticks.seconds(tick - last[0]))
            start_W = rotations.rotate(q_before, tip_W)
            for point, share in _along(start_W, turn_W):
                self._trace.add(before_W + share * (position_W - before_W) + point)
        self._trace.add(position_W + rotations.rotate(q_WB, tip_W))


def stride(ticks: Ticks) -> int:
    """Return the number of ticks per drawn tick, for about 30 in a second of simulated time."""
    return max(1, round(ticks.rate / TICKS_PER_SECOND))


def turn_between(
    q_before: Quaternion, q_after: Quaternion, omega_W: Vector3, seconds: float
) -> Vector3:
    """Return the rotation vector (3,) [rad] in world axes from one attitude q_WB to another.

    Such rotations differ by whole turns. It chooses the one nearest to omega_W (3,) [rad/s] times
    `seconds`, and reduces it to less than one turn.
    """
    q = rotations.compose(q_after, rotations.conjugate(q_before))
    sine = math.hypot(*q[1:])
    if sine < 1e-9:
        return np.zeros(3)
    axis_W = q[1:] / sine
    angle = 2.0 * math.atan2(sine, q[0])
    whole = round((omega_W @ axis_W * seconds - angle) / (2.0 * math.pi))
    return math.fmod(angle + 2.0 * math.pi * whole, 2.0 * math.pi) * axis_W


def _along(start_W: Vector3, turn_W: Vector3) -> Iterator[tuple[Vector3, float]]:
    """Yield (point (3,), fraction of the arc) along the arc on which a rotation moves a point."""
    angle = math.hypot(*turn_W)
    if not angle:
        return
    axis_W = turn_W / angle
    rise_W = axis_W * (axis_W @ start_W)
    across_W = start_W - rise_W
    (x, y, z), (u, v, w) = axis_W, start_W
    ahead_W = np.array((y * w - z * v, z * u - x * w, x * v - y * u))
    turned = angle * math.hypot(*across_W) / math.hypot(*start_W)
    count = math.ceil(turned / TRACE_TURN)
    for number in range(1, count):
        share = number / count
        cosine, sine = math.cos(share * angle), math.sin(share * angle)
        yield rise_W + cosine * across_W + sine * ahead_W, share


def _axes(length: float, width: float) -> Marker:
    """Return three lines along the body axes, each with its own colour, in body axes."""
    made = marker_shapes.marker('body_axes', Marker.LINE_LIST, (1.0, 1.0, 1.0, 1.0))
    ends = [end for axis in np.eye(3) for end in (np.zeros(3), length * axis)]
    made.points = marker_shapes.points(ends)
    made.colors = [
        ColorRGBA(r=red, g=green, b=blue, a=alpha)
        for red, green, blue, alpha in AXIS_COLORS
        for _ in range(2)
    ]
    made.scale = Vector3(x=width, y=1.0, z=1.0)
    return made
