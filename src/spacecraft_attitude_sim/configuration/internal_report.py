# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Text summary of a scenario's internal parts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.configuration.parts.named import vector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacecraft_attitude_sim.configuration.checked_scenario import Scenario
    from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts


def lines(scenario: Scenario, each: list[str]) -> Iterator[str]:
    """Yield the lines of the summary; each: those of all internal parts, one by one."""
    parts, body = scenario.plant.spacecraft.internal, scenario.plant.body
    if not parts:
        return
    from spacecraft_attitude_sim.core.parts.free_vibration import free_frequencies

    if parts.coordinates or parts.pendulums or parts.slugs:
        whose = 'the mass and inertia above'
        if scenario.parameters['body.given_for'] == 'whole':
            whose = 'body.mass and body.inertia'
        yield f'{whose} include all these parts, at their reference places'
    yield from each
    frequencies = free_frequencies(parts, body.mass, body.inertia) / math.tau
    if frequencies.size:
        listed = ', '.join(f'{frequency:.6g}' for frequency in frequencies)
        yield f'natural frequencies with a free body, no spin and no damping: {listed} Hz'
    yield from _hub(parts, body.mass)


def _hub(parts: InternalParts, mass: float) -> Iterator[str]:
    if parts.mass:
        hub_mass = mass - parts.mass
        yield (
            f'the hub has {hub_mass:.6g} of {mass:.6g} kg; its centre of mass is at '
            f'{vector(parts.hub_moment_B / hub_mass)} m from that of the whole spacecraft'
        )
