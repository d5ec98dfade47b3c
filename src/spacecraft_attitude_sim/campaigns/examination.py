# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the examination: scenarios with limits, flown on sensors and actuators, and judged.

    case -> campaign (draws) -> scenario of each run -> flight -> merits -> limits -> Row

A case is a scenario file with a section `/**/examination`, which the nodes do not read.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import yaml

from spacecraft_attitude_sim.campaigns import campaign as campaigns
from spacecraft_attitude_sim.campaigns import python_flight, user_file, workers
from spacecraft_attitude_sim.configuration import (
    attitude_guidance,
    condition,
    parameters,
    recorded_scenario,
    scenario,
    scenario_file,
    suggestion,
    trust,
)
from spacecraft_attitude_sim.configuration.parameters import Parameter, ParameterError
from spacecraft_attitude_sim.configuration.share import share_directory
from spacecraft_attitude_sim.configuration.yaml_file import is_file, mapping_of, text_of
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.control.response import attitude_errors
from spacecraft_attitude_sim.core.guidance.keep_out import clearance
from spacecraft_attitude_sim.core.simulation import MotionError
from spacecraft_attitude_sim.core.studies import flight_merits
from spacecraft_attitude_sim.flight.flight import Flight, controller_for
from spacecraft_attitude_sim.flight.replaced import Replaced
from spacecraft_attitude_sim.recording import merit_table, run_history
from spacecraft_attitude_sim.recording.errors import CampaignError
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spacecraft_attitude_sim.campaigns.campaign import Campaign
    from spacecraft_attitude_sim.configuration.condition import Condition
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.recording.history import History

SECTION, EXAMINED = 'examination', 'dispersions'
PARAMETERS = (
    Parameter(
        'steady_from', 0.0, 's', 'When the steady part begins, which is judged.', low=0.0, high=1e6
    ),
    Parameter(
        'pointed_error', math.radians(1.0), 'rad', 'What a small error is, for pointing_time.',
        low=1e-9, high=math.pi,
    ),
    Parameter('window', 0.0, 's', 'Of MPE and RPE; 0: 10 s.', low=0.0, high=1e6),
    Parameter('boresight', [0.0, 0.0, 1.0], '', 'Body axis that looks at it.', length=(3,)),
    Parameter('limits', [], '', 'Conditions on merits in SI units.', str, length=()),
)  # fmt: skip
# {constant of a limit: its value [rad]}
CONSTANTS = {'deg': math.radians(1.0), 'arcsec': math.radians(1.0) / 3600.0}
# Merits beside those of docs/pointing.md.
OWN = ('final_error', 'final_rate', 'largest_rate', 'final_wheel_momentum', 'least_clearance')
ENTERED = 'entered_'
# Names of laws that are shipped: {name: file and class in examples/examination}
SHIPPED = {'mrp': 'mrp_feedback.py:MrpFeedback', 'pd': 'plain_pd.py:PlainPd'}
OURS = 'ours'


@dataclass(frozen=True)
class Case:
    """A case: a scenario, how its runs are drawn, and the limits that they are judged by.

    name: of its file;  text: of the file;  values: {name: value} of PARAMETERS
    dispersions: as of a campaign file;  limits: a Condition each
    """

    name: str
    text: str
    values: dict[str, Any]
    dispersions: dict[str, Any]
    limits: tuple[Condition, ...]

    def campaign(self, runs: int, seed: int) -> Campaign:
        """Return the Campaign that draws its runs; CampaignError, ScenarioError."""
        given = {'scenario': self.name, 'runs': runs, 'seed': seed, EXAMINED: self.dispersions}
        return campaigns.parse(yaml.safe_dump(given), self.text, self.name)


class Row(NamedTuple):
    """What became of a run.

    case, run: its name and number;  reasons: why it did not pass, empty where it did
    values: {merit: value} in SI units; empty of a flight that did not end
    """

    case: str
    run: int
    reasons: tuple[str, ...]
    values: dict[str, float]

    @property
    def passed(self) -> bool:
        """Whether it kept all limits."""
        return not self.reasons


class Entry(NamedTuple):
    """What is examined: files that a user names, None for what the case has aboard."""

    law: user_file.FromFile | None = None
    estimator: user_file.FromFile | None = None
    guidance: user_file.FromFile | None = None

    def aboard(self, dispersed: Scenario) -> Replaced:
        """Return new objects of its classes for a run."""
        return Replaced(*(part and controller_for(part.found, dispersed) for part in self))


def entry(law: str, estimator: str | None = None, guidance: str | None = None) -> Entry:
    """Return the Entry of FILE:NAME texts; law may also be OURS or one of SHIPPED.

    Raises CampaignError.
    """
    if ':' not in law and law not in (OURS, *SHIPPED):
        known = (OURS, *SHIPPED)
        raise CampaignError(f'no law {law!r}; {suggestion.hint(law, known)}, or give FILE:NAME')
    named = str(share_directory() / 'examples' / SECTION / SHIPPED[law]) if law in SHIPPED else law
    return Entry(
        None if law == OURS else user_file.named('--law', named),
        user_file.named('--estimator', estimator) if estimator else None,
        user_file.named('--guidance', guidance) if guidance else None,
    )


def shipped() -> dict[str, Path]:
    """Return {name: path} of the shipped cases."""
    paths = (share_directory() / 'config' / SECTION).glob('*.yaml')
    return {path.stem: path for path in sorted(paths)}


def load(name: str) -> Case:
    """Return a Case by the name of a shipped one or the path of a file.

    Raises CampaignError for a name or section that is wrong.
    """
    known = shipped()
    path = known.get(name) or Path(name)
    if not is_file(path):
        near = suggestion.hint(name, list(known))
        raise CampaignError(f'no case {name!r}; {near}, or give the path of a file')
    return parse(text_of(path, CampaignError), path.stem, path.name)


def parse(text: str, name: str, source: str) -> Case:
    """Return the Case of the text of a scenario file; source: for messages.

    Raises CampaignError.
    """
    document = mapping_of(text, source, 'is empty', CampaignError)
    sections = [part for node, part in document.items() if str(node).split('/')[-1] == SECTION]
    if len(sections) != 1:
        raise CampaignError(f"{source}: give one section '/**/{SECTION}', with limits")
    try:
        given = dict(sections[0]['ros__parameters'])
        dispersions = dict(given.pop(EXAMINED, None) or {})
        values = _checked(scenario_file.flattened(given, source))
        limits = tuple(_limit(text) for text in values['limits'])
    except ParameterError as error:
        raise CampaignError(f'{source}: {SECTION}.{error}') from None
    except (KeyError, TypeError, ValueError):
        raise CampaignError(f"{source}: '{SECTION}' must hold ros__parameters by name") from None
    if not limits:
        raise CampaignError(f'{source}: {SECTION}.limits is empty; give a condition or more')
    return Case(name, text, values, dispersions, limits)


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    valid = {parameter.name: parameter for parameter in PARAMETERS}
    for name in given:
        if name not in valid:
            raise parameters.unknown(name, [*valid, EXAMINED])
    return {name: p.checked(given.get(name, p.default)) for name, p in valid.items()}


class _Names:
    """The names that a limit may have."""

    known = frozenset((
        *flight_merits.INDICES, *flight_merits.UNITS, *flight_merits.OF_ESTIMATOR, *OWN,
        *CONSTANTS, 'wheel_speed_margin', 'thruster_pulses', 'thruster_duty', 'dipole_duty',
    ))  # fmt: skip
    heads = (ENTERED, *(f'{head}_' for head in flight_merits.NIS))

    def __contains__(self, name: object) -> bool:
        return name in self.known or str(name).startswith(self.heads)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.known))

    def __len__(self) -> int:
        return len(self.known)


def _limit(text: str) -> Condition:
    """Return the Condition of a limit; ParameterError."""
    limit = condition.parse(text, _Names())
    if limit.seconds:
        raise ParameterError(f'limits: {text!r} has a time; a limit is of the whole run')
    return limit


def rows(tasks: Sequence[Task], processes: int = 1) -> Iterator[Row]:
    """Fly the runs of tasks; yield the Row of each, in order; processes: that fly side by side."""
    if processes == 1 or len(tasks) == 1:
        yield from map(row_of, tasks)
    else:
        yield from workers.each(row_of, tasks, processes)


class Task(NamedTuple):
    """A run to fly, perhaps in a process of its own, so of texts alone.

    trusted: of trust.given;  name, case: of the Case, its text;  what: Entry
    run: its number;  dispersed: text of its scenario
    """

    trusted: list[str]
    name: str
    case: str
    what: Entry
    run: int
    dispersed: str


def tasks_of(case: Case, what: Entry, runs: int, seed: int) -> list[Task]:
    """Return the Task of each run of a Case; seed: of all draws.

    Raises CampaignError or ScenarioError, with the seed.
    """
    try:
        campaign = case.campaign(runs, seed)
        scenarios = campaign.scenarios_of(campaign.draws(range(runs)), range(runs))
    except (CampaignError, scenario_file.ScenarioError) as error:
        raise type(error)(f'{error} (seed {seed})') from None
    return [
        Task(trust.given(), case.name, case.text, what, run, recorded_scenario.dump(dispersed))
        for run, dispersed in enumerate(scenarios)
    ]


def row_of(task: Task) -> Row:
    """Return the Row of the run of a Task."""
    trust.give(task.trusted)
    case = parse(task.case, task.name, task.name)
    dispersed, run = scenario.parse(task.dispersed, task.name), task.run
    try:
        with python_flight.telling(0.0):
            replaced = task.what.aboard(dispersed)
    except CampaignError as error:
        return Row(case.name, run, (str(error),), {})
    values, failure = fly(case, dispersed, replaced)
    return Row(case.name, run, (failure,) if failure else judged(case, values), values)


def fly(case: Case, dispersed: Scenario, replaced: Replaced) -> tuple[dict[str, float], str]:
    """Return {merit: value} of a flight and '', or {} and why it did not end."""
    plant = dispersed.plant
    try:
        with python_flight.telling(0.0):
            flight = Flight(dispersed, replaced)
        for _ in range(plant.ticks.covering(dispersed.parameters['duration'])):
            with python_flight.telling(flight.instant.time):
                flight.step()
    except (CampaignError, ValueError, MotionError) as error:
        return {}, ' '.join(str(error).split())
    record = flight.record
    if not all(np.isfinite(to_flat(instant.state)).all() for instant in record.instants):
        return {}, 'a number of the motion is not finite'
    references = np.array(record.references)
    _, history = run_history.of_record(
        dispersed, record.instants, record.entries(), references, record.known
    )
    values = {name: case.values[name] for name in ('steady_from', 'pointed_error', 'window')}
    asked = flight_merits.Asked(**values, boresight_B=case.values['boresight'])
    merits = dict(merit_table.of_history(history, asked).values)
    merits |= _own(dispersed, history, references)
    if flight.mission and dispersed.mission:
        entered = [change.mode for change in flight.mission.changes]
        merits |= {f'{ENTERED}{name}': entered.count(name) for name in dispersed.mission['modes']}
    return merits, ''


def _own(dispersed: Scenario, history: History, references: Array) -> dict[str, float]:
    """Return the merits of OWN that a flight has."""
    rates = np.linalg.norm(history.angular_velocity_B, axis=1)
    final = attitude_errors(references[-1:], history.q_WB()[-1:])
    values = {
        'final_error': float(np.linalg.norm(final)), 'final_rate': float(rates[-1]),
        'largest_rate': float(rates.max()),
    }  # fmt: skip
    wheels = dispersed.plant.spacecraft.part('reaction_wheels')
    if wheels and history.parts:
        speeds = history.parts['wheels'].arrays['speeds'][-1]
        momentum_B = (speeds * wheels.inertias) @ wheels.axes_B
        values['final_wheel_momentum'] = float(np.linalg.norm(momentum_B))
    if dispersed.guidance and dispersed.guidance['keep_outs']:
        values['least_clearance'] = _clearance(dispersed.guidance, history)
    return values


def _clearance(guidance: Mapping[str, Any], history: History) -> float:
    """Return the least angle [rad] of any boresight to its zone; negative inside."""
    planner = attitude_guidance.planner(guidance, attitude_guidance.ephemeris(guidance))
    pairs = zip(history.time.tolist(), history.q_WB(), strict=True)
    return min(clearance(q_WB, zone) for time, q_WB in pairs for zone in planner.zones(time))


def judged(case: Case, values: Mapping[str, float]) -> tuple[str, ...]:
    """Return a reason for each limit of a Case that values do not keep.

    values: {merit: value}; one that is missing or not a number keeps no limit
    """
    known = {name: math.nan for limit in case.limits for name in limit.names}
    known |= {**values, **CONSTANTS}
    return tuple(
        f'{limit.text}, but {_told(limit, known)}'
        for limit in case.limits
        if not limit.holds(known)
    )


def _told(limit: Condition, values: Mapping[str, float]) -> str:
    """Return the values of the merits of a limit, angles in degrees."""
    return ', '.join(
        f'{name} is {in_words(name, values[name])}'
        for name in limit.names
        if name not in CONSTANTS
    )


def in_words(name: str, value: float) -> str:
    """Return a merit with its unit, angles in degrees."""
    if flight_merits.unit_of(name) == 'rad' or name in ('final_error', 'least_clearance'):
        return f'{math.degrees(value):.3g} deg'
    if name in ('final_rate', 'largest_rate'):
        return f'{math.degrees(value):.3g} deg/s'
    unit = 'N m s' if name == 'final_wheel_momentum' else flight_merits.unit_of(name)
    return f'{value:.3g} {unit}'.rstrip()


def as_csv(every: Sequence[Row], seed: int) -> str:
    """Return a table of all merits in SI units, with a line for each run; seed: of all."""
    import csv
    import io

    names = list(dict.fromkeys(name for row in every for name in row.values))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator='\n')
    writer.writerow(('case', 'seed', 'run', 'passed', *names, 'reasons'))
    for row in every:
        values = (repr(row.values[name]) if name in row.values else '' for name in names)
        passed, reasons = int(row.passed), '; '.join(row.reasons)
        writer.writerow((row.case, seed, row.run, passed, *values, reasons))
    return text.getvalue()
