# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The environment through some ticks, as the compiled step reads it ("sky").

In a circular orbit given by its rate the planet's direction is exact at every instant. In any
other orbit, position, field and air are polynomials of fourth degree in time through five
instants of a span. A span is as many ticks as last no longer than a second, or one longer tick.
The error is (n h)⁵/33800 of the radius: 5e-20 of it in a span of a second, 5e-10 in the longest
tick, 100 s. The Sun has its direction of the middle of the span, and its mean irradiance.

Spans begin at ticks that their number in the run divides, so a sky is the same wherever a flight,
a batch or a replay begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.circular_orbit import (
    CIRCLE,
    flat_gradient,
    radial_at,
)
from spacecraft_attitude_sim.core.environment.loads.load import FIELD as FIELD_HERE
from spacecraft_attitude_sim.core.environment.loads.load import HERE, PULL, UP, ZERO
from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.mathematics import fixed_order
from spacecraft_attitude_sim.core.mathematics.layout import Layout, six_of
from spacecraft_attitude_sim.core.mathematics.rotations import IDENTITY
from spacecraft_attitude_sim.core.mathematics.vector_fours import three_of
from spacecraft_attitude_sim.core.mathematics.vectors import (
    norm,
    put_six,
    scaled,
    six_at,
    three_at,
)
from spacecraft_attitude_sim.kernels.branches import rarely
from spacecraft_attitude_sim.kernels.fours import Four, floats_of, four_at, four_of, put_four
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.circular_orbit import CircularOrbit
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Vector3

# A circular orbit; its inertia holds for any orbit. For other orbits: μ
# [m^3/s^2], 0 without one; when the polynomials begin [s], nan before any; coefficients of 1, s,
# s², s³ and s⁴ of position [m], field [T], velocity of the air minus that of the orbit [m/s] and
# its density [kg/m^3]; direction to the Sun, and the pressure of its light [N/m^2].
# whole: 1 where loads of air or sunlight act; else air, Sun and light are not computed
SKY = Layout(
    circle=CIRCLE.size, parameter=1, begin=1, position_W=15, field_W=15, wind_W=15,
    density=5, to_sun_W=3, pressure=1, whole=1,
)  # fmt: skip
# Instants in a span through which the polynomials pass.
INSTANTS = 5
RATE, INERTIA = CIRCLE.places('rate', 'inertia_P')
PARAMETER, BEGIN, PLACE, FIELD, WIND, DENSITY, TO_SUN, PRESSURE = SKY.places(
    'parameter', 'begin', 'position_W', 'field_W', 'wind_W', 'density', 'to_sun_W', 'pressure'
)
WHOLE = SKY.at('whole')
POSITION_W, FIELD_W, WIND_W, AIR = AROUND.places(
    'position_W', 'magnetic_field_W', 'wind_W', 'density'
)
AROUND_SIZE, HERE_SIZE = AROUND.size, HERE.size
SUN_W, IRRADIANCE = AROUND.places('to_sun_W', 'irradiance')
SPEED_OF_LIGHT = 299792458.0  # [m/s]
# Longest span of several ticks [ns], and the same [s].
LONGEST_SPAN = 1_000_000_000
REACH = LONGEST_SPAN / 1e9


@helper
def ticks_in_span(tick_ns: int) -> int:
    """Return the number of ticks for which one sky holds; tick_ns: length of a tick [ns]."""
    return max(1, LONGEST_SPAN // tick_ns)


@helper
def fill(sky: Array, begin: float, step: float, seen: Array) -> None:
    """Fit the polynomials of a span; seen: (125,) AROUND at each quarter of it."""
    sky[BEGIN] = begin
    for place, of in ((PLACE, POSITION_W), (FIELD, FIELD_W)):
        for k in range(3):
            _fit(sky, place + k, 3, seen, of + k, step)
    if sky[WHOLE] == 0.0:
        return
    for k in range(3):
        _fit(sky, WIND + k, 3, seen, WIND_W + k, step)
    _fit(sky, DENSITY, 1, seen, AIR, step)
    middle = 2 * AROUND_SIZE
    for k in range(3):
        sky[TO_SUN + k] = seen[middle + SUN_W + k]
    # The mean by the trapezoidal rule: the impulse is nearly right where a shadow ends in a span.
    light = 0.5 * (seen[IRRADIANCE] + seen[2 * middle + IRRADIANCE]) + seen[middle + IRRADIANCE]
    for k in (1, 3):
        light += seen[k * AROUND_SIZE + IRRADIANCE]
    sky[PRESSURE] = 0.25 * light / SPEED_OF_LIGHT


@helper
def _fit(sky: Array, place: int, apart: int, seen: Array, of: int, step: float) -> None:
    """Write five coefficients, `apart` floats from each other, by Newton's forward differences."""
    n = AROUND_SIZE
    y = seen[of]
    a, b = seen[of + n] - y, seen[of + 2 * n] - seen[of + n]
    c, d = seen[of + 3 * n] - seen[of + 2 * n], seen[of + 4 * n] - seen[of + 3 * n]
    two, three = b - a, c - 2.0 * b + a
    four = d - 3.0 * c + 3.0 * b - a
    u = 4.0 / step
    sky[place] = y
    sky[place + apart] = u * (a - 0.5 * two + three / 3.0 - 0.25 * four)
    sky[place + 2 * apart] = u * u * (0.5 * two - 0.5 * three + 11.0 / 24.0 * four)
    sky[place + 3 * apart] = u * u * u * (three / 6.0 - 0.25 * four)
    sky[place + 4 * apart] = u * u * u * u * (four / 24.0)


def constant_sky(
    inertia: Array, orbit: CircularOrbit | None, field_W: Vector3, parameter: float,
    *, whole: bool = True,
) -> Array:  # fmt: skip
    """Return (70,) of SKY with the part that is constant through a run.

    inertia: (3, 3) of the whole, body axes [kg m^2]
    orbit: None for none or another kind
    field_W: (3,) where it is uniform [T];  parameter: μ of another kind of orbit [m^3/s^2], or 0
    whole: whether loads of air or sunlight act
    """
    sky = np.zeros(SKY.size)
    sky[SKY.of('circle')] = flat_gradient(orbit, inertia, np.array(IDENTITY))
    sky[INERTIA : INERTIA + 6] = six_of(inertia)
    sky[FIELD : FIELD + 3] = field_W
    sky[PARAMETER], sky[BEGIN] = parameter, np.nan
    sky[WHOLE] = float(whole)
    return sky


@helper
def _at(sky: Array, k: int, apart: int, s: float) -> float:
    """Return a quartic at s; its coefficients begin at sky[k], `apart` floats from each other."""
    return quartic(
        sky[k], sky[k + apart], sky[k + 2 * apart], sky[k + 3 * apart], sky[k + 4 * apart], s
    )


@helper
def quartic(a: float, b: float, c: float, d: float, e: float, s: float) -> float:
    """Return a + b s + c s² + d s³ + e s⁴."""
    return a + s * (b + s * (c + s * (d + s * e)))


@helper
def _rate(sky: Array, k: int, s: float) -> float:
    """Return the derivative of a quartic by s; its coefficients are 3 floats apart."""
    return quartic_rate(sky[k + 3], sky[k + 6], sky[k + 9], sky[k + 12], s)


@helper
def quartic_rate(b: float, c: float, d: float, e: float, s: float) -> float:
    """Return the derivative of `quartic` by s."""
    return b + s * (2.0 * c + s * (3.0 * d + s * (4.0 * e)))


@helper
def _by_then(sky: Array, k: int, s: float) -> Four:
    """Return the vector of three quartics at s; the first one begins at sky[k].

    All three are computed at once, with a fourth number that is not used; see `quartic`.
    """
    higher = four_at(sky, k + 9) + four_at(sky, k + 12) * s
    lower = four_at(sky, k + 3) + (four_at(sky, k + 6) + higher * s) * s
    return four_at(sky, k) + lower * s


@helper
def _rate_by_then(sky: Array, k: int, s: float) -> Floats:
    """Return the derivative by s of a vector of three quartics, three floats."""
    return _rate(sky, k, s), _rate(sky, k + 1, s), _rate(sky, k + 2, s)


@helper
def surrounded(sky: Array, time: float, rates: bool = True) -> Floats:
    """Return the environment at a time [s], HERE of loads/load.py, eighteen floats.

    rates: whether the rate of the field is needed; else it is 0
    """
    sun, light = three_at(sky, TO_SUN), sky[PRESSURE]
    if sky[PARAMETER] == 0.0:
        r, rate = radial_at(sky, time), sky[RATE]
        f = three_at(sky, FIELD)
        return (
            r[0], r[1], r[2], rate * rate, f[0], f[1], f[2], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            sun[0], sun[1], sun[2], light,
        )  # fmt: skip
    s = time - sky[BEGIN]
    place, f = three_of(_by_then(sky, PLACE, s)), three_of(_by_then(sky, FIELD, s))
    w, density = ZERO, 0.0
    if sky[WHOLE] > 0.0:
        w, density = three_of(_by_then(sky, WIND, s)), _at(sky, DENSITY, 1, s)
    inverse = 1.0 / norm(place)
    r = scaled(inverse, place)
    pull = sky[PARAMETER] * inverse * inverse * inverse
    g = ZERO
    if rates:
        g = _rate_by_then(sky, FIELD, s)
    return (
        r[0], r[1], r[2], pull, f[0], f[1], f[2], w[0], w[1], w[2], density, g[0], g[1], g[2],
        sun[0], sun[1], sun[2], light,
    )  # fmt: skip


@helper
def needs_all(sky: Array, rates: bool) -> bool:
    """Return whether more of HERE is needed than up, pull and field; rates: of `surrounded`."""
    return rates or sky[WHOLE] > 0.0 or sky[PARAMETER] == 0.0


@helper
def put_all(sky: Array, time: float, rates: bool, here: Array) -> None:
    """Write `surrounded`; here: of HERE_SIZE numbers."""
    around = surrounded(sky, time, rates)
    for k in range(0, HERE_SIZE, 6):
        put_six(here, k, around, k)


@helper
def put_some(sky: Array, time: float, here: Array) -> None:
    """Write what is needed of `surrounded` unless `needs_all`."""
    s = time - sky[BEGIN]
    place = _by_then(sky, PLACE, s)
    inverse = 1.0 / norm(three_of(place))
    x, y, z, _ = floats_of(place * inverse)
    pull = sky[PARAMETER] * inverse * inverse * inverse
    put_four(here, UP, four_of(x, y, z, pull))
    put_four(here, FIELD_HERE, _by_then(sky, FIELD, s))


@helper
def put_surrounding(sky: Array, rates: bool, here: Array, again: Array) -> None:
    """Write to `again` what has been written to `here`."""
    if rarely(needs_all(sky, rates)):
        for k in range(0, HERE_SIZE, 6):
            put_six(again, k, six_at(here, k), 0)
    else:
        put_four(again, UP, four_at(here, UP))
        put_four(again, FIELD_HERE, four_at(here, FIELD_HERE))


@helper
def surrounding(sky: Array, rates: bool, here: Array) -> Floats:
    """Return what `surrounded` returned for what has been written to `here`."""
    if rarely(needs_all(sky, rates)):
        return (*six_at(here, 0), *six_at(here, 6), *six_at(here, 12))
    return (
        *three_at(here, UP), here[PULL], *three_at(here, FIELD_HERE), *ZERO, *ZERO, *ZERO, 0.0, 0.0
    )  # fmt: skip


@helper
def whole_at(sky: Array, mass: float) -> Floats:
    """Return mass and inertia of the whole as loads take them, seven floats; see loads/load.py."""
    k = INERTIA
    return (mass, sky[k], sky[k + 1], sky[k + 2], sky[k + 3], sky[k + 4], sky[k + 5])


def sample_of(around: Array, parameter: float) -> Floats:
    """Return HERE of loads/load.py for an AROUND (25,); parameter: μ of the planet [m^3/s^2]."""
    place = around[AROUND.of('position_W')]
    radius = fixed_order.norm(place)
    return tuple(
        HERE.packed(
            up_W=place / radius,
            pull=parameter / radius**3,
            field_W=around[AROUND.of('magnetic_field_W')],
            wind_W=around[AROUND.of('wind_W')],
            density=around[AIR],
            field_rate_W=0.0,
            to_sun_W=around[AROUND.of('to_sun_W')],
            pressure=float(around[IRRADIANCE]) / SPEED_OF_LIGHT,
        ).tolist()
    )
