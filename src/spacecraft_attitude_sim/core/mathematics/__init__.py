# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Rotations, vectors, double-double numbers, elliptic integrals, random streams."""
