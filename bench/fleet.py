# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Print what a tick of shipped spacecraft takes alone, and as one of many equal ones in a Batch.

    .venv/bin/python bench/fleet.py [ROUNDS]

Processor time on one thread; the fastest of rounds in which all take turns. Alone is
core.simulation.trajectory, one compiled call without sensors. In a Batch they fly side by side,
first without sensors, then with all that the spacecraft has. No controller commands anything.
"""

import os
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.batch.batch import Batch
from spacecraft_attitude_sim.flight import side_by_side

CRAFT = 256
# Ticks of a call, alone and in a Batch; its rounds come as far as one call alone.
ALONE, TICKS = 416, 32
# {row: (name of a scenario, parameters that are changed)}
LIMITS = 'cubesat_pyramid_limits'
ROWS = {
    LIMITS: (LIMITS, {}),
    '… a wheel at its largest speed': (LIMITS, {'wheel.w1.initial_speed': 627.615}),
    '… a wheel that friction holds': (
        LIMITS,
        {'wheel.w4.initial_speed': 0.0, 'wheel.w4.torque': 0.0, 'wheel.w4.friction.static': 0.001},
    ),
    '… commands that act 0.1 s later': (
        LIMITS, {f'wheel.w{k}.dead_time': 0.1 for k in range(1, 5)},
    ),
    '… unbalanced wheels': (LIMITS, {f'wheel.w{k}.imbalance.static': 1e-6 for k in range(1, 5)}),
    **{
        name: (name, {}) for name in (
            'cubesat_3u_leo', 'csswe', 'thruster_limit_cycle', 'air_bearing_wheels', 'station_cmg',
            'dual_spin', 'spinner_damper', 'lewis', 'flat_spin', 'cubesat_panels',
        )
    },
}  # fmt: skip


class Row(NamedTuple):
    """Functions that simulate a craft for ALONE ticks, and CRAFT of them for TICKS ticks."""

    alone: Callable[[], object]
    beside: Callable[[], object]
    reading: Callable[[], object]


def main():
    """Print a row for each spacecraft."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    rows = {label: row_of(*given) for label, given in ROWS.items()}
    least = {label: [np.inf] * len(Row._fields) for label in rows}
    for _ in range(rounds + 1):
        for label, row in rows.items():
            for k, call in enumerate(row):
                begun = time.process_time()
                call()
                least[label][k] = min(least[label][k], time.process_time() - begun)
    print(f'One tick of one craft [ns of processor time]; load {os.getloadavg()[0]:.1f}')
    print(f'  {"":36}{"alone":>10}{"beside":>10}{"ratio":>8}{"with sensors":>14}')
    for label, times in least.items():
        alone = 1e9 * times[0] / ALONE
        beside, reading = (1e9 * one / (TICKS * CRAFT) for one in times[1:])
        print(f'  {label:36}{alone:10.0f}{beside:10.0f}{alone / beside:8.1f}{reading:14.0f}')


def row_of(name, changed):
    """Return the Row of a scenario with changed parameters."""
    given = scenario.read(scenario.find(name))['simulator']
    given = {key: value for key, value in given.items() if not key.startswith('lockstep')}
    found = scenario.build(given | changed, name)
    several = [found] * CRAFT
    beside, reading = (
        Batch(**side_by_side.arguments_of(several, reads=reads), threads=1)
        for reads in (False, True)
    )
    return Row(
        lambda: simulation.trajectory(found.plant, found.initial, ALONE),
        lambda: beside.advance(TICKS),
        lambda: reading.advance(TICKS),
    )


if __name__ == '__main__':
    main()
