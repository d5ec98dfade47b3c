# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Finds a faulty gyroscope: the other sensors vote, and a second filter does not believe it.

A filter that believes a wrong gyroscope refuses what is right. So the sum of a sensor's last
normalised innovations squared is compared with χ²: a sensor disagrees where it is too large. From
then on a second filter runs, which begins anew and takes the gyroscope for a bad one. Where two
kinds of sensors disagree with the first filter and agree with the second, the gyroscope is wrong,
and the second is flown. A sensor that disagrees alone is refused if another one contradicts it.
Where nobody can tell, the covariance covers both attitudes.

Tests of innovations: R. K. Mehra, J. Peschon, Automatica 7 (1971) 637; A. S. Willsky, Automatica
12 (1976) 601.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from spacecraft_attitude_sim.core.estimation.agreement import Agreement, Watch
from spacecraft_attitude_sim.core.estimation.attitude_estimator import AttitudeEstimator
from spacecraft_attitude_sim.core.estimation.door import LATEST_NS
from spacecraft_attitude_sim.core.estimation.replay import ATTITUDE
from spacecraft_attitude_sim.core.mathematics import rotations

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable

    from spacecraft_attitude_sim.core.estimation.settings import (
        Estimate,
        Reading,
        Settings,
    )
    from spacecraft_attitude_sim.core.mathematics.types import Array, Vector3

# So many kinds of sensors prove a gyroscope wrong, or an attitude right.
ENOUGH_KINDS = 2
# The covariance of a filter is honest for small angles [rad]; one that is suspect begins anew.
LARGEST_SIGMA = math.radians(5.0)
# Two attitudes are clearly apart by so many standard deviations.
CLEAR = 5.0
# The attitude of a filter that does not believe the gyroscope counts after so long, and for so
# long after a star tracker or two kinds of sensors have agreed [ns].
PROBATION_NS = 10_000_000_000
# That filter begins anew after so long outside its gate [ns].
SOON_NS = 3_000_000_000
SUSPECT = 'the gyroscope is suspect: the other sensors agree without it'
ALONE = 'no sensor agrees with the attitude'
SINCE_ALONE = 'no sensor agreed with the attitude until a while ago'
OPEN = 'or the gyroscope is wrong: the covariance covers both'


class Filter:
    """An AttitudeEstimator, and which sensors agree with it.

    limit: largest standard deviation of its attitude, beyond which it begins anew [rad]; 0: any

    latest: its latest Estimate;  lost: whether its latest call began it anew
    proven: whether enough sensors have agreed for long enough since it began
    agreement: Agreement of its sensors
    exposed: numbers of the sensors that have just turned out to be wrong by themselves
    """

    def __init__(
        self,
        settings: Settings,
        around: Callable[[float], Array] | None,
        watch: Watch,
        limit: float = 0.0,
    ) -> None:
        self.estimator, self._limit = AttitudeEstimator(settings, around), limit
        self.agreement = Agreement(settings, watch)
        self.begin()

    def begin(self) -> None:
        """Begin anew."""
        self.estimator.restart()
        self.latest: Estimate | None = None
        self._forget()
        self.lost = False

    def _forget(self) -> None:
        self.agreement.forget()
        self.proven, self._known_ns = False, -1
        self.exposed: set[int] = set()
        self._wrong: set[int] = set()

    def take(self, readings: list[Reading], clock_ns: int | None) -> Estimate | None:
        """Take readings as AttitudeEstimator.take does."""
        if self._limit and self.knows and max(self.known.sigma) > self._limit:
            self.begin()
        before = self.estimator.resets
        self.latest = self.estimator.take(readings, clock_ns)
        self.lost = self.estimator.resets > before
        if self.lost or not self.knows:
            self._forget()
        else:
            self._hear(self.known)
        return self.latest

    def _hear(self, estimate: Estimate) -> None:
        """Let the sensors vote; note whether they have agreed for long enough."""
        if self._wrong or not self.estimator.lengths.right:
            wrong = self.estimator.lengths.wrong
            self.exposed, self._wrong = wrong - self._wrong, wrong
            self.agreement.silence(wrong)
        self.agreement.hear(estimate)
        if self._known_ns < 0:
            self._known_ns = estimate.time_ns
        if not self.proven and estimate.time_ns - self._known_ns >= PROBATION_NS:
            self.proven = self.vouched

    def open_bias(self) -> None:
        """Let the bias of the gyroscope be found anew where it has followed an error.

        So it has where a mean of innovations is too large, or a sensor turned out to be wrong.
        """
        if self.knows and (self.agreement.drifting or self.exposed):
            seconds = self.agreement.doubted_for(self.exposed)
            self.latest = self.estimator.open_bias(seconds, self.known.judgements)
            self.agreement.forget_means()

    @property
    def vouched(self) -> bool:
        """Whether a star tracker or two kinds of sensors agree with it."""
        kinds = {self.kind_of(name) for name, agrees in self.agreeing.items() if agrees}
        return len(kinds) >= ENOUGH_KINDS or any(kind == ATTITUDE for kind, _ in kinds)

    @property
    def known(self) -> Estimate:
        """Its latest Estimate, after one."""
        assert self.latest is not None, 'the gyroscope has read'
        return self.latest

    @property
    def refused_all(self) -> bool:
        """Whether it has just begun anew because its gate has refused all for long."""
        taken = [judged.taken for judged in self.known.judgements if judged.freedom > 1]
        return self.lost and bool(taken) and not any(taken)

    @property
    def agreeing(self) -> dict[str, bool]:
        """Whether each sensor that reads now agrees: {sensor: whether}."""
        return self.agreement.of_sensors

    def kind_of(self, name: str) -> tuple[float, str]:
        """Return what a sensor sees."""
        return self.agreement.kind_of(name)

    @property
    def is_right(self) -> bool:
        """Whether enough sensors have agreed, and those with a bias are off as one usually is."""
        return self.proven and self.agreement.usually_biased()

    @property
    def knows(self) -> bool:
        """Whether it has an attitude."""
        return self.latest is not None and self.latest.q_WB is not None

    @property
    def disagreeing(self) -> set[str]:
        """Names of the sensors that do not agree with it."""
        return {name for name, agrees in self.agreeing.items() if not agrees}

    @property
    def contradicted(self) -> bool:
        """Whether a sensor disagrees and no star tracker agrees."""
        stars = any(ok and self.kind_of(name)[0] == ATTITUDE for name, ok in self.agreeing.items())
        return bool(self.disagreeing) and not stars

    @property
    def alone(self) -> bool:
        """Whether sensors read, and none agrees."""
        return bool(self.agreeing) and not any(self.agreeing.values())


class WatchedEstimator:
    """An AttitudeEstimator that notices when its gyroscope is wrong.

    settings, around: of the AttitudeEstimator;  watch: Watch

    suspect: whether the gyroscope is not believed;  alarms: how often it became suspect
    """

    def __init__(
        self, settings: Settings, around: Callable[[float], Array] | None, watch: Watch
    ) -> None:
        self.settings, self._watch, self.alarms = settings, watch, 0
        doubting = replace(
            settings,
            gyroscope=watch.suspect,
            reset_ns=min(settings.reset_ns, SOON_NS),
            start_sigma=min(settings.start_sigma, LARGEST_SIGMA),
        )
        # It believes the gyroscope, with a bias as large as that of one that is suspect.
        bias = replace(settings.gyroscope, bias_sigma=watch.suspect.bias_sigma)
        self._first = self._believing = Filter(settings, around, watch)
        self._trial = Filter(replace(settings, gyroscope=bias), around, watch)
        self._doubting = Filter(doubting, around, watch, LARGEST_SIGMA)
        self.suspect = False
        self.restart()

    def restart(self) -> None:
        """Forget all but the counts, and believe the gyroscope."""
        _exchange_counts(self._flown, self._first)
        self._believing = self._first
        self.suspect, self._compares, self._doubt = False, False, ''
        # Since when the filters are compared, or all agree with a gyroscope that is suspect [ns].
        self._since_ns = 0
        self._vouched_ns = 0  # when enough sensors have agreed without the gyroscope [ns]
        self._opened_ns: int | None = None  # when the bias was last opened [ns]
        # Until when no attitude is told that one sensor holds, which has contradicted it [ns].
        self._until_ns: int | None = None
        self._believing.begin()
        self._doubting.begin()

    @property
    def _flown(self) -> Filter:
        return self._doubting if self.suspect else self._believing

    @property
    def ordinary(self) -> Filter | None:
        """The one Filter that runs, where it may run compiled until a vote changes; or None."""
        alone = not (self.suspect or self._compares) and self._until_ns is None
        return self._believing if alone and self._believing.estimator.is_ordinary else None

    @property
    def believing(self) -> Filter:
        """The Filter that believes the gyroscope."""
        return self._believing

    @property
    def counts(self) -> dict[str, Counter[str]]:
        """What became of the readings: {sensor: Counter}."""
        return self._flown.estimator.counts

    @property
    def resets(self) -> int:
        """How often the flown filter began anew."""
        return self._flown.estimator.resets

    @property
    def begun(self) -> bool:
        """Whether the attitude is known."""
        return self._flown.estimator.begun

    @property
    def waiting(self) -> int:
        """How many readings wait for the gyroscope to pass their time."""
        return self._flown.estimator.waiting

    @property
    def problem(self) -> str:
        """Why the gyroscope or a sensor is doubted, or as of AttitudeEstimator."""
        return self._doubt or self._flown.estimator.problem

    def take(self, readings: Iterable[Reading], clock_ns: int | None = None) -> Estimate | None:
        """Take readings as AttitudeEstimator.take does."""
        own = list(readings)
        if self.suspect and self._doubting.contradicted:
            self._doubting.begin()  # two sensors differ, and no gyroscope says which is right
        estimate = self._flown.take(own, clock_ns)
        if estimate is None:
            return None
        self._doubt = ''
        if self.suspect:
            self._try_gyroscope(own, clock_ns, estimate.time_ns)
        else:
            self._open_bias(estimate.time_ns)
            self._compare(own, clock_ns, estimate.time_ns)
        return self._told(self._flown.latest or estimate._replace(q_WB=None))

    def _open_bias(self, time_ns: int) -> None:
        """Open the bias where need be; twice in a while, one sensor alone tells no attitude."""
        flown = self._flown
        if flown.exposed:
            self._until_ns = None  # then the gyroscope was right
        elif flown.agreement.drifting:
            soon = self._opened_ns is not None and time_ns - self._opened_ns < self._watch.trust_ns
            self._opened_ns = time_ns
            if soon and not flown.vouched:
                self._until_ns = LATEST_NS  # until others vouch for it
        flown.open_bias()

    def _compare(self, readings: list[Reading], clock_ns: int | None, time_ns: int) -> None:
        """Let the doubting filter run while a sensor disagrees; fly it if two kinds say so."""
        against = self._believing.disagreeing
        if self._compares and self._believing.refused_all:
            self._doubting.take(readings, clock_ns)
            self._suspect_gyroscope(time_ns)
            return
        if against and not self._compares:
            self._doubting.begin()
            self._since_ns = time_ns
        self._compares = bool(against)
        if not against or self._doubting.take(readings, clock_ns) is None:
            return
        won = {name for name in against if self._doubting.agreeing.get(name)}
        lost = self._doubting.disagreeing - against
        kinds = {self._believing.kind_of(name) for name in won}
        if len(kinds) >= ENOUGH_KINDS and len(won) > len(lost):
            self._suspect_gyroscope(time_ns)

    def _suspect_gyroscope(self, time_ns: int) -> None:
        """Fly the filter that does not believe the gyroscope."""
        _exchange_counts(self._believing, self._doubting)
        self.suspect, self.alarms, self._compares = True, self.alarms + 1, False
        self._since_ns, self._believing = time_ns, self._trial
        self._trial.begin()

    def _try_gyroscope(self, readings: list[Reading], clock_ns: int | None, time_ns: int) -> None:
        """Believe the gyroscope again after all sensors have agreed with it for long."""
        believing = self._believing
        believing.take(readings, clock_ns)
        if believing.disagreeing or believing.lost or not believing.knows:
            if believing.knows:
                believing.begin()
            self._since_ns = time_ns
        elif time_ns - self._since_ns >= self._watch.trust_ns and believing.is_right:
            _exchange_counts(self._doubting, believing)
            self.suspect = False
            self._doubting.begin()

    def _told(self, estimate: Estimate) -> Estimate:
        """Return the Estimate of the flown filter as far as it is to be believed."""
        flown, doubting = self._flown, self._doubting
        if self.suspect:
            self._doubt = SUSPECT
            if flown.vouched:
                self._vouched_ns = estimate.time_ns
            lately = estimate.time_ns - self._vouched_ns <= PROBATION_NS
            known = flown.proven and lately and not flown.alone
            return estimate if known else estimate._replace(q_WB=None)
        if flown.lost:
            self._until_ns = None
            return estimate
        if not self._compares:
            return self._if_settled(estimate)
        against = flown.disagreeing
        if not doubting.knows or against <= doubting.disagreeing:
            if flown.alone:
                until_ns = estimate.time_ns + self.settings.reset_ns
                self._doubt, self._until_ns = ALONE, max(until_ns, self._until_ns or 0)
                return estimate._replace(q_WB=None)
            return estimate
        other = doubting.known
        if estimate.q_WB is None or other.q_WB is None:
            return estimate
        apart = rotations.rotation_between(estimate.q_WB, other.q_WB)
        if doubting.disagreeing - against or self._outlasted(apart, other):
            return estimate  # another sensor contradicts those
        self._doubt = f'{", ".join(sorted(against))} {OPEN}'
        covariance = estimate.covariance.copy()
        covariance[:3, :3] += other.covariance[:3, :3] + np.outer(apart, apart)
        return estimate._replace(covariance=covariance)

    def _if_settled(self, estimate: Estimate) -> Estimate:
        """Return the Estimate of a filter with which a lone sensor agrees, if it has for long.

        What a filter has believed wrongly it corrects slowly, for it is too certain.
        """
        if estimate.time_ns >= (self._until_ns or 0) or self._flown.vouched:
            self._until_ns = None
            return estimate
        self._doubt = SINCE_ALONE
        return estimate._replace(q_WB=None)

    def _outlasted(self, apart: Vector3, other: Estimate) -> bool:
        """Return whether other sensors agreed with the gyroscope for so long that it is right.

        A wrong rate turns the two attitudes, apart by a rotation vector [rad], ever further apart.
        A bias that is opened again and again follows any rate: then that proves nothing.
        """
        if self._until_ns is not None:
            return False
        lasted = other.time_ns - self._since_ns >= self._watch.trust_ns
        clear = float(np.linalg.norm(apart)) > CLEAR * float(max(other.sigma))
        return lasted and clear and not self._flown.alone


def _exchange_counts(before: Filter, after: Filter) -> None:
    """Let the filter that is flown from now on have the counts of the one before."""
    old, new = before.estimator, after.estimator
    old.counts, new.counts = new.counts, old.counts
    old.resets, new.resets = new.resets, old.resets
