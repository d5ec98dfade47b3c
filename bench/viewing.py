# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Tick at 32 Hz alone, with a viewer, and with a stopped viewer; print the cost.

python bench/viewing.py [SECONDS] [ROUNDS]

Rounds are interleaved, so that each sees the same machine. Columns are CPU of the simulator [%],
jitter of its ticks p50 and p99 [ms], and memory [MB]: medians over the rounds, with the range.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import node
import numpy as np

TICKING = Path(__file__).with_name('ticking.py')
KINDS = ('alone', 'viewed', 'viewer stopped')
SETTLE = 3.0


def main():
    """Run the rounds and print a table."""
    seconds = sys.argv[1] if len(sys.argv) > 1 else '20'
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    found = {kind: [] for kind in KINDS}
    for _ in range(rounds):
        for kind in KINDS:
            with contextlib.nullcontext() if kind == 'alone' else viewer(kind):
                found[kind].append(cost(seconds))
    print(f'{"":15} CPU [%], jitter p50 and p99 [ms], memory [MB]')
    for kind, rows in found.items():
        low, middle, high = np.percentile(rows, (0, 50, 100), axis=0)
        cells = [f'{m:.1f} ({a:.1f}…{b:.1f})' for a, m, b in zip(low, middle, high, strict=True)]
        print(f'{kind:15}', '  '.join(cells))


def cost(seconds):
    """Return CPU [%], jitter p50 and p99 [ms] and memory [MB] of a simulator."""
    command = [sys.executable, TICKING, 'simulator', '--seconds', seconds]
    pipes = {'stdin': subprocess.PIPE, 'stdout': subprocess.PIPE, 'text': True}
    with subprocess.Popen(command, **pipes) as child:
        said = json.loads(node.answers([child])[0])
    late = [node.jitter([said], 'ends', percentile) for percentile in (50, 99)]
    return said['cpu'], *late, said['memory']


@contextlib.contextmanager
def viewer(kind):
    """Run a viewer during the block."""
    command = [sys.executable, '-m', 'spacecraft_attitude_sim.cli', 'view', '--no-browser']
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert 'open http' in child.stdout.readline()
            if kind == 'viewer stopped':
                time.sleep(SETTLE)
                child.send_signal(signal.SIGSTOP)
            yield
        finally:
            child.send_signal(signal.SIGCONT)
            child.terminate()


if __name__ == '__main__':
    main()
