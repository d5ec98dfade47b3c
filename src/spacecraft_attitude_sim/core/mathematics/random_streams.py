# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Random numbers that are a function of seed, channel and tick: Philox 4x32-10, counter-based.

J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC11 (2011). There is no state
from draw to draw. So one channel cannot disturb another, and the numbers of any tick can be
computed again.
"""

import math

import numpy as np

from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.kernels.kernel import compiled, inlined

# First channel of each sensor. A channel keeps its number for ever, so that a seed gives the same
# run in every version.
GYROSCOPE, ACCELEROMETER, MAGNETOMETER, ORIENTATION, STAR_TRACKER = 0, 8, 16, 24, 32
SUN_CELL, SUN_SENSOR, HORIZON_SENSOR, GNSS = 40, 48, 56, 80
# Channels of actuators.
THRUSTERS, THRUSTER_MOUNTING = 64, 72
# First channel of faults, one each.
FAULTS = 128

LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
MULTIPLIER_0, MULTIPLIER_1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
WEYL_0, WEYL_1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
ROUNDS = 10
DROP_5, DROP_6 = np.uint64(5), np.uint64(6)
TWO_26, TWO_MINUS_53 = 2.0**26, 2.0**-53


@compiled
def philox(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return four random words of 32 bits for a counter of four and a key of two, as uint64."""
    for _ in range(ROUNDS):
        product_0, product_1 = MULTIPLIER_0 * c0, MULTIPLIER_1 * c2
        c0, c1, c2, c3 = (
            (product_1 >> HALF) ^ c1 ^ k0,
            product_1 & LOW,
            (product_0 >> HALF) ^ c3 ^ k1,
            product_0 & LOW,
        )
        k0, k1 = (k0 + WEYL_0) & LOW, (k1 + WEYL_1) & LOW
    return c0, c1, c2, c3


@inlined
def _unit(high: np.uint64, low: np.uint64) -> float:
    """Return the float in [0, 1) made from the upper 27 and 26 bits of two words."""
    return (np.float64(high >> DROP_5) * TWO_26 + np.float64(low >> DROP_6)) * TWO_MINUS_53


@compiled
def normal_pair(pair: int, seed: int, member: int, channel: int, tick: int) -> tuple[float, float]:
    """Return two independent standard normal deviates of a channel at a tick, two floats.

    By the transform of G. E. P. Box and M. E. Muller, Ann. Math. Stat. 29 (1958) 610, on uniform
    deviates of 53 bits; the largest is 8.57. Key: seed and channel; counter: tick, number of the
    pair, member.

    seed, member, channel: whole numbers below 2^32; member: index among many bodies
    tick: whole number below 2^63, counted from the start of the run
    """
    c0, c1 = np.uint64(tick) & LOW, np.uint64(tick) >> HALF
    w0, w1, w2, w3 = philox(
        c0, c1, np.uint64(pair), np.uint64(member), np.uint64(seed), np.uint64(channel)
    )
    radius = math.sqrt(-2.0 * math.log(1.0 - _unit(w0, w1)))
    angle = 2.0 * math.pi * _unit(w2, w3)
    return radius * math.cos(angle), radius * math.sin(angle)


@compiled
def three_normals(seed: int, member: int, channel: int, tick: int) -> tuple[float, float, float]:
    """Return the first three deviates of `normals`, three floats, without allocation."""
    x, y = normal_pair(0, seed, member, channel, tick)
    z, _ = normal_pair(1, seed, member, channel, tick)
    return x, y, z


@compiled
def normals(count: int, seed: int, member: int, channel: int, tick: int) -> Array:
    """Return the first `count` deviates of a channel at a tick, pair after pair."""
    found = np.empty(count)
    for pair in range((count + 1) // 2):
        even, odd = normal_pair(pair, seed, member, channel, tick)
        found[2 * pair] = even
        if 2 * pair + 1 < count:
            found[2 * pair + 1] = odd
    return found
