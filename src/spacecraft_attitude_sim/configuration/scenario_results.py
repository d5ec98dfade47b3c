# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The results that a Scenario holds: made from parameters, or kept where these did not change."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.configuration import (
    body_parameters,
    contact_parameters,
    cross_checks,
    earth_surroundings,
    faults,
    internal_parts,
    loads,
    parts,
    recorded_scenario,
    sensors,
    spacecraft_parameters,
    surfaces,
)
from spacecraft_attitude_sim.configuration.parameter import (
    ParameterError,
    blame,
    unit_quaternion,
)
from spacecraft_attitude_sim.configuration.parts import reaction_wheels
from spacecraft_attitude_sim.configuration.parts.named import Given
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.environment import orbit_axes
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.parts.internal_parts import InternalParts
from spacecraft_attitude_sim.core.simulation import limits
from spacecraft_attitude_sim.core.ticks import Ticks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spacecraft_attitude_sim.configuration.scenario_dependencies import Results
    from spacecraft_attitude_sim.core.body.primitives import Primitive
    from spacecraft_attitude_sim.core.body.rigid_body import BodyFrame, RigidBody
    from spacecraft_attitude_sim.core.body.state import State
    from spacecraft_attitude_sim.core.contact.model import ContactModel
    from spacecraft_attitude_sim.core.mathematics.types import Array, Quaternion, Vector3
    from spacecraft_attitude_sim.core.parts.part import Part
    from spacecraft_attitude_sim.core.sensors import Suite


class Recorded(NamedTuple):
    """What a recorded scenario has beside its parameters: body.computed.*, orbit.computed.*."""

    body: Mapping[str, Array] = {}
    orbit: Mapping[str, Any] = {}


class Described(NamedTuple):
    """The results that a Scenario holds."""

    parts: tuple[Primitive, ...]
    application_frames: dict[str, BodyFrame]
    plant: simulation.Plant
    initial: State


def described(results: Results, recorded: Recorded = Recorded()) -> Described:  # noqa: B008
    """Return what a Scenario holds, each made or kept; recorded: used for what is made.

    Raises ParameterError naming key, value and remedy.
    """
    get, of = results.get, results.of
    parts = get('parts', lambda: body_parameters.parts(of('parts')), lambda base: base.parts)
    body = get('body', lambda: _body(results, parts, recorded.body), lambda base: base.plant.body)
    results.moved(body.center_of_mass)
    frames = get(
        'frames',
        lambda: _application_frames(of('frames'), body.center_of_mass),
        lambda base: base.application_frames,
    )
    if results.stale('lockstep'):
        cross_checks.check_lockstep(of('lockstep'), frames)
    suite = get(
        'sensors',
        lambda: _suite(of('sensors'), body.center_of_mass),
        lambda base: base.sensors,
    )
    contact = get(
        'contact',
        lambda: _contact(results, body.center_of_mass, recorded.body),
        lambda base: base.plant.contact,
    )
    plant = get(
        'plant',
        lambda: _plant(results, body, suite, contact, recorded),
        lambda base: base.plant,
    )
    initial = get(
        'initial', lambda: initial_state(of('initial'), plant), lambda base: base.initial
    )
    return Described(parts, frames, plant, initial)


def _body(
    results: Results, parts: tuple[Primitive, ...], computed: Mapping[str, Array]
) -> RigidBody:
    """Return the RigidBody of the whole spacecraft."""
    values = results.of('body')
    body = body_parameters.rigid_body(values, parts)
    if body_parameters.of_hub(values):
        body = body_parameters.whole(results.of('carried'), body)
    return recorded_scenario.as_computed(loads.bearing.on_bearing(values, body), computed)


def _application_frames(
    values: Mapping[str, Any], center_of_mass: Vector3
) -> dict[str, BodyFrame]:
    return {
        name: body_parameters.body_frame(center_of_mass, values, f'application.{name}')
        for name in values['application_frames']
    }


def _ticks(values: Mapping[str, Any]) -> Ticks:
    with blame('tick_rate '):
        return Ticks.at(values['tick_rate'])


def _suite(values: Mapping[str, Any], center_of_mass: Vector3) -> Suite:
    return sensors.suite(
        values,
        body_parameters.body_frame(center_of_mass, values, 'imu'),
        unit_quaternion(values, 'star_tracker.orientation'),
        center_of_mass,
        _ticks(values),
    )


def _contact(
    results: Results, center_of_mass: Vector3, computed: Mapping[str, Array]
) -> ContactModel | None:
    """Return the ContactModel, or None without a floor."""
    if results.contact is None:
        return None
    surface = results.get(
        'surface',
        lambda: contact_parameters.surface_of(results.of_contact('surface'), center_of_mass),
        lambda base: base.plant.contact.surface,  # type: ignore[union-attr]
    )
    model = contact_parameters.with_floor(results.of_contact('contact'), surface)
    if 'placement' in computed:
        model = replace(model, placement=computed['placement'])
    return model


def _plant(
    results: Results,
    body: RigidBody,
    suite: Suite,
    contact: ContactModel | None,
    recorded: Recorded,
) -> simulation.Plant:
    values, of, center = results.of('plant'), results.of, body.center_of_mass
    if contact and values['equations'] != 'momentum':
        raise ParameterError(
            f"equations is '{values['equations']}'; on a floor only 'momentum' works, because the "
            'constraint is in momentum form'
        )
    aboard = _aboard(of('aboard'), body, _ticks(values), on_floor=bool(results.contact))
    orbit = spacecraft_parameters.circular_orbit(of('orbit'))
    around = earth_surroundings.surroundings(of('surroundings'), recorded.orbit)
    sensors.refuse_without_orbit(suite, orbiting=around is not None)
    broken = faults.faults(of('faults'), aboard, suite, _ticks(values), around is not None)
    suite = faults.with_faults(suite, broken, _ticks(values))
    with blame():
        return simulation.plant_of(
            body,
            np.array(values['gravity']),
            values['substeps'],
            values['equations'],
            contact,
            parts=(*aboard, *loads.loads(values, body), *broken),
            seed=values['seed'],
            carrier_computed=recorded_scenario.carrier_computed(recorded.body),
            orbit=orbit,
            surroundings=around,
            gradient=values['gravity_gradient'],
            plates=surfaces.plates(of('surfaces'), center),
            sensors=suite,
            magnetic_field_W=np.array(values['magnetic_field']),
            ticks=_ticks(values),
            accuracy=values['accuracy'],
        )


def _aboard(
    values: Mapping[str, Any], body: RigidBody, ticks: Ticks, on_floor: bool
) -> tuple[Part, ...]:
    """Return the parts aboard."""
    internal_parts.refuse(values, on_floor)
    aboard = parts.parts(Given(values, body.center_of_mass, ticks))
    inside: Any = (part for part in aboard if part.inside)
    internal_parts.check_hub(values, body, InternalParts(inside))
    return aboard


def initial_state(values: Mapping[str, Any], plant: simulation.Plant) -> State:
    """Return the State at the start of a scenario; ParameterError for a wrong parameter."""
    angular_velocity_B = np.array(values['initial.angular_velocity'])
    q_WB = unit_quaternion(values, 'initial.attitude')
    if values['initial.frame'] == 'lvlh':
        q_WB, angular_velocity_B = _from_orbit(plant, q_WB, angular_velocity_B)
    if plant.environment.holds:
        loads.bearing.check_initial(values)
    with blame('initial.'):
        limits.check_given_rate(plant, angular_velocity_B)
    return plant.spacecraft.state(
        values['initial.position'],
        q_WB,
        values['initial.velocity'],
        angular_velocity_B,
        np.array(reaction_wheels.of(values, 'initial_speed')),
        np.array(reaction_wheels.of(values, 'torque')),
        of_center=values['initial.point'] == 'center_of_mass',
    )


def _from_orbit(
    plant: simulation.Plant, q_OB: Quaternion, relative_B: Vector3
) -> tuple[Quaternion, Vector3]:
    """Return q_WB (4,) and omega_B (3,) [rad/s] of a start given in the local orbital frame."""
    place = plant.environment.orbital_state(0.0)
    if place is None:
        raise ParameterError(
            "initial.frame is 'lvlh', and there is no orbit; give orbit.model, or world"
        )
    q_WB = rotations.compose(orbit_axes.attitude(*place), q_OB)
    turning_B = rotations.rotate(rotations.conjugate(q_WB), orbit_axes.rate_W(*place))
    return q_WB, relative_B + turning_B
