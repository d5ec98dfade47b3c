# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Read a scenario from an untrusted source (a topic or bag), for drawing only.

Surfaces and floors with functions that the user does not trust are left out and not imported.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.configuration import (
    contact_parameters,
    scenario,
    scenario_file,
    trust,
)
from spacecraft_attitude_sim.configuration.scenario_file import ScenarioError
from spacecraft_attitude_sim.configuration.yaml_file import dumped, mapping_of
from spacecraft_attitude_sim.core.body.primitives import equivalent_ellipsoid
from spacecraft_attitude_sim.core.contact import floors
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spacecraft_attitude_sim.configuration.checked_scenario import Scenario
    from spacecraft_attitude_sim.core.body.primitives import Primitive
    from spacecraft_attitude_sim.core.body.rigid_body import RigidBody


SOURCE = 'topic scenario'
# The sphere that replaces a surface that is not drawn; it is small enough for any bowl.
SMALL_BALL = {'surface.shape': 'sphere', 'surface.radius': 1e-3}


@dataclass(frozen=True, kw_only=True)
class HiddenFloor(floors.Plane):
    """Stands for a floor whose function is not imported; it is not drawn."""


def parse(text: str, draws_any_floor: bool = True) -> tuple[Scenario, str]:
    """Return the Scenario in a text of topic scenario, and a message on what is left out, or ''.

    Without its surface, a body is drawn as in free space. A trusted surface is also left out if
    parts or a mesh show the body.
    draws_any_floor: whether the caller can draw trusted floors given by a function
    Raises ScenarioError.
    """
    sections = mapping_of(text, SOURCE, 'holds no scenario', ScenarioError)
    contact = contact_parameters.with_shapes(_named(sections, 'contact'))
    body = _named(sections, 'simulator')
    untrusted = [
        name
        for name in ('surface.function', 'floor.function', 'floor.velocity_function')
        if contact.get(name) and contact.get(f'{name.partition(".")[0]}.shape') == 'implicit'
        and not trust.allows(str(contact[name]))
    ]  # fmt: skip
    no_floor = any(name.startswith('floor.') for name in untrusted) or (
        contact.get('floor.shape') == 'implicit' and not draws_any_floor
    )
    looks = body.get('body.parts') or body.get('body.mesh.file')
    no_surface = contact.get('surface.shape') == 'implicit' and (
        'surface.function' in untrusted or bool(looks)
    )
    if not (no_floor or no_surface):
        return scenario.parse(text, SOURCE), ''
    if no_floor:
        contact = _without('floor', contact) | {'floor.shape': 'plane'}
    if no_surface:
        contact = _without('surface', contact) | SMALL_BALL
    kept = {name: held for name, held in sections.items() if not _is(name, 'contact')}
    kept['/**/contact'] = {'ros__parameters': contact}
    found = scenario.parse(dumped(kept), SOURCE)
    if no_floor:
        assert found.plant.contact is not None, 'a section of the contact is kept'
        touching = replace(found.plant.contact, floor=HiddenFloor())
        found = replace(found, plant=found.plant.with_contact(touching))
    if no_surface and not looks:
        found = replace(found, parts=(_ellipsoid(found.plant.body),))
    return found, _words(untrusted, _named(sections, 'contact'))


def _ellipsoid(body: RigidBody) -> Primitive:
    """Return the uniform ellipsoid with the body's mass and inertia, in design axes."""
    own = body.about_itself
    look = equivalent_ellipsoid(own.mass, own.principal_moments, tuple(own.q_BP))
    return replace(look, position=tuple(own.center_of_mass.tolist()))


def _words(untrusted: Sequence[str], contact: Mapping[str, Any]) -> str:
    """Return a message on what is not imported and the remedy; '' if everything is."""
    if not untrusted:
        return ''
    listed = ', '.join(f"{name} '{str(contact[name])[:200]}'" for name in untrusted)
    return (
        f'not imported, because the module is not trusted (--trust): {listed}; a surface is drawn '
        "as the ellipsoid of the body's inertia, a floor as the simulator sends it"
    )


def _without(prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if not name.startswith(f'{prefix}.')}


def _is(name: object, node: str) -> bool:
    return str(name).split('/')[-1] == node


def _named(sections: Mapping[Any, Any], node: str) -> dict[str, Any]:
    """Return {dotted name: value} of the sections of a node; {} for malformed ones."""
    flat: dict[str, Any] = {}
    for name, held in sections.items():
        parameters = held.get('ros__parameters') if isinstance(held, dict) else None
        if _is(name, node) and isinstance(parameters, dict):
            flat |= scenario_file.flattened(parameters, SOURCE)
    return flat
