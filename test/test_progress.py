# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""A progress line says what is true, as often as it should, and leaves nothing behind."""

import contextlib
import io
import os
import threading

import pytest

from spacecraft_attitude_sim import progress
from spacecraft_attitude_sim.api import waiting
from spacecraft_attitude_sim.progress import LOG_PERIOD, PATIENCE, PERIOD, ProgressLine


class Screen(io.StringIO):
    """Standard error, of a terminal or not."""

    def __init__(self, terminal):
        super().__init__()
        self._terminal = terminal

    def isatty(self):  # noqa: D102 (of io)
        return self._terminal

    def taken(self):
        """Return what was written since this was last asked."""
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        return text


@pytest.fixture
def clock(monkeypatch):
    """The time that progress knows, which goes on only when told."""
    now = [1000.0]
    monkeypatch.setattr(progress.time, 'monotonic', lambda: now[0])
    return now


def screen_of(monkeypatch, terminal, columns=40):
    """Return the Screen that takes the place of standard error."""
    screen = Screen(terminal)
    monkeypatch.setattr('sys.stderr', screen)
    size = os.terminal_size((columns, 24))
    monkeypatch.setattr(progress.shutil, 'get_terminal_size', lambda *_, **__: size)
    return screen


@pytest.mark.parametrize(
    ('seconds', 'words'),
    [
        (0.0, '0 s'), (99.4, '99 s'), (100.0, '2 min'), (5990.0, '100 min'), (6000.0, '1.7 h'),
        (36000.0, '10.0 h'),
    ],
)  # fmt: skip
def test_a_duration_is_said_in_its_unit(seconds, words):
    assert progress.in_words(seconds) == words


def test_without_a_terminal_nothing_is_written_or_a_line_now_and_then(monkeypatch, clock):
    screen = screen_of(monkeypatch, False)
    silent, logged = ProgressLine(), ProgressLine(logged=True)
    assert not silent.due() and not silent.renewed
    silent.show('a')
    silent.end()
    assert screen.taken() == ''
    logged.show('a')
    clock[0] += LOG_PERIOD * 0.99
    logged.show('b')
    clock[0] += LOG_PERIOD * 0.01
    logged.show('c')
    logged.end()
    logged.clear()
    assert screen.taken() == 'a\nc\n'
    assert not logged.renewed


def test_on_a_terminal_each_text_takes_the_place_of_the_last(monkeypatch, clock):
    screen = screen_of(monkeypatch, True, columns=20)
    line = ProgressLine()
    assert line.renewed
    line.end()
    line.clear()
    assert screen.taken() == ''
    line.show('fifteen letters')
    clock[0] += PERIOD * 0.99
    line.show('too early')
    assert screen.taken() == '\rfifteen letters'
    clock[0] += PERIOD * 0.01
    line.show('short')
    assert screen.taken() == '\rshort' + 10 * ' '
    clock[0] += PERIOD
    line.show('no longer than the terminal is wide')
    assert screen.taken() == '\rno longer than the '
    line.clear()
    assert screen.taken() == '\r' + 19 * ' ' + '\r'
    line.clear()
    assert screen.taken() == ''
    line.show('at once')  # although no time has gone by
    line.end()
    assert screen.taken() == '\rat once\n'


def test_a_place_keeps_the_latest_text_and_is_empty_at_the_end(monkeypatch, clock):
    screen, seen = screen_of(monkeypatch, False), []

    class Place:
        show = seen.append

        def clear(self):
            seen.append('')

    line = ProgressLine()
    line.on_place(Place())
    line.end()
    assert seen == [] and line.renewed
    line.show('a')
    clock[0] += PERIOD
    line.show('b')
    line.end()
    line.end()
    assert seen == ['a', 'b', ''] and screen.taken() == ''


@pytest.mark.parametrize(
    ('least', 'left'),
    [
        (0.0, (', 2 min left', ', 20 s left', ', 2 min left')),
        # The first twentieth, in which code was compiled, says nothing about the pace.
        (0.05, (', 2 min left', ', 13 s left', ', 2 min left')),
        (0.3, ('', ', 13 s left', '')),
    ],
)
def test_work_counts_from_its_own_beginning(monkeypatch, clock, least, left):
    """Work that goes on from two fifths, and later work, which begins anew."""
    screen = screen_of(monkeypatch, False)
    line = ProgressLine(logged=True)
    line.least = least
    given = (0.0, 0.4), (10.0, 0.4), (10.0, 0.5), (20.0, 0.8), (15.0, 0.2), (20.0, 0.3)
    for since, share in given:
        clock[0] += since
        line.work(share, 'orbits')
    assert screen.taken().splitlines() == [
        'orbits: 40 %, 0 s', 'orbits: 40 %, 10 s', f'orbits: 50 %, 20 s{left[0]}',
        f'orbits: 80 %, 40 s{left[1]}', 'orbits: 20 %, 0 s', f'orbits: 30 %, 20 s{left[2]}',
    ]  # fmt: skip
    clock[0] += LOG_PERIOD
    line.waits_for = lambda: 'compiling for 7 s'
    line.work(0.9, 'orbits')
    assert screen.taken() == 'orbits: 90 %, 30 s, compiling for 7 s\n'


def test_the_pace_is_that_after_the_first_share(monkeypatch, clock):
    """Compiling took 100 s of the first tenth: the other nine take a second each."""
    screen = screen_of(monkeypatch, False)
    line = ProgressLine(logged=True)
    line.least = 0.1
    for since, share in ((0.0, 0.0), (100.0, 0.1), (1.0, 0.2), (LOG_PERIOD, 0.5)):
        clock[0] += since
        line.work(share, 'runs')
    assert screen.taken().splitlines() == [
        'runs: 0 %, 0 s', 'runs: 10 %, 2 min, 15 min left', 'runs: 50 %, 2 min, 14 s left',
    ]  # fmt: skip


def test_what_goes_on_is_said_after_a_second_until_there_is_a_result(monkeypatch, clock):
    screen, looks = screen_of(monkeypatch, False), []

    @contextlib.contextmanager
    def looking(look):
        looks.append(look)
        yield

    monkeypatch.setattr(progress, 'looking', looking)
    with ProgressLine().saying('reading'):
        assert not looks  # nobody would see it
    line = ProgressLine(logged=True)
    with line.starting('8 runs'):
        (look,) = looks
        clock[0] += PATIENCE * 0.99
        look()
        assert screen.taken() == ''
        clock[0] += PATIENCE * 0.01
        look()
        assert screen.taken() == '8 runs: compiling or loading code, 1 s so far\n'
        clock[0] += LOG_PERIOD
        line.waits_for = lambda: 'compiling for 11 s'
        look()
        assert screen.taken() == '8 runs: compiling for 11 s\n'
        line.waits_for = str
        clock[0] += LOG_PERIOD
        line.work(0.0, '8 runs')
        assert screen.taken() == '8 runs: 0 %, 0 s\n'
        clock[0] += LOG_PERIOD
        look()
        assert screen.taken() == '8 runs: compiling or loading code, 31 s so far\n'
        line.work(0.5, '8 runs')
        clock[0] += LOG_PERIOD
        look()
        assert screen.taken() == '8 runs: 50 %, 20 s, 20 s left\n'
    with line.starting():
        clock[0] += LOG_PERIOD
        looks[1]()
        assert screen.taken() == 'compiling or loading code, 10 s so far\n'
    for share in (None, 0.25):  # without work, and with no more of it than at its beginning
        line = ProgressLine(logged=True)
        if share is not None:
            line.work(share, '8 runs')
        with line.starting():
            line.show('a result')
            screen.taken()
            clock[0] += LOG_PERIOD
            looks[-1]()
            assert screen.taken() == ''


def test_frames_are_counted_with_the_time_that_is_left(monkeypatch, clock):
    screen = screen_of(monkeypatch, False)
    line = ProgressLine(logged=True)
    drawn = []
    for frame in line.counting('abc', 3, 'written'):
        drawn.append(frame)
        clock[0] += LOG_PERIOD
    assert drawn == ['a', 'b', 'c']
    assert screen.taken().splitlines() == [
        'frame 1 of 3, about 0 s left', 'frame 2 of 3, about 5 s left',
        'frame 3 of 3, about 0 s left', 'written',
    ]  # fmt: skip
    screen = screen_of(monkeypatch, True)
    assert list(ProgressLine().counting('a', 1, 'written')) == ['a']
    assert screen.taken().endswith('\rwritten')  # at once


def test_a_thread_looks_until_the_end(monkeypatch):
    monkeypatch.setattr(progress, 'PERIOD', 1e-3)
    looked, before = threading.Semaphore(0), set(threading.enumerate())
    with progress.looking(looked.release):
        (thread,) = set(threading.enumerate()) - before
        assert thread.daemon  # it keeps no process from its end
        assert looked.acquire(timeout=30.0) and looked.acquire(timeout=30.0)
    assert not thread.is_alive()


def test_a_call_from_python_says_how_far_it_is(monkeypatch, clock):
    """From 2 s on to 10 s; while the simulated time stands still, code is compiled or loaded."""
    screen = screen_of(monkeypatch, True, columns=200)
    looks, told = [], ['']

    @contextlib.contextmanager
    def looking(look):
        looks.append(look)
        yield

    monkeypatch.setattr(waiting, 'looking', looking)
    monkeypatch.setattr(waiting, 'in_notebook', lambda: False)
    monkeypatch.setattr(waiting, 'compiled_for', lambda: told[0])
    with waiting.Waiting(2.0, 10.0) as shown:
        (look,) = looks
        for since, now, text in (
            (waiting.PATIENCE * 0.9, 2.0, ''),
            (waiting.PATIENCE * 0.2, 4.0, '4 s of 10 s: 25 %, 0 s'),
            (3.0, 6.0, '6 s of 10 s: 50 %, 3 s, 6 s left'),
        ):
            clock[0] += since
            shown.show(now)
            look()
            assert screen.taken().strip('\r ') == text
        clock[0] += waiting.PATIENCE * 1.1
        look()
        assert screen.taken().strip('\r ') == 'compiling or loading code, 5 s so far'
        told[0] = 'compiling for 3 s'
        clock[0] += 1.0
        look()
        assert screen.taken().strip('\r ') == 'compiling for 3 s'
    assert screen.taken() == '\n'
    with waiting.Waiting(5.0) as shown:  # no time passes
        clock[0] += 9.0
        shown.show(5.0)
        looks[-1]()
        assert screen.taken() == ''
