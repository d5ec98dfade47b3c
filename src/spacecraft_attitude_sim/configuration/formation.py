# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Several spacecraft in one run, each with its own namespace, frames and random numbers.

They come from several files, or from one file with a section for each namespace, such as
/chief/simulator. In such a file, parameters under /** apply to all spacecraft.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spacecraft_attitude_sim.configuration import (
    aboard,
    contact_parameters,
    cross_checks,
    recorded_scenario,
    scenario,
    scenario_file,
    simulator_parameters,
)
from spacecraft_attitude_sim.configuration.parameter import ParameterError
from spacecraft_attitude_sim.configuration.scenario_file import ScenarioError

if TYPE_CHECKING:
    from spacecraft_attitude_sim.configuration.checked_scenario import Scenario
    from spacecraft_attitude_sim.configuration.parameter import Parameter
    from spacecraft_attitude_sim.configuration.scenario_file import Sections

WORLD = 'frames.world'
# The line of a shipped file that holds its description.
DESCRIBED = r'(?m)^\s+description: (\w.*\S)\s*$'
# {name: Parameter} of the simulator that apply to the whole run; the first spacecraft sets them.
OF_RUN = {
    name: parameter for name, parameter in simulator_parameters.BY_NAME.items() if parameter.of_run
}
# {node: its parameters, of which frames.* name its frames}, beside those of aboard.NODES
FRAMES = {'simulator': simulator_parameters.BY_NAME, 'contact': contact_parameters.BY_NAME}


class Member(NamedTuple):
    """One spacecraft of a run.

    namespace: of its nodes, '' for a single spacecraft;  source: name of its file, for messages
    sections: {node: {dotted name: value}} of its nodes
    """

    namespace: str
    source: str
    sections: Sections

    @property
    def name(self) -> str:
        """The name shown to users: the namespace, or the file name of a single spacecraft."""
        return self.namespace or Path(self.source).stem


def members(paths: Sequence[str | Path]) -> list[Member]:
    """Return the spacecraft in ROS parameter files; several get different names, frames and seeds.

    The run lasts as long as the longest of their durations.
    Raises ScenarioError naming file, key, value and remedy.
    """
    return _members(_read(paths))


def complete(paths: Sequence[str | Path]) -> list[Member]:
    """Return `members` of files, after checking that each gives the required body and spin.

    Raises ScenarioError, also that of cross_checks.ask_for_body_and_spin.
    """
    several = _read(paths)
    for namespace, path, sections in several:
        source = f'{path.name}: {namespace}' if namespace else path.name
        cross_checks.ask_for_body_and_spin(sections, source)
    return _members(several)


def _read(paths: Sequence[str | Path]) -> list[tuple[str, Path, Sections]]:
    """Return (namespace, file, sections) of each spacecraft in ROS parameter files."""
    return [
        (namespace, Path(path), sections)
        for path in paths
        for namespace, sections in scenario_file.read_all(path).items()
    ]


def description_of(path: Path) -> str:
    """Return the description in a file; only that line is read, for parsing takes a second."""
    found = re.search(DESCRIBED, path.read_text(encoding='utf-8'))
    return found[1] if found else members([path])[0].sections['simulator']['description']


def parse(text: str, source: str) -> list[Member]:
    """Return the spacecraft in the text of one ROS parameter file, as `members`.

    source: its name, for messages
    Raises ScenarioError.
    """
    found = scenario_file.parse_all(text, source)
    return _members([(space, Path(source), sections) for space, sections in found.items()])


def dump(spacecraft: Mapping[str, Scenario]) -> str:
    """Return the text of a ROS parameter file that reproduces the spacecraft bit for bit.

    spacecraft: {namespace: Scenario}; the namespace of a single one is ''
    """
    return '\n'.join(
        recorded_scenario.dump(one, namespace=namespace or '**')
        for namespace, one in spacecraft.items()
    )


def _members(found: Sequence[tuple[str, Path, Sections]]) -> list[Member]:
    """Return the spacecraft, each from (namespace, path of its file, sections)."""
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
        member.sections['simulator']['duration'] = max(lengths) if all(lengths) else 0.0
    return apart


def _as_name(text: str) -> str:
    """Return a text as a valid ROS name: letters, digits and _, not beginning with a digit."""
    name = re.sub(r'\W', '_', text, flags=re.ASCII)
    return name if name[:1].isalpha() or name[:1] == '_' else f'spacecraft_{name}'


def _different(names: list[str]) -> list[str]:
    """Return the names, with a number appended to repeated ones."""
    counts: Counter[str] = Counter()
    numbered = []
    for name in names:
        counts[name] += 1
        numbered.append(name if counts[name] == 1 else f'{name}_{counts[name]}')
    if len(set(numbered)) < len(names):
        raise ScenarioError(f'spacecraft {", ".join(names)}: give each a namespace of its own')
    return numbered


def _apart(name: str, number: int, sections: Sections) -> Sections:
    """Return the sections with frames prefixed by the name, and `number` as the default seed."""
    own = {node: dict(values) for node, values in sections.items()}
    simulator = own['simulator']
    simulator.setdefault('seed', number)
    body = simulator.get('frames.body', simulator_parameters.BY_NAME['frames.body'].default)

    def under(frame: object) -> str:
        """Return a frame prefixed by the spacecraft's name; dumped ones already have it."""
        return f'{frame}' if f'{frame}'.startswith(f'{name}/') else f'{name}/{frame}'

    for node in own.keys() & {*FRAMES, *aboard.NODES}:
        known = FRAMES.get(node) or aboard.module_of(node).BY_NAME
        for key, parameter in known.items():
            if key.startswith('frames.') and key != WORLD:
                own[node][key] = under(own[node].get(key, parameter.default))
    if isinstance(simulator.get('lockstep_frames'), list):  # anything else is rejected later
        simulator['lockstep_frames'] = [
            under(frame) if frame == body else frame for frame in simulator['lockstep_frames']
        ]
    return own


def of_namespaces(given: Sequence[Member], wanted: Sequence[str]) -> list[Member]:
    """Return the spacecraft with the wanted namespaces; all of them if `wanted` is empty.

    Raises ScenarioError for an unknown namespace.
    """
    known = [member.namespace for member in given]
    names = [namespace.strip('/') for namespace in wanted]
    for name in names:
        if not name or name not in known:
            if there := ', '.join(filter(None, known)):
                raise ScenarioError(f'no spacecraft {name}; there are {there}')
            raise ScenarioError(
                f'no spacecraft {name}; there is only one, without a namespace. To fly it in '
                f'this one, write --ros-args -r __ns:=/{name} instead'
            )
    return [member for member in given if not names or member.namespace in names]


def agreed(
    given: Sequence[Member], wanted: Sequence[tuple[str, str, str, object]] = ()
) -> list[Member]:
    """Change some parameters, and return the spacecraft with equal parameters of the run.

    wanted: (namespace, node, name, value) of each change; the namespace '' means all spacecraft,
        and a single spacecraft accepts any namespace
    Raises ScenarioError for an unknown namespace, and for a parameter of the run or a tick_rate
    that differs from the first spacecraft's.
    """
    _change(given, wanted)
    first, *others = given
    if not others:
        return [first]
    values = {name: _value(first, known) for name, known in OF_RUN.items()}
    for member in others:
        source = f'{member.source}: {member.namespace}'
        simulator = member.sections['simulator']
        check_of_run(simulator, values, source, first.namespace)
        simulator |= values
        rate, wanted_rate = (
            _value(one, simulator_parameters.BY_NAME['tick_rate']) for one in (member, first)
        )
        if rate != wanted_rate:
            raise other_tick_rate(source, rate, first.namespace, wanted_rate)
    return list(given)


def check_of_run(
    given: Mapping[str, Any], values: Mapping[str, Any], source: str, first: str
) -> None:
    """Raise ScenarioError if a parameter of the run differs from the first spacecraft's.

    given: {name: value} of this simulator;  values: {name: value} of OF_RUN in the run
    source, first: names of this spacecraft and of the first, for messages
    """
    for name, value in values.items():
        parameter = OF_RUN[name]
        own = _checked(parameter, given.get(name, value), source)
        if own != value:
            unit = f' {parameter.unit}' if parameter.unit else ''
            raise ScenarioError(
                f'{source}: {name} is {own!r}{unit}, but {first} has {value!r}{unit}; it '
                f'applies to the whole run: give all spacecraft the same, or -p {name}:=… for all'
            )


def other_tick_rate(source: str, rate: float, first_source: str, first: float) -> ScenarioError:
    """Return the error for a tick rate [Hz] that differs from the first spacecraft's."""
    return ScenarioError(
        f'{source}: tick_rate is {rate!r} Hz, of {first_source} {first!r}; all spacecraft of a '
        'run tick together: give them one, and sensors an interval each'
    )


def _value(member: Member, parameter: Parameter) -> Any:
    """Return the checked value of a simulator parameter, given or default; or ScenarioError."""
    given = member.sections['simulator'].get(parameter.name, parameter.default)
    return _checked(parameter, given, f'{member.source}: {member.namespace}')


def _checked(parameter: Parameter, value: Any, source: str) -> Any:
    try:
        return parameter.checked(value)
    except ParameterError as error:
        raise ScenarioError(f'{source}: {error}') from None


def _change(given: Sequence[Member], wanted: Sequence[tuple[str, str, str, object]]) -> None:
    """Change parameters of spacecraft in place; `wanted` as in `agreed`."""
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
