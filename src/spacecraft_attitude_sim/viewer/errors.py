# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of the viewer, apart from it: raising one must not need the Rerun library."""


class ViewError(ValueError):
    """Something cannot be shown; the text says what, why, and the remedy."""
