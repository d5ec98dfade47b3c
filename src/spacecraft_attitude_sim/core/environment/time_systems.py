# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Times of CCSDS messages, exact to the nanosecond: texts in UTC, TAI, TT, GPS or TDB.

An instant is a whole number of nanoseconds of TAI since 1970-01-01T00:00:00 TAI. Leap seconds are
those that ERFA knows; from the last one on, none is counted.
"""

from __future__ import annotations

import bisect
import datetime
import functools
import re

from spacecraft_attitude_sim.core.environment.epoch import utc_days

UTC = 'UTC'
SECOND = 10**9
DAY = 86400 * SECOND
# TAI minus the time of a system [ns]; the theory of general relativity gives that of TDB.
BEHIND = {'TAI': 0, 'TT': -32_184_000_000, 'TDT': -32_184_000_000, 'GPS': 19 * SECOND}
SYSTEMS = (UTC, *BEHIND, 'TDB')
# Calendar or day of the year, as CCSDS 504.0-B-2 section 7.5.10 allows.
TIME = re.compile(
    r'(\d{4})-(?:(\d\d)-(\d\d)|(\d{3}))T(\d\d):(\d\d):(\d\d)(?:\.(\d*))?Z?', re.ASCII
)
FIRST_DAY = datetime.date(1970, 1, 1).toordinal()
# J2000.0, noon of 2000-01-01 of TT [ns of TAI since 1970].
J2000 = (10957 * 86400 + 43200) * SECOND - 32_184_000_000
# UTC has whole leap seconds from the first year on.
FIRST_YEAR, LAST_YEAR = 1972, 2099


@functools.cache
def _leaps() -> tuple[list[int], list[int]]:
    """Return the UTC days since 1970 on which TAI - UTC changes, and its values from then [s]."""
    import erfa

    rows = [row for row in erfa.leap_seconds.get() if row['year'] >= FIRST_YEAR]
    days = [datetime.date(int(row['year']), int(row['month']), 1) for row in rows]
    return [day.toordinal() - FIRST_DAY for day in days], [int(row['tai_utc']) for row in rows]


@functools.cache
def _turns() -> list[int]:
    """Return the instants at which each value of TAI - UTC begins [ns of TAI]."""
    return [day * DAY + value * SECOND for day, value in zip(*_leaps(), strict=True)]


def instant(text: str, system: str = UTC) -> int:
    """Return the instant [ns of TAI since 1970] of a time such as 2026-03-20T12:00:00.5.

    system: one of SYSTEMS
    Raises ValueError for another text, naming it and the remedy.
    """
    day, time = _day_and_time(text, utc=system == UTC)
    if system == UTC:
        days, values = _leaps()
        return day * DAY + time + values[bisect.bisect(days, day) - 1] * SECOND
    whole = day * DAY + time
    if system == 'TDB':
        return whole + BEHIND['TT'] - _ahead_of_terrestrial(whole)
    return whole + BEHIND[system]


def utc_text(time: int) -> str:
    """Return the UTC time of an instant [ns of TAI since 1970], with nine decimals."""
    turns, values = _turns(), _leaps()[1]
    k = bisect.bisect(turns, time) - 1
    if k < 0:
        raise ValueError('a time before 1972 has no whole leap seconds; give a later epoch')
    in_leap = 0
    if k + 1 < len(turns) and time >= turns[k + 1] - SECOND:
        in_leap, time = 1, time - SECOND  # the last second of its day is 60
    day, rest = divmod(time - values[k] * SECOND, DAY)
    date = datetime.date.fromordinal(day + FIRST_DAY)
    whole, parts = divmod(rest, SECOND)
    hour, minute, second = whole // 3600, whole // 60 % 60, whole % 60 + in_leap
    return f'{date}T{hour:02}:{minute:02}:{second:02}.{parts:09}'


def zero_of(epoch: str) -> int:
    """Return the instant of an epoch [ns of TAI since 1970]; ValueError as of epoch_of."""
    utc_days(epoch)
    return instant(full(epoch))


def full(utc: str) -> str:
    """Return the UTC time of a parameter epoch with all its parts; a date is its midnight."""
    text = utc.strip().removesuffix('Z').replace(' ', 'T')
    return text + '0000-00-00T00:00:00'[len(text) :] if len(text) < 19 else text


def _day_and_time(text: str, utc: bool) -> tuple[int, int]:
    """Return the days since 1970 and the time of the day [ns] of a text."""
    match = TIME.fullmatch(text)
    if match is None:
        raise ValueError(f'{text[:40]!r} is no time; write 2026-03-20T12:00:00.5')
    year, hour, minute, second = int(match[1]), int(match[5]), int(match[6]), int(match[7])
    try:
        if not FIRST_YEAR <= year <= LAST_YEAR:
            raise ValueError
        if match[4]:
            date = datetime.date(year, 1, 1) + datetime.timedelta(int(match[4]) - 1)
        else:
            date = datetime.date(year, int(match[2]), int(match[3]))
        day = date.toordinal() - FIRST_DAY
        leap = utc and (hour, minute, second) == (23, 59, 60) and day + 1 in _leaps()[0]
        if date.year != year or hour > 23 or minute > 59 or second > 59 + leap:
            raise ValueError
    except ValueError:
        raise ValueError(
            f'{text[:40]!r} is no time from {FIRST_YEAR} to {LAST_YEAR}; check day, hour and '
            'second (60 only in a leap second)'
        ) from None
    decimals = match[8] or ''
    parts = int(decimals[:9].ljust(9, '0')) + (decimals[9:10] >= '5')
    return day, (hour * 3600 + minute * 60 + second) * SECOND + parts


def _ahead_of_terrestrial(time: int) -> int:
    """Return TDB - TT at the geocentre [ns], at most 2 ms; time: [ns of TDB since 1970]."""
    import erfa

    days = time / DAY
    return round(float(erfa.dtdb(2440587.5, days, days % 1.0, 0.0, 0.0, 0.0)) * 1e9)
