# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Craft side by side: what is around them at an instant, as core.environment.sky.

here    (4, HERE_SIZE, LANES) environment at the beginning, middle and end of a sub-step, as HERE
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.core.batch.craft_magnets import look_at_changes
from spacecraft_attitude_sim.core.batch.craft_rows import (
    AIRY,
    BEGIN,
    CIRCLE_ROW,
    DENSITY,
    ENDED,
    FIELD,
    NOW,
    PARAMETER,
    PLACE,
    PRESSURE,
    STEP,
    TIME,
    TO_SUN,
    WIND,
    of_row,
    picked,
    read_sky,
    seven,
)
from spacecraft_attitude_sim.core.batch.lanes import LANES
from spacecraft_attitude_sim.core.batch.loaded_lanes import three
from spacecraft_attitude_sim.core.environment import sky as skies_of
from spacecraft_attitude_sim.core.environment.around import draw_sky
from spacecraft_attitude_sim.core.environment.circular_orbit import radial_of
from spacecraft_attitude_sim.core.environment.loads.load import DENSITY as DENSITY_HERE
from spacecraft_attitude_sim.core.environment.loads.load import FIELD as FIELD_HERE
from spacecraft_attitude_sim.core.environment.loads.load import HERE, PULL, UP, ZERO
from spacecraft_attitude_sim.core.environment.loads.load import PRESSURE as PRESSURE_HERE
from spacecraft_attitude_sim.core.environment.loads.load import TO_SUN as SUN_HERE
from spacecraft_attitude_sim.core.environment.loads.load import WIND as WIND_HERE
from spacecraft_attitude_sim.core.environment.sky import quartic, ticks_in_span
from spacecraft_attitude_sim.core.mathematics.vectors import norm, scaled
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.batch.craft_rows import Facts
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

HERE_SIZE = HERE.size
# Position and field, which all craft need.
NEAREST = 7
# Later than any tick.
NEVER = 1 << 62
WHOLE_SKY, SKY_BEGIN = skies_of.WHOLE, skies_of.BEGIN


@helper
def polynomials(w: Array, k: int, i: int, s: float) -> Floats:
    """Return three quartics of lane i at s; their coefficients begin at row k, 3 rows apart."""
    return (
        quartic(w[k, i], w[k + 3, i], w[k + 6, i], w[k + 9, i], w[k + 12, i], s),
        quartic(w[k + 1, i], w[k + 4, i], w[k + 7, i], w[k + 10, i], w[k + 13, i], s),
        quartic(w[k + 2, i], w[k + 5, i], w[k + 8, i], w[k + 11, i], w[k + 14, i], s),
    )


@helper
def look(w: Array, here: Array, k: int, fraction: float, facts: Facts) -> None:
    """Write the environment at a fraction of the sub-step, as sky.surrounded.

    k: index in `here`
    """
    for i in range(LANES):
        s = (w[NOW, i] + fraction * w[STEP, i]) - w[BEGIN, i]
        place = polynomials(w, PLACE, i, s)
        inverse = 1.0 / norm(place)
        put_up(here, k, i, scaled(inverse, place))
        here[k, PULL, i] = w[PARAMETER, i] * inverse * inverse * inverse
        put_field(here, k, i, polynomials(w, FIELD, i, s))
        look_at_changes(w, here, k, s, i, facts.extras.magnets)
    if facts.circles:
        look_around(w, here, k, fraction)
    if facts.airy:
        look_through(w, here, k, fraction)


@helper
def put_up(here: Array, k: int, i: int, up: Floats) -> None:
    """Write the direction away from the planet."""
    here[k, UP, i], here[k, UP + 1, i], here[k, UP + 2, i] = up[0], up[1], up[2]


@helper
def put_field(here: Array, k: int, i: int, field: Floats) -> None:
    """Write the magnetic field."""
    b = FIELD_HERE
    here[k, b, i], here[k, b + 1, i], here[k, b + 2, i] = field[0], field[1], field[2]


@helper
def look_around(w: Array, here: Array, k: int, fraction: float) -> None:
    """Do what `look` does for craft in circular orbits, or in none."""
    before, c, s = 0.0, 1.0, 0.0
    for i in range(LANES):
        if w[PARAMETER, i] != 0.0:
            continue
        rate = w[CIRCLE_ROW, i]
        angle = rate * (w[NOW, i] + fraction * w[STEP, i])
        # Most craft of a batch are in the same orbit: copy the previous lane's values then.
        if angle != before:
            c, s = math.cos(angle), math.sin(angle)
            before = angle
        put_up(here, k, i, radial_of(seven(w, CIRCLE_ROW, i), c, s))
        here[k, PULL, i] = rate * rate
        put_field(here, k, i, three(w, FIELD, i))


@helper
def look_through(w: Array, here: Array, k: int, fraction: float) -> None:
    """Write air and light, as `look`."""
    for i in range(LANES):
        s = (w[NOW, i] + fraction * w[STEP, i]) - w[BEGIN, i]
        known = (w[AIRY, i] > 0.0) & (w[PARAMETER, i] != 0.0)
        d = DENSITY
        density = quartic(w[d, i], w[d + 1, i], w[d + 2, i], w[d + 3, i], w[d + 4, i], s)
        wind, sun = picked(known, polynomials(w, WIND, i, s), ZERO), three(w, TO_SUN, i)
        for j in range(3):
            here[k, WIND_HERE + j, i], here[k, SUN_HERE + j, i] = wind[j], sun[j]
        here[k, DENSITY_HERE, i] = density if known else 0.0
        here[k, PRESSURE_HERE, i] = w[PRESSURE, i]


@part
def fit_skies(
    w: Array, b: int, tick: int, tick_ns: int, rows: tuple[Array, ...], begun: Any
) -> int:
    """Let the skies of block b be those of a tick of the batch; return the tick of the next ones.

    Of craft in one orbit, which began together, one sky is computed.
    """
    skies, tables, which = rows[3], rows[4], rows[5]
    ticks, until, before = ticks_in_span(tick_ns), NEVER, -1
    for i in range(LANES):
        n = min(b * LANES + i, len(skies) - 1)
        if which[n, 0] < 0.0:
            continue
        own, sky = tick - begun[i], skies[n]
        begin = seconds_of(own // ticks * ticks, tick_ns)
        if sky[SKY_BEGIN] != begin:
            same = before >= 0 and which[before, 0] == which[n, 0]
            if same and is_shared(skies[before], sky, begin):
                sky[SKY_BEGIN:WHOLE_SKY] = skies[before][SKY_BEGIN:WHOLE_SKY]
            else:
                draw_sky(tables[int(which[n, 0])], sky, own, tick_ns)
        before = n
        read_sky(w, i, sky)
        until = min(until, (own // ticks + 1) * ticks + begun[i])
    return until


@helper
def is_shared(known: Array, sky: Array, begin: float) -> bool:
    """Return whether a sky may take the polynomials of another, known one in the same orbit."""
    return known[SKY_BEGIN] == begin and known[WHOLE_SKY] == sky[WHOLE_SKY]


@helper
def begin_tick(w: Array, here: Array, begun: Any, tick: int, tick_ns: int, facts: Facts) -> None:
    """Write TIME of every lane, and the environment then, unless the last tick has ended there."""
    known, together, time = 0, 0, seconds_of(tick - begun[0], tick_ns)
    for i in range(LANES):
        w[TIME, i] = time
        together += begun[i] == begun[0]
    if together < LANES:
        for i in range(LANES):
            w[TIME, i] = seconds_of(tick - begun[i], tick_ns)
    for i in range(LANES):
        w[NOW, i] = w[TIME, i]
        known += w[ENDED, i] == w[TIME, i]
    if known == LANES:
        begin, end = of_row(here[0], 0), of_row(here[2], 0)
        whole = facts.airy or facts.extras.magnets is not None
        for j in range(HERE_SIZE * LANES if whole else NEAREST * LANES):
            begin[j] = end[j]
    else:
        for i in range(LANES):
            w[STEP, i] = 0.0
        look(w, here, 0, 0.0, facts)
