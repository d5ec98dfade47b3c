# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The momentum form for LANES bodies side by side, several of them in one vector instruction.

The functions are those that equations/momentum.py calls for one body, in the same order, so each
body gets the same bits as alone. Only the loops differ: over lanes inside, over sub-steps
outside, on an array of ROWS by LANES whose size the compiler knows.
"""

import math

from spacecraft_attitude_sim.core.batch import run_summary
from spacecraft_attitude_sim.core.equations import momentum
from spacecraft_attitude_sim.core.equations.shared import coasting, limits
from spacecraft_attitude_sim.core.equations.shared.principal_frame import (
    MOST_STEPS,
    from_principal_axes,
    in_principal_axes,
    leaves_free,
    steps_for,
    wrench_in_principal_axes,
)
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
from spacecraft_attitude_sim.kernels import columns
from spacecraft_attitude_sim.kernels.branches import selected
from spacecraft_attitude_sim.kernels.kernel import helper, part

LANES = columns.LANES
# Rows kept between calls: flat state, body and wrench of core.body, and gravity's force.
KEPT = Layout(
    position_W=3, q_WB=4, momentum_W=3, angular_momentum_W=3, body=12, wrench=12, weight=3
)
KEPT_SIZE = KEPT.size
STATE, MOMENTA, BODY, WRENCH, WEIGHT = KEPT.places(
    'position_W', 'momentum_W', 'body', 'wrench', 'weight'
)
# Working rows: y and the wrench in principal axes, length and number of sub-steps, a record of
# core.batch.run_summary.
ROWS = Layout(**KEPT.widths, y=13, turned=12, step=1, steps=1, record=run_summary.SIZE)
ROWS_SIZE = ROWS.size
Y, TURNED, STEP, STEPS, RECORD = ROWS.places('y', 'turned', 'step', 'steps', 'record')
# For a body that coasts, in place of the wrench: q, g and r of core.equations.shared.coasting.
Q, G, R = (TURNED + place for place in Layout(q=4, g=3, r=4).places())


def fill_up(blocks: Array) -> None:
    """Fill every unused lane of new blocks (M, KEPT_SIZE, LANES) with a body at rest."""
    blocks[:, STATE + 3] = 1.0
    blocks[:, BODY : BODY + 5] = 1.0
    blocks[:, BODY + 8 : BODY + 12] = 1.0


@helper
def thirteen(w: Array, k: int, i: int) -> Floats:
    """Return thirteen floats of lane i from row k on."""
    return (
        w[k, i], w[k + 1, i], w[k + 2, i], w[k + 3, i], w[k + 4, i], w[k + 5, i], w[k + 6, i],
        w[k + 7, i], w[k + 8, i], w[k + 9, i], w[k + 10, i], w[k + 11, i], w[k + 12, i],
    )  # fmt: skip


@helper
def twelve(w: Array, k: int, i: int) -> Floats:
    """Return twelve floats of lane i from row k on."""
    return (
        w[k, i], w[k + 1, i], w[k + 2, i], w[k + 3, i], w[k + 4, i], w[k + 5, i],
        w[k + 6, i], w[k + 7, i], w[k + 8, i], w[k + 9, i], w[k + 10, i], w[k + 11, i],
    )  # fmt: skip


@helper
def four(w: Array, k: int, i: int) -> Floats:
    """Return four floats of lane i from row k on."""
    return (w[k, i], w[k + 1, i], w[k + 2, i], w[k + 3, i])


@helper
def put_thirteen(w: Array, k: int, i: int, y: Floats) -> None:
    """Write thirteen floats to lane i from row k on."""
    w[k, i], w[k + 1, i], w[k + 2, i], w[k + 3, i] = y[0], y[1], y[2], y[3]
    w[k + 4, i], w[k + 5, i], w[k + 6, i], w[k + 7, i] = y[4], y[5], y[6], y[7]
    w[k + 8, i], w[k + 9, i], w[k + 10, i], w[k + 11, i] = y[8], y[9], y[10], y[11]
    w[k + 12, i] = y[12]


@helper
def chosen(on: bool, z: Floats, y: Floats) -> Floats:
    """Return z for a lane that has sub-steps left, else y, thirteen floats each."""
    return (
        selected(on, z[0], y[0]), selected(on, z[1], y[1]), selected(on, z[2], y[2]),
        selected(on, z[3], y[3]), selected(on, z[4], y[4]), selected(on, z[5], y[5]),
        selected(on, z[6], y[6]), selected(on, z[7], y[7]), selected(on, z[8], y[8]),
        selected(on, z[9], y[9]), selected(on, z[10], y[10]), selected(on, z[11], y[11]),
        selected(on, z[12], y[12]),
    )  # fmt: skip


@helper
def put_four(w: Array, k: int, i: int, q: Floats) -> None:
    """Write four floats to lane i from row k on."""
    w[k, i], w[k + 1, i], w[k + 2, i], w[k + 3, i] = q[0], q[1], q[2], q[3]


@helper
def acting(w: Array, i: int) -> Floats:
    """Return the wrench on lane i, gravity included, as twelve floats."""
    held = twelve(w, WRENCH, i)
    return (
        held[0], held[1], held[2], held[3], held[4], held[5],
        held[6] + w[WEIGHT, i], held[7] + w[WEIGHT + 1, i], held[8] + w[WEIGHT + 2, i],
        held[9], held[10], held[11],
    )  # fmt: skip


@helper
def free_lanes(w: Array) -> int:
    """Return the number of lanes without torque and body-fixed force."""
    free = 0
    for i in range(LANES):
        free += leaves_free(acting(w, i))
    return free


@helper
def count_steps(w: Array, duration: float, substeps: int) -> tuple[int, int]:
    """Choose the sub-steps of every lane; return the largest and the smallest number."""
    most, least = 0.0, 1e9
    for i in range(LANES):
        steps = float(substeps)
        if substeps < 1 and is_lost(w, i):
            steps = 1.0
        elif substeps < 1:
            state, body = thirteen(w, STATE, i), twelve(w, BODY, i)
            angle = momentum.SUBSTEP_ANGLE
            steps = float(steps_for(angle, state, body, acting(w, i), duration))
        w[STEPS, i] = steps
        w[STEP, i] = duration / steps
        most, least = max(most, steps), min(least, steps)
    return int(most), int(least)


@helper
def is_lost(w: Array, i: int) -> bool:
    """Return whether lane i was given up: all its numbers are nan."""
    return w[STATE + 3, i] != w[STATE + 3, i]


@helper
def give_up_lanes(w: Array, duration: float, substeps: int) -> None:
    """Mark as lost (nan) the lanes whose motion core.simulation.limits.check_motion would end."""
    steps = substeps if substeps > 0 else MOST_STEPS
    rate = steps * math.pi / duration
    tame = 0
    for i in range(LANES):
        tame += limits.is_tame(thirteen(w, STATE, i), twelve(w, BODY, i), rate)
    if tame < LANES:
        give_up(w, rate)


@part
def give_up(w: Array, rate: float) -> None:
    """Do what give_up_lanes does, lane by lane."""
    for i in range(LANES):
        if not limits.is_followed(thirteen(w, STATE, i), twelve(w, BODY, i), rate):
            for k in range(13):
                w[STATE + k, i] = math.nan


@helper
def advance_lanes(w: Array, duration: float, substeps: int) -> None:
    """Advance every lane by `duration`, in `substeps` sub-steps or those that each chooses (0).

    A body that coasts alone must coast here, too: where both kinds are present, lanes are advanced
        one
    by one.
    """
    most, least = count_steps(w, duration, substeps)
    free = free_lanes(w)
    if free == LANES:
        coast(w, duration, most, least)
    elif free == 0:
        push(w, most)
    else:
        one_by_one(w, duration)


@part
def one_by_one(w: Array, duration: float) -> None:
    """Advance lanes one by one, where some coast and some do not."""
    for i in range(LANES):
        state, body, wrench = thirteen(w, STATE, i), twelve(w, BODY, i), acting(w, i)
        put_thirteen(
            w, STATE, i, momentum.advanced(state, body, wrench, duration, int(w[STEPS, i]))
        )


@helper
def coast(w: Array, duration: float, most: int, least: int) -> None:
    """Advance lanes without torque."""
    for i in range(LANES):
        body = twelve(w, BODY, i)
        y = in_principal_axes(thirteen(w, STATE, i), body)
        q, g, r = coasting.begin(y, w[STEP, i], body)
        put_thirteen(w, Y, i, y)
        put_four(w, Q, i, q)
        w[G, i], w[G + 1, i], w[G + 2, i] = g[0], g[1], g[2]
        put_four(w, R, i, r)
    for _ in range(least):
        for i in range(LANES):
            q = coasting.step(four(w, Q, i), (w[G, i], w[G + 1, i], w[G + 2, i]))
            put_four(w, Q, i, q)
    for index in range(least, most):
        for i in range(LANES):
            a = four(w, Q, i)
            q = coasting.step(a, (w[G, i], w[G + 1, i], w[G + 2, i]))
            on = index < w[STEPS, i]
            w[Q, i], w[Q + 1, i] = selected(on, q[0], a[0]), selected(on, q[1], a[1])
            w[Q + 2, i], w[Q + 3, i] = selected(on, q[2], a[2]), selected(on, q[3], a[3])
    for i in range(LANES):
        body = twelve(w, BODY, i)
        y = coasting.end(
            thirteen(w, Y, i), four(w, Q, i), four(w, R, i), duration, body, acting(w, i)
        )
        put_thirteen(w, STATE, i, from_principal_axes(y, body))


@helper
def push(w: Array, most: int) -> None:
    """Advance lanes under wrenches."""
    for i in range(LANES):
        body = twelve(w, BODY, i)
        put_thirteen(w, Y, i, in_principal_axes(thirteen(w, STATE, i), body))
        t = wrench_in_principal_axes(acting(w, i), body)
        put_four(w, TURNED, i, t[0:4])
        put_four(w, TURNED + 4, i, t[4:8])
        put_four(w, TURNED + 8, i, t[8:12])
    for index in range(most):
        for i in range(LANES):
            y = thirteen(w, Y, i)
            z = momentum.rk4(y, w[STEP, i], four(w, BODY, i), twelve(w, TURNED, i))
            put_thirteen(w, Y, i, chosen(index < w[STEPS, i], z, y))
    for i in range(LANES):
        put_thirteen(w, STATE, i, from_principal_axes(thirteen(w, Y, i), twelve(w, BODY, i)))
