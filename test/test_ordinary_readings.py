# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled call that takes ordinary readings has the bits of Python, which takes any."""

import dataclasses
import math
from collections import Counter, deque

import numpy as np
import pytest
from scipy.stats import chi2
from test_attitude_estimator import (
    COMPASS,
    EVERY,
    FACING,
    GYRO,
    STARS,
    STEP_NS,
    SUN_CELL,
    SUN_SENSOR,
    World,
    around,
    w_first,
)

from spacecraft_attitude_sim.core.estimation import event_history, ordinary
from spacecraft_attitude_sim.core.estimation.agreement import Agreement, Watch
from spacecraft_attitude_sim.core.estimation.attitude_estimator import AttitudeEstimator
from spacecraft_attitude_sim.core.estimation.event_history import GATED, RATE
from spacecraft_attitude_sim.core.estimation.settings import (
    GYROSCOPE_NAME,
    Estimate,
    Judgement,
    Reading,
    Settings,
)

TICKS = 120
# A cell that sees the Sun from the attitude about which the worlds begin.
CELLS = {'sun_sensor/cell': dataclasses.replace(SUN_CELL, q_BS=w_first(FACING.inv()))}
# And one that looks away from it.
DARK_CELL = {'sun_sensor/away': dataclasses.replace(SUN_CELL, q_BS=w_first(FACING))}
CALIBRATED = dataclasses.replace(GYRO, scale_sigma=1e-3, misalignment_sigma=1e-3)
AXES = {'gyroscope': CALIBRATED, 'misaligned': {'magnetometer': 0.01, 'sun_sensor/fine': 0.01}}
KINDS = {
    'six errors': (EVERY, {}),
    'a magnetometer with a bias': (EVERY, {'field_bias_sigma': 3e-7, 'field_bias_walk': 1e-9}),
    'axes and mountings': (EVERY, AXES),
    'cells': (EVERY | CELLS, {}),
    'cells in the dark': (EVERY | CELLS | DARK_CELL, {}),
}


def estimator_of(sensors=EVERY, gyroscope=GYRO, **more):
    return AttitudeEstimator(Settings(gyroscope, sensors, **more), around)


def in_python(estimator, monkeypatch):
    """Return an estimator that takes all readings in Python."""
    monkeypatch.setattr(estimator, '_take_ordinary', lambda given, clock_ns: None)
    return estimator


def bits(estimate):
    """Return all numbers of an Estimate as text and bytes."""
    parts = [part.tobytes() if isinstance(part, np.ndarray) else part for part in estimate[:7]]
    judged = [
        [part.tobytes() if isinstance(part, np.ndarray) else repr(part) for part in one]
        for one in estimate.judgements
    ]
    learnt = estimate.calibration.named() if estimate.calibration else None
    return parts, judged, learnt


def bad_weather(ticks, generator):
    """Return (readings, clock) of each call: late, again, stray, not finite, to come, a gap."""
    calls, kept_back = [], []
    for tick, readings in enumerate(ticks):
        now, ours = tick * STEP_NS, []
        for one in readings:
            chance = generator.uniform()
            if one.sensor != GYROSCOPE_NAME and chance < 0.2:
                kept_back.append((tick + generator.integers(1, 12), one))
            elif chance < 0.23:
                ours += [one, one]
            elif chance < 0.26 and one.sensor != GYROSCOPE_NAME:
                ours.append(one._replace(values=np.array(one.values)[::-1]))
            elif chance < 0.28:
                ours.append(one._replace(values=np.full(len(one.values), math.nan)))
            elif chance < 0.29:
                ours.append(one._replace(time_ns=one.time_ns + 5_000_000_000))
            elif not 60 <= tick < 66:
                ours.append(one)
        ours += [one for due, one in kept_back if due == tick]
        generator.shuffle(ours)
        calls.append((ours, now if tick % 3 else None))
        if tick % 10 == 0:
            calls.append(([], now))
    return calls


@pytest.mark.parametrize('rows', [40, 4096])
@pytest.mark.parametrize('kind', KINDS)
def test_a_compiled_call_has_the_bits_of_python(kind, rows, monkeypatch):
    """Through starts, gaps, late and stray readings, with memories that are full or not."""
    monkeypatch.setattr(event_history, 'MOST_EVENTS', rows)
    sensors, more = KINDS[kind]
    given = {'reset_ns': 3_000_000_000, 'history_ns': 2_000_000_000, **more}
    compiled, plain = estimator_of(sensors, **given), estimator_of(sensors, **given)
    in_python(plain, monkeypatch)
    calls = bad_weather(World(sensors, ticks=TICKS).readings[0], np.random.default_rng(5))
    ways = []
    take = ordinary.take
    monkeypatch.setattr(ordinary, 'take', lambda *own: ways.append(take(*own)) or ways[-1])
    for readings, clock_ns in calls:
        one, other = (each.take(readings, clock_ns) for each in (compiled, plain))
        assert (one is None) == (other is None)
        assert one is None or bits(one) == bits(other)
    assert (compiled.counts, compiled.resets) == (plain.counts, plain.resets)
    assert compiled.problem == plain.problem
    assert ways.count(ordinary.ORDINARY) > TICKS / 3
    assert ways.count(ordinary.EXTRAORDINARY) > 10


@pytest.mark.parametrize('cells', [{}, DARK_CELL, CELLS | DARK_CELL])
def test_in_fair_weather_every_reading_is_ordinary_after_the_first_attitude(cells, monkeypatch):
    """Cells in the dark tell nothing, and are counted."""
    ways = []
    take = ordinary.take
    monkeypatch.setattr(ordinary, 'take', lambda *own: ways.append(take(*own)) or ways[-1])
    estimator, ticks = estimator_of(EVERY | cells), World(EVERY | cells).readings[0]
    for readings in ticks:
        estimator.take(readings, readings[0].time_ns)
    assert ways == [ordinary.ORDINARY] * 79
    dark = {name: own['too dark'] for name, own in estimator.counts.items() if own['too dark']}
    read = Counter(one.sensor for readings in ticks for one in readings)
    assert dark == {name: read[name] for name in cells if name in DARK_CELL}


def begun_at(tick):
    """Return an estimator that has taken readings up to a tick, and those of the next one."""
    sensors = EVERY | DARK_CELL
    estimator, ticks = estimator_of(sensors, history_ns=2_000_000_000), World(EVERY).readings[0]
    for readings in ticks[: tick + 1]:
        estimator.take(readings)
    return estimator, ticks[tick + 1]


NOW = 25 * STEP_NS
LEVEL = (1.0, 0.0, 0.0, 0.0)
EXTRAORDINARY = {
    'a gap of the gyroscope': Reading(GYROSCOPE_NAME, NOW + 1_100_000_000, (0.0, 0.0, 0.0)),
    'a gyroscope that is late': Reading(GYROSCOPE_NAME, NOW - 3 * STEP_NS // 2, (0.0, 0.0, 0.0)),
    'a gyroscope that says it again': Reading(GYROSCOPE_NAME, NOW - STEP_NS, (0.0, 0.0, 0.0)),
    'a rate that is not finite': Reading(GYROSCOPE_NAME, NOW, (0.0, math.nan, 0.0)),
    'a rate of 1e308': Reading(GYROSCOPE_NAME, NOW, (0.0, 1e308, 0.0)),
    'two numbers of a rate': Reading(GYROSCOPE_NAME, NOW, (0.0, 0.0)),
    'stars before their time': Reading('star_tracker', NOW, LEVEL),
    'stars that are too old': Reading('star_tracker', NOW - 13 * STEP_NS, LEVEL),
    'stars that come again': Reading('star_tracker', NOW - STEP_NS, LEVEL),
    'stars without norm 1': Reading('star_tracker', NOW - STEP_NS // 2, (1.0, 0.1, 0.0, 0.0)),
    'a Sun without length': Reading('sun_sensor/fine', NOW - STEP_NS, (0.0, 0.0, 0.0)),
    'a field of another time': Reading('magnetometer', NOW - STEP_NS // 2, (1e-5, 0.0, 0.0)),
    'a dark cell of another time': Reading('sun_sensor/away', NOW - STEP_NS // 2, (0.0,)),
    'a dark cell that is to come': Reading('sun_sensor/away', NOW, (0.0,)),
    'a dark cell that reads too little': Reading('sun_sensor/away', NOW - STEP_NS, (-1e10,)),
    'a stamp that no clock has': Reading('star_tracker', 2**70, LEVEL),
}


@pytest.mark.parametrize('what', EXTRAORDINARY)
def test_what_is_not_ordinary_changes_nothing(what):
    estimator, _ = begun_at(24)
    assert estimator._marks[RATE] == NOW - STEP_NS
    before = [part.copy() for part in estimator._history.arrays[:4]]
    counts = {name: dict(own) for name, own in estimator.counts.items()}
    assert estimator._take_ordinary([EXTRAORDINARY[what]], None) is None
    after = estimator._history.arrays[:4]
    assert all((one == other).all() for one, other in zip(before, after, strict=True))
    assert counts == {name: dict(own) for name, own in estimator.counts.items()}


def test_the_next_readings_are_ordinary_and_a_clock_that_lags_refuses_them():
    for clock_ns, taken in ((None, True), (NOW, True), (NOW - 1_100_000_000, False)):
        estimator, following = begun_at(24)
        assert (estimator._take_ordinary(following, clock_ns) is not None) is taken


def test_few_rows_of_memory_are_enough_for_late_readings(monkeypatch):
    """Stars come 1.5 s late; in 2 s are 8 readings of the gyroscope and 7 of others."""
    ticks, found = World(EVERY, ticks=TICKS).readings[0], []
    for rows in (4096, 32):
        monkeypatch.setattr(event_history, 'MOST_EVENTS', rows)
        estimator, late = estimator_of(history_ns=2_000_000_000), deque()
        for readings in ticks:
            late.append([one for one in readings if one.sensor == 'star_tracker'])
            ours = [one for one in readings if one.sensor != 'star_tracker']
            ours += late.popleft() if len(late) > 6 else []
            estimate = estimator.take(ours)
        assert estimator.counts['star_tracker']['taken'] > 10
        found.append(bits(estimate))
    assert found[0] == found[1]
    assert estimator._marks.size + sum(a.size for a in estimator._history.arrays[1:3]) < 4200


def test_the_gate_that_refuses_all_for_long_is_told_by_the_compiled_call():
    """After 4.1 s of stars that jump at tick 32, each 2 s; a Sun cell has no say."""
    only = {'star_tracker': STARS, **CELLS}
    estimator = estimator_of(only, reset_ns=4_100_000_000)
    gated = []
    for tick, readings in enumerate(World(only).readings[0]):
        jumped = [
            one._replace(values=LEVEL) if one.sensor == 'star_tracker' and tick > 30 else one
            for one in readings
        ]
        estimator.take(jumped)
        gated.append(int(estimator._marks[GATED]))
        if estimator.resets:
            break
    assert estimator.counts['sun_sensor/cell']['taken'] > 8
    assert (tick, gated[31], gated[47], gated[48], gated[56]) == (56, 0, 2, 3, 0)


# --- the vote -----------------------------------------------------------------------------------


PAUSES_NS = (250_000_000, 2_500_000_000, 4_000_000_000, 90_000_000_000)


class Plain:
    """The vote of one sensor in plain Python, written anew from the description in Watch."""

    def __init__(self, watch, freedom, biased, reset_ns):
        self.watch, self.freedom, self.biased = watch, freedom, biased
        self.reset_ns, self.vote = reset_ns, None
        self.latest = deque(maxlen=watch.readings)

    def hear(self, judgements, now_ns):
        """Take the judgements of a time [ns], and vote."""
        self.latest.extend(judgements)
        while self.latest and now_ns - self.latest[0].time_ns > self.reset_ns:
            self.latest.popleft()
        agreed, self.vote = self.vote is not False, None
        if len(self.latest) < 2:
            return
        last, before = self.latest[-1].time_ns, self.latest[-2].time_ns
        if now_ns - last <= max(3_000_000_000, 2 * (last - before)):
            self.vote = bool(self.agrees(list(self.latest), agreed))

    def agrees(self, latest, agreed):
        """Return whether the judgements are as they should be."""
        few = min(len(latest), max(2, self.watch.readings // 4))
        if self.biased:
            taken = [one.taken for one in latest]
            return 2 * sum(taken[-few:]) > few if agreed else all(taken)
        sizes = [one.nis if one.taken else one.gate for one in latest]
        parts = (sizes, sizes[-few:]) if agreed else (sizes,)
        alarm = self.watch.false_alarm if agreed else 0.05
        return all(sum(part) <= chi2.isf(alarm, self.freedom * len(part)) for part in parts)


@pytest.mark.parametrize('biased', [False, True])
def test_the_compiled_vote_is_that_of_plain_python(biased):
    constant = (1e-3, 1e-3, 0.0) if biased else (0.0, 0.0, 0.0)
    sensors = {
        'magnetometer': COMPASS,
        'sun_sensor/fine': dataclasses.replace(SUN_SENSOR, constant=constant),
    }
    settings = Settings(GYRO, sensors, reset_ns=60_000_000_000)
    watch = Watch(GYRO, readings=12, false_alarm=1e-3)
    agreement, generator = Agreement(settings, watch), np.random.default_rng(2)
    plain = {
        'magnetometer': Plain(watch, 3, False, settings.reset_ns),
        'sun_sensor/fine': Plain(watch, 2, biased, settings.reset_ns),
    }
    nothing, votes = np.zeros(0), set()
    now_ns = 0
    for tick in range(2000):
        now_ns += int(generator.choice(PAUSES_NS, p=(0.7, 0.2, 0.09, 0.01)))
        scale, every = (1.0, 6.0)[tick // 40 % 2], []
        for name, own in plain.items():
            gate = chi2.isf(1e-4, own.freedom)
            nis = float(scale * generator.chisquare(own.freedom))
            judged = Judgement(name, now_ns, np.zeros(3), nis, own.freedom, gate, nis <= gate)
            heard = [judged] if generator.uniform() < 0.5 else []
            own.hear(heard, now_ns)
            every += heard
        agreement.hear(Estimate(now_ns, None, *[nothing] * 5, tuple(every)))
        expected = {name: own.vote for name, own in plain.items() if own.vote is not None}
        assert agreement.of_sensors == expected
        votes |= set(expected.items())
    assert len(votes) == 4
