# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Motion of a spacecraft's internal parts now, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.types import Array, Vectors3
from spacecraft_attitude_sim.core.parts.coordinates.layouts import (
    AT_HIGH,
    AT_LOW,
    CAUGHT,
    COORDINATE_STATE,
    FREE,
    HELD,
    LATCHED,
)

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
    from spacecraft_attitude_sim.core.spacecraft import Spacecraft

HOW = COORDINATE_STATE.at('how')
IN_WORDS = {
    HELD: 'held', FREE: 'free', AT_HIGH: 'at its end', AT_LOW: 'at its end', LATCHED: 'latched',
    CAUGHT: 'latched',
}  # fmt: skip
AXES = 'xyz'


class Motions(NamedTuple):
    """K coordinates, P pendulums, S slugs, R hysteresis rods.

    displacements, rates: (K,) [rad, m, sqrt(kg) m] and per second
    how: (K,) mode of each, of core.parts.coordinates.layouts: HELD, FREE, …
    swings, swing_rates: (P, 3) displacements of the masses from rest and their rates, relative to
        the body, body axes [m, m/s]
    slug_rates: (S, 3) relative to the body, body axes [rad/s];  flux_densities: (R,) [T]
    """

    displacements: Array
    rates: Array
    how: Array
    swings: Vectors3
    swing_rates: Vectors3
    slug_rates: Vectors3
    flux_densities: Array


def motions(spacecraft: Spacecraft, state: State) -> Motions:
    """Return the Motions of a spacecraft with internal parts."""
    parts = spacecraft.internal
    assert parts
    internal, rates = spacecraft.internal_states(state), spacecraft.internal_rates(state)
    count, swinging = len(parts.coordinates), len(parts.pendulums)
    own = internal[parts.layout.of('coordinates')].reshape(count, COORDINATE_STATE.size)
    now_B = parts.directions_B(internal)
    swings = [
        one.length * (direction - np.asarray(one.rest_B))
        for one, direction in zip(parts.pendulums.values(), now_B, strict=True)
    ]
    of_coordinates, of_pendulums, of_slugs = np.split(rates, (count, count + 3 * swinging))
    return Motions(
        parts.displacements(internal), of_coordinates, own[:, HOW],
        np.array(swings).reshape(swinging, 3), of_pendulums.reshape(swinging, 3),
        of_slugs.reshape(-1, 3), parts.flux_densities(internal),
    )  # fmt: skip


def with_origin_at(spacecraft: Spacecraft, state: State) -> State:
    """Return a State from one that gives position and velocity of the body axes' origin.

    state: with position_W (3,) of the origin [m], and in momentum_W (3,) its velocity times the
    mass of the spacecraft [N s]
    """
    if not spacecraft.internal:
        return state
    center_W = rotations.rotate(state.q_WB, spacecraft.center_of_mass_B(state))
    at_rest = state._replace(momentum_W=np.zeros(3))
    relative_W = spacecraft.origin_velocity_W(at_rest)  # to the centre of mass
    return state._replace(
        position_W=state.position_W + center_W,
        momentum_W=state.momentum_W - spacecraft.body.mass * relative_W,
    )


def names(parts: InternalParts) -> list[str]:
    """Return the names of all displacements: coordinates, then x, y, z of each pendulum."""
    return [*parts.coordinates, *(f'{name}/{axis}' for name in parts.pendulums for axis in AXES)]


def slug_names(parts: InternalParts) -> list[str]:
    """Return the names of the slugs' rates."""
    return [f'{name}/{axis}' for name in parts.slugs for axis in AXES]


def panel_names(parts: InternalParts | None) -> list[str]:
    """Return the names of the hinged panels."""
    several = parts.coordinates.items() if parts else ()
    return [name for name, one in several if one.revolute]


def panel_rows(parts: InternalParts) -> list[int]:
    """Return the indices of hinged panels among the coordinates."""
    several = enumerate(parts.coordinates.values())
    return [number for number, one in several if one.revolute]


def panels_in_words(parts: InternalParts, moving: Motions) -> dict[str, str]:
    """Return {name: held, free or latched} of the hinged panels."""
    own = dict(zip(parts.coordinates, moving.how.tolist(), strict=True))
    return {name: IN_WORDS[own[name]] for name in panel_names(parts)}


def hinge_torques(parts: InternalParts, moving: Motions) -> Array:
    """Return the torques (K,) of springs and dampers on panels about their hinges [N m].

    A spring latch is included. 0 for coordinates that are held or latched rigidly, because the
    constraint sets their torque, and for those that are no panel.
    """
    torques = np.zeros(len(parts.coordinates))
    several = zip(
        parts.coordinates.values(), moving.displacements, moving.rates, moving.how, strict=True
    )
    for number, (one, angle, rate, how) in enumerate(several):
        if one.revolute and how in (FREE, CAUGHT):
            torques[number] = -one.stiffness * (angle - one.rest) - one.damping * rate
            if how == CAUGHT:
                caught = -one.latch_stiffness * (angle - one.latch) - one.latch_damping * rate
                torques[number] += caught
    return torques
