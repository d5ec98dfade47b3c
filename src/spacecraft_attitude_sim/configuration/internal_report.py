# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a scenario's summary says of its internal parts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.configuration.actuator_report import vector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.internal.hinged_panels import HingedPanel
    from spacecraft_attitude_sim.core.internal.internal_parts import Coordinate, InternalParts


def lines(scenario: Scenario) -> Iterator[str]:
    """Yield what there is, line by line; nothing without internal parts."""
    parts, body = scenario.plant.spacecraft.internal, scenario.plant.body
    if not parts:
        return
    from spacecraft_attitude_sim.core.internal.free_vibration import free_frequencies

    yield 'body.mass and body.inertia include all of it, in its place of reference'
    for name, one in parts.coordinates.items():
        yield from _coordinate(name, one)
    for name, pendulum in parts.pendulums.items():
        swing = np.asarray(pendulum.direction_B) @ np.asarray(pendulum.rest_B)
        yield (
            f'{name}: pendulum of {pendulum.mass:.6g} kg and {pendulum.length:.6g} m at '
            f'{vector(pendulum.pivot_B)} m from the centre of mass, '
            f'{math.degrees(math.acos(min(1.0, max(-1.0, swing)))):.4g} deg from rest'
        )
    for name, slug in parts.slugs.items():
        settles = f', its rate settles in {slug.inertia / slug.damping:.6g} s'
        yield (
            f'{name}: viscous slug of {slug.inertia:.6g} kg m^2'
            f'{settles if slug.damping else ", without friction"}'
        )
    found = free_frequencies(parts, body.mass, body.inertia) / math.tau
    if found.size:
        said = ', '.join(f'{one:.6g}' for one in found)
        yield f'with the body free and not spinning they vibrate at {said} Hz, without damping'
    yield from _hub(parts, body.mass)


def _hub(parts: InternalParts, mass: float) -> Iterator[str]:
    if parts.mass:
        hub_mass = mass - parts.mass
        yield (
            f'the rest, {hub_mass:.6g} of {mass:.6g} kg, has its centre of mass at '
            f'{vector(parts.hub_moment_B / hub_mass)} m from that of the whole'
        )


def _coordinate(name: str, one: Coordinate) -> Iterator[str]:
    from spacecraft_attitude_sim.core.internal.flexible_modes import FlexibleMode
    from spacecraft_attitude_sim.core.internal.hinged_panels import HingedPanel

    if isinstance(one, FlexibleMode):
        yield (
            f'{name}: mode of vibration, {one.frequency / math.tau:.6g} Hz with the body held, '
            f'damping ratio {one.damping_ratio:.6g}, coupling {vector(one.coupling_B)} sqrt(kg) m'
        )
    elif isinstance(one, HingedPanel):
        yield (
            f'{name}: panel of {one.mass:.6g} kg, {one.moving:.6g} kg m^2 about its hinge along '
            f'{vector(one.axis_B)} at {vector(one.hinge_B)} m from the centre of mass'
        )
        yield f'  at {math.degrees(one.angle):.6g} deg, {_deployed(one)}'
    else:
        spring = 'no spring'
        if one.stiffness:
            held = math.sqrt(one.stiffness / one.mass) / math.tau
            spring = f'{held:.6g} Hz with the body held'
        low, high = one.travel
        within = f', from {low:g} to {high:g} m' if math.isfinite(high - low) else ''
        yield (
            f'{name}: mass of {one.mass:.6g} kg on a line along {vector(one.axis_B)} through '
            f'{vector(one.position_B)} m from the centre of mass, {spring}{within}'
        )


def _deployed(one: HingedPanel) -> str:
    """Return in words when a panel is released and where it is caught."""
    released = f'held until {one.release:g} s' if one.release else 'free from the start'
    if not math.isfinite(one.latch):
        return f'{released}, without a latch'
    kind = 'spring' if one.latch_stiffness else 'rigid'
    return f'{released}, caught at {math.degrees(one.latch):.6g} deg by a {kind} latch'
