# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Scenarios: ROS parameter files that define a simulation; they are checked before it runs.

`load` and `find` begin here; what else belongs to a scenario is in the modules that this one
imports its names from.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration import (
    aboard,
    body_parameters,
    contact_parameters,
    cross_checks,
    data_sheets,
    parameters,
    recorded_orbit,
    scenario_file,
    simulator_parameters,
)
from spacecraft_attitude_sim.configuration.body_parameters import INERTIA_KEYS
from spacecraft_attitude_sim.configuration.checked_scenario import NO_FLOOR, Scenario
from spacecraft_attitude_sim.configuration.cross_checks import ask_for_body_and_spin
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.configuration.parts import modal_file
from spacecraft_attitude_sim.configuration.recorded_scenario import (
    HOSTING,
    dump,
    revision,
    split_computed,
)
from spacecraft_attitude_sim.configuration.scenario_dependencies import CONTACT, Results
from spacecraft_attitude_sim.configuration.scenario_file import (
    NODES,
    ScenarioError,
    Sections,
    find,
    flattened,
    naming,
    parse_all,
    read,
    read_all,
    shipped,
    shipped_formations,
    text_for_ros,
)
from spacecraft_attitude_sim.configuration.scenario_results import Recorded, described
from spacecraft_attitude_sim.configuration.simulator_parameters import BY_NAME, catalogue

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    'BY_NAME', 'HOSTING', 'NODES', 'Scenario', 'ScenarioError', 'Sections',
    'ask_for_body_and_spin', 'build', 'catalogue', 'changed', 'dump', 'find', 'flattened', 'load',
    'of_sections', 'parse', 'parse_all', 'read', 'read_all', 'revision', 'shipped',
    'shipped_formations', 'text_for_ros', 'with_estimator', 'with_guidance',
]  # fmt: skip

# Parameters that name wheels, parts, …, each of which has parameters of its own.
LISTS = {lists for lists, _, _ in parameters.NAMED}


def load(path: str | Path) -> Scenario:
    """Return the Scenario of a ROS parameter file.

    Raises ScenarioError.
    """
    sections, source = read(path), Path(path).name
    ask_for_body_and_spin(sections, source)
    return of_sections(sections, source)


def parse(text: str, source: str) -> Scenario:
    """Return the Scenario in the text of a ROS parameter file.

    source: its name, for messages
    Raises ScenarioError.
    """
    return of_sections(scenario_file.sections_of(text, source), source)


def of_sections(sections: Sections, source: str) -> Scenario:
    """Return the Scenario from the sections of a parameter file, {node: {dotted name: value}}.

    source: its name, for messages
    Raises ScenarioError.
    """
    found = build(sections['simulator'], source, sections.get('contact'))
    ruled = _checked_by(aboard.CONTROLLER, sections, source)
    with naming(source):
        cross_checks.check_controller(found.parameters, ruled)
    estimating = _checked_by(aboard.ESTIMATOR, sections, source)
    guiding = _checked_by(aboard.GUIDANCE, sections, source)
    with naming(source):
        cross_checks.check_guidance(ruled, guiding)
    mission = _checked_by(aboard.MISSION, sections, source)
    with naming(source):
        cross_checks.check_mission(found.parameters, mission, ruled, guiding, estimating)
    return replace(
        found, controller=ruled, estimator=estimating, guidance=guiding, mission=mission
    )


def with_estimator(sections: Sections, source: str) -> Sections:
    """Return the sections with one for an attitude_estimator that knows the simulator's sensors.

    What a section of an attitude_estimator gives stays.
    source: name of the file, for messages
    Raises ScenarioError.
    """
    estimator = aboard.module_of(aboard.ESTIMATOR)
    known = estimator.of_simulator(build(sections['simulator'], source).parameters)
    own = known | sections.get(aboard.ESTIMATOR, {})
    completed = {**sections, aboard.ESTIMATOR: own}
    of_sections(completed, source)
    return completed


def with_guidance(sections: Sections, source: str) -> Sections:
    """Return the sections with one for an attitude_guidance, and a controller that follows it.

    What a section of an attitude_guidance gives stays; the simulator's orbit fills the rest.
    source: name of the file, for messages
    Raises ScenarioError.
    """
    if aboard.CONTROLLER not in sections:
        raise ScenarioError(
            f'{source}: guidance is followed by an {aboard.CONTROLLER}, and there is none'
        )
    guidance = aboard.module_of(aboard.GUIDANCE)
    known = guidance.of_simulator(build(sections['simulator'], source).parameters)
    own = known | sections.get(aboard.GUIDANCE, {})
    ruled = {**sections[aboard.CONTROLLER], aboard.GUIDED: True}
    completed = {**sections, aboard.GUIDANCE: own, aboard.CONTROLLER: ruled}
    of_sections(completed, source)
    return completed


def _checked_by(node: str, sections: Sections, source: str) -> dict[str, Any] | None:
    """Return the checked parameters of a node, one of aboard.NODES; None without its section."""
    if node not in sections:
        return None
    with naming(f'{source}: {node}'):
        checked: dict[str, Any] = aboard.module_of(node).checked(sections[node])
    return checked


def build(
    given: Mapping[str, Any], source: str, contact: Mapping[str, Any] | None = None
) -> Scenario:
    """Return the Scenario of {dotted name: value}; parameters not given have their defaults.

    given: {name: value} of the simulator;  source: name of the file, for messages
    contact: {name: value} of the node contact; None or {} for a body without a floor
    Raises ScenarioError naming source, key, value, unit and remedy.
    """
    given = data_sheets.with_models(given)
    with naming(source):
        given, computed = split_computed(given)
        given, orbit_computed = recorded_orbit.split_computed(modal_file.completed(given))
        values = simulator_parameters.checked(given)
        touching = contact_parameters.checked(contact) if contact else None
        density = values['body.density']
        values = body_parameters.completed(values, given, touching)
        results = described(Results(values, touching), Recorded(computed, orbit_computed))
    return Scenario(
        description=values['description'],
        parameters=values,
        contact_parameters=touching,
        density=density,
        **results._asdict(),
    )


def changed(
    base: Scenario,
    given: Mapping[str, Any],
    source: str,
    contact: Mapping[str, Any] | None = None,
    controller: Mapping[str, Any] | None = None,
) -> Scenario:
    """Return a Scenario with some parameters changed; only parts that depend on them are rebuilt.

    given, contact, controller: {dotted name: value} to change in simulator, contact and
        attitude_controller;  source: name of the file, for messages
    Raises ScenarioError naming source, key, value, unit and remedy.
    """
    with naming(source):
        values, given = _with_changes(base.parameters, given)
        names = {*given, *(f'{CONTACT}{name}' for name in contact or ())}
        names |= values.keys() ^ base.parameters.keys()
        touching, ruled = base.contact_parameters, base.controller
        if contact:
            assert touching is not None, NO_FLOOR
            touching = {**contact_parameters.effective(touching), **contact}
            touching = contact_parameters.checked(touching)
        if given.get('body.density') and not base.density:
            raise ParameterError(
                'body.density cannot vary where body.mass and body.inertia say what the body is; '
                'give body.density in the scenario in their place'
            )
        density = values['body.density'] or base.density
        if any(key in given for key in INERTIA_KEYS) and 'body.density' not in given:
            density = 0.0  # the mass is no longer computed from it
        if density and Results(values, touching, base, names).stale('filled'):
            values = body_parameters.filled(values, given, touching, density)
            names.update(INERTIA_KEYS)
        if Results(values, touching, base, names).stale('body'):
            values = body_parameters.completed(values, values, touching)
        if controller:
            ruled = aboard.module_of(aboard.CONTROLLER).checked(controller, ruled)
        results = described(Results(values, touching, base, names))
    return replace(
        base,
        description=values['description'],
        parameters=values,
        contact_parameters=touching,
        controller=ruled,
        density=density,
        **results._asdict(),
    )


def _with_changes(
    before: Mapping[str, Any], given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return every parameter after a change, and those that change, checked.

    before: every parameter before;  given: {name: value} to change
    Raises ParameterError naming key, value and remedy.
    """
    known = catalogue(before)
    given = data_sheets.with_other_models(before, given, known)
    if given.get(modal_file.KEY):
        names = modal_file.NAMES.name
        given = modal_file.completed({names: before[names], **given})
    valid = known if LISTS.isdisjoint(given) else catalogue({**before, **given})
    for name in given:
        if name not in valid:
            raise simulator_parameters.unknown(name, valid)
    new = {name: valid[name].checked(value) for name, value in given.items()}
    values = {**before, **new}
    if valid is not known:  # other wheels, parts, …
        absent = known.keys() - values.keys()  # mass properties, where parts have masses
        values = simulator_parameters.checked(
            {name: value for name, value in values.items() if name in valid}
        )
        values = {name: value for name, value in values.items() if name not in absent}
    elif new.keys() - before.keys():
        values = {name: values[name] for name in valid if name in values}  # in their order
    return values, new
