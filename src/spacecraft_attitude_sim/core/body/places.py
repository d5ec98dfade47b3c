# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Where a load acts: in a frame by its name, or at a point of one, written as base_link@x,y,z."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body.rigid_body import BodyFrame
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.safety.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# Largest distance of a point from the origin of its frame [m].
LARGEST_DISTANCE = 1e6
# Largest length of a point's text, in characters: longer than three doubles can be.
LONGEST_POINT = 96
NUMBER = r'([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)'
POINT = f'{NUMBER},{NUMBER},{NUMBER}'


class Place(NamedTuple):
    """Where a load acts.

    name: unique name;  frame: BodyFrame; None for the centre of mass, in world axes
    """

    name: str
    frame: BodyFrame | None


def find(frame_id: str, frames: Mapping[str, BodyFrame], world: str) -> Place:
    """Return the Place of a frame_id.

    frames: {name: BodyFrame} of the body;  world: name of the inertial frame
    Raises ValueError that says what is valid.
    """
    if frame_id == world:
        return Place(frame_id, None)
    if frame_id in frames:
        return Place(frame_id, frames[frame_id])
    name, at, point = frame_id.rpartition('@')
    if not at:
        raise ValueError(
            f'frame_id is {quoted(frame_id)}; valid are {", ".join((*frames, world))}, or a point '
            f'of the body as {next(iter(frames))}@x,y,z [m]'
        )
    if name not in frames:
        raise ValueError(
            f'frame_id is {quoted(frame_id)}; a point is one of the body: before @ valid are '
            f'{", ".join(frames)}'
        )
    return _of_point(name, frames[name], _numbers(frame_id, point))


def _numbers(frame_id: str, text: str) -> list[float]:
    """Return the coordinates after @."""
    match = re.fullmatch(POINT, text) if len(text) <= LONGEST_POINT else None
    if not match:
        raise ValueError(
            f'frame_id is {quoted(frame_id)}; after @ give three plain numbers in metres, as '
            'base_link@0.1,0,-0.25'
        )
    point = [float(number) + 0.0 for number in match.groups()]  # -0.0 is 0.0
    if not all(abs(coordinate) <= LARGEST_DISTANCE for coordinate in point):
        raise ValueError(
            f'frame_id is {quoted(frame_id)}; a coordinate is {LARGEST_DISTANCE:g} m at most: '
            'check the unit'
        )
    return point


def _of_point(name: str, frame: BodyFrame, point: Sequence[float]) -> Place:
    position_B = frame.position_B + rotations.rotate(frame.q_BF, np.array(point))
    coordinates = ','.join(map(repr, point))
    return Place(f'{name}@{coordinates}', BodyFrame(position_B, frame.q_BF))
