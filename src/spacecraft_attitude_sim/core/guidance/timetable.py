# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Lines of a timetable: a time and the name of a profile, as '600.0 station'."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spacecraft_attitude_sim.core.environment import epoch as epochs

if TYPE_CHECKING:
    from collections.abc import Sequence


def parsed(line: str, utc: str | None) -> tuple[float, str]:
    """Return time [s] and name of a line such as '2026-03-20T12:10:00Z station'.

    utc: at which time is 0; None where no epoch is known
    Raises ValueError naming the line and the remedy.
    """
    words = line.split()
    if len(words) != 2:
        raise ValueError(f"'{line}' is not a time and a name; write '600.0 station'")
    return time_of(words[0], utc), words[1]


def time_of(text: str, utc: str | None) -> float:
    """Return the time [s] of a number or of a UTC time, ISO 8601; raises as `parsed`."""
    try:
        time = float(text)
    except ValueError:
        if utc is None:
            raise ValueError(f"'{text}' is no number of seconds, and there is no epoch") from None
        time = round(float(epochs.seconds_between([text], utc)[0]), 6)
    if not 0.0 <= time < math.inf:
        raise ValueError(f"'{text}' is {time:.6g} s from the start; give a time of 0 s or more")
    return time


def in_order(lines: Sequence[str], utc: str | None) -> list[tuple[float, str]]:
    """Return `parsed` of lines, each later than the one before; ValueError where not."""
    entries = [parsed(line, utc) for line in lines]
    for (before, _), (time, name) in zip(entries, entries[1:], strict=False):
        if not time > before:
            raise ValueError(
                f"'{name}' at {time:.6g} s is not after the line before, at {before:.6g} s"
            )
    return entries
