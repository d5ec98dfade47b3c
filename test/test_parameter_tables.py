# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""docs/parameters.md has a row for each parameter, with its default, unit and range."""

import functools

import pytest
from conftest import ROOT

from spacecraft_attitude_sim.configuration import (
    attitude_controller,
    attitude_estimator,
    attitude_guidance,
    contact_parameters,
    faults,
    mission_modes,
    parameters,
    parts,
    scenario,
    sensors,
    surfaces,
)
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.configuration.scenario import ScenarioError
from spacecraft_attitude_sim.nodes.markers import node as markers
from spacecraft_attitude_sim.nodes.recorder import node as recorder

TABLES = {
    'simulator': parameters.SIMULATOR,
    'parts.<name>': parameters.PART,
    'application.<name>': parameters.APPLICATION_FRAME,
    **{f'{prefix}.<name>': fields for _, prefix, fields in (*parts.NAMED, *sensors.NAMED)},
    'surface.<name>': surfaces.SURFACE,
    'fault.<name>': faults.FAULT,
    'contact': contact_parameters.CONTACT,
    'attitude_controller': attitude_controller.PARAMETERS,
    'attitude_estimator': attitude_estimator.PARAMETERS,
    'attitude_guidance': attitude_guidance.PARAMETERS,
    **{f'guidance: {prefix}.<name>': own for _, prefix, own in attitude_guidance.NAMED},
    'mission_modes': mission_modes.PARAMETERS,
    **{f'mission: {prefix}.<name>': own for _, prefix, own in mission_modes.NAMED},
    'markers': markers.PARAMETERS,
    'recorder': recorder.PARAMETERS,
}


def parameter_table(catalogue):
    """Return the table of a catalogue as Markdown."""
    titles = ('parameter', 'default', 'unit', 'range', 'may change', 'meaning')
    rows = [f'| {" | ".join(titles)} |', '|---' * len(titles) + '|']
    for p in catalogue:
        valid = f'{p.low:g} … {p.high:g}' if p.kind in (float, int) else ', '.join(p.choices)
        default = 'to be given' if p.required else f'`{p.default}`'
        rows.append(
            f'| `{p.name}` | {default} | {p.unit or "–"} | {valid or "–"} '
            f'| {"no" if p.read_only else "yes"} | {p.description} |'
        )
    return '\n'.join(rows)


@pytest.mark.parametrize('node', TABLES)
def test_parameter_table_is_the_catalogue(node):
    text = (ROOT / 'docs' / 'parameters.md').read_text()
    assert parameter_table(TABLES[node]) in text


# What a list of names needs besides, and the lists that may have a name twice.
BESIDES = {
    'mission_modes wheels': {'modes': ['m'], 'mode.m.law': 'idle'},
    'simulator surfaces': {
        'orbit.model': 'kepler',
        'epoch': '2026-06-01T00:00:00Z',
        'surface.a.area': 1.0,
    },
}
MAY = {'simulator body.parts', 'simulator application_frames'}
NODES = (mission_modes, attitude_guidance, attitude_estimator, attitude_controller)
LISTS = {
    f'{node.NAME} {lists}': (node.checked, lists, prefix, fields)
    for node in NODES
    for lists, prefix, fields in node.NAMED
} | {
    f'simulator {lists}': (functools.partial(scenario.build, source='x'), lists, prefix, fields)
    for lists, prefix, fields in parameters.NAMED
}


@pytest.mark.parametrize('name', [name for name in LISTS if name not in MAY])
def test_no_list_of_names_has_one_twice(name):
    checked, lists, prefix, fields = LISTS[name]
    given = {
        f'{prefix}.a.{field.name}': field.default for field in fields if field.required
    } | BESIDES.get(name, {})
    with pytest.raises((ParameterError, ScenarioError), match=f"{lists} has 'a' twice; give each"):
        checked({lists: ['a', 'a'], **given})
