# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A tick: commands, sub-steps between switching instants and events, and the number of sub-steps.

Arguments are those of derivatives.slopes and kernels.advance.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.loads import registry as loads
from spacecraft_attitude_sim.core.environment.loads.load import (
    FIELD,
    FIELD_RATE,
    ZERO,
)
from spacecraft_attitude_sim.core.environment.sky import BEGIN, surrounded, whole_at
from spacecraft_attitude_sim.core.equations.loaded import NUTATION_ANGLE
from spacecraft_attitude_sim.core.equations.momentum import SUBSTEP_ANGLE
from spacecraft_attitude_sim.core.equations.multibody.derivatives import (
    BOOK_SIZE,
    WRENCH,
    angular_velocity,
    energy,
    hold,
    inertia_and_stored,
    lock,
    moves,
    slopes,
)
from spacecraft_attitude_sim.core.equations.multibody.end import write_end
from spacecraft_attitude_sim.core.equations.multibody.smooth import (
    INSTANTS_SIZE,
    LAST_TIME,
    OMEGA,
    SCALE,
    SPAN_BEGAN,
    glided,
)
from spacecraft_attitude_sim.core.equations.multibody.step import (
    change_mode,
    draw_lines,
    located,
    piece_of,
    stepped,
    tried,
    worst,
)
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.core.mathematics.vectors import (
    cross,
    dot,
    moved_vector,
    norm,
    put,
    symmetric_times,
    three_at,
)
from spacecraft_attitude_sim.core.parts.craft import (
    ACCURACY,
    DRAIN,
    LEAST,
    LOADS,
    MASS,
    STATES,
    SWING,
    SWITCHING,
    VALUES,
    WORK_SIZE,
)
from spacecraft_attitude_sim.kernels.branches import rarely
from spacecraft_attitude_sim.kernels.fours import four_at, put_four
from spacecraft_attitude_sim.kernels.kernel import helper, part
from spacecraft_attitude_sim.kernels.pointers import from_index

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.kind import Phases

# Angle that the rotors' axes may turn, and part of its speed that a wheel may lose by drag, in one
# automatic sub-step.
LARGEST_TILT, LARGEST_LOSS = 1.0 / 256.0, 0.05
# Most automatic sub-steps that viscous friction may ask for. And the part of its speed that a
# wheel may lose in a sub-step of given length: its heat is then right to 1e-4.
MOST_LOSSES, LARGEST_GIVEN_LOSS = 4096, 0.25
# Largest phase of the fastest oscillation [rad], and largest part of a rate that damping may take,
# in one step.
LARGEST_SWING, LARGEST_DRAIN = 1.0 / 64.0, 0.125
# Most events in a tick for each part that has events.
MOST_EVENTS = 64
# An event is located to this part of a tick.
RESOLUTION = 1e-14


def steps_for(swing: float, drain: float, duration: float) -> float:
    """Return the number of steps for an oscillation [rad/s] and a damping rate [1/s]."""
    return max(swing * duration / LARGEST_SWING, drain * duration / LARGEST_DRAIN)


@helper
def steps_for_error(
    spin: float, alpha: float, stiffness: float, error: float, duration: float
) -> float:
    """Return the number of steps in which RK4 adds at most `error` radians a second.

    The attitude error of a step of h seconds is at most h^5/70 (ω^3 k^2 + α k^3 + α^2 k/2) in
    thousands of random motions with stored momentum and constant torques, mostly a tenth of it
    (test_accuracy.py).

    spin: bound of ω [rad/s];  alpha: bound of the angular acceleration α [rad/s^2]
    stiffness: bound k of how fast α changes with ω [1/s];  error: [rad/s];  duration: [s]
    """
    turn = spin * spin * spin * stiffness
    bound = stiffness * (turn + alpha * (stiffness * stiffness + 0.5 * alpha))
    return duration * max(stiffness, math.sqrt(math.sqrt(bound / (70.0 * error))))


@helper
def turn_bounds(
    inertia: Floats, stored: Floats, omega: Floats, torque: float, motors: float, inverse: float,
    duration: float,
) -> tuple[float, float]:  # fmt: skip
    """Return bounds of the rate of turn and of that of nutation in a tick [rad/s].

    inertia, stored, omega: S, momentum stored beside S ω, and ω;  torque, motors: bounds [N m]
    inverse: of the smallest moment of inertia;  duration: of the tick [s]
    """
    twice_energy = dot(omega, symmetric_times(inertia, omega))
    rate = math.sqrt(twice_energy * inverse) + torque * duration * inverse
    return rate, (norm(stored) + motors * duration) * inverse


@helper
def steps_to_turn(
    accuracy: float, inertia: Floats, stored: Floats, omega: Floats, torque: float, motors: float,
    loss: float, rate: float, nutation: float, inverse: float, duration: float,
) -> tuple[float, float, float]:  # fmt: skip
    """Return the numbers of steps, not rounded, that turn, nutation and friction need.

    accuracy: error of the attitude that is asked for [rad/s], or 0;  loss: fastest drag [1/s]
    rate, nutation: of `turn_bounds`, as the others
    """
    turning, whirling = rate * duration / SUBSTEP_ANGLE, nutation * duration / NUTATION_ANGLE
    slowing = loss * duration / LARGEST_LOSS
    if accuracy > 0.0:
        whole = moved_vector(symmetric_times(inertia, omega), 1.0, stored)
        alpha = (norm(cross(omega, whole)) + 2.0 * (torque + motors)) * inverse
        spin = min(rate, norm(omega) + alpha * duration)
        turning = steps_for_error(spin, alpha, spin + nutation + loss, accuracy, duration)
        whirling, slowing = 0.0, loss * duration / LARGEST_GIVEN_LOSS
    return turning, whirling, slowing


@helper
def bend_of(rate: float, nutation: float, torque: float, inverse: float) -> float:
    """Return `bend` of step_count; arguments of `turn_bounds`."""
    return 0.5 * ((rate + nutation) * (rate + nutation) + torque * inverse) * inverse


@part
def step_count(
    phases: Phases, y: Array, parts: Array, internal: Array, work: Array, sky: Array,
    time: float, omega: Floats, duration: float,
) -> tuple[int, float, float]:  # fmt: skip
    """Return the number of equal sub-steps that resolves turn, nutation and friction, and bounds.

    It resolves gimbals, springs, dampers and hysteresis loops, too. With ACCURACY an estimate of
    the error, not the angle, decides how turn, nutation and friction are resolved. Then `bend`,
    half of a bound on the second derivative of a body-fixed direction, over the smallest moment of
    inertia [1/(kg m^2 s^2)]; and the field now [T].

    time: of the orbit [s]
    """
    here = surrounded(sky, time)
    inertia, stored = inertia_and_stored(phases, y, 0.0, parts, work)
    inverse = 1.0 / parts[LEAST]
    field = norm(three_at(here, FIELD))
    torque = norm(three_at(work, WRENCH + 3)) + norm(three_at(work, WRENCH + 9))
    own = loads.dipole(ZERO, parts, LOADS)
    torque += phases.dipole_bound(norm(own), parts, internal, work) * field
    press = (norm(three_at(work, WRENCH)) + norm(three_at(work, WRENCH + 6))) / parts[MASS]
    torque, press, motors, loss, tilt = phases.load_bounds(
        (torque, press, 0.0, 0.0, 0.0), parts, work
    )
    torque += loads.bound(motors, parts, LOADS, whole_at(sky, parts[MASS]), inertia, here)
    if phases.magnetic(parts):
        most, _ = phases.magnetic_bounds((0.0, 0.0), parts, field, 0.0, duration)
        torque += most * field
    rate, nutation = turn_bounds(inertia, stored, omega, torque, motors, inverse, duration)
    swing = drain = loops = 0.0
    if moves(phases, parts):
        swing, drain = phases.swing_bound(parts[SWING], parts, y, press, omega), parts[DRAIN]
    if phases.magnetic(parts):
        changes = norm(three_at(here, FIELD_RATE)) + rate * field
        _, loops = phases.magnetic_bounds((0.0, 0.0), parts, field, changes, duration)
    turning, whirling, slowing = steps_to_turn(
        parts[ACCURACY], inertia, stored, omega, torque, motors, loss, rate, nutation, inverse,
        duration,
    )  # fmt: skip
    steps = max(
        turning, whirling, tilt * duration / LARGEST_TILT, slowing,
        swing * duration / LARGEST_SWING, drain * duration / LARGEST_DRAIN, loops,
    )  # fmt: skip
    bend = bend_of(rate, nutation, torque, inverse)
    if not steps < MOST_STEPS:  # also where the rate overflows
        return MOST_STEPS, 0.0, field
    return max(1, int(math.ceil(steps))), bend, field


@part
def load(
    phases: Phases, state: Array, internal: Array, parts: Array, wrench: Array, y: Array,
    work: Array,
) -> None:  # fmt: skip
    """Write y and `work` from a flat state (13,), internal states and wrench."""
    for j in range(SIZE):
        y[j] = state[j]
    for j in range(12):
        work[WRENCH + j] = wrench[j]
    value, state_at = int(parts[VALUES]) - BOOK_SIZE, int(parts[STATES]) - BOOK_SIZE
    for j in range(BOOK_SIZE):
        y[value + j] = internal[state_at + j]
    phases.load(parts, internal, y, work)
    lock(phases, parts, work)


@part
def keep(
    phases: Phases, state: Array, internal: Array, parts: Array, y: Array, work: Array
) -> None:
    """Write a flat state and internal states from y and `work`."""
    for j in range(0, SIZE - 1, 4):
        put_four(state, j, four_at(y, j))
    state[SIZE - 1] = y[SIZE - 1]
    value, state_at = int(parts[VALUES]) - BOOK_SIZE, int(parts[STATES]) - BOOK_SIZE
    for j in range(BOOK_SIZE):
        internal[state_at + j] = y[value + j]
    phases.keep(parts, internal, y, work)


@helper
def take_commands(
    phases: Phases, y: Array, parts: Array, work: Array, internal: Array, commands: Array,
    duration: float, omega: Floats,
) -> Floats:  # fmt: skip
    """Take the commands of a tick; return ω, three floats, body axes.

    A rate that jumps is work of motors.

    omega: ω before them
    """
    hold(phases, y, 0.0, parts, work, omega)  # an impulse on the body has changed ω
    before = 0.0
    if phases.jumps(parts):
        before = energy(phases, y, parts, work, omega)
    if phases.command(False, parts, internal, y, work, commands, omega, duration):
        omega = angular_velocity(phases, y, parts, work)
        hold(phases, y, 0.0, parts, work, omega)
        after = energy(phases, y, parts, work, omega)
        y[int(parts[VALUES]) - BOOK_SIZE] += after - before
    return omega


@part
def release_held(
    phases: Phases, y: Array, slope: Array, parts: Array, work: Array, sky: Array, here: Floats,
    begin: Array, events: int,
) -> int:  # fmt: skip
    """Release parts that cannot be held any longer; return the events that are left.

    begin: (n,) dy/dt at the beginning of the step, written
    """
    slopes(phases, y, 0.0, begin, parts, work, sky, here)
    slot, k = worst(phases, parts, work, True)
    while k >= 0 and events > 0:
        events -= 1
        change_mode(phases, y, slope, slot, k, parts, work, sky, here)
        slopes(phases, y, 0.0, begin, parts, work, sky, here)
        slot, k = worst(phases, parts, work, True)
    return events


@part
def step_to_event(
    phases: Phases, y: Array, step: float, parts: Array, work: Array, internal: Array, sky: Array,
    time: float, stage: Array, seen: Array, soon: float, events: int,
) -> tuple[float, Floats, int, int]:  # fmt: skip
    """Take a step of at most `step` seconds into `stage`, which ends at its earliest event.

    Return its length, ω at its end, and the slot and index of the part of the event, or -1, -1.
    """
    for j in range(int(parts[WORK_SIZE])):
        seen[j] = work[j]
    omega = stepped(phases, y, step, parts, work, sky, time, stage)
    slot, k = worst(phases, parts, work, False) if events > 0 else (-1, -1)
    last = (slot, k)
    while k >= 0:  # until the earliest event of the step is found
        last = (slot, k)
        start = phases.excess(slot, k, parts, seen)
        step = located(
            phases, y, step, slot, k, start, parts, work, internal, sky, time, stage, seen, soon
        )
        for j in range(int(parts[WORK_SIZE])):
            work[j] = seen[j]
        omega = tried(phases, y, step, parts, work, internal, sky, time, stage)
        slot, k = worst(phases, parts, work, False)
        if slot == last[0] and k == last[1]:
            break
    return step, omega, last[0], last[1]


@helper
def taken(
    phases: Phases, y: Array, slope: Array, step: float, parts: Array, work: Array,
    internal: Array, sky: Array, time: float, stage: Array, seen: Array, instants: Array,
    soon: float, events: int, omega: Floats, changed: bool,
) -> tuple[float, Floats, int, int, int]:  # fmt: skip
    """Take a step of at most `step` seconds in y, without events if there are none.

    Return its length, ω at its end, slot and index of the part of its event or -1, -1, and the
    events that are left.

    omega: ω now, unless `changed`, after an event;  time: of the orbit [s]
    """
    if not changed:
        smooth, ahead = glided(phases, y, step, parts, work, sky, time, stage, instants, omega)
        if not rarely(not smooth):
            return step, ahead, -1, -1, events
    instants[SCALE] = 0.0
    return taken_with_events(
        phases, y, slope, step, parts, work, internal, sky, time, stage, seen, soon, events
    )


@part
def taken_with_events(
    phases: Phases, y: Array, slope: Array, step: float, parts: Array, work: Array,
    internal: Array, sky: Array, time: float, stage: Array, seen: Array, soon: float, events: int,
) -> tuple[float, Floats, int, int, int]:  # fmt: skip
    """Do what `taken` does, where there may be events."""
    here = surrounded(sky, time)
    begin = from_index(stage, int(parts[VALUES]))
    events = release_held(phases, y, slope, parts, work, sky, here, begin, events)
    step, omega, slot, number = step_to_event(
        phases, y, step, parts, work, internal, sky, time, stage, seen, soon, events
    )
    hold(phases, stage, step, parts, work, omega)
    for j in range(int(parts[VALUES])):
        y[j] = stage[j]
    return step, omega, slot, number, events


@part
def change_at_event(
    phases: Phases, y: Array, slope: Array, slot: int, number: int, parts: Array, work: Array,
    internal: Array, sky: Array, time: float,
) -> None:  # fmt: skip
    """Change the mode of the part whose event has ended a step; time: of the orbit [s]."""
    here = surrounded(sky, time)
    draw_lines(phases, y, 0.0, parts, work, internal)
    slopes(phases, y, 0.0, slope, parts, work, sky, here)
    change_mode(phases, y, slope, slot, number, parts, work, sky, here)


@helper
def room_for(n: int, m: int) -> int:
    """Return the size of `room` of `tick`; n, m: sizes of y and work."""
    return 7 * n + 2 * m + INSTANTS_SIZE


@helper
def begun(
    phases: Phases, state: Array, internal: Array, parts: Array, wrench: Array, sky: Array,
    y: Array, work: Array, instants: Array, again: bool,
) -> Floats:  # fmt: skip
    """Write y and `work` when a tick begins; return ω, three floats, body axes.

    What the tick before left there is what would be written, and no tick ends with an event.
    """
    if again and not phases.fleeting(parts):
        for j in range(0, 12, 4):
            put_four(work, WRENCH + j, four_at(wrench, j))
        if instants[SPAN_BEGAN] != sky[BEGIN]:
            instants[LAST_TIME] = math.nan
        return three_at(instants, OMEGA)
    instants[LAST_TIME], instants[SCALE] = math.nan, 0.0
    return begin_anew(phases, state, internal, parts, wrench, y, work)


@part
def begin_anew(
    phases: Phases, state: Array, internal: Array, parts: Array, wrench: Array, y: Array,
    work: Array,
) -> Floats:  # fmt: skip
    """Write y and `work` from flat and internal states, whatever was there; return ω."""
    for j in range(int(parts[WORK_SIZE])):
        work[j] = 0.0
    load(phases, state, internal, parts, wrench, y, work)
    return angular_velocity(phases, y, parts, work)


@part
def tick(
    phases: Phases, state: Array, internal: Array, parts: Array, commands: Array, wrench: Array,
    sky: Array, time: float, duration: float, substeps: int, end: Array, more: int, room: Array,
    again: bool,
) -> None:  # fmt: skip
    """Advance `state` and `internal` in place; see kernels.advance.

    end: (15,) of END, written;  more: how many numbers of Kind.report follow, 0 for none; below 0
        nothing is written
    room: scratch memory of room_for(n, m) numbers;  n, m: sizes of y and work
    again: whether it is as the tick before left it, which ended here
    """
    n, size = int(parts[VALUES]), int(parts[WORK_SIZE])
    y, slope, stage = room, from_index(room, n), from_index(room, 2 * n)
    work, seen = from_index(room, 7 * n), from_index(room, 7 * n + size)
    instants = from_index(room, 7 * n + 2 * size)
    soon = RESOLUTION * duration
    omega = begun(phases, state, internal, parts, wrench, sky, y, work, instants, again)
    omega = take_commands(phases, y, parts, work, internal, commands, duration, omega)
    bend = field = 0.0
    if substeps < 1:
        substeps, bend, field = step_count(
            phases, y, parts, internal, work, sky, time, omega, duration
        )
    h = duration / substeps
    slot = number = -1
    t, k, events = 0.0, 0, MOST_EVENTS * phases.events(0, parts)
    while k < substeps:
        now = time + t
        if parts[SWITCHING] > 0.0:
            phases.switch(parts, internal, work, commands, t, now, soon)
        left = (duration if k == substeps - 1 else (k + 1) * h) - t
        step, whole = piece_of(phases, left, parts, internal, work, t, now, soon, field, bend)
        draw_lines(phases, y, step, parts, work, internal)
        step, omega, slot, number, events = taken(
            phases, y, slope, step, parts, work, internal, sky, now, stage, seen, instants, soon,
            events, omega, number >= 0,
        )  # fmt: skip
        phases.elapse(parts, internal, work, step)
        if number >= 0:
            events -= 1
            whole = False
            change_at_event(
                phases, y, slope, slot, number, parts, work, internal, sky, time + t + step
            )
        t = t + step
        if whole:
            k += 1
            t = k * h
    if more >= 0:
        write_end(
            phases, y, slope, parts, work, internal, sky, time + duration, instants, omega,
            number < 0, more, end,
        )  # fmt: skip
    keep(phases, state, internal, parts, y, work)
    put(instants, OMEGA, omega)
    instants[SPAN_BEGAN] = sky[BEGIN]
