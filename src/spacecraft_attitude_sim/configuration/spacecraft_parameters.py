# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a spacecraft: actuators, internal parts, orbit and environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import loads, parts
from spacecraft_attitude_sim.configuration.earth_parameters import EARTH as AROUND_THE_EARTH
from spacecraft_attitude_sim.configuration.parameter import Parameter, blame, xyz
from spacecraft_attitude_sim.core.environment.circular_orbit import EARTH, CircularOrbit

if TYPE_CHECKING:
    from collections.abc import Mapping

SPACECRAFT = (
    *parts.PARAMETERS,
    *AROUND_THE_EARTH,
    *loads.PARAMETERS,
    Parameter(
        'orbit.radius', 0.0, 'm',
        'Radius of a circular orbit; the gravity gradient then acts on the body. The origin of '
        'world moves along the orbit and its axes do not rotate. 0: no such orbit.',
        low=0.0, high=1e12,
    ),
    xyz(
        'orbit.normal', '', 1e3,
        'Normal of the circular orbit, world axes, of any length. The motion is counterclockwise '
        'about it.',
        (0.0, 0.0, 1.0),
    ),
    xyz(
        'orbit.start', '', 1e3,
        'Direction from the planet to the spacecraft at the start, world axes. Only its '
        "component in the orbit's plane counts.", (1.0, 0.0, 0.0),
    ),
    Parameter(
        'orbit.gravitational_parameter', EARTH, 'm^3/s^2',
        "Gravitational parameter (G times the mass) of the planet. Default: the Earth's.",
        low=1.0, high=1e25,
    ),
    Parameter(
        'gravity_gradient', True, '',
        'Whether the gravity gradient exerts a torque on the body in an orbit. The tidal force '
        'on a body away from the origin of world acts in any case.', bool,
    ),
)  # fmt: skip


def circular_orbit(values: Mapping[str, Any]) -> CircularOrbit | None:
    """Return the CircularOrbit from checked parameters, or None without one.

    Raises ParameterError naming key, value and remedy.
    """
    if not values['orbit.radius']:
        return None
    with blame('orbit.'):
        return CircularOrbit(
            values['orbit.radius'],
            np.array(values['orbit.normal']),
            np.array(values['orbit.start']),
            values['orbit.gravitational_parameter'],
        )
