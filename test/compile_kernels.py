# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles what most tests need, once, in two processes; what is compiled already costs nothing.

    python test/compile_kernels.py [COMMAND …]    runs a command meanwhile; if it fails, all ends

Without it every worker of pytest compiles the same, at the same time, while its tests wait.
"""

import multiprocessing
import subprocess
import sys
import time

import bits

from spacecraft_attitude_sim import core
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import simulation
from spacecraft_attitude_sim.core.body.state import to_flat
from spacecraft_attitude_sim.core.equations.shared import free_motion
from spacecraft_attitude_sim.kernels import collection

# Of bits.py, what calls a kernel that no other case calls. The batch on a floor takes as long as
# all parts, so what is on no floor is among the parts.
FLOOR = ('run/backspin/shipped', 'run/superellipsoid_rolling/shipped', 'batch/bouncing_ellipsoid')
PARTS = (
    'commands', 'run/csswe/shipped', 'run/cubesat_3u_leo/shipped', 'loop/cubesat_3u_leo',
    'campaign/cubesat_3u_leo', 'batch/cubesat_detumble', 'run/cubesat_pyramid/shipped',
    'run/wheels_take_over/shipped', 'trajectory/tennis_racket',
)  # fmt: skip
EQUATIONS = tuple(f'equations/{name}/free' for name in bits.SOLVED)
# Of about the same length.
JOBS = {'floor': FLOOR + EQUATIONS, 'parts': PARTS}
# One for each solver, to be asked for its sub-steps as reports and nodes do.
ASKED = ('cubesat_pyramid', 'cubesat_pyramid_limits', 'cubesat_panels', 'fast_tumbler')


def main(command):
    """Do all jobs side by side, and a command beside them; a command that fails ends them."""
    print('compiling what the tests need: two minutes the first time on this machine', flush=True)
    started = time.monotonic()
    # Forks import nothing of what the command may be installing meanwhile.
    forks = multiprocessing.get_context('fork')
    jobs = [forks.Process(target=do, args=(name,), daemon=True) for name in JOBS]
    for job in jobs:
        job.start()
    if command and (status := subprocess.run(command, check=False).returncode):
        return status  # Python ends the jobs, which are daemons
    for job in jobs:
        job.join()
    print(f'compiled in {time.monotonic() - started:.0f} s', flush=True)
    return any(job.exitcode for job in jobs)


def do(name):
    """Compile what has one signature, then what is called by some cases."""
    for kernel in collection.of_one_signature(core):
        if ('.contact' in kernel.__module__) == (name == 'floor'):
            kernel.dispatcher  # noqa: B018 (is compiled when asked for)
    cases = bits.cases()
    for case in JOBS[name]:
        cases[case]()
    for craft in ASKED if name == 'parts' else ():
        loaded = scenario.load(scenario.find(craft))
        first = loaded.first_instant().state
        simulation.substeps_in(loaded.plant, first)
        # The exact motion, which tests of five files compare with.
        constants = free_motion.prepare(to_flat(first), loaded.plant.body.flat())
        free_motion.evaluate(constants, 0.0)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
