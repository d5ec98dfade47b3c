# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Compiled floors: the level function G(t, x) with its derivatives, and the floor's velocity.

The floor is solid where G <= 0; its gradient points out of it. G gives the surface's motion along
its normal; only the velocity gives the material's motion along the surface (conveyor, turntable).
Both kinds of function have one fixed signature, so that the compiled step calls any of them by
address:

    level(t, x, y, z, parameters) -> G, Gt, Gtt, Gx, Gy, Gz, Gxt, Gyt, Gzt,
                                     Gxx, Gyy, Gzz, Gxy, Gxz, Gyz
    velocity(t, x, y, z, parameters) -> v (3), ∂v/∂t (3), ∂v/∂x (9, row by row)

with ∇G · v + Gt = 0 on the floor.
"""

import math

from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
from spacecraft_attitude_sim.kernels.kernel import Handle, Kernel, compiled_as, helper

FLOOR = f'UniTuple(float64, 15)({"float64, " * 4}float64[::1])'
floor_function = compiled_as(FLOOR)


def floor_handle(level: Kernel, velocity: Kernel) -> Handle:
    """Return the Handle of the two functions of a floor."""
    return Handle(FLOOR, level, velocity)


@floor_function
def plane_level(t: float, x: float, y: float, z: float, parameters: Array) -> Floats:
    """Return G = n · (x - point) - A sin(w t + phase) and its derivatives.

    parameters: n (3), point (3) [m], A [m], w [rad/s], phase [rad], conveyor (3) [m/s],
    spin [rad/s]
    """
    a, b, c = parameters[0], parameters[1], parameters[2]
    amplitude, rate = parameters[6], parameters[7]
    level = a * (x - parameters[3]) + b * (y - parameters[4]) + c * (z - parameters[5])
    if amplitude == 0.0:
        return (level, 0.0, 0.0, a, b, c, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    angle = rate * t + parameters[8]
    rise = amplitude * math.sin(angle)
    return (
        level - rise, -amplitude * rate * math.cos(angle), rate * rate * rise,
        a, b, c, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    )  # fmt: skip


@floor_function
def plane_velocity(t: float, x: float, y: float, z: float, parameters: Array) -> Floats:
    """Return v = conveyor + spin n × (x - point) + A w cos(w t + phase) n and its derivatives."""
    a, b, c = parameters[0], parameters[1], parameters[2]
    x, y, z = x - parameters[3], y - parameters[4], z - parameters[5]
    angle = parameters[7] * t + parameters[8]
    rise = parameters[6] * parameters[7] * math.cos(angle)
    jolt = -parameters[6] * (parameters[7] * parameters[7]) * math.sin(angle)
    spin = parameters[12]
    return (
        parameters[9] + spin * (b * z - c * y) + rise * a,
        parameters[10] + spin * (c * x - a * z) + rise * b,
        parameters[11] + spin * (a * y - b * x) + rise * c,
        jolt * a, jolt * b, jolt * c,
        0.0, -spin * c, spin * b,
        spin * c, 0.0, -spin * a,
        -spin * b, spin * a, 0.0,
    )  # fmt: skip


@helper
def sphere_level(x: float, y: float, z: float, parameters: Array, sign: float) -> Floats:
    """Return sign (|x - center| - R) and its derivatives, fifteen floats."""
    x, y, z = x - parameters[0], y - parameters[1], z - parameters[2]
    distance = math.sqrt(x * x + y * y + z * z)
    if distance == 0.0:
        # At the centre the direction is undefined: take +z.
        return (-sign * parameters[3], 0.0, 0.0, 0.0, 0.0, 1.0,
                0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # fmt: skip
    s = 1.0 / distance
    x, y, z = s * x, s * y, s * z
    bend = sign * s
    return (
        sign * (distance - parameters[3]), 0.0, 0.0, sign * x, sign * y, sign * z, 0.0, 0.0, 0.0,
        bend * (1.0 - x * x), bend * (1.0 - y * y), bend * (1.0 - z * z),
        -bend * x * y, -bend * x * z, -bend * y * z,
    )  # fmt: skip


@floor_function
def bowl_level(t: float, x: float, y: float, z: float, parameters: Array) -> Floats:
    """Return G = R - |x - center| and its derivatives: solid outside a sphere.

    parameters: center (3) [m], R [m], angular velocity (3) [rad/s]
    """
    return sphere_level(x, y, z, parameters, -1.0)


@floor_function
def dome_level(t: float, x: float, y: float, z: float, parameters: Array) -> Floats:
    """Return G = |x - center| - R and its derivatives: solid inside a sphere.

    parameters: as of bowl_level
    """
    return sphere_level(x, y, z, parameters, 1.0)


@floor_function
def bowl_velocity(t: float, x: float, y: float, z: float, parameters: Array) -> Floats:
    """Return v = Ω × (x - center) and its derivatives."""
    x, y, z = x - parameters[0], y - parameters[1], z - parameters[2]
    a, b, c = parameters[4], parameters[5], parameters[6]
    return (
        b * z - c * y, c * x - a * z, a * y - b * x,
        0.0, 0.0, 0.0,
        0.0, -c, b, c, 0.0, -a, -b, a, 0.0,
    )  # fmt: skip


@floor_function
def at_rest(t: float, x: float, y: float, z: float, parameters: Array) -> Floats:
    """Return the velocity of a floor that does not move, and its derivatives: zeros."""
    return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
