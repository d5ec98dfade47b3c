# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Histories of gimbals, thrusters and magnetorquers in a recorded run, one row per instant."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.actuators.control_moment_gyros import ControlMomentGyros
from spacecraft_attitude_sim.core.actuators.magnetorquers import Magnetorquers
from spacecraft_attitude_sim.core.actuators.thrusters import Thrusters
from spacecraft_attitude_sim.core.control import gimbal_steering
from spacecraft_attitude_sim.core.mathematics.types import Array, Vectors3
from spacecraft_attitude_sim.core.parts.thrusters.kernel import THRUSTER_STATE
from spacecraft_attitude_sim.core.spacecraft import telemetry

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.simulation import Plant
    from spacecraft_attitude_sim.recording.reader import RecordedInstant


class GimbalHistory(NamedTuple):
    """G control moment gyros at n instants.

    angles, rates: (n, G) of the gimbals [rad, rad/s]; the angles have no jumps
    held_B: (n, 3) Σ J Ω s of the rotors, body axes [N m s]
    """

    gyros: ControlMomentGyros
    angles: Array
    rates: Array
    held_B: Vectors3

    def singularity_measures(self) -> Array:
        """Return core.control.gimbal_steering.singularity_measure (n,) at every instant."""
        found = [gimbal_steering.singularity_measure(self.gyros, one) for one in self.angles]
        return np.array(found)


class ThrusterHistory(NamedTuple):
    """M thrusters at n instants.

    impulses: (n, M) in the tick that ends at the instant [N s], exact even for short pulses;
        0 if the state was set, NaN if the tick before was not recorded
    pulses, used: (n, M) number of pulses and propellant [kg], since the states were set
    step: length of a tick [s]
    """

    thrusters: Thrusters
    impulses: Array
    pulses: Array
    used: Array
    step: float


class RodHistory(NamedTuple):
    """K magnetorquers at n instants.

    dipoles: (n, K) along their axes [A m^2]; the command for rods that are off at a tick's end
    """

    rods: Magnetorquers
    dipoles: Array


def gimbals_of(states: Sequence[State], plant: Plant) -> GimbalHistory | None:
    """Return the GimbalHistory of a run; None without gimbals."""
    spacecraft = plant.spacecraft
    gyros = spacecraft.gyros
    if gyros is None:
        return None
    angles, rates, held_B = [], [], []
    for state in states:
        rotors, own = (
            telemetry.part_of(spacecraft, kind, state) for kind in ('rotors', 'gimbals')
        )
        omega_B = spacecraft.angular_velocity_B(state)
        angles.append(gyros.angles(own))
        rates.append(gyros.rates(own, omega_B))
        momenta = gyros.rotor_momenta(rotors, own, omega_B)
        held_B.append(momenta @ gyros.axes_now_B(own)[0])
    whole = np.unwrap(np.array(angles), axis=0)
    return GimbalHistory(gyros, whole, np.array(rates), np.array(held_B))


def thrusters_of(
    instants: Sequence[RecordedInstant], states: Sequence[State], plant: Plant
) -> ThrusterHistory | None:
    """Return the ThrusterHistory of a run; None without thrusters."""
    thrusters = plant.spacecraft.thrusters
    if thrusters is None:
        return None
    several = [telemetry.part_of(plant.spacecraft, 'thrusters', state) for state in states]
    rows = np.array(several).reshape(len(states), len(thrusters.names), -1)
    return ThrusterHistory(
        thrusters,
        _impulses(instants, states, plant, thrusters),
        rows[:, :, THRUSTER_STATE.at('pulses')],
        rows[:, :, THRUSTER_STATE.at('used')],
        plant.ticks.step,
    )


def rods_of(
    instants: Sequence[RecordedInstant], states: Sequence[State], plant: Plant
) -> RodHistory | None:
    """Return the RodHistory of a run; None without magnetorquers."""
    rods = plant.spacecraft.magnetorquers
    if rods is None or not rods.names:
        return None
    most, found = rods.max_dipoles, []
    for heard, state in zip(instants, states, strict=True):
        dipoles = telemetry.part_of(plant.spacecraft, 'magnetorquers', state)
        if rods.off_after < plant.ticks.step and heard.inputs and heard.inputs.dipole.size:
            dipoles = np.clip(heard.inputs.dipole, -most, most)
        found.append(dipoles)
    return RodHistory(rods, np.array(found))


def _impulses(
    instants: Sequence[RecordedInstant],
    states: Sequence[State],
    plant: Plant,
    thrusters: Thrusters,
) -> Array:
    """Return the impulses (n, M) of ThrusterHistory; each tick is computed again."""
    found = np.full((len(states), len(thrusters.names)), np.nan)
    for row, now in enumerate(instants):
        if now.inputs and now.inputs.given:
            found[row] = 0.0
        elif now.inputs and row and now.tick == instants[row - 1].tick + 1:
            stepped = plant.with_substeps(now.inputs.substeps)
            inputs, elapsed = now.inputs.commanded(), instants[row - 1].elapsed
            # A bag from another program may hold an impossible motion.
            with contextlib.suppress(ArithmeticError, ValueError):
                moved = stepped.solver.advance(stepped, states[row - 1], None, inputs, elapsed)
                found[row] = moved.drive.thrust * plant.ticks.step
    return found
