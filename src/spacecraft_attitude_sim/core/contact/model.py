# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The contact of one body with one floor: its parameters, its start, and its tick."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.rigid_body import RigidBody
from spacecraft_attitude_sim.core.body.state import State, from_flat, to_flat
from spacecraft_attitude_sim.core.contact.floor_functions import floor_handle
from spacecraft_attitude_sim.core.contact.floors import Floor
from spacecraft_attitude_sim.core.contact.shapes import Surface
from spacecraft_attitude_sim.core.contact.solver.advance import advance
from spacecraft_attitude_sim.core.contact.solver.initial_contact import begin
from spacecraft_attitude_sim.core.contact.solver.layout import (
    CONSTANTS,
    CONTACT_SIZE,
    GAP,
    PLACEMENT,
)
from spacecraft_attitude_sim.core.contact.solver.reading import (  # noqa: F401 (read them here)
    Contact,
    check,
    unpack,
)
from spacecraft_attitude_sim.core.contact.surface_functions import implicit_handle
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.mathematics.fixed_order import product, turned
from spacecraft_attitude_sim.core.mathematics.layout import six_of
from spacecraft_attitude_sim.core.mathematics.types import Array, FlatWrench
from spacecraft_attitude_sim.kernels.kernel import Handle
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Vector3
    from spacecraft_attitude_sim.core.ticks import Ticks

MODES = ('sliding', 'rolling', 'coulomb')


class Setting(Protocol):
    """The part of a core.simulation.Plant that a contact needs.

    substeps: in a tick, 0 to choose them from the body's rates
    """

    @property
    def body(self) -> RigidBody: ...  # noqa: D102

    @property
    def gravity_W(self) -> Vector3: ...  # noqa: D102

    @property
    def ticks(self) -> Ticks: ...  # noqa: D102

    @property
    def substeps(self) -> int: ...  # noqa: D102


class FlatContact(NamedTuple):
    """Constants of a body on a floor, as the compiled functions use them.

    constants: CONSTANTS of core.contact.solver.layout, and the arrays that follow it
    surface: the implicit function;  floor: its level and velocity functions
    """

    constants: Array
    surface: Handle
    floor: Handle


@dataclass(frozen=True, kw_only=True)
class ContactModel:
    """The contact between one body and one floor; the constructor checks it.

    surface: Surface of core.contact.shapes;  floor: of core.contact.floors
    mode: 'sliding' (no friction), 'rolling' (no slip) or 'coulomb'
    friction: μ of 'coulomb', 0 to infinity (0 is sliding, infinity rolling)
    restitution: energetic coefficient e, 0 to 1: e² of the compression's work comes back
    resting_speed: below it an approach does not bounce [m/s]
    releases: False for a contact that also pulls, as an ideal constraint does
    placement: (19,) PLACEMENT of core.contact.solver.layout, in the bits of a run computed
        elsewhere; None to compute it
    Raises ValueError naming the field, its value and the remedy.
    """

    surface: Surface
    floor: Floor
    mode: str = 'coulomb'
    friction: float = 0.5
    restitution: float = 0.0
    resting_speed: float = 1e-3
    releases: bool = True
    placement: Array | None = None
    _latest: tuple = field(default=(None, None), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check every field, and that body and floor can touch in one point only."""
        if self.mode not in MODES:
            raise ValueError(f"mode is '{self.mode}'; valid are {', '.join(MODES)}")
        if not self.friction >= 0.0:
            raise ValueError(f'friction is {self.friction}; it must be 0 or more')
        if not 0.0 <= self.restitution <= 1.0:
            raise ValueError(f'restitution is {self.restitution}; it must be from 0 to 1')
        if not 0.0 <= self.resting_speed < math.inf:
            raise ValueError(f'resting_speed is {self.resting_speed} m/s; it must be 0 or more')
        least, tightest = self.surface.survey.least_curvature, self.floor.largest_curvature
        if tightest > 0.0 and least <= tightest:
            raise ValueError(
                f'floor curves up to {tightest:g} 1/m, the body no more than {least:g} 1/m in '
                'places: they would touch in several points at once, and this model has one; '
                'give a wider floor or a rounder body'
            )

    def friction_coefficient(self) -> float:
        """Return μ: 0 in mode 'sliding', infinity in mode 'rolling'."""
        return {'sliding': 0.0, 'rolling': math.inf}.get(self.mode, self.friction)

    def flat(self, body: RigidBody) -> FlatContact:
        """Return the FlatContact of this contact on a body; do not change it.

        It is kept for the latest body, because a node needs it every tick and making it takes
        longer than a tick.
        """
        if self._latest[0] is not body:
            object.__setattr__(self, '_latest', (body, self._flat(body)))
        return self._latest[1]

    def placed(self, body: RigidBody) -> Array:
        """Return the placement (19,) of the surface on a body, given or computed."""
        if self.placement is not None:
            return np.array(self.placement)
        C_BS = rotations.dcm_from_quaternion(self.surface.q_BS)
        inertia_S = turned(C_BS.T, body.inertia)
        placement = np.empty(PLACEMENT.size)
        placement[PLACEMENT.of('inertia')] = six_of(inertia_S)
        inverse_S = np.linalg.inv(inertia_S).astype(float, copy=False)
        placement[PLACEMENT.of('inverse_inertia')] = six_of(inverse_S)
        placement[PLACEMENT.of('center')] = product(C_BS.T, self.surface.center)
        placement[PLACEMENT.of('q_BS')] = self.surface.q_BS
        return placement

    def _flat(self, body: RigidBody) -> FlatContact:
        surface, floor, survey = self.surface, self.floor, self.surface.survey
        parameters, floor_parameters = surface.parameters(), floor.parameters()
        constants = CONSTANTS.packed(
            body=body.flat(),
            **PLACEMENT.unpacked(self.placed(body)),
            friction=self.friction_coefficient(),
            restitution=self.restitution,
            resting_speed=self.resting_speed,
            releases=self.releases,
            reach=survey.reach,
            inner_radius=survey.inner_radius,
            strictly_curved=survey.least_curvature * survey.reach > 1e-3,
            body_kind=surface.kind,
            surface_parameters=len(parameters),
            floor_rate=floor.rate(),
            floor_kind=floor.kind(),
            floor_parameters=len(floor_parameters),
        )
        return FlatContact(
            np.concatenate((constants, parameters, floor_parameters, survey.points.ravel())),
            implicit_handle(surface.implicit()),
            floor_handle(*floor.functions()),
        )


def start(
    model: ContactModel, plant: Setting, state: State, time: float = 0.0, place: bool = False
) -> tuple[State, Array]:
    """Return (State, flat contact (30,)) to begin a run with.

    A state that touches is put on the constraint of its regime; one above the floor flies.

    time: [s] of the floor's motion;  place: True lowers or lifts the body along the floor's normal
    until it touches, from any height
    Raises ValueError when the body starts inside the floor and `place` is False.
    """
    total = loads.with_gravity(loads.FREE, plant.body.mass * plant.gravity_W)
    flat, contact = begin(to_flat(state), time, total, *model.flat(plant.body), place)
    small = 1e-6 * model.surface.survey.reach
    if place and not abs(contact[GAP]) <= small:
        raise ValueError(
            'position cannot be moved onto the floor along its normal; give one nearer to it, or '
            'a floor that has a place for the body'
        )
    if contact[GAP] < -small:
        raise ValueError(
            f'position puts the body {-contact[GAP]:g} m into the floor; raise it by that '
            'much along the normal, or ask for it to be placed on the floor'
        )
    check(contact)
    return from_flat(flat), contact


def step(
    model: ContactModel, plant: Setting, state: State, contact: Array, tick: int,
    wrench: FlatWrench = loads.FREE,
) -> tuple[State, Array]:  # fmt: skip
    """Return (State, flat contact) one tick later, the wrench (12,) of core.body.loads constant.

    tick: ticks since the start or the last reset, of the floor's motion
    Raises ValueError where the contact, ArithmeticError where the motion cannot be computed.
    """
    total = loads.with_gravity(wrench, plant.body.mass * plant.gravity_W)
    flat, after = advance(
        to_flat(state), contact, plant.ticks.seconds(tick), total, *model.flat(plant.body),
        plant.ticks.step, plant.substeps,
    )  # fmt: skip
    check(after)
    if not math.isfinite(sum(after.tolist())):  # a quarter of np.isfinite's time
        raise ArithmeticError(
            f'contact with the floor at {state.position_W.round(4).tolist()} m has a number that '
            'is not finite; see whether the functions of floor and surface are defined there'
        )
    return from_flat(flat), after


def trajectory(
    model: ContactModel, plant: Setting, state: State, contact: Array, ticks: int,
    wrench: FlatWrench = loads.FREE,
) -> tuple[Array, Array]:  # fmt: skip
    """Return flat states (ticks + 1, 13) and contacts (ticks + 1, 30) of every tick from tick 0.

    Bit for bit as by `step`.
    """
    states = np.empty((ticks + 1, 13))
    contacts = np.empty((ticks + 1, CONTACT_SIZE))
    states[0], contacts[0] = to_flat(state), contact
    for tick in range(ticks):
        state, contact = step(model, plant, state, contact, tick, wrench)
        states[tick + 1], contacts[tick + 1] = to_flat(state), contact
    return states, contacts
