# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Loads and motion at the end of a tick (END), for IMU and telemetry.

After a step of smooth.glided they are found four numbers at once, with the bits of `find_end`,
which serves every case. Arguments are those of derivatives.slopes and smooth.glided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.environment.loads import registry as loads
from spacecraft_attitude_sim.core.environment.loads.load import (
    FIELD,
    NOTHING,
    ZERO,
    to_body,
    turn_of,
)
from spacecraft_attitude_sim.core.environment.loads.residual_dipole import field_torque
from spacecraft_attitude_sim.core.environment.sky import INERTIA, whole_at
from spacecraft_attitude_sim.core.equations.multibody import moving_origin
from spacecraft_attitude_sim.core.equations.multibody.derivatives import (
    WRENCH,
    acceleration,
    moves,
    slopes,
)
from spacecraft_attitude_sim.core.equations.multibody.smooth import (
    LAST,
    LAST_TIME,
    SCALE,
    inverse_at,
    surrounded_again,
    turn_at,
    usual,
    usual_loads,
)
from spacecraft_attitude_sim.core.equations.multibody.step import draw_lines
from spacecraft_attitude_sim.core.mathematics.vector_fours import (
    cross_four,
    symmetric_columns,
    three_of,
    times_four,
    vector_four,
)
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    put,
    scaled,
    six_at,
    three_at,
)
from spacecraft_attitude_sim.core.parts.craft import DIPOLE, END, FORCE, LOADS, MASS, TORQUE
from spacecraft_attitude_sim.kernels.branches import rarely
from spacecraft_attitude_sim.kernels.fours import four_at, put_four
from spacecraft_attitude_sim.kernels.kernel import helper, part
from spacecraft_attitude_sim.kernels.pointers import from_index

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.kind import Phases

END_SIZE = END.size


@part
def write_end(
    phases: Phases, y: Array, slope: Array, parts: Array, work: Array, internal: Array, sky: Array,
    time: float, instants: Array, omega: Floats, known: bool, more: int, end: Array,
) -> None:  # fmt: skip
    """Write END, and behind it `more` numbers of Kind.report; known: of `find_end`."""
    draw_lines(phases, y, 0.0, parts, work, internal)
    calm = known and instants[SCALE] > 0.0 and instants[LAST_TIME] == time
    if rarely(not (calm and found_calmly(phases, y, parts, work, sky, instants, omega, end))):
        here = surrounded_again(phases, parts, sky, time, instants)
        find_end(phases, y, slope, parts, work, sky, here, omega, known, end)
    if more > 0:
        phases.report(parts, work, from_index(end, END_SIZE))


@helper
def found_calmly(
    phases: Phases, y: Array, parts: Array, work: Array, sky: Array, instants: Array,
    omega: Floats, end: Array,
) -> bool:  # fmt: skip
    """Do what `find_end` does after a step of smooth.glided, if loads are `usual`; return whether.

    Every sum has the numbers of `find_end` in its order, zeros included.
    """
    if not usual(phases, parts, work):
        return False
    here, spin = from_index(instants, LAST), vector_four(omega)
    turn = turn_at(instants)
    u, _, rows = turn
    whole = symmetric_columns(six_at(sky, INERTIA))
    torque, _ = usual_loads(four_at(y, 0), turn, 0.0, parts, work, whole, here)
    torque = torque + times_four(rows, three_at(work, WRENCH + 9)) * u
    rest = torque + cross_four(spin, times_four(rows, three_at(y, 10))) * -1.0
    rest, calm = phases.push((rest, True), parts, work)
    columns, scale = inverse_at(instants)
    field_B = times_four(rows, three_at(here, FIELD))
    put_four(end, 0, four_at(work, FORCE))
    put_four(end, 3, four_at(work, TORQUE) + cross_four(four_at(work, DIPOLE), field_B))
    put_four(end, 6, spin)
    put_four(end, 9, times_four(columns, three_of(rest)) * scale)
    put(end, 12, ZERO)
    return calm


@part
def find_end(
    phases: Phases, y: Array, slope: Array, parts: Array, work: Array, sky: Array, here: Floats,
    omega: Floats, known: bool, end: Array,
) -> None:  # fmt: skip
    """Write END: force and torque of actuators, air and sunlight, and the body's motion.

    The lines are drawn, with h = 0.

    omega: ω where it is `known`, and the rates of all parts are written; else it is found
    """
    if known and not (moves(phases, parts) or phases.changes_inertia(parts)):
        alpha = acceleration(phases, y, slope, parts, work, sky, here, omega)
    else:
        omega, alpha = slopes(phases, y, 0.0, slope, parts, work, sky, here)
    turn = turn_of(y, 1.0)
    field_B = to_body(turn, here, FIELD)
    force = three_at(work, FORCE)
    turning = added(three_at(work, TORQUE), field_torque(three_at(work, DIPOLE), field_B))
    velocity = scaled(1.0 / parts[MASS], three_at(y, 7))
    whole = whole_at(sky, parts[MASS])
    press = loads.press(NOTHING, parts, LOADS, whole, y, turn, velocity, here)
    force = added(force, press[0])
    if press[2][0] != 0.0 or press[2][1] != 0.0 or press[2][2] != 0.0:
        force = added(force, to_body(turn, press[2], 0))
    turning = added(turning, press[1])
    for j in range(3):
        end[j], end[3 + j], end[6 + j], end[9 + j] = force[j], turning[j], omega[j], alpha[j]
    put(end, 12, ZERO)
    if moves(phases, parts):
        turned = cross(omega, three_at(work, moving_origin.VELOCITY))
        put(end, 12, added(three_at(work, moving_origin.ACCELERATION), turned))
