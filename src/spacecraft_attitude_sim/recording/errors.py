# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of files that need a library, apart from them: raising one must not need it."""

from spacecraft_attitude_sim.safety.quoting import OneLineError


class RecordingError(OneLineError):
    """A bag cannot be written or read; the text says which, why, and the remedy."""


class CampaignError(OneLineError):
    """A campaign cannot be run; the text says file, key, value, unit and remedy."""
