# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The reaction wheels of a recorded run, one row per instant."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.actuators.reaction_wheels import ReactionWheels
from spacecraft_attitude_sim.core.mathematics.types import Array, Vectors3

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.body.state import State


class WheelHistory(NamedTuple):
    """N wheels at n instants.

    wheels: ReactionWheels;  speeds: (n, N) relative to the body [rad/s]
    torques: (n, N) of the motors on the rotors in the tick that ends there [N m], NaN if
        joint_states was not recorded; for wheels with lag or limits, at the end of the tick
    stored_B: (n, 3) Σ h_i a_i, as in ground_truth/wheel_momentum [N m s]
    angles: (n, N) in -π to π relative to the body [rad]; None for ideal wheels
    places_B: (N, 3) of `places_of`, None if not known
    """

    wheels: ReactionWheels
    speeds: Array
    torques: Array
    stored_B: Vectors3
    angles: Array | None = None
    places_B: Vectors3 | None = None

    @property
    def held_B(self) -> Vectors3:
        """Σ J_i Ω_i a_i (n, 3), body axes [N m s], which the speed limits bound.

        Total L is this plus I ω, where I is the inertia with the wheels locked.
        """
        return (self.speeds * self.wheels.inertias) @ self.wheels.axes_B


def places_of(found: Scenario) -> Vectors3:
    """Return the positions (N, 3) of the wheels from the centre of mass [m].

    NaN if the position is not given, or is 0, which means the same.
    """
    places = np.full((len(found.parameters['wheels']), 3), np.nan)
    for place, name in zip(places, found.parameters['wheels'], strict=True):
        position = np.array(found.parameters[f'wheel.{name}.position'])
        if position.any():
            place[:] = position - found.plant.body.center_of_mass
    return places


def of_run(found: Scenario, states: Sequence[State], said: Sequence[Array]) -> WheelHistory | None:
    """Return the WheelHistory of a run; None without wheels.

    said: for each state, the motor torques of ideal wheels in the tick that ends there come first;
        fewer numbers than wheels mean not known
    """
    spacecraft, wheels = found.plant.spacecraft, found.plant.spacecraft.wheels
    if wheels is None:
        return None
    speeds = np.array([spacecraft.wheel_speeds(state) for state in states])
    unknown = np.full(wheels.number, np.nan)
    angles = None
    if wheels.detailed:
        own = [spacecraft.wheels_in(state) for state in states]
        torques = list(map(wheels.motor_torques, own, speeds))
        angles = np.array([wheels.angles(one) for one in own])
    else:
        torques = [one[: wheels.number] if one.size >= wheels.number else unknown for one in said]
    stored_B = np.array([spacecraft.stored_B(state) for state in states])
    return WheelHistory(wheels, speeds, np.array(torques), stored_B, angles, places_of(found))
