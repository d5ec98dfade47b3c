# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Text summary of a scenario's actuators and of what body.inertia includes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration.actuators import wheels as of_wheels
from spacecraft_attitude_sim.core.parts.reaction_wheels.description import IDEAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spacecraft_attitude_sim.configuration.checked_scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import VectorLike
    from spacecraft_attitude_sim.core.simulation import Instant
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft

# {parameter under wheel.<name>: its unit}: friction, imbalance and other optional effects.
OF_WHEELS = {
    'max_speed': 'rad/s', 'max_power': 'W', 'supply_voltage': 'V', 'torque_lag': 's',
    'dead_time': 's', 'friction.viscous': 'N m s', 'friction.coulomb': 'N m',
    'friction.static': 'N m', 'speed_bandwidth': 'rad/s', 'imbalance.static': 'kg m',
    'imbalance.dynamic': 'kg m^2', 'tachometer.resolution': 'rad/s', 'tachometer.bias': 'rad/s',
}  # fmt: skip


def vector(values: VectorLike) -> str:
    """Return a vector as text."""
    return '(' + ', '.join(f'{value:.6g}' for value in np.asarray(values) + 0.0) + ')'


def sections(scenario: Scenario, instant: Instant) -> Iterator[tuple[str, list[str]]]:
    """Yield (label, lines) for each kind of actuator, and for the inertia."""
    spacecraft, values = scenario.plant.spacecraft, scenario.parameters
    yield 'inertia', list(_inertia(spacecraft))
    yield 'wheels', list(_wheels(spacecraft, values, instant))
    yield 'gimbals', list(_gimbals(spacecraft))
    yield 'thrusters', list(_thrusters(spacecraft, values))
    yield 'torquers', list(_magnetorquers(spacecraft))


def _inertia(spacecraft: Spacecraft) -> Iterator[str]:
    """Return as text what body.inertia includes, and the inertia without the wheels."""
    if not (spacecraft.wheels or spacecraft.gyros):
        return
    within = [
        what
        for what, kind in (('wheels', spacecraft.wheels), ('gimbals', spacecraft.gyros))
        if kind
    ]
    yield (
        f'body.inertia is the inertia of the whole spacecraft, with its {" and ".join(within)} '
        'locked'
    )
    without = []
    if spacecraft.wheels:
        without.append("the wheels' inertia about their spin axes")
    if spacecraft.gyros:
        without.append('the rotors and gimbals')
    yield (
        f'without {" and ".join(without)}: {vector(np.diag(spacecraft.carrier.inertia))} kg m^2 '
        'about x, y, z'
    )


def _wheels(spacecraft: Spacecraft, values: Mapping[str, Any], instant: Instant) -> Iterator[str]:
    if not (wheels := spacecraft.wheels):
        return
    speeds = spacecraft.wheel_speeds(instant.state)
    for name, axis_B, inertia, most, speed, own in zip(
        wheels.names, wheels.axes_B, wheels.inertias, wheels.torque_limits, speeds, wheels.each,
        strict=True,
    ):  # fmt: skip
        yield (
            f'{name}: spin axis {vector(axis_B)}, {round(speed, 9) + 0.0:.6g} rad/s relative to '
            f'the body, inertia {inertia:.6g} kg m^2, largest torque {most:.6g} N m'
            f'{_ideal(own == IDEAL)}'
        )
        said = _numbers(values, f'wheel.{name}', OF_WHEELS)
        if gain := values[f'wheel.{name}.tachometer.gain'] - 1.0:
            said.append(f'tachometer.gain {1.0 + gain:g}')
        if said:
            yield f'  {", ".join(said)}'
    stored_B = wheels.momentum_B(spacecraft.wheels_in(instant.state))
    yield f'angular momentum in the wheels {vector(stored_B)} N m s, body axes'
    slow = [name for name in wheels.names if not values[f'wheel.{name}.speed_bandwidth']]
    if slow and any(of_wheels.of(values, 'speed_bandwidth')):
        yield f'{", ".join(slow)}: no speed_bandwidth, so you can command torque only, not speed'


def _ideal(ideal: bool) -> str:
    return ', ideal' if ideal else ''


def _numbers(values: Mapping[str, Any], prefix: str, units: Mapping[str, str]) -> list[str]:
    """Return as text the parameters under a prefix that are not 0; units: {name: unit}."""
    return [
        f'{name} {values[f"{prefix}.{name}"]:g} {unit}'.rstrip()
        for name, unit in units.items()
        if values[f'{prefix}.{name}']
    ]


def _limit(what: str, value: float, unit: str) -> str:
    return f'largest {what} {value:g} {unit}' if math.isfinite(value) else f'no {what} limit'


def _gimbals(spacecraft: Spacecraft) -> Iterator[str]:
    if not (gyros := spacecraft.gyros):
        return
    for name, one in zip(gyros.names, gyros.gyros, strict=True):
        rotor = one.rotor_inertia * one.rotor_speed
        kept = 'free rotor' if one.free_rotor else 'a motor keeps its speed'
        yield (
            f'{name}: rotor of {rotor:.6g} N m s, {kept}; spin axis {vector(one.spin_axis_B)} '
            f'at angle 0; angle at the start {one.angle:.6g} rad'
        )
        yield (
            f'  gimbal axis {vector(one.gimbal_axis_B)}, {_limit("rate", one.max_rate, "rad/s")}, '
            f'{_limit("acceleration", one.max_acceleration, "rad/s^2")}, '
            f'{_limit("torque", one.max_torque, "N m")}'
        )


def _thrusters(spacecraft: Spacecraft, values: Mapping[str, Any]) -> Iterator[str]:
    if not (thrusters := spacecraft.thrusters):
        return
    for name, one in zip(thrusters.names, thrusters.thrusters, strict=True):
        turned = values[f'thruster.{name}.misalignment']
        as_mounted = ' (with its misalignment)' if turned else ''
        origin = 'the pivot' if values['bearing.enabled'] else 'the centre of mass'
        yield (
            f'{name}: {one.max_force:.6g} N along {vector(one.direction_B)}{as_mounted} at '
            f'{vector(one.position_B)} m from {origin}'
        )
        if one.period:
            yield (
                f'  pulses: period {one.period:g} s, shortest on-time {one.min_on_time:g} s, '
                f'shorter ones {"add up" if one.carry else "are lost"}'
            )
        more = {
            'rise_time': 's', 'fall_time': 's', 'open_delay': 's', 'close_delay': 's',
            'specific_impulse': 's', 'scatter': '',
        }  # fmt: skip
        if said := _numbers(values, f'thruster.{name}', more):
            yield f'  {", ".join(said)}'
    counted = [name for name in thrusters.names if values[f'thruster.{name}.specific_impulse']]
    which = 'not counted (no specific_impulse)'
    if counted:
        which = 'counted'
        if len(counted) < len(thrusters.names):
            which = f'counted for {", ".join(counted)} only (specific_impulse)'
    yield f'used propellant is {which}; mass and inertia do not change'


def _magnetorquers(spacecraft: Spacecraft) -> Iterator[str]:
    if not (magnetorquers := spacecraft.magnetorquers):
        return
    for name, rod in zip(magnetorquers.names, magnetorquers.rods, strict=True):
        lag = f', time constant {rod.lag:g} s' if rod.lag else ''
        yield f'{name}: largest dipole {rod.max_dipole:.6g} A m^2 along {vector(rod.axis_B)}{lag}'
    if math.isfinite(magnetorquers.off_after):
        yield f'on for the first {magnetorquers.off_after:.6g} s of each tick'
    if np.any(magnetorquers.residual_B):
        yield f'residual dipole {vector(magnetorquers.residual_B)} A m^2'
