# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What is around a spacecraft in orbit, on nodes in time, and between them in the compiled loop.

A node is a function of its number alone, made in blocks that always begin at the same numbers, so
a table has the same bits however it came to cover a time. Between nodes: position and velocity by
the cubic Hermite polynomial of both; the field, the logarithm of the density, Sun and Moon by that
of Catmull and Rom, through two nodes on either side. Shadow, attitude of the Earth and wind are
computed at the instant. At 10 s and 500 km the nodes cost 0.3 mm, 0.1 mm/s and 0.02 nT.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.earth import ASTRONOMICAL_UNIT, ROTATION_RATE
from spacecraft_attitude_sim.core.environment.epoch import EPOCH
from spacecraft_attitude_sim.core.environment.sun_and_moon import lit_part
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_product,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.vectors import (
    cross,
    four_at,
    norm,
    put,
    scaled,
    subtracted,
    three_at,
)
from spacecraft_attitude_sim.kernels.kernel import compiled, helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

# A node: of world's origin, of Sun and Moon from the Earth's centre [m], ln(density / kg m^-3).
NODE = Layout(
    position_W=3, velocity_W=3, magnetic_field_W=3, log_density=1, sun_W=3, moon_W=3
)  # fmt: skip
# How a flat table begins, before its nodes. first: number of the first node, whose time is that
# times step [s];  count: of nodes;  air: whether there is any;  the others as elsewhere
TABLE = Layout(
    first=1, count=1, step=1, rotation_angle=1, q_WI=4, solar_constant=1, air=1
)  # fmt: skip
# Between nodes [s], and nodes made at a time.
STEP, BLOCK = 10.0, 128
# A time between two nodes needs so many before it and after it.
BEFORE, AFTER = 1, 2

FIRST_NODE, COUNT, SPACING = TABLE.at('first'), TABLE.at('count'), TABLE.at('step')
ANGLE, INTERMEDIATE = TABLE.at('rotation_angle'), TABLE.at('q_WI')
SOLAR, AIR = TABLE.at('solar_constant'), TABLE.at('air')
NODES, NODE_SIZE = TABLE.size, NODE.size
PLACE, SPEED, FIELD = NODE.at('position_W'), NODE.at('velocity_W'), NODE.at('magnetic_field_W')
LOG_DENSITY, SUN, MOON = NODE.at('log_density'), NODE.at('sun_W'), NODE.at('moon_W')
POSITION_W, VELOCITY_W = AROUND.at('position_W'), AROUND.at('velocity_W')
MAGNETIC_FIELD_W, TO_SUN_W = AROUND.at('magnetic_field_W'), AROUND.at('to_sun_W')
IRRADIANCE, LIT, TO_MOON_W = AROUND.at('irradiance'), AROUND.at('lit'), AROUND.at('to_moon_W')
DENSITY, WIND_W, Q_WE = AROUND.at('density'), AROUND.at('wind_W'), AROUND.at('q_WE')
AROUND_SIZE = AROUND.size


class OrbitTable:
    """The nodes of an orbit, as far as they have been asked for.

    head: (10,) of TABLE; first and count are not looked at
    nodes: returns (count, 16) of NODE, given the number of the first and how many
    check: raises ValueError unless two times [s] can be covered
    """

    def __init__(
        self,
        head: Array,
        nodes: Callable[[int, int], Array],
        check: Callable[[float, float], None],
    ) -> None:
        self._head, self._nodes, self._check = head, nodes, check
        self._blocks: dict[int, Array] = {}

    def covering(self, begin: float, end: float) -> Array:
        """Return the flat table for compiled code: TABLE, then NODE for each node.

        Times from begin to end can be asked of it. The blocks of an earlier call are used again,
        those before and after forgotten: a run without end asks for one hour after the other.

        begin, end: [s] since the epoch
        Raises ValueError where the orbit is not known.
        """
        self._check(begin, end)
        step = float(self._head[SPACING])
        first = math.floor(begin / step) - BEFORE
        last = math.floor(end / step) + AFTER
        needed = range(first // BLOCK, last // BLOCK + 1)
        old = self._blocks
        self._blocks = {
            k: old[k] if k in old else self._nodes(k * BLOCK, BLOCK) for k in needed
        }  # fmt: skip
        rows = np.concatenate([self._blocks[k] for k in needed])
        offset = first - needed[0] * BLOCK
        rows = rows[offset : offset + last - first + 1]
        flat = np.concatenate((self._head, rows.ravel()))
        flat[FIRST_NODE], flat[COUNT] = first, len(rows)
        return flat

    def at(self, time: float) -> Array:
        """Return AROUND (25,) at a time [s]; for a few of them."""
        return around(self.covering(time, time), time)


def recorded(flat: Array) -> OrbitTable:
    """Return the OrbitTable of a flat one that was kept, to the bit; it covers no other time.

    Raises ValueError for what is no such array, and, when asked for other times, naming them.
    """
    flat = np.array(flat, dtype=float)
    good = flat.ndim == 1 and len(flat) > NODES and flat[SPACING] > 0.0
    if not good or len(flat) != NODES + NODE_SIZE * flat[COUNT] or flat[FIRST_NODE] % 1.0:
        raise ValueError(f'a kept orbit of shape {flat.shape} is damaged; record it anew')
    first, count, step = int(flat[FIRST_NODE]), int(flat[COUNT]), float(flat[SPACING])
    rows = flat[NODES:].reshape(count, NODE_SIZE)

    def nodes(begin: int, number: int) -> Array:
        found = np.full((number, NODE_SIZE), math.nan)
        low, high = max(begin, first), min(begin + number, first + count)
        if low < high:
            found[low - begin : high - begin] = rows[low - first : high - first]
        return found

    def check(begin: float, end: float) -> None:
        least, most = (first + BEFORE) * step, (first + count - AFTER) * step
        if not least <= begin <= end < most:
            raise ValueError(
                f'the kept orbit is from {least:g} s to {most:g} s; it says nothing of '
                f'{begin:g} s to {end:g} s'
            )

    return OrbitTable(flat[:NODES], nodes, check)


@compiled
def _around(table: Array, time: float, out: Array) -> None:
    around_at(table, time, out)


def around(table: Array, time: float) -> Array:
    """Return AROUND (25,) of a flat table at a time [s]; NaN outside of it."""
    out = np.empty(AROUND_SIZE)
    _around(table, time, out)
    return out


@helper
def around_at(table: Array, time: float, out: Array) -> None:
    """Write AROUND of a flat table at a time [s] since the epoch; NaN outside of it.

    table: of OrbitTable.covering;  out: (25,)
    """
    step = table[SPACING]
    number = math.floor(time / step)
    i = int(number) - int(table[FIRST_NODE])
    if i < 1 or i + 2 >= int(table[COUNT]):
        for j in range(AROUND_SIZE):
            out[j] = math.nan
    else:
        s = time / step - number
        node = NODES + NODE_SIZE * i
        position, velocity = _moving(table, node, step, s)
        weights = _catmull_rom(s)
        field = _between(table, node + FIELD, weights)
        sun = _between(table, node + SUN, weights)
        moon = _between(table, node + MOON, weights)
        put(out, POSITION_W, position)
        put(out, VELOCITY_W, velocity)
        put(out, MAGNETIC_FIELD_W, field)
        to_sun = subtracted(sun, position)
        away = norm(to_sun)
        put(out, TO_SUN_W, scaled(1.0 / away, to_sun))
        lit = lit_part(position, sun)
        share = ASTRONOMICAL_UNIT / away
        out[LIT] = lit
        out[IRRADIANCE] = table[SOLAR] * share * share * lit
        to_moon = subtracted(moon, position)
        put(out, TO_MOON_W, scaled(1.0 / norm(to_moon), to_moon))
        out[DENSITY] = 0.0
        if table[AIR] > 0.0:
            out[DENSITY] = math.exp(_mixed(table, node + LOG_DENSITY, weights))
        q_WI = four_at(table, INTERMEDIATE)
        pole = quaternion_sandwich(q_WI[0], q_WI[1], q_WI[2], q_WI[3], 0.0, 0.0, ROTATION_RATE)
        put(out, WIND_W, subtracted(cross(pole, position), velocity))
        put(out, Q_WE, attitude_of_earth(table[ANGLE], q_WI, time))


@helper
def attitude_of_earth(angle: float, q_WI: Floats, time: float) -> Floats:
    """Return q_WE as four floats; angle: at time 0 [rad], time: [s]."""
    half = 0.5 * (angle + ROTATION_RATE * time)
    c, s = math.cos(half), math.sin(half)
    return quaternion_product(q_WI[0], q_WI[1], q_WI[2], q_WI[3], c, 0.0, 0.0, s)


@helper
def _moving(table: Array, node: int, step: float, s: float) -> tuple[Floats, Floats]:
    """Return position and velocity a part s of the step after a node."""
    r0, v0 = three_at(table, node + PLACE), three_at(table, node + SPEED)
    r1, v1 = three_at(table, node + NODE_SIZE + PLACE), three_at(table, node + NODE_SIZE + SPEED)
    t = 1.0 - s
    # From r0 towards r1, so that a node has its own bits.
    b = s * s * (3.0 - 2.0 * s)
    c, d = step * s * t * t, -step * s * s * t
    e, f, g = 6.0 * s * t / step, t * (1.0 - 3.0 * s), s * (3.0 * s - 2.0)
    position = (
        r0[0] + b * (r1[0] - r0[0]) + c * v0[0] + d * v1[0],
        r0[1] + b * (r1[1] - r0[1]) + c * v0[1] + d * v1[1],
        r0[2] + b * (r1[2] - r0[2]) + c * v0[2] + d * v1[2],
    )
    velocity = (
        e * (r1[0] - r0[0]) + f * v0[0] + g * v1[0],
        e * (r1[1] - r0[1]) + f * v0[1] + g * v1[1],
        e * (r1[2] - r0[2]) + f * v0[2] + g * v1[2],
    )
    return position, velocity


@helper
def _catmull_rom(s: float) -> Floats:
    """Return the weights of the node before, the two on either side and the one after."""
    t = 1.0 - s
    return (
        -0.5 * s * t * t,
        1.0 + s * s * (1.5 * s - 2.5),
        1.0 + t * t * (1.5 * t - 2.5),
        -0.5 * s * s * t,
    )


@helper
def _mixed(table: Array, k: int, w: Floats) -> float:
    """Return one float between nodes, k its place in the node before."""
    return (
        w[1] * table[k] + w[2] * table[k + NODE_SIZE]
        + (w[0] * table[k - NODE_SIZE] + w[3] * table[k + 2 * NODE_SIZE])
    )  # fmt: skip


@helper
def _between(table: Array, k: int, w: Floats) -> Floats:
    """Return three floats between nodes, k their place in the node before."""
    return _mixed(table, k, w), _mixed(table, k + 1, w), _mixed(table, k + 2, w)


def head_of(constants: Array, solar_constant: float, air: bool) -> Array:
    """Return the head (10,) of a table; constants: of EPOCH, solar_constant: [W/m^2]."""
    return TABLE.packed(
        first=0.0,
        count=0.0,
        step=STEP,
        rotation_angle=constants[EPOCH.at('rotation_angle')],
        q_WI=constants[EPOCH.of('q_WI')],
        solar_constant=solar_constant,
        air=float(air),
    )
