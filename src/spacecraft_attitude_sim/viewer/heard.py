# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The scenario of a topic or bag, which may be anybody's: imports only what is drawn of it."""

from dataclasses import dataclass, replace

import yaml

from spacecraft_attitude_sim.core.contact import floors
from spacecraft_attitude_sim.files import scenario
from spacecraft_attitude_sim.files.scenario import ScenarioError
from spacecraft_attitude_sim.files.yaml_file import mapping_of

# Takes the place of a surface that is not drawn; on any bowl, it is round enough.
SMALL_BALL = {'surface.shape': 'sphere', 'surface.radius': 1e-3}


@dataclass(frozen=True, kw_only=True)
class HiddenFloor(floors.Plane):
    """Takes the place of a floor that is a function of the user's: not imported, not drawn."""


def parse(text):
    """Return the Scenario of a text of topic scenario.

    A floor that is a function of the user's is a HiddenFloor; a surface that is one is imported
    only where it is what the body looks like.
    Raises ScenarioError.
    """
    sections = mapping_of(text, 'topic scenario', 'holds no parameters', ScenarioError)
    contact, body = _named(sections, 'contact'), _named(sections, 'simulator')
    hidden = contact.get('floor.shape') == 'implicit'
    if hidden:
        contact = _without('floor', contact) | {'floor.shape': 'plane'}
    looks = body.get('body.parts') or body.get('body.mesh.file')
    unseen = looks and contact.get('surface.shape') == 'implicit'
    if unseen:
        contact = _without('surface', contact) | SMALL_BALL
    if not (hidden or unseen):
        return scenario.parse(text, 'topic scenario')
    kept = {name: held for name, held in sections.items() if not _is(name, 'contact')}
    kept['/**/contact'] = {'ros__parameters': contact}
    found = scenario.parse(yaml.safe_dump(kept), 'topic scenario')
    if not hidden:
        return found
    touching = replace(found.plant.contact, floor=HiddenFloor())
    return replace(found, plant=found.plant._replace(contact=touching))


def _without(prefix, values):
    return {name: value for name, value in values.items() if not name.startswith(f'{prefix}.')}


def _is(name, node):
    return str(name).split('/')[-1] == node


def _named(sections, node):
    """Return {dotted name: value} of a node; none of what is no scenario."""
    flat = {}
    for name, held in sections.items() if isinstance(sections, dict) else ():
        values = held.get('ros__parameters') if _is(name, node) and isinstance(held, dict) else {}
        if isinstance(values, dict):  # else refused by scenario.parse
            flat |= scenario.flattened(values, 'topic scenario')
    return flat
