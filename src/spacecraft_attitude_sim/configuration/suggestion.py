# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Suggestions for misspelt names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection


# Most valid names that a message lists.
MOST_LISTED = 20
# A name is left out where another one is more similar by this ratio of difflib.
CLEARLY_LESS = 0.1


def hint(name: str, valid: Collection[str], listed_in: str = '') -> str:
    """Return "did you mean 'x'?", or a list of the valid names if none is similar.

    listed_in: document to refer to if there are many valid names
    """
    if near := nearest(name, valid):
        return f"did you mean '{near}'?"
    if len(valid) > MOST_LISTED and listed_in:
        return f'the {len(valid)} valid ones are in {listed_in}'
    return f'valid are {", ".join(sorted(valid))}'


def nearest_few(name: str, valid: Collection[str], most: int = 3) -> list[str]:
    """Return the valid names that are similar to `name`, the most similar first.

    Names that are far less similar than the first are left out. If none is similar, those that
    contain `name` are returned.
    """
    import difflib  # only after a mistake: it takes 2 ms of the start of a node

    looks, given = {other.lower(): other for other in valid}, name.lower()
    near = difflib.get_close_matches(given, looks, n=most)
    scores = [difflib.SequenceMatcher(None, look, given).ratio() for look in near]
    pairs = zip(near, scores, strict=True)
    similar = [looks[look] for look, score in pairs if score > scores[0] - CLEARLY_LESS]
    return similar or [looks[look] for look in looks if given in look][:most]


def nearest(name: str, valid: Collection[str]) -> str | None:
    """Return the valid name most similar to `name`, or None.

    The last word counts like the whole name: `mas` is similar to `body.mass`.
    """
    import difflib

    lowered = str(name).lower()
    by_look: dict[str, str] = {}
    for other in valid:
        by_look.setdefault(other.rpartition('.')[2].lower(), other)
    by_look |= {other.lower(): other for other in valid}
    for look in (lowered, lowered.rpartition('.')[2]):
        if near := difflib.get_close_matches(look, by_look, n=1):
            return by_look[near[0]]
    return None
