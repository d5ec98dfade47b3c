# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What the parts of a spacecraft did in a run, one row per instant: an array for each channel."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.simulation import Instant
from spacecraft_attitude_sim.recording import brief

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vectors3
    from spacecraft_attitude_sim.core.parts.thrusters.description import Thrusters
    from spacecraft_attitude_sim.core.simulation import Plant
    from spacecraft_attitude_sim.core.spacecraft.channels import Moment
    from spacecraft_attitude_sim.recording.reader import RecordedInstant


class PartHistory(NamedTuple):
    """The parts of a kind at n instants.

    parts: their description, such as core.parts.reaction_wheels.description.ReactionWheels
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

    def __repr__(self) -> str:
        return brief.text_of(f'PartHistory of {type(self.parts).__name__}', self.arrays)

    def __getattr__(self, name: str) -> Any:
        """Return an array by its name."""
        if name in self.arrays:
            return self.arrays[name]
        raise AttributeError(f'there is no {name!r}; there are {", ".join(self.arrays)}')

    def but(self, **arrays: Any) -> PartHistory:
        """Return the same with other arrays."""
        return self._replace(arrays={**self.arrays, **arrays})


def of_run(
    found: Scenario, moments: Sequence[Moment], heard: Sequence[RecordedInstant | Instant]
) -> dict[str, PartHistory]:
    """Return {kind: PartHistory} of a run, for the kinds that the spacecraft has.

    heard: of each Moment: RecordedInstant of a bag, or Instant that was simulated here
    """
    histories = {}
    for kind, parts in found.plant.spacecraft.groups.items():
        arrays = {
            channel.name: _stacked([now.value(kind, channel.name) for now in moments])
            for channel in parts.CHANNELS
            if channel.of and channel.kept
        }
        if more := MORE.get(kind):
            arrays |= more(parts, arrays, found, moments, heard)
        histories[kind] = PartHistory(parts, arrays)
    return histories


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


def _of_thrusters(
    thrusters: Any, _own: Any, found: Scenario, moments: Sequence[Moment], heard: Sequence[Any]
) -> dict[str, Any]:
    impulses = _impulses(found.plant, thrusters, moments, heard)
    return sums_of(impulses, found.plant.ticks.step)


def sums_of(impulses: Array, step: float) -> dict[str, Array]:
    """Return impulses (n, M) of thrusters, mean forces in ticks of `step` [s], and sums."""
    sums = np.cumsum(np.nan_to_num(impulses), axis=0)
    return {'impulses': impulses, 'mean_forces': impulses / step, 'sums': sums}


def _impulses(
    plant: Plant, thrusters: Thrusters, moments: Sequence[Moment], heard: Sequence[Any]
) -> Array:
    """Return the impulses (n, M) of thrusters; each tick of a bag is computed again."""
    found = np.full((len(moments), len(thrusters.names)), np.nan)
    for row, (recorded, now) in enumerate(zip(heard, moments, strict=True)):
        follows = row and recorded.tick == heard[row - 1].tick + 1
        if isinstance(recorded, Instant):
            if follows or not row:
                found[row] = plant.ticks.step * thrusters.thrust(now.drive)
        elif recorded.inputs and recorded.inputs.given:
            found[row] = 0.0
        elif recorded.inputs and follows:
            stepped, before = plant.with_substeps(recorded.inputs.substeps), moments[row - 1].state
            # A bag from another program may hold an impossible motion.
            with contextlib.suppress(ArithmeticError, ValueError):
                moved = stepped.solver.advance(
                    stepped, before, None, now.inputs, heard[row - 1].elapsed
                )
                found[row] = moved.drive.thrust * plant.ticks.step
    return found


def _of_magnetorquers(
    rods: Any, own: dict[str, Any], found: Scenario, moments: Sequence[Moment], *_: Any
) -> dict[str, Any]:
    dipoles, most = own['dipoles'].copy(), rods.max_dipoles
    if rods.off_after < found.plant.ticks.step:
        for row, now in zip(dipoles, moments, strict=True):
            if now.inputs.dipole.size:
                row[:] = np.clip(now.inputs.dipole, -most, most)
    return {'dipoles': dipoles, 'dipole_B': dipoles @ rods.axes_B}


MORE: dict[str, Callable[..., dict[str, Any]]] = {
    'wheels': lambda wheels, own, found, *_: {
        'held_B': (own['speeds'] * wheels.inertias) @ wheels.axes_B, 'places_B': places_of(found),
    },
    'gimbals': lambda _, own, *__: {'angles': np.unwrap(own['angles'], axis=0)},
    'thrusters': _of_thrusters, 'magnetorquers': _of_magnetorquers,
    'internal': lambda parts, own, *_: {'swing_angles': parts.swing_angles(own['swings'])},
}  # fmt: skip
