# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: air and sunlight on their plates, as environment.loads.registry.press.

The functions of a plate are those of a craft alone, in the same order. A craft with fewer plates
than others has plates without a normal, which face nothing.

    airs, lights    (n, PLATE_ROW, LANES) plates on which the air, and light, acts
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.batch.craft_rows import (
    AIRED,
    FLOW,
    INVERSE,
    LIT,
    PRESS,
    PRESS_TORQUE,
    PUSH,
    PUSH_TORQUE,
    SPEED,
    STRENGTH,
    X,
    fill_rows,
    picked,
    three_of,
)
from spacecraft_attitude_sim.core.batch.lanes import LANES, thirteen
from spacecraft_attitude_sim.core.batch.loaded_lanes import put_three, three
from spacecraft_attitude_sim.core.environment.loads.air_drag import push_of_air
from spacecraft_attitude_sim.core.environment.loads.load import (
    DENSITY,
    PRESSURE,
    TO_SUN,
    WIND,
    ZERO,
    to_body,
    turn_of,
)
from spacecraft_attitude_sim.core.environment.loads.solar_pressure import push_of_light
from spacecraft_attitude_sim.core.environment.plates import (
    ACCOMMODATION,
    AREA,
    CENTER,
    DIFFUSE,
    DRAG,
    LEAVING,
    NORMAL,
    PLATE_ROW,
    SPECULAR,
)
from spacecraft_attitude_sim.core.equations.multibody.derivatives import inverse_square
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    moved_vector,
    norm,
    scaled,
)
from spacecraft_attitude_sim.core.parts.craft import LOADS
from spacecraft_attitude_sim.kernels.columns import from_line
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array


@part
def room_for_plates(parts: Array, slot: int) -> Array:
    """Return an array for the plates on which a load acts; parts: (N, any) constants."""
    most = 0
    for n in range(len(parts)):
        most = max(most, int(parts[n, LOADS + 2 * slot]))
    return from_line(np.zeros((most + 1, PLATE_ROW, LANES)))


@part
def read_plates(plates: Array, i: int, parts: Array, slot: int) -> None:
    """Write the plates on which a load acts to lane i; parts: constants of its craft."""
    count, row = int(parts[LOADS + 2 * slot]), int(parts[LOADS + 2 * slot + 1])
    for n in range(len(plates)):
        for j in range(PLATE_ROW):
            plates[n, j, i] = parts[row + n * PLATE_ROW + j] if n < count else 0.0


@helper
def clear_press(w: Array) -> None:
    """Let PRESS and PRESS_TORQUE, which follows it, be NOTHING of environment.loads.load."""
    fill_rows(w, PRESS, 6, -0.0)


@helper
def press_on(w: Array, here: Array, airs: Array, lights: Array, unit: bool) -> None:
    """Write PRESS and PRESS_TORQUE: force and torque of air and light on the plates.

    Without plates they stay as `clear_press` leaves them.

    here: the environment now;  unit: whether to take the quaternion as one of unit length
    """
    if len(airs) + len(lights) > 0:
        clear_press(w)
    if len(airs) > 0:
        meet_air(w, here, unit)
        for n in range(len(airs)):
            push_by_air(w, airs, n)
        add_push(w, AIRED)
    if len(lights) > 0:
        face_sun(w, here, unit)
        for n in range(len(lights)):
            push_by_light(w, lights, n)
        add_push(w, LIT)


@helper
def meet_air(w: Array, here: Array, unit: bool) -> None:
    """Write the flow of the air, its speed and density; without PUSH yet."""
    for i in range(LANES):
        x, k = thirteen(w, X, i), w[INVERSE, i]
        turn = turn_of(x, 1.0 if unit else inverse_square(x))
        wind = here[WIND, i], here[WIND + 1, i], here[WIND + 2, i]
        through_W = moved_vector((k * x[7], k * x[8], k * x[9]), -1.0, wind)
        through_B = to_body(turn, through_W, 0)
        speed = norm(through_B)
        put_three(w, FLOW, i, scaled(1.0 / speed, through_B))
        w[SPEED, i], w[STRENGTH, i] = speed, here[DENSITY, i]
        put_three(w, PUSH, i, ZERO)
        put_three(w, PUSH_TORQUE, i, ZERO)


@helper
def push_by_air(w: Array, airs: Array, n: int) -> None:
    """Add the push of the air on plate n to PUSH, as air_drag.of_air."""
    for i in range(LANES):
        normal, way, speed = three_of(airs, n, NORMAL, i), three(w, FLOW, i), w[SPEED, i]
        c, density = dot(normal, way), w[STRENGTH, i]
        felt = push_of_air(
            normal, airs[n, AREA, i], airs[n, DRAG, i], airs[n, ACCOMMODATION, i],
            airs[n, LEAVING, i], way, speed, density, c,
        )  # fmt: skip
        hit = (c > 0.0) & (speed > 0.0) & (density > 0.0)
        force, torque = three(w, PUSH, i), three(w, PUSH_TORQUE, i)
        put_three(w, PUSH, i, picked(hit, added(force, felt), force))
        turned = added(torque, cross(three_of(airs, n, CENTER, i), felt))
        put_three(w, PUSH_TORQUE, i, picked(hit, turned, torque))


@helper
def face_sun(w: Array, here: Array, unit: bool) -> None:
    """Write the direction to the Sun and the pressure of its light; without PUSH yet."""
    for i in range(LANES):
        x = thirteen(w, X, i)
        turn = turn_of(x, 1.0 if unit else inverse_square(x))
        sun = here[TO_SUN, i], here[TO_SUN + 1, i], here[TO_SUN + 2, i]
        put_three(w, FLOW, i, to_body(turn, sun, 0))
        w[STRENGTH, i] = here[PRESSURE, i]
        put_three(w, PUSH, i, ZERO)
        put_three(w, PUSH_TORQUE, i, ZERO)


@helper
def push_by_light(w: Array, lights: Array, n: int) -> None:
    """Add the push of light on plate n to PUSH, as solar_pressure.of_sunlight."""
    for i in range(LANES):
        normal, sun = three_of(lights, n, NORMAL, i), three(w, FLOW, i)
        c = dot(normal, sun)
        felt = push_of_light(
            normal, lights[n, AREA, i], lights[n, SPECULAR, i], lights[n, DIFFUSE, i], sun,
            w[STRENGTH, i], c,
        )  # fmt: skip
        force, torque = three(w, PUSH, i), three(w, PUSH_TORQUE, i)
        put_three(w, PUSH, i, picked(c > 0.0, added(force, felt), force))
        turned = added(torque, cross(three_of(lights, n, CENTER, i), felt))
        put_three(w, PUSH_TORQUE, i, picked(c > 0.0, turned, torque))


@helper
def add_push(w: Array, acts: int) -> None:
    """Add PUSH where it acts; acts: row that tells where."""
    for i in range(LANES):
        on, force, torque = w[acts, i] > 0.0, three(w, PRESS, i), three(w, PRESS_TORQUE, i)
        put_three(w, PRESS, i, picked(on, added(force, three(w, PUSH, i)), force))
        turned = added(torque, three(w, PUSH_TORQUE, i))
        put_three(w, PRESS_TORQUE, i, picked(on, turned, torque))
