# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Which sensors agree with a filter: sums of their last normalised innovations squared, and χ².

An error that grows slowly shows first in the mean of innovations, with their signs: it is that of
many more readings than a sum, with weights that fade. An innovation is given the length of its
normalised square here, along the residual in units of the sensor's sigma. So the square of the
mean, divided by the sum of the squared weights, is χ² where innovations are white.

R. K. Mehra, J. Peschon, Automatica 7 (1971) 637; S. W. Roberts, Technometrics 1 (1959) 239, for
weights that fade.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.estimation.replay import FREEDOM
from spacecraft_attitude_sim.core.mathematics.layout import Layout
from spacecraft_attitude_sim.core.mathematics.vectors import dot, three_at
from spacecraft_attitude_sim.kernels.kernel import compiled, helper, part
from spacecraft_attitude_sim.kernels.pointers import borrowed
from spacecraft_attitude_sim.safety.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spacecraft_attitude_sim.core.estimation.event_history import Whole
    from spacecraft_attitude_sim.core.estimation.settings import Estimate, Gyroscope, Settings
    from spacecraft_attitude_sim.core.mathematics.types import Array, Floats

# A sensor agrees or disagrees by so many readings at least.
FEWEST = 2
# A sensor reads no longer after so many of its intervals.
SILENCE = 2
# For so long a sensor reads at least [ns].
SOON_NS = 3_000_000_000
# A sensor that has disagreed agrees again if its sum is not above this quantile.
UNUSUAL = 0.05
# Of each sensor whole numbers: its vote, how many readings are kept, and the time of each [ns].
VOTE, KEPT, TIMES = 0, 1, 2
DISAGREES, AGREES, SILENT = 0, 1, -1
# Of each sensor, `readings` times: nis, size and whether taken. The size is the nis, or the gate
# where that has refused it: one stray reading counts no more than its gate, and what is not finite
# is outside it.
NIS, SIZE, TAKEN, COLUMNS = 0, 1, 2, 3
# Behind them the mean of innovations, and the sum of its squared weights.
MEAN = Layout(value=3, weight=1)
# How many times more readings count in a mean than in a sum.
MEAN_READINGS = 5
# What is known: most readings kept, after how long they are dropped [ns], the weight of the latest
# innovation in a mean, Watch.limits and usual; then freedom, bias, and sigma of each sensor.
HEAD = Layout(readings=1, reset=1, share=1)
SENSOR = Layout(freedom=1, biased=1, sigma=3)
COMPONENTS = 4  # less than so many
HEAD_SIZE, SENSOR_SIZE, MEAN_SIZE = HEAD.size, SENSOR.size, MEAN.size
SHARE, SIGMA = HEAD.at('share'), SENSOR.at('sigma')
# A judgement: number of the sensor, nis, gate, whether taken, and residual.
JUDGED = Layout(sensor=1, nis=1, gate=1, taken=1, residual=3)
JUDGED_SIZE, RESIDUAL = JUDGED.size, JUDGED.at('residual')


@dataclass(frozen=True)
class Watch:
    """Settings of a WatchedEstimator, beside those of its filters.

    suspect: the gyroscope as it is taken while it is suspect
    readings: how many of a sensor are tested together
    false_alarm: probability that a test says that a good sensor disagrees
    trust_ns: how long the gyroscope must agree before it is believed again

    limits, usual: (4, readings + 1) sums, by number of components and of readings, above which a
        sensor disagrees, and up to which it agrees again;  usual_bias: {components: quantile}
    """

    suspect: Gyroscope
    readings: int = 40
    false_alarm: float = 1e-6
    trust_ns: int = 300_000_000_000
    limits: Array = field(init=False, repr=False, compare=False)
    usual: Array = field(init=False, repr=False, compare=False)
    usual_bias: dict[int, float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compute the sums above which a sensor disagrees, and below which it agrees again."""
        from scipy.special import chdtri

        object.__setattr__(self, 'limits', self._sums(self.false_alarm))
        object.__setattr__(self, 'usual', self._sums(UNUSUAL))
        object.__setattr__(self, 'usual_bias', {k: float(chdtri(k, UNUSUAL)) for k in (2, 3)})

    def _sums(self, probability: float) -> Array:
        """Return the quantiles of χ² of each sum."""
        from scipy.special import chdtri

        sums = np.zeros((COMPONENTS, self.readings + 1))
        for freedom in (2, 3):
            for k in range(1, self.readings + 1):
                sums[freedom, k] = chdtri(freedom * k, probability)
        return sums


class Agreement:
    """Which sensors agree with a filter, by the latest readings that it has judged.

    of_sensors: {sensor: whether it agrees} of those that read now
    drifting: sensors whose mean innovation is too large
    """

    def __init__(self, settings: Settings, watch: Watch) -> None:
        self._settings, self._watch = settings, watch
        sensors = settings.sensors
        self._numbers = {name: number for number, name in enumerate(sensors)}
        each = [
            (FREEDOM[sensor.kind], any(sensor.constant), *np.sqrt(sensor.variance).tolist())
            for sensor in sensors.values()
        ]
        self._biased = {name for name, own in zip(sensors, each, strict=True) if own[1]}
        self._known = np.concatenate((
            (watch.readings, settings.reset_ns, 2.0 / (MEAN_READINGS * watch.readings)),
            watch.limits.ravel(), watch.usual.ravel(), np.array(each, dtype=float).ravel(),
        ))  # fmt: skip
        self._votes = np.zeros((len(sensors), TIMES + watch.readings), dtype=np.int64)
        self._sizes = np.zeros((len(sensors), COLUMNS * watch.readings + MEAN.size))
        self.forget()

    @property
    def arrays(self) -> tuple[Whole, Array, Array]:
        """votes, sizes and known of `hear`."""
        return self._votes.reshape(-1), self._sizes.reshape(-1), self._known

    def live_in(self, votes: Whole, sizes: Array) -> None:
        """Keep votes and sizes in given arrays from now on, flat ones as large as its own."""
        votes[:], sizes[:], _ = self.arrays
        self._votes = votes.reshape(self._votes.shape)
        self._sizes = sizes.reshape(self._sizes.shape)

    def forget(self) -> None:
        """Forget all readings."""
        self._votes[:, VOTE], self._votes[:, KEPT] = SILENT, 0
        self.of_sensors: dict[str, bool] = {}
        self.forget_means()

    def forget_means(self) -> None:
        """Forget the means of innovations."""
        self._sizes[:, -MEAN.size :] = 0.0
        self.drifting: set[str] = set()

    def silence(self, wrong: Iterable[int]) -> None:
        """Forget the readings of sensors, by their numbers: they have no vote."""
        self._votes[list(wrong), KEPT] = 0

    def hear(self, estimate: Estimate) -> None:
        """Take the judgements of an Estimate, and drop what is too old."""
        stamps: list[int] = []
        numbers: list[float] = []
        for judged in estimate.judgements:
            if judged.freedom > 1:  # the Earth lights cells, too
                stamps.append(judged.time_ns)
                numbers += (self._numbers[judged.sensor], judged.nis, judged.gate, judged.taken)
                numbers += judged.residual.tolist()
        changed = hear(
            *self.arrays, np.array(stamps, dtype=np.int64), np.array(numbers, dtype=float),
            estimate.time_ns,
        )  # fmt: skip
        if changed:
            votes = zip(self._numbers, self._votes[:, VOTE].tolist(), strict=True)
            self.of_sensors = {name: vote == AGREES for name, vote in votes if vote != SILENT}
            sizes, known = self._sizes, self._known
            self.drifting = {
                name for name, k in self._numbers.items() if drifts(sizes[k], known, k)
            }

    def usually_biased(self) -> bool:
        """Return whether sensors with a bias are off, in the mean, as a bias usually is."""
        for name in self.of_sensors:
            if name in self._biased:
                number, freedom = self._numbers[name], FREEDOM[self.kind_of(name)[0]]
                nis = self._sizes[number, : self._votes[number, KEPT]].tolist()
                if not sum(nis) / len(nis) <= self._watch.usual_bias[freedom]:
                    return False
        return True

    def doubted_for(self, wrong: Iterable[int]) -> float:
        """Return how long a filter may have followed an error, 0 where it did not [s].

        wrong: numbers of sensors that have just turned out to be wrong
        """
        sensors, readings = list(self._settings.sensors.values()), self._watch.readings
        drifting = [self._settings.sensors[name].interval for name in self.drifting]
        times = [0.5 * MEAN_READINGS * readings * interval for interval in drifting]
        return max([*times, *(readings * sensors[number].interval for number in wrong)], default=0)

    def kind_of(self, name: str) -> tuple[float, str]:
        """Return what a sensor sees: sensors of one kind may all be wrong by the same cause."""
        sensor = self._settings.sensors[name]
        return sensor.kind, sensor.target


@compiled
def hear(
    votes: Whole, sizes: Array, known: Array, stamps: Whole, judged: Array, now_ns: int
) -> bool:
    """Take judgements, drop what is too old, let all sensors vote; return whether one changed.

    It also returns True where a mean of innovations is too large.

    votes, sizes, known: as above
    stamps: of the judgements [ns];  judged: of their numbers, those of sensors that vote
    """
    return heard(borrowed(votes), borrowed(sizes), borrowed(known), stamps, judged, now_ns)


@part
def heard(
    votes: Whole, sizes: Array, known: Array, stamps: Whole, judged: Array, now_ns: int
) -> bool:
    """Do what `hear` does; votes, sizes and known are borrowed."""
    readings, changed = int(known[0]), False
    for i in range(len(stamps)):
        note(votes, sizes, known, stamps[i], judged[JUDGED_SIZE * i : JUDGED_SIZE * (i + 1)])
    stride = COLUMNS * readings + MEAN_SIZE
    for sensor in range(len(votes) // (TIMES + readings)):
        own = votes[(TIMES + readings) * sensor : (TIMES + readings) * (sensor + 1)]
        kept = sizes[stride * sensor : stride * (sensor + 1)]
        changed = changed or drifts(kept, known, sensor)
        vote = SILENT
        if reads(own, kept, int(known[1]), readings, now_ns):
            vote = int(agrees(own, kept, known, sensor, own[VOTE] != DISAGREES))
        changed = changed or vote != own[VOTE]
        own[VOTE] = vote
    return changed


@part
def note(votes: Whole, sizes: Array, known: Array, time_ns: int, judged: Array) -> None:
    """Keep a judgement as the latest one of its sensor."""
    sensor, readings = int(judged[0]), int(known[0])
    stride = COLUMNS * readings + MEAN_SIZE
    own = votes[(TIMES + readings) * sensor : (TIMES + readings) * (sensor + 1)]
    kept = sizes[stride * sensor : stride * (sensor + 1)]
    if own[KEPT] == readings:
        forget_oldest(own, kept, readings)
    k, nis, taken = own[KEPT], judged[1], judged[3]
    own[TIMES + k], own[KEPT] = time_ns, k + 1
    kept[readings * NIS + k], kept[readings * TAKEN + k] = nis, taken
    kept[readings * SIZE + k] = nis if taken > 0.0 else judged[2]
    if taken > 0.0:
        mean, share = kept[COLUMNS * readings :], known[SHARE]
        sigma = three_at(known, sensor_at(readings, sensor) + SIGMA)
        innovation = normalised(three_at(judged, RESIDUAL), sigma, nis)
        for i in range(3):
            mean[i] += share * (innovation[i] - mean[i])
        mean[3] = (1.0 - share) * (1.0 - share) * mean[3] + share * share


@helper
def sensor_at(readings: int, sensor: int) -> int:
    """Return where the SENSOR of a number begins in what is known."""
    return HEAD_SIZE + 2 * COMPONENTS * (readings + 1) + SENSOR_SIZE * sensor


@part
def normalised(residual: Floats, sigma: Floats, nis: float) -> Floats:
    """Return an innovation: along the residual in units of sigma, its square the nis."""
    x, y, z = residual[0] / sigma[0], residual[1] / sigma[1], residual[2] / sigma[2]
    square = x * x + y * y + z * z
    size = math.sqrt(nis / square) if square > 0.0 else 0.0
    return size * x, size * y, size * z


@part
def drifts(kept: Array, known: Array, sensor: int) -> bool:
    """Return whether the mean innovation of a sensor is too large; not of one with a bias."""
    readings = int(known[0])
    place = sensor_at(readings, sensor)
    if known[place + 1] > 0.0:
        return False
    mean = three_at(kept, COLUMNS * readings)
    limit = known[HEAD_SIZE + (readings + 1) * int(known[place]) + 1]
    return dot(mean, mean) > limit * kept[COLUMNS * readings + 3]


@part
def forget_oldest(own: Whole, kept: Array, readings: int) -> None:
    """Drop the oldest judgement of a sensor."""
    own[KEPT] -= 1
    for k in range(own[KEPT]):
        own[TIMES + k] = own[TIMES + k + 1]
        for column in range(COLUMNS):
            kept[readings * column + k] = kept[readings * column + k + 1]


@part
def reads(own: Whole, kept: Array, reset_ns: int, readings: int, now_ns: int) -> bool:
    """Return whether a sensor reads now, after its old readings are dropped."""
    while own[KEPT] > 0 and now_ns - own[TIMES] > reset_ns:
        forget_oldest(own, kept, readings)
    last = TIMES + own[KEPT] - 1
    if own[KEPT] < FEWEST:
        return False
    usual_ns = max(SOON_NS, SILENCE * (own[last] - own[last - 1]))
    return now_ns - own[last] <= usual_ns


@part
def agrees(own: Whole, kept: Array, known: Array, sensor: int, agreed: bool) -> bool:
    """Return whether readings of a sensor are as they should be.

    agreed: whether those before were; one that did not must be better than it need be else
    """
    number, readings = own[KEPT], int(known[0])
    few = min(number, max(FEWEST, readings // 4))
    usual = COMPONENTS * (readings + 1)  # how far behind the limits
    place = sensor_at(readings, sensor)
    if known[place + 1] > 0.0:  # errors that stay do not add up as χ²
        taken = kept[readings * TAKEN : readings * (TAKEN + 1)]
        if agreed:
            return total(taken, number - few, number) * 2.0 > few
        return total(taken, 0, number) == number
    row = HEAD_SIZE + (readings + 1) * int(known[place])
    whole = total(kept[readings * SIZE : readings * (SIZE + 1)], 0, number)
    if not agreed:
        return whole <= known[row + usual + number]
    latest = total(kept[readings * SIZE : readings * (SIZE + 1)], number - few, number)
    return whole <= known[row + number] and latest <= known[row + few]


@part
def total(values: Array, first: int, last: int) -> float:
    """Return the sum of the values from number `first` to last - 1."""
    whole = 0.0
    for k in range(first, last):
        whole += values[k]
    return whole
