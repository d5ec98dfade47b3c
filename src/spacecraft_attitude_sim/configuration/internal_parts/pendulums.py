# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Spherical pendulums, propellant under thrust or spin: parameters, and the Pendulums of core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.actuators.named import size
from spacecraft_attitude_sim.configuration.parameter import Parameter, blame, xyz

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.internal.pendulums import Pendulum
    from spacecraft_attitude_sim.core.mathematics.types import Vector3

NAMES = Parameter(
    'pendulums', [], '',
    'Names of the spherical pendulums, such as propellant that sloshes under thrust or spin, '
    'which body.mass and body.inertia have at rest.', str, length=(),
)  # fmt: skip
# Each of `pendulums` is described by these, under pendulum.<name>.
PENDULUM = (
    xyz('pivot', 'm', 1e6, 'Point about which it swings, in the axes the body was designed in.'),
    xyz(
        'rest', '', 1.1,
        'From the pivot to the mass as body.inertia has it: unit vector in body axes.',
        (0.0, 0.0, -1.0),
    ),
    Parameter('mass', 1.0, 'kg', 'Mass; part of body.mass.', low=1e-12, high=1e12),
    Parameter('length', 1.0, 'm', 'From the pivot to the mass.', low=1e-9, high=1e6),
    size('damping', 'N m s/rad', 1e12, 'Torque by the rate of the rod.'),
    Parameter(
        'direction', [], '',
        'From the pivot to the mass at the start: unit vector in body axes; none: rest.',
        length=(0, 3), low=-1.1, high=1.1,
    ),
    xyz('rate', 'rad/s', 1e4, 'Of the rod relative to the body at the start, body axes.'),
)  # fmt: skip


def pendulums(values: Mapping[str, Any], center_of_mass: Vector3) -> dict[str, Pendulum]:
    """Return {name: Pendulum} of checked parameters.

    center_of_mass: (3,) of the body in the axes of the design [m]
    Raises ParameterError naming pendulum, value and remedy.
    """
    from spacecraft_attitude_sim.core.internal.pendulums import Pendulum

    found = {}
    for name in values['pendulums']:
        prefix = f'pendulum.{name}.'
        own = {one.name: values[prefix + one.name] for one in PENDULUM}
        pivot_B = np.array(own['pivot']) - center_of_mass
        with blame(prefix):
            found[name] = Pendulum(
                pivot_B, own['rest'], own['mass'], own['length'], own['damping'],
                own['direction'], own['rate'],
            )  # fmt: skip
    return found
