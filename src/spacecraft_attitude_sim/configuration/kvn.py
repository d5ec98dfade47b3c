# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of CCSDS (OEM, AEM) in their text form, keyword = value.

The forms are those of CCSDS 502.0-B-3 (orbit) and 504.0-B-2 (attitude); older versions are read,
too. This module knows lines and blocks; what they mean is in orbit_message and attitude_message.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from spacecraft_attitude_sim.core.environment import time_systems
from spacecraft_attitude_sim.safety.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

# Most data lines: a month of seconds.
MOST_LINES = 2_700_000
# Longest line that a message may have (CCSDS 504.0-B-2, 7.3.2), and ten times as much.
LONGEST_LINE = 2540
# {kind of message: versions that are read}
VERSIONS = {'OEM': ('1.0', '2.0', '3.0'), 'AEM': ('1.0', '2.0')}
# Blocks whose lines are left out.
LEFT_OUT = ('COVARIANCE_START', 'COVARIANCE_STOP')


class Segment(NamedTuple):
    """One segment: metadata {keyword: value}, and its data lines with their line numbers."""

    metadata: dict[str, str]
    lines: list[tuple[int, str]]

    def value(self, keyword: str, default: str | None = None) -> str:
        """Return the value of a keyword, in capitals; ValueError where it is not given."""
        value = self.metadata.get(keyword, default)
        if value is None:
            raise ValueError(f'its metadata lack {keyword}; add it')
        return value.upper()

    def one_of(self, keyword: str, known: Sequence[str], default: str | None = None) -> str:
        """Return the value of a keyword that must be one of some words; ValueError if not."""
        value = self.value(keyword, default)
        if value not in known:
            raise ValueError(f'{keyword} is {quoted(value)}; give {", ".join(known)}')
        return value

    def rows(self, numbers: Sequence[int]) -> tuple[list[int], list[list[str]]]:
        """Return the instants (n,) [ns of TAI] and the texts (n, m) of the numbers after them.

        numbers: how many numbers a line may have after its time
        Raises ValueError naming the line.
        """
        system = self.one_of('TIME_SYSTEM', time_systems.SYSTEMS)
        times, texts = [], []
        for number, line in self.lines:
            words = line.split()
            if len(words) - 1 not in numbers:
                raise ValueError(
                    f'line {number} has {len(words) - 1} numbers after its time; it must have '
                    f'{" or ".join(map(str, numbers))}'
                )
            try:
                times.append(time_systems.instant(words[0], system))
            except ValueError as error:
                raise ValueError(f'line {number}: {error}') from None
            texts.append(words[1:])
        if not times:
            raise ValueError('it has no data lines')
        return times, texts


def number_of(text: str, shift: int = 0) -> float:
    """Return the float nearest to a number times 10^shift; ValueError if it is not finite."""
    try:
        plain = text.isascii() and '_' not in text and not {'e', 'E'} & {*text}
        value = float(f'{text}e{shift}') if plain else float(text) * 10.0**shift
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or '_' in text:
        raise ValueError(f'{quoted(text)} is no finite number')
    return value


def segment(content: bytes, kind: str) -> tuple[Segment, str]:
    """Return the Segment of a message that has one, and the version of its form.

    kind: one of VERSIONS
    Raises ValueError that says what is wrong, where, and the remedy.
    """
    text = content.decode('utf-8-sig')
    if text.lstrip()[:1] == '<':
        raise ValueError(f'it is XML; give the {kind} in its text form, keyword = value')
    segments: list[Segment] = []
    header: dict[str, str] = {}
    state = 'header'
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith('COMMENT'):
            continue
        if len(line) > LONGEST_LINE:
            raise ValueError(f'line {number} has {len(line)} characters; is it a message?')
        if not header:
            _check_first(number, line, kind, header)
            continue
        state = _next_state(state, number, line, segments, header)
    if not header:
        raise ValueError(f'it is empty; it must begin with CCSDS_{kind}_VERS')
    if state not in ('data', 'after'):
        raise ValueError(f'it ends in its {state}; is it cut off?')
    if len(segments) != 1:
        raise ValueError(f'it has {len(segments)} segments; give a file with that of the run')
    return segments[0], header[f'CCSDS_{kind}_VERS']


def _check_first(number: int, line: str, kind: str, header: dict[str, str]) -> None:
    """Put the first keyword and its value into the header; ValueError for another message."""
    keyword, value = _pair(line) if '=' in line else (line, '')
    wanted = f'CCSDS_{kind}_VERS'
    if keyword != wanted:
        raise ValueError(f'line {number} is {quoted(line)}; an {kind} begins with {wanted}')
    if value not in VERSIONS[kind]:
        raise ValueError(f'{wanted} is {quoted(value)}; give {", ".join(VERSIONS[kind])}')
    header[keyword] = value


def _next_state(
    state: str, number: int, line: str, segments: list[Segment], header: dict[str, str]
) -> str:
    """Take a line; return the block in which the next one is. Raises ValueError."""
    attitude = 'CCSDS_AEM_VERS' in header
    if (
        line == 'META_START'
        and state in ('header', 'after', 'data')
        and not (attitude and state == 'data')
    ):
        segments.append(Segment({}, []))
        return 'metadata'
    if line == 'META_STOP' and state == 'metadata':
        return 'metadata that ended' if attitude else 'data'
    if line == 'DATA_START' and state == 'metadata that ended':
        return 'data'
    if line == 'DATA_STOP' and state == 'data' and attitude:
        return 'after'
    if line == LEFT_OUT[0] and state == 'data' and not attitude:
        return 'covariance'
    if state == 'covariance':
        return 'data' if line == LEFT_OUT[1] else state
    if state == 'data' and '=' not in line and '_ST' not in line:
        if len(segments[-1].lines) >= MOST_LINES:
            raise ValueError(f'it has more than {MOST_LINES} data lines; give fewer')
        segments[-1].lines.append((number, line))
        return state
    if state in ('header', 'metadata') and '=' in line:
        keyword, value = _pair(line)
        into = header if state == 'header' else segments[-1].metadata
        if keyword in into:
            raise ValueError(f'line {number} gives {quoted(keyword)} a second time')
        into[keyword] = value
        return state
    raise ValueError(f'line {number} is {quoted(line)}, which has no place in its {state}')


def _pair(line: str) -> tuple[str, str]:
    keyword, _, value = line.partition('=')
    return keyword.strip(), value.strip()
