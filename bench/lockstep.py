# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Measure ticks per second in lockstep with a controller, against a bare node that only echoes.

    .venv/bin/python bench/lockstep.py [--before PYTHON] [--sensors] [--scenario NAME]

Each contender has its own controller: examples/rate_damping.py, or with --sensors one that waits
for three sensors. All run at the same time, but they tick in turns of a third of a second, so that
both see the same machine. Ratios of separate runs mean nothing here, because the host of a virtual
machine can take half of its time for seconds. `bare, events` is plain rclpy on the executor of the
simulator; it publishes the same messages, made once. PYTHON is that of another checkout's .venv.
NAME may be cubesat_3u_leo: wheels, rods, an orbit, eleven sensors.

    .venv/bin/python bench/lockstep.py --estimator [--scenario NAME] [--seconds S] [--rounds N]

This flies a scenario with its controller in one process, as `attitude-sim run` does, without and
with the node of the estimator: S simulated seconds, by turns.
"""

import argparse
import contextlib
import json
import mmap
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from node import DOMAINS, TICKING
from ticking import EVERYBODY, SETTLING_SECONDS

HERE = Path(__file__).resolve().parent
DAMPING = HERE.parent / 'examples' / 'rate_damping.py'
SYNCHRONISED = HERE / 'synchronised.py'
FLY = 'import sys; from spacecraft_attitude_sim.cli import main; sys.exit(main())'
# What a run prints of its ticks, simulated seconds and speed.
TOLD = re.compile(r'(\d+) ticks, ([\d.]+) s simulated at ([\d.]+) x real time')
# Time after each change of turns that is not counted, and length of each first turn [s].
CHANGE, START = 0.05, SETTLING_SECONDS + 3.0


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seconds', type=float, help='of each contender [s]')
    parser.add_argument('--turn', type=float, default=0.3, help='length of a turn [s]')
    parser.add_argument('--before', help='python of another checkout')
    parser.add_argument('--sensors', action='store_true', help='three, and a synchroniser')
    parser.add_argument('--scenario', help='with an IMU')
    parser.add_argument('--estimator', action='store_true', help='what the node of it takes')
    parser.add_argument('--rounds', type=int, default=3, help='by turns, with --estimator')
    options = parser.parse_args()
    if options.estimator:
        options.scenario = options.scenario or 'cubesat_3u_leo'
        print_flown(options)
        return
    options.scenario = options.scenario or 'tennis_racket'
    options.seconds = options.seconds or 20.0
    contenders = {
        'bare, events': ('eventful', sys.executable),
        **({'before': ('simulator', options.before)} if options.before else {}),
        'node': ('simulator', sys.executable),
    }
    taken = taken_by_host()
    rates = measured(contenders, options)
    print('| | ticks per second | of those of the first: all | median of pairs | quartiles |')
    print('|---' * 5 + '|')
    for name, own in zip(contenders, rates, strict=True):
        whole, pairs = own.sum() / rates[0].sum(), own / rates[0]
        low, middle, high = np.percentile(pairs, (25, 50, 75))
        cells = f'{np.median(own):.0f} | {whole:.2f} | {middle:.2f} | {low:.2f} to {high:.2f}'
        print('|', name, '|', cells, '|')
    print(f'The host took {taken_by_host() - taken:.0f} s of the processors meanwhile.')


def measured(contenders, options):
    """Return the ticks per second, (contenders, turns)."""
    turns = max(2, round(options.seconds / options.turn))
    each = turns * (options.turn + CHANGE) + START
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        turn = Path(folder, 'turn')
        turn.write_bytes(bytes((EVERYBODY,)))
        whose = mmap.mmap(stack.enter_context(turn.open('r+b')).fileno(), 1)
        words = ['--sensors'] if options.sensors else []
        words += ['--scenario', options.scenario, '--messages', f'{folder}/messages']
        words += ['--turns', str(turn)]
        subprocess.run([sys.executable, TICKING, 'messages', *words], check=True)
        words += ['--rate', '0', '--lockstep', '--seconds', str(each * len(contenders) + START)]
        companion = SYNCHRONISED if options.sensors else DAMPING
        children = [
            started(stack, kind, python, companion, [*words, '--number', str(number)])
            for number, (kind, python) in enumerate(contenders.values())
        ]
        for number, child in enumerate(children):
            whose[0] = number
            print('begin', file=child.stdin, flush=True)
            time.sleep(START)
        spans = []
        for again in range(turns):
            order = range(len(children))
            for number in order if again % 2 else reversed(order):
                whose[0] = number
                time.sleep(CHANGE)
                begun = time.monotonic_ns()
                time.sleep(options.turn)
                spans.append((number, again, begun, time.monotonic_ns()))
        whose[0] = EVERYBODY
        ends = [np.array(json.loads(child.stdout.readline())['ends'][0]) for child in children]
    rates = np.empty((len(children), turns))
    for number, again, begun, ended in spans:
        ticks = np.count_nonzero((ends[number] >= begun) & (ends[number] < ended))
        rates[number, again] = ticks / (ended - begun) * 1e9
    return rates


def print_flown(options):
    """Print what a tick of a scenario takes without and with the node of the estimator."""
    ways = (), ('--estimator',)
    found = {words: [] for words in ways}
    for again in range(options.rounds):
        for words in ways if again % 2 else reversed(ways):
            found[words].append(flown(options, words))
    print('| estimator | ticks per second | least and most | processor time of a tick [us] |')
    print('|---' * 4 + '|')
    for words, each in found.items():
        rates, costs = np.array(each).T
        cells = f'{np.median(rates):.0f} | {rates.min():.0f} to {rates.max():.0f}'
        print('|', 'yes' if words else 'no', '|', cells, '|', f'{1e6 * np.median(costs):.0f} |')
    print('Medians. The processor time is that of the whole process, without its start.')


def flown(options, words):
    """Return the ticks per second of a run, and its processor time per tick [s].

    words: more of the command
    """
    command, seconds = ['run', options.scenario, '--rate', '0', *words], options.seconds or 14400.0
    few, _, start = ran(command, 0.1 * seconds)
    ticks, rate, spent = ran(command, seconds)
    return rate, (spent - start) / (ticks - few)


def ran(command, seconds):
    """Return ticks, ticks per second and processor time [s] of a run; seconds: simulated."""
    environment = dict(os.environ, ROS_DOMAIN_ID=str(next(DOMAINS)))
    environment['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, '-c', FLY, *command, '--duration', str(seconds)],
        env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    ticks, simulated, factor = map(float, TOLD.search(done.stdout).groups())
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return ticks, ticks / simulated * factor, spent


def started(stack, kind, python, companion, words):
    """Return a contender that is ready, with a controller in the same separate domain."""
    environment = dict(os.environ, ROS_DOMAIN_ID=str(next(DOMAINS)))
    environment['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    pipes = {'stdin': subprocess.PIPE, 'stdout': subprocess.PIPE, 'text': True}
    processes = [
        stack.enter_context(
            subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, **pipes)
        )
        for command in ([sys.executable, companion], [python, TICKING, kind, *words])
    ]
    for process in processes:
        stack.callback(process.kill)
    contender = processes[1]
    contender.stdout.readline()
    return contender


def taken_by_host():
    """Return the processor time that the host has given to others so far [s]."""
    with contextlib.suppress(OSError):
        steal = Path('/proc/stat').read_text(encoding='ascii').split()[8]
        return int(steal) / os.sysconf('SC_CLK_TCK')
    return 0.0


if __name__ == '__main__':
    main()
