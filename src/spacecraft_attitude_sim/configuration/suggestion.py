# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""What to say to somebody who misspelt a name."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection


# More than these are a wall of words.
MOST_LISTED = 20


def hint(name: str, valid: Collection[str], listed_in: str = '') -> str:
    """Return "did you mean 'x'?", or where nothing is near, the valid names.

    listed_in: where to find them when they are many
    """
    if near := nearest(name, valid):
        return f"did you mean '{near}'?"
    if len(valid) > MOST_LISTED and listed_in:
        return f'the {len(valid)} valid ones are in {listed_in}'
    return f'valid are {", ".join(sorted(valid))}'


def nearest(name: str, valid: Collection[str]) -> str | None:
    """Return the valid name that looks most like another; None where none does.

    `mass` is like `body.mass`, too: the last word counts like the whole.
    """
    lowered = str(name).lower()
    by_look: dict[str, str] = {}
    for other in valid:
        by_look.setdefault(other.rpartition('.')[2].lower(), other)
    by_look |= {other.lower(): other for other in valid}
    for look in (lowered, lowered.rpartition('.')[2]):
        if near := difflib.get_close_matches(look, by_look, n=1):
            return by_look[near[0]]
    return None
