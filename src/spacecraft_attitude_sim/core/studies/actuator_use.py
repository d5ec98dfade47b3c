# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What a flight asked of its actuators: momentum, speed margin, work, propellant, duty.

Each function returns {merit: value}, in SI units, of all instants of a flight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.core.mathematics.types import Array


def of_torque(time: Array, torque_B: Array) -> dict[str, float]:
    """Return the merits of the commanded torque.

    time: (n,) [s];  torque_B: (n, 3) in the tick that ends at each instant [N m], NaN if unknown
    """
    torques = np.nan_to_num(np.linalg.norm(torque_B, axis=1))
    return {
        'largest_torque': float(torques.max()),
        'torque_impulse': float(torques[1:] @ np.diff(time)),
    }


def of_wheels(time: Array, wheels: Any, arrays: Mapping[str, Array]) -> dict[str, float]:
    """Return the merits of reaction wheels.

    The power of a motor is its torque times the speed of the wheel relative to the body. It is
    mechanical: a scenario says nothing of the motor's electrical losses.

    time: (n,) [s];  wheels: core.parts.reaction_wheels.description.ReactionWheels
    arrays: speeds (n, N) [rad/s], torques (n, N) of the motors [N m]
    """
    speeds, torques = arrays['speeds'], arrays['torques']
    fastest, limits = np.abs(speeds).max(axis=0), np.asarray(wheels.speed_limits)
    momenta = np.linalg.norm((speeds * wheels.inertias) @ wheels.axes_B, axis=1)
    powers = torques[1:] * 0.5 * (speeds[1:] + speeds[:-1])
    work = powers * np.diff(time)[:, np.newaxis]
    merits = {
        'largest_wheel_speed': float(fastest.max()),
        'largest_wheel_momentum': float(momenta.max()),
        'largest_wheel_power': float(np.abs(powers).max(initial=0.0)),
        'wheel_work': float(work[work > 0.0].sum()),
        'wheel_braking': float(-work[work < 0.0].sum()),
    }
    if np.isfinite(limits).any():
        merits['wheel_speed_margin'] = float(1.0 - np.max(fastest / limits))
    return merits


def of_thrusters(time: Array, jets: Any, arrays: Mapping[str, Array]) -> dict[str, float]:
    """Return the merits of thrusters.

    Duty is the impulse, as a share of what the thruster would give if it were always open.

    time: (n,) [s];  jets: core.parts.thrusters.description.Thrusters
    arrays: impulses (n, M) in the tick that ends at each instant [N s], NaN if unknown; used
        (n, M) [kg] and pulses (n, M) since the start
    """
    impulses = np.nan_to_num(arrays['impulses'][1:]).sum(axis=0)
    most = jets.max_forces * (time[-1] - time[0])
    merits = {
        'thruster_impulse': float(impulses.sum()),
        'thruster_duty': float(np.max(impulses / most)),
        'thruster_pulses': float((arrays['pulses'][-1] - arrays['pulses'][0]).sum()),
    }
    if any(jet.specific_impulse for jet in jets.thrusters):
        merits['propellant'] = float((arrays['used'][-1] - arrays['used'][0]).sum())
    return merits


def of_magnetorquers(time: Array, rods: Any, arrays: Mapping[str, Array]) -> dict[str, float]:
    """Return the merits of magnetorquers: the mean size of the dipole as a share of the largest.

    time: (n,) [s];  rods: core.parts.magnetorquers.description.Magnetorquers
    arrays: dipoles (n, K) [A m^2]
    """
    sizes = np.abs(arrays['dipoles'][1:])
    mean = np.diff(time) @ sizes / (time[-1] - time[0])
    return {'dipole_duty': float(np.max(mean / rods.max_dipoles))}


# {kind of part, as of a History: its merits}
OF_KIND = {'wheels': of_wheels, 'thrusters': of_thrusters, 'magnetorquers': of_magnetorquers}
