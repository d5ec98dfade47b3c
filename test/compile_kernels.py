# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles what most tests need, once, in two processes; what is compiled already costs nothing.

    python test/compile_kernels.py

Without it every worker of pytest compiles the same, at the same time, while its tests wait.
"""

import importlib
import pkgutil
import subprocess
import sys
import time

import bits

from spacecraft_attitude_sim import core
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.kernels.kernel import Kernel

# Of bits.py, what calls a kernel that no other case calls.
FLOOR = (
    'run/backspin/shipped', 'run/superellipsoid_rolling/shipped', 'batch/bouncing_ellipsoid',
    'trajectory/tennis_racket', *(f'equations/{name}/free' for name in bits.SOLVED),
)  # fmt: skip
PARTS = (
    'commands', 'run/csswe/shipped', 'run/cubesat_3u_leo/shipped', 'loop/cubesat_3u_leo',
    'campaign/cubesat_3u_leo', 'batch/cubesat_detumble', 'run/cubesat_pyramid/shipped',
    'run/wheels_take_over/shipped',
)  # fmt: skip
JOBS = {'floor': FLOOR, 'parts': PARTS}
# One for each solver, to be asked for its sub-steps as reports and nodes do.
ASKED = ('cubesat_pyramid', 'cubesat_pyramid_limits', 'cubesat_panels', 'fast_tumbler')


def main():
    """Do all jobs side by side, or the one that is named."""
    if len(sys.argv) > 1:
        do(sys.argv[1])
        return 0
    print('compiling what the tests need: two minutes the first time on this machine', flush=True)
    started = time.monotonic()
    jobs = [subprocess.Popen([sys.executable, __file__, name]) for name in JOBS]
    failed = [job.wait() for job in jobs]
    print(f'compiled in {time.monotonic() - started:.0f} s', flush=True)
    return any(failed)


def do(name):
    """Compile what has one signature, then what is called by some cases."""
    for module in pkgutil.walk_packages(core.__path__, f'{core.__name__}.'):
        if ('.contact' in module.name) == (name == 'floor'):
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, Kernel) and value.signature is not None:
                    value.dispatcher  # noqa: B018 (is compiled when asked for)
    cases = bits.cases()
    for case in JOBS[name]:
        cases[case]()
    for craft in ASKED if name == 'parts' else ():
        loaded = scenario.load(scenario.find(craft))
        simulation.substeps_in(loaded.plant, loaded.first_instant().state)


if __name__ == '__main__':
    sys.exit(main())
