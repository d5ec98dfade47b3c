# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Compare the speed of the exact step with Basilisk's RK4 on the T-handle.

`pip install -c constraints.txt bsk`, then `python bench/basilisk.py [rounds]`. Steps are 1/32 s.
It takes the fastest of interleaved rounds, which other work disturbs least; trust only the ratios.
"""

import sys
import time

import numpy as np

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import equations, simulation
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.equations.shared import free_motion
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import TICK_SECONDS

# Steps of each contender in a round: 10 ms or more.
STEPS = 100_000
SLOW_STEPS = 1_000
JUDGED_STEPS = 320


class RivalBody:
    """A free rigid body in Basilisk: RK4 on MRPs, with its executive and messages in C++."""

    INTEGRATOR = 'svIntegratorRK4'
    STEP = TICK_SECONDS

    def __init__(self, body, omega_B):
        from Basilisk.simulation import spacecraft, svIntegrators
        from Basilisk.utilities import SimulationBaseClass

        self._simulation = SimulationBaseClass.SimBaseClass()
        process = self._simulation.CreateNewProcess('process')
        process.addTask(self._simulation.CreateNewTask('task', round(self.STEP * 1e9)))
        self._craft = spacecraft.Spacecraft()
        self._craft.hub.mHub = body.mass
        self._craft.hub.r_BcB_B = [[0.0], [0.0], [0.0]]
        self._craft.hub.IHubPntBc_B = body.inertia.tolist()
        self._craft.hub.omega_BN_BInit = [[rate] for rate in omega_B]
        self._craft.hub.sigma_BNInit = [[0.0], [0.0], [0.0]]
        self._integrator = getattr(svIntegrators, self.INTEGRATOR)(self._craft)
        self._craft.setIntegrator(self._integrator)
        self._models = (self._craft, *self.equip(self._craft))
        for model in self._models:
            self._simulation.AddModelToTask('task', model)
        self._simulation.InitializeSimulation()
        self._step = 0

    def equip(self, craft):
        """Add parts to a Basilisk Spacecraft besides its hub; return the modules to call."""
        return ()

    def advance(self, steps):
        """Take `steps` steps of STEP."""
        self._step += steps
        self._simulation.ConfigureStopTime(round(self._step * self.STEP * 1e9))
        self._simulation.ExecuteSimulation()

    def attitude(self):
        """Return q_WB (4,) from the modified Rodrigues parameters."""
        sigma = np.array(self._craft.scStateOutMsg.read().sigma_BN)
        square = sigma @ sigma
        return np.concatenate(([1.0 - square], 2.0 * sigma)) / (1.0 + square)


def contenders(found, rival):
    """Return {name: (function of a number of steps, number of steps)}."""
    plant = found.plant.with_substeps(1)
    flat, body = to_flat(found.initial), plant.body.flat()
    constants = free_motion.prepare(flat, body)
    times = np.arange(STEPS) * TICK_SECONDS

    def steps_of(name):
        module = equations.load(name)
        return lambda steps: module.trajectory(flat, body, np.zeros(12), TICK_SECONDS, 1, steps)

    def from_python(steps):
        for _ in range(steps):
            simulation.step(plant, found.initial)

    return {
        'Basilisk RK4': (rival.advance, SLOW_STEPS),
        'exact attitude, evaluated': (
            lambda steps: free_motion.evaluate_many(constants, times[:steps]), STEPS
        ),
        'exact_kick4, state to state': (steps_of('exact_kick4'), STEPS // 10),
        'body_momentum, 1 step': (steps_of('body_momentum'), STEPS // 10),
        'momentum RK4, 1 step': (steps_of('momentum'), STEPS // 10),
        'momentum RK4, 1 step, called from Python': (from_python, SLOW_STEPS),
    }  # fmt: skip


def measured(rounds, functions):
    """Return {name: least ns per step} over interleaved rounds, after one warm-up round."""
    samples = {name: [] for name in functions}
    for number in range(rounds + 1):
        for name, (function, steps) in functions.items():
            start = time.perf_counter()
            function(steps)
            if number:
                samples[name].append((time.perf_counter() - start) / steps * 1e9)
    return {name: min(values) for name, values in samples.items()}


def print_speed(rounds):
    """Print the table, or why it is missing."""
    try:
        import Basilisk
    except ImportError:
        print('\nBasilisk is not installed (pip install bsk): nothing to compare with')
        return
    found = scenario.load(scenario.find('tennis_racket'))
    omega_B = found.parameters['initial.angular_velocity']
    rival = RivalBody(found.plant.body, omega_B)
    rival.advance(JUDGED_STEPS)
    constants = free_motion.prepare(to_flat(found.initial), found.plant.body.flat())
    exact = free_motion.evaluate(constants, JUDGED_STEPS * TICK_SECONDS)
    print(f'\nBasilisk {Basilisk.__version__}, steps of 1/32 s, fastest of {rounds} rounds')
    print(f'its error at 10 s: {rotations.angle_between(rival.attitude(), exact):.1e} rad')
    times = measured(rounds, contenders(found, rival))
    for name, value in times.items():
        ratio = times['Basilisk RK4'] / value
        print(f'  {name:42} {value:9.1f} ns   {ratio:7.1f} x the steps per second')


if __name__ == '__main__':
    print_speed(int(sys.argv[1]) if len(sys.argv) > 1 else 25)
