# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Texts of somebody else, fit for one line of a log, a diagnostic or an error."""

# Characters of a quoted text, and of a whole message.
LONGEST_QUOTE = 80
LONGEST_TEXT = 400


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
