# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Put attitude estimators of others beside ours, on the same readings of the same flights.

`pip install -c constraints.txt '.[rivals]'`, then `python bench/estimators.py [--rounds N]`, or as
a part of `make bench`; with `--seed N` the noise is that of another seed. All begin with the same
attitude, bias and covariance, those after the first attitude of ours. They take the readings in
the order of the stamps, also those that came late in flight. All get the same noise figures, and
the vectors in world that directions are compared with; of the gyroscope each gets the turn between
two readings that our filter computes. Times are processor time of a reading, the fastest of
interleaved rounds, without the models of Sun and field.
"""

import argparse
import time
from typing import NamedTuple

import numpy as np
import rival_estimators
from rival_estimators import Attitude, Direction, Flight, Step

import spacecraft_attitude_sim as sas
from spacecraft_attitude_sim.api.smoothing import FILTERED, RECORDED, SMOOTHED, Merit
from spacecraft_attitude_sim.configuration import attitude_estimator, scenario
from spacecraft_attitude_sim.core.estimation import replay
from spacecraft_attitude_sim.core.estimation.attitude_estimator import AttitudeEstimator
from spacecraft_attitude_sim.core.estimation.references import Unusable, prepared
from spacecraft_attitude_sim.core.estimation.replay import ATTITUDE, CELL, FIELD
from spacecraft_attitude_sim.core.estimation.settings import GYROSCOPE_NAME
from spacecraft_attitude_sim.core.mathematics import rotations
from spacecraft_attitude_sim.core.ticks import NANOSECONDS
from spacecraft_attitude_sim.recording import estimator_readings

# Names of answers beside those of rival_estimators.fitting.
AT_ITS_STAMP, ARRIVED = 'filterpy UKF', 'filterpy UKF, what had come'
BATCH = 'GTSAM, all readings'
NAMES = {
    SMOOTHED: 'our smoother, all readings', FILTERED: 'our filter: the bound',
    RECORDED: 'ours in flight, what had come',
}  # fmt: skip
# Of the numbers of a line.
COLUMNS = ('7.4g', '8.4g', '8.4g', '11.2f', '6.3g', '10.1f', '8.1f', '10.0f')
# Of cubesat_3u_leo: no tumble at the start, and a gyroscope with a bias.
HELD = {
    'simulator.initial.angular_velocity': [0.002, -0.001, 0.0015],
    'simulator.imu.gyroscope.turn_on_bias': [20.0],
}
# The axes of the star tracker are those of the body: Basilisk's filter takes a noise matrix with
# correlations for its transpose (it adds its Cholesky factor L as rows, which is the matrix LᵀL).
STARS = {
    'simulator.star_tracker.interval': 1, 'simulator.star_tracker.latency': 1,
    'simulator.star_tracker.orientation': [1.0, 0.0, 0.0, 0.0],
    'simulator.star_tracker.sun_exclusion': 0.0, 'simulator.star_tracker.earth_exclusion': 0.0,
}  # fmt: skip
SLOW = {
    'simulator.faults': ['slow'], 'simulator.fault.slow.component': 'star_tracker',
    'simulator.fault.slow.kind': 'late', 'simulator.fault.slow.value': [1.5],
    'simulator.fault.slow.at': 0.0,
}  # fmt: skip


class Flown(NamedTuple):
    """What is flown, and how it is judged.

    scenario: shipped;  seconds: flown;  judged_from: [s]
    late: ticks by which attitudes come late
    left_out: beginnings of the names of parameters that the flight has not;  given: new ones
    """

    scenario: str
    seconds: float
    judged_from: float
    late: int
    left_out: tuple
    given: dict

    def run(self, seed=None):
        """Return the Run; seed: of its noise, or None for that of the scenario."""
        flat = {
            f'{node}.{name}': value
            for node, own in scenario.read(scenario.find(self.scenario)).items()
            for name, value in own.items()
        }
        kept = {name: flat[name] for name in flat if not name.startswith(self.left_out)}
        own = any(name.startswith(attitude_estimator.NAME) for name in kept)
        given = self.given if seed is None else self.given | {'simulator.seed': seed}
        loaded = sas.load({**kept, **given}, estimator=not own)
        return sas.simulate(loaded, duration=self.seconds)


FLIGHTS = {
    'gyroscope and star tracker, whose readings come half a second late': Flown(
        'cubesat_3u_leo', 1800.0, 600.0, 1,
        ('simulator.sun_', 'simulator.magnet', 'simulator.gnss', 'attitude_controller.schedule',
         'attitude_controller.dipole', 'attitude_controller.desat', 'attitude_controller.b_dot'),
        {**HELD, **STARS, 'simulator.lockstep_topics': ['command/wheels'],
         'attitude_controller.mode': 'pointing',
         'attitude_controller.reference.attitude': [1.0, 0.0, 0.0, 0.0]},
    ),
    'gyroscope, magnetometer and Sun sensor': Flown(
        'cubesat_3u_leo', 1800.0, 600.0, 0,
        ('simulator.sun_cell', 'simulator.gnss', 'simulator.star_tracker',
         'attitude_controller.schedule'),
        {**HELD, 'attitude_controller.mode': 'sun_pointing'},
    ),
    'the same sensors, while the body tumbles with 10 deg/s': Flown(
        'cubesat_3u_leo', 900.0, 300.0, 0,
        ('simulator.sun_cell', 'simulator.gnss', 'simulator.star_tracker'),
        {'simulator.imu.gyroscope.turn_on_bias': [20.0]},
    ),
    'cubesat_3u_mission, whose star tracker readings come 1.5 s late': Flown(
        'cubesat_3u_mission', 2400.0, 1100.0, 3, ('simulator.none',), SLOW,
    ),
}  # fmt: skip


class Known:
    """What our estimator knows of a run, and the readings that it took."""

    def __init__(self, run):
        own = run.scenario
        values = attitude_estimator.checked(own.estimator)
        around = attitude_estimator.around(values)
        self.settings = attitude_estimator.settings(values)
        readings = estimator_readings.of_sensors(run.sensors, self.settings, own.plant.ticks)
        self.readings = sorted(readings, key=lambda reading: reading.time_ns)
        # A table: the models of Sun and field are no part of an estimator's time.
        at = {one.time_ns / NANOSECONDS: None for one in readings}
        self._table = {seconds: around(seconds) for seconds in at}

    def around(self, seconds):
        """Return what attitude_estimator.around returns."""
        return self._table[seconds]

    def together(self):
        """Return lists of the readings of each time."""
        found = {}
        for reading in self.readings:
            found.setdefault(reading.time_ns, []).append(reading)
        return list(found.values())

    def ours(self):
        """Give all readings to our estimator; return its first Estimate with an attitude."""
        estimator, begun = AttitudeEstimator(self.settings, self.around), None
        for readings in self.together():
            estimate = estimator.take(readings)
            if begun is None and estimate and estimate.q_WB is not None:
                begun = estimate
        return begun

    def around_turn(self, rates, seconds):
        """Return the readings that tell the turn in the last interval: two, or three in a bend."""
        constants = self.settings.constants(True)
        noise, correlation = constants[replay.NOISE], constants[replay.CORRELATION]
        bends = replay.bends(np.linalg.norm(rates[-2:][0]), seconds, noise, correlation)
        return rates[-3:] if bends else rates[-2:]

    def seen(self, reading):
        """Return the Attitude or Direction of a reading; None where it is no use."""
        known = self.settings.sensors[reading.sensor]
        try:
            values, reference_W = prepared(reading, known, self.around, self.settings.sunlit_share)
        except Unusable:
            return None
        C_BS = rotations.dcm_from_quaternion(known.q_BS)
        weight = known.weight(self.settings.correlation)
        if known.kind == ATTITUDE:
            q_WB = rotations.compose(values, rotations.conjugate(known.q_BS))
            return Attitude(q_WB, C_BS @ np.diag(weight) @ C_BS.T)
        if known.kind == CELL:
            return None
        size = np.linalg.norm(reference_W)
        sigma = float(np.sqrt(weight[0])) / (size if known.kind == FIELD else 1.0)
        return Direction(C_BS @ values / np.linalg.norm(values), reference_W / size, sigma)


def flight_of(run, known):
    """Return the Flight of a run after the first attitude of our estimator."""
    begun, steps, rates = known.ours(), [], []
    for readings in known.together():
        (gyroscope,) = (one for one in readings if one.sensor == GYROSCOPE_NAME)
        rates.append(rotations.rotate(known.settings.gyroscope.q_BS, gyroscope.values))
        if steps or gyroscope.time_ns > begun.time_ns:
            seen = [known.seen(one) for one in readings if one is not gyroscope]
            row = np.searchsorted(run.time, gyroscope.time_ns / NANOSECONDS)
            seconds = run.time[row] - run.time[row - 1]
            steps.append(
                Step(
                    gyroscope.time_ns, seconds,
                    mean_rate(known.around_turn(rates, seconds), seconds),
                    [one for one in seen if isinstance(one, Attitude)],
                    [one for one in seen if isinstance(one, Direction)],
                    run.wheels.speeds[row],
                )
            )  # fmt: skip
    spacecraft = run.scenario.plant.spacecraft
    rows = np.searchsorted(run.time, [step.time_ns / NANOSECONDS for step in steps])
    wheels = spacecraft.part('reaction_wheels')
    return Flight(
        begun, steps, known.settings.gyroscope, run.scenario.plant.body.inertia,
        wheels.axes_B, wheels.inertias, run.attitude[rows],
    )  # fmt: skip


def mean_rate(rates, seconds):
    """Return the turn in the last interval of two or three readings over its time (3,) [rad/s].

    It is that of core.estimation.replay, for readings that are alike apart: seconds [s]
    """
    weights = (-1.0 / 12.0, 2.0 / 3.0, 5.0 / 12.0) if len(rates) > 2 else (0.5, 0.5)
    return np.tensordot(weights, rates, axes=1) + seconds / 12.0 * np.cross(*rates[-2:])


class Judged(NamedTuple):
    """The table of a run.

    merits: {name: Merit};  times: {name: processor time of a reading [s]}
    """

    merits: dict[str, Merit]
    times: dict[str, float]


def judged(run, judged_from, late, rounds):
    """Return the Judged of our estimators and of others on a run.

    late: steps by which attitudes come late;  rounds: in which each is timed
    """
    known = Known(run)
    flight = flight_of(run, known)
    contenders = {FILTERED: lambda _: known.ours(), **rival_estimators.fitting(flight)}
    times, told = dict.fromkeys(contenders, np.inf), {}
    for _ in range(rounds):
        for name, function in contenders.items():
            start = time.process_time()
            told[name] = function(flight)
            spent = (time.process_time() - start) / len(known.readings)
            times[name] = min(times[name], spent)
    del told[FILTERED]
    if late and rival_estimators.installed('filterpy'):
        told[ARRIVED] = rival_estimators.filterpy_ukf(flight, late)
    if rival_estimators.installed('gtsam'):
        import gtsam_estimator

        told[BATCH] = gtsam_estimator.batch(flight)
    instants = np.array([step.time_ns for step in flight.steps]) / NANOSECONDS
    beside = {name: (instants, *one) for name, one in told.items()}
    return Judged(run.smoothed(judged_from, beside=beside).merits, times)


def bound_of_what_had_come(merits):
    """Return the rms [rad] of filterpy's filter over the readings that had come at each time.

    merits: {name: Merit}; NaN without filterpy
    """
    names = [name for name in (ARRIVED, AT_ITS_STAMP) if name in merits]
    return merits[names[0]].rms if names else np.nan


def print_table(title, found):
    """Print the Judged of a flight."""
    print(f'\n{title}')
    print(f'{"":30}     rms   99.7 %  1 sigma  in 3 sigma   NEES   rms, of the bounds  a reading')
    print(f'{"":30}   [deg]    [deg]    [deg]         [%]    (3)  of all, come [%]        [us]')
    bound = found.merits[FILTERED].rms
    had_come = bound_of_what_had_come(found.merits)
    order = [SMOOTHED, BATCH, FILTERED, *found.times, ARRIVED, RECORDED]
    for name in dict.fromkeys(name for name in order if name in found.merits):
        one, spent = found.merits[name], found.times.get(name, np.nan)
        angles = np.degrees((one.rms, one.high, one.sigma))
        came = 100.0 * one.rms / had_come if name in (ARRIVED, RECORDED) else np.nan
        rest = 100.0 * one.within, one.nees, 100.0 * one.rms / bound, came, 1e6 * spent
        numbers = zip((*angles, *rest), COLUMNS, strict=True)
        said = (format(number, form).replace('nan', '  -') for number, form in numbers)
        print(f'{NAMES.get(name, name):30}', *said)


def main():
    """Print a table for each flight."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--rounds', type=int, default=3, help='interleaved rounds')
    parser.add_argument('--seed', type=int, help='of the noise; default those of the scenarios')
    options = parser.parse_args()
    for line in rival_estimators.missing():
        print(line)
    for title, flown in FLIGHTS.items():
        run = flown.run(options.seed)
        print_table(title, judged(run, flown.judged_from, flown.late, options.rounds))


if __name__ == '__main__':
    main()
