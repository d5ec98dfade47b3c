# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Exact attitude of a torque-free rigid body at any time, in every case.

In axes E, e3 the principal axis that L circles, m = |L| (A1 cn u, ±A2 sn u, A3 dn u) with
u = u0 + λ t. In the frame whose z axis is L the rotation itself is a pair of theta functions on
the lattice (2K, 4iK'): q = (Re a, Re b, Im b, Im a), up to a common factor, with

    a = e^{iνt} θ4(x - iη),    b = c e^{iνt} θ1(x - iη),    x = π u / 2K.

Near the separatrix Jacobi's imaginary transformation turns them into hyperbolic series in
y = π u / 4K', and whole periods are counted. So the nome is at most e^-π and four terms are exact.

Sources: C. G. J. Jacobi, J. reine angew. Math. 39 (1850) 293; F. Klein and A. Sommerfeld, Theorie
des Kreisels II (1898) ch. VI; DLMF 20.2, 20.7(viii), 22.2. Series coefficients: theta_series.py.
"""

import numpy as np

from spacecraft_attitude_sim.core.equations.shared.free_motion_constants import (
    between_axes,
    constants,
)
from spacecraft_attitude_sim.core.mathematics import double_double
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_product
from spacecraft_attitude_sim.core.mathematics.types import (
    Array,
    FlatBody,
    FlatState,
    Floats,
    Quaternion,
)
from spacecraft_attitude_sim.kernels.kernel import compiled, inlined


@compiled
def prepare(flat_state: FlatState, body: FlatBody) -> Array:
    """Return the constants (31,) for `evaluate` of the free motion that begins in a state.

    The given floats are taken as exact; what decides the long-term motion is computed in
    double-double arithmetic.

    flat_state: (13,) of core.body.state, at t = 0;  body: (12,) of RigidBody.flat
    """
    s, b = flat_state, body
    m = double_double.rotate(s[3], -s[4], -s[5], -s[6], ((s[10], 0.0), (s[11], 0.0), (s[12], 0.0)))
    m = double_double.rotate(b[4], -b[5], -b[6], -b[7], m)
    q_WP = quaternion_product(s[3], s[4], s[5], s[6], b[4], b[5], b[6], b[7])
    k = constants(q_WP, m, (b[9], b[10], b[11]))
    q_EB = quaternion_product(k[27], k[28], k[29], k[30], b[4], -b[5], -b[6], -b[7])
    return np.array(k[:27] + q_EB)


@compiled
def evaluate(constants: Array, t: float) -> Quaternion:
    """Return q_WB (4,) at time t [s]; constants: (31,) of `prepare`."""
    return np.array(attitude(constants, t))


@compiled
def evaluate_many(constants: Array, times: Array) -> Array:
    """Return q_WB (n, 4) at times (n,) [s]; constants: (31,) of `prepare`."""
    attitudes = np.empty((times.size, 4))
    for index in range(times.size):
        attitudes[index] = attitude(constants, times[index])
    return attitudes


@inlined
def attitude(k: Floats, t: float) -> Floats:
    """Return q_WB at time t [s], four floats; k: the 31 constants."""
    w, x, y, z = between_axes(k, t)
    w, x, y, z = quaternion_product(k[23], k[24], k[25], k[26], w, x, y, z)
    return quaternion_product(w, x, y, z, k[27], k[28], k[29], k[30])
