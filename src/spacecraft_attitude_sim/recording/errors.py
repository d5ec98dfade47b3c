# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of modules that need a library; they are here so that you can import them without it."""

from spacecraft_attitude_sim.safety.quoting import OneLineError


class RecordingError(OneLineError):
    """A bag cannot be written or read; the text names the bag, the reason and the remedy."""


class CampaignError(OneLineError):
    """A campaign cannot be run; the text names file, key, value, unit and remedy."""
