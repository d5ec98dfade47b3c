# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Recorded scenarios: a text that reproduces a run bit for bit, on any processor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spacecraft_attitude_sim.configuration import (
    aboard,
    body_parameters,
    contact_parameters,
    parameters,
    recorded_orbit,
)
from spacecraft_attitude_sim.configuration.parameter import ParameterError, blame
from spacecraft_attitude_sim.configuration.yaml_file import dumped
from spacecraft_attitude_sim.core.body import rigid_body as bodies
from spacecraft_attitude_sim.core.mathematics.layout import six_of
from spacecraft_attitude_sim.core.mathematics.rotations import IDENTITY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spacecraft_attitude_sim.configuration.checked_scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array

# First line of a dumped scenario, a comment in YAML.
REVISION = '# revision'
# How a run is spread over processes does not change its results, so a dump leaves it out.
HOSTING = ('follow_clock', 'followers')
# Lengths of the lists body.computed.* of a recorded scenario. They hold quantities of the run
# whose last digits depend on processor and BLAS.
COMPUTED = {
    'mass': 1, 'center_of_mass': 3, 'inertia': 6, 'principal_moments': 3, 'principal_axes': 4,
    'inverse_inertia': 9, 'placement': 19, 'carrier_principal_moments': 3,
    'carrier_principal_axes': 4, 'carrier_inverse_inertia': 9,
}  # fmt: skip
COMPUTED_PREFIX = 'body.computed.'
# Those that exist only for a body on a floor, or only with wheels.
COMPUTED_AT_TIMES = {name for name in COMPUTED if name.startswith(('placement', 'carrier_'))}


def dump(scenario: Scenario, revision: int = 0, namespace: str = '**') -> str:
    """Return the text of a ROS parameter file that reproduces the Scenario bit for bit.

    revision: number of contact changes in the run so far; `revision` reads it from the text
    namespace: of its nodes; ** for any
    """
    values = {
        **scenario.parameters,
        **computed(scenario),
        **recorded_orbit.computed(scenario.parameters, scenario.plant.environment.surroundings),
    }
    for name in HOSTING:
        values.pop(name, None)
    tree = {f'/{namespace}/simulator': {'ros__parameters': _nested(values)}}
    if scenario.contact_parameters:
        values = contact_parameters.effective(scenario.contact_parameters)
        tree[f'/{namespace}/contact'] = {'ros__parameters': _nested(values)}
    loop = scenario.controller, scenario.estimator, scenario.guidance, scenario.mission
    for name, own in zip(aboard.NODES, loop, strict=True):
        if own:
            tree[f'/{namespace}/{name}'] = {'ros__parameters': _nested(own)}
    return f'{REVISION} {revision}\n' + dumped(tree)


def computed(found: Scenario) -> dict[str, list[float]]:
    """Return body.computed.* of a Scenario; {} if every processor computes the same values."""
    body, contact, carrier = found.plant.body, found.plant.contact, found.plant.spacecraft.carrier
    turned = contact and tuple(contact.surface.q_BS) != IDENTITY
    composed = any(part.mass is not None for part in found.parts)
    if (
        not turned
        and not composed
        and not body_parameters.moved_key(found.parameters)
        and not body_parameters.of_hub(found.parameters)
        and not np.count_nonzero(body.inertia - np.diag(body.inertia.diagonal()))
        and not np.count_nonzero(carrier.inertia - np.diag(carrier.inertia.diagonal()))
    ):
        return {}
    computed: dict[str, Iterable[float]] = {
        'mass': [body.mass],
        'center_of_mass': body.center_of_mass,
        'inertia': six_of(body.inertia),
        'principal_moments': body.principal_moments,
        'principal_axes': body.q_BP,
        'inverse_inertia': body.inverse_inertia.ravel(),
    }
    if contact:
        computed['placement'] = contact.placed(body)
    if carrier is not body:
        computed['carrier_principal_moments'] = carrier.principal_moments
        computed['carrier_principal_axes'] = carrier.q_BP
        computed['carrier_inverse_inertia'] = carrier.inverse_inertia.ravel()
    return {COMPUTED_PREFIX + name: list(map(float, value)) for name, value in computed.items()}


def split_computed(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Split off body.computed.*: return the other parameters and {name: array}.

    Raises ParameterError naming key, value and remedy.
    """
    rest = {name: value for name, value in given.items() if not name.startswith(COMPUTED_PREFIX)}
    computed = {}
    for name in given.keys() - rest.keys():
        length = COMPUTED.get(name.removeprefix(COMPUTED_PREFIX))
        if length is None:
            raise parameters.unknown(name, [COMPUTED_PREFIX + known for known in COMPUTED])
        numbers = parameters.Parameter(name, [], '', '', length=(length,), low=-1e300, high=1e300)
        computed[name.removeprefix(COMPUTED_PREFIX)] = np.array(numbers.checked(given[name]))
    if computed and (lacking := COMPUTED.keys() - computed.keys() - COMPUTED_AT_TIMES):
        raise ParameterError(
            f'{COMPUTED_PREFIX}{min(lacking)} is missing; give all of body.computed, as a '
            'recorded scenario does, or none'
        )
    return rest, computed


def as_computed(rigid_body: bodies.RigidBody, computed: Mapping[str, Array]) -> bodies.RigidBody:
    """Return the RigidBody with the recorded values of body.computed, if there are any."""
    if not computed:
        return rigid_body
    inertia = bodies.inertia_matrix(computed['inertia'].tolist())
    near = {'rtol': 1e-9, 'atol': 1e-12 * np.max(np.abs(rigid_body.inertia))}
    if not (
        np.allclose(computed['mass'], rigid_body.mass, rtol=1e-9, atol=0.0)
        and np.allclose(inertia, rigid_body.inertia, **near)
        and np.allclose(
            computed['center_of_mass'], rigid_body.center_of_mass, rtol=1e-9, atol=1e-9
        )
    ):
        raise ParameterError(
            f'body.computed is of another body than mass {rigid_body.mass:g} kg and inertia '
            f'{six_of(rigid_body.inertia).tolist()} kg m^2; leave body.computed out'
        )
    found = bodies.Computed(
        computed['principal_moments'],
        computed['principal_axes'],
        computed['inverse_inertia'].reshape(3, 3),
    )
    mass, center = float(computed['mass'][0]), computed['center_of_mass']
    with blame('body.'):
        return bodies.RigidBody(mass, inertia, center, found, rigid_body.center_B)


def carrier_computed(computed: Mapping[str, Array]) -> bodies.Computed | None:
    """Return the recorded Computed of the carrier (the body without wheels), or None."""
    if 'carrier_principal_moments' not in computed:
        return None
    return bodies.Computed(
        computed['carrier_principal_moments'],
        computed['carrier_principal_axes'],
        computed['carrier_inverse_inertia'].reshape(3, 3),
    )


def revision(text: str) -> int:
    """Return the revision in the text of a dumped scenario; 0 if it has none."""
    first = text.partition('\n')[0]
    number = first.removeprefix(REVISION).strip()
    return int(number) if number.isdecimal() and len(number) < 10 else 0


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for name, value in values.items():
        if value == []:  # ROS cannot read an empty list, nor a branch without leaves
            continue
        *branches, leaf = name.split('.')
        node = tree
        for branch in branches:
            node = node.setdefault(branch, {})
        node[leaf] = value
    return tree
