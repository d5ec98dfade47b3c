# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Measure how fast whole missions fly, with all their sensors and the shipped controller.

    .venv/bin/python bench/days.py [SCENARIO ...]

Each flies its whole duration in one compiled loop, once with the sub-steps that its file or its
rates ask for, and once for each accuracy. Times are processor times, the faster of two rounds in
which all take turns. `apart` is the largest difference in attitude, in the first hour, from the
same flight with 64 sub-steps in each tick; later a tumble magnifies every difference.
"""

import sys
import time

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.api import compiled_flight
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.flight.flight import OWN

SCENARIOS = ('cubesat_3u_leo', 'csswe')
CHOICES = {
    'as it is': {},
    'accuracy 1e-9': {'substeps': 0, 'accuracy': 1e-9},
    'accuracy 1e-7': {'substeps': 0, 'accuracy': 1e-7},
    '64 sub-steps': {'substeps': 64},
}
ROUNDS, HOUR = 2, 3600.0


def flown(name, given):
    """Return the attitudes (n, 4) of a scenario's whole flight, and its processor time [s]."""
    craft = sas.Simulation(name, **given)
    ticks = round(craft.scenario.parameters['duration'] / craft.scenario.plant.ticks.step)
    begun = time.process_time()
    whole = compiled_flight.flown(craft.scenario, craft.instant, OWN, ticks, lambda reached: None)
    spent = time.process_time() - begun
    if whole is None:
        sys.exit(f'{name}: has thrusters, a floor, no parts, or too few ticks for a compiled loop')
    return whole.rows[:, whole.layout.of('state')][:, 3:7], spent


def main():
    """Print a table for each scenario."""
    for name in sys.argv[1:] or SCENARIOS:
        duration = sas.load(name).parameters['duration']
        times, attitudes = {choice: [] for choice in CHOICES}, {}
        for _ in range(ROUNDS):
            for choice, given in CHOICES.items():
                attitudes[choice], spent = flown(name, given)
                times[choice].append(spent)
        fine = attitudes['64 sub-steps']
        seen = round(HOUR * len(fine) / duration)
        print(f'\n{name}: {duration:g} s in {len(fine)} ticks')
        for choice, spent in times.items():
            apart = rotations.angle_between(attitudes[choice][:seen], fine[:seen]).max()
            print(
                f'  {choice:14} {min(spent) / len(fine) * 1e6:7.2f} us a tick, '
                f'{duration / min(spent):8.0f} x real time, {apart:.1e} rad apart'
            )


if __name__ == '__main__':
    main()
