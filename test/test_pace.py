# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""The pacer: ticks fall due by the wall clock at the asked rate, and no delay is lasting."""

import pytest

from spacecraft_attitude_sim.core.ticks import TICK_NS
from spacecraft_attitude_sim.nodes.pacing import LARGEST_LAG_NS, Pacer

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
