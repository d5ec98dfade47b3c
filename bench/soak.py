# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Run two recorded simulations for a long time on a busy machine and check what grows.

    .venv/bin/python bench/soak.py --minutes 45 [--burners 2] [--output DIR] [--delete-bags]

One runs in lockstep with examples/rate_damping.py as fast as possible, the other at --rate 10
without lockstep. Every few seconds it samples the memory, files and threads of each process, its
written data, ticks and overruns, and the number of diagnostics of each node. It leaves
samples.csv, soak.png and the output of the processes in its folder, prints a verdict, and ends
with status 1 if something grows or falls silent.
"""

import argparse
import contextlib
import csv
import math
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rosbags.rosbag2 import Reader
from scipy.stats import theilslopes

HERE = Path(__file__).resolve().parent
COMMAND = Path(sys.executable).with_name('attitude-sim')
DAMPING = HERE.parent / 'examples' / 'rate_damping.py'
RUNS = {
    'lockstep': ('tennis_racket', '--rate', '0', '-p', 'lockstep:=true'),
    'rate 10': ('cubesat_tumble', '--rate', '10'),
}
# Start of the run that is not judged: compiling, connecting, filling queues and pools.
WARM_UP_SHARE, LONGEST_WARM_UP_S = 0.3, 300.0
# Limits of the verdict.
MEMORY_MB_PER_HOUR = 10.0
FILES_PER_HOUR = 1.0
# Growth below this is noise of a short soak, whatever its slope [MB, files].
LEAST_GROWTH_MB, LEAST_GROWTH_FILES = 4.0, 2
DIAGNOSTICS_HZ = (0.8, 1.2)
# Allowed ratio of data per tick in the last third to the first, if a third is long enough. The
# index, which is written at each checkpoint, grows for 256 s, until the next file of a bag.
WRITTEN_RATIO, LONG_THIRD_S = 1.2, 300.0
SECONDS_TO_END = 60.0
MB = 1e6
COLUMNS = (
    'time [s]', 'process', 'memory [MB]', 'open files', 'threads', 'written [MB]', 'bag [MB]',
    'tick', 'overruns', 'diagnostics',
)  # fmt: skip


class Sample(NamedTuple):
    """A row of COLUMNS; tick, overruns and diagnostics are the simulator's since the start."""

    time: float
    process: str
    memory: float
    files: int
    threads: int
    written: float
    bag: float
    tick: int
    overruns: int
    diagnostics: int


def main():
    """Soak, and return the exit status."""
    options = _options()
    folder = options.output
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    folder.mkdir(parents=True)
    _say_beforehand(options)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    samples, ended_early, interrupted = [], [], False
    with contextlib.ExitStack() as stack:
        for _ in range(options.burners):
            stack.enter_context(_process(folder / 'burner.log', _burner(), signal.SIGKILL))
        runs = [
            _Run(stack, folder, name, arguments, options.domain + number)
            for number, (name, arguments) in enumerate(RUNS.items())
        ]
        try:
            _watch(options, runs, samples, ended_early)
        except KeyboardInterrupt:
            interrupted = True
    problems = _verdict(samples, runs, ended_early)
    problems += [problem for run in runs for problem in _last_of_bag(run)]
    _write_table(folder / 'samples.csv', samples)
    _draw(folder / 'soak.png', samples)
    if options.delete_bags:
        for run in runs:
            shutil.rmtree(run.bag, ignore_errors=True)
    print(f'samples.csv and soak.png are in {folder}')
    for problem in problems:
        print(f'NOT STEADY: {problem}')
    if not problems:
        print('steady: nothing grew beyond the limits')
    return 130 if interrupted else bool(problems)


def _options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--minutes', type=float, default=45.0, help='length')
    parser.add_argument('--every', type=float, default=5.0, help='seconds between samples')
    parser.add_argument(
        '--burners', type=int, default=os.cpu_count() or 1,
        help='processes that only keep the machine busy',
    )  # fmt: skip
    parser.add_argument('--output', type=Path, help='folder, made new')
    parser.add_argument('--keep-gb', type=float, default=4.0, help='disk for each bag')
    parser.add_argument('--delete-bags', action='store_true', help='at the end')
    parser.add_argument('--domain', type=int, default=80, help='ROS_DOMAIN_ID, and the next one')
    options = parser.parse_args()
    if options.output is None:
        options.output = Path('output') / f'soak_{datetime.now():%Y_%m_%d_%H_%M_%S}'
    if options.output.exists():
        parser.error(f'{options.output} exists already; name another --output')
    if not (options.minutes > 0.0 and options.every > 0.0 and options.burners >= 0):
        parser.error('--minutes and --every must be more than 0, --burners 0 or more')
    return options


def _say_beforehand(options):
    need = 2.0 * options.keep_gb + 1.0
    free = shutil.disk_usage(options.output).free / 1e9
    print(
        f'{options.minutes:g} min, {options.burners} burners, to {options.output}. The bags '
        f'grow by some GB in an hour; of each the oldest files are deleted beyond '
        f'{options.keep_gb:g} GB (--keep-gb). {free:.0f} GB are free.',
        flush=True,
    )
    if free < need:
        sys.exit(f'soak: {need:g} GB of disk are needed; give a smaller --keep-gb')


# --- processes ----------------------------------------------------------------------------------


@contextlib.contextmanager
def _process(log, command, end=signal.SIGINT, **environment):
    """Run a command in a separate session, so that Ctrl-C reaches only this script."""
    with log.open('ab') as console:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=os.environ | environment,
        )
    try:
        yield child
    finally:
        if child.poll() is None:
            child.send_signal(end)
        try:
            child.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _burner():
    return [sys.executable, '-c', 'while True: pass']


class _Run:
    """A run and, in lockstep, its controller; also the diagnostics of its simulator."""

    def __init__(self, stack, folder, name, arguments, domain):
        self.name = name
        self.bag = folder / name.replace(' ', '_')
        self.deleted = 0
        self.heard = stack.enter_context(_Diagnostics(domain))
        where = {'ROS_DOMAIN_ID': str(domain)}
        self.processes = {}
        if name == 'lockstep':
            self.processes['controller'] = stack.enter_context(
                _process(folder / 'controller.log', [sys.executable, DAMPING], **where)
            )
        command = [COMMAND, 'run', *arguments, '--duration', '0', '--record', self.bag]
        self.processes[name] = stack.enter_context(
            _process(folder / f'{self.bag.name}.log', command, **where)
        )

    def files(self):
        """Return the files of the bag, oldest first."""
        files = self.bag.glob('*.mcap')
        return sorted(files, key=lambda file: (len(file.name), file.name))

    def trim(self, most):
        """Delete the oldest files of the bag, except the last two, beyond `most` bytes."""
        files = self.files()
        for file in files[:-2]:
            if sum(left.stat().st_size for left in self.files()) <= most:
                return
            self.deleted += file.stat().st_size
            file.unlink()


class _Diagnostics:
    """Counts the diagnostics messages of a domain by status name, in its own thread."""

    def __init__(self, domain):
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=domain)
        self._node = rclpy.create_node('soak', context=self._context, enable_rosout=False)
        self._node.create_subscription(DiagnosticArray, '/diagnostics', self._hear, 1000)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._spin)
        self.counts, self.values = {}, {}

    def __enter__(self):
        """Begin to listen."""
        self._thread.start()
        return self

    def __exit__(self, *_):
        """Stop listening."""
        self._context.try_shutdown()
        self._thread.join()

    def _spin(self):
        with contextlib.suppress(ExternalShutdownException):
            self._executor.spin()

    def _hear(self, message):
        for status in message.status:
            self.counts[status.name] = self.counts.get(status.name, 0) + 1
            if status.name.endswith(': simulation'):
                self.values = {pair.key: pair.value for pair in status.values}

    def of_simulator(self):
        """Return tick, overruns, and number of messages."""
        count = sum(n for name, n in self.counts.items() if name.endswith(': simulation'))
        return int(self.values.get('tick', 0)), int(self.values.get('overruns', 0)), count


# --- samples ------------------------------------------------------------------------------------


def _watch(options, runs, samples, ended_early):
    """Take samples until the time is over or a process has ended."""
    start = time.monotonic()
    end = start + 60.0 * options.minutes
    following = start
    while time.monotonic() < end and not ended_early:
        time.sleep(max(0.0, following - time.monotonic()))
        following = max(following + options.every, time.monotonic())
        for run in runs:
            for name, child in run.processes.items():
                if child.poll() is None:
                    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                        samples.append(_sample(time.monotonic() - start, run, name, child.pid))
                else:
                    ended_early.append(f'{name} ended with status {child.returncode}')
            run.trim(options.keep_gb * 1e9)


def _sample(now, run, name, pid):
    root = Path('/proc') / str(pid)
    status = dict(
        line.split(':', 1) for line in (root / 'status').read_text().splitlines() if ':' in line
    )
    written = dict(line.split(':') for line in (root / 'io').read_text().splitlines())
    bag = sum(file.stat().st_size for file in run.files()) + run.deleted
    return Sample(
        now,
        name,
        int(status['VmRSS'].split()[0]) * 1024 / MB,
        len(os.listdir(root / 'fd')),
        int(status['Threads']),
        int(written['wchar']) / MB,
        (bag if name == run.name else 0) / MB,
        *run.heard.of_simulator(),
    )


def _write_table(path, samples):
    with path.open('w', newline='') as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        table.writerows([round(v, 4) if isinstance(v, float) else v for v in s] for s in samples)


def _columns(samples):
    """Return {process: Sample of arrays}."""
    found = {}
    for sample in samples:
        found.setdefault(sample.process, []).append(sample)
    return {
        name: Sample(
            *(np.array(v) if i != 1 else name for i, v in enumerate(zip(*rows, strict=True)))
        )
        for name, rows in found.items()
    }


# --- verdict ------------------------------------------------------------------------------------


def _verdict(samples, runs, ended_early):
    """Print a summary of each process, and return the problems, one line each."""
    problems = list(ended_early)
    print(f'\n{"":12} {"memory":>9} {"slope":>12} {"after a day":>12} {"files":>6} {"threads":>8}')
    for name, found in _columns(samples).items():
        late = found.time >= min(WARM_UP_SHARE * found.time[-1], LONGEST_WARM_UP_S)
        if late.sum() < 4:
            problems.append(f'{name}: {late.sum()} samples after warming up are too few')
            continue
        kept = Sample(*(v[late] if isinstance(v, np.ndarray) else v for v in found))
        slope, files = _slope(kept.time, kept.memory), _slope(kept.time, kept.files)
        day = kept.memory[-1] + 24.0 * max(slope, 0.0)
        print(
            f'{name:12} {kept.memory[-1]:6.1f} MB {slope:+7.1f} MB/h {day:9.0f} MB '
            f'{kept.files[-1]:6d} {kept.threads[-1]:8d}'
        )
        if slope > MEMORY_MB_PER_HOUR and np.ptp(kept.memory) > LEAST_GROWTH_MB:
            problems.append(f'{name}: memory grows by {slope:.1f} MB/h')
        if files > FILES_PER_HOUR and np.ptp(kept.files) > LEAST_GROWTH_FILES:
            problems.append(f'{name}: open files grow by {files:.1f} in an hour')
        if name in RUNS:
            problems += _verdict_of_run(kept)
    for run in runs:
        print(f'{run.name}: diagnostics heard: {run.heard.counts}')
    return problems


def _slope(seconds, values):
    """Return the slope per hour: the median over all pairs, which is robust against outliers."""
    return theilslopes(values, seconds / 3600.0)[0]


def _verdict_of_run(kept):
    """Print a summary of a run, and return its problems."""
    name, problems = kept.process, []
    seconds = kept.time[-1] - kept.time[0]
    ticks, rate = np.ptp(kept.tick) / seconds, np.ptp(kept.diagnostics) / seconds
    first, last = _written_per_tick(kept)
    print(
        f'{"":12} {ticks:.0f} ticks/s, {kept.overruns[-1]} overruns, {rate:.2f} diagnostics/s, '
        f'{np.ptp(kept.written) / seconds * 86.4:.0f} GB written and '
        f'{np.ptp(kept.bag) / seconds * 86.4:.0f} GB of bag in a day, {first:.2f} then {last:.2f} '
        'kB written in a tick'
    )
    # A window so long that one message more or less is within the limits.
    for low, high in _windows(kept.time, 30.0):
        here = (kept.diagnostics[high] - kept.diagnostics[low]) / (
            kept.time[high] - kept.time[low]
        )
        if not DIAGNOSTICS_HZ[0] <= here <= DIAGNOSTICS_HZ[1]:
            problems.append(
                f'{name}: {here:.2f} diagnostics messages a second from {kept.time[low]:.0f} s on'
            )
            break
    if not ticks > 0.0:
        problems.append(f'{name}: does not tick')
    if seconds >= 3.0 * LONG_THIRD_S and not last <= WRITTEN_RATIO * first:
        problems.append(f'{name}: a tick writes {first:.2f} kB at first, {last:.2f} at the end')
    return problems


def _windows(times, seconds):
    """Yield (first, last) index of adjacent windows of `seconds`."""
    low = 0
    for high, now in enumerate(times):
        if now - times[low] >= seconds:
            yield low, high
            low = high


def _written_per_tick(kept):
    """Return the data per tick in the first and in the last third [kB]."""
    third = len(kept.time) // 3
    parts = (
        (kept.written[:third], kept.tick[:third]),
        (kept.written[-third:], kept.tick[-third:]),
    )
    return [
        1e3 * np.ptp(written) / np.ptp(tick) if len(tick) and np.ptp(tick) else math.nan
        for written, tick in parts
    ]


def _last_of_bag(run):
    """Return what is wrong with the newest file of a bag, opened by rosbags."""
    try:
        with Reader(run.files()[-1]) as reader:
            count = sum(1 for _ in reader.messages())
            print(f'{run.name}: the last of the bag holds {count} messages')
            return [] if count == reader.message_count else [f'{run.name}: messages are missing']
    except Exception as error:  # any error of rosbags is the verdict
        return [f'{run.name}: the last of the bag cannot be read: {error!r}']


# --- figure -------------------------------------------------------------------------------------

COLOURS = {'lockstep': '#0072b2', 'rate 10': '#d55e00', 'controller': '#009e73'}


def _draw(path, samples):
    """Draw memory, open files, data per tick, diagnostics and overruns over time."""
    import matplotlib as mpl

    mpl.use('Agg')
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(5, 1, figsize=(8.0, 9.5), sharex=True, layout='constrained')
    titles = (
        'Memory [MB]',
        'Open files',
        'Written in a tick [kB]',
        'Diagnostics messages in a second',
        'Overruns since the start',
    )
    for panel, title in zip(panels, titles, strict=True):
        panel.set_title(title, loc='left', fontsize=10)
        panel.grid(alpha=0.25)
        panel.spines[['top', 'right']].set_visible(False)
    for name, found in _columns(samples).items():
        minutes, style = found.time / 60.0, {'color': COLOURS[name], 'lw': 1.3, 'label': name}
        panels[0].plot(minutes, found.memory, **style)
        panels[1].plot(minutes, found.files, **style)
        if name not in RUNS or len(minutes) < 3:
            continue
        windows = np.array(list(_windows(found.time, 30.0)))
        if len(windows):
            low, high = windows.T
            middle = 0.5 * (minutes[low] + minutes[high])
            ticks = np.maximum(found.tick[high] - found.tick[low], 1)
            panels[2].plot(
                middle, 1e3 * (found.written[high] - found.written[low]) / ticks, **style
            )
            rate = (found.diagnostics[high] - found.diagnostics[low]) / (
                found.time[high] - found.time[low]
            )
            panels[3].plot(middle, rate, **style)
        panels[4].plot(minutes, found.overruns, **style)
    for panel in panels[:4]:
        panel.set_ylim(bottom=0.0)
    panels[0].legend(loc='lower right', fontsize=9, ncols=3, frameon=False)
    panels[-1].set_xlabel('Wall time [min]')
    figure.savefig(path, dpi=120)


if __name__ == '__main__':
    sys.exit(main())
