# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes of internal parts: hinged plates, balls on lines and rods, and turning balls.

A panel is drawn as the uniform plate with its mass and inertia. The volume of a ball is
proportional to its mass. A mode of vibration has no shape, only a curve. A slug has no position
parameter: slugs are drawn side by side at the centre of mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body.primitives import Primitive
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3, Vectors3
from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.parts.coordinates.sliding_masses import SlidingMass
from spacecraft_attitude_sim.drawing import colors, meshes, wheel_discs
from spacecraft_attitude_sim.drawing.meshes import Mesh

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
    from spacecraft_attitude_sim.core.parts.pendulums.description import Pendulum
    from spacecraft_attitude_sim.drawing.meshes import Part

# Sizes in reaches of the body: thinnest plate; radius of a hinge, a tube and a rod; half length of
# the line of a mass without stops; radius of a slug; smallest radius of a ball.
THINNEST, THIN = 0.02, 0.014
ENDLESS, SLUG, SMALLEST_BALL = 0.55, 0.15, 0.05
# Radius of the heaviest ball, and of the stop at the end of a tube relative to the ball.
BALL, STOP = 0.12, 0.7
# A hinge is as long as its plate, but at least this.
SHORTEST_HINGE = 0.25
# Alpha of a body that would hide parts inside it.
GLASS = 0.4

Pose = tuple[Vector3, Quaternion]


class Look(NamedTuple):
    """One object to draw: Primitives in their own axes, which a pose places in the body."""

    name: str
    primitives: tuple[Primitive, ...]

    def mesh(self, segments: int = meshes.SEGMENTS) -> Mesh:
        """Return the Mesh in the object's axes."""
        return meshes.mesh_of([meshes.faces_of(one, segments) for one in self.primitives])


class Looks(NamedTuple):
    """The drawn objects of InternalParts: fixed lines of masses, and moving objects."""

    parts: InternalParts
    still: tuple[Look, ...]
    moving: tuple[Look, ...]
    slug_places: tuple[Vector3, ...]

    def poses(self, displacements: Array, swings: Vectors3, slug_turns: Array) -> list[Pose]:
        """Return (position (3,), attitude (4,)) of each of `moving`, in body axes.

        displacements: (K,) of the coordinates [rad, m]
        swings: (P, 3) of the pendulums' masses from their rest positions, body axes [m]
        slug_turns: (S, 4) q_BS of the slugs
        """
        made: list[Pose] = []
        several = zip(self.parts.coordinates.values(), displacements, strict=True)
        for one, displacement in several:
            if one.look:
                turn = np.array(rotations.IDENTITY)
                place = one.center_at_B(displacement)
                if one.revolute:
                    turn = rotations.quaternion_from_axis_angle(one.axis_B, displacement)
                    place = np.asarray(one.hinge_B, dtype=float)
                made.append((place, turn))
        for pendulum, swing in zip(self.parts.pendulums.values(), swings, strict=True):
            rod_B = pendulum.length * np.asarray(pendulum.rest_B) + swing
            direction_B = rod_B / max(float(np.linalg.norm(rod_B)), 1e-300)
            pivot_B = np.asarray(pendulum.pivot_B, dtype=float)
            made.append((pivot_B, wheel_discs.turning_z_to(direction_B)))
        return made + list(zip(self.slug_places, slug_turns, strict=True))

    def mesh(self, displacements: Array, swings: Vectors3, slug_turns: Array) -> Mesh | None:
        """Return the Mesh of all objects, or None if there are none; arguments as in `poses`."""
        poses = self.poses(displacements, swings, slug_turns)
        several = [one.mesh() for one in self.still] + [
            meshes.turned(look.mesh(), attitude, place)
            for look, (place, attitude) in zip(self.moving, poses, strict=True)
        ]
        if not several:
            return None
        return Mesh(*(np.concatenate(one) for one in zip(*several, strict=True)))


def looks_of(parts: InternalParts, reach: float) -> Looks:
    """Return the Looks of InternalParts; reach: of the drawn body [m]."""
    still, moving, number = [], [], 0
    balls: list[Pendulum | SlidingMass] = [*parts.pendulums.values()]
    balls += [one for one in parts.coordinates.values() if one.look == 'ball']
    heaviest = max((one.mass for one in balls), default=1.0)
    for name, one in parts.coordinates.items():
        color = colors.rgba(colors.of_part(number))
        number += 1
        if one.look == 'plate':
            moving.append(Look(name, tuple(_panel(one, reach, color))))
        elif one.look == 'ball':
            radius = _radius(one.mass / heaviest, reach)
            still.append(Look(name, tuple(_line(one, radius, reach))))
            ball = Primitive('sphere', (radius,), color=color)
            moving.append(Look(name, (ball,)))
    for name, pendulum in parts.pendulums.items():
        color = colors.rgba(colors.of_part(number))
        number += 1
        moving.append(Look(name, tuple(_pendulum(pendulum, heaviest, reach, color))))
    for name in parts.slugs:
        color = colors.rgba(colors.of_part(number))
        number += 1
        moving.append(Look(name, (Primitive('sphere', (SLUG * reach,), color=color),)))
    middle = (len(parts.slugs) - 1) / 2.0
    places = tuple(
        np.array((0.0, 2.2 * SLUG * reach * (place - middle), 0.0))
        for place in range(len(parts.slugs))
    )
    return Looks(parts, tuple(still), tuple(moving), places)


def reach_of(parts: InternalParts | None, body_parts: Sequence[Part]) -> float:
    """Return how far a body and its panels, at any angle, extend from the centre of mass [m].

    body_parts: drawn Primitives and Shells, from the centre of mass
    """
    reach = max(part.reach() for part in body_parts)
    panels = parts.coordinates.values() if parts else ()
    ends = [
        float(np.linalg.norm(one.hinge_B) + plate_of(one, reach).reach())
        for one in panels
        if one.revolute
    ]
    return max([reach, *ends])


def plate_of(panel: HingedPanel, reach: float, color: tuple = (0.7, 0.7, 0.75, 1.0)) -> Primitive:
    """Return the uniform box with a panel's mass and inertia, relative to its hinge, at angle 0.

    reach: of the body, for the smallest thickness [m];  color: (4,)
    """
    moments, axes_B = np.linalg.eigh(panel.inertia)
    squares = 6.0 / panel.mass * (np.sum(moments) - 2.0 * moments)
    sizes = np.sqrt(np.maximum(squares, (THINNEST * reach) ** 2))
    axes_B[:, 2] = np.cross(axes_B[:, 0], axes_B[:, 1])
    turn = rotations.quaternion_from_dcm(axes_B)
    center = tuple(float(part) for part in panel.center_B)
    return Primitive('box', tuple(sizes.tolist()), center, tuple(turn), color=color)


def through_glass(parts: InternalParts | None, body_parts: Sequence[Part]) -> Sequence[Part]:
    """Return the drawn parts of a body, transparent if they would hide internal parts."""
    if not (parts and _hidden(parts)):
        return body_parts
    return tuple(_as_glass(part) for part in body_parts)


def told(
    parts: InternalParts, displacements: Array, slug_rates: Array
) -> tuple[Array, Vectors3, Vectors3]:
    """Split received values into displacements (K,), swings (P, 3) and slug rates (S, 3).

    displacements: of coordinates and pendulums, (K + 3 P,);  slug_rates: (3 S,)
    The result is zero for missing values, a wrong number of values, or values that are not finite.
    """
    count, swinging, turning = len(parts.coordinates), len(parts.pendulums), len(parts.slugs)
    if displacements.size != count + 3 * swinging:
        displacements = np.zeros(count + 3 * swinging)
    if slug_rates.size != 3 * turning:
        slug_rates = np.zeros(3 * turning)
    moved = np.nan_to_num(displacements)
    return moved[:count], moved[count:].reshape(-1, 3), np.nan_to_num(slug_rates).reshape(-1, 3)


def turned_on(turns: Array, rates_B: Array, seconds: float) -> Array:
    """Return the attitudes (S, 4) q_BS of slugs some seconds later, at constant rates.

    turns: (S, 4);  rates_B: (S, 3) relative to the body [rad/s]
    """
    angles = np.linalg.norm(rates_B, axis=1) * seconds
    return np.array([
        rotations.compose(rotations.quaternion_from_axis_angle(rate_B, angle), turn)
        if angle > 0.0
        else turn
        for turn, rate_B, angle in zip(turns, rates_B, angles, strict=True)
    ]).reshape(-1, 4)  # fmt: skip


def slug_turns(time: Array, rates_B: Array, first: Array | None = None) -> Array:
    """Return the attitudes (n, S, 4) q_BS of slugs, integrated from their rates.

    No topic carries the attitudes, so they are integrated by the trapezoidal rule.
    time: (n,) [s];  rates_B: (n, S, 3) relative to the body [rad/s]; NaN counts as 0
    first: (S, 4) attitudes at the first time, None for the identity
    """
    known = np.nan_to_num(rates_B)
    turns = [np.tile(rotations.IDENTITY, (rates_B.shape[1], 1)) if first is None else first]
    for row, seconds in enumerate(np.diff(time)):
        turns.append(turned_on(turns[-1], (known[row] + known[row + 1]) / 2.0, seconds))
    return np.array(turns)


def _hidden(parts: InternalParts) -> bool:
    return any(one.look == 'ball' for group in parts.groups for one in group.values())


def _as_glass(part: Part) -> Part:
    clear = (*part.color[:3], min(GLASS, part.color[3]))
    if isinstance(part, Primitive):
        return replace(part, color=clear)
    shades = part.faces.colors.copy()
    shades[:, 3] = np.minimum(shades[:, 3], GLASS)
    return replace(part, color=clear, faces=part.faces._replace(colors=shades))


def _panel(panel: HingedPanel, reach: float, color: tuple) -> list[Primitive]:
    """Return plate and hinge, with an arm across a gap between them, relative to the hinge."""
    plate = plate_of(panel, reach, color)
    axis_B, center_B = np.asarray(panel.axis_B), np.asarray(panel.center_B, dtype=float)
    foot_B = (center_B @ axis_B) * axis_B
    out_B = center_B - foot_B
    away = float(np.linalg.norm(out_B))
    half = np.array(plate.size) / 2.0
    C = rotations.dcm_from_quaternion(plate.orientation)
    length = max(2.0 * float(np.abs(C.T @ axis_B) @ half), SHORTEST_HINGE * reach)
    made = [plate, _rod(foot_B, axis_B, length, THIN * reach)]
    gap = away - float(np.abs(C.T @ out_B) @ half) / away if away else 0.0
    if gap > THINNEST * reach:
        made.append(_rod(foot_B + out_B / 2.0, out_B / away, away, THIN * reach))
    return made


def _line(mass: SlidingMass, radius: float, reach: float) -> list[Primitive]:
    """Return the line of a mass, with stops at its ends."""
    axis_B = np.asarray(mass.axis_B)
    ends = [
        end if np.isfinite(end) else side * max(ENDLESS * reach, 1.5 * abs(mass.displacement))
        for end, side in zip(mass.travel, (-1.0, 1.0), strict=True)
    ]
    middle = mass.center_at_B(sum(ends) / 2.0)
    made = [_rod(middle, axis_B, ends[1] - ends[0], THIN * reach)]
    for end, side, travel in zip(ends, (-1.0, 1.0), mass.travel, strict=True):
        if np.isfinite(travel):  # the ball touches the stop with its surface
            place = mass.center_at_B(end + side * (radius + THIN * reach))
            made.append(_rod(place, axis_B, 2.0 * THIN * reach, STOP * radius))
    return made


def _pendulum(pendulum: Pendulum, heaviest: float, reach: float, color: tuple) -> list[Primitive]:
    """Return pivot, rod and ball, in axes with z towards the ball."""
    radius = _radius(pendulum.mass / heaviest, reach)
    z, away = np.array((0.0, 0.0, 1.0)), pendulum.length * np.array((0.0, 0.0, 1.0))
    return [
        Primitive('sphere', (2.0 * THIN * reach,), color=colors.rgba(colors.HINGE)),
        _rod(away / 2.0, z, pendulum.length, THIN * reach),
        Primitive('sphere', (radius,), tuple(away.tolist()), color=color),
    ]


def _rod(middle: Vector3, axis_B: Vector3, length: float, radius: float) -> Primitive:
    return Primitive(
        'cylinder', (radius, length), tuple(np.asarray(middle, dtype=float).tolist()),
        tuple(wheel_discs.turning_z_to(axis_B)), color=colors.rgba(colors.HINGE),
    )  # fmt: skip


def _radius(share: float, reach: float) -> float:
    """Return the radius [m] of a ball; share: its mass divided by the heaviest."""
    return reach * max(SMALLEST_BALL, BALL * share ** (1.0 / 3.0))
