# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the parts of a spacecraft did in a run, one row per instant: an array for each channel."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vectors3
    from spacecraft_attitude_sim.core.simulation import Plant
    from spacecraft_attitude_sim.core.spacecraft.channels import Moment


class PartHistory(NamedTuple):
    """The parts of a kind at n instants.

    parts: their description, such as core.actuators.reaction_wheels.ReactionWheels
    arrays: {name: array}, which are attributes, too; None where not known

    Every kind has its channels (`CHANNELS` of its class), and:

    wheels: held_B (n, 3) Σ J_i Ω_i a_i, body axes [N m s], which the speed limits bound; total L
        is this plus I ω, I the inertia with the wheels locked. places_B (N, 3) of `places_of`
    gimbals: angles without jumps
    thrusters: impulses (n, M) in the tick that ends there [N s], exact even for short pulses; 0
        if the state was set, NaN if the tick before was not recorded. mean_forces (n, M), the
        same by the length of a tick [N]; sums (n, M) of impulses [N s]
    magnetorquers: dipoles as commanded for rods that are off at a tick's end; dipole_B (n, 3)
    internal: swing_angles (n, P) of pendulums from rest [rad]
    """

    parts: Any
    arrays: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        """Return an array by its name."""
        if name in self.arrays:
            return self.arrays[name]
        raise AttributeError(f'there is no {name!r}; there are {", ".join(self.arrays)}')

    def but(self, **arrays: Any) -> PartHistory:
        """Return the same with other arrays."""
        return self._replace(arrays={**self.arrays, **arrays})


def of_run(
    found: Scenario, moments: Sequence[Moment], heard: Sequence[Any]
) -> dict[str, PartHistory]:
    """Return {kind: PartHistory} of a run, for the kinds that the spacecraft has.

    heard: tick, elapsed and inputs of each Moment, as in a recording.reader.RecordedInstant
    """
    made = {}
    for kind, parts in found.plant.spacecraft.kinds.items():
        arrays = {
            one.name: _stacked([now.value(kind, one.name) for now in moments])
            for one in parts.CHANNELS
            if one.of and one.kept
        }
        made[kind] = PartHistory(parts, arrays | MORE[kind](parts, arrays, found, moments, heard))
    return made


def places_of(found: Scenario) -> Vectors3:
    """Return the positions (N, 3) of the wheels from the centre of mass [m].

    NaN if the position is not given, or is 0, which means the same.
    """
    places = np.full((len(found.parameters['wheels']), 3), np.nan)
    for place, name in zip(places, found.parameters['wheels'], strict=True):
        position = np.array(found.parameters[f'wheel.{name}.position'])
        if position.any():
            place[:] = position - found.plant.body.center_of_mass
    return places


def _stacked(values: list[Any]) -> Array | None:
    return None if values[0] is None else np.array(values)


# --- what is computed from a whole run ---------------------------------------------------------


def _of_wheels(wheels: Any, own: dict[str, Any], found: Scenario, *_: Any) -> dict[str, Any]:
    held_B = (own['speeds'] * wheels.inertias) @ wheels.axes_B
    return {'held_B': held_B, 'places_B': places_of(found)}


def _of_gimbals(_gyros: Any, own: dict[str, Any], *_: Any) -> dict[str, Any]:
    return {'angles': np.unwrap(own['angles'], axis=0)}


def _of_thrusters(
    thrusters: Any, _own: Any, found: Scenario, moments: Sequence[Moment], heard: Sequence[Any]
) -> dict[str, Any]:
    plant = found.plant
    return sums_of(_impulses(plant, moments, heard, len(thrusters.names)), plant.ticks.step)


def sums_of(impulses: Array, step: float) -> dict[str, Array]:
    """Return impulses (n, M) of thrusters, mean forces in ticks of `step` [s], and sums."""
    sums = np.cumsum(np.nan_to_num(impulses), axis=0)
    return {'impulses': impulses, 'mean_forces': impulses / step, 'sums': sums}


def _impulses(plant: Plant, moments: Sequence[Moment], heard: Sequence[Any], count: int) -> Array:
    """Return the impulses (n, count) of thrusters; each tick is computed again."""
    found = np.full((len(moments), count), np.nan)
    for row, now in enumerate(heard):
        if now.inputs and now.inputs.given:
            found[row] = 0.0
        elif now.inputs and row and now.tick == heard[row - 1].tick + 1:
            stepped = plant.with_substeps(now.inputs.substeps)
            inputs, elapsed = now.inputs.commanded(), heard[row - 1].elapsed
            # A bag from another program may hold an impossible motion.
            with contextlib.suppress(ArithmeticError, ValueError):
                before = moments[row - 1].state
                moved = stepped.solver.advance(stepped, before, None, inputs, elapsed)
                found[row] = moved.drive.thrust * plant.ticks.step
    return found


def _of_magnetorquers(
    rods: Any, own: dict[str, Any], found: Scenario, _moments: Any, heard: Sequence[Any]
) -> dict[str, Any]:
    dipoles, most = own['dipoles'].copy(), rods.max_dipoles
    if rods.off_after < found.plant.ticks.step:
        for row, now in zip(dipoles, heard, strict=True):
            if now.inputs and now.inputs.dipole.size:
                row[:] = np.clip(now.inputs.dipole, -most, most)
    return {'dipoles': dipoles, 'dipole_B': dipoles @ rods.axes_B}


def _of_internal(parts: Any, own: dict[str, Any], *_: Any) -> dict[str, Any]:
    return {'swing_angles': parts.swing_angles(own['swings'])}


MORE: dict[str, Callable[..., dict[str, Any]]] = {
    'wheels': _of_wheels, 'gimbals': _of_gimbals, 'thrusters': _of_thrusters,
    'magnetorquers': _of_magnetorquers, 'internal': _of_internal,
}  # fmt: skip
