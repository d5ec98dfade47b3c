# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Analyses of a motion: flips, drifts, Poinsot's picture, comparisons, quasi-coordinates."""
