# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Measure the CPU of a node at 32 Hz: a spacecraft in orbit with everything on, and a free body.

    .venv/bin/python bench/orbiting.py [--rounds N] [--seconds S]

Both are processes of `attitude-sim run` in real time, in turn, without markers and controller. It
reads their CPU time from the operating system after compiled code is loaded. "Everything" is
wheels, magnetorquers, a residual dipole, plates, field, air, sunlight and all sensors. The caches
must be warm: run each contender for a minute before.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMAND = Path(sys.executable).with_name('attitude-sim')
# Imports, and the change to compiled code [s].
STARTING = 12.0
WING = 'surface.wing'
EVERYTHING = (
    'tick_rate:=32.0', 'lockstep:=false', 'surfaces:=[wing]', f'{WING}.area:=0.15',
    f'{WING}.center:=[0.055, 0.0, 0.02]', f'{WING}.both_sides:=true',
    'horizon_sensor.enabled:=true',
)  # fmt: skip
CONTENDERS = {
    'tennis_racket': ('tennis_racket', (), False),
    'cubesat_3u_leo, everything': ('cubesat_3u_leo', EVERYTHING, False),
    'tennis_racket, recorded': ('tennis_racket', (), True),
    'cubesat_3u_leo, everything, recorded': ('cubesat_3u_leo', EVERYTHING, True),
}


def main():
    """Print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=60.0, help='that are measured of each')
    options = parser.parse_args()
    found = {name: [] for name in CONTENDERS}
    for _ in range(options.rounds):
        for name, contender in CONTENDERS.items():
            found[name].append(cpu_of(*contender, options.seconds))
    print(f'CPU at 32 Hz [% of a core], {options.rounds} rounds; load {os.getloadavg()[0]:.1f}')
    for name, values in found.items():
        rounds = ' '.join(f'{value:.1f}' for value in values)
        print(f'  {name:38}{statistics.median(values):6.1f}   ({rounds})')


def cpu_of(name, given, recorded, seconds):
    """Return the CPU [% of a core] of a run in real time."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [COMMAND, 'run', name, '--rate', '1', '--duration', '0', '--no-markers']
        arguments += ['--record', f'{folder}/bag'] if recorded else []
        arguments += [] if name == 'tennis_racket' else ['--no-controller']
        for one in given:
            arguments += ['-p', one]
        quiet = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}
        child = subprocess.Popen(arguments, **quiet)
        try:
            time.sleep(STARTING)
            before, begun = cpu_seconds(child.pid), time.monotonic()
            time.sleep(seconds)
            return 100.0 * (cpu_seconds(child.pid) - before) / (time.monotonic() - begun)
        finally:
            child.terminate()
            child.wait(60.0)


def cpu_seconds(pid):
    """Return the CPU time of a process so far [s]."""
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


if __name__ == '__main__':
    main()
