# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Print the cost of a tick of a body in a Batch for several loads, and that of a campaign.

`python bench/batch.py [rounds]`, or as a part of `make bench`. It measures processor time on one
thread and takes the fastest of interleaved rounds. The campaign runs in separate processes, on one
core and on two.
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from speed import fastest, show, started

from spacecraft_attitude_sim.campaigns import flights
from spacecraft_attitude_sim.configuration import scenario
from spacecraft_attitude_sim.core import sensors, simulation
from spacecraft_attitude_sim.core.batch import Batch, CompiledLaw
from spacecraft_attitude_sim.core.batch.contact import touching
from spacecraft_attitude_sim.core.batch.sensors import sensors_of

BODIES = 960
TICKS = 20
STIM300 = {
    'imu.model': 'stim300',
    'magnetometer.enabled': True,
    'magnetometer.noise': [50.0],
    'star_tracker.enabled': True,
    'star_tracker.cross_boresight_noise': 5.0,
}
CAMPAIGN = Path(__file__).resolve().parent.parent / 'config/campaigns/cubesat_detumble.yaml'
RUN = (
    'from pathlib import Path; from spacecraft_attitude_sim.campaigns import campaign, runner; '
    'runner.run(campaign.load({!r}), Path({!r}), lambda done, whole: None, threads={})'
)


def main():
    """Print the tables."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    racket, pointing = (
        scenario.load(scenario.find(name)) for name in ('tennis_racket', 'cubesat_pointing')
    )
    rolling = scenario.load(scenario.find('ellipsoid_rolling'))
    noisy = with_sensors(pointing, scenario.build(STIM300, 'STIM300').sensors)
    pushed = batch_of(racket)
    pushed.hold(np.full(12, 1e-12))
    contenders = {
        'T-handle, free': batch_of(racket),
        'under a torque that is held': pushed,
        'under a law in Python': batch_of(racket, law=damp_all),
        'under the same law, compiled': batch_of(racket, law=CompiledLaw(damp_each)),
        'CubeSat under its controller': batch_of(pointing, law=law_of(pointing)),
        'the same, STIM300': batch_of(pointing, law=law_of(noisy)),
        'CubeSat, free, sensors without errors': batch_of(pointing, suite=sensors.Suite()),
        'the same, STIM300, magnetometer, star tracker': batch_of(pointing, suite=noisy.sensors),
        'ellipsoid that rolls on a floor': batch_of(rolling),
    }
    times = fastest(rounds, {
        name: (lambda n, batch=batch: batch.advance(n // BODIES), BODIES * TICKS)
        for name, batch in contenders.items()
    } | {'the last but one, each alone, from Python': (alone(noisy), TICKS)})  # fmt: skip
    found = {name: seconds * 1e9 for name, seconds in times.items()}
    show('A tick of a body in a Batch', 'ns', found, next(iter(found)))
    for name, batch in contenders.items():
        print(f'  {name:58} {batch.bytes_per_body:12.0f} bytes')
    print_campaign()


def batch_of(found, law=None, suite=None):
    """Return a Batch of BODIES of a Scenario; suite: sensors, with another seed for each body."""
    field_W = found.plant.environment.magnetic_field_W
    bodies, instant = [found.plant.body] * BODIES, found.first_instant()
    suites = suite and [replace(suite, seed=k) for k in range(BODIES)]
    on_floor = found.plant.contact and touching([found.plant] * BODIES, [instant] * BODIES)
    return Batch(
        bodies, [instant.state] * BODIES, gravity_W=found.plant.gravity_W, law=law, threads=1,
        sensors=suites and sensors_of(bodies, suites, field_W), touching=on_floor,
    )  # fmt: skip


def with_sensors(found, suite):
    """Return a Scenario with the sensors of a Suite."""
    spacecraft = replace(found.plant.spacecraft, sensors=suite)
    return replace(found, plant=found.plant._replace(spacecraft=spacecraft))


def damp_all(readings):
    """Return torques (N, 3) that are too small to slow a body down [N m]."""
    return -1e-12 * readings.angular_velocity


def damp_each(time, attitude, angular_velocity, memory, parameters):
    """Return the same torque (3,) of one body."""
    return -1e-12 * angular_velocity


def law_of(found):
    """Return the Law of a Scenario's controller."""
    return flights.law_of([found] * BODIES)


def alone(found):
    """Return a function of ticks that advances one body and reads its sensors from Python."""
    instant = found.first_instant()

    def go(ticks):
        nonlocal instant
        for _ in range(ticks):
            instant = simulation.next_instant(found.plant, instant, simulation.Inputs())

    return go


def print_campaign():
    """Print time and memory of the shipped campaign, and whether its tables are identical."""
    print('\nCampaign of 10 000 detumble runs of 120 s, imports included')
    tables = []
    with tempfile.TemporaryDirectory() as folder:
        for threads in (1, 2):
            out = Path(folder) / str(threads)
            seconds, megabytes = started(RUN.format(str(CAMPAIGN), str(out), threads))
            print(f'  {threads} worker{"s"[: threads - 1]}: {seconds:.1f} s, {megabytes:.0f} MB')
            tables.append((out / 'runs.parquet').read_bytes())
    print(f'  the same table, bit for bit: {tables[0] == tables[1]}')


if __name__ == '__main__':
    main()
