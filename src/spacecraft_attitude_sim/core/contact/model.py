# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The contact of one body with one floor: what it is made of, its start, and its tick."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.body import loads
from spacecraft_attitude_sim.core.body.state import from_flat, to_flat
from spacecraft_attitude_sim.core.contact.floor_functions import floor_handle
from spacecraft_attitude_sim.core.contact.shapes import Surface
from spacecraft_attitude_sim.core.contact.solver import scene as layout
from spacecraft_attitude_sim.core.contact.solver.advance import advance
from spacecraft_attitude_sim.core.contact.solver.initial_contact import begin
from spacecraft_attitude_sim.core.contact.solver.reading import (  # noqa: F401 (read them here)
    Contact,
    check,
    unpack,
)
from spacecraft_attitude_sim.core.contact.surface_functions import implicit_handle, support_handle
from spacecraft_attitude_sim.core.equations.shared import limits
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

MODES = ('sliding', 'rolling', 'coulomb')


class FlatContact(NamedTuple):
    """The arguments `placement` to `settings` of the compiled advance, in its order."""

    placement: np.ndarray
    surface: object
    support: object
    surface_parameters: np.ndarray
    samples: np.ndarray
    floor: object
    floor_parameters: np.ndarray
    settings: np.ndarray


@dataclass(frozen=True, kw_only=True)
class ContactModel:
    """How one body and one floor touch; checks itself.

    surface: Surface of core.contact.shapes;  floor: of core.contact.floors
    mode: 'sliding' (no friction), 'rolling' (no slip) or 'coulomb'
    friction: μ of 'coulomb', 0 to infinity (0 is sliding, infinity rolling)
    restitution: e, 0 to 1, of the energy: e² of the compression's work comes back
    resting_speed: below it an approach does not bounce [m/s]
    releases: False for a contact that also pulls, as S5's source has it
    placement: (19,) inertia in the surface's axes, its inverse, centre and attitude, in the bits
        of a run computed elsewhere; None to compute it
    Raises ValueError naming the field, its value and the remedy.
    """

    surface: Surface
    floor: object
    mode: str = 'coulomb'
    friction: float = 0.5
    restitution: float = 0.0
    resting_speed: float = 1e-3
    releases: bool = True
    placement: np.ndarray | None = None

    def __post_init__(self):
        """Check every field, and that body and floor can only meet in one point."""
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

    def friction_coefficient(self):
        """Return μ: 0 in mode 'sliding', infinity in mode 'rolling'."""
        return {'sliding': 0.0, 'rolling': math.inf}.get(self.mode, self.friction)

    def flat(self, body):
        """Return the FlatContact of this contact on a RigidBody; made once for the latest body.

        Nobody writes into it. A node asks every tick, and making it takes longer than the tick.
        """
        latest, flat = self.__dict__.get('_made', (None, None))
        if latest is not body:
            flat = self._flat(body)
            object.__setattr__(self, '_made', (body, flat))
        return flat

    def __getstate__(self):
        """Leave out what holds addresses of compiled code: another process has others."""
        return {name: value for name, value in self.__dict__.items() if name != '_made'}

    def _flat(self, body):
        placement = self._placed(body) if self.placement is None else self.placement
        implicit, support = self.surface.functions()
        survey = self.surface.survey
        settings = np.zeros(layout.SETTINGS_SIZE)
        settings[layout.FRICTION] = self.friction_coefficient()
        settings[layout.RESTITUTION] = self.restitution
        settings[layout.RESTING_SPEED] = self.resting_speed
        settings[layout.REACH] = survey.reach
        settings[layout.INNER_RADIUS] = survey.inner_radius
        settings[layout.FLOOR_RATE] = self.floor.rate()
        settings[layout.FLOOR_KIND] = self.floor.kind()
        settings[layout.BODY_KIND] = self.surface.kind
        settings[layout.STRICTLY_CURVED] = survey.least_curvature * survey.reach > 1e-3
        settings[layout.RELEASES] = self.releases
        return FlatContact(
            np.array(placement),
            implicit_handle(implicit),
            support_handle(support),
            self.surface.parameters(),
            np.ascontiguousarray(survey.points),
            floor_handle(*self.floor.functions()),
            self.floor.parameters(),
            settings,
        )

    def _placed(self, body):
        C_BS = rotations.dcm_from_quaternion(self.surface.q_BS)
        inertia_S = C_BS.T @ body.inertia @ C_BS
        return (
            *_six(inertia_S),
            *_six(np.linalg.inv(inertia_S)),
            *(C_BS.T @ self.surface.center),
            *self.surface.q_BS,
        )


def _six(matrix):
    """Return xx, yy, zz, xy, xz, yz of a symmetric matrix."""
    return matrix[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]


def start(model, plant, state, time=0.0, place=False):
    """Return (State, flat contact (30,)) to begin a run with.

    A state that touches is put on the constraint of its regime; one above the floor flies.

    model: ContactModel;  plant: simulation.Plant;  time: [s];  place: True lowers or lifts the
    body along the floor's normal until it touches, whatever its height
    Raises ValueError when the body starts inside the floor and `place` is False.
    """
    total = loads.with_gravity(loads.FREE, plant.body.mass * plant.gravity_W)
    flat, contact = begin(
        to_flat(state), time, plant.body.flat(), total, *model.flat(plant.body), place
    )
    small = 1e-6 * model.surface.survey.reach
    if place and not abs(contact[layout.GAP]) <= small:
        raise ValueError(
            'position cannot be moved onto the floor along its normal; give one nearer to it, or '
            'a floor that has a place for the body'
        )
    if contact[layout.GAP] < -small:
        raise ValueError(
            f'position puts the body {-contact[layout.GAP]:g} m into the floor; raise it by that '
            'much along the normal, or ask for it to be placed on the floor'
        )
    check(contact)
    return from_flat(flat), contact


def step(model, plant, state, contact, tick, wrench=loads.FREE):
    """Return (State, flat contact) one tick later, the wrench (12,) of core.body.loads held.

    Raises ValueError where the contact, ArithmeticError where the motion cannot be followed.
    For one step now and then; a loop keeps `model.flat(body)` and calls `advance` itself.
    """
    total = loads.with_gravity(wrench, plant.body.mass * plant.gravity_W)
    flat, after = advance(
        to_flat(state), contact, tick * TICK_SECONDS, plant.body.flat(), total,
        *model.flat(plant.body), TICK_SECONDS, plant.substeps,
    )  # fmt: skip
    check(after)
    if not math.isfinite(sum(after.tolist())):  # a quarter of np.isfinite's time
        raise ArithmeticError(
            f'contact with the floor at {state.position_W.round(4).tolist()} m has a number that '
            'is not finite; see whether the functions of floor and surface are defined there'
        )
    limits.check_motion(plant, flat)
    return from_flat(flat), after


def trajectory(model, plant, state, contact, ticks, wrench=loads.FREE):
    """Return flat states (ticks + 1, 13) and contacts (ticks + 1, 30) of every tick from tick 0.

    Bit for bit what `step` gives.
    """
    total = loads.with_gravity(wrench, plant.body.mass * plant.gravity_W)
    body, flat = plant.body.flat(), model.flat(plant.body)
    states = np.empty((ticks + 1, 13))
    contacts = np.empty((ticks + 1, layout.CONTACT_SIZE))
    states[0], contacts[0] = to_flat(state), contact
    for tick in range(ticks):
        states[tick + 1], contacts[tick + 1] = advance(
            states[tick], contacts[tick], tick * TICK_SECONDS, body, total, *flat,
            TICK_SECONDS, plant.substeps,
        )  # fmt: skip
        check(contacts[tick + 1])
        limits.check_motion(plant, states[tick + 1])
    return states, contacts
