# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The gravity gradient: a planet's gravity on an extended body, to first order in its size.

    τ = 3 μ/r³ r̂ × I r̂          V = 3/2 μ/r³ r̂·I r̂ + a constant that is left out

with r̂ the direction from the planet; in a circular orbit μ/r³ is n², n its mean motion (Hughes,
Spacecraft Attitude Dynamics, 1986, section 8.1). In a circular orbit T + V - n n̂·L, the Jacobi
integral, is constant, n̂ the orbit's normal. I is the inertia of the whole, wheels included: they
are bodies of revolution. A body away from world's origin feels the tide, too: tide.py. Neglected:
higher moments of the planet, and the force on a body at the origin, of order (size/radius)².
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.loads import tide
from spacecraft_attitude_sim.core.environment.loads.load import (
    PULL,
    UP,
    Acting,
    LoadKind,
    to_body,
)
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vector_fours import (
    cross_four,
    three_of,
    times_four,
)
from spacecraft_attitude_sim.core.mathematics.vectors import (
    added,
    cross,
    dot,
    scaled,
    six_at,
    symmetric_times,
    three_at,
)
from spacecraft_attitude_sim.kernels.kernel import helper

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.loads.load import Sums
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
    from spacecraft_attitude_sim.core.mathematics.vector_fours import Matrix
    from spacecraft_attitude_sim.kernels.fours import Four

# turns: whether the torque acts;  tide: whether the tidal force does; 1 or 0
GRAVITY_GRADIENT = Layout(turns=1, tide=1)
TURNS, TIDE = GRAVITY_GRADIENT.places()


@helper
def gradient_torque(strength: float, inertia: Floats, r: Floats) -> Floats:
    """Return the torque 3 μ/r³ r̂ × I r̂ [N m], three floats, in the axes of its arguments.

    strength: 3 μ/r³, or 3 n² [1/s^2];  inertia: xx, yy, zz, xy, xz, yz;  r: r̂, three floats
    """
    return scaled(strength, cross(r, symmetric_times(inertia, r)))


@helper
def gradient_potential(strength: float, inertia: Floats, r: Floats) -> float:
    """Return the potential 3/2 μ/r³ r̂·(I - tr(I)/3 1) r̂ [J]: its mean over all attitudes is 0.

    strength: 3/2 μ/r³, or 3/2 n² [1/s^2];  inertia, r: as `gradient_torque`
    """
    mean = (inertia[0] + inertia[1] + inertia[2]) / 3.0
    return strength * (dot(r, symmetric_times(inertia, r)) - mean)


@helper
def gradient_bound(strength: float, size: float) -> float:
    """Return a bound of the torque [N m]; size: at least its largest moment of inertia."""
    return strength * size


@helper
def wrench(
    sums: Sums, parts: Array, row: int, count: int, whole: Floats, y: Array, turn: Floats,
    velocity: Floats, here: Floats,
) -> Sums:  # fmt: skip
    """Add the torque, and the tide; see LoadKind."""
    force_B, torque_B, force_W = sums
    if parts[row + TURNS] != 0.0:
        up_B = to_body(turn, here, UP)
        torque_B = added(torque_B, gradient_torque(3.0 * here[PULL], six_at(whole, 1), up_B))
    if parts[row + TIDE] != 0.0:
        force_W = added(force_W, tide.force(here, whole[0], y))
    return force_B, torque_B, force_W


@helper
def wrench_four(
    sums: tuple[Four, Four], parts: Array, row: int, mass: float, whole: Matrix, position: Four,
    u: float, rows: Matrix, here: Array,
) -> tuple[Four, Four]:  # fmt: skip
    """Do what `wrench` does, with Fours, to torque_B and force_W.

    whole: inertia by columns;  position: of the centre of mass [m]
    u, rows: of vector_fours.turn_fours
    """
    torque_B, force_W = sums
    strength = 3.0 * here[PULL]
    if parts[row + TURNS] != 0.0:
        up_B = times_four(rows, three_at(here, UP)) * u
        torque_B = torque_B + cross_four(up_B, times_four(whole, three_of(up_B))) * strength
    if parts[row + TIDE] != 0.0:
        force_W = force_W + tide.force_four(here, mass, position)
    return torque_B, force_W


@helper
def gained(
    torque: Floats, parts: Array, row: int, count: int, inertia: Floats, y: Array, turn: Floats,
    here: Floats,
) -> Floats:  # fmt: skip
    """Add the torque on inertia that motion inside has added; see LoadKind."""
    if parts[row + TURNS] != 0.0:
        up_B = to_body(turn, here, UP)
        torque = added(torque, gradient_torque(3.0 * here[PULL], inertia, up_B))
    return torque


@helper
def potential(
    energy: float, parts: Array, row: int, count: int, whole: Floats, y: Array, turn: Floats,
    here: Floats,
) -> float:  # fmt: skip
    """Add 3/2 μ/r³ r̂·(I - tr(I)/3 1) r̂, and the potential of the tide [J]; see LoadKind."""
    own = 0.0
    if parts[row + TURNS] != 0.0:
        own = gradient_potential(1.0, six_at(whole, 1), to_body(turn, here, UP))
    if parts[row + TIDE] != 0.0:
        own -= tide.potential_part(here, whole[0], y)
    return energy + 1.5 * here[PULL] * own


@helper
def bound(
    torque: float, parts: Array, row: int, count: int, whole: Floats, inertia: Floats,
    here: Floats,
) -> float:  # fmt: skip
    """Add a bound of the torque [N m]; see LoadKind."""
    trace = inertia[0] + inertia[1] + inertia[2]
    return torque + gradient_bound(3.0 * here[PULL], trace)


KIND = LoadKind(
    name='gravity_gradient', row=GRAVITY_GRADIENT, wrench=wrench, potential=potential, bound=bound,
    gained=gained, pulls=True, airy=False,
)  # fmt: skip


def acting(turns: bool, tide: bool) -> Acting:
    """Return the gravity gradient; turns: whether it turns the body;  tide: whether it pulls."""
    return Acting(KIND, np.array(((float(turns), float(tide)),)))
