# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What all readings of a flight tell of its attitude, beside what an estimator knew in flight."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.configuration import attitude_estimator
from spacecraft_attitude_sim.core.control.response import attitude_errors
from spacecraft_attitude_sim.core.estimation import calibration, smoother
from spacecraft_attitude_sim.core.studies import consistency
from spacecraft_attitude_sim.core.ticks import NANOSECONDS
from spacecraft_attitude_sim.recording import estimator_readings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from spacecraft_attitude_sim.configuration.scenario import Scenario
    from spacecraft_attitude_sim.core.estimation.settings import Settings
    from spacecraft_attitude_sim.core.mathematics.types import Array
    from spacecraft_attitude_sim.recording.history import History
    from spacecraft_attitude_sim.recording.sensor_history import Sensors

# Names of the columns of the table.
COLUMNS = (
    'time [s]', 'qw', 'qx', 'qy', 'qz', 'bias_x [rad/s]', 'bias_y [rad/s]', 'bias_z [rad/s]',
    'sigma_x [rad]', 'sigma_y [rad]', 'sigma_z [rad]',
)  # fmt: skip
RECORDED, FILTERED, SMOOTHED = 'recorded estimate', 'our filter', 'smoother'
HIGH = 99.7
# By how much the norm of a quaternion that others give may differ from 1.
WHOLE = 1e-3
# Later times than this are no run's [s].
LATEST = 9e9
# Nothing else is judged.
NOTHING: Mapping[str, Sequence[Any]] = {}


class Merit(NamedTuple):
    """How well an attitude was known at k instants.

    rms, high: error angle [rad], root mean square and at 99.7 %;  sigma: rms of what it says of it
    within: share of the errors about the axes within three of its standard deviations
    nees: mean NEES, 3 is expected;  instants: k
    """

    rms: float
    high: float
    sigma: float
    within: float
    nees: float
    instants: int


class Estimated(NamedTuple):
    """Attitudes that some other estimator told at k instants.

    time: (k,) [s], ascending;  attitude: (k, 4) body to world, NaN where it is not known
    covariance: (k, 3, 3) of its error, a rotation vector in body axes [rad^2], NaN for none
    """

    time: Array
    attitude: Array
    covariance: Array

    @classmethod
    def checked(cls, name: str, given: Sequence[Any]) -> Estimated:
        """Return the Estimated of time, attitude and perhaps covariance; else ValueError."""
        try:
            time, attitude, *rest = (np.asarray(part, dtype=float) for part in given)
        except (TypeError, ValueError):
            raise ValueError(f'{name}: give arrays of times, attitudes, covariances') from None
        k = time.size
        covariance = rest[0] if rest else np.full((k, 3, 3), np.nan)
        shapes = time.shape, attitude.shape, covariance.shape
        if len(rest) > 1 or shapes != ((k,), (k, 4), (k, 3, 3)):
            raise ValueError(
                f'{name}: has arrays of shapes {", ".join(map(str, shapes))}; give times (k,), '
                'attitudes (k, 4) and, if you have them, covariances (k, 3, 3)'
            )
        if not (np.isfinite(time).all() and (np.diff(time) > 0.0).all()):
            raise ValueError(f'{name}: its times do not ascend, or are no numbers')
        with np.errstate(over='ignore'):
            size = np.linalg.norm(attitude, axis=1)
        if (wrong := np.flatnonzero(np.abs(size - 1.0) > WHOLE)).size:
            raise ValueError(
                f'{name}: the quaternion at {time[wrong[0]]:g} s has the norm '
                f'{size[wrong[0]]:g}; it must be 1'
            )
        return cls(time, attitude / size[:, np.newaxis], covariance)

    def at(self, name: str, times_ns: NDArray[np.int64]) -> tuple[Array, Array]:
        """Return attitudes (n, 4) and covariances (n, 3, 3) at times [ns]; NaN where none is.

        Raises ValueError where there is no attitude at all.
        """
        own_ns = np.rint(NANOSECONDS * np.clip(self.time, -LATEST, LATEST)).astype(np.int64)
        _, own, wanted = np.intersect1d(own_ns, times_ns, return_indices=True)
        if not np.isfinite(self.attitude[own]).all(axis=1).any():
            raise ValueError(
                f'{name}: tells no attitude at a time at which the gyroscope reads, such as '
                f'{times_ns[-1] / NANOSECONDS:g} s'
            )
        q_WB, covariance_B = (np.full((len(times_ns), *size), np.nan) for size in ((4,), (3, 3)))
        q_WB[wanted], covariance_B[wanted] = self.attitude[own], self.covariance[own]
        return q_WB, covariance_B


class Smoothed:
    """The smoothed attitude of a run at k instants, and merits beside the truth. Print it.

    time: (k,) [s];  attitude: (k, 4) body to world;  gyro_bias: (k, 3) body axes [rad/s]
    magnetometer_bias: (k, 3) sensor axes [T], zeros where it is not estimated
    calibration: of the gyroscope's axes and of mountings, by all readings, of
        core.estimation.calibration; None where none is estimated
    covariance: (k, 3, 3) of the error of attitude, a rotation vector in body axes [rad^2]
    filtered: core.estimation.smoother.Solution of the filter alone, at the same instants
    merits: {'recorded estimate', 'our filter', 'smoother', and what is beside them: Merit}, at
        instants where all know the attitude;  judged_from: time of the first such instant [s]
    """

    def __init__(
        self,
        passes: smoother.Passes,
        history: History,
        settings: Settings,
        judged_from: float = 0.0,
        beside: Mapping[str, Sequence[Any]] = NOTHING,
    ) -> None:
        own = passes.smoothed
        self.time = own.time_ns / NANOSECONDS
        self.attitude, self.gyro_bias = own.q_WB, own.gyro_bias_B
        self.magnetometer_bias, self.covariance = own.field_bias_S, own.covariance[:, :3, :3]
        last = own.gyro_axes_S[-1], own.mountings[-1], own.covariance[-1]
        self.calibration = calibration.of_parts(settings, *last)
        self.filtered = passes.filtered
        self.judged_from = max(judged_from, float(self.time[0]))
        self.merits = _merits(passes, history, judged_from, beside)

    @property
    def sigma(self) -> Array:
        """Standard deviations (k, 3) of the attitude about the axes of the body [rad]."""
        return consistency.sigmas(self.covariance)

    def __repr__(self) -> str:
        wide = max(18, *map(len, self.merits))
        head = f'{"":{wide}} {"rms":>10} {"99.7 %":>10} {"1 sigma":>10}   in 3 sigma     NEES\n'
        lines = [_line(name.ljust(wide), merit) for name, merit in self.merits.items()]
        count = next(iter(self.merits.values())).instants
        span = f'{self.judged_from:g} s to {self.time[-1]:g} s, {count} instants\n'
        unit = f'{"":{wide}} {"[deg]":>10} {"[deg]":>10} {"[deg]":>10} {"[%]":>12} {"(3)":>8}\n'
        if self.calibration:
            lines += ['', f'{"estimated, in rad or as a share":34} {"value":>12} {"1 sigma":>10}']
            lines += [
                f'{name:34} {value:12.4g} {sigma:10.2g}'
                for name, (value, sigma) in self.calibration.named().items()
            ]
        return f'error of the attitude, {span}{head}{unit}' + '\n'.join(lines)

    def to_csv(self, path: str | Path) -> Path:
        """Write time, attitude, gyroscope bias and standard deviations; return the path."""
        table = np.column_stack((self.time, self.attitude, self.gyro_bias, self.sigma))
        with Path(path).open('w', newline='', encoding='utf-8') as file:
            writer = csv.writer(file, lineterminator='\n')
            writer.writerow(COLUMNS)
            writer.writerows([repr(value) for value in row] for row in table.tolist())
        return Path(path)


def _line(name: str, merit: Merit) -> str:
    angles = [math.degrees(angle) for angle in (merit.rms, merit.high, merit.sigma)]
    forms = '10.4g', '10.4g', '10.4g', '12.2f', '8.3g'
    numbers = zip((*angles, 100.0 * merit.within, merit.nees), forms, strict=True)
    texts = (format(number, form).replace('nan', '  -') for number, form in numbers)
    return f'{name} {" ".join(texts)}'


def of_run(
    scenario: Scenario,
    sensors: Sensors,
    history: History,
    judged_from: float,
    estimator: Mapping[str, Any],
    beside: Mapping[str, Sequence[Any]] = NOTHING,
) -> Smoothed:
    """Return the Smoothed of a run; ValueError where its readings tell no attitude.

    judged_from: time from which the errors count [s]
    estimator: {name: value} of parameters of attitude_estimator that are to differ
    beside: as of Run.smoothed
    """
    if not judged_from < history.time[-1]:
        raise ValueError(
            f'errors are to count from {judged_from:g} s on, but the run ends at '
            f'{history.time[-1]:g} s'
        )
    values = scenario.estimator or attitude_estimator.of_simulator(scenario.parameters)
    allowed = attitude_estimator.catalogue({**values, **estimator})
    values = {name: value for name, value in values.items() if name in allowed}
    values = attitude_estimator.checked({**values, **estimator})
    settings, around = attitude_estimator.settings(values), attitude_estimator.around(values)
    readings = estimator_readings.of_sensors(sensors, settings, scenario.plant.ticks)
    passes = smoother.smoothed(settings, around, readings)
    if passes is None:
        raise ValueError(
            f'the readings of {", ".join(settings.sensors)} tell no attitude; they last '
            f'{history.time[-1] - history.time[0]:g} s'
        )
    return Smoothed(passes, history, settings, judged_from, beside)


def _merits(
    passes: smoother.Passes,
    history: History,
    judged_from: float,
    beside: Mapping[str, Sequence[Any]],
) -> dict[str, Merit]:
    """Return the Merits at the instants of which the truth, and all of them, know something."""
    own, known = passes.smoothed, history.knowledge
    times_ns = np.rint(NANOSECONDS * history.time).astype(np.int64)
    _, ours, theirs = np.intersect1d(own.time_ns, times_ns, return_indices=True)
    known_by = {
        FILTERED: (passes.filtered.q_WB[ours], passes.filtered.covariance[ours, :3, :3]),
        SMOOTHED: (own.q_WB[ours], own.covariance[ours, :3, :3]),
    }
    if known is not None and np.isfinite(known.q_WE[theirs]).any():
        known_by = {RECORDED: (known.q_WE[theirs], known.covariance_B[theirs]), **known_by}
    if taken := known_by.keys() & beside.keys():
        raise ValueError(f'{taken.pop()}: is a name of ours; give your estimator another one')
    known_by |= {
        name: Estimated.checked(name, given).at(name, times_ns[theirs])
        for name, given in beside.items()
    }
    all_know = np.all([np.isfinite(q).all(axis=1) for q, _ in known_by.values()], axis=0)
    all_know &= times_ns[theirs] >= NANOSECONDS * judged_from
    q_WB = history.q_WB()[theirs]
    return {
        name: _merit(attitude_errors(q[all_know], q_WB[all_know]), covariance_B[all_know])
        for name, (q, covariance_B) in known_by.items()
    }


def _merit(errors: Array, covariance_B: Array) -> Merit:
    """Return the Merit of errors (k, 3) [rad] and their covariances (k, 3, 3) [rad^2]."""
    angles, sigma = np.linalg.norm(errors, axis=1), consistency.sigmas(covariance_B)
    if not len(angles):
        return Merit(*(math.nan,) * 5, 0)
    squares = consistency.nees(errors, covariance_B)
    return Merit(
        float(np.sqrt(np.mean(angles**2))), float(np.percentile(angles, HIGH)),
        math.sqrt(_mean(np.sum(sigma**2, axis=1))),
        float(np.mean(consistency.within_sigmas(errors, sigma))),
        _mean(squares), len(angles),
    )  # fmt: skip


def _mean(values: Array) -> float:
    """Return the mean of those that are known; NaN of none."""
    known = values[np.isfinite(values)]
    return float(np.mean(known)) if len(known) else math.nan
