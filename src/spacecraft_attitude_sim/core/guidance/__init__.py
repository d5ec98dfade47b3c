# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Guidance: the attitude, rate and acceleration that a spacecraft is to have at each time."""
