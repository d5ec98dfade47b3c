# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Damages bags, scenarios, campaigns and meshes at random, and reads them as the commands do.

    python test/fuzz.py [N] [--seed K]      N cases, each drawn from the seed and its number

A damaged file must be refused in one line, or read whole: no traceback, no crash of the
interpreter, no hang, no flood of memory, nothing lost in silence. Cases run in child processes,
which are started again after the one that ends them. Exit status 1 where one did.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import mutations
import numpy as np
from processes import printed

CASES, SEED, CHILDREN = 10_000, 13, 2
# Of a case: processor time in Python, and wall time where C does not return [s].
LONGEST, LONGEST_SILENCE = 10, 120
# That a case may need, beside what is loaded [bytes].
MEMORY, GROWTH = 2**32, 2**29
SHARES = {'bag': 0.4, 'scenario': 0.3, 'campaign': 0.15, 'mesh': 0.15}
RUNS = (('free', 'cubesat_pointing', 1.0), ('floor', 'rattleback', 0.5))
CAMPAIGN = """scenario: tennis_racket
runs: 12
duration: 0.25
dispersions:
  initial.angular_velocity[0]: {distribution: normal, mean: 0.0, standard_deviation: 0.1}
"""


class TooLongError(BaseException):
    """A case did not end in time."""


class LostError(Exception):
    """A damaged file was taken for whole."""


# --- what is damaged --------------------------------------------------------------------------


def prepare(folder):
    """Make the whole files in a new folder."""
    from spacecraft_attitude_sim.campaigns import campaign, runner
    from spacecraft_attitude_sim.configuration import scenario

    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    command = Path(sys.executable).with_name('attitude-sim')
    for name, scenario_name, duration in RUNS:
        outputs = ('--record', folder / name, '--csv', folder / f'{name}.csv')
        printed(command, 'run', scenario_name, '--rate', 0, '--duration', duration, *outputs)
    (folder / 'campaign.yaml').write_text(CAMPAIGN)
    found = campaign.load(folder / 'campaign.yaml')
    interrupted = folder / 'interrupted'
    chunks = runner._prepare(found, interrupted)
    columns = runner.columns_of(found, 0, found.runs)
    runner._write(found, columns, runner._chunk_path(chunks, 0, found.runs))
    runner.run(found, folder / 'done', lambda done, whole: None)
    (folder / 'scenarios').mkdir()
    for name, path in scenario.shipped().items():
        shutil.copy(path, folder / 'scenarios' / f'{name}.yaml')
    _meshes(folder / 'meshes')


def _meshes(folder):
    import trimesh

    folder.mkdir()
    ball = trimesh.creation.icosphere(1, radius=0.2)
    for name in ('ball.stl', 'ball.obj', 'ball.ply', 'ball.glb', 'ball.off', 'ball.gltf'):
        ball.export(folder / name)
    ball.export(folder / 'text.stl', file_type='stl_ascii')
    ball.export(folder / 'text.ply', encoding='ascii')
    with (folder / 'ball.obj').open('a') as file:
        file.write('mtllib material.mtl\nusemtl plain\n')


# --- a case -----------------------------------------------------------------------------------


class Cases:
    """Damages copies of the files in `whole`, in the folder `work`, and reads them."""

    def __init__(self, whole, work, seed):
        from spacecraft_attitude_sim.campaigns import campaign, runner
        from spacecraft_attitude_sim.configuration import scenario
        from spacecraft_attitude_sim.recording import history, mcap_file

        self._whole, self._work, self._seed = whole, work, seed
        self._chunks, self._rows = {}, {}
        for name, *_ in RUNS:
            (file,) = (whole / name).glob('*.mcap')
            self._chunks[name] = file, mcap_file.chunks_of(file)
            self._rows[name] = len(history.read(whole / name)[0].time)
            self._resimulate(whole / name)  # compiles what may be compiled in no case's time
        for path in (whole / 'scenarios').iterdir():
            scenario.load(path).first_instant()
        self._dispersed = campaign.load(whole / 'campaign.yaml')
        self._table = runner.read(whole / 'done' / 'runs.parquet')
        self._node = None

    def kind(self, number):
        """Return what is damaged in a case."""
        draw = np.random.default_rng((self._seed, number)).random()
        return list(SHARES)[int(np.searchsorted(np.cumsum([*SHARES.values()]), draw))]

    def run(self, number):
        """Damage and read; raise what the command would get."""
        rng = np.random.default_rng((self._seed, number))
        rng.random()
        shutil.rmtree(self._work, ignore_errors=True)
        self._work.mkdir()
        getattr(self, f'_{self.kind(number)}')(rng)

    def _bag(self, rng):
        name = RUNS[rng.integers(len(RUNS))][0]
        file, chunks = self._chunks[name]
        bag = self._work / 'bag'
        shutil.copytree(self._whole / name, bag)
        kind = rng.random()
        content = file.read_bytes()
        if kind < 0.4:
            (bag / file.name).write_bytes(mutations.within_chunk(rng, content, chunks))
        elif kind < 0.6:
            (bag / file.name).write_bytes(mutations.of_bytes(rng, content))
        elif kind < 0.75:  # the index, which is small, is hit more often
            last = max(chunk.data + chunk.compressed for chunk in chunks.values())
            (bag / file.name).write_bytes(content[:last] + mutations.of_bytes(rng, content[last:]))
        else:
            text = (bag / 'metadata.yaml').read_text()
            (bag / 'metadata.yaml').write_bytes(mutations.of_text(rng, text))
        way = rng.random()
        if way < 0.45:
            self._plot(bag, self._rows[name])
        elif way < 0.8:
            self._resimulate(bag)
        elif way < 0.9 or not importlib.util.find_spec('rerun'):
            self._play(bag)
        else:
            self._view(bag)

    def _plot(self, bag, rows):
        from spacecraft_attitude_sim.drawing import response_report
        from spacecraft_attitude_sim.recording import history

        table, found = history.read(bag)
        history.on_floor_of(table, found)
        table.flips()
        response_report.of_history(table)
        if len(table.time) < rows - 3:  # stamps that moved are told apart nowhere but here
            raise LostError(f'{len(table.time)} instants of {rows}')

    def _resimulate(self, bag):
        from spacecraft_attitude_sim.runs import replay

        replay.resimulate(bag)

    def _play(self, bag):
        import rclpy

        from spacecraft_attitude_sim.runs import replay

        if self._node is None:
            rclpy.init()
            self._node = rclpy.create_node('fuzz')
        try:
            options = replay.PlayOptions(rate=0.0, delay=0.0)
            replay.play(bag, self._node, False, options, lambda seconds, whole: None)
        finally:
            for publisher in list(self._node.publishers):
                self._node.destroy_publisher(publisher)

    def _view(self, bag):
        from spacecraft_attitude_sim.viewer import recorded
        from spacecraft_attitude_sim.viewer.rerun_session import RerunSession

        show = RerunSession(False, save=self._work / 'x.rrd')
        try:
            recorded.show_bag(bag, show)
        finally:
            show.close()

    def _scenario(self, rng):
        from spacecraft_attitude_sim.campaigns import campaign
        from spacecraft_attitude_sim.configuration import scenario
        from spacecraft_attitude_sim.drawing import body_looks

        if rng.random() < 0.2:
            path = self._work / 'campaign.yaml'
            path.write_bytes(mutations.of_text(rng, CAMPAIGN))
            campaign.load(path)
            return
        paths = sorted((self._whole / 'scenarios').iterdir())
        path = self._work / 'scenario.yaml'
        path.write_bytes(mutations.of_text(rng, paths[rng.integers(len(paths))].read_text()))
        found = scenario.load(path)
        body_looks.drawn_parts(found)
        found.first_instant()
        again = scenario.parse(scenario.dump(found), 'dumped')
        if repr(again.parameters) != repr(found.parameters):
            raise LostError('another scenario once it is written and read')
        if rng.random() < 0.2:
            self._to_ros(path)

    def _to_ros(self, path):
        """Let ROS read the file that we took."""
        from rclpy.context import Context

        context = Context()
        try:
            context.init(['--ros-args', '--params-file', str(path)])
            context.shutdown()
        except Exception as error:  # session.ros makes one line of it
            from spacecraft_attitude_sim.configuration.parameters import ParameterError

            raise ParameterError(str(error)) from None

    def _campaign(self, rng):
        from spacecraft_attitude_sim.campaigns import campaign_figures, runner

        folder = self._work / 'campaign'
        shutil.copytree(self._whole / ('interrupted' if rng.random() < 0.7 else 'done'), folder)
        paths = sorted(path for path in folder.rglob('*') if path.is_file())
        if rng.random() < 0.9:
            paths = [path for path in paths if path.suffix == '.parquet']
        path = paths[rng.integers(len(paths))]
        path.write_bytes(mutations.of_bytes(rng, path.read_bytes()))
        table = runner.run(self._dispersed, folder, lambda done, whole: None)
        columns = runner.read(table)
        campaign_figures.summary(columns)
        for name, values in self._table.items():
            if not np.array_equal(columns.get(name), values, equal_nan=values.dtype.kind == 'f'):
                raise LostError(f'column {name} is not what was computed')

    def _mesh(self, rng):
        from spacecraft_attitude_sim.configuration import scenario
        from spacecraft_attitude_sim.drawing import body_looks

        paths = sorted(p for p in (self._whole / 'meshes').iterdir() if p.suffix != '.bin')
        whole = paths[rng.integers(len(paths))]
        for other in (self._whole / 'meshes').iterdir():
            shutil.copy(other, self._work)
        path = self._work / whole.name
        if path.suffix in ('.gltf', '.obj') and rng.random() < 0.5:
            text = whole.read_text().replace(',', ',\n') if path.suffix == '.gltf' else None
            path.write_bytes(mutations.of_text(rng, text or whole.read_text()))
        else:
            path.write_bytes(mutations.of_bytes(rng, whole.read_bytes()))
        given = {'body.mesh.file': str(path)}
        if rng.random() < 0.5:
            given['body.mesh.density'] = 1000.0
        found = scenario.build(given, 'fuzz')
        body_looks.drawn_parts(found)


# --- children ---------------------------------------------------------------------------------


def outcome_of(cases, number):
    """Run a case; return (outcome, what was said)."""
    from spacecraft_attitude_sim.configuration.parameters import ParameterError
    from spacecraft_attitude_sim.configuration.scenario import ScenarioError
    from spacecraft_attitude_sim.recording.errors import CampaignError, RecordingError
    from spacecraft_attitude_sim.viewer.errors import ViewError

    ours = (CampaignError, ParameterError, RecordingError, ScenarioError, ViewError)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            cases.run(number)
        found = 'read', ''
    except ours as error:
        found = 'refused', str(error)
    except TooLongError:
        found = 'hang', traceback.format_exc()
    except LostError as error:
        found = 'lost', str(error)
    except Exception:  # what a user would see  # noqa: BLE001
        found = 'traceback', traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return found if grown < GROWTH else ('memory', f'{grown} bytes; {found}')


def _too_long(number, frame):
    raise TooLongError


def _child(whole, seed):
    """Run the cases whose numbers come on standard input, a line of JSON for each."""
    said = os.fdopen(os.dup(1), 'w', buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    warnings.simplefilter('ignore')
    signal.signal(signal.SIGPROF, _too_long)
    with tempfile.TemporaryDirectory() as work:
        cases = Cases(whole, Path(work) / 'work', seed)
        held = int(Path('/proc/self/statm').read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, held + MEMORY))
        for line in sys.stdin:
            number = int(line)
            said.write(json.dumps((cases.kind(number), *outcome_of(cases, number))) + '\n')
        os._exit(0)  # without the time that libraries take to end


class _Child:
    """A process that runs cases one after another."""

    def __init__(self, whole, seed, numbers):
        self._command = [sys.executable, __file__, '--child', str(whole), '--seed', str(seed)]
        self._numbers = numbers
        self.process = self.number = None

    def start_next(self):
        """Give the process, new where there is none, its next case; False where none is left."""
        self.number = next(self._numbers, None)
        if self.number is None:
            return False
        if self.process is None:
            self.process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
        self.process.stdin.write(f'{self.number}\n')
        self.process.stdin.flush()
        self.since = time.monotonic()
        return True

    def result(self):
        """Return (kind, outcome, what was said) of its case; a process that is gone is a crash."""
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        status, self.process = self.process.wait(), None
        return 'unknown', 'crash', f'the process ended with {status}'

    def end(self):
        """Kill the process."""
        if self.process:
            self.process.kill()
            self.process.wait()


def run(whole, numbers, seed, found=lambda number, kind, outcome, said: None, at_once=CHILDREN):
    """Run cases in so many children at once; return a Counter of (kind, outcome)."""
    score, numbers = Counter(), iter(numbers)
    children = [_Child(whole, seed, numbers) for _ in range(at_once)]
    busy = [child for child in children if child.start_next()]
    try:
        while busy:
            pipes = {child.process.stdout: child for child in busy}
            ready, _, _ = select.select(list(pipes), [], [], 1.0)
            for child in busy:
                if time.monotonic() - child.since > LONGEST_SILENCE:
                    child.process.kill()  # told as a crash
            for pipe in ready:
                child = pipes[pipe]
                kind, outcome, said = child.result()
                score[kind, outcome] += 1
                found(child.number, kind, outcome, said)
                if not child.start_next():
                    busy.remove(child)
    finally:
        for child in children:
            child.end()
    return score


def main():
    """Run the cases and print the score."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('cases', type=int, nargs='?', default=CASES)
    parser.add_argument('--seed', type=int, default=SEED)
    parser.add_argument('--first', type=int, default=0, help='number of the first case')
    parser.add_argument('--child', type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        _child(options.child, options.seed)
        return 0
    failures, done, start = Counter(), 0, time.monotonic()

    def found(number, kind, outcome, said):
        nonlocal done
        done += 1
        if outcome not in ('read', 'refused'):
            last = said.strip().rpartition('\n')[2][:200]
            failures[outcome, last[:80]] += 1
            if failures[outcome, last[:80]] <= 2:
                print(f'case {number} ({kind}): {outcome}\n{said[-1500:]}', flush=True)
        if done % 500 == 0:
            print(f'{done} of {options.cases}, {time.monotonic() - start:.0f} s', flush=True)

    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        numbers = range(options.first, options.first + options.cases)
        score = run(Path(folder), numbers, options.seed, found)
    for kind in sorted({kind for kind, _ in score}):
        told = ', '.join(f'{n} {o}' for (k, o), n in sorted(score.items()) if k == kind)
        print(f'{kind:10} {told}')
    print(f'{time.monotonic() - start:.0f} s')
    for (outcome, last), count in failures.most_common():
        print(f'{count} x {outcome}: {last}')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
