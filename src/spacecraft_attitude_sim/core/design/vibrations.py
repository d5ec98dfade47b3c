# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The vibrations of a linear plant by name, and how a loop stabilises each.

A mode is stabilised by gain where the loop stays below 1 at its peak, and by phase where it does
not and the closed loop is stable nevertheless.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.design.margins import lowest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.core.design.linear_law import LinearLaw
    from spacecraft_attitude_sim.core.design.linear_plant import LinearPlant
    from spacecraft_attitude_sim.core.design.sampled_loop import AxisLoop
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3

GAIN, PHASE, UNSTABLE, UNSEEN = 'gain', 'phase', 'unstable', 'not seen'
# Name of a motion in which no displacement takes part most: nutation, libration, a swing.
BODY = 'body'
# A loop below this at a mode's frequency does not see it.
FAINT = 1e-9
# How far from its frequency the peak of a mode is looked for, in units of its damping: not so far
# that a neighbour's is found.
WIDTHS = 3.0


class Vibration(NamedTuple):
    """An oscillation of the plant without control.

    name: of the displacement that takes part most, or of the motion of the body
    held: frequency of the displacement with the hub held [rad/s], nan for the body;  held_damping
    free: frequency with the body free [rad/s];  damping: its damping ratio
    axis: 0 to 2, of the loop in which it takes part most: with the largest residue
    """

    name: str
    held: float
    held_damping: float
    free: float
    damping: float
    axis: int


class Stabilised(NamedTuple):
    """A Vibration in a loop.

    peak: of |L| in the loop of its axis;  at: its frequency in the sampled loop [rad/s], folded
        where it is above half the sampling rate
    how: one of GAIN, PHASE, UNSTABLE, UNSEEN
    """

    vibration: Vibration
    peak: float
    at: float
    how: str


def vibrations(
    plant: LinearPlant, law: LinearLaw, acceleration_B: Vector3
) -> tuple[Vibration, ...]:
    """Return the Vibrations of a plant, in order of their frequency.

    law: of the loops in which they take part
    acceleration_B: (3,) of the Point of the plant [m/s^2]
    """
    from scipy.linalg import eig
    from scipy.optimize import linear_sum_assignment

    system, inside = plant.system, plant.inside
    values, left, right = eig(system.A, left=True, right=True)
    shares = np.abs(left.conj() * right)  # (state, pole): participation
    shares = shares / np.maximum(shares.sum(axis=0), 1e-300)
    swings = [k for k, value in enumerate(values) if value.imag > 1e-9 * abs(value) > 0.0]
    places = [system.states.index(f'{name} [{unit}]')
              for name, unit in zip(inside.names, inside.units, strict=True)]  # fmt: skip
    of_parts = shares[np.ix_(places, swings)]
    chosen = dict(zip(*linear_sum_assignment(-of_parts), strict=True)) if places and swings else {}
    named = {swings[pole]: part for part, pole in chosen.items()}
    seen = system.selected(law.commands, law.sees)
    residues = (law.asked @ seen.C @ right).T * (left.conj().T @ seen.B @ law.given)
    swinging = []
    for pole in swings:
        value = values[pole]
        size = abs(value)
        name, held, held_damping = BODY, math.nan, math.nan
        if pole in named:
            part = named[pole]
            name = inside.names[part]
            held, held_damping = _held(plant, part, acceleration_B)
        axis = int(np.argmax(np.abs(residues[pole])))
        damping = -value.real / size
        swinging.append(Vibration(name, held, held_damping, size, damping, axis))
    return tuple(sorted(swinging, key=lambda vibration: vibration.free))


def _held(plant: LinearPlant, part: int, acceleration_B: Vector3) -> tuple[float, float]:
    """Return frequency [rad/s] and damping ratio of a displacement with the hub held."""
    inside, first = plant.inside, 0
    for displacement in inside.parts:
        if displacement.free and first <= part < first + len(displacement.at):
            place = part - first
            mass = displacement.inertial(displacement.at).own[place, place]
        first += len(displacement.at) if displacement.free else 0
    stiffness = inside.stiffness[part]
    stiffness += inside.drift_slopes[part][:, part] @ np.asarray(acceleration_B)
    if stiffness <= 0.0:
        return 0.0, math.nan
    rate = math.sqrt(stiffness / mass)
    return rate, inside.damping[part] / (2.0 * mass * rate)


def stabilised(
    every: Sequence[Vibration], loops: Sequence[AxisLoop], closed: Array
) -> tuple[Stabilised, ...]:
    """Return how the loops of three axes stabilise each Vibration.

    closed: poles of the closed loop, in the z plane
    """
    return tuple(_in_loops(vibration, loops, closed) for vibration in every)


def _in_loops(vibration: Vibration, loops: Sequence[AxisLoop], closed: Array) -> Stabilised:
    period = loops[0].period
    rate = folded(vibration.free, period)
    width = max(vibration.damping, 1e-6) * vibration.free
    at, peak = _peak(loops[vibration.axis], rate, width)
    how = GAIN if peak < 1.0 else PHASE
    if peak < FAINT:
        how = UNSEEN
    near = np.abs(np.abs(np.angle(closed)) / period - rate) < 0.1 * rate
    if how != UNSEEN and np.any(np.abs(closed[near]) > 1.0 + 1e-9):
        how = UNSTABLE
    return Stabilised(vibration, peak, at, how)


def _peak(loop: AxisLoop, rate: float, width: float) -> tuple[float, float]:
    """Return where |L| is largest near a frequency [rad/s], and how large."""
    steps = width * np.geomspace(1e-2, WIDTHS, 40)
    rates = rate + np.concatenate((-steps[::-1], [0.0], steps))
    rates = rates[(rates > 0.5 * rate) & (rates < min(1.5 * rate, math.pi / loop.period))]
    values = -np.abs(loop.response(rates))
    at, value = lowest(rates, values, lambda w: -abs(complex(loop.response(np.array([w]))[0])))
    return at, -value


def folded(rate: float, period: float) -> float:
    """Return the frequency [rad/s] at which a sampled system shows a motion of a frequency."""
    whole = 2.0 * math.pi / period
    rest = rate % whole
    return min(rest, whole - rest)
