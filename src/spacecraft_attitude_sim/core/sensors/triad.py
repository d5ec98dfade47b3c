# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of three sensing axes: of a gyroscope, an accelerometer or a magnetometer.

    reading = limited(rounded(filtered(S (1 + s) truth) + bias + walk + flicker + noise))

filtered: by a first-order low-pass of the bandwidth
S: sensing axes, unit vectors that are misaligned;  s: scale factor error;  bias: constant of a run
walk: random walk, 0 at the start;  flicker: bias instability, 1/f;  noise: white

The terms are those of IEEE Std 952. Between two readings the filter sees a straight line. The
noise is that of the readings: it is not filtered.
Neglected: temperature, vibration, g-sensitivity, non-linearity.
"""

import math
from dataclasses import field, fields

import numpy as np

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.random_streams import normal_pair, three_normals
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, Vector3, Vectors3
from spacecraft_attitude_sim.core.mathematics.vectors import norm, three_at
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.kernels.kernel import compiled, helper, part
from spacecraft_attitude_sim.safety.frozen import dataclass

# Flicker is the sum of first-order Gauss-Markov processes, one for each decade of correlation
# time. Each has the variance B^2 ln(10) / pi, which makes the power density B^2 / (2 pi f) and the
# Allan deviation B sqrt(2 ln(2) / pi) = 0.664 B: within 6 % from 3 s to 5000 s, 1.5 % from 20 s to
# 3000 s.
CORRELATION_SECONDS = np.array((1.0, 10.0, 100.0, 1000.0, 10000.0))
FLICKER_PROCESSES = len(CORRELATION_SECONDS)
# For a process that begins: nothing is kept, all is new.
FORGOTTEN, ANEW = np.zeros(FLICKER_PROCESSES), np.ones(FLICKER_PROCESSES)
FLICKER_FACTOR = math.sqrt(math.log(10.0) / math.pi)
# Error terms, three floats each, in the order of TriadErrors; last: whether there are any.
NOISE, FLICKER, WALK, BIAS, SCALE, MISALIGNMENT, LIMIT, RESOLUTION, BANDWIDTH, ANY = range(
    0, 30, 3
)
# For each flicker process: the part kept from reading to reading, and the part renewed.
KEPT = ANY + 1
RENEWED = KEPT + FLICKER_PROCESSES
# Of the filter: the part of its error kept from reading to reading, and its lag behind a line
# that rises by 1 in between.
HELD = RENEWED + FLICKER_PROCESSES
LAGGING = HELD + 3
ERRORS_SIZE = LAGGING + 3
# axes: sensing axes times scale, row by row;  flicker: three of each process
# before: along the sensing axes at the last reading;  behind: of the filter, from that
STATE = Layout(axes=9, bias=3, walk=3, flicker=3 * FLICKER_PROCESSES, before=3, behind=3)
STATE_SIZE = STATE.size
BIASED, WALKED, FLICKERED, BEFORE, BEHIND = (
    STATE.at(name) for name in ('bias', 'walk', 'flicker', 'before', 'behind')
)
NONE = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class TriadErrors:
    """Errors of three axes, each (3,); u is the unit of the reading; all 0 means no errors.

    noise_density: square root of the two-sided power density of white noise [u sqrt(s)]
    bias_instability: coefficient B of flicker [u];  random_walk: coefficient K [u / sqrt(s)]
    bias [u], scale_factor, misalignment [rad]: standard deviations of values drawn once a run
    limit: largest reading [u], 0 is none;  resolution: step of the reading [u]
    bandwidth: of a first-order low-pass, where it passes 1/√2 of a sine [Hz]; 0 is none
    period: time between readings [s]
    flat: (44,) of these over a period, as the functions here use them
    """

    noise_density: Floats = NONE
    bias_instability: Floats = NONE
    random_walk: Floats = NONE
    bias: Floats = NONE
    scale_factor: Floats = NONE
    misalignment: Floats = NONE
    limit: Floats = NONE
    resolution: Floats = NONE
    bandwidth: Floats = NONE
    period: float = TICK_SECONDS
    flat: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Discretise: white noise is that of increments over a period, divided by it."""
        terms = [getattr(self, term.name) for term in fields(self)[: ANY // 3]]
        rows = np.array(terms, dtype=float)
        kept = np.exp(-self.period / CORRELATION_SECONDS)
        renewed = np.sqrt(-np.expm1(-2.0 * self.period / CORRELATION_SECONDS))
        flat = np.concatenate((rows.ravel(), (rows.any(),), kept, renewed, *self._filter()))
        flat[NOISE:FLICKER] /= math.sqrt(self.period)
        flat[FLICKER:WALK] *= FLICKER_FACTOR
        flat[WALK:BIAS] *= math.sqrt(self.period)
        limit = flat[LIMIT:RESOLUTION]
        limit[limit == 0.0] = np.inf
        object.__setattr__(self, 'flat', flat)

    def _filter(self) -> tuple[Array, Array]:
        """Return HELD and LAGGING (3,) of the filter; 0 for an axis without one."""
        periods = 2.0 * math.pi * self.period * np.array(self.bandwidth, dtype=float)
        filters = periods > 0.0
        lagging = np.divide(-np.expm1(-periods), periods, out=np.zeros(3), where=filters)
        return np.where(filters, np.exp(-periods), 0.0), lagging

    @property
    def none(self) -> bool:
        """Whether there are no errors."""
        return not self.flat[ANY]

    @property
    def limits(self) -> Vector3:
        """The largest reading (3,) of each axis, inf for none [u]."""
        return self.flat[LIMIT:RESOLUTION]

    def sample_variance(self) -> Vector3:
        """Return the variance (3,) from reading to reading [u^2].

        White noise and rounding (as a uniform deviate); not the biases, which a user estimates.
        """
        return self.flat[NOISE:FLICKER] ** 2 + self.flat[RESOLUTION:BANDWIDTH] ** 2 / 12.0


@compiled
def readings(errors: Array, truth: Vectors3, seed: int, member: int, channel: int) -> Vectors3:
    """Return the first n readings (n, 3); bit for bit as by `read_next`.

    truth: (n, 3);  the rest as for `read_next`
    """
    found = np.empty(truth.shape)
    state = np.full(STATE_SIZE, np.nan)
    for number in range(len(truth)):
        felt = (truth[number, 0], truth[number, 1], truth[number, 2])
        found[number] = read_next(errors, state, felt, seed, member, channel, number)
    return found


@helper
def read_next(
    errors: Array, state: Array, truth: Floats, seed: int, member: int, channel: int, number: int
) -> Floats:
    """Return a reading, three floats, and advance `state` to it, in place.

    errors: (44,) TriadErrors.flat;  state: (36,) or more, of the reading before, nan to begin
    truth: the quantity along the triad's axes, three floats
    seed, member: see random_streams;  channel: the first one
    number: of readings since the run began
    """
    if errors[ANY] == 0.0:
        return truth
    return _read_on(errors, state, truth, seed, member, channel, number)


@part
def _read_on(
    errors: Array, state: Array, truth: Floats, seed: int, member: int, channel: int, number: int
) -> Floats:
    """Return `read_next` where there are errors."""
    if state[0] != state[0]:
        _begin(errors, state, seed, member, channel)
    else:
        _move(errors, state, seed, member, channel, number)
    noise = _three_drawn(errors, NOISE, seed, member, channel, number)
    return (
        _read_axis(errors, state, truth, noise, 0),
        _read_axis(errors, state, truth, noise, 1),
        _read_axis(errors, state, truth, noise, 2),
    )


@helper
def at_limit(errors: Array, reading: Floats) -> bool:
    """Return whether an axis is at its limit."""
    return (
        abs(reading[0]) >= errors[LIMIT]
        or abs(reading[1]) >= errors[LIMIT + 1]
        or abs(reading[2]) >= errors[LIMIT + 2]
    )


@part
def _read_axis(errors: Array, state: Array, truth: Floats, noise: Floats, i: int) -> float:
    """Return the reading of one axis."""
    k = 3 * i
    value = state[k] * truth[0] + state[k + 1] * truth[1] + state[k + 2] * truth[2]
    if errors[BANDWIDTH + i] > 0.0:
        value = _filtered(errors, state, value, i)
    for k in range(BIASED + i, BEFORE, 3):
        value += state[k]
    value += errors[NOISE + i] * noise[i]
    resolution, limit = errors[RESOLUTION + i], errors[LIMIT + i]
    if resolution > 0.0:
        value = resolution * math.floor(value / resolution + 0.5)
    return min(max(value, -limit), limit)


@part
def _filtered(errors: Array, state: Array, value: float, i: int) -> float:
    """Return the output of an axis' low-pass, exact for a line since the last reading.

    It begins in balance: at its input.
    """
    before, behind = state[BEFORE + i], state[BEHIND + i]
    if before == before:
        behind = errors[HELD + i] * behind + errors[LAGGING + i] * (value - before)
    state[BEFORE + i], state[BEHIND + i] = value, behind
    return value - behind


@part
def _is_off(errors: Array, term: int) -> bool:
    """Return whether a term is zero: then no random numbers are drawn for it."""
    return errors[term] == 0.0 and errors[term + 1] == 0.0 and errors[term + 2] == 0.0


@part
def _three_drawn(
    errors: Array, term: int, seed: int, member: int, channel: int, number: int
) -> Floats:
    """Return the normal deviates of a term; zeros where it is off."""
    if _is_off(errors, term):
        return NONE
    return three_normals(seed, member, channel + term // 3, number)


@part
def _begin(errors: Array, state: Array, seed: int, member: int, channel: int) -> None:
    """Set the state of the first reading: values drawn once a run, stationary flicker."""
    for k in range(STATE_SIZE):
        state[k] = 0.0
    scale = _three_drawn(errors, SCALE, seed, member, channel, 0)
    bias = _three_drawn(errors, BIAS, seed, member, channel, 0)
    tilted = not _is_off(errors, MISALIGNMENT)
    for i in range(3):
        state[4 * i] = 1.0
        if tilted:
            one, other = normal_pair(i, seed, member, channel + MISALIGNMENT // 3, 0)
            state[3 * i + (i + 1) % 3] = errors[MISALIGNMENT + i] * one
            state[3 * i + (i + 2) % 3] = errors[MISALIGNMENT + i] * other
        length = norm(three_at(state, 3 * i))
        for k in range(3 * i, 3 * i + 3):
            state[k] *= (1.0 + errors[SCALE + i] * scale[i]) / length
        state[BIASED + i] = errors[BIAS + i] * bias[i]
        state[BEFORE + i] = math.nan
    _flicker(errors, state, FORGOTTEN, ANEW, seed, member, channel, 0)


@part
def _move(errors: Array, state: Array, seed: int, member: int, channel: int, number: int) -> None:
    """Advance the state by one reading; exact for Gauss-Markov processes at any period."""
    walk = _three_drawn(errors, WALK, seed, member, channel, number)
    for i in range(3):
        state[WALKED + i] += errors[WALK + i] * walk[i]
    _flicker(errors, state, errors[KEPT:], errors[RENEWED:], seed, member, channel, number)


@part
def _flicker(
    errors: Array,
    state: Array,
    kept: Array,
    renewed: Array,
    seed: int,
    member: int,
    channel: int,
    number: int,
) -> None:
    """Advance each flicker process: keep a part of it, renew the rest.

    Deviate 3 j + i is for process j of axis i.
    """
    if _is_off(errors, FLICKER):
        return
    for pair in range((3 * FLICKER_PROCESSES + 1) // 2):
        drawn = normal_pair(pair, seed, member, channel + FLICKER // 3, number)
        for half in range(2):
            k = 2 * pair + half
            if k < 3 * FLICKER_PROCESSES:
                renewal = renewed[k // 3] * errors[FLICKER + k % 3] * drawn[half]
                state[FLICKERED + k] = kept[k // 3] * state[FLICKERED + k] + renewal
