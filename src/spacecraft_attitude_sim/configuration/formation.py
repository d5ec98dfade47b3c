# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Several spacecraft in one run: a namespace, frames and random numbers of its own for each.

From several files, or from one with sections of several namespaces, as /chief/simulator; what
stands under /** there is of all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from spacecraft_attitude_sim.configuration import attitude_controller, contact_parameters, scenario
from spacecraft_attitude_sim.configuration.scenario import ScenarioError

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.scenario import Sections

WORLD = 'frames.world'
# {node: the parameters that its frames are named by}
FRAMES = {
    'simulator': scenario.BY_NAME,
    'contact': contact_parameters.BY_NAME,
    attitude_controller.NAME: attitude_controller.BY_NAME,
}


class Member(NamedTuple):
    """One spacecraft of a run.

    namespace: of its nodes, '' where it is alone;  source: name of its file, for messages
    sections: {node: {dotted name: value}} of its nodes
    """

    namespace: str
    source: str
    sections: Sections

    @property
    def name(self) -> str:
        """What a user knows it by: its namespace, or the name of its file when it is alone."""
        return self.namespace or Path(self.source).stem


def members(paths: Sequence[str | Path]) -> list[Member]:
    """Return the spacecraft of ROS parameter files, apart from one another where they are several.

    The run is as long as the longest; the real-time factor is that of the first.
    Raises ScenarioError naming file, key, value and remedy.
    """
    found = [
        (namespace, Path(path), sections)
        for path in paths
        for namespace, sections in scenario.read_all(path).items()
    ]
    if len(found) == 1:
        _, path, sections = found[0]
        return [Member('', path.name, sections)]
    names = _different([namespace or _as_name(path.stem) for namespace, path, _ in found])
    apart = [
        Member(name, path.name, _apart(name, number, sections))
        for number, (name, (_, path, sections)) in enumerate(zip(names, found, strict=True))
    ]
    checked = [
        scenario.of_sections(one.sections, f'{one.source}: {one.namespace}').parameters
        for one in apart
    ]
    lengths = [values['duration'] for values in checked]
    for member in apart:
        values = member.sections['simulator']
        values['duration'] = max(lengths) if all(lengths) else 0.0
        values['real_time_factor'] = checked[0]['real_time_factor']
    return apart


def _as_name(text: str) -> str:
    """Return a text as a name of ROS: letters, digits and _, and no digit first."""
    name = re.sub(r'\W', '_', text, flags=re.ASCII)
    return name if name[:1].isalpha() or name[:1] == '_' else f'spacecraft_{name}'


def _different(names: list[str]) -> list[str]:
    """Return the names, those that were there before numbered."""
    counts: Counter[str] = Counter()
    numbered = []
    for name in names:
        counts[name] += 1
        numbered.append(name if counts[name] == 1 else f'{name}_{counts[name]}')
    if len(set(numbered)) < len(names):
        raise ScenarioError(f'spacecraft {", ".join(names)}: give each a namespace of its own')
    return numbered


def _apart(name: str, number: int, sections: Sections) -> Sections:
    """Return the sections of a spacecraft, its frames under its name, its seed another's never."""
    own = {node: dict(values) for node, values in sections.items()}
    simulator = own['simulator']
    simulator.setdefault('seed', number)
    body = simulator.get('frames.body', scenario.BY_NAME['frames.body'].default)
    for node, known in FRAMES.items():
        if node not in own:
            continue
        for key, parameter in known.items():
            if key.startswith('frames.') and key != WORLD:
                own[node][key] = f'{name}/{own[node].get(key, parameter.default)}'
    if isinstance(simulator.get('lockstep_frames'), list):  # else it is refused in a moment
        simulator['lockstep_frames'] = [
            f'{name}/{frame}' if frame == body else frame for frame in simulator['lockstep_frames']
        ]
    return own


def with_values(
    given: Sequence[Member], wanted: Sequence[tuple[str, str, str, object]]
) -> list[Member]:
    """Return the spacecraft with some parameters changed.

    wanted: namespace, '' for all, node, name and value of each; whoever is alone has any namespace
    Raises ScenarioError for a namespace that none of several has.
    """
    known = [member.namespace for member in given]
    for namespace, node, name, value in wanted:
        if len(given) == 1:
            given[0].sections.setdefault(node, {})[name] = value
            continue
        if namespace and namespace not in known:
            raise ScenarioError(f'no spacecraft {namespace}; there are {", ".join(known)}')
        for member in given:
            if namespace in ('', member.namespace):
                member.sections.setdefault(node, {})[name] = value
    return list(given)
