# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Scenarios from names, files, dicts and keywords."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from spacecraft_attitude_sim.configuration import (
    attitude_controller,
    attitude_estimator,
    attitude_guidance,
    cross_checks,
    formation,
    mission_modes,
    recorded_scenario,
    scenario,
    scenario_file,
    suggestion,
)
from spacecraft_attitude_sim.configuration.scenario import Scenario
from spacecraft_attitude_sim.configuration.scenario_file import ScenarioError, Sections
from spacecraft_attitude_sim.core.mathematics.layout import six_of

# {keyword: parameter of the simulator}, for those that most calls give.
SHORT = {
    'inertia': 'body.inertia',
    'mass': 'body.mass',
    'attitude': 'initial.attitude',
    'angular_velocity': 'initial.angular_velocity',
    'position': 'initial.position',
    'velocity': 'initial.velocity',
    'tick_rate': 'tick_rate',
    'substeps': 'substeps',
    'accuracy': 'accuracy',
    'seed': 'seed',
    'gravity': 'gravity',
    'equations': 'equations',
    'magnetic_field': 'magnetic_field',
}
NODES = ('contact', attitude_controller.NAME)
# Nodes whose parameters decide nothing of the plant.
ABOARD = (attitude_estimator.NAME, attitude_guidance.NAME, mission_modes.NAME)
FROM_PYTHON = 'the call'


def scenarios() -> dict[str, str]:
    """Return {name: description} of the scenarios that come with the package.

    A formation is not in it: of its file, `load` takes one spacecraft.
    """
    shipped = sorted(scenario_file.shipped().items())
    return {name: formation.description_of(path) for name, path in shipped}


def load(
    given: str | Path | Mapping[str, Any] | Scenario | None = None,
    namespace: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    *,
    estimator: bool = False,
    guidance: bool = False,
    **keywords: Any,
) -> Scenario:
    """Return a Scenario. Print it to see what `attitude-sim check` prints.

        load('tennis_racket', angular_velocity=[0.0, 5.0, 0.01])
        load(inertia=[1, 2, 3], angular_velocity=[0.01, 1, 0])
        load('cubesat_pointing', parameters={'attitude_controller.bandwidth': 0.6})
        load('cubesat_3u_leo', estimator=True)

    given: name of a shipped scenario, path of a ROS parameter file, dict of parameters, or a
        Scenario. With None the keywords alone make the scenario
    namespace: name of the spacecraft to take, if the file holds several
    parameters: {dotted name: value}; each replaces the value of the scenario. Names of parameters
        of other nodes begin with their names, such as `attitude_controller.` or `contact.`
        (docs/parameters.md)
    estimator: add an attitude_estimator that knows the sensors and the orbit of the scenario; its
        attitude_controller flies on the estimate, as with `attitude-sim run --estimator`
    guidance: add an attitude_guidance that the attitude_controller follows, as with --guidance
    keywords: short names of the parameters that you change most often
        inertia: about the centre of mass, in body axes [kg m^2]: three principal moments, six
            numbers xx, yy, zz, xy, xz, yz, or a symmetric matrix (3, 3)
        mass: [kg]. Without it the mass stays that of the scenario; with no scenario either it is
            that of the tennis racket, 0.341 kg. Free rotation does not depend on it
        attitude: initial quaternion (4,) w, x, y, z that turns body axes into world axes
        angular_velocity: initial (3,) [rad/s], body axes
        position: initial (3,) [m], world axes;  velocity: initial (3,) [m/s], world axes
        gravity: (3,) uniform [m/s^2], world axes;  magnetic_field: (3,) uniform [T], world axes
        tick_rate: ticks in a second [Hz];  substeps: integration steps in a tick, 0 lets the
            program choose;  seed: of all random numbers;  equations: set of equations of motion
        accuracy: largest error that the sub-steps may add to the attitude [rad/s]; 0 lets the
            program choose them from the angular velocity

    Raises ScenarioError, which names the key, its value and the remedy; TypeError for a keyword
    that does not exist.
    """
    new = {**_by_parameter(keywords), **(parameters or {})}
    added = {attitude_estimator.NAME: estimator, attitude_guidance.NAME: guidance}
    if isinstance(given, Scenario):
        aboard = {name: value for name, value in new.items() if _place(name)[0] in ABOARD}
        changed = _changed(given, {name: new[name] for name in new.keys() - aboard.keys()})
        if not (aboard or any(added.values())):
            return changed
        return _with_nodes(_sections_of(changed), FROM_PYTHON, aboard, added)
    sections, source = _sections(given, namespace)
    if given is None:  # the parameters alone make the scenario
        added |= dict.fromkeys((*NODES, mission_modes.NAME), True)
    return _with_nodes(sections, source, new, added)


def _with_nodes(
    sections: Sections, source: str, new: Mapping[str, Any], added: Mapping[str, bool]
) -> Scenario:
    """Return the Scenario of sections with new parameters.

    added: {node: whether it may be new}; a new parameter needs its node
    """
    for name, value in new.items():
        node, own = _place(name)
        if node not in sections and not added.get(node):
            raise ScenarioError(
                f'{source}: has no {node}, so {name} changes nothing; leave it out'
            )
        sections.setdefault(node, {})[own] = plain(value)
    cross_checks.ask_for_body_and_spin(sections, source)
    if added[attitude_estimator.NAME]:
        sections = scenario.with_estimator(sections, source)
    if added[attitude_guidance.NAME]:
        sections = scenario.with_guidance(sections, source)
    return scenario.of_sections(sections, source)


def _sections_of(base: Scenario) -> Sections:
    """Return the sections that make a Scenario again, to the bit."""
    return _copied(scenario_file.sections_of(recorded_scenario.dump(base), FROM_PYTHON))


def _sections(
    given: str | Path | Mapping[str, Any] | None, namespace: str | None
) -> tuple[dict[str, dict[str, Any]], str]:
    """Return the sections of a scenario, and its name for messages."""
    if given is None or isinstance(given, Mapping):
        flat = scenario_file.flattened(given or {}, FROM_PYTHON)
        sections: dict[str, dict[str, Any]] = {'simulator': {}}
        for name, value in flat.items():
            node, own = _place(name)
            sections.setdefault(node, {})[own] = plain(value)
        return sections, FROM_PYTHON
    path = Path(given) if isinstance(given, Path) else scenario_file.find(given)
    every = scenario_file.read_all(path)
    if namespace is None and len(every) > 1:
        raise ScenarioError(
            f'{path.name}: holds {len(every)} spacecraft; choose one by namespace: '
            f'{", ".join(every)}; for example namespace={next(iter(every))!r}'
        )
    if namespace is None:
        (sections,) = every.values()
        return _copied(sections), path.name
    members = formation.agreed(formation.members([path]))
    for member in members:
        if member.namespace == namespace.strip('/'):
            return _copied(member.sections), f'{path.name}: {member.namespace}'
    names = ', '.join(member.namespace for member in members)
    raise ScenarioError(f'{path.name}: no spacecraft {namespace}; there are {names or "none"}')


def _copied(sections: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {node: dict(values) for node, values in sections.items() if values is not None}


def _changed(base: Scenario, new: Mapping[str, Any]) -> Scenario:
    """Return a Scenario with parameters changed."""
    if not new:
        return base
    by_node: dict[str, dict[str, Any]] = {}
    for name, value in new.items():
        node, own = _place(name)
        by_node.setdefault(node, {})[own] = plain(value)
    for node, present in zip(NODES, (base.contact_parameters, base.controller), strict=True):
        if node in by_node and present is None:
            raise ScenarioError(f'{FROM_PYTHON}: the scenario has no {node}; leave it out')
    return scenario.changed(
        base, by_node.get('simulator', {}), FROM_PYTHON,
        *(by_node.get(node) for node in NODES),
    )  # fmt: skip


def _by_parameter(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return {parameter: value} of keywords; TypeError for one that does not exist."""
    for name in keywords:
        if name not in SHORT:
            raise TypeError(
                f'{name} is no keyword; {suggestion.hint(name, SHORT)}; give any other parameter '
                'as parameters={name: value}'
            )
    values = {SHORT[name]: value for name, value in keywords.items() if value is not None}
    if 'body.inertia' in values:
        values['body.inertia'] = _six(values['body.inertia'])
    return values


def _six(inertia: Any) -> Any:
    """Return an inertia matrix (3, 3) as xx, yy, zz, xy, xz, yz; anything else as it is."""
    try:
        matrix = np.asarray(inertia, dtype=float)
    except (TypeError, ValueError):  # the scenario says what is wrong with it
        return inertia
    if matrix.shape != (3, 3):
        return inertia
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=0.0):
        raise ScenarioError(
            f'{FROM_PYTHON}: inertia is no symmetric matrix; give a symmetric one, or 3 or 6 '
            'numbers'
        )
    return six_of(matrix).tolist()


def _place(name: str) -> tuple[str, str]:
    """Return node and name of a parameter; ScenarioError for one with a colon."""
    if ':' in name:
        raise ScenarioError(
            f"{FROM_PYTHON}: '{name}' is written as for -p; in Python write "
            f"'{name.replace(':', '.')}'"
        )
    node, _, own = name.partition('.')
    return (node, own) if node in (*NODES, *ABOARD, 'simulator') else ('simulator', name)


def plain(value: Any) -> Any:
    """Return a value in the types of a parameter file."""
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return value
