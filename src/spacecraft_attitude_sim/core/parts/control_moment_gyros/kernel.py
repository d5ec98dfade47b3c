# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The gimbals of control moment gyros in the compiled step; their rotors are reaction wheels.

γ is the angle of a gimbal about its axis g, p its conjugate momentum, s the spin axis of its
rotor, h = J (Ω + s·ω) the absolute momentum of the rotor, and t = g × s:

    dp/dt = torque + h t·ω + (I_s - I_t) (s·ω)(t·ω)        dγ/dt = p/I_g - g·ω

With a commanded rate, dγ/dt is given and p follows. I_s, I_t and I_g are inertias of gimbal and
rotor, without the spin inertia of the rotor.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import (
    cross,
    dot,
    moved_vector,
    outer_added,
    scaled,
    three_at,
)
from spacecraft_attitude_sim.core.parts.craft import within
from spacecraft_attitude_sim.core.parts.kind import Kind
from spacecraft_attitude_sim.core.parts.reaction_wheels import kernel as wheels
from spacecraft_attitude_sim.core.parts.reaction_wheels.layouts import put_vector, vector_of
from spacecraft_attitude_sim.kernels.kernel import helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.parts.craft import Place

# axis_B: of the gimbal;  spin_B: of the rotor at angle 0;  transverse_B: axis × spin at angle 0
# inertias of gimbal and rotor about spin, transverse and axis, without the rotor's spin inertia
# rotor_row, rotor_work, rotor_value: where the rotor is among the wheels, in constants, working
# memory and y
GIMBAL = Layout(
    axis_B=3, spin_B=3, transverse_B=3, inertia_spin=1, inertia_transverse=1, inertia_axis=1,
    max_rate=1, max_acceleration=1, max_torque=1, rotor_row=1, rotor_work=1, rotor_value=1,
)  # fmt: skip
# momentum: conjugate to the angle [N m s];  rate: relative to the body, where it is commanded
# driven: RATE_DRIVEN where the rate is commanded, TORQUE_DRIVEN where the torque is
GIMBAL_STATE = Layout(angle=1, momentum=1, rate=1, driven=1)
RATE_DRIVEN, TORQUE_DRIVEN = 1.0, 2.0
# Rate [rad/s], and a torque [N m] that replaces the rate unless it is nan.
GIMBAL_COMMAND = Layout(rate=1, torque=1)
# Working memory: rate and acceleration, RATE_DRIVEN or TORQUE_DRIVEN, torque, target rate.
TILTING = Layout(rate=1, acceleration=1, driven=1, torque=1, target=1)
ROW, STATES, WORK_ROW, VALUES = GIMBAL.size, GIMBAL_STATE.size, TILTING.size, 2
AXIS, SPIN, TRANSVERSE = GIMBAL.places('axis_B', 'spin_B', 'transverse_B')
I_S, I_T, I_G = GIMBAL.places('inertia_spin', 'inertia_transverse', 'inertia_axis')
MAX_RATE, MAX_ACCELERATION, MAX_TORQUE = GIMBAL.places(
    'max_rate', 'max_acceleration', 'max_torque'
)
ROTOR_ROW, ROTOR_WORK, ROTOR_VALUE = GIMBAL.places('rotor_row', 'rotor_work', 'rotor_value')
RATE, ACCELERATION, DRIVEN, TORQUE, TARGET = TILTING.places()
RATE_STATE, DRIVEN_STATE = GIMBAL_STATE.places('rate', 'driven')


@helper
def spin_axis(parts: Array, row: int, angle: float) -> Floats:
    """Return the spin axis of the rotor at an angle of the gimbal, three floats, body axes."""
    spin = scaled(math.cos(angle), three_at(parts, row + SPIN))
    return moved_vector(spin, math.sin(angle), three_at(parts, row + TRANSVERSE))


@helper
def rotor_momentum(parts: Array, row: int, y: Array, work: Array, spin: float) -> float:
    """Return the absolute axial momentum of the rotor [N m s]; spin: s·ω [rad/s]."""
    own = int(parts[row + ROTOR_WORK])
    if wheels.turns_freely(work[own + wheels.MODE]):
        return y[int(parts[row + ROTOR_VALUE])]
    return parts[int(parts[row + ROTOR_ROW]) + wheels.J] * (work[own + wheels.SPEED] + spin)


@part
def load(at: Place, parts: Array, internal: Array, y: Array, work: Array) -> None:
    """Write y and work when a tick begins; see Kind."""
    value, state, own = at.value, at.state, at.work
    for _ in range(at.number):
        y[value], y[value + 1] = internal[state], internal[state + 1]
        work[own + RATE] = work[own + TARGET] = internal[state + RATE_STATE]
        work[own + DRIVEN] = internal[state + DRIVEN_STATE]
        value, state, own = value + VALUES, state + STATES, own + WORK_ROW


@part
def keep(at: Place, parts: Array, internal: Array, y: Array, work: Array) -> None:
    """Write internal states when a tick ends; see Kind."""
    value, state, own = at.value, at.state, at.work
    for _ in range(at.number):
        internal[state], internal[state + 1] = wheels.within_a_turn(y[value]), y[value + 1]
        internal[state + RATE_STATE] = work[own + RATE]
        internal[state + DRIVEN_STATE] = work[own + DRIVEN]
        value, state, own = value + VALUES, state + STATES, own + WORK_ROW


@part
def command(
    at: Place, jumps: bool, parts: Array, internal: Array, y: Array, work: Array,
    commands: Array, omega: Floats, duration: float,
) -> bool:  # fmt: skip
    """Take the commands of a tick; return whether the rate of a gimbal jumps."""
    row, own, value, given = at.row, at.work, at.value, at.command
    for _ in range(at.number):
        rate, torque = commands[given], commands[given + 1]
        if work[own + DRIVEN] == TORQUE_DRIVEN:
            along = dot(three_at(parts, row + AXIS), omega)
            work[own + RATE] = y[value + 1] / parts[row + I_G] - along
        work[own + ACCELERATION] = 0.0
        if math.isnan(torque):
            work[own + DRIVEN] = RATE_DRIVEN
            work[own + TARGET] = within(parts[row + MAX_RATE], rate)
            change = work[own + TARGET] - work[own + RATE]
            if change != 0.0:
                if parts[row + MAX_ACCELERATION] < math.inf:
                    fastest = parts[row + MAX_ACCELERATION]
                    work[own + ACCELERATION] = math.copysign(fastest, change)
                else:
                    work[own + RATE] = work[own + TARGET]
                    jumps = True
        else:
            work[own + DRIVEN] = TORQUE_DRIVEN
            work[own + TORQUE] = within(parts[row + MAX_TORQUE], torque)
        row, own, value, given = row + ROW, own + WORK_ROW, value + VALUES, given + 2
    return jumps


@part
def switch(
    at: Place, parts: Array, internal: Array, work: Array, commands: Array, time: float,
    now: float, soon: float,
) -> None:  # fmt: skip
    """Set gimbals that reach their target rate within `soon` to exactly that rate; see Kind."""
    own = at.work
    for _ in range(at.number):
        if work[own + ACCELERATION] != 0.0:
            left = (work[own + TARGET] - work[own + RATE]) / work[own + ACCELERATION]
            if left <= soon:
                work[own + RATE], work[own + ACCELERATION] = work[own + TARGET], 0.0
        own += WORK_ROW


@part
def next_switch(
    at: Place, soonest: float, parts: Array, internal: Array, work: Array, time: float,
    now: float, soon: float,
) -> float:  # fmt: skip
    """Return the time until the next gimbal reaches its target rate [s]; see Kind."""
    own = at.work
    for _ in range(at.number):
        if work[own + ACCELERATION] != 0.0:
            left = (work[own + TARGET] - work[own + RATE]) / work[own + ACCELERATION]
            soonest = min(soonest, left)
        own += WORK_ROW
    return soonest


@part
def elapse(at: Place, parts: Array, internal: Array, work: Array, h: float) -> None:
    """Advance the rates of gimbals by h; see Kind."""
    own = at.work
    for _ in range(at.number):
        work[own + RATE] += work[own + ACCELERATION] * h
        own += WORK_ROW


@part
def orient(at: Place, parts: Array, y: Array, work: Array) -> None:
    """Write the spin axes of the rotors to the wheels' working memory; see Kind."""
    row, value = at.row, at.value
    for _ in range(at.number):
        own = int(parts[row + ROTOR_WORK])
        put_vector(work, own + wheels.AXIS_NOW, spin_axis(parts, row, y[value]))
        row, value = row + ROW, value + VALUES


@part
def store(
    at: Place, sums: tuple[Floats, Floats], parts: Array, y: Array, t: float, work: Array
) -> tuple[Floats, Floats]:
    """Add inertia and momentum of the gimbals; see Kind."""
    inertia, stored = sums
    row, own, value = at.row, at.work, at.value
    for _ in range(at.number):
        g = three_at(parts, row + AXIS)
        s = vector_of(work, int(parts[row + ROTOR_WORK]) + wheels.AXIS_NOW)
        inertia = outer_added(inertia, parts[row + I_S], s)
        inertia = outer_added(inertia, parts[row + I_T], cross(g, s))
        if work[own + DRIVEN] == RATE_DRIVEN:
            inertia = outer_added(inertia, parts[row + I_G], g)
            rate = work[own + RATE] + work[own + ACCELERATION] * t
            stored = moved_vector(stored, parts[row + I_G] * rate, g)
        else:
            stored = moved_vector(stored, y[value + 1], g)
        row, own, value = row + ROW, own + WORK_ROW, value + VALUES
    return inertia, stored


@part
def turn(
    at: Place, sums: tuple[Floats, float, float], parts: Array, y: Array, slope: Array,
    work: Array, omega: Floats, t: float,
) -> tuple[Floats, float, float]:  # fmt: skip
    """Write dγ/dt and dp/dt; add the rate of change of inertia and stored momentum; see Kind."""
    rest, motors, heat = sums
    row, own, value = at.row, at.work, at.value
    for _ in range(at.number):
        rotor = int(parts[row + ROTOR_WORK])
        g, s = three_at(parts, row + AXIS), vector_of(work, rotor + wheels.AXIS_NOW)
        across = cross(g, s)
        spin, tilt = dot(s, omega), dot(across, omega)
        h = rotor_momentum(parts, row, y, work, spin)
        carried = parts[row + I_S] - parts[row + I_T]
        gyroscopic = h * tilt + carried * spin * tilt
        if work[own + DRIVEN] == RATE_DRIVEN:
            rate = work[own + RATE] + work[own + ACCELERATION] * t
            rest = moved_vector(rest, -parts[row + I_G] * work[own + ACCELERATION], g)
            slope[value + 1] = 0.0
        else:
            rate = y[value + 1] / parts[row + I_G] - dot(g, omega)
            gained = work[own + TORQUE] + gyroscopic
            rest = moved_vector(rest, -gained, g)
            slope[value + 1] = gained
            motors += work[own + TORQUE] * rate
        slope[value] = rate
        # d/dt of (I_s s s^T + I_t t t^T) ω + h s at constant ω, and constant h of a free rotor.
        rest = moved_vector(rest, -rate * (carried * tilt + 0.0), s)
        rest = moved_vector(rest, -rate * (carried * spin + h), across)
        if not wheels.turns_freely(work[rotor + wheels.MODE]):
            j = parts[int(parts[row + ROTOR_ROW]) + wheels.J]
            rest = moved_vector(rest, -rate * j * tilt, s)
            work[rotor + wheels.TILT] = rate
            put_vector(work, rotor + wheels.ACROSS, across)
        row, own, value = row + ROW, own + WORK_ROW, value + VALUES
    return rest, motors, heat


@part
def constrain(
    at: Place, sums: tuple[float, float], parts: Array, y: Array, slope: Array, work: Array,
    omega: Floats, alpha: Floats, gained: Floats, t: float,
) -> tuple[float, float]:  # fmt: skip
    """Add the power of the motors that keep a commanded rate; see Kind."""
    motors, heat = sums
    row, own, value = at.row, at.work, at.value
    for _ in range(at.number):
        if work[own + DRIVEN] == RATE_DRIVEN:
            g = three_at(parts, row + AXIS)
            s = vector_of(work, int(parts[row + ROTOR_WORK]) + wheels.AXIS_NOW)
            spin, tilt = dot(s, omega), dot(cross(g, s), omega)
            h = rotor_momentum(parts, row, y, work, spin)
            momentum_rate = parts[row + I_G] * (work[own + ACCELERATION] + dot(g, alpha))
            gyroscopic = h * tilt + (parts[row + I_S] - parts[row + I_T]) * spin * tilt
            motors += (momentum_rate - gyroscopic) * slope[value]
        row, own, value = row + ROW, own + WORK_ROW, value + VALUES
    return motors, heat


@part
def hold(
    at: Place, parts: Array, y: Array, work: Array, omega: Floats, v: Floats, t: float
) -> None:
    """Set the momenta of gimbals with a commanded rate, from ω; see Kind."""
    row, own, value = at.row, at.work, at.value
    for _ in range(at.number):
        if work[own + DRIVEN] == RATE_DRIVEN:
            turning = work[own + RATE] + work[own + ACCELERATION] * t
            rate = turning + dot(three_at(parts, row + AXIS), omega)
            y[value + 1] = parts[row + I_G] * rate
        row, own, value = row + ROW, own + WORK_ROW, value + VALUES


@part
def energy(at: Place, twice: float, parts: Array, y: Array, work: Array, omega: Floats) -> float:
    """Add twice the kinetic energy of the gimbals, without their rotors' spin [J]."""
    row, value = at.row, at.value
    for _ in range(at.number):
        p = y[value + 1]
        s = vector_of(work, int(parts[row + ROTOR_WORK]) + wheels.AXIS_NOW)
        spin = dot(s, omega)
        tilt = dot(cross(three_at(parts, row + AXIS), s), omega)
        twice += parts[row + I_S] * spin * spin + parts[row + I_T] * tilt * tilt
        twice += p * p / parts[row + I_G]
        row, value = row + ROW, value + VALUES
    return twice


@part
def load_bounds(
    at: Place, sums: tuple[float, float, float, float, float], parts: Array, work: Array
) -> tuple[float, float, float, float, float]:
    """Add a bound of the fastest gimbal; see Kind."""
    torque, press, motors, loss, tilt = sums
    own = at.work
    for _ in range(at.number):
        tilt = max(tilt, abs(work[own + RATE]), abs(work[own + TARGET]))
        own += WORK_ROW
    return torque, press, motors, loss, tilt


KIND = Kind(
    name='control_moment_gyros', row=GIMBAL, state=GIMBAL_STATE, work=WORK_ROW, values=VALUES,
    commands=GIMBAL_COMMAND.size, changes_inertia=True, jumps=True,
    load=load, keep=keep, command=command, switch=switch, next_switch=next_switch, elapse=elapse,
    orient=orient, store=store, turn=turn, constrain=constrain, hold=hold, energy=energy,
    load_bounds=load_bounds,
)  # fmt: skip
