# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The momentum form of a spacecraft whose actuators have states of their own, integrated by RK4.

h_k is the axial momentum of rotor k in an inertial frame, s_k its spin axis, J_k its inertia,
γ the angle of a gimbal about g, p the momentum of the gimbal about g. S is the inertia of
everything except the wheels that turn freely:

    L_B = S ω + Σ h_k s_k + Σ p g            dh_k/dt = motor + friction
    dL/dt = external torque                  dq/dt = ½ q ∘ ω

So internal torques do not change L by one bit (P. C. Hughes, Spacecraft Attitude Dynamics, 1986,
section 3.3). A wheel that friction holds, or that is at its largest speed, has a constant speed
relative to the body: its inertia joins S, and its constraint torque tells when it comes free.
These events, and the instants at which a valve switches, are located inside the tick and end a
step there. Between them the motion is smooth and the error is of fourth order. Friction is not
regularised: a stuck wheel stays at rest for ever.

Some loads change exponentially in a step (a motor with lag, rising thrust, a dipole), others turn
with a rotor (imbalance). A straight line with the same integral and the same first moment replaces
each of them. So impulses are exact for any step, and so are angles about one axis. The error of
the line grows with the turn and the decay in a step; automatic sub-steps keep both small
(`_longest_step`). The torque that frees a held wheel is taken from the exponential itself.

For a gimbal, with h = J(Ω + s·ω) the absolute momentum of its rotor and t = g × s:

    dp/dt = torque + h t·ω + (I_s - I_t) (s·ω)(t·ω)        dγ/dt = p/I_g - g·ω

With a commanded rate, dγ/dt is given and p follows. Layouts of all arrays: core.actuators.layouts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.actuators.layouts import (
    BOOK,
    CRAFT,
    END,
    FASTEST,
    GIMBAL,
    GIMBAL_STATE,
    LOCKED,
    RATE_DRIVEN,
    ROD,
    STUCK,
    THRUSTER,
    THRUSTER_STATE,
    TORQUE_DRIVEN,
    WHEEL,
    WHEEL_STATE,
)
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.plates import PLATE_ROW, of_air, of_sunlight
from spacecraft_attitude_sim.core.environment.sky import INERTIA as TURNED_INERTIA
from spacecraft_attitude_sim.core.environment.sky import PARAMETER, PRESSURE, TO_SUN
from spacecraft_attitude_sim.core.equations import moving_parts as moving
from spacecraft_attitude_sim.core.equations.external_loads import (
    DENSITY_NOW,
    FIELD_NOW,
    FIELD_RATE_NOW,
    PULL,
    WIND_NOW,
    gravity_gradient,
    surrounded,
    tide,
)
from spacecraft_attitude_sim.core.equations.loaded import NUTATION_ANGLE
from spacecraft_attitude_sim.core.equations.momentum import SUBSTEP_ANGLE
from spacecraft_attitude_sim.core.equations.shared.principal_frame import MOST_STEPS
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.random_streams import THRUSTERS, normal_pair
from spacecraft_attitude_sim.core.mathematics.rotations import (
    quaternion_rate,
    quaternion_sandwich,
)
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    moved_vector,
    norm,
    scaled,
    six_at,
    symmetric_solved,
    symmetric_times,
    three_at,
)
from spacecraft_attitude_sim.kernels.kernel import borrowed, compiled, helper, part

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        FlatState,
        FlatWrench,
        Floats,
    )

# Constants: the index of each number, and where the rows of wheels begin.
WHEELS, GIMBALS, NOZZLES, RODS = CRAFT.places('wheels', 'gimbals', 'thrusters', 'rods')
QUEUED, SEED, MASS, INERTIA = CRAFT.places('queued', 'seed', 'mass', 'inertia_B')
LEAST, RESIDUAL, PLATES = CRAFT.places('least_moment', 'residual_B', 'plates')
RODS_OFF, MOVES = CRAFT.places('rods_off', 'moving')
ROWS = CRAFT.size
WHEEL_ROW, GIMBAL_ROW, THRUSTER_ROW, ROD_ROW = WHEEL.size, GIMBAL.size, THRUSTER.size, ROD.size
WHEEL_STATES, GIMBAL_STATES = WHEEL_STATE.size, GIMBAL_STATE.size
THRUSTER_STATES, BOOK_SIZE, END_SIZE = THRUSTER_STATE.size, BOOK.size, END.size
AXIS, RADIAL, POSITION, J = WHEEL.places('axis_B', 'radial_B', 'position_B', 'inertia')
MAX_TORQUE, MAX_SPEED, MAX_POWER = WHEEL.places('max_torque', 'max_speed', 'max_power')
STALL, NO_LOAD = WHEEL.places('stall_torque', 'no_load_speed')
LAG, DELAYED, WAITS, DELAY = WHEEL.places('lag', 'delayed', 'waits', 'delay')
VISCOUS, COULOMB, STATIC = WHEEL.places('viscous', 'coulomb', 'static')
STRIBECK, BANDWIDTH, COUPLING = WHEEL.places('stribeck_speed', 'bandwidth', 'coupling')
DRAG_RATE, UNBALANCED, SKEWED = WHEEL.places('rate', 'static_imbalance', 'dynamic_imbalance')
PHASE, HELD_SPEED = WHEEL.places('phase', 'held_speed')
TACHO_STEP, TACHO_GAIN, TACHO_BIAS = WHEEL.places(
    'tachometer_step', 'tachometer_gain', 'tachometer_bias'
)
GIMBAL_AXIS, SPIN, TRANSVERSE = GIMBAL.places('axis_B', 'spin_B', 'transverse_B')
I_S, I_T, I_G = GIMBAL.places('inertia_spin', 'inertia_transverse', 'inertia_axis')
MOST_RATE, MOST_ACCELERATION, MOST_TORQUE = GIMBAL.places(
    'max_rate', 'max_acceleration', 'max_torque'
)
JET_FORCE, JET_TORQUE, PERIOD = THRUSTER.places('force_B', 'torque_B', 'period')
SHORTEST, CARRY, LONGER = THRUSTER.places('shortest', 'carry', 'longer')
RISE, FALL, SCATTER, FLOW = THRUSTER.places('rise', 'fall', 'scatter', 'flow')
LEVEL, REMAINDER, LEFT, NEXT = THRUSTER_STATE.places('level', 'remainder', 'left', 'next')
SCALE, PULSES, USED = THRUSTER_STATE.places('scale', 'pulses', 'used')
MOST_DIPOLE, ROD_LAG = ROD.places('max_dipole', 'lag')
INTERNAL_DRIVE, INTERNAL_MODE = WHEEL_STATE.places('drive', 'mode')
QUEUE = WHEEL_STATES

# Working memory of a step. Loads of actuators as straight lines in time, a + b t: force, torque
# and dipole. The wrench, constant in the tick. Inertia S of all that does not turn freely; with
# gimbals it is computed again in each stage.
WORK = Layout(
    force=3, torque=3, dipole=3, force_rate=3, torque_rate=3, dipole_rate=3, wrench=12, inertia=6
)
FORCE, TORQUE, DIPOLE, RATES = WORK.places('force', 'torque', 'dipole', 'force_rate')
WRENCH, S = WORK.places('wrench', 'inertia')
OF_WHEELS = WORK.size
# Then for each wheel: the commanded motor torque, the torque after the motor's lag, the mode; the
# line that replaces the lag in a step; from `slopes`: speed, motor torque, total axial torque.
TURNING = Layout(
    target=1, drive=1, mode=1, motor=1, motor_rate=1, speed=1, given=1, total=1
)  # fmt: skip
TARGET, DRIVE, MODE, MOTOR = TURNING.places('target', 'drive', 'mode', 'motor')
SPEED, GIVEN, TOTAL = TURNING.places('speed', 'given', 'total')
# For each gimbal: its rate and acceleration, its mode (driven by rate or by torque), the torque,
# and the target rate.
TILTING = Layout(rate=1, acceleration=1, driven=1, torque=1, wanted=1)
# For each thruster: the target level, the time constant, and the integral of the level since the
# tick began [s]. For each magnetorquer: its target dipole.
JETTING = Layout(target=1, lag=1, given=1)
JET_GIVEN = JETTING.at('given')
TURNING_ROW, TILTING_ROW, JETTING_ROW = TURNING.size, TILTING.size, JETTING.size
# Largest error of rate that a line may leave in one automatic sub-step [rad/s]. For external
# torques, whose errors add up in L, it is the round-off of 1 rad/s; for motors, which leave L as
# it is, it is larger.
LINE_ERROR, MOTOR_LINE_ERROR = 2.0**-52, 1e-9
# Angle that the rotors' axes may turn, and part of its speed that a wheel may lose by drag, in one
# automatic sub-step.
LARGEST_TILT, LARGEST_LOSS = 1.0 / 256.0, 0.05
# Most automatic sub-steps that viscous friction may ask for. And the part of its speed that a
# wheel may lose in a sub-step of given length: its heat is then right to 1e-4.
MOST_LOSSES, LARGEST_GIVEN_LOSS = 4096, 0.25
# Most events in a tick for each wheel (it sticks, slips or reaches its largest speed) and for each
# internal part (it reaches a stop or its latch).
MOST_EVENTS = 64
# An event is located to this part of a tick.
RESOLUTION = 1e-14
INSIDE = SIZE  # where momenta of wheels begin in y


@helper
def _line(begin: float, target: float, lag: float, h: float) -> tuple[float, float, float]:
    """Return a, b of the line a + b t that replaces a decay over h, and the decay's last value.

    The decay goes from `begin` to `target` with the time constant `lag` [s]. The line has the same
    integral and first moment. Where h is 0 it is the value at the beginning.
    """
    if lag <= 0.0 or begin == target:
        return target, 0.0, target
    if h <= 0.0:
        return begin, 0.0, begin
    x = h / lag
    lost = -math.expm1(-x)  # 1 - e^-x
    mean = lost / x
    if x < 0.05:
        slope = -x * (1.0 - x * (0.5 - x * (0.15 - x * (1.0 / 30.0 - x / 168.0))))
    else:
        slope = 12.0 * ((lost - x * (1.0 - lost)) / (x * x) - 0.5 * mean)
    off = begin - target
    a = target + off * (mean - 0.5 * slope)
    return a, off * slope / h, target + off * (1.0 - lost)


@helper
def _lagging(begin: float, target: float, lag: float, t: float) -> float:
    """Return a first-order lag after t [s], from `begin` to `target`; lag: time constant [s]."""
    if lag <= 0.0 or begin == target:
        return target
    return target + (begin - target) * math.exp(-t / lag)


@helper
def _longest_line(jump: float, lag: float, error: float) -> float:
    """Return the longest step in which a line may replace a decay [s]; inf where nothing decays.

    With x = step/lag, the second moment of what the line leaves out is at most
    jump step³ min(x²/360, 1/(6 x)); that is the error of the rate.

    jump: torque that decays, times `bend` of `_steps` [rad/s^4]
    lag: time constant [s];  error: largest error of the rate [rad/s]
    """
    if lag <= 0.0 or jump <= 0.0:
        return math.inf
    smooth = math.exp(math.log(360.0 * error * lag * lag / jump) / 5.0)
    return max(smooth, math.sqrt(6.0 * error / (jump * lag)))


@helper
def _cosine_line(angle: float, rate: float, h: float) -> tuple[float, float]:
    """Return a, b of the line with the integral and first moment of cos(angle + rate t) over h."""
    turn = rate * h
    c, s = math.cos(angle), math.sin(angle)
    if abs(turn) < 1e-3:  # the relative error is below 1e-7
        return c, -rate * s
    sine = math.sin(angle + turn) - s
    mean = sine / turn
    moment = (math.sin(angle + turn) + (math.cos(angle + turn) - c) / turn) / turn
    slope = 12.0 * (moment - 0.5 * mean)
    return mean - 0.5 * slope, slope / h


@helper
def _drag(parts: Array, row: int, speed: float, way: float) -> float:
    """Return the friction torque on a wheel [N m]; way: its direction of rotation, +1 or -1.

    Viscous and Coulomb friction; with a Stribeck speed, static friction near zero speed.
    """
    size = parts[row + COULOMB]
    if parts[row + STRIBECK] > 0.0:
        ratio = speed / parts[row + STRIBECK]
        size += (parts[row + STATIC] - size) * math.exp(-ratio * ratio)
    return -parts[row + VISCOUS] * speed - way * size


@helper
def _limited(parts: Array, row: int, torque: float, speed: float) -> float:
    """Return a motor's torque within its limits of torque, power and voltage at a speed [N m]."""
    most = parts[row + MAX_TORQUE]
    if torque * speed > 0.0:  # it accelerates the wheel
        fast = abs(speed)
        most = min(most, parts[row + MAX_POWER] / fast)
        left = parts[row + STALL] * (1.0 - fast / parts[row + NO_LOAD])
        most = min(most, max(0.0, left))
    return max(-most, min(most, torque))


@helper
def _held_speed(parts: Array, row: int, mode: float) -> float:
    """Return the constant speed of a wheel in a mode in which it does not turn freely [rad/s]."""
    if mode == STUCK:
        return 0.0
    if mode == LOCKED:
        return parts[row + HELD_SPEED]
    return math.copysign(parts[row + MAX_SPEED], mode)


@helper
def _turns_freely(mode: float) -> bool:
    return mode == 1.0 or mode == -1.0


@helper
def _add_outer(six: Floats, amount: float, a: Floats) -> Floats:
    """Return a symmetric matrix (six floats: xx, yy, zz, xy, xz, yz) plus amount a a^T."""
    return (
        six[0] + amount * a[0] * a[0], six[1] + amount * a[1] * a[1],
        six[2] + amount * a[2] * a[2], six[3] + amount * a[0] * a[1],
        six[4] + amount * a[0] * a[2], six[5] + amount * a[1] * a[2],
    )  # fmt: skip


@helper
def _gimbal_row(parts: Array, k: int) -> int:
    return ROWS + int(parts[WHEELS]) * WHEEL_ROW + k * GIMBAL_ROW


@helper
def _wheel_axis(parts: Array, y: Array, k: int) -> Floats:
    """Return the spin axis of wheel k now, three floats, body axes; gimbals turn it."""
    wheels, gimbals = int(parts[WHEELS]), int(parts[GIMBALS])
    j = k - (wheels - gimbals)
    if j < 0:
        return three_at(parts, ROWS + k * WHEEL_ROW + AXIS)
    row = _gimbal_row(parts, j)
    angle = y[INSIDE + 2 * wheels + 2 * j]
    spin = scaled(math.cos(angle), three_at(parts, row + SPIN))
    return moved_vector(spin, math.sin(angle), three_at(parts, row + TRANSVERSE))


@part
def _inertia_and_stored(y: Array, t: float, parts: Array, work: Array) -> tuple[Floats, Floats]:
    """Return the inertia S, six floats, and the momentum stored beside S ω, three floats.

    With internal parts: those of the equations of ω alone, after `moving.reduced`. Body axes.
    """
    wheels, gimbals = int(parts[WHEELS]), int(parts[GIMBALS])
    stored = (0.0, 0.0, 0.0)
    inertia = six_at(work, S)
    for k in range(wheels):
        row, own = ROWS + k * WHEEL_ROW, OF_WHEELS + k * TURNING_ROW
        axis, mode = _wheel_axis(parts, y, k), work[own + MODE]
        amount = y[INSIDE + k]
        if not _turns_freely(mode):
            amount = parts[row + J] * _held_speed(parts, row, mode)
            if k >= wheels - gimbals:
                inertia = _add_outer(inertia, parts[row + J], axis)
        stored = moved_vector(stored, amount, axis)
    for k in range(gimbals):
        row = _gimbal_row(parts, k)
        own = OF_WHEELS + wheels * TURNING_ROW + k * TILTING_ROW
        g = three_at(parts, row + GIMBAL_AXIS)
        s = _wheel_axis(parts, y, wheels - gimbals + k)
        inertia = _add_outer(inertia, parts[row + I_S], s)
        inertia = _add_outer(inertia, parts[row + I_T], cross(g, s))
        if work[own + 2] == RATE_DRIVEN:
            inertia = _add_outer(inertia, parts[row + I_G], g)
            rate = work[own] + work[own + 1] * t
            stored = moved_vector(stored, parts[row + I_G] * rate, g)
        else:
            stored = moved_vector(stored, y[INSIDE + 2 * wheels + 2 * k + 1], g)
    if parts[MOVES] > 0.0:
        row, at, inside = _moving(parts)
        return moving.reduced(y, parts, work, row, at, inside, inertia, stored)
    return inertia, stored


@helper
def _moving(parts: Array) -> tuple[int, int, int]:
    """Return where the internal parts begin in `parts`, in y and in `work`."""
    _, own, _ = _rods(parts)
    return (
        _plates_of(parts) + int(parts[PLATES]) * PLATE_ROW,
        INSIDE + 2 * int(parts[WHEELS]) + 2 * int(parts[GIMBALS]),
        own + int(parts[RODS]),
    )


@helper
def _body_momentum(y: Array) -> Floats:
    """Return L in body axes, three floats."""
    return quaternion_sandwich(y[3], -y[4], -y[5], -y[6], y[10], y[11], y[12])


@helper
def _turned_back(y: Array, u: float, vector_W: Floats, k: int) -> Floats:
    """Return components k to k + 2 of a tuple in world axes, turned to body axes; u: 1/|q|²."""
    q0, q1, q2, q3 = y[3], y[4], y[5], y[6]
    v = vector_W
    return scaled(u, quaternion_sandwich(q0, -q1, -q2, -q3, v[k], v[k + 1], v[k + 2]))


@helper
def _plates_of(parts: Array) -> int:
    """Return where the plates begin in `parts`."""
    row, _, _ = _rods(parts)
    return row + int(parts[RODS]) * ROD_ROW


@part
def _on_plates(
    y: Array, u: float, velocity: Floats, parts: Array, sky: Array, here: Floats
) -> Floats:
    """Return force and torque of air drag and sunlight, six floats [N, N m], body axes.

    velocity: of the body (3 floats, world axes) [m/s];  here: of external_loads.surrounded
    """
    row, plates = _plates_of(parts), int(parts[PLATES])
    sun = _turned_back(y, u, three_at(sky, TO_SUN), 0)
    light = of_sunlight(parts, row, plates, sun, sky[PRESSURE])
    through_W = moved_vector(velocity, -1.0, three_at(here, WIND_NOW))
    air = of_air(parts, row, plates, _turned_back(y, u, through_W, 0), here[DENSITY_NOW])
    force = added(three_at(light, 0), three_at(air, 0))
    torque = added(three_at(light, 3), three_at(air, 3))
    return (force[0], force[1], force[2], torque[0], torque[1], torque[2])


@part
def slopes(
    y: Array, t: float, slope: Array, parts: Array, work: Array, sky: Array, here: Floats
) -> tuple[Floats, Floats]:
    """Write the right-hand side dy/dt; return ω and dω/dt, three floats each, body axes.

    It also writes each wheel's speed, motor torque and total torque to `work`, for the event
    functions.

    y: (n,) state, momenta and angles of wheels, angle and momentum of each gimbal, values of
        internal parts, BOOK
    t: time since the step began [s];  work: of WORK
    sky: of core.environment.sky;  here: environment at this time, of external_loads.surrounded
    """
    wheels, gimbals = int(parts[WHEELS]), int(parts[GIMBALS])
    tilts = INSIDE + 2 * wheels
    book = len(y) - BOOK_SIZE
    q0, q1, q2, q3 = y[3], y[4], y[5], y[6]
    u = 1.0 / (q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
    L_B = _body_momentum(y)
    inertia, stored = _inertia_and_stored(y, t, parts, work)
    omega = symmetric_solved(inertia, moved_vector(L_B, -1.0, stored))
    base, at, inside = 0, 0, 0
    pressed = lever = (0.0, 0.0, 0.0)
    if parts[MOVES] > 0.0:
        base, at, inside = _moving(parts)
        moving.find_rates(y, omega, parts, work, base, at, inside)
    # Loads in body axes, then in world axes.
    force = moved_vector(three_at(work, FORCE), t, three_at(work, RATES))
    force = added(force, three_at(work, WRENCH))
    own = moved_vector(three_at(work, TORQUE), t, three_at(work, RATES + 3))
    dipole = moved_vector(three_at(work, DIPOLE), t, three_at(work, RATES + 6))
    if parts[MOVES] > 0.0 and parts[base + moving.RODS] > 0.0:
        field_B = _turned_back(y, u, here, FIELD_NOW)
        changes = moved_vector(
            _turned_back(y, u, here, FIELD_RATE_NOW), -1.0, cross(omega, field_B)
        )
        dipole = added(dipole, moving.magnetised(y, slope, field_B, changes, parts, base, at))
    if dipole[0] != 0.0 or dipole[1] != 0.0 or dipole[2] != 0.0:
        own = added(own, cross(dipole, _turned_back(y, u, here, FIELD_NOW)))
    own = added(own, three_at(work, WRENCH + 3))
    k = 1.0 / parts[MASS]
    velocity = (k * y[7], k * y[8], k * y[9])
    # Without the gravity gradient a sky has no inertia; every body has one about x.
    turns = here[PULL] != 0.0 and sky[TURNED_INERTIA] != 0.0
    if turns:
        own = added(own, gravity_gradient(here, _turned_back(y, u, here, 0), sky))
    if parts[PLATES] > 0.0:
        pushed = _on_plates(y, u, velocity, parts, sky, here)
        force = added(force, three_at(pushed, 0))
        own = added(own, three_at(pushed, 3))
    if parts[MOVES] > 0.0:  # forces act at the origin, which is off the centre of mass
        fall = scaled(-parts[MASS], three_at(parts, base + moving.GRAVITY))
        from_W = _turned_back(y, u, added(three_at(work, WRENCH + 6), fall), 0)
        pressed = scaled(k, added(force, from_W))
        lever = three_at(work, inside + moving.MOMENT)
        own = moved_vector(own, -1.0, cross(lever, pressed))
        if turns:
            up_B = _turned_back(y, u, here, 0)
            gained = moving.gained_inertia(parts, work, base, inside, parts[MASS])
            turn = cross(up_B, symmetric_times(gained, up_B))
            own = moved_vector(own, 3.0 * here[PULL], turn)
    f0, f1, f2 = quaternion_sandwich(q0, q1, q2, q3, force[0], force[1], force[2])
    t0, t1, t2 = quaternion_sandwich(q0, q1, q2, q3, own[0], own[1], own[2])
    slope[0], slope[1], slope[2] = velocity
    slope[3], slope[4], slope[5], slope[6] = quaternion_rate(
        q0, q1, q2, q3, omega[0], omega[1], omega[2]
    )
    total_W = added(scaled(u, (f0, f1, f2)), three_at(work, WRENCH + 6))
    if sky[PARAMETER] != 0.0:
        total_W = added(total_W, tide(here, parts[MASS], three_at(y, 0)))
    slope[7], slope[8], slope[9] = total_W
    torque_W = added(scaled(u, (t0, t1, t2)), three_at(work, WRENCH + 9))
    slope[10], slope[11], slope[12] = torque_W
    w = three_at(work, WRENCH + 9)
    torque = moved_vector(own, u, quaternion_sandwich(q0, -q1, -q2, -q3, w[0], w[1], w[2]))
    slope[book + 2] = dot(omega, torque) + dot(velocity, total_W)
    if parts[MOVES] > 0.0:
        at_origin = added(
            cross(omega, lever), scaled(parts[MASS], three_at(work, inside + moving.VELOCITY))
        )
        slope[book + 2] += dot(pressed, at_origin)
    # Wheels that turn freely; the rest of dL/dt - ω × L accelerates the body.
    rest = moved_vector(torque, -1.0, cross(omega, L_B))
    motors = heat = 0.0
    for k in range(wheels):
        row, own_k = ROWS + k * WHEEL_ROW, OF_WHEELS + k * TURNING_ROW
        mode = work[own_k + MODE]
        slope[INSIDE + k] = 0.0
        if _turns_freely(mode):
            axis = _wheel_axis(parts, y, k)
            speed = y[INSIDE + k] / parts[row + J] - dot(axis, omega)
            asked = work[own_k + MOTOR] + work[own_k + MOTOR + 1] * t
            motor = _limited(parts, row, asked, speed)
            drag = _drag(parts, row, speed, mode)
            slope[INSIDE + k] = motor + drag
            rest = moved_vector(rest, -(motor + drag), axis)
            motors += motor * speed
            heat -= drag * speed
            work[own_k + GIVEN], work[own_k + TOTAL] = motor, motor + drag
        else:
            speed = _held_speed(parts, row, mode)
        work[own_k + SPEED] = slope[INSIDE + wheels + k] = speed
    # Gimbals: the change of S and of the stored momentum as they turn.
    for k in range(gimbals):
        row = _gimbal_row(parts, k)
        own_k = OF_WHEELS + wheels * TURNING_ROW + k * TILTING_ROW
        rotor = wheels - gimbals + k
        g, s = three_at(parts, row + GIMBAL_AXIS), _wheel_axis(parts, y, rotor)
        across = cross(g, s)
        spin, tilt = dot(s, omega), dot(across, omega)
        mode = work[OF_WHEELS + rotor * TURNING_ROW + MODE]
        j = parts[ROWS + rotor * WHEEL_ROW + J]
        h = y[INSIDE + rotor]
        carried = parts[row + I_S] - parts[row + I_T]
        if not _turns_freely(mode):
            h = j * (work[OF_WHEELS + rotor * TURNING_ROW + SPEED] + spin)
        pull = h * tilt + carried * spin * tilt
        if work[own_k + 2] == RATE_DRIVEN:
            rate = work[own_k] + work[own_k + 1] * t
            rest = moved_vector(rest, -parts[row + I_G] * work[own_k + 1], g)
            slope[tilts + 2 * k + 1] = 0.0
        else:
            rate = y[tilts + 2 * k + 1] / parts[row + I_G] - dot(g, omega)
            gained = work[own_k + 3] + pull
            rest = moved_vector(rest, -gained, g)
            slope[tilts + 2 * k + 1] = gained
            motors += work[own_k + 3] * rate
        slope[tilts + 2 * k] = rate
        # d/dt of (I_s s s^T + I_t t t^T) ω + h s at constant ω, and constant h of a free rotor.
        rest = moved_vector(rest, -rate * (carried * tilt + 0.0), s)
        rest = moved_vector(rest, -rate * (carried * spin + h), across)
        if not _turns_freely(mode):
            rest = moved_vector(rest, -rate * j * tilt, s)
    push = (0.0, 0.0, 0.0)
    if parts[MOVES] > 0.0:
        rest, push, lost = moving.slopes(
            y, slope, omega, pressed, rest, parts, work, base, at, inside
        )
        rest = moving.turning_rest(work, inside, rest, push)
        heat += lost
    alpha = symmetric_solved(inertia, rest)
    if parts[MOVES] > 0.0:
        moving.find_forces(alpha, push, parts, work, base, inside)
    # Constraint torques of the other wheels, and drive torques of gimbals with a commanded rate.
    for k in range(wheels):
        row, own_k = ROWS + k * WHEEL_ROW, OF_WHEELS + k * TURNING_ROW
        mode = work[own_k + MODE]
        if _turns_freely(mode):
            continue
        axis, speed = _wheel_axis(parts, y, k), work[own_k + SPEED]
        total = parts[row + J] * dot(axis, alpha)
        if k >= wheels - gimbals:
            g = three_at(parts, _gimbal_row(parts, k - wheels + gimbals) + GIMBAL_AXIS)
            rate = slope[tilts + 2 * (k - wheels + gimbals)]
            total += parts[row + J] * rate * dot(cross(g, axis), omega)
        asked = _lagging(work[own_k + DRIVE], work[own_k + TARGET], parts[row + LAG], t)
        work[own_k + GIVEN] = _limited(parts, row, asked, speed)
        work[own_k + TOTAL] = total
        if speed != 0.0:
            drag = _drag(parts, row, speed, math.copysign(1.0, speed))
            motors += (total - drag) * speed
            heat -= drag * speed
    for k in range(gimbals):
        row = _gimbal_row(parts, k)
        own_k = OF_WHEELS + wheels * TURNING_ROW + k * TILTING_ROW
        if work[own_k + 2] == RATE_DRIVEN:
            rotor = wheels - gimbals + k
            g, s = three_at(parts, row + GIMBAL_AXIS), _wheel_axis(parts, y, rotor)
            spin, tilt = dot(s, omega), dot(cross(g, s), omega)
            h = y[INSIDE + rotor]
            if not _turns_freely(work[OF_WHEELS + rotor * TURNING_ROW + MODE]):
                speed = work[OF_WHEELS + rotor * TURNING_ROW + SPEED]
                h = parts[ROWS + rotor * WHEEL_ROW + J] * (speed + spin)
            gained = parts[row + I_G] * (work[own_k + 1] + dot(g, alpha))
            pull = h * tilt + (parts[row + I_S] - parts[row + I_T]) * spin * tilt
            motors += (gained - pull) * slope[tilts + 2 * k]
    slope[book], slope[book + 1] = motors, heat
    return omega, alpha


@part
def _speeds(y: Array, parts: Array, work: Array) -> Floats:
    """Write the wheels' speeds at the beginning of a step; return ω, three floats, body axes."""
    inertia, stored = _inertia_and_stored(y, 0.0, parts, work)
    omega = symmetric_solved(inertia, moved_vector(_body_momentum(y), -1.0, stored))
    if parts[MOVES] > 0.0:
        base, at, inside = _moving(parts)
        moving.find_rates(y, omega, parts, work, base, at, inside)
    for k in range(int(parts[WHEELS])):
        row, own = ROWS + k * WHEEL_ROW, OF_WHEELS + k * TURNING_ROW
        if _turns_freely(work[own + MODE]):
            speed = y[INSIDE + k] / parts[row + J] - dot(_wheel_axis(parts, y, k), omega)
        else:
            speed = _held_speed(parts, row, work[own + MODE])
        work[own + SPEED] = speed
    return omega


@part
def _rk4(
    y: Array, h: float, parts: Array, work: Array, sky: Array, time: float, stage: Array
) -> None:
    """Write y after one Runge-Kutta step to the first of the five rows of `stage`.

    The second row must hold dy/dt at the beginning;  time: orbit time at the beginning [s]
    """
    n = len(y)
    middle, last = surrounded(sky, time + 0.5 * h), surrounded(sky, time + h)
    now, one, two = stage[0:n], stage[n : 2 * n], stage[2 * n : 3 * n]
    three, four = stage[3 * n : 4 * n], stage[4 * n : 5 * n]
    for j in range(n):
        now[j] = y[j] + 0.5 * h * one[j]
    slopes(now, 0.5 * h, two, parts, work, sky, middle)
    for j in range(n):
        now[j] = y[j] + 0.5 * h * two[j]
    slopes(now, 0.5 * h, three, parts, work, sky, middle)
    for j in range(n):
        now[j] = y[j] + h * three[j]
    slopes(now, h, four, parts, work, sky, last)
    for j in range(n):
        now[j] = y[j] + h / 6.0 * (one[j] + 2.0 * (two[j] + three[j]) + four[j])
    s = 1.0 / math.sqrt(now[3] * now[3] + now[4] * now[4] + now[5] * now[5] + now[6] * now[6])
    for j in range(3, 7):
        now[j] = s * now[j]


@helper
def _add_imbalance(
    angle: float, speed: float, h: float, parts: Array, row: int, work: Array
) -> None:
    """Add force and torque of a wheel's imbalance as lines over h [s]; h = 0: their value now."""
    e1, axis = three_at(parts, row + RADIAL), three_at(parts, row + AXIS)
    e2 = cross(axis, e1)
    square = speed * speed
    c, s = _cosine_line(angle, speed, h), _cosine_line(angle - 0.5 * math.pi, speed, h)
    phase = angle + parts[row + PHASE]
    cp, sp = _cosine_line(phase, speed, h), _cosine_line(phase - 0.5 * math.pi, speed, h)
    for line in range(2):
        size = parts[row + UNBALANCED] * square
        force = added(scaled(size * c[line], e1), scaled(size * s[line], e2))
        size = parts[row + SKEWED] * square
        torque = added(scaled(-size * sp[line], e1), scaled(size * cp[line], e2))
        torque = added(torque, cross(three_at(parts, row + POSITION), force))
        place = FORCE if line == 0 else RATES
        for j in range(3):
            work[place + j] += force[j]
            work[place + 3 + j] += torque[j]


@helper
def _jets(parts: Array) -> tuple[int, int, int]:
    """Return where the thrusters begin in `parts`, in `work` and in `internal`."""
    wheels, gimbals = int(parts[WHEELS]), int(parts[GIMBALS])
    return (
        ROWS + wheels * WHEEL_ROW + gimbals * GIMBAL_ROW,
        OF_WHEELS + wheels * TURNING_ROW + gimbals * TILTING_ROW,
        wheels * (WHEEL_STATES + int(parts[QUEUED])) + gimbals * GIMBAL_STATES,
    )


@helper
def _rods(parts: Array) -> tuple[int, int, int]:
    """Return where the magnetorquers begin in `parts`, in `work` and in `internal`."""
    row, own, state = _jets(parts)
    n = int(parts[NOZZLES])
    return row + n * THRUSTER_ROW, own + n * JETTING_ROW, state + n * THRUSTER_STATES


@part
def _draw_lines(y: Array, h: float, parts: Array, work: Array, internal: Array) -> None:
    """Replace lags and rotating loads by straight lines over a step of h seconds.

    Each line has the integral and first moment of what it replaces: motor lags, imbalance, thrust,
    dipoles. With h = 0 the lines are the values now.
    """
    for j in range(6):
        work[FORCE + j] = 0.0
    for j in range(9):
        work[RATES + j] = 0.0
    for j in range(3):
        work[DIPOLE + j] = parts[RESIDUAL + j]
    wheels = int(parts[WHEELS])
    for k in range(wheels):
        row, own = ROWS + k * WHEEL_ROW, OF_WHEELS + k * TURNING_ROW
        a, b, _ = _line(work[own + DRIVE], work[own + TARGET], parts[row + LAG], h)
        work[own + MOTOR], work[own + MOTOR + 1] = a, b
        if parts[row + UNBALANCED] != 0.0 or parts[row + SKEWED] != 0.0:
            speed = work[own + SPEED]
            if _turns_freely(work[own + MODE]):  # its mean speed in the step
                speed += 0.5 * h * work[own + TOTAL] * parts[row + COUPLING]
            _add_imbalance(y[INSIDE + wheels + k], speed, h, parts, row, work)
    row, own, state = _jets(parts)
    for _ in range(int(parts[NOZZLES])):
        a, b, _ = _line(internal[state + LEVEL], work[own], work[own + 1], h)
        for j in range(6):
            work[FORCE + j] += a * parts[row + JET_FORCE + j]
            work[RATES + j] += b * parts[row + JET_FORCE + j]
        row, own, state = (
            row + THRUSTER_ROW, own + JETTING_ROW, state + THRUSTER_STATES
        )  # fmt: skip
    for k in range(int(parts[RODS])):
        a, b, _ = _line(internal[state + k], work[own + k], parts[row + ROD_LAG], h)
        for j in range(3):
            work[DIPOLE + j] += a * parts[row + j]
            work[RATES + 6 + j] += b * parts[row + j]
        row += ROD_ROW


@part
def _pass(internal: Array, h: float, parts: Array, work: Array) -> None:
    """Advance motor lags, valves, dipoles and gimbal rates by h: they depend on time alone."""
    wheels = int(parts[WHEELS])
    for k in range(wheels):
        row, own = ROWS + k * WHEEL_ROW, OF_WHEELS + k * TURNING_ROW
        _, _, work[own + DRIVE] = _line(work[own + DRIVE], work[own + TARGET], parts[row + LAG], h)
    for k in range(int(parts[GIMBALS])):
        own = OF_WHEELS + wheels * TURNING_ROW + k * TILTING_ROW
        work[own] += work[own + 1] * h
    row, own, state = _jets(parts)
    for _ in range(int(parts[NOZZLES])):
        a, b, level = _line(internal[state + LEVEL], work[own], work[own + 1], h)
        internal[state + LEVEL] = level
        passed = a * h + 0.5 * b * h * h
        internal[state + USED] += parts[row + FLOW] * passed
        work[own + JET_GIVEN] += passed
        internal[state + LEFT] = max(0.0, internal[state + LEFT] - h)
        internal[state + NEXT] -= h
        row, own, state = (
            row + THRUSTER_ROW, own + JETTING_ROW, state + THRUSTER_STATES
        )  # fmt: skip
    for k in range(int(parts[RODS])):
        _, _, internal[state + k] = _line(
            internal[state + k], work[own + k], parts[row + ROD_LAG], h
        )
        row += ROD_ROW


@part
def _switch_valves(
    internal: Array, parts: Array, work: Array, commands: Array, given: int, soon: float
) -> None:
    """Begin pulse periods and close valves that are due within `soon` [s]; set each target level.

    given: index of the thrusters' commands
    """
    row, own, state = _jets(parts)
    for k in range(int(parts[NOZZLES])):
        level = max(0.0, min(1.0, commands[given + k]))
        if parts[row + PERIOD] <= 0.0:
            work[own] = level
        else:
            if internal[state + NEXT] <= soon:
                _begin_pulse(internal, parts, row, state, level, k)
            if internal[state + LEFT] <= soon:
                internal[state + LEFT] = 0.0
            work[own] = internal[state + SCALE] if internal[state + LEFT] > 0.0 else 0.0
        rises = work[own] > internal[state + LEVEL]
        work[own + 1] = parts[row + RISE] if rises else parts[row + FALL]
        row, own, state = (
            row + THRUSTER_ROW, own + JETTING_ROW, state + THRUSTER_STATES
        )  # fmt: skip


@part
def _begin_pulse(
    internal: Array, parts: Array, row: int, state: int, level: float, number: int
) -> None:
    """Set how long a valve stays open in the pulse period that begins; carry the remainder."""
    period = parts[row + PERIOD]
    internal[state + NEXT] += period
    wanted = level * period + internal[state + REMAINDER]
    internal[state + REMAINDER] = 0.0
    if wanted <= 0.0:
        return
    if wanted < parts[row + SHORTEST]:
        internal[state + REMAINDER] = parts[row + CARRY] * wanted
        return
    if wanted > period:
        internal[state + REMAINDER] = parts[row + CARRY] * min(wanted - period, period)
        wanted = period
    open_for = wanted + parts[row + LONGER]
    if wanted >= period:  # it stays open until the next period sets its time
        open_for = max(open_for, internal[state + NEXT])
    internal[state + LEFT] = max(internal[state + LEFT], open_for)
    internal[state + PULSES] += 1.0
    internal[state + SCALE] = 1.0
    if parts[row + SCATTER] > 0.0:
        deviate, _ = normal_pair(
            number, int(parts[SEED]), 0, THRUSTERS, int(internal[state + PULSES])
        )
        internal[state + SCALE] = max(0.0, 1.0 + parts[row + SCATTER] * deviate)


@part
def _until_switched(
    internal: Array, t: float, parts: Array, work: Array, soon: float, begin: float
) -> float:
    """Return the time to the next scheduled event [s], at least `soon`.

    Events: a valve switches, a dead time ends, a gimbal reaches its rate, the magnetorquers are
    switched off, a panel is released.

    t: time since the tick began [s];  begin: orbit time when it began [s]
    """
    soonest = math.inf
    wheels = int(parts[WHEELS])
    for k in range(wheels):
        row = ROWS + k * WHEEL_ROW
        if parts[row + DELAYED] > 0.0 and parts[row + DELAY] > t + soon:
            soonest = min(soonest, parts[row + DELAY] - t)
    for k in range(int(parts[GIMBALS])):
        own = OF_WHEELS + wheels * TURNING_ROW + k * TILTING_ROW
        if work[own + 1] != 0.0:
            soonest = min(soonest, (work[own + 4] - work[own]) / work[own + 1])
    if int(parts[RODS]) and parts[RODS_OFF] > t + soon:
        soonest = min(soonest, parts[RODS_OFF] - t)
    row, _, state = _jets(parts)
    for _ in range(int(parts[NOZZLES])):
        if parts[row + PERIOD] > 0.0:
            soonest = min(soonest, internal[state + NEXT])
            if internal[state + LEFT] > 0.0:
                soonest = min(soonest, internal[state + LEFT])
        row, state = row + THRUSTER_ROW, state + THRUSTER_STATES
    if parts[MOVES] > 0.0:
        base, _, inside = _moving(parts)
        soonest = min(soonest, moving.until_release(parts, work, base, inside, begin + t))
    return max(soonest, soon)


@part
def _longest_step(internal: Array, parts: Array, work: Array, field: float, bend: float) -> float:
    """Return the longest step in which lines may replace the present lags [s].

    field: magnitude of the magnetic field [T];  bend: of `_steps`
    """
    longest = math.inf
    if bend <= 0.0:
        return longest
    for k in range(int(parts[WHEELS])):
        row, own = ROWS + k * WHEEL_ROW, OF_WHEELS + k * TURNING_ROW
        if _turns_freely(work[own + MODE]):
            off = abs(work[own + DRIVE] - work[own + TARGET])
            longest = min(longest, _longest_line(bend * off, parts[row + LAG], MOTOR_LINE_ERROR))
    row, own, state = _jets(parts)
    for _ in range(int(parts[NOZZLES])):
        off = abs(internal[state + LEVEL] - work[own]) * norm(three_at(parts, row + JET_TORQUE))
        longest = min(longest, _longest_line(bend * off, work[own + 1], LINE_ERROR))
        row, own, state = (
            row + THRUSTER_ROW, own + JETTING_ROW, state + THRUSTER_STATES
        )  # fmt: skip
    for k in range(int(parts[RODS])):
        off = abs(internal[state + k] - work[own + k]) * field
        longest = min(longest, _longest_line(bend * off, parts[row + ROD_LAG], LINE_ERROR))
        row += ROD_ROW
    return longest


@part
def _settle_gimbals(parts: Array, work: Array, soon: float) -> None:
    """Set gimbals that reach their target rate within `soon` to exactly that rate."""
    for k in range(int(parts[GIMBALS])):
        own = OF_WHEELS + int(parts[WHEELS]) * TURNING_ROW + k * TILTING_ROW
        if work[own + 1] != 0.0:
            left = (work[own + 4] - work[own]) / work[own + 1]
            if left <= soon:
                work[own], work[own + 1] = work[own + 4], 0.0


@part
def _lock(parts: Array, work: Array) -> None:
    """Write S: inertia of the carrier and of wheels, outside gimbals, that do not turn freely."""
    inertia = six_at(parts, INERTIA)
    for k in range(int(parts[WHEELS]) - int(parts[GIMBALS])):
        row = ROWS + k * WHEEL_ROW
        if not _turns_freely(work[OF_WHEELS + k * TURNING_ROW + MODE]):
            inertia = _add_outer(inertia, parts[row + J], three_at(parts, row + AXIS))
    for j in range(6):
        work[S + j] = inertia[j]


@part
def _hold(y: Array, t: float, parts: Array, work: Array, omega: Floats) -> None:
    """Set the momenta of wheels that do not turn freely, and of rate-driven gimbals, from ω.

    Internal parts: see moving.hold.  t: time since the step began [s]
    """
    wheels, gimbals = int(parts[WHEELS]), int(parts[GIMBALS])
    for k in range(wheels):
        row, mode = ROWS + k * WHEEL_ROW, work[OF_WHEELS + k * TURNING_ROW + MODE]
        if not _turns_freely(mode):
            speed = _held_speed(parts, row, mode) + dot(_wheel_axis(parts, y, k), omega)
            y[INSIDE + k] = parts[row + J] * speed
    for k in range(gimbals):
        row, own = _gimbal_row(parts, k), OF_WHEELS + wheels * TURNING_ROW + k * TILTING_ROW
        if work[own + 2] == RATE_DRIVEN:
            rate = work[own] + work[own + 1] * t + dot(three_at(parts, row + GIMBAL_AXIS), omega)
            y[INSIDE + 2 * wheels + 2 * k + 1] = parts[row + I_G] * rate
    if parts[MOVES] > 0.0:
        base, at, inside = _moving(parts)
        moving.hold(y, omega, parts, work, base, at, inside)


@part
def _energies(y: Array, parts: Array, work: Array, omega: Floats) -> tuple[float, float]:
    """Return kinetic energy of rotation and elastic energy [J]; y: as `_hold` leaves it."""
    wheels, gimbals = int(parts[WHEELS]), int(parts[GIMBALS])
    twice = dot(omega, symmetric_times(six_at(parts, INERTIA), omega))
    for k in range(wheels):
        h = y[INSIDE + k]
        twice += h * h / parts[ROWS + k * WHEEL_ROW + J]
    for k in range(gimbals):
        row, p = _gimbal_row(parts, k), y[INSIDE + 2 * wheels + 2 * k + 1]
        s = _wheel_axis(parts, y, wheels - gimbals + k)
        spin = dot(s, omega)
        tilt = dot(cross(three_at(parts, row + GIMBAL_AXIS), s), omega)
        twice += parts[row + I_S] * spin * spin + parts[row + I_T] * tilt * tilt
        twice += p * p / parts[row + I_G]
    if parts[MOVES] > 0.0:
        base, at, inside = _moving(parts)
        kinetic, springs = moving.energy(y, omega, parts, work, base, at, inside)
        return 0.5 * twice + kinetic, springs
    return 0.5 * twice, 0.0


@helper
def _energy(y: Array, parts: Array, work: Array, omega: Floats) -> float:
    """Return the sum of `_energies` [J]."""
    kinetic, springs = _energies(y, parts, work, omega)
    return kinetic + springs


@helper
def _excess(parts: Array, work: Array, k: int) -> float:
    """Event function of wheel k: positive when the wheel must change its mode; after `slopes`.

    Numbers from the count of wheels on are the coordinates of internal parts, here and below.
    """
    wheels = int(parts[WHEELS])
    if k >= wheels:
        base, _, inside = _moving(parts)
        return moving.excess(parts, work, base, inside, k - wheels)
    row, own = ROWS + k * WHEEL_ROW, OF_WHEELS + k * TURNING_ROW
    mode, speed = work[own + MODE], work[own + SPEED]
    if mode == LOCKED:
        return -1.0
    if mode == STUCK:
        return abs(work[own + TOTAL] - work[own + GIVEN]) - parts[row + STATIC]
    if _turns_freely(mode):
        over = abs(speed) - parts[row + MAX_SPEED] * (1.0 + 1e-13)
        if parts[row + STATIC] > 0.0:
            return max(over, -mode * speed)
        return over
    way = math.copysign(1.0, mode)
    needed = work[own + TOTAL] - _drag(parts, row, speed, way)
    return way * (needed - work[own + GIVEN])


@helper
def _coordinates(parts: Array) -> int:
    """Return the number of generalized coordinates of internal parts."""
    if parts[MOVES] > 0.0:
        base, _, _ = _moving(parts)
        return int(parts[base + moving.COORDINATES])
    return 0


@helper
def _is_held(parts: Array, work: Array, k: int) -> bool:
    """Return whether wheel or coordinate k is constrained: it does not move freely."""
    wheels = int(parts[WHEELS])
    if k < wheels:
        return not _turns_freely(work[OF_WHEELS + k * TURNING_ROW + MODE])
    _, _, inside = _moving(parts)
    row = inside + moving.OF_COORDINATES + (k - wheels) * moving.WORK_ROW
    return not moving.is_free(work[row + moving.HOW])


@helper
def _worst(parts: Array, work: Array, only_held: bool) -> int:
    """Return the wheel or coordinate with the largest positive event function; -1 for none.

    only_held: look only at those that are constrained
    """
    found, most = -1, 0.0
    wheels = int(parts[WHEELS])
    for k in range(wheels + _coordinates(parts)):
        held = _is_held(parts, work, k)
        if held or not only_held:
            beyond = _excess(parts, work, k)
            if beyond > most:
                found, most = k, beyond
    return found


@part
def _change_coordinate(y: Array, j: int, parts: Array, work: Array) -> None:
    """Stop, latch or free coordinate j of internal parts; the lost energy becomes heat."""
    base, at, inside = _moving(parts)
    before = _energy(y, parts, work, _speeds(y, parts, work))
    if moving.change(y, parts, work, base, at, inside, j):
        omega = _speeds(y, parts, work)
        _hold(y, 0.0, parts, work, omega)
        y[len(y) - BOOK_SIZE + 1] += before - _energy(y, parts, work, omega)


@part
def _change_mode(
    y: Array, slope: Array, k: int, parts: Array, work: Array, sky: Array, here: Floats
) -> None:
    """Change the mode of wheel k: hold it if a constraint torque can, else let it turn freely.

    A released wheel turns in the direction of the net torque. Coordinates: `_change_coordinate`.
    """
    if k >= int(parts[WHEELS]):
        _change_coordinate(y, k - int(parts[WHEELS]), parts, work)
        return
    row, own = ROWS + k * WHEEL_ROW, OF_WHEELS + k * TURNING_ROW
    mode, speed = work[own + MODE], work[own + SPEED]
    if _turns_freely(mode):
        fast = abs(speed) > 0.5 * parts[row + MAX_SPEED]
        work[own + MODE] = math.copysign(FASTEST, speed) if fast else STUCK
        _lock(parts, work)
        omega, _ = slopes(y, 0.0, slope, parts, work, sky, here)
        if _excess(parts, work, k) <= 0.0:
            _hold(y, 0.0, parts, work, omega)
            return
    if work[own + MODE] == STUCK:
        work[own + MODE] = math.copysign(1.0, work[own + GIVEN] - work[own + TOTAL])
    else:
        work[own + MODE] = math.copysign(1.0, work[own + MODE])
    _lock(parts, work)


@part
def _stepped(
    y: Array, h: float, parts: Array, work: Array, sky: Array, time: float, stage: Array
) -> Floats:
    """Take a step of h seconds into `stage`; return ω at its end, three floats, body axes.

    The lines are drawn, and the second row of `stage` holds dy/dt at the beginning.
    """
    n = len(y)
    _rk4(y, h, parts, work, sky, time, stage)
    # Constraint torques need the acceleration at the end; S changes with gimbals in a step.
    if int(parts[GIMBALS]) or parts[MOVES] > 0.0 or _holds_any(parts, work):
        here = surrounded(sky, time + h)
        omega, _ = slopes(stage[0:n], h, stage[n : 2 * n], parts, work, sky, here)
        return omega
    return _speeds(stage[0:n], parts, work)  # S is constant


@part
def _try(
    y: Array, h: float, parts: Array, work: Array, internal: Array, sky: Array, time: float,
    stage: Array,
) -> Floats:  # fmt: skip
    """Draw the lines of a step of h seconds and take it; returns as `_stepped`."""
    n = len(y)
    _draw_lines(y, h, parts, work, internal)
    slopes(y, 0.0, stage[n : 2 * n], parts, work, sky, surrounded(sky, time))
    return _stepped(y, h, parts, work, sky, time, stage)


@helper
def _holds_any(parts: Array, work: Array) -> bool:
    """Return whether any wheel is held: stuck, locked or at its largest speed."""
    for k in range(int(parts[WHEELS])):
        if not _turns_freely(work[OF_WHEELS + k * TURNING_ROW + MODE]):
            return True
    return False


@part
def _located(
    y: Array, h: float, k: int, start: float, parts: Array, work: Array, internal: Array,
    sky: Array, time: float, stage: Array, seen: Array, least: float,
) -> float:  # fmt: skip
    """Return the time of the event of wheel or coordinate k within a step of h [s].

    Regula falsi with the Illinois modification, to `least` [s].

    start: event function at the beginning of the step;  seen: copy of `work` then
    """
    low, high, at_low, at_high = 0.0, h, min(start, 0.0), _excess(parts, work, k)
    side = 0
    for _ in range(100):
        if high - low <= least:
            break
        middle = high - at_high * (high - low) / (at_high - at_low)
        if not low < middle < high:
            middle = 0.5 * (low + high)
        for j in range(len(seen)):
            work[j] = seen[j]
        _try(y, middle, parts, work, internal, sky, time, stage)
        beyond = _excess(parts, work, k)
        if beyond > 0.0:
            high, at_high = middle, beyond
            if side == 1:
                at_low *= 0.5
            side = 1
        else:
            low, at_low = middle, beyond
            if side == -1:
                at_high *= 0.5
            side = -1
            if beyond == 0.0:
                high = middle
                break
    return high


@helper
def _read_tachometer(parts: Array, row: int, speed: float) -> float:
    """Return the speed that a wheel's tachometer reads [rad/s]: gain, bias and resolution."""
    said = parts[row + TACHO_GAIN] * speed + parts[row + TACHO_BIAS]
    step = parts[row + TACHO_STEP]
    return step * math.floor(said / step + 0.5) if step > 0.0 else said


@helper
def _torque_asked(parts: Array, row: int, work: Array, own: int, torque: float, speed: float,
                  duration: float) -> float:  # fmt: skip
    """Return the motor torque that a command asks for in a tick [N m], within max_torque.

    A speed command closes with the servo's bandwidth for any tick length: after a tick the part
    exp(-bandwidth tick) of the error is left. The nominal drag at the commanded speed is added.
    """
    if math.isnan(speed):
        asked = torque
    else:
        gain = -math.expm1(-parts[row + BANDWIDTH] * duration) / duration
        error = speed - _read_tachometer(parts, row, work[own + SPEED])
        asked = gain * error / parts[row + COUPLING]
        if speed != 0.0:
            asked -= _drag(parts, row, speed, math.copysign(1.0, speed))
    most = parts[row + MAX_TORQUE]
    return max(-most, min(most, asked))


@part
def _ask_wheels(
    internal: Array, parts: Array, work: Array, commands: Array, duration: float
) -> None:
    """Take the wheel commands of a tick, and shift the queue of commands in the dead time."""
    queued = int(parts[QUEUED])
    for k in range(int(parts[WHEELS])):
        row, own = ROWS + k * WHEEL_ROW, OF_WHEELS + k * TURNING_ROW
        state = k * (WHEEL_STATES + queued)
        asked = _torque_asked(
            parts, row, work, own, commands[2 * k], commands[2 * k + 1], duration
        )
        # Until DELAY in this tick the command of `waits` + 1 ticks ago acts, then that of `waits`.
        waits = int(parts[row + WAITS])
        work[own + TARGET] = asked
        if parts[row + DELAYED] > 0.0:
            if parts[row + DELAY] > 0.0:
                work[own + TARGET] = internal[state + QUEUE + waits]
            elif waits > 0:
                work[own + TARGET] = internal[state + QUEUE + waits - 1]
            for j in range(queued - 1, 0, -1):
                internal[state + QUEUE + j] = internal[state + QUEUE + j - 1]
            internal[state + QUEUE] = asked
        if parts[row + LAG] <= 0.0:
            work[own + DRIVE] = work[own + TARGET]


@part
def _end_dead_times(internal: Array, t: float, parts: Array, work: Array, soon: float) -> None:
    """Apply commands whose dead time is over; t: time since the tick began [s]."""
    queued = int(parts[QUEUED])
    for k in range(int(parts[WHEELS])):
        row, own = ROWS + k * WHEEL_ROW, OF_WHEELS + k * TURNING_ROW
        if parts[row + DELAYED] > 0.0 and 0.0 < parts[row + DELAY] <= t + soon:
            state = k * (WHEEL_STATES + queued)
            work[own + TARGET] = internal[state + QUEUE + int(parts[row + WAITS])]
            if parts[row + LAG] <= 0.0:
                work[own + DRIVE] = work[own + TARGET]


@part
def _ask_gimbals(
    y: Array, parts: Array, work: Array, commands: Array, given: int, omega: Floats
) -> bool:
    """Take the gimbal commands of a tick; return whether a rate jumps; given: their index."""
    wheels = int(parts[WHEELS])
    jumps = False
    for k in range(int(parts[GIMBALS])):
        row, own = _gimbal_row(parts, k), OF_WHEELS + wheels * TURNING_ROW + k * TILTING_ROW
        rate, torque = commands[given + 2 * k], commands[given + 2 * k + 1]
        if work[own + 2] == TORQUE_DRIVEN:
            momentum = y[INSIDE + 2 * wheels + 2 * k + 1]
            work[own] = momentum / parts[row + I_G] - dot(three_at(parts, row), omega)
        work[own + 1] = 0.0
        if math.isnan(torque):
            work[own + 2] = RATE_DRIVEN
            most = parts[row + MOST_RATE]
            work[own + 4] = max(-most, min(most, rate))
            change = work[own + 4] - work[own]
            if change != 0.0:
                if parts[row + MOST_ACCELERATION] < math.inf:
                    work[own + 1] = math.copysign(parts[row + MOST_ACCELERATION], change)
                else:
                    work[own] = work[own + 4]
                    jumps = True
        else:
            most = parts[row + MOST_TORQUE]
            work[own + 2], work[own + 3] = TORQUE_DRIVEN, max(-most, min(most, torque))
    return jumps


@helper
def _most_dipole(parts: Array) -> float:
    """Return a bound of the dipole of magnetorquers and residual [A m^2]."""
    row, _, _ = _rods(parts)
    most = norm(three_at(parts, RESIDUAL))
    for k in range(int(parts[RODS])):
        most += parts[row + k * ROD_ROW + MOST_DIPOLE]
    return most


@part
def _steps(
    y: Array, parts: Array, work: Array, here: Floats, omega: Floats, duration: float
) -> tuple[int, float]:
    """Return the number of equal sub-steps that resolves turn, nutation and friction, and `bend`.

    It resolves gimbals, springs, dampers and hysteresis loops, too. bend: half of a bound on the
    second derivative of a body-fixed direction, over the smallest moment of inertia
    [1/(kg m^2 s^2)].
    """
    wheels = int(parts[WHEELS])
    inertia, stored = _inertia_and_stored(y, 0.0, parts, work)
    inverse = 1.0 / parts[LEAST]
    w = work
    torque = norm(three_at(w, WRENCH + 3)) + norm(three_at(w, WRENCH + 9))
    field = norm(three_at(here, FIELD_NOW))
    torque += _most_dipole(parts) * field
    row, _, _ = _jets(parts)
    for _ in range(int(parts[NOZZLES])):
        torque += norm(three_at(parts, row + JET_TORQUE))
        row += THRUSTER_ROW
    motors = loss = tilt = 0.0
    for k in range(wheels):
        row, own = ROWS + k * WHEEL_ROW, OF_WHEELS + k * TURNING_ROW
        if _turns_freely(work[own + MODE]):
            motors += max(abs(work[own + DRIVE]), abs(work[own + TARGET]))
            motors += abs(_drag(parts, row, work[own + SPEED], work[own + MODE]))
            loss = max(loss, parts[row + DRAG_RATE])
    for k in range(int(parts[GIMBALS])):
        own = OF_WHEELS + wheels * TURNING_ROW + k * TILTING_ROW
        tilt = max(tilt, abs(work[own]), abs(work[own + 4]))
    spread = inertia[0] + inertia[1] + inertia[2]
    torque += motors + 3.0 * here[PULL] * spread
    base, at, _ = _moving(parts)
    if parts[MOVES] > 0.0:
        most, _ = moving.magnetic_limits(parts, base, 0.0, duration)
        torque += most * field
    twice_energy = dot(omega, symmetric_times(inertia, omega))
    rate = math.sqrt(twice_energy * inverse) + torque * duration * inverse
    nutation = (norm(stored) + motors * duration) * inverse
    swing = drain = loops = 0.0
    if parts[MOVES] > 0.0:
        press = (norm(three_at(w, WRENCH)) + norm(three_at(w, WRENCH + 6))) / parts[MASS]
        row, _, _ = _jets(parts)
        for _ in range(int(parts[NOZZLES])):
            press += norm(three_at(parts, row + JET_FORCE)) / parts[MASS]
            row += THRUSTER_ROW
        swing, drain = moving.fastest(y, omega, press, parts, base, at)
        changes = norm(three_at(here, FIELD_RATE_NOW)) + rate * field
        _, loops = moving.magnetic_limits(parts, base, changes, duration)
    steps = max(
        rate * duration / SUBSTEP_ANGLE, nutation * duration / NUTATION_ANGLE,
        tilt * duration / LARGEST_TILT, loss * duration / LARGEST_LOSS,
        swing * duration / moving.LARGEST_SWING, drain * duration / moving.LARGEST_DRAIN, loops,
    )  # fmt: skip
    bend = 0.5 * ((rate + nutation) * (rate + nutation) + torque * inverse) * inverse
    if not steps < MOST_STEPS:  # also where the rate overflows
        return MOST_STEPS, 0.0
    return max(1, int(math.ceil(steps))), bend


@part
def _loaded_from(
    state: Array, internal: Array, parts: Array, wrench: Array, y: Array, work: Array
) -> None:
    """Write y and `work` from a flat state (13,), internal states and wrench."""
    wheels, gimbals, queued = int(parts[WHEELS]), int(parts[GIMBALS]), int(parts[QUEUED])
    for j in range(INSIDE):
        y[j] = state[j]
    for j in range(12):
        work[WRENCH + j] = wrench[j]
    for k in range(wheels):
        own, at = OF_WHEELS + k * TURNING_ROW, k * (WHEEL_STATES + queued)
        y[INSIDE + k], y[INSIDE + wheels + k] = internal[at], internal[at + 1]
        work[own + DRIVE] = work[own + TARGET] = internal[at + INTERNAL_DRIVE]
        work[own + MODE] = internal[at + INTERNAL_MODE]
    at = wheels * (WHEEL_STATES + queued)
    for k in range(gimbals):
        own = OF_WHEELS + wheels * TURNING_ROW + k * TILTING_ROW
        tilts = INSIDE + 2 * wheels + 2 * k
        y[tilts], y[tilts + 1] = internal[at], internal[at + 1]
        work[own] = work[own + 4] = internal[at + 2]
        work[own + 2] = internal[at + 3]
        at += GIMBAL_STATES
    book = len(internal) - BOOK_SIZE
    for j in range(BOOK_SIZE):
        y[len(y) - BOOK_SIZE + j] = internal[book + j]
    if parts[MOVES] > 0.0:
        base, first, inside = _moving(parts)
        moving.load(internal, y, parts, work, base, _moving_states(parts), first, inside)
    _lock(parts, work)


@part
def _kept_in(state: Array, internal: Array, parts: Array, y: Array, work: Array) -> None:
    """Write a flat state and internal states from y and `work`."""
    wheels, gimbals, queued = int(parts[WHEELS]), int(parts[GIMBALS]), int(parts[QUEUED])
    for j in range(INSIDE):
        state[j] = y[j]
    for k in range(wheels):
        own, at = OF_WHEELS + k * TURNING_ROW, k * (WHEEL_STATES + queued)
        internal[at] = y[INSIDE + k]
        internal[at + 1] = _within_a_turn(y[INSIDE + wheels + k])
        internal[at + INTERNAL_DRIVE] = work[own + DRIVE]
        internal[at + INTERNAL_MODE] = work[own + MODE]
    at = wheels * (WHEEL_STATES + queued)
    for k in range(gimbals):
        own = OF_WHEELS + wheels * TURNING_ROW + k * TILTING_ROW
        tilts = INSIDE + 2 * wheels + 2 * k
        internal[at], internal[at + 1] = _within_a_turn(y[tilts]), y[tilts + 1]
        internal[at + 2], internal[at + 3] = work[own], work[own + 2]
        at += GIMBAL_STATES
    book = len(internal) - BOOK_SIZE
    for j in range(BOOK_SIZE):
        internal[book + j] = y[len(y) - BOOK_SIZE + j]
    if parts[MOVES] > 0.0:
        base, first, inside = _moving(parts)
        moving.keep(internal, y, parts, work, base, _moving_states(parts), first, inside)


@helper
def _moving_states(parts: Array) -> int:
    """Return where the internal parts' states begin in `internal`."""
    _, _, state = _rods(parts)
    return state + int(parts[RODS])


@helper
def _within_a_turn(angle: float) -> float:
    """Return an angle in -π to π [rad]."""
    turns = math.floor(angle / (2.0 * math.pi) + 0.5)
    return angle - turns * 2.0 * math.pi if turns != 0.0 else angle


@part
def _ticked(
    state: Array, internal: Array, parts: Array, commands: Array, wrench: Array, sky: Array,
    time: float, duration: float, substeps: int, end: Array, room: Array,
) -> None:  # fmt: skip
    """Do what `tick` does in the memory `room`: 7 `_values` + 2 `_work_size` floats."""
    wheels, gimbals = int(parts[WHEELS]), int(parts[GIMBALS])
    n = _values(parts)
    rows, own, _ = _rods(parts)
    size = _work_size(parts)
    y, slope, stage = room[0:n], room[n : 2 * n], room[2 * n : 7 * n]
    work, seen = room[7 * n : 7 * n + size], room[7 * n + size :]
    begin = stage[n : 2 * n]
    soon = RESOLUTION * duration
    _loaded_from(state, internal, parts, wrench, y, work)
    omega = _speeds(y, parts, work)
    _ask_wheels(internal, parts, work, commands, duration)
    if gimbals or parts[MOVES] > 0.0:
        _hold(y, 0.0, parts, work, omega)  # an impulse on the body has changed ω
    if gimbals:
        before = _energy(y, parts, work, omega)
        if _ask_gimbals(y, parts, work, commands, 2 * wheels, omega):
            omega = _speeds(y, parts, work)
            _hold(y, 0.0, parts, work, omega)
            y[n - BOOK_SIZE] += _energy(y, parts, work, omega) - before
    given = 2 * (wheels + gimbals)
    for k in range(int(parts[RODS])):
        most = parts[rows + k * ROD_ROW + MOST_DIPOLE]
        work[own + k] = max(-most, min(most, commands[given + int(parts[NOZZLES]) + k]))
    bend = field = 0.0
    if substeps < 1:
        around = surrounded(sky, time)
        substeps, bend = _steps(y, parts, work, around, omega, duration)
        field = norm(three_at(around, FIELD_NOW))
    h = duration / substeps
    t, k, events = 0.0, 0, MOST_EVENTS * (wheels + _coordinates(parts))
    while k < substeps:
        _end_dead_times(internal, t, parts, work, soon)
        if parts[RODS_OFF] <= t + soon:
            for j in range(int(parts[RODS])):
                work[own + j] = 0.0
        _switch_valves(internal, parts, work, commands, given, soon)
        _settle_gimbals(parts, work, soon)
        if parts[MOVES] > 0.0:
            base, _, inside = _moving(parts)
            moving.let_go(parts, work, base, inside, time + t, soon)
        step = (duration if k == substeps - 1 else (k + 1) * h) - t
        until = _until_switched(internal, t, parts, work, soon, time)
        until = min(until, max(soon, _longest_step(internal, parts, work, field, bend)))
        whole = until >= step - soon
        step = step if whole else until
        _draw_lines(y, step, parts, work, internal)
        here = surrounded(sky, time + t)
        slopes(y, 0.0, begin, parts, work, sky, here)
        released = _worst(parts, work, True)
        while released >= 0 and events > 0:
            events -= 1
            _change_mode(y, slope, released, parts, work, sky, here)
            slopes(y, 0.0, begin, parts, work, sky, here)
            released = _worst(parts, work, True)
        for j in range(len(work)):
            seen[j] = work[j]
        omega = _stepped(y, step, parts, work, sky, time + t, stage)
        event = _worst(parts, work, False) if events > 0 else -1
        found = event
        while event >= 0:  # until the earliest event of the step is found
            found = event
            start = _excess(parts, seen, event)
            step = _located(
                y, step, event, start, parts, work, internal, sky, time + t, stage, seen, soon
            )
            for j in range(len(work)):
                work[j] = seen[j]
            omega = _try(y, step, parts, work, internal, sky, time + t, stage)
            event = _worst(parts, work, False)
            if event == found:
                break
        for j in range(n):
            y[j] = stage[j]
        _hold(y, step, parts, work, omega)
        _pass(internal, step, parts, work)
        if found >= 0:
            events -= 1
            whole = False
            here = surrounded(sky, time + t + step)
            _draw_lines(y, 0.0, parts, work, internal)
            slopes(y, 0.0, slope, parts, work, sky, here)
            _change_mode(y, slope, found, parts, work, sky, here)
        t = t + step
        if whole:
            k += 1
            t = k * h
    _draw_lines(y, 0.0, parts, work, internal)
    here = surrounded(sky, time + duration)
    omega, alpha = slopes(y, 0.0, slope, parts, work, sky, here)
    _put_end(end, y, parts, work, sky, here, omega, alpha)
    _, own, _ = _jets(parts)
    for j in range(len(end) - END_SIZE):
        end[END_SIZE + j] = work[own + j * JETTING_ROW + JET_GIVEN]
    _kept_in(state, internal, parts, y, work)


@helper
def _values(parts: Array) -> int:
    """Return the size of y."""
    n = SIZE + 2 * int(parts[WHEELS]) + 2 * int(parts[GIMBALS]) + BOOK_SIZE
    if parts[MOVES] > 0.0:
        base, _, _ = _moving(parts)
        n += moving.values(parts, base)
    return n


@helper
def _work_size(parts: Array) -> int:
    """Return the size of `work`."""
    base, _, inside = _moving(parts)
    if parts[MOVES] > 0.0:
        return inside + moving.work_size(parts, base)
    return inside


@part
def tick(
    state: Array, internal: Array, parts: Array, commands: Array, wrench: Array, sky: Array,
    time: float, duration: float, substeps: int, end: Array,
) -> None:  # fmt: skip
    """Advance `state` and `internal` in place by a tick; arguments as `advance`.

    end: (15,) of END, written; a longer array gets the thrusters' integrals of `advance` behind
        END
    """
    room = np.zeros(7 * _values(parts) + 2 * _work_size(parts))
    _ticked(
        borrowed(state), borrowed(internal), borrowed(parts), borrowed(commands),
        borrowed(wrench), borrowed(sky), time, duration, substeps, borrowed(end), borrowed(room),
    )  # fmt: skip
    room[0] = state[0]  # keeps `room` alive until here


@part
def _put_end(
    end: Array, y: Array, parts: Array, work: Array, sky: Array, here: Floats, omega: Floats,
    alpha: Floats,
) -> None:  # fmt: skip
    """Write END: force and torque of actuators, air and sunlight, and the body's motion."""
    field_B = _turned_back(y, 1.0, here, FIELD_NOW)
    force = three_at(work, FORCE)
    turning = added(three_at(work, TORQUE), cross(three_at(work, DIPOLE), field_B))
    if parts[PLATES] > 0.0:
        velocity = scaled(1.0 / parts[MASS], three_at(y, 7))
        pushed = _on_plates(y, 1.0, velocity, parts, sky, here)
        force, turning = added(force, three_at(pushed, 0)), added(turning, three_at(pushed, 3))
    for j in range(3):
        end[j], end[3 + j], end[6 + j], end[9 + j] = force[j], turning[j], omega[j], alpha[j]
    if parts[MOVES] > 0.0:
        _, _, inside = _moving(parts)
        turned = cross(omega, three_at(work, inside + moving.VELOCITY))
        gained = added(three_at(work, inside + moving.ACCELERATION), turned)
        end[12], end[13], end[14] = gained


@compiled
def advance(
    flat_state: FlatState,
    internal: Array,
    parts: Array,
    commands: Array,
    wrench: FlatWrench,
    sky: Array,
    time: float,
    duration: float,
    substeps: int,
) -> Array:
    """Return state, internal states, END and thrust `duration` seconds later, in one row.

    State (13,), internal states (n,), END (15,), and for each thruster the integral (M,) of its
    force over its largest force [s].
    flat_state: (13,) of core.body.state;  internal, parts, commands: of core.actuators.layouts
    wrench: (12,) of core.body.loads, constant, gravity's force included [N, N m]
    sky: (69,) of core.environment.sky, in body axes;  time: of the orbit [s]
    duration: [s];  substeps: smallest number of RK4 steps in it, 0 to choose them
    """
    n = len(internal)
    whole = np.zeros(SIZE + n + END_SIZE + int(parts[NOZZLES]))
    for j in range(SIZE):
        whole[j] = flat_state[j]
    for j in range(n):
        whole[SIZE + j] = internal[j]
    tick(
        whole[0:SIZE], whole[SIZE : SIZE + n], parts, commands, wrench, sky, time, duration,
        substeps, whole[SIZE + n :],
    )  # fmt: skip
    return whole


@compiled
def substep_count(
    flat_state: FlatState,
    internal: Array,
    parts: Array,
    wrench: FlatWrench,
    sky: Array,
    time: float,
    duration: float,
) -> int:
    """Return the number of sub-steps that `advance` chooses without commands."""
    y, work = np.zeros(_values(parts)), np.zeros(_work_size(parts))
    _loaded_from(flat_state, internal, parts, wrench, y, work)
    omega = _speeds(y, parts, work)
    steps, _ = _steps(y, parts, work, surrounded(sky, time), omega, duration)
    return steps


@compiled
def end_of(
    flat_state: FlatState,
    internal: Array,
    parts: Array,
    wrench: FlatWrench,
    sky: Array,
    time: float,
) -> Array:
    """Return END (15,) of a state at which no tick ended; arguments as `advance`."""
    n = _values(parts)
    y, slope, end = np.zeros(n), np.zeros(n), np.zeros(END_SIZE)
    work = np.zeros(_work_size(parts))
    _loaded_from(flat_state, internal, parts, wrench, y, work)
    _draw_lines(y, 0.0, parts, work, internal)
    here = surrounded(sky, time)
    omega, alpha = slopes(y, 0.0, slope, parts, work, sky, here)
    _put_end(end, y, parts, work, sky, here, omega, alpha)
    return end


@helper
def stored_beside(L_B: Floats, omega: Floats, parts: Array) -> Floats:
    """Return L_B - J ω, three floats [N m s]; J: inertia of the carrier."""
    return moved_vector(L_B, -1.0, symmetric_times(six_at(parts, INERTIA), omega))


@part
def _motion(state: Array, internal: Array, parts: Array, y: Array, work: Array) -> Floats:
    """Write y and `work` of a state, with the rates of internal parts; return ω, three floats."""
    _loaded_from(state, internal, parts, np.zeros(12), y, work)
    inertia, stored = _inertia_and_stored(y, 0.0, parts, work)
    omega = symmetric_solved(inertia, moved_vector(_body_momentum(y), -1.0, stored))
    if parts[MOVES] > 0.0:
        base, at, inside = _moving(parts)
        moving.find_rates(y, omega, parts, work, base, at, inside)
    return omega


@compiled
def motion_of(flat_state: FlatState, internal: Array, parts: Array) -> Array:
    """Return ω (3,) [rad/s], kinetic energy of rotation and elastic energy of springs [J].

    And the velocity of the origin relative to the centre of mass (3,) [m/s], body axes: eight
    numbers. Arguments as `advance`.
    """
    y, work = np.zeros(_values(parts)), np.zeros(_work_size(parts))
    omega = _motion(flat_state, internal, parts, y, work)
    kinetic, springs = _energies(y, parts, work, omega)
    found = np.zeros(8)
    found[0], found[1], found[2] = omega
    found[3], found[4] = kinetic, springs
    if parts[MOVES] > 0.0:
        _, _, inside = _moving(parts)
        for j in range(3):
            found[5 + j] = work[inside + moving.VELOCITY + j]
    return found


@compiled
def internal_rates_of(flat_state: FlatState, internal: Array, parts: Array) -> Array:
    """Return Spacecraft.internal_rates; arguments as `advance`."""
    y, work = np.zeros(_values(parts)), np.zeros(_work_size(parts))
    omega = _motion(flat_state, internal, parts, y, work)
    base, at, inside = _moving(parts)
    return moving.rates(y, omega, parts, work, base, at, inside)
