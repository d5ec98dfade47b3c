# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The motion of internal parts: table columns, and a history with one row per instant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.internal.flexible_modes import FlexibleMode
from spacecraft_attitude_sim.core.internal.hinged_panels import HingedPanel
from spacecraft_attitude_sim.core.internal.internal_parts import InternalParts
from spacecraft_attitude_sim.core.internal.sliding_masses import SlidingMass
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.spacecraft import internal_telemetry as telemetry

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.simulation import Instant, Spacecraft

AXES = telemetry.AXES
# {kind of coordinate: prefix of its parameters, displacement with unit, rate with unit}
COORDINATES = {
    FlexibleMode: ('flexible_mode', 'displacement [sqrt(kg) m]', 'rate [sqrt(kg) m/s]'),
    HingedPanel: ('panel', 'angle [rad]', 'rate [rad/s]'),
    SlidingMass: ('sliding_mass', 'displacement [m]', 'rate [m/s]'),
}


class InternalHistory(NamedTuple):
    """K coordinates, P pendulums, S slugs and R rods at n instants, relative to the body.

    parts: InternalParts
    displacements, rates: (n, K) of the coordinates [rad, m, sqrt(kg) m], and per second
    how: (n, K) constraint states of core.internal.layouts: HELD, FREE, …
    swings, swing_rates: (n, P, 3) of pendulum masses from their rest positions, body axes [m, m/s]
    slug_rates: (n, S, 3) body axes [rad/s];  flux_densities: (n, R) of hysteresis rods [T]
    """

    parts: InternalParts
    displacements: Array
    rates: Array
    how: Array
    swings: Array
    swing_rates: Array
    slug_rates: Array
    flux_densities: Array

    @property
    def names(self) -> list[str]:
        """The names of the coordinates."""
        return list(self.parts.coordinates)


def of_run(states: Sequence[State], spacecraft: Spacecraft) -> InternalHistory | None:
    """Return the InternalHistory of a run; None without internal parts."""
    if not (parts := spacecraft.internal):
        return None
    several = [telemetry.motions(spacecraft, state) for state in states]
    return InternalHistory(parts, *map(np.array, zip(*several, strict=True)))


def columns(spacecraft: Spacecraft | None) -> tuple[str, ...]:
    """Return the column names of `row`, with units; () without internal parts."""
    if spacecraft is None or not (parts := spacecraft.internal):
        return ()
    found = []
    for name, one in parts.coordinates.items():
        prefix, *several = COORDINATES[type(one)]
        found += [f'{prefix}.{name}.{what}' for what in several]
    for name in parts.pendulums:
        found += [f'pendulum.{name}.{axis} [m]' for axis in AXES]
        found += [f'pendulum.{name}.rate_{axis} [m/s]' for axis in AXES]
    for name in parts.slugs:
        found += [f'slug.{name}.rate_{axis} [rad/s]' for axis in AXES]
    found += [f'hysteresis_rod.{name}.flux_density [T]' for name in parts.hysteresis_rods]
    return tuple(found)


def row(spacecraft: Spacecraft, instant: Instant) -> tuple[float, ...]:
    """Return the motion of internal parts at an Instant, in the order of `columns`."""
    if not spacecraft.internal:
        return ()
    moving = telemetry.motions(spacecraft, instant.state)
    several = (
        np.column_stack((moving.displacements, moving.rates)),
        np.hstack((moving.swings, moving.swing_rates)),
        moving.slug_rates,
        moving.flux_densities,
    )
    return tuple(np.concatenate([one.ravel() for one in several]).tolist())
