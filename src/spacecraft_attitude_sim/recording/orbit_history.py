# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The environment in an Earth orbit: table columns, and a history with one row per instant."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.environment.surroundings import AROUND
from spacecraft_attitude_sim.core.environment.wgs84 import geodetic
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, Vectors3
from spacecraft_attitude_sim.recording import brief

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.environment import Environment
    from spacecraft_attitude_sim.core.simulation import Instant, Plant

AXES = ('x', 'y', 'z')
# Columns before those of the disturbances.
ALWAYS = (
    *(f'orbit_{axis} [m]' for axis in AXES), 'latitude [rad]', 'longitude [rad]', 'height [m]',
    *(f'field_{axis} [T]' for axis in AXES), 'irradiance [W/m^2]', 'lit', 'density [kg/m^3]',
)  # fmt: skip
HEIGHT, FIELD, IRRADIANCE, LIT = 5, slice(6, 9), 9, 10


class OrbitHistory(NamedTuple):
    """An orbit at n instants.

    heights: (n,) above the ellipsoid [m];  field_B: (n, 3) [T], body axes
    irradiance: (n,) of the Sun [W/m^2];  lit: (n,) visible share of its disc
    torques_B: {name of a disturbance: (n, 3) [N m]}, body axes
    """

    heights: Array
    field_B: Vectors3
    irradiance: Array
    lit: Array
    torques_B: dict[str, Vectors3]

    def __repr__(self) -> str:
        torques = {f'torques_B[{name!r}]': torque for name, torque in self.torques_B.items()}
        return brief.text_of('OrbitHistory', self._asdict() | torques)


def columns(environment: Environment | None) -> tuple[str, ...]:
    """Return the column names of `row`, with units; () without an Earth orbit."""
    if environment is None or environment.surroundings is None:
        return ()
    torques = (f'{load.name}_{axis} [N m]' for load in environment.turning for axis in AXES)
    return (*ALWAYS, *torques)


def row(plant: Plant, instant: Instant) -> tuple[float, ...]:
    """Return the environment at an Instant and the torque of each disturbance, body axes."""
    around, state, time = plant.environment.surroundings, instant.state, instant.elapsed_time
    if around is None:
        return ()
    now, q_BW = around.at(time), rotations.conjugate(state.q_WB)
    place_W = now[AROUND.of('position_W')]
    place_E = rotations.rotate(rotations.conjugate(now[AROUND.of('q_WE')]), place_W)
    field_B = rotations.rotate(q_BW, now[AROUND.of('magnetic_field_W')])
    light = [now[AROUND.at(name)] for name in ('irradiance', 'lit', 'density')]
    loads = plant.environment.turning
    torques_B = [load.torque_B(plant.body, state, time) for load in loads]
    whole = np.concatenate((place_W, geodetic(place_E), field_B, light, *torques_B))
    return tuple(whole.tolist())


def of_run(plant: Plant, table: Array) -> OrbitHistory | None:
    """Return the OrbitHistory of a run; table: its rows of `row`. None without an Earth orbit."""
    if plant.environment.surroundings is None:
        return None
    names = [load.name for load in plant.environment.turning]
    each = np.split(table[:, len(ALWAYS) :], len(names), axis=1)
    return OrbitHistory(
        table[:, HEIGHT], table[:, FIELD], table[:, IRRADIANCE], table[:, LIT],
        dict(zip(names, each, strict=True)),
    )  # fmt: skip
