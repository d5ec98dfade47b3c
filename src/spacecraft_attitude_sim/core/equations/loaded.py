# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The momentum form of a gyrostat under loads of its environment, integrated by RK4.

    dL/dt = τ_W + q ∘ (τ_B + 3 n² r̂ × I r̂) ∘ q*
    dq/dt = ½ q ∘ ω        ω = J^-1 (q* ∘ L ∘ q - h)        dh/dt = u, constant in a tick

The momentum h stored in the wheels grows linearly, so it is known at every instant of a tick. L is
the total in the inertial frame: without external torque every stage adds exactly zero to it. The
loads of the environment are evaluated in every stage; the whole is of fourth order. Without h and
loads each step has the bits of momentum.py. See core.parts.reaction_wheels.description for J and
h, and core.environment.loads for the load.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.actuators.actuator import GYROSTAT
from spacecraft_attitude_sim.core.body.state import SIZE
from spacecraft_attitude_sim.core.environment.circular_orbit import CIRCLE, radial_at
from spacecraft_attitude_sim.core.environment.loads import gravity_gradient
from spacecraft_attitude_sim.core.equations.momentum import (
    SUBSTEP_ANGLE,
    moved,
    normalised,
    slopes,
)
from spacecraft_attitude_sim.core.equations.shared.limits import flies_within
from spacecraft_attitude_sim.core.equations.shared.principal_frame import (
    MOST_STEPS,
    body_momentum,
    from_principal_axes,
    in_principal_axes,
    wrench_in_principal_axes,
)
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.vectors import (
    cross,
    moved_vector,
    norm,
    six_at,
    three_at,
)
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.kernel import compiled, helper
from spacecraft_attitude_sim.kernels.pointers import borrowed

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import (
        Array,
        FlatBody,
        FlatState,
        FlatWrench,
        Floats,
    )


# Largest phase of nutation, whose rate is at most |h|/J, in one automatic sub-step [rad]. The
# error is relative to the nutation, not to the turn, so it may be coarser than SUBSTEP_ANGLE.
NUTATION_ANGLE = 1.0 / 128.0
STORED, MOTORS = GYROSTAT.at('momentum_B'), GYROSTAT.at('torque_B')
GYROSTAT_SIZE = GYROSTAT.size
RATE, RADIAL = CIRCLE.at('rate'), CIRCLE.at('radial_W')
FORWARD, INERTIA = CIRCLE.at('forward_W'), CIRCLE.at('inertia_P')
# Constants of a gyrostat for the kernel `tick`: RigidBody.flat of the carrier, its weight in world
# axes, CIRCLE, the length of a tick, sub-steps in it, and the largest rate; wheels' axes follow.
CONSTANTS = Layout(body=12, weight_W=3, gradient=CIRCLE.size, duration=1, substeps=1, rate=1)
WEIGHT, GRADIENT, DURATION = (CONSTANTS.at(name) for name in ('weight_W', 'gradient', 'duration'))
SUBSTEPS, LARGEST_RATE, AXES = CONSTANTS.at('substeps'), CONSTANTS.at('rate'), CONSTANTS.size
NO_GRADIENT = np.zeros(CIRCLE.size)
NO_GRADIENT.flags.writeable = False


@helper
def gradient_torque(y: Floats, radial_W: Floats, gradient: Array | Floats) -> Floats:
    """Return the gravity-gradient torque 3 n² r̂ × I r̂, three floats [N m], principal axes."""
    q0, q1, q2, q3 = y[3], y[4], y[5], y[6]
    # q is not quite unit inside a stage; r̂ is.
    u = 1.0 / (q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
    x, y_, z = quaternion_sandwich(q0, -q1, -q2, -q3, radial_W[0], radial_W[1], radial_W[2])
    r = (u * x, u * y_, u * z)
    strength = 3.0 * gradient[RATE] * gradient[RATE]
    return gravity_gradient.gradient_torque(strength, six_at(gradient, INERTIA), r)


@helper
def orbital_energy(y: Floats, gradient: Array | Floats, radial_W: Floats) -> float:
    """Return the orbit's part of the conserved energy, V - n n̂·L [J]; 0 without an orbit.

    Jacobi's integral is the sum of this and the kinetic energy; V of loads/gravity_gradient.py.

    y: (x, q_WP, p, L), thirteen floats;  gradient: as advance;  radial_W: of radial_at
    """
    g = gradient
    r = quaternion_sandwich(y[3], -y[4], -y[5], -y[6], radial_W[0], radial_W[1], radial_W[2])
    strength = 1.5 * g[RATE] * g[RATE]
    potential = gravity_gradient.gradient_potential(strength, six_at(g, INERTIA), r)
    n = cross(three_at(gradient, RADIAL), three_at(gradient, FORWARD))
    return potential - g[RATE] * (n[0] * y[10] + n[1] * y[11] + n[2] * y[12])


@helper
def derivative(y: Floats, body: Floats, wrench: Floats, torque: Floats, stored: Floats) -> Floats:
    """Return d(x, q, p, L)/dt as thirteen floats.

    torque: three floats added to that of the wrench, principal axes [N m]
    stored: angular momentum of the wheels, three floats, principal axes [N m s]
    """
    turning = moved_vector(body_momentum(y), -1.0, stored)
    total = moved_vector((wrench[3], wrench[4], wrench[5]), 1.0, torque)
    return slopes(y, body, turning, wrench, total)


@helper
def rk4(
    y: Floats,
    h: float,
    body: Floats,
    wrench: Floats,
    stored: Floats,
    motors: Floats,
    gradient: Array | Floats,
    radials: tuple[Floats, Floats, Floats],
) -> Floats:
    """Return the state one classical Runge-Kutta step of h seconds later, thirteen floats.

    stored: angular momentum of the wheels at the beginning of the step, three floats [N m s]
    motors: its rate, three floats [N m]; both in principal axes
    radials: directions from the planet at the beginning, middle and end, three floats each
    """
    half = h / 2.0
    middle, last = moved_vector(stored, half, motors), moved_vector(stored, h, motors)
    k1 = derivative(y, body, wrench, gradient_torque(y, radials[0], gradient), stored)
    z = moved(y, half, k1)
    k2 = derivative(z, body, wrench, gradient_torque(z, radials[1], gradient), middle)
    z = moved(y, half, k2)
    k3 = derivative(z, body, wrench, gradient_torque(z, radials[1], gradient), middle)
    z = moved(y, h, k3)
    k4 = derivative(z, body, wrench, gradient_torque(z, radials[2], gradient), last)
    total = moved(moved(k1, 2.0, moved(k2, 1.0, k3)), 1.0, k4)
    return normalised(moved(y, h / 6.0, total))


@helper
def steps_of(
    y: Floats,
    body: Array | Floats,
    wrench: Array | Floats,
    stored: Floats,
    motors: Floats,
    gradient: Array | Floats,
    duration: float,
) -> int:
    """Return the number of equal steps that keeps turn and nutation in each small enough.

    Without torque ½ ω·Jω is constant for any stored momentum; the rest is as for a rigid body.
    """
    m = moved_vector(body_momentum(y), -1.0, stored)
    twice_energy = body[1] * m[0] * m[0] + body[2] * m[1] * m[1] + body[3] * m[2] * m[2]
    largest_inverse = max(body[1], body[2], body[3])
    i = INERTIA
    spread = max(abs(gradient[i]), abs(gradient[i + 1]), abs(gradient[i + 2]))
    strength = 3.0 * gradient[RATE] * gradient[RATE]
    torque = (
        norm((wrench[3], wrench[4], wrench[5])) + norm((wrench[9], wrench[10], wrench[11]))
        + norm(motors) + gravity_gradient.gradient_bound(strength, spread)
    )  # fmt: skip
    rate = math.sqrt(twice_energy * largest_inverse) + torque * duration * largest_inverse
    nutation = (norm(stored) + norm(motors) * duration) * largest_inverse
    steps = max(rate * duration / SUBSTEP_ANGLE, nutation * duration / NUTATION_ANGLE)
    if not steps < MOST_STEPS:  # also where the rate overflows
        return MOST_STEPS
    return max(1, int(math.ceil(steps)))


@helper
def vector_in_principal_axes(values: Array | Floats, k: int, body: Array | Floats) -> Floats:
    """Return components k to k + 2 of an array in body axes, turned to principal axes."""
    return quaternion_sandwich(
        body[4], -body[5], -body[6], -body[7], values[k], values[k + 1], values[k + 2]
    )


@compiled
def substep_count(
    flat_state: FlatState,
    body: FlatBody,
    wrench: FlatWrench,
    gyrostat: Array,
    gradient: Array,
    duration: float,
) -> int:
    """Return the number of sub-steps that `advance` chooses; same arguments."""
    stored = vector_in_principal_axes(gyrostat, STORED, body)
    motors = vector_in_principal_axes(gyrostat, MOTORS, body)
    y = in_principal_axes(flat_state, body)
    return steps_of(y, body, wrench, stored, motors, gradient, duration)


@helper
def advanced(
    state: Array | Floats,
    body: Array | Floats,
    wrench: Array | Floats,
    gyrostat: Array,
    gradient: Array,
    time: float,
    duration: float,
    substeps: int,
) -> Floats:
    """Return the flat state `duration` seconds later, thirteen floats; arguments as `advance`."""
    y = in_principal_axes(state, body)
    stored = vector_in_principal_axes(gyrostat, STORED, body)
    motors = vector_in_principal_axes(gyrostat, MOTORS, body)
    if substeps < 1:
        substeps = steps_of(y, body, wrench, stored, motors, gradient, duration)
    turned = wrench_in_principal_axes(wrench, body)
    inverses = (body[0], body[1], body[2], body[3])
    h = duration / substeps
    first = radial_at(gradient, time)
    for k in range(substeps):
        begin = k * h
        middle = radial_at(gradient, time + (begin + 0.5 * h))
        last = radial_at(gradient, time + (begin + h))
        now = moved_vector(stored, begin, motors)
        y = rk4(y, h, inverses, turned, now, motors, gradient, (first, middle, last))
        first = last
    return from_principal_axes(y, body)


@compiled
def advance(
    flat_state: FlatState,
    body: FlatBody,
    wrench: FlatWrench,
    gyrostat: Array,
    gradient: Array,
    time: float,
    duration: float,
    substeps: int,
) -> FlatState:
    """Return the state (13,) `duration` seconds later, wrench and motor torques constant.

    flat_state: (13,) of core.body.state;  body: (12,) of RigidBody.flat, of inertia J
    wrench: (12,) of core.body.loads: force and torque in body axes, then in world axes [N, N m]
    gyrostat: (6,) of GYROSTAT at the beginning, body axes
    gradient: (13,) of CIRCLE; zeros without an orbit;  time: of the orbit [s]
    duration: [s];  substeps: number of RK4 steps, 0 to choose it as substep_count
    """
    return np.array(
        advanced(flat_state, body, wrench, gyrostat, gradient, time, duration, substeps)
    )


@helper
def summed(axes: Array, amounts: Array, begin: int, end: int) -> Floats:
    """Return Σ amount_i a_i, three floats, added wheel by wheel, as by ReactionWheels.drive.

    axes: flat, of all wheels;  amounts: those from index `begin` to `end` count
    """
    x = y = z = 0.0
    for k in range(end - begin):
        amount = amounts[begin + k]
        x += amount * axes[3 * k]
        y += amount * axes[3 * k + 1]
        z += amount * axes[3 * k + 2]
    return x, y, z


@helper
def total_of(wrench: Array, constants: Array) -> Array:
    """Return a wrench (12,) with the weight added; arguments as `tick`."""
    total = np.empty(12)
    for i in range(12):
        total[i] = wrench[i]
    for i in range(3):
        total[6 + i] = wrench[6 + i] + constants[WEIGHT + i]
    return total


@helper
def ticked(
    begin: Array, row: Array, gyrostat: Array, torques: Array, total: Array, constants: Array,
    time: float,
) -> bool:  # fmt: skip
    """Do what `tick` does; row: (13 + n,), gyrostat: (6,), total: of `total_of`."""
    states, axes = len(row), constants[AXES:]
    h, u = summed(axes, begin, SIZE, states), summed(axes, torques, 0, len(torques))
    duration, stored = constants[DURATION], 0.0
    for i in range(3):
        gyrostat[STORED + i], gyrostat[MOTORS + i] = h[i], u[i]
    for i in range(SIZE, states):
        row[i] = begin[i]
    for i in range(len(torques)):
        row[SIZE + i] = begin[SIZE + i] + duration * torques[i]
    body, gradient = constants[0:WEIGHT], constants[GRADIENT:DURATION]
    y = advanced(
        begin[0:SIZE], body, total, gyrostat, gradient, time, duration, int(constants[SUBSTEPS])
    )
    for i in range(SIZE):
        row[i] = y[i]
    for i in range(SIZE, states):
        stored += abs(row[i])
    least = min(body[9], body[10], body[11])
    slow = norm(three_at(row, SIZE - 3)) + stored < constants[LARGEST_RATE] * least
    return slow and flies_within(row, body[8])


@compiled
def tick(
    begin: Array, row: Array, torques: Array, wrench: FlatWrench, constants: Array, time: float
) -> bool:
    """Write a row one tick later; return whether it is certainly within the limits.

    Where it returns False, call limits.check_motion. It is one call from Python instead of eight.

    begin: (13 + n,) state and momenta of the wheels, more may follow
    row: (13 + n + 6,) of them, and GYROSTAT when the tick begins
    torques: (n,) of the motors [N m], or (0,) for none;  time: of the orbit [s]
    wrench: (12,) of core.body.loads, constant, without weight;  constants: CONSTANTS and axes
    """
    total, states = total_of(wrench, constants), len(row) - GYROSTAT_SIZE
    return ticked(begin, row[:states], row[states:], torques, total, constants, time)


@compiled
def trajectory(
    rows: Array, torques: Array, wrench: FlatWrench, constants: Array, count: int, first: int,
    tick_ns: int,
) -> int:  # fmt: skip
    """Write the states of `count` ticks behind a given one; return how many are written.

    Where limits.check_motion must decide about the last of them, the negative number is returned.

    rows: (13 + n,) state and momenta of the wheels of each tick, one after the other
    torques: (n count,) of each tick, or (0,) for none
    first: ticks since the start;  tick_ns: of one [ns]
    The others are arguments of `tick`.
    """
    width, wheels = len(rows) // (count + 1), len(torques) // count
    total, gyrostat = total_of(wrench, constants), np.empty(GYROSTAT_SIZE)
    own, held, stored, asked, known = borrowed((rows, total, gyrostat, torques, constants))
    for k in range(count):
        at = k * width
        if not ticked(
            own[at : at + width], own[at + width : at + 2 * width], stored,
            asked[k * wheels : (k + 1) * wheels], held, known, seconds_of(first + k, tick_ns),
        ):  # fmt: skip
            count = -k - 1
            break
    total[0], gyrostat[0] = 0.0, 0.0  # keeps both alive until here
    return count
