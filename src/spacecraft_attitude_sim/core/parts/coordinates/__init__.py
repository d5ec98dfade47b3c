# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible modes, hinged panels and sliding masses: one displacement each."""
