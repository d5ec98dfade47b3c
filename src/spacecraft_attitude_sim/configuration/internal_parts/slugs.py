# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Viscous slugs (Kane dampers): their parameters, and the ViscousSlugs of core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration.actuators.named import size
from spacecraft_attitude_sim.configuration.parameter import Parameter, blame, xyz

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug

NAMES = Parameter(
    'slugs', [], '',
    'Names of the viscous slugs: balls in oil that dissipate energy (Kane dampers). body.inertia '
    'includes them.', str, length=(),
)  # fmt: skip
# Parameters of each of `slugs`, under slug.<name>.
SLUG = (
    Parameter(
        'inertia', 1e-3, 'kg m^2',
        'Inertia about its centre, the same about any axis. body.inertia includes it.',
        low=1e-15, high=1e12,
    ),
    size(
        'damping', 'N m s/rad', 1e12, 'Damping: torque per angular velocity relative to the body.',
    ),
    xyz('rate', 'rad/s', 1e4, 'Angular velocity relative to the body at the start, body axes.'),
)  # fmt: skip


def slugs(values: Mapping[str, Any]) -> dict[str, ViscousSlug]:
    """Return {name: ViscousSlug} from checked parameters.

    Raises ParameterError naming slug, value and remedy.
    """
    from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlug

    found = {}
    for name in values['slugs']:
        prefix = f'slug.{name}.'
        own = [values[prefix + one.name] for one in SLUG]
        with blame(prefix):
            found[name] = ViscousSlug(*own)
    return found
