# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of files that need a library, apart from them: raising one must not need it."""


class RecordingError(ValueError):
    """A bag cannot be written or read; the text says which, why, and the remedy."""


class CampaignError(ValueError):
    """A campaign cannot be run; the text says file, key, value, unit and remedy."""
