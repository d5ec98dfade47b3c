# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Flips of a tumbling body, and drift of the conserved quantities, along a trajectory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body.state import State
from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3, VectorLike

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.simulation import Plant


class Energies(NamedTuple):
    """Energies of a body [J].

    potential: of its environment (gravity's is 0 at the origin) and of internal springs
    """

    translation: float
    rotation: float
    potential: float

    @property
    def total(self) -> float:
        """Return their sum [J]."""
        return self.rotation + self.translation + self.potential


def spin_axis(angular_momentum_B: Vector3) -> Vector3:
    """Return the principal body axis (3,) nearest to the angular momentum (3,), with its sign."""
    index = int(np.argmax(np.abs(angular_momentum_B)))
    axis = np.zeros(3)
    axis[index] = -1.0 if angular_momentum_B[index] < 0.0 else 1.0
    return axis


def flip_times(time: VectorLike, along: VectorLike) -> Array:
    """Return the times [s] at which the body flipped relative to its angular momentum.

    After a flip (Dzhanibekov) the body axis nearest to L points to the opposite side.

    time: (n,) [s];  along: (n,) component of L along that axis; zero crossings are interpolated
    """
    time, along = np.asarray(time), np.asarray(along)
    before = np.flatnonzero(np.sign(along[1:]) * np.sign(along[:-1]) < 0)
    fraction = along[before] / (along[before] - along[before + 1])
    return time[before] + fraction * (time[before + 1] - time[before])


def mechanical_energy(plant: Plant, state: State) -> float:
    """Return the sum of kinetic energy and potentials, from `energies` [J]."""
    return energies(plant, state).total


def conserved_energy(plant: Plant, state: State, time: float) -> float:
    """Return the energy that only commands change [J], in orbit Jacobi's integral; time: [s]."""
    translation, rotation = plant.spacecraft.kinetic_energies(state)
    energy = rotation + translation + plant.environment.conserved(plant.body, state, time)
    return energy + plant.spacecraft.elastic_energy(state) if plant.spacecraft.internal else energy


def energies(plant: Plant, state: State, time: float = 0.0) -> Energies:
    """Return the Energies of a State; time: of orbits [s]."""
    translation, rotation = plant.spacecraft.kinetic_energies(state)
    potential = plant.environment.potential(plant.body, state, time)
    if plant.spacecraft.internal:
        potential += plant.spacecraft.elastic_energy(state)
    return Energies(translation, rotation, potential)


class DriftMonitor:
    """Monitors a run of any length for flips and for drift of conserved quantities.

    momentum_drift: largest change of the inertial L, relative to its first magnitude
    energy_drift: largest change of the energy, kinetic, of gravity and of springs, relative to the
        first
    acted_on: whether a command acted on the body, so that both may change
    turned: whether the environment exerts a torque, so that L may change and the energy may not
    """

    def __init__(self, plant: Plant, first_state: State) -> None:
        self._plant = plant
        self._axis_B = spin_axis(plant.body.angular_momentum_B(first_state))
        self._momentum_W = first_state.angular_momentum_W
        self._size = np.linalg.norm(self._momentum_W)
        self._energy = conserved_energy(plant, first_state, 0.0)
        self._before = (0.0, 0.0)  # time, component of L along the axis
        self._flips: list[float] = []
        # In an orbit about the Earth, field, air and sunlight change both.
        self.acted_on = plant.environment.surroundings is not None
        self.turned = bool(plant.environment.turning)
        self.momentum_drift = 0.0
        self.energy_drift = 0.0

    def add(
        self, time: float, state: State, acted_on: bool = False, elapsed: float | None = None
    ) -> None:
        """Add the state at a time [s].

        acted_on: whether a command acted since the previous state
        elapsed: time since the start or the last reset, of orbits [s]; None: the same
        """
        self.acted_on = self.acted_on or acted_on
        self.look_for_flip(time, state)
        momentum = np.linalg.norm(state.angular_momentum_W - self._momentum_W)
        self.momentum_drift = max(self.momentum_drift, _ratio(momentum, self._size))
        orbital = time if elapsed is None else elapsed
        energy = abs(conserved_energy(self._plant, state, orbital) - self._energy)
        self.energy_drift = max(self.energy_drift, _ratio(energy, abs(self._energy)))

    def look_for_flip(self, time: float, state: State) -> None:
        """Add the state at a time [s] for its flips alone."""
        now = (time, float(self._plant.body.angular_momentum_B(state) @ self._axis_B))
        if now[1] * self._before[1] < 0.0:
            self._flips += flip_times(*zip(self._before, now, strict=True)).tolist()
        self._before = now

    def flips(self) -> list[float]:
        """Return the times of the flips so far [s]."""
        return self._flips


def _ratio(change: float | np.floating, whole: float | np.floating) -> float:
    return float(change / whole) if whole > 0.0 else float(change)
