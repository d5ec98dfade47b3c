# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Texts of somebody else, fit for one line of a log, a diagnostic or an error."""

import re

# Characters of a quoted text, of a whole message, and of a word of one that is shown whole.
LONGEST_QUOTE = 80
LONGEST_TEXT = 400
LONGEST_WORD = 300


def quoted(text):
    """Return a text in quotes, cut where it is long; what would break the line is escaped."""
    text = str(text)
    if len(text) <= LONGEST_QUOTE:
        return repr(text)
    return f'{text[:LONGEST_QUOTE]!r}… ({len(text)} characters)'


def cut(text):
    """Return a text on one line, cut where it is long."""
    text = ' '.join(str(text).split())
    if len(text) <= LONGEST_TEXT:
        return text
    return f'{text[:LONGEST_TEXT]}… ({len(text)} characters)'


class OneLineError(ValueError):
    """An error whose text names what somebody else wrote: on one line, without endless words."""

    def __init__(self, text=''):
        line = str(text).replace('\r', '\\r').replace('\n', '\\n')
        super().__init__(re.sub(rf'\S{{{LONGEST_WORD},}}', _shortened, line))


def _shortened(word):
    """Return the beginning of a word, a match of re."""
    whole = word.group()
    return f'{whole[:LONGEST_QUOTE]}… ({len(whole)} characters)'
