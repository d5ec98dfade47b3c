# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Shorten untrusted texts for one line of a log, a diagnostic or an error."""

from __future__ import annotations

import re

# Most characters of a quoted text, of a message, and of a word that is not shortened.
LONGEST_QUOTE = 80
LONGEST_TEXT = 400
LONGEST_WORD = 300


def quoted(text: object) -> str:
    """Return a text in quotes, cut if it is long; control characters are escaped."""
    text = str(text)
    if len(text) <= LONGEST_QUOTE:
        return repr(text)
    return f'{text[:LONGEST_QUOTE]!r}… ({len(text)} characters)'


def cut(text: object) -> str:
    """Return a text on one line, cut if it is long."""
    text = ' '.join(str(text).split())
    if len(text) <= LONGEST_TEXT:
        return text
    return f'{text[:LONGEST_TEXT]}… ({len(text)} characters)'


class OneLineError(ValueError):
    """An error whose text may quote untrusted input: one line, with long words shortened."""

    def __init__(self, text: object = '') -> None:
        line = str(text).replace('\r', '\\r').replace('\n', '\\n')
        super().__init__(re.sub(rf'\S{{{LONGEST_WORD},}}', _shortened, line))


def _shortened(word: re.Match[str]) -> str:
    """Return the beginning of a word; word: a re.Match."""
    whole = word.group()
    return f'{whole[:LONGEST_QUOTE]}… ({len(whole)} characters)'
