# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Texts of somebody else, cut before they go into a log, a diagnostic or an error."""

# Characters of a quoted text, and of a whole message.
LONGEST_QUOTE = 80
LONGEST_TEXT = 400


def quoted(text):
    """Return a text of somebody else in quotes, cut where it is long."""
    text = str(text)
    if len(text) <= LONGEST_QUOTE:
        return f"'{text}'"
    return f"'{text[:LONGEST_QUOTE]}…' ({len(text)} characters)"


def cut(text):
    """Return a text, cut where it is long."""
    text = str(text)
    if len(text) <= LONGEST_TEXT:
        return text
    return f'{text[:LONGEST_TEXT]}… ({len(text)} characters)'
