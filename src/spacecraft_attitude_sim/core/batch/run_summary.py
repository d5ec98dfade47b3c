# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Summary of a run, computed while it runs: drifts, flips, and when its rate settled.

A flat record is RECORD in a column of an array, so that records of many bodies lie side by
side. It agrees with core.studies.flips_and_drifts.DriftMonitor.
"""

import math
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.equations.shared.principal_frame import (
    body_momentum,
    in_principal_axes,
)
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import norm
from spacecraft_attitude_sim.core.ticks import DEFAULT, Ticks, seconds_of
from spacecraft_attitude_sim.kernels.kernel import helper

# L_W at the start, the spin axis in body axes, energy at the start, L along that axis at the
# instant before, largest |L - L_0|, largest |E - E_0|, flips, last tick above the settled rate,
# largest rate, rate, largest torque.
RECORD = Layout(
    momentum=3, axis=3, energy=1, along=1, change=1, energy_change=1, flips=1, unsettled=1,
    largest_rate=1, rate=1, largest_torque=1,
)  # fmt: skip
SIZE = RECORD.size
(
    MOMENTUM, AXIS, ENERGY, ALONG, CHANGE, ENERGY_CHANGE, FLIPS, UNSETTLED, LARGEST_RATE, RATE,
    LARGEST_TORQUE,
) = RECORD.places()  # fmt: skip
NEVER = -1.0


class Merits(NamedTuple):
    """Results of many runs, an array (N,) each.

    final_rate, largest_rate: [rad/s];  settling_time: after which the rate stays below the
        settled rate [s], nan where it does not
    momentum_drift, energy_drift: largest change of the inertial L and of the energy, gravity's
        included, relative to their initial magnitudes;  flips: reversals of the spin axis
    largest_torque: commanded [N m]
    """

    final_rate: np.ndarray
    largest_rate: np.ndarray
    settling_time: np.ndarray
    momentum_drift: np.ndarray
    energy_drift: np.ndarray
    flips: np.ndarray
    largest_torque: np.ndarray


@helper
def motion(state: Floats, body: Floats, weight: Floats) -> tuple[Floats, float, float]:
    """Return L in body axes (3 floats), rate [rad/s] and energy with gravity's potential [J]."""
    m = body_momentum(in_principal_axes(state, body))
    w = (body[1] * m[0], body[2] * m[1], body[3] * m[2])
    return body_momentum(state), norm(w), mechanical_energy(state, body, weight, w, m)


@helper
def mechanical_energy(state: Floats, body: Floats, weight: Floats, w: Floats, m: Floats) -> float:
    """Return the kinetic energy of a body and the potential of gravity [J].

    w, m: angular velocity and I ω, three floats each, principal axes [rad/s, N m s]
    """
    p2 = state[7] * state[7] + state[8] * state[8] + state[9] * state[9]
    kinetic = 0.5 * (w[0] * m[0] + w[1] * m[1] + w[2] * m[2] + body[0] * p2)
    return kinetic - (weight[0] * state[0] + weight[1] * state[1] + weight[2] * state[2])


@helper
def begin_record(
    r: Array, k: int, i: int, state: Floats, seen: tuple[Floats, float, float], settled_rate: float
) -> None:
    """Begin the record in column i of an array, from row k on; seen: of `motion`."""
    L_B, rate, energy = seen
    x, y, z = abs(L_B[0]), abs(L_B[1]), abs(L_B[2])
    # The axis of flips_and_drifts.spin_axis: the principal axis nearest to L, with sign.
    a = math.copysign(1.0, L_B[0]) if x >= y and x >= z else 0.0
    b = math.copysign(1.0, L_B[1]) if x < y and y >= z else 0.0
    c = math.copysign(1.0, L_B[2]) if x < z and y < z else 0.0
    r[k + AXIS, i], r[k + AXIS + 1, i], r[k + AXIS + 2, i] = a, b, c
    k_momentum = k + MOMENTUM
    r[k_momentum, i], r[k_momentum + 1, i], r[k_momentum + 2, i] = state[10], state[11], state[12]
    r[k + ENERGY, i] = energy
    r[k + ALONG, i] = a * L_B[0] + b * L_B[1] + c * L_B[2]
    r[k + CHANGE, i], r[k + ENERGY_CHANGE, i], r[k + FLIPS, i] = 0.0, 0.0, 0.0
    r[k + UNSETTLED, i] = 0.0 if rate > settled_rate else NEVER
    r[k + LARGEST_RATE, i], r[k + RATE, i] = rate, rate
    r[k + LARGEST_TORQUE, i] = 0.0


@helper
def follow(
    r: Array, k: int, i: int, tick: int, state: Floats, seen: tuple[Floats, float, float],
    wrench: Floats, settled_rate: float,
) -> None:  # fmt: skip
    """Add the state at a tick, counted from the start, and the wrench that acted until then.

    seen: of `motion` for this state
    """
    L_B, rate, energy = seen
    dx, dy, dz = (
        state[10] - r[k + MOMENTUM, i],
        state[11] - r[k + MOMENTUM + 1, i],
        state[12] - r[k + MOMENTUM + 2, i],
    )
    along = r[k + AXIS, i] * L_B[0] + r[k + AXIS + 1, i] * L_B[1] + r[k + AXIS + 2, i] * L_B[2]
    before = r[k + ALONG, i]
    r[k + FLIPS, i] += 1.0 if along * before < 0.0 else 0.0
    r[k + ALONG, i] = along
    r[k + CHANGE, i] = max(r[k + CHANGE, i], math.sqrt(dx * dx + dy * dy + dz * dz))
    r[k + ENERGY_CHANGE, i] = max(r[k + ENERGY_CHANGE, i], abs(energy - r[k + ENERGY, i]))
    r[k + UNSETTLED, i] = float(tick) if rate > settled_rate else r[k + UNSETTLED, i]
    r[k + LARGEST_RATE, i] = max(r[k + LARGEST_RATE, i], rate)
    r[k + RATE, i] = rate
    t0, t1, t2 = wrench[3], wrench[4], wrench[5]
    torque = math.sqrt(t0 * t0 + t1 * t1 + t2 * t2)
    r[k + LARGEST_TORQUE, i] = max(r[k + LARGEST_TORQUE, i], torque)


def merits(records: Array, tick: int, ticks: Ticks = DEFAULT) -> Merits:
    """Return the Merits of records (N, SIZE) at a tick, counted from the start."""
    r = records.T
    size = np.linalg.norm(r[RECORD.of('momentum')], axis=0)
    settled = np.where(r[UNSETTLED] < tick, seconds_of(r[UNSETTLED] + 1.0, ticks.tick_ns), np.nan)
    return Merits(
        r[RATE], r[LARGEST_RATE], settled, _ratio(r[CHANGE], size),
        _ratio(r[ENERGY_CHANGE], np.abs(r[ENERGY])), r[FLIPS].astype(np.int64), r[LARGEST_TORQUE],
    )  # fmt: skip


def _ratio(change: Array, whole: Array) -> Array:
    """Return change / whole, or the change itself where whole is 0."""
    return np.where(whole > 0.0, change / np.where(whole > 0.0, whole, 1.0), change)
