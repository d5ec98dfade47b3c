# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Ticks fall due at the asked rate, and a timer keeps in step with them by its period alone."""

import numpy as np
import pytest

from spacecraft_attitude_sim.core.simulation.pacing import LARGEST_LAG_NS, LONGEST_PERIOD_NS, Pacer
from spacecraft_attitude_sim.core.ticks import TICK_NS


def fired(pacer, seconds, phase=0, hold_ups=None, cost=200_000):
    """Return {tick: when it was taken [ns]} of a timer as rcl's, which may be held up.

    phase: of the first firing [ns];  hold_ups: {time: how long the process stands still after it}
    cost: of a tick [ns]
    """
    hold_ups = dict(hold_ups or {})
    taken, tick, now, next_call = {}, 0, 0, phase
    period = min(int(pacer.period), LONGEST_PERIOD_NS)
    while now < seconds * 1e9:
        now = max(now, next_call)
        for time in [time for time in hold_ups if time <= now]:
            now += hold_ups.pop(time)
        # What rcl does when a timer is called: the next firing by the present period.
        next_call += period
        if next_call < now:
            next_call += (1 + (now - next_call - 1) // max(period, 1)) * period
        if pacer.ticks_due(tick, now):
            tick += 1
            taken[tick] = now
            now += cost
        period = pacer.timer_period(tick, now, next_call - now)
    return taken


@pytest.mark.parametrize('rate', [0.02, 0.3, 1.0, 4.0, 10.0])
@pytest.mark.parametrize('phase', [0.0, 0.3, 0.9])
def test_ticks_come_when_they_are_due_whatever_the_phase_of_the_timer(rate, phase):
    pacer = Pacer()
    pacer.anchor(0, 0, rate)
    period = TICK_NS / rate
    taken = fired(pacer, 400 * period * 1e-9, phase=int(phase * min(period, LONGEST_PERIOD_NS)))
    late = np.array([time - tick * period for tick, time in taken.items()])
    assert len(taken) in (399, 400, 401)
    # Out of phase once, at the beginning; then at most as early as a firing may be.
    assert np.abs(late[20:]).max() <= min(2e6, period / 4)
    assert pacer.overruns == 0


def test_a_hold_up_is_made_up_for_in_a_few_ticks():
    pacer = Pacer()
    pacer.anchor(0, 0, 1.0)
    taken = fired(pacer, 10.0, hold_ups={3_000_000_000: 300_000_000})
    late = np.array([time - tick * TICK_NS for tick, time in taken.items()])
    assert late.max() > 250_000_000
    assert np.abs(late[96 + 14 :]).max() <= 2_000_000
    assert pacer.overruns == 0


def test_after_a_long_stop_the_run_goes_on_from_there_at_its_pace():
    pacer = Pacer()
    pacer.anchor(0, 0, 10.0)
    taken = fired(pacer, 60.0, hold_ups={5_000_000_000: 20_000_000_000}, cost=100_000)
    times = np.array(list(taken.values()))
    after = times[times > 26_000_000_000]
    # Ten times real time: 320 ticks a second, none hurried to make up for 20 s.
    assert len(after) == pytest.approx(320 * 34, rel=0.01)
    assert np.diff(after).min() > 0.4 * TICK_NS / 10
    assert pacer.overruns == 1


def test_who_is_too_slow_counts_overruns_and_never_waits():
    pacer = Pacer()
    pacer.anchor(0, 0, 10.0)
    taken = fired(pacer, 20.0, cost=2 * TICK_NS // 10)
    assert len(taken) == pytest.approx(160 * 20, rel=0.05)
    assert pacer.overruns == pytest.approx(20.0e9 / 2 / LARGEST_LAG_NS, rel=0.2)


# --- what is due, and the period of the timer ----------------------------------------------------

START = 7_000_000_000


def pacer(factor=1.0, tick=10):
    """Return a Pacer whose tick 10 fell due at START."""
    made = Pacer()
    made.anchor(tick, START, factor)
    return made


@pytest.mark.parametrize('factor', [0.25, 1.0, 4.0])
def test_each_tick_falls_due_a_period_after_the_one_before(factor):
    made = pacer(factor)
    period = TICK_NS / factor
    assert made.period == period
    for tick in range(10, 20):
        due = START + (tick + 1 - 10) * period
        assert made.wait(tick, START) == due - START
        # A timer may fire a moment early, and any time late: it brings the one tick.
        early = min(2_000_000, period / 4)
        for off, ticks in (
            (-period, 0), (-early - 10, 0), (-early + 10, 1), (0, 1), (period - early - 10, 1),
            (period, 2),
        ):  # fmt: skip
            assert made.ticks_due(tick, int(due + off)) == ticks
    assert made.overruns == 0


def test_as_fast_as_possible_always_has_one_tick_due():
    made = pacer(0.0)
    assert made.period == 0.0
    assert made.ticks_due(10, START) == made.ticks_due(10, START + 10**12) == 1
    assert made.overruns == 0


def test_a_lag_up_to_the_largest_is_made_up_for():
    made = pacer()
    late = START + TICK_NS + LARGEST_LAG_NS
    assert made.ticks_due(10, late) == 17  # 16 of the half second, and the one that is due
    assert made.ticks_due(26, late) == 1
    assert made.ticks_due(27, late) == 0
    assert made.overruns == 0


def test_after_a_longer_lag_time_goes_on_from_now_with_the_tick_that_was_due():
    made = pacer()
    late = START + TICK_NS + LARGEST_LAG_NS + 1_000_000
    assert made.ticks_due(10, late) == 1
    assert made.overruns == 1
    # Tick 11 was taken now; 12 is due a period later, and nothing is hurried.
    assert made.wait(11, late) == TICK_NS
    assert made.ticks_due(11, late) == 0
    assert made.ticks_due(11, late + TICK_NS) == 1
    assert made.overruns == 1


def test_an_anchor_set_anew_takes_the_new_rate_from_there():
    made = pacer()
    made.anchor(50, START + 123, 2.0)
    assert made.wait(50, START + 123) == TICK_NS / 2.0
    assert made.ticks_due(50, START + 123) == 0


def test_a_timer_in_step_keeps_the_period_and_one_that_is_late_comes_sooner():
    made = pacer()
    for until in (-1_000_000, 0, 1_000_000):  # the next tick is due TICK_NS after START
        assert made.timer_period(10, START + TICK_NS - until, until) == TICK_NS
    # It fires half a tick late for tick 11: half a period after that, 12 is due.
    assert made.timer_period(10, START, 3 * TICK_NS // 2) == TICK_NS // 2
    # It fires half a tick early, when nothing is due: half a period on, it is.
    assert made.timer_period(10, START, TICK_NS // 2) == TICK_NS // 2
    # Far behind, it looks oftener than ticks are due, but never without end.
    assert made.timer_period(10, START + 9 * TICK_NS, 0) == TICK_NS // 8
    slow = pacer(0.001)
    assert slow.timer_period(10, START, 0) == 100_000_000
