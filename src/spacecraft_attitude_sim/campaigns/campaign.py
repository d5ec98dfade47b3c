# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Campaign files: a scenario, the dispersions of its parameters, and the scenario of each run.

    scenario: cubesat_tumble
    runs: 1000
    dispersions:
      initial.angular_velocity: {distribution: in_sphere, radius: 0.3}

A run depends only on the seed and its own number, not on which other runs are computed.
In a formation, names of draws and results begin with the namespace of their spacecraft:
chief/initial.angular_velocity, chief/final_rate.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml
from numpy.typing import NDArray

from spacecraft_attitude_sim import __version__
from spacecraft_attitude_sim.campaigns import faults_in_turn, flight_merits, merits, sampling
from spacecraft_attitude_sim.campaigns.columns import results_of
from spacecraft_attitude_sim.campaigns.dispersions import (
    ELEMENT,
    NODES,
    check_map,
    dispersion,
    named,
    nodes_of,
    of_each,
    refuse_twice,
)
from spacecraft_attitude_sim.configuration import (
    attitude_controller,
    formation,
    parameters,
    scenario,
    scenario_file,
    simulator_parameters,
)
from spacecraft_attitude_sim.configuration.parameters import Parameter, ParameterError
from spacecraft_attitude_sim.configuration.scenario_file import ScenarioError
from spacecraft_attitude_sim.configuration.yaml_file import is_file, mapping_of, text_of
from spacecraft_attitude_sim.recording.errors import CampaignError
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.campaigns.distributions import Distribution
    from spacecraft_attitude_sim.campaigns.merits import Flight, Merit
    from spacecraft_attitude_sim.campaigns.python_flight import Make
    from spacecraft_attitude_sim.core.simulation import Instant


PARAMETERS = (
    Parameter('description', '', '', 'One line that says what the campaign is for.', str),
    Parameter('scenario', '', '', 'Name or path of the scenario to disperse.', str),
    Parameter('runs', 1000, '', 'Number of runs.', int, low=1, high=100_000_000),
    Parameter('seed', 0, '', 'Seed of all draws.', int, low=0, high=2**31 - 1),
    Parameter(
        'sampling', 'monte_carlo', '', 'Method of sampling.', str, choices=sampling.SAMPLINGS
    ),
    Parameter(
        'duration', 0.0, 's', "Simulated time of a run; 0 for the scenario's.", low=0.0, high=1e6
    ),
    Parameter(
        'settled_rate', 0.01, 'rad/s', 'Angular rate below which a body has settled.',
        low=0.0, high=1e4,
    ),
    Parameter(
        'pointed_error', 0.0175, 'rad', 'Pointing error below which a body is on target.',
        low=0.0, high=3.2,
    ),
    Parameter(
        'steady_from', 0.0, 's',
        'When the steady part begins, of which rms and largest pointing error are; 0 for the last '
        'tenth.', low=0.0, high=1e6,
    ),
    Parameter(
        faults_in_turn.KEY, False, '',
        "Whether each run has one of the scenario's faults, in turn.", bool,
    ),
    *flight_merits.PARAMETERS,
    Parameter('map.x', '', '', 'What is drawn along x of map.png: a dispersed number.', str),
    Parameter('map.y', '', '', 'What is drawn along y of map.png; left out: map.color.', str),
    Parameter('map.color', '', '', 'The column of the table that colors map.png.', str),
)  # fmt: skip
# Keys of a campaign file with names that the user chooses.
TREES = ('dispersions', 'parameters', 'merits')
# Runs whose parameters are drawn together.
BLOCK = 500
# Orbit parameters of a controller with an ephemeris; it gets the same drawn values.
KNOWN = tuple(one.name for one in attitude_controller.EPHEMERIS)


@dataclass(frozen=True)
class Campaign:
    """A checked campaign file.

    source: its name, for messages;  text, scenario_text: of the campaign and scenario files
    values: {name: value} of PARAMETERS
    bases: {namespace: the Scenario that is dispersed}; '' for a spacecraft alone
    dispersions: {parameter: Distribution}; of a formation as namespace/parameter
    merits: {name: Merit} of the user
    make: python_flight.Make of controllers in Python; None for the shipped one where the scenario
        has its section
    """

    source: str
    text: str
    scenario_text: str
    values: dict[str, Any]
    bases: dict[str, scenario.Scenario]
    dispersions: dict[str, Distribution]
    merits: dict[str, Merit] = field(default_factory=dict)
    make: Make | None = None

    @property
    def runs(self) -> int:
        """Number of runs."""
        return self.values['runs']

    @property
    def duration(self) -> float:
        """Simulated time of a run [s]."""
        first = next(iter(self.bases.values()))  # a formation's is that of all
        return self.values['duration'] or first.parameters['duration']

    @property
    def takes_turns(self) -> bool:
        """Whether each run has one of the scenario's faults, in turn."""
        return self.values[faults_in_turn.KEY]

    @property
    def fingerprint(self) -> str:
        """A digest of version, columns and texts: campaigns that share it have the same table."""
        columns = (name for one in self.bases.values() for name in self.results_of(one))
        own = merits.fingerprint(self.merits | ({'': self.make} if self.make else {}))
        said = '\0'.join((__version__, *columns, own, self.text, self.scenario_text))
        return hashlib.sha256(said.encode()).hexdigest()[:16]

    def results_of(self, found: scenario.Scenario) -> tuple[str, ...]:
        """Return the names of the results of one spacecraft, without the user's merits."""
        return results_of(found, self.make is not None)

    @property
    def map(self) -> dict[str, str]:
        """{x, y, color: column} of the requested map; y may be missing; {} without a map."""
        asked = {key: self.values[f'map.{key}'] for key in ('x', 'y', 'color')}
        return {key: name for key, name in asked.items() if name}

    @property
    def warnings(self) -> list[str]:
        """A line for each spacecraft that waits in lockstep for commands that no one sends."""
        found = []
        for namespace, base in self.bases.items():
            waits, topics = base.parameters['lockstep'], base.parameters['lockstep_topics']
            told = waits or topics != simulator_parameters.BY_NAME['lockstep_topics'].default
            if told and not base.controller and not self.make:
                found.append(
                    f'{self.source_of(namespace)}: nobody commands this spacecraft in the '
                    f'campaign: it waits in lockstep for {", ".join(topics)}, no node runs here, '
                    'and the scenario has no attitude_controller section; it flies uncontrolled '
                    'unless you add one'
                )
        return found

    def with_merits(self, functions: Mapping[str, Callable[[Flight], float]]) -> Campaign:
        """Return the Campaign with more own merits, {name: function of a merits.Flight}.

        Raises CampaignError for a name that is taken.
        """
        try:
            own = merits.checked(functions, self.bases, self.make is not None)
        except ParameterError as error:
            raise CampaignError(f'{self.source}: {error}') from None
        return replace(self, merits={**self.merits, **own})

    def draws(self, rows: range) -> dict[str, NDArray[Any]]:
        """Return {parameter: values (n,) or (n, length)} drawn for a range of runs."""
        if not self.dispersions:
            return {}
        # In fixed blocks, whichever runs are asked for: numpy may round a value differently in a
        # vector instruction than by itself.
        first, last = rows.start // BLOCK, -(-rows.stop // BLOCK)
        blocks = [self._block(k * BLOCK) for k in range(first, last)]
        asked = slice(rows.start - first * BLOCK, rows.stop - first * BLOCK)
        return {
            name: np.concatenate([block[name] for block in blocks])[asked]
            for name in self.dispersions
        }

    def _block(self, first: int) -> dict[str, NDArray[Any]]:
        """Return the draws of BLOCK runs, or of the remaining ones."""
        rows = range(first, min(first + BLOCK, self.runs))
        widths = [found.deviates for found in self.dispersions.values()]
        u = sampling.deviates(
            self.values['sampling'], self.values['seed'], self.runs, sum(widths), rows
        )
        columns = np.split(u, np.cumsum(widths)[:-1], axis=1)
        return {
            name: found.values(column)
            for (name, found), column in zip(self.dispersions.items(), columns, strict=True)
        }

    def source_of(self, namespace: str) -> str:
        """Return the name of a spacecraft of the file, for messages."""
        return f'{self.source}: {namespace}' if namespace else self.source

    def scenarios_of(
        self, draws: Mapping[str, NDArray[Any]], rows: range, namespace: str = ''
    ) -> list[scenario.Scenario]:
        """Return the Scenario of a spacecraft in each run of a range.

        draws: what `draws` returned for the range
        Raises CampaignError when a drawn value is invalid.
        """
        base, source = self.bases[namespace], self.source_of(namespace)
        fixed = {'duration': self.duration}
        if base.controller:  # by itself, a run repeats only in lockstep with its controller
            fixed['lockstep'] = True
        start = scenario.changed(base, fixed, source)
        own = of_one(draws, namespace)
        flies = base.controller and attitude_controller.flies_by_ephemeris(base.controller)
        found = []
        for row in rows:
            new: dict[str, dict[str, Any]] = {node: {} for node in ('', *NODES)}
            if self.takes_turns:
                new[''] = faults_in_turn.changes(start, row)
            for name, values in own.items():
                of_run = faults_in_turn.drawn_name(name, start, row) if self.takes_turns else name
                _set(new, nodes_of(start), of_run, values[row - rows.start].tolist())
            simulator, contact, controller = new.values()
            if flies:
                known = {name: value for name, value in simulator.items() if name in KNOWN}
                controller |= known | controller
            with _naming(row):
                found.append(scenario.changed(start, simulator, source, contact, controller))
        return found

    def instants_of(self, scenarios: Sequence[scenario.Scenario], rows: range) -> list[Instant]:
        """Return the first Instant of each scenario of a range of runs.

        Raises CampaignError when one begins inside its floor.
        """
        found = []
        for row, one in zip(rows, scenarios, strict=True):
            with _naming(row):
                found.append(one.first_instant())
        return found


def load(
    path: str | Path, make: Make | None = None, changes: Mapping[str, Any] | None = None
) -> Campaign:
    """Return the Campaign of a file.

    make: as of Campaign;  changes: values of keys that replace those of the file

    Raises CampaignError or ScenarioError.
    """
    path = Path(path)
    text = text_of(path, CampaignError)
    if changes:
        text = yaml.safe_dump({**_document(text, path.name), **changes}, sort_keys=False)
    return of_text(text, path.name, path.parent, make)


def of_text(text: str, source: str, folder: Path, make: Make | None = None) -> Campaign:
    """Return the Campaign of the text of a campaign file.

    source: its name, for messages;  folder: from which a path of its scenario leads
    make: as of Campaign
    Raises CampaignError or ScenarioError.
    """
    name = str(_document(text, source).get('scenario', ''))
    if not name:
        raise CampaignError(f'{source}: scenario is missing; give a name or a path')
    beside = folder / name
    found = beside if is_file(beside) else scenario_file.find(name)
    formation.complete([found])  # asks for what it leaves out
    return parse(text, text_of(found, ScenarioError), source, make)


def parse(text: str, scenario_text: str, source: str, make: Make | None = None) -> Campaign:
    """Return the Campaign of the texts of a campaign file and of its scenario.

    make: as of Campaign

    Raises CampaignError or ScenarioError.
    """
    given = _document(text, source)
    dispersions, fixed, judges = (given.pop(key, None) or {} for key in TREES)
    try:
        for key, named_values in (('dispersions', dispersions), ('parameters', fixed)):
            if not isinstance(named_values, dict):
                raise ParameterError(f'{key} are {named_values!r}; give parameters by name')
        values = _checked(scenario_file.flattened(given, source))
        bases = _bases(scenario_text, values['scenario'])
        if fixed:
            bases = {key: _fixed(one, fixed, source) for key, one in bases.items()}
        found = _dispersions(bases, dispersions, values[faults_in_turn.KEY], make)
        own = _merits_of(values, bases, judges, make)
        check_map(values, found, bases, own, make is not None)
    except ParameterError as error:
        raise CampaignError(f'{source}: {error}') from None
    campaign = Campaign(source, text, scenario_text, values, bases, found, own, make)
    if not campaign.duration:
        raise CampaignError(f'{source}: duration is 0 s, and that of the scenario too; give one')
    if values['steady_from'] >= campaign.duration:
        raise CampaignError(
            f'{source}: steady_from is {values["steady_from"]:g} s, and a run ends at '
            f'{campaign.duration:g} s; give less'
        )
    return campaign


def _dispersions(
    bases: Mapping[str, scenario.Scenario], given: Mapping[str, Any], in_turn: bool,
    make: Make | None,
) -> dict[str, Distribution]:  # fmt: skip
    """Return {parameter: Distribution} of what a file says of each; ParameterError.

    in_turn: whether each run has one of the faults, which a name may mean by a star
    """
    if in_turn:
        faults_in_turn.check(bases)
    distributions = {}
    for namespace, name, what in of_each(given, list(bases)):
        base = bases[namespace]
        whole = faults_in_turn.drawn_name(name, base) if in_turn else name
        distributions[name] = dispersion(base, namespace, whole, what, make is not None)
    refuse_twice(distributions)
    return distributions


def _merits_of(
    values: Mapping[str, Any], bases: Mapping[str, scenario.Scenario], judges: Any,
    make: Make | None,
) -> dict[str, Merit]:  # fmt: skip
    """Return {name: Merit} of the file: of the user, and those of a flight that it asks for.

    Raises ParameterError.
    """
    in_python, first = make is not None, next(iter(bases.values()))
    duration = values['duration'] or first.parameters['duration']
    ours = flight_merits.named(values, bases, duration, in_python=in_python)
    theirs = merits.named(judges)
    if both := ours.keys() & theirs.keys():
        raise ParameterError(f'merits.{min(both)}: pointing.merits has it, too; choose another')
    return merits.checked(ours | theirs, bases, in_python)


def of_one(values: Mapping[str, Any], namespace: str) -> dict[str, Any]:
    """Return {name: value} of one spacecraft among {namespace/name: value}."""
    found = {}
    for whole, value in values.items():
        of, _, name = whole.rpartition('/')
        if of == namespace:
            found[name] = value
    return found


def of_namespace(values: Mapping[str, Any], namespace: str) -> dict[str, Any]:
    """Return {namespace/name: value} of {name: value}; as they are where it is ''."""
    return {named(namespace, name): value for name, value in values.items()}


def _bases(text: str, source: str) -> dict[str, scenario.Scenario]:
    """Return {namespace: Scenario} of the text of a parameter file; ScenarioError."""
    return {
        one.namespace: scenario.of_sections(
            one.sections, f'{source}: {one.namespace}' if one.namespace else source
        )
        for one in formation.agreed(formation.parse(text, source))
    }


def _fixed(base: scenario.Scenario, given: Mapping[str, Any], source: str) -> scenario.Scenario:
    """Return a Scenario with the simulator parameters that are fixed in all runs."""
    own = scenario_file.flattened(given, source)
    known = simulator_parameters.catalogue({**base.parameters, **own})  # with new wheels, faults …
    for name in own:
        if name not in known:
            raise parameters.unknown(f'parameters.{name}', [f'parameters.{key}' for key in known])
    return scenario.changed(base, own, source)


@contextlib.contextmanager
def _naming(row: int) -> Iterator[None]:
    """Turn errors of the scenario of a run into CampaignErrors that name the run."""
    try:
        yield
    except (ScenarioError, ParameterError) as error:
        raise CampaignError(f'{error} (drawn for run {row}; narrow its dispersion)') from None


def _document(text: str, source: str) -> dict[str, Any]:
    empty = 'holds no campaign; give scenario, runs and dispersions'
    document = mapping_of(text, source, empty, CampaignError)
    inner = (document.get(key) for key in TREES)
    below = (name for one in inner if isinstance(one, dict) for name in one)
    for name in (*document, *below):
        if not isinstance(name, str):
            raise CampaignError(f'{source}: {name!r} is no name of a parameter')
    return document


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    valid = {parameter.name: parameter for parameter in PARAMETERS}
    for name in given:
        if name not in valid:
            raise parameters.unknown(name, [*valid, *TREES])
    return {name: p.checked(given.get(name, p.default)) for name, p in valid.items()}


def _set(
    new: dict[str, dict[str, Any]],
    nodes: Mapping[str, Mapping[str, Any] | None],
    name: str,
    value: Any,
) -> None:
    """Set a value among the new parameters; nodes: the parameters of the base scenario."""
    node, _, rest = name.partition('.')
    node, name = (node, rest) if node in NODES else ('', name)
    element = ELEMENT.match(name)
    if not element:
        new[node][name] = value
        return
    whole, index = element[1], int(element[2])
    present = nodes[node]
    assert present is not None, 'what a scenario does not have is not dispersed'
    before = new[node].get(whole, present[whole])
    new[node][whole] = [*before[:index], value, *before[index + 1 :]]
