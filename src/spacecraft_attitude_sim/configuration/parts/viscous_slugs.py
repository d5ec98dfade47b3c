# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Viscous slugs (Kane dampers): their parameters, and the ViscousSlugs of core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spacecraft_attitude_sim.configuration.parameter import Parameter, blame, xyz
from spacecraft_attitude_sim.configuration.parts.named import Given, each_part, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacecraft_attitude_sim.configuration.parts.named import AtStart
    from spacecraft_attitude_sim.core.parts.viscous_slugs.description import ViscousSlugs

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
LABEL, PARAMETERS = 'internal', (NAMES,)
NAMED = (('slugs', 'slug', SLUG),)


def part(given: Given) -> ViscousSlugs:
    """Return the ViscousSlugs.

    Raises ParameterError naming slug, value and remedy.
    """
    from spacecraft_attitude_sim.core.parts.viscous_slugs.description import (
        ViscousSlug,
        ViscousSlugs,
    )

    values = given.values
    slugs = {}
    for name, prefix, own in each_part(values, NAMED[0]):
        with blame(prefix):
            slugs[name] = ViscousSlug(*own.values())
    return ViscousSlugs(slugs)


def lines(slugs: ViscousSlugs, start: AtStart) -> Iterator[str]:  # noqa: ARG001
    """Yield the lines of the text summary."""
    for name, slug in slugs.each.items():
        settles = 'no damping'
        if slug.damping:
            settles = f'time constant of its rate {slug.inertia / slug.damping:.6g} s'
        yield f'{name}: viscous slug of {slug.inertia:.6g} kg m^2, {settles}'
