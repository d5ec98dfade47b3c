# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The runs of a campaign, many at once, and the columns of the table.

    what is drawn -> scenarios -> fly(scenarios, instants, Asked, law) -> Flown -> columns

A law gives the commands. It is `law_of` for shipped attitude_controllers, or
core.batch.flight_log.Played for any other controller, which was run before; see python_flight.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacecraft_attitude_sim.campaigns import campaign as campaigns
from spacecraft_attitude_sim.campaigns import faults_in_turn
from spacecraft_attitude_sim.campaigns.columns import (
    DIRECTION_COLUMNS,
    STATE_COLUMNS,
    merits_of,
)
from spacecraft_attitude_sim.campaigns.compiled_faults import changes_of
from spacecraft_attitude_sim.campaigns.flight_merits import STEADY_SHARE
from spacecraft_attitude_sim.campaigns.knowledge_log import KnowledgeLog
from spacecraft_attitude_sim.campaigns.laws import NotCompiledError, driven_by, law_of
from spacecraft_attitude_sim.campaigns.merits import judged
from spacecraft_attitude_sim.core.body.state import from_flat
from spacecraft_attitude_sim.core.parts.craft import BOOK
from spacecraft_attitude_sim.core.parts.thrusters.kernel import THRUSTER_STATE
from spacecraft_attitude_sim.flight import side_by_side
from spacecraft_attitude_sim.recording.errors import CampaignError

if TYPE_CHECKING:
    from spacecraft_attitude_sim.campaigns.campaign import Campaign
    from spacecraft_attitude_sim.campaigns.compiled_faults import Change
    from spacecraft_attitude_sim.campaigns.python_flight import Make
    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.batch.attitude_law import Law
    from spacecraft_attitude_sim.core.batch.batch import Batch
    from spacecraft_attitude_sim.core.batch.flight_log import FlightLog, Logged, Played
    from spacecraft_attitude_sim.core.batch.run_summary import Merits
    from spacecraft_attitude_sim.core.simulation import Instant
    from spacecraft_attitude_sim.core.studies.consistency import Knowledge

    # {column: values} of several runs
    Columns = dict[str, NDArray[Any]]

# A run is advanced in this many parts, so that progress and Ctrl-C are handled in between.
PARTS = 24
# The share of the work of a campaign that its flights take if a controller is written in Python.
FLIGHTS_SHARE = 0.95
# Of the rows of flights that own merits see, so much is kept at a time [bytes].
MOST_KEPT = 2**28


class Asked(NamedTuple):
    """How flights are flown and judged.

    duration: [s];  settled_rate: [rad/s];  pointed_error: [rad]
    steady_from: when the steady part begins [s]; 0 for the last tenth
    """

    duration: float
    settled_rate: float
    pointed_error: float
    steady_from: float


class Flown(NamedTuple):
    """N flights that have ended.

    states: (N, 13);  internal: (N, n) of wheels and actuators;  lost: (N,) not followed to the end
    commands: of the actuators of each, how many
    merits: run_summary.Merits;  logged: flight_log.Logged, None where there was no log
    rows: (N, any, width) of flight_log
    knowledge: Knowledge of each, None without an estimator aboard; or empty
    """

    states: NDArray[np.float64]
    internal: NDArray[np.float64]
    lost: NDArray[np.bool_]
    commands: int
    merits: Merits
    logged: Logged | None
    rows: NDArray[np.float64]
    knowledge: Sequence[Knowledge | None] = ()


def _nothing(share: float) -> None:
    """Hear the share of the work that is done."""


def columns_of(
    campaign: Campaign,
    first: int,
    last: int,
    threads: int | None = None,
    told: Callable[[float], object] = _nothing,
) -> Columns:
    """Return {column: values} of the runs first to last - 1.

    Of a formation, those of one spacecraft after those of another.
    told: called with the share of them that is done, now and then
    Raises CampaignError for equations other than momentum, or a drawn value that is invalid.
    """
    rows = range(first, last)
    draws = campaign.draws(rows)
    columns: Columns = {'run': np.array(rows)}
    for number, namespace in enumerate(campaign.bases):

        def told_of_one(share: float, number: int = number) -> None:
            told((number + share) / len(campaign.bases))

        own = _columns_of_one(campaign, draws, rows, namespace, threads, told_of_one)
        columns |= campaigns.of_namespace(own, namespace)
    return columns


def _columns_of_one(
    campaign: Campaign,
    draws: Mapping[str, NDArray[Any]],
    rows: range,
    namespace: str,
    threads: int | None,
    told: Callable[[float], object],
) -> Columns:
    """Return {column: values} of one spacecraft: what of it was drawn, and its results."""
    found = campaign.scenarios_of(draws, rows, namespace)
    instants = campaign.instants_of(found, rows)
    plant = found[0].plant
    if plant.equations != 'momentum':
        raise CampaignError(
            f"{campaign.source_of(namespace)}: equations are '{plant.equations}'; campaigns run "
            "'momentum'"
        )
    asked = Asked(
        campaign.duration,
        *(campaign.values[name] for name in ('settled_rate', 'pointed_error', 'steady_from')),
    )
    columns = _drawn(campaign, campaigns.of_one(draws, namespace), found, rows)
    group = _together(found[0], asked) if campaign.merits else len(found)
    pieces = []
    for begin in range(0, len(found), group):
        some = found[begin : begin + group]

        def told_of_some(share: float, begin: int = begin, count: int = len(some)) -> None:
            told((begin + share * count) / len(found))

        law, make = _commanding(campaign, some)
        hears_flights, hears_table = _heard(told_of_some, make is not None)
        if make:
            law = _flown_before(campaign, some, make, rows[begin], threads or 1, hears_flights)
        flown = fly(
            some, instants[begin : begin + group], asked, law, keeps=bool(campaign.merits),
            threads=threads, told=hears_table,
        )  # fmt: skip
        own = results(some, flown, campaign.make is not None)
        if campaign.merits:
            own |= judged(campaign.merits, some, flown, rows[begin])
        pieces.append(own)
    return columns | {
        name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]
    }


def _drawn(
    campaign: Campaign,
    draws: Mapping[str, NDArray[Any]],
    scenarios: Sequence[Scenario],
    rows: range,
) -> Columns:
    """Return {column: values} of what was drawn for one spacecraft."""
    columns: Columns = {}
    for name, values in draws.items():
        if not (campaign.takes_turns and faults_in_turn.is_of_fault(name)):
            columns.update(_split(name, values))
    return columns | (faults_in_turn.columns(scenarios, rows) if campaign.takes_turns else {})


def _heard(
    told: Callable[[float], object], in_python: bool
) -> tuple[Callable[[float], object], Callable[[float], object]]:
    """Return what hears the share of flights in Python, and of the batch that makes their rows.

    told: called with the share of the whole work;  in_python: whether there are such flights
    """
    if not in_python:
        return _nothing, told
    return (
        lambda share: told(FLIGHTS_SHARE * share),
        lambda share: told(FLIGHTS_SHARE + (1.0 - FLIGHTS_SHARE) * share),
    )


def _commanding(
    campaign: Campaign, found: Sequence[Scenario]
) -> tuple[Law | Played | None, Make | None]:
    """Return the compiled law of spacecraft, or what makes the controllers that fly in Python.

    Both are None where nobody commands.
    """
    from spacecraft_attitude_sim.campaigns import python_flight

    if campaign.make:
        return None, campaign.make
    if not found[0].controller:
        return None, python_flight.shipped if _has_faults(found[0]) else None
    try:
        return law_of(found), None
    except NotCompiledError:
        return None, python_flight.shipped


def _has_faults(scenario: Scenario) -> bool:
    """Return whether parts or sensors may break, or readings come late."""
    return bool(scenario.plant.spacecraft.faults or scenario.sensors.latencies)


def _flown_before(
    campaign: Campaign,
    found: Sequence[Scenario],
    make: Make,
    first: int,
    processes: int,
    told: Callable[[float], object],
) -> Played:
    """Return the commands of controllers in Python, after their flights.

    first: number of the first run
    told: called with the share of the flights that they have flown
    """
    from spacecraft_attitude_sim.campaigns import python_flight

    return python_flight.played(found, make, campaign.duration, processes, told, first)


def fly(
    found: Sequence[Scenario],
    instants: Sequence[Instant],
    asked: Asked,
    law: Law | Played | None,
    *,
    keeps: bool = False,
    threads: int | None = None,
    told: Callable[[float], object] = _nothing,
) -> Flown:
    """Return the Flown of spacecraft with equal numbers of actuators.

    instants: the first of each;  law: of all;  keeps: whether to keep a row of every instant
    told: called with the share of the flight that is done, now and then
    """
    from spacecraft_attitude_sim.core.batch.batch import Batch
    from spacecraft_attitude_sim.core.batch.flight_log import FlightLog

    aboard = getattr(law, 'aboard', None)
    reads = aboard is not None
    try:
        given = side_by_side.arguments_of(found, instants, reads=reads, faults_played=True)
    except ValueError as error:
        raise CampaignError(f'{error}; a campaign cannot draw it') from None
    plant, clock = found[0].plant, found[0].plant.ticks
    ticks = clock.covering(asked.duration)
    steady = asked.steady_from or (1.0 - STEADY_SHARE) * asked.duration
    log = knowledge_log = None
    if aboard and keeps and aboard.settings:
        knowledge_log = KnowledgeLog(aboard.settings, ticks, clock)
        aboard.hear = knowledge_log.keep
    if law or keeps or (plant.spacecraft.coupled and plant.spacecraft.part('reaction_wheels')):
        log = FlightLog(
            [one.plant for one in found], ticks, law, steady=clock.covering(steady),
            on_target=asked.pointed_error, keeps=keeps,
        )  # fmt: skip
    batch = Batch(
        **given,
        law=log.law if log else None,
        watched=True,
        settled_rate=asked.settled_rate,
        threads=threads,
    )
    changes = changes_of(found, law)
    for part in range(PARTS):
        _advance(batch, log, ticks * (part + 1) // PARTS, changes)
        told((part + 1) / PARTS)
    logged, rows = log.end(batch) if log else (None, np.zeros((0, 0, 0)))
    inside = batch.internal if plant.spacecraft.layout.size else None
    internal = np.zeros((len(found), 0)) if inside is None else inside
    commands = batch.commands.shape[1]
    known = knowledge_log.knowledge() if knowledge_log else getattr(law, 'knowledge', ())
    flown = batch.states, internal, batch.lost, commands, batch.merits, logged, rows
    return Flown(*flown, known)


def _advance(batch: Batch, log: FlightLog | None, last: int, changes: list[Change]) -> None:
    """Advance to a tick; what changes until then is taken from the end of the list."""
    while changes and changes[-1].tick < last:
        change = changes.pop()
        batch.advance(change.tick - batch.tick)
        change.made(batch, log)
    batch.advance(last - batch.tick)


def results(found: Sequence[Scenario], flown: Flown, in_python: bool = False) -> Columns:
    """Return the columns of columns.results_of flights; in_python: as there."""
    known = flown.merits._asdict() | _inside(found, flown)
    if flown.logged:
        known = flown.logged._asdict() | known
        craft = found[0].plant.spacecraft
        if craft.coupled or craft.part('reaction_wheels'):  # what only a wrench gives is not all
            known['largest_torque'] = flown.logged.largest_torque
    result = {name: known[name] for name in merits_of(found[0], in_python)}
    result |= dict(zip(STATE_COLUMNS, flown.states.T, strict=True))
    result |= dict(zip(DIRECTION_COLUMNS, _directions_B(flown.states), strict=True))
    _blank(result, flown.lost)
    return result


def _inside(found: Sequence[Scenario], flown: Flown) -> Columns:
    """Return the results that come from the final states of actuators."""
    craft, states = found[0].plant.spacecraft, flown.internal
    if not craft.coupled:
        return _of_ideal_wheels(found, flown) if craft.part('reaction_wheels') else {}
    layout = craft.layout
    book = states[:, layout.of('book')]
    result = {
        'motor_work': book[:, BOOK.at('motors')].copy(),
        'friction_heat': book[:, BOOK.at('heat')].copy(),
    }
    if craft.part('thrusters'):
        own = states[:, layout.of('thrusters')].reshape(len(states), -1, THRUSTER_STATE.size)
        # One after the other, so that a run has the same bits in any chunk.
        for name, key in (('propellant', 'used'), ('thruster_pulses', 'pulses')):
            each = own[:, :, THRUSTER_STATE.at(key)].T
            result[name] = np.array(sum(each[1:], each[0]))
    return result


def _of_ideal_wheels(found: Sequence[Scenario], flown: Flown) -> Columns:
    speeds, momenta = np.zeros(len(found)), np.zeros(len(found))
    for n in np.flatnonzero(~flown.lost).tolist():
        craft = found[n].plant.spacecraft
        wheels = craft.part('reaction_wheels')
        internal = flown.internal[n, : wheels.states]
        own = craft.wheel_speeds(from_flat(np.concatenate((flown.states[n], internal))))
        speeds[n] = np.abs(own).max()
        momenta[n] = np.linalg.norm((own * wheels.inertias) @ wheels.axes_B)
    return {'final_wheel_speed': speeds, 'final_wheel_momentum': momenta}


def _together(found: Scenario, asked: Asked) -> int:
    """Return how many runs are advanced together if all their instants are kept.

    Raises CampaignError if a single one needs too much memory.
    """
    from spacecraft_attitude_sim.core.batch.flight_log import width_of

    ticks = found.plant.ticks.covering(asked.duration)
    size = 8 * width_of(found.plant) * (ticks + 1)
    if size > 8 * MOST_KEPT:
        raise CampaignError(
            f'own merits see every instant of a run: {ticks} ticks take {size / 2**30:.1f} GiB; '
            'give a shorter duration or a lower tick_rate'
        )
    return max(1, MOST_KEPT // size)


def _directions_B(states: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return L / |L| in body axes, (3, N), of flat states (N, 13); NaN where L is 0.

    Element by element in one order, so that a run has the same bits in any chunk.
    """
    w, x, y, z = states.T[3:7]
    a, b, c = states.T[10:]
    found = np.array((
        (1.0 - 2.0 * (y * y + z * z)) * a + 2.0 * (x * y + w * z) * b + 2.0 * (x * z - w * y) * c,
        2.0 * (x * y - w * z) * a + (1.0 - 2.0 * (x * x + z * z)) * b + 2.0 * (y * z + w * x) * c,
        2.0 * (x * z + w * y) * a + 2.0 * (y * z - w * x) * b + (1.0 - 2.0 * (x * x + y * y)) * c,
    ))  # fmt: skip
    size = np.sqrt(a * a + b * b + c * c)
    size[size == 0.0] = np.nan
    return found / size


def _blank(columns: Columns, lost: NDArray[np.bool_]) -> None:
    """Write NaN, and -1 flips, for runs that could not be computed to the end."""
    for name, values in columns.items():
        values[lost] = -1 if name == 'flips' else np.nan


def flies_in_python(campaign: Campaign) -> bool:
    """Return whether controllers in Python fly a spacecraft of a campaign, in processes."""
    if campaign.make:
        return True
    try:
        for base in campaign.bases.values():
            if base.controller:
                driven_by(base)
            elif _has_faults(base):
                return True
    except NotCompiledError:
        return True
    return False


def _split(name: str, values: NDArray[Any]) -> Columns:
    if values.ndim == 1:
        return {name: values}
    return {f'{name}[{k}]': values[:, k] for k in range(values.shape[1])}
