# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The environment of a spacecraft in orbit: nodes in time, interpolated in the compiled loop.

A node depends on its number alone, and blocks of nodes always begin at the same numbers. So a
table has the same bits, however it came to cover a time. Between nodes k and k + 1 every quantity
goes from L_k to L_k+1, the polynomials through the seven nodes around each:

    f(s) = (1 - s) L_k(s) + s L_k+1(s)        s: from 0 at k to 1 at k + 1

(Catmull and Rom, A class of local interpolating splines, 1974, with three nodes.) Both pass
through k and k + 1, so f is differentiable everywhere; the derivative of the position is the
velocity. Shadow, attitude of the Earth, wind and layers of air are computed at the instant. At
10 s and 500 km interpolation costs less than round-off in position, and 2e-8 nT.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.earth import ASTRONOMICAL_UNIT, ROTATION_RATE
from spacecraft_attitude_sim.core.environment.epoch import EPOCH
from spacecraft_attitude_sim.core.environment.sky import REACH
from spacecraft_attitude_sim.core.environment.sun_and_moon import lit_part
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics.fixed_order import product
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_product,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.vectors import (
    cross,
    four_at,
    moved_vector,
    norm,
    put,
    scaled,
    subtracted,
    three_at,
)
from spacecraft_attitude_sim.kernels.kernel import compiled, helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, VectorLike

# A node: positions of world's origin, Sun and Moon from the Earth's centre [m], and the magnetic
# field there [T]. air: ln(density/kg m^-3), or with layers the height above the ellipsoid [m].
NODE = Layout(position_W=3, magnetic_field_W=3, air=1, sun_W=3, moon_W=3)
# Head of a flat table, before its nodes. first: number of the first node; its time is first × step
# [s];  count: of nodes;  air: number of layers, -1 for ln(density) at nodes, 0 for no air
# layers: base [m], ln of the density there, scale height [m] of each
# The rest replaces the Earth's conditions by others, all zeros where none is replaced. sun_W: unit
# vector to a Sun that stands still, 1 au away;  even: whether the solar constant is the irradiance
# at any distance;  no_shadow: whether the Earth does not hide the Sun
# even_wind: whether the air has the velocity air_W [m/s] everywhere instead of the Earth's
MOST_LAYERS = 28
FIRST_TABLE = Layout(
    first=1, count=1, step=1, rotation_angle=1, q_WI=4, solar_constant=1, air=1
)  # fmt: skip
TABLE = Layout(
    **FIRST_TABLE.widths, layers=3 * MOST_LAYERS, sun_W=3, even=1, no_shadow=1, even_wind=1,
    air_W=3,
)  # fmt: skip
# Time between nodes [s], and nodes computed at a time.
STEP, BLOCK = 10.0, 128
# Number of nodes needed before and after a time between two nodes; and in all.
BEFORE, AFTER = 3, 4
# For how long after a run its nodes reach, so that the last span of a sky is known [s].
AHEAD = AFTER * STEP + REACH
NEIGHBOURS = BEFORE + 1 + AFTER

FIRST_NODE, COUNT, SPACING = TABLE.at('first'), TABLE.at('count'), TABLE.at('step')
ANGLE, INTERMEDIATE = TABLE.at('rotation_angle'), TABLE.at('q_WI')
SOLAR, AIR, LAYERS = TABLE.at('solar_constant'), TABLE.at('air'), TABLE.at('layers')
STILL_SUN, EVEN, NO_SHADOW, EVEN_WIND, AIR_W = TABLE.places(
    'sun_W', 'even', 'no_shadow', 'even_wind', 'air_W'
)
NODES, NODE_SIZE = TABLE.size, NODE.size
PLACE, FIELD = NODE.at('position_W'), NODE.at('magnetic_field_W')
AIR_HERE, SUN, MOON = NODE.at('air'), NODE.at('sun_W'), NODE.at('moon_W')
POSITION_W, VELOCITY_W = AROUND.at('position_W'), AROUND.at('velocity_W')
MAGNETIC_FIELD_W, TO_SUN_W = AROUND.at('magnetic_field_W'), AROUND.at('to_sun_W')
IRRADIANCE, LIT, TO_MOON_W = AROUND.at('irradiance'), AROUND.at('lit'), AROUND.at('to_moon_W')
DENSITY, WIND_W, Q_WE = AROUND.at('density'), AROUND.at('wind_W'), AROUND.at('q_WE')
AROUND_SIZE = AROUND.size


class OrbitTable:
    """The nodes of an orbit, computed on request.

    head: of TABLE; its first and count are not used
    nodes: function of the first number and a count that returns (count, 13) of NODE
    check: function of two times [s] that raises ValueError unless they can be covered
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

        It covers times from begin to end, and the spans of a sky that have them. Blocks of an
        earlier call are used again, those before and after are dropped: a run without end asks for
        one hour after the other.

        begin, end: [s] since the epoch
        Raises ValueError where the orbit is not known.
        """
        self._check(begin, end)
        step = float(self._head[SPACING])
        first = math.floor(_reached(begin) / step) - BEFORE
        last = math.floor((end + REACH) / step) + AFTER
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

    def check(self, begin: float, end: float) -> None:
        """Raise ValueError unless the orbit is known from begin to end [s]."""
        self._check(begin, end)

    def at(self, time: float) -> Array:
        """Return AROUND (25,) at a time [s]; use it for a few times only."""
        return around(self.covering(time, time), time)


def _reached(begin: float) -> float:
    """Return a time that is not after the beginning of the span of a sky that has `begin` [s]."""
    return max(begin - REACH, min(begin, 0.0))


def recorded(flat: Array) -> OrbitTable:
    """Return the OrbitTable of a recorded flat one, to the bit; it covers no other time.

    Raises ValueError for an invalid array, and, when asked for other times, naming them.
    """
    flat = _checked(flat, NODES, NODE_SIZE)
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
        if not least <= _reached(begin) <= end + REACH < most:
            raise ValueError(
                f'the kept orbit is from {least:g} s to {most - REACH:g} s; it says nothing of '
                f'{begin:g} s to {end:g} s'
            )

    return OrbitTable(flat[:NODES], nodes, check)


def _checked(flat: Array, head: int, node: int) -> Array:
    """Return a flat table after a check of its length; ValueError where it is invalid."""
    flat = np.array(flat, dtype=float)
    good = flat.ndim == 1 and len(flat) > head and flat[SPACING] > 0.0
    if not good or len(flat) != head + node * flat[COUNT] or flat[FIRST_NODE] % 1.0:
        raise ValueError(f'a kept orbit of shape {flat.shape} is damaged; record it anew')
    return flat


def renewed(flat: Array) -> Array:
    """Return a flat table of the first versions converted to today's format.

    It had velocities, and two nodes less at either end, which follow from the others there.
    Raises ValueError for an invalid array.
    """
    old = FIRST_TABLE.size
    flat = _checked(flat, old, NODE_SIZE + 3)
    head = np.concatenate((flat[:old], np.zeros(NODES - old)))
    head[AIR] = -head[AIR]
    rows = np.delete(flat[old:].reshape(-1, NODE_SIZE + 3), np.s_[3:6], axis=1)
    rows = _drawn_on(_drawn_on(rows, 2)[::-1], 2)[::-1]
    head[FIRST_NODE], head[COUNT] = head[FIRST_NODE] - 2, len(rows)
    return np.concatenate((head, rows.ravel()))


def lengthened(flat: Array) -> Array:
    """Return a flat table with one node more at its end, which follows from the others.

    Versions that drew a sky for every tick kept no node beyond the last tick.
    Raises ValueError for an invalid array.
    """
    flat = _checked(flat, NODES, NODE_SIZE)
    rows = _drawn_on(flat[NODES:].reshape(-1, NODE_SIZE), 1)
    flat[COUNT] = len(rows)
    return np.concatenate((flat[:NODES], rows.ravel()))


def _drawn_on(rows: Array, number: int) -> Array:
    """Return nodes with some more after the last, on the polynomials through six of them."""
    most = min(6, len(rows))
    signs = [math.comb(most, k + 1) * (-1.0) ** k for k in range(most)]
    for _ in range(number):
        rows = np.vstack((rows, product(signs, rows[: -most - 1 : -1])))
    return rows


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
    if i < BEFORE or i + AFTER >= int(table[COUNT]):
        for j in range(AROUND_SIZE):
            out[j] = math.nan
    else:
        # Not time / step - number: that loses its last bits in a long run.
        s = (time - number * step) / step
        node = NODES + NODE_SIZE * i
        weights, slopes = _weights(s)
        position = _between(table, node + PLACE, weights)
        velocity = scaled(1.0 / step, _rate_between(table, node + PLACE, slopes))
        field = _between(table, node + FIELD, weights)
        sun = _between(table, node + SUN, weights)
        moon = _between(table, node + MOON, weights)
        put(out, POSITION_W, position)
        put(out, VELOCITY_W, velocity)
        put(out, MAGNETIC_FIELD_W, field)
        _shine(table, position, sun, out)
        to_moon = subtracted(moon, position)
        put(out, TO_MOON_W, scaled(1.0 / norm(to_moon), to_moon))
        out[DENSITY] = _density(table, node + AIR_HERE, weights)
        q_WI = four_at(table, INTERMEDIATE)
        if table[EVEN_WIND] > 0.0:
            air = three_at(table, AIR_W)
        else:
            pole = quaternion_sandwich(q_WI[0], q_WI[1], q_WI[2], q_WI[3], 0.0, 0.0, ROTATION_RATE)
            air = cross(pole, position)
        put(out, WIND_W, subtracted(air, velocity))
        put(out, Q_WE, attitude_of_earth(table[ANGLE], q_WI, time))


@helper
def place_and_field_at(table: Array, time: float, out: Array) -> None:
    """Write only position and magnetic field of `around_at`; same arguments."""
    step = table[SPACING]
    number = math.floor(time / step)
    i = int(number) - int(table[FIRST_NODE])
    if i < BEFORE or i + AFTER >= int(table[COUNT]):
        for j in range(3):
            out[POSITION_W + j] = out[MAGNETIC_FIELD_W + j] = math.nan
    else:
        node = NODES + NODE_SIZE * i
        weights, _ = _weights((time - number * step) / step)
        put(out, POSITION_W, _between(table, node + PLACE, weights))
        put(out, MAGNETIC_FIELD_W, _between(table, node + FIELD, weights))


@helper
def _shine(table: Array, position: Floats, sun: Floats, out: Array) -> None:
    """Write direction and irradiance of the Sun; sun: from the Earth's centre, if it moves [m]."""
    still = three_at(table, STILL_SUN)
    if still[0] != 0.0 or still[1] != 0.0 or still[2] != 0.0:
        away, direction = ASTRONOMICAL_UNIT, still
        sun = moved_vector(position, away, still)
    else:
        to_sun = subtracted(sun, position)
        away = norm(to_sun)
        direction = scaled(1.0 / away, to_sun)
    lit = 1.0
    if table[NO_SHADOW] == 0.0:
        lit = lit_part(position, sun)
    share = ASTRONOMICAL_UNIT / away
    if table[EVEN] > 0.0:
        share = 1.0
    put(out, TO_SUN_W, direction)
    out[LIT] = lit
    out[IRRADIANCE] = table[SOLAR] * share * share * lit


@helper
def attitude_of_earth(angle: float, q_WI: Floats, time: float) -> Floats:
    """Return q_WE as four floats; angle: at time 0 [rad], time: [s]."""
    half = 0.5 * (angle + ROTATION_RATE * time)
    c, s = math.cos(half), math.sin(half)
    return quaternion_product(q_WI[0], q_WI[1], q_WI[2], q_WI[3], c, 0.0, 0.0, s)


@helper
def _seven(x: float) -> tuple[Floats, Floats]:
    """Return the Lagrange weights of the nodes -3 to 3 at x, and their derivatives.

    The weights of j and -j are x (x + j) and x (x - j) times the same factor.
    """
    q = x * x
    a, b, c = (q - 4.0) * (q - 9.0) / 48.0, (1.0 - q) * (q - 9.0) / 120.0, (q - 1.0) * (q - 4.0)
    c = c / 720.0
    da, db, dc = x * (q - 6.5) / 12.0, x * (5.0 - q) / 30.0, x * (q - 2.5) / 180.0
    weights = (
        c * x * (x - 3.0), b * x * (x - 2.0), a * x * (x - 1.0),
        (1.0 - q) * (q - 4.0) * (q - 9.0) / 36.0,
        a * x * (x + 1.0), b * x * (x + 2.0), c * x * (x + 3.0),
    )  # fmt: skip
    slopes = (
        dc * x * (x - 3.0) + c * (2.0 * x - 3.0), db * x * (x - 2.0) + b * (2.0 * x - 2.0),
        da * x * (x - 1.0) + a * (2.0 * x - 1.0),
        x * (q * (28.0 - 3.0 * q) - 49.0) / 18.0,
        da * x * (x + 1.0) + a * (2.0 * x + 1.0), db * x * (x + 2.0) + b * (2.0 * x + 2.0),
        dc * x * (x + 3.0) + c * (2.0 * x + 3.0),
    )  # fmt: skip
    return weights, slopes


@helper
def _weights(s: float) -> tuple[Floats, Floats]:
    """Return the weights of the nodes -3 to 4 at a part s of the step after node 0, and slopes.

    The weight of node 0 is left out, because `_mixed` does not need it. The slopes are by s.
    """
    t = 1.0 - s
    a, da = _seven(s)
    b, db = _seven(-t)
    weights = (
        t * a[0], t * a[1] + s * b[0], t * a[2] + s * b[1],
        t * a[4] + s * b[3], t * a[5] + s * b[4], t * a[6] + s * b[5], s * b[6],
    )  # fmt: skip
    slopes = (
        t * da[0] - a[0], t * da[1] - a[1] + (s * db[0] + b[0]),
        t * da[2] - a[2] + (s * db[1] + b[1]), t * da[4] - a[4] + (s * db[3] + b[3]),
        t * da[5] - a[5] + (s * db[4] + b[4]), t * da[6] - a[6] + (s * db[5] + b[5]),
        s * db[6] + b[6],
    )  # fmt: skip
    return weights, slopes


@helper
def _change(table: Array, k: int, w: Floats) -> float:
    """Return the neighbours' weighted contribution to one float of a node; k: its index."""
    x = table[k]
    return (
        w[3] * (table[k + NODE_SIZE] - x)
        + (w[2] * (table[k - NODE_SIZE] - x) + w[4] * (table[k + 2 * NODE_SIZE] - x))
        + (w[1] * (table[k - 2 * NODE_SIZE] - x) + w[5] * (table[k + 3 * NODE_SIZE] - x))
        + (w[0] * (table[k - 3 * NODE_SIZE] - x) + w[6] * (table[k + 4 * NODE_SIZE] - x))
    )


@helper
def _mixed(table: Array, k: int, w: Floats) -> float:
    """Return one interpolated float; k: its index in the node before.

    It is computed as a change from that node: a node keeps its bits, and so does a constant.
    """
    return table[k] + _change(table, k, w)


@helper
def _between(table: Array, k: int, w: Floats) -> Floats:
    """Return three interpolated floats; k: their index in the node before."""
    return _mixed(table, k, w), _mixed(table, k + 1, w), _mixed(table, k + 2, w)


@helper
def _rate_between(table: Array, k: int, slopes: Floats) -> Floats:
    """Return the derivatives of `_between`, by the part of a step."""
    return _change(table, k, slopes), _change(table, k + 1, slopes), _change(table, k + 2, slopes)


@helper
def _density(table: Array, k: int, w: Floats) -> float:
    """Return the density of the air [kg/m^3]; k: index of `air` in the node before."""
    layers = int(table[AIR])
    if layers == 0:
        return 0.0
    here = _mixed(table, k, w)
    if layers < 0:
        return math.exp(here)
    i = LAYERS + 3 * (layers - 1)
    while i > LAYERS and here < table[i]:
        i -= 3
    return math.exp(table[i + 1] - (here - table[i]) / table[i + 2])


def head_of(
    constants: Array,
    solar_constant: float,
    air: float,
    layers: Array,
    sun_W: VectorLike | None = None,
    even: bool = False,
    shadow: bool = True,
    air_W: VectorLike | None = None,
) -> Array:
    """Return the head of a table.

    constants: of EPOCH;  solar_constant: [W/m^2];  air: of TABLE
    layers: (n, 3) as there, up to MOST_LAYERS of them
    sun_W: (3,) unit vector to a Sun that stands still, or None;  even: whether the irradiance is
        the same at any distance;  shadow: whether the Earth hides the Sun
    air_W: (3,) velocity of the air everywhere [m/s]; None: it turns with the Earth
    """
    room = np.zeros(3 * MOST_LAYERS)
    room[: layers.size] = layers.ravel()
    return TABLE.packed(
        first=0.0,
        count=0.0,
        step=STEP,
        rotation_angle=constants[EPOCH.at('rotation_angle')],
        q_WI=constants[EPOCH.of('q_WI')],
        solar_constant=solar_constant,
        air=air,
        layers=room,
        sun_W=0.0 if sun_W is None else sun_W,
        even=float(even),
        no_shadow=float(not shadow),
        even_wind=float(air_W is not None),
        air_W=0.0 if air_W is None else air_W,
    )
