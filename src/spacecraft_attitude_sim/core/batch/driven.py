# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The actuators that the attitude_controller of a batch drives, as flat rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.control.allocation import GIMBALS, WHEELS, Allocation
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.types import Array
from spacecraft_attitude_sim.core.parts.control_moment_gyros.kernel import GIMBAL_STATE
from spacecraft_attitude_sim.core.parts.magnetorquers.description import Magnetorquers
from spacecraft_attitude_sim.core.parts.reaction_wheels.speeds import TACHOMETER

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.control.magnetic_control import MagneticGains
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft

# One driven actuator; its row of core.control.allocation follows. Index of its command after the
# wrench; index of a gimbal's angle in the states, or number of a wheel; its limits, and the unit.
DRIVEN = Layout(command=1, joint=1, low=1, high=1, unit=1)
# Each magnetorquer's share of a dipole, and its field at the magnetometer
# [T/(A m^2)].
ROD = Layout(sharing=3, max_dipole=1, interference_B=3)


class Driven(NamedTuple):
    """The actuators that a controller drives, and their indices among the spacecraft's actuators.

    allocation: of core.control.allocation, None where no actuator gives a torque
    rows: (G, DRIVEN.size);  wheels: (W, TACHOMETER.size) of all
    wheel_width: size of a wheel's states
    magnetic: (5,) of core.control.magnetic_control, empty where no dipole is commanded
    rods: (K, ROD.size) of all;  dipoles, rod_command: where their states and commands begin
    """

    allocation: Allocation | None
    rows: Array
    wheels: Array
    wheel_width: int
    magnetic: Array
    rods: Array
    dipoles: int
    rod_command: int


def driven_of(
    spacecraft: Spacecraft, allocation: Allocation | None, magnetic: MagneticGains | None = None
) -> Driven | None:
    """Return the Driven of a spacecraft with the actuators of an Allocation; None without any.

    magnetic: of core.control.magnetic_control where a dipole is commanded
    Raises ValueError where a batch cannot drive them.
    """
    if allocation is None and magnetic is None:
        return None
    numbers = {name: place.number for name, place in spacecraft.places.items()}
    rods = spacecraft.part(Magnetorquers)
    if not spacecraft.coupled:
        raise ValueError(
            'wheels that are ideal have no tachometers that a batch reads: give one of them a '
            'max_speed, or another limit'
        )
    if allocation and allocation.needs_speeds and numbers['control_moment_gyros']:
        raise ValueError('a batch drives no wheels beside gimbals; leave the gimbals out')
    wheels = spacecraft.part('reaction_wheels')
    return Driven(
        allocation,
        np.array(_places(spacecraft, allocation)).reshape(-1, DRIVEN.size),
        _tachometers(spacecraft),
        wheels.states // wheels.number if wheels else 0,
        magnetic.flat() if magnetic else np.zeros(0),
        np.array([
            ROD.packed(
                sharing=share, max_dipole=rod.max_dipole, interference_B=rod.interference_B
            )
            for share, rod in zip(rods.sharing, rods.rods, strict=True)
        ] if rods else []).reshape(-1, ROD.size),
        spacecraft.places['magnetorquers'].state,
        spacecraft.places['magnetorquers'].command,
    )  # fmt: skip


def _places(spacecraft: Spacecraft, allocation: Allocation | None) -> list[Array]:
    """Return a row of DRIVEN for each actuator of an Allocation."""
    if allocation is None:
        return []
    rows, places = [], spacecraft.places
    for name in allocation.names:
        if allocation.kind == GIMBALS:
            gyros = spacecraft.part('control_moment_gyros')
            k = gyros.names.index(name)
            most = gyros.gyros[k].max_rate
            place = places['control_moment_gyros']
            angle = place.state + k * GIMBAL_STATE.size + GIMBAL_STATE.at('angle')
            row = {'command': place.command + 2 * k, 'joint': angle}
            rows.append(DRIVEN.packed(**row, low=-most, high=most, unit=1.0))
        elif allocation.kind == WHEELS:
            wheels = spacecraft.part('reaction_wheels')
            k = wheels.names.index(name)
            most = wheels.torque_limits[k]
            rows.append(DRIVEN.packed(command=2 * k, joint=k, low=-most, high=most, unit=1.0))
        else:
            thrusters = spacecraft.part('thrusters')
            k = thrusters.names.index(name)
            most = thrusters.thrusters[k].max_force
            row = {'command': places['thrusters'].command + k, 'joint': 0}
            rows.append(DRIVEN.packed(**row, low=0.0, high=most, unit=most))
    return rows


def _tachometers(spacecraft: Spacecraft) -> Array:
    """Return a row of TACHOMETER for each wheel."""
    wheels = spacecraft.part('reaction_wheels')
    rows: Array = np.zeros(0) if wheels is None else wheels.tachometer_rows
    return rows.reshape(-1, TACHOMETER.size)
