# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""How the wheels of a recorded run turned, row by row."""

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
    torques: (n, N) of the motors on the rotors through the tick that ends there [N m]; NaN where
        joint_states was not recorded; after lag and limits, when the tick ends, of wheels that
        have any
    stored_B: (n, 3) Σ h_i a_i, what ground_truth/wheel_momentum says [N m s]
    angles: (n, N) in -π to π relative to the body [rad]; None of ideal wheels, which count none
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
        """Σ J_i Ω_i a_i (n, 3), body axes [N m s]: what the limits of the speeds bound.

        Total L is this and I ω, as with the wheels locked.
        """
        return (self.speeds * self.wheels.inertias) @ self.wheels.axes_B


def places_of(found: Scenario) -> Vectors3:
    """Return where the wheels of a Scenario are (N, 3) from the centre of mass [m].

    NaN where their position is not given, or 0, which is the same.
    """
    places = np.full((len(found.parameters['wheels']), 3), np.nan)
    for place, name in zip(places, found.parameters['wheels'], strict=True):
        position = np.array(found.parameters[f'wheel.{name}.position'])
        if position.any():
            place[:] = position - found.plant.body.center_of_mass
    return places


def of_run(found: Scenario, states: Sequence[State], said: Sequence[Array]) -> WheelHistory | None:
    """Return the WheelHistory of a run; None without wheels.

    said: torques of the motors of ideal wheels in the tick that ends at each state, the first of
        its numbers; fewer than there are wheels where they are not known
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
