# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The estimate after each of a list of events, which are readings in the order of their times.

Between two readings of the gyroscope, h apart, its rate is the parabola through these, ω₀ and ω₁,
and the reading before them, ω₋₁. The rotation vector of the interval is

    h (ω₀ + ω₁)/2 - h/12 (ω₁ - 2 ω₀ + ω₋₁) + h²/12 ω₀ × ω₁

The first two terms are the integral, with the weights 5/12, 2/3, -1/12 of the Adams-Moulton method
of third order (Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, section III.1).
The last one is the second term of the Magnus expansion (Blanes, Casas, Oteo and Ros, Physics
Reports 470 (2009) 151). Where the body turns slowly, and in the first interval, the rate is a
straight line, without the second term: see `bends`. The noise of each reading acts with the same
weights, in three intervals or in two: reading_noise.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.estimation.kalman_filter import (
    COVARIANCE,
    FIELD_BIAS,
    GYRO_BIAS,
    OFFSET,
    READINGS,
    Places,
    attitude_rows,
    mounting_rows,
    noises_at,
    propagate,
    surprise,
    take,
    vector_rows,
    without_axes,
)
from spacecraft_attitude_sim.core.estimation.reading_noise import carry, pass_reading
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import (
    cross,
    dot,
    four_at,
    moved_vector,
    norm,
    put,
    scaled,
    subtracted,
    three_at,
)
from spacecraft_attitude_sim.core.sensors.two_angles import LARGEST, angles_of
from spacecraft_attitude_sim.kernels.kernel import compiled, helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats, VectorLike

# Kinds of event, and how many numbers each measures.
GYROSCOPE, ATTITUDE, FIELD, DIRECTION, CELL = 0.0, 1.0, 2.0, 3.0, 4.0
FREEDOM = {ATTITUDE: 3, FIELD: 3, DIRECTION: 2, CELL: 1}
# time: since the origin of the history [ns];  sensor: its number
# reading: rate in body axes [rad/s], q_WS, field [T] or direction in the sensor's axes, or the
#   share of sunlight;  reference_W: field [T] or direction in world
# residual, nis: measured minus expected, and normalised innovation squared, as last computed
# taken: 1 where the estimate was corrected, 0 where the gate refused
EVENT = Layout(time=1, kind=1, sensor=1, reading=4, reference_W=3, residual=3, nis=1, taken=1)
TIME, KIND, SENSOR, READING, REFERENCE, RESIDUAL, NIS, TAKEN = EVENT.places()
EVENT_SIZE = EVENT.size
# Of a reading that is compared with nothing.
NO_REFERENCE = np.zeros(3)
NO_REFERENCE.flags.writeable = False
# Head of the constants, then one KNOWN for each sensor.
# places: of kalman_filter.Places;  noise: of kalman_filter.propagate
# q_BS: mounting of the gyroscope;  correlation: how long an error that stays is taken to stay [s]
# gap, reset, sunlit_share: of settings.Settings [ns, ns, 1]
# rate_variance: of the noise of a rate of 1 s [rad^2/s^2]
# carried: 1 where the noise of a reading acts in three intervals; 0: each interval has its own
FILTER = Layout(
    places=3, noise=3, q_BS=4, correlation=1, gap=1, reset=1, sunlit_share=1, rate_variance=1,
    carried=1,
)  # fmt: skip
# variance: of the sensor's components, by which it is judged;  weight: by which it is taken
# gate: largest nis of a reading that is taken
# biased: whether the magnetometer's bias is estimated, and this is it
# misaligned: 1 + number of its mounting in the estimate; 0: its mounting is q_BS
# kind: as of an event;  nadir: whether a direction is that of the nadir;  efficacy: of a cell
# longest: of field_length.fits, of a field [T^2]
KNOWN = Layout(
    q_BS=4, variance=3, weight=3, gate=1, biased=1, misaligned=1, kind=1, nadir=1, efficacy=1,
    longest=1,
)  # fmt: skip
NOISE, MOUNTED, CORRELATION, GAP, RESET, SUNLIT_SHARE, RATE_VARIANCE, CARRIED = FILTER.places()[1:]
FILTER_SIZE, KNOWN_SIZE = FILTER.size, KNOWN.size
VARIANCE, WEIGHT, GATE, BIASED, MISALIGNED, OF_KIND, OF_NADIR, EFFICACY, LONGEST = KNOWN.places()[
    1:
]
# Largest ratio of two intervals of the gyroscope that one parabola may go through.
MOST_RATIO = 2.0
# By how much a rate along a straight line is off at most, as a share of h² |ω|³; and along a
# parabola, of h² (h + 2 g) |ω|⁴, where g is the interval before.
STRAIGHT = 2.0 / math.sqrt(27.0) / 12.0
CURVED = math.sqrt(27.0) / 16.0 / 72.0
# That counts where it turns the attitude further than so many standard deviations of the noise.
CLEARLY = 3.0
# A straight line will do where it turns the attitude by less than so many of them.
SLIGHTLY = 0.1
# A jump of the rate counts where it is so many times as large as the noise of a reading. Noise
# alone does so once in 1e16 readings.
JUMP = 20.0
# Replaces an angle that cannot be compared; no gate lets it in.
FAR = 1e9


def event_of(
    kind: float, sensor: int, values: Array, reference_W: VectorLike = NO_REFERENCE
) -> Array:
    """Return an EVENT of a reading, whose time is still 0; arguments: as of EVENT."""
    event = np.zeros(EVENT_SIZE)
    event[KIND], event[SENSOR] = kind, sensor
    event[READING : READING + len(values)] = values
    event[REFERENCE : REFERENCE + 3] = reference_W
    return event


def scratch_of(places: Places) -> Array:
    """Return the memory that `replay` writes to."""
    return np.zeros(3 * places.n + places.scratch)


@compiled
def replay(
    events: Array, estimates: Array, constants: Array, begun: bool, first: int, last: int,
    scratch: Array,
) -> None:  # fmt: skip
    """Write the estimates after the events from number `first` to last - 1.

    events: of EVENT, one after the other;  estimates: one after each event
    constants: FILTER, then KNOWN of each sensor
    begun: whether the attitude is known; if not, measurements only wait
    scratch: of scratch_of
    """
    replayed(events, estimates, constants, begun, first, last, scratch)


@part
def replayed(
    events: Array, estimates: Array, constants: Array, begun: bool, first: int, last: int,
    scratch: Array,
) -> None:  # fmt: skip
    """Do what `replay` does, where another kernel calls it."""
    places = Places(int(constants[0]), int(constants[1]), int(constants[2]))
    n, noise, q_BS = places[2], three_at(constants, NOISE), four_at(constants, MOUNTED)
    rows, room = scratch[0 : 3 * n], scratch[3 * n :]
    size = noises_at(places) + READINGS * (3 * n + 1)
    carried = constants[CARRIED] > 0.0
    for i in range(first, last):
        estimate = estimates[size * i : size * (i + 1)]
        for k in range(size):
            estimate[k] = estimates[size * (i - 1) + k]
        step = 1e-9 * (events[EVENT_SIZE * i + TIME] - events[EVENT_SIZE * (i - 1) + TIME])
        if step > 0.0:
            a, b, e = readings_around(events, i)
            whole, before = 1e-9 * (events[e + TIME] - events[b + TIME]), 0.0
            jumped = jump_variance(events, a, b, e, noise[0] * noise[0]) if a >= 0 else 0.0
            # Behind a jump a parabola takes back what that before the jump was off by.
            known = a if jumped > 0.0 else b
            rate = subtracted(three_at(events, known + READING), three_at(estimate, GYRO_BIAS))
            around = (a, b, e)
            if a < 0 or not bends(norm(rate), whole, noise[0], constants[CORRELATION]):
                around = (-1, b, e)
            else:
                before = 1e-9 * (events[b + TIME] - events[a + TIME])
            turn = turn_between(events, i, around, estimate, places, q_BS)
            of_turn = noise_of(turn, step, whole, before, noise, constants[CORRELATION])
            if jumped > 0.0:
                white = math.sqrt(of_turn[0] * of_turn[0] + jumped / whole)
                of_turn = (white, of_turn[1], of_turn[2])
            if carried:
                white = math.sqrt(of_turn[0] * of_turn[0] - noise[0] * noise[0])
                of_turn = (white, of_turn[1], of_turn[2])
            propagate(estimate, places, turn, step, of_turn, q_BS, room)
            if carried:
                variance = reading_variance(events, b, e, constants[RATE_VARIANCE])
                carry(estimate, places, shares_of(events, i, around), variance, step, room)
        event = events[EVENT_SIZE * i : EVENT_SIZE * (i + 1)]
        if event[KIND] == GYROSCOPE:
            pass_reading(estimate, places)
        elif begun:
            k = FILTER_SIZE + KNOWN_SIZE * int(event[SENSOR])
            judge(event, estimate, places, constants[k : k + KNOWN_SIZE], rows, room)


@part
def bends(rate: float, whole: float, noise: float, correlation: float) -> bool:
    """Return whether the rate of a body may bend so much that a straight line does not do.

    Wheels and rods turn a body with a torque that changes at readings by ΔM and stays in between.
    With Δα = I⁻¹ ΔM the rate is a straight line there. The parabola sees the bend h Δα at the
    reading before, and is off by h² Δα/12. A law answers the noise of the readings, so that this
    error even goes with the noise. The straight line loses at most STRAIGHT h² |ω|³ of the rate of
    a body that nutates. In `correlation` c it turns the body by c times that, and white noise of
    the density n turns it by n √c. Up to SLIGHTLY, a tenth, it adds at most 1 % to the variance.

    rate: [rad/s];  whole: the interval of the gyroscope [s];  noise: n [rad/√s]
    """
    lost = STRAIGHT * whole * whole * rate * rate * rate
    return lost * math.sqrt(correlation) > SLIGHTLY * noise


@part
def noise_of(
    turn: Floats, step: float, whole: float, before: float, noise: Floats, correlation: float
) -> Floats:
    """Return the densities of noise of a step, with what a fast turn adds.

    A body that turns without torque nutates at most as fast as it spins about its axis. Between
    readings h apart a straight line loses (λ h)²/12 of the rate that nutates at λ, and a parabola
    λ³ h² (h + 2 g)/72, if g is the interval before. With all spins that make up |ω| these are at
    most STRAIGHT h² |ω|³ and CURVED h² (h + 2 g) |ω|⁴. That stays as long as the body turns so:
    noise of the same power as of an error that stays for `correlation`.

    turn: of the body in the step [rad];  step, correlation: [s]
    whole, before: the intervals of the gyroscope that the step is in, and the one before, 0 for a
        straight line [s]
    noise: of kalman_filter.propagate
    """
    rate = norm(turn) / step
    lost = STRAIGHT * whole * whole * rate * rate * rate
    if before > 0.0:
        lost = CURVED * whole * whole * (whole + 2.0 * before) * rate * rate * rate * rate
    if not lost * math.sqrt(correlation) > CLEARLY * noise[0]:
        return noise
    added = 2.0 * correlation * lost * lost
    return (math.sqrt(noise[0] * noise[0] + added), noise[1], noise[2])


@part
def jump_variance(events: Array, a: int, b: int, e: int, density: float) -> float:
    """Return the variance of the turn that a jump of the rate between two readings leaves [rad^2].

    A wheel that seizes or a thruster that fires changes the rate by Δ, at an unknown moment
    between the readings at a and b, h apart. The turn is then unknown by ±h Δ/2, of the variance
    (h Δ)²/12. The change of the rate differs from the one before by Δ there, and by -Δ behind it.
    Smooth motion does not turn round so. White noise of variance σ² in each reading has the mean
    12 σ² for Δ², thus (h σ)²: that is what it does.

    a, b, e: of readings_around, a >= 0;  density: of white noise, squared [rad^2/s]
    """
    z = reading_before(events, a)
    if z < 0:
        return 0.0
    whole, before = events[e + TIME] - events[b + TIME], events[b + TIME] - events[a + TIME]
    earlier = events[a + TIME] - events[z + TIME]
    if before > MOST_RATIO * earlier or earlier > MOST_RATIO * before:
        return 0.0
    first, middle = three_at(events, a + READING), three_at(events, b + READING)
    change = subtracted(middle, first)
    change_then = subtracted(first, three_at(events, z + READING))
    change_now = subtracted(three_at(events, e + READING), middle)
    jump = moved_vector(change, -before / earlier, change_then)
    back = moved_vector(scaled(before / whole, change_now), -1.0, change)
    squared, h = -dot(jump, back), 1e-9 * before
    return h * h * squared / 12.0 if h * squared > JUMP * JUMP * density else 0.0


@helper
def reading_before(events: Array, k: int) -> int:
    """Return where the gyroscope's reading before that at k begins; below 0: there is none."""
    k -= EVENT_SIZE
    while k >= 0 and events[k + KIND] != GYROSCOPE:
        k -= EVENT_SIZE
    return k


@part
def readings_around(events: Array, i: int) -> tuple[int, int, int]:
    """Return where three readings of the gyroscope begin: two up to event i - 1, one from i on.

    The first is -1 where there is none, or where one interval is more than MOST_RATIO times the
    other: then the rate runs along a straight line.
    """
    before, after = i - 1, i
    while events[EVENT_SIZE * before + KIND] != GYROSCOPE:
        before -= 1
    while events[EVENT_SIZE * after + KIND] != GYROSCOPE:
        after += 1
    earlier = before - 1
    while earlier >= 0 and events[EVENT_SIZE * earlier + KIND] != GYROSCOPE:
        earlier -= 1
    a, b, e = EVENT_SIZE * earlier, EVENT_SIZE * before, EVENT_SIZE * after
    if earlier < 0:
        return -1, b, e
    whole, other = events[e + TIME] - events[b + TIME], events[b + TIME] - events[a + TIME]
    if whole > MOST_RATIO * other or other > MOST_RATIO * whole:
        return -1, b, e
    return a, b, e


@part
def turn_between(
    events: Array, i: int, around: tuple[int, int, int], estimate: Array, places: Places,
    q_BS: Floats,
) -> Floats:  # fmt: skip
    """Return the rotation vector of the body from event i - 1 to event i [rad].

    around: of readings_around; along a straight line where its first is below 0
    """
    a, b, e = around
    begin, whole = events[b + TIME], events[e + TIME] - events[b + TIME]
    rate = subtracted(three_at(events, b + READING), three_at(estimate, GYRO_BIAS))
    change = subtracted(three_at(events, e + READING), three_at(events, b + READING))
    bend = (0.0, 0.0, 0.0)
    if a >= 0:
        bend = bend_before(events, a, b, whole, change)
    if places[1] > places[0]:
        rate = without_axes(estimate, q_BS, rate)
        change = without_axes(estimate, q_BS, change)
        bend = without_axes(estimate, q_BS, bend)
    start, end = events[EVENT_SIZE * (i - 1) + TIME], events[EVENT_SIZE * i + TIME]
    x, y = (start - begin) / whole, (end - begin) / whole
    first, last = moved_vector(rate, x, change), moved_vector(rate, y, change)
    h = 1e-9 * (end - start)
    mean = moved_vector(first, 0.5, subtracted(last, first))
    turn = moved_vector(scaled(h, mean), h * h / 12.0, cross(first, last))
    return moved_vector(turn, bent_in(whole, x, y), bend)


@helper
def bent_in(whole: float, x: float, y: float) -> float:
    """Return by how much a second difference of the rate turns the body in a part x to y [s].

    whole: the interval [ns];  x, y: 0 at its beginning, 1 at its end
    """
    return 1e-9 * whole * ((y * y * y - x * x * x) / 6.0 - (y * y - x * x) / 4.0)


@part
def shares_of(events: Array, i: int, around: tuple[int, int, int]) -> Floats:
    """Return the derivatives of `turn_between` by the three readings, the last one first [s].

    around: of `turn_between`.  Neglected: its term that does not commute
    """
    a, b, e = around
    begin, whole = events[b + TIME], events[e + TIME] - events[b + TIME]
    start, end = events[EVENT_SIZE * (i - 1) + TIME], events[EVENT_SIZE * i + TIME]
    x, y, h = (start - begin) / whole, (end - begin) / whole, 1e-9 * (end - start)
    ratio = bent = 0.0
    if a >= 0:
        ratio = whole / (begin - events[a + TIME])
        bent = bent_in(whole, x, y) * (2.0 * ratio / (1.0 + ratio))
    line = 0.5 * h * (x + y)
    return line + bent, h - line - bent * (1.0 + ratio), bent * ratio


@part
def reading_variance(events: Array, b: int, e: int, density: float) -> float:
    """Return the variance of the noise of the reading at e, behind that at b [rad^2/s^2].

    White noise is that of an increment over a period, divided by it. The period is the shorter one
    of the two intervals before the reading: where one is lost, the noise of the next is the same.

    density: of white noise, squared [rad^2/s]
    """
    period, earlier = events[e + TIME] - events[b + TIME], reading_before(events, b)
    if earlier >= 0:
        period = min(period, events[b + TIME] - events[earlier + TIME])
    return density / (1e-9 * period)


@part
def bend_before(events: Array, a: int, b: int, whole: float, change: Floats) -> Floats:
    """Return the second difference of a measured rate: of three readings [rad/s].

    Of three that are not h apart it is that of the parabola through them.

    a, b: where the first two begin
    whole: from the second to the third [ns];  change: of the rate in that time [rad/s]
    """
    ratio = whole / (events[b + TIME] - events[a + TIME])
    change_then = subtracted(three_at(events, b + READING), three_at(events, a + READING))
    return scaled(2.0 * ratio / (1.0 + ratio), moved_vector(change, -ratio, change_then))


@part
def judge(
    event: Array, estimate: Array, places: Places, known: Array, rows: Array, room: Array
) -> None:
    """Write residual and nis of a measurement, and correct the estimate if its gate lets it in."""
    residual = compared(event, estimate, places, known, rows)
    nis = surprise(estimate, places[2], rows, three_at(known, VARIANCE), residual)
    put(event, RESIDUAL, residual)
    event[NIS], event[TAKEN] = nis, 0.0
    if nis <= known[GATE]:  # not where it is NaN
        event[TAKEN] = 1.0
        take(estimate, places, rows, three_at(known, WEIGHT), residual, room)


@part
def compared(event: Array, estimate: Array, places: Places, known: Array, rows: Array) -> Floats:
    """Write the rows of a measurement; return its residual, zeros for components it has not."""
    kind, q_BS, n, misaligned = event[KIND], four_at(known, 0), places[2], known[MISALIGNED] > 0.0
    number = int(known[MISALIGNED]) - 1
    place = places[1] + 3 * number
    if misaligned:
        q_BS = four_at(estimate, COVARIANCE + n * n + 4 * number)
    if kind == ATTITUDE:
        residual = attitude_rows(estimate, n, q_BS, four_at(event, READING), rows)
        if misaligned:
            for k in range(3):
                rows[n * k + place + k] = 1.0
        return residual
    x, y, z = vector_rows(estimate, n, q_BS, three_at(event, REFERENCE), rows)
    if misaligned:
        mounting_rows(n, place, (x, y, z), rows)
    if kind == FIELD:
        if known[BIASED] > 0.0:
            for k in range(3):
                rows[n * k + OFFSET + k] = 1.0
            bias = three_at(estimate, FIELD_BIAS)
            x, y, z = x + bias[0], y + bias[1], z + bias[2]
        return event[READING] - x, event[READING + 1] - y, event[READING + 2] - z
    if kind == CELL:
        for k in range(n, 3 * n):
            rows[k] = 0.0
        return event[READING] - x, 0.0, 0.0
    return compared_angles(three_at(event, READING), (x, y, z), n, rows)


@part
def compared_angles(measured_S: Floats, expected_S: Floats, n: int, rows: Array) -> Floats:
    """Turn the rows of a vector into those of its two angles; return their residuals.

    So a sensor's noise is the same in all of its view: core.sensors.two_angles.
    """
    x, y, z = expected_S
    alpha, beta = angles_of(expected_S)
    if abs(alpha) > LARGEST or abs(beta) > LARGEST:
        return FAR, FAR, 0.0
    a, b = angles_of(measured_S)
    p, q = x * x + z * z, y * y + z * z
    for j in range(n):
        of_x, of_y, of_z = rows[j], rows[n + j], rows[2 * n + j]
        rows[j] = (z * of_x - x * of_z) / p
        rows[n + j] = (z * of_y - y * of_z) / q
        rows[2 * n + j] = 0.0
    return a - alpha, b - beta, 0.0
