# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Many bodies with wheels or in orbits, one after the other: what core.batch runs for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.batch import run_summary
from spacecraft_attitude_sim.core.batch.lanes import BODY, LANES, STATE, WEIGHT, WRENCH
from spacecraft_attitude_sim.core.batch.loop import RUN, SEEN_SIZE
from spacecraft_attitude_sim.core.batch.sensors import INSIDE
from spacecraft_attitude_sim.core.body.state import SIZE, from_flat
from spacecraft_attitude_sim.core.environment.gravity_gradient import GravityGradient
from spacecraft_attitude_sim.core.equations import loaded
from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.equations.shared.principal_frame import (
    MOST_STEPS,
    body_momentum,
    in_principal_axes,
)
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.types import Array, Floats
from spacecraft_attitude_sim.core.mathematics.vectors import moved_vector, norm
from spacecraft_attitude_sim.core.ticks import seconds_of
from spacecraft_attitude_sim.kernels.kernel import helper, unlocked_as

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.simulation import Plant

TORQUE, ZERO = INSIDE.of('torque_B'), INSIDE.at('zero')
# Types of Gyrostats.arguments.
GYROSTATS = f'float64[:, ::1], float64[:, :, ::1]{", float64[:, ::1]" * 3}'


class Gyrostats(NamedTuple):
    """The wheels and orbits of N bodies; one with fewer wheels than another has idle ones.

    internal: (N, n) axial momenta of the wheels now [N m s]
    axes_B: (N, n, 3) their spin axes;  inertias: (N, n) axial [kg m^2]
    torques: (N, n) of the motors, held [N m]
    gradient: (N, 13) of core.environment.gravity_gradient.GRAVITY_GRADIENT
    plants: of each
    """

    internal: Array
    axes_B: Array
    inertias: Array
    torques: Array
    gradient: Array
    plants: Sequence[Plant]

    @property
    def arguments(self) -> tuple:
        """The arguments of `run_gyrostats` after those of core.batch.loop.run."""
        return tuple(self[:-1])

    def inside(self, states: Array, first: int, last: int, tick: int) -> Array:
        """Return (N, 10) of core.batch.sensors.INSIDE for bodies first to last at a tick.

        states: (N, 13) of core.body.state
        """
        rows = np.zeros((len(self.plants), INSIDE.size))
        for n in range(first, last):
            plant, row = self.plants[n], rows[n]
            row[0:3] = along(self.internal[n], self.axes_B[n])
            row[3:6] = along(self.torques[n], self.axes_B[n]) if tick else 0.0
            row[TORQUE] = row[ZERO] = -0.0
            for load in plant.environment.turning:
                state = from_flat(states[n])
                row[TORQUE] += load.torque_B(plant.body, state, plant.ticks.seconds(tick))
                row[ZERO] = 0.0
        return rows


def gyrostats(plants: Sequence[Plant], states: Sequence[State], torques: Sequence) -> Gyrostats:
    """Return the Gyrostats of bodies.

    plants: N with core.simulation.solver.Loaded;  torques: of the motors of each [N m]
    Raises ValueError for a load of the environment that the compiled loop does not know.
    """
    for load in (load for plant in plants for load in plant.environment.turning):
        if not isinstance(load, GravityGradient):
            raise ValueError(
                f"a batch does not know the load '{load.name}'; run such bodies alone"
            )
    craft = [plant.spacecraft for plant in plants]
    count = max(1, *(one.wheels.states if one.wheels else 0 for one in craft))
    internal, axes = np.zeros((len(craft), count)), np.zeros((len(craft), count, 3))
    inertias, held = np.ones((len(craft), count)), np.zeros((len(craft), count))
    for n, (one, state, torque) in enumerate(zip(craft, states, torques, strict=True)):
        if one.wheels:
            own = slice(0, one.wheels.states)
            internal[n, own], axes[n, own] = state.internal, one.wheels.axes_B
            inertias[n, own] = one.wheels.inertias
            held[n, : len(torque)] = torque
    gradient = np.array([plant.gradient for plant in plants])
    return Gyrostats(internal, axes, inertias, held, gradient, plants)


@helper
def along(amounts: Array, axes: Array) -> Floats:
    """Return Σ amount_i a_i of (n,) and (n, 3), added wheel by wheel as ReactionWheels does."""
    x, y, z = 0.0, 0.0, 0.0
    for k in range(len(amounts)):
        amount = amounts[k]
        x, y, z = x + amount * axes[k, 0], y + amount * axes[k, 1], z + amount * axes[k, 2]
    return x, y, z


@helper
def turning_momentum(state: Floats, body: Floats, stored: Floats) -> Floats:
    """Return L less what is stored, principal axes, three floats."""
    stored_P = quaternion_sandwich(
        body[4], -body[5], -body[6], -body[7], stored[0], stored[1], stored[2]
    )
    return moved_vector(body_momentum(in_principal_axes(state, body)), -1.0, stored_P)


@helper
def is_followed(state: Floats, body: Floats, stored: Floats, rate: float) -> bool:
    """Return whether Loaded.advance raises nothing; rate: the largest [rad/s]."""
    m = turning_momentum(state, body, stored)
    w = norm((body[1] * m[0], body[2] * m[1], body[3] * m[2]))
    size = norm((state[10], state[11], state[12]))
    bound = rate + size / min(body[9], body[10], body[11])
    return w < rate and limits.is_tame(state, body, bound)


@helper
def motion(
    state: Floats, body: Floats, weight: Floats, internal: Array, axes: Array, inertias: Array,
    gradient: Array, time: float,
) -> tuple[Floats, float, float]:  # fmt: skip
    """Return what run_summary.motion does: L_B, the rate and the energy.

    In an orbit the energy is Jacobi's integral T + V - n n̂·L, which is conserved.
    """
    m = turning_momentum(state, body, along(internal, axes))
    w = (body[1] * m[0], body[2] * m[1], body[3] * m[2])
    energy = run_summary.mechanical_energy(state, body, weight, w, m)
    for k in range(len(internal)):
        energy += 0.5 * internal[k] * internal[k] / inertias[k]
    energy += loaded.orbital_energy(in_principal_axes(state, body), gradient, time)
    return body_momentum(state), norm(w), energy


@unlocked_as(f'void({RUN}, {GYROSTATS})')
def run_gyrostats(
    blocks: Array, records: Array, span: tuple[int, int, int, int], tick_ns: int, substeps: int,
    settled_rate: float, law: Any, constants: Array, memory: Array, internal: Array,
    axes: Array, inertias: Array, torques: Array, gradient: Array,
) -> None:  # fmt: skip
    """Advance bodies one by one as core.batch.loop.run does blocks; span: counts bodies.

    A body whose motion cannot be followed is nan from there on.
    """
    first, last, tick, ticks = span
    watched, lawful = len(records) > 0, len(constants) > 0
    step = seconds_of(1, tick_ns)
    rate = (substeps if substeps > 0 else MOST_STEPS) * math.pi / step
    seen = np.zeros(SEEN_SIZE)
    gyrostat = np.zeros(6)
    for n in range(first, last):
        b, i = n // LANES, n % LANES
        state = blocks[b, STATE : STATE + SIZE, i].copy()
        body = blocks[b, BODY : BODY + 12, i].copy()
        wrench = blocks[b, WRENCH : WRENCH + 12, i].copy()
        weight = blocks[b, WEIGHT : WEIGHT + 3, i].copy()
        h = internal[n].copy()
        if watched and ticks == 0:
            now = motion(state, body, weight, h, axes[n], inertias[n], gradient[n], 0.0)
            run_summary.begin_record(records[b], 0, i, state, now, settled_rate)
        for k in range(tick, tick + ticks):
            if math.isnan(state[3]):
                break
            stored = along(h, axes[n])
            if lawful:
                seen[:SIZE] = state
                seen[SIZE], seen[SIZE + 1], seen[SIZE + 2] = stored
                law(k, seen, body, constants[n], memory[n], wrench)
            total = wrench.copy()
            total[6:9] += weight
            gyrostat[0], gyrostat[1], gyrostat[2] = stored
            gyrostat[3], gyrostat[4], gyrostat[5] = along(torques[n], axes[n])
            state = np.array(
                loaded.advanced(
                    state, body, total, gyrostat, gradient[n], seconds_of(k, tick_ns), step,
                    substeps,
                )
            )  # fmt: skip
            for j in range(len(h)):
                h[j] += step * torques[n, j]
            if not is_followed(state, body, along(h, axes[n]), rate):
                state[:] = math.nan
                break
            if watched:
                time = seconds_of(k + 1, tick_ns)
                now = motion(state, body, weight, h, axes[n], inertias[n], gradient[n], time)
                run_summary.follow(records[b], 0, i, k + 1, state, now, wrench, settled_rate)
        blocks[b, STATE : STATE + SIZE, i] = state
        blocks[b, WRENCH : WRENCH + 12, i] = wrench
        internal[n] = h
