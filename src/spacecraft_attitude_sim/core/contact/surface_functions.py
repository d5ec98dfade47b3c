# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Compiled body surfaces: the implicit function with its derivatives, and the support point.

A surface is H(s) = 0 in its own axes, H < 0 inside. Its function has one fixed signature, so that
the compiled step calls any of them by address, a user's included:

    implicit(x, y, z, parameters) -> H, Hx, Hy, Hz, Hxx, Hyy, Hzz, Hxy, Hxz, Hyz

The farthest point of a surface along a direction, its support point, is known in closed form for
some: `support`.
"""

import math

from spacecraft_attitude_sim.core.contact.solver.layout import ELLIPSOID
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
from spacecraft_attitude_sim.kernels.kernel import Handle, Kernel, compiled_as, helper, part

IMPLICIT = f'UniTuple(float64, 10)({"float64, " * 3}float64[::1])'
implicit_function = compiled_as(IMPLICIT)


def implicit_handle(function: Kernel) -> Handle:
    """Return the Handle of an implicit function."""
    return Handle(IMPLICIT, function)


@implicit_function
def ellipsoid(x: float, y: float, z: float, parameters: Array) -> Floats:
    """Return H = ½ (x²/a² + y²/b² + z²/c² - 1) and its derivatives; parameters: a, b, c [m]."""
    u = 1.0 / (parameters[0] * parameters[0])
    v = 1.0 / (parameters[1] * parameters[1])
    w = 1.0 / (parameters[2] * parameters[2])
    level = 0.5 * (u * x * x + v * y * y + w * z * z - 1.0)
    return (level, u * x, v * y, w * z, u, v, w, 0.0, 0.0, 0.0)


@helper
def support(kind: int, d: Floats, parameters: Array) -> Floats:
    """Return the farthest point (3,) of an ELLIPSOID or SUPPORTED surface along d, |d| = 1.

    In the surface's axes; parameters: those of its function
    """
    if kind == ELLIPSOID:
        return ellipsoid_support(d, parameters)
    return superellipsoid_support(d, parameters)


@helper
def ellipsoid_support(d: Floats, parameters: Array) -> Floats:
    """Return A² d / |A d|, A = diag(a, b, c)."""
    dx, dy, dz = d
    a, b, c = parameters[0], parameters[1], parameters[2]
    x, y, z = a * dx, b * dy, c * dz
    s = 1.0 / math.sqrt(x * x + y * y + z * z)
    return (s * a * a * dx, s * b * b * dy, s * c * c * dz)


@helper
def pair_norm(a: float, b: float, p: float) -> Floats:
    """Return the p-norm N of (a, b), both >= 0, its gradient and its three second derivatives.

    Without cancellation: ∂²N/∂a² = (p - 1)/N α^(p-2) β^p with α = a/N, β = b/N.
    """
    largest = max(a, b)
    if largest == 0.0:
        return (0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
    N = largest * ((a / largest) ** p + (b / largest) ** p) ** (1.0 / p)
    alpha, beta = a / N, b / N
    bend = (p - 1.0) / N
    alpha_2, beta_2 = alpha ** (p - 2.0), beta ** (p - 2.0)
    return (
        N, alpha_2 * alpha, beta_2 * beta,
        bend * alpha_2 * beta_2 * beta * beta,
        bend * beta_2 * alpha_2 * alpha * alpha,
        -bend * alpha_2 * alpha * beta_2 * beta,
    )  # fmt: skip


@implicit_function
def superellipsoid(x: float, y: float, z: float, parameters: Array) -> Floats:
    """Return H = ((|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q)^(1/q) - 1 and its derivatives.

    parameters: a, b, c [m], p (around the z axis), q (towards it), both >= 2.
    """
    i = math.copysign(1.0 / parameters[0], x)
    j = math.copysign(1.0 / parameters[1], y)
    k = math.copysign(1.0 / parameters[2], z)
    rho, ru, rv, ruu, rvv, ruv = pair_norm(x * i, y * j, parameters[3])
    N, nr, nw, nrr, nww, nrw = pair_norm(rho, z * k, parameters[4])
    if rho == 0.0:
        # On the z axis: round when q = 2 (the limit of the terms below), flat when q > 2.
        return (N - 1.0, 0.0, 0.0, nw * k, i * i * nrr, j * j * nrr, nww * k * k, 0.0, 0.0, 0.0)
    return (
        N - 1.0, nr * ru * i, nr * rv * j, nw * k,
        (nrr * ru * ru + nr * ruu) * i * i,
        (nrr * rv * rv + nr * rvv) * j * j,
        nww * k * k,
        (nrr * ru * rv + nr * ruv) * i * j,
        nrw * ru * i * k,
        nrw * rv * j * k,
    )  # fmt: skip


@part
def superellipsoid_support(d: Floats, parameters: Array) -> Floats:
    """Return the gradient of the dual norm: exponents p/(p - 1), q/(q - 1), axes multiplied."""
    dx, dy, dz = d
    a, b, c = parameters[0], parameters[1], parameters[2]
    p = parameters[3] / (parameters[3] - 1.0)
    q = parameters[4] / (parameters[4] - 1.0)
    u, v, w = abs(a * dx), abs(b * dy), abs(c * dz)
    rho = (u**p + v**p) ** (1.0 / p)
    N = (rho**q + w**q) ** (1.0 / q)
    around = 0.0 if rho == 0.0 else (rho / N) ** (q - 1.0)
    inverse = 0.0 if rho == 0.0 else 1.0 / rho
    return (
        math.copysign(a * around * (u * inverse) ** (p - 1.0), dx),
        math.copysign(b * around * (v * inverse) ** (p - 1.0), dy),
        math.copysign(c * (w / N) ** (q - 1.0), dz),
    )
