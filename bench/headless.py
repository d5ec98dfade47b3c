# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Measure what Python adds to the compiled tick of a spacecraft.

    .venv/bin/python bench/headless.py [SCENARIO ...]

Processor time of a tick, the fastest of rounds in which all take turns: the kernel alone,
`core.simulation.trajectory`, `core.simulation.step` once a tick, `sas.Simulation` with all
sensors, without a controller, and the same as `sas.simulate` flies it in a compiled loop.
"""

import sys
import time

import numpy as np

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.api import compiled_flight
from spacecraft_attitude_sim.core import equations as registry
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.actuators import Inputs
from spacecraft_attitude_sim.core.body.state import SIZE, to_flat
from spacecraft_attitude_sim.core.equations import loaded
from spacecraft_attitude_sim.core.parts.craft import END
from spacecraft_attitude_sim.core.simulation.limits import followed_rate
from spacecraft_attitude_sim.core.simulation.loaded import Loaded
from spacecraft_attitude_sim.core.simulation.solver import Free

SCENARIOS = (
    'cubesat_pointing', 'cubesat_pyramid', 'cubesat_pyramid_limits', 'cubesat_3u_leo', 'csswe',
    'thruster_limit_cycle', 'station_cmg',
)  # fmt: skip
TICKS, ROUNDS = 1000, 15
NAMES = 'kernel', 'trajectory', 'step', 'Simulation', 'compiled'


def contenders(name):
    """Return functions without arguments that simulate TICKS ticks of a scenario.

    They are those of NAMES; thrusters, and bodies without an orbit or actuators with states, have
    no compiled flight.
    """
    craft = sas.Simulation(name, controller=None)
    plant, state, first = craft.scenario.plant, craft.scenario.initial, craft.instant
    kernel = kernel_of(plant, state)

    def step():
        now = state
        for tick in range(TICKS):
            now = simulation.step(plant, now, elapsed=tick)

    def flight():
        craft.reset()
        craft.advance(TICKS * plant.ticks.step)

    def compiled():
        compiled_flight.batch_of(craft.scenario, first, commanded=False).followed(TICKS)

    def trajectory():
        simulation.trajectory(plant, state, TICKS)

    every = [kernel, trajectory, step, flight, compiled]
    simple = not plant.spacecraft.coupled or plant.spacecraft.part('thrusters')
    return every[:-1] if simple else every


def kernel_of(plant, state):
    """Return a function that simulates TICKS ticks in one call of compiled code."""
    parts, solver, ticks = plant.spacecraft, plant.solver, plant.ticks
    begin, wrench, substeps = to_flat(state), np.zeros(12), solver.substeps
    if isinstance(solver, Free):
        loop, body = registry.load(solver.equations).trajectory, parts.body.flat()
        return lambda: loop(begin, body, wrench, ticks.step, substeps, TICKS)
    if isinstance(solver, Loaded):
        known = solver._of(plant)
        rows = np.zeros((TICKS + 1) * known.size)
        rows[: known.size] = begin
        return lambda: loaded.trajectory(
            rows, known.nothing, wrench, known.constants, TICKS, 0, ticks.tick_ns
        )
    skies = plant.environment.skies(solver.sky, range(TICKS), ticks.tick_ns)
    width = SIZE + len(state.internal) + END.size + parts.places['thrusters'].number
    rows, asked = np.empty(TICKS * width), parts.commands(Inputs())
    return lambda: parts.kernels.advance(
        begin, rows, solver.parts, asked, wrench, skies, TICKS, 0, ticks.tick_ns, substeps,
        followed_rate(plant),
    )  # fmt: skip


def main():
    """Print a row for each scenario."""
    print(f'{"us a tick; times the kernel":28}' + ''.join(f'{name:>18}' for name in NAMES))
    for name in sys.argv[1:] or SCENARIOS:
        functions = contenders(name)
        best = [np.inf] * len(functions)
        for _ in range(ROUNDS):
            for k, function in enumerate(functions):
                begun = time.process_time()
                function()
                best[k] = min(best[k], (time.process_time() - begun) / TICKS * 1e6)
        print(f'{name:28}' + ''.join(f'{one:10.2f}{one / best[0]:8.2f}' for one in best))


if __name__ == '__main__':
    main()
