# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim run`: run the nodes of a scenario in one process."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacecraft_attitude_sim.api.waiting import saying
from spacecraft_attitude_sim.configuration import formation, scenario, scenario_file
from spacecraft_attitude_sim.drawing import body_looks, rviz
from spacecraft_attitude_sim.kernels import warm_up
from spacecraft_attitude_sim.safety import garbage
from spacecraft_attitude_sim.subcommands.checks import (
    INTERRUPTED,
    NOT_MET,
    CommandError,
    check_port,
    need_lifecycle,
    need_rerun,
    new_file,
)
from spacecraft_attitude_sim.subcommands.given_parameters import parameters_given
from spacecraft_attitude_sim.subcommands.parser import subcommand

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spacecraft_attitude_sim.core.simulation.energy_book import Entries
    from spacecraft_attitude_sim.runs.run import Outcome, Wanted
    from spacecraft_attitude_sim.runs.run_observer import RunObserver
    from spacecraft_attitude_sim.subcommands.parser import Parser

    Members = list[formation.Member]


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    run = subcommand(
        commands, 'run', run_scenario, 'run a scenario',
        'Run the nodes of a scenario in one process. Ctrl-C ends it cleanly, with '
        'everything written.',
        epilog='All arguments after --ros-args go to ROS: remappings, log level, parameter files.',
    )  # fmt: skip
    run.value(
        'scenario', 'SCENARIO',
        'name of a shipped scenario, or path of a scenario file; several fly together in one run, '
        'each in a namespace of its own', nargs='+',
    )  # fmt: skip
    run.value(
        '--namespace', 'NS',
        'fly only the spacecraft with this namespace, for example /sat1, and leave the others of '
        'the scenario to other processes (docs/formation.md); may be repeated',
        action='append', default=[],
    )  # fmt: skip
    _add_time(run)
    _add_files(run)
    run.flag(
        '--no-controller',
        "do not start the scenario's attitude_controller, so that yours takes its place",
    )  # fmt: skip
    run.flag(
        '--estimator',
        'start an attitude_estimator that knows the sensors and the orbit of the scenario; the '
        'attitude_controller then flies on its estimate (docs/estimator.md)',
    )  # fmt: skip
    run.flag(
        '--guidance',
        'start an attitude_guidance that knows the orbit of the scenario; the attitude_controller '
        'then follows its reference (docs/guidance.md)',
    )  # fmt: skip
    run.flag('--no-markers', 'publish no markers for RViz')
    run.add_parameters()
    run.flag('--view', 'show the run in a web page while it goes on; needs the extra "view"')
    run.add_page_options()
    run.add_lifecycle()
    run.add_network()
    run.add_trust()


def _add_time(run: Parser) -> None:
    """Add how long to simulate, and how fast."""
    run.value(
        '--duration', 'S',
        "simulated time [s]; 0 runs until Ctrl-C; default the scenario's duration", float,
    )  # fmt: skip
    run.value(
        '--until', 'CONDITION',
        "end the run when this condition holds, for example 'error < 0.1 and rate < 0.001 for 10 "
        "s' (docs/control.md); write sat1:=CONDITION for one of several spacecraft; exit status "
        f'{NOT_MET} if the duration ends first; may be repeated: then all must hold at once',
        action='append', default=[],
    )  # fmt: skip
    run.value(
        '--rate', 'X',
        "speed relative to real time; 0 is as fast as possible; default the scenario's, mostly 1",
        float,
    )  # fmt: skip


def _add_files(run: Parser) -> None:
    """Add the files that a run writes and reads."""
    run.value(
        '--record', 'DIR', 'record the run in this new folder, as a rosbag2 bag (mcap)', Path
    )
    run.flag('--record-markers', 'record the markers for RViz, too; they make a bag much larger')
    run.value('--csv', 'FILE', 'write a CSV table to this file, one row per tick', Path)
    run.value(
        '--inputs', 'TABLE',
        'follow the commands over time in this CSV file (docs/control.md); write sat1:=TABLE for '
        'one of several spacecraft; may be repeated', action='append', default=[],
    )  # fmt: skip
    run.flag('--overwrite', 'replace a bag or table that has the same name')


def run_scenario(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Run, record and print a summary; return the exit status."""
    warm_up.begin()  # before a surface is checked, which runs a kernel
    with saying('loading the scenario'):
        members = _members_of(options)
    if options.lifecycle:
        return _run_managed(options, members, ros_arguments)
    with garbage.left_alone():
        from spacecraft_attitude_sim.runs.run import Wanted, run
    inputs, until = _inputs_given(options, members), _conditions_given(options, members)
    tables = _tables(options.csv, members)
    for output in (options.record, *tables):
        new_file(output, options.overwrite)
    with contextlib.ExitStack() as stack:
        viewer = _viewer_beside(stack, options, ros_arguments, members) if options.view else None
        wanted = Wanted(
            record=options.record,
            csv=options.csv,
            markers=not options.no_markers,
            controllers=not options.no_controller,
            viewed=bool(viewer),
            inputs=inputs,
            until=until,
        )
        outcome = run(members, ros_arguments, wanted)
        _summarise(outcome, options.record, tables)
        if viewer and not outcome.interrupted:
            _leave_open(viewer)
    return _status(outcome)


def _members_of(options: argparse.Namespace) -> Members:
    """Return the spacecraft of the options, checked; ScenarioError for a mistake."""
    members = formation.complete([scenario_file.find(name) for name in options.scenario])
    # Checked here so that an error names its file; a managed node checks when it is configured.
    for member in members if not options.lifecycle else ():
        body_looks.drawn_parts(scenario.of_sections(member.sections, member.source))
    members = formation.agreed(members, list(_parameters_given(options)))
    if options.estimator:
        members = [
            member._replace(sections=scenario.with_estimator(member.sections, member.source))
            for member in members
        ]
    if options.guidance:
        members = [
            member._replace(sections=scenario.with_guidance(member.sections, member.source))
            for member in members
        ]
    return formation.of_namespaces(rviz.captioned(members), options.namespace)


def _status(outcome: Outcome) -> int:
    """Return the exit status of a run."""
    if outcome.interrupted:
        return INTERRUPTED
    if outcome.problems:
        return 1
    return NOT_MET if outcome.until and not outcome.until.met else 0


def _run_managed(options: argparse.Namespace, members: Members, ros_arguments: list[str]) -> int:
    """Run as a managed node, print a summary per configuration; return the exit status."""
    need_lifecycle()
    if options.view:
        raise CommandError('--view shows a run from its first tick on; leave --lifecycle out')
    from spacecraft_attitude_sim.runs import managed_run
    from spacecraft_attitude_sim.runs.run import Wanted

    inputs, until = _inputs_given(options, members), _conditions_given(options, members)
    outcomes = []

    def wanted_of(number: int) -> Wanted:
        record, csv = _numbered(options.record, number), _numbered(options.csv, number)
        for output in (record, *_tables(csv, members)):
            new_file(output, options.overwrite)
        return Wanted(
            record, csv, not options.no_markers, not options.no_controller, inputs=inputs,
            until=until,
        )  # fmt: skip

    def report(outcome: Outcome, wanted: Wanted) -> None:
        outcomes.append(outcome)
        _summarise(outcome, wanted.record, _tables(wanted.csv, members))

    wanted_of(1)
    managed_run.run(members, ros_arguments, wanted_of, report)
    if any(outcome.problems for outcome in outcomes):
        return 1
    return _status(outcomes[-1]) if outcomes else 0


def _tables(csv: Path | None, members: Members) -> list[Path]:
    """Return the paths of the spacecraft's tables; none if `csv` is None."""
    from spacecraft_attitude_sim.runs.run import table_of

    return [table_of(csv, one, len(members) > 1) for one in members] if csv else []


def _numbered(path: Path | None, number: int) -> Path | None:
    """Return the output path of the first, second … configuration."""
    if path is None or number == 1:
        return path
    return path.with_name(f'{path.stem}_{number}{path.suffix}')


def _viewer_beside(
    stack: contextlib.ExitStack,
    options: argparse.Namespace,
    ros_arguments: list[str],
    members: Members,
) -> Any:
    """Start the viewer in a separate process, which the stack ends; return it."""
    check_port(options.port)
    need_rerun()
    from spacecraft_attitude_sim.viewer import process

    namespaces = [member.namespace for member in members]
    return stack.enter_context(process.beside(options, ros_arguments, namespaces))


def _leave_open(viewer: Any) -> None:
    from spacecraft_attitude_sim.viewer import process

    process.wait(viewer)


def _inputs_given(options: argparse.Namespace, members: Members) -> tuple[tuple[str, Path], ...]:
    """Return (namespace, path) of each table of commands; CommandError if one is wrong."""
    there = [member.namespace for member in members]
    given = [_of_spacecraft('--inputs', text, there) for text in options.inputs]
    for name, path in given:
        if name not in there:
            raise CommandError(f'--inputs {path}: whose is it? {_which("--inputs", there)}')
    return tuple((name, Path(path)) for name, path in given)


def _conditions_given(
    options: argparse.Namespace, members: Members
) -> tuple[tuple[str, str], ...]:
    """Return (namespace, '' for all; text) of each condition that ends the run."""
    there = [member.namespace for member in members]
    return tuple(_of_spacecraft('--until', text, there) for text in options.until)


def _of_spacecraft(option: str, text: str, there: list[str]) -> tuple[str, str]:
    """Return the namespace before := ('' without one) and the rest; there: valid namespaces."""
    namespace, assigned, rest = text.rpartition(':=')
    name = namespace.strip('/')
    if assigned and name not in there:
        raise CommandError(f"{option} '{text}': no spacecraft '{name}'; {_which(option, there)}")
    return name, rest


def _which(option: str, there: list[str]) -> str:
    """Return the text on how to name a spacecraft; there: namespaces."""
    if there == ['']:
        return 'there is one, without a namespace: leave NAME:= out'
    return f'give {option} NAME:=…, NAME one of {", ".join(there)}'


def _parameters_given(options: argparse.Namespace) -> Iterator[tuple[str, str, str, Any]]:
    """Yield (namespace, node, name, value) of each -p option; CommandError if it is wrong."""
    yield from parameters_given(options.parameters)
    if options.duration is not None:
        yield '', 'simulator', 'duration', options.duration
    if options.rate is not None:
        yield '', 'simulator', 'real_time_factor', options.rate
    if options.record_markers:
        yield '', 'recorder', 'markers', True


def _summarise(outcome: Outcome, record: Path | None, tables: list[Path]) -> None:
    simulated = outcome.simulated
    factor = simulated / outcome.wall_seconds if outcome.wall_seconds > 0.0 else 0.0
    name = ', '.join(outcome.observers)
    print(f'{name}: {outcome.ticks} ticks, {simulated:g} s simulated at {factor:.2f} x real time')
    for name, observer in outcome.observers.items():
        if len(outcome.observers) > 1:
            print(name)
        _print_observed(observer)
        if book := outcome.books.get(name):
            _print_book(book)
    if outcome.until:
        print(f'  {"until":16} {outcome.until.text()}')
    for label, output in (('bag', record), *(('table', table) for table in tables)):
        if output:
            print(f'  {label:16} {output}')
    if warm_up.compiling():
        print(f'  {"compiling":16} goes on in the background, for later runs')
    for problem in outcome.problems:
        print(f'attitude-sim: {problem}', file=sys.stderr)
    if record and not outcome.problems:
        which = f' --namespace {name}' if len(outcome.observers) > 1 else ''
        print(f'next: attitude-sim plot {record}{which} --animate', flush=True)


def _print_observed(observer: RunObserver) -> None:
    if merit := observer.response.merit():
        from spacecraft_attitude_sim.drawing import response_report

        print(response_report.text(merit, observer.pointing))
    else:
        _print_motion(observer)
    if observer.log and (merits := observer.log.merits()):
        from spacecraft_attitude_sim.drawing import merit_report

        if said := merit_report.text(merits, brief=True):
            print(said)
    if said := observer.disturbances.text():
        print(f'  environment      {said}')
    if said := observer.faults.text():
        print(f'  faults           {said}')
    for name, text in observer.tally.texts().items():
        print(f'  {name:16} {text}')


def _print_motion(observer: RunObserver) -> None:
    """Print flips, contact and drifts of a body without our controller."""
    drifts, rates = observer.drifts, observer.rates
    if rates.commanded:
        print(rates.text())
    if observer.mode:
        print(f'  contact          {observer.mode} at the end; {observer.impacts} impacts')
    elif not (rates.commanded and rates.settled):  # the spin axis of a body at rest is only noise
        print(f'  flips            {_times(drifts.flips())}')
    word, note = 'drift', 'inertial frame'
    if observer.pushed or drifts.turned:
        word, note = (
            'change',
            'forces or torques acted' if observer.pushed else 'torques of the environment',
        )
    print(f'  {f"{word} of L":16} {drifts.momentum_drift:.1e} (relative; {note})')
    word = 'change' if drifts.acted_on or observer.works_inside else 'drift'
    print(f'  {f"{word} of energy":16} {drifts.energy_drift:.1e} (relative)')


def _print_book(book: Entries) -> None:
    """Print the energy balance since the state was set; book: Entries of an energy book."""
    print(
        f'  energy book      work of motors {book.motors:+.6g} J, of friction {-book.heat:+.6g} '
        f'J, of loads (thrusters, impulses, environment) {book.loads:+.6g} J; change of energy '
        f'{book.gained:+.6g} J, not explained {book.missing:+.1e} J'
    )


def _times(flips: Sequence[float]) -> str:
    """Return the number of flips and their times as text."""
    shown = ', '.join(f'{flip:.2f} s' for flip in flips[:8]) + (' …' if len(flips) > 8 else '')
    return f'{len(flips)} (at {shown})' if len(flips) else '0'
