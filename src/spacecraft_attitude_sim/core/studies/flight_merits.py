# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The merits of a flight with a controller: pointing, knowledge, actuators; one number for each.

    of_flight(Observed(...), Asked(...)) -> Merits

All doors use it: the summary of a run, figures and tables of a bag, campaigns, Python. Names of
indices are put together: ape_across_997 is the absolute performance error across the boresight at
99.7 %, rke_x_68 the relative knowledge error about x at 68.3 %.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacecraft_attitude_sim.core.control.response import attitude_errors, settling_time
from spacecraft_attitude_sim.core.studies import actuator_use, consistency, error_indices
from spacecraft_attitude_sim.core.studies.error_indices import AXES, LETTERS, LEVELS, Windows
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from spacecraft_attitude_sim.core.mathematics.types import Array, VectorLike
    from spacecraft_attitude_sim.core.studies.consistency import Judged, Knowledge, OfSensor

# Names of the indices of performance and knowledge, in the order of LETTERS.
PERFORMANCE, KNOWLEDGE = ('ape', 'mpe', 'rpe', 'pde'), ('ake', 'mke', 'rke', 'kde')
# Lengths that are taken where none is asked for [s], and at most these shares of the steady part.
WINDOW, DRIFT = 10.0, 60.0
WINDOW_SHARE, DRIFT_SHARE = 0.1, 0.5
# Instants of a bag that differ from a tick by less, in ticks, are at it.
NEAR = 0.25
# Names of all merits that are bounds of an index [rad].
INDICES = frozenset(
    f'{name}_{axis}_{level}'
    for name in (*PERFORMANCE, *KNOWLEDGE)
    for axis in AXES
    for level in LEVELS
)
WITHIN_SIGMAS = ('within_3_sigma_x', 'within_3_sigma_y', 'within_3_sigma_z')
# Merits of an estimator's consistency; those of its sensors have its name at the end.
OF_ESTIMATOR = (
    'knowledge_rms', 'known_share', *WITHIN_SIGMAS, 'nees_mean', 'nees_inside', 'nees_final',
    'misled_time', 'misled_error',
)  # fmt: skip
NIS = ('nis_mean', 'nis_inside')
# {merit that is no index: its unit}; others are shares or numbers.
UNITS = {
    'pointing_time': 's', 'pointing_rms': 'rad', 'knowledge_rms': 'rad',
    'misled_time': 's', 'misled_error': 'rad',
    'largest_torque': 'N m', 'torque_impulse': 'N m s', 'largest_momentum': 'N m s',
    'largest_wheel_speed': 'rad/s', 'largest_wheel_momentum': 'N m s',
    'largest_wheel_power': 'W', 'wheel_work': 'J', 'wheel_braking': 'J',
    'thruster_impulse': 'N s', 'propellant': 'kg',
}  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """How a flight is judged.

    steady_from: when the steady part begins, since the first instant [s]; None: when the error
        stays below `pointed_error`
    pointed_error: [rad]
    window, drift: lengths Δt and Δt_D of error_indices [s]; 0: WINDOW and DRIFT, or less where
        the steady part is short
    boresight_B: (3,) its length does not matter
    Raises ValueError naming the field, its value and the remedy.
    """

    steady_from: float | None = None
    pointed_error: float = math.radians(1.0)
    window: float = 0.0
    drift: float = 0.0
    boresight_B: VectorLike = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        """Check all fields."""
        lengths = {'window': self.window, 'drift': self.drift}
        for name, value in (lengths | {'steady_from': self.steady_from or 0.0}).items():
            if not 0.0 <= value < math.inf:
                raise ValueError(f'{name} is {value:g} s; give 0 or more')
        if not 0.0 < self.pointed_error <= math.pi:
            raise ValueError(
                f'pointed_error is {self.pointed_error:g} rad; give more than 0, at most pi'
            )
        size = np.linalg.norm(self.boresight_B)
        if np.shape(self.boresight_B) != (3,) or not 0.0 < size < math.inf:
            raise ValueError(
                f'boresight is {list(self.boresight_B)}; give three numbers, not all 0'
            )


class Observed(NamedTuple):
    """A flight at n instants, which may lack some ticks.

    time: (n,) [s];  step: of a tick [s];  q_WB: (n, 4) true attitude
    q_WR: (n, 4) wanted attitude, NaN where there is none; None where there never is
    momentum_W: (n, 3) of the whole [N m s]
    torque_B: (n, 3) commanded, of actuator_use.of_torque; None without commands
    parts: {kind: description and arrays}, of actuator_use.OF_KIND
    knowledge: of the estimator aboard, or None
    """

    time: Array
    step: float
    q_WB: Array
    q_WR: Array | None
    momentum_W: Array
    torque_B: Array | None = None
    parts: Mapping[str, tuple[Any, Mapping[str, Array]]] = {}
    knowledge: Knowledge | None = None


class Series(NamedTuple):
    """The errors over time, of which the merits are.

    time: (n,) [s];  errors: (n, 3) of pointing, rotation vectors in body axes [rad], NaN where
        not known
    knowledge_errors, sigma: (n, 3) of the estimator, and what it says of them [rad]; None
        without one;  nees: (n,);  judged: {sensor: Judged}
    """

    time: Array
    errors: Array
    knowledge_errors: Array | None = None
    sigma: Array | None = None
    nees: Array | None = None
    judged: Mapping[str, Judged] = {}


class Merits(NamedTuple):
    """The merits of a flight.

    values: {name: value} in SI units;  sensors: {name: OfSensor}
    begin, end: of the steady part [s];  settled: whether the error stayed below pointed_error
    window, drift: lengths that were used [s];  asked: Asked;  series: Series
    """

    values: dict[str, float]
    sensors: dict[str, OfSensor]
    begin: float
    end: float
    settled: bool
    window: float
    drift: float
    asked: Asked
    series: Series

    def bounds(self, name: str) -> Array | None:
        """Return the bounds (AXES, LEVELS) [rad] of an index such as 'ape'; None where none is."""
        if f'{name}_x_68' not in self.values:
            return None
        return np.array(
            [[self.values[f'{name}_{axis}_{level}'] for level in LEVELS] for axis in AXES]
        )


def unit_of(name: str) -> str:
    """Return the unit of a merit; '' of a share or a number."""
    return 'rad' if name in INDICES else UNITS.get(name, '')


def name_of(head: str, sensor: str) -> str:
    """Return the name of one of NIS of a sensor."""
    return f'{head}_{sensor.replace("/", "_")}'


def of_flight(observed: Observed, asked: Asked | None = None) -> Merits:
    """Return the Merits of a flight.

    Raises ValueError where `asked` does not fit the flight.
    """
    asked = asked or Asked()
    _check(observed, asked)
    series = _series(observed)
    time = series.time
    sizes = np.linalg.norm(series.errors, axis=1)
    points = observed.q_WR is not None
    settling = settling_time(time, sizes, asked.pointed_error) if points else 0.0
    begin = _begin(asked, settling)
    steady = time >= time[0] + begin - NEAR * observed.step
    lengths = _lengths(asked, float(time[-1] - time[0] - begin))
    windows = Windows(*(max(1, round(length / observed.step)) for length in lengths))
    boresight_B = np.array(asked.boresight_B, float) / np.linalg.norm(asked.boresight_B)
    values: dict[str, float] = {}
    if points:
        values['pointing_time'] = settling
        values['pointing_rms'] = _rms(sizes[steady])
        table = error_indices.indices(series.errors[steady], boresight_B, windows)
        values |= _named(PERFORMANCE, table)
    sensors: dict[str, OfSensor] = {}
    if series.knowledge_errors is not None:
        table = error_indices.indices(series.knowledge_errors[steady], boresight_B, windows)
        values |= _named(KNOWLEDGE, table)
        more, sensors = _consistency(series, steady, time[0] + begin)
        values |= more | _of_wrong_attitudes(series, observed.step)
    values |= _use(observed)
    return Merits(
        values, sensors, float(time[0] + begin), float(time[-1]), math.isfinite(settling),
        windows.width * observed.step, windows.apart * observed.step, asked, series,
    )  # fmt: skip


def _check(observed: Observed, asked: Asked) -> None:
    if len(observed.time) < 2:
        raise ValueError(f'a flight has {len(observed.time)} instants; merits need two')
    duration = observed.time[-1] - observed.time[0]
    lasts = f'the flight lasts {duration:g} s; give less'
    if asked.steady_from is not None and asked.steady_from >= duration:
        raise ValueError(f'steady_from is {asked.steady_from:g} s, and {lasts}')
    for name, value in (('window', asked.window), ('drift', asked.drift)):
        if value > duration:
            raise ValueError(f'{name} is {value:g} s, and {lasts}')
        if 0.0 < value < observed.step:
            raise ValueError(
                f'{name} is {value:g} s, less than a tick of {observed.step:g} s; give more'
            )


def _series(observed: Observed) -> Series:
    """Return the Series at every tick from the first instant to the last, NaN where one lacks."""
    ticks = np.rint((observed.time - observed.time[0]) / observed.step).astype(np.int64)
    time = observed.time[0] + observed.step * np.arange(ticks[-1] + 1)

    def everywhere(values: Array) -> Array:
        whole = np.full((len(time), *values.shape[1:]), np.nan)
        whole[ticks] = values
        return whole

    errors = np.full((len(observed.time), 3), np.nan)
    if observed.q_WR is not None:
        errors = attitude_errors(observed.q_WR, observed.q_WB)
    series = Series(time, everywhere(errors))
    if observed.knowledge is None:
        return series
    q_WE, covariance_B, judged = observed.knowledge
    missed = attitude_errors(observed.q_WB, q_WE)
    nees = consistency.nees(missed, covariance_B)
    sigma = consistency.sigmas(covariance_B)
    return series._replace(
        knowledge_errors=everywhere(missed), sigma=everywhere(sigma), nees=everywhere(nees),
        judged=judged,
    )  # fmt: skip


def _begin(asked: Asked, settling: float) -> float:
    """Return when the steady part begins, since the first instant [s]."""
    if asked.steady_from is not None:
        return asked.steady_from
    return settling if math.isfinite(settling) else 0.0


def _lengths(asked: Asked, steady: float) -> tuple[float, float]:
    """Return the lengths Δt and Δt_D [s] for a steady part of a length [s]."""
    window = asked.window or min(WINDOW, WINDOW_SHARE * steady)
    return window, asked.drift or min(DRIFT, DRIFT_SHARE * steady)


def _named(names: tuple[str, ...], table: Mapping[str, Array]) -> dict[str, float]:
    """Return {name of an index with axis and level: value}."""
    return {
        f'{name}_{axis}_{level}': float(value)
        for name, letter in zip(names, LETTERS, strict=True)
        for axis, row in zip(AXES, table[letter], strict=True)
        for level, value in zip(LEVELS, row, strict=True)
    }


def _consistency(
    series: Series, steady: Array, begin: float
) -> tuple[dict[str, float], dict[str, OfSensor]]:
    """Return the merits of an estimator's consistency in the steady part, and of its sensors."""
    errors, sigma, nees = series.knowledge_errors, series.sigma, series.nees
    assert errors is not None, 'there is an estimator'
    assert sigma is not None and nees is not None, 'they come together'
    within = consistency.within_sigmas(errors[steady], sigma[steady])
    squares = nees[steady][np.isfinite(nees[steady])]
    values = {
        'knowledge_rms': _rms(np.linalg.norm(errors[steady], axis=1)),
        'known_share': float(np.mean(np.isfinite(errors[steady, 0]))),
        **dict(zip(WITHIN_SIGMAS, within.tolist(), strict=True)),
        'nees_mean': float(np.mean(squares)) if squares.size else math.nan,
        'nees_inside': consistency.share_between(squares, consistency.FREEDOM),
        'nees_final': float(squares[-1]) if squares.size else math.nan,
    }
    sensors = {}
    for name, judged in series.judged.items():
        later = judged.time >= begin
        sensors[name] = consistency.of_sensor(type(judged)(*(column[later] for column in judged)))
        for head, value in zip(NIS, (sensors[name].mean, sensors[name].inside), strict=True):
            values[name_of(head, name)] = value
    return values, sensors


def _of_wrong_attitudes(series: Series, step: float) -> dict[str, float]:
    """Return the merits of the wrong attitudes that an estimator told in the whole flight."""
    errors, sigma = series.knowledge_errors, series.sigma
    assert errors is not None and sigma is not None, 'they come together'
    longest, error = consistency.misled(errors, sigma)
    return {'misled_time': step * longest, 'misled_error': error}


def _use(observed: Observed) -> dict[str, float]:
    """Return the merits of momentum, torque and actuators in the whole flight."""
    values = {'largest_momentum': float(np.linalg.norm(observed.momentum_W, axis=1).max())}
    if observed.torque_B is not None:
        values |= actuator_use.of_torque(observed.time, observed.torque_B)
    for kind, of_kind in actuator_use.OF_KIND.items():
        if kind in observed.parts:
            values |= of_kind(observed.time, *observed.parts[kind])
    return values


def _rms(sizes: Array) -> float:
    known = sizes[np.isfinite(sizes)]
    return math.sqrt(np.mean(known**2)) if known.size else math.nan
