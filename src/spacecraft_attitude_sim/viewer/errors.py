# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of the viewer; they are here so that you can import them without Rerun."""


class ViewError(ValueError):
    """Something cannot be shown; the text gives the reason and the remedy."""
