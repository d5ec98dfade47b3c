# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The environment of a spacecraft in orbit about the Earth: its models, and their nodes."""

from __future__ import annotations

import functools
import math
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.environment.air import ExponentialAir
from spacecraft_attitude_sim.core.environment.earth import SOLAR_CONSTANT, geodetic
from spacecraft_attitude_sim.core.environment.epoch import EPOCH
from spacecraft_attitude_sim.core.environment.magnetic_field import (
    DEGREE,
    UNIFORM,
    HarmonicField,
    UniformField,
    harmonic_field,
    igrf14,
    scratch_for,
)
from spacecraft_attitude_sim.core.environment.orbit_table import (
    AIR_HERE,
    FIELD,
    MOON,
    NODE,
    NODE_SIZE,
    PLACE,
    STEP,
    SUN,
    OrbitTable,
    attitude_of_earth,
    head_of,
)
from spacecraft_attitude_sim.core.environment.sun_and_moon import moon_of_date, sun_of_date
from spacecraft_attitude_sim.core.mathematics.rotations import quaternion_sandwich
from spacecraft_attitude_sim.core.mathematics.vectors import (
    four_at,
    nine_at,
    put,
    three_at,
    turned,
)
from spacecraft_attitude_sim.kernels.kernel import compiled
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.environment.air import Air
    from spacecraft_attitude_sim.core.environment.epoch import Epoch
    from spacecraft_attitude_sim.core.environment.kepler_orbit import Orbit
    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike

ROTATION_ANGLE, Q_WI = EPOCH.at('rotation_angle'), EPOCH.at('q_WI')
DAYS, C_WD = EPOCH.at('days'), EPOCH.at('C_WD')


@dataclass(frozen=True)
class EarthEnvironment:
    """Models along the orbit of world's origin about the Earth; the constructor checks them.

    epoch: when time is 0;  orbit: Orbit of world's origin
    magnetic_field: HarmonicField or UniformField;  air: None for no air
    solar_constant: irradiance of the Sun at 1 au [W/m^2]
    density_factor: that multiplies the air's density
    sun_W: (3,) direction of a Sun that stands still, 1 au away, any length; None: the Sun moves
    even_sunlight: whether solar_constant is the irradiance at any distance
    shadow: whether the Earth hides the Sun
    air_W: (3,) velocity of the air everywhere [m/s]; None: it turns with the Earth
    Raises ValueError for an epoch outside of the field's years, a solar constant below 0, a
        density of 0 or a Sun without direction.
    """

    epoch: Epoch
    orbit: Orbit
    magnetic_field: HarmonicField | UniformField = field(default_factory=igrf14)
    air: Air | None = None
    solar_constant: float = SOLAR_CONSTANT
    density_factor: float = 1.0
    sun_W: VectorLike | None = None
    even_sunlight: bool = False
    shadow: bool = True
    air_W: VectorLike | None = None
    flat_field: Array = field(init=False)

    def __post_init__(self) -> None:
        """Check the fields, and compute the magnetic field's coefficients at the epoch."""
        if not 0.0 <= self.solar_constant < math.inf:
            raise ValueError(
                f'solar_constant is {self.solar_constant:g} W/m^2; it must be 0 or more'
            )
        if not 0.0 < self.density_factor < math.inf:
            raise ValueError(
                f'density_factor is {self.density_factor:g}; it must be positive, and atmosphere '
                "'none' is no air at all"
            )
        if self.sun_W is not None:
            x, y, z = (float(value) for value in self.sun_W)
            size = math.sqrt(x * x + y * y + z * z)
            if not 0.0 < size < math.inf:
                raise ValueError(f'sun_direction is {[x, y, z]}; give a direction in world')
            object.__setattr__(self, 'sun_W', (x / size, y / size, z / size))
        object.__setattr__(self, 'flat_field', self.magnetic_field.flat(self.epoch.year))

    @property
    def exact(self) -> bool:
        """Whether these models and epoch.constants reproduce every table to the bit.

        Otherwise (SGP4, MSIS or a user's table) a recording keeps the flat table.
        """
        return self.orbit.exact and (self.air is None or self.air.exact)

    def table(self) -> OrbitTable:
        """Return the OrbitTable, still empty."""
        air, layers = 0.0 if self.air is None else -1.0, np.zeros((0, 3))
        if isinstance(self.air, ExponentialAir):
            layers = self.air.rows(self.density_factor)
            air = float(len(layers))
        head = head_of(
            self.epoch.constants, self.solar_constant, air, layers, self.sun_W,
            self.even_sunlight, self.shadow, self.air_W,
        )  # fmt: skip
        return OrbitTable(head, self.nodes, functools.partial(self.orbit.check, self.epoch))

    def nodes(self, first: int, count: int) -> Array:
        """Return (count, 13) of NODE from number `first` on; NaN where no orbit is known."""
        times = STEP * np.arange(first, first + count, dtype=float)
        states = self.orbit.states_W(self.epoch, times)
        nodes, places = np.zeros((count, NODE.size)), np.zeros((count, 3))
        nodes[:, PLACE : PLACE + 3] = states[:, :3]
        field = self.flat_field
        _fill_nodes(
            self.epoch.constants, field, times, scratch_for(field), nodes.ravel(), places.ravel()
        )
        if isinstance(self.air, ExponentialAir):
            nodes[:, AIR_HERE] = places[:, 0]
        elif self.air is not None:
            known = np.isfinite(states).all(axis=1)
            nodes[:, AIR_HERE] = math.nan
            nodes[known, AIR_HERE] = self.air.log_density(
                self.epoch, times[known], places[known]
            ) + math.log(self.density_factor)
        return nodes


@compiled
def _fill_nodes(
    epoch: Array, field: Array, times: Array, scratch: Array, nodes: Array, places: Array
) -> None:
    """Write field, Sun and Moon to nodes with known positions, and their positions on earth."""
    q_WI, C = four_at(epoch, Q_WI), nine_at(epoch, C_WD)
    for k in range(len(times)):
        time, node = times[k], NODE_SIZE * k
        days = epoch[DAYS] + time / 86400.0
        put(nodes, node + SUN, turned(C, sun_of_date(days)))
        put(nodes, node + MOON, turned(C, moon_of_date(days)))
        q = attitude_of_earth(epoch[ROTATION_ANGLE], q_WI, time)
        r = three_at(nodes, node + PLACE)
        x, y, z = quaternion_sandwich(q[0], -q[1], -q[2], -q[3], r[0], r[1], r[2])
        put(places, 3 * k, geodetic(x, y, z))
        if field[DEGREE] == 0.0:
            put(nodes, node + FIELD, three_at(field, UNIFORM))
        else:
            B = harmonic_field(field, time, x, y, z, scratch)
            put(
                nodes,
                node + FIELD,
                quaternion_sandwich(q[0], q[1], q[2], q[3], B[0], B[1], B[2]),
            )
