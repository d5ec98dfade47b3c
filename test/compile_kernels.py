# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles what most tests need, once, in two processes; what is compiled already costs nothing.

    python test/compile_kernels.py [COMMAND …]    runs a command meanwhile; if it fails, all ends

Without it every worker of pytest compiles the same, at the same time, while its tests wait.
"""

import functools
import multiprocessing
import subprocess
import sys
import time

import bits

from spacecraft_attitude_sim import core
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.batch import craft_lanes
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.equations.shared import free_motion
from spacecraft_attitude_sim.core.spacecraft import internal_telemetry
from spacecraft_attitude_sim.flight.flight import Flight
from spacecraft_attitude_sim.kernels import collection

PROCESSES = 2
# Craft for which tests fly a loop of their own, by what they have more than others.
MIXTURES = (
    ('pushed',), ('held',), ('magnets', 'pushed', 'held', 'delayed', 'borne'),
    ('pushed', 'borne', 'tilted'),
)  # fmt: skip
# The one with the most; craft of tests that need less may fly by one of these, too
# (conftest.rare_loops_shared).
SHARED = max(MIXTURES, key=len)
# What `estimate` does, and after so many ticks compiled code has taken readings.
ESTIMATOR, TICKS = 'estimator', 4
# Shipped craft, to be flown and asked, and cases of bits.py. A process takes the next line when it
# is done with one, the longest first. What lines next to each other call is not the same, so none
# is compiled twice.
PIECES = (
    ('cubesat_pyramid_limits', 'fast_tumbler', 'loop/cubesat_3u_leo', 'campaign/cubesat_3u_leo',
     ESTIMATOR),
    ('csswe', 'cubesat_panels'),
    tuple(f'equations/{name}/free' for name in bits.SOLVED),
    ('run/backspin/shipped', 'run/superellipsoid_rolling/shipped', 'batch/bouncing_ellipsoid'),
    ('dual_spin',),
    ('station_cmg',),
    ('cubesat_pyramid', 'run/wheels_take_over/shipped'),
    ('commands', 'trajectory/tennis_racket', 'batch/cubesat_detumble'),
)  # fmt: skip


def main(command):
    """Do all pieces in two processes, a command beside them; a command that fails ends them."""
    print('compiling what the tests need: minutes the first time on this machine', flush=True)
    started = time.monotonic()
    beside = subprocess.Popen(command) if command else None
    # Here, before the forks: what all loops over lanes call is then made ready once.
    craft_lanes.run_beside.dispatcher  # noqa: B018
    # Forks import nothing of what the command may be installing meanwhile.
    forks = multiprocessing.get_context('fork')
    given = pieces(), forks.Value('i')
    processes = [forks.Process(target=work, args=given, daemon=True) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    if beside and (status := beside.wait()):
        return status  # Python ends the processes, which are daemons
    for process in processes:
        process.join()
    print(f'compiled in {time.monotonic() - started:.0f} s', flush=True)
    return any(process.exitcode for process in processes)


def work(todo, begun):
    """Call the functions of a list that no other process has begun; begun: their number."""
    while True:
        with begun.get_lock():
            number = begun.value
            begun.value += 1
        if number >= len(todo):
            return
        todo[number]()


def pieces():
    """Return functions that compile: long loops, those over lanes above all, then PIECES."""
    cases = {**bits.cases(), ESTIMATOR: estimate}
    kernels = [*collection.of_one_signature(core), *map(craft_lanes.loop_with, MIXTURES)][::-1]
    kernels = sorted(kernels, key=lambda one: (not one.options.get('widest'), not one.loops))
    alone = [functools.partial(getattr, one, 'dispatcher') for one in kernels]
    return alone + [functools.partial(do, piece, cases) for piece in PIECES]


def do(piece, cases):
    """Do cases of bits.py, and fly and ask what is none."""
    for name in piece:
        cases.get(name, functools.partial(ask, name))()


def estimate():
    """Fly until compiled code has taken readings for an attitude_estimator."""
    flight = Flight(scenario.load(scenario.find('cubesat_3u_mission')))
    for _ in range(TICKS):
        flight.step()


def ask(name):
    """Fly a shipped scenario, and call what its reports, messages and nodes ask."""
    bits.run(name)
    loaded = scenario.load(scenario.find(name))
    state, craft = loaded.first_instant().state, loaded.plant.spacecraft
    simulation.substeps_in(loaded.plant, state)
    craft.kinetic_energies(state)
    if craft.internal:
        internal_telemetry.motions(craft, state)
    # The exact motion, which tests of five files compare with.
    constants = free_motion.prepare(to_flat(state), loaded.plant.body.flat())
    free_motion.evaluate(constants, 0.0)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
