# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of three sensing axes: of a gyroscope, an accelerometer or a magnetometer.

    reading = limited(rounded(S (1 + s) truth + bias + walk + flicker + noise))

S: sensing axes, unit vectors that are misaligned;  s: scale factor error;  bias: constant of a run
walk: random walk, 0 at the start;  flicker: bias instability, 1/f;  noise: white

The terms are those of IEEE Std 952. One body in a node and many in a batch are read by the same
`read_next`.
Neglected: temperature, vibration, g-sensitivity, non-linearity, bandwidth below 16 Hz.
"""

import math
from dataclasses import dataclass, field, fields

import numpy as np

from spacecraft_attitude_sim.core.mathematics.random_streams import normal_pair, three_normals
from spacecraft_attitude_sim.core.mathematics.vectors import norm
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS
from spacecraft_attitude_sim.kernels.kernel import compiled

# Flicker is the sum of first-order Gauss-Markov processes, one for each decade of correlation
# time. Each has the variance B^2 ln(10) / pi, which makes the power density B^2 / (2 pi f) and the
# Allan deviation B sqrt(2 ln(2) / pi) = 0.664 B: within 6 % from 3 s to 5000 s, 1.5 % from 20 s to
# 3000 s.
CORRELATION_SECONDS = np.array((1.0, 10.0, 100.0, 1000.0, 10000.0))
FLICKER_PROCESSES = len(CORRELATION_SECONDS)
KEPT = np.exp(-TICK_SECONDS / CORRELATION_SECONDS)
RENEWED = np.sqrt(-np.expm1(-2.0 * TICK_SECONDS / CORRELATION_SECONDS))
# Of a process that begins: nothing is kept, all is new.
FORGOTTEN, ANEW = np.zeros(FLICKER_PROCESSES), np.ones(FLICKER_PROCESSES)
FLICKER_FACTOR = math.sqrt(math.log(10.0) / math.pi)
# Rows of the parameters (8, 3), a column for each axis.
NOISE, FLICKER, WALK, BIAS, SCALE, MISALIGNMENT, LIMIT, RESOLUTION = range(8)
# Rows of the state (10, 3): sensing axes times scale, bias, walk, flicker processes.
BIAS_ROW, WALK_ROW, FLICKER_ROW = 3, 4, 5
STATE_SHAPE = (FLICKER_ROW + FLICKER_PROCESSES, 3)
NONE = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class TriadErrors:
    """Errors of three axes, each (3,); u is the unit of the reading, all 0 is none.

    noise_density: square root of the two-sided power density of white noise [u sqrt(s)]
    bias_instability: coefficient B of flicker [u];  random_walk: coefficient K [u / sqrt(s)]
    bias [u], scale_factor, misalignment [rad]: standard deviation of what is drawn once a run
    limit: largest reading [u], 0 is none;  resolution: step of the reading [u]
    none: whether the reading is the truth;  flat: (8, 3) parameters of `step`; both computed
    """

    noise_density: tuple = NONE
    bias_instability: tuple = NONE
    random_walk: tuple = NONE
    bias: tuple = NONE
    scale_factor: tuple = NONE
    misalignment: tuple = NONE
    limit: tuple = NONE
    resolution: tuple = NONE
    none: bool = field(init=False)
    flat: np.ndarray = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        """Discretise over a tick: white noise is that of increments divided by the tick."""
        terms = [getattr(self, term.name) for term in fields(self) if term.init]
        flat = np.array(terms, dtype=float)
        object.__setattr__(self, 'none', not flat.any())
        flat[NOISE] /= math.sqrt(TICK_SECONDS)
        flat[FLICKER] *= FLICKER_FACTOR
        flat[WALK] *= math.sqrt(TICK_SECONDS)
        flat[LIMIT][flat[LIMIT] == 0.0] = np.inf
        object.__setattr__(self, 'flat', flat)

    def sample_variance(self):
        """Return the variance (3,) of what differs from reading to reading [u^2].

        White noise, and rounding as of a uniform deviate; not the biases, which a user estimates.
        """
        return self.flat[NOISE] ** 2 + self.flat[RESOLUTION] ** 2 / 12.0


@compiled
def step(parameters, state, truth, seed, member, channel, tick):
    """Return the reading (3,) at a tick and the state (10, 3) behind it.

    parameters: (8, 3) TriadErrors.flat;  state: (10, 3) of the tick before, unread at tick 0
    truth: (3,) the quantity along the triad's axes
    seed, member: see random_streams;  channel: the first one;  tick: since the run began
    """
    new, felt = np.copy(state), (truth[0], truth[1], truth[2])
    return np.array(read_next(parameters, new, felt, seed, member, channel, tick)), new


@compiled
def readings(parameters, truth, seed, member, channel):
    """Return the readings (n, 3) of the first n ticks; bit for bit what `step` gives.

    truth: (n, 3);  the rest as for `step`
    """
    found = np.empty(truth.shape)
    state = np.zeros(STATE_SHAPE)
    for tick in range(len(truth)):
        felt = (truth[tick, 0], truth[tick, 1], truth[tick, 2])
        found[tick] = read_next(parameters, state, felt, seed, member, channel, tick)
    return found


@compiled
def read_next(parameters, state, truth, seed, member, channel, tick):
    """Return the reading at a tick, three floats; take `state` to it, in place.

    Nothing is allocated.

    truth: three floats;  the rest as for `step`
    """
    if tick == 0:
        _begin(parameters, state, seed, member, channel)
    else:
        _move(parameters, state, seed, member, channel, tick)
    noise = _three_drawn(parameters, NOISE, seed, member, channel, tick)
    return (
        _read_axis(parameters, state, truth, noise, 0),
        _read_axis(parameters, state, truth, noise, 1),
        _read_axis(parameters, state, truth, noise, 2),
    )


@compiled
def _read_axis(parameters, state, truth, noise, i):
    """Return the reading of one axis."""
    value = state[i, 0] * truth[0] + state[i, 1] * truth[1] + state[i, 2] * truth[2]
    for row in range(BIAS_ROW, len(state)):
        value += state[row, i]
    value += parameters[NOISE, i] * noise[i]
    resolution, limit = parameters[RESOLUTION, i], parameters[LIMIT, i]
    if resolution > 0.0:
        value = resolution * math.floor(value / resolution + 0.5)
    return min(max(value, -limit), limit)


@compiled
def _is_off(parameters, row):
    """Return whether a row of the parameters is zero: then nothing is drawn for it."""
    return parameters[row, 0] == 0.0 and parameters[row, 1] == 0.0 and parameters[row, 2] == 0.0


@compiled
def _three_drawn(parameters, row, seed, member, channel, tick):
    """Return the normal deviates of a row of the parameters; zeros where that row is off."""
    if _is_off(parameters, row):
        return NONE
    return three_normals(seed, member, channel + row, tick)


@compiled
def _begin(parameters, state, seed, member, channel):
    """Take the state to tick 0: what is drawn once a run, and flicker already going on."""
    for row in range(len(state)):
        for i in range(3):
            state[row, i] = 0.0
    scale = _three_drawn(parameters, SCALE, seed, member, channel, 0)
    bias = _three_drawn(parameters, BIAS, seed, member, channel, 0)
    tilted = not _is_off(parameters, MISALIGNMENT)
    for i in range(3):
        state[i, i] = 1.0
        if tilted:
            one, other = normal_pair(i, seed, member, channel + MISALIGNMENT, 0)
            state[i, (i + 1) % 3] = parameters[MISALIGNMENT, i] * one
            state[i, (i + 2) % 3] = parameters[MISALIGNMENT, i] * other
        length = norm((state[i, 0], state[i, 1], state[i, 2]))
        for j in range(3):
            state[i, j] *= (1.0 + parameters[SCALE, i] * scale[i]) / length
        state[BIAS_ROW, i] = parameters[BIAS, i] * bias[i]
    _flicker(parameters, state, FORGOTTEN, ANEW, seed, member, channel, 0)


@compiled
def _move(parameters, state, seed, member, channel, tick):
    """Take the state one tick on; exact for the Gauss-Markov processes, whatever the tick."""
    walk = _three_drawn(parameters, WALK, seed, member, channel, tick)
    for i in range(3):
        state[WALK_ROW, i] += parameters[WALK, i] * walk[i]
    _flicker(parameters, state, KEPT, RENEWED, seed, member, channel, tick)


@compiled
def _flicker(parameters, state, kept, renewed, seed, member, channel, tick):
    """Keep a part of each flicker process, and renew the rest; deviate 3 j + i is of axis i."""
    if _is_off(parameters, FLICKER):
        return
    for pair in range((3 * FLICKER_PROCESSES + 1) // 2):
        drawn = normal_pair(pair, seed, member, channel + FLICKER, tick)
        for half in range(2):
            j, i = (2 * pair + half) // 3, (2 * pair + half) % 3
            if j < FLICKER_PROCESSES:
                renewal = renewed[j] * parameters[FLICKER, i] * drawn[half]
                state[FLICKER_ROW + j, i] = kept[j] * state[FLICKER_ROW + j, i] + renewal
