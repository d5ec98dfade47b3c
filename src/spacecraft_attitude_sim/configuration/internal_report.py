# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Text summary of a scenario's internal parts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.configuration.actuator_report import vector
from spacecraft_attitude_sim.core.mathematics.fixed_order import product

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacecraft_attitude_sim.configuration.checked_scenario import Scenario
    from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel
    from spacecraft_attitude_sim.core.parts.internal_parts import Coordinate, InternalParts


def lines(scenario: Scenario) -> Iterator[str]:
    """Yield the lines of the summary; none without internal parts."""
    parts, body = scenario.plant.spacecraft.internal, scenario.plant.body
    if not parts:
        return
    from spacecraft_attitude_sim.core.parts.free_vibration import free_frequencies

    if parts.coordinates or parts.pendulums or parts.slugs:
        whose = 'the mass and inertia above'
        if scenario.parameters['body.given_for'] == 'whole':
            whose = 'body.mass and body.inertia'
        yield f'{whose} include all these parts, at their reference places'
    for name, one in parts.coordinates.items():
        yield from _coordinate(name, one)
    for name, pendulum in parts.pendulums.items():
        swing = product(pendulum.direction_B, pendulum.rest_B)
        yield (
            f'{name}: pendulum of {pendulum.mass:.6g} kg and {pendulum.length:.6g} m at '
            f'{vector(pendulum.pivot_B)} m from the centre of mass, '
            f'{math.degrees(math.acos(min(1.0, max(-1.0, swing)))):.4g} deg from rest'
        )
    for name, slug in parts.slugs.items():
        settles = 'no damping'
        if slug.damping:
            settles = f'time constant of its rate {slug.inertia / slug.damping:.6g} s'
        yield f'{name}: viscous slug of {slug.inertia:.6g} kg m^2, {settles}'
    for name, rod in parts.hysteresis_rods.items():
        yield (
            f'{name}: hysteresis rods of {1e9 * rod.volume:.6g} mm^3 along {vector(rod.axis_B)}, '
            f'coercivity {rod.coercivity:.6g} A/m, remanence {rod.remanence:.6g} T, saturation '
            f'{rod.saturation:.6g} T, largest dipole {rod.largest_dipole:.6g} A m^2'
        )
    found = free_frequencies(parts, body.mass, body.inertia) / math.tau
    if found.size:
        said = ', '.join(f'{one:.6g}' for one in found)
        yield f'natural frequencies with a free body, no spin and no damping: {said} Hz'
    yield from _hub(parts, body.mass)


def _hub(parts: InternalParts, mass: float) -> Iterator[str]:
    if parts.mass:
        hub_mass = mass - parts.mass
        yield (
            f'the hub has {hub_mass:.6g} of {mass:.6g} kg; its centre of mass is at '
            f'{vector(parts.hub_moment_B / hub_mass)} m from that of the whole spacecraft'
        )


def _coordinate(name: str, one: Coordinate) -> Iterator[str]:
    from spacecraft_attitude_sim.core.parts.coordinates.flexible_modes import FlexibleMode
    from spacecraft_attitude_sim.core.parts.coordinates.hinged_panels import HingedPanel

    if isinstance(one, FlexibleMode):
        yield (
            f'{name}: vibration mode, {one.frequency / math.tau:.6g} Hz with the body held fixed, '
            f'damping ratio {one.damping_ratio:.6g}, coupling {vector(one.coupling_B)} sqrt(kg) m'
        )
    elif isinstance(one, HingedPanel):
        yield (
            f'{name}: panel of {one.mass:.6g} kg; hinge along {vector(one.axis_B)} at '
            f'{vector(one.hinge_B)} m from the centre of mass; inertia about the hinge '
            f'{one.moving:.6g} kg m^2'
        )
        yield f'  angle at the start {math.degrees(one.angle):.6g} deg, {_deployed(one)}'
    else:
        spring = 'no spring'
        if one.stiffness:
            held = math.sqrt(one.stiffness / one.mass) / math.tau
            spring = f'{held:.6g} Hz with the body held fixed'
        low, high = one.travel
        within = f', travel from {low:g} to {high:g} m' if math.isfinite(high - low) else ''
        yield (
            f'{name}: mass of {one.mass:.6g} kg on a line along {vector(one.axis_B)} through '
            f'{vector(one.position_B)} m from the centre of mass, {spring}{within}'
        )


def _deployed(one: HingedPanel) -> str:
    """Return as text when a panel is released and at which angle it latches."""
    released = f'released at {one.release:g} s' if one.release else 'free from the start'
    if not math.isfinite(one.latch):
        return f'{released}, no latch'
    kind = 'elastic' if one.latch_stiffness else 'rigid'
    return f'{released}, {kind} latch at {math.degrees(one.latch):.6g} deg'
