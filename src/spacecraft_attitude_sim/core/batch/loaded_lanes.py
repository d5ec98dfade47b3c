# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Gyrostats and bodies in orbits, LANES of them side by side, as lanes.py does for rigid bodies.

The functions are those that equations/loaded.py calls for one body, in the same order, so each
body gets the bits it would get alone.
"""

import math

from spacecraft_attitude_sim.core.actuators.actuator import GYROSTAT
from spacecraft_attitude_sim.core.batch import run_summary
from spacecraft_attitude_sim.core.batch.lanes import (
    BODY,
    LANES,
    RECORD,
    ROWS,
    STATE,
    STEP,
    STEPS,
    TURNED,
    WEIGHT,
    WRENCH,
    Y,
    acting,
    chosen,
    four,
    is_lost,
    put_four,
    put_thirteen,
    thirteen,
    twelve,
)
from spacecraft_attitude_sim.core.environment.circular_orbit import CIRCLE, radial_of
from spacecraft_attitude_sim.core.equations import loaded
from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.equations.shared.principal_frame import (
    MOST_STEPS,
    body_momentum,
    from_principal_axes,
    in_principal_axes,
    wrench_in_principal_axes,
)
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import moved_vector, norm
from spacecraft_attitude_sim.kernels.kernel import helper, part

# A wheel, in the rows of an array (n, WHEEL.size, LANES): its axial momentum now [N m s], spin
# axis, axial inertia [kg m^2], and torque of the motor [N m].
WHEEL = Layout(momentum=1, axis_B=3, inertia=1, torque=1)
MOMENTUM, AXIS, INERTIA, TORQUE = WHEEL.places('momentum', 'axis_B', 'inertia', 'torque')
# Working rows besides those of lanes.py: the sums over the wheels in body axes and, at the
# beginning of a tick, in principal axes; the load of the orbit, and cosine and sine of the orbit
# angle at the beginning, the middle and the end of a sub-step; rate and energy at a tick.
LOADED = Layout(
    **ROWS.widths, inside=GYROSTAT.size, inside_P=GYROSTAT.size, gradient=CIRCLE.size,
    begin=2, middle=2, end=2, rate=1, energy=1,
)  # fmt: skip
LOADED_SIZE = LOADED.size
INSIDE, INSIDE_P, GRADIENT, BEGIN, MIDDLE, END, RATE, ENERGY = LOADED.places(
    'inside', 'inside_P', 'gradient', 'begin', 'middle', 'end', 'rate', 'energy'
)
STORED, MOTORS = GYROSTAT.at('momentum_B'), GYROSTAT.at('torque_B')
ORBIT_RATE = GRADIENT + CIRCLE.at('rate')


@helper
def three(w: Array, k: int, i: int) -> Floats:
    """Return three floats of lane i from row k on."""
    return (w[k, i], w[k + 1, i], w[k + 2, i])


@helper
def put_three(w: Array, k: int, i: int, v: Floats) -> None:
    """Write three floats to lane i from row k on."""
    w[k, i], w[k + 1, i], w[k + 2, i] = v[0], v[1], v[2]


@helper
def add_up(w: Array, k: int, wheels: Array, row: int) -> None:
    """Write Σ amount_i a_i to three rows from k on, added wheel by wheel as ReactionWheels does.

    row: of the amounts in WHEEL
    """
    for i in range(LANES):
        put_three(w, k, i, (0.0, 0.0, 0.0))
    for n in range(len(wheels)):
        for i in range(LANES):
            axis = (wheels[n, AXIS, i], wheels[n, AXIS + 1, i], wheels[n, AXIS + 2, i])
            put_three(w, k, i, moved_vector(three(w, k, i), wheels[n, row, i], axis))


@helper
def drive_wheels(wheels: Array, duration: float) -> None:
    """Advance the momentum of every wheel by its motor's torque over `duration`."""
    for n in range(len(wheels)):
        for i in range(LANES):
            wheels[n, MOMENTUM, i] += duration * wheels[n, TORQUE, i]


@helper
def fly(w: Array, k: int, time: float, index: int, fraction: float) -> None:
    """Write cosine and sine of the orbit angle at a fraction of a sub-step to rows k and k + 1.

    time: at the beginning of the tick [s];  index: of the sub-step
    """
    before, c, s = 0.0, 1.0, 0.0
    for i in range(LANES):
        h = w[STEP, i]
        angle = w[ORBIT_RATE, i] * (time + (index * h + fraction * h))
        # Most bodies of a batch are in the same orbit: copy the previous lane's values then.
        if angle != before:
            c, s = math.cos(angle), math.sin(angle)
            before = angle
        w[k, i], w[k + 1, i] = c, s


@helper
def radial(w: Array, k: int, i: int) -> Floats:
    """Return the unit vector from the planet of lane i; cosine and sine: rows k and k + 1."""
    return radial_of(thirteen(w, GRADIENT, i), w[k, i], w[k + 1, i])


@helper
def count_steps(w: Array, duration: float, substeps: int) -> int:
    """Choose the sub-steps of every lane; return the largest number."""
    most = 0.0
    for i in range(LANES):
        steps = float(substeps)
        if substeps < 1 and is_lost(w, i):
            steps = 1.0
        elif substeps < 1:
            steps = float(loaded.steps_of(
                thirteen(w, Y, i), four(w, BODY, i), acting(w, i), three(w, INSIDE_P + STORED, i),
                three(w, INSIDE_P + MOTORS, i), thirteen(w, GRADIENT, i), duration,
            ))  # fmt: skip
        w[STEPS, i] = steps
        w[STEP, i] = duration / steps
        most = max(most, steps)
    return int(most)


@helper
def turn_loads(w: Array) -> None:
    """Turn the loads of a tick, wrenches and motor torques, to principal axes."""
    for i in range(LANES):
        body = twelve(w, BODY, i)
        t = wrench_in_principal_axes(acting(w, i), body)
        put_four(w, TURNED, i, t[0:4])
        put_four(w, TURNED + 4, i, t[4:8])
        put_four(w, TURNED + 8, i, t[8:12])
        motors = loaded.vector_in_principal_axes(three(w, INSIDE + MOTORS, i), 0, body)
        put_three(w, INSIDE_P + MOTORS, i, motors)


@helper
def advance_lanes(w: Array, time: float, duration: float, substeps: int) -> None:
    """Advance every lane by `duration`, in `substeps` sub-steps or those that each chooses (0).

    time: orbit time at the beginning [s], to which BEGIN belongs
    """
    for i in range(LANES):
        body = twelve(w, BODY, i)
        put_thirteen(w, Y, i, in_principal_axes(thirteen(w, STATE, i), body))
        stored = loaded.vector_in_principal_axes(three(w, INSIDE + STORED, i), 0, body)
        put_three(w, INSIDE_P + STORED, i, stored)
    for index in range(count_steps(w, duration, substeps)):
        fly(w, MIDDLE, time, index, 0.5)
        fly(w, END, time, index, 1.0)
        step_lanes(w, index)
    for i in range(LANES):
        put_thirteen(w, STATE, i, from_principal_axes(thirteen(w, Y, i), twelve(w, BODY, i)))


@helper
def step_lanes(w: Array, index: int) -> None:
    """Take one sub-step of every lane that has sub-steps left."""
    for i in range(LANES):
        y, h, motors = thirteen(w, Y, i), w[STEP, i], three(w, INSIDE_P + MOTORS, i)
        now = moved_vector(three(w, INSIDE_P + STORED, i), index * h, motors)
        radials = (radial(w, BEGIN, i), radial(w, MIDDLE, i), radial(w, END, i))
        z = loaded.rk4(
            y, h, four(w, BODY, i), twelve(w, TURNED, i), now, motors, thirteen(w, GRADIENT, i),
            radials,
        )  # fmt: skip
        put_thirteen(w, Y, i, chosen(index < w[STEPS, i], z, y))
    for i in range(LANES):
        w[BEGIN, i], w[BEGIN + 1, i] = w[END, i], w[END + 1, i]


@helper
def seen(w: Array, i: int) -> tuple[Floats, Floats, Floats]:
    """Return flat state, flat body and stored momentum in body axes of lane i."""
    return thirteen(w, STATE, i), twelve(w, BODY, i), three(w, INSIDE + STORED, i)


@helper
def turning_momentum(state: Floats, body: Floats, stored: Floats) -> Floats:
    """Return L minus the stored momentum, principal axes, three floats; stored: in body axes."""
    stored_P = loaded.vector_in_principal_axes(stored, 0, body)
    return moved_vector(body_momentum(in_principal_axes(state, body)), -1.0, stored_P)


@helper
def is_followed(state: Floats, body: Floats, stored: Floats, rate: float) -> bool:
    """Return whether Loaded.advance would raise nothing; rate: the largest [rad/s]."""
    m = turning_momentum(state, body, stored)
    turning = norm((body[1] * m[0], body[2] * m[1], body[3] * m[2]))
    size = norm((state[10], state[11], state[12]))
    bound = rate + size / min(body[9], body[10], body[11])
    return (turning < rate) & limits.is_tame(state, body, bound)


@helper
def is_slow(state: Floats, body: Floats, stored: Floats, rate: float) -> bool:
    """Return whether is_followed is certain: L and stored momentum are far below such a rate."""
    least = 0.25 * rate * min(body[9], body[10], body[11])
    h2 = stored[0] * stored[0] + stored[1] * stored[1] + stored[2] * stored[2]
    return (h2 < least * least) & limits.is_tame(state, body, 0.25 * rate)


@helper
def give_up_lanes(w: Array, wheels: Array, duration: float, substeps: int) -> None:
    """Mark as lost (nan) the lanes whose motion core.simulation.limits.check_motion would end."""
    rate = (substeps if substeps > 0 else MOST_STEPS) * math.pi / duration
    slow = 0
    for i in range(LANES):
        state, body, stored = seen(w, i)
        slow += is_slow(state, body, stored, rate)
    if slow < LANES:
        give_up(w, wheels, rate)


@part
def give_up(w: Array, wheels: Array, rate: float) -> None:
    """Do what give_up_lanes does, lane by lane."""
    for i in range(LANES):
        state, body, stored = seen(w, i)
        if not is_followed(state, body, stored, rate):
            for k in range(13):
                w[STATE + k, i] = math.nan
            for n in range(len(wheels)):
                wheels[n, MOMENTUM, i] = math.nan


@helper
def look(w: Array, wheels: Array) -> None:
    """Write rate and energy of every lane to RATE and ENERGY; BEGIN is at this instant.

    In an orbit the energy is Jacobi's integral T + V - n n̂·L, which is conserved.
    """
    for i in range(LANES):
        state, body, stored = seen(w, i)
        m = turning_momentum(state, body, stored)
        turning = (body[1] * m[0], body[2] * m[1], body[3] * m[2])
        w[RATE, i] = norm(turning)
        w[ENERGY, i] = run_summary.mechanical_energy(state, body, three(w, WEIGHT, i), turning, m)
    for n in range(len(wheels)):
        for i in range(LANES):
            momentum = wheels[n, MOMENTUM, i]
            w[ENERGY, i] += 0.5 * momentum * momentum / wheels[n, INERTIA, i]
    for i in range(LANES):
        y = in_principal_axes(thirteen(w, STATE, i), twelve(w, BODY, i))
        w[ENERGY, i] += loaded.orbital_energy(y, thirteen(w, GRADIENT, i), radial(w, BEGIN, i))


@helper
def motion(w: Array, i: int) -> tuple[Floats, float, float]:
    """Return run_summary.motion of lane i, after `look`."""
    y = in_principal_axes(thirteen(w, STATE, i), twelve(w, BODY, i))
    return body_momentum(y), w[RATE, i], w[ENERGY, i]


@part
def begin_records(w: Array, wheels: Array, settled_rate: float) -> None:
    """Begin the record of every lane."""
    look(w, wheels)
    for i in range(LANES):
        run_summary.begin_record(w, RECORD, i, thirteen(w, STATE, i), motion(w, i), settled_rate)


@helper
def follow_lanes(w: Array, wheels: Array, tick: int, settled_rate: float) -> None:
    """Update the record of every lane at a tick, counted from the start."""
    look(w, wheels)
    for i in range(LANES):
        run_summary.follow(
            w, RECORD, i, tick, thirteen(w, STATE, i), motion(w, i), twelve(w, WRENCH, i),
            settled_rate,
        )  # fmt: skip
