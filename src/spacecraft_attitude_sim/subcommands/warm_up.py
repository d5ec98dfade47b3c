# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""`attitude-sim warm-up`: compile in advance what scenarios need."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from typing import Any

from spacecraft_attitude_sim import core
from spacecraft_attitude_sim.configuration import formation, scenario, scenario_file
from spacecraft_attitude_sim.kernels import cache, collection, kernel
from spacecraft_attitude_sim.safety import child, quoting
from spacecraft_attitude_sim.safety.quoting import OneLineError
from spacecraft_attitude_sim.subcommands.checks import no_ros
from spacecraft_attitude_sim.subcommands.parser import subcommand

# Ticks until a reading of each sensor has been computed, and an estimator has taken some.
TICKS = 4
# In place of a scenario, kernels of one signature: the long loops, and the others.
LOOPS, OTHERS = '--loops', '--others'
LABELS = {LOOPS: 'loops of campaigns', OTHERS: 'sensors, laws, floors'}


def add(commands: Any) -> None:
    """Add the command to the subparsers of `attitude-sim`."""
    warm_up = subcommand(
        commands, 'warm-up', compile_in_advance, 'compile in advance what scenarios need',
        'Compile the code of scenarios and keep it on disk, so that no later run waits for the '
        'compiler. Without a name it compiles the loops of campaigns, batches and environments, '
        'too: one to three minutes, on two processors, once; after an update of the package, only '
        'what it changed. What is compiled already takes some seconds.',
    )  # fmt: skip
    warm_up.value(
        'scenarios', 'SCENARIO',
        'name of a shipped scenario, or path of a scenario file; default: all shipped scenarios',
        nargs='*',
    )  # fmt: skip
    warm_up.add_trust()


def compile_in_advance(options: Any, ros_arguments: list[str]) -> int:
    """Compile in two processes, bodies on a floor in one of them; return the exit status."""
    no_ros(ros_arguments)
    if not cache.usable(kernel.cache_directory()):  # it has said why
        return 1
    names = options.scenarios or [*scenario_file.shipped(), *scenario_file.shipped_formations()]
    begun = time.monotonic()
    groups: dict[bool, list[str]] = {}
    for name in dict.fromkeys(names):
        touches = any('contact' in one.sections for one in _members(name))
        groups.setdefault(touches, []).append(name)
    if not options.scenarios:  # with scenarios on a floor there is less to compile
        groups[True].append(LOOPS)
        groups[False].append(OTHERS)
    count = len(set(names))
    print(f'compiling for {count} scenario{"s" if count > 1 else ""}', flush=True)
    processes: list[Any] = []
    try:
        for group in groups.values():
            # Ctrl-C ends this process, and that ends them, wherever they are.
            command = child.command(__name__, compile_named.__name__, *group)
            processes.append(child.start(command, apart=True))
        statuses = [process.wait() for process in processes]
    finally:
        for process in processes:
            process.terminate()
    for status, group in zip(statuses, groups.values(), strict=True):
        if status not in (0, 1):  # else it has said itself what is wrong
            labels = ', '.join(LABELS.get(name, name) for name in group)
            how = f'by signal {-status}' if status < 0 else f'with status {status}'
            _tell(f'a process ended {how}; see whether it took all memory: {labels}')
    if not any(statuses):
        print(f'ready after {time.monotonic() - begun:.0f} s', flush=True)
    return int(any(statuses))


def _tell(problem: str) -> None:
    """Print on one line what is wrong."""
    print(f'attitude-sim: {quoting.cut(problem)}', file=sys.stderr, flush=True)


def _members(name: str) -> Iterable[Any]:
    """Return the spacecraft of a scenario or formation."""
    return formation.agreed(formation.complete([scenario_file.find(name)]))


def compile_named() -> None:
    """Compile what the scenarios in the arguments need, as a process of its own."""
    failed = False
    for name in sys.argv[1:]:
        begun, unsaved = time.monotonic(), len(cache.save_errors)
        label = LABELS.get(name, name)
        try:
            _compile(name)
        except OneLineError as error:
            failed = True
            _tell(f'{label}: {error}')
        except Exception as error:  # whatever a function of the user raises  # noqa: BLE001
            failed = True
            _tell(f'{label}: {type(error).__name__}: {error}')
        else:
            if count := len(cache.save_errors) - unsaved:
                failed = True
                _tell(f'{label}: the code of {count} functions could not be saved')
            else:
                print(f'  {label:28} {time.monotonic() - begun:6.1f} s', flush=True)
    assert kernel.begun or failed
    sys.exit(int(failed))


def _compile(name: str) -> None:
    """Compile what a scenario or formation needs, or LOOPS, or OTHERS."""
    if name in LABELS:
        kernels = collection.of_one_signature(core)
        # The last ones first: the other process needs the first of them for its scenarios.
        for one in reversed([one for one in kernels if one.loops == (name == LOOPS)]):
            one.dispatcher  # noqa: B018 (is compiled when asked for)
        return
    for member in _members(name):
        _fly(scenario.of_sections(member.sections, member.source))


def _fly(loaded: Any) -> None:
    """Call all that a run, its messages, its diagnostics and its summary call, and `simulate`."""
    from spacecraft_attitude_sim.api import compiled_flight
    from spacecraft_attitude_sim.core import simulation
    from spacecraft_attitude_sim.core.spacecraft import internal_telemetry
    from spacecraft_attitude_sim.flight.flight import Flight
    from spacecraft_attitude_sim.flight.onboard import OnboardController
    from spacecraft_attitude_sim.flight.onboard_guidance import OnboardGuidance

    first, plant = loaded.first_instant(), loaded.plant  # a Flight computes it in Python
    flight = Flight(loaded)
    for _ in range(TICKS):
        flight.step()
    flight.readings.wheel_speed  # noqa: B018 (is computed when asked for)
    if not plant.contact:
        simulation.substeps_in(plant, first.state)
    plant.spacecraft.kinetic_energies(first.state)
    if plant.spacecraft.internal:
        internal_telemetry.motions(plant.spacecraft, first.state)
    if loaded.controller:
        OnboardController(loaded).prepare(first)
    if loaded.guidance:
        OnboardGuidance(loaded).guidance.status(0.0)
    if plant.ticks.covering(loaded.parameters['duration']) >= compiled_flight.LONG:
        commanded = loaded.controller is not None
        if batch := compiled_flight.batch_of(loaded, first, commanded=commanded):
            batch.followed(TICKS)
