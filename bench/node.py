# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Compare the node, at 32 Hz and as fast as possible, with a bare rclpy node with equal messages.

    .venv/bin/python bench/node.py [--before PYTHON] [--only TEXT]

Lockstep with a controller is measured by bench/lockstep.py.
Rounds are interleaved. PYTHON is that of another checkout's .venv, which is also measured. Jitter
is the difference of a tick's time from the median lateness of its run, over all rounds.
"""

import argparse
import contextlib
import itertools
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
TICKING = HERE / 'ticking.py'
LISTENER = HERE / 'listening.py'
TWENTY = [f'spacecraft_{number}' for number in range(20)]
TEN = TWENTY[:10]
TIMES = ('pose', 'imu/data', 'ends')
LONGEST_RUN = 150.0
# Of ROS, one for each run; ROS_DOMAIN_ID says where to begin.
FIRST_DOMAIN = int(os.environ.get('ROS_DOMAIN_ID', '60'))
DOMAINS = itertools.cycle(range(FIRST_DOMAIN, FIRST_DOMAIN + 10))


class Situation(NamedTuple):
    """A task of the contenders.

    options: of bench/ticking.py;  rows: {label: function of all runs}
    companion: script of another process, or None
    processes: lists of namespaces, one process each;  kinds: contenders that can do it
    new: whether another checkout may lack it
    """

    options: tuple
    rows: dict
    companion: Path | None = None
    processes: tuple = (('',),)
    kinds: tuple = ('bare', 'eventful', 'simulator')
    new: bool = False


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--rounds', type=int, default=3, help='interleaved rounds')
    parser.add_argument('--seconds', type=float, default=8.0, help='length of a run [s]')
    parser.add_argument('--before', help='python of another checkout')
    parser.add_argument('--only', default='', help='situations whose name holds this')
    options = parser.parse_args()
    contenders = {
        'bare': ('bare', sys.executable),
        'bare, events': ('eventful', sys.executable),
        **({'before': ('simulator', options.before)} if options.before else {}),
        'node': ('simulator', sys.executable),
    }
    print('|', ' | '.join(('', *contenders)), '|')
    print('|---' * (len(contenders) + 1) + '|', flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, situation in SITUATIONS.items():
            if options.only in name:
                messages = f'--messages={folder}/messages'
                words = situation.options[:2] if '--scenario' in situation.options[:1] else ()
                subprocess.run([sys.executable, TICKING, 'messages', messages, *words], check=True)
                common = ['--seconds', str(options.seconds), messages]
                print_rows(name, situation, contenders, options.rounds, common)


def print_rows(name, situation, contenders, rounds, common):
    """Measure a situation and print one table row for each figure."""
    runs = {contender: [] for contender in contenders}
    for _ in range(rounds):
        for contender, (kind, python) in contenders.items():
            if kind in situation.kinds and not (situation.new and contender == 'before'):
                runs[contender].append(run_until_it_ends(situation, kind, python, common))
    for label, figure in situation.rows.items():
        cells = [f'{figure(found):.3g}' if found else '–' for found in runs.values()]
        print('|', ' | '.join((f'{name}: {label}', *cells)), '|', flush=True)


# --- one run ------------------------------------------------------------------------------------


def run_until_it_ends(situation, kind, python, common):
    """Return a run; repeat it if Fast DDS hung, which can happen during a start and an end."""
    try:
        return run(situation, kind, python, common)
    except (json.JSONDecodeError, OSError):
        print(f'{kind} {situation.options} hung; once more', file=sys.stderr)
        return run(situation, kind, python, common)


def ticking_of(python):
    """Return bench/ticking.py of the checkout of a Python's environment, or ours."""
    own = Path(python).absolute().parents[2] / 'bench' / 'ticking.py'
    return own if own.exists() else TICKING


def run(situation, kind, python, common):
    """Return the merged results of the processes of one run; common: options of all."""
    environment = dict(os.environ, ROS_DOMAIN_ID=str(next(DOMAINS)))
    environment['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    pipes = {
        'env': environment,
        'stdin': subprocess.PIPE,
        'stdout': subprocess.PIPE,
        'text': True,
    }
    command = [python, ticking_of(python), kind, *common, *situation.options]
    with contextlib.ExitStack() as stack:
        other = None
        if situation.companion:
            other = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, situation.companion], stderr=subprocess.DEVNULL, **pipes
                )
            )
            stack.callback(other.kill)
        children = [
            stack.enter_context(subprocess.Popen([*command, '--namespaces', *names], **pipes))
            for names in situation.processes
        ]
        said = answers(children)
        together = merged([json.loads(one) for one in said])
        if other:
            listens = situation.companion == LISTENER
            other.send_signal(signal.SIGTERM if listens else signal.SIGINT)
            heard = other.communicate(timeout=30.0)[0]
            together['heard'] = json.loads(heard) if listens else []
    return together


def answers(children):
    """Return the line that each process prints after all were ready and told to begin."""
    watchdog = threading.Timer(LONGEST_RUN, lambda: [child.kill() for child in children])
    watchdog.start()
    try:
        for child in children:
            child.stdout.readline()
        for child in children:
            print('begin', file=child.stdin, flush=True)
        return [child.stdout.readline() for child in children]
    finally:
        watchdog.cancel()
        for child in children:
            child.stdin.close()


def merged(said):
    """Merge the results of several processes."""
    return {
        'cpu': sum(one['cpu'] for one in said),
        'memory': sum(one['memory'] for one in said),
        # Earlier versions do not print it.
        'resident': sum(one.get('resident', np.nan) for one in said),
        'settled': said[0]['settled'],
        # Versions before selectable rates do not print it.
        'tick_ns': said[0].get('tick_ns', 31_250_000),
        **{
            key: [times for one in said for times in one[key]]
            for key in ('pose', 'imu/data', 'ends')
        },
    }


# --- figures ------------------------------------------------------------------------------------


def jitter(runs, key, percentile):
    """Return a percentile of the jitter of one time in the tick [ms]; 100 is the largest."""
    found = []
    for one in runs:
        for times in one[key]:
            times = np.array(times[one['settled'] :])
            late = times - np.arange(len(times)) * one['tick_ns']
            found.append(np.abs(late - np.median(late)))
    return np.percentile(np.concatenate(found), percentile) * 1e-6


def latency(runs, percentile):
    """Return a percentile of the time from publishing imu/data to receiving it elsewhere [ms]."""
    found = []
    for one in runs:
        (published,) = one['imu/data']
        heard = [(stamp // one['tick_ns'], when) for stamp, when in one['heard']]
        found += [when - published[tick] for tick, when in heard if tick >= one['settled']]
    return np.percentile(found, percentile) * 1e-6


def ticks_per_second(runs):
    """Return the median over the runs."""
    rates = []
    for one in runs:
        times = one['ends'][0][one['settled'] :]
        rates.append((len(times) - 1) / (times[-1] - times[0]) * 1e9)
    return statistics.median(rates)


def median(key):
    """Return the function that gives the median of a figure over the runs."""
    return lambda runs: statistics.median(one[key] for one in runs)


def percentiles(label, figure):
    """Return {label: function} of p50, p99 and maximum."""
    return {
        f'{label}, {name} [ms]': lambda runs, p=p: figure(runs, p)
        for name, p in (('p50', 50.0), ('p99', 99.0), ('max', 100.0))
    }


PACED = {
    'CPU [% of a core]': median('cpu'),
    **percentiles('jitter of `pose`', lambda runs, p: jitter(runs, 'pose', p)),
    **percentiles('jitter of the end of the tick', lambda runs, p: jitter(runs, 'ends', p)),
    'most memory [MB]': median('memory'),
    'memory at the end [MB]': median('resident'),
}
LATENCY = {'CPU [% of a core]': median('cpu'), **percentiles('one-way latency', latency)}
FREE = {'ticks per second': ticks_per_second}
SITUATIONS = {
    'alone': Situation((), PACED),
    '3U with everything': Situation(('--scenario', 'cubesat_3u_leo'), PACED),
    'with a listener': Situation(('--heard',), LATENCY, LISTENER),
    'ten processes': Situation((), PACED, processes=tuple((name,) for name in TEN)),
    'ten nodes in one process': Situation((), PACED, processes=(tuple(TEN),)),
    'twenty spacecraft of one run': Situation(
        ('--together',), PACED, processes=(tuple(TWENTY),), new=True
    ),
    '1000 Hz': Situation(('--tick-rate', '1000'), PACED, new=True),
    'without pace': Situation(('--rate', '0'), FREE),
    'without pace, recorded': Situation(('--rate', '0', '--record'), FREE),
    'without pace, on a floor': Situation(
        ('--rate', '0', '--scenario', 'ellipsoid_rolling'), FREE, kinds=('simulator',)
    ),
}

if __name__ == '__main__':
    main()
