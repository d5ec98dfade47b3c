# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of recordings, apart from them: raising one must not need the rosbags library."""


class RecordingError(ValueError):
    """A bag cannot be written or read; the text says which, why, and the remedy."""
